// Random sequential addition of many sizes. Large spheres come first, because they would not fit later; each draws centres
// until it overlaps no earlier sphere.
//
// Placed spheres are stored in one grid per octave of radius, so that a try searches each octave only within its own radius plus
// the largest radius of the octave. Cells are as long as the largest diameter of the octave,
// or longer if there would be more than two cells per sphere of the octave: small spheres between large ones are far apart, and empty cells
// cost as much as others. A grid is therefore a plain array, and all of them together are O(n).
//
//     octave 0   |    O    |         |   (O)   |       r searches each octave within r + its largest radius
//     octave 1   | o  |    |  o | o  |    | o  |
//     octave 2   |. .|   | . |. .|   |. .| . |         fewer cells than would fit, because there are few spheres
//
// Large spheres are tested first: they are few, stay in the cache, and cover most of the space if sizes differ much.
//
// Spheres that are in the box from the start (def.standing) are put into the grids first. Empty octaves are skipped.
//
// Images: two spheres overlap through some image if and only if they overlap through the nearest image on each axis separately, because the
// predicate (geom/pair.h) is monotonic in every |d_k|. As no sphere is longer than the box, this is a shift of -1, 0 or 1. This does not hold in a tilted box: there
// each image of the box within reach is searched separately.
//
// Cost per try: octaves times at most 3^d cells; memory O(n) at any size ratio. The number of tries grows without bound near saturation
// (equal spheres: 0.384 in 3D, 0.547 in 2D, approached as tries^(-1/dim)): use another method for dense sets.
// J. Feder, "Random sequential adsorption", J. Theor. Biol. 87 (1980) 237; G. Zhang, S. Torquato, Phys. Rev. E 88 (2013) 053312.
#include "pack/place.h"

#include "base/argument.h"
#include "base/sort.h"
#include "geom/lattice.h"
#include "geom/pair.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    most_octaves = 1100,    // as many as doubles have
    tries_per_tick = 65536,
    ticks = 256,
};

typedef struct octave {
    double r_max;      // the largest radius in it
    double per_length[3];  // cells per length
    int64_t cells[3];  // they divide the box evenly
    int32_t* head;     // the first sphere of each cell, x fastest; -1: none
    int32_t end;       // behind its last rank
    bool used;         // a sphere is in it
} octave;

// Spheres are numbered by rank here, from large to small, including def.standing.
typedef struct room {
    placing p;
    int32_t total;    // p.count and def.standing.count
    double standing;  // their share of the box
    uint32_t* id;     // by rank; numbers from p.count on are def.standing
    double (*xr)[4];  // by rank: x y z r, z = 0 in 2D
    int32_t* next;    // by rank: the next one in its cell, -1: none
    int32_t* heads;   // of all octaves, one after the other
    int64_t used;     // of them
    double wrap[3];   // length of the box where it is periodic, else 0
    bool periodic;    // on any axis
    double length[3], tilt[3];  // of the lattice, in a tilted box; then `wrap` is 0
    bool tilted;
    double fine;      // radii below this need no octave of their own
    octave octaves[most_octaves];
    int octave_count;
    int64_t tries;
    double share;     // of the box, placed
} room;

static double radius_of(const room* rm, int64_t id)
{
    return id < rm->p.count ? rm->p.r[id] : rm->p.def->standing.r[id - rm->p.count];
}

// ---- Cells ---------------------------------------------------------------------------------------------------------

// For the spheres from `rank` on, with radii set, to the rank that is returned. Sides that divide the box, and not more than two cells for a sphere.
static int32_t open_octave(room* rm, int32_t rank)
{
    double r = rm->xr[rank][3], limit = r > rm->fine ? r / 2.0 : 0.0;
    octave* oc = &rm->octaves[rm->octave_count++];
    *oc = (octave){.r_max = r, .cells = {1, 1, 1}, .head = rm->heads + rm->used};
    int32_t end = rank;
    while (end < rm->total && rm->xr[end][3] >= limit)
        ++end;
    oc->end = end;
    double most = 2.0 * (end - rank), product = INFINITY;
    double longest = fmax(rm->p.length[0], fmax(rm->p.length[1], rm->p.length[2]));  // 2D: the last is 0
    for (double side = fmax(2.0 * fmax(r, rm->fine), longest / most); product > most; side *= 1.05) {
        product = 1.0;
        for (int k = 0; k < rm->p.dim; ++k) {
            double cells = side > 0.0 ? fmax(1.0, floor(rm->p.length[k] / side)) : 1.0;
            product *= cells;
            oc->cells[k] = (int64_t)cells;
            oc->per_length[k] = rm->p.length[k] > 0.0 ? cells / rm->p.length[k] : 1.0;
        }
    }
    rm->used += (int64_t)product;
    memset(oc->head, 0xff, (size_t)product * sizeof *oc->head);  // -1
    return end;
}

