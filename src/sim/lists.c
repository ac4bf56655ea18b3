// Candidates for many steps: the index finds all pairs whose gap is below the skin, and these are tested at every step until two spheres
// could have become a pair that is not among them.
//
// When that is: two spheres that stand `skin` apart must move by that much together. In each pass the largest speed is known anyway, so
// most steps add one number, (largest speed) * dt, to what any sphere can have travelled. Only when twice that reaches the skin is
// every displacement looked at (the index' copy of the places is the reference), and the sum starts again from the two largest. So the
// usual step reads no reference at all. The skin is chosen by counted work from what the last list was like (index/skin.h).
//
// With the candidates come what the blocks need: where each block's rows begin, the pairs that come in from earlier blocks, and the spheres
// near each wall: nearer than the skin, since no sphere moves farther than that while the list is good.
#include "sim/sim_inner.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "index/parameters.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

// ---- Life ----------------------------------------------------------------------------------------------------------

scree_box lists_box(const scree_sim* sim)
{
    scree_box box = sim->def.box;
    for (int k = 0; k < sim->dim; ++k)
        if (!box.periodic[k]) {
            box.lower[k] = -INFINITY;
            box.upper[k] = INFINITY;
        }
    return box;
}

static double half_turn(const scree_sim* sim)
{
    double half = INFINITY;
    for (int k = 0; k < sim->dim; ++k)
        if (sim->length[k] > 0.0)
            half = fmin(half, 0.5 * sim->length[k]);
    return half;
}

scree_status lists_open(scree_sim* sim)
{
    lists* l = &sim->lists;
    scree_index_def def = sim->def.search;
    def.box = lists_box(sim);
    def.gap = 0.0;
    def.sorted = true;
    def.threads = sim->threads;
    def.watch = (scree_watch){0};
    l->widest = parameters_cell_reach(&def) - 2.0 * sim->numbers.radius_most;
    if (def.verlet_radius > 0.0)
        l->widest = l->skin = def.verlet_radius - 2.0 * sim->numbers.radius_most;
    else if (def.skin > 0.0)
        l->skin = def.skin;
    if (def.verlet_radius > 0.0 && !(l->skin > 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a verlet radius of %g loses contacts; more than the largest diameter, %g, is needed",
                          def.verlet_radius, 2.0 * sim->numbers.radius_most);
    // The list is ours: the index searches anew whenever it is asked.
    def.skin = -1.0;
    def.verlet_radius = 0.0;
    def.rebuild_every = 0;
    l->half_turn = half_turn(sim);
    l->most_skin = fmin(l->widest, l->half_turn);
    l->model.pairs = -1.0;
    l->scale = 1.0;
    scree_status status = scree_index_create(&def, &l->index);
    if (status != SCREE_OK)
        return status;
    l->own = scree_calloc((size_t)sim->blocks + 1, sizeof *l->own);
    l->in = scree_calloc((size_t)sim->blocks + 1, sizeof *l->in);
    l->near_first = scree_calloc((size_t)sim->blocks + 1, sizeof *l->near_first);
    return l->own == NULL || l->in == NULL || l->near_first == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
}

// References are scaled with the centres. Two of them that stood `skin` apart, with surfaces, or farther, then stand so far apart less what their
// centres came closer; for those that stood just there that is (1 - factor) (r_i + r_j + skin), and for others it leaves more.
void lists_scaled(scree_sim* sim, double factor)
{
    lists* l = &sim->lists;
    const double up = 1.0 + 8.0 * DBL_EPSILON;
    l->half_turn = half_turn(sim);
    l->most_skin = fmin(l->widest, l->half_turn);
    l->scale *= factor;
    if (factor < 1.0)
        l->limit -= (1.0 - factor) * (2.0 * sim->numbers.radius_most + l->skin) * up;
    for (int s = 0; s < 2; ++s)
        l->base[s] *= fmax(factor, 1.0) * up;
    l->extent *= fmax(factor, 1.0) * up;
    l->travelled = l->travelled * fmax(factor, 1.0) * up + 8.0 * DBL_EPSILON * l->extent;
    l->wall_travelled = l->wall_travelled * fmax(factor, 1.0) * up + 8.0 * DBL_EPSILON * l->extent;
}

void lists_close(lists* l)
{
    scree_index_destroy(l->index);
    scree_free(l->own);
    scree_free(l->in);
    scree_free(l->near_first);
    scree_free(l->in_ij);
    scree_free(l->in_shift);
    scree_free(l->near);
    *l = (lists){.held = false};
}

size_t lists_bytes(const lists* l)
{
    size_t bytes = (size_t)l->in_capacity * sizeof *l->in_ij + (size_t)l->in_shift_capacity * sizeof *l->in_shift +
                   (size_t)l->near_capacity * sizeof *l->near;
    return bytes + (l->index != NULL ? scree_index_get_stats(l->index).bytes : 0);
}

// ---- How far have they gone ------------------------------------------------------------------------------------------

static scree_status look_at_ways(void* context, int64_t block)
{
    const scree_sim* sim = context;
    const double (*reference)[4] = sim->lists.reference;
    double most[2] = {0.0, 0.0};  // squares
    int64_t end = (block + 1) * sim_block < sim->n ? (block + 1) * sim_block : sim->n;
    const double *lower = sim->def.box.lower, scale = sim->lists.scale;
    for (int64_t i = block * sim_block; i < end; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double from = scale == 1.0 ? reference[i][k] : lower[k] + (reference[i][k] - lower[k]) * scale;
            double way = sim->x[i][k] - from;
            if (sim->length[k] > 0.0)  // the reference is wrapped
                way -= rint(way / sim->length[k]) * sim->length[k];
            square += way * way;
        }
        double second = fmin(square, most[0]);
        most[1] = fmax(most[1], second);
        most[0] = fmax(most[0], square);
    }
    sim->told[block].way[0] = most[0];
    sim->told[block].way[1] = most[1];
    return SCREE_OK;
}

