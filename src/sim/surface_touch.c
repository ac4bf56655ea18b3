// Spheres and shapes (surfaces.h): which are near, where they touch, and whether a centre has passed through one.
//
// Cost: a sphere that is far from all shapes costs nothing in a step. In a new list each block of spheres is compared with each shape by balls that hold them; then each sphere;
// then the tree of the mesh gives the triangles. Steps look at the contacts of these triangles.
#include "sim/sim_inner.h"

#include "base/array.h"
#include "base/parallel.h"
#include "geom/vector.h"

// ---- Axes of the shape ---------------------------------------------------------------------------------------------------

// x in the axes of the shape, which were turned by `turn` when its point stood at `at`.
static void to_shape(const sim_boundary* b, const double turn[3][3], const double at[3], const double x[3], double out[3])
{
    const double* origin = b->shape->origin;
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

static void to_box(const sim_boundary* b, const double turn[3][3], const double n[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = b->turned ? vec_dot(turn[k], n) : n[k];
}

// The image of x, of a sphere or a point, that is next to the middle of the shape.
static void next_to(const sim_cell* cell, const sim_boundary* b, const double x[3], double out[3])
{
    const sim_shape* s = b->shape;
    double middle[3], way[3];
    vec_sub(s->centre, s->origin, middle);
    to_box(b, b->turn, middle, way);
    for (int k = 0; k < 3; ++k) {
        out[k] = x[k];
        if (s->wraps[k])
            out[k] -= cell->h[k][k] * rint((x[k] - (b->at[k] + way[k])) / cell->h[k][k]);
    }
}

static bool has_images(const sim_shape* s)
{
    return s->wraps[0] || s->wraps[1] || s->wraps[2];
}

double shape_distance(const scree_sim* sim, const sim_boundary* b, const double x[3])
{
    double here[3], near[3];
    scree_surface_contact nearest;
    next_to(&sim->cell, b, x, near);
    to_shape(b, b->turn, b->at, near, here);
    scree_status status = b->shape->mesh ? scree_surface_closest(b->shape->surface, here, &nearest) : scree_exact_closest(&b->shape->exact, here, &nearest);
    return status == SCREE_OK ? nearest.distance : INFINITY;
}

// ---- Features ------------------------------------------------------------------------------------------------------------

int32_t shape_home(const sim_shape* shape, int32_t feature)
{
    if (!shape->mesh) {
        int32_t features = shape->exact.kind == SCREE_EXACT_BOX ? 7 : 3;
        return feature < 0 || feature >= features ? -1 : shape->parts > 1 && feature < 6 ? feature : 0;
    }
    const scree_surface_arrays* a = &shape->arrays;
    int32_t e = feature - a->triangles, v = e - a->edges;
    if (feature < 0 || v >= a->vertices)
        return -1;
    if (e < 0)
        return feature;
    if (v < 0)
        return a->edge_triangle[a->edge_start[e]];
    int32_t least = INT32_MAX;
    for (int32_t n = a->vertex_start[v]; n < a->vertex_start[v + 1]; ++n) {
        int32_t t = a->edge_triangle[a->edge_start[a->vertex_edge[n]]];
        least = t < least ? t : least;
    }
    return least;
}

static int vertices_of(const scree_surface_arrays* a, int32_t feature, int32_t out[3])
{
    int32_t e = feature - a->triangles, v = e - a->edges;
    if (v >= 0) {
        out[0] = v;
        return 1;
    }
    const int32_t* from = e < 0 ? a->triangle[feature] : a->edge[e];
    int count = e < 0 ? 3 : 2;
    for (int k = 0; k < count; ++k)
        out[k] = from[k];
    return count;
}

bool shape_joined(const sim_shape* shape, int32_t feature, int32_t other)
{
    if (!shape->mesh)
        return !(shape->exact.kind == SCREE_EXACT_BOX && feature < 6 && other < 6 && feature / 2 == other / 2);  // opposite faces of a box are not
    int32_t a[3], b[3];
    int n = vertices_of(&shape->arrays, feature, a), m = vertices_of(&shape->arrays, other, b);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            if (a[i] == b[j])
                return true;
    return false;
}

// ---- Which are near ------------------------------------------------------------------------------------------------------

typedef struct near_job {
    scree_sim* sim;
    double margin;
    bool count_only;
    int64_t* most;      // rows of a group, of each block
    int32_t* shapes;    // [block][shape]: numbers of the boundaries near it
} near_job;

// Whether it may come next to another image of the shape before the list is made anew: from that image it is at most so far away.
static bool may_change_image(const sim_cell* cell, const sim_boundary* b, const double near[3], double reach)
{
    const sim_shape* s = b->shape;
    double middle[3], way[3];
    vec_sub(s->centre, s->origin, middle);
    to_box(b, b->turn, middle, way);
    for (int k = 0; k < 3; ++k)
        if (s->wraps[k] && cell->h[k][k] - fabs(near[k] - (b->at[k] + way[k])) <= (s->radius + reach) * (1.0 + 1e-9))
            return true;
    return false;
}

// Rows of a sphere with a shape, written from `to` on if there is room for them.
static int64_t rows_near(const sim_cell* cell, const sim_boundary* b, const double x[3], double reach, int32_t* to, int64_t room)
{
    const sim_shape* s = b->shape;
    double here[3], d[3], near[3];
    memcpy(near, x, sizeof near);
    if (has_images(s)) {
        next_to(cell, b, x, near);
        if (may_change_image(cell, b, near, reach)) {  // hardly ever: then all of its parts are possible
            for (int32_t p = 0; p < s->parts && p < room; ++p)
                to[p] = p;
            return s->parts;
        }
    }
    to_shape(b, b->turn, b->at, near, here);
    if (s->radius < INFINITY) {
        vec_sub(here, s->centre, d);
        double far = s->radius + reach;
        if (!(vec_dot(d, d) <= far * far * (1.0 + 1e-9)))
            return 0;
    }
    if (s->mesh)
        return scree_surface_near(s->surface, here, reach, to, room);
    scree_surface_contact contact;
    scree_exact_closest(&s->exact, here, &contact);
    if (!(contact.distance < reach * (1.0 + 1e-9)))
        return 0;
    for (int32_t p = 0; p < s->parts && p < room; ++p)
        to[p] = p;
    return s->parts;
}

// A ball that holds the spheres of a block: not the smallest.
static double ball_of_block(const scree_sim* sim, int64_t begin, int64_t end, double centre[4])
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, r = 0.0, half[3];
    for (int64_t i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) {
            lower[k] = fmin(lower[k], sim->x[i][k]);
            upper[k] = fmax(upper[k], sim->x[i][k]);
        }
        r = fmax(r, sim->x[i][3]);
    }
    for (int k = 0; k < 3; ++k) {
        centre[k] = 0.5 * (lower[k] + upper[k]);
        half[k] = 0.5 * (upper[k] - lower[k]);
    }
    return vec_length(half) * (1.0 + 1e-12) + r;
}

