// A simulation on many ranks: creation and destruction. lists.c has its lists, steps.c its steps, whole.c the transfer of spheres to the parts and back, answers.c results between runs, orders.c the orders of rank 0.
#include "par/sim_inner.h"

#include "base/array.h"
#include "base/parallel.h"

static void free_team(par_sim* sim)
{
    par_team* team = &sim->team;
    for (int32_t l = 0; par_turn(team->par, l); ++l) {
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
            scree_free(rank->by_id);
            scree_free(rank->bonds);
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

void free_all(par_sim* sim)
{
    if (sim == NULL)
        return;
    free_team(sim);
    contacts_free(&sim->shown);
    scree_free(sim->shown_arrays);
    part_bonds_free(sim->bonds);
    scree_free(sim->block_first);
    scree_free(sim->giant_ids);
    scree_free(sim->sums);
    scree_free(sim->bytes.data);
    scree_free(sim->from);
    scree_free(sim->values);
    scree_free(sim->counts);
    scree_free(sim);
}

// Bytes of the process of rank 0, to all. MEMORY
scree_status spread_bytes(scree_par* par, scree_bytes* bytes)
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

void clear_bytes(scree_bytes* bytes)
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
    par_aside(par);
    team->rank = scree_calloc(local, sizeof *team->rank);
    sim->from = scree_calloc(local, sizeof *sim->from);
    sim->values = scree_calloc(local * values_each, sizeof *sim->values);
    sim->counts = scree_calloc(2 * local, sizeof *sim->counts);
    bool short_of = team->rank == NULL || sim->from == NULL || sim->values == NULL || sim->counts == NULL || forest_open(par->ranks, &team->forest) != SCREE_OK;
    for (int k = 0; k < team_posts && !short_of; ++k) {
        team->posts[k] = scree_calloc(local, sizeof *team->posts[k]);
        short_of = team->posts[k] == NULL;
    }
    par_aside_end(par);
    scree_status status = short_of ? SCREE_ERR_MEMORY : SCREE_OK;
    status = par_agree(par, status);
    if (status == SCREE_OK && par->trees)
        status = forest_use_p8est(&team->forest, par);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
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
scree_status create_all(scree_par* par, scree_sim* whole, par_sim** out)
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
    out->candidates = part_row_count(rank->sim);
}
