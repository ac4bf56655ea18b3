// Contacts: what `contact` says for all and `pairs` for two materials, as the law that a simulation takes.
//
// A parameter (scene_parameters.h) has a value for each pair of materials:
//
//     its own entry of pairs  ->  pairs: mix, the geometric mean of the two materials  ->  the number for all (contact)  ->  its default
//
// As soon as one entry has a parameter that is NEEDED, all pairs that can meet must have it; a pair that can meet and has no entry must have all that entries
// have. Spheres that move can meet each other, fixed spheres and walls. What cannot meet is filled with a value that changes nothing. O(materials^2).
//
// With contact.stiffness: from-young the stiffness of the linear law is that with which two spheres that meet with the speed V overlap by as much as by the
// law of Hertz (as in LIGGGHTS): k = 16/15 sqrt(R) E (15 m V^2 / (16 sqrt(R) E))^(1/5), with the effective modulus E of the two materials, and the reduced radius R
// and mass m of the lightest two spheres of them.
#include "scene/scene_inner.h"

#include "base/argument.h"
#include "scene/parameters.h"
#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct parameter {
    const char* name;  // of the key
    size_t at;         // in scree_sim_pair
    size_t for_all;    // in scree_scene
    bool of_sim;       // the number for all is one of scree_sim_def, where 0 is: not given
    unsigned laws;
    scene_part part;
    bool needed;
    scene_use use;
} parameter;

#define MEMBER_OF_SIM(key, member, unit, usual, text, range, for_laws, of_part, need, of_use, meaning) \
    {#key, offsetof(scree_sim_pair, member), offsetof(scree_scene, sim.member), true, for_laws, of_part, need, of_use},
#define MEMBER_OF_PAIR(key, member, unit, usual, text, range, for_laws, of_part, need, of_use, meaning) \
    {#key, offsetof(scree_sim_pair, member), offsetof(scree_scene, contact.values.member), false, for_laws, of_part, need, of_use},

static const parameter table[] = {SCENE_PARAMETERS_OF_SIM(MEMBER_OF_SIM) SCENE_PARAMETERS_OF_PAIR(MEMBER_OF_PAIR)};

static const int losses[] = {OF_damping, OF_restitution, OF_viscous_time};  // a scene has one of them
enum { loss_count = sizeof losses / sizeof *losses };

const char* scree_scene_parameter(int p)
{
    return p >= 0 && p < parameters ? table[p].name : NULL;
}

unsigned scree_scene_parameter_beside(int p, int set)
{
    return table[p].use.beside[set];
}

static double* value_at(scree_sim_pair* pair, int p)
{
    return (double*)(void*)((char*)pair + table[p].at);
}

static bool has_law(const scree_scene* scene, int p)
{
    return (table[p].laws & scree_scene_law_bit(scene)) != 0;
}

// Whether scree_polygon_pair has it.
static bool is_of_bodies(int p)
{
    return (table[p].laws & LAW_LINEAR) != 0 && (table[p].of_sim || table[p].part == PART_TANGENTIAL);
}

// NAN: the entry does not have it.
static double value_in(const scree_scene* scene, int64_t entry, int p)
{
    double value = NAN;
    if (has_law(scene, p))
        memcpy(&value, (const char*)&scene->pairs[entry].values + table[p].at, sizeof value);
    return value;
}

// The first entry that has it; -1: none.
static int64_t first_with(const scree_scene* scene, int p)
{
    for (int64_t n = 0; n < scene->pair_count; ++n)
        if (!isnan(value_in(scene, n, p)))
            return n;
    return -1;
}

static bool any_has(const scree_scene* scene, int p)
{
    return first_with(scene, p) >= 0;
}

// The number for all contacts; NAN: there is none.
static double value_for_all(const scree_scene* scene, int p)
{
    double value;
    memcpy(&value, (const char*)scene + table[p].for_all, sizeof value);
    if (!has_law(scene, p) || (table[p].of_sim && value == 0.0 && !(p == OF_damping && scene->damps)))
        return NAN;
    return value;
}

bool scree_scene_pairs_stiff(const scree_scene* scene)
{
    return any_has(scene, OF_stiffness) || any_has(scene, OF_k1);
}

bool scree_scene_is_lossy(const scree_scene* scene)
{
    for (int k = 0; k < loss_count; ++k)
        if (any_has(scene, losses[k]))
            return true;
    return !isnan(value_for_all(scene, OF_viscous_time));
}

// Whether contact or a pair has it, be it 0.
static bool is_given(const scree_scene* scene, int p)
{
    return any_has(scene, p) || !isnan(value_for_all(scene, p));
}

// Whether any pair has a value above 0.
static bool is_used(const scree_scene* scene, int p)
{
    bool used = value_for_all(scene, p) > 0.0;
    for (int64_t n = 0; n < scene->pair_count; ++n)
        used = used || value_in(scene, n, p) > 0.0;
    return used;
}

static uint32_t own_parts(const scree_scene* scene)
{
    const scree_scene_contact* c = &scene->contact;
    bool curved = (scree_scene_law_bit(scene) & LAWS_CURVED) != 0;
    const struct {
        int32_t word;       // 0: auto, 1: none
        int32_t automatic;  // what auto is if the parameter is used
        int parameter;
    } parts[] = {{c->tangential, curved ? 3 : 2, OF_friction}, {c->rolling, 2, OF_rolling_friction}, {c->twisting, 2, OF_twisting_friction}};
    uint32_t all = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        int32_t part = parts[k].word != 0 ? parts[k].word - 1 : is_used(scene, parts[k].parameter) ? parts[k].automatic - 1 : 0;
        all |= (uint32_t)part << 4 * k;
    }
    return is_used(scene, OF_bridge_volume) ? all | SCENE_PART_BRIDGE : all;
}

// Initial pairs, and pairs of changes.
uint32_t scree_scene_parts(const scree_scene* scene)
{
    uint32_t all = own_parts(scene);
    for (int64_t c = 0; c < scene->change_count; ++c) {
        uint32_t more = scene->changes[c].sets_contacts && scene->changes[c].scene != NULL ? own_parts(scene->changes[c].scene) : 0;
        for (int part = 0; part < 12; part += 4)
            all |= (all >> part & 0xFu) == 0 ? more & 0xFu << part : 0u;
    }
    return all;
}

static bool rubs(const scree_scene* scene)
{
    return scene->contact.tangential != 1 && is_used(scene, OF_friction);
}

bool scree_scene_rubs(const scree_scene* scene)
{
    bool any = rubs(scene);
    for (int64_t c = 0; c < scene->change_count; ++c)
        any = any || (scene->changes[c].sets_contacts && scene->changes[c].scene != NULL && rubs(scene->changes[c].scene));
    return any;
}

bool scree_scene_turns(const scree_scene* scene)
{
    return (scree_scene_parts(scene) & ~SCENE_PART_BRIDGE) != 0 || scene->bond_count > 0;
}

bool scree_scene_has_energies(const scree_scene* scene)
{
    bool plain = (scree_scene_law_bit(scene) & LAWS_FLAT) != 0 && scree_scene_parts(scene) == 0 && scene->contact.pull;
    return scene->energies == 1 || (scene->energies == 0 && !plain);
}

bool scree_scene_says_contact(const scree_scene* scene)
{
    const scree_scene_contact* c = &scene->contact;
    bool says = c->damping != 0 || c->stiffness != 0 || c->tangential != 0 || c->rolling != 0 || c->twisting != 0 || !c->pull || c->mix || c->young != 0.0;
    for (int p = 0; p < parameters; ++p)
        says = says || !isnan(value_for_all(scene, p));
    return says || scene->law != 0 || scene->sim.speed > 0.0;
}

scree_sim_pair scree_scene_no_values(void)
{
    scree_sim_pair pair = scree_default_sim_pair();
    for (int p = 0; p < parameters; ++p)
        *value_at(&pair, p) = NAN;
    return pair;
}

// ---- Reading -----------------------------------------------------------------------------------------------------

static const char* name_of(const scree_scene* scene, int64_t material)
{
    const char* name = material >= 0 && material < scene->material_count ? scene->materials[material].name : NULL;
    return name != NULL ? name : "?";
}

// One of the two of an entry, by its number or, where the materials are not known yet, by its name.
static const char* name_in(const scree_scene* scene, const scree_scene_pair* pair, int k)
{
    return pair->names[k] != NULL ? pair->names[k] : name_of(scene, pair->between[k]);
}

static const scene_node* given_in(const scene_reader* reader, const char* map, int p)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%s", map, table[p].name);
    return reader->given[scree_scene_find(path)];
}

