// One bond at one moment, as C17 and CUDA: its springs, its strength, its forces (docs/laws.md).
#ifndef SCREE_SIM_BOND_WORK_H
#define SCREE_SIM_BOND_WORK_H

#include "geom/vector.h"
#include "sim/bonds.h"

// To this length: vectors that turn with the bond keep theirs.
SCREE_BOTH void bond_set_square(double a[3], double square)
{
    double now = vec_dot(a, a), scale = now > 0.0 ? sqrt(square / now) : 0.0;
    for (int k = 0; k < 3; ++k)
        a[k] *= scale;
}

// ---- One bond ----------------------------------------------------------------------------------------------------------

// The two spheres of a bond at one moment, relative to each other.
typedef struct bond_relative {
    double n[3];       // from the second to the first,
    double distance;
    double along;      // velocity along it: above 0 they part,
    double slide[3];   // and across it, where the two halves of the bond meet
    double roll[3];    // difference of spins across n,
    double twist;      // and along it
    double twirl;      // mean of spins along n
} bond_relative;

SCREE_BOTH bond_relative bond_relative_of(const double d[3], const double v[2][4], const double w[2][4], const double arm[2])
{
    bond_relative out = {.distance = sqrt(vec_dot(d, d))};
    double u[3], spins[3], turn[3];
    for (int k = 0; k < 3; ++k) {
        out.n[k] = out.distance > 0.0 ? d[k] / out.distance : 0.0;
        u[k] = v[0][k] - v[1][k];
        out.roll[k] = w[0][k] - w[1][k];
    }
    double one = arm[0] * out.distance, other = arm[1] * out.distance;
    for (int k = 0; k < 3; ++k)
        spins[k] = one * w[0][k] + other * w[1][k];
    vec_cross(spins, out.n, turn);
    out.along = vec_dot(u, out.n);
    out.twist = vec_dot(out.roll, out.n);
    out.twirl = 0.5 * (vec_dot(w[0], out.n) + vec_dot(w[1], out.n));
    for (int k = 0; k < 3; ++k) {
        out.slide[k] = (u[k] - out.along * out.n[k]) - turn[k];
        out.roll[k] -= out.twist * out.n[k];
    }
    return out;
}

// A spring turns with its bond to the end of the step, and about it. Then it grows: what it grows by belongs to the middle
// of the step and turns from there to the end (grain_follow and grain_stretch of grain.h).
SCREE_BOTH void bond_advance_spring(double spring[3], const bond_relative* half, const double n[3], const double growth[3], double step)
{
    const double along = vec_dot(half->n, n), per = along > 0.0 ? 1.0 / along : 0.0, angle = step * half->twirl;
    const double square = vec_dot(spring, spring), across = per * vec_dot(spring, n), rise = 0.5 * vec_dot(growth, n);
    const double shorter = step - 0.125 * step * angle * angle;
    double grown[3], side[3];
    for (int k = 0; k < 3; ++k) {
        spring[k] -= across * half->n[k];
        grown[k] = growth[k] - rise * (n[k] + per * half->n[k]);
    }
    vec_cross(n, spring, side);
    for (int k = 0; k < 3; ++k)
        spring[k] += angle * side[k];
    bond_set_square(spring, square);
    vec_cross(n, grown, side);
    for (int k = 0; k < 3; ++k)
        spring[k] += shorter * (grown[k] + 0.5 * angle * side[k]);
}

SCREE_BOTH double bond_stretch_of(const bond* b, double distance)
{
    return distance - b->length;
}

SCREE_BOTH double bond_energy_of(const bond* b, double stretch)
{
    const double *k = b->numbers.k, *shear = b->words + WORD_SHEAR, *bending = b->words + WORD_BENDING, twist = b->words[WORD_TWISTING];
    return 0.5 * ((k[BOND_NORMAL] * stretch * stretch + k[BOND_SHEAR] * vec_dot(shear, shear)) +
                  (k[BOND_BENDING] * vec_dot(bending, bending) + k[BOND_TWISTING] * twist * twist));
}

// Whether the stresses of the springs, at the rim of the bond, are beyond its strength. Dashpots do not count.
SCREE_BOTH uint8_t bond_breaks(const bond* b, const scree_sim_bond* kind, double stretch)
{
    const bond_numbers* of = &b->numbers;
    const double *shear = b->words + WORD_SHEAR, *bending = b->words + WORD_BENDING;
    double mean = of->k[BOND_NORMAL] * stretch * of->per_area;
    double tension = mean + of->k[BOND_BENDING] * sqrt(vec_dot(bending, bending)) * of->per_bending;
    double stress = of->k[BOND_SHEAR] * sqrt(vec_dot(shear, shear)) * of->per_area + of->k[BOND_TWISTING] * fabs(b->words[WORD_TWISTING]) * of->per_twisting;
    if (tension > kind->tensile_strength)
        return SCREE_BOND_TENSION;
    return stress > kind->shear_strength + kind->friction * fmax(0.0, -mean) ? SCREE_BOND_SHEAR : SCREE_BOND_HOLDS;
}

