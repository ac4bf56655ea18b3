// The cell of a scene.
#ifndef SCREE_SCENE_CELL_H
#define SCREE_SCENE_CELL_H

#include "scene/content.h"

scree_scene_cell scree_scene_no_cell(void);  // as if nothing was said

#endif
