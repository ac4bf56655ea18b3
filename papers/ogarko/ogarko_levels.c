// ogarko-levels: figure 4 of Ogarko and Luding: how much slower everything is with L levels than with the best number of them, for every L from 1 to 50.
//
// Counted work is box tests and half a test for each cell that is looked into; verdicts go by it, because it does not depend on the machine. What a cell costs does: a table shows what comes
// out for other costs. The paper times whole steps; forces and motion add the same to a step for every L. Since they are not part of the counts, it is
// worked out how much they would have to be for the paper's factor in one system, and what the same amount makes of the other.
#include "ogarko.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_rows = 64 };

typedef struct curve {
    const char* name;  // of the sizes; borrowed
    int count;
    double density;
    bool timed_steps;
    double levels[most_rows], m[most_rows], model[most_rows], work[most_rows], box_tests[most_rows], cells[most_rows];
    bench_quartiles search[most_rows], step[most_rows];  // seconds; NAN where they were not timed
    int best_work, best_model;                           // places in the arrays
    double k_work, k_search, k_step;                     // K that fits best; NAN without times
} curve;

// K for which L (m + K), with a factor, comes closest to y, in logarithms. Rows without y are left out.
static double fit_cell_cost(const curve* c, const double* y)
{
    double best = NAN, least = INFINITY;
    for (double k = 0.01; k < 100.0; k *= 1.01) {
        double sum = 0.0, squares = 0.0, count = 0.0;
        for (int i = 0; i < c->count; ++i) {
            if (!(y[i] > 0.0))
                continue;
            double d = log(y[i] / (c->levels[i] * (c->m[i] + k)));
            sum += d;
            squares += d * d;
            count += 1.0;
        }
        if (count > 2.0 && squares - sum * sum / count < least) {
            least = squares - sum * sum / count;
            best = k;
        }
    }
    return best;
}

// What a test and a look into a cell take, and what a search takes beside them, per sphere.
typedef struct prices {
    double test, cell, rest;  // seconds
} prices;

// By least squares of relative errors over the L that were timed.
static prices fit_prices(const curve* c, double n)
{
    double a[3][4] = {{0.0}};
    for (int k = 0; k < c->count; ++k) {
        double t = c->search[k].median / n, column[3] = {c->box_tests[k] / t, c->cells[k] / t, 1.0 / t};
        if (!(t > 0.0))
            continue;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j)
                a[i][j] += column[i] * column[j];
            a[i][3] += column[i];
        }
    }
    for (int i = 0; i < 3; ++i)
        for (int row = 0; row < 3; ++row) {
            double factor = a[row][i] / a[i][i];
            for (int j = 0; j < 4 && row != i; ++j)
                a[row][j] -= factor * a[i][j];
        }
    return (prices){a[0][3] / a[0][0], a[1][3] / a[1][1], a[2][3] / a[2][2]};
}

static int least_at(const double* y, int count)
{
    int at = -1;
    for (int k = 0; k < count; ++k)
        if (!isnan(y[k]) && (at < 0 || y[k] < y[at]))
            at = k;
    return at;
}

// The value at L levels; NAN if that number does not occur.
static double at_levels(const curve* c, const double* y, double levels)
{
    for (int k = 0; k < c->count; ++k)
        if (c->levels[k] == levels)
            return y[k];
    return NAN;
}

static void medians(const bench_quartiles* q, int count, double* out)
{
    for (int k = 0; k < count; ++k)
        out[k] = q[k].median;
}

// All L are counted; times change little beyond some.
static bool is_timed(bool quick, int levels)
{
    return levels <= (quick ? 10 : 20) || levels % (quick ? 10 : 5) == 0;
}

