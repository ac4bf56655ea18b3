// sequential: section 1 of S. Raschdorf and M. Kolonko, "Loose octree: a data structure for the simulation of polydisperse particle packings"
// (2009): methods that place spheres one after the other are faster than collective rearrangement and end less dense. All packing methods of the library, on equal
// spheres and on wide size distributions, each to the density that it can reach. The two that the paper compares are run five times, for their times.
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

// Densities of equal spheres that others report; 0: none for just this method.
static const struct {
    double density, below, above;  // what is allowed around it
    const char* source;
} reported[way_count] = {
    [RSA] = {0.3841, 0.02, 0.003, "saturation, Zhang and Torquato 2013"},  // looked for in hundredths
    [DROP] = {0.582, 0.03, 0.03, "Visscher and Bolsterli 1972"},
    [REARRANGE] = {0.645, 0.02, 0.015, "0.642 to 0.649, Jodrey and Tory 1985"},
    [GROW] = {0.6366, 0.02, 0.015, "random close packing, Scott and Kilgour 1969"},
    [COMPRESS] = {0.639, 0.02, 0.015, "jamming, O'Hern et al. 2003"},
};

enum { most_runs = 5 };

typedef struct packing_result {
    bool done;
    double density;
    bench_quartiles cpu;  // seconds of the processor
} packing_result;

// Packs, and packs again for the time.
static scree_status run_way(const way* w, const bench_own* own, const char* law, int32_t count, int runs, const bench_options* co, bool* drawn, scree_sphere_set* set, double* seconds,
                            packing_result* out)
{
    double cpu[most_runs];
    scree_status status = SCREE_OK;
    for (int run = 0; run < runs && status == SCREE_OK; ++run) {
        scree_sphere_set_free(set);
        status = own != NULL ? bench_draw_own(own, co->seed, set) : bench_draw(law, count, co->seed, set);
        *drawn = status == SCREE_OK;
        double begin = bench_processor(), clock = bench_clock();
        if (*drawn)
            status = w->pack(co, set);
        cpu[run] = bench_processor() - begin;
        *seconds = bench_clock() - clock;
    }
    if (status == SCREE_OK)
        *out = (packing_result){.done = true, .density = share_of(set, w->heap), .cpu = bench_spread(cpu, runs)};
    return status;
}

// Which methods are run: compression, the slowest, for equal spheres only; quick runs leave out what takes seconds.
static bool is_run(int w, bool equal, bool own, bool quick)
{
    if (w == COMPRESS)
        return equal && !quick;
    return (w != RSA && w != GROW) || own || equal || !quick;
}

// All methods on one set of radii. One that cannot do it is said and left out.
static scree_status pack_all(findings* f, const char* name, const bench_own* own, int law, int32_t count, bool quick, const bench_options* co, packing_result results[way_count])
{
    scree_status status = SCREE_OK;
    for (int w = 0; w < way_count && status == SCREE_OK; ++w) {
        results[w] = (packing_result){.done = false};
        if (!is_run(w, law == 0 && own == NULL, own != NULL, quick))
            continue;
        scree_sphere_set set = {0};
        bool drawn = false;
        double seconds = 0.0;
        status = run_way(&ways[w], own, laws[law].law, count, w == DROP || w == REARRANGE ? most_runs : 1, co, &drawn, &set, &seconds, &results[w]);
        if (status == SCREE_OK) {
            status = findings_row(f, (const char* const[]){name, ways[w].name, ways[w].box},
                                  (const double[]){set.count, results[w].density, seconds, results[w].cpu.median, results[w].cpu.low, results[w].cpu.high});
        } else if (status == SCREE_ERR_ARGUMENT && own != NULL && drawn) {
            findings_note(f, "%s is left out: %s", ways[w].name, scree_error_message());
            status = SCREE_OK;
        }
        scree_sphere_set_free(&set);
    }
    return status;
}

// Faster: by so much at least, between the nearer quartiles.
static const double faster = 2.0;

static void compare(findings* f, const char* name, const packing_result r[way_count])
{
    if (r[REARRANGE].done && r[DROP].done) {
        double most = fmax(r[DROP].density, r[DROP_LOWEST].density), ratio = r[REARRANGE].cpu.median / r[DROP].cpu.median, sure = r[REARRANGE].cpu.low / r[DROP].cpu.high;
        if (r[REARRANGE].density > most)
            findings_agrees(f, "%s: rearrangement is the denser one, %.3f; deposited one after the other %.3f, lowest of 10 %.3f", name, r[REARRANGE].density, r[DROP].density,
                            r[DROP_LOWEST].density);
        else
            findings_differs(f, "%s: rearrangement is not the denser one, %.3f; deposited one after the other %.3f, lowest of 10 %.3f", name, r[REARRANGE].density, r[DROP].density,
                             r[DROP_LOWEST].density);
        if (sure >= faster)
            findings_agrees(f, "%s: deposition is %.3g times as fast as rearrangement, %.2g and %.2g CPU seconds, medians of %d runs; between the nearer quartiles %.3g times, at least %g", name,
                            ratio, r[DROP].cpu.median, r[REARRANGE].cpu.median, (int)most_runs, sure, faster);
        else
            findings_differs(f, "%s: deposition is %.3g times as fast as rearrangement, %.2g and %.2g CPU seconds, medians of %d runs; between the nearer quartiles %.3g times, less than %g",
                             name, ratio, r[DROP].cpu.median, r[REARRANGE].cpu.median, (int)most_runs, sure, faster);
        findings_note(f, "%s: the lowest of 10 falls takes %.2g CPU seconds (one run).", name, r[DROP_LOWEST].cpu.median);
    }
    if (r[REARRANGE].done && r[RSA].done && r[RSA].density > r[REARRANGE].density)
        findings_note(f, "%s: rsa, from large to small with a search of all free space, is denser still, %.2f, in %.3g CPU seconds: it puts small spheres into holes that no "
                         "motion would bring them to; hardly any touch.", name, r[RSA].density, r[RSA].cpu.median);
}