static int64_t clamp(double cell, int64_t cells)
{
    return cell < 0.0 ? 0 : cell > (double)(cells - 1) ? cells - 1 : (int64_t)cell;
}

// The cells along one axis that `reach` around x meets.
typedef struct span {
    int64_t first, count, cells;
} span;

static span span_of(const room* rm, const octave* oc, int k, double x, double reach)
{
    int64_t cells = oc->cells[k];
    double at = x - rm->p.def->box.lower[k];
    // Wider by more than all rounding on the way: that of the predicate and that of the division into cells.
    double wide = reach * (1.0 + 1e-12) + 16.0 * DBL_EPSILON * rm->p.length[k];
    double lower = floor((at - wide) * oc->per_length[k]), upper = floor((at + wide) * oc->per_length[k]);
    if (rm->wrap[k] == 0.0) {
        int64_t first = clamp(lower, cells);
        return (span){first, clamp(upper, cells) - first + 1, cells};
    }
    if (upper - lower + 1.0 >= (double)cells)
        return (span){0, cells, cells};  // each of them once
    return (span){(int64_t)lower, (int64_t)(upper - lower) + 1, cells};
}

// The a-th cell of the span; across the face where it leaves a periodic box.
static int64_t span_cell(span s, int64_t a)
{
    int64_t cell = s.first + a;
    return cell < 0 ? cell + s.cells : cell >= s.cells ? cell - s.cells : cell;
}

// ---- Tries ---------------------------------------------------------------------------------------------------------

static bool overlaps(const room* rm, const double a[4], const double b[4])
{
    double offset[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3 && rm->periodic; ++k) {
        double d = a[k] - b[k], turn = copysign(rm->wrap[k], d);
        offset[k] = fabs(d - turn) < fabs(d) ? turn : 0.0;
    }
    return scree_is_pair(a, b, offset, 0.0);
}

// `offset`: through this image; NULL: through the nearest.
static bool blocked_by(const room* rm, int32_t j, const double xr[4], const double* offset)
{
    for (; j >= 0; j = rm->next[j])
        if (offset != NULL ? scree_is_pair(xr, rm->xr[j], offset, 0.0) : overlaps(rm, xr, rm->xr[j]))
            return true;
    return false;
}

static int64_t cell_of(const room* rm, const octave* oc, const double* x)
{
    int64_t cell = 0;
    for (int k = rm->p.dim - 1; k >= 0; --k)
        cell = cell * oc->cells[k] + clamp((x[k] - rm->p.def->box.lower[k]) * oc->per_length[k], oc->cells[k]);
    return cell;
}

// Cells around `at`, the position of the sphere xr relative to the image of the box that is `offset` away; NULL: all images at once.
static bool blocked_near(const room* rm, const octave* oc, const double xr[4], const double at[3], const double* offset)
{
    span s[3] = {{0, 1, 1}, {0, 1, 1}, {0, 1, 1}};
    for (int k = 0; k < rm->p.dim; ++k)
        s[k] = span_of(rm, oc, k, at[k], xr[3] + oc->r_max);
    for (int64_t c = 0; c < s[2].count; ++c) {
        int64_t plane = span_cell(s[2], c) * oc->cells[1];
        for (int64_t b = 0; b < s[1].count; ++b) {
            const int32_t* row = oc->head + (plane + span_cell(s[1], b)) * oc->cells[0];
            for (int64_t a = 0; a < s[0].count; ++a)
                if (blocked_by(rm, row[span_cell(s[0], a)], xr, offset))
                    return true;
        }
    }
    return false;
}

