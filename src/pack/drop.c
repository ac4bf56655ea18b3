// Sequential deposition: spheres fall one after the other, roll over the others (roll.c) and stay (heap.c).
//
// This file has what happens before and after the rolling. Before: a random position above everything nearby; of several falls the lowest result is
// used. After: the position is made valid to the last bit. Rolling leaves a centre on its supports up to rounding of either sign, while the
// predicate of the index has no tolerance. So each overlap pushes the centre away by the overlap and a few last bits, and by
// more each time that this was not enough. A sphere that rolling loses, or that ends with a real overlap, falls again from another position.
//
// Cost: for each sphere a few dozen paths, each against the ten to forty spheres nearby, independent of the total number. With def.centre the
// directions are random and the cluster has no walls. Wrong choice if density matters (0.58; rearrangement reaches 0.64), or if
// the packing must be isotropic, since every sphere is supported by earlier ones.
#include "pack/place.h"
#include "pack/roll.h"

#include "base/argument.h"
#include "base/clock.h"
#include "geom/length.h"
#include "geom/pair.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    most_falls = 200,     // of one sphere that rolling loses
    most_starts = 2000,   // positions at the ceiling of a sphere that are taken
    step_octaves = 32,
    pushes = 20,          // in each way of making a place valid
};

// Everything inside is in units of a power of two near the largest radius: rolling multiplies four lengths, and 1e100^4 is no double. Scaling is
// exact, so that no bit of a heap of ordinary size depends on it.
typedef struct dropping {
    const scree_drop_def* def;  // the caller's, but for the unit
    scree_drop_def own;         // what def points to
    int unit;                   // exponent of the unit
    double* scaled;             // radii
    const double* r;
    int32_t count;
    int dim;
    scree_container container;  // in the user's frame; open upwards
    double middle[3], radius;   // of a round one, in the frame of the heap
    double r_max, r_min;
    double outermost;           // centre: the largest distance of a surface from the origin
    scree_rng rng;
    double step[step_octaves];  // that the last sphere of each octave of radius found good; 0: none yet
    heap h;
    roller ro;
} dropping;

SCREE_DEFAULTS_OF(scree_drop_def, scree_default_drop_def)
{
    return (scree_drop_def){.struct_size = sizeof(scree_drop_def),
                            .box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0}),
                            .lowest = 1,
                            .seed = 1};
}

// The heap has z up and depth 0 in 2D; axis k of the heap is this one of the user.
static int user_axis(int dim, int k)
{
    return dim == 3 ? k : k == 0 ? 0 : k == 2 ? 1 : -1;
}

static void to_user(int dim, const double x[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        if (user_axis(dim, k) >= 0)
            out[user_axis(dim, k)] = x[k];
}

// ---- Checks --------------------------------------------------------------------------------------------------------

static scree_status check_def(const scree_drop_def* def)
{
    scree_status fits = scree_check_struct_size("deposition", "scree_default_drop_def", def->struct_size, sizeof *def, sizeof *def);
    if (fits != SCREE_OK)
        return fits;
    if (def->lowest < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "deposition: lowest = %d; expected 1 or more", (int)def->lowest);
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "deposition: threads = %d; expected 0 (all cores) or more", (int)def->threads);
    if (def->centre && def->container != SCREE_CONTAINER_BOX)
        return scree_fail(SCREE_ERR_ARGUMENT, "deposition: container is a %s; expected a box, as with `centre` there is no container",
                          scree_container_name(def->container) != NULL ? scree_container_name(def->container) : "container of unknown kind");
    if (def->centre && def->box.dim != 2 && def->box.dim != 3)
        return scree_fail(SCREE_ERR_ARGUMENT, "deposition: dimension %d; expected 2 or 3", (int)def->box.dim);
    if (def->centre)
        return SCREE_OK;
    scree_container open = {.kind = def->container, .box = def->box};
    scree_status status = scree_container_check(&open);
    if (status == SCREE_OK)
        status = scree_box_reject_tilt(&def->box, "deposition");
    int last = def->box.dim - 1;
    if (status == SCREE_OK && open.box.periodic[last])
        return scree_fail(SCREE_ERR_ARGUMENT, "deposition: axis %c is periodic; expected walls on the last axis, along which spheres fall", "xyz"[last]);
    for (int k = 0; status == SCREE_OK && k < def->box.dim; ++k)
        if (isinf(def->box.lower[k]) || (k < last && isinf(def->box.upper[k])))
            return scree_fail(SCREE_ERR_ARGUMENT, "deposition: the box is open on axis %c (%g to %g); expected finite bounds, except at the top", "xyz"[k],
                              def->box.lower[k], def->box.upper[k]);
    return status;
}

