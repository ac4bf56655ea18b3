// The steps of many ranks.
//
// A step of one process is cut where ranks must hear from each other:
//
//     ghosts                one message to each rank with which spheres are shared: positions, and velocities where the law sees them
//     forces                as in one process (part.h); those of blocks without ghosts while the messages are under way
//     integer sums          of giants and servos, if there are any; then of energies, if they are wanted
//     motion
//     the largest speed     so that all agree on when a new list is needed; with it goes whether somebody failed or wants to stop
//
// Lists end by the rule of index/candidates.c, with the two largest displacements of all ranks. The partition is renewed with the order, and where one rank has much more work
// than the others.
#include "par/sim.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "par/pairs.h"
#include "par/ranks.h"
#include "sim/runner.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct par_sim {
    par_team team;
    scree_sim* whole;         // on the process of rank 0; else NULL
    int64_t number;           // by which processes know it
    bool follows;             // the parts are what the whole was when its fingerprint was taken
    uint64_t fingerprint;
    int64_t step;
    double length;            // of a step

    double skin, limit;       // of the list, and how far two spheres may come closer
    double base[2], travelled, outside;  // the two largest displacements when they were measured, and by how much each can have grown; of walls
    double images;            // by how much images have come closer than their spheres
    double speed, wall_speed;
    double first_move;        // of two spheres together, in the first step of the list
    int64_t age;              // steps of the list
    int64_t lists;
    double imbalance;         // work of the rank that has most over the mean
    int64_t next_cut;         // list before which the partition is not renewed for that
    int64_t giants;
    int64_t* giant_ids;
    int64_t giant_capacity;
    int64_t* sums;
    int64_t sum_capacity;
    scree_bytes bytes;        // scratch: what is spread
    scree_sim** from;         // [local]: whose spheres move
    double* values;           // [local][values_each]
    int64_t* counts;          // [local][2]
    uint64_t chance;
    par_sim* next;            // of those that a process serves, or shares
    bool stop, crossed;       // what all have heard: rank 0 wants to stop; a sphere has crossed a boundary that removes it
    scree_sim_memory shown;   // what was asked for last,
    void* shown_arrays;       // and of contacts as they are shown
    const sim_keeper* keeper_before;  // of the whole, which it gets back
    void* kept_before;
};

enum { values_each = 8 };

// ---- Life ----------------------------------------------------------------------------------------------------------

static void free_team(par_sim* sim)
{
    par_team* team = &sim->team;
    for (int32_t l = 0; l < team->par->local; ++l) {
        par_rank* rank = team->rank != NULL ? &team->rank[l] : NULL;
        if (rank != NULL) {
            scree_sim_destroy(rank->sim);
            own_free(&rank->own);
            scree_free(rank->send);
            scree_free(rank->recv);
            scree_free(rank->peers);
            scree_free(rank->scratch);
            scree_free(rank->of);
            scree_free(rank->ghost);
            scree_free(rank->contacts);
        }
        for (int k = 0; k < team_posts; ++k)
            if (team->posts[k] != NULL)
                par_post_free(&team->posts[k][l]);
    }
    for (int k = 0; k < team_posts; ++k)
        scree_free(team->posts[k]);
    scree_free(team->rank);
    forest_close(&team->forest);
}

static void free_all(par_sim* sim)
{
    if (sim == NULL)
        return;
    free_team(sim);
    contacts_free(&sim->shown);
    scree_free(sim->shown_arrays);
    scree_free(sim->giant_ids);
    scree_free(sim->sums);
    scree_free(sim->bytes.data);
    scree_free(sim->from);
    scree_free(sim->values);
    scree_free(sim->counts);
    scree_free(sim);
}

// Bytes of the process of rank 0, to all. MEMORY
static scree_status spread_bytes(scree_par* par, scree_bytes* bytes)
{
    int64_t count = bytes->count;
    scree_status status = par_spread(par, &count, (int64_t)sizeof count);
    if (status == SCREE_OK && par->first > 0) {
        bytes->count = count;
        bytes->at = 0;
        bytes->status = SCREE_RESERVE(bytes->data, bytes->capacity, count + 1);
    }
    status = par_agree(par, status == SCREE_OK ? bytes->status : status);
    return status == SCREE_OK ? par_spread(par, bytes->data, count) : status;
}

static void clear_bytes(scree_bytes* bytes)
{
    bytes->count = bytes->at = 0;
    bytes->status = SCREE_OK;
}

static int32_t threads_of(const scree_par* par)
{
    int32_t share = par->here > 0 ? scree_parallel_threads(0) / par->here : par->threads;
    return share > 1 ? share : 1;
}

// Its parts, from the shell in sim->bytes.
static scree_status make_parts(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    size_t local = (size_t)par->local;
    team->rank = scree_calloc(local, sizeof *team->rank);
    sim->from = scree_calloc(local, sizeof *sim->from);
    sim->values = scree_calloc(local * values_each, sizeof *sim->values);
    sim->counts = scree_calloc(2 * local, sizeof *sim->counts);
    bool short_of = team->rank == NULL || sim->from == NULL || sim->values == NULL || sim->counts == NULL || forest_open(par->ranks, &team->forest) != SCREE_OK;
    for (int k = 0; k < team_posts && !short_of; ++k) {
        team->posts[k] = scree_calloc(local, sizeof *team->posts[k]);
        short_of = team->posts[k] == NULL;
    }
    scree_status status = short_of ? SCREE_ERR_MEMORY : SCREE_OK;
    status = par_agree(par, status);
    if (status == SCREE_OK && par->trees)
        status = forest_use_p8est(&team->forest, par);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        team->rank[l].rank = par->first + l;
        status = part_make(&sim->bytes, &team->rank[l].sim);
        if (status == SCREE_OK) {
            part_set_threads(team->rank[l].sim, threads_of(par));
            part_set_spans(team->rank[l].sim, par->here < par->ranks);  // on one machine messages are copies
        }
    }
    return status;
}

