// Placed spheres, stored by octaves of radius, and the query of saturation: how large may a sphere
// be that has its centre somewhere in this block?
#ifndef SCREE_PACK_PLACED_H
#define SCREE_PACK_PLACED_H

#include "pack/place.h"

typedef struct placed_octave {
    double r_max, r_least;  // the largest radius in it, and the smallest that belongs to it
    int64_t cells[3];
    double per_length[3];   // cells per length
    int32_t* head;          // the last sphere of each cell, x fastest; -1: none
    int32_t count;
    bool finest;            // cells are as short as they may be
} placed_octave;

typedef struct placed {
    const placing* p;
    double wrap[3];      // length of the box where it is periodic, else 0
    double margin;       // more than rounding makes of a distance
    double (*xr)[4];     // x y z r in the order of arrival, z = 0 in 2D
    int32_t* next;       // in its cell, -1: the last
    int64_t capacity, next_capacity;
    int32_t count;
    placed_octave* octaves;  // large ones first
    int octave_count;
} placed;

// Centres between low and high, ends included: of spheres of the current radius, and of any radius.
typedef struct placed_block {
    double low[3], high[3];
    double wide_low[3], wide_high[3];  // only used if `cut`
    bool cut;                          // the first is a part of the second
} placed_block;

// r: the radii that will come, from large to small; read only here. `p` is kept. Free it in any case. MEMORY.
scree_status placed_open(placed* s, const placing* p, int32_t count, const double* r);
void placed_free(placed* s);

scree_status placed_insert(placed* s, const double x[3], double r);  // MEMORY, or more than 2^31: nothing has changed

// INFINITY: no single sphere is in the way of all centres of the block for a sphere of radius r. Else none of radius r fits, and the result is
// below r: no larger one than that does anywhere in the wide block; -1: not even one of radius `least`, at most r. The proof holds for
// every double: it is the predicate of the index at the corner farthest from a sphere, and rises with every distance also after rounding.
double placed_room(const placed* s, const placed_block* b, double r, double least);

// The same in two steps, for many blocks that are parts of one: the spheres that may be in the way of radius r somewhere in the block, at most `most` of
// them, else -1; and the room among these.
int placed_near(const placed* s, const placed_block* b, double r, int32_t* near, int most);
double placed_room_among(const placed* s, const int32_t* near, int count, const placed_block* b, double r, double least);

// Whether a sphere of radius r at x overlaps one that is there.
bool placed_is_taken(const placed* s, const double x[3], double r);

#endif
