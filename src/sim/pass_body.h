// One block of a pass (sim_inner.h says what a pass is). Compiled twice: pass_plain.c for any machine, pass_avx2.c for those that
// have AVX2. Before this is included, the file defines
//
//     static int32_t find_contacts(const sim_pass*, const int32_t (*ij)[2], const int8_t (*shift)[3], int32_t count, int32_t* out);
//     static void integrate(const sim_pass*, int64_t first, int64_t last, double (*f)[4], block_told*);
//
// the two loops over many spheres that wide instructions speed up. Both versions of each do the same operations in the same order for
// each sphere, so that the bits are the same.
#ifndef SCREE_SIM_PASS_BODY_H
#define SCREE_SIM_PASS_BODY_H

#include "base/clock.h"
#include "sim/contact.h"

#include <string.h>

static inline void add_to_giant(const sim_pass* pass, int32_t rank, const int64_t quanta[3], bool minus, bool fits, sim_desk* desk)
{
    int32_t g = sim_giant_number(pass, rank);
    for (int k = 0; k < 3 && fits; ++k)
        fits = minus ? !__builtin_sub_overflow(desk->sums[g][k], quanta[k], &desk->sums[g][k])
                     : !__builtin_add_overflow(desk->sums[g][k], quanta[k], &desk->sums[g][k]);
    if (!fits)
        desk->overflow = g;
}

// A contact with a giant, or of two. In own rows i is in the block, in incoming ones j is. Its force counts once: where a partner is that is no giant, and in
// the row of i where there is none.
static inline bool counts_here(const sim_pass* pass, int32_t j, bool incoming, int32_t end)
{
    bool second = pass->x[j][3] >= pass->giant_radius;
    return incoming ? !second : second || j < end;
}