// Force on the first and torques on both, from the springs and from the dashpots, which see the velocities predicted for this moment. What the latter dissipate per time.
SCREE_BOTH double bond_push(bond* b, const bond_relative* now, bool damped)
{
    const double *k = b->numbers.k, *g = b->numbers.g, *shear = b->words + WORD_SHEAR, *bending = b->words + WORD_BENDING;
    double along = -(k[BOND_NORMAL] * bond_stretch_of(b, now->distance)), twist = -(k[BOND_TWISTING] * b->words[WORD_TWISTING]), across[3], moment[3], turn[3], rate = 0.0;
    for (int c = 0; c < 3; ++c) {
        across[c] = -(k[BOND_SHEAR] * shear[c]);
        moment[c] = -(k[BOND_BENDING] * bending[c]);
    }
    if (damped) {
        along -= g[BOND_NORMAL] * now->along;
        twist -= g[BOND_TWISTING] * now->twist;
        for (int c = 0; c < 3; ++c) {
            across[c] -= g[BOND_SHEAR] * now->slide[c];
            moment[c] -= g[BOND_BENDING] * now->roll[c];
        }
        rate = (g[BOND_NORMAL] * now->along * now->along + g[BOND_SHEAR] * vec_dot(now->slide, now->slide)) +
               (g[BOND_BENDING] * vec_dot(now->roll, now->roll) + g[BOND_TWISTING] * now->twist * now->twist);
    }
    vec_cross(now->n, across, turn);
    double one = b->numbers.arm[0] * now->distance, other = b->numbers.arm[1] * now->distance;
    for (int c = 0; c < 3; ++c) {
        double own = moment[c] + twist * now->n[c];
        b->force[c] = along * now->n[c] + across[c];
        b->torque[0][c] = own - one * turn[c];
        b->torque[1][c] = -own - other * turn[c];
    }
    return rate;
}

// In the step at whose moment it breaks the bond acts for the first half: with half its force the sum of energies stays of second order.
SCREE_BOTH double bond_let_go(bond* b, const bond_relative* now, bool damped)
{
    double rate = bond_push(b, now, damped);
    for (int k = 0; k < 3; ++k) {
        b->force[k] *= 0.5;
        b->torque[0][k] *= 0.5;
        b->torque[1][k] *= 0.5;
    }
    return 0.5 * rate;
}

SCREE_BOTH void bond_clear_forces(bond* b)
{
    for (int k = 0; k < 3; ++k)
        b->force[k] = b->torque[0][k] = b->torque[1][k] = 0.0;
}

// Its two spheres: the vector from the second to the first, velocities and spins half a step before, and velocities and spins predicted for this moment (the same ones if there is no prediction).
typedef struct bond_ends {
    double d[3];
    double v[2][4], w[2][4], v_now[2][4], w_now[2][4];
} bond_ends;

// At the end of a step; advances false: springs stay as they are. What it dissipates per time.
SCREE_BOTH double bond_step(bond* b, const scree_sim_bond* kind, const bond_ends* ends, bool damped, bool advances, double length, int64_t step)
{
    double d[3] = {ends->d[0], ends->d[1], ends->d[2]};
    bond_relative now = bond_relative_of(d, ends->v_now, ends->w_now, b->numbers.arm);
    if (advances) {
        for (int k = 0; k < 3; ++k)
            d[k] -= 0.5 * length * (ends->v[0][k] - ends->v[1][k]);
        bond_relative half = bond_relative_of(d, ends->v, ends->w, b->numbers.arm);
        bond_advance_spring(b->words + WORD_SHEAR, &half, now.n, half.slide, length);
        bond_advance_spring(b->words + WORD_BENDING, &half, now.n, half.roll, length);
        b->words[WORD_TWISTING] += length * half.twist;
        double stretch = bond_stretch_of(b, now.distance);
        b->cause = bond_breaks(b, kind, stretch);
        if (b->cause != SCREE_BOND_HOLDS) {
            double rate = bond_let_go(b, &now, damped);
            b->broken_at = step;
            b->released = bond_energy_of(b, stretch);
            for (int w = 0; w < bond_words; ++w)
                b->words[w] = 0.0;
            return rate;
        }
    }
    return bond_push(b, &now, damped);
}

#endif
