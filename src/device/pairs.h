// The lanes that sort the pairs of a search by (i, j, shift), so that the result does not depend on which lane found a pair first.
#ifndef SCREE_DEVICE_PAIRS_H
#define SCREE_DEVICE_PAIRS_H

#include "device/jobs.h"

// A pair as it was found, or in the other direction.
LANE void pair_read(const pair_job* job, int64_t from, int32_t* i, int32_t* j)
{
    const bool turned = from >= job->half;
    const found_pair pair = job->pair[turned ? from - job->half : from];
    *i = turned ? pair.j : pair.i;
    *j = turned ? pair.i : pair.j;
}

LANE uint32_t pair_shift(const pair_job* job, int64_t from)
{
    return from >= job->half ? shift_opposite(job->shift[from - job->half]) : job->shift[from];
}

LANE void pair_shifts_lane(const pair_job* job, int64_t q)
{
    if (q >= job->count)
        return;
    job->key[q] = pair_shift(job, q);
    job->value[q] = (uint32_t)q;
}

// What is sorted so far stays in order where the keys are equal.
LANE void pair_keys_lane(const pair_job* job, int64_t q)
{
    if (q >= job->count)
        return;
    const uint32_t from = job->from != NULL ? job->from[q] : (uint32_t)q;
    int32_t i, j;
    pair_read(job, from, &i, &j);
    job->wide[q] = (uint64_t)(uint32_t)i << job->bits | (uint32_t)j;
    job->value[q] = from;
}

LANE void pair_out_lane(const pair_job* job, int64_t q)
{
    if (q >= job->count)
        return;
    const int64_t from = job->from != NULL ? (int64_t)job->from[q] : q;
    int32_t i, j;
    pair_read(job, from, &i, &j);
    job->ij[q][0] = i;
    job->ij[q][1] = j;
    if (job->shift != NULL) {
        int8_t s[3];
        shift_unpack(pair_shift(job, from), s);
        for (int k = 0; k < 3; ++k)
            job->named[3 * q + k] = (int8_t)(s[k] + (job->turn != NULL ? job->turn[i][k] - job->turn[j][k] : 0));
    }
}

// From wrapped centres, whose shifts lack the turns.
LANE void pair_vectors_lane(const pair_job* job, int64_t q)
{
    if (q >= job->count)
        return;
    const int32_t i = job->ij[q][0], j = job->ij[q][1];
    double d[3], offset[3] = {0.0, 0.0, 0.0}, square = 0.0;
    if (job->named != NULL) {
        int32_t s[3];
        for (int k = 0; k < 3; ++k) {
            s[k] = job->named[3 * q + k] - (job->turn != NULL ? job->turn[i][k] - job->turn[j][k] : 0);
            offset[k] = s[k] * job->length[k];
        }
        offset[0] = (offset[0] + s[1] * job->tilt[0]) + s[2] * job->tilt[1];
        offset[1] += s[2] * job->tilt[2];
    }
    for (int k = 0; k < job->dim; ++k) {
        d[k] = (job->x[j][k] - job->x[i][k]) + offset[k];
        square += d[k] * d[k];
        job->vector[q * job->dim + k] = d[k];
    }
    job->distance[q] = sqrt(square);
}

#endif
