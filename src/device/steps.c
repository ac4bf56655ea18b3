// Steps on a device. A batch of launches is queued without waiting. Each launch reads how far spheres may have moved since the list was made, and does nothing if the list may no longer be valid; the run then
// continues from there with a new list.
#include "device/flow_inner.h"

#include <float.h>
#include <math.h>

step_job flow_step_job(const flow* f, step_mode mode, int index)
{
    const sim_device* d = f->d;
    const device_run* run = f->run;
    double (*none)[4] = NULL;
    const sim_boundary* boundaries = block_at(d, B_BOUNDARIES);
    step_job job = {.n = run->n,
                    .mode = (int32_t)mode,
                    .index = index,
                    .boundary_count = run->boundary_count,
                    .team = d->ops.team(d->context, run->n),
                    .x = (const double(*)[4])block_rows4(d, B_X),
                    .next = block_rows4(d, B_NEXT),
                    .v = block_rows4(d, B_V),
                    .v_next = block_rows4(d, f->turns ? B_V_NEXT : B_V),
                    .w = (const double(*)[4])(f->turns ? block_rows4(d, B_W) : none),
                    .w_next = f->turns ? block_rows4(d, B_W_NEXT) : none,
                    .wp = (const double(*)[4])(f->turns ? block_rows4(d, B_WP) : none),
                    .wp_next = f->turns ? block_rows4(d, B_WP_NEXT) : none,
                    .p = (const double(*)[4])(f->damped ? block_rows4(d, B_P) : none),
                    .p_next = f->damped ? block_rows4(d, B_P_NEXT) : none,
                    .before = f->positions ? block_rows4(d, B_BEFORE) : none,
                    .flags = run->flags != NULL ? block_at(d, B_FLAGS) : NULL,
                    .force = (const double(*)[4])(run->force != NULL ? block_rows4(d, B_FORCE) : none),
                    .torque = (const double(*)[4])(run->torque != NULL ? block_rows4(d, B_TORQUE) : none),
                    .material = run->material != NULL ? block_at(d, B_MATERIAL) : NULL,
                    .rows = flow_rows_of(f, false),
                    .wall_live = f->words > 0 && f->walls > 0 ? block_at(d, B_WALL_LIVE) : NULL,
                    .wall_words = f->words > 0 && f->walls > 0 ? block_at(d, B_WALL_WORDS) : NULL,
                    .boundaries = boundaries == NULL ? NULL : boundaries + (run->moves ? (int64_t)index * run->boundary_count : 0),
                    .law = *run->law,
                    .teams = run->teams,
                    .cell = run->cell_at != NULL ? f->cells[index] : run->cell,
                    .giant_radius = run->giant_count > 0 ? run->giant_radius : INFINITY,
                    .quantum = run->quantum,
                    .per_quantum = 1.0 / run->quantum,
                    .torque_quantum = run->torque_quantum,
                    .per_torque = 1.0 / run->torque_quantum,
                    .giant_of = run->giant_count > 0 ? block_at(d, B_GIANT_OF) : NULL,
                    .giants = run->giant_count > 0 ? block_at(d, B_GIANTS) : NULL,
                    .giant_count = run->giant_count,
                    .half = 0.5 * run->step,
                    .whole = run->step,
                    .square = run->step * run->step,
                    .per = 1.0 / run->step,
                    .head = &((const batch_results*)block_at(d, B_RESULTS))->head,
                    .result = ((batch_results*)block_at(d, B_RESULTS))->result,
                    .long_row = d->ops.short_row,
                    .long_warp = d->ops.long_warp,
                    .long_rows = block_at(d, B_LONG),
                    .loads = run->load_count > 0 ? (const device_load*)block_at(d, B_LOADS) + (int64_t)index * run->load_count : NULL,
                    .load_count = run->load_count,
                    .adds = {run->adds[0], run->adds[1]},
                    .group = run->load_count > 0 && run->group != NULL ? block_at(d, B_GROUP) : NULL,
                    .drag = run->drag != NULL ? block_at(d, B_DRAG) : NULL,
                    .energies = run->accounts ? block_at(d, B_ENERGIES) : NULL,
                    .scales = run->scales,
                    .row = f->shapes > 0 || run->crossings != NULL ? block_at(d, B_ROW) : NULL,
                    .removes = run->crossings != NULL,
                    .drives = run->cell_at != NULL,
                    .shapes = flow_shape_set(f, false),
                    .servos = run->servo_count > 0 ? block_at(d, B_SERVOS) : NULL,
                    .servo_count = run->servo_count,
                    .bond_count = run->bonds != NULL ? run->bonds->count : 0,
                    .bonds = run->bonds != NULL ? block_at(d, B_BONDS) : NULL,
                    .bond_kinds = run->bonds != NULL ? block_at(d, B_BOND_KINDS) : NULL,
                    .bond_first = run->bonds != NULL ? block_at(d, B_BOND_FIRST) : NULL,
                    .bond_of = run->bonds != NULL ? block_at(d, B_BOND_OF) : NULL,
                    .number = run->bonds != NULL ? f->step + index : 0};
    const sim_boundary* faces = f->boundaries + (run->moves ? (int64_t)index * run->boundary_count : 0);
    for (int face = 0; face < boundary_faces; ++face)
        job.face[face] = face < run->boundary_count && faces[face].present ? faces[face].at[face / 2] : face % 2 == 0 ? -INFINITY : INFINITY;
    memcpy(job.wall_of, f->wall_of, sizeof job.wall_of);
    job.wall_count = f->walls;
    job.rounds = f->walls > 0 && f->wall_of[f->walls - 1] >= boundary_faces;
    memcpy(job.gravity, f->gravity[run->moves ? index : 0], sizeof job.gravity);
    job.law.many = run->law->many != NULL ? block_at(d, B_MANY) : NULL;
    return job;
}

