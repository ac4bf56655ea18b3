// A run goes from event to event. Between two events the simulation makes steps; at each event the folder gets what is due:
//
//     change of gravity or walls  ->  inserted and removed spheres  ->  row of the log  ->  frame  ->  checkpoint
//
// in this order, so that a checkpoint includes everything that came before it at its step. The step alone determines what is due
// (except for checkpoints by the clock), so an interrupted and resumed run does the same at the same steps.
#include "run/run_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/clock.h"
#include "files/system.h"
#include "scene/place.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

SCREE_DEFAULTS_OF(scree_run_def, scree_default_run_def)
{
    return (scree_run_def){.struct_size = sizeof(scree_run_def), .method = -1};
}

// ---- When ----------------------------------------------------------------------------------------------------------------

// The scene as it is at this step: what changes have set beside loads.
static const scree_scene* scene_now(const scree_run* run)
{
    return scree_scene_from(&run->scene, run->change - 1);
}

// The k-th frame, from 1 on, of frames that count from a step and its time.
static int64_t frame_of(const scree_run* run, const scree_scene* scene, int64_t begin, double time, int64_t k)
{
    double every = scene->output_every;
    if (every > 0.0 && every < (1.0 + 4e-9) * run_paces_longest(&run->paces))
        return begin + k;  // one per step is the most there can be
    if (every > 0.0)
        return run_step_at(run, time + (double)k * every);
    return scene->output_every_steps > 0 ? begin + k * scene->output_every_steps : INT64_MAX;
}

// As the scene says, whenever the run ends. Changes of output.every restart the count.
static int64_t planned_frame(const scree_run* run, int64_t frame)
{
    const scree_scene* scene = &run->scene;
    int64_t begin = 0;
    double time = 0.0;
    for (int64_t c = 0; c < run->scene.change_count && frame > 0; ++c) {
        const scree_scene_change* change = &run->scene.changes[c];
        const scree_scene* next = change->sets_output ? change->scene : NULL;
        if (next == NULL || (next->output_every == scene->output_every && next->output_every_steps == scene->output_every_steps))
            continue;
        if (isinf(change->due))
            break;
        int64_t end = run_step_at(run, change->due), least = 0, most = end - begin;  // frames until then: at most one per step
        while (least < most) {
            int64_t middle = most - (most - least) / 2;
            if (frame_of(run, scene, begin, time, middle) <= end)
                least = middle;
            else
                most = middle - 1;
        }
        if (frame <= least)
            break;
        frame -= least;
        scene = next;
        begin = end;
        time = change->due;
    }
    return frame > 0 ? frame_of(run, scene, begin, time, frame) : 0;
}

// Frames: at the start, then as the scene says, and at the end.
int64_t run_frame_step(const scree_run* run, int64_t frame)
{
    if (frame <= 0)
        return frame == 0 ? 0 : -1;
    int64_t step = planned_frame(run, frame);
    if (step < run->steps)
        return step;
    return planned_frame(run, frame - 1) < run->steps ? run->steps : -1;  // the end has one frame, however the times fall
}

// The next step at which something is due, other than by the clock.
static int64_t next_event(const scree_run* run)
{
    const scree_scene *scene = &run->scene, *now = scene_now(run);
    int64_t step = run_sim_step(run), next = run->steps, frame = run_frame_step(run, run->frames);
    if (frame > step && frame < next)
        next = frame;
    if (now->log_every_steps > 0 && (step / now->log_every_steps + 1) * now->log_every_steps < next)
        next = (step / now->log_every_steps + 1) * now->log_every_steps;
    if (now->checkpoint_steps > 0 && (step / now->checkpoint_steps + 1) * now->checkpoint_steps < next)
        next = (step / now->checkpoint_steps + 1) * now->checkpoint_steps;
    if (run->change < scene->change_count) {
        int64_t at = run_step_at(run, scene->changes[run->change].due);
        if (at > step && at < next)
            next = at;
    }
    int64_t flow = run_flow_next(run), condition = run_conditions_next(run);
    next = condition < next ? condition : next;
    return flow < next ? flow : next;
}

// The next step for def.look; INT64_MAX: there is none.
static int64_t next_look(const scree_run* run)
{
    const int64_t step = run_sim_step(run);
    if (run->def.look == NULL)
        return INT64_MAX;
    if (run->def.look_steps > 0)
        return step <= INT64_MAX - run->def.look_steps ? (step / run->def.look_steps + 1) * run->def.look_steps : INT64_MAX;
    if (run->def.look_every <= run_time_of(run, step + 1) - run_time_of(run, step))  // at every step
        return step + 1;
    double k = fmax(floor(run_time_of(run, step) / run->def.look_every), 1.0);
    while (run_step_at(run, k * run->def.look_every) <= step)
        k += 1.0;
    return run_step_at(run, k * run->def.look_every);
}

