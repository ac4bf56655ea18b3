#include "simulate.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Progress --------------------------------------------------------------------------------------------------------------

typedef struct line {
    bool wanted, shown;
    double last;
} line;

static line shown_line;

static void put_left(char* text, size_t room, double left)
{
    if (left < 0.0)
        text[0] = '\0';
    else if (left < 100.0)
        snprintf(text, room, ", %.0f s left", left);
    else if (left < 6000.0)
        snprintf(text, room, ", %.0f min left", left / 60.0);
    else
        snprintf(text, room, ", %.1f h left", left / 3600.0);
}

static bool tell(void* context, const scree_run_progress* p)
{
    line* l = context;
    if (!run_may_go_on())
        return false;
    double now = run_seconds();
    if (!l->wanted || now - l->last < 0.1)
        return true;
    char left[48];
    put_left(left, sizeof left, p->seconds_left);
    l->last = now;
    l->shown = true;
    if (strcmp(p->doing, "running") == 0)
        say( "\r\033[Kstep %" PRId64 " of %" PRId64 ", time %.4g, %" PRId64 " contacts, deepest %.2g %%, kinetic energy %.3g, %.3g %s steps/s%s", p->step,
            p->steps, p->time, p->contacts, 100.0 * p->max_overlap_relative, p->energy_kinetic, p->rate, p->bodies ? "body" : "sphere", left);
    else
        say( "\r\033[K%s  %.0f %%", p->doing, 100.0 * p->done);
    fflush(stderr);
    return true;
}

void simulate_wipe(void)
{
    if (shown_line.shown)
        say( "\r\033[K");
    shown_line.shown = false;
}

scree_run_def simulate_def(const common* co, int32_t method, int32_t device, bool verify, bool force)
{
    shown_line = (line){.wanted = !co->quiet && isatty(STDERR_FILENO)};
    scree_run_def def = scree_default_run_def();
    def.draw = scree_draw_frame;
    def.method = method;
    def.device = device;
    def.threads = co->threads;
    def.verify = verify;
    def.force = force;
    def.tell = tell;
    def.context = &shown_line;
    return def;
}

// ---- Telling ---------------------------------------------------------------------------------------------------------------

void simulate_add_summary(result* res, const scree_run_summary* summary, scree_topic topic)
{
    for (int32_t k = 0; k < scree_run_summary_get_count(summary); ++k)
        if (scree_run_summary_get(summary, k)->topic == (int32_t)topic)
            result_quantity(res, scree_run_summary_get(summary, k));
}

const char* const simulate_repeated[] = {"set", NULL};

scree_status simulate_read_scene(const arguments* args, const common* co, scree_scene** out)
{
    const char* settings[most_repeated];
    scree_status status = scree_read_scene_with(args->files[0], option_values(args, "set", settings), settings, out);
    return status == SCREE_OK && option_given(args, "seed") ? scree_scene_set_seed(*out, co->seed) : status;
}

// What the scene of a run says; a run always has one.
static scree_scene_facts facts_of(const scree_run* run)
{
    scree_scene_facts facts;
    scree_scene_get_facts(scree_run_get_scene(run), &facts);
    return facts;
}

// The whole summary as JSON; of boundaries and derived quantities, which are many, nothing in text.
static scree_status show_result(const common* co, scree_run* run)
{
    scree_run_summary* summary;
    scree_status status = scree_run_summary_create(run, &summary);
    if (status != SCREE_OK)
        return status;
    result res = result_begin("run");  // of resume too: the result is that of the run
    res.width = 24;
    for (int32_t k = 0; k < scree_run_summary_get_count(summary); ++k) {
        const scree_quantity* q = scree_run_summary_get(summary, k);
        result_quantity(&res, q);
        if (q->topic == SCREE_TOPIC_BOUNDARIES || q->topic == SCREE_TOPIC_DERIVED)
            result_only(&res, RESULT_JSON);
    }
    result_print(&res, co->json);
    result_free(&res);
    scree_run_summary_destroy(summary);
    return SCREE_OK;
}

