// One simulation moves the spheres; the methods are given the same positions and find the contacts, in turns. Verlet lists as in the paper: radius five
// times the largest, rebuilt every 100 searches; linked cells: the paper's cells, sorted at each search; linked linear list: follows the motion. Beside
// them the hierarchical grid, mapped at each search. `auto` is not among them: it keeps lists for much longer than a window (bench methods has it).
//
// A run of the paper has 1e5 steps and more. To search them all with all methods would take an hour, so windows of 100 consecutive steps stand for them. One
// Verlet list lasts as long as a window, and is counted with it. The linked linear list is brought up to the step before a window without being counted.
#include "muth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char* const muth_names[MUTH_WAYS] = {"verlet-list", "linked-cells", "linear-list", "hierarchical-grid"};

static const int32_t methods[MUTH_WAYS] = {SCREE_METHOD_VERLET_LIST, SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_LINEAR_LIST, SCREE_METHOD_HIERARCHICAL_GRID};

// ---- Systems ---------------------------------------------------------------------------------------------------------

scree_status muth_make(const char* text, double cell, const bench_options* co, muth_system* out)
{
    *out = (muth_system){.cell = cell};
    scree_scene* scene;
    scree_scene_facts facts;
    scree_scene_setup* setup = NULL;
    scree_status status = scree_scene_parse("bench", text, strlen(text), &scene);
    if (status == SCREE_OK)
        status = scree_scene_set_seed(scene, co->seed);
    if (status == SCREE_OK)
        status = scree_scene_set_threads(scene, co->threads);
    if (status == SCREE_OK)
        status = scree_scene_get_facts(scene, &facts);
    if (status == SCREE_OK) {
        status = scree_scene_make_spheres(scene, bench_watch(facts.grows ? "growing the discs" : "placing the spheres"), &out->set);
        bench_watch_end();
    }
    if (status == SCREE_OK)
        status = scree_scene_setup_create(scene, &out->set, &setup);
    if (status == SCREE_OK) {
        out->sim = *scree_scene_setup_get_def(setup);
        out->sim.search = NULL;  // the scene's own are freed with it; the usual search and law are meant
        out->sim.law = NULL;
    }
    scree_scene_setup_destroy(setup);
    scree_scene_destroy(scene);
    return status;
}

void muth_free(muth_system* system)
{
    scree_sphere_set_free(&system->set);
}

// ---- Watching one system ---------------------------------------------------------------------------------------------

typedef struct watcher {
    const muth_plan* plan;
    const bench_options* co;
    muth_system* system;
    muth_found* found;
    scree_index* way[MUTH_WAYS];
    scree_index* stride[muth_most_strides];
    double* before[muth_most_strides];  // positions at the search before
    double* v;
    double radius;                      // mean
    double seconds[MUTH_WAYS][muth_most_windows];
    int64_t contacts, searches;
} watcher;

static scree_status open_index(const watcher* w, muth_way way, scree_index** out)
{
    const muth_system* system = w->system;
    scree_index_def def = scree_default_index_def();
    def.method = methods[way];
    def.box = system->set.box;
    def.threads = w->co->threads > 0 ? w->co->threads : 1;
    def.skin = way == MUTH_VERLET ? 0.0 : -1.0;
    if (way == MUTH_VERLET) {
        double r_max = 0.0;
        for (int64_t i = 0; i < system->set.count; ++i)
            r_max = fmax(r_max, system->set.r[i]);
        def.verlet_radius = 5.0 * r_max;
        def.rebuild_every = muth_window;
    }
    if (way == MUTH_CELLS)
        def.cell_size = system->cell;
    return scree_index_create(&def, out);
}

