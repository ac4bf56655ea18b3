// Collective rearrangement, all spheres at once: forces from the rows of candidates, then a step of FIRE (Bitzek et al. 2006). Each sphere sums over
// its whole row; computing each pair twice costs less than writing to both spheres.
#include "rearrange_inner.h"

#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What walls add to a sphere's force; the stiffness that they add is returned. A wall is a partner as large as the sphere itself.
static inline double push_from_wall(const pile* p, double r, double o, const double normal[3], double force[4], sums* s)
{
    double stiff = p->dim == 3 ? r : 1.0, push = stiff * o;
    for (int k = 0; k < 3; ++k)
        force[k] += push * normal[k];
    s->overlap += push * push;
    s->energy += push * o;
    s->reach += stiff * r * r;
    s->virial += 2.0 * push * r;  // pairs come twice
    s->worst = fmax(s->worst, o / r);
    return stiff;
}

static inline double push_from_walls(const pile* p, const double xi[4], double force[4], sums* s, int* z)
{
    double stiffness = 0.0;
    for (int k = p->round; k < p->dim; ++k) {
        if (p->periodic[k])
            continue;
        for (int side = 0; side < 2; ++side) {
            double o = side == 0 ? xi[3] - xi[k] : xi[k] + xi[3] - p->length[k], normal[3] = {0.0, 0.0, 0.0};
            if (o <= 0.0)
                continue;
            normal[k] = side == 0 ? 1.0 : -1.0;
            stiffness += push_from_wall(p, xi[3], o, normal, force, s);
            ++*z;
        }
    }
    if (p->round > 0) {
        double d[3], distance = pile_from_middle(p, xi, d), o = distance + xi[3] - 0.5 * p->length[0];
        if (o > 0.0 && distance > 0.0) {  // in the very middle there is no way to give
            const double normal[3] = {-d[0] / distance, -d[1] / distance, -d[2] / distance};
            stiffness += push_from_wall(p, xi[3], o, normal, force, s);
            ++*z;
        }
    }
    return stiffness;
}

static nearest nearest_of_row(const pile* p, int64_t i)
{
    nearest best = nearest_nobody();
    const scree_neighbour_row row = p->rows.row[i];
    for (int64_t e = row.at; e < row.at + row.count; ++e)
        nearest_look(p, i, p->rows.j[e], p->offset[p->rows.image[e]], p->rows.image[e], &best);
    return best;
}

// Where nothing touches sphere i: the step towards its nearest neighbour. Spheres that are not in its row were its leash and theirs away when the row
// was made, and none has moved farther than its leash since. False: the row does not prove who is nearest.
static bool attract(const pile* p, int64_t i, double force[4])
{
    nearest best = nearest_of_row(p, i);
    double square = 0.0;
    for (int k = 0; k < 3; ++k)
        square += (p->x[i][k] - p->reference[i][k]) * (p->x[i][k] - p->reference[i][k]);
    if (!(best.gap <= sqrt(p->reference[i][3]) - sqrt(square)))
        return false;
    pile_nearest_step(p, &best, force);
    return true;
}

// The same for those whose rows do not prove it.
static scree_status attract_alone(pile* p)
{
    for (int32_t i = 0; i < p->n; ++i) {
        if (!p->alone[i])
            continue;
        nearest best = nearest_of_row(p, i);
        scree_status status = pile_nearest(p, i, &best);
        if (status != SCREE_OK)
            return status;
        pile_nearest_step(p, &best, p->f[i]);
    }
    return SCREE_OK;
}

typedef struct touching {  // candidates that overlap
    double dx, dy, dz, square, sum, r;
    int64_t j;
} touching;