// Boundaries and gravity of these steps.
scree_status flow_tell_boundaries(flow* f, int many)
{
    sim_device* d = f->d;
    const device_run* run = f->run;
    if (f->uploaded && !run->moves)
        return SCREE_OK;
    many = run->moves ? many : 1;
    for (int q = 0; q < many; ++q)
        run->now(run->context, f->step + q, f->boundaries + (int64_t)q * run->boundary_count, f->gravity[q]);
    f->uploaded = true;
    return block_put(d, B_BOUNDARIES, f->boundaries, (size_t)many * (size_t)run->boundary_count * sizeof *f->boundaries);
}

// The same for loads of groups and drag. `ends`: of the pass that observes.
static scree_status tell_loads(flow* f, int many, bool ends)
{
    sim_device* d = f->d;
    const device_run* run = f->run;
    if (run->drag != NULL) {
        sim_drag drag[launches_most];
        memset(drag, 0, sizeof drag);
        for (int q = 0; q < many; ++q)
            run->drag(run->context, f->step + q, &drag[q]);
        TRY(block_put(d, B_DRAG, drag, sizeof drag));
    }
    if (run->load_count == 0)
        return SCREE_OK;
    for (int q = 0; q < many; ++q)
        run->loads(run->context, f->step + q, ends, f->loads + (int64_t)q * run->load_count);
    return block_put(d, B_LOADS, f->loads, launches_most * (size_t)run->load_count * sizeof *f->loads);  // launches beyond `many`, which do nothing, read theirs too
}

static void arrived(flow* f)
{
    sim_device* d = f->d;
    block_exchange(d, B_X, B_NEXT);
    if (f->damped)
        block_exchange(d, B_P, B_P_NEXT);
    if (f->turns) {
        block_exchange(d, B_V, B_V_NEXT);
        block_exchange(d, B_W, B_W_NEXT);
        block_exchange(d, B_WP, B_WP_NEXT);
    }
}

static int power_of_two(int64_t least)
{
    int power = 1;
    while (power < least)
        power *= 2;
    return power;
}

static scree_status launch_crossings(flow* f, const step_job* job)
{
    sim_device* d = f->d;
    DEVICE(d->ops.launch(d->context, KERNEL_CROSS, job, job->n));
    if (f->shapes > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_CROSS_SHAPES, job, f->shape_lanes));
    return SCREE_OK;
}

