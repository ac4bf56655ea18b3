// The systems of the benchmark "device": what they are, how they are made, and how they are simulated.
#ifndef BENCH_DEVICE_SYSTEMS_H
#define BENCH_DEVICE_SYSTEMS_H

#include "harness.h"

#include "scree/sim.h"

// Dense systems are made from one small cell: packed by rearrangement, settled on the processor, and repeated along its periodic axes.
typedef enum device_heap {
    HEAP_NONE = 0,  // a gas
    HEAP_COLUMN,    // on a floor that moves upwards slowly, under gravity; repeated along x and y
    HEAP_DRUM,      // the lower half of a cylinder that turns about y, under gravity; repeated along y
    HEAP_PACKED,    // periodic along all axes, with giants
    HEAP_LARGE      // no heap: a large sphere with all others on it, none of them a giant; if it is the only one, it lies on the floor
} device_heap;

typedef struct device_case {
    bench_set set;   // count: on a GPU
    int32_t few;     // emulated; 0: not at all
    bool quick;      // one of those that --quick has
    bool periodic, damped, friction, hertz;
    double scale;    // radii times this
    int tiles;       // along each axis: copies of a periodic set, of which so large ones are made in time
    bool alone;      // too large for the processor: no hash to compare with
    device_heap heap;
    double skin;     // above 0: a search from scratch is measured too, and lists with this skin
    // Of named runs, which are the same on every machine; 0 for the others.
    int64_t steps;
    double list_skin;  // above 0: skin of the lists
    double overlap;    // of two spheres that collide at thermal speed, in radii of the smallest; 0: little
} device_case;

// A def with what it borrows.
typedef struct device_setup {
    scree_sim_def def;
    scree_sim_law law;
    scree_sim_pair pair;
    scree_sim_material material;
    scree_sim_boundary drum;
    scree_index_def search;
} device_setup;
void device_case_set_up(const device_case* what, const bench_options* co, const scree_sphere_set* set, device_setup* out);

// Spheres with their box, in random order, and velocities (scree_free).
scree_status device_case_make(const device_case* what, const bench_options* co, scree_sphere_set* out, double** v);

#endif
