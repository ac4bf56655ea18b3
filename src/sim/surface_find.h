// Where a sphere touches an exact shape or mesh (surfaces.h), as C17 and CUDA: shapes in their own axes, parts that are near, touches, and whether a centre has passed. What a function looks at is
// given to it, so that passes of the processor and lanes of a device ask the same ones. The shape of a boundary is given beside it: a device has shapes of its own.
#ifndef SCREE_SIM_SURFACE_FIND_H
#define SCREE_SIM_SURFACE_FIND_H

#include "geom/exact_contacts.h"
#include "geom/surface_near.h"
#include "sim/image.h"
#include "sim/surfaces.h"

// ---- Axes of the shape ---------------------------------------------------------------------------------------------------

// x in the axes of the shape, which were turned by `turn` when its point stood at `at`.
SCREE_BOTH void shape_from_box(const sim_boundary* b, const sim_shape* s, const double turn[3][3], const double at[3], const double x[3], double out[3])
{
    const double* origin = s->origin;
    if (!b->turned) {
        for (int k = 0; k < 3; ++k)
            out[k] = x[k] - (at[k] - origin[k]);
        return;
    }
    double d[3];
    vec_sub(x, at, d);
    for (int k = 0; k < 3; ++k)
        out[k] = origin[k] + ((turn[0][k] * d[0] + turn[1][k] * d[1]) + turn[2][k] * d[2]);
}

