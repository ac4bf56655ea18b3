// A stack of grids: what linked cells (one grid) and the hierarchical grid (several) are made of.
//
// Spheres are kept sorted by level, then by row of cells along x, then by cell. A run of cells next to each other in a row is
// then one stretch of memory, and a search is a matter of a few stretches:
//
//     xs ys zs rs       coordinates and radii in single precision, scaled and relative to the grid's corner
//     id                which sphere stands at each place
//
// Where the spheres of a cell lie is stored in one of three forms:
//
//     all cells         start[cell] is the place of its first sphere; one empty cell closes each row, so that the neighbours of
//                       a row's first cell need no special case. Fast, where there are at most some cells to a sphere.
//     cells by rank     a bit for each cell, set if it is occupied, and for each word of 64 the number of occupied cells before it: their sum is
//                       the rank of a cell, and start[rank] the place of its first sphere. 1.5 bits per cell, so that some hundred cells to a
//                       sphere are no more memory than the spheres; stretches without a sphere are seen by their bits alone.
//     occupied rows     row_key rises, row_start[row] is the place of its first sphere; rows are found by halving, cells inside a
//                       row by walking along or by halving. Slowest, with memory O(n) however fine the grid and however crowded the spheres.
//
// Single precision halves what has to be read and doubles what one instruction tests. It never decides: a distance that
// is nearer to the threshold than the rounding of single precision could tell is tested again with the one predicate.
#ifndef SCREE_INDEX_GRID_H
#define SCREE_INDEX_GRID_H

#include "index/crowding.h"
#include "index/method.h"

typedef struct grid_level {
    double r_max;         // no larger radius lives here
    double largest;       // nor any larger than this one: the true largest, where the plan knows it
    uint64_t looks;       // bit t: spheres of this level look for partners on level t (and not the other way round)
    double side[3];
    double inverse[3];    // cells per length
    int32_t cells[3];     // along each axis, from the plan's lower corner on; what lies outside is in the first or the last
    int32_t layers[3];    // how many cells away partners of this level can be
    bool single;          // one layer at most: rows in the midst need no care
    int64_t first_cell;   // number of cell (0, 0, 0) among the cells of all levels
    int64_t stride[3];    // from a cell to the next along each axis: 1, cells + 1, ...
} grid_level;

enum { grid_most_levels = 64 };

typedef enum grid_form { GRID_ALL_CELLS, GRID_CELLS_BY_RANK, GRID_OCCUPIED_ROWS } grid_form;

typedef struct grid_plan {
    int32_t levels;
    grid_form form;
    bool box_test;
    scree_range range;
    double lower[3], length[3];  // what the cells cover: all centres, except for some that strayed far off; on periodic axes the box
    grid_level level[grid_most_levels];
    int64_t cell_count;  // of all levels, closing cells included
    int32_t shift;       // buckets of the sort hold 2^shift cells
    int64_t bucket_count;
    double margin[3];    // added to every range: rounding between coordinates and cells
} grid_plan;

// What a method wants of a plan.
typedef struct grid_wish {
    int32_t levels;
    double r_max[grid_most_levels];      // rising, the last at least items.r_max: a level holds the radii above the one before
    double largest[grid_most_levels];    // the largest radius that it really holds
    double side[grid_most_levels][3];    // cells at least this long along each axis; 0: as short as the reach allows
    int64_t spheres[grid_most_levels];   // how many it will hold, about
    bool as_said;                        // cells shall not become longer than that, however many there are
} grid_wish;

// A sphere on its way into its cell.
typedef struct grid_record {
    float x, y, z, r;
    uint32_t cell;
    int32_t id;
} grid_record;

// Sorts run over blocks of spheres and over buckets of cells or rows.
enum { grid_block_size = 16384, grid_most_buckets = 512 };

