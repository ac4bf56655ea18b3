// Velocity Verlet, one coordinate at a time: positions and angles of spheres and of bodies. With push = a dt / 2,
//
//     v = verlet_kick(v, push)          half a step on
//     x = verlet_drift(x, v, dt)        to the next moment, where forces give the next push
//     v = verlet_kick(v, push)          velocities of that moment
//
// Until its forces are known, verlet_kick with the push before predicts that velocity, for damping. pass_avx2.c does the same operations on four numbers at once.
#ifndef SCREE_SIM_VERLET_H
#define SCREE_SIM_VERLET_H

#include "base/both.h"

SCREE_BOTH double verlet_kick(double v, double push)
{
    return v + push;
}

SCREE_BOTH double verlet_drift(double x, double v, double whole)
{
    return x + whole * v;
}

#endif
