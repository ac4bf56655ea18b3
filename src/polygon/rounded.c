// Contacts of rounded bodies: forces, friction and what is reported of the points that polygon_pairs.c finds.
//
// Each point of a component pushes along its own line; links and points without a share have no contact of their own.
// Their forces and energies are divided among the contacts of their component, in proportion to the overlap that each
// contact lost to links, so that the contacts of a pair add up to its force, torque and energy.
//
// Too deep: the distance of two cores has no sign. A step in which a vertex comes nearer to a side, or goes farther
// away from it, by more than the distance that is left ends the run: it has passed the side, or would in the next
// step. Bodies so fast that they could pass without being seen near are compared by the paths of their vertices, discs
// by those of their centres.
#include "polygon/polygon_inner.h"

#include "base/memory.h"

#include <string.h>

// ---- Workspaces ----------------------------------------------------------------------------------------------------------

void workspace_free(pair_workspace* w)
{
    scree_free(w->work.node);
    scree_free(w->work.group);
    scree_free(w->work.link);
    scree_free(w->work.point);
    scree_free(w->keeps);
    *w = (pair_workspace){.needed = 0};
}

bool workspace_grow(pair_workspace* w)
{
    const int64_t room = w->needed + w->needed / 2;
    workspace_free(w);
    w->work.node = scree_malloc((size_t)room, sizeof *w->work.node);
    w->work.group = scree_malloc(2 * (size_t)room, sizeof *w->work.group);
    w->work.link = scree_malloc((size_t)room, sizeof *w->work.link);
    w->work.point = scree_malloc(2 * (size_t)room, sizeof *w->work.point);
    w->keeps = scree_malloc(2 * (size_t)room, sizeof *w->keeps);
    if (w->work.node == NULL || w->work.group == NULL || w->work.link == NULL || w->work.point == NULL || w->keeps == NULL) {
        workspace_free(w);
        return false;
    }
    w->work.room = room;
    return true;
}

// ---- Too deep ------------------------------------------------------------------------------------------------------------

static double give(const body* b, const double r[2], const double n[2])
{
    const double arm = r[0] * n[1] - r[1] * n[0];
    return b->inverse_mass + b->inverse_inertia * (arm * arm);
}

// Notes a contact that is about to be too deep: in one step the vertex moves towards or away from the side by more than
// `d`, the distance that is left. `needed` is the stiffness with which the same energy, of spring and motion, would lead
// to an overlap of half of `reach`.
void rounded_check_depth(const touching* t, const touch_side* s, const touch_side* m, const touch_point* at, double d, double reach)
{
    const body *a = s->b, *b = m->b;
    const double va[2] = {a->v[0] - a->spin * at->r[1], a->v[1] + a->spin * at->r[0]};
    const double vb[2] = {b->v[0] - b->spin * at->other[1], b->v[1] + b->spin * at->other[0]};
    const double speed = (va[0] - vb[0]) * at->out[0] + (va[1] - vb[1]) * at->out[1];
    if (fabs(speed) * t->view->step <= d && d > 0.0)
        return;
    const double k = law_between(t->view, a->material, b->material)->normal.k;
    const double easy = give(a, at->r, at->out) + give(b, at->other, at->out), half = 0.5 * reach;
    const double needed = (k * at->depth * at->depth + (easy > 0.0 ? speed * speed / easy : 0.0)) / (half * half);
    t->sum->deep = fmax(t->sum->deep, at->depth);
    t->sum->needed = fmax(t->sum->needed, needed);
}

static double turn_of(const double a[2], const double b[2], const double x[2])
{
    return (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]);
}

// Whether the way of a vertex of s in this step crosses a side of m; e: the place of s less that of m.
static bool passes_one_way(const touching* t, const touch_side* s, const touch_side* m, const double e[2])
{
    const edge_tree* tree = m->b->tree;
    const double step = t->view->step;
    if (tree == NULL)
        return false;
    for (int32_t v = 0; v < (s->b->tree != NULL ? s->b->tree->n : 1); ++v) {
        const double none[2] = {0.0, 0.0}, *r = s->b->tree != NULL ? s->turned[v] : none;
        double rotated[2], before[2], relative[2], from[2], to[2];
        friction_turn(r, -s->b->spin * step, rotated);
        for (int k = 0; k < 2; ++k)
            relative[k] = e[k] + rotated[k] - (s->b->v[k] - m->b->v[k]) * step;
        friction_turn(relative, m->b->spin * step, before);
        body_axes(m->b, before, from);
        body_axes(m->b, (const double[2]){e[0] + r[0], e[1] + r[1]}, to);
        const double box[4] = {edge_least(from[0], to[0]), edge_least(from[1], to[1]), edge_most(from[0], to[0]),
                               edge_most(from[1], to[1])};
        int32_t node = 1, first;
        int64_t looked = 0;
        while ((first = edge_leaf_counted(tree, box, &node, &looked)) >= 0)
            for (int32_t side = first; side < edge_leaf_end(tree, first); ++side) {
                const double *a = tree->p[side], *b = tree->p[side + 1];
                ++looked;
                if ((turn_of(a, b, from) >= 0.0) != (turn_of(a, b, to) >= 0.0) &&
                    (turn_of(from, to, a) >= 0.0) != (turn_of(from, to, b) >= 0.0))
                    return true;
            }
        if (!tally_work(t->work, vertex_units + node_units * looked))
            return false;
    }
    return false;
}

