// The step, from outside: walls and gravity of the moment, a pass over all blocks, and what went wrong in it.
#include "sim/sim_inner.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "base/wide.h"
#include "geom/pair.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// From where they were at a step and the steps since, not added up: the same at any time however one came to it.
void sim_walls_at(const scree_sim* sim, int64_t step, double at[6], double velocity[6])
{
    double time = sim_time_between(sim, sim->walls.since, step);
    for (int face = 0; face < 6; ++face) {
        velocity[face] = sim->walls.velocity[face / 2][face % 2];
        at[face] = sim->walls.at[face / 2][face % 2] + velocity[face] * time;
        motion_now now;
        if (sim->loads.moving && motion_at(sim, face, step, &now) && now.moves) {
            at[face] = now.at[face / 2];
            velocity[face] = now.velocity[face / 2];
        }
    }
}

// Faces first; then the others, each from where it was at a step.
void sim_boundaries_at(const scree_sim* sim, int64_t step, sim_boundary* out)
{
    double at[boundary_faces], velocity[boundary_faces];
    sim_walls_at(sim, step, at, velocity);
    for (int32_t b = 0; b < sim->boundary_count; ++b) {
        out[b] = sim->boundaries[b];
        double time = sim_time_between(sim, out[b].since, step);
        for (int k = 0; k < 3; ++k) {
            if (b < boundary_faces)
                out[b].velocity[k] = k == b / 2 ? velocity[b] : 0.0;
            out[b].at[k] = b >= boundary_faces ? out[b].at[k] + out[b].velocity[k] * time : k == b / 2 ? at[b] : 0.0;
        }
        if (out[b].shape == NULL)
            continue;
        const double* w = out[b].spin;
        double rate = sqrt((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]);
        memcpy(out[b].turn_half, out[b].turn, sizeof out[b].turn);
        if (rate > 0.0)
            shape_turn(&out[b], rate * time, -0.5 * rate * sim->numbers.time_step);
    }
    motion_apply(sim, step, out);
    for (int32_t b = boundary_faces; b < sim->boundary_count && sim->surfaces.count > 0; ++b)
        if (out[b].shape != NULL)
            out[b].speed = shape_speed(&out[b]);
}

// By the angle a about the unit vector u.
static void turn_vector(int dim, const double g[3], const double u[3], double a, double out[3])
{
    double along = u[0] * g[0] + u[1] * g[1] + u[2] * g[2];
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        out[k] = g[k] * cos(a) + (u[l] * g[m] - u[m] * g[l]) * sin(a) + u[k] * along * (1.0 - cos(a));
    }
    if (dim == 2)
        out[2] = 0.0;
}

void sim_turn_gravity(int dim, const double gravity[3], const double angle[3], double out[3])
{
    double length = sqrt(angle[0] * angle[0] + angle[1] * angle[1] + angle[2] * angle[2]);
    memcpy(out, gravity, 3 * sizeof *out);
    if (length > 0.0)
        turn_vector(dim, gravity, (double[3]){angle[0] / length, angle[1] / length, angle[2] / length}, length, out);
}

void sim_gravity_at(const scree_sim* sim, int64_t step, double gravity[4])
{
    const double *g = sim->walls.gravity, *turn = sim->walls.turn;
    double rate = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    gravity[3] = 0.0;
    for (int k = 0; k < 3; ++k)
        gravity[k] = g[k];
    if ((sim->loads.count > 0 && loads_gravity(sim, step, gravity)) || rate == 0.0)
        return;
    double angle = rate * sim_time_between(sim, sim->walls.gravity_since, step);
    turn_vector(sim->dim, g, (double[3]){turn[0] / rate, turn[1] / rate, turn[2] / rate}, angle, gravity);
}