// On all processes.
static scree_status create_all(scree_par* par, scree_sim* whole, par_sim** out)
{
    par_sim* sim = scree_calloc(1, sizeof *sim);
    scree_status status = sim == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    *out = NULL;
    if (sim != NULL) {
        sim->team.par = par;
        sim->whole = whole;
        if (whole != NULL)
            status = part_shell(whole, &sim->bytes);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = spread_bytes(par, &sim->bytes);
    if (status == SCREE_OK)
        status = par_agree(par, make_parts(sim));
    if (status != SCREE_OK) {
        free_all(sim);
        return status;
    }
    *out = sim;
    return SCREE_OK;
}

void par_sim_set_chance(par_sim* sim, uint64_t seed)
{
    sim->chance = seed;
}

void par_sim_counts(const par_sim* sim, int32_t local, par_counts* out)
{
    const par_rank* rank = &sim->team.rank[local];
    *out = (par_counts){.own = rank->own_count, .shown = rank->shown, .peers = rank->peer_count, .lists = sim->lists, .inner = part_inner_blocks(rank->sim)};
    for (int32_t p = 0; p < rank->peer_count; ++p) {
        out->ghosts += rank->peers[p].recv_count;
        out->sent += rank->peers[p].send_count * (int64_t)part_bytes(rank->sim, PART_STEP);
    }
    for (int32_t i = 0; i < part_count(rank->sim); ++i)
        out->candidates += part_row_count(rank->sim, i);
}

// ---- Lists ---------------------------------------------------------------------------------------------------------

static void free_loads(const scree_par* par, forest_load* loads)
{
    for (int32_t l = 0; l < par->local && loads != NULL; ++l) {
        scree_free((void*)(uintptr_t)loads[l].key);
        scree_free((void*)(uintptr_t)loads[l].weight);
    }
    scree_free(loads);
}

// The same before anybody has spheres: as many for each.
static scree_status cut_source(par_sim* sim, const sphere_giver* giver)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    if (par->ranks == 1)
        return SCREE_OK;
    team->forest.box = *part_box(team->rank[0].sim);
    forest_load* loads = scree_calloc((size_t)par->local, sizeof *loads);
    scree_status status = par_agree(par, loads == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    if (status == SCREE_OK)
        status = hand_keys(team, giver, loads);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        scree_sort_keys((uint64_t*)(uintptr_t)loads[l].key, loads[l].count);
        for (int64_t e = 0; e <= loads[l].count; ++e)
            ((int64_t*)(uintptr_t)loads[l].weight)[e] = e * work_of_sphere;
    }
    if (status == SCREE_OK)
        status = forest_cut(&team->forest, par, loads);
    free_loads(par, loads);
    if (status == SCREE_OK && sim->chance != 0)
        status = forest_cut_by_chance(&team->forest, par, &sim->chance);
    return status;
}

// Who owns what from now on: so that all have about the same work. `from` has the spheres.
static scree_status cut(par_sim* sim, scree_sim* const* from)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    if (par->ranks == 1)
        return SCREE_OK;
    team->forest.box = *part_box(team->rank[0].sim);
    forest_load* loads = scree_calloc((size_t)par->local, sizeof *loads);
    scree_status status = loads == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        size_t n = from[l] != NULL ? (size_t)part_count(from[l]) : 0;
        uint64_t* key = scree_malloc(n + 1, sizeof *key);
        int64_t* weight = scree_malloc(n + 1, sizeof *weight);
        uint32_t* words = scree_malloc(2 * n + 1, sizeof *words);
        loads[l] = (forest_load){.key = key, .weight = weight};
        if (key == NULL || weight == NULL || words == NULL) {
            scree_free(words);
            status = SCREE_ERR_MEMORY;
            break;
        }
        for (int32_t i = 0; i < (int32_t)n; ++i)
            if (!part_is_ghost(from[l], i)) {
                key[loads[l].count] = forest_key(&team->forest, part_places(from[l])[i]);
                words[loads[l].count++] = (uint32_t)(work_of_sphere + work_of_candidate * part_row_count(from[l], i));
            }
        scree_sort_with((int64_t*)(void*)key, words, weight, words + n, loads[l].count);  // keys have 54 bits
        int64_t sum = 0;
        for (int64_t e = 0; e < loads[l].count; ++e) {
            weight[e] = sum;
            sum += words[e];
        }
        weight[loads[l].count] = sum;
        scree_free(words);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = forest_cut(&team->forest, par, loads);
    free_loads(par, loads);
    if (status == SCREE_OK && sim->chance != 0)
        status = forest_cut_by_chance(&team->forest, par, &sim->chance);
    return status;
}

// Of all ranks.
static scree_status find_work(par_sim* sim, double* out)
{
    par_team* team = &sim->team;
    for (int32_t l = 0; l < team->par->local; ++l)
        sim->counts[l] = (int64_t)team->rank[l].work;
    scree_status status = par_sum(team->par, sim->counts, 1);
    *out = (double)sim->counts[0];
    return status;
}

static int64_t bytes_of_rank(const par_team* team, int32_t local)
{
    const par_rank* rank = &team->rank[local];
    int64_t bytes = part_memory_size(rank->sim) + rank->own.capacity + rank->own.from_capacity * (int64_t)sizeof *rank->own.from + rank->own.contact_capacity +
                    rank->send_capacity * (int64_t)sizeof *rank->send + rank->recv_capacity * (int64_t)sizeof *rank->recv + rank->peer_capacity * (int64_t)sizeof *rank->peers +
                    (rank->scratch_capacity + rank->of_capacity) * (int64_t)sizeof *rank->of + rank->ghost_capacity;
    for (int k = 0; k < team_posts; ++k)
        bytes += team->posts[k][local].capacity + team->posts[k][local].mail_capacity * (int64_t)sizeof(par_mail);
    return bytes;
}

// Spheres to their owners, ghosts, a list.
static scree_status make_list(par_sim* sim, part_what what, bool others, const sphere_giver* giver)
{
    par_team* team = &sim->team;
    double begin = scree_clock();
    team->forest.box = *part_box(team->rank[0].sim);  // a cell may have moved
    scree_status status = what == PART_MOVE && !others && part_has_bonds(team->rank[0].sim) ? halo_refresh(team) : SCREE_OK;  // lengths of bonds are wanted
    for (int32_t l = 0; l < team->par->local && what == PART_MOVE; ++l)
        part_leaves(sim->from[l]);
    if (status == SCREE_OK)
        status = what == PART_START ? hand_out(team, giver) : migrate(team, others);
    if (status == SCREE_OK)
        status = halo_make(team, sim->skin);
    for (int32_t l = 0; l < team->par->local && what == PART_MOVE && status == SCREE_OK; ++l)
        part_arrives(team->rank[l].sim);
    for (int32_t l = 0; l < team->par->local && what == PART_START; ++l) {
        team->rank[l].start_bytes = status == SCREE_OK ? bytes_of_rank(team, l) : 0;
        own_free(&team->rank[l].own);  // records of all spheres; lists to come have those of a few
    }
    double all = 0.0;
    for (int32_t l = 0; l < team->par->local && status == SCREE_OK; ++l) {
        double* most = sim->values + 2 * l;
        most[0] = part_extent(team->rank[l].sim);
        most[1] = team->rank[l].work;
    }
    if (status == SCREE_OK)
        status = find_work(sim, &all);
    if (status == SCREE_OK)
        status = par_max(team->par, sim->values, 2);
    if (status != SCREE_OK)
        return status;
    sim->limit = sim->skin * (1.0 - 1e-12) - 64.0 * DBL_EPSILON * sim->values[0];
    sim->imbalance = all > 2000.0 * team->par->ranks ? sim->values[1] * team->par->ranks / all : 1.0;  // few spheres cannot be shared evenly
    sim->base[0] = sim->base[1] = sim->travelled = sim->outside = sim->images = 0.0;
    sim->age = 0;
    ++sim->lists;
    part_add_search(team->rank[0].sim, scree_clock() - begin);
    return SCREE_OK;
}