// Long rows get blocks up to a power of two, of which some may have nothing to do: so launches stay the same when their number changes a little.
static scree_status launch(flow* f, step_mode mode, int index)
{
    sim_device* d = f->d;
    step_job job = flow_step_job(f, mode, index);
    if (job.removes && mode == MODE_STEP)
        TRY(launch_crossings(f, &job));
    if (job.bond_count > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_BONDS, &job, job.bond_count));
    if (f->shapes > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_SHAPES, &job, f->shape_lanes));
    if (f->long_rows > 0)  // first: a device may do both at the same time
        DEVICE(d->ops.launch(d->context, KERNEL_LONG_STEP, &job, power_of_two(f->long_rows)));
    DEVICE(d->ops.launch(d->context, KERNEL_STEP, &job, job.n));
    if (job.giant_count > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_GIANTS, &job, job.giant_count));
    return SCREE_OK;
}

double flow_rounding(const flow* f)
{
    return 4.0 * DBL_EPSILON * (f->extent + f->skin) + f->outside;
}

// How far shapes and images move in each of the steps from here on.
static void find_outside(flow* f, int many)
{
    const device_run* run = f->run;
    f->outside = 0.0;
    for (int q = 0; q <= many && f->shapes > 0; ++q)
        f->outside = fmax(f->outside, run->outside(run->context, f->step + q) * run->step);
    if (run->cell_at == NULL || !run->cell.moves)
        return;
    // A sphere and an image of another come nearer by what the cell moves the image, too. Images that are in reach, one more for centres that have left the box.
    double rate = 0.0, shortest = INFINITY;
    for (int k = 0; k < 3; ++k) {
        for (int m = 0; m < 3; ++m)
            rate += fabs(run->cell.rate[k][m]);
        shortest = run->cell.h[k][k] > 0.0 ? fmin(shortest, run->cell.h[k][k]) : shortest;
    }
    f->outside += 0.5 * (ceil((2.0 * f->sizes.most + run->law->reach + f->skin) / (0.9 * shortest)) + 2.0) * rate * run->step;
}

static scree_status tell_batch(flow* f, int launches, int many)
{
    batch_results batch = {.head = {.used = f->used, .limit = f->limit, .rounding = flow_rounding(f), .many = many, .long_count = f->long_rows, .near_count = f->near}};
    sim_device* d = f->d;
    if (f->run->accounts) {
        TRY(block_reserve(d, B_ENERGIES, launches_most * sizeof *f->energies));
        DEVICE(d->ops.zero(d->context, block_at(d, B_ENERGIES), launches_most * sizeof *f->energies));
    }
    return block_put(d, B_RESULTS, &batch, sizeof batch.head + (size_t)launches * sizeof *batch.result);
}

// The sums of the launches that count, step by step.
static scree_status book(flow* f, int many, bool begins)
{
    sim_device* d = f->d;
    const device_run* run = f->run;
    if (!run->accounts || many == 0)
        return SCREE_OK;
    DEVICE(d->ops.get(d->context, f->energies, block_at(d, B_ENERGIES), (size_t)many * sizeof *f->energies));
    for (int q = 0; q < many; ++q) {
        energy_sums sums = {.beyond = f->energies[q].beyond > 0 ? UINT64_MAX : 0};
        for (int k = 0; k < energy_kinds; ++k) {
            sums.of[k] = f->energies[q].of[k];
            sum_carry(&sums.of[k]);
        }
        energy_join(&sums, &f->paid);
        f->paid = (energy_sums){.beyond = 0};
        TRY(run->book(run->context, f->step + q, begins, &sums));
    }
    return SCREE_OK;
}

// Servos of a launch: they begin with nothing.
static scree_status tell_servos(flow* f)
{
    servo_sums sums[servos_most];
    device_servo servos[servos_most];
    const device_run* run = f->run;
    if (run->servo_count == 0)
        return SCREE_OK;
    memset(sums, 0, sizeof sums);
    run->servos(run->context, servos);
    for (int32_t n = 0; n < run->servo_count; ++n) {
        sums[n].boundary = servos[n].boundary;
        sums[n].torque = servos[n].torque;
        sums[n].per[0] = servos[n].per;
        sums[n].per[1] = servos[n].per_resistance;
        memcpy(sums[n].direction, servos[n].direction, sizeof sums[n].direction);
    }
    return block_put(f->d, B_SERVOS, sums, (size_t)run->servo_count * sizeof *sums);
}

