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
#include "sim/law_linear.h"

#include <string.h>

// The force of contact (i, j, shift) on i.
static inline void contact_force(const sim_pass* pass, int32_t i, int32_t j, const int8_t* shift, double force[3])
{
    const double *a = pass->x[i], *b = pass->x[j];
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, v[3] = {0.0, 0.0, 0.0}, inverse = 0.0;
    if (shift != NULL) {
        double offset[3];
        cell_offset(&pass->cell, shift, offset);
        for (int k = 0; k < 3; ++k)
            d[k] -= offset[k];
    }
    if (pass->law.damped) {
        const double *u = pass->p[i], *w = pass->p[j];
        for (int k = 0; k < 3; ++k)
            v[k] = u[k] - w[k];
        inverse = pass->v[i][3] + pass->v[j][3];
    }
    double along = law_force(&pass->law, d, (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2], a[3] + b[3], v, inverse);
    for (int k = 0; k < 3; ++k)
        force[k] = along * d[k];
}

static inline void add_to_giant(const sim_pass* pass, int32_t rank, const int64_t quanta[3], bool minus, bool fits, sim_desk* desk)
{
    int32_t g = sim_giant_number(pass, rank);
    for (int k = 0; k < 3 && fits; ++k)
        fits = minus ? !__builtin_sub_overflow(desk->sums[g][k], quanta[k], &desk->sums[g][k])
                     : !__builtin_add_overflow(desk->sums[g][k], quanta[k], &desk->sums[g][k]);
    if (!fits)
        desk->overflow = g;
}

// A contact with a giant, or of two. In own rows i is in the block, in incoming ones j is. Each is worked on once: where a partner is that is no giant, and
// in the row of i where there is none.
static inline void add_giant(const sim_pass* pass, int32_t i, int32_t j, const int8_t* shift, bool incoming, int32_t begin, int32_t end, sim_desk* desk)
{
    bool first = pass->x[i][3] >= pass->giant_radius, second = pass->x[j][3] >= pass->giant_radius;
    if (incoming ? second : !second && j >= end)
        return;
    double force[3];
    int64_t quanta[3];
    bool fits;
    contact_force(pass, i, j, shift, force);
    fits = giant_round(pass, force, quanta);
    if (first)
        add_to_giant(pass, i, quanta, false, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            desk->f[i - begin][k] += force[k];
    if (second)
        add_to_giant(pass, j, quanta, true, fits, desk);
    else
        for (int k = 0; k < 3; ++k)
            desk->f[j - begin][k] -= force[k];
}

// Forces of candidates first .. last-1 on the spheres of the block: on i unless they are incoming, on j if it is in the block. How many
// contacts there are. A sphere that touches its own image is pushed from both sides alike.
static inline __attribute__((always_inline)) int64_t add_pairs(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], int64_t first, int64_t last,
                                bool incoming, bool giants, int32_t begin, int32_t end, sim_desk* desk)
{
    int32_t found[sim_strip + 4];  // find_contacts writes four at once
    int64_t contacts = 0;
    double (*f)[4] = desk->f;
    for (int64_t c = first; c < last; c += sim_strip) {
        int32_t strip = last - c < sim_strip ? (int32_t)(last - c) : sim_strip;
        int32_t count = find_contacts(pass, ij + c, shift == NULL ? NULL : shift + c, strip, found);
        contacts += count;
        for (int32_t e = 0; e < count; ++e) {
            int32_t i = ij[c + found[e]][0], j = ij[c + found[e]][1];
            const int8_t* image = shift == NULL ? NULL : shift[c + found[e]];
            if (i == j)
                continue;
            if (giants && (pass->x[i][3] >= pass->giant_radius || pass->x[j][3] >= pass->giant_radius)) {
                add_giant(pass, i, j, image, incoming, begin, end, desk);
                continue;
            }
            double force[3];
            contact_force(pass, i, j, image, force);
            if (!incoming)
                for (int k = 0; k < 3; ++k)
                    f[i - begin][k] += force[k];
            if (j < end)  // and in the block: begin <= i < j, or it came in
                for (int k = 0; k < 3; ++k)
                    f[j - begin][k] -= force[k];
        }
    }
    return contacts;
}

static inline void add_walls(const sim_pass* pass, int64_t block, int32_t begin, double (*f)[4], block_told* told)
{
    for (int64_t e = pass->near_first[block]; e < pass->near_first[block + 1]; ++e) {
        int32_t i = pass->near[e].rank, face = pass->near[e].face, k = face >> 1;
        double side = face & 1 ? -1.0 : 1.0;
        double inside = side * (pass->x[i][k] - pass->wall_at[face]), overlap = pass->x[i][3] - inside;
        if (inside < 0.0 && told->escaped < 0) {
            told->escaped = i;
            told->face = face;
        }
        if (!(overlap > 0.0))
            continue;
        double towards = pass->law.damped ? side * (pass->wall_v[face] - pass->p[i][k]) : 0.0;
        f[i - begin][k] += side * law_wall_force(&pass->law, overlap, towards, pass->v[i][3]);
    }
}

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
    if (pass->giant_count == 0) {
        add_pairs(pass, pass->in_ij, pass->in_shift, pass->in[block], pass->in[block + 1], true, false, begin, end, desk);
        told->contacts = add_pairs(pass, pass->ij, pass->shift, pass->own[block], pass->own[block + 1], false, false, begin, end, desk);
    } else {
        add_pairs(pass, pass->in_ij, pass->in_shift, pass->in[block], pass->in[block + 1], true, true, begin, end, desk);
        told->contacts = add_pairs(pass, pass->ij, pass->shift, pass->own[block], pass->own[block + 1], false, true, begin, end, desk);
    }
    add_walls(pass, block, begin, desk->f, told);
    keep_giants(pass, first, last, desk->f);
    double middle = scree_clock();
    integrate(pass, first, last, desk->f, told);
    told->seconds_force = middle - start;
    told->seconds_integrate = scree_clock() - middle;
}

#endif