// ---- Progress --------------------------------------------------------------------------------------------------------------

double scree_run_get_seconds(const scree_run* run)
{
    SCREE_NEED_OR(run, NAN);
    return run->seconds_before + (scree_clock() - run->began);
}

static bool tell(scree_run* run, double done)
{
    if (run->def.tell == NULL)
        return true;
    int64_t step = run_is_made(run) ? run_sim_step(run) : 0;
    double now = scree_clock();
    bool timed = run_is_made(run) && run->paces.count > 0;
    if (run_is_made(run) && now - run->rate_clock > 0.5) {
        double rate = (double)(step - run->rate_step) / (now - run->rate_clock);
        run->rate = run->rate > 0.0 ? 0.7 * run->rate + 0.3 * rate : rate;
        run->rate_clock = now;
        run->rate_step = step;
    }
    scree_run_progress progress = {.doing = run->doing,
                                   .done = done,
                                   .step = step,
                                   .steps = run->steps,
                                   .time = timed ? run_time_of(run, step) : 0.0,
                                   .end = timed ? run_time_of(run, run->steps) : 0.0,
                                   .spheres = run_sim_count(run),
                                   .rate = run->rate * run_sim_count(run),
                                   .seconds_left = run->rate > 0.0 ? (double)(run->steps - step) / run->rate : -1.0,
                                   .contacts = run->last.contacts,
                                   .energy_kinetic = run->last.energy_kinetic,
                                   .bodies = run_has_bodies(run),
                                   .max_overlap_relative = run->last.max_overlap_relative};
    run->stop = run->stop || !run->def.tell(run->def.context, &progress);
    return !run->stop;
}

static bool tick_other(void* context, double done)
{
    return tell(context, done);
}

scree_watch run_slow_watch(scree_run* run, const char* doing)
{
    run->doing = doing;
    return (scree_watch){.tick = tick_other, .context = run};
}

// While the simulation is created and while it steps: it stops for the user at once, and for a checkpoint that is due by the clock after the step in which that is
// seen. A step of bodies that is stopped is repeated: if checkpoints came faster than steps, the run would make no progress.
bool run_tick_step(void* context, double done)
{
    scree_run* run = context;
    if (!run_is_made(run) || run->kept[0] < 0)  // the simulation is being created or restored: there is no step yet, and nothing to checkpoint
        return tell(run, done);
    run->doing = "running";
    double every = scene_now(run)->checkpoint_seconds;
    int64_t step = run_sim_step(run);
    if (!run->due && every > 0.0 && scree_run_get_seconds(run) - run->kept_at > every) {
        run->due = true;
        run->due_from = step;
    }
    return tell(run, (double)step / (double)(run->steps > 0 ? run->steps : 1)) && !(run->due && run->due_from < step);
}

// ---- Beginning ---------------------------------------------------------------------------------------------------------------

