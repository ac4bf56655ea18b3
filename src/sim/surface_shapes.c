// Exact shapes and meshes as boundaries: taken over from the definition, and turned.
#include "sim/sim_inner.h"

#include "geom/vector.h"

#include <inttypes.h>
#include <stdio.h>

const char* shape_kind(const sim_shape* shape)
{
    return shape->mesh ? "mesh" : scree_exact_name(shape->exact.kind);
}

static bool is_endless(const sim_shape* shape)
{
    return shape->radius == INFINITY;
}

// ---- Taking ------------------------------------------------------------------------------------------------------------

// A ball that holds it.
static void find_ball(sim_shape* s)
{
    const scree_exact* e = &s->exact;
    double axis[3], most = fmax(e->radius[0], e->radius[1]);
    s->radius = INFINITY;
    if (s->mesh) {
        const scree_surface_report report = scree_surface_get_report(s->surface);
        double square = 0.0, d[3];
        for (int k = 0; k < 3; ++k)
            s->centre[k] = 0.5 * (report.lower[k] + report.upper[k]);
        for (int32_t v = 0; v < s->arrays.vertices; ++v) {
            vec_sub(s->arrays.vertex[v], s->centre, d);
            square = fmax(square, vec_dot(d, d));
        }
        s->radius = sqrt(square) * (1.0 + 1e-12);
        return;
    }
    memcpy(s->centre, e->at, sizeof s->centre);
    vec_normalise(e->axis, axis);
    switch (e->kind) {
    case SCREE_EXACT_SPHERE:
    case SCREE_EXACT_DISC:
        s->radius = e->radius[0];
        break;
    case SCREE_EXACT_CYLINDER:
    case SCREE_EXACT_CONE:
        if (e->kind == SCREE_EXACT_CYLINDER)
            most = e->radius[0];
        for (int k = 0; k < 3 && e->length < INFINITY; ++k)
            s->centre[k] += 0.5 * e->length * axis[k];
        s->radius = e->length < INFINITY ? sqrt(most * most + 0.25 * e->length * e->length) : INFINITY;
        break;
    case SCREE_EXACT_BOX: {
        double half[3];
        for (int k = 0; k < 3; ++k) {
            s->centre[k] = 0.5 * (e->lower[k] + e->upper[k]);
            half[k] = 0.5 * (e->upper[k] - e->lower[k]);
        }
        s->radius = vec_length(half);
        break;
    }
    default:
        break;
    }
}

// It must be the same at both ends of a periodic axis, or have an end: then it has images, as spheres have.
static scree_status check_periodic(sim_shape* s, const scree_box* box)
{
    const double* axis = s->exact.axis;
    bool plane = !s->mesh && s->exact.kind == SCREE_EXACT_PLANE, tube = !s->mesh && s->exact.kind == SCREE_EXACT_CYLINDER && is_endless(s);
    for (int k = 0; k < box->dim; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        if (!box->periodic[k] || (plane && axis[k] == 0.0) || (tube && axis[l] == 0.0 && axis[m] == 0.0))
            continue;
        if (is_endless(s))
            return scree_fail(SCREE_ERR_UNSUPPORTED, "the box is periodic along %c, where this %s ends; expected planes along that axis, infinite cylinders around it, or "
                                                     "shapes of finite size", "xyz"[k], shape_kind(s));
        if (scree_box_is_tilted(box))
            return scree_box_reject_tilt(box, "a surface in a periodic box, with its images");
        s->wraps[k] = true;
    }
    return SCREE_OK;
}

