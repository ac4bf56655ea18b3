// The linear law with a record of each contact: its age in steps, the sum of its overlaps, and the sum of its overlaps along x. It begins when two touch and ends
// only when they are farther apart than `reach` times the largest radius; no force acts across the gap. It shows what becomes of the memory of a contact (tests compare it
// with a plain program), and how a law with memory and reach is written. The third word is odd: seen from the other sphere it has the other sign.
#ifndef SCREE_SIM_LAW_RECORD_H
#define SCREE_SIM_LAW_RECORD_H

#include "sim/law_linear.h"

enum { law_record_words = 3, law_record_directed = true };

SCREE_BOTH bool law_record_eval(const contact_in* in, double* words, contact_out* out)
{
    bool touches = in->overlap > 0.0;
    out->normal = touches ? law_spring(in) : 0.0;
    if (!touches && words[0] == 0.0)
        return false;
    if (in->advance) {
        words[0] += 1.0;
        words[1] += in->overlap;
        words[2] += in->overlap * in->n[0];
    }
    return true;
}

static inline double law_record_reach(const law_pair* with, double r)
{
    return law_own_values(with)[0] * r;
}

static inline law_row law_record_row(void)
{
    static const scree_sim_parameter parameters[] = {{.name = "reach", .unit = "largest radius", .least = 0.0, .most = 1.0, .standard = 0.05}};
    return (law_row){.name = "record", .parameters = parameters, .parameter_count = 1, .words = law_record_words, .odd = 1u << 2, .time = law_linear_time, .step = law_linear_step, .energy = law_linear_energy, .reach = law_record_reach};
}

#endif
