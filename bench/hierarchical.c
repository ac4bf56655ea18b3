// hierarchical: predicted densities of wide mixtures beside packings of all their spheres, where these can be made, and beside the limit of Furnas, which two sizes approach as their ratio grows.
// The full packings are made by rearrangement from radii of their own, without any of the code that predicts.
#include "harness.h"

#include <math.h>

static const struct {
    const char* law;
    int32_t count, times;  // of the full packing: spheres, packings
} sets[] = {
    {"fuller:1:3", 3000, 4},   {"fuller:1:10", 10000, 4},   {"fuller:1:31.6228", 30000, 3},  {"uniform-volume:1:31.6228", 20000, 3},
    {"lognormal:1:0.5", 30000, 2}, {"uniform-volume:1:100", 30000, 2}, {"fuller:1:100", 100000, 2},
};

static const double ratios[] = {3.0, 5.0, 10.0, 100.0, 1e4};
enum { set_count = sizeof sets / sizeof *sets, ratio_count = sizeof ratios / sizeof *ratios };
static const double reach = 10.0, coarse_share = 0.735, full_ratio = 10.0;  // a coarse share of 0.64/0.8704 fills 0.64 + 0.36 * 0.64 in the limit

typedef struct spread {
    double mean, error;
} spread;

static scree_status full_packings(const scree_sizes* sizes, int32_t count, int32_t times, const bench_options* co, spread* out)
{
    double sum = 0.0, squares = 0.0;
    scree_sphere_set set = {0};
    scree_status status = scree_sphere_set_make(3, count, &set);
    for (int32_t t = 0; t < times && status == SCREE_OK; ++t) {
        scree_rearrange_def def = scree_default_rearrange_def();
        scree_packing p = {0};
        def.seed = co->seed + (uint64_t)t;
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SHIFTED, def.seed, count, set.r);
        if (status == SCREE_OK)
            status = bench_rearranged(&def, &set, co, &p, NULL);
        sum += p.density;
        squares += p.density * p.density;
        scree_packing_free(&p);
    }
    scree_sphere_set_free(&set);
    out->mean = sum / times;
    out->error = times > 1 ? sqrt(fmax(squares / times - out->mean * out->mean, 0.0) / (times - 1)) : 0.0;
    return status;
}

static scree_status predict(const scree_sizes* sizes, bool quick, bool far, const bench_options* co, scree_hierarchy* out)
{
    scree_hierarchy_def def = scree_default_hierarchy_def();
    def.spheres = quick ? 200 : 2000;
    def.repeats = 2;
    def.reach = far ? quick ? 4.0 : reach : def.reach;
    def.seed = co->seed;
    def.threads = co->threads;
    def.watch = bench_watch("packing windows");
    scree_status status = scree_pack_hierarchy(&def, sizes, out);
    bench_watch_end();
    return status;
}

static scree_status mixtures(findings* f, const bench_options* co, bool quick)
{
    scree_status status = SCREE_OK;
    for (int s = 0; s < set_count && status == SCREE_OK; ++s) {
        if (quick && sets[s].count > 10000)
            continue;
        int32_t count = quick ? sets[s].count / 10 : sets[s].count;
        scree_sizes* sizes = NULL;
        scree_hierarchy h = {0};
        spread full = {0};
        status = scree_sizes_parse(sets[s].law, 3, &sizes);
        if (status == SCREE_OK)
            status = full_packings(sizes, count, quick ? 2 : sets[s].times, co, &full);
        if (status == SCREE_OK)
            status = predict(sizes, quick, false, co, &h);
        double off = (h.density - full.mean) / hypot(h.error, full.error);
        if (status == SCREE_OK)
            status = findings_row(f, (const char* const[]){sets[s].law}, (const double[]){count, full.mean, full.error, h.count, h.density, h.error, h.error_statistical, h.error_model, off, fabs(off)});
        scree_hierarchy_free(&h);
        scree_sizes_destroy(sizes);
    }
    findings_note(f, "full: packings of all n spheres, mean and standard error. off: density less full, over both errors.");
    return status;
}

