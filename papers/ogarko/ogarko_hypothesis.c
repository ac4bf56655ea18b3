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
// Sets: homogeneous ones, as in the paper; the same spheres in clusters, eight turned copies of a smaller system in eight of 64 cells of a box, which the hypothesis was not made for; and a search for
// counterexamples over size distributions, in random positions: power laws n ~ r^-a, two sizes, lognormal. docs/papers.md derives what to expect (Eq. 7).
#include "ogarko.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double amplitudes[] = {0.05, 0.1, 0.2, 0.45};
enum { amplitude_count = sizeof amplitudes / sizeof *amplitudes, most_levels = SCREE_LEVELS_MOST };

typedef struct cut {
    int levels;
    double size[most_levels];      // of cells, rising; the last is the largest diameter
    double per_cell[most_levels];  // spheres per cell
    double work, model;            // counted per sphere; the sum of m + K
} cut;

typedef struct trial {
    const char* name;
    double clustered;
    double best;       // work of the best random cut, by that of the paper's
    cut paper, found;  // the paper's, and what the descent came to
    int cuts, better;  // random ones, and how many of them do less work than the paper's
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

// Random cuts, then a descent. `level_count` 0: as many levels as make the model least.
static scree_status try_cuts(findings* f, const scree_sphere_set* set, int level_count, int cuts, int descent, const bench_options* co, trial* t)
{
    scree_levels_def def = scree_default_levels_def();
    scree_levels levels;
    def.levels = level_count;
    scree_status status = scree_find_levels(&def, &set->box, (int32_t)set->count, set->r, &levels);
    if (status != SCREE_OK)
        return status;
    cut* paper = &t->paper;
    double smallest = INFINITY, part = 0.4;
    for (int32_t i = 0; i < set->count; ++i)
        smallest = fmin(smallest, 2.0 * set->r[i]);
    paper->levels = levels.rows[levels.chosen].levels;
    memcpy(paper->size, levels.cell_size, sizeof paper->size);
    status = weigh(set, co, paper);
    if (status == SCREE_OK && f != NULL)
        status = findings_row(f, &t->name, (const double[]){paper->levels, 0.0, 0.0, spread_of(paper), paper->work, 1.0, paper->model, 1.0, t->clustered});
    scree_rng rng = scree_rng_make(co->seed, 22);
    t->best = INFINITY;
    for (int a = 0; a < amplitude_count; ++a)
        for (int k = 0; k < cuts && status == SCREE_OK; ++k) {
            cut c = *paper;
            for (int h = 0; h + 1 < c.levels; ++h)
                move_end(paper, smallest, h, amplitudes[a], &rng, &c);
            status = weigh(set, co, &c);
            t->better += c.work < paper->work;
            t->best = fmin(t->best, c.work / paper->work);
            ++t->cuts;
            if (status == SCREE_OK && f != NULL)
                status = findings_row(f, &t->name, (const double[]){c.levels, amplitudes[a], k + 1, spread_of(&c), c.work, c.work / paper->work, c.model, c.model / paper->model, t->clustered});
        }
    t->found = *paper;
    for (int tried = 0; tried < descent && paper->levels > 1 && status == SCREE_OK; ++tried) {
        cut c = t->found;
        move_end(&t->found, smallest, tried % (c.levels - 1), part, &rng, &c);
        status = weigh(set, co, &c);
        if (status == SCREE_OK && c.work < t->found.work)
            t->found = c;
        if (tried % (4 * (c.levels - 1)) == 4 * (c.levels - 1) - 1)
            part *= 0.8;
    }
    return status;
}

// A row of what was found: the best cut by the paper's, and the spheres per cell of the finest and coarsest level in both.
static scree_status tell_best(findings* f, const trial* t)
{
    const int last = t->paper.levels - 1;
    return findings_row(f, &t->name, (const double[]){t->paper.levels, t->cuts, t->better, t->best, t->found.work / t->paper.work, fmin(t->best, t->found.work / t->paper.work),
                                                      t->found.model / t->paper.model, t->paper.per_cell[0], t->paper.per_cell[last], t->found.per_cell[0], t->found.per_cell[last]});
}

// ---- Other size distributions -----------------------------------------------------------------------------------------

static const struct {
    const char *name, *law;
} others[] = {{"power 0", "power:1:50:0"}, {"power 1", "power:1:50:1"}, {"power 2", "power:1:50:2"}, {"power 3", "power:1:50:3"}, {"power 3.5", "power:1:50:3.5"}, {"power 4", "power:1:50:4"},
              {"power 5", "power:1:50:5"}, {"power 6", "power:1:50:6"}, {"two sizes 10", "bidisperse:10"}, {"lognormal 0.5", "lognormal:1:0.5"}, {"lognormal 1", "lognormal:1:1"}};

// Spheres of this law at random positions, with overlaps: the model assumes no more than that. Two to as many levels as the model wants.
static scree_status try_other(const char* law, const bench_options* co, trial* t)
{
    scree_sphere_set set = {0};
    scree_status status = bench_draw(law, co->quick ? 2000 : 50000, co->seed, &set);
    double volume = 0.0;
    scree_rng rng = scree_rng_make(co->seed, 23);
    for (int32_t i = 0; i < set.count; ++i)
        volume += 4.0 / 3.0 * 3.14159265358979323846 * pow(set.r[i], 3.0);
    set.box = scree_box_sized(3, (double[3]){cbrt(2.0 * volume), cbrt(2.0 * volume), cbrt(2.0 * volume)});
    set.has_box = true;
    for (int64_t k = 0; k < 3 * (int64_t)set.count; ++k)
        set.x[k] = cbrt(2.0 * volume) * scree_rng_uniform(&rng);
    if (status == SCREE_OK)
        status = try_cuts(NULL, &set, 0, co->quick ? 4 : 25, co->quick ? 30 : 150, co, t);
    scree_sphere_set_free(&set);
    return status;
}

// ---- The bench -------------------------------------------------------------------------------------------------------

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const struct {
        const char *name, *clustered, *law;
    } laws[] = {{"uniform volume 50", "uniform volume 50 clustered", "uniform-volume:1:50"}, {"uniform size 50", "uniform size 50 clustered", "uniform-size:1:50"}};
    enum { other_count = sizeof others / sizeof *others };
    static trial trials[4 + other_count];
    scree_status status = SCREE_OK;
    for (int n = 0; n < 4 && status == SCREE_OK; ++n) {
        const int l = n / 2, clustered = n % 2;
        const int32_t count = quick ? 2001 : 125001;
        ogarko_system system;
        scree_sphere_set clusters = {0};
        trials[n] = (trial){.name = clustered != 0 ? laws[l].clustered : laws[l].name, .clustered = clustered};
        status = ogarko_make(laws[l].law, quick || clustered == 0 ? count : count / 8, quick ? 0.4 : clustered == 0 ? 0.62 : 0.5, co, &system);
        if (status == SCREE_OK && clustered != 0)
            status = make_clusters(&system.set, co->seed, &clusters);
        if (status == SCREE_OK)
            status = try_cuts(f, clustered != 0 ? &clusters : &system.set, clustered != 0 ? trials[2 * l].paper.levels : 0, quick ? 8 : 50, quick ? 40 : 200, co, &trials[n]);
        if (status == SCREE_OK)
            ogarko_describe(f, trials[n].name, &system);
        scree_sphere_set_free(&clusters);
        ogarko_free(&system);
    }
    for (int n = 0; n < other_count && status == SCREE_OK; ++n) {
        trials[4 + n] = (trial){.name = others[n].name};
        status = try_other(others[n].law, co, &trials[4 + n]);
    }
    findings_table(f, "best", 1, (const char* const[]){"sizes", "levels", "cuts", "better", "best_at_random", "descent", "best", "best_model", "m_finest", "m_coarsest", "m_finest_best", "m_coarsest_best",
                                                       NULL});
    for (int n = 0; n < 4 + other_count && status == SCREE_OK; ++n)
        status = tell_best(f, &trials[n]);
    findings_paper(f, "Hypothesis 1: the optimal distribution of particles by levels has the same number m of particles per cell on all of them. A discussion is left to a future publication.");
    findings_note(f, "Not in the paper. The ends of levels are moved by up to 0.05, 0.1, 0.2 and 0.45 of the distance to the next one, in logarithms; the number of levels stays, and so does the largest cell. Work: "
                     "box tests, and half a test for each cell; model: the sum of m + 0.3 over the levels. Clusters: eight turned copies of one system of an eighth "
                     "of the spheres, in eight of 64 cells of the box, with as many levels as the homogeneous system.");
    findings_note(f, "ogarko-hypothesis-best.csv has further size distributions at random positions, density 0.5 (power a: n ~ r^-a from 1 to 50). The hypothesis holds if no cut does less than 0.98 of the "
                     "work of the paper's.");
    return status;
}

