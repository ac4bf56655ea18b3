// Conditions of the scene on quantities of the log: changes.when and time.until. They are looked at at steps that follow from the scene alone, so that a resumed run, and one with other rows in its
// log, does the same. A change is looked at after all changes before it have happened, and the end after all changes: never at the step of the one before, whose effect nothing shows yet.
#include "run/run_inner.h"

#include "base/argument.h"
#include "base/spelling.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { changes_most = 60 };  // with conditions: checkpoints have room for so many

static const scree_scene_condition* of_change(const scree_run* run)
{
    const scree_scene* scene = &run->scene;
    return run->change < scene->change_count && scene->changes[run->change].when.count > 0 ? &scene->changes[run->change].when : NULL;
}

// What is waited for now; NULL: nothing.
static const scree_scene_condition* current(const scree_run* run)
{
    return run->change < run->scene.change_count ? of_change(run) : run->scene.until.count > 0 && !run->until_met ? &run->scene.until : NULL;
}

// The step of the change before; 0: there was none.
static int64_t since(const scree_run* run)
{
    return run->change > 0 ? run_step_at(run, run->scene.changes[run->change - 1].due) : 0;
}

int64_t run_conditions_next(const scree_run* run)
{
    const scree_scene_condition* condition = current(run);
    return condition == NULL ? INT64_MAX : (run_sim_step(run) / condition->every_steps + 1) * condition->every_steps;
}

static scree_status value_of(scree_run* run, const scree_scene_term* term, double* out)
{
    if (strcmp(term->name, "time_since_change") == 0) {
        *out = run_paces_between(&run->paces, since(run), run_sim_step(run));
        return SCREE_OK;
    }
    return run_log_value(run, term->name, out);
}

static scree_status look(scree_run* run, const scree_scene_condition* condition, bool* met)
{
    *met = true;
    for (int32_t n = 0; n < condition->count && *met; ++n) {
        const scree_scene_term* term = &condition->terms[n];
        double value;
        scree_status status = value_of(run, term, &value);
        if (status != SCREE_OK)
            return status;
        *met = term->above ? value > term->limit : value < term->limit;
    }
    return SCREE_OK;
}

scree_status run_conditions_look(scree_run* run)
{
    const scree_scene_condition* condition = current(run);
    int64_t step = run_sim_step(run);
    bool met;
    if (condition == NULL || step % condition->every_steps != 0 || step <= since(run))
        return SCREE_OK;
    scree_status status = look(run, condition, &met);
    if (status != SCREE_OK || !met)
        return status;
    if (condition == &run->scene.until) {
        run->until_met = true;
        run->steps = step;
        return SCREE_OK;
    }
    run->scene.changes[run->change].met = run_time_of(run, step);
    scree_scene_settle_times(&run->scene);
    return run_find_steps(run, &run->scene);
}

// One of a list with ", " between them that may be meant; NULL: none.
static const char* near_name(const char* name, char* known)
{
    const char* near = NULL;
    int64_t least = INT64_MAX;
    for (char *at = known, *next; at != NULL; at = next) {
        char* end = strstr(at, ", ");
        next = end != NULL ? end + 2 : NULL;
        if (end != NULL)
            *end = '\0';
        size_t length = strlen(name);
        int64_t apart = length > 63 || strlen(at) > 63 ? INT64_MAX : scree_letters_apart(name, name + length, at);
        near = apart < least ? at : near;
        least = apart < least ? apart : least;
    }
    return near != NULL && scree_spelling_is_close(least, near) ? near : NULL;
}