static void find_ways(scree_sim* sim, double way[2])
{
    scree_parallel_for(sim->threads, sim->blocks, look_at_ways, sim, NULL);
    way[0] = way[1] = 0.0;
    for (int64_t b = 0; b < sim->blocks; ++b)
        for (int s = 0; s < 2; ++s) {
            double one = sim->told[b].way[s], second = fmin(one, way[0]);
            way[1] = fmax(way[1], second);
            way[0] = fmax(way[0], one);
        }
    for (int s = 0; s < 2; ++s)
        way[s] = sqrt(way[s]) * (1.0 + 8.0 * DBL_EPSILON);
}

// Whether the list still holds every contact.
static bool suffices(scree_sim* sim)
{
    lists* l = &sim->lists;
    double dt = sim->numbers.step, move = sim->speed * dt * (1.0 + 8.0 * DBL_EPSILON) + 2.0 * DBL_EPSILON * l->extent, wall = 0.0;
    for (int face = 0; face < 6; ++face)
        wall = fmax(wall, fabs(sim->walls.velocity[face / 2][face % 2]));
    ++l->age;
    l->travelled += move;
    l->wall_travelled += wall * dt * (1.0 + 8.0 * DBL_EPSILON) + (wall > 0.0 ? 2.0 * DBL_EPSILON * l->extent : 0.0);
    if (l->age == 1)
        l->model.first = 2.0 * move;
    double both = l->base[0] + l->base[1] + 2.0 * l->travelled, one = l->base[0] + l->travelled + l->wall_travelled;
    if (both <= l->limit && one <= l->limit)
        return true;
    if (l->base[0] + l->travelled >= l->half_turn)
        return false;
    find_ways(sim, l->base);
    l->travelled = 0.0;
    both = l->base[0] + l->base[1];
    one = l->base[0] + l->wall_travelled;
    l->model.last = both;
    if (sim->def.search.rebuild_every > 0)  // made anew when that says so, and not before
        return both <= l->limit && one <= l->limit;
    // If it would be over in a moment, it is better over now.
    return both + 4.0 * move <= l->limit && one + 2.0 * (move + wall * dt) <= l->limit;
}

