// Normal forces with a header of their own (OWN_LAWS, law.h). Where `normal` is a constant so are these, and the call is that of one function.
#ifndef SCREE_SIM_OWN_LAWS_H
#define SCREE_SIM_OWN_LAWS_H

#include "sim/law_record.h"

SCREE_BOTH bool law_is_own(law_normal normal)
{
    return normal > NORMAL_LAST;
}

// Doubles that a contact remembers.
SCREE_BOTH_INLINE int own_words(law_normal normal)
{
#define LAW(name)       \
    case NORMAL_##name: \
        return law_##name##_words;
    switch (normal) {
        OWN_LAWS(LAW)
    default:
        return 0;
    }
#undef LAW
}

SCREE_BOTH_INLINE bool own_is_directed(law_normal normal)
{
#define LAW(name)       \
    case NORMAL_##name: \
        return law_##name##_directed;
    switch (normal) {
        OWN_LAWS(LAW)
    default:
        return false;
    }
#undef LAW
}

// The force of a contact. False: the law says that there is none.
SCREE_BOTH_INLINE bool own_eval(law_normal normal, const contact_in* in, double* words, contact_out* out)
{
#define LAW(name)       \
    case NORMAL_##name: \
        return law_##name##_eval(in, words, out);
    switch (normal) {
        OWN_LAWS(LAW)
    default:
        break;
    }
#undef LAW
    out->normal = 0.0;
    return false;
}

static inline law_row own_row(law_normal normal)
{
#define LAW(name)       \
    case NORMAL_##name: \
        return law_##name##_row();
    switch (normal) {
        OWN_LAWS(LAW)
    default:
        return (law_row){.name = NULL};
    }
#undef LAW
}

#endif
