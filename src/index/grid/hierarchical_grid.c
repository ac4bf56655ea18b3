// hierarchical-grid: several grids over one another, one for each class of sizes, with cells as long as the class needs.
//
//     level 1   | | | | | | | | | | | | |     many small spheres in short cells
//     level 2   |     |     |     |     |     few larger ones in longer cells
//     level 3   |             |           |   any ratio between the levels, not just 2
//
// A sphere lives on the lowest level whose cells are as long as its diameter. Inside a level it is linked cells. Between
// levels, the larger sphere looks into the finer grid, or the smaller one into the coarser, whichever is cheaper for these two levels,
// at the cells that its own reach meets (its radius and the largest one there: tighter than the half cell of the
// paper), planes and rows cut to the ball. The ways of the paper and of others can be asked for, to count what they cost.
//
// Where the levels are cut is Appendix A's matter (levels.c): the same number m of spheres per cell on all levels, and the
// number of levels that makes L (m + K) least. K here is this program's, not the paper's: one instruction tests eight
// candidates, so looking into a row of cells costs as much as some ten tests, and fewer levels with fuller cells win (on
// uniform volume, ratio 50, N = 1e6: 4 levels, where the paper's K of 0.3 has 7).
//
// Cost: O(n) for build and search at any size ratio; memory O(n): where there would be too many cells, they become longer or only
// occupied rows of them are kept.
// The wrong choice: never by much; with equal sizes it is linked cells.
// V. Ogarko, S. Luding, "A fast multilevel algorithm for contact detection of arbitrarily polydisperse objects", 2012.
//
// Radii are not sorted for this: they are counted in small steps of their logarithm (the leading bits of a double), and
// Appendix A works on these classes.
#include "index/grid/grid_hash.h"

#include "base/array.h"
#include "base/parallel.h"
#include "index/grid/levels.h"

#include <math.h>

// What looking into the cells of one row costs, in tests of this search (bench: see docs/methods.md).
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
    double cells[most_classes];  // that each class would have
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
    x += 0.0;  // no -0
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
        double r = hg->it->r != NULL ? hg->it->r[i] : hg->it->xr[i][3];
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
    // 64 classes to the octave, or as many as there is room for; few spheres need no fine classes unless their levels are counted.
    hg->shift = it->n < 2000 && it->def->levels == 0 ? 49 : 46;
    while ((bits_of(it->r_max) >> hg->shift) - (bits_of(it->r_min) >> hg->shift) >= most_classes)
        ++hg->shift;
    hg->first = bits_of(it->r_min) >> hg->shift;
    scree_parallel_for(it->threads, blocks, count_block, hg, NULL);
    hg->it = NULL;
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

// The cut with the least cost. The cost falls with L to its least and then rises: stop when it has risen twice.
static void cut_by_cost(const size_classes* sizes, int32_t most, grid_wish* wish)
{
    double r_max[grid_most_levels], least = INFINITY;
    int64_t spheres[grid_most_levels];
    int32_t risen = 0, before = 0;
    for (int32_t levels = 1; levels <= most && risen < 2; ++levels) {
        double fullest, m = levels_least_m(sizes, levels, 1e-3, true);
        int32_t true_levels = levels_for(sizes, m, levels, r_max, spheres, &fullest);
        if (true_levels <= before)
            break;
        before = true_levels;
        double cost = true_levels * ((fullest > 1.8 * m ? fullest : m) + cell_cost);
        risen = cost < least ? 0 : risen + 1;
        if (cost < least) {
            least = cost;
            wish->levels = true_levels;
            memcpy(wish->r_max, r_max, sizeof r_max);
            memcpy(wish->spheres, spheres, sizeof spheres);
        }
    }
}

// The levels for a given number of levels; fewer if equal radii would have to be separated.
static void cut_by_number(const size_classes* sizes, int32_t levels, grid_wish* wish)
{
    double m = levels_least_m(sizes, levels, 1e-3, false);
    wish->levels = levels_for(sizes, m, levels, wish->r_max, wish->spheres, NULL);
}

