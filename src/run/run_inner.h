// What a run holds: shared by the loop (run.c), the folder (folder.c), frames, the log and checkpoints.
#ifndef SCREE_RUN_RUN_INNER_H
#define SCREE_RUN_RUN_INNER_H

#include "run/scene_parts.h"
#include "scree/analysis.h"
#include "scree/checkpoint.h"

#include <stdio.h>

typedef struct run_log {
    FILE* file;
    int64_t bytes;  // written so far,
    uint64_t sum;   // and their crc64
} run_log;

// Steps of one length, from a step and its time on.
typedef struct run_pace {
    int64_t from;
    double time, length;
} run_pace;

typedef struct run_paces {
    run_pace* list;  // at least one
    int64_t count, capacity;
} run_paces;

// Another run, from whose state this one begins.
typedef struct run_other {
    scree_checkpoint saved;  // empty again when the simulation has its state
    scree_scene then;        // its scene
    scree_scene scene;       // that of the new run with the groups and materials of the other. Arrays of groups, pairs and changes are its own
    scree_box box;           // in which the new run begins,
    int32_t container;       // and what it bounds
    scree_box box_then;      // of the other run, as it was at that moment
    scree_sim_cell_state cell; // of the state, if it changed there: as at step 0
    bool same_box;           // as it was in the other run, the walls where they were
    int64_t forgotten;       // contacts with surfaces that are meshes, or not at rest where they were: their memory is not taken over
    bool same_wall[7];       // whether boundary b is a wall of both, at the same place
    bool same;               // walls and all other sources of forces are the same in both runs
    run_paces paces;         // lengths of its steps
} run_other;

// The largest overlap of a run, and how many rows of the log are above the limit.
typedef struct run_deepest {
    scree_sim_overlap seen;  // relative 0: none; ij -1: not known
    double time;
    bool placed;             // its spheres and its place are known
    int64_t rows, rows_above;
} run_deepest;

struct scree_run {
    scree_run_def def;
    scree_scene scene;       // the run's own copy
    char* scene_text;        // as in scene.yaml, for checkpoints
    int64_t scene_length;
    char* folder;            // NULL: a trial, which writes nothing
    int lock;                // descriptor of the folder, locked; -1: none
    scree_sphere_set set;    // id order: radii, box, columns of the frames
    scree_column *velocity, *force, *contacts;
    uint64_t moving;         // bits: columns of `set` that each frame overwrites, like x,
    int32_t room;            // for which these have room: all spheres, a piece of a frame, or none (run_frame_release)
    scree_scene_each each;   // what single spheres have of their own; groups and materials are columns of `set` too
    run_other* other;        // while it begins; NULL: none
    scree_body_set bodies;   // a scene with bodies: what they were made of; `set` is then empty
    scree_scene_law law;     // of the simulation of spheres
    scree_scene_bonds bonds;
    int64_t bonds_listed;    // rows of broken.csv,
    bool bonds_are_listed;   // if it was written
    const scree_checkpoint_bonds* kept_bonds;  // while it is resumed: those that there were
    scree_scene_shapes shapes;  // what the surfaces of the scene come to
    scree_run_pair* pairs;   // pair_count of them
    int32_t pair_count;
    scree_sim* sim;          // one of the two; both NULL: not made yet
    scree_polygon_sim* polygons;
    scree_polygon_sim_report bodies_report;  // a scene with bodies: of the last measurement
    int64_t steps;           // total
    int64_t kept_steps;      // resumed: those that the checkpoint was to go, which another end may have changed since
    int64_t frames;          // written so far
    run_log log;
    int64_t change;          // the next of scene.changes
    int64_t kept[2];         // steps of the checkpoints that are there, newest first; -1: none
    double kept_at;          // scree_run_get_seconds when the last one was written
    double seconds_before;   // of earlier parts,
    scree_sim_report before; // and their rebuilds and seconds of stages, less what the resume itself has cost
    scree_box set_box;       // at the very start: walls may have moved since
    int32_t container;       // scree_container_kind that it bounds
    double view[3][2];       // what pictures show, the same for every picture; NAN: not known
    double began;            // clock
    double rate_clock, rate; // of progress
    int64_t rate_step;
    scree_sim_report last;   // of the last row of the log
    int64_t last_row;        // its step; -1: none
    scree_sim_boundary_report* felt;  // felt_count boundaries in that row; NULL: none
    int32_t felt_count;
    bool until_met;          // time.until is, at the step run->steps
    bool stop;               // `tell` said so
    bool due;                // a checkpoint is, by the clock
    int64_t due_from;        // the step at which that was seen
    bool missed;             // what was due at this step could not all be done
    scree_status ended;      // how scree_run_go came back last, and what it said
    char why[1024];
    const char* doing;
    char note[2048];
    char warning[1024];
    run_deepest deepest, deepest_before;  // now, and before the last row of the log
    struct run_flow* flow;   // what comes and goes; NULL: nothing does
    double kept_giants;      // resumed with it: the radius from which spheres are giants
    double solid;            // volume of all spheres; 0: they come and go, or there are none
    bool drags;              // the scene has drag or local damping, now or later
    const scree_scene* naming;  // the scene, for names of groups in the header of the log: while the run begins or is resumed
    scree_sim_group_report* groups;  // group_count of them, as they are now; NULL: there are not several
    int32_t group_count;
    int64_t stage;           // the change whose contacts it is made with; -1: the contacts of the start
    run_paces paces;         // lengths of its steps
    double first_length;     // resumed: of the first steps; 0: that of the simulation
    double kept_length;      // and of the steps of the checkpoint
};

