// What the files of the scene share: how a key is read and written, and when it may be there. The table is in keys.c.
//
//     keys.c       the table of keys                         check.c    what only the whole can show
//     forms.c      what each form of a key expects           lists.c    lists of maps, and texts
//     vary.c       included files, settings, parameters      write.c    scene -> text
//     conditions.c when a key may be there
//     read.c       values -> scene, key by key; value.c:     scene.c    the public calls
//                  single values                             place.c    where the file says what, for failures that come later
//     loads.c      what changes with time                    change.c   what changes set beside loads
//     schema.c     the JSON Schema of scenes
//     group.c      entries of `spheres`, names, materials, forces on groups; bodies.c, pairs.c, bonds.c, surfaces.c, materials.c: of the lists with these names
//
// The tree of values is files/yaml_tree.h.
#ifndef SCREE_SCENE_INNER_H
#define SCREE_SCENE_INNER_H

#include "files/yaml_tree.h"
#include "scene/content.h"
#include "scene/place.h"

typedef enum scene_form {
    SCENE_FORM_MAP = 0,
    SCENE_FORM_ITEMS,    // a list of maps: bodies, changes
    SCENE_FORM_GROUPS,   // a map, or a list of maps: spheres
    SCENE_FORM_NAMED,    // a map of maps, by names that the user chooses: materials
    SCENE_FORM_NUMBER,   // double
    SCENE_FORM_INT32,
    SCENE_FORM_INT64,    // or uint64_t
    SCENE_FORM_WORD,     // int32_t: one of `word`
    SCENE_FORM_FLAG,     // bool
    SCENE_FORM_TEXT,     // char*
    SCENE_FORM_VECTOR,   // double[3]: as many numbers as there are axes
    SCENE_FORM_TURN,     // double[3]: a vector; in 2D a number, the last of the three
    SCENE_FORM_PAIR,     // double[2]: of the lower and the upper wall of the axis that the key is called after
    SCENE_FORM_AXES,     // bool[3]: a list of letters
    SCENE_FORM_FORMATS,  // uint32_t, SCREE_FORMAT_BIT of each: a list of names
    SCENE_FORM_SIZES,    // cell_sizes: a list of numbers, of any length
    SCENE_FORM_START,    // a word, or a vector
    SCENE_FORM_PERIOD,   // seconds with an s, or steps
    SCENE_FORM_POINTS,   // scree_scene_points: a list of pairs of numbers
    SCENE_FORM_REGION,   // double[4]: x and y of the lower corner and of the upper one
    SCENE_FORM_POINT,    // double[3]: a vector; NAN in the first place: not given
    SCENE_FORM_GROUP,    // int32_t: the name of an entry of `spheres`; -1: not given
    SCENE_FORM_NAME,     // char*: a name that the user chooses
    SCENE_FORM_MATERIAL, // int32_t: the name of a material
    SCENE_FORM_BETWEEN,  // int32_t[2]: the names of two materials
    SCENE_FORM_FORCES,   // forces of a change: a map from names of groups to vectors
    SCENE_FORM_CONDITION,  // scree_scene_condition: a map from quantities of the log to limits
    SCENE_FORM_PART,     // scree_scene_load, as all down to GROUP_LIST: a map that stands in several places (field.part): walls, drag
    SCENE_FORM_PARTS,    // a map of such maps, by names
    SCENE_FORM_SIGNAL,   // a number that may change with time
    SCENE_FORM_ROWS,     // a CSV file, or rows of numbers
    SCENE_FORM_BY_GROUP, // a map from names of groups to vectors, or turns, that may change with time
    SCENE_FORM_GROUP_LIST,  // names of groups
    SCENE_FORM_VALUE,    // in a part: a value of the kind that the signal has; of a wall a number or a vector
    SCENE_FORM_RAMP,     // in a part: two of them
    SCENE_FORM_INCLUDE,  // names of files, and
    SCENE_FORM_PARAMETERS,  // a map of numbers: gone when keys are looked up (vary.c)
    SCENE_FORM_MERGED    // of a change: keys of another map of the scene, which it replaces (change.c)
} scene_form;

