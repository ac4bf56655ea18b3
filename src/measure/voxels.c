// Voxels: the sphere at the centre of each, and how much of each is filled.
//
// A voxel that lies in the ball or outside of it is known from its nearest and farthest corner, sums of squares per axis. One that the surface cuts gets a difference of the closed forms of cut.c at
// its corners, as cells of fields.c do; a corner is computed once for all voxels around it, and only where a surface passes.
//
// Each chunk owns some planes of voxels and goes over all spheres, so a voxel is summed in the order of the spheres, however many threads there are. Images are spread one by one, so that boxes may be tilted.
//
// Cost: O(n + voxels in spheres); of a ball of 10 voxels radius about 3 ms, nearly all of it at its surface.
#include "measure/voxels.h"

#include "base/argument.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <math.h>

enum { most_cells = 10000, most_boxes = 16, most_chunks = 64 };

static const double pi = 3.14159265358979323846;

typedef struct voxel_job {
    const measured* m;
    scree_voxels* out;
    double* power;        // of the label of each voxel; 0: none yet
    int32_t planes;       // of each chunk
    int64_t corners;      // room for the corners of a plane of a ball
    int64_t desk;         // of each chunk in `desks`
    double* desks;
} voxel_job;

// A ball over the voxels first .. last of each axis, inside the region.
typedef struct ball {
    int32_t i;
    int dim;
    double x[3], r, volumes;  // volumes: over that of a voxel
    int32_t first[3], last[3];
    double *near[3], *far[3], *middle[3];  // squares of distances along each axis, by voxel from `first` on: of the nearest point, the farthest one and the centre
    double *low, *high;                    // corners below and above the plane; NAN: not known
} ball;

static double edge_at(const scree_voxels* out, int k, int64_t e)
{
    return out->lower[k] + (double)e * out->size[k];
}

static void measure_axis(const scree_voxels* out, ball* b, int k)
{
    for (int32_t c = b->first[k]; c <= b->last[k]; ++c) {
        double below = edge_at(out, k, c) - b->x[k], above = edge_at(out, k, c + 1) - b->x[k], centre = edge_at(out, k, c) + 0.5 * out->size[k] - b->x[k];
        double nearest = fmax(0.0, fmax(below, -above)), farthest = fmax(fabs(below), fabs(above));
        b->near[k][c - b->first[k]] = nearest * nearest;
        b->far[k][c - b->first[k]] = farthest * farthest;
        b->middle[k][c - b->first[k]] = centre * centre;
    }
}

// What of the ball is below corner (a, c of the second axis) and between its centre and edge e of the last axis, as cut_corner has it.
static double corner_of(const scree_voxels* out, const ball* b, double* known, int32_t a, int32_t c, int32_t e)
{
    double* at = known + (int64_t)(c - b->first[1]) * (b->last[0] - b->first[0] + 2) + (a - b->first[0]);
    if (b->dim == 2)
        at = known + (a - b->first[0]);
    if (!isnan(*at))
        return *at;
    double p[3];
    const int32_t edge[3] = {a, b->dim == 3 ? c : e, e};
    for (int k = 0; k < 3; ++k)
        p[k] = k < b->dim ? fmin(fmax((edge_at(out, k, edge[k]) - b->x[k]) / b->r, -1.0), 1.0) : 0.0;
    return *at = p[0] <= -1.0 || p[1] <= -1.0 ? 0.0 : cut_corner(b->dim, p[0], p[1], p[2]);
}

static double cut_share(const scree_voxels* out, const ball* b, int32_t a, int32_t c, int32_t plane)
{
    double share[2];
    for (int side = 0; side < 2; ++side) {
        double* known = side == 0 ? b->low : b->high;
        share[side] = corner_of(out, b, known, a + 1, c, plane + side) - corner_of(out, b, known, a, c, plane + side);
        if (b->dim == 3)
            share[side] = (corner_of(out, b, known, a + 1, c + 1, plane + side) - corner_of(out, b, known, a, c + 1, plane + side)) - share[side];
    }
    return share[1] - share[0];
}

