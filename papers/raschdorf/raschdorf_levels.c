// raschdorf-levels: Fig. 9 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings"
// (2009): how many of the 10,000 spheres of a finished packing live on each level of the strict and of the loose octree; and, with -o, its Fig. 5 and 7:
// a packing of 50,000 spheres coloured by level. Dark spheres live high up: in the strict octree all that a mid plane cuts.
//
// The paper prints the histograms without numbers, and says what they show. Expected are the counts for spheres at random positions, in closed form (plain_octree.h);
// and each sphere must be stored where the definition says.
#include "bench/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_levels = plain_octree_levels, shown_levels = 9 };

static const struct {
    const char *name, *law;
    double tolerance;  // of the packing
} laws[] = {{"equal", "mono:0.5", 0.01}, {"Fuller", bench_fuller, 0.02}};
enum { EQUAL, FULLER, law_count };
enum { STRICT, LOOSE, tree_count };
static const int32_t trees[tree_count] = {SCREE_METHOD_OCTREE, SCREE_METHOD_LOOSE_OCTREE};
static const double allowed = 0.03;  // of all spheres, on any level: packings are not random

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

typedef struct histogram {
    double counts[most_levels], expected[most_levels];  // of the library, and at random positions
    int64_t elsewhere;  // spheres that the definition stores on another level; -1: not looked at
} histogram;

// Adds one packing with this weight; `cube`: it is in a periodic cube.
static scree_status add_counts(const scree_sphere_set* set, int tree, double weight, bool cube, histogram* out)
{
    double* level = scree_malloc((size_t)set->count, sizeof *level);
    if (level == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = levels_of(set, trees[tree], level);
    double s = set->box.upper[0] - set->box.lower[0];
    for (int32_t i = 0; i < set->count && status == SCREE_OK; ++i) {
        out->counts[(int)level[i]] += weight;
        for (int l = 0; l < most_levels && cube; ++l)
            out->expected[l] += weight * plain_octree_share(s, 2.0 * set->r[i], tree == LOOSE, l);
        if (cube)
            out->elsewhere += plain_octree_node(&set->box, tree == LOOSE, &set->x[3 * (int64_t)i], set->r[i]).level != (int)level[i];
    }
    scree_free(level);
    return status;
}

// The same colours for both trees, so that they can be compared.
static scree_status draw(findings* f, const bench_options* co, const scree_sphere_set* set, int32_t method, const char* name, const double* level, double deepest)
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
        def.width = set->count > 10000 ? 1600 : set->count > 2000 ? 800 : 480;
        def.height = set->count > 10000 ? 1400 : set->count > 2000 ? 700 : 420;
        def.colour_by = "level";
        def.map = SCREE_MAP_EMBER;
        def.range[0] = 0.0;
        def.range[1] = deepest;
        if (set->box.periodic[0] || set->box.periodic[1] || set->box.periodic[2])
            def.images = SCREE_IMAGES_FILL;
        def.threads = co->threads;
        def.watch = bench_watch("drawing");
        findings_picture(f, suffix, &view, &def);
        bench_watch_end();
    }
    scree_sphere_set columns_only = {.dim = view.dim, .column_count = view.column_count, .columns = view.columns};
    scree_sphere_set_free(&columns_only);
    return status;
}

static scree_status draw_both(findings* f, const bench_options* co, const char* name, const scree_sphere_set* set)
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

// `quick`: the packing that was counted.
static scree_status pack_and_draw(findings* f, const bench_options* co, const char* name, int law, bool quick, int32_t count)
{
    scree_sphere_set set = {0};
    scree_status status = quick ? bench_pack(laws[law].law, count, co->seed, laws[law].tolerance, true, co, &set) : bench_pack(laws[law].law, 50000, co->seed, 1e-3, false, co, &set);
    if (status == SCREE_OK)
        status = draw_both(f, co, name, &set);
    scree_sphere_set_free(&set);
    return status;
}

// Bars for both trees, and what is expected; `expected` false: of the user's spheres, which may be in any box.
static void plot_levels(findings* f, const char* suffix, const char* title, const histogram h[tree_count], bool expected)
{
    int levels = 0;
    for (int l = 0; l < most_levels; ++l)
        levels = h[STRICT].counts[l] + h[LOOSE].counts[l] > 0.0 ? l + 1 : levels;
    static const char* const names[2 * tree_count] = {"octree", "at random positions", "loose octree", "at random positions"};
    double level[most_levels], beside[tree_count][most_levels];  // the marks stand on their bars
    scree_series series[2 * tree_count];
    int count = 0;
    for (int l = 0; l < levels; ++l) {
        level[l] = l;
        beside[STRICT][l] = l - 0.2;
        beside[LOOSE][l] = l + 0.2;
    }
    for (int t = 0; t < 2 * tree_count; ++t)
        if (t % 2 == 0 || expected)
            series[count++] = (scree_series){.name = names[t], .count = levels, .x = t % 2 == 0 ? level : beside[t / 2], .y = t % 2 == 0 ? h[t / 2].counts : h[t / 2].expected,
                                             .style = t % 2 == 0 ? SCREE_SERIES_BARS : SCREE_SERIES_HOLLOW, .colour = t / 2 + 1};
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.x_label = "level";
    plot.y_label = "spheres";
    plot.x_range[0] = -0.6;
    plot.x_range[1] = levels - 0.4;
    plot.series = series;
    plot.series_count = count;
    findings_plot(f, suffix, &plot);
}

