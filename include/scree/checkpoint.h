// scree/checkpoint.h: the state of a simulation in a file, from which it continues as if it had never been stopped (library scree_files).
//
//     scree_checkpoint saved = {0};
//     scree_checkpoint_save(sim, &saved);
//     scree_checkpoint_set_scene(&saved, text, length);
//     scree_checkpoint_set_integer(&saved, "frames", 12);
//     scree_write_checkpoint("run/checkpoint.npz", &saved);
//     ...
//     scree_read_checkpoint("run/checkpoint.npz", &saved);
//     scree_checkpoint_restore(&saved, sim);              // made from the same scene
//     scree_checkpoint_free(&saved);
//
// The file is a .npz, which numpy.load opens, with a seal: its length and a checksum over all bytes (docs/run.md). Writing never damages existing
// files (scree/files.h). Reading verifies the checksum first.
#ifndef SCREE_CHECKPOINT_H
#define SCREE_CHECKPOINT_H

#include "scree/base.h"
#include "scree/polygon.h"
#include "scree/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// The newest version of the format: with exact shapes and meshes as boundaries, with loads, with inserted or removed spheres, or with a cell that
// changes. Without these, version 7 is written if there are bonds; else version 6 with sums of energies; else version 5 with memory of
// contacts or motions of boundaries; else version 4. All are read; scree 0.1 had versions 1 to 3
#define SCREE_CHECKPOINT_VERSION 8
#define SCREE_CHECKPOINT_NUMBERS 128  // largest number of progress numbers
#define SCREE_CHECKPOINT_COLUMNS 24  // largest number of columns
#define SCREE_CHECKPOINT_WORDS 16    // largest number of values in the memory of a contact
#define SCREE_CHECKPOINT_SUMS 32     // largest number of sums of energies
#define SCREE_CHECKPOINT_NAME 32     // bytes of a name, with its '\0'

// Progress of the caller: "frames", "log_bytes", "seconds". Names are of a-z, 0-9 and _.
typedef struct scree_checkpoint_number {
    char name[SCREE_CHECKPOINT_NAME];
    bool whole;       // true: `integer` is used, else `value`
    int64_t integer;
    double value;
} scree_checkpoint_number;

// The values of all spheres in one column of a simulation (scree/sim.h), by id.
typedef struct scree_checkpoint_column {
    char name[SCREE_CHECKPOINT_NAME];
    int32_t type;        // scree_type
    int32_t components;
    void* data;          // count * components
} scree_checkpoint_column;

// The memory of contacts (scree_sim_memory), for laws that have one.
typedef struct scree_checkpoint_memory {
    char law[SCREE_CHECKPOINT_NAME];  // name of the contact law
    int32_t words;           // numbers per contact; 0: no memory, and all other members are 0 or NULL
    bool periodic;           // there are shifts
    int64_t count;           // of contacts, by (i, j, shift), contacts with boundaries last
    int64_t (*ij)[2];
    int8_t (*shift)[3];      // NULL when no axis is periodic
    double* values;          // count * words, seen from i
    int64_t ij_capacity, shift_capacity, value_capacity;
    bool featured;           // there are features,
    int32_t* feature;        // one for each contact, as scree_sim_memory has them; else NULL
    int64_t feature_capacity;
} scree_checkpoint_memory;

// The motion of boundaries other than the walls of the box (scree_sim_motion).
typedef struct scree_checkpoint_motions {
    int32_t count;
    double (*at)[3];
    int64_t* since;
    double (*velocity)[3], (*spin)[3];
    bool turned;             // some are exact shapes or meshes,
    double (*turn)[9];       // with rotation matrices; else NULL
} scree_checkpoint_motions;

// Bonds (scree_sim_bonds).
typedef struct scree_checkpoint_bonds {
    int64_t count;           // 0: no bonds, and all other members are 0 or NULL
    bool periodic;           // there are shifts
    int64_t (*ij)[2];
    int8_t (*shift)[3];      // NULL when no axis is periodic
    int32_t* kind;
    double *length, *values, *released;
    int64_t* broken_at;
    uint8_t* cause;
    double sums[2];          // dissipated, dissipated_next
} scree_checkpoint_bonds;

