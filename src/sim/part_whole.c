// The whole simulation of parts (part.h). While the parts have the spheres it has none: part_begin frees all memory per sphere, and after a run part_finish sets everything else. Results are then
// computed by the parts where possible (overview.h). For the rest, and for calls that change something, it becomes a complete simulation: part_refill, part_take and part_join make it
// from the records of the parts. If a run fails, the spheres are lost, and the message says so.
#include "base/memory.h"
#include "sim/part_inner.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// ---- Without spheres -----------------------------------------------------------------------------------------------

#define DROP(field) (scree_free(whole->field), whole->field = NULL, whole->field##_capacity = 0)

// What was made for scree_sim_get_contacts.
static void drop_shown(scree_sim* whole)
{
    scree_free(whole->found.ij);
    scree_free(whole->found.shift);
    scree_free(whole->found.keys);
    scree_free(whole->found.place);
    whole->found = (sim_found){.count = 0};
    DROP(rank_of);
    DROP(named);
    DROP(overlap);
    DROP(normal);
    DROP(remembered);
    DROP(force_of);
    DROP(friction_of);
    DROP(torque_of);
    DROP(sliding_of);
    DROP(feature_of);
}

void part_contacts_end(scree_sim* sim)
{
    drop_shown(sim);
}

// All memory that goes by sphere; ids stay.
static void drop_spheres(scree_sim* whole)
{
    int64_t* names = whole->names;
    whole->names = NULL;
    bonds_drop(&whole->bonds);
    sim_room_free(whole);
    whole->names = names;
    memory_close(&whole->memory);
    whole->memory = (sim_memory){.kept = false};
    drop_shown(whole);
    scree_candidates_clear(whole->lists.near);
    scree_free(whole->lists.walls);
    whole->lists.walls = NULL;
    whole->lists.wall_capacity = 0;
    whole->lists.rows = (scree_candidate_rows){.build = whole->lists.rows.build};
}

void part_drop(scree_sim* whole)
{
    enum { many_spheres = 1 << 16 };  // fewer are not worth the time
    drop_spheres(whole);
    if (whole->n >= many_spheres)
        scree_memory_return();
}

void* part_crew(const scree_sim* whole)
{
    return whole->crew;
}

scree_status part_fetch(scree_sim* whole)
{
    return whole->hollow ? sim_check_seen(whole) : SCREE_OK;
}

void part_get_keeper(const scree_sim* whole, const struct sim_keeper** keeper, void** kept_by)
{
    *keeper = whole->keeper;
    *kept_by = whole->kept_by;
}

void part_set_keeper(scree_sim* whole, const struct sim_keeper* keeper, void* kept_by)
{
    whole->keeper = keeper;
    whole->kept_by = kept_by;
}

scree_status part_begin(scree_sim* whole)
{
    if (whole->hollow) {
        whole->flying = true;
        return SCREE_OK;
    }
    part_drop(whole);
    whole->hollow = whole->flying = true;
    return SCREE_OK;
}

bool part_is_hollow(const scree_sim* whole)
{
    return whole->hollow;
}

// What is not by sphere, as far as it is not in part_small; times are taken from the first part.
static void follow_rest(scree_sim* whole, scree_sim* part)
{
    for (int32_t b = 0; b < whole->boundary_count; ++b) {
        memcpy(whole->felt[b].velocity, part->felt[b].velocity, sizeof whole->felt[b].velocity);
        memcpy(whole->felt[b].spin, part->felt[b].spin, sizeof whole->felt[b].spin);
    }
    whole->drive.felt = part->drive.felt;
    whole->lists_of_parts = part->lists_of_parts;
    whole->seconds_search += part->seconds_search;
    whole->seconds_force += part->seconds_force;
    whole->seconds_integrate += part->seconds_integrate;
    whole->seconds_other += part->seconds_other;
    part->seconds_search = part->seconds_force = part->seconds_integrate = part->seconds_other = 0.0;
}

scree_status part_finish(scree_sim* whole, scree_sim* part, scree_bytes* scratch, double speed)
{
    scratch->count = scratch->at = 0;
    scratch->status = SCREE_OK;
    scree_status status = part_small(part, scratch);
    if (status == SCREE_OK)
        status = part_follow_small(whole, scratch);
    whole->speed = speed;
    if (status == SCREE_OK)
        follow_rest(whole, part);
    return status;
}

