// When a key may be there. A condition is a row: what must be true of the scene and what must not (facts), how that is said in the manual of a key (when) and in an error (otherwise),
// and the values of a scene for which a schema denies the key (unless), as far as a schema can see that.
#include "scene/scene_inner.h"

#include "scene/parameters.h"
#include "scene/place.h"

#include <math.h>

// ---- Facts -----------------------------------------------------------------------------------------------------------

// Of a scene and, where it is about spheres, of a group.
enum {
    IS_SPHERES = 1 << 0, IS_BODIES = 1 << 1, IS_ROUNDED = 1 << 2, IS_MADE = 1 << 3, IS_LATTICE = 1 << 4, IS_THERMAL = 1 << 5, IS_RULED = 1 << 6, IS_FILLED = 1 << 7,
    IS_READ = 1 << 8, IS_BOXED = 1 << 9, IS_FAST = 1 << 10, IS_TIMED = 1 << 11, IS_DAMPED = 1 << 12, IS_COUNTED = 1 << 13, IS_MATERIALS = 1 << 14, IS_ELASTIC = 1 << 15,
    IS_STARTED = 1 << 16, IS_TURNED = 1 << 17, IS_PAIRS = 1 << 18, IS_BONDS = 1 << 19, IS_SURFACES = 1 << 20, IS_HARD = 1 << 21, IS_SOFT = 1 << 22, IS_INSERTS = 1 << 23,
    IS_OUTLETS = 1 << 24, IS_KNOWN = 1 << 25, IS_REGION = 1 << 26, IS_WALLED = 1 << 27
};

// Whether any spheres have a density that the box follows from; and whether any come from a file or from another run.
static bool is_filled(const scree_scene* scene)
{
    bool filled = false;
    for (int64_t n = 0; n < scene->group_count; ++n)
        filled = filled || (scene->groups[n].density > 0.0 && scene->groups[n].region.kind == SCREE_REGION_NONE);
    return filled;
}

static bool is_read(const scree_scene* scene)
{
    bool read = scene->start_run != NULL;
    for (int64_t n = 0; n < scene->group_count; ++n)
        read = read || scene->groups[n].file != NULL;
    return read;
}

bool scree_scene_is_elastic(const scree_scene* scene)
{
    return (scree_scene_law_bit(scene) & LAWS_CURVED) != 0 || scene->contact.stiffness != 0;
}

static unsigned facts_of(const scree_scene* scene, const scree_scene_group* group)
{
    const scree_scene_group one = group != NULL ? *group : *scree_scene_first_group(scene);
    const bool listed = scene->listed, started = scene->start_run != NULL, made = one.file == NULL && !started, filled = is_filled(scene);
    const bool elastic = scree_scene_is_elastic(scene), overlap = scene->sim.overlap > 0.0, stiff = scree_scene_pairs_stiff(scene), paired = scene->pair_count > 0 || scene->contact.mix;
    const unsigned law = scree_scene_law_bit(scene);
    const struct {
        unsigned fact;
        bool holds;
    } all[] = {
        {IS_SPHERES, listed || scene->body_count == 0 || one.count > 0 || one.file != NULL || one.sizes != NULL},
        {IS_BODIES, scene->body_count > 0},
        {IS_ROUNDED, scene->contact.rule == SCREE_POLYGON_ROUNDED},
        {IS_MADE, made},
        {IS_LATTICE, one.place == SCREE_PLACE_LATTICE},
        {IS_THERMAL, one.start == SCREE_START_THERMAL},
        {IS_RULED, one.temperature == 0.0},
        {IS_FILLED, filled},
        {IS_READ, is_read(scene)},
        {IS_BOXED, filled || scene->box_size[0] > 0.0},
        {IS_FAST, overlap || elastic},
        {IS_TIMED, overlap || (elastic && (scene->contact.stiffness != 0 || scene->sim.time_step == 0.0))},
        {IS_DAMPED, scene->contact.damping != SCREE_DAMPING_AS_GIVEN || (scene->sim.restitution == 0.0 && (scene->damps || scene->sim.damping != 0.0 || !scree_scene_is_lossy(scene)))},
        {IS_COUNTED, made || listed},
        {IS_MATERIALS, scene->material_count > 0},
        {IS_ELASTIC, elastic},
        {IS_STARTED, started},
        {IS_TURNED, scree_scene_turns(scene)},
        {IS_PAIRS, paired},
        {IS_WALLED, paired || (elastic && (scene->material_count > 0 || started))},
        {IS_BONDS, scene->bond_count > 0},
        {IS_SURFACES, scene->surface_count > 0},
        {IS_HARD, (law & LAWS_FLAT) != 0 && !stiff},
        {IS_SOFT, (law & LAW_PLASTIC) != 0 && !stiff},
        {IS_INSERTS, scene->insert_count > 0},
        {IS_OUTLETS, scene->outlet_count > 0},
        {IS_KNOWN, !started || listed},
        {IS_REGION, one.region.kind != SCREE_REGION_NONE && one.density != 0.0},
    };
    unsigned facts = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        facts |= all[k].holds ? all[k].fact : 0u;
    return facts;
}

