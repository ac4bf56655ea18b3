// scree/run.h: a scene from its first step to its last, with all that is left behind in a folder (library scree_files).
//
//     scree_scene* scene;
//     scree_scene_read("silo.yaml", &scene);
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
//     frames/frame_000000.vtp   and so on, in the formats asked for; frames.pvd lists them for ParaView
//     contacts/, pictures/      where the scene asks for them; contacts.pvd lists contacts as frames.pvd does
//     checkpoint_*.npz          the last two: what scree_run_resume goes on from
//     report.html               a page about all this, where scree_run_write_report (scree/report.h) was called (the program does)
// A run that is killed at any moment goes on from its last checkpoint, and ends with the same bits and the same files as one that
// was not.
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
// The spheres that a scene begins with: read or made, in their box, with a vector column "velocity". Of several groups: one after the other, with
// their numbers in a column "group", without further columns of files. Materials and spins that files have (and the scene has not) are columns "material" and
// "spin", in 2D "spin_z". The set is the caller's.
// Place grow: scree_pack_grow at a rate of 0.1, and where they jam before, at slower ones; seconds to minutes. ARGUMENT (also if they jam at
// all of them: the message says the box that they would need), IO, FORMAT, MEMORY, CANCELLED. UNSUPPORTED: a scene with start_run, from which only a run can begin.
SCREE_API scree_status scree_scene_make_spheres(const scree_scene* scene, scree_watch watch, scree_sphere_set* out);

// Mass and group of each sphere of a scene that has no bodies. `set` is from scree_scene_make_spheres, or a frame of a run of the scene; `mass` and `group` have room for its spheres, and either may be NULL.
// ARGUMENT: a set without the groups of the scene; MEMORY. UNSUPPORTED: a scene with `start` that does not know the groups of that run.
SCREE_API scree_status scree_scene_find_masses(const scree_scene* scene, const scree_sphere_set* set, double* mass, int32_t* group);

// All that a simulation of a scene needs beside its spheres: contact law, materials, properties of single spheres, bonds, surfaces, search and cell. `set` is from scree_scene_make_spheres, and is not
// needed afterwards. ARGUMENT: two materials that can meet in this box and have no value, or walls without a material; the message has the line to add. IO, FORMAT: an unreadable file of bonds or of a
// mesh. UNSUPPORTED: a scene with bodies; or materials that come from another run (start), which only a run knows. MEMORY.
typedef struct scree_scene_setup scree_scene_setup;

SCREE_API scree_status scree_scene_setup_create(const scree_scene* scene, const scree_sphere_set* set, scree_scene_setup** out);
SCREE_API const scree_sim_def* scree_scene_setup_get_def(const scree_scene_setup* setup);  // for scree_sim_create; a copy may have other threads, another watch, search or device
SCREE_API void scree_scene_setup_destroy(scree_scene_setup* setup);  // after the simulation. NULL is fine

// Loads of a scene to a simulation of it: of a change, or with -1 those that it has from the start (motions of walls, drag). Where a scene is run by scree_run this is done there.
// ARGUMENT with the place in the scene: what scree_sim_set_load refuses, a table that is not read yet. MEMORY.
SCREE_API scree_status scree_scene_apply(const scree_scene* scene, int64_t change, scree_sim* sim);

// The bodies that a scene with `bodies` begins with: the spheres first, as discs, and then entry by entry.
typedef struct scree_body_set {
    int32_t count;
    scree_body* bodies;
    scree_shapes shapes;
    scree_box box;
} scree_body_set;

// Plain data, the caller's. ARGUMENT: also bodies for which no place was found; IO, FORMAT, MEMORY, CANCELLED. The same seed gives the same bodies.
SCREE_API scree_status scree_scene_make_bodies(const scree_scene* scene, scree_watch watch, scree_body_set* out);
SCREE_API void scree_body_set_free(scree_body_set* set);  // and empties it

// Two spheres may overlap at the start by this share of the smaller radius.
#define SCREE_RUN_OVERLAP_MOST 0.1

// The most steps that a run can have; they are also counted in doubles.
#define SCREE_RUN_STEPS_MOST 1e15

// ---- Runs --------------------------------------------------------------------------------------------------------------