// Two sizes with as much fine material as fills the pores of the coarse one.
static scree_status two_sizes(findings* f, const bench_options* co, bool quick)
{
    findings_table(f, "two", 0, (const char* const[]){"ratio", "n", "full", "full_error", "density", "density_low", "density_high", "error", "error_statistical", "error_model", "furnas", "off", NULL});
    scree_status status = SCREE_OK;
    for (int t = 0; t < ratio_count && status == SCREE_OK; ++t) {
        double q = ratios[t], cube = q * q * q, number[2] = {(1.0 - coarse_share) * cube, coarse_share};
        if (quick && q > 5.0 && q < 1e4)
            continue;
        scree_sizes* sizes = NULL;
        scree_hierarchy h = {0};
        spread full = {NAN, NAN};
        int32_t count = (int32_t)fmax(50.0 * (1.0 + number[0] / number[1]), 2000.0);
        status = scree_sizes_table(SCREE_TABLE_NUMBER, 3, 2, (const double[]){2.0, 2.0 * q}, number, &sizes);
        if (status == SCREE_OK && q <= full_ratio && !quick)
            status = full_packings(sizes, count, 2, co, &full);
        if (status == SCREE_OK)
            status = predict(sizes, quick, true, co, &h);
        if (status == SCREE_OK) {
            const double limit = 1.0 / fmax(coarse_share / h.levels[0].alone, coarse_share + (1.0 - coarse_share) / h.levels[1].alone);
            status = findings_row(f, NULL, (const double[]){q, q <= full_ratio && !quick ? (double)count : (double)NAN, full.mean, full.error, h.density, h.density - h.error, h.density + h.error,
                                                            h.error, h.error_statistical, h.error_model, limit, (h.density - limit) / h.error});
        }
        scree_hierarchy_free(&h);
        scree_sizes_destroy(sizes);
    }
    findings_note(f, "Two sizes, %.3g of the volume coarse. Up to a ratio of %g the window is the recipe; beyond, it is packed with ratios of %g and %g and extrapolated.", coarse_share, reach, reach / 2, reach);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    findings_paper(f, "Furnas (1931): two sizes of infinite ratio fill 0.64 + 0.36 * 0.64 = 0.8704 of space, if the fine one fills the pores of the coarse one.");
    scree_status status = mixtures(f, co, quick);
    if (status == SCREE_OK)
        status = two_sizes(f, co, quick);
    return status;
}

const experiment bench_hierarchical = {
    .name = "hierarchical",
    .about = "densities of wide mixtures from windows of size classes, compared with packings of all spheres and Furnas' limit",
    .title = "Densities of wide mixtures, predicted from windows of size classes",
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "n", "full", "full_error", "levels", "density", "error", "error_statistical", "error_model", "off", "off_size", NULL},
    .claims = (const claim[]){
        {.quantity = "prediction less full packing, over both errors, largest of all mixtures", .least = 0.0, .most = 2.0, .how = CLAIM_MOST, .column = "off_size"},
        {.quantity = "two sizes of ratio 1e4: density less Furnas' limit with the densities of each alone, over the error", .source = "Furnas 1931", .paper = 0, .least = -2.0, .most = 2.0,
         .table = "two", .column = "off", .rows = "ratio=10000"},
        {0}},
    .charts = (const chart[]){
        {.suffix = "two", .title = "Two sizes, the fine ones filling the pores of the coarse ones", .x_label = "ratio of sizes", .y_label = "density", .table = "two", .x = "ratio", .y = "density",
         .x_log = true, .paper = (const chart_points[]){{"Furnas", 2, {{1e3, 0.8704}, {1e4, 0.8704}}}, {0}}},
        {0}},
};