enum { FORM_NUMERIC = 1, FORM_RANGED = 2, FORM_RANGED_ENTRY = 4, FORM_SCALAR = 8 };

typedef struct scene_form_row {
    const char *whole, *entry;  // what is expected, of a value and of an entry of it (forms.c)
    unsigned flags;             // numbers are in it; range and unit are said behind it, or behind an entry alone; it can be a single value
    const char* schema;
} scene_form_row;

extern const scene_form_row scree_scene_forms[];  // by scene_form

// What must hold for a key to mean anything.
typedef enum scene_condition {
    SCENE_ALWAYS = 0,
    SCENE_SPHERES,     // there are some: all but scenes of bodies alone
    SCENE_BODIES,      // there are some
    SCENE_CORNERS,     // ... with rounded corners
    SCENE_ALONE,       // there are spheres and no bodies
    SCENE_MADE,        // the spheres are made, not read
    SCENE_LATTICE,
    SCENE_THERMAL,
    SCENE_RULE,        // thermal, and the temperature follows from the overlap
    SCENE_UNFILLED,    // the box does not follow from a density
    SCENE_SIZED,       // ... nor from a file
    SCENE_FILLED,      // the box follows from a density
    SCENE_BOXED,       // the box does not come from a file
    SCENE_SPEED,       // the stiffness follows from an overlap or from Young's moduli
    SCENE_FAST,        // ... and the speed must be known
    SCENE_DAMPED,      // no restitution, nor pairs that leave nothing to it
    SCENE_COUNTED,     // spheres that are made, or an entry of a list
    SCENE_MATERIALS,   // there are some
    SCENE_MATERIAL,    // ... and spheres
    SCENE_UNMARKED,    // ... that are made, not read
    SCENE_ELASTIC,     // contacts depend on Young's moduli
    SCENE_NAMELESS,    // ... and the scene has no materials with them
    SCENE_UNNAMED,     // ... nor takes those of another run
    SCENE_TURNED,      // there are spheres, not of another run, and contacts turn them
    SCENE_DENSITY,     // there are spheres and no materials
    SCENE_BODY_MATERIAL,  // there are bodies and materials
    SCENE_BODY_DENSITY,   // there are bodies and no materials
    SCENE_STARTED,     // the spheres come from another run
    SCENE_OWN,         // there are spheres, and they do not come from another run
    SCENE_KNOWN_GROUPS,        // ... or they are, and the scene knows its groups
    SCENE_PAIRS,       // there are some
    SCENE_BONDS,       // there are some
    SCENE_SURFACES,    // there are some
    SCENE_WALLED,      // it makes a difference what walls are made of
    SCENE_HARD,        // no pair has a stiffness, the law needs one, and the contact is not that of another run
    SCENE_SOFT,        // the same of the law plastic
    SCENE_ROUND,       // as BOXED, and there are no bodies
    SCENE_NUMBERED,    // spheres are made, and their number does not follow from the density of a region
    SCENE_INSERTS,     // there are some
    SCENE_OUTLETS,     // there are some
    SCENE_CONDITIONS
} scene_condition;

typedef enum scene_group { SCENE_NO_GROUP = 0, SCENE_HARDNESS, SCENE_LOSS, SCENE_LENGTH, SCENE_FRAMES, SCENE_BODY_SHAPE, SCENE_BODY_PLACE, SCENE_SURFACE_SHAPE, SCENE_CYLINDER_END, SCENE_RATES, SCENE_BOND_PAIRS, SCENE_PAIR_LOSS,
                          SCENE_SIGNALS, SCENE_TARGETS, SCENE_MOTIONS } scene_group;

typedef enum scene_motion { SCENE_MOTION_VELOCITY = 0, SCENE_MOTION_SPIN, SCENE_MOTION_OSCILLATE, SCENE_MOTION_PATH, SCENE_MOTION_SERVO, SCENE_MOTION_COUNT } scene_motion;

