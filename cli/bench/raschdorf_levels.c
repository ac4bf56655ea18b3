// raschdorf-levels: Fig. 9 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings"
// (2009): how many of the 10,000 spheres of a finished packing live on each level of the strict and of the loose octree; and, with -o, its Fig. 5 and 7:
// a packing of 50,000 spheres coloured by level. Dark spheres live high up: in the strict octree all that a mid plane cuts.
//
// The expected numbers are those of packings made by another program with the paper's rule. The paper itself prints a histogram without numbers.
#include "bench.h"
#include "findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_levels = 31, shown_levels = 8 };

typedef struct tree_row {
    const char* law_name;
    const char* law;
    int32_t method;
    double expected[shown_levels];
} tree_row;

static const tree_row rows[] = {
    {"equal", "mono:0.5", SCREE_METHOD_OCTREE, {1417, 2443, 3396, 2591, 153, 0, 0, 0}},
    {"equal", "mono:0.5", SCREE_METHOD_LOOSE_OCTREE, {0, 0, 0, 0, 9300, 700, 0, 0}},
    {"Fuller", bench_fuller, SCREE_METHOD_OCTREE, {796, 1250, 2258, 2726, 2415, 555, 0, 0}},
    {"Fuller", bench_fuller, SCREE_METHOD_LOOSE_OCTREE, {1, 4, 25, 157, 882, 4988, 3943, 0}},
};
enum { row_count = sizeof rows / sizeof *rows };
static const double allowed = 0.05;  // of all spheres, on any level

// The level of each sphere.
static scree_status levels_of(const scree_sphere_set* set, int32_t method, double* level)
{
    scree_index_def def = scree_default_index_def();
    def.method = method;
    def.box = set->box;
    def.skin = -1.0;
    scree_index* index;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, scree_sphere_set_view(set));
    for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i) {
        scree_surroundings around;
        status = scree_index_surroundings(index, i, &around);
        level[i] = around.level;
    }
    scree_index_destroy(index);
    return status;
}

static scree_status add_counts(const scree_sphere_set* set, int32_t method, double weight, double counts[most_levels])
{
    double* level = scree_malloc((size_t)set->count, sizeof *level);
    if (level == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = levels_of(set, method, level);
    for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i)
        counts[(int)level[i]] += weight;
    scree_free(level);
    return status;
}

// The same colours for both trees, so that they can be compared.
static scree_status draw(findings* f, const common* co, const scree_sphere_set* set, int32_t method, const char* name, const double* level, double deepest)
{
    char suffix[48];
    snprintf(suffix, sizeof suffix, "%s-%s", name, scree_method_name((scree_method)method));
    scree_sphere_set view = *set;  // with a column more; what it owns stays the set's
    view.columns = NULL;
    view.column_count = 0;
    scree_column* column;
    scree_status status = scree_sphere_set_add(&view, "level", SCREE_COLUMN_DOUBLE, 1, &column);
    if (status == SCREE_OK) {
        memcpy(column->values, level, (size_t)set->count * sizeof *level);
        scree_picture_def def = scree_default_picture_def();
        def.width = set->count > 10000 ? 1600 : 800;
        def.height = set->count > 10000 ? 1400 : 700;
        def.colour_by = "level";
        def.map = SCREE_MAP_EMBER;
        def.range[0] = 0.0;
        def.range[1] = deepest;
        if (set->box.periodic[0] || set->box.periodic[1] || set->box.periodic[2])
            def.images = SCREE_IMAGES_FILL;
        def.threads = co->threads;
        def.watch = run_watch("drawing", co->quiet);
        findings_picture(f, suffix, &view, &def);
        run_watch_end();
    }
    scree_sphere_set columns_only = {.dim = view.dim, .column_count = view.column_count, .columns = view.columns};
    scree_sphere_set_free(&columns_only);
    return status;
}

static const int32_t trees[2] = {SCREE_METHOD_OCTREE, SCREE_METHOD_LOOSE_OCTREE};

