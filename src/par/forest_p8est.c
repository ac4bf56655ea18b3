// The forest by p4est: one tree over the cube, refined only where markers are, and cut there. It finds the ranks whose regions a ball touches. This is the only file that includes p4est and, with par_mpi.c, the only one
// that includes mpi.h (sc.h does).
//
// No leaf may contain a marker: the root is refined until none does, which gives at most 7 leaves for each level and marker, for any number of spheres. The number of leaves of each rank follows
// from the markers alone, so every rank can compute it.
#include "par/forest.h"

#include "base/array.h"
#include "base/morton.h"

#include <p8est_algorithms.h>
#include <p8est_bits.h>
#include <p8est_extended.h>
#include <p8est_search.h>

// A ball in the search.
typedef struct asked {
    forest_ball ball;
    int32_t number;
    int32_t last;            // rank that it has met; -1: none yet
} asked;

typedef struct tree {
    p8est_connectivity_t* connectivity;
    p4est_locidx_t* count;   // of leaves of each rank
    p8est_t* p8est;
    // Of a search.
    const par_forest* forest;
    int32_t me;
    forest_hits* out;
    scree_status status;
} tree;

_Static_assert(P8EST_QMAXLEVEL == forest_level, "p4est has as many levels as the forest");

static uint64_t width_of(int level)
{
    return (uint64_t)1 << 3 * (forest_level - level);
}

// Whether a marker stands between the first key of an octant and its end.
static bool is_cut(const par_forest* forest, uint64_t first, int level)
{
    int32_t low = 0, high = forest->ranks;  // the first marker above `first`
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (forest->marker[middle] <= first)
            low = middle + 1;
        else
            high = middle;
    }
    return forest->marker[low] < first + width_of(level);
}

static int refine(p8est_t* p8est, p4est_topidx_t which, p8est_quadrant_t* quadrant)
{
    (void)which;
    return is_cut(p8est->user_pointer, p8est_quadrant_linear_id(quadrant, forest_level), quadrant->level);
}

// Leaves of each rank, below an octant.
static void count_leaves(const par_forest* forest, uint64_t first, int level, p4est_locidx_t* count)
{
    if (!is_cut(forest, first, level)) {
        ++count[forest_owner(forest, first)];
        return;
    }
    for (uint64_t child = 0; child < 8; ++child)
        count_leaves(forest, first + child * width_of(level + 1), level + 1, count);
}

static void forget(tree* t)
{
    if (t->p8est != NULL)
        p8est_destroy(t->p8est);
    t->p8est = NULL;
}

static scree_status follow(par_forest* forest)
{
    tree* t = forest->tree;
    p4est_locidx_t* count = t->count;
    memset(count, 0, (size_t)forest->ranks * sizeof *count);
    forget(t);
    t->p8est = p8est_new_ext(sc_MPI_COMM_WORLD, t->connectivity, 0, 0, 1, 0, NULL, forest);
    p8est_refine_ext(t->p8est, 1, forest_level, refine, NULL, NULL);
    count_leaves(forest, 0, 0, count);
    p8est_partition_given(t->p8est, count);
    for (int32_t p = 0; p <= forest->ranks; ++p) {
        const p8est_quadrant_t* first = &t->p8est->global_first_position[p];
        uint64_t marker = first->p.which_tree >= t->connectivity->num_trees ? forest_end : p8est_quadrant_linear_id(first, forest_level);
        if (marker != forest->marker[p])
            return scree_fail(SCREE_ERR_ARGUMENT, "par: p4est begins rank %d at key %llx; expected %llx. This is a bug; please report it", (int)p, (unsigned long long)marker, (unsigned long long)forest->marker[p]);
    }
    return SCREE_OK;
}

static int touch(p8est_t* p8est, p4est_topidx_t which, p8est_quadrant_t* quadrant, int first, int last, void* point)
{
    const par_forest* forest = p8est->user_pointer;
    tree* t = forest->tree;
    asked* what = point;
    int left = P8EST_MAXLEVEL - quadrant->level;
    const uint32_t cell[3] = {(uint32_t)quadrant->x >> left, (uint32_t)quadrant->y >> left, (uint32_t)quadrant->z >> left};
    (void)which;
    if (t->status != SCREE_OK || (first == last && (first == t->me || first == what->last)) || !forest_touches(forest, &what->ball, cell, quadrant->level))
        return 0;
    if (first != last)
        return 1;
    if (first != t->me) {
        what->last = first;
        t->status = SCREE_RESERVE(t->out->hit, t->out->capacity, t->out->count + 1);
        if (t->status == SCREE_OK)
            t->out->hit[t->out->count++] = (forest_hit){.rank = first, .ball = what->number};
    }
    return 0;
}

static scree_status meet(const par_forest* forest, int32_t me, int32_t count, const forest_ball* balls, forest_hits* out)
{
    tree* t = forest->tree;
    if (count == 0)
        return SCREE_OK;
    t->me = me;
    t->out = out;
    t->status = SCREE_OK;
    t->p8est->user_pointer = (void*)(uintptr_t)forest;
    sc_array_t* points = sc_array_new_count(sizeof(asked), (size_t)count);
    for (int32_t i = 0; i < count; ++i) {
        asked* to = sc_array_index(points, (size_t)i);
        to->ball = balls[i];
        to->number = i;
        to->last = -1;
    }
    p8est_search_partition(t->p8est, 0, NULL, touch, points);
    sc_array_destroy(points);
    return t->status;
}

static void close_tree(par_forest* forest)
{
    tree* t = forest->tree;
    forget(t);
    p8est_connectivity_destroy(t->connectivity);
    scree_free(t->count);
    scree_free(t);
    forest->way = NULL;
    forest->tree = NULL;
}

scree_status forest_use_p8est(par_forest* forest, scree_par* par)
{
    static const forest_way way = {.follow = follow, .meet = meet, .close = close_tree};
    tree* t = scree_calloc(1, sizeof *t);
    if (t != NULL)
        t->count = scree_calloc((size_t)forest->ranks, sizeof *t->count);
    scree_status status = par_agree(par, t == NULL || t->count == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    if (status != SCREE_OK) {
        scree_free(t != NULL ? t->count : NULL);
        scree_free(t);
        return status;
    }
    static bool begun;  // once in a process
    if (!begun) {
        sc_init(sc_MPI_COMM_WORLD, 0, 0, NULL, SC_LP_ERROR);
        p4est_init(NULL, SC_LP_ERROR);
    }
    begun = true;
    t->connectivity = p8est_connectivity_new_unitcube();
    forest->way = &way;
    forest->tree = t;
    return follow(forest);
}