SCREE_BOTH void shape_to_box(const sim_boundary* b, const double turn[3][3], const double n[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = b->turned ? vec_dot(turn[k], n) : n[k];
}

// The image of x, of a sphere or a point, that is next to the middle of the shape.
SCREE_BOTH void shape_next_to(const sim_cell* cell, const sim_boundary* b, const sim_shape* s, const double x[3], double out[3])
{
    double middle[3], way[3];
    vec_sub(s->centre, s->origin, middle);
    shape_to_box(b, b->turn, middle, way);
    for (int k = 0; k < 3; ++k) {
        out[k] = x[k];
        if (s->wraps[k])
            out[k] -= cell->h[k][k] * rint((x[k] - (b->at[k] + way[k])) / cell->h[k][k]);
    }
}

SCREE_BOTH bool shape_has_images(const sim_shape* s)
{
    return s->wraps[0] || s->wraps[1] || s->wraps[2];
}

// ---- Features ------------------------------------------------------------------------------------------------------------

// Part; -1: there is no such feature.
SCREE_BOTH int32_t shape_home_of(const sim_shape* shape, int32_t feature)
{
    if (shape->mesh)
        return feature >= 0 && feature < shape->arrays.triangles ? feature : -1;
    int32_t features = shape->exact.kind == SCREE_EXACT_BOX ? 7 : 3;
    return feature < 0 || feature >= features ? -1 : shape->parts > 1 && feature < 6 ? feature : 0;
}

// They share a vertex.
SCREE_BOTH bool shape_are_joined(const sim_shape* shape, int32_t feature, int32_t other)
{
    if (!shape->mesh)
        return !(shape->exact.kind == SCREE_EXACT_BOX && feature < 6 && other < 6 && feature / 2 == other / 2);  // opposite faces of a box are not
    return surface_shared_vertices(shape->surface, feature, other) > 0;
}

// ---- Which are near ------------------------------------------------------------------------------------------------------

// Whether it may come next to another image of the shape before the next list: from that image it is at most so far away.
SCREE_BOTH bool shape_may_change_image(const sim_cell* cell, const sim_boundary* b, const sim_shape* s, const double near[3], double reach)
{
    double middle[3], way[3];
    vec_sub(s->centre, s->origin, middle);
    shape_to_box(b, b->turn, middle, way);
    for (int k = 0; k < 3; ++k)
        if (s->wraps[k] && cell->h[k][k] - fabs(near[k] - (b->at[k] + way[k])) <= (s->radius + reach) * (1.0 + 1e-9))
            return true;
    return false;
}

// Rows of a sphere with a shape, written from `to` on if there is room for them.
SCREE_BOTH int64_t shape_rows_near(const sim_cell* cell, const sim_boundary* b, const sim_shape* s, const double x[3], double reach, int32_t* to, int64_t room)
{
    double here[3], d[3], near[3] = {x[0], x[1], x[2]};
    if (shape_has_images(s)) {
        shape_next_to(cell, b, s, x, near);
        if (shape_may_change_image(cell, b, s, near, reach)) {  // hardly ever: then all of its parts are possible
            for (int32_t p = 0; p < s->parts && p < room; ++p)
                to[p] = p;
            return s->parts;
        }
    }
    shape_from_box(b, s, b->turn, b->at, near, here);
    if (s->radius < INFINITY) {
        vec_sub(here, s->centre, d);
        double far = s->radius + reach;
        if (!(vec_dot(d, d) <= far * far * (1.0 + 1e-9)))
            return 0;
    }
    if (s->mesh)
        return surface_near_of(s->surface, here, reach, to, room);
    scree_surface_contact contact;
    exact_closest(&s->exact, here, &contact);
    if (!(contact.distance < reach * (1.0 + 1e-9)))
        return 0;
    for (int32_t p = 0; p < s->parts && p < room; ++p)
        to[p] = p;
    return s->parts;
}

// ---- Where they touch ------------------------------------------------------------------------------------------------------

// A sphere beside a shape at one moment, and the rows of the parts that it may touch.
typedef struct surface_beside {
    const sim_cell* cell;
    const sim_boundary* b;
    const sim_shape* s;
    int32_t rank, boundary;
    const double* x;
    const double* v;
    double step;          // 0: there was none before
    double reach;         // of the law
    bool halves;          // touches half a step before are asked for too
    bool curved;          // of the law: its stiffness changes with the contact
    const int32_t* part;  // by row
    int64_t first, end;
} surface_beside;

surface_beside surface_beside_of(const struct sim_pass* pass, const surface_near* group);  // surface_touch.c

// The same nearest feature half a step before: the plane of a triangle, the line of an edge, the vertex; of an exact shape its nearest point then.
SCREE_BOTH void shape_half_before(const surface_beside* at_now, const scree_surface_contact* now, const double here[3], const double* x, boundary_point* out)
{
    const sim_boundary* b = at_now->b;
    const sim_shape* s = at_now->s;
    const double* v = at_now->v;
    double half = 0.5 * at_now->step, then[3], at[3], was[3], n[3], d[3];
    for (int k = 0; k < 3; ++k) {
        then[k] = x[k] - half * v[k];
        at[k] = b->at[k] - half * b->velocity[k];
    }
    shape_from_box(b, s, b->turn_half, at, then, was);
    int32_t e = s->mesh ? now->nearest - s->arrays.triangles : 0;
    bool flat = s->mesh ? e < 0 : s->exact.kind == SCREE_EXACT_PLANE || (s->exact.kind == SCREE_EXACT_BOX && now->feature < 6);
    if (flat) {
        vec_sub(was, here, d);
        out->inside = now->distance + vec_dot(d, now->normal);
        shape_to_box(b, b->turn_half, now->normal, out->n);
        return;
    }
    if (!s->mesh) {
        scree_surface_contact before;
        exact_closest(&s->exact, was, &before);
        out->inside = before.distance;
        shape_to_box(b, b->turn_half, before.normal, out->n);
        return;
    }
    const scree_surface_arrays* a = &s->arrays;
    if (e < a->edges) {
        const double *from = a->vertex[a->edge[e][0]], *to = a->vertex[a->edge[e][1]];
        double along[3];
        vec_sub(to, from, along);
        vec_sub(was, from, d);
        double share = vec_dot(d, along) / vec_dot(along, along);
        for (int k = 0; k < 3; ++k)
            d[k] -= share * along[k];
    } else {
        vec_sub(was, a->vertex[e - a->edges], d);
    }
    out->inside = vec_length(d);
    for (int k = 0; k < 3; ++k)
        n[k] = out->inside > 0.0 ? d[k] / out->inside : now->normal[k];
    shape_to_box(b, b->turn_half, n, out->n);
}

// The row of a part; -1: it is not near.
SCREE_BOTH int64_t shape_row_of(const surface_beside* at, int32_t part)
{
    int64_t low = at->first, high = at->end;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (at->part[middle] < part)
            low = middle + 1;
        else
            high = middle;
    }
    return low < at->end && at->part[low] == part ? low : -1;
}

