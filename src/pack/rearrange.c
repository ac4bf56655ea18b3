// Collective rearrangement: all spheres at once, overlapping, push each other apart while the room they have grows a little now and then.
//
//     too small a box, centres at random   ->   pushed apart as far as it goes   ->   a little more room, pushed apart, ...   ->   none overlap
//
// Three things differ from the paper (Raschdorf and Kolonko, after He, Ekere and Cai).
//
// Stiffness by size. Overlaps o are springs of energy k o^2/2. Under one pressure P the contact of spheres of diameter d bears P d^(dim-1), so
// with one k for all it would give way by o/d ~ d^(dim-2): in 3D large spheres would sink into each other while the small ones are loose, and the
// large ones alone would decide when the packing jams. With k ~ (r_i r_j/(r_i + r_j))^(dim-2), as of one material, all overlap by the same
// part and all sizes jam together: the Fuller sample of the paper ends at 0.83 in place of 0.73 (one seed).
//
// Sweeps with momentum. A plain sweep moves each sphere by its force over what its contacts resist, dim/max(K, ...), K the sum of their k, so that
// a large sphere with a thousand contacts moves no farther than its neighbours. Here that number is a mass, and the spheres are moved by
// FIRE (Bitzek et al. 2006): they roll downhill, are turned towards the force, and stop as soon as they go uphill. Near the end, where contacts
// barely hold and the softest motions are slow, that takes about the square root of the sweeps.
//
// Growth when the forces balance. Net forces that are a small part of the overlaps mean that the spheres cannot give way any more; then the
// box grows by a part of the mean overlap. Growing at every sweep would ruin wide laws, whose small spheres take hundreds of sweeps to get out
// of the large ones.
//
// In place of the box growing, radii shrink: places, images and candidates then stay as they are (gaps only widen). At the end everything is
// scaled back, radii to what they were, and once more so that the closest pair is just apart.
//
// Candidates: the index finds all pairs with a gap below a skin, and they serve until a sphere has moved by half of it. The skin follows from counts
// alone, and each sphere sums over its whole row, from the lowest partner to the highest, so that no bit depends on threads or on the
// method of the index. That each pair is computed twice costs less than it would to write to both sides.
//
// Cost: 150 to 250 ns per sphere and sweep, some thousand sweeps. Wrong choice for densities below 0.5 or so (random addition is faster) and when
// mechanics matter (friction, gravity: a simulation).
#include "base/array.h"
#include "base/clock.h"
#include "base/morton.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "geom/length.h"
#include "scree/index.h"
#include "scree/pack.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    block = 256,         // spheres per chunk of work; sums are per block, so it is part of what the bits depend on
    shift_most = 4,      // images of candidates are at most so many boxes away
    shift_codes = (2 * shift_most + 1) * (2 * shift_most + 1) * (2 * shift_most + 1),
    sweeps_per_tick = 16,
    patience = 1000      // sweeps after which the box grows even if forces do not balance
};

typedef struct entry {
    int32_t j;
    int32_t image;  // number of the image in `offset`
} entry;

// What a sweep knows when all forces are known. Pairs are counted from both sides.
typedef struct sums {
    double power;      // force . velocity
    double force;      // squares of forces, by mass
    double speed;      // squares of velocities, times mass
    double net;        // squares of net forces
    double overlap;    // squares of overlaps
    double weighed;    // overlap * sum of radii
    double reach;      // squares of sums of radii
    double worst;      // largest overlap by smaller radius
    double moved;      // largest square of a displacement since the list was made
    int64_t contacts;
} sums;

typedef struct pile {
    const scree_rearrange_def* def;
    int dim;
    int32_t n;
    int64_t blocks;
    int unit;              // lengths inside are those outside times 2^-unit
    double length[3];      // of the box inside; it begins at 0. 0 in 2D
    bool periodic[3];
    double factor;         // of the radii
    double r_min, r_max;   // at factor 1

    uint32_t* id;          // at rank
    double (*x)[4];        // x y z, and the radius as it is now
    double (*v)[4];        // velocity, [3] not used
    double (*f)[4];        // force, and the mass; mass 0: no contact, and the force is a step towards a neighbour
    double (*reference)[4];
    double* r;             // at factor 1, by rank
    int64_t* start;        // rows: n + 1
    entry* rows;
    int64_t rows_capacity;
    double* flat;          // n * (dim + 1): centres and radii for the index
    sums* part;            // by block
    double offset[shift_codes][3];

    scree_index* index;
    double skin;
    int64_t candidates, age;
    int64_t sweeps, growths, rebuilds, tests;
    double began;
    bool cancelled;        // the watch said so

    double dt, mixing;     // FIRE
    int64_t downhill;      // sweeps since it last went uphill
} pile;