// Inserted and removed spheres (scree_sim_flow), and further counts of the caller.
typedef struct scree_checkpoint_flow {
    int64_t count, sum_count;  // 0: none, and both arrays are NULL; else at least 3 and 6
    int64_t* counts;         // next_id, inserted, removed; then counts of the caller
    double* sums;            // mass inserted and removed, energy inserted and removed, gravity inserted and removed; then sums of the caller
} scree_checkpoint_flow;

// A zeroed checkpoint is empty. It owns its arrays (scree_malloc, scree_free).
typedef struct scree_checkpoint {
    int32_t format_version;  // of the file that was read ...
    char library[32];        // ... and the scree_version() that wrote it; ignored when writing
    int32_t count;
    int32_t dim;
    int32_t integrator;      // scree_integrator
    double time_step;
    uint64_t hash;           // of step, x, v and memory: scree_sim_hash
    int64_t step;
    scree_sim_walls walls;
    double giant_radius, force_quantum;  // as scree_sim_numbers has them
    int32_t column_count;
    scree_checkpoint_column columns[SCREE_CHECKPOINT_COLUMNS];  // x, v and all other columns of the simulation
    char* scene;             // the scene with all defaults, as text, ended by '\0'; NULL: none
    int64_t scene_length;    // bytes without the '\0'
    int32_t number_count;
    scree_checkpoint_number numbers[SCREE_CHECKPOINT_NUMBERS];

    // For a simulation of bodies (scree/polygon.h); there are then no columns, but count, dim (2), time_step and hash are set.
    bool has_bodies;
    scree_polygon_sim_state bodies;  // with all arrays; its memory, if they have friction, is in `memory`
    double* r;               // count: of discs; else 0
    int32_t* shape;          // count: numbers in `shapes`; -1: discs
    int32_t* fixed;          // count: 1 or 0
    double* density;         // count: as scree_body has it
    scree_shapes shapes;     // as drawn

    scree_checkpoint_memory memory;  // of bodies several of a pair, as scree_polygon_sim_get_memory has them; their law is "friction"
    scree_checkpoint_motions motions;  // of a simulation of spheres
    bool has_materials;      // bodies have materials: not all are 0
    int32_t* material;       // count: of bodies, as in scree_body; NULL: spheres
    int32_t account_count;   // sums of energies: of scree_sim_def.energies; of bodies SCREE_POLYGON_ACCOUNTS; 0: none
    double account[SCREE_CHECKPOINT_SUMS];  // as scree_sim_state has them, or scree_polygon_sim_state
    scree_checkpoint_bonds bonds;  // of a simulation of spheres
    int64_t load_count;      // numbers of its loads (scree_sim_state); 0: none
    double* loads;
    int64_t load_capacity;
    scree_checkpoint_flow flow;    // the same
    bool has_cell;           // of a simulation of spheres whose cell changes: scree_sim_state.cell
    scree_sim_cell_state cell;
    scree_sim* sim;          // scree_checkpoint_attach: has the values of the columns; NULL: they are here
} scree_checkpoint;

// Copies the state of a simulation; scene and numbers are kept, and arrays of the right size are reused.
// `out` is zeroed or a checkpoint that was used before. 104 bytes per sphere, in 2D 80; position Verlet 128 and 96; external forces as much again as positions; 16 bytes
// per contact with memory and 8 per number, with periodic axes 3 more; 101 per bond. ARGUMENT: the simulation was interrupted within a step. MEMORY.
// After a failure `out` is unchanged.
SCREE_API scree_status scree_checkpoint_save(scree_sim* sim, scree_checkpoint* out);

