// Random sequential addition until provably no further sphere fits, which plain tries only approach, as tries^(-1/dim). For any list of
// radii, from large to small.
//
// A centre of radius r is excluded within r + r_j of every placed centre j. Space that may still be free is stored as voxels: blocks of centres, each with
// the largest radius that may fit somewhere in it ("room"; pack/placed.h). Voxels with room for the current radius are active, and
// centres are drawn uniformly in these only, so that every free point has the same probability: this is random sequential addition without the tries that must fail.
//
//     .-------.---.---.         A failed try shows that its voxel is not entirely free: it is halved on each axis, and the parts are tested.
//     |       | # | # |         Parts that one sphere excludes as a whole are put aside for a smaller radius, or dropped if no radius
//     |       :---+-.-:         of the list would fit. Voxels are therefore small only near the edge of a hole.
//     |       | # |#|.|         If no active voxel is left, no centre of this radius, or of a larger one, fits anywhere.
//     '-------'---'-'-'
//
// The radius may change with every sphere at little cost: voxels that are put aside are in a heap, those with most room on top, and
// a proof for one radius is reused for the next. Equal spheres are a list with one radius.
//
// Draws stay uniform however voxels are halved: each is uniform over blocks that contain all free space, and therefore uniform over the free space if it is accepted.
//
// The proof is exact. Voxel bounds are A + i h, with h halved and i doubled exactly, so that adjacent voxels share their bounds and no
// double is left out; the predicate itself decides whether a block is excluded. Voxels that have shrunk to adjacent doubles
// (a hole that is a point) are finished by trying their corners and centre. Walls: a larger sphere stays farther away from them, so a voxel may be cut for
// the current radius. Draws are weighted by the remaining part, on axes where walls leave only a point by the other axes.
//
// Cost: some hundred tests of 27 cells for an equal sphere, some ten for a disc; ten times that if radii of a list are rejected one by one, since
// each hole is then found just when it opens. Memory O(spheres), about 1.6 kB and 0.4 kB for each at the peak.
// G. Zhang, S. Torquato, "Precise algorithm to generate random sequential addition of hard hyperspheres at saturation", Phys. Rev. E 88 (2013) 053312.
#include "pack/placed.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/sort.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    work_per_tick = 1 << 14,
    most_depth = 64,
    most_near = 128,
    patience = 256,  // later rounds: tries for a radius that is not the smallest
};

// Without the library's care for NAN, which costs a call.
static inline double least_of(double a, double b)
{
    return a < b ? a : b;
}

static inline double most_of(double a, double b)
{
    return a > b ? a : b;
}

typedef struct voxel {
    int64_t at[3];
    double room;       // no larger sphere has its centre here
    uint8_t depth[4];  // times that each axis was halved; the last is 0
} voxel;

typedef struct voxels {
    voxel* list;
    int64_t count, capacity;
} voxels;

// Active voxels of one shape.
typedef struct shape {
    uint8_t depth[4];
    double weight;  // of one, if no wall cuts it
    voxels v;
} shape;

// An axis of the space of centres.
typedef struct axis {
    double low, high;         // for the smallest radius
    int64_t voxels;           // at the beginning
    double side[most_depth];  // of voxels, by depth
    int deepest;              // then they are down to neighbouring doubles
    double lower, upper;      // of the box
    bool periodic;
    double from, to;          // for the current radius
} axis;

typedef struct filling {
    placing p;
    placed s;
    scree_rng rng;
    axis axes[3];
    double* list;    // radii, from large to small
    int32_t count;   // of them
    double least;    // the last
    double r;        // the current one

    shape* shapes;
    int64_t shape_count, shape_capacity;
    int64_t active;  // voxels in them
    voxels aside;    // a heap, most room on top
    double hopeless; // radii from this on have found no place lately

    int64_t work;
    int32_t at;      // in the list, first round
    int32_t rounds;  // wished for; 0: as many as it takes
    double opened;   // open_share when the smallest radius had its first turn; 0: not yet
    double done;
    scree_saturation now;
    scree_saturation* report;  // NULL: not wanted
} filling;

// ---- Voxels --------------------------------------------------------------------------------------------------------

