// Contacts of laws of parts (grain.h), worked out four at a time: geometry, velocities and spins of the two, the law, and what follows for each.
//
// Places without a contact of their own repeat the last one, and their results are not used. No number of a contact depends on the others beside it.
#ifndef SCREE_SIM_GRAINS_H
#define SCREE_SIM_GRAINS_H

#include "sim/contact.h"
#include "sim/grain.h"

typedef struct grain_batch {
    int count;             // 1 to 4
    int32_t i[4], j[4];    // of boundaries: rank and number of the boundary
    const int8_t* shift[4];  // NULL: none
    bool held[4];
    double words[4][law_words_most];  // seen from the first
    // What comes out, of each contact:
    bool holds[4];
    double force[4][4];    // on the first
    double turn[4][4];     // n x friction: the torque on each is -(its arm) times this; fourth: half the overlap, or that of boundaries
    double twist[4][4];    // further torque on the first, the opposite on the second
    double overlap[4];
    double d[4][4];        // from the second to the first; of boundaries the normal
    double normal[4];
    double friction[4][4];
    bool sliding[4];
    double rate[4][owners], lost[4][owners];
    double power[4];       // of boundaries: what the surface does on the sphere; only if law.accounts
    double inside[4];      // of boundaries
} grain_batch;

LANES_INLINE void grain_words_in(const grain_batch* batch, int words, four* out)
{
    for (int w = 0; w < words; w += 4) {
        four a, b, c, d;
        four_load(&a, &batch->words[0][w]);
        four_load(&b, &batch->words[1][w]);
        four_load(&c, &batch->words[2][w]);
        four_load(&d, &batch->words[3][w]);
        transpose(&a, &b, &c, &d);
        out[w] = a;
        out[w + 1] = b;
        out[w + 2] = c;
        out[w + 3] = d;
    }
}

LANES_INLINE void grain_words_out(const four* in, int words, grain_batch* batch)
{
    for (int w = 0; w < words; w += 4) {
        four a = in[w], b = in[w + 1], c = in[w + 2], d = in[w + 3];
        transpose(&a, &b, &c, &d);
        memcpy(&batch->words[0][w], &a, sizeof a);
        memcpy(&batch->words[1][w], &b, sizeof b);
        memcpy(&batch->words[2][w], &c, sizeof c);
        memcpy(&batch->words[3][w], &d, sizeof d);
    }
}

// Rows of four contacts, as three numbers each and a fourth.
LANES_INLINE void grain_columns(four rows[4], three* out, four* fourth)
{
    transpose(&rows[0], &rows[1], &rows[2], &rows[3]);
    *out = (three){rows[0], rows[1], rows[2]};
    if (fourth != NULL)
        *fourth = rows[3];
}

LANES_INLINE void grain_rows(const three* in, const four* fourth, double out[4][4])
{
    four a = in->x, b = in->y, c = in->z, d = *fourth;
    transpose(&a, &b, &c, &d);
    memcpy(out[0], &a, sizeof a);
    memcpy(out[1], &b, sizeof b);
    memcpy(out[2], &c, sizeof c);
    memcpy(out[3], &d, sizeof d);
}

// Velocity of the surfaces against each other, across n: v of the centres, `spins` the sum of arm times spin of both.
#define GRAIN_SLIP(v, spins, n) MINUS(MINUS(v, TIMES(DOT(v, n), n)), CROSS(spins, n))

