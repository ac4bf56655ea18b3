// Mechanically stable packings: from any packing to a jammed state of soft frictionless spheres in which all forces balance.
//
//     a packing   ->   under a pressure that it resists   ->   under less and less pressure   ->   minimised until forces balance
//
// Spheres, springs and candidates are the same as in collective rearrangement (rearrange_relax.c): each sphere sums over its row in a fixed
// order, so the result does not depend on threads or on the search method. Radii grow and shrink instead of the box.
//
// The common factor of the radii is an additional coordinate, and a pressure P drives it: E(x, factor) - P ln factor is minimised. The packing is then jammed from any start,
// and the size of the box need not be searched. (At a fixed box the minimiser spends most of its time in packings that are nearly jammed and come apart slowly: 2000 spheres of
// fuller:1:30 took 103000 sweeps that way, and 24000 now.) The relative overlap is proportional to P. Each stage aims at 0.3 of the current overlap, until the last one aims at
// the requested overlap. If it falls faster, or from a state that balances worse, the packing comes apart and jams again where overlaps are small and steps short: with 0.1 and net forces of 1e-2
// the same spheres took 39000 sweeps.
//
// The first stage begins with sweeps of FIRE, which move spheres past each other; the rest is L-BFGS, which estimates the stiffness of the packing from its last steps.
// New lists keep the order of spheres within a stage, so that L-BFGS keeps its memory.
//
// Stages before the last need not balance well. In the last one the largest net force on any sphere must be below 1e-6 of the mean contact force. The number of sweeps grows with
// 1/sqrt(overlap), because the contacts in excess of isostatic stiffen a packing, and with the width of the size distribution. An overlap of 1e-4 gives contacts within 2 % of isostatic, and 1e-5
// within 1 %, in about 20000 sweeps for 1000 equal spheres. Weakness: the sweeps grow with the number of spheres, and 20000 of a wide mixture do not balance at 1e-5 (docs/rearrange.md).
//
// Results are not taken from the minimiser: contacts and forces are computed again from the written centres with the caller's radii.
//
// Wrong choice for packings under a given pressure (compress.c) or with friction or gravity (a simulation).
#include "rearrange_inner.h"

#include "base/argument.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "pack/saved.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    memory = 10,        // steps that are remembered
    fire_sweeps = 200,  // at the beginning of a stage
    patience = 300000   // sweeps of one stage
};

static const double first_step = 3e-3;      // of the radii, where nothing touches yet
static const double stage_ratio = 0.3;      // of overlaps from stage to stage
static const double stage_balance = 1e-3;   // net force over force of contacts, root mean squares, of stages before the last
static const double first_overlap = 3e-3;   // of the first stage
static const double swell = 1e-3;           // rows of candidates serve while the radii grow by this
static const double near_enough = 1.5;      // of the overlap at the end

SCREE_DEFAULTS_OF(scree_stable_def, scree_default_stable_def)
{
    return (scree_stable_def){.struct_size = sizeof(scree_stable_def),
                              .box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0}),
                              .overlap = 1e-4,
                              .tolerance = 1e-6,
                              .sweeps = 1000000,
                              .method = SCREE_METHOD_HIERARCHICAL_GRID,
                              .saver = {.seconds = 30.0}};
}

// ---- Contacts and forces, from the centres alone ----------------------------------------------------------------------

typedef struct held {
    const scree_box* box;
    int32_t n, dim;
    const double *x, *r;
    double* net;            // n * dim
    int32_t* partners;      // contacts of each sphere that still count
    int64_t *first, *list;  // first[n + 1]; contacts of each sphere, by number
    int64_t count;          // of contacts
    int32_t (*who)[2];      // second below 0: a wall
    bool* gone;
    double forces, energy, reach;
    double overlap, overlap_relative;
} held;

static void add_contact(held* h, int32_t i, int32_t j, double o, const double* normal)
{
    double a = h->r[i], b = j >= 0 ? h->r[j] : a, k = h->dim == 3 ? 2.0 * a * b / (a + b) : 1.0, push = k * o, sum = j >= 0 ? a + b : a;
    for (int c = 0; c < h->dim; ++c) {
        h->net[(int64_t)i * h->dim + c] += push * normal[c];
        if (j >= 0)
            h->net[(int64_t)j * h->dim + c] -= push * normal[c];
    }
    h->forces += push;
    h->energy += push * o;
    h->reach += k * sum * sum;
    h->overlap = fmax(h->overlap, o);
    h->overlap_relative = fmax(h->overlap_relative, o / (2.0 * fmin(a, b)));
    if (h->who != NULL) {
        h->who[h->count][0] = i;
        h->who[h->count][1] = j;
    }
    ++h->count;
}

