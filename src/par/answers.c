// Results that are read between runs, computed from all parts: sums over all spheres, and contacts.
#include "par/sim_inner.h"

#include <string.h>

scree_status look_all(par_sim* sim, look_kind kind, const double* given, sim_look* out)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    const look_row* row = sim_look_row(kind);
    par_aside(par);
    sim_look* looks = scree_calloc((size_t)par->local, sizeof *looks);
    par_aside_end(par);
    scree_status status = looks == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = sim_look_make(team->rank[l].sim, kind, given, &looks[l]);
    int64_t words = status == SCREE_OK ? looks[0].words : 0;
    int32_t most = status == SCREE_OK ? looks[0].most_count : 0;
    par_aside(par);
    int64_t* sums = status == SCREE_OK ? scree_malloc((size_t)(par->local * words) + 1, sizeof *sums) : NULL;
    double* largest = status == SCREE_OK ? scree_malloc((size_t)(par->local * most) + 1, sizeof *largest) : NULL;
    par_aside_end(par);
    status = par_agree(par, status == SCREE_OK && (sums == NULL || largest == NULL) ? SCREE_ERR_MEMORY : status);
    if (status == SCREE_OK && row->moving && part_sees_velocities(team->rank[0].sim))
        status = halo_look(team);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
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
    for (int32_t l = 0; looks != NULL && par_turn(par, l); ++l)
        sim_look_free(&looks[l]);
    par_aside(par);
    scree_free(looks);
    scree_free(sums);
    scree_free(largest);
    par_aside_end(par);
    return status;
}

void forget_shown(par_sim* sim)
{
    contacts_free(&sim->shown);
    scree_free(sim->shown_arrays);
    scree_free(sim->block_first);
    part_bonds_free(sim->bonds);
    sim->bonds = NULL;
    sim->shown_arrays = NULL;
    sim->block_first = NULL;
    sim->blocks = 0;
}

// ---- Bonds ---------------------------------------------------------------------------------------------------------

