// Contacts of two rounded polygons (polygon_pairs.h has the rule).
#include "polygon/polygon_pairs.h"

#include <string.h>

// ---- Distances -----------------------------------------------------------------------------------------------------------

// The direction from vertex j of b to vertex i of a, always evaluated in the same order, so that equal features have equal
// bits.
static double between_vertices(const pair_pose* a, const pair_pose* b, const double d[2], int32_t i, int32_t j, double out[2])
{
    double p[2], q[2];
    pair_vertex(a, i, p);
    pair_vertex(b, j, q);
    out[0] = (d[0] + p[0]) - q[0];
    out[1] = (d[1] + p[1]) - q[1];
    return out[0] * out[0] + out[1] * out[1];
}

static int32_t side_behind(const pair_pose* p, int32_t side)
{
    return side + 1 < p->tree->n ? side + 1 : 0;
}

static int32_t side_before(const pair_pose* p, int32_t side)
{
    return side > 0 ? side - 1 : p->tree->n - 1;
}

// `vertex_first`: s is the first body of the pair, from which distances between vertices are taken.
static void node_at(const pair_pose* s, const pair_pose* m, const double e[2], bool vertex_first, int32_t v, int32_t side, pair_node* out)
{
    const double *t = m->tree->t[side], *a = m->turned[side];
    double x[2];
    pair_vertex(s, v, x);
    const double u[2] = {m->c * t[0] - m->s * t[1], m->s * t[0] + m->c * t[1]};
    const double y[2] = {(e[0] + x[0]) - a[0], (e[1] + x[1]) - a[1]}, along = u[0] * y[0] + u[1] * y[1];
    out->vertex = v;
    out->side = side;
    out->second = !vertex_first;
    out->nearest = -1;
    if (along <= 0.0)
        out->nearest = side;
    else if (along >= t[2])
        out->nearest = side_behind(m, side);
    if (out->nearest < 0) {
        const double h = u[0] * y[1] - u[1] * y[0];
        out->n[0] = -h * u[1];
        out->n[1] = h * u[0];
        out->square = h * h;
        return;
    }
    const double back[2] = {-e[0], -e[1]};
    out->square = vertex_first ? between_vertices(s, m, e, v, out->nearest, out->n) : between_vertices(m, s, back, out->nearest, v, out->n);
    for (int k = 0; k < 2 && !vertex_first; ++k)
        out->n[k] = -out->n[k];
}

void pair_node_at(const pair_pose* s, const pair_pose* m, const double e[2], int32_t v, int32_t side, pair_node* out)
{
    node_at(s, m, e, true, v, side, out);
}

// ---- Nodes ---------------------------------------------------------------------------------------------------------------

typedef struct finding {
    const pair_pose *s, *m;
    double e[2];       // s less m
    double reach;      // R
    bool vertex_first;
    pair_work* work;
    pair_watch* watch;
    int64_t count;     // of nodes, also those without room
} finding;

// Nodes of vertex v, by rising side.
static int64_t find_sides(finding* f, int32_t v, const double x[2])
{
    const pair_pose* m = f->m;
    const double y[2] = {m->c * x[0] + m->s * x[1], m->c * x[1] - m->s * x[0]};
    const double slack = f->reach * (1.0 + 1e-9) + 1e-14 * (fabs(y[0]) + fabs(y[1]));
    const double box[4] = {y[0] - slack, y[1] - slack, y[0] + slack, y[1] + slack}, most = slack * slack;
    int32_t node = 1, first;
    int64_t looked = 0;
    while ((first = edge_leaf_counted(m->tree, box, &node, &looked)) >= 0) {
        for (int32_t side = first; side < edge_leaf_end(m->tree, first); ++side) {
            double along;
            if (edge_square(m->tree->p[side], m->tree->p[side + 1], m->tree->t[side], y, &along) > most)
                continue;
            pair_node near, *to = f->count < f->work->room ? &f->work->node[f->count] : &near;
            node_at(f->s, m, f->e, f->vertex_first, v, side, to);
            f->count += to->square < f->reach * f->reach;
        }
        looked += edge_leaf;
    }
    return looked;
}

