// The keys of a scene. This table is the only place that knows them: reading, checking and writing walk through it, and so does the
// test that compares it with docs/scene.md. A new key is a line here and a field in scree_scene.
//
// Of each key it says twice what is allowed, once for people (range) and once for the reader (least, most, ...); a test tries the
// ends of every range.
#include "scene/scene_inner.h"

#include "base/argument.h"
#include "base/spelling.h"
#include "files/csv.h"
#include "scene/parameters.h"
#include "scene/place.h"
#include "scree/levels.h"
#include "scree/polygon.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Words -------------------------------------------------------------------------------------------------------

#define WORDS(...) .words = (const char* const[]){__VA_ARGS__, NULL}

static const char* preset_word(int32_t n)
{
    const scree_scene_material* preset = n > 0 ? scree_scene_preset(n - 1) : NULL;
    return n == 0 ? "none" : preset != NULL ? preset->name : NULL;
}

#define NAMES(what, type, name) \
    static const char* what##_word(int32_t n) \
    { \
        return name((type)(n)); \
    }
NAMES(integrator, scree_integrator, scree_integrator_name)
NAMES(method, scree_method, scree_method_name)
NAMES(direction, scree_direction, scree_direction_name)
NAMES(range, scree_range, scree_range_name)
NAMES(box_test, scree_box_test, scree_box_test_name)
NAMES(polygon_rule, scree_polygon_rule, scree_polygon_rule_name)
#undef NAMES

static const char* body_word(int32_t n)
{
    return n == 0 ? "disc" : scree_shape_rule_name((scree_shape_rule)(n - 1));
}

static const char* format_word(int32_t n)  // from 0 on, where AUTO is no format
{
    return scree_format_name((scree_format)(n + 1));
}

const char* scree_scene_word_at(const scene_field* field, int32_t n)
{
    int32_t count = 0;
    if (field->word != NULL)
        return field->word(n);
    while (field->words[count] != NULL)
        ++count;
    return n >= 0 && n < count ? field->words[n] : NULL;
}

// ---- The table ---------------------------------------------------------------------------------------------------

#define AT(member) .offset = offsetof(scree_scene, member)
#define SPHERES(member) .offset = offsetof(scree_scene_group, member)
#define OF_MATERIAL(member) .offset = offsetof(scree_scene_material, member)
#define OF_PAIR(member) .offset = offsetof(scree_scene_pair, member)
#define OF_INSERT(member) .offset = offsetof(scree_scene_insert, member)
#define OF_OUTLET(member) .offset = offsetof(scree_scene_outlet, member)
#define OF_BOND(member) .offset = offsetof(scree_scene_bond, member)
#define OF_SURFACE(member) .offset = offsetof(scree_scene_surface, member)
#define SURFACE_HAS(member) .flag = offsetof(scree_scene_surface, has_##member)
#define OF_CHANGE(member) .offset = offsetof(scree_scene_change, member)
#define OF_BODIES(member) .offset = offsetof(scree_scene_bodies, member)
#define BODIES_HAVE(member) .flag = offsetof(scree_scene_bodies, has_##member)
#define OF_PAIR_VALUES(member) .offset = offsetof(scree_scene_pair, values.member)
#define FIELD(...) &(const scene_field) { __VA_ARGS__ }

// Ranges of numbers, with the texts that go with them in the table.
#define ANY .least = -INFINITY, .most = INFINITY                          // any
#define ABOVE_0 .least = 0.0, .above = true, .most = INFINITY             // above 0
#define FROM_0 .least = 0.0, .most = INFINITY                             // 0 or more
#define SHARE .least = 0.0, .above = true, .most = 1.0                    // above 0, at most 1
#define RATIO .least = 0.0, .above = true, .most = 100.0                  // above 0, at most 100
#define HALF .least = 0.0, .most = 0.5                                    // 0 to 0.5
#define ANGLE .least = 0.0, .most = 1.57                                  // 0 to 1.57
#define PART .least = 0.0, .above = true, .most = 1.0, .below = true      // above 0, below 1
#define WHOLE(a, b) .least = (a), .most = (b)                             // a to b, a or more
#define STEPS_MOST 1e15                                                   // steps are also counted in doubles

// Parameters of contacts, for all and by pair of materials.
#define OF_ALL(key, member, unit, usual, text, range, for_laws, part, need, of_use, meaning) \
    {"contact." #key, "number", unit, usual, text, meaning, FIELD(.form = SCENE_FORM_NUMBER, AT(contact.values.member), range, .quiet = true, .laws = for_laws, .when = (part) == PART_TANGENTIAL ? SCENE_ALWAYS : SCENE_ALONE)},
#define OF_TWO(key, member, unit, usual, text, range, for_laws, part, need, of_use, meaning) \
    {"pairs." #key, "number", unit, "", text, meaning, FIELD(.form = SCENE_FORM_NUMBER, OF_PAIR_VALUES(member), range, .laws = for_laws, .when = SCENE_PAIRS, .group = (LOSSES >> OF_##key & 1u) != 0 ? SCENE_PAIR_LOSS : SCENE_NO_GROUP)},

// How a cell changes, from the start on and from a change on.
#define CELL_KEYS(path, WHERE)                                                                                                                                                 \
    {path ".shear", "number", "1/time", "", "any", "rate of the shear with flow along x and gradient along y (Lees-Edwards)",                                                  \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.shear), ANY, .when = SCENE_ALONE)},                                                                                           \
    {path ".strain", "map", "", "", "", "strain rates; sides and tilts change with constant speeds", FIELD(.form = SCENE_FORM_MAP, .when = SCENE_ALONE)},                      \
    {path ".strain.xx", "number", "1/time", "", "any", "of the side along x; below 0 the cell becomes shorter",                                                                \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.strain[0]), ANY, .when = SCENE_ALONE)},                                                                                       \
    {path ".strain.yy", "number", "1/time", "", "any", "the same along y",                                                                                                     \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.strain[1]), ANY, .when = SCENE_ALONE)},                                                                                       \
    {path ".strain.zz", "number", "1/time", "", "any", "the same along z",                                                                                                     \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.strain[2]), ANY, .when = SCENE_ALONE)},                                                                                       \
    {path ".strain.xy", "number", "1/time", "", "any", "the same as shear",                                                                                                    \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.strain[3]), ANY, .when = SCENE_ALONE)},                                                                                       \
    {path ".strain.xz", "number", "1/time", "", "any", "shear with flow along x and gradient along z",                                                                         \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.strain[4]), ANY, .when = SCENE_ALONE)},                                                                                       \
    {path ".strain.yz", "number", "1/time", "", "any", "shear with flow along y and gradient along z",                                                                         \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.strain[5]), ANY, .when = SCENE_ALONE)},                                                                                       \
    {path ".stress", "map", "", "", "", "target stresses, reached by changing the sides; compression is positive", FIELD(.form = SCENE_FORM_MAP, .when = SCENE_ALONE)}, \
    {path ".stress.pressure", "number", "force/area", "", "any", "target mean of the normal stresses; all sides without a strain rate change by the same factor",                              \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.pressure), ANY, .when = SCENE_ALONE)},                                                                                        \
    {path ".stress.xx", "number", "force/area", "", "any", "normal stress along x",                                                                                            \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.stress[0]), ANY, .when = SCENE_ALONE)},                                                                                       \
    {path ".stress.yy", "number", "force/area", "", "any", "the same along y",                                                                                                 \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.stress[1]), ANY, .when = SCENE_ALONE)},                                                                                       \
    {path ".stress.zz", "number", "force/area", "", "any", "the same along z",                                                                                                 \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.stress[2]), ANY, .when = SCENE_ALONE)},                                                                                       \
    {path ".stress.rate", "number", "1/time", "", "above 0", "largest strain rate of these sides",                                                                             \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.rate), ABOVE_0, .when = SCENE_ALONE)},                                                                                        \
    {path ".stress.response", "number", "time", "", "above 0", "time in which the stress approaches its target; default: the shortest contact duration",                             \
     FIELD(.form = SCENE_FORM_NUMBER, WHERE(cell.response), ABOVE_0, .when = SCENE_ALONE)},                                                                                    \
    {path ".constant_volume", "true or false", "", "false", "", "sides without a strain rate or a stress change so that the volume is constant",                                          \
     FIELD(.form = SCENE_FORM_FLAG, WHERE(cell.constant_volume), .when = SCENE_ALONE, .quiet = true)},

#define START "it is set at the start"
#define REGION_KEYS(path, WHERE, more)                                                                                                                                      \
    {path ".region", "map", "", "", "", "a box: lower and upper; a cylinder: from, to and radius; a sphere: at and radius" more,                                            \
     FIELD(.form = SCENE_FORM_MAP, WHERE(region), .when = SCENE_ALONE, .constant = START)},                                                                                                    \
    {path ".region.lower", "numbers", "length", "", "any", "box: its lower corner", FIELD(.form = SCENE_FORM_POINT, WHERE(region.lower), ANY, .length = true, .when = SCENE_ALONE)},       \
    {path ".region.upper", "numbers", "length", "", "any", "box: its upper corner", FIELD(.form = SCENE_FORM_POINT, WHERE(region.upper), ANY, .length = true, .when = SCENE_ALONE)},       \
    {path ".region.from", "numbers", "length", "", "any", "cylinder: centre of one end", FIELD(.form = SCENE_FORM_POINT, WHERE(region.from), ANY, .length = true, .when = SCENE_ALONE)}, \
    {path ".region.to", "numbers", "length", "", "any", "cylinder: centre of the other end", FIELD(.form = SCENE_FORM_POINT, WHERE(region.to), ANY, .length = true, .when = SCENE_ALONE)}, \
    {path ".region.at", "numbers", "length", "", "any", "sphere, disc: its centre; half-space: a point on its plane",                                                            \
     FIELD(.form = SCENE_FORM_POINT, WHERE(region.at), ANY, .length = true, .when = SCENE_ALONE)},                                                                          \
    {path ".region.radius", "number", "length", "", "above 0", "of the cylinder, sphere or disc", FIELD(.form = SCENE_FORM_NUMBER, WHERE(region.radius), ABOVE_0, .length = true, .when = SCENE_ALONE)},

