// spiral: section 1 of Raschdorf and Kolonko (2009) names packings that grow "along a spiral on the outer boundaries of the container", after K. Bagi, "An algorithm to generate random dense arrangements
// for discrete element simulations of granular assemblies" (2005); methods that place one after the other are generally faster than collective rearrangement, "but are reported to create packings with
// a lower density". Beside it deposition and rearrangement, with the same discs between the same four walls.
//
//      <---------.     The first disc lies in a corner. The next one touches the last and a wall or another disc: of all places that are free, the first on a turn around the last disc that
//     .-------.  |     begins at the one before it and goes over the outer side. So discs follow the walls, and then the layer outside theirs, inwards. Where the last has no room beside it, the one
//     |  .--. |  |     before it is tried, and so on. A disc that has no room anywhere is left out; after twenty in a row the square is full.
//     |  `----'  |
//     `----------'     Discs keep a distance of 1e-11 radii, so that rounding makes no overlap.
#include "bench/harness.h"

#include <math.h>
#include <string.h>

enum { turns = 5, in_a_row = 20, most_near = 512 };
static const double turn = 6.28318530717958647692, apart = 1.0 + 1e-11;

typedef struct spiral {
    scree_index* index;
    scree_sphere_set* set;  // discs that are placed, in a square
    double side;
    double* full;           // by disc: the smallest radius that found no place beside it; neither does a larger one, then or later
} spiral;

typedef struct spot {
    double x[2], turned;
} spot;

// A place that touches disc l: taken if it is the first on the turn and free.
static scree_status try_spot(const spiral* s, int32_t l, double r, double x, double y, spot* best)
{
    const double *c = s->set->x + 2 * (int64_t)l, *before = l > 0 ? c - 2 : (const double[2]){c[0] - 1.0, c[1]}, from = atan2(before[1] - c[1], before[0] - c[0]);
    const double at[2] = {x, y}, turned = fmod(atan2(y - c[1], x - c[0]) - from + 2.0 * turn, turn);
    if (!(x >= r && y >= r && x <= s->side - r && y <= s->side - r) || turned >= best->turned)  // NaN: there is no such place
        return SCREE_OK;
    scree_neighbours near;
    scree_status status = scree_index_query(s->index, at, r, &near);
    if (status == SCREE_OK && near.count == 0)
        *best = (spot){{x, y}, turned};
    return status;
}

static scree_status look_beside(const spiral* s, int32_t l, double r, spot* best)
{
    const double *c = s->set->x + 2 * (int64_t)l, reach = (s->set->r[l] + r) * apart;
    int32_t others[most_near];
    int count = 0;
    scree_neighbours near;
    *best = (spot){.turned = INFINITY};
    scree_status status = scree_index_query(s->index, c, (s->set->r[l] + 2.0 * r) * apart, &near);
    for (int64_t k = 0; k < near.count && status == SCREE_OK && count < most_near; ++k)
        if (near.j[k] != l)
            others[count++] = near.j[k];
    for (int wall = 0; wall < 4; ++wall) {
        const int k = wall / 2;
        const double at = wall % 2 == 0 ? r * apart : s->side - r * apart, along = sqrt(reach * reach - (at - c[k]) * (at - c[k]));
        for (int side = -1; side <= 1 && status == SCREE_OK; side += 2)
            status = k == 0 ? try_spot(s, l, r, at, c[1] + side * along, best) : try_spot(s, l, r, c[0] + side * along, at, best);
    }
    for (int k = 0; k < count; ++k) {
        const double *o = s->set->x + 2 * (int64_t)others[k], to = (s->set->r[others[k]] + r) * apart, dx = o[0] - c[0], dy = o[1] - c[1], square = dx * dx + dy * dy;
        const double share = 0.5 * (1.0 + (reach * reach - to * to) / square), off = sqrt(reach * reach / square - share * share);
        for (int side = -1; side <= 1 && status == SCREE_OK; side += 2)
            status = try_spot(s, l, r, c[0] + share * dx - side * off * dy, c[1] + share * dy + side * off * dx, best);
    }
    return status;
}