struct scree_scene_field {
    scene_form form;
    size_t offset;           // in scree_scene; of keys below a list, and below `spheres`, in the entry
    size_t flag;             // 0, or the offset of a bool that says whether the key was there
    double least, most;      // of each number
    bool above;              // `least` itself is not allowed; of a word: the first one is not written
    bool below;              // nor is `most`
    bool length;             // the number is a length as geom.h has it
    bool automatic;          // the word auto means 0 (or no list)
    scene_group group;       // at most one key of it is there
    scene_condition when;    // the key may be there
    unsigned laws;           // ... with these contact laws, a bit for each; 0: with all
    size_t choice;           // 0, or of a number: the offset of an int32_t for one of `word` in its place, 1 + its number
    const char* missing;     // NULL, or: it must be, or one of its group; and this is how that is said
    scene_condition needed;  // ... if this holds
    const char* const* words;      // the words, NULL behind the last;
    const char* (*word)(int32_t);  // or what gives them, from 0 on (scree_scene_word_at)
    const char* why;         // NULL, or an explanation for rejected values
    bool quiet;              // the default is not written
    bool signal;             // the value may change with time: a map (signal) in its place
    bool turns;              // BY_GROUP: turns, not vectors
    int32_t load;            // 0, or 1 + the kind of load that it makes
    int32_t face;            // 0, or 1 + the wall of the box
    int32_t motion;          // 0, or 1 + scene_motion: of a surface
    const char* part;        // NULL, or the part that has the keys of the map
    const char* beside;      // NULL, or the key of the same map without which it means nothing
    size_t resolved;         // of a text: 0, or the offset of the path that it refers to (of a size distribution: with that of its table)
    bool sizes;              // it is a size distribution
    size_t later;            // of the name of a material: 0, or the offset of the name, where the scene does not know its materials yet
    const char* constant;    // NULL, or why no change can set it
};

typedef struct scree_scene_field scene_field;

#define SCENE_KEYS_MOST 440
#define SCENE_GROUPS_MOST 4096  // entries of `spheres`, and of `materials`

typedef struct scene_reader {
    const scene_tree* tree;
    scree_scene* scene;
    int32_t entry;                             // of the list of maps that is being read; -1: none
    scree_scene_group* group;                  // the entry of a list of spheres that is being read; NULL: none
    const scene_node* given[SCENE_KEYS_MOST];  // where each key was found; NULL: nowhere. Keys of a change: in the latest one
    const scene_node* map[SCENE_KEYS_MOST];    // of keys that are maps: the map itself
} scene_reader;

// A text that grows; after the first failure nothing is added. `bytes` is the caller's, closed by '\0', NULL before anything is added.
typedef struct scene_out {
    char* bytes;
    int64_t length, capacity;
    scree_status status;
} scene_out;

void scree_scene_put(scene_out* out, const char* bytes, size_t count);
void scree_scene_print(scene_out* out, const char* format, ...) SCREE_PRINTF(2, 3);  // up to 2000 bytes

// Keeps the place of a value. MEMORY.
scree_status scree_scene_places_add(scree_scene* scene, const scene_tree* tree, int32_t row, int32_t entry, const scene_node* node);
void scree_scene_places_free(struct scree_scene_places* places);  // NULL is fine
scree_status scree_scene_places_copy(const scree_scene* from, scree_scene* to);  // replaces the places of `to`. MEMORY

// The entries of a list of maps.
typedef struct scene_items {
    char* first;
    size_t size;  // of each
    int64_t count;
} scene_items;

scene_items scree_scene_items(const scree_scene* scene, const char* path);  // of the list that has the key; of other keys the scene itself

// A list of maps; of materials a map of maps.
typedef struct scene_list {
    const char* path;
    size_t items, count, size;  // offsets in scree_scene: of the pointer, and of an int64_t; bytes of an entry
    void (*begin)(scree_scene* scene, int32_t n);
    scree_status (*check)(scene_reader* reader, const scene_node* map, int32_t n);  // what only an entry as a whole can show. FORMAT
    int32_t most;               // entries
    bool alone;                 // not with bodies
} scene_list;

