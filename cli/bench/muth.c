// muth-2d, muth-3d, muth-fracture: Fig. 10 to 14 of B. Muth, M.-K. Mueller, P. Eberhard and S. Luding, "Collision detection and administration
// methods for many particles with different sizes" (2007): what finding the contacts costs per step, by Verlet lists, linked cells and the
// linked linear list, as the number of particles grows, and as they become different.
//
// One simulation moves the spheres; after each step all methods are given the same places and find the contacts, in turns. Verlet lists as in the
// paper: radius five times the largest, made anew every 100 steps; linked cells: the paper's cells, sorted anew at each step; linked
// linear list: follows the motion. Beside them the hierarchical grid, searching anew, and what `auto` does when it may keep a list.
// The paper does not say how its systems begin. Here: discs by random addition in boxes 1.6 times as high as the paper's, falling from rest; equal
// spheres on a lattice, and fragments by random addition, with velocities by the 1 % rule.
#include "bench.h"
#include "findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { way_count = 5, most_systems = 8 };

typedef struct way {
    const char* name;
    int32_t method;
    bool as_paper;    // its parameters are the paper's
} way;

static const way ways[way_count] = {{"verlet-list", SCREE_METHOD_VERLET_LIST, true},
                                    {"linked-cells", SCREE_METHOD_LINKED_CELLS, true},
                                    {"linear-list", SCREE_METHOD_LINEAR_LIST, true},
                                    {"hierarchical-grid", SCREE_METHOD_HIERARCHICAL_GRID, false},
                                    {"auto", SCREE_METHOD_AUTO, false}};

// A system of the paper.
typedef struct plan {
    int32_t count;
    double cell;        // of linked cells
    double stiffness, material_density, step;
    double gravity;
    bool thermal;
} plan;

typedef struct measured {
    double seconds;     // per step and sphere
    double work;        // counted, per step and sphere: tests of any kind, swaps, cells
    double tests;       // exact ones, per step and sphere
} measured;

// ---- Watching one system ---------------------------------------------------------------------------------------------

static scree_status open_way(const way* w, const plan* p, const scree_sphere_set* set, int64_t rebuild_every, const common* co, scree_index** out)
{
    scree_index_def def = scree_default_index_def();
    def.method = w->method;
    def.box = set->box;
    def.threads = co->threads > 0 ? co->threads : 1;
    def.skin = w->method == SCREE_METHOD_AUTO || w->method == SCREE_METHOD_VERLET_LIST ? 0.0 : -1.0;
    double r_max = 0.0;
    for (int64_t i = 0; i < set->count; ++i)
        r_max = fmax(r_max, set->r[i]);
    if (w->method == SCREE_METHOD_VERLET_LIST) {
        def.verlet_radius = 5.0 * r_max;
        def.rebuild_every = (int32_t)rebuild_every;
    }
    if (w->method == SCREE_METHOD_LINKED_CELLS)
        def.cell_size = p->cell;
    return scree_index_create(&def, out);
}

// The linked linear list also looks at every end of every box once.
static double work_of(const way* w, const scree_sphere_set* set, scree_index_stats s)
{
    double ends = w->method == SCREE_METHOD_LINEAR_LIST ? 2.0 * set->dim * (double)set->count : 0.0;
    return (double)(s.tests + s.box_tests + s.cells + s.swaps) + ends;
}

