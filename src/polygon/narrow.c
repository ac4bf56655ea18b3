// Two bodies that may touch by the rule node-to-segment: which vertices are inside, how deep, and the forces. Also
// what both rules share: a contact that pushes and rubs (narrow_push), discs, boundaries.
//
//     1. the boxes of the two bodies must overlap.
//     2. vertices of i in the box of j (the pre-test), inside j by ray crossing, nearest boundary point of j; and vice versa.
//     3. overlaps that contain no vertex of either (crossing.c).
//
// All coordinates are relative to the body whose edges are tested, in its own axes, so that a pair far from the origin, or through a periodic
// face, is as accurate as one at the origin. For bodies with many vertices both the vertices and the nearest edge are found through the tree of edges:
// O(log n) and the nearby edges.
//
// The energy of a vertex inside is k g^2 / 2 with g its distance to the boundary: continuous where the nearest edge changes, and past a reflex
// vertex, where the nearest point is the vertex itself. It is not smooth on the medial axis: beyond it a vertex is pushed
// out through the other side. Contacts should be shallow: g far below the width of the bodies. Contacts that come near the middle are reported (`deep`), and the
// step ends with an error: nothing passes through a wall unnoticed. Near a corner the nearest edge changes at any
// depth, and with it the direction of the force, so that bodies with flush sides fall through each other: a vertex
// whose direction turns by more than 60 degrees within a step ends the run too, and so do sides that coincide
// (crossing.c). The rule of rounded.c has no such places.
// B. Muth, M.-K. Mueller, P. Eberhard, S. Luding, "Contacts between many bodies", section 3 (node to segment).
#include "polygon/polygon_inner.h"

#include <string.h>

// How far s slips along m in this step, from the middle of it.
static double slip_of(const scene_view* view, const body* s, const body* m, const touch_point* at)
{
    double half = 0.5 * view->step, r[2], away[2], e[2];
    half_grip g;
    friction_turn(at->r, -s->spin * half, r);
    for (int k = 0; k < 2; ++k)
        away[k] = (at->other[k] - at->r[k]) - (s->v[k] - m->v[k]) * half + r[k];
    friction_turn(at->out, -m->spin * half, g.n);
    if (at->pointed) {
        friction_turn(at->at, -m->spin * half, e);
        double sign = (at->other[0] - at->at[0]) * at->out[0] + (at->other[1] - at->at[1]) * at->out[1] > 0.0 ? 1.0 : -1.0;
        double dx = away[0] - e[0], dy = away[1] - e[1], length = sqrt(dx * dx + dy * dy);
        if (length > 0.0) {
            g.n[0] = sign * dx / length;
            g.n[1] = sign * dy / length;
        }
    }
    double arm = at->arm;
    if (arm != 0.0) {  // half of the overlap less, as it was then
        double vx = (s->v[0] - s->spin * r[1]) - (m->v[0] - m->spin * away[1]), vy = (s->v[1] + s->spin * r[0]) - (m->v[1] + m->spin * away[0]);
        arm -= 0.5 * half * (vx * g.n[0] + vy * g.n[1]);
    }
    for (int k = 0; k < 2; ++k) {
        g.r[k] = r[k] - arm * g.n[k];
        g.other[k] = away[k] - arm * g.n[k];
    }
    return friction_slip(view, s, m, &g);
}

// Friction of a contact with this normal force, added to the sums and to f; where it acts is written to `arm`, from s's place.
static gripped rub(const touching* t, const touch_side* s, const touch_side* m, bool turn, const touch_point* at, double dashpot,
                   double normal, double f[2], double arm[2])
{
    const candidate* pair = t->pair;
    const friction_law* law = &law_between(t->view, s->b->material, m->b->material)->friction;
    pair_sum* sum = t->sum;
    grip g = {.s = s->b,
              .m = m->b,
              .n = {at->out[0], at->out[1]},
              .normal = normal,
              .dashpot = at->share * law->damping * dashpot,
              .law = law,
              .slip = t->row->advances ? slip_of(t->view, s->b, m->b, at) : 0.0,
              .share = at->share,
              .remembered = {.i = pair->i, .j = pair->j, .shift = {pair->shift[0], pair->shift[1]}, .key = at->key},
              .old = at->old};
    double along[2] = {0.0, 0.0}, sign = turn ? -1.0 : 1.0;
    for (int k = 0; k < 2; ++k) {
        arm[k] = g.r[k] = at->r[k] - at->arm * at->out[k];
        g.other[k] = at->other[k] - at->arm * at->out[k];
    }
    gripped held = friction_of(t->view, &g, t->row, along);
    for (int k = 0; k < 2; ++k) {
        f[k] += along[k];
        sum->force[k] += sign * along[k];
    }
    sum->torque[turn] += g.r[0] * along[1] - g.r[1] * along[0];
    sum->torque[!turn] -= g.other[0] * along[1] - g.other[1] * along[0];
    return held;
}

