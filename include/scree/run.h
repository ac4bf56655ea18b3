// scree/run.h: runs a scene from its first step to its last and writes all results to a folder (library scree_files).
//
//     scree_scene* scene;
//     scree_read_scene("silo.yaml", &scene);
//     scree_run_def def = scree_default_run_def();
//     def.draw = scree_draw_frame;                     // scree/report.h, library scree_show: needed where the scene asks for pictures
//     scree_run* run;
//     scree_run_create(&def, scene, "silo", &run);      // or scree_run_resume(&def, "silo", &run)
//     scree_run_go(run);
//     scree_run_destroy(run);
//
// The folder holds
//     scene.yaml                the scene as it was understood, with every default
//     log.csv                   energies, momentum, contacts, work, stress, forces on walls; a row at each frame or every output.log_every_steps
//     frames/frame_000000.vtp   and so on, in the requested formats; frames.pvd lists them for ParaView
//     contacts/, pictures/      where the scene asks for them; contacts.pvd lists contacts as frames.pvd does
//     checkpoint_*.npz          the last two checkpoints; scree_run_resume continues from them
//     report.html               a page about the run, written by scree_run_write_report (scree/report.h); the program calls it
// A run that was killed at any moment continues from its last checkpoint, and ends with the same bits and the same files as an uninterrupted one.
#ifndef SCREE_RUN_H
#define SCREE_RUN_H

#include "scree/outlines.h"
#include "scree/polygon.h"
#include "scree/scene.h"
#include "scree/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- The start of a scene -------------------------------------------------------------------------------------------
// The spheres at the start of a scene: read from files or generated, in their box, with a vector column "velocity". Several groups follow each other; a column "group" has their numbers, and
// further columns of files are left out. Materials and spins that come from files become the columns "material" and "spin" (2D: "spin_z"). The caller owns the set.
// With place grow the spheres are grown by scree_pack_grow at a rate of 0.1 and, if they jam, at slower rates; this takes seconds to minutes. ARGUMENT (also if they jam at
// every rate: the message has the box that they would need), IO, FORMAT, MEMORY, CANCELLED. UNSUPPORTED: a scene with start_run, which only scree_run_create can start.
SCREE_API scree_status scree_scene_make_spheres(const scree_scene* scene, scree_watch watch, scree_sphere_set* out);

// Mass and group of each sphere of a scene that has no bodies. `set` is from scree_scene_make_spheres, or a frame of a run of the scene; `mass` and `group` have room for its spheres, and either may be NULL.
// ARGUMENT: a set without the groups of the scene; MEMORY. UNSUPPORTED: a scene with `start` that does not know the groups of that run.
SCREE_API scree_status scree_scene_find_masses(const scree_scene* scene, const scree_sphere_set* set, double* mass, int32_t* group);

// The definition of a simulation of a scene, without its spheres: contact law, materials, properties of single spheres, bonds, surfaces, search and cell. `set` is from scree_scene_make_spheres and is not
// needed afterwards. ARGUMENT: two materials that can meet in this box and have no value, or walls without a material; the message has the line to add. IO, FORMAT: an unreadable file of bonds or of a
// mesh. UNSUPPORTED: a scene with bodies; or materials that come from another run (start), which only a run knows. MEMORY.
typedef struct scree_scene_setup scree_scene_setup;

SCREE_API scree_status scree_scene_setup_create(const scree_scene* scene, const scree_sphere_set* set, scree_scene_setup** out);
SCREE_API const scree_sim_def* scree_scene_setup_get_def(const scree_scene_setup* setup);  // for scree_sim_create; a copy may have other threads, another watch, search or device
SCREE_API void scree_scene_setup_destroy(scree_scene_setup* setup);  // after the simulation. NULL is fine

// Sets the loads of a scene in a simulation of it: the loads of change number `change`, or with -1 those at the start (motions of walls, drag). A scree_run does this itself.
// ARGUMENT: a load that scree_sim_set_load rejects, or a table that is not read yet; the message has the place in the scene. MEMORY.
SCREE_API scree_status scree_scene_apply(const scree_scene* scene, int64_t change, scree_sim* sim);