void sim_pass_make(const scree_sim* sim, sim_mode mode, sim_pass* pass)
{
    const lists* l = &sim->lists;
    double step = sim->numbers.time_step;
    *pass = (sim_pass){.mode = mode,
                       .n = sim->n,
                       .x = (const double(*)[4])sim->x,
                       .next = sim->other,
                       .v = sim->v,
                       .v_next = sim->v_next.at != NULL && mode >= SIM_OBSERVE ? sim->v_next : sim->v,
                       .w = sim->w,
                       .w_next = sim->w_next,
                       .wp = sim->wp,
                       .wp_next = sim->wp_next,
                       .p = sim->p,
                       .p_next = sim->p_next,
                       .before = sim->before,
                       .flags = sim->flags,
                       .force = (const double(*)[4])sim->force,
                       .ij = l->rows.ij,
                       .shift = l->rows.shift,
                       .own = l->own,
                       .in_ij = l->rows.in_ij,
                       .in_shift = l->rows.in_shift,
                       .in = l->rows.in_start,
                       .in_row = l->rows.in_row,
                       .near = l->walls,
                       .near_first = l->wall_first,
                       .boundaries = sim->boundaries_now,
                       .material = sim->material,
                       .pair_slots = sim->memory.pairs,
                       .wall_slots = sim->memory.walls,
                       .pair_base = memory_base(sim),
                       .cell = sim->cell,
                       .law = sim->law,
                       .giant_radius = sim->numbers.giant_radius,
                       .quantum = sim->numbers.force_quantum,
                       .per_quantum = 1.0 / sim->numbers.force_quantum,
                       .torque_quantum = sim->numbers.torque_quantum,
                       .per_torque = 1.0 / sim->numbers.torque_quantum,
                       .giants = sim->giants,
                       .giant_count = sim->numbers.giant_count,
                       .giant_kept = sim->giant_kept,
                       .half = {0.5 * step, 0.5 * step, 0.5 * step, 0.0},
                       .whole = {step, step, step, 0.0},
                       .square = {step * step, step * step, step * step, 0.0},
                       .per = {1.0 / step, 1.0 / step, 1.0 / step, 0.0},
                       .result = sim->result,
                       .desks = sim->desks,
                       .desk_count = sim->desk_count,
                       .surfaces = sim->surfaces.count > 0 ? &sim->surfaces : NULL,
                       .surface_slots = sim->memory.surfaces,
                       .id = sim->id,
                       .torque = (const double(*)[4])sim->torque,
                       .servos = sim->loads.servos.count > 0 ? &sim->loads.servos : NULL,
                       .drag = sim->loads.drag,
                       .cell_sums = sim->drive.now.controlled != 0.0 || sim->drive.now.isotropic != 0.0,
                       .ghost = sim->ghost,
                       .drives = sim->drive.given,
                       .span = l->span,
                       .scales = sim_scales(&sim->numbers)};
    for (int k = 0; k < sim->dim && pass->drives; ++k)
        pass->middle[k] = 0.5 * (sim->drive.first.lower[k] + sim->drive.first.upper[k]);
    if (mode == SIM_BEGIN)
        pass->whole[0] = pass->whole[1] = pass->whole[2] = 0.0;
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    sim_gravity_at(sim, sim->step, pass->gravity);
}

// There are as many desks as threads, so one is free.
sim_desk* sim_desk_take(const sim_pass* pass)
{
    for (int32_t d = 0;; d = d + 1 < pass->desk_count ? d + 1 : 0) {
        int32_t free = 0;
        if (__atomic_compare_exchange_n(&pass->desks[d].taken, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return &pass->desks[d];
    }
}

void sim_desk_give_back(sim_desk* desk)
{
    __atomic_store_n(&desk->taken, 0, __ATOMIC_RELEASE);
}

int32_t sim_past_from = 65536;

int32_t sim_find_contacts(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out)
{
#if defined(__x86_64__)
    if (scree_has_avx2())
        return sim_find_avx2(pass, ij, shift, count, out);
#endif
    return sim_find_plain(pass, ij, shift, count, out);
}

static scree_status run_span(void* context, int64_t span)
{
    const sim_pass* pass = context;
    sim_desk* desk = sim_desk_take(pass);
#if defined(__x86_64__)
    if (scree_has_avx512())
        sim_span_avx512(pass, span, desk);
    else if (scree_has_avx2())
        sim_span_avx2(pass, span, desk);
    else
#endif
        sim_span_plain(pass, span, desk);
    sim_desk_give_back(desk);
    return SCREE_OK;
}

scree_status sim_fused_pass(scree_sim* sim, const sim_pass* pass)
{
    return scree_parallel_for(sim->threads, (sim->blocks + pass->span - 1) / pass->span, run_span, (void*)(uintptr_t)pass, NULL);
}

typedef struct span_list {
    const sim_pass* pass;
    const int32_t* spans;
} span_list;

static scree_status run_listed(void* context, int64_t e)
{
    const span_list* list = context;
    return run_span((void*)(uintptr_t)list->pass, list->spans[e]);
}

scree_status sim_fused_spans(scree_sim* sim, const sim_pass* pass, const int32_t* spans, int64_t count)
{
    span_list list = {.pass = pass, .spans = spans};
    return scree_parallel_for(sim->threads, count, run_listed, &list, NULL);
}

const sim_backend sim_backends[SCREE_BACKEND_COUNT] = {
    [SCREE_BACKEND_FUSED] = {.name = "fused", .pass = sim_fused_pass},
    [SCREE_BACKEND_REFERENCE] = {.name = "reference", .pass = sim_reference_pass},
};

// The one with the lowest id, whichever thread found it first.
scree_status sim_say_escaped(scree_sim* sim)
{
    int32_t rank = -1, through = 0;
    for (int64_t e = 0; e < sim->lists.wall_first[sim->blocks]; ++e) {
        near_wall near = sim->lists.walls[e];
        boundary_point at;
        boundary_surface(&sim->boundaries_now[near.boundary], sim->x[near.rank], &at);
        if (at.inside < 0.0 && !sim->boundaries_now[near.boundary].removes && (rank < 0 || sim->id[near.rank] < sim->id[rank])) {
            rank = near.rank;
            through = near.boundary;
        }
    }
    if (rank < 0)
        return sim_say_crossed(sim);
    char name[boundary_name_room];
    const double* x = sim->x[rank];
    int k = through / 2;
    if (through < boundary_faces)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "sim: step %" PRId64 ": sphere %" PRId64 " (radius %g) has left through the %s wall: its centre is at %g; expected it inside of %g. The "
                          "contact is too soft for its load, or the time step %g is too long",
                          sim->step, sim->id[rank], x[3], sim_boundary_name(sim, through, name), x[k], sim->boundaries_now[through].at[k], sim->numbers.time_step);
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: step %" PRId64 ": sphere %" PRId64 " (radius %g) has left through the boundary '%s': its centre is at %g %g %g; expected it inside. The contact is too soft for "
                      "its load, or the time step %g is too long",
                      sim->step, sim->id[rank], x[3], sim_boundary_name(sim, through, name), x[0], x[1], x[2], sim->numbers.time_step);
}

