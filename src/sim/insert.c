// Insertion and removal of spheres while a simulation runs.
//
// Everything that is by rank is rebuilt, for the remaining and the new spheres, beside the old arrays; then the two are exchanged, the order is renewed and a new list is
// made. If one of these fails, the old arrays are restored. So a change costs about the time of ten steps and, while it lasts, twice the memory of the spheres; simulations without it
// pay nothing, as they would for arrays with free places.
//
// The memory of contacts is transferred by rank: memory_keep takes it out of the rows of the list, contacts of removed spheres are left out, and the new list gets the rest (memory.c).
//
// Where parts have the spheres (part.h) these do the same, each with its own: all is checked here, then the parts execute it.
//
// Accelerations are the values with which the next step begins. For spheres that have lost or gained a contact they are computed again; all others keep theirs, since with damping an
// acceleration of this moment was computed from predicted velocities, which are not known any more (sim_inner.h).
#include "sim/sim_inner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "sim/runner.h"
#include "sim/spring.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- Ids and rows ----------------------------------------------------------------------------------------------------

int64_t sim_row_of(const scree_sim* sim, int64_t id)
{
    if (sim->names == NULL)
        return id >= 0 && id < sim->n ? id : -1;
    int64_t row = scree_first_not_below(sim->names, sim->n, id);
    return row < sim->n && sim->names[row] == id ? row : -1;
}

