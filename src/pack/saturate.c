// Random addition of equal spheres until no place is left, and that is known: the end that plain tries only come near to, as
// tries^(-1/dim).
//
// A centre is excluded within one diameter of every centre that is there. What may still be free is kept as a list of equal voxels. Centres are drawn in
// these only, each voxel being as likely, so that every free point still has the same chance: this is random addition, without the tries that must
// fail. When hardly any try succeeds, all voxels are halved on each axis, and those that lie within one exclusion sphere as a whole are dropped.
//
//     .---.---.---.             A hole between exclusion spheres shrinks the list to the few voxels around it; where spheres
//     |   | # | # |             meet and no hole is, all voxels vanish once they are smaller than what the spheres overlap.
//     :---:---:---:             An empty list is the proof that no centre fits.
//     | # | # |   |
//     '---'---'---'
//
// The proof holds to the last bit. Voxel ends are A + i h, with h halved and i doubled exactly, so that neighbours share their ends and the list leaves
// out no double. The predicate (geom/pair.h) rises with every |d_k| also after rounding: if the corner farthest from a centre overlaps it through one
// image, then every point of the voxel overlaps it, through this image or a nearer one. Voxels that have come down to neighbouring doubles without
// being covered (a hole that is a point, seen only with spheres placed on purpose) are ended by trying their corners and middle.
//
// In a cylinder or sphere voxels that lie outside as a whole are dropped too, by the container's predicate.
//
// Cost: 27 cells looked into for each of some ten voxels per sphere and halving, fewer after the third; at the peak about 500 bytes
// for a sphere, 120 for a disc. Only equal spheres: of several sizes each class would need voxels of its own.
// G. Zhang, S. Torquato, "Precise algorithm to generate random sequential addition of hard hyperspheres at saturation", Phys. Rev. E 88 (2013) 053312.
#include "pack/place.h"

#include "base/array.h"
#include "geom/pair.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    work_per_tick = 1 << 16,
    least_tries = 256,
};

typedef struct voxel {
    int64_t at[3];
} voxel;

// An axis of the space of centres: from `low` to `high` in n voxels of side h, the box in cells.
typedef struct axis {
    double low, high, h;
    int64_t voxels;
    bool fine;      // voxels are down to neighbouring doubles: halved no more
    int64_t cells;  // at least a diameter long, so that what is nearer lies in the next one
    double side;
    double length;  // of the box
    bool periodic;
} axis;

typedef struct filling {
    placing p;
    scree_rng rng;
    axis axes[3];
    double r, diameter;

    double (*xr)[4];
    int32_t* next;  // in its cell, -1: the last
    int64_t capacity, next_capacity;
    int32_t count;
    int32_t* head;  // of each cell, -1: empty

    voxel* voxels;  // NULL while they are all of them
    int64_t voxel_count, voxel_capacity;
    int depth;

    int64_t tries, work;
    double done;
} filling;

// ---- Who is near ---------------------------------------------------------------------------------------------------

typedef struct span {
    int64_t first, count;
} span;

// The cells along an axis with centres nearer than a diameter to x. Wider by more than all rounding on the way.
static span span_of(const axis* a, double lower, double x, double diameter)
{
    double wide = diameter * (1.0 + 1e-12) + 16.0 * DBL_EPSILON * (a->length + fabs(lower));
    double first = floor((x - lower - wide) / a->side), last = floor((x - lower + wide) / a->side);
    if (!a->periodic) {
        first = fmax(first, 0.0);
        last = fmin(last, (double)(a->cells - 1));
        return (span){(int64_t)first, (int64_t)(last - first) + 1};
    }
    if (last - first + 1.0 >= (double)a->cells)
        return (span){0, a->cells};  // each of them once
    return (span){(int64_t)first, (int64_t)(last - first) + 1};
}

static int64_t wrapped(int64_t cell, int64_t cells)
{
    return cell < 0 ? cell + cells : cell >= cells ? cell - cells : cell;
}

