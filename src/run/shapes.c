// The surfaces of a scene as boundaries of a simulation: exact shapes as they are, meshes from their files.
#include "run/run_inner.h"

#include "base/argument.h"
#include "files/rows.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void scree_scene_shapes_free(scree_scene_shapes* shapes)
{
    if (shapes == NULL)
        return;
    for (int32_t n = 0; n < shapes->count && shapes->surfaces != NULL; ++n)
        scree_surface_destroy(shapes->surfaces[n]);
    scree_free(shapes->boundaries);
    scree_free(shapes->exact);
    scree_free(shapes->surfaces);
    *shapes = (scree_scene_shapes){0};
}

static scree_status read_mesh(const scree_scene_surface* from, scree_surface** out)
{
    scree_surface_def def = scree_default_surface_def();
    scree_placement placement = scree_default_placement();
    scree_triangles triangles;
    def.one_sided = from->one_sided;
    scree_status status = scree_read_triangles(from->mesh_path, NULL, &triangles);
    if (status == SCREE_OK && !isnan(from->scale)) {
        placement.scale = from->scale;
        status = scree_triangles_place(&triangles, &placement);
    }
    if (status == SCREE_OK)
        status = scree_surface_create(&def, &triangles, out);
    scree_triangles_free(&triangles);
    return status;
}

scree_status scree_scene_make_shapes(const scree_scene* scene, scree_scene_shapes* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    scree_status status = SCREE_OK;
    int64_t count = scene->surface_count;
    if (count == 0)
        return status;
    out->boundaries = scree_calloc((size_t)count, sizeof *out->boundaries);
    out->exact = scree_calloc((size_t)count, sizeof *out->exact);
    out->surfaces = scree_calloc((size_t)count, sizeof *out->surfaces);
    if (out->boundaries == NULL || out->exact == NULL || out->surfaces == NULL)
        status = SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < count && status == SCREE_OK; ++n) {
        const scree_scene_surface* from = &scene->surfaces[n];
        scree_sim_boundary* to = &out->boundaries[n];
        *to = scree_default_sim_boundary();
        out->count = (int32_t)n + 1;
        to->material = from->material >= 0 ? from->material : 0;
        to->name = from->name;
        to->one_sided = from->one_sided;
        to->removes = from->on_crossing == 1;
        memcpy(to->velocity, from->velocity, sizeof to->velocity);
        memcpy(to->spin, from->spin, sizeof to->spin);
        memcpy(to->about, from->about, sizeof to->about);
        if (scree_scene_surface_shape(from, scene->sim.box.dim, &out->exact[n])) {
            to->exact = &out->exact[n];
            continue;
        }
        if (from->mesh_path == NULL)
            status = scree_fail(SCREE_ERR_ARGUMENT, "scene: entry %d of surfaces has no mesh_path; expected the file of the mesh", (int)n + 1);
        else
            status = scree_scene_locate(scene, read_mesh(from, &out->surfaces[n]), "surfaces.mesh", n);
        to->surface = out->surfaces[n];
    }
    if (status != SCREE_OK)
        scree_scene_shapes_free(out);
    return status;
}

// Up to three numbers, and how many more there are.
static size_t put_numbers(char* out, size_t size, size_t at, const scree_surface_arrays* a, bool repeated)
{
    int listed = 0, more = 0;
    for (int32_t d = 0; d < a->dropped; ++d) {
        if ((a->dropped_for[d] >= 0) != repeated)
            continue;
        if (listed == 3) {
            ++more;
            continue;
        }
        at += (size_t)snprintf(out + at, at < size ? size - at : 0, "%s%" PRId32, listed++ > 0 ? ", " : "", a->dropped_source[d]);
        if (repeated)
            at += (size_t)snprintf(out + at, at < size ? size - at : 0, " as %" PRId32, a->dropped_for[d]);
        if (at >= size)
            return size - 1;
    }
    if (more > 0)
        at += (size_t)snprintf(out + at, size - at, " and %d more", more);
    return at < size ? at : size - 1;
}