// Picks the partners that overlap the sphere, of its partners e = from .. to-1. To the processor the outcome is random, and a mispredicted branch costs as much as
// the whole test; so every partner is written, and the next one overwrites it if it does not overlap.
static inline int pick(const pile* p, const double xi[4], int64_t from, int64_t to, bool near, touching* out)
{
    const double (*x)[4] = (const double(*)[4])p->x;
    const double (*offsets)[3] = (const double(*)[3])p->offset;
    const int32_t *partner = p->rows.j, *image = p->rows.image;
    int hits = 0;
    for (int64_t e = from; e < to; ++e) {
        const double* xj = x[partner[e]];
        double dx = xi[0] - xj[0], dy = xi[1] - xj[1], dz = xi[2] - xj[2];
        if (!near) {
            const double* offset = offsets[image[e]];
            dx -= offset[0], dy -= offset[1], dz -= offset[2];
        }
        double sum = xi[3] + xj[3], square = (dx * dx + dy * dy) + dz * dz;
        out[hits] = (touching){dx, dy, dz, square, sum, xj[3], partner[e]};
        hits += square < sum * sum;
    }
    return hits;
}

// Forces, block by block.
static scree_status push_block(void* context, int64_t b)
{
    enum { batch = 64 };
    pile* p = context;
    int64_t end = pile_block_end(p, b);
    const double light = 2.0 * p->dim, inverse = 1.0 / p->dim;
    const bool walls = !(p->periodic[0] && p->periodic[1] && (p->dim == 2 || p->periodic[2])), solid = p->dim == 3;
    touching hit[batch];
    sums s = {0};
    for (int64_t i = b * pile_block; i < end; ++i) {
        const double* xi = p->x[i];
        const double ri = xi[3];
        double force[4] = {0.0, 0.0, 0.0, 0.0};
        double overlap = 0.0, energy = 0.0, reach = 0.0, virial = 0.0, stiffness = 0.0;
        int z = 0;
        const bool near = !p->rows.imaged[i];
        for (int64_t from = p->rows.row[i].at, row_end = from + p->rows.row[i].count; from < row_end; from += batch) {
            int64_t to = from + batch < row_end ? from + batch : row_end;
            int hits = near ? pick(p, xi, from, to, true, hit) : pick(p, xi, from, to, false, hit);
            for (int c = 0; c < hits; ++c) {
                const touching* h = &hit[c];
                double distance = sqrt(h->square), o = h->sum - distance;
                double area = h->sum * distance, per = 1.0 / area, k = solid ? 2.0 * ri * h->r * (distance * per) : 1.0, push = k * o;
                if (area >= DBL_MIN) {  // one division for two
                    double by = push * (h->sum * per);
                    force[0] += by * h->dx;
                    force[1] += by * h->dy;
                    force[2] += by * h->dz;
                } else {  // as good as one centre for two: apart along x
                    k = solid ? 2.0 * ri * h->r / h->sum : 1.0;
                    push = k * o;
                    force[0] += i < h->j ? -push : push;
                }
                stiffness += k;
                overlap += push * push;
                energy += push * o;
                reach += k * h->sum * h->sum;
                virial += push * h->sum;
                double small = ri < h->r ? ri : h->r;
                if (o > s.worst * small)
                    s.worst = o / small;
            }
            z += hits;
        }
        s.overlap += overlap;
        s.energy += energy;
        s.reach += reach;
        s.virial += virial;
        s.contacts += z;
        if (walls)
            stiffness += push_from_walls(p, xi, force, &s, &z);
        const double* v = p->v[i];
        if (z > 0) {
            double least = solid ? light * ri : light, mass = (stiffness > least ? stiffness : least) * inverse;
            double square = (force[0] * force[0] + force[1] * force[1]) + force[2] * force[2];
            force[3] = mass;
            s.net += square;
            s.force += square / mass;
            s.power += (force[0] * v[0] + force[1] * v[1]) + force[2] * v[2];
            s.speed += mass * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
        }
        if (p->alone != NULL)
            p->alone[i] = z == 0 && !attract(p, i, force);
        memcpy(p->f[i], force, sizeof force);
    }
    p->part[b] = s;
    return SCREE_OK;
}