const scene_list* scree_scene_list_of(const char* path);  // that has the key; NULL: none
void scree_scene_free_lists(scree_scene* scene);          // and all texts of keys
scree_status scree_scene_resolve(const scree_scene* scene);  // what names of files refer to. MEMORY
bool scree_scene_is_table(const char* sizes);             // a size distribution from a file

// Names that were looked through for one that is written: the nearest, and all of them.
typedef struct scene_names {
    const char *begin, *end;  // what is written
    const char* near;         // NULL: there is no name
    int64_t least;
    char all[512];
    size_t used;
} scene_names;

scene_names scree_scene_names_for(const scene_reader* reader, const scene_node* node);
void scree_scene_names_add(scene_names* names, const char* name);
bool scree_scene_names_is_near(const scene_names* names);  // the nearest may have been meant

// What another room said to a value: FORMAT at the node for ARGUMENT, without `prefix`; other failures as they are.
scree_status scree_scene_locate_by(const scene_reader* reader, scree_status status, const scene_node* node, const char* path, const char* prefix);

// Entries of lists as a whole, for scene_list. Of bodies it then says what has a meaning.
scree_status scree_scene_check_bodies(scene_reader* reader, const scene_node* node, int32_t n);
scree_status scree_scene_check_group(scene_reader* reader, const scene_node* node, int32_t n);
scree_status scree_scene_check_material(scene_reader* reader, const scene_node* node, int32_t n);
scree_status scree_scene_check_pair(scene_reader* reader, const scene_node* node, int32_t n);
scree_status scree_scene_check_bond(scene_reader* reader, const scene_node* node, int32_t n);
scree_status scree_scene_check_surface(scene_reader* reader, const scene_node* node, int32_t n);
scree_status scree_scene_check_insert(scene_reader* reader, const scene_node* node, int32_t n);
scree_status scree_scene_check_outlet(scene_reader* reader, const scene_node* node, int32_t n);
scree_status scree_scene_check_change(scene_reader* reader, const scene_node* node, int32_t n);

// Keys below a map that exclude each other, or have no effect without another one. FORMAT
scree_status scree_scene_check_together(const scene_reader* reader, const char* map);

void scree_scene_begin_group(scree_scene_group* group);  // as if its map were empty
void scree_scene_list_groups(scree_scene* scene, scree_scene_group* groups);  // in place of the single one; none is counted yet
const scree_scene_group* scree_scene_first_group(const scree_scene* scene);  // with defaults, if there is none

// A name is of letters, digits, _ and -, no - at its beginning, up to 64. FORMAT; the copy is the caller's.
bool scree_scene_is_name(const char* text, size_t length);
scree_status scree_scene_read_name(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, char** to);
// The number of a material to `to`; where the scene does not know its materials yet, -1 and the name to `name` (NULL: there is no place for it, nothing is read). FORMAT, MEMORY.
scree_status scree_scene_read_material(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t* to, char** name);
bool scree_scene_materials_later(const scree_scene* scene);  // they come from another run, and are known when the new one begins
scree_status scree_scene_check_elastic(const scree_scene* scene);  // whether each material has what the law needs, and nothing else. FORMAT
void scree_scene_settle_materials(scree_scene* scene);   // what is that of presets

// Pairs of materials: all of them with `contact`, as far as the file alone shows it.
scree_status scree_scene_check_pairs(scene_reader* reader);
scree_sim_pair scree_scene_no_values(void);  // all NAN
scree_status scree_scene_check_law(const scree_scene* scene);  // whether all that can meet have values. FORMAT, MEMORY
const char* scree_scene_parameter(int p);              // its key, without the map; NULL behind the last
unsigned scree_scene_parameter_beside(int p, int set);  // bits of parameters, of which one must be somewhere in contact or pairs, or the first has no effect; set 0 and 1; 0: none is needed
bool scree_scene_pairs_stiff(const scree_scene* scene);  // whether any entry has a stiffness,
bool scree_scene_is_lossy(const scree_scene* scene);     // or a damping, restitution or viscous_time, or contact has the last