static scree_status check_radii(dropping* d)
{
    int32_t largest = 0;
    d->r_min = INFINITY;
    for (int32_t i = 0; i < d->count; ++i) {
        if (!(d->r[i] > 0.0) || !scree_is_length(d->r[i]))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g; expected %g to %g", i, d->r[i],
                              SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
        largest = d->r[i] > d->r[largest] ? i : largest;
        d->r_min = fmin(d->r_min, d->r[i]);
    }
    d->r_max = d->count > 0 ? d->r[largest] : 0.0;
    if (d->count > 0 && d->r_max > 1e9 * d->r_min)
        return scree_fail(SCREE_ERR_ARGUMENT, "deposition: radii from %g to %g; expected a ratio of at most 1e9", d->r_min, d->r_max);
    if (d->count == 0 || d->def->centre)
        return SCREE_OK;
    double most = scree_container_largest(&d->container);
    for (int k = 0; k < d->dim; ++k)
        if (!d->container.box.periodic[k] && !(d->container.box.lower[k] + d->r_max <= d->container.box.upper[k] - d->r_max))
            most = fmin(most, d->r_max * (1.0 - DBL_EPSILON));
    if (d->r_max > most)
        return scree_fail(SCREE_ERR_ARGUMENT, "deposition: sphere %" PRId32 ", diameter %g, is too large for this %s; expected a diameter of at most %g",
                          largest, 2.0 * d->r_max, scree_container_name(d->container.kind), 2.0 * most);
    return SCREE_OK;
}

// ---- Walls and starts ----------------------------------------------------------------------------------------------

static void add_wall(dropping* d, obstacle wall)
{
    wall.id = -1;
    d->ro.walls[d->ro.wall_count++] = wall;
}

static double* step_for(dropping* d, double r)
{
    int octave;
    frexp(d->r_max / r, &octave);
    return &d->step[octave < step_octaves ? octave : step_octaves - 1];
}

static void set_sphere(dropping* d, double r)
{
    roller* ro = &d->ro;
    ro->r = r;
    ro->tol = 1e-10 * r + 8.0 * DBL_EPSILON * ro->scale;
    ro->step_least = fmin(d->r_min, r);
    ro->wall_count = 0;
    if (ro->central)
        return;
    const scree_box* box = &d->container.box;
    if (d->container.kind == SCREE_CONTAINER_SPHERE) {
        add_wall(d, (obstacle){.kind = OBSTACLE_BOWL, .s = {d->middle[0], d->middle[1], d->middle[2]}, .R = d->radius - r});
        return;
    }
    add_wall(d, (obstacle){.kind = OBSTACLE_PLANE, .s = {0.0, 0.0, 1.0}, .R = box->lower[d->dim - 1] + r});
    if (d->container.kind == SCREE_CONTAINER_CYLINDER) {
        add_wall(d, (obstacle){.kind = OBSTACLE_TUBE, .s = {d->middle[0], d->middle[1], 0.0}, .R = d->radius - r});
        return;
    }
    for (int k = 0; k < d->dim - 1; ++k) {
        if (box->periodic[k])
            continue;
        obstacle low = {.kind = OBSTACLE_PLANE, .R = box->lower[k] + r}, high = {.kind = OBSTACLE_PLANE, .R = -(box->upper[k] - r)};
        low.s[k] = 1.0;
        high.s[k] = -1.0;
        add_wall(d, low);
        add_wall(d, high);
    }
}

static void start_outside(dropping* d, double r, double x[3])
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 3; ++k) {
            x[k] = d->dim == 2 && k == 1 ? 0.0 : 2.0 * scree_rng_uniform(&d->rng) - 1.0;
            square += x[k] * x[k];
        }
    } while (square > 1.0 || square < 1e-4);
    double far = (d->outermost + 1.01 * r) / sqrt(square);
    for (int k = 0; k < 3; ++k)
        x[k] *= far;
}