// The bodies at the start of a scene with `bodies`: the spheres first, as discs, then the bodies entry by entry.
typedef struct scree_body_set {
    int32_t count;
    scree_body* bodies;
    scree_shapes shapes;
    scree_box box;
} scree_body_set;

// Plain data, owned by the caller. ARGUMENT: also bodies for which no free position was found; IO, FORMAT, MEMORY, CANCELLED. The same seed gives the same bodies.
SCREE_API scree_status scree_scene_make_bodies(const scree_scene* scene, scree_watch watch, scree_body_set* out);
SCREE_API void scree_body_set_free(scree_body_set* set);  // and empties it

// Two spheres may overlap at the start by this fraction of the smaller radius.
#define SCREE_RUN_OVERLAP_MOST 0.1

// The most steps that a run can have; they are also counted in doubles.
#define SCREE_RUN_STEPS_MOST 1e15

// ---- Runs --------------------------------------------------------------------------------------------------------------

typedef struct scree_run_progress {
    const char* doing;      // "placing spheres", "running", "writing a frame", ...
    double done;            // progress of `doing`, 0 to 1
    int64_t step, steps;    // of the simulation
    double time, end;
    int32_t spheres;        // or bodies
    double rate;            // sphere steps per second, recently; 0: not known yet
    double seconds_left;    // of the run; negative: not known yet
    int64_t contacts;       // at the last row of the log
    double energy_kinetic;
    bool bodies;            // `spheres` counts bodies
    double max_overlap_relative;  // largest overlap over the smaller radius, at the last row of the log
} scree_run_progress;

// A frame to be drawn: spheres or outlines; the other is NULL. Valid during the call.
typedef struct scree_run_frame {
    const char* path;         // the PNG file to write
    const scree_sphere_set* spheres;
    const scree_outline_set* outlines;
    const scree_triangles* surfaces;  // count 0: none
    double view[3][2];        // as in scree_picture_def
    int32_t threads;
} scree_run_frame;

typedef struct scree_run scree_run;

typedef struct scree_run_def {
    uint32_t struct_size;   // filled by the default function; lets this struct grow between versions
    int32_t method;         // scree_method that replaces the one of the scene; -1: keep it
    int32_t threads;        // 0: all cores
    bool force;             // accept a folder that is not empty; the files of an earlier run are removed
    bool verify;            // compares the contacts of every step with all pairs (slow)
    bool (*tell)(void* context, const scree_run_progress* progress);  // called a few times per second, and at each step after which something is written; returns false to stop
                            // the run. NULL: none
    void* context;
    double until;           // scree_run_resume: a new end time; 0: the end of the scene
    int64_t until_steps;    // the same as a number of steps; 0: the end of the scene. Set at most one of the two
    int32_t device;         // scree_device that computes the steps of spheres (scree/device.h); NONE. No result depends on it. UNSUPPORTED: there is no such device, or it does not
                            // support a feature of the scene
    scree_status (*draw)(const scree_run_frame* frame);  // draws the pictures of frames: scree_draw_frame of scree/report.h (library scree_show), or your own
                            // function. NULL: none; a scene with pictures or an animation is then UNSUPPORTED
    scree_sphere_set* placed;  // of trials of one scene, which need not place its spheres again: an empty set gets a copy of them as they were placed, and a trial with a set that has spheres
                            // begins with these. The caller frees it. NULL: none. Runs that are no trials, and scenes with start_run, leave it as it is
    scree_status (*look)(void* context, scree_run* run);  // called by scree_run_go at each multiple of look_steps, or at the first step at or after each multiple of the time
                            // look_every, before the changes, the row of the log, the frame and the checkpoint of that step. It may inspect the simulation and set what a checkpoint has: gravity, loads, motions,
                            // forces, velocities. It must not step it. CANCELLED: the run stops there, with a checkpoint. Any other failure ends it without one. NULL: none
    int64_t look_steps;     // set one of the two, 1 or more
    double look_every;      // above 0
} scree_run_def;

