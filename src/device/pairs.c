// All pairs of an index on a device: the search of lists.c with the exact predicate, then two stable sorts, by image and by the two numbers. The order of pairs is that of the processor's sorted pairs,
// whichever lane found them.
#include "device/flow_inner.h"
#include "geom/lattice.h"
#include "geom/length.h"
#include "index/device.h"
#include "scree/device.h"

#include <inttypes.h>
#include <math.h>

static sim_device* inside(const index_device* device)
{
    return (sim_device*)(uintptr_t)device;
}

// One GPU that was closed stays open with its memory, for the next index: to open it and to allocate takes longer than the search of a million spheres.
static sim_device* idle;
enum { idle_share = 16 };  // of the memory of the GPU, at most

static bool may_be_kept(const sim_device* d)
{
    size_t free, all;
    if (d->ops.usable == NULL || d->ops.usable(d->context) != 0)
        return false;
    device_memory(d, &free, &all);
    return d->held <= all / idle_share;
}

scree_status index_device_open(int32_t kind, index_device** out)
{
    sim_device* d = kind == SCREE_DEVICE_CUDA ? __atomic_exchange_n(&idle, NULL, __ATOMIC_ACQ_REL) : NULL;
    if (d != NULL && may_be_kept(d)) {
        *out = (index_device*)d;
        return SCREE_OK;
    }
    device_close(d);
    scree_status status = device_open(kind, &d);
    *out = (index_device*)d;
    return status;
}

void index_device_close(index_device* device)
{
    sim_device* d = inside(device);
    if (d != NULL && may_be_kept(d))
        d = __atomic_exchange_n(&idle, d, __ATOMIC_ACQ_REL);
    device_close(d);
}

size_t index_device_bytes(const index_device* device)
{
    return device_bytes(inside(device));
}

double index_device_seconds(const index_device* device)
{
    return device_seconds(inside(device), PART_LISTS);
}

// The blocks of lists and memories are free here.
static scree_status sort_pairs(flow* f, size_t count, pair_job* job)
{
    sim_device* d = f->d;
    int second = 0;
    TRY(block_reserve(d, B_LIST, 4 * count));
    TRY(block_reserve(d, B_SHIFT, 4 * count));
    TRY(block_reserve(d, B_WORDS, 8 * count));
    TRY(block_reserve(d, B_OLD_WORDS, 8 * count));
    uint32_t* value[2] = {block_at(d, B_LIST), block_at(d, B_SHIFT)};
    uint64_t* wide[2] = {block_at(d, B_WORDS), block_at(d, B_OLD_WORDS)};
    if (f->wraps) {
        uint32_t* key[2] = {block_at(d, B_WORDS), block_at(d, B_OLD_WORDS)};
        job->key = key[0];
        job->value = value[0];
        DEVICE(d->ops.launch(d->context, KERNEL_PAIR_SHIFTS, job, job->count));
        DEVICE(d->ops.sort(d->context, key, value, job->count, 24, &second));
        job->from = value[second];
        if (second == 0) {  // what comes next goes to the other place
            uint32_t* other = value[0];
            value[0] = value[1];
            value[1] = other;
        }
    }
    job->wide = wide[0];
    job->value = value[0];
    DEVICE(d->ops.launch(d->context, KERNEL_PAIR_KEYS, job, job->count));
    DEVICE(d->ops.sort_wide(d->context, wide, value, job->count, 2 * job->bits, &second));
    job->wide = wide[second];
    job->from = value[second];
    return SCREE_OK;
}