static inline void add_giant(const sim_pass* pass, int32_t i, int32_t j, double force[3], int32_t begin, sim_desk* desk)
{
    int64_t quanta[3];
    bool fits = giant_round(pass, force, quanta);
    if (pass->x[i][3] >= pass->giant_radius)
        add_to_giant(pass, i, quanta, false, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            desk->f[i - begin][k] += force[k];
    if (pass->x[j][3] >= pass->giant_radius)
        add_to_giant(pass, j, quanta, true, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            desk->f[j - begin][k] -= force[k];
}

// Candidates first .. last-1 of a block: its own rows, or those that come in.
typedef struct strip {
    const int32_t (*ij)[2];
    const int8_t (*shift)[3];
    int64_t first, last;
} strip;

// Forces of candidates on the spheres of the block: on i unless they are incoming, on j if it is in the block. How many contacts there are. A sphere that
// touches its own image is pushed from both sides alike. What contacts remember goes on in own rows only.
static inline __attribute__((always_inline)) int64_t add_pairs(const sim_pass* pass, law_kind kind, bool damped, bool giants, bool incoming, const strip* rows,
                                                               int64_t block, int32_t begin, int32_t end, sim_desk* desk)
{
    const sim_law law = pass->law;  // a copy of its own: stores of forces cannot change it
    int32_t found[sim_strip + 4];  // find_contacts writes four at once
    int64_t contacts = 0;
    int32_t live = 0;
    const int words = law_words(kind);
    const bool keeps = words > 0 && !incoming && pass->mode != SIM_REST;
    double (*f)[4] = desk->f;
    if (keeps)
        memset(pass->pair_slots.slot_next + rows->first, 0xff, (size_t)(rows->last - rows->first) * sizeof *pass->pair_slots.slot_next);
    for (int64_t c = rows->first; c < rows->last; c += sim_strip) {
        int32_t count = rows->last - c < sim_strip ? (int32_t)(rows->last - c) : sim_strip;
        count = find_contacts(pass, rows->ij + c, rows->shift == NULL ? NULL : rows->shift + c, count, found);
        contacts += count;
        for (int32_t e = 0; e < count; ++e) {
            int64_t at = c + found[e];
            int32_t i = rows->ij[at][0], j = rows->ij[at][1];
            bool giant = giants && (pass->x[i][3] >= pass->giant_radius || pass->x[j][3] >= pass->giant_radius);
            if (words == 0 && (i == j || (giant && !counts_here(pass, j, incoming, end))))
                continue;
            double memory[law_words_most];
            pair_contact contact;
            if (words > 0)
                slot_read(&pass->pair_slots, incoming ? pass->in_row[at] : at, pass->own[incoming ? i / sim_block : block], words, memory);
            if (!contact_of_pair(pass, &law, kind, damped, i, j, rows->shift == NULL ? NULL : rows->shift[at], memory, &contact)) {
                --contacts;
                continue;
            }
            if (keeps)
                slot_write(&pass->pair_slots, at, rows->first, &live, words, memory);
            if (words > 0 && (i == j || (giant && !counts_here(pass, j, incoming, end))))
                continue;
            four force = contact.push * contact.d, sum;
            if (giant) {
                add_giant(pass, i, j, (double[3]){force[0], force[1], force[2]}, begin, desk);
                continue;
            }
            if (!incoming) {
                four_load(&sum, f[i - begin]);
                sum += force;
                memcpy(f[i - begin], &sum, sizeof sum);
            }
            if (j < end) {  // and in the block: begin <= i < j, or it came in
                four_load(&sum, f[j - begin]);
                sum -= force;
                memcpy(f[j - begin], &sum, sizeof sum);
            }
        }
    }
    return contacts;
}

static inline __attribute__((always_inline)) void add_walls(const sim_pass* pass, law_kind kind, int64_t block, int32_t begin, double (*f)[4], block_told* told)
{
    const int words = law_words(kind);
    const bool keeps = words > 0 && pass->mode != SIM_REST;
    int64_t first = pass->near_first[block], last = pass->near_first[block + 1];
    int32_t live = 0;
    if (keeps)
        memset(pass->wall_slots.slot_next + first, 0xff, (size_t)(last - first) * sizeof *pass->wall_slots.slot_next);
    for (int64_t e = first; e < last; ++e) {
        near_wall near = pass->near[e];
        double memory[law_words_most];
        wall_contact contact;
        if (words > 0)
            slot_read(&pass->wall_slots, e, first, words, memory);
        bool holds = contact_of_wall(pass, kind, near, memory, &contact);
        if (contact.at.inside < 0.0 && told->escaped < 0)
            told->escaped = near.rank;
        if (!holds)
            continue;
        if (keeps)
            slot_write(&pass->wall_slots, e, first, &live, words, memory);
        for (int k = 0; k < 3; ++k)
            f[near.rank - begin][k] += contact.at.n[k] * contact.normal;
    }
}

// One loop for each case, none of which looks at it again.
static inline __attribute__((always_inline)) int64_t add_strip(const sim_pass* pass, law_kind kind, bool incoming, const strip* rows, int64_t block, int32_t begin,
                                                               int32_t end, sim_desk* desk)
{
    if (pass->giant_count > 0)
        return add_pairs(pass, kind, pass->law.damped, true, incoming, rows, block, begin, end, desk);
    return pass->law.damped ? add_pairs(pass, kind, true, false, incoming, rows, block, begin, end, desk)
                            : add_pairs(pass, kind, false, false, incoming, rows, block, begin, end, desk);
}

// Functions of their own for each law, so that each has the registers to itself.
#define LAW(name)                                                                                                                               \
    static __attribute__((noinline)) int64_t add_own_##name(const sim_pass* pass, int64_t block, int32_t begin, int32_t end, sim_desk* desk)   \
    {                                                                                                                                           \
        const strip own = {.ij = pass->ij, .shift = pass->shift, .first = pass->own[block], .last = pass->own[block + 1]};                     \
        return add_strip(pass, LAW_##name, false, &own, block, begin, end, desk);                                                               \
    }                                                                                                                                           \
    static __attribute__((noinline)) void add_incoming_##name(const sim_pass* pass, int64_t block, int32_t begin, int32_t end, sim_desk* desk) \
    {                                                                                                                                           \
        const strip in = {.ij = pass->in_ij, .shift = pass->in_shift, .first = pass->in[block], .last = pass->in[block + 1]};                  \
        add_strip(pass, LAW_##name, true, &in, block, begin, end, desk);                                                                        \
    }                                                                                                                                           \
    static __attribute__((noinline)) void add_walls_##name(const sim_pass* pass, int64_t block, int32_t begin, double (*f)[4], block_told* told) \
    {                                                                                                                                           \
        add_walls(pass, LAW_##name, block, begin, f, told);                                                                                     \
    }
SIM_LAWS(LAW)
#undef LAW

// What the block knows of its giants, for the end of the pass: the block itself moves them as if they touched nobody.
static inline void keep_giants(const sim_pass* pass, int64_t first, int64_t last, double (*f)[4])
{
    int32_t g = pass->giant_count > 0 ? sim_giant_number(pass, (int32_t)first) : 0;
    for (; g < pass->giant_count && pass->giants[g] < last; ++g) {
        int32_t rank = pass->giants[g];
        if (rank < first)
            continue;
        giant_kept* kept = &pass->giant_kept[g];
        memcpy(kept->rest, f[rank - first], sizeof kept->rest);
        memcpy(kept->v, pass->v[rank], sizeof kept->v);
        if (pass->before != NULL)
            memcpy(kept->before, pass->before[rank], sizeof kept->before);
    }
}

static inline void work_on_block(const sim_pass* pass, int64_t block, sim_desk* desk)
{
    int64_t first = block * sim_block, last = first + sim_block < pass->n ? first + sim_block : pass->n;
    int32_t begin = (int32_t)first, end = (int32_t)last;
    block_told* told = &pass->told[block];
    double start = scree_clock();
    *told = (block_told){.finite = true, .escaped = -1};
    if (pass->force != NULL)
        memcpy(desk->f, pass->force[first], (size_t)(last - first) * sizeof *desk->f);
    else
        memset(desk->f, 0, (size_t)(last - first) * sizeof *desk->f);
#define LAW(name)                                                        \
    case LAW_##name:                                                     \
        add_incoming_##name(pass, block, begin, end, desk);              \
        told->contacts = add_own_##name(pass, block, begin, end, desk);  \
        add_walls_##name(pass, block, begin, desk->f, told);             \
        break;
    switch ((law_kind)pass->law.kind) {
        SIM_LAWS(LAW)
    case LAW_COUNT:
        break;
    }
#undef LAW
    keep_giants(pass, first, last, desk->f);
    double middle = scree_clock();
    integrate(pass, first, last, desk->f, told);
    told->seconds_force = middle - start;
    told->seconds_integrate = scree_clock() - middle;
}

#endif
