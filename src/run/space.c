// Regions of a scene as parts of space. Centres are drawn from the box around a region, and kept where the sphere is inside as a whole: a sphere or a cylinder takes
// up half of that box or more; of a mesh it depends on its shape.
#include "run/space.h"

#include "geom/vector.h"
#include "scree/files.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static scree_status open_mesh(scene_space* out)
{
    const char* path = out->region.mesh_path != NULL ? out->region.mesh_path : out->region.mesh;
    scree_triangles triangles;
    scree_surface_def def = scree_default_surface_def();
    scree_status status = scree_read_triangles(path, NULL, &triangles);
    if (status != SCREE_OK)
        return status;
    if (out->region.scale > 0.0) {
        scree_placement placement = scree_default_placement();
        placement.scale = out->region.scale;
        status = scree_triangles_place(&triangles, &placement);
    }
    if (status == SCREE_OK)
        status = scree_surface_create(&def, &triangles, &out->mesh);
    scree_triangles_free(&triangles);
    if (status != SCREE_OK)
        return status;
    scree_surface_report report = scree_surface_get_report(out->mesh);
    memcpy(out->lower, report.lower, sizeof out->lower);
    memcpy(out->upper, report.upper, sizeof out->upper);
    if (!report.closed || !isfinite(report.volume))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the surface has no inside; expected a closed surface whose triangles are oriented consistently", path);
    return SCREE_OK;
}

