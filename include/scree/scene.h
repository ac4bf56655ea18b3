// scree/scene.h: scenes, short YAML files that describe a simulation.
//
//     scree_scene* scene;
//     if (scree_read_scene("silo.yaml", &scene) != SCREE_OK)
//         puts(scree_error_message());                 // silo.yaml:7:14: dimension is '4'; expected a whole number (2 to 3)
//     scree_run_create(&def, scene, "silo", &run);      // scree/run.h: a run with its folder; or the spheres and the def of a simulation, for scree_sim_create
//     scree_scene_destroy(scene);
//
// The keys, their units, ranges and defaults are in docs/scene.md, and in scree_scene_keys for programs.
// Errors are reported as file:line:column: the key, what was found, what was expected. Lines and columns (characters) count from 1.
#ifndef SCREE_SCENE_H
#define SCREE_SCENE_H

#include "scree/files.h"
#include "scree/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_scene scree_scene;

// Reads a scene; "-" is standard input. IO, MEMORY;
// FORMAT, with the place, for all errors in the file: invalid YAML, unknown or repeated keys, invalid values, keys
// that are missing or exclude each other, changes after time.end. Files that the scene names are not opened. Time O(bytes), files up to 4 MiB.
SCREE_API scree_status scree_read_scene(const char* path, scree_scene** out);

// The same with `count` settings, each a key and its new value as in YAML: "contact.friction=0.4", "gravity=[0, -9.81]". Entries of lists go by number, from 1,
// or by name: "spheres.2.count=100", "surfaces.drum.material=steel". "time.end=" takes a key away.
SCREE_API scree_status scree_read_scene_with(const char* path, int32_t count, const char* const* settings, scree_scene** out);

// The same from memory, as if it were the file `name`.
SCREE_API scree_status scree_scene_parse(const char* name, const char* text, size_t length, scree_scene** out);

SCREE_API void scree_scene_destroy(scree_scene* scene);  // NULL is fine

// Writes all keys that apply to this scene, defaults included; "-" is standard output. Reading it gives the same scene,
// numbers bit for bit. Relative names of files are kept if the new file is in the directory of the scene, and
// otherwise become absolute. ARGUMENT: an invalid scene, with the message that reading it would give. IO, MEMORY. The old file is
// replaced when the new one is complete, or not at all.
SCREE_API scree_status scree_write_scene(const char* path, const scree_scene* scene);

SCREE_API scree_status scree_scene_set_seed(scree_scene* scene, uint64_t seed);  // replaces `seed` of the file
SCREE_API scree_status scree_scene_set_threads(scree_scene* scene, int32_t threads);  // for scree_scene_make_spheres and the def of a setup; 0: all cores. ARGUMENT: below 0

// Reads the tables of all loads that come from files (rows). IO, FORMAT with the place in the file or in the scene, MEMORY. A run does this; scree_write_scene then writes the rows.
SCREE_API scree_status scree_scene_read_tables(scree_scene* scene);

// ---- Content of a scene ----------------------------------------------------------------------------------------------
// Texts and pointers are owned by the scene and valid as long as it exists.

typedef enum scree_place {  // initial positions of generated spheres
    SCREE_PLACE_LATTICE = 0,
    SCREE_PLACE_RANDOM,  // random sequential addition
    SCREE_PLACE_GROW,    // as points that grow while they move
    SCREE_PLACE_COUNT
} scree_place;

typedef struct scree_scene_facts {
    int32_t dim;
    int32_t container;        // scree_container_kind
    scree_box box;            // at the start; open where has_box is false
    bool has_box;             // the scene has its size. Otherwise it follows from a density, or from a file of spheres
    bool walls_move;          // walls of the box, at the start or by a change
    bool grows;               // spheres are placed as points that grow (SCREE_PLACE_GROW)
    double density;           // volume fraction of the spheres, the sum over all entries; 0: not given
    int64_t groups;           // entries of spheres; a single map is one
    int64_t materials, pairs, surfaces, bodies, inserts, outlets, loads, changes;  // entries of each of these
    const char* start_run;    // the folder of the run from which it begins, as written; NULL: none
    int64_t start_step;       // the step of that run; -1: its newest checkpoint
    double end;               // time; 0: by steps
    int64_t steps;            // -1: by end
    uint64_t seed;
    bool animation;           // of the pictures, at the end of a run
    bool friction;            // contacts of some pair of materials have friction, at the start or by a change
    int64_t bonds;            // entries
} scree_scene_facts;

