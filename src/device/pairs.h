// The lanes that sort the pairs of a search by (i, j, shift), so that the result does not depend on which lane found a pair first.
#ifndef SCREE_DEVICE_PAIRS_H
#define SCREE_DEVICE_PAIRS_H

#include "device/jobs.h"

LANE void pair_shifts_lane(const pair_job* job, int64_t q)
{
    if (q >= job->count)
        return;
    job->key[q] = job->shift[q];
    job->value[q] = (uint32_t)q;
}

// What is sorted so far stays in order where the keys are equal.
LANE void pair_keys_lane(const pair_job* job, int64_t q)
{
    if (q >= job->count)
        return;
    const uint32_t from = job->from != NULL ? job->from[q] : (uint32_t)q;
    job->wide[q] = (uint64_t)(uint32_t)job->pair[from].i << 32 | (uint32_t)job->pair[from].j;
    job->value[q] = from;
}

LANE void pair_out_lane(const pair_job* job, int64_t q)
{
    if (q >= job->count)
        return;
    job->ij[q][0] = (int32_t)(job->wide[q] >> 32);
    job->ij[q][1] = (int32_t)(uint32_t)job->wide[q];
    if (job->shift != NULL) {
        int8_t s[3];
        shift_unpack(job->shift[job->from[q]], s);
        for (int k = 0; k < 3; ++k)
            job->named[3 * q + k] = s[k];
    }
}

#endif