// The images of axis k that a sphere within `reach` of `at` can meet centres in; 0 to 0 where it is not periodic.
static void images_along(const room* rm, int k, double at, double reach, int images[2])
{
    const scree_box* box = &rm->p.def->box;
    double wide = reach * (1.0 + 1e-9) + 1e-9 * rm->p.length[k];
    images[0] = k < rm->p.dim && box->periodic[k] ? (int)ceil((at - box->upper[k] - wide) / rm->p.length[k]) : 0;
    images[1] = k < rm->p.dim && box->periodic[k] ? (int)floor((at - box->lower[k] + wide) / rm->p.length[k]) : 0;
}

static bool blocked_in_tilted(const room* rm, const octave* oc, const double xr[4])
{
    double reach = xr[3] + oc->r_max, offset[3];
    int sx[2], sy[2], sz[2];
    images_along(rm, 2, xr[2], reach, sz);
    for (int z = sz[0]; z <= sz[1]; ++z) {
        images_along(rm, 1, xr[1] - z * rm->tilt[2], reach, sy);
        for (int y = sy[0]; y <= sy[1]; ++y) {
            images_along(rm, 0, xr[0] - (y * rm->tilt[0] + z * rm->tilt[1]), reach, sx);
            for (int x = sx[0]; x <= sx[1]; ++x) {
                scree_lattice_offset(rm->length, rm->tilt, x, y, z, offset);
                const double at[3] = {xr[0] - offset[0], xr[1] - offset[1], xr[2] - offset[2]};
                if (blocked_near(rm, oc, xr, at, offset))
                    return true;
            }
        }
    }
    return false;
}

// The cell that the centre is in comes first: if anything is in the way, it is most likely there.
static bool blocked_in(const room* rm, const octave* oc, const double xr[4])
{
    static const double here[3] = {0.0, 0.0, 0.0};
    if (blocked_by(rm, oc->head[cell_of(rm, oc, xr)], xr, rm->tilted ? here : NULL))
        return true;
    return rm->tilted ? blocked_in_tilted(rm, oc, xr) : blocked_near(rm, oc, xr, xr, NULL);
}

static bool is_blocked(const room* rm, const double xr[4])
{
    for (int o = 0; o < rm->octave_count; ++o)
        if (rm->octaves[o].used && blocked_in(rm, &rm->octaves[o], xr))
            return true;
    return false;
}

static void insert(room* rm, octave* oc, int32_t rank)
{
    int64_t cell = cell_of(rm, oc, rm->xr[rank]);
    rm->next[rank] = oc->head[cell];
    oc->head[cell] = rank;
    oc->used = true;
}

// ---- A box that would do -------------------------------------------------------------------------------------------

// A density at which random sequential addition is easy. For equal spheres it is known; many sizes fill more, since small ones go between large
// ones: as if the volume came in classes, each filling the room that the ones before have left, and one class more for each factor
// of 100 between the radii below which a tenth and nine tenths of the volume lie. A guess.
static double easy_density(const room* rm)
{
    const placing* p = &rm->p;
    double sum = 0.0, upper = p->r_max, lower = p->r_max;
    for (int32_t rank = 0; rank < rm->total; ++rank) {  // from large to small
        if (rm->id[rank] >= (uint32_t)p->count)
            continue;
        double r = p->r[rm->id[rank]];
        sum += placing_share(p, r);
        if (sum <= 0.1 * p->share)
            upper = r;
        if (sum <= 0.9 * p->share)
            lower = r;
    }
    double classes = 1.0 + (lower > 0.0 ? fmin(0.5 * log10(upper / lower), 2.0) : 0.0);
    return 1.0 - pow(p->dim == 2 ? 0.6 : 0.7, classes);
}

// By how much the box must grow. Next to walls there is room that spheres cannot fill: as if the box were shorter there by a
// part of their diameter.
static double easy_factor(const room* rm, double easy)
{
    const placing* p = &rm->p;
    double mean = 0.0;  // radius, by volume
    for (int32_t i = 0; i < p->count; ++i)
        mean += p->r[i] * (placing_share(p, p->r[i]) / p->share);
    for (double factor = fmax(1.05, pow(p->share / easy, 1.0 / p->dim));; factor *= 1.01) {
        double share = p->share;
        for (int k = 0; k < p->dim; ++k) {
            double lost = p->def->box.periodic[k] ? 0.0 : mean / (factor * p->length[k]);
            share /= factor * (1.0 - fmin(lost, 0.5));
        }
        if (share <= easy)
            return factor;
    }
}

