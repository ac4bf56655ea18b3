// raschdorf-levels: Fig. 9 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings"
// (2009): how many of the 10,000 spheres of a finished packing live on each level of the strict and of the loose octree; and, with -o, its Fig. 5 and 7:
// a packing of 50,000 spheres coloured by level. Dark spheres live high up: in the strict octree all that a mid plane cuts.
//
// The paper prints the histograms without numbers, and claims: in the octree spheres are widely distributed among the levels; equal spheres are on two levels of the loose octree only, none above
// level 4; only very few of the Fuller sample slip into the deepest level. Expected are the counts for spheres at random positions, in closed form (bench/harness.h);
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
    int64_t elsewhere;  // spheres that the definition stores on another level
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

// The rows of one tree. expected: the spheres are where they were packed, in a periodic cube.
static scree_status tell_levels(findings* f, const char* name, int tree, double count, bool expected, const histogram* h)
{
    scree_status status = SCREE_OK;
    int deepest = shown_levels - 1;
    for (int l = shown_levels; l < most_levels; ++l)
        deepest = h->counts[l] > 0.0 ? l : deepest;
    for (int l = 0; l <= deepest && status == SCREE_OK; ++l)
        status = findings_row(f, (const char* const[]){name, scree_method_name((scree_method)trees[tree])},
                              (const double[]){l, h->counts[l], expected ? h->expected[l] : NAN, h->counts[l] / count, expected ? fabs(h->counts[l] - h->expected[l]) / count : NAN});
    return status;
}

// What the text around Fig. 9 speaks of.
static scree_status tell_summary(findings* f, const char* name, int tree, double count, const histogram* h)
{
    double used = 0.0, first = NAN, most = 0.0, mean = 0.0, deepest = 0.0;
    for (int l = 0; l < most_levels; ++l) {
        used += h->counts[l] > 0.0;
        first = isnan(first) && h->counts[l] > 0.0 ? l : first;
        most = fmax(most, h->counts[l] / count);
        mean += l * h->counts[l] / count;
        deepest = h->expected[l] > 0.0 ? h->counts[l] / count : deepest;
    }
    return findings_row(f, (const char* const[]){name, scree_method_name((scree_method)trees[tree])}, (const double[]){used, first, most, mean, deepest, (double)h->elsewhere});
}

// The user's spheres, as they are or packed.
static scree_status own_levels(findings* f, const bench_own* own, const bench_options* co)
{
    static histogram h[tree_count];
    memset(h, 0, sizeof h);
    scree_sphere_set packed = {0};
    scree_status status = own->law != NULL ? bench_pack(own->law, own->count, co->seed, 1e-3, false, co, &packed) : SCREE_OK;
    const scree_sphere_set* set = own->law != NULL ? &packed : &own->set;
    for (int t = 0; t < tree_count && status == SCREE_OK; ++t) {
        status = add_counts(set, t, 1.0, own->law != NULL, &h[t]);
        if (status == SCREE_OK)
            status = tell_levels(f, own->name, t, (double)set->count, own->law != NULL, &h[t]);
    }
    if (status == SCREE_OK && co->out != NULL)
        status = draw_both(f, co, "own", set);
    scree_sphere_set_free(&packed);
    return status;
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
    for (int t = 0; t < tree_count && status == SCREE_OK; ++t)
        status = tell_levels(f, laws[law].name, t, count, true, &h[t]);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const int packings = co->quick ? 1 : 10;
    const int32_t count = co->quick ? 1250 : 10000;
    static histogram h[law_count][tree_count];
    memset(h, 0, sizeof h);
    bench_own own;
    scree_status status = bench_own_get(co, 3, 10000, 0.0, &own);
    if (own.given) {
        findings_own(f, own.name);
        if (status == SCREE_OK)
            status = own_levels(f, &own, co);
        scree_sphere_set_free(&own.set);
        return status;
    }
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        status = count_law(f, co, law, count, packings, h[law]);
    findings_table(f, "summary", 2, (const char* const[]){"sizes", "tree", "levels_used", "first_level", "most_share", "mean_level", "deepest_share", "elsewhere", NULL});
    for (int law = 0; law < law_count; ++law)
        for (int t = 0; t < tree_count && status == SCREE_OK; ++t)
            status = tell_summary(f, laws[law].name, t, count, &h[law][t]);
    for (int law = 0; law < law_count && status == SCREE_OK && co->out != NULL; ++law)
        status = pack_and_draw(f, co, law == EQUAL ? "equal" : "fuller", law, co->quick, count);
    findings_paper(f, "Section 4, Fig. 9: \"In the octree the spheres are widely distributed among the levels of the tree in the monodispers as well as in the polydispers case. If a loose octree "
                      "is used, the spheres reside mainly within the last few levels of the loose octree. In the monodisperse packing there are actually no spheres on levels 0-3 of the loose "
                      "octree. As the spheres all have diameter 1, they are inserted into the two deepest tree levels only.\"");
    findings_paper(f, "Of the Fuller sample \"only very few spheres slip into the deepest loose octree node level 8\". (By its Eq. 4 the deepest is level 7.)");
    findings_paper(f, "Section 3.2 and 3.3, Fig. 5 and 7: spheres that cross a splitting plane stay high up in the octree, a hotspot pattern; in the loose octree they are placed much deeper.");
    findings_note(f, "Means of %d packing%s of %d spheres, in a periodic cube. The paper prints no numbers. Column random: the closed form for spheres of these sizes at random positions. Widely "
                     "distributed: no level has more than half; very few: less than 2 %%.", packings, packings == 1 ? "" : "s", (int)count);
    return status;
}

