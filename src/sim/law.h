// Contact laws: what two spheres, or a sphere and a boundary, do to each other while they touch. A law is put together from terms (grain.h).
//
// A further normal force is one header, law_NAME.h, with an entry in OWN_LAWS and an include in own_laws.h. The header has
//
//     enum { law_NAME_words = 2, law_NAME_directed = false };
//     SCREE_BOTH bool law_NAME_eval(const contact_in* in, double* words, contact_out* out);
//     static inline law_row law_NAME_row(void);
//
// `eval` is compiled into the pass of every instruction set, so that a step has no indirect call per contact. It uses + - * / and sqrt only, and is
// exactly odd or even in everything that changes its sign when the two are exchanged: a contact may be computed from either side, and once or twice.
//
// What a contact remembers is `words` doubles. They are zero when it begins, and eval changes them if in->advance: exactly once per step. Looking at forces in
// between changes nothing.
#ifndef SCREE_SIM_LAW_H
#define SCREE_SIM_LAW_H

#include "base/both.h"
#include "scree/sim.h"

#include <math.h>
#include <stddef.h>

enum { law_words_most = 16 };

// Normal forces with a header of their own.
#define OWN_LAWS(LAW) \
    LAW(record)

// The order is that of law_normal_names.
#define LAW(name) NORMAL_##name,
typedef enum law_normal { NORMAL_LINEAR, NORMAL_HERTZ, NORMAL_JKR, NORMAL_DMT, NORMAL_PLASTIC, NORMAL_LAST = NORMAL_PLASTIC, OWN_LAWS(LAW) NORMAL_COUNT } law_normal;
#undef LAW
typedef enum law_damping { DAMPING_NONE, DAMPING_CONSTANT, DAMPING_RESTITUTION, DAMPING_VISCOELASTIC } law_damping;
typedef enum law_twisting { TWISTING_NONE, TWISTING_SPRING, TWISTING_MARSHALL } law_twisting;
typedef enum law_levels {  // whose moments and lever arms are taken
    LEVELS_HALF,           // ours
    LEVELS_CLASSIC,        // as in the pair style gran/hooke/history of LAMMPS, for comparisons in tests
    LEVELS_MODERN          // as in its pair style granular, for comparisons in tests
} law_levels;

typedef struct law_parts {
    law_normal normal;
    law_damping damping;
    bool no_pull;
    bool tangential, rolling;
    law_twisting twisting;
    bool bridge;
    law_levels levels;
    bool accounts;      // it adds up energies
} law_parts;

// What a law needs of two materials. E* and G* are the effective moduli, a the radius of the contact area.
typedef struct law_pair {
    double k;       // spring
    double g;       // dashpot; viscoelastic: over a; or
    double c;       // with sim_law.per_pair: g = c sqrt(mu), of hertz, jkr and dmt c sqrt(mu a)
    double hertz;   // 4/3 E*
    double kt, gt;  // tangential spring, of hertz, jkr and dmt over a; tangential dashpot over the normal one
    double mu, mu_dynamic;
    double kr, gr, mu_r;   // rolling spring and dashpot over the tangential ones
    double ktw, gtw, mu_tw;  // twisting spring, 0: kt R*^2; its dashpot over the tangential one times R*^2
    double young;   // E*
    double root;    // sqrt(pi gamma / E*)
    double pull;    // largest pull over R*
    double k2, kc;  // plastic
    double depth;   // overlap over R* at which unloading has k2
    double bridge;  // pull of a liquid bridge over R* while they touch
    double per_root;  // sqrt(2 / volume)
    double rupture;   // gap at which it breaks; 0: this pair has none
} law_pair;

// A contact of two that meet.
typedef struct contact_time {
    double duration;     // or pi over the decay rate
    double restitution;  // 0: they creep apart
} contact_time;

// How easily forces and torques move two that touch.
typedef struct contact_weights {
    double mu;     // reduced mass
    double r;      // reduced radius
    double arms;   // sum of r^2 over moment of inertia: how much friction turns them, per force
    double turns;  // sum of 1 over moment of inertia
} contact_weights;

// What the step must follow beside the duration of contacts.
typedef struct contact_step {
    double usual, longest;
    scree_sim_limit part;  // that asks for the longest one
} contact_step;

// Values of the parameters that only this law has, in the order of its row: members of other laws hold them.
enum { law_own_most = 8 };

