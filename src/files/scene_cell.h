// The cell of a scene.
#ifndef SCREE_FILES_SCENE_CELL_H
#define SCREE_FILES_SCENE_CELL_H

#include "files/scene_content.h"

scree_scene_cell scree_scene_no_cell(void);  // as if nothing was said

#endif
