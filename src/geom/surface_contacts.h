// Contacts of a sphere with a surface of triangles: the local minima of the distance from its centre.
//
//      flat seam          convex edge         concave edge       For each near triangle, edge and vertex it is asked whether its own nearest point is the
//          o                    o                \  o  /         nearest of all around it:
//     _____|_____           ____|                 \/ \/              face     the foot of the centre lies inside of all three edges
//      one: a face         one: the edge       two: the faces        edge     the foot lies between its ends, and outside of it in every triangle at it
//                                                                    vertex   no edge at it comes nearer
//
// That takes no thresholds and counts nothing twice. The question whether the foot lies inside of an edge is put once for an edge and a triangle, with the edge in its
// own direction (lower vertex first), so the face and the edge get the same answer, and two triangles the same parameter along their edge.
//
// Rounding: close to a border, answers about a face, its edge and its vertex could contradict each other, and no one would be the contact. So each says yes within a
// small angle beyond its border (`slack`, 1e-12 and more for needles) and some roundings of the coordinates (`grain`): at a border there is one contact too many, never one too few, and of contacts that are
// the same (normals within 1e-6, points within 1e-6 r; or a feature and its own border at one point) the lower number stays. Should all say no, the nearest
// point of all triangles is a contact.
//
// Where vertices were not joined (a long edge beside two short ones) the surface has a slit without width. A border of such a slit is no minimum if another
// triangle continues from there to a nearer point; this is looked up only for open edges.
//
// Cost: some ten multiplications for a triangle whose plane is too far away, about 200 for one that is near. Nothing is allocated.
#ifndef SCREE_GEOM_SURFACE_CONTACTS_H
#define SCREE_GEOM_SURFACE_CONTACTS_H

#include "geom/surface_data.h"
#include "geom/vector.h"

static const double surface_border = 1e-12;  // sine of the angle within which a point counts as on a border
static const double surface_same = 1e-6;     // of normals, and of points by the radius

SCREE_BOTH bool surface_forward(const scree_surface* s, int32_t t, int32_t a, int32_t b)
{
    const int32_t* v = s->triangle[t];
    return (v[0] == a && v[1] == b) || (v[1] == a && v[2] == b) || (v[2] == a && v[0] == b);
}

// How far the centre is inside of edge e in the plane of triangle t, times the length of the edge; d is the way from the edge's first vertex.
SCREE_BOTH double surface_inside_of(const scree_surface* s, int32_t t, int32_t e, const double d[3])
{
    double along[3], inwards[3];
    vec_sub(s->vertex[s->edge[e][1]], s->vertex[s->edge[e][0]], along);
    vec_cross(s->normal[t], along, inwards);
    double in = vec_dot(d, inwards);
    return surface_forward(s, t, s->edge[e][0], s->edge[e][1]) ? in : -in;
}

// ---- Features as contacts ----------------------------------------------------------------------------------------------
// A centre that is on the surface, as far as coordinates tell, is on its front.

SCREE_BOTH void surface_face_contact(const scree_surface* s, int32_t t, const double x[3], double height, scree_surface_contact* out)
{
    const double* n = s->normal[t];
    bool front = height >= -s->grain;
    *out = (scree_surface_contact){.feature = t, .front = front, .distance = fabs(height)};
    for (int k = 0; k < 3; ++k) {
        out->point[k] = x[k] - height * n[k];
        out->normal[k] = front ? n[k] : -n[k];
    }
}

// A contact at a point of an edge or vertex; `front` is the direction that the features there face together.
SCREE_BOTH void surface_point_contact(const scree_surface* s, int32_t feature, int32_t first, const double x[3], const double at[3], const double front[3],
                          scree_surface_contact* out)
{
    double d[3];
    vec_sub(x, at, d);
    *out = (scree_surface_contact){.feature = feature, .distance = vec_length(d)};
    for (int k = 0; k < 3; ++k) {
        out->point[k] = at[k];
        out->normal[k] = out->distance > s->grain ? d[k] / out->distance : s->normal[first][k];
    }
    out->front = out->distance <= s->grain || vec_dot(d, front) >= 0.0;
}

SCREE_BOTH void surface_edge_contact(const scree_surface* s, int32_t e, const double x[3], scree_surface_contact* out)
{
    const double *a = s->vertex[s->edge[e][0]], *b = s->vertex[s->edge[e][1]];
    double along[3], d[3], at[3], front[3] = {0.0, 0.0, 0.0};
    vec_sub(b, a, along);
    vec_sub(x, a, d);
    double part = vec_dot(d, along) / vec_dot(along, along);
    for (int k = 0; k < 3; ++k)
        at[k] = part <= 0.0 ? a[k] : part >= 1.0 ? b[k] : a[k] + part * along[k];
    for (int32_t n = s->edge_start[e]; n < s->edge_start[e + 1]; ++n)
        for (int k = 0; k < 3; ++k)
            front[k] += s->normal[s->edge_triangle[n]][k];
    surface_point_contact(s, s->triangles + e, s->edge_triangle[s->edge_start[e]], x, at, front, out);
}

