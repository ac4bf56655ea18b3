// sequential: section 1 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings"
// (2009): methods that place spheres one after the other are faster than collective rearrangement and end less dense. All packing methods of the library, on equal
// spheres and on wide size distributions, each to the density that it can reach. The two that the paper compares take turns five times, for their times.
//
// (What the paper calls random sequential addition is deposition: spheres that fall and roll to rest. Here rsa is addition at random positions.)
#include "bench/harness.h"
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A way leaves centres and the box in the set. Walls or periodic, as is usual for it.
typedef struct way {
    const char* name;
    const char* box;
    bool heap;
    scree_status (*pack)(const bench_options* co, scree_sphere_set* set);
} way;

// All of them in a cube of this density. *fits: all found a place, in 1000 tries each, or by a search of all that is free: a sphere that is left out there has no room.
static scree_status add_once(const bench_options* co, double density, bool search, scree_sphere_set* set, bool* fits)
{
    scree_place_def def = scree_default_place_def();
    def.seed = co->seed;
    def.threads = co->threads;
    def.tries = 1000;
    scree_status status = scene_set_cube(set, density);
    for (int k = 0; k < 3; ++k)
        set->box.periodic[k] = true;
    def.box = set->box;
    def.watch = bench_watch("adding");
    scree_sphere_set full = {0};
    if (status == SCREE_OK)
        status = search ? scree_place_until_full(&def, set->count, set->r, 1, NULL, &full) : scree_place_random(&def, set->count, set->r, set->x);
    *fits = status == SCREE_OK && (!search || full.count == set->count);
    if (status == SCREE_ERR_ARGUMENT && !search)
        status = SCREE_OK;
    if (*fits && search) {  // in the order in which they came
        memcpy(set->x, full.x, 3 * (size_t)set->count * sizeof *set->x);
        memcpy(set->r, full.r, (size_t)set->count * sizeof *set->r);
    }
    scree_sphere_set_free(&full);
    bench_watch_end();
    return status;
}

static scree_status add_at_random(const bench_options* co, scree_sphere_set* set)
{
    double* kept = scree_malloc(3 * (size_t)set->count, sizeof *kept);
    if (kept == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = SCREE_OK;
    scree_box box = set->box;
    bool search = false, any = false;
    int low = 24, high = 95;  // hundredths: fits, does not
    while (high - low > 1 && status == SCREE_OK) {
        int middle = search ? (low + high) / 2 : low + 1;
        bool fits;
        status = add_once(co, middle / 100.0, search, set, &fits);
        if (status == SCREE_OK && fits) {
            memcpy(kept, set->x, 3 * (size_t)set->count * sizeof *kept);
            box = set->box;
            low = middle;
            any = true;
        } else if (search) {
            high = middle;
        }
        search = search || !fits;
    }
    if (status == SCREE_OK && !any)
        status = scree_fail(SCREE_ERR_ARGUMENT, "random sequential addition: not all spheres fit at density 0.25; expected a lower density");
    memcpy(set->x, kept, 3 * (size_t)set->count * sizeof *kept);
    set->box = box;
    scree_free(kept);
    return status;
}

// What a method has made; nothing where it failed.
static void take_packing(scree_status status, const double* x, const scree_box* box, scree_sphere_set* set)
{
    bench_watch_end();
    if (status != SCREE_OK)
        return;
    memcpy(set->x, x, 3 * (size_t)set->count * sizeof *set->x);
    set->box = *box;
}

static scree_status rearrange(const bench_options* co, scree_sphere_set* set)
{
    scree_rearrange_def def = scree_default_rearrange_def();
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = true;
    def.seed = co->seed;
    def.threads = co->threads;
    def.watch = bench_watch("rearranging");
    scree_packing packing = {0};
    scree_status status = scree_pack_rearrange(&def, set->count, set->r, &packing);
    take_packing(status, packing.x, &packing.box, set);
    scree_packing_free(&packing);
    return status;
}

// Hard spheres that grow until they jam: the reduced pressure says when.
static scree_status grow(const bench_options* co, scree_sphere_set* set)
{
    scree_grow_def def = scree_default_grow_def();
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = true;
    def.density = INFINITY;
    def.pressure = 1e4;
    def.rate = 0.03;  // slower than about 0.01, equal spheres begin to order
    def.seed = co->seed;
    def.threads = co->threads;
    def.watch = bench_watch("growing");
    scree_growth grown = {0};
    scree_status status = scree_pack_grow(&def, set->count, set->r, &grown);
    take_packing(status, grown.x, &grown.box, set);
    scree_growth_free(&grown);
    return status;
}

// Soft spheres under pressure.
static scree_status compress(const bench_options* co, scree_sphere_set* set)
{
    scree_compress_def def = scree_default_compress_def();
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = true;
    def.seed = co->seed;
    def.threads = co->threads;
    def.watch = bench_watch("compressing");
    scree_packing packing = {0};
    scree_status status = scree_pack_compress(&def, set->count, set->r, &packing);
    take_packing(status, packing.x, &packing.box, set);
    scree_packing_free(&packing);
    return status;
}

// On a base as wide as the heap becomes high, sizes in random order.
static scree_status deposit(const bench_options* co, scree_sphere_set* set, int32_t lowest)
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
    def.watch = bench_watch("dropping");
    scree_packing packing = {0};
    scree_status status = scree_pack_drop(&def, set->count, set->r, &packing);
    bench_watch_end();
    if (status == SCREE_OK) {
        memcpy(set->x, packing.x, 3 * (size_t)packing.count * sizeof *set->x);
        set->count = packing.count;
        set->box = packing.box;
    }
    scree_packing_free(&packing);
    return status;
}

