// The text of a scene as a tree of values with their places, before anybody asks what they mean.
#ifndef SCREE_FILES_YAML_TREE_H
#define SCREE_FILES_YAML_TREE_H

#include "scree/base.h"

typedef enum scene_node_kind { SCENE_SCALAR = 0, SCENE_LIST, SCENE_MAP } scene_node_kind;

typedef struct scene_node {
    scene_node_kind kind;
    bool quoted;           // a scalar in quotes, or as a block
    int32_t line, column;  // where it begins, from 1; line 0: it is in no file
    int32_t count;         // LIST: entries; MAP: keys and values
    int32_t first;         // LIST: the first entry; MAP: the first key, followed by its value; -1: none
    int32_t next;          // the next one in the same list or map; -1: none
    int64_t text, length;  // SCALAR: where its bytes are in the tree's text, closed by '\0'
    int64_t source;        // where in it the name is of what it was read from (vary.c); 0: the scene itself
} scene_node;

typedef struct scene_tree {
    const char* name;   // for messages; borrowed
    scene_node* nodes;  // [0] is the outermost
    int64_t count, capacity;
    char* text;
    int64_t text_length, text_capacity;
} scene_tree;

#define SCENE_BYTES_MAX ((size_t)4 << 20)
#define SCENE_DEPTH_MAX 16

// FORMAT with the place: not UTF-8, no YAML, empty, nested too deep, too long; anchors, aliases, tags and a second document, which are
// not supported. MEMORY. After a failure there is nothing to free.
scree_status scree_scene_tree_read(const char* name, const char* text, size_t length, scene_tree* out);
void scree_scene_tree_free(scene_tree* tree);

static inline const char* scree_scene_text(const scene_tree* tree, const scene_node* node)
{
    return tree->text + node->text;
}

static inline const char* scree_scene_source(const scene_tree* tree, const scene_node* node)
{
    return node->source != 0 ? tree->text + node->source : tree->name;
}

// For the rest of a sentence: "line 7", or with the file that is included, or the setting.
const char* scree_scene_where(const scene_tree* tree, const scene_node* node, char text[128]);

// FORMAT with the message "name:line:column: ...".
scree_status scree_scene_fail(const scene_tree* tree, const scene_node* node, const char* format, ...) SCREE_PRINTF(3, 4);

// Whether these bytes are UTF-8 without control characters (but line ends and tabs, if `lines`). If not, *at is the first that is
// wrong and *what says so.
bool scree_scene_plain(const char* text, size_t length, bool lines, size_t* at, const char** what);

#endif