static scree_status sweep(findings* f, const char* name, const scree_sphere_set* set, double density, bool steps, bool quick, const bench_options* co, curve* c)
{
    scree_levels_def def = scree_default_levels_def();
    scree_levels levels;
    scree_status status = scree_find_levels(&def, &set->box, (int32_t)set->count, set->r, &levels);
    *c = (curve){.name = name, .density = density, .timed_steps = steps};
    for (int row = 0; row < levels.count && status == SCREE_OK; ++row) {
        ogarko_search how = ogarko_paper_search;
        ogarko_cost found;
        int k = c->count;
        how.levels = levels.rows[row].levels;
        bool timed = is_timed(quick, how.levels);
        c->step[k] = (bench_quartiles){NAN, NAN, NAN};
        status = ogarko_find(set, &how, timed ? 5 : 0, co, &found);
        if (status == SCREE_OK && steps && timed)
            status = ogarko_step(set, &how, 5, set->count < 20000 ? 2 : 1, co, &c->step[k]);
        if (status != SCREE_OK)
            break;
        c->levels[k] = how.levels;
        c->m[k] = levels.rows[row].m;
        c->model[k] = levels.rows[row].cost;
        c->work[k] = found.work;
        c->box_tests[k] = found.box_tests;
        c->cells[k] = found.cells;
        c->search[k] = found.seconds;
        ++c->count;
        status = findings_row(f, &name, (const double[]){density, how.levels, c->m[k], c->model[k], found.box_tests, found.tests, found.cells, found.work, found.seconds.median * 1e3,
                                                         found.seconds.low * 1e3, found.seconds.high * 1e3, c->step[k].median * 1e3, c->step[k].low * 1e3, c->step[k].high * 1e3});
    }
    if (status != SCREE_OK)
        return status;
    double y[most_rows] = {0.0};
    c->best_work = least_at(c->work, c->count);
    c->best_model = least_at(c->model, c->count);
    c->k_work = fit_cell_cost(c, c->work);
    medians(c->search, c->count, y);
    c->k_search = fit_cell_cost(c, y);
    medians(c->step, c->count, y);
    c->k_step = steps ? fit_cell_cost(c, y) : NAN;
    return SCREE_OK;
}

// Times and their quartiles by the least median.
static scree_series by_least(const char* name, const curve* c, const bench_quartiles* q, double out[3][most_rows])
{
    medians(q, c->count, out[0]);
    int at = least_at(out[0], c->count);
    double unit = at < 0 ? NAN : q[at].median;
    for (int k = 0; k < c->count; ++k) {
        out[0][k] = q[k].median / unit;
        out[1][k] = q[k].low / unit;
        out[2][k] = q[k].high / unit;
    }
    return (scree_series){.name = name, .count = c->count, .x = c->levels, .y = out[0], .low = out[1], .high = out[2], .style = SCREE_SERIES_POINTS};
}

// What the paper says in words: its fastest number of levels, and how much slower one is. `slow` 0: nothing.
typedef struct printed {
    double best, slow;
} printed;

static void plot_levels(findings* f, const char* suffix, const char* title, const curve* c, printed paper)
{
    double work[most_rows], model[most_rows], search[3][most_rows], step[3][most_rows];
    for (int k = 0; k < c->count; ++k) {
        work[k] = c->work[k] / c->work[c->best_work];
        model[k] = c->model[k] / c->model[c->best_model];
    }
    const double at[2] = {1.0, paper.best}, slow[2] = {paper.slow, 1.0};
    scree_series series[5];
    int count = 0;
    series[count++] = (scree_series){.name = "counted work", .count = c->count, .x = c->levels, .y = work};
    series[count++] = (scree_series){.name = "L (m + 0.3)", .count = c->count, .x = c->levels, .y = model, .style = SCREE_SERIES_CURVE};
    series[count++] = by_least("time of a search", c, c->search, search);
    if (c->timed_steps)
        series[count++] = by_least("time of a whole step", c, c->step, step);
    if (paper.slow > 0.0)
        series[count++] = (scree_series){.name = "the paper, whole steps", .count = 2, .x = at, .y = slow, .style = SCREE_SERIES_HOLLOW};
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.x_label = "levels";
    plot.y_label = "relative to the least";
    plot.x_log = plot.y_log = true;
    plot.series = series;
    plot.series_count = count;
    findings_plot(f, suffix, &plot);
}

