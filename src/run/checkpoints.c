// Checkpoints of a run: the last two are kept, and a resume uses the newest complete one.
//
// In addition to the state of the simulation a checkpoint has the progress of the folder: number of frames, length of the log in bytes, seconds spent. A resume writes everything after it
// again, with the same content. It also has the text of the scene: if scene.yaml has changed since, the result would not be that of one run,
// and the resume is rejected. Only the end may differ (end.c).
#include "run/run_inner.h"

#include "files/system.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const char* const box_names[6] = {"box_lower_x", "box_upper_x", "box_lower_y", "box_upper_y", "box_lower_z", "box_upper_z"};
static const char* const view_names[6] = {"view_lower_x", "view_upper_x", "view_lower_y", "view_upper_y", "view_lower_z", "view_upper_z"};
static const char* const tilt_names[3] = {"box_tilt_xy", "box_tilt_xz", "box_tilt_yz"};  // of a tilted box
static const char* const periodic_names[3] = {"periodic_x", "periodic_y", "periodic_z"};

static const char ending[] = "npz", old_ending[] = "h5";  // old: of scree 0.1

static scree_status name_of(const scree_run* run, char* path, size_t room, int64_t step, const char* with)
{
    return run_path(run, path, room, "checkpoint_%012" PRId64 ".%s", step, with);
}

// The step in a file's name; -1: it is no checkpoint of ours with that ending.
static int64_t step_of(const char* name, const char* with)
{
    int64_t step;
    char again[64];
    if (sscanf(name, "checkpoint_%" SCNd64, &step) != 1 || step < 0)
        return -1;
    snprintf(again, sizeof again, "checkpoint_%012" PRId64 ".%s", step, with);
    return strcmp(again, name) == 0 ? step : -1;
}

// ---- Writing -------------------------------------------------------------------------------------------------------------

// All but the two that are known to be whole.
static void remove_others(const scree_run* run)
{
    DIR* folder = scree_open_folder(run->folder, 0);
    if (folder == NULL)
        return;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[4096];
        int64_t step = step_of(entry->d_name, ending);
        bool old = step >= 0 && step != run->kept[0] && step != run->kept[1];
        if (old && run_path(run, path, sizeof path, "%s", entry->d_name) == SCREE_OK)
            unlink(path);
    }
    closedir(folder);
}

// Checkpoints have whole numbers with a sign: all bits are kept.
static int64_t sum_as_integer(uint64_t sum)
{
    int64_t integer;
    memcpy(&integer, &sum, sizeof integer);
    return integer;
}

static scree_status put_numbers(const scree_run* run, const scree_sim_report* r, scree_checkpoint* to)
{
    scree_box box = run->set_box;
    scree_status status = scree_checkpoint_set_integer(to, "frames", run->frames);
    const struct {
        const char* name;
        int64_t value;
    } integers[] = {{"log_bytes", run->log.bytes}, {"log_sum", sum_as_integer(run->log.sum)}, {"last_row", run->last_row}, {"rebuilds", r->rebuilds}, {"steps", run->steps}, {"container", run->container}};
    for (size_t k = 0; k < sizeof integers / sizeof *integers && status == SCREE_OK; ++k)
        status = scree_checkpoint_set_integer(to, integers[k].name, integers[k].value);
    const struct {
        const char* name;
        double value;
    } values[] = {{"seconds", scree_run_get_seconds(run)},
                  {"seconds_search", r->seconds_search},
                  {"seconds_force", r->seconds_force},
                  {"seconds_integrate", r->seconds_integrate},
                  {"seconds_other", r->seconds_other}};
    for (size_t k = 0; k < sizeof values / sizeof *values && status == SCREE_OK; ++k)
        status = scree_checkpoint_set_value(to, values[k].name, values[k].value);
    if (status == SCREE_OK && run->paces.count > 1)
        status = scree_checkpoint_set_value(to, "first_step_length", run->paces.list[0].length);
    for (int face = 0; face < 2 * box.dim && status == SCREE_OK; ++face)
        status = scree_checkpoint_set_value(to, box_names[face], face & 1 ? box.upper[face / 2] : box.lower[face / 2]);
    for (int face = 0; face < 2 * box.dim && status == SCREE_OK; ++face)
        status = scree_checkpoint_set_value(to, view_names[face], run->view[face / 2][face % 2]);
    for (int k = 0; k < box.dim && status == SCREE_OK; ++k)
        status = scree_checkpoint_set_integer(to, periodic_names[k], box.periodic[k]);
    for (int t = 0; t < 3 && status == SCREE_OK && scree_box_is_tilted(&box); ++t)
        status = scree_checkpoint_set_value(to, tilt_names[t], t == 0 || box.dim == 3 ? box.tilt[t] : 0.0);
    return status == SCREE_OK ? run_conditions_keep(run, to) : status;
}