// Whether the way of the centre of one disc, seen from the other, leads past it within half of the sum of their radii.
static bool disc_passes(const touching* t, const body* a, const body* b, const double d[2])
{
    const double step = t->view->step, way[2] = {(a->v[0] - b->v[0]) * step, (a->v[1] - b->v[1]) * step};
    const double from[2] = {d[0] - way[0], d[1] - way[1]}, square = way[0] * way[0] + way[1] * way[1], near = 0.5 * (a->r + b->r);
    const double beside = from[0] * way[1] - from[1] * way[0];
    return from[0] * d[0] + from[1] * d[1] < 0.0 && beside * beside < near * near * square;
}

bool rounded_passes(const touching* t, const touch_side* i, const touch_side* j, const double d[2])
{
    const double back[2] = {-d[0], -d[1]};
    if (i->b->tree == NULL && j->b->tree == NULL)
        return disc_passes(t, i->b, j->b, d);
    return passes_one_way(t, i, j, d) || (!t->work->stopped && passes_one_way(t, j, i, back));
}

// ---- Points --------------------------------------------------------------------------------------------------------------

static pair_pose pose_of(const touch_side* s)
{
    const body* b = s->b;
    return (pair_pose){.tree = b->tree, .turned = s->turned, .c = b->c, .s = b->s,
                       .box = {b->box[0], b->box[1], b->box[2], b->box[3]}, .r = b->r};
}

static bool watch_pair(void* context, int64_t units)
{
    return tally_work(context, units);
}

static int32_t given_number(const body* b, int32_t vertex)
{
    return b->tree != NULL ? b->core->number[vertex] : 0;
}

// A pair while its points are pushed.
typedef struct pushing {
    const touching* t;
    const touch_side *i, *j;
    const double* d;
    double reach;
    int64_t recorded;        // contacts of others before those of this pair
} pushing;

static touch_point point_at(const pushing* p, const pair_point* from, const touch_side* s, const touch_side* m)
{
    touch_point at = {.out = {from->n[0], from->n[1]},
                .depth = p->reach - from->distance,
                .kind = s->b->tree != NULL ? SCREE_CONTACT_VERTEX : SCREE_CONTACT_DISC,
                .share = from->share,
                .key = memory_key(from->second ? memory_second : memory_first, from->vertex, from->side)};
    at.feature = s->b->tree != NULL ? given_number(s->b, from->vertex) : given_number(m->b, from->side);
    at.arm = s->b->r - 0.5 * at.depth;
    for (int k = 0; k < 2; ++k) {
        at.r[k] = s->b->tree != NULL ? s->turned[from->vertex][k] : 0.0;
        at.other[k] = (from->second ? -p->d[k] : p->d[k]) + at.r[k];
        at.at[k] = from->nearest >= 0 && m->b->tree != NULL ? m->turned[from->nearest][k] : 0.0;
    }
    at.pointed = from->nearest >= 0;
    return at;
}

// A link, or a point without a share: the elastic force alone.
static void push_link(const pushing* p, const pair_point* from, const touch_side* s, const touch_side* m, const touch_point* at,
                      double force[2])
{
    const pair_law* laws = law_between(p->t->view, s->b->material, m->b->material);
    const contact_in in = {.with = &laws->normal, .overlap = at->depth};
    const double normal = from->scale * law_spring(&in), sign = from->second ? -1.0 : 1.0;
    pair_sum* sum = p->t->sum;
    for (int k = 0; k < 2; ++k) {
        force[k] = sign * normal * at->out[k];  // on i
        sum->force[k] += force[k];
    }
    sum->torque[from->second] += normal * (at->r[0] * at->out[1] - at->r[1] * at->out[0]);
    sum->torque[!from->second] -= normal * (at->other[0] * at->out[1] - at->other[1] * at->out[0]);
}

// ---- Reports -------------------------------------------------------------------------------------------------------------