// Begins with the skin of the whole. Then it is what the parts would choose by the rule of a single process, in the mean over the spheres.
static scree_status choose_skin(par_sim* sim)
{
    enum { parts_of_skin = 1 << 16 };
    par_team* team = &sim->team;
    double move = sim->speed * sim->length;
    const double ways[2] = {sim->first_move, sim->base[0] + sim->base[1] + 2.0 * sim->travelled};
    for (int32_t l = 0; l < team->par->local && sim->age > 0; ++l) {
        double wanted = part_next_skin(team->rank[l].sim, sim->age, ways, move) / sim->skin;
        wanted = wanted > 0.25 ? fmin(wanted, 4.0) : 0.25;
        sim->counts[2 * l] = (int64_t)(wanted * parts_of_skin) * team->rank[l].own_count;
        sim->counts[2 * l + 1] = team->rank[l].own_count;
    }
    scree_status status = sim->age > 0 ? par_sum(team->par, sim->counts, 2) : SCREE_OK;
    if (status == SCREE_OK && sim->age > 0 && sim->counts[1] > 0)
        sim->skin *= (double)sim->counts[0] / (double)sim->counts[1] / parts_of_skin;
    sim->skin = fmin(sim->skin, part_skin_most(team->rank[0].sim));
    return status;
}

// The two largest displacements of all ranks: the largest, then the largest of what is left without it.
static scree_status measure_ways(par_sim* sim)
{
    par_team* team = &sim->team;
    int32_t local = team->par->local;
    double (*way)[2] = (double(*)[2])(void*)(sim->values + 2 * (size_t)local);  // values_each are more than 4
    for (int32_t l = 0; l < local; ++l) {
        part_ways(team->rank[l].sim, way[l]);
        sim->values[l] = way[l][0];
    }
    scree_status status = par_max(team->par, sim->values, 1);
    double first = sim->values[0];
    for (int32_t l = 0; l < local; ++l) {
        sim->counts[l] = way[l][0] == first;
        sim->values[l] = way[l][0] == first ? way[l][1] : way[l][0];
    }
    if (status == SCREE_OK)
        status = par_max(team->par, sim->values, 1);
    if (status == SCREE_OK)
        status = par_sum(team->par, sim->counts, 1);
    sim->base[0] = first * (1.0 + 1e-12);
    sim->base[1] = (sim->counts[0] > 1 ? first : sim->values[0]) * (1.0 + 1e-12);  // two ranks may have the same
    sim->travelled = 0.0;
    return status;
}

// Whether the list is complete for the positions of now.
static scree_status holds(par_sim* sim, bool* out)
{
    par_team* team = &sim->team;
    if (++sim->age == 1)
        sim->first_move = 2.0 * sim->speed * sim->length;
    sim->travelled += sim->speed * sim->length * (1.0 + 1e-12);
    sim->outside += sim->wall_speed * sim->length * (1.0 + 1e-12);
    sim->images += part_image_speed(team->rank[0].sim) * sim->length * (1.0 + 1e-12);
    *out = sim->base[0] + sim->base[1] + 2.0 * sim->travelled + sim->images <= sim->limit && sim->base[0] + sim->travelled + sim->outside <= sim->limit;
    if (*out)
        return SCREE_OK;
    scree_status status = measure_ways(sim);
    double soon = sim->speed * sim->length;
    *out = sim->base[0] + sim->base[1] + 4.0 * soon + sim->images <= sim->limit && sim->base[0] + 2.0 * soon + sim->outside <= sim->limit;
    return status;
}

// ---- From the whole to the parts, and back -------------------------------------------------------------------------

// What all ranks must know before the spheres come: small state, giants, skin, ends of the axes.
static scree_status spread_small(par_sim* sim, const part_source* source)
{
    scree_par* par = sim->team.par;
    scree_sim* whole = sim->whole;
    struct {
        int64_t giants;
        double skin, sides[3][2];
    } more = {.giants = 0};
    scree_status status = SCREE_OK;
    clear_bytes(&sim->bytes);
    if (whole != NULL) {
        status = part_small(whole, &sim->bytes);
        more.giants = part_ids_of_giants(whole, source, NULL);
        more.skin = source != NULL ? part_source_skin(whole, source) : part_skin(whole);
        if (source != NULL)
            part_source_sides(whole, source, more.sides);
        else
            part_sides(whole, more.sides);
        if (status == SCREE_OK && more.giants > 0)
            status = SCREE_RESERVE(sim->giant_ids, sim->giant_capacity, more.giants);
        if (status == SCREE_OK && more.giants > 0)
            part_ids_of_giants(whole, source, sim->giant_ids);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = spread_bytes(par, &sim->bytes);
    if (status == SCREE_OK)
        status = par_spread(par, &more, (int64_t)sizeof more);
    if (status == SCREE_OK && more.giants > 0) {
        status = par_agree(par, SCREE_RESERVE(sim->giant_ids, sim->giant_capacity, more.giants));
        if (status == SCREE_OK)
            status = par_spread(par, sim->giant_ids, more.giants * (int64_t)sizeof *sim->giant_ids);
    }
    sim->giants = more.giants;
    sim->skin = more.skin;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = part_follow(sim->team.rank[l].sim, &sim->bytes);
    status = par_agree(par, status);
    if (status == SCREE_OK)
        forest_lay(&sim->team.forest, part_box(sim->team.rank[0].sim), (const double(*)[2])more.sides);
    return status;
}

static scree_status scatter(par_sim* sim)
{
    par_team* team = &sim->team;
    sim->follows = false;
    scree_status status = spread_small(sim, NULL);
    if (status != SCREE_OK)
        return status;
    for (int32_t l = 0; l < team->par->local; ++l)
        sim->from[l] = team->rank[l].rank == 0 ? sim->whole : NULL;
    status = cut(sim, sim->from);
    if (status == SCREE_OK)
        status = make_list(sim, PART_START, false, &(sphere_giver){.from = sim->whole});
    sim->step = part_now(team->rank[0].sim);
    sim->length = part_step(team->rank[0].sim);
    return status;
}

// What the parts have seen: to rank 0. How many have crossed a boundary that removes them.
static scree_status gather_seen(par_sim* sim, int64_t* seen)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    par_post *out = team->posts[POST_OUT], *in = team->posts[POST_IN];
    scree_status status = SCREE_OK;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        par_post_clear(&out[l]);
        clear_bytes(&sim->bytes);
        part_seen(team->rank[l].sim, &sim->bytes);
        status = sim->bytes.status;
        if (status == SCREE_OK && team->rank[l].rank == 0) {
            status = part_see(sim->whole, &sim->bytes, seen);
            continue;
        }
        if (status == SCREE_OK)
            status = par_post_add(&out[l], 0, sim->bytes.count);
        if (status == SCREE_OK)
            status = par_post_lay(&out[l]);
        if (status == SCREE_OK)
            memcpy(out[l].mail[0].data, sim->bytes.data, (size_t)sim->bytes.count);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_send(par, out, in);
    for (int32_t m = 0; sim->whole != NULL && m < in[0].count && status == SCREE_OK; ++m) {
        scree_bytes one = {.data = in[0].mail[m].data, .count = in[0].mail[m].bytes};
        status = part_see(sim->whole, &one, seen);
    }
    return par_agree(par, status);
}

// What rank 0 collects for the whole.
typedef struct collection {
    par_sim* sim;
    own_spheres others;       // contacts and bonds only
    size_t bytes;             // of a contact
} collection;

static scree_status take_spheres(void* context, const char* records, int64_t count)
{
    const collection* c = context;
    return part_take(c->sim->whole, records, count);
}