static void tell_curve(findings* f, const char* name, const scree_sphere_set* set, const curve* c)
{
    double y[most_rows] = {0.0};
    prices p = fit_prices(c, (double)set->count);
    medians(c->search, c->count, y);
    int search = least_at(y, c->count);
    double slow_search = y[0] / y[search];
    medians(c->step, c->count, y);
    int step = least_at(y, c->count);
    findings_note(f, "%s at density %.3g: model cost is least at L = %g, counted work at %g, the time of a search at %g; one level costs %.3g (model), %.3g (counted), %.3g (search timed) "
                     "times the best; K fitted to all L: %.2f (counted), %.2f (search timed).",
                  name, c->density, c->levels[c->best_model], c->levels[c->best_work], c->levels[search], c->model[0] / c->model[c->best_model], c->work[0] / c->work[c->best_work],
                  slow_search, c->k_work, c->k_search);
    if (p.test > 0.0 && p.cell > 0.0)
        findings_note(f, "%s at density %.3g: the times of searches are best fitted by %.3g ns for a test, %.3g ns for a visit of a cell and a further %.0f ns for each sphere. A cell costs as much as %.2f "
                         "tests here.", name, c->density, p.test * 1e9, p.cell * 1e9, p.rest * 1e9, p.cell / p.test);
    if (c->timed_steps)
        findings_note(f, "%s at density %.3g: whole steps are fastest at L = %g, %.3g of the time being the search; with one level they take %.3g times as long; K fitted to them %.2f.", name,
                      c->density, c->levels[step], fmin(c->search[step].median / y[step], 1.0), y[0] / y[step], c->k_step);
}

// ---- Verdicts ------------------------------------------------------------------------------------------------------

// The number of levels that the paper found, or that its model predicts, is as good as the best one.
static void compare_best(findings* f, const char* name, const curve* c, double levels, const char* whose)
{
    double loss = at_levels(c, c->work, levels) / c->work[c->best_work];
    if (loss <= 1.1)
        findings_agrees(f, "%s, density %.3g: counted work is least with %g levels; with %g, %s, it is %.3f times that (1.1 allowed)", name, c->density, c->levels[c->best_work], levels, whose, loss);
    else
        findings_differs(f, "%s, density %.3g: counted work is least with %g levels; with %g, %s, it is %.3f times that, more than 1.1", name, c->density, c->levels[c->best_work], levels, whose,
                         loss);
}

// Counted work and L (m + 0.3) by their least values, over all L.
static void compare_model(findings* f, const char* name, const curve* c)
{
    double worst = 1.0, at = 1.0;
    for (int k = 0; k < c->count; ++k) {
        double by = c->work[k] / c->work[c->best_work] / (c->model[k] / c->model[c->best_model]), off = fmax(by, 1.0 / by);
        if (off > worst) {
            worst = off;
            at = c->levels[k];
        }
    }
    if (worst <= 1.5)
        findings_agrees(f, "%s, density %.3g: counted work follows L (m + 0.3) from 1 to %g levels within a factor of %.2f (1.5 allowed)", name, c->density, c->levels[c->count - 1], worst);
    else
        findings_differs(f, "%s, density %.3g: counted work does not follow L (m + 0.3) from 1 to %g levels within a factor of 1.5: it is off by %.2f at L = %g", name, c->density,
                         c->levels[c->count - 1], worst, at);
}

// K that fits counted work over all L best, if a cell costs this much.
static double k_at(const curve* c, double cell_cost)
{
    double y[most_rows] = {0.0};
    for (int k = 0; k < c->count; ++k)
        y[k] = c->box_tests[k] + cell_cost * c->cells[k];
    return fit_cell_cost(c, y);
}

// The paper gives a range for all its systems.
static void compare_k(findings* f, const curve* const* curves, int count)
{
    double low = INFINITY, high = 0.0;
    for (int k = 0; k < count; ++k) {
        low = fmin(low, curves[k]->k_work);
        high = fmax(high, curves[k]->k_work);
    }
    if (low >= 0.2 / 1.2 && high <= 1.2 * 0.45)
        findings_agrees(f, "K that fits counted work over all L, a cell counting as half a test, is %.2f to %.2f in the %d systems; the paper has 0.2 to 0.45 (a factor of 1.2 allowed)", low, high, count);
    else
        findings_differs(f, "K that fits counted work over all L, a cell counting as half a test, is %.2f to %.2f in the %d systems, and not 0.2 to 0.45 as in the paper (a factor of 1.2 allowed)", low, high, count);
}

