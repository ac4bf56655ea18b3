// One contact, worked out: geometry, the law, and what it remembers. One function for all that need it (passes, energies, contacts as data), so that they agree
// to the last bit. A pair is always asked in one order, the lower rank first; the other sphere gets the same numbers with the other sign.
#ifndef SCREE_SIM_CONTACT_H
#define SCREE_SIM_CONTACT_H

#include "sim/sim_inner.h"

#include <string.h>

typedef struct pair_contact {
    double d[3];      // from the second to the first
    double distance;
    double overlap;
    double push;      // the force on the first is push * d. Equal centres have no direction, so no force
} pair_contact;

// Contact (i, j, shift) of spheres that are near enough for the law (find_contacts). False: the law says that there is none.
static inline __attribute__((always_inline)) bool contact_of_pair(const sim_pass* pass, law_kind kind, int32_t i, int32_t j, const int8_t* shift, double* words,
                                                                  pair_contact* out)
{
    const double *a = pass->x[i], *b = pass->x[j];
    double *d = out->d, square;
    for (int k = 0; k < 3; ++k)
        d[k] = a[k] - b[k];
    if (shift != NULL) {
        double offset[3];
        cell_offset(&pass->cell, shift, offset);
        for (int k = 0; k < 3; ++k)
            d[k] -= offset[k];
    }
    square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    out->distance = sqrt(square);
    out->overlap = (a[3] + b[3]) - out->distance;
    contact_in in = {.law = &pass->law, .with = law_with(&pass->law, pass->material, i, j), .overlap = out->overlap, .advance = pass->mode != SIM_REST};
    if (pass->law.damped) {
        const double *u = pass->p[i], *w = pass->p[j];
        in.along = (((u[0] - w[0]) * d[0] + (u[1] - w[1]) * d[1]) + (u[2] - w[2]) * d[2]) / out->distance;
        in.inverse = pass->v[i][3] + pass->v[j][3];
    }
    for (int k = 0; k < 3 && law_is_directed(kind); ++k)
        in.n[k] = out->distance > 0.0 ? d[k] / out->distance : 0.0;
    contact_out found;
    bool holds = law_eval(kind, &in, words, &found);
    out->push = out->distance > 0.0 ? found.normal / out->distance : 0.0;
    return holds;
}

typedef struct wall_contact {
    boundary_point at;
    double overlap;
    double normal;    // force on the sphere along the normal
    double v[3];      // of the surface; only if damped
} wall_contact;

// Contact of a sphere with a boundary. False: there is none.
static inline __attribute__((always_inline)) bool contact_of_wall(const sim_pass* pass, law_kind kind, near_wall near, double* words, wall_contact* out)
{
    const sim_boundary* b = &pass->boundaries[near.boundary];
    const double *x = pass->x[near.rank], *n = out->at.n;
    boundary_surface(b, x, &out->at);
    out->overlap = x[3] - out->at.inside;
    out->normal = 0.0;
    if (!(out->overlap > -pass->law.reach))
        return false;
    contact_in in = {.law = &pass->law,
                     .with = pass->law.many == NULL ? &pass->law.one
                                                    : &pass->law.many[(int64_t)pass->material[near.rank] * pass->law.materials + b->material],
                     .overlap = out->overlap,
                     .advance = pass->mode != SIM_REST};
    if (pass->law.damped) {
        const double* u = pass->p[near.rank];
        boundary_velocity(b, x, n, out->at.inside, out->v);
        in.along = ((u[0] - out->v[0]) * n[0] + (u[1] - out->v[1]) * n[1]) + (u[2] - out->v[2]) * n[2];
        in.inverse = pass->v[near.rank][3];
    }
    for (int k = 0; k < 3 && law_is_directed(kind); ++k)
        in.n[k] = n[k];
    contact_out found;
    bool holds = law_eval(kind, &in, words, &found);
    out->normal = found.normal;
    return holds;
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
