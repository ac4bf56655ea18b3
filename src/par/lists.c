// The partition of spheres over ranks, and when a new list is made.
//
// A list is valid as in index/candidates.c, with the two largest displacements of all ranks. The partition is renewed with the order, and when one rank has much more work than the others.
#include "par/sim_inner.h"

#include "base/clock.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>

static void free_loads(scree_par* par, forest_load* loads)
{
    for (int32_t l = 0; loads != NULL && par_turn(par, l); ++l) {
        scree_free((void*)(uintptr_t)loads[l].key);
        scree_free((void*)(uintptr_t)loads[l].weight);
    }
    scree_free(loads);
}

// Loads of all local ranks, empty. MEMORY
static scree_status begin_cut(par_sim* sim, forest_load** loads)
{
    par_team* team = &sim->team;
    team->forest.box = *part_box(team->rank[0].sim);
    *loads = scree_calloc((size_t)team->par->local, sizeof **loads);
    return par_agree(team->par, *loads == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
}

// The partition follows from these loads, which are freed in any case; `status` is that of all ranks.
static scree_status end_cut(par_sim* sim, forest_load* loads, scree_status status)
{
    par_team* team = &sim->team;
    if (status == SCREE_OK)
        status = forest_cut(&team->forest, team->par, loads);
    free_loads(team->par, loads);
    if (status == SCREE_OK && sim->chance != 0)
        status = forest_cut_by_chance(&team->forest, team->par, &sim->chance);
    return status;
}

// Keys in any order; sums of weights are scratch.
static scree_status sort_load(forest_load* load)
{
    uint32_t* words = scree_calloc(2 * (size_t)load->count + 1, sizeof *words);  // not needed
    if (words == NULL)
        return SCREE_ERR_MEMORY;
    scree_sort_with((int64_t*)(void*)(uintptr_t)load->key, words, (int64_t*)(uintptr_t)load->weight, words + load->count, load->count);  // keys have 54 bits
    scree_free(words);
    return SCREE_OK;
}

scree_status cut_by_count(par_sim* sim, const sphere_giver* giver)
{
    scree_par* par = sim->team.par;
    forest_load* loads = NULL;
    if (par->ranks == 1)
        return SCREE_OK;
    scree_status status = begin_cut(sim, &loads);
    if (status == SCREE_OK)
        status = hand_keys(&sim->team, giver, loads);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        status = sort_load(&loads[l]);
        for (int64_t e = 0; e <= loads[l].count; ++e)
            ((int64_t*)(uintptr_t)loads[l].weight)[e] = e * work_of_sphere;
    }
    return end_cut(sim, loads, par_agree(par, status));
}

// Keys of own spheres, rising, and sums of their work. `from` has the spheres; NULL: there are none. MEMORY
static scree_status load_work(const par_forest* forest, scree_sim* from, forest_load* load)
{
    size_t n = from != NULL ? (size_t)part_count(from) : 0;
    uint64_t* key = scree_malloc(n + 1, sizeof *key);
    int64_t *weight = scree_malloc(n + 1, sizeof *weight), sum = 0;
    uint32_t* words = scree_malloc(2 * n + 1, sizeof *words);
    *load = (forest_load){.key = key, .weight = weight};
    if (key == NULL || weight == NULL || words == NULL) {
        scree_free(words);
        return SCREE_ERR_MEMORY;
    }
    if (from != NULL)
        part_row_counts(from, words);
    for (int32_t i = 0; i < (int32_t)n; ++i)
        if (!part_is_ghost(from, i)) {
            key[load->count] = forest_key(forest, part_places(from)[i]);
            words[load->count++] = work_of_sphere + work_of_candidate * words[i];
        }
    scree_sort_with((int64_t*)(void*)key, words, weight, words + n, load->count);  // keys have 54 bits
    for (int64_t e = 0; e < load->count; ++e) {
        weight[e] = sum;
        sum += words[e];
    }
    weight[load->count] = sum;
    scree_free(words);
    return SCREE_OK;
}

