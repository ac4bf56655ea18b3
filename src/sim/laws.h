// The table of contact laws: an entry and an include for each (law.h says what a law is); and the laws of parts (grain.h), those that are used most compiled for
// themselves.
#ifndef SCREE_SIM_LAWS_H
#define SCREE_SIM_LAWS_H

#include "sim/grain.h"
#include "sim/law_linear.h"
#include "sim/law_record.h"

#define SIM_LAWS(LAW) \
    LAW(linear)       \
    LAW(record)

// Name, and the parts of the law beside damping, pull and accounts.
#define SIM_GRAINS(GRAIN)                                                                    \
    GRAIN(linear, .normal = NORMAL_LINEAR, .tangential = true)                               \
    GRAIN(linear_rolling, .normal = NORMAL_LINEAR, .tangential = true, .rolling = true)      \
    GRAIN(hertz, .normal = NORMAL_HERTZ)                                                     \
    GRAIN(mindlin, .normal = NORMAL_HERTZ, .tangential = true)                               \
    GRAIN(mindlin_rolling, .normal = NORMAL_HERTZ, .tangential = true, .rolling = true)

#define LAW(name) LAW_##name,
#define GRAIN(name, ...) GRAIN_##name,
typedef enum law_kind { SIM_LAWS(LAW) SIM_GRAINS(GRAIN) GRAIN_any, LAW_COUNT } law_kind;
#undef LAW
#undef GRAIN
enum { law_single_count = GRAIN_linear };  // how many laws SIM_LAWS lists

// Of a law of parts; all but damping, pull and accounts are constants where `kind` is one.
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

static inline law_row law_row_of(law_kind kind)
{
#define LAW(name)    \
    case LAW_##name: \
        return law_##name##_row();
    switch (kind) {
        SIM_LAWS(LAW)
    default:
        break;
    }
#undef LAW
    return (law_row){.name = NULL};
}

// These three are constants, and one function, where `kind` is a constant.
static inline __attribute__((always_inline)) int law_words(law_kind kind)
{
#define LAW(name)    \
    case LAW_##name: \
        return law_##name##_words;
    switch (kind) {
        SIM_LAWS(LAW)
    default:
        break;
    }
#undef LAW
    return 0;
}

static inline __attribute__((always_inline)) bool law_is_directed(law_kind kind)
{
#define LAW(name)    \
    case LAW_##name: \
        return law_##name##_directed;
    switch (kind) {
        SIM_LAWS(LAW)
    default:
        break;
    }
#undef LAW
    return false;
}

// The force of a contact. False: the law says that there is none.
static inline __attribute__((always_inline)) bool law_eval(law_kind kind, const contact_in* in, double* words, contact_out* out)
{
#define LAW(name)    \
    case LAW_##name: \
        return law_##name##_eval(in, words, out);
    switch (kind) {
        SIM_LAWS(LAW)
    default:
        break;
    }
#undef LAW
    out->normal = 0.0;
    return false;
}

#endif
