// scree plan: how several processes would share a scene. A run is begun with as many virtual ranks in this process (scree_par_create_virtual), by the functions that begin it in processes; after its first step the ranks are counted.
#include "commands.h"
#include "file_names.h"
#include "simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { plans_most = 16, costs_steps = 20 };  // the second: steps that are measured even if a scene has fewer

// Of a network and an MPI as clusters have them; --latency and --bandwidth give others.
static const double usual_latency = 2e-6, usual_bandwidth = 1e10;

// A list of processes takes longer than that of one: spheres that change owners, ghosts, several messages. By two processes (docs/processes.md).
static const double list_factor = 1.7;

// Seconds of a step of one process with one thread: for each sphere, for each candidate, and for lists. As measured (scree_sim_find_costs), unless they are given.
typedef struct model {
    double sphere, candidate, lists;
    double n;          // spheres
    double latency, bandwidth;
} model;

static double work_of(const model* m, const scree_sim_share* share)
{
    return m->sphere * (double)share->own + m->candidate * (double)share->candidates;
}

static double step_alone(const model* m, const scree_sim_plan* plan)
{
    return work_of(m, &plan->sum) + m->lists;
}

// The rank that has most work, its share of the lists, one message to each peer, and two sums over all ranks.
static double step_of(const model* m, const scree_sim_plan* plan)
{
    double depth = ceil(log2((double)plan->ranks)), share = m->n > 0.0 ? (double)plan->most.own / m->n : 0.0;
    if (plan->ranks == 1)
        return step_alone(m, plan);
    return work_of(m, &plan->most) + list_factor * m->lists * share + (double)plan->most.peers * m->latency + (double)plan->most.sent / m->bandwidth + 2.0 * depth * m->latency;
}

// Of what process 0 has while a frame is written: all its columns, of at most as many spheres as a piece of it has, and the radii of all.
static double frame_bytes(scree_run* trial)
{
    enum { piece_most = 10000000 };
    const scree_sphere_set* set;
    if (scree_run_get_spheres(trial, &set) != SCREE_OK)
        return 0.0;
    int32_t numbers = set->dim;
    for (int32_t c = 0; c < set->column_count; ++c)
        numbers += set->columns[c].components;
    return 8.0 * ((double)numbers * (set->count < piece_most ? set->count : piece_most) + set->count);
}

enum { picture_width = 960, picture_height = 720, picture_bytes = 4 * picture_width * picture_height };  // of the picture of a report

// As run_report.c draws it; larger sets have none. *drawn: whether it was.
static scree_status draw_picture(scree_run* trial, bool* drawn)
{
    enum { picture_most = 10000000 };
    const scree_sphere_set* set;
    scree_picture_def look = scree_default_picture_def();
    look.width = picture_width;
    look.height = picture_height;
    look.threads = 1;
    *drawn = scree_sim_get_count(scree_run_get_sim(trial)) <= picture_most;
    if (!*drawn)
        return SCREE_OK;
    uint8_t* rgba = malloc(picture_bytes);
    scree_status status = rgba == NULL ? SCREE_ERR_MEMORY : scree_run_get_spheres(trial, &set);
    if (status == SCREE_OK)
        status = scree_picture_render(set, &look, rgba);
    free(rgba);
    return status;
}

// The system, and what it takes in one process.
typedef struct planned {
    int64_t n;
    int32_t dim;
    double step;       // seconds
    double error;      // of the fitted times, relative
    double frame;      // bytes
    double report;     // bytes of process 0 while the picture of the report is drawn, beside what it has in steps
    model model;
} planned;

// What each process has: means, least and most.
enum { OWN, GHOSTS, PEERS, SENT, BYTES, number_count };
static const char* const number_names[number_count][3] = {
    [OWN] = {"own", "own_min", "own_max"},       [GHOSTS] = {"ghosts", "ghosts_min", "ghosts_max"}, [PEERS] = {"peers", "peers_min", "peers_max"},
    [SENT] = {"sent", "sent_min", "sent_max"},   [BYTES] = {"bytes", "bytes_min", "bytes_max"},
};

typedef struct plan_rows {
    int count;                // of plans
    int64_t ranks[plans_most], least[number_count][plans_most], most[number_count][plans_most];
    double mean[number_count][plans_most], imbalance[plans_most], step[plans_most], faster[plans_most], steps[plans_most], all[plans_most], first[plans_most], frame[plans_most], report[plans_most];
} plan_rows;

