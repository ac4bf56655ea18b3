// Forces on the surfaces of a scene, in scree measure: per area, and along the axis of cylinders. Areas: of a plane the part of it in the box, of a mesh the sum of its triangles.
#include "measure_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// ---- Areas -------------------------------------------------------------------------------------------------------

enum { most_corners = 16 };

// The part of a polygon with x[axis] at or below `at` (sign 1), or at or above it (-1).
static int cut(double from[most_corners][3], int count, int axis, double sign, double at, double out[most_corners][3])
{
    int kept = 0;
    for (int c = 0; c < count; ++c) {
        const double *a = from[c], *b = from[(c + 1) % count];
        double in = sign * (at - a[axis]), next = sign * (at - b[axis]);
        if (in >= 0.0)
            memcpy(out[kept++], a, sizeof *out);
        if ((in >= 0.0) != (next >= 0.0)) {
            for (int k = 0; k < 3; ++k)
                out[kept][k] = a[k] + (b[k] - a[k]) * (in / (in - next));
            ++kept;
        }
    }
    return kept;
}

// Of the plane in the box; in 2D, one deep, it is a length.
static double plane_area(const scree_box* box, const scree_exact* plane)
{
    double corner[2][most_corners][3], u[3], v[3], lower[3] = {0.0, 0.0, 0.0}, upper[3] = {1.0, 1.0, 1.0}, size = 1.0, length = sqrt(dot(plane->axis, plane->axis));
    int least = 0, now = 0, count = 4;
    for (int k = 0; k < box->dim; ++k) {
        lower[k] = box->lower[k];
        upper[k] = box->upper[k];
        if (!isfinite(lower[k]) || !isfinite(upper[k]))
            return NAN;
        size += (upper[k] - lower[k]) + fabs(plane->at[k] - lower[k]);
    }
    for (int k = 0; k < 3; ++k)
        least = fabs(plane->axis[k]) < fabs(plane->axis[least]) ? k : least;
    double other[3] = {0.0, 0.0, 0.0};
    other[least] = 1.0;
    cross(plane->axis, other, u);
    double wide = sqrt(dot(u, u));
    for (int k = 0; k < 3; ++k)
        u[k] /= wide;
    cross(plane->axis, u, v);
    for (int c = 0; c < 4; ++c)
        for (int k = 0; k < 3; ++k)
            corner[0][c][k] = plane->at[k] + 2.0 * size * ((c == 0 || c == 3 ? -1.0 : 1.0) * u[k] + (c < 2 ? -1.0 : 1.0) * v[k] / length);
    for (int face = 0; face < 6 && count > 0; ++face) {
        count = cut(corner[now], count, face / 2, face % 2 == 0 ? -1.0 : 1.0, face % 2 == 0 ? lower[face / 2] : upper[face / 2], corner[1 - now]);
        now = 1 - now;
    }
    double sum[3] = {0.0, 0.0, 0.0};
    for (int c = 1; c + 1 < count; ++c) {
        double a[3], b[3], area[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = corner[now][c][k] - corner[now][0][k];
            b[k] = corner[now][c + 1][k] - corner[now][0][k];
        }
        cross(a, b, area);
        for (int k = 0; k < 3; ++k)
            sum[k] += 0.5 * area[k];
    }
    return count > 2 ? sqrt(dot(sum, sum)) : NAN;
}

// A cylinder without ends is as long as the box, if it lies along an axis.
static double length_in(const scree_box* box, const scree_exact* exact)
{
    if (isfinite(exact->length))
        return exact->length;
    for (int k = 0; k < box->dim; ++k)
        if (exact->axis[(k + 1) % 3] == 0.0 && exact->axis[(k + 2) % 3] == 0.0 && isfinite(box->upper[k] - box->lower[k]))
            return box->upper[k] - box->lower[k];
    return NAN;
}

static double exact_area(const scree_box* box, const scree_exact* exact)
{
    double a = exact->radius[0], b = exact->radius[1];
    bool flat = box->dim == 2;
    switch (exact->kind) {
    case SCREE_EXACT_PLANE:
        return plane_area(box, exact);
    case SCREE_EXACT_CYLINDER:
        return flat ? 2.0 * pi * a : 2.0 * pi * a * length_in(box, exact);
    case SCREE_EXACT_CONE:
        return flat ? NAN : pi * (a + b) * hypot(exact->length, a - b);
    case SCREE_EXACT_SPHERE:
        return flat ? 2.0 * pi * a : 4.0 * pi * a * a;
    case SCREE_EXACT_DISC:
        return flat ? 2.0 * (a - b) : pi * (a * a - b * b);
    default:
        return NAN;
    }
}

static scree_status mesh_area(const scree_scene_surface_facts* surface, double* area)
{
    scree_triangles mesh;
    scree_status status = scree_read_triangles(surface->mesh, NULL, &mesh);
    if (status != SCREE_OK)
        return status;
    double scale = surface->scale;
    *area = 0.0;
    for (int64_t t = 0; t < mesh.count; ++t) {
        const double* x = mesh.xyz + 9 * t;
        double a[3], b[3], n[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = x[3 + k] - x[k];
            b[k] = x[6 + k] - x[k];
        }
        cross(a, b, n);
        *area += 0.5 * scale * scale * sqrt(dot(n, n));
    }
    scree_triangles_free(&mesh);
    return SCREE_OK;
}

