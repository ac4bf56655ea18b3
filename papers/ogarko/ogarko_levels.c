// ogarko-levels: figure 4 of Ogarko and Luding.
//
// The paper runs 125001 spheres of size ratio 50 with L levels, for every L from 1 to 50, and plots by what factor whole steps are slower than with the best L, beside its prediction
// L (m + K), K = 0.3. It claims: for uniform volume 8 levels are fastest, 7 are predicted, and one level is about 220 times slower; for uniform size 2 are fastest, and one is about 30 % slower;
// at densities 0.1 and 0.4 the prediction matches very well; K is 0.2 to 0.45.
//
// Counted work is box tests and half a test for each cell that is looked into: it does not depend on the machine. What a cell costs does; a table shows what comes out for other costs. Factors
// between numbers of levels are also timed, whole steps in turns.
#include "ogarko.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_rows = 64 };

typedef struct curve {
    const char* name;  // of the sizes; borrowed
    int count;
    double density;
    double levels[most_rows], m[most_rows], model[most_rows], work[most_rows], box_tests[most_rows], cells[most_rows];
    bench_quartiles search[most_rows], step[most_rows];  // seconds; NAN where they were not timed
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

static int least_at(const double* y, int count)
{
    int at = -1;
    for (int k = 0; k < count; ++k)
        if (!isnan(y[k]) && (at < 0 || y[k] < y[at]))
            at = k;
    return at;
}

// The place of L levels; -1 if that number does not occur.
static int place_of(const curve* c, double levels)
{
    for (int k = 0; k < c->count; ++k)
        if (c->levels[k] == levels)
            return k;
    return -1;
}

// Counted work by what a cell costs.
static void count_work(const curve* c, double cell_cost, double* out)
{
    for (int k = 0; k < c->count; ++k)
        out[k] = c->box_tests[k] + cell_cost * c->cells[k];
}

// All L are counted; times change little beyond some.
static bool is_timed(bool quick, int levels)
{
    return levels <= (quick ? 10 : 20) || levels % (quick ? 10 : 5) == 0;
}

static scree_status sweep(findings* f, const scree_sphere_set* set, bool steps, const bench_options* co, curve* c)
{
    scree_levels_def def = scree_default_levels_def();
    scree_levels levels;
    scree_status status = scree_find_levels(&def, &set->box, (int32_t)set->count, set->r, &levels);
    for (int row = 0; row < levels.count && status == SCREE_OK; ++row) {
        ogarko_turn turn = {.set = set, .how = ogarko_paper_search, .seconds = {NAN, NAN, NAN}};
        ogarko_cost found;
        const int k = c->count;
        turn.how.levels = levels.rows[row].levels;
        const bool timed = is_timed(co->quick, turn.how.levels);
        status = ogarko_find(set, &turn.how, timed ? 5 : 0, co, &found);
        if (status == SCREE_OK && steps && timed)
            status = ogarko_turns(&turn, 1, set->count < 20000 ? 2 : 1, co);
        if (status != SCREE_OK)
            break;
        c->levels[k] = turn.how.levels;
        c->m[k] = levels.rows[row].m;
        c->model[k] = levels.rows[row].cost;
        c->work[k] = found.work;
        c->box_tests[k] = found.box_tests;
        c->cells[k] = found.cells;
        c->search[k] = found.seconds;
        c->step[k] = turn.seconds;
        ++c->count;
        status = findings_row(f, &c->name, (const double[]){c->density, turn.how.levels, c->m[k], c->model[k], found.box_tests, found.tests, found.cells, found.work, found.seconds.median * 1e3,
                                                            found.seconds.low * 1e3, found.seconds.high * 1e3, c->step[k].median * 1e3, c->step[k].low * 1e3, c->step[k].high * 1e3});
    }
    return status;
}

// ---- What follows from a curve ---------------------------------------------------------------------------------------

// One line of the figure, by its least value.
static scree_status tell_line(findings* f, const char* file, const char* line, const curve* c, const double* y, const bench_quartiles* q)
{
    double shown[most_rows];
    for (int k = 0; k < c->count; ++k)
        shown[k] = q != NULL ? q[k].median : y[k];
    const int best = least_at(shown, c->count);
    scree_status status = SCREE_OK;
    for (int k = 0; k < c->count && best >= 0 && status == SCREE_OK; ++k)
        if (!isnan(shown[k]))
            status = findings_point(f, (const char*[]){file, line}, (const double[]){c->levels[k], shown[k] / shown[best], (q != NULL ? q[k].low : NAN) / shown[best],
                                                                                   (q != NULL ? q[k].high : NAN) / shown[best]});
    return status;
}

static scree_status tell_lines(findings* f, const char* file, const curve* c)
{
    scree_status status = tell_line(f, file, "counted work", c, c->work, NULL);
    if (status == SCREE_OK)
        status = tell_line(f, file, "L (m + 0.3)", c, c->model, NULL);
    if (status == SCREE_OK)
        status = tell_line(f, file, "time of a search", c, NULL, c->search);
    return status == SCREE_OK ? tell_line(f, file, "time of a whole step", c, NULL, c->step) : status;
}

static const struct {
    const char *name, *law, *file;
    int32_t quick_count;
    double quick_density;  // few spheres between walls jam early
    double best;           // levels that are fastest in the paper
} laws[] = {{"uniform volume 50", "uniform-volume:1:50", "uv50", 2001, 0.4, 8.0}, {"uniform size 50", "uniform-size:1:50", "us50", 2001, 0.4, 2.0}};

// The numbers that the paper speaks of. `paper`: its best number of levels; 0: none. set NULL: steps are not timed.
static scree_status tell_summary(findings* f, const curve* c, double paper, const scree_sphere_set* set, const bench_options* co)
{
    double search[most_rows], step[most_rows], off = 1.0;
    for (int k = 0; k < c->count; ++k) {
        search[k] = c->search[k].median;
        step[k] = c->step[k].median;
    }
    const int work = least_at(c->work, c->count), model = least_at(c->model, c->count), fastest = least_at(step, c->count), there = place_of(c, paper);
    for (int k = 0; k < c->count; ++k) {
        double by = c->work[k] / c->work[work] / (c->model[k] / c->model[model]);
        off = fmax(off, fmax(by, 1.0 / by));
    }
    // The best number of levels, one level, and the paper's best, in turns.
    ogarko_turn turn[3] = {{.set = fastest >= 0 ? set : NULL, .how = ogarko_paper_search, .quotient = {NAN, NAN, NAN}}};
    turn[0].how.levels = fastest >= 0 ? (int32_t)c->levels[fastest] : 1;
    turn[1] = turn[2] = turn[0];
    turn[1].how.levels = 1;
    turn[2].how.levels = there >= 0 ? (int32_t)paper : 1;
    scree_status status = turn[0].set != NULL ? ogarko_turns(turn, 3, 1, co) : SCREE_OK;
    const bench_quartiles *one = &turn[1].quotient, *its = &turn[2].quotient;
    return status != SCREE_OK ? status : findings_row(f, &c->name, (const double[]){c->density, c->levels[model], c->levels[work], c->work[0] / c->work[work],
                                                                     there >= 0 ? c->work[there] / c->work[work] : NAN, c->work[model] / c->work[work], off, fit_cell_cost(c, c->work),
                                                                     fit_cell_cost(c, search), fit_cell_cost(c, step), fastest >= 0 ? c->levels[fastest] : NAN, one->median, one->low, one->high,
                                                                     its->median, its->low, its->high});
}

// What comes out if a look into a cell costs more or less than half a test.
static scree_status tell_cell_costs(findings* f, const curve* c)
{
    static const double costs[] = {0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0};
    scree_status status = SCREE_OK;
    for (size_t w = 0; w < sizeof costs / sizeof *costs && status == SCREE_OK; ++w) {
        double y[most_rows] = {0.0};
        count_work(c, costs[w], y);
        const int best = least_at(y, c->count);
        status = findings_row(f, &c->name, (const double[]){c->density, costs[w], c->levels[best], y[0] / y[best], fit_cell_cost(c, y)});
    }
    return status;
}

// ---- The bench -----------------------------------------------------------------------------------------------------

static scree_status run_bench(findings* f, const bench_options* co)
{
    enum { most_systems = 6 };
    static curve all[most_systems];
    ogarko_system made[most_systems] = {{.rate = 0.0}};
    char files[most_systems][32];
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.5, &own);
    const int densities = co->quick ? 1 : 3, systems = own.given ? 1 : 2 * densities;
    const scree_sphere_set* sets[most_systems] = {&own.set};
    if (own.given)
        findings_own(f, own.name);
    for (int s = 0; s < systems && status == SCREE_OK; ++s) {
        const int l = s / densities, d = s % densities;
        const double density = own.given ? own.density : (const double[]){co->quick ? laws[l].quick_density : 0.62, 0.4, 0.1}[d];
        if (!own.given || own.law != NULL) {
            status = ogarko_make(own.given ? own.law : laws[l].law, own.given ? own.count : co->quick ? laws[l].quick_count : 125001, density, co, &made[s]);
            sets[s] = &made[s].set;
        }
        if (status != SCREE_OK)
            break;
        all[s] = (curve){.name = own.given ? own.name : laws[l].name, .density = own.given ? bench_density(sets[s]) : density};
        snprintf(files[s], sizeof files[s], "%s %g", own.given ? "own" : laws[l].file, density);
        status = sweep(f, sets[s], !own.given && d == 0, co, &all[s]);
        if (status == SCREE_OK && made[s].set.count > 0)
            ogarko_describe(f, all[s].name, &made[s]);
    }
    findings_table(f, "summary", 1, (const char* const[]){"sizes", "density", "best_by_model", "best_by_work", "one_level", "paper_levels", "model_levels", "off_model", "K", "K_search", "K_step",
                                                          "best_by_step", "one_level_step", "one_level_step_low", "one_level_step_high", "paper_levels_step", "paper_levels_step_low",
                                                          "paper_levels_step_high", NULL});
    for (int s = 0; s < systems && status == SCREE_OK; ++s)
        status = tell_summary(f, &all[s], !own.given && s % densities == 0 ? laws[s / densities].best : 0.0, !own.given && s % densities == 0 ? sets[s] : NULL, co);
    findings_table(f, "lines", 2, (const char* const[]){"system", "line", "levels", "relative", "relative_low", "relative_high", NULL});
    for (int s = 0; s < systems && status == SCREE_OK; ++s)
        status = tell_lines(f, own.given ? "own" : files[s], &all[s]);
    findings_table(f, "cells", 1, (const char* const[]){"sizes", "density", "cell_cost", "best_levels", "one_level", "K", NULL});
    for (int s = 0; s < systems && status == SCREE_OK; ++s)
        status = tell_cell_costs(f, &all[s]);
    findings_paper(f, "Fig. 4: with 125001 spheres at density 0.62 and a size ratio of 50, 8 levels are fastest for uniform volume (7 predicted, with K = 0.3) and one "
                      "level is 220 times slower; for uniform size 2 levels, and one is 30 %% slower. K varies from 0.2 to 0.45. At densities 0.1 and 0.4 the prediction "
                      "matches very well. Times are for whole steps.");
    findings_note(f, "Settings of the paper: larger sphere into the finer grid, r + half a cell, boxes tested first. Work counts box tests, and half a test for each cell; what comes out for other "
                     "costs of a cell is in ogarko-levels-cells.csv. All L are counted; timed are those up to 20 and every fifth beyond (--quick: up to 10 and every tenth), whiskers are quartiles. "
                     "Factors between the best number of levels, one, and the paper's are timed in turns.");
    for (int s = 0; s < systems; ++s)
        ogarko_free(&made[s]);
    scree_sphere_set_free(&own.set);
    return status;
}