// The largest overlap, without and with the last row of the log.
static const char* const deepest_integers[] = {"step", "i", "j", "placed", "rows", "rows_above"};
static const char* const deepest_values[] = {"overlap", "relative", "time", "x", "y", "z"};
enum { deepest_count = 6 };

static const char* deepest_name(bool before, const char* what, char name[40])
{
    snprintf(name, 40, "%s_%s", before ? "deepest_before_row" : "deepest", what);
    return name;
}

static scree_status put_deepest(const run_deepest* d, bool before, scree_checkpoint* to)
{
    const int64_t integers[deepest_count] = {d->seen.step, d->seen.ij[0], d->seen.ij[1], d->placed, d->rows, d->rows_above};
    const double values[deepest_count] = {d->seen.overlap, d->seen.relative, d->time, d->seen.at[0], d->seen.at[1], d->seen.at[2]};
    char name[40];
    scree_status status = SCREE_OK;
    for (int k = 0; k < deepest_count && status == SCREE_OK; ++k)
        status = scree_checkpoint_set_integer(to, deepest_name(before, deepest_integers[k], name), integers[k]);
    for (int k = 0; k < deepest_count && status == SCREE_OK; ++k)
        status = scree_checkpoint_set_value(to, deepest_name(before, deepest_values[k], name), values[k]);
    return status;
}

scree_status run_keep(scree_run* run)
{
    scree_checkpoint saved = {0};
    scree_sim_report r;
    char path[4096];
    run->doing = "writing a checkpoint";
    int64_t step = run_sim_step(run);
    scree_status status = run_report(run, &r);
    if (status == SCREE_OK)
        status = run_log_sync(run);
    if (status == SCREE_OK)
        status = run_sim_take(run, &saved);
    if (status == SCREE_OK)
        status = run_flow_keep(run, &saved);
    if (status == SCREE_OK)
        status = scree_checkpoint_set_scene(&saved, run->scene_text, run->scene_length);
    if (status == SCREE_OK)
        status = put_numbers(run, &r, &saved);
    for (int before = 0; before < 2 && status == SCREE_OK; ++before)
        status = put_deepest(before ? &run->deepest_before : &run->deepest, before, &saved);
    if (status == SCREE_OK)
        status = name_of(run, path, sizeof path, step, ending);
    if (status == SCREE_OK)
        status = scree_write_checkpoint(path, &saved);
    scree_checkpoint_free(&saved);
    if (status != SCREE_OK)
        return status;
    if (run->kept[0] != step) {
        run->kept[1] = run->kept[0];
        run->kept[0] = step;
    }
    run->kept_at = scree_run_get_seconds(run);
    remove_others(run);
    return SCREE_OK;
}

// ---- Resuming ---------------------------------------------------------------------------------------------------------------

// The newest checkpoint older than `below`; -1: there is none.
static int64_t newest_below(const scree_run* run, int64_t below, const char* with)
{
    int64_t newest = -1;
    DIR* folder = scree_open_folder(run->folder, 0);
    if (folder == NULL)
        return -1;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        int64_t step = step_of(entry->d_name, with);
        if (step < below && step > newest)
            newest = step;
    }
    closedir(folder);
    return newest;
}

// The line behind those that say when the run ends: time.end, time.steps and time.until, as scree_write_scene writes them.
static const char* skip_end(const char* text, int* line)
{
    while (strncmp(text, "  end: ", 7) == 0 || strncmp(text, "  steps: ", 9) == 0 || strncmp(text, "  until: ", 9) == 0) {
        text += strcspn(text, "\n");
        text += *text == '\n';
        *line += 1;
    }
    return text;
}

