// Groups that are driven, frozen and released, and their properties. A driven sphere is a fixed one that moves: nothing accelerates it, it pushes others as a sphere of infinite mass, and
// two of them are never a pair. Where its velocity changes, each step is given the mean velocity of the step, the difference of two integrals, so that it stays on its way
// to rounding; the contact law sees the velocity of the moment.
#include "sim/motion.h"
#include "sim/overview.h"
#include "sim/part_inner.h"
#include "sim/runner.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Sums over one group.
enum { GROUP_MASS, GROUP_KINETIC, GROUP_ROTATION, GROUP_MOMENTUM, group_totals = GROUP_MOMENTUM + 3 };
enum { GROUP_COUNT, GROUP_HELD, group_counts };

// Where parts have the spheres these are asked; one of them may have none of the group.
bool group_is_there(const scree_sim* sim, int32_t group)
{
    if (sim->part != NULL)
        return true;
    if (sim->hollow) {
        sim_look look;
        const double given[look_given] = {group + 1.0};
        if (group < 0 || group > UINT16_MAX || sim_look_at((scree_sim*)(uintptr_t)sim, LOOK_GROUPS, given, &look) != SCREE_OK)
            return false;
        bool is = look.counts[group_counts * group + GROUP_COUNT] > 0;
        sim_look_free(&look);
        return is;
    }
    for (int32_t i = 0; i < sim->n; ++i)
        if (group_of(sim->group, i) == group)
            return true;
    return false;
}

scree_status groups_need_flags(scree_sim* sim)
{
    if (sim->flags != NULL)
        return SCREE_OK;
    sim->traits |= SIM_FLAGS;
    scree_status status = sim_arrays_make(sim);
    if (status != SCREE_OK) {
        sim->traits &= ~(unsigned)SIM_FLAGS;
        scree_free(sim->flags);
        scree_free(sim->held);
        sim->flags = NULL;
        sim->held = NULL;
        return status;
    }
    for (int32_t i = 0; i < sim->n; ++i) {
        sim->held[i][0] = sim_at(sim->v, i)[3];
        sim->held[i][1] = sim->w.at != NULL ? sim_at(sim->w, i)[3] : 0.0;
    }
    return SCREE_OK;
}

static void set_flag(scree_sim* sim, int32_t rank, uint8_t flag)
{
    bool fixed = (flag & 1) != 0;
    sim->flags[rank] = flag;
    sim_at(sim->v, rank)[3] = fixed ? 0.0 : sim->held[rank][0];
    if (sim->w.at != NULL)
        sim_at(sim->w, rank)[3] = fixed ? 0.0 : sim->held[rank][1];
}

static bool is_own(const scree_sim* sim, int32_t rank)
{
    return sim->ghost == NULL || sim->ghost[rank] == 0;
}

int64_t groups_count_fixed(const scree_sim* sim)
{
    int64_t count = 0;
    for (int32_t i = 0; i < sim->n; ++i)
        count += is_own(sim, i) && is_fixed(sim->flags, i);
    return count;
}

static void count_fixed(scree_sim* sim)
{
    sim->numbers.fixed = (int32_t)groups_count_fixed(sim);
}

void groups_apply_flags(scree_sim* sim)
{
    for (int32_t i = 0; i < sim->n && sim->flags != NULL; ++i)
        set_flag(sim, i, sim->flags[i]);
}

void groups_set_flags(scree_sim* sim, const uint8_t* flags)
{
    for (int32_t i = 0; i < sim->n; ++i)
        set_flag(sim, i, flags[sim_row(sim, i)]);
    count_fixed(sim);
}

// Computes the current forces again, with a new list: it has no pairs of spheres that do not move.
static scree_status settle(scree_sim* sim)
{
    double square = 0.0;
    for (int32_t i = 0; i < sim->n; ++i)
        square = fmax(square, (sim_at(sim->v, i)[0] * sim_at(sim->v, i)[0] + sim_at(sim->v, i)[1] * sim_at(sim->v, i)[1]) + sim_at(sim->v, i)[2] * sim_at(sim->v, i)[2]);
    sim->speed = sqrt(square);
    if (sim->part != NULL) {  // with all others
        sim->part->changed = sim->part->relists = true;
        return SCREE_OK;
    }
    count_fixed(sim);
    scree_status status = sim_settle(sim, true, false);
    if (status == SCREE_OK)
        sim_set_before(sim);
    sim->failed = status != SCREE_OK;
    return status;
}