// False: stopped.
static bool find_nodes(finding* f)
{
    const pair_pose *s = f->s, *m = f->m;
    if (m->tree == NULL)
        return true;
    // m's box, relative to s, and as far around as s reaches from its core: first in s's own axes for its tree, then
    // vertex by vertex.
    const double* of = m->box;
    const double box[4] = {of[0] - f->e[0] - s->r, of[1] - f->e[1] - s->r, of[2] - f->e[0] + s->r, of[3] - f->e[1] + s->r};
    if (s->tree == NULL) {
        if (!((box[0] <= 0.0) & (0.0 <= box[2]) & (box[1] <= 0.0) & (0.0 <= box[3])))
            return true;
        ++f->watch->tested;
        return f->watch->work(f->watch->context, vertex_units + node_units * find_sides(f, 0, f->e));
    }
    const double middle[2] = {0.5 * (box[0] + box[2]), 0.5 * (box[1] + box[3])};
    const double half[2] = {0.5 * (box[2] - box[0]), 0.5 * (box[3] - box[1])}, c = fabs(s->c), t = fabs(s->s);
    const double x[2] = {s->c * middle[0] + s->s * middle[1], s->c * middle[1] - s->s * middle[0]};
    const double slack = 1e-14 * (fabs(x[0]) + fabs(x[1]) + half[0] + half[1]);
    const double hx = c * half[0] + t * half[1] + slack, hy = c * half[1] + t * half[0] + slack;
    const double own[4] = {x[0] - hx, x[1] - hy, x[0] + hx, x[1] + hy};
    int32_t node = 1, first;
    int64_t looked = 0, tested;
    while ((first = edge_leaf_counted(s->tree, own, &node, &looked)) >= 0) {
        tested = 0;
        for (int32_t v = first; v < edge_leaf_end(s->tree, first); ++v) {
            const double* r = s->turned[v];
            if (!((box[0] <= r[0]) & (r[0] <= box[2]) & (box[1] <= r[1]) & (r[1] <= box[3])))
                continue;
            ++tested;
            looked += find_sides(f, v, (const double[2]){f->e[0] + r[0], f->e[1] + r[1]});
        }
        f->watch->tested += tested;
        if (!f->watch->work(f->watch->context, node_units * (looked + edge_leaf) + vertex_units * tested))
            return false;
        looked = 0;
    }
    return f->watch->work(f->watch->context, node_units * looked);
}

// The number of a node; -1: it is not within reach.
static int32_t find_node(const pair_node* node, int64_t count, bool second, int32_t vertex, int32_t side)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const pair_node* at = &node[middle];
        const bool before = at->second != second ? second : at->vertex != vertex ? at->vertex < vertex : at->side < side;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && node[low].second == second && node[low].vertex == vertex && node[low].side == side ? (int32_t)low : -1;
}

// ---- Links ---------------------------------------------------------------------------------------------------------------

static bool is_before(const pair_link* a, const pair_link* b)
{
    if (a->square != b->square)
        return a->square < b->square;
    return a->i != b->i ? a->i < b->i : a->j < b->j;
}

static void sort_links(pair_link* at, int64_t count)
{
    int64_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t n = gap; n < count; ++n) {
            const pair_link kept = at[n];
            int64_t m = n;
            for (; m >= gap && is_before(&kept, &at[m - gap]); m -= gap)
                at[m] = at[m - gap];
            at[m] = kept;
        }
}

// All links, each from the node whose side begins at it: a node of the first body's vertices, or of the second's
// where the second is a disc. By rising distance.
static int64_t find_links(const pair_pose* a, const pair_pose* b, const double d[2], double reach, pair_work* work, int64_t nodes)
{
    const bool second = b->tree == NULL;
    int64_t count = 0;
    for (int64_t n = 0; n < nodes; ++n) {
        const pair_node* node = &work->node[n];
        if (node->second != second)
            continue;
        const int32_t i = second ? node->side : node->vertex, j = second ? node->vertex : node->side;
        double away[2], square = node->nearest == node->side ? node->square : between_vertices(a, b, d, i, j, away);
        if (square < reach * reach)
            work->link[count++] = (pair_link){.square = square, .distance = sqrt(square), .i = i, .j = j, .node = (int32_t)n};
    }
    sort_links(work->link, count);
    return count;
}

