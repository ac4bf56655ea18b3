// How ranks share a simulation: spheres, ghosts, messages and memory of each rank. For a running simulation these are counts of its parts. A plan makes the parts of a given number of ranks within this process (par_alone.c) and counts them:
// the same functions distribute spheres, ghosts and messages, and the memory of each rank is what it allocated (scree_memory_measure).
#include "par/sim_inner.h"

#include "base/argument.h"
#include "sim/part.h"

enum { BYTES = 6, HELD, share_numbers };  // after the members of scree_sim_share that are not memory

// What a process has once, however many ranks it has: each process of one rank has as much.
static int64_t bytes_of_process(const par_sim* sim)
{
    return sim->bytes.capacity + (sim->giant_capacity + sim->sum_capacity / sim->team.par->local + sim->team.par->ranks) * (int64_t)sizeof(int64_t);
}

// Peaks begin again.
static void count_rank(const par_sim* sim, int32_t local, int64_t out[share_numbers])
{
    const scree_par* par = sim->team.par;
    par_counts has;
    par_sim_counts(sim, local, &has);
    const int64_t numbers[BYTES] = {has.own, has.ghosts, has.peers, has.sent, has.candidates, (int64_t)sim->team.rank[local].work};
    for (int k = 0; k < BYTES; ++k)
        out[k] = numbers[k];
    const bool first = par->first + local == 0;
    scree_meter* meter = par->meters == NULL ? NULL : first ? &par->meters[par->local] : &par->meters[local];
    int64_t more = first || meter == NULL ? 0 : bytes_of_process(sim);
    out[BYTES] = meter != NULL ? meter->peak + more : scree_memory_peak(true);
    out[HELD] = meter != NULL ? meter->held + more : scree_memory_bytes();
    if (meter != NULL)
        meter->peak = meter->held;
}

static scree_sim_share share_of(const int64_t n[share_numbers])
{
    return (scree_sim_share){.own = n[0], .ghosts = n[1], .peers = n[2], .sent = n[3], .candidates = n[4], .work = n[5], .bytes = n[BYTES]};
}

scree_status share_all(par_sim* sim, scree_sim_plan* out)
{
    enum { wide = 2 * share_numbers };
    scree_par* par = sim->team.par;
    int64_t (*sum)[wide] = scree_calloc((size_t)par->local, sizeof *sum);     // of all, and of rank 0
    double (*most)[wide] = scree_calloc((size_t)par->local, sizeof *most);    // and the least, as negative numbers
    scree_status status = par_agree(par, sum == NULL || most == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    for (int32_t l = 0; l < par->local && status == SCREE_OK; ++l) {
        int64_t numbers[share_numbers];
        count_rank(sim, l, numbers);
        for (int k = 0; k < share_numbers; ++k) {
            bool first = par->first + l == 0, counts = k < BYTES || !first || par->ranks == 1;  // memory of the first process is not like that of the others
            sum[l][k] = counts ? numbers[k] : 0;
            sum[l][share_numbers + k] = first ? numbers[k] : 0;
            most[l][k] = counts ? (double)numbers[k] : -1.0;  // far below 2^53
            most[l][share_numbers + k] = counts ? -(double)numbers[k] : -9e15;
        }
    }
    if (status == SCREE_OK)
        status = par_sum(par, *sum, wide);
    if (status == SCREE_OK)
        status = par_max(par, *most, wide);
    if (status == SCREE_OK && out != NULL) {
        int64_t tops[share_numbers], leasts[share_numbers];
        for (int k = 0; k < share_numbers; ++k) {
            tops[k] = (int64_t)most[0][k];
            leasts[k] = -(int64_t)most[0][share_numbers + k];
        }
        *out = (scree_sim_plan){.ranks = par->ranks, .sum = share_of(sum[0]), .most = share_of(tops), .least = share_of(leasts), .first = sum[0][share_numbers + BYTES],
                                .held = sum[0][HELD], .held_most = tops[HELD], .held_first = sum[0][share_numbers + HELD]};
    }
    scree_free(sum);
    scree_free(most);
    return status;
}

SCREE_RESULT_OF(scree_sim_plan, scree_sim_get_shares, (scree_sim* sim, scree_sim_plan* out), (sim, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    par_sim* shared = scree_par_get_shared() != NULL ? part_crew(sim) : NULL;
    if (shared == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: no ranks share the simulation; expected scree_par_share before it is created, and a first step");
    return par_sim_shares(shared, out);
}

SCREE_RESULT_OF(scree_sim_plan, scree_sim_find_plan, (scree_sim* sim, int32_t ranks, scree_sim_plan* out), (sim, ranks, out))
{
    scree_par* par;
    par_sim* shared = NULL;
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    if (ranks < 1 || ranks > SCREE_SIM_RANKS_MOST)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a plan for %d ranks; expected 1 to %d", (int)ranks, SCREE_SIM_RANKS_MOST);
    scree_status status = part_fetch(sim);  // if other processes have its spheres
    if (status == SCREE_OK)
        status = par_alone_measured(ranks, &par);
    if (status != SCREE_OK)
        return status;
    status = par_sim_create(par, sim, &shared);
    if (status == SCREE_OK)
        status = par_sim_plan(shared, out);
    if (status == SCREE_OK)
        out->first += part_source_size(sim, slice_size(par, part_count(sim)));
    par_sim_destroy(shared);
    par_close(par);
    return status;
}