static void fill_rows(const planned* of, const scree_sim_plan* plans, int count, plan_rows* out)
{
    out->count = count;
    for (int p = 0; p < count; ++p) {
        const scree_sim_plan* plan = &plans[p];
        const scree_sim_share *sum = &plan->sum, *top = &plan->most, *low = &plan->least;
        const int64_t sums[number_count] = {sum->own, sum->ghosts, sum->peers, sum->sent, sum->bytes}, tops[number_count] = {top->own, top->ghosts, top->peers, top->sent, top->bytes};
        const int64_t lows[number_count] = {low->own, low->ghosts, low->peers, low->sent, low->bytes};
        out->ranks[p] = plan->ranks;
        double others = plan->ranks > 1 ? (double)plan->ranks - 1.0 : 1.0;
        for (int k = 0; k < number_count; ++k) {
            out->mean[k][p] = (double)sums[k] / (k == BYTES ? others : (double)plan->ranks);
            out->most[k][p] = tops[k];
            out->least[k][p] = lows[k];
        }
        out->imbalance[p] = sum->work > 0 ? (double)top->work * (double)plan->ranks / (double)sum->work : 1.0;
        out->step[p] = step_of(&of->model, plan);
        out->faster[p] = out->step[p] > 0.0 ? step_alone(&of->model, plan) / out->step[p] : 0.0;
        out->steps[p] = (double)plan->held / others;
        out->first[p] = (double)plan->first;
        out->all[p] = plan->ranks > 1 ? (double)(sum->bytes + plan->first) : (double)plan->first;
        out->frame[p] = (double)plan->held_first + of->frame;
        out->report[p] = (double)plan->held_first + of->report;
    }
}

// One row for each number of processes: all columns, for JSON and CSV.
static void add_columns(result* res, const plan_rows* rows)
{
    result_column columns[3 * number_count + 9] = {{.name = "ranks", .integers = rows->ranks}};
    int c = 1;
    for (int k = 0; k < number_count; ++k) {
        columns[c++] = (result_column){.name = number_names[k][0], .values = rows->mean[k]};
        columns[c++] = (result_column){.name = number_names[k][1], .integers = rows->least[k]};
        columns[c++] = (result_column){.name = number_names[k][2], .integers = rows->most[k]};
    }
    columns[c++] = (result_column){.name = "bytes_steps", .values = rows->steps};
    columns[c++] = (result_column){.name = "bytes_first", .values = rows->first};
    columns[c++] = (result_column){.name = "bytes_frame", .values = rows->frame};
    columns[c++] = (result_column){.name = "bytes_report", .values = rows->report};
    columns[c++] = (result_column){.name = "bytes_all", .values = rows->all};
    columns[c++] = (result_column){.name = "imbalance", .values = rows->imbalance};
    columns[c++] = (result_column){.name = "seconds_model", .values = rows->step};
    columns[c++] = (result_column){.name = "speedup_model", .values = rows->faster};
    result_table(res, "plan", "", c, columns, rows->count);
    result_only(res, RESULT_JSON | RESULT_CSV);
}

// The same for a terminal: what each process has as rows of mean, least and most, then what there is once.
static void add_text(result* res, const plan_rows* rows)
{
    enum { rows_most = number_count * plans_most };
    int64_t ranks[rows_most], least[rows_most], most[rows_most];
    double mean[rows_most];
    const char* names[rows_most];
    int n = 0;
    for (int k = 0; k < number_count; ++k)
        for (int p = 0; p < rows->count; ++p, ++n) {
            names[n] = number_names[k][0];
            ranks[n] = rows->ranks[p];
            mean[n] = rows->mean[k][p];
            least[n] = rows->least[k][p];
            most[n] = rows->most[k][p];
        }
    const result_column each[] = {{.name = "quantity", .texts = names}, {.name = "ranks", .integers = ranks}, {.name = "mean", .values = mean}, {.name = "least", .integers = least}, {.name = "most", .integers = most}};
    result_table(res, "plan", "Per process: spheres, copies, messages and bytes of a step, most memory (without process 0)", (int)(sizeof each / sizeof *each), each, n);
    result_only(res, RESULT_TEXT);
    const result_column memory[] = {{.name = "ranks", .integers = rows->ranks}, {.name = "bytes_steps", .values = rows->steps}, {.name = "bytes_first", .values = rows->first},
                                    {.name = "bytes_frame", .values = rows->frame}, {.name = "bytes_report", .values = rows->report}, {.name = "bytes_all", .values = rows->all}};
    result_table(res, "plan", "Memory: of a process in steps; of process 0 at the start, with a frame, with the report; of all", (int)(sizeof memory / sizeof *memory), memory, rows->count);
    result_only(res, RESULT_TEXT);
    const result_column time[] = {{.name = "ranks", .integers = rows->ranks}, {.name = "imbalance", .values = rows->imbalance}, {.name = "seconds_model", .values = rows->step}, {.name = "speedup_model", .values = rows->faster}};
    result_table(res, "plan", "Time of a step, an estimate", (int)(sizeof time / sizeof *time), time, rows->count);
    result_only(res, RESULT_TEXT);
}

