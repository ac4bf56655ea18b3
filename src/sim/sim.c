// Public calls of the simulation: they create it and run it. A run can be cut anywhere without a change of its bits.
//
// Between runs there are x, v and a of one moment. A run of n steps is a launch (v half a step on, x to the next moment), n - 1 full
// passes, and a last one that brings v to the moment of x and leaves a. Launch and pass do the same operations, so n steps in one run
// and n runs of one step give the same bits.
#include "sim/device.h"
#include "sim/part.h"
#include "sim/part.h"
#include "sim/runner.h"
#include "sim/sim_inner.h"
#include "sim/verlet.h"

#include "base/argument.h"
#include "base/clock.h"
#include "base/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

SCREE_DEFAULTS_OF(scree_sim_def, scree_default_sim_def)
{
    return (scree_sim_def){.struct_size = sizeof(scree_sim_def),
                           .box = scree_box_open(3),
                           .material_density = 1.0,
                           .order_every = 1000};
}

SCREE_DEFAULTS_OF(scree_sim_each, scree_default_sim_each)
{
    return (scree_sim_each){.struct_size = sizeof(scree_sim_each)};
}

SCREE_DEFAULTS_OF(scree_sim_later, scree_default_sim_later)
{
    return (scree_sim_later){.struct_size = sizeof(scree_sim_later)};
}

SCREE_DEFAULTS_OF(scree_sim_law, scree_default_sim_law)
{
    return (scree_sim_law){.struct_size = sizeof(scree_sim_law)};
}

SCREE_DEFAULTS_OF(scree_sim_material, scree_default_sim_material)
{
    return (scree_sim_material){.struct_size = sizeof(scree_sim_material)};
}

SCREE_DEFAULTS_OF(scree_sim_pair, scree_default_sim_pair)
{
    return (scree_sim_pair){.struct_size = sizeof(scree_sim_pair), .tangential_stiffness = 2.0 / 7.0, .tangential_damping = 1.0, .rolling_stiffness = 1.0};
}

const char* scree_backend_name(int32_t number)
{
    return number >= 0 && number < (int32_t)SCREE_BACKEND_COUNT ? sim_backends[number].name : NULL;
}

const char* scree_integrator_name(scree_integrator integrator)
{
    static const char* const names[SCREE_INTEGRATOR_COUNT] = {"velocity-verlet", "position-verlet"};
    return (int)integrator >= 0 && integrator < SCREE_INTEGRATOR_COUNT ? names[integrator] : NULL;
}

// ---- Making ----------------------------------------------------------------------------------------------------------

