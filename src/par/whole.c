// Transfer between the whole simulation, on the process of rank 0, and the parts: at the start and end of a run, and when a state is set.
#include "par/sim_inner.h"

#include "base/array.h"
#include "sim/motion.h"

#include <string.h>

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
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_follow(sim->team.rank[l].sim, &sim->bytes);
    status = par_agree(par, status);
    if (status == SCREE_OK)
        forest_lay(&sim->team.forest, part_box(sim->team.rank[0].sim), (const double(*)[2])more.sides);
    return status;
}

scree_status scatter_all(par_sim* sim)
{
    par_team* team = &sim->team;
    sim->follows = false;
    scree_status status = spread_small(sim, NULL);
    if (status != SCREE_OK)
        return status;
    for (int32_t l = 0; par_turn(team->par, l); ++l)
        sim->from[l] = team->rank[l].rank == 0 ? sim->whole : NULL;
    status = cut_by_work(sim, sim->from);
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
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
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

// What rank 0 collects.
static scree_status take_spheres(void* context, const char* records, int64_t count)
{
    const collection* c = context;
    return part_take(c->sim->whole, records, count);
}

scree_status collect_contacts(collection* c, const char* records, int64_t count)
{
    own_spheres* to = &c->others;
    if (SCREE_RESERVE(to->contact_memory, to->contact_capacity, (to->contacts + count) * (int64_t)c->bytes) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memcpy(to->contact_memory + (size_t)to->contacts * c->bytes, records, (size_t)count * c->bytes);
    to->contacts += count;
    return SCREE_OK;
}

static scree_status take_contacts(void* context, const char* records, int64_t count)
{
    return collect_contacts(context, records, count);
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
static scree_status give_to_whole(par_sim* sim, collection* c)
{
    part_bonds* bonds = NULL;
    scree_sim_memory memory = {0};
    scree_status status = c->words > 0 ? contacts_sorted(&c->others, c->words, scree_box_is_periodic(part_box(sim->whole)), &memory) : SCREE_OK;
    if (status == SCREE_OK)
        status = part_bonds_gather(sim->whole, c->others.bond_memory, c->others.bonds, &bonds);
    own_free(&c->others);
    if (status == SCREE_OK)
        status = part_join(sim->whole, sim->team.rank[0].sim, c->words > 0 ? &memory : NULL, bonds);
    contacts_free(&memory);
    part_bonds_free(bonds);
    if (status == SCREE_OK)
        status = part_fingerprint(sim->whole, &sim->bytes, &sim->fingerprint);
    return status;
}

collection collection_of(par_sim* sim, int32_t words)
{
    return (collection){.sim = sim, .words = words, .bytes = sizeof(contact_head) + (size_t)words * sizeof(double)};
}

scree_status collect_all(collection* c)
{
    return hand_in(&c->sim->team, &(slice_taker){.context = c, .take = {take_spheres, take_contacts, take_bonds}});
}

// All own spheres to the whole. On all processes.
scree_status gather_all(par_sim* sim)
{
    scree_par* par = sim->team.par;
    collection c = collection_of(sim, part_words(sim->team.rank[0].sim));
    forget_shown(sim);
    scree_status status = par_agree(par, sim->whole != NULL ? part_refill(sim->whole) : SCREE_OK);
    bool room = status == SCREE_OK;
    if (status == SCREE_OK)
        status = collect_all(&c);
    if (status == SCREE_OK && sim->whole != NULL)
        status = give_to_whole(sim, &c);
    par_rest(par);
    status = par_agree(par, status);
    if (status != SCREE_OK && room && sim->whole != NULL && part_is_hollow(sim->whole))
        part_drop(sim->whole);
    own_free(&c.others);
    sim->follows = status == SCREE_OK;
    return status;
}

// The end of a run: the whole knows all but its spheres. Those that have crossed a boundary that removes them are removed. On all processes.
scree_status finish_run(par_sim* sim)
{
    int64_t seen = 0;
    scree_status status = gather_seen(sim, &seen);
    if (status == SCREE_OK && sim->whole != NULL)
        status = part_finish(sim->whole, sim->team.rank[0].sim, &sim->bytes, sim->speed);
    status = par_agree(sim->team.par, status);
    sim->follows = status == SCREE_OK;
    return status == SCREE_OK && sim->crossed ? remove_crossed(sim, seen) : status;
}

// Sums over the spheres of a source for a cell that is controlled by its stress, in the whole. On the process of rank 0.
static scree_status sum_motion(par_sim* sim, const sphere_giver* giver)
{
    const int64_t count = giver->source->spheres.count, slice = slice_size(sim->team.par, (int32_t)count);
    clear_bytes(&sim->bytes);
    scree_status status = part_small(sim->whole, &sim->bytes);
    if (status == SCREE_OK)
        status = part_follow(giver->from, &sim->bytes);
    for (int64_t first = 0; first < count && status == SCREE_OK; first += slice) {
        status = part_pour(giver->from, giver->source, giver->sides, first, (int32_t)(count - first < slice ? count - first : slice));
        if (status == SCREE_OK)
            status = part_add_motion(sim->whole, giver->from);
    }
    return status;
}

// The parts of spheres that are not made yet, slice by slice. On all processes; `source` on that of rank 0.
scree_status make_all(par_sim* sim, const part_source* source)
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
    if (status == SCREE_OK && source != NULL && part_is_controlled(sim->whole))
        status = sum_motion(sim, &giver);
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = spread_small(sim, source);
    if (status == SCREE_OK)
        status = par_agree(par, giver.from != NULL ? part_follow(giver.from, &sim->bytes) : SCREE_OK);
    if (status == SCREE_OK)
        status = cut_by_count(sim, &giver);
    if (status == SCREE_OK)
        status = make_list(sim, PART_START, false, &giver);
    scree_sim_destroy(giver.from);
    sim->step = part_now(team->rank[0].sim);
    sim->length = part_step(team->rank[0].sim);
    for (int32_t l = 0; par_turn(par, l); ++l)
        sim->from[l] = team->rank[l].sim;
    if (status == SCREE_OK && par->ranks > 1)  // by their work, which the first list shows
        status = cut_by_work(sim, sim->from);
    if (status == SCREE_OK && par->ranks > 1)
        status = make_list(sim, PART_MOVE, false, NULL);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        if (team->rank[l].rank > 0)
            part_clear_motion(team->rank[l].sim);  // rank 0 has the sums of all
    if (status == SCREE_OK)
        status = settle_all(sim, false, true);
    return status == SCREE_OK ? finish_run(sim) : status;
}

// What is not by sphere, as the whole has it now, to all parts, which keep their spheres.
static scree_status spread_state(par_sim* sim)
{
    scree_par* par = sim->team.par;
    clear_bytes(&sim->bytes);
    scree_status status = par_agree(par, sim->whole != NULL ? part_small(sim->whole, &sim->bytes) : SCREE_OK);
    if (status == SCREE_OK)
        status = spread_bytes(par, &sim->bytes);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_follow_small(sim->team.rank[l].sim, &sim->bytes);
    return par_agree(par, status);
}

// The length of steps may have changed. Spheres may go to any rank later.
scree_status agree_apart(par_sim* sim)
{
    par_team* team = &sim->team;
    for (int32_t l = 0; par_turn(team->par, l); ++l)
        sim->values[l] = -part_apart(team->rank[l].sim);
    scree_status status = par_max(team->par, sim->values, 1);
    for (int32_t l = 0; status == SCREE_OK && par_turn(team->par, l); ++l)
        part_set_apart(team->rank[l].sim, -sim->values[0]);
    if (status == SCREE_OK && sim->whole != NULL)
        part_set_apart(sim->whole, -sim->values[0]);
    return status;
}

scree_status take_all(par_sim* sim, const rows_state* state, rows_give* give, void* context)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    sim->follows = sim->crossed = false;
    rows_changed(team);
    scree_status status = spread_state(sim);
    if (status == SCREE_OK)
        status = agree_apart(sim);
    if (status == SCREE_OK)
        status = hand_columns(team, state->columns, state->count, give, context);
    for (int32_t l = 0; par_turn(par, l); ++l) {
        sim->from[l] = team->rank[l].sim;
        part_taken(team->rank[l].sim);
        part_forget(team->rank[l].sim);
    }
    sim->step = part_now(team->rank[0].sim);
    sim->length = part_step(team->rank[0].sim);
    if (status == SCREE_OK)
        status = state->keyed ? lay_forest(sim, false) : renew_order(sim);
    if (status == SCREE_OK)
        status = make_list(sim, PART_MOVE, true, &(sphere_giver){.from = sim->whole, .memory = state->memory, .bonds = state->bonds, .x = state->x});
    forget_shown(sim);  // the state may have had its contacts from there
    if (status == SCREE_OK)
        status = settle_all(sim, state->before, !state->remembers);
    if (status == SCREE_OK)
        status = hand_columns(team, state->results, state->count, give, context);
    // Forces have been worked out, which is not part of the energies.
    if (status == SCREE_OK && (part_accounts(team->rank[0].sim) || part_has_loads(team->rank[0].sim) || part_has_cell(team->rank[0].sim) || part_has_bonds(team->rank[0].sim)))
        status = spread_state(sim);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        part_renew_loads(team->rank[l].sim);
        if (!state->before)
            part_settled(team->rank[l].sim);
    }
    return status == SCREE_OK ? finish_run(sim) : status;
}

