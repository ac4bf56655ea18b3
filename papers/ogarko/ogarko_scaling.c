// ogarko-scaling: figure 5 of Ogarko and Luding: what polydisperse systems cost relative to as many equal spheres of the same density, against their number.
//
// Levels as in the paper: the number that makes L (m + 0.3) least, with its cell sizes; for two sizes the two diameters; for equal spheres linked cells. Verdicts go by counted
// work of the search; the paper times whole steps, of which forces and motion are a part that does not depend on the sizes.
#include "ogarko.h"

#include <math.h>

typedef struct scaled {
    const char *name, *law;
    double small, large;  // two sizes: their diameters
    double ratio;         // of uniform volume, whose cost falls with it; else 0
    int32_t least;        // fewer do not hold the size distribution
} scaled;

enum { most_laws = 6, most_counts = 4 };

typedef struct measured {
    double n[most_counts];
    double work[most_laws][most_counts];              // per sphere; NAN where there are too few
    bench_quartiles search[most_laws][most_counts], step[most_laws][most_counts];  // seconds per sphere
} measured;

// The cell sizes of the paper's best number of levels.
static scree_status best_cells(const scree_sphere_set* set, scree_levels* levels)
{
    scree_levels_def def = scree_default_levels_def();
    return scree_find_levels(&def, &set->box, (int32_t)set->count, set->r, levels);
}

static bench_quartiles divided(bench_quartiles q, double by)
{
    return (bench_quartiles){q.median / by, q.low / by, q.high / by};
}

static scree_status measure(findings* f, const scaled* law, int l, int s, int32_t count, double density, const bench_options* co, measured* out)
{
    ogarko_system system;
    scree_levels levels = {0};
    ogarko_search how = ogarko_paper_search;
    ogarko_cost found;
    const double sizes[2] = {law->small, law->large};
    bench_quartiles step = {NAN, NAN, NAN};
    scree_status status = ogarko_make(law->law, count, density, co, &system);
    if (status == SCREE_OK)
        status = best_cells(&system.set, &levels);
    how.sizes = law->small > 0.0 ? 2 : levels.count > 0 ? levels.rows[levels.chosen].levels : 0;
    how.cell_sizes = law->small > 0.0 ? sizes : levels.cell_size;
    if (status == SCREE_OK)
        status = ogarko_find(&system.set, &how, 5, co, &found);
    if (status == SCREE_OK)
        status = ogarko_step(&system.set, &how, 5, 2, co, &step);
    if (status == SCREE_OK) {
        out->work[l][s] = found.work;
        out->search[l][s] = divided(found.seconds, count);
        out->step[l][s] = divided(step, count);
        const bench_quartiles *search = &out->search[l][s], *whole = &out->step[l][s];
        status = findings_row(f, &law->name, (const double[]){count, density, (double)found.levels, found.work, found.work / out->work[0][s], search->median * 1e9,
                                                              search->median / out->search[0][s].median, whole->median * 1e9, whole->low * 1e9, whole->high * 1e9,
                                                              whole->median / out->step[0][s].median, system.rate, system.soft});
    }
    ogarko_free(&system);
    return status;
}

// ---- Verdicts ------------------------------------------------------------------------------------------------------

// Least and most of the relative work over the larger half of the systems, or three. How many there are.
static int range_of(const measured* m, int l, int systems, double* low, double* high)
{
    int points = 0;
    *low = INFINITY;
    *high = 0.0;
    for (int s = systems > 3 ? systems - 3 : 0; s < systems; ++s)
        if (!isnan(m->work[l][s])) {
            *low = fmin(*low, m->work[l][s] / m->work[0][s]);
            *high = fmax(*high, m->work[l][s] / m->work[0][s]);
            ++points;
        }
    return points;
}