// Whether some sphere overlaps all of the block of centres between low and high. With low == high: whether this centre is taken.
static bool is_covered(const filling* f, const double low[3], const double high[3])
{
    const scree_box* box = &f->p.def->box;
    double middle[3];
    span s[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = low[k] + 0.5 * (high[k] - low[k]);
        s[k] = span_of(&f->axes[k], box->lower[k], middle[k], f->diameter);
    }
    for (int64_t c = 0; c < s[2].count; ++c) {
        int64_t plane = wrapped(s[2].first + c, f->axes[2].cells) * f->axes[1].cells;
        for (int64_t b = 0; b < s[1].count; ++b) {
            int64_t row = (plane + wrapped(s[1].first + b, f->axes[1].cells)) * f->axes[0].cells;
            for (int64_t a = 0; a < s[0].count; ++a)
                for (int32_t j = f->head[row + wrapped(s[0].first + a, f->axes[0].cells)]; j >= 0; j = f->next[j]) {
                    double corner[4] = {0.0, 0.0, 0.0, f->r}, offset[3] = {0.0, 0.0, 0.0};
                    for (int k = 0; k < 3; ++k) {
                        double d = middle[k] - f->xr[j][k], turn = copysign(f->axes[k].length, d);
                        if (f->axes[k].periodic && fabs(d - turn) < fabs(d))
                            offset[k] = turn;
                        double l = (low[k] - f->xr[j][k]) - offset[k], h = (high[k] - f->xr[j][k]) - offset[k];
                        corner[k] = fabs(l) > fabs(h) ? low[k] : high[k];
                    }
                    if (scree_is_pair(corner, f->xr[j], offset, 0.0))
                        return true;
                }
        }
    }
    return false;
}

// Whether no point of the block lies in the container: its point nearest to the middle, axis by axis, does not. The predicate rises with
// every |d_k|, also after rounding. Faces need no look: the axes end there.
static bool is_outside(const filling* f, const double low[3], const double high[3])
{
    const scree_container* c = &f->p.container;
    if (c->kind == SCREE_CONTAINER_BOX)
        return false;
    double nearest[3];
    for (int k = 0; k < f->p.dim; ++k)
        nearest[k] = fmin(fmax(c->box.lower[k] + 0.5 * (c->box.upper[k] - c->box.lower[k]), low[k]), high[k]);
    return scree_container_depth(c, nearest, f->r) > 0.0;
}

static scree_status insert(filling* f, const double x[3])
{
    if (f->count == INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: there is room for more than %" PRId32 " spheres of radius %g in this box", f->p.what,
                          INT32_MAX, f->r);
    scree_status status = SCREE_RESERVE(f->xr, f->capacity, (int64_t)f->count + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(f->next, f->next_capacity, (int64_t)f->count + 1);
    if (status != SCREE_OK)
        return status;
    int64_t cell = 0;
    for (int k = 2; k >= 0; --k) {
        const axis* a = &f->axes[k];
        double at = floor((x[k] - f->p.def->box.lower[k]) / a->side);
        cell = cell * a->cells + (int64_t)fmin(fmax(at, 0.0), (double)(a->cells - 1));
    }
    memcpy(f->xr[f->count], (double[4]){x[0], x[1], x[2], f->r}, sizeof *f->xr);
    f->next[f->count] = f->head[cell];
    f->head[cell] = f->count++;
    return SCREE_OK;
}

// ---- Voxels --------------------------------------------------------------------------------------------------------

static void voxel_ends(const filling* f, const voxel* v, double low[3], double high[3])
{
    for (int k = 0; k < 3; ++k) {
        const axis* a = &f->axes[k];
        low[k] = fmin(a->low + (double)v->at[k] * a->h, a->high);
        high[k] = v->at[k] + 1 == a->voxels ? a->high : fmin(a->low + (double)(v->at[k] + 1) * a->h, a->high);
    }
}

// The a-th of all.
static voxel voxel_at(const filling* f, int64_t a)
{
    if (f->voxels != NULL)
        return f->voxels[a];
    return (voxel){{a % f->axes[0].voxels, a / f->axes[0].voxels % f->axes[1].voxels, a / f->axes[0].voxels / f->axes[1].voxels}};
}

// The share done, for the watch, as time went in runs of some hundred thousand spheres: little until the first halving, then ever closer to
// 1. `halved`: of the voxels.
static scree_status look_out(filling* f, double halved)
{
    if (++f->work % work_per_tick != 0)
        return SCREE_OK;
    const double saturated = f->p.dim == 2 ? 0.547 : 0.384;
    double share = (double)f->count * placing_share(&f->p, f->r) / saturated;
    double done = f->depth == 0 && halved == 0.0 ? 0.07 * fmin(share, 1.0) : 1.0 - 0.93 * pow(0.72, f->depth + halved);
    f->done = fmax(f->done, done);
    if (placing_goes_on(&f->p, f->done))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_CANCELLED, "%s: stopped on request, with %" PRId32 " spheres placed", f->p.what, f->count);
}

