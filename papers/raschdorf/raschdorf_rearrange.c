// raschdorf-rearrange: collective rearrangement of the Fuller sample as S. Raschdorf and M. Kolonko (2009) describe it, with the settings of scree_paper_rearrange_def (docs/rearrange.md), up to a number
// of spheres that --count gives. Their section 1: "Still, the problem remains to simulate packings that contain several million particles." Size, density, sweeps and the time of the processor; from the
// largest packings follows what several million would take.
//
// With -o DIR the state of each packing is in DIR/raschdorf-rearrange-N.checkpoint, every half minute (--quick: every 0.1 s), with the time used so far. A run that was stopped or killed goes on from there, to the same bits:
//
//     scree bench raschdorf-rearrange --count 1000000 --threads 1 -o DIR
#include "bench/harness.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct checkpoint {
    char path[bench_path_most], part[bench_path_most + 8];
    double before, began;  // seconds of the processor in earlier runs; when this one began
    char* data;            // the seconds, and what was saved
    size_t size;
} checkpoint;

static scree_status save(void* context, int32_t count, const scree_bytes* pieces)
{
    checkpoint* c = context;
    const double used = c->before + bench_processor() - c->began;
    FILE* file = fopen(c->part, "wb");
    bool whole = file != NULL && fwrite(&used, sizeof used, 1, file) == 1;
    for (int32_t k = 0; k < count && whole; ++k)
        whole = fwrite(pieces[k].data, 1, pieces[k].size, file) == pieces[k].size;
    if (file != NULL)
        whole = fclose(file) == 0 && whole;
    if (!whole || rename(c->part, c->path) != 0)
        return scree_fail(SCREE_ERR_IO, "%s: %s; expected room for the checkpoint", c->path, strerror(errno));
    return SCREE_OK;
}

// No file: nothing was saved.
static scree_status load(checkpoint* c)
{
    FILE* file = c->path[0] != '\0' ? fopen(c->path, "rb") : NULL;
    if (file == NULL)
        return SCREE_OK;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    bool whole = size > (long)sizeof c->before && fseek(file, 0, SEEK_SET) == 0;
    c->data = whole ? scree_malloc((size_t)size, 1) : NULL;
    if (c->data != NULL) {
        c->size = (size_t)size;
        whole = fread(c->data, 1, c->size, file) == c->size;
        memcpy(&c->before, c->data, sizeof c->before);
    }
    fclose(file);
    if (!whole)
        return scree_fail(SCREE_ERR_FORMAT, "%s: this is no checkpoint of raschdorf-rearrange; expected one that it wrote, or none", c->path);
    return c->data != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status count_overlaps(const scree_packing* p, const double* r, double* overlaps)
{
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    def.box = p->box;
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, (scree_spheres){.count = p->count, .dim = 3, .x = p->x, .r = r});
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    *overlaps = (double)pairs.count;
    scree_index_destroy(index);
    return status;
}