// As scree_checkpoint_save, but the columns stay in the simulation, and scree_write_checkpoint reads them from there, some rows at a time. The simulation must not be changed or destroyed until then. A large simulation
// therefore needs no memory for a copy, and a simulation of several processes (scree/par.h) is never collected in one of them. Only scree_write_checkpoint accepts such a checkpoint. If spheres were inserted or
// removed, the columns are copied nevertheless.
SCREE_API scree_status scree_checkpoint_attach(scree_sim* sim, scree_checkpoint* out);

// Sets the state of a simulation. ARGUMENT: another count, dimension, integrator, time step, radius, contact law with memory or number of boundaries (the
// message names the first difference), a hash that does not match the state, or what scree_sim_set_state rejects; the simulation is then unchanged. MEMORY.
SCREE_API scree_status scree_checkpoint_restore(const scree_checkpoint* checkpoint, scree_sim* sim);

// The same for a simulation of bodies, with the shapes and bodies that it was made of (their positions and motion are ignored).
SCREE_API scree_status scree_checkpoint_save_bodies(scree_polygon_sim* sim, const scree_shapes* shapes, const scree_body* bodies,
                                                    scree_checkpoint* out);
// A checkpoint of scree 0.1 or 0.2 has bodies with sharp corners: where the simulation has rounded ones, positions
// and velocities are moved to their centres of mass, and contacts begin without memory.
SCREE_API scree_status scree_checkpoint_restore_bodies(const scree_checkpoint* checkpoint, scree_polygon_sim* sim);

// The bodies of such a checkpoint, `count` of them, at its step. A simulation that is created from them and checkpoint->shapes can restore the checkpoint.
SCREE_API scree_status scree_checkpoint_get_bodies(const scree_checkpoint* checkpoint, scree_body* bodies);  // ARGUMENT: a checkpoint of spheres

// Further numbers after the ones in checkpoint->flow; replaces earlier ones. Of a checkpoint without flow they follow zeros. MEMORY: it is as it was.
enum { SCREE_CHECKPOINT_FLOW_COUNTS = 3, SCREE_CHECKPOINT_FLOW_SUMS = 6 };
SCREE_API scree_status scree_checkpoint_set_flow(scree_checkpoint* checkpoint, int64_t count, const int64_t* counts, int64_t sum_count, const double* sums);

// A copy of the text. ARGUMENT: it holds a NUL byte, or more than 2^30 bytes. MEMORY.
SCREE_API scree_status scree_checkpoint_set_scene(scree_checkpoint* checkpoint, const char* text, int64_t length);

// Adds a number or replaces the one of that name. ARGUMENT: an invalid name, or too many.
SCREE_API scree_status scree_checkpoint_set_integer(scree_checkpoint* checkpoint, const char* name, int64_t integer);
SCREE_API scree_status scree_checkpoint_set_value(scree_checkpoint* checkpoint, const char* name, double value);
SCREE_API const scree_checkpoint_number* scree_checkpoint_find(const scree_checkpoint* checkpoint, const char* name);  // NULL: none

// The values of a column, of that type; NULL: there is no such column, or it is of another type.
SCREE_API const void* scree_checkpoint_get_values(const scree_checkpoint* checkpoint, const char* name, scree_type type);

// All bits are kept. ARGUMENT: a checkpoint that is inconsistent (dimension, arrays missing, numbers, hash). IO names the path and the system's
// reason; MEMORY. After a failure the file is as it was before. Memory: a buffer of 1 MiB.
SCREE_API scree_status scree_write_checkpoint(const char* path, const scree_checkpoint* checkpoint);

// The checkpoint is the caller's (scree_checkpoint_free); what *out held before is ignored and not freed.
// FORMAT: it is no checkpoint, was cut short or altered, or has another format version (scree 0.1 wrote HDF5): the message says which. IO, MEMORY.
// Memory: the file as a whole beside the arrays that come out.
SCREE_API scree_status scree_read_checkpoint(const char* path, scree_checkpoint* out);

SCREE_API void scree_checkpoint_free(scree_checkpoint* checkpoint);  // and empties it; NULL or an empty one is fine

#ifdef __cplusplus
}
#endif
#endif