static scree_status drop(const bench_options* co, scree_sphere_set* set)
{
    return deposit(co, set, 1);
}

static scree_status drop_lowest(const bench_options* co, scree_sphere_set* set)
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

enum { RSA, DROP, DROP_LOWEST, REARRANGE, GROW, COMPRESS, way_count };
static const way ways[way_count] = {
    {"rsa", "periodic", false, add_at_random},
    {"drop", "middle of a heap", true, drop},
    {"drop, lowest of 10", "middle of a heap", true, drop_lowest},
    {"rearrange", "periodic", false, rearrange},
    {"grow", "periodic", false, grow},
    {"compress", "periodic", false, compress},
};

static const struct {
    const char *name, *law;
} laws[] = {{"equal", "mono:0.5"}, {"uniform volume 10", "uniform-volume:1:10"}, {"Fuller", bench_fuller}};
enum { law_count = sizeof laws / sizeof *laws };

enum { most_runs = 5 };

typedef struct packing_result {
    int runs;
    int32_t count;
    double density, seconds, cpu[most_runs];  // cpu: seconds of the processor
} packing_result;

// Packs once, with new radii; *drawn: there were some.
static scree_status run_way(const way* w, const bench_own* own, const char* law, int32_t count, const bench_options* co, bool* drawn, packing_result* out)
{
    scree_sphere_set set = {0};
    scree_status status = own != NULL ? bench_draw_own(own, co->seed, &set) : bench_draw(law, count, co->seed, &set);
    *drawn = status == SCREE_OK;
    const double begin = bench_processor(), clock = bench_clock();
    if (*drawn)
        status = w->pack(co, &set);
    if (status == SCREE_OK) {
        out->cpu[out->runs++] = bench_processor() - begin;
        out->seconds = bench_clock() - clock;
        out->density = share_of(&set, w->heap);
        out->count = (int32_t)set.count;
    }
    scree_sphere_set_free(&set);
    return status;
}

// Which methods are run: compression, the slowest, for equal spheres only; quick runs leave out what takes seconds.
static bool is_run(int w, bool equal, bool own, bool quick)
{
    if (w == COMPRESS)
        return equal && !quick;
    return (w != RSA && w != GROW) || own || equal || !quick;
}

