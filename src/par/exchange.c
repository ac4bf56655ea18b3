// Insertion and removal of spheres by the parts alone, without the whole on rank 0: each rank leaves out its own spheres that are removed, and new ones are passed to their owners with the next list. All spheres are then
// sorted, as in one process, and forces are computed. Spheres that have neither lost nor gained a contact keep their accelerations (sim/insert.c), which are sent to the owners of the spheres in separate messages.
#include "par/sim_inner.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>

// What all processes know of an exchange.
typedef struct names {
    int64_t go, come;
    int64_t *ids, *gone_ids;  // of those that come, and that go, rising
    double* r;                // of those that come
} names;

// On the process of rank 0 they are in sim->bytes, on all after it.
static scree_status spread_names(par_sim* sim, const sim_exchange* given, names* out)
{
    scree_par* par = sim->team.par;
    scree_bytes* bytes = &sim->bytes;
    clear_bytes(bytes);
    if (given != NULL) {
        const int64_t counts[2] = {given->remove, given->spheres.count};
        scree_bytes_put(bytes, counts, sizeof counts);
        scree_bytes_put(bytes, given->ids, (size_t)counts[0] * sizeof *given->ids);
        scree_bytes_put(bytes, given->come, (size_t)counts[1] * sizeof *given->come);
        scree_bytes_put(bytes, given->spheres.r, (size_t)counts[1] * sizeof *given->spheres.r);
    }
    scree_status status = par_agree(par, bytes->status);
    if (status == SCREE_OK)
        status = spread_bytes(par, bytes);
    if (status != SCREE_OK)
        return status;
    int64_t counts[2] = {0, 0};
    bytes->at = 0;
    scree_bytes_take(bytes, counts, sizeof counts);
    *out = (names){.go = counts[0], .come = counts[1]};
    out->gone_ids = scree_bytes_take_block(bytes, out->go, sizeof *out->gone_ids);
    out->ids = scree_bytes_take_block(bytes, out->come, sizeof *out->ids);
    out->r = scree_bytes_take_block(bytes, out->come, sizeof *out->r);
    return par_agree(par, bytes->status);
}

static void free_names(names* n)
{
    scree_free(n->ids);
    scree_free(n->gone_ids);
    scree_free(n->r);
}

