// Parameters of a step from the def of the user: masses, stiffness, damping, the time step. The step follows from the shortest contact that two of the
// spheres can have, over all pairs of materials, as the law says, and from springs and dashpots that swing or decay faster than contacts last (law.h, step_follows).
#include "sim/sim_inner.h"
#include "sim/spring.h"

#include "base/argument.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

double sim_mass(int32_t dim, double material_density, double r)
{
    return dim == 2 ? material_density * pi * (r * r) : material_density * (4.0 / 3.0) * pi * (r * r * r);
}

double sim_inertia_of(const scree_sim_def* def, scree_spheres spheres, int64_t i)
{
    if (def->each != NULL && def->each->inertia != NULL)
        return def->each->inertia[i];
    return (spheres.dim == 2 ? 0.5 : 0.4) * sim_mass_of(def, spheres, i) * (spheres.r[i] * spheres.r[i]);
}

double sim_mass_of(const scree_sim_def* def, scree_spheres spheres, int64_t i)
{
    const scree_sim_each* each = def->each;
    return sim_mass(spheres.dim, each != NULL && each->material_density != NULL ? each->material_density[i] : def->material_density, spheres.r[i]);
}

static bool is_given_fixed(const scree_sim_def* def, int64_t i)
{
    return def->each != NULL && is_fixed(def->each->fixed, i);
}

static int32_t material_of(const scree_sim_def* def, int64_t i)
{
    return def->each != NULL && def->each->material != NULL ? def->each->material[i] : 0;
}

static spring_given given_of(const scree_sim_def* def)
{
    return (spring_given){.whose = "sim",
                          .material_density = def->material_density,
                          .stiffness = def->stiffness,
                          .contact_duration = def->contact_duration,
                          .damping = def->damping,
                          .restitution = def->restitution,
                          .step = def->time_step};
}

// Properties of single spheres.
static scree_status check_each(const scree_sim_each* each, const sim_law* law, scree_spheres spheres)
{
    for (int32_t i = 0; i < spheres.count; ++i) {
        if (each->material_density != NULL && !spring_is_above(each->material_density[i]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": a material density of %g; expected a number above 0", i,
                              each->material_density[i]);
        if (each->fixed != NULL && each->fixed[i] > 1)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": fixed is %d; expected 0 or 1", i, each->fixed[i]);
        if (each->inertia != NULL && !(each->inertia[i] > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": a moment of inertia of %g; expected above 0", i, each->inertia[i]);
        for (int k = 0; k < 3 && each->spin != NULL; ++k)
            if (!(fabs(each->spin[3 * (int64_t)i + k]) <= SCREE_LENGTH_MAX) || (spheres.dim == 2 && k < 2 && each->spin[3 * (int64_t)i + k] != 0.0))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": a spin of %g about %c; expected %s", i, each->spin[3 * (int64_t)i + k], "xyz"[k],
                                  spheres.dim == 2 && k < 2 ? "0 in two dimensions" : "a finite number");
        for (int k = 0; k < 3 && each->spin != NULL && !law->turns; ++k)
            if (each->spin[3 * (int64_t)i + k] != 0.0)
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": spin %c is %g; expected 0, or friction, rolling_friction, twisting_friction or bonds, which exert torques", i, "xyz"[k],
                                  each->spin[3 * (int64_t)i + k]);
        for (int k = 0; k < spheres.dim && each->force != NULL; ++k)
            if (!(fabs(each->force[(int64_t)i * spheres.dim + k]) <= SCREE_LENGTH_MAX))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": external force %g along %c; expected a finite number", i,
                                  each->force[(int64_t)i * spheres.dim + k], "xyz"[k]);
    }
    return SCREE_OK;
}

// ---- The law as it is given --------------------------------------------------------------------------------------------

typedef struct pair_field {
    const char* name;
    size_t at;
    double least, most;
} pair_field;

#define FIELD(field, least_, most_) {.name = #field, .at = offsetof(scree_sim_pair, field), .least = least_, .most = most_}

static const pair_field pair_fields[] = {
    FIELD(stiffness, 0.0, DBL_MAX),          FIELD(damping, 0.0, DBL_MAX),           FIELD(restitution, 0.0, 1.0),
    FIELD(viscous_time, 0.0, DBL_MAX),       FIELD(friction, 0.0, DBL_MAX),          FIELD(friction_dynamic, 0.0, DBL_MAX),
    FIELD(tangential_stiffness, 0.0, 100.0), FIELD(tangential_damping, 0.0, DBL_MAX), FIELD(rolling_friction, 0.0, DBL_MAX),
    FIELD(rolling_stiffness, 0.0, DBL_MAX),  FIELD(rolling_damping, 0.0, DBL_MAX),   FIELD(twisting_friction, 0.0, DBL_MAX),
    FIELD(twisting_stiffness, 0.0, DBL_MAX), FIELD(surface_energy, 0.0, DBL_MAX),    FIELD(bridge_volume, 0.0, DBL_MAX),
    FIELD(surface_tension, 0.0, DBL_MAX),    FIELD(wetting_angle, 0.0, 1.5707963268), FIELD(k2, 0.0, DBL_MAX),
    FIELD(kc, 0.0, DBL_MAX),                 FIELD(plastic_depth, 0.0, 1.0),         FIELD(twisting_damping, 0.0, DBL_MAX),
};
enum { pair_field_count = sizeof pair_fields / sizeof *pair_fields };

static double field_of(const scree_sim_pair* pair, int field)
{
    double value;
    memcpy(&value, (const char*)pair + pair_fields[field].at, sizeof value);
    return value;
}

static bool any_pair(const scree_sim_law* law, size_t field)
{
    int64_t m = law != NULL && law->pairs != NULL ? law->material_count : 0;
    double value = 0.0;
    for (int64_t e = 0; e < m * m && value == 0.0; ++e)
        memcpy(&value, (const char*)&law->pairs[e] + field, sizeof value);
    return value != 0.0;
}

#define ANY_PAIR(law, field) any_pair(law, offsetof(scree_sim_pair, field))

enum { pair_name_room = 48 };

// How messages name a pair of materials: with a single material, without a number.
static const char* pair_name(int64_t materials, int64_t a, int64_t b, char name[pair_name_room])
{
    if (materials > 1)
        snprintf(name, pair_name_room, "materials %" PRId64 " and %" PRId64, a, b);
    else
        snprintf(name, pair_name_room, "contacts");
    return name;
}