static scree_status search(watcher* w, scree_index* index, int64_t* contacts, double* seconds)
{
    int32_t threads = w->co->threads > 0 ? w->co->threads : 1;
    scree_pairs pairs = {0};
    double begin = bench_timer(threads);
    scree_status status = scree_index_update(index, scree_sphere_set_view(&w->system->set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    *seconds = bench_timer(threads) - begin;
    *contacts = pairs.count;
    return status;
}

// What the last search of an index has done; `sorts` is how often it had sorted from scratch before.
static void count_work(const watcher* w, muth_way way, const scree_index* index, int64_t sorts, muth_cost* cost)
{
    scree_index_stats s = scree_index_get_stats(index);
    double n = (double)w->system->set.count, ends = way == MUTH_LIST ? 2.0 * w->system->set.dim : 0.0;
    cost->work += (double)(s.tests + s.box_tests + s.cells + s.swaps) / n + ends;
    cost->tests += (double)s.tests / n;
    cost->swaps += (double)s.swaps / n;
    cost->sorts += s.sorts - sorts;
    ++cost->searches;
}

// All methods, beginning with another one each time.
static scree_status search_window(watcher* w, int window, int64_t step_of_window)
{
    scree_status status = SCREE_OK;
    for (int turn = 0; turn < MUTH_WAYS && status == SCREE_OK; ++turn) {
        muth_way way = (muth_way)((turn + step_of_window) % MUTH_WAYS);
        if (way < w->plan->first)
            continue;
        int64_t contacts, sorts = scree_index_get_stats(w->way[way]).sorts;
        double seconds;
        status = search(w, w->way[way], &contacts, &seconds);
        w->seconds[way][window] += seconds / muth_window / (double)w->system->set.count;
        count_work(w, way, w->way[way], sorts, &w->found->way[way]);
        if (way == MUTH_LIST) {
            w->contacts += contacts;
            ++w->searches;
        }
    }
    return status;
}

// Root mean square along an axis of `d`, or of d - from, about its mean.
static double spread_of(const scree_sphere_set* set, const double* d, const double* from)
{
    double sum = 0.0, n = (double)set->count;
    for (int k = 0; k < set->dim; ++k) {
        double first = 0.0, square = 0.0;
        for (int64_t e = k; e < set->count * set->dim; e += set->dim) {
            double one = from != NULL ? d[e] - from[e] : d[e];
            first += one;
            square += one * one;
        }
        sum += square / n - first / n * (first / n);
    }
    return sqrt(fmax(sum, 0.0) / set->dim);
}

static scree_status search_stride(watcher* w, int k)
{
    const scree_sphere_set* set = &w->system->set;
    muth_cost* cost = &w->found->stride[k];
    int64_t contacts, sorts = scree_index_get_stats(w->stride[k]).sorts;
    double seconds;
    bool first = w->before[k] == NULL;
    if (first)
        w->before[k] = scree_malloc((size_t)set->count * (size_t)set->dim, sizeof *w->before[k]);
    scree_status status = w->before[k] == NULL ? SCREE_ERR_MEMORY : search(w, w->stride[k], &contacts, &seconds);
    if (status == SCREE_OK && !first) {
        cost->seconds += seconds / (double)set->count;
        double path = spread_of(set, set->x, w->before[k]) / w->radius;
        cost->path += path * path;
        count_work(w, MUTH_LIST, w->stride[k], sorts, cost);
    }
    if (status == SCREE_OK)
        memcpy(w->before[k], set->x, (size_t)set->count * (size_t)set->dim * sizeof *set->x);
    return status;
}

// The step with which window number `window` ends.
static int64_t window_end(const muth_plan* plan, int window)
{
    return plan->before + (plan->steps - plan->before) * (window + 1) / plan->windows;
}

// Searches that are due at `step`; window: the one that has not ended yet.
static scree_status attend(watcher* w, scree_sim* sim, int64_t step, int window)
{
    const muth_plan* plan = w->plan;
    muth_found* found = w->found;
    scree_status status = scree_sim_get_column(sim, "x", w->system->set.x);
    if (status == SCREE_OK)
        status = scree_sim_get_column(sim, "v", w->v);
    for (int k = 0; k < plan->stride_count && status == SCREE_OK; ++k)
        if (step % plan->stride[k] == 0)
            status = search_stride(w, k);
    int64_t of_window = step - (window_end(plan, window) - muth_window) - 1;  // 0 .. 99
    if (status == SCREE_OK && of_window == -1) {
        int64_t contacts;
        double seconds;
        status = search(w, w->way[MUTH_LIST], &contacts, &seconds);
    }
    if (status == SCREE_OK && of_window >= 0)
        status = search_window(w, window, of_window);
    if (status == SCREE_OK && of_window == muth_window - 1) {
        double path = spread_of(&w->system->set, w->v, NULL) * scree_sim_get_numbers(sim).time_step / w->radius;
        found->path += path * path / plan->windows;
        found->hash = scree_sim_hash(sim);
    }
    return status;
}

static int64_t next_step(const muth_plan* plan, int64_t step, int window)
{
    int64_t start = window_end(plan, window) - muth_window;  // where the linked linear list is brought up to date
    if (step >= start)
        return step + 1;
    int64_t next = start;
    for (int k = 0; k < plan->stride_count; ++k) {
        int64_t due = (step / plan->stride[k] + 1) * plan->stride[k];
        next = due < next ? due : next;
    }
    return next;
}

static scree_status go(watcher* w, scree_sim* sim)
{
    const muth_plan* plan = w->plan;
    scree_watch watch = bench_watch(plan->name);
    scree_status status = SCREE_OK;
    for (int64_t step = 0, window = 0; status == SCREE_OK;) {
        status = attend(w, sim, step, (int)window);
        window += step == window_end(plan, (int)window);
        if (status != SCREE_OK || window == plan->windows)
            break;
        if (watch.tick != NULL && !watch.tick(watch.context, (double)step / (double)plan->steps))
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        int64_t next = next_step(plan, step, (int)window);
        if (status == SCREE_OK)
            status = scree_sim_run(sim, next - step);
        step = next;
    }
    bench_watch_end();
    return status;
}

static void finish_cost(muth_cost* cost, bool strides)
{
    double searches = cost->searches > 0 ? (double)cost->searches : 1.0;
    cost->work /= searches;
    cost->tests /= searches;
    cost->swaps /= searches;
    cost->path = sqrt(cost->path / searches);
    if (strides)
        cost->seconds /= searches;
}

static void finish(watcher* w)
{
    muth_found* found = w->found;
    const scree_sphere_set* set = &w->system->set;
    for (int way = (int)w->plan->first; way < MUTH_WAYS; ++way) {
        muth_cost* cost = &found->way[way];
        finish_cost(cost, false);
        bench_quartiles seconds = bench_spread(w->seconds[way], w->plan->windows);
        cost->seconds = seconds.median;
        cost->seconds_low = seconds.low;
        cost->seconds_high = seconds.high;
    }
    for (int k = 0; k < w->plan->stride_count; ++k)
        finish_cost(&found->stride[k], true);
    found->count = (double)set->count;
    found->path = sqrt(found->path);
    found->way[MUTH_LIST].path = found->path;
    found->swaps = found->way[MUTH_LIST].swaps * (double)set->count;
    found->contacts = (double)w->contacts / (double)w->searches;
    found->density = scree_spheres_volume(scree_sphere_set_view(set)) / scree_box_volume(&set->box);
}

scree_status muth_watch(const muth_plan* plan, muth_system* system, const bench_options* co, muth_found* out)
{
    watcher w = {.plan = plan, .co = co, .system = system, .found = out};
    scree_sphere_set* set = &system->set;
    *out = (muth_found){0};
    for (int64_t i = 0; i < set->count; ++i)
        w.radius += set->r[i] / (double)set->count;
    const scree_column* velocity = scree_sphere_set_find(set, "velocity");
    scree_sim_def def = system->sim;
    def.threads = co->threads;
    scree_sim* sim = NULL;
    w.v = scree_malloc((size_t)set->count * (size_t)set->dim, sizeof *w.v);
    scree_status status = w.v == NULL ? SCREE_ERR_MEMORY : scree_sim_create(&def, scree_sphere_set_view(set), velocity->values, &sim);
    for (int way = (int)plan->first; way < MUTH_WAYS && status == SCREE_OK; ++way)
        status = open_index(&w, (muth_way)way, &w.way[way]);
    for (int k = 0; k < plan->stride_count && status == SCREE_OK; ++k)
        status = open_index(&w, MUTH_LIST, &w.stride[k]);
    if (status == SCREE_OK)
        status = go(&w, sim);
    if (status == SCREE_OK)
        finish(&w);
    for (int way = 0; way < MUTH_WAYS; ++way)
        scree_index_destroy(w.way[way]);
    for (int k = 0; k < plan->stride_count; ++k) {
        scree_index_destroy(w.stride[k]);
        scree_free(w.before[k]);
    }
    scree_sim_destroy(sim);
    scree_free(w.v);
    return status;
}

// ---- Findings --------------------------------------------------------------------------------------------------------

double muth_exponent(const double* x, const double* y, int count)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int k = 0; k < count; ++k) {
        double a = log(x[k]), b = log(y[k]);
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

const muth_cost* muth_list_cost(const muth_found* found, int k)
{
    return k < 0 ? &found->way[MUTH_LIST] : &found->stride[k];
}

const char* const muth_columns[] = {"method", "n", "ratio", "density", "contacts_per_step", "swaps_per_step", "path_per_step", "ns_per_sphere", "ns_per_sphere_low", "ns_per_sphere_high",
                                    "work_per_sphere", "tests_per_sphere", "ms", "ms_low", "ms_high", "work", "joined", NULL};

scree_status muth_rows(findings* f, const muth_plan* plan, double ratio, const muth_found* found, const muth_found* first)
{
    scree_status status = SCREE_OK;
    const double n = found->count;
    for (int way = (int)plan->first; way < MUTH_WAYS && status == SCREE_OK; ++way) {
        const muth_cost* c = &found->way[way];
        status = findings_row(f, &muth_names[way], (const double[]){n, ratio, found->density, found->contacts, found->swaps, found->path, c->seconds * 1e9, c->seconds_low * 1e9,
                                                                    c->seconds_high * 1e9, c->work, c->tests, c->seconds * n * 1e3, c->seconds_low * n * 1e3, c->seconds_high * n * 1e3,
                                                                    c->work * n, c->work * n / (first->way[way].work * first->count)});
    }
    return status;
}

scree_status muth_paths(findings* f, const muth_plan* plan, int systems, const double* ratios, const muth_found* found, const double (*expected)[muth_most_strides + 1])
{
    findings_table(f, "paths", 0, (const char* const[]){"steps_between", "path_in_radii", "n", "swaps_per_sphere", "swaps_expected", "swaps_by_expected", "ratio", "work_per_sphere", "ns_per_sphere",
                                                        "searches", "sorts", NULL});
    scree_status status = SCREE_OK;
    for (int i = 0; i < systems; ++i)
        for (int k = -1; k < plan->stride_count && status == SCREE_OK; ++k) {
            const muth_cost* c = muth_list_cost(&found[i], k);
            const double wanted = expected != NULL ? expected[i][k + 1] : NAN;
            status = findings_row(f, NULL, (const double[]){k < 0 ? 1.0 : (double)plan->stride[k], c->path, found[i].count, c->swaps, wanted, c->swaps / wanted, ratios != NULL ? ratios[i] : 1.0,
                                                            c->work, c->seconds * 1e9, (double)c->searches, (double)c->sorts});
        }
    return status;
}

scree_status muth_runs(findings* f, const muth_plan* plan, int systems, const muth_found* found)
{
    findings_table(f, "runs", 1, (const char* const[]){"hash", "n", "steps", NULL});
    scree_status status = SCREE_OK;
    for (int k = 0; k < systems && status == SCREE_OK; ++k) {
        char hash[20];
        snprintf(hash, sizeof hash, "%016" PRIx64, found[k].hash);
        status = findings_row(f, (const char* const[]){hash}, (const double[]){found[k].count, (double)plan->steps});
    }
    return status;
}
