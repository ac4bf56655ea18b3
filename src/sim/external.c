// External forces and torques: of single spheres (scree_sim_set_external, def.each.force) and of groups. Passes read one column of each, `force` and `torque`:
//
//     force[i] = own_force[i] + force of the group of i           once scree_sim_set_external has set forces
//     force[i] = force of the group of i, else def.each.force     before that: there is no column own_force
//
// The force of a group is a constant (loads.constants) or a load that changes from step to step (loads.list). States contain both columns and the constants, because the two terms cannot be told from their
// sum.
//
// If a column changes between steps, the current accelerations, with which the next step begins, change by the difference divided by the mass. Nothing else changes: contacts keep their memory, and lists
// stay valid. A device keeps its state and receives the column and the differences. Cost: O(n), about a fiftieth of a step.
#include "sim/motion.h"
#include "sim/runner.h"
#include "sim/sim_inner.h"

#include "base/argument.h"
#include "base/array.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// The columns of one kind: external forces or external torques.
typedef struct external {
    int32_t kind;             // scree_load: FORCE, TORQUE
    unsigned trait, own_trait;
    int wide;                 // numbers of a sphere in arrays of the caller
    double (*sum)[4];
    double (*own)[4];         // NULL: it is not set for single spheres
    sim_rows inverse;         // 1 / mass, or 1 / moment of inertia, in the fourth place
    sim_rows acceleration;    // of this moment
} external;

static external external_of(const scree_sim* sim, int32_t kind)
{
    if (kind == SCREE_LOAD_FORCE)
        return (external){.kind = kind, .trait = SIM_FORCES, .own_trait = SIM_OWN_FORCES, .wide = sim->dim, .sum = sim->force, .own = sim->own_force, .inverse = sim->v,
                          .acceleration = {.at = sim->other}};
    return (external){.kind = kind, .trait = SIM_TORQUES, .own_trait = SIM_OWN_TORQUES, .wide = 3, .sum = sim->torque, .own = sim->own_torque, .inverse = sim->w,
                      .acceleration = sim->wp_next};
}

// ---- Of groups -------------------------------------------------------------------------------------------------------

sim_constant* external_constant(const scree_sim* sim, int32_t kind, int32_t group)
{
    for (int64_t n = 0; n < sim->loads.constant_count; ++n)
        if (sim->loads.constants[n].kind == kind && sim->loads.constants[n].group == group)
            return &sim->loads.constants[n];
    return NULL;
}

