// Collective rearrangement: the end. Everything but the radii is scaled until the closest pair does not overlap. Then contacts are searched from
// scratch, with the predicates of index and container and the caller's radii; if there are any, the packing is scaled a little more.
#include "rearrange_inner.h"

#include <float.h>
#include <math.h>

// By how much radii can be multiplied until the first pair (or sphere and wall) touches.
static scree_status room_left(pile* p, double* out)
{
    double most = INFINITY;
    pile_wrap(p);
    for (int32_t i = 0; i < p->n; ++i) {
        double d[3];
        if (p->round > 0)
            most = fmin(most, (0.5 * p->length[0] - pile_from_middle(p, p->x[i], d)) / p->x[i][3]);
        most = fmin(most, 0.5 * p->period / p->x[i][3]);
        for (int k = p->round; k < p->dim; ++k)
            if (!p->periodic[k])
                most = fmin(most, fmin(p->x[i][k], p->length[k] - p->x[i][k]) / p->x[i][3]);
    }
    double shortest = INFINITY;
    for (int k = 0; k < p->dim; ++k)
        shortest = fmin(shortest, p->length[k]);
    // Pairs with a gap of `gap` or more have distance / (r_i + r_j) >= 1 + gap / (2 r_max).
    double r_max = p->r_max * p->factor;
    for (double gap = fmin(0.01 * r_max, 0.1 * shortest);; gap = fmin(gap * 4.0, shortest)) {
        scree_pairs pairs;
        scree_status status = pile_pairs(p, gap, false, &pairs);
        if (status != SCREE_OK)
            return status;
        double least = fmin(most, 1.0 + gap / (2.0 * r_max));
        bool found = false;
        for (int64_t q = 0; q < pairs.count; ++q) {
            const double *xi = p->x[pairs.ij[q][0]], *xj = p->x[pairs.ij[q][1]];
            double offset[3] = {0.0, 0.0, 0.0};
            if (pairs.shift != NULL)
                scree_lattice_offset(p->length, p->tilt, pairs.shift[q][0], pairs.shift[q][1], pairs.shift[q][2], offset);
            double dx = (xi[0] - xj[0]) - offset[0], dy = (xi[1] - xj[1]) - offset[1], dz = (xi[2] - xj[2]) - offset[2];
            double ratio = sqrt((dx * dx + dy * dy) + dz * dz) / (xi[3] + xj[3]);
            if (ratio < least) {
                least = ratio;
                found = true;
            }
        }
        if (found || least == most || gap == shortest) {
            *out = least;
            return SCREE_OK;
        }
    }
}

// Positions outside, radii as given: everything inside divided by `radius`, which is what the factor of the radii has become.
void pile_lay_out(const pile* p, double radius, bool inside, scree_packing* out)
{
    const scree_box* box = &p->def->box;
    double scale = ldexp(1.0 / radius, p->unit);
    out->box = *box;
    for (int k = 0; k < p->dim; ++k)
        out->box.upper[k] = box->lower[k] + p->length[k] * scale;
    for (int m = 1; m < p->dim; ++m)
        for (int k = 0; k < m; ++k)
            out->box.tilt[k + m - 1] *= (out->box.upper[k] - box->lower[k]) / (box->upper[k] - box->lower[k]);
    for (int32_t i = 0; i < p->n; ++i) {
        double r = ldexp(p->r[i], p->unit), *x = out->x + (int64_t)p->id[i] * p->dim;
        for (int k = 0; k < p->dim; ++k) {
            x[k] = box->lower[k] + p->x[i][k] * scale;
            if (inside && !p->periodic[k] && k >= p->round)
                x[k] = fmin(fmax(x[k], box->lower[k] + r), out->box.upper[k] - r);
        }
        scree_box_wrap_centre(&out->box, x, NULL);
    }
}

// From scratch, with the caller's radii.
static scree_status count_overlaps(const pile* p, const double* r, const scree_packing* out, int64_t* count)
{
    *count = 0;
    const double period = scree_box_period(&out->box);
    const scree_container container = {.kind = out->container, .box = out->box};
    for (int32_t i = 0; i < p->n; ++i) {
        *count += scree_container_depth(&container, out->x + (int64_t)i * p->dim, r[i]) > 0.0;
        *count += 2.0 * r[i] > period;
    }
    if (*count > 0)
        return SCREE_OK;
    scree_index_def def = scree_default_index_def();
    def.box = out->box;
    def.skin = -1.0;
    def.threads = p->def->threads;
    scree_index* index;
    scree_pairs pairs = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, (scree_spheres){.count = p->n, .dim = p->dim, .x = out->x, .r = r});
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    *count = pairs.count;
    scree_index_destroy(index);
    return status;
}

scree_status pile_finish(pile* p, const double* r, scree_packing* out)
{
    double room;
    scree_status status = room_left(p, &room);
    // Stopped before the spheres are apart at all: a few sweeps more, else the box would be out of all proportion. Where larger spheres press one into a
    // corner of the walls, sweeps alone do not free it: so spheres shrink from time to time.
    for (int more = 0; status == SCREE_OK && !(room > 1e-3) && more < 1000; ++more) {
        if (more % 10 == 9)
            pile_shrink(p, 0.9);
        p->contacts = 0;
        p->stale = true;  // spheres were wrapped
        for (int k = 0; k < 10 && status == SCREE_OK; ++k, ++p->sweeps) {
            sums s;
            status = p->way->push(p, &s);
            if (status == SCREE_OK)
                p->way->move(p, &s);
        }
        if (status == SCREE_OK)
            status = room_left(p, &room);
    }
    if (status == SCREE_OK && !(room > 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "rearrangement: two spheres have the same centre; expected a smaller range of sizes or a smaller box, within double precision");
    int64_t overlaps = 1;
    double margin = 8.0 * DBL_EPSILON;
    for (; status == SCREE_OK && overlaps > 0; margin *= 2.0) {
        if (margin > 0.5)
            return scree_fail(SCREE_ERR_ARGUMENT, "rearrangement: the box begins at %g, %g; double precision does not resolve positions there for spheres of this size; "
                                                  "expected a box nearer to the origin",
                              p->def->box.lower[0], p->def->box.lower[1]);
        pile_lay_out(p, p->factor * room * (1.0 - margin), true, out);
        status = count_overlaps(p, r, out, &overlaps);
    }
    if (status != SCREE_OK)
        return status;
    scree_container unit = {.kind = out->container, .box = scree_box_sized(p->dim, (double[3]){1.0, 1.0, 1.0})};
    double sum = 0.0, part = scree_container_volume(&unit);  // of the box that the container fills
    for (int32_t i = 0; i < p->n; ++i) {
        double share = placing_ball(p->dim, 1.0) / part;
        for (int k = 0; k < p->dim; ++k)
            share *= r[i] / (out->box.upper[k] - out->box.lower[k]);
        sum += share;
    }
    out->density = sum;
    return SCREE_OK;
}