// Draws in the voxels there are until hardly any try succeeds.
static scree_status draw(filling* f)
{
    int64_t round = f->voxel_count > least_tries ? f->voxel_count : least_tries, placed;
    do {
        placed = 0;
        for (int64_t t = 0; t < round; ++t) {
            scree_status status = look_out(f, 0.0);
            if (status != SCREE_OK)
                return status;
            voxel v = voxel_at(f, (int64_t)scree_rng_below(&f->rng, (uint64_t)f->voxel_count));
            double low[3], high[3], x[3] = {0.0, 0.0, 0.0};
            voxel_ends(f, &v, low, high);
            for (int k = 0; k < f->p.dim; ++k) {
                x[k] = fmin(low[k] + scree_rng_uniform(&f->rng) * (high[k] - low[k]), high[k]);
                if (f->axes[k].periodic && x[k] >= f->p.def->box.upper[k])
                    x[k] = f->p.def->box.lower[k];
            }
            ++f->tries;
            if (is_outside(f, x, x) || is_covered(f, x, x))
                continue;
            status = insert(f, x);
            if (status != SCREE_OK)
                return status;
            ++placed;
        }
    } while (placed > round / 20);
    return SCREE_OK;
}

// Halves all voxels on each axis and keeps what is not covered.
static scree_status halve(filling* f)
{
    filling finer = *f;  // the axes with halved voxels
    int64_t parts[3];
    for (int k = 0; k < 3; ++k) {
        axis* a = &finer.axes[k];
        parts[k] = a->fine ? 1 : 2;
        if (!a->fine) {
            a->h *= 0.5;
            a->voxels *= 2;
            a->fine = a->h <= 2.0 * DBL_EPSILON * fmax(fabs(a->low), fabs(a->high));
        }
    }
    voxel* kept = NULL;
    int64_t count = 0, capacity = 0;
    scree_status status = SCREE_OK;
    for (int64_t v = 0; v < f->voxel_count && status == SCREE_OK; ++v) {
        voxel whole = voxel_at(f, v);
        for (int part = 0; part < 8 && status == SCREE_OK; ++part) {
            voxel child;
            bool there = true;
            for (int k = 0; k < 3; ++k) {
                there = there && (part >> k & 1) < parts[k];
                child.at[k] = whole.at[k] * parts[k] + (part >> k & 1);
            }
            double low[3], high[3];
            if (!there)
                continue;
            status = look_out(f, (double)v / (double)f->voxel_count);
            voxel_ends(&finer, &child, low, high);
            if (status != SCREE_OK || is_outside(f, low, high) || is_covered(f, low, high))
                continue;
            status = SCREE_RESERVE(kept, capacity, count + 1);
            if (status == SCREE_OK)
                kept[count++] = child;
        }
    }
    if (status != SCREE_OK) {
        scree_free(kept);
        return status;
    }
    memcpy(f->axes, finer.axes, sizeof f->axes);
    scree_free(f->voxels);
    f->voxels = kept;
    f->voxel_count = count;
    f->voxel_capacity = capacity;
    ++f->depth;
    return SCREE_OK;
}

// Voxels that cannot be halved: their corners and middle are all there is to try.
static scree_status try_points(filling* f)
{
    for (int64_t v = 0; v < f->voxel_count; ++v) {
        double low[3], high[3], x[3];
        voxel_ends(f, &f->voxels[v], low, high);
        for (int point = 0; point < 27; ++point) {
            int rest = point;
            for (int k = 0; k < 3; ++k, rest /= 3)
                x[k] = rest % 3 == 0 ? low[k] : rest % 3 == 1 ? high[k] : low[k] + 0.5 * (high[k] - low[k]);
            for (int k = 0; k < f->p.dim; ++k)
                if (f->axes[k].periodic && x[k] >= f->p.def->box.upper[k])
                    x[k] = f->p.def->box.lower[k];
            ++f->tries;
            scree_status status = is_outside(f, x, x) || is_covered(f, x, x) ? SCREE_OK : insert(f, x);
            if (status != SCREE_OK)
                return status;
        }
    }
    f->voxel_count = 0;
    return SCREE_OK;
}