// ---- Conditions ------------------------------------------------------------------------------------------------------

// Parts of schemas.
#define NOT(schema) "{\"not\":" schema "}"
#define ANY_OF(a, b) "{\"anyOf\":[" a "," b "]}"
#define HAS(key) "{\"required\":[\"" key "\"]}"
#define IS(key, schema) "{\"required\":[\"" key "\"],\"properties\":{\"" key "\":" schema "}}"
#define ONE_OF(words) "{\"enum\":[" words "]}"
#define BODIES IS("bodies", "{\"minItems\":1}")
#define MATERIALS IS("materials", "{\"minProperties\":1}")
#define DENSE "{\"type\":\"object\",\"required\":[\"density\"],\"not\":{\"required\":[\"region\"]}}"
#define FROM_FILE "{\"type\":\"object\",\"required\":[\"file\"]}"
#define SPHERES(group) IS("spheres", ANY_OF(group, "{\"type\":\"array\",\"contains\":" group "}"))
#define BOXED ANY_OF(SPHERES(DENSE), IS("box", HAS("size")))
#define ELASTIC_CONTACT ANY_OF(IS("law", ONE_OF("\"hertz\",\"jkr\",\"dmt\"")), IS("stiffness", ONE_OF("\"from-young\"")))
#define ELASTIC IS("contact", ELASTIC_CONTACT)
#define FAST ANY_OF(HAS("overlap"), ELASTIC_CONTACT)
#define LATTICE IS("place", ONE_OF("\"lattice\""))
#define THERMAL IS("velocity", ONE_OF("\"thermal\""))
#define PAIRS IS("pairs", ANY_OF("{\"const\":\"mix\"}", "{\"type\":\"array\",\"minItems\":1}"))

#define ELASTIC_LAWS "the laws hertz, jkr and dmt, or linear with contact.stiffness: from-young"
#define NEEDS_MATERIALS "has no effect without materials; expected a map of names, as in materials: {glass: {material_density: 2500}}"