static void walls_of(held* h, const scree_container* c, int32_t i)
{
    int round = c->kind == SCREE_CONTAINER_BOX ? 0 : c->kind == SCREE_CONTAINER_CYLINDER ? 2 : h->dim;
    const double* x = h->x + (int64_t)i * h->dim;
    for (int k = round; k < h->dim; ++k) {
        if (h->box->periodic[k])
            continue;
        for (int side = 0; side < 2; ++side) {
            double o = h->r[i] - (side == 0 ? x[k] - h->box->lower[k] : h->box->upper[k] - x[k]), normal[3] = {0.0, 0.0, 0.0};
            normal[k] = side == 0 ? 1.0 : -1.0;
            if (o > 0.0)
                add_contact(h, i, -1, o, normal);
        }
    }
    if (round > 0) {
        double d[3], square = 0.0;
        for (int k = 0; k < round; ++k) {
            d[k] = x[k] - 0.5 * (h->box->lower[k] + h->box->upper[k]);
            square += d[k] * d[k];
        }
        double distance = sqrt(square), o = distance + h->r[i] - 0.5 * (h->box->upper[0] - h->box->lower[0]), normal[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < round && distance > 0.0; ++k)
            normal[k] = -d[k] / distance;
        if (o > 0.0 && distance > 0.0)
            add_contact(h, i, -1, o, normal);
    }
}

// Spheres with fewer than dim + 1 contacts go, and with them their contacts, until all that are left have enough.
static scree_status peel(held* h, scree_stability* out)
{
    int32_t* stack = scree_malloc((size_t)h->n, sizeof *stack);
    if (stack == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t c = 0; c < h->count; ++c)
        for (int s = 0; s < 2; ++s)
            if (h->who[c][s] >= 0)
                ++h->first[h->who[c][s] + 1];
    for (int32_t i = 0; i < h->n; ++i) {
        h->partners[i] = (int32_t)h->first[i + 1];
        h->first[i + 1] += h->first[i];
    }
    scree_status status = SCREE_OK;
    for (int64_t c = 0; c < h->count && (status = scree_watch_own("stability", c, h->count)) == SCREE_OK; ++c)
        for (int s = 0; s < 2; ++s)
            if (h->who[c][s] >= 0)
                h->list[h->first[h->who[c][s]]++] = c;
    if (status != SCREE_OK) {
        scree_free(stack);
        return status;
    }
    for (int32_t i = h->n; i > 0; --i)
        h->first[i] = h->first[i - 1];
    h->first[0] = 0;
    int32_t waiting = 0;
    for (int32_t i = 0; i < h->n; ++i)
        if (h->partners[i] < h->dim + 1) {
            h->gone[i] = true;
            stack[waiting++] = i;
        }
    out->bearing = h->count;
    while (waiting > 0) {
        int32_t i = stack[--waiting];
        ++out->rattlers;
        for (int64_t e = h->first[i]; e < h->first[i + 1]; ++e) {
            int64_t c = h->list[e];
            if (h->who[c][0] == INT32_MIN)
                continue;
            int32_t j = h->who[c][0] == i ? h->who[c][1] : h->who[c][0];
            h->who[c][0] = INT32_MIN;  // this contact is over
            --out->bearing;
            if (j >= 0 && !h->gone[j] && --h->partners[j] < h->dim + 1) {
                h->gone[j] = true;
                stack[waiting++] = j;
            }
        }
    }
    scree_free(stack);
    return SCREE_OK;
}

static scree_status find_contacts(held* h, const scree_container* c, int32_t threads)
{
    scree_index_def def = scree_default_index_def();
    def.box = *h->box;
    def.skin = -1.0;
    def.threads = threads;
    def.watch = scree_get_watch();
    scree_index* index;
    scree_pairs pairs = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    status = scree_index_update(index, (scree_spheres){.count = h->n, .dim = h->dim, .x = h->x, .r = h->r});
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status == SCREE_OK) {
        int64_t most = pairs.count + (int64_t)h->n * (h->dim + 1) * 2;
        h->who = scree_malloc((size_t)most, sizeof *h->who);
        h->list = scree_malloc((size_t)most * 2, sizeof *h->list);
        status = h->who == NULL || h->list == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    }
    double length[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < h->dim; ++k)
        length[k] = h->box->upper[k] - h->box->lower[k];
    for (int64_t q = 0; q < pairs.count && (status == SCREE_OK && (status = scree_watch_own("stability", q, pairs.count)) == SCREE_OK); ++q) {
        int32_t i = pairs.ij[q][0], j = pairs.ij[q][1];
        double d[3] = {0.0, 0.0, 0.0}, offset[3] = {0.0, 0.0, 0.0}, square = 0.0;
        if (pairs.shift != NULL)
            scree_lattice_offset(length, h->box->tilt, pairs.shift[q][0], pairs.shift[q][1], pairs.shift[q][2], offset);
        for (int k = 0; k < h->dim; ++k) {
            d[k] = (h->x[(int64_t)i * h->dim + k] - h->x[(int64_t)j * h->dim + k]) - offset[k];
            square += d[k] * d[k];
        }
        double distance = sqrt(square);
        for (int k = 0; k < h->dim; ++k)
            d[k] = distance > 0.0 ? d[k] / distance : (k == 0 ? 1.0 : 0.0);
        if (i != j)  // its own image moves with a sphere
            add_contact(h, i, j, h->r[i] + h->r[j] - distance, d);
    }
    for (int32_t i = 0; i < h->n && (status == SCREE_OK && (status = scree_watch_own("stability", i, h->n)) == SCREE_OK); ++i)
        walls_of(h, c, i);
    scree_index_destroy(index);
    return status;
}

