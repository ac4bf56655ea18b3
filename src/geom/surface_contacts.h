// Contacts of a sphere with a surface of triangles: faces, and the links between them.
//
//      flat seam          convex edge         concave edge
//          o                    o                \  o  /
//     _____|_____           ____|                 \/ \/
//     one contact: the     one: what is        two, and the
//     other face and the   left of two faces   link takes away
//     link cancel          and the link        what they share
//
// Each triangle within reach acts with the force of its own nearest point. Neighbours would then count twice what they
// share, so each link takes one force away: that of the nearest point of the edge, or of a vertex where triangles have
// only a vertex in common. The links are those of a spanning forest of the triangles within reach: by rising distance,
// each that joins two that were not joined yet. So every connected component of the surface counts once, a ring of
// faces around the sphere as well.
//
// The force is the gradient of U = sum over faces of phi(d) - sum over links of phi(d), which changes continuously
// wherever the sphere is: energy is conserved on any mesh. With one_sided U jumps where the centre passes the plane of
// a triangle within reach (docs/surface.md). Where the nearest points of a face and a link are one point of one edge or
// vertex, they cancel exactly, before any law is asked.
//
// Friction and dashpots act on faces only, with a share of 0 to 1 of the face's force, so that the shares of a
// component add up to its load, the sum of its faces less that of its links. A link that joins two groups with the
// loads L1 and L2 takes its force F away from both: from the first F w, from the second F (1 - w), w = (L2 - F) / (L1 +
// L2 - 2 F), and from each face of a group in the same proportion. So a face that hardly differs from its neighbour has
// hardly a share, no share is below 0, and none jumps. For shares the force is the overlap, with laws of a curved
// contact the overlap to the power 1.5.
//
// Cost: some ten multiplications for a triangle whose plane is too far away, about 150 for one that is near; O(m log m)
// for m triangles within reach. Nothing is allocated.
#ifndef SCREE_GEOM_SURFACE_CONTACTS_H
#define SCREE_GEOM_SURFACE_CONTACTS_H

#include "geom/surface_data.h"
#include "geom/vector.h"

SCREE_BOTH bool surface_forward(const scree_surface* s, int32_t t, int32_t a, int32_t b)
{
    const int32_t* v = s->triangle[t];
    return (v[0] == a && v[1] == b) || (v[1] == a && v[2] == b) || (v[2] == a && v[0] == b);
}

// Whether a length is more than rounding; it is given times the root of `square`.
SCREE_BOTH bool surface_is_length(const scree_surface* s, double length, double square)
{
    return length > 0.0 && length * length > s->grain * s->grain * square;
}

// Whether the foot of x in the plane of triangle t is on the triangle's side of edge e.
SCREE_BOTH bool surface_is_inside(const scree_surface* s, int32_t t, int32_t e, const double x[3])
{
    double d[3], along[3], inwards[3];
    vec_sub(x, s->vertex[s->edge[e][0]], d);
    vec_sub(s->vertex[s->edge[e][1]], s->vertex[s->edge[e][0]], along);
    vec_cross(s->normal[t], along, inwards);
    const double in = vec_dot(d, inwards);
    return surface_is_length(s, surface_forward(s, t, s->edge[e][0], s->edge[e][1]) ? in : -in, vec_dot(along, along));
}

SCREE_BOTH double surface_height(const scree_surface* s, int32_t t, const double x[3])
{
    double d[3];
    vec_sub(x, s->vertex[s->triangle[t][0]], d);
    return vec_dot(d, s->normal[t]);
}

// ---- Nearest points ------------------------------------------------------------------------------------------------------
// Every question about an edge or a vertex gets its answer from these two functions, so that equal features have equal
// bits. A foot that is no farther from an edge or a vertex than coordinates are known is on it: by rounding it could
// otherwise be inside of both triangles at a flat seam.

SCREE_BOTH double surface_distance_of_vertex(const scree_surface* s, int32_t v, const double x[3])
{
    double d[3];
    vec_sub(x, s->vertex[v], d);
    return vec_length(d);
}