// ---- Making them ------------------------------------------------------------------------------------------------------

// Centres and radii as the index wants them, and how far from the origin they are.
static scree_status lay_open(void* context, int64_t block)
{
    const scree_sim* sim = context;
    double *x = (double*)sim->next, *r = x + (int64_t)sim->n * sim->dim;
    int64_t end = (block + 1) * sim_block < sim->n ? (block + 1) * sim_block : sim->n;
    double most[3] = {0.0, 0.0, 0.0};
    for (int64_t i = block * sim_block; i < end; ++i) {
        for (int k = 0; k < sim->dim; ++k) {
            double far = fabs(sim->x[i][k]);
            x[i * sim->dim + k] = sim_length(sim->x[i][k]);
            most[k] = fmax(most[k], far <= SCREE_LENGTH_MAX ? far : INFINITY);  // NaN too is too far
        }
        r[i] = sim->x[i][3];
    }
    memcpy(sim->told[block].most, most, sizeof most);
    return SCREE_OK;
}

static double choose_skin(scree_sim* sim)
{
    lists* l = &sim->lists;
    if (sim->def.search.skin < 0.0)
        return 0.0;
    if (sim->def.search.skin > 0.0 || sim->def.search.verlet_radius > 0.0)
        return l->skin;
    items it = {.n = sim->n, .dim = sim->dim, .r_max = sim->numbers.radius_most};
    for (int k = 0; k < sim->dim; ++k)
        it.length[k] = l->extent;
    for (int k = 0; k < sim->dim; ++k)
        if (sim->def.box.upper[k] < INFINITY && sim->def.box.lower[k] > -INFINITY)
            it.length[k] = sim->def.box.upper[k] - sim->def.box.lower[k];
    l->model.known = true;
    l->model.step = 2.0 * sim->speed * sim->numbers.step;
    double skin = skin_choose(&l->model, &it, sim->mean_radius);
    if (!(skin > 0.0))  // a sphere alone has walls at most to look for
        skin = fmax(l->model.step, (sim->n < 2 ? 1.0 : 1e-3) * sim->mean_radius);
    return fmin(skin, l->most_skin);
}

