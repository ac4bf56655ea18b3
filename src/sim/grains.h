// Contacts of laws of parts (grain.h), computed several at a time: geometry, velocities and spins of the two, the law, and what follows for each.
//
// A batch has one contact in each lane. The numbers of a contact follow from each other by four or five roots and as many divisions, and each waits for the one before.
// So many batches are computed together, in stages: the first stage of all, then the second of all. A stage is short enough for the machine to begin the next batch
// while it waits for a root of this one. What stages hand on stays in the batches, about 2 KB each; grain_group of them fit into the cache next to the processor.
//
// Places without a contact of their own repeat the last one, and their results are not used. No number of a contact depends on the others beside it.
#ifndef SCREE_SIM_GRAINS_H
#define SCREE_SIM_GRAINS_H

#include "sim/contact.h"
#include "sim/grain.h"

// Passes with wide instructions compile the two functions below into themselves (GRAINS_INLINE). The others call the functions of contact_output.c (GRAINS_HERE), compiled once for any
// machine, and so does every pass of a build with sanitizers: more would take minutes.
#if defined(GRAINS_INLINE) && !defined(SCREE_FEW_KERNELS)
#define GRAINS_HERE
#define GRAINS_FUNCTION LANES_INLINE
#else
#define GRAINS_FUNCTION
#endif

enum { grain_group = 32 / lane_count };  // batches that are computed together

typedef struct grain_batch {
    int count;                      // 1 to lane_count
    int32_t i[lane_count], j[lane_count];    // of boundaries: rank and number of the boundary
    bool shifted;                            // there are shifts
    const int8_t* shift[lane_count];
    const double* before[lane_count];        // what each remembers, seen from the first; grain_nothing: nothing yet. Read in steps of four numbers
    double* after;                           // where they put what they remember then, one contact after the other; NULL: into `words`
    bool past;                               // past the caches
    const int32_t* ahead;                    // the second spheres of the contacts of a later batch, whose rows are fetched while these are computed; NULL: none
    // What comes out, of each contact:
    bool holds[lane_count];
    double words[lane_count][law_words_most];  // what it remembers then
    double force[lane_count][4];    // on the first
    double turn[lane_count][4];     // n x friction: the torque on each is -(its arm) times this
    lanes arm[2];                   // of the first and of the second; of boundaries only the first
    double twist[lane_count][4];    // further torque on the first, the opposite on the second
    double rate[lane_count][owners], lost[lane_count][owners];  // this, the overlap and the power: only if law.parts.accounts
    double overlap[lane_count];
    double power[lane_count];       // of boundaries: what the surface does on the sphere
    double inside[lane_count];      // of boundaries
    // Only for those who look on:
    double d[lane_count][4];        // from the second to the first, and the distance; of boundaries the normal
    double friction[lane_count][4];
    bool sliding[lane_count];
    // From stage to stage:
    grain_in in;
    grain_middle middle;
    grain_out out;
    lanes memory[law_words_most];
    lanes with[law_values];         // only if there are several materials
    lanes radii[2];
    lanes distance;
    lanes per, per_half;            // 1 / distance, and that of the middle of the step where it is needed
    bool equal;                     // the radii of each two are equal
    three between;                  // centres: from the second to the first
    three velocity;                   // relative velocity in the middle of the step
} grain_batch;

#if !defined(GRAINS_INLINE) || defined(SCREE_FEW_KERNELS)
void grains_of_pairs(const sim_pass* pass, const lanes* with, lanes* known, law_parts parts, bool advance, bool looks, bool placed, grain_batch* batches, int count);
void grains_of_walls(const sim_pass* pass, const lanes* with, law_parts parts, bool looks, const surface_touch* const* touch, grain_batch* batch);
#endif

void sim_look_avx2(const sim_pass* pass, const lanes* with, grain_batch* batch);  // contact_output_avx2.c: one batch, for output

extern const double grain_nothing[law_words_most];  // contact_output.c: zeros, what a new contact remembers