static void record_contact(const touching* t, const touch_side* s, const touch_side* m, bool turn, const touch_point* at,
                           const scree_contact* row)
{
    const candidate* pair = t->pair;
    recorder* record = t->record;
    if (record->count < record->room) {
        scree_contact* to = &record->out[record->count];
        *to = *row;
        to->i = s->number;
        to->j = m->number;
        to->kind = at->kind;
        to->feature = at->feature;
        for (int k = 0; k < 2; ++k) {
            to->shift[k] = (int8_t)(turn ? -pair->shift[k] : pair->shift[k]);
            to->point[k] += s->b->x[k];
            to->normal[k] = at->out[k];
        }
        to->depth = at->depth;
    }
    ++record->count;
}

void narrow_push(const touching* t, const touch_side* s, const touch_side* m, bool turn, const touch_point* at)
{
    const scene_view* view = t->view;
    const pair_law* laws = law_between(view, s->b->material, m->b->material);
    pair_sum* sum = t->sum;
    contact_in in = {.with = &laws->normal, .overlap = at->depth, .damped = view->law->damped};
    if (view->law->damped) {
        in.dashpot = law_dashpot(view->law, in.with, s->b->inverse_mass + m->b->inverse_mass);
        double vs[2], vm[2];
        body_velocity(view, s->b, at->r, vs);
        body_velocity(view, m->b, at->other, vm);
        in.along = (vs[0] - vm[0]) * at->out[0] + (vs[1] - vm[1]) * at->out[1];
    }
    double load = law_spring(&in), normal = load;
    if (at->share != 1.0 && in.damped) {
        in.damped = false;
        const double elastic = law_spring(&in);
        normal = at->share * load + (1.0 - at->share) * elastic;
    }
    load *= at->share;
    double f[2] = {normal * at->out[0], normal * at->out[1]}, sign = turn ? -1.0 : 1.0;
    sum->force[0] += sign * f[0];
    sum->force[1] += sign * f[1];
    sum->torque[turn] += at->r[0] * f[1] - at->r[1] * f[0];
    sum->torque[!turn] -= at->other[0] * f[1] - at->other[1] * f[0];
    ++sum->contacts;
    sum->overlap = edge_most(sum->overlap, at->depth);
    gripped held = {.slides = false};
    double arm[2] = {at->r[0], at->r[1]};
    if (t->row != NULL && laws->friction.mu > 0.0)
        held = rub(t, s, m, turn, at, in.dashpot, load, f, arm);
    sum->power[0] += at->share * in.dashpot * in.along * in.along;
    sum->power[1] += held.power;
    if (t->record != NULL)
        record_contact(t, s, m, turn, at,
                       &(scree_contact){.point = {arm[0], arm[1]},
                                        .force = {f[0], f[1]},
                                        .energy = view->law->row.energy(in.with, at->depth, NULL) + held.energy,
                                        .tangential = held.along,
                                        .energy_tangential = held.energy,
                                        .slides = held.slides});
}

// What the contact of a sharp vertex or a disc remembers.
static void find_memory(const touching* t, bool turn, touch_point* at)
{
    at->key = memory_key(turn ? memory_second : memory_first, at->kind == SCREE_CONTACT_VERTEX ? at->feature : 0, 0);
    at->old = t->row != NULL ? friction_find(t->row, at->key) : NULL;
}