#define LEVELS_CLAIMS(sizes_name, at, is_full)                                                                                                                               \
    {.quantity = sizes_name ", density " at ": counted work at the predicted number of levels, by the least", .source = "Fig. 4", .words = "matches very well", .least = 1.0, .most = 1.1, \
     .table = "summary", .column = "model_levels", .rows = "sizes=" sizes_name ";density=" at, .full = is_full},                                                             \
    {.quantity = sizes_name ", density " at ": counted work by L (m + 0.3) over all L, worst factor", .source = "Fig. 4", .words = "matches very well", .least = 1.0, .most = 1.5, \
     .table = "summary", .column = "off_model", .rows = "sizes=" sizes_name ";density=" at, .full = true}
#define LEVELS_CHART(suffix_name, system_name, title_text, ...) \
    {.suffix = suffix_name, .title = "Slow-down: " title_text, .x_label = "levels", .y_label = "relative to the least", .table = "lines", .x = "levels", .y = "relative", .by = "line", \
     .rows = "system=" system_name, .x_log = true, .y_log = true, __VA_ARGS__}

const experiment bench_ogarko_levels = {
    .name = "ogarko-levels",
    .about = "Ogarko and Luding, Fig. 4: slow-down against the number of levels",
    .title = "Slow-down against the number of levels",
    .paper = true,
    .takes = TAKES_OWN | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "density", "levels", "m", "model", "box_tests", "tests", "cells", "work", "ms", "ms_low", "ms_high", "step_ms", "step_ms_low", "step_ms_high", NULL},
    .claims = (const claim[]){
        {.quantity = "uniform volume 50: time of whole steps with one level, by that with the best number", .source = "Fig. 4", .paper = 220, .least = 176, .most = 275, .table = "summary",
         .column = "one_level_step", .rows = "sizes=uniform volume 50;density=0.62", .timed = true, .full = true},
        {.quantity = "uniform size 50: time of whole steps with one level, by that with the best number", .source = "Fig. 4", .paper = 1.3, .least = 1.2, .most = 1.4, .table = "summary",
         .column = "one_level_step", .rows = "sizes=uniform size 50;density=0.62", .timed = true, .full = true},
        {.quantity = "uniform volume 50: time of whole steps with 8 levels, the fastest in the paper, by that with the best number", .source = "Fig. 4", .paper = 1, .least = 0.9, .most = 1.1,
         .table = "summary", .column = "paper_levels_step", .rows = "sizes=uniform volume 50;density=0.62", .timed = true, .full = true},
        {.quantity = "uniform size 50: time of whole steps with 2 levels, the fastest in the paper, by that with the best number", .source = "Fig. 4", .paper = 1, .least = 0.9, .most = 1.1,
         .table = "summary", .column = "paper_levels_step", .rows = "sizes=uniform size 50;density=0.62", .timed = true, .full = true},
        {.quantity = "uniform volume 50: predicted number of levels", .source = "Fig. 4", .paper = 7, .least = 7, .most = 7, .table = "summary", .column = "best_by_model",
         .rows = "sizes=uniform volume 50;density=0.62", .full = true},
        {.quantity = "uniform volume 50: counted work with one level, by the least", .source = "Fig. 4", .paper = 220, .least = 176, .most = 275, .table = "summary", .column = "one_level",
         .rows = "sizes=uniform volume 50;density=0.62", .full = true},
        {.quantity = "uniform size 50: counted work with one level, by the least", .source = "Fig. 4", .paper = 1.3, .least = 1.2, .most = 1.4, .table = "summary", .column = "one_level",
         .rows = "sizes=uniform size 50;density=0.62", .full = true},
        {.quantity = "uniform volume 50: counted work with 8 levels, by the least", .source = "Fig. 4", .paper = 1, .least = 1.0, .most = 1.1, .table = "summary", .column = "paper_levels",
         .rows = "sizes=uniform volume 50;density=0.62", .full = true},
        {.quantity = "uniform size 50: counted work with 2 levels, by the least", .source = "Fig. 4", .paper = 1, .least = 1.0, .most = 1.1, .table = "summary", .column = "paper_levels",
         .rows = "sizes=uniform size 50;density=0.62", .full = true},
        LEVELS_CLAIMS("uniform volume 50", "0.62", true),
        LEVELS_CLAIMS("uniform volume 50", "0.4", false),
        LEVELS_CLAIMS("uniform volume 50", "0.1", true),
        LEVELS_CLAIMS("uniform size 50", "0.62", true),
        LEVELS_CLAIMS("uniform size 50", "0.4", false),
        LEVELS_CLAIMS("uniform size 50", "0.1", true),
        {.quantity = "K fitted to counted work over all L, least of all systems", .source = "Section 3", .paper = 0.2, .least = 0.17, .most = 0.45, .how = CLAIM_LEAST, .table = "summary", .column = "K", .full = true},
        {.quantity = "K fitted to counted work over all L, largest of all systems", .source = "Section 3", .paper = 0.45, .least = 0.2, .most = 0.54, .how = CLAIM_MOST, .table = "summary",
         .column = "K", .full = true},
        {0}},
    .charts = (const chart[]){
        LEVELS_CHART("uv50-0.62", "uv50 0.62", "uniform volume 50, density 0.62", .paper = (const chart_points[]){{"the paper, whole steps", 2, {{1, 220}, {8, 1}}}, {0}}),
        LEVELS_CHART("uv50-0.4", "uv50 0.4", "uniform volume 50, density 0.4", .paper = NULL),
        LEVELS_CHART("uv50-0.1", "uv50 0.1", "uniform volume 50, density 0.1", .paper = NULL),
        LEVELS_CHART("us50-0.62", "us50 0.62", "uniform size 50, density 0.62", .paper = (const chart_points[]){{"the paper, whole steps", 2, {{1, 1.3}, {2, 1}}}, {0}}),
        LEVELS_CHART("us50-0.4", "us50 0.4", "uniform size 50, density 0.4", .paper = NULL),
        LEVELS_CHART("us50-0.1", "us50 0.1", "uniform size 50, density 0.1", .paper = NULL),
        LEVELS_CHART("", "own", "own spheres", .paper = NULL),
        {0}},
};
