// The numbers of a linear spring and dashpot, from what a user gives: the same for spheres and for polygons.
//
// Two of reduced mass mu that meet touch for a time t_c and part with the coefficient of restitution e (law_linear.h). Given t_c and e, or t_c and a dashpot g,
//
//     k = mu (pi^2 / t_c^2 + loss^2)      loss = ln e / t_c, or g / (2 mu)
//
// and given e, the dashpot is g = c sqrt(mu) with c = 2 sqrt(k) |ln e| / sqrt(pi^2 + ln^2 e). The time step is a fiftieth of the shortest contact, and at most a tenth.
#ifndef SCREE_SIM_SPRING_H
#define SCREE_SIM_SPRING_H

#include "sim/law.h"

#include <float.h>

typedef struct spring_given {
    const char* whose;  // begins messages: "sim", "polygons"
    double material_density;
    double stiffness, contact_duration;  // 0: not given
    double damping, restitution;         // 0: not given
    double step;        // 0: automatic
} spring_given;

static inline bool spring_is_above(double value)
{
    return value > 0.0 && value <= DBL_MAX;
}

scree_status spring_check(const spring_given* given);  // each by itself, and damping with restitution. ARGUMENT
double spring_stiffness(const spring_given* given, double mu);  // as given, or such that two of reduced mass mu touch for contact_duration
law_pair spring_pair(double stiffness, double damping, double restitution);

// `longest` that is accepted and `step`, from the shortest contact; the caller, who can name it, compares the two. ARGUMENT: no step comes out.
scree_status spring_step(const spring_given* given, double shortest, double* longest, double* step);

#endif
