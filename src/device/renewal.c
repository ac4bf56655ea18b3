// Renews the order of spheres on a device: ranks by Morton key, as order.c in src/sim assigns them; all columns are permuted.
#include "device/flow_inner.h"

#include <math.h>

static scree_status gather(flow* f, int b, const uint32_t* from, size_t bytes)
{
    sim_device* d = f->d;
    if (block_at(d, b) == NULL)
        return SCREE_OK;
    gather_job job = {.n = f->run->n, .bytes = (uint32_t)bytes, .from = from, .in = block_at(d, b), .out = block_at(d, B_NEXT)};
    DEVICE(d->ops.launch(d->context, KERNEL_GATHER, &job, job.n));
    if (bytes == 32)
        block_exchange(d, b, B_NEXT);
    else
        DEVICE(d->ops.copy(d->context, block_at(d, b), block_at(d, B_NEXT), bytes * (size_t)f->run->n));
    return SCREE_OK;
}

// Bonds follow their spheres here, and go back to the device: orders are renewed seldom. All that they need is reserved.
static scree_status renew_bonds(flow* f, uint32_t* from, int8_t (*turns)[4])
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n;
    DEVICE(d->ops.get(d->context, from, block_at(d, B_FROM), 4 * n));
    if (turns != NULL)
        DEVICE(d->ops.get(d->context, turns, block_at(d, B_TURN), 4 * n));
    DEVICE(d->ops.get(d->context, run->bonds->bonds, block_at(d, B_BONDS), (size_t)run->bonds->count * sizeof *run->bonds->bonds));
    run->rename_bonds(run->context, from, (const int8_t(*)[4])turns);
    return flow_put_bonds(f);
}

