// ogarko-levels, ogarko-range, ogarko-scaling, ogarko-systems: V. Ogarko and S. Luding, "A fast multilevel algorithm for contact detection of arbitrarily
// polydisperse objects" (2012), their figures 3 to 5 and what they say of search ranges.
//
// Systems as in the paper: a cube with walls, spheres grown from small ones at random to the density, then soft spheres with velocities by the 1 % rule
// for some collisions, without gravity and friction. Then the contacts are found, again and again, by the hierarchical grid in its settings:
// from the larger sphere into the finer grid, cells within r + half a cell, boxes tested before distances.
#include "bench.h"
#include "findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_rows = 64 };

// ---- Systems -------------------------------------------------------------------------------------------------------

// Soft spheres in motion under the 1 % rule. `def` has all but the box and the stiffness.
static scree_status set_in_motion(scree_sim_def def, const scree_sphere_set* set, uint64_t seed, scree_sim** out)
{
    def.box = set->box;
    def.stiffness = 1.0;
    scree_thermal_def warm = scree_default_thermal_def();
    warm.stiffness = 1.0;
    warm.seed = seed;
    double* v = scree_malloc(3 * (size_t)set->count, sizeof *v);
    scree_status status = v == NULL ? SCREE_ERR_MEMORY : scree_thermal_velocities(&warm, scree_sphere_set_view(set), v);
    if (status == SCREE_OK)
        status = scree_sim_create(&def, scree_sphere_set_view(set), v, out);
    scree_free(v);
    return status;
}

// They move for a hundred of the shortest contacts.
static scree_status shake(const common* co, scree_sphere_set* set)
{
    scree_sim_def def = scree_default_sim_def();
    def.threads = co->threads;
    def.watch = run_watch("shaking", co->quiet);
    scree_sim* sim = NULL;
    scree_status status = set_in_motion(def, set, co->seed, &sim);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, 1000);
    run_watch_end();
    scree_sim_state state = {.x = set->x};
    if (status == SCREE_OK)
        status = scree_sim_get_state(sim, &state);
    scree_sim_destroy(sim);
    return status;
}

static scree_status make_system(const char* law, int32_t count, double density, const common* co, scree_sphere_set* out)
{
    *out = (scree_sphere_set){0};
    scree_status status = bench_draw(law, count, co->seed, out);
    if (status != SCREE_OK)
        return status;
    scree_grow_def def = scree_default_grow_def();
    def.density = density;
    def.seed = co->seed;
    def.threads = co->threads;
    scree_growth grown = {0};
    for (def.rate = 0.1; status == SCREE_OK && !grown.reached && def.rate > 1e-3; def.rate *= 0.25) {  // slower where it jams too soon
        scree_growth_free(&grown);
        def.watch = run_watch("growing", co->quiet);
        status = scree_pack_grow(&def, count, out->r, &grown);
        run_watch_end();
    }
    if (status == SCREE_OK && !grown.reached)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: growth jammed at density %.3g, before %g", law, grown.density, density);
    if (status == SCREE_OK) {
        memcpy(out->x, grown.x, 3 * (size_t)count * sizeof *out->x);
        out->box = grown.box;
        out->has_box = true;
    }
    scree_growth_free(&grown);
    return status == SCREE_OK ? shake(co, out) : status;
}

// ---- One search ----------------------------------------------------------------------------------------------------

typedef struct search {
    int32_t levels, direction, range, box_test;
    int32_t sizes;              // cell sizes given in place of levels
    const double* cell_sizes;
} search;

static const search paper_search = {.direction = SCREE_DIRECTION_FINER, .range = SCREE_RANGE_HALF_CELL, .box_test = SCREE_BOX_TEST_ON};

typedef struct cost {
    double seconds;
    double tests, box_tests, cells;  // per sphere
    double work;                     // box tests (or tests, if there are none) and 0.3 for each cell, as in the model
    int64_t pairs, levels;
} cost;

static scree_index_def index_def(const search* how, const common* co)
{
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    def.skin = -1.0;
    def.threads = co->threads > 0 ? co->threads : 1;
    def.levels = how->levels;
    def.direction = how->direction;
    def.range = how->range;
    def.box_test = how->box_test;
    def.cell_size_count = how->sizes;
    def.cell_sizes = how->cell_sizes;
    return def;
}