SCREE_DEFAULTS(scree_run_def, scree_default_run_def)

// Generates the spheres and creates the folder (its parent must exist) and the first files. The run keeps a copy of the scene; the caller still owns `scene`.
// A scene with start_run begins from the newest complete checkpoint of that run, whose folder is read, not locked, and not needed later; it must not be
// `folder` or inside it. ARGUMENT: also a folder that is not empty, or in which another process runs; IO, FORMAT, MEMORY, CANCELLED. On failure the
// folder is unchanged, including an earlier run in it.
// Folder NULL: a trial. The scene is checked in the same way and the run can be inspected (scree_run_get_sim, scree_run_get_steps, scree_run_summary_create), but it writes no files and
// scree_run_go rejects it. Spheres with place grow are not grown but put at random into a larger box.
SCREE_API scree_status scree_run_create(const scree_run_def* def, const scree_scene* scene, const char* folder, scree_run** out);

// Estimates how long the run would take. `run` is a trial (folder NULL); it advances by some steps. Steps, a frame, a picture and so on are timed, for about one second in total, and
// extrapolated. Generating the spheres, waiting for the disk, the report and the animation are not included. Steps at the
// start can be much faster than later ones, when more spheres touch. Spheres that are inserted fall freely from their region and then lie at rest; those that fall into an
// outlet leave. ARGUMENT: not a trial, or a step failed; MEMORY, CANCELLED.
typedef struct scree_run_costs {
    int64_t frames;           // number of frames that the run will write
    double seconds_estimated; // the sum of the following
    double seconds_steps;
    double seconds_frames;    // files of frames and contacts
    double seconds_pictures;
    double seconds_other;     // rows of the log, checkpoints, spheres that come or go
    double seconds_min;     // seconds_estimated, or less where spheres may leave by outlets after they have lain: if all left then
} scree_run_costs;

SCREE_RESULT(scree_run_estimate, (scree_run* run, scree_run_costs* out), (run, out))

// Opens the run in the folder at its last complete checkpoint. FORMAT: there is none; ARGUMENT: the scene or the version differs from the checkpoint's
// (the message names the difference), or another process runs there; IO, MEMORY.
// def.until and def.until_steps set a new end: scene.yaml gets the new time.end or time.steps, and all results are the same, to the last bit, as if this end had been set from the start
// (except for the camera of pictures, if walls move beyond the first end). The frame and the row of the log that were written only because
// the run ended, report.html and animation.mp4 are removed. ARGUMENT: the run is already beyond that step, or was stopped exactly at it; nothing has changed then.
SCREE_API scree_status scree_run_resume(const scree_run_def* def, const char* folder, scree_run** out);

// Runs to the end. CANCELLED: `tell` returned false; a checkpoint was written. After any failure the folder can be resumed; after CANCELLED, IO
// and MEMORY another call continues too.
SCREE_API scree_status scree_run_go(scree_run* run);

SCREE_API void scree_run_destroy(scree_run* run);  // NULL is fine

SCREE_API scree_sim* scree_run_get_sim(scree_run* run);          // to inspect; owned by the run. NULL: the scene has bodies
SCREE_API scree_polygon_sim* scree_run_get_polygon_sim(scree_run* run);  // the same, of a scene with bodies; else NULL
SCREE_API uint64_t scree_run_hash(const scree_run* run);     // of the simulation, as scree_sim_hash
SCREE_API const scree_scene* scree_run_get_scene(const scree_run* run);  // its own copy, of a trial too; with start_run it has the groups and materials of the other run
// As scree_sim_measure; rebuilds and seconds include the parts before a resume. In a scene with bodies pressure, stress and max_overlap_relative are 0, and
// energy_kinetic includes the rotation, so energy_rotation is 0; scree_polygon_sim_measure has the details.
SCREE_RESULT(scree_run_measure, (scree_run* run, scree_sim_report* out), (run, out))
// As scree_sim_get_boundaries, with forces, torques and power as in the last row of the log, also right after a resume, when the simulation does not have the predicted velocities
// of damped forces. Of a trial: the current values. Returns 0 if the scene has bodies, a value below 0 for lack of memory.
SCREE_ROWS(scree_run_get_boundaries, (scree_run* run, scree_sim_boundary_report* out, int32_t room), (run, out, room))