static void forget_corners(const ball* b, double* known)
{
    int64_t count = (int64_t)(b->last[0] - b->first[0] + 2) * (b->dim == 3 ? b->last[1] - b->first[1] + 2 : 1);
    for (int64_t e = 0; e < count; ++e)
        known[e] = NAN;
}

static void put_label(const voxel_job* job, const ball* b, int64_t voxel, double square)
{
    double power = square - b->r * b->r;
    if (power < job->power[voxel]) {
        job->power[voxel] = power;
        job->out->label[voxel] = b->i;
    }
}

// The part of a ball in the planes begin .. end - 1. False: stop.
static bool put_ball(const voxel_job* job, ball* b, int32_t begin, int32_t end)
{
    scree_voxels* out = job->out;
    const int last = b->dim - 1;
    const double square = b->r * b->r;
    int64_t work = 20;
    for (int k = 0; k < b->dim; ++k) {
        double from = (b->x[k] - b->r - out->lower[k]) / out->size[k], to = (b->x[k] + b->r - out->lower[k]) / out->size[k];
        if (!(to >= 0.0) || !(from < out->cells[k]))
            return true;
        b->first[k] = from > 0.0 ? (int32_t)from : 0;
        b->last[k] = to < out->cells[k] - 1 ? (int32_t)to : out->cells[k] - 1;
    }
    b->first[last] = b->first[last] < begin ? begin : b->first[last];
    b->last[last] = b->last[last] >= end ? end - 1 : b->last[last];
    if (b->first[last] > b->last[last])
        return true;
    for (int k = 0; k < b->dim; ++k)
        measure_axis(out, b, k);
    forget_corners(b, b->high);
    for (int32_t plane = b->first[last]; plane <= b->last[last]; ++plane) {
        double* swap = b->low;
        b->low = b->high;
        b->high = swap;
        forget_corners(b, b->high);
        const int64_t p = plane - b->first[last];
        for (int32_t c = b->dim == 3 ? b->first[1] : 0; c <= (b->dim == 3 ? b->last[1] : 0); ++c) {
            const int64_t q = c - b->first[1], row = b->dim == 3 ? (int64_t)plane * out->cells[1] + c : plane;
            const double near = b->near[last][p] + (b->dim == 3 ? b->near[1][q] : 0.0), far = b->far[last][p] + (b->dim == 3 ? b->far[1][q] : 0.0),
                         middle = b->middle[last][p] + (b->dim == 3 ? b->middle[1][q] : 0.0);
            if (!(near < square))
                continue;
            for (int32_t a = b->first[0]; a <= b->last[0]; ++a) {
                const int64_t voxel = row * out->cells[0] + a, e = a - b->first[0];
                if (!(near + b->near[0][e] < square))
                    continue;
                const bool whole = far + b->far[0][e] <= square;
                if (out->label != NULL)
                    put_label(job, b, voxel, middle + b->middle[0][e]);
                if (out->fraction != NULL)
                    out->fraction[voxel] += whole ? 1.0 : fmin(fmax(b->volumes * cut_share(out, b, a, c, plane), 0.0), 1.0);
                work += whole ? 5 : 1000;
            }
        }
    }
    return scree_parallel_work(work);
}

// The images along axis k that can reach the region.
static void find_turns(const measured* m, const scree_voxels* out, int k, double x, double r, int64_t turns[2])
{
    turns[0] = turns[1] = 0;
    if (!m->def.box.periodic[k])
        return;
    turns[0] = (int64_t)ceil((out->lower[k] - r - x) / m->length[k]);
    turns[1] = (int64_t)floor((edge_at(out, k, out->cells[k]) + r - x) / m->length[k]);
}

