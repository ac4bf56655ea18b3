// Inserted and removed spheres in a checkpoint.
#ifndef SCREE_FILES_CHECKPOINT_FLOW_H
#define SCREE_FILES_CHECKPOINT_FLOW_H

#include "scree/checkpoint.h"

scree_status checkpoint_flow_reserve(scree_checkpoint_flow* flow, int64_t count, int64_t sum_count);  // what is there must be empty; zeroed. MEMORY: still empty
void checkpoint_flow_free(scree_checkpoint_flow* flow);
bool checkpoint_flow_is(const scree_sim_flow* flow, int32_t count);  // whether anything came or went in a simulation of so many spheres
void checkpoint_flow_copy(const scree_sim_flow* from, scree_checkpoint_flow* to);
scree_sim_flow checkpoint_flow_of(const scree_checkpoint_flow* flow);
scree_status checkpoint_flow_check(const scree_checkpoint* c, scree_status status, const char* name);
bool checkpoint_has_sphere(const scree_checkpoint* c, int64_t id);

#endif