// Says in which line the scene of the folder is not that of the checkpoint.
static scree_status check_scene(const scree_run* run, const scree_checkpoint* saved)
{
    if (strcmp(saved->library, scree_version()) != 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: this run was made by scree %s; expected %s, since another version might not give the same bits", run->folder,
                          saved->library, scree_version());
    const char *now = run->scene_text, *then = saved->scene != NULL ? saved->scene : "";
    for (int line = 1, other = 1;; ++line) {
        now = skip_end(now, &line);
        then = skip_end(then, &other);
        if (*now == '\0' && *then == '\0')
            return SCREE_OK;
        int a = (int)strcspn(now, "\n"), b = (int)strcspn(then, "\n");
        if (a != b || memcmp(now, then, (size_t)a) != 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "%s/scene.yaml:%d: it was changed since the run began: '%.*s'; expected '%.*s'. Begin a new run with it",
                              run->folder, line, a < 200 ? a : 200, now, b < 200 ? b : 200, then);
        now += a + (now[a] == '\n');
        then += b + (then[b] == '\n');
    }
}

static bool integer_of(const scree_checkpoint* saved, const char* name, int64_t* out)
{
    const scree_checkpoint_number* number = scree_checkpoint_find(saved, name);
    if (number != NULL && number->whole)
        *out = number->integer;
    return number != NULL && number->whole;
}

static bool value_of(const scree_checkpoint* saved, const char* name, double* out)
{
    const scree_checkpoint_number* number = scree_checkpoint_find(saved, name);
    if (number != NULL && !number->whole)
        *out = number->value;
    return number != NULL && !number->whole;
}

bool run_kept_box(const scree_checkpoint* saved, scree_box* out)
{
    bool all = true;
    *out = scree_box_open(saved->dim);
    for (int face = 0; face < 2 * saved->dim; ++face)
        all = value_of(saved, box_names[face], face & 1 ? &out->upper[face / 2] : &out->lower[face / 2]) && all;
    for (int k = 0; k < saved->dim; ++k) {
        int64_t periodic = 0;
        all = integer_of(saved, periodic_names[k], &periodic) && all;
        out->periodic[k] = periodic != 0;
    }
    for (int t = 0; t < 3; ++t)
        (void)value_of(saved, tilt_names[t], &out->tilt[t]);
    return all;
}

static bool get_deepest(const scree_checkpoint* saved, bool before, run_deepest* d)
{
    int64_t placed = 0, *integers[deepest_count] = {&d->seen.step, &d->seen.ij[0], &d->seen.ij[1], &placed, &d->rows, &d->rows_above};
    double* values[deepest_count] = {&d->seen.overlap, &d->seen.relative, &d->time, &d->seen.at[0], &d->seen.at[1], &d->seen.at[2]};
    char name[40];
    bool all = true;
    for (int k = 0; k < deepest_count; ++k)
        all = integer_of(saved, deepest_name(before, deepest_integers[k], name), integers[k]) && all;
    for (int k = 0; k < deepest_count; ++k)
        all = value_of(saved, deepest_name(before, deepest_values[k], name), values[k]) && all;
    d->placed = placed != 0;
    d->seen.duration = INFINITY;
    return all;
}

static int64_t saved_step(const scree_checkpoint* saved)
{
    return saved->has_bodies ? saved->bodies.step : saved->step;
}

static bool get_numbers(scree_run* run, const scree_checkpoint* saved, int64_t* log_bytes, uint64_t* log_sum)
{
    scree_sim_report* b = &run->before;
    int64_t sum = 0;
    bool all = integer_of(saved, "frames", &run->frames) && integer_of(saved, "log_bytes", log_bytes) && integer_of(saved, "log_sum", &sum) &&
               integer_of(saved, "last_row", &run->last_row) && integer_of(saved, "rebuilds", &b->rebuilds) && integer_of(saved, "steps", &run->kept_steps) &&
               value_of(saved, "seconds", &run->seconds_before) && value_of(saved, "seconds_search", &b->seconds_search) &&
               value_of(saved, "seconds_force", &b->seconds_force) && value_of(saved, "seconds_integrate", &b->seconds_integrate) &&
               value_of(saved, "seconds_other", &b->seconds_other);
    all = run_kept_box(saved, &run->set_box) && all;
    all = get_deepest(saved, false, &run->deepest) && get_deepest(saved, true, &run->deepest_before) && all;
    for (int face = 0; face < 2 * saved->dim; ++face)
        all = value_of(saved, view_names[face], &run->view[face / 2][face % 2]) && all;
    int64_t container = SCREE_CONTAINER_BOX;  // a checkpoint without it is from before there were others
    (void)integer_of(saved, "container", &container);
    run->container = (int32_t)container;
    memcpy(log_sum, &sum, sizeof *log_sum);
    run_conditions_recall(saved, &run->scene);
    run->until_met = run->scene.until.count > 0 && scree_checkpoint_find(saved, "until_met") != NULL;
    return all && container >= 0 && container <= INT32_MAX && scree_container_name(run->container) != NULL;
}