scree_status sim_say_lost(scree_sim* sim, sim_rows v)
{
    int32_t lost = -1;
    for (int32_t i = 0; i < sim->n; ++i) {
        const double* u = sim_at(v, i);
        double square = (u[0] * u[0] + u[1] * u[1]) + u[2] * u[2];
        if (!(square <= 1e300) && (lost < 0 || sim->id[i] < sim->id[lost]))
            lost = i;
    }
    const double* u = sim_at(v, lost);
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: step %" PRId64 ": sphere %" PRId64 " has the velocity %g %g %g: the forces on it diverged; expected finite values. The time step %g is "
                      "too long, or spheres overlapped too much at the start",
                      sim->step, sim->id[lost], u[0], u[1], u[2], sim->numbers.time_step);
}

void sim_pass_prepare(scree_sim* sim, sim_mode mode, sim_pass* pass)
{
    motion_servo_begin(sim);
    sim_pass_make(sim, mode, pass);
    for (int32_t b = 0; b < sim->boundary_count; ++b)
        sim->felt[b] = sim->boundaries_now[b];
    sim_giants_begin(sim);
    for (int32_t d = 0; d < sim->desk_count && pass->cell_sums; ++d) {
        memset(sim->desks[d].cell, 0, sizeof sim->desks[d].cell);
        sim->desks[d].cell_overflow = false;
    }
    bonds_work(sim, pass);
}

scree_status sim_pass_begin(scree_sim* sim, sim_mode mode, sim_pass* pass)
{
    sim_pass_prepare(sim, mode, pass);
    return sim_ask(sim, 0, 1) == SCREE_OK ? sim->backend->pass(sim, pass) : SCREE_ERR_CANCELLED;
}

scree_status sim_pass_giants(scree_sim* sim, const sim_pass* pass)
{
    sim->giants_result = (block_result){.finite = true, .escaped = -1};
    return sim_giants_end(sim, pass, &sim->giants_result);
}

scree_status sim_pass_end(scree_sim* sim, const sim_pass* pass, const energy_sums* sums, double begin)
{
    scree_status status = SCREE_OK;
    double values[ENERGY_COUNT] = {0.0};
    double square = 0.0, force = 0.0, integrate = 0.0;
    const sim_mode mode = pass->mode;
    bool finite = true, escaped = false;
    sim->contacts = 0;
    for (int64_t b = -1; b < sim->blocks; ++b) {
        const block_result* result = b < 0 ? &sim->giants_result : &sim->result[b];
        square = fmax(square, result->speed_square);
        finite = finite && result->finite;
        escaped = escaped || result->escaped >= 0;
        sim->contacts += result->contacts;
        force += result->seconds_force;
        integrate += result->seconds_integrate;
    }
    double seconds = scree_clock() - begin, share = force + integrate > 0.0 ? force / (force + integrate) : 0.0;
    sim->seconds_force += seconds * share;
    sim->seconds_integrate += seconds * (1.0 - share);
    sim->speed = sqrt(square);
    sim->failed = escaped || !finite;
    if (sums != NULL && !sim->failed)
        status = sim_account(sim, pass, sums, values);
    if (mode >= SIM_OBSERVE && sim->loads.count > 0 && status == SCREE_OK) {
        groups_step(sim, pass);
        status = motion_servo_end(sim);
    }
    if (status == SCREE_OK && !sim->failed)
        status = cell_passed(sim, pass);
    cell_account(sim, pass, values);
    if (mode != SIM_REST)
        memory_advance(sim);
    if (mode == SIM_OBSERVE && sim->law.turns)
        sim_swap_velocities(sim);
    return escaped ? sim_say_escaped(sim) : !finite ? sim_say_lost(sim, pass->v_next) : status;
}

