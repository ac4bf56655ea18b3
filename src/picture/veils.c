// Veils: translucent triangles before and behind the spheres. The walls of the container are made of them, and so is any surface that is given
// as triangles, such as a mesh.
//
//     walls             box: two for each face that is not periodic; cylinder: strips around it and its ends; sphere: a net. 2D: strips outside
//     opacity           1 - (1 - o)^(1 / cos): light passes through a thin pane on a longer way when it comes at an angle. So round walls show their
//                       outline. cos is that of the triangle's normal with the direction in which the picture is seen, the same for all of a plane
//     several           through = product of (1 - opacity), colour = mean of the colours weighted by opacity. This does not depend on the order, so nothing is
//                       sorted; it is exact for veils of one colour (Bavoil & Myers 2008)
//     edges             a sample on the edge between two triangles belongs to one of them: both evaluate the edge from the same end, so that it is seen
//                       neither twice nor not at all
//
// In perspective 1 / depth is a linear function of the place in the picture; triangles that reach behind the eye are cut before it.
// Cost: O(triangles), and each sample looks at the triangles of its tile. Shadows and crevices know nothing of veils.
#include "picture/picture.h"

#include "base/argument.h"
#include "base/array.h"

#include <math.h>
#include <string.h>

enum { around = 96, rings = 48 };  // pieces of a round wall
static const double nearest = 1e-2;   // before the eye, in stage units
static const uint8_t wall_rgb[3] = {116, 138, 166};

SCREE_DEFAULTS_OF(scree_veil, scree_default_veil)
{
    return (scree_veil){.struct_size = sizeof(scree_veil), .rgb = {wall_rgb[0], wall_rgb[1], wall_rgb[2]}, .opacity = 0.3};
}

typedef struct maker {
    const lens* l;
    veils* out;
    int64_t capacity;
    float rgb[3];
    double opacity;
    int dim;
} maker;

static scree_status put_triangle(maker* m, const double p[3][3], float opacity)
{
    veil one = {.opacity = opacity};
    for (int k = 0; k < 3; ++k) {
        double depth = scree_lens_depth(m->l, p[k][2]);
        one.u[k] = p[k][0] / depth;
        one.v[k] = p[k][1] / depth;
        one.q[k] = m->l->eye > 0.0 ? 1.0 / depth : p[k][2];
        one.rgb[k] = m->rgb[k];
    }
    scree_status status = SCREE_RESERVE(m->out->veil, m->capacity, (int64_t)m->out->count + 1);
    if (status == SCREE_OK)
        m->out->veil[m->out->count++] = one;
    return status;
}

// The part of a polygon of lens space before the eye, in a fan of triangles. At most one more corner than before.
static scree_status put_before_eye(maker* m, const double corner[3][3], float opacity)
{
    double kept[4][3];
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        const double *p = corner[k], *q = corner[(k + 1) % 3];
        double at_p = m->l->eye > 0.0 ? p[2] + m->l->eye - nearest : 1.0, at_q = m->l->eye > 0.0 ? q[2] + m->l->eye - nearest : 1.0;
        if (at_p >= 0.0)
            memcpy(kept[count++], p, sizeof kept[0]);
        if ((at_p >= 0.0) != (at_q >= 0.0)) {
            for (int c = 0; c < 3; ++c)
                kept[count][c] = p[c] + at_p / (at_p - at_q) * (q[c] - p[c]);
            ++count;
        }
    }
    scree_status status = SCREE_OK;
    for (int k = 2; k < count && status == SCREE_OK; ++k) {
        double p[3][3];
        memcpy(p[0], kept[0], sizeof p[0]);
        memcpy(p[1], kept[k - 1], sizeof p[1]);
        memcpy(p[2], kept[k], sizeof p[2]);
        status = put_triangle(m, (const double(*)[3])p, opacity);
    }
    return status;
}

// A triangle on the stage.
static scree_status add(maker* m, const double a[3], const double b[3], const double c[3])
{
    double p[3][3];
    scree_lens_turn(m->l, a, p[0]);
    scree_lens_turn(m->l, b, p[1]);
    scree_lens_turn(m->l, c, p[2]);
    double e[3], f[3], n[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = p[1][k] - p[0][k];
        f[k] = p[2][k] - p[0][k];
    }
    for (int k = 0; k < 3; ++k)
        n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0.0))  // it has no area
        return SCREE_OK;
    double through = pow(1.0 - m->opacity, 1.0 / fmax(fabs(n[2]) / length, 0.2));
    return put_before_eye(m, (const double(*)[3])p, (float)(1.0 - through));
}