static scree_status check_pairs(const scree_sim_law* law)
{
    int64_t m = law->material_count;
    char name[pair_name_room];
    for (int64_t e = 0; e < m * m && law->pairs != NULL; ++e) {
        int64_t a = e / m, b = e % m;
        const scree_sim_pair *pair = &law->pairs[e], *turned = &law->pairs[b * m + a];
        scree_status status = scree_check_struct_size("sim.law.pairs", "scree_default_sim_pair", pair->struct_size, sizeof *pair, sizeof *pair);
        if (status != SCREE_OK)
            return status;
        for (int f = 0; f < pair_field_count; ++f) {
            double value = field_of(pair, f);
            if (!(value >= pair_fields[f].least && value <= pair_fields[f].most))
                return pair_fields[f].most < DBL_MAX ? scree_fail(SCREE_ERR_ARGUMENT, "sim: %s: a %s of %g; expected from %g to %g", pair_name(m, a, b, name),
                                                                  pair_fields[f].name, value, pair_fields[f].least, pair_fields[f].most)
                                                     : scree_fail(SCREE_ERR_ARGUMENT, "sim: %s: a %s of %g; expected 0 or more", pair_name(m, a, b, name),
                                                                  pair_fields[f].name, value);
            if (value != field_of(turned, f))
                return scree_fail(SCREE_ERR_ARGUMENT, "sim: materials %" PRId64 " and %" PRId64 ": %s is %g in one order and %g in the other; expected the same value", a, b,
                                  pair_fields[f].name, value, field_of(turned, f));
        }
        if (pair->friction_dynamic > pair->friction)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s: a friction_dynamic of %g above a friction of %g; expected at most that", pair_name(m, a, b, name),
                              pair->friction_dynamic, pair->friction);
    }
    return SCREE_OK;
}

static scree_status check_elastic(const scree_sim_law* law)
{
    for (int32_t a = 0; a < law->material_count && law->materials != NULL; ++a) {
        const scree_sim_material* m = &law->materials[a];
        scree_status status = scree_check_struct_size("sim.law.materials", "scree_default_sim_material", m->struct_size, sizeof *m, sizeof *m);
        if (status != SCREE_OK)
            return status;
        if (!(m->young >= 0.0 && m->young <= DBL_MAX) || !(m->poisson >= 0.0 && m->poisson <= 0.5))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: material %" PRId32 ": a Young's modulus of %g and a Poisson's ratio of %g; expected above 0, and from 0 to 0.5", a,
                              m->young, m->poisson);
    }
    return SCREE_OK;
}

// One of the names, or NULL for `automatic`. -1: there is none such.
static int chosen(const char* given, const char* const* names, int count, int automatic)
{
    for (int n = 0; n < count && given != NULL; ++n)
        if (strcmp(given, names[n]) == 0)
            return n;
    return given == NULL ? automatic : -1;
}

// `parts`: it has terms beside the normal force.
static scree_status find_normal(const scree_sim_law* given, bool parts, sim_law* law)
{
    const char* name = given != NULL && given->name != NULL ? given->name : "linear";
    for (int n = 0; n < (int)NORMAL_COUNT; ++n)
        if (strcmp(name, law_normal_names[n]) == 0) {
            law->parts.normal = (law_normal)n;
            law->row.name = law_normal_names[n];
            return parts && law_is_own((law_normal)n)
                       ? scree_fail(SCREE_ERR_ARGUMENT, "sim: the law '%s' does not support friction, rolling or twisting resistance, liquid bridges or no_pull; expected none of them", name)
                       : SCREE_OK;
        }
    return scree_fail(SCREE_ERR_ARGUMENT, "sim: law '%.40s'; expected a name from scree_sim_law_name", name);
}

static const scree_sim_parameter* find_parameter(const law_row* row, const char* name)
{
    for (int32_t p = 0; p < row->parameter_count; ++p)
        if (strcmp(row->parameters[p].name, name) == 0)
            return &row->parameters[p];
    return NULL;
}