scree_status scree_scene_check_pair(scene_reader* reader, const scene_node* node, int32_t n)
{
    const scree_scene* scene = reader->scene;
    const scree_scene_pair* pair = &scene->pairs[n];
    if (reader->given[scree_scene_find("pairs.between")] == NULL)
        return scree_scene_fail(reader->tree, node, "a key is missing; expected pairs.between, the names of two materials");
    const char *a = name_in(scene, pair, 0), *b = name_in(scene, pair, 1);  // names of materials are unique
    for (int32_t k = 0; k < n; ++k) {
        const char *c = name_in(scene, &scene->pairs[k], 0), *d = name_in(scene, &scene->pairs[k], 1);
        if ((strcmp(c, a) == 0 && strcmp(d, b) == 0) || (strcmp(c, b) == 0 && strcmp(d, a) == 0))
            return scree_scene_fail(reader->tree, node, "pairs: entry %" PRId32 " is about %s and %s too; expected one entry for each pair", k + 1, a, b);
    }
    int said = 0;
    for (int p = 0; p < parameters; ++p) {
        const scene_node* given = given_in(reader, "pairs", p);
        if (given != NULL && scene->body_count > 0 && !is_of_bodies(p))
            return scree_scene_fail(reader->tree, given, "pairs.%s is not supported with bodies; expected a scene of spheres only", table[p].name);
        if (given != NULL && !has_law(scene, p))
            return scree_scene_fail(reader->tree, given, "pairs.%s has no effect with contact.law: %s; expected another law or no such key", table[p].name, scree_sim_law_name(scene->law));
        said += given != NULL;
    }
    if (said == 0)
        return scree_scene_fail(reader->tree, node, "this entry of pairs has no parameter; expected stiffness, damping, restitution or friction, or another parameter");
    return SCREE_OK;
}

// A key of `contact` that excludes one of `pairs`.
static scree_status reject_beside(const scene_reader* reader, const char* key, const char* of_pairs, const char* instead)
{
    const scene_node* given = reader->given[scree_scene_find(key)];
    if (given == NULL)
        return SCREE_OK;
    return scree_scene_fail(reader->tree, given, "%s excludes %s; expected contact.%s only where pairs of materials have no entry", key, of_pairs, instead);
}

