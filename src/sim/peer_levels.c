// The levels of a simulation are not part of its state, nor of any def: users have no reason to choose the levels of another program.
#include "sim/peer_levels.h"
#include "sim/sim_inner.h"

void sim_set_levels(scree_sim* sim, law_levels levels)
{
    if (law_is_single(&sim->law))
        return;
    sim->law.parts.levels = levels;
    sim->law.kind = (int32_t)law_kind_of(&sim->law);
}