#define DEPTH(sizes_name)                                                                                                                                               \
    {.quantity = sizes_name ": mean level in the loose octree by that in the strict one", .source = "Section 3.3", .words = "much deeper", .least = 1.2, .most = 10.0, .how = CLAIM_RATIO, \
     .table = "summary", .column = "mean_level", .rows = "tree=loose-octree;sizes=" sizes_name, .over = "tree=octree;sizes=" sizes_name},                               \
    {.quantity = sizes_name ": largest share of a level of the strict octree", .source = "Fig. 9", .words = "widely distributed", .least = 0.0, .most = 0.5, .table = "summary", \
     .column = "most_share", .rows = "tree=octree;sizes=" sizes_name}
#define LEVEL_CHART(suffix_name, title_text, sizes_name)                                                                                                     \
    {.suffix = suffix_name, .title = title_text, .x_label = "level", .y_label = "share of the spheres", .x = "level", .y = "share", .by = "tree", .rows = "sizes=" sizes_name}

const experiment bench_raschdorf_levels = {
    .name = "raschdorf-levels",
    .about = "their Fig. 5, 7 and 9: spheres on each level of the octrees, counted and drawn",
    .title = "Spheres on each level of the octrees",
    .paper = true,
    .takes = TAKES_OWN | TAKES_COUNT,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "tree", "level", "spheres", "random", "share", "off_random", NULL},
    .claims = (const claim[]){
        {.quantity = "equal: levels of the loose octree that have spheres", .source = "Fig. 9", .paper = 2, .least = 2.0, .most = 2.0, .table = "summary", .column = "levels_used",
         .rows = "tree=loose-octree;sizes=equal"},
        {.quantity = "equal: first level of the loose octree that has spheres", .source = "Fig. 9", .paper = 4, .least = 4.0, .most = 4.0, .table = "summary", .column = "first_level",
         .rows = "tree=loose-octree;sizes=equal", .full = true},
        {.quantity = "Fuller: share of the deepest level that the loose octree could use", .source = "Fig. 9", .words = "only very few", .least = 0.0, .most = 0.02, .table = "summary",
         .column = "deepest_share", .rows = "tree=loose-octree;sizes=Fuller", .full = true},
        DEPTH("equal"),
        DEPTH("Fuller"),
        {.quantity = "spheres that are not on the level of the definition", .least = 0.0, .most = 0.0, .how = CLAIM_MOST, .table = "summary", .column = "elsewhere"},
        {.quantity = "share of a level by the closed form for random positions, largest difference", .least = 0.0, .most = 0.03, .how = CLAIM_MOST, .column = "off_random"},
        {0}},
    .charts = (const chart[]){
        LEVEL_CHART("equal", "Equal spheres", "equal"),
        LEVEL_CHART("fuller", "The Fuller sample", "Fuller"),
        {.title = "Spheres on each level", .x_label = "level", .y_label = "share of the spheres", .x = "level", .y = "share", .by = "tree", .own = true},
        {0}},
};