// Names of the start. ARGUMENT, MEMORY
static scree_status take_names(scree_sim* sim, const int64_t* ids)
{
    sim->flow = (scree_sim_flow){.next_id = sim->n};
    if (ids == NULL)
        return SCREE_OK;
    bool gaps = false;
    for (int32_t i = 0; i < sim->n; ++i) {
        if (ids[i] < 0 || (i > 0 && ids[i] <= ids[i - 1]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: id %" PRId64 " of sphere %" PRId32 "; expected rising numbers from 0 on", ids[i], i);
        gaps = gaps || ids[i] != i;
    }
    sim->flow.next_id = sim->n > 0 ? ids[sim->n - 1] + 1 : 0;
    if (!gaps)
        return SCREE_OK;
    sim->names = scree_malloc((size_t)sim->n, sizeof *sim->names);
    sim->traits |= SIM_GAPS;
    if (sim->names == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(sim->names, ids, (size_t)sim->n * sizeof *ids);
    return SCREE_OK;
}

scree_status sim_take_ids(scree_sim* sim, const int64_t* ids)
{
    scree_status status = take_names(sim, ids);
    if (status != SCREE_OK || sim->names == NULL || sim->hollow)
        return status;
    if (sim_arrays_make(sim) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < sim->n; ++i) {
        sim->id[i] = ids[i];
        sim->row[i] = i;
    }
    return SCREE_OK;
}

// ---- What may come -----------------------------------------------------------------------------------------------------

typedef struct weight {
    double mass, inertia, r;
} weight;

enum { LIGHTEST, BY_FRICTION, BY_TORQUE, extremes };  // those that are moved most easily: by a force, by one on the surface, by a torque

// Spheres of one material.
struct limit {
    weight of[extremes];  // mass 0: there are none
    bool stands;          // or walls, boundaries and fixed spheres are of it
    double rayleigh;      // hertz, jkr and dmt: the Rayleigh time over r sqrt(density); else 0
};

static double ease_of(const weight* w, int extreme)
{
    return extreme == LIGHTEST ? 1.0 / w->mass : extreme == BY_TORQUE ? 1.0 / w->inertia : 1.0 / w->mass + w->r * w->r / w->inertia;
}

static struct limit* limit_of(const sim_limits* limits, const uint16_t* material, int64_t i)
{
    return &limits->of[limits->materials > 1 && material != NULL ? material[i] : 0];
}

static void take_weight(struct limit* limit, const weight* w)
{
    for (int e = 0; e < extremes; ++e)
        if (limit->of[e].mass == 0.0 || ease_of(w, e) > ease_of(&limit->of[e], e))
            limit->of[e] = *w;
}

scree_status sim_limits_make(scree_sim* sim, scree_spheres spheres)
{
    const scree_sim_def* def = &sim->def;
    const scree_sim_each* each = def->each;
    sim_limits* limits = &sim->limits;
    limits->materials = sim->law.materials;
    limits->of = scree_calloc((size_t)limits->materials, sizeof *limits->of);
    if (limits->of == NULL)
        return SCREE_ERR_MEMORY;
    bool alike = limits->materials == 1, curved = sim->numbers.rayleigh_time > 0.0;
    for (int32_t a = 0; a < limits->materials && curved; ++a) {
        const scree_sim_material* m = &def->law->materials[a];
        limits->of[a].rayleigh = pi / sqrt(m->young / (2.0 * (1.0 + m->poisson))) / (0.1631 * m->poisson + 0.8766);
    }
    int32_t walls[boundary_faces + 1];
    for (int32_t w = sim_wall_materials(def, walls); w > 0; --w)
        limits->of[alike ? 0 : walls[w - 1]].stands = true;
    for (int32_t b = 0; b < def->boundary_count; ++b)
        limits->of[alike ? 0 : def->boundaries[b].material].stands = true;
    for (int32_t i = 0; i < spheres.count; ++i) {
        struct limit* limit = limit_of(limits, each != NULL ? each->material : NULL, i);
        weight w = {.mass = sim_mass_of(def, spheres, i), .inertia = sim_inertia_of(def, spheres, i), .r = spheres.r[i]};
        if (each != NULL && is_fixed(each->fixed, i))
            limit->stands = true;
        else
            take_weight(limit, &w);
    }
    const scree_sim_later* later = def->later;
    scree_sim_each own = scree_default_sim_each();
    scree_sim_def plain = *def;
    plain.each = &own;
    own.material_density = later != NULL ? later->material_density : NULL;
    scree_spheres coming = {.count = later != NULL ? later->count : 0, .dim = spheres.dim, .r = later != NULL ? later->r : NULL};
    for (int32_t i = 0; i < coming.count; ++i) {
        struct limit* limit = limit_of(limits, later->material, i);
        weight w = {.mass = sim_mass_of(&plain, coming, i), .inertia = sim_inertia_of(&plain, coming, i), .r = coming.r[i]};
        if (is_fixed(later->fixed, i))
            limit->stands = true;
        else
            take_weight(limit, &w);
    }
    return SCREE_OK;
}

void sim_limits_close(scree_sim* sim)
{
    scree_free(sim->limits.of);
    sim->limits = (sim_limits){.of = NULL};
}

static double reduced(double a, double b)
{
    return a / (a + b) * b;
}

// The longest step that a contact of the two accepts, by their law; NULL: of one and something that stands.
static double longest_of(const sim_law* law, const law_pair* with, const weight* a, const weight* b, double* duration)
{
    contact_weights w = {.mu = a->mass, .r = a->r, .arms = a->r * a->r / a->inertia, .turns = 1.0 / a->inertia};
    if (b != NULL) {
        w.mu = reduced(a->mass, b->mass);
        w.r = reduced(a->r, b->r);
        w.arms += b->r * b->r / b->inertia;
        w.turns += 1.0 / b->inertia;
    }
    spring_given given = {.whose = "sim"};
    double longest = INFINITY, usual;
    double time = law->row.time(law, with, w.mu, w.r).duration;
    if (spring_step(&given, time, &longest, &usual) != SCREE_OK)
        longest = INFINITY;
    *duration = fmin(*duration, time);
    return fmin(longest, law->row.step(law, with, &w).longest);
}

double sim_longest_step(const scree_sim* sim)
{
    bool moves = false;
    for (int32_t a = 0; a < sim->limits.materials; ++a)
        moves = moves || sim->limits.of[a].of[LIGHTEST].mass > 0.0;
    return moves ? sim->numbers.longest_time_step : INFINITY;
}

// One that is inserted, of material a, against all that it may meet; it counts from then on. ARGUMENT: the step is too long for it.
static scree_status check_limit(const scree_sim* sim, struct limit* all, int32_t a, bool fixed, const weight* w, double density, int64_t number, double* duration, double* least)
{
    const sim_law* law = &sim->law;
    double longest = INFINITY, step = sim->numbers.time_step, rayleigh = all[a].rayleigh * w->r * sqrt(density);
    for (int32_t b = 0; b < sim->limits.materials; ++b) {
        const law_pair* with = law->many != NULL ? &law->many[(int64_t)a * law->materials + b] : &law->one;
        if (law->row.reach != NULL && law->row.reach(with, w->r) > law->reach)
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "sphere %" PRId64 ": radius %g; expected at most %g, the largest that the simulation was created for. Announce larger spheres by def.later", number, w->r,
                              sim->numbers.radius_max);
        for (int e = 0; e < extremes; ++e)
            if (all[b].of[e].mass > 0.0)
                longest = fmin(longest, fixed ? longest_of(law, with, &all[b].of[e], NULL, duration) : longest_of(law, with, w, &all[b].of[e], duration));
        if (all[b].stands && !fixed)
            longest = fmin(longest, longest_of(law, with, w, NULL, duration));
    }
    if (!fixed && rayleigh > 0.0)
        longest = fmin(longest, 0.4 * rayleigh);
    if (step > longest)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "sphere %" PRId64 ": radius %g and mass %g; expected a time step of at most %g, the simulation has %g. Announce spheres that are inserted later by def.later", number, w->r,
                          w->mass, longest, step);
    *least = fmin(*least, longest);
    if (fixed)
        all[a].stands = true;
    else
        take_weight(&all[a], w);
    return SCREE_OK;
}

// ---- What is asked for ---------------------------------------------------------------------------------------------------

typedef struct change {
    scree_sim* sim;
    int64_t remove;             // how many go
    scree_spheres spheres;      // that come,
    const double* v;
    scree_sim_each each;
    int64_t first;              // id of the first of them without each.id
    uint8_t* marks;             // by old rank, where parts have the spheres by row: 1 goes, 2 touches one that goes
    int32_t* to;                // by old rank: the new one before the renewal; -1: it goes
    struct limit* limits;       // with those that come
    double duration;            // the shortest contact among them
    double longest;             // the longest step that they accept
    bool touched;               // one that stays has lost a contact
} change;

static uint8_t* mark_of(const change* c, int64_t row)
{
    return &c->marks[c->sim->hollow ? row : c->sim->rank_of[row]];
}

static scree_status check_inserted(change* c)
{
    scree_sim* sim = c->sim;
    scree_spheres s = c->spheres;
    const scree_sim_each* each = &c->each;
    if (s.count == 0)
        return SCREE_OK;
    scree_box box = scree_sim_get_box(sim);
    scree_status status = scree_spheres_check(s, &box);
    if (status == SCREE_OK && s.dim != sim->dim)
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: inserted spheres have %d dimensions; expected %d", (int)s.dim, (int)sim->dim);
    if (status == SCREE_OK && (int64_t)sim->n - c->remove + s.count > INT32_MAX)
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId32 " spheres inserted into %" PRId32 "; expected a total of at most %" PRId32, s.count, sim->n, INT32_MAX);
    if (status != SCREE_OK)
        return status;
    scree_sim_def plain = sim->def;
    plain.each = each;
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    for (int32_t i = 0; i < s.count; ++i) {
        int64_t number = each->id != NULL ? each->id[i] : c->first + i;
        double mass = sim_mass_of(&plain, s, i), density = each->material_density != NULL ? each->material_density[i] : sim->def.material_density;
        if (!spring_is_above(density) || !(s.r[i] > 0.0) || !spring_is_above(mass) || !spring_is_above(1.0 / mass))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": radius %g and a material density of %g give a mass of %g; expected a finite mass above 0", number, s.r[i], density, mass);
        if (each->fixed != NULL && each->fixed[i] > 1)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": fixed is %d; expected 0 or 1", number, each->fixed[i]);
        if (each->inertia != NULL && !(each->inertia[i] > 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": a moment of inertia of %g; expected above 0", number, each->inertia[i]);
        if (each->material != NULL && sim->law.many != NULL && each->material[i] >= sim->law.materials)
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": material %d; expected 0 to %" PRId32, number, (int)each->material[i], sim->law.materials - 1);
        for (int k = 0; k < 3 && each->spin != NULL; ++k) {
            double w = each->spin[3 * (int64_t)i + k];
            if (!(fabs(w) <= SCREE_LENGTH_MAX) || (w != 0.0 && (!sim->law.turns || (sim->dim == 2 && k < 2))))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": a spin of %g about %c; expected %s", number, w, "xyz"[k],
                                  !sim->law.turns ? "0, since the contact law has no torques," : sim->dim == 2 && k < 2 ? "0 in two dimensions" : "a finite number");
        }
        for (int k = 0; k < sim->dim; ++k) {
            int64_t e = (int64_t)i * sim->dim + k;
            if (c->v != NULL && !(fabs(c->v[e]) <= SCREE_LENGTH_MAX))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": velocity %c = %g; expected a finite number", number, "xyz"[k], c->v[e]);
            if (each->force != NULL && !(fabs(each->force[e]) <= SCREE_LENGTH_MAX))
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": external force %g along %c; expected a finite number", number, each->force[e], "xyz"[k]);
            if (box.periodic[k] && 2.0 * s.r[i] > box.upper[k] - box.lower[k])
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": diameter %g; expected at most the length of the periodic box, %g on axis %c", number, 2.0 * s.r[i], box.upper[k] - box.lower[k], "xyz"[k]);
        }
        double centre[3] = {0.0, 0.0, 0.0};
        memcpy(centre, s.x + (int64_t)i * sim->dim, (size_t)sim->dim * sizeof *centre);
        for (int32_t b = 0; b < sim->boundary_count; ++b) {
            char name[boundary_name_room];
            boundary_point seen;
            if (!sim->boundaries_now[b].present)
                continue;
            if (sim->boundaries_now[b].shape != NULL && s.r[i] > sim->numbers.radius_max && surfaces_check_images(sim, sim->boundaries_now[b].shape, s.r[i]) != SCREE_OK)
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": radius %g; expected a smaller radius: the images of the boundary '%s' leave less space", number, s.r[i], sim_boundary_name(sim, b, name));
            boundary_surface(&sim->boundaries_now[b], centre, &seen);
            if (seen.inside < 0.0)
                return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": its centre at %g %g %g lies beyond the %s '%s', by %g; expected it inside", number, centre[0], centre[1], centre[2],
                                  b < boundary_faces ? "wall" : "boundary", sim_boundary_name(sim, b, name), -seen.inside);
        }
        int64_t row = sim_row_of(sim, number);
        if (number < 0 || (i > 0 && each->id != NULL && number <= each->id[i - 1]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: id %" PRId64 " for an inserted sphere; expected rising numbers from 0 on", number);
        if (row >= 0 && (*mark_of(c, row) & 1) == 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: id %" PRId64 " of an inserted sphere is in use; expected an unused id", number);
        weight w = {.mass = mass, .inertia = sim_inertia_of(&plain, s, i), .r = s.r[i]};
        int32_t a = sim->limits.materials > 1 && each->material != NULL ? each->material[i] : 0;
        status = check_limit(sim, c->limits, a, is_fixed(each->fixed, i), &w, density, number, &c->duration, &c->longest);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

static scree_status mark_removed(change* c, int64_t count, const int64_t* ids)
{
    scree_sim* sim = c->sim;
    for (int64_t e = 0; e < count; ++e) {
        int64_t row = sim_row_of(sim, ids[e]);
        if (row < 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: cannot remove sphere %" PRId64 "; expected the id of a sphere of the simulation", ids[e]);
        uint8_t* mark = mark_of(c, row);
        if (*mark != 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: sphere %" PRId64 " is listed twice for removal; expected each id once", ids[e]);
        *mark = 1;
    }
    c->remove = count;
    return SCREE_OK;
}

// ---- What there was, while the new is tried --------------------------------------------------------------------------------

typedef struct saved {
    void* arrays[sim_array_count];
    int32_t n;
    int64_t blocks;
    unsigned traits;
    scree_sim_numbers numbers;
    block_result* result;
    watch_seen* seen;
    sim_watch watch;
    int32_t* giants;
    giant_kept* giant_kept;
    sim_desk* desks;
    int32_t desk_count, threads;
    int64_t span;
    int64_t *own, *wall_first, *names;
    sim_kept pairs, walls, surfaces;
    int64_t *group_first, *row_first;  // of shapes
    double dissipated[2], next[2];     // of loads
    double account[2 * sim_accounts], speed;
    int64_t contacts;
    scree_sim_flow flow;
    sim_bonds bonds;                   // what follows ranks
} saved;

// Takes all of it out of the simulation.
static void save(scree_sim* sim, saved* old)
{
    *old = (saved){.n = sim->n,
                   .blocks = sim->blocks,
                   .traits = sim->traits,
                   .numbers = sim->numbers,
                   .result = sim->result,
                   .seen = sim->watch.seen,
                   .watch = sim->watch,
                   .giants = sim->giants,
                   .giant_kept = sim->giant_kept,
                   .desks = sim->desks,
                   .desk_count = sim->desk_count,
                   .threads = sim->threads,
                   .span = sim->span,
                   .own = sim->lists.own,
                   .wall_first = sim->lists.wall_first,
                   .names = sim->names,
                   .pairs = sim->memory.kept_pairs,
                   .walls = sim->memory.kept_walls,
                   .surfaces = sim->memory.kept_surfaces,
                   .group_first = sim->surfaces.group_first,
                   .row_first = sim->surfaces.row_first,
                   .speed = sim->speed,
                   .contacts = sim->contacts,
                   .flow = sim->flow,
                   .bonds = bonds_take_out(sim)};
    memcpy(old->account, sim->account, sizeof old->account);
    memcpy(old->dissipated, sim->loads.dissipated, sizeof old->dissipated);
    memcpy(old->next, sim->loads.next, sizeof old->next);
    for (int a = 0; a < sim_array_count; ++a) {
        old->arrays[a] = sim_items(sim, sim_arrays[a].at);
        sim_set_items(sim, sim_arrays[a].at, NULL);
    }
    sim->result = NULL;
    sim->watch.seen = NULL;
    sim->giants = NULL;
    sim->giant_kept = NULL;
    sim->desks = NULL;
    sim->desk_count = 0;
    sim->lists.own = sim->lists.wall_first = NULL;
    sim->names = NULL;
    sim->memory.kept_pairs = sim->memory.kept_walls = sim->memory.kept_surfaces = (sim_kept){.count = 0};
    sim->surfaces.group_first = sim->surfaces.row_first = NULL;
}

// Frees what save would take out.
void sim_room_free(scree_sim* sim)
{
    saved gone;
    save(sim, &gone);
    for (int a = 0; a < sim_array_count; ++a)
        if (sim_owns(sim, &sim_arrays[a]))
            scree_free(gone.arrays[a]);
    scree_free(gone.result);
    scree_free(gone.seen);
    scree_free(gone.giants);
    scree_free(gone.giant_kept);
    sim_desks_free(gone.desks, gone.desk_count);
    scree_free(gone.own);
    scree_free(gone.wall_first);
    scree_free(gone.names);
    scree_free(gone.group_first);
    scree_free(gone.row_first);
    bonds_release(&gone.bonds);
    for (int k = 0; k < 3; ++k) {
        sim_kept* kept = k == 0 ? &gone.pairs : k == 1 ? &gone.walls : &gone.surfaces;
        scree_free(kept->ij);
        scree_free(kept->shift);
        scree_free(kept->words);
    }
}

static void put_back(scree_sim* sim, const saved* old)
{
    for (int a = 0; a < sim_array_count; ++a)
        sim_set_items(sim, sim_arrays[a].at, old->arrays[a]);
    sim->n = old->n;
    sim->blocks = old->blocks;
    sim->traits = old->traits;
    sim->numbers = old->numbers;
    sim->result = old->result;
    sim->watch = old->watch;
    sim->giants = old->giants;
    sim->giant_kept = old->giant_kept;
    sim->desks = old->desks;
    sim->desk_count = old->desk_count;
    sim->threads = old->threads;
    sim->span = old->span;
    sim->lists.own = old->own;
    sim->lists.wall_first = old->wall_first;
    sim->names = old->names;
    sim->memory.kept_pairs = old->pairs;
    sim->memory.kept_walls = old->walls;
    sim->memory.kept_surfaces = old->surfaces;
    sim->surfaces.group_first = old->group_first;
    sim->surfaces.row_first = old->row_first;
    memcpy(sim->loads.dissipated, old->dissipated, sizeof old->dissipated);
    memcpy(sim->loads.next, old->next, sizeof old->next);
    memcpy(sim->account, old->account, sizeof old->account);
    sim->speed = old->speed;
    sim->contacts = old->contacts;
    sim->flow = old->flow;
    bonds_put_back(sim, &old->bonds);
    sim->failed = false;
}

// ---- The new ---------------------------------------------------------------------------------------------------------------

// Contacts that stay, by the new ranks: those that stay keep their order, so these are sorted as the old ones are.
static scree_status take_kept(const change* c, const sim_kept* from, bool walls, int32_t each, sim_kept* out)
{
    const scree_sim* sim = c->sim;
    size_t words = (size_t)each, count = (size_t)from->count;
    bool shifted = sim->periodic && !walls;
    if (words == 0 || count == 0)
        return SCREE_OK;
    out->ij = scree_malloc(count, sizeof *out->ij);
    out->words = scree_malloc(count * words, sizeof *out->words);
    out->shift = shifted ? scree_malloc(count, sizeof *out->shift) : NULL;
    if (out->ij == NULL || out->words == NULL || (shifted && out->shift == NULL))
        return SCREE_ERR_MEMORY;
    out->ij_capacity = (int64_t)count;
    out->word_capacity = (int64_t)(count * words);
    out->shift_capacity = shifted ? (int64_t)count : 0;
    for (int64_t e = 0; e < from->count; ++e) {
        int32_t i = c->to[from->ij[e][0]], j = walls ? from->ij[e][1] : c->to[from->ij[e][1]];
        if (i < 0 || (!walls && j < 0))
            continue;
        out->ij[out->count][0] = i;
        out->ij[out->count][1] = j;
        if (shifted)
            memcpy(out->shift[out->count], from->shift[e], sizeof *out->shift);
        memcpy(out->words + out->count * (int64_t)words, from->words + e * (int64_t)words, words * sizeof *out->words);
        ++out->count;
    }
    return SCREE_OK;
}

// Those that stay, in their order.
static scree_status take_rest(const change* c, const saved* old)
{
    scree_sim* sim = c->sim;
    for (int a = 0; a < sim_array_count; ++a) {
        if (sim_ask(sim, 0, 1) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        size_t bytes = sim_arrays[a].bytes, step = sim_step_of(sim, sim_arrays[a].at, bytes, sim_arrays[a].rows);
        const char* from = old->arrays[a];
        char* to = sim_items(sim, sim_arrays[a].at);
        for (int32_t i = 0; i < old->n && from != NULL && to != NULL; ++i)
            if (c->to[i] >= 0)
                memcpy(to + (size_t)c->to[i] * step, from + (size_t)i * step, bytes);
    }
    return SCREE_OK;
}

// Those that come, behind them.
static scree_status take_inserted(const change* c)
{
    scree_sim* sim = c->sim;
    scree_spheres s = c->spheres;
    const scree_sim_each* each = &c->each;
    scree_sim_def plain = sim->def;
    plain.each = each;
    for (int32_t i = 0; i < s.count; ++i) {
        int32_t at = sim->n - s.count + i;
        double square = 0.0;
        if (sim_ask(sim, i, s.count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        for (int k = 0; k < sim->dim; ++k) {
            int64_t e = (int64_t)i * sim->dim + k;
            sim->x[at][k] = s.x[e];
            sim_at(sim->v, at)[k] = c->v != NULL ? c->v[e] : 0.0;
            if (each->force != NULL)
                sim->force[at][k] = each->force[e];
            square += sim_at(sim->v, at)[k] * sim_at(sim->v, at)[k];
        }
        if (each->material != NULL)
            sim->material[at] = each->material[i];
        if (each->group != NULL)
            sim->group[at] = each->group[i];
        if (sim->flags != NULL)
            sim->flags[at] = is_fixed(each->fixed, i);
        bool fixed = is_fixed(each->fixed, i);
        sim->x[at][3] = s.r[i];
        sim_at(sim->v, at)[3] = fixed ? 0.0 : 1.0 / sim_mass_of(&plain, s, i);
        for (int k = 0; k < 3 && sim->w.at != NULL && each->spin != NULL; ++k)
            sim_at(sim->w, at)[k] = each->spin[3 * (int64_t)i + k];
        if (sim->w.at != NULL)
            sim_at(sim->w, at)[3] = fixed ? 0.0 : 1.0 / sim_inertia_of(&plain, s, i);
        if (sim->held != NULL) {
            sim->held[at][0] = 1.0 / sim_mass_of(&plain, s, i);
            sim->held[at][1] = sim->w.at != NULL ? 1.0 / sim_inertia_of(&plain, s, i) : 0.0;
        }
        if (sim->before != NULL)
            memcpy(sim->before[at], sim->x[at], sizeof sim->before[at]);
        external_inserted(sim, at);
        sim->id[at] = each->id != NULL ? each->id[i] : c->first + i;
        sim->speed = fmax(sim->speed, sqrt(square));
    }
    return SCREE_OK;
}

// Names and rows, where ids have gaps: both the old ids and those that come rise. MEMORY
static scree_status number_rows(const change* c, const saved* old)
{
    scree_sim* sim = c->sim;
    int32_t inserted = c->spheres.count, stay = sim->n - inserted, row = 0;
    int64_t highest = -1;
    for (int32_t i = 0; i < sim->n; ++i)
        highest = sim->id[i] > highest ? sim->id[i] : highest;
    sim->flow.next_id = highest + 1 > sim->flow.next_id ? highest + 1 : sim->flow.next_id;
    if (highest + 1 == sim->n)
        return SCREE_OK;
    sim->traits |= SIM_GAPS;
    sim->names = scree_malloc((size_t)sim->n, sizeof *sim->names);
    if (sim->names == NULL || sim_arrays_make(sim) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    // By old row, the ranks that stay; then one walk along the two.
    const int32_t* rank_of = sim->rank_of;
    int32_t next = 0;
    for (int32_t e = 0; e < old->n || next < inserted;) {
        int32_t rank = e < old->n ? c->to[rank_of[e]] : INT32_MAX;
        if (rank < 0) {
            ++e;
            continue;
        }
        if (e >= old->n || (next < inserted && sim->id[stay + next] < sim->id[rank]))
            rank = stay + next++;
        else
            ++e;
        sim->names[row] = sim->id[rank];
        sim->row[rank] = row++;
    }
    return SCREE_OK;
}

// Numbers of all spheres that there are and have been; mass 0: it is fixed.
static void count_extremes(scree_sim_numbers* n, double r, double mass)
{
    n->radius_min = n->radius_min > 0.0 ? fmin(n->radius_min, r) : r;
    n->radius_max = fmax(n->radius_max, r);
    if (mass > 0.0) {
        n->mass_min = n->mass_min > 0.0 ? fmin(n->mass_min, mass) : mass;
        n->mass_max = fmax(n->mass_max, mass);
    }
}

// How many fixed ones and giants there are, and what all weigh: a sum that does not depend on the order.
static void count_kinds(scree_sim* sim, double duration)
{
    scree_sim_numbers* n = &sim->numbers;
    sim_total all = {.word = {0}};
    n->fixed = n->giant_count = 0;
    n->contact_duration = fmin(n->contact_duration, duration);
    for (int32_t i = 0; i < sim->n; ++i) {
        bool fixed = is_fixed(sim->flags, i);
        double mass = fixed ? 0.0 : 1.0 / sim_at(sim->v, i)[3];
        n->fixed += fixed;
        n->giant_count += sim->x[i][3] >= n->giant_radius;
        total_add(&all, mass);
        count_extremes(n, sim->x[i][3], mass);
    }
    n->mass = total_value(&all);
}

static scree_status make_new(change* c, const saved* old)
{
    scree_sim* sim = c->sim;
    const scree_sim_each* each = &c->each;
    int32_t words = sim->law.row.words;
    sim->n = (int32_t)(old->n - c->remove + c->spheres.count);
    sim->blocks = ((int64_t)sim->n + sim_block - 1) / sim_block;
    bool fixed = false;
    for (int32_t i = 0; i < c->spheres.count && !fixed; ++i)
        fixed = is_fixed(each->fixed, i);
    sim->traits = (old->traits & ~(unsigned)SIM_GAPS) | (each->material != NULL ? SIM_MATERIALS : 0u) | (each->group != NULL ? SIM_GROUPS : 0u) | (fixed ? SIM_FLAGS : 0u) |
                  (each->force != NULL ? SIM_FORCES : 0u);
    scree_status status = sim_arrays_make(sim);
    if (status == SCREE_OK)
        status = bonds_copy(sim, &old->bonds, c->to);
    if (status == SCREE_OK)
        status = take_rest(c, old);
    if (status != SCREE_OK)
        return status;
    for (int32_t i = 0; i < sim->n - c->spheres.count && sim->held != NULL && (old->traits & SIM_FLAGS) == 0; ++i) {  // as they are: free
        sim->held[i][0] = sim_at(sim->v, i)[3];
        sim->held[i][1] = sim->w.at != NULL ? sim_at(sim->w, i)[3] : 0.0;
    }
    if (take_inserted(c) != SCREE_OK)
        return SCREE_ERR_CANCELLED;
    count_kinds(sim, c->duration);
    sim->numbers.longest_time_step = fmin(sim->numbers.longest_time_step, c->longest);
    if (number_rows(c, old) != SCREE_OK || sim_room_make(sim) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    sim->lists.own = scree_calloc((size_t)sim->blocks + 1, sizeof *sim->lists.own);
    sim->lists.wall_first = scree_calloc((size_t)sim->blocks + 1, sizeof *sim->lists.wall_first);
    if (sim->lists.own == NULL || sim->lists.wall_first == NULL || take_kept(c, &old->pairs, false, words, &sim->memory.kept_pairs) != SCREE_OK ||
        take_kept(c, &old->walls, true, words, &sim->memory.kept_walls) != SCREE_OK || take_kept(c, &old->surfaces, true, words + surface_words, &sim->memory.kept_surfaces) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (sim->surfaces.count > 0 && surfaces_make_room(sim) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    status = sim_ask(sim, 0, 1);
    if (status == SCREE_OK && sim->threads != old->threads)
        status = scree_candidates_set_threads(sim->lists.near, sim->threads);
    if (status == SCREE_OK)
        status = sim_order_renew(sim);
    if (status == SCREE_OK)
        status = sim_settle(sim, true, false);
    return status;
}

// Accelerations of spheres that nothing has happened to are what they were; with position Verlet the others get places before from which their velocities follow.
// `marks` by new rank; `came_from` by id.
static void keep_accelerations(const change* c, const saved* old, const uint8_t* marks, const int32_t* came_from)
{
    scree_sim* sim = c->sim;
    const double(*a)[4] = NULL;
    sim_rows turn = sim->wp_next;  // laid out as before
    for (int k = 0; k < sim_array_count; ++k) {
        if (sim_arrays[k].at == offsetof(scree_sim, other))
            a = old->arrays[k];
        if (sim_arrays[k].at == offsetof(scree_sim, wp_next))
            turn.at = old->arrays[k];
    }
    double half = 0.5 * sim->numbers.time_step, whole = sim->numbers.time_step;
    for (int32_t i = 0; i < sim->n; ++i) {
        int32_t from = came_from[sim_row(sim, i)];
        bool goes_on = from >= 0 && (c->marks[from] & 2) == 0 && (marks[i] & 2) == 0;
        if (goes_on)
            memcpy(sim->other[i], a[from], 3 * sizeof(double));
        if (goes_on && turn.at != NULL)
            memcpy(sim_at(sim->wp_next, i), sim_at(turn, from), 3 * sizeof(double));
        for (int k = 0; k < 3 && sim->before != NULL && !goes_on; ++k)
            sim->before[i][k] = sim->x[i][k] - whole * (sim_at(sim->v, i)[k] - half * sim->other[i][k]);
    }
}

static void free_change(change* c)
{
    scree_free(c->marks);
    scree_free(c->to);
    scree_free(c->limits);
}

// All is checked, and `kept` is out of the slots.
static scree_status exchange(change* c)
{
    scree_sim* sim = c->sim;
    int32_t stay = (int32_t)(sim->n - c->remove), n = stay + c->spheres.count, to = 0;
    sim_energy gone = {0.0, 0.0, 0.0}, come = {0.0, 0.0, 0.0};
    if (c->remove > 0)
        sim_energy_of(sim, c->marks, &gone);
    for (int32_t i = 0; i < sim->n; ++i) {
        c->to[i] = (c->marks[i] & 1) != 0 ? -1 : to++;
        c->touched = c->touched || c->marks[i] == 2;
    }
    if (scree_watch_own("sim", 0, 1) != SCREE_OK)
        return SCREE_ERR_CANCELLED;
    uint8_t* marks = scree_calloc((size_t)n, 1);
    int32_t* came_from = scree_malloc((size_t)n, sizeof *came_from);
    saved old;
    if (marks == NULL || came_from == NULL || memory_keep(sim) != SCREE_OK) {
        scree_free(marks);
        scree_free(came_from);
        return SCREE_ERR_MEMORY;
    }
    double bonds_next = sim->bonds.dissipated_next;
    save(sim, &old);
    sim->hears = true;
    scree_status status = make_new(c, &old);
    sim->hears = false;
    if (status != SCREE_OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", scree_error_message());
        sim_room_free(sim);
        put_back(sim, &old);
        if (sim->law.row.words > 0)
            sim->memory.kept = true;
        (void)scree_candidates_set_threads(sim->lists.near, sim->threads);
        sim->failed = lists_ready(sim, true) != SCREE_OK;
        sim->bonds.dissipated_next = bonds_next;
        scree_free(marks);
        scree_free(came_from);
        return status == SCREE_ERR_MEMORY ? status : scree_fail(status, "%s", message);
    }
    memset(came_from, 0xff, (size_t)n * sizeof *came_from);
    for (int32_t e = 0, row = 0; e < old.n; ++e) {  // by old row; those that come have rows in between
        int32_t rank = sim->rank_of[e];
        if (c->to[rank] < 0)
            continue;
        int64_t id = old.names != NULL ? old.names[e] : e;
        while (sim_id_of(sim, row) != id)
            ++row;
        came_from[row] = rank;
    }
    for (int32_t i = 0; i < n; ++i)
        marks[i] = came_from[sim_row(sim, i)] < 0;
    if (c->spheres.count > 0)
        sim_energy_of(sim, marks, &come);
    for (int32_t i = 0; i < n; ++i)
        c->touched = c->touched || marks[i] == 2;
    keep_accelerations(c, &old, marks, came_from);
    sim->bonds.dissipated_next = bonds_next;
    if (!c->touched)  // what the next step adds first comes from contacts, and these are the same
        memcpy(sim->account + sim_accounts, old.account + sim_accounts, sim_accounts * sizeof *sim->account);
    scree_free(marks);
    scree_free(came_from);

    scree_sim_flow* flow = &sim->flow;
    flow->inserted += c->spheres.count;
    flow->removed += c->remove;
    flow->mass_inserted += come.mass;
    flow->mass_removed += gone.mass;
    flow->energy_inserted += come.energy;
    flow->energy_removed += gone.energy;
    flow->gravity_inserted += come.gravity;
    flow->gravity_removed += gone.gravity;
    struct limit* limits = sim->limits.of;
    sim->limits.of = c->limits;
    c->limits = limits;
    scree_sim_overlaps found = sim->watch.found;
    sim_watch_begin(sim);
    sim->watch.found = found;
    sim->watch.slack = 0.0;

    saved fresh;  // to free the old
    save(sim, &fresh);
    put_back(sim, &old);
    sim_room_free(sim);
    put_back(sim, &fresh);
    return SCREE_OK;
}

// ---- By the parts of a simulation --------------------------------------------------------------------------------------------

// Columns that no sphere has had are made in the whole.
static bool can_be_there(const change* c)
{
    const scree_sim* sim = c->sim;
    const scree_sim_each* each = &c->each;
    unsigned wanted = (each->material != NULL ? SIM_MATERIALS : 0u) | (each->group != NULL ? SIM_GROUPS : 0u) | (each->force != NULL ? SIM_FORCES : 0u);
    for (int32_t i = 0; i < c->spheres.count && (wanted & SIM_FLAGS) == 0; ++i)
        wanted |= is_fixed(each->fixed, i) ? SIM_FLAGS : 0u;
    return (sim->traits & wanted) == wanted;
}

static int by_id(const void* a, const void* b)
{
    const int64_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static scree_status exchange_there(change* c, const int64_t* ids)
{
    scree_sim* sim = c->sim;
    size_t go = (size_t)c->remove, come = (size_t)c->spheres.count;
    int64_t* sorted = scree_malloc(go + come + 1, sizeof *sorted);
    if (sorted == NULL)
        return SCREE_ERR_MEMORY;
    if (go > 0)
        memcpy(sorted, ids, go * sizeof *sorted);
    if (go > 1)
        qsort(sorted, go, sizeof *sorted, by_id);
    for (size_t i = 0; i < come; ++i)
        sorted[go + i] = c->each.id != NULL ? c->each.id[i] : c->first + (int64_t)i;
    const sim_exchange given = {.remove = c->remove, .ids = sorted, .spheres = c->spheres, .v = c->v, .each = &c->each, .come = sorted + go, .duration = c->duration, .longest = c->longest};
    scree_status status = sim->keeper->exchange(sim->kept_by, &given);
    scree_free(sorted);
    if (status != SCREE_OK)
        return status;
    struct limit* limits = sim->limits.of;
    sim->limits.of = c->limits;
    c->limits = limits;
    return SCREE_OK;
}

void sim_exchange_insert(scree_sim* part, const sim_exchange* given)
{
    change c = {.sim = part, .spheres = given->spheres, .v = given->v, .each = *given->each};
    int32_t first = part->n - given->spheres.count;
    for (int a = 0; a < sim_array_count; ++a) {
        char* items = sim_items(part, sim_arrays[a].at);
        size_t step = sim_step_of(part, sim_arrays[a].at, sim_arrays[a].bytes, sim_arrays[a].rows);
        for (int32_t i = first; i < part->n && items != NULL; ++i)
            memset(items + (size_t)i * step, 0, sim_arrays[a].bytes);
    }
    c.each.id = given->come;
    take_inserted(&c);
}

// Names of a simulation whose parts have the spheres. MEMORY
static scree_status name_there(scree_sim* sim, const sim_exchange* given)
{
    int64_t n = (int64_t)sim->n - given->remove + given->spheres.count, at = 0, gone = 0, come = 0;
    int64_t* names = scree_malloc((size_t)n + 1, sizeof *names);
    if (names == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t row = 0; row <= sim->n; ++row) {
        int64_t id = row < sim->n ? sim_id_of(sim, row) : INT64_MAX;
        for (; come < given->spheres.count && given->come[come] <= id; ++come)  // one that goes may come back
            names[at++] = given->come[come];
        if (gone < given->remove && given->ids[gone] == id)
            ++gone;
        else if (row < sim->n)
            names[at++] = id;
    }
    int64_t end = n > 0 ? names[n - 1] + 1 : 0;
    sim->flow.next_id = end > sim->flow.next_id ? end : sim->flow.next_id;
    scree_free(sim->names);
    sim->names = names;
    sim->traits |= SIM_GAPS;
    if (end == n) {
        scree_free(names);
        sim->names = NULL;
        sim->traits &= ~(unsigned)SIM_GAPS;
    }
    sim->n = (int32_t)n;
    sim->blocks = (n + sim_block - 1) / sim_block;
    return SCREE_OK;
}

scree_status sim_exchange_count(scree_sim* whole, const sim_exchange* given, const sim_look* gone, int32_t giants)
{
    scree_spheres s = given->spheres;
    scree_sim_def plain = whole->def;
    double* masses = scree_malloc((size_t)s.count + 1, sizeof *masses);
    if (masses == NULL || name_there(whole, given) != SCREE_OK) {
        scree_free(masses);
        return SCREE_ERR_MEMORY;
    }
    scree_sim_numbers* n = &whole->numbers;
    plain.each = given->each;
    n->giant_count = giants;
    n->fixed -= (int32_t)gone->counts[MARKED_FIXED];
    n->contact_duration = fmin(n->contact_duration, given->duration);
    n->longest_time_step = fmin(n->longest_time_step, given->longest);
    for (int32_t i = 0; i < s.count; ++i) {
        bool fixed = is_fixed(given->each->fixed, i);
        double inverse = 1.0 / sim_mass_of(&plain, s, i);
        masses[i] = fixed ? 0.0 : 1.0 / inverse;  // as the sphere has it
        n->fixed += fixed;
        count_extremes(n, s.r[i], masses[i]);
    }
    n->mass = sim_marked_rest(gone, s.count, masses);
    scree_free(masses);
    scree_sim_flow* flow = &whole->flow;
    flow->inserted += s.count;
    flow->removed += given->remove;
    if (given->remove > 0) {
        sim_energy energy;
        sim_energy_from(gone->totals, &energy);
        flow->mass_removed += energy.mass;
        flow->energy_removed += energy.energy;
        flow->gravity_removed += energy.gravity;
    }
    return SCREE_OK;
}

scree_status scree_sim_exchange(scree_sim* sim, int64_t count, const int64_t* ids, scree_spheres spheres, const double* v, const scree_sim_each* each, int64_t* first)
{
    SCREE_NEED(sim);
    if (first != NULL)
        *first = -1;
    if (count > 0)
        SCREE_NEED(ids);
    change c = {.sim = sim, .spheres = spheres, .v = v, .each = scree_default_sim_each(), .first = sim->flow.next_id, .duration = INFINITY, .longest = INFINITY};
    scree_status status = sim->hollow ? sim_check_known(sim) : sim_check_still(sim);
    if (status == SCREE_OK && (count < 0 || count > sim->n || spheres.count < 0))
        status = scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId64 " of %" PRId32 " spheres to remove and %" PRId32 " to insert; expected counts of 0 or more, and no more to remove than there are", count, sim->n, spheres.count);
    if (status == SCREE_OK && sim->numbers.bond_count > 0 && count > 0)
        status = scree_fail(SCREE_ERR_UNSUPPORTED, "sim: %" PRId64 " bonds; expected none in a simulation from which spheres are removed", sim->numbers.bond_count);
    if (status == SCREE_OK)
        status = cell_reject(sim, "spheres that come or go");
    if (status == SCREE_OK && each != NULL) {
        status = scree_check_struct_size("sim", "scree_default_sim_each", each->struct_size, offsetof(scree_sim_each, spin), sizeof c.each);
        if (status == SCREE_OK)
            memcpy(&c.each, each, each->struct_size);
    }
    if (status != SCREE_OK || (count == 0 && spheres.count == 0))
        return status;
    if (sim->hollow && !can_be_there(&c))
        status = sim_check_still(sim);
    if (status != SCREE_OK)
        return status;
    const bool there = sim->hollow;
    c.marks = scree_calloc((size_t)sim->n + 1, 1);
    c.to = there ? NULL : scree_malloc((size_t)sim->n + 1, sizeof *c.to);
    c.limits = scree_malloc((size_t)sim->limits.materials, sizeof *c.limits);
    if (c.marks == NULL || (!there && c.to == NULL) || c.limits == NULL || (!there && SCREE_RESERVE(sim->rank_of, sim->rank_of_capacity, sim->n) != SCREE_OK))
        status = SCREE_ERR_MEMORY;
    for (int32_t rank = 0; rank < sim->n && status == SCREE_OK && !there; ++rank)
        sim->rank_of[sim_row(sim, rank)] = rank;
    if (status == SCREE_OK) {
        memcpy(c.limits, sim->limits.of, (size_t)sim->limits.materials * sizeof *c.limits);
        status = mark_removed(&c, count, ids);
    }
    if (status == SCREE_OK)
        status = check_inserted(&c);
    if (status == SCREE_OK)
        status = there ? exchange_there(&c, ids) : exchange(&c);
    if (status == SCREE_OK && first != NULL && spheres.count > 0)
        *first = c.each.id != NULL ? c.each.id[0] : c.first;
    free_change(&c);
    return status;
}

scree_status scree_sim_insert(scree_sim* sim, scree_spheres spheres, const double* v, const scree_sim_each* each, int64_t* first)
{
    SCREE_NEED(sim);
    return scree_sim_exchange(sim, 0, NULL, spheres, v, each, first);
}

scree_status scree_sim_remove(scree_sim* sim, int64_t count, const int64_t* ids)
{
    SCREE_NEED(sim);
    if (count > 0)
        SCREE_NEED(ids);
    return scree_sim_exchange(sim, count, ids, (scree_spheres){0}, NULL, NULL, NULL);
}

double scree_sim_clearance(const scree_sim* sim, const double* x)
{
    SCREE_NEED_OR(sim, NAN);
    SCREE_NEED_OR(x, NAN);
    double centre[3] = {0.0, 0.0, 0.0}, least = INFINITY;
    memcpy(centre, x, (size_t)sim->dim * sizeof *centre);
    sim_boundaries_at(sim, sim->step, sim->boundaries_now);
    for (int32_t b = 0; b < sim->boundary_count; ++b) {
        boundary_point seen;
        if (!sim->boundaries_now[b].present)
            continue;
        boundary_surface(&sim->boundaries_now[b], centre, &seen);
        least = fmin(least, sim->boundaries_now[b].shape != NULL ? shape_distance(sim, &sim->boundaries_now[b], centre) : seen.inside);
    }
    return least;
}