static scree_status put_in_order(flow* f, const search_job* search, bool sorted, bool full, const int8_t (*turn)[4], pair_job* job)
{
    sim_device* d = f->d;
    size_t count = (size_t)f->found * (full ? 2 : 1);
    *job = (pair_job){.count = (int64_t)count, .pair = search->pair, .shift = search->pair_shift, .turn = turn, .bits = 1, .half = f->found};
    while (job->bits < 31 && search->n > 1 << job->bits)
        ++job->bits;
    if (sorted)
        TRY(sort_pairs(f, count, job));
    TRY(block_reserve(d, B_OUT_IJ, 8 * count));
    job->ij = (int32_t(*)[2])block_at(d, B_OUT_IJ);
    if (f->wraps) {
        TRY(block_reserve(d, B_OUT_SHIFT, 3 * count));
        job->named = block_at(d, B_OUT_SHIFT);
    }
    DEVICE(d->ops.launch(d->context, KERNEL_PAIR_OUT, job, job->count));
    return SCREE_OK;
}

static scree_status put_mask(sim_device* d, const index_device_search* search, search_job* job)
{
    const scree_pair_mask* mask = search->mask;
    if (!search->mask_there)
        TRY(block_put(d, B_MASK_GROUP, mask->group, 4 * (size_t)mask->count));
    job->group = block_at(d, B_MASK_GROUP);
    if (mask->matrix == NULL)
        return SCREE_OK;
    if (!search->mask_there)
        TRY(block_put(d, B_MASK_MATRIX, mask->matrix, (size_t)mask->groups * (size_t)mask->groups));
    job->matrix = block_at(d, B_MASK_MATRIX);
    job->groups = mask->groups;
    return SCREE_OK;
}

// The pairs of the spheres in B_X, unsorted.
static scree_status find(flow* f, const index_device_search* search, search_job* job)
{
    sim_device* d = f->d;
    double lower[3], upper[3], begin;
    d->seconds[PART_LISTS] = 0.0;
    TRY(flow_find_extent(f, lower, upper));
    *job = flow_search_job(f);
    job->exact = true;
    job->gap = search->gap;
    if (search->mask != NULL)
        TRY(put_mask(d, search, job));
    plan_make(&f->sizes, &f->run->box, lower, upper, fmax(search->gap, 0.0), &job->plan);
    job->unsure = 2.0f * job->plan.blur + 1.000001f * (float)((job->plan.reach - search->gap) * job->plan.scale);
    begin = scree_clock();
    TRY(flow_find_pairs(f, job));
    flow_spent(d, PART_LISTS, &begin);
    return SCREE_OK;
}

static const int8_t (*turns_of(const sim_device* d))[4]
{
    return d->placed_turned ? (const int8_t(*)[4])block_at(d, B_TURN) : NULL;
}

static bool are_pairs_possible(const index_device_search* search, const plan_sizes* sizes)
{
    return search->n > 0 && 2.0 * sizes->most + search->gap > 0.0;
}

scree_status index_device_pairs(index_device* device, const index_device_search* search)
{
    sim_device* d = inside(device);
    int32_t (*ij)[2];
    int8_t (*shift)[3];
    search_job job;
    pair_job sorted;
    device_run run = {.n = search->n, .dim = search->box->dim, .box = *search->box};
    flow own = {.d = d, .run = &run, .wraps = scree_box_is_periodic(search->box)}, *f = &own;
    if (search->x != NULL)
        plan_measure(search->x, search->n, &f->sizes);
    else
        f->sizes = d->placed;
    if (!are_pairs_possible(search, &f->sizes))
        return search->room(search->context, 0, &ij, &shift);
    if (search->x != NULL)
        TRY(block_put(d, B_X, search->x, 32 * (size_t)run.n));
    TRY(find(f, search, &job));
    TRY(search->room(search->context, f->found, &ij, &shift));
    if (f->found == 0)
        return SCREE_OK;
    TRY(put_in_order(f, &job, true, false, search->x == NULL ? turns_of(d) : NULL, &sorted));
    TRY(block_get(d, B_OUT_IJ, ij, 8 * (size_t)f->found));
    return f->wraps ? block_get(d, B_OUT_SHIFT, shift, 3 * (size_t)f->found) : SCREE_OK;
}

// ---- Arrays of the caller in the memory of the device ----------------------------------------------------------------------

