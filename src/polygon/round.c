// Rounded polygons: how large their radius may be, their core, mass and outline (round.h has the idea).
//
// The core of radius s has its vertices at P + s u, u the sum of the inward normals of both sides over 1 + their
// product. A side of length l vanishes at s = l / (tan h + tan h') of its corners. A concave corner, the only kind
// that can meet another side before that, is on the line of side e at s = height / (1 - u . n_e). Both happen on
// straight paths, so that corner and side can meet only where the boxes of their paths do: O(n log n) for most
// outlines.
#include "polygon/round.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/pi.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

void round_close(round_outline* outline)
{
    scree_free(outline->p);
    scree_free(outline->number);
    outline->p = NULL;
    outline->number = NULL;
}

void round_core_free(round_core* core)
{
    edge_tree_free(&core->tree);
    scree_free(core->number);
    scree_free(core->outline);
    *core = (round_core){.r = 0.0};
}

size_t round_core_bytes(const round_core* core)
{
    return edge_tree_bytes(&core->tree) + (size_t)core->tree.n * sizeof *core->number + (size_t)core->outline_count * sizeof *core->outline;
}

// ---- Corners -------------------------------------------------------------------------------------------------------------

typedef struct corner {
    double u[2];        // velocity of the vertex of the core, as sides move inwards with the velocity 1
    double half[2];     // tangent of half of the turning angle, and that half: below 0 where it is concave
} corner;

static void direction(const double a[2], const double b[2], double t[3])
{
    const double dx = b[0] - a[0], dy = b[1] - a[1];
    t[2] = sqrt(dx * dx + dy * dy);
    t[0] = dx / t[2];
    t[1] = dy / t[2];
}

// Of two sides with these directions, the second after the first.
static corner corner_of(const double t[3], const double w[3])
{
    const double along = 1.0 + (t[0] * w[0] + t[1] * w[1]), turn = t[0] * w[1] - t[1] * w[0], tangent = turn / along;
    return (corner){.u = {-(t[1] + w[1]) / along, (t[0] + w[0]) / along}, .half = {tangent, atan(tangent)}};
}

static corner corner_at(const double (*t)[3], int32_t n, int32_t v)
{
    return corner_of(t[v > 0 ? v - 1 : n - 1], t[v]);
}

// ---- Straight sides ------------------------------------------------------------------------------------------------------

// Whether b is on the side from a to c, as far as coordinates of this size tell.
static bool is_straight(const double a[2], const double b[2], const double c[2], double size)
{
    double t[3], w[3];
    direction(a, b, t);
    direction(b, c, w);
    return t[0] * w[0] + t[1] * w[1] > 0.0 && fabs(t[0] * w[1] - t[1] * w[0]) * fmin(t[2], w[2]) <= 4.0 * DBL_EPSILON * size;
}

static const double* given(scree_polygon polygon, bool reversed, int32_t v)
{
    const int32_t n = polygon.count, k = v < 0 ? v + n : v < n ? v : v - n;
    return polygon.xy + 2 * (int64_t)(reversed ? n - 1 - k : k);
}

// Each vertex is judged between the last one that was kept and the next one given, so that a curve of many vertices
// stays one.
static scree_status keep_corners(scree_polygon polygon, polygon_watch* watch, round_outline* out)
{
    const bool reversed = out->sharp.area < 0.0;
    double size = 0.0;
    for (int k = 0; k < 2; ++k)
        size = fmax(size, fmax(fabs(out->sharp.lower[k]), fabs(out->sharp.upper[k])));
    out->n = 0;
    for (int32_t v = 0; v < polygon.count; ++v) {
        scree_status status = polygon_watch_work(watch, vertex_units);
        if (status != SCREE_OK)
            return status;
        const double *before = out->n > 0 ? out->p[out->n - 1] : given(polygon, reversed, v - 1);
        const double *x = given(polygon, reversed, v), *behind = given(polygon, reversed, v + 1);
        if (is_straight(before, x, behind, size))
            continue;
        out->number[out->n] = reversed ? polygon.count - 1 - v : v;
        memcpy(out->p[out->n++], x, sizeof *out->p);
    }
    if (out->n < 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "the polygon has %" PRId32 " corners; expected 3 or more that do not lie on straight sides", out->n);
    return SCREE_OK;
}

