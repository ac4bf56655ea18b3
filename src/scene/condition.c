// Conditions: time.until and changes.when. Which quantities there are depends on the columns of the log, so that names are checked when the run begins (run/conditions.c).
#include "scene/scene_inner.h"

#include "base/argument.h"
#include "scene/value.h"

#include <math.h>
#include <string.h>

enum { EVERY_STEPS = 100, TERMS_MOST = 32 };

static const scene_node* node_at(const scene_reader* reader, int32_t n)
{
    return n >= 0 ? &reader->tree->nodes[n] : NULL;
}

static scree_status read_number(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, const char* name, double* value)
{
    scree_status status = scree_scene_number(reader, key, node, 1, value);
    if (status == SCREE_ERR_FORMAT && node->kind == SCENE_SCALAR)
        return scree_scene_fail(reader->tree, node, "%s.%s is '%.60s'; expected a number, or {above: 5}", key->path, name, scree_scene_text(reader->tree, node));
    return status;
}

static scree_status read_limit(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scree_scene_term* term)
{
    term->above = node->kind == SCENE_MAP;
    if (!term->above)
        return read_number(reader, key, node, term->name, &term->limit);
    const scene_node* side = node_at(reader, node->first);
    if (node->count != 2 || strcmp(scree_scene_text(reader->tree, side), "above") != 0)
        return scree_scene_fail(reader->tree, side != NULL ? side : node, "%s.%s: expected a number, which the quantity must fall below, or {above: 5}", key->path, term->name);
    return read_number(reader, key, node_at(reader, side->next), term->name, &term->limit);
}

static scree_status read_every(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int64_t* steps)
{
    scree_status status = scree_scene_whole(reader, key, node, steps);
    if ((status == SCREE_OK && *steps < 1) || (status == SCREE_ERR_FORMAT && node->kind == SCENE_SCALAR))
        status = scree_scene_fail(reader->tree, node, "%s.every_steps is %s; expected a whole number, 1 or more", key->path, scree_scene_text(reader->tree, node));
    return status;
}

scree_status scree_scene_read_condition(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scree_scene_condition* to)
{
    if (node->kind != SCENE_MAP)
        return scree_scene_reject(reader, key, node, 0);
    if (node->count > 2 * TERMS_MOST)
        return scree_scene_fail(reader->tree, node, "%s has %d keys; expected at most %d", key->path, (int)node->count / 2, TERMS_MOST);
    to->every_steps = EVERY_STEPS;
    to->terms = scree_calloc((size_t)node->count / 2 + 1, sizeof *to->terms);
    if (to->terms == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = SCREE_OK;
    for (const scene_node* name = node_at(reader, node->first); name != NULL && status == SCREE_OK;) {
        const scene_node* value = node_at(reader, name->next);
        if (strcmp(scree_scene_text(reader->tree, name), "every_steps") == 0) {
            status = read_every(reader, key, value, &to->every_steps);
        } else {
            scree_scene_term* term = &to->terms[to->count++];
            size_t room = (size_t)name->length + 1;
            term->name = scree_malloc(room, 1);
            if (term->name != NULL)
                memcpy(term->name, scree_scene_text(reader->tree, name), room);
            for (int32_t n = 0; n + 1 < to->count && term->name != NULL && status == SCREE_OK; ++n)
                if (strcmp(to->terms[n].name, term->name) == 0)
                    status = scree_scene_fail(reader->tree, name, "%s names %.60s twice; expected it once", key->path, term->name);
            if (status != SCREE_OK)
                return status;
            status = term->name != NULL ? read_limit(reader, key, value, term) : SCREE_ERR_MEMORY;
        }
        name = node_at(reader, value->next);
    }
    if (status == SCREE_OK && to->count == 0)
        status = scree_scene_fail(reader->tree, node, "%s names no quantity; expected one, like kinetic_over_contact: 1e-4", key->path);
    return status;
}

void scree_scene_put_condition(scene_writer* w, const scree_scene_condition* condition)
{
    scree_scene_write_text(w, "{");
    for (int32_t n = 0; n < condition->count; ++n) {
        const scree_scene_term* term = &condition->terms[n];
        scree_scene_write_name(w, term->name);
        scree_scene_write_number(w, term->above ? ": {above: " : ": ", term->limit);
        scree_scene_write_text(w, term->above ? "}, " : ", ");
    }
    scree_scene_write_number(w, "every_steps: ", (double)condition->every_steps);
    scree_scene_write_text(w, "}");
}

void scree_scene_condition_free(scree_scene_condition* condition)
{
    for (int32_t n = 0; n < condition->count; ++n)
        scree_free(condition->terms[n].name);
    scree_free(condition->terms);
    *condition = (scree_scene_condition){0};
}

void scree_scene_settle_times(scree_scene* scene)
{
    double due = 0.0;
    for (int64_t c = 0; c < scene->change_count; ++c) {
        scree_scene_change* change = &scene->changes[c];
        double given = change->when.count > 0 ? change->met : change->at;
        due = isnan(given) ? INFINITY : fmax(due, given);
        change->due = due;
    }
}
