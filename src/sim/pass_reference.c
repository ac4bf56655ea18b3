// The reference: a pass as one would write it down. Every candidate is looked at once, in order; then every sphere near a boundary; then all are moved. One
// thread, no wide instructions, no blocks of work: the reference for every faster pass, which must give the same bits.
#include "sim/grains.h"

#include "base/clock.h"
#include "geom/pair.h"

static bool is_giant(const sim_pass* pass, int32_t rank)
{
    return pass->giant_count > 0 && pass->x[rank][3] >= pass->giant_radius;
}

// In whole quanta, on the desk; sim_giants_end takes it from there.
static void add_quanta(const sim_pass* pass, int32_t rank, int first, const int64_t quanta[3], int sign, bool fits, sim_desk* desk)
{
    int32_t g = sim_giant_number(pass, rank);
    int64_t* sums = desk->sums[g] + first;
    for (int k = 0; k < 3 && fits; ++k)
        fits = !__builtin_add_overflow(sums[k], sign * quanta[k], &sums[k]);
    if (!fits)
        desk->overflow = g;
}

static void add_force(const sim_pass* pass, int32_t i, int32_t j, double force[3], double (*f)[4], sim_desk* desk)
{
    bool one = is_giant(pass, i), other = is_giant(pass, j), fits = true;
    int64_t quanta[3];
    if (one || other)
        fits = giant_round(pass, force, quanta);
    if (one)
        add_quanta(pass, i, 0, quanta, 1, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            f[i][k] += force[k];
    if (other)
        add_quanta(pass, j, 0, quanta, -1, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            f[j][k] -= force[k];
}

// The torque of a contact on one of its two.
static void add_torque(const sim_pass* pass, int32_t rank, const grain_batch* contact, double sign, double (*t)[4], sim_desk* desk, bool wall)
{
    const law_parts* parts = &pass->law.parts;
    double torque[3] = {0.0, 0.0, 0.0}, arm = contact->arm[sign < 0.0][0];
    for (int k = 0; k < 3; ++k) {
        if (parts->tangential)
            torque[k] = -(arm * contact->turn[0][k]);
        if (parts->rolling || parts->twisting != TWISTING_NONE)
            torque[k] += sign * contact->twist[0][k];
    }
    if (!wall && is_giant(pass, rank)) {
        int64_t quanta[3];
        bool fits = round_to(pass->torque_quantum, pass->per_torque, torque, quanta);
        add_quanta(pass, rank, 3, quanta, 1, fits, desk);
        return;
    }
    for (int k = 0; k < 3; ++k)
        t[rank][k] += torque[k];
}

static void account(const sim_pass* pass, const grain_batch* contact, bool wall, block_result* result)
{
    if (contact->shifted && pass->drives)
        cell_add_image(pass, contact->force[0], contact->shift[0], &result->sums);
    if (pass->law.parts.bridge && contact->before[0] == grain_nothing)
        energy_add(&pass->scales, ENERGY_LOST + OWNER_NORMAL, sim_formed(pass, contact->i[0], contact->j[0], wall, contact->overlap[0]), &result->sums);
    for (int owner = 0; owner < owners; ++owner) {
        energy_add(&pass->scales, ENERGY_RATE + owner, contact->rate[0][owner], &result->sums);
        energy_add(&pass->scales, ENERGY_LOST + owner, contact->lost[0][owner], &result->sums);
    }
}

// A contact that there was and is no more.
static void account_ended(const sim_pass* pass, const sim_slots* slots, int64_t row, int64_t first, int32_t i, int32_t j, bool wall, block_result* result)
{
    double memory[law_words_most], lost[owners];
    if (!pass->law.parts.accounts || slots->slot[row] < 0 || (!wall && !cell_counts(pass, i, j)))
        return;
    slot_read(slots, row, first, pass->law.row.words, memory);
    sim_ended(pass, i, j, wall, memory, lost);
    for (int owner = 0; owner < owners; ++owner)
        energy_add(&pass->scales, ENERGY_LOST + owner, lost[owner], &result->sums);
}

// The same for laws of parts.
static void add_grain_rows(const sim_pass* pass, const lanes* with, int64_t block, double (*f)[4], double (*t)[4], sim_desk* desk, block_result* result)
{
    int words = pass->law.row.words;
    int64_t first = pass->own[block];
    int32_t live = 0;
    for (int64_t row = first; row < pass->own[block + 1]; ++row) {
        int32_t i = pass->ij[row][0], j = pass->ij[row][1];
        grain_batch contact = {.count = 1, .i = {i}, .j = {j}, .shifted = pass->shift != NULL, .shift = {pass->shift == NULL ? NULL : pass->shift[row]}, .before = {grain_nothing}};
        double offset[3] = {0.0, 0.0, 0.0};
        bool keeps = words > 0 && pass->mode != SIM_REST;
        if (contact.shift[0] != NULL)
            cell_offset(&pass->cell, contact.shift[0], offset);
        if (keeps)
            pass->pair_slots.slot_next[row] = -1;
        bool near = scree_is_pair(pass->x[i], pass->x[j], offset, pass->law.reach);
        if (near && words > 0)
            contact.before[0] = slot_of(&pass->pair_slots, row, pass->pair_base[block], words, grain_nothing);
        grain_fill(&contact);
        if (near)
            grains_of_pairs(pass, with, NULL, pass->law.parts, pass->mode != SIM_REST, false, false, &contact, 1);
        if (!near || !contact.holds[0]) {
            if (keeps)
                account_ended(pass, &pass->pair_slots, row, pass->pair_base[block], i, j, false, result);
            continue;
        }
        ++result->contacts;
        if (keeps)
            slot_write(&pass->pair_slots, row, first, &live, words, contact.words[0]);
        if (pass->law.parts.accounts && cell_counts(pass, i, j))
            account(pass, &contact, false, result);
        if (pass->cell_sums && cell_counts(pass, i, j))
            cell_add(pass, desk, contact.force[0], (double[3]){contact.between.x[0], contact.between.y[0], contact.between.z[0]}, contact.distance[0], contact.in.overlap[0]);
        if (i != j)
            add_force(pass, i, j, contact.force[0], f, desk);
        if (pass->law.turns) {
            add_torque(pass, i, &contact, 1.0, t, desk, false);
            add_torque(pass, j, &contact, -1.0, t, desk, false);
        }
    }
}

static void add_grain_walls(const sim_pass* pass, const lanes* with, int64_t block, double (*f)[4], double (*t)[4], block_result* result)
{
    int words = pass->law.row.words;
    int64_t first = pass->near_first[block];
    int32_t live = 0;
    for (int64_t row = first; row < pass->near_first[block + 1]; ++row) {
        near_wall near = pass->near[row];
        grain_batch contact = {.count = 1, .i = {near.rank}, .j = {near.boundary}, .before = {grain_nothing}};
        bool keeps = words > 0 && pass->mode != SIM_REST;
        if (keeps)
            pass->wall_slots.slot_next[row] = -1;
        if (words > 0)
            contact.before[0] = slot_of(&pass->wall_slots, row, first, words, grain_nothing);
        grains_of_walls(pass, with, pass->law.parts, true, NULL, &contact);
        if (contact.inside[0] < 0.0 && !pass->boundaries[near.boundary].removes)
            result->escaped = near.rank;
        if (!contact.holds[0] || !(contact.overlap[0] > -pass->law.reach)) {
            if (keeps)
                account_ended(pass, &pass->wall_slots, row, first, near.rank, near.boundary, true, result);
            continue;
        }
        if (keeps)
            slot_write(&pass->wall_slots, row, first, &live, words, contact.words[0]);
        for (int k = 0; k < 3; ++k)
            f[near.rank][k] += contact.force[0][k];
        if (pass->law.turns)
            add_torque(pass, near.rank, &contact, 1.0, t, NULL, true);
        if (pass->law.parts.accounts) {
            account(pass, &contact, true, result);
            energy_add(&pass->scales, ENERGY_RATE + WORK_WALLS, contact.power[0], &result->sums);
        }
        if (pass->servos != NULL)
            motion_servo_add(pass, block, near.rank, near.boundary, contact.force[0], grain_twists(pass->law.parts) ? contact.twist[0] : NULL);
    }
}

// Rows of one block, so that slots are numbered as the fused pass numbers them.
static void add_rows(const sim_pass* pass, int64_t block, double (*f)[4], sim_desk* desk, block_result* result)
{
    int words = pass->law.row.words;
    int64_t first = pass->own[block];
    int32_t live = 0;
    for (int64_t row = first; row < pass->own[block + 1]; ++row) {
        int32_t i = pass->ij[row][0], j = pass->ij[row][1];
        const int8_t* shift = pass->shift == NULL ? NULL : pass->shift[row];
        double offset[3] = {0.0, 0.0, 0.0}, memory[law_words_most], force[3];
        bool keeps = words > 0 && pass->mode != SIM_REST;
        if (shift != NULL)
            cell_offset(&pass->cell, shift, offset);
        if (keeps)
            pass->pair_slots.slot_next[row] = -1;
        if (!scree_is_pair(pass->x[i], pass->x[j], offset, pass->law.reach))
            continue;
        pair_contact contact;
        if (words > 0)
            slot_read(&pass->pair_slots, row, pass->pair_base[block], words, memory);
        if (!contact_of_pair(pass, &pass->law, pass->law.parts, i, j, shift, memory, &contact))
            continue;
        ++result->contacts;
        if (keeps)
            slot_write(&pass->pair_slots, row, first, &live, words, memory);
        for (int k = 0; k < 3; ++k)
            force[k] = contact.push * contact.d[k];
        if (pass->cell_sums && cell_counts(pass, i, j))
            cell_add(pass, desk, force, (double[3]){contact.d[0], contact.d[1], contact.d[2]}, contact.distance, contact.overlap);
        if (i != j)  // its own image pushes it from both sides alike
            add_force(pass, i, j, force, f, desk);
    }
}

static void add_walls(const sim_pass* pass, int64_t block, double (*f)[4], block_result* result)
{
    int words = pass->law.row.words;
    int64_t first = pass->near_first[block];
    int32_t live = 0;
    for (int64_t row = first; row < pass->near_first[block + 1]; ++row) {
        near_wall near = pass->near[row];
        double memory[law_words_most];
        wall_contact contact;
        bool keeps = words > 0 && pass->mode != SIM_REST;
        if (keeps)
            pass->wall_slots.slot_next[row] = -1;
        if (words > 0)
            slot_read(&pass->wall_slots, row, first, words, memory);
        bool holds = contact_of_wall(pass, pass->law.parts, near, memory, &contact);
        if (contact.at.inside < 0.0 && !pass->boundaries[near.boundary].removes)
            result->escaped = near.rank;
        if (!holds)
            continue;
        if (keeps)
            slot_write(&pass->wall_slots, row, first, &live, words, memory);
        for (int k = 0; k < 3; ++k)
            f[near.rank][k] += contact.at.n[k] * contact.normal;
        if (pass->servos != NULL)
            motion_servo_add(pass, block, near.rank, near.boundary,
                             (double[3]){contact.at.n[0] * contact.normal, contact.at.n[1] * contact.normal, contact.at.n[2] * contact.normal}, NULL);
    }
}

scree_status sim_reference_pass(scree_sim* sim, const sim_pass* pass)
{
    double begin = scree_clock();
    double (*f)[4] = scree_malloc((size_t)pass->n, sizeof *f);
    double (*t)[4] = f != NULL && pass->law.turns ? scree_calloc((size_t)pass->n, sizeof *t) : NULL;
    if (f == NULL || (pass->law.turns && t == NULL)) {
        scree_free(f);
        return SCREE_ERR_MEMORY;
    }
    const sim_rows forces = {.at = f}, torques = {.at = t};
    bool grains = !law_is_single(&pass->law);
    lanes with[law_values];
    grain_spread(&pass->law.one, with);
    for (int32_t i = 0; i < pass->n; ++i)
        for (int k = 0; k < 4; ++k)
            f[i][k] = pass->force != NULL ? pass->force[i][k] : 0.0;
    for (int32_t i = 0; i < pass->n && pass->bond_force != NULL; ++i)
        for (int k = 0; k < 3; ++k) {
            f[i][k] += pass->bond_force[i][k];
            t[i][k] = pass->bond_torque[i][k];
        }
    for (int32_t i = 0; i < pass->n && pass->torque != NULL; ++i)
        for (int k = 0; k < 3; ++k)
            t[i][k] += pass->torque[i][k];
    for (int64_t b = 0; b < sim->blocks; ++b) {
        pass->result[b] = (block_result){.finite = true, .escaped = -1};
        if (grains)
            add_grain_rows(pass, with, b, f, t, &sim->desks[0], &pass->result[0]);
        else
            add_rows(pass, b, f, &sim->desks[0], &pass->result[0]);
    }
    for (int64_t b = 0; b < sim->blocks; ++b)
        if (grains)
            add_grain_walls(pass, with, b, f, t, &pass->result[0]);
        else
            add_walls(pass, b, f, &pass->result[0]);
    for (int64_t b = 0; b < sim->blocks && pass->surfaces != NULL; ++b)
        sim_surfaces_add(pass, b, sim_from(forces, b * sim_block), sim_from(torques, b * sim_block), &sim->desks[0], &pass->result[0]);
    if (pass->law.parts.accounts) {
        sim_powers(pass, 0, pass->n, pass->v, ENERGY_BEFORE, &pass->result[0].sums);
        sim_driven(pass, 0, pass->n, forces, torques, &pass->result[0]);
    }
    if (pass->drag.on && sim->blocks > 0)
        sim_drag_block(pass, 0, pass->n, forces, torques, &pass->result[0]);
    double middle = scree_clock();
    for (int32_t i = 0; i < pass->n; ++i) {
        if (!is_giant(pass, i)) {
            sim_integrate_one(pass, i, f[i], t != NULL ? t[i] : NULL, &pass->result[0]);
            continue;
        }
        giant_kept* kept = &pass->giant_kept[sim_giant_number(pass, i)];
        memcpy(kept->rest, f[i], sizeof kept->rest);
        if (t != NULL)
            memcpy(kept->turn, t[i], sizeof kept->turn);
        memcpy(kept->v, sim_at(pass->v, i), sizeof kept->v);
        if (pass->before != NULL)
            memcpy(kept->before, pass->before[i], sizeof kept->before);
    }
    if (sim->blocks > 0) {
        pass->result[0].seconds_force = middle - begin;
        pass->result[0].seconds_integrate = scree_clock() - middle;
    }
    if (pass->law.parts.accounts && pass->mode == SIM_STEP)
        sim_powers(pass, 0, pass->n, pass->v_next, ENERGY_AFTER, &pass->result[0].sums);
    scree_free(f);
    scree_free(t);
    return SCREE_OK;
}
