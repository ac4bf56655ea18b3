// Measures over the frames of a run: what crosses a plane, and how far spheres move.
#include "measure_state.h"

#include "frames.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// A frame, in its box or that of another one.
static scree_status read_frame(const common* co, const scree_scene* scene, const char* path, const scree_sphere_set* like, scree_sphere_set* set, state_view* view)
{
    state_view_free(view);
    scree_sphere_set_free(set);
    scree_status status = read_set(co, path, set);
    if (status != SCREE_OK)
        return status;
    if (!set->has_box) {
        set->box = like->box;
        set->container = like->container;
        set->has_box = true;
    }
    close_open_sides(set);
    return state_view_make(co, scene, 1.0, set, view);
}

// ---- Flow --------------------------------------------------------------------------------------------------------

static bool take_flow_room(state_found* found, int64_t rows)
{
    size_t room = (size_t)rows + 1;
    found->flow_from = scree_malloc(room, sizeof *found->flow_from);
    found->flow_to = scree_malloc(room, sizeof *found->flow_to);
    found->flow_mass = scree_malloc(room, sizeof *found->flow_mass);
    found->flow_rate = scree_malloc(room, sizeof *found->flow_rate);
    found->flow_forward = scree_malloc(room, sizeof *found->flow_forward);
    found->flow_backward = scree_malloc(room, sizeof *found->flow_backward);
    return found->flow_from != NULL && found->flow_to != NULL && found->flow_mass != NULL && found->flow_rate != NULL && found->flow_forward != NULL &&
           found->flow_backward != NULL;
}

// The spheres that are in both frames, where some came or went in between: centres, radii and masses one after the other in *numbers, which is the caller's.
static scree_status keep_common(const scree_sphere_set set[2], scree_snapshot now[2], double** numbers)
{
    const scree_column* id[2] = {scree_sphere_set_find(&set[0], "id"), scree_sphere_set_find(&set[1], "id")};
    for (int k = 0; k < 2; ++k)
        if (id[k] == NULL || id[k]->kind != SCREE_COLUMN_INT64 || id[k]->components != 1)
            return SCREE_OK;
    size_t dim = (size_t)set[0].dim, most = (size_t)(set[0].count < set[1].count ? set[0].count : set[1].count);
    double* to = scree_malloc(2 * most * (dim + 2) + 1, sizeof *to);
    if (to == NULL)
        return SCREE_ERR_MEMORY;
    *numbers = to;
    int64_t at[2] = {0, 0}, count = 0;
    while (at[0] < set[0].count && at[1] < set[1].count) {
        int64_t a = id[0]->integers[at[0]], b = id[1]->integers[at[1]];
        for (size_t k = 0; k < 2 && a == b; ++k) {
            double* mine = to + k * most * (dim + 2);
            memcpy(mine + (size_t)count * dim, now[k].spheres.x + (size_t)at[k] * dim, dim * sizeof *mine);
            mine[most * dim + (size_t)count] = now[k].spheres.r[at[k]];
            mine[most * (dim + 1) + (size_t)count] = now[k].mass[at[k]];
        }
        count += a == b;
        at[0] += a <= b;
        at[1] += b <= a;
    }
    for (size_t k = 0; k < 2; ++k) {
        double* mine = to + k * most * (dim + 2);
        now[k].spheres = (scree_spheres){.count = (int32_t)count, .dim = (int32_t)dim, .x = mine, .r = mine + most * dim};
        now[k].mass = mine + most * (dim + 1);
        now[k].v = now[k].spin = NULL;
        now[k].group = NULL;
        now[k].contacts = NULL;
    }
    return SCREE_OK;
}