// A new file in the current folder for a video until it is whole, under an unpredictable name and that a later run knows
// for one of its own (.NAME.PID.NUMBER.tmp) if it is left behind.
static bool make_temporary(char name[64], struct stat* made)
{
    uint64_t number = 0;
    int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    bool drawn = source >= 0 && read(source, &number, sizeof number) == (ssize_t)sizeof number;
    if (source >= 0)
        close(source);
    if (!drawn)
        return false;
    snprintf(name, 64, ".animation.mp4.%ld.%" PRIu64 ".tmp", (long)getpid(), number);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool there = fd >= 0 && fstat(fd, made) == 0;
    if (fd >= 0)
        close(fd);
    return there;
}

// By ffmpeg, where it is, from inside the folder, so that its name is not taken for an option or a pattern. What takes the name of the
// video is the file that was made here, not something that was put in its place.
static bool draw_video(void)
{
    char name[64], call[320];
    struct stat made, now;
    if (!make_temporary(name, &made))
        return false;
    snprintf(call, sizeof call,
             "ffmpeg -nostdin -y -loglevel error -framerate 25 -i pictures/picture_%%06d.png -pix_fmt yuv420p -f mp4 %s > /dev/null 2>&1", name);
    bool drawn = system(call) == 0 && lstat(name, &now) == 0 && now.st_dev == made.st_dev && now.st_ino == made.st_ino && S_ISREG(now.st_mode) &&
                 rename(name, "animation.mp4") == 0;
    if (!drawn)
        unlink(name);
    return drawn;
}

// Without ffmpeg the pictures are there all the same.
static void animate(const common* co, const char* folder, const scree_run* run)
{
    if (!facts_of(run).animation)
        return;
    bool there = system("command -v ffmpeg > /dev/null 2>&1") == 0;
    int here = there ? open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool drawn = here >= 0 && chdir(folder) == 0 && draw_video();
    bool back = here < 0 || fchdir(here) == 0;
    if (here >= 0)
        close(here);
    if (co->quiet || (drawn && back))
        return;
    say("note: no animation: %s; the pictures are in %s/pictures\n", there ? "ffmpeg failed" : "ffmpeg is not installed", folder);
}

static void tell_bodies(scree_run* run)
{
    scree_polygon_sim* sim = scree_run_get_polygon_sim(run);
    scree_polygon_sim_numbers n = scree_polygon_sim_get_numbers(sim);
    say("%" PRId32 " bodies, %" PRId32 " of them fixed and %" PRId32 " discs, %" PRId64 " vertices, masses %.4g to %.4g; stiffness %.4g, restitution %.4g to %.4g\n",
        scree_polygon_sim_get_count(sim), n.fixed, n.discs, n.vertices, n.mass_min, n.mass_max, n.stiffness, n.restitution_min, n.restitution_max);
    say("time step %.4g: the shortest contact, of body %" PRId32 ", lasts %.4g, which is %.3g steps; steps %" PRId64 " to %" PRId64 "\n", n.time_step,
        n.shortest_contact[0], n.contact_duration, n.contact_duration / n.time_step, scree_polygon_sim_get_step(sim), scree_run_get_steps(run));
}

// The pairs of materials, `count` of them; NULL: none.
static scree_run_pair* get_pairs(const scree_run* run, int32_t* count)
{
    *count = scree_run_get_pairs(run, NULL, 0);
    scree_run_pair* pairs = *count > 0 ? scree_malloc((size_t)*count, sizeof *pairs) : NULL;
    *count = pairs != NULL ? scree_run_get_pairs(run, pairs, *count) : 0;
    return pairs;
}