LANES_INLINE void grain_words_in(const grain_batch* batch, int words, lanes* out)
{
    for (int w = 0; w < words; w += 4) {
        const double* from[lane_count];
        for (int c = 0; c < lane_count; ++c)
            from[c] = batch->before[c] + w;
        rows_load(out + w, from);
        transpose(out + w);
    }
}

LANES_INLINE void grain_words_out(const lanes* in, int words, grain_batch* batch)
{
    for (int w = 0; w < words; w += 4) {
        lanes rows[4] = {in[w], in[w + 1], in[w + 2], in[w + 3]};
        double* to[lane_count];
        transpose(rows);
        if (words % 4 == 0 && batch->after != NULL) {
            for (int c = 0; c < lane_count; ++c)
                to[c] = batch->after + c * words + w;
            if (batch->past)
                rows_stream(rows, to);
            else
                rows_store(rows, to);
            continue;
        }
        for (int c = 0; c < lane_count; ++c)
            to[c] = &batch->words[c][w];
        rows_store(rows, to);
    }
}

// Rows of the contacts (lanes.h), as three numbers each and a fourth.
LANES_INLINE void grain_columns(lanes rows[4], three* out, lanes* fourth)
{
    transpose(rows);
    *out = (three){rows[0], rows[1], rows[2]};
    if (fourth != NULL)
        *fourth = rows[3];
}

LANES_INLINE void grain_rows(const three* in, const lanes* fourth, double out[lane_count][4])
{
    lanes rows[4] = {in->x, in->y, in->z, *fourth};
    double* to[lane_count];
    for (int c = 0; c < lane_count; ++c)
        to[c] = out[c];
    transpose(rows);
    rows_store(rows, to);
}

// ---- The law, and what pairs and boundaries have in common ---------------------------------------------------------------

// What laws of several materials need of each contact.
LANES_INLINE void grain_with(const law_pair* const pairs[lane_count], lanes out[law_values])
{
#define VALUE(c) (&pairs[c]->k)[v]
    for (int v = 0; v < law_values; ++v)
        out[v] = LANES_OF(VALUE);
#undef VALUE
}

LANES_INLINE void grain_law_begin(law_parts parts, bool advance, grain_batch* batch)
{
    grain_words_in(batch, grain_layout_of(parts).words, batch->memory);
    grain_begin(parts, advance, &batch->in, batch->memory, &batch->middle, &batch->out);
}