scree_status cut_by_work(par_sim* sim, scree_sim* const* from)
{
    scree_par* par = sim->team.par;
    forest_load* loads = NULL;
    if (par->ranks == 1)
        return SCREE_OK;
    scree_status status = begin_cut(sim, &loads);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = load_work(&sim->team.forest, from[l], &loads[l]);
    return end_cut(sim, loads, par_agree(par, status));
}

// Of all ranks.
static scree_status find_work(par_sim* sim, double* out)
{
    par_team* team = &sim->team;
    for (int32_t l = 0; par_turn(team->par, l); ++l)
        sim->counts[l] = (int64_t)team->rank[l].work;
    scree_status status = par_sum(team->par, sim->counts, 1);
    *out = (double)sim->counts[0];
    return status;
}

// Spheres to their owners, ghosts, a list.
scree_status make_list(par_sim* sim, part_what what, bool others, const sphere_giver* giver)
{
    par_team* team = &sim->team;
    double begin = scree_clock();
    team->forest.box = *part_box(team->rank[0].sim);  // a cell may have moved
    scree_status status = what == PART_MOVE && !others && part_has_bonds(team->rank[0].sim) ? halo_refresh(team) : SCREE_OK;  // lengths of bonds are wanted
    for (int32_t l = 0; what == PART_MOVE && giver == NULL && par_turn(team->par, l); ++l)
        part_leaves(sim->from[l]);
    if (status == SCREE_OK)
        status = what == PART_START ? hand_out(team, giver) : migrate(team, others);
    if (status == SCREE_OK && what == PART_MOVE && giver != NULL)
        status = hand_contacts(team, giver);
    if (status == SCREE_OK)
        status = halo_make(team, sim->skin);
    for (int32_t l = 0; what == PART_MOVE && giver == NULL && status == SCREE_OK && par_turn(team->par, l); ++l)
        part_arrives(team->rank[l].sim);
    for (int32_t l = 0; what == PART_START && par_turn(team->par, l); ++l)
        own_free(&team->rank[l].own);  // records of all spheres; later lists need a few
    double all = 0.0;
    for (int32_t l = 0; status == SCREE_OK && par_turn(team->par, l); ++l) {
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
    sim->imbalance = all > 2000.0 * team->par->ranks ? sim->values[1] * team->par->ranks / all : 1.0;  // few spheres do not divide evenly
    sim->base[0] = sim->base[1] = sim->travelled = sim->outside = sim->images = 0.0;
    sim->age = 0;
    ++sim->lists;
    part_add_search(team->rank[0].sim, scree_clock() - begin);
    return SCREE_OK;
}

// Begins with the skin of the whole. Then it is what the parts would choose by the rule of a single process, in the mean over the spheres.
scree_status choose_skin(par_sim* sim)
{
    enum { parts_of_skin = 1 << 16 };
    par_team* team = &sim->team;
    double move = sim->speed * sim->length;
    const double ways[2] = {sim->first_move, sim->base[0] + sim->base[1] + 2.0 * sim->travelled};
    for (int32_t l = 0; sim->age > 0 && par_turn(team->par, l); ++l) {
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
scree_status list_holds(par_sim* sim, bool* out)
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

// The forest over all current positions, keys if they are to be computed again, and the partition.
scree_status lay_forest(par_sim* sim, bool keys)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    scree_status status = SCREE_OK;
    for (int32_t l = 0; par_turn(par, l); ++l) {
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
    for (int32_t l = 0; keys && par_turn(par, l); ++l)
        part_keys(team->rank[l].sim, (const double(*)[2])sides);
    forest_lay(&team->forest, part_box(team->rank[0].sim), (const double(*)[2])sides);
    return cut_by_work(sim, sim->from);
}

// The order of all spheres, and the partition with it.
scree_status renew_order(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_status status = halo_refresh(team);  // contacts name images of ghosts, which are wrapped too
    for (int32_t l = 0; status == SCREE_OK && par_turn(team->par, l); ++l)
        status = part_wrap(team->rank[l].sim);
    status = par_agree(team->par, status);
    return status == SCREE_OK ? lay_forest(sim, true) : status;
}