typedef struct scree_run_progress {
    const char* doing;      // "placing spheres", "running", "writing a frame", ...
    double done;            // share of that, 0 .. 1
    int64_t step, steps;    // of the simulation
    double time, end;
    int32_t spheres;        // or bodies
    double rate;            // sphere steps per second, of late; 0: not known yet
    double seconds_left;    // of the run; negative: not known yet
    int64_t contacts;       // at the last row of the log
    double energy_kinetic;
    bool bodies;            // it is they that are counted, not spheres
    double max_overlap_relative;  // largest overlap over the smaller radius, at the last row of the log
} scree_run_progress;

// A frame to be drawn: spheres or outlines, the other is NULL. Borrowed for the call.
typedef struct scree_run_frame {
    const char* path;         // the PNG file to write
    const scree_sphere_set* spheres;
    const scree_outline_set* outlines;
    const scree_triangles* surfaces;  // count 0: none
    double view[3][2];        // as in scree_picture_def
    int32_t threads;
} scree_run_frame;

typedef struct scree_run_def {
    uint32_t struct_size;   // filled by the default function; lets this struct grow between versions
    int32_t method;         // scree_method in place of the scene's; -1: the scene's
    int32_t threads;        // 0: all cores
    bool force;             // begin even if the folder holds something; files of an earlier run are removed
    bool verify;            // compares the contacts of every step with all pairs (slow)
    bool (*tell)(void* context, const scree_run_progress* progress);  // some times a second; false: stop. NULL: nobody wants to know
    void* context;
    double until;           // scree_run_resume: the time at which the run ends, in place of the scene's; 0: as the scene says
    int64_t until_steps;    // the same as a number of steps; 0: as the scene says. At most one of the two
    int32_t device;         // scree_device that does the steps of spheres (scree/device.h); NONE. No result depends on it. UNSUPPORTED: it is not there, or cannot do something
                            // that the scene asks for
    scree_status (*draw)(const scree_run_frame* frame);  // draws the pictures of frames: scree_draw_frame of scree/report.h (library scree_show), or one's own.
                            // NULL: none, and a scene that asks for pictures or an animation is UNSUPPORTED
} scree_run_def;

SCREE_DEFAULTS(scree_run_def, scree_default_run_def)

typedef struct scree_run scree_run;

// Makes the spheres, the folder (whose parent must be there) and the first files. The scene is copied by writing and reading it: it is the caller's
// still. A scene with start_run begins from the newest complete checkpoint of that run, whose folder is read, not locked and not needed later; it must not be
// `folder` or inside of it. ARGUMENT: also a folder that is not empty, or in which another process runs; IO, FORMAT, MEMORY, CANCELLED. If it fails, the
// folder is as it was, an earlier run in it included. Folder NULL: a trial. The scene is checked in the same way and the run can be looked
// at (scree_run_sim, scree_run_steps), but there are no files, and it does not go; spheres that are to grow are at random instead, in a larger
// box.
SCREE_API scree_status scree_run_create(const scree_run_def* def, const scree_scene* scene, const char* folder, scree_run** out);

// How long the run would take, from a trial of its scene (folder NULL), which is some steps further afterwards: steps, frames, one picture and so on are
// timed, for about one second altogether, and multiplied. Creating the spheres, waiting for the disk, the report and the animation are not included. Steps at the
// start can be much quicker than later, when more spheres touch. ARGUMENT: not a trial, or what a step can fail with; MEMORY, CANCELLED.
typedef struct scree_run_costs {
    int64_t frames;           // that will be written
    double seconds_estimated; // the sum of the following
    double seconds_steps;
    double seconds_frames;    // files of frames and contacts
    double seconds_pictures;
    double seconds_other;     // rows of the log, checkpoints
} scree_run_costs;

SCREE_RESULT(scree_run_estimate, (scree_run* run, scree_run_costs* out), (run, out))

// Goes back to the last checkpoint in the folder that is whole. FORMAT: none is; ARGUMENT: another scene or version than the checkpoint's
// (the message names the difference), or another process runs there; IO, MEMORY.
// With def.until or def.until_steps the run ends there: scene.yaml gets the new time.end or time.steps, and the folder becomes, to the last bit, the one of a run
// that was asked for it at once (except for the camera of pictures, where walls move beyond the first end). A frame and a row of the log that are there only because
// the run ended, report.html and animation.mp4 are removed. ARGUMENT: the run is already beyond that step, or was stopped right at it; then nothing has changed.
SCREE_API scree_status scree_run_resume(const scree_run_def* def, const char* folder, scree_run** out);

