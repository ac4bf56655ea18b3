// A run on a device: lists that are kept while spheres move, batches of steps, renewal of the order. The device provides the kernels; these files decide which are launched, when, and with which arguments.
#include "device/flow_inner.h"

#include <math.h>

static scree_status go(flow* f)
{
    device_run* run = f->run;
    if (!f->flying)
        TRY(flow_launch(f));
    for (;;) {
        bool end = f->step >= run->last;
        if (!end && run->tick != NULL && !run->tick(run->context, f->step))
            end = run->stopped = true;
        if (run->cell_at != NULL) {
            TRY(run->cell_at(run->context, f->step, &run->box, &run->cell));
            f->cells[0] = run->cell;
        }
        if (f->step % run->order_every == 0 && f->renewed != f->step)
            TRY(flow_renew_order(f));
        f->cells[0] = run->cell;
        TRY(flow_list_ready(f));
        if (run->gone)
            return flow_get_all(f, false);
        TRY(flow_look(f));
        if (run->crossings != NULL && (end || f->crossing)) {
            TRY(flow_list_crossings(f));
            end = end || run->crossed_some;
            f->crossing = false;
        }
        if (end)
            TRY(flow_observe(f));
        if (end && run->trouble == 0)
            return SCREE_OK;
        if (run->trouble == 0) {
            int64_t many = run->order_every - f->step % run->order_every;
            many = many < run->last - f->step ? many : run->last - f->step;
            many = many < f->d->ops.batch ? many : f->d->ops.batch;
            many = run->servo_count > 0 ? 1 : many;  // the next step depends on what they measure
            if (f->last_move > 0.0 && (f->limit - f->used) / (2.0 * f->last_move) + 1.0 < (double)many)  // more would find the list over
                many = (int64_t)((f->limit - f->used) / (2.0 * f->last_move)) + 1;
            if (run->look_every > 0 && many > run->look_every - f->step % run->look_every)
                many = run->look_every - f->step % run->look_every;
            TRY(flow_run_batch(f, (int)many));
        }
        if (run->trouble != 0)
            return flow_get_all(f, false);
    }
}

static scree_status put_state(sim_device* d, device_run* run)
{
    flow* f = &d->state;
    d->holds = false;
    *f = (flow){.d = d,
                .run = run,
                .words = run->law->row.words,
                .wraps = scree_box_is_periodic(&run->box),
                .turns = run->law->turns,
                .damped = run->law->damped,
                .positions = run->before != NULL,
                .step = run->at,
                .flying = run->flying,
                .renewed = -1};
    plan_measure((const double(*)[4])run->x, run->n, &f->sizes);
    run->now(run->context, run->at, d->boundaries, f->gravity[0]);
    for (int32_t b = 0; b < run->boundary_count; ++b)
        if (d->boundaries[b].present && d->boundaries[b].shape == NULL)
            f->wall_of[f->walls++] = (int16_t)b;
    for (int64_t k = 0; k < run->n && run->accounts; ++k)
        f->last_move = fmax(f->last_move, (run->v[k][0] * run->v[k][0] + run->v[k][1] * run->v[k][1]) + run->v[k][2] * run->v[k][2]);
    f->last_move = sqrt(f->last_move) * run->step;
    f->boundaries = d->boundaries;
    TRY(flow_put_shapes(f));
    TRY(flow_put_all(f));
    d->holds = true;
    return SCREE_OK;
}

scree_status device_go(sim_device* d, device_run* run)
{
    flow* f = &d->state;
    run->trouble = 0;
    run->gone = run->stopped = run->holds = run->crossed_some = false;
    d->boundaries = scree_malloc((size_t)launches_most * (size_t)run->boundary_count + 1, sizeof *d->boundaries);
    d->loads = scree_calloc((size_t)launches_most * (size_t)run->load_count + 1, sizeof *d->loads);
    launch_sums* energies = scree_malloc(run->accounts ? launches_most : 1, sizeof *energies);
    scree_status status = d->boundaries == NULL || d->loads == NULL || energies == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK && run->put)
        status = put_state(d, run);
    if (d->holds) {
        f->run = run;
        f->boundaries = d->boundaries;
        f->loads = d->loads;
        f->energies = energies;
        f->uploaded = false;
    }
    if (status == SCREE_OK)
        status = go(f);
    if ((status != SCREE_OK && status != SCREE_ERR_MEMORY) || run->gone || run->trouble != 0)
        d->holds = false;
    run->holds = d->holds;
    run->at = f->step;
    run->flying = f->flying;
    scree_free(d->boundaries);
    scree_free(d->loads);
    scree_free(energies);
    d->boundaries = NULL;
    d->loads = NULL;
    return status;
}

scree_status device_get(sim_device* d, device_run* run)
{
    d->state.run = run;
    return flow_get_all(&d->state, true);
}

size_t device_bytes(const sim_device* d)
{
    return d != NULL ? d->held : 0;
}

size_t device_need(const device_run* run)
{
    const size_t words = (size_t)run->law->row.words, candidates = words > 0 ? 9 : 6, image = scree_box_is_periodic(&run->box) ? 4u : 0u;
    size_t sphere = 4u * 32u + (run->law->damped ? 64u : 0u) + (run->law->turns ? 6u * 32u : 0u);  // x, next, v, reference; p; spins
    sphere += 48u;                                                                                // cells, rows, order
    sphere += candidates * (sizeof(found_pair) + image);
    size_t entry = 4u + image + 8u * words;
    sphere += 2u * candidates * entry * (words > 0 ? 2u : 1u);
    sphere += words > 0 ? 4u + 8u * words * (size_t)run->boundary_count : 0u;
    return (size_t)run->n * sphere + ((size_t)1 << 22);
}

int64_t device_lists(const sim_device* d)
{
    return d != NULL ? d->lists : 0;
}

double device_seconds(const sim_device* d, int part)
{
    return d != NULL && part >= 0 && part < part_count ? d->seconds[part] : 0.0;
}
