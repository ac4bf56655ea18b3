// sequential: section 1 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings"
// (2009): ways that place spheres one after the other are faster than collective rearrangement and end less dense. All ways of the library, on equal
// spheres and on a wide law, each to the density that it can reach; one run each.
//
// (What the paper calls random sequential addition is deposition: spheres that fall and roll to rest. Here rsa is addition at random places.)
#include "bench.h"
#include "scenes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// A way leaves centres and the box in the set. Walls or periodic, as is usual for it.
typedef struct way {
    const char* name;
    const char* box;
    bool heap;
    scree_status (*pack)(const common* co, scree_sphere_set* set);
} way;

// As dense as 1000 tries per sphere give, in steps of 0.01: the paper's ways have no end either. Periodic.
static scree_status add_at_random(const common* co, scree_sphere_set* set)
{
    scree_place_def def = scree_default_place_def();
    def.seed = co->seed;
    def.threads = co->threads;
    def.tries = 1000;
    scree_status status = SCREE_OK;
    double* kept = scree_malloc(3 * (size_t)set->count, sizeof *kept);
    if (kept == NULL)
        return SCREE_ERR_MEMORY;
    scree_box box = set->box;
    bool any = false;
    for (double density = 0.25; density < 0.9; density += 0.01) {
        status = scene_set_cube(set, density);
        if (status != SCREE_OK)
            break;
        for (int k = 0; k < 3; ++k)
            set->box.periodic[k] = true;
        def.box = set->box;
        def.watch = run_watch("adding", co->quiet);
        status = scree_place_random(&def, set->count, set->r, set->x);
        run_watch_end();
        if (status == SCREE_ERR_ARGUMENT && any) {
            status = SCREE_OK;
            break;
        }
        if (status != SCREE_OK)
            break;
        memcpy(kept, set->x, 3 * (size_t)set->count * sizeof *kept);
        box = set->box;
        any = true;
    }
    memcpy(set->x, kept, 3 * (size_t)set->count * sizeof *kept);
    set->box = box;
    scree_free(kept);
    return status;
}

static scree_status rearrange(const common* co, scree_sphere_set* set)
{
    scree_rearrange_def def = scree_default_rearrange_def();
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = true;
    def.seed = co->seed;
    def.threads = co->threads;
    def.watch = run_watch("rearranging", co->quiet);
    scree_packing packing = {0};
    scree_status status = scree_pack_rearrange(&def, set->count, set->r, &packing);
    run_watch_end();
    if (status == SCREE_OK) {
        memcpy(set->x, packing.x, 3 * (size_t)set->count * sizeof *set->x);
        set->box = packing.box;
    }
    scree_packing_free(&packing);
    return status;
}

// On a base as wide as the heap becomes high, sizes in random order.
static scree_status deposit(const common* co, scree_sphere_set* set, int32_t lowest)
{
    scree_rng rng = scree_rng_make(co->seed, 6);
    double largest = 0.0, volume = 0.0;
    for (int32_t i = set->count - 1; i >= 0; --i) {
        int32_t j = (int32_t)scree_rng_below(&rng, (uint64_t)i + 1);
        double r = set->r[i];
        set->r[i] = set->r[j];
        set->r[j] = r;
    }
    for (int32_t i = 0; i < set->count; ++i) {
        largest = fmax(largest, 2.0 * set->r[i]);
        volume += 4.0 / 3.0 * 3.14159265358979323846 * set->r[i] * set->r[i] * set->r[i];
    }
    double side = fmax(cbrt(volume / 0.58), 1.05 * largest);
    scree_drop_def def = scree_default_drop_def();
    def.box = scree_box_sized(3, (double[3]){side, side, side});
    def.box.periodic[0] = def.box.periodic[1] = true;
    def.lowest = lowest;
    def.seed = co->seed;
    def.threads = co->threads;
    def.watch = run_watch("dropping", co->quiet);
    scree_packing packing = {0};
    scree_status status = scree_pack_drop(&def, set->count, set->r, &packing);
    run_watch_end();
    if (status == SCREE_OK) {
        memcpy(set->x, packing.x, 3 * (size_t)packing.count * sizeof *set->x);
        set->count = packing.count;
        set->box = packing.box;
    }
    scree_packing_free(&packing);
    return status;
}