// What they have measured in the pass of this step.
static scree_status hear_servos(flow* f)
{
    sim_device* d = f->d;
    servo_sums sums[servos_most];
    device_servo servos[servos_most];
    const device_run* run = f->run;
    if (run->servo_count == 0)
        return SCREE_OK;
    DEVICE(d->ops.get(d->context, sums, block_at(d, B_SERVOS), (size_t)run->servo_count * sizeof *sums));
    for (int32_t n = 0; n < run->servo_count; ++n) {
        servos[n].beyond = sums[n].beyond > 0;
        for (int k = 0; k < 3; ++k) {
            servos[n].sum[k] = (int64_t)sums[n].low[k];
            servos[n].beyond = servos[n].beyond || sums[n].high[k] >= 3 * ((int64_t)1 << 21) || sums[n].high[k] < -3 * ((int64_t)1 << 21);
        }
    }
    return run->measured(run->context, f->step, servos);
}

static scree_status launch_all(flow* f, int launches)
{
    for (int q = 0; q < launches; ++q) {
        TRY(launch(f, MODE_STEP, q));
        arrived(f);
    }
    return SCREE_OK;
}

scree_status flow_launch(flow* f)
{
    sim_device* d = f->d;
    launch_result result;
    double begin = scree_clock(), square;
    TRY(flow_tell_boundaries(f, 1));
    find_outside(f, 1);
    TRY(tell_batch(f, 1, 1));
    step_job job = flow_step_job(f, MODE_STEP, 0);
    DEVICE(d->ops.launch(d->context, KERNEL_LAUNCH, &job, job.n));
    DEVICE(d->ops.get(d->context, &result, ((batch_results*)block_at(d, B_RESULTS))->result, sizeof result));
    memcpy(&square, &result.speed, sizeof square);
    f->last_move = sqrt(square) * f->run->step * (1.0 + 1e-12) + flow_rounding(f);
    f->used += 2.0 * f->last_move;
    f->travelled += f->outside;
    block_exchange(d, B_X, B_NEXT);
    if (f->damped)
        block_exchange(d, B_P, B_P_NEXT);
    if (f->turns) {
        block_exchange(d, B_W, B_W_NEXT);
        block_exchange(d, B_WP, B_WP_NEXT);
    }
    ++f->step;
    f->flying = true;
    flow_spent(d, PART_STEPS, &begin);
    return SCREE_OK;
}

// What names a batch: all launches follow from the first, and from how many there are.
typedef struct batch_key {
    step_job job;
    int32_t launches, long_blocks;
} batch_key;

// Few spheres wait for launches. So they are repeated as they were, in numbers that are powers of two; those beyond `many` do nothing.
static scree_status repeat_all(flow* f, int launches)
{
    sim_device* d = f->d;
    batch_key key;
    memset(&key, 0, sizeof key);
    key.job = flow_step_job(f, MODE_STEP, 0);
    key.launches = launches;
    key.long_blocks = f->long_rows > 0 ? power_of_two(f->long_rows) : 0;
    int known = d->ops.replay(d->context, &key, sizeof key);
    if (known == 0) {
        for (int q = 0; q < launches; ++q)
            arrived(f);
        return SCREE_OK;
    }
    if (known > 0 || d->ops.record(d->context, &key, sizeof key) != 0)
        return flow_failed(d);
    scree_status status = launch_all(f, launches);
    if (d->ops.recorded(d->context, status == SCREE_OK) != 0 && status == SCREE_OK)
        status = flow_failed(d);
    return status;
}

