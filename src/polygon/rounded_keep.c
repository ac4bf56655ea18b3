// What contacts of rounded bodies remember of friction, from step to step.
//
// A contact is a vertex at a side. While two bodies touch, one contact becomes another: a vertex passes from one side
// to the next, or flush corners pass each other and the vertex of A at a side of B becomes the vertex of B at a side
// of A, at the same point with the same force. Each of them goes on with the spring of the other:
//
// - a contact that is new takes over what the nearest other one of its component remembers, or one that has ended
//   beside it;
// - one that is still within reach, but has no share of the load any more, has become a part of the nearest;
// - as shares change, springs of a component change so that they would hold the same energy if all were equally long,
//   and are shortened where they would hold more: no closed path gains energy.
//
// All of it follows from vertices, sides and poses: nothing but force, share and whether it slides is kept
// (sim/surface_keep.h has the same for meshes).
#include "polygon/polygon_inner.h"

typedef struct recall {
    const touching* t;
    const pair_pose *a, *b;
    const double* d;
    const pair_point* points;
    int64_t count;
    contact_memory* keeps;
} recall;

static uint64_t key_of(const pair_point* p)
{
    return memory_key(p->second ? memory_second : memory_first, p->vertex, p->side);
}

typedef struct remembered_at {
    bool second;
    int32_t vertex, side;
} remembered_at;

static remembered_at place_of(const contact_memory* e)
{
    return (remembered_at){.second = e->key >> 62 == memory_second, .vertex = (int32_t)(e->key >> 31 & INT32_MAX),
                           .side = (int32_t)(e->key & INT32_MAX)};
}

// Of the vertex, from the second body's place.
static void vertex_place(const recall* r, bool second, int32_t vertex, double out[2])
{
    pair_vertex(second ? r->b : r->a, vertex, out);
    for (int k = 0; k < 2 && !second; ++k)
        out[k] += r->d[k];
}

static bool is_within_reach(const recall* r, const contact_memory* e)
{
    const remembered_at at = place_of(e);
    const double back[2] = {-r->d[0], -r->d[1]}, reach = r->a->r + r->b->r;
    pair_node node;
    pair_node_at(at.second ? r->b : r->a, at.second ? r->a : r->b, at.second ? back : r->d, at.vertex, at.side, &node);
    return node.square < reach * reach;
}

// The pairs of vertices, of the first and of the second body, that a vertex and a side have.
static void pairs_of(const recall* r, bool second, int32_t vertex, int32_t side, int32_t out[2][2])
{
    const edge_tree* tree = second ? r->a->tree : r->b->tree;
    const int32_t ends[2] = {side, side + 1 < tree->n ? side + 1 : 0};
    for (int k = 0; k < 2; ++k) {
        out[k][0] = second ? ends[k] : vertex;
        out[k][1] = second ? vertex : ends[k];
    }
}

static bool are_joined(const recall* r, const contact_memory* e, const pair_point* p)
{
    const remembered_at at = place_of(e);
    int32_t one[2][2], other[2][2];
    if (at.second == p->second && at.vertex == p->vertex)
        return true;
    pairs_of(r, at.second, at.vertex, at.side, one);
    pairs_of(r, p->second, p->vertex, p->side, other);
    for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 2; ++l)
            if (one[k][0] == other[l][0] && one[k][1] == other[l][1])
                return true;
    return false;
}

static double square_between(const recall* r, const contact_memory* e, const pair_point* p)
{
    const remembered_at at = place_of(e);
    double x[2], y[2];
    vertex_place(r, at.second, at.vertex, x);
    vertex_place(r, p->second, p->vertex, y);
    return (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]);
}

// The point that goes on with this memory; NULL: it has ended.
static const pair_point* point_of(const recall* r, const contact_memory* e)
{
    for (int64_t p = 0; p < r->count; ++p)
        if (r->points[p].share > 0.0 && key_of(&r->points[p]) == e->key)
            return &r->points[p];
    return NULL;
}