static scree_status drop(const common* co, scree_sphere_set* set)
{
    return deposit(co, set, 1);
}

static scree_status drop_lowest(const common* co, scree_sphere_set* set)
{
    return deposit(co, set, 10);
}

// Volume of the sphere below the height h over its centre.
static double part_below(double r, double h)
{
    const double pi = 3.14159265358979323846;
    h = fmin(fmax(h, -r), r);
    return pi * (h + r) * (h + r) * (2.0 * r - h) / 3.0;
}

// Share of the box that is filled; of a heap, of its middle half: floor and surface are looser.
static double share_of(const scree_sphere_set* set, bool heap)
{
    double low = set->box.lower[2], high = set->box.upper[2], base = 1.0, sum = 0.0;
    double from = heap ? low + 0.25 * (high - low) : low, to = heap ? low + 0.75 * (high - low) : high;
    if (!heap)
        return bench_density(set);
    for (int k = 0; k < 2; ++k)
        base *= set->box.upper[k] - set->box.lower[k];
    for (int32_t i = 0; i < set->count; ++i)
        sum += part_below(set->r[i], to - set->x[3 * (int64_t)i + 2]) - part_below(set->r[i], from - set->x[3 * (int64_t)i + 2]);
    return sum / base / (to - from);
}

static const way ways[] = {
    {"rsa", "periodic", false, add_at_random},
    {"drop", "middle of a heap, sides periodic", true, drop},
    {"drop, lowest of 10", "middle of a heap, sides periodic", true, drop_lowest},
    {"rearrange", "periodic", false, rearrange},
};
enum { way_count = sizeof ways / sizeof *ways };

static const struct {
    const char *name, *law;
} laws[] = {{"equal", "mono:0.5"}, {"uniform volume 10", "uniform-volume:1:10"}, {"Fuller", bench_fuller}};
enum { law_count = sizeof laws / sizeof *laws };

static scree_status draw_sizes(const char* law, int32_t count, uint64_t seed, scree_sphere_set* out)
{
    scree_sizes* sizes = NULL;
    scree_status status = scree_sphere_set_make(3, count, out);
    if (status == SCREE_OK)
        status = scree_sizes_parse(law, 3, &sizes);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, seed, count, out->r);
    scree_sizes_free(sizes);
    return status;
}

exit_code bench_sequential(const arguments* args, const common* co, bool quick)
{
    const int32_t count = quick ? 1000 : 10000;
    enum { total = law_count * way_count };
    int64_t law_of[total], way_of[total], rows = 0;
    double density_of[total], seconds_of[total], cpu_of[total];
    char path[bench_path_most];
    scree_status status = bench_path(co, "sequential.csv", path);
    if (status == SCREE_OK)
        printf("%-18s %8s  %-18s %9s %9s %9s  %s\n", "sizes", "spheres", "way", "density", "seconds", "CPU s", "of");
    for (int law = 0; law < law_count && status == SCREE_OK; ++law)
        for (int w = 0; w < way_count && status == SCREE_OK; ++w) {
            scree_sphere_set set = {0};
            status = draw_sizes(laws[law].law, count, co->seed, &set);
            clock_t used = clock();
            double begin = bench_clock();
            if (status == SCREE_OK)
                status = ways[w].pack(co, &set);
            double seconds = bench_clock() - begin, cpu = (double)(clock() - used) / CLOCKS_PER_SEC;
            if (status == SCREE_OK) {
                double density = share_of(&set, ways[w].heap);
                printf("%-18s %8" PRId32 "  %-18s %9.4f %9.2f %9.2f  %s\n", laws[law].name, count, ways[w].name, density, seconds, cpu, ways[w].box);
                fflush(stdout);
                law_of[rows] = law;
                way_of[rows] = w;
                density_of[rows] = density;
                seconds_of[rows] = seconds;
                cpu_of[rows++] = cpu;
            }
            scree_sphere_set_free(&set);
        }
    if (status == SCREE_OK && path[0] != '\0') {
        scree_table_column columns[] = {{.name = "law", .integers = law_of},
                                        {.name = "way", .integers = way_of},
                                        {.name = "density", .values = density_of},
                                        {.name = "seconds", .values = seconds_of},
                                        {.name = "cpu_seconds", .values = cpu_of}};
        status = scree_write_table(path, NULL, rows, sizeof columns / sizeof *columns, columns);
    }
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}