static const scene_rule rules[] = {
    [SCENE_ALWAYS] = {.when = NULL},
    [SCENE_SPHERES] = {IS_SPHERES, 0, "with spheres", "is for scenes with spheres; expected spheres.count, sizes and place, or spheres.file", NULL, NULL},
    [SCENE_BODIES] = {IS_BODIES, 0, "with bodies", "has no effect here; expected it with bodies only", "", NOT(BODIES)},
    [SCENE_CORNERS] = {IS_BODIES | IS_ROUNDED, 0, "with bodies and contact.rule: rounded", "has no effect here; expected it with bodies and contact.rule: rounded only", "", NOT(BODIES)},
    [SCENE_ALONE] = {0, IS_BODIES, "without bodies", "is not supported with bodies; expected a scene of spheres only", "", BODIES},
    [SCENE_MADE] = {IS_SPHERES | IS_MADE, 0, "with generated spheres: neither spheres.file nor start", "is for generated spheres; expected neither spheres.file nor start.run with it", "spheres", HAS("file")},
    [SCENE_LATTICE] = {IS_SPHERES | IS_MADE | IS_LATTICE, 0, "with spheres.place: lattice", "has no effect here; expected it with spheres.place: lattice only", "spheres", NOT(LATTICE)},
    [SCENE_THERMAL] = {IS_SPHERES | IS_THERMAL, 0, "with spheres.velocity: thermal", "has no effect here; expected it with spheres.velocity: thermal only", "spheres", NOT(THERMAL)},
    [SCENE_RULE] = {IS_SPHERES | IS_THERMAL | IS_RULED, 0, "with spheres.velocity: thermal, without spheres.temperature", "has no effect here; expected it with spheres.velocity: thermal without a temperature",
                    "spheres", ANY_OF(NOT(THERMAL), IS("temperature", "{\"type\":\"number\"}"))},
    [SCENE_UNFILLED] = {0, IS_FILLED, "without spheres.density", "excludes spheres.density, which sets the size of the box; expected one of them", "", SPHERES(DENSE)},
    [SCENE_SIZED] = {0, IS_FILLED | IS_READ, "with box.size and generated spheres", "has no effect here; expected box.size and generated spheres with it", "",
                     ANY_OF(ANY_OF(SPHERES(DENSE), SPHERES(FROM_FILE)), HAS("start"))},
    [SCENE_FILLED] = {IS_FILLED, 0, "with spheres.density", "has no effect here; expected it with spheres.density, which sets the size of the box", "", NOT(SPHERES(DENSE))},
    [SCENE_BOXED] = {IS_BOXED, 0, "with box.size or spheres.density", "has no effect here; expected box.size with it, since otherwise the box of the file or the run is used", "", NOT(BOXED)},
    [SCENE_SPEED] = {IS_FAST, 0, "with contact.overlap, " ELASTIC_LAWS, "has no effect here; expected it with contact.overlap, contact.stiffness: from-young, or the laws hertz, jkr and dmt",
                     "contact", NOT(FAST)},
    [SCENE_FAST] = {IS_TIMED, 0, NULL, "has no effect here; expected no such key", NULL, NULL},
    [SCENE_DAMPED] = {IS_DAMPED, 0, "without contact.restitution", "excludes contact.restitution; expected one of them", NULL, NULL},
    [SCENE_COUNTED] = {IS_SPHERES | IS_COUNTED, 0, "with generated spheres, or in a list of groups", "is for generated spheres; expected no spheres.file with it", "", IS("spheres", FROM_FILE)},
    [SCENE_MATERIALS] = {IS_MATERIALS, 0, "with materials", NEEDS_MATERIALS, "", NOT(MATERIALS)},
    [SCENE_MATERIAL] = {IS_SPHERES | IS_MATERIALS, 0, "with materials", NEEDS_MATERIALS, "", NOT(ANY_OF(MATERIALS, HAS("start")))},
    [SCENE_UNMARKED] = {IS_SPHERES | IS_MATERIALS | IS_MADE, 0, NULL, "has no effect here; expected no such key", NULL, NULL},
    [SCENE_ELASTIC] = {IS_ELASTIC, 0, "with " ELASTIC_LAWS, "has no effect here; expected it with " ELASTIC_LAWS, "", NOT(ELASTIC)},
    [SCENE_NAMELESS] = {IS_ELASTIC, IS_MATERIALS, "without materials, with " ELASTIC_LAWS, "has no effect here; expected it in scenes without materials, with " ELASTIC_LAWS, "",
                        ANY_OF(MATERIALS, NOT(ELASTIC))},
    [SCENE_UNNAMED] = {IS_ELASTIC, IS_MATERIALS | IS_STARTED, NULL, "has no effect here; expected no such key", NULL, NULL},
    [SCENE_TURNED] = {IS_SPHERES | IS_TURNED, IS_STARTED, "where contacts turn spheres: friction, rolling_friction, twisting_friction or bonds",
                      "has no effect without torques on spheres; expected contact.friction, rolling_friction or twisting_friction (or the same in pairs), or bonds", NULL, NULL},
    [SCENE_DENSITY] = {IS_SPHERES, IS_MATERIALS, "without materials", "excludes materials; expected the density of spheres.material only", "", MATERIALS},
    [SCENE_BODY_MATERIAL] = {IS_BODIES | IS_MATERIALS, 0, "with materials", NEEDS_MATERIALS, "", NOT(MATERIALS)},
    [SCENE_BODY_DENSITY] = {IS_BODIES, IS_MATERIALS, "without materials", "excludes materials; expected the density of bodies.material only", "", MATERIALS},
    [SCENE_STARTED] = {IS_STARTED, 0, "with start.run", "has no effect without start.run; expected the folder of a run there", "start", NOT(HAS("run"))},
    [SCENE_OWN] = {IS_SPHERES, IS_STARTED, "without start", "excludes start; expected the spheres of that run only", "", HAS("start")},
    [SCENE_KNOWN_GROUPS] = {IS_KNOWN, 0, "without start", "has no effect here; expected no such key", "", IS("start", NOT(HAS("step")))},
    [SCENE_PAIRS] = {IS_PAIRS, 0, "with pairs", "has no effect here; expected pairs, since without them all materials have the same contacts", NULL, NULL},
    [SCENE_WALLED] = {IS_WALLED, 0, "with pairs, or with materials and " ELASTIC_LAWS, "has no effect here; expected pairs or Young's moduli, since without them all materials have the same contacts", "",
                      NOT(ANY_OF(PAIRS, ELASTIC))},
    [SCENE_BONDS] = {IS_BONDS, 0, "with bonds", "has no effect here; expected it with bonds only", NULL, NULL},
    [SCENE_SURFACES] = {IS_SURFACES, 0, "with surfaces", "has no effect here; expected it with surfaces only", NULL, NULL},
    [SCENE_HARD] = {IS_HARD | IS_KNOWN, 0, NULL, "has no effect here; expected no such key", NULL, NULL},
    [SCENE_SOFT] = {IS_SOFT | IS_KNOWN, 0, NULL, "has no effect here; expected no such key", NULL, NULL},
    [SCENE_ROUND] = {IS_BOXED, IS_BODIES, "with box.size or spheres.density, without bodies", "has no effect here; expected box.size or spheres.density with it, and no bodies", "", ANY_OF(BODIES, NOT(BOXED))},
    [SCENE_NUMBERED] = {IS_SPHERES | IS_MADE, IS_REGION, NULL, "has no effect here; expected no such key", NULL, NULL},
    [SCENE_INSERTS] = {IS_INSERTS, 0, "with insert", "has no effect here; expected it with insert only", "", NOT(HAS("insert"))},
    [SCENE_OUTLETS] = {IS_OUTLETS, 0, "with outlets", "has no effect here; expected it with outlets only", "", NOT(HAS("outlets"))},
};