// False: walls exclude the current radius from the whole voxel.
static bool block_of(const filling* f, const voxel* v, placed_block* b)
{
    bool there = true;
    *b = (placed_block){.cut = false};
    for (int k = 0; k < f->p.dim; ++k) {
        const axis* a = &f->axes[k];
        double side = a->side[v->depth[k]];
        b->wide_low[k] = least_of(a->low + (double)v->at[k] * side, a->high);
        b->wide_high[k] = v->at[k] + 1 == a->voxels << v->depth[k] ? a->high : least_of(a->low + (double)(v->at[k] + 1) * side, a->high);
        b->low[k] = most_of(b->wide_low[k], a->from);
        b->high[k] = least_of(b->wide_high[k], a->to);
        b->cut = b->cut || b->low[k] != b->wide_low[k] || b->high[k] != b->wide_high[k];
        there = there && b->low[k] <= b->high[k];
    }
    return there;
}

// The point of the voxel nearest to the middle of a round container, axis by axis: if a sphere is outside there, it is so everywhere in it, because
// the predicate rises with every distance, also after rounding.
static double depth_of(const filling* f, const placed_block* b, double r)
{
    const scree_container* c = &f->p.container;
    double nearest[3];
    for (int k = 0; k < f->p.dim; ++k)
        nearest[k] = fmin(fmax(c->box.lower[k] + 0.5 * (c->box.upper[k] - c->box.lower[k]), b->wide_low[k]), b->wide_high[k]);
    return scree_container_depth(c, nearest, r);
}

static bool is_outside(const filling* f, const double x[3], double r)
{
    return f->p.container.kind != SCREE_CONTAINER_BOX && scree_container_depth(&f->p.container, x, r) > 0.0;
}

// INFINITY if the current radius may fit, as far as single spheres and walls show; else less than it. `near`: the only spheres that may
// be in the way; NULL: not known.
static double room_of(filling* f, const voxel* v, const int32_t* near, int count)
{
    placed_block b;
    const double below = nextafter(f->r, 0.0);
    ++f->work;
    if (!block_of(f, v, &b)) {
        double wall = below;
        for (int k = 0; k < f->p.dim; ++k)
            if (!f->axes[k].periodic)
                wall = fmin(wall, fmin(b.wide_high[k] - f->axes[k].lower, f->axes[k].upper - b.wide_low[k]) + f->s.margin);
        return wall;
    }
    if (f->p.container.kind != SCREE_CONTAINER_BOX) {
        double depth = depth_of(f, &b, f->r);
        if (depth > 0.0)
            return depth_of(f, &b, f->least) > 0.0 ? -1.0 : fmin(f->r - depth + f->s.margin, below);
    }
    return near != NULL ? placed_room_among(&f->s, near, count, &b, f->r, f->least) : placed_room(&f->s, &b, f->r, f->least);
}

// ---- Active and aside ----------------------------------------------------------------------------------------------

static scree_status append(voxels* to, const voxel* v)
{
    scree_status status = SCREE_RESERVE(to->list, to->capacity, to->count + 1);
    if (status == SCREE_OK)
        to->list[to->count++] = *v;
    return status;
}

// Axes on which walls leave a point to centres do not count: there every voxel that holds it holds all.
static void weigh(const filling* f, shape* s)
{
    s->weight = 1.0;
    for (int k = 0; k < f->p.dim; ++k) {
        const axis* a = &f->axes[k];
        double wide = a->to - a->from;
        if (wide > 0.0)
            s->weight *= fmin(a->side[s->depth[k]], wide) / a->side[0];
    }
}

static scree_status activate(filling* f, const voxel* v)
{
    int64_t s = 0;
    while (s < f->shape_count && memcmp(f->shapes[s].depth, v->depth, sizeof v->depth) != 0)
        ++s;
    if (s == f->shape_count) {
        scree_status status = SCREE_RESERVE(f->shapes, f->shape_capacity, f->shape_count + 1);
        if (status != SCREE_OK)
            return status;
        shape* made = &f->shapes[f->shape_count++];
        *made = (shape){.weight = 0.0};
        memcpy(made->depth, v->depth, sizeof v->depth);
        weigh(f, made);
    }
    scree_status status = append(&f->shapes[s].v, v);
    f->active += status == SCREE_OK;
    return status;
}

