// All pairs of an index on a device: the search of lists.c with the exact predicate, then two stable sorts, by image and by the two numbers. The order of pairs is that of the processor's sorted pairs,
// whichever lane found them.
#include "device/flow_inner.h"
#include "index/device.h"

#include <inttypes.h>
#include <math.h>

static sim_device* inside(const index_device* device)
{
    return (sim_device*)(uintptr_t)device;
}

scree_status index_device_open(int32_t kind, index_device** out)
{
    sim_device* d;
    scree_status status = device_open(kind, &d);
    *out = (index_device*)d;
    return status;
}

void index_device_close(index_device* device)
{
    device_close(inside(device));
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
static scree_status put_in_order(flow* f, const search_job* search, pair_job* job)
{
    sim_device* d = f->d;
    size_t count = (size_t)f->found;
    int second = 0;
    TRY(block_reserve(d, B_LIST, 4 * count));
    TRY(block_reserve(d, B_SHIFT, 4 * count));
    TRY(block_reserve(d, B_WORDS, 8 * count));
    TRY(block_reserve(d, B_OLD_WORDS, 8 * count));
    uint32_t* value[2] = {block_at(d, B_LIST), block_at(d, B_SHIFT)};
    uint64_t* wide[2] = {block_at(d, B_WORDS), block_at(d, B_OLD_WORDS)};
    *job = (pair_job){.count = (int64_t)count, .pair = search->pair, .shift = search->pair_shift};
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
    DEVICE(d->ops.sort_wide(d->context, wide, value, job->count, 63, &second));
    job->wide = wide[second];
    job->from = value[second];
    TRY(block_reserve(d, B_OUT_IJ, 8 * count));
    job->ij = (int32_t(*)[2])block_at(d, B_OUT_IJ);
    if (f->wraps) {
        TRY(block_reserve(d, B_OUT_SHIFT, 3 * count));
        job->named = block_at(d, B_OUT_SHIFT);
    }
    DEVICE(d->ops.launch(d->context, KERNEL_PAIR_OUT, job, job->count));
    return SCREE_OK;
}

static scree_status put_mask(sim_device* d, const scree_pair_mask* mask, search_job* job)
{
    TRY(block_put(d, B_MASK_GROUP, mask->group, 4 * (size_t)mask->count));
    job->group = block_at(d, B_MASK_GROUP);
    if (mask->matrix == NULL)
        return SCREE_OK;
    TRY(block_put(d, B_MASK_MATRIX, mask->matrix, (size_t)mask->groups * (size_t)mask->groups));
    job->matrix = block_at(d, B_MASK_MATRIX);
    job->groups = mask->groups;
    return SCREE_OK;
}

static scree_status find(flow* f, const index_device_search* search)
{
    sim_device* d = f->d;
    const device_run* run = f->run;
    double lower[3], upper[3], begin;
    int32_t (*ij)[2];
    int8_t (*shift)[3];
    pair_job sorted;
    d->seconds[PART_LISTS] = 0.0;
    const double gap = search->gap;
    TRY(block_put(d, B_X, search->x, 32 * (size_t)run->n));
    TRY(flow_find_extent(f, lower, upper));
    search_job job = flow_search_job(f);
    job.exact = true;
    job.gap = gap;
    if (search->mask != NULL)
        TRY(put_mask(d, search->mask, &job));
    plan_make(&f->sizes, &run->box, lower, upper, fmax(gap, 0.0), &job.plan);
    job.unsure = 2.0f * job.plan.blur + 1.000001f * (float)((job.plan.reach - gap) * job.plan.scale);
    begin = scree_clock();
    TRY(flow_find_pairs(f, &job));
    flow_spent(d, PART_LISTS, &begin);
    TRY(search->room(search->context, (int64_t)f->found, &ij, &shift));
    if (f->found == 0)
        return SCREE_OK;
    TRY(put_in_order(f, &job, &sorted));
    TRY(block_get(d, B_OUT_IJ, ij, 8 * (size_t)f->found));
    return f->wraps ? block_get(d, B_OUT_SHIFT, shift, 3 * (size_t)f->found) : SCREE_OK;
}

scree_status index_device_pairs(index_device* device, const index_device_search* search)
{
    int32_t (*ij)[2];
    int8_t (*shift)[3];
    device_run run = {.n = search->n, .dim = search->box->dim, .box = *search->box};
    flow f = {.d = inside(device), .run = &run, .wraps = scree_box_is_periodic(search->box)};
    plan_measure(search->x, search->n, &f.sizes);
    if (search->n == 0 || !(2.0 * f.sizes.most + search->gap > 0.0))
        return search->room(search->context, 0, &ij, &shift);
    return find(&f, search);
}
