// How several processes would share a simulation: its parts are made with all ranks in this process, and counted.
#include "par/sim_inner.h"

#include "base/argument.h"
#include "sim/part.h"

int64_t bytes_of_rank(const par_team* team, int32_t local)
{
    const par_rank* rank = &team->rank[local];
    int64_t bytes = part_memory_size(rank->sim) + rank->own.capacity + rank->own.from_capacity * (int64_t)sizeof *rank->own.from + rank->own.contact_capacity +
                    rank->send_capacity * (int64_t)sizeof *rank->send + rank->recv_capacity * (int64_t)sizeof *rank->recv + rank->peer_capacity * (int64_t)sizeof *rank->peers +
                    (rank->scratch_capacity + rank->of_capacity) * (int64_t)sizeof *rank->of + rank->ghost_capacity;
    for (int k = 0; k < team_posts; ++k)
        bytes += team->posts[k][local].capacity + team->posts[k][local].mail_capacity * (int64_t)sizeof(par_mail);
    return bytes;
}

enum { share_numbers = 7 };

// On all processes.
scree_status share_all(par_sim* sim, scree_sim_plan* out)
{
    scree_par* par = sim->team.par;
    scree_status status = scatter_all(sim);
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

SCREE_RESULT_OF(scree_sim_plan, scree_sim_find_plan, (scree_sim* sim, int32_t ranks, scree_sim_plan* out), (sim, ranks, out))
{
    scree_par* par;
    par_sim* shared = NULL;
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    if (ranks < 1 || ranks > SCREE_SIM_RANKS_MOST)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a plan for %d ranks; 1 to %d were expected", (int)ranks, SCREE_SIM_RANKS_MOST);
    scree_status status = part_fetch(sim);  // if other processes have its spheres
    if (status == SCREE_OK)
        status = par_alone(ranks, &par);
    if (status != SCREE_OK)
        return status;
    status = par_sim_create(par, sim, &shared);
    if (status == SCREE_OK)
        status = par_sim_share(shared, out);
    if (status == SCREE_OK)
        out->whole = part_source_size(sim, slice_size(par, part_count(sim)));
    par_sim_destroy(shared);
    par_close(par);
    return status;
}