// The cut that was asked for by its cell sizes: a sphere lives on the lowest level whose cells are as long as it reaches.
static void cut_by_sizes(const size_classes* sizes, const items* it, grid_wish* wish)
{
    const double* side = it->def->cell_sizes;
    int32_t levels = it->def->cell_size_count;
    wish->levels = levels;
    wish->as_said = true;
    int64_t c = 0;
    for (int32_t h = 0; h < levels; ++h) {
        wish->side[h][0] = wish->side[h][1] = wish->side[h][2] = side[h];
        wish->r_max[h] = h + 1 == levels ? it->r_max : 0.5 * (side[h] - it->gap);
        while (2.0 * wish->r_max[h] + it->gap > side[h] && h + 1 < levels)
            wish->r_max[h] = nextafter(wish->r_max[h], -INFINITY);
        wish->largest[h] = -INFINITY;
        // The class that the limit cuts may have spheres on both levels.
        bool all_below = true;
        for (; c < sizes->count && all_below; c += all_below) {
            all_below = sizes->r[c] <= wish->r_max[h];
            wish->largest[h] = fmin(wish->r_max[h], sizes->r[c]);
            wish->spheres[h] += all_below ? sizes->spheres[c] : 0;
        }
    }
}

// How the spheres are cut into levels, by hand or by what looking into a cell costs. MEMORY.
static scree_status cut(void* self, const items* it, const crowding* crowd, grid_wish* wish)
{
    hierarchical_grid* hg = self;
    int64_t classes;
    if (classify(hg, it, &classes) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    size_classes sizes = {.count = classes,
                          .r = hg->blocks[0].r,
                          .spheres = hg->blocks[0].spheres,
                          .dim = it->dim,
                          .margin = fmax(it->gap, -2.0 * it->r_min),
                          .crowd = crowd->crowded ? crowd : NULL};
    for (int k = 0; k < it->dim; ++k)
        sizes.length[k] = crowd->length[k];
    levels_count_cells(&sizes, hg->cells);

    *wish = (grid_wish){.levels = 1, .as_said = it->def->levels > 0 || it->def->range != SCREE_RANGE_TIGHT};
    if (it->def->cell_size_count > 0)
        cut_by_sizes(&sizes, it, wish);
    else if (it->def->levels > 0 && classes > 0)
        cut_by_number(&sizes, it->def->levels, wish);
    else
        cut_by_cost(&sizes, 24, wish);
    wish->r_max[wish->levels - 1] = it->r_max;
    if (it->def->cell_size_count == 0)
        memcpy(wish->largest, wish->r_max, sizeof wish->largest);
    return SCREE_OK;
}

static scree_status prepare(void* self, const items* it)
{
    hierarchical_grid* hg = self;
    int32_t by_hand = it->def->cell_size_count;
    if (by_hand > 0 && it->def->cell_sizes[by_hand - 1] < items_reach(it))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "hierarchical-grid: a last cell size of %g would lose pairs: radii go up to %g, with a gap of %g; expected at least %g",
                          it->def->cell_sizes[by_hand - 1], it->r_max, it->gap, items_reach(it));
    crowding crowd = crowding_of(it);
    grid_wish wish;
    if (cut(hg, it, &crowd, &wish) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    grid_plan_make(&hg->g.next, it, &wish, &crowd);
    return grid_reserve(&hg->g, it);
}

// ---- One by one -------------------------------------------------------------------------------------------------------

// A sphere larger than all before makes a further level, unless their number was said.
static scree_status open(void* self, const items* it)
{
    return grid_open(self, it, cut, it->def->levels == 0);
}

static size_t bytes(const void* self)
{
    const hierarchical_grid* hg = self;
    return sizeof *hg - sizeof hg->g + grid_bytes(&hg->g) + (size_t)hg->block_capacity * sizeof *hg->blocks;
}

const method_table hierarchical_grid_method = {.name = "hierarchical-grid",
                                               .tilted = true,
                                               .scratch = sizeof(grid_record),
                                               .create = create,
                                               .prepare = prepare,
                                               .build = grid_build,
                                               .chunks = grid_chunks,
                                               .pairs = grid_pairs,
                                               .levels = grid_levels,
                                               .bytes = bytes,
                                               .validate = grid_validate,
                                               .destroy = destroy,
                                               .open = open,
                                               .insert = grid_insert,
                                               .remove = grid_remove,
                                               .move = grid_move,
                                               .near = grid_near,
                                               .check = grid_check,
                                               .around = grid_around,
                                               .changes = grid_changes};