static scree_status check_deepest(const scree_run* run, const run_deepest* d, int64_t step)
{
    const scree_sim_overlap* seen = &d->seen;
    const bool counts = d->rows >= 0 && d->rows_above >= 0 && d->rows_above <= d->rows && d->rows <= (int64_t)SCREE_RUN_STEPS_MOST;
    const bool place = seen->step >= 0 && seen->step <= step && seen->ij[0] >= -1 && seen->ij[1] >= INT32_MIN;
    if (counts && place && seen->overlap >= 0.0 && seen->overlap < INFINITY && seen->relative >= 0.0 && fabs(d->time) < INFINITY)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_FORMAT,
                      "%s: the checkpoint of step %" PRId64 " has the largest overlap %g in step %" PRId64 ", of sphere %" PRId64 ", and %" PRId64 " of %" PRId64 " rows of the log above the limit; "
                      "expected numbers of this run",
                      run->folder, step, seen->overlap, seen->step, seen->ij[0], d->rows_above, d->rows);
}

// Rejects counts that no run can have: later code sums them and loops up to them.
static scree_status check_numbers(const scree_run* run, const scree_checkpoint* saved, int64_t log_bytes)
{
    const int64_t step = saved_step(saved), most = (int64_t)SCREE_RUN_STEPS_MOST;
    const struct {
        const char* name;
        int64_t value, least, most;
    // at most one frame for each step, the one at step 0, and one at an earlier end of the run
    } ranges[] = {{"frames", run->frames, 0, step < INT64_MAX - 1 ? step + 2 : 0},
                  {"log_bytes", log_bytes, 0, INT64_MAX},
                  {"last_row", run->last_row, -1, step},
                  {"steps", run->kept_steps, step, most},
                  {"rebuilds", run->before.rebuilds, -most, most}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; ++k)
        if (ranges[k].value < ranges[k].least || ranges[k].value > ranges[k].most)
            return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint of step %" PRId64 " has %s = %" PRId64 "; expected %" PRId64 " to %" PRId64, run->folder, step, ranges[k].name, ranges[k].value,
                              ranges[k].least, ranges[k].most);
    const double seconds[] = {run->seconds_before, run->before.seconds_search, run->before.seconds_force, run->before.seconds_integrate, run->before.seconds_other};
    for (size_t k = 0; k < sizeof seconds / sizeof *seconds; ++k)
        if (!(fabs(seconds[k]) <= 1e15))
            return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint of step %" PRId64 " has taken %g seconds; expected a finite number", run->folder, step, seconds[k]);
    scree_status status = check_deepest(run, &run->deepest, step);
    return status == SCREE_OK ? check_deepest(run, &run->deepest_before, step) : status;
}

// The frames are those that the scene plans up to this step, with the end that the run had then.
static scree_status check_frames(scree_run* run, const scree_checkpoint* saved)
{
    int64_t step = saved_step(saved), steps = run->steps;
    run->steps = run->kept_steps;
    int64_t last = run_frame_step(run, run->frames - 1), next = run_frame_step(run, run->frames);
    run->steps = steps;
    if (run->frames > 0 && last >= 0 && last <= step && (next < 0 || next > step))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint of step %" PRId64 " has %" PRId64 " frames; expected as many as the scene plans up to this step", run->folder, step, run->frames);
}