// Adds the fraction `part` of the force, energy and torque of a link to the row of this contact.
static void add_part(const pushing* p, scree_contact* row, const pair_point* contact, const double force[2], double energy,
                     double torque, double part)
{
    // Relative to the place of i: the line of the force, and the point on it that is nearest to where the contact is.
    const body* s = contact->second ? p->j->b : p->i->b;
    const double sign = contact->second ? -1.0 : 1.0;
    double r[2];
    for (int k = 0; k < 2; ++k)
        r[k] = row->point[k] - s->x[k] - (contact->second ? p->d[k] : 0.0);
    const double before = sign * (r[0] * row->force[1] - r[1] * row->force[0]);
    for (int k = 0; k < 2; ++k)
        row->force[k] += sign * part * force[k];
    row->energy += part * energy;
    const double square = row->force[0] * row->force[0] + row->force[1] * row->force[1];
    const double missing = sign * (before + part * torque) - (r[0] * row->force[1] - r[1] * row->force[0]);
    row->point[0] += square > 0.0 ? missing / square * row->force[1] : 0.0;
    row->point[1] -= square > 0.0 ? missing / square * row->force[0] : 0.0;
}

// Divides the force on i, its torque about the place of i and the energy of point l among the contacts of its
// component.
static void divide(const pushing* p, const pair_point* points, int64_t count, int64_t l, const double force[2], double energy,
                   double torque)
{
    recorder* record = p->t->record;
    double all = 0.0;
    for (int64_t c = 0; c < count; ++c)
        if (points[c].share > 0.0 && points[c].component == points[l].component)
            all += (1.0 - points[c].share) * (p->reach - points[c].distance);
    int64_t row = p->recorded;
    bool first = true;
    for (int64_t c = 0; c < count; ++c) {
        if (!(points[c].share > 0.0))
            continue;
        if (points[c].component == points[l].component && row < record->room) {
            const double part = all > 0.0 ? (1.0 - points[c].share) * (p->reach - points[c].distance) / all : first ? 1.0 : 0.0;
            add_part(p, &record->out[row], &points[c], force, energy, torque, part);
            first = false;
        }
        ++row;
    }
}

// ---- All -----------------------------------------------------------------------------------------------------------------

static void push_all(const pushing* p, const pair_point* points, int64_t count, const contact_memory* keeps)
{
    const touching* t = p->t;
    for (int64_t n = 0; n < count; ++n) {
        const pair_point* from = &points[n];
        const touch_side *s = from->second ? p->j : p->i, *m = from->second ? p->i : p->j;
        touch_point at = point_at(p, from, s, m);
        if (from->share > 0.0) {
            at.old = keeps != NULL && keeps[n].share > 0.0 ? &keeps[n] : NULL;
            if (t->view->stepping)
                rounded_check_depth(t, s, m, &at, from->distance, p->reach);
            else
                t->sum->stuck = t->sum->stuck || !(from->distance > 0.0);
            narrow_push(t, s, m, from->second, &at);
            continue;
        }
        double force[2], torque = t->sum->torque[0];
        push_link(p, from, s, m, &at, force);
        torque = t->sum->torque[0] - torque;
        if (t->record != NULL) {
            const pair_law* laws = law_between(t->view, s->b->material, m->b->material);
            divide(p, points, count, n, force, from->scale * t->view->law->row.energy(&laws->normal, at.depth, NULL), torque);
        }
    }
}

bool rounded_pair(const touching* t, const touch_side* i, const touch_side* j, const double d[2])
{
    pair_node node[nodes_few];
    pair_group group[2 * nodes_few];
    pair_link link[nodes_few];
    pair_point point[2 * nodes_few];
    contact_memory few[2 * nodes_few], *keeps = few;
    pair_work work = {.room = nodes_few, .node = node, .group = group, .link = link, .point = point};
    const pair_pose a = pose_of(i), b = pose_of(j);
    pair_watch watch = {.work = watch_pair, .context = t->work};
    if (t->workspace->work.room > nodes_few) {
        work = t->workspace->work;
        keeps = t->workspace->keeps;
    }
    int64_t nodes;
    const int64_t count = pair_points(&a, &b, d, &work, &watch, &nodes);
    t->work->tested += watch.tested;
    t->work->offered += (a.tree != NULL ? a.tree->n : 1) + (b.tree != NULL ? b.tree->n : 1);
    if (count == pair_stopped)
        return false;
    if (nodes > work.room) {
        t->workspace->needed = nodes;
        return false;
    }
    if (count == 0)
        return true;
    const bool rubs = t->row != NULL && law_between(t->view, i->b->material, j->b->material)->friction.mu > 0.0;
    if (rubs)
        rounded_recall(t, &a, &b, d, work.point, count, keeps);
    const pushing p = {.t = t, .i = i, .j = j, .d = d, .reach = a.r + b.r, .recorded = t->record != NULL ? t->record->count : 0};
    push_all(&p, work.point, count, rubs ? keeps : NULL);
    return true;
}