static scree_status add_four(maker* m, const double a[3], const double b[3], const double c[3], const double d[3])
{
    scree_status status = add(m, a, b, c);
    return status == SCREE_OK ? add(m, a, c, d) : status;
}

// ---- Walls -------------------------------------------------------------------------------------------------------

static bool has_wall(const stage* s, int k, int side)
{
    const scree_box* box = &s->set->box;
    return !box->periodic[k] && isfinite(side == 0 ? box->lower[k] : box->upper[k]);
}

static scree_status add_face(maker* m, const stage* s, int k, int side)
{
    static const int turn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double p[4][3];
    for (int n = 0; n < 4; ++n) {
        p[n][k] = side == 0 ? s->lower[k] : s->upper[k];
        p[n][i] = turn[n][0] != 0 ? s->upper[i] : s->lower[i];
        p[n][j] = turn[n][1] != 0 ? s->upper[j] : s->lower[j];
    }
    return add_four(m, p[0], p[1], p[2], p[3]);
}

// Discs: a strip outside of the wall, with its corners where the next side has a wall too.
static scree_status add_strip(maker* m, const stage* s, int k, int side)
{
    double wide = 0.015 * fmin(s->upper[0] - s->lower[0], s->upper[1] - s->lower[1]), out = side == 0 ? -wide : wide;
    int j = 1 - k;
    double p[4][3] = {{0.0}};
    double low = s->lower[j] - (k == 0 && has_wall(s, j, 0) ? wide : 0.0), high = s->upper[j] + (k == 0 && has_wall(s, j, 1) ? wide : 0.0);
    for (int n = 0; n < 4; ++n) {
        p[n][k] = (side == 0 ? s->lower[k] : s->upper[k]) + (n / 2 == 1 ? out : 0.0);
        p[n][j] = n == 0 || n == 3 ? low : high;
    }
    return add_four(m, p[0], p[1], p[2], p[3]);
}

// The place at a share of the turn around the axis along z, and at a share of the way from the lower pole to the upper one.
static void on_sphere(const stage* s, int turn, int ring, double out[3])
{
    const double pi = 3.14159265358979323846;
    double angle = 2.0 * pi * (turn % around) / around, height = pi * ring / rings;
    const double unit[3] = {sin(height) * cos(angle), sin(height) * sin(angle), -cos(height)};
    for (int k = 0; k < 3; ++k)
        out[k] = 0.5 * (s->lower[k] + s->upper[k]) + 0.5 * (s->upper[k] - s->lower[k]) * unit[k];
}

static void on_circle(const stage* s, int turn, double factor, double z, double out[3])
{
    double angle = 2.0 * 3.14159265358979323846 * (turn % around) / around;
    out[0] = 0.5 * (s->lower[0] + s->upper[0]) + factor * 0.5 * (s->upper[0] - s->lower[0]) * cos(angle);
    out[1] = 0.5 * (s->lower[1] + s->upper[1]) + factor * 0.5 * (s->upper[1] - s->lower[1]) * sin(angle);
    out[2] = z;
}

static scree_status add_sphere_piece(maker* m, const stage* s, int turn)
{
    scree_status status = SCREE_OK;
    double p[4][3];
    for (int ring = 0; ring < rings && status == SCREE_OK && s->set->dim == 3; ++ring) {
        for (int n = 0; n < 4; ++n)
            on_sphere(s, turn + (n == 1 || n == 2), ring + n / 2, p[n]);
        status = add_four(m, p[0], p[1], p[2], p[3]);
    }
    if (s->set->dim == 3)
        return status;
    for (int n = 0; n < 4; ++n)  // a circle: a ring outside of it
        on_circle(s, turn + (n == 1 || n == 2), n < 2 ? 1.0 : 1.03, 0.0, p[n]);
    return add_four(m, p[0], p[1], p[2], p[3]);
}

static scree_status add_cylinder_piece(maker* m, const stage* s, int turn)
{
    double p[4][3];
    for (int n = 0; n < 4; ++n)
        on_circle(s, turn + (n == 1 || n == 2), 1.0, n < 2 ? s->lower[2] : s->upper[2], p[n]);
    scree_status status = add_four(m, p[0], p[1], p[2], p[3]);
    for (int side = 0; side < 2 && status == SCREE_OK; ++side) {
        double middle[3];
        on_circle(s, 0, 0.0, side == 0 ? s->lower[2] : s->upper[2], middle);
        if (has_wall(s, 2, side))
            status = add(m, middle, p[side == 0 ? 0 : 3], p[side == 0 ? 1 : 2]);
    }
    return status;
}

