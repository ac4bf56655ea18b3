// The energy of the springs of a contact, from its memory: lost when the contact ends.
#ifndef SCREE_SIM_GRAIN_LOST_H
#define SCREE_SIM_GRAIN_LOST_H

#include "sim/grain.h"

SCREE_BOTH double grain_square3(const double f[3])
{
    return (f[0] * f[0] + f[1] * f[1]) + f[2] * f[2];
}

// Tangential, rolling and twisting springs; `a`: radius of the contact, of curved ones.
SCREE_BOTH void grain_spring_energies(law_parts parts, const law_pair* with, double a, double radius, const double* words, double out[owners])
{
    const grain_layout l = grain_layout_of(parts);
    double kt = grain_is_curved(parts.normal) ? with->kt * a : with->kt, kr = with->kr * kt;
    double ktw = parts.twisting == TWISTING_MARSHALL ? 0.5 * kt * a * a : with->ktw > 0.0 ? with->ktw : kt * radius * radius;
    if (l.friction >= 0 && kt > 0.0)
        out[OWNER_TANGENTIAL] = 0.5 * grain_square3(words + l.friction) / kt;
    if (l.rolling >= 0 && kr > 0.0)
        out[OWNER_ROLLING] = 0.5 * grain_square3(words + l.rolling) / kr;
    if (l.twisting >= 0 && ktw > 0.0)
        out[OWNER_TWISTING] = 0.5 * words[l.twisting] * words[l.twisting] / ktw;
}

#endif