// Ways from number `first` on.
static scree_status watch_system(const plan* p, scree_sphere_set* set, int first, int64_t before, int64_t steps, const common* co,
                                 measured out[way_count])
{
    scree_sim_def def = scree_default_sim_def();
    def.box = set->box;
    def.gravity[set->dim - 1] = -p->gravity;
    def.stiffness = p->stiffness;
    def.material_density = p->material_density;
    def.step = p->step;
    def.threads = co->threads;
    def.watch = run_watch("running before", co->quiet);
    scree_spheres view = scree_sphere_set_view(set);
    double* v = scree_calloc((size_t)set->count * (size_t)set->dim, sizeof *v);
    scree_thermal_def warm = scree_default_thermal_def();
    warm.stiffness = p->stiffness;
    warm.material_density = p->material_density;
    scree_status status = v == NULL ? SCREE_ERR_MEMORY : p->thermal ? scree_thermal_velocities(&warm, view, v) : SCREE_OK;
    scree_sim* sim = NULL;
    scree_index* index[way_count] = {NULL};
    if (status == SCREE_OK)
        status = scree_sim_create(&def, view, v, &sim);
    for (int w = first; w < way_count && status == SCREE_OK; ++w)
        status = open_way(&ways[w], p, set, steps < 100 ? steps : 100, co, &index[w]);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, before);
    run_watch_end();
    memset(out, 0, way_count * sizeof *out);
    scree_sim_state state = {.x = set->x};
    for (int64_t s = -1; s < steps && status == SCREE_OK; ++s) {  // the first time is not counted: everything is cold
        status = scree_sim_get_state(sim, &state);
        for (int turn = 0; turn < way_count && status == SCREE_OK; ++turn) {
            int w = (int)((turn + s + 1) % way_count);
            if (w < first)
                continue;
            scree_pairs pairs;
            double begin = bench_timer(co->threads > 0 ? co->threads : 1);
            status = scree_index_update(index[w], view);
            if (status == SCREE_OK)
                status = scree_index_pairs(index[w], &pairs);
            double seconds = bench_timer(co->threads > 0 ? co->threads : 1) - begin;
            if (s < 0 && ways[w].method != SCREE_METHOD_VERLET_LIST)  // that one makes its list now, and that counts
                continue;
            scree_index_stats stats = scree_index_get_stats(index[w]);
            out[w].seconds += seconds;
            out[w].work += work_of(&ways[w], set, stats);
            out[w].tests += (double)stats.tests;
        }
        if (status == SCREE_OK)
            status = scree_sim_run(sim, 1);
        if (status == SCREE_OK && run_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    for (int w = 0; w < way_count; ++w) {
        double all = (double)steps * (double)set->count;
        out[w].seconds /= all;
        out[w].work /= all;
        out[w].tests /= all;
        scree_index_destroy(index[w]);
    }
    scree_sim_destroy(sim);
    scree_free(v);
    return status;
}

// ---- Findings ------------------------------------------------------------------------------------------------------

// The slope of log y over log x, by least squares.
static double slope(const double* x, const double* y, int count)
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

static const char* const columns[] = {"method", "spheres", "ratio", "seconds_per_step", "ns_per_sphere", "work_per_sphere", "tests_per_sphere", NULL};

static scree_status add_rows(findings* f, int first, double count, double ratio, const measured m[way_count])
{
    scree_status status = SCREE_OK;
    for (int w = first; w < way_count && status == SCREE_OK; ++w)
        status = findings_row(f, &ways[w].name, (const double[]){count, ratio, m[w].seconds * count, m[w].seconds * 1e9, m[w].work, m[w].tests});
    return status;
}

// Curves of all methods over x: time, or counted work.
static void add_plot(findings* f, int first, const char* suffix, const char* title, const char* x_label, const char* y_label, bool log_scales, int systems,
                     const double* x, double y[way_count][most_systems])
{
    scree_series series[way_count];
    for (int w = first; w < way_count; ++w)
        series[w - first] = (scree_series){.name = ways[w].name, .count = systems, .x = x, .y = y[w], .colour = w + 1};
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.x_label = x_label;
    plot.y_label = y_label;
    plot.x_log = plot.y_log = log_scales;
    plot.series = series;
    plot.series_count = way_count - first;
    findings_plot(f, suffix, &plot);
}

// ---- Growing numbers -------------------------------------------------------------------------------------------------

// What a series is made of: a number of the paper's discs or spheres, or of the user's law.
typedef scree_status maker(int32_t count, uint64_t seed, const bench_own* own, scree_sphere_set* out);

static scree_status make_discs(int32_t count, uint64_t seed, const bench_own* own, scree_sphere_set* out)
{
    static const struct {
        int32_t count, wide, tall;  // boxes of the paper, in cells
    } boxes[] = {{244, 5, 5}, {488, 5, 10}, {975, 10, 10}, {1950, 10, 20}, {3900, 20, 20}, {7800, 20, 40}};
    (void)own;
    scree_status status = bench_draw_in(2, "uniform-size:0.5e-3:1.5e-3", count, seed, out);
    if (status != SCREE_OK)
        return status;
    scree_place_def def = scree_default_place_def();
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; ++k)
        if (boxes[k].count == count)
            out->box = scree_box_sized(2, (double[3]){boxes[k].wide * 7e-3, boxes[k].tall * 7e-3 * 1.6, 0.0});
    out->has_box = true;
    def.box = out->box;
    def.seed = seed;
    return scree_place_random(&def, count, out->r, out->x);
}

