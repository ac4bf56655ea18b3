// A batch of contacts for output, with AVX2: called only where the machine has it. The same bits as grains_of_pairs of contact_output.c.
#define GRAINS_INLINE
#include "sim/grains.h"

void sim_look_avx2(const sim_pass* pass, const lanes* with, grain_batch* batch)
{
    grains_of_pairs(pass, with, NULL, pass->law.parts, pass->mode != SIM_REST, true, false, batch, 1);
}