// ---- The largest radius --------------------------------------------------------------------------------------------------

typedef struct moving_side {
    const double *a, *b, *ua, *ub, *t;
} moving_side;

// When the concave corner at x, which moves with u, meets the side; `most`: not before.
static double meeting_of(const double x[2], const double u[2], const moving_side* side, double slack, double most)
{
    const double n[2] = {-side->t[1], side->t[0]}, height = n[0] * (x[0] - side->a[0]) + n[1] * (x[1] - side->a[1]);
    const double closing = 1.0 - (n[0] * u[0] + n[1] * u[1]);
    const double when = height / closing;
    if (!(when > 0.0 && when < most))
        return most;
    double from = 0.0, to = 0.0;  // where on the side, from both of its ends
    for (int k = 0; k < 2; ++k) {
        const double at = x[k] + when * u[k];
        from += side->t[k] * (at - (side->a[k] + when * side->ua[k]));
        to += side->t[k] * ((side->b[k] + when * side->ub[k]) - at);
    }
    return from >= -slack && to >= -slack ? when : most;
}

static void widen(double box[4], const double x[2], const double u[2], double way)
{
    for (int k = 0; k < 2; ++k) {
        box[k] = fmin(box[k], fmin(x[k], x[k] + way * u[k]));
        box[k + 2] = fmax(box[k + 2], fmax(x[k], x[k] + way * u[k]));
    }
}

// Boxes of the paths of sides, until they have moved by `way`.
static void sweep(edge_tree* tree, const corner* corners, double way)
{
    for (int32_t node = 2 * tree->leaves - 1; node > 0; --node) {
        double* box = tree->box[node];
        box[0] = box[1] = INFINITY;
        box[2] = box[3] = -INFINITY;
        if (node < tree->leaves) {
            for (int k = 0; k < 2; ++k) {
                box[k] = fmin(tree->box[2 * node][k], tree->box[2 * node + 1][k]);
                box[k + 2] = fmax(tree->box[2 * node][k + 2], tree->box[2 * node + 1][k + 2]);
            }
            continue;
        }
        const int64_t first = (int64_t)(node - tree->leaves) * edge_leaf;
        for (int64_t v = first; v <= first + edge_leaf && v <= tree->n && first < tree->n; ++v)
            widen(box, tree->p[v], corners[v < tree->n ? v : 0].u, way);
    }
}