#define PRESETS "none, glass, steel, aluminium, sand, limestone, granite, concrete, polyethylene or acrylic"

// The walls of the box, one by one.
#define FACE(where, name, number, meaning) {where name, "map", "", "", "", meaning, FIELD(.form = SCENE_FORM_PART, .part = "wall", .face = 1 + (number), .when = SCENE_ALONE)},
#define FACES(where, meaning)                                                                                                                                \
    FACE(where, "lower_x", 0, "the lower wall along x: " meaning)                                                                                            \
    FACE(where, "upper_x", 1, "the upper wall along x, the same")                                                                                            \
    FACE(where, "lower_y", 2, "the same") FACE(where, "upper_y", 3, "the same") FACE(where, "lower_z", 4, "the same") FACE(where, "upper_z", 5, "the same")
#define MERGED(path, kind, meaning, condition) {path, kind, "", "", "", meaning, FIELD(.form = SCENE_FORM_MERGED, .when = condition)},
#define LOAD(kind) .load = 1 + (kind)
#define LOADS(path, kind, unit, range, meaning, ...) {path, kind, unit, "", range, meaning, FIELD(.when = SCENE_ALONE, __VA_ARGS__)},

static const scree_scene_key keys[] = {
    {"include", "text or list of texts", "", "", "", "files whose keys the scene takes where it does not have them itself; a relative name refers to the file that includes it",
     FIELD(.form = SCENE_FORM_INCLUDE)},
    {"parameters", "map of numbers", "", "", "", "names of numbers, for $(...) in values",
     FIELD(.form = SCENE_FORM_PARAMETERS)},

    {"dimension", "whole number", "", "3", "2 to 3", "discs (2) or spheres (3)",
     FIELD(.form = SCENE_FORM_INT32, AT(sim.box.dim), WHOLE(2, 3),
           .constant = "it is that of all spheres")},

    {"box", "map", "", "", "", "the box that contains the spheres", FIELD(.form = SCENE_FORM_MAP,
           .constant = "walls move by changes.walls, and a periodic box by changes.cell")},
    {"box.size", "numbers", "length", "", "above 0", "lengths of its sides; default: the box of the file or of start.run, or one that follows from spheres.density",
     FIELD(.form = SCENE_FORM_VECTOR, AT(box_size), ABOVE_0, .length = true, .when = SCENE_UNFILLED,
           .missing = "box.size (or spheres.density)", .needed = SCENE_SIZED)},
    {"box.periodic", "list of axes", "", "[]", "x, y, z", "periodic axes; the others have walls",
     FIELD(.form = SCENE_FORM_AXES, AT(box_periodic), .when = SCENE_BOXED, WORDS("x", "y", "z"))},
    {"box.origin", "numbers", "length", "[0, 0, 0]", "any", "its lower corner",
     FIELD(.form = SCENE_FORM_VECTOR, AT(box_origin), ANY, .length = true, .when = SCENE_BOXED)},
    {"box.aspect", "numbers", "", "[1, 1, 1]", "above 0", "ratio of the sides of a box that follows from spheres.density",
     FIELD(.form = SCENE_FORM_VECTOR, AT(box_aspect), ABOVE_0, .when = SCENE_FILLED)},

    {"box.container", "word", "", "box", "box, cylinder or sphere", "shape of the walls inside the box: a cylinder along z, or a sphere; in 2D a sphere is a circle",
     FIELD(.form = SCENE_FORM_WORD, AT(sim.container), .when = SCENE_ROUND, .word = scree_container_name)},

    {"box.tilt", "map", "", "", "", "tilt of a triclinic box: displacement of an edge along an earlier axis; both axes periodic", FIELD(.form = SCENE_FORM_MAP, .when = SCENE_SIZED)},
    {"box.tilt.xy", "number", "length", "0", "any", "of the edge y along x",
     FIELD(.form = SCENE_FORM_NUMBER, AT(box_tilt[0]), ANY, .length = true, .when = SCENE_SIZED, .quiet = true)},
    {"box.tilt.xz", "number", "length", "0", "any", "of the edge z along x",
     FIELD(.form = SCENE_FORM_NUMBER, AT(box_tilt[1]), ANY, .length = true, .when = SCENE_SIZED, .quiet = true)},
    {"box.tilt.yz", "number", "length", "0", "any", "of the edge z along y",
     FIELD(.form = SCENE_FORM_NUMBER, AT(box_tilt[2]), ANY, .length = true, .when = SCENE_SIZED, .quiet = true)},

    {"cell", "map", "", "", "", "how the periodic box changes: shear, strain or stress", FIELD(.form = SCENE_FORM_MAP, .flag = offsetof(scree_scene, sets_cell), .when = SCENE_ALONE)},
    CELL_KEYS("cell", AT)

    {"walls", "map", "", "", "", "motion and material of the walls", FIELD(.form = SCENE_FORM_MAP)},
    {"walls.x", "two numbers", "length/time", "[0, 0]", "any", "velocities of the lower and the upper wall along x",
     FIELD(.form = SCENE_FORM_PAIR, AT(sim.wall_velocity[0]), ANY, .when = SCENE_ALONE)},
    {"walls.y", "two numbers", "length/time", "[0, 0]", "any", "the same along y",
     FIELD(.form = SCENE_FORM_PAIR, AT(sim.wall_velocity[1]), ANY, .when = SCENE_ALONE)},
    {"walls.z", "two numbers", "length/time", "[0, 0]", "any", "the same along z",
     FIELD(.form = SCENE_FORM_PAIR, AT(sim.wall_velocity[2]), ANY, .when = SCENE_ALONE)},
    FACES("walls.", "material (instead of walls.material) and motion: velocity, oscillate, path or servo (docs/loads.md)")
    {"walls.material", "name", "", "", "", "material of the walls, round ones included; one of materials",
     FIELD(.form = SCENE_FORM_MATERIAL, AT(wall_material), .when = SCENE_WALLED, .later = offsetof(scree_scene, wall_name))},
    {"walls.on_crossing", "word", "", "error", "error or remove", "what happens to a sphere whose centre passes through a wall, round ones included; error: the run ends",
     FIELD(.form = SCENE_FORM_WORD, AT(walls_on_crossing), .above = true, .when = SCENE_ALONE, WORDS("error", "remove"), .quiet = true)},

    {"gravity", "numbers", "length/time^2", "[0, 0, 0]", "any", "acceleration",
     FIELD(.form = SCENE_FORM_VECTOR, AT(sim.gravity), ANY)},
    {"gravity_turn", "numbers", "angle/time", "[0, 0, 0]", "any",
     "angular velocity with which gravity rotates; in 2D one number",
     FIELD(.form = SCENE_FORM_TURN, AT(sim.gravity_turn), ANY, .when = SCENE_ALONE)},

    LOADS("drag", "map", "", "", "drag on each sphere: coefficient, per_mass, spin (docs/loads.md)", .form = SCENE_FORM_PART, .part = "drag", LOAD(SCREE_LOAD_DRAG))
    LOADS("local_damping", "number", "", "0 or more, below 1", "Cundall's local damping: fraction of each component of force and torque that acts against the motion",
          .form = SCENE_FORM_SIGNAL, .least = 0.0, .most = 1.0, .below = true, LOAD(SCREE_LOAD_LOCAL_DAMPING))

    {"materials", "map of maps", "", "", "", "materials of spheres and bodies, by names of your choice; spheres.material and bodies.material refer to them",
     FIELD(.form = SCENE_FORM_NAMED, AT(materials), .when = SCENE_MATERIALS)},
    {"materials.preset", "word", "", "", PRESETS, "a predefined material with density, young and poisson in SI units; other keys of the entry override its values. NAME: glass is short for it",
     FIELD(.form = SCENE_FORM_WORD, OF_MATERIAL(preset), .above = true, .when = SCENE_MATERIALS, .word = preset_word,
           .constant = "a preset has a density, and the masses of spheres do not change; give young and poisson")},
    {"materials.material_density", "number", "mass/volume", "", "above 0", "of this material; in 2D per area",
     FIELD(.form = SCENE_FORM_NUMBER, OF_MATERIAL(material_density), ABOVE_0, .when = SCENE_MATERIALS,
           .constant = "the masses of spheres do not change")},
    {"materials.young", "number", "force/area", "", "above 0", "Young's modulus; needed for hertz, jkr and dmt, and for contact.stiffness: from-young",
     FIELD(.form = SCENE_FORM_NUMBER, OF_MATERIAL(young), ABOVE_0, .when = SCENE_ELASTIC)},
    {"materials.poisson", "number", "", "", "0 to 0.5", "Poisson's ratio; needed as young is",
     FIELD(.form = SCENE_FORM_NUMBER, OF_MATERIAL(poisson), HALF, .when = SCENE_ELASTIC)},

    {"spheres", "map or list of maps", "", "", "", "from a file, or generated: count, sizes and place; a list: one entry per group",
     FIELD(.form = SCENE_FORM_GROUPS, AT(groups), .when = SCENE_KNOWN_GROUPS,
           .constant = "spheres come and go by insert and outlets, and changes.force, velocity, freeze and release are for groups")},
    {"spheres.name", "name", "", "", "", "of this group, for changes.force; letters, digits, _ and -",
     FIELD(.form = SCENE_FORM_NAME, SPHERES(name), .when = SCENE_SPHERES)},
    {"spheres.file", "text", "", "", "", "a file of spheres; a relative name refers to the scene's folder",
     FIELD(.form = SCENE_FORM_TEXT, SPHERES(file), .when = SCENE_OWN, .resolved = offsetof(scree_scene_group, file_path))},
    {"spheres.count", "whole number", "", "", "0 to 2147483647", "number of spheres; 0: none at the start, for insert; for a file in a list: the number that it must have",
     FIELD(.form = SCENE_FORM_INT32, SPHERES(count), WHOLE(0, INT32_MAX), .when = SCENE_COUNTED,
           .missing = "spheres.count (or spheres.file)", .needed = SCENE_NUMBERED)},
    {"spheres.sizes", "text", "", "", "", "distribution of the radii, such as uniform-size:1:10, or table:FILE.csv",
     FIELD(.form = SCENE_FORM_TEXT, SPHERES(sizes), .when = SCENE_MADE, .missing = "spheres.sizes", .needed = SCENE_MADE, .resolved = offsetof(scree_scene_group, sizes_text), .sizes = true)},
    {"spheres.sampling", "word", "", "systematic", "systematic, shifted or random", "how radii are drawn from the distribution",
     FIELD(.form = SCENE_FORM_WORD, SPHERES(sampling), .when = SCENE_MADE, WORDS("systematic", "shifted", "random"))},
    {"spheres.density", "number", "", "", "above 0, below 1", "volume fraction, instead of box.size; the sum over a list; with a region: volume fraction of the region, instead of count",
     FIELD(.form = SCENE_FORM_NUMBER, SPHERES(density), PART, .when = SCENE_MADE, .why = ": that of the material is spheres.material_density")},
    {"spheres.place", "word", "", "", "lattice, random or grow", "initial positions",
     FIELD(.form = SCENE_FORM_WORD, SPHERES(place), .when = SCENE_MADE, .missing = "spheres.place", .needed = SCENE_MADE,
           WORDS("lattice", "random", "grow"))},
    {"spheres.spacing", "number or auto", "length", "auto", "above 0", "lattice spacing; auto: the largest that fits the box",
     FIELD(.form = SCENE_FORM_NUMBER, SPHERES(spacing), ABOVE_0, .length = true, .automatic = true, .when = SCENE_LATTICE)},
    {"spheres.material", "name", "", "", "", "one of materials; default: the column material of the file, with numbers from 0 on",
     FIELD(.form = SCENE_FORM_MATERIAL, SPHERES(material), .when = SCENE_MATERIAL, .missing = "spheres.material (one of the materials)",
           .needed = SCENE_UNMARKED)},
    {"spheres.material_density", "number", "mass/volume", "1", "above 0", "mass density; in 2D per area",
     FIELD(.form = SCENE_FORM_NUMBER, SPHERES(material_density), ABOVE_0,
           .when = SCENE_DENSITY)},
    {"spheres.fixed", "true or false", "", "false", "", "true: they do not move",
     FIELD(.form = SCENE_FORM_FLAG, SPHERES(fixed), .when = SCENE_SPHERES, .quiet = true)},
    {"spheres.force", "numbers", "force", "[0, 0, 0]", "any", "external force on each of them",
     FIELD(.form = SCENE_FORM_VECTOR, SPHERES(force), ANY, .when = SCENE_ALONE, .quiet = true)},
    {"spheres.velocity", "word or numbers", "length/time", "zero", "zero, thermal or file", "initial velocity; numbers: the same for all spheres",
     FIELD(.form = SCENE_FORM_START, SPHERES(start), ANY, WORDS("zero", "thermal", "file"), .when = SCENE_OWN)},
    {"spheres.spin", "numbers", "angle/time", "", "any", "initial angular velocity; in 2D one number; default: the columns of the file, or 0",
     FIELD(.form = SCENE_FORM_TURN, SPHERES(spin), ANY, .when = SCENE_TURNED)},
    {"spheres.temperature", "number or auto", "energy", "auto", "above 0", "thermal: mean of m v^2 per axis; auto: by overlap",
     FIELD(.form = SCENE_FORM_NUMBER, SPHERES(temperature), ABOVE_0, .automatic = true, .when = SCENE_THERMAL)},
    {"spheres.overlap", "number", "", "0.01", "above 0, at most 1",
     "thermal: mean overlap in a collision, in units of the smallest radius",
     FIELD(.form = SCENE_FORM_NUMBER, SPHERES(overlap), SHARE, .when = SCENE_RULE)},

    REGION_KEYS("spheres", SPHERES, "; mesh: a file. Centres and radii are inside")
    {"spheres.region.mesh", "text", "", "", "", "a closed surface, .stl or .vtp; a relative name refers to the scene's folder",
     FIELD(.form = SCENE_FORM_TEXT, SPHERES(region.mesh), .when = SCENE_ALONE, .resolved = offsetof(scree_scene_group, region.mesh_path))},
    {"spheres.region.scale", "number", "", "1", "above 0", "of the mesh: factor of the coordinates of the file",
     FIELD(.form = SCENE_FORM_NUMBER, SPHERES(region.scale), ABOVE_0, .when = SCENE_ALONE, .quiet = true, .beside = "mesh")},

    {"insert", "list of maps", "", "", "", "spheres that are inserted during the run, without overlaps",
     FIELD(.form = SCENE_FORM_ITEMS, AT(inserts), .when = SCENE_INSERTS)},
    {"insert.name", "name", "", "", "", "for outlets.into", FIELD(.form = SCENE_FORM_NAME, OF_INSERT(name), .when = SCENE_INSERTS,
           .constant = START)},
    {"insert.group", "name", "", "", "", "spheres.name of their group, which sets sizes and all other properties; default: the only group",
     FIELD(.form = SCENE_FORM_GROUP, OF_INSERT(group), .when = SCENE_INSERTS,
           .constant = START)},
    REGION_KEYS("insert", OF_INSERT, "; a disc: at, normal and radius. Spheres are completely inside; for a disc, or a box of thickness 0, their centres are in its plane")
    {"insert.region.normal", "numbers", "", "", "any", "disc: its direction", FIELD(.form = SCENE_FORM_POINT, OF_INSERT(region.normal), ANY, .when = SCENE_ALONE)},
    {"insert.rate", "number", "1/time", "", "above 0", "spheres per time", FIELD(.form = SCENE_FORM_NUMBER, OF_INSERT(rate), ABOVE_0, .when = SCENE_INSERTS, .group = SCENE_RATES)},
    {"insert.mass_rate", "number", "mass/time", "", "above 0", "mass per time, instead of insert.rate; default: all are inserted as soon as there is space",
     FIELD(.form = SCENE_FORM_NUMBER, OF_INSERT(mass_rate), ABOVE_0, .when = SCENE_INSERTS, .group = SCENE_RATES)},
    {"insert.count", "whole number", "", "", "1 to 1000000000000000", "largest number", FIELD(.form = SCENE_FORM_INT64, OF_INSERT(count), WHOLE(1, STEPS_MOST), .when = SCENE_INSERTS)},
    {"insert.start", "number", "time", "0", "0 or more", "from this time on", FIELD(.form = SCENE_FORM_NUMBER, OF_INSERT(start), FROM_0, .when = SCENE_INSERTS,
           .constant = START)},
    {"insert.end", "number", "time", "", "above 0", "until this time; default: the end of the run", FIELD(.form = SCENE_FORM_NUMBER, OF_INSERT(end), ABOVE_0, .when = SCENE_INSERTS)},
    {"insert.velocity", "numbers", "length/time", "[0, 0, 0]", "any", "initial velocity", FIELD(.form = SCENE_FORM_VECTOR, OF_INSERT(velocity), ANY, .when = SCENE_INSERTS)},
    {"insert.closed", "true or false", "", "false", "", "no insertion until a change opens it", FIELD(.form = SCENE_FORM_FLAG, OF_INSERT(closed), .when = SCENE_INSERTS, .quiet = true)},
    {"insert.every_steps", "whole number", "", "100", "1 to 1000000000000000", "spheres are inserted at multiples of this step; affects the exact result",
     FIELD(.form = SCENE_FORM_INT64, OF_INSERT(every_steps), WHOLE(1, STEPS_MOST), .when = SCENE_INSERTS,
           .constant = START)},

    {"outlets", "list of maps", "", "", "", "regions where spheres are removed during the run", FIELD(.form = SCENE_FORM_ITEMS, AT(outlets), .when = SCENE_OUTLETS)},
    {"outlets.name", "name", "", "", "", "of this outlet, for the log", FIELD(.form = SCENE_FORM_NAME, OF_OUTLET(name), .when = SCENE_OUTLETS,
           .constant = START)},
    REGION_KEYS("outlets", OF_OUTLET, "; a half-space: at and normal. Spheres whose centre is in it are removed")
    {"outlets.region.normal", "numbers", "", "", "any", "half-space: the side to which it points", FIELD(.form = SCENE_FORM_POINT, OF_OUTLET(region.normal), ANY, .when = SCENE_ALONE)},
    {"outlets.into", "name", "", "", "", "insert.name: spheres are inserted again in that region, with its velocity; they wait until there is space",
     FIELD(.form = SCENE_FORM_NAME, OF_OUTLET(into), .when = SCENE_OUTLETS,
           .constant = START)},
    {"outlets.closed", "true or false", "", "false", "", "no removal until a change opens it", FIELD(.form = SCENE_FORM_FLAG, OF_OUTLET(closed), .when = SCENE_OUTLETS, .quiet = true)},
    {"outlets.every_steps", "whole number", "", "100", "1 to 1000000000000000", "spheres are removed at multiples of this step; affects the exact result",
     FIELD(.form = SCENE_FORM_INT64, OF_OUTLET(every_steps), WHOLE(1, STEPS_MOST), .when = SCENE_OUTLETS,
           .constant = START)},

    {"bodies", "list of maps", "", "", "", "polygons and discs in the plane, in addition to spheres or instead of them; each entry describes bodies of one kind",
     FIELD(.form = SCENE_FORM_ITEMS, AT(bodies), .when = SCENE_BODIES,
           .constant = "they are set at the start")},
    {"bodies.points", "list of points", "length", "", "any", "shape: the vertices of a polygon, each [x, y]",
     FIELD(.form = SCENE_FORM_POINTS, OF_BODIES(points), ANY, .length = true, BODIES_HAVE(points), .when = SCENE_BODIES, .group = SCENE_BODY_SHAPE)},
    {"bodies.wall", "list of points", "length", "", "any", "shape: a strip along this chain, on its right-hand side",
     FIELD(.form = SCENE_FORM_POINTS, OF_BODIES(wall), ANY, .length = true, BODIES_HAVE(wall), .when = SCENE_BODIES, .group = SCENE_BODY_SHAPE)},
    {"bodies.thickness", "number", "length", "", "any", "of the strip along bodies.wall; below 0: on its left-hand side",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BODIES(thickness), ANY, .length = true, BODIES_HAVE(thickness), .when = SCENE_BODIES, .beside = "wall")},
    {"bodies.shape", "word", "", "", "disc, regular, convex, star, ell, hook or chip", "shape: generated by a rule, different for each body",
     FIELD(.form = SCENE_FORM_WORD, OF_BODIES(shape), BODIES_HAVE(shape), .when = SCENE_BODIES, .word = body_word, .group = SCENE_BODY_SHAPE)},
    {"bodies.vertices", "whole number", "", "8", "3 to 10000000", "of regular, convex, star (4 or more) and chip (12 or more)",
     FIELD(.form = SCENE_FORM_INT32, OF_BODIES(vertices), WHOLE(3, 10000000), BODIES_HAVE(vertices), .when = SCENE_BODIES, .beside = "shape")},
    {"bodies.roughness", "number", "", "0.5", "0 to below 1", "star: depth of the notches; convex: flatness; ell, hook, chip: thinness of arms and legs",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BODIES(roughness), .least = 0.0, .most = 1.0, .below = true, BODIES_HAVE(roughness), .when = SCENE_BODIES, .beside = "shape")},
    {"bodies.sizes", "text", "", "", "", "with bodies.shape: distribution of their circumscribed radii about the centre of mass, as spheres.sizes",
     FIELD(.form = SCENE_FORM_TEXT, OF_BODIES(sizes), BODIES_HAVE(sizes), .when = SCENE_BODIES, .beside = "shape", .resolved = offsetof(scree_scene_bodies, sizes_text), .sizes = true)},
    {"bodies.file", "text", "", "", "", "shape: polygons from a file, a line x y per vertex and an empty line between polygons, used in turn",
     FIELD(.form = SCENE_FORM_TEXT, OF_BODIES(file), BODIES_HAVE(file), .when = SCENE_BODIES, .group = SCENE_BODY_SHAPE, .resolved = offsetof(scree_scene_bodies, file_path))},
    {"bodies.at", "list of points", "length", "", "any", "position: one body at each [x, y]; the centre of mass of free bodies, the origin of the shape of fixed ones",
     FIELD(.form = SCENE_FORM_POINTS, OF_BODIES(at), ANY, .length = true, BODIES_HAVE(at), .when = SCENE_BODIES, .group = SCENE_BODY_PLACE)},
    {"bodies.place", "word", "", "", "lattice or random", "position: in bodies.region, so that circumscribed circles do not overlap; without at and place: coordinates as given",
     FIELD(.form = SCENE_FORM_WORD, OF_BODIES(place), BODIES_HAVE(place), .when = SCENE_BODIES, WORDS("lattice", "random"), .group = SCENE_BODY_PLACE)},
    {"bodies.count", "whole number or auto", "", "auto", "1 to 2147483647", "with bodies.place: number of bodies; auto: one, or one for each polygon of the file",
     FIELD(.form = SCENE_FORM_INT32, OF_BODIES(count), WHOLE(1, INT32_MAX), .automatic = true, BODIES_HAVE(count), .when = SCENE_BODIES, .beside = "place")},
    {"bodies.region", "four numbers", "length", "", "any", "with bodies.place: x, y of the lower corner and x, y of the upper one; default: the box",
     FIELD(.form = SCENE_FORM_REGION, OF_BODIES(region), ANY, .length = true, BODIES_HAVE(region), .when = SCENE_BODIES, .beside = "place")},
    {"bodies.angle", "number", "angle", "0", "any", "rotation, counter-clockwise, in radians",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BODIES(angle), .least = -1e15, .most = 1e15, .when = SCENE_BODIES)},
    {"bodies.angle_spread", "number", "angle", "0", "0 or more", "each is also rotated by a random angle between minus and plus this",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BODIES(angle_spread), .least = 0.0, .most = 1e15, .when = SCENE_BODIES)},
    {"bodies.velocity", "numbers", "length/time", "[0, 0]", "any", "initial velocity; for fixed bodies: constant",
     FIELD(.form = SCENE_FORM_VECTOR, OF_BODIES(velocity), ANY, .when = SCENE_BODIES)},
    {"bodies.spin", "number", "angle/time", "0", "any", "initial angular velocity; for fixed bodies: constant, about the origin of the shape",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BODIES(spin), ANY, .when = SCENE_BODIES)},
    {"bodies.material", "name", "", "", "", "one of materials, which sets density and contacts (pairs); required if there are materials",
     FIELD(.form = SCENE_FORM_MATERIAL, OF_BODIES(material), .when = SCENE_BODY_MATERIAL)},
    {"bodies.material_density", "number or auto", "mass/area", "auto", "above 0", "mass density; auto: spheres.material_density, or 1",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BODIES(material_density), ABOVE_0, .automatic = true, .when = SCENE_BODY_DENSITY)},
    {"bodies.fixed", "true or false", "", "false", "", "true: forces do not move them (walls, funnels, mixers)",
     FIELD(.form = SCENE_FORM_FLAG, OF_BODIES(fixed), .when = SCENE_BODIES)},

    {"contact", "map", "", "", "", "contact law and its parameters", FIELD(.form = SCENE_FORM_MAP)},
    {"contact.law", "word", "", "linear", "linear, record, hertz, jkr, dmt or plastic", "the normal force; record: linear, with a record of each contact (age, sum of overlaps)",
     FIELD(.form = SCENE_FORM_WORD, AT(law), .word = scree_sim_law_name,
           .constant = "contacts remember what their law needs")},
    {"contact.stiffness", "number or word", "force/length", "", "above 0", "of the spring; from-young: from Young's moduli and contact.speed",
     FIELD(.form = SCENE_FORM_NUMBER, AT(sim.stiffness), ABOVE_0, .group = SCENE_HARDNESS, .needed = SCENE_HARD, .laws = LAWS_FLAT, WORDS("from-young"),
           .choice = offsetof(scree_scene, contact.stiffness), .missing = "contact.stiffness (or contact.duration, or contact.overlap with contact.speed)")},
    {"contact.k1", "number", "force/length", "", "above 0", "plastic: stiffness of the first loading",
     FIELD(.form = SCENE_FORM_NUMBER, AT(sim.stiffness), ABOVE_0, .group = SCENE_HARDNESS, .laws = LAW_PLASTIC, .needed = SCENE_SOFT, .missing = "contact.k1")},
    {"contact.duration", "number", "time", "", "above 0", "sets the stiffness: a collision of the two lightest spheres lasts this long",
     FIELD(.form = SCENE_FORM_NUMBER, AT(sim.contact_duration), ABOVE_0, .group = SCENE_HARDNESS, .laws = LAWS_FLAT)},
    {"contact.overlap", "number", "", "", "above 0, at most 1",
     "sets the stiffness: the two heaviest spheres overlap by this fraction of a radius",
     FIELD(.form = SCENE_FORM_NUMBER, AT(sim.overlap), SHARE, .group = SCENE_HARDNESS, .when = SCENE_ALONE, .laws = LAWS_FLAT)},
    {"contact.speed", "number", "length/time", "", "above 0", "... at this impact speed; hertz, jkr, dmt: the impact speed for which the time step is chosen",
     FIELD(.form = SCENE_FORM_NUMBER, AT(sim.speed), ABOVE_0, .when = SCENE_SPEED,
           .missing = "contact.speed (with contact.overlap, stiffness: from-young, and the laws hertz, jkr and dmt)", .needed = SCENE_FAST)},
    {"contact.damping", "number or word", "mass/time", "0", "0 or more",
     "constant of the dashpot, for all contacts; restitution, viscoelastic, none: damping by restitution, by viscous_time, or none",
     FIELD(.form = SCENE_FORM_NUMBER, AT(sim.damping), FROM_0, .group = SCENE_LOSS, .when = SCENE_DAMPED, WORDS("restitution", "viscoelastic", "none"),
           .choice = offsetof(scree_scene, contact.damping))},
    {"contact.restitution", "number", "", "", "above 0, at most 1", "coefficient of restitution, which sets the damping",
     FIELD(.form = SCENE_FORM_NUMBER, AT(sim.restitution), SHARE, .group = SCENE_LOSS)},
    SCENE_PARAMETERS_OF_PAIR(OF_ALL)
    {"contact.young", "number", "force/area", "", "above 0", "Young's modulus of spheres and walls, in a scene without materials; with start, of materials that have none",
     FIELD(.form = SCENE_FORM_NUMBER, AT(contact.young), ABOVE_0, .when = SCENE_NAMELESS, .needed = SCENE_UNNAMED, .missing = "contact.young")},
    {"contact.poisson", "number", "", "", "0 to 0.5", "their Poisson's ratio",
     FIELD(.form = SCENE_FORM_NUMBER, AT(contact.poisson), HALF, .when = SCENE_NAMELESS, .needed = SCENE_UNNAMED, .missing = "contact.poisson")},
    {"contact.tangential", "word", "", "auto", "auto, none, linear or mindlin", "friction; auto: if a pair has any, mindlin with hertz, jkr and dmt, else linear",
     FIELD(.form = SCENE_FORM_WORD, AT(contact.tangential), WORDS("auto", "none", "linear", "mindlin"), .when = SCENE_ALONE,
           .constant = "contacts remember what the parts of their law need; a friction of 0 in contact and another one here switches it on")},
    {"contact.rolling", "word", "", "auto", "auto, none or spring", "rolling resistance; auto: spring if a pair has rolling_friction",
     FIELD(.form = SCENE_FORM_WORD, AT(contact.rolling), WORDS("auto", "none", "spring"), .when = SCENE_ALONE,
           .constant = "contacts remember what the parts of their law need; a rolling_friction of 0 in contact and another one here switches it on")},
    {"contact.twisting", "word", "", "auto", "auto, none, spring or marshall", "twisting resistance; auto: spring if a pair has twisting_friction",
     FIELD(.form = SCENE_FORM_WORD, AT(contact.twisting), WORDS("auto", "none", "spring", "marshall"), .when = SCENE_ALONE,
           .constant = "contacts remember what the parts of their law need; a twisting_friction of 0 in contact and another one here switches it on")},
    {"contact.pull", "true or false", "", "true", "", "false: damping never attracts separating spheres",
     FIELD(.form = SCENE_FORM_FLAG, AT(contact.pull), .when = SCENE_ALONE,
           .constant = "it is part of the law")},

    {"contact.rule", "word", "", "rounded", "rounded or node-to-segment", "bodies: how contacts of polygons are found (docs/polygon.md)",
     FIELD(.form = SCENE_FORM_WORD, AT(contact.rule), .word = polygon_rule_word, .when = SCENE_BODIES,
           .constant = START)},
    {"contact.rounding", "number", "", "0.05", "above 0, at most 1", "bodies: radius of the corners of polygons over the radius of the circle of equal area",
     FIELD(.form = SCENE_FORM_NUMBER, AT(contact.rounding), SHARE, .when = SCENE_CORNERS,
           .constant = START)},

    {"pairs", "list of maps, or mix", "", "", "", "contacts of two materials; keys of an entry override contact",
     FIELD(.form = SCENE_FORM_ITEMS, AT(pairs), .when = SCENE_PAIRS)},
    {"pairs.between", "two names", "", "", "", "the two materials; twice the same one: contacts between spheres of this material",
     FIELD(.form = SCENE_FORM_BETWEEN, OF_PAIR(between), .when = SCENE_PAIRS)},
    SCENE_PARAMETERS(OF_TWO)

    {"bonds", "list of maps", "", "", "", "breakable bonds between spheres (docs/laws.md)",
     FIELD(.form = SCENE_FORM_ITEMS, AT(bonds), .when = SCENE_BONDS,
           .constant = "they are set at the start, and break by themselves")},
    {"bonds.gap", "number", "length", "", "0 or more", "spheres whose initial gap is at most this are bonded; the first matching entry is used",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.gap), FROM_0, .when = SCENE_BONDS, .group = SCENE_BOND_PAIRS)},
    {"bonds.file", "text", "", "", "", "instead of a gap: a CSV file of pairs, with the columns i and j: numbers of spheres, from 0 on",
     FIELD(.form = SCENE_FORM_TEXT, OF_BOND(file), .when = SCENE_BONDS, .group = SCENE_BOND_PAIRS, .resolved = offsetof(scree_scene_bond, file_path))},
    {"bonds.between", "two names", "", "", "", "only spheres of these materials; default: all",
     FIELD(.form = SCENE_FORM_BETWEEN, OF_BOND(between), .flag = offsetof(scree_scene_bond, has_between), .when = SCENE_BONDS)},
    {"bonds.young", "number", "force/area", "", "above 0", "Young's modulus of the bond",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.young), ABOVE_0, .when = SCENE_BONDS)},
    {"bonds.shear", "number", "force/area", "", "above 0", "its shear modulus; default 0.4 young",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.shear), ABOVE_0, .when = SCENE_BONDS)},
    {"bonds.radius", "number", "", "1", "above 0", "its radius over the radius of the smaller sphere",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.radius), ABOVE_0, .when = SCENE_BONDS, .quiet = true)},
    {"bonds.bending", "number", "", "1", "0 or more", "factor of the stiffness of bending",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.bending), FROM_0, .when = SCENE_BONDS, .quiet = true)},
    {"bonds.twisting", "number", "", "1", "0 or more", "factor of the stiffness of twisting",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.twisting), FROM_0, .when = SCENE_BONDS, .quiet = true)},
    {"bonds.damping", "number", "", "0", "0 to 1", "fraction of the critical damping of the two spheres",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.damping), WHOLE(0, 1), .when = SCENE_BONDS, .quiet = true)},
    {"bonds.tensile_strength", "number", "force/area", "", "above 0", "it breaks above this tensile stress, bending included; default: never",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.tensile_strength), ABOVE_0, .when = SCENE_BONDS)},
    {"bonds.shear_strength", "number", "force/area", "", "above 0", "it breaks above this shear stress, twisting included; default: never",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.shear_strength), ABOVE_0, .when = SCENE_BONDS)},
    {"bonds.friction", "number", "", "0", "0 or more", "its shear strength grows by this times the compressive stress",
     FIELD(.form = SCENE_FORM_NUMBER, OF_BOND(values.friction), FROM_0, .when = SCENE_BONDS, .quiet = true)},

    {"surfaces", "list of maps", "", "", "", "boundaries of any shape, in addition to the walls of the box, each with one of plane, cylinder, cone, sphere, disc and mesh (docs/surface.md)",
     FIELD(.form = SCENE_FORM_ITEMS, AT(surfaces), .when = SCENE_SURFACES)},
    {"surfaces.name", "name", "", "", "", "of this surface, in the log and in messages; letters, digits, _ and -, at most 31",
     FIELD(.form = SCENE_FORM_NAME, OF_SURFACE(name), .when = SCENE_SURFACES)},
    {"surfaces.plane", "map", "", "", "", "an infinite plane; in 2D a line",
     FIELD(.form = SCENE_FORM_MAP, SURFACE_HAS(plane), .when = SCENE_SURFACES, .group = SCENE_SURFACE_SHAPE)},
    {"surfaces.plane.at", "numbers", "length", "[0, 0, 0]", "any", "a point on it",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(exact.at), ANY, .length = true, .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.plane.normal", "numbers", "", "", "any", "direction of its front, of any length",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(exact.axis), ANY, .when = SCENE_SURFACES)},
    {"surfaces.cylinder", "map", "", "", "", "the wall of a cylinder, open at both ends",
     FIELD(.form = SCENE_FORM_MAP, SURFACE_HAS(cylinder), .when = SCENE_SURFACES, .group = SCENE_SURFACE_SHAPE)},
    {"surfaces.cylinder.from", "numbers", "length", "[0, 0, 0]", "any", "centre of one end",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(exact.at), ANY, .length = true, .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.cylinder.to", "numbers", "length", "", "any", "centre of the other end",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(to), ANY, .length = true, SURFACE_HAS(to), .when = SCENE_SURFACES, .group = SCENE_CYLINDER_END)},
    {"surfaces.cylinder.axis", "numbers", "", "", "any", "instead of `to`: direction of an infinite cylinder",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(exact.axis), ANY, SURFACE_HAS(axis), .when = SCENE_SURFACES, .group = SCENE_CYLINDER_END)},
    {"surfaces.cylinder.radius", "number", "length", "", "above 0", "its radius",
     FIELD(.form = SCENE_FORM_NUMBER, OF_SURFACE(exact.radius[0]), ABOVE_0, .length = true, .when = SCENE_SURFACES)},
    {"surfaces.cylinder.inside", "true or false", "", "false", "", "whether its front is inside; matters with one_sided only",
     FIELD(.form = SCENE_FORM_FLAG, OF_SURFACE(exact.inside), .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.cone", "map", "", "", "", "the wall of a cone or of a part of one (frustum), open at both ends",
     FIELD(.form = SCENE_FORM_MAP, SURFACE_HAS(cone), .when = SCENE_SURFACES, .group = SCENE_SURFACE_SHAPE)},
    {"surfaces.cone.from", "numbers", "length", "[0, 0, 0]", "any", "centre of one end",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(exact.at), ANY, .length = true, .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.cone.to", "numbers", "length", "", "any", "centre of the other end",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(to), ANY, .length = true, SURFACE_HAS(to), .when = SCENE_SURFACES)},
    {"surfaces.cone.radius_from", "number", "length", "", "0 or more", "its radius at `from`",
     FIELD(.form = SCENE_FORM_NUMBER, OF_SURFACE(exact.radius[0]), FROM_0, .length = true, .when = SCENE_SURFACES)},
    {"surfaces.cone.radius_to", "number", "length", "", "0 or more", "its radius at `to`",
     FIELD(.form = SCENE_FORM_NUMBER, OF_SURFACE(exact.radius[1]), FROM_0, .length = true, .when = SCENE_SURFACES)},
    {"surfaces.cone.inside", "true or false", "", "false", "", "whether its front is inside; matters with one_sided only",
     FIELD(.form = SCENE_FORM_FLAG, OF_SURFACE(exact.inside), .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.sphere", "map", "", "", "", "a sphere; in 2D a circle",
     FIELD(.form = SCENE_FORM_MAP, SURFACE_HAS(sphere), .when = SCENE_SURFACES, .group = SCENE_SURFACE_SHAPE)},
    {"surfaces.sphere.at", "numbers", "length", "[0, 0, 0]", "any", "its centre",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(exact.at), ANY, .length = true, .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.sphere.radius", "number", "length", "", "above 0", "its radius",
     FIELD(.form = SCENE_FORM_NUMBER, OF_SURFACE(exact.radius[0]), ABOVE_0, .length = true, .when = SCENE_SURFACES)},
    {"surfaces.sphere.inside", "true or false", "", "false", "", "whether its front is inside; matters with one_sided only",
     FIELD(.form = SCENE_FORM_FLAG, OF_SURFACE(exact.inside), .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.disc", "map", "", "", "", "a flat disc, optionally with a round hole",
     FIELD(.form = SCENE_FORM_MAP, SURFACE_HAS(disc), .when = SCENE_SURFACES, .group = SCENE_SURFACE_SHAPE)},
    {"surfaces.disc.at", "numbers", "length", "[0, 0, 0]", "any", "its centre",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(exact.at), ANY, .length = true, .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.disc.normal", "numbers", "", "", "any", "direction of its front, of any length",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(exact.axis), ANY, .when = SCENE_SURFACES)},
    {"surfaces.disc.radius", "number", "length", "", "above 0", "its radius",
     FIELD(.form = SCENE_FORM_NUMBER, OF_SURFACE(exact.radius[0]), ABOVE_0, .length = true, .when = SCENE_SURFACES)},
    {"surfaces.disc.hole", "number", "length", "", "above 0", "radius of the hole; default: no hole",
     FIELD(.form = SCENE_FORM_NUMBER, OF_SURFACE(exact.radius[1]), ABOVE_0, .length = true, .when = SCENE_SURFACES)},
    {"surfaces.mesh", "text", "", "", "", "a file of triangles, .stl or .vtp; a relative name refers to the scene's folder",
     FIELD(.form = SCENE_FORM_TEXT, OF_SURFACE(mesh), SURFACE_HAS(mesh), .when = SCENE_SURFACES, .group = SCENE_SURFACE_SHAPE, .resolved = offsetof(scree_scene_surface, mesh_path))},
    {"surfaces.scale", "number", "", "1", "above 0", "of a mesh: factor of the coordinates of the file",
     FIELD(.form = SCENE_FORM_NUMBER, OF_SURFACE(scale), ABOVE_0, .when = SCENE_SURFACES, .quiet = true, .beside = "mesh")},
    {"surfaces.material", "name", "", "", "", "material; one of materials",
     FIELD(.form = SCENE_FORM_MATERIAL, OF_SURFACE(material), .when = SCENE_SURFACES, .later = offsetof(scree_scene_surface, material_name))},
    {"surfaces.velocity", "numbers", "length/time", "[0, 0, 0]", "any", "its velocity",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(velocity), ANY, .when = SCENE_SURFACES, .quiet = true, .signal = true, .motion = 1 + SCENE_MOTION_VELOCITY)},
    {"surfaces.spin", "numbers", "angle/time", "[0, 0, 0]", "any", "its angular velocity, about an axis through `about`; in 2D one number",
     FIELD(.form = SCENE_FORM_TURN, OF_SURFACE(spin), ANY, .when = SCENE_SURFACES, .quiet = true, .signal = true, .motion = 1 + SCENE_MOTION_SPIN)},
    {"surfaces.about", "numbers", "length", "[0, 0, 0]", "any", "centre of rotation, which moves with the velocity",
     FIELD(.form = SCENE_FORM_VECTOR, OF_SURFACE(about), ANY, .length = true, .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.oscillate", "map", "", "", "", "oscillation: amplitude, frequency, phase, direction (docs/loads.md)", FIELD(.form = SCENE_FORM_PART, .part = "oscillate", .motion = 1 + SCENE_MOTION_OSCILLATE, .when = SCENE_SURFACES)},
    {"surfaces.path", "text", "", "", "", "a CSV file of times and displacements", FIELD(.form = SCENE_FORM_ROWS, .motion = 1 + SCENE_MOTION_PATH, .when = SCENE_SURFACES)},
    {"surfaces.servo", "map", "", "", "", "force or torque control, with a largest speed", FIELD(.form = SCENE_FORM_PART, .part = "servo", .motion = 1 + SCENE_MOTION_SERVO, .when = SCENE_SURFACES)},
    {"surfaces.one_sided", "true or false", "", "false", "", "whether only spheres with centres on its front touch it; false: spheres on both sides do",
     FIELD(.form = SCENE_FORM_FLAG, OF_SURFACE(one_sided), .when = SCENE_SURFACES, .quiet = true)},
    {"surfaces.on_crossing", "word", "", "error", "error or remove", "what happens to a sphere whose centre passes through it; error: the run ends",
     FIELD(.form = SCENE_FORM_WORD, OF_SURFACE(on_crossing), .when = SCENE_SURFACES, WORDS("error", "remove"))},

    {"time", "map", "", "", "", "duration and time step", FIELD(.form = SCENE_FORM_MAP)},
    {"time.step", "number or auto", "time", "auto", "above 0", "auto: 1/50 of the shortest contact duration",
     FIELD(.form = SCENE_FORM_NUMBER, AT(sim.time_step), ABOVE_0, .automatic = true)},
    {"time.end", "number", "time", "", "above 0", "end time",
     FIELD(.form = SCENE_FORM_NUMBER, AT(end), ABOVE_0, .group = SCENE_LENGTH, .missing = "time.end (or time.steps)",
           .constant = START)},
    {"time.steps", "whole number", "", "", "0 to 1000000000000000", "number of steps",
     FIELD(.form = SCENE_FORM_INT64, AT(steps), WHOLE(0, STEPS_MOST), .group = SCENE_LENGTH,
           .constant = START)},
    {"time.until", "map", "", "", "", "the run ends earlier when quantities of the log fall below these numbers, all of them; {above: 5}: rise above; every_steps: how often that is looked at (100)",
     FIELD(.form = SCENE_FORM_CONDITION, AT(until), ANY, .constant = START)},
    {"time.integrator", "word", "", "velocity-verlet", "velocity-verlet or position-verlet", "both give the same trajectory up to rounding; affects the exact result",
     FIELD(.form = SCENE_FORM_WORD, AT(sim.integrator), .word = integrator_word, .when = SCENE_ALONE,
           .constant = START)},

    {"search", "map", "", "", "", "how contacts are found; never changes a result", FIELD(.form = SCENE_FORM_MAP,
           .constant = "it never changes a result; a resumed run may choose another method")},
    {"search.method", "word", "", "auto",
     "auto, all-pairs, verlet-list, linked-cells, linear-list, octree, loose-octree or hierarchical-grid", "",
     FIELD(.form = SCENE_FORM_WORD, AT(search.method), .word = method_word)},
    {"search.skin", "number or auto", "length", "auto", "any", "margin of the candidate list; below 0: a search for every step",
     FIELD(.form = SCENE_FORM_NUMBER, AT(search.skin), ANY, .length = true, .automatic = true)},
    {"search.cell_size", "number or auto", "length", "auto", "above 0", "linked-cells",
     FIELD(.form = SCENE_FORM_NUMBER, AT(search.cell_size), ABOVE_0, .length = true, .automatic = true, .when = SCENE_ALONE)},
    {"search.cell_sides", "numbers or auto", "length", "auto", "above 0", "linked-cells: sides along each axis, instead of search.cell_size",
     FIELD(.form = SCENE_FORM_VECTOR, AT(search.cell_sides), ABOVE_0, .length = true, .automatic = true, .when = SCENE_ALONE)},
    {"search.verlet_radius", "number or auto", "length", "auto", "above 0", "verlet-list: radius of the lists",
     FIELD(.form = SCENE_FORM_NUMBER, AT(search.verlet_radius), ABOVE_0, .length = true, .automatic = true, .when = SCENE_ALONE)},
    {"search.rebuild_every", "whole number or auto", "", "auto", "1 to 2147483647", "verlet-list: steps between new lists",
     FIELD(.form = SCENE_FORM_INT32, AT(search.rebuild_every), WHOLE(1, INT32_MAX), .automatic = true, .when = SCENE_ALONE)},
    {"search.levels", "whole number or auto", "", "auto", "1 to 64", "hierarchical-grid: largest number of levels",
     FIELD(.form = SCENE_FORM_INT32, AT(search.levels), WHOLE(1, SCREE_LEVELS_MOST), .automatic = true, .when = SCENE_ALONE)},
    {"search.cell_sizes", "list of numbers or auto", "length", "auto", "above 0", "hierarchical-grid: one per level, rising",
     FIELD(.form = SCENE_FORM_SIZES, AT(search.cell_size_count), ABOVE_0, .length = true, .automatic = true, .when = SCENE_ALONE)},
    {"search.loose_factor", "number or auto", "", "auto", "above 1, at most 1000000", "loose-octree: side of outer cubes over side of cells",
     FIELD(.form = SCENE_FORM_NUMBER, AT(search.loose_factor), .least = 1.0, .above = true, .most = 1e6, .automatic = true, .when = SCENE_ALONE)},
    {"search.direction", "word", "", "cheaper", "cheaper, finer or coarser", "hierarchical-grid: direction of the search between two levels",
     FIELD(.form = SCENE_FORM_WORD, AT(search.direction), .word = direction_word, .when = SCENE_ALONE)},
    {"search.range", "word", "", "tight", "tight, half-cell or iwai", "hierarchical-grid: which cells of other levels are searched",
     FIELD(.form = SCENE_FORM_WORD, AT(search.range), .word = range_word, .when = SCENE_ALONE)},
    {"search.box_test", "word", "", "auto", "auto, on or off", "linked-cells, hierarchical-grid: compare bounding boxes before the exact test",
     FIELD(.form = SCENE_FORM_WORD, AT(search.box_test), .word = box_test_word, .when = SCENE_ALONE)},

    {"output", "map", "", "", "", "output in addition to the first and the last frame", FIELD(.form = SCENE_FORM_MAP)},
    {"output.every", "number", "time", "", "above 0", "time between frames",
     FIELD(.form = SCENE_FORM_NUMBER, AT(output_every), ABOVE_0, .group = SCENE_FRAMES)},
    {"output.every_steps", "whole number", "", "", "1 to 1000000000000000", "steps between frames",
     FIELD(.form = SCENE_FORM_INT64, AT(output_every_steps), WHOLE(1, STEPS_MOST), .group = SCENE_FRAMES)},
    {"output.formats", "list of words", "", "[vtp]", "csv, vtp, xyz, lammps or npy", "file formats of frames",
     FIELD(.form = SCENE_FORM_FORMATS, AT(formats), .word = format_word,
           .constant = START)},
    {"output.contacts", "true or false", "", "false", "", "contacts with each frame, as CSV; also as VTP if formats has vtp", FIELD(.form = SCENE_FORM_FLAG, AT(contacts),
           .constant = START)},
    {"output.pictures", "true or false", "", "false", "", "a picture with each frame, all from the same camera", FIELD(.form = SCENE_FORM_FLAG, AT(pictures),
           .constant = START)},
    {"output.animation", "true or false", "", "false", "", "an animation of all pictures",
     FIELD(.form = SCENE_FORM_FLAG, AT(animation),
           .constant = START)},
    {"output.energies", "word", "", "auto", "auto, true or false",
     "dissipated energies, the work of walls, gravity and forces, and their balance in the log; auto: not for linear contacts without friction, which are much faster without",
     FIELD(.form = SCENE_FORM_WORD, AT(energies), .when = SCENE_ALONE, WORDS("auto", "true", "false"),
           .constant = START)},
    {"output.log_every_steps", "whole number or auto", "", "auto", "1 to 1000000000000000", "steps between rows of the log; auto: one row per frame",
     FIELD(.form = SCENE_FORM_INT64, AT(log_every_steps), WHOLE(1, STEPS_MOST), .automatic = true)},

    {"checkpoint", "map", "", "", "", "files from which a run continues after a crash", FIELD(.form = SCENE_FORM_MAP)},
    {"checkpoint.every", "seconds or whole number", "", "60s", "above 0", "60s: wall-clock seconds; 1000: steps",
     FIELD(.form = SCENE_FORM_PERIOD, AT(checkpoint_seconds), .least = 0.0, .above = true, .most = STEPS_MOST)},

    {"order_every", "whole number", "", "1000", "1 to 2147483647",
     "steps between renewals of the order in memory; affects the exact result",
     FIELD(.form = SCENE_FORM_INT32, AT(sim.order_every), WHOLE(1, INT32_MAX),
           .constant = "the result depends on it bit by bit")},
    {"giants", "number or auto", "length", "auto", "above 0",
     "radius from which on forces are summed as integers; auto: 64 times the median; affects the exact result",
     FIELD(.form = SCENE_FORM_NUMBER, AT(sim.giants), ABOVE_0, .length = true, .automatic = true, .when = SCENE_ALONE,
           .constant = "the result depends on it bit by bit")},
    {"seed", "whole number", "", "1", "0 to 9223372036854775807", "seed of the random numbers",
     FIELD(.form = SCENE_FORM_INT64, AT(seed), WHOLE(0, 9223372036854775807.0),
           .constant = "random numbers follow from the seed and the number of a sphere")},

    {"changes", "list of maps", "", "[]", "", "values that change during the run, in the order in which they happen",
     FIELD(.form = SCENE_FORM_ITEMS, AT(changes))},
    {"changes.at", "number", "time", "", "0 or more", "time of the change",
     FIELD(.form = SCENE_FORM_NUMBER, OF_CHANGE(at), FROM_0, .missing = "changes.at (or changes.when)")},
    {"changes.when", "map", "", "", "", "in place of changes.at: a condition as of time.until; the change happens once, after the changes before it",
     FIELD(.form = SCENE_FORM_CONDITION, OF_CHANGE(when), ANY)},
    {"changes.gravity", "numbers", "length/time^2", "", "any", "from this time on",
     FIELD(.form = SCENE_FORM_VECTOR, OF_CHANGE(gravity), ANY, .flag = offsetof(scree_scene_change, sets_gravity), .signal = true, LOAD(SCREE_LOAD_GRAVITY))},
    {"changes.gravity_turn", "numbers", "angle/time", "", "any", "from then on; in 2D one number",
     FIELD(.form = SCENE_FORM_TURN, OF_CHANGE(gravity_turn), ANY, .flag = offsetof(scree_scene_change, sets_turn), .when = SCENE_ALONE, .signal = true, LOAD(SCREE_LOAD_TURN))},
    {"changes.walls", "map", "", "", "", "from then on; other walls move as before",
     FIELD(.form = SCENE_FORM_MAP, .flag = offsetof(scree_scene_change, sets_walls), .when = SCENE_ALONE)},
    {"changes.walls.x", "two numbers", "length/time", "", "any", "velocities of the lower and the upper wall",
     FIELD(.form = SCENE_FORM_PAIR, OF_CHANGE(wall_velocity[0]), ANY, .when = SCENE_ALONE)},
    {"changes.walls.y", "two numbers", "length/time", "", "any", "the same along y",
     FIELD(.form = SCENE_FORM_PAIR, OF_CHANGE(wall_velocity[1]), ANY, .when = SCENE_ALONE)},
    {"changes.walls.z", "two numbers", "length/time", "", "any", "the same along z",
     FIELD(.form = SCENE_FORM_PAIR, OF_CHANGE(wall_velocity[2]), ANY, .when = SCENE_ALONE)},
    FACES("changes.walls.", "how it moves and its material from then on")
    {"changes.walls.material", "name", "", "", "", "material of walls without one of their own, from then on", FIELD(.form = SCENE_FORM_MATERIAL, OF_CHANGE(wall_material), .when = SCENE_MATERIALS)},
    LOADS("changes.surfaces", "map of maps", "", "", "from then on: how surfaces move, by their names: velocity, spin, oscillate, path, servo; and their material", .form = SCENE_FORM_PARTS, .part = "motion")
    MERGED("changes.contact", "map", "from then on: parameters of contact; others are unchanged", SCENE_ALWAYS)
    MERGED("changes.pairs", "list of maps", "from then on: entries of pairs, or some of their parameters", SCENE_MATERIALS)
    MERGED("changes.materials", "map of maps", "from then on: young and poisson of materials, by their names", SCENE_MATERIALS)
    MERGED("changes.insert", "map of maps", "from then on: rate, mass_rate, count, end, velocity and closed of entries of insert, by their names", SCENE_INSERTS)
    MERGED("changes.outlets", "map of maps", "from then on: closed of entries of outlets, by their names", SCENE_OUTLETS)
    MERGED("changes.output", "map", "from then on: every, every_steps and log_every_steps of output; frames count from the change on", SCENE_ALWAYS)
    MERGED("changes.checkpoint", "map", "from then on: every", SCENE_ALWAYS)
    MERGED("changes.time", "map", "from then on: step, a number; velocities are unchanged", SCENE_ALWAYS)
    {"changes.force", "map of numbers", "force", "", "any", "from then on: the external force on each sphere of a group, by its spheres.name; other groups are unchanged",
     FIELD(.form = SCENE_FORM_FORCES, OF_CHANGE(forces), ANY, .flag = offsetof(scree_scene_change, sets_force), .when = SCENE_ALONE, .signal = true, LOAD(SCREE_LOAD_FORCE))},
    LOADS("changes.torque", "map of numbers", "force length", "any", "from then on: the external torque on each sphere of a group; in 2D one number", .form = SCENE_FORM_BY_GROUP, .turns = true, LOAD(SCREE_LOAD_TORQUE))
    LOADS("changes.velocity", "map of numbers", "length/time", "any", "from then on: the group moves with this velocity, regardless of forces", .form = SCENE_FORM_BY_GROUP, LOAD(SCREE_LOAD_VELOCITY))
    LOADS("changes.spin", "map of numbers", "angle/time", "any", "the same for rotation: each sphere of the group has this spin; in 2D one number", .form = SCENE_FORM_BY_GROUP, .turns = true, LOAD(SCREE_LOAD_SPIN))
    LOADS("changes.freeze", "list of names", "", "", "groups that do not move from then on", .form = SCENE_FORM_GROUP_LIST, LOAD(SCREE_SCENE_FREEZE))
    LOADS("changes.release", "list of names", "", "", "fixed, driven or frozen groups that move freely from then on", .form = SCENE_FORM_GROUP_LIST, LOAD(SCREE_SCENE_RELEASE))
    LOADS("changes.drag", "map", "", "", "from then on: all keys of drag", .form = SCENE_FORM_PART, .part = "drag", LOAD(SCREE_LOAD_DRAG))
    LOADS("changes.local_damping", "number", "", "0 or more, below 1", "from this time on", .form = SCENE_FORM_SIGNAL, .least = 0.0, .most = 1.0, .below = true, LOAD(SCREE_LOAD_LOCAL_DAMPING))
    {"changes.cell", "map", "", "", "", "from then on; components that are not given do not change",
     FIELD(.form = SCENE_FORM_MAP, .flag = offsetof(scree_scene_change, sets_cell), .when = SCENE_ALONE)},
    CELL_KEYS("changes.cell", OF_CHANGE)

    {"start", "map", "", "", "", "start from the state of another run, instead of spheres", FIELD(.form = SCENE_FORM_MAP,
           .constant = "a run begins once")},
    {"start.run", "text", "", "", "", "the folder of that run; a relative name refers to the scene's folder",
     FIELD(.form = SCENE_FORM_TEXT, AT(start_run), .resolved = offsetof(scree_scene, start_path))},
    {"start.at", "word", "", "last", "last", "which state: that of the newest complete checkpoint",
     FIELD(.form = SCENE_FORM_WORD, AT(start_at), .when = SCENE_STARTED, WORDS("last"))},
    {"start.step", "whole number", "", "", "0 to 1000000000000000", "the step of that checkpoint; the new run writes it into its scene.yaml",
     FIELD(.form = SCENE_FORM_INT64, AT(start_step), WHOLE(0, STEPS_MOST), .when = SCENE_STARTED)},
    {"start.material_density", "number", "mass/volume", "", "above 0", "new density of all spheres",
     FIELD(.form = SCENE_FORM_NUMBER, AT(start_density), ABOVE_0, .when = SCENE_STARTED)},
};

// Keys of maps that stand in several places; field.part names them.
#define SMALL(path, kind, unit, usual, range, meaning, ...) {path, kind, unit, usual, range, meaning, FIELD(__VA_ARGS__)},
#define NUMBERS .form = SCENE_FORM_NUMBER

static const scree_scene_key parts[] = {
    SMALL("signal", "map", "", "", "", "a value that changes with time: one of ramp, sine and table, in place of the value", .form = SCENE_FORM_MAP)
    SMALL("signal.ramp", "two values", "", "", "any", "from the first to the second value, then constant", .form = SCENE_FORM_RAMP, ANY, .group = SCENE_SIGNALS)
    SMALL("signal.over", "number", "time", "", "above 0", "of a ramp: the time that it takes", NUMBERS, ABOVE_0, .beside = "ramp", .missing = "signal.over")
    SMALL("signal.sine", "value", "", "", "any", "amplitude: the value is mean + sine sin(2 pi frequency t + phase)", .form = SCENE_FORM_VALUE, ANY, .group = SCENE_SIGNALS)
    SMALL("signal.frequency", "number", "1/time", "", "0 or more", "of a sine", NUMBERS, FROM_0, .beside = "sine", .missing = "signal.frequency")
    SMALL("signal.phase", "number", "angle", "0", "any", "of a sine, in radians", NUMBERS, ANY, .beside = "sine")
    SMALL("signal.mean", "value", "", "0", "any", "of a sine", .form = SCENE_FORM_VALUE, ANY, .beside = "sine")
    SMALL("signal.table", "text or list of rows", "", "", "any", "a CSV file of times and values, or the rows, as in [[0, 0], [1, 2.5]]; linear between them", .form = SCENE_FORM_ROWS, .group = SCENE_SIGNALS)

    SMALL("oscillate", "map", "", "", "", "the displacement amplitude (sin(2 pi frequency t + phase) - sin(phase)) along a direction", .form = SCENE_FORM_MAP)
    SMALL("oscillate.amplitude", "number", "length", "", "any", "of the displacement", NUMBERS, ANY, .missing = "oscillate.amplitude")
    SMALL("oscillate.frequency", "number", "1/time", "", "0 or more", "periods per time", NUMBERS, FROM_0, .missing = "oscillate.frequency")
    SMALL("oscillate.phase", "number", "angle", "0", "any", "in radians", NUMBERS, ANY)
    SMALL("oscillate.direction", "numbers", "", "", "any", "of any length; default: across the wall", .form = SCENE_FORM_VECTOR, ANY)

    SMALL("servo", "map", "", "", "", "it moves so that the spheres exert this force, pressure or torque on it", .form = SCENE_FORM_MAP)
    SMALL("servo.force", "number", "force", "", "any", "along its direction; may change with time", NUMBERS, ANY, .group = SCENE_TARGETS, .signal = true, .part = "signal")
    SMALL("servo.pressure", "number", "force/area", "", "any", "force over area; may change with time", NUMBERS, ANY, .group = SCENE_TARGETS, .signal = true, .part = "signal")
    SMALL("servo.torque", "number", "force length", "", "any", "about its direction; may change with time", NUMBERS, ANY, .group = SCENE_TARGETS, .signal = true, .part = "signal")
    SMALL("servo.speed", "number", "length/time", "", "above 0", "largest speed; with a torque: largest spin", NUMBERS, ABOVE_0, .missing = "servo.speed")
    SMALL("servo.direction", "numbers", "", "", "any", "default: the normal, or the axis", .form = SCENE_FORM_VECTOR, ANY)
    SMALL("servo.area", "number", "area", "", "above 0", "of a pressure; default: that of the wall between the others", NUMBERS, ABOVE_0, .beside = "pressure")

    SMALL("drag", "map", "", "", "", "the force -(coefficient + per_mass m) v and the torque -(spin + per_mass I) w on each sphere; each may change with time", .form = SCENE_FORM_MAP)
    SMALL("drag.coefficient", "number", "mass/time", "0", "0 or more", "of the velocity", NUMBERS, FROM_0, .signal = true, .part = "signal")
    SMALL("drag.per_mass", "number", "1/time", "0", "0 or more", "the same per mass", NUMBERS, FROM_0, .signal = true, .part = "signal")
    SMALL("drag.spin", "number", "mass area/time", "0", "0 or more", "of the angular velocity", NUMBERS, FROM_0, .signal = true, .part = "signal")

    SMALL("wall", "map", "", "", "", "material and one motion of a wall of the box", .form = SCENE_FORM_MAP)
    SMALL("wall.material", "name", "", "", "", "one of materials", .form = SCENE_FORM_MATERIAL)
    SMALL("wall.velocity", "number or numbers", "length/time", "", "any", "along its axis, or a vector; may change with time", .form = SCENE_FORM_VALUE, ANY, .group = SCENE_MOTIONS, .signal = true, .part = "signal")
    SMALL("wall.oscillate", "map", "", "", "", "an oscillation", .form = SCENE_FORM_PART, .part = "oscillate", .group = SCENE_MOTIONS)
    SMALL("wall.path", "text or list of rows", "", "", "any", "a CSV file of times and displacements along its axis, or the rows", .form = SCENE_FORM_ROWS, .group = SCENE_MOTIONS)
    SMALL("wall.servo", "map", "", "", "", "force control, with a largest speed", .form = SCENE_FORM_PART, .part = "servo", .group = SCENE_MOTIONS)

    SMALL("motion", "map", "", "", "", "material and motion of a surface", .form = SCENE_FORM_MAP)
    SMALL("motion.velocity", "numbers", "length/time", "", "any", "its velocity; may change with time", .form = SCENE_FORM_VECTOR, ANY, .signal = true, .part = "signal")
    SMALL("motion.spin", "numbers", "angle/time", "", "any", "its angular velocity; in 2D one number; may change with time", .form = SCENE_FORM_TURN, ANY, .signal = true, .part = "signal")
    SMALL("motion.oscillate", "map", "", "", "", "an oscillation", .form = SCENE_FORM_PART, .part = "oscillate")
    SMALL("motion.path", "text or list of rows", "", "", "any", "a CSV file of times and displacements, or the rows", .form = SCENE_FORM_ROWS)
    SMALL("motion.servo", "map", "", "", "", "force or torque control, with a largest speed", .form = SCENE_FORM_PART, .part = "servo")
    SMALL("motion.material", "name", "", "", "", "one of materials", .form = SCENE_FORM_MATERIAL)
};

enum { KEYS = sizeof keys / sizeof *keys, PARTS = sizeof parts / sizeof *parts };
static_assert(KEYS <= SCENE_KEYS_MOST, "scene_reader has a place for each key");

const scree_scene_key* scree_scene_keys(int32_t* count)
{
    SCREE_NEED_OR(count, NULL);
    *count = KEYS;
    return keys;
}

const scree_scene_key* scree_scene_part_keys(int32_t* count)
{
    *count = PARTS;
    return parts;
}

// ---- For programs ----------------------------------------------------------------------------------------------------

// The key directly inside one of the main table or of a part, by its last name or, where `name` is NULL, by its number.
static const scree_scene_key* inside(const scree_scene_key* key, const char* name, size_t length, int32_t n)
{
    const scene_field* field = key != NULL ? key->field : NULL;
    const bool part = field != NULL && (field->part != NULL || (key >= parts && key < parts + PARTS)), merged = field != NULL && field->form == SCENE_FORM_MERGED;
    const char* map = key == NULL ? "" : field->part != NULL ? field->part : merged ? scree_scene_last_name(key->path) : key->path;
    const scree_scene_key* rows = part ? parts : keys;
    for (int32_t k = 0; k < (part ? PARTS : KEYS); ++k) {
        const char* own = scree_scene_last_name(rows[k].path);
        if (!scree_scene_is_child(rows[k].path, map) || (merged && rows[k].field->constant != NULL))
            continue;
        if (name != NULL ? strlen(own) == length && memcmp(own, name, length) == 0 : n-- == 0)
            return &rows[k];
    }
    return NULL;
}

const scree_scene_key* scree_scene_key_inside(const scree_scene_key* key, int32_t n)
{
    return inside(key, NULL, 0, n);
}

// Keys that have this last name, or one like it, for an error.
static scree_status fail_unknown(const char* path)
{
    const char* last = scree_scene_last_name(path);
    char near[512] = "";
    int64_t least = INT64_MAX;
    for (int32_t k = 0; k < KEYS; ++k) {
        const char* name = scree_scene_last_name(keys[k].path);
        const int64_t apart = strlen(last) > 64 ? 64 : scree_letters_apart(last, last + strlen(last), name);
        const size_t used = apart > least ? sizeof near : apart < least ? 0 : strlen(near);
        if (!scree_spelling_is_close(apart, name) || used + strlen(keys[k].path) + 3 > sizeof near)
            continue;
        snprintf(near + used, sizeof near - used, "%s%s", used > 0 ? ", " : "", keys[k].path);
        least = apart;
    }
    char shown[SCREE_SHOWN];
    scree_csv_shown(shown, path, (int64_t)strlen(path));
    return *near != '\0' ? scree_fail(SCREE_ERR_ARGUMENT, "scenes have no key '%s'; expected a known one: did you mean %s?", shown, near)
                         : scree_fail(SCREE_ERR_ARGUMENT, "scenes have no key '%s'; expected a known one, like contact.friction", shown);
}

scree_status scree_scene_find_key(const char* path, const scree_scene_key** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    const scree_scene_key* key = NULL;
    for (const char* part = path; *part != '\0';) {
        const size_t length = strcspn(part, ".");
        key = inside(key, part, length, 0);
        if (key == NULL)
            return fail_unknown(path);
        part += length + (part[length] == '.');
    }
    *out = key;
    return key != NULL ? SCREE_OK : fail_unknown(path);
}

scree_status scree_scene_key_condition(const scree_scene_key* key, char* text, size_t size)
{
    SCREE_NEED(key);
    SCREE_NEED(text);
    const scene_field* field = key->field;
    const scene_rule* rule = scree_scene_rule(field->when);
    char all[1024];
    size_t used = (size_t)snprintf(all, sizeof all, "%s", rule->when != NULL ? rule->when : "");
    for (int32_t law = 0, count = 0; field->laws != 0 && field->laws != LAWS_ALL && scree_sim_law_name(law) != NULL; ++law)
        if ((field->laws >> law & 1u) != 0)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count++ > 0 ? ", " : used > 0 ? ", with contact.law " : "with contact.law ", scree_sim_law_name(law));
    const bool part = key >= parts && key < parts + PARTS;
    for (int32_t k = 0, count = 0; k < (part ? PARTS : KEYS) && field->group != SCENE_NO_GROUP; ++k) {
        const scree_scene_key* other = &(part ? parts : keys)[k];
        if (other != key && other->field->group == field->group)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count++ > 0 ? " or " : used > 0 ? ", without " : "without ", other->path);
    }
    if (field->beside != NULL)
        snprintf(all + used, sizeof all - used, "%swith %s", used > 0 ? ", " : "", field->beside);
    snprintf(text, size, "%s", all);
    return SCREE_OK;
}

// ---- For the reader --------------------------------------------------------------------------------------------------

int32_t scree_scene_find(const char* path)
{
    int32_t k = 0;
    while (k < KEYS && strcmp(keys[k].path, path) != 0)
        ++k;
    assert(k < KEYS);
    return k;
}

const char* scree_scene_last_name(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot == NULL ? path : dot + 1;
}

bool scree_scene_is_child(const char* path, const char* map)
{
    size_t length = strlen(map);
    const char* name = scree_scene_last_name(path);
    if (length == 0)
        return name == path;
    return strncmp(path, map, length) == 0 && path[length] == '.' && name == path + length + 1;
}

bool scree_scene_has_wall(const scree_scene* scene, int axis)
{
    int round = scene->sim.container == SCREE_CONTAINER_CYLINDER ? 2 : scene->sim.container == SCREE_CONTAINER_BOX ? 0 : 3;
    return axis >= round && axis < scene->sim.box.dim && !scene->box_periodic[axis];
}

int scree_scene_axis(char letter)
{
    return letter >= 'x' && letter <= 'z' ? letter - 'x' : -1;
}