void simulate_report_pairs(result* res, const scree_run* run)
{
    static const char* const names[] = {"first",            "second",            "young",             "shear",              "stiffness", "tangential_stiffness", "restitution", "friction",   "friction_dynamic", "contact_duration",
                                        "overlap_expected", "rolling_friction",  "rolling_stiffness", "twisting_friction",  "twisting_stiffness", "k2",          "kc",          "bridge_pull", "bridge_gap", NULL};
    int32_t count;
    scree_run_pair* pairs = get_pairs(run, &count);
    if (count > 0) {
        result_table_begin(res, "material_pairs", 2, names);
        result_only(res, RESULT_JSON);
    }
    for (int32_t p = 0; p < count; ++p) {
        const scree_run_pair* pair = &pairs[p];
        const char* const texts[] = {pair->names[0], pair->names[1]};
        const double numbers[] = {pair->young,            pair->shear,            pair->stiffness,         pair->tangential_stiffness, pair->restitution,        pair->friction,
                                  pair->friction_dynamic, pair->contact_duration, pair->overlap_expected,  pair->rolling_friction,     pair->rolling_stiffness,  pair->twisting_friction,
                                  pair->twisting_stiffness, pair->k2,             pair->kc,                pair->bridge_pull,          pair->bridge_gap};
        result_table_row(res, texts, numbers);
    }
    scree_free(pairs);
}

// Of notes and warnings, each on a line of its own.
void simulate_tell_lines(const char* before, const char* text)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        say("%s%.*s\n", before, length, text);
        text += length + (text[length] == '\n');
    }
}

// What each pair of materials comes to.
void simulate_tell_pairs(scree_run* run)
{
    int32_t count;
    scree_run_pair* pairs = get_pairs(run, &count);
    scree_sim_numbers n = scree_sim_get_numbers(scree_run_get_sim(run));
    for (int32_t p = 0; p < count; ++p) {
        const scree_run_pair* pair = &pairs[p];
        if (count == 1 && pair->young == 0.0 && pair->friction == 0.0 && pair->rolling_friction == 0.0 && pair->twisting_friction == 0.0 && pair->k2 == 0.0 && pair->bridge_gap == 0.0)
            break;  // the line before has said it
        char who[160] = "contacts", moduli[64] = "", tangential[64] = "", overlap[64] = "", more[384] = "";
        size_t used = 0;
        if (pair->names[0][0] != '\0')
            snprintf(who, sizeof who, "%s and %s", pair->names[0], pair->names[1]);
        if (pair->young > 0.0)
            snprintf(moduli, sizeof moduli, "E* %.4g, G* %.4g, ", pair->young, pair->shear);
        if (pair->friction > 0.0)
            snprintf(tangential, sizeof tangential, ", tangential %.4g", pair->tangential_stiffness);
        if (pair->overlap_expected > 0.0)
            snprintf(overlap, sizeof overlap, ", overlap %.3g %% of a radius", 100.0 * pair->overlap_expected);
        if (pair->k2 > 0.0)
            used += (size_t)snprintf(more + used, sizeof more - used, ", unloading up to %.4g, cohesion %.4g", pair->k2, pair->kc);
        if (pair->rolling_friction > 0.0)
            used += (size_t)snprintf(more + used, sizeof more - used, ", rolling friction %.4g (stiffness %.4g)", pair->rolling_friction, pair->rolling_stiffness);
        if (pair->twisting_friction > 0.0)
            used += (size_t)snprintf(more + used, sizeof more - used, ", twisting friction %.4g (stiffness %.4g)", pair->twisting_friction, pair->twisting_stiffness);
        if (pair->bridge_gap > 0.0)
            used += (size_t)snprintf(more + used, sizeof more - used, ", bridges pull with %.4g and break at a gap of %.4g", pair->bridge_pull, pair->bridge_gap);
        say("%s: %sstiffness %.4g%s, restitution %.4g, friction %.4g, contact duration %.4g (%.3g steps)%s%s\n", who, moduli, pair->stiffness, tangential, pair->restitution,
            pair->friction, pair->contact_duration, pair->contact_duration / n.time_step, overlap, more);
    }
    if (n.rayleigh_time > 0.0)
        say("Rayleigh time %.4g; the time step is %.3g %% of it\n", n.rayleigh_time, 100.0 * n.time_step / n.rayleigh_time);
    scree_free(pairs);
}

