// Single values of a scene: what was found, and what was expected.
#ifndef SCREE_SCENE_VALUE_H
#define SCREE_SCENE_VALUE_H

#include "scene/scene_inner.h"

// A value that a key cannot have. `entry` counts from 1 inside a list; 0: the value itself.
scree_status scree_scene_reject(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t entry);

// A number in the range of the key, a whole one, and one of its words. FORMAT.
scree_status scree_scene_number(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t entry,
                                double* value);
scree_status scree_scene_whole(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int64_t* value);
scree_status scree_scene_word(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t entry,
                              int32_t* value);

// Whether it is a scalar with just this text.
bool scree_scene_says(const scene_reader* reader, const scene_node* node, const char* text);

// Seconds: a number with an s behind it.
bool scree_scene_seconds(const scene_reader* reader, const scene_node* node, double* value);

#endif