static scree_status find_held(const scree_container* c, int32_t threads, scree_spheres s, scree_stability* out, double overlap[2])
{
    held h = {.box = &c->box, .n = (int32_t)s.count, .dim = s.dim, .x = s.x, .r = s.r};
    size_t n = (size_t)s.count;
    h.net = scree_calloc(n * (size_t)h.dim, sizeof *h.net);
    h.partners = scree_calloc(n, sizeof *h.partners);
    h.first = scree_calloc(n + 1, sizeof *h.first);
    h.gone = scree_calloc(n, sizeof *h.gone);
    scree_status status = h.net == NULL || h.partners == NULL || h.first == NULL || h.gone == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK)
        status = find_contacts(&h, c, threads);
    if (status == SCREE_OK) {
        *out = (scree_stability){.contacts = h.count};
        status = peel(&h, out);
    }
    if (status == SCREE_OK) {
        int32_t backbone = h.n - out->rattlers, motions = 0;
        int64_t ends = 0;
        for (int k = 0; k < h.dim; ++k)
            motions += h.box->periodic[k];
        if (c->kind != SCREE_CONTAINER_BOX)  // in a round wall all can turn together
            motions += c->kind == SCREE_CONTAINER_SPHERE && h.dim == 3 ? 3 : 1;
        for (int32_t i = 0; i < h.n; ++i)
            ends += h.gone[i] ? 0 : h.partners[i];
        out->isostatic = backbone > 0 ? (int64_t)h.dim * backbone - motions + 1 : 0;
        out->coordination = backbone > 0 ? (double)ends / backbone : 0.0;
        out->force = h.count > 0 ? h.forces / (double)h.count : 0.0;
        out->overlap = h.count > 0 ? sqrt(h.energy / h.reach) : 0.0;
        for (int32_t i = 0; i < h.n && h.count > 0; ++i) {
            double square = 0.0;
            for (int k = 0; k < h.dim; ++k)
                square += h.net[(int64_t)i * h.dim + k] * h.net[(int64_t)i * h.dim + k];
            out->residual = fmax(out->residual, sqrt(square) / out->force);
        }
        overlap[0] = h.overlap;
        overlap[1] = h.overlap_relative;
    }
    scree_free(h.net);
    scree_free(h.partners);
    scree_free(h.first);
    scree_free(h.list);
    scree_free(h.who);
    scree_free(h.gone);
    return status;
}