// To the end. CANCELLED: `tell` said stop; a checkpoint was written. Whatever happens, the folder can be resumed; after CANCELLED, IO
// and MEMORY another call continues as well.
SCREE_API scree_status scree_run_go(scree_run* run);

SCREE_API void scree_run_destroy(scree_run* run);  // NULL is fine

SCREE_API scree_sim* scree_run_sim(scree_run* run);          // to look at; the run's own. NULL: the scene has bodies
SCREE_API scree_polygon_sim* scree_run_polygon_sim(scree_run* run);  // the same, of a scene with bodies; else NULL
SCREE_API uint64_t scree_run_hash(const scree_run* run);     // of the simulation, as scree_sim_hash
SCREE_API const scree_scene* scree_run_scene(const scree_run* run);  // its own copy, of a trial too; with start_run it has the groups and materials of the other run
// As scree_sim_measure, with the work of earlier parts. In a scene with bodies pressure, stress and max_overlap_relative are 0, and
// energy_kinetic includes the rotation, so that energy_rotation is 0: scree_run_polygon_sim knows more.
SCREE_RESULT(scree_run_measure, (scree_run* run, scree_sim_report* out), (run, out))
// As scree_sim_get_boundaries, with forces, torques and power as in the last row of the log: also right after a resume, when the simulation does not know the velocities
// that damped forces were made of. Of a trial: the current ones. 0: the scene has bodies; below 0: no memory.
SCREE_ROWS(scree_run_get_boundaries, (scree_run* run, scree_sim_boundary_report* out, int32_t room), (run, out, room))

// What the scene leads to for two materials that can meet: for the lightest spheres of them, or the lightest of one and a wall or fixed sphere of the other.
typedef struct scree_run_pair {
    char names[2][65];         // of the materials; "" where all push each other in the same way
    int64_t i, j;              // these spheres; j is -1 for a wall or a fixed sphere
    double young, shear;       // effective moduli E* and G*; 0 with laws that do not depend on them
    double stiffness;          // k, of plastic k1; hertz, jkr and dmt: at the largest overlap of two that meet with contact.speed
    double tangential_stiffness;  // k_t, at the same; 0: no friction
    double restitution;        // at that speed; 0: they creep apart
    double friction, friction_dynamic;
    double contact_duration;
    double overlap_expected;   // of two that meet with contact.speed, over the smaller radius (linear springs: without damping); 0: no speed is given
    double rolling_friction, rolling_stiffness;    // mu_r and k_r, at the same; 0: no resistance to rolling
    double twisting_friction, twisting_stiffness;  // twisting: spring: a length, and torque per radian; 0: none
    double k2, kc;             // plastic: stiffness of unloading at full depth, strength of cohesion; else 0
    double bridge_pull, bridge_gap;  // liquid bridges: force while they touch, and gap at which a bridge breaks; 0: none
} scree_run_pair;

// How many pairs there are, 64 at most; the first `room` of them are written to `out` (NULL: none). 0: the scene has bodies.
SCREE_ROWS(scree_run_get_pairs, (const scree_run* run, scree_run_pair* out, int32_t room), (run, out, room))

// What went wrong without ending the run: at some step an overlap was above SCREE_RUN_OVERLAP_MOST of the smaller radius. "" if nothing did.
SCREE_API const char* scree_run_warning(const scree_run* run);

