// What a scene holds. Programs have it as an object (scree/scene.h); the rooms of files and runs, and the tests, look at it here.
#ifndef SCREE_SCENE_CONTENT_H
#define SCREE_SCENE_CONTENT_H

#include "scree/loads.h"
#include "scree/polygon.h"
#include "scree/scene.h"
#include "scree/sim.h"

typedef enum scree_start {  // velocities at the start
    SCREE_START_ZERO = 0,
    SCREE_START_THERMAL,  // by chance: scree_thermal_velocities
    SCREE_START_FILE,     // the column of the file
    SCREE_START_GIVEN,    // one for all
    SCREE_START_COUNT
} scree_start;

typedef enum scree_start_at {  // which state of another run a scene begins from
    SCREE_START_AT_LAST = 0,   // that of its newest complete checkpoint
    SCREE_START_AT_COUNT
} scree_start_at;

typedef enum scree_region_kind {
    SCREE_REGION_NONE = 0,
    SCREE_REGION_BOX,
    SCREE_REGION_CYLINDER,  // with flat ends; 3D only
    SCREE_REGION_SPHERE,    // in 2D a circle
    SCREE_REGION_HALF,      // what lies beyond a plane (2D: a line); for outlets
    SCREE_REGION_MESH,      // inside a closed surface; for spheres of the start
    SCREE_REGION_DISC,      // flat and round (2D: a line), centres are on it; for insert
    SCREE_REGION_COUNT
} scree_region_kind;

// An external force on each sphere of a group.
typedef struct scree_scene_force {
    int32_t group;           // -1: the group has a name only, because the scene begins from another run and does not know its groups yet
    double force[3];
    char* name;              // of that group; NULL where `group` is known
} scree_scene_force;

// A load (scree/loads.h) as a scene says it.
enum { SCREE_SCENE_FREEZE = SCREE_LOAD_COUNT, SCREE_SCENE_RELEASE };  // further kinds, not in scree_load: of groups, without a value
enum { SCREE_SCENE_MATERIAL = SCREE_SCENE_RELEASE + 1 };  // of boundaries: target is what from then on is of the material value.value[0]
enum { SCREE_SCENE_SURFACE = 1 << 20 };  // the boundary of entry n of `surfaces` is this + n, until it is known how many boundaries are before it

typedef struct scree_scene_load {
    scree_sim_load load;     // kind, target, value and the numbers of a servo. A group is -1 where it has a name only (below)
    double* rows;            // of the table of its value; NULL: it is no table, or not read yet
    char* file;              // of the table, as written; NULL: the rows are in the scene
    char* file_path;         // where it is
    char key[160];           // and the value in the scene that names it: its path, line and column; line 0: not from a file
    int32_t line, column_of_key;
    int32_t columns;         // values of a row of the table, and
    int32_t first;           // which of the three is the first of them
    char* name;              // of the group, where `load.target` is not known yet
} scree_scene_load;

// How the periodic cell changes. NAN: not given.
typedef struct scree_scene_cell {
    double shear;            // rate of strain[SCREE_CELL_XY]
    double strain[SCREE_CELL_COUNT];
    double pressure;         // target of all axes together,
    double stress[3];        // or of single ones
    double rate, response;   // of the control
    bool constant_volume;
} scree_scene_cell;

// Something that is set while the simulation runs; what is not set continues as it was.
// What must hold of quantities of the log: all of the terms.
typedef struct scree_scene_term {
    char* name;
    double limit;
    bool above;              // it must be above the limit; else below
} scree_scene_term;

typedef struct scree_scene_condition {
    int32_t count;           // 0: there is no condition
    scree_scene_term* terms;
    int64_t every_steps;     // it is looked at at multiples of these
} scree_scene_condition;

typedef struct scree_scene_change {
    double at;               // time; NAN: it has a condition
    scree_scene_condition when;
    double met;              // the time at which that was fulfilled; NAN: not yet
    double due;              // when the change happens: at or met, and not before the changes before it; INFINITY: not known yet
    bool sets_gravity, sets_turn, sets_walls, sets_force;
    double gravity[3];
    double gravity_turn[3];
    double wall_velocity[3][2];  // all of them: walls that the change does not name keep the velocity they had before it
    int32_t force_count;         // groups that it names; the others keep their force
    scree_scene_force* forces;   // in the order of the file; the groups have names
    bool names_walls[3];         // axes whose wall velocities it names; the others continue as they do
    int32_t load_count;          // what it says beside constants, in the order of the file
    scree_scene_load* loads;
    bool sets_cell;
    scree_scene_cell cell;
    int32_t wall_material;       // of walls that have none of their own; -1: as before
    bool sets_contacts, sets_flow, sets_output;  // contact, pairs, materials and what walls and surfaces are made of; insert and outlets; output and checkpoint
    char* said;                  // what it says of these but walls and surfaces, as lines of YAML; NULL: nothing
    struct scree_scene* scene;   // with any of them: the whole scene as it is from then on, without its changes; NULL: as before
    bool sets_time;              // time.step, which scene->sim.time_step has; then there is a scene
} scree_scene_change;

