// The bonds of a checkpoint: memory, checks, and to and from what a simulation has.
#ifndef SCREE_FILES_CHECKPOINT_BONDS_H
#define SCREE_FILES_CHECKPOINT_BONDS_H

#include "scree/checkpoint.h"

scree_status checkpoint_bonds_reserve(scree_checkpoint_bonds* bonds, int64_t count, bool periodic);  // those that are there must be empty. MEMORY: still empty
void checkpoint_bonds_free(scree_checkpoint_bonds* bonds);
scree_status checkpoint_bonds_copy(const scree_sim_bonds* from, scree_checkpoint_bonds* to);  // into arrays of the right size. CANCELLED
void checkpoint_bonds_overwrite(const scree_sim_bonds* from, scree_checkpoint_bonds* to);     // the same, which nothing stops
scree_sim_bonds checkpoint_bonds_of(const scree_checkpoint_bonds* bonds);
scree_status checkpoint_bonds_check(const scree_checkpoint* c, scree_status status, const char* name);

#endif