scree_status frames_measure_flow(const common* co, const state_wishes* wishes, const scree_scene* scene, const scree_frame_times* list, const scree_sphere_set* like,
                                 state_found* found)
{
    scree_sphere_set set[2];
    state_view view[2];
    memset(set, 0, sizeof set);
    memset(view, 0, sizeof view);
    scree_status status = take_flow_room(found, list->count) ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int64_t f = 0; f < list->count && status == SCREE_OK; ++f) {
        int now = (int)(f % 2);
        status = read_frame(co, scene, list->files[f], like, &set[now], &view[now]);
        if (status != SCREE_OK || f == 0)
            continue;
        scree_flow flow;
        int64_t row = f - 1;
        double* numbers = NULL;
        const scree_sphere_set both[2] = {set[1 - now], set[now]};
        scree_snapshot moments[2] = {view[1 - now].now, view[now].now};
        status = keep_common(both, moments, &numbers);
        if (status == SCREE_OK)
            status = scree_measure_flow(&moments[0], &moments[1], wishes->flow_axis, wishes->flow_at, &flow);
        scree_free(numbers);
        if (status != SCREE_OK)
            break;
        found->flow_from[row] = list->times[f - 1];
        found->flow_to[row] = list->times[f];
        found->flow_forward[row] = flow.forward;
        found->flow_backward[row] = flow.backward;
        found->flow_mass[row] = flow.mass;
        found->flow_rate[row] = list->times[f] > list->times[f - 1] ? flow.mass / (list->times[f] - list->times[f - 1]) : NAN;
        ++found->flow_rows;
    }
    for (int k = 0; k < 2; ++k) {
        state_view_free(&view[k]);
        scree_sphere_set_free(&set[k]);
    }
    return status;
}

// ---- Displacement ------------------------------------------------------------------------------------------------

// The spheres that are in all frames so far: numbers, centres at the last one, radii, groups, and how far they have moved.
typedef struct tracked {
    int32_t count, dim;
    int64_t* id;
    double *x, *next, *r, *moved;
    int32_t* group;
    scree_box box;
} tracked;

static void free_tracked(tracked* t)
{
    scree_free(t->id);
    scree_free(t->x);
    scree_free(t->next);
    scree_free(t->r);
    scree_free(t->moved);
    scree_free(t->group);
    *t = (tracked){0};
}

// The number of a row, as scree_sphere_set_row takes it.
static int64_t number_of(const scree_sphere_set* set, int64_t row)
{
    const scree_column* id = scree_sphere_set_find(set, "id");
    return id != NULL && id->kind == SCREE_COLUMN_INT64 && id->components == 1 && scree_sphere_set_row(set, id->integers[row]) == row ? id->integers[row] : row;
}

static scree_status begin_tracking(const scree_sphere_set* set, const state_view* view, tracked* t)
{
    size_t n = (size_t)set->count, dim = (size_t)set->dim;
    *t = (tracked){.count = set->count,
                   .dim = set->dim,
                   .id = scree_malloc(n, sizeof *t->id),
                   .x = scree_malloc(n * dim, sizeof *t->x),
                   .next = scree_malloc(n * dim, sizeof *t->next),
                   .r = scree_malloc(n, sizeof *t->r),
                   .moved = scree_calloc(n * dim, sizeof *t->moved),
                   .group = scree_malloc(n, sizeof *t->group),
                   .box = set->box};
    if (t->id == NULL || t->x == NULL || t->next == NULL || t->r == NULL || t->moved == NULL || t->group == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < set->count; ++i) {
        t->id[i] = number_of(set, i);
        t->r[i] = set->r[i];
        t->group[i] = view->group[i];
        memcpy(t->x + (size_t)i * dim, set->x + (size_t)i * dim, dim * sizeof *t->x);
    }
    return SCREE_OK;
}

// Leaves only the spheres that this frame has too, with their centres there in `next`.
static scree_status keep_tracked(const char* path, const scree_sphere_set* set, tracked* t)
{
    size_t dim = (size_t)t->dim;
    int32_t kept = 0;
    if (set->dim != t->dim || (scree_sphere_set_find(set, "id") == NULL && set->count != t->count))
        return scree_fail(SCREE_ERR_FORMAT, "%s: this frame has %" PRId32 " spheres in %dD, and frames before %" PRId32 " in %dD; expected the same spheres, or a column id", path, set->count, (int)set->dim,
                          t->count, (int)t->dim);
    for (int32_t i = 0; i < t->count; ++i) {
        int64_t row = scree_sphere_set_row(set, t->id[i]);
        if (row < 0)
            continue;
        t->id[kept] = t->id[i];
        t->r[kept] = set->r[row];
        t->group[kept] = t->group[i];
        memmove(t->x + (size_t)kept * dim, t->x + (size_t)i * dim, dim * sizeof *t->x);
        memmove(t->moved + (size_t)kept * dim, t->moved + (size_t)i * dim, dim * sizeof *t->moved);
        memcpy(t->next + (size_t)kept * dim, set->x + (size_t)row * dim, dim * sizeof *t->next);
        ++kept;
    }
    t->count = kept;
    return SCREE_OK;
}