scree_status flow_run_batch(flow* f, int many)
{
    sim_device* d = f->d;
    launch_result result[launches_most];
    double begin = scree_clock();
    const bool again = f->run->n <= d->ops.few && !f->run->moves;
    for (int q = 0; q < many && f->run->cell_at != NULL; ++q)
        if (f->run->cell_at(f->run->context, f->step + q, NULL, &f->cells[q]) != SCREE_OK && q > 0)  // it fails when it comes there
            many = q;
    const int launches = again ? power_of_two(many) : many;
    TRY(flow_tell_boundaries(f, many));
    find_outside(f, many);
    TRY(tell_loads(f, many, false));
    TRY(tell_servos(f));
    TRY(tell_batch(f, launches, many));
    TRY(again ? repeat_all(f, launches) : launch_all(f, launches));
    DEVICE(d->ops.get(d->context, result, ((batch_results*)block_at(d, B_RESULTS))->result, (size_t)many * sizeof *result));
    int done = 0;
    while (done < many && result[done].way <= f->limit && result[done].trouble == 0)
        ++done;
    bool trouble = done < many && result[done].way <= f->limit;
    f->crossing = done < many && !trouble && (result[done].trouble & TROUBLE_REMOVES) != 0;
    for (int q = launches; q > done; --q)
        arrived(f);  // they did nothing, or what they did does not count: back, by the same exchange
    TRY(book(f, done, true));
    if (done > 0)
        TRY(hear_servos(f));
    f->step += done;
    if (done > 0) {
        double square;
        memcpy(&square, &result[done - 1].speed, sizeof square);
        f->run->speed = sqrt(square);
        f->last_move = f->run->speed * f->run->step * (1.0 + 1e-12) + flow_rounding(f);
        f->travelled += done * f->outside;
        f->used = result[done - 1].way + 2.0 * f->last_move;
    }
    if (trouble) {
        f->run->trouble = result[done].trouble;
        f->run->crossed = ~result[done].crossed;
    }
    flow_spent(d, PART_STEPS, &begin);
    return SCREE_OK;
}

// With more room if it was too little. Passes of the step have not begun.
scree_status flow_list_crossings(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    uint64_t found = 0, room = d->blocks[B_CROSSING].bytes / sizeof found;
    room = room < 4 ? 4 : room;
    TRY(flow_tell_boundaries(f, 1));
    TRY(tell_batch(f, 1, 1));
    for (;;) {
        TRY(block_reserve(d, B_CROSSING, room * sizeof found));
        DEVICE(d->ops.zero(d->context, block_at(d, B_CROSSING), sizeof found));
        step_job job = flow_step_job(f, MODE_STEP, 0);
        job.crossing = block_at(d, B_CROSSING);
        job.crossing_room = room;
        TRY(launch_crossings(f, &job));
        DEVICE(d->ops.get(d->context, &found, block_at(d, B_CROSSING), sizeof found));
        if (found < room)
            break;
        room = found + 1;
    }
    run->crossed_some = found > 0;
    if (found == 0)
        return SCREE_OK;
    uint64_t* list = scree_malloc((size_t)found + 1, sizeof *list);
    scree_status status = list == NULL ? SCREE_ERR_MEMORY : block_get(d, B_CROSSING, list, ((size_t)found + 1) * sizeof *list);
    if (status == SCREE_OK)
        status = run->crossings(run->context, f->step, (int64_t)found, list + 1);
    scree_free(list);
    return status;
}

// Velocities of this moment, and accelerations.
scree_status flow_observe(flow* f)
{
    sim_device* d = f->d;
    launch_result result;
    double begin = scree_clock(), square;
    TRY(flow_tell_boundaries(f, 1));
    TRY(tell_loads(f, 1, true));
    TRY(tell_servos(f));
    TRY(tell_batch(f, 1, 1));
    TRY(launch(f, MODE_OBSERVE, 0));
    DEVICE(d->ops.get(d->context, &result, ((batch_results*)block_at(d, B_RESULTS))->result, sizeof result));
    memcpy(&square, &result.speed, sizeof square);
    f->run->speed = sqrt(square);
    f->run->contacts = (int64_t)result.contacts;
    f->run->trouble = result.trouble;
    f->run->crossed = ~result.crossed;
    f->flying = result.trouble != 0;
    TRY(book(f, result.trouble == 0, false));
    if (result.trouble == 0)
        TRY(hear_servos(f));
    if (f->turns && result.trouble == 0) {
        block_exchange(d, B_V, B_V_NEXT);
        block_exchange(d, B_W, B_W_NEXT);
    }
    flow_spent(d, PART_STEPS, &begin);
    return SCREE_OK;
}