static bool is_near_block(const sim_cell* cell, const sim_boundary* b, const double centre[3], double reach)
{
    const sim_shape* s = b->shape;
    double here[3], d[3], near[3];
    scree_surface_contact contact;
    next_to(cell, b, centre, near);
    for (int k = 0; k < 3; ++k)  // a block as long as the box is near some image
        if (s->wraps[k] && !(reach < 0.5 * cell->h[k][k]))
            return true;
    to_shape(b, b->turn, b->at, near, here);
    vec_sub(here, s->centre, d);
    if (has_images(s))
        return vec_length(d) < (s->radius + reach) * (1.0 + 1e-9);
    if (s->mesh)
        return vec_length(d) < (s->radius + reach) * (1.0 + 1e-9);
    scree_exact_closest(&s->exact, here, &contact);
    return contact.distance < reach * (1.0 + 1e-9);
}

static scree_status find_near(void* context, int64_t block)
{
    const near_job* job = context;
    scree_sim* sim = job->sim;
    sim_surfaces* s = &sim->surfaces;
    int64_t group = s->group_first[block], row = s->row_first[block], most = 0, begin = block * sim_block;
    int64_t end = begin + sim_block < sim->n ? begin + sim_block : sim->n;
    double centre[4], all = ball_of_block(sim, begin, end, centre) + job->margin;
    int32_t *near = job->shapes + block * s->count, count = 0;
    for (int32_t b = boundary_faces; b < sim->boundary_count; ++b)
        if (sim->boundaries_now[b].shape != NULL && is_near_block(&sim->cell, &sim->boundaries_now[b], centre, all))
            near[count++] = b;
    for (int64_t i = begin; i < end && count > 0; ++i)
        for (int32_t c = 0; c < count && sees_boundaries(sim, i); ++c) {
            const sim_boundary* b = &sim->boundaries_now[near[c]];
            int64_t found = rows_near(&sim->cell, b, sim->x[i], sim->x[i][3] + job->margin, job->count_only ? NULL : s->part + row, job->count_only ? 0 : s->row_capacity - row);
            if (found == 0)
                continue;
            if (!job->count_only)
                s->group[group] = (surface_near){.rank = (int32_t)i, .boundary = near[c], .first = row};
            for (int64_t p = 0; p < found && !job->count_only; ++p) {
                s->row[row + p][0] = (int32_t)i;
                s->row[row + p][1] = b->shape->first + s->part[row + p];
            }
            ++group;
            row += found;
            most = found > most ? found : most;
        }
    if (job->count_only) {
        s->group_first[block] = group;
        s->row_first[block] = row;
        job->most[block] = most;
    }
    return SCREE_OK;
}

