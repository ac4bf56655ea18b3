// Sets of spheres and other things that benchmarks share.
#include "harness.h"

#include "scenes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

double bench_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_timer(int32_t threads)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_processor(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double bench_median(double* values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

bench_quartiles bench_spread(double* values, int count)
{
    bench_quartiles q = {.median = bench_median(values, count)};
    for (int k = 0; k < 2; ++k) {
        double at = (k == 0 ? 0.25 : 0.75) * (count - 1), below = floor(at);
        int i = (int)below, next = i + 1 < count ? i + 1 : i;
        *(k == 0 ? &q.low : &q.high) = values[i] + (at - below) * (values[next] - values[i]);
    }
    return q;
}

// Equal spheres: a cubic lattice, each sphere moved as far as it may without touching another.
static scree_status jolt_lattice(const bench_set* what, uint64_t seed, scree_sphere_set* set)
{
    scree_place_def def = scree_default_place_def();
    double cell = cbrt(4.0 / 3.0 * 3.14159265358979323846 / what->density), side = cell * cbrt((double)set->count);
    def.box = scree_box_sized(3, (double[3]){side, side, side});
    for (int32_t i = 0; i < set->count; ++i)
        set->r[i] = 1.0;
    scree_status status = scree_place_lattice(&def, cell, set->count, set->r, set->x);
    scree_rng rng = scree_rng_make(seed, 3);
    for (int64_t k = 0; k < 3 * (int64_t)set->count && status == SCREE_OK; ++k)
        set->x[k] += (cell - 2.0) * (scree_rng_uniform(&rng) - 0.5);
    return status;
}

static scree_status add_at_random(const bench_set* what, const bench_options* co, bool periodic, scree_sphere_set* set)
{
    scree_sizes* sizes = NULL;
    scree_status status = scree_read_sizes(what->law, 3, &sizes);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, co->seed, set->count, set->r);
    scree_sizes_destroy(sizes);
    if (status == SCREE_OK)
        status = scene_set_cube(set, what->density);
    if (status != SCREE_OK)
        return status;
    scree_place_def def = scree_default_place_def();
    for (int k = 0; k < 3; ++k)
        set->box.periodic[k] = set->box.periodic[k] || periodic;
    def.box = set->box;
    def.seed = co->seed;
    def.watch = bench_watch(what->name);
    status = scree_place_random(&def, set->count, set->r, set->x);
    bench_watch_end();
    return status;
}

static scree_status make_set(const bench_set* what, const bench_options* co, bool periodic, scree_sphere_set* out)
{
    int32_t side = (int32_t)floor(cbrt((double)what->count) + 1e-9);
    scree_sphere_set set = {0};
    scree_status status = scree_sphere_set_make(3, what->law == NULL ? side * side * side : what->count, &set);
    if (status == SCREE_OK)
        status = what->law == NULL ? jolt_lattice(what, co->seed, &set) : add_at_random(what, co, periodic, &set);
    if (status == SCREE_OK)
        *out = set;
    else
        scree_sphere_set_free(&set);
    return status;
}

scree_status bench_make_set(const bench_set* what, const bench_options* co, scree_sphere_set* out)
{
    return make_set(what, co, false, out);
}

scree_status bench_make_periodic_set(const bench_set* what, const bench_options* co, scree_sphere_set* out)
{
    return make_set(what, co, true, out);
}

// Which sphere comes next, by key.
typedef struct place {
    uint64_t key;
    int32_t id;
} place;

static int by_key(const void* a, const void* b)
{
    const place *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : (p->id > q->id) - (p->id < q->id);
}

// Sorts the places and moves the spheres to them.
static scree_status renumber(scree_sphere_set* set, place* places)
{
    double* x = scree_malloc(3 * (size_t)set->count, sizeof *x);
    double* r = scree_malloc((size_t)set->count, sizeof *r);
    if (x == NULL || r == NULL) {
        scree_free(x);
        scree_free(r);
        return SCREE_ERR_MEMORY;
    }
    qsort(places, (size_t)set->count, sizeof *places, by_key);
    for (int32_t i = 0; i < set->count; ++i) {
        memcpy(x + 3 * (int64_t)i, set->x + 3 * (int64_t)places[i].id, 3 * sizeof *x);
        r[i] = set->r[places[i].id];
    }
    scree_free(set->x);
    scree_free(set->r);
    set->x = x;
    set->r = r;
    return SCREE_OK;
}

static uint64_t spread(uint64_t bits)  // two zeros after each of 21 bits
{
    bits = (bits | bits << 32) & 0x1f00000000ffff;
    bits = (bits | bits << 16) & 0x1f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

// Keys at random, or along a Morton curve through the spheres' bounds.
static scree_status number_by(scree_sphere_set* set, bool morton, uint64_t seed)
{
    place* places = scree_malloc((size_t)set->count, sizeof *places);
    if (places == NULL)
        return SCREE_ERR_MEMORY;
    scree_rng rng = scree_rng_make(seed, 7);
    scree_box box = scree_spheres_bounds(scree_sphere_set_view(set));
    for (int32_t i = 0; i < set->count; ++i) {
        uint64_t key = 0;
        for (int k = 0; k < 3 && morton; ++k) {
            double at = (set->x[3 * (int64_t)i + k] - box.lower[k]) / (box.upper[k] - box.lower[k]);
            key |= spread((uint64_t)(at * 2097151.0)) << k;
        }
        places[i] = (place){.key = morton ? key : scree_rng_bits(&rng), .id = i};
    }
    scree_status status = renumber(set, places);
    scree_free(places);
    return status;
}

scree_status bench_shuffle(scree_sphere_set* set, uint64_t seed)
{
    return number_by(set, false, seed);
}

scree_status bench_order(scree_sphere_set* set)
{
    return number_by(set, true, 0);
}

void bench_shuffle_radii(scree_sphere_set* set, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 11);
    for (int64_t i = (int64_t)set->count - 1; i > 0; --i) {
        int64_t j = (int64_t)scree_rng_below(&rng, (uint64_t)i + 1);
        double r = set->r[i];
        set->r[i] = set->r[j];
        set->r[j] = r;
    }
}

const char bench_fuller[] = "fuller:1:684.75:0.5:70";

// ---- Sets that are kept ----------------------------------------------------------------------------------------------

typedef struct kept_set {
    char key[128];
    scree_sphere_set set;
    double numbers[bench_kept_numbers];
} kept_set;

enum { most_kept = 64 };
static kept_set kept[most_kept];
static int kept_count;

void bench_forget(void)
{
    while (kept_count > 0)
        scree_sphere_set_free(&kept[--kept_count].set);
}

static scree_status copy_set(const scree_sphere_set* from, scree_sphere_set* out)
{
    scree_sphere_set set = {0};
    scree_status status = scree_sphere_set_make(3, from->count, &set);
    if (status != SCREE_OK)
        return status;
    memcpy(set.x, from->x, 3 * (size_t)from->count * sizeof *set.x);
    memcpy(set.r, from->r, (size_t)from->count * sizeof *set.r);
    set.box = from->box;
    set.has_box = true;
    *out = set;
    return SCREE_OK;
}

bool bench_kept(const char* key, scree_sphere_set* out, double numbers[bench_kept_numbers])
{
    for (int k = 0; k < kept_count; ++k)
        if (strcmp(kept[k].key, key) == 0 && copy_set(&kept[k].set, out) == SCREE_OK) {
            if (numbers != NULL)
                memcpy(numbers, kept[k].numbers, sizeof kept[k].numbers);
            return true;
        }
    return false;
}

void bench_keep(const char* key, const scree_sphere_set* set, const double numbers[bench_kept_numbers])
{
    kept_set* k = kept_count < most_kept && strlen(key) < sizeof kept->key ? &kept[kept_count] : NULL;
    if (k == NULL || copy_set(set, &k->set) != SCREE_OK)
        return;  // then it is made again
    memcpy(k->key, key, strlen(key) + 1);
    if (numbers != NULL)
        memcpy(k->numbers, numbers, sizeof k->numbers);
    ++kept_count;
}

scree_status bench_rearranged(const scree_rearrange_def* asked, const scree_sphere_set* set, const bench_options* co, scree_packing* out, double* processor)
{
    scree_rearrange_def def = *asked;
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = true;
    def.threads = def.threads > 0 ? def.threads : co->threads;
    def.watch = bench_watch("packing");
    double begin = bench_processor();
    scree_status status = scree_pack_rearrange(&def, set->count, set->r, out);
    if (processor != NULL)
        *processor = bench_processor() - begin;
    bench_watch_end();
    return status;
}

scree_status bench_pack(const char* law, int32_t count, uint64_t seed, double tolerance, bool as_paper, const bench_options* co, scree_sphere_set* out)
{
    char key[128];  // raschdorf-neighbours and raschdorf-levels ask for the same ones
    snprintf(key, sizeof key, "packed %.64s %d %llu %g", law, (int)count, (unsigned long long)seed, tolerance);
    if (as_paper && bench_kept(key, out, NULL))
        return SCREE_OK;
    scree_sphere_set set = {0};
    scree_packing packing = {0};
    scree_status status = bench_draw(law, count, seed, &set);
    if (status == SCREE_OK) {
        scree_rearrange_def def = as_paper ? scree_paper_rearrange_def() : scree_default_rearrange_def();
        def.tolerance = tolerance;
        def.seed = seed;
        status = bench_rearranged(&def, &set, co, &packing, NULL);
    }
    if (status == SCREE_OK) {
        memcpy(set.x, packing.x, 3 * (size_t)count * sizeof *set.x);
        set.box = packing.box;
        set.has_box = true;
        if (as_paper)
            bench_keep(key, &set, NULL);
        *out = set;
    } else {
        scree_sphere_set_free(&set);
    }
    scree_packing_free(&packing);
    return status;
}

double bench_density(const scree_sphere_set* set)
{
    double sum = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        sum += 4.0 / 3.0 * 3.14159265358979323846 * set->r[i] * set->r[i] * set->r[i];
    for (int k = 0; k < 3; ++k)
        sum /= set->box.upper[k] - set->box.lower[k];
    return sum;
}

scree_status bench_draw_in(int dim, const char* law, int32_t count, uint64_t seed, scree_sphere_set* out)
{
    scree_sizes* sizes = NULL;
    scree_status status = scree_sphere_set_make(dim, count, out);
    if (status == SCREE_OK)
        status = scree_read_sizes(law, dim, &sizes);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, seed, count, out->r);
    scree_sizes_destroy(sizes);
    return status;
}

