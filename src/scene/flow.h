// What comes and goes in a scene.
#ifndef SCREE_SCENE_FLOW_H
#define SCREE_SCENE_FLOW_H

#include "scene/content.h"

bool scree_scene_flows(const scree_scene* scene);  // whether spheres can come or go: insert, outlets, or walls or a surface that remove what passes through it

#endif