scree_status groups_drive(scree_sim* sim, const scree_sim_load* load)
{
    bool spin = load->kind == SCREE_LOAD_SPIN, constant = load->value.kind == SCREE_SIGNAL_CONSTANT;
    double first[3];
    if (sim->numbers.bond_count > 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: %" PRId64 " bonds; expected none in a simulation with driven groups", sim->numbers.bond_count);
    scree_signal_at(&load->value, 0.0, first);
    scree_status status = groups_need_flags(sim);
    if (status == SCREE_OK && !constant)
        status = loads_put(sim, load, NULL);
    if (status != SCREE_OK)
        return status;
    if (constant)
        loads_drop(sim, load->kind, load->target);
    for (int32_t i = 0; i < sim->n; ++i) {
        if (group_of(sim->group, i) != load->target)
            continue;
        bool begins = (sim->flags[i] & 2) == 0;
        set_flag(sim, i, 3);
        for (int k = 0; k < 3; ++k) {
            sim_at(sim->v, i)[k] = !spin ? first[k] : begins ? 0.0 : sim_at(sim->v, i)[k];
            if (sim->w.at != NULL)
                sim_at(sim->w, i)[k] = spin ? first[k] : begins ? 0.0 : sim_at(sim->w, i)[k];
        }
    }
    return settle(sim);
}

scree_status groups_check_release(const scree_sim* sim, int32_t group)
{
    for (int32_t i = 0; i < sim->n && sim->flags != NULL; ++i)
        if (is_own(sim, i) && group_of(sim->group, i) == group && is_fixed(sim->flags, i) && !(1.0 / sim->held[i][0] >= sim->numbers.mass_min * (1.0 - 1e-12)))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: sphere %" PRId64 " has the mass %g; expected at least %g, for which the time step was chosen. Choose a shorter step, or let the group begin free",
                              sim->id[i], 1.0 / sim->held[i][0], sim->numbers.mass_min);
    return SCREE_OK;
}

scree_status scree_sim_release_group(scree_sim* sim, int32_t group)
{
    SCREE_NEED(sim);
    scree_status status = sim->hollow ? sim_check_known(sim) : sim_check_still(sim);
    if (status == SCREE_OK && !group_is_there(sim, group))
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: group %" PRId32 " is empty; expected a group with spheres", group);
    if (status == SCREE_OK && sim->bonds.count > 0)
        status = scree_fail(SCREE_ERR_UNSUPPORTED, "sim: %" PRId64 " bonds; expected none in a simulation that releases groups", sim->bonds.count);
    if (status == SCREE_OK && sim->hollow)
        return sim_change_there(sim, &(sim_change){.kind = CHANGE_RELEASE, .target = group});
    if (status == SCREE_OK)
        status = groups_check_release(sim, group);
    if (status != SCREE_OK)
        return status;
    for (int32_t i = 0; i < sim->n && sim->flags != NULL; ++i)
        if (group_of(sim->group, i) == group)
            set_flag(sim, i, 0);
    loads_drop(sim, SCREE_LOAD_VELOCITY, group);
    loads_drop(sim, SCREE_LOAD_SPIN, group);
    return settle(sim);
}

// ---- Steps -----------------------------------------------------------------------------------------------------------

void groups_next(const scree_sim* sim, const sim_load* load, int64_t step, double mean[3], double then[3])
{
    double here[3], there[3], time, later;
    loads_time(sim, load, step, &time);
    loads_time(sim, load, step + 1, &later);
    scree_signal_integral(&load->given.value, time, here);
    scree_signal_integral(&load->given.value, later, there);
    scree_signal_at(&load->given.value, later, then);
    for (int k = 0; k < 3; ++k)
        mean[k] = (there[k] - here[k]) / sim->numbers.time_step;
}

static bool is_of_driven(const sim_load* load, bool* spin)
{
    *spin = load->given.kind == SCREE_LOAD_SPIN;
    return *spin || load->given.kind == SCREE_LOAD_VELOCITY;
}

static void step_on(scree_sim* sim, const sim_load* load, bool spin, sim_rows v, sim_rows w)
{
    double mean[3], then[3], length = sim->numbers.time_step;
    groups_next(sim, load, sim->step, mean, then);
    for (int32_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < 3 && group_of(sim->group, i) == load->given.target; ++k) {
            sim_at(spin ? w : v, i)[k] = mean[k];
            if (!spin)
                sim->other[i][k] = sim->x[i][k] + length * mean[k];
            if (!spin && sim->law.damped)
                sim_at(sim->p_next, i)[k] = then[k];
            if (spin)
                sim_at(sim->wp_next, i)[k] = then[k];
        }
    if (!spin)
        sim->speed = fmax(sim->speed, sqrt((mean[0] * mean[0] + mean[1] * mean[1]) + mean[2] * mean[2]));
}