// A whole step of the simulation with a search in each, as the paper times them: the median of `repeats` times ten steps.
static scree_status step(const scree_sphere_set* set, const search* how, int repeats, const common* co, double* seconds)
{
    scree_sim_def def = scree_default_sim_def();
    def.search = index_def(how, co);
    def.threads = def.search.threads;
    scree_sim* sim = NULL;
    double of_ten[32] = {0.0};
    scree_status status = set_in_motion(def, set, co->seed, &sim);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, 10);
    for (int t = 0; t < repeats && status == SCREE_OK; ++t) {
        double begin = bench_timer(def.threads);
        status = scree_sim_run(sim, 10);
        of_ten[t] = (bench_timer(def.threads) - begin) / 10.0;
    }
    *seconds = bench_median(of_ten, repeats);
    scree_sim_destroy(sim);
    return status;
}

// One list walks the counters, the median of `repeats` the clock.
static scree_status find(const scree_sphere_set* set, const search* how, int repeats, const common* co, cost* out)
{
    scree_index_def def = index_def(how, co);
    def.box = set->box;
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    double seconds[32] = {0.0};
    scree_status status = scree_index_create(&def, &index);
    for (int t = -1; t < repeats && status == SCREE_OK; ++t) {
        double begin = bench_timer(def.threads);
        status = scree_index_update(index, scree_sphere_set_view(set));
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        if (t >= 0 || repeats == 0)
            seconds[t >= 0 ? t : 0] = bench_timer(def.threads) - begin;
    }
    if (status == SCREE_OK) {
        scree_index_stats s = scree_index_get_stats(index);
        double n = (double)set->count;
        *out = (cost){.seconds = bench_median(seconds, repeats > 0 ? repeats : 1),
                      .tests = (double)s.tests / n,
                      .box_tests = (double)s.box_tests / n,
                      .cells = (double)s.cells / n,
                      .pairs = pairs.count,
                      .levels = s.levels};
        out->work = (s.box_tests > 0 ? out->box_tests : out->tests) + 0.3 * out->cells;
    }
    scree_index_destroy(index);
    return status;
}

// ---- Levels --------------------------------------------------------------------------------------------------------

// K for which L (m + K), with a factor, comes closest to the work counted, in logarithms.
static double fit_cell_cost(const scree_levels_row* rows, const double* y, int count)
{
    double best = 0.0, least = INFINITY;
    for (double k = 0.02; k < 20.0; k *= 1.02) {
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < count; ++i) {
            double d = log(y[i] / (rows[i].levels * (rows[i].m + k)));
            sum += d;
            squares += d * d;
        }
        double spread = squares - sum * sum / count;
        if (spread < least) {
            least = spread;
            best = k;
        }
    }
    return best;
}

typedef struct curve {
    double levels[most_rows], time[most_rows], work[most_rows], model[most_rows];  // the last three by their least
    int count;
} curve;

static void relative(double* y, int count)
{
    double least = INFINITY;
    for (int k = 0; k < count; ++k)
        least = fmin(least, y[k]);
    for (int k = 0; k < count; ++k)
        y[k] /= least;
}

static int best_of(const curve* c, const double* y)
{
    int best = 0;
    for (int k = 1; k < c->count; ++k)
        if (y[k] < y[best])
            best = k;
    return (int)c->levels[best];
}

static scree_status levels_of(findings* f, const char* name, const scree_sphere_set* set, double density, bool quick, const common* co, curve* c)
{
    static const int tried[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50};
    scree_levels_def def = scree_default_levels_def();
    scree_levels levels;
    scree_status status = scree_levels_find(&def, &set->box, (int32_t)set->count, set->r, &levels);
    scree_levels_row used[most_rows];
    double raw[most_rows][3];
    c->count = 0;
    for (size_t t = 0; t < sizeof tried / sizeof *tried && status == SCREE_OK; ++t) {
        int at = -1;
        for (int k = 0; k < levels.count; ++k)
            at = levels.rows[k].levels == tried[t] ? k : at;
        if (at < 0)
            continue;
        search how = paper_search;
        cost found;
        how.levels = tried[t];
        status = find(set, &how, tried[t] == 1 && !quick ? 1 : 5, co, &found);
        if (status != SCREE_OK)
            break;
        int k = c->count++;
        used[k] = levels.rows[at];
        c->levels[k] = tried[t];
        raw[k][0] = found.seconds;
        raw[k][1] = found.work;
        raw[k][2] = levels.rows[at].cost;
        status = findings_row(f, &name, (const double[]){density, tried[t], levels.rows[at].m, levels.rows[at].cost, found.box_tests, found.tests, found.cells,
                                                found.seconds * 1e3});
    }
    if (status != SCREE_OK)
        return status;
    for (int k = 0; k < c->count; ++k) {
        c->time[k] = raw[k][0];
        c->work[k] = raw[k][1];
        c->model[k] = raw[k][2];
    }
    double by_time = fit_cell_cost(used, c->time, c->count);
    relative(c->time, c->count);
    relative(c->work, c->count);
    relative(c->model, c->count);
    findings_note(f, "%s at density %g: least model cost at L = %d, least counted work at %d, fastest at %d; one level costs %.3g (model), %.3g (counted), %.3g (time) "
                     "times the best; K fitted to the times %.2f.",
                  name, density, best_of(c, c->model), best_of(c, c->work), best_of(c, c->time), c->model[0], c->work[0], c->time[0], by_time);
    return SCREE_OK;
}

