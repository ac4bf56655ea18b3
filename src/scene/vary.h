// What is done with the values of a scene before their keys are looked up: included files, values that a caller sets, parameters.
#ifndef SCREE_SCENE_VARY_H
#define SCREE_SCENE_VARY_H

#include "files/yaml_tree.h"

// `settings`: "contact.friction=0.4", in this order. FORMAT with the place, IO, MEMORY; the tree is then still to be freed.
scree_status scree_scene_vary(scene_tree* tree, int32_t count, const char* const* settings);

#endif