// The feature of edge e that holds its nearest point: the edge itself or one of its vertices.
SCREE_BOTH int32_t surface_nearest_on_edge(const scree_surface* s, int32_t e, const double x[3], double point[3], double* distance)
{
    const double *a = s->vertex[s->edge[e][0]], *b = s->vertex[s->edge[e][1]];
    double along[3], d[3];
    vec_sub(b, a, along);
    vec_sub(x, a, d);
    const double part = vec_dot(d, along), whole = vec_dot(along, along);
    const bool first = !surface_is_length(s, part, whole);
    if (first || !surface_is_length(s, whole - part, whole)) {
        const int32_t v = s->edge[e][first ? 0 : 1];
        for (int k = 0; k < 3; ++k)
            point[k] = s->vertex[v][k];
        *distance = surface_distance_of_vertex(s, v, x);
        return s->triangles + s->edges + v;
    }
    const double share = part / whole;
    for (int k = 0; k < 3; ++k)
        point[k] = a[k] + share * along[k];
    vec_sub(x, point, d);
    *distance = vec_length(d);
    return s->triangles + e;
}

// The feature of triangle t that holds its nearest point.
SCREE_BOTH int32_t surface_nearest_on_triangle(const scree_surface* s, int32_t t, const double x[3], double* distance)
{
    int32_t best = -1;
    *distance = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const int32_t e = s->side[t][k];
        double point[3], away;
        if (surface_is_inside(s, t, e, x))
            continue;
        const int32_t feature = surface_nearest_on_edge(s, e, x, point, &away);
        if (away < *distance || (away == *distance && feature < best)) {
            best = feature;
            *distance = away;
        }
    }
    if (best >= 0)
        return best;
    *distance = fabs(surface_height(s, t, x));
    return t;
}

// ---- Features as contacts ------------------------------------------------------------------------------------------------
// A centre that is on the surface, as far as coordinates tell, is on its front, and its normal is that of the triangle.

SCREE_BOTH void surface_face_contact(const scree_surface* s, int32_t t, const double x[3], scree_surface_contact* out)
{
    const double *n = s->normal[t], height = surface_height(s, t, x);
    out->front = height >= -s->grain;
    out->distance = fabs(height);
    for (int k = 0; k < 3; ++k) {
        out->point[k] = x[k] - height * n[k];
        out->normal[k] = out->front ? n[k] : -n[k];
    }
}

// The contact at the nearest point of a feature. `t`: a triangle at it; `towards`: the direction that the triangles at
// it face together.
SCREE_BOTH void surface_feature_contact(const scree_surface* s, int32_t nearest, int32_t t, const double x[3], scree_surface_contact* out)
{
    const int32_t e = nearest - s->triangles, v = e - s->edges;
    double d[3], towards[3] = {0.0, 0.0, 0.0};
    out->feature = out->nearest = nearest;
    out->component = 0;
    out->scale = out->load = 1.0;
    if (e < 0) {
        surface_face_contact(s, nearest, x, out);
        return;
    }
    if (v < 0) {
        surface_nearest_on_edge(s, e, x, out->point, &out->distance);
        for (int32_t n = s->edge_start[e]; n < s->edge_start[e + 1]; ++n)
            for (int k = 0; k < 3; ++k)
                towards[k] += s->normal[s->edge_triangle[n]][k];
    } else {
        out->distance = surface_distance_of_vertex(s, v, x);
        for (int k = 0; k < 3; ++k) {
            out->point[k] = s->vertex[v][k];
            towards[k] = s->vertex_normal[v][k];
        }
    }
    vec_sub(x, out->point, d);
    for (int k = 0; k < 3; ++k)
        out->normal[k] = out->distance > s->grain ? d[k] / out->distance : s->normal[t][k];
    out->front = out->distance <= s->grain || vec_dot(d, towards) >= 0.0;
}

// The nearest point of a triangle, as a contact.
SCREE_BOTH double surface_triangle_closest(const scree_surface* s, int32_t t, const double x[3], scree_surface_contact* out)
{
    double distance;
    const int32_t nearest = surface_nearest_on_triangle(s, t, x, &distance);
    surface_feature_contact(s, nearest, t, x, out);
    return out->distance;
}

// ---- Features and their borders ------------------------------------------------------------------------------------------

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

// Whether a feature is edge e or one of its vertices.
SCREE_BOTH bool surface_is_on_edge(const scree_surface* s, int32_t feature, int32_t e)
{
    const int32_t v = feature - s->triangles - s->edges;
    return feature == s->triangles + e || (v >= 0 && (s->edge[e][0] == v || s->edge[e][1] == v));
}

SCREE_BOTH bool surface_has_vertex(const scree_surface* s, int32_t t, int32_t v)
{
    return s->triangle[t][0] == v || s->triangle[t][1] == v || s->triangle[t][2] == v;
}

// ---- Faces and links -----------------------------------------------------------------------------------------------------