// The component that a memory belongs to; -1: its contact has ended.
static int32_t heir_of(const recall* r, const contact_memory* e)
{
    const pair_point* own = point_of(r, e);
    if (own != NULL)
        return own->component;
    const bool within = is_within_reach(r, e);
    double least = INFINITY;
    int32_t component = -1;
    for (int64_t p = 0; p < r->count; ++p) {
        const pair_point* point = &r->points[p];
        if (!(point->share > 0.0) || (!within && (friction_find(r->t->row, key_of(point)) != NULL || !are_joined(r, e, point))))
            continue;
        const double square = square_between(r, e, point);
        if (square < least) {
            least = square;
            component = point->component;
        }
    }
    return component;
}

static const contact_memory* find_source(const recall* r, const pair_point* p)
{
    const memory_row* row = r->t->row;
    const contact_memory* best = NULL;
    double least = INFINITY;
    for (int64_t e = 0; e < row->old_count; ++e) {
        const double square = square_between(r, &row->old[e], p);
        if (square < least && heir_of(r, &row->old[e]) == p->component) {
            least = square;
            best = &row->old[e];
        }
    }
    return best;
}

// After shares have changed. Stiffness and energy in units of those of one whole spring of length 1. Returns the
// energy that is lost.
static double scale_springs(const recall* r, int32_t component)
{
    const memory_row* row = r->t->row;
    double had[2] = {0.0, 0.0}, have[2] = {0.0, 0.0};
    for (int64_t e = 0; e < row->old_count; ++e)
        if (heir_of(r, &row->old[e]) == component) {
            had[0] += row->old[e].share;
            had[1] += row->old[e].share * (row->old[e].force * row->old[e].force);
        }
    for (int64_t p = 0; p < r->count; ++p)
        if (r->points[p].component == component && r->keeps[p].share > 0.0) {
            have[0] += r->points[p].share;
            have[1] += r->points[p].share * (r->keeps[p].force * r->keeps[p].force);
        }
    const double same = had[0] > 0.0 && have[0] > 0.0 ? had[0] / have[0] : 1.0, now = have[1] * same;
    const double factor = sqrt(now > had[1] ? same * (had[1] / now) : same);
    for (int64_t p = 0; p < r->count && factor != 1.0; ++p)
        if (r->points[p].component == component)
            r->keeps[p].force *= factor;
    return now > had[1] ? 0.0 : had[1] - now;
}

void rounded_recall(const touching* t, const pair_pose* a, const pair_pose* b, const double d[2], const pair_point* points,
                    int64_t count, contact_memory* keeps)
{
    memory_row* row = t->row;
    const recall r = {t, a, b, d, points, count, keeps};
    int64_t found = 0, contacts = 0;
    int32_t components = 0;
    bool same = true;
    for (int64_t p = 0; p < count; ++p) {
        const contact_memory* own = points[p].share > 0.0 ? friction_find(row, key_of(&points[p])) : NULL;
        keeps[p] = own != NULL ? *own : (contact_memory){.share = 0.0};
        contacts += points[p].share > 0.0;
        found += own != NULL;
        same = same && (own == NULL || own->share == points[p].share);
        components = points[p].component >= components ? points[p].component + 1 : components;
    }
    if (!row->advances)
        return;
    row->settled = true;
    if (row->old_count == 0 || (same && found == contacts && found == row->old_count))
        return;
    for (int64_t p = 0; p < count && found < contacts; ++p) {
        const contact_memory* source = points[p].share > 0.0 && !(keeps[p].share > 0.0) ? find_source(&r, &points[p]) : NULL;
        if (source != NULL)
            keeps[p] = *source;
    }
    const double k = law_between(t->view, t->view->bodies[t->pair->i].material, t->view->bodies[t->pair->j].material)->friction.k;
    double lost = 0.0;
    for (int32_t c = 0; c < components; ++c)
        lost += scale_springs(&r, c);
    for (int64_t e = 0; e < row->old_count; ++e)
        if (heir_of(&r, &row->old[e]) < 0)
            lost += row->old[e].share * (row->old[e].force * row->old[e].force);
    row->lost += k > 0.0 ? lost * (0.5 / k) : 0.0;
}