// Values of parameters that only this law has.
static scree_status check_values(const scree_sim_law* given, const law_row* row)
{
    const int32_t m = given->material_count > 0 ? given->material_count : 1;
    char name[pair_name_room];
    if (given->value_count < 0 || (given->value_count > 0 && given->values == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: law.value_count is %" PRId32 "%s; expected 0 or more, and law.values", given->value_count, given->values == NULL ? " without values" : "");
    for (int32_t n = 0; n < given->value_count; ++n) {
        const scree_sim_law_value* v = &given->values[n];
        const int32_t a = v->material[0], b = v->material[1];
        const scree_sim_parameter* parameter = v->name != NULL ? find_parameter(row, v->name) : NULL;
        if (parameter == NULL)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: the law '%s' has no parameter '%.40s'; expected %s%s", row->name, v->name != NULL ? v->name : "(NULL)",
                              row->parameter_count > 0 ? "one of scree_sim_law_parameters, as " : "none", row->parameter_count > 0 ? row->parameters[0].name : "");
        if ((a != -1 || b != -1) && (a < 0 || b < 0 || a >= m || b >= m))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s of materials %" PRId32 " and %" PRId32 "; expected 0 to %" PRId32 ", or -1 and -1 for all", v->name, a, b, m - 1);
        if (!(v->value >= parameter->least && v->value <= parameter->most))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s: a %s of %g; expected from %g to %g", pair_name(a >= 0 ? m : 1, a, b, name), v->name, v->value, parameter->least, parameter->most);
    }
    return SCREE_OK;
}

_Static_assert(offsetof(law_pair, young) >= offsetof(law_pair, hertz) + law_own_most * sizeof(double), "room for the values of a law with a header of its own");

static void take_values(const scree_sim_law* given, const law_row* row, int64_t a, int64_t b, law_pair* with)
{
    double* values = &with->hertz;  // law_own_values
    for (int32_t p = 0; p < row->parameter_count; ++p)
        values[p] = row->parameters[p].standard;
    for (int32_t n = 0; given != NULL && n < given->value_count; ++n) {
        const int32_t* of = given->values[n].material;
        if (of[0] < 0 || (of[0] == a && of[1] == b) || (of[0] == b && of[1] == a))
            values[find_parameter(row, given->values[n].name) - row->parameters] = given->values[n].value;
    }
}

// Which parts there are, from names and from parameters. `mindlin`: the tangential spring follows from the shear moduli.
static scree_status find_parts(const scree_sim_def* def, sim_law* law, bool* mindlin)
{
    static const char *const tangential[] = {"none", "linear", "mindlin"}, *const rolling[] = {"none", "spring"}, *const twisting[] = {"none", "spring", "marshall"};
    const scree_sim_law* given = def->law;
    bool rubs = ANY_PAIR(given, friction), rolls = ANY_PAIR(given, rolling_friction), twists = ANY_PAIR(given, twisting_friction), wet = ANY_PAIR(given, bridge_volume);
    const char* normal = given != NULL && given->name != NULL ? given->name : "linear";
    bool curved = strcmp(normal, "hertz") == 0 || strcmp(normal, "jkr") == 0 || strcmp(normal, "dmt") == 0;
    int t = chosen(given != NULL ? given->tangential : NULL, tangential, 3, rubs ? (curved ? 2 : 1) : 0);
    int r = chosen(given != NULL ? given->rolling : NULL, rolling, 2, rolls), w = chosen(given != NULL ? given->twisting : NULL, twisting, 3, twists);
    if (t < 0 || r < 0 || w < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: there is no %s part '%.40s'; expected %s", t < 0 ? "tangential" : r < 0 ? "rolling" : "twisting",
                          t < 0 ? given->tangential : r < 0 ? given->rolling : given->twisting, t < 0 ? "none, linear or mindlin" : r < 0 ? "none or spring" : "none, spring or marshall");
    if ((t == 0 && rubs) || (r == 0 && rolls) || (w == 0 && twists))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a pair of materials has %s; expected a law with a %s part", t == 0 && rubs ? "friction" : r == 0 && rolls ? "rolling friction" : "twisting friction",
                          t == 0 && rubs ? "tangential" : r == 0 && rolls ? "rolling" : "twisting");
    if (t == 2 && !curved)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a tangential part 'mindlin' with the law '%s'; expected hertz, jkr or dmt", normal);
    if (w == 2 && t == 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a twisting part 'marshall' without a tangential part; expected both");
    law->parts = (law_parts){.tangential = t > 0, .rolling = r > 0, .twisting = (law_twisting)w, .bridge = wet, .no_pull = given != NULL && given->no_pull};
    *mindlin = t == 2;
    bool parts = law->parts.tangential || law->parts.rolling || w > 0 || wet || law->parts.no_pull;
    scree_status status = find_normal(given, parts, law);
    if (status == SCREE_OK && wet && law->parts.normal == NORMAL_JKR)
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: liquid bridges with the law 'jkr'; expected another law");
    law->turns = law->parts.tangential || law->parts.rolling || w > 0;
    return status;
}

static scree_status check_law(const scree_sim_def* def, sim_law* law, bool* mindlin)
{
    const scree_sim_law* given = def->law;
    scree_status status = SCREE_OK;
    if (given != NULL) {
        if (given->material_count < 0 || given->material_count > UINT16_MAX)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId32 " materials; expected up to 65535", given->material_count);
        if (given->material_count == 0 && (given->pairs != NULL || given->materials != NULL))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: parameters by pair of materials without a number of materials; expected def.materials above 0");
        status = check_pairs(given);
        if (status == SCREE_OK)
            status = check_elastic(given);
    }
    if (status == SCREE_OK)
        status = find_parts(def, law, mindlin);
    if (status == SCREE_OK && given != NULL) {
        const law_row row = grain_row(&law->parts);
        status = check_values(given, &row);
    }
    if (status != SCREE_OK)
        return status;
    for (int32_t a = 0; grain_is_curved(law->parts.normal) && (a == 0 || a < given->material_count); ++a)
        if (given->materials == NULL || !(given->materials[a].young > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: material %" PRId32 " has no Young's modulus; expected it, and Poisson's ratio, of every material for the law '%s'", a,
                              law_normal_names[law->parts.normal]);
    if (law->parts.normal == NORMAL_JKR && !ANY_PAIR(given, surface_energy))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the law 'jkr' without surface_energy; expected a value above 0, or the law 'hertz'");
    return SCREE_OK;
}

static bool is_by_pair(const scree_sim_def* def)
{
    bool values = false;
    for (int32_t n = 0; def->law != NULL && n < def->law->value_count; ++n)
        values = values || def->law->values[n].material[0] >= 0;
    return def->law != NULL && (def->law->pairs != NULL || values) && def->law->material_count > 1;
}

// Every material that can touch something has its parameters.
static scree_status check_materials(const scree_sim_def* def, scree_spheres spheres)
{
    if (def->boundary_count > 0)
        SCREE_NEED_AS(def->boundaries, "boundaries");
    if (def->law == NULL || def->law->material_count == 0)
        return SCREE_OK;
    int32_t m = def->law->material_count;
    for (int32_t i = 0; i < spheres.count && def->each != NULL && def->each->material != NULL; ++i)
        if (def->each->material[i] >= m)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": material %d; expected 0 to %" PRId32, i,
                              (int)def->each->material[i], m - 1);
    if (def->wall_material < 0 || def->wall_material >= m)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: material %" PRId32 " of the walls; expected 0 to %" PRId32, def->wall_material, m - 1);
    for (int face = 0; face < boundary_faces && def->face_materials != NULL; ++face)
        if (def->face_materials[face] < 0 || def->face_materials[face] >= m)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: material of the %s wall along %c: %" PRId32 "; expected 0 to %" PRId32, face & 1 ? "upper" : "lower",
                              "xyz"[face / 2], def->face_materials[face], m - 1);
    for (int32_t b = 0; b < def->boundary_count; ++b)
        if (def->boundaries[b].material < 0 || def->boundaries[b].material >= m)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: boundary %" PRId32 " has material %" PRId32 "; expected 0 to %" PRId32, b,
                              def->boundaries[b].material, m - 1);
    return SCREE_OK;
}

static bool is_curved(const sim_law* law)
{
    return grain_is_curved(law->parts.normal);
}

// Whether all pairs have a stiffness, or none.
static scree_status find_stiff(const scree_sim_law* law, bool* stiff)
{
    int64_t m = law != NULL && law->pairs != NULL ? law->material_count : 0;
    *stiff = m > 0 && law->pairs[0].stiffness > 0.0;
    for (int64_t e = 0; e < m * m; ++e)
        if ((law->pairs[e].stiffness > 0.0) != *stiff)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: materials %" PRId64 " and %" PRId64 " have %s stiffness, materials 0 and 0 %s; expected all pairs or none", e / m,
                              e % m, *stiff ? "no" : "a", *stiff ? "a" : "none");
    return SCREE_OK;
}

