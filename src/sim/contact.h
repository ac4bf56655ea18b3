// One contact, computed: geometry, the law, and what it remembers. One function for all that need it (passes, energies, contacts as data), so that they agree
// to the last bit. A pair is always asked in one order, the lower rank first; the other sphere gets the same numbers with the other sign.
#ifndef SCREE_SIM_CONTACT_H
#define SCREE_SIM_CONTACT_H

#include "sim/one_lane.h"
#include "sim/sim_inner.h"

#include <string.h>

typedef struct pair_contact {
    four d;           // from the second to the first
    double distance;
    double overlap;
    double push;      // the force on the first is push * d. Equal centres have no direction, so no force
} pair_contact;

// Contact (i, j, shift) of spheres that are near enough for the law (find_contacts), of a law whose contacts are computed one by one. False: the law says that there is none. `law` is pass->law, or a copy
// that the compiler can keep in registers; `parts` are single_parts, constants where speed counts.
static inline __attribute__((always_inline)) bool contact_of_pair(const sim_pass* pass, const sim_law* law, law_parts parts, int32_t i, int32_t j, const int8_t* shift, double* words, pair_contact* out)
{
    four a, b, d;
    four_load(&a, pass->x[i]);
    four_load(&b, pass->x[j]);
    double reach = a[3] + b[3];
    d = (four)((four_bits)(a - b) & (four_bits){-1, -1, -1, 0});
    const bool image = shift != NULL && (shift[0] | shift[1] | shift[2]) != 0;
    if (image) {
        double offset[3];
        cell_offset(&pass->cell, shift, offset);
        for (int k = 0; k < 3; ++k)
            d[k] -= offset[k];
    }
    four square = d * d;
    double distance = sqrt(four_sum(&square));
    out->d = d;
    out->distance = distance;
    out->overlap = reach - distance;
    grain_in_one in = {.with = &law_with(law, pass->material, i, j)->k, .overlap = out->overlap};
    if (parts.damping != DAMPING_NONE) {
        four u, w;
        four_load(&u, sim_at(pass->p, i));
        four_load(&w, sim_at(pass->p, j));
        in.inverse = u[3] + w[3];
        u = u - w;
        if (image && pass->cell.moves) {
            double moves[3];
            cell_velocity(&pass->cell, shift, moves);
            for (int k = 0; k < 3; ++k)
                u[k] -= moves[k];
        }
        u = u * d;
        in.along = four_sum(&u) / distance;
    }
    if (own_is_directed(parts.normal))
        in.n = distance > 0.0 ? (three_one){d[0] / distance, d[1] / distance, d[2] / distance} : (three_one){0.0, 0.0, 0.0};
    grain_middle_one middle;
    grain_out_one found;
    grain_begin_one(parts, pass->mode != SIM_REST, &in, words, &middle, &found);
    out->push = distance > 0.0 ? found.normal / distance : 0.0;
    return found.holds;
}

typedef struct wall_contact {
    boundary_point at;
    double overlap;
    double normal;    // force on the sphere along the normal
    double v[3];      // of the surface; only if damped
} wall_contact;

// Contact of a sphere with a boundary, which it sees `at` a point; NULL: as boundary_surface says. False: there is none.
static inline __attribute__((always_inline)) bool contact_at_wall(const sim_pass* pass, law_parts parts, near_wall near, const surface_touch* touch, double* words, wall_contact* out)
{
    const sim_boundary* b = &pass->boundaries[near.boundary];
    const double *x = touch != NULL ? touch->x : pass->x[near.rank], *n = out->at.n;
    const bool damped = parts.damping != DAMPING_NONE;
    if (touch != NULL)
        out->at = touch->at;
    else
        boundary_surface(b, x, &out->at);
    out->overlap = x[3] - out->at.inside;
    out->normal = 0.0;
    if (!(out->overlap > -pass->law.reach))
        return false;
    grain_in_one in = {.with = &law_with_material(&pass->law, pass->material, near.rank, b->material)->k, .overlap = out->overlap, .n = {n[0], n[1], n[2]}};
    if (damped) {
        const double* u = sim_at(pass->p, near.rank);
        boundary_velocity(b, x, n, out->at.inside, out->v);
        in.along = ((u[0] - out->v[0]) * n[0] + (u[1] - out->v[1]) * n[1]) + (u[2] - out->v[2]) * n[2];
        in.inverse = u[3];
    }
    grain_middle_one middle;
    grain_out_one found;
    double then[law_words_most], elastic;
    const bool apart = touch != NULL && (!surface_is_plain(touch) || surface_is_crowded(touch));
    if (apart)
        memcpy(then, words, sizeof then);
    grain_begin_one(parts, pass->mode != SIM_REST, &in, words, &middle, &found);
    out->normal = found.normal;
    if (apart) {
        grain_elastic_one(parts, &in, then, &elastic);
        out->normal = surface_force(touch, damped, 2.0 * pass->half[0], in.along, in.inverse, found.normal, elastic);
    }
    return found.holds;
}

static inline __attribute__((always_inline)) bool contact_of_wall(const sim_pass* pass, law_parts parts, near_wall near, double* words, wall_contact* out)
{
    return contact_at_wall(pass, parts, near, NULL, words, out);
}

// The spin of one sphere, as the mode says. Spheres that do not rotate have an infinite moment of inertia.
static inline __attribute__((always_inline)) void turn_one(const sim_pass* pass, int64_t i, const double t[4])
{
    four w, torque, half, turn;
    four_load(&w, sim_at(pass->w, i));
    four_load(&torque, t);
    four_load(&half, pass->half);
    turn = w[3] * torque;
    four push = half * turn;
    if (pass->mode == SIM_STEP) {
        w = (w + push) + push;
        turn = w + push;
    } else {
        w = w + push;
    }
    four_store(&turn, sim_at(pass->wp_next, i));
    if (pass->mode != SIM_REST)
        four_store(&w, sim_at(pass->w_next, i));
}

// Where the contact of a row remembers, its slots beginning at `first`; `nothing`: it is new.
static inline __attribute__((always_inline)) const double* slot_of(const sim_slots* slots, int64_t row, int64_t first, int words, const double* nothing)
{
    int32_t s = slots->slot[row];
    return s >= 0 ? slots->words + (first + s) * words : nothing;
}

// What the contact of a row remembers, its slots beginning at `first`; zero when it is new.
static inline __attribute__((always_inline)) void slot_read(const sim_slots* slots, int64_t row, int64_t first, int words, double* out)
{
    int32_t s = slots->slot[row];
    if (s >= 0)
        memcpy(out, slots->words + (first + s) * words, (size_t)words * sizeof *out);
    else
        memset(out, 0, (size_t)words * sizeof *out);
}

// The next slot of a block, `live` of which it has so far.
static inline __attribute__((always_inline)) void slot_write(const sim_slots* slots, int64_t row, int64_t first, int32_t* live, int words, const double* in)
{
    memcpy(slots->words_next + (first + *live) * words, in, (size_t)words * sizeof *in);
    slots->slot_next[row] = (*live)++;
}

#endif
