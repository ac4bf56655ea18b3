// ogarko-scaling: figure 5 of Ogarko and Luding.
//
// The paper times whole steps of polydisperse systems, divides by the time of as many equal spheres at the same density, and plots the quotient against their number. It claims: the quotient
// of each size distribution is constant within 10 % up and down; the largest difference from 1 is about 50 %, for uniform volume of ratio 10; with larger ratios it falls.
//
// Levels as in the paper: the number that makes L (m + 0.3) least, with its cell sizes; for two sizes the two diameters; for equal spheres linked cells. All systems of one number take turns, a
// few steps each, and each turn gives a quotient; beside it stands that of the counted work of the search.
#include "ogarko.h"

#include <math.h>

typedef struct scaled {
    const char *name, *law;
    double small, large;  // two sizes: their diameters
    int32_t least;        // fewer do not hold the size distribution
} scaled;

enum { most_laws = 6, most_counts = 4 };

typedef struct measured {
    bool there;
    double work;             // counted, per sphere
    bench_quartiles time;    // of whole steps, by that of equal spheres
} measured;

// One system, and the search for it.
typedef struct contestant {
    ogarko_system system;
    scree_levels levels;
    double sizes[2];
    ogarko_cost cost;
} contestant;

static scree_status prepare(const scaled* law, int32_t count, double density, const bench_options* co, contestant* out, ogarko_turn* turn)
{
    scree_levels_def def = scree_default_levels_def();
    scree_status status = ogarko_make(law->law, count, density, co, &out->system);
    const scree_sphere_set* set = &out->system.set;
    if (status == SCREE_OK)
        status = scree_find_levels(&def, &set->box, (int32_t)set->count, set->r, &out->levels);
    if (status != SCREE_OK)
        return status;
    out->sizes[0] = law->small;
    out->sizes[1] = law->large;
    *turn = (ogarko_turn){.set = set, .how = ogarko_paper_search};
    turn->how.sizes = law->small > 0.0 ? 2 : out->levels.rows[out->levels.chosen].levels;
    turn->how.cell_sizes = law->small > 0.0 ? out->sizes : out->levels.cell_size;
    return ogarko_find(set, &turn->how, 0, co, &out->cost);
}

// All size distributions with this number of spheres, in turns.
static scree_status measure(findings* f, const scaled* laws, int law_count, int32_t count, double density, const bench_options* co, measured out[most_laws])
{
    contestant* all = scree_calloc(most_laws, sizeof *all);
    ogarko_turn turn[most_laws] = {{.set = NULL}};
    scree_status status = all == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int l = 0; l < law_count && status == SCREE_OK; ++l)
        if (count >= laws[l].least)
            status = prepare(&laws[l], count, density, co, &all[l], &turn[l]);
    if (status == SCREE_OK)
        status = ogarko_turns(turn, law_count, 2, co);
    for (int l = 0; l < law_count && status == SCREE_OK; ++l) {
        measured* m = &out[l];
        if (turn[l].set == NULL)
            continue;
        *m = (measured){.there = true, .work = all[l].cost.work, .time = turn[l].quotient};
        status = findings_row(f, &laws[l].name, (const double[]){count, density, (double)all[l].cost.levels, m->work, m->work / out[0].work, turn[l].seconds.median * 1e9 / count,
                                                                 m->time.median, m->time.low, m->time.high, all[l].system.rate, all[l].system.soft});
    }
    for (int l = 0; l < law_count && all != NULL; ++l)
        ogarko_free(&all[l].system);
    scree_free(all);
    return status;
}

