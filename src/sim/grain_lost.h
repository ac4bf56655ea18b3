// The energy of the springs of a contact, from its memory: lost when the contact ends.
#ifndef SCREE_SIM_GRAIN_LOST_H
#define SCREE_SIM_GRAIN_LOST_H

#include "sim/grain.h"

SCREE_BOTH double grain_square3(const double f[3])
{
    return (f[0] * f[0] + f[1] * f[1]) + f[2] * f[2];
}

// Stiffness of the tangential, rolling and twisting spring; `a`: radius of the contact, of curved ones. 0: there is none.
SCREE_BOTH void grain_spring_stiffness(law_parts parts, const law_pair* with, double a, double radius, double out[owners])
{
    const double kt = grain_is_curved(parts.normal) ? with->kt * a : with->kt;
    out[OWNER_NORMAL] = 0.0;
    out[OWNER_TANGENTIAL] = parts.tangential ? kt : 0.0;
    out[OWNER_ROLLING] = parts.rolling ? with->kr * kt : 0.0;
    out[OWNER_TWISTING] = parts.twisting == TWISTING_NONE ? 0.0 : parts.twisting == TWISTING_MARSHALL ? 0.5 * kt * a * a : with->ktw > 0.0 ? with->ktw : kt * radius * radius;
}

SCREE_BOTH void grain_spring_energies(law_parts parts, const law_pair* with, double a, double radius, const double* words, double out[owners])
{
    const grain_layout l = grain_layout_of(parts);
    double k[owners];
    grain_spring_stiffness(parts, with, a, radius, k);
    if (k[OWNER_TANGENTIAL] > 0.0)
        out[OWNER_TANGENTIAL] = 0.5 * grain_square3(words + l.friction) / k[OWNER_TANGENTIAL];
    if (k[OWNER_ROLLING] > 0.0)
        out[OWNER_ROLLING] = 0.5 * grain_square3(words + l.rolling) / k[OWNER_ROLLING];
    if (k[OWNER_TWISTING] > 0.0)
        out[OWNER_TWISTING] = 0.5 * words[l.twisting] * words[l.twisting] / k[OWNER_TWISTING];
}

#endif