static void plot_levels(findings* f, const char* suffix, const char* title, const curve* c)
{
    scree_series series[] = {{.name = "time", .count = c->count, .x = c->levels, .y = c->time},
                             {.name = "counted work", .count = c->count, .x = c->levels, .y = c->work, .style = SCREE_SERIES_POINTS},
                             {.name = "L (m + 0.3)", .count = c->count, .x = c->levels, .y = c->model, .style = SCREE_SERIES_CURVE}};
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.x_label = "levels";
    plot.y_label = "by the least";
    plot.x_log = plot.y_log = true;
    plot.series = series;
    plot.series_count = 3;
    findings_plot(f, suffix, &plot);
}

// The same curve for the user's radii: as they lie, or of their law, grown to the density.
static scree_status own_levels(findings* f, const bench_own* own, bool quick, const common* co)
{
    static curve c;
    scree_sphere_set made = {0};
    scree_status status = own->law != NULL ? make_system(own->law, own->count, own->density, co, &made) : SCREE_OK;
    const scree_sphere_set* set = own->law != NULL ? &made : &own->set;
    double density = status == SCREE_OK ? bench_density(set) : 0.0;
    if (status == SCREE_OK)
        status = levels_of(f, own->name, set, density, quick, co, &c);
    if (status == SCREE_OK) {
        char title[96];
        snprintf(title, sizeof title, "Slow-down: %s, density %.3g", own->name, density);
        plot_levels(f, "", title, &c);
        int by_work = best_of(&c, c.work), by_model = best_of(&c, c.model);
        double loss = INFINITY;  // of the number that the model chooses
        for (int k = 0; k < c.count; ++k)
            loss = (int)c.levels[k] == by_model ? c.work[k] : loss;
        if (loss < 1.15)
            findings_agrees(f, "%d levels predicted, counted work is least with %d; at the prediction it is %.2f times that (allowed 1.15), with one level %.3g times", by_model, by_work,
                            loss, c.work[0]);
        else
            findings_differs(f, "%d levels predicted, but counted work is least with %d; at the prediction it is %.2f times that (allowed 1.15), with one level %.3g times", by_model,
                             by_work, loss, c.work[0]);
    }
    scree_sphere_set_free(&made);
    return status;
}