// The first offset below `most` at which a side vanishes or the core touches itself.
static scree_status find_event(const round_outline* o, edge_tree* tree, const corner* corners, polygon_watch* watch, double* most)
{
    const int32_t n = o->n;
    for (int32_t e = 0; e < n; ++e) {
        const double closing = corners[e].half[0] + corners[e + 1 < n ? e + 1 : 0].half[0];
        if (closing > 0.0)
            *most = fmin(*most, tree->t[e][2] / closing);
    }
    sweep(tree, corners, *most);
    const double slack = 1e-12 * o->sharp.radius;
    for (int32_t v = 0; v < n; ++v) {
        int64_t looked = 0;
        if (corners[v].half[0] < 0.0) {
            const double *x = tree->p[v], *u = corners[v].u;
            double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
            widen(box, x, u, *most);
            int32_t node = 1, first;
            while ((first = edge_leaf_counted(tree, box, &node, &looked)) >= 0)
                for (int32_t e = first; e < edge_leaf_end(tree, first); ++e) {
                    const int32_t next = e + 1 < n ? e + 1 : 0;
                    ++looked;
                    if (e != v && next != v)
                        *most = meeting_of(x, u, &(moving_side){tree->p[e], tree->p[e + 1], corners[e].u, corners[next].u,
                                                                tree->t[e]}, slack, *most);
                }
        }
        scree_status status = polygon_watch_work(watch, vertex_units + node_units * looked);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

static scree_status find_most(round_outline* o, double wanted, polygon_watch* watch)
{
    static const double origin[2];
    edge_tree tree;
    scree_status status = edge_tree_make(&tree, o->n, &o->p[0][0], origin, watch);
    if (status != SCREE_OK)
        return status;
    corner* corners = scree_malloc((size_t)o->n, sizeof *corners);
    status = corners != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    double event = 2.0 * wanted * (1.0 + 1e-9);
    for (int32_t v = 0; v < o->n && status == SCREE_OK; ++v)
        corners[v] = corner_at((const double(*)[3])tree.t, o->n, v);
    if (status == SCREE_OK)
        status = find_event(o, &tree, corners, watch, &event);
    o->most = 0.5 * event;
    scree_free(corners);
    edge_tree_free(&tree);
    return status;
}

scree_status round_open(scree_polygon polygon, double rounding, polygon_watch* watch, round_outline* out)
{
    *out = (round_outline){.n = 0};
    scree_status status = polygon_measure(polygon, watch, &out->sharp);
    if (status != SCREE_OK)
        return status;
    out->equal = sqrt(fabs(out->sharp.area) / pi);
    out->p = scree_malloc((size_t)polygon.count, sizeof *out->p);
    out->number = scree_malloc((size_t)polygon.count, sizeof *out->number);
    status = out->p != NULL && out->number != NULL ? keep_corners(polygon, watch, out) : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = find_most(out, rounding * out->equal, watch);
    if (status != SCREE_OK)
        round_close(out);
    return status;
}

// ---- Mass ----------------------------------------------------------------------------------------------------------------

// What the arcs of a radius leave of area, of its first moments and of its polar second moment, all about the centre
// of the sharp outline.
typedef struct rounded_sums {
    double area, first[2], second;
} rounded_sums;

static void cut_corner(const double x[2], const corner* c, double r, rounded_sums* sums)
{
    const double t = c->half[0], h = c->half[1];
    if (!(t > 0.0))
        return;
    const double secant = sqrt(1.0 + t * t), square = r * r, area = square * (t - h);
    const double centre[2] = {x[0] + r * c->u[0], x[1] + r * c->u[1]};
    // Along the bisector from the centre to the corner: the triangles less the sector.
    const double moment = square * r * (t / secant) * (t * t) / 3.0, away[2] = {-c->u[0] / secant, -c->u[1] / secant};
    const double polar = square * square * (t * t * t / 6.0 + 0.5 * (t - h));
    sums->area -= area;
    for (int k = 0; k < 2; ++k)
        sums->first[k] -= area * centre[k] + moment * away[k];
    sums->second -= polar + 2.0 * moment * (centre[0] * away[0] + centre[1] * away[1]) + area * (centre[0] * centre[0] + centre[1] * centre[1]);
}

static void measure(const round_outline* o, double r, const corner* corners, scree_polygon_rounded* out)
{
    const double whole = fabs(o->sharp.area);
    rounded_sums sums = {.area = whole, .second = whole * o->sharp.gyration};
    for (int32_t v = 0; v < o->n; ++v) {
        const double x[2] = {o->p[v][0] - o->sharp.centre[0], o->p[v][1] - o->sharp.centre[1]};
        cut_corner(x, &corners[v], r, &sums);
    }
    const double shift[2] = {sums.first[0] / sums.area, sums.first[1] / sums.area};
    double far = 0.0;
    for (int32_t v = 0; v < o->n; ++v) {
        double square = 0.0;
        for (int k = 0; k < 2; ++k) {
            const double x = (o->p[v][k] - o->sharp.centre[k]) + r * corners[v].u[k] - shift[k];
            square += x * x;
        }
        far = fmax(far, square);
    }
    *out = (scree_polygon_rounded){.r = r,
                                   .area = sums.area,
                                   .centre = {o->sharp.centre[0] + shift[0], o->sharp.centre[1] + shift[1]},
                                   .gyration = sums.second / sums.area - (shift[0] * shift[0] + shift[1] * shift[1]),
                                   .radius = sqrt(far) + r};
}

// ---- The core ------------------------------------------------------------------------------------------------------------

// Chords of an arc: each turns by an eighth of pi at most, and bulges by half a percent of r. An arc that turns by
// less than that is one point of it.
static int32_t points_of(const corner* c)
{
    const double eighth = pi / 8.0;
    return c->half[0] > 0.0 ? (int32_t)fmax(ceil(2.0 * c->half[1] / eighth), 1.0) : 1;
}

static int32_t outline_count(const corner* corners, int32_t n)
{
    int32_t count = 0;
    for (int32_t v = 0; v < n; ++v) {
        const int32_t chords = points_of(&corners[v]);
        count += chords > 1 ? chords + 1 : 1;
    }
    return count;
}

// Of the corner at x of the core: points of the arc, or the concave corner.
static int32_t put_arc(const double x[2], const double t[3], const corner* c, double r, double (*out)[2])
{
    const int32_t chords = points_of(c);
    if (c->half[0] <= 0.0 || chords == 1) {
        const double far = c->half[0] > 0.0 ? r / sqrt(c->u[0] * c->u[0] + c->u[1] * c->u[1]) : r;
        for (int k = 0; k < 2; ++k)
            out[0][k] = x[k] - far * c->u[k];
        return 1;
    }
    for (int32_t p = 0; p <= chords; ++p) {
        const double angle = 2.0 * c->half[1] * p / chords, cosine = cos(angle), sine = sin(angle), n[2] = {t[1], -t[0]};
        out[p][0] = x[0] + r * (cosine * n[0] - sine * n[1]);
        out[p][1] = x[1] + r * (sine * n[0] + cosine * n[1]);
    }
    return chords + 1;
}

static scree_status fill(const round_outline* o, double r, bool as_drawn, const corner* corners, polygon_watch* watch, round_core* out)
{
    static const double origin[2];
    double (*moved)[2] = scree_malloc((size_t)o->n, sizeof *moved);
    out->number = scree_malloc((size_t)o->n, sizeof *out->number);
    out->outline_count = outline_count(corners, o->n);
    out->outline = scree_malloc((size_t)out->outline_count, sizeof *out->outline);
    scree_status status = moved != NULL && out->number != NULL && out->outline != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        measure(o, r, corners, &out->numbers);
    const double* centre = as_drawn ? origin : out->numbers.centre;
    for (int32_t v = 0; v < o->n && status == SCREE_OK; ++v) {
        for (int k = 0; k < 2; ++k)
            moved[v][k] = (o->p[v][k] - centre[k]) + r * corners[v].u[k];
        out->number[v] = o->number[v];
        status = polygon_watch_work(watch, vertex_units);
    }
    if (status == SCREE_OK)
        status = edge_tree_make(&out->tree, o->n, &moved[0][0], origin, watch);
    scree_free(moved);
    int32_t put = 0;
    for (int32_t v = 0; v < o->n && status == SCREE_OK; ++v)
        put += put_arc(out->tree.p[v], out->tree.t[v > 0 ? v - 1 : o->n - 1], &corners[v], r, out->outline + put);
    return status;
}

scree_status round_core_make(const round_outline* outline, double r, bool as_drawn, polygon_watch* watch, round_core* out)
{
    *out = (round_core){.r = r};
    corner* corners = scree_malloc((size_t)outline->n, sizeof *corners);
    if (corners == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t v = 0; v < outline->n; ++v) {
        double t[3], w[3];
        direction(outline->p[v > 0 ? v - 1 : outline->n - 1], outline->p[v], t);
        direction(outline->p[v], outline->p[v + 1 < outline->n ? v + 1 : 0], w);
        corners[v] = corner_of(t, w);
    }
    scree_status status = fill(outline, r, as_drawn, corners, watch, out);
    scree_free(corners);
    if (status != SCREE_OK)
        round_core_free(out);
    return status;
}

SCREE_RESULT_OF(scree_polygon_rounded, scree_polygon_round, (scree_polygon polygon, double rounding, scree_polygon_rounded* out),
                (polygon, rounding, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(polygon.xy);
    if (!(rounding > 0.0 && rounding <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "rounding = %g; expected above 0, at most 1", rounding);
    round_outline outline;
    scree_status status = round_open(polygon, rounding, NULL, &outline);
    if (status != SCREE_OK)
        return status;
    round_core core;
    const double wanted = rounding * outline.equal, r = fmin(wanted, outline.most);
    status = round_core_make(&outline, r, false, NULL, &core);
    round_close(&outline);
    if (status != SCREE_OK)
        return status;
    *out = core.numbers;
    out->limited = r < wanted;
    round_core_free(&core);
    return SCREE_OK;
}