SCREE_RESULT_OF(scree_stability, scree_find_stability, (const scree_box* box, int32_t container, int32_t threads, scree_spheres spheres, scree_stability* out), (box, container, threads, spheres, out))
{
    static const char what[] = "stability";
    SCREE_EMPTY(out);
    SCREE_NEED(box);
    scree_container c = {.kind = container, .box = *box};
    scree_status status = scree_container_check(&c);
    if (status == SCREE_OK)
        status = placing_check_ends(what, box);
    if (status == SCREE_OK && threads < 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: threads = %d; expected 0 (all cores) or more", what, (int)threads);
    if (status == SCREE_OK)
        status = scree_spheres_check(spheres, box);
    if (status == SCREE_OK && spheres.dim != box->dim)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: the spheres have dimension %d; expected %d, as the box has", what, (int)spheres.dim, (int)box->dim);
    double overlap[2];
    return status == SCREE_OK ? find_held(&c, threads, spheres, out, overlap) : status;
}

// ---- Stages --------------------------------------------------------------------------------------------------------

// What is saved of it, besides the pile and the arrays.
typedef struct course {
    int64_t stage, turn;  // turn: of this stage
    int32_t kept, next;   // steps that are remembered; where the next one goes
    double wish;          // overlap that this stage aims at
    double product[memory];  // step . turn of each
    double scale;         // stiffness of the last step, by mass
    double pressure;      // works against the contacts by making the radii larger
    double mass_radii, least_mass, step_radii[memory], turn_radii[memory];  // of the radii, all by one factor
    double most_factor;   // of the radii: then the largest sphere touches its own image
    double overlap;       // at the end of the last stage
    double done;
    double resisted;      // the first overlap that the packing resisted with
    sums now;             // of the last push
} course;

typedef struct settle {
    const scree_stable_def* def;
    pile* p;
    double (*step)[4], (*turn)[4];  // memory * n: of the last steps, how the spheres went, and how the forces changed on the way
    double (*was)[4];     // forces before the step
    double (*part)[2];    // sums by block
    course c;
    double weight;        // what the work on blocks needs to know
    int32_t at;
    double grow, was_radii;  // of the radii
    bool stopped, resumed;
    uint64_t wish;        // of all that decides the bits
    double saved;         // when, by the clock
} settle;

static bool goes_on(settle* s, double now, double residual, double wanted)
{
    const scree_stable_def* def = s->def;
    pile* p = s->p;
    if (def->state != NULL)
        *def->state = (scree_rearrange_state){.sweeps = p->sweeps, .density = p->density * pow(p->factor, p->dim), .overlap = now};
    if (def->watch.tick != NULL) {
        // Half of the way are the stages, by the logarithm of the overlap; the other half the balance of the last one.
        double part = 0.0, balance = 0.0;
        if (s->c.resisted > def->overlap)
            part = fmin(fmax(log(s->c.resisted / fmax(now, def->overlap)) / log(s->c.resisted / def->overlap), 0.0), 1.0);
        if (wanted <= def->tolerance && residual > 0.0)
            balance = fmin(fmax(log(residual) / log(def->tolerance), 0.0), 1.0);
        s->c.done = fmin(fmax(s->c.done, 0.5 * part + 0.5 * balance), 1.0);
        if (!def->watch.tick(def->watch.context, s->c.done)) {
            p->cancelled = true;
            return false;
        }
    }
    return (def->seconds == 0.0 || scree_clock() - p->began < def->seconds) && (def->sweeps == 0 || p->sweeps < def->sweeps);
}

// The largest net force over the mean contact force, of the forces that the last push left behind.
static double largest_net(const pile* p, const sums* s)
{
    double most = 0.0, forces = 0.0;
    int64_t contacts = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        const double* f = p->f[i];
        if (f[3] > 0.0)
            most = fmax(most, (f[0] * f[0] + f[1] * f[1]) + f[2] * f[2]);
        const scree_neighbour_row row = p->rows.row[i];
        for (int64_t e = row.at; e < row.at + row.count; ++e) {
            const double *xi = p->x[i], *xj = p->x[p->rows.j[e]], *offset = p->offset[p->rows.image[e]];
            double dx = (xi[0] - xj[0]) - offset[0], dy = (xi[1] - xj[1]) - offset[1], dz = (xi[2] - xj[2]) - offset[2];
            double sum = xi[3] + xj[3], square = (dx * dx + dy * dy) + dz * dz;
            if (square < sum * sum) {
                forces += (p->dim == 3 ? 2.0 * xi[3] * xj[3] / sum : 1.0) * (sum - sqrt(square));
                ++contacts;
            }
        }
    }
    if (contacts == 0)  // walls alone hold them
        return sqrt(most / fmax(s->overlap, 1e-300));
    return sqrt(most) / (forces / (double)contacts);
}

// ---- Steps with memory ---------------------------------------------------------------------------------------------

// Vectors over spheres and axes. v is the direction that is being made; sums are by block.
static double dot_block(const settle* s, const double (*a)[4], int64_t b)
{
    double sum = 0.0;
    for (int64_t i = b * pile_block; i < pile_block_end(s->p, b); ++i)
        sum += (a[i][0] * s->p->v[i][0] + a[i][1] * s->p->v[i][1]) + a[i][2] * s->p->v[i][2];
    return sum;
}

static void add_block(const settle* s, double weight, const double (*a)[4], int64_t b)
{
    for (int64_t i = b * pile_block; i < pile_block_end(s->p, b); ++i)
        for (int k = 0; k < 3; ++k)
            s->p->v[i][k] += weight * a[i][k];
}

static const double (*remembered(const settle* s, double (*all)[4]))[4]
{
    return (const double(*)[4])all + (int64_t)s->at * s->p->n;
}

static scree_status dot_step_block(void* context, int64_t b)  // step[at] . v
{
    settle* s = context;
    s->part[b][0] = dot_block(s, remembered(s, s->step), b);
    return SCREE_OK;
}

static scree_status dot_turn_block(void* context, int64_t b)  // turn[at] . v
{
    settle* s = context;
    s->part[b][0] = dot_block(s, remembered(s, s->turn), b);
    return SCREE_OK;
}

static scree_status add_turn_block(void* context, int64_t b)  // v -= weight turn[at]
{
    settle* s = context;
    add_block(s, -s->weight, remembered(s, s->turn), b);
    return SCREE_OK;
}

static scree_status add_step_block(void* context, int64_t b)  // v += weight step[at]
{
    settle* s = context;
    add_block(s, s->weight, remembered(s, s->step), b);
    return SCREE_OK;
}