// Two images would be near one sphere, and what contacts remember knows only one of them.
scree_status surfaces_check_images(const scree_sim* sim, const sim_shape* shape, double radius)
{
    for (int k = 0; k < sim->dim; ++k) {
        double length = sim->def.box.upper[k] - sim->def.box.lower[k], needed = 2.0 * (shape->radius + 2.0 * radius + sim->law.reach);
        if (shape->wraps[k] && !(length >= needed))
            return scree_fail(SCREE_ERR_UNSUPPORTED, "the box is periodic along %c with a length of %g, and this %s, with a radius of %g, has images; expected a length of %g or more: its diameter and four radii of the largest sphere, %g",
                              "xyz"[k], length, shape_kind(shape), shape->radius, needed, radius);
    }
    return SCREE_OK;
}

static scree_status check_2d(const sim_shape* s)
{
    const scree_exact* e = &s->exact;
    bool plane = !s->mesh && e->kind == SCREE_EXACT_PLANE && e->axis[2] == 0.0;
    bool circle = !s->mesh && ((e->kind == SCREE_EXACT_SPHERE && e->at[2] == 0.0) || (e->kind == SCREE_EXACT_CYLINDER && is_endless(s) && e->axis[0] == 0.0 && e->axis[1] == 0.0));
    if (!plane && !circle)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "in two dimensions a boundary of shape '%s' has no section; expected planes across the plane of the spheres, infinite "
                                                 "cylinders along z or spheres with their centre at z = 0", shape_kind(s));
    return SCREE_OK;
}

scree_status shape_take(const scree_sim_boundary* given, const scree_box* box, sim_shape* out)
{
    *out = (sim_shape){.mesh = given->surface != NULL, .surface = given->surface, .one_sided = given->one_sided, .parts = 1};
    if (given->exact != NULL && given->surface != NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "it has both an exact shape and a surface; expected one");
    if (given->exact != NULL) {
        scree_status status = scree_exact_check(given->exact);
        if (status != SCREE_OK)
            return status;
        out->exact = *given->exact;
        if (out->exact.kind == SCREE_EXACT_BOX)
            out->parts = 6;
    } else {
        out->arrays = scree_surface_get_arrays(given->surface);
        out->parts = out->arrays.triangles;
        out->one_sided = out->one_sided || scree_surface_get_report(given->surface).one_sided;
    }
    memcpy(out->origin, given->about, sizeof out->origin);
    find_ball(out);
    if (given->name != NULL) {
        size_t length = strlen(given->name);
        if (length == 0 || length >= sizeof out->name)
            return scree_fail(SCREE_ERR_ARGUMENT, "the name '%.40s' has %zu bytes; expected 1 to %zu", given->name, length, sizeof out->name - 1);
        memcpy(out->name, given->name, length);
    }
    scree_status status = check_periodic(out, box);
    return status == SCREE_OK && box->dim == 2 ? check_2d(out) : status;
}

// The part of a across the direction u of length 1.
static void across(const double a[3], const double u[3], double out[3])
{
    double along = vec_dot(a, u);
    for (int k = 0; k < 3; ++k)
        out[k] = a[k] - along * u[k];
}