static scree_status check_holds(sim_device* d, const void* at, const char* what)
{
    if (d->ops.holds(d->context, at) == 0)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "device %s: %s is not an array in the memory of the device (%s); expected one", d->ops.name, what, d->ops.trouble(d->context));
}

// The message about an invalid sphere: its numbers are copied from the device.
static scree_status explain(sim_device* d, const scree_device_spheres* spheres, int32_t i)
{
    double x[3] = {0.0, 0.0, 0.0}, r = spheres->radius;
    DEVICE(d->ops.get(d->context, x, spheres->x + (int64_t)i * spheres->dim, sizeof *x * (size_t)spheres->dim));
    if (spheres->r != NULL)
        DEVICE(d->ops.get(d->context, &r, spheres->r + i, sizeof r));
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sphere %" PRId32 ", in device memory: centre %g, %g, %g and radius %g; expected lengths up to %g in size, a radius of 0 or more, and a centre inside the walls and at most %d boxes away", i, x[0],
                      x[1], x[2], r, SCREE_LENGTH_MAX, (int)intake_turns_most);
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// How many spheres there are of each size (plan_measure).
static scree_status measure_sizes(sim_device* d, intake_job* job, plan_sizes* sizes)
{
    struct {
        uint64_t largest[intake_bins];
        uint32_t in[intake_bins];
    } bins;
    sizes->least = fmax(sizes->least, 1e-6 * sizes->most);
    if (!(sizes->most > sizes->least)) {
        sizes->in[0] = sizes->count;
        sizes->largest[0] = sizes->most;
        return SCREE_OK;
    }
    TRY(block_reserve(d, B_SPARE, sizeof bins));
    job->r_least = sizes->least;
    while ((bits_of_double(sizes->most) >> job->bin_shift) - (bits_of_double(sizes->least) >> job->bin_shift) >= intake_bins)
        ++job->bin_shift;
    job->largest = block_at(d, B_SPARE);
    job->in = (uint32_t*)(job->largest + intake_bins);
    DEVICE(d->ops.zero(d->context, job->largest, sizeof bins));
    DEVICE(d->ops.launch(d->context, KERNEL_SIZES, job, job->n));
    DEVICE(d->ops.get(d->context, &bins, job->largest, sizeof bins));
    for (int b = 0; b < intake_bins; ++b) {
        sizes->in[b] = bins.in[b];
        memcpy(&sizes->largest[b], &bins.largest[b], sizeof sizes->largest[b]);
    }
    return SCREE_OK;
}

scree_status index_device_put(index_device* device, const scree_box* box, const scree_device_spheres* spheres, double* r_most)
{
    sim_device* d = inside(device);
    const size_t n = (size_t)spheres->count;
    uint64_t found[intake_values];
    d->placed = (plan_sizes){.count = spheres->count, .mean = 1.0};
    *r_most = 0.0;
    if (n == 0)
        return SCREE_OK;
    TRY(check_holds(d, spheres->x, "x"));
    if (spheres->r != NULL)
        TRY(check_holds(d, spheres->r, "r"));
    TRY(block_reserve(d, B_X, 32 * n));
    TRY(block_reserve(d, B_TURN, 4 * n));
    TRY(block_reserve(d, B_SMALL, 256));
    intake_job job = {.n = spheres->count,
                      .dim = spheres->dim,
                      .x = spheres->x,
                      .r = spheres->r,
                      .radius = spheres->radius,
                      .to = block_rows4(d, B_X),
                      .turn = (int8_t(*)[4])block_at(d, B_TURN),
                      .length_least = SCREE_LENGTH_MIN,
                      .length_most = SCREE_LENGTH_MAX,
                      .found = block_at(d, B_SMALL)};
    double length[3];
    scree_lattice_of(box, length, job.tilt);
    for (int k = 0; k < box->dim; ++k) {
        job.periodic[k] = box->periodic[k];
        job.lower[k] = box->lower[k];
        job.upper[k] = box->upper[k];
    }
    DEVICE(d->ops.follow(d->context, spheres->stream));
    DEVICE(d->ops.zero(d->context, job.found, sizeof found));
    DEVICE(d->ops.launch(d->context, KERNEL_INTAKE, &job, job.n));
    DEVICE(d->ops.lead(d->context, spheres->stream));
    DEVICE(d->ops.get(d->context, found, job.found, sizeof found));
    if (found[INTAKE_BAD] != 0)
        return explain(d, spheres, (int32_t)~found[INTAKE_BAD]);
    const uint64_t least = ~found[INTAKE_LEAST];
    memcpy(&d->placed.least, &least, sizeof least);
    memcpy(&d->placed.most, &found[INTAKE_MOST], sizeof d->placed.most);
    d->placed_turned = found[INTAKE_TURNED] != 0;
    *r_most = d->placed.most;
    return measure_sizes(d, &job, &d->placed);
}

