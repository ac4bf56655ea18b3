// Memory of contacts: transfer from one list of rows to the next, and to the processor.
#ifndef SCREE_DEVICE_REMEMBER_H
#define SCREE_DEVICE_REMEMBER_H

#include "device/jobs.h"

LANE bool memory_is_giant(const memory_job* job, int64_t i)
{
    return job->x[i][3] >= job->giant_radius;
}

// Where a row has this partner and image; the end of the row: nowhere.
LANE uint64_t memory_find(const row_set* rows, uint32_t row, uint32_t partner, uint32_t shift)
{
    uint64_t low = rows->off[row], end = rows->off[row + 1], high = end, key = (uint64_t)partner << 32 | shift;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        uint64_t there = (uint64_t)(uint32_t)rows->list[middle] << 32 | (rows->shift != NULL ? rows->shift[middle] : (uint32_t)shift_none);
        if (there < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end && (uint32_t)rows->list[low] == partner && (rows->shift == NULL || rows->shift[low] == shift))
        return low;
    return end;
}

// A row of the new list, whose entries are no contacts yet, takes over what the same contacts remembered in the old one, which knows spheres by the ranks that they had.
LANE void hand_on_lane(const memory_job* job, int64_t i)
{
    if (i >= job->n)
        return;
    const uint32_t was = job->from != NULL ? job->from[i] : (uint32_t)i;
    for (uint64_t e = job->now.off[i]; e < job->now.off[i + 1]; ++e) {
        const int64_t j = job->now.list[e];
        uint32_t partner = job->from != NULL ? job->from[j] : (uint32_t)j, row = was, shift = shift_none;
        if (job->now.shift != NULL) {
            int8_t s[3];
            shift_unpack(job->now.shift[e], s);
            int32_t own[3];  // as i sees it
            for (int k = 0; k < 3; ++k) {
                own[k] = i <= j ? s[k] : -s[k];
                if (job->turn != NULL)
                    own[k] += job->turn[was][k] - job->turn[partner][k];
                own[k] = was <= partner ? own[k] : -own[k];
            }
            own[1] -= job->reduced[2] * own[2];  // from the names of the reduced cell to those before
            own[0] -= job->reduced[0] * own[1] + job->reduced[1] * own[2];
            shift = shift_pack(own[0], own[1], own[2]);
        }
        // Of two giants the one that had the lower rank remembers.
        const bool turned = i != j && (i < j) != (was < partner);  // words are as the lower rank sees them
        if (memory_is_giant(job, i) && was > partner) {
            row = partner;
            partner = was;
        }
        uint64_t there = memory_find(&job->old, row, partner, shift);
        if (there == job->old.off[row + 1] || row_live(&job->old, there, 1) == 0)
            continue;
        row_begins(&job->now, e);
        for (int32_t w = 0; w < job->words; ++w) {
            double word = job->old.words[there * (uint64_t)job->words + (uint64_t)w];
            job->now.words[e * (uint64_t)job->words + (uint64_t)w] = turned && (job->odd >> w & 1) ? -word : word;
        }
    }
}

// Whether the contact is counted in this row: that of the lower rank, or that of the sphere that is not a giant.
LANE bool memory_speaks(const memory_job* job, int64_t i, int64_t j)
{
    return i <= j || (memory_is_giant(job, j) && !memory_is_giant(job, i));
}

LANE void live_lane(const memory_job* job, int64_t i)
{
    if (i > job->n)
        return;
    uint32_t live = 0;
    for (uint64_t e = i < job->n ? job->now.off[i] : 0; i < job->n && e < job->now.off[i + 1]; ++e)
        live += row_live(&job->now, e, 1) != 0 && memory_speaks(job, i, job->now.list[e]);
    job->count[i] = live;
}

// By rows; (i, j, shift) with i < j.
LANE void take_out_lane(const memory_job* job, int64_t i)
{
    if (i >= job->n)
        return;
    uint64_t to = job->place[i];
    for (uint64_t e = job->now.off[i]; e < job->now.off[i + 1]; ++e) {
        const int32_t j = job->now.list[e];
        if (row_live(&job->now, e, 1) == 0 || !memory_speaks(job, i, j))
            continue;
        const bool turned = i > j;
        job->ij[to][0] = turned ? j : (int32_t)i;
        job->ij[to][1] = turned ? (int32_t)i : j;
        if (job->named != NULL)
            job->named[to] = job->now.shift[e];
        for (int32_t w = 0; w < job->words; ++w)
            job->out[to * (uint64_t)job->words + (uint64_t)w] = job->now.words[e * (uint64_t)job->words + (uint64_t)w];
        ++to;
    }
}

#endif
