// The terms of contact laws: a normal force (linear, Hertz, JKR, DMT, plastic) with damping, friction, resistance to rolling and to twisting, liquid bridges. docs/laws.md has the
// formulas; these are they, for several contacts at a time.
//
// Friction, rolling and twisting are each a spring, a dashpot and a slider. What a contact remembers of a spring is its force, or torque, not its length: where the
// stiffness changes with the contact (Hertz), no closed path then gains energy. Springs use the normal, the velocities and the
// spins at the middle of the step, so that a sphere that rolls does not creep; dashpots use the values at the end of the step.
//
// Exchange of the two spheres turns n, velocities and friction round, exactly; rolling velocities, rolling forces and twisting torques stay as they are.
#ifndef SCREE_SIM_GRAIN_H
#define SCREE_SIM_GRAIN_H

#include "sim/lanes.h"
#include "sim/own_laws.h"

#include <stddef.h>

// Kinds of energy with an owner.
enum { OWNER_NORMAL, OWNER_TANGENTIAL, OWNER_ROLLING, OWNER_TWISTING, owners };

// Where a contact keeps what: -1 if it does not.
typedef struct grain_layout {
    int friction;  // 3: force of the spring; then 1: whether it slides
    int radius;    // 1: a, or of JKR its root
    int rolling;   // 3: force of the spring
    int twisting;  // 1: torque of the spring
    int normal;    // plastic: 2, largest overlap and last overlap; bridge: 1, last gap; a law with a header of its own: all of it
    int words;
} grain_layout;

LANES_INLINE bool grain_is_curved(law_normal normal)  // a contact area of radius a, with which the stiffness of tangential springs changes
{
    return normal == NORMAL_HERTZ || normal == NORMAL_JKR || normal == NORMAL_DMT;
}

LANES_INLINE bool grain_reaches(law_parts parts)  // contacts can hold across a gap
{
    return parts.normal == NORMAL_JKR || parts.bridge || law_is_own(parts.normal);
}

LANES_INLINE bool grain_turns(law_parts parts)
{
    return parts.tangential || parts.rolling || parts.twisting != TWISTING_NONE;
}

LANES_INLINE bool grain_twists(law_parts parts)  // torques that no force makes
{
    return parts.rolling || parts.twisting != TWISTING_NONE;
}

LANES_INLINE grain_layout grain_layout_of(law_parts parts)
{
    grain_layout l = {.friction = -1, .radius = -1, .rolling = -1, .twisting = -1, .normal = -1};
    bool springs = grain_turns(parts);
    if (parts.tangential) {
        l.friction = l.words;
        l.words += 4;
    }
    if (parts.normal == NORMAL_JKR || (springs && grain_is_curved(parts.normal)) || parts.twisting == TWISTING_MARSHALL)
        l.radius = l.words++;
    if (parts.rolling) {
        l.rolling = l.words;
        l.words += 3;
    }
    if (parts.twisting != TWISTING_NONE)
        l.twisting = l.words++;
    if (parts.normal == NORMAL_PLASTIC || parts.bridge) {
        l.normal = l.words;
        l.words += parts.normal == NORMAL_PLASTIC ? 2 : 1;
    }
    if (own_words(parts.normal) > 0) {
        l.normal = l.words;
        l.words += own_words(parts.normal);
    }
    return l;
}

enum { law_values = sizeof(law_pair) / sizeof(double) };

#define WITH(in, field) ((in)->with[offsetof(law_pair, field) / sizeof(double)])

#include "sim/grain_terms.h"

// grain.c
extern const char* const law_normal_names[NORMAL_COUNT];
law_row grain_row(const law_parts* parts);
law_pair grain_pair(const law_parts* parts, const scree_sim_pair* given, bool mindlin, const scree_sim_material* a, const scree_sim_material* b);
double grain_overlap_expected(const sim_law* law, const law_pair* with, double mu, double r);  // of two that meet with law->speed; 0: not known

// What the springs of one contact hold, words seen from either side.
void grain_energy(const sim_law* law, const law_pair* with, double overlap, double radius, const double* words, double out[owners]);
void grain_settle(const sim_law* law, const law_pair* with, double overlap, double radius, double* words);  // words that follow from the overlap alone, as a step would leave them
double grain_bridge_work(const law_pair* with, double radius, double gap);  // of pulling a liquid bridge from this gap to its end
void grain_lost(const sim_law* law, const law_pair* with, double radius, const double* words, double out[owners]);  // when a contact with these words has ended

#endif