static scree_status force_block(void* context, int64_t b)  // v = force, and the force is kept
{
    settle* s = context;
    pile* p = s->p;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i)
        for (int k = 0; k < 3; ++k)
            s->was[i][k] = p->v[i][k] = p->f[i][3] > 0.0 ? p->f[i][k] : 0.0;
    return SCREE_OK;
}

static scree_status mass_block(void* context, int64_t b)  // v = weight v / mass
{
    settle* s = context;
    pile* p = s->p;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i)
        for (int k = 0; k < 3; ++k)
            p->v[i][k] *= p->f[i][3] > 0.0 ? s->weight / p->f[i][3] : 0.0;
    return SCREE_OK;
}

static scree_status slope_block(void* context, int64_t b)  // force . v, and the longest step, squared, by radius
{
    settle* s = context;
    const pile* p = s->p;
    double sum = 0.0, most = 0.0;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        const double *v = p->v[i], *f = s->was[i];
        sum += (f[0] * v[0] + f[1] * v[1]) + f[2] * v[2];
        most = fmax(most, ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]) / (p->x[i][3] * p->x[i][3]));
    }
    s->part[b][0] = sum;
    s->part[b][1] = most;
    return SCREE_OK;
}

static scree_status learn_block(void* context, int64_t b)  // step[at] = weight v, turn[at] = how the force fell; their product, and turn . turn / mass
{
    settle* s = context;
    const pile* p = s->p;
    double (*step)[4] = s->step + (int64_t)s->at * p->n, (*turn)[4] = s->turn + (int64_t)s->at * p->n, sum = 0.0, square = 0.0;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        double own = 0.0;
        for (int k = 0; k < 3; ++k) {
            double force = p->f[i][3] > 0.0 ? p->f[i][k] : 0.0;
            step[i][k] = s->weight * p->v[i][k];
            turn[i][k] = s->was[i][k] - force;
            sum += step[i][k] * turn[i][k];
            own += turn[i][k] * turn[i][k];
        }
        square += p->f[i][3] > 0.0 ? own / p->f[i][3] : 0.0;
    }
    s->part[b][0] = sum;
    s->part[b][1] = square;
    return SCREE_OK;
}

static scree_status go_block(void* context, int64_t b)  // x += weight v
{
    settle* s = context;
    pile* p = s->p;
    bool strayed = false;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i) {
        double square = 0.0;
        p->x[i][3] = p->r[i] * p->factor;
        for (int k = 0; k < 3; ++k) {
            p->x[i][k] += s->weight * p->v[i][k];
            square += (p->x[i][k] - p->reference[i][k]) * (p->x[i][k] - p->reference[i][k]);
        }
        strayed |= square >= p->reference[i][3];
    }
    p->part[b].strayed = strayed;
    return SCREE_OK;
}

static double over_blocks(settle* s, scree_status (*work)(void*, int64_t))
{
    double sum = 0.0;
    scree_parallel_for(s->p->threads, s->p->blocks, work, s, NULL);
    for (int64_t b = 0; b < s->p->blocks; ++b)
        sum += s->part[b][0];
    return sum;
}

// What drives the radii: the pressure, less what the contacts hold against it.
static double force_on_radii(const settle* s, const sums* now)
{
    return s->c.pressure - (0.5 * now->virial + 0.25 * now->energy);
}

// The next direction, in v and grow, from the forces of the last push.
static void direct(settle* s, const sums* now)
{
    double weight[memory];
    over_blocks(s, force_block);
    s->grow = s->was_radii = force_on_radii(s, now);
    for (int m = 1; m <= s->c.kept; ++m) {
        s->at = (s->c.next - m + memory) % memory;
        s->weight = weight[s->at] = (over_blocks(s, dot_step_block) + s->c.step_radii[s->at] * s->grow) / s->c.product[s->at];
        over_blocks(s, add_turn_block);
        s->grow -= s->weight * s->c.turn_radii[s->at];
    }
    s->weight = s->c.kept > 0 ? s->c.scale : 0.2;
    over_blocks(s, mass_block);
    s->grow *= s->weight / s->c.mass_radii;
    for (int m = s->c.kept; m >= 1; --m) {
        s->at = (s->c.next - m + memory) % memory;
        s->weight = weight[s->at] - (over_blocks(s, dot_turn_block) + s->c.turn_radii[s->at] * s->grow) / s->c.product[s->at];
        over_blocks(s, add_step_block);
        s->grow += s->weight * s->c.step_radii[s->at];
    }
}

static double slope_of(settle* s)
{
    return over_blocks(s, slope_block) + s->was_radii * s->grow;
}