// The step follows from the shortest contact, unless something else asks for a shorter one.
static void tell_limit(const scree_sim_numbers* n)
{
    char who[96];
    if (n->longest_time_step_by == SCREE_SIM_LIMIT_CONTACT || n->longest_time_step_by == SCREE_SIM_LIMIT_RAYLEIGH)
        return;
    if (n->longest_time_step_of[0] < -1 || n->longest_time_step_of[1] < -1)
        snprintf(who, sizeof who, "spheres that come later");
    else if (n->longest_time_step_of[1] >= 0)
        snprintf(who, sizeof who, "sphere %" PRId64 " and sphere %" PRId64, n->longest_time_step_of[0], n->longest_time_step_of[1]);
    else
        snprintf(who, sizeof who, "sphere %" PRId64 " and a wall", n->longest_time_step_of[0]);
    say("the longest time step is %.4g, for the %s spring and dashpot of %s\n", n->longest_time_step, scree_sim_limit_name(n->longest_time_step_by), who);
}

// Before the first step, for people: what the scene leads to.
static void tell_beginning(const common* co, scree_run* run)
{
    scree_scene_facts scene = facts_of(run);
    if (co->quiet || co->json)
        return;
    if (scene.start_run != NULL && scree_sim_get_step(scree_run_get_sim(run)) == 0)
        say("starts from step %" PRId64 " of the run %s\n", scene.start_step, scene.start_run);
    if (scree_run_get_polygon_sim(run) != NULL) {
        tell_bodies(run);
        return;
    }
    scree_sim_numbers n = scree_sim_get_numbers(scree_run_get_sim(run));
    char shortest[96] = "no sphere moves; a contact";
    if (n.shortest_contact[0] < -1 || n.shortest_contact[1] < -1)
        snprintf(shortest, sizeof shortest, "the shortest contact, of spheres that come later,");
    else if (n.shortest_contact[0] >= 0 && n.shortest_contact[1] >= 0)
        snprintf(shortest, sizeof shortest, "the shortest contact, of sphere %" PRId64 " and sphere %" PRId64 ",", n.shortest_contact[0], n.shortest_contact[1]);
    else if (n.shortest_contact[0] >= 0)
        snprintf(shortest, sizeof shortest, "the shortest contact, of sphere %" PRId64 " and a wall,", n.shortest_contact[0]);
    say("%" PRId32 " spheres, radii %.4g to %.4g, masses %.4g to %.4g; stiffness %.4g, restitution %.4g to %.4g\n",
        scree_sim_get_count(scree_run_get_sim(run)), n.radius_min, n.radius_max, n.mass_min, n.mass_max, n.stiffness, n.restitution_min,
        n.restitution_max);
    say("time step %.4g: %s lasts %.4g, which is %.3g steps; steps %" PRId64 " to %" PRId64 "\n", n.time_step, shortest, n.contact_duration,
        n.contact_duration / n.time_step, scree_sim_get_step(scree_run_get_sim(run)), scree_run_get_steps(run));
    tell_limit(&n);
    simulate_tell_pairs(run);
}

void simulate_tell_device(const common* co, scree_run* run, int32_t asked)
{
    const scree_sim* sim = scree_run_get_sim(run);
    if (co->quiet || asked == SCREE_DEVICE_NONE)
        return;
    simulate_wipe();
    if (sim == NULL || scree_sim_get_device(sim) == SCREE_DEVICE_NONE) {
        say("device %s: the processor, since %s\n", scree_device_name(asked), sim != NULL ? scree_sim_get_device_note(sim) : "devices do not do the steps of bodies");
        return;
    }
    double bytes = (double)scree_sim_get_device_bytes(sim);
    say("device %s: %s, about %.3g %s\n", scree_device_name(scree_sim_get_device(sim)), scree_sim_get_device_note(sim), bytes >= 1e9 ? 1e-9 * bytes : 1e-6 * bytes, bytes >= 1e9 ? "GB" : "MB");
}