// Regions, and entries of insert and outlets (flow.c).
scree_scene_region scree_scene_no_region(void);  // as if its map were empty
// Which keys make a region of which kind, and where: the maps that end so; "" ends the list.
typedef struct scene_region_kind {
    scree_region_kind kind;
    const char* where;    // "insert", "outlets" or "spheres"; NULL: all
    const char* keys[5];  // all of them and, of `mesh`, scale; NULL behind the last
} scene_region_kind;

extern const scene_region_kind scree_scene_region_kinds[];  // closed by a kind 0
scree_status scree_scene_check_region(const scene_reader* reader, const scene_node* node, const char* path, scree_scene_region* region);  // what it is. FORMAT
scree_status scree_scene_check_flow(const scree_scene* scene);  // with all else. FORMAT

// `cell`, or that of a change; map is its. FORMAT.
scree_status scree_scene_check_cell(const scene_reader* reader, const scene_node* map, const scree_scene_cell* cell, const char* path);

// The group of that name, of `changes.force`. FORMAT: there is none, or it is fixed. Of any: fixed ones too.
scree_status scree_scene_find_group(const scene_reader* reader, const scree_scene_key* key, const scene_node* name, int32_t* to);
scree_status scree_scene_find_any_group(const scene_reader* reader, const scree_scene_key* key, const scene_node* name, int32_t* to);

// loads.c: loads, of the scene or of the change that is being read.
typedef struct scene_loads {
    int32_t* count;
    scree_scene_load** list;
} scene_loads;

scene_loads scree_scene_loads_of(scree_scene* scene, const scree_scene_key* key, char* target);  // where the loads of this key are
bool scree_scene_is_signal(const scene_node* node);  // a ramp, sine or table in place of numbers
// A value with a key of the form LOADS, or one of gravity, gravity_turn, walls.x and force that is a signal. FORMAT, MEMORY.
scree_status scree_scene_read_loads(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scene_loads to);
// A force of a group that is a signal; `name` is the group's.
scree_status scree_scene_read_group_load(const scene_reader* reader, const scree_scene_key* key, const scene_node* name, const scene_node* value, int32_t kind, scene_loads to);
// The velocity of a wall that is a signal.
scree_status scree_scene_read_wall_signal(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int32_t face, scene_loads to);
scree_status scree_scene_check_axis(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, int axis);  // whether it has flat walls. FORMAT
scree_status scree_scene_settle_loads(scree_scene* scene);  // paths of tables. MEMORY
// Whether a key has loads, and their text in a scene.
bool scree_scene_has_loads(const scree_scene* scene, const scree_scene_key* key, const char* from);

// A scene that is being written. Texts, numbers behind a text, [1, 2], the name of a file in quotes, and a name that the user has chosen; one that is none is written so that no reader takes it.
typedef struct scene_writer {
    const scree_scene* scene;
    const scree_scene_group* group;  // the entry of a list of spheres that is being written; NULL: none
    bool same_place;
    scene_out out;
} scene_writer;

void scree_scene_write_text(scene_writer* w, const char* text);
void scree_scene_write_number(scene_writer* w, const char* before, double value);
void scree_scene_write_numbers(scene_writer* w, const double* values, int32_t count);
void scree_scene_write_file(scene_writer* w, const char* name, const char* path);
void scree_scene_write_name(scene_writer* w, const char* name);
void scree_scene_put_condition(scene_writer* w, const scree_scene_condition* condition);  // condition.c
void scree_scene_put_loads(scene_writer* w, const scree_scene_key* key, const char* from);

// What must not stand beside `start`. Called when only `start` and the dimension have been read, so that nothing else is said of it first.
scree_status scree_scene_check_start(const scene_reader* reader);

