// ogarko-hypothesis: is it best to have equally many spheres per cell on every level? Hypothesis 1 of Ogarko and Luding, for which the paper gives no proof, put to the test.
//
//     radius   |....,,,,::::||||        The cut of the paper: levels end where each has m spheres per cell.
//              level 1 | 2  | 3
//                     <->  <->          Perturbed cuts: as many levels, each end moved by chance by a part of the distance to the next one, in logarithms.
//
// Each cut is searched once with the settings of the paper, and its work counted: box tests, and half a test for each cell looked into. Beside it stands
// the model for unequal levels, the sum of m + K over them (the paper's L (m + K) if all m are equal). Random cuts show how deep the minimum is; a descent, which moves
// one end at a time and keeps what is better, shows how far below the paper's cut the best one lies.
//
// Sets: homogeneous ones, as in the paper, and the same spheres in clusters: eight turned copies of a smaller system in eight of 64 cells of a box, which the hypothesis was not made for.
#include "ogarko.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double amplitudes[] = {0.05, 0.1, 0.2, 0.45};
enum { amplitude_count = sizeof amplitudes / sizeof *amplitudes, most_cuts = 400, most_levels = SCREE_LEVELS_MOST };

typedef struct cut {
    int levels;
    double size[most_levels];      // of cells, rising; the last is the largest diameter
    double per_cell[most_levels];  // spheres per cell
    double work, model;            // counted per sphere; the sum of m + K
} cut;

typedef struct trial {
    const char* name;
    int count;
    double spread[most_cuts], work[most_cuts];  // largest m over smallest; relative to the work of the paper's cut
    int better;                                 // random cuts with less work than the paper's
    double best;                                // of the random ones
    cut paper, found;                           // the paper's, and what the descent came to
    int tried;                                  // by the descent
} trial;

// ---- Sets ----------------------------------------------------------------------------------------------------------

// Eight copies of the system, mirrored and with axes exchanged, in eight cells by chance of a box of 4 x 4 x 4, each as large as the system.
static scree_status make_clusters(const scree_sphere_set* one, uint64_t seed, scree_sphere_set* out)
{
    enum { copies = 8, across = 4, cells = across * across * across };
    scree_status status = scree_sphere_set_make(3, copies * one->count, out);
    if (status != SCREE_OK)
        return status;
    int cell[cells];
    double side = one->box.upper[0] - one->box.lower[0];
    scree_rng rng = scree_rng_make(seed, 21);
    for (int c = 0; c < cells; ++c)
        cell[c] = c;
    for (int c = 0; c < copies; ++c) {
        int other = c + (int)scree_rng_below(&rng, (uint64_t)(cells - c)), here = cell[other], turn = (int)scree_rng_below(&rng, 3), mirror = (int)scree_rng_below(&rng, 8);
        const int at[3] = {here % across, here / across % across, here / (across * across)};
        cell[other] = cell[c];
        for (int32_t i = 0; i < one->count; ++i) {
            int64_t to = (int64_t)c * one->count + i;
            out->r[to] = one->r[i];
            for (int k = 0; k < 3; ++k) {
                double x = one->x[3 * (int64_t)i + (k + turn) % 3] - one->box.lower[(k + turn) % 3];
                out->x[3 * to + k] = side * at[k] + ((mirror >> k & 1) != 0 ? side - x : x);
            }
        }
    }
    out->box = scree_box_sized(3, (double[3]){across * side, across * side, across * side});
    out->has_box = true;
    return SCREE_OK;
}

// ---- Cuts ----------------------------------------------------------------------------------------------------------

// Counts the spheres of each level, and the work of a search.
static scree_status weigh(const scree_sphere_set* set, const bench_options* co, cut* c)
{
    int64_t spheres[most_levels] = {0};
    for (int32_t i = 0; i < set->count; ++i) {
        int h = 0;
        while (h + 1 < c->levels && 2.0 * set->r[i] > c->size[h])
            ++h;
        ++spheres[h];
    }
    c->model = 0.0;
    for (int h = 0; h < c->levels; ++h) {
        double cells = 1.0;
        for (int k = 0; k < 3; ++k)
            cells *= fmax((set->box.upper[k] - set->box.lower[k]) / c->size[h], 1.0);
        c->per_cell[h] = (double)spheres[h] / cells;
        c->model += c->per_cell[h] + ogarko_k;
    }
    ogarko_search how = ogarko_paper_search;
    ogarko_cost found = {0};
    how.sizes = c->levels;
    how.cell_sizes = c->size;
    scree_status status = ogarko_find(set, &how, 0, co, &found);
    c->work = found.work;
    return status;
}

