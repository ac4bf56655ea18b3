// Contacts of laws of parts (grain.h), worked out several at a time: geometry, velocities and spins of the two, the law, and what follows for each.
//
// Places without a contact of their own repeat the last one, and their results are not used. No number of a contact depends on the others beside it.
#ifndef SCREE_SIM_GRAINS_H
#define SCREE_SIM_GRAINS_H

#include "sim/contact.h"
#include "sim/grain.h"

// Builds with sanitizers compile the two functions below once (look.c, with GRAINS_HERE), not into every pass: that takes minutes.
#if defined(SCREE_FEW_KERNELS)
#define GRAINS_FUNCTION
#else
#define GRAINS_FUNCTION LANES_INLINE
#endif

typedef struct grain_batch {
    int count;                      // 1 to lane_count
    int32_t i[lane_count], j[lane_count];    // of boundaries: rank and number of the boundary
    const int8_t* shift[lane_count];         // NULL: none
    const double* before[lane_count];        // what each remembers, seen from the first; NULL: nothing yet. Read in steps of four numbers
    // What comes out, of each contact:
    bool holds[lane_count];
    double words[lane_count][law_words_most];  // what it remembers then
    double force[lane_count][4];    // on the first
    double turn[lane_count][4];     // n x friction: the torque on each is -(its arm) times this; fourth: half the overlap, or that of boundaries
    double twist[lane_count][4];    // further torque on the first, the opposite on the second
    double rate[lane_count][owners], lost[lane_count][owners];  // this, the overlap and the power: only if law.parts.accounts
    double overlap[lane_count];
    double power[lane_count];       // of boundaries: what the surface does on the sphere
    double inside[lane_count];      // of boundaries
    // Only for those who look on:
    double d[lane_count][4];        // from the second to the first, and the distance; of boundaries the normal
    double friction[lane_count][4];
    bool sliding[lane_count];
} grain_batch;

#if defined(SCREE_FEW_KERNELS)
void grains_of_pairs(const sim_pass* pass, const sim_law* law, law_parts parts, bool looks, grain_batch* batch);
void grains_of_walls(const sim_pass* pass, const sim_law* law, law_parts parts, bool looks, grain_batch* batch);
#endif

static const double grain_nothing[law_words_most] = {0.0};

LANES_INLINE void grain_words_in(const grain_batch* batch, int words, lanes* out)
{
    const double* from[lane_count];
    for (int c = 0; c < lane_count; ++c)
        from[c] = batch->before[c] != NULL ? batch->before[c] : grain_nothing;
    for (int w = 0; w < words; w += 4) {
        four rows[lane_count];
        for (int c = 0; c < lane_count; ++c)
            four_load(&rows[c], from[c] + w);
        transpose(&rows[0], &rows[1], &rows[2], &rows[3]);
        for (int k = 0; k < 4; ++k)
            out[w + k] = rows[k];
    }
}

LANES_INLINE void grain_words_out(const lanes* in, int words, grain_batch* batch)
{
    for (int w = 0; w < words; w += 4) {
        four rows[4] = {in[w], in[w + 1], in[w + 2], in[w + 3]};
        transpose(&rows[0], &rows[1], &rows[2], &rows[3]);
        for (int c = 0; c < lane_count; ++c)
            four_store(&rows[c], &batch->words[c][w]);
    }
}

// Rows of the contacts, as three numbers each and a fourth.
LANES_INLINE void grain_columns(four rows[lane_count], three* out, lanes* fourth)
{
    transpose(&rows[0], &rows[1], &rows[2], &rows[3]);
    *out = (three){rows[0], rows[1], rows[2]};
    if (fourth != NULL)
        *fourth = rows[3];
}

LANES_INLINE void grain_rows(const three* in, const lanes* fourth, double out[lane_count][4])
{
    four rows[4] = {in->x, in->y, in->z, *fourth};
    transpose(&rows[0], &rows[1], &rows[2], &rows[3]);
    for (int c = 0; c < lane_count; ++c)
        four_store(&rows[c], out[c]);
}

// The law, and what pairs and boundaries have in common. The normal force is along `d`, which has the length `distance`; NULL: 1. `less` goes into the fourth place of
// `turn`. `looks`: for those who look on.
LANES_INLINE void grain_finish(law_parts parts, bool looks, const grain_in* in, const three* d, const lanes* distance, const lanes* less, grain_batch* batch)
{
    const int words = grain_layout_of(parts).words;
    lanes memory[law_words_most];
    const lanes none = ALL(0.0);
    grain_out out;
    grain_words_in(batch, words, memory);
    grain_eval(parts, in, memory, &out);
    grain_words_out(memory, words, batch);
    lanes push = distance != NULL ? KEEP(*distance > none, out.normal / *distance) : out.normal;
    three force = TIMES(push, *d);
    if (parts.tangential) {
        three turn = CROSS(in->n, out.friction);
        force = PLUS(force, out.friction);
        grain_rows(&turn, less, batch->turn);
        if (looks)
            grain_rows(&out.friction, &none, batch->friction);
    }
    grain_rows(&force, &none, batch->force);
    if (grain_twists(parts)) {
        three torque = {none, none, none};
        if (parts.rolling)
            torque = TIMES(in->radius, CROSS(in->n, out.rolling));
        if (parts.twisting != TWISTING_NONE)
            torque = PLUS(torque, TIMES(out.twisting, in->n));
        grain_rows(&torque, &none, batch->twist);
    }
    for (int c = 0; c < lane_count; ++c) {
        batch->holds[c] = !grain_reaches(parts) || out.holds[c] != 0;
        if (looks)
            batch->sliding[c] = out.sliding[c] != 0;
        if (looks || parts.accounts)
            batch->overlap[c] = in->overlap[c];
        for (int owner = 0; owner < owners && parts.accounts; ++owner) {
            batch->rate[c][owner] = out.rate[owner][c];
            batch->lost[c][owner] = out.lost[owner][c];
        }
    }
}