// At the place where a parameter is first said: an entry of pairs, or contact.
static scree_status fail_at_value(const scene_reader* reader, int p, const char* why)
{
    char path[64];
    int64_t entry = first_with(reader->scene, p);
    snprintf(path, sizeof path, "%s.%s", entry >= 0 ? "pairs" : "contact", table[p].name);
    return scree_scene_fail_at(reader->scene, SCREE_ERR_FORMAT, path, entry, "%s", why);
}

// All pairs lose energy in the same way: by a damping, by a restitution, or by a viscous_time, and by the one that contact.damping names.
static scree_status check_losses(const scene_reader* reader)
{
    static const char* const words[SCREE_DAMPING_COUNT] = {"", "restitution", "viscoelastic", "none"};
    static const int asked_for[SCREE_DAMPING_COUNT] = {-1, OF_restitution, OF_viscous_time, -1};
    const scree_scene* scene = reader->scene;
    int32_t word = scene->contact.damping;
    int64_t first[loss_count];
    for (int k = 0; k < loss_count; ++k)
        first[k] = first_with(scene, losses[k]);
    for (int k = 1; k < loss_count; ++k)
        for (int l = 0; l < k; ++l)
            if (first[k] >= 0 && first[l] >= 0) {
                int later = first[l] > first[k] ? l : k, earlier = l + k - later;
                char path[64];
                snprintf(path, sizeof path, "pairs.%s", table[losses[later]].name);
                return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, path, first[later], "entry %" PRId64 " of pairs has a %s; expected the same one of damping, "
                                           "restitution and viscous_time in all entries", first[earlier] + 1, table[losses[earlier]].name);
            }
    scree_status status = SCREE_OK;
    for (int k = 0; k < loss_count && status == SCREE_OK; ++k)
        for (int l = 0; l < loss_count && status == SCREE_OK; ++l) {
            char key[64], of_pairs[64];
            snprintf(key, sizeof key, "contact.%s", table[losses[l]].name);
            snprintf(of_pairs, sizeof of_pairs, "pairs.%s", table[losses[k]].name);
            if (first[k] >= 0 && l != k && !(losses[l] == OF_damping && word != 0))
                status = reject_beside(reader, key, of_pairs, table[losses[k]].name);
        }
    for (int k = 0; k < loss_count && status == SCREE_OK && word != SCREE_DAMPING_AS_GIVEN; ++k) {
        char why[256], where[128];
        bool there = first[k] >= 0 || !isnan(value_for_all(scene, losses[k])), wanted = losses[k] == asked_for[word];
        snprintf(why, sizeof why, "it excludes contact.damping: %s (%s); expected one of them", words[word], scree_scene_where(reader->tree, reader->given[scree_scene_find("contact.damping")], where));
        if (there && !wanted && losses[k] != OF_damping)
            return fail_at_value(reader, losses[k], why);
        if (!there && wanted)
            return scree_scene_fail(reader->tree, reader->given[scree_scene_find("contact.damping")], "contact.damping is %s; expected %s in contact or in pairs",
                                    words[word], table[losses[k]].name);
    }
    return status;
}

// Whether the scene has one of the keys of a set; their names, as in "damping, restitution or viscous_time".
static bool has_any(const scree_scene* scene, unsigned set, char* names, size_t room)
{
    bool given = false;
    int count = 0, said = 0;
    size_t used = 0;
    for (int p = 0; p < parameters; ++p)
        count += (set >> p & 1) != 0 && has_law(scene, p);
    for (int p = 0; p < parameters; ++p)
        if ((set >> p & 1) != 0 && has_law(scene, p)) {
            given = given || is_given(scene, p);
            used += (size_t)snprintf(names + used, room - used, "%s%s", said == 0 ? "" : said + 1 == count ? " or " : ", ", table[p].name);
            ++said;
        }
    return given;
}

static double first_value(const scree_scene* scene, int p)
{
    int64_t entry = first_with(scene, p);
    return entry >= 0 ? value_in(scene, entry, p) : value_for_all(scene, p);
}

// Parameters that have no effect, because of what the scene does not have or what it has.
static scree_status check_uses(const scene_reader* reader)
{
    static const char* const others[] = {"contact.tangential: mindlin, by which the stiffness follows from Young's moduli; expected contact.tangential: linear, or no such key",
                                         "contact.twisting: marshall, by which the torque follows from the friction; expected twisting: spring, or no such key",
                                         "dimension: 2, where spheres cannot twist against each other; expected no such key"};
    const scree_scene* scene = reader->scene;
    const scree_scene_contact* c = &scene->contact;
    bool mindlin = c->tangential == 3 || (c->tangential == 0 && (scree_scene_law_bit(scene) & LAWS_CURVED) != 0 && is_used(scene, OF_friction));
    unsigned has = (mindlin ? HAS_MINDLIN : 0u) | (c->twisting == 3 ? HAS_MARSHALL : 0u) | (scene->sim.box.dim == 2 ? HAS_DISCS : 0u);
    for (int p = 0; p < parameters; ++p) {
        char why[320], names[160];
        const scene_use* use = &table[p].use;
        if (!is_given(scene, p))
            continue;
        for (int set = 0; set < 2; ++set)
            if (use->beside[set] != 0 && !has_any(scene, use->beside[set], names, sizeof names)) {
                snprintf(why, sizeof why, "%g has no effect alone; expected %s in contact or in pairs", first_value(scene, p), names);
                return fail_at_value(reader, p, why);
            }
        for (int other = 0; other < 3; ++other)
            if ((use->unless & has) >> other & 1) {
                snprintf(why, sizeof why, "%g has no effect with %s; expected one of them", first_value(scene, p), others[other]);
                return fail_at_value(reader, p, why);
            }
    }
    return SCREE_OK;
}