exit_code bench_ogarko_levels(const arguments* args, const common* co, bool quick)
{
    static const struct {
        const char *name, *law;
        int32_t quick_count;
    } laws[] = {{"uniform volume 50", "uniform-volume:1:50", 8001}, {"uniform size 50", "uniform-size:1:50", 4001}};
    const double densities[] = {quick ? 0.58 : 0.62, 0.4, 0.1};
    findings* f = findings_open(args, co, "ogarko-levels", "Slow-down against the number of levels");
    findings_columns(f, 1, (const char* const[]){"sizes", "density", "levels", "m", "model", "box_tests", "tests", "cells", "ms", NULL});
    bench_own own;
    scree_status status = bench_own_get(args, co, 3, 10000, 0.5, &own);
    if (own.given) {
        findings_own(f, own.name);
        if (status == SCREE_OK)
            status = own_levels(f, &own, quick, co);
    }
    for (int l = 0; l < 2 && status == SCREE_OK && !own.given; ++l)
        for (int d = 0; d < (quick ? 1 : 3) && status == SCREE_OK; ++d) {
            scree_sphere_set set;
            static curve c;
            status = make_system(laws[l].law, quick ? laws[l].quick_count : 125001, densities[d], co, &set);
            if (status == SCREE_OK)
                status = levels_of(f, laws[l].name, &set, densities[d], quick, co, &c);
            scree_sphere_set_free(&set);
            if (status != SCREE_OK)
                break;
            char title[96], suffix[32];
            snprintf(title, sizeof title, "Slow-down: %s, density %g", laws[l].name, densities[d]);
            snprintf(suffix, sizeof suffix, "%s-%g", l == 0 ? "uv50" : "us50", densities[d]);
            plot_levels(f, suffix, title, &c);
            int by_work = best_of(&c, c.work);
            if (d == 0 && l == 0 && by_work >= 5 && by_work <= 12)
                findings_agrees(f, "uniform volume: counted work is least with %d levels (paper: predicted 7, timed 8; 5 to 12 allowed); one level does %.0f times as much (paper: 220)",
                                by_work, c.work[0]);
            else if (d == 0 && l == 0)
                findings_differs(f, "uniform volume: counted work is least with %d levels, not 5 to 12 (paper: predicted 7, timed 8); one level does %.0f times as much (paper: 220)",
                                 by_work, c.work[0]);
            if (d == 0 && l == 1 && by_work >= 2 && by_work <= 4)
                findings_agrees(f, "uniform size: counted work is least with %d levels (paper: 2; 2 to 4 allowed); one level does %.2f times as much (paper: 1.3)", by_work, c.work[0]);
            else if (d == 0 && l == 1)
                findings_differs(f, "uniform size: counted work is least with %d levels, not 2 to 4 (paper: 2); one level does %.2f times as much (paper: 1.3)", by_work, c.work[0]);
        }
    findings_paper(f, "Fig. 4: with 125001 spheres at density 0.62 and a size ratio of 50, 8 levels are fastest for uniform volume (7 predicted, with K = 0.3) and one "
                      "level is 220 times slower; for uniform size 2 levels, and one is 30 %% slower.");
    findings_note(f, "Search only; the paper times whole steps. Settings of the paper: larger sphere into the finer grid, r + half a cell, boxes tested first.");
    scree_sphere_set_free(&own.set);
    return findings_close(f, status);
}

// ---- Range ---------------------------------------------------------------------------------------------------------

