// Drag and local damping of one sphere (drag.c).
#ifndef SCREE_SIM_DRAG_H
#define SCREE_SIM_DRAG_H

#include "base/both.h"
#include "sim/image.h"
#include "sim/motion.h"

#include <math.h>
#include <stddef.h>

SCREE_BOTH double drag_sign(double v)
{
    return v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0;
}

// Where the medium rests. Changes the force; what both dissipate per time is added to `rate`. u: velocity half a step before, and 1 / m.
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

// The velocity of the cell at x: dH/dt times the place in it, from the middle.
SCREE_BOTH void drag_flow(const sim_cell* cell, const double middle[3], const double x[3], double out[3])
{
    const double d[3] = {x[0] - middle[0], x[1] - middle[1], x[2] - middle[2]};
    double q[3] = {0.0, 0.0, 0.0};
    for (int k = 2; k >= 0; --k) {
        double rest = d[k];
        for (int m = k + 1; m < 3; ++m)
            rest -= cell->h[k][m] * q[m];
        q[k] = cell->h[k][k] > 0.0 ? rest / cell->h[k][k] : 0.0;
    }
    for (int k = 0; k < 3; ++k)
        out[k] = (cell->rate[k][0] * q[0] + cell->rate[k][1] * q[1]) + cell->rate[k][2] * q[2];
}

// Where it moves with the cell.
SCREE_BOTH void drag_move_in_cell(const sim_drag* drag, const sim_cell* cell, const double middle[3], const double x[3], const double u[4], const double gravity[3], double half, double f[3],
                                  double rate[2])
{
    double inverse = u[3], c = drag->c + drag->per_mass / inverse, flow[3];
    drag_flow(cell, middle, x, flow);
    for (int k = 0; k < 3; ++k) {
        double v = (u[k] + half * ((f[k] * inverse + gravity[k]) + c * inverse * flow[k])) / (1.0 + c * inverse * half);
        double taken = c * (v - flow[k]);
        f[k] -= taken;
        double all = f[k] + gravity[k] / inverse, loss = drag->local * fabs(all) * drag_sign(u[k] - flow[k]);
        f[k] -= loss;
        v -= half * loss * inverse;
        rate[0] += taken * v;
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