// Parameters of a part of the law that is not there.
static scree_status check_parts(const scene_reader* reader)
{
    const scree_scene* scene = reader->scene;
    const int32_t words[PART_COUNT] = {2, scene->contact.tangential, scene->contact.rolling, scene->contact.twisting};
    static const char* const names[PART_COUNT] = {"", "tangential", "rolling", "twisting"};
    for (int p = 0; p < parameters; ++p) {
        char why[64];
        snprintf(why, sizeof why, "it excludes contact.%s: none; expected one of them", names[table[p].part]);
        if (words[table[p].part] == 1 && is_used(scene, p))
            return fail_at_value(reader, p, why);
    }
    if (scree_scene_law_bit(scene) == LAW_RECORD && (scene->contact.tangential > 1 || scene->contact.rolling > 1 || scene->contact.twisting > 1 || !scene->contact.pull))
        return scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "contact.law", -1, "record has a normal force only; expected no tangential, rolling, twisting and pull");
    return SCREE_OK;
}

scree_status scree_scene_check_pairs(scene_reader* reader)
{
    scree_scene* scene = reader->scene;
    scene->damps = reader->given[scree_scene_find("contact.damping")] != NULL && scene->contact.damping == SCREE_DAMPING_AS_GIVEN;
    scree_status status = check_losses(reader);
    if (status == SCREE_OK && any_has(scene, OF_stiffness))
        status = reject_beside(reader, "contact.duration", "pairs.stiffness", "stiffness");
    if (status == SCREE_OK && any_has(scene, OF_stiffness))
        status = reject_beside(reader, "contact.overlap", "pairs.stiffness", "stiffness");
    if (status == SCREE_OK && any_has(scene, OF_stiffness) && scene->contact.stiffness != 0)
        status = scree_scene_fail_at(scene, SCREE_ERR_FORMAT, "pairs.stiffness", first_with(scene, OF_stiffness), "it excludes contact.stiffness: from-young; expected one of them");
    if (status == SCREE_OK)
        status = check_parts(reader);
    return status == SCREE_OK ? check_uses(reader) : status;
}

// ---- The table by pair of materials ------------------------------------------------------------------------------

enum { box_faces = 6 };
static const unsigned round_wall = 1u << box_faces;

typedef struct pair_table {
    const scree_scene* scene;
    const scree_sphere_set* set;  // NULL: not known yet, or bodies
    const scree_body* bodies;     // body_count of them, spheres included; NULL: not known yet, or none
    int32_t body_count;
    scree_status status;          // of what is missing
    int64_t count;                // of materials; 1 where they have no names
    scree_sim_pair* values;       // count * count; NAN: none
    bool in_entries[parameters];
    uint8_t *moves, *stands;      // whether there are spheres of that material that do, or walls of it
    unsigned walls;               // bits of the faces of the box that are walls, and round_wall
    double (*light)[2][2];        // mass and radius of the two lightest spheres of each material that move; INFINITY: there is none
} pair_table;

static void pair_table_free(pair_table* t)
{
    scree_free(t->values);
    scree_free(t->moves);
    scree_free(t->stands);
    scree_free(t->light);
}

static scree_status check_number(const scree_scene* scene, int64_t material, int64_t count, int64_t i)
{
    if (material >= 0 && material < count)
        return SCREE_OK;
    return i < 0 ? scree_fail(SCREE_ERR_ARGUMENT, "scene: spheres of material %" PRId64 "; expected 0 to %" PRId64, material, count - 1)
                 : scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "spheres.file", -1, "sphere %" PRId64 ": material %" PRId64 "; expected 0 to %" PRId64, i, material,
                                       count - 1);
}

static void take_light(double light[2][2], double mass, double radius)
{
    int at = mass < light[0][0] ? 0 : mass < light[1][0] ? 1 : 2;
    if (at == 0)
        memcpy(light[1], light[0], sizeof light[1]);
    if (at < 2) {
        light[at][0] = mass;
        light[at][1] = radius;
    }
}

// Which materials there are, as far as it is known: by groups, and by each sphere where the file has them.
static scree_status find_spheres(pair_table* t)
{
    const scree_scene* scene = t->scene;
    const scree_sphere_set* set = t->set;
    int64_t groups = scree_scene_group_count(scene);
    const scree_column *group_of = set != NULL && groups > 1 ? scree_sphere_set_find(set, "group") : NULL, *material_of = set != NULL ? scree_sphere_set_find(set, "material") : NULL;
    scree_status status = SCREE_OK;
    for (int64_t n = 0; n < groups && status == SCREE_OK; ++n) {
        scree_scene_group group = scree_scene_get_entry(scene, n);
        if (group.material < 0)
            continue;
        status = check_number(scene, group.material, t->count, -1);
        if (status == SCREE_OK)
            (group.fixed ? t->stands : t->moves)[group.material] = 1;
    }
    double unit = set != NULL && set->dim == 2 ? 3.14159265358979323846 : 4.0 / 3.0 * 3.14159265358979323846;
    int64_t last = -1;
    scree_scene_group group = {0};
    for (int64_t i = 0; set != NULL && i < set->count && status == SCREE_OK; ++i) {
        int64_t n = group_of != NULL && group_of->kind == SCREE_COLUMN_INT64 ? group_of->integers[i] : 0;
        if (n != last)
            group = scree_scene_get_entry(scene, n);
        last = n;
        int64_t m = group.material >= 0 ? group.material : material_of != NULL && material_of->kind == SCREE_COLUMN_INT64 ? material_of->integers[i] : 0;
        status = check_number(scene, m, t->count, i);
        if (status != SCREE_OK)
            break;
        (group.fixed ? t->stands : t->moves)[m] = 1;
        double r = set->r[i], density = scene->material_count > 0 ? scene->materials[m].material_density : group.material_density;
        if (!group.fixed)
            take_light(t->light[m], density * unit * (set->dim == 2 ? r * r : r * r * r), r);
    }
    return status;
}

