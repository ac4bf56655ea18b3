// The lists of box ends and the set of boxes that meet: what the linear list is made of (linear_list.c has the idea).
//
// A box is listed on each axis as one interval, its main image, and where the axis is periodic also as ghosts
// (box_ends.h). In a list an interval is a word: the sphere's number, or a ghost's. Words of spheres that have ghosts,
// and of ghosts, are marked, so that the loops over all others need not care.
//
// Images are kept axis by axis: a box that crosses three faces has one ghost in each list and not seven in total. Two
// spheres meet with the shift s if they meet on axis k with the shift s_k, for each k.
#ifndef SCREE_INDEX_BOX_LISTS_H
#define SCREE_INDEX_BOX_LISTS_H

#include "index/pair_set.h"
#include "index/sweep/box_ends.h"

enum { box_word_number = (1 << 30) - 1 };         // the bits that count
static const uint32_t box_word_ghost = 1u << 30;  // a ghost's number, not a sphere's
static const uint32_t box_word_care = 1u << 31;   // a ghost, or a sphere that has some

typedef struct box_list {  // of one axis, by rising keys
    int64_t* key;
    uint32_t* word;
    int64_t count, key_capacity, word_capacity;
    double widest;         // no interval is longer
} box_list;

typedef struct box_ghost {
    int64_t end[2];
    int32_t owner;   // -1: not in use
    int32_t next;    // of the same sphere, on any axis; or the next one that is not in use; -1: none
    int32_t slot;    // scratch of the sweep
    int16_t back;    // image: the owner's main one less this
    int16_t axis;
} box_ghost;

typedef struct box_crossing {
    int32_t first;  // ghost; -1: none
    int16_t image[3];  // number of the main one
} box_crossing;

// Other axes' intervals as places in their lists, and who is active: the sweep's.
typedef struct box_active {
    int32_t* lo[2];
    int32_t* hi[2];
    uint32_t* word;
    int64_t capacity;
} box_active;

typedef struct box_lists {
    const items* it;
    bool ready;           // lists and pairs agree with `it`
    bool one_by_one;      // pairs in rows; boxes of spheres, whatever it->half says. Set it before the first use
    int64_t n;            // spheres have numbers below this
    int64_t here;         // this many of them are in the lists
    int dim;
    bool periodic;        // on some axis
    box_axis axis[3];
    box_list list[3];
    int64_t (*box)[3][2]; // ends of the main image; begin > end on the first axis: not in the lists
    int64_t box_capacity;
    box_crossing* crossing;  // not used unless an axis is periodic
    int64_t crossing_capacity;
    box_ghost* ghosts;
    int64_t ghost_count, ghost_capacity;
    int32_t unused;       // first ghost that is not in use
    pair_set pairs;       // of boxes that meet on all axes

    int64_t swaps;        // of the last update
    int64_t box_tests;
    int64_t sorts;        // how often all lists were sorted from scratch, ever
    int64_t sweep_tests;  // of the last time
    scree_status status;  // of what the events of a sort did
    int64_t unasked;  // box tests since the watch was asked

    int64_t* spare_key;   // scratch of the sorts
    uint32_t* spare_word;
    int64_t spare_key_capacity, spare_word_capacity;
    int32_t (*rank)[3][2];  // scratch of the sweep
    int64_t rank_capacity;
    box_active active;
    uint8_t* fresh;       // scratch of the update: spheres that are taken out and put in again
    int32_t* fresh_list;
    int64_t fresh_count, fresh_capacity, fresh_list_capacity;
} box_lists;

// All may have moved, or be others. MEMORY: not ready.
scree_status box_lists_update(box_lists* l, const items* it);
scree_status box_lists_sort(box_lists* l, const items* it);  // the same from scratch

// One by one (box_walk.c).
scree_status box_lists_insert(box_lists* l, int32_t i);      // MEMORY: i is not in
void box_lists_remove(box_lists* l, int32_t i);
scree_status box_lists_move(box_lists* l, int32_t i);        // to where it->xr[i] is now; MEMORY: i is not in
void box_lists_near(const box_lists* l, const double xr[4], int32_t own, sink* to);

scree_status box_lists_check(const box_lists* l);
size_t box_lists_bytes(const box_lists* l);
void box_lists_free(box_lists* l);

// ---- Between the files of these lists -----------------------------------------------------------------------------

static inline bool box_is_in(const box_lists* l, int64_t i)
{
    return l->box[i][0][0] < l->box[i][0][1];
}

// The half side of the box of sphere i on axis k, without the gap.
static inline double box_half(const box_lists* l, int64_t i, int k)
{
    return l->one_by_one ? l->it->xr[i][3] : items_half(l->it, i, k);
}

static inline int32_t box_owner(const box_lists* l, uint32_t word)
{
    int32_t number = (int32_t)(word & box_word_number);
    return (word & box_word_ghost) != 0 ? l->ghosts[number].owner : number;
}

static inline const int64_t* box_interval(const box_lists* l, uint32_t word, int k)
{
    int32_t number = (int32_t)(word & box_word_number);
    return (word & box_word_ghost) != 0 ? l->ghosts[number].end : l->box[number][k];
}

// The image that stands in the list of axis k under this word.
static inline int box_image(const box_lists* l, uint32_t word, int k)
{
    if ((word & box_word_care) == 0)
        return 0;
    int image = l->crossing[box_owner(l, word)].image[k];
    return (word & box_word_ghost) != 0 ? image - l->ghosts[word & box_word_number].back : image;
}

static inline int32_t box_first_ghost(const box_lists* l, int64_t i)
{
    return l->periodic ? l->crossing[i].first : -1;
}

static inline uint32_t box_word_of(const box_lists* l, int64_t i)
{
    return (uint32_t)i | (box_first_ghost(l, i) >= 0 ? box_word_care : 0);
}

static inline uint32_t box_word_of_ghost(int64_t g)
{
    return (uint32_t)g | box_word_ghost | box_word_care;
}

// Two intervals have begun, or ceased, to meet on axis k: pairs come in or go out, if the spheres meet on the other
// axes as these stand now. The main image with itself is an event too, for callers that look at one axis only: a sphere
// with ghosts may meet its own image straight across another axis. What is not added for lack of memory is
// remembered in l->status.
void box_meet(box_lists* l, int k, uint32_t a, uint32_t b, bool begins);

scree_status box_lists_room(box_lists* l, int64_t n);     // for spheres with numbers below n; MEMORY
scree_status box_lists_settle(box_lists* l, int32_t i);   // box and ghosts of i, not yet its ends; MEMORY: nothing made
void box_lists_unsettle(box_lists* l, int32_t i);
void box_lists_widen(box_lists* l, int64_t i, int k);     // `widest` covers the intervals of i
bool box_lists_same_images(const box_lists* l, int64_t i);  // whether i still has the images it is listed with
scree_status box_lists_connect(box_lists* l, int32_t i);  // all pairs of a sphere that is in the lists; MEMORY
scree_status box_lists_sweep(box_lists* l);               // all pairs from sorted lists; MEMORY

#endif