void run_shapes_tell(scree_run* run)
{
    for (int32_t n = 0; n < run->shapes.count; ++n) {
        const scree_surface* mesh = run->shapes.surfaces[n];
        if (mesh == NULL)
            continue;
        const scree_surface_report report = scree_surface_get_report(mesh);
        const scree_surface_arrays arrays = scree_surface_get_arrays(mesh);
        if (report.degenerate + report.duplicate + report.welded + report.split + report.cracks + report.overlaps == 0)
            continue;
        char text[768];
        const size_t size = sizeof text;
        size_t at = (size_t)snprintf(text, size, "surface %.31s:", run->shapes.boundaries[n].name != NULL ? run->shapes.boundaries[n].name : "without a name");
        if (report.degenerate > 0) {
            at += (size_t)snprintf(text + at, size - at, " left out %" PRId32 " triangle%s without area (number ", report.degenerate, report.degenerate == 1 ? "" : "s");
            at = put_numbers(text, size, at, &arrays, false);
            at += (size_t)snprintf(text + at, size - at, ");");
        }
        if (report.duplicate > 0) {
            at += (size_t)snprintf(text + at, size - at, " left out %" PRId32 " triangle%s there already (number ", report.duplicate, report.duplicate == 1 ? "" : "s");
            at = put_numbers(text, size, at, &arrays, true);
            at += (size_t)snprintf(text + at, size - at, ");");
        }
        if (report.welded > 0)
            at += (size_t)snprintf(text + at, size - at, " %" PRId32 " vertices nearer than %.3g to another were welded to it;", report.welded, report.weld_distance);
        if (report.split > 0)
            at += (size_t)snprintf(text + at, size - at, " edges were split at %" PRId32 " %s on them;", report.split, report.split == 1 ? "vertex" : "vertices");
        if (report.split_distance > 0.0)
            at += (size_t)snprintf(text + at - 1, size - at + 1, ", at most %.3g away;", report.split_distance) - 1;
        if (report.cracks > 0)
            at += (size_t)snprintf(text + at, size - at, " open edges beside another triangle, where a sphere feels two contacts in place of one: %" PRId32 ";", report.cracks);
        if (report.overlaps > 0)
            at += (size_t)snprintf(text + at, size - at, " triangles on another one, where forces add up: %" PRId32 ";", report.overlaps);
        text[at - 1] = '\0';
        run_add_note(run, text);
    }
}

// Inside of a closed mesh with its front outwards: a solid.
static bool is_in_solid(const scree_surface* surface, const double x[3])
{
    scree_surface_report report = scree_surface_get_report(surface);
    int32_t winding = 0;
    return report.closed && report.oriented && scree_surface_winding(surface, x, &winding) == SCREE_OK && winding > 0;
}

// Whether surface n is the mesh whose inside is the region.
static bool is_region(const run_clear* clear, int32_t n)
{
    if (clear->region == NULL || clear->region->kind != SCREE_REGION_MESH)
        return false;
    const scree_scene_surface* surface = &clear->scene->surfaces[n];
    double scale = isnan(surface->scale) ? 1.0 : surface->scale, wanted = clear->region->scale > 0.0 ? clear->region->scale : 1.0;
    return surface->mesh_path != NULL && clear->region->mesh_path != NULL && strcmp(surface->mesh_path, clear->region->mesh_path) == 0 && scale == wanted;
}

static bool is_clear(const run_clear* clear, const double x[3], double r)
{
    const scree_scene_shapes* shapes = clear->shapes;
    for (int32_t n = 0; n < shapes->count; ++n) {
        scree_surface_contact contact[SCREE_EXACT_CONTACTS_MAX];
        const scree_surface* mesh = shapes->surfaces[n];
        bool touches = mesh != NULL ? scree_surface_near(mesh, x, r, NULL, 0) > 0 || (!is_region(clear, n) && is_in_solid(mesh, x)) : scree_exact_contacts(&shapes->exact[n], x, r, contact) > 0;
        if (touches)
            return false;
    }
    return true;
}