// ---- Checks --------------------------------------------------------------------------------------------------------

scree_rearrange_def scree_default_rearrange_def(void)
{
    return (scree_rearrange_def){.struct_size = sizeof(scree_rearrange_def),
                                 .box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0}),
                                 .start_density = 0.9,
                                 .tolerance = 1e-4,
                                 .growth = 0.03,
                                 .balance = 0.05,
                                 .warm_up = 300,
                                 .sweeps = 1000000,
                                 .method = SCREE_METHOD_LOOSE_OCTREE,
                                 .seed = 1};
}

static scree_status check_def(const scree_rearrange_def* def)
{
    static const char what[] = "rearrangement";
    if (def->struct_size != sizeof *def)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the def has size %u; begin with scree_default_rearrange_def()", what,
                          (unsigned)def->struct_size);
    const struct {
        const char* name;
        double value, least, most;
    } numbers[] = {{"start density", def->start_density, 0.01, 2.0}, {"tolerance", def->tolerance, 1e-12, 0.5},
                   {"growth", def->growth, 1e-6, 1.0},               {"balance", def->balance, 1e-6, 1.0},
                   {"attraction", def->attraction, 0.0, 1.0},        {"time limit", def->seconds, 0.0, 1e12}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
        if (!(numbers[k].value >= numbers[k].least && numbers[k].value <= numbers[k].most))
            return scree_fail(SCREE_ERR_ARGUMENT, "%s: a %s of %g; it is between %g and %g", what, numbers[k].name, numbers[k].value,
                              numbers[k].least, numbers[k].most);
    if (def->warm_up < 0 || def->sweeps < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: %" PRId64 " sweeps of warm-up, %" PRId64 " at most; neither can be negative", what,
                          def->warm_up, def->sweeps);
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: %d threads (0 means all cores)", what, (int)def->threads);
    scree_status status = scree_box_check(&def->box);
    for (int k = 0; status == SCREE_OK && k < def->box.dim; ++k)
        if (isinf(def->box.lower[k]) || isinf(def->box.upper[k]) || !(def->box.upper[k] > def->box.lower[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT, "%s: the box goes from %g to %g on axis %c; it needs two ends, a length apart", what,
                                def->box.lower[k], def->box.upper[k], "xyz"[k]);
    return status;
}

static scree_status check_radii(int32_t count, const double* r)
{
    if (count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "rearrangement: a count of %" PRId32, count);
    if (count > 0 && r == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "rearrangement: %" PRId32 " spheres without radii (r is NULL)", count);
    for (int32_t i = 0; i < count; ++i)
        if (!(r[i] > 0.0) || !scree_is_length(r[i]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g; here it is from %g to %g", i, r[i], SCREE_LENGTH_MIN,
                              SCREE_LENGTH_MAX);
    return SCREE_OK;
}

// ---- Life ----------------------------------------------------------------------------------------------------------

static double ball(int dim, double r)
{
    const double pi = 3.14159265358979323846;
    return dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r;
}

static double net_density(const pile* p)
{
    double sum = 0.0, volume = 1.0;
    for (int32_t i = 0; i < p->n; ++i)
        sum += ball(p->dim, p->r[i] * p->factor);
    for (int k = 0; k < p->dim; ++k)
        volume *= p->length[k];
    return sum / volume;
}

static void pile_close(pile* p)
{
    scree_index_destroy(p->index);
    scree_free(p->id);
    scree_free(p->x);
    scree_free(p->v);
    scree_free(p->f);
    scree_free(p->reference);
    scree_free(p->r);
    scree_free(p->start);
    scree_free(p->rows);
    scree_free(p->flat);
    scree_free(p->part);
    scree_free(p);
}

// The box inside: of the asked shape, of the volume of the start density, its longest side about as many r_max as it takes.
static void size_box(pile* p)
{
    const scree_rearrange_def* def = p->def;
    double longest = 0.0, product = 1.0, volume = 0.0, shortest = INFINITY;
    for (int k = 0; k < p->dim; ++k)
        longest = fmax(longest, def->box.upper[k] - def->box.lower[k]);
    for (int k = 0; k < p->dim; ++k) {
        p->length[k] = (def->box.upper[k] - def->box.lower[k]) / longest;
        p->periodic[k] = def->box.periodic[k];
        product *= p->length[k];
        shortest = fmin(shortest, p->length[k]);
    }
    for (int32_t i = 0; i < p->n; ++i)
        volume += ball(p->dim, p->r[i]);
    double scale = pow(volume / (def->start_density * product), 1.0 / p->dim);
    scale = fmax(scale, 2.0 * p->r_max / shortest * (1.0 + 1e-9));  // the largest fits, and does not meet its own image
    for (int k = 0; k < p->dim; ++k)
        p->length[k] *= scale;
    for (int c = 0; c < shift_codes; ++c) {
        const int wide = 2 * shift_most + 1;
        const int shift[3] = {c % wide - shift_most, c / wide % wide - shift_most, c / (wide * wide) - shift_most};
        for (int k = 0; k < 3; ++k)
            p->offset[c][k] = shift[k] * p->length[k];
    }
}

// Centres at random, but not quite: such that spheres of a part of the size would not overlap. Small ones that begin deep inside large ones
// take long to get out, and their way would be longer the larger the largest.
static scree_status scatter(pile* p)
{
    scree_place_def place = scree_default_place_def();
    place.box = (scree_box){.dim = p->dim};
    for (int k = 0; k < p->dim; ++k) {
        place.box.upper[k] = p->length[k];
        place.box.periodic[k] = p->periodic[k];
    }
    place.seed = p->def->seed;
    place.tries = 10000;
    double *x = p->flat, *r = p->flat + (int64_t)p->n * p->dim;
    scree_status status = SCREE_ERR_ARGUMENT;
    double part = pow((p->dim == 2 ? 0.35 : 0.25) / net_density(p), 1.0 / p->dim);
    for (part = fmin(part, 1.0); status == SCREE_ERR_ARGUMENT && part > 0.0; part = part > 0.01 ? 0.7 * part : 0.0) {
        for (int32_t i = 0; i < p->n; ++i)
            r[i] = part * p->r[i];
        status = scree_place_random(&place, p->n, r, x);
    }
    for (int32_t i = 0; i < p->n && status == SCREE_OK; ++i) {
        p->x[i][3] = p->r[i];
        for (int k = 0; k < p->dim; ++k) {
            double x_k = x[(int64_t)i * p->dim + k];
            p->x[i][k] = p->periodic[k] ? x_k : fmin(fmax(x_k, p->r[i]), p->length[k] - p->r[i]);
        }
    }
    return status;
}

static scree_status pile_open(const scree_rearrange_def* def, int32_t n, const double* r, pile** out)
{
    pile* p = scree_calloc(1, sizeof *p);
    if (p == NULL)
        return SCREE_ERR_MEMORY;
    *out = p;
    p->def = def;
    p->dim = def->box.dim;
    p->n = n;
    p->blocks = ((int64_t)n + block - 1) / block;
    p->factor = 1.0;
    p->began = scree_clock();
    p->id = scree_malloc((size_t)n, sizeof *p->id);
    p->x = scree_calloc((size_t)n, sizeof *p->x);
    p->v = scree_calloc((size_t)n, sizeof *p->v);
    p->f = scree_calloc((size_t)n, sizeof *p->f);
    p->reference = scree_calloc((size_t)n, sizeof *p->reference);
    p->r = scree_malloc((size_t)n, sizeof *p->r);
    p->start = scree_calloc((size_t)n + 1, sizeof *p->start);
    p->flat = scree_malloc((size_t)n * (size_t)(p->dim + 1), sizeof *p->flat);
    p->part = scree_calloc((size_t)p->blocks, sizeof *p->part);
    if (p->id == NULL || p->x == NULL || p->v == NULL || p->f == NULL || p->reference == NULL || p->r == NULL || p->start == NULL ||
        p->flat == NULL || p->part == NULL)
        return SCREE_ERR_MEMORY;

    double r_max = 0.0;
    for (int32_t i = 0; i < n; ++i)
        r_max = fmax(r_max, r[i]);
    p->unit = ilogb(r_max);
    p->r_min = INFINITY;
    for (int32_t i = 0; i < n; ++i) {
        p->r[i] = ldexp(r[i], -p->unit);
        p->r_min = fmin(p->r_min, p->r[i]);
        p->r_max = fmax(p->r_max, p->r[i]);
        p->id[i] = (uint32_t)i;
    }
    size_box(p);

    double mean = 0.0;
    for (int32_t i = 0; i < n; ++i)
        mean += p->r[i] / n;
    p->skin = 0.5 * mean;
    scree_status status = scatter(p);
    if (status != SCREE_OK)
        return status;

    scree_index_def search = scree_default_index_def();
    search.method = def->method;
    search.box = (scree_box){.dim = p->dim};
    for (int k = 0; k < p->dim; ++k) {
        search.box.upper[k] = p->length[k];
        search.box.periodic[k] = p->periodic[k];
    }
    search.sorted = true;
    search.skin = -1.0;
    search.threads = def->threads;
    return scree_index_create(&search, &p->index);
}

// ---- Candidates ----------------------------------------------------------------------------------------------------

static void wrap(pile* p)
{
    const scree_box box = {.dim = p->dim,
                           .upper = {p->length[0], p->length[1], p->length[2]},
                           .periodic = {p->periodic[0], p->periodic[1], p->periodic[2]}};
    for (int32_t i = 0; i < p->n; ++i)
        for (int k = 0; k < p->dim; ++k)
            p->x[i][k] = p->periodic[k] ? scree_box_wrap(&box, k, p->x[i][k], NULL) : fmin(fmax(p->x[i][k], 0.0), p->length[k]);
}

// Neighbours in space become neighbours in memory. Scratch: forces and references hold nothing that is still wanted.
static void order(pile* p)
{
    int32_t n = p->n;
    int64_t *key = (int64_t*)p->f, *spare_key = key + n;
    uint32_t *word = (uint32_t*)(spare_key + n), *spare_word = word + n;
    double cells = p->dim == 2 ? 2147483648.0 : 2097152.0;
    for (int32_t i = 0; i < n; ++i) {
        uint64_t cell[3] = {0};
        for (int k = 0; k < p->dim; ++k)
            cell[k] = (uint64_t)fmin(fmax(p->x[i][k] / p->length[k], 0.0) * cells, cells - 1.0);
        key[i] = (int64_t)scree_morton_key(p->dim, cell);
        word[i] = (uint32_t)i;
    }
    scree_sort_with(key, word, spare_key, spare_word, n);
    double (*old)[4] = p->reference;
    memcpy(old, p->x, (size_t)n * sizeof *old);
    for (int32_t i = 0; i < n; ++i)
        memcpy(p->x[i], old[word[i]], sizeof *old);
    memcpy(old, p->v, (size_t)n * sizeof *old);
    for (int32_t i = 0; i < n; ++i)
        memcpy(p->v[i], old[word[i]], sizeof *old);
    double* old_r = (double*)old;
    memcpy(old_r, p->r, (size_t)n * sizeof *old_r);
    uint32_t* old_id = (uint32_t*)(old_r + n);
    memcpy(old_id, p->id, (size_t)n * sizeof *old_id);
    for (int32_t i = 0; i < n; ++i) {
        p->r[i] = old_r[word[i]];
        p->id[i] = old_id[word[i]];
    }
}

static scree_status find_pairs(pile* p, double gap, scree_pairs* pairs)
{
    double* r = p->flat + (int64_t)p->n * p->dim;
    for (int32_t i = 0; i < p->n; ++i) {
        memcpy(p->flat + (int64_t)i * p->dim, p->x[i], (size_t)p->dim * sizeof *p->flat);
        r[i] = p->x[i][3];
    }
    scree_status status = scree_index_set_gap(p->index, gap);
    if (status == SCREE_OK)
        status = scree_index_update(p->index, (scree_spheres){.count = p->n, .dim = p->dim, .x = p->flat, .r = r});
    if (status == SCREE_OK)
        status = scree_index_pairs(p->index, pairs);
    return status;
}

// Rows from pairs sorted by (i, j, image): going through them once gives each row its lower partners first, then the higher ones, all rising.
static scree_status make_rows(pile* p, const scree_pairs* pairs)
{
    int32_t n = p->n;
    int64_t* at = p->start;
    memset(at, 0, ((size_t)n + 1) * sizeof *at);
    p->candidates = 0;
    for (int64_t q = 0; q < pairs->count; ++q) {
        int32_t i = pairs->ij[q][0], j = pairs->ij[q][1];
        if (i == j)
            continue;  // a sphere and its own image never come to overlap: radii only shrink
        ++at[i];
        ++at[j];
        p->candidates += 2;
    }
    scree_status status = SCREE_RESERVE(p->rows, p->rows_capacity, p->candidates);
    if (status != SCREE_OK)
        return status;
    int64_t sum = 0;
    for (int32_t i = 0; i <= n; ++i) {
        int64_t count = at[i];
        at[i] = sum;
        sum += count;
    }
    const int wide = 2 * shift_most + 1, none = shift_codes / 2;
    for (int64_t q = 0; q < pairs->count; ++q) {
        int32_t i = pairs->ij[q][0], j = pairs->ij[q][1];
        if (i == j)
            continue;
        int code = 0;
        if (pairs->shift != NULL) {
            const int8_t* s = pairs->shift[q];
            assert(s[0] >= -shift_most && s[0] <= shift_most && s[1] >= -shift_most && s[1] <= shift_most && s[2] >= -shift_most &&
                   s[2] <= shift_most);
            code = s[0] + wide * (s[1] + wide * s[2]);
        }
        p->rows[at[i]++] = (entry){j, none + code};
        p->rows[at[j]++] = (entry){i, none - code};
    }
    memmove(at + 1, at, (size_t)n * sizeof *at);  // each went from its row's begin to its end
    at[0] = 0;
    return SCREE_OK;
}

static double skin_limit(const pile* p)
{
    double longest = fmax(p->length[0], fmax(p->length[1], p->length[2]));
    return p->skin - 64.0 * DBL_EPSILON * longest;
}

static scree_status renew_list(pile* p, int64_t contacts)
{
    if (p->rebuilds > 0) {
        // What the skin costs at each sweep, which grows as its square or so, against what a list costs spread over the sweeps it served,
        // which falls as 1/skin: twice the one as large as the other is best. In tests of candidates.
        double extra = 2.0 * ((double)(p->candidates - contacts) + 0.1 * p->n);
        double anew = (200.0 * p->n + 10.0 * (double)p->candidates) / (double)(p->age > 0 ? p->age : 1);
        p->skin *= fmin(fmax(sqrt(anew / extra), 0.5), 2.0);
    }
    double shortest = INFINITY, longest = 0.0;
    for (int k = 0; k < p->dim; ++k) {
        shortest = fmin(shortest, p->length[k]);
        longest = fmax(longest, p->length[k]);
    }
    p->skin = fmin(fmax(p->skin, 1e-9 * longest), fmin(p->r_max, shortest));
    wrap(p);
    int64_t number = p->rebuilds++;
    if (number % 64 == 0 || (number & (number - 1)) == 0)
        order(p);
    memcpy(p->reference, p->x, (size_t)p->n * sizeof *p->reference);
    p->age = 0;
    scree_pairs pairs;
    scree_status status = find_pairs(p, p->skin, &pairs);
    return status == SCREE_OK ? make_rows(p, &pairs) : status;
}

// ---- A sweep -------------------------------------------------------------------------------------------------------

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
    int64_t end = (b + 1) * block < p->n ? (b + 1) * block : p->n;
    const double (*x)[4] = (const double(*)[4])p->x;
    const double (*offsets)[3] = (const double(*)[3])p->offset;
    const double light = 2.0 * p->dim, inverse = 1.0 / p->dim;
    const bool walls = !(p->periodic[0] && p->periodic[1] && (p->dim == 2 || p->periodic[2])), solid = p->dim == 3;
    double hit[batch][6];  // dx dy dz square sum r
    int32_t partner[batch];
    sums s = {0};
    for (int64_t i = b * block; i < end; ++i) {
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
    int64_t end = (b + 1) * block < p->n ? (b + 1) * block : p->n;
    double moved = 0.0;
    for (int64_t i = b * block; i < end; ++i) {
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

static void push_off(pile* p)  // FIRE from rest
{
    p->dt = dt_first;
    p->mixing = mixing_first;
    p->downhill = 0;
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
static scree_status push(pile* p, sums* s, int64_t* contacts)
{
    if (p->rebuilds == 0 || 2.0 * largest_move(p) >= skin_limit(p)) {
        scree_status status = renew_list(p, *contacts);
        if (status != SCREE_OK)
            return status;
    }
    scree_parallel_for(p->def->threads, p->blocks, push_block, p, NULL);
    *s = join(p);
    *contacts = s->contacts;
    p->tests += p->candidates;
    ++p->age;
    return SCREE_OK;
}

// ---- All of them ---------------------------------------------------------------------------------------------------

static const double growth_least = 1e-9;  // so that there is an end, however small the spheres that still overlap

static void shrink(pile* p, double by)
{
    p->factor *= by;
    for (int32_t i = 0; i < p->n; ++i)
        p->x[i][3] = p->r[i] * p->factor;
    ++p->growths;
}

static bool goes_on(pile* p, double worst)
{
    const scree_rearrange_def* def = p->def;
    if (p->sweeps % sweeps_per_tick != 0)
        return true;
    if (def->watch.tick != NULL) {
        double left = log(fmax(worst, def->tolerance) / def->tolerance) / log(1.0 / def->tolerance);
        if (!def->watch.tick(def->watch.context, 1.0 - fmin(fmax(left, 0.0), 1.0))) {
            p->cancelled = true;
            return false;
        }
    }
    return def->seconds == 0.0 || scree_clock() - p->began < def->seconds;
}

static scree_status rearrange(pile* p, bool* converged)
{
    const scree_rearrange_def* def = p->def;
    int64_t contacts = 0, since = 0;
    push_off(p);
    for (;;) {
        sums s;
        scree_status status = push(p, &s, &contacts);
        if (status != SCREE_OK)
            return status;
        if (s.worst <= 2.0 * def->tolerance) {
            *converged = true;
            return SCREE_OK;
        }
        if (!goes_on(p, 0.5 * s.worst) || (def->sweeps > 0 && p->sweeps >= def->sweeps))
            return SCREE_OK;
        bool balanced = s.net <= def->balance * def->balance * s.overlap;
        if (p->sweeps >= def->warm_up && (balanced || since >= patience)) {
            shrink(p, 1.0 - fmax(def->growth * s.weighed / s.reach, growth_least));
            since = 0;
        }
        move(p, &s);
        ++p->sweeps;
        ++since;
    }
}

// By how much radii can be multiplied until the first pair (or sphere and wall) touches.
static scree_status room_left(pile* p, double* out)
{
    double most = INFINITY;
    wrap(p);
    for (int32_t i = 0; i < p->n; ++i)
        for (int k = 0; k < p->dim; ++k) {
            double free = p->periodic[k] ? 0.5 * p->length[k] : fmin(p->x[i][k], p->length[k] - p->x[i][k]);
            most = fmin(most, free / p->x[i][3]);
        }
    double shortest = INFINITY;
    for (int k = 0; k < p->dim; ++k)
        shortest = fmin(shortest, p->length[k]);
    // Pairs with a gap of `gap` or more have distance / (r_i + r_j) >= 1 + gap / (2 r_max).
    double r_max = p->r_max * p->factor;
    for (double gap = fmin(0.01 * r_max, 0.1 * shortest);; gap = fmin(gap * 4.0, shortest)) {
        scree_pairs pairs;
        scree_status status = find_pairs(p, gap, &pairs);
        if (status != SCREE_OK)
            return status;
        double least = fmin(most, 1.0 + gap / (2.0 * r_max));
        const int none = shift_codes / 2, wide = 2 * shift_most + 1;
        bool found = false;
        for (int64_t q = 0; q < pairs.count; ++q) {
            const double *xi = p->x[pairs.ij[q][0]], *xj = p->x[pairs.ij[q][1]], *offset = p->offset[none];
            if (pairs.shift != NULL)
                offset = p->offset[none + pairs.shift[q][0] + wide * (pairs.shift[q][1] + wide * pairs.shift[q][2])];
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

// Places outside, radii as given: everything inside divided by `radius`, which is what the factor of the radii has become.
static void lay_out(const pile* p, double radius, scree_packing* out)
{
    const scree_box* box = &p->def->box;
    double scale = ldexp(1.0 / radius, p->unit);
    out->box = *box;
    for (int k = 0; k < p->dim; ++k)
        out->box.upper[k] = box->lower[k] + p->length[k] * scale;
    for (int32_t i = 0; i < p->n; ++i) {
        double r = ldexp(p->r[i], p->unit);
        for (int k = 0; k < p->dim; ++k) {
            double x = box->lower[k] + p->x[i][k] * scale;
            if (p->periodic[k])
                x = scree_box_wrap(&out->box, k, x, NULL);
            else
                x = fmin(fmax(x, box->lower[k] + r), out->box.upper[k] - r);
            out->x[(int64_t)p->id[i] * p->dim + k] = x;
        }
    }
}

// From scratch, with the caller's radii.
static scree_status count_overlaps(const pile* p, const double* r, const scree_packing* out, int64_t* count)
{
    *count = 0;
    for (int32_t i = 0; i < p->n; ++i)
        for (int k = 0; k < p->dim; ++k) {
            double x = out->x[(int64_t)i * p->dim + k];
            if (p->periodic[k] ? 2.0 * r[i] > out->box.upper[k] - out->box.lower[k]
                               : !(x >= out->box.lower[k] + r[i] && x <= out->box.upper[k] - r[i]))
                ++*count;
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

static scree_status finish(pile* p, const double* r, scree_packing* out)
{
    double room;
    scree_status status = room_left(p, &room);
    // Stopped before the spheres are apart at all: a few sweeps more, else the box would be out of all proportion.
    for (int more = 0; status == SCREE_OK && !(room > 1e-3) && more < 1000; ++more) {
        int64_t contacts = 0;
        p->part[0].moved = INFINITY;  // spheres were wrapped: the list is of no use any more
        for (int k = 0; k < 10 && status == SCREE_OK; ++k, ++p->sweeps) {
            sums s;
            status = push(p, &s, &contacts);
            if (status == SCREE_OK)
                move(p, &s);
        }
        if (status == SCREE_OK)
            status = room_left(p, &room);
    }
    if (status == SCREE_OK && !(room > 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "rearrangement: two spheres cannot be told apart; the sizes or the box go beyond what doubles hold");
    int64_t overlaps = 1;
    double margin = 8.0 * DBL_EPSILON;
    for (; status == SCREE_OK && overlaps > 0; margin *= 2.0) {
        if (margin > 0.5)
            return scree_fail(SCREE_ERR_ARGUMENT, "rearrangement: the box begins at %g, %g, where places cannot be told apart to the size of the spheres",
                              p->def->box.lower[0], p->def->box.lower[1]);
        lay_out(p, p->factor * room * (1.0 - margin), out);
        status = count_overlaps(p, r, out, &overlaps);
    }
    if (status != SCREE_OK)
        return status;
    double sum = 0.0;
    for (int32_t i = 0; i < p->n; ++i) {
        double share = p->dim == 2 ? ball(2, 1.0) : ball(3, 1.0);
        for (int k = 0; k < p->dim; ++k)
            share *= r[i] / (out->box.upper[k] - out->box.lower[k]);
        sum += share;
    }
    out->density = sum;
    return SCREE_OK;
}

scree_status scree_pack_rearrange(const scree_rearrange_def* def, int32_t count, const double* r, scree_packing* out)
{
    *out = (scree_packing){0};
    scree_status status = check_def(def);
    if (status == SCREE_OK)
        status = check_radii(count, r);
    if (status != SCREE_OK)
        return status;
    scree_packing made = {.count = count, .box = def->box, .converged = true};
    made.x = scree_calloc((size_t)count * (size_t)def->box.dim, sizeof *made.x);
    if (made.x == NULL)
        return SCREE_ERR_MEMORY;
    if (count == 0) {
        *out = made;
        return SCREE_OK;
    }
    pile* p = NULL;
    status = pile_open(def, count, r, &p);
    made.converged = false;
    if (status == SCREE_OK)
        status = rearrange(p, &made.converged);
    if (status == SCREE_OK) {
        made.density_net = net_density(p);
        for (int64_t b = 0; b < p->blocks; ++b)
            made.overlap_left = fmax(made.overlap_left, 0.5 * p->part[b].worst);
        status = finish(p, r, &made);
    }
    bool cancelled = false;
    if (p != NULL) {
        made.sweeps = p->sweeps;
        made.growths = p->growths;
        made.rebuilds = p->rebuilds;
        made.tests = p->tests;
        made.seconds = scree_clock() - p->began;
        cancelled = p->cancelled;
        pile_close(p);
    }
    if (status != SCREE_OK) {
        scree_packing_free(&made);
        return status;
    }
    *out = made;
    return cancelled ? scree_fail(SCREE_ERR_CANCELLED, "rearrangement: stopped on request after %" PRId64 " sweeps, at density %.4g", made.sweeps,
                                  made.density)
                     : SCREE_OK;
}

void scree_packing_free(scree_packing* packing)
{
    scree_free(packing->x);
    *packing = (scree_packing){0};
}