// Candidates by block: where own rows begin, and copies of those whose second sphere stands in a later block, for that block.
static scree_status deal(scree_sim* sim)
{
    lists* l = &sim->lists;
    int64_t blocks = sim->blocks;
    memset(l->own, 0, ((size_t)blocks + 1) * sizeof *l->own);
    memset(l->in, 0, ((size_t)blocks + 1) * sizeof *l->in);
    for (int64_t b = 0, low = 0; b <= blocks; ++b) {
        int64_t high = l->count;
        while (low < high) {  // the first row that is not below this block
            int64_t middle = low + (high - low) / 2;
            if (l->ij[middle][0] < b * sim_block)
                low = middle + 1;
            else
                high = middle;
        }
        l->own[b] = low;
    }
    int64_t sum = 0;
    for (int64_t b = 0; b < blocks; ++b)
        for (int64_t c = l->own[b]; c < l->own[b + 1]; ++c) {
            int64_t to = l->ij[c][1] / sim_block;
            sum += to != b;
            l->in[to] += to != b;
        }
    if (SCREE_RESERVE(l->in_ij, l->in_capacity, sum) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (sim->periodic && SCREE_RESERVE(l->in_shift, l->in_shift_capacity, sum + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t b = 0, at = 0; b <= blocks; ++b) {
        int64_t here = l->in[b];
        l->in[b] = at;
        at += here;
    }
    for (int64_t b = 0; b < blocks; ++b)
        for (int64_t c = l->own[b]; c < l->own[b + 1]; ++c) {
            int64_t to = l->ij[c][1] / sim_block;
            if (to == b)
                continue;
            int64_t at = l->in[to]++;
            memcpy(l->in_ij[at], l->ij[c], sizeof *l->ij);
            if (sim->periodic)
                memcpy(l->in_shift[at], l->shift[c], sizeof *l->shift);
        }
    for (int64_t b = blocks; b > 0; --b)
        l->in[b] = l->in[b - 1];
    l->in[0] = 0;
    return SCREE_OK;
}

typedef struct near_job {
    scree_sim* sim;
    double at[6], margin;
    bool count_only;
} near_job;

static scree_status find_near(void* context, int64_t block)
{
    const near_job* job = context;
    scree_sim* sim = job->sim;
    lists* l = &sim->lists;
    int64_t to = l->near_first[block], end = (block + 1) * sim_block < sim->n ? (block + 1) * sim_block : sim->n;
    for (int64_t i = block * sim_block; i < end; ++i)
        for (int face = 0; face < 2 * sim->dim; ++face) {
            double inside = (face & 1 ? -1.0 : 1.0) * (sim->x[i][face / 2] - job->at[face]);
            if (!(inside - sim->x[i][3] < job->margin))
                continue;
            if (!job->count_only)
                l->near[to] = (near_wall){.rank = (int32_t)i, .face = face};
            ++to;
        }
    if (job->count_only)
        l->near_first[block] = to;
    return SCREE_OK;
}

static scree_status find_near_walls(scree_sim* sim)
{
    lists* l = &sim->lists;
    near_job job = {.sim = sim, .count_only = true};
    double velocity[6];
    memset(l->near_first, 0, ((size_t)sim->blocks + 1) * sizeof *l->near_first);
    if (!sim->walled)
        return SCREE_OK;
    sim_walls_at(sim, sim->step, job.at, velocity);
    for (int face = 0; face < 2 * sim->dim; ++face)
        if (sim->def.box.periodic[face / 2])
            job.at[face] = face & 1 ? INFINITY : -INFINITY;
    job.margin = l->skin + 8.0 * DBL_EPSILON * l->extent;
    scree_parallel_for(sim->threads, sim->blocks, find_near, &job, NULL);
    int64_t sum = 0;
    for (int64_t b = 0; b <= sim->blocks; ++b) {
        int64_t here = b < sim->blocks ? l->near_first[b] : 0;
        l->near_first[b] = sum;
        sum += here;
    }
    if (SCREE_RESERVE(l->near, l->near_capacity, sum) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    job.count_only = false;
    return scree_parallel_for(sim->threads, sim->blocks, find_near, &job, NULL);
}

// A sphere is nowhere, or farther away than any length. The one with the lowest id.
static scree_status say_gone(scree_sim* sim)
{
    int32_t gone = -1, axis = 0;
    for (int32_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < sim->dim; ++k)
            if (!(fabs(sim->x[i][k]) <= SCREE_LENGTH_MAX) && (gone < 0 || sim->id[i] < sim->id[gone])) {
                gone = i;
                axis = k;
            }
    sim->failed = true;
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "sim: step %" PRId64 ": sphere %" PRId32 " has gone to %c = %g, farther than anything can be. The time step %g is too long, spheres "
                      "were too deep in each other at the start, or gravity and velocities are too large",
                      sim->step, sim->id[gone], "xyz"[axis], sim->x[gone][axis], sim->numbers.step);
}

// How far from the origin spheres are. They are wrapped only now and then and may be some boxes away; but a run in which they go round
// and round before that has come apart, and shifts could not count it.
static scree_status find_extent(scree_sim* sim)
{
    double most[3] = {0.0, 0.0, 0.0};
    for (int64_t b = 0; b < sim->blocks; ++b)
        for (int k = 0; k < 3; ++k)
            most[k] = fmax(most[k], sim->told[b].most[k]);
    sim->lists.extent = fmax(fmax(most[0], most[1]), most[2]);
    if (sim->lists.extent > SCREE_LENGTH_MAX)
        return say_gone(sim);
    for (int k = 0; k < sim->dim; ++k) {
        double far = 16.0 * sim->length[k] + fabs(sim->def.box.lower[k]);
        for (int32_t i = 0; i < sim->n && sim->length[k] > 0.0 && most[k] > far; ++i)
            if (fabs(sim->x[i][k]) == most[k]) {
                sim->failed = true;
                return scree_fail(SCREE_ERR_ARGUMENT,
                                  "sim: step %" PRId64 ": sphere %" PRId32 " has gone to %c = %g, many times through a periodic box of %g in less than "
                                  "%" PRId32 " steps. The time step %g is too long, or spheres were too deep in each other at the start",
                                  sim->step, sim->id[i], "xyz"[k], sim->x[i][k], sim->length[k], sim->def.order_every, sim->numbers.step);
            }
    }
    return SCREE_OK;
}

static scree_status make(scree_sim* sim)
{
    lists* l = &sim->lists;
    l->held = false;
    scree_parallel_for(sim->threads, sim->blocks, lay_open, sim, NULL);
    scree_status status = find_extent(sim);
    if (status != SCREE_OK)
        return status;
    double skin = choose_skin(sim);
    double* x = (double*)sim->next;
    scree_pairs pairs;
    if (l->scale != 1.0 && sim->periodic) {
        scree_box box = lists_box(sim);
        status = scree_index_set_box(l->index, &box);
    }
    if (status == SCREE_OK && skin != l->index->def.gap)
        status = scree_index_set_gap(l->index, skin);
    if (status == SCREE_OK)
        status = scree_index_update(l->index, (scree_spheres){.count = sim->n, .dim = sim->dim, .x = x, .r = x + (int64_t)sim->n * sim->dim});
    if (status == SCREE_OK)
        status = scree_index_pairs(l->index, &pairs);
    if (status != SCREE_OK)
        return status;
    l->ij = pairs.ij;
    l->shift = pairs.shift;
    l->count = pairs.count;
    l->reference = (const double(*)[4])l->index->xr;
    l->skin = skin;
    l->limit = skin - list_rounding(&l->index->it);
    l->base[0] = l->base[1] = l->travelled = l->wall_travelled = 0.0;
    l->age = 0;
    l->model.work = l->index->model.work;
    l->model.candidates = (double)l->count;
    l->model.skin = skin;
    l->scale = 1.0;
    ++l->rebuilds;
    status = deal(sim);
    if (status == SCREE_OK)
        status = find_near_walls(sim);
    l->held = status == SCREE_OK;
    return status;
}

scree_status lists_ready(scree_sim* sim, bool others)
{
    lists* l = &sim->lists;
    int32_t every = sim->def.search.rebuild_every;
    double begin = scree_clock();
    bool good = false;
    if (l->held && !others && sim->def.search.skin >= 0.0) {
        good = suffices(sim);
        if (every > 0 && l->age < every && !good)
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "sim: step %" PRId64 ": %" PRId64 " steps after the list was made, spheres have moved by %g together and the list allows %g; "
                              "rebuild_every %" PRId32 " would lose contacts",
                              sim->step, l->age, l->base[0] + l->base[1], l->limit, every);
        if (!good) {
            l->model.steps = l->age;
            l->model.pairs = (double)sim->contacts;
            skin_broke(&l->model);
        }
        good = good && (every == 0 || l->age < every);
    }
    scree_status status = good ? SCREE_OK : make(sim);
    sim->seconds_search += scree_clock() - begin;
    return status;
}