static scree_status find_bonds(par_rank* me)
{
    if (me->bonds != NULL)
        return SCREE_OK;
    int64_t* places = scree_malloc((size_t)part_bond_count(me->sim) + 1, sizeof *places);
    if (places == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = part_bonds_sort(me->sim, places, &me->bond_count);
    if (status == SCREE_OK)
        me->bonds = places;
    else
        scree_free(places);
    return status;
}

// The first of these bonds whose number is not below.
static int64_t first_bond(const par_rank* me, int64_t number)
{
    int64_t low = 0, high = me->bond_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (part_bond_number(me->sim, me->bonds[middle]) < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static scree_status post_bonds(const par_rank* me, int64_t first, int64_t last, par_post* out)
{
    int64_t begin = first_bond(me, first), end = first_bond(me, last);
    par_post_clear(out);
    scree_status status = end > begin ? par_post_add(out, 0, (end - begin) * (int64_t)part_bond_bytes()) : SCREE_OK;
    if (status == SCREE_OK)
        status = par_post_lay(out);
    for (int64_t b = begin; b < end && status == SCREE_OK; ++b)
        part_bond_pack(me->sim, me->bonds[b], false, out->mail[0].data + (size_t)(b - begin) * part_bond_bytes());
    return status;
}

// Some of them, as records that rank 0 has one after the other.
static scree_status take_bonds(par_sim* sim, int64_t first, const par_post* in)
{
    int64_t bytes = 0, at = 0;
    for (int32_t m = 0; m < in->count; ++m)
        bytes += in->mail[m].bytes;
    char* records = scree_malloc((size_t)bytes + 1, 1);
    if (records == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t m = 0; m < in->count; at += in->mail[m++].bytes)
        memcpy(records + at, in->mail[m].data, (size_t)in->mail[m].bytes);
    scree_status status = part_bonds_show(sim->bonds, first, records, bytes / (int64_t)part_bond_bytes());
    scree_free(records);
    return status;
}

scree_status bonds_all(par_sim* sim, int64_t first, int64_t last, scree_sim_bonds* out)
{
    enum { piece_most = 1 << 13 };  // some megabytes
    par_team* team = &sim->team;
    scree_par* par = team->par;
    const int64_t piece = par->slice > 0 ? par->slice : piece_most;
    part_bonds_free(sim->bonds);
    sim->bonds = NULL;
    scree_status status = out != NULL ? part_bonds_room(sim->whole, last - first, &sim->bonds) : SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = find_bonds(&team->rank[l]);
    status = par_agree(par, status);
    for (int64_t from = first; from < last && status == SCREE_OK; from += piece) {
        for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
            status = post_bonds(&team->rank[l], from, from + piece < last ? from + piece : last, &team->posts[POST_OUT][l]);
        status = par_agree(par, status);
        if (status == SCREE_OK)
            status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
        status = par_agree(par, status == SCREE_OK && out != NULL ? take_bonds(sim, first, &team->posts[POST_IN][0]) : status);
    }
    if (status == SCREE_OK && out != NULL)
        *out = *part_bonds_shown(sim->bonds);
    if (status != SCREE_OK) {
        part_bonds_free(sim->bonds);
        sim->bonds = NULL;
    }
    sim->bonds_first = first;
    sim->bonds_last = last;
    return status;
}

// ---- Contacts, some at a time --------------------------------------------------------------------------------------

// Contacts of a rank are sorted by these numbers.
static int64_t block_of(const par_sim* sim, const int64_t ij[2])
{
    return ij[0] / sim->block_ids + (ij[1] < 0 ? sim->blocks / 2 : 0);
}

// Of spheres with ids below `ids`: sim->blocks. `shown`: contacts as they are shown; else what they remember.
static scree_status count_contacts(par_sim* sim, int64_t ids, bool shown)
{
    enum { blocks_most = 1 << 14 };  // a block of 1e9 spheres has some 61,000
    par_team* team = &sim->team;
    scree_par* par = team->par;
    forget_shown(sim);
    for (int32_t l = 0; par_turn(par, l); ++l)
        team->rank[l].remembered = (scree_sim_memory){0};
    int64_t half = ids < blocks_most ? ids + 1 : blocks_most, blocks = 2 * half;
    sim->block_ids = ids / half + 1;
    int64_t* counts = scree_calloc((size_t)(par->local * blocks), sizeof *counts);
    int64_t* first = sim->block_first = scree_malloc((size_t)blocks + 1, sizeof *first);
    scree_status status = counts == NULL || first == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    sim->blocks = blocks;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        scree_sim_memory* of = &team->rank[l].remembered;
        status = shown ? part_contacts(team->rank[l].sim, of) : part_memory(team->rank[l].sim, false, of);
        for (int64_t c = 0; status == SCREE_OK && c < of->count; ++c)
            counts[l * blocks + block_of(sim, of->ij[c])] += part_bears(team->rank[l].sim, of->ij[c]);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_sum(par, counts, blocks);
    for (int64_t b = 0; b < blocks && status == SCREE_OK; ++b) {
        first[0] = 0;
        first[b + 1] = first[b] + counts[b];
    }
    scree_free(counts);
    if (status != SCREE_OK)
        sim->blocks = 0;
    return status;
}

// The first contact of a rank in this block or behind it.
static int64_t first_of_block(const par_sim* sim, const scree_sim_memory* of, int64_t block)
{
    int64_t low = 0, high = of->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (block_of(sim, of->ij[middle]) < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static scree_status post_remembered(const par_sim* sim, const par_rank* me, int64_t first, int64_t last, size_t bytes, par_post* out)
{
    const scree_sim_memory* of = &me->remembered;
    int64_t begin = first_of_block(sim, of, first), end = first_of_block(sim, of, last), count = 0;
    for (int64_t c = begin; c < end; ++c)
        count += part_bears(me->sim, of->ij[c]);
    par_post_clear(out);
    scree_status status = count > 0 ? par_post_add(out, 0, count * (int64_t)bytes) : SCREE_OK;
    if (status == SCREE_OK)
        status = par_post_lay(out);
    char* to = status == SCREE_OK && count > 0 ? out->mail[0].data : NULL;
    for (int64_t c = begin; c < end && to != NULL; ++c)
        if (part_bears(me->sim, of->ij[c])) {
            contact_put(of, c, of->words, to);
            to += bytes;
        }
    return status;
}

scree_status count_remembered(par_sim* sim, int64_t ids)
{
    return count_contacts(sim, ids, false);
}

// Contacts of these blocks, on the process of rank 0.
static scree_status hand_blocks(par_sim* sim, bool shown, int64_t first, int64_t last, scree_sim_memory* out)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    int32_t words = 0;
    scree_sim_get_law(team->rank[0].sim, &words);
    collection c = collection_of(sim, words + (shown ? part_shown : 0));
    scree_status status = SCREE_OK;
    *out = (scree_sim_memory){0};
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = post_remembered(sim, &team->rank[l], first, last, c.bytes, &team->posts[POST_OUT][l]);
    status = par_agree(par, status);
    if (status == SCREE_OK)
        status = par_send(par, team->posts[POST_OUT], team->posts[POST_IN]);
    const par_post* in = &team->posts[POST_IN][0];
    for (int32_t m = 0; sim->whole != NULL && m < in->count && status == SCREE_OK; ++m)
        status = collect_contacts(&c, in->mail[m].data, in->mail[m].bytes / (int64_t)c.bytes);
    if (status == SCREE_OK && sim->whole != NULL)
        status = contacts_sorted(&c.others, c.words, scree_box_is_periodic(part_box(sim->whole)), out);
    own_free(&c.others);
    return par_agree(par, status);
}

scree_status hand_remembered(par_sim* sim, int64_t first, int64_t last)
{
    contacts_free(&sim->shown);
    return hand_blocks(sim, false, first, last, &sim->shown);
}

// The blocks that have contacts number `first` to last - 1: the last that does not begin behind `first`, and the first that does not begin before `last`.
void find_blocks(const par_sim* sim, int64_t first, int64_t last, int64_t out[2])
{
    int64_t low = 0, high = sim->blocks;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (sim->block_first[middle] <= first)
            low = middle;
        else
            high = middle - 1;
    }
    out[0] = low;
    high = sim->blocks;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sim->block_first[middle] < last)
            low = middle + 1;
        else
            high = middle;
    }
    out[1] = low;
}

int64_t contacts_until(const par_sim* sim, int64_t first)
{
    enum { piece_most = 1 << 14 };  // has some megabytes
    const scree_par* par = sim->team.par;
    int64_t all = sim->block_first[sim->blocks], piece = par->slice > 0 ? par->slice : piece_most;
    return all - first < piece ? all : first + piece;
}

// ---- Contacts as they are shown ------------------------------------------------------------------------------------

// The arrays of `all` contacts on the process of rank 0, all but names: empty. MEMORY
static scree_status make_arrays(par_sim* sim, int64_t all, scree_sim_contacts* out)
{
    int32_t words = 0;
    const size_t count = (size_t)all + 1;
    scree_sim_get_law(sim->whole, &words);
    sim->shown_arrays = scree_malloc(count, (13 + (size_t)words) * sizeof(double) + 1);  // and a byte: whether it slides
    if (sim->shown_arrays == NULL || contacts_room(all, 0, sim->whole, &sim->shown) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    double (*normal)[3] = sim->shown_arrays, (*force)[3] = normal + count, (*tangential)[3] = force + count, (*torque)[3] = tangential + count;
    double *overlap = torque[count], *memory = overlap + count;
    unsigned has = part_contact_arrays(sim->whole);
    *out = (scree_sim_contacts){.count = all,
                                .ij = sim->shown.ij,
                                .shift = sim->shown.shift,
                                .overlap = overlap,
                                .normal = (const double(*)[3])normal,
                                .force = (const double(*)[3])force,
                                .words = words,
                                .memory = words > 0 ? memory : NULL,
                                .tangential = (has & PART_SLIDES) != 0 ? (const double(*)[3])tangential : NULL,
                                .sliding = (has & PART_SLIDES) != 0 ? (uint8_t*)(memory + (size_t)words * count) : NULL,
                                .torque = (has & PART_TURNS) != 0 ? (const double(*)[3])torque : NULL,
                                .feature = (has & PART_FEATURES) != 0 ? sim->shown.feature : NULL};
    return SCREE_OK;
}

static void copy_row(const double* rows, int64_t row, int64_t wide, const double* from)
{
    if (rows != NULL && wide > 0)
        memcpy((double*)(uintptr_t)rows + row * wide, from, (size_t)wide * sizeof *from);
}

// Contacts from number `first` on.
static void fill_arrays(const scree_sim_memory* some, int64_t first, scree_sim_contacts* out)
{
    for (int64_t c = 0; c < some->count; ++c) {
        const double* from = some->values + c * some->words;
        int64_t to = first + c;
        copy_row(out->overlap, to, 1, from);
        copy_row(out->normal[0], to, 3, from + 1);
        copy_row(out->force[0], to, 3, from + 4);
        copy_row(out->tangential != NULL ? out->tangential[0] : NULL, to, 3, from + 7);
        copy_row(out->torque != NULL ? out->torque[0] : NULL, to, 3, from + 10);
        if (out->sliding != NULL)
            ((uint8_t*)(uintptr_t)out->sliding)[to] = from[13] != 0.0;
        copy_row(out->memory, to, out->words, from + part_shown);
        out->pair_count += some->ij[c][1] >= 0;
    }
}

scree_status contacts_all(par_sim* sim, int64_t ids, scree_sim_contacts* out)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    scree_status status = part_sees_velocities(team->rank[0].sim) ? halo_look(team) : SCREE_OK;
    if (status == SCREE_OK)
        status = count_contacts(sim, ids, true);
    const bool counted = status == SCREE_OK;
    const int64_t all = counted ? sim->block_first[sim->blocks] : 0;
    if (counted)
        status = par_agree(par, out != NULL ? make_arrays(sim, all, out) : SCREE_OK);
    for (int64_t first = 0, blocks[2]; first < all && status == SCREE_OK; first = sim->block_first[blocks[1]]) {
        scree_sim_memory some;
        find_blocks(sim, first, contacts_until(sim, first), blocks);
        status = hand_blocks(sim, true, blocks[0], blocks[1], &some);
        if (status == SCREE_OK && out != NULL) {
            contacts_copy(&some, &sim->shown, first);
            fill_arrays(&some, first, out);
        }
        contacts_free(&some);
    }
    for (int32_t l = 0; par_turn(par, l); ++l) {
        scree_free((void*)(uintptr_t)team->rank[l].remembered.values);
        team->rank[l].remembered = (scree_sim_memory){0};
        part_contacts_end(team->rank[l].sim);
    }
    scree_free(sim->block_first);
    sim->block_first = NULL;
    sim->blocks = 0;  // these were of contacts as they are shown
    return status;
}