// Of the images of surfaces too.
bool run_shapes_clear(const void* context, const double x[3], double r)
{
    const run_clear* clear = context;
    const scree_box* box = &clear->box;
    int images[3] = {0, 0, 0};
    for (int k = 0; k < box->dim; ++k)
        images[k] = box->periodic[k] ? 1 : 0;
    for (int a = -images[0]; a <= images[0]; ++a)
        for (int b = -images[1]; b <= images[1]; ++b)
            for (int c = -images[2]; c <= images[2]; ++c) {
                const int shift[3] = {a, b, c};
                double at[3] = {0.0, 0.0, 0.0};
                for (int k = 0; k < box->dim; ++k)
                    at[k] = x[k] + (shift[k] != 0 ? shift[k] * (box->upper[k] - box->lower[k]) : 0.0);
                if (!is_clear(clear, at, r))
                    return false;
            }
    return true;
}

// ---- As triangles -------------------------------------------------------------------------------------------------------------

static const double pi = 3.14159265358979323846;

enum { around = 48, along_ball = 24 };  // pieces of a circle; of half a circle of a sphere

typedef struct drawing {
    scree_triangles* to;      // NULL: they are counted
    int64_t count;
    const scree_sim_boundary* boundary;
    double at[3], turn[3][3];  // where it is now
} drawing;

// From the axes of the surface to the axes of the box.
static void put_triangle(drawing* d, const double corner[3][3])
{
    for (int c = 0; c < 3 && d->to != NULL; ++c)
        for (int k = 0; k < 3; ++k) {
            double* to = d->to->xyz + 9 * d->count + 3 * c + k;
            const double* about = d->boundary->about;
            *to = d->at[k];
            for (int l = 0; l < 3; ++l)
                *to += d->turn[k][l] * (corner[c][l] - about[l]);
        }
    ++d->count;
}

static void put_quad(drawing* d, const double corner[4][3])
{
    double one[3][3], other[3][3];
    static const int first[3] = {0, 1, 2}, second[3] = {0, 2, 3};
    for (int c = 0; c < 3; ++c) {
        memcpy(one[c], corner[first[c]], sizeof one[c]);
        memcpy(other[c], corner[second[c]], sizeof other[c]);
    }
    put_triangle(d, (const double(*)[3])one);
    put_triangle(d, (const double(*)[3])other);
}