static scree_status take_contacts(void* context, const char* records, int64_t count)
{
    collection* c = context;
    own_spheres* to = &c->others;
    if (SCREE_RESERVE(to->contact_memory, to->contact_capacity, (to->contacts + count) * (int64_t)c->bytes) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(to->contact_memory + (size_t)to->contacts * c->bytes, records, (size_t)count * c->bytes);
    to->contacts += count;
    return SCREE_OK;
}

static scree_status take_bonds(void* context, const char* records, int64_t count)
{
    collection* c = context;
    own_spheres* to = &c->others;
    if (SCREE_RESERVE(to->bond_memory, to->bond_capacity, (to->bonds + count) * (int64_t)part_bond_bytes()) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(to->bond_memory + (size_t)to->bonds * part_bond_bytes(), records, (size_t)count * part_bond_bytes());
    to->bonds += count;
    return SCREE_OK;
}

// Where it fails the parts have what they had, and the whole has no spheres.
static scree_status give_to_whole(par_sim* sim, collection* c, int32_t words, int64_t seen)
{
    part_bonds* bonds = NULL;
    scree_sim_memory memory = {0};
    scree_status status = words > 0 ? contacts_sorted(&c->others, words, scree_box_is_periodic(part_box(sim->whole)), &memory) : SCREE_OK;
    if (status == SCREE_OK)
        status = part_bonds_gather(sim->whole, c->others.bond_memory, c->others.bonds, &bonds);
    own_free(&c->others);
    if (status == SCREE_OK)
        status = part_join(sim->whole, sim->team.rank[0].sim, words > 0 ? &memory : NULL, bonds, seen);
    contacts_free(&memory);
    part_bonds_free(bonds);
    if (status == SCREE_OK)
        status = part_remove_seen(sim->whole, seen);
    if (status == SCREE_OK)
        status = part_fingerprint(sim->whole, &sim->bytes, &sim->fingerprint);
    return status;
}

static collection collection_of(par_sim* sim, bool shown, int32_t* words)
{
    *words = 0;
    scree_sim_get_law(sim->team.rank[0].sim, words);
    *words += shown ? part_shown : 0;
    return (collection){.sim = sim, .bytes = sizeof(contact_head) + (size_t)*words * sizeof(double)};
}

// All own spheres to the whole; those that were seen to cross a boundary are removed there. On all processes.
static scree_status gather(par_sim* sim, int64_t seen)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    int32_t words;
    collection c = collection_of(sim, false, &words);
    scree_status status = par_agree(par, sim->whole != NULL ? part_refill(sim->whole) : SCREE_OK);
    bool room = status == SCREE_OK;
    if (status == SCREE_OK)
        status = hand_in(team, HAND_ALL, &(slice_taker){.context = &c, .take = {take_spheres, take_contacts, take_bonds}});
    if (status == SCREE_OK && sim->whole != NULL)
        status = give_to_whole(sim, &c, words, seen);
    par_rest(par);
    status = par_agree(par, status);
    if (status != SCREE_OK && room && sim->whole != NULL && part_is_hollow(sim->whole))
        part_drop(sim->whole);
    own_free(&c.others);
    sim->follows = status == SCREE_OK && !sim->crossed;
    return status;
}

// The end of a run: the whole knows all but its spheres; and these too if some of them have to be removed. On all processes.
static scree_status finish_run(par_sim* sim)
{
    int64_t seen = 0;
    scree_status status = gather_seen(sim, &seen);
    if (status == SCREE_OK && sim->whole != NULL)
        status = part_finish(sim->whole, sim->team.rank[0].sim, &sim->bytes, sim->speed);
    status = par_agree(sim->team.par, status);
    sim->follows = status == SCREE_OK;
    return status == SCREE_OK && sim->crossed ? gather(sim, seen) : status;
}

// ---- Asked between runs: all of these on all processes --------------------------------------------------------------

static scree_status look_all(par_sim* sim, look_kind kind, const double* given, sim_look* out)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    const look_row* row = sim_look_row(kind);
    sim_look* looks = scree_calloc((size_t)par->local, sizeof *looks);
    scree_status status = looks == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = sim_look_make(team->rank[l].sim, kind, given, &looks[l]);
    int64_t words = status == SCREE_OK ? looks[0].words : 0;
    int32_t most = status == SCREE_OK ? looks[0].most_count : 0;
    int64_t* sums = status == SCREE_OK ? scree_malloc((size_t)(par->local * words) + 1, sizeof *sums) : NULL;
    double* largest = status == SCREE_OK ? scree_malloc((size_t)(par->local * most) + 1, sizeof *largest) : NULL;
    status = par_agree(par, status == SCREE_OK && (sums == NULL || largest == NULL) ? SCREE_ERR_MEMORY : status);
    if (status == SCREE_OK && row->moving && part_sees_velocities(team->rank[0].sim))
        status = halo_look(team);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        status = row->look(team->rank[l].sim, &looks[l]);
        memcpy(sums + l * words, looks[l].memory, (size_t)words * sizeof *sums);
        memcpy(largest + (int64_t)l * most, looks[l].most, (size_t)most * sizeof *largest);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK && words > 0)
        status = par_sum(par, sums, words);
    if (status == SCREE_OK && most > 0)
        status = par_max(par, largest, most);
    if (status == SCREE_OK && out != NULL) {
        memcpy(out->memory, sums, (size_t)words * sizeof *sums);
        memcpy(out->most, largest, (size_t)most * sizeof *largest);
    }
    for (int32_t l = 0; l < par->local && looks != NULL; ++l)
        sim_look_free(&looks[l]);
    scree_free(looks);
    scree_free(sums);
    scree_free(largest);
    return status;
}

static void forget_shown(par_sim* sim)
{
    contacts_free(&sim->shown);
    scree_free(sim->shown_arrays);
    sim->shown_arrays = NULL;
}

// What contacts remember, or as they are shown; valid until the next call or run.
static scree_status memory_all(par_sim* sim, bool shown)
{
    int32_t words;
    collection c = collection_of(sim, shown, &words);
    forget_shown(sim);
    if (words == 0)
        return SCREE_OK;
    scree_status status = shown && part_sees_velocities(sim->team.rank[0].sim) ? halo_look(&sim->team) : SCREE_OK;
    if (status == SCREE_OK)
        status = hand_in(&sim->team, shown ? HAND_SHOWN : HAND_MEMORY, &(slice_taker){.context = &c, .take = {take_spheres, take_contacts, take_bonds}});
    if (status == SCREE_OK && sim->whole != NULL)
        status = contacts_sorted(&c.others, words, scree_box_is_periodic(part_box(sim->whole)), &sim->shown);
    own_free(&c.others);
    return par_agree(sim->team.par, status);
}

// ---- Running -------------------------------------------------------------------------------------------------------