// How many dashpots resist along the normal of each contact: n.(sum of share n n).n
SCREE_BOTH void shape_count_crowd(surface_touch* touches, int64_t count)
{
    double sum[3][3] = {{0.0}};
    for (int64_t c = 0; c < count; ++c)
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l <= k; ++l)
                sum[k][l] += touches[c].share * (touches[c].at.n[k] * touches[c].at.n[l]);
    for (int64_t c = 0; c < count; ++c) {
        const double* n = touches[c].at.n;
        double along = 0.0, across = 0.0;
        for (int k = 0; k < 3; ++k) {
            along += sum[k][k] * (n[k] * n[k]);
            for (int l = 0; l < k; ++l)
                across += sum[k][l] * (n[k] * n[l]);
        }
        touches[c].crowd = along + 2.0 * across;
    }
}

// Contacts by row, then links. There is room for two of each row and SCREE_EXACT_CONTACTS_MAX in `contacts` and `out`, and for surface_work_room in `work`.
SCREE_BOTH int64_t shape_touches(const surface_beside* at, surface_work* work, scree_surface_contact* contacts, surface_touch* out)
{
    const sim_boundary* b = at->b;
    const sim_shape* s = at->s;
    double x[4] = {at->x[0], at->x[1], at->x[2], at->x[3]}, reach = x[3] + at->reach, here[3];
    int64_t count = 0, found;
    if (shape_has_images(s))
        shape_next_to(at->cell, b, s, at->x, x);
    shape_from_box(b, s, b->turn, b->at, x, here);
    if (s->mesh) {
        const surface_query query = {.s = s->surface, .x = {here[0], here[1], here[2]}, .r = reach, .one_sided = s->one_sided, .curved = at->curved, .count = at->end - at->first, .candidates = at->part + at->first};
        found = surface_contacts_of(&query, work, contacts, 2 * query.count);
    } else {
        found = exact_contacts_of(&s->exact, here, reach, contacts);
    }
    for (int64_t c = 0; c < found; ++c) {
        const scree_surface_contact* from = &contacts[c];
        if (s->one_sided && !s->mesh && !from->front)
            continue;
        surface_touch touch;
        touch.rank = at->rank;
        touch.boundary = at->boundary;
        touch.feature = from->feature;
        touch.component = from->component;
        touch.scale = from->scale;
        touch.share = from->load;
        touch.crowd = 1.0;
        touch.row = surface_is_link(&touch) ? -1 : shape_row_of(at, shape_home_of(s, from->feature));
        touch.at.inside = from->distance;
        touch.deepest = x[3] - from->distance;
        touch.continues = false;
        touch.before = NULL;
        shape_to_box(b, b->turn, from->normal, touch.at.n);
        for (int k = 0; k < 3; ++k)
            touch.point[k] = from->point[k];
        for (int k = 0; k < 4; ++k)
            touch.x[k] = x[k];
        touch.half = touch.at;
        if (at->halves && at->step > 0.0 && !surface_is_link(&touch))
            shape_half_before(at, from, here, x, &touch.half);
        int64_t to = count++;
        for (; to > 0 && !s->mesh && out[to - 1].row > touch.row; --to)
            out[to] = out[to - 1];
        if (to > 0 && out[to - 1].row == touch.row && !surface_is_link(&touch))
            touch.row = -1;
        out[to] = touch;
    }
    if (s->mesh && count > 1)
        shape_count_crowd(out, count);
    return count;
}

// ---- Whether a centre has passed -------------------------------------------------------------------------------------------