// ---- Forces ------------------------------------------------------------------------------------------------------

static void add_contact(const scree_sim_contacts* contacts, int64_t c, int dim, double* pressing, double* sliding)
{
    double along = 0.0, square = 0.0;
    for (int k = 0; k < dim; ++k)
        along += contacts->force[c][k] * contacts->normal[c][k];
    for (int k = 0; k < dim; ++k) {
        double t = contacts->force[c][k] - along * contacts->normal[c][k];
        square += t * t;
    }
    *pressing += along;
    *sliding += sqrt(square);
}

// Along the axis of a cylinder with ends, in equal parts. Spheres count where their centres are.
static void add_profile(const scree_snapshot* now, const scree_exact* exact, int64_t b, int64_t number, surface_profile* out)
{
    enum { parts = 10 };
    double length = sqrt(dot(exact->axis, exact->axis)), part = exact->length / parts;
    for (int p = 0; p < parts; ++p) {
        surface_part* row = &out->part[out->count + p];
        *row = (surface_part){.surface = number, .from = p * part, .to = (p + 1) * part};
    }
    for (int64_t c = 0; c < now->contacts->count; ++c) {
        if (now->contacts->ij[c][1] != -1 - b)
            continue;
        const double* x = now->spheres.x + 3 * now->contacts->ij[c][0];
        const double off[3] = {x[0] - exact->at[0], x[1] - exact->at[1], x[2] - exact->at[2]};
        int p = (int)fmin(fmax(floor(dot(off, exact->axis) / length / part), 0.0), parts - 1.0);
        surface_part* row = &out->part[out->count + p];
        ++row->contacts;
        add_contact(now->contacts, c, 3, &row->pressure, &row->shear);
    }
    for (int p = 0; p < parts; ++p) {
        out->part[out->count + p].pressure /= 2.0 * pi * exact->radius[0] * part;
        out->part[out->count + p].shear /= 2.0 * pi * exact->radius[0] * part;
    }
    out->count += parts;
}

scree_status surfaces_measure(const scree_scene* scene, const scree_snapshot* now, surfaces_found* out)
{
    *out = (surfaces_found){0};
    scree_scene_facts facts;
    scree_status status = scree_scene_get_facts(scene, &facts);
    if (status != SCREE_OK || facts.surfaces == 0)
        return status;
    out->one = scree_calloc((size_t)facts.surfaces, sizeof *out->one);
    out->profile.part = scree_calloc(10 * (size_t)facts.surfaces, sizeof *out->profile.part);
    if (out->one == NULL || out->profile.part == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < facts.surfaces; ++n) {
        scree_scene_surface_facts surface;
        status = scree_scene_get_surface(scene, n, &surface);
        if (status != SCREE_OK)
            return status;
        surface_found* one = &out->one[out->count++];
        int64_t b = 6 + (now->container != SCREE_CONTAINER_BOX) + n;  // surfaces are the last boundaries
        snprintf(one->name, sizeof one->name, "%lld", (long long)n);
        if (surface.name != NULL)
            snprintf(one->name, sizeof one->name, "%.40s", surface.name);
        const scree_exact* exact = surface.exact;
        if (exact != NULL)
            one->area = exact_area(&now->box, exact);
        else
            status = mesh_area(&surface, &one->area);
        if (status != SCREE_OK)
            return status;
        for (int64_t c = 0; c < now->contacts->count; ++c) {
            if (now->contacts->ij[c][1] != -1 - b)
                continue;
            ++one->contacts;
            add_contact(now->contacts, c, now->spheres.dim, &one->pressure, &one->shear);
            for (int k = 0; k < now->spheres.dim; ++k)
                one->force[k] -= now->contacts->force[c][k];
        }
        one->pressure /= one->area;
        one->shear /= one->area;
        if (exact != NULL && !surface.moves && exact->kind == SCREE_EXACT_CYLINDER && isfinite(exact->length) && now->spheres.dim == 3)
            add_profile(now, exact, b, n, &out->profile);
    }
    return SCREE_OK;
}

void surfaces_report(result* res, const surfaces_found* found, int dim)
{
    if (found->count > 0)
        result_section(res, "surfaces");
    for (int64_t n = 0; n < found->count; ++n) {
        const surface_found* one = &found->one[n];
        char key[80];
        snprintf(key, sizeof key, "surface_contacts_%s", one->name);
        result_integer(res, key, one->contacts);
        snprintf(key, sizeof key, "surface_force_%s", one->name);
        result_numbers(res, key, one->force, dim);
        if (isnan(one->area))
            continue;
        snprintf(key, sizeof key, "surface_area_%s", one->name);
        result_number(res, key, one->area);
        snprintf(key, sizeof key, "surface_pressure_%s", one->name);
        result_number(res, key, one->pressure);
        snprintf(key, sizeof key, "surface_shear_%s", one->name);
        result_number(res, key, one->shear);
    }
}

void surfaces_free(surfaces_found* found)
{
    scree_free(found->one);
    scree_free(found->profile.part);
    *found = (surfaces_found){0};
}