// The forest over all spheres where they are now, their keys if these are made anew, and the partition.
static scree_status lay_out(par_sim* sim, bool keys)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    scree_status status = SCREE_OK;
    for (int32_t l = 0; l < par->local; ++l) {
        double sides[3][2];
        part_sides(team->rank[l].sim, sides);
        for (int k = 0; k < 3; ++k) {
            sim->values[6 * l + 2 * k] = -sides[k][0];
            sim->values[6 * l + 2 * k + 1] = sides[k][1];
        }
    }
    status = par_max(par, sim->values, 6);
    if (status != SCREE_OK)
        return status;
    double sides[3][2];
    for (int k = 0; k < 3; ++k) {
        sides[k][0] = -sim->values[2 * k];
        sides[k][1] = sim->values[2 * k + 1];
    }
    for (int32_t l = 0; l < par->local && keys; ++l)
        part_keys(team->rank[l].sim, (const double(*)[2])sides);
    forest_lay(&team->forest, part_box(team->rank[0].sim), (const double(*)[2])sides);
    return cut(sim, sim->from);
}

// The order of all spheres, and the partition with it.
static scree_status renew(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_status status = halo_refresh(team);  // contacts name images of ghosts, which are wrapped too
    for (int32_t l = 0; l < team->par->local && status == SCREE_OK; ++l)
        status = part_wrap(team->rank[l].sim);
    status = par_agree(team->par, status);
    return status == SCREE_OK ? lay_out(sim, true) : status;
}

// Room for sums; who has it once does not ask again.
static scree_status reserve_sums(par_sim* sim, int64_t count)
{
    int64_t wanted = count * sim->team.par->local;
    if (wanted <= sim->sum_capacity)
        return SCREE_OK;
    return par_agree(sim->team.par, SCREE_RESERVE(sim->sums, sim->sum_capacity, wanted));
}

// Sums of all ranks, in integers.
static scree_status add_up(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    int64_t count = part_sum_count(team->rank[0].sim, sim->giants);
    if (count == 0)
        return SCREE_OK;
    scree_status status = reserve_sums(sim, count);
    if (status != SCREE_OK)
        return status;
    for (int32_t l = 0; l < par->local; ++l)
        part_get_sums(team->rank[l].sim, sim->giants, sim->giant_ids, par->ranks, sim->sums + l * count);
    status = par_sum(par, sim->sums, count);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        part_set_sums(team->rank[l].sim, sim->giants, sim->giant_ids, sim->sums + l * count);
    return status;
}

// Energies of all ranks.
static scree_status add_up_energies(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    int64_t count = part_energy_count(team->rank[0].sim);
    scree_status status = count > 0 ? reserve_sums(sim, count) : SCREE_OK;
    if (status != SCREE_OK || count == 0)
        return status;
    for (int32_t l = 0; l < par->local; ++l)
        part_get_energies(team->rank[l].sim, sim->sums + l * count);
    status = par_sum(par, sim->sums, count);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        part_set_energies(team->rank[l].sim, sim->sums + l * count);
    return status;
}

// What all ranks hear at the end of a step: the largest speeds, whether rank 0 wants to stop, whether somebody failed.
static scree_status hear(par_sim* sim, scree_status status, bool stop)
{
    par_team* team = &sim->team;
    for (int32_t l = 0; l < team->par->local; ++l) {
        double* v = sim->values + 4 * l;
        v[0] = part_speed(team->rank[l].sim);
        v[1] = part_wall_speed(team->rank[l].sim);
        v[2] = stop;
        v[3] = status != SCREE_OK;
    }
    double begin = scree_clock();
    scree_status heard = par_max(team->par, sim->values, 4);
    part_add_wait(team->rank[0].sim, scree_clock() - begin);
    if (heard == SCREE_OK && sim->values[3] > 0.0)
        heard = par_agree(team->par, status);
    sim->speed = sim->values[0];
    sim->wall_speed = sim->values[1];
    sim->stop = sim->values[2] > 0.0;
    return heard;
}

// Before the pass, which is a last one if a sphere has crossed.
static scree_status look(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_status status = SCREE_OK;
    bool removes = false;
    for (int32_t l = 0; l < team->par->local; ++l) {
        if (status == SCREE_OK && !part_is_early(team->rank[l].sim))
            status = part_go(team->rank[l].sim, sim->speed);
        sim->values[l] = (double)part_crossed(team->rank[l].sim);
        removes = part_removes(team->rank[l].sim);
    }
    sim->crossed = false;
    if (!removes)
        return status;
    status = par_agree(team->par, status);
    if (status == SCREE_OK)
        status = par_max(team->par, sim->values, 1);
    sim->crossed = status == SCREE_OK && sim->values[0] > 0.0;
    return status;
}

static int by_stub(const void* a, const void* b)
{
    const part_stub *s = *(const part_stub* const*)a, *t = *(const part_stub* const*)b;
    return part_is_before(s, t) ? -1 : part_is_before(t, s) ? 1 : 0;
}

// Each rank, with the spheres of all.
static scree_status judge_one(par_rank* me, const par_post* in, const part_stub* own, int64_t own_count)
{
    int64_t count = own_count;
    for (int32_t m = 0; m < in->count; ++m)
        count += in->mail[m].bytes / (int64_t)sizeof(part_stub);
    if (count > INT32_MAX)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "par: %" PRId64 " spheres are too many to be compared with all pairs", count);
    const part_stub** all = scree_malloc((size_t)count + 1, sizeof *all);
    if (all == NULL)
        return SCREE_ERR_MEMORY;
    count = 0;
    for (int64_t i = 0; i < own_count; ++i)
        all[count++] = &own[i];
    for (int32_t m = 0; m < in->count; ++m)
        for (int64_t e = 0; e < in->mail[m].bytes / (int64_t)sizeof(part_stub); ++e)
            all[count++] = (const part_stub*)(const void*)in->mail[m].data + e;
    if (count > 1)
        qsort(all, (size_t)count, sizeof *all, by_stub);
    scree_status status = part_judge(me->sim, (int32_t)count, all);
    scree_free(all);
    return status;
}

// The contacts of each rank against all pairs: each shows its spheres to all.
static scree_status judge(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    par_post *out = team->posts[POST_OUT], *in = team->posts[POST_IN];
    part_stub** own = scree_calloc((size_t)par->local, sizeof *own);
    int64_t* count = scree_calloc((size_t)par->local, sizeof *count);
    scree_status status = own == NULL || count == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        const scree_sim* part = team->rank[l].sim;
        own[l] = scree_malloc((size_t)part_count(part) + 1, sizeof **own);
        if (own[l] == NULL) {
            status = SCREE_ERR_MEMORY;
            break;
        }
        for (int32_t i = 0; i < part_count(part); ++i)
            if (!part_is_ghost(part, i))
                part_stub_of(part, i, &own[l][count[l]++]);
        par_post_clear(&out[l]);
        for (int32_t p = 0; p < par->ranks && status == SCREE_OK && count[l] > 0; ++p)
            if (p != team->rank[l].rank)
                status = par_post_add(&out[l], p, count[l] * (int64_t)sizeof **own);
        if (status == SCREE_OK)
            status = par_post_lay(&out[l]);
        for (int32_t m = 0; m < out[l].count && status == SCREE_OK; ++m)
            memcpy(out[l].mail[m].data, own[l], (size_t)count[l] * sizeof **own);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_send(par, out, in);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = judge_one(&team->rank[l], &in[l], own[l], count[l]);
    for (int32_t l = 0; l < par->local && own != NULL; ++l)
        scree_free(own[l]);
    scree_free(own);
    scree_free(count);
    return par_agree(par, status);
}