// Two directions across the axis.
static void frame_of(const double axis[3], double u[3], double v[3], double n[3])
{
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    int least = 0;
    for (int k = 0; k < 3; ++k)
        n[k] = axis[k] / length;
    for (int k = 1; k < 3; ++k)
        least = fabs(n[k]) < fabs(n[least]) ? k : least;
    double one[3] = {least == 0, least == 1, least == 2}, along = n[least], size = sqrt(1.0 - along * along);
    for (int k = 0; k < 3; ++k)
        u[k] = (one[k] - along * n[k]) / size;
    for (int k = 0; k < 3; ++k)
        v[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
}

// The ring between two circles around the axis: at heights z with radii r.
static void put_ring(drawing* d, const scree_exact* e, const double z[2], const double r[2])
{
    double u[3], v[3], n[3], corner[4][3];
    frame_of(e->axis, u, v, n);
    for (int a = 0; a < around; ++a) {
        for (int c = 0; c < 4; ++c) {
            int end = c / 2;
            double angle = 2.0 * pi * ((a + (c == 1 || c == 2)) % around) / around;
            for (int k = 0; k < 3; ++k)
                corner[c][k] = e->at[k] + z[end] * n[k] + r[end] * (cos(angle) * u[k] + sin(angle) * v[k]);
        }
        put_quad(d, (const double(*)[3])corner);
    }
}

// What reaches beyond all else is drawn as far as the box does.
static void put_exact(drawing* d, const scree_exact* e, const scree_box* box)
{
    double middle[3] = {0.0, 0.0, 0.0}, half = 0.0, u[3], v[3], n[3], corner[4][3], z[2], r[2];
    for (int k = 0; k < box->dim; ++k)
        if (isfinite(box->lower[k]) && isfinite(box->upper[k])) {
            middle[k] = 0.5 * (box->lower[k] + box->upper[k]);
            half += pow(0.5 * (box->upper[k] - box->lower[k]), 2.0);
        }
    half = half > 0.0 ? sqrt(half) : 1.0;
    if (e->kind == SCREE_EXACT_SPHERE) {
        scree_exact ball = *e;
        memcpy(ball.axis, (const double[3]){0.0, 0.0, 1.0}, sizeof ball.axis);
        for (int k = 0; k < along_ball; ++k) {
            for (int end = 0; end < 2; ++end) {
                z[end] = -e->radius[0] * cos(pi * (k + end) / along_ball);
                r[end] = e->radius[0] * sin(pi * (k + end) / along_ball);
            }
            put_ring(d, &ball, z, r);
        }
        return;
    }
    frame_of(e->axis, u, v, n);
    double height = 0.0;
    for (int k = 0; k < 3; ++k)
        height += (middle[k] - e->at[k]) * n[k];
    if (e->kind == SCREE_EXACT_PLANE) {
        for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 3; ++k)
                corner[c][k] = middle[k] - height * n[k] + half * ((c == 1 || c == 2 ? 1.0 : -1.0) * u[k] + (c / 2 == 1 ? 1.0 : -1.0) * v[k]);
        put_quad(d, (const double(*)[3])corner);
        return;
    }
    bool disc = e->kind == SCREE_EXACT_DISC, endless = e->length == INFINITY;
    z[0] = endless ? height - half : 0.0;
    z[1] = disc ? 0.0 : endless ? height + half : e->length;
    r[0] = e->radius[0];
    r[1] = e->kind == SCREE_EXACT_CYLINDER ? e->radius[0] : e->radius[1];
    put_ring(d, e, z, r);
}

static void put_mesh(drawing* d, const scree_surface* surface)
{
    scree_surface_arrays a = scree_surface_get_arrays(surface);
    for (int32_t t = 0; t < a.triangles; ++t) {
        double corner[3][3];
        for (int c = 0; c < 3; ++c)
            memcpy(corner[c], a.vertex[a.triangle[t][c]], sizeof corner[c]);
        put_triangle(d, (const double(*)[3])corner);
    }
}

static void put_all(const scree_run* run, const scree_sim_boundary_report* now, drawing* d, int64_t* first)
{
    d->count = 0;
    for (int32_t n = 0; n < run->shapes.count; ++n) {
        if (first != NULL)
            first[n] = d->count;
        d->boundary = &run->shapes.boundaries[n];
        memcpy(d->at, now[n].at, sizeof d->at);
        memcpy(d->turn, now[n].turn, sizeof d->turn);
        if (run->shapes.surfaces[n] != NULL)
            put_mesh(d, run->shapes.surfaces[n]);
        else
            put_exact(d, &run->shapes.exact[n], &run->set_box);
    }
    if (first != NULL)
        first[run->shapes.count] = d->count;
}

scree_status run_shapes_triangles(const scree_run* run, scree_triangles* out, int64_t** first)
{
    *out = (scree_triangles){0};
    if (first != NULL)
        *first = NULL;
    if (run->shapes.count == 0 || run->sim == NULL)
        return SCREE_OK;
    int32_t count = scree_sim_get_boundaries(run->sim, NULL, 0), own = count - run->shapes.count;
    scree_sim_boundary_report* now = scree_calloc((size_t)count, sizeof *now);
    int64_t* begins = first != NULL ? scree_malloc((size_t)run->shapes.count + 1, sizeof *begins) : NULL;
    drawing d = {.to = NULL};
    scree_status status = now == NULL || (first != NULL && begins == NULL) ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK && scree_sim_get_boundaries(run->sim, now, count) != count)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        put_all(run, now + own, &d, begins);
    if (status == SCREE_OK && d.count > SCREE_TRIANGLES_MAX)
        status = scree_fail(SCREE_ERR_UNSUPPORTED, "surfaces of %lld triangles; expected fewer to draw them", (long long)d.count);
    if (status == SCREE_OK)
        status = scree_triangles_make((int32_t)d.count, out);
    d.to = out;
    if (status == SCREE_OK)
        put_all(run, now + own, &d, begins);
    scree_free(now);
    if (status != SCREE_OK)
        scree_free(begins);
    else if (first != NULL)
        *first = begins;
    return status;
}