// Derived contact parameters of two materials that can meet: for their lightest spheres, or the lightest sphere of one and a wall or fixed sphere of the other.
typedef struct scree_run_pair {
    char names[2][65];         // of the materials; "" if all have the same contact parameters
    int64_t i, j;              // these spheres; j is -1 for a wall or a fixed sphere
    double young, shear;       // effective moduli E* and G*; 0 with laws that do not depend on them
    double stiffness;          // k, of plastic k1; hertz, jkr and dmt: at the largest overlap of a collision at contact.speed
    double tangential_stiffness;  // k_t, at the same overlap; 0: no friction
    double restitution;        // at that speed; 0: overdamped
    double friction, friction_dynamic;
    double contact_duration;
    double overlap_expected;   // of a collision at contact.speed, over the smaller radius (linear springs: without damping); 0: no speed is given
    double rolling_friction, rolling_stiffness;    // mu_r and k_r, at that overlap; 0: no resistance to rolling
    double twisting_friction, twisting_stiffness;  // twisting: spring: a length, and torque per radian; 0: none
    double k2, kc;             // plastic: stiffness of unloading at full depth, strength of cohesion; else 0
    double bridge_pull, bridge_gap;  // liquid bridges: force while they touch, and gap at which a bridge breaks; 0: none
} scree_run_pair;

// How many pairs there are, 64 at most; the first `room` of them are written to `out` (NULL: none). 0: the scene has bodies.
SCREE_ROWS(scree_run_get_pairs, (const scree_run* run, scree_run_pair* out, int32_t room), (run, out, room))

// A warning that did not end the run: at some step an overlap was above SCREE_RUN_OVERLAP_MOST of the smaller radius. "": none.
SCREE_API const char* scree_run_get_warning(const scree_run* run);

// The current state of a run, apart from its simulation and its scene. Pointers are valid until the next call with the run.
typedef struct scree_run_facts {
    const char* folder;       // NULL: a trial
    int64_t step, steps;      // done, and total
    double time, end;         // of the simulation, after each of these
    scree_status ended;       // what scree_run_go returned last,
    const char* why;          // and the message if it failed; "" otherwise
    int64_t checkpoints[2];   // steps of the checkpoints in the folder, newest first; -1: none
    int64_t frames;           // written so far
    const char* scene_text;   // as in scene.yaml
    int64_t scene_length;     // bytes
    bool bodies;              // a scene with bodies, not with spheres
    int32_t count, dim;       // of spheres or bodies
    scree_box box;            // at the start; walls may have moved since
    int32_t container;        // scree_container_kind that it bounds
    double volume;            // of all spheres
    double material_density;  // of all spheres, or
    const double* material_densities;  // of each sphere, by row; NULL: all have the same
    bool flow, bonds;         // spheres are inserted or removed; there are bonds
    bool energies;            // energies, dissipation and work are added up (scree_run_balance)
    int32_t time_steps;       // number of different time steps, one after the other; 1: constant
    int32_t threads;
    const scree_sim_report* last;  // the state at the last row of the log
    int32_t tallies;          // number of counters of inserted and removed spheres, by entry (scree_run_get_tally)
} scree_run_facts;

SCREE_RESULT(scree_run_get_facts, (const scree_run* run, scree_run_facts* out), (run, out))
// All energies and dissipated energies, less the work of walls, gravity and forces: constant. 0 for NULL.
SCREE_API double scree_run_balance(const scree_sim_report* report);
SCREE_API int64_t scree_run_get_tally(const scree_run* run, int32_t n, const char** name);  // counter n and its name; -1: there is no such counter