// Rows of the first less those of the second; in the fourth place their sum.
LANES_INLINE void grain_differences(const double (*rows)[4], const grain_batch* batch, four out[lane_count])
{
    const four_bits sign = {0, 0, 0, INT64_MIN};
    for (int c = 0; c < lane_count; ++c) {
        four a, b;
        four_load(&a, rows[batch->i[c]]);
        four_load(&b, rows[batch->j[c]]);
        out[c] = a - (four)((four_bits)b ^ sign);
    }
}

// Spins of both with their radii, and without: the sum of arm times spin is the former less `overlap / 2` times the latter.
LANES_INLINE void grain_spins(const sim_pass* pass, const double (*w)[4], const grain_batch* batch, three* with_radii, three* sum)
{
    four a[lane_count], b[lane_count];
    for (int c = 0; c < lane_count; ++c) {
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
LANES_INLINE void grain_fill(grain_batch* batch)
{
    for (int c = batch->count; c < lane_count; ++c) {
        batch->i[c] = batch->i[c - 1];
        batch->j[c] = batch->j[c - 1];
        batch->shift[c] = batch->shift[c - 1];
        batch->before[c] = batch->before[c - 1];
    }
}

LANES_INLINE void grain_held(const grain_batch* batch, lane_bits* out)
{
    int64_t held[lane_count];
    for (int c = 0; c < lane_count; ++c)
        held[c] = batch->before[c] != NULL ? -1 : 0;
    memcpy(out, held, sizeof held);
}

// Reduced radii.
LANES_INLINE void grain_products(const sim_pass* pass, const grain_batch* batch, const lanes* reach, lanes* out)
{
    double product[lane_count];
    for (int c = 0; c < lane_count; ++c)
        product[c] = pass->x[batch->i[c]][3] * pass->x[batch->j[c]][3];
    memcpy(out, product, sizeof product);
    *out = *out / *reach;
}

#if !defined(SCREE_FEW_KERNELS) || defined(GRAINS_HERE)

GRAINS_FUNCTION void grains_of_pairs(const sim_pass* pass, const sim_law* law, law_parts parts, bool looks, grain_batch* batch)
{
    const lanes none = ALL(0.0);
    const bool damped = parts.damping != DAMPING_NONE, turns = grain_turns(parts);
    const double (*v)[4] = (const double(*)[4])pass->v;
    const double (*p)[4] = parts.levels == LEVELS_HALF ? pass->p : v, (*wp)[4] = parts.levels == LEVELS_HALF ? pass->wp : pass->w;
        grain_in in;
    four rows[lane_count];
    lanes reach;
    three d;
    in.law = law;
    in.step = pass->whole[0];
    in.advance = pass->mode != SIM_REST;
    const bool halves = turns && in.advance;
    grain_fill(batch);
    grain_held(batch, &in.held);
    grain_differences(pass->x, batch, rows);
    for (int c = 0; c < lane_count; ++c) {
        const int8_t* shift = batch->shift[c];
        in.with[c] = law_with(law, pass->material, batch->i[c], batch->j[c]);
        if (shift != NULL && (shift[0] | shift[1] | shift[2]) != 0) {
            double offset[3];
            cell_offset(&pass->cell, shift, offset);
            rows[c] = rows[c] - (four){offset[0], offset[1], offset[2], 0.0};
        }
    }
    grain_columns(rows, &d, &reach);
    // Both roots and divisions at first: the rest is loaded while they are worked out.
    lanes distance = ROOT(DOT(d, d)), middle = distance, per = none, per_half = none;
    three moves = {none, none, none}, back = d;
    const lane_bits apart = distance > none;
    if (halves) {
        grain_differences(v, batch, rows);
        grain_columns(rows, &moves, NULL);
        back = MINUS(d, TIMES(ALL(0.5 * in.step), moves));
        middle = ROOT(DOT(back, back));
        per_half = KEEP(middle > none, 1.0 / middle);
    }
    if (turns)
        per = KEEP(apart, 1.0 / distance);
    in.overlap = reach - distance;
    in.overlap_half = reach - middle;
    in.radius = none;
    if (grain_is_curved(parts.normal) || grain_twists(parts) || parts.normal == NORMAL_PLASTIC || parts.bridge)
        grain_products(pass, batch, &reach, &in.radius);
    in.n = in.slide = in.roll = in.half = in.slide_half = in.roll_half = (three){none, none, none};
    in.twist = in.twist_half = in.twirl = in.along = in.inverse = none;
    if (turns)
        in.n = TIMES(per, d);
    if (damped) {
        three u;
        grain_differences(p, batch, rows);
        grain_columns(rows, &u, &in.inverse);
        in.along = turns ? DOT(u, in.n) : KEEP(apart, DOT(u, d) / distance);
        if (turns) {
            three radii, sum;
            grain_spins(pass, wp, batch, &radii, &sum);
            three spins = parts.levels == LEVELS_HALF ? MINUS(radii, TIMES(0.5 * in.overlap, sum)) : radii;
            in.slide = MINUS(MINUS(u, TIMES(in.along, in.n)), CROSS(spins, in.n));
        }
        if (grain_twists(parts)) {
            three difference;
            grain_differences(wp, batch, rows);
            grain_columns(rows, &difference, NULL);
            in.roll = TIMES(in.radius, CROSS(difference, in.n));
            in.twist = DOT(difference, in.n);
        }
    }
    if (halves) {
        three radii, sum;
        in.half = parts.levels == LEVELS_HALF ? TIMES(per_half, back) : in.n;
        grain_spins(pass, pass->w, batch, &radii, &sum);
        three spins = parts.levels == LEVELS_HALF ? MINUS(radii, TIMES(0.5 * in.overlap_half, sum)) : radii;
        in.slide_half = MINUS(MINUS(moves, TIMES(DOT(moves, in.half), in.half)), CROSS(spins, in.half));
        in.twirl = 0.5 * DOT(sum, in.half);
        if (grain_twists(parts)) {
            three difference;
            grain_differences(pass->w, batch, rows);
            grain_columns(rows, &difference, NULL);
            in.roll_half = TIMES(in.radius, CROSS(difference, in.half));
            in.twist_half = DOT(difference, in.half);
        }
    }
    lanes less = parts.levels == LEVELS_CLASSIC ? none : 0.5 * in.overlap;
    if (turns)
        grain_finish(parts, looks, &in, &in.n, NULL, &less, batch);
    else
        grain_finish(parts, looks, &in, &d, &distance, &less, batch);
    if (looks)
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
GRAINS_FUNCTION void grains_of_walls(const sim_pass* pass, const sim_law* law, law_parts parts, bool looks, grain_batch* batch)
{
    const lanes none = ALL(0.0);
    const bool damped = parts.damping != DAMPING_NONE, turns = grain_turns(parts);
    const double (*p)[4] = parts.levels == LEVELS_HALF ? pass->p : (const double(*)[4])pass->v;
    const double (*wp)[4] = parts.levels == LEVELS_HALF ? pass->wp : (const double(*)[4])pass->w;
    grain_in in = {.law = law, .step = pass->whole[0], .advance = pass->mode != SIM_REST};
    three difference = {none, none, none}, difference_half = difference;
    in.slide = in.slide_half = in.half = difference;
    in.along = in.inverse = in.twirl = none;
    double surface[lane_count][3], spin[lane_count][3];
    grain_fill(batch);
    grain_held(batch, &in.held);
    for (int c = 0; c < lane_count; ++c) {
        const sim_boundary* b = &pass->boundaries[batch->j[c]];
        int32_t i = batch->i[c];
        const double* x = pass->x[i];
        boundary_point at;
        boundary_surface(b, x, &at);
        batch->inside[c] = at.inside;
        in.with[c] = law_with_material(law, pass->material, i, b->material);
        in.overlap[c] = in.overlap_half[c] = x[3] - at.inside;
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
            in.overlap_half[c] = x[3] - half.inside;
            in.twirl[c] = 0.5 * (((w[0] + b->spin[0]) * half.n[0] + (w[1] + b->spin[1]) * half.n[1]) + (w[2] + b->spin[2]) * half.n[2]);
        }
    }
    if (grain_twists(parts)) {
        in.roll = TIMES(in.radius, CROSS(difference, in.n));
        in.roll_half = TIMES(in.radius, CROSS(difference_half, in.half));
        in.twist = DOT(difference, in.n);
        in.twist_half = DOT(difference_half, in.half);
    }
    lanes less = parts.levels == LEVELS_HALF ? in.overlap : none;  // LAMMPS takes the radius, in both of its styles
    grain_finish(parts, looks, &in, &in.n, NULL, &less, batch);
    if (looks)
        grain_rows(&in.n, &none, batch->d);
    for (int c = 0; c < batch->count && parts.accounts; ++c) {
        const double *f = batch->force[c], *v = surface[c], *t = batch->twist[c];
        batch->power[c] = (f[0] * v[0] + f[1] * v[1]) + f[2] * v[2];
        if (grain_twists(parts))
            batch->power[c] += (t[0] * spin[c][0] + t[1] * spin[c][1]) + t[2] * spin[c][2];
    }
}

#endif  // GRAINS_HERE

#endif
