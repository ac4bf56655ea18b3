// The cell of a scene.
#ifndef SCREE_FILES_SCENE_CELL_H
#define SCREE_FILES_SCENE_CELL_H

#include "scree/scene.h"

scree_scene_cell scree_scene_no_cell(void);  // as if nothing was said
void scree_scene_make_cell(const scree_scene_cell* from, scree_sim_cell* out);
bool scree_scene_has_cell(const scree_scene* scene);  // at the start or by a change

#endif
