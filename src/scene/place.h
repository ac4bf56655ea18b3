// For code that uses a scene: the positions of its values in the file, for errors that are found only then (a missing file, spheres that do not fit).
#ifndef SCREE_SCENE_PLACE_H
#define SCREE_SCENE_PLACE_H

#include "scene/content.h"

// Whether all keys have the same values in both. MEMORY.
scree_status scree_scene_compare(const scree_scene* a, const scree_scene* b, bool* same);

bool scree_scene_says_contact(const scree_scene* scene);  // anything of the contact
#define SCENE_PART_BRIDGE 0x1000u
uint32_t scree_scene_parts(const scree_scene* scene);     // beside the normal force: equal where contacts of the same law remember the same
bool scree_scene_is_elastic(const scree_scene* scene);     // contacts depend on Young's moduli
bool scree_scene_has_energies(const scree_scene* scene);  // whether output.energies or auto selects them
bool scree_scene_rubs(const scree_scene* scene);          // whether a pair has friction, at the start or by a change
bool scree_scene_turns(const scree_scene* scene);         // whether contacts or bonds turn spheres

// Whether a change sets the velocities of both walls of an axis: those that it names, or all, if it names none and has no loads of walls.
bool scree_scene_names_wall(const scree_scene_change* change, int axis);
const char* scree_scene_face_key(int face);  // walls.lower_x, walls.upper_x, ...

// Lists of loads, with all that they own. MEMORY
void scree_scene_loads_free(scree_scene_load* loads, int32_t count);
scree_status scree_scene_loads_copy(const scree_scene_load* from, int32_t count, scree_scene_load** out);

// scree_scene_make_law for the bodies of a scene, spheres included, in this box. ARGUMENT, MEMORY.
scree_status scree_scene_make_body_law(const scree_scene* scene, const scree_box* box, int32_t count, const scree_body* bodies, scree_scene_law* out);

// How many entries of the file have the key; 0 also of a scene that was not read from a file.
int64_t scree_scene_gives(const scree_scene* scene, const char* path);

// Puts the place of a key in front of the current error message: "silo.yaml:7:22: spheres.file: ...". `entry` counts from 0 in a list of maps, -1: none.
// For a key that the file does not have it is the place of the map in which the key would be; a scene that was not read has no places. MEMORY, CANCELLED and SCREE_OK
// are left alone, and so is a message that already names a place. Returns `status`.
scree_status scree_scene_locate(const scree_scene* scene, scree_status status, const char* path, int64_t entry);

// The same for a place that the caller has kept; line 0: none. An error of memory is left alone.
scree_status scree_scene_blame(const scree_scene* scene, scree_status status, const char* path, int32_t line, int32_t column);

// As scree_scene_locate, with a message of its own.
scree_status scree_scene_fail_at(const scree_scene* scene, scree_status status, const char* path, int64_t entry, const char* format, ...) SCREE_PRINTF(5, 6);

#endif
