// The linear contact law: a spring and a dashpot, f = (k delta + g d(delta)/dt) n.
//
// One function for all that need it (the pass, energies, contacts as data), so that they agree to the last bit. For a pair it is always
// asked in one order, the lower rank first; the other sphere gets the same numbers with the other sign.
#ifndef SCREE_SIM_LAW_LINEAR_H
#define SCREE_SIM_LAW_LINEAR_H

#include "sim/sim_inner.h"

#include <math.h>

// g of a contact of reduced mass 1 / inverse.
static inline double law_damping(const sim_law* law, double inverse)
{
    return law->per_pair ? law->c / sqrt(inverse) : law->g;
}

// d: from the second to the first, square: of its length, reach: sum of radii; v: of the first relative to the second (damped only);
// inverse: sum of inverse masses. The force on the first is the result times d. Equal centres have no direction, so no force.
static inline double law_force(const sim_law* law, const double d[3], double square, double reach, const double v[3], double inverse)
{
    double distance = sqrt(square), force = law->k * (reach - distance);
    if (law->damped) {
        double along = (v[0] * d[0] + v[1] * d[1]) + v[2] * d[2];
        force -= law_damping(law, inverse) * (along / distance);
    }
    return distance > 0.0 ? force / distance : 0.0;
}

// The force of a wall, away from it; v: towards it.
static inline double law_wall_force(const sim_law* law, double overlap, double v, double inverse)
{
    double force = law->k * overlap;
    if (law->damped)
        force += law_damping(law, inverse) * v;
    return force;
}

#endif
