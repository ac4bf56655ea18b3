// The part of scree measure that is about motion, contacts and forces: what the state of a run, or a file with velocities, is like.
#ifndef CLI_MEASURE_STATE_H
#define CLI_MEASURE_STATE_H

#include "common.h"

// What is asked for.
typedef struct state_wishes {
    const char* folder;    // of a run; NULL: a file
    int64_t frame;         // of the run; -1: the last
    double gap;            // contacts of a file that has none
    bool network;          // fabric, forces, clusters, walls, mixing: of runs always, of files with --network or --contacts
    bool fields, profile, repose, flow;
    scree_fields_def grid;
    int grid_axes;         // numbers that --fields has
    int profile_axis;
    int64_t profile_bins;
    scree_repose_def surface;
    int flow_axis;
    double flow_at;
    double material_density;
} state_wishes;

// Of the command line. Prints what is wrong and returns false.
bool state_wishes_of(const arguments* args, const common* co, state_wishes* out);

// What was found; parts that were not asked for are empty.
typedef struct state_found {
    bool any;
    int dim;
    double time;
    int64_t frame, frames;       // of a run
    bool has_forces, has_gravity;
    scree_group_table groups;
    scree_network network;
    bool has_network;
    int walls;                   // how many are known below
    int32_t wall[8];
    scree_wall_stress wall_stress[8];
    const char* mixed_by;        // NULL: all spheres are alike
    scree_mixing mixing;
    scree_fields fields, profile;
    int profile_axis;
    int32_t kernel;
    scree_repose repose;
    int64_t flow_rows;
    double *flow_from, *flow_to, *flow_mass, *flow_rate;
    int64_t *flow_forward, *flow_backward;
} state_found;

// The file of the frame that is wanted, into path[room]. EXIT_DONE or the code to end with.
exit_code state_frame_path(const arguments* args, state_wishes* wishes, char* path, size_t room);

// The box of a frame in a format that has none (CSV): that of the run's scene. EXIT_DONE or the code to end with.
exit_code state_take_box(const arguments* args, const state_wishes* wishes, scree_sphere_set* set);

// Measures a set that has been read, in its box. EXIT_DONE or the code to end with; found is empty then.
exit_code state_measure(const arguments* args, const common* co, const state_wishes* wishes, const scree_sphere_set* set, state_found* found);

scree_status state_write(const common* co, const state_found* found);  // PREFIX-groups.csv and so on
void state_report(report* rep, const state_found* found);
void state_free(state_found* found);

const char* kernel_name_at(int k);
const char* surface_name_at(int k);
const char* axis_name_at(int k);

#endif