scree_status surfaces_find_near(scree_sim* sim, double margin)
{
    sim_surfaces* s = &sim->surfaces;
    if (s->count == 0)
        return SCREE_OK;
    near_job job = {.sim = sim, .margin = margin, .count_only = true};
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    memset(s->group_first, 0, ((size_t)sim->blocks + 1) * sizeof *s->group_first);
    memset(s->row_first, 0, ((size_t)sim->blocks + 1) * sizeof *s->row_first);
    s->most = 0;
    job.most = scree_calloc((size_t)sim->blocks + 1, sizeof *job.most);
    job.shapes = scree_malloc((size_t)(sim->blocks * s->count) + 1, sizeof *job.shapes);
    scree_status status = job.most == NULL || job.shapes == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    int64_t groups = 0, rows = 0;
    if (status == SCREE_OK)
        scree_parallel_for(sim->threads, sim->blocks, find_near, &job, NULL);
    for (int64_t b = 0; b <= sim->blocks && status == SCREE_OK; ++b) {
        int64_t group = b < sim->blocks ? s->group_first[b] : 0, row = b < sim->blocks ? s->row_first[b] : 0;
        s->group_first[b] = groups;
        s->row_first[b] = rows;
        groups += group;
        rows += row;
        s->most = job.most[b] > s->most ? job.most[b] : s->most;
    }
    if (status == SCREE_OK && (SCREE_RESERVE(s->group, s->group_capacity, groups + 1) != SCREE_OK || SCREE_RESERVE(s->row, s->row_capacity, rows + 1) != SCREE_OK ||
                               SCREE_RESERVE(s->part, s->part_capacity, rows + 1) != SCREE_OK))
        status = SCREE_ERR_MEMORY;
    for (int32_t d = 0; d < sim->desk_count && status == SCREE_OK; ++d)
        status = surface_desk_reserve(sim, &sim->desks[d].surface);
    job.count_only = false;
    if (status == SCREE_OK)
        status = scree_parallel_for(sim->threads, sim->blocks, find_near, &job, NULL);
    if (status == SCREE_OK)
        s->group[groups] = (surface_near){.rank = -1, .boundary = -1, .first = rows};
    else
        memset(s->group_first, 0, ((size_t)sim->blocks + 1) * sizeof *s->group_first);
    scree_free(job.most);
    scree_free(job.shapes);
    return status;
}