// What is missing and what does not belong: of reader->group if there is one, else of the scene without its lists.
scree_status scree_scene_check_missing(const scene_reader* reader, const scene_node* item);
scree_status scree_scene_check_belonging(const scene_reader* reader);
scree_status scree_scene_check_sizes(const scene_reader* reader);

// How a condition is said, and seen.
typedef struct scene_rule {
    unsigned with, without;  // facts (conditions.c)
    const char* when;        // for the manual of a key: "with bodies"; NULL: no key has this condition
    const char* otherwise;   // behind the key, in an error
    const char* scope;       // the map in which `unless` is looked for: "", "spheres", "contact" or "start"; NULL: beyond a schema
    const char* unless;      // JSON Schema: where it holds, the key must not be there
} scene_rule;

const scene_rule* scree_scene_rule(scene_condition condition);

typedef struct scene_conflict {
    const char *key, *unless, *then;  // path; JSON Schema of the scene; what it then says of the key
} scene_conflict;

const scene_conflict* scree_scene_conflicts(int32_t* count);

// Whether a condition holds, of an entry of a list of spheres or, with NULL, of the scene and its single map.
bool scree_scene_holds(const scree_scene* scene, const scree_scene_group* group, scene_condition condition);
bool scree_scene_means(const scree_scene* scene, const scree_scene_group* group, const scene_field* field);  // whether a key has a meaning: its condition, and its law
static inline unsigned scree_scene_law_bit(const scree_scene* scene)  // as in scene_parameters.h
{
    return scene->law >= 0 && scene->law < 32 ? 1u << scene->law : 0u;
}

bool scree_scene_goes_with_law(const scree_scene* scene, const scene_field* field);
bool scree_scene_has_wall(const scree_scene* scene, int axis);  // as far as is known: the box of a file may have none
int scree_scene_axis(char letter);                              // -1: none

static inline const scree_scene_key* scree_scene_row(int32_t row)
{
    int32_t count;
    return &scree_scene_keys(&count)[row];
}

static inline bool scree_scene_is_load(scene_form form)
{
    return form >= SCENE_FORM_PART && form <= SCENE_FORM_GROUP_LIST;
}

const scree_scene_key* scree_scene_part_keys(int32_t* count);  // keys of maps that stand in several places: "signal.ramp"
const char* scree_scene_word_at(const scene_field* field, int32_t n);  // NULL behind the last
int32_t scree_scene_find(const char* path);                     // the row of a key that there is
bool scree_scene_is_child(const char* path, const char* map);   // directly inside; "" is the whole
const char* scree_scene_last_name(const char* path);            // behind the last dot

// Row after row of values into the scene. FORMAT, MEMORY; the scene can then be freed.
scree_status scree_scene_fill(scene_reader* reader);

// change.c: what changes set beside loads. Makes change.scene and change.said of all changes, of a scene that is checked and settled. FORMAT, MEMORY
scree_status scree_scene_settle_changes(scene_reader* reader);
scree_status scree_scene_reject_change(const scene_reader* reader, const scene_node* key);  // a key of the scene that no change can set: FORMAT with the reason; OK: it is none of these
void scree_scene_change_free(scree_scene_change* change);

// condition.c
scree_status scree_scene_read_condition(const scene_reader* reader, const scree_scene_key* key, const scene_node* node, scree_scene_condition* to);
scree_status scree_scene_take_tree(const scene_tree* tree, scree_scene* out);  // from values to a scene. FORMAT, MEMORY

// Keys that exclude each other, are missing, or do not belong to what the others say; then what follows from them (box, paths).
scree_status scree_scene_check(scene_reader* reader);
scree_status scree_scene_settle(scene_reader* reader);

// The scene as YAML, closed by '\0'; scree_free it. `same_place`: names of files stay as they are. MEMORY, IO (the working directory).
scree_status scree_scene_text_of(const scree_scene* scene, bool same_place, char** text, int64_t* length);

#endif