static scree_status add_walls(maker* m, const stage* s)
{
    int dim = s->set->dim;
    scree_status status = SCREE_OK;
    if (s->set->container == SCREE_CONTAINER_BOX)
        for (int face = 0; face < 2 * dim && status == SCREE_OK; ++face)
            if (has_wall(s, face / 2, face % 2))
                status = (dim == 2 ? add_strip : add_face)(m, s, face / 2, face % 2);
    for (int turn = 0; turn < around && status == SCREE_OK && s->set->container != SCREE_CONTAINER_BOX; ++turn)
        status = (s->set->container == SCREE_CONTAINER_SPHERE ? add_sphere_piece : add_cylinder_piece)(m, s, turn);
    return status;
}

// ---- All ---------------------------------------------------------------------------------------------------------

static void set_colour(maker* m, const uint8_t rgb[3], double opacity)
{
    for (int k = 0; k < 3; ++k)
        m->rgb[k] = (float)scree_srgb_linear(rgb[k] / 255.0);
    m->opacity = opacity;
}

typedef struct seen_veils {
    const lens* l;
    const veils* all;
} seen_veils;

static bool bounds_of(const void* context, int32_t n, double rect[4])
{
    const seen_veils* seen = context;
    return scree_veil_bounds(seen->l, &seen->all->veil[n], rect);
}

scree_status scree_veils_make(const stage* s, const lens* l, const scree_picture_def* def, veils* out)
{
    *out = (veils){0};
    maker m = {.l = l, .out = out, .dim = s->set->dim};
    scree_status status = SCREE_OK;
    if (def->walls > 0.0 && s->set->has_box) {
        set_colour(&m, wall_rgb, def->walls);
        status = add_walls(&m, s);
    }
    if (def->triangles != NULL)
        set_colour(&m, def->triangles->rgb, def->triangles->opacity);
    for (int64_t n = 0; def->triangles != NULL && n < def->triangles->count && status == SCREE_OK; ++n) {
        double p[3][3] = {{0.0}};
        for (int e = 0; e < 9; ++e)
            if (e % 3 < s->set->dim)
                p[e / 3][e % 3] = (def->triangles->corners[n][e / 3][e % 3] - s->centre[e % 3]) * s->unit;
        status = add(&m, p[0], p[1], p[2]);
    }
    if (status == SCREE_OK)
        status = scree_tile_lists_make(l, out->count, bounds_of, &(seen_veils){l, out}, &out->in);
    if (status != SCREE_OK)
        scree_veils_free(out);
    return status;
}

void scree_veils_free(veils* all)
{
    scree_free(all->veil);
    scree_tile_lists_free(&all->in);
    *all = (veils){0};
}

// ---- One veil ----------------------------------------------------------------------------------------------------

bool scree_veil_bounds(const lens* l, const veil* one, double rect[4])
{
    rect[0] = (fmin(one->u[0], fmin(one->u[1], one->u[2])) - l->left) / l->pitch;
    rect[2] = (fmax(one->u[0], fmax(one->u[1], one->u[2])) - l->left) / l->pitch;
    rect[1] = (l->top - fmax(one->v[0], fmax(one->v[1], one->v[2]))) / l->pitch;
    rect[3] = (l->top - fmin(one->v[0], fmin(one->v[1], one->v[2]))) / l->pitch;
    return true;
}

// Twice the area of the triangle from corner i to corner j to the place, above 0 on the left. Two triangles that share the edge get numbers that differ in
// sign alone. Where it is 0, *first says whether the edge runs upwards in the order of its ends, which it does in one of them.
static double edge_side(const veil* one, int i, int j, double u, double v, bool* first)
{
    *first = one->u[i] < one->u[j] || (one->u[i] == one->u[j] && one->v[i] < one->v[j]);
    int a = *first ? i : j, b = *first ? j : i;
    double side = (one->u[b] - one->u[a]) * (v - one->v[a]) - (one->v[b] - one->v[a]) * (u - one->u[a]);
    return *first ? side : -side;
}

bool scree_veil_meet(const lens* l, const veil* one, double u, double v, double* z)
{
    double side[3], sum = 0.0;
    int left = 0, right = 0;
    for (int k = 0; k < 3; ++k) {
        bool first;
        side[k] = edge_side(one, (k + 1) % 3, (k + 2) % 3, u, v, &first);
        left += side[k] > 0.0 || (side[k] == 0.0 && first);
        right += side[k] < 0.0 || (side[k] == 0.0 && !first);
        sum += side[k];
    }
    if ((left < 3 && right < 3) || sum == 0.0)
        return false;
    double q = (side[0] * one->q[0] + side[1] * one->q[1] + side[2] * one->q[2]) / sum;
    *z = l->eye > 0.0 ? 1.0 / q - l->eye : q;
    return true;
}