// All methods on one set of radii, the two of the paper in turns. One that cannot do it is said and left out.
static scree_status pack_all(findings* f, const char* name, const bench_own* own, int law, int32_t count, bool quick, const bench_options* co)
{
    packing_result results[way_count] = {{.runs = 0}};
    scree_status status = SCREE_OK;
    for (int t = 0; t < most_runs; ++t)
        for (int w = 0; w < way_count && status == SCREE_OK; ++w) {
            bool drawn = false;
            if (!is_run(w, law == 0 && own == NULL, own != NULL, quick) || (t > 0 && (results[w].runs < t || (w != DROP && w != REARRANGE))))
                continue;
            status = run_way(&ways[w], own, laws[law].law, count, co, &drawn, &results[w]);
            if (status == SCREE_ERR_ARGUMENT && own != NULL && drawn) {
                findings_note(f, "%s is left out: %s", ways[w].name, scree_error_message());
                status = SCREE_OK;
            }
        }
    for (int w = 0; w < way_count && status == SCREE_OK; ++w) {
        packing_result* r = &results[w];
        double quotient[most_runs] = {NAN};
        if (r->runs == 0)
            continue;
        for (int t = 0; t < r->runs && results[DROP].runs == r->runs; ++t)
            quotient[t] = r->cpu[t] / results[DROP].cpu[t];
        const bench_quartiles by = bench_spread(quotient, r->runs), cpu = bench_spread(r->cpu, r->runs);
        status = findings_row(f, (const char* const[]){name, ways[w].name, ways[w].box},
                              (const double[]){r->count, r->density, r->seconds, cpu.median, cpu.low, cpu.high, by.median, by.low, by.high});
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    bench_own own;
    scree_status status = bench_own_get(co, 3, co->quick ? 1000 : 10000, 0.0, &own);
    const int sets = own.given ? 1 : law_count;
    if (own.given)
        findings_own(f, own.name);
    for (int s = 0; s < sets && status == SCREE_OK; ++s)
        status = pack_all(f, own.given ? own.name : laws[s].name, own.given ? &own : NULL, s, co->quick ? 500 : 10000, co->quick, co);
    findings_paper(f, "Section 1: \"RSA algorithms are generally faster than the CR type algorithms described below, but are reported to create packings with a lower density\" (CR: collective "
                      "rearrangement).");
    findings_note(f, "What the paper calls random sequential addition is deposition, here drop; rsa adds at random positions, large to small, to the highest density, in hundredths, at which all find a "
                     "place: first by random tries, then by a search of all free space. Rearrangement ends at overlaps of 1e-4 of a diameter.");
    findings_note(f, "Growth at rate 0.03 to a pressure of 1e4; compression of equal spheres only. A heap's density is that of its middle half. Faster: at least twice.%s",
                  co->quick ? " Quick: rsa and growth of equal spheres only, no compression." : "");
    scree_sphere_set_free(&own.set);
    return status;
}

#define OF_LAW(name)                                                                                                                                                    \
    {.quantity = name ": density of deposition by that of rearrangement", .source = "Section 1", .words = "lower", .least = 0.3, .most = 0.99, .how = CLAIM_RATIO, .column = "density", \
     .rows = "sizes=" name ";way=drop", .over = "sizes=" name ";way=rearrange"},                                                                                        \
    {.quantity = name ": density of deposition, lowest of 10, by that of rearrangement", .source = "Section 1", .words = "lower", .least = 0.3, .most = 0.99, .how = CLAIM_RATIO, \
     .column = "density", .rows = "sizes=" name ";way=drop lowest of 10", .over = "sizes=" name ";way=rearrange"},                                                      \
    {.quantity = name ": time of rearrangement by that of deposition", .source = "Section 1", .words = "generally faster", .least = 2.0, .most = 1e3, .column = "cpu_by_drop", \
     .rows = "sizes=" name ";way=rearrange", .timed = true}
#define REPORTED(way_name, value, low, high, by)                                                                                                                        \
    {.quantity = "equal, " way_name ": density", .source = by, .paper = value, .least = low, .most = high, .column = "density", .rows = "sizes=equal;way=" way_name, .full = true}

const experiment bench_sequential = {
    .name = "sequential",
    .about = "their section 1: density and time of the packing methods",
    .title = "Density and seconds of the packing methods",
    .paper = true,
    .takes = TAKES_OWN | TAKES_COUNT,
    .run = run_bench,
    .texts = 3,
    .columns = (const char* const[]){"sizes", "way", "of", "n", "density", "seconds", "cpu_s", "cpu_s_low", "cpu_s_high", "cpu_by_drop", "cpu_by_drop_low", "cpu_by_drop_high", NULL},
    .claims = (const claim[]){
        OF_LAW("equal"), OF_LAW("uniform volume 10"), OF_LAW("Fuller"),
        REPORTED("rsa", 0.3841, 0.3641, 0.3871, "Zhang and Torquato 2013"),  // looked for in hundredths
        REPORTED("drop", 0.582, 0.552, 0.612, "Visscher and Bolsterli 1972"),
        REPORTED("rearrange", 0.645, 0.625, 0.660, "Jodrey and Tory 1985"),
        REPORTED("grow", 0.6366, 0.6166, 0.6516, "Scott and Kilgour 1969"),
        REPORTED("compress", 0.639, 0.619, 0.654, "O'Hern et al. 2003"),
        {0}},
    .charts = (const chart[]){
        {.title = "Density by packing method", .y_label = "density", .x = "way", .y = "density", .by = "sizes"},
        {.suffix = "time", .title = "Time by packing method", .y_label = "seconds of the processor", .x = "way", .y = "cpu_s", .by = "sizes", .y_log = true, .points = true},
        {0}},
};
