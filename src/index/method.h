// The inner table: what the index (index.c) asks of a method. A method is reached through it once per update and once
// per chunk, never once per pair.
//
// A method answers three questions. All pairs, after all spheres may have moved:
//
//     create -> (prepare -> build -> any number of pairs(chunk)) again and again -> destroy
//
// What can be rejected is rejected in prepare, before anything has changed, so that a failed update leaves the index as it was. A
// build that runs out of memory leaves the method with nothing built; the index keeps the spheres and asks again. pairs and box_pairs
// cannot fail and do not allocate: chunks run on any thread.
//
// And one by one, after `open`: insert, remove, move, and who is near. What `open` makes lives beside what `build` made; the index
// sees to it that each is asked only while it is true.
#ifndef SCREE_INDEX_METHOD_H
#define SCREE_INDEX_METHOD_H

#include "scree/index.h"

#include "geom/lattice.h"
#include "geom/pair.h"

// What a method works on: spheres as x y z r (z = 0 in 2D), wrapped into the box on periodic axes.
typedef struct items {
    int32_t n;
    int32_t dim;
    const double (*xr)[4];  // not yet to be read in prepare
    const double* x;        // the caller's centres, dim numbers each, not wrapped: to be read in prepare only
    const double* r;        // and radii; both NULL: prepare reads xr (as in open, where the spheres are already stored)
    const double (*half)[3];  // NULL: spheres; else bodies inside boxes of these half sides about xr, and inside the radius
    const struct crowding* crowd;  // how crowded they stand, if the index has looked already; in prepare only
    const scree_index_def* def;  // parameters that were fixed by hand; the gap is below
    int32_t threads;
    bool periodic[3];
    double lower[3];   // periodic axis: of the box; else the smallest centre (0 without spheres)
    double length[3];  // periodic axis: of the box; else from the smallest to the largest centre
    double tilt[3];    // of the box: xy, xz, yz
    bool tilted;       // some of them is not 0; then only methods whose table says so are asked
    double r_min, r_max;
    double gap;
    void* scratch;         // for `build` alone: memory that the index needs only afterwards, for pairs; NULL: none
    size_t scratch_bytes;
} items;

// 2 r_max + gap: no two centres that are farther apart are a pair. Not positive: there are no pairs at all.
static inline double items_reach(const items* it)
{
    return 2.0 * it->r_max + it->gap;
}

// The same, and a margin on axis k for every rounding on the way from coordinates to cells and back: a cell at least
// this long never has a pair that skips over it. Too generous by design.
double items_safe_reach(const items* it, int k);

// Half the side of the box of item i along axis k, without the gap.
static inline double items_half(const items* it, int64_t i, int k)
{
    double r = it->xr[i][3];
    return it->half == NULL ? r : fmin(r, it->half[i][k]);
}

// Whether the box of i meets that of the image of j at x_j + offset: what decides box pairs.
static inline bool items_boxes_meet(const items* it, int64_t i, int64_t j, const double offset[3])
{
    bool meet = true;
    for (int k = 0; k < it->dim; ++k)
        meet = meet && scree_boxes_meet_along(it->xr[i][k], items_half(it, i, k), it->xr[j][k], items_half(it, j, k), offset[k], it->gap);
    return meet;
}

// How many images to each side can hold partners on axis k: 0 on axes that are not periodic. In a tilted box more, because images on later axes are moved
// along this one.
int32_t items_images(const items* it, int k);

// The same, before it is known to be a number of images that can be held; and how far along axis k the tilt moves such images.
double items_images_needed(const items* it, int k);
double items_drift(const items* it, int k);

// What items need to know of a box: its axes and the dimension are set.
void items_set_tilt(items* it, const scree_box* box);

// From a sphere to its image.
static inline void items_offset(const items* it, int sx, int sy, int sz, double offset[3])
{
    scree_lattice_offset(it->length, it->tilt, sx, sy, sz, offset);
}

// Where a chunk puts its pairs. It counts always and stores while there is room, so that a chunk that overflowed can be
// run again with the room that it asked for. One sink belongs to one thread at a time.
enum { sink_unreported = 1 << 16 };

typedef struct sink {
    int32_t (*ij)[2];
    int8_t (*shift)[3];  // NULL when no axis is periodic
    int64_t count;
    int64_t room;
    int64_t tests;  // counted work
    int64_t box_tests;
    int64_t cells;
    int64_t reported;   // work already reported to scree_parallel_work
    bool known;     // for callers that keep sinks: `count` is what this chunk had last time
} sink;

// Reports the work of this chunk since its last report. False: it is to stop.
bool sink_tell(sink* to);