static double spread_of(const cut* c)
{
    double low = INFINITY, high = 0.0;
    for (int h = 0; h < c->levels; ++h) {
        low = fmin(low, c->per_cell[h]);
        high = fmax(high, c->per_cell[h]);
    }
    return high / low;
}

// Moves the end of level h by up to `part` of the distance to the nearer of its neighbours, in logarithms. Order is kept for parts below a half.
static void move_end(const cut* from, double smallest, int h, double part, scree_rng* rng, cut* to)
{
    double below = log(from->size[h] / (h > 0 ? from->size[h - 1] : smallest)), above = log(from->size[h + 1] / from->size[h]);
    to->size[h] = from->size[h] * exp(part * fmin(below, above) * (2.0 * scree_rng_uniform(rng) - 1.0));
}

// `level_count` 0: as many levels as make the model least.
static scree_status try_cuts(findings* f, const scree_sphere_set* set, int level_count, int cuts, int descent, const bench_options* co, trial* t)
{
    scree_levels_def def = scree_default_levels_def();
    scree_levels levels;
    def.levels = level_count;
    scree_status status = scree_find_levels(&def, &set->box, (int32_t)set->count, set->r, &levels);
    if (status != SCREE_OK)
        return status;
    cut* paper = &t->paper;
    double smallest = INFINITY;
    for (int32_t i = 0; i < set->count; ++i)
        smallest = fmin(smallest, 2.0 * set->r[i]);
    paper->levels = levels.rows[levels.chosen].levels;
    memcpy(paper->size, levels.cell_size, sizeof paper->size);
    status = weigh(set, co, paper);
    if (status == SCREE_OK)
        status = findings_row(f, &t->name, (const double[]){paper->levels, 0.0, 0.0, spread_of(paper), paper->work, 1.0, paper->model, 1.0});
    scree_rng rng = scree_rng_make(co->seed, 22);
    t->best = INFINITY;
    for (int a = 0; a < amplitude_count; ++a)
        for (int k = 0; k < cuts && status == SCREE_OK && t->count < most_cuts; ++k) {
            cut c = *paper;
            for (int h = 0; h + 1 < c.levels; ++h)
                move_end(paper, smallest, h, amplitudes[a], &rng, &c);
            status = weigh(set, co, &c);
            if (status != SCREE_OK)
                break;
            t->spread[t->count] = spread_of(&c);
            t->work[t->count] = c.work / paper->work;
            t->better += c.work < paper->work;
            t->best = fmin(t->best, c.work / paper->work);
            ++t->count;
            status = findings_row(f, &t->name, (const double[]){c.levels, amplitudes[a], k + 1, spread_of(&c), c.work, c.work / paper->work, c.model, c.model / paper->model});
        }
    t->found = *paper;
    double part = 0.4;
    for (t->tried = 0; t->tried < descent && paper->levels > 1 && status == SCREE_OK; ++t->tried) {
        cut c = t->found;
        move_end(&t->found, smallest, t->tried % (c.levels - 1), part, &rng, &c);
        status = weigh(set, co, &c);
        if (status == SCREE_OK && c.work < t->found.work)
            t->found = c;
        if (t->tried % (4 * (c.levels - 1)) == 4 * (c.levels - 1) - 1)
            part *= 0.8;
    }
    return status;
}

// ---- What was found ------------------------------------------------------------------------------------------------

static void compare(findings* f, const trial* t)
{
    double best = fmin(t->best, t->found.work / t->paper.work);
    char m[2][160] = {"", ""};
    for (int h = 0; h < t->paper.levels; ++h)
        for (int which = 0; which < 2; ++which) {
            size_t used = strlen(m[which]);
            snprintf(m[which] + used, sizeof m[which] - used, "%s%.2g", h > 0 ? " " : "", (which == 0 ? &t->paper : &t->found)->per_cell[h]);
        }
    if (best >= 0.98)
        findings_agrees(f, "%s: no cut into %d levels does less than 0.98 of the work of the paper's: the best of %d at random %.3f, a descent %.3f", t->name, t->paper.levels, t->count, t->best,
                        t->found.work / t->paper.work);
    else
        findings_differs(f, "%s: there are cuts into %d levels that do less than 0.98 of the work of the paper's: the best of %d at random %.3f, a descent %.3f", t->name, t->paper.levels, t->count,
                         t->best, t->found.work / t->paper.work);
    findings_note(f, "%s: %d of %d random cuts do less work than the paper's, %.3g per sphere. Spheres per cell, from the smallest on: %s; after the descent (%d cuts tried) %s, with a model cost of "
                     "%.2f times the paper's cut.", t->name, t->better, t->count, t->paper.work, m[0], t->tried, m[1], t->found.model / t->paper.model);
}