// One packing, from its checkpoint if there is one. *cpu: seconds of all runs; *each: nanoseconds of a visit.
static scree_status run_one(findings* f, int32_t count, const bench_options* co, double* cpu, double* each)
{
    char name[64];
    checkpoint c = {.before = 0.0};
    scree_sphere_set set = {0};
    scree_packing p = {0};
    double overlaps, here;
    scree_rearrange_def def = scree_paper_rearrange_def();
    snprintf(name, sizeof name, "raschdorf-rearrange-%d.checkpoint", (int)count);
    scree_status status = bench_path(co, name, c.path);
    snprintf(c.part, sizeof c.part, "%s.part", c.path);
    def.seed = co->seed;
    def.method = count > 20000 ? SCREE_METHOD_HIERARCHICAL_GRID : def.method;  // the same bits, in three quarters of the time
    if (status == SCREE_OK)
        status = bench_draw(bench_fuller, count, co->seed, &set);
    if (status == SCREE_OK)
        status = load(&c);
    if (c.data != NULL)
        def.resume = (scree_bytes){c.data + sizeof c.before, c.size - sizeof c.before};
    if (c.path[0] != '\0')
        def.saver = (scree_pack_saver){.save = save, .context = &c, .seconds = co->quick ? 0.1 : 30.0};
    c.began = bench_processor();
    if (status == SCREE_OK)
        status = bench_rearranged(&def, &set, co, &p, &here);
    if (status == SCREE_OK)
        status = count_overlaps(&p, set.r, &overlaps);
    if (status == SCREE_OK) {
        const double visits = (double)p.sweeps * count;
        *cpu = c.before + here;
        *each = *cpu / visits * 1e9;
        status = findings_row(f, NULL, (const double[]){count, set.r[count - 1] / set.r[0], p.box.upper[0] - p.box.lower[0], p.density, p.density_net, p.overlap_left, p.converged, overlaps, (double)p.sweeps,
                                                        (double)p.growths, (double)p.tests / visits, (double)p.refreshes / visits, *each, *cpu});
    }
    if (status == SCREE_OK && c.path[0] != '\0')
        remove(c.path);
    scree_packing_free(&p);
    scree_sphere_set_free(&set);
    scree_free(c.data);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    static const int32_t full[] = {5000, 10000, 20000}, small[] = {300, 600, 1200}, asked[] = {1000000, 3000000, 10000000};
    const int32_t* counts = co->quick ? small : full;
    double n[4], cpu[4], each[4];
    int done = 0;
    scree_status status = SCREE_OK;
    if (co->count > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "--count is %lld; expected at most %d", (long long)co->count, INT32_MAX);
    for (int k = 0; k < 4 && status == SCREE_OK; ++k) {
        const int32_t count = k < 3 ? counts[k] : (int32_t)co->count;
        if (count == 0 || (co->count > 0 && k < 3 && count >= co->count))
            continue;
        n[done] = count;
        status = run_one(f, count, co, &cpu[done], &each[done]);
        ++done;
    }
    findings_table(f, "extrapolated", 0, (const char* const[]){"n", "cpu_hours", NULL});
    const double power = done > 1 ? fmax(log(each[done - 1] / each[0]) / log(n[done - 1] / n[0]), 0.0) : 0.0;
    for (int k = 0; k < 3 && status == SCREE_OK; ++k)
        status = findings_row(f, NULL, (const double[]){asked[k], cpu[done - 1] * pow(asked[k] / n[done - 1], 1.0 + power) / 3600.0});
    findings_paper(f, "Section 1: \"Still, the problem remains to simulate packings that contain several million particles.\" Section 4: samples of 10 000 spheres; the Fuller sample in a cube where \"the outer "
                      "boundary length of the nodes at level 7 was only slightly larger than the smallest diameter\": a side slightly above 64.");
    findings_note(f, "Settings of scree_paper_rearrange_def in a periodic cube: ends at overlaps of 1e-3 of the smaller diameter, which are then scaled away. Above 20,000 spheres the hierarchical grid "
                     "finds neighbours in place of the loose octree: the same bits, in three quarters of the time. Extrapolated: as "
                     "many sweeps as the largest packing took (20,350 for 20,000 spheres, 21,870 for 100,000), and the time of a visit by its power of n so far%s.", co->count > 0 ? "" : "; --count N adds a larger one");
    if (status == SCREE_OK)
        findings_note(f, "A visit takes time as n^%.2f from %.0f to %.0f spheres. Where a set outgrows the caches it takes more: the first sweeps of a million, with the loose octree, took 2.4 times "
                      "as long for each sphere as those of 100,000.", power, n[0], n[done - 1]);
    findings_note(f, "The density falls with the number of spheres: the sample then has larger ones, and with equal weight of all overlaps the large ones jam first (docs/rearrange.md).");
    return status;
}

const experiment bench_raschdorf_rearrange = {
    .name = "raschdorf-rearrange",
    .about = "collective rearrangement as in their paper, in pieces if it is long: density, sweeps, time",
    .title = "Collective rearrangement of the Fuller sample, as in the paper",
    .paper = true,
    .takes = TAKES_COUNT,
    .run = run_bench,
    .columns = (const char* const[]){"n", "size_ratio", "side", "density", "density_net", "overlap_left", "converged", "overlaps", "sweeps", "growths", "tests_per_visit", "refreshes_per_visit",
                                     "ns_per_visit", "cpu_s", NULL},
    .claims = (const claim[]){
        {.quantity = "overlaps in any packing", .words = "none", .least = 0.0, .most = 0.0, .how = CLAIM_MOST, .column = "overlaps"},
        {.quantity = "packings that ended at the tolerance", .words = "all", .least = 1.0, .most = 1.0, .how = CLAIM_LEAST, .column = "converged"},
        {.quantity = "10,000 spheres: side of the cube in smallest diameters", .source = "Section 4", .words = "slightly above 64", .least = 64.0, .most = 67.2, .column = "side", .rows = "n=10000",
         .full = true},
        {.quantity = "largest packing: spheres", .source = "Section 1", .words = "several million, a problem that remains", .least = 2e6, .most = 1e8, .how = CLAIM_MOST, .column = "n", .full = true},
        {0}},
    .charts = (const chart[]){
        {.title = "Time of the processor", .x_label = "spheres", .y_label = "seconds", .x = "n", .y = "cpu_s", .x_log = true, .y_log = true},
        {.suffix = "density", .title = "Density", .x_label = "spheres", .y_label = "density", .x = "n", .y = "density", .x_log = true},
        {0}},
};