static int by_number(const void* a, const void* b)
{
    const int64_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

// The ids of giants, rising. MEMORY
static scree_status renew_giants(par_sim* sim, const names* n)
{
    if (SCREE_RESERVE(sim->giant_ids, sim->giant_capacity, sim->giants + n->come + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    int64_t count = 0;
    for (int64_t g = 0; g < sim->giants; ++g)
        if (n->go == 0 || bsearch(&sim->giant_ids[g], n->gone_ids, (size_t)n->go, sizeof *n->gone_ids, by_number) == NULL)
            sim->giant_ids[count++] = sim->giant_ids[g];
    for (int64_t i = 0; i < n->come; ++i)
        if (part_is_giant(sim->team.rank[0].sim, &(part_stub){.x = {0.0, 0.0, 0.0, n->r[i]}}))
            sim->giant_ids[count++] = n->ids[i];
    if (count > 1)
        qsort(sim->giant_ids, (size_t)count, sizeof *sim->giant_ids, by_number);
    sim->giants = count;
    return SCREE_OK;
}

// Spheres with these ids are marked, on all ranks; what they have, on the process of rank 0, and how many others touch them.
static scree_status look_at_marked(par_sim* sim, int64_t count, const int64_t* ids, sim_look* look, int64_t* touched)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    const int64_t words = part_touched_count(sim->giants);
    scree_status status = SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_mark(team->rank[l].sim, count, ids);
    if (status == SCREE_OK && look != NULL)
        status = sim_look_make(sim->whole, LOOK_MARKED, NULL, look);
    par_aside(par);
    int64_t* sums = scree_malloc((size_t)(words * par->local), sizeof *sums);
    par_aside_end(par);
    status = par_agree(par, status == SCREE_OK && sums == NULL ? SCREE_ERR_MEMORY : status);
    if (status == SCREE_OK)
        status = look_all(sim, LOOK_MARKED, NULL, look);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        part_get_touched(team->rank[l].sim, sim->giants, sim->giant_ids, sums + l * words);
    if (status == SCREE_OK)
        status = par_sum(par, sums, words);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        part_set_touched(team->rank[l].sim, sim->giants, sim->giant_ids, sums + l * words);
    *touched += status == SCREE_OK ? sums[0] : 0;
    par_aside(par);
    scree_free(sums);
    par_aside_end(par);
    return status;
}

static scree_status spread_tally(par_sim* sim, part_tally* tally)
{
    scree_status status = par_spread(sim->team.par, tally, (int64_t)sizeof *tally);
    for (int32_t l = 0; status == SCREE_OK && par_turn(sim->team.par, l); ++l)
        part_take_tally(sim->team.rank[l].sim, tally);
    return status;
}

// Those that go are left out, those that come are with rank 0.
static scree_status change_parts(par_sim* sim, const sim_exchange* given)
{
    par_team* team = &sim->team;
    scree_status status = SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(team->par, l); ++l) {
        scree_sim* part = team->rank[l].sim;
        status = part_leave_out(part);
        if (status == SCREE_OK && team->rank[l].rank == 0)
            status = part_add(part, given);
        if (status == SCREE_OK)
            part_settle_again(part);
        sim->from[l] = part;
    }
    return par_agree(team->par, status);
}

// Accelerations of one rank, to those that own the spheres now.
static scree_status post_kept(par_rank* me, const par_forest* forest, par_post* out)
{
    const size_t bytes = part_kept_bytes(), ranks = (size_t)forest->ranks;
    const double (*x)[4] = part_places(me->sim);
    const int32_t n = part_count(me->sim);
    int64_t* count = scree_calloc(ranks, sizeof *count);
    char** to = scree_calloc(ranks, sizeof *to);
    int32_t* owner = scree_malloc((size_t)n + 1, sizeof *owner);
    scree_status status = count == NULL || to == NULL || owner == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    par_post_clear(out);
    for (int32_t i = 0; i < n && status == SCREE_OK; ++i) {
        char record[64];
        owner[i] = part_keep(me->sim, i, record) ? forest_owner(forest, forest_key(forest, x[i])) : -1;
        if (owner[i] >= 0)
            ++count[owner[i]];
    }
    for (int32_t p = 0; p < forest->ranks && status == SCREE_OK; ++p)
        if (count[p] > 0)
            status = par_post_add(out, p, count[p] * (int64_t)bytes);
    if (status == SCREE_OK)
        status = par_post_lay(out);
    for (int32_t m = 0; m < out->count && status == SCREE_OK; ++m)
        to[out->mail[m].peer] = out->mail[m].data;
    for (int32_t i = 0; i < n && status == SCREE_OK; ++i)
        if (owner[i] >= 0) {
            (void)part_keep(me->sim, i, to[owner[i]]);
            to[owner[i]] += bytes;
        }
    scree_free(count);
    scree_free(to);
    scree_free(owner);
    return status;
}

// out, in: [local], freed by the caller
static scree_status send_kept(par_team* team, par_post* out, par_post* in)
{
    scree_status status = SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(team->par, l); ++l)
        status = post_kept(&team->rank[l], &team->forest, &out[l]);
    status = par_agree(team->par, status);
    if (status == SCREE_OK)
        status = par_send(team->par, out, in);
    for (int32_t l = 0; par_turn(team->par, l); ++l)
        par_post_free(&out[l]);
    return status;
}