// Sums over all spheres whose velocities a cell has changed; and the largest of these.
static scree_status add_up_rate(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    const int64_t count = part_rate_count();
    par_aside(par);
    int64_t* sums = scree_malloc((size_t)(count * par->local), sizeof *sums);
    par_aside_end(par);
    scree_status status = par_agree(par, sums == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        part_get_rate(team->rank[l].sim, par->ranks, sums + l * count);
    if (status == SCREE_OK)
        status = par_sum(par, sums, count);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_set_rate(team->rank[l].sim, sums + l * count);
    par_aside(par);
    scree_free(sums);
    par_aside_end(par);
    return status == SCREE_OK ? hear_all(sim, status, false) : status;
}

// Other spheres are fixed.
static scree_status list_again(par_sim* sim)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    for (int32_t l = 0; par_turn(par, l); ++l) {
        sim->counts[l] = part_count_fixed(team->rank[l].sim);
        sim->from[l] = team->rank[l].sim;
    }
    scree_status status = par_sum(par, sim->counts, 1);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        part_set_fixed(team->rank[l].sim, sim->counts[l]);
    return status == SCREE_OK ? make_list(sim, PART_MOVE, false, NULL) : status;
}

scree_status change_all(par_sim* sim, const sim_change* change)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    unsigned effect = 0;
    clear_bytes(&sim->bytes);
    if (change != NULL)
        part_put_change(change, &sim->bytes);
    scree_status status = par_agree(par, sim->bytes.status);
    if (status == SCREE_OK)
        status = spread_bytes(par, &sim->bytes);
    if (status != SCREE_OK)
        return status;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_check_change(team->rank[l].sim, &sim->bytes);
    status = par_agree(par, status);
    if (status != SCREE_OK)
        return status;
    forget_shown(sim);
    rows_changed(team);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = part_change(team->rank[l].sim, &sim->bytes, &effect);
    status = par_agree(par, status);
    if (status == SCREE_ERR_ARGUMENT || status == SCREE_ERR_UNSUPPORTED)  // all have found it
        return status;
    sim->follows = false;
    sim->length = part_step(team->rank[0].sim);
    if (status == SCREE_OK)
        status = agree_apart(sim);
    const bool again = (effect & PART_FORCES) != 0;
    if (status == SCREE_OK && (effect & PART_RATE) != 0)
        status = add_up_rate(sim);
    if (status == SCREE_OK && again && part_sees_velocities(team->rank[0].sim))
        status = halo_look(team);
    for (int32_t l = 0; status == SCREE_OK && again && par_turn(par, l); ++l)
        part_taken(team->rank[l].sim);
    if (status == SCREE_OK && (effect & PART_LIST) != 0)
        status = list_again(sim);
    if (status == SCREE_OK && again)
        status = settle_all(sim, false, false);
    return status == SCREE_OK ? finish_run(sim) : status;
}

scree_status external_all(par_sim* sim, const bool which[2], int64_t count, rows_give* give, void* context)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    scree_status status = SCREE_OK;
    sim->follows = false;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = external_begin(team->rank[l].sim, which);
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = hand_columns(team, external_columns(which), count, give, context);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = external_end(team->rank[l].sim, which);
    status = par_agree(par, status);
    return status == SCREE_OK ? finish_run(sim) : status;
}