// "A box of 5 x 5 x 10, ..."
typedef struct advice {
    char text[160];
} advice;

static advice easy_box(const room* rm)
{
    double factor = easy_factor(rm, easy_density(rm));
    advice out;
    snprintf(out.text, sizeof out.text, "A box of %s, density %.2g, should be easy (an estimate)",
             placing_box_text(&rm->p, factor).text, rm->p.share / pow(factor, rm->p.dim));
    return out;
}

static scree_status explain_full(const room* rm, int32_t rank, int32_t placed)
{
    const placing* p = &rm->p;
    uint32_t id = rm->id[rank];
    if (p->def->standing.count > 0)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%s: sphere %" PRIu32 " of radius %g was not placed in %" PRId64 " tries; %" PRId32 " of %" PRId32
                          " spheres were placed, density %.4g of %.4g, in addition to %" PRId32 " placed before, density %.4g; expected a larger box or fewer spheres",
                          p->what, id, p->r[id], p->def->tries, placed, p->count, rm->share, p->share, p->def->standing.count, rm->standing);
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "%s: sphere %" PRIu32 " of radius %g was not placed in %" PRId64 " tries; %" PRId32 " of %" PRId32
                      " spheres were placed, density %.4g of %.4g; expected a larger box. %s",
                      p->what, id, p->r[id], p->def->tries, placed, p->count, rm->share, p->share, easy_box(rm).text);
}

// ---- All of them ---------------------------------------------------------------------------------------------------

static bool goes_on(const room* rm, int32_t placed)
{
    placing_report(&rm->p, (scree_place_report){.placed = placed, .tries = rm->tries, .density = rm->share});
    return placing_goes_on(&rm->p, (double)placed / rm->p.count);
}

static scree_status place(room* rm, octave* oc, int32_t rank, int32_t placed, scree_rng* rng)
{
    double* xr = rm->xr[rank];
    for (int64_t t = 0; t < rm->p.def->tries; ++t) {
        scree_container_draw(&rm->p.container, xr[3], rng, xr);
        if (++rm->tries % tries_per_tick == 0 && !goes_on(rm, placed))
            return placing_stopped(&rm->p, placed);
        const scree_place_def* def = rm->p.def;
        if (!is_blocked(rm, xr) && (def->clear == NULL || def->clear(def->clear_context, xr, xr[3]))) {
            insert(rm, oc, rank);
            rm->share += placing_share(&rm->p, xr[3]);
            return SCREE_OK;
        }
    }
    return explain_full(rm, rank, placed);
}

// The grids, with the spheres of def.standing.
static void open_all(room* rm)
{
    const scree_place_def* def = rm->p.def;
    for (int32_t rank = 0; rank < rm->total; ++rank)
        memcpy(rm->xr[rank], (double[4]){0.0, 0.0, 0.0, radius_of(rm, rm->id[rank])}, sizeof *rm->xr);
    for (int32_t rank = 0; rank < rm->total;)
        rank = open_octave(rm, rank);
    int o = 0;
    for (int32_t rank = 0; rank < rm->total; ++rank) {
        o += rank == rm->octaves[o].end;
        int64_t n = (int64_t)rm->id[rank] - rm->p.count;
        if (n < 0)
            continue;
        for (int k = 0; k < rm->p.dim; ++k)
            rm->xr[rank][k] = def->standing.x[n * rm->p.dim + k];
        scree_box_wrap_centre(&def->box, rm->xr[rank], NULL);
        insert(rm, &rm->octaves[o], rank);
        rm->standing += placing_share(&rm->p, rm->xr[rank][3]);
    }
}

static scree_status fill(room* rm, int32_t* placed)
{
    scree_rng rng = scree_rng_make(rm->p.def->seed, 2);
    int32_t stride = rm->p.count / ticks + 1;
    int o = 0;
    for (int32_t rank = 0; rank < rm->total; ++rank) {
        o += rank == rm->octaves[o].end;
        if (rm->id[rank] >= (uint32_t)rm->p.count)
            continue;
        scree_status status = place(rm, &rm->octaves[o], rank, *placed, &rng);
        if (status != SCREE_OK)
            return status;
        ++*placed;
        if ((*placed - 1) % stride == 0 && !goes_on(rm, *placed - 1))
            return placing_stopped(&rm->p, *placed);
    }
    return SCREE_OK;
}