// The way out of m, in the plane's axes, for a point x inside m (m's own axes). False: it is on the boundary, and there is no way to go.
static bool way_out(const body* m, const double x[2], const edge_near* near, touch_point* at)
{
    double* out = at->out;
    const edge_tree* tree = m->tree;
    const double *t = tree->t[near->edge], *a = tree->p[near->edge];
    if (near->along > 0.0 && near->along < t[2]) {
        const double outward[2] = {t[1], -t[0]};
        at->depth = t[0] * (x[1] - a[1]) - t[1] * (x[0] - a[0]);
        plane_axes(m, outward, out);
        return at->depth > 0.0;
    }
    const double* v = near->along > 0.0 ? tree->p[near->edge + 1] : a;  // a reflex vertex
    double d[2] = {v[0] - x[0], v[1] - x[1]};
    at->depth = sqrt(near->square);
    if (!(at->depth > 0.0))
        return false;
    d[0] /= at->depth;
    d[1] /= at->depth;
    plane_axes(m, d, out);
    plane_axes(m, v, at->at);
    at->pointed = true;
    return true;
}

// Whether x, this deep inside m (below 0: outside), is near the middle of m there, or will be after the next step: what lies 2.2 times as deep on the same way in is
// outside again. The next step counts because fast ones would be past the middle before anybody looks. In a sharp corner that is so at any depth,
// and harmless while it is shallow: a tenth of the widths of the two is.
static bool too_deep(const scene_view* view, const touch_side* s, const touch_side* m, const double x[2], const touch_point* at,
                     double depth, int64_t* looked)
{
    double vs[2], vm[2], in[2];
    body_velocity(view, s->b, at->r, vs);
    body_velocity(view, m->b, at->other, vm);
    double inward = (vm[0] - vs[0]) * at->out[0] + (vm[1] - vs[1]) * at->out[1], next = depth + fmax(inward, 0.0) * view->step;
    if (!(next > 0.1 * fmin(s->b->width, m->b->width)))
        return false;
    // One that is all inside a fixed body is near none of its pieces: the list would forget it (candidates.c).
    if (m->b->fixed && next > s->b->width)
        return true;
    body_axes(m->b, at->out, in);
    const double way = 2.2 * next - depth, beyond[2] = {x[0] - way * in[0], x[1] - way * in[1]};
    return !edge_tree_contains(m->b->tree, beyond, looked);
}

// Whether the way out has turned by more than 60 degrees in this step. For a vertex that was outside before, it is
// compared with the normal of the side that it was nearest to.
static bool has_jumped(const touching* t, const body* s, const body* m, const touch_point* at, int64_t* looked)
{
    const double step = t->view->step;
    double rotated[2], relative[2], before[2], x[2], now[2];
    friction_turn(at->r, -s->spin * step, rotated);
    for (int k = 0; k < 2; ++k)
        relative[k] = (at->other[k] - at->r[k]) + rotated[k] - (s->v[k] - m->v[k]) * step;
    friction_turn(relative, m->spin * step, before);
    body_axes(m, before, x);
    const bool inside = edge_tree_contains(m->tree, x, looked);
    edge_near near = edge_tree_nearest(m->tree, x, looked);
    touch_point then = {.depth = 0.0};
    if (!way_out(m, x, &near, &then) && inside)
        return false;
    body_axes(m, at->out, now);
    body_axes(m, then.out, x);
    const double turned = (now[0] * x[0] + now[1] * x[1]) * (then.pointed && !inside ? -1.0 : 1.0);
    return turned < 0.5 && (x[0] != 0.0 || x[1] != 0.0);  // 0: it was on a corner
}