// A def of an older version is shorter: what it does not know of keeps its default.
static scree_status take_def(const scree_run_def* given, scree_run_def* def)
{
    *def = scree_default_run_def();
    scree_status fits = scree_check_struct_size("run", "scree_default_run_def", given->struct_size, offsetof(scree_run_def, until), sizeof *def);
    if (fits != SCREE_OK)
        return fits;
    memcpy(def, given, given->struct_size);
    if (def->method < -1 || def->method >= SCREE_METHOD_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "run: unknown method number %d; expected that of a search method", (int)def->method);
    if (!(def->until >= 0.0 && def->until <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "run: until %g; expected a time above 0", def->until);
    if (def->until_steps < 0 || (double)def->until_steps > SCREE_RUN_STEPS_MOST)
        return scree_fail(SCREE_ERR_ARGUMENT, "run: until_steps %" PRId64 "; expected 1 to %.0f", def->until_steps, SCREE_RUN_STEPS_MOST);
    if (def->until > 0.0 && def->until_steps > 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "run: until %g and until_steps %" PRId64 "; expected one of them", def->until, def->until_steps);
    if (def->look_steps < 0 || !(def->look_every >= 0.0 && def->look_every <= DBL_MAX) || (def->look != NULL) != (def->look_steps > 0 || def->look_every > 0.0) ||
        (def->look_steps > 0 && def->look_every > 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "run: look_steps %" PRId64 " and look_every %g; expected one of them above 0 with a function look, and 0 without it", def->look_steps, def->look_every);
    return SCREE_OK;
}

// The steps of the whole run. ARGUMENT, at the place in the scene: too many, or a change that comes after them, or frames that are closer than steps where their length changes.
scree_status run_find_steps(scree_run* run, const scree_scene* scene)
{
    double length = run->paces.count > 0 ? run->paces.list[0].length : run->first_length > 0.0 ? run->first_length : run_sim_length(run);
    if (run_paces_make(scene, length, &run->paces) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    double longest = run_paces_longest(&run->paces);
    for (int64_t c = -1; c < scene->change_count && run->paces.count > 1; ++c) {
        double every = scree_scene_from(scene, c)->output_every;
        if (every > 0.0 && every < (1.0 + 4e-9) * longest)
            return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, c < 0 ? "output.every" : "changes.output", c, "a frame every %g where steps are up to %g long; expected %g or more, or every_steps", every, longest, longest);
    }
    const run_pace* last = &run->paces.list[run->paces.count - 1];
    if (scene->steps < 0 && !((double)last->from + (scene->end - last->time) / last->length <= SCREE_RUN_STEPS_MOST))
        return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "time.end", -1, "%g takes %.4g steps of %g; expected at most %.0f steps", scene->end,
                                   (double)last->from + (scene->end - last->time) / last->length, last->length, SCREE_RUN_STEPS_MOST);
    run->steps = run->until_met ? run->kept_steps : scene->steps >= 0 ? scene->steps : run_step_at(run, scene->end);
    for (int64_t c = 0; c < scene->change_count && !run->until_met; ++c)
        if (!isnan(scene->changes[c].at) && run_step_at(run, scene->changes[c].at) > run->steps)
            return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "changes.at", c,
                                       "%g is after the end of the run; expected at most %g (%" PRId64 " steps of %g)", scene->changes[c].at,
                                       run_time_of(run, run->steps), run->steps, last->length);
    return SCREE_OK;
}

scree_status run_make_sim(scree_run* run, const scree_scene* scene)
{
    scree_status status = run_sim_make(run, scene);
    run->drags = run_has_drag(scene);
    run->naming = scene;
    run->solid = run_has_bodies(run) || run_has_flow(run) ? 0.0 : scree_spheres_volume(scree_sphere_set_view(&run->set));
    return status == SCREE_OK ? run_find_steps(run, scene) : status;
}

static scree_status read_back(scree_run* run)
{
    char path[4096];
    scree_status status = run_path(run, path, sizeof path, "scene.yaml");
    FILE* file = status == SCREE_OK ? scree_open_stream(path, O_RDONLY | O_NOFOLLOW, 0) : NULL;
    if (status == SCREE_OK && file == NULL)
        status = scree_system_fail(path, "cannot read", errno);
    if (status != SCREE_OK)
        return status;
    enum { most = 8 << 20 };
    scree_free(run->scene_text);
    run->scene_text = scree_malloc(most, 1);
    if (run->scene_text != NULL)
        run->scene_length = (int64_t)fread(run->scene_text, 1, most, file);
    if (run->scene_text == NULL || ferror(file) != 0)
        status = run->scene_text == NULL ? SCREE_ERR_MEMORY : scree_system_fail(path, "cannot read", errno);
    fclose(file);
    if (status == SCREE_OK)
        status = scree_resize(&run->scene_text, run->scene_length + 1, 1);
    if (status == SCREE_OK)
        run->scene_text[run->scene_length] = '\0';
    return status;
}

static scree_status start_run(const scree_run_def* given, const char* folder, scree_run** out)
{
    scree_run_def def;
    scree_status status = take_def(given, &def);
    if (status == SCREE_OK && folder != NULL && folder[0] == '\0')
        status = scree_fail(SCREE_ERR_ARGUMENT, "run: the name of the folder is empty; expected a name");
    if (status != SCREE_OK)
        return status;
    scree_run* run = scree_calloc(1, sizeof *run);
    if (run == NULL)
        return SCREE_ERR_MEMORY;
    *run = (scree_run){
        .def = def, .began = scree_clock(), .kept = {-1, -1}, .doing = "beginning", .lock = -1, .last_row = -1, .stage = -1};
    run->rate_clock = run->began;
    *out = run;
    if (folder == NULL)
        return SCREE_OK;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        --length;
    run->folder = scree_malloc(length + 1, 1);
    if (run->folder == NULL) {
        scree_free(run);
        return SCREE_ERR_MEMORY;
    }
    memcpy(run->folder, folder, length);
    run->folder[length] = '\0';
    return SCREE_OK;
}