SCREE_BOTH void surface_vertex_contact(const scree_surface* s, int32_t v, const double x[3], scree_surface_contact* out)
{
    surface_point_contact(s, s->triangles + s->edges + v, s->vertex_triangle[v], x, s->vertex[v], s->vertex_normal[v], out);
}

// The nearest point of an edge, which may be one of its ends.
SCREE_BOTH void surface_segment_contact(const scree_surface* s, int32_t e, const double x[3], scree_surface_contact* out)
{
    const double *a = s->vertex[s->edge[e][0]], *b = s->vertex[s->edge[e][1]];
    double along[3], d[3];
    vec_sub(b, a, along);
    vec_sub(x, a, d);
    double part = vec_dot(d, along), whole = vec_dot(along, along);
    if (part > 0.0 && part < whole)
        surface_edge_contact(s, e, x, out);
    else
        surface_vertex_contact(s, s->edge[e][part > 0.0], x, out);
}

SCREE_BOTH double surface_triangle_closest(const scree_surface* s, int32_t t, const double x[3], scree_surface_contact* out)
{
    double d[3];
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        int32_t e = s->side[t][k];
        vec_sub(x, s->vertex[s->edge[e][0]], d);
        inside = inside && surface_inside_of(s, t, e, d) > 0.0;
    }
    if (inside) {
        vec_sub(x, s->vertex[s->triangle[t][0]], d);
        surface_face_contact(s, t, x, vec_dot(d, s->normal[t]), out);
        return out->distance;
    }
    surface_segment_contact(s, s->side[t][0], x, out);
    for (int k = 1; k < 3; ++k) {
        scree_surface_contact other;
        surface_segment_contact(s, s->side[t][k], x, &other);
        if (other.distance < out->distance || (other.distance == out->distance && other.feature < out->feature))
            *out = other;
    }
    return out->distance;
}

// ---- Which are minima --------------------------------------------------------------------------------------------------

SCREE_BOTH bool surface_face_is_minimum(const scree_surface* s, int32_t t, const double x[3])
{
    for (int k = 0; k < 3; ++k) {
        int32_t e = s->side[t][k];
        const double *a = s->vertex[s->edge[e][0]], *b = s->vertex[s->edge[e][1]];
        double d[3], along[3];
        vec_sub(x, a, d);
        vec_sub(b, a, along);
        double slack = (double)s->slack[t] * vec_length(d) + s->grain;
        if (!(surface_inside_of(s, t, e, d) >= -slack * vec_length(along)))
            return false;
    }
    return true;
}

SCREE_BOTH bool surface_edge_is_minimum(const scree_surface* s, int32_t e, const double x[3])
{
    const double *a = s->vertex[s->edge[e][0]], *b = s->vertex[s->edge[e][1]];
    double from_a[3], from_b[3], along[3];
    vec_sub(x, a, from_a);
    vec_sub(x, b, from_b);
    vec_sub(b, a, along);
    double length = vec_length(along), away = vec_length(from_a);
    if (!(vec_dot(from_a, along) >= -(surface_border * away + s->grain) * length) || !(vec_dot(from_b, along) <= (surface_border * vec_length(from_b) + s->grain) * length))
        return false;
    for (int32_t n = s->edge_start[e]; n < s->edge_start[e + 1]; ++n) {
        int32_t t = s->edge_triangle[n];
        if (!(surface_inside_of(s, t, e, from_a) <= ((double)s->slack[t] * away + s->grain) * length))
            return false;
    }
    return true;
}

SCREE_BOTH bool surface_vertex_is_minimum(const scree_surface* s, int32_t v, const double x[3])
{
    double d[3], along[3];
    vec_sub(x, s->vertex[v], d);
    double away = vec_length(d);
    for (int32_t n = s->vertex_start[v]; n < s->vertex_start[v + 1]; ++n) {
        int32_t e = s->vertex_edge[n];
        vec_sub(s->vertex[s->edge[e][s->edge[e][0] == v]], s->vertex[v], along);
        if (!(vec_dot(d, along) <= (surface_border * away + s->grain) * vec_length(along)))
            return false;
    }
    return true;
}