static scree_status draw_both(findings* f, const common* co, const char* name, const scree_sphere_set* set)
{
    size_t count = (size_t)set->count;
    double* level[2] = {scree_malloc(count, sizeof **level), scree_malloc(count, sizeof **level)};
    scree_status status = level[0] == NULL || level[1] == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    double deepest = 0.0;
    for (int m = 0; m < 2 && status == SCREE_OK; ++m) {
        status = levels_of(set, trees[m], level[m]);
        for (size_t i = 0; i < count && status == SCREE_OK; ++i)
            deepest = fmax(deepest, level[m][i]);
    }
    for (int m = 0; m < 2 && status == SCREE_OK; ++m)
        status = draw(f, co, set, trees[m], name, level[m], deepest);
    scree_free(level[0]);
    scree_free(level[1]);
    return status;
}

static scree_status pack_and_draw(findings* f, const common* co, const char* name, const char* law, int32_t count)
{
    scree_sphere_set set = {0};
    scree_status status = bench_pack(law, count, co->seed, 1e-3, false, co, &set);
    if (status == SCREE_OK)
        status = draw_both(f, co, name, &set);
    scree_sphere_set_free(&set);
    return status;
}

// The user's spheres, as they lie or packed: the same histogram, with nothing to compare with.
static scree_status own_levels(findings* f, const bench_own* own, const common* co)
{
    static double counts[2][most_levels];
    memset(counts, 0, sizeof counts);
    scree_sphere_set packed = {0};
    scree_status status = own->law != NULL ? bench_pack(own->law, own->count, co->seed, 1e-3, false, co, &packed) : SCREE_OK;
    const scree_sphere_set* set = own->law != NULL ? &packed : &own->set;
    int deepest[2] = {0, 0};
    for (int t = 0; t < 2 && status == SCREE_OK; ++t) {
        const char* tree = scree_method_name((scree_method)trees[t]);
        status = add_counts(set, trees[t], 1.0, counts[t]);
        for (int l = 0; l < most_levels; ++l)
            deepest[t] = counts[t][l] > 0.0 ? l : deepest[t];
        for (int l = 0; l <= deepest[t] && status == SCREE_OK; ++l)
            status = findings_row(f, (const char* const[]){own->name, tree}, (const double[]){l, counts[t][l], NAN});
    }
    if (status == SCREE_OK) {
        double level[most_levels], mean[2] = {0.0, 0.0};
        int levels = (deepest[0] > deepest[1] ? deepest[0] : deepest[1]) + 1;
        for (int l = 0; l < most_levels; ++l) {
            level[l] = l;
            for (int t = 0; t < 2; ++t)
                mean[t] += l * counts[t][l] / set->count;
        }
        if (mean[1] >= mean[0])
            findings_agrees(f, "spheres live deeper in the loose octree: on level %.2f in the mean, on %.2f of the strict one, whose root holds %.0f of %d", mean[1], mean[0], counts[0][0],
                            (int)set->count);
        else
            findings_differs(f, "spheres do not live deeper in the loose octree: on level %.2f in the mean, on %.2f of the strict one, whose root holds %.0f of %d", mean[1], mean[0],
                             counts[0][0], (int)set->count);
        const scree_series series[2] = {{.name = "octree", .count = levels, .x = level, .y = counts[0], .style = SCREE_SERIES_BARS},
                                        {.name = "loose octree", .count = levels, .x = level, .y = counts[1], .style = SCREE_SERIES_BARS}};
        scree_plot plot = scree_default_plot();
        plot.title = own->name;
        plot.x_label = "level";
        plot.y_label = "spheres";
        plot.x_range[0] = -0.6;
        plot.x_range[1] = levels - 0.4;
        plot.series = series;
        plot.series_count = 2;
        findings_plot(f, "", &plot);
    }
    if (status == SCREE_OK && co->out != NULL)
        status = draw_both(f, co, "own", set);
    scree_sphere_set_free(&packed);
    return status;
}

// Bars for both trees, each beside what was expected.
static void plot_law(findings* f, int q, const char* suffix, const char* title, double counts[row_count][most_levels])
{
    static const char* const names[4] = {"octree", "expected", "loose octree", "expected"};
    double level[shown_levels];
    scree_series series[4];
    for (int l = 0; l < shown_levels; ++l)
        level[l] = l;
    for (int t = 0; t < 4; ++t)
        series[t] = (scree_series){.name = names[t], .count = shown_levels, .x = level, .y = t % 2 == 0 ? counts[q + t / 2] : rows[q + t / 2].expected,
                                   .style = SCREE_SERIES_BARS};
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.x_label = "level";
    plot.y_label = "spheres";
    plot.x_range[0] = -0.6;
    plot.x_range[1] = shown_levels - 0.4;
    plot.series = series;
    plot.series_count = 4;
    findings_plot(f, suffix, &plot);
}