// A part of space. What its kind does not need is NAN in the first place, or 0.
typedef struct scree_scene_region {
    int32_t kind;            // scree_region_kind, by what is given
    double lower[3], upper[3];  // box; of insert it may be flat along one axis, and centres are in its plane
    double from[3], to[3];   // cylinder: the middles of its ends
    double at[3];            // sphere, disc: its centre; half: a point of the plane
    double radius;           // cylinder, sphere, disc
    double normal[3];        // half: the side that it points to is meant; disc: across it
    char* mesh;              // mesh: STL or VTP file as written; NULL: none
    char* mesh_path;         // where it is
    double scale;            // of the mesh; 0: 1
} scree_scene_region;

// Spheres that are inserted while it runs: an entry of `insert`. They are of a group of `spheres`: its sizes, material, force and spin.
typedef struct scree_scene_insert {
    char* name;              // unique; NULL: none
    int32_t group;           // number of the group
    scree_scene_region region;  // in which they lie as a whole
    double rate, mass_rate;  // spheres, or mass, per time; one or none is above 0. None: all at once
    int64_t count;           // at most this many; 0: no limit
    double start, end;       // times; end 0: as long as it runs
    double velocity[3];
    int64_t every_steps;     // when it is looked whether there is something to do (100)
    bool closed;             // nothing comes, until a change opens it
} scree_scene_insert;

// Where spheres are taken out: an entry of `outlets`.
typedef struct scree_scene_outlet {
    char* name;              // unique; NULL: none
    scree_scene_region region;  // of centres
    char* into;              // name of an entry of insert, in whose region they come back; NULL: they are removed
    int64_t every_steps;     // (100)
    bool closed;             // nothing goes, until a change opens it
} scree_scene_outlet;

// Some spheres: an entry of `spheres`, or what `spheres` says where it is a single map. Entry k of a list is group k.
typedef struct scree_scene_group {
    char* name;              // unique; NULL: none
    char* file;              // as written; NULL: made
    char* file_path;         // where it is: a relative name counts from the scene's directory
    int32_t count;           // of a file in a list: how many it must hold; 0: any number
    char* sizes;             // law as written; NULL: from a file
    char* sizes_text;        // for scree_read_sizes: the name of a table counts from the scene's directory
    int32_t sampling;        // scree_sampling
    double density;          // share of the box; 0: not given. The sum over all entries is what all spheres together fill. With a region: share of that, in place of count
    int32_t place;           // scree_place
    double spacing;          // of the lattice; 0: what fits the box
    int32_t material;        // number in `materials`; 0 where there are none; -1: each sphere has its own, in the column "material" of the file
    double material_density; // that of the material, where there are materials and it is known
    bool fixed;              // they do not move, whatever pushes them
    double force[3];         // external, on each of them
    int32_t start;           // scree_start
    double velocity[3];      // GIVEN
    double temperature;      // THERMAL: mean of m v^2 per axis; 0: by the rule
    double overlap;          // THERMAL: of the rule (0.01)
    double spin[3];          // at the start, in 2D [2] alone; [2] NAN: that of the columns of the file, or none
    scree_scene_region region;  // in which they are placed, and for which `density` counts; NONE: the box
} scree_scene_group;

// What spheres and bodies are made of: an entry of `materials`.
typedef struct scree_scene_material {
    char* name;
    double material_density; // mass per volume, in 2D per area
    double young;            // Young's modulus; 0: not given
    double poisson;          // Poisson's ratio; NAN: not given
    int32_t preset;          // 0: none; else 1 + the number of scree_scene_preset. What the entry does not have itself is that of the preset
} scree_scene_material;

// Materials that scenes know by name, from 0 on. The numbers are rounded values of handbooks, in SI units (docs/scene.md). NULL for an unknown number.
const scree_scene_material* scree_scene_preset(int32_t number);

