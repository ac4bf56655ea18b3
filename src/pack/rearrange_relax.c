// Collective rearrangement, all spheres at once: forces from the rows of candidates, then a step of FIRE (Bitzek et al. 2006). Each sphere sums over
// its whole row; that each pair is computed twice costs less than it would to write to both sides.
#include "rearrange_inner.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

// What walls add to a sphere's force; the stiffness that they add is returned. A wall is a partner as large as the sphere itself.
static inline double push_from_walls(const pile* p, const double xi[4], double force[4], sums* s, int* z)
{
    double stiffness = 0.0;
    for (int k = 0; k < p->dim; ++k) {
        if (p->periodic[k])
            continue;
        for (int side = 0; side < 2; ++side) {
            double o = side == 0 ? xi[3] - xi[k] : xi[k] + xi[3] - p->length[k];
            if (o <= 0.0)
                continue;
            double stiff = p->dim == 3 ? xi[3] : 1.0, push = stiff * o;
            force[k] += side == 0 ? push : -push;
            s->overlap += push * push;
            s->weighed += push * xi[3];
            s->reach += stiff * xi[3] * xi[3];
            s->worst = fmax(s->worst, o / xi[3]);
            stiffness += stiff;
            ++*z;
        }
    }
    return stiffness;
}

// Where nothing touches sphere i: the step towards its nearest candidate.
static void attract(const pile* p, int64_t i, double force[4])
{
    double least = INFINITY;
    for (int64_t e = p->start[i]; e < p->start[i + 1]; ++e) {
        const double *xj = p->x[p->rows[e].j], *offset = p->offset[p->rows[e].image];
        double d[3], square = 0.0;
        for (int k = 0; k < 3; ++k) {
            d[k] = (p->x[i][k] - xj[k]) - offset[k];
            square += d[k] * d[k];
        }
        double distance = sqrt(square), gap = distance - (p->x[i][3] + xj[3]);
        if (gap < least) {
            least = gap;
            for (int k = 0; k < 3; ++k)
                force[k] = -0.5 * p->def->attraction * gap * d[k] / distance;
        }
    }
}

// Forces, block by block. Which of the candidates overlap is as good as random to the processor, and a wrong guess costs as much as the
// whole test: so first the overlapping ones of up to `batch` are picked without a branch, then their forces are added.
static scree_status push_block(void* context, int64_t b)
{
    enum { batch = 64 };
    pile* p = context;
    int64_t end = (b + 1) * pile_block < p->n ? (b + 1) * pile_block : p->n;
    const double (*x)[4] = (const double(*)[4])p->x;
    const double (*offsets)[3] = (const double(*)[3])p->offset;
    const double light = 2.0 * p->dim, inverse = 1.0 / p->dim;
    const bool walls = !(p->periodic[0] && p->periodic[1] && (p->dim == 2 || p->periodic[2])), solid = p->dim == 3;
    double hit[batch][6];  // dx dy dz square sum r
    int32_t partner[batch];
    sums s = {0};
    for (int64_t i = b * pile_block; i < end; ++i) {
        const double xi = x[i][0], yi = x[i][1], zi = x[i][2], ri = x[i][3];
        double force[4] = {0.0, 0.0, 0.0, 0.0};
        double overlap = 0.0, weighed = 0.0, reach = 0.0, worst = 0.0, stiffness = 0.0;
        int z = 0;
        for (int64_t from = p->start[i], row_end = p->start[i + 1]; from < row_end; from += batch) {
            int64_t to = from + batch < row_end ? from + batch : row_end;
            int hits = 0;
            for (int64_t e = from; e < to; ++e) {
                const double *xj = x[p->rows[e].j], *offset = offsets[p->rows[e].image];
                double dx = (xi - xj[0]) - offset[0], dy = (yi - xj[1]) - offset[1], dz = (zi - xj[2]) - offset[2];
                double sum = ri + xj[3], square = (dx * dx + dy * dy) + dz * dz;
                double* h = hit[hits];
                h[0] = dx, h[1] = dy, h[2] = dz, h[3] = square, h[4] = sum, h[5] = xj[3];
                partner[hits] = p->rows[e].j;
                hits += square < sum * sum;
            }
            for (int c = 0; c < hits; ++c) {
                const double *h = hit[c], sum = h[4], rj = h[5];
                double distance = sqrt(h[3]), o = sum - distance, k = solid ? 2.0 * ri * rj / sum : 1.0, push = k * o;
                if (distance > 0.0) {
                    double by = push / distance;
                    force[0] += by * h[0];
                    force[1] += by * h[1];
                    force[2] += by * h[2];
                } else {
                    force[0] += i < partner[c] ? -push : push;  // one centre for two: apart along x
                }
                stiffness += k;
                overlap += push * push;
                weighed += push * sum;
                reach += k * sum * sum;
                double small = ri < rj ? ri : rj;
                worst = o > worst * small ? o / small : worst;
            }
            z += hits;
        }
        s.overlap += overlap;
        s.weighed += weighed;
        s.reach += reach;
        s.worst = fmax(s.worst, worst);
        s.contacts += z;
        if (walls)
            stiffness += push_from_walls(p, x[i], force, &s, &z);
        const double* v = p->v[i];
        if (z > 0) {
            double least = solid ? light * ri : light, mass = (stiffness > least ? stiffness : least) * inverse;
            double square = (force[0] * force[0] + force[1] * force[1]) + force[2] * force[2];
            force[3] = mass;
            s.net += square;
            s.force += square / mass;
            s.power += (force[0] * v[0] + force[1] * v[1]) + force[2] * v[2];
            s.speed += mass * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
        } else if (p->def->attraction > 0.0) {
            attract(p, i, force);
        }
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
        all.weighed += s->weighed;
        all.reach += s->reach;
        all.worst = fmax(all.worst, s->worst);
        all.contacts += s->contacts;
    }
    return all;
}

typedef struct motion {
    pile* p;
    double dt, keep, turn, back;
} motion;

static scree_status move_block(void* context, int64_t b)
{
    const motion* m = context;
    pile* p = m->p;
    int64_t end = (b + 1) * pile_block < p->n ? (b + 1) * pile_block : p->n;
    double moved = 0.0;
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
            double most = 0.25 * x[3];
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
        moved = square > moved ? square : moved;
    }
    p->part[b].moved = moved;
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
    scree_parallel_for(p->def->threads, p->blocks, move_block, &m, NULL);
}

static double largest_move(const pile* p)
{
    double moved = 0.0;
    for (int64_t b = 0; b < p->blocks; ++b)
        moved = fmax(moved, p->part[b].moved);
    return sqrt(moved);
}

// Forces at the places as they are.
static scree_status push(pile* p, sums* s)
{
    if (p->rebuilds == 0 || p->stale || 2.0 * largest_move(p) >= pile_skin_limit(p)) {
        scree_status status = pile_renew(p);
        if (status != SCREE_OK)
            return status;
    }
    scree_parallel_for(p->def->threads, p->blocks, push_block, p, NULL);
    *s = join(p);
    p->contacts = s->contacts;
    p->tests += p->candidates;
    ++p->age;
    return SCREE_OK;
}

static void end(pile* p)
{
    (void)p;
}

const pile_way pile_relax = {.begin = begin, .push = push, .move = move, .end = end};