// Contacts that are left out later need room too: seven for each triangle are enough. Some touches are worked on together.
scree_status surface_desk_reserve(const scree_sim* sim, surface_desk* desk)
{
    int64_t room = 7 * sim->surfaces.most + SCREE_EXACT_CONTACTS_MAX, touches = sim->surfaces.most + SCREE_EXACT_CONTACTS_MAX + surface_together;
    if (sim->surfaces.count == 0)
        return SCREE_OK;
    return SCREE_RESERVE(desk->contacts, desk->room, room) != SCREE_OK || SCREE_RESERVE(desk->touches, desk->touch_room, touches) != SCREE_OK ? SCREE_ERR_MEMORY : SCREE_OK;
}

void surface_desk_free(surface_desk* desk)
{
    scree_free(desk->contacts);
    scree_free(desk->touches);
    *desk = (surface_desk){.contacts = NULL};
}

// ---- Where they touch ------------------------------------------------------------------------------------------------------

// The same feature half a step before: the plane of a triangle, the line of an edge, the vertex; of an exact shape its nearest point then.
static void half_before(const sim_pass* pass, const sim_boundary* b, const scree_surface_contact* now, const double here[3], const double* x, const double* v, boundary_point* out)
{
    const sim_shape* s = b->shape;
    double half = 0.5 * pass->whole[0], then[3], at[3], was[3], n[3], d[3];
    for (int k = 0; k < 3; ++k) {
        then[k] = x[k] - half * v[k];
        at[k] = b->at[k] - half * b->velocity[k];
    }
    to_shape(b, b->turn_half, at, then, was);
    int32_t e = s->mesh ? now->feature - s->arrays.triangles : 0;
    bool flat = s->mesh ? e < 0 : s->exact.kind == SCREE_EXACT_PLANE || (s->exact.kind == SCREE_EXACT_BOX && now->feature < 6);
    if (flat) {
        vec_sub(was, here, d);
        out->inside = now->distance + vec_dot(d, now->normal);
        to_box(b, b->turn_half, now->normal, out->n);
        return;
    }
    if (!s->mesh) {
        scree_surface_contact before;
        scree_exact_closest(&s->exact, was, &before);
        out->inside = before.distance;
        to_box(b, b->turn_half, before.normal, out->n);
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
    to_box(b, b->turn_half, n, out->n);
}

// The row of a part of the group; -1: it is not near.
static int64_t row_of(const sim_surfaces* s, const surface_near* group, int32_t part)
{
    int64_t low = group[0].first, high = group[1].first;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (s->part[middle] < part)
            low = middle + 1;
        else
            high = middle;
    }
    return low < group[1].first && s->part[low] == part ? low : -1;
}

int64_t surface_find(const sim_pass* pass, const surface_near* group, surface_desk* desk, surface_touch* out)
{
    const sim_surfaces* near = pass->surfaces;
    const sim_boundary* b = &pass->boundaries[group->boundary];
    const sim_shape* s = b->shape;
    const double* own = pass->x[group->rank];
    double x[4] = {own[0], own[1], own[2], own[3]}, reach = x[3] + pass->law.reach;
    bool halves = pass->mode != SIM_REST && pass->law.turns;
    double here[3];
    int64_t count = 0, found;
    if (has_images(s))
        next_to(&pass->cell, b, own, x);
    to_shape(b, b->turn, b->at, x, here);
    if (s->mesh)
        found = scree_surface_contacts(s->surface, here, reach, group[1].first - group[0].first, near->part + group->first, desk->contacts, desk->room);
    else
        found = scree_exact_contacts(&s->exact, here, reach, desk->contacts);
    for (int64_t c = 0; c < found; ++c) {
        const scree_surface_contact* from = &desk->contacts[c];
        if (s->one_sided && !from->front)
            continue;
        surface_touch touch = {.rank = group->rank, .boundary = group->boundary, .feature = from->feature, .at = {.inside = from->distance}};
        touch.row = row_of(near, group, shape_home(s, from->feature));
        to_box(b, b->turn, from->normal, touch.at.n);
        memcpy(touch.point, from->point, sizeof touch.point);
        memcpy(touch.x, x, sizeof touch.x);
        touch.half = touch.at;
        if (halves && pass->whole[0] > 0.0)
            half_before(pass, b, from, here, x, sim_at(pass->v, group->rank), &touch.half);
        int64_t to = count++;
        for (; to > 0 && out[to - 1].row > touch.row; --to)
            out[to] = out[to - 1];
        if (to > 0 && out[to - 1].row == touch.row)
            touch.row = -1;
        out[to] = touch;
    }
    return count;
}