// A place above all that is near; *found false: a round container has none left. MEMORY.
static scree_status start(dropping* d, double r, double x[3], bool* found)
{
    *found = true;
    if (d->def->centre) {
        start_outside(d, r, x);
        return SCREE_OK;
    }
    for (int t = 0; t < most_starts; ++t) {
        double at[3] = {0.0, 0.0, 0.0}, floor_level = d->container.box.lower[d->dim - 1] + r;
        scree_container base = d->container;
        if (base.kind != SCREE_CONTAINER_SPHERE)
            base.box.upper[d->dim - 1] = base.box.lower[d->dim - 1] + 4.0 * r;
        scree_container_draw(&base, r, &d->rng, at);
        x[0] = at[0];
        x[1] = d->dim == 3 ? at[1] : 0.0;
        x[2] = fmax(floor_level, heap_clear_height(&d->h, x, r));
        if (d->container.kind != SCREE_CONTAINER_SPHERE)
            return SCREE_OK;
        double dx = x[0] - d->middle[0], dy = x[1] - d->middle[1], reach = d->radius - r;
        double ceiling = d->middle[2] + sqrt(fmax(reach * reach - (dx * dx + dy * dy), 0.0));
        if (x[2] <= ceiling) {
            x[2] = fmax(x[2], d->middle[2]);  // at any height above the curved floor
            return SCREE_OK;
        }
        x[2] = ceiling;
        scree_status status = heap_gather(&d->h, x, r, 0.0, false);
        if (status != SCREE_OK || d->h.near_count == 0)
            return status;
    }
    *found = false;
    return SCREE_OK;
}

// ---- To the last bit -----------------------------------------------------------------------------------------------

// Into the walls, by their own predicate. Returns whether anything was to do.
static bool keep_inside(const dropping* d, double r, double extra, double x[3])
{
    double at[3] = {0.0, 0.0, 0.0}, before[3] = {x[0], x[1], x[2]};
    const scree_box* box = &d->container.box;
    if (d->def->centre)
        return false;
    to_user(d->dim, x, at);
    if (!(scree_container_depth(&d->container, at, r) > 0.0))
        return false;
    int round_axes = d->container.kind == SCREE_CONTAINER_BOX ? 0 : d->container.kind == SCREE_CONTAINER_CYLINDER ? 2 : 3;
    double square = 0.0;
    for (int k = 0; k < round_axes; ++k)
        square += (x[k] - d->middle[k]) * (x[k] - d->middle[k]);
    double reach = d->radius - r - extra;
    for (int k = 0; k < 3; ++k) {
        int axis = user_axis(d->dim, k);
        if (k < round_axes && square > reach * reach)
            x[k] = d->middle[k] + (x[k] - d->middle[k]) * fmax(reach, 0.0) / sqrt(square);
        else if (k >= round_axes && axis >= 0 && !box->periodic[axis])
            x[k] = fmin(fmax(x[k], box->lower[axis] + r), box->upper[axis] - r);
    }
    return x[0] != before[0] || x[1] != before[1] || x[2] != before[2];
}

static void wrap(const dropping* d, double x[3])
{
    for (int k = 0; k < 3 && !d->def->centre; ++k) {
        int axis = user_axis(d->dim, k);
        if (axis >= 0)
            x[k] = scree_box_wrap(&d->container.box, axis, x[k], NULL);
    }
}

// Whether nothing overlaps a sphere at x, by the predicates. If not, and `push` is above 0, whatever does pushes it away by that and its overlap.
static scree_status look_closely(dropping* d, double r, double push, double x[3], bool* valid)
{
    wrap(d, x);
    *valid = !keep_inside(d, r, push, x);
    scree_status status = heap_gather(&d->h, x, r, 4.0 * d->ro.tol, false);
    if (status != SCREE_OK)
        return status;
    double a[4] = {x[0], x[1], x[2], r}, at[3] = {0.0, 0.0, 0.0};
    for (int64_t k = 0; k < d->h.near_count; ++k) {
        const obstacle* ob = &d->h.near[k];
        if (!scree_is_pair(a, d->h.xr[ob->id], ob->offset, 0.0))
            continue;
        double n[3], square = 0.0;
        for (int j = 0; j < 3; ++j) {
            n[j] = x[j] - ob->s[j];
            square += n[j] * n[j];
        }
        for (int j = 0; j < 3 && push > 0.0 && square > 0.0; ++j)
            x[j] += n[j] / sqrt(square) * (fmax(ob->R - sqrt(square), 0.0) + push);
        *valid = false;
    }
    to_user(d->dim, x, at);
    *valid = *valid && (d->def->centre || !(scree_container_depth(&d->container, at, r) > 0.0));
    return SCREE_OK;
}

