// Porosity profiles: the share of slabs or shells that spheres fill.
//
// Slabs of a box are voxels that are one cell wide (voxels.c). Shells lie between containers one inside the other, smaller by a radius or by a distance to the wall:
//
//      +-----------------+
//      |  +-----------+  |     what a container holds of a sphere, less what the next smaller one holds,
//      |  |  +-----+  |  |     is what the shell between them holds: closed forms for boxes and spheres, sums of lenses for cylinders
//      |  |  +-----+  |  |
//      |  +-----------+  |
//      +-----------------+
//
// Cost: O(n bins). Each edge is summed over all spheres by one chunk, so that no sum depends on the threads.
#include "measure/voxels.h"

#include "base/argument.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <math.h>

enum { most_bins = 10000 };

typedef struct porosity_job {
    const measured* m;
    const scree_porosity* out;
    double* held;    // volume of spheres in the container of each edge, over that of the box
} porosity_job;

const char* scree_porosity_name(int32_t kind)
{
    static const char* const names[SCREE_POROSITY_COUNT] = {"x", "y", "z", "radius", "wall"};
    return kind >= 0 && kind < SCREE_POROSITY_COUNT ? names[kind] : NULL;
}

SCREE_DEFAULTS_OF(scree_porosity_def, scree_default_porosity_def)
{
    return (scree_porosity_def){.struct_size = sizeof(scree_porosity_def), .kind = -1, .bins = 50, .from = NAN, .to = NAN};
}

// The container that ends at this edge: below a height, within a radius, or farther from the wall.
static scree_container container_at(const measured* m, int32_t kind, double edge)
{
    scree_container c = {.kind = m->def.container, .box = m->def.box};
    for (int k = 0; k < m->dim; ++k) {
        double middle = 0.5 * (c.box.lower[k] + c.box.upper[k]);
        if (kind == SCREE_POROSITY_RADIUS && (k < 2 || c.kind == SCREE_CONTAINER_SPHERE)) {
            c.box.lower[k] = middle - edge;
            c.box.upper[k] = middle + edge;
        } else if (kind == SCREE_POROSITY_WALL && !c.box.periodic[k]) {
            c.box.lower[k] = fmin(c.box.lower[k] + edge, middle);
            c.box.upper[k] = fmax(c.box.upper[k] - edge, middle);
        } else if (kind == k) {
            c.box.upper[k] = edge;
            c.box.periodic[k] = false;
        }
    }
    return c;
}

// In slabs of a periodic axis images count; elsewhere what is beyond a periodic face is in the container too.
static double held_of(const measured* m, int32_t kind, const scree_container* c, int64_t i)
{
    double x[3], sum = 0.0, length = m->length[2];
    for (int k = 0; k < m->dim; ++k)
        x[k] = m->x[i * m->dim + k];
    if (kind != SCREE_POROSITY_Z || !m->def.box.periodic[2])
        return scree_sphere_container_share(c, x, m->r[i]);
    int64_t first = (int64_t)ceil((m->def.box.lower[2] - m->r[i] - x[2]) / length), last = (int64_t)floor((m->def.box.upper[2] + m->r[i] - x[2]) / length);
    for (int64_t turn = first; turn <= last; ++turn) {
        x[2] = m->x[i * m->dim + 2] + (double)turn * length;
        sum += scree_sphere_container_share(c, x, m->r[i]);
    }
    return sum;
}

static scree_status sum_edge(void* context, int64_t e)
{
    const porosity_job* job = context;
    const measured* m = job->m;
    const scree_container c = container_at(m, job->out->kind, job->out->edge[e]);
    if (!(scree_container_volume(&c) > 0.0))
        return SCREE_OK;
    for (int64_t i = 0; i < m->n; ++i) {
        job->held[e] += measured_share_of_box(m, m->r[i]) * held_of(m, job->out->kind, &c, i);
        if (!scree_parallel_work(c.kind == SCREE_CONTAINER_CYLINDER ? 5000 : 500))
            return SCREE_OK;
    }
    return SCREE_OK;
}