static void add_row(double time, int64_t group, const scree_displacement* d, displacement_rows* out)
{
    double* to = out->values + out->rows;
    to[0] = time;
    to[out->room] = d->msd;
    for (int k = 0; k < 3; ++k) {
        to[(2 + k) * out->room] = d->square[k];
        to[(5 + k) * out->room] = d->mean[k];
    }
    out->integers[out->rows] = group;
    out->integers[out->room + out->rows++] = d->count;
}

// From the tracked centres to the next ones, which replace them.
static scree_status track(tracked* t, const scree_sphere_set* set, double time, int32_t groups, displacement_rows* out)
{
    scree_snapshot now[2] = {scree_default_snapshot(), scree_default_snapshot()};
    scree_displacement_table found;
    for (int k = 0; k < 2; ++k) {
        now[k].box = k == 0 ? t->box : set->box;
        now[k].spheres = (scree_spheres){.count = t->count, .dim = t->dim, .x = k == 0 ? t->x : t->next, .r = t->r};
        now[k].group = t->group;
    }
    scree_status status = scree_measure_displacement(&now[0], &now[1], t->moved, &found);
    if (status != SCREE_OK)
        return status;
    add_row(time, -1, &found.all, out);
    for (int32_t g = 0; g < groups && groups > 1; ++g)
        add_row(time, g, g < found.count ? &found.groups[g] : &(scree_displacement){0}, out);
    scree_displacement_table_free(&found);
    memcpy(t->x, t->next, (size_t)t->count * (size_t)t->dim * sizeof *t->x);
    t->box = set->box;
    return SCREE_OK;
}

// The largest share of the shortest period that a sphere can have moved in this time at its speed.
static double periods_moved(const scree_sphere_set* set, const state_view* view, double time)
{
    double most = 0.0;
    for (int64_t i = 0; view->v != NULL && i < set->count; ++i) {
        double square = 0.0;
        for (int k = 0; k < set->dim; ++k)
            square += view->v[i * set->dim + k] * view->v[i * set->dim + k];
        most = fmax(most, square);
    }
    return sqrt(most) * time / scree_box_period(&set->box);
}

scree_status frames_measure_displacement(const arguments* args, const common* co, const state_wishes* wishes, const scree_scene* scene, const scree_frame_times* list, const scree_sphere_set* like,
                                         state_found* found)
{
    scree_sphere_set set = {0};
    state_view view = {0};
    tracked t = {0};
    double moved = 0.0;
    int32_t groups = 0;
    int64_t last = wishes->frame_to < 0 ? list->count - 1 : wishes->frame_to;
    scree_status status = SCREE_OK;
    for (int64_t f = wishes->frame_from; f <= last && status == SCREE_OK; ++f) {
        status = read_frame(co, scene, list->files[f], like, &set, &view);
        if (status != SCREE_OK)
            break;
        if (f == wishes->frame_from) {
            groups = view.groups;
            found->displacement.room = (last - f + 1) * (groups > 1 ? groups + 1 : 1);
            found->displacement.values = scree_malloc(8 * (size_t)found->displacement.room, sizeof *found->displacement.values);
            found->displacement.integers = scree_malloc(2 * (size_t)found->displacement.room, sizeof *found->displacement.integers);
            status = found->displacement.values != NULL && found->displacement.integers != NULL ? begin_tracking(&set, &view, &t) : SCREE_ERR_MEMORY;
        } else {
            moved = fmax(moved, periods_moved(&set, &view, list->times[f] - list->times[f - 1]));
        }
        if (status == SCREE_OK)
            status = keep_tracked(list->files[f], &set, &t);
        if (status == SCREE_OK)
            status = track(&t, &set, list->times[f], groups, &found->displacement);
    }
    if (status == SCREE_OK && moved > 0.5 && !co->quiet)
        say("note: at their speeds spheres of '%s' move by up to %.3g of the shortest periodic side from frame to frame, and from half a side on displacements are ambiguous; write frames more often\n", args->files[0],
            moved);
    free_tracked(&t);
    state_view_free(&view);
    scree_sphere_set_free(&set);
    return status;
}
