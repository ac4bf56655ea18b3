// hierarchical-grid: several grids over one another, one for each class of sizes, with cells as long as the class needs.
//
//     level 1   | | | | | | | | | | | | |     many small spheres in short cells
//     level 2   |     |     |     |     |     few larger ones in longer cells
//     level 3   |             |           |   any ratio between the levels, not just 2
//
// A sphere lives on the lowest level whose cells are as long as its diameter. Inside a level it is linked cells. Between
// levels, the larger sphere looks into the finer grid, at the cells that its own reach meets (its radius and the largest
// one there: tighter than the half cell of the paper), planes and rows cut to the ball.
//
// Where the levels are cut is Appendix A's matter (levels.c): the same number m of spheres per cell on all levels, and the
// number of levels that makes L (m + K) least. K here is this program's, not the paper's: one instruction tests eight
// candidates, so looking into a row of cells costs as much as some ten tests, and fewer levels with fuller cells win (on
// uniform volume, ratio 50, N = 1e6: 4 levels, where the paper's K of 0.3 has 7).
//
// Cost: O(n) for build and search at any size ratio; memory O(n), because cells become longer where there would be too many.
// The wrong choice: never by much; with equal sizes it is linked cells.
// V. Ogarko, S. Luding, "A fast multilevel algorithm for contact detection of arbitrarily polydisperse objects", 2012.
//
// Radii are not sorted for this: they are counted in small steps of their logarithm (the leading bits of a double), and
// Appendix A works on these classes.
#include "index/grid.h"

#include "base/array.h"
#include "base/parallel.h"
#include "index/levels.h"

#include <math.h>

// What looking into the cells of one row costs, in tests of this search (bench: see docs/hierarchical-grid.md).
static const double cell_cost = 3.0;

enum { most_classes = 1024, block_size = 65536 };

typedef struct block_classes {
    int64_t spheres[most_classes];
    double r[most_classes];  // the largest of the class
} block_classes;

typedef struct hierarchical_grid {
    grid g;  // first: the table's calls for grids take this object as one
    block_classes* blocks;
    int64_t block_capacity;
    const items* it;
    uint64_t first;  // leading bits of the smallest radius
    int shift;       // how many bits a class leaves out
} hierarchical_grid;

static void* create(void)
{
    return scree_calloc(1, sizeof(hierarchical_grid));
}

static void destroy(void* self)
{
    hierarchical_grid* hg = self;
    scree_free(hg->blocks);
    grid_destroy(&hg->g);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static scree_status count_block(void* context, int64_t b)
{
    hierarchical_grid* hg = context;
    block_classes* block = &hg->blocks[b];
    memset(block, 0, sizeof *block);
    int64_t end = (b + 1) * block_size < hg->it->n ? (b + 1) * block_size : hg->it->n;
    for (int64_t i = b * block_size; i < end; ++i) {
        double r = hg->it->r[i];
        uint64_t c = (bits_of(r) >> hg->shift) - hg->first;
        ++block->spheres[c];
        if (r > block->r[c])
            block->r[c] = r;
    }
    return SCREE_OK;
}

// The classes of sizes, empty ones left out, into the first block. MEMORY.
static scree_status classify(hierarchical_grid* hg, const items* it, int64_t* classes)
{
    int64_t blocks = ((int64_t)it->n + block_size - 1) / block_size;
    blocks = blocks > 0 ? blocks : 1;
    if (SCREE_RESERVE(hg->blocks, hg->block_capacity, blocks) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    hg->it = it;
    // 64 classes to the octave, or as many as there is room for; few spheres need no fine classes.
    hg->shift = it->n < 2000 ? 49 : 46;
    while ((bits_of(it->r_max) >> hg->shift) - (bits_of(it->r_min) >> hg->shift) >= most_classes)
        ++hg->shift;
    hg->first = bits_of(it->r_min) >> hg->shift;
    scree_parallel_for(it->threads, blocks, count_block, hg, NULL);
    block_classes* sum = &hg->blocks[0];
    *classes = 0;
    for (int64_t c = 0; c < most_classes; ++c) {
        int64_t spheres = 0;
        double r = 0.0;
        for (int64_t b = 0; b < blocks; ++b) {
            spheres += hg->blocks[b].spheres[c];
            r = fmax(r, hg->blocks[b].r[c]);
        }
        if (spheres == 0)
            continue;
        sum->spheres[*classes] = spheres;  // never ahead of what is read
        sum->r[(*classes)++] = r;
    }
    return SCREE_OK;
}

static scree_status prepare(void* self, const items* it)
{
    hierarchical_grid* hg = self;
    int64_t classes;
    if (classify(hg, it, &classes) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    size_classes sizes = {.count = classes,
                          .r = hg->blocks[0].r,
                          .spheres = hg->blocks[0].spheres,
                          .dim = it->dim,
                          .margin = fmax(it->gap, -2.0 * it->r_min)};
    for (int k = 0; k < it->dim; ++k)
        sizes.length[k] = it->length[k];

    // The cost falls with L to its least and then rises: stop when it has risen twice.
    double r_max[grid_most_levels], best[grid_most_levels], least = INFINITY;
    int32_t chosen = 1, risen = 0, before = 0;
    best[0] = it->r_max;
    for (int32_t levels = 1; levels <= 24 && risen < 2 && classes > 0; ++levels) {
        double fullest, m = levels_least_m(&sizes, levels, 1e-3, true);
        int32_t true_levels = levels_for(&sizes, m, levels, r_max, NULL, &fullest);
        if (true_levels <= before)
            break;
        before = true_levels;
        double cost = true_levels * ((fullest > 1.8 * m ? fullest : m) + cell_cost);
        risen = cost < least ? 0 : risen + 1;
        if (cost < least) {
            least = cost;
            chosen = true_levels;
            memcpy(best, r_max, sizeof best);
        }
    }
    best[chosen - 1] = it->r_max;
    grid_plan_make(&hg->g.next, it, chosen, best);
    return grid_reserve(&hg->g, it);
}

static size_t bytes(const void* self)
{
    const hierarchical_grid* hg = self;
    return sizeof *hg - sizeof hg->g + grid_bytes(&hg->g) + (size_t)hg->block_capacity * sizeof *hg->blocks;
}

const method_table hierarchical_grid_method = {.name = "hierarchical-grid",
                                               .create = create,
                                               .prepare = prepare,
                                               .build = grid_build,
                                               .chunks = grid_chunks,
                                               .pairs = grid_pairs,
                                               .levels = grid_levels,
                                               .bytes = bytes,
                                               .validate = grid_validate,
                                               .destroy = destroy};