// Moves the centre by what rounding left over, in three ways, each with more and more: a little away from its three supports; where it has not three, or
// others touch it too, pushed by whatever overlaps; and lifted, for slots as wide as itself. *valid false: there is more to it than
// rounding. MEMORY.
static scree_status make_valid(dropping* d, double r, double x[3], bool* valid)
{
    double from[3], least = 2.0 * DBL_EPSILON * (d->ro.scale + r), bits = least, lift = 1e-10 * r, off = 0.0;
    wrap(d, x);
    memcpy(from, x, sizeof from);
    scree_status status = look_closely(d, r, 0.0, x, valid);
    for (int t = 0; t < 7 * pushes && !*valid && status == SCREE_OK; ++t) {
        bool away = t < pushes;
        bits = t % pushes == 0 || t >= 2 * pushes ? least : bits * (away ? 2.0 : 1.2);
        if (t <= 2 * pushes && (away || t % pushes == 0))
            memcpy(x, from, sizeof from);
        if (away) {
            status = heap_gather(&d->h, x, r, 4.0 * d->ro.tol, false);
            if (status == SCREE_OK)
                roll_set_apart(&d->ro, bits, x);
        }
        if (t >= 2 * pushes && t % 8 == 0) {
            roll_lift(&d->ro, lift, x);
            lift *= 3.0;
        }
        if (status == SCREE_OK)
            status = look_closely(d, r, away ? 0.0 : bits, x, valid);
    }
    for (int k = 0; k < 3; ++k)  // a jump through a periodic face is none
        off = fmax(off, fabs(d->h.periodic[k] ? remainder(x[k] - from[k], d->h.length[k]) : x[k] - from[k]));
    *valid = *valid && off <= 64.0 * d->ro.tol + 1e-4 * r;
    return status;
}

// ---- One by one ----------------------------------------------------------------------------------------------------

// The lowest of the falls that came to rest. *placed false: the container is full, or (a bug) rolling lost the sphere in every fall.
static scree_status place(dropping* d, int32_t i, bool* placed)
{
    double r = d->r[i], best[3] = {0.0, 0.0, 0.0}, lowest = INFINITY;
    set_sphere(d, r);
    int done = 0;
    for (int falls = 0; done < d->def->lowest && falls < d->def->lowest + most_falls; ++falls) {
        double x[3] = {0.0, 0.0, 0.0};
        bool good = true;
        scree_status status = SCREE_OK;
        if (!(d->def->centre && d->h.count == 0)) {
            status = start(d, r, x, &good);
            if (status == SCREE_OK && !good)
                break;
            double* step = step_for(d, r);
            d->ro.step = *step > 0.0 ? fmin(*step, r) : r;
            if (status == SCREE_OK)
                status = roll_down(&d->ro, x, &good);
            *step = d->ro.step;
            if (status == SCREE_OK && good)
                status = make_valid(d, r, x, &good);
        }
        if (status != SCREE_OK)
            return status;
        if (!good)
            continue;
        ++done;
        if (roll_height(&d->ro, x) < lowest) {
            lowest = roll_height(&d->ro, x);
            memcpy(best, x, sizeof best);
        }
    }
    *placed = done > 0;
    if (done == 0)
        return SCREE_OK;
    heap_insert(&d->h, best, r);
    if (d->def->centre)
        d->outermost = fmax(d->outermost, sqrt((best[0] * best[0] + best[1] * best[1]) + best[2] * best[2]) + r);
    return SCREE_OK;
}

// The density so far, of spheres of that volume below the highest top.
static double density_now(const dropping* d, double volume, double top)
{
    scree_container c = {.kind = d->container.kind, .box = d->def->box};
    if (d->def->centre)
        return volume / placing_ball(d->dim, d->outermost);
    if (c.kind != SCREE_CONTAINER_SPHERE)
        c.box.upper[d->dim - 1] = top;
    return volume / scree_container_volume(&c);
}