// ---- Whether a centre has passed -------------------------------------------------------------------------------------------

static bool passes_triangle(const scree_surface_arrays* a, int32_t t, const double from[3], const double to[3])
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
static bool passes_exact(const scree_exact* exact, const double from[3], const double to[3])
{
    scree_surface_contact before, after, middle;
    double low[3], high[3], between[3];
    scree_exact_closest(exact, from, &before);
    scree_exact_closest(exact, to, &after);
    if (before.front == after.front)
        return false;
    if (exact->kind == SCREE_EXACT_PLANE || exact->kind == SCREE_EXACT_SPHERE || exact->kind == SCREE_EXACT_BOX)
        return true;
    memcpy(low, from, sizeof low);
    memcpy(high, to, sizeof high);
    for (int n = 0; n < 60; ++n) {
        for (int k = 0; k < 3; ++k)
            between[k] = 0.5 * (low[k] + high[k]);
        scree_exact_closest(exact, between, &middle);
        memcpy(middle.front == before.front ? low : high, between, sizeof between);
    }
    scree_exact_closest(exact, low, &before);
    scree_exact_closest(exact, high, &after);
    return before.feature == 0 && after.feature == 0;
}

bool surface_crossed(const sim_pass* pass, const surface_near* group, const surface_touch* touches, int64_t count)
{
    const sim_boundary* b = &pass->boundaries[group->boundary];
    const sim_shape* s = b->shape;
    const double *own = pass->x[group->rank], *v = sim_at(pass->v, group->rank), step = pass->whole[0];
    if (pass->mode < SIM_OBSERVE)
        return false;
    double x[4] = {own[0], own[1], own[2], own[3]};
    if (has_images(s))
        next_to(&pass->cell, b, own, x);
    double relative[3], nearest = INFINITY;
    vec_sub(v, b->velocity, relative);
    for (int64_t c = 0; c < count; ++c)
        nearest = fmin(nearest, touches[c].at.inside);
    double moved = (vec_length(relative) + b->speed) * step;  // at most
    if (!(fmin(nearest, x[3]) <= moved) && !s->one_sided)  // touches on the back of one-sided shapes are not seen
        return false;
    double then[3], at[3], from[3], to[3], whole[3][3] = {{0.0}};
    for (int k = 0; k < 3; ++k) {
        then[k] = x[k] - step * v[k];
        at[k] = b->at[k] - step * b->velocity[k];
    }
    for (int i = 0; i < 9 && b->turned; ++i) {  // a whole step back is twice the half
        double sum = 0.0;
        for (int k = 0; k < 3; ++k)
            sum += vec_dot(b->turn_half[i / 3], b->turn[k]) * b->turn_half[k][i % 3];
        whole[i / 3][i % 3] = sum;
    }
    to_shape(b, (const double(*)[3])whole, at, then, from);
    to_shape(b, b->turn, b->at, x, to);
    if (!s->mesh)
        return passes_exact(&s->exact, from, to);
    for (int64_t row = group[0].first; row < group[1].first; ++row)
        if (passes_triangle(&s->arrays, pass->surfaces->part[row], from, to))
            return true;
    return false;
}
