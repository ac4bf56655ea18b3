// Measures overlaps on a device; overlaps.c in src/sim describes what is reported.
#include "device/flow_inner.h"

static scree_status name_overlap(flow* f, uint64_t key, device_overlap* out)
{
    sim_device* d = f->d;
    const uint32_t* origin = block_at(d, B_ORIGIN);
    uint32_t i = (uint32_t)(~key >> 32), from;
    int32_t j = (int32_t)(uint32_t)~key;
    out->found = true;
    out->step = f->step;
    DEVICE(d->ops.get(d->context, &from, origin + i, sizeof from));
    DEVICE(d->ops.get(d->context, out->x[0], block_rows4(d, B_X)[i], sizeof out->x[0]));
    out->i = (int32_t)from;
    out->j = j;
    if (j >= 0) {
        DEVICE(d->ops.get(d->context, out->x[1], block_rows4(d, B_X)[j], sizeof out->x[1]));
        DEVICE(d->ops.get(d->context, &from, origin + j, sizeof from));
        out->j = (int32_t)from;
    }
    return SCREE_OK;
}

// Before the pass of a step that is one for it, as sim_watch_step does. The looks that it leaves out would find nothing.
scree_status flow_look(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    if (run->look_every == 0 || f->step % run->look_every != 0)
        return SCREE_OK;
    TRY(flow_tell_boundaries(f, 1));
    look_result result = {.deepest_before = lane_bits_from(run->deepest.relative), .shortest_before = ~lane_bits_from(run->shortest.duration)};
    TRY(block_put(d, B_LOOK, &result, sizeof result));
    look_job job = {.step = flow_step_job(f, MODE_STEP, 0), .curved = run->look_curved, .share = run->look_share, .brief = run->look_brief, .result = block_at(d, B_LOOK), .near_count = f->near};
    DEVICE(d->ops.launch(d->context, KERNEL_LOOK, &job, run->n));
    if (f->shapes > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_LOOK_SHAPES, &job, f->shape_lanes));
    DEVICE(d->ops.get(d->context, &result, block_at(d, B_LOOK), sizeof result));
    if (!(result.deepest > result.deepest_before) && !(result.shortest > result.shortest_before))
        return SCREE_OK;
    DEVICE(d->ops.launch(d->context, KERNEL_NAME, &job, run->n));
    if (f->shapes > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_NAME_SHAPES, &job, f->shape_lanes));
    DEVICE(d->ops.get(d->context, &result, block_at(d, B_LOOK), sizeof result));
    if (result.deepest > result.deepest_before) {
        run->deepest = (device_overlap){.overlap = lane_double_from(result.deepest_overlap), .relative = lane_double_from(result.deepest), .duration = lane_double_from(result.deepest_duration)};
        TRY(name_overlap(f, result.deepest_key, &run->deepest));
    }
    if (result.shortest > result.shortest_before) {
        run->shortest = (device_overlap){.overlap = lane_double_from(result.shortest_overlap), .relative = lane_double_from(result.shortest_relative), .duration = lane_double_from(~result.shortest)};
        TRY(name_overlap(f, result.shortest_key, &run->shortest));
    }
    return SCREE_OK;
}