// The same of bodies: by entries of the scene, or by the bodies themselves.
static scree_status find_bodies(pair_table* t)
{
    const scree_scene* scene = t->scene;
    int64_t count = t->bodies != NULL ? t->body_count : scene->body_count;
    for (int64_t n = 0; n < count; ++n) {
        int32_t material = t->bodies != NULL ? t->bodies[n].material : scene->bodies[n].material;
        bool fixed = t->bodies != NULL ? t->bodies[n].fixed : scene->bodies[n].fixed;
        if (material < 0 || material >= t->count)
            return scree_fail(SCREE_ERR_ARGUMENT, "scene: %s %" PRId64 ": material %" PRId32 "; expected 0 to %" PRId64, t->bodies != NULL ? "body" : "entry of bodies", n,
                              material, t->count - 1);
        (fixed ? t->stands : t->moves)[material] = 1;
    }
    return SCREE_OK;
}

static scree_status begin_table(pair_table* t)
{
    const scree_scene* scene = t->scene;
    int64_t count = t->count;
    if (count < 1 || count > UINT16_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "scene: %" PRId64 " pairs of %" PRId64 " materials; expected 1 to %d materials", scene->pair_count, count, UINT16_MAX);
    t->moves = scree_calloc((size_t)count, 1);
    t->stands = scree_calloc((size_t)count, 1);
    t->light = scree_malloc((size_t)count, sizeof *t->light);
    t->values = scree_malloc((size_t)count, (size_t)count * sizeof *t->values);
    if (t->moves == NULL || t->stands == NULL || t->light == NULL || t->values == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t a = 0; a < count; ++a)
        for (int k = 0; k < 2; ++k)
            t->light[a][k][0] = t->light[a][k][1] = INFINITY;
    scree_status status = t->bodies == NULL ? find_spheres(t) : SCREE_OK;
    return status == SCREE_OK ? find_bodies(t) : status;
}

static void set_both(pair_table* t, int64_t a, int64_t b, int p, double value)
{
    *value_at(&t->values[a * t->count + b], p) = *value_at(&t->values[b * t->count + a], p) = value;
}

static void take_entries(pair_table* t, bool like)
{
    const scree_scene* scene = t->scene;
    for (int64_t n = 0; n < scene->pair_count; ++n) {
        const int32_t* between = scene->pairs[n].between;
        for (int p = 0; p < parameters && (between[0] == between[1]) == like; ++p)
            if (!isnan(value_in(scene, n, p)))
                set_both(t, between[0], between[1], p, value_in(scene, n, p));
    }
}

static scree_status fill(pair_table* t)
{
    const scree_scene* scene = t->scene;
    int64_t count = t->count;
    for (int64_t n = 0; n < scene->pair_count; ++n)
        for (int k = 0; k < 2; ++k)
            if (scene->pairs[n].between[k] < 0 || scene->pairs[n].between[k] >= count)
                return scree_fail(SCREE_ERR_ARGUMENT, "scene: entry %" PRId64 " of pairs: material %" PRId32 "; expected 0 to %" PRId64, n + 1,
                                  scene->pairs[n].between[k], count - 1);
    scree_sim_pair all = scree_scene_no_values();
    for (int p = 0; p < parameters; ++p) {
        t->in_entries[p] = any_has(scene, p);
        if (has_law(scene, p) && (!table[p].of_sim || t->in_entries[p]))
            *value_at(&all, p) = value_for_all(scene, p);
    }
    for (int64_t e = 0; e < count * count; ++e)
        t->values[e] = all;
    take_entries(t, true);
    for (int64_t a = 0; a < count && scene->contact.mix; ++a)
        for (int64_t b = 0; b < a; ++b)
            for (int p = 0; p < parameters; ++p) {
                double mean = sqrt(*value_at(&t->values[a * count + a], p) * *value_at(&t->values[b * count + b], p));
                if (!isnan(mean))
                    set_both(t, a, b, p, mean);
            }
    take_entries(t, false);
    return SCREE_OK;
}

// Whether it makes no difference what walls are made of: each material that moves has the same values with all materials.
static bool are_alike(const pair_table* t)
{
    for (int64_t a = 0; a < t->count; ++a)
        for (int64_t b = 0; b < t->count && t->moves[a] != 0; ++b)
            for (int p = 0; p < parameters; ++p) {
                double one = *value_at(&t->values[a * t->count + b], p), other = *value_at(&t->values[a * t->count], p);
                if (!(one == other) && !(isnan(one) && isnan(other) && !t->in_entries[p]))
                    return false;
            }
    return !scree_scene_is_elastic(t->scene) || t->count == 1;
}