scree_status bench_draw(const char* law, int32_t count, uint64_t seed, scree_sphere_set* out)
{
    return bench_draw_in(3, law, count, seed, out);
}

// ---- The user's own --------------------------------------------------------------------------------------------------

scree_status bench_own_get(const bench_options* co, int dim, int32_t count, double density, bench_own* out)
{
    *out = (bench_own){.count = 0};
    const char *file = co->file, *law = co->sizes, *base = file != NULL ? strrchr(file, '/') : NULL;
    if (file == NULL && law == NULL)
        return SCREE_OK;
    *out = (bench_own){.given = true, .law = law, .count = co->count > 0 ? (int32_t)co->count : count, .density = co->density > 0.0 ? co->density : density};
    snprintf(out->name, sizeof out->name, "%s", law != NULL ? law : base != NULL ? base + 1 : file);
    if (law != NULL)
        return SCREE_OK;
    scree_status status = bench_read(file, &out->set);
    if (status == SCREE_OK && out->set.count == 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: the file has no spheres; expected at least one", file);
    if (status == SCREE_OK && dim != 0 && out->set.dim != dim)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: spheres in %dD; expected %dD (the benchmark `methods` takes both)", file, (int)out->set.dim, dim);
    if (status == SCREE_OK && !out->set.has_box) {
        out->set.box = scree_spheres_bounds(scree_sphere_set_view(&out->set));
        out->set.has_box = true;
    }
    out->count = out->set.count;
    return status;
}

scree_status bench_draw_own(const bench_own* own, uint64_t seed, scree_sphere_set* out)
{
    if (own->law != NULL)
        return bench_draw(own->law, own->count, seed, out);
    scree_status status = scree_sphere_set_make(3, own->set.count, out);
    if (status == SCREE_OK)
        memcpy(out->r, own->set.r, (size_t)own->set.count * sizeof *out->r);
    return status;
}

// ---- Files -----------------------------------------------------------------------------------------------------------

scree_status bench_path(const bench_options* co, const char* name, char path[bench_path_most])
{
    path[0] = '\0';
    if (co->out == NULL)
        return SCREE_OK;
    struct stat about;
    if (mkdir(co->out, 0777) != 0 && errno != EEXIST)
        return scree_fail(SCREE_ERR_IO, "%s: cannot create the folder: %s", co->out, strerror(errno));
    if (stat(co->out, &about) != 0 || !S_ISDIR(about.st_mode))
        return scree_fail(SCREE_ERR_IO, "%s: this is not a folder; expected one, for the files of the benchmarks", co->out);
    if (snprintf(path, bench_path_most, "%s/%s", co->out, name) >= bench_path_most)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the path is too long; expected a shorter one", co->out);
    return SCREE_OK;
}