scree_status run_conditions_check(scree_run* run, const scree_scene* scene)
{
    int64_t conditional = 0;
    scree_status status = run->felt == NULL ? run_feel(run) : SCREE_OK;  // those of a run that is resumed are of its last row
    for (int64_t c = 0; c < scene->change_count && status == SCREE_OK; ++c)
        if (scene->changes[c].when.count > 0 && ++conditional > changes_most)
            status = scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "changes.when", c, "more than %d changes have conditions; expected at most as many", (int)changes_most);
    for (int64_t c = -1; c < scene->change_count && status == SCREE_OK; ++c) {
        const scree_scene_condition* condition = c < 0 ? &scene->until : &scene->changes[c].when;
        for (int32_t n = 0; n < condition->count && status == SCREE_OK; ++n) {
            char known[8192], list[1024];
            const char *name = condition->terms[n].name, *key = c < 0 ? "time.until" : "changes.when";
            if (strcmp(name, "time_since_change") == 0 || run_log_knows(run, name, known, sizeof known))
                continue;
            snprintf(list, sizeof list, "%.1000s%s", known, strlen(known) > 1000 ? " ..." : "");
            const char* near = near_name(name, known);
            status = near != NULL ? scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, key, c, "'%.100s' is no quantity of this run; expected a column of its log: did you mean %s?", name, near)
                                  : scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, key, c, "'%.100s' is no quantity of this run; expected time_since_change, %s", name, list);
        }
    }
    return status;
}

static void name_of(int64_t change, char name[SCREE_CHECKPOINT_NAME])
{
    snprintf(name, SCREE_CHECKPOINT_NAME, "change_met_%" PRId64, change);
}

scree_status run_conditions_keep(const scree_run* run, scree_checkpoint* to)
{
    char name[SCREE_CHECKPOINT_NAME];
    scree_status status = run->until_met ? scree_checkpoint_set_integer(to, "until_met", 1) : SCREE_OK;
    for (int64_t c = 0; c < run->change && status == SCREE_OK; ++c)
        if (run->scene.changes[c].when.count > 0) {
            name_of(c, name);
            status = scree_checkpoint_set_value(to, name, run->scene.changes[c].met);
        }
    return status;
}

void run_conditions_recall(const scree_checkpoint* saved, scree_scene* scene)
{
    char name[SCREE_CHECKPOINT_NAME];
    for (int64_t c = 0; c < scene->change_count; ++c) {
        name_of(c, name);
        const scree_checkpoint_number* met = scree_checkpoint_find(saved, name);
        if (scene->changes[c].when.count > 0 && met != NULL && !met->whole && met->value >= 0.0 && met->value < INFINITY)
            scene->changes[c].met = met->value;
    }
    scree_scene_settle_times(scene);
}

scree_status run_conditions_describe(scree_run* run, const scree_scene_condition* condition, char* text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t n = 0; n < condition->count; ++n) {
        const scree_scene_term* term = &condition->terms[n];
        double value;
        scree_status status = value_of(run, term, &value);
        if (status != SCREE_OK)
            return status;
        bool met = term->above ? value > term->limit : value < term->limit;
        if (used < room)
            used += (size_t)snprintf(text + used, room - used, "%s%s is %.4g, %s%s %g", n > 0 ? "; " : "", term->name, value, met ? "" : "not ", term->above ? "above" : "below", term->limit);
    }
    return SCREE_OK;
}

scree_status run_conditions_warn(scree_run* run)
{
    const scree_scene_condition* condition = current(run);
    char text[400];
    if (condition == NULL)
        return SCREE_OK;
    scree_status status = run_conditions_describe(run, condition, text, sizeof text);
    if (status != SCREE_OK)
        return status;
    bool met;
    status = look(run, condition, &met);
    if (status == SCREE_OK && met)
        snprintf(text + strlen(text), sizeof text - strlen(text), " (looked at every %" PRId64 " steps only)", condition->every_steps);
    size_t used = strlen(run->warning);
    if (strstr(run->warning, text) != NULL)
        return SCREE_OK;
    const char* between = used > 0 ? "\n" : "";
    if (condition == &run->scene.until)
        snprintf(run->warning + used, sizeof run->warning - used, "%sthe run ended at time.end, before time.until was met: %s", between, text);
    else
        snprintf(run->warning + used, sizeof run->warning - used, "%schange %" PRId64 " did not happen before the end: %s", between, run->change + 1, text);
    return SCREE_OK;
}