// Which of damping, restitution and viscous_time there is.
static scree_status find_damping(const scree_sim_def* def, sim_law* law)
{
    const scree_sim_law* given = def->law;
    bool constant = ANY_PAIR(given, damping), restituted = ANY_PAIR(given, restitution), viscous = ANY_PAIR(given, viscous_time), lossy = constant || restituted || viscous;
    if (constant + restituted + viscous > 1 || (lossy && (def->damping != 0.0 || def->restitution != 0.0)))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: several of damping, restitution and viscous_time, by pair of materials or for all; expected one of them");
    int64_t m = restituted ? given->material_count : 0;
    char name[pair_name_room];
    for (int64_t e = 0; e < m * m; ++e)
        if (!(given->pairs[e].restitution > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s: a restitution of %g; expected above 0 and up to 1", pair_name(m, e / m, e % m, name),
                              given->pairs[e].restitution);
    if (viscous && !is_curved(law))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a viscous_time with the law '%s'; expected hertz, jkr or dmt", law->row.name);
    law->parts.damping = restituted || def->restitution > 0.0 ? DAMPING_RESTITUTION : viscous ? DAMPING_VISCOELASTIC : constant || def->damping > 0.0 ? DAMPING_CONSTANT : DAMPING_NONE;
    return SCREE_OK;
}

static scree_status check(const scree_sim_def* def, const sim_law* law, bool stiff)
{
    int ways = (def->stiffness != 0.0) + (def->contact_duration != 0.0) + (def->overlap != 0.0);
    bool curved = is_curved(law);
    if ((stiff || curved) && ways > 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s, and one for all (stiffness, contact duration or overlap); expected one of them",
                          curved ? "a stiffness that follows from Young's moduli" : "a stiffness by pair of materials");
    if (curved && stiff)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a stiffness with the law '%s'; expected none: it follows from Young's moduli", law->row.name);
    if (!stiff && !curved && ways != 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s of stiffness, contact duration and overlap are given; expected exactly one",
                          ways == 0 ? "none" : "several");
    spring_given given = given_of(def);
    scree_status status = spring_check(&given);
    if (status != SCREE_OK)
        return status;
    if (def->overlap != 0.0 && !(def->overlap > 0.0 && def->overlap < 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: an overlap of %g radii; expected a fraction between 0 and 1", def->overlap);
    if (def->overlap != 0.0 && !spring_is_above(def->speed))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: an overlap with the collision speed %g; expected a speed above 0",
                          def->speed);
    if (curved && !spring_is_above(def->speed) && !(def->time_step > 0.0 && def->speed == 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the law '%s' with the collision speed %g; expected a speed above 0, for the time step", law->row.name,
                          def->speed);
    if (def->overlap == 0.0 && def->speed != 0.0 && !curved)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: speed %g without an overlap; expected both or neither", def->speed);
    if (!(def->watch_overlaps >= 0.0 && def->watch_overlaps <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: watch_overlaps of %g radii; expected a fraction from 0 to 1", def->watch_overlaps);
    if (!(def->giants >= 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: giants from a radius of %g; expected above 0, or 0 for automatic", def->giants);
    return SCREE_OK;
}

// The two lightest and the two heaviest spheres that are not fixed; the lower id first where they are equal. -1: there is none.
typedef struct ends {
    int32_t light[2], heavy[2];
} ends;

static ends find_ends(const scree_sim_def* def, scree_spheres spheres)
{
    ends e = {.light = {-1, -1}, .heavy = {-1, -1}};
    double light[2] = {INFINITY, INFINITY}, heavy[2] = {-1.0, -1.0};
    for (int32_t i = 0; i < spheres.count; ++i) {
        if (is_given_fixed(def, i))
            continue;
        double m = sim_mass_of(def, spheres, i);
        int l = m < light[0] ? 0 : m < light[1] ? 1 : 2, h = m > heavy[0] ? 0 : m > heavy[1] ? 1 : 2;
        if (l == 0) {
            light[1] = light[0];
            e.light[1] = e.light[0];
        }
        if (l < 2) {
            light[l] = m;
            e.light[l] = i;
        }
        if (h == 0) {
            heavy[1] = heavy[0];
            e.heavy[1] = e.heavy[0];
        }
        if (h < 2) {
            heavy[h] = m;
            e.heavy[h] = i;
        }
    }
    return e;
}

// The radius that half of the spheres do not exceed. Radii are positive, so that their bits rise with them: digit by digit from the first.
static double median_radius(scree_spheres spheres)
{
    enum { digit_bits = 11, values = 1 << digit_bits };
    uint64_t prefix = 0, known = 0;
    int64_t left = ((int64_t)spheres.count - 1) / 2;
    for (int shift = 55; shift >= 0 && spheres.count > 0; shift -= digit_bits) {
        int64_t counts[values] = {0};
        for (int32_t i = 0; i < spheres.count; ++i) {
            uint64_t bits;
            memcpy(&bits, &spheres.r[i], sizeof bits);
            if ((bits & known) == prefix)
                ++counts[bits >> shift & (values - 1)];
        }
        uint64_t digit = 0;
        for (; left >= counts[digit]; ++digit)
            left -= counts[digit];
        prefix |= digit << shift;
        known |= (uint64_t)(values - 1) << shift;
    }
    double median;
    memcpy(&median, &prefix, sizeof median);
    return median;
}

static const double giant_ratio = 64.0;

// Quanta are fine enough that rounding is far below what a contact law is good for, and 2^63 of them hold what 1e6 spheres pressed in by a radius do.
static void find_giants(const scree_sim_def* def, scree_spheres spheres, int32_t present, double stiffest, scree_sim_numbers* out)
{
    scree_spheres at_start = spheres;  // where there are none, those that may come count
    at_start.count = present > 0 ? present : spheres.count;
    out->giant_radius = spheres.count == 0 ? INFINITY : def->giants > 0.0 ? def->giants : giant_ratio * median_radius(at_start);
    for (int32_t i = 0; i < present; ++i)
        out->giant_count += spheres.r[i] >= out->giant_radius;
    int exponent = ilogb(stiffest * out->radius_min);  // of 0: INT_MIN
    if (spheres.count > 0)
        out->force_quantum = ldexp(1.0, exponent < -960 ? -1000 : exponent - 40);
    int size = spheres.count > 0 ? ilogb(out->radius_min) : 0;
    out->torque_quantum = ldexp(out->force_quantum, size < -100 ? -100 : size);
}

// What a time step must not exceed, by whom: entries of law->many, -1 where all contacts are alike, and the sphere of the Rayleigh time.
typedef struct limit_owners {
    int64_t contact, step;
    int32_t rayleigh;
} limit_owners;

// The time of a Rayleigh wave over half the circumference of the sphere where it is shortest.
static void find_rayleigh(const scree_sim_def* def, scree_spheres spheres, const sim_law* law, limit_owners* by, scree_sim_numbers* out)
{
    double least = INFINITY;
    for (int32_t i = 0; i < spheres.count && is_curved(law); ++i) {
        const scree_sim_material* m = &def->law->materials[material_of(def, i)];
        double density = def->each != NULL && def->each->material_density != NULL ? def->each->material_density[i] : def->material_density;
        double shear = m->young / (2.0 * (1.0 + m->poisson));
        double time = pi * spheres.r[i] * sqrt(density / shear) / (0.1631 * m->poisson + 0.8766);
        if (!is_given_fixed(def, i) && time < least) {
            least = time;
            by->rayleigh = i;
        }
    }
    out->rayleigh_time = least < INFINITY ? least : 0.0;
}

static double reduced(double a, double b)
{
    return a / (a + b) * b;
}

static double stiffness_of(const scree_sim_def* def, double mu_light, double mu_heavy, double r_heavy)
{
    spring_given given = given_of(def);
    if (def->stiffness > 0.0 || def->contact_duration > 0.0)
        return spring_stiffness(&given, mu_light);
    double rate = def->speed / (def->overlap * r_heavy);
    return mu_heavy * rate * rate;
}

// What holds for a pair of materials: its entry, with the numbers for all where it has none; k is the stiffness for all.
static scree_sim_pair pair_of(const scree_sim_def* def, const sim_law* law, double k, int64_t e)
{
    scree_sim_pair pair = def->law != NULL && def->law->pairs != NULL ? def->law->pairs[e] : scree_default_sim_pair();
    if (pair.stiffness == 0.0)
        pair.stiffness = k;
    if (law->parts.damping == DAMPING_RESTITUTION && pair.restitution == 0.0)
        pair.restitution = def->restitution;
    if (law->parts.damping == DAMPING_CONSTANT && pair.damping == 0.0)
        pair.damping = def->damping;
    return pair;
}

// Coefficients of all pairs of materials, from the def and from k, the stiffness for all. MEMORY
static scree_status make_law(const scree_sim_def* def, bool mindlin, double k, double r_most, sim_law* law)
{
    const scree_sim_law* given = def->law;
    law->materials = is_by_pair(def) ? given->material_count : 1;
    law->per_pair = law->parts.damping == DAMPING_RESTITUTION;
    if (is_by_pair(def)) {
        law->many = scree_malloc((size_t)law->materials * (size_t)law->materials, sizeof *law->many);
        if (law->many == NULL)
            return SCREE_ERR_MEMORY;
    }
    int64_t m = law->materials;
    char name[pair_name_room];
    for (int64_t e = 0; e < m * m; ++e) {
        law_pair* with = law->many != NULL ? &law->many[e] : &law->one;
        scree_sim_pair pair = pair_of(def, law, k, e);
        const scree_sim_material *a = given != NULL && given->materials != NULL ? &given->materials[e / m] : NULL, *b = a != NULL ? &given->materials[e % m] : NULL;
        if (law->parts.normal == NORMAL_PLASTIC && pair.k2 != 0.0 && (pair.k2 < pair.stiffness || (pair.k2 > pair.stiffness && pair.plastic_depth == 0.0)))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s: k2 is %g with a stiffness of %g and a plastic_depth of %g; expected at least the stiffness, and a depth above 0",
                              pair_name(m, e / m, e % m, name), pair.k2, pair.stiffness, pair.plastic_depth);
        if (e % m < e / m)
            *with = law->many[e % m * m + e / m];  // the same bits both ways round
        else
            *with = grain_pair(&law->parts, &pair, mindlin, a, b);
        take_values(given, &law->row, e / m, e % m, with);
        law->damped = law->damped || (law->per_pair ? with->c > 0.0 : with->g > 0.0);
        if (law->row.reach != NULL)
            law->reach = fmax(law->reach, law->row.reach(with, r_most));
    }
    law->per_pair = law->per_pair && law->damped;
    if (!law->damped)
        law->parts.damping = DAMPING_NONE;
    law->parts.accounts = def->energies && !law_is_own(law->parts.normal);
    law->kind = (int32_t)law_kind_of(law);
    return SCREE_OK;
}

// The two of a material that are moved most easily, by force or torque; -1: there is none.
typedef struct quickest {
    int32_t i[2];
    double value[2];
} quickest;

enum { BY_FRICTION, BY_TORQUE, quick_ways };  // 1/m + r^2/I: by a force on the surface; 1/I

// Spheres of one material that move.
typedef struct of_material {
    int32_t light[2];   // the two lightest; -1: there is none
    double mass[2];
    double heaviest;
    bool stands;        // or walls, boundaries and fixed spheres are of it
    quickest quick[quick_ways];
} of_material;

static void take_quick(quickest* q, int32_t i, double value)
{
    int at = value > q->value[0] ? 0 : value > q->value[1] ? 1 : 2;
    if (at == 0) {
        q->value[1] = q->value[0];
        q->i[1] = q->i[0];
    }
    if (at < 2) {
        q->value[at] = value;
        q->i[at] = i;
    }
}

static void find_materials(const scree_sim_def* def, scree_spheres spheres, int32_t count, of_material* out)
{
    for (int32_t a = 0; a < count; ++a)
        out[a] = (of_material){.light = {-1, -1}, .mass = {INFINITY, INFINITY}, .quick = {{.i = {-1, -1}, .value = {-1.0, -1.0}}, {.i = {-1, -1}, .value = {-1.0, -1.0}}}};
    bool alike = count == 1;  // whatever they are made of
    int32_t walls[boundary_faces + 1];
    for (int32_t w = sim_wall_materials(def, walls); w > 0; --w)
        out[alike ? 0 : walls[w - 1]].stands = true;
    for (int32_t b = 0; b < def->boundary_count; ++b)
        out[alike ? 0 : def->boundaries[b].material].stands = true;
    for (int32_t i = 0; i < spheres.count; ++i) {
        of_material* m = &out[alike ? 0 : material_of(def, i)];
        if (is_given_fixed(def, i)) {
            m->stands = true;
            continue;
        }
        double mass = sim_mass_of(def, spheres, i);
        m->heaviest = fmax(m->heaviest, mass);
        double inertia = sim_inertia_of(def, spheres, i);
        take_quick(&m->quick[BY_FRICTION], i, 1.0 / mass + spheres.r[i] * spheres.r[i] / inertia);
        take_quick(&m->quick[BY_TORQUE], i, 1.0 / inertia);
        int at = mass < m->mass[0] ? 0 : mass < m->mass[1] ? 1 : 2;
        if (at == 0) {
            m->mass[1] = m->mass[0];
            m->light[1] = m->light[0];
        }
        if (at < 2) {
            m->mass[at] = mass;
            m->light[at] = i;
        }
    }
}

// The reduced radius of two; j < 0: of one against something flat.
static double reduced_radius(scree_spheres spheres, int32_t i, int32_t j)
{
    return i < 0 ? 1.0 : j < 0 ? spheres.r[i] : reduced(spheres.r[i], spheres.r[j]);
}

static void take_contact(const sim_law* law, const law_pair* with, double mu, int32_t i, int32_t j, scree_spheres spheres, limit_owners* by, scree_sim_numbers* out)
{
    contact_time time = law->row.time(law, with, mu, reduced_radius(spheres, i, j));
    out->restitution_min = fmin(out->restitution_min, time.restitution);
    if (!(time.duration < out->contact_duration))
        return;
    out->contact_duration = time.duration;
    by->contact = with - law->many;
    out->shortest_contact[0] = j >= 0 && j < i ? j : i;
    out->shortest_contact[1] = j >= 0 && j < i ? i : j;
}

static void take_step(const scree_sim_def* def, scree_spheres spheres, const sim_law* law, const law_pair* with, int32_t i, int32_t j, double* usual, limit_owners* by,
                      scree_sim_numbers* out)
{
    if (law->row.step == NULL)
        return;
    double mass = sim_mass_of(def, spheres, i), inertia = sim_inertia_of(def, spheres, i), r = spheres.r[i];
    contact_weights w = {.mu = mass, .r = reduced_radius(spheres, i, j), .arms = r * r / inertia, .turns = 1.0 / inertia};
    if (j >= 0) {
        inertia = sim_inertia_of(def, spheres, j);
        w.mu = reduced(mass, sim_mass_of(def, spheres, j));
        w.arms += spheres.r[j] * spheres.r[j] / inertia;
        w.turns += 1.0 / inertia;
    }
    contact_step step = law->row.step(law, with, &w);
    *usual = fmin(*usual, step.usual);
    if (!(step.longest < out->longest_time_step))
        return;
    out->longest_time_step = step.longest;
    out->longest_time_step_by = (int32_t)step.part;
    by->step = law->many != NULL ? with - law->many : -1;
    out->longest_time_step_of[0] = j >= 0 && j < i ? j : i;
    out->longest_time_step_of[1] = j >= 0 && j < i ? i : j;
}

// What springs and dashpots ask for, of the pairs that they move most easily: out->longest_time_step with its owner, and the usual one.
static void find_limits(const scree_sim_def* def, scree_spheres spheres, const sim_law* law, const of_material* all, double* usual, limit_owners* by, scree_sim_numbers* out)
{
    for (int32_t a = 0; a < law->materials; ++a)
        for (int32_t b = a; b < law->materials; ++b)
            for (int way = -1; way < quick_ways; ++way) {
                const law_pair* with = law->many != NULL ? &law->many[(int64_t)a * law->materials + b] : &law->one;
                const int32_t *one = way < 0 ? all[a].light : all[a].quick[way].i, *other = way < 0 ? all[b].light : all[b].quick[way].i;
                if (one[0] >= 0 && other[a == b] >= 0)
                    take_step(def, spheres, law, with, one[0], other[a == b], usual, by, out);
                if (one[0] >= 0 && all[b].stands)
                    take_step(def, spheres, law, with, one[0], -1, usual, by, out);
                if (other[0] >= 0 && all[a].stands && a != b)
                    take_step(def, spheres, law, with, other[0], -1, usual, by, out);
            }
}

// The shortest contact over all pairs of materials, and the mildest.
static void find_shortest(scree_spheres spheres, const sim_law* law, const of_material* all, limit_owners* by, scree_sim_numbers* out)
{
    out->contact_duration = INFINITY;
    out->restitution_max = 0.0;
    for (int32_t a = 0; a < law->materials; ++a)
        for (int32_t b = a; b < law->materials; ++b) {
            const law_pair* with = &law->many[(int64_t)a * law->materials + b];
            const of_material *one = &all[a], *other = &all[b];
            int second = a == b;
            if (one->light[0] >= 0 && other->light[second] >= 0)
                take_contact(law, with, reduced(one->mass[0], other->mass[second]), one->light[0], other->light[second], spheres, by, out);
            if (one->light[0] >= 0 && other->stands)
                take_contact(law, with, one->mass[0], one->light[0], -1, spheres, by, out);
            if (other->light[0] >= 0 && one->stands)
                take_contact(law, with, other->mass[0], other->light[0], -1, spheres, by, out);
            double heaviest = fmax(one->heaviest, other->heaviest);
            if (heaviest > 0.0 && (one->heaviest > 0.0 || one->stands) && (other->heaviest > 0.0 || other->stands))
                out->restitution_max = fmax(out->restitution_max, law->row.time(law, with, heaviest, out->radius_max).restitution);
        }
}

// Both of them. MEMORY
static scree_status find_times(const scree_sim_def* def, scree_spheres spheres, const sim_law* law, double* usual, limit_owners* by, scree_sim_numbers* out)
{
    of_material* all = scree_malloc((size_t)law->materials, sizeof *all);
    if (all == NULL)
        return SCREE_ERR_MEMORY;
    find_materials(def, spheres, law->materials, all);
    if (law->many != NULL)
        find_shortest(spheres, law, all, by, out);
    find_limits(def, spheres, law, all, usual, by, out);
    scree_free(all);
    return SCREE_OK;
}

// How messages name a sphere; those from `present` on have no number yet.
static void sphere_name(scree_spheres spheres, int32_t present, int64_t i, char name[64])
{
    if (i < present)
        snprintf(name, 64, "sphere %" PRId64 " (radius %g)", i, spheres.r[i]);
    else
        snprintf(name, 64, "a sphere that comes later (radius %g)", spheres.r[i]);
}

// pair: of law->many, that limits the step
static scree_status say_too_long(const scree_sim_def* def, scree_spheres spheres, int32_t present, const sim_law* law, int64_t pair, const scree_sim_numbers* n)
{
    char one[64], other[64] = "a wall or a fixed sphere", of[16 + pair_name_room] = "";
    sphere_name(spheres, present, n->longest_time_step_of[0], one);
    if (n->longest_time_step_of[1] >= 0)
        sphere_name(spheres, present, n->longest_time_step_of[1], other);
    if (n->longest_time_step_by == SCREE_SIM_LIMIT_RAYLEIGH) {
        if (def->law->material_count > 1)
            snprintf(of, sizeof of, " of material %" PRId32, material_of(def, n->longest_time_step_of[0]));
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: time step %g; the shortest Rayleigh time is %g, that of %s%s; expected at most 0.4 of it, %g (0.1 is usual)", n->time_step,
                          n->rayleigh_time, one, of, n->longest_time_step);
    }
    if (pair >= 0) {
        char name[pair_name_room];
        snprintf(of, sizeof of, " (%s)", pair_name(law->materials, pair / law->materials, pair % law->materials, name));
    }
    if (n->longest_time_step_by == SCREE_SIM_LIMIT_CONTACT)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: time step %g; %s and %s%s touch for %g; expected at most a tenth of that, %g (a fiftieth is usual)", n->time_step, one, other,
                          of, n->contact_duration, n->longest_time_step);
    return scree_fail(SCREE_ERR_ARGUMENT, "sim: time step %g is too long for the %s spring and dashpot of %s and %s%s; expected at most %g", n->time_step,
                      scree_sim_limit_name(n->longest_time_step_by), one, other, of, n->longest_time_step);
}

// Of all spheres; the first `present` are there at the start, the others may come.
static scree_status find_numbers(const scree_sim_def* def, scree_spheres spheres, int32_t present, scree_sim_numbers* out, sim_law* law)
{
    bool mindlin = false, stiff = false;
    *law = (sim_law){.speed = def->speed, .dim = spheres.dim};
    scree_status status = check_law(def, law, &mindlin);
    if (status == SCREE_OK)
        status = find_stiff(def->law, &stiff);
    if (status == SCREE_OK)
        status = find_damping(def, law);
    law->row = grain_row(&law->parts);
    if (status == SCREE_OK)
        status = check(def, law, stiff);
    law->turns = law->turns || def->bonds != NULL;
    if (status == SCREE_OK && def->each != NULL)
        status = check_each(def->each, law, spheres);
    if (status == SCREE_OK)
        status = check_materials(def, spheres);
    if (status != SCREE_OK)
        return status;
    *out = (scree_sim_numbers){.shortest_contact = {-1, -1}, .longest_time_step_of = {-1, -1}, .longest_time_step = INFINITY, .restitution_min = 1.0, .restitution_max = 1.0};
    int32_t fixed = 0;
    for (int32_t i = 0; i < spheres.count; ++i) {
        double mass = sim_mass_of(def, spheres, i);
        if (!(spheres.r[i] > 0.0) || !spring_is_above(mass) || !spring_is_above(1.0 / mass))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g gives a mass of %g; expected a finite mass above 0", i, spheres.r[i],
                              mass);
        fixed += is_given_fixed(def, i);
        if (i < present) {
            out->fixed += is_given_fixed(def, i);
            out->mass += is_given_fixed(def, i) ? 0.0 : mass;
        }
        out->radius_min = i == 0 ? spheres.r[i] : fmin(out->radius_min, spheres.r[i]);
        out->radius_max = fmax(out->radius_max, spheres.r[i]);
    }
    ends e = find_ends(def, spheres);
    int32_t movers = spheres.count - fixed;
    double light[2] = {1.0, 1.0}, heavy[2] = {1.0, 1.0};
    for (int k = 0; k < 2 && movers > 0; ++k) {
        light[k] = e.light[k] < 0 ? INFINITY : sim_mass_of(def, spheres, e.light[k]);
        heavy[k] = e.heavy[k] < 0 ? INFINITY : sim_mass_of(def, spheres, e.heavy[k]);
        out->shortest_contact[k] = e.light[k];
    }
    if (movers > 0) {
        out->mass_min = light[0];
        out->mass_max = heavy[0];
    }
    // A sphere alone has only walls and fixed spheres to meet.
    double mu_light = movers > 1 ? reduced(light[0], light[1]) : light[0];
    double mu_heavy = movers > 1 ? reduced(heavy[0], heavy[1]) : heavy[0];
    double r_heavy = movers > 1 ? fmin(spheres.r[e.heavy[0]], spheres.r[e.heavy[1]]) : movers > 0 ? spheres.r[e.heavy[0]] : 1.0;
    double k = stiff || is_curved(law) ? 1.0 : stiffness_of(def, mu_light, mu_heavy, r_heavy);
    if (!spring_is_above(k))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the derived stiffness is %g; expected a positive finite value. Check masses, contact duration and overlap", k);
    status = make_law(def, mindlin, k, out->radius_max, law);
    double usual = INFINITY;
    limit_owners by = {.contact = -1, .step = -1, .rayleigh = -1};
    if (status == SCREE_OK && movers > 0)
        status = find_times(def, spheres, law, &usual, &by, out);
    if (status != SCREE_OK)
        return status;
    double r_light = reduced_radius(spheres, e.light[0], e.light[1]);
    for (int64_t p = 0; p < (int64_t)law->materials * law->materials; ++p) {
        const law_pair* with = law->many != NULL ? &law->many[p] : &law->one;
        double expected = grain_overlap_expected(law, with, mu_light, r_light);
        out->stiffness = fmax(out->stiffness, is_curved(law) ? 2.0 * with->young * (expected > 0.0 ? sqrt(r_light * expected) : out->radius_min) : fmax(with->k, with->k2));
        out->overlap_expected = fmax(out->overlap_expected, expected / (e.light[0] >= 0 ? spheres.r[e.light[0]] : 1.0));
    }
    find_giants(def, spheres, present, out->stiffness, out);
    find_rayleigh(def, spheres, law, &by, out);
    if (law->many == NULL || movers == 0) {
        const law_pair* with = law->many != NULL ? law->many : &law->one;
        contact_time shortest = law->row.time(law, with, mu_light, r_light);
        out->contact_duration = shortest.duration;
        out->restitution_min = shortest.restitution;
        out->restitution_max = law->row.time(law, with, heavy[0], movers > 0 ? spheres.r[e.heavy[0]] : 1.0).restitution;  // the heaviest, against a wall
    }
    if (out->rayleigh_time > 0.0 && !(out->contact_duration < INFINITY))
        out->contact_duration = 4.0 * out->rayleigh_time;
    double of_contact, longest;
    spring_given given = given_of(def);
    status = spring_step(&given, out->contact_duration, &longest, &of_contact);
    out->time_step = def->time_step > 0.0 ? of_contact : fmin(of_contact, usual);
    if (!(out->longest_time_step < longest)) {
        out->longest_time_step = longest;
        out->longest_time_step_by = SCREE_SIM_LIMIT_CONTACT;
        memcpy(out->longest_time_step_of, out->shortest_contact, sizeof out->longest_time_step_of);
        by.step = by.contact;
    }
    if (out->rayleigh_time > 0.0) {
        if (def->time_step == 0.0)
            out->time_step = fmin(out->time_step, 0.1 * out->rayleigh_time);
        if (0.4 * out->rayleigh_time <= out->longest_time_step) {
            out->longest_time_step = 0.4 * out->rayleigh_time;
            out->longest_time_step_by = SCREE_SIM_LIMIT_RAYLEIGH;
            out->longest_time_step_of[0] = by.rayleigh;
            out->longest_time_step_of[1] = -1;
        }
    }
    if (status == SCREE_OK && !spring_is_above(out->time_step))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the derived time step is %g, for the %s spring and dashpot; expected a positive finite value. Check stiffness, damping and masses", out->time_step,
                          scree_sim_limit_name(out->longest_time_step_by));
    return status != SCREE_OK || out->time_step <= out->longest_time_step || movers == 0 ? status : say_too_long(def, spheres, present, law, by.step, out);
}

// Spheres with those that may come behind them, each twice: two of the lightest may meet.
typedef struct joined {
    scree_spheres spheres;
    scree_sim_each each;
    double *r, *density, *spin, *force, *inertia;
    uint16_t* material;
    uint8_t* fixed;
} joined;

static void free_joined(joined* all)
{
    scree_free(all->r);
    scree_free(all->density);
    scree_free(all->spin);
    scree_free(all->force);
    scree_free(all->inertia);
    scree_free(all->material);
    scree_free(all->fixed);
}

// MEMORY: what there is is to be freed all the same
static scree_status join(const scree_sim_def* def, scree_spheres spheres, joined* all)
{
    const scree_sim_later* later = def->later;
    scree_sim_each given = def->each != NULL ? *def->each : scree_default_sim_each();
    size_t old = (size_t)spheres.count, more = 2 * (size_t)later->count, n = old + more, dim = (size_t)spheres.dim;
    *all = (joined){.each = scree_default_sim_each()};
    all->r = scree_malloc(n, sizeof *all->r);
    all->density = scree_malloc(n, sizeof *all->density);
    all->material = scree_calloc(n, sizeof *all->material);
    all->fixed = scree_calloc(n, sizeof *all->fixed);
    all->spin = given.spin != NULL ? scree_calloc(3 * n, sizeof *all->spin) : NULL;
    all->force = given.force != NULL ? scree_calloc(dim * n, sizeof *all->force) : NULL;
    all->inertia = given.inertia != NULL ? scree_malloc(n, sizeof *all->inertia) : NULL;
    if (all->r == NULL || all->density == NULL || all->material == NULL || all->fixed == NULL || (given.spin != NULL && all->spin == NULL) ||
        (given.force != NULL && all->force == NULL) || (given.inertia != NULL && all->inertia == NULL))
        return SCREE_ERR_MEMORY;
    for (size_t i = 0; i < n; ++i) {
        size_t e = i < old ? i : (i - old) / 2;
        const double* density = i < old ? given.material_density : later->material_density;
        const uint16_t* material = i < old ? given.material : later->material;
        const uint8_t* fixed = i < old ? given.fixed : later->fixed;
        all->r[i] = i < old ? spheres.r[i] : later->r[e];
        all->density[i] = density != NULL ? density[e] : def->material_density;
        all->material[i] = material != NULL ? material[e] : 0;
        all->fixed[i] = fixed != NULL ? fixed[e] : 0;
    }
    if (old > 0 && given.spin != NULL)
        memcpy(all->spin, given.spin, 3 * old * sizeof *all->spin);
    if (old > 0 && given.force != NULL)
        memcpy(all->force, given.force, dim * old * sizeof *all->force);
    all->spheres = (scree_spheres){.count = (int32_t)n, .dim = spheres.dim, .r = all->r};
    scree_sim_def plain = *def;
    all->each.material_density = all->density;
    plain.each = &all->each;
    for (size_t i = 0; i < n && all->inertia != NULL; ++i)
        all->inertia[i] = i < old ? given.inertia[i] : sim_inertia_of(&plain, all->spheres, (int64_t)i);
    all->each.material = all->material;
    all->each.fixed = all->fixed;
    all->each.spin = all->spin;
    all->each.force = all->force;
    all->each.inertia = all->inertia;
    return SCREE_OK;
}

scree_status sim_numbers_find(const scree_sim_def* def, scree_spheres spheres, scree_sim_numbers* out, sim_law* law)
{
    const scree_sim_later* later = def->later;
    *law = (sim_law){.many = NULL};
    if (later == NULL || later->count == 0)
        return find_numbers(def, spheres, spheres.count, out, law);
    SCREE_NEED_AS(later->r, "later.r");
    if (later->count < 0 || (int64_t)spheres.count + 2 * (int64_t)later->count > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId32 " spheres to be inserted later; expected 0 or more", later->count);
    joined all;
    scree_status status = join(def, spheres, &all);
    scree_sim_def whole = *def;
    whole.each = &all.each;
    if (status == SCREE_OK)
        status = find_numbers(&whole, all.spheres, spheres.count, out, law);
    free_joined(&all);
    for (int k = 0; k < 2 && status == SCREE_OK; ++k) {  // those to come have no ids
        out->shortest_contact[k] = out->shortest_contact[k] < spheres.count ? out->shortest_contact[k] : -2;
        out->longest_time_step_of[k] = out->longest_time_step_of[k] < spheres.count ? out->longest_time_step_of[k] : -2;
    }
    return status;
}

const char* scree_sim_limit_name(int32_t number)
{
    static const char* const names[SCREE_SIM_LIMIT_COUNT] = {"contact", "Rayleigh", "normal", "tangential", "rolling", "twisting"};
    return number >= 0 && number < (int32_t)SCREE_SIM_LIMIT_COUNT ? names[number] : NULL;
}

scree_status sim_numbers_bonds(const scree_sim_def* def, scree_spheres spheres, const struct sim_runner* runner, scree_sim_numbers* numbers, sim_law* law, bond_finder* out)
{
    *out = (bond_finder){.count = 0};
    scree_status status = bonds_check(def, spheres);
    if (status == SCREE_OK)
        status = bonds_find(def, spheres, runner, numbers, out);
    for (int32_t k = 0; k < out->count && k < def->bonds->kind_count; ++k)
        law->damped = law->damped || def->bonds->kinds[k].damping > 0.0;
    return status;
}

const char* scree_sim_law_name(int32_t number)
{
    const int32_t own = NORMAL_COUNT - NORMAL_LAST - 1;  // laws with a header of their own come behind linear
    if (number < 0 || number >= (int32_t)NORMAL_COUNT)
        return NULL;
    return law_normal_names[number == 0 ? 0 : number <= own ? (int32_t)NORMAL_LAST + number : number - own];
}

SCREE_ROWS_OF(scree_sim_parameter, scree_sim_law_parameters, (const char* law, scree_sim_parameter* out, int32_t room), (law, out, room))
{
    sim_law found = {.many = NULL};
    const scree_sim_law named = {.name = law};
    if (find_normal(&named, false, &found) != SCREE_OK)
        return -1;
    const law_row row = grain_row(&found.parts);
    for (int32_t p = 0; out != NULL && p < row.parameter_count && p < room; ++p)
        out[p] = row.parameters[p];
    return row.parameter_count;
}

SCREE_RESULT_OF(scree_sim_numbers, scree_sim_find_numbers, (const scree_sim_def* def, scree_spheres spheres, scree_sim_numbers* out), (def, spheres, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    sim_law law = {.many = NULL};
    scree_sim_numbers numbers;
    scree_sim_def whole;
    sim_given given;
    scree_status status = sim_take_def(def, &whole, &given);
    if (status == SCREE_OK)
        status = scree_spheres_check(spheres, NULL);
    if (status != SCREE_OK)
        return status;
    status = sim_numbers_find(&whole, spheres, &numbers, &law);
    bond_finder bonds = {.count = 0};
    if (status == SCREE_OK)
        status = sim_numbers_bonds(&whole, spheres, NULL, &numbers, &law, &bonds);
    bonds_end(&bonds);
    scree_free(law.many);
    if (status == SCREE_OK)
        *out = numbers;
    return status;
}