static void compare_slow(findings* f, const char* name, const curve* c, double paper)
{
    double slow = c->work[0] / c->work[c->best_work];
    if (slow >= paper / 1.25 && slow <= 1.25 * paper)
        findings_agrees(f, "%s: counted work of one level is %.3g times the least; the paper's whole steps are %.3g times slower (a factor of 1.25 allowed)", name, slow, paper);
    else
        findings_differs(f, "%s: counted work of one level is %.3g times the least; the paper's whole steps are %.3g times slower, off by more than a factor of 1.25", name, slow, paper);
}

// What forces and motion would have to cost per sphere and step, in tests, so that one level is as much slower than the best as the paper says.
static double rest_of_step(const curve* c, double slow)
{
    return (c->work[0] - slow * c->work[c->best_work]) / (slow - 1.0);
}

static double slow_with(const curve* c, double rest)
{
    return (c->work[0] + rest) / (c->work[c->best_work] + rest);
}

static const struct {
    const char *name, *law, *file;
    int32_t quick_count;
    double quick_density;  // few spheres between walls jam early
    printed paper;
} laws[] = {{"uniform volume 50", "uniform-volume:1:50", "uv50", 2001, 0.4, {8.0, 220.0}}, {"uniform size 50", "uniform-size:1:50", "us50", 2001, 0.4, {2.0, 1.3}}};

// The paper times whole steps. One amount of work beside the search has to explain both of its factors.
static void compare_rest(findings* f, const curve* volume, const curve* size)
{
    double wanted = laws[1].paper.slow, rest = rest_of_step(volume, laws[0].paper.slow), slow = slow_with(size, rest);
    if (rest > 0.0 && fabs(slow - wanted) <= 0.1)
        findings_agrees(f, "a whole step, as the paper times it, is a search, forces and motion. If forces and motion are worth %.3g tests per sphere, one level is %.3g times slower for uniform "
                        "volume, as in the paper, and %.2f times for uniform size; the paper has %.2f (0.1 allowed)", rest, laws[0].paper.slow, slow, wanted);
    else
        findings_differs(f, "a whole step, as the paper times it, is a search, forces and motion. These do not explain both factors of the paper: if they are worth %.3g tests per sphere, one "
                         "level is %.3g times slower for uniform volume, as in the paper, but %.2f times for uniform size and not %.2f (0.1 allowed), for which they would have to be worth %.3g", rest,
                         laws[0].paper.slow, slow, wanted, rest_of_step(size, wanted));
}

// ---- The benches ---------------------------------------------------------------------------------------------------

// The same curve for the user's radii: as they lie, or of their size distribution, grown to the density.
static scree_status own_levels(findings* f, const bench_own* own, bool quick, const bench_options* co)
{
    static curve c;
    ogarko_system made = {.rate = 0.0};
    scree_status status = own->law != NULL ? ogarko_make(own->law, own->count, own->density, co, &made) : SCREE_OK;
    const scree_sphere_set* set = own->law != NULL ? &made.set : &own->set;
    if (status == SCREE_OK)
        status = sweep(f, own->name, set, bench_density(set), false, quick, co, &c);
    if (status == SCREE_OK) {
        char title[96];
        snprintf(title, sizeof title, "Slow-down: %s, density %.3g", own->name, c.density);
        plot_levels(f, "", title, &c, (printed){0.0, 0.0});
        tell_curve(f, own->name, set, &c);
        compare_best(f, own->name, &c, c.levels[c.best_model], "as the model predicts");
        if (own->law != NULL)
            ogarko_describe(f, own->name, &made);
    }
    ogarko_free(&made);
    return status;
}