static scree_status step_on(par_sim* sim, bool last, bool stop)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    bool others = part_is_renewal(team->rank[0].sim), complete = false;
    for (int32_t l = 0; l < par->local; ++l)
        sim->from[l] = team->rank[l].sim;
    scree_status status = SCREE_OK, early = SCREE_OK;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = part_deform(team->rank[l].sim);
    if (status == SCREE_OK)
        status = others ? renew(sim) : holds(sim, &complete);
    if (status == SCREE_OK && !complete) {
        status = choose_skin(sim);
        if (status == SCREE_OK && !others && (sim->chance != 0 || (sim->imbalance > 1.2 && sim->lists >= sim->next_cut))) {  // it never changes the result
            sim->next_cut = sim->lists + 8;
            status = cut(sim, sim->from);
        }
        if (status == SCREE_OK)
            status = make_list(sim, PART_MOVE, others, NULL);
    } else if (status == SCREE_OK) {
        status = halo_refresh_begin(team);
        for (int32_t l = 0; l < par->local && status == SCREE_OK && early == SCREE_OK; ++l)
            early = part_pass_early(team->rank[l].sim, last, sim->speed);
        if (status == SCREE_OK)
            status = halo_refresh_end(team);
    }
    if (status == SCREE_OK && part_is_judged(team->rank[0].sim))
        status = judge(sim);
    if (status != SCREE_OK)
        return status;  // all of these have agreed
    status = early == SCREE_OK ? look(sim) : early;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = part_pass_begin(team->rank[l].sim, last || sim->crossed);
    scree_status added = add_up(sim);
    status = status == SCREE_OK ? added : status;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = part_pass_giants(team->rank[l].sim);
    added = add_up_energies(sim);
    status = status == SCREE_OK ? added : status;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = part_pass_end(team->rank[l].sim);
    return hear(sim, status, stop);
}

// The first forces of spheres that were just made. `before`: positions one step before are known.
static scree_status settle(par_sim* sim, bool before)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    scree_status status = part_is_judged(team->rank[0].sim) ? judge(sim) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = part_settle(team->rank[l].sim);
    scree_status added = add_up(sim);
    status = status == SCREE_OK ? added : status;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = part_pass_giants(team->rank[l].sim);
    added = add_up_energies(sim);
    status = status == SCREE_OK ? added : status;
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        status = part_pass_end(team->rank[l].sim);
        if (status == SCREE_OK && !before)
            part_settled(team->rank[l].sim);
    }
    return hear(sim, status, false);
}

// The parts of spheres that are not made yet, slice by slice. On all processes; `source` on that of rank 0.
static scree_status make_all(par_sim* sim, const part_source* source)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    sphere_giver giver = {.source = source, .by_id = true};
    sim->follows = false;
    scree_status status = SCREE_OK;
    if (source != NULL) {
        part_source_sides(sim->whole, source, giver.sides);
        status = part_make(&sim->bytes, &giver.from);  // these are the shell still
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = spread_small(sim, source);
    if (status == SCREE_OK)
        status = par_agree(par, giver.from != NULL ? part_follow(giver.from, &sim->bytes) : SCREE_OK);
    if (status == SCREE_OK)
        status = cut_source(sim, &giver);
    if (status == SCREE_OK)
        status = make_list(sim, PART_START, false, &giver);
    scree_sim_destroy(giver.from);
    sim->step = part_now(team->rank[0].sim);
    sim->length = part_step(team->rank[0].sim);
    for (int32_t l = 0; l < par->local; ++l)
        sim->from[l] = team->rank[l].sim;
    if (status == SCREE_OK && par->ranks > 1)  // by their work, which the first list shows
        status = cut(sim, sim->from);
    if (status == SCREE_OK && par->ranks > 1)
        status = make_list(sim, PART_MOVE, false, NULL);
    if (status == SCREE_OK)
        status = settle(sim, false);
    return status == SCREE_OK ? finish_run(sim) : status;
}

// A state whose columns the process of rank 0 has; the whole has taken the rest of it. On all processes. Where it fails, the spheres are lost.
static scree_status take_all(par_sim* sim, const rows_state* state, rows_give* give, void* context)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    sim->follows = sim->crossed = false;
    forget_shown(sim);
    rows_changed(team);
    clear_bytes(&sim->bytes);
    scree_status status = par_agree(par, sim->whole != NULL ? part_small(sim->whole, &sim->bytes) : SCREE_OK);
    if (status == SCREE_OK)
        status = spread_bytes(par, &sim->bytes);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l)
        status = part_follow_small(team->rank[l].sim, &sim->bytes);
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = hand_columns(team, state->columns, state->count, give, context);
    for (int32_t l = 0; l < par->local; ++l) {
        sim->from[l] = team->rank[l].sim;
        part_taken(team->rank[l].sim);
    }
    sim->step = part_now(team->rank[0].sim);
    sim->length = part_step(team->rank[0].sim);
    if (status == SCREE_OK)
        status = state->keyed ? lay_out(sim, false) : renew(sim);
    if (status == SCREE_OK)
        status = make_list(sim, PART_MOVE, true, NULL);
    if (status == SCREE_OK)
        status = settle(sim, state->before);
    if (status == SCREE_OK)
        status = hand_columns(team, state->results, state->count, give, context);
    for (int32_t l = 0; l < par->local && status == SCREE_OK && !state->before; ++l)
        part_settled(team->rank[l].sim);
    return status == SCREE_OK ? finish_run(sim) : status;
}

// To the step `last`, or until a sphere has crossed a boundary that removes it.
static scree_status run_piece(par_sim* sim, int64_t first, int64_t last)
{
    par_team* team = &sim->team;
    const scree_watch* watch = sim->whole != NULL ? part_tick(sim->whole) : NULL;
    double shown = scree_clock();
    for (int32_t l = 0; l < team->par->local; ++l)
        part_launch(team->rank[l].sim);
    ++sim->step;
    scree_status status = hear(sim, SCREE_OK, false);
    while (status == SCREE_OK) {
        bool end = sim->stop || sim->step >= last, wish = false;
        if (watch != NULL && watch->tick != NULL && scree_clock() - shown > 0.02) {
            wish = !watch->tick(watch->context, (double)(sim->step - first) / (double)(last - first));
            shown = scree_clock();
        }
        bool stop = sim->stop;
        status = step_on(sim, end, wish);
        if (status != SCREE_OK)
            return status;
        if (end || sim->crossed) {
            sim->stop = stop;
            break;
        }
        ++sim->step;
    }
    return status;
}