static scree_status put(spiral* s, const double x[2], double r)
{
    const int32_t i = s->set->count++;
    memcpy(s->set->x + 2 * (int64_t)i, x, 2 * sizeof *x);
    s->set->r[i] = r;
    return scree_index_insert(s->index, x, r, &(int32_t){0});
}

// The set comes with radii in the order in which they arrive, and keeps those that were placed.
static scree_status wind(spiral* s, const double* r, int32_t count)
{
    int failed = 0;
    scree_status status = put(s, (const double[2]){r[0] * apart, r[0] * apart}, r[0]);
    for (int32_t i = 1; i < count && failed < in_a_row && status == SCREE_OK; ++i) {
        spot best = {.turned = INFINITY};
        for (int32_t l = s->set->count - 1; l >= 0 && status == SCREE_OK && best.turned == INFINITY; --l) {
            if (r[i] >= s->full[l])
                continue;
            status = look_beside(s, l, r[i], &best);
            s->full[l] = best.turned == INFINITY ? r[i] : s->full[l];
        }
        failed = best.turned == INFINITY ? failed + 1 : 0;
        if (status == SCREE_OK && failed == 0)
            status = put(s, best.x, r[i]);
        if (bench_interrupted())
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    }
    return status;
}

// Radii in random order, more than fit into the square.
static scree_status make_spiral(const char* law, int32_t count, const bench_options* co, scree_sphere_set* set)
{
    spiral s = {.set = set};
    scree_index_def def = scree_default_index_def();
    double area = 0.0;
    scree_status status = bench_draw_in(2, law, count, co->seed, set);
    double* r = scree_malloc((size_t)count, sizeof *r);
    s.full = scree_malloc((size_t)count, sizeof *s.full);
    if (status == SCREE_OK && (r == NULL || s.full == NULL))
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        bench_shuffle_radii(set, co->seed);
        memcpy(r, set->r, (size_t)count * sizeof *r);
        for (int32_t i = 0; i < count; ++i) {
            area += 0.5 * turn * r[i] * r[i];
            s.full[i] = INFINITY;
        }
        s.side = sqrt(area);  // at density 1: not all find a place
        set->box = def.box = scree_box_sized(2, (double[2]){s.side, s.side});
        set->has_box = true;
        set->count = 0;
        def.skin = -1.0;
        status = scree_index_create(&def, &s.index);
    }
    if (status == SCREE_OK)
        status = scree_index_update(s.index, (scree_spheres){.dim = 2});
    if (status == SCREE_OK)
        status = wind(&s, r, count);
    scree_index_destroy(s.index);
    scree_free(s.full);
    scree_free(r);
    return status;
}

enum { SPIRAL, DROP, LOWEST, REARRANGE, way_count };
static const char* const ways[way_count] = {"spiral", "drop", "drop lowest of 10", "rearrange"};

// The other ways take the discs of the spiral, in its order.
static scree_status pack(int way, const char* law, int32_t count, const bench_options* co, scree_sphere_set* set)
{
    scree_packing packing = {0};
    scree_status status = SCREE_OK;
    if (way == SPIRAL)
        return make_spiral(law, count, co, set);
    if (way == REARRANGE) {
        scree_rearrange_def def = scree_default_rearrange_def();
        def.box = scree_box_sized(2, (double[2]){1.0, 1.0});
        def.seed = co->seed;
        def.threads = co->threads;
        status = scree_pack_rearrange(&def, set->count, set->r, &packing);
    } else {
        scree_drop_def def = scree_default_drop_def();
        def.box = set->box;
        def.lowest = way == LOWEST ? 10 : 1;
        def.seed = co->seed;
        status = scree_pack_drop(&def, set->count, set->r, &packing);
    }
    if (status == SCREE_OK) {
        memcpy(set->x, packing.x, 2 * (size_t)set->count * sizeof *set->x);
        set->box = packing.box;
    }
    scree_packing_free(&packing);
    return status;
}