// What sim_room_free frees, for n spheres.
static scree_status make_room(scree_sim* whole)
{
    whole->lists.own = scree_calloc((size_t)whole->blocks + 1, sizeof *whole->lists.own);
    whole->lists.wall_first = scree_calloc((size_t)whole->blocks + 1, sizeof *whole->lists.wall_first);
    if (whole->lists.own == NULL || whole->lists.wall_first == NULL || (whole->surfaces.count > 0 && surfaces_make_room(whole) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    return sim_room_make(whole);
}

// Empty, but complete, and failed.
static void lose(scree_sim* whole)
{
    sim_room_free(whole);
    bonds_close(&whole->bonds);
    whole->traits &= ~(unsigned)SIM_GAPS;
    whole->numbers.giant_count = 0;
    whole->n = 0;
    whole->blocks = 1;
    (void)make_room(whole);  // it is not read if there is no memory
    whole->flying = false;
    whole->failed = true;
}

void part_give_up(scree_sim* whole, scree_status status)
{
    if (whole->hollow && status != SCREE_OK && status != SCREE_ERR_CANCELLED)
        lose(whole);
    whole->failed = whole->failed || status == SCREE_ERR_ARGUMENT;
}

scree_status sim_say_hollow(const scree_sim* sim)
{
    return scree_fail(SCREE_ERR_ARGUMENT, "sim: other processes held the spheres, and these are lost because the run failed (it began at step %" PRId64 "); expected an earlier state", sim->step);
}

// ---- All parts in one again ----------------------------------------------------------------------------------------

scree_status part_refill(scree_sim* whole)
{
    assert(whole->hollow);
    scree_status status = make_room(whole);
    if (status != SCREE_OK)
        drop_spheres(whole);
    for (int32_t row = 0; row < whole->n && whole->row != NULL && status == SCREE_OK; ++row)
        whole->row[row] = row;
    return status;
}

scree_status part_take(scree_sim* whole, const char* records, int64_t count)
{
    int32_t* rows = scree_malloc((size_t)count + 1, sizeof *rows);
    size_t bytes = part_bytes(whole, PART_START);
    if (rows == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t e = 0; e < count; ++e) {
        part_stub stub;
        memcpy(&stub, records + (size_t)e * bytes, sizeof stub);
        rows[e] = (int32_t)sim_row_of(whole, stub.id);
        assert(rows[e] >= 0);
    }
    part_unpack(whole, PART_START, rows, (int32_t)count, records);
    scree_free(rows);
    return SCREE_OK;
}

// What the order and the forces of the moment overwrite, by row: accelerations, and the velocities with which the forces were computed, for who asks about these.
typedef struct results {
    double (*a)[4], (*p)[4], (*wp)[4], (*wp_next)[4];
    uint8_t* flags;
} results;

static void free_results(results* r)
{
    scree_free(r->a);
    scree_free(r->p);
    scree_free(r->wp);
    scree_free(r->wp_next);
    scree_free(r->flags);
}

static double (*copy_rows(sim_rows from, size_t n, scree_status* status))[4]
{
    double (*to)[4] = from.at != NULL ? scree_malloc(n + 1, sizeof *to) : NULL;
    if (from.at != NULL && to == NULL)
        *status = SCREE_ERR_MEMORY;
    for (size_t i = 0; i < n && to != NULL; ++i)
        memcpy(to[i], sim_at(from, (int64_t)i), sizeof *to);
    return to;
}

static scree_status keep_results(const scree_sim* whole, results* out)
{
    scree_status status = SCREE_OK;
    size_t n = (size_t)whole->n;
    out->a = copy_rows((sim_rows){.at = whole->other}, n, &status);
    out->p = copy_rows(whole->p, n, &status);
    out->wp = copy_rows(whole->wp, n, &status);
    out->wp_next = copy_rows(whole->wp_next, n, &status);
    out->flags = whole->flags != NULL ? scree_malloc(n + 1, 1) : NULL;
    if (whole->flags != NULL && out->flags == NULL)
        status = SCREE_ERR_MEMORY;
    if (out->flags != NULL && n > 0)
        memcpy(out->flags, whole->flags, n);
    return status;
}

static void put_results(scree_sim* whole, const results* from)
{
    for (int32_t i = 0; i < whole->n; ++i) {
        int64_t row = sim_row(whole, i);
        memcpy(whole->other[i], from->a[row], sizeof *from->a);
        if (from->p != NULL)
            memcpy(sim_at(whole->p, i), from->p[row], sizeof *from->p);
        if (from->wp != NULL)
            memcpy(sim_at(whole->wp, i), from->wp[row], sizeof *from->wp);
        if (from->wp_next != NULL)
            memcpy(sim_at(whole->wp_next, i), from->wp_next[row], sizeof *from->wp_next);
    }
}

scree_status part_join(scree_sim* whole, scree_sim* part, const scree_sim_memory* memory, part_bonds* bonds)
{
    scree_sim_state state = {0};
    results kept = {.a = NULL};
    scree_status status = scree_sim_get_state(part, &state);
    if (status == SCREE_OK)
        status = part_rank_rows(whole);  // contacts are given by id
    if (status == SCREE_OK)
        status = part_bonds_join(whole, bonds);
    if (status == SCREE_OK)
        status = keep_results(whole, &kept);
    if (status != SCREE_OK) {
        free_results(&kept);
        return status;
    }
    const scree_sim_values flags = {.name = "flags", .data = kept.flags};
    state.columns = &flags;
    state.column_count = kept.flags != NULL;
    state.memory = memory;
    state.bonds = part_bonds_state(bonds, part);
    int64_t crossed = whole->crossings.count;
    double search = whole->seconds_search, force = whole->seconds_force, integrate = whole->seconds_integrate, other = whole->seconds_other;
    status = sim_take_state(whole, &state, true);
    whole->crossings.count = crossed;
    if (status == SCREE_OK) {
        part_bonds_put_forces(whole, bonds);
        put_results(whole, &kept);
        whole->hollow = false;
    }
    free_results(&kept);
    scree_candidates_trim(whole->lists.near);  // its list is never renewed from here: the next one is of another state
    // What the whole does meanwhile counts as other work.
    whole->seconds_other = other + (whole->seconds_search - search) + (whole->seconds_force - force) + (whole->seconds_integrate - integrate);
    whole->seconds_search = search;
    whole->seconds_force = force;
    whole->seconds_integrate = integrate;
    follow_rest(whole, part);
    return status;
}
