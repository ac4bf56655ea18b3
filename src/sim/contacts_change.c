// Changes of contacts while a simulation runs: parameters of the law, materials of walls and boundaries.
//
// A simulation with the new contacts is made of the same spheres, gets the state of the old one, and replaces it. So everything that follows from the contacts (the stiffest pair, how
// far contacts reach, what may be inserted) is found as for a new simulation, a time step that is too long gives the same message, and a run that is resumed after the change has the same bits.
// Where parts have the spheres (part.h), columns come from them, and the new simulation is made by the ranks too.
// The current accelerations already follow from the new contacts, so that energies stay of second order in the time step. Costs about as much as making the simulation.
#include "sim/runner.h"
#include "sim/sim_inner.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct copied {
    scree_sim_values values[sim_column_count];
    int32_t count;
} copied;

static void free_copied(copied* c)
{
    for (int32_t k = 0; k < c->count; ++k)
        scree_free((void*)c->values[k].data);
}

// All columns of the state, and radii, by id. MEMORY
static scree_status copy_columns(const scree_sim* sim, copied* out)
{
    *out = (copied){.count = 0};
    for (int c = 0; c < sim_column_count; ++c) {
        const sim_column* column = &sim_columns[c];
        const bool wanted = (column->shown.uses & SCREE_USE_STATE) != 0 || strcmp(column->shown.name, "radius") == 0;  // with which ranks check contacts
        if (!wanted || sim_find_column(sim, column->shown.name) == NULL)
            continue;
        void* data = scree_malloc((size_t)sim->n, sim_column_width(sim, column));
        if (data == NULL && sim->n > 0)
            return SCREE_ERR_MEMORY;
        out->values[out->count++] = (scree_sim_values){.name = column->shown.name, .data = data};
    }
    return SCREE_OK;
}

// Contacts remember the same numbers with the same meaning.
static bool remembers_alike(const sim_law* a, const sim_law* b)
{
    return a->row.words == b->row.words && a->turns == b->turns && a->parts.normal == b->parts.normal && a->parts.tangential == b->parts.tangential && a->parts.rolling == b->parts.rolling &&
           a->parts.twisting == b->parts.twisting && a->parts.bridge == b->parts.bridge &&
           strcmp(a->row.name, b->row.name) == 0;
}

static scree_status check_same(const scree_sim* sim, const scree_sim_def* def, scree_spheres spheres)
{
    if (spheres.count != sim->n || spheres.dim != sim->dim || def->boundary_count != sim->boundary_count - boundary_faces - (sim->def.container != SCREE_CONTAINER_BOX))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: contacts for %" PRId32 " spheres of %" PRId32 " dimensions with %" PRId32 " boundaries; expected %" PRId32 " of %" PRId32 " dimensions with %" PRId32 ", as in the simulation",
                          spheres.count, spheres.dim, def->boundary_count, sim->n, sim->dim, sim->boundary_count - boundary_faces - (sim->def.container != SCREE_CONTAINER_BOX));
    double* r = scree_malloc((size_t)sim->n + 1, sizeof *r);
    scree_status status = r == NULL ? SCREE_ERR_MEMORY : scree_sim_get_column(sim, "radius", r);
    for (int32_t i = 0; i < sim->n && status == SCREE_OK; ++i)
        if (spheres.r[i] != r[i])
            status = scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": radius %g; expected %g, as in the simulation: radii stay constant", sim_id_of(sim, i), spheres.r[i], r[i]);
    scree_free(r);
    return status;
}

// With the old spheres, each in its place, whatever has become of the walls since the start.
static scree_status make_other(scree_sim* sim, const scree_sim_def* given, scree_spheres spheres, scree_sim** out)
{
    scree_sim_def def = *given;
    scree_sim_each each = scree_default_sim_each();
    if (given->each != NULL) {
        scree_status status = scree_check_struct_size("sim", "scree_default_sim_each", given->each->struct_size, offsetof(scree_sim_each, spin), sizeof each);
        if (status != SCREE_OK)
            return status;
        memcpy(&each, given->each, given->each->struct_size);
    }
    int64_t* id = scree_malloc((size_t)sim->n + 1, sizeof *id);
    double* x = scree_malloc((size_t)sim->n + 1, 3 * sizeof *x);
    scree_status status = id == NULL || x == NULL ? SCREE_ERR_MEMORY : scree_sim_get_column(sim, "x", x);
    if (status != SCREE_OK) {
        scree_free(id);
        scree_free(x);
        return status;
    }
    for (int64_t row = 0; row < sim->n; ++row) {
        id[row] = sim_id_of(sim, row);
        for (int k = 0; k < sim->dim; ++k) {
            double* at = &x[row * sim->dim + k];
            *at = given->box.periodic[k] ? *at : fmin(fmax(*at, given->box.lower[k]), given->box.upper[k]);
        }
    }
    each.id = id;
    def.each = &each;
    def.time_step = sim->numbers.time_step;
    def.giants = sim->numbers.giant_radius;
    def.order_every = sim->def.order_every;
    def.threads = sim->def.threads;
    def.check = sim->def.check;
    def.watch = sim->def.watch;
    def.integrator = sim->def.integrator;
    def.backend = sim->def.backend;
    def.energies = sim->def.energies;
    def.watch_overlaps = sim->def.watch_overlaps;
    def.walls_remove = sim->def.walls_remove;
    spheres.x = x;
    status = scree_sim_create(&def, spheres, NULL, out);
    scree_free(id);
    scree_free(x);
    return status;
}