// sim_order_renew
static scree_status renew_order(flow* f, uint32_t* bond_from, int8_t (*turns)[4])
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n;
    double begin = scree_clock(), lower[3] = {0.0, 0.0, 0.0}, upper[3] = {0.0, 0.0, 0.0}, longest = 0.0;
    bool open = false;
    for (int k = 0; k < run->dim; ++k)
        open = open || !(run->box.lower[k] > -INFINITY && run->box.upper[k] < INFINITY);
    if (open)
        TRY(flow_find_extent(f, lower, upper));
    // All memory first: the following steps do not fail midway.
    TRY(block_reserve(d, B_FROM, 4 * n));
    if ((f->words > 0 || run->bonds != NULL) && f->wraps)
        TRY(block_reserve(d, B_TURN, 4 * n));
    if (f->words > 0 && f->walls > 0)
        TRY(block_reserve(d, B_SPARE, 8 * (size_t)f->words * n));
    if (f->listed)
        flow_put_aside(f);
    f->listed = false;
    if (run->reduce != NULL)
        run->reduce(run->context, f->step, &run->box, &run->cell, f->reduced);
    order_job job = {.n = run->n, .dim = run->dim, .cells = run->dim == 2 ? 2147483648.0 : 2097152.0, .x = block_rows4(d, B_X),
                     .before = f->positions ? block_rows4(d, B_BEFORE) : NULL, .v = block_rows4(d, B_V), .rows = f->turns,
                     .p = f->damped ? block_rows4(d, B_P) : NULL, .cell = run->cell, .step = run->step, .row = block_at(d, B_ROW)};
    for (int k = 0; k < run->dim; ++k) {
        double low = run->box.lower[k], high = run->box.upper[k];
        job.periodic[k] = run->box.periodic[k];
        job.box_lower[k] = low;
        job.box_upper[k] = high;
        if (!(low > -INFINITY && high < INFINITY)) {
            low = lower[k];
            high = upper[k];
        }
        job.lower[k] = low;
        longest = fmax(longest, high - low);
    }
    job.inverse = longest > 0.0 ? job.cells / longest : 0.0;
    uint64_t* key[2] = {scratch_wide(d), (uint64_t*)scratch_wide(d) + n};
    uint32_t* word[2] = {scratch_column(d, n, 0), scratch_column(d, n, 1)};
    int second;
    job.key = key[0];
    job.word = word[0];
    if ((f->words > 0 || run->bonds != NULL) && f->wraps) {
        DEVICE(d->ops.zero(d->context, block_at(d, B_TURN), 4 * n));
        job.turn = (int8_t(*)[4])block_at(d, B_TURN);
        f->wrapped = true;
    }
    if (run->accounts && run->cell_at != NULL) {
        TRY(block_reserve(d, B_PAID, sizeof(launch_sums)));
        DEVICE(d->ops.zero(d->context, block_at(d, B_PAID), sizeof(launch_sums)));
        job.paid = block_at(d, B_PAID);
        job.scale = run->scales.energy;
    }
    DEVICE(d->ops.launch(d->context, KERNEL_WRAP, &job, job.n));
    if (job.paid != NULL) {
        launch_sums paid;
        DEVICE(d->ops.get(d->context, &paid, block_at(d, B_PAID), sizeof paid));
        sum_carry(&paid.of[ENERGY_PAID]);
        sum_join(&f->paid.of[ENERGY_PAID], &paid.of[ENERGY_PAID]);
        f->paid.beyond = paid.beyond > 0 ? UINT64_MAX : f->paid.beyond;
    }
    DEVICE(d->ops.sort_wide(d->context, key, word, job.n, run->dim == 2 ? 62 : 63, &second));
    DEVICE(d->ops.copy(d->context, block_at(d, B_ORDER_KEY), key[second], 8 * n));
    DEVICE(d->ops.copy(d->context, block_at(d, B_FROM), word[second], 4 * n));
    f->renamed = true;
    static const int whole[] = {B_X, B_V, B_P, B_BEFORE, B_W, B_WP, B_FORCE, B_TORQUE};
    const uint32_t* from = block_at(d, B_FROM);
    const bool has[] = {true, true, f->damped, f->positions, f->turns, f->turns, run->force != NULL, run->torque != NULL};
    for (int b = 0; b < 8; ++b)
        if (has[b] && (whole[b] != B_V || f->turns))
            TRY(gather(f, whole[b], from, 32));
    for (int k = 0; k < 4 && !f->turns; ++k) {
        gather_job stream = {.n = run->n, .bytes = 8, .from = from, .in = (double*)block_at(d, B_V) + (size_t)k * n, .out = (double*)block_at(d, B_NEXT) + (size_t)k * n};
        DEVICE(d->ops.launch(d->context, KERNEL_GATHER, &stream, stream.n));
    }
    if (!f->turns)
        block_exchange(d, B_V, B_NEXT);
    if (run->material != NULL)
        TRY(gather(f, B_MATERIAL, from, 2));
    if (run->flags != NULL)
        TRY(gather(f, B_FLAGS, from, 1));
    if (run->load_count > 0 && run->group != NULL)
        TRY(gather(f, B_GROUP, from, 2));
    TRY(gather(f, B_ROW, from, 4));
    TRY(gather(f, B_ORIGIN, from, 4));
    if (run->giant_count > 0)
        TRY(gather(f, B_GIANT_OF, from, 4));
    if (f->words > 0 && f->walls > 0) {
        size_t bytes = 8 * (size_t)f->words;
        TRY(gather(f, B_WALL_LIVE, from, 4));
        for (int32_t w = 0; w < f->walls; ++w) {
            char* there = (char*)block_at(d, B_WALL_WORDS) + (size_t)w * n * bytes;
            gather_job walls = {.n = run->n, .bytes = (uint32_t)bytes, .from = from, .in = there, .out = block_at(d, B_SPARE)};
            DEVICE(d->ops.launch(d->context, KERNEL_GATHER, &walls, walls.n));
            DEVICE(d->ops.copy(d->context, there, block_at(d, B_SPARE), bytes * n));
        }
    }
    if (run->bonds != NULL)
        TRY(renew_bonds(f, bond_from, turns));
    static const int scratch[] = {B_NEXT, B_SPARE};
    blocks_forget(d, scratch, 2);
    f->renewed = f->step;
    flow_spent(d, PART_ORDER, &begin);
    return SCREE_OK;
}

scree_status flow_renew_order(flow* f)
{
    if (f->run->bonds == NULL)
        return renew_order(f, NULL, NULL);
    size_t n = (size_t)f->run->n;
    uint32_t* bond_from = scree_malloc(2 * n + 1, sizeof *bond_from);  // old ranks, and how often each was wrapped
    if (bond_from == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = renew_order(f, bond_from, f->wraps ? (int8_t(*)[4])(bond_from + n) : NULL);
    scree_free(bond_from);
    return status;
}