// How far a size distribution is from its mean over all numbers at most; by quartiles at least and at most.
static scree_status tell_constancy(findings* f, const char* name, int l, int systems, measured (*m)[most_laws])
{
    double time = 0.0, work = 0.0, off[4] = {0.0}, numbers = 0.0;
    for (int s = 0; s < systems; ++s)
        if (m[s][l].there) {
            time += m[s][l].time.median;
            work += m[s][l].work / m[s][0].work;
            numbers += 1.0;
        }
    for (int s = 0; s < systems; ++s)
        if (m[s][l].there) {
            const double low = m[s][l].time.low * numbers / time - 1.0, high = m[s][l].time.high * numbers / time - 1.0;
            off[0] = fmax(off[0], fabs(m[s][l].time.median * numbers / time - 1.0));
            off[1] = fmax(off[1], fmax(fmax(low, -high), 0.0));
            off[2] = fmax(off[2], fmax(fabs(low), fabs(high)));
            off[3] = fmax(off[3], fabs(m[s][l].work / m[s][0].work * numbers / work - 1.0));
        }
    return numbers < 2.0 ? SCREE_OK : findings_row(f, &name, (const double[]){numbers, time / numbers, off[0], off[1], off[2], work / numbers, off[3]});
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    static const scaled papers[most_laws] = {{"equal", "mono:1", 0, 0, 0},
                                             {"two sizes 2", "bidisperse:2", 2, 4, 0},
                                             {"two sizes 10", "bidisperse:10", 2, 20, 2000},
                                             {"uniform volume 2", "uniform-volume:1:2", 0, 0, 0},
                                             {"uniform volume 10", "uniform-volume:1:10", 0, 0, 0},
                                             {"uniform volume 50", "uniform-volume:1:50", 0, 0, 20000}};
    static const int32_t full[] = {8001, 27001, 64001, 125001}, small[] = {501, 1001};
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.5, &own);
    const scaled mine[] = {papers[0], {own.name, own.law, 0, 0, 0}};  // the user's size distribution beside equal spheres
    const int32_t parts[] = {own.count / 8, own.count / 4, own.count / 2, own.count};
    const scaled* laws = own.given ? mine : papers;
    const int32_t* counts = own.given ? parts : co->quick ? small : full;
    const int systems = own.given ? 4 : co->quick ? 2 : most_counts, law_count = own.given ? 2 : most_laws;
    const double density = own.given ? own.density : co->quick ? 0.5 : 0.62;  // few spheres between walls jam early
    measured m[most_counts][most_laws] = {{{.there = false}}};
    if (own.given && status == SCREE_OK && own.count < 80)
        status = scree_fail(SCREE_ERR_ARGUMENT, "--count is %d; expected at least 80, because an eighth, a quarter and a half of them are used too", (int)own.count);
    if (own.given)
        findings_own(f, own.name);
    for (int s = 0; s < systems && status == SCREE_OK; ++s)
        status = measure(f, laws, law_count, counts[s], density, co, m[s]);
    findings_table(f, "constancy", 1, (const char* const[]){"sizes", "numbers", "time_mean", "time_off", "time_off_low", "time_off_high", "work_mean", "work_off", NULL});
    for (int l = 1; l < law_count && status == SCREE_OK; ++l)
        status = tell_constancy(f, laws[l].name, l, systems, m);
    findings_paper(f, "Fig. 5: relative to equal spheres the time of whole steps is constant within 10 %% over N for each size distribution; the largest difference is about 50 %%, for uniform volume of ratio "
                      "10; the time decreases with the ratio. Densities are equal; Fig. 3 shows such systems at 0.62.");
    findings_note(f, "Density %g. Grown from points at a constant rate (column rate); equal spheres reach 0.62 without crystallising at 0.03 or, where they are few, at 0.01. Then a few collisions "
                     "per sphere. A search in every step, in the settings of the paper, with cells for the least L (m + 0.3); two sizes with cells of the two diameters. "
                     "Times: seven turns of two steps of each system, by the time of equal spheres in the same turn. The paper: \"for large [ratios] we cannot create representative samples with few "
                     "particles\"; here two sizes of ratio 10 have at least 2000 spheres, uniform volume of ratio 50 at least 20000; all other systems of all numbers are judged.", density);
    return status;
}

#define CONSTANT(sizes, is_full)                                                                                                                                        \
    {.quantity = sizes ": time by that of equal spheres, largest deviation from its mean over all N", .source = "Fig. 5", .paper = 0.1, .least = 0.0, .most = 0.1, .table = "constancy", \
     .column = "time_off", .rows = "sizes=" sizes, .timed = true, .full = is_full},                                                                                     \
    {.quantity = sizes ": counted work by that of equal spheres, largest deviation from its mean over all N", .source = "Fig. 5", .paper = 0.1, .least = 0.0, .most = 0.1, \
     .table = "constancy", .column = "work_off", .rows = "sizes=" sizes, .full = is_full}

const experiment bench_ogarko_scaling = {
    .name = "ogarko-scaling",
    .about = "their Fig. 5: time relative to equal spheres against the number",
    .title = "Time relative to equal spheres",
    .paper = true,
    .takes = TAKES_SIZES | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "n", "density", "levels", "work_per_sphere", "work_relative", "step_ns_per_sphere", "step_relative", "step_relative_low", "step_relative_high",
                                     "rate", "soft_collisions", NULL},
    .claims = (const claim[]){
        {.quantity = "uniform volume 10, largest N: time of whole steps by that of equal spheres", .source = "Fig. 5", .paper = 1.5, .least = 1.35, .most = 1.65, .column = "step_relative",
         .rows = "sizes=uniform volume 10;n=most", .timed = true, .full = true},
        {.quantity = "uniform volume 10, largest N: counted work of the search by that of equal spheres", .source = "Fig. 5", .paper = 1.5, .least = 1.35, .most = 1.65, .column = "work_relative",
         .rows = "sizes=uniform volume 10;n=most", .full = true},
        {.quantity = "largest N, the slowest of all size distributions: time of whole steps by that of equal spheres", .source = "Fig. 5", .paper = 1.5, .least = 1.35, .most = 1.65,
         .how = CLAIM_MOST, .column = "step_relative", .rows = "n=most", .timed = true, .full = true},
        {.quantity = "uniform volume 50 by uniform volume 10, largest N: time of whole steps", .source = "Fig. 5", .words = "falls", .least = 0.0, .most = 1.0, .how = CLAIM_RATIO,
         .column = "step_relative", .rows = "n=most;sizes=uniform volume 50", .over = "n=most;sizes=uniform volume 10", .timed = true, .full = true},
        CONSTANT("two sizes 2", false),
        CONSTANT("two sizes 10", true),
        CONSTANT("uniform volume 2", false),
        CONSTANT("uniform volume 10", false),
        CONSTANT("uniform volume 50", true),
        {0}},
    .charts = (const chart[]){
        {.title = "Time of whole steps by that of as many equal spheres", .x_label = "spheres", .y_label = "relative time", .x = "n", .y = "step_relative", .by = "sizes", .x_log = true,
         .paper = (const chart_points[]){{"the paper: about 1.5 for uniform volume 10", 2, {{8001, 1.5}, {125001, 1.5}}}, {0}}},
        {.suffix = "work", .title = "Counted work by that of as many equal spheres", .x_label = "spheres", .y_label = "relative work", .x = "n", .y = "work_relative", .by = "sizes", .x_log = true},
        {0}},
};