// ---- Borders that another triangle covers ------------------------------------------------------------------------------

SCREE_BOTH bool surface_is_open(const scree_surface* s, int32_t feature)
{
    int32_t e = feature - s->triangles, v = e - s->edges;
    if (e < 0)
        return false;
    if (v < 0)
        return s->edge_start[e + 1] - s->edge_start[e] == 1;
    for (int32_t n = s->vertex_start[v]; n < s->vertex_start[v + 1]; ++n) {
        int32_t at = s->vertex_edge[n];
        if (s->edge_start[at + 1] - s->edge_start[at] == 1)
            return true;
    }
    return false;
}

// Vertices of a feature; how many.
SCREE_BOTH int surface_vertices_of(const scree_surface* s, int32_t feature, int32_t out[3])
{
    int32_t e = feature - s->triangles, v = e - s->edges;
    if (e < 0) {
        for (int k = 0; k < 3; ++k)
            out[k] = s->triangle[feature][k];
        return 3;
    }
    if (v >= 0) {
        out[0] = v;
        return 1;
    }
    out[0] = s->edge[e][0];
    out[1] = s->edge[e][1];
    return 2;
}

SCREE_BOTH int surface_shared_vertices(const scree_surface* s, int32_t f, int32_t g)
{
    int32_t a[3], b[3];
    int n = surface_vertices_of(s, f, a), m = surface_vertices_of(s, g, b), shared = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            shared += a[i] == b[j];
    return shared;
}

// Whether feature g is f, or on the border of f.
SCREE_BOTH bool surface_holds(const scree_surface* s, int32_t f, int32_t g)
{
    int32_t b[3];
    return surface_shared_vertices(s, f, g) == surface_vertices_of(s, g, b);
}

// Whether another triangle runs through the contact's point and comes nearer to the centre.
SCREE_BOTH bool surface_is_covered(const scree_surface* s, const scree_surface_contact* c, const double x[3], double r, int64_t count, const int32_t* candidates)
{
    double near = surface_same * r + s->report.weld_distance;
    for (int64_t n = 0; n < count; ++n) {
        scree_surface_contact other;
        int32_t t = candidates[n];
        if (surface_holds(s, t, c->feature) || !(surface_triangle_closest(s, t, c->point, &other) <= near))
            continue;
        // However little: the nearest of all triangles that meet there always stays. Equal ones are the same (drop_same).
        if (surface_triangle_closest(s, t, x, &other) < c->distance)
            return true;
    }
    return false;
}

// ---- Which are one -----------------------------------------------------------------------------------------------------

SCREE_BOTH double surface_square_between(const double a[3], const double b[3])
{
    double d[3];
    vec_sub(a, b, d);
    return vec_dot(d, d);
}

// What contacts are sorted by: their features, or their places along a direction that no mesh is likely to be built along.
SCREE_BOTH double surface_key_of(const scree_surface_contact* c, bool by_place)
{
    const double direction[3] = {0.8123, 0.4967, 0.3061};
    return by_place ? vec_dot(c->point, direction) : (double)c->feature;
}

SCREE_BOTH void surface_sort_contacts(scree_surface_contact* at, int64_t count, bool by_place)
{
    int64_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t i = gap; i < count; ++i) {
            scree_surface_contact held = at[i];
            double key = surface_key_of(&held, by_place);
            int64_t j = i;
            for (; j >= gap && surface_key_of(&at[j - gap], by_place) > key; j -= gap)
                at[j] = at[j - gap];
            at[j] = held;
        }
}

SCREE_BOTH bool surface_are_same(const scree_surface* s, const scree_surface_contact* a, const scree_surface_contact* b, double near)
{
    if (surface_square_between(a->point, b->point) > near * near)
        return false;
    return surface_square_between(a->normal, b->normal) <= surface_same * surface_same || surface_holds(s, a->feature, b->feature) || surface_holds(s, b->feature, a->feature);
}

// Of two that are the same the lower feature stays: along the direction, each is compared with those within reach behind it. How many are left, in no order.
SCREE_BOTH int64_t surface_drop_same(const scree_surface* s, double r, scree_surface_contact* at, int64_t count)
{
    const double dropped = -1.0;  // a distance that no contact has
    double near = surface_same * r;
    int64_t kept = 0;
    surface_sort_contacts(at, count, true);
    for (int64_t i = 0; i < count; ++i)
        for (int64_t j = i + 1; j < count && surface_key_of(&at[j], true) - surface_key_of(&at[i], true) <= 2.0 * near + s->grain; ++j)
            if (surface_are_same(s, &at[i], &at[j], near))
                at[at[i].feature > at[j].feature ? i : j].distance = dropped;
    for (int64_t i = 0; i < count; ++i)
        if (at[i].distance != dropped)
            at[kept++] = at[i];
    return kept;
}

