// Overlaps that contain no vertex of either body, which the vertex test does not find.
//
//            |B|               Walk around the overlap: along an edge of A from where A enters B to where it leaves, then along the edge of B
//        ----+-+----           there, to where that leaves A, and so on. If every part stays on one edge and the walk returns
//      A ----+-+----           to its start, there is no vertex on it: four corners (a plus sign, a sliver), or six (two triangles
//            |B|               as a star). Each such overlap has one first corner (lowest edge of A, then the position on it), from which it is
//                              counted; a walk that meets a lower one gives up.
//
// Law: U = k A / 2 with A the area. No length is needed to make this an energy, and like k g^2 / 2 it vanishes with the overlap. When body A moves by
// e, the area changes by the sum over the parts on A of (length times outward normal) . e, and similarly for rotation: the force is that sum times -k/2,
// for two corners on the boundary the chord. On straight parallel sides these cancel: nothing separates the two, and `stuck` is set. U jumps
// when the last vertex leaves an overlap: the law is for rare and shallow cases, so that none passes unnoticed.
//
// Nothing is stored: the next crossing along an edge is found again each time through the tree of the other body, so that there is no limit on the size of
// an overlap. Cost: one query of B's tree for each edge of A in B's box; the walks are rare. Two edges cross if the ends of each lie on different
// sides of the other's line; an end on the line counts as left of it.
//
// Sides that coincide have no crossings and no vertices inside: where the bodies overlap beside them, the run ends.
#include "polygon/polygon_inner.h"

#include <string.h>

// Sides nearer than this, in units of the smaller radius, coincide; overlaps shorter than this only touch.
static const double flush_slack = 1e-9;

typedef struct both {
    const body *a, *b;
    const double (*pa)[2];  // turned vertices of a, relative to a
    const double (*pb)[2];
    double d[2];            // a's place less b's
    tally* work;
    pair_sum* sum;          // for sides that coincide; NULL: they are allowed
    double slack;           // within which they do; 0: they are allowed
} both;

typedef struct corner {
    int32_t a, b;   // edges
    double s, t;    // where on them, 0 to 1
    bool enters;    // A enters B here; else leaves
    double x[2];    // relative to b's place
} corner;

// Where side a lies on side b, both bodies on the same side of it, their overlap ends at a vertex that is not inside of
// the other body: no force acts there, and flush blocks would fall through each other. Notes such a vertex. p, q: the
// ends of side a; r, u: those of side b.
static void note_flush(const both* w, int32_t a, int32_t b, const double p[2], const double q[2], const double r[2], const double u[2])
{
    // The ends of the shorter side are on the line of the longer one: x + t along.
    const bool longer = w->a->tree->t[a][2] > w->b->tree->t[b][2];
    const double *x = longer ? p : r, *y = longer ? q : u, *from = longer ? r : p, *to = longer ? u : q;
    const double length = longer ? w->a->tree->t[a][2] : w->b->tree->t[b][2], along[2] = {(y[0] - x[0]) / length, (y[1] - x[1]) / length};
    const double d[2] = {from[0] - x[0], from[1] - x[1]}, e[2] = {to[0] - x[0], to[1] - x[1]};
    const double off = edge_most(fabs(along[0] * d[1] - along[1] * d[0]), fabs(along[0] * e[1] - along[1] * e[0]));
    const double first = along[0] * d[0] + along[1] * d[1], last = along[0] * e[0] + along[1] * e[1];
    if (w->sum->jumped != 0 || off > w->slack || !(edge_least(last, length) - edge_most(first, 0.0) > w->slack))
        return;
    w->sum->flush = true;
    w->sum->jumped = (first > 0.0) == longer ? -1 - b : 1 + a;  // where both sides have begun
}

static inline bool meet(const both* w, int32_t a, int32_t b, corner* out)
{
    const double *r = w->pb[b], *u = w->pb[b + 1];
    double p[2] = {w->d[0] + w->pa[a][0], w->d[1] + w->pa[a][1]}, q[2] = {w->d[0] + w->pa[a + 1][0], w->d[1] + w->pa[a + 1][1]};
    ++w->work->crossed;
    double e[2] = {u[0] - r[0], u[1] - r[1]}, f[2] = {q[0] - p[0], q[1] - p[1]};
    double sp = e[0] * (p[1] - r[1]) - e[1] * (p[0] - r[0]), sq = e[0] * (q[1] - r[1]) - e[1] * (q[0] - r[0]);
    if (w->sum != NULL && edge_most(fabs(sp), fabs(sq)) <= 2.0 * w->slack * (w->a->tree->t[a][2] + w->b->tree->t[b][2]))
        note_flush(w, a, b, p, q, r, u);
    if ((sp >= 0.0) == (sq >= 0.0))
        return false;
    double sr = f[0] * (r[1] - p[1]) - f[1] * (r[0] - p[0]), su = f[0] * (u[1] - p[1]) - f[1] * (u[0] - p[0]);
    if ((sr >= 0.0) == (su >= 0.0))
        return false;
    *out = (corner){.a = a, .b = b, .s = sp / (sp - sq), .t = sr / (sr - su), .enters = sq >= 0.0};
    out->x[0] = p[0] + out->s * f[0];
    out->x[1] = p[1] + out->s * f[1];
    return true;
}