// Vertices of s inside m; d is the place of s less that of m. False: stopped.
static bool vertices_in(const touching* t, const touch_side* s, const touch_side* m, const double d[2], bool turn)
{
    tally* work = t->work;
    // m's box, relative to s: first in s's own axes for its tree, then vertex by vertex.
    const double box[4] = {m->b->box[0] - d[0], m->b->box[1] - d[1], m->b->box[2] - d[0], m->b->box[3] - d[1]};
    const edge_tree* tree = s->b->tree;
    double own[4];
    body_axes_box(s->b, box, own);
    int32_t node = 1, first;
    int64_t nodes = 0, looked = 0;
    work->offered += tree->n;
    while ((first = edge_leaf_counted(tree, own, &node, &nodes)) >= 0) {
        int64_t before = work->tested;
        for (int32_t i = first; i < edge_leaf_end(tree, first); ++i) {
            const double* r = s->turned[i];
            if (!((box[0] <= r[0]) & (r[0] <= box[2]) & (box[1] <= r[1]) & (r[1] <= box[3])))
                continue;
            ++work->tested;
            double other[2] = {d[0] + r[0], d[1] + r[1]}, x[2];
            body_axes(m->b, other, x);
            if (!edge_tree_contains(m->b->tree, x, &looked))
                continue;
            edge_near near = edge_tree_nearest(m->b->tree, x, &looked);
            touch_point at = {.r = {r[0], r[1]}, .other = {other[0], other[1]}, .feature = i, .kind = SCREE_CONTACT_VERTEX, .share = 1.0};
            if (!way_out(m->b, x, &near, &at))
                continue;
            if (too_deep(t->view, s, m, x, &at, at.depth, &looked))
                t->sum->deep = fmax(t->sum->deep, at.depth);
            if (t->view->stepping && !t->view->allow_deep && t->sum->jumped == 0 && has_jumped(t, s->b, m->b, &at, &looked))
                t->sum->jumped = turn ? -1 - i : 1 + i;
            find_memory(t, turn, &at);
            narrow_push(t, s, m, turn, &at);
        }
        if (!tally_work(work, node_units * (nodes + looked + edge_leaf) + vertex_units * (work->tested - before)))
            return false;
        nodes = looked = 0;
    }
    return tally_work(work, node_units * nodes);
}

// Disc s and polygon m.
static void disc_in(const touching* t, const touch_side* s, const touch_side* m, const double d[2], bool turn)
{
    tally* work = t->work;
    double x[2], r = s->b->radius;
    body_axes(m->b, d, x);
    ++work->offered;
    ++work->tested;
    int64_t looked = 0;
    bool inside = edge_tree_contains(m->b->tree, x, &looked);
    edge_near near = inside ? edge_tree_nearest(m->b->tree, x, &looked) : edge_tree_nearest_within(m->b->tree, x, r * r, &looked);
    work->units += vertex_units + node_units * looked;
    if (near.edge < 0)
        return;
    touch_point at = {.feature = near.edge, .kind = SCREE_CONTACT_DISC, .share = 1.0};
    if (inside) {
        if (!way_out(m->b, x, &near, &at)) {  // the centre is on the boundary: along the edge's normal
            const double* u = m->b->tree->t[near.edge];
            const double outward[2] = {u[1], -u[0]};
            plane_axes(m->b, outward, at.out);
            at.depth = 0.0;
        }
        at.depth += r;
    } else {
        const double *u = m->b->tree->t[near.edge], *a = m->b->tree->p[near.edge];
        double q[2] = {a[0] + near.along * u[0], a[1] + near.along * u[1]}, away[2], distance = sqrt(near.square);
        if (near.along >= u[2])
            memcpy(q, m->b->tree->p[near.edge + 1], sizeof q);
        bool beside = near.along > 0.0 && near.along < u[2];
        for (int k = 0; k < 2; ++k)
            away[k] = beside || !(distance > 0.0) ? (k == 0 ? u[1] : -u[0]) : (x[k] - q[k]) / distance;
        plane_axes(m->b, away, at.out);
        plane_axes(m->b, q, at.at);
        at.pointed = !beside && distance > 0.0;
        at.depth = r - distance;
    }
    if (!(at.depth > 0.0))
        return;
    for (int k = 0; k < 2; ++k) {  // the force goes through the centre of the disc: it turns nothing but the polygon
        at.r[k] = 0.0;
        at.other[k] = d[k];
    }
    at.arm = r - 0.5 * at.depth;
    looked = 0;
    if (too_deep(t->view, s, m, x, &at, at.depth - r, &looked))
        t->sum->deep = fmax(t->sum->deep, at.depth);
    work->units += node_units * looked;
    // The velocity of the disc where it touches has no part along `out` from its spin; that of the polygon is taken on the same line.
    find_memory(t, turn, &at);
    narrow_push(t, s, m, turn, &at);
}