// How two materials push each other: an entry of `pairs`.
typedef struct scree_scene_pair {
    int32_t between[2];      // numbers in `materials`; may be equal. -1: there is a name only, because the scene begins from another run and does not know its materials yet
    char* names[2];          // of the two materials; NULL where `between` is known
    scree_sim_pair values;   // NAN: not given; that of the contact for all then counts
} scree_scene_pair;

// Bonds between spheres: an entry of `bonds`. It begins as an entry of `pairs` does.
typedef struct scree_scene_bond {
    int32_t between[2];      // numbers in `materials`; -1 both and no names: any
    char* names[2];
    bool has_between;
    char* file;              // CSV with the columns i and j, as written; NULL: made by the gap
    char* file_path;         // where it is
    scree_sim_bond values;   // NAN: not given
} scree_scene_bond;

// A boundary of any shape: an entry of `surfaces`. Exactly one of the shapes is there.
typedef struct scree_scene_surface {
    char* name;              // unique; NULL: none
    bool has_plane, has_cylinder, has_cone, has_sphere, has_disc, has_mesh;
    scree_exact exact;       // plane, sphere, disc: as they are; cylinder and cone from exact.at, with exact.axis and exact.length as scree_scene_surface_shape has them
    scree_exact shape;       // where it is no mesh: what a simulation takes
    bool has_to, has_axis;   // cylinder, cone: where it ends; cylinder: without ends, along exact.axis
    double to[3];
    char* mesh;              // file of triangles, as written; NULL: none
    char* mesh_path;         // where it is
    double scale;            // of the mesh; NAN: 1
    int32_t material;        // number in `materials`; -1: not given
    char* material_name;     // where the scene does not know its materials yet; else NULL
    double velocity[3], spin[3], about[3];
    bool one_sided;
    int32_t on_crossing;     // 0: a sphere whose centre passes through it ends the run with an error; 1: it is removed
} scree_scene_surface;

typedef enum scree_scene_damping {  // contact.damping, where it is a word
    SCREE_DAMPING_AS_GIVEN = 0,  // it is a number, sim.damping; or whatever of damping, restitution and viscous_time is there
    SCREE_DAMPING_RESTITUTION,
    SCREE_DAMPING_VISCOELASTIC,
    SCREE_DAMPING_NONE,
    SCREE_DAMPING_COUNT
} scree_scene_damping;

// What `contact` says beside the numbers of sim.
typedef struct scree_scene_contact {
    scree_sim_pair values;   // for pairs without their own; NAN: not given. stiffness, damping and restitution are in sim
    double young, poisson;   // of spheres and walls, where there are no materials; 0 and NAN: not given
    int32_t damping;         // scree_scene_damping
    int32_t stiffness;       // 0: as sim has it; 1: from-young, the stiffness follows from Young's moduli and sim.speed
    int32_t tangential, rolling, twisting;  // 0: auto; else 1 + the number of the word: none, linear, mindlin; none, spring; none, spring, marshall
    bool pull;               // damping may pull (true)
    int32_t rule;            // of bodies: scree_polygon_rule
    double rounding;         // of their corners
    bool mix;                // pairs: mix. Pairs of different materials without a value have the geometric mean of the values of the two materials
} scree_scene_contact;

// Points of the plane.
typedef struct scree_scene_points {
    int32_t count;
    double* xy;  // 2 each
} scree_scene_points;

// Some bodies of one kind: an entry of `bodies`. What `has_...` denies has no meaning beside the rest.
typedef struct scree_scene_bodies {
    bool fixed;
    // Shape: exactly one of points, wall, shape and file is there.
    bool has_points, has_wall, has_shape, has_file;
    scree_scene_points points;   // vertices as drawn
    scree_scene_points wall;     // a chain; the wall lies to its right
    bool has_thickness;
    double thickness;
    int32_t shape;               // 0: a disc; else 1 + scree_shape_rule
    bool has_vertices, has_roughness, has_sizes;
    int32_t vertices;            // (8)
    double roughness;            // (0.5)
    char* sizes;                 // law of radii as written; NULL: the shape is drawn in its size
    char* sizes_text;            // for scree_read_sizes
    char* file;                  // of polygons, as written, and where it is; NULL: none
    char* file_path;

    // Places: `at`, `place`, or neither: as drawn.
    bool has_at, has_place, has_count, has_region;
    scree_scene_points at;       // free bodies: of the centre of mass; fixed ones: of the drawing's origin
    int32_t place;               // scree_place, LATTICE or RANDOM
    int32_t count;               // 0: one, or one for each polygon of the file
    double region[4];            // x and y of the lower corner and of the upper one. Without has_region: the box

    double angle, angle_spread;  // between angle - spread and angle + spread
    double velocity[3];          // 2 of them
    double spin;
    double material_density;     // 0: sim.material_density; where there are materials, that of the material
    int32_t material;            // number in `materials`; 0 where there are none
} scree_scene_bodies;