// The box of an edge in the axes of the other body, whose place is `from` away from the edge's owner.
static void edge_box(const body* other, const double from[2], const double p[2], const double q[2], double box[4])
{
    double one[2] = {from[0] + p[0], from[1] + p[1]}, two[2] = {from[0] + q[0], from[1] + q[1]}, x[2], y[2];
    body_axes(other, one, x);
    body_axes(other, two, y);
    double slack = 1e-14 * (other->radius + fabs(x[0]) + fabs(x[1]) + fabs(y[0]) + fabs(y[1]));
    for (int k = 0; k < 2; ++k) {
        box[k] = edge_least(x[k], y[k]) - slack;
        box[k + 2] = edge_most(x[k], y[k]) + slack;
    }
}

// The first corner along edge a after (s, b); equal positions by edge of B. Returns the number of corners after it; also 0 if the work is to stop.
static int32_t next_on_a(const both* w, int32_t a, double s, int32_t b, corner* out)
{
    double box[4];
    edge_box(w->b, w->d, w->pa[a], w->pa[a + 1], box);
    int32_t count = 0, node = 1, first;
    int64_t looked = 0;
    while ((first = edge_leaf_counted(w->b->tree, box, &node, &looked)) >= 0) {
        if (!tally_work(w->work, node_units * looked + vertex_units / 2 * edge_leaf))
            return 0;
        looked = 0;
        for (int32_t e = first; e < edge_leaf_end(w->b->tree, first); ++e) {
            corner c;
            if (!meet(w, a, e, &c) || !(c.s > s || (c.s == s && e > b)))
                continue;
            if (count == 0 || c.s < out->s || (c.s == out->s && e < out->b))
                *out = c;
            ++count;
        }
    }
    return tally_work(w->work, node_units * looked) ? count : 0;
}

static int32_t next_on_b(const both* w, int32_t b, double t, int32_t a, corner* out)
{
    double box[4], back[2] = {-w->d[0], -w->d[1]};
    edge_box(w->a, back, w->pb[b], w->pb[b + 1], box);
    int32_t count = 0, node = 1, first;
    int64_t looked = 0;
    while ((first = edge_leaf_counted(w->a->tree, box, &node, &looked)) >= 0) {
        if (!tally_work(w->work, node_units * looked + vertex_units / 2 * edge_leaf))
            return 0;
        looked = 0;
        for (int32_t e = first; e < edge_leaf_end(w->a->tree, first); ++e) {
            corner c;
            if (!meet(w, e, b, &c) || !(c.t > t || (c.t == t && e > a)))
                continue;
            if (count == 0 || c.t < out->t || (c.t == out->t && e < out->a))
                *out = c;
            ++count;
        }
    }
    return tally_work(w->work, node_units * looked) ? count : 0;
}

typedef struct overlap {
    double area;         // twice, about the first corner
    double gradient[2];  // of the area, when a moves
    double turning;      // of the area, when a turns about its place
    double length;       // of a's stretches
    double middle[2];    // of a's stretches, summed by length; relative to b
} overlap;

static void add_stretch(const both* w, const corner* origin, const corner* from, const corner* to, bool of_a, overlap* o)
{
    double p[2] = {from->x[0] - origin->x[0], from->x[1] - origin->x[1]}, q[2] = {to->x[0] - origin->x[0], to->x[1] - origin->x[1]};
    o->area += p[0] * q[1] - p[1] * q[0];
    if (!of_a)
        return;
    double out[2] = {q[1] - p[1], p[0] - q[0]}, m[2], length = sqrt(out[0] * out[0] + out[1] * out[1]);
    for (int k = 0; k < 2; ++k) {
        m[k] = 0.5 * (from->x[k] + to->x[k]);
        o->gradient[k] += out[k];
        o->middle[k] += length * m[k];
    }
    o->turning += (m[0] - w->d[0]) * out[1] - (m[1] - w->d[1]) * out[0];
    o->length += length;
}