exit_code bench_raschdorf_levels(const arguments* args, const common* co, bool quick)
{
    const int packings = quick ? 1 : 10;
    static double counts[row_count][most_levels];
    memset(counts, 0, sizeof counts);
    findings* f = findings_open(args, co, "raschdorf-levels", "Spheres on each level of the octrees");
    findings_columns(f, 2, (const char* const[]){"sizes", "tree", "level", "spheres", "expected", NULL});
    bench_own own;
    scree_status status = bench_own_get(args, co, 3, 10000, 0.0, &own);
    if (own.given) {
        findings_own(f, own.name);
        if (status == SCREE_OK)
            status = own_levels(f, &own, co);
    }
    for (int q = 0; q < row_count && status == SCREE_OK && !own.given; q += 2) {
        for (int p = 0; p < packings && status == SCREE_OK; ++p) {
            scree_sphere_set set = {0};
            status = bench_pack(rows[q].law, 10000, co->seed + (uint64_t)p, q == 0 ? 0.01 : 0.02, true, co, &set);
            for (int t = q; t < q + 2 && status == SCREE_OK; ++t)
                status = add_counts(&set, rows[t].method, 1.0 / packings, counts[t]);
            scree_sphere_set_free(&set);
        }
        for (int t = q; t < q + 2 && status == SCREE_OK; ++t) {
            double worst = 0.0;
            const char* tree = scree_method_name((scree_method)rows[t].method);
            for (int l = 0; l < shown_levels && status == SCREE_OK; ++l) {
                worst = fmax(worst, fabs(counts[t][l] - rows[t].expected[l]) / 10000.0);
                status = findings_row(f, (const char* const[]){rows[t].law_name, tree}, (const double[]){l, counts[t][l], rows[t].expected[l]});
            }
            if (worst <= allowed)
                findings_agrees(f, "%s, %s: on no level more than %.1f %% of all spheres off an independent count (allowed %g %%)", rows[t].law_name, tree, 100.0 * worst, 100.0 * allowed);
            else
                findings_differs(f, "%s, %s: on one level %.1f %% of all spheres off an independent count (allowed %g %%)", rows[t].law_name, tree, 100.0 * worst, 100.0 * allowed);
        }
    }
    if (status == SCREE_OK && !own.given) {
        double two = 0.0;
        for (int l = 4; l <= 5; ++l)
            two += counts[1][l];
        if (two > 9999.0)
            findings_agrees(f, "equal spheres live on two levels of the loose octree: %.1f %% on levels 4 and 5", two / 100.0);
        else
            findings_differs(f, "equal spheres do not live on two levels of the loose octree alone: %.1f %% on levels 4 and 5", two / 100.0);
        if (counts[0][0] > 1000.0)
            findings_agrees(f, "mid planes hold %.0f of 10000 equal spheres at the root of the strict octree, more than 1000", counts[0][0]);
        else
            findings_differs(f, "mid planes hold only %.0f of 10000 equal spheres at the root of the strict octree; more than 1000 were expected", counts[0][0]);
        plot_law(f, 0, "equal", "10000 equal spheres", counts);
        plot_law(f, 2, "fuller", "The Fuller sample of 10000 spheres", counts);
    }
    if (status == SCREE_OK && co->out != NULL && !own.given)
        status = pack_and_draw(f, co, "equal", "mono:0.5", quick ? 2000 : 50000);
    if (status == SCREE_OK && co->out != NULL && !own.given)
        status = pack_and_draw(f, co, "fuller", bench_fuller, quick ? 2000 : 50000);
    findings_paper(f, "Fig. 9: equal spheres fill only the two deepest levels of the loose octree, but all levels of the strict one; the Fuller sample goes down the loose octree "
                      "by size. Fig. 5 and 7: in the strict octree small spheres on mid planes are stored high up.");
    if (!own.given)
        findings_note(f, "Means of %d packing%s. The paper prints no numbers; those expected come from packings that another program made by its rule.", packings,
                      packings == 1 ? "" : "s");
    scree_sphere_set_free(&own.set);
    return findings_close(f, status);
}