static scree_status shells_of(const measured* m, scree_porosity* out)
{
    porosity_job job = {.m = m, .out = out, .held = scree_calloc((size_t)out->bins + 1, sizeof *job.held)};
    if (job.held == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = SCREE_OK;
    if (!scree_watch_goes_on(&m->def.watch, 0.0))  // a small set may be done before the loop asks
        status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    if (status == SCREE_OK)
        status = scree_parallel_for(m->def.threads, out->bins + 1, sum_edge, &job, &m->def.watch);
    const scree_container whole = {.kind = m->def.container, .box = m->def.box};
    double sign = out->kind == SCREE_POROSITY_WALL ? -1.0 : 1.0, to_box = measured_box_to(m, &whole);
    for (int32_t b = 0; b < out->bins && status == SCREE_OK; ++b) {
        const scree_container from = container_at(m, out->kind, out->edge[b]), to = container_at(m, out->kind, out->edge[b + 1]);
        double volume = sign * (scree_container_volume(&to) - scree_container_volume(&from)) / scree_box_volume(&m->def.box);
        out->volume[b] = volume * to_box;
        out->fraction[b] = volume > 0.0 ? sign * (job.held[b + 1] - job.held[b]) / volume : NAN;
    }
    scree_free(job.held);
    return status;
}

static scree_status slabs_of(const measured* m, scree_porosity* out)
{
    const int axis = out->kind;
    scree_voxels slabs = {.dim = m->dim, .cells = {1, 1, 1}, .size = {1.0, 1.0, 1.0}};
    for (int k = 0; k < m->dim; ++k) {
        slabs.lower[k] = m->def.box.lower[k];
        slabs.size[k] = m->length[k];
    }
    slabs.cells[axis] = out->bins;
    slabs.lower[axis] = out->edge[0];
    slabs.size[axis] = (out->edge[out->bins] - out->edge[0]) / out->bins;
    scree_status status = voxels_of(m, false, true, &slabs);
    for (int32_t b = 0; b < out->bins && status == SCREE_OK; ++b) {
        out->volume[b] = slabs.size[axis] / m->length[axis];
        out->fraction[b] = slabs.fraction[b];
    }
    scree_voxels_free(&slabs);
    return status;
}

// The ends that the profile can have.
static scree_status find_ends(const measured* m, int32_t kind, double ends[2])
{
    const scree_box* box = &m->def.box;
    const int32_t container = m->def.container;
    double shortest = INFINITY, round = 0.5 * fmin(m->length[0], m->length[1]);
    if (kind < 0 || kind >= SCREE_POROSITY_COUNT || (kind == SCREE_POROSITY_Z && m->dim == 2))
        return scree_fail(SCREE_ERR_ARGUMENT, "porosity: kind %" PRId32 "; expected an axis of the box, radius or wall", kind);
    if (kind == SCREE_POROSITY_RADIUS && container == SCREE_CONTAINER_BOX)
        return scree_fail(SCREE_ERR_ARGUMENT, "porosity: a box has no radius; expected a cylinder or a sphere as the container");
    if (kind < SCREE_POROSITY_RADIUS && container != SCREE_CONTAINER_BOX && !(container == SCREE_CONTAINER_CYLINDER && kind == SCREE_POROSITY_Z))
        return scree_fail(SCREE_ERR_UNSUPPORTED, "porosity: slabs across %s of a container that is a %s; expected radius or wall, or z in a cylinder", scree_porosity_name(kind),
                          scree_container_name(container));
    for (int k = 0; k < m->dim; ++k) {
        if (!(m->length[k] > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "porosity: the box has no length on axis %c; expected a box with a volume", "xyz"[k]);
        shortest = box->periodic[k] ? shortest : fmin(shortest, m->length[k]);
        round = container == SCREE_CONTAINER_SPHERE ? fmin(round, 0.5 * m->length[k]) : round;
    }
    if (kind == SCREE_POROSITY_WALL && isinf(shortest))
        return scree_fail(SCREE_ERR_ARGUMENT, "porosity: all axes of the box are periodic; expected walls for a profile by the distance to them");
    ends[0] = kind < SCREE_POROSITY_RADIUS ? box->lower[kind] : 0.0;
    ends[1] = kind < SCREE_POROSITY_RADIUS ? box->upper[kind] : kind == SCREE_POROSITY_RADIUS ? round : 0.5 * shortest;
    return SCREE_OK;
}

static scree_status choose_edges(const measured* m, const scree_porosity_def* about, scree_porosity* out)
{
    double ends[2] = {0.0, 0.0};
    out->kind = about->kind == -1 ? m->dim - 1 : about->kind;
    out->bins = about->bins;
    scree_status status = find_ends(m, out->kind, ends);
    if (status != SCREE_OK)
        return status;
    double from = isnan(about->from) ? ends[0] : about->from, to = isnan(about->to) ? ends[1] : about->to;
    if (about->bins < 1 || about->bins > most_bins)
        return scree_fail(SCREE_ERR_ARGUMENT, "porosity: bins = %" PRId32 "; expected 1 to %d", about->bins, (int)most_bins);
    if (!(from >= ends[0]) || !(to <= ends[1]) || !(from < to))
        return scree_fail(SCREE_ERR_ARGUMENT, "porosity: the profile goes from %g to %g; expected a part of %g to %g", from, to, ends[0], ends[1]);
    size_t bins = (size_t)about->bins;
    out->edge = scree_malloc(bins + 1, sizeof *out->edge);
    out->volume = scree_malloc(bins, sizeof *out->volume);
    out->fraction = scree_malloc(bins, sizeof *out->fraction);
    out->porosity = scree_malloc(bins, sizeof *out->porosity);
    if (out->edge == NULL || out->volume == NULL || out->fraction == NULL || out->porosity == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t b = 0; b <= about->bins; ++b)
        out->edge[b] = b == about->bins ? to : from + (to - from) * ((double)b / about->bins);
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_porosity, scree_measure_porosity, (const scree_measure_def* def, scree_spheres spheres, const scree_porosity_def* about, scree_porosity* out), (def, spheres, about, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    SCREE_NEED(about);
    scree_status status = scree_check_struct_size("porosity", "scree_default_porosity_def", about->struct_size, sizeof *about, sizeof *about);
    if (status != SCREE_OK)
        return status;
    measured m;
    status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    scree_porosity found = {0};
    status = choose_edges(&m, about, &found);
    if (status == SCREE_OK)
        status = voxels_check_images(&m, "porosity");
    if (status == SCREE_OK)
        status = found.kind < SCREE_POROSITY_RADIUS && m.def.container == SCREE_CONTAINER_BOX ? slabs_of(&m, &found) : shells_of(&m, &found);
    for (int32_t b = 0; b < found.bins && status == SCREE_OK; ++b)
        found.porosity[b] = 1.0 - found.fraction[b];
    measured_free(&m);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_porosity_free(&found);
    return status;
}

SCREE_RELEASE_OF(scree_porosity, scree_porosity_free)
{
    scree_free(given->edge);
    scree_free(given->volume);
    scree_free(given->fraction);
    scree_free(given->porosity);
}
