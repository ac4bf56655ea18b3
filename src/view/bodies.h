// What the page needs to know of polygons and discs: their shapes apart from where they are (poses.c), and who touches whom (touching.c).
#ifndef SCREE_VIEW_BODIES_H
#define SCREE_VIEW_BODIES_H

#include "scree/outlines.h"

// Corners of body i stand at x + R(turn) local. Zeroed is fine.
typedef struct body_poses {
    int32_t count;
    int64_t corner_count;
    double* x;         // 2 each
    double* turn;      // -pi .. pi
    int64_t* corners;  // how many it has; 0: a disc
    double* local;     // 2 for each corner, body after body
    double* area;
} body_poses;

// The shapes of `before` are taken over, bit for bit, by bodies that they fit. The set has been checked. MEMORY: *out is zeroed. O(corners).
scree_status body_poses_make(const scree_outline_set* set, const body_poses* before, body_poses* out);
void body_poses_free(body_poses* poses);

typedef struct touching {
    int64_t count, i_room, j_room, gap_room;
    int64_t *i, *j;    // i <= j; two that meet in several images stand there several times
    double* gap;       // 0 where they overlap, unless both are discs: then below 0
} touching;

// All that are nearer than `gap` or overlap, with periodic images. MEMORY, CANCELLED; ARGUMENT: far too many images.
scree_status touching_find(const scree_outline_set* set, double gap, scree_watch watch, touching* out);
void touching_free(touching* pairs);

// The box around body i: lower, upper.
void body_bounds(const scree_outline_set* set, int64_t i, double bounds[4]);
static inline bool body_is_disc(const scree_outline_set* set, int64_t i)
{
    return set->first[i + 1] == set->first[i];
}

#endif