#define FLAT IS("dimension", ONE_OF("2"))
#define OTHER_METHOD(words) IS("search", NOT(IS("method", ONE_OF(words)))), "{\"enum\":[\"auto\",\"cheaper\",\"tight\"]}"

// What stands nowhere as the condition of a key, for schemas; the code that reads these keys rejects them.
static const scene_conflict conflicts[] = {
    {"search.cell_size", OTHER_METHOD("\"linked-cells\"")},
    {"search.cell_sides", OTHER_METHOD("\"linked-cells\"")},
    {"search.verlet_radius", OTHER_METHOD("\"verlet-list\"")},
    {"search.rebuild_every", OTHER_METHOD("\"verlet-list\"")},
    {"search.levels", OTHER_METHOD("\"hierarchical-grid\"")},
    {"search.cell_sizes", OTHER_METHOD("\"hierarchical-grid\"")},
    {"search.direction", OTHER_METHOD("\"hierarchical-grid\"")},
    {"search.range", OTHER_METHOD("\"hierarchical-grid\"")},
    {"search.box_test", OTHER_METHOD("\"linked-cells\",\"hierarchical-grid\"")},
    {"search.loose_factor", OTHER_METHOD("\"loose-octree\"")},
    {"cell.shear", IS("cell", IS("strain", HAS("xy"))), "false"},
    {"cell.stress.pressure", IS("cell", IS("stress", ANY_OF(HAS("xx"), ANY_OF(HAS("yy"), HAS("zz"))))), "false"},
    {"bodies", NOT(FLAT), "false"},
    {"bodies", HAS("start"), "false"},
    {"materials", IS("start", NOT(HAS("step"))), "false"},
    {"pairs", NOT(ANY_OF(MATERIALS, HAS("start"))), "false"},
    {"bonds", BODIES, "false"},
    {"surfaces", BODIES, "false"},
    {"insert", BODIES, "false"},
    {"outlets", BODIES, "false"},
    {"insert", HAS("start"), "false"},
    {"spheres.density", BODIES, "false"},
    {"surfaces.cylinder", FLAT, "false"},
    {"surfaces.cone", FLAT, "false"},
    {"surfaces.disc", FLAT, "false"},
    {"surfaces.mesh", FLAT, "false"},
    {"spheres.region.from", FLAT, "false"},
    {"spheres.region.mesh", FLAT, "false"},
    {"insert.region.from", FLAT, "false"},
    {"outlets.region.from", FLAT, "false"},
    {"box.tilt.xz", FLAT, "false"},
    {"box.tilt.yz", FLAT, "false"},
    {"surfaces.material", NOT(ANY_OF(MATERIALS, HAS("start"))), "false"},
};

const scene_conflict* scree_scene_conflicts(int32_t* count)
{
    *count = (int32_t)(sizeof conflicts / sizeof *conflicts);
    return conflicts;
}

const scene_rule* scree_scene_rule(scene_condition condition)
{
    return &rules[condition];
}

bool scree_scene_holds(const scree_scene* scene, const scree_scene_group* group, scene_condition condition)
{
    const scene_rule* rule = &rules[condition];
    const unsigned facts = rule->with != 0 || rule->without != 0 ? facts_of(scene, group) : 0u;
    return (facts & rule->with) == rule->with && (facts & rule->without) == 0;
}

bool scree_scene_goes_with_law(const scree_scene* scene, const scene_field* field)
{
    return field->laws == 0 || (field->laws & scree_scene_law_bit(scene)) != 0;
}

bool scree_scene_means(const scree_scene* scene, const scree_scene_group* group, const scene_field* field)
{
    return scree_scene_holds(scene, group, field->when) && scree_scene_goes_with_law(scene, field);
}