// ---- Frames -------------------------------------------------------------------------------------------------------------------

bool run_shapes_are_written(const scree_run* run)
{
    return run->shapes.count > 0 && (run->scene.formats & SCREE_FORMAT_BIT(SCREE_FORMAT_VTP)) != 0;
}

// The triangle to which the force on a feature of a mesh counts: of an edge or vertex the first at it.
static int32_t triangle_of(const scree_surface_arrays* a, int32_t feature)
{
    int32_t e = feature - a->triangles, v = e - a->edges, least = INT32_MAX;
    if (e < 0)
        return feature;
    if (v < 0)
        return a->edge_triangle[a->edge_start[e]];
    for (int32_t n = a->vertex_start[v]; n < a->vertex_start[v + 1]; ++n) {
        int32_t t = a->edge_triangle[a->edge_start[a->vertex_edge[n]]];
        least = t < least ? t : least;
    }
    return least;
}

scree_status run_shapes_write(const scree_run* run, const scree_sim_contacts* contacts)
{
    scree_triangles triangles;
    int64_t* first;
    char path[4096];
    scree_status status = run_shapes_triangles(run, &triangles, &first);
    if (status != SCREE_OK)
        return status;
    int64_t count = triangles.count;
    int64_t* ends = scree_malloc((size_t)count + 1, sizeof *ends);
    int32_t* surface = scree_malloc((size_t)count + 1, sizeof *surface);
    double (*force)[3] = scree_calloc((size_t)count + 1, sizeof *force);
    if (ends == NULL || surface == NULL || force == NULL)
        status = SCREE_ERR_MEMORY;
    for (int32_t n = 0; n < run->shapes.count && status == SCREE_OK; ++n)
        for (int64_t t = first[n]; t < first[n + 1]; ++t) {
            ends[t] = 3 * (t + 1);
            surface[t] = n;
        }
    int32_t own = scree_sim_get_boundaries(run->sim, NULL, 0) - run->shapes.count;
    for (int64_t c = contacts->pair_count; c < contacts->count && status == SCREE_OK; ++c) {
        int64_t n = -1 - contacts->ij[c][1] - own;
        if (n < 0 || run->shapes.surfaces[n] == NULL)
            continue;
        scree_surface_arrays a = scree_surface_get_arrays(run->shapes.surfaces[n]);
        for (int k = 0; k < 3; ++k)
            force[first[n] + triangle_of(&a, contacts->feature[c])][k] -= contacts->force[c][k];
    }
    if (status == SCREE_OK)
        status = run_path(run, path, sizeof path, "surfaces/surfaces_%06lld.vtp", (long long)run->frames);
    if (status == SCREE_OK) {
        const scree_row_column column[] = {{"surface", NULL, 1, SCREE_VTK_INT32, surface, sizeof *surface}, {"force", NULL, 3, SCREE_VTK_FLOAT64, force, sizeof *force}};
        const scree_row_lines lines = {.box = &run->set.box, .points = (const double(*)[3])(const void*)triangles.xyz, .ends = ends, .closed = true};
        status = scree_rows_write_vtp(path, scree_get_watch(), &lines, count, 2, column);
    }
    scree_free(ends);
    scree_free(surface);
    scree_free(force);
    scree_free(first);
    scree_triangles_free(&triangles);
    return status;
}