// A sphere and its images. False: stop.
static bool put_images(const voxel_job* job, ball* b, int32_t begin, int32_t end)
{
    const measured* m = job->m;
    const double *x = m->x + (int64_t)b->i * m->dim, *tilt = m->tilt;
    int64_t up[2] = {0, 0}, along[2], across[2];
    if (m->dim == 3)
        find_turns(m, job->out, 2, x[2], b->r, up);
    for (int64_t sz = up[0]; sz <= up[1]; ++sz) {
        double z = m->dim == 3 ? x[2] + (double)sz * m->length[2] : 0.0, y = x[1] + (double)sz * tilt[2];
        find_turns(m, job->out, 1, y, b->r, along);
        for (int64_t sy = along[0]; sy <= along[1]; ++sy) {
            double start = x[0] + (double)sz * tilt[1] + (double)sy * tilt[0];
            find_turns(m, job->out, 0, start, b->r, across);
            for (int64_t sx = across[0]; sx <= across[1]; ++sx) {
                b->x[0] = start + (double)sx * m->length[0];
                b->x[1] = y + (double)sy * m->length[1];
                b->x[2] = z;
                if (!put_ball(job, b, begin, end))
                    return false;
            }
        }
    }
    return true;
}

static scree_status put_chunk(void* context, int64_t chunk)
{
    const voxel_job* job = context;
    const measured* m = job->m;
    const scree_voxels* out = job->out;
    double* at = job->desks + chunk * job->desk;
    ball b = {.dim = m->dim};
    for (int k = 0; k < m->dim; ++k) {
        double** arrays[3] = {&b.near[k], &b.far[k], &b.middle[k]};
        for (int e = 0; e < 3; ++e, at += out->cells[k])
            *arrays[e] = at;
    }
    b.low = at;
    b.high = at + job->corners;
    int32_t all = out->cells[m->dim - 1], begin = (int32_t)chunk * job->planes, end = begin + job->planes < all ? begin + job->planes : all;
    for (b.i = 0; b.i < m->n; ++b.i) {
        b.r = m->r[b.i];
        if (b.r == 0.0)
            continue;
        b.volumes = m->dim == 2 ? pi : 4.0 / 3.0 * pi;
        for (int k = 0; k < m->dim; ++k)
            b.volumes *= b.r / out->size[k];
        if (!put_images(job, &b, begin, end))
            return SCREE_OK;
    }
    return SCREE_OK;
}

scree_status voxels_check_images(const measured* m, const char* what)
{
    for (int k = 0; k < m->dim; ++k)
        if (m->def.box.periodic[k] && m->diameter_max > most_boxes * m->length[k])
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: the largest diameter is %g; expected at most %d periodic boxes, of %g on axis %c", what, m->diameter_max, (int)most_boxes, m->length[k], "xyz"[k]);
    return SCREE_OK;
}