// run.c
// The n-th frame is of this step; -1: there is no such frame. Rising.
int64_t run_frame_step(const scree_run* run, int64_t frame);
void run_add_note(scree_run* run, const char* text);  // a line of run->note
void run_skip_changes(scree_run* run);           // changes up to this step are part of the state
scree_status run_find_steps(scree_run* run, const scree_scene* scene);  // run->paces and run->steps. ARGUMENT, at the place in the scene
scree_status run_make_sim(scree_run* run, const scree_scene* scene);  // of run->set or run->bodies, at step 0
bool run_tick_step(void* context, double done);  // watch of a simulation
scree_watch run_slow_watch(scree_run* run, const char* doing);  // progress of something that is not a step

// step_lengths.c: the first step at or after a time; what rounding has lost of a step that is meant to hit it is forgiven. `length`: of a step
int64_t run_step_of(double time, double length);
int64_t run_paces_step(const run_paces* paces, double time);     // the same, by paces
double run_paces_time(const run_paces* paces, int64_t step);
double run_paces_between(const run_paces* paces, int64_t since, int64_t step);  // the time from one step to another
double run_paces_longest(const run_paces* paces);                // of all lengths
scree_status run_paces_make(const scree_scene* scene, double first, run_paces* out);  // `first`: the length at the start. MEMORY
void run_paces_free(run_paces* paces);
int64_t run_step_at(const scree_run* run, double time);
double run_time_of(const scree_run* run, int64_t step);

// simulation.c: what a run asks of its simulation, be it of spheres or of bodies
bool run_has_bodies(const scree_run* run);
bool run_is_made(const scree_run* run);
int64_t run_sim_step(const scree_run* run);
double run_sim_length(const scree_run* run);     // of a step
int32_t run_sim_count(const scree_run* run);
scree_status run_sim_go(scree_run* run, int64_t steps);
scree_status run_sim_make(scree_run* run, const scree_scene* scene);
scree_status run_sim_check_start(scree_run* run);  // ARGUMENT: something begins deep in something else
scree_status run_sim_change(scree_run* run, int64_t change);  // of run->scene
scree_status run_sim_measure(scree_run* run, scree_sim_report* out);  // of this part of the run
scree_status run_report(scree_run* run, scree_sim_report* out);  // as scree_run_measure; of a step with a row of the log, what that row found
scree_status run_sim_take(const scree_run* run, scree_checkpoint* out);
scree_status run_sim_restore(scree_run* run, const scree_checkpoint* saved);  // makes it from a checkpoint, in run->set_box
scree_status run_add_kept_materials(const scree_scene* scene, const scree_checkpoint* saved, scree_sphere_set* set);  // the column material, if single spheres have theirs. MEMORY

