// large: all contacts of as many spheres as memory holds, from a size distribution. Radii are drawn systematically, centres at random in a cube,
// so that spheres overlap: what is found is every pair of spheres that meet. Searched on one thread and on two, each from a new index; number and a
// hash of the pairs that does not depend on their order must be equal. Then a sample of the spheres is checked against all others by a grid of
// another kind: it holds the sample alone, and every sphere of the set looks for spheres of the sample that it meets. Cost of the check: O(n) for any number of samples.
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

// ---- Hashes ----------------------------------------------------------------------------------------------------------

typedef struct pair_sum {
    int64_t count;
    uint64_t hash;
} pair_sum;

static void add_pair(pair_sum* sum, int32_t i, int32_t j)
{
    uint64_t z = (uint64_t)(uint32_t)(i < j ? i : j) << 32 | (uint32_t)(i < j ? j : i);
    z = (z + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    sum->hash += z ^ z >> 31;
    ++sum->count;
}

// ---- The sample ------------------------------------------------------------------------------------------------------

enum { most_bands = 32 };

// Spheres of the sample with radii up to r_max, in cells with lists of links.
typedef struct band {
    double r_max, inverse;
    int64_t side;    // cells along each axis
    int64_t count;
    int32_t* head;   // of each cell: number in the sample, or -1
} band;

typedef struct sample {
    int64_t count, stride;  // sphere k * stride is number k
    int32_t* next;
    pair_sum *looked, *found;  // partners of each, by looking for them and by the index
    band bands[most_bands];
    int band_count;
} sample;

static void free_sample(sample* s)
{
    for (int b = 0; b < s->band_count; ++b)
        scree_free(s->bands[b].head);
    scree_free(s->next);
    scree_free(s->looked);
    scree_free(s->found);
}

static int64_t cell_along(const band* b, double x)
{
    int64_t cell = (int64_t)(x * b->inverse);
    return x <= 0.0 ? 0 : cell >= b->side ? b->side - 1 : cell;
}

static int band_of(const sample* s, double r)
{
    int b = 0;
    while (b + 1 < s->band_count && r > s->bands[b].r_max)
        ++b;
    return b;
}

static scree_status make_sample(const scree_sphere_set* set, int64_t wanted, double length, sample* s)
{
    *s = (sample){.count = wanted < set->count ? wanted : set->count};
    s->stride = set->count / s->count;
    double least = INFINITY, most = 0.0;
    for (int64_t k = 0; k < s->count; ++k) {
        least = fmin(least, set->r[k * s->stride]);
        most = fmax(most, set->r[k * s->stride]);
    }
    for (double r = 4.0 * least; s->band_count == 0 || s->bands[s->band_count - 1].r_max < most; r *= 4.0) {
        s->bands[s->band_count].r_max = s->band_count + 1 == most_bands ? most : fmin(r, most);
        ++s->band_count;
    }
    s->next = scree_malloc((size_t)s->count, sizeof *s->next);
    s->looked = scree_calloc((size_t)s->count, sizeof *s->looked);
    s->found = scree_calloc((size_t)s->count, sizeof *s->found);
    if (s->next == NULL || s->looked == NULL || s->found == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t k = 0; k < s->count; ++k)
        ++s->bands[band_of(s, set->r[k * s->stride])].count;
    for (int b = 0; b < s->band_count; ++b) {
        band* here = &s->bands[b];
        double side = fmax(2.0 * here->r_max, length / cbrt(fmax((double)here->count, 1.0)));
        here->side = length > side ? (int64_t)(length / side) : 1;
        here->inverse = (double)here->side / length;
        int64_t cells = here->side * here->side * here->side;
        here->head = scree_malloc((size_t)cells, sizeof *here->head);
        if (here->head == NULL)
            return SCREE_ERR_MEMORY;
        for (int64_t c = 0; c < cells; ++c)
            here->head[c] = -1;
    }
    for (int64_t k = 0; k < s->count; ++k) {
        const double* x = set->x + 3 * (k * s->stride);
        const band* here = &s->bands[band_of(s, set->r[k * s->stride])];
        int32_t* head = &here->head[(cell_along(here, x[2]) * here->side + cell_along(here, x[1])) * here->side + cell_along(here, x[0])];
        s->next[k] = *head;
        *head = (int32_t)k;
    }
    return SCREE_OK;
}

// Sphere j against the spheres of the sample in one cell.
static void look_into(const scree_sphere_set* set, sample* s, int64_t j, int32_t head)
{
    const double* x = set->x + 3 * j;
    for (int32_t k = head; k >= 0; k = s->next[k]) {
        int64_t i = k * s->stride;
        const double* y = set->x + 3 * i;
        double dx = x[0] - y[0], dy = x[1] - y[1], dz = x[2] - y[2], reach = set->r[j] + set->r[i];
        if (i != j && (dx * dx + dy * dy) + dz * dz < reach * reach)
            add_pair(&s->looked[k], (int32_t)i, (int32_t)j);
    }
}

// All spheres look for spheres of the sample that they meet.
static scree_status look_for_sample(const scree_sphere_set* set, sample* s)
{
    for (int64_t j = 0; j < set->count; ++j) {
        if (j % 1000000 == 0 && bench_interrupted())
            return SCREE_ERR_CANCELLED;
        const double* x = set->x + 3 * j;
        for (int b = 0; b < s->band_count; ++b) {
            const band* here = &s->bands[b];
            double reach = (set->r[j] + here->r_max) * (1.0 + 1e-12);
            int64_t from[3], to[3];
            for (int k = 0; k < 3; ++k) {
                from[k] = cell_along(here, x[k] - reach);
                to[k] = cell_along(here, x[k] + reach);
            }
            for (int64_t z = from[2]; z <= to[2]; ++z)
                for (int64_t y = from[1]; y <= to[1]; ++y)
                    for (int64_t c = from[0]; c <= to[0]; ++c)
                        look_into(set, s, j, here->head[(z * here->side + y) * here->side + c]);
        }
    }
    return SCREE_OK;
}

static void note_pair(sample* s, int32_t i, int32_t j)
{
    const int32_t both[2] = {i, j};
    for (int e = 0; e < 2; ++e)
        if (both[e] % s->stride == 0 && both[e] / s->stride < s->count)
            add_pair(&s->found[both[e] / s->stride], i, j);
}

// ---- The searches ----------------------------------------------------------------------------------------------------

typedef struct large_run {
    pair_sum pairs;
    double seconds_build, seconds_search, bytes, tests;
    int64_t levels;
} large_run;

static double peak_gib(void)
{
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) == 0 ? (double)use.ru_maxrss / 1048576.0 : NAN;
}

