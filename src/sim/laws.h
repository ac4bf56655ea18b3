// Which functions of the passes compute which laws. Contacts of laws without history and torque are computed one by one: in batches they take 1.1 to 4.3 times as long, except with damping and AVX-512. All others go
// several at a time (grains.h), those that are used most in functions of their own. The text of all of them is that of grain_terms.h.
#ifndef SCREE_SIM_LAWS_H
#define SCREE_SIM_LAWS_H

#include "sim/grain.h"

// One by one: linear, and the laws with a header of their own.
#define SIM_SINGLES(SINGLE) \
    SINGLE(LINEAR)          \
    OWN_LAWS(SINGLE)

// Name, and the parts of the law beside damping, pull and accounts.
#define SIM_GRAINS(GRAIN)                                                                    \
    GRAIN(linear, .normal = NORMAL_LINEAR, .tangential = true)                               \
    GRAIN(linear_rolling, .normal = NORMAL_LINEAR, .tangential = true, .rolling = true)      \
    GRAIN(hertz, .normal = NORMAL_HERTZ)                                                     \
    GRAIN(mindlin, .normal = NORMAL_HERTZ, .tangential = true)                               \
    GRAIN(mindlin_rolling, .normal = NORMAL_HERTZ, .tangential = true, .rolling = true)

#define SINGLE(name) SINGLE_##name,
#define GRAIN(name, ...) GRAIN_##name,
typedef enum law_kind { SIM_SINGLES(SINGLE) SIM_GRAINS(GRAIN) GRAIN_any } law_kind;
#undef SINGLE
#undef GRAIN

// Whether contacts are computed one by one.
static inline bool law_is_single(const sim_law* law)
{
    return law->kind < (int32_t)GRAIN_linear;
}

// The terms of such a law; all but the kind of dashpot are constants where `normal` and `damped` are.
static inline __attribute__((always_inline)) law_parts single_parts(law_normal normal, bool damped, const sim_law* law)
{
    return (law_parts){.normal = normal, .damping = !damped ? DAMPING_NONE : law->parts.damping == DAMPING_RESTITUTION ? DAMPING_RESTITUTION : DAMPING_CONSTANT};
}

// Of a law in batches; all but damping, pull and accounts are constants where `kind` is one.
static inline __attribute__((always_inline)) law_parts grain_parts(law_kind kind, const sim_law* law)
{
#define GRAIN(name, ...) \
    case GRAIN_##name:   \
        return (law_parts){.damping = law->parts.damping, .no_pull = law->parts.no_pull, .accounts = law->parts.accounts, __VA_ARGS__};
    switch (kind) {
        SIM_GRAINS(GRAIN)
    default:
        return law->parts;
    }
#undef GRAIN
}

// The one that is compiled for these parts, or GRAIN_any.
static inline law_kind grain_kind_of(const sim_law* law)
{
    law_parts parts = law->parts;
#define GRAIN(name, ...)                                                                                                                    \
    {                                                                                                                                       \
        law_parts its = grain_parts(GRAIN_##name, law);                                                                                     \
        if (its.normal == parts.normal && its.tangential == parts.tangential && its.rolling == parts.rolling && its.twisting == parts.twisting && \
            its.bridge == parts.bridge && its.levels == parts.levels)                                                                       \
            return GRAIN_##name;                                                                                                            \
    }
    SIM_GRAINS(GRAIN)
#undef GRAIN
    return GRAIN_any;
}

// The functions for a law with all its terms.
static inline law_kind law_kind_of(const sim_law* law)
{
    const law_parts* parts = &law->parts;
#define SINGLE(name)        \
    case NORMAL_##name:     \
        return SINGLE_##name;
    if (!grain_turns(*parts) && !parts->bridge && !parts->no_pull && !parts->accounts && parts->levels == LEVELS_HALF)
        switch (parts->normal) {
            SIM_SINGLES(SINGLE)
        default:
            break;
        }
#undef SINGLE
    return grain_kind_of(law);
}

#endif