static void compare(findings* f, const scaled* laws, int law_count, int systems, const measured* m, bool papers)
{
    int last = systems - 1, dearest = 0;
    for (int l = 1; l < law_count; ++l) {
        double low, high;
        if (!isnan(m->work[l][last]) && (dearest == 0 || m->work[l][last] > m->work[dearest][last]))
            dearest = l;
        if (range_of(m, l, systems, &low, &high) < 2)
            continue;
        if (high / low <= 1.2)
            findings_agrees(f, "%s: counted work is %.2f to %.2f times that of equal spheres, constant over N within 10 %% up and down", laws[l].name, low, high);
        else
            findings_differs(f, "%s: counted work is %.2f to %.2f times that of equal spheres, not constant over N within 10 %% up and down", laws[l].name, low, high);
    }
    if (dearest == 0)
        return;
    double most = m->work[dearest][last] / m->work[0][last];
    if (most <= 1.65)
        findings_agrees(f, "for the largest N counted work is at most %.2f times that of equal spheres (%s); the paper's whole steps 1.5 times (0.15 allowed)", most, laws[dearest].name);
    else
        findings_differs(f, "for the largest N counted work is up to %.2f times that of equal spheres (%s); the paper's whole steps at most 1.5 times (0.15 allowed)", most, laws[dearest].name);
    double before = INFINITY;
    bool falls = true;
    for (int l = 1; l < law_count && papers; ++l)
        if (laws[l].ratio >= 10.0 && !isnan(m->work[l][last])) {
            falls = falls && m->work[l][last] < before;
            before = m->work[l][last];
        }
    if (papers && falls)
        findings_agrees(f, "counted work of uniform volume falls as the size ratio grows from 10 to 50");
    else if (papers)
        findings_differs(f, "counted work of uniform volume does not fall as the size ratio grows from 10 to 50");
    findings_note(f, "Whole steps of the largest N take %.2f times as long as those of equal spheres (%s), the search alone %.2f times. Forces and motion are %.2f of a step of equal spheres here.",
                  m->step[dearest][last].median / m->step[0][last].median, laws[dearest].name, m->search[dearest][last].median / m->search[0][last].median,
                  fmax(1.0 - m->search[0][last].median / m->step[0][last].median, 0.0));
}

// ---- Figures -------------------------------------------------------------------------------------------------------

static void plot_times(findings* f, const char* suffix, const char* title, const scaled* laws, int law_count, int systems, const measured* m, bool whole)
{
    static double y[most_laws][3][most_counts];
    scree_series series[most_laws];
    for (int l = 1; l < law_count; ++l) {
        for (int s = 0; s < systems; ++s) {
            const bench_quartiles* q = whole ? &m->step[l][s] : &m->search[l][s];
            double equal = whole ? m->step[0][s].median : m->search[0][s].median;
            y[l][0][s] = q->median / equal;
            y[l][1][s] = q->low / equal;
            y[l][2][s] = q->high / equal;
        }
        series[l - 1] = (scree_series){.name = laws[l].name, .count = systems, .x = m->n, .y = y[l][0], .low = y[l][1], .high = y[l][2]};
    }
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.x_label = "spheres";
    plot.y_label = "relative time";
    plot.x_log = true;
    plot.y_range[0] = 0.0;
    plot.series = series;
    plot.series_count = law_count - 1;
    findings_plot(f, suffix, &plot);
}

static void plot_work(findings* f, const scaled* laws, int law_count, int systems, const measured* m)
{
    static double y[most_laws][most_counts];
    scree_series series[most_laws];
    for (int l = 1; l < law_count; ++l) {
        for (int s = 0; s < systems; ++s)
            y[l][s] = m->work[l][s] / m->work[0][s];
        series[l - 1] = (scree_series){.name = laws[l].name, .count = systems, .x = m->n, .y = y[l]};
    }
    scree_plot plot = scree_default_plot();
    plot.title = "Counted work by that of as many equal spheres";
    plot.x_label = "spheres";
    plot.y_label = "relative work";
    plot.x_log = true;
    plot.y_range[0] = 0.0;
    plot.series = series;
    plot.series_count = law_count - 1;
    findings_plot(f, "work", &plot);
}