static int32_t component_of(pair_node* node, int32_t n)
{
    while (node[n].towards != n)
        n = node[n].towards = node[node[n].towards].towards;
    return n;
}

// Joins the components of two nodes by a link with this overlap, as group number `group`. False: they were joined
// already.
static bool join(pair_work* work, int32_t n, int32_t m, double load, int32_t group)
{
    const int32_t p = component_of(work->node, n), q = component_of(work->node, m);
    if (p == q)
        return false;
    pair_group *one = &work->group[work->node[p].group], *other = &work->group[work->node[q].group], *both = &work->group[group];
    const double more = one->load > load ? one->load - load : 0.0, less = other->load > load ? other->load - load : 0.0, sum = more + less;
    double part = one->lowest < other->lowest ? 0.0 : 1.0;  // of the link's load, what the first group gives
    if (sum > 0.0)
        part = less / sum;
    one->share = (one->load - load * part) / one->load;
    other->share = (other->load - load * (1.0 - part)) / other->load;
    one->above = other->above = group;
    *both = (pair_group){.load = one->load >= other->load ? one->load + less : other->load + more,
                         .share = 1.0,
                         .above = -1,
                         .lowest = part == 0.0 ? one->lowest : part == 1.0 ? other->lowest : one->lowest < other->lowest ? one->lowest : other->lowest};
    work->node[q].towards = p;
    work->node[p].group = group;
    return true;
}

// Joins the nodes that have link (i, j); how many groups that were apart.
static int32_t join_at(const pair_pose* a, const pair_pose* b, pair_work* work, int64_t nodes, const pair_link* link,
                       double load, int32_t group)
{
    int32_t at[4] = {-1, -1, -1, -1}, first = -1, joined = 0;
    if (b->tree != NULL) {
        at[0] = find_node(work->node, nodes, false, link->i, link->j);
        at[1] = find_node(work->node, nodes, false, link->i, side_before(b, link->j));
    }
    if (a->tree != NULL) {
        at[2] = find_node(work->node, nodes, true, link->j, link->i);
        at[3] = find_node(work->node, nodes, true, link->j, side_before(a, link->i));
    }
    for (int k = 0; k < 4; ++k) {
        if (at[k] < 0)
            continue;
        if (first >= 0)
            joined += join(work, first, at[k], load, group + joined);
        else
            first = at[k];
    }
    return joined;
}

static pair_link* find_link(pair_work* work, int64_t links, double square, int32_t i, int32_t j)
{
    const pair_link wanted = {.square = square, .i = i, .j = j};
    int64_t low = 0, high = links;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (is_before(&work->link[middle], &wanted))
            low = middle + 1;
        else
            high = middle;
    }
    return low < links && work->link[low].i == i && work->link[low].j == j ? &work->link[low] : NULL;
}

// ---- All -----------------------------------------------------------------------------------------------------------------

static void put_point(const pair_node* node, int32_t component, double scale, double share, pair_point* out)
{
    const double distance = node->distance;
    *out = (pair_point){.distance = distance,
                        .n = {distance > 0.0 ? node->n[0] / distance : 0.0, distance > 0.0 ? node->n[1] / distance : 0.0},
                        .scale = scale,
                        .share = share,
                        .vertex = node->vertex,
                        .side = node->side,
                        .nearest = node->nearest,
                        .component = component,
                        .second = node->second};
}

// Links that have not cancelled.
static int64_t put_links(const pair_pose* a, const pair_pose* b, const double d[2], pair_work* work, int64_t links, pair_point* out)
{
    int64_t put = 0;
    for (int64_t l = 0; l < links; ++l) {
        const pair_link* link = &work->link[l];
        if (link->count == 0)
            continue;
        pair_node at = {.distance = link->distance, .vertex = link->i, .side = link->j, .nearest = link->j};
        between_vertices(a, b, d, link->i, link->j, at.n);
        put_point(&at, work->node[component_of(work->node, link->node)].group, -(double)link->count, 0.0, &out[put++]);
    }
    return put;
}