// On all processes. `fresh`: the parts begin with the whole.
static scree_status run_all(par_sim* sim, int64_t steps, bool fresh)
{
    scree_status status = SCREE_OK;
    forget_shown(sim);
    rows_changed(&sim->team);
    for (int64_t first = -1, last = 0;;) {
        if (fresh)
            status = scatter(sim);
        if (first < 0) {
            first = sim->step;
            last = first + steps;
        }
        if (status == SCREE_OK)
            status = par_agree(sim->team.par, sim->whole != NULL ? part_begin(sim->whole) : SCREE_OK);
        if (status == SCREE_OK)
            status = run_piece(sim, first, last);
        if (status == SCREE_OK)
            status = finish_run(sim);
        fresh = true;
        if (status != SCREE_OK || sim->step >= last || sim->stop)
            break;
    }
    if (status == SCREE_OK && sim->stop && sim->whole != NULL)
        return scree_fail(SCREE_ERR_CANCELLED, "stopped on request after step %" PRId64, sim->step);
    if (status != SCREE_OK)
        sim->follows = false;
    return status;
}

// ---- Plans ---------------------------------------------------------------------------------------------------------

enum { share_numbers = 7 };

// On all processes.
static scree_status share_all(par_sim* sim, scree_sim_plan* out)
{
    scree_par* par = sim->team.par;
    scree_status status = scatter(sim);
    if (status != SCREE_OK)
        return status;
    int64_t (*sum)[share_numbers] = scree_malloc((size_t)par->local, sizeof *sum);
    double (*most)[share_numbers] = scree_malloc((size_t)par->local, sizeof *most);
    status = par_agree(par, sum == NULL || most == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        par_counts has;
        par_sim_counts(sim, l, &has);
        const int64_t numbers[share_numbers] = {has.own, has.ghosts, has.peers, has.sent, has.candidates, (int64_t)sim->team.rank[l].work, sim->team.rank[l].start_bytes};
        for (int k = 0; k < share_numbers; ++k) {
            sum[l][k] = numbers[k];
            most[l][k] = (double)numbers[k];  // far below 2^53
        }
    }
    if (status == SCREE_OK)
        status = par_sum(par, *sum, share_numbers);
    if (status == SCREE_OK)
        status = par_max(par, *most, share_numbers);
    if (status == SCREE_OK) {
        *out = (scree_sim_plan){.ranks = par->ranks};
        scree_sim_share* to[2] = {&out->sum, &out->most};
        for (int k = 0; k < 2; ++k) {
            int64_t n[share_numbers];
            for (int e = 0; e < share_numbers; ++e)
                n[e] = k == 0 ? sum[0][e] : (int64_t)most[0][e];
            *to[k] = (scree_sim_share){.own = n[0], .ghosts = n[1], .peers = n[2], .sent = n[3], .candidates = n[4], .work = n[5], .bytes = n[6]};
        }
    }
    scree_free(sum);
    scree_free(most);
    return status;
}

// ---- Who does what -------------------------------------------------------------------------------------------------

typedef enum task { TASK_END, TASK_CREATE, TASK_DESTROY, TASK_RUN, TASK_SHARE, TASK_PAIRS, TASK_FETCH, TASK_LOOK, TASK_ROWS, TASK_MEMORY, TASK_MAKE, TASK_TAKE } task;

typedef struct order {
    int64_t task, number, steps, fresh;
    uint64_t chance;
    int64_t kind;              // of a look
    double given[look_given];
    rows_wish rows;
    rows_state state;
} order;

// Process 0 may be busy with other work for long.
static scree_status hear_order(scree_par* par, order* what)
{
    par_rest(par);
    return par_spread(par, what, (int64_t)sizeof *what);
}

static scree_status give_order(scree_par* par, order what)
{
    return hear_order(par, &what);
}

static scree_status fetch(void* keeper)
{
    par_sim* sim = keeper;
    scree_status status = give_order(sim->team.par, (order){.task = TASK_FETCH, .number = sim->number});
    return status == SCREE_OK ? gather(sim, 0) : status;
}

static scree_status look_over(void* keeper, look_kind kind, sim_look* look)
{
    par_sim* sim = keeper;
    order what = {.task = TASK_LOOK, .number = sim->number, .kind = kind};
    memcpy(what.given, look->given, sizeof what.given);
    scree_status status = give_order(sim->team.par, what);
    return status == SCREE_OK ? look_all(sim, kind, look->given, look) : status;
}

static scree_status get_rows(void* keeper, const rows_wish* wish, rows_take* take, void* context)
{
    par_sim* sim = keeper;
    scree_status status = give_order(sim->team.par, (order){.task = TASK_ROWS, .number = sim->number, .rows = *wish});
    return status == SCREE_OK ? hand_rows(&sim->team, wish, take, context) : status;
}

static scree_status get_memory(void* keeper, scree_sim_memory* out)
{
    par_sim* sim = keeper;
    scree_status status = give_order(sim->team.par, (order){.task = TASK_MEMORY, .number = sim->number});
    if (status == SCREE_OK)
        status = memory_all(sim, false);
    if (status == SCREE_OK)
        *out = sim->shown;
    return status;
}

// The arrays of contacts, of those that were gathered.
static scree_status get_contacts(void* keeper, scree_sim_contacts* out)
{
    par_sim* sim = keeper;
    scree_status status = give_order(sim->team.par, (order){.task = TASK_MEMORY, .number = sim->number, .fresh = 1});
    if (status == SCREE_OK)
        status = memory_all(sim, true);
    const scree_sim_memory* all = &sim->shown;
    const size_t count = (size_t)all->count + 1, words = (size_t)all->words - part_shown;
    if (status == SCREE_OK)
        sim->shown_arrays = scree_malloc(count * (13 + words), sizeof(double) + 1);  // and a byte for each that slides
    if (status == SCREE_OK && sim->shown_arrays == NULL)
        status = SCREE_ERR_MEMORY;
    if (status != SCREE_OK)
        return status;
    double (*normal)[3] = sim->shown_arrays, (*force)[3] = normal + count, (*tangential)[3] = force + count, (*torque)[3] = tangential + count;
    double *overlap = torque[count], *memory = overlap + count;
    uint8_t* sliding = (uint8_t*)(memory + words * count);
    *out = (scree_sim_contacts){.count = all->count, .ij = all->ij, .shift = all->shift, .overlap = overlap, .normal = (const double(*)[3])normal, .force = (const double(*)[3])force, .words = (int32_t)words};
    for (int64_t c = 0; c < all->count; ++c) {
        const double* from = all->values + c * all->words;
        overlap[c] = from[0];
        memcpy(normal[c], from + 1, sizeof normal[c]);
        memcpy(force[c], from + 4, sizeof force[c]);
        memcpy(tangential[c], from + 7, sizeof tangential[c]);
        memcpy(torque[c], from + 10, sizeof torque[c]);
        sliding[c] = from[13] != 0.0;
        memcpy(memory + (size_t)c * words, from + part_shown, words * sizeof *memory);
        out->pair_count += all->ij[c][1] >= 0;
    }
    scree_free((void*)(uintptr_t)all->values);
    sim->shown.values = NULL;
    unsigned has = part_contact_arrays(sim->whole);
    out->memory = words > 0 ? memory : NULL;
    out->tangential = (has & PART_SLIDES) != 0 ? (const double(*)[3])tangential : NULL;
    out->sliding = (has & PART_SLIDES) != 0 ? sliding : NULL;
    out->torque = (has & PART_TURNS) != 0 ? (const double(*)[3])torque : NULL;
    out->feature = (has & PART_FEATURES) != 0 ? all->feature : NULL;
    return SCREE_OK;
}