scree_status external_put_constant(sim_loads* loads, const sim_constant* constant)
{
    if (SCREE_RESERVE(loads->constants, loads->constant_capacity, loads->constant_count + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    loads->constants[loads->constant_count++] = *constant;
    return SCREE_OK;
}

static void drop_constant(scree_sim* sim, int32_t kind, int32_t group)
{
    sim_constant* constant = external_constant(sim, kind, group);
    if (constant != NULL)
        *constant = sim->loads.constants[--sim->loads.constant_count];
}

bool external_of_group(const scree_sim* sim, int32_t kind, int32_t group, double out[3])
{
    const sim_load* load = loads_find(sim, kind, group);
    const sim_constant* constant = load == NULL ? external_constant(sim, kind, group) : NULL;
    double time;
    memset(out, 0, 3 * sizeof *out);
    if (load != NULL) {
        loads_time(sim, load, sim->step, &time);
        scree_signal_at(&load->given.value, time, out);
    } else if (constant != NULL) {
        memcpy(out, constant->value, sizeof constant->value);
    }
    return load != NULL || constant != NULL;
}

// What all groups have at this moment.
typedef struct group_values {
    int32_t count;            // groups from 0 on; further ones have nothing
    double (*value)[3];
    bool* has;
} group_values;

static void free_groups(group_values* groups)
{
    scree_free(groups->value);
    scree_free(groups->has);
    *groups = (group_values){.count = 0};
}

static scree_status find_groups(const scree_sim* sim, int32_t kind, group_values* out)
{
    const sim_loads* l = &sim->loads;
    *out = (group_values){.count = 0};
    for (int32_t n = 0; n < l->count; ++n)
        if (l->list[n].given.kind == kind && l->list[n].given.target >= out->count)
            out->count = l->list[n].given.target + 1;
    for (int64_t n = 0; n < l->constant_count; ++n)
        if (l->constants[n].kind == kind && l->constants[n].group >= out->count)
            out->count = l->constants[n].group + 1;
    if (out->count == 0)
        return SCREE_OK;
    out->value = scree_malloc((size_t)out->count, sizeof *out->value);
    out->has = scree_malloc((size_t)out->count, sizeof *out->has);
    if (out->value == NULL || out->has == NULL) {
        free_groups(out);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t group = 0; group < out->count; ++group)
        out->has[group] = external_of_group(sim, kind, group, out->value[group]);
    return SCREE_OK;
}

// ---- Sums ------------------------------------------------------------------------------------------------------------

// What add_up writes: the sums, and by how much accelerations change.
typedef struct sum_targets {
    const double* values;     // of the caller, which become those of single spheres; NULL: these stay
    bool here;                // accelerations are changed here
    double (*more)[4];        // gets the changes; NULL: not asked for
} sum_targets;

// `wide` and `usual` are literals in each call. `usual`: values are given, groups have no forces, and only accelerations change. The changes of a sphere are computed in local variables first, so that the
// compiler need not prove that the arrays do not overlap.
static inline __attribute__((always_inline)) void add_up_of(scree_sim* sim, const external* e, const group_values* groups, const sum_targets* to, int wide, bool usual)
{
    static const double nothing[3] = {0.0, 0.0, 0.0};
    double (*const own)[4] = e->own, (*const sum)[4] = e->sum, (*const more)[4] = usual ? NULL : to->more;
    double (*const before)[4] = !usual && to->here && e->kind == SCREE_LOAD_FORCE ? sim->before : NULL;
    const double* const values = to->values;
    const double half_square = 0.5 * sim->numbers.time_step * sim->numbers.time_step;
    const int64_t n = sim->n, inverse_step = (int64_t)4 << e->inverse.twice, step = (int64_t)4 << e->acceleration.twice;
    const double* inverse = *e->inverse.at + 3;
    double* acceleration = *e->acceleration.at;
    const bool here = usual || to->here;
    for (int64_t i = 0; i < n; ++i, inverse += inverse_step, acceleration += step) {
        const int32_t group = usual ? 0 : group_of(sim->group, i);
        const double* from = usual || values != NULL ? values + sim_row(sim, i) * wide : own[i];
        const double* add = !usual && group < groups->count ? groups->value[group] : nothing;
        double given[3], now[3], change[3];
        for (int k = 0; k < wide; ++k) {
            given[k] = from[k];
            now[k] = given[k] + add[k];
            change[k] = (now[k] - sum[i][k]) * *inverse;
        }
        for (int k = 0; k < wide; ++k) {
            own[i][k] = given[k];
            sum[i][k] = now[k];
        }
        for (int k = 0; k < wide && here; ++k)
            acceleration[k] += change[k];
        for (int k = 0; k < wide && more != NULL; ++k)
            more[i][k] = change[k];
        for (int k = 0; k < wide && before != NULL; ++k)  // so that the velocity of this moment stays
            before[i][k] += half_square * change[k];
    }
}

static void add_up(scree_sim* sim, const external* e, const group_values* groups, const sum_targets* to)
{
    const bool usual = to->values != NULL && groups->count == 0 && to->here && to->more == NULL && (e->kind != SCREE_LOAD_FORCE || sim->before == NULL);
    if (sim->n == 0)
        return;
    if (e->wide == 3 && usual)
        add_up_of(sim, e, groups, to, 3, true);
    else if (e->wide == 3)
        add_up_of(sim, e, groups, to, 3, false);
    else
        add_up_of(sim, e, groups, to, 2, false);
}

scree_status external_set_group(scree_sim* sim, int32_t kind, int32_t group, const double value[3], bool constant)
{
    const unsigned before = sim->traits;
    sim->traits |= kind == SCREE_LOAD_FORCE ? SIM_FORCES : SIM_TORQUES;
    scree_status status = sim_arrays_make(sim);
    if (status == SCREE_OK)
        drop_constant(sim, kind, group);
    if (status == SCREE_OK && constant)
        status = external_put_constant(&sim->loads, &(sim_constant){.kind = kind, .group = group, .value = {value[0], value[1], value[2]}});
    if (status != SCREE_OK) {
        sim_arrays_drop(sim, sim->traits & ~before);
        return status;
    }
    const external e = external_of(sim, kind);
    const double half_square = 0.5 * sim->numbers.time_step * sim->numbers.time_step;
    for (int64_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < e.wide && group_of(sim->group, i) == group; ++k) {
            const double to = e.own != NULL ? e.own[i][k] + value[k] : value[k], change = (to - e.sum[i][k]) * sim_at(e.inverse, i)[3];
            e.sum[i][k] = to;
            sim_at(e.acceleration, i)[k] += change;
            if (kind == SCREE_LOAD_FORCE && sim->before != NULL)
                sim->before[i][k] += half_square * change;
        }
    return SCREE_OK;
}

void external_inserted(scree_sim* sim, int32_t at)
{
    for (int32_t kind = SCREE_LOAD_FORCE; kind <= SCREE_LOAD_TORQUE; ++kind) {
        const external e = external_of(sim, kind);
        double add[3];
        if (e.own == NULL)
            continue;
        external_of_group(sim, kind, group_of(sim->group, at), add);
        for (int k = 0; k < e.wide; ++k) {
            e.own[at][k] = e.sum[at][k];
            e.sum[at][k] = e.own[at][k] + add[k];
        }
    }
}

// ---- Of single spheres -----------------------------------------------------------------------------------------------

// Whether all values are finite, and those components that do not exist in 2D are 0. Also false if the sum of all overflows; the caller then checks each value.
static bool are_valid(const double* values, int64_t count, bool flat)
{
    enum { sums = 16 };  // none of which waits for another one
    double sum[sums] = {0.0}, all = 0.0;
    int64_t e = 0;
    for (; e + sums <= count; e += sums)
        for (int k = 0; k < sums; ++k)
            sum[k] += fabs(values[e + k]);
    for (; e < count; ++e)
        all += fabs(values[e]);
    for (int k = 0; k < sums; ++k)
        all += sum[k];
    bool valid = all <= SCREE_LENGTH_MAX;
    for (e = 0; e < count && flat && valid; e += 3)
        valid = values[e] == 0.0 && values[e + 1] == 0.0;
    return valid;
}

static scree_status check_values(const scree_sim* sim, int32_t kind, const double* values)
{
    const bool torque = kind == SCREE_LOAD_TORQUE;
    const int wide = torque ? 3 : sim->dim;
    if (values == NULL)
        return SCREE_OK;
    if (torque && !sim->law.turns)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: external torques; expected a contact law with friction, rolling or twisting resistance");
    if (are_valid(values, (int64_t)sim->n * wide, torque && sim->dim == 2))
        return SCREE_OK;
    for (int64_t row = 0; row < sim->n; ++row)
        for (int k = 0; k < wide; ++k) {
            const double value = values[row * wide + k];
            const bool flat = torque && sim->dim == 2 && k < 2 && value != 0.0;
            if (!(fabs(value) <= SCREE_LENGTH_MAX) || flat)
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": external %s %g along %c; expected %s", sim_id_of(sim, row), scree_load_name(kind), value, "xyz"[k],
                                  flat ? "0 in two dimensions" : "a finite number");
        }
    return SCREE_OK;
}

scree_status external_begin(scree_sim* sim, const bool which[2])
{
    const unsigned before = sim->traits;
    sim->traits |= (which[0] ? SIM_FORCES | SIM_OWN_FORCES : 0u) | (which[1] ? SIM_TORQUES | SIM_OWN_TORQUES : 0u);
    scree_status status = sim_arrays_make(sim);
    if (status != SCREE_OK)
        sim_arrays_drop(sim, sim->traits & ~before);
    return status;
}

static int32_t kind_of(int t)
{
    return t == 0 ? SCREE_LOAD_FORCE : SCREE_LOAD_TORQUE;
}

scree_status external_end(scree_sim* sim, const bool which[2])
{
    scree_status status = SCREE_OK;
    for (int t = 0; t < 2 && status == SCREE_OK; ++t) {
        const external e = external_of(sim, kind_of(t));
        group_values groups = {.count = 0};
        status = which[t] ? find_groups(sim, e.kind, &groups) : SCREE_OK;
        if (status == SCREE_OK && which[t])
            add_up(sim, &e, &groups, &(sum_targets){.here = true});
        free_groups(&groups);
    }
    return status;
}

int64_t external_columns(const bool which[2])
{
    int64_t columns = 0;
    for (int c = 0; c < sim_column_count; ++c)
        if ((which[0] && strcmp(sim_columns[c].shown.name, "own_force") == 0) || (which[1] && strcmp(sim_columns[c].shown.name, "own_torque") == 0))
            columns |= (int64_t)1 << c;
    return columns;
}

// The values that the keeper of the spheres asks for: forces, then torques.
typedef struct given_values {
    const scree_sim* sim;
    const double* values[2];
} given_values;

static void give_values(void* context, int64_t columns, int64_t id, char* out)
{
    const given_values* from = context;
    const int64_t row = sim_row_of(from->sim, id);
    (void)columns;
    for (int t = 0; t < 2; ++t) {
        const size_t wide = t == 0 ? (size_t)from->sim->dim : 3;
        if (from->values[t] == NULL)
            continue;
        memcpy(out, from->values[t] + (size_t)row * wide, wide * sizeof(double));
        out += wide * sizeof(double);
    }
}

// The spheres are here. `kept`: a device has their state too, and keeps it.
static scree_status set_here(scree_sim* sim, const double* const values[2], bool kept)
{
    const bool which[2] = {values[0] != NULL, values[1] != NULL};
    group_values groups[2] = {{.count = 0}, {.count = 0}};
    double (*more[2])[4] = {NULL, NULL};
    scree_status status = SCREE_OK;
    for (int t = 0; t < 2 && status == SCREE_OK; ++t) {
        more[t] = which[t] && kept ? scree_calloc((size_t)sim->n, sizeof *more[t]) : NULL;
        status = which[t] && kept && more[t] == NULL ? SCREE_ERR_MEMORY : which[t] ? find_groups(sim, kind_of(t), &groups[t]) : SCREE_OK;
    }
    if (status == SCREE_OK)
        status = external_begin(sim, which);
    for (int t = 0; t < 2 && status == SCREE_OK; ++t) {
        const external e = external_of(sim, kind_of(t));
        if (which[t])
            add_up(sim, &e, &groups[t], &(sum_targets){.values = values[t], .here = !sim->device_away, .more = more[t]});
    }
    if (status == SCREE_OK && kept) {
        status = sim_device_shift(sim, more);
        sim->failed = sim->failed || status != SCREE_OK;  // the device has only some of the changes
    }
    for (int t = 0; t < 2; ++t) {
        scree_free(more[t]);
        free_groups(&groups[t]);
    }
    return status;
}

scree_status scree_sim_set_external(scree_sim* sim, const double* forces, const double* torques)
{
    SCREE_NEED(sim);
    const bool kept = sim_device_is_kept(sim);
    scree_status status = sim->hollow ? sim_check_known(sim) : kept ? SCREE_OK : sim_check_still(sim);
    if (status == SCREE_OK)
        status = check_values(sim, SCREE_LOAD_FORCE, forces);
    if (status == SCREE_OK)
        status = check_values(sim, SCREE_LOAD_TORQUE, torques);
    if (status != SCREE_OK || sim->n == 0 || (forces == NULL && torques == NULL))
        return status;
    if (!sim->hollow)
        return set_here(sim, (const double* const[2]){forces, torques}, kept);
    given_values from = {.sim = sim, .values = {forces, torques}};
    return sim->keeper->external(sim->kept_by, (const bool[2]){forces != NULL, torques != NULL}, give_values, &from);
}

// Rows of `wide` numbers of one column; 0: there is none.
static scree_status get_column(const scree_sim* sim, const char* name, int wide, double* out)
{
    memset(out, 0, (size_t)sim->n * (size_t)wide * sizeof *out);
    return sim_find_column(sim, name) != NULL ? scree_sim_get_column(sim, name, out) : SCREE_OK;
}

static scree_status get_values(const scree_sim* sim, int32_t kind, double* out)
{
    const bool torque = kind == SCREE_LOAD_TORQUE;
    const int wide = torque ? 3 : sim->dim;
    if (out == NULL)
        return SCREE_OK;
    if ((sim->traits & (torque ? SIM_OWN_TORQUES : SIM_OWN_FORCES)) != 0)
        return get_column(sim, torque ? "own_torque" : "own_force", wide, out);
    group_values groups;
    scree_status status = find_groups(sim, kind, &groups);
    if (status != SCREE_OK)
        return status;
    uint16_t* group = scree_calloc((size_t)sim->n, sizeof *group);
    status = group == NULL ? SCREE_ERR_MEMORY : get_column(sim, torque ? "external_torque" : "force", wide, out);
    if (status == SCREE_OK && groups.count > 0 && sim_find_column(sim, "group") != NULL)
        status = scree_sim_get_column(sim, "group", group);
    for (int64_t row = 0; row < sim->n && status == SCREE_OK; ++row)
        if (group[row] < groups.count && groups.has[group[row]])
            memset(out + row * wide, 0, (size_t)wide * sizeof *out);
    scree_free(group);
    free_groups(&groups);
    return status;
}

scree_status scree_sim_get_external(const scree_sim* sim, double* forces, double* torques)
{
    SCREE_NEED(sim);
    scree_status status = sim_check_known(sim);
    if (status == SCREE_OK)
        status = get_values(sim, SCREE_LOAD_FORCE, forces);
    return status == SCREE_OK ? get_values(sim, SCREE_LOAD_TORQUE, torques) : status;
}
