// Changes to a tree of values. Nodes go by their numbers, since their place in memory changes; a tree may link a node or a text from several places.
#ifndef SCREE_SCENE_TREE_EDIT_H
#define SCREE_SCENE_TREE_EDIT_H

#include "files/yaml_tree.h"

bool scree_tree_says(const scene_tree* tree, int32_t n, const char* text, size_t length);  // a scalar with this text
int32_t scree_tree_find(const scene_tree* tree, int32_t map, const char* name, size_t length);  // the value of a key; -1: the map has none, or is no map
void scree_tree_drop(scene_tree* tree, int32_t map, const char* name, size_t length);  // a key with its value, if it is there
void scree_tree_append(scene_tree* tree, int32_t to, int32_t first, int32_t last, int32_t count);  // nodes `first` to `last`, linked by next, at the end of a list or map

// MEMORY. A text, closed by '\0', and where it is; a node, which then has no next one; a new key of a map with an empty map as its value.
scree_status scree_tree_add_text(scene_tree* tree, const char* text, size_t length, int64_t* where);
scree_status scree_tree_add_node(scene_tree* tree, scene_node node, int32_t* out);
scree_status scree_tree_add_map(scene_tree* tree, int32_t map, const char* name, size_t length, int64_t source, int32_t* value);

// The key and the value behind it into a map, in place of one that is there. MEMORY
scree_status scree_tree_put(scene_tree* tree, int32_t map, int32_t key);

#endif