static scree_status search_all(const scree_sphere_set* set, int32_t threads, sample* s, large_run* out)
{
    scree_index_def def = scree_default_index_def();
    scree_index* index = NULL;
    scree_pairs pairs;
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    def.threads = threads;
    def.skin = -1.0;
    def.watch = bench_watch("search");
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    bench_watch_end();
    if (status == SCREE_OK) {
        scree_index_stats stats = scree_index_get_stats(index);
        *out = (large_run){.seconds_build = stats.seconds_build,
                           .seconds_search = stats.seconds_search,
                           .bytes = (double)stats.bytes,
                           .tests = (double)stats.tests,
                           .levels = stats.levels};
        for (int64_t p = 0; p < pairs.count; ++p) {
            add_pair(&out->pairs, pairs.ij[p][0], pairs.ij[p][1]);
            if (s != NULL)
                note_pair(s, pairs.ij[p][0], pairs.ij[p][1]);
        }
    }
    scree_index_destroy(index);
    return status;
}

static scree_status draw_set(const char* law, int32_t count, double density, uint64_t seed, scree_sphere_set* out, double* length)
{
    scree_status status = bench_draw(law, count, seed, out);
    double volume = 0.0;
    for (int64_t i = 0; i < out->count && status == SCREE_OK; ++i)
        volume += 4.0 / 3.0 * 3.14159265358979323846 * out->r[i] * out->r[i] * out->r[i];
    *length = cbrt(volume / density);
    scree_rng rng = scree_rng_make(seed, 13);
    for (int64_t k = 0; k < 3 * (int64_t)out->count && status == SCREE_OK; ++k)
        out->x[k] = *length * scree_rng_uniform(&rng);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    bench_own own;
    scree_sphere_set set = {0};
    sample s = {.count = 0};
    double length = 1.0;
    scree_status status = bench_own_get(co, 3, quick ? 1000000 : 100000000, 0.2, &own);
    const char* law = own.given ? own.law : "uniform-volume:1:1000";
    int32_t count = own.given ? own.count : quick ? 1000000 : 100000000;
    double density = own.given ? own.density : 0.2;
    if (status == SCREE_OK)
        status = draw_set(law, count, density, co->seed, &set, &length);
    if (status == SCREE_OK)
        status = make_sample(&set, 100000, length, &s);
    large_run runs[2] = {{.bytes = 0.0}};
    for (int t = 0; t < 2 && status == SCREE_OK; ++t) {
        status = search_all(&set, t + 1, t == 0 ? &s : NULL, &runs[t]);
        const large_run* r = &runs[t];
        double n = set.count;
        if (status == SCREE_OK)
            status = findings_row(f, (const char* const[]){law},
                                  (const double[]){t + 1, n, (double)r->pairs.count, r->tests / n, (double)r->levels, r->bytes / n, r->seconds_build,
                                                   r->seconds_search, (r->seconds_build + r->seconds_search) / n * 1e9, peak_gib()});
    }
    if (status == SCREE_OK && (runs[0].pairs.count != runs[1].pairs.count || runs[0].pairs.hash != runs[1].pairs.hash))
        status = scree_fail(SCREE_ERR_ARGUMENT, "one thread finds %lld pairs with hash %016llx, two find %lld with hash %016llx; please report this",
                            (long long)runs[0].pairs.count, (unsigned long long)runs[0].pairs.hash, (long long)runs[1].pairs.count,
                            (unsigned long long)runs[1].pairs.hash);
    double begin = bench_processor();
    if (status == SCREE_OK)
        status = look_for_sample(&set, &s);
    int64_t partners = 0;
    for (int64_t k = 0; k < s.count && status == SCREE_OK; ++k) {
        partners += s.looked[k].count;
        if (s.looked[k].count != s.found[k].count || s.looked[k].hash != s.found[k].hash)
            status = scree_fail(SCREE_ERR_ARGUMENT, "sphere %lld meets %lld others, and the search found %lld; please report this", (long long)(k * s.stride),
                                (long long)s.looked[k].count, (long long)s.found[k].count);
    }
    if (status == SCREE_OK) {
        findings_note(f, "One thread and two find the same pairs: their number, and the hash %016llx.", (unsigned long long)runs[0].pairs.hash);
        findings_note(f, "%lld spheres were checked against all others: %lld partners, all of them found, %.1f s of processor time.", (long long)s.count,
                      (long long)partners, bench_processor() - begin);
    }
    free_sample(&s);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&own.set);
    return status;
}

const experiment bench_large = {
    .name = "large",
    .about = "all contacts of 1e8 spheres from their size distribution, on one thread and two, with a sample checked",
    .title = "All contacts of as many spheres as memory holds",
    .takes = TAKES_SIZES | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"sizes", "threads", "n", "pairs", "tests_per_sphere", "levels", "bytes_per_sphere", "seconds_build",
                                                 "seconds_search", "ns_per_sphere", "peak_gib", NULL},
};