static scree_status drop_all(dropping* d)
{
    enum { ticks = 512, most_per_tick = 1000 };
    const scree_watch* watch = &d->def->watch;
    double total = 0.0, done = 0.0, volume = 0.0, top = -INFINITY;
    for (int32_t i = 0; i < d->count; ++i)
        total += d->r[i] * d->r[i];  // small ones cost less to place than their number says, but not by their volume
    int32_t stride = d->count / ticks + 1 < most_per_tick ? d->count / ticks + 1 : most_per_tick;
    for (int32_t i = 0; i < d->count; ++i) {
        bool placed;
        if (i > 0 && i % stride == 0 && d->def->density_now != NULL)
            *d->def->density_now = density_now(d, volume, top);
        if (i > 0 && i % stride == 0 && watch->tick != NULL && !watch->tick(watch->context, 0.5 * (i / (double)d->count + done / total)))
            return scree_fail(SCREE_ERR_CANCELLED, "deposition: stopped on request, with %" PRId32 " of %" PRId32 " spheres placed", i, d->count);
        scree_status status = place(d, i, &placed);
        if (status != SCREE_OK || !placed)
            return status;
        done += d->r[i] * d->r[i];
        volume += placing_ball(d->dim, d->r[i]);
        top = fmax(top, d->h.xr[i][2] + d->r[i]);
    }
    return SCREE_OK;
}

// ---- In and out ----------------------------------------------------------------------------------------------------

static void scale_box(scree_box* box, int by)
{
    for (int k = 0; k < box->dim; ++k) {
        box->lower[k] = ldexp(box->lower[k], by);
        box->upper[k] = ldexp(box->upper[k], by);
    }
}

static scree_status change_unit(dropping* d)
{
    d->scaled = scree_malloc((size_t)d->count, sizeof *d->scaled);
    if (d->scaled == NULL)
        return SCREE_ERR_MEMORY;
    d->unit = ilogb(d->r_max);
    for (int32_t i = 0; i < d->count; ++i)
        d->scaled[i] = ldexp(d->r[i], -d->unit);
    d->r = d->scaled;
    d->r_max = ldexp(d->r_max, -d->unit);
    d->r_min = ldexp(d->r_min, -d->unit);
    scale_box(&d->own.box, -d->unit);
    scale_box(&d->container.box, -d->unit);
    return SCREE_OK;
}

// The region in which the heap will about be: 4 times the volume of the spheres on the base.
static scree_status make_heap(dropping* d)
{
    double lower[3] = {0.0, 0.0, 0.0}, length[3] = {0.0, 0.0, 0.0}, volume = 0.0;
    bool periodic[3] = {false, false, false};
    const scree_box* box = &d->container.box;
    for (int32_t i = 0; i < d->count; ++i)
        volume += placing_ball(d->dim, d->r[i] / d->r_max);
    for (int k = 0; k < 3; ++k) {
        int axis = user_axis(d->dim, k);
        if (axis < 0)
            continue;
        if (d->def->centre) {
            length[k] = d->r_max * (2.0 * pow(volume / 2.0, 1.0 / d->dim) + 2.0);
            lower[k] = -0.5 * length[k];
            continue;
        }
        lower[k] = box->lower[axis];
        length[k] = box->upper[axis] - box->lower[axis];
        periodic[k] = box->periodic[axis];
    }
    if (!d->def->centre && d->container.kind != SCREE_CONTAINER_SPHERE) {
        double base = length[0] / d->r_max * (d->dim == 3 ? length[1] / d->r_max : 1.0);
        length[2] = d->r_max * (4.0 * volume / base + 2.0);
    }
    for (int k = 0; k < 3; ++k) {
        d->ro.scale = fmax(d->ro.scale, fmax(fabs(lower[k]), fabs(lower[k] + length[k])));
        d->middle[k] = lower[k] + 0.5 * length[k];
    }
    d->radius = 0.5 * (d->dim == 3 ? fmin(length[0], length[1]) : length[0]);
    if (d->container.kind == SCREE_CONTAINER_SPHERE)
        d->radius = fmin(d->radius, 0.5 * length[2]);
    return heap_make(&d->h, d->count, d->r, lower, length, periodic);
}