// A question: the contacts of a sphere at x, with everything nearer than r.
typedef struct surface_query {
    const scree_surface* s;
    double x[3], r;
    bool one_sided;             // triangles behind whose plane the centre lies are left out
    bool curved;                // shares by the overlap to the power 1.5
    int64_t count;
    const int32_t* candidates;  // rising; all triangles nearer than r are among them
} surface_query;

// A triangle within reach, a group of them, or a link. surface_work_room of them are needed.
typedef struct surface_work {
    double distance;
    double load;      // of a group; a triangle alone is one
    double share;     // part of its load that the group has kept; at last the share of the triangle
    int32_t feature;  // the triangle; of a link the edge or vertex
    int32_t nearest;  // the feature that holds its nearest point
    int32_t parent;   // of a triangle: parent in the union-find forest; a root points to itself
    int32_t group;    // of a root: the group of the whole component
    int32_t above;    // of a group: the larger one that it was joined to; -1: none
    int32_t lowest;   // of a group: the lowest triangle that has a share
    int32_t count;    // link: number of groups joined; leftover term: signed count
} surface_work;

// For this many triangles: themselves, groups of them, links at edges and vertices. The output has at most two terms
// per row, because a forest has fewer links than faces.
SCREE_BOTH int64_t surface_work_room(int64_t rows)
{
    return 8 * rows;
}

// Triangles within reach, rising.
SCREE_BOTH int32_t surface_find_faces(const surface_query* q, surface_work* work)
{
    int32_t count = 0;
    for (int64_t n = 0; n < q->count; ++n) {
        const int32_t t = q->candidates[n];
        const double height = surface_height(q->s, t, q->x);
        double distance = 0.0;
        if (!(fabs(height) < q->r) || (q->one_sided && !(height >= -q->s->grain)))
            continue;
        const int32_t nearest = surface_nearest_on_triangle(q->s, t, q->x, &distance);
        if (!(distance < q->r))
            continue;
        surface_work* face = &work[count++];
        face->distance = distance;
        face->feature = t;
        face->nearest = nearest;
    }
    return count;
}

// The number of triangle t among the faces; -1: it is not within reach.
SCREE_BOTH int32_t surface_face_of(const surface_work* work, int32_t faces, int32_t t)
{
    int32_t low = 0, high = faces;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (work[middle].feature < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low < faces && work[low].feature == t ? low : -1;
}

// The link of face i across edge e, unless a lower face has it.
SCREE_BOTH bool surface_link_at_edge(const surface_query* q, const surface_work* work, int32_t faces, int32_t i, int32_t e,
                                     surface_work* link)
{
    const scree_surface* s = q->s;
    int32_t other = -1;
    for (int32_t n = s->edge_start[e]; n < s->edge_start[e + 1]; ++n) {
        const int32_t t = s->edge_triangle[n];
        if (t == work[i].feature)
            continue;
        const int32_t j = surface_face_of(work, faces, t);
        if (j >= 0 && t < work[i].feature)
            return false;
        if (j >= 0 && other < 0)
            other = j;
    }
    if (other < 0)
        return false;
    link->feature = s->triangles + e;
    link->count = 0;
    for (int side = 0; side < 2; ++side) {  // the nearest point of a face that is on the edge is the edge's as well
        const surface_work* face = &work[side == 0 ? i : other];
        if (surface_is_on_edge(s, face->nearest, e)) {
            link->nearest = face->nearest;
            link->distance = face->distance;
            return true;
        }
    }
    double point[3];
    link->nearest = surface_nearest_on_edge(s, e, q->x, point, &link->distance);
    return link->distance < q->r;
}

// Whether v needs a link of its own: shared edges may not connect all touched triangles there (separate fans, or
// one_sided left some out).
SCREE_BOTH bool surface_needs_vertex(const surface_query* q, const surface_work* work, int32_t faces, int32_t v)
{
    const scree_surface* s = q->s;
    if (s->pinched[v] != 0 || !q->one_sided)
        return s->pinched[v] != 0;
    for (int32_t n = s->vertex_start[v]; n < s->vertex_start[v + 1]; ++n)
        for (int32_t m = s->edge_start[s->vertex_edge[n]]; m < s->edge_start[s->vertex_edge[n] + 1]; ++m)
            if (surface_face_of(work, faces, s->edge_triangle[m]) < 0)
                return true;
    return false;
}

// The link of face i at vertex v, unless a lower face has it.
SCREE_BOTH bool surface_link_at_vertex(const surface_query* q, const surface_work* work, int32_t faces, int32_t i, int32_t v,
                                       surface_work* link)
{
    const scree_surface* s = q->s;
    link->distance = surface_distance_of_vertex(s, v, q->x);
    if (!(link->distance < q->r) || !surface_needs_vertex(q, work, faces, v))
        return false;
    for (int32_t j = 0; j < i; ++j)
        if (surface_has_vertex(s, work[j].feature, v))
            return false;
    link->feature = link->nearest = s->triangles + s->edges + v;
    link->count = 0;
    return true;
}

// By distance, or by the nearest feature; then by number.
SCREE_BOTH bool surface_is_before(const surface_work* a, const surface_work* b, bool by_distance)
{
    if (by_distance && a->distance != b->distance)
        return a->distance < b->distance;
    if (!by_distance && a->nearest != b->nearest)
        return a->nearest < b->nearest;
    return a->feature < b->feature;
}

SCREE_BOTH void surface_sort_work(surface_work* at, int32_t count, bool by_distance)
{
    int32_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int32_t i = gap; i < count; ++i) {
            const surface_work kept = at[i];
            int32_t j = i;
            for (; j >= gap && surface_is_before(&kept, &at[j - gap], by_distance); j -= gap)
                at[j] = at[j - gap];
            at[j] = kept;
        }
}

