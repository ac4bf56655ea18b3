// The table of contact laws: an entry and an include for each (law.h says what a law is).
#ifndef SCREE_SIM_LAWS_H
#define SCREE_SIM_LAWS_H

#include "sim/law_linear.h"
#include "sim/law_record.h"

#define SIM_LAWS(LAW) \
    LAW(linear)       \
    LAW(record)

#define LAW(name) LAW_##name,
typedef enum law_kind { SIM_LAWS(LAW) LAW_COUNT } law_kind;
#undef LAW

static inline law_row law_row_of(law_kind kind)
{
#define LAW(name)    \
    case LAW_##name: \
        return law_##name##_row();
    switch (kind) {
        SIM_LAWS(LAW)
    case LAW_COUNT:
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
    case LAW_COUNT:
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
    case LAW_COUNT:
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
    case LAW_COUNT:
        break;
    }
#undef LAW
    out->normal = 0.0;
    return false;
}

#endif