static void discs(const touching* t, const touch_side* s, const touch_side* m, const double d[2])
{
    double reach = s->b->radius + m->b->radius, square = d[0] * d[0] + d[1] * d[1];
    if (!(square < reach * reach))
        return;
    double distance = sqrt(square);
    touch_point at = {.kind = SCREE_CONTACT_DISC, .depth = reach - distance, .other = {d[0], d[1]}, .out = {1.0, 0.0}, .share = 1.0};
    for (int k = 0; k < 2 && distance > 0.0; ++k)
        at.out[k] = d[k] / distance;
    at.arm = s->b->radius - 0.5 * at.depth;
    at.pointed = distance > 0.0;
    if (t->view->rounded && t->view->stepping && at.pointed)
        rounded_check_depth(t, s, m, &at, distance, reach);
    find_memory(t, false, &at);
    narrow_push(t, s, m, false, &at);
}

static bool have_boxes_in_common(const body* a, const body* b, const double d[2], double slack)
{
    return (a->box[0] + d[0] <= b->box[2] + slack) & (b->box[0] <= a->box[2] + d[0] + slack) & (a->box[1] + d[1] <= b->box[3] + slack) & (b->box[1] <= a->box[3] + d[1] + slack);
}

bool narrow_pair(const touching* t)
{
    const scene_view* view = t->view;
    const candidate* pair = t->pair;
    tally* work = t->work;
    *t->sum = (pair_sum){.contacts = 0};
    const body *a = &view->bodies[pair->i], *b = &view->bodies[pair->j];
    const touch_side i = {.number = pair->i, .b = a, .turned = view->turned + a->first}, j = {.number = pair->j, .b = b, .turned = view->turned + b->first};
    const bool discs_alone = a->tree == NULL && b->tree == NULL;
    ++work->pairs;
    double d[2], back[2];
    for (int k = 0; k < 2; ++k) {
        d[k] = (a->x[k] - b->x[k]) - pair->shift[k] * view->length[k];
        back[k] = -d[k];
    }
    const double fast = a->fast + b->fast;
    if (view->rounded && view->stepping && fast > 0.5 * (a->r + b->r) && have_boxes_in_common(a, b, d, fast))
        t->sum->passed = rounded_passes(t, &i, &j, d);
    if (!have_boxes_in_common(a, b, d, 0.0)) {
        work->offered += (a->tree != NULL ? a->tree->n : 1) + (b->tree != NULL ? b->tree->n : 1);
        return tally_work(work, pair_units);
    }
    if (discs_alone) {
        discs(t, &i, &j, d);
    } else if (view->rounded) {
        if (!view->stepping && t->record == NULL)
            t->sum->stuck = crossing_any(t);
        if (!rounded_pair(t, &i, &j, d))
            return false;
    } else if (a->tree == NULL) {
        disc_in(t, &i, &j, d, false);
    } else if (b->tree == NULL) {
        disc_in(t, &j, &i, back, true);
    } else if (!vertices_in(t, &i, &j, d, false) || !vertices_in(t, &j, &i, back, true) || !crossing_pair(t)) {
        return false;
    }
    return tally_work(work, pair_units);
}

// ---- Boundaries ---------------------------------------------------------------------------------------------------------

// Boundary `number` relative to the position of body b, as x and the results are.
typedef struct seen {
    int32_t number, i;
    const body* b;
    sim_boundary at;
} seen;

// Friction of the point x at a wall, which is at rest. Added to force and f; where it acts is written to `arm`.
static gripped rub_wall(const scene_view* view, const seen* wall, int32_t feature, const double x[3], double radius, const boundary_point* surface,
                        const friction_law* law, double dashpot, double normal, double force[3], memory_row* row, double f[2], double arm[2])
{
    const body* b = wall->b;
    double reach = radius > 0.0 ? surface->inside : 0.0;  // of a disc, to the wall itself
    grip g = {.s = b,
              .n = {surface->n[0], surface->n[1]},
              .normal = normal,
              .dashpot = law->damping * dashpot,
              .law = law,
              .share = 1.0,
              .remembered = {.i = wall->i, .j = -1 - wall->number, .key = memory_wall_key(wall->number, feature)}};
    g.old = friction_find(row, g.remembered.key);
    for (int k = 0; k < 2; ++k)
        arm[k] = g.r[k] = x[k] - reach * surface->n[k];
    if (row->advances) {
        double half = 0.5 * view->step, r[2];
        friction_turn(x, -b->spin * half, r);
        const double then[3] = {r[0] - b->v[0] * half, r[1] - b->v[1] * half, 0.0};
        boundary_point was;
        boundary_surface(&wall->at, then, &was);
        half_grip at = {.n = {was.n[0], was.n[1]}};
        for (int k = 0; k < 2; ++k)
            at.r[k] = r[k] - (radius > 0.0 ? was.inside : 0.0) * was.n[k];
        g.slip = friction_slip(view, b, NULL, &at);
    }
    double t[2] = {0.0, 0.0};
    gripped held = friction_of(view, &g, row, t);
    for (int k = 0; k < 2; ++k) {
        f[k] += t[k];
        force[k] += t[k];
    }
    force[2] += g.r[0] * t[1] - g.r[1] * t[0];
    return held;
}