// Whether the folder has the checkpoint that was written last.
static bool is_kept(const scree_run* run)
{
    char path[4096];
    scree_run_facts facts;
    return scree_run_get_facts(run, &facts) == SCREE_OK &&
           snprintf(path, sizeof path, "%s/checkpoint_%012" PRId64 ".npz", facts.folder, facts.checkpoints[0]) < (int)sizeof path && access(path, F_OK) == 0;
}

// The page about the run. A run without it is complete, but not all that was asked for is there. `ended`: how the run did.
static exit_code leave_report(const arguments* args, scree_run* run, scree_status ended, exit_code code)
{
    if (scree_run_write_report(run) == SCREE_OK)
        return code;
    say("scree %s: cannot write report.html: %s. %s\n", args->what->name, scree_error_message(),
        !is_kept(run)                  ? "The last checkpoint is not there: the folder was removed or changed while the run was going on"
        : ended == SCREE_OK              ? "All other output is complete; 'scree resume' writes the report again"
        : ended == SCREE_ERR_CANCELLED ? "All other output up to this step is complete; 'scree resume' continues the run"
                                       : "'scree resume' continues the run from its last checkpoint");
    return code == EXIT_DONE ? EXIT_FAILED : code;
}

// For people, after all else: where the results are, what it took, and what may come next.
static void tell_end(const common* co, const char* folder, const scree_run* run)
{
    scree_run_facts facts;
    if (co->quiet || co->json || scree_run_get_facts(run, &facts) != SCREE_OK)
        return;
    say("%s: %" PRId64 " frames, log.csv and report.html; %" PRId64 " steps to time %g in %.3g s\n", folder, facts.frames, facts.step, facts.time, scree_run_get_seconds(run));
    say("next: scree view %s; scree film %s -o film.png; scree measure %s; scree resume %s --until %.4g\n", folder, folder, folder, folder, 2.0 * facts.time);
}

exit_code simulate_go(const arguments* args, const common* co, const char* folder, int32_t device, scree_run* run)
{
    run_hears(false);
    tell_beginning(co, run);
    simulate_tell_device(co, run, device);
    if (!co->quiet)
        simulate_tell_lines("", scree_run_get_note(run));
    scree_status status = scree_run_go(run);
    simulate_wipe();
    if (!co->quiet)
        simulate_tell_lines("warning: ", scree_run_get_warning(run));
    if (status == SCREE_OK)
        status = show_result(co, run);
    exit_code code = EXIT_DONE;
    if (status == SCREE_OK)
        animate(co, folder, run);
    else
        code = status == SCREE_ERR_CANCELLED ? run_stopped(args) : run_failed(args, status);
    code = leave_report(args, run, status, code);
    if (code == EXIT_DONE)
        tell_end(co, folder, run);
    scree_run_destroy(run);
    return code;
}

const left_file simulate_leaves[] = {
    {"FOLDER/scene.yaml", "the scene with all defaults; it can be run again"},
    {"FOLDER/log.csv", "energies, momentum, contacts, work, stress and forces on walls over time"},
    {"FOLDER/report.html", "a page about the run: curves, numbers, the scene and a picture"},
    {"FOLDER/frames/", "the bodies at the times set in the scene; frames.pvd lists them for ParaView"},
    {"FOLDER/contacts/", "with output.contacts, the contacts of each frame; contacts.pvd lists them for ParaView"},
    {"FOLDER/checkpoint_STEP.npz", "the last two states, from which 'scree resume' continues"},
    {0},
};