static double mean_level(const histogram* h)
{
    double sum = 0.0, all = 0.0;
    for (int l = 0; l < most_levels; ++l) {
        sum += l * h->counts[l];
        all += h->counts[l];
    }
    return sum / all;
}

static void compare_depth(findings* f, const char* name, const histogram h[tree_count])
{
    double strict = mean_level(&h[STRICT]), loose = mean_level(&h[LOOSE]);
    if (loose > strict)
        findings_agrees(f, "%s: spheres are stored deeper in the loose octree, on level %.2f on average; in the strict one on %.2f", name, loose, strict);
    else
        findings_differs(f, "%s: spheres are not stored deeper in the loose octree, on level %.2f on average; in the strict one on %.2f", name, loose, strict);
}

// The user's spheres, as they are or packed: the same histogram.
static scree_status own_levels(findings* f, const bench_own* own, const bench_options* co)
{
    static histogram h[tree_count];
    memset(h, 0, sizeof h);
    scree_sphere_set packed = {0};
    scree_status status = own->law != NULL ? bench_pack(own->law, own->count, co->seed, 1e-3, false, co, &packed) : SCREE_OK;
    const scree_sphere_set* set = own->law != NULL ? &packed : &own->set;
    for (int t = 0; t < tree_count && status == SCREE_OK; ++t) {
        status = add_counts(set, t, 1.0, own->law != NULL, &h[t]);
        int deepest = 0;
        for (int l = 0; l < most_levels; ++l)
            deepest = h[t].counts[l] > 0.0 ? l : deepest;
        for (int l = 0; l <= deepest && status == SCREE_OK; ++l)
            status = findings_row(f, (const char* const[]){own->name, scree_method_name((scree_method)trees[t])},
                                  (const double[]){l, h[t].counts[l], own->law != NULL ? h[t].expected[l] : NAN});
    }
    if (status == SCREE_OK) {
        compare_depth(f, own->name, h);
        plot_levels(f, "", own->name, h, own->law != NULL);
    }
    if (status == SCREE_OK && co->out != NULL)
        status = draw_both(f, co, "own", set);
    scree_sphere_set_free(&packed);
    return status;
}

// What the text around Fig. 9 says of packings of 10000 spheres. With fewer, levels are counted from the deepest one.
static void compare_text(findings* f, histogram h[law_count][tree_count], int32_t count)
{
    int used = 0, first = -1, last = -1;
    for (int l = 0; l < most_levels; ++l)
        if (h[EQUAL][LOOSE].counts[l] > 0.0) {
            ++used;
            first = first < 0 ? l : first;
            last = l;
        }
    int expected = count == 10000 ? 4 : 3;  // an eighth of the spheres are in a cube half as long
    if (used == 2 && last == first + 1 && first == expected)
        findings_agrees(f, "equal spheres are on two levels of the loose octree only, %d and %d; the paper: none above level 4 and on two levels only, which are %d and %d for %d spheres",
                        first, last, expected, expected + 1, (int)count);
    else
        findings_differs(f, "equal spheres are on %d levels of the loose octree, from %d to %d; the paper: none above level 4 and on two levels only, which are %d and %d for %d spheres",
                         used, first, last, expected, expected + 1, (int)count);
    double most = 0.0;
    for (int l = 0; l < most_levels; ++l)
        most = fmax(most, fmax(h[EQUAL][STRICT].counts[l], h[FULLER][STRICT].counts[l]) / count);
    if (most < 0.5)
        findings_agrees(f, "in the strict octree no level has more than %.0f %% of the spheres (half allowed); the paper: widely distributed among the levels", 100.0 * most);
    else
        findings_differs(f, "in the strict octree one level has %.0f %% of the spheres, more than half; the paper: widely distributed among the levels", 100.0 * most);
    if (count != 10000)  // how many are on the deepest level depends on how the side of the cube compares with a power of two
        return;
    int deepest = 0;
    for (int l = 0; l < most_levels; ++l)
        deepest = h[FULLER][LOOSE].expected[l] > 0.0 ? l : deepest;
    double few = h[FULLER][LOOSE].counts[deepest] / count;
    if (few < 0.02)
        findings_agrees(f, "Fuller: %.2f %% of the spheres are on level %d, the deepest that the loose octree could use (2 %% allowed); the paper: only very few slip into it", 100.0 * few,
                        deepest);
    else
        findings_differs(f, "Fuller: %.2f %% of the spheres are on level %d, the deepest that the loose octree could use, more than 2 %%; the paper: only very few slip into it",
                         100.0 * few, deepest);
}