scree_status sim_check_motion(const scree_sim_def* def, const double gravity[3], const double turn[3], const double velocity[3][2])
{
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(gravity[k]) <= SCREE_LENGTH_MAX) || !(fabs(turn[k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: gravity = %g, turn = %g on axis %c; expected finite numbers", gravity[k], turn[k], "xyz"[k]);
        if (def->box.dim == 2 && (gravity[2] != 0.0 || (k < 2 && turn[k] != 0.0)))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: gravity along z, or rotation about x or y, in two dimensions; expected 0");
    }
    for (int face = 0; face < 6; ++face) {
        double speed = velocity[face / 2][face % 2];
        if (!(fabs(speed) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: wall velocity = %g on axis %c; expected a finite number", speed, "xyz"[face / 2]);
        if (speed != 0.0 && !sim_has_wall(def, face))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: velocity %g of the %s wall of axis %c; expected 0, since there is no wall", speed,
                              face & 1 ? "upper" : "lower", "xyz"[face / 2]);
    }
    return SCREE_OK;
}

static scree_status check(const scree_sim_def* def, scree_spheres spheres, const double* v)
{
    scree_status status = scree_box_check(&def->box);
    if (status == SCREE_OK)
        status = scree_spheres_check(spheres, &def->box);
    if (status == SCREE_OK && spheres.dim != def->box.dim)
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: spheres of %d dimensions; expected %d, as the box", (int)spheres.dim, (int)def->box.dim);
    if (status == SCREE_OK)
        status = scree_container_check(&(scree_container){.kind = def->container, .box = def->box});
    if (status == SCREE_OK)
        status = sim_check_motion(def, def->gravity, def->gravity_turn, def->wall_velocity);
    if (status != SCREE_OK)
        return status;
    for (int64_t e = 0; v != NULL && e < (int64_t)spheres.count * spheres.dim; ++e)
        if (!(fabs(v[e]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": velocity = %g along %c; expected a finite number", e / spheres.dim, v[e],
                              "xyz"[e % spheres.dim]);
    for (int k = 0; k < spheres.dim; ++k)  // the index would say so too, but it knows spheres by their place in memory
        for (int32_t i = 0; i < spheres.count && def->box.periodic[k]; ++i)
            if (2.0 * spheres.r[i] > def->box.upper[k] - def->box.lower[k])
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": diameter %g; expected at most the length of the periodic box, %g on axis %c", i,
                                  2.0 * spheres.r[i], def->box.upper[k] - def->box.lower[k], "xyz"[k]);
    status = def->bonds != NULL ? scree_box_reject_tilt(&def->box, "sim: bonds") : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    double period = scree_box_is_tilted(&def->box) ? scree_box_period(&def->box) : INFINITY;
    for (int32_t i = 0; i < spheres.count; ++i)
        if (2.0 * spheres.r[i] > period)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": diameter %g; expected at most %g, the distance to its own image in the tilted periodic box", i,
                              2.0 * spheres.r[i], period);
    if (def->cell != NULL) {
        status = cell_check(def, def->cell);
        if (status != SCREE_OK)
            return status;
    }
    if (def->order_every < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: order_every = %d; expected 1 or more steps", (int)def->order_every);
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %d threads; expected 0 (all cores) or more", (int)def->threads);
    if (scree_device_name(def->device) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: device %d; expected a scree_device", (int)def->device);
    if (scree_backend_name(def->backend) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: backend %d; expected a scree_backend", (int)def->backend);
    if (def->device != SCREE_DEVICE_NONE && def->device != SCREE_DEVICE_AUTO && def->backend != SCREE_BACKEND_FUSED)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: backend %s with device %s; expected backend %s, or device none: a device computes the forces itself", scree_backend_name(def->backend),
                          scree_device_name(def->device), scree_backend_name(SCREE_BACKEND_FUSED));
    if (def->wall_material < 0 || def->wall_material > UINT16_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: walls of material %" PRId32 "; expected 0 to 65535", def->wall_material);
    for (int face = 0; face < boundary_faces && def->face_materials != NULL; ++face)
        if (def->face_materials[face] < 0 || def->face_materials[face] > UINT16_MAX)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: %s wall along %c of material %" PRId32 "; expected 0 to 65535", face & 1 ? "upper" : "lower", "xyz"[face / 2],
                              def->face_materials[face]);
    if (scree_integrator_name((scree_integrator)def->integrator) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: integrator %d; expected a scree_integrator", (int)def->integrator);
    return SCREE_OK;
}

void sim_desks_free(sim_desk* desks, int32_t count)
{
    for (int32_t d = 0; d < count && desks != NULL; ++d) {
        scree_free(desks[d].memory);
        scree_free(desks[d].sums);
        surface_desk_free(&desks[d].surface);
    }
    scree_free(desks);
}

// Pairs of two spans are computed twice, so spans are long; but each thread has several, as some take longer than others, all threads have the same number, and the forces of a span fit into
// a cache. With friction a pair takes so much longer that spans of twice the length are better, although their forces and torques do not fit: the chute of 32,000 spheres on two threads took
// 1.08 of the time with four spans for each.
static int64_t span_for(const scree_sim* sim, int32_t threads)
{
    const int64_t most = sim->law.turns ? 8 : 4, fewest = sim->law.turns ? 2 : 4;
    if (sim->short_spans || sim->blocks == 0)  // no spheres yet: they are inserted later
        return 1;
    if (threads <= 1)
        return sim->blocks < most ? sim->blocks : most;
    int64_t each = fewest, length;
    while ((length = (sim->blocks + each * threads - 1) / (each * threads)) > most)
        ++each;
    return length;
}

scree_status sim_desks_make(scree_sim* sim)
{
    // Where there are few spheres, waking other threads takes longer than their share of the work.
    int32_t wanted = scree_parallel_threads(sim->def.threads);
    int32_t threads = wanted < sim->blocks ? wanted : sim->blocks > 1 ? (int32_t)sim->blocks : 1;
    sim_desk* desks = scree_calloc((size_t)threads, sizeof *desks);
    if (desks == NULL)
        return SCREE_ERR_MEMORY;
    sim->span = span_for(sim, threads);
    int64_t most = sim->lists.span > sim->span ? sim->lists.span : sim->span;  // the list that is held has spans of its own
    size_t rows = most < sim->blocks ? (size_t)most * sim_block : (size_t)sim->n;
    for (int32_t d = 0; d < threads; ++d) {
        desks[d].overflow = -1;
        desks[d].rows = (int64_t)rows;
        desks[d].memory = scree_malloc((sim->law.turns ? 2 : 1) * rows + 2, sizeof *desks[d].f.at);
        desks[d].sums = scree_calloc((size_t)sim->numbers.giant_count, sizeof *desks[d].sums);
        if (desks[d].memory == NULL || desks[d].sums == NULL || surface_desk_reserve(sim, &desks[d].surface) != SCREE_OK) {
            sim_desks_free(desks, threads);
            return SCREE_ERR_MEMORY;
        }
        desks[d].f = (sim_rows){.at = (double(*)[4])(((uintptr_t)desks[d].memory + 63) / 64 * 64), .twice = sim->law.turns};
        desks[d].t = sim->law.turns ? (sim_rows){.at = desks[d].f.at + 1, .twice = 1} : (sim_rows){.at = NULL};
    }
    sim->desks = desks;
    sim->desk_count = sim->threads = threads;
    return SCREE_OK;
}

scree_status sim_set_threads(scree_sim* sim)
{
    sim_desk* desks = sim->desks;
    int32_t count = sim->desk_count;
    scree_status status = sim_desks_make(sim);
    if (status == SCREE_OK)
        sim_desks_free(desks, count);
    return status;
}

scree_status sim_room_make(scree_sim* sim)
{
    sim->result = scree_calloc((size_t)sim->blocks, sizeof *sim->result);
    sim->watch.seen = scree_calloc((size_t)sim->blocks, sizeof *sim->watch.seen);
    sim->giants = scree_calloc((size_t)sim->numbers.giant_count, sizeof *sim->giants);
    sim->giant_kept = scree_calloc((size_t)sim->numbers.giant_count, sizeof *sim->giant_kept);
    if (sim->result == NULL || sim->watch.seen == NULL || sim->giants == NULL || sim->giant_kept == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = sim_arrays_make(sim);
    return status == SCREE_OK ? sim_desks_make(sim) : status;
}

// Ranks are ids for the moment, from the first on.
scree_status sim_take_in(scree_sim* sim, scree_spheres spheres, const double* v, int64_t first)
{
    const scree_sim_each* each = sim->def.each;
    double fastest = 0.0;
    for (int32_t i = 0; i < sim->n; ++i) {
        double square = 0.0;
        if (sim_ask(sim, i, sim->n) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        for (int k = 0; k < sim->dim; ++k) {
            int64_t e = (int64_t)i * sim->dim + k;
            sim->x[i][k] = spheres.x[e];
            sim_at(sim->v, i)[k] = v != NULL ? v[e] : 0.0;
            if (sim->force != NULL)
                sim->force[i][k] = each->force[e];
            square += sim_at(sim->v, i)[k] * sim_at(sim->v, i)[k];
        }
        if (sim->material != NULL && each != NULL && each->material != NULL)
            sim->material[i] = each->material[i];
        if (sim->group != NULL)
            sim->group[i] = each->group[i];
        if (sim->flags != NULL)
            sim->flags[i] = each->fixed[i];
        sim->x[i][3] = spheres.r[i];
        sim_at(sim->v, i)[3] = is_fixed(sim->flags, i) ? 0.0 : 1.0 / sim_mass_of(&sim->def, spheres, i);
        if (sim->held != NULL)
            sim->held[i][0] = 1.0 / sim_mass_of(&sim->def, spheres, i);
        if (sim->held != NULL && sim->w.at != NULL)
            sim->held[i][1] = 1.0 / sim_inertia_of(&sim->def, spheres, i);
        for (int k = 0; k < 3 && sim->w.at != NULL; ++k)
            sim_at(sim->w, i)[k] = each != NULL && each->spin != NULL ? each->spin[3 * (int64_t)i + k] : 0.0;
        if (sim->w.at != NULL)
            sim_at(sim->w, i)[3] = is_fixed(sim->flags, i) ? 0.0 : 1.0 / sim_inertia_of(&sim->def, spheres, i);
        sim->id[i] = first + i;
        fastest = fmax(fastest, square);
    }
    sim->speed = sqrt(fastest);
    return SCREE_OK;
}

// What its spheres have.
static unsigned traits_of(const scree_sim* sim)
{
    const scree_sim_each* each = sim->def.each;
    unsigned traits = (sim->law.damped ? SIM_DAMPED : 0u) | (sim->law.turns ? SIM_SPINS : 0u) | (sim->law.many != NULL ? SIM_MATERIALS : 0u) | (sim->def.integrator == SCREE_INTEGRATOR_POSITION_VERLET ? SIM_BY_POSITIONS : 0u);
    if (each == NULL)
        return traits;
    return traits | (each->material != NULL ? SIM_MATERIALS : 0u) | (each->group != NULL ? SIM_GROUPS : 0u) |
           (sim->numbers.fixed > 0 ? SIM_FLAGS : 0u) | (each->force != NULL ? SIM_FORCES : 0u);
}

static void copy_rows(const scree_sim* sim, sim_rows from, sim_rows to)
{
    for (int64_t i = 0; i < sim->n; ++i)
        memcpy(sim_at(to, i), sim_at(from, i), sizeof *from.at);
}

void sim_predict_now(scree_sim* sim)
{
    if (sim->law.damped)
        copy_rows(sim, sim->v, sim->p);
    if (sim->law.turns)
        copy_rows(sim, sim->w, sim->wp);
}

sim_mode sim_settles_in(const scree_sim* sim, bool begins)
{
    return begins && !law_is_own(sim->law.parts.normal) && sim->law.row.words > 0 ? SIM_BEGIN : SIM_REST;
}

scree_status sim_settle(scree_sim* sim, bool others, bool begins)
{
    sim_predict_now(sim);
    scree_status status = lists_ready(sim, others);
    sim->watch.slack = 0.0;  // nothing is known of where spheres are now
    if (status == SCREE_OK)
        status = sim_ask(sim, 0, 1);
    return status == SCREE_OK ? sim_pass_run(sim, sim_settles_in(sim, begins)) : status;
}

void sim_set_before(scree_sim* sim)
{
    double half = 0.5 * sim->numbers.time_step, whole = sim->numbers.time_step;
    for (int32_t i = 0; i < sim->n && sim->before != NULL; ++i) {
        for (int k = 0; k < 3; ++k)
            sim->before[i][k] = sim->x[i][k] - whole * (sim_at(sim->v, i)[k] - half * sim->other[i][k]);
        sim->before[i][3] = sim->x[i][3];
    }
}

scree_status sim_take_def(const scree_sim_def* from, scree_sim_def* def, sim_given* given)
{
    *def = scree_default_sim_def();
    *given = (sim_given){.each = scree_default_sim_each(), .search = scree_default_index_def(), .law = scree_default_sim_law(), .bonds = scree_default_sim_bonds_def()};
    scree_status status = scree_check_struct_size("sim", "scree_default_sim_def", from->struct_size, offsetof(scree_sim_def, watch), sizeof *def);
    if (status != SCREE_OK)
        return status;
    memcpy(def, from, from->struct_size);
    if (def->search != NULL) {
        status = scree_check_struct_size("sim.search", "scree_default_index_def", def->search->struct_size, offsetof(scree_index_def, watch), sizeof given->search);
        if (status != SCREE_OK)
            return status;
        memcpy(&given->search, def->search, def->search->struct_size);
    }
    def->search = &given->search;
    if (def->each != NULL) {
        status = scree_check_struct_size("sim", "scree_default_sim_each", def->each->struct_size, offsetof(scree_sim_each, spin), sizeof given->each);
        if (status != SCREE_OK)
            return status;
        memcpy(&given->each, def->each, def->each->struct_size);
        def->each = &given->each;
    }
    if (def->law != NULL) {
        status = scree_check_struct_size("sim", "scree_default_sim_law", def->law->struct_size, offsetof(scree_sim_law, values), sizeof given->law);
        if (status != SCREE_OK)
            return status;
        memcpy(&given->law, def->law, def->law->struct_size);
        def->law = &given->law;
    }
    if (def->bonds != NULL) {
        status = scree_check_struct_size("sim.bonds", "scree_default_sim_bonds_def", def->bonds->struct_size, sizeof given->bonds, sizeof given->bonds);
        if (status != SCREE_OK)
            return status;
        given->bonds = *def->bonds;
        def->bonds = &given->bonds;
    }
    if (def->later != NULL) {
        status = scree_check_struct_size("sim.later", "scree_default_sim_later", def->later->struct_size, offsetof(scree_sim_later, most), sizeof given->later);
        if (status != SCREE_OK)
            return status;
        given->later = scree_default_sim_later();
        memcpy(&given->later, def->later, def->later->struct_size);
        if (given->later.most < 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim.later: most = %" PRId64 "; expected 0 or more spheres", given->later.most);
        def->later = &given->later;
    }
    if (def->cell != NULL) {
        status = scree_check_struct_size("sim.cell", "scree_default_sim_cell", def->cell->struct_size, sizeof given->cell, sizeof given->cell);
        if (status != SCREE_OK)
            return status;
        given->cell = *def->cell;
        def->cell = &given->cell;
    }
    return SCREE_OK;
}

static const sim_runner* shared_runner;

void sim_set_runner(const sim_runner* runner)
{
    shared_runner = runner;
}

// What is not by sphere any more when the spheres are there.
static void forget_given(scree_sim* sim)
{
    sim->def.bonds = NULL;
    sim->def.later = NULL;
    sim->def.cell = NULL;
    sim->def.each = NULL;    // the columns have it,
    sim->def.search = NULL;  // the candidates this,
    sim->def.law = NULL;     // and sim->law and sim->boundaries these
    sim->def.boundaries = NULL;
    sim->def.face_materials = NULL;
}

// All in this process.
static scree_status make_here(scree_sim* sim, const bond_finder* bonds, scree_spheres spheres, const double* v)
{
    scree_status status = sim_room_make(sim);
    if (status == SCREE_OK)
        status = lists_open(sim);
    if (status == SCREE_OK)
        status = sim_limits_make(sim, spheres);
    if (status == SCREE_OK)
        status = sim_take_in(sim, spheres, v, 0);
    if (status != SCREE_OK)
        return status;
    status = bonds_make(sim, &bonds->slice, spheres);
    if (status == SCREE_OK)
        status = sim_take_ids(sim, sim->def.each != NULL ? sim->def.each->id : NULL);
    if (status == SCREE_OK)
        status = cell_begin(sim);
    sim_watch_begin(sim);
    forget_given(sim);
    if (status == SCREE_OK)
        status = sim_order_renew(sim);
    if (status == SCREE_OK)
        status = sim_ask(sim, 0, 1);
    if (status == SCREE_OK)
        status = sim_settle(sim, true, true);
    if (status == SCREE_OK)
        sim_set_before(sim);
    return status == SCREE_OK && sim->def.check ? sim_verify_heard(sim) : status;
}

// By a runner, whose crew has the spheres from the beginning.
static scree_status make_there(scree_sim* sim, bond_finder* bonds, scree_spheres spheres, const double* v)
{
    const scree_sim_each* each = sim->def.each;
    sim->hollow = true;
    scree_status status = lists_open(sim);
    if (status == SCREE_OK && bonds->count > 0)
        status = bonds_take_kinds(sim);
    part_drop(sim);  // arrays by block
    if (status == SCREE_OK)
        status = sim_take_ids(sim, each != NULL ? each->id : NULL);
    if (status == SCREE_OK)
        status = sim_limits_make(sim, spheres);
    if (status != SCREE_OK)
        return status;
    status = cell_begin(sim);
    if (status != SCREE_OK)
        return status;
    double fastest = 0.0;
    sim_watch_open(sim);
    for (int32_t i = 0; i < sim->n; ++i) {
        double square = 0.0;
        for (int k = 0; k < sim->dim && v != NULL; ++k)
            square += v[(int64_t)i * sim->dim + k] * v[(int64_t)i * sim->dim + k];
        fastest = fmax(fastest, square);
        sim_watch_meet(sim, spheres.r[i], each != NULL && is_fixed(each->fixed, i) ? 0.0 : 1.0 / sim_mass_of(&sim->def, spheres, i));
    }
    sim->speed = sqrt(fastest);
    const scree_sim_def def = sim->def;
    const part_source source = {.spheres = spheres, .v = v, .each = each, .threads = def.threads, .def = &def, .bonds = bonds};
    forget_given(sim);
    return sim->runner->create(sim->runner->context, sim, &source, &sim->crew);
}

// What is made from all spheres at once is made in this process first. Boxes with bonds are not tilted.
static bool is_made_there(const scree_sim* sim)
{
    return sim->runner != NULL && sim->runner->create != NULL && cell_is_reduced(sim) && sim->def.device == 0;
}

static const sim_runner* finder_of_bonds(const scree_sim_def* def)
{
    return shared_runner != NULL && shared_runner->create != NULL && def->device == 0 ? shared_runner : NULL;
}

static void end_bonds(const scree_sim_def* def, bond_finder* bonds)
{
    const sim_runner* runner = finder_of_bonds(def);
    if (def->bonds != NULL && runner != NULL)
        runner->end_pairs(runner->context);
    bonds_end(bonds);
}

scree_status scree_sim_create(const scree_sim_def* given, scree_spheres spheres, const double* v, scree_sim** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED_AS(given, "def");
    scree_sim_def def;
    sim_given pointed;
    scree_status status = sim_take_def(given, &def, &pointed);
    if (status != SCREE_OK)
        return status;
    scree_sim_numbers numbers;
    sim_law law = {.many = NULL};
    bond_finder bonds = {.count = 0};
    status = check(&def, spheres, v);
    if (status == SCREE_OK)
        status = sim_numbers_find(&def, spheres, &numbers, &law);
    if (status == SCREE_OK)
        status = sim_numbers_bonds(&def, spheres, finder_of_bonds(&def), &numbers, &law, &bonds);
    scree_sim* sim = status == SCREE_OK ? scree_calloc(1, sizeof *sim) : NULL;
    if (sim == NULL) {
        end_bonds(&def, &bonds);
        scree_free(law.many);
        return status != SCREE_OK ? status : SCREE_ERR_MEMORY;
    }
    sim->def = def;
    sim->numbers = numbers;
    sim->law = law;
    sim->backend = &sim_backends[def.backend];
    sim->n = spheres.count;
    sim->most = def.later != NULL && def.later->most < INT32_MAX - sim->n ? sim->n + (int32_t)def.later->most : sim->n;
    sim->dim = spheres.dim;
    sim->blocks = ((int64_t)sim->n + sim_block - 1) / sim_block;
    sim->traits = traits_of(sim);
    sim->periodic = scree_box_is_periodic(&def.box);
    for (int face = 0; face < 6; ++face) {
        sim->walls.at[face / 2][face % 2] = face / 2 < sim->dim ? (face & 1 ? def.box.upper : def.box.lower)[face / 2] : 0.0;
        sim->walls.velocity[face / 2][face % 2] = def.wall_velocity[face / 2][face % 2];
    }
    for (int k = 0; k < 3; ++k) {
        sim->walls.gravity[k] = def.gravity[k];
        sim->walls.turn[k] = def.gravity_turn[k];
    }
    status = sim_boundaries_make(sim);
    if (status == SCREE_OK)
        status = cell_make(sim);
    if (status == SCREE_OK)
        status = crossings_check(sim);
    if (status == SCREE_OK)
        status = sim_boundaries_hold(sim, spheres.x, NULL, sim->boundaries);
    sim->runner = shared_runner;
    sim->device_skin = def.search->skin;
    bool there = is_made_there(sim);
    sim->hears = true;
    if (status == SCREE_OK)
        status = there ? make_there(sim, &bonds, spheres, v) : make_here(sim, &bonds, spheres, v);
    sim->hears = false;
    end_bonds(&def, &bonds);
    if (status == SCREE_OK && sim->runner != NULL && !there) {
        scree_candidates_trim(sim->lists.near);
        status = sim->runner->check(sim->runner->context, sim);
    }
    if (status == SCREE_OK)
        status = sim_device_begin(sim);
    if (status != SCREE_OK) {
        scree_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return SCREE_OK;
}

void scree_sim_destroy(scree_sim* sim)
{
    if (sim == NULL)
        return;
    device_close(sim->device);
    if (sim->crew != NULL)
        sim->runner->forget(sim->runner->context, sim->crew);
    part_close(sim);
    lists_close(&sim->lists);
    scree_index_destroy(sim->all_pairs);
    scree_free(sim->found.ij);
    scree_free(sim->found.shift);
    scree_free(sim->found.keys);
    scree_free(sim->found.place);
    memory_close(&sim->memory);
    cell_close(sim);
    bonds_close(&sim->bonds);
    scree_free(sim->law.many);
    surfaces_close(&sim->surfaces);
    scree_free(sim->boundaries);
    scree_free(sim->boundaries_now);
    scree_free(sim->felt);
    scree_free(sim->motions);
    sim_arrays_free(sim);
    sim_desks_free(sim->desks, sim->desk_count);
    scree_free(sim->giants);
    scree_free(sim->giant_kept);
    scree_free(sim->result);
    scree_free(sim->watch.seen);
    scree_free(sim->rank_of);
    scree_free(sim->named);
    scree_free(sim->overlap);
    scree_free(sim->normal);
    scree_free(sim->remembered);
    scree_free(sim->force_of);
    scree_free(sim->friction_of);
    scree_free(sim->torque_of);
    scree_free(sim->sliding_of);
    scree_free(sim->feature_of);
    loads_close(&sim->loads);
    sim_limits_close(sim);
    crossings_close(sim);
    scree_free(sim->names);
    scree_free(sim);
}

// ---- Running ----------------------------------------------------------------------------------------------------------

typedef struct launch_job {
    scree_sim* sim;
    const sim_pass* pass;
} launch_job;

// From a moment to the next: what a pass does after the forces, with the accelerations that are known.
static scree_status launch_block(void* context, int64_t block)
{
    const sim_pass* pass = ((const launch_job*)context)->pass;
    scree_sim* sim = ((const launch_job*)context)->sim;
    double half = 0.5 * sim->numbers.time_step, whole = sim->numbers.time_step, most = 0.0;
    int64_t end = (block + 1) * sim_block < sim->n ? (block + 1) * sim_block : sim->n;
    double square = whole * whole, per = 1.0 / whole;
    for (int64_t i = block * sim_block; i < end; ++i) {
        for (int k = 0; k < 3; ++k) {
            double a = sim->other[i][k], push = half * a;
            if (sim->before == NULL) {
                sim_at(sim->v, i)[k] = verlet_kick(sim_at(sim->v, i)[k], push);
                sim->other[i][k] = verlet_drift(sim->x[i][k], sim_at(sim->v, i)[k], whole);
            } else {
                sim->other[i][k] = sim->x[i][k] + ((sim->x[i][k] - sim->before[i][k]) + square * a);
                sim_at(sim->v, i)[k] = (sim->other[i][k] - sim->x[i][k]) * per;
                sim->before[i][k] = sim->x[i][k];
            }
            if (sim->law.damped)
                sim_at(sim->p_next, i)[k] = verlet_kick(sim_at(sim->v, i)[k], push);
        }
        sim->other[i][3] = sim->x[i][3];
        if (sim->law.damped)
            sim_at(sim->p_next, i)[3] = sim_at(sim->v, i)[3];
        for (int k = 0; k < 3 && sim->law.turns; ++k) {
            double push = half * sim_at(sim->wp_next, i)[k];
            sim_at(sim->w, i)[k] = verlet_kick(sim_at(sim->w, i)[k], push);
            sim_at(sim->wp_next, i)[k] = verlet_kick(sim_at(sim->w, i)[k], push);
        }
        if (sim->law.turns)
            sim_at(sim->wp_next, i)[3] = sim_at(sim->w, i)[3];
        most = fmax(most, (sim_at(sim->v, i)[0] * sim_at(sim->v, i)[0] + sim_at(sim->v, i)[1] * sim_at(sim->v, i)[1]) + sim_at(sim->v, i)[2] * sim_at(sim->v, i)[2]);
    }
    sim->result[block].speed_square = most;
    sim->result[block].sums = (energy_sums){.beyond = 0};
    if (sim->law.parts.accounts)
        sim_powers(pass, block * sim_block, end, sim->v, ENERGY_AFTER, &sim->result[block].sums);
    return SCREE_OK;
}

static void swap(double (**a)[4], double (**b)[4])
{
    double (*old)[4] = *a;
    *a = *b;
    *b = old;
}

static void swap_rows(sim_rows* a, sim_rows* b)
{
    sim_rows old = *a;
    *a = *b;
    *b = old;
}

void sim_swap_velocities(scree_sim* sim)
{
    swap_rows(&sim->v, &sim->v_next);
    swap_rows(&sim->w, &sim->w_next);
}

void sim_arrive(scree_sim* sim)
{
    swap(&sim->x, &sim->other);
    if (sim->law.damped)
        swap_rows(&sim->p, &sim->p_next);
    if (sim->law.turns)
        swap_rows(&sim->wp, &sim->wp_next);
    ++sim->step;
    sim->flying = true;
}

void sim_launch(scree_sim* sim)
{
    double begin = scree_clock(), square = 0.0;
    sim_pass pass;
    sim_pass_make(sim, SIM_REST, &pass);
    launch_job job = {.sim = sim, .pass = &pass};
    scree_parallel_for(sim->threads, sim->blocks, launch_block, &job, NULL);
    sim_account_launch(sim, &pass);
    bonds_launch(sim);
    for (int64_t b = 0; b < sim->blocks; ++b)
        square = fmax(square, sim->result[b].speed_square);
    sim->speed = sqrt(square);
    if (sim->loads.count > 0) {
        sim_drag_launch(sim);
        groups_launch(sim);
    }
    cell_launched(sim);
    sim->seconds_integrate += scree_clock() - begin;
    sim_arrive(sim);
}

static scree_status step_on(scree_sim* sim, sim_mode mode)
{
    bool others = sim->step % sim->def.order_every == 0;
    double begin = scree_clock();
    scree_status status = cell_go(sim);
    if (status == SCREE_OK && others)
        status = sim_order_renew(sim);
    sim->seconds_other += scree_clock() - begin;
    if (status == SCREE_OK)
        status = lists_ready(sim, others);
    if (sim->loads.count > 0)
        loads_step(sim);
    if (status == SCREE_OK && sim->def.check)
        status = sim_verify_contacts(sim);
    if (status == SCREE_OK && sim->def.watch_overlaps > 0.0)
        sim_watch_step(sim);
    if (status == SCREE_OK && sim->crossings.on) {
        status = crossings_look(sim);
        mode = sim->crossings.seen > 0 ? SIM_OBSERVE : mode;
    }
    if (status == SCREE_OK)
        status = sim_pass_run(sim, mode);
    if (status == SCREE_OK && mode == SIM_STEP) {
        if (sim->law.turns)
            sim_swap_velocities(sim);
        sim_arrive(sim);
    }
    return status;
}

scree_status scree_sim_run(scree_sim* sim, int64_t steps)
{
    SCREE_NEED(sim);
    if (steps < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: steps = %" PRId64 "; expected 0 or more", steps);
    if (sim->hollow && (sim->failed || sim->flying))
        return sim_say_hollow(sim);
    if (sim->failed)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a sphere was lost at step %" PRId64 "; expected an earlier state to continue from", sim->step);
    if (sim->crossings.seen > 0 && !sim->flying && crossings_remove(sim) != SCREE_OK)  // they had to wait
        return SCREE_ERR_MEMORY;
    if (sim->device != NULL && !sim->flying && sim_device_check(sim) != SCREE_OK)
        return SCREE_ERR_UNSUPPORTED;
    if (steps == 0 && !sim->flying)
        return SCREE_OK;
    if (sim->runner != NULL)
        return sim->runner->run(sim->runner->context, sim, &sim->crew, steps);
    int64_t first = sim->step, last = sim->flying ? sim->step + steps - (steps > 0) : sim->step + steps;
    if (sim->device != NULL && sim->n > 0) {
        scree_status status = sim_device_run(sim, last);
        if (status != SCREE_OK || sim->step >= last)  // else all are removed
            return status;
    }
    if (!sim->flying)
        sim_launch(sim);
    double shown = scree_clock();
    for (;;) {
        bool stop = false;
        const scree_watch* watch = &sim->def.watch;
        if (watch->tick != NULL && scree_clock() - shown > 0.02) {
            stop = !watch->tick(watch->context, (double)(sim->step - first) / (double)(last > first ? last - first : 1));
            shown = scree_clock();
        }
        bool end = stop || sim->step >= last;
        scree_status status = step_on(sim, end ? SIM_OBSERVE : SIM_STEP);
        if (status != SCREE_OK)
            return status;
        if (!end && sim->crossings.seen == 0)
            continue;
        sim->flying = false;
        if (sim->crossings.seen > 0 && (status = crossings_remove(sim)) != SCREE_OK)
            return status;
        if (!end) {
            sim_launch(sim);
            continue;
        }
        return stop && sim->step < last ? scree_fail(SCREE_ERR_CANCELLED, "stopped on request after step %" PRId64, sim->step) : SCREE_OK;
    }
}

// ---- Asking and changing -----------------------------------------------------------------------------------------------

SCREE_VALUE_OF(scree_sim_numbers, scree_sim_get_numbers, (const scree_sim* sim), (sim))
{
    SCREE_NEED_OR(sim, (scree_sim_numbers){0});
    return sim->numbers;
}

scree_integrator scree_sim_get_integrator(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, SCREE_INTEGRATOR_VELOCITY_VERLET);
    return (scree_integrator)sim->def.integrator;
}

int64_t scree_sim_get_step(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, 0);
    return sim->step;
}

double scree_sim_get_time(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, NAN);
    return sim_time_between(sim, 0, sim->step);
}

int32_t scree_sim_get_count(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, 0);
    return sim->n;
}

scree_box scree_sim_get_box(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, (scree_box){0});
    scree_box box = sim->def.box;
    double at[6], velocity[6];
    sim_walls_at(sim, sim->step, at, velocity);
    for (int face = 0; face < 6; ++face)
        if (sim_has_wall(&sim->def, face))
            *(face & 1 ? &box.upper[face / 2] : &box.lower[face / 2]) = at[face];
    return box;
}

double scree_sim_get_volume(const scree_sim* sim)
{
    SCREE_NEED_OR(sim, NAN);
    scree_container now = {.kind = sim->def.container, .box = scree_sim_get_box(sim)};
    return scree_container_volume(&now);
}

// Where the state is does not show from outside: it is the same one.
static scree_sim* inner(const scree_sim* sim)
{
    return (scree_sim*)(uintptr_t)sim;
}

scree_status sim_check_known(const scree_sim* sim)
{
    if (sim->failed || sim->flying || sim->crossings.seen > 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the simulation was interrupted in step %" PRId64 "; expected %s", sim->step,
                          sim->failed ? "an earlier state to continue from" : "a further run, which completes the step");
    if (sim->hollow && sim->keeper == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: other processes held the spheres of this simulation, and have ended; expected a new simulation");
    return sim_device_fetch(inner(sim));
}

scree_status sim_check_asked(const scree_sim* sim)
{
    scree_status status = sim_check_known(sim);
    return status == SCREE_OK ? sim_device_mend(inner(sim)) : status;
}

scree_status sim_check_seen(const scree_sim* sim)
{
    scree_status status = sim_check_known(sim);
    return status == SCREE_OK && sim->hollow ? sim->keeper->fetch(sim->kept_by) : status;
}

scree_status sim_check_looked(const scree_sim* sim)
{
    scree_status status = sim_check_seen(sim);
    return status == SCREE_OK ? sim_device_mend(inner(sim)) : status;
}

scree_status sim_check_still(const scree_sim* sim)
{
    scree_status status = sim_check_looked(sim);
    if (status == SCREE_OK)
        inner(sim)->device_same = false;
    return status;
}

void scree_sim_get_gravity(const scree_sim* sim, double gravity[3], double turn[3])
{
    SCREE_NEED_OR(gravity, );
    SCREE_NEED_OR(turn, );
    memset(gravity, 0, 3 * sizeof *gravity);
    memset(turn, 0, 3 * sizeof *turn);
    SCREE_NEED_OR(sim, );
    double now[4];
    sim_gravity_at(sim, sim->step, now);
    for (int k = 0; k < 3; ++k) {
        gravity[k] = now[k];
        turn[k] = sim->walls.turn[k];
    }
}

// The accelerations of this moment, with which the next step begins, hold the gravity that was.
void sim_set_gravity_now(scree_sim* sim, const double before[3], const double gravity[3])
{
    double half_square = 0.5 * sim->numbers.time_step * sim->numbers.time_step;
    for (int32_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < sim->dim && !is_fixed(sim->flags, i); ++k) {
            sim->other[i][k] += gravity[k] - before[k];
            if (sim->before != NULL)  // so that the velocity of this moment stays
                sim->before[i][k] += half_square * (gravity[k] - before[k]);
        }
}

scree_status scree_sim_set_gravity(scree_sim* sim, const double gravity[3], const double turn[3])
{
    SCREE_NEED(sim);
    SCREE_NEED(gravity);
    SCREE_NEED(turn);
    if (sim->hollow)
        return sim_change_there(sim, &(sim_change){.kind = CHANGE_GRAVITY, .values = {gravity[0], gravity[1], gravity[2], turn[0], turn[1], turn[2]}});
    scree_status status = sim_check_still(sim);
    if (status == SCREE_OK)
        status = sim_check_motion(&sim->def, gravity, turn, (const double(*)[2])sim->walls.velocity);
    if (status != SCREE_OK)
        return status;
    double before[4];
    sim_gravity_at(sim, sim->step, before);
    sim_set_gravity_now(sim, before, gravity);
    loads_drop(sim, SCREE_LOAD_GRAVITY, 0);
    loads_drop(sim, SCREE_LOAD_TURN, 0);
    for (int k = 0; k < 3; ++k) {
        sim->walls.gravity[k] = gravity[k];
        sim->walls.turn[k] = turn[k];
    }
    sim->walls.gravity_since = sim->step;
    return SCREE_OK;
}

static void scale_boundaries(scree_sim* sim, const double lower[3], double factor)
{
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    for (int32_t b = boundary_faces; b < sim->boundary_count; ++b) {
        for (int k = 0; k < sim->dim; ++k)
            sim->boundaries[b].at[k] = lower[k] + (sim->boundaries_now[b].at[k] - lower[k]) * factor;
        sim->boundaries[b].radius *= factor;
        sim->boundaries[b].since = sim->step;
    }
}

scree_status scree_sim_scale(scree_sim* sim, double centres, double velocities)
{
    SCREE_NEED(sim);
    scree_status status = sim_check_still(sim);
    if (status != SCREE_OK)
        return status;
    if (sim->numbers.bond_count > 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: scaling a simulation with bonds (%" PRId64 ") is not supported, since they would be stretched; expected none", sim->numbers.bond_count);
    if (sim->surfaces.count > 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: scaling a simulation with exact shapes or meshes (%" PRId32 ") is not supported; expected none", sim->surfaces.count);
    if (sim->loads.moving || sim->loads.driven)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: scaling a simulation with loads on boundaries or groups is not supported; expected none");
    if (sim->drive.given)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sim: scaling a simulation whose cell changes (def.cell) is not supported; expected a constant box");
    if (!(centres > 0.0 && centres <= SCREE_LENGTH_MAX) || !(velocities >= 0.0 && velocities <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: centres times %g and velocities times %g; expected factors above 0", centres, velocities);
    scree_box box = scree_sim_get_box(sim);
    for (int k = 0; k < sim->dim; ++k) {
        double length = (box.upper[k] - box.lower[k]) * centres;
        if (!(length <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: the box, %g .. %g on axis %c, scaled by %g; expected finite bounds with upper above lower",
                              box.lower[k], box.upper[k], "xyz"[k], centres);
        if (box.periodic[k] && length < 2.0 * sim->numbers.radius_max)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: a box scaled by %g is %g long on axis %c; expected at least the largest diameter, %g", centres, length,
                              "xyz"[k], 2.0 * sim->numbers.radius_max);
        box.upper[k] = box.lower[k] + length;
    }
    for (int k = 0; k < sim->dim; ++k) {
        sim->walls.at[k][0] = box.lower[k];
        sim->walls.at[k][1] = box.upper[k];
    }
    for (int t = 0; t < 3; ++t)
        box.tilt[t] *= centres;
    sim->walls.since = sim->step;
    sim->def.box = box;
    cell_scaled(sim);
    scale_boundaries(sim, box.lower, centres);
    for (int32_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < sim->dim; ++k) {
            sim->x[i][k] = box.lower[k] + (sim->x[i][k] - box.lower[k]) * centres;
            sim_at(sim->v, i)[k] *= velocities;
        }
    for (int32_t i = 0; i < sim->n && sim->law.turns; ++i)
        for (int k = 0; k < 3; ++k)
            sim_at(sim->w, i)[k] *= velocities;
    sim->speed *= velocities;
    status = lists_scaled(sim, centres);
    scree_index_destroy(sim->all_pairs);  // its box is the old one
    sim->all_pairs = NULL;
    if (status == SCREE_OK)
        status = sim_settle(sim, false, false);
    if (status == SCREE_OK)
        sim_set_before(sim);
    sim->failed = status != SCREE_OK;
    return status;
}

scree_status scree_sim_set_threads(scree_sim* sim, int32_t threads)
{
    SCREE_NEED(sim);
    if (threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %d threads; expected 0 (all cores) or more", (int)threads);
    int32_t before = sim->def.threads;
    sim->def.threads = threads;
    if (sim->hollow)  // those who have the spheres have threads of their own
        return SCREE_OK;
    scree_status status = sim_set_threads(sim);
    if (status != SCREE_OK)
        sim->def.threads = before;
    return status == SCREE_OK ? scree_candidates_set_threads(sim->lists.near, sim->threads) : status;
}

scree_status scree_sim_set_group_force(scree_sim* sim, int32_t group, const double force[3])
{
    SCREE_NEED(sim);
    SCREE_NEED(force);
    const bool there = sim->hollow;
    scree_status status = there ? sim_check_known(sim) : sim_check_still(sim);
    if (status != SCREE_OK)
        return status;
    for (int k = 0; k < 3; ++k)
        if (!(fabs(force[k]) <= SCREE_LENGTH_MAX) || (k >= sim->dim && force[k] != 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: an external force of %g along %c; expected %s", force[k], "xyz"[k],
                              k < sim->dim ? "a finite number" : "0 in two dimensions");
    if (!group_is_there(sim, group))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: group %" PRId32 " is empty; expected a group with spheres", group);
    if (there)
        return sim_change_there(sim, &(sim_change){.kind = CHANGE_FORCE, .target = group, .values = {force[0], force[1], force[2]}});
    status = external_set_group(sim, SCREE_LOAD_FORCE, group, force, true);
    if (status == SCREE_OK)
        loads_drop(sim, SCREE_LOAD_FORCE, group);
    return status;
}
