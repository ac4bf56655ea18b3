// Orders from rank 0 to the other processes. The process of rank 0 runs the program; it sends orders to the others, which wait for them in par_serve. Every process then executes the same order for its own ranks.
#include "par/sim_inner.h"

#include "par/pairs.h"

#include <inttypes.h>
#include <string.h>

typedef enum task { TASK_END, TASK_CREATE, TASK_DESTROY, TASK_RUN, TASK_SHARE, TASK_PAIRS, TASK_FETCH, TASK_LOOK, TASK_ROWS, TASK_CONTACTS, TASK_COUNT_REMEMBERED, TASK_REMEMBERED,
    TASK_MAKE, TASK_TAKE, TASK_CHANGE, TASK_EXTERNAL, TASK_EXCHANGE, TASK_BONDS } task;

typedef struct order {
    int64_t task, number, steps, fresh;
    uint64_t chance;
    int64_t kind;              // of a look; of TASK_EXTERNAL bits: forces, torques
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
    return status == SCREE_OK ? gather_all(sim) : status;
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

// Contacts of blocks from `first` to last - 1.
static scree_status get_blocks(par_sim* sim, int64_t first, int64_t last)
{
    scree_status status = give_order(sim->team.par, (order){.task = TASK_REMEMBERED, .number = sim->number, .rows = {.first_id = first, .last_id = last}});
    if (status == SCREE_OK)
        status = hand_remembered(sim, first, last);
    sim->piece_first = status == SCREE_OK ? sim->block_first[first] : 0;
    return status;
}

// All of them, piece by piece: so messages are of pieces only.
static scree_status get_pieces(par_sim* sim, int64_t all)
{
    scree_sim_memory whole;
    int32_t words = 0;
    scree_sim_get_law(sim->whole, &words);
    scree_status status = contacts_room(all, words, sim->whole, &whole);
    for (int64_t first = 0, blocks[2]; first < all && status == SCREE_OK; first = sim->block_first[blocks[1]]) {
        find_blocks(sim, first, contacts_until(sim, first), blocks);
        status = get_blocks(sim, blocks[0], blocks[1]);
        if (status == SCREE_OK)
            contacts_copy(&sim->shown, &whole, first);
    }
    contacts_free(&sim->shown);
    if (status == SCREE_OK) {
        sim->shown = whole;
        sim->piece_first = 0;
    } else {
        contacts_free(&whole);
    }
    return status;
}

static scree_status get_memory(void* keeper, int64_t first, int64_t count, scree_sim_memory* out, int64_t* all)
{
    par_sim* sim = keeper;
    const int64_t ids = part_ids_end(sim->whole);
    scree_status status = SCREE_OK;
    *out = (scree_sim_memory){0};
    *all = 0;
    if (!part_remembers(sim->whole))
        return SCREE_OK;
    if (sim->blocks == 0) {
        status = give_order(sim->team.par, (order){.task = TASK_COUNT_REMEMBERED, .number = sim->number, .steps = ids});
        if (status == SCREE_OK)
            status = count_remembered(sim, ids);
    }
    if (status != SCREE_OK)
        return status;
    *all = sim->block_first[sim->blocks];
    first = first < *all ? first : *all;
    int64_t last = count >= 0 && count < *all - first ? first + count : *all, blocks[2];
    find_blocks(sim, first, last, blocks);
    if (count < 0)
        status = get_pieces(sim, *all);
    else if (sim->shown.ij == NULL || (last > first && (first < sim->piece_first || last > sim->piece_first + sim->shown.count)))
        status = last > first ? get_blocks(sim, blocks[0], blocks[1]) : get_blocks(sim, 0, 0);
    if (status != SCREE_OK)
        return status;
    const int64_t skipped = last > first ? first - sim->piece_first : 0;
    *out = sim->shown;
    out->count = last - first;
    out->ij += skipped;
    out->shift = out->shift != NULL ? out->shift + skipped : NULL;
    out->values += skipped * out->words;
    out->feature = (part_contact_arrays(sim->whole) & PART_FEATURES) != 0 ? out->feature + skipped : NULL;
    return SCREE_OK;
}

static scree_status get_contacts(void* keeper, scree_sim_contacts* out)
{
    par_sim* sim = keeper;
    const int64_t ids = part_ids_end(sim->whole);
    scree_status status = give_order(sim->team.par, (order){.task = TASK_CONTACTS, .number = sim->number, .steps = ids});
    return status == SCREE_OK ? contacts_all(sim, ids, out) : status;
}

static scree_status get_bonds(void* keeper, int64_t first, int64_t count, scree_sim_bonds* out)
{
    par_sim* sim = keeper;
    if (sim->bonds != NULL && sim->bonds_first == first && sim->bonds_last == first + count) {
        *out = *part_bonds_shown(sim->bonds);
        return SCREE_OK;
    }
    scree_status status = give_order(sim->team.par, (order){.task = TASK_BONDS, .number = sim->number, .rows = {.first_id = first, .last_id = first + count}});
    return status == SCREE_OK ? bonds_all(sim, first, first + count, out) : status;
}

static scree_status make_change(void* keeper, const sim_change* change)
{
    par_sim* sim = keeper;
    scree_status status = give_order(sim->team.par, (order){.task = TASK_CHANGE, .number = sim->number});
    if (status == SCREE_OK)
        status = change_all(sim, change);
    if (!sim->follows)
        part_give_up(sim->whole, status);
    return status;
}

static scree_status set_external(void* keeper, const bool which[2], rows_give* give, void* context)
{
    par_sim* sim = keeper;
    const int64_t count = part_ids_end(sim->whole);
    scree_status status = give_order(sim->team.par, (order){.task = TASK_EXTERNAL, .number = sim->number, .kind = which[0] | which[1] << 1, .steps = count});
    if (status == SCREE_OK)
        status = external_all(sim, which, count, give, context);
    part_give_up(sim->whole, status);
    return status;
}

static scree_status make_exchange(void* keeper, const sim_exchange* given)
{
    par_sim* sim = keeper;
    scree_status status = give_order(sim->team.par, (order){.task = TASK_EXCHANGE, .number = sim->number, .chance = sim->chance});
    if (status == SCREE_OK)
        status = exchange_all(sim, given);
    part_give_up(sim->whole, status);
    return status;
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
    order what = {.task = TASK_TAKE, .number = sim->number, .state = *state};
    what.state.memory = NULL;  // of this process alone,
    what.state.bonds = NULL;
    what.state.x = NULL;
    scree_status status = give_order(sim->team.par, what);
    if (status == SCREE_OK)
        status = take_all(sim, state, give, context);
    part_give_up(sim->whole, status);
    return status;
}

static const sim_keeper keeper_of_parts = {.take = take_state,
                                           .change = make_change, .external = set_external, .exchange = make_exchange, .contacts = get_contacts, .bonds = get_bonds, .fetch = fetch, .look = look_over, .rows = get_rows, .memory = get_memory};

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

void par_sim_move(par_sim* sim, scree_sim* whole)
{
    sim->whole = whole;
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
    bool hollow = part_is_hollow(sim->whole);  // then it has not changed
    scree_status status = hollow ? SCREE_OK : part_fingerprint(sim->whole, &sim->bytes, &now);
    bool fresh = !hollow && (!sim->follows || now != sim->fingerprint);
    if (status == SCREE_OK)
        status = give_order(sim->team.par, (order){.task = TASK_RUN, .number = sim->number, .steps = steps, .fresh = fresh, .chance = sim->chance});
    if (status == SCREE_OK)
        status = run_all(sim, steps, fresh);
    part_give_up(sim->whole, status);
    return status;
}

scree_status par_sim_plan(par_sim* sim, scree_sim_plan* out)
{
    scree_status status = give_order(sim->team.par, (order){.task = TASK_SHARE, .number = sim->number, .fresh = 1});
    if (status == SCREE_OK)
        status = scatter_all(sim);
    return status == SCREE_OK ? share_all(sim, out) : status;
}

scree_status par_sim_shares(par_sim* sim, scree_sim_plan* out)
{
    scree_status status = give_order(sim->team.par, (order){.task = TASK_SHARE, .number = sim->number});
    return status == SCREE_OK ? share_all(sim, out) : status;
}

scree_status pairs_order(scree_par* par, pairs_use use, pairs_wish wish)
{
    return give_order(par, (order){.task = TASK_PAIRS, .kind = use, .steps = wish});
}

void par_end(scree_par* par)
{
    for (par_sim* sim = par->sims; sim != NULL; sim = sim->next)
        part_set_keeper(sim->whole, NULL, NULL);
    (void)give_order(par, (order){.task = TASK_END});
}

// The process of rank 0 reports failures; the others continue to serve. A failure to receive ends them.
scree_status par_serve(scree_par* par)
{
    par_sim *sims = NULL, *made;
    scree_par_pairs* pairs = NULL;
    scree_status status;
    order what = {.task = TASK_END};
    while ((status = hear_order(par, &what)) == SCREE_OK && what.task != TASK_END) {
        par_sim** sim = place_of(&sims, what.number);
        if (what.task == TASK_CREATE && create_all(par, NULL, &made) == SCREE_OK) {
            made->number = what.number;
            *sim = made;
        }
        if (what.task == TASK_RUN) {
            (*sim)->chance = what.chance;
            (void)run_all(*sim, what.steps, what.fresh != 0);
        }
        if (what.task == TASK_SHARE && (what.fresh == 0 || scatter_all(*sim) == SCREE_OK))
            (void)share_all(*sim, NULL);
        if (what.task == TASK_MAKE)
            (void)make_all(*sim, NULL);
        if (what.task == TASK_TAKE)
            (void)take_all(*sim, &what.state, NULL, NULL);
        if (what.task == TASK_CHANGE)
            (void)change_all(*sim, NULL);
        if (what.task == TASK_EXTERNAL)
            (void)external_all(*sim, (const bool[2]){(what.kind & 1) != 0, (what.kind & 2) != 0}, what.steps, NULL, NULL);
        if (what.task == TASK_EXCHANGE) {
            (*sim)->chance = what.chance;
            (void)exchange_all(*sim, NULL);
        }
        if (what.task == TASK_FETCH)
            (void)gather_all(*sim);
        if (what.task == TASK_LOOK)
            (void)look_all(*sim, (look_kind)what.kind, what.given, NULL);
        if (what.task == TASK_ROWS)
            (void)hand_rows(&(*sim)->team, &what.rows, NULL, NULL);
        if (what.task == TASK_CONTACTS)
            (void)contacts_all(*sim, what.steps, NULL);
        if (what.task == TASK_BONDS)
            (void)bonds_all(*sim, what.rows.first_id, what.rows.last_id, NULL);
        if (what.task == TASK_COUNT_REMEMBERED)
            (void)count_remembered(*sim, what.steps);
        if (what.task == TASK_REMEMBERED)
            (void)hand_remembered(*sim, what.rows.first_id, what.rows.last_id);
        if (what.task == TASK_PAIRS)
            pairs_serve(par, (pairs_use)what.kind, (pairs_wish)what.steps, what.kind == PAIRS_OF_BONDS ? &par->found : &pairs);
        if (what.task == TASK_DESTROY) {
            par_sim* next = (*sim)->next;
            free_all(*sim);
            *sim = next;
        }
    }
    pairs_serve(par, PAIRS_OF_PROGRAM, PAIRS_FREE, &pairs);
    pairs_serve(par, PAIRS_OF_BONDS, PAIRS_FREE, &par->found);
    while (sims != NULL) {
        made = sims->next;
        free_all(sims);
        sims = made;
    }
    return status;
}