static scree_status make_lattice(int32_t count, uint64_t seed, const bench_own* own, scree_sphere_set* out)
{
    (void)seed, (void)own;
    int32_t side = (int32_t)lround(cbrt(count));
    scree_status status = scree_sphere_set_make(3, count, out);
    if (status != SCREE_OK)
        return status;
    for (int32_t i = 0; i < count; ++i)
        out->r[i] = 5e-4;
    scree_place_def def = scree_default_place_def();
    double size = side * 2e-3;
    out->box = def.box = scree_box_sized(3, (double[3]){size, size, size});
    out->has_box = true;
    return scree_place_lattice(&def, 2e-3, count, out->r, out->x);
}

// The user's law in a cube or square with walls, by random addition.
static scree_status make_own(int dim, int32_t count, uint64_t seed, const bench_own* own, scree_sphere_set* out)
{
    scree_status status = bench_draw_in(dim, own->law, count, seed, out);
    double volume = 0.0;
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i)
        volume += dim == 2 ? out->r[i] * out->r[i] * 3.14159265358979323846 : out->r[i] * out->r[i] * out->r[i] * (4.0 / 3.0 * 3.14159265358979323846);
    if (status != SCREE_OK)
        return status;
    double size = pow(volume / own->density, 1.0 / dim);
    scree_place_def def = scree_default_place_def();
    out->box = def.box = scree_box_sized(dim, (double[3]){size, size, size});
    out->has_box = true;
    def.seed = seed;
    return scree_place_random(&def, count, out->r, out->x);
}

static scree_status make_own_discs(int32_t count, uint64_t seed, const bench_own* own, scree_sphere_set* out)
{
    return make_own(2, count, seed, own, out);
}

static scree_status make_own_spheres(int32_t count, uint64_t seed, const bench_own* own, scree_sphere_set* out)
{
    return make_own(3, count, seed, own, out);
}

