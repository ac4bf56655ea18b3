// The partition of space: one octree, cut into intervals of its Morton order, one for each rank.
//
// The tree is a cube over the box, 2^18 cells along each side (in 2D those with z = 0), as p4est has it. A sphere of any size belongs to the owner of the cell of its centre, wrapped into the box on periodic
// axes. Centres outside of the cube, on axes that are not periodic, belong to the cells at its border. Rank p owns the cells with marker[p] <= key < marker[p + 1], maybe none.
#ifndef SCREE_PAR_FOREST_H
#define SCREE_PAR_FOREST_H

#include "par/par.h"
#include "scree/geom.h"

enum { forest_level = 18 };
static const uint64_t forest_end = (uint64_t)1 << 3 * forest_level;  // one key beyond the last

// Centres within `reach` of x are asked for.
typedef struct forest_ball {
    double x[3], reach;
} forest_ball;

// Ball number `ball` may meet centres of this rank.
typedef struct forest_hit {
    int32_t rank, ball;
} forest_hit;

typedef struct forest_hits {
    forest_hit* hit;       // by (rank, ball), each once
    int64_t count, capacity;
} forest_hits;

struct par_forest;

// A library that knows the partition too (p4est). What it finds is the same.
typedef struct forest_way {
    scree_status (*follow)(struct par_forest* forest);  // markers have changed. Collective
    scree_status (*meet)(const struct par_forest* forest, int32_t me, int32_t count, const forest_ball* balls, forest_hits* out);  // adds hits in any order, some maybe twice. Collective
    void (*close)(struct par_forest* forest);
} forest_way;

typedef struct par_forest {
    int32_t ranks;
    uint64_t* marker;      // ranks + 1
    scree_box box;
    double lower[3], side; // of the cube
    double cells;          // per length
    const forest_way* way; // NULL: there is none
    void* tree;            // of it
} par_forest;

scree_status forest_open(int32_t ranks, par_forest* out);                  // rank 0 owns everything. MEMORY
void forest_close(par_forest* forest);
void forest_lay(par_forest* forest, const scree_box* box, const double sides[3][2]);  // the cube, over these ends of the axes
uint64_t forest_key(const par_forest* forest, const double x[3]);          // of the cell of a centre
int32_t forest_owner(const par_forest* forest, uint64_t key);

// A box of which all belongs to one rank. Spheres come about in the order of keys, so most of them are where the one before was: that is a few comparisons.
typedef struct forest_home {
    double low[3], high[3];
} forest_home;
forest_home forest_no_home(void);                                          // to begin with
bool forest_find_home(const par_forest* forest, int32_t me, const double x[3], double reach, forest_home* home);  // another one about x

// Whether all centres within `reach` of x belong to `me`. False: that is not known.
static inline bool forest_is_home(const par_forest* forest, int32_t me, const double x[3], double reach, forest_home* home)
{
    bool is = true;
    for (int k = 0; k < 3; ++k)
        is = is && x[k] - reach >= home->low[k] && x[k] + reach <= home->high[k];
    return is || forest_find_home(forest, me, x, reach, home);
}

// The same for `count` spheres, each with the reach of `radii` times its radius and `reach`: by the box of their centres, so this is quick where spheres come in the order of keys.
enum { forest_run = 32 };  // as many as share a box well
bool forest_are_home(const par_forest* forest, int32_t me, const double (*xr)[4], int32_t count, double radii, double reach, forest_home* home);

// The ranks other than `me` that may own a centre in each of these balls. Collective. MEMORY
scree_status forest_meet(const par_forest* forest, int32_t me, int32_t count, const forest_ball* balls, forest_hits* out);

// Whether a ball, its centre in the box and its reach rounded up, touches an octant: by the nearest image; an octant at the border of the tree reaches to infinity where the axis is not periodic.
bool forest_touches(const par_forest* forest, const forest_ball* ball, const uint32_t cell[3], int level);

// What a rank has: keys, rising, and the sums of the weights before each, count + 1 of them.
typedef struct forest_load {
    int64_t count;
    const uint64_t* key;
    const int64_t* weight;
} forest_load;

scree_status forest_cut(par_forest* forest, scree_par* par, const forest_load* loads);  // so that all ranks have about the same weight; one load for each local rank. MEMORY
scree_status forest_cut_at(par_forest* forest, const uint64_t* markers);   // ranks - 1 markers between them, rising. Collective

scree_status forest_cut_by_chance(par_forest* forest, scree_par* par, uint64_t* seed);  // markers at random: near those that there are or anywhere, some of them the same. Collective; for tests. MEMORY

scree_status forest_use_p8est(par_forest* forest, scree_par* par);  // p4est finds whom balls meet from now on. Collective; forest_p8est.c or, where it is not built, forest_no_p8est.c, which does nothing. MEMORY

#endif