scree_status scree_space_open(const scree_scene_region* region, int32_t dim, scene_space* out)
{
    *out = (scene_space){.region = *region, .dim = dim, .lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
    scree_scene_region* r = &out->region;
    double normal = region->kind == SCREE_REGION_HALF || region->kind == SCREE_REGION_DISC ? vec_length(r->normal) : 1.0;
    for (int k = 0; k < dim; ++k) {
        out->axis[k] = r->to[k] - r->from[k];
        r->normal[k] /= normal;
    }
    out->length = region->kind == SCREE_REGION_CYLINDER ? vec_length(out->axis) : 1.0;
    for (int k = 0; k < dim; ++k)
        out->axis[k] /= out->length;
    for (int k = 0; k < dim; ++k)
        switch (r->kind) {
        case SCREE_REGION_BOX:
            out->lower[k] = r->lower[k];
            out->upper[k] = r->upper[k];
            break;
        case SCREE_REGION_SPHERE:
            out->lower[k] = r->at[k] - r->radius;
            out->upper[k] = r->at[k] + r->radius;
            break;
        case SCREE_REGION_CYLINDER: {
            double side = r->radius * sqrt(fmax(0.0, 1.0 - out->axis[k] * out->axis[k]));
            out->lower[k] = fmin(r->from[k], r->to[k]) - side;
            out->upper[k] = fmax(r->from[k], r->to[k]) + side;
            break;
        }
        case SCREE_REGION_DISC: {
            double side = r->radius * sqrt(fmax(0.0, 1.0 - r->normal[k] * r->normal[k]));
            out->lower[k] = r->at[k] - side;
            out->upper[k] = r->at[k] + side;
            break;
        }
        case SCREE_REGION_MESH:
            break;
        default:
            out->lower[k] = -INFINITY;
            out->upper[k] = INFINITY;
        }
    scree_status status = r->kind == SCREE_REGION_MESH ? open_mesh(out) : SCREE_OK;
    if (status != SCREE_OK)
        scree_space_close(out);
    return status;
}

void scree_space_close(scene_space* space)
{
    scree_surface_destroy(space->mesh);
    space->mesh = NULL;
}

bool scree_space_holds(const scene_space* space, const double* x, double radius)
{
    const scree_scene_region* r = &space->region;
    double along = 0.0, square = 0.0;
    switch (r->kind) {
    case SCREE_REGION_BOX:
        for (int k = 0; k < space->dim; ++k)
            if (!(r->upper[k] == r->lower[k] ? x[k] == r->lower[k] : x[k] - radius >= r->lower[k] && x[k] + radius <= r->upper[k]))
                return false;
        return true;
    case SCREE_REGION_SPHERE:
        for (int k = 0; k < space->dim; ++k)
            square += (x[k] - r->at[k]) * (x[k] - r->at[k]);
        return radius <= r->radius && square <= (r->radius - radius) * (r->radius - radius);
    case SCREE_REGION_CYLINDER:
        for (int k = 0; k < 3; ++k) {
            along += (x[k] - r->from[k]) * space->axis[k];
            square += (x[k] - r->from[k]) * (x[k] - r->from[k]);
        }
        return radius <= r->radius && along >= radius && along <= space->length - radius && square - along * along <= (r->radius - radius) * (r->radius - radius);
    case SCREE_REGION_DISC:  // centres come from scree_space_draw: in its plane
        for (int k = 0; k < space->dim; ++k)
            square += (x[k] - r->at[k]) * (x[k] - r->at[k]);
        return radius <= r->radius && square <= (r->radius - radius) * (r->radius - radius);
    case SCREE_REGION_HALF:
        for (int k = 0; k < space->dim; ++k)
            along += (x[k] - r->at[k]) * r->normal[k];
        return along >= radius;
    case SCREE_REGION_MESH: {
        int32_t winding = 0;
        scree_surface_contact nearest;
        if (scree_surface_winding(space->mesh, x, &winding) != SCREE_OK || winding == 0)
            return false;
        return radius <= 0.0 || (scree_surface_closest(space->mesh, x, &nearest) == SCREE_OK && nearest.distance >= radius);
    }
    default:
        return true;
    }
}

bool scree_space_has(const scene_space* space, const double* x)
{
    return scree_space_holds(space, x, 0.0);
}

double scree_space_volume(const scene_space* space)
{
    const scree_scene_region* r = &space->region;
    double volume = 1.0;
    switch (r->kind) {
    case SCREE_REGION_BOX:
        for (int k = 0; k < space->dim; ++k)
            volume *= r->upper[k] - r->lower[k];
        return volume;
    case SCREE_REGION_SPHERE:
        return space->dim == 2 ? pi * r->radius * r->radius : 4.0 / 3.0 * pi * r->radius * r->radius * r->radius;
    case SCREE_REGION_CYLINDER:
        return pi * r->radius * r->radius * space->length;
    case SCREE_REGION_DISC:
        return 0.0;
    case SCREE_REGION_MESH:
        return fabs(scree_surface_get_report(space->mesh).volume);
    default:
        return INFINITY;
    }
}

// In the square around a disc, in its plane.
static void draw_on_disc(const scene_space* space, double r, scree_rng* rng, double* x)
{
    const double* n = space->region.normal;
    double reach = fmax(0.0, space->region.radius - r), side[2][3] = {{0.0}}, square = 0.0;
    int least = 0;
    for (int k = 1; k < 3; ++k)
        least = fabs(n[k]) < fabs(n[least]) ? k : least;
    if (space->dim == 2) {
        side[0][0] = -n[1];
        side[0][1] = n[0];
    } else {  // across the normal and the axis that is most across it; then across both
        for (int k = 0; k < 3; ++k) {
            side[0][k] = (k == least) - n[k] * n[least];
            square += side[0][k] * side[0][k];
        }
        for (int k = 0; k < 3; ++k)
            side[0][k] /= sqrt(square);
        for (int k = 0; k < 3; ++k)
            side[1][k] = n[(k + 1) % 3] * side[0][(k + 2) % 3] - n[(k + 2) % 3] * side[0][(k + 1) % 3];
    }
    memcpy(x, space->region.at, (size_t)space->dim * sizeof *x);
    for (int s = 0; s < space->dim - 1; ++s) {
        double u = (2.0 * scree_rng_uniform(rng) - 1.0) * reach;
        for (int k = 0; k < space->dim; ++k)
            x[k] += u * side[s][k];
    }
}

void scree_space_draw(const scene_space* space, double r, scree_rng* rng, double* x)
{
    if (space->region.kind == SCREE_REGION_DISC) {
        draw_on_disc(space, r, rng, x);
        return;
    }
    for (int k = 0; k < space->dim; ++k) {
        double lower = space->lower[k] + r, upper = space->upper[k] - r, u = scree_rng_uniform(rng);
        x[k] = upper > lower ? lower + u * (upper - lower) : 0.5 * (space->lower[k] + space->upper[k]);
    }
}