SCREE_BOTH bool shape_passes_triangle(const scree_surface_arrays* a, int32_t t, const double from[3], const double to[3])
{
    const double *n = a->normal[t], *corner = a->vertex[a->triangle[t][0]];
    double d[3], e[3], p[3];
    vec_sub(from, corner, d);
    vec_sub(to, corner, e);
    double before = vec_dot(d, n), after = vec_dot(e, n);
    if ((before >= 0.0) == (after >= 0.0))
        return false;
    double share = before / (before - after);
    for (int k = 0; k < 3; ++k)
        p[k] = from[k] + share * (to[k] - from[k]);
    for (int k = 0; k < 3; ++k) {
        const double *one = a->vertex[a->triangle[t][k]], *other = a->vertex[a->triangle[t][(k + 1) % 3]];
        double side[3], way[3], cross[3];
        vec_sub(other, one, side);
        vec_sub(p, one, way);
        vec_cross(side, way, cross);
        if (vec_dot(cross, n) < -1e-12 * vec_dot(side, side))
            return false;
    }
    return true;
}

// Through the sheet, not around its rim: where the front changes, the nearest part is not a rim.
SCREE_BOTH bool shape_passes_exact(const scree_exact* exact, const double from[3], const double to[3])
{
    scree_surface_contact before, after, middle;
    double low[3] = {from[0], from[1], from[2]}, high[3] = {to[0], to[1], to[2]}, between[3];
    exact_closest(exact, from, &before);
    exact_closest(exact, to, &after);
    if (before.front == after.front)
        return false;
    if (exact->kind == SCREE_EXACT_PLANE || exact->kind == SCREE_EXACT_SPHERE || exact->kind == SCREE_EXACT_BOX)
        return true;
    for (int n = 0; n < 60; ++n) {
        for (int k = 0; k < 3; ++k)
            between[k] = 0.5 * (low[k] + high[k]);
        exact_closest(exact, between, &middle);
        for (int k = 0; k < 3; ++k)
            *(middle.front == before.front ? &low[k] : &high[k]) = between[k];
    }
    exact_closest(exact, low, &before);
    exact_closest(exact, high, &after);
    return before.feature == 0 && after.feature == 0;
}

// A centre at x, one step before, in the axes that the shape had then.
SCREE_BOTH void shape_from_step_before(const surface_beside* beside, const double x[4], double out[3])
{
    const sim_boundary* b = beside->b;
    double then[3], at[3], whole[3][3] = {{0.0}};
    for (int k = 0; k < 3; ++k) {
        then[k] = x[k] - beside->step * beside->v[k];
        at[k] = b->at[k] - beside->step * b->velocity[k];
    }
    for (int i = 0; i < 9 && b->turned; ++i) {  // a whole step back is twice the half
        double sum = 0.0;
        for (int k = 0; k < 3; ++k)
            sum += vec_dot(b->turn_half[i / 3], b->turn[k]) * b->turn_half[k][i % 3];
        whole[i / 3][i % 3] = sum;
    }
    shape_from_box(b, beside->s, (const double(*)[3])whole, at, then, out);
}

// By the centre, in the step that ends now.
SCREE_BOTH bool shape_is_crossed(const surface_beside* beside, const surface_touch* touches, int64_t count)
{
    const sim_boundary* b = beside->b;
    const sim_shape* s = beside->s;
    const double *own = beside->x, *v = beside->v, step = beside->step;
    double x[4] = {own[0], own[1], own[2], own[3]};
    if (shape_has_images(s))
        shape_next_to(beside->cell, b, s, own, x);
    double relative[3], nearest = INFINITY;
    vec_sub(v, b->velocity, relative);
    for (int64_t c = 0; c < count; ++c)
        nearest = fmin(nearest, touches[c].at.inside);
    double moved = (vec_length(relative) + b->speed) * step;  // at most
    if (!(fmin(nearest, x[3]) <= moved) && !s->one_sided)  // touches on the back of one-sided shapes are not seen
        return false;
    double from[3], to[3];
    shape_from_step_before(beside, x, from);
    shape_from_box(b, s, b->turn, b->at, x, to);
    if (!s->mesh)
        return shape_passes_exact(&s->exact, from, to);
    for (int64_t row = beside->first; row < beside->end; ++row)
        if (shape_passes_triangle(&s->arrays, beside->part[row], from, to))
            return true;
    return false;
}

#endif