// ---- All of it -----------------------------------------------------------------------------------------------------

static scree_status lay_out(filling* f)
{
    const scree_box* box = &f->p.def->box;
    double cells = 1.0, voxels = 1.0;
    for (int k = 0; k < 3; ++k) {
        axis* a = &f->axes[k];
        if (k >= f->p.dim) {
            *a = (axis){.voxels = 1, .fine = true, .cells = 1, .side = 1.0};
            continue;
        }
        a->length = f->p.length[k];
        a->periodic = box->periodic[k];
        a->low = box->lower[k] + (a->periodic ? 0.0 : f->r);
        a->high = box->upper[k] - (a->periodic ? 0.0 : f->r);
        double n = fmax(1.0, ceil((a->high - a->low) / f->diameter)), c = fmax(1.0, floor(a->length / f->diameter));
        a->voxels = (int64_t)fmin(n, 1e15);
        a->h = (a->high - a->low) / (double)a->voxels;
        a->fine = a->h <= 2.0 * DBL_EPSILON * fmax(fabs(a->low), fabs(a->high));
        a->cells = (int64_t)fmin(c, 1e15);
        a->side = a->length / (double)a->cells;
        cells *= c;
        voxels *= n;
    }
    if (cells > (double)INT32_MAX || voxels > (double)INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: spheres of radius %g in a box of %s would be more than %" PRId32, f->p.what, f->r,
                          placing_box_text(&f->p, 1.0).text, INT32_MAX);
    f->voxel_count = (int64_t)voxels;
    f->head = scree_malloc((size_t)cells, sizeof *f->head);
    if (f->head == NULL)
        return SCREE_ERR_MEMORY;
    memset(f->head, 0xff, (size_t)cells * sizeof *f->head);  // -1
    return SCREE_OK;
}

static scree_status fill(filling* f)
{
    scree_status status = lay_out(f);
    while (status == SCREE_OK && f->voxel_count > 0) {
        status = draw(f);
        bool fine = f->axes[0].fine && f->axes[1].fine && f->axes[2].fine && f->voxels != NULL;
        if (status == SCREE_OK)
            status = fine ? try_points(f) : halve(f);
    }
    return status;
}

static scree_status hand_out(const filling* f, scree_sphere_set* out)
{
    scree_sphere_set set;
    scree_status status = scree_sphere_set_make(f->p.dim, f->count, &set);
    if (status != SCREE_OK)
        return status;
    set.box = f->p.def->box;
    set.has_box = true;
    for (int64_t i = 0; i < f->count; ++i) {
        set.r[i] = f->r;
        memcpy(set.x + i * set.dim, f->xr[i], (size_t)set.dim * sizeof *set.x);
    }
    *out = set;
    return SCREE_OK;
}

scree_status scree_place_saturated(const scree_place_def* def, double r, scree_sphere_set* out)
{
    double x = 0.0;  // none is wanted of the check
    filling f = {.r = r, .diameter = 2.0 * r};
    scree_status status = placing_make(def, "saturation", 1, &r, &x, &f.p);
    if (status == SCREE_OK && r == 0.0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "saturation: a radius of 0, and points find room for ever; it must be above 0");
    if (status != SCREE_OK)
        return status;
    f.rng = scree_rng_make(def->seed, 3);
    status = fill(&f);
    double share = f.p.share;
    f.p.share *= f.count;
    placing_report(&f.p, (scree_place_report){.placed = f.count, .tries = f.tries, .density = share * f.count});
    if (status == SCREE_OK || status == SCREE_ERR_CANCELLED) {
        scree_status handed = hand_out(&f, out);
        status = handed != SCREE_OK ? handed : status;
    }
    scree_free(f.xr);
    scree_free(f.next);
    scree_free(f.head);
    scree_free(f.voxels);
    return status;
}