static scree_status find_walls(pair_table* t, scree_scene_law* out)
{
    const scree_scene* scene = t->scene;
    int32_t material = scene->wall_material >= 0 ? scene->wall_material : 0;
    bool shared = (t->walls & round_wall) != 0;  // by walls that have none of their own
    for (int face = 0; face < box_faces; ++face) {
        int32_t own = scene->face_materials[face];
        if (own >= t->count)
            return scree_fail(SCREE_ERR_ARGUMENT, "scene: %s of material %" PRId32 "; expected 0 to %" PRId64, scree_scene_face_key(face), own, t->count - 1);
        bool wall = (t->walls >> face & 1u) != 0;
        if (own >= 0 && wall)
            t->stands[own] = 1;
        shared = shared || (own < 0 && wall);
        out->by_face = out->by_face || (own >= 0 && wall);
        out->face_materials[face] = own >= 0 ? own : material;
    }
    out->wall_material = material;
    if (material >= t->count)
        return scree_fail(SCREE_ERR_ARGUMENT, "scene: walls of material %" PRId32 "; expected 0 to %" PRId64, material, t->count - 1);
    if (!shared)
        return SCREE_OK;
    if (scene->wall_material < 0 && !are_alike(t))
        return scree_scene_fail_at(scene, t->status, scene->pair_count > 0 ? "pairs" : "materials", -1,
                                   "walls.material is missing, and contacts with walls depend on it; expected walls: {material: %s}, or another of the materials",
                                   name_of(scene, 0));
    t->stands[material] = 1;
    return SCREE_OK;
}

// Which wall of the box has a material of its own that is one of the two, for a message: " at walls.lower_z"; else "".
static const char* wall_between(const pair_table* t, int64_t a, int64_t b, char room[40])
{
    *room = '\0';
    for (int face = 0; face < box_faces && *room == '\0'; ++face) {
        int32_t own = t->scene->face_materials[face];
        if ((t->walls >> face & 1u) != 0 && own >= 0 && ((own == a && t->moves[b]) || (own == b && t->moves[a])) && !(t->moves[a] && t->moves[b]))
            snprintf(room, 40, " at %s", scree_scene_face_key(face));
    }
    return room;
}

// The same of surfaces.
static scree_status find_surfaces(pair_table* t)
{
    const scree_scene* scene = t->scene;
    for (int64_t n = 0; n < scene->surface_count; ++n) {
        int32_t material = scene->surfaces[n].material >= 0 ? scene->surfaces[n].material : 0;
        if (material >= t->count)
            return scree_fail(SCREE_ERR_ARGUMENT, "scene: entry %" PRId64 " of surfaces: material %" PRId32 "; expected 0 to %" PRId64, n + 1, material, t->count - 1);
        if (scene->surfaces[n].material < 0 && !are_alike(t))
            return scree_scene_fail_at(scene, t->status, "surfaces", n, "surfaces.material is missing, and contacts with this surface depend on it; expected material: %s, or another of the materials",
                                       name_of(scene, 0));
        t->stands[material] = 1;
    }
    return SCREE_OK;
}

static scree_status check_meeting(const pair_table* t, int64_t a, int64_t b)
{
    const scree_scene* scene = t->scene;
    char line[1024], keys[512] = "", wall[40];
    size_t used = (size_t)snprintf(line, sizeof line, "- {between: [%.64s, %.64s]", name_of(scene, a), name_of(scene, b)), said = 0;
    int64_t entry = -1;
    bool lacks[parameters], any = false;
    for (int p = 0; p < parameters; ++p) {
        lacks[p] = t->in_entries[p] && isnan(*value_at(&t->values[a * t->count + b], p));
        any = any || lacks[p];
    }
    for (int64_t n = 0; n < scene->pair_count && entry < 0 && any; ++n) {
        const int32_t* between = scene->pairs[n].between;
        if ((between[0] == a && between[1] == b) || (between[0] == b && between[1] == a))
            entry = n;
    }
    for (int p = 0; p < parameters; ++p)
        if (lacks[p] && (entry < 0 || table[p].needed)) {
            used += (size_t)snprintf(line + used, sizeof line - used, ", %s: NUMBER", table[p].name);
            said += (size_t)snprintf(keys + said, sizeof keys - said, "%s%s", said > 0 ? " and " : "", table[p].name);
        }
    if (said == 0)
        return SCREE_OK;
    if (entry >= 0)
        return scree_scene_fail_at(scene, t->status, "pairs", entry, "%s and %s can meet%s, and this entry has no %s; expected it here, or in contact for all pairs without one",
                                   name_of(scene, a), name_of(scene, b), wall_between(t, a, b, wall), keys);
    return scree_scene_fail_at(scene, t->status, "pairs", -1, "%s and %s can meet%s, and there is no %s for them; expected %s}", name_of(scene, a), name_of(scene, b),
                               wall_between(t, a, b, wall), keys, line);
}

// For pairs that have no value: a default, or for what is NEEDED and cannot meet the least that others have, so that neither step nor rounding follows from it.
static void fill_rest(pair_table* t, int p)
{
    scree_sim_pair standard = scree_default_sim_pair();
    double least = INFINITY;
    for (int64_t e = 0; e < t->count * t->count && table[p].needed && t->in_entries[p]; ++e)
        least = fmin(least, *value_at(&t->values[e], p));  // of a number and NAN: the number
    for (int64_t e = 0; e < t->count * t->count; ++e) {
        double* value = value_at(&t->values[e], p);
        *value = !isnan(*value) ? *value : least < INFINITY ? least : *value_at(&standard, p);
    }
}

// Of a material; where there are none, of all contacts.
static scree_sim_material elastic_of(const scree_scene* scene, int64_t n)
{
    scree_sim_material material = scree_default_sim_material();
    material.young = scene->material_count > 0 ? scene->materials[n].young : scene->contact.young;
    material.poisson = scene->material_count > 0 ? scene->materials[n].poisson : scene->contact.poisson;
    return material;
}