// The overlap whose first corner is `start`, if it is one without vertices.
static bool walk(const both* w, const corner* start, overlap* out)
{
    *out = (overlap){.area = 0.0};
    corner at = *start, leave;
    for (int64_t steps = 0; steps <= w->a->tree->n; ++steps) {  // it has at most as many stretches as edges
        if (next_on_a(w, at.a, at.s, at.b, &leave) == 0 || leave.enters)
            return false;
        add_stretch(w, start, &at, &leave, true, out);
        if (next_on_b(w, leave.b, leave.t, leave.a, &at) == 0 || !at.enters)
            return false;
        add_stretch(w, start, &leave, &at, false, out);
        if (at.a == start->a && at.b == start->b)
            return out->area > 0.0;
        if (at.a < start->a || (at.a == start->a && at.s < start->s))
            return false;
    }
    return false;
}

// From a's place to where the force acts: of the line on which it has this torque, the point nearest to the middle.
static void find_point(const both* w, const overlap* o, const double f[2], double torque, double r[2])
{
    r[0] = o->middle[0] / o->length - w->d[0];
    r[1] = o->middle[1] / o->length - w->d[1];
    double square = f[0] * f[0] + f[1] * f[1], along = square > 0.0 ? (torque - (r[0] * f[1] - r[1] * f[0])) / square : 0.0;
    for (int k = 0; k < 2; ++k)
        r[k] = r[k] + along * (k == 0 ? f[1] : -f[0]);
}

// Friction at the point r. It is of neither body: half a step ago it was where the mean of the two velocities there says, and the normal turns with the mean of the two.
static gripped rub(const touching* t, const both* w, const corner* start, const double r[2], const double out[2], double normal,
                   double f[2])
{
    const scene_view* view = t->view;
    const candidate* pair = t->pair;
    memory_row* row = t->row;
    pair_sum* sum = t->sum;
    const body *a = w->a, *b = w->b;
    grip g = {.s = a,
              .m = b,
              .r = {r[0], r[1]},
              .other = {w->d[0] + r[0], w->d[1] + r[1]},
              .n = {out[0], out[1]},
              .normal = normal,
              .law = &law_between(view, a->material, b->material)->friction,
              .share = 1.0,
              .remembered = {.i = pair->i, .j = pair->j, .shift = {pair->shift[0], pair->shift[1]}, .key = memory_key(memory_crossing, start->a, start->b)}};
    g.old = friction_find(row, g.remembered.key);
    if (row->advances) {
        double half = 0.5 * view->step;
        const double va[2] = {a->v[0] - a->spin * g.r[1], a->v[1] + a->spin * g.r[0]}, vb[2] = {b->v[0] - b->spin * g.other[1], b->v[1] + b->spin * g.other[0]};
        half_grip at;
        for (int k = 0; k < 2; ++k) {
            double mean = 0.5 * (va[k] + vb[k]);
            at.r[k] = g.r[k] - (mean - a->v[k]) * half;
            at.other[k] = g.other[k] - (mean - b->v[k]) * half;
        }
        friction_turn(g.n, -0.5 * (a->spin + b->spin) * half, at.n);
        g.slip = friction_slip(view, a, b, &at);
    }
    double along[2] = {0.0, 0.0};
    gripped held = friction_of(view, &g, row, along);
    for (int k = 0; k < 2; ++k) {
        f[k] += along[k];
        sum->force[k] += along[k];
    }
    sum->torque[0] += g.r[0] * along[1] - g.r[1] * along[0];
    sum->torque[1] -= g.other[0] * along[1] - g.other[1] * along[0];
    return held;
}

static void push(const touching* t, const both* w, const corner* start, const overlap* o)
{
    const scene_view* view = t->view;
    const candidate* pair = t->pair;
    recorder* record = t->record;
    pair_sum* sum = t->sum;
    // An area holds as much as a spring whose overlap is the side of a square of that area: with the linear law so much for each unit of it.
    const pair_law* laws = law_between(view, w->a->material, w->b->material);
    double unit = view->law->row.energy(&laws->normal, 1.0, NULL), size = sqrt(o->gradient[0] * o->gradient[0] + o->gradient[1] * o->gradient[1]);
    double f[2] = {-unit * o->gradient[0], -unit * o->gradient[1]}, torque = -unit * o->turning;
    sum->stuck = sum->stuck || !(size > 1e-6 * o->length);
    sum->force[0] += f[0];
    sum->force[1] += f[1];
    sum->torque[0] += torque;
    sum->torque[1] -= torque + (w->d[0] * f[1] - w->d[1] * f[0]);
    ++sum->contacts;
    double r[2] = {0.0, 0.0}, out[2] = {0.0, 0.0};
    if (record != NULL || t->row != NULL) {
        find_point(w, o, f, torque, r);
        for (int k = 0; k < 2; ++k)
            out[k] = size > 0.0 ? -o->gradient[k] / size : 0.0;
    }
    gripped held = {.slides = false};
    if (t->row != NULL && laws->friction.mu > 0.0)
        held = rub(t, w, start, r, out, unit * size, f);
    sum->power[1] += held.power;
    if (record == NULL)
        return;
    if (record->count < record->room)
        record->out[record->count] = (scree_contact){.i = pair->i,
                                                     .j = pair->j,
                                                     .kind = SCREE_CONTACT_CROSSING,
                                                     .feature = start->a,
                                                     .shift = {pair->shift[0], pair->shift[1]},
                                                     .point = {w->a->x[0] + r[0], w->a->x[1] + r[1]},
                                                     .normal = {out[0], out[1]},
                                                     .depth = 0.5 * o->area,
                                                     .force = {f[0], f[1]},
                                                     .energy = unit * 0.5 * o->area + held.energy,
                                                     .tangential = held.along,
                                                     .energy_tangential = held.energy,
                                                     .slides = held.slides};
    ++record->count;
}