// One step (L-BFGS, Nocedal 1980), from and to a state of which `now` tells.
static scree_status step_with_memory(settle* s, sums* now)
{
    enum { tries = 6 };
    pile* p = s->p;
    direct(s, now);
    double slope = slope_of(s), farthest = 0.0;
    if (!(slope > 0.0)) {  // what was learnt no longer fits
        s->c.kept = 0;
        direct(s, now);
        slope = slope_of(s);
    }
    for (int64_t b = 0; b < p->blocks; ++b)
        farthest = fmax(farthest, s->part[b][1]);
    // The force along the direction falls with the way, faster as contacts close: its zero by the secant rule, roughly.
    double at = 0.0, low = 0.0, low_slope = slope, high = INFINITY, high_slope = 0.0, begun = p->factor;
    double to = fmin(1.0, fmin(0.05 / sqrt(farthest), 1e-3 / fabs(s->grow)));
    for (int t = 0; t < tries; ++t) {
        if (begun * (1.0 + to * s->grow) > s->c.most_factor)
            to = (s->c.most_factor / begun - 1.0) / s->grow;
        s->weight = to - at;
        p->factor = begun * (1.0 + to * s->grow);
        scree_parallel_for(p->threads, p->blocks, go_block, s, NULL);
        at = to;
        scree_status status = p->way->push(p, now);
        ++p->sweeps;
        if (status != SCREE_OK)
            return status;
        double power = now->power + force_on_radii(s, now) * s->grow;
        if (fabs(power) <= 0.9 * slope || p->factor >= s->c.most_factor * (1.0 - 1e-12))
            break;
        if (power > 0.0) {
            low = at;
            low_slope = power;
            if (high == INFINITY) {
                to = 2.0 * at;
                continue;
            }
        } else {
            high = at;
            high_slope = power;
        }
        to = low + (high - low) * fmin(fmax(low_slope / (low_slope - high_slope), 0.1), 0.9);
    }
    s->at = s->c.next;
    s->weight = at;
    s->c.mass_radii = fmax(0.5 * now->reach, s->c.least_mass);
    s->c.step_radii[s->at] = at * s->grow;
    s->c.turn_radii[s->at] = s->was_radii - force_on_radii(s, now);
    double product = over_blocks(s, learn_block) + s->c.step_radii[s->at] * s->c.turn_radii[s->at];
    double square = s->c.turn_radii[s->at] * s->c.turn_radii[s->at] / s->c.mass_radii;
    for (int64_t b = 0; b < p->blocks; ++b)
        square += s->part[b][1];
    if (product > 1e-12 * square) {
        s->c.product[s->at] = product;
        s->c.scale = product / square;
        s->c.next = (s->c.next + 1) % memory;
        s->c.kept = s->c.kept < memory ? s->c.kept + 1 : memory;
    }
    return SCREE_OK;
}

// ---- Saved and resumed ---------------------------------------------------------------------------------------------

// Forces of the last push, and the steps that are remembered, the last one first: 32 and at most 640 bytes per sphere.
static int32_t arrays_of(settle* s, scree_bytes* piece)
{
    size_t bytes = (size_t)s->p->n * sizeof *s->p->f;
    int32_t count = 0;
    piece[count++] = (scree_bytes){s->p->f, bytes};
    for (int32_t m = 1; m <= s->c.kept; ++m) {
        int64_t at = (s->c.next - m + memory) % memory * (int64_t)s->p->n;
        piece[count++] = (scree_bytes){s->step + at, bytes};
        piece[count++] = (scree_bytes){s->turn + at, bytes};
    }
    return count;
}

static scree_status save(settle* s)
{
    scree_bytes piece[2 * memory + 2] = {{&s->c, sizeof s->c}};
    int32_t count = 1 + arrays_of(s, piece + 1);
    return pile_save(s->p, &s->def->saver, s->wish, 0, count, piece);
}

static scree_status resume(settle* s)
{
    static const char what[] = "stable packing";
    scree_bytes piece[2 * memory + 1], from;
    int64_t since;
    s->p->swell = swell;
    s->p->keep_order = true;
    scree_status status = s->p->way->begin(s->p);
    if (status == SCREE_OK)
        status = pile_restore(s->p, what, s->def->resume, s->wish, &since, &from);
    if (status != SCREE_OK)
        return status;
    if (from.size >= sizeof s->c)
        memcpy(&s->c, from.data, sizeof s->c);
    if (from.size < sizeof s->c || s->c.kept < 0 || s->c.kept > memory || s->c.next < 0 || s->c.next >= memory ||
        from.size != sizeof s->c + (size_t)(1 + 2 * s->c.kept) * (size_t)s->p->n * sizeof *s->p->f)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing has %zu bytes of the minimiser, which do not fit its %d spheres; expected a file of this version", what, from.size, (int)s->p->n);
    const char* at = (const char*)from.data + sizeof s->c;
    int32_t count = arrays_of(s, piece);
    for (int32_t k = 0; k < count; at += piece[k].size, ++k)
        memcpy((void*)(uintptr_t)piece[k].data, at, piece[k].size);
    s->resumed = true;
    return SCREE_OK;
}

// ---- One stage -----------------------------------------------------------------------------------------------------