// loads.c
bool run_has_drag(const scree_scene* scene);         // or local damping
bool run_has_tables(const scree_scene* scene);       // from files that are not read yet
scree_status run_take_tables(const scree_scene* scene, scree_scene* out);  // a copy with its tables, which shares all but loads and changes. IO, FORMAT, MEMORY
void run_forget_tables(scree_scene* scene);          // of such a copy
const scree_scene_load* run_wall_load(const scree_scene* scene, int64_t change, int face);  // NULL: the change (-1: the start) has none of this wall
double run_wall_way(const scree_scene_load* load, double time);

// folder.c. A path inside; of a trial /dev/null
scree_status run_path(const scree_run* run, char* path, size_t room, const char* format, ...) SCREE_PRINTF(4, 5);
// The files that the spheres of the scene come from stay. ARGUMENT: not empty and no force, or what must not be removed; IO.
scree_status run_folder_look(const scree_run* run, const scree_scene* scene);          // whether the run could be there; changes nothing
scree_status run_folder_make(scree_run* run, const scree_scene* scene, bool* made);    // with the lock; an earlier run is set aside
void run_folder_unmake(scree_run* run, bool made);               // after a beginning that failed: as it was
scree_status run_folder_settle(const scree_run* run);            // the new run stands: the earlier one goes
scree_status run_folder_recover(const scree_run* run);           // ends what was killed between the two
scree_status run_folder_lock(scree_run* run);                    // ARGUMENT: another process has it
scree_status run_folder_check(const scree_run* run);             // IO: the folder was removed or renamed since it was locked
scree_status run_folder_check_kinds(const scree_run* run);       // IO: one of the run's own names is a link, a FIFO, a folder or the like
void run_folder_tidy(const scree_run* run);                      // removes what killed writings have left
scree_status run_folder_sub(const scree_run* run, const char* name);  // a folder inside, if it is not there yet

void run_folder_cut(const scree_run* run);                       // removes frames from number run->frames on

// end.c: another end for a run that is resumed
bool run_end_given(const scree_run* run);             // by the caller
void run_end_set(scree_run* run);                     // puts it into run->scene
scree_status run_end_check(const scree_run* run);     // ARGUMENT: the run is beyond it
scree_status run_end_change(scree_run* run);          // run->steps in place of kept_steps: takes back what is in the folder only because the run ended

// start_from_run.c: a scene with start.run
scree_status run_other_read(scree_run* run, const scree_scene* scene);  // run->other; run->other->scene takes the place of the scene. IO, FORMAT, ARGUMENT ...
scree_status run_other_spheres(scree_run* run);       // run->set, and run->set_box. ARGUMENT: a sphere is outside of the box of the scene; MEMORY
scree_status run_other_give(scree_run* run);          // takes run->sim to the state
void run_other_forget(scree_run* run);                // when it has begun; without another run nothing happens

// groups.c: the column "group" of a set of several groups, from the number of spheres in each. ARGUMENT: `counts` do not add up; MEMORY
scree_status run_add_groups(const scree_scene* scene, const int64_t* counts, scree_sphere_set* set);
scree_status run_add_scene_groups(const scree_scene* scene, scree_sphere_set* set);  // the same with the counts that the entries of the scene have

// The contact law of the scene, into the def; it points to `law`, which is the caller's (scree_scene_law_free). As scree_scene_make_law.
scree_status run_law(const scree_scene* scene, int64_t change, const scree_sphere_set* set, scree_scene_law* law, scree_sim_def* def);

// start.c: scree_scene_make_spheres. trial: spheres that are to be grown are put at random into a larger box, which takes no time
scree_status run_scene_spheres(const scree_scene* scene, scree_watch watch, bool trial, scree_sphere_set* out);