// After each sphere of a chunk: whether the chunk is to stop.
static inline bool sink_stops(sink* to)
{
    if (__builtin_expect(to->tests + to->box_tests + to->cells + to->count - to->reported < sink_unreported, 1))
        return false;
    sink copy = *to;  // so that the caller's can stay in registers
    bool go_on = sink_tell(&copy);
    *to = copy;
    return !go_on;
}

// Puts the pair of i and the image of j at x_j + s L into the sink in its one canonical form.
static inline void sink_put(sink* to, int32_t i, int32_t j, int sx, int sy, int sz)
{
    if (to->count < to->room) {
        bool turn = i > j || (i == j && scree_shift_is_ahead(-sx, -sy, -sz));
        int sign = turn ? -1 : 1;
        to->ij[to->count][0] = turn ? j : i;
        to->ij[to->count][1] = turn ? i : j;
        if (to->shift != NULL) {
            to->shift[to->count][0] = (int8_t)(sign * sx);
            to->shift[to->count][1] = (int8_t)(sign * sy);
            to->shift[to->count][2] = (int8_t)(sign * sz);
        }
    }
    ++to->count;
}

// The same for callers that ask for the neighbours of one: what was found is the image of j at x_j + s L, as it stands. `own` is the
// number of the one who asks, or -1.
static inline void sink_put_near(sink* to, int32_t own, int32_t j, int sx, int sy, int sz)
{
    if (to->count < to->room) {
        to->ij[to->count][0] = own;
        to->ij[to->count][1] = j;
        if (to->shift != NULL) {
            to->shift[to->count][0] = (int8_t)sx;
            to->shift[to->count][1] = (int8_t)sy;
            to->shift[to->count][2] = (int8_t)sz;
        }
    }
    ++to->count;
}

// What single changes have cost a structure so far.
typedef struct change_work {
    int64_t changes;  // insert, remove and move
    int64_t cells;    // cells or nodes that these looked up, passed or wrote
} change_work;

typedef struct method_table {
    const char* name;
    bool tilted;                                          // it searches tilted boxes too
    size_t scratch;                                       // bytes of scratch for each item that its build makes use of
    void* (*create)(void);                                // NULL: out of memory, message set
    scree_status (*prepare)(void* self, const items* it); // ARGUMENT: a parameter that would lose pairs; MEMORY
    scree_status (*build)(void* self, const items* it);   // `it` stays as it is until the next prepare; MEMORY: nothing is built
    int64_t (*chunks)(const void* self);                  // depends on the items alone
    void (*pairs)(const void* self, int64_t chunk, sink* to);
    void (*box_pairs)(const void* self, int64_t chunk, sink* to);  // the same for pairs of boxes; NULL: it has none
    int64_t (*levels)(const void* self);
    size_t (*bytes)(const void* self);
    scree_status (*validate)(const void* self);           // of what was built
    void (*destroy)(void* self);
    int64_t (*swaps)(const void* self);                   // counted by the last build; NULL: none
    int64_t (*sorts)(const void* self);                   // how often lists were sorted from scratch, ever; NULL: never

    // One by one. `it` stays where it is from open to close; the index changes what it holds: xr, n, r_min, r_max (which only widen,
    // and may take in later spheres that are larger or lie outside lower + length on axes that are not periodic).
    scree_status (*open)(void* self, const items* it);    // all items of it; MEMORY: as if closed
    scree_status (*insert)(void* self, int32_t i);        // it->xr[i] is there; MEMORY: i is not in
    void (*remove)(void* self, int32_t i);                // it->xr[i] is still where it was
    scree_status (*move)(void* self, int32_t i, const double from[4]);  // from there to it->xr[i], same radius; MEMORY: i is not in
    void (*near)(const void* self, const double xr[4], int32_t own, sink* to);  // all items j and images with scree_is_pair(xr, x_j,
                                                          // s L, it->gap), j = own with shift 0 left out; centre xr wrapped
    scree_status (*check)(const void* self);              // validate for what `open` made
    void (*around)(const void* self, int32_t i, scree_surroundings* out);  // what `open` made has stored around item i; NULL: it has no cells
    change_work (*changes)(const void* self);             // since `create`, without what `open` did; NULL: not counted
} method_table;

// NULL for AUTO and for methods that this version lacks.
const method_table* method_find(scree_method method);

extern const method_table all_pairs_method;
extern const method_table verlet_list_method;
extern const method_table linked_cells_method;
extern const method_table linear_list_method;
extern const method_table octree_method;
extern const method_table loose_octree_method;
extern const method_table hierarchical_grid_method;

#endif