// All links, by rising distance.
SCREE_BOTH int32_t surface_find_links(const surface_query* q, const surface_work* work, int32_t faces, surface_work* links)
{
    const scree_surface* s = q->s;
    int32_t count = 0;
    for (int32_t i = 0; i < faces; ++i)
        for (int k = 0; k < 3; ++k) {
            const int32_t t = work[i].feature;
            count += surface_link_at_edge(q, work, faces, i, s->side[t][k], &links[count]);
            if (q->one_sided || s->report.pinched > 0)
                count += surface_link_at_vertex(q, work, faces, i, s->triangle[t][k], &links[count]);
        }
    surface_sort_work(links, count, true);
    return count;
}

// ---- Components and shares ----------------------------------------------------------------------------------------------------

SCREE_BOTH int32_t surface_component_of(surface_work* work, int32_t i)
{
    while (work[i].parent != i)
        i = work[i].parent = work[work[i].parent].parent;
    return i;
}

SCREE_BOTH double surface_load_at(const surface_query* q, double distance)
{
    const double overlap = q->r - distance;
    return q->curved ? overlap * sqrt(overlap) : overlap;
}

// Joins the components of two faces by a link with this load, as group number `group`. False: they were joined already.
SCREE_BOTH bool surface_join(surface_work* work, int32_t i, int32_t j, double load, int32_t group)
{
    const int32_t a = surface_component_of(work, i), b = surface_component_of(work, j);
    if (a == b)
        return false;
    surface_work *one = &work[work[a].group], *other = &work[work[b].group], *both = &work[group];
    const double more = one->load > load ? one->load - load : 0.0, less = other->load > load ? other->load - load : 0.0, sum = more + less;
    double part = one->lowest < other->lowest ? 0.0 : 1.0;  // of the link's load, what the first group gives
    if (sum > 0.0)
        part = less / sum;
    one->share = (one->load - load * part) / one->load;
    other->share = (other->load - load * (1.0 - part)) / other->load;
    one->above = other->above = group;
    both->load = one->load >= other->load ? one->load + less : other->load + more;
    both->lowest = part == 0.0 ? one->lowest : part == 1.0 ? other->lowest : one->lowest < other->lowest ? one->lowest : other->lowest;
    both->share = 1.0;
    both->above = -1;
    work[b].parent = a;
    work[a].group = group;
    return true;
}

// Joins what a link has on both sides; how many groups that were apart.
SCREE_BOTH int32_t surface_join_at(const surface_query* q, surface_work* work, int32_t faces, const surface_work* link, int32_t group)
{
    const scree_surface* s = q->s;
    const int32_t e = link->feature - s->triangles, v = e - s->edges;
    const double load = surface_load_at(q, link->distance);
    int32_t first = -1, joined = 0;
    if (v < 0) {
        for (int32_t n = s->edge_start[e]; n < s->edge_start[e + 1]; ++n) {
            const int32_t j = surface_face_of(work, faces, s->edge_triangle[n]);
            if (j >= 0 && first >= 0)
                joined += surface_join(work, first, j, load, group + joined);
            first = first < 0 ? j : first;
        }
        return joined;
    }
    for (int32_t j = 0; j < faces; ++j) {
        if (!surface_has_vertex(s, work[j].feature, v))
            continue;
        if (first >= 0)
            joined += surface_join(work, first, j, load, group + joined);
        first = first < 0 ? j : first;
    }
    return joined;
}