// The normal force is along `d`, which has the length `distance`; NULL: 1. `looks`: for those who look on.
LANES_INLINE void grain_law_end(law_parts parts, bool advance, bool looks, const three* d, const lanes* distance, grain_batch* batch)
{
    const int words = grain_layout_of(parts).words;
    const grain_in* in = &batch->in;
    const lanes none = ALL(0.0);
    lanes memory[law_words_most];
    grain_out out = {.normal = batch->out.normal, .holds = batch->out.holds};
    for (int owner = 0; owner < owners && parts.accounts; ++owner) {
        out.rate[owner] = batch->out.rate[owner];
        out.lost[owner] = batch->out.lost[owner];
    }
    for (int w = 0; w < (words + 3) / 4 * 4; ++w)
        memory[w] = batch->memory[w];
    grain_end(parts, advance, in, &batch->middle, memory, &out);
    grain_words_out(memory, words, batch);
    lanes push = distance != NULL ? KEEP(*distance > none, out.normal / *distance) : out.normal;
    three force = TIMES(push, *d);
    if (parts.tangential) {
        three turn = CROSS(in->n, out.friction);
        force = PLUS(force, out.friction);
        grain_rows(&turn, &none, batch->turn);
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

// ---- Pairs -----------------------------------------------------------------------------------------------------------------

// A row; `twice` is known where the law is, which saves an instruction for each.
LANES_INLINE const double* grain_row_of(sim_rows rows, bool twice, int32_t i)
{
    return twice ? rows.at[2 * (int64_t)i] : sim_at(rows, i);
}

// Rows of the first, or of the second.
LANES_INLINE void grain_load(sim_rows from, bool twice, const int32_t of[lane_count], lanes out[4])
{
    const double* rows[lane_count];
    for (int c = 0; c < lane_count; ++c)
        rows[c] = grain_row_of(from, twice, of[c]);
    rows_load(out, rows);
}

// Rows of the first sphere minus rows of the second; `sum`: the fourth number is the sum of both instead.
LANES_INLINE void grain_differences(sim_rows from, bool twice, bool sum, const grain_batch* batch, lanes out[4])
{
#define SIGN(c) ((c) % 4 == 3 ? -0.0 : 0.0)
    const lane_bits sign = (lane_bits)LANES_OF(SIGN);
#undef SIGN
    lanes other[4];
    grain_load(from, twice, batch->i, out);
    grain_load(from, twice, batch->j, other);
    for (int c = 0; c < 4; ++c)
        out[c] = out[c] - (sum ? (lanes)((lane_bits)other[c] ^ sign) : other[c]);
}

// Sums of the rows of both, and if asked differences, which else are 0.
LANES_INLINE void grain_sums_of(sim_rows from, bool differ, const grain_batch* batch, three* sum, three* difference)
{
    lanes one[4], other[4], rows[4];
    grain_load(from, true, batch->i, one);
    grain_load(from, true, batch->j, other);
    for (int c = 0; c < 4; ++c)
        rows[c] = one[c] + other[c];
    grain_columns(rows, sum, NULL);
    *difference = (three){ALL(0.0), ALL(0.0), ALL(0.0)};
    if (!differ)
        return;
    for (int c = 0; c < 4; ++c)
        rows[c] = one[c] - other[c];
    grain_columns(rows, difference, NULL);
}

// Arms times spins, over the distance: arms are half the distance, and half the difference of radii more and less. `per`: 1 / distance.
LANES_INLINE void grain_spins(const grain_batch* batch, const lanes* per, const three* sum, const three* difference, three* out)
{
    *out = TIMES(ALL(0.5), *sum);
    if (batch->equal)
        return;
    lanes uneven = 0.5 * (batch->radii[0] - batch->radii[1]), share = uneven * *per;
    lane_bits differ = uneven != ALL(0.0);
    three more = PLUS(*out, TIMES(share, *difference));
    *out = PICK_THREE(differ, more, *out);
}

// Rows of the first and of the second.
LANES_INLINE void grain_both(sim_rows from, const grain_batch* batch, three* one, three* other)
{
    lanes rows[4];
    grain_load(from, true, batch->i, rows);
    grain_columns(rows, one, NULL);
    grain_load(from, true, batch->j, rows);
    grain_columns(rows, other, NULL);
}

// What images are off: in place, or if the cell moves in velocity.
static inline void grain_images(const sim_pass* pass, bool velocities, const grain_batch* batch, three* off)
{
    double image[lane_count][4] = {{0.0}};
    const double* at[lane_count];
    lanes rows[4];
    for (int c = 0; c < lane_count; ++c) {
        const int8_t* shift = batch->shift[c];
        at[c] = image[c];
        if ((shift[0] | shift[1] | shift[2]) == 0)
            continue;
        if (velocities)
            cell_velocity(&pass->cell, shift, image[c]);
        else
            cell_offset(&pass->cell, shift, image[c]);
    }
    rows_load(rows, at);
    grain_columns(rows, off, NULL);
}

// Places without a contact.
LANES_INLINE void grain_fill(grain_batch* batch)
{
    for (int c = batch->count; c < lane_count; ++c) {
        batch->i[c] = batch->i[c - 1];
        batch->j[c] = batch->j[c - 1];
        if (batch->shifted)
            batch->shift[c] = batch->shift[c - 1];
        batch->before[c] = batch->before[c - 1];
    }
}

LANES_INLINE void grain_held(const grain_batch* batch, lane_bits* out)
{
    int64_t held[lane_count];
    for (int c = 0; c < lane_count; ++c)
        held[c] = batch->before[c] != grain_nothing ? -1 : 0;
    memcpy(out, held, sizeof held);
}

// Where the two of each are, and their radii.
LANES_INLINE void grain_places(const sim_pass* pass, grain_batch* batch)
{
    const sim_rows x = {.at = (double(*)[4])(uintptr_t)pass->x};
    lanes one[4], other[4];
    grain_load(x, false, batch->i, one);
    grain_load(x, false, batch->j, other);
    transpose(one);
    transpose(other);
    batch->radii[0] = one[3];
    batch->radii[1] = other[3];
    batch->between = (three){one[0] - other[0], one[1] - other[1], one[2] - other[2]};
    if (batch->shifted) {
        three off;
        grain_images(pass, false, batch, &off);
        batch->between = MINUS(batch->between, off);
    }
}

#if defined(GRAINS_HERE)

// First stage: rows of the two become lanes.
LANES_INLINE void pair_load(const sim_pass* pass, const lanes* with, lanes* known, law_parts parts, bool advance, grain_batch* batch)
{
    grain_in* in = &batch->in;
    const int32_t *i = batch->i, *j = batch->j;
    lanes rows[4];
    in->step = pass->whole[0];
    in->with = with;
    in->known = known;
    in->most = NULL;
    if (grain_layout_of(parts).radius >= 0 || grain_reaches(parts))
        grain_held(batch, &in->held);
    if (pass->law.many != NULL) {
        const law_pair* pairs[lane_count];
        for (int c = 0; c < lane_count; ++c)
            pairs[c] = law_with(&pass->law, pass->material, i[c], j[c]);
        grain_with(pairs, batch->with);
        in->with = batch->with;
        in->known = NULL;
    }
    if (grain_turns(parts) && advance) {
        grain_differences(pass->v, true, false, batch, rows);
        grain_columns(rows, &batch->velocity, NULL);
        if (batch->shifted && pass->cell.moves) {
            three off;
            grain_images(pass, true, batch, &off);
            batch->velocity = MINUS(batch->velocity, off);
        }
    }
}

// Second stage: distances and normals, at the end and in the middle of the step.
LANES_INLINE void pair_geometry(law_parts parts, bool advance, grain_batch* batch)
{
    const lanes none = ALL(0.0), one = batch->radii[0], other = batch->radii[1], reach = one + other;
    const bool turns = grain_turns(parts), reduced = grain_is_curved(parts.normal) || grain_twists(parts) || parts.normal == NORMAL_PLASTIC || parts.bridge;
    const three d = batch->between;
    grain_in* in = &batch->in;
    lanes distance = ROOT(DOT(d, d)), overlap = reach - distance;
    lane_bits differ = one != other;
    batch->equal = !lanes_any(&differ);
    if (turns && advance && parts.levels == LEVELS_HALF) {
        three back = MINUS(d, TIMES(ALL(0.5 * in->step), batch->velocity));
        lanes square = DOT(back, back);
        in->half = back;
        in->half_per = KEEP(square > none, 1.0 / square);
        if (!batch->equal || grain_is_curved(parts.normal) || grain_twists(parts)) {
            lanes middle = ROOT(square);
            batch->per_half = KEEP(middle > none, 1.0 / middle);
            in->overlap_half = reach - middle;
        }
    }
    if (turns) {
        batch->per = KEEP(distance > none, 1.0 / distance);
        in->n = TIMES(batch->per, d);
        if (advance && parts.levels != LEVELS_HALF) {
            in->half = in->n;
            in->half_per = ALL(1.0);
        }
        lanes less = parts.levels == LEVELS_CLASSIC ? none : 0.5 * overlap;
        batch->arm[0] = one - less;
        batch->arm[1] = other - less;
    }
    if (reduced)
        in->radius = one * other / reach;
    in->overlap = in->deepest = overlap;
    batch->distance = distance;
}

// Third stage: velocities of the surfaces.
LANES_INLINE void pair_motion(const sim_pass* pass, law_parts parts, bool advance, grain_batch* batch)
{
    const lanes none = ALL(0.0);
    const bool damped = parts.damping != DAMPING_NONE, turns = grain_turns(parts), at_half = parts.levels == LEVELS_HALF;
    const sim_rows p = at_half ? pass->p : pass->v;
    grain_in* in = &batch->in;
    if (damped) {
        lanes rows[4];
        three u, one, other;
        grain_differences(p, turns, true, batch, rows);
        grain_columns(rows, &u, &in->inverse);
        if (batch->shifted && pass->cell.moves) {
            three off;
            grain_images(pass, true, batch, &off);
            u = MINUS(u, off);
        }
        if (!turns)
            in->along = KEEP(batch->distance > none, DOT(u, batch->between) / batch->distance);
        if (turns) {
            const three n = in->n;
            lanes along = DOT(u, n);
            three spins, difference;
            in->along = along;
            if (at_half) {
                three sum;
                grain_sums_of(pass->wp, !batch->equal || grain_twists(parts), batch, &sum, &difference);
                grain_spins(batch, &batch->per, &sum, &difference, &spins);
                in->slide = MINUS(MINUS(u, TIMES(along, n)), CROSS(spins, batch->between));
            } else {
                grain_both(pass->w, batch, &one, &other);
                spins = PLUS(TIMES(batch->radii[0], one), TIMES(batch->radii[1], other));
                difference = MINUS(one, other);
                in->slide = MINUS(MINUS(u, TIMES(along, n)), CROSS(spins, n));
            }
            if (grain_twists(parts)) {
                in->roll = TIMES(in->radius, CROSS(difference, n));
                in->twist = DOT(difference, n);
            }
        }
    } else {
        in->along = in->inverse = none;
        in->slide = in->roll = (three){none, none, none};
        in->twist = none;
    }
    if (turns && advance) {
        const three half = in->half, velocity = batch->velocity;
        three sum, spins, difference;
        lanes per = ALL(1.0);
        if (at_half) {
            grain_sums_of(pass->w, !batch->equal || grain_twists(parts), batch, &sum, &difference);
            grain_spins(batch, &batch->per_half, &sum, &difference, &spins);
            per = batch->per_half;
        } else {
            three one, other;
            grain_both(pass->w, batch, &one, &other);
            sum = PLUS(one, other);
            spins = PLUS(TIMES(batch->radii[0], one), TIMES(batch->radii[1], other));
            difference = MINUS(one, other);
        }
        lanes along = in->half_per * DOT(velocity, half);
        in->slide_half = MINUS(MINUS(velocity, TIMES(along, half)), CROSS(spins, half));
        in->twirl = in->half_per * (0.5 * DOT(sum, half));
        if (grain_twists(parts)) {
            lanes arm = in->radius * per;
            in->roll_half = TIMES(arm, CROSS(difference, half));
            in->twist_half = per * DOT(difference, half);
        }
    }
}

// A few rows with each stage: a processor waits for about two dozen lines of memory at a time, and all at once made a step of 125,000 spheres take 1.14 of the time.
LANES_INLINE void grain_fetch(sim_rows rows, const int32_t* of)
{
    for (int c = 0; c < lane_count && of != NULL; ++c)
        __builtin_prefetch(grain_row_of(rows, true, of[c]));
}

// Of batches without empty places (grain_fill). `with`: law.one in all lanes (grain_spread). `known`: of grain_in. `advance`: the mode of the pass is not SIM_REST. `placed`: grain_places is done.
GRAINS_FUNCTION void grains_of_pairs(const sim_pass* pass, const lanes* with, lanes* known, law_parts parts, bool advance, bool looks, bool placed, grain_batch* batches, int count)
{
    for (int b = 0; b < count && !placed; ++b)
        grain_places(pass, &batches[b]);
    for (int b = 0; b < count; ++b)
        pair_load(pass, with, known, parts, advance, &batches[b]);
    for (int b = 0; b < count; ++b) {
        pair_geometry(parts, advance, &batches[b]);
        if (placed && grain_turns(parts))
            grain_fetch(pass->v, batches[b].ahead);
    }
    for (int b = 0; b < count; ++b)
        pair_motion(pass, parts, advance, &batches[b]);
    for (int b = 0; b < count; ++b) {
        grain_law_begin(parts, advance, &batches[b]);
        if (placed && grain_turns(parts))
            grain_fetch(pass->law.damped ? pass->p : pass->v, batches[b].ahead);
    }
    for (int b = 0; b < count; ++b)
        grain_springs(parts, advance, &batches[b].in, &batches[b].middle);
    for (int b = 0; b < count; ++b) {
        grain_batch* batch = &batches[b];
        if (grain_turns(parts))
            grain_law_end(parts, advance, looks, &batch->in.n, NULL, batch);
        else
            grain_law_end(parts, advance, looks, &batch->between, &batch->distance, batch);
        if (looks)
            grain_rows(&batch->between, &batch->distance, batch->d);
    }
}

// ---- Boundaries ------------------------------------------------------------------------------------------------------------

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

// The largest dashpots of contacts with a mesh; false: none has a limit.
static inline bool grain_most(const sim_pass* pass, const surface_touch* const* touch, grain_batch* batch, lanes* most)
{
    bool limited = false;
    *most = ALL(INFINITY);
    for (int c = 0; c < batch->count; ++c) {
        if (!surface_is_crowded(touch[c]))
            continue;
        (*most)[c] = surface_dashpot_most(touch[c], pass->whole[0], batch->in.inverse[c]);
        limited = true;
    }
    return limited;
}

static inline bool grain_is_shared(const surface_touch* const* touch, int count)
{
    for (int c = 0; c < count; ++c)
        if (!surface_is_plain(touch[c]))
            return true;
    return false;
}

// Of a contact with neighbours on a mesh, or of a link, the elastic force counts `scale` times and all else `share` times.
static inline void grain_share(law_parts parts, bool looks, const surface_touch* touch, double elastic, int c, grain_batch* batch)
{
    const double share = touch->share, more = (touch->scale - share) * elastic;
    for (int k = 0; k < 3; ++k) {
        batch->force[c][k] = share * batch->force[c][k] + more * touch->at.n[k];
        if (parts.tangential)
            batch->turn[c][k] *= share;
        if (parts.tangential && looks)
            batch->friction[c][k] *= share;
        if (grain_twists(parts))
            batch->twist[c][k] *= share;
    }
    for (int owner = 0; owner < owners && parts.accounts; ++owner) {
        batch->rate[c][owner] *= share;
        batch->lost[c][owner] *= owner == OWNER_NORMAL ? touch->scale : share;
    }
}

// Contacts with boundaries: entries of the spheres near them. `touch`: where those with exact shapes and meshes touch them, one for each contact; NULL: of other boundaries.
GRAINS_FUNCTION void grains_of_walls(const sim_pass* pass, const lanes* with, law_parts parts, bool looks, const surface_touch* const* touch, grain_batch* batch)
{
    const lanes none = ALL(0.0);
    const bool damped = parts.damping != DAMPING_NONE, turns = grain_turns(parts), advance = pass->mode != SIM_REST;
    const sim_rows p = parts.levels == LEVELS_HALF ? pass->p : pass->v, wp = parts.levels == LEVELS_HALF ? pass->wp : pass->w;
    grain_in in = {.step = pass->whole[0]};
    const law_pair* pairs[lane_count];
    three difference = {none, none, none}, difference_half = difference;
    in.slide = in.slide_half = in.half = difference;
    in.along = in.inverse = in.twirl = none;
    in.half_per = ALL(1.0);
    double surface[lane_count][3], spin[lane_count][3];
    grain_fill(batch);
    grain_held(batch, &in.held);
    for (int c = 0; c < lane_count; ++c) {
        const sim_boundary* b = &pass->boundaries[batch->j[c]];
        int32_t i = batch->i[c];
        const surface_touch* given = touch != NULL ? touch[c < batch->count ? c : batch->count - 1] : NULL;
        const double* x = given != NULL ? given->x : pass->x[i];
        boundary_point at;
        if (given != NULL)
            at = given->at;
        else
            boundary_surface(b, x, &at);
        batch->inside[c] = at.inside;
        pairs[c] = law_with_material(&pass->law, pass->material, i, b->material);
        in.overlap[c] = in.overlap_half[c] = x[3] - at.inside;
        in.deepest[c] = given != NULL ? given->deepest : in.overlap[c];
        in.radius[c] = x[3];
        put_three(&in.n, c, at.n);
        memcpy(spin[c], b->spin, sizeof spin[c]);
        boundary_velocity(b, x, at.n, at.inside, surface[c]);
        if (damped) {
            const double *u = sim_at(p, i), *v = surface[c];
            in.along[c] = ((u[0] - v[0]) * at.n[0] + (u[1] - v[1]) * at.n[1]) + (u[2] - v[2]) * at.n[2];
            in.inverse[c] = u[3];
        }
        if (damped && turns) {
            const double* w = sim_at(wp, i);
            double slip[3], turn[3] = {w[0] - b->spin[0], w[1] - b->spin[1], w[2] - b->spin[2]};
            surface_slip(sim_at(p, i), w, surface[c], at.n, parts.levels == LEVELS_HALF ? at.inside : x[3], slip);
            put_three(&in.slide, c, slip);
            put_three(&difference, c, turn);
        }
        if (turns && advance) {
            const double *v = sim_at(pass->v, i), *w = sim_at(pass->w, i);
            double back[3], wall_velocity[3], slip[3], turn[3] = {w[0] - b->spin[0], w[1] - b->spin[1], w[2] - b->spin[2]};
            boundary_point half = at;
            for (int k = 0; k < 3; ++k)
                back[k] = x[k] - 0.5 * in.step * (v[k] - b->velocity[k]);
            if (parts.levels == LEVELS_HALF && given != NULL)
                half = given->half;
            else if (parts.levels == LEVELS_HALF)
                boundary_surface(b, back, &half);
            boundary_velocity(b, parts.levels == LEVELS_HALF ? back : x, half.n, half.inside, wall_velocity);
            surface_slip(v, w, wall_velocity, half.n, parts.levels == LEVELS_HALF ? half.inside : x[3], slip);
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
    batch->in = in;
    batch->in.with = pass->law.many != NULL ? batch->with : with;
    if (pass->law.many != NULL)
        grain_with(pairs, batch->with);
    batch->arm[0] = parts.levels == LEVELS_HALF ? in.radius - in.overlap : in.radius;  // LAMMPS takes the radius, in both of its styles
    lanes elastic = none, most;
    if (damped && touch != NULL && grain_most(pass, touch, batch, &most))
        batch->in.most = &most;
    const bool shared = touch != NULL && grain_is_shared(touch, batch->count);
    if (shared) {
        lanes words[law_words_most];
        grain_words_in(batch, grain_layout_of(parts).words, words);
        grain_elastic(parts, &batch->in, words, &elastic);
    }
    grain_law_begin(parts, advance, batch);
    grain_springs(parts, advance, &batch->in, &batch->middle);
    grain_law_end(parts, advance, looks, &batch->in.n, NULL, batch);
    if (looks)
        grain_rows(&in.n, &none, batch->d);
    for (int c = 0; c < batch->count && shared; ++c)
        if (!surface_is_plain(touch[c]))
            grain_share(parts, looks, touch[c], elastic[c], c, batch);
    for (int c = 0; c < batch->count && parts.accounts; ++c) {
        const double *f = batch->force[c], *v = surface[c], *t = batch->twist[c];
        batch->power[c] = (f[0] * v[0] + f[1] * v[1]) + f[2] * v[2];
        if (grain_twists(parts))
            batch->power[c] += (t[0] * spin[c][0] + t[1] * spin[c][1]) + t[2] * spin[c][2];
    }
}

#endif  // GRAINS_HERE

#endif
