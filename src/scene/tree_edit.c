// Changes to a tree of values.
#include "scene/tree_edit.h"

#include "base/array.h"

#include <string.h>

static scene_node* at(const scene_tree* tree, int32_t n)
{
    return &tree->nodes[n];
}

bool scree_tree_says(const scene_tree* tree, int32_t n, const char* text, size_t length)
{
    const scene_node* node = at(tree, n);
    return node->kind == SCENE_SCALAR && (size_t)node->length == length && memcmp(scree_scene_text(tree, node), text, length) == 0;
}

// What links to a key of a map, and where it would be linked otherwise.
static int32_t* link_of(const scene_tree* tree, int32_t map, const char* name, size_t length)
{
    int32_t* link = &at(tree, map)->first;
    while (*link >= 0 && !scree_tree_says(tree, *link, name, length))
        link = &at(tree, at(tree, *link)->next)->next;
    return link;
}

int32_t scree_tree_find(const scene_tree* tree, int32_t map, const char* name, size_t length)
{
    const int32_t key = at(tree, map)->kind == SCENE_MAP ? *link_of(tree, map, name, length) : -1;
    return key >= 0 ? at(tree, key)->next : -1;
}

void scree_tree_drop(scene_tree* tree, int32_t map, const char* name, size_t length)
{
    int32_t* link = link_of(tree, map, name, length);
    if (*link < 0)
        return;
    *link = at(tree, at(tree, *link)->next)->next;
    at(tree, map)->count -= 2;
}

void scree_tree_append(scene_tree* tree, int32_t to, int32_t first, int32_t last, int32_t count)
{
    int32_t* link = &at(tree, to)->first;
    while (*link >= 0)
        link = &at(tree, *link)->next;
    *link = first;
    at(tree, last)->next = -1;
    at(tree, to)->count += count;
}

scree_status scree_tree_add_text(scene_tree* tree, const char* text, size_t length, int64_t* where)
{
    if (SCREE_RESERVE(tree->text, tree->text_capacity, tree->text_length + (int64_t)length + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    *where = tree->text_length;
    memcpy(tree->text + tree->text_length, text, length);
    tree->text_length += (int64_t)length;
    tree->text[tree->text_length++] = '\0';
    return SCREE_OK;
}

scree_status scree_tree_add_node(scene_tree* tree, scene_node node, int32_t* out)
{
    if (SCREE_RESERVE(tree->nodes, tree->capacity, tree->count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    *out = (int32_t)tree->count++;
    node.next = -1;
    *at(tree, *out) = node;
    return SCREE_OK;
}

scree_status scree_tree_add_map(scene_tree* tree, int32_t map, const char* name, size_t length, int64_t source, int32_t* value)
{
    scene_node key = {.kind = SCENE_SCALAR, .source = source, .first = -1, .length = (int64_t)length};
    int32_t node = -1;
    scree_status status = scree_tree_add_text(tree, name, length, &key.text);
    if (status == SCREE_OK)
        status = scree_tree_add_node(tree, key, &node);
    if (status == SCREE_OK)
        status = scree_tree_add_node(tree, (scene_node){.kind = SCENE_MAP, .source = source, .first = -1}, value);
    if (status != SCREE_OK)
        return status;
    at(tree, node)->next = *value;
    scree_tree_append(tree, map, node, *value, 2);
    return SCREE_OK;
}

scree_status scree_tree_put(scene_tree* tree, int32_t map, int32_t key)
{
    const char* name = scree_scene_text(tree, at(tree, key));
    int32_t there = *link_of(tree, map, name, strlen(name)), value = -1, copy = -1;
    scree_status status = scree_tree_add_node(tree, *at(tree, at(tree, key)->next), &value);
    if (status != SCREE_OK)
        return status;
    if (there >= 0) {
        at(tree, value)->next = at(tree, at(tree, there)->next)->next;
        at(tree, there)->next = value;
        return SCREE_OK;
    }
    status = scree_tree_add_node(tree, *at(tree, key), &copy);
    if (status != SCREE_OK)
        return status;
    at(tree, copy)->next = value;
    scree_tree_append(tree, map, copy, value, 2);
    return SCREE_OK;
}