static scree_status hand_out(const dropping* d, scree_packing* out)
{
    scree_packing made = {.count = (int32_t)d->h.count, .box = d->def->box, .converged = d->h.count == d->count, .tests = d->h.tests};
    made.x = scree_malloc((size_t)made.count * (size_t)d->dim, sizeof *made.x);
    if (made.x == NULL)
        return SCREE_ERR_MEMORY;
    double top = d->def->centre ? 0.0 : d->container.box.lower[d->dim - 1], volume = 0.0;
    for (int64_t i = 0; i < d->h.count; ++i) {
        double at[3] = {0.0, 0.0, 0.0}, r = d->r[i];
        to_user(d->dim, d->h.xr[i], at);
        memcpy(made.x + i * d->dim, at, (size_t)d->dim * sizeof *made.x);
        double end = at[d->dim - 1] + r;
        while (end - r < at[d->dim - 1])  // so that it is inside by the container's predicate
            end = nextafter(end, INFINITY);
        top = fmax(top, end);
        volume += placing_ball(d->dim, r / d->r_max);
    }
    scree_container c = {.kind = d->container.kind, .box = d->def->box};
    if (d->def->centre) {
        scree_box bounds = scree_spheres_bounds((scree_spheres){.count = made.count, .dim = d->dim, .x = made.x, .r = d->r});
        for (int k = 0; k < d->dim; ++k) {  // rounded outwards, as the predicate at walls needs
            for (int64_t i = 0; i < made.count; ++i) {
                while (bounds.lower[k] + d->r[i] > made.x[i * d->dim + k])
                    bounds.lower[k] = nextafter(bounds.lower[k], -INFINITY);
                while (bounds.upper[k] - d->r[i] < made.x[i * d->dim + k])
                    bounds.upper[k] = nextafter(bounds.upper[k], INFINITY);
            }
        }
        c = (scree_container){.box = bounds};
    } else if (c.kind != SCREE_CONTAINER_SPHERE) {
        c.box.upper[d->dim - 1] = top;
    }
    made.box = c.box;
    for (int k = 0; k < d->dim; ++k)
        volume *= d->r_max;
    made.density = made.count > 0 ? volume / scree_container_volume(&c) : 0.0;
    scale_box(&made.box, d->unit);
    for (int64_t k = 0; k < (int64_t)made.count * d->dim; ++k)
        made.x[k] = ldexp(made.x[k], d->unit);
    *out = made;
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_packing, scree_pack_drop, (const scree_drop_def* def, int32_t count, const double* r, scree_packing* out), (def, count, r, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    double began = scree_clock();
    scree_status status = check_def(def);
    if (status == SCREE_OK && count < 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "deposition: count = %" PRId32 "; expected 0 or more", count);
    if (status == SCREE_OK && count > 0 && r == NULL)
        status = scree_fail(SCREE_ERR_ARGUMENT, "deposition: r is NULL; expected the radii of %" PRId32 " spheres", count);
    if (status != SCREE_OK)
        return status;
    dropping* d = scree_calloc(1, sizeof *d);
    if (d == NULL)
        return SCREE_ERR_MEMORY;
    d->own = *def;
    d->def = &d->own;
    d->r = r;
    d->count = count;
    d->dim = def->box.dim;
    d->container = (scree_container){.kind = def->container, .box = def->box};
    if (def->container != SCREE_CONTAINER_SPHERE && !def->centre)
        d->container.box.upper[d->dim - 1] = INFINITY;
    d->rng = scree_rng_make(def->seed, 4);
    d->ro = (roller){.h = &d->h, .dim = d->dim, .central = def->centre, .rng = scree_rng_make(def->seed, 5)};
    status = check_radii(d);
    if (status == SCREE_OK && count > 0)
        status = change_unit(d);
    if (status == SCREE_OK && count > 0)
        status = make_heap(d);
    bool stopped = false;
    if (status == SCREE_OK && count > 0) {
        status = drop_all(d);
        stopped = status == SCREE_ERR_CANCELLED;
    }
    if (status == SCREE_OK || stopped) {
        scree_status handed = hand_out(d, out);
        status = handed != SCREE_OK ? handed : status;
    }
    out->seconds = scree_clock() - began;
    if (status != SCREE_OK && !(stopped && status == SCREE_ERR_CANCELLED))
        *out = (scree_packing){0};
    heap_free(&d->h);
    scree_free(d->scaled);
    scree_free(d);
    return status;
}