// Texts and arrays are the scene's; a text may be NULL where it says so.
struct scree_scene {
    char* directory;         // of the scene file, with its last '/'; "" if it has none; NULL in a default scene

    // Dimension (sim.box.dim), box, walls, gravity, material density, contact, step and order_every. sim.threads, sim.check and sim.watch are not in
    // the file.
    scree_sim_def sim;
    scree_index_def search;  // what sim.search points to after scene_read and scene_parse; a copy of the scene sets copy.sim.search =
                             // &copy.search. Runs and scree_write_scene use this member. Its cell_sizes points to `cell_sizes`
    double* cell_sizes;      // NULL: none
    int32_t law;             // contact.law, as scree_sim_law_name has it. sim.law has its name after scene_read and scene_parse; runs and
                             // scree_write_scene use this member

    // Box. With a size, sim.box is it, around sim.container. Without one it is made for the `density` that is asked for, or is that of the file, with the
    // file's container: then sim.box is open and the code that makes the spheres fills it in.
    double box_size[3];      // 0: not given
    double box_origin[3];
    double box_aspect[3];    // of a box made for a density: how its sides are to each other
    bool box_periodic[3];

    // Groups of spheres: entries of `spheres`, or what it says where it is a single map. There is at least one, unless there are bodies only; its memory is there then too.
    int64_t group_count;
    scree_scene_group* groups;
    bool listed;             // `spheres` is a list
    int64_t material_count;  // 0: there are no materials, only densities
    scree_scene_material* materials;
    int64_t pair_count;      // 0: one contact for all materials. Else scree_scene_make_law has what sim.law takes
    scree_scene_pair* pairs;
    int32_t wall_material;   // number in `materials`; -1: not given
    bool damps;              // sim.damping counts for pairs without a damping of their own, even if it is 0

    // Length: exactly one of them is there.
    double end;              // time; 0: by steps
    int64_t steps;           // -1: by end
    scree_scene_condition until;  // with which the run ends earlier

    // Output. Frames come at the start, at the end, and in between at most one of
    double output_every;         // time; 0: not by time
    int64_t output_every_steps;  // 0: not by steps
    uint32_t formats;            // of frames: SCREE_FORMAT_BIT(SCREE_FORMAT_VTP) | ...
    bool contacts;               // with each frame, as CSV; also as VTP if `formats` has it
    bool pictures;               // with each frame
    bool animation;              // of the pictures, at the end
    int64_t log_every_steps;     // 0: a row for each frame

    // Checkpoints: exactly one is above 0.
    double checkpoint_seconds;   // of the clock on the wall (60)
    int64_t checkpoint_steps;

    uint64_t seed;
    int64_t change_count;
    scree_scene_change* changes; // `at` rising

    // Polygons and discs beside the spheres or in their place (2D). Then the simulation is one of scree/polygon.h, with what sim says.
    int64_t body_count;          // entries
    scree_scene_bodies* bodies;

    struct scree_scene_places* places;  // the reader's own: lines and columns, for messages that come later. NULL: not read from a file

    // Another run from whose state this one begins, in place of spheres. The scene gets its groups and materials when the run begins
    // (scree_run_create); the scene.yaml of the new run has them, with start_step.
    char* start_run;         // its folder as written; NULL: none
    char* start_path;        // where it is: a relative name counts from the scene's directory
    int32_t start_at;        // scree_start_at
    int64_t start_step;      // of the checkpoint; -1: as start_at says
    double start_density;    // of all its spheres from now on; 0: as they were
    char* wall_name;         // of the material of walls, one of that run; NULL: wall_material has it

