// The steps of many ranks.
//
// A step of one process is divided where ranks must communicate:
//
//     ghosts                one message to each rank with which spheres are shared: positions, and velocities if the law uses them
//     forces                as in one process (part.h); blocks without ghosts while messages are in transit
//     integer sums          of giants and servos, if there are any; then of energies, if requested
//     motion
//     the largest speed     so that all agree on when a new list is needed; the same message says whether a rank failed or was asked to stop
#include "par/sim_inner.h"

#include "base/array.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    for (int32_t l = 0; par_turn(par, l); ++l)
        part_get_sums(team->rank[l].sim, sim->giants, sim->giant_ids, par->ranks, sim->sums + l * count);
    status = par_sum(par, sim->sums, count);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
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
    for (int32_t l = 0; par_turn(par, l); ++l)
        part_get_energies(team->rank[l].sim, sim->sums + l * count);
    status = par_sum(par, sim->sums, count);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        part_set_energies(team->rank[l].sim, sim->sums + l * count);
    return status;
}

// What all ranks hear at the end of a step: the largest speeds, whether rank 0 wants to stop, whether somebody failed.
scree_status hear_all(par_sim* sim, scree_status status, bool stop)
{
    par_team* team = &sim->team;
    for (int32_t l = 0; par_turn(team->par, l); ++l) {
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
    for (int32_t l = 0; par_turn(team->par, l); ++l) {
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
static scree_status verify_one(par_rank* me, const par_post* in, const part_stub* own, int64_t own_count)
{
    int64_t count = own_count;
    for (int32_t m = 0; m < in->count; ++m)
        count += in->mail[m].bytes / (int64_t)sizeof(part_stub);
    if (count > INT32_MAX)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "par: %" PRId64 " spheres to compare with all pairs; expected at most 2147483647", count);
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
    scree_status status = part_verify_contacts(me->sim, (int32_t)count, all);
    scree_free(all);
    return status;
}

// Compares the contacts of each rank with all pairs: each rank shows its spheres to all.
static scree_status verify_contacts(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    par_post *out = team->posts[POST_OUT], *in = team->posts[POST_IN];
    part_stub** own = scree_calloc((size_t)par->local, sizeof *own);
    int64_t* count = scree_calloc((size_t)par->local, sizeof *count);
    scree_status status = own == NULL || count == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
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
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = verify_one(&team->rank[l], &in[l], own[l], count[l]);
    for (int32_t l = 0; own != NULL && par_turn(par, l); ++l)
        scree_free(own[l]);
    scree_free(own);
    scree_free(count);
    return par_agree(par, status);
}

// What follows the forces of a pass: sums over all ranks, which all take part in whatever has become of theirs, and motion. `status`: of the forces.
static scree_status end_pass(par_sim* sim, scree_status status)
{
    par_team* team = &sim->team;
    scree_status added = add_up(sim);
    status = status == SCREE_OK ? added : status;
    for (int32_t l = 0; status == SCREE_OK && par_turn(team->par, l); ++l)
        status = part_pass_giants(team->rank[l].sim);
    added = add_up_energies(sim);
    status = status == SCREE_OK ? added : status;
    for (int32_t l = 0; status == SCREE_OK && par_turn(team->par, l); ++l)
        status = part_pass_end(team->rank[l].sim);
    return status;
}

static scree_status step_on(par_sim* sim, bool last, bool stop)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    bool others = part_is_renewal(team->rank[0].sim), complete = false;
    for (int32_t l = 0; par_turn(par, l); ++l)
        sim->from[l] = team->rank[l].sim;
    scree_status status = SCREE_OK, early = SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_deform(team->rank[l].sim);
    if (status == SCREE_OK)
        status = others ? renew_order(sim) : list_holds(sim, &complete);
    if (status == SCREE_OK && !complete) {
        status = choose_skin(sim);
        if (status == SCREE_OK && !others && (sim->chance != 0 || (sim->imbalance > 1.2 && sim->lists >= sim->next_cut))) {  // it never changes the result
            sim->next_cut = sim->lists + 8;
            status = cut_by_work(sim, sim->from);
        }
        if (status == SCREE_OK)
            status = make_list(sim, PART_MOVE, others, NULL);
    } else if (status == SCREE_OK) {
        status = halo_refresh_begin(team);
        for (int32_t l = 0; status == SCREE_OK && early == SCREE_OK && par_turn(par, l); ++l)
            early = part_pass_early(team->rank[l].sim, last, sim->speed);
        if (status == SCREE_OK)
            status = halo_refresh_end(team);
    }
    if (status == SCREE_OK && part_is_verified(team->rank[0].sim))
        status = verify_contacts(sim);
    if (status != SCREE_OK)
        return status;  // all of these have agreed
    status = early == SCREE_OK ? look(sim) : early;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_pass_begin(team->rank[l].sim, last || sim->crossed);
    return hear_all(sim, end_pass(sim, status), stop);
}

// The first forces of spheres that were just made. `before`: positions one step before are known.
scree_status settle_all(par_sim* sim, bool before, bool begins)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    scree_status status = part_is_verified(team->rank[0].sim) ? verify_contacts(sim) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_settle(team->rank[l].sim, begins);
    status = end_pass(sim, status);
    for (int32_t l = 0; status == SCREE_OK && !before && par_turn(par, l); ++l)
        part_settled(team->rank[l].sim);
    return hear_all(sim, status, false);
}

// To the step `last`, or until a sphere has crossed a boundary that removes it.
static scree_status run_piece(par_sim* sim, int64_t first, int64_t last)
{
    par_team* team = &sim->team;
    const scree_watch* watch = sim->whole != NULL ? part_tick(sim->whole) : NULL;
    double shown = scree_clock();
    for (int32_t l = 0; par_turn(team->par, l); ++l)
        part_launch(team->rank[l].sim);
    ++sim->step;
    scree_status status = hear_all(sim, SCREE_OK, false);
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
scree_status run_all(par_sim* sim, int64_t steps, bool fresh)
{
    scree_status status = SCREE_OK;
    forget_shown(sim);
    rows_changed(&sim->team);
    for (int64_t first = -1, last = 0;;) {
        if (fresh)
            status = scatter_all(sim);
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
        fresh = false;
        if (status != SCREE_OK || sim->step >= last || sim->stop)
            break;
    }
    if (status == SCREE_OK && sim->stop && sim->whole != NULL)
        return scree_fail(SCREE_ERR_CANCELLED, "stopped on request after step %" PRId64, sim->step);
    if (status != SCREE_OK)
        sim->follows = false;
    return status;
}
