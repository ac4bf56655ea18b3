// The linear contact law: a spring and a dashpot, f = k delta + g d(delta)/dt along the normal. Two spheres of reduced mass mu that meet are half a swing of a
// damped spring:
//
//     w0 = sqrt(k / mu)    eta = g / (2 mu)    w = sqrt(w0^2 - eta^2)    t_c = pi / w    e = exp(-eta t_c)
//
// With a restitution given, g = c sqrt(mu) makes eta / w0, and so e, the same for all masses. With one constant g it can happen that light spheres are
// damped so strongly that they creep apart (eta >= w0); then what the step must resolve is their fast decay, and it is named instead of a duration.
#ifndef SCREE_SIM_LAW_LINEAR_H
#define SCREE_SIM_LAW_LINEAR_H

#include "sim/law.h"

static inline contact_time law_linear_time(const sim_law* law, const law_pair* with, double mu, double r)
{
    (void)r;
    static const double pi = 3.14159265358979323846;
    double w0 = sqrt(with->k / mu), eta = (law->per_pair ? with->c * sqrt(mu) : with->g) / (2.0 * mu);
    if (eta >= w0)
        return (contact_time){.duration = pi / (eta + sqrt(eta * eta - w0 * w0))};
    double w = sqrt(w0 * w0 - eta * eta), shortest = w;
    // With one g for all, light pairs near the critical damping swing slowly, and w is largest at mu = g^2 / 2k, where w^2 = k^2 / g^2.
    if (!law->per_pair && mu < with->g * with->g / (2.0 * with->k))
        shortest = with->k / with->g;
    return (contact_time){.duration = pi / shortest, .restitution = eta > 0.0 ? exp(-eta * pi / w) : 1.0};
}

static inline contact_step law_linear_step(const sim_law* law, const law_pair* with, const contact_weights* w)
{
    contact_step step = {.usual = INFINITY, .longest = INFINITY};
    step_follows(&step, SCREE_SIM_LIMIT_NORMAL, with->k / w->mu, law_dashpot(law, with, 1.0 / w->mu) / (2.0 * w->mu), false);
    return step;
}

static inline double law_linear_energy(const law_pair* with, double overlap, const double* words)
{
    (void)words;
    return overlap > 0.0 ? 0.5 * with->k * overlap * overlap : 0.0;
}

#endif