// What the linked linear list counts, per search and sphere, when spheres have flown `steps` steps between two searches; straight, since that is a small
// part of their free path. *path is how far one comes along an axis, root mean square, in radii.
static scree_status watch_list(const plan* p, scree_sphere_set* set, double steps, const common* co, double* swaps, double* work, double* path)
{
    enum { searches = 5 };
    scree_thermal_def warm = scree_default_thermal_def();
    warm.stiffness = p->stiffness;
    warm.material_density = p->material_density;
    scree_spheres view = scree_sphere_set_view(set);
    double* v = scree_malloc((size_t)set->count * 3, sizeof *v);
    scree_index* index = NULL;
    scree_status status = v == NULL ? SCREE_ERR_MEMORY : scree_thermal_velocities(&warm, view, v);
    if (status == SCREE_OK)
        status = open_way(&ways[2], p, set, 0, co, &index);
    double squares = 0.0;
    *swaps = *work = 0.0;
    for (int s = -1; s < searches && status == SCREE_OK; ++s) {
        scree_pairs pairs;
        status = scree_index_update(index, view);
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        if (status == SCREE_OK && run_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        squares = 0.0;
        for (int64_t k = 0; k < 3 * set->count && status == SCREE_OK; ++k) {
            double low = set->r[k / 3], high = set->box.upper[k % 3] - low, x = set->x[k] + v[k] * p->step * steps;
            set->x[k] = x < low ? 2.0 * low - x : x > high ? 2.0 * high - x : x;
            if (x < low || x > high)
                v[k] = -v[k];
            squares += v[k] * v[k];
        }
        if (s < 0 || status != SCREE_OK)
            continue;
        scree_index_stats stats = scree_index_get_stats(index);
        *swaps += (double)stats.swaps / (double)set->count / searches;
        *work += work_of(&ways[2], set, stats) / (double)set->count / searches;
    }
    *path = sqrt(squares / (3.0 * (double)set->count)) * p->step * steps / set->r[0];
    scree_index_destroy(index);
    scree_free(v);
    return status;
}

// The exponent of the linked linear list depends on how far spheres come between two searches, and on the start: those of a lattice plane, set in motion together,
// keep their order until they collide, which takes 1e5 steps. Hence a gas here: the same spheres in the same boxes, at random.
static scree_status vary_path(findings* f, int systems, const int32_t* counts, plan p, maker* make, double paper, const common* co)
{
    static const double strides[] = {1, 100, 1000, 3000};
    enum { paths = 4 };
    findings_table(f, "paths", 0, (const char* const[]){"steps_between", "path_in_radii", "spheres", "swaps_per_sphere", "work_per_sphere", NULL});
    double n[most_systems], work[paths][most_systems], path[paths] = {0.0};
    char names[paths][64];
    scree_series series[paths];
    scree_status status = SCREE_OK;
    for (int k = 0; k < paths && status == SCREE_OK; ++k)
        for (int s = 0; s < systems && status == SCREE_OK; ++s) {
            scree_sphere_set set = {0};
            double swaps = 0.0, per_sphere = 0.0;
            n[s] = p.count = counts[s];
            status = make(counts[s], co->seed, NULL, &set);
            scree_place_def place = scree_default_place_def();
            place.box = set.box;
            place.seed = co->seed;
            if (status == SCREE_OK)
                status = scree_place_random(&place, counts[s], set.r, set.x);
            if (status == SCREE_OK)
                status = watch_list(&p, &set, strides[k], co, &swaps, &per_sphere, &path[k]);
            scree_sphere_set_free(&set);
            work[k][s] = per_sphere * n[s];
            if (status == SCREE_OK)
                status = findings_row(f, NULL, (const double[]){strides[k], path[k], n[s], swaps, per_sphere});
        }
    if (status != SCREE_OK)
        return status;
    double least = 0.0, most = 0.0;
    for (int k = 0; k < paths; ++k) {
        double exponent = slope(n, work[k], systems);
        least = k == 0 ? exponent : least;
        most = exponent;
        snprintf(names[k], sizeof names[k], "%.2g radii: n^%.2f", path[k], exponent);
        series[k] = (scree_series){.name = names[k], .count = systems, .x = n, .y = work[k]};
    }
    if (least < paper && paper < most)
        findings_agrees(f, "linear-list: its exponent is a matter of speed: n^%.2f where a sphere comes %.1g radii far between two searches, n^%.2f "
                        "at %.1g radii; the paper's n^%.2f lies between", least, path[0], most, path[paths - 1], paper);
    else
        findings_differs(f, "linear-list: n^%.2f where a sphere comes %.1g radii far between two searches, n^%.2f at %.1g radii; the paper's n^%.2f does not lie between", least, path[0],
                         most, path[paths - 1], paper);
    scree_plot plot = scree_default_plot();
    plot.title = "Linked linear list: counted work by the path between two searches";
    plot.x_label = "particles";
    plot.y_label = "tests, swaps and ends looked at";
    plot.x_log = plot.y_log = true;
    plot.series = series;
    plot.series_count = paths;
    findings_plot(f, "paths", &plot);
    return SCREE_OK;
}

// Slower than both others, and by which exponents.
static void compare_growth(findings* f, int systems, const double* n, double time[way_count][most_systems], double work[way_count][most_systems],
                           const double paper[3])
{
    double of_time[way_count], of_work[way_count];
    for (int w = 0; w < way_count; ++w) {
        of_time[w] = slope(n, time[w], systems);
        of_work[w] = slope(n, work[w], systems);
    }
    for (int w = 0; w < 3; ++w)
        if (paper != NULL && fabs(of_work[w] - paper[w]) < 0.25)
            findings_agrees(f, "%s: counted work grows as n^%.2f, time as n^%.2f; paper n^%.2f (allowed 0.25)", ways[w].name, of_work[w], of_time[w], paper[w]);
        else if (paper != NULL)
            findings_differs(f, "%s: counted work grows as n^%.2f, time as n^%.2f; paper n^%.2f, more than 0.25 away", ways[w].name, of_work[w], of_time[w], paper[w]);
        else if (w == 0)
            findings_note(f, "%s: counted work grows as n^%.2f, time as n^%.2f.", ways[w].name, of_work[w], of_time[w]);
        else if (of_work[w] < 1.5)
            findings_agrees(f, "%s: counted work grows as n^%.2f, less than n^1.5; time as n^%.2f", ways[w].name, of_work[w], of_time[w]);
        else
            findings_differs(f, "%s: counted work grows as n^%.2f, not less than n^1.5; time as n^%.2f", ways[w].name, of_work[w], of_time[w]);
    if (of_work[0] > of_work[1] && of_work[0] > of_work[2])
        findings_agrees(f, "Verlet lists, made by all pairs, are the steepest");
    else
        findings_differs(f, "Verlet lists, made by all pairs, are not the steepest: n^%.2f beside n^%.2f and n^%.2f", of_work[0], of_work[1], of_work[2]);
    if (paper != NULL)
        findings_note(f, "Swaps of the linked linear list go as n^(5/3) times the path of a step. Under the 1 %% rule that path is short, and spheres of a lattice plane that set out "
                         "together keep their order until they collide: what is linear in n prevails. The paper does not give its velocities.");
    findings_note(f, "hierarchical-grid: work n^%.2f, time n^%.2f; auto: work n^%.2f, time n^%.2f. No part of the paper.", of_work[3], of_time[3], of_work[4],
                  of_time[4]);
}

static exit_code growth(const arguments* args, const common* co, bool quick, const char* name, const char* title, int systems, const int32_t* counts,
                        plan p, maker* make, maker* make_own_ones, const double* paper, const char* said)
{
    findings* f = findings_open(args, co, name, title);
    findings_columns(f, 1, columns);
    double n[most_systems], time[way_count][most_systems], work[way_count][most_systems];
    bench_own own;
    scree_status status = bench_own_get(args, co, 0, 8000, 0.25, &own);
    const int32_t parts[] = {own.count / 16, own.count / 8, own.count / 4, own.count / 2, own.count};
    if (own.given) {
        findings_own(f, own.name);
        if (own.count < 160 && status == SCREE_OK)
            status = scree_fail(SCREE_ERR_ARGUMENT, "--count %d: at least 160, of which a sixteenth, an eighth and so on are looked at too", (int)own.count);
        p = (plan){.stiffness = 1.0, .material_density = 1.0, .thermal = true};  // cells of the largest diameter; the step by the shortest contact
        systems = 5;
        counts = parts;
        make = make_own_ones;
        paper = NULL;
    }
    for (int s = 0; s < systems && status == SCREE_OK; ++s) {
        scree_sphere_set set = {0};
        measured m[way_count];
        p.count = counts[s];
        status = make(counts[s], co->seed, &own, &set);
        if (status == SCREE_OK)
            status = watch_system(&p, &set, 0, quick ? 20 : 500, quick ? 20 : 200, co, m);
        scree_sphere_set_free(&set);
        if (status != SCREE_OK)
            break;
        n[s] = counts[s];
        for (int w = 0; w < way_count; ++w) {
            time[w][s] = m[w].seconds * counts[s] * 1e3;
            work[w][s] = m[w].work * counts[s];
        }
        status = add_rows(f, 0, counts[s], 1.0, m);
    }
    findings_paper(f, "%s", said);
    if (status == SCREE_OK) {
        compare_growth(f, systems, n, time, work, paper);
        double joined[way_count][most_systems];
        for (int w = 0; w < way_count; ++w)
            for (int s = 0; s < systems; ++s)
                joined[w][s] = work[w][s] / work[w][0];
        add_plot(f, 0, "", "Time to find the contacts of a step", "particles", "milliseconds", true, systems, n, time);
        add_plot(f, 0, "work", "Counted work of a step", "particles", "tests, cells and swaps", true, systems, n, work);
        add_plot(f, 0, "joined", "Counted work, joined at the smallest n as in the paper", "particles", "work by that of the smallest", true, systems, n, joined);
    }
    if (status == SCREE_OK && paper != NULL)
        status = vary_path(f, systems, counts, p, make, paper[2], co);
    findings_note(f, "Search only, one thread unless --threads says otherwise; forces cost the same for all methods.");
    return findings_close(f, status);
}

exit_code bench_muth_2d(const arguments* args, const common* co, bool quick)
{
    static const int32_t counts[] = {244, 488, 975, 1950, 3900, 7800};
    plan p = {.cell = 7e-3, .stiffness = 1e7, .material_density = 7000.0, .step = 1e-7, .gravity = 9.81};
    return growth(args, co, quick, "muth-2d", "Discs of different sizes: Verlet lists, linked cells, linked linear list", quick ? 5 : 6, counts, p,
                  make_discs, make_own_discs, NULL, "Fig. 10 and 11: Verlet lists are the steepest; linked cells and the linked linear list grow almost linearly.");
}

exit_code bench_muth_3d(const arguments* args, const common* co, bool quick)
{
    static const int32_t counts[] = {512, 2197, 5832, 12167, 21952, 35937, 59319};
    static const double paper[] = {1.8, 1.15, 1.36};
    plan p = {.cell = 2e-3, .stiffness = 1e5, .material_density = 1e10, .step = 1e-5, .thermal = true};
    return growth(args, co, quick, "muth-3d", "Equal spheres: Verlet lists, linked cells, linked linear list", quick ? 4 : 7, counts, p, make_lattice,
                  make_own_spheres, paper, "Fig. 12: time grows as n^1.8 with Verlet lists, n^1.36 with the linked linear list, n^1.15 with linked cells.");
}

// ---- Fracture --------------------------------------------------------------------------------------------------------

enum { fractures = 5 };
static const int32_t broken[fractures] = {0, 493, 526, 498, 520};  // of 1000, into k^3 each

static scree_status make_fragments(int k, uint64_t seed, scree_sphere_set* out)
{
    int32_t cubes = (k + 1) * (k + 1) * (k + 1), whole = 1000 - broken[k], count = whole + broken[k] * cubes;
    scree_status status = scree_sphere_set_make(3, count, out);
    if (status != SCREE_OK)
        return status;
    for (int32_t i = 0; i < count; ++i)
        out->r[i] = i < whole ? 0.01 : 0.01 / (k + 1);
    scree_place_def def = scree_default_place_def();
    out->box = def.box = scree_box_sized(3, (double[3]){0.33, 0.33, 0.33});
    out->has_box = true;
    def.seed = seed;
    return scree_place_random(&def, count, out->r, out->x);
}

// Where the second curve crosses the first, by straight lines between points; 0: it does not.
static double crossing(const double* x, const double* a, const double* b, int count)
{
    for (int k = 0; k + 1 < count; ++k) {
        double here = a[k] - b[k], next = a[k + 1] - b[k + 1];
        if (here < 0.0 && next >= 0.0)
            return x[k] + (x[k + 1] - x[k]) * here / (here - next);
    }
    return 0.0;
}

exit_code bench_muth_fracture(const arguments* args, const common* co, bool quick)
{
    findings* f = findings_open(args, co, "muth-fracture", "A thousand spheres, half of them broken into k^3: linked cells and linked linear list");
    findings_columns(f, 1, columns);
    plan p = {.cell = 0.033, .stiffness = 4e6, .material_density = 7000.0, .step = 4e-7, .thermal = true};
    int systems = quick ? 4 : fractures;
    double ratio[most_systems], time[way_count][most_systems], work[way_count][most_systems];
    scree_status status = SCREE_OK;
    for (int s = 0; s < systems && status == SCREE_OK; ++s) {
        scree_sphere_set set = {0};
        measured m[way_count];
        status = make_fragments(s, co->seed, &set);
        if (status == SCREE_OK && (s == 0 || s == systems - 1)) {
            scree_picture_def look = scree_default_picture_def();
            look.width = 1200;
            look.height = 1000;
            char suffix[16];
            snprintf(suffix, sizeof suffix, "R%d", s + 1);
            findings_picture(f, suffix, &set, &look);
        }
        if (status == SCREE_OK)
            status = watch_system(&p, &set, 1, quick ? 20 : 500, quick ? 20 : 100, co, m);
        if (status == SCREE_OK) {
            ratio[s] = s + 1;
            for (int w = 0; w < way_count; ++w) {
                time[w][s] = m[w].seconds * 1e9;
                work[w][s] = m[w].work;
            }
            status = add_rows(f, 1, (double)set.count, s + 1, m);
        }
        scree_sphere_set_free(&set);
    }
    findings_paper(f, "Fig. 13 and 14: the time per particle grows much faster with R/r for linked cells, whose cells follow the largest, than for the linked "
                      "linear list; they cross near R/r = 2.5.");
    if (status == SCREE_OK) {
        int last = systems - 1;
        double cells = work[1][last] / work[1][0], list = work[2][last] / work[2][0];
        if (cells > 2.0 * list)
            findings_agrees(f, "from R/r = 1 to %d linked cells do %.1f times the work per sphere, more than twice the %.1f times of the linked linear list", systems, cells, list);
        else
            findings_differs(f, "from R/r = 1 to %d linked cells do %.1f times the work per sphere, not more than twice the %.1f times of the linked linear list", systems, cells, list);
        double cross = crossing(ratio, time[1], time[2], systems), cross_work = crossing(ratio, work[1], work[2], systems);
        char by_time[48] = "times do not cross";
        if (cross > 0.0)
            snprintf(by_time, sizeof by_time, "times cross at %.1f", cross);
        if (cross_work > 1.5 && cross_work < 3.5)
            findings_agrees(f, "counted work of the two crosses at R/r = %.1f (1.5 to 3.5 expected); %s", cross_work, by_time);
        else if (cross_work > 0.0)
            findings_differs(f, "counted work of the two crosses at R/r = %.1f, not between 1.5 and 3.5; %s", cross_work, by_time);
        else
            findings_differs(f, "counted work does not cross: the linked linear list does less from R/r = 1 on, since a box end that has nowhere to go costs one "
                            "comparison here; %s", by_time);
        add_plot(f, 1, "", "Time per particle and step", "R/r", "nanoseconds", false, systems, ratio, time);
        add_plot(f, 1, "work", "Counted work per particle and step", "R/r", "tests, cells and swaps", false, systems, ratio, work);
    }
    findings_note(f, "Fragments are placed anew by random addition; they do not all fit into their parent.");
    return findings_close(f, status);
}