// The spheres as the next frame would have them, with all its columns. Owned by the run, valid until the next call with it. ARGUMENT: the scene has bodies; MEMORY.
SCREE_API scree_status scree_run_get_spheres(scree_run* run, const scree_sphere_set** out);

// ---- Summary --------------------------------------------------------------------------------------------------------
// The quantities of a run by name: what `scree run` prints as text and JSON, and what report.html shows. Keys, units and meaning are as in --json (output.schema.json).

typedef enum scree_topic {
    SCREE_TOPIC_SYSTEM = 0,   // how many spheres or bodies, and the run that it starts from
    SCREE_TOPIC_STATE,        // step, time, energies, momentum, contacts, overlaps, hash
    SCREE_TOPIC_STRESS,
    SCREE_TOPIC_BOUNDARIES,   // forces and torques of the spheres on each wall and surface, and the power that it transfers to them
    SCREE_TOPIC_WORK,         // seconds, memory, rebuilds
    SCREE_TOPIC_DERIVED,      // derived quantities: sizes, masses, box, stiffness, step
} scree_topic;

typedef struct scree_quantity {
    const char* key;          // for example "energy_kinetic"
    int32_t topic;            // scree_topic
    int32_t count;            // of values; of a text 1
    const double* values;     // count; or NULL, and then
    const int64_t* integers;  // count; or NULL, and then
    const char* text;
    const char *unit, *note;  // for people; "": none
    double share;             // fraction of the sum that it is part of, 0 to 1; negative: not part of a sum
    bool vector;              // a list, even if it has one value: a torque in 2D
} scree_quantity;

typedef struct scree_run_summary scree_run_summary;

// Measures the state once, O(spheres + contacts). A state that does not allow it (scree_run_measure) has the quantity "not_measured" with the reason, and no others of STATE, STRESS and
// BOUNDARIES. MEMORY.
SCREE_API scree_status scree_run_summary_create(scree_run* run, scree_run_summary** out);
SCREE_API void scree_run_summary_destroy(scree_run_summary* summary);  // NULL is fine
SCREE_API int32_t scree_run_summary_get_count(const scree_run_summary* summary);
// Owned by the summary. NULL: there is no such quantity.
SCREE_API const scree_quantity* scree_run_summary_get(const scree_run_summary* summary, int32_t k);
SCREE_API const scree_quantity* scree_run_summary_find(const scree_run_summary* summary, const char* key);

// Columns of log.csv over time. Long logs are thinned out: of each stretch of rows the smallest and the largest value are kept, so no peak is lost.
typedef struct scree_run_curve {
    int32_t count;            // of points, some thousand at most; 0: the log has no such column, or no rows
    double *x, *y;            // time and value
} scree_run_curve;

typedef struct scree_run_curves {
    int64_t rows;             // of the log
    int32_t count;
    scree_run_curve* curves;  // count
    double* points;           // of all
} scree_run_curves;

// O(rows) time, O(count) memory. ARGUMENT: a trial; IO, MEMORY.
SCREE_RESULT(scree_run_read_curves, (const scree_run* run, int32_t count, const char* const* names, scree_run_curves* out), (run, count, names, out))
SCREE_RELEASE(scree_run_curves, scree_run_curves_free)  // and empties it; NULL or an empty one is fine

SCREE_API int64_t scree_run_get_steps(const scree_run* run);     // total
SCREE_API double scree_run_get_end(const scree_run* run);        // simulation time at the end
SCREE_API double scree_run_get_seconds(const scree_run* run);    // of wall clock so far, earlier parts of the run included
// Notes of the start, as lines: for meshes, how many triangles were left out and vertices welded; after a resume, which checkpoint was used, and why not a later one. "": none.
SCREE_API const char* scree_run_get_note(const scree_run* run);

#ifdef __cplusplus
}
#endif
#endif
