// The lanes that take over spheres from arrays of the caller in device memory: centres are wrapped with the same bits as on the processor, invalid spheres are found, and sizes are counted.
#ifndef SCREE_DEVICE_INTAKE_H
#define SCREE_DEVICE_INTAKE_H

#include "device/search.h"
#include "geom/wrap.h"

typedef struct sizes_shared {
    uint32_t in[intake_bins];
    uint64_t largest[intake_bins];
} sizes_shared;

LANE bool intake_is_length(const intake_job* job, double x)
{
    const double size = fabs(x);
    return x == 0.0 || (size >= job->length_least && size <= job->length_most);
}

LANE void intake_collect(const intake_job* job, extent_shared* shared, int64_t first, int64_t stride, int lane)
{
    uint64_t most[intake_values] = {0, 0, 0, 0};
    for (int64_t i = first; i < job->n; i += stride) {
        double x[4] = {0.0, 0.0, 0.0, (job->r != NULL ? job->r[i] : job->radius) + 0.0};
        int8_t turn[4] = {0, 0, 0, 0};
        bool good = x[3] >= 0.0 && intake_is_length(job, x[3]), turned = false;
        for (int k = 0; k < job->dim; ++k) {
            x[k] = job->x[i * job->dim + k];
            good = good && intake_is_length(job, x[k]) && (job->periodic[k] || (x[k] >= job->lower[k] && x[k] <= job->upper[k]));
        }
        for (int m = job->dim - 1; m >= 0 && good; --m) {
            double turns = 0.0;
            if (job->periodic[m])
                x[m] = wrap_between(job->lower[m], job->upper[m], x[m], &turns);
            for (int k = 0; k < m && turns != 0.0; ++k)
                x[k] -= turns * job->tilt[k + m - 1];
            good = fabs(turns) <= intake_turns_most;
            turn[m] = (int8_t)(good ? turns : 0.0);
            turned = turned || turns != 0.0;
        }
        const uint64_t r = lane_bits_from(x[3]), bad = good ? 0 : ~(uint64_t)i;
        most[INTAKE_BAD] = bad > most[INTAKE_BAD] ? bad : most[INTAKE_BAD];
        most[INTAKE_TURNED] |= turned;
        most[INTAKE_LEAST] = ~r > most[INTAKE_LEAST] ? ~r : most[INTAKE_LEAST];
        most[INTAKE_MOST] = r > most[INTAKE_MOST] ? r : most[INTAKE_MOST];
        lane_write(job->to[i], x);
        for (int k = 0; k < 4; ++k)
            job->turn[i][k] = turn[k];
    }
    for (int e = 0; e < intake_values; ++e)
        shared->value[e][lane] = most[e];
}

LANE void intake_join(const intake_job* job, const extent_shared* shared, int lane, int width)
{
    if (lane >= intake_values)
        return;
    uint64_t most = 0;
    for (int l = 0; l < width; ++l)
        most = shared->value[lane][l] > most ? shared->value[lane][l] : most;
    lane_max(&job->found[lane], most);
}

// Leading bits of a positive double rise with it, a range for each eighth, sixteenth, ... of a factor of two.
LANE int intake_bin(const intake_job* job, double r)
{
    const double size = r > job->r_least ? r : job->r_least;
    const uint64_t bin = (lane_bits_from(size) >> job->bin_shift) - (lane_bits_from(job->r_least) >> job->bin_shift);
    return bin < intake_bins ? (int)bin : intake_bins - 1;
}

LANE void sizes_begin(sizes_shared* shared, int lane, int width)
{
    for (int bin = lane; bin < intake_bins; bin += width) {
        shared->in[bin] = 0;
        shared->largest[bin] = 0;
    }
}

LANE void sizes_collect(const intake_job* job, sizes_shared* shared, int64_t first, int64_t stride)
{
    for (int64_t i = first; i < job->n; i += stride) {
        const double r = job->to[i][3];
        const int bin = intake_bin(job, r);
        lane_add(&shared->in[bin], 1);
        lane_max(&shared->largest[bin], lane_bits_from(r));
    }
}

LANE void sizes_join(const intake_job* job, const sizes_shared* shared, int lane, int width)
{
    for (int bin = lane; bin < intake_bins; bin += width) {
        if (shared->in[bin] == 0)
            continue;
        lane_add(&job->in[bin], shared->in[bin]);
        lane_max(&job->largest[bin], shared->largest[bin]);
    }
}

#endif
