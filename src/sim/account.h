// Energies that are dissipated, and works, of one step, as sums that do not depend on any order (sums.h); and how the sums of a step go into the accounts of a run.
//
// One term each: of a contact its power of dissipation by owner, what it has lost at once by owner, the power of its boundary, force times shift; of a sphere the power of gravity, of external forces, of what
// drives it, of drag and of local damping. Terms are computed in the same way everywhere, so that the sums are the same bits for any backend, thread, process and lane.
#ifndef SCREE_SIM_ACCOUNT_H
#define SCREE_SIM_ACCOUNT_H

#include "sim/grain.h"
#include "sim/sums.h"

// Energies that are added up: what is dissipated by owner, then work.
enum { WORK_WALLS = owners, sim_works, WORK_GRAVITY = sim_works, WORK_FORCES, sim_accounts };

// The sums of a pass.
typedef enum energy_kind {
    ENERGY_RATE = 0,                       // sim_works: per time
    ENERGY_BEFORE = ENERGY_RATE + sim_works,  // 2: power of gravity and of external forces with the velocities before the pass,
    ENERGY_AFTER = ENERGY_BEFORE + 2,      // 2: and after it
    ENERGY_DRAG = ENERGY_AFTER + 2,        // 2: dissipated per time by drag and by local damping
    ENERGY_BONDS = ENERGY_DRAG + 2,        // 1: dissipated per time by bonds
    ENERGY_POWERS = ENERGY_BONDS + 1,      // so far: energies per time
    ENERGY_LOST = ENERGY_POWERS,           // owners: at once
    ENERGY_PAID = ENERGY_LOST + owners,    // 1: at once, the work of a cell that moves
    ENERGY_IMAGES = ENERGY_PAID + 1,       // 6: of a cell that moves, force times shift over contacts with images, by the entries of dH/dt; times these it is power
    ENERGY_COUNT = ENERGY_IMAGES + 6
} energy_kind;

typedef struct energy_sums {
    sim_sum of[ENERGY_COUNT];
    uint64_t beyond;
} energy_sums;

typedef struct energy_scales {
    sum_scale power, energy, force;
} energy_scales;

SCREE_BOTH const sum_scale* energy_scale(const energy_scales* s, int kind)
{
    return kind < ENERGY_POWERS ? &s->power : kind < ENERGY_IMAGES ? &s->energy : &s->force;
}

// The sums of energy_sums are always carried.
SCREE_BOTH void energy_add(const energy_scales* s, int kind, double term, energy_sums* sums)
{
    sum_add(energy_scale(s, kind), term, &sums->of[kind], &sums->beyond);
    sum_carry(&sums->of[kind]);
}

SCREE_BOTH void energy_join(energy_sums* sums, const energy_sums* more)
{
    for (int k = 0; k < ENERGY_COUNT; ++k)
        sum_join(&sums->of[k], &more->of[k]);
    sums->beyond |= more->beyond;
}

SCREE_BOTH void energy_values(const energy_scales* s, const energy_sums* sums, double out[ENERGY_COUNT])
{
    for (int k = 0; k < ENERGY_COUNT; ++k)
        out[k] = sum_value(energy_scale(s, k), &sums->of[k]);
}

// The sums of a pass, as energy_values gives them, into the accounts: energies so far, then what the next step adds first of each. `half`: half a step. `ends`: the pass ends a step, `begins`: it begins one.
// Work and dissipation of a force that changes smoothly count half before the moment, half after it.
SCREE_BOTH void energy_book(const double sums[ENERGY_COUNT], double half, bool ends, bool begins, double account[2 * sim_accounts])
{
    for (int owner = 0; owner < owners; ++owner)
        account[owner] += sums[ENERGY_LOST + owner];
    account[WORK_WALLS] += sums[ENERGY_PAID];
    for (int w = 0; w < sim_works; ++w) {
        double share = sums[ENERGY_RATE + w] * half;
        if (ends)
            account[w] += share;
        if (begins)
            account[w] += share;
        account[sim_accounts + w] = begins ? 0.0 : share;
    }
    for (int k = 0; k < 2 && ends; ++k) {
        account[WORK_GRAVITY + k] += sums[ENERGY_BEFORE + k] * half;
        account[WORK_GRAVITY + k] += sums[ENERGY_AFTER + k] * half;
    }
}

#endif
