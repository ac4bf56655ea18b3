// g(r): pairs of centres by distance, over what they would be without order.
//
// Each leaf of the tree finds all leaves within r_max, and their centres are counted into bins, pair by pair. A pair
// comes up once: among the spheres themselves at the earlier of its two leaves, and among images for one of the two
// opposite shifts. Nothing but counts is kept: with r_max = 5 diameters a sphere in a packing has some 600 others in reach,
// and a list of these would be a hundred times as long as the spheres. Chunks have bins of their own; they are whole
// numbers, so that their sums do not depend on who counted.
//
// Cost: n times the spheres in reach, and a factor of 2 to 3 for those that the leaves bring along.
// Ideal counts: covariogram.c.
#include "measure/tree.h"

#include "base/parallel.h"
#include "geom/pair.h"

#include <math.h>

enum { most_chunks = 256 };

typedef struct count_job {
    const measure_tree* tree;
    double length[3], tilt[3];
    int images[3];  // to each side
    int32_t bins;
    const double* edge;
    double reach;       // edge[bins], with the slack of the tree
    double per_length;  // bins / r_max
    int64_t per_chunk;  // leaves
    int64_t* counts;    // bins per chunk
} count_job;

static void put(const count_job* job, double square, int64_t* counts)
{
    double distance = sqrt(square);
    if (!(distance < job->edge[job->bins]))
        return;
    int32_t b = (int32_t)(distance * job->per_length);
    if (b >= job->bins)
        b = job->bins - 1;
    // The product may be off by one bin at an edge; the edges decide.
    if (distance < job->edge[b])
        --b;
    else if (distance >= job->edge[b + 1])
        ++b;
    ++counts[b];
}

// Whether no centre of one node, moved by -offset, can be within reach of one of the other.
static bool apart(const measure_node* a, const measure_node* b, const double offset[3], double reach)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double below = (b->lower[k] - a->upper[k]) + offset[k], above = (a->lower[k] - b->upper[k]) - offset[k];
        double out = below > above ? below : above;
        sum += out > 0.0 ? out * out : 0.0;
    }
    return sum > reach * reach;
}

// The centres of two leaves, or of one and its image. `here`: no image, so a leaf meets itself, and each pair once.
static void count_leaves(const count_job* job, int64_t leaf, int64_t other, bool here, const double offset[3],
                         int64_t* counts)
{
    const measure_tree* tree = job->tree;
    int64_t last = tree_last(tree, leaf, tree->depth), end = tree_last(tree, other, tree->depth);
    int64_t begin = tree_first(tree, other, tree->depth);
    for (int64_t a = tree_first(tree, leaf, tree->depth); a < last; ++a)
        for (int64_t b = here && other == leaf ? a + 1 : begin; b < end; ++b) {
            double square = scree_square_distance(tree->xr[a], tree->xr[b], offset);
            if (square < job->reach * job->reach && a != b)  // most are not: spares them the root
                put(job, square, counts);
        }
}

// False: the loop is to stop. One leaf against the tree moved by `offset`; without offset only against the leaves from itself on.
static bool count_image(const count_job* job, int64_t leaf, bool here, const double offset[3], int64_t* counts)
{
    const measure_tree* tree = job->tree;
    struct {
        int64_t v;
        int level;
    } stack[tree_stack];
    int waiting = 0;
    stack[waiting].v = 1;
    stack[waiting++].level = 0;
    while (waiting > 0) {
        int64_t v = stack[--waiting].v;
        int level = stack[waiting].level;
        int64_t last_leaf = ((v + 1) << (tree->depth - level)) - 1;
        if ((here && last_leaf < leaf) || apart(&tree->nodes[leaf], &tree->nodes[v], offset, job->reach))
            continue;
        if (level == tree->depth) {
            count_leaves(job, leaf, v, here, offset, counts);
            int64_t mine = tree_last(tree, leaf, level) - tree_first(tree, leaf, level), others = tree_last(tree, v, level) - tree_first(tree, v, level);
            if (!scree_parallel_work(4 * mine * others))
                return false;
            continue;
        }
        for (int half = 0; half < 2; ++half) {
            stack[waiting].v = 2 * v + half;
            stack[waiting++].level = level + 1;
        }
    }
    return true;
}