static sums join(const pile* p)
{
    sums all = {0};
    for (int64_t b = 0; b < p->blocks; ++b) {
        const sums* s = &p->part[b];
        all.power += s->power;
        all.force += s->force;
        all.speed += s->speed;
        all.net += s->net;
        all.overlap += s->overlap;
        all.energy += s->energy;
        all.reach += s->reach;
        all.virial += s->virial;
        all.worst = fmax(all.worst, s->worst);
        all.contacts += s->contacts;
    }
    return all;
}

typedef struct motion {
    pile* p;
    double dt, keep, turn, back;
} motion;

// No sphere goes farther in a sweep than a small part of its radius, nor much farther than small ones are wide: at the start large ones would throw
// them about, and the list would not last.
static scree_status move_block(void* context, int64_t b)
{
    const motion* m = context;
    pile* p = m->p;
    int64_t end = pile_block_end(p, b);
    bool strayed = false;
    for (int64_t i = b * pile_block; i < end; ++i) {
        double *x = p->x[i], *v = p->v[i];
        const double *f = p->f[i], *from = p->reference[i];
        if (f[3] > 0.0) {
            double by = 1.0 / f[3], step[3], square = 0.0;
            for (int k = 0; k < 3; ++k) {
                double push = f[k] * by;
                v[k] = m->keep * v[k] + (m->turn + m->dt) * push;
                step[k] = m->dt * v[k];
                square += step[k] * step[k];
            }
            double most = fmin(0.25 * x[3], 0.1 * p->r_mean + 0.002 * x[3]);
            if (square > most * most) {
                double less = most / sqrt(square);
                for (int k = 0; k < 3; ++k) {
                    step[k] *= less;
                    v[k] *= less;
                }
            }
            for (int k = 0; k < 3; ++k)
                x[k] += step[k];
        } else {
            for (int k = 0; k < 3; ++k) {
                v[k] = 0.0;
                x[k] += f[k];
            }
        }
        double square = 0.0;
        for (int k = 0; k < 3; ++k)
            square += (x[k] - from[k]) * (x[k] - from[k]);
        strayed |= square >= from[3];
    }
    p->part[b].strayed = strayed;
    return SCREE_OK;
}

static const double dt_first = 0.2, dt_most = 0.7, mixing_first = 0.1;

static scree_status begin(pile* p)  // FIRE from rest
{
    p->dt = dt_first;
    p->mixing = mixing_first;
    p->downhill = 0;
    return SCREE_OK;
}

static void move(pile* p, const sums* s)
{
    motion m = {.p = p};
    if (s->power > 0.0 || s->speed == 0.0) {
        if (++p->downhill > 5) {
            p->dt = fmin(p->dt * 1.1, dt_most);
            p->mixing *= 0.99;
        }
        m.keep = 1.0 - p->mixing;
        m.turn = s->force > 0.0 ? p->mixing * sqrt(s->speed / s->force) : 0.0;
    } else {
        p->downhill = 0;
        p->dt = fmax(p->dt * 0.5, 0.05);
        p->mixing = mixing_first;
    }
    m.dt = p->dt;
    scree_parallel_for(p->threads, p->blocks, move_block, &m, NULL);
}

static bool some_strayed(const pile* p)
{
    for (int64_t b = 0; b < p->blocks; ++b)
        if (p->part[b].strayed)
            return true;
    return false;
}

// Forces at the positions as they are.
static scree_status push(pile* p, sums* s)
{
    if (p->rebuilds == 0 || p->stale || p->factor > p->listed_factor * (1.0 + p->swell) || some_strayed(p)) {
        scree_status status = pile_renew(p);
        if (status != SCREE_OK)
            return status;
    }
    scree_parallel_for(p->threads, p->blocks, push_block, p, NULL);
    *s = join(p);
    p->contacts = s->contacts;
    p->tests += p->candidates;
    ++p->age;
    return p->alone != NULL ? attract_alone(p) : SCREE_OK;
}

static void end(pile* p)
{
    (void)p;
}

const pile_way pile_relax = {.begin = begin, .push = push, .move = move, .end = end};