// The law, and what pairs and boundaries have in common. The normal force is along `d`, which has the length `distance`; NULL: 1. `less` goes into the fourth place of
// `turn`.
LANES_INLINE void grain_finish(law_parts parts, const grain_in* in, const three* d, const four* distance, const four* less, grain_batch* batch)
{
    const int words = grain_layout_of(parts).words;
    four memory[law_words_most];
    const four none = FOUR(0.0);
    grain_out out;
    grain_words_in(batch, words, memory);
    grain_eval(parts, in, memory, &out);
    grain_words_out(memory, words, batch);
    four push = distance != NULL ? KEEP(*distance > none, out.normal / *distance) : out.normal;
    three force = TIMES(push, *d);
    if (parts.tangential) {
        three turn = CROSS(in->n, out.friction);
        force = PLUS(force, out.friction);
        grain_rows(&turn, less, batch->turn);
        grain_rows(&out.friction, &none, batch->friction);
    }
    grain_rows(&force, &none, batch->force);
    if (parts.rolling || parts.twisting != TWISTING_NONE) {
        three torque = {none, none, none};
        if (parts.rolling)
            torque = TIMES(in->radius, CROSS(in->n, out.rolling));
        if (parts.twisting != TWISTING_NONE)
            torque = PLUS(torque, TIMES(out.twisting, in->n));
        grain_rows(&torque, &none, batch->twist);
    }
    for (int c = 0; c < 4; ++c) {
        batch->holds[c] = out.holds[c] != 0;
        batch->sliding[c] = out.sliding[c] != 0;
        batch->overlap[c] = in->overlap[c];
        batch->normal[c] = out.normal[c];
        for (int owner = 0; owner < owners && in->law->accounts; ++owner) {
            batch->rate[c][owner] = out.rate[owner][c];
            batch->lost[c][owner] = out.lost[owner][c];
        }
    }
}

// Rows of the first less those of the second; in the fourth place their sum.
LANES_INLINE void grain_differences(const double (*rows)[4], const grain_batch* batch, four out[4])
{
    const four_bits sign = {0, 0, 0, INT64_MIN};
    for (int c = 0; c < 4; ++c) {
        four a, b;
        four_load(&a, rows[batch->i[c]]);
        four_load(&b, rows[batch->j[c]]);
        out[c] = a - (four)((four_bits)b ^ sign);
    }
}

// Spins of both with their radii, and without: the sum of arm times spin is the former less `overlap / 2` times the latter.
LANES_INLINE void grain_spins(const sim_pass* pass, const double (*w)[4], const grain_batch* batch, three* with_radii, three* sum)
{
    four a[4], b[4];
    for (int c = 0; c < 4; ++c) {
        four one, other;
        four_load(&one, w[batch->i[c]]);
        four_load(&other, w[batch->j[c]]);
        a[c] = pass->x[batch->i[c]][3] * one + pass->x[batch->j[c]][3] * other;
        b[c] = one + other;
    }
    grain_columns(a, with_radii, NULL);
    grain_columns(b, sum, NULL);
}

// Places without a contact.
LANES_INLINE void grain_fill(grain_batch* batch, int words)
{
    for (int c = batch->count; c < 4; ++c) {
        batch->i[c] = batch->i[c - 1];
        batch->j[c] = batch->j[c - 1];
        batch->shift[c] = batch->shift[c - 1];
        batch->held[c] = batch->held[c - 1];
        memcpy(batch->words[c], batch->words[c - 1], (size_t)words * sizeof(double));
    }
}