    scree_scene_contact contact;
    scree_sim_law own_law;   // what sim.law points to after scene_read and scene_parse, by its name alone: scree_scene_make_law has the rest. A copy
                             // of the scene sets copy.sim.law = &copy.own_law
    int32_t energies;        // output.energies: whether the log has what is dissipated and the work of walls, gravity and forces. 0: auto, all but plain linear
                             // contacts, which are much faster without; 1: true; 2: false
    int64_t bond_count;      // 0: none
    scree_scene_bond* bonds;
    int64_t surface_count;   // 0: none
    scree_scene_surface* surfaces;
    int32_t load_count;      // from the start: motions of walls, drag, local damping
    scree_scene_load* loads;
    int64_t insert_count;    // 0: none
    scree_scene_insert* inserts;
    int64_t outlet_count;
    scree_scene_outlet* outlets;
    bool sets_cell;          // there is `cell`
    scree_scene_cell cell;
    double box_tilt[3];      // xy, xz, yz of a box with a size; NAN: not given
    int32_t face_materials[6];  // of single walls of the box: lower x, upper x, lower y, ...; -1: wall_material
    char* face_names[6];     // as wall_name
    int32_t walls_on_crossing;  // walls: on_crossing, as scree_scene_surface has it; sim.walls_remove says the same after scene_read and scene_parse, and runs use this member
};

// The scene as it is from a change on, itself for -1: what it then says of contacts, insert, outlets and output. Loads, walls that move and the cell stay as at the start. NULL: no such change.
const scree_scene* scree_scene_from(const scree_scene* scene, int64_t change);

// condition.c
void scree_scene_condition_free(scree_scene_condition* condition);
void scree_scene_settle_times(scree_scene* scene);  // due, of all changes

bool scree_scene_has_cell(const scree_scene* scene);  // whether its cell changes, at the start or by a change
void scree_scene_make_cell(const scree_scene_cell* cell, scree_sim_cell* out);  // what a simulation takes

// What a file that says nothing would mean. Not yet a scene that can be run or written: spheres, contact and time have no defaults.
scree_scene scene_default(void);

// scree_read_scene, scree_scene_parse and scree_scene_destroy without the memory of the scene itself. A failed call leaves `out` zeroed; scene_free zeroes the scene, and a zeroed one is fine.
scree_status scene_read(const char* path, scree_scene* out);
scree_status scene_parse(const char* name, const char* text, size_t length, scree_scene* out);
void scene_free(scree_scene* scene);

// A copy by way of its text, with the places of the original, so that messages name its file and lines. Names of files are absolute in it. ARGUMENT: a scene that has no valid text; MEMORY.
scree_status scene_copy(const scree_scene* scene, scree_scene* out);

// How many entries of spheres there are, a single map being one of them, and the n-th of them from 0 on: a copy, whose texts stay the scene's. Zeroed if there is no such entry.
int64_t scree_scene_group_count(const scree_scene* scene);
scree_scene_group scree_scene_get_entry(const scree_scene* scene, int64_t n);

// What a scene says about contacts, for the def of a simulation of these spheres in their box: the law with its parts, materials and parameters by pair of
// materials, where the numbers of scene.sim do not say all. `set` is from scree_scene_make_spheres (scree/run.h). ARGUMENT: two materials that can meet in this box
// and have no value, or walls without a material; the message has the line to add. UNSUPPORTED: the materials come from another run (start), which only a
// run knows. MEMORY. O(materials^2 + spheres).
typedef struct scree_scene_law {
    scree_sim_law law;       // for def.law; the tables are its own
    double stiffness, damping, restitution;  // for the def's: 0 where the law has them
    int32_t wall_material;   // for def.wall_material
    double speed;            // for def.speed
    bool by_face;            // for def.face_materials: these; else NULL
    int32_t face_materials[6];
} scree_scene_law;

// The kind of bond that an entry of `bonds` says, with defaults where it says nothing.
scree_sim_bond scree_scene_bond_kind(const scree_scene_bond* bond);

// The exact shape that an entry of `surfaces` says, of a scene of this dimension; false: it is a mesh.
bool scree_scene_surface_shape(const scree_scene_surface* surface, int32_t dim, scree_exact* out);

scree_status scree_scene_make_law(const scree_scene* scene, const scree_sphere_set* set, scree_scene_law* out);

// The same of contacts as they are from a change on (scree_scene.changes; -1: from the start). Laws of one scene have the same parts: those that contacts need at any time. ARGUMENT: no such change.
scree_status scree_scene_make_law_at(const scree_scene* scene, int64_t change, const scree_sphere_set* set, scree_scene_law* out);
void scree_scene_law_free(scree_scene_law* law);  // and empties it; NULL or an empty one is fine

#endif
