// What comes and goes in a run (flow.c), and random places where there is room (room.c).
#ifndef SCREE_RUN_FLOW_H
#define SCREE_RUN_FLOW_H

#include "run/run_inner.h"
#include "run/space.h"
#include "scene/flow.h"

// Spheres that are in the way, in a grid around a region.
typedef struct run_room {
    const scene_space* space;
    scree_box box;           // periodic axes have images
    double most;             // radius up to which spheres are placed
    int64_t count, capacity; // images count
    double (*xr)[4];
    int64_t* next;           // of the same cell; -1: the last
    int64_t next_capacity;
    double biggest;          // of those that are in the way
    int32_t cells[3];
    double lower[3], side[3];
    int64_t* first;          // of each cell; NULL: not yet made
} run_room;

void run_room_open(run_room* room, const scene_space* space, const scree_box* box, double most);
scree_status run_room_add(run_room* room, const double* x, double r);  // is in the way, with its images. MEMORY
bool run_room_meets(run_room* room, const double* x, double r);        // whether it would be in the way
bool run_room_is_free(const run_room* room, const double* x, double r);
void run_room_close(run_room* room);

// Radii and materials that a group has had and may have: whatever is made of them, now or after a resume, is the same.
typedef struct run_range {
    int64_t group, material;
    double least, most;
} run_range;

typedef struct run_inlet {
    scene_space space;
    scree_sizes* sizes;
    double u[2];             // shares of the law that radii are drawn from
    int64_t placed;
    double mass;             // of those
    int64_t waiting;         // were due and found no place, when it was last looked
} run_inlet;

typedef struct run_flow {
    int64_t inlet_count, outlet_count, group_count, range_count;
    run_inlet* inlets;
    scene_space* outlets;
    int64_t* gone;           // [outlet][group]
    double* gone_mass;
    int64_t* back;           // of each outlet: those that came back in
    run_range* ranges;
    int64_t done;            // the step at which it was last attended to
    bool stale;              // run->set is not that of the simulation
    double row[3];           // of the last row of the log: time, mass inserted so far, mass removed so far
    double rates[2];         // mass flow in and out since the row before it
    char** names;            // of columns of the log
    int64_t name_count;
    int64_t* ids;            // while it is resumed
    double* r;               // of scree_sim_later
    double* density;
    uint16_t* material;
    uint8_t* fixed;
    scree_sim_later later;
    scree_sphere_set sample; // the ranges as spheres, from which the law is made
    int64_t crossing_count;  // boundaries that remove what passes through them: all walls are one, then surfaces
    int64_t* crossed;        // [those][group]
} run_flow;

#endif
