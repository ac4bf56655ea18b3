// The reference: a pass as one would write it down. Every candidate is looked at once, in order; then every sphere near a boundary; then all are moved. One
// thread, no wide instructions, no blocks of work: the judge of every faster way, which must give its bits.
#include "sim/contact.h"

#include "base/clock.h"
#include "geom/pair.h"

static bool is_giant(const sim_pass* pass, int32_t rank)
{
    return pass->giant_count > 0 && pass->x[rank][3] >= pass->giant_radius;
}

// In whole quanta, on the desk; sim_giants_end takes it from there.
static void add_quanta(const sim_pass* pass, int32_t rank, const int64_t quanta[3], int sign, bool fits, sim_desk* desk)
{
    int32_t g = sim_giant_number(pass, rank);
    for (int k = 0; k < 3 && fits; ++k)
        fits = !__builtin_add_overflow(desk->sums[g][k], sign * quanta[k], &desk->sums[g][k]);
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
        add_quanta(pass, i, quanta, 1, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            f[i][k] += force[k];
    if (other)
        add_quanta(pass, j, quanta, -1, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            f[j][k] -= force[k];
}

// Rows of one block, so that slots are numbered as the fused pass numbers them.
static void add_rows(const sim_pass* pass, int64_t block, double (*f)[4], sim_desk* desk, block_told* told)
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
            slot_read(&pass->pair_slots, row, first, words, memory);
        if (!contact_of_pair(pass, &pass->law, (law_kind)pass->law.kind, pass->law.damped, i, j, shift, memory, &contact))
            continue;
        ++told->contacts;
        if (keeps)
            slot_write(&pass->pair_slots, row, first, &live, words, memory);
        for (int k = 0; k < 3; ++k)
            force[k] = contact.push * contact.d[k];
        if (i != j)  // its own image pushes it from both sides alike
            add_force(pass, i, j, force, f, desk);
    }
}

static void add_walls(const sim_pass* pass, int64_t block, double (*f)[4], block_told* told)
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
        bool holds = contact_of_wall(pass, (law_kind)pass->law.kind, near, memory, &contact);
        if (contact.at.inside < 0.0)
            told->escaped = near.rank;
        if (!holds)
            continue;
        if (keeps)
            slot_write(&pass->wall_slots, row, first, &live, words, memory);
        for (int k = 0; k < 3; ++k)
            f[near.rank][k] += contact.at.n[k] * contact.normal;
    }
}

scree_status sim_reference_pass(scree_sim* sim, const sim_pass* pass)
{
    double begin = scree_clock();
    double (*f)[4] = scree_malloc((size_t)pass->n, sizeof *f);
    if (f == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < pass->n; ++i)
        for (int k = 0; k < 4; ++k)
            f[i][k] = pass->force != NULL ? pass->force[i][k] : 0.0;
    for (int64_t b = 0; b < sim->blocks; ++b) {
        pass->told[b] = (block_told){.finite = true, .escaped = -1};
        add_rows(pass, b, f, &sim->desks[0], &pass->told[0]);
    }
    for (int64_t b = 0; b < sim->blocks; ++b)
        add_walls(pass, b, f, &pass->told[0]);
    double middle = scree_clock();
    for (int32_t i = 0; i < pass->n; ++i) {
        if (!is_giant(pass, i)) {
            sim_integrate_one(pass, i, f[i], &pass->told[0]);
            continue;
        }
        giant_kept* kept = &pass->giant_kept[sim_giant_number(pass, i)];
        memcpy(kept->rest, f[i], sizeof kept->rest);
        memcpy(kept->v, pass->v[i], sizeof kept->v);
        if (pass->before != NULL)
            memcpy(kept->before, pass->before[i], sizeof kept->before);
    }
    if (sim->blocks > 0) {
        pass->told[0].seconds_force = middle - begin;
        pass->told[0].seconds_integrate = scree_clock() - middle;
    }
    scree_free(f);
    return SCREE_OK;
}