scree_status index_device_radii(index_device* device, const scree_device_spheres* spheres, double* r)
{
    sim_device* d = inside(device);
    DEVICE(d->ops.get(d->context, r, spheres->r, sizeof *r * (size_t)spheres->count));
    return SCREE_OK;
}

scree_status index_device_pairs_there(index_device* device, const index_device_search* search, bool sorted, bool full, void* stream, scree_pairs* out)
{
    sim_device* d = inside(device);
    search_job job;
    pair_job pairs = {.count = 0};
    device_run run = {.n = search->n, .dim = search->box->dim, .box = *search->box};
    flow own = {.d = d, .run = &run, .sizes = d->placed, .wraps = scree_box_is_periodic(search->box)}, *f = &own;
    DEVICE(d->ops.follow(d->context, stream));  // which may still read the pairs of the last search
    if (are_pairs_possible(search, &f->sizes))
        TRY(find(f, search, &job));
    if (full && f->found >= INT32_MAX / 2)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %" PRId64 " pairs in both directions; expected fewer than %d", d->ops.name, f->found, INT32_MAX / 2);
    TRY(block_reserve(d, B_OUT_IJ, 8));
    TRY(block_reserve(d, B_OUT_SHIFT, 3));
    if (f->found > 0)
        TRY(put_in_order(f, &job, sorted, full, turns_of(d), &pairs));
    DEVICE(d->ops.lead(d->context, stream));
    *out = (scree_pairs){.count = pairs.count, .ij = (const int32_t(*)[2])block_at(d, B_OUT_IJ), .shift = f->wraps ? (const int8_t(*)[3])block_at(d, B_OUT_SHIFT) : NULL};
    return SCREE_OK;
}

scree_status index_device_vectors(index_device* device, const scree_box* box, const scree_pairs* pairs, void* stream, const double** vector, const double** distance)
{
    sim_device* d = inside(device);
    pair_job job = {.count = pairs->count, .dim = box->dim, .x = (const double(*)[4])block_rows4(d, B_X), .turn = turns_of(d)};
    scree_lattice_of(box, job.length, job.tilt);
    TRY(block_reserve(d, B_OUT_VECTOR, 8 * (size_t)pairs->count * (size_t)box->dim));
    TRY(block_reserve(d, B_OUT_DISTANCE, 8 * (size_t)pairs->count));
    job.ij = (int32_t(*)[2])block_at(d, B_OUT_IJ);
    job.named = pairs->shift != NULL ? block_at(d, B_OUT_SHIFT) : NULL;
    job.vector = block_at(d, B_OUT_VECTOR);
    job.distance = block_at(d, B_OUT_DISTANCE);
    DEVICE(d->ops.follow(d->context, stream));
    DEVICE(d->ops.launch(d->context, KERNEL_PAIR_VECTORS, &job, job.count));
    DEVICE(d->ops.lead(d->context, stream));
    *vector = job.vector;
    *distance = job.distance;
    return SCREE_OK;
}

scree_status index_device_meet(index_device* device, void* stream, bool follow)
{
    sim_device* d = inside(device);
    DEVICE(follow ? d->ops.follow(d->context, stream) : d->ops.lead(d->context, stream));
    return SCREE_OK;
}