static scree_status rest(pile* p)
{
    for (int32_t i = 0; i < p->n; ++i)
        memset(p->v[i], 0, 3 * sizeof **p->v);
    return p->way->begin(p);
}

// At this pressure, until forces balance.
static scree_status relax(settle* s, bool last, int64_t sweeps_of_fire)
{
    pile* p = s->p;
    const double balance = last ? 0.5 * s->def->tolerance : stage_balance;
    sums* now = &s->c.now;
    scree_status status = SCREE_OK;
    if (!s->resumed) {
        status = rest(p);
        s->c.kept = s->c.next = 0;
        p->keep_order = false;
        if (status == SCREE_OK)
            status = p->way->push(p, now);
        p->keep_order = true;  // what was learnt of spheres stays with them
        s->c.mass_radii = fmax(0.5 * now->reach, s->c.least_mass);
        s->c.turn = 0;
    }
    s->resumed = false;
    for (; status == SCREE_OK; ++s->c.turn) {
        s->c.overlap = now->reach > 0.0 ? sqrt(now->energy / now->reach) : 0.0;
        p->worst = 0.5 * now->worst;
        if (p->factor >= s->c.most_factor * (1.0 - 1e-12)) {  // the largest meets its own image before anything holds it
            s->stopped = true;
            return SCREE_OK;
        }
        // Root mean squares are at hand; the largest one is looked for only when they are low enough.
        double ends = (double)(now->contacts > 0 ? now->contacts : 1), mean = now->overlap > 0.0 ? sqrt(now->net / p->n) / sqrt(now->overlap / ends) : INFINITY;
        if (s->c.turn % pile_tick_sweeps(p->n) == 0) {
            double residual = last && mean <= balance ? largest_net(p, now) : mean;
            if ((last ? residual : mean) <= balance && fabs(force_on_radii(s, now)) <= 0.1 * s->c.pressure)
                return SCREE_OK;
            if (s->c.turn >= patience || !goes_on(s, s->c.overlap, residual, balance)) {
                s->stopped = true;
                return SCREE_OK;
            }
        }
        if (s->def->saver.save != NULL && scree_clock() - s->saved >= s->def->saver.seconds) {
            status = save(s);
            if (status != SCREE_OK)
                return status;
            s->saved = scree_clock();
        }
        if (s->c.turn < sweeps_of_fire) {
            p->way->move(p, now);
            ++p->sweeps;
            status = p->way->push(p, now);
        } else {
            status = step_with_memory(s, now);
        }
    }
    return status;
}

static void scale_radii(pile* p, double by)
{
    pile_shrink(p, by);
    p->stale = p->stale || by > 1.0;  // gaps have narrowed
}

static void begin_stages(settle* s)
{
    pile* p = s->p;
    s->c.wish = fmax(first_overlap, s->def->overlap);
    for (int32_t i = 0; i < p->n; ++i) {
        double r = p->x[i][3];
        s->c.least_mass += 0.25 * p->dim * (p->dim == 3 ? r : 1.0) * 4.0 * r * r;
    }
    s->c.pressure = 4.0 * s->c.least_mass * s->c.wish;
    s->c.most_factor = 0.5 * p->period / p->r_max * (1.0 - 1e-9);
    p->swell = swell;
    scale_radii(p, fmin(1.0 + first_step, fmax(s->c.most_factor / p->factor, 1.0)));
}

static scree_status find_balance(settle* s, bool* converged)
{
    const double aim = s->def->overlap;
    s->saved = scree_clock();
    if (!s->resumed)
        begin_stages(s);
    for (; !s->stopped; ++s->c.stage) {
        bool last = s->c.wish <= aim;
        scree_status status = relax(s, last, s->c.stage == 0 ? fire_sweeps : 0);
        if (status != SCREE_OK || s->stopped)
            return status;
        double now = s->c.overlap;
        s->c.resisted = s->c.resisted > 0.0 ? s->c.resisted : now;
        if (last && now <= aim * near_enough && now >= aim / near_enough) {
            *converged = true;
            return SCREE_OK;
        }
        s->c.wish = fmax(aim, stage_ratio * now);
        if (now <= aim * near_enough && now >= aim / near_enough)  // there already, if it balances better
            s->c.wish = aim;
        s->c.pressure *= s->c.wish / now;
    }
    return SCREE_OK;
}

// ---- The call ------------------------------------------------------------------------------------------------------