// What comes out if a look into a cell costs more or less than half a test.
static scree_status tell_cell_costs(findings* f, const curve* const* curves, int count)
{
    static const double costs[] = {0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0};
    scree_status status = SCREE_OK;
    findings_table(f, "cells", 1, (const char* const[]){"sizes", "density", "cell_cost", "best_levels", "one_level", "K", NULL});
    for (int k = 0; k < count; ++k)
        for (size_t w = 0; w < sizeof costs / sizeof *costs && status == SCREE_OK; ++w) {
            const curve* c = curves[k];
            double y[most_rows] = {0.0};
            for (int i = 0; i < c->count; ++i)
                y[i] = c->box_tests[i] + costs[w] * c->cells[i];
            int best = least_at(y, c->count);
            status = findings_row(f, &c->name, (const double[]){c->density, costs[w], c->levels[best], y[0] / y[best], k_at(c, costs[w])});
        }
    return status;
}

static scree_status papers_levels(findings* f, bool quick, const bench_options* co)
{
    static curve all[2][3];
    const curve* each[6];
    int made = 0;
    scree_status status = SCREE_OK;
    for (int l = 0; l < 2 && status == SCREE_OK; ++l)
        for (int d = 0; d < (quick ? 1 : 3) && status == SCREE_OK; ++d) {
            const double densities[] = {quick ? laws[l].quick_density : 0.62, 0.4, 0.1};
            curve* c = &all[l][d];
            ogarko_system system;
            status = ogarko_make(laws[l].law, quick ? laws[l].quick_count : 125001, densities[d], co, &system);
            if (status == SCREE_OK)
                status = sweep(f, laws[l].name, &system.set, densities[d], d == 0, quick, co, c);
            if (status == SCREE_OK) {
                char title[96], suffix[32];
                snprintf(title, sizeof title, "Slow-down: %s, density %g", laws[l].name, densities[d]);
                snprintf(suffix, sizeof suffix, "%s-%g", laws[l].file, densities[d]);
                plot_levels(f, suffix, title, c, d == 0 && !quick ? laws[l].paper : (printed){0.0, 0.0});
                tell_curve(f, laws[l].name, &system.set, c);
                ogarko_describe(f, laws[l].name, &system);
                if (d == 0 && !quick)  // the paper's system
                    compare_best(f, laws[l].name, c, laws[l].paper.best, "the fastest in the paper");
                compare_best(f, laws[l].name, c, c->levels[c->best_model], "as the model predicts");
                compare_model(f, laws[l].name, c);
                if (d == 0 && !quick)
                    compare_slow(f, laws[l].name, c, laws[l].paper.slow);
                each[made++] = c;
            }
            ogarko_free(&system);
        }
    if (status == SCREE_OK)
        compare_k(f, each, made);
    if (status == SCREE_OK && !quick)
        compare_rest(f, &all[0][0], &all[1][0]);
    return status == SCREE_OK ? tell_cell_costs(f, each, made) : status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.5, &own);
    if (own.given)
        findings_own(f, own.name);
    if (status == SCREE_OK)
        status = own.given ? own_levels(f, &own, quick, co) : papers_levels(f, quick, co);
    findings_paper(f, "Fig. 4: with 125001 spheres at density 0.62 and a size ratio of 50, 8 levels are fastest for uniform volume (7 predicted, with K = 0.3) and one "
                      "level is 220 times slower; for uniform size 2 levels, and one is 30 %% slower. K varies from 0.2 to 0.45. At densities 0.1 and 0.4 the prediction "
                      "matches very well. Times are for whole steps.");
    findings_note(f, "Settings of the paper: larger sphere into the finer grid, r + half a cell, boxes tested first. Work counts box tests, and half a test for each cell; what comes out for other "
                     "costs of a cell is in ogarko-levels-cells.csv. All L are counted; timed are those up to 20 and every fifth beyond (--quick: up to 10 and every tenth): medians of 5, whiskers are quartiles.");
    scree_sphere_set_free(&own.set);
    return status;
}

const experiment bench_ogarko_levels = {
    .name = "ogarko-levels",
    .about = "Ogarko and Luding, Fig. 4: slow-down against the number of levels",
    .title = "Slow-down against the number of levels",
    .paper = true,
    .takes = TAKES_OWN | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "density", "levels", "m", "model", "box_tests", "tests", "cells", "work", "ms", "ms_low", "ms_high", "step_ms", "step_ms_low",
                                                 "step_ms_high", NULL},
};
