// The spheres of a heap and neighbour queries, for deposition, which adds one sphere at a time and never moves any. See heap.c.
//
// The frame of the heap is three-dimensional with z up: in 2D a disc at (x, y) is a sphere at (x, 0, y).
#ifndef SCREE_PACK_HEAP_H
#define SCREE_PACK_HEAP_H

#include "scree/geom.h"

// Something that keeps a centre out: a sphere of radius R = r + r_j around the centre s of another one, or a wall.
typedef enum obstacle_kind {
    OBSTACLE_SPHERE = 0,  // |c - s| >= R
    OBSTACLE_BOWL,        // |c - s| <= R: the inside of a round container
    OBSTACLE_TUBE,        // the same, but for the distance from the vertical line through s
    OBSTACLE_PLANE        // s . c >= R, with s of length 1
} obstacle_kind;

typedef struct obstacle {
    int32_t kind;
    int32_t id;            // of the sphere; -1: a wall
    double s[3];           // with the shift of the image
    double R;
    double offset[3];      // that shift, so that the predicate can be asked about the sphere as it is
} obstacle;

typedef struct heap_level heap_level;

typedef struct heap {
    int64_t count, room;
    double (*xr)[4];       // room: x y z r
    int32_t* next;         // in its cell, -1: the last
    double lower[3], length[3];
    bool periodic[3];      // never z
    double tall;           // the highest top of a sphere
    int level_count;
    heap_level* levels;    // by octave of radius, large ones first
    obstacle* near;        // what heap_gather found
    int64_t near_count, near_capacity;
    int64_t tests;         // spheres tested so far
} heap;

// For spheres of the radii r, room for all of them. `lower` and `length`: about where they will be. Beyond that they are found all the same,
// only more slowly, but never beyond a periodic axis.
scree_status heap_make(heap* h, int32_t count, const double* r, const double lower[3], const double length[3], const bool periodic[3]);
void heap_free(heap* h);
void heap_insert(heap* h, const double x[3], double r);  // x inside [lower, upper) on periodic axes; there must be room

// All spheres, images each by itself, whose surfaces are at most `gap` away from that of a sphere at x, into h->near. `hollow`: none
// overlaps it, so that there is no need to look inside. MEMORY.
scree_status heap_gather(heap* h, const double x[3], double r, double gap, bool hollow);

// A height from which a sphere of radius r with this x and y has nothing above or beside it.
double heap_clear_height(const heap* h, const double x[3], double r);

// The height at which a sphere that falls straight down from x first meets another, at least `lowest`. One that it touches, to `touch`, is met only 2 touch
// deeper, so that a fall along it is possible.
double heap_fall(heap* h, const double x[3], double r, double touch, double lowest);

#endif