static int64_t put_all(const pair_pose* a, const pair_pose* b, const double d[2], pair_work* work, int64_t nodes, int64_t links)
{
    int64_t count = 0;
    int32_t components = 0;  // numbered in `group` of the node that stands for each
    for (int64_t n = 0; n < nodes; ++n)
        work->node[n].group = -1;
    for (int64_t n = 0; n < nodes; ++n) {
        pair_node* component = &work->node[component_of(work->node, (int32_t)n)];
        component->group = component->group < 0 ? components++ : component->group;
    }
    for (int64_t n = 0; n < nodes; ++n) {
        const pair_node* node = &work->node[n];
        if (node->share > 0.0)
            put_point(node, work->node[component_of(work->node, (int32_t)n)].group, 1.0, node->share, &work->point[count++]);
    }
    for (int64_t n = 0; n < nodes; ++n) {  // without a share they cancel a join, or count by themselves
        const pair_node* node = &work->node[n];
        if (node->share > 0.0)
            continue;
        pair_link* link = node->nearest < 0 ? NULL : find_link(work, links, node->square,
                                                               node->second ? node->nearest : node->vertex, node->second ? node->vertex : node->nearest);
        if (link != NULL)
            --link->count;
        else
            put_point(node, work->node[component_of(work->node, (int32_t)n)].group, 1.0, 0.0, &work->point[count++]);
    }
    return count + put_links(a, b, d, work, links, work->point + count);
}

// Two discs.
static int64_t disc_points(const pair_pose* a, const pair_pose* b, const double d[2], pair_work* work, int64_t* nodes)
{
    const double reach = a->r + b->r, square = d[0] * d[0] + d[1] * d[1];
    *nodes = square < reach * reach;
    if (*nodes > 0 && work->room > 0)
        put_point(&(pair_node){.distance = sqrt(square), .n = {d[0], d[1]}, .nearest = 0}, 0, 1.0, 1.0, &work->point[0]);
    return *nodes;
}

int64_t pair_points(const pair_pose* a, const pair_pose* b, const double d[2], pair_work* work, pair_watch* watch, int64_t* nodes)
{
    if (a->tree == NULL && b->tree == NULL)
        return disc_points(a, b, d, work, nodes);
    const double reach = a->r + b->r;
    finding f = {.s = a, .m = b, .e = {d[0], d[1]}, .reach = reach, .vertex_first = true, .work = work, .watch = watch};
    *nodes = 0;
    if (!find_nodes(&f))
        return pair_stopped;
    f.s = b;
    f.m = a;
    f.e[0] = -d[0];
    f.e[1] = -d[1];
    f.vertex_first = false;
    if (!find_nodes(&f))
        return pair_stopped;
    *nodes = f.count;
    if (f.count == 0 || f.count > work->room)
        return 0;
    for (int64_t n = 0; n < f.count; ++n) {
        pair_node* node = &work->node[n];
        node->distance = sqrt(node->square);
        node->share = 1.0;
        node->towards = node->group = (int32_t)n;
    }
    if (f.count == 1) {
        put_point(&work->node[0], 0, 1.0, 1.0, &work->point[0]);
        return 1;
    }
    const int64_t links = find_links(a, b, d, reach, work, f.count);
    for (int64_t n = 0; n < f.count; ++n)
        work->group[n] = (pair_group){.load = reach - work->node[n].distance, .share = 1.0, .above = -1, .lowest = (int32_t)n};
    int32_t groups = (int32_t)f.count;
    for (int64_t l = 0; l < links; ++l) {
        work->link[l].count = join_at(a, b, work, f.count, &work->link[l], reach - work->link[l].distance, groups);
        groups += work->link[l].count;
    }
    for (int32_t g = groups - 1; g >= 0; --g)
        if (work->group[g].above >= 0)
            work->group[g].share *= work->group[work->group[g].above].share;
    for (int64_t n = 0; n < f.count; ++n)
        work->node[n].share = work->group[n].share;
    return put_all(a, b, d, work, f.count, links);
}