// ---- The bench -----------------------------------------------------------------------------------------------------

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const scaled papers[most_laws] = {{"equal", "mono:1", 0, 0, 0, 0},
                                             {"two sizes 2", "bidisperse:2", 2, 4, 0, 0},
                                             {"two sizes 10", "bidisperse:10", 2, 20, 0, 2000},
                                             {"uniform volume 2", "uniform-volume:1:2", 0, 0, 2, 0},
                                             {"uniform volume 10", "uniform-volume:1:10", 0, 0, 10, 0},
                                             {"uniform volume 50", "uniform-volume:1:50", 0, 0, 50, 20000}};
    static const int32_t full[] = {8001, 27001, 64001, 125001}, small[] = {501, 1001};
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.5, &own);
    const scaled mine[] = {papers[0], {own.name, own.law, 0, 0, 0, 0}};  // the user's size distribution beside equal spheres
    const int32_t parts[] = {own.count / 8, own.count / 4, own.count / 2, own.count};
    const scaled* laws = own.given ? mine : papers;
    const int32_t* counts = own.given ? parts : quick ? small : full;
    const int systems = own.given ? 4 : quick ? 2 : most_counts, law_count = own.given ? 2 : most_laws;
    const double density = own.given ? own.density : quick ? 0.5 : 0.62;  // few spheres between walls jam early
    if (own.given && status == SCREE_OK && own.count < 80)
        status = scree_fail(SCREE_ERR_ARGUMENT, "--count is %d; expected at least 80, because an eighth, a quarter and a half of them are used too", (int)own.count);
    if (own.given)
        findings_own(f, own.name);
    static measured m;
    for (int l = 0; l < law_count && status == SCREE_OK; ++l)
        for (int s = 0; s < systems && status == SCREE_OK; ++s) {
            m.n[s] = counts[s];
            m.work[l][s] = NAN;
            m.search[l][s] = m.step[l][s] = (bench_quartiles){NAN, NAN, NAN};
            if (counts[s] >= laws[l].least)
                status = measure(f, &laws[l], l, s, counts[s], density, co, &m);
        }
    findings_paper(f, "Fig. 5: relative to equal spheres the time of whole steps is constant within 10 %% over N for each size distribution; the largest difference is about 50 %%, for uniform volume of ratio "
                      "10; the time decreases with the ratio. Densities are equal; Fig. 3 shows such systems at 0.62.");
    if (status == SCREE_OK) {
        compare(f, laws, law_count, systems, &m, !own.given && !isnan(m.work[most_laws - 1][systems - 1]));
        plot_times(f, "", "Time of whole steps by that of as many equal spheres", laws, law_count, systems, &m, true);
        plot_times(f, "search", "Time of the search by that of as many equal spheres", laws, law_count, systems, &m, false);
        plot_work(f, laws, law_count, systems, &m);
    }
    findings_note(f, "Density %g. Grown from points at a constant rate (column rate); equal spheres reach 0.62 without crystallising at 0.03 or, where they are few, at 0.01. Then a few collisions "
                     "per sphere as hard spheres, and soft ones. A search in every step, in the settings of the paper, with cells for the least L (m + 0.3); two sizes with cells of the two diameters. "
                     "Times: medians of 5, whiskers are quartiles. Uniform volume of ratio 50 needs more than 20000 spheres.", density);
    return status;
}

const experiment bench_ogarko_scaling = {
    .name = "ogarko-scaling",
    .about = "their Fig. 5: time relative to equal spheres against the number",
    .title = "Time relative to equal spheres",
    .paper = true,
    .takes = TAKES_SIZES | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "n", "density", "levels", "work_per_sphere", "work_relative", "ns_per_sphere", "time_relative", "step_ns_per_sphere",
                                                 "step_ns_low", "step_ns_high", "step_relative", "rate", "soft_collisions", NULL},
};
