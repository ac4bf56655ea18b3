// Building the tree, level by level: all nodes of a level are cut at once, each on its own stretch of the array.
#include "measure/tree.h"

#include "base/parallel.h"

#include <float.h>
#include <math.h>

enum { leaf_size = 8 };

static void swap(measure_tree* tree, int64_t a, int64_t b)
{
    for (int k = 0; k < 4; ++k) {
        double keep = tree->xr[a][k];
        tree->xr[a][k] = tree->xr[b][k];
        tree->xr[b][k] = keep;
    }
    int32_t keep = tree->id[a];
    tree->id[a] = tree->id[b];
    tree->id[b] = keep;
}

static double middle_of(double a, double b, double c)
{
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

// Quickselect: afterwards no item in first .. middle-1 is above any in middle .. last-1 on the axis. Equal values are
// shared out to both sides, so that they cost nothing extra.
static void halve(measure_tree* tree, int64_t first, int64_t last, int64_t middle, int axis)
{
    int64_t low = first, high = last - 1;
    while (low < high) {
        double pivot = middle_of(tree->xr[low][axis], tree->xr[low + (high - low) / 2][axis], tree->xr[high][axis]);
        int64_t a = low, b = high;
        while (a <= b) {
            while (tree->xr[a][axis] < pivot)
                ++a;
            while (tree->xr[b][axis] > pivot)
                --b;
            if (a <= b)
                swap(tree, a++, b--);
        }
        if (middle <= b)
            high = b;
        else if (middle >= a)
            low = a;
        else
            return;
    }
}

static void bound(const measure_tree* tree, int64_t first, int64_t last, measure_node* node)
{
    for (int k = 0; k < 3; ++k) {
        node->lower[k] = INFINITY;
        node->upper[k] = -INFINITY;
    }
    node->r_max = 0.0;
    for (int64_t p = first; p < last; ++p) {
        for (int k = 0; k < 3; ++k) {
            node->lower[k] = fmin(node->lower[k], tree->xr[p][k]);
            node->upper[k] = fmax(node->upper[k], tree->xr[p][k]);
        }
        node->r_max = fmax(node->r_max, tree->xr[p][3]);
    }
}

typedef struct level_job {
    measure_tree* tree;
    int level;
    int64_t per_chunk;
} level_job;

static scree_status cut_nodes(void* context, int64_t chunk)
{
    level_job* job = context;
    measure_tree* tree = job->tree;
    for (int64_t c = chunk * job->per_chunk; c < (chunk + 1) * job->per_chunk; ++c) {
        int64_t v = ((int64_t)1 << job->level) + c;
        int64_t first = tree_first(tree, v, job->level), last = tree_last(tree, v, job->level);
        measure_node* node = &tree->nodes[v];
        bound(tree, first, last, node);
        if (job->level == tree->depth)
            continue;
        int axis = 0;
        for (int k = 1; k < 3; ++k)
            if (node->upper[k] - node->lower[k] > node->upper[axis] - node->lower[axis])
                axis = k;
        halve(tree, first, last, tree_last(tree, 2 * v, job->level + 1), axis);
    }
    return SCREE_OK;
}

static bool tick_part(void* context, double done)
{
    const measure_part* p = context;
    return p->whole->tick(p->whole->context, p->from + (p->to - p->from) * done);
}

scree_watch measure_part_watch(measure_part* part)
{
    return part->whole->tick == NULL ? (scree_watch){0} : (scree_watch){.tick = tick_part, .context = part};
}

scree_status measure_tree_make(const measured* m, const scree_watch* watch, measure_tree* out)
{
    measure_tree tree = {.n = m->n};
    while (m->n >> tree.depth > leaf_size)
        ++tree.depth;
    tree.xr = scree_malloc((size_t)m->n, sizeof *tree.xr);
    tree.id = scree_malloc((size_t)m->n, sizeof *tree.id);
    tree.nodes = scree_malloc((size_t)2 << tree.depth, sizeof *tree.nodes);
    if (tree.xr == NULL || tree.id == NULL || tree.nodes == NULL) {
        measure_tree_free(&tree);
        return SCREE_ERR_MEMORY;
    }
    double largest = 0.0;
    for (int64_t i = 0; i < m->n; ++i) {
        measured_sphere(m, i, tree.xr[i]);
        tree.id[i] = (int32_t)i;
        for (int k = 0; k < 3; ++k)
            largest = fmax(largest, fabs(tree.xr[i][k]));
    }
    scree_status status = SCREE_OK;
    for (int level = 0; level <= tree.depth && status == SCREE_OK; ++level) {
        int64_t nodes = (int64_t)1 << level, chunks = nodes < 64 ? nodes : 64;
        level_job job = {.tree = &tree, .level = level, .per_chunk = nodes / chunks};
        measure_part own = {watch, (double)level / (tree.depth + 1), (double)(level + 1) / (tree.depth + 1)};
        scree_watch level_watch = measure_part_watch(&own);
        status = scree_parallel_for(m->def.threads, chunks, cut_nodes, &job, &level_watch);
    }
    if (status != SCREE_OK) {
        measure_tree_free(&tree);
        return status;
    }
    double longest = fmax(m->length[0], fmax(m->length[1], m->length[2]));
    double boxes = scree_lattice_tilted(m->reduced) ? 64.0 : 17.0;  // so far away are images at most
    tree.slack = 32.0 * DBL_EPSILON * (largest + boxes * longest + m->diameter_max);
    *out = tree;
    return SCREE_OK;
}

void measure_tree_free(measure_tree* tree)
{
    scree_free(tree->xr);
    scree_free(tree->id);
    scree_free(tree->nodes);
    *tree = (measure_tree){0};
}