static scree_status restore(scree_run* run, const scree_checkpoint* saved)
{
    int64_t log_bytes = 0;
    uint64_t log_sum = 0;
    if (!get_numbers(run, saved, &log_bytes, &log_sum))
        return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint of step %" PRId64 " lacks numbers of a run; expected all of them", run->folder, saved_step(saved));
    scree_status status = check_numbers(run, saved, log_bytes);
    if (status == SCREE_OK)
        status = run_sim_restore(run, saved);
    if (status == SCREE_OK)
        status = check_frames(run, saved);
    if (status == SCREE_OK)
        status = run_end_check(run);
    if (status == SCREE_OK)
        status = run_frames_open(run);
    if (status == SCREE_OK)
        status = run_log_resume(run, log_bytes, log_sum);
    if (status == SCREE_OK)
        status = run_frames_check(run);
    if (status == SCREE_OK)
        status = run_frames_list(run);
    scree_sim_report own;
    if (status == SCREE_OK)
        status = run_sim_measure(run, &own);
    if (status != SCREE_OK)
        return status;
    // The first list of contacts after a resume is no work of the run: one that is finished tells the same as before.
    run->before.rebuilds -= own.rebuilds;
    run->before.seconds_search -= own.seconds_search;
    run->before.seconds_force -= own.seconds_force;
    run->before.seconds_integrate -= own.seconds_integrate;
    run->before.seconds_other -= own.seconds_other;
    status = scree_run_measure(run, &run->last);
    if (status != SCREE_OK)
        return status;
    run->kept_at = scree_run_get_seconds(run);
    run_deepest_warn(run);
    run_skip_changes(run);
    run_folder_tidy(run);
    run->kept[0] = saved_step(saved);
    run->kept[1] = newest_below(run, saved_step(saved), ending);
    return SCREE_OK;
}

// One of scree 0.1 is read too: this fails, and says what to do.
static scree_status none_kept(const scree_run* run)
{
    int64_t old = newest_below(run, INT64_MAX, old_ending);
    char path[4096];
    scree_checkpoint saved;
    if (old >= 0 && name_of(run, path, sizeof path, old, old_ending) == SCREE_OK) {
        scree_status status = scree_read_checkpoint(path, &saved);
        if (status != SCREE_OK)
            return status;
        scree_checkpoint_free(&saved);
    }
    return scree_fail(SCREE_ERR_IO, "%s: this folder has no checkpoint; expected the folder of a run", run->folder);
}

scree_status run_any_kept(const scree_run* run)
{
    return newest_below(run, INT64_MAX, ending) >= 0 ? SCREE_OK : none_kept(run);
}

scree_status run_read_kept(const scree_run* run, int64_t only, scree_checkpoint* out, char why[RUN_WHY])
{
    char path[4096];
    why[0] = '\0';
    for (int64_t step = newest_below(run, only >= 0 ? only + 1 : INT64_MAX, ending); step >= only && step >= 0; step = newest_below(run, step, ending)) {
        scree_status status = name_of(run, path, sizeof path, step, ending);
        if (status == SCREE_OK)
            status = scree_read_checkpoint(path, out);
        if (status != SCREE_ERR_FORMAT && status != SCREE_ERR_IO)
            return status;
        snprintf(why, RUN_WHY, "%s", scree_error_message());
    }
    if (why[0] != '\0')
        return scree_fail(SCREE_ERR_FORMAT, "%s; expected another checkpoint%s in %s, and there is none", why, only >= 0 ? " of that step" : "", run->folder);
    int64_t newest = only >= 0 ? newest_below(run, INT64_MAX, ending) : -1;
    if (newest >= 0)
        return scree_fail(SCREE_ERR_IO, "%s: there is no checkpoint of step %" PRId64 " in this folder; expected a step that has one, at most %" PRId64, run->folder, only, newest);
    return none_kept(run);
}

scree_status run_find_kept(scree_run* run)
{
    char why[RUN_WHY];
    scree_checkpoint saved;
    scree_status status = run_read_kept(run, -1, &saved, why);
    if (status != SCREE_OK)
        return status;
    status = check_scene(run, &saved);
    if (status == SCREE_OK)
        status = restore(run, &saved);
    if (status == SCREE_OK && why[0] != '\0') {
        char text[RUN_WHY + 128];
        snprintf(text, sizeof text, "%s: continuing from the older checkpoint of step %" PRId64, why, saved_step(&saved));
        run_add_note(run, text);
    }
    scree_checkpoint_free(&saved);
    return status;
}