static void tell(const common* co, const planned* of, const scree_sim_plan* plans, int count)
{
    plan_rows rows;
    fill_rows(of, plans, count, &rows);
    result res = result_begin("plan");
    result_integer(&res, "n", of->n);
    result_integer(&res, "dim", of->dim);
    result_number(&res, "seconds_step", of->step);
    result_number(&res, "seconds_sphere", of->model.sphere);
    result_number(&res, "seconds_candidate", of->model.candidate);
    result_number(&res, "seconds_lists", of->model.lists);
    result_number(&res, "fit_error", of->error);
    result_number(&res, "latency", of->model.latency);
    result_number(&res, "bandwidth", of->model.bandwidth);
    add_columns(&res, &rows);
    add_text(&res, &rows);
    result_print(&res, co->json);
    result_free(&res);
}

// In one process: how long a step takes, and why. What is given is not replaced.
static scree_status plan_alone(const scree_scene* scene, const scree_run_def* def, planned* out)
{
    scree_run* trial;
    scree_sim_costs costs = {0};
    scree_status status = scree_run_create(def, scene, NULL, &trial);
    if (status != SCREE_OK)
        return status;
    scree_sim* sim = scree_run_get_sim(trial);
    model* m = &out->model;
    if (sim == NULL)
        status = scree_fail(SCREE_ERR_UNSUPPORTED, "polygons are simulated by one process; expected a scene with spheres");
    if (status == SCREE_OK) {
        out->n = scree_sim_get_count(sim);
        out->dim = scree_sim_get_box(sim).dim;
        out->frame = frame_bytes(trial);
        int64_t steps = scree_run_get_steps(trial);
        status = scree_sim_find_costs(sim, steps > costs_steps ? steps : costs_steps, &costs);
    }
    m->n = (double)out->n;
    m->sphere = m->sphere > 0.0 ? m->sphere : costs.seconds_sphere;
    m->candidate = m->candidate > 0.0 ? m->candidate : costs.seconds_candidate;
    m->lists = costs.seconds_lists;
    out->step = costs.seconds_step;
    out->error = costs.error;
    scree_run_destroy(trial);
    return status;
}

// By so many ranks: as a run begins, to its first step. report: not NULL, the memory of the picture of its report, which does not depend on their number.
static scree_status plan_ranks(const scree_scene* scene, const scree_run_def* def, int32_t ranks, scree_sim_plan* out, double* report)
{
    scree_sim_plan after;
    bool drawn = false;
    scree_par* par;
    scree_run* trial = NULL;
    scree_status status = scree_par_create_virtual(ranks, &par);
    if (status != SCREE_OK)
        return status;
    status = scree_par_share(par);
    if (status == SCREE_OK)
        status = scree_run_create(def, scene, NULL, &trial);
    if (status == SCREE_OK)
        status = scree_sim_run(scree_run_get_sim(trial), 1);
    if (status == SCREE_OK)
        status = scree_sim_get_shares(scree_run_get_sim(trial), out);
    if (status == SCREE_OK && report != NULL)
        status = draw_picture(trial, &drawn);
    if (status == SCREE_OK && drawn)
        status = scree_sim_get_shares(scree_run_get_sim(trial), &after);
    if (status == SCREE_OK && report != NULL)
        *report = drawn ? (double)(after.first - out->held_first + picture_bytes) : 0.0;
    scree_run_destroy(trial);
    scree_par_destroy(par);
    return status;
}

// Spheres are placed twice, however many plans there are: for the largest number of ranks, where process 0 has least beside the spheres that it places, so that its memory while it places them is known; and once for all other trials.
static scree_status plan_scene(const common* co, const scree_scene* scene, const scree_run_def* given, const model* m, const double* ranks, int count)
{
    scree_sim_plan plans[plans_most], placing;
    scree_sphere_set placed = {0};
    scree_run_def def = *given;
    planned of = {.model = *m};
    int most = 0, least = 0;
    for (int p = 1; p < count; ++p) {
        most = ranks[p] > ranks[most] ? p : most;
        least = ranks[p] < ranks[least] ? p : least;  // with few ranks in this process hardly anything but the picture counts
    }
    scree_status status = plan_ranks(scene, given, (int32_t)ranks[most], &placing, least == most ? &of.report : NULL);
    def.placed = &placed;
    if (status == SCREE_OK)
        status = plan_alone(scene, &def, &of);
    for (int p = 0; p < count && status == SCREE_OK; ++p) {
        if (p == most) {
            plans[p] = placing;
            continue;
        }
        status = plan_ranks(scene, &def, (int32_t)ranks[p], &plans[p], p == least ? &of.report : NULL);
        plans[p].first = plans[p].first > placing.first ? plans[p].first : placing.first;
    }
    scree_sphere_set_free(&placed);
    simulate_wipe();
    if (status == SCREE_OK)
        tell(co, &of, plans, count);
    return status;
}