static scree_status count_overlaps(const scree_sphere_set* set, double* overlaps)
{
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_ALL_PAIRS;
    def.box = set->box;
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    *overlaps = (double)pairs.count;
    scree_index_destroy(index);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    static const struct {
        const char *name, *law;
    } laws[] = {{"equal", "mono:1"}, {"uniform size 2", "uniform-size:1:2"}, {"uniform size 5", "uniform-size:1:5"}};
    scree_picture_def look = scree_default_picture_def();
    scree_status status = SCREE_OK;
    for (size_t law = 0; law < sizeof laws / sizeof *laws && status == SCREE_OK; ++law) {
        scree_sphere_set set = {0};
        double cpu[way_count][turns], quotient[way_count][turns], overlaps[way_count] = {0.0}, density[way_count] = {0.0};
        for (int t = 0; t < turns; ++t)
            for (int way = 0; way < way_count && status == SCREE_OK; ++way) {
                if (way == SPIRAL)
                    scree_sphere_set_free(&set);
                const scree_box square = set.box;
                double begin = bench_processor();
                status = pack(way, laws[law].law, co->quick ? 400 : 4000, co, &set);
                cpu[way][t] = bench_processor() - begin;
                quotient[way][t] = cpu[way][t] / cpu[SPIRAL][t];
                if (status == SCREE_OK)
                    status = count_overlaps(&set, &overlaps[way]);
                if (status == SCREE_OK && t == 0 && way == SPIRAL && law == 1)
                    findings_picture(f, "discs-along-a-spiral", &set, &look);
                density[way] = status == SCREE_OK ? scree_spheres_volume(scree_sphere_set_view(&set)) / scree_box_volume(&set.box) : 0.0;
                set.box = way == SPIRAL ? set.box : square;
            }
        for (int way = 0; way < way_count && status == SCREE_OK; ++way) {
            bench_quartiles s = bench_spread(cpu[way], turns), by = bench_spread(quotient[way], turns);
            status = findings_row(f, (const char* const[]){laws[law].name, ways[way]}, (const double[]){set.count, density[way], overlaps[way], s.median, s.low, s.high, by.median, by.low, by.high});
        }
        scree_sphere_set_free(&set);
    }
    findings_paper(f, "Section 1: spheres may be added \"along a spiral on the outer boundaries of the container\" (Bagi 2005). \"RSA algorithms are generally faster than the CR type algorithms [...], but are "
                      "reported to create packings with a lower density\".");
    findings_note(f, "Discs, as in Bagi's paper, in random order of sizes. The spiral fills a square; deposition and rearrangement take the discs that it has placed, between walls. Density of the whole box: "
                     "that of a heap ends at its highest disc. CPU seconds: medians of %d turns.", (int)turns);
    return status;
}

#define BESIDE(sizes_name)                                                                                                                                                                     \
    {.quantity = sizes_name ": density by that of rearrangement", .source = "Section 1", .words = "lower", .least = 0.5, .most = 0.99, .how = CLAIM_RATIO, .column = "density",                \
     .rows = "sizes=" sizes_name ";way=spiral", .over = "sizes=" sizes_name ";way=rearrange"},                                                                                                 \
    {.quantity = sizes_name ": CPU seconds of rearrangement by those of the spiral", .source = "Section 1", .words = "generally faster", .least = 2.0, .most = 1e3, .column = "cpu_by_spiral", \
     .rows = "sizes=" sizes_name ";way=rearrange", .timed = true, .full = true}

const experiment bench_spiral = {
    .name = "spiral",
    .about = "their section 1: packings along a spiral (Bagi) beside deposition and rearrangement",
    .title = "Discs along a spiral from the walls inwards",
    .paper = true,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "way", "n", "density", "overlaps", "cpu", "cpu_low", "cpu_high", "cpu_by_spiral", "cpu_by_spiral_low", "cpu_by_spiral_high", NULL},
    .claims = (const claim[]){
        {.quantity = "overlaps in any packing", .words = "none", .least = 0.0, .most = 0.0, .how = CLAIM_MOST, .column = "overlaps"},
        BESIDE("equal"),
        BESIDE("uniform size 2"),
        BESIDE("uniform size 5"),
        {0}},
    .charts = (const chart[]){
        {.title = "Density between four walls", .x_label = "", .y_label = "density", .x = "sizes", .y = "density", .by = "way"},
        {0}},
};