// frames.c
scree_status run_add_columns(scree_run* run, const scree_scene* scene);  // what frames hold beside the spheres; run->each
scree_status run_add_sim_columns(scree_run* run);  // and what the simulation keeps of its spheres for them
scree_status run_frames_open(scree_run* run);   // folders
scree_status run_frame_fill(scree_run* run);    // spheres: run->set as it is now, centres inside the box on periodic axes
void run_frame_release(scree_run* run);         // gives back what frames have of each sphere, where others keep the spheres
scree_status run_frame_write(scree_run* run);   // the frame of this step, in all formats of the scene
scree_status run_find_view(scree_run* run, const scree_scene* scene);  // run->view, at step 0
scree_status run_frame_draw(scree_run* run);    // its picture alone; of spheres, as run->set has them
scree_status run_check_drawing(const scree_run* run, const scree_scene* scene);  // UNSUPPORTED: the scene asks for pictures, and the caller cannot draw
scree_status run_frames_list(const scree_run* run);  // frames.pvd, contacts.pvd
scree_status run_frames_check(scree_run* run);  // files of earlier frames that are missing or empty: into run->note. CANCELLED

// contacts.c: the contacts of a frame, whose spheres are in run->set, or whose bodies in `bodies`
typedef struct run_memory {
    int32_t words;         // numbers that the law remembers of each contact
    const double* values;  // contacts * words
} run_memory;

scree_status run_contacts_write(const scree_run* run, const scree_sim_contacts* contacts, run_memory memory);
scree_status run_body_contacts_write(const scree_run* run, const scree_polygon_contacts* list, const scree_sphere_set* bodies);

// shapes.c: whether a sphere touches none of the surfaces (scree_scene_shapes) where they are at the start.
typedef struct run_clear {
    const scree_scene_shapes* shapes;
    scree_box box;           // its periodic axes have images
    const scree_scene* scene;           // that of the shapes; NULL: there is no region
    const scree_scene_region* region;   // in which spheres are to be: a mesh that is this region is no solid
} run_clear;
bool run_shapes_clear(const void* clear, const double x[3], double r);  // a run_clear
void run_shapes_tell(scree_run* run);                        // which triangles of meshes were left out, and what was welded: into run->note
bool run_shapes_are_written(const scree_run* run);            // each frame has a file of them
scree_status run_shapes_write(const scree_run* run, const scree_sim_contacts* contacts);
// All surfaces as they are now, as triangles: meshes, and pieces of exact shapes, without end as far as the box reaches. `first` (NULL: not wanted): where the triangles of each
// surface begin, and one behind. Both are the caller's. MEMORY.
scree_status run_shapes_triangles(const scree_run* run, scree_triangles* out, int64_t** first);

// bonds.c. Without bonds these do nothing.
scree_status run_bonds_make(scree_run* run, const scree_scene* scene, scree_sim_def* def);  // into the def; run->bonds has them. IO, FORMAT, MEMORY
bool run_has_bonds(const scree_run* run);
scree_status run_bonds_add_columns(scree_run* run);  // how many each sphere has, and had
scree_status run_bonds_fill(scree_run* run);
scree_status run_bonds_list(scree_run* run);    // broken.csv
scree_status run_bonds_fragments(scree_run* run, scree_fragments* out);  // MEMORY
scree_status run_bonds_write(const scree_run* run);  // contacts.c: the bonds of a frame

// flow.c: insert and outlets. Without them these do nothing.
scree_status run_flow_make(scree_run* run, const scree_scene* scene);  // when the spheres are there, and before the simulation is. IO, FORMAT, ARGUMENT, MEMORY
void run_flow_define(const scree_run* run, const scree_scene* scene, scree_sim_def* def);
const scree_sphere_set* run_flow_sample(const scree_run* run);  // from which contact laws are made: run->set, or the ranges of sizes
void run_flow_free(struct run_flow* flow);
bool run_has_flow(const scree_run* run);
int64_t run_flow_next(const scree_run* run);       // the next step at which something may come or go
scree_status run_flow_attend(scree_run* run);      // at this step
scree_status run_flow_catch_up(scree_run* run);    // run->set is that of the simulation, which may have removed spheres by itself. MEMORY
// Of a trial: inserts up to 20,000 of the spheres that are to come, at rest and in contact, upon the side towards which gravity acts. MEMORY, and what scree_sim_exchange says
typedef struct run_filling {
    int64_t made;  // inserted here
    double mean;   // spheres besides those of the start, on average over the run; those that fall into an outlet leave there, others stay
    double lie;    // how many of these no longer fall
    double least;  // `mean`, if outlets let go of all that lie; the same where there are no outlets, or where all fall into one
    double events, changes;  // how often it is looked whether spheres come or go, and how often some do
    double look, change;     // seconds of such an event, with the spheres that are there after this
} run_filling;
scree_status run_flow_fill(scree_run* run, run_filling* out);
void run_flow_row(scree_run* run);                 // a row of the log is to be written
int64_t run_flow_waiting(const scree_run* run);    // spheres that were due and found no place
double run_flow_rate(const scree_run* run, bool out);  // mass per time since the row before
int64_t run_flow_tallies(const scree_run* run);    // how many counts there are, and the n-th with its name
int64_t run_flow_tally(const scree_run* run, int64_t n, const char** name);
scree_status run_flow_keep(const scree_run* run, scree_checkpoint* to);  // MEMORY
scree_status run_flow_recall(scree_run* run, const scree_checkpoint* saved);  // FORMAT, MEMORY
const int64_t* run_flow_ids(const scree_run* run); // of the spheres that it is resumed with
scree_status run_flow_groups(const scree_run* run, const scree_checkpoint* saved, scree_sphere_set* set);
int64_t run_row_of(const scree_run* run, int64_t id);  // in run->set; of boundaries their number