// What a run knows beside its simulation and its scene, at this moment. Pointers are valid until the next call with the run.
typedef struct scree_run_facts {
    const char* folder;       // NULL: a trial
    int64_t step, steps;      // done, and total
    double time, end;         // of the simulation, after each of these
    scree_status ended;       // how scree_run_go came back last,
    const char* why;          // and the message of that failure; ""
    int64_t checkpoints[2];   // steps of the checkpoints in the folder, newest first; -1: none
    int64_t frames;           // written so far
    const char* scene_text;   // as in scene.yaml
    int64_t scene_length;     // bytes
    bool bodies;              // it is one of bodies, not of spheres
    int32_t count, dim;       // of spheres or bodies
    scree_box box;            // at the very start: walls may have moved since
    int32_t container;        // scree_container_kind that it bounds
    double volume;            // of all spheres
    double material_density;  // of spheres,
    const double* material_densities;  // or of each of them, by row; NULL: all have the one above
    bool flow, bonds;         // spheres come and go; there are bonds
    bool energies;            // energies, dissipation and work are added up (scree_run_balance)
    int32_t step_lengths;     // how many different ones follow each other; 1: the step stays the same
    int32_t threads;
    const scree_sim_report* last;  // the state at the last row of the log
    int32_t tallies;          // counts of what came and went, by inlet and outlet (scree_run_tally)
} scree_run_facts;

SCREE_RESULT(scree_run_get_facts, (const scree_run* run, scree_run_facts* out), (run, out))
// The sum of all energies and of all that is dissipated, less the work of walls, gravity and forces: it stays as it is. 0 for NULL.
SCREE_API double scree_run_balance(const scree_sim_report* report);
SCREE_API int64_t scree_run_tally(const scree_run* run, int32_t n, const char** name);  // number n of them, and its name; -1: there is none

// The spheres as the next frame would have them, with all its columns. Of the run, valid until the next call with it. ARGUMENT: the scene has bodies; MEMORY.
SCREE_API scree_status scree_run_get_spheres(scree_run* run, const scree_sphere_set** out);

// ---- Summary --------------------------------------------------------------------------------------------------------
// The quantities of a run by name: what `scree run` prints as text and JSON, and what report.html shows. Keys, units and meaning are as in --json (output.schema.json).

typedef enum scree_topic {
    SCREE_TOPIC_SYSTEM = 0,   // how many spheres or bodies, and the run that it starts from
    SCREE_TOPIC_STATE,        // step, time, energies, momentum, contacts, overlaps, hash
    SCREE_TOPIC_STRESS,
    SCREE_TOPIC_BOUNDARIES,   // forces and torques of the spheres on each wall and surface, and the power that it gives to them
    SCREE_TOPIC_WORK,         // seconds, memory, rebuilds
    SCREE_TOPIC_DERIVED,      // what the scene leads to: sizes, masses, box, stiffness, step
} scree_topic;

typedef struct scree_quantity {
    const char* key;          // for example "energy_kinetic"
    int32_t topic;            // scree_topic
    int32_t count;            // of values; of a text 1
    const double* values;     // count; or NULL, and then
    const int64_t* integers;  // count; or NULL, and then
    const char* text;
    const char *unit, *note;  // for people; "": none
    double share;             // of a sum that it is part of, 0 .. 1; negative: of none
    bool vector;              // a list, even if it has one value: a torque in 2D
} scree_quantity;

typedef struct scree_run_summary scree_run_summary;

// Measures the state once, O(spheres + contacts). A state that does not allow it (scree_run_measure) has the quantity "not_measured" with the reason, and no others of STATE, STRESS and
// BOUNDARIES. MEMORY.
SCREE_API scree_status scree_run_summary_create(scree_run* run, scree_run_summary** out);
SCREE_API void scree_run_summary_destroy(scree_run_summary* summary);  // NULL is fine
SCREE_API int32_t scree_run_summary_count(const scree_run_summary* summary);
// Of the summary, valid until it is destroyed. NULL: there is none.
SCREE_API const scree_quantity* scree_run_summary_get(const scree_run_summary* summary, int32_t k);
SCREE_API const scree_quantity* scree_run_summary_find(const scree_run_summary* summary, const char* key);

// Columns of log.csv over time, thinned out where the log is long: of each stretch of rows the least and the largest value stay, so that no peak is lost.
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

SCREE_API int64_t scree_run_steps(const scree_run* run);     // total
SCREE_API double scree_run_end(const scree_run* run);        // the time after all of them, of the simulation
SCREE_API double scree_run_seconds(const scree_run* run);    // of wall clock so far, earlier parts of the run included
// Before the first step: of meshes the triangles that were left out and the vertices that were welded; after a resume which checkpoint, and why not a later one. Lines; "" if nothing.
SCREE_API const char* scree_run_note(const scree_run* run);

#ifdef __cplusplus
}
#endif
#endif