static scree_status check_def(const scree_stable_def* def, int32_t count, const double* r, const double* x)
{
    static const char what[] = "stable packing";
    scree_status status = scree_check_struct_size(what, "scree_default_stable_def", def->struct_size, sizeof *def, sizeof *def);
    const placing_number numbers[] = {{"overlap", def->overlap, 1e-9, 0.05}, {"tolerance", def->tolerance, 1e-12, 0.1}, {"seconds", def->seconds, 0.0, 1e12}};
    if (status == SCREE_OK)
        status = placing_check_numbers(what, numbers, sizeof numbers / sizeof *numbers, def->threads);
    if (status == SCREE_OK && !(def->saver.seconds >= 0.0))
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: saver.seconds = %g; expected 0 or more", what, def->saver.seconds);
    if (status == SCREE_OK && def->sweeps < 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: sweeps = %" PRId64 "; expected 0 or more", what, def->sweeps);
    if (status == SCREE_OK)
        status = scree_container_check(&(scree_container){.kind = def->container, .box = def->box});
    if (status == SCREE_OK)
        status = placing_check_ends(what, &def->box);
    if (status == SCREE_OK)
        status = placing_check_radii(what, count, r);
    if (status == SCREE_OK && count > 0 && x == NULL)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: x is NULL; expected the centres of %d spheres", what, (int)count);
    return status == SCREE_OK ? scree_spheres_check((scree_spheres){.count = count, .dim = def->box.dim, .x = x, .r = r}, &def->box) : status;
}

static double share_of_volume(const scree_packing* p, const double* r)
{
    const scree_container c = {.kind = p->container, .box = p->box};
    double sum = 0.0, volume = scree_container_volume(&c);
    for (int32_t i = 0; i < p->count; ++i)
        sum += placing_ball(p->box.dim, r[i]) / volume;
    return sum;
}

SCREE_RESULT_OF(scree_packing, scree_pack_stable, (const scree_stable_def* def, int32_t count, const double* r, const double* x, scree_packing* out), (def, count, r, x, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    scree_status status = check_def(def, count, r, x);
    if (status != SCREE_OK)
        return status;
    scree_packing made = {.count = count, .box = def->box, .container = def->container, .converged = true};
    made.x = scree_calloc((size_t)count * (size_t)def->box.dim, sizeof *made.x);
    if (made.x == NULL)
        return SCREE_ERR_MEMORY;
    if (count == 0) {
        *out = made;
        return SCREE_OK;
    }
    made.converged = false;
    scree_rearrange_def pile_def = scree_default_rearrange_def();
    pile_def.box = def->box;
    pile_def.container = def->container;
    pile_def.start_density = share_of_volume(&made, r);
    pile_def.method = def->method;
    pile_def.threads = def->threads;
    settle s = {.def = def};
    status = pile_open_at(&pile_def, count, r, x, &s.p);
    bool balanced = false;
    if (status == SCREE_OK) {
        s.step = scree_calloc((size_t)count * memory, sizeof *s.step);
        s.turn = scree_calloc((size_t)count * memory, sizeof *s.turn);
        s.was = scree_calloc((size_t)count, sizeof *s.was);
        s.part = scree_calloc((size_t)s.p->blocks, sizeof *s.part);
        status = s.step == NULL || s.turn == NULL || s.was == NULL || s.part == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    }
    if (status == SCREE_OK && (def->saver.save != NULL || def->resume.data != NULL)) {
        const double numbers[] = {def->overlap, def->tolerance};
        s.p->radii_sum = saved_sum(r, (size_t)count * sizeof *r);
        s.wish = saved_mix(saved_mix(pile_wish(s.p), numbers, sizeof numbers), x, (size_t)count * (size_t)def->box.dim * sizeof *x);
    }
    if (status == SCREE_OK && def->resume.data != NULL)
        status = resume(&s);
    if (status == SCREE_OK)
        status = find_balance(&s, &balanced);
    scree_free(s.step);
    scree_free(s.turn);
    scree_free(s.was);
    scree_free(s.part);
    if (status == SCREE_OK) {
        pile_wrap(s.p);
        pile_lay_out(s.p, s.p->factor, false, &made);
        made.density = made.density_net = share_of_volume(&made, r);
    }
    scree_stability found = {0};
    double overlap[2] = {0.0, 0.0};
    if (status == SCREE_OK)
        status = find_held(&(scree_container){.kind = made.container, .box = made.box}, def->threads,
                           (scree_spheres){.count = count, .dim = made.box.dim, .x = made.x, .r = r}, &found, overlap);
    bool cancelled = false;
    if (s.p != NULL) {
        made.sweeps = s.p->sweeps;
        made.growths = s.p->growths;
        made.rebuilds = s.p->rebuilds;
        made.tests = s.p->tests;
        made.seconds = scree_clock() - s.p->began;
        cancelled = s.p->cancelled;
        pile_close(s.p);
    }
    if (status != SCREE_OK) {
        scree_packing_free(&made);
        return status;
    }
    made.max_overlap = overlap[0];
    made.overlap_left = overlap[1];
    made.converged = balanced && found.residual <= def->tolerance;
    *out = made;
    return cancelled ? scree_fail(SCREE_ERR_CANCELLED, "stable packing: stopped on request after %" PRId64 " sweeps, at density %.4g", made.sweeps, made.density)
                     : SCREE_OK;
}