LANES_INLINE void grains_of_pairs(const sim_pass* pass, const sim_law* law, law_parts parts, grain_batch* batch)
{
    const four none = FOUR(0.0);
    const bool damped = parts.damping != DAMPING_NONE, turns = parts.tangential || parts.rolling || parts.twisting != TWISTING_NONE;
    const bool twists = parts.rolling || parts.twisting != TWISTING_NONE;
    const double (*p)[4] = parts.levels == LEVELS_HALF ? pass->p : (const double(*)[4])pass->v;
    const double (*wp)[4] = parts.levels == LEVELS_HALF ? pass->wp : (const double(*)[4])pass->w;
    grain_in in = {.law = law, .step = pass->whole[0], .advance = pass->mode != SIM_REST};
    four rows[4], reach;
    three d;
    grain_fill(batch, grain_layout_of(parts).words);
    grain_differences(pass->x, batch, rows);
    for (int c = 0; c < 4; ++c) {
        const int8_t* shift = batch->shift[c];
        in.with[c] = law_with(law, pass->material, batch->i[c], batch->j[c]);
        in.held[c] = batch->held[c] ? -1 : 0;
        if (shift != NULL && (shift[0] | shift[1] | shift[2]) != 0) {
            double offset[3];
            cell_offset(&pass->cell, shift, offset);
            for (int k = 0; k < 3; ++k)
                rows[c][k] -= offset[k];
        }
    }
    grain_columns(rows, &d, &reach);
    four distance = ROOT(DOT(d, d));
    four_bits apart = distance > none;
    in.overlap = reach - distance;
    four product = none;
    if (grain_is_curved(parts.normal) || parts.rolling || parts.twisting != TWISTING_NONE || parts.normal == NORMAL_PLASTIC || parts.bridge) {
        for (int c = 0; c < 4; ++c)
            product[c] = pass->x[batch->i[c]][3] * pass->x[batch->j[c]][3];
        in.radius = product / reach;
    }
    if (damped) {
        three u;
        grain_differences(p, batch, rows);
        grain_columns(rows, &u, &in.inverse);
        in.along = KEEP(apart, DOT(u, d) / distance);
        if (turns) {
            three radii, sum;
            in.n = (three){KEEP(apart, d.x / distance), KEEP(apart, d.y / distance), KEEP(apart, d.z / distance)};
            grain_spins(pass, wp, batch, &radii, &sum);
            three spins = parts.levels == LEVELS_HALF ? MINUS(radii, TIMES(0.5 * in.overlap, sum)) : radii;
            in.slide = GRAIN_SLIP(u, spins, in.n);
            if (twists) {
                three difference;
                grain_differences(wp, batch, rows);
                grain_columns(rows, &difference, NULL);
                in.roll = TIMES(in.radius, CROSS(difference, in.n));
                in.twist = DOT(difference, in.n);
            }
        }
    } else if (turns) {
        in.n = (three){KEEP(apart, d.x / distance), KEEP(apart, d.y / distance), KEEP(apart, d.z / distance)};
        in.slide = in.roll = (three){none, none, none};
        in.twist = none;
    }
    if (turns && in.advance) {
        three v, radii, sum, back;
        grain_differences((const double(*)[4])pass->v, batch, rows);
        grain_columns(rows, &v, NULL);
        back = MINUS(d, TIMES(FOUR(0.5 * in.step), v));
        four middle = ROOT(DOT(back, back)), per = KEEP(middle > none, 1.0 / middle), overlap = reach - middle;
        in.half = TIMES(per, back);
        grain_spins(pass, (const double(*)[4])pass->w, batch, &radii, &sum);
        if (parts.levels != LEVELS_HALF)
            in.half = in.n;
        three spins = parts.levels == LEVELS_HALF ? MINUS(radii, TIMES(0.5 * overlap, sum)) : radii;
        in.slide_half = GRAIN_SLIP(v, spins, in.half);
        in.twirl = 0.5 * DOT(sum, in.half);
        if (twists) {
            three difference;
            grain_differences((const double(*)[4])pass->w, batch, rows);
            grain_columns(rows, &difference, NULL);
            in.roll_half = TIMES(in.radius, CROSS(difference, in.half));
            in.twist_half = DOT(difference, in.half);
        }
    }
    four less = parts.levels == LEVELS_CLASSIC ? none : 0.5 * in.overlap;
    grain_finish(parts, &in, &d, &distance, &less, batch);
    grain_rows(&d, &distance, batch->d);
}

LANES_INLINE void put_three(three* to, int c, const double from[3])
{
    to->x[c] = from[0];
    to->y[c] = from[1];
    to->z[c] = from[2];
}

// Of a sphere that moves with u and turns with w, and a surface with the velocity v where they touch; the arm is l.
static inline void surface_slip(const double u[3], const double w[3], const double v[3], const double n[3], double l, double out[3])
{
    double s[3] = {u[0] - v[0], u[1] - v[1], u[2] - v[2]}, along = (s[0] * n[0] + s[1] * n[1]) + s[2] * n[2];
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = (s[k] - along * n[k]) - ((l * w[a]) * n[b] - (l * w[b]) * n[a]);
    }
}