static scree_status put_aside(filling* f, const voxel* v)
{
    scree_status status = append(&f->aside, v);
    if (status != SCREE_OK)
        return status;
    voxel* heap = f->aside.list;
    int64_t at = f->aside.count - 1;
    for (; at > 0 && heap[(at - 1) / 2].room < v->room; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = *v;
    return SCREE_OK;
}

static voxel take_top(filling* f)
{
    voxel* heap = f->aside.list;
    voxel top = heap[0], last = heap[--f->aside.count];
    int64_t at = 0, child = 1;
    for (; child < f->aside.count; child = 2 * at + 1) {
        if (child + 1 < f->aside.count && heap[child + 1].room > heap[child].room)
            ++child;
        if (!(heap[child].room > last.room))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

// Where a voxel belongs by its room.
static scree_status sort_in(filling* f, const voxel* v)
{
    return v->room >= f->r ? activate(f, v) : v->room >= f->least ? put_aside(f, v) : SCREE_OK;
}

static void drop(filling* f, int64_t s, int64_t at)
{
    voxels* v = &f->shapes[s].v;
    v->list[at] = v->list[--v->count];
    --f->active;
}

// It is the turn of r.
static scree_status turn_to(filling* f, double r)
{
    scree_status status = SCREE_OK;
    if (r == f->r)
        return status;
    bool larger = r > f->r;
    f->r = r;
    for (int k = 0; k < f->p.dim; ++k) {
        axis* a = &f->axes[k];
        a->from = a->lower + (a->periodic ? 0.0 : r);
        a->to = a->upper - (a->periodic ? 0.0 : r);
    }
    for (int64_t s = 0; s < f->shape_count; ++s) {
        weigh(f, &f->shapes[s]);
        for (int64_t at = 0; larger && at < f->shapes[s].v.count && status == SCREE_OK;) {
            voxel v = f->shapes[s].v.list[at];
            if (v.room >= r) {
                ++at;
                continue;
            }
            drop(f, s, at);
            status = put_aside(f, &v);
        }
    }
    while (status == SCREE_OK && f->aside.count > 0 && f->aside.list[0].room >= r) {
        voxel v = take_top(f);
        status = activate(f, &v);
    }
    return status;
}

// ---- One sphere ----------------------------------------------------------------------------------------------------

static void into_box(const filling* f, double x[3])
{
    for (int k = 0; k < f->p.dim; ++k)
        if (f->axes[k].periodic && x[k] >= f->axes[k].upper)
            x[k] = f->axes[k].lower;
}

static scree_status insert(filling* f, const double x[3])
{
    scree_status status = placed_insert(&f->s, x, f->r);
    if (status == SCREE_OK)
        f->now.density += placing_share(&f->p, f->r);
    return status;
}

// A voxel too small to be halved: its corners and centre are tried. Without success it is put aside.
static scree_status try_points(filling* f, int64_t s, int64_t at, const placed_block* b, bool* found)
{
    voxel v = f->shapes[s].v.list[at];
    for (int point = 0; point < 27; ++point) {
        double x[3];
        int rest = point;
        for (int k = 0; k < 3; ++k, rest /= 3)
            x[k] = rest % 3 == 0 ? b->low[k] : rest % 3 == 1 ? b->high[k] : b->low[k] + 0.5 * (b->high[k] - b->low[k]);
        into_box(f, x);
        ++f->now.tries;
        if (is_outside(f, x, f->r) || placed_is_taken(&f->s, x, f->r))
            continue;
        *found = true;
        return insert(f, x);
    }
    drop(f, s, at);
    v.room = nextafter(f->r, 0.0);
    return sort_in(f, &v);
}

// Halves a voxel on the axes that are marked, and sorts its parts.
static scree_status halve(filling* f, int64_t s, int64_t at, const placed_block* b, const bool split[3])
{
    voxel whole = f->shapes[s].v.list[at];
    int32_t near[most_near];
    int count = placed_near(&f->s, b, f->r, near, most_near);
    drop(f, s, at);
    for (int part = 0; part < 8; ++part) {
        voxel child = whole;
        bool there = true;
        for (int k = 0; k < 3; ++k) {
            int upper = part >> k & 1;
            there = there && (split[k] || upper == 0);
            if (split[k]) {
                child.at[k] = 2 * whole.at[k] + upper;
                ++child.depth[k];
            }
        }
        if (!there)
            continue;
        child.room = fmin(whole.room, room_of(f, &child, count >= 0 ? near : NULL, count));
        scree_status status = sort_in(f, &child);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// A try in this voxel failed. It is halved on its longest axes, so that voxels stay cubes, but for slots as narrow as the spheres, which are long
// only on the others.
static scree_status refine(filling* f, int64_t s, int64_t at, const placed_block* b, bool* found)
{
    voxel* v = &f->shapes[s].v.list[at];
    double room = room_of(f, v, NULL, 0), length[3] = {0.0, 0.0, 0.0}, longest = 0.0;
    if (room < f->r) {
        voxel gone = *v;
        gone.room = fmin(room, gone.room);
        drop(f, s, at);
        return sort_in(f, &gone);
    }
    for (int k = 0; k < f->p.dim; ++k) {
        const axis* a = &f->axes[k];
        if (v->depth[k] < a->deepest)
            length[k] = fmin(a->side[v->depth[k]], a->to - a->from);
        longest = fmax(longest, length[k]);
    }
    if (!(longest > 0.0))
        return try_points(f, s, at, b, found);
    return halve(f, s, at, b, (bool[3]){length[0] > 0.5 * longest, length[1] > 0.5 * longest, length[2] > 0.5 * longest});
}

// Which active voxel, each as likely as it is large. There is one.
static void choose(filling* f, int64_t* shape_at, int64_t* at)
{
    double total = 0.0;
    int64_t s = -1;
    for (int64_t k = 0; k < f->shape_count; ++k)
        total += (double)f->shapes[k].v.count * f->shapes[k].weight;
    double point = scree_rng_uniform(&f->rng) * total;
    for (int64_t k = 0; k < f->shape_count && (s < 0 || point >= 0.0); ++k)
        if (f->shapes[k].v.count > 0) {
            s = k;
            point -= (double)f->shapes[k].v.count * f->shapes[k].weight;
        }
    *shape_at = s;
    *at = (int64_t)scree_rng_below(&f->rng, (uint64_t)f->shapes[s].v.count);
}

// The share of the voxel that walls leave, of what they leave of the largest. Not next to nothing, which would take for ever: this is for
// voxels that reach a little way into a slot narrower than they are.
static double share_left(const filling* f, const voxel* v, const placed_block* b)
{
    double left = 1.0;
    for (int k = 0; k < f->p.dim && b->cut; ++k) {
        const axis* a = &f->axes[k];
        double full = fmin(a->side[v->depth[k]], a->to - a->from), here = b->high[k] - b->low[k];
        if (full > 0.0 && here < full)
            left *= fmax(here / full, 1.0 / 64.0);
    }
    return left;
}

// One try.
static scree_status draw(filling* f, bool* found)
{
    int64_t s, at;
    placed_block b;
    choose(f, &s, &at);
    const voxel* v = &f->shapes[s].v.list[at];
    ++f->now.tries;
    ++f->work;
    if (!block_of(f, v, &b))
        return refine(f, s, at, &b, found);
    double left = share_left(f, v, &b), x[3] = {0.0, 0.0, 0.0};
    if (left < 1.0 && scree_rng_uniform(&f->rng) >= left)
        return refine(f, s, at, &b, found);
    for (int k = 0; k < f->p.dim; ++k)
        x[k] = fmin(b.low[k] + scree_rng_uniform(&f->rng) * (b.high[k] - b.low[k]), b.high[k]);
    into_box(f, x);
    if (is_outside(f, x, f->r) || placed_is_taken(&f->s, x, f->r))
        return refine(f, s, at, &b, found);
    *found = true;
    return insert(f, x);
}

// ---- All of it -----------------------------------------------------------------------------------------------------

// The share of the space of centres that active voxels take up.
static double open_share(const filling* f)
{
    double all = 1.0, open = 0.0;
    for (int k = 0; k < f->p.dim; ++k)
        all *= (double)f->axes[k].voxels;
    for (int64_t s = 0; s < f->shape_count; ++s)
        open += ldexp((double)f->shapes[s].v.count, -(f->shapes[s].depth[0] + f->shapes[s].depth[1] + f->shapes[s].depth[2]));
    return open / all;
}

// The share done, as time went in runs of some ten thousand spheres: little until half of the space is closed, then ever closer to 1. Before
// the smallest radius has its turn only the list is known.
static double done_share(filling* f)
{
    double list = f->list[0] == f->least ? 0.0 : f->rounds == 1 ? 1.0 : 0.5;
    if (f->now.rounds == 1 && list > 0.0)
        return list * (double)f->at / (double)f->count;
    if (f->r > f->least)
        return list;
    f->opened = f->opened > 0.0 ? f->opened : f->now.open;
    return list + (1.0 - list) * (1.0 - pow(fmin(f->now.open / f->opened, 1.0), f->p.dim == 2 ? 0.38 : 0.25));
}

static void tell(filling* f)
{
    f->now.open = open_share(f);
    f->done = fmax(f->done, done_share(f));
    if (f->now.rounds == 1)
        f->now.listed = f->s.count;
    f->now.placed = f->s.count;
    f->now.saturated = f->now.full_from == f->least;
    if (f->report != NULL)
        *f->report = f->now;
}

static scree_status look_out(filling* f)
{
    if (f->work < work_per_tick)
        return SCREE_OK;
    f->work = 0;
    tell(f);
    if (placing_goes_on(&f->p, f->done))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_CANCELLED, "%s: stopped on request, with %" PRId32 " spheres placed", f->p.what, f->s.count);
}

// So many spheres of radius r, or as many as find a place: all that do, or, if `tries` is given, until so many tries in a row have failed.
static scree_status place(filling* f, double r, int64_t copies, int64_t tries)
{
    scree_status status = turn_to(f, r);
    for (; copies > 0 && status == SCREE_OK; --copies) {
        bool found = false;
        for (int64_t t = 0; !found && f->active > 0 && t < tries && status == SCREE_OK; ++t) {
            status = draw(f, &found);
            if (status == SCREE_OK)
                status = look_out(f);
        }
        if (found || status != SCREE_OK)
            continue;
        f->hopeless = r;
        if (f->active == 0)
            f->now.full_from = r;
        return SCREE_OK;
    }
    return status;
}

// Once through the list.
static scree_status go_first(filling* f)
{
    scree_status status = SCREE_OK;
    for (f->at = 0; f->at < f->count && status == SCREE_OK; ++f->at) {
        if (f->list[f->at] < f->now.full_from)
            status = place(f, f->list[f->at], 1, INT64_MAX);
        f->now.refused += status == SCREE_OK && f->list[f->at] >= f->now.full_from;
    }
    f->now.listed = f->s.count;
    return status;
}

// Further rounds, over the radii of the list that may still fit, so many times that about as many are drawn as there are spheres. Only for the smallest it is
// proven not to fit, which then holds for the others. A radius that does not fit soon also counts for slightly smaller ones.
static scree_status go_again(filling* f)
{
    scree_status status = SCREE_OK;
    int32_t first = 0;
    while (first + 1 < f->count && f->list[first] >= f->hopeless)
        ++first;
    int64_t fill = f->s.count > f->count ? f->s.count : f->count, members = f->count - first;
    int64_t copies = f->list[first] == f->least ? INT64_MAX : (fill + members - 1) / members;
    for (int32_t i = first; i < f->count && status == SCREE_OK; ++i)
        if (f->list[i] == f->least)
            status = f->now.full_from > f->least ? place(f, f->least, copies, INT64_MAX) : SCREE_OK;
        else if (f->list[i] < 0.98 * f->hopeless)
            status = place(f, f->list[i], copies, patience);
    return status;
}

static scree_status lay_out(filling* f)
{
    double many = 1.0;
    for (int k = 0; k < f->p.dim; ++k) {
        axis* a = &f->axes[k];
        a->lower = f->p.def->box.lower[k];
        a->upper = f->p.def->box.upper[k];
        a->periodic = f->p.def->box.periodic[k];
        a->low = a->lower + (a->periodic ? 0.0 : f->least);
        a->high = a->upper - (a->periodic ? 0.0 : f->least);
        double n = fmax(1.0, ceil((a->high - a->low) / (2.0 * f->list[0])));
        many *= fmax(1.0, (a->high - a->low) / (2.0 * f->least));
        a->voxels = (int64_t)fmin(n, 1e15);
        a->side[0] = (a->high - a->low) / (double)a->voxels;
        double smallest = 2.0 * DBL_EPSILON * fmax(fabs(a->low), fabs(a->high));
        while (a->deepest + 1 < most_depth && a->side[a->deepest] > smallest) {
            a->side[a->deepest + 1] = 0.5 * a->side[a->deepest];
            ++a->deepest;
        }
    }
    if (many > (double)INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: spheres of radius %g in a box of %s may be too many; expected at most %" PRId32, f->p.what, f->least,
                          placing_box_text(&f->p, 1.0).text, INT32_MAX);
    int64_t n[3] = {f->axes[0].voxels, f->axes[1].voxels, f->p.dim == 3 ? f->axes[2].voxels : 1};
    scree_status status = turn_to(f, f->list[0]);
    for (int64_t v = 0; v < n[0] * n[1] * n[2] && status == SCREE_OK; ++v)
        status = activate(f, &(voxel){.at = {v % n[0], v / n[0] % n[1], v / n[0] / n[1]}, .room = INFINITY});
    return status;
}

// The radii from large to small. They are above 0, so that their bits rise as they do.
static scree_status sort_radii(filling* f, const double* r)
{
    f->list = scree_malloc((size_t)f->count, sizeof *f->list);
    uint64_t* key = scree_malloc((size_t)f->count, sizeof *key);
    if (f->list != NULL && key != NULL) {
        memcpy(key, r, (size_t)f->count * sizeof *key);
        scree_sort_keys(key, f->count);
        for (int32_t i = 0; i < f->count; ++i)
            memcpy(&f->list[i], &key[f->count - 1 - i], sizeof *key);
        f->least = f->list[f->count - 1];
    }
    scree_free(key);
    return f->list != NULL && key != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status fill(filling* f, const double* r)
{
    scree_status status = sort_radii(f, r);
    if (status == SCREE_OK)
        status = placed_open(&f->s, &f->p, f->count, f->list);
    if (status == SCREE_OK)
        status = lay_out(f);
    while (status == SCREE_OK && f->now.full_from > f->least && (f->rounds == 0 || f->now.rounds < f->rounds))
        status = ++f->now.rounds == 1 ? go_first(f) : go_again(f);
    return status;
}

static scree_status hand_out(const filling* f, scree_sphere_set* out)
{
    scree_sphere_set set;
    scree_status status = scree_sphere_set_make(f->p.dim, f->s.count, &set);
    if (status != SCREE_OK)
        return status;
    set.box = f->p.def->box;
    set.has_box = true;
    for (int64_t i = 0; i < f->s.count; ++i) {
        set.r[i] = f->s.xr[i][3];
        memcpy(set.x + i * set.dim, f->s.xr[i], (size_t)set.dim * sizeof *set.x);
    }
    *out = set;
    return SCREE_OK;
}

scree_status scree_place_until_full(const scree_place_def* def, int32_t count, const double* r, int32_t rounds, scree_saturation* report,
                                    scree_sphere_set* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    double x = 0.0;  // none is wanted of the check
    filling f = {.count = count, .rounds = rounds, .report = report, .hopeless = INFINITY, .now = {.full_from = INFINITY}};
    scree_status status = placing_make(def, "saturation", count, r, &x, &f.p);
    if (status == SCREE_OK)
        status = scree_box_reject_tilt(&def->box, "saturation");
    if (status == SCREE_OK && count < 1)
        status = scree_fail(SCREE_ERR_ARGUMENT, "saturation: count = 0; expected one radius or more");
    if (status == SCREE_OK && rounds < 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "saturation: rounds = %" PRId32 "; expected 0 (until saturated) or more", rounds);
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i)
        if (r[i] == 0.0)
            status = scree_fail(SCREE_ERR_ARGUMENT, "saturation: sphere %" PRId32 " has radius 0; expected a radius above 0, since any number of points fits",
                                i);
    if (status != SCREE_OK)
        return status;
    f.rng = scree_rng_make(def->seed, 3);
    status = fill(&f, r);
    if (f.list != NULL)
        tell(&f);
    placing_report(&f.p, (scree_place_report){.placed = f.s.count, .tries = f.now.tries, .density = f.now.density});
    if (status == SCREE_OK || status == SCREE_ERR_CANCELLED) {
        scree_status handed = hand_out(&f, out);
        status = handed != SCREE_OK ? handed : status;
    }
    for (int64_t s = 0; s < f.shape_count; ++s)
        scree_free(f.shapes[s].v.list);
    scree_free(f.shapes);
    scree_free(f.aside.list);
    scree_free(f.list);
    placed_free(&f.s);
    return status;
}

scree_status scree_place_saturated(const scree_place_def* def, double r, scree_sphere_set* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    return scree_place_until_full(def, 1, &r, 0, NULL, out);
}
