// The linear law with a record of each contact: its age in steps, the sum of its overlaps, and the sum of its overlaps along x. It shows what becomes of
// the memory of a contact (tests compare it with a plain program), and how a law with memory is written. The third word is odd: seen from
// the other sphere it has the other sign.
#ifndef SCREE_SIM_LAW_RECORD_H
#define SCREE_SIM_LAW_RECORD_H

#include "sim/law_linear.h"

enum { law_record_words = 3, law_record_directed = true };

static inline bool law_record_eval(const contact_in* in, double* words, contact_out* out)
{
    if (in->advance) {
        words[0] += 1.0;
        words[1] += in->overlap;
        words[2] += in->overlap * in->n[0];
    }
    out->normal = law_spring(in);
    return true;
}

static inline law_row law_record_row(void)
{
    return (law_row){.name = "record", .words = law_record_words, .odd = 1u << 2, .time = law_linear_time, .energy = law_linear_energy};
}

#endif