// Contacts with boundaries: entries of the spheres near them.
LANES_INLINE void grains_of_walls(const sim_pass* pass, const sim_law* law, law_parts parts, grain_batch* batch)
{
    const four none = FOUR(0.0);
    const bool damped = parts.damping != DAMPING_NONE, turns = parts.tangential || parts.rolling || parts.twisting != TWISTING_NONE;
    const double (*p)[4] = parts.levels == LEVELS_HALF ? pass->p : (const double(*)[4])pass->v;
    const double (*wp)[4] = parts.levels == LEVELS_HALF ? pass->wp : (const double(*)[4])pass->w;
    grain_in in = {.law = law, .step = pass->whole[0], .advance = pass->mode != SIM_REST};
    three difference = {none, none, none}, difference_half = difference;
    in.slide = in.slide_half = in.half = difference;
    in.along = in.inverse = in.twirl = none;
    double surface[4][3], spin[4][3];
    grain_fill(batch, grain_layout_of(parts).words);
    for (int c = 0; c < 4; ++c) {
        const sim_boundary* b = &pass->boundaries[batch->j[c]];
        int32_t i = batch->i[c];
        const double* x = pass->x[i];
        boundary_point at;
        boundary_surface(b, x, &at);
        batch->inside[c] = at.inside;
        in.with[c] = law_with_material(law, pass->material, i, b->material);
        in.held[c] = batch->held[c] ? -1 : 0;
        in.overlap[c] = x[3] - at.inside;
        in.radius[c] = x[3];
        put_three(&in.n, c, at.n);
        memcpy(spin[c], b->spin, sizeof spin[c]);
        boundary_velocity(b, x, at.n, at.inside, surface[c]);
        if (damped) {
            const double *u = p[i], *v = surface[c];
            in.along[c] = ((u[0] - v[0]) * at.n[0] + (u[1] - v[1]) * at.n[1]) + (u[2] - v[2]) * at.n[2];
            in.inverse[c] = u[3];
        }
        if (damped && turns) {
            double slip[3], turn[3] = {wp[i][0] - b->spin[0], wp[i][1] - b->spin[1], wp[i][2] - b->spin[2]};
            surface_slip(p[i], wp[i], surface[c], at.n, parts.levels == LEVELS_HALF ? at.inside : x[3], slip);
            put_three(&in.slide, c, slip);
            put_three(&difference, c, turn);
        }
        if (turns && in.advance) {
            const double *v = pass->v[i], *w = pass->w[i];
            double back[3], moves[3], slip[3], turn[3] = {w[0] - b->spin[0], w[1] - b->spin[1], w[2] - b->spin[2]};
            boundary_point half = at;
            for (int k = 0; k < 3; ++k)
                back[k] = x[k] - 0.5 * in.step * (v[k] - b->velocity[k]);
            if (parts.levels == LEVELS_HALF)
                boundary_surface(b, back, &half);
            boundary_velocity(b, back, half.n, half.inside, moves);
            surface_slip(v, w, moves, half.n, parts.levels == LEVELS_HALF ? half.inside : x[3], slip);
            put_three(&in.half, c, half.n);
            put_three(&in.slide_half, c, slip);
            put_three(&difference_half, c, turn);
            in.twirl[c] = 0.5 * (((w[0] + b->spin[0]) * half.n[0] + (w[1] + b->spin[1]) * half.n[1]) + (w[2] + b->spin[2]) * half.n[2]);
        }
    }
    if (parts.rolling || parts.twisting != TWISTING_NONE) {
        in.roll = TIMES(in.radius, CROSS(difference, in.n));
        in.roll_half = TIMES(in.radius, CROSS(difference_half, in.half));
        in.twist = DOT(difference, in.n);
        in.twist_half = DOT(difference_half, in.half);
    }
    four less = parts.levels == LEVELS_HALF ? in.overlap : none;  // LAMMPS takes the radius, in both of its styles
    grain_finish(parts, &in, &in.n, NULL, &less, batch);
    grain_rows(&in.n, &none, batch->d);
    for (int c = 0; c < batch->count && law->accounts; ++c) {
        const double *f = batch->force[c], *v = surface[c], *t = batch->twist[c];
        batch->power[c] = (f[0] * v[0] + f[1] * v[1]) + f[2] * v[2];
        if (parts.rolling || parts.twisting != TWISTING_NONE)
            batch->power[c] += (t[0] * spin[c][0] + t[1] * spin[c][1]) + t[2] * spin[c][2];
    }
}

#endif
