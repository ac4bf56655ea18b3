// Energies and works of a step as lanes add them up: sums of whole numbers that depend on no order (src/sim/sums.h), with the terms of src/sim. The lanes of a block share its sums. Lanes that have a term
// of the same kind at the same time add these up first, and one of them changes the sum; at its end the block adds its sums to the sums of the launch.
#ifndef SCREE_DEVICE_ENERGIES_H
#define SCREE_DEVICE_ENERGIES_H

#include "device/loads.h"
#include "sim/drag.h"
#include "sim/grain_lost.h"

typedef struct block_sums {
    sim_sum of[energy_kinds];
    uint32_t beyond;        // 1: a term was too large
} block_sums;

// Sums that this lane of `width` has to look after, before all others.
LANE void energies_clear(block_sums* sums, int lane, int width)
{
    for (int k = lane; k < energy_kinds; k += width)
        for (int l = 0; l < sum_limbs; ++l)
            sums->of[k].limb[l] = 0;
    if (lane == 0)
        sums->beyond = 0;
}

LANE void energies_add(const step_job* job, int kind, double term, block_sums* sums)
{
    if (term == 0.0)
        return;
    sim_sum one = {{0}};
    uint64_t beyond = 0;
    sum_add(energy_scale(&job->scales, kind), term, &one, &beyond);
    const uint32_t group = lane_together(&sums->of[kind]);
    for (int l = 0; l < sum_limbs; ++l)
        lane_add_together(group, (uint64_t*)&sums->of[kind].limb[l], (uint64_t)one.limb[l]);
    if (sum_is_beyond(beyond))
        lane_or(&sums->beyond, 1);
}

enum { energies_most = sum_most / 2 };  // terms that a block may add to a sum before energies_carry

LANE void energies_carry(block_sums* sums, int lane, int width)
{
    for (int k = lane; k < energy_kinds; k += width)
        sum_carry(&sums->of[k]);
}

// When all lanes of the block are done.
LANE void energies_put(const step_job* job, block_sums* sums, int lane, int width)
{
    launch_sums* to = &job->energies[job->index];
    energies_carry(sums, lane, width);
    for (int k = lane; k < energy_kinds; k += width)
        for (int l = 0; l < sum_limbs; ++l)
            if (sums->of[k].limb[l] != 0)
                lane_add_wide((uint64_t*)&to->of[k].limb[l], (uint64_t)sums->of[k].limb[l]);
    if (lane == 0 && sums->beyond != 0)
        lane_add_wide(&to->beyond, 1);
}

// grain_lost of src/sim: what a contact with these words held. `factor`: of its normal force, and of its springs.
LANE_APART void energies_ended(const step_job* job, law_parts parts, const law_pair* with, double radius, const double factor[2], const double* words, block_sums* sums)
{
    const grain_layout l = grain_layout_of(parts);
    double out[owners] = {0.0, 0.0, 0.0, 0.0}, a = l.radius >= 0 ? words[l.radius] : 0.0;
    if (parts.normal == NORMAL_JKR)
        a *= a;
    if (parts.normal == NORMAL_PLASTIC) {
        grain_in in;
        grain_normal normal;
        double largest = words[l.normal], overlap = words[l.normal + 1];
        in.with = &with->k;
        in.overlap = in.deepest = overlap > 0.0 ? overlap : 0.0;
        in.radius = radius;
        grain_plastic(&in, &largest, &normal);
        out[OWNER_NORMAL] = normal.energy;
    }
    grain_spring_energies(parts, with, a, radius, words, out);
    for (int owner = 0; owner < owners; ++owner)
        energies_add(job, ENERGY_LOST + owner, factor[owner != OWNER_NORMAL] * out[owner], sums);
}

// Force times shift over contacts with images in a cell that moves (cell_add_image of src/sim): both as the lower rank has them.
LANE_APART void energies_images(const step_job* job, bool turned, uint64_t e, const double force[3], block_sums* sums)
{
    int8_t s[3];
    double f[3];
    shift_unpack(job->rows.shift[e], s);
    for (int k = 0; k < 3; ++k)
        f[k] = turned ? -force[k] : force[k];
    for (int k = 0; k < 3; ++k)
        energies_add(job, ENERGY_IMAGES + k, f[k] * s[k], sums);
    energies_add(job, ENERGY_IMAGES + SCREE_CELL_XY, f[0] * s[1], sums);
    energies_add(job, ENERGY_IMAGES + SCREE_CELL_XZ, f[0] * s[2], sums);
    energies_add(job, ENERGY_IMAGES + SCREE_CELL_YZ, f[1] * s[2], sums);
}

LANE void energies_contact(const step_job* job, const contact_result* result, block_sums* sums)
{
    LANE_UNROLL
    for (int owner = 0; owner < owners; ++owner) {
        energies_add(job, ENERGY_RATE + owner, result->rate[owner], sums);
        energies_add(job, ENERGY_LOST + owner, result->lost[owner], sums);
    }
}

// The same where few come by.
LANE_APART void energies_contact_apart(const step_job* job, const contact_result* result, block_sums* sums)
{
    energies_contact(job, result, sums);
    energies_add(job, ENERGY_RATE + WORK_WALLS, result->power, sums);
}

// Powers of gravity and of external forces on a sphere that moves with v and turns with w (powers_of of src/sim).
LANE void energies_powers(const step_job* job, step_traits traits, bool turns, int64_t i, const double v[4], const double w[4], int kind, block_sums* sums)
{
    const double* g = job->gravity;
    double f[3], t[3], power = 0.0;
    energies_add(job, kind, ((g[0] * v[0] + g[1] * v[1]) + g[2] * v[2]) / v[3], sums);
    if (!traits.forces && !traits.loads)
        return;
    loads_external(job, traits, turns, i, f, t);
    if (job->force != NULL)
        power = (f[0] * v[0] + f[1] * v[1]) + f[2] * v[2];
    if (turns && job->torque != NULL)
        power += (t[0] * w[0] + t[1] * w[1]) + t[2] * w[2];
    energies_add(job, kind + 1, power, sums);
}

// sim_driven_of of src/sim: what moves a sphere that is fixed or driven works against f and t.
LANE_APART void energies_driven(const step_job* job, step_traits traits, bool turns, int64_t i, const double f[3], const double t[3], block_sums* sums)
{
    double power = 0.0, external[3], torque[3];
    if (turns) {
        const double* w = job->wp[i];
        power -= (t[0] * w[0] + t[1] * w[1]) + t[2] * w[2];
    }
    if ((job->flags[i] & 2) != 0) {
        double v[4];
        if (traits.damped)
            lane_read(v, job->p[i]);
        else
            velocity_read(job, traits.rows, i, v);
        loads_external(job, traits, turns, i, external, torque);
        for (int k = 0; k < 3; ++k)
            power -= (f[k] - (job->force != NULL ? external[k] : 0.0)) * v[k];
    }
    energies_add(job, ENERGY_RATE + WORK_WALLS, power, sums);
}

#endif