void scree_run_destroy(scree_run* run)
{
    if (run == NULL)
        return;
    run_log_close(&run->log);
    if (run->lock >= 0)
        close(run->lock);
    scree_sim_destroy(run->sim);
    scree_polygon_sim_destroy(run->polygons);
    scree_body_set_free(&run->bodies);
    scree_sphere_set_free(&run->set);
    scree_scene_each_free(&run->each);
    scree_scene_law_free(&run->law);
    scree_scene_bonds_free(&run->bonds);
    scree_scene_shapes_free(&run->shapes);
    scree_free(run->pairs);
    run_other_forget(run);
    run_flow_free(run->flow);
    scree_free(run->felt);
    scree_free(run->groups);
    scene_free(&run->scene);
    scree_free(run->scene_text);
    run_paces_free(&run->paces);
    scree_free(run->folder);
    scree_free(run);
}

void run_skip_changes(scree_run* run)
{
    while (run->change < run->scene.change_count && run_step_at(run, run->scene.changes[run->change].due) <= run_sim_step(run))
        ++run->change;
}

// Frames hold what the simulation knows; further columns of the file that the spheres came from do not move with them.
static scree_status keep_known_columns(scree_run* run, const scree_scene* scene)
{
    const char* const names[] = {"velocity", scree_scene_group_count(scene) > 1 ? "group" : NULL, scene->material_count > 0 ? "material" : NULL,
                                 scree_scene_turns(scene) ? (run->set.dim == 2 ? "spin_z" : "spin") : NULL};
    enum { known = sizeof names / sizeof *names };
    scree_sphere_set* set = &run->set;
    scree_column kept[known];
    int32_t count = 0;
    for (int k = 0; k < known; ++k)
        for (int32_t c = 0; c < set->column_count && names[k] != NULL; ++c)
            if (strcmp(set->columns[c].name, names[k]) == 0 && set->columns[c].kind != SCREE_COLUMN_TEXT) {
                kept[count++] = set->columns[c];
                set->columns[c] = set->columns[--set->column_count];
                break;
            }
    scree_column* others = set->columns;
    scree_sphere_set rest = {.count = set->count, .dim = set->dim, .column_count = set->column_count, .columns = others};
    set->columns = scree_malloc(known, sizeof *set->columns);
    if (set->columns == NULL) {  // as it was, but for their order
        set->columns = others;
        for (int32_t c = 0; c < count; ++c)
            set->columns[set->column_count++] = kept[c];
        return SCREE_ERR_MEMORY;
    }
    memcpy(set->columns, kept, (size_t)count * sizeof *kept);
    set->column_count = count;
    scree_sphere_set_free(&rest);
    set->has_box = true;
    run->set_box = set->box;
    run->container = set->container;
    return SCREE_OK;
}

// Numbers only: spheres that were placed have no text.
static scree_status copy_spheres(const scree_sphere_set* from, scree_sphere_set* out)
{
    const size_t n = (size_t)from->count;
    scree_sphere_set to;
    scree_status status = scree_sphere_set_make(from->dim, from->count, &to);
    for (int32_t c = 0; c < from->column_count && status == SCREE_OK; ++c) {
        const scree_column* one = &from->columns[c];
        scree_column* column;
        if (one->kind == SCREE_COLUMN_TEXT)
            continue;
        status = scree_sphere_set_add(&to, one->name, (scree_column_kind)one->kind, one->components, &column);
        if (status == SCREE_OK && one->values != NULL)
            memcpy(column->values, one->values, n * (size_t)one->components * sizeof *one->values);
        if (status == SCREE_OK && one->integers != NULL)
            memcpy(column->integers, one->integers, n * (size_t)one->components * sizeof *one->integers);
    }
    if (status != SCREE_OK) {
        scree_sphere_set_free(&to);
        return status;
    }
    memcpy(to.x, from->x, n * (size_t)from->dim * sizeof *to.x);
    memcpy(to.r, from->r, n * sizeof *to.r);
    to.has_box = from->has_box;
    to.box = from->box;
    to.container = from->container;
    *out = to;
    return SCREE_OK;
}

// trial: nothing will be written, so nothing need be grown.
static scree_status make_spheres(scree_run* run, const scree_scene* scene, bool trial)
{
    if (run->other != NULL) {
        scree_status status = run_other_spheres(run);
        return status == SCREE_OK ? run_add_columns(run, scene) : status;
    }
    scree_scene_group first = scree_scene_get_entry(scene, 0);  // all grow, or none
    bool grown = first.file_path == NULL && first.place == SCREE_PLACE_GROW && !trial;
    scree_watch watch = run_slow_watch(run, grown ? "growing the spheres" : "placing the spheres");
    scree_sphere_set* placed = trial ? run->def.placed : NULL;
    const bool there = placed != NULL && placed->count > 0;
    scree_status status = there ? copy_spheres(placed, &run->set) : run_scene_spheres(scene, watch, trial, &run->set);
    if (status == SCREE_OK && placed != NULL && !there && run->set.count > 0)
        status = copy_spheres(&run->set, placed);
    if (status == SCREE_OK)
        status = keep_known_columns(run, scene);
    return status == SCREE_OK ? run_add_columns(run, scene) : status;
}