void groups_launch(scree_sim* sim)
{
    bool spin;
    for (int32_t n = 0; n < sim->loads.count && sim->loads.driven; ++n)
        if (is_of_driven(&sim->loads.list[n], &spin))
            step_on(sim, &sim->loads.list[n], spin, sim->v, sim->w);
}

void groups_step(scree_sim* sim, const sim_pass* pass)
{
    bool spin;
    for (int32_t n = 0; n < sim->loads.count && sim->loads.driven; ++n) {
        const sim_load* load = &sim->loads.list[n];
        if (!is_of_driven(load, &spin))
            continue;
        if (pass->mode == SIM_STEP) {
            step_on(sim, load, spin, pass->v_next, pass->w_next);
            continue;
        }
        double time, now[3];
        loads_time(sim, load, sim->step, &time);
        scree_signal_at(&load->given.value, time, now);
        for (int32_t i = 0; i < sim->n; ++i)
            for (int k = 0; k < 3 && group_of(sim->group, i) == load->given.target; ++k)
                sim_at(spin ? pass->w_next : pass->v_next, i)[k] = now[k];
    }
}

// ---- Looking on ------------------------------------------------------------------------------------------------------

static scree_status look_group_count(const scree_sim* sim, const sim_look* look)
{
    for (int32_t i = 0; i < sim->n; ++i)
        if (is_own(sim, i))
            look->most[0] = fmax(look->most[0], group_of(sim->group, i) + 1);
    return SCREE_OK;
}

static scree_status look_groups(const scree_sim* sim, const sim_look* look)
{
    for (int32_t i = 0; i < sim->n; ++i) {
        int32_t g = group_of(sim->group, i);
        if (!is_own(sim, i) || g >= (int32_t)look->given[0])
            continue;
        const double* v = sim_at(sim->v, i);
        sim_total* to = look->totals + (size_t)group_totals * (size_t)g;
        ++look->counts[group_counts * g + GROUP_COUNT];
        if (is_fixed(sim->flags, i)) {
            ++look->counts[group_counts * g + GROUP_HELD];
            continue;
        }
        double mass = 1.0 / v[3];
        total_add(&to[GROUP_MASS], mass);
        total_add(&to[GROUP_KINETIC], 0.5 * mass * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]));
        for (int k = 0; k < 3; ++k)
            total_add(&to[GROUP_MOMENTUM + k], mass * v[k]);
        if (sim->w.at != NULL && sim_at(sim->w, i)[3] > 0.0) {
            const double* w = sim_at(sim->w, i);
            total_add(&to[GROUP_ROTATION], 0.5 / w[3] * ((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]));
        }
    }
    for (int32_t t = 0; t < look->total_count; ++t)
        total_carry(&look->totals[t]);
    return SCREE_OK;
}

const look_row sim_look_group_count = {.look = look_group_count, .most = 1};
const look_row sim_look_groups = {.look = look_groups, .totals = group_totals, .counts = group_counts};

SCREE_ROWS_OF(scree_sim_group_report, scree_sim_get_groups, (const scree_sim* sim, scree_sim_group_report* out, int32_t room), (sim, out, room))
{
    SCREE_NEED_OR(sim, 0);
    scree_sim* asked = (scree_sim*)(uintptr_t)sim;
    sim_look look;
    if (sim_check_known(sim) != SCREE_OK || sim_look_at(asked, LOOK_GROUP_COUNT, NULL, &look) != SCREE_OK)
        return -1;
    int32_t count = (int32_t)look.most[0], shown = room < count ? room : count;
    sim_look_free(&look);
    if (out == NULL || room <= 0)
        return count;
    const double given[look_given] = {shown};
    if (sim_look_at(asked, LOOK_GROUPS, given, &look) != SCREE_OK)
        return -1;
    for (int32_t g = 0; g < shown; ++g) {
        const sim_total* from = look.totals + (size_t)group_totals * (size_t)g;
        out[g] = (scree_sim_group_report){.count = look.counts[group_counts * g + GROUP_COUNT],
                                          .held = look.counts[group_counts * g + GROUP_HELD],
                                          .mass = total_value(&from[GROUP_MASS]),
                                          .energy_kinetic = total_value(&from[GROUP_KINETIC]),
                                          .energy_rotation = total_value(&from[GROUP_ROTATION])};
        for (int k = 0; k < 3; ++k)
            out[g].momentum[k] = total_value(&from[GROUP_MOMENTUM + k]);
    }
    sim_look_free(&look);
    return count;
}