SCREE_BOTH const double* law_own_values(const law_pair* with)
{
    return &with->hertz;
}

struct sim_law;

typedef struct law_row {
    const char* name;
    const scree_sim_parameter* parameters;  // that only this law has: parameter_count of them, at most law_own_most
    int32_t parameter_count;
    int32_t words;  // doubles that a contact remembers
    uint32_t odd;   // bit w: word w changes its sign when the two are exchanged
    contact_time (*time)(const struct sim_law* law, const law_pair* with, double mu, double r);  // of reduced mass mu and radius r; the shortest that there can be
    contact_step (*step)(const struct sim_law* law, const law_pair* with, const contact_weights* w);  // what else limits the time step; NULL: nothing
    double (*energy)(const law_pair* with, double overlap, const double* words);  // held by the contact. NULL: as its terms say (grain_energy)
    double (*reach)(const law_pair* with, double r);  // the widest gap at which a contact of a sphere up to radius r can still hold; NULL: it ends at 0
} law_row;

typedef struct sim_law {
    int32_t kind;       // law_kind (laws.h): which functions of the passes compute it
    law_row row;
    double reach;       // of the widest
    bool damped;        // it looks at velocities
    bool per_pair;
    bool turns;         // it makes torques
    law_parts parts;
    double speed;       // at which spheres meet; for the time of contacts that depends on it
    int32_t dim;
    int32_t materials;  // 1: all pairs are `one`
    law_pair one;
    law_pair* many;     // [a * materials + b]; NULL: one
} sim_law;

// Of sphere i with material b; of spheres i and j. `material` is not looked at where all pairs are one.
SCREE_BOTH const law_pair* law_with_material(const sim_law* law, const uint16_t* material, int32_t i, int32_t b)
{
    return law->many == NULL ? &law->one : &law->many[(int64_t)material[i] * law->materials + b];
}

SCREE_BOTH const law_pair* law_with(const sim_law* law, const uint16_t* material, int32_t i, int32_t j)
{
    return law->many == NULL ? &law->one : law_with_material(law, material, i, material[j]);
}

typedef struct contact_in {
    const law_pair* with;
    double overlap;  // sum of radii less distance of centres; of a boundary: radius less distance
    bool damped;     // it has a dashpot
    double dashpot;  // of the normal. Only if damped
    double along;    // velocity of the first relative to the second along the normal: above 0 they part. Only if damped
    double n[3];     // from the second to the first, length 1. Only if law_NAME_directed
    bool advance;    // words go on by a step; else they are looked at
} contact_in;

typedef struct contact_out {
    double normal;   // force on the first along the normal
} contact_out;

// A spring and a dashpot of angular frequency w0 and decay rate eta = g / 2m, in the scheme of the step. With velocities predicted from the step before, oscillations grow if
// (w0 dt)^2 + 8 eta dt > 4, so that the limit is dt = 2 / (2 eta + sqrt(4 eta^2 + w0^2)): 2 / w0 without a dashpot, m / g without a spring. The step is at most half of it, and 0.3 of
// it by default: spheres in a packing have several contacts. `resolved`: across the normal, where no contact ends by the spring, 5 steps in half a swing are the least, and 25 usual.
static inline void step_follows(contact_step* step, scree_sim_limit part, double square, double eta, bool resolved)
{
    double rate = 2.0 * eta + sqrt(4.0 * eta * eta + square), stable = rate > 0.0 ? 2.0 / rate : INFINITY;
    double half = resolved && square > 0.0 ? 3.14159265358979323846 / sqrt(square) : INFINITY, longest = fmin(half / 5.0, 0.5 * stable);
    step->usual = fmin(step->usual, fmin(half / 25.0, 0.3 * stable));
    if (!(longest < step->longest))
        return;
    step->longest = longest;
    step->part = part;
}

// The dashpot of two with this sum of inverse masses.
SCREE_BOTH double law_dashpot(const sim_law* law, const law_pair* with, double inverse)
{
    return law->per_pair ? with->c / sqrt(inverse) : with->g;
}

// A linear spring and its dashpot.
SCREE_BOTH double law_spring(const contact_in* in)
{
    double force = in->with->k * in->overlap;
    if (in->damped)
        force -= in->dashpot * in->along;
    return force;
}

#endif