// The place of a simulation among those that are served; that of NULL at their end: there is none of this number, as it could not be made.
static par_sim** place_of(par_sim** first, int64_t number)
{
    while (*first != NULL && (*first)->number != number)
        first = &(*first)->next;
    return first;
}

static scree_status take_state(void* keeper, const rows_state* state, rows_give* give, void* context)
{
    par_sim* sim = keeper;
    scree_status status = give_order(sim->team.par, (order){.task = TASK_TAKE, .number = sim->number, .state = *state});
    if (status == SCREE_OK)
        status = take_all(sim, state, give, context);
    part_give_up(sim->whole, status);
    return status;
}

// The processes have ended, and the spheres with them.
static scree_status is_over(void)
{
    return scree_fail(SCREE_ERR_ARGUMENT, "sim: other processes had its spheres, and have ended");
}

static scree_status fetch_over(void* keeper)
{
    (void)keeper;
    return is_over();
}

static scree_status look_is_over(void* keeper, look_kind kind, sim_look* look)
{
    (void)keeper;
    (void)kind;
    (void)look;
    return is_over();
}

static scree_status rows_are_over(void* keeper, const rows_wish* wish, rows_take* take, void* context)
{
    (void)keeper;
    (void)wish;
    (void)take;
    (void)context;
    return is_over();
}

static scree_status memory_is_over(void* keeper, scree_sim_memory* out)
{
    (void)keeper;
    (void)out;
    return is_over();
}

static scree_status contacts_are_over(void* keeper, scree_sim_contacts* out)
{
    (void)keeper;
    (void)out;
    return is_over();
}

static scree_status take_is_over(void* keeper, const rows_state* state, rows_give* give, void* context)
{
    (void)keeper;
    (void)state;
    (void)give;
    (void)context;
    return is_over();
}

static const sim_keeper keeper_of_none = {.take = take_is_over, .contacts = contacts_are_over, .fetch = fetch_over, .look = look_is_over, .rows = rows_are_over, .memory = memory_is_over};
static const sim_keeper keeper_of_parts = {.take = take_state, .contacts = get_contacts, .fetch = fetch, .look = look_over, .rows = get_rows, .memory = get_memory};

scree_status par_sim_check(const scree_sim* whole)
{
    return part_check(whole);
}

scree_status par_sim_create(scree_par* par, scree_sim* whole, par_sim** out)
{
    *out = NULL;
    scree_status status = par_sim_check(whole);
    if (status == SCREE_OK)
        status = give_order(par, (order){.task = TASK_CREATE, .number = par->made});
    if (status == SCREE_OK)
        status = create_all(par, whole, out);
    if (status == SCREE_OK) {
        (*out)->number = par->made++;
        (*out)->next = par->sims;
        par->sims = *out;
        part_get_keeper(whole, &(*out)->keeper_before, &(*out)->kept_before);
        part_set_keeper(whole, &keeper_of_parts, *out);
    }
    return status;
}

scree_status par_sim_make(par_sim* sim, const part_source* source)
{
    scree_status status = give_order(sim->team.par, (order){.task = TASK_MAKE, .number = sim->number, .chance = sim->chance});
    return status == SCREE_OK ? make_all(sim, source) : status;
}

void par_sim_destroy(par_sim* sim)
{
    if (sim != NULL && part_is_hollow(sim->whole) && sim->follows)
        part_give_up(sim->whole, fetch(sim));
    par_sim_forget(sim);
}

void par_sim_forget(par_sim* sim)
{
    if (sim == NULL)
        return;
    part_set_keeper(sim->whole, sim->keeper_before, sim->kept_before);
    par_sim** place = place_of(&sim->team.par->sims, sim->number);
    *place = sim->next;
    (void)give_order(sim->team.par, (order){.task = TASK_DESTROY, .number = sim->number});
    free_all(sim);
}

scree_status par_sim_run(par_sim* sim, int64_t steps)
{
    uint64_t now = 0;
    if (steps < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: steps = %" PRId64 "; expected 0 or more", steps);
    if (steps == 0)
        return SCREE_OK;
    bool hollow = part_is_hollow(sim->whole);  // then nobody can have changed it
    scree_status status = hollow ? SCREE_OK : part_fingerprint(sim->whole, &sim->bytes, &now);
    bool fresh = !hollow && (!sim->follows || now != sim->fingerprint);
    if (status == SCREE_OK)
        status = give_order(sim->team.par, (order){.task = TASK_RUN, .number = sim->number, .steps = steps, .fresh = fresh, .chance = sim->chance});
    if (status == SCREE_OK)
        status = run_all(sim, steps, fresh);
    part_give_up(sim->whole, status);
    return status;
}

scree_status par_sim_share(par_sim* sim, scree_sim_plan* out)
{
    scree_status status = give_order(sim->team.par, (order){.task = TASK_SHARE, .number = sim->number});
    return status == SCREE_OK ? share_all(sim, out) : status;
}

scree_status pairs_order(scree_par* par, pairs_wish wish)
{
    return give_order(par, (order){.task = TASK_PAIRS, .steps = wish});
}

void par_end(scree_par* par)
{
    for (par_sim* sim = par->sims; sim != NULL; sim = sim->next)
        part_set_keeper(sim->whole, &keeper_of_none, NULL);
    (void)give_order(par, (order){.task = TASK_END});
}

// Failures are told by the process of rank 0; who serves goes on. A failure to hear is the end.
scree_status par_serve(scree_par* par)
{
    par_sim *sims = NULL, *made;
    scree_par_pairs* pairs = NULL;
    scree_status status;
    order what = {.task = TASK_END};
    while ((status = hear_order(par, &what)) == SCREE_OK && what.task != TASK_END) {
        par_sim** sim = place_of(&sims, what.number);
        scree_sim_plan plan;
        if (what.task == TASK_CREATE && create_all(par, NULL, &made) == SCREE_OK) {
            made->number = what.number;
            *sim = made;
        }
        if (what.task == TASK_RUN) {
            (*sim)->chance = what.chance;
            (void)run_all(*sim, what.steps, what.fresh != 0);
        }
        if (what.task == TASK_SHARE)
            (void)share_all(*sim, &plan);
        if (what.task == TASK_MAKE)
            (void)make_all(*sim, NULL);
        if (what.task == TASK_TAKE)
            (void)take_all(*sim, &what.state, NULL, NULL);
        if (what.task == TASK_FETCH)
            (void)gather(*sim, 0);
        if (what.task == TASK_LOOK)
            (void)look_all(*sim, (look_kind)what.kind, what.given, NULL);
        if (what.task == TASK_ROWS)
            (void)hand_rows(&(*sim)->team, &what.rows, NULL, NULL);
        if (what.task == TASK_MEMORY)
            (void)memory_all(*sim, what.fresh != 0);
        if (what.task == TASK_PAIRS)
            pairs_serve(par, (pairs_wish)what.steps, &pairs);
        if (what.task == TASK_DESTROY) {
            par_sim* next = (*sim)->next;
            free_all(*sim);
            *sim = next;
        }
    }
    pairs_serve(par, PAIRS_FREE, &pairs);
    while (sims != NULL) {
        made = sims->next;
        free_all(sims);
        sims = made;
    }
    return status;
}