static scree_status count_law(findings* f, const bench_options* co, int law, int32_t count, int packings, histogram h[tree_count])
{
    scree_status status = SCREE_OK;
    for (int p = 0; p < packings && status == SCREE_OK; ++p) {
        scree_sphere_set set = {0};
        status = bench_pack(laws[law].law, count, co->seed + (uint64_t)p, laws[law].tolerance, true, co, &set);
        for (int t = 0; t < tree_count && status == SCREE_OK; ++t)
            status = add_counts(&set, t, 1.0 / packings, true, &h[t]);
        scree_sphere_set_free(&set);
    }
    for (int t = 0; t < tree_count && status == SCREE_OK; ++t) {
        const char* tree = scree_method_name((scree_method)trees[t]);
        double worst = 0.0;
        for (int l = 0; l < most_levels; ++l)
            worst = fmax(worst, fabs(h[t].counts[l] - h[t].expected[l]) / count);
        for (int l = 0; l < shown_levels && status == SCREE_OK; ++l)
            status = findings_row(f, (const char* const[]){laws[law].name, tree}, (const double[]){l, h[t].counts[l], h[t].expected[l]});
        if (worst <= allowed && h[t].elsewhere == 0)
            findings_agrees(f, "%s, %s: every sphere is on the level that the definition gives; on no level more than %.1f %% of all spheres off the closed form for random positions (%g %% "
                            "allowed)", laws[law].name, tree, 100.0 * worst, 100.0 * allowed);
        else
            findings_differs(f, "%s, %s: %lld spheres are not on the level that the definition gives (0 allowed); on some level %.1f %% of all spheres off the closed form for random "
                             "positions (%g %% allowed)", laws[law].name, tree, (long long)h[t].elsewhere, 100.0 * worst, 100.0 * allowed);
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    const int packings = quick ? 1 : 10;
    const int32_t count = quick ? 1250 : 10000;
    static histogram h[law_count][tree_count];
    memset(h, 0, sizeof h);
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.0, &own);
    if (own.given) {
        findings_own(f, own.name);
        if (status == SCREE_OK)
            status = own_levels(f, &own, co);
    }
    for (int law = 0; law < law_count && status == SCREE_OK && !own.given; ++law)
        status = count_law(f, co, law, count, packings, h[law]);
    if (status == SCREE_OK && !own.given) {
        compare_text(f, h, count);
        for (int law = 0; law < law_count; ++law) {
            char title[64];
            compare_depth(f, laws[law].name, h[law]);
            snprintf(title, sizeof title, law == EQUAL ? "%d equal spheres" : "The Fuller sample of %d spheres", (int)count);
            plot_levels(f, law == EQUAL ? "equal" : "fuller", title, h[law], true);
        }
    }
    for (int law = 0; law < law_count && status == SCREE_OK && co->out != NULL && !own.given; ++law)
        status = pack_and_draw(f, co, law == EQUAL ? "equal" : "fuller", law, quick, count);
    findings_paper(f, "Section 4, Fig. 9: \"In the octree the spheres are widely distributed among the levels of the tree in the monodispers as well as in the polydispers case. If a loose octree "
                      "is used, the spheres reside mainly within the last few levels of the loose octree. In the monodisperse packing there are actually no spheres on levels 0-3 of the loose "
                      "octree. As the spheres all have diameter 1, they are inserted into the two deepest tree levels only.\"");
    findings_paper(f, "Of the Fuller sample \"only very few spheres slip into the deepest loose octree node level 8\". (By its Eq. 4 the deepest is level 7.)");
    findings_paper(f, "Section 3.2 and 3.3, Fig. 5 and 7: spheres that cross a splitting plane stay high up in the octree, a hotspot pattern; in the loose octree they are placed much deeper.");
    if (!own.given)
        findings_note(f, "Means of %d packing%s of %d spheres, in a periodic cube. The paper prints no numbers. Column random: the closed form for spheres of these sizes at random positions.",
                      packings, packings == 1 ? "" : "s", (int)count);
    scree_sphere_set_free(&own.set);
    return status;
}

const experiment bench_raschdorf_levels = {
    .name = "raschdorf-levels",
    .about = "their Fig. 5, 7 and 9: spheres on each level of the octrees, counted and drawn",
    .title = "Spheres on each level of the octrees",
    .paper = true,
    .takes = TAKES_OWN | TAKES_COUNT,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "tree", "level", "spheres", "random", NULL},
};
