// Drag and local damping of one sphere (drag.c), where the medium rests.
#ifndef SCREE_SIM_DRAG_H
#define SCREE_SIM_DRAG_H

#include "base/both.h"
#include "sim/motion.h"

#include <math.h>
#include <stddef.h>

SCREE_BOTH double drag_sign(double v)
{
    return v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0;
}

// Changes the force; what both dissipate per time is added to `rate`. u: velocity half a step before, and 1 / m.
SCREE_BOTH void drag_move(const sim_drag* drag, const double u[4], const double gravity[3], double half, double f[3], double rate[2])
{
    double inverse = u[3], c = drag->c + drag->per_mass / inverse;
    for (int k = 0; k < 3; ++k) {
        double v = (u[k] + half * (f[k] * inverse + gravity[k])) / (1.0 + c * inverse * half);
        f[k] -= c * v;
        double all = f[k] + gravity[k] / inverse, loss = drag->local * fabs(all) * drag_sign(u[k]);
        f[k] -= loss;
        v -= half * loss * inverse;
        rate[0] += c * v * v;
        rate[1] += loss * v;
    }
}

// The same of its spin, with 1 / moment of inertia, and the torque.
SCREE_BOTH void drag_turn(const sim_drag* drag, const double spin[4], double half, double t[3], double rate[2])
{
    double light = spin[3], turn = drag->c_spin + drag->per_mass / light;
    for (int k = 0; k < 3; ++k) {
        double w = (spin[k] + half * (t[k] * light)) / (1.0 + turn * light * half);
        t[k] -= turn * w;
        double loss = drag->local * fabs(t[k]) * drag_sign(spin[k]);
        t[k] -= loss;
        w -= half * loss * light;
        rate[0] += turn * w * w;
        rate[1] += loss * w;
    }
}

#endif