scree_status voxels_of(const measured* m, bool labels, bool fractions, scree_voxels* out)
{
    voxel_job job = {.m = m, .out = out, .corners = 1};
    int64_t chunks = 4 * (int64_t)scree_parallel_threads(m->def.threads), all = out->cells[m->dim - 1];
    chunks = chunks < most_chunks ? chunks : most_chunks;
    job.planes = (int32_t)((all + chunks - 1) / chunks);
    chunks = (all + job.planes - 1) / job.planes;
    out->count = 1;
    for (int k = 0; k < 3; ++k)
        out->count *= out->cells[k];
    for (int k = 0; k < m->dim; ++k) {
        job.desk += 3 * (int64_t)out->cells[k];
        if (k < m->dim - 1)
            job.corners *= (int64_t)fmin(ceil(m->diameter_max / out->size[k]) + 3.0, out->cells[k] + 1.0);
    }
    job.desk += 2 * job.corners;
    size_t count = (size_t)out->count;
    job.desks = scree_malloc((size_t)(chunks * job.desk), sizeof *job.desks);
    job.power = labels ? scree_calloc(count, sizeof *job.power) : NULL;
    out->label = labels ? scree_malloc(count, sizeof *out->label) : NULL;
    out->fraction = fractions ? scree_calloc(count, sizeof *out->fraction) : NULL;
    scree_status status = job.desks != NULL && (!labels || (job.power != NULL && out->label != NULL)) && (!fractions || out->fraction != NULL) ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int64_t v = 0; v < out->count && status == SCREE_OK && labels; ++v)
        out->label[v] = -1;
    if (status == SCREE_OK && !scree_watch_goes_on(&m->def.watch, 0.0))  // a small set may be done before the loop asks
        status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    if (status == SCREE_OK)
        status = scree_parallel_for(m->def.threads, chunks, put_chunk, &job, &m->def.watch);
    out->solid = NAN;
    if (status == SCREE_OK && fractions) {
        double sum = 0.0;
        for (int64_t v = 0; v < out->count; ++v)
            sum += out->fraction[v];
        out->solid = sum / (double)out->count;
    }
    scree_free(job.desks);
    scree_free(job.power);
    return status;
}

// ---- The call ----------------------------------------------------------------------------------------------------

SCREE_DEFAULTS_OF(scree_voxels_def, scree_default_voxels_def)
{
    return (scree_voxels_def){.struct_size = sizeof(scree_voxels_def), .cells = {100, 100, 100}, .lower = {NAN, NAN, NAN}, .upper = {NAN, NAN, NAN}, .labels = true, .fractions = true};
}

static scree_status choose_grid(const measured* m, const scree_voxels_def* about, scree_voxels* out)
{
    *out = (scree_voxels){.dim = m->dim, .cells = {1, 1, 1}, .size = {1.0, 1.0, 1.0}};
    for (int k = 0; k < m->dim; ++k) {
        const scree_box* box = &m->def.box;
        double lower = isnan(about->lower[k]) ? box->lower[k] : about->lower[k], upper = isnan(about->upper[k]) ? box->upper[k] : about->upper[k];
        if (about->cells[k] < 1 || about->cells[k] > most_cells)
            return scree_fail(SCREE_ERR_ARGUMENT, "voxels: cells along %c = %" PRId32 "; expected 1 to %d", "xyz"[k], about->cells[k], (int)most_cells);
        if (!(m->length[k] > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "voxels: the box has no length on axis %c; expected a box with a volume", "xyz"[k]);
        if (!(upper > lower) || isinf(upper - lower) || (box->periodic[k] && upper - lower > most_boxes * m->length[k]))
            return scree_fail(SCREE_ERR_ARGUMENT, "voxels: the region goes from %g to %g on axis %c; expected a length above 0, of at most %d periodic boxes", lower, upper, "xyz"[k], (int)most_boxes);
        out->cells[k] = about->cells[k];
        out->lower[k] = lower;
        out->size[k] = (upper - lower) / about->cells[k];
    }
    return SCREE_OK;
}

scree_status scree_measure_voxels(const scree_measure_def* def, scree_spheres spheres, const scree_voxels_def* about, scree_voxels* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    SCREE_NEED(about);
    scree_status status = scree_check_struct_size("voxels", "scree_default_voxels_def", about->struct_size, sizeof *about, sizeof *about);
    if (status != SCREE_OK)
        return status;
    measured m;
    status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    scree_voxels found;
    status = choose_grid(&m, about, &found);
    if (status == SCREE_OK)
        status = voxels_check_images(&m, "voxels");
    if (status == SCREE_OK)
        status = voxels_of(&m, about->labels, about->fractions, &found);
    measured_free(&m);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_voxels_free(&found);
    return status;
}

void scree_voxels_free(scree_voxels* voxels)
{
    if (voxels == NULL)
        return;
    scree_free(voxels->label);
    scree_free(voxels->fraction);
    *voxels = (scree_voxels){0};
}