SCREE_BOTH void surface_swap(scree_surface_contact* a, scree_surface_contact* b)
{
    scree_surface_contact held = *a;
    *a = *b;
    *b = held;
}

// The deepest contact stays and takes with it all that are joined to it by contacts whose normals hardly differ from its own; then the deepest of the others. How many
// are left, in no order.
SCREE_BOTH int64_t surface_merge_flat(const scree_surface* s, scree_surface_contact* at, int64_t count)
{
    for (int64_t lead = 0; lead < count; ++lead) {
        for (int64_t j = lead + 1; j < count; ++j)
            if (at[j].distance < at[lead].distance || (at[j].distance == at[lead].distance && at[j].feature < at[lead].feature))
                surface_swap(&at[lead], &at[j]);
        int64_t alike = lead + 1, members = lead + 1;
        for (int64_t j = alike; j < count; ++j)
            if (surface_square_between(at[j].normal, at[lead].normal) < s->merge_chord)
                surface_swap(&at[j], &at[alike++]);
        for (int64_t i = lead; i < members; ++i)
            for (int64_t j = members; j < alike; ++j)
                if (surface_shared_vertices(s, at[i].feature, at[j].feature) > 0)
                    surface_swap(&at[j], &at[members++]);
        int64_t gone = members - (lead + 1);
        for (int64_t j = members; j < count; ++j)
            at[j - gone] = at[j];
        count -= gone;
    }
    return count;
}

// ---- The whole ---------------------------------------------------------------------------------------------------------

typedef struct surface_found {
    scree_surface_contact* at;
    int64_t count, room;
} surface_found;

SCREE_BOTH void surface_add(surface_found* f, double r, const scree_surface_contact* contact)
{
    if (!(contact->distance < r))
        return;
    if (f->count < f->room)
        f->at[f->count] = *contact;
    ++f->count;
}

// Minima of one triangle, and of its edges and vertices unless an earlier triangle has them too. Whether its plane is near at all.
SCREE_BOTH bool surface_add_minima(const scree_surface* s, int32_t t, const double x[3], double r, surface_found* f)
{
    scree_surface_contact contact;
    double d[3];
    vec_sub(x, s->vertex[s->triangle[t][0]], d);
    double height = vec_dot(d, s->normal[t]);
    if (!(fabs(height) < r))
        return false;
    if (surface_face_is_minimum(s, t, x)) {
        surface_face_contact(s, t, x, height, &contact);
        surface_add(f, r, &contact);
    }
    for (int k = 0; k < 3; ++k) {
        int32_t e = s->side[t][k], v = s->triangle[t][k];
        if (s->edge_triangle[s->edge_start[e]] == t && surface_edge_is_minimum(s, e, x)) {
            surface_edge_contact(s, e, x, &contact);
            surface_add(f, r, &contact);
        }
        if (s->vertex_triangle[v] == t && surface_vertex_is_minimum(s, v, x)) {
            surface_vertex_contact(s, v, x, &contact);
            surface_add(f, r, &contact);
        }
    }
    return true;
}

// scree_surface_contacts, without a check of what is given.
SCREE_BOTH int64_t surface_contacts_of(const scree_surface* s, const double x[3], double r, int64_t count, const int32_t* candidates, scree_surface_contact* out, int64_t room)
{
    surface_found f = {.at = out, .count = 0, .room = room};
    bool any = false;
    for (int64_t n = 0; n < count; ++n)
        any = surface_add_minima(s, candidates[n], x, r, &f) || any;
    if (any && f.count == 0) {
        scree_surface_contact nearest = {.distance = INFINITY}, other;
        for (int64_t n = 0; n < count; ++n)
            if (surface_triangle_closest(s, candidates[n], x, &other) < nearest.distance)
                nearest = other;
        surface_add(&f, r, &nearest);
    }
    if (f.count > f.room)
        return f.count;
    int64_t left = 0;
    for (int64_t n = 0; n < f.count; ++n)
        if ((!s->def.one_sided || out[n].front) && !(s->report.open_edges > 0 && surface_is_open(s, out[n].feature) && surface_is_covered(s, &out[n], x, r, count, candidates)))
            out[left++] = out[n];
    if (left > 1)
        left = surface_drop_same(s, r, out, left);
    if (left > 1 && s->merge_chord > 0.0)
        left = surface_merge_flat(s, out, left);
    surface_sort_contacts(out, left, false);
    return left;
}

#endif