static exit_code run(const arguments* args)
{
    common co;
    double ranks[plans_most];
    int count = 0;
    model m = {.latency = usual_latency, .bandwidth = usual_bandwidth};
    if (!common_options_of(args, &co) || !option_numbers(args, "ranks", plans_most, ranks, &count) || !option_number(args, "latency", &m.latency) || !option_number(args, "bandwidth", &m.bandwidth) ||
        !option_number(args, "sphere-time", &m.sphere) || !option_number(args, "candidate-time", &m.candidate))
        return EXIT_USAGE;
    if (count == 0) {
        say("scree plan: --ranks is missing: scree plan %s --ranks 8,64,512\n", args->files[0]);
        return EXIT_USAGE;
    }
    for (int p = 0; p < count; ++p)
        if (!(ranks[p] >= 1.0 && ranks[p] <= SCREE_SIM_RANKS_MOST) || ranks[p] != floor(ranks[p])) {
            say("scree plan: --ranks expects whole numbers from 1 to %d, got %g in '%s'\n", SCREE_SIM_RANKS_MOST, ranks[p], option_text(args, "ranks"));
            return EXIT_USAGE;
        }
    if (!(m.sphere >= 0.0) || !(m.candidate >= 0.0)) {
        say("scree plan: --sphere-time and --candidate-time expect seconds of 0 or more, got %g and %g\n", m.sphere, m.candidate);
        return EXIT_USAGE;
    }
    if (!(m.latency >= 0.0) || !(m.bandwidth > 0.0)) {
        say("scree plan: --latency expects 0 or more seconds and --bandwidth more than 0 bytes per second, got %g and %g\n", m.latency, m.bandwidth);
        return EXIT_USAGE;
    }
    exit_code code = file_names_check(args, &co);
    if (code != EXIT_DONE)
        return code;
    scree_scene* scene;
    scree_status status = simulate_read_scene(args, &co, &scene);
    if (status != SCREE_OK)
        return run_failed(args, status);
    co.threads = 1;  // the model is of ranks with one thread each
    scree_run_def def = simulate_def(&co, -1, SCREE_DEVICE_NONE, false, false);
    status = plan_scene(&co, scene, &def, &m, ranks, count);
    simulate_wipe();
    scree_scene_destroy(scene);
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}

static const option options[] = {
    {"ranks", 0, "N,N,...", "numbers of processes, up to 16 values"},
    {"sphere-time", 0, "S", "seconds that a step takes for each sphere, for the model (default: measured; scree bench step has it too)"},
    {"candidate-time", 0, "S", "the same for each candidate pair (default: measured)"},
    {"latency", 0, "S", "latency of a message in seconds, for the model (default 2e-6)"},
    SET_OPTION,
    {"bandwidth", 0, "B", "bandwidth of a process in bytes per second, for the model (default 1e10)"},
    {0},
};

static const file_use uses[] = {{READS_FILE, NULL, NULL}, {0}};

static const rejected_option rejected[] = {
    {"out", "the result is printed; --json prints it as JSON"},
    {"format", "a plan writes no spheres"},
    {"check", "this is an option of scree run"},
    {"threads", "the plan is for processes with one thread each"},
    {0},
};

const command cmd_plan = {
    .name = "plan",
    .usage = "SCENE.yaml --ranks N,N,...",
    .about = "estimates how processes would share a scene: spheres, ghosts, messages, memory, time",
    .details = "A run is begun with that many ranks within this process, by the functions that begin it in processes, and its ranks are counted after the first step: own spheres, ghosts, peers, bytes sent per "
               "step and bytes of memory equal the counts of a run with that many processes of one thread each. The time of a step is an estimate: spheres and candidates of the "
               "process with the most of them, by times for each that are fitted to steps of one thread with lists of three skins, its share of the lists, and its messages by "
               "--latency and --bandwidth. The command needs the memory of all parts together (docs/processes.md).",
    .example = "  scree plan examples/drop.yaml --ranks 2,4,8",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .repeated = simulate_repeated,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