static void plot_cuts(findings* f, const char* suffix, const char* title, const trial* trials, int count)
{
    scree_series series[5];
    double end = 1.0, one[2] = {1.0, 1.0}, across[2];
    for (int t = 0; t < count; ++t) {
        series[t] = (scree_series){.name = trials[t].name, .count = trials[t].count, .x = trials[t].spread, .y = trials[t].work, .style = SCREE_SERIES_POINTS};
        for (int k = 0; k < trials[t].count; ++k)
            end = fmax(end, trials[t].spread[k]);
    }
    across[0] = 1.0;
    across[1] = end;
    series[count] = (scree_series){.name = "the paper's cut", .count = 2, .x = across, .y = one, .style = SCREE_SERIES_DASHES};
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.x_label = "most spheres per cell of a level over least";
    plot.y_label = "counted work by that of the paper's cut";
    plot.x_log = true;
    plot.series = series;
    plot.series_count = count + 1;
    findings_plot(f, suffix, &plot);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const struct {
        const char *name, *clustered, *law;
        int32_t quick_count;
        double quick_density;
    } laws[] = {{"uniform volume 50", "uniform volume 50, clustered", "uniform-volume:1:50", 2001, 0.4}, {"uniform size 50", "uniform size 50, clustered", "uniform-size:1:50", 2001, 0.4}};
    static trial trials[2][2];  // homogeneous, clustered
    scree_status status = SCREE_OK;
    for (int l = 0; l < 2 && status == SCREE_OK; ++l)
        for (int clustered = 0; clustered < 2 && status == SCREE_OK; ++clustered) {
            trial* t = &trials[clustered][l];
            int32_t count = quick ? laws[l].quick_count : 125001;
            ogarko_system system;
            scree_sphere_set clusters = {0};
            *t = (trial){.name = clustered != 0 ? laws[l].clustered : laws[l].name};
            status = ogarko_make(laws[l].law, quick || clustered == 0 ? count : count / 8, quick ? laws[l].quick_density : clustered == 0 ? 0.62 : 0.5, co, &system);
            if (status == SCREE_OK && clustered != 0)
                status = make_clusters(&system.set, co->seed, &clusters);
            if (status == SCREE_OK)
                status = try_cuts(f, clustered != 0 ? &clusters : &system.set, clustered != 0 ? trials[0][l].paper.levels : 0, quick ? 8 : 50, quick ? 40 : 200, co, t);
            if (status == SCREE_OK) {
                compare(f, t);
                ogarko_describe(f, t->name, &system);
            }
            scree_sphere_set_free(&clusters);
            ogarko_free(&system);
        }
    findings_paper(f, "Hypothesis 1: the optimal distribution of particles by levels has the same number m of particles per cell on all of them. A discussion is left to a future publication.");
    if (status == SCREE_OK) {
        plot_cuts(f, "", "Cuts into as many levels as the paper's, ends moved at random: homogeneous", trials[0], 2);
        plot_cuts(f, "clustered", "Cuts into as many levels as the paper's, ends moved at random: clustered", trials[1], 2);
    }
    findings_note(f, "Not in the paper. The ends of levels are moved by up to 0.05, 0.1, 0.2 and 0.45 of the distance to the next one, in logarithms; the number of levels stays, and so does the largest cell. Work: "
                     "box tests, and half a test for each cell; model: the sum of m + 0.3 over the levels. Clusters: eight turned copies of one system of an eighth "
                     "of the spheres, in eight of 64 cells of the box, with as many levels as the homogeneous system.");
    return status;
}

const experiment bench_ogarko_hypothesis = {
    .name = "ogarko-hypothesis",
    .about = "their Hypothesis 1: levels with equally many spheres per cell, compared with perturbed ones, counted",
    .title = "Equally many spheres per cell on all levels?",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "levels", "amplitude", "cut", "m_most_by_least", "work", "work_relative", "model", "model_relative", NULL},
};