exit_code bench_ogarko_range(const arguments* args, const common* co, bool quick)
{
    findings* f = findings_open(args, co, "ogarko-range", "Which cells to look into");
    findings_columns(f, 1, (const char* const[]){"range", "coarser", "box_test", "box_tests", "tests", "cells", "ms", NULL});
    bench_own own;
    scree_sphere_set set = {0};
    scree_status status = bench_own_get(args, co, 3, 10000, 0.5, &own);
    if (own.given)
        findings_own(f, own.name);
    const bool file = own.given && own.law == NULL;
    if (status == SCREE_OK && !file)
        status = own.given ? make_system(own.law, own.count, own.density, co, &set) : make_system("uniform-volume:1:50", quick ? 8001 : 125001, 0.62, co, &set);
    const scree_sphere_set* spheres = file ? &own.set : &set;
    const int32_t levels = own.given ? 0 : 7;  // 0: as many as the model says
    double cells[SCREE_RANGE_COUNT] = {0.0}, looked[SCREE_RANGE_COUNT] = {0.0}, seconds[SCREE_RANGE_COUNT] = {0.0};
    int64_t pairs = -1;
    bool same = true;
    for (int direction = SCREE_DIRECTION_FINER; direction <= SCREE_DIRECTION_COARSER && status == SCREE_OK; ++direction)
        for (int range = 0; range < SCREE_RANGE_COUNT && status == SCREE_OK; ++range)
            for (int box = SCREE_BOX_TEST_ON; box <= SCREE_BOX_TEST_OFF && status == SCREE_OK; ++box) {
                search how = {.levels = levels, .direction = direction, .range = range, .box_test = box};
                cost found;
                status = find(spheres, &how, 5, co, &found);
                if (status != SCREE_OK)
                    break;
                same = same && (pairs < 0 || pairs == found.pairs);
                pairs = found.pairs;
                if (direction == SCREE_DIRECTION_FINER && box == SCREE_BOX_TEST_ON) {
                    cells[range] = found.cells;
                    looked[range] = found.box_tests;
                    seconds[range] = found.seconds;
                }
                const char* name = scree_range_name((scree_range)range);
                status = findings_row(f, &name, (const double[]){direction == SCREE_DIRECTION_COARSER, box == SCREE_BOX_TEST_ON, found.box_tests, found.tests, found.cells,
                                                        found.seconds * 1e3});
            }
    findings_paper(f, "Section 2: looking into cells within r + half a cell visits fewer cells and tests fewer spheres than the way of Iwai et al., which takes one layer more.");
    if (status == SCREE_OK) {
        if (cells[SCREE_RANGE_HALF_CELL] < cells[SCREE_RANGE_IWAI] && looked[SCREE_RANGE_HALF_CELL] < looked[SCREE_RANGE_IWAI])
            findings_agrees(f, "half a cell: %.3g cells and %.3g spheres per sphere; Iwai looks at more, %.3g and %.3g", cells[SCREE_RANGE_HALF_CELL], looked[SCREE_RANGE_HALF_CELL],
                            cells[SCREE_RANGE_IWAI], looked[SCREE_RANGE_IWAI]);
        else
            findings_differs(f, "half a cell: %.3g cells and %.3g spheres per sphere; Iwai does not look at more of both, %.3g and %.3g", cells[SCREE_RANGE_HALF_CELL],
                             looked[SCREE_RANGE_HALF_CELL], cells[SCREE_RANGE_IWAI], looked[SCREE_RANGE_IWAI]);
        if (cells[SCREE_RANGE_TIGHT] <= cells[SCREE_RANGE_HALF_CELL])
            findings_agrees(f, "what radii can reach (ours): %.3g cells, not more than half a cell's %.3g, and %.3g spheres; %.2f of the time of half a cell", cells[SCREE_RANGE_TIGHT],
                            cells[SCREE_RANGE_HALF_CELL], looked[SCREE_RANGE_TIGHT], seconds[SCREE_RANGE_TIGHT] / seconds[SCREE_RANGE_HALF_CELL]);
        else
            findings_differs(f, "what radii can reach (ours): %.3g cells, more than half a cell's %.3g, and %.3g spheres; %.2f of the time of half a cell", cells[SCREE_RANGE_TIGHT],
                             cells[SCREE_RANGE_HALF_CELL], looked[SCREE_RANGE_TIGHT], seconds[SCREE_RANGE_TIGHT] / seconds[SCREE_RANGE_HALF_CELL]);
        if (same)
            findings_agrees(f, "all of them find the same %" PRId64 " pairs", pairs);
        else
            findings_differs(f, "not all of them find the same pairs; the last found %" PRId64, pairs);
        double x[SCREE_RANGE_COUNT];
        char names[128] = "";
        for (int range = 0; range < SCREE_RANGE_COUNT; ++range) {
            size_t used = strlen(names);
            x[range] = range + 1;
            snprintf(names + used, sizeof names - used, "%s%d %s", used > 0 ? ", " : "", range + 1, scree_range_name((scree_range)range));
        }
        scree_series series[] = {{.name = "cells", .count = SCREE_RANGE_COUNT, .x = x, .y = cells, .style = SCREE_SERIES_BARS},
                                 {.name = "spheres", .count = SCREE_RANGE_COUNT, .x = x, .y = looked, .style = SCREE_SERIES_BARS}};
        scree_plot plot = scree_default_plot();
        plot.title = "Looked at for each sphere, from the larger into the finer grid";
        plot.x_label = names;
        plot.y_label = "cells and spheres, per sphere";
        plot.y_range[0] = 0.0;
        plot.series = series;
        plot.series_count = 2;
        findings_plot(f, "", &plot);
    }
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&own.set);
    return findings_close(f, status);
}

// ---- Scaling -------------------------------------------------------------------------------------------------------