// conditions.c
int64_t run_conditions_next(const scree_run* run);  // the step at which one is looked at next; INT64_MAX: none
scree_status run_conditions_look(scree_run* run);   // at this step: a change may become due, or the run end
scree_status run_conditions_check(scree_run* run, const scree_scene* scene);  // ARGUMENT: it has no such quantity
scree_status run_conditions_keep(const scree_run* run, scree_checkpoint* to);
void run_conditions_recall(const scree_checkpoint* saved, scree_scene* scene);  // when changes with conditions happened
scree_status run_conditions_describe(scree_run* run, const scree_scene_condition* condition, char* text, size_t room);  // of now
scree_status run_conditions_warn(scree_run* run);   // run->warning: what did not happen before the end

// log.c
// The value that a row of this step has, or kinetic_over_contact. False of those that count work: they depend on the machine; `known`: a list of all that there are.
bool run_log_knows(const scree_run* run, const char* name, char* known, size_t room);  // after run_feel
scree_status run_log_value(scree_run* run, const char* name, double* out);
extern const int run_stress_axes[6][2];  // components of the stress in the order of the log; in 2D those without z
bool run_has_energies(const scree_run* run);    // whether the log has columns of energies
scree_status run_feel(scree_run* run);  // run->felt, of this moment. MEMORY
scree_status run_log_begin(scree_run* run);
scree_status run_log_resume(scree_run* run, int64_t bytes, uint64_t sum);  // cut to what the checkpoint knows of. FORMAT: that was altered
scree_status run_log_sum(scree_run* run, int64_t bytes, uint64_t* out);  // crc64 of the first bytes of the file. IO, CANCELLED
scree_status run_log_row(scree_run* run);
scree_status run_log_sync(scree_run* run);                   // to the disk
void run_log_close(run_log* log);

// deepest.c
scree_status run_watch_overlaps(scree_run* run);  // since the last call: run->deepest. ARGUMENT: a contact was too deep for the step
scree_status run_deepest_row(scree_run* run, run_deepest* out);  // run->deepest with a row of run->last. MEMORY
void run_deepest_warn(scree_run* run);            // run->warning

// physics.c
scree_status run_find_pairs(scree_run* run, const scree_scene* scene, const scree_sim_def* def);  // run->pairs, with run->law. MEMORY

// checkpoints.c
#define RUN_WHY 900
// The newest whole checkpoint, or that of the step `only` (-1: the newest); `why` says why it is not a later one. IO: there is none; FORMAT: none is whole; MEMORY.
// Nothing but run->folder is looked at, and nothing is changed there.
scree_status run_read_kept(const scree_run* run, int64_t only, scree_checkpoint* out, char why[RUN_WHY]);
bool run_kept_box(const scree_checkpoint* saved, scree_box* out);  // that in which its run began; false: there is none
scree_status run_keep(scree_run* run);
scree_status run_any_kept(const scree_run* run);  // IO: there is no checkpoint at all
scree_status run_find_kept(scree_run* run);     // resume: simulation, frames and log as the newest whole checkpoint says

#endif