// Accelerations of this moment by the new contacts.
static scree_status settle(scree_sim* other)
{
    return other->hollow ? sim_change_there(other, &(sim_change){.kind = CHANGE_NOTHING}) : sim_settle_again(other);
}

static scree_status add_work(scree_sim* other, double work)
{
    if (other->hollow)
        return sim_change_there(other, &(sim_change){.kind = CHANGE_WORK, .values = {work}});
    other->account[WORK_FORCES] += work;
    return SCREE_OK;
}

static scree_status hand_over(scree_sim* sim, scree_sim* other)
{
    copied columns;
    scree_sim_memory memory;
    scree_sim_bonds bonds;
    scree_sim_report before = {0}, after = {0};
    scree_sim_state state = {0};
    bool energies = sim->law.parts.accounts;
    scree_status status = energies ? scree_sim_measure(sim, &before) : SCREE_OK;
    if (status == SCREE_OK)
        status = copy_columns(sim, &columns);
    else
        columns.count = 0;
    if (status == SCREE_OK)
        status = scree_sim_get_memory(sim, &memory);
    if (status == SCREE_OK)
        status = scree_sim_get_bonds(sim, &bonds);
    state.column_count = columns.count;
    state.columns = columns.values;
    if (status == SCREE_OK)
        status = scree_sim_get_state(sim, &state);
    if (status == SCREE_OK) {
        state.memory = memory.words > 0 ? &memory : NULL;
        state.bonds = bonds.count > 0 ? &bonds : NULL;
        other->hears = true;
        status = scree_sim_set_state(other, &state);
        other->hears = false;
    }
    free_copied(&columns);
    if (status == SCREE_OK)
        status = settle(other);
    if (status == SCREE_OK && energies)
        status = scree_sim_measure(other, &after);
    if (status == SCREE_OK && energies)  // who makes springs stiffer works on them
        status = add_work(other, after.energy_contact - before.energy_contact);
    return status;
}

scree_status scree_sim_set_contacts(scree_sim* sim, const scree_sim_def* def, scree_spheres spheres)
{
    SCREE_NEED(sim);
    SCREE_NEED(def);
    scree_sim* other = NULL;
    scree_sim_def whole;
    sim_given given;
    scree_status status = sim->hollow ? sim_check_known(sim) : sim_check_still(sim);
    if (status == SCREE_OK)
        status = sim_take_def(def, &whole, &given);
    if (status == SCREE_OK)
        status = scree_spheres_check(spheres, NULL);
    if (status == SCREE_OK)
        status = check_same(sim, &whole, spheres);
    if (status == SCREE_OK)
        status = make_other(sim, &whole, spheres, &other);
    if (status == SCREE_OK && !remembers_alike(&sim->law, &other->law))
        status = scree_fail(SCREE_ERR_UNSUPPORTED,
                            "sim: the law '%s' and its parts (tangential, rolling, twisting, liquid bridges) cannot change during a simulation, because contacts store the memory of their law; expected all parts in the law from the start",
                            sim->law.row.name);
    if (status == SCREE_OK)
        status = hand_over(sim, other);
    if (status != SCREE_OK) {
        char why[1024];
        snprintf(why, sizeof why, "%s", scree_error_message());
        scree_sim_destroy(other);
        return status == SCREE_ERR_MEMORY ? status : scree_fail(status, "%s", why);
    }
    // What is in no state.
    sim_crossings crossings = other->crossings;
    other->crossings = sim->crossings;
    sim->crossings = crossings;
    other->watch.found = sim->watch.found;
    other->seconds_search += sim->seconds_search;
    other->seconds_force += sim->seconds_force;
    other->seconds_integrate += sim->seconds_integrate;
    other->seconds_other += sim->seconds_other;
    scree_sim old = *sim;
    *sim = *other;
    *other = old;
    for (int k = 0; k < 2; ++k) {
        scree_sim* moved = k == 0 ? sim : other;
        if (moved->crew != NULL)
            moved->runner->moved(moved->crew, moved);
    }
    scree_sim_destroy(other);
    return SCREE_OK;
}
