// For comparisons in tests only: friction with the time levels and lever arms of LAMMPS instead of ours.
#ifndef SCREE_SIM_PEER_LEVELS_H
#define SCREE_SIM_PEER_LEVELS_H

#include "sim/law.h"

// From the next step on; set it before the first. Laws that are not put together from parts (law.h) have no levels and stay as they are.
void sim_set_levels(scree_sim* sim, law_levels levels);

#endif
