// The nearest surface of each sphere.
//
// A search by a fixed gap would not do: one lonely sphere would force a gap as large as the box on all. Here each sphere goes
// down the tree (tree.h), nearer half first, and leaves out every node that cannot hold a nearer surface than the best so
// far: distance to the box of its centres, less its largest radius and the sphere's own. Then the images: the centres are
// wrapped, so the nearest one is at most one box away on each axis, and most of the 26 end at the root. In a tilted box a sphere has an image of itself
// one period away, so that nothing farther than that counts; that may take more images.
//
// Cost: about log n per sphere. A few large spheres among many small ones loosen the nodes above them, but no others.
#include "measure/tree.h"

#include "base/parallel.h"
#include "geom/pair.h"

#include <math.h>
#include <string.h>

enum { per_chunk = 1024 };

typedef struct nearest_job {
    const measure_tree* tree;
    double length[3], tilt[3];
    int images[3];
    double* gap;
} nearest_job;

// A node that waits, and the gap that no sphere in it can be below.
typedef struct waiting_node {
    int64_t v;
    int level;
    double bound;
} waiting_node;

static waiting_node wait_for(const measure_tree* tree, int64_t v, int level, const double q[3], double r)
{
    const measure_node* node = &tree->nodes[v];
    return (waiting_node){.v = v, .level = level, .bound = sqrt(node_square(node, q)) - node->r_max - r - tree->slack};
}

// As in scree_pair_gap.
static double gap_of(double square, double reach)
{
    double sum = sqrt(square) + reach;
    return sum > 0.0 ? (square - reach * reach) / sum : 0.0;
}

// `self`: the sphere's own place if it must not find itself, else -1.
static double nearest_image(const measure_tree* tree, const double a[4], int64_t self, const double offset[3],
                            double best)
{
    double q[3] = {a[0] - offset[0], a[1] - offset[1], a[2] - offset[2]};
    waiting_node stack[tree_stack];
    int waiting = 0;
    stack[waiting++] = wait_for(tree, 1, 0, q, a[3]);
    while (waiting > 0) {
        waiting_node next = stack[--waiting];
        if (next.bound >= best)
            continue;
        if (next.level < tree->depth) {
            waiting_node one = wait_for(tree, 2 * next.v, next.level + 1, q, a[3]);
            waiting_node two = wait_for(tree, 2 * next.v + 1, next.level + 1, q, a[3]);
            bool one_first = one.bound <= two.bound;
            stack[waiting++] = one_first ? two : one;
            stack[waiting++] = one_first ? one : two;
            continue;
        }
        int64_t last = tree_last(tree, next.v, next.level);
        for (int64_t b = tree_first(tree, next.v, next.level); b < last; ++b)
            if (b != self)
                best = fmin(best, gap_of(scree_square_distance(a, tree->xr[b], offset), a[3] + tree->xr[b][3]));
    }
    return best;
}

static scree_status nearest_chunk(void* context, int64_t chunk)
{
    const nearest_job* job = context;
    const measure_tree* tree = job->tree;
    int64_t end = (chunk + 1) * per_chunk < tree->n ? (chunk + 1) * per_chunk : tree->n;
    for (int64_t place = chunk * per_chunk; place < end; ++place) {
        double offset[3] = {0.0, 0.0, 0.0};
        double best = nearest_image(tree, tree->xr[place], place, offset, INFINITY);
        for (int sx = -job->images[0]; sx <= job->images[0]; ++sx)
            for (int sy = -job->images[1]; sy <= job->images[1]; ++sy)
                for (int sz = -job->images[2]; sz <= job->images[2]; ++sz) {
                    if (sx == 0 && sy == 0 && sz == 0)
                        continue;
                    scree_lattice_offset(job->length, job->tilt, sx, sy, sz, offset);
                    best = nearest_image(tree, tree->xr[place], -1, offset, best);
                }
        job->gap[tree->id[place]] = best;
        if (!scree_parallel_work(4096))
            return SCREE_OK;
    }
    return SCREE_OK;
}

static scree_status summarise(const measured* m, scree_nearest* out)
{
    double* sorted = scree_malloc((size_t)m->n, sizeof *sorted);
    if (sorted == NULL)
        return SCREE_ERR_MEMORY;
    int64_t finite = 0;
    for (int64_t i = 0; i < m->n; ++i)
        if (isfinite(out->gap[i]))
            sorted[finite++] = out->gap[i];
    measured_sort(sorted, finite);
    out->min = finite > 0 ? sorted[0] : NAN;
    out->median = finite > 0 ? sorted[(finite - 1) / 2] : NAN;
    out->max = finite > 0 ? sorted[finite - 1] : NAN;

    double low = finite > 0 ? fmin(0.0, out->min) : 0.0, high = m->def.nearest_max;
    for (int32_t b = 0; b <= out->bins; ++b)
        out->edge[b] = b == out->bins ? high : low + (high - low) * ((double)b / out->bins);
    int64_t place = 0;
    for (int32_t b = 0; b < out->bins; ++b)
        for (; place < finite && sorted[place] < out->edge[b + 1]; ++place)
            ++out->number[b];
    out->beyond = m->n - place;
    scree_free(sorted);
    return SCREE_OK;
}

scree_status nearest_of(const measured* m, const measure_tree* tree, const scree_watch* watch, scree_nearest* out)
{
    if (m->def.nearest_bins == 0)
        return SCREE_OK;
    out->n = m->n;
    out->bins = m->def.nearest_bins;
    out->gap = scree_malloc((size_t)m->n, sizeof *out->gap);
    out->edge = scree_malloc((size_t)out->bins + 1, sizeof *out->edge);
    out->number = scree_calloc((size_t)out->bins, sizeof *out->number);
    if (out->gap == NULL || out->edge == NULL || out->number == NULL)
        return SCREE_ERR_MEMORY;
    nearest_job job = {.tree = tree, .gap = out->gap};
    for (int k = 0; k < m->dim; ++k) {
        job.length[k] = m->length[k];
        job.images[k] = m->def.box.periodic[k] ? 1 : 0;
    }
    memcpy(job.tilt, m->reduced, sizeof job.tilt);
    if (scree_lattice_tilted(m->reduced))
        measured_images(m, scree_box_period(&m->def.box) + m->diameter_max, job.images);
    scree_status status =
        scree_parallel_for(m->def.threads, (m->n + (int64_t)per_chunk - 1) / per_chunk, nearest_chunk, &job, watch);
    return status == SCREE_OK ? summarise(m, out) : status;
}