exit_code bench_ogarko_scaling(const arguments* args, const common* co, bool quick)
{
    typedef struct scaled {
        const char *name, *law;
        double small, large;  // two sizes: their diameters
        int32_t least;        // fewer do not hold the law
    } scaled;
    static const scaled papers[] = {{"equal", "mono:1", 0, 0, 0},
                {"two sizes 2", "bidisperse:2", 2, 4, 0},
                {"two sizes 10", "bidisperse:10", 2, 20, 2000},
                {"uniform volume 2", "uniform-volume:1:2", 0, 0, 0},
                {"uniform volume 10", "uniform-volume:1:10", 0, 0, 2000},
                {"uniform volume 50", "uniform-volume:1:50", 0, 0, 8000}};
    enum { most_laws = 6, most_counts = 5 };
    static const int32_t full[] = {8001, 27001, 64001, 125001, 216001}, small[] = {2001, 4001, 8001};
    bench_own own;
    scree_status status = bench_own_get(args, co, 3, 10000, quick ? 0.45 : 0.55, &own);
    const scaled mine[] = {papers[0], {own.name, own.law, 0, 0, 0}};  // the user's law beside equal spheres
    const int32_t parts[] = {own.count / 8, own.count / 4, own.count / 2, own.count};
    const scaled* laws = own.given ? mine : papers;
    const int32_t* counts = own.given ? parts : quick ? small : full;
    const int systems = own.given ? 4 : quick ? 3 : most_counts, law_count = own.given ? 2 : most_laws;
    const double density = own.given ? own.density : quick ? 0.45 : 0.55;  // few spheres between walls jam early
    if (own.given && status == SCREE_OK && own.count < 80)
        status = scree_fail(SCREE_ERR_ARGUMENT, "--count %d: at least 80, of which an eighth, a quarter and a half are looked at too", (int)own.count);
    findings* f = findings_open(args, co, "ogarko-scaling", "Time relative to equal spheres");
    findings_columns(f, 1, (const char* const[]){"sizes", "spheres", "work_per_sphere", "ns_per_sphere", "work_relative", "time_relative", "step_ns_per_sphere", "step_relative", NULL});
    if (own.given)
        findings_own(f, own.name);
    double n[most_counts], time[most_laws][most_counts], work[most_laws][most_counts], steps[most_laws][most_counts];
    for (int l = 0; l < law_count && status == SCREE_OK; ++l)
        for (int s = 0; s < systems && status == SCREE_OK; ++s) {
            n[s] = counts[s];
            time[l][s] = work[l][s] = steps[l][s] = NAN;
            if (counts[s] < laws[l].least)
                continue;
            scree_sphere_set set;
            search how = paper_search;
            const double sizes[2] = {laws[l].small, laws[l].large};
            cost found;
            status = make_system(laws[l].law, counts[s], density, co, &set);
            if (laws[l].small > 0.0) {
                how.sizes = 2;
                how.cell_sizes = sizes;
            }
            if (status == SCREE_OK)
                status = find(&set, &how, 9, co, &found);
            double seconds = 0.0;
            if (status == SCREE_OK)
                status = step(&set, &how, 9, co, &seconds);
            scree_sphere_set_free(&set);
            if (status != SCREE_OK)
                break;
            time[l][s] = found.seconds / counts[s] * 1e9;
            work[l][s] = found.work;
            steps[l][s] = seconds / counts[s] * 1e9;
            status = findings_row(f, &laws[l].name, (const double[]){counts[s], work[l][s], time[l][s], work[l][s] / work[0][s], time[l][s] / time[0][s], steps[l][s],
                                                                     steps[l][s] / steps[0][s]});
        }
    findings_paper(f, "Fig. 5: relative to equal spheres the time is constant within 10 %% over N, at most 1.5 (uniform volume, ratio 10), and falls with the ratio.");
    scree_series series[most_laws];
    double most_work = 0.0, most_time = 0.0, most_step = 0.0, rest = status == SCREE_OK ? 1.0 - time[0][systems - 1] / steps[0][systems - 1] : 0.0;
    for (int l = 0; l < law_count && status == SCREE_OK; ++l) {
        double low = INFINITY, high = 0.0;
        int points = 0;
        for (int s = systems - 1; s >= 0; --s) {
            time[l][s] = l > 0 ? time[l][s] / time[0][s] : time[l][s];
            work[l][s] = l > 0 ? work[l][s] / work[0][s] : work[l][s];
            steps[l][s] = l > 0 ? steps[l][s] / steps[0][s] : steps[l][s];
            if (s >= systems - (quick ? 2 : 3) && !isnan(work[l][s])) {
                low = fmin(low, work[l][s]);
                high = fmax(high, work[l][s]);
                ++points;
            }
        }
        series[l] = (scree_series){.name = laws[l].name, .count = systems, .x = n, .y = time[l]};
        if (l > 0 && points > 1) {
            if (high / low < 1.1)
                findings_agrees(f, "%s: counted work is constant within 10 %% over the larger N, %.2f to %.2f times that of equal spheres", laws[l].name, low, high);
            else
                findings_differs(f, "%s: counted work is not constant within 10 %% over the larger N: %.2f to %.2f times that of equal spheres", laws[l].name, low, high);
        }
        if (!isnan(work[l][systems - 1]) && l > 0) {
            most_work = fmax(most_work, work[l][systems - 1]);
            most_time = fmax(most_time, time[l][systems - 1]);
            most_step = fmax(most_step, steps[l][systems - 1]);
        }
    }
    if (status == SCREE_OK && most_work <= 1.5)
        findings_agrees(f, "for the largest N the search is at most %.2f times that of equal spheres by count, %.2f by time; whole steps %.2f (paper: 1.5 of "
                        "whole steps). Forces and motion, which cost the same for all sizes, are a share of only %.2f of a step of equal spheres here", most_work, most_time,
                        most_step, fmax(rest, 0.0));
    else if (status == SCREE_OK)
        findings_differs(f, "for the largest N the search is up to %.2f times that of equal spheres by count, more than 1.5, and %.2f by time; whole steps %.2f (paper: 1.5 of "
                         "whole steps). Forces and motion, which cost the same for all sizes, are a share of only %.2f of a step of equal spheres here", most_work, most_time,
                         most_step, fmax(rest, 0.0));
    if (status == SCREE_OK) {
        scree_plot plot = scree_default_plot();
        plot.x_label = "spheres";
        plot.y_label = "relative time";
        plot.x_log = true;
        plot.series = series + 1;
        plot.series_count = law_count - 1;
        plot.title = "Time of the search by that of as many equal spheres";
        findings_plot(f, "search", &plot);
        for (int l = 1; l < law_count; ++l)
            series[l].y = steps[l];
        plot.title = "Time of whole steps by that of as many equal spheres";
        findings_plot(f, "", &plot);
        for (int l = 1; l < law_count; ++l)
            series[l].y = work[l];
        plot.title = "Counted work by that of as many equal spheres";
        plot.y_label = "relative work";
        plot.y_range[0] = 0.0;
        findings_plot(f, "work", &plot);
    }
    findings_note(f, "Density %g, where equal spheres are still a fluid; a search in every step, in the settings of the paper, two sizes with cells of the two diameters. Walls touch a larger share "
                     "of fewer spheres: the smallest N lie off.", density);
    return findings_close(f, status);
}