scree_status sim_pass_run(scree_sim* sim, sim_mode mode)
{
    double begin = scree_clock();
    sim_pass pass;
    energy_sums sums;
    bool has = sim_has_sums(sim);
    scree_status status = sim_pass_begin(sim, mode, &pass);
    if (status == SCREE_OK)
        status = sim_pass_giants(sim, &pass);
    if (status == SCREE_OK && has)
        sim_sums_of_pass(sim, &pass, &sums);
    return status == SCREE_OK ? sim_pass_end(sim, &pass, has ? &sums : NULL, begin) : status;
}

// ---- Verification ---------------------------------------------------------------------------------------------------------

static scree_status make_all_pairs(scree_sim* sim)
{
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_ALL_PAIRS;
    def.box = lists_box(sim);
    def.sorted = true;
    def.threads = sim->threads;
    def.skin = -1.0;
    if (sim->hears)
        def.watch = scree_get_watch();
    return scree_index_create(&def, &sim->all_pairs);
}

scree_status sim_find_all_pairs(scree_sim* sim, int32_t count, const double (*xr)[4], scree_pairs* out)
{
    if (sim->all_pairs == NULL && make_all_pairs(sim) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    double* x = scree_malloc((size_t)count * 4 + 1, sizeof *x);
    if (x == NULL)
        return SCREE_ERR_MEMORY;
    double* r = x + (int64_t)count * sim->dim;
    for (int64_t i = 0; i < count; ++i) {
        for (int k = 0; k < sim->dim; ++k)
            x[i * sim->dim + k] = sim_length(xr[i][k]);
        r[i] = xr[i][3];
    }
    scree_status status = scree_index_update(sim->all_pairs, (scree_spheres){.count = count, .dim = sim->dim, .x = x, .r = r});
    if (status == SCREE_OK)
        status = scree_index_pairs(sim->all_pairs, out);
    scree_free(x);
    return status;
}

scree_status sim_say_differs(const scree_sim* sim, int64_t one, int64_t other)
{
    return scree_fail(SCREE_ERR_ARGUMENT, "sim: step %" PRId64 ": the contacts differ from a search of all pairs, first at spheres %" PRId64 " and %" PRId64
                      "; expected the same contacts. This is a bug; please report it", sim->step, one, other);
}

scree_status sim_verify_contacts(scree_sim* sim)
{
    const scree_candidate_rows* l = &sim->lists.rows;
    scree_pairs truth;
    scree_status status = sim_find_all_pairs(sim, sim->n, (const double(*)[4])sim->x, &truth);
    int64_t t = 0;
    for (int64_t c = 0; c <= l->count && status == SCREE_OK; ++c) {
        double offset[3] = {0.0, 0.0, 0.0};
        if (sim->periodic && c < l->count)
            cell_offset(&sim->cell, l->shift[c], offset);
        if (c < l->count && !scree_is_pair(sim->x[l->ij[c][0]], sim->x[l->ij[c][1]], offset, 0.0))
            continue;
        while (t < truth.count && is_fixed(sim->flags, truth.ij[t][0]) && is_fixed(sim->flags, truth.ij[t][1]))
            ++t;  // two fixed spheres: no contact
        bool more = t < truth.count, here = c < l->count;
        if (more && here && memcmp(truth.ij[t], l->ij[c], sizeof *l->ij) == 0 &&
            (!sim->periodic || memcmp(truth.shift[t], l->shift[c], sizeof *l->shift) == 0)) {
            ++t;
            continue;
        }
        if (more || here) {
            const int32_t* ij = more ? truth.ij[t] : l->ij[c];
            status = sim_say_differs(sim, sim->id[ij[0]], sim->id[ij[1]]);
        }
    }
    return status;
}

scree_status sim_verify_heard(scree_sim* sim)
{
    scree_index_destroy(sim->all_pairs);
    sim->all_pairs = NULL;  // one that has the watch
    sim->hears = true;
    const scree_status status = sim_verify_contacts(sim);
    sim->hears = false;
    scree_index_destroy(sim->all_pairs);
    sim->all_pairs = NULL;
    return status;
}
