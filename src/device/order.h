// The lanes that renew the order of spheres: centres are wrapped into the box and get their keys (order.c in src/sim); then the columns are permuted.
#ifndef SCREE_DEVICE_ORDER_H
#define SCREE_DEVICE_ORDER_H

#include "base/morton.h"
#include "device/jobs.h"
#include "geom/wrap.h"

LANE void order_pay(const order_job* job, double work)
{
    sim_sum sum = {{0}};
    uint64_t beyond = 0;
    sum_add(&job->scale, work, &sum, &beyond);
    sum_carry(&sum);
    for (int l = 0; l < sum_limbs; ++l)
        if (sum.limb[l] != 0)
            lane_add_wide((uint64_t*)&job->paid->of[ENERGY_PAID].limb[l], (uint64_t)sum.limb[l]);
    if (sum_is_beyond(beyond))
        lane_add_wide(&job->paid->beyond, 1);
}

LANE void wrap_lane(const order_job* job, int64_t i)
{
    if (i >= job->n)
        return;
    uint64_t cell[3] = {0, 0, 0};
    const sim_cell* lattice = &job->cell;
    double turns[3] = {0.0, 0.0, 0.0}, *x = job->x[i];
    for (int m = job->dim - 1; m >= 0; --m) {  // cell_wrap of src/sim
        double n = 0.0;
        if (job->periodic[m])
            x[m] = wrap_between(job->box_lower[m], job->box_upper[m], x[m], &n);
        turns[m] = n;
        if (job->before != NULL)
            job->before[i][m] -= n * lattice->h[m][m];
        for (int k = 0; k < m && lattice->sheared && n != 0.0; ++k) {
            x[k] -= n * lattice->h[k][m];
            if (job->before != NULL)
                job->before[i][k] -= n * lattice->h[k][m];
        }
    }
    const bool moved = lattice->moves && (turns[0] != 0.0 || turns[1] != 0.0 || turns[2] != 0.0);
    double square = 0.0, along = 0.0, *streams = (double*)job->v;
    for (int k = 0; k < 3 && moved; ++k) {
        const double lost = (lattice->rate[k][0] * turns[0] + lattice->rate[k][1] * turns[1]) + lattice->rate[k][2] * turns[2];
        along += (job->rows ? job->v[i][k] : streams[k * (int64_t)job->n + i]) * lost;
        square += lost * lost;
        *(job->rows ? &job->v[i][k] : &streams[k * (int64_t)job->n + i]) -= lost;
        if (job->p != NULL)
            job->p[i][k] -= lost;
        if (job->before != NULL)
            job->before[i][k] += job->step * lost;
    }
    if (moved && job->paid != NULL)
        order_pay(job, (0.5 * square - along) / (job->rows ? job->v[i][3] : streams[3 * (int64_t)job->n + i]));
    for (int k = 0; k < job->dim; ++k) {
        if (job->turn != NULL)
            job->turn[i][k] = (int8_t)turns[k];
        double at = (x[k] - job->lower[k]) * job->inverse;
        cell[k] = (uint64_t)(at > 0.0 ? fmin(at, job->cells - 1.0) : 0.0);
    }
    job->key[job->row[i]] = scree_morton_key(job->dim, cell);
    job->word[job->row[i]] = (uint32_t)i;
}

LANE void turn_lane(const turn_job* job, int64_t i)
{
    for (int k = 0; k < 4 && i < job->count; ++k) {
        double* stream = &job->streams[k * (int64_t)job->n + job->first + i];
        if (job->back)
            job->rows[i][k] = *stream;
        else
            *stream = job->rows[i][k];
    }
}

LANE void gather_lane(const gather_job* job, int64_t i)
{
    if (i >= job->n)
        return;
    if (job->from == NULL) {
        ((uint32_t*)job->out)[i] = (uint32_t)i;
        return;
    }
    const char* in = (const char*)job->in + (uint64_t)job->from[i] * job->bytes;
    char* out = (char*)job->out + (uint64_t)i * job->bytes;
    if (job->bytes % 8 == 0)
        for (uint32_t b = 0; b < job->bytes / 8; ++b)
            ((uint64_t*)out)[b] = ((const uint64_t*)in)[b];
    else
        for (uint32_t b = 0; b < job->bytes; ++b)
            out[b] = in[b];
}

#endif