#define HOLDS_FOR(sizes_name) \
    {.quantity = sizes_name ": work of the best cut into as many levels, by that with equal m", .source = "Hypothesis 1", .paper = 1, .least = 0.98, .most = 1.0, .table = "best", .column = "best", \
     .rows = "sizes=" sizes_name}

const experiment bench_ogarko_hypothesis = {
    .name = "ogarko-hypothesis",
    .about = "their Hypothesis 1: levels with equally many spheres per cell, compared with perturbed ones, counted",
    .title = "Equally many spheres per cell on all levels?",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "levels", "amplitude", "cut", "m_most_by_least", "work", "work_relative", "model", "model_relative", "clustered", NULL},
    .claims = (const claim[]){
        HOLDS_FOR("uniform volume 50"), HOLDS_FOR("uniform size 50"), HOLDS_FOR("uniform volume 50 clustered"), HOLDS_FOR("uniform size 50 clustered"),
        HOLDS_FOR("power 0"), HOLDS_FOR("power 1"), HOLDS_FOR("power 2"), HOLDS_FOR("power 3"), HOLDS_FOR("power 3.5"), HOLDS_FOR("power 4"), HOLDS_FOR("power 5"), HOLDS_FOR("power 6"),
        HOLDS_FOR("two sizes 10"), HOLDS_FOR("lognormal 0.5"), HOLDS_FOR("lognormal 1"),
        {0}},
    .charts = (const chart[]){
        {.title = "Cuts into as many levels as the paper's, ends moved at random: homogeneous", .x_label = "most spheres per cell of a level over least",
         .y_label = "counted work by that of the paper's cut", .x = "m_most_by_least", .y = "work_relative", .by = "sizes", .rows = "clustered=0", .x_log = true, .points = true},
        {.suffix = "clustered", .title = "Cuts into as many levels as the paper's, ends moved at random: clustered", .x_label = "most spheres per cell of a level over least",
         .y_label = "counted work by that of the paper's cut", .x = "m_most_by_least", .y = "work_relative", .by = "sizes", .rows = "clustered=1", .x_log = true, .points = true},
        {0}},
};