static void to_box(const double turn[3][3], const double a[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = vec_dot(turn[k], a);
}

static bool is_parallel(const double a[3], const double b[3])
{
    double u[3], rest[3];
    vec_normalise(b, u);
    across(a, u, rest);
    return vec_length(rest) <= 1e-12 * vec_length(a);
}

scree_status boundary_any_check(const sim_boundary* b, int dim)
{
    const sim_shape* s = b->shape;
    double axis[3];
    if (s == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "there is no kind 'any'; expected the kind of a surface");
    if (dim == 2 && (b->velocity[2] != 0.0 || b->spin[0] != 0.0 || b->spin[1] != 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "it leaves the plane; expected a velocity in the plane and a spin about z in two dimensions");
    to_box(b->turn, s->exact.axis, axis);
    if (is_endless(s) && vec_length(b->spin) > 0.0 && !is_parallel(b->spin, axis))
        return scree_fail(SCREE_ERR_ARGUMENT, "a spin of %g %g %g of an infinite %s; expected one about its %s. A disc or a mesh can rotate about any axis", b->spin[0], b->spin[1], b->spin[2],
                          shape_kind(s), s->exact.kind == SCREE_EXACT_PLANE ? "normal" : "axis");
    return SCREE_OK;
}

scree_status surfaces_make(scree_sim* sim)
{
    int32_t count = 0;
    for (int32_t b = 0; b < sim->def.boundary_count; ++b)
        count += sim->def.boundaries[b].exact != NULL || sim->def.boundaries[b].surface != NULL;
    if (count == 0)
        return SCREE_OK;
    sim_surfaces* s = &sim->surfaces;
    s->shapes = scree_calloc((size_t)count, sizeof *s->shapes);
    s->count = count;
    return s->shapes == NULL ? SCREE_ERR_MEMORY : surfaces_make_room(sim);
}

scree_status surfaces_make_room(scree_sim* sim)
{
    sim_surfaces* s = &sim->surfaces;
    s->group_first = scree_calloc((size_t)sim->blocks + 1, sizeof *s->group_first);
    s->row_first = scree_calloc((size_t)sim->blocks + 1, sizeof *s->row_first);
    return s->group_first == NULL || s->row_first == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
}

void surfaces_close(sim_surfaces* surfaces)
{
    scree_free(surfaces->shapes);
    scree_free(surfaces->group_first);
    scree_free(surfaces->row_first);
    scree_free(surfaces->group);
    scree_free(surfaces->row);
    scree_free(surfaces->part);
    *surfaces = (sim_surfaces){.count = 0};
}

size_t surfaces_bytes(const sim_surfaces* s)
{
    return (size_t)s->count * sizeof *s->shapes + (size_t)s->group_capacity * sizeof *s->group + (size_t)s->row_capacity * sizeof *s->row +
           (size_t)s->part_capacity * sizeof *s->part;
}

// ---- Motion ------------------------------------------------------------------------------------------------------------

// A shape that is round about the axis of the spin does not move by it; one that is round about a parallel axis moves as that axis does.
double shape_speed(const sim_boundary* b)
{
    const sim_shape* s = b->shape;
    double speed = vec_length(b->velocity), rate = vec_length(b->spin), u[3], axis[3], middle[3], way[3], rest[3];
    if (rate == 0.0)
        return speed;
    vec_normalise(b->spin, u);
    to_box(b->turn, s->exact.axis, axis);
    bool ball = !s->mesh && s->exact.kind == SCREE_EXACT_SPHERE;
    bool round = !s->mesh && s->exact.kind >= SCREE_EXACT_CYLINDER && s->exact.kind <= SCREE_EXACT_DISC && (ball || is_parallel(axis, u));
    if (!s->mesh && s->exact.kind == SCREE_EXACT_PLANE)
        return speed;
    vec_sub(s->centre, s->origin, middle);
    to_box(b->turn, middle, way);
    across(way, u, rest);
    return speed + rate * (vec_length(rest) + (round ? 0.0 : s->radius));
}

static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[i][j] = (a[i][0] * b[0][j] + a[i][1] * b[1][j]) + a[i][2] * b[2][j];
}

void shape_turn(sim_boundary* b, double angle, double back)
{
    double more[3][3], now[3][3];
    if (scree_placement_turn(b->spin, angle, more) != SCREE_OK)  // a spin has a direction
        return;
    multiply((const double(*)[3])more, (const double(*)[3])b->turn, now);
    memcpy(b->turn, now, sizeof now);
    scree_placement_turn(b->spin, back, more);
    multiply((const double(*)[3])more, (const double(*)[3])b->turn, b->turn_half);
    b->turned = true;
}

bool shape_turn_check(const double turn[3][3])
{
    double cross[3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
            if (!(fabs(vec_dot(turn[i], turn[j]) - (i == j)) <= 1e-6))
                return false;
    vec_cross(turn[0], turn[1], cross);
    return vec_dot(cross, turn[2]) > 0.0;
}