static both both_of(const touching* t)
{
    const scene_view* view = t->view;
    both w = {.a = &view->bodies[t->pair->i], .b = &view->bodies[t->pair->j], .work = t->work};
    w.pa = view->turned + w.a->first;
    w.pb = view->turned + w.b->first;
    for (int k = 0; k < 2; ++k)
        w.d[k] = (w.a->x[k] - w.b->x[k]) - t->pair->shift[k] * view->length[k];
    return w;
}

// The overlaps that begin on edge a, which has `left` corners, the first of them c.
static void push_overlaps(const touching* t, const both* w, int32_t a, int32_t left, corner c)
{
    for (; left >= 2 && !t->work->stopped; --left) {  // an overlap without vertices enters and leaves on one edge
        overlap o;
        if (c.enters && walk(w, &c, &o))
            push(t, w, &c, &o);
        if (left > 2)
            next_on_a(w, a, c.s, c.b, &c);
    }
}

// Corners on all edges of a. With `any` it ends at the first. False: stopped, or there is one.
static bool look_along(const touching* t, const both* w, bool any)
{
    const double *bb = w->b->box, slack = w->slack;
    const double box[4] = {bb[0] - w->d[0] - slack, bb[1] - w->d[1] - slack, bb[2] - w->d[0] + slack, bb[3] - w->d[1] + slack};
    double own[4];
    body_axes_box(w->a, box, own);
    int32_t node = 1, first;
    int64_t looked = 0;
    while ((first = edge_leaf_counted(w->a->tree, own, &node, &looked)) >= 0) {
        if (!tally_work(t->work, node_units * (looked + edge_leaf)))
            return false;
        looked = 0;
        for (int32_t a = first; a < edge_leaf_end(w->a->tree, first); ++a) {
            const double *p = w->pa[a], *q = w->pa[a + 1];
            if (edge_most(p[0], q[0]) < box[0] || edge_least(p[0], q[0]) > box[2] || edge_most(p[1], q[1]) < box[1] || edge_least(p[1], q[1]) > box[3])
                continue;
            corner c;
            int32_t left = next_on_a(w, a, -1.0, -1, &c);
            if (any && left > 0)
                return false;
            if (!any)
                push_overlaps(t, w, a, left, c);
        }
    }
    return tally_work(t->work, node_units * looked);
}

bool crossing_pair(const touching* t)
{
    both w = both_of(t);
    if (!t->view->allow_deep) {
        w.sum = t->sum;
        w.slack = flush_slack * edge_least(w.a->radius, w.b->radius);
    }
    return look_along(t, &w, false);
}

// Whether x, from the place of b, is inside of b.
static bool is_inside(const touching* t, const body* b, const double x[2])
{
    double own[2];
    int64_t looked = 0;
    body_axes(b, x, own);
    const bool inside = b->tree != NULL && edge_tree_contains(b->tree, own, &looked);
    return !tally_work(t->work, node_units * looked) || inside;
}

bool crossing_any(const touching* t)
{
    const both w = both_of(t);
    const double none[2] = {0.0, 0.0}, *a = w.a->tree != NULL ? w.pa[0] : none, *b = w.b->tree != NULL ? w.pb[0] : none;
    if (w.a->tree != NULL && w.b->tree != NULL && !look_along(t, &w, true))
        return true;
    return is_inside(t, w.b, (const double[2]){w.d[0] + a[0], w.d[1] + a[1]}) ||
        is_inside(t, w.a, (const double[2]){b[0] - w.d[0], b[1] - w.d[1]});
}