// O(changes). ARGUMENT: NULL.
SCREE_RESULT(scree_scene_get_facts, (const scree_scene* scene, scree_scene_facts* out), (scene, out))

// An entry of `spheres`, or the single map.
typedef struct scree_scene_group_facts {
    const char* name;         // NULL: none
    const char* file;         // of spheres, where it is; NULL: they are made
    const char* sizes;        // size distribution as written; NULL: from a file
    int32_t count;            // 0: the number in the file, or as many as the density requires
    int32_t place;            // scree_place
    int32_t material;         // number of the entry of `materials`; -1: each sphere has its own, in the column "material" of the file
    double density;           // volume fraction in the box, or in the region of the entry; 0: not given
    bool fixed;
} scree_scene_group_facts;

// ARGUMENT: there is no such entry.
SCREE_RESULT(scree_scene_get_group, (const scree_scene* scene, int64_t n, scree_scene_group_facts* out), (scene, n, out))

// An entry of `changes`, by its time.
typedef struct scree_scene_change_facts {
    double at;                // time; INFINITY: it has a condition, which is not met yet, or comes after such a one
    bool sets_contacts;       // contact, pairs, materials, and the materials of walls and surfaces
    bool sets_flow;           // insert and outlets
    bool sets_gravity;
    double gravity[3];
    double time_step;         // length of the steps from then on, where it sets time.step; 0: it does not, or by the rule
} scree_scene_change_facts;

// ARGUMENT: there is no such entry.
SCREE_RESULT(scree_scene_get_change, (const scree_scene* scene, int64_t n, scree_scene_change_facts* out), (scene, n, out))

// An entry of `surfaces`: an exact shape or a mesh.
typedef struct scree_scene_surface_facts {
    const char* name;         // NULL: none
    const scree_exact* exact; // NULL: a mesh
    const char* mesh;         // the file of triangles, where it is; NULL: none
    double scale;             // of the mesh
    bool moves;               // it has a velocity, or the scene has loads or changes, which may move it. A surface that only spins does not
} scree_scene_surface_facts;

// ARGUMENT: there is no such entry.
SCREE_RESULT(scree_scene_get_surface, (const scree_scene* scene, int64_t n, scree_scene_surface_facts* out), (scene, n, out))

// Gravity at that time, as set by the scene and its changes; 0 along z in 2D. UNSUPPORTED: gravity rotates or is not constant. ARGUMENT: NULL.
SCREE_API scree_status scree_scene_get_gravity(const scree_scene* scene, double time, double gravity[3]);

// ---- The keys ----------------------------------------------------------------------------------------------------
typedef struct scree_scene_key {
    const char* path;     // "contact.stiffness"
    const char* kind;     // "number", "whole number", "word", "text", "numbers" (one per axis), ...
    const char* unit;     // "force/length"; "" if there is none
    const char* standard; // default; "" if there is none
    const char* range;    // "above 0", or the allowed words; "" if there is no restriction
    const char* meaning;  // one line
    const struct scree_scene_field* field;  // internal
} scree_scene_key;

// All keys, keys of a map after the map, in the order in which they are written. Below `changes`, `bodies`, `materials`, `pairs`, `bonds` and `surfaces` are the keys of
// each entry, and below `spheres` the keys of the map or of each entry of a list.
SCREE_API const scree_scene_key* scree_scene_keys(int32_t* count);

// A key by its path, also one of a map that stands in several places: "walls.lower_z.servo.speed", "changes.contact.friction". ARGUMENT: there is none; the message has similar ones.
SCREE_API scree_status scree_scene_find_key(const char* path, const scree_scene_key** out);

// The n-th key directly inside a map or a list of maps, from 0 on; NULL behind the last. Of the scene itself for NULL.
SCREE_API const scree_scene_key* scree_scene_key_inside(const scree_scene_key* key, int32_t n);

// When the key may be there, in words: "with bodies", "with contact.law hertz, jkr, dmt, without materials"; "" always. Cut to `size` bytes, the closing '\0' included. ARGUMENT: NULL.
SCREE_API scree_status scree_scene_key_condition(const scree_scene_key* key, char* text, size_t size);

// Writes a JSON Schema (2020-12) of scene files, for editors; "-" is standard output. It knows names, kinds, ranges and exclusions; docs/scene.md lists what it does not see. IO, MEMORY.
SCREE_API scree_status scree_write_scene_schema(const char* path);

#ifdef __cplusplus
}
#endif
#endif