// contact.stiffness: from-young. Of the two lightest spheres of the two materials; of one that moves, against something flat.
static double stiffness_of(const pair_table* t, int64_t a, int64_t b)
{
    scree_sim_material one = elastic_of(t->scene, a), other = elastic_of(t->scene, b);
    double young = scree_sim_effective_young(&one, &other);
    const double *first = t->light[a][0], *second = t->light[b][a == b];
    double mass = first[0] < INFINITY && second[0] < INFINITY ? first[0] / (first[0] + second[0]) * second[0] : fmin(first[0], second[0]);
    double radius = first[0] < INFINITY && second[0] < INFINITY ? first[1] / (first[1] + second[1]) * second[1] : fmin(first[1], second[1]);
    double root = sqrt(radius) * young, speed = t->scene->sim.speed;
    double k = 16.0 / 15.0 * root * pow(15.0 * mass * speed * speed / (16.0 * root), 0.2);
    return mass < INFINITY ? k : NAN;
}

static void fill_stiffness(pair_table* t)
{
    for (int64_t a = 0; a < t->count; ++a)
        for (int64_t b = a; b < t->count; ++b)
            set_both(t, a, b, OF_stiffness, t->set != NULL ? stiffness_of(t, a, b) : 1.0);
    t->in_entries[OF_stiffness] = true;
}

static scree_status make(pair_table* t, scree_scene_law* out)
{
    int64_t count = t->count;
    scree_status status = begin_table(t);
    if (status == SCREE_OK)
        status = fill(t);
    if (status == SCREE_OK && t->walls != 0)
        status = find_walls(t, out);
    if (status == SCREE_OK)
        status = find_surfaces(t);
    for (int64_t a = 0; a < count && status == SCREE_OK; ++a)
        for (int64_t b = a; b < count && status == SCREE_OK; ++b)
            if ((t->moves[a] && (t->moves[b] || t->stands[b])) || (t->moves[b] && t->stands[a]))
                status = check_meeting(t, a, b);
    if (status == SCREE_OK && t->scene->contact.stiffness != 0)
        fill_stiffness(t);
    for (int other = 0; other < 2 && status == SCREE_OK; ++other)  // of k1 and stiffness, which are one member, that of the law comes first
        for (int p = 0; p < parameters; ++p)
            if (has_law(t->scene, p) == (other == 0))
                fill_rest(t, p);
    return status;
}

// Whether the law needs parameters by pair of materials: the numbers of scree_sim_def do not say all. Bodies that have materials always go by pairs of them.
static bool is_tabled(const scree_scene* scene)
{
    bool tabled = scene->pair_count > 0 || scene->contact.stiffness != 0 || (scene->body_count > 0 && scene->material_count > 0);
    for (int p = 0; p < parameters; ++p)
        tabled = tabled || (!table[p].of_sim && !isnan(value_for_all(scene, p)));
    return tabled;
}

static scree_status check_moduli(const scree_scene* scene)
{
    for (int64_t n = 0; n < scene->material_count; ++n)
        if (!(scene->materials[n].young > 0.0 && scene->materials[n].poisson >= 0.0))  // materials of another run: a file was checked when it was read
            return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, "contact.law", -1, "%s%s: material %s has young %g, poisson %g; expected Young's modulus above 0 and "
                                                                                     "Poisson's ratio of every material",
                                       scree_sim_law_name(scene->law), scene->contact.stiffness != 0 ? ", from-young" : "", name_of(scene, n), scene->materials[n].young, scene->materials[n].poisson);
    return SCREE_OK;
}

static scree_status make_materials(const scree_scene* scene, scree_scene_law* out)
{
    int64_t count = scene->material_count > 0 ? scene->material_count : 1;
    scree_sim_material* materials = scree_malloc((size_t)count, sizeof *materials);
    if (materials == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < count; ++n)
        materials[n] = elastic_of(scene, n);
    out->law.material_count = (int32_t)count;
    out->law.materials = materials;
    return SCREE_OK;
}

// Beside the numbers that scree_sim_def has.
static scree_status make_law(pair_table t, scree_scene_law* out)
{
    const scree_scene* scene = t.scene;
    bool elastic = scree_scene_is_elastic(scene) && t.set != NULL;  // presets come after the first look at a scene
    scree_status status = elastic ? check_moduli(scene) : SCREE_OK;
    t.count = scene->material_count > 0 || scene->pair_count > 0 ? scene->material_count : 1;
    if (status == SCREE_OK)
        status = make(&t, out);
    bool lost = false;
    for (int k = 0; k < loss_count; ++k)
        lost = lost || t.in_entries[losses[k]];
    if (status == SCREE_OK) {
        out->law.material_count = (int32_t)t.count;
        out->law.pairs = t.values;
        t.values = NULL;
        out->stiffness = t.in_entries[OF_stiffness] || t.in_entries[OF_k1] ? 0.0 : out->stiffness;
        if (lost)
            out->damping = out->restitution = 0.0;
    }
    pair_table_free(&t);
    if (status == SCREE_OK && elastic && scene->contact.stiffness == 0)
        status = make_materials(scene, out);
    return status;
}

// A word of the law as its name; auto, which is 0: NULL.
static const char* part_word(const char* key, int32_t n)
{
    const scene_field* field = scree_scene_row(scree_scene_find(key))->field;
    return n > 0 ? scree_scene_word_at(field, n) : NULL;
}