// The point x of the body, a sphere of this radius to the boundary.
static void push_back(const scene_view* view, const seen* wall, int32_t feature, const double x[3], double radius, wall_sum* sum, recorder* record, memory_row* row)
{
    boundary_point surface;
    boundary_surface(&wall->at, x, &surface);
    const double *n = surface.n, depth = radius - surface.inside;
    if (!(depth > 0.0))
        return;
    const pair_law* laws = law_between(view, wall->b->material, view->wall_material);
    contact_in in = {.with = &laws->normal, .overlap = depth, .damped = view->law->damped};
    if (view->law->damped) {
        in.dashpot = law_dashpot(view->law, in.with, wall->b->inverse_mass);
        double v[2], w[3];
        body_velocity(view, wall->b, x, v);
        boundary_velocity(&wall->at, x, n, surface.inside, w);
        in.along = (v[0] - w[0]) * n[0] + (v[1] - w[1]) * n[1];
    }
    double normal = law_spring(&in), f[2] = {normal * n[0] + 0.0, normal * n[1] + 0.0};  // no -0 across a face
    sum->force[0] += f[0];
    sum->force[1] += f[1];
    sum->force[2] += x[0] * f[1] - x[1] * f[0];
    if (depth > sum->overlap) {
        sum->overlap = depth;
        sum->boundary = wall->number;
    }
    gripped held = {.slides = false};
    double arm[2] = {x[0], x[1]};
    if (row != NULL && laws->friction.mu > 0.0)
        held = rub_wall(view, wall, feature, x, radius, &surface, &laws->friction, in.dashpot, normal, sum->force, row, f, arm);
    sum->power[0] += in.dashpot * in.along * in.along;
    sum->power[1] += held.power;
    if (record == NULL)
        return;
    if (record->count < record->room)
        record->out[record->count] = (scree_contact){.i = wall->i,
                                                     .j = -1 - wall->number,
                                                     .kind = SCREE_CONTACT_WALL,
                                                     .feature = wall->b->tree != NULL && wall->b->core->number != NULL ? wall->b->core->number[feature] : feature,
                                                     .point = {wall->b->x[0] + arm[0], wall->b->x[1] + arm[1]},
                                                     .normal = {n[0], n[1]},
                                                     .depth = depth,
                                                     .force = {f[0], f[1]},
                                                     .energy = view->law->row.energy(in.with, depth, NULL) + held.energy,
                                                     .tangential = held.along,
                                                     .energy_tangential = held.energy,
                                                     .slides = held.slides};
    ++record->count;
}

bool narrow_walls(const scene_view* view, int32_t i, wall_sum* sum, tally* work, recorder* record, memory_row* row)
{
    const body* b = &view->bodies[i];
    const double(*turned)[2] = view->turned + b->first;
    for (int32_t number = 0; b->walls >> number != 0; ++number) {
        if ((b->walls >> number & 1) == 0)
            continue;
        seen wall = {.number = number, .i = i, .b = b, .at = view->boundaries[number]};
        wall.at.at[0] -= b->x[0];
        wall.at.at[1] -= b->x[1];
        if (b->tree == NULL) {
            push_back(view, &wall, 0, (const double[3]){0.0, 0.0, 0.0}, b->r, sum, record, row);
            continue;
        }
        for (int64_t v = 0, end; v < b->tree->n; v = end) {
            end = vertices_end(v, b->tree->n);
            if (!tally_work(work, vertex_units / 4 * (end - v)))
                return false;
            for (int32_t w = (int32_t)v; w < end; ++w)
                push_back(view, &wall, w, (const double[3]){turned[w][0], turned[w][1], 0.0}, b->r, sum, record, row);
        }
    }
    return true;
}