// The scene as the run has understood it. Entries of a list that come from files are counted: a resume must know which spheres are whose.
static scree_status write_scene(const scree_run* run, const char* path, const scree_scene* scene)
{
    const scree_column* group = scene->group_count > 1 ? scree_sphere_set_find(&run->set, "group") : NULL;
    if (group == NULL)
        return scree_write_scene(path, scene);
    scree_scene counted = *scene;
    counted.groups = scree_malloc((size_t)scene->group_count, sizeof *counted.groups);
    if (counted.groups == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(counted.groups, scene->groups, (size_t)scene->group_count * sizeof *counted.groups);
    for (int64_t n = 0; n < scene->group_count; ++n) {
        counted.groups[n].count = 0;
        if (counted.groups[n].region.kind != SCREE_REGION_NONE)
            counted.groups[n].density = 0.0;  // the count came from it
    }
    for (int32_t i = 0; i < run->set.count; ++i)
        ++counted.groups[group->integers[i]].count;
    scree_status status = scree_write_scene(path, &counted);
    scree_free(counted.groups);
    return status;
}

static scree_status make_bodies(scree_run* run, const scree_scene* scene)
{
    scree_status status = scree_scene_make_bodies(scene, run_slow_watch(run, "placing the bodies"), &run->bodies);
    run->set_box = run->bodies.box;
    return status;
}

// All that is due at this step; called again at the same step, what has not been done yet.
static scree_status attend(scree_run* run)
{
    const scree_scene* scene = &run->scene;
    int64_t step = run_sim_step(run);
    scree_status status = run_conditions_look(run);
    while (run->change < scene->change_count && run_step_at(run, scene->changes[run->change].due) <= step && status == SCREE_OK) {
        status = run_sim_change(run, run->change);
        run->change += status == SCREE_OK;
    }
    if (status == SCREE_OK)
        status = run_flow_attend(run);
    bool frame = run_frame_step(run, run->frames) == step, end = step == run->steps;
    const scree_scene* now = scene_now(run);
    bool row = frame || end || (now->log_every_steps > 0 && step % now->log_every_steps == 0);
    if (status == SCREE_OK && row && run->last_row != step)
        status = run_log_row(run);
    run->last_row = status == SCREE_OK && row ? step : run->last_row;
    if (status == SCREE_OK && row && run->folder != NULL)
        status = run_bonds_list(run);
    if (status == SCREE_OK && frame) {
        run->doing = "writing a frame";
        status = run_frame_write(run);
    }
    bool keep = run->due || end || step == 0 || (now->checkpoint_steps > 0 && step % now->checkpoint_steps == 0);
    if (status == SCREE_OK && keep && run->kept[0] != step)
        status = run_keep(run);
    run->due = false;
    run->missed = status != SCREE_OK;
    return status;
}

// What has a default that is seldom meant.
static void note_defaults(scree_run* run, const scree_scene* scene)
{
    static const char* const losses[] = {"contact.restitution", "contact.damping", "contact.viscous_time", "pairs.restitution", "pairs.damping", "pairs.viscous_time"};
    int64_t given = 0;
    for (size_t k = 0; k < sizeof losses / sizeof *losses; ++k)
        given += scree_scene_gives(scene, losses[k]);
    if (scene->places == NULL || scene->start_run != NULL)
        return;
    bool spheres = scree_scene_group_count(scene) > 0 && scene->body_count == 0;
    if (spheres && scene->material_count == 0 && run->each.each.material_density == NULL && scree_scene_gives(scene, "spheres.material_density") < scree_scene_group_count(scene))
        run_add_note(run, "spheres.material_density is not given; it is 1");
    if (given == 0 && strcmp(scree_sim_law_name(scene->law), "plastic") != 0)
        run_add_note(run, "contact.restitution is not given, nor damping or viscous_time: contacts lose no energy along their normals");
}

// While it begins, everything that it calls may be stopped: nothing is there yet that would be lost.
static void watch_beginning(scree_run* run)
{
    if (run->def.tell != NULL)
        (void)scree_set_watch(run_slow_watch(run, "beginning"));
}

static scree_status unless_stopped(scree_run* run)
{
    (void)tell(run, 0.0);
    return run->stop ? scree_fail(SCREE_ERR_CANCELLED, "stopped on request while the run was beginning") : SCREE_OK;
}

static scree_status create(const scree_run_def* def, const scree_scene* scene, const char* folder, scree_run** out)
{
    scree_run* run;
    bool made = false, own = false;
    char path[4096];
    scree_scene tabled = {0};  // the scene with its tables, if they come from files
    scree_status status = start_run(def, folder, &run);
    if (status != SCREE_OK)
        return status;
    watch_beginning(run);
    // Everything that can be wrong comes before anything is written, or removed; what is quickly seen, first.
    if (run_end_given(run))
        status = scree_fail(SCREE_ERR_ARGUMENT, "run: until is for a resume; expected time.end or time.steps of the scene for a run that begins");
    if (status == SCREE_OK && folder != NULL)
        status = run_check_drawing(run, scene);
    if (status == SCREE_OK && folder != NULL)
        status = run_folder_look(run, scene);
    if (status == SCREE_OK && run_has_tables(scene)) {
        status = run_take_tables(scene, &tabled);
        scene = status == SCREE_OK ? &tabled : scene;
    }
    if (status == SCREE_OK && scene->start_run != NULL) {
        status = run_other_read(run, scene);
        scene = status == SCREE_OK ? &run->other->scene : scene;
    }
    if (status == SCREE_OK)
        status = scene->body_count > 0 ? make_bodies(run, scene) : make_spheres(run, scene, folder == NULL);
    if (status == SCREE_OK)
        status = unless_stopped(run);
    if (status == SCREE_OK)
        status = run_make_sim(run, scene);
    if (status == SCREE_OK)
        status = run_conditions_check(run, scene);
    if (status == SCREE_OK)
        note_defaults(run, scene);
    if (status == SCREE_OK)
        status = unless_stopped(run);
    if (status == SCREE_OK && run->other != NULL)
        status = run_other_give(run);
    if (status == SCREE_OK)
        status = run_find_view(run, scene);
    if (status == SCREE_OK)
        status = scree_scene_locate(scene, run_sim_check_start(run), scene->body_count > 0 ? "bodies" : run->other != NULL ? "start.run" : "spheres", -1);
    if (folder == NULL) {
        status = status == SCREE_OK ? scene_copy(scene, &run->scene) : status;
        run->naming = &run->scene;
        run_other_forget(run);
        run_forget_tables(&tabled);
        if (status == SCREE_OK)
            *out = run;
        else
            scree_run_destroy(run);
        return status;
    }
    if (status == SCREE_OK)
        status = run_folder_make(run, scene, &made);
    own = status == SCREE_OK;
    // The log comes first: by it a beginning that was killed is known (folder.c).
    if (status == SCREE_OK)
        status = run_log_begin(run);
    if (status == SCREE_OK)
        status = run_path(run, path, sizeof path, "scene.yaml");
    if (status == SCREE_OK)
        status = write_scene(run, path, scene);
    if (status == SCREE_OK)
        status = scene_read(path, &run->scene);
    if (status == SCREE_OK)
        status = read_back(run);
    if (status == SCREE_OK)
        status = run_frames_open(run);
    if (status == SCREE_OK)
        status = attend(run);
    if (status == SCREE_OK)
        status = unless_stopped(run);
    if (status == SCREE_OK)
        status = run_folder_settle(run);
    if (status != SCREE_OK) {
        char message[2048];
        snprintf(message, sizeof message, "%s", scree_error_message());
        if (own)
            run_folder_unmake(run, made);
        scree_run_destroy(run);
        run_forget_tables(&tabled);
        return scree_fail(status, "%s", message);
    }
    run->naming = &run->scene;  // the caller's may be freed by the next row of the log
    run_frame_release(run);
    run_other_forget(run);
    run_forget_tables(&tabled);
    *out = run;
    return SCREE_OK;
}

scree_status scree_run_create(const scree_run_def* def, const scree_scene* scene, const char* folder, scree_run** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    SCREE_NEED(scene);
    const scree_watch before = scree_get_watch();
    scree_status status = create(def, scene, folder, out);
    (void)scree_set_watch(before);
    return status;
}

static scree_status resume(const scree_run_def* def, const char* folder, scree_run** out)
{
    scree_run* run;
    char path[4096];
    scree_status status = start_run(def, folder, &run);
    if (status != SCREE_OK)
        return status;
    watch_beginning(run);
    status = run_folder_lock(run);
    if (status == SCREE_OK)
        status = run_folder_recover(run);
    if (status == SCREE_OK)
        status = run_folder_check_kinds(run);
    if (status == SCREE_OK)
        status = run_any_kept(run);
    if (status == SCREE_OK)
        status = run_path(run, path, sizeof path, "scene.yaml");
    if (status == SCREE_OK)
        status = scene_read(path, &run->scene);
    if (status == SCREE_OK)
        status = run_check_drawing(run, &run->scene);
    if (status == SCREE_OK)
        status = read_back(run);
    if (status == SCREE_OK) {
        run_end_set(run);
        status = run_find_kept(run);
    }
    if (status == SCREE_OK)  // the end may have been edited
        status = run_conditions_check(run, &run->scene);
    (void)scree_set_watch((scree_watch){0});  // what is written from here on is written as a whole
    if (status == SCREE_OK && run_end_given(run))
        status = scree_write_scene(path, &run->scene);
    if (status == SCREE_OK && run_end_given(run))
        status = read_back(run);
    if (status == SCREE_OK && run->steps != run->kept_steps)
        status = run_end_change(run);
    if (status != SCREE_OK) {
        scree_run_destroy(run);
        return status;
    }
    run_frame_release(run);
    *out = run;
    return SCREE_OK;
}

scree_status scree_run_resume(const scree_run_def* def, const char* folder, scree_run** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    SCREE_NEED(folder);
    const scree_watch before = scree_get_watch();
    scree_status status = resume(def, folder, out);
    (void)scree_set_watch(before);
    return status;
}

// ---- Going ---------------------------------------------------------------------------------------------------------------------

static scree_status go(scree_run* run)
{
    bool plain = strpbrk(run->folder, " \t\n'\"$&|;<>()*?[]#~`!\\") == NULL;  // for a shell
    run->stop = false;
    run->rate = 0.0;
    run->rate_clock = scree_clock();
    run->rate_step = run_sim_step(run);
    // What failed last time, on a full disk say, is done first; a step that was cut short by a lack of memory is finished before that.
    scree_status status = run->missed ? run_sim_go(run, 0) : SCREE_OK;
    if (status == SCREE_OK && run->missed)
        status = attend(run);
    while (status == SCREE_OK && run_sim_step(run) < run->steps) {
        int64_t step = run_sim_step(run);
        const int64_t event = next_event(run), look = next_look(run);
        status = run_sim_go(run, (look < event ? look : event) - step);
        // What went wrong in the simulation may have begun with a contact that was too deep.
        scree_status seen = status == SCREE_OK || status == SCREE_ERR_ARGUMENT || status == SCREE_ERR_CANCELLED ? run_watch_overlaps(run) : SCREE_OK;
        status = seen != SCREE_OK ? seen : status;
        // The simulation asks only when it has stepped for a while: between events that are near each other it never does.
        if (status == SCREE_OK)
            (void)run_tick_step(run, 0.0);
        if (status == SCREE_ERR_CANCELLED)  // for a checkpoint, or for good: what is due is written in both cases
            status = SCREE_OK;
        if (status == SCREE_OK && run_sim_step(run) == look) {
            status = run->def.look(run->def.context, run);
            run->stop = run->stop || status == SCREE_ERR_CANCELLED;
            status = status == SCREE_ERR_CANCELLED ? SCREE_OK : status;
        }
        run->missed = status != SCREE_OK;  // the step counts already, and something may be due at it
        if (run->stop && status == SCREE_OK)
            run->due = true;
        if (status == SCREE_OK)
            status = attend(run);
        if (status == SCREE_ERR_CANCELLED && run->kept[0] >= 0) {
            char why[1024];
            snprintf(why, sizeof why, "%s", scree_error_message());
            return scree_fail(SCREE_ERR_CANCELLED, "%s; the last checkpoint is of step %" PRId64 "; to continue: scree resume %s%s%s", why, run->kept[0], plain ? "" : "'", run->folder, plain ? "" : "'");
        }
        if (status == SCREE_OK && run->stop && run_sim_step(run) < run->steps)
            return scree_fail(SCREE_ERR_CANCELLED,
                              "stopped at step %" PRId64 " of %" PRId64
                              ", with a checkpoint; to continue: scree resume %s%s%s",
                              run_sim_step(run), run->steps, plain ? "" : "'", run->folder, plain ? "" : "'");
    }
    return status == SCREE_OK ? run_conditions_warn(run) : status;
}

scree_status scree_run_go(scree_run* run)
{
    SCREE_NEED(run);
    if (run->folder == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "run: the run has no folder; expected a run with a folder");
    // its own is asked between steps; frames and checkpoints are written as a whole
    const scree_watch before = scree_set_watch((scree_watch){0});
    run->ended = go(run);
    (void)scree_set_watch(before);
    // what it says was written must be there
    if (run->ended == SCREE_OK || run->ended == SCREE_ERR_IO || run->ended == SCREE_ERR_CANCELLED) {
        scree_status there = run_folder_check(run);
        run->ended = there != SCREE_OK ? there : run->ended;
    }
    snprintf(run->why, sizeof run->why, "%s", run->ended != SCREE_OK ? scree_error_message() : "");
    return run->ended;
}

SCREE_RESULT_OF(scree_sim_report, scree_run_measure, (scree_run* run, scree_sim_report* out), (run, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(run);
    scree_sim_report r;
    scree_status status = run_sim_measure(run, &r);
    if (status != SCREE_OK)
        return status;
    r.rebuilds += run->before.rebuilds;
    r.seconds_search += run->before.seconds_search;
    r.seconds_force += run->before.seconds_force;
    r.seconds_integrate += run->before.seconds_integrate;
    r.seconds_other += run->before.seconds_other;
    *out = r;
    return SCREE_OK;
}

scree_status run_report(scree_run* run, scree_sim_report* out)
{
    const int64_t step = run_sim_step(run);
    if (run->ended != SCREE_OK || run->last_row != step || run->last.step != step)
        return scree_run_measure(run, out);
    *out = run->last;
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_run_facts, scree_run_get_facts, (const scree_run* run, scree_run_facts* out), (run, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(run);
    bool bodies = run_has_bodies(run);
    int64_t step = run_sim_step(run);
    *out = (scree_run_facts){.folder = run->folder,
                             .step = step,
                             .steps = run->steps,
                             .time = run_time_of(run, step),
                             .end = run_time_of(run, run->steps),
                             .ended = run->ended,
                             .why = run->why,
                             .checkpoints = {run->kept[0], run->kept[1]},
                             .frames = run->frames,
                             .scene_text = run->scene_text,
                             .scene_length = run->scene_length,
                             .bodies = bodies,
                             .count = run_sim_count(run),
                             .dim = bodies ? 2 : run->set.dim,
                             .box = run->set_box,
                             .container = run->container,
                             .volume = bodies ? 0.0 : scree_spheres_volume(scree_sphere_set_view(&run->set)),
                             .material_density = run->each.material_density,
                             .material_densities = run->each.each.material_density,
                             .flow = run_has_flow(run),
                             .bonds = run_has_bonds(run),
                             .energies = run_has_energies(run),
                             .time_steps = (int32_t)run->paces.count,
                             .threads = run->def.threads,
                             .last = &run->last,
                             .tallies = (int32_t)run_flow_tallies(run)};
    return SCREE_OK;
}

int64_t scree_run_get_tally(const scree_run* run, int32_t n, const char** name)
{
    SCREE_NEED_OR(name, -1);
    *name = NULL;
    SCREE_NEED_OR(run, -1);
    return n >= 0 && n < run_flow_tallies(run) ? run_flow_tally(run, n, name) : -1;
}

scree_status scree_run_get_spheres(scree_run* run, const scree_sphere_set** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(run);
    if (run_has_bodies(run))
        return scree_fail(SCREE_ERR_ARGUMENT, "run: its scene has bodies and no spheres; expected scree_run_get_polygon_sim");
    scree_status status = run_flow_catch_up(run);
    if (status == SCREE_OK)
        status = run_frame_fill(run);
    if (status == SCREE_OK)
        *out = &run->set;
    return status;
}

SCREE_ROWS_OF(scree_sim_boundary_report, scree_run_get_boundaries, (scree_run* run, scree_sim_boundary_report* out, int32_t room), (run, out, room))
{
    SCREE_NEED_OR(run, 0);
    if (run->felt == NULL && run_feel(run) != SCREE_OK)
        return -1;
    for (int32_t b = 0; out != NULL && b < run->felt_count && b < room; ++b)
        out[b] = run->felt[b];
    return run->felt_count;
}

scree_sim* scree_run_get_sim(scree_run* run)
{
    SCREE_NEED_OR(run, NULL);
    return run->sim;
}

scree_polygon_sim* scree_run_get_polygon_sim(scree_run* run)
{
    SCREE_NEED_OR(run, NULL);
    return run->polygons;
}

uint64_t scree_run_hash(const scree_run* run)
{
    SCREE_NEED_OR(run, 0);
    return run_has_bodies(run) ? scree_polygon_sim_hash(run->polygons) : scree_sim_hash(run->sim);
}

const scree_scene* scree_run_get_scene(const scree_run* run)
{
    SCREE_NEED_OR(run, NULL);
    return &run->scene;
}

int64_t scree_run_get_steps(const scree_run* run)
{
    SCREE_NEED_OR(run, 0);
    return run->steps;
}

void run_add_note(scree_run* run, const char* text)
{
    size_t used = strlen(run->note);
    snprintf(run->note + used, sizeof run->note - used, "%s%s", used > 0 ? "\n" : "", text);
}

const char* scree_run_get_note(const scree_run* run)
{
    SCREE_NEED_OR(run, NULL);
    return run->note;
}