// ---- Systems drawn -------------------------------------------------------------------------------------------------

exit_code bench_ogarko_systems(const arguments* args, const common* co, bool quick)
{
    static const struct {
        const char *name, *law;
        double density;
    } systems[] = {{"equal", "mono:1", 0.62}, {"two-sizes-10", "bidisperse:10", 0.62}, {"uniform-size-50", "uniform-size:1:50", 0.62},
                   {"uniform-volume-50", "uniform-volume:1:50", 0.62}};
    findings* f = findings_open(args, co, "ogarko-systems", "The four packings");
    findings_columns(f, 1, (const char* const[]){"system", "spheres", "density", "largest_overlap", NULL});
    scree_status status = SCREE_OK;
    for (int s = 0; s < 4 && status == SCREE_OK; ++s) {
        scree_sphere_set set;
        status = make_system(systems[s].law, quick ? 3001 : 125001, quick ? 0.5 : systems[s].density, co, &set);
        scree_measure_def def = scree_default_measure_def();
        scree_measures measures = {0};
        def.box = set.box;
        if (status == SCREE_OK)
            status = scree_measure(&def, scree_sphere_set_view(&set), &measures);
        if (status == SCREE_OK) {
            scree_picture_def look = scree_default_picture_def();
            look.width = 1200;
            look.height = 1000;
            look.scale = SCREE_SCALE_LINEAR;
            status = findings_row(f, &systems[s].name, (const double[]){(double)set.count, bench_density(&set), measures.contacts.max_overlap});
            findings_picture(f, systems[s].name, &set, &look);
        }
        scree_measures_free(&measures);
        scree_sphere_set_free(&set);
    }
    findings_paper(f, "Fig. 3: 125001 spheres at density 0.62: equal; two sizes, ratio 10, of equal volumes; uniform size and uniform volume, ratio 50.");
    findings_note(f, "All four were grown and shaken as the paper says; the benchmark fails otherwise.");
    return findings_close(f, status);
}