// ---- The whole -----------------------------------------------------------------------------------------------------------

// Terms of links, and of faces without a share, that do not cancel: by rising feature. `left` has room for both.
SCREE_BOTH int64_t surface_add_leftover_terms(const surface_query* q, surface_work* work, int32_t faces, surface_work* left, int32_t links,
                                              scree_surface_contact* out, int64_t room)
{
    int32_t count = 0;
    int64_t added = 0;
    for (int32_t l = 0; l < links; ++l) {
        if (left[l].count == 0)
            continue;
        const int32_t e = left[l].feature - q->s->triangles, joins = left[l].count;
        int32_t first = -1;  // a face at it
        for (int32_t n = e < q->s->edges ? q->s->edge_start[e] : 0; e < q->s->edges && n < q->s->edge_start[e + 1] && first < 0; ++n)
            first = surface_face_of(work, faces, q->s->edge_triangle[n]);
        for (int32_t j = 0; j < faces && first < 0; ++j)
            first = surface_has_vertex(q->s, work[j].feature, e - q->s->edges) ? j : -1;
        left[count] = left[l];
        left[count].parent = first;
        left[count++].count = -joins;
    }
    for (int32_t i = 0; i < faces; ++i)
        if (!(work[i].share > 0.0)) {
            left[count] = work[i];
            left[count].parent = i;
            left[count++].count = 1;
        }
    surface_sort_work(left, count, false);
    for (int32_t n = 0, end; n < count; n = end) {
        int32_t sum = 0;
        for (end = n; end < count && left[end].nearest == left[n].nearest; ++end)
            sum += left[end].count;
        if (sum == 0)
            continue;
        if (added < room) {
            const int32_t face = left[n].parent;
            surface_feature_contact(q->s, left[n].nearest, work[face].feature, q->x, &out[added]);
            out[added].component = work[surface_component_of(work, face)].lowest;
            out[added].scale = (double)sum;
            out[added].load = 0.0;
        }
        ++added;
    }
    return added;
}

// scree_surface_contacts, without a check of what is given; a contact's load is its share.
SCREE_BOTH int64_t surface_contacts_of(const surface_query* q, surface_work* work, scree_surface_contact* out, int64_t room)
{
    const int32_t faces = surface_find_faces(q, work);
    if (faces == 0)
        return 0;
    if (faces == 1) {
        if (room > 0) {
            surface_feature_contact(q->s, work[0].nearest, work[0].feature, q->x, &out[0]);
            out[0].feature = work[0].feature;
        }
        return 1;
    }
    surface_work* links = work + 2 * faces;
    for (int32_t i = 0; i < faces; ++i) {
        work[i].parent = work[i].group = i;
        work[i].above = -1;
        work[i].load = surface_load_at(q, work[i].distance);
        work[i].share = 1.0;
        work[i].lowest = i;
    }
    const int32_t link_count = surface_find_links(q, work, faces, links);
    int32_t groups = faces;
    for (int32_t l = 0; l < link_count; ++l) {
        links[l].count = surface_join_at(q, work, faces, &links[l], groups);
        groups += links[l].count;
    }
    for (int32_t g = groups - 1; g >= 0; --g)
        if (work[g].above >= 0)
            work[g].share *= work[work[g].above].share;
    int32_t components = 0;  // numbered in `lowest` of the face that stands for each
    for (int32_t i = 0; i < faces; ++i)
        work[i].lowest = -1;
    for (int32_t i = 0; i < faces; ++i) {
        surface_work* component = &work[surface_component_of(work, i)];
        component->lowest = component->lowest < 0 ? components++ : component->lowest;
    }
    int64_t count = 0;
    for (int32_t i = 0; i < faces; ++i) {
        if (!(work[i].share > 0.0))
            continue;
        if (count < room) {
            surface_feature_contact(q->s, work[i].nearest, work[i].feature, q->x, &out[count]);
            out[count].feature = work[i].feature;
            out[count].component = work[surface_component_of(work, i)].lowest;
            out[count].load = work[i].share;
        }
        ++count;
    }
    const bool fits = count < room;
    return count + surface_add_leftover_terms(q, work, faces, links, link_count, fits ? out + count : out, fits ? room - count : 0);
}

#endif
