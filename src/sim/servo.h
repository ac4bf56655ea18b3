// What a servo measures of one contact, as C17 and CUDA (motion.c says what servos do with the sums).
#ifndef SCREE_SIM_SERVO_H
#define SCREE_SIM_SERVO_H

#include "sim/boundary.h"
#include "sim/law.h"

// k dt and g of a contact of a sphere of radius r.
SCREE_BOTH void servo_resistance(const sim_law* law, const law_pair* with, double inverse, double r, double overlap, double step, double out[2])
{
    double a = sqrt(r * fmax(overlap, 0.0)), k = fmax(with->k, with->k2), g = 0.0;
    bool curved = (law->parts.normal == NORMAL_HERTZ || law->parts.normal == NORMAL_JKR || law->parts.normal == NORMAL_DMT);
    if (curved)
        k = 2.0 * with->young * a;
    if (law->parts.damping == DAMPING_CONSTANT)
        g = with->g;
    else if (law->parts.damping == DAMPING_RESTITUTION)
        g = curved ? with->c * sqrt(a / inverse) : with->c / sqrt(inverse);
    else if (law->parts.damping == DAMPING_VISCOELASTIC)
        g = with->g * a;
    out[0] = k * step;
    out[1] = g;
}

// Force along the direction d, or torque about it, of a contact at a point of boundary b: out[0]. out[1] and out[2] are given as resistances to translation; for a torque they become resistances to rotation. twist NULL: there is none.
SCREE_BOTH void servo_measure(bool torque, const double d[3], const sim_boundary* b, const double x[4], const boundary_point* at, const double force[3], const double* twist, double out[3])
{
    double value = (force[0] * d[0] + force[1] * d[1]) + force[2] * d[2];
    if (torque) {
        double arm[3], turn[3], square = 0.0;
        for (int k = 0; k < 3; ++k)
            arm[k] = (x[k] - at->inside * at->n[k]) - b->at[k];
        value = 0.0;
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            turn[k] = arm[l] * force[m] - arm[m] * force[l];
            if (twist != NULL)
                turn[k] += twist[k];
            double across = d[l] * arm[m] - d[m] * arm[l];
            value += turn[k] * d[k];
            square += across * across;
        }
        out[1] *= square;
        out[2] *= square;
    }
    out[0] = value;
}

#endif
