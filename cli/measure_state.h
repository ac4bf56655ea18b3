// The part of scree measure that is about motion, contacts and forces: what the state of a run, or a file with velocities, is like.
#ifndef CLI_MEASURE_STATE_H
#define CLI_MEASURE_STATE_H

#include "common.h"

#include "scree/checkpoint.h"

// What is asked for.
typedef struct state_wishes {
    const char* folder;    // of a run; NULL: a file
    int64_t frame;         // of the run; -1: the last
    int64_t frame_from, frame_to;  // of what is measured over several; frame_to -1: the last
    double gap;            // contacts of a file that has none
    bool network;          // fabric, forces, clusters, walls, mixing: of runs always, of files with --network or --contacts
    int clusters;          // scree_clusters
    bool fields, profile, repose, flow, msd;
    scree_fields_def grid;
    int grid_axes;         // numbers that --fields has
    int profile_axis;
    int64_t profile_bins;
    scree_repose_def surface;
    double region[6];      // of --repose: lower corner, upper corner
    int region_numbers;    // 0: everywhere
    int64_t least_contacts;  // that hold a sphere; 0: by the law of the run, of a file dim + 1
    int flow_axis;
    double flow_at;
    double material_density;
} state_wishes;

// Of the command line. Prints what is wrong and returns false.
bool state_wishes_of(const arguments* args, const common* co, state_wishes* out);

// Forces of the spheres on a surface of the scene.
typedef struct surface_found {
    char name[48];
    int64_t contacts;
    double area;             // NAN: not known, and so are the two below
    double force[3];
    double pressure, shear;  // normal forces per area, and the tangential ones, each counted by its length
} surface_found;

typedef struct surface_part {  // of a cylinder: between two distances from its beginning, along its axis
    int64_t surface, contacts;
    double from, to, pressure, shear;
} surface_part;

typedef struct surface_profile {
    int64_t count;
    surface_part* part;
} surface_profile;

typedef struct surfaces_found {
    int64_t count;
    surface_found* one;
    surface_profile profile;
} surfaces_found;

// Bonds of a frame, by row; arrays are the caller's (bonds_found_free).
typedef struct bonds_found {
    scree_sim_bonds bonds;
    scree_checkpoint from;
    int64_t* broken_at;
    int8_t (*shift)[3];
} bonds_found;

// measure_bonds.c: those of the newest checkpoint of a run, as they were at this time. ARGUMENT: the checkpoint is older; IO, FORMAT, MEMORY.
scree_status bonds_read(const char* folder, double time, const scree_sphere_set* set, bonds_found* out);
void bonds_found_free(bonds_found* found);

// measure_surfaces.c. `now` has contacts with forces. What was found is to be freed, after a failure too. IO, FORMAT (meshes), MEMORY.
scree_status surfaces_measure(const scree_scene* scene, const scree_snapshot* now, surfaces_found* out);
void surfaces_report(result* res, const surfaces_found* found, int dim);
void surfaces_free(surfaces_found* found);

// Displacements since the first frame, a row for all spheres of a frame (group -1) and, with several groups, one for each. Columns follow each other, `room` values each: time, msd, its parts along x, y, z,
// mean along x, y, z; group, spheres.
typedef struct displacement_rows {
    int64_t rows, room;
    double* values;
    int64_t* integers;
} displacement_rows;

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
    int clusters;                // scree_clusters, of the network
    scree_fragments fragments;
    bool has_bonds;              // and these are known
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
    surfaces_found surfaces;
    displacement_rows displacement;
} state_found;

// A snapshot with the arrays that it needs beside the set.
typedef struct state_view {
    scree_snapshot now;
    double* mass;
    int32_t* group;
    double* v;          // a copy with `dim` components
    bonds_found bonds;
    scree_contact_table contacts;
    int32_t groups;
} state_view;

// scene NULL: of a file, whose spheres have this material density.
scree_status state_view_make(const common* co, const scree_scene* scene, double density, const scree_sphere_set* set, state_view* view);
void state_view_free(state_view* view);

// measure_frames.c: over the frames of a run. like: for the box of frames that have none.
scree_status frames_measure_flow(const common* co, const state_wishes* wishes, const scree_scene* scene, const scree_frame_times* list, const scree_sphere_set* like, state_found* found);
scree_status frames_measure_displacement(const arguments* args, const common* co, const state_wishes* wishes, const scree_scene* scene, const scree_frame_times* list, const scree_sphere_set* like, state_found* found);

// The box of a frame in a format that has none (CSV): that of the run's scene. EXIT_DONE or the code to end with.
exit_code state_take_box(const arguments* args, const state_wishes* wishes, scree_sphere_set* set);

// How many contacts hold a sphere of a run, by the law of its scene, unless --least-contacts says so. EXIT_DONE or the code to end with.
exit_code state_take_law(const arguments* args, state_wishes* wishes);

// Measures a set that has been read, in its box. EXIT_DONE or the code to end with; found is empty then.
exit_code state_measure(const arguments* args, const common* co, const state_wishes* wishes, const scree_sphere_set* set, state_found* found);

scree_status state_write_fields(const common* co, const state_found* found);  // PREFIX-fields.vti and PREFIX-fields.csv
scree_status state_tell(result* res, const state_found* found);
void state_free(state_found* found);

const char* kernel_name_at(int k);
const char* clusters_name_at(int k);
const char* surface_name_at(int k);
const char* axis_name_at(int k);

#endif