static scree_status count_chunk(void* context, int64_t chunk)
{
    const count_job* job = context;
    int64_t* counts = job->counts + chunk * job->bins;
    int64_t leaves = (int64_t)1 << job->tree->depth;
    int64_t end = (chunk + 1) * job->per_chunk < leaves ? (chunk + 1) * job->per_chunk : leaves;
    for (int64_t leaf = chunk * job->per_chunk; leaf < end; ++leaf)
        for (int sx = 0; sx <= job->images[0]; ++sx)
            for (int sy = sx > 0 ? -job->images[1] : 0; sy <= job->images[1]; ++sy)
                for (int sz = sx > 0 || sy > 0 ? -job->images[2] : 0; sz <= job->images[2]; ++sz) {
                    double offset[3];
                    scree_lattice_offset(job->length, job->tilt, sx, sy, sz, offset);
                    if (!count_image(job, leaves + leaf, sx == 0 && sy == 0 && sz == 0, offset, counts))
                        return SCREE_OK;
                }
    return SCREE_OK;
}

// Pairs of independent points within r.
static double ideal_within(const measured* m, double r)
{
    double c[3] = {0.0}, pairs = 0.5 * m->n * (m->n - 1.0);
    for (int k = 0; k < m->dim; ++k) {
        pairs *= r / m->length[k];
        c[k] = m->def.box.periodic[k] ? 0.0 : r / m->length[k];
    }
    return pairs * covariogram_ball(m->dim, c);
}

scree_status pair_distribution_of(const measured* m, const measure_tree* tree, const scree_watch* watch,
                                  scree_pair_distribution* out)
{
    int32_t bins = m->def.r_bins;
    if (bins == 0)
        return SCREE_OK;
    int64_t leaves = (int64_t)1 << tree->depth;
    count_job job = {.tree = tree, .bins = bins, .per_chunk = (leaves + most_chunks - 1) / most_chunks};
    int64_t chunks = m->n > 0 ? (leaves + job.per_chunk - 1) / job.per_chunk : 0;
    out->bins = bins;
    out->r_max = m->def.r_max;
    out->r = scree_malloc((size_t)bins + 1, sizeof *out->r);
    out->pairs = scree_calloc((size_t)bins, sizeof *out->pairs);
    out->ideal = scree_calloc((size_t)bins, sizeof *out->ideal);
    out->g = scree_calloc((size_t)bins, sizeof *out->g);
    job.counts = scree_calloc((size_t)chunks * (size_t)bins, sizeof *job.counts);
    if (out->r == NULL || out->pairs == NULL || out->ideal == NULL || out->g == NULL || job.counts == NULL) {
        scree_free(job.counts);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t b = 0; b <= bins; ++b)
        out->r[b] = b == bins ? out->r_max : out->r_max * ((double)b / bins);
    job.edge = out->r;
    job.per_length = bins / out->r_max;
    job.reach = out->r_max + tree->slack;
    for (int k = 0; k < 3; ++k) {
        job.length[k] = m->length[k];
        job.tilt[k] = m->reduced[k];
    }
    measured_images(m, job.reach, job.images);
    scree_status status = scree_parallel_for(m->def.threads, chunks, count_chunk, &job, watch);
    for (int64_t c = 0; status == SCREE_OK && c < chunks; ++c)
        for (int32_t b = 0; b < bins; ++b)
            out->pairs[b] += job.counts[c * bins + b];
    scree_free(job.counts);
    if (status != SCREE_OK || m->n < 2 || !m->has_volume)
        return status;

    double before = 0.0;
    for (int32_t b = 0; b < bins; ++b) {
        double within = fmax(before, ideal_within(m, out->r[b + 1]));
        // Beyond the longest vector of the box there is nothing but rounding left.
        out->ideal[b] = within - before > 1e-13 * within ? within - before : 0.0;
        out->g[b] = out->ideal[b] > 0.0 ? (double)out->pairs[b] / out->ideal[b] : 0.0;
        before = within;
    }
    return SCREE_OK;
}