// From large to small, equal ones by number: radii sorted by the bits, which rise as doubles from +0 on do.
static scree_status sort_by_size(room* rm)
{
    size_t n = (size_t)rm->total;
    int64_t* key = scree_malloc(2 * n, sizeof *key);
    uint32_t* spare = scree_malloc(n, sizeof *spare);
    scree_status status = key != NULL && spare != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (size_t i = 0; i < n && status == SCREE_OK; ++i) {
        double r = radius_of(rm, (int64_t)i) + 0.0;  // -0 is 0
        memcpy(&key[i], &r, sizeof r);
        key[i] = -key[i];
        rm->id[i] = (uint32_t)i;
    }
    if (status == SCREE_OK)
        scree_sort_with(key, rm->id, key + n, spare, (int64_t)n);
    scree_free(key);
    scree_free(spare);
    return status;
}

// With rm->p set.
static scree_status reserve(room* rm)
{
    const placing* p = &rm->p;
    for (int k = 0; k < p->dim; ++k)
        rm->wrap[k] = p->def->box.periodic[k] && !scree_box_is_tilted(&p->def->box) ? p->length[k] : 0.0;
    scree_lattice_of(&p->def->box, rm->length, rm->tilt);
    rm->tilted = scree_lattice_tilted(rm->tilt);
    rm->periodic = scree_box_is_periodic(&p->def->box);
    rm->fine = 1e-3 * pow(fmax(rm->total, 1.0), -1.0 / p->dim);
    for (int k = 0; k < p->dim; ++k)
        rm->fine *= pow(p->length[k], 1.0 / p->dim);
    size_t n = (size_t)rm->total;
    rm->id = scree_malloc(n, sizeof *rm->id);
    rm->xr = scree_malloc(n, sizeof *rm->xr);
    rm->next = scree_malloc(n, sizeof *rm->next);
    rm->heads = scree_malloc(2 * n, sizeof *rm->heads);
    if (rm->id == NULL || rm->xr == NULL || rm->next == NULL || rm->heads == NULL)
        return SCREE_ERR_MEMORY;
    return sort_by_size(rm);
}

static scree_status check_standing(const placing* p)
{
    scree_spheres standing = p->def->standing;
    if (standing.count == 0)
        return SCREE_OK;
    if (standing.dim != p->dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: `standing` has dimension %d; expected %d, as the box has", p->what, (int)standing.dim, p->dim);
    if (standing.count > 0 && (int64_t)standing.count + p->count > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: %" PRId32 " spheres and %" PRId32 " in `standing`; expected a total of at most %d", p->what,
                          p->count, standing.count, INT32_MAX);
    return scree_spheres_check(standing, &p->def->box);
}

scree_status scree_place_random(const scree_place_def* def, int32_t count, const double* r, double* x)
{
    SCREE_NEED(def);
    placing p;
    scree_status status = placing_make(def, "random sequential addition", count, r, x, &p);
    if (status == SCREE_OK)
        status = check_standing(&p);
    if (status != SCREE_OK)
        return status;
    room* rm = scree_calloc(1, sizeof *rm);
    if (rm == NULL)
        return SCREE_ERR_MEMORY;
    rm->p = p;
    rm->total = p.count + def->standing.count;
    int32_t placed = 0;
    status = reserve(rm);
    if (status == SCREE_OK && p.share >= 1.0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: the spheres have %.4g times the volume of the box; expected a larger box. %s", p.what, p.share,
                            easy_box(rm).text);
    if (status == SCREE_OK) {
        open_all(rm);
        status = fill(rm, &placed);
    }
    placing_report(&p, (scree_place_report){.placed = placed, .tries = rm->tries, .density = rm->share});
    // Stopped: those that have a place, which are the largest.
    int32_t n = 0;
    for (int32_t rank = 0; rank < rm->total && (status == SCREE_OK || status == SCREE_ERR_CANCELLED); ++rank) {
        if (rm->id[rank] >= (uint32_t)count)
            continue;
        for (int k = 0; k < p.dim; ++k)
            x[(int64_t)rm->id[rank] * p.dim + k] = n < placed ? rm->xr[rank][k] : NAN;
        ++n;
    }
    scree_free(rm->id);
    scree_free(rm->xr);
    scree_free(rm->next);
    scree_free(rm->heads);
    scree_free(rm);
    return status;
}