static scree_scene_law plain_law(const scree_scene* scene)
{
    const scree_scene_contact* c = &scene->contact;
    scree_scene_law out = {.law = scree_default_sim_law(), .stiffness = scene->sim.stiffness, .damping = scene->sim.damping, .restitution = scene->sim.restitution};
    out.law.name = scree_sim_law_name(scene->law);
    out.law.tangential = part_word("contact.tangential", c->tangential);
    out.law.rolling = part_word("contact.rolling", c->rolling);
    out.law.twisting = part_word("contact.twisting", c->twisting);
    out.law.no_pull = !c->pull;
    out.speed = c->stiffness != 0 ? 0.0 : scene->sim.speed;  // that of from-young is part of the stiffness
    return out;
}

// `of` has the scene, its walls, what is known of its spheres or bodies, and the status of what is missing.
static scree_status find_law(pair_table of, scree_scene_law* out)
{
    *out = plain_law(of.scene);
    if (!is_tabled(of.scene) && !scree_scene_is_elastic(of.scene))
        return SCREE_OK;
    scree_status status = make_law(of, out);
    if (status != SCREE_OK)
        scree_scene_law_free(out);
    return status;
}

scree_status scree_scene_check_law(const scree_scene* scene)
{
    bool later = scree_scene_materials_later(scene), boxed = scree_scene_holds(scene, NULL, SCENE_BOXED);  // the box of a file may have no walls
    unsigned walls = boxed && scene->sim.container != SCREE_CONTAINER_BOX ? round_wall : 0u;
    for (int64_t n = 0; n < scree_scene_group_count(scene); ++n)
        later = later || scree_scene_get_entry(scene, n).material < 0;  // the file has them
    if (later)
        return SCREE_OK;
    for (int k = 0; k < scene->sim.box.dim; ++k)
        walls |= boxed && scree_scene_has_wall(scene, k) ? 3u << 2 * k : 0u;
    scree_scene_law law;
    scree_status status = find_law((pair_table){.scene = scene, .walls = walls, .status = SCREE_ERR_FORMAT}, &law);
    scree_scene_law_free(&law);
    return status;
}

static unsigned walls_of(const scree_box* box, int32_t container)
{
    unsigned walls = container != SCREE_CONTAINER_BOX ? round_wall : 0u;
    int round = container == SCREE_CONTAINER_CYLINDER ? 2 : container == SCREE_CONTAINER_BOX ? 0 : 3;
    for (int k = round; k < box->dim; ++k)
        walls |= box->periodic[k] ? 0u : (isfinite(box->lower[k]) ? 1u << 2 * k : 0u) | (isfinite(box->upper[k]) ? 2u << 2 * k : 0u);
    return walls;
}

// Parts that contacts need at another time, and by name.
static void name_parts(const scree_scene* scene, scree_scene_law* law)
{
    static const char *const tangential[] = {NULL, "linear", "mindlin"}, *const rolling[] = {NULL, "spring"}, *const twisting[] = {NULL, "spring", "marshall"};
    bool changes = false;
    for (int64_t c = 0; c < scene->change_count; ++c)
        changes = changes || scene->changes[c].sets_contacts;
    uint32_t parts = changes ? scree_scene_parts(scene) : 0;
    if ((parts & 0xFu) != 0)
        law->law.tangential = tangential[parts & 3u];
    if ((parts >> 4 & 0xFu) != 0)
        law->law.rolling = rolling[parts >> 4 & 1u];
    if ((parts >> 8 & 0xFu) != 0)
        law->law.twisting = twisting[parts >> 8 & 3u];
}

scree_status scree_scene_make_law_at(const scree_scene* scene, int64_t change, const scree_sphere_set* set, scree_scene_law* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    SCREE_NEED(set);
    const scree_scene* then = scree_scene_from(scene, change);
    if (then == NULL)
        return SCREE_ERR_ARGUMENT;
    scree_status status = scree_scene_make_law(then, set, out);
    if (status == SCREE_OK)
        name_parts(scene, out);
    return status;
}

scree_status scree_scene_make_law(const scree_scene* scene, const scree_sphere_set* set, scree_scene_law* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(scene);
    SCREE_NEED(set);
    if (scene->law < 0 || scree_sim_law_name(scene->law) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "scene: law is %" PRId32 "; expected the number of a law", scene->law);
    if (scene->pair_count > 0 && scree_scene_materials_later(scene))
        return scree_scene_fail_at(scene, SCREE_ERR_UNSUPPORTED, "start.run", -1, "the materials of this run are not known here; expected a run that begins from it (scree_run_create)");
    scree_box open = scree_box_open(set->dim);
    unsigned walls = walls_of(set->has_box ? &set->box : &open, set->container);
    scree_status status = find_law((pair_table){.scene = scene, .set = set, .walls = walls, .status = SCREE_ERR_ARGUMENT}, out);
    if (status == SCREE_OK)
        name_parts(scene, out);
    return status;
}

scree_status scree_scene_make_body_law(const scree_scene* scene, const scree_box* box, int32_t count, const scree_body* bodies, scree_scene_law* out)
{
    return find_law((pair_table){.scene = scene, .bodies = bodies, .body_count = count, .walls = walls_of(box, SCREE_CONTAINER_BOX), .status = SCREE_ERR_ARGUMENT}, out);
}

void scree_scene_law_free(scree_scene_law* law)
{
    if (law == NULL)
        return;
    scree_free((void*)law->law.pairs);
    scree_free((void*)law->law.materials);
    *law = (scree_scene_law){0};
}