static void compare_equal(findings* f, const packing_result r[way_count])
{
    for (int w = 0; w < way_count; ++w) {
        double here = r[w].density, there = reported[w].density;
        if (there <= 0.0 || !r[w].done)
            continue;
        if (here >= there - reported[w].below && here <= there + reported[w].above)
            findings_agrees(f, "equal, %s: density %.3f; %.4g reported (%s), %g below and %g above allowed", ways[w].name, here, there, reported[w].source, reported[w].below, reported[w].above);
        else
            findings_differs(f, "equal, %s: density %.3f; %.4g reported (%s), more than %g below or %g above", ways[w].name, here, there, reported[w].source, reported[w].below,
                             reported[w].above);
    }
}

static void plot_densities(findings* f, int sets, const char* const* names, packing_result results[law_count][way_count])
{
    static const char* const labels[way_count] = {"rsa", "drop", "lowest of 10", "rearrange", "grow", "compress"};
    double x[way_count], y[law_count][way_count], cpu[law_count][way_count], low[law_count][way_count], high[law_count][way_count];
    scree_series series[law_count], times[law_count];
    for (int s = 0; s < sets; ++s) {
        for (int w = 0; w < way_count; ++w) {
            const packing_result* r = &results[s][w];
            x[w] = w;
            y[s][w] = r->done ? r->density : NAN;
            cpu[s][w] = r->done ? r->cpu.median : NAN;
            low[s][w] = r->done ? r->cpu.low : NAN;
            high[s][w] = r->done ? r->cpu.high : NAN;
        }
        series[s] = (scree_series){.name = names[s], .count = way_count, .x = x, .y = y[s], .style = SCREE_SERIES_BARS};
        times[s] = (scree_series){.name = names[s], .count = way_count, .x = x, .y = cpu[s], .low = low[s], .high = high[s], .style = SCREE_SERIES_POINTS};
    }
    scree_plot plot = scree_default_plot();
    plot.title = "Density by packing method";
    plot.y_label = "density";
    plot.names = labels;
    plot.name_count = way_count;
    plot.y_range[0] = 0.0;
    plot.y_range[1] = 1.0;
    plot.series = series;
    plot.series_count = sets;
    findings_plot(f, "", &plot);
    plot.title = "Time by packing method";
    plot.y_label = "seconds of the processor";
    plot.y_range[0] = plot.y_range[1] = NAN;
    plot.y_log = true;
    plot.series = times;
    findings_plot(f, "time", &plot);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    bench_own own;
    scree_status status = bench_own_get(co, 3, quick ? 1000 : 10000, 0.0, &own);
    const int32_t count = quick ? 500 : 10000;
    const int sets = own.given ? 1 : law_count;
    static packing_result results[law_count][way_count];
    const char* names[law_count];
    memset(results, 0, sizeof results);
    if (own.given)
        findings_own(f, own.name);
    for (int s = 0; s < sets && status == SCREE_OK; ++s) {
        names[s] = own.given ? own.name : laws[s].name;
        status = pack_all(f, names[s], own.given ? &own : NULL, s, count, quick, co, results[s]);
        if (status == SCREE_OK)
            compare(f, names[s], results[s]);
    }
    if (status == SCREE_OK && !own.given)
        compare_equal(f, results[0]);
    if (status == SCREE_OK)
        plot_densities(f, sets, names, results);
    findings_paper(f, "Section 1: \"RSA algorithms are generally faster than the CR type algorithms described below, but are reported to create packings with a lower density\" (CR: collective "
                      "rearrangement).");
    findings_note(f, "What the paper calls random sequential addition is deposition, here drop; rsa adds at random positions, large to small, to the highest density, in hundredths, at which all find a "
                     "place: first by random tries, then by a search of all free space. Rearrangement ends at overlaps of 1e-4 of a diameter.");
    findings_note(f, "Growth at rate 0.03 to a pressure of 1e4; compression of equal spheres only. A heap's density is that of its middle half.%s",
                  quick ? " Quick: rsa and growth of equal spheres only, no compression." : "");
    scree_sphere_set_free(&own.set);
    return status;
}

const experiment bench_sequential = {
    .name = "sequential",
    .about = "their section 1: density and time of the packing methods",
    .title = "Density and seconds of the packing methods",
    .paper = true,
    .takes = TAKES_OWN | TAKES_COUNT,
    .run = run_bench,
    .texts = 3,
    .columns = (const char* const[]){"sizes", "way", "of", "n", "density", "seconds", "cpu_s", "cpu_low", "cpu_high", NULL},
};
