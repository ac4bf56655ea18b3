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
    out->i = (int32_t)from;
    out->j = j;
    if (j >= 0) {
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
    look_told told = {.deepest_before = lane_bits_from(run->deepest.relative), .shortest_before = ~lane_bits_from(run->shortest.duration)};
    TRY(block_put(d, B_LOOK, &told, sizeof told));
    look_job job = {.step = flow_step_job(f, MODE_STEP, 0), .curved = run->look_curved, .share = run->look_share, .brief = run->look_brief, .told = block_at(d, B_LOOK), .near_count = f->near};
    DEVICE(d->ops.launch(d->context, KERNEL_LOOK, &job, run->n));
    if (f->shapes > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_LOOK_SHAPES, &job, f->shape_lanes));
    DEVICE(d->ops.launch(d->context, KERNEL_NAME, &job, run->n));
    if (f->shapes > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_NAME_SHAPES, &job, f->shape_lanes));
    DEVICE(d->ops.get(d->context, &told, block_at(d, B_LOOK), sizeof told));
    if (told.deepest > told.deepest_before) {
        run->deepest = (device_overlap){.overlap = lane_double_from(told.deepest_overlap), .relative = lane_double_from(told.deepest), .duration = lane_double_from(told.deepest_duration)};
        TRY(name_overlap(f, told.deepest_key, &run->deepest));
    }
    if (told.shortest > told.shortest_before) {
        run->shortest = (device_overlap){.overlap = lane_double_from(told.shortest_overlap), .relative = lane_double_from(told.shortest_relative), .duration = lane_double_from(~told.shortest)};
        TRY(name_overlap(f, told.shortest_key, &run->shortest));
    }
    return SCREE_OK;
}