static scree_status put_kept(par_team* team, const par_post* in, bool touched)
{
    scree_status status = SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(team->par, l); ++l) {
        part_kept* pieces = scree_malloc((size_t)in[l].count + 1, sizeof *pieces);
        if (pieces == NULL) {
            status = SCREE_ERR_MEMORY;
            break;
        }
        for (int32_t m = 0; m < in[l].count; ++m)
            pieces[m] = (part_kept){.records = in[l].mail[m].data, .count = in[l].mail[m].bytes / (int64_t)part_kept_bytes()};
        status = part_put_kept(team->rank[l].sim, in[l].count, pieces, touched);
        scree_free(pieces);
    }
    return par_agree(team->par, status);
}

// With the names of who goes and comes. kept: posts of all local ranks.
static scree_status exchange_named(par_sim* sim, const sim_exchange* given, const names* n, par_post* kept[2])
{
    par_team* team = &sim->team;
    sim_look look = {.memory = NULL}, *seen = given != NULL ? &look : NULL;
    part_tally tally;
    int64_t touched = 0;
    scree_status status = look_at_marked(sim, n->go, n->gone_ids, seen, &touched);
    if (status == SCREE_OK)
        status = par_agree(team->par, renew_giants(sim, n));
    if (status == SCREE_OK)
        status = par_agree(team->par, given != NULL ? part_count_exchange(sim->whole, given, &look, sim->giants, &tally) : SCREE_OK);
    sim_look_free(&look);
    if (status == SCREE_OK)
        status = spread_tally(sim, &tally);
    if (status == SCREE_OK)
        status = change_parts(sim, given);
    if (status == SCREE_OK)
        status = renew_order(sim);
    if (status == SCREE_OK)
        status = send_kept(team, kept[0], kept[1]);
    if (status == SCREE_OK)
        status = make_list(sim, PART_MOVE, true, &(sphere_giver){.memory = NULL});
    if (status == SCREE_OK)
        status = settle_all(sim, true, false);
    if (status == SCREE_OK)
        status = look_at_marked(sim, n->come, n->ids, seen, &touched);
    if (status == SCREE_OK && given != NULL)
        part_count_come(sim->whole, &look, &tally);
    sim_look_free(&look);
    if (status == SCREE_OK)
        status = put_kept(team, kept[1], touched > 0);
    if (status == SCREE_OK)
        status = spread_tally(sim, &tally);
    return status == SCREE_OK ? agree_apart(sim) : status;
}

scree_status exchange_all(par_sim* sim, const sim_exchange* given)
{
    scree_par* par = sim->team.par;
    names n = {.go = 0};
    sim->follows = sim->crossed = false;
    forget_shown(sim);
    rows_changed(&sim->team);
    par_aside(par);
    par_post* kept[2] = {scree_calloc((size_t)par->local, sizeof *kept[0]), scree_calloc((size_t)par->local, sizeof *kept[1])};
    par_aside_end(par);
    scree_status status = par_agree(par, kept[0] == NULL || kept[1] == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    if (status == SCREE_OK)
        status = spread_names(sim, given, &n);
    if (status == SCREE_OK)
        status = exchange_named(sim, given, &n, kept);
    for (int32_t l = 0; par_turn(par, l); ++l)
        for (int k = 0; k < 2; ++k)
            if (kept[k] != NULL)
                par_post_free(&kept[k][l]);
    par_aside(par);
    scree_free(kept[0]);
    scree_free(kept[1]);
    par_aside_end(par);
    free_names(&n);
    return status == SCREE_OK ? finish_run(sim) : status;
}

scree_status remove_crossed(par_sim* sim, int64_t seen)
{
    const scree_sim_each each = scree_default_sim_each();
    sim_exchange given = {.each = &each, .duration = INFINITY, .longest = INFINITY};
    if (sim->whole != NULL)
        given.remove = part_seen_ids(sim->whole, seen, &given.ids);
    scree_status status = exchange_all(sim, sim->whole != NULL ? &given : NULL);
    if (status == SCREE_OK && sim->whole != NULL)
        part_seen_are_gone(sim->whole, seen);
    return status;
}