typedef struct grid {
    const items* it;
    grid_plan plan;   // of what is built
    grid_plan next;   // of what will be built
    int32_t level_first[grid_most_levels + 1];  // place of the first sphere of each level
    int64_t level_chunk[grid_most_levels + 1];  // number of its first chunk
    float scale;      // lengths times this are the floats below
    float gap;        // scaled
    float doubt;      // distances this near to the threshold are tested again
    int32_t* start;   // cell_count + 1; by rank: n + 1, where occupied cells begin; with occupied rows: row_count + 1, where these begin
    int64_t start_capacity;
    uint64_t* bits;   // by rank: of cell_count + 1 cells, which ones are occupied
    int32_t* rank;    // of the first occupied cell in each word of bits or after it
    int64_t bits_capacity, rank_capacity;
    uint64_t* row_key;  // level, z and y of the occupied rows, rising
    int64_t row_capacity;
    int32_t row_count;
    int32_t first_row[grid_most_levels + 1];  // of each level
    float *xs, *ys, *zs, *rs;  // n, and some more that may be read but mean nothing; xs is one block with those that follow,
    int32_t* id;
    uint32_t* cell;   // of the sphere at each place; or, with occupied rows, its x alone
    int64_t sorted_capacity;  // each this far from the one before
    grid_record* records;  // scratch of the sort, where the index lends none
    grid_record* sorting;  // the one that a build works with
    int64_t record_capacity;
    int32_t* counts;  // scratch of the sort: spheres per block and bucket
    int64_t count_capacity;
    struct grid_hash* moves;  // grid_hash.h: what came one by one, beside all this; NULL: not open
    change_work work;          // of single changes
} grid;

// Cells of all levels together are numbered with 32 bits: where there would be more, cells become longer or only occupied rows are kept. Tests set it lower.
extern double grid_most_numbers;

void grid_plan_make(grid_plan* plan, const items* it, const grid_wish* wish, const crowding* crowd);

// Room for g->next. MEMORY; what the grid holds stays valid.
scree_status grid_reserve(grid* g, const items* it);

// The level of a radius.
static inline int32_t grid_level_of(const grid_plan* plan, double r)
{
    int32_t h = 0;
    while (r > plan->level[h].r_max)
        ++h;
    return h;
}

// Periodic axes are counted on an unbounded line of cells: how many times their n cells fit below a place on it, which is the image
// that the place is in. 0 for n = 0, where the line does not repeat.
static inline int64_t grid_turn(int64_t place, int64_t n)
{
    if (n == 0 || (place >= 0 && place < n))
        return 0;
    return place >= 0 ? place / n : -((n - 1 - place) / n);
}

// How many bits are set; without a call where the machine has no instruction for it.
static inline int32_t grid_count_bits(uint64_t word)
{
#if defined(__POPCNT__)
    return __builtin_popcountll(word);
#else
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int32_t)(word * UINT64_C(0x0101010101010101) >> 56);
#endif
}

// Cells by rank: the rank of the first occupied cell from `cell` on.
static inline int32_t grid_rank(const grid* g, int64_t cell)
{
    uint64_t before = (UINT64_C(1) << (cell & 63)) - 1;
    return g->rank[cell >> 6] + grid_count_bits(g->bits[cell >> 6] & before);
}

// The place of the first sphere from this cell on, in a grid of cells.
static inline int32_t grid_start(const grid* g, int64_t cell, bool by_rank)
{
    return g->start[by_rank ? grid_rank(g, cell) : cell];
}

// grid_sort_avx2.c: the cells of the spheres first .. last-1, counted by bucket; and these spheres as records at the places of their buckets.
void grid_count_avx2(grid* g, int64_t first, int64_t last, int32_t* counts);
void grid_scatter_avx2(grid* g, int64_t first, int64_t last, int32_t* place);

// grid_rows.c: the sort into occupied rows, and its check.
void grid_rows_sort(grid* g);
scree_status grid_rows_validate(const grid* g);

// The rest is what a method's table wants; `self` is a grid, or an object that begins with one.
void* grid_create(void);
scree_status grid_build(void* self, const items* it);  // by g->next; always OK
int64_t grid_chunks(const void* self);
void grid_pairs(const void* self, int64_t chunk, sink* to);
int64_t grid_levels(const void* self);
size_t grid_bytes(const void* self);
scree_status grid_validate(const void* self);
void grid_destroy(void* self);

#endif
