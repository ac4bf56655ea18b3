// Hierarchical packing: the density of recipes whose sizes span many decades, from packings of a few decades each.
//
//     classes, coarse to fine      1   2   3   4   5   6        each at most `class_ratio` wide
//     windows, from the last one              [4   5   6]       packed directly
//                                         [3   4  (5)]          (5) represents 5 and 6
//                                     [2   3  (4)]              (4) represents 4, 5 and 6; ...
//
// A recipe from 0.1 micrometres to 32 mm has about 1e16 of the smallest spheres for one of the largest. But a fine sphere interacts only with others of about its size and with the almost flat surfaces
// of coarse ones, and for a coarse sphere a fine mixture is almost an incompressible liquid. A window therefore contains
// `window` adjacent classes as spheres, and everything finer is replaced by spheres of the finest class of the window, the substitute. It is calibrated by the previous window: when the volume of
// classes k and finer is known, from the window k .. k+2, the substitute (k+1) is such that the narrower window k, (k+1) has this volume, too (secant method).
//
//     by amount     more or fewer spheres of class k+1. They fill coarse pores worse than a mixture does, which fewer of them make up for
//     by size       as much as fills the bulk volume of the mixture, but smaller: layers at coarse surfaces are as thick as the spheres
//
// It is used beside classes k-1 and k, so it is calibrated beside as much coarse material as that: class k with the volume of both. (Calibrated beside class k as it is, both substitutes were wrong in the
// mixture that is richer in coarse spheres: fuller:1:31.6 in classes of 1.6 had 0.756 instead of 0.80.) The two substitutes have opposite faults; the
// volume is the mean of the two windows, and half of their difference is the error of the model, together with a fifth of what the substitute corrects: they may agree by chance.
//
// From the finest class up: the last window is packed directly; each coarser one gives V_k and the density D_k = S_k / V_k of class k and all finer ones, where S_k is their solid volume. D_1 is the
// density of the recipe. The model does not assume whether coarse spheres touch with loose fine ones in between, or are separated by a fine mixture: that
// follows from the packing of each window.
//
// Exact: recipes of up to `window` classes (an ordinary packing). Model: substitutes. With `window` 2 there is nothing to calibrate them with: the volume lies between that with spheres of the
// finest class and that with infinitely small ones.
//
// If there is a wide gap between two classes, the window would need too many spheres: the fine class is then packed with sizes enlarged to the ratios `reach` and reach/2,
// and the volume is extrapolated to the true ratio (`extrapolate`). Furnas' law is only the least volume that this may give.
//
// Errors: each packing is repeated `repeats` times from other random starts; standard errors of the means are propagated. The errors of the model are independent from level to level as far
// as full packings tell, and are added as squares, too.
#include "base/argument.h"
#include "base/clock.h"
#include "pack/place.h"
#include "scree/index.h"
#include "scree/sizes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    knots = 33,          // of the size curve of a class, before jumps are looked into
    most_rows = 4000,
    most_classes = 400,
    coarse_least = 12,   // spheres of the coarsest class in a window
    coarse_enough = 60,  // the same where they touch and carry the others
    most_spheres = 5000000
};

static const double nothing = 1e-9;   // share of the recipe: a class with less is left out
static const double least_size = 0.6, most_size = 1.5;  // of a substitute, of the radii of its class. Smaller ones are many: at 0.3 a recipe for concrete takes five times as long, for the same error
static const double doubt = 0.2;      // of what a substitute or an extrapolation corrects: then the full packings of `scree bench hierarchical` lie within the error
static const double tail = 1e-4;      // of distributions without an end: share of the mass that is cut off

SCREE_DEFAULTS_OF(scree_hierarchy_def, scree_default_hierarchy_def)
{
    return (scree_hierarchy_def){.struct_size = sizeof(scree_hierarchy_def),
                                 .dim = 3,
                                 .class_ratio = 2.0,
                                 .window = 3,
                                 .reach = 20.0,
                                 .spheres = 5000,
                                 .repeats = 3,
                                 .method = SCREE_METHOD_HIERARCHICAL_GRID,
                                 .seed = 1};
}

typedef struct size_class {
    scree_sizes* sizes;
    double r_min, r_max;
    double share;      // of the solid volume
    double mean;       // volume of a sphere
    double alone;      // density by itself
    bool calibrated;
    double amount;     // its solid volume that represents it and all finer ones, by itself: more or fewer spheres
    double size;       // the same by size: of the bulk volume, with radii multiplied by this
    double calibrated_error;  // of the volume that results
    double corrected;  // volume that the substitutes have less than the plain class would
} size_class;

typedef struct ladder {
    const scree_hierarchy_def* def;
    const scree_sizes* sizes;
    size_class* classes;  // coarse first
    int32_t count;
    int64_t packings, done;
    double squares, freedom;  // relative deviations of densities from the mean of their window, squared and summed; how many of them are independent
    scree_watch watch;
} ladder;

// ---- Classes -------------------------------------------------------------------------------------------------------

// The radius below which this share of the mass is.
static double mass_quantile(const scree_sizes* sizes, double share)
{
    double low = log(1e-60), high = log(1e60), middle = scree_sizes_quantile(sizes, 0.5);
    low = log(middle) - 140.0;
    high = log(middle) + 140.0;
    for (int k = 0; k < 200; ++k) {
        double at = 0.5 * (low + high);
        if (scree_sizes_cdf_mass(sizes, exp(at)) < share)
            low = at;
        else
            high = at;
    }
    return exp(high);
}

typedef struct curve {
    double r[most_rows], below[most_rows];
    int rows;
} curve;

// The size curve from the last row to (r, below), halved where it jumps.
static void add_rows(const scree_sizes* sizes, curve* c, double r, double below, double whole, int depth)
{
    double last = c->r[c->rows - 1], jump = below - c->below[c->rows - 1];
    if (depth > 0 && jump > 0.05 * whole && r > last * (1.0 + 1e-7) && c->rows < most_rows - 64) {
        double middle = sqrt(last * r);
        add_rows(sizes, c, middle, scree_sizes_cdf_mass(sizes, middle), whole, depth - 1);
        add_rows(sizes, c, r, below, whole, depth - 1);
        return;
    }
    c->r[c->rows] = r;
    c->below[c->rows++] = below;
}

// Sizes above a, up to b; the lowest class holds a, too.
static scree_status make_class(ladder* h, curve* c, double a, double b, bool lowest, bool highest)
{
    double from = lowest ? 0.0 : scree_sizes_cdf_mass(h->sizes, a), to = highest ? 1.0 : scree_sizes_cdf_mass(h->sizes, b), whole = to - from;
    if (!(whole > nothing))
        return SCREE_OK;
    c->rows = 0;
    c->r[c->rows] = lowest ? a * (1.0 - 1e-7) : a;
    c->below[c->rows++] = from;
    for (int k = lowest ? 0 : 1; k < knots; ++k) {
        double r = k == knots - 1 ? b : a * pow(b / a, (double)k / (knots - 1));
        add_rows(h->sizes, c, r, k == knots - 1 ? to : scree_sizes_cdf_mass(h->sizes, r), whole, 40);
    }
    int first = 0, last = c->rows - 1;
    while (first < last - 1 && c->below[first + 1] - from <= 1e-12 * whole)
        ++first;
    while (last > first + 1 && to - c->below[last - 1] <= 1e-12 * whole)
        --last;
    for (int k = first; k <= last; ++k) {
        c->r[k] *= 2.0;
        c->below[k] = k == first ? 0.0 : k == last ? 1.0 : fmin((c->below[k] - from) / whole, 1.0);
    }
    size_class* made = &h->classes[h->count];
    *made = (size_class){.r_min = 0.5 * c->r[first], .r_max = 0.5 * c->r[last], .share = whole};
    scree_status status = scree_sizes_table(SCREE_TABLE_PASSING_MASS, h->def->dim, last - first + 1, c->r + first, c->below + first, &made->sizes);
    if (status != SCREE_OK)
        return status;
    made->mean = placing_ball(h->def->dim, 1.0) * scree_sizes_moment(made->sizes, h->def->dim);
    ++h->count;
    return SCREE_OK;
}

static scree_status make_classes(ladder* h)
{
    double r_min = scree_sizes_get_min(h->sizes), r_max = scree_sizes_get_max(h->sizes);
    r_min = r_min > 0.0 ? r_min : mass_quantile(h->sizes, tail);
    r_max = r_max < INFINITY ? r_max : mass_quantile(h->sizes, 1.0 - tail);
    double wanted = ceil(log(r_max / r_min) / log(h->def->class_ratio) - 1e-3);
    if (wanted > most_classes)
        return scree_fail(SCREE_ERR_ARGUMENT, "hierarchical packing: a size ratio of %g takes %.0f classes of ratio %g; expected at most %d", r_max / r_min, wanted,
                          h->def->class_ratio, (int)most_classes);
    int32_t m = wanted < 1.0 ? 1 : (int32_t)wanted;
    h->classes = scree_calloc((size_t)m, sizeof *h->classes);
    curve* c = scree_malloc(1, sizeof *c);
    scree_status status = h->classes == NULL || c == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t k = m; k >= 1 && status == SCREE_OK; --k) {
        double a = k == 1 ? r_min : r_min * pow(r_max / r_min, (double)(k - 1) / m), b = k == m ? r_max : r_min * pow(r_max / r_min, (double)k / m);
        status = make_class(h, c, a, b, k == 1, k == m);
    }
    scree_free(c);
    return status;
}

// ---- Packings ------------------------------------------------------------------------------------------------------

static bool tick(void* context, double done)
{
    ladder* h = context;
    return h->watch.tick(h->watch.context, ((double)h->done + done) / (double)h->packings);
}

typedef struct part {  // of a window
    const size_class* of;
    double solid;      // volume, in units of the recipe
    double size;       // factor of the radii
} part;

// How many of each, and their radii. `set` gets radii only.
static scree_status draw_window(const ladder* h, const part* parts, int count, uint64_t seed, scree_sphere_set* set)
{
    double each[64], all = 0.0, solids = 0.0, least, scale;
    for (int k = 0; k < count; ++k) {
        solids += parts[k].solid;
        each[k] = parts[k].solid / (parts[k].of->mean * pow(parts[k].size, h->def->dim));
        all += each[k];
    }
    scale = h->def->spheres / all;
    // Few coarse spheres with a small share of the volume do little, so they need not be many. Where they have most of it, they touch, and few of them in a periodic box pack worse.
    double share = parts[0].solid / solids, enough = fmin(fmax(h->def->spheres / 40.0, coarse_least), coarse_enough);
    double wanted = coarse_least + (enough - coarse_least) * fmin(fmax((share - 0.4) / 0.3, 0.0), 1.0);
    least = count > 1 ? fmin(fmax(wanted * 4.0 * share, 1.0), wanted) / each[0] : 0.0;
    scale = fmax(scale, least);
    if (!(all * scale <= most_spheres))
        return scree_fail(SCREE_ERR_ARGUMENT, "hierarchical packing: a window from radius %g to %g would need %.3g spheres for %d of its coarsest; expected fewer or narrower classes",
                          parts[count - 1].of->r_min, parts[0].of->r_max, all * scale, (int)round(each[0] * scale));
    int32_t n[64], sum = 0;
    for (int k = 0; k < count; ++k) {
        n[k] = (int32_t)fmax(round(each[k] * scale), 1.0);
        sum += n[k];
    }
    scree_status status = scree_sphere_set_make(h->def->dim, sum, set);
    int32_t at = 0;
    for (int k = 0; k < count && status == SCREE_OK; ++k) {
        status = scree_sizes_draw(parts[k].of->sizes, SCREE_SAMPLING_SHIFTED, seed + (uint64_t)k, n[k], set->r + at);
        // Rounding and few spheres change the volume of a class: all of it is made right by the size of its spheres.
        double solid = 0.0;
        for (int32_t i = at; i < at + n[k]; ++i)
            solid += placing_ball(h->def->dim, set->r[i]);
        double by = pow(parts[k].solid * scale / (solid * pow(parts[k].size, h->def->dim)), 1.0 / h->def->dim) * parts[k].size;
        for (int32_t i = at; i < at + n[k]; ++i)
            set->r[i] *= by;
        at += n[k];
    }
    return status;
}

typedef struct measured {
    double density, error;  // mean, and standard error of the mean
    int32_t spheres, coarse;
} measured;

static scree_status pack_window(ladder* h, const part* parts, int count, uint64_t seed, measured* out, scree_sphere_set* sample)
{
    double sum = 0.0, squares = 0.0;
    for (int32_t again = 0; again < h->def->repeats; ++again) {
        scree_sphere_set set = {0};
        scree_packing packed = {0};
        scree_rearrange_def def = scree_default_rearrange_def();
        def.box = scree_box_sized(h->def->dim, (double[3]){1.0, 1.0, 1.0});
        for (int k = 0; k < h->def->dim; ++k)
            def.box.periodic[k] = true;
        def.method = h->def->method;
        def.threads = h->def->threads;
        def.seed = seed + (uint64_t)again * 1000;
        if (h->watch.tick != NULL)
            def.watch = (scree_watch){.tick = tick, .context = h};
        scree_status status = draw_window(h, parts, count, def.seed, &set);
        if (status == SCREE_OK)
            status = scree_pack_rearrange(&def, set.count, set.r, &packed);
        if (status == SCREE_OK) {
            sum += packed.density;
            squares += packed.density * packed.density;
            out->spheres = (int32_t)set.count;
            ++h->done;
            if (again == 0 && sample != NULL) {
                memcpy(set.x, packed.x, (size_t)set.count * (size_t)set.dim * sizeof *set.x);
                set.box = packed.box;
                set.has_box = true;
                *sample = set;
                set = (scree_sphere_set){0};
            }
        }
        scree_packing_free(&packed);
        scree_sphere_set_free(&set);
        if (status != SCREE_OK)
            return status;
    }
    // The deviation of two or three densities is sometimes small by chance: it is at least that of all windows so far.
    double n = h->def->repeats, variance;
    out->density = sum / n;
    variance = fmax(squares / n - out->density * out->density, 0.0) * n;
    h->squares += variance / (out->density * out->density);
    h->freedom += n - 1.0;
    out->error = n > 1.0 ? sqrt(fmax(variance / (n - 1.0), h->squares / h->freedom * out->density * out->density) / n) : NAN;
    return SCREE_OK;
}

// ---- Levels --------------------------------------------------------------------------------------------------------

static double finer_share(const ladder* h, int32_t from)
{
    double sum = 0.0;
    for (int32_t k = from; k < h->count; ++k)
        sum += h->classes[k].share;
    return sum;
}

static bool wide_gap(const ladder* h, int32_t k)  // between class k and the next finer one
{
    return h->classes[k].r_min > 2.0 * h->classes[k + 1].r_max;
}

// Solid volume of class p that takes up as much room as it and all finer ones do in bulk.
static double bulk_substitute(const ladder* h, int32_t p, const scree_hierarchy_level* levels)
{
    return p == h->count - 1 ? h->classes[p].share : h->classes[p].alone * finer_share(h, p) / levels[p].density;
}

typedef struct volume {
    double value, error;    // in units of the solid volume of the recipe; from the repeats
    double model;           // error of the model
    double density;
    int32_t spheres;
} volume;

// Solid volume of classes from .. last - 1.
static double coarse_share(const ladder* h, int32_t from, int32_t last)
{
    double sum = 0.0;
    for (int32_t j = from; j < last; ++j)
        sum += h->classes[j].share;
    return sum;
}

// Classes from .. last, of the last one the solid volume `substitute`, with radii multiplied by `size`; of those up to `middle` - 1 the solid volume times `rich`.
static scree_status window_volume(ladder* h, int32_t from, int32_t middle, double rich, int32_t last, double substitute, double size, uint64_t seed, volume* out, scree_sphere_set* sample)
{
    part parts[64];
    measured m = {0};
    double solid = substitute + (rich - 1.0) * coarse_share(h, from, middle) + coarse_share(h, from, last);
    for (int32_t j = from; j < last; ++j)
        parts[j - from] = (part){.of = &h->classes[j], .solid = h->classes[j].share * (j < middle ? rich : 1.0), .size = 1.0};
    parts[last - from] = (part){.of = &h->classes[last], .solid = substitute, .size = size};
    scree_status status = pack_window(h, parts, last - from + 1, h->def->seed + seed, &m, sample);
    *out = (volume){.value = solid / m.density, .error = solid / m.density * (m.error / m.density), .density = m.density, .spheres = m.spheres};
    return status;
}

// The value at which a volume that is `a` at `from` and `b` at `to` is `wanted`, within limits; `to` where it hardly changes in between.
static double secant(double from, double a, double to, double b, double wanted, double least, double most)
{
    double slope = (b - a) / (to - from);
    return to != from && slope > 0.0 ? fmin(fmax(to + (wanted - b) / slope, least), most) : to;
}

// Substitutes of class p for it and all finer ones, beside coarse ones with `rich` times the volume: such that the narrow window of k .. p has the volume of the whole. One by the
// amount of its spheres, one by their size.
static scree_status calibrate(ladder* h, int32_t k, int32_t p, double rich, const volume* whole, const scree_hierarchy_level* levels)
{
    size_class* of = &h->classes[p];
    const double bulk = bulk_substitute(h, p, levels), room = bulk / of->alone, limit = fmax(rich * h->classes[k].share / h->classes[k].alone, rich * coarse_share(h, k, p) + room);
    volume plain, other;
    uint64_t seed = 17 * (uint64_t)k;
    scree_status status = window_volume(h, k, p, rich, p, bulk, 1.0, seed + 500000, &plain, NULL);
    if (status != SCREE_OK)
        return status;
    const double less = 0.3 * bulk, more = 2.0 * bulk;
    double amount = fmin(fmax(bulk + (whole->value - plain.value) * of->alone, less), more);
    if (fabs(amount / bulk - 1.0) > 2e-3) {
        status = window_volume(h, k, p, rich, p, amount, 1.0, seed + 700000, &other, NULL);
        if (status != SCREE_OK)
            return status;
        // Where the volume hardly depends on the amount, the room in bulk decides.
        if ((other.value - plain.value) / (amount - bulk) * of->alone > 0.1)
            amount = secant(bulk, plain.value, amount, other.value, whole->value, less, more);
        else
            amount = bulk;
    }
    // Layers at coarse surfaces are as thick as the fine spheres.
    double size = plain.value > limit ? fmin(fmax((whole->value - limit) / (plain.value - limit), least_size), most_size) : 1.0;
    if (fabs(size - 1.0) > 1e-2) {
        status = window_volume(h, k, p, rich, p, bulk, size, seed + 900000, &other, NULL);
        if (status != SCREE_OK)
            return status;
        size = secant(1.0, plain.value, size, other.value, whole->value, least_size, most_size);
    }
    of->calibrated = true;
    of->amount = amount;
    of->size = size;
    of->calibrated_error = hypot(whole->error, plain.error);
    of->corrected = fabs(plain.value - whole->value);
    return SCREE_OK;
}

// A fine class behind a gap, at the true ratio of sizes: packed with larger spheres, of half the ratio `widest` and of the whole, and extrapolated. Layers at coarse surfaces are as thick as the fine
// spheres, so the volume approaches that of infinitely fine ones as 1 / ratio; where coarse spheres touch and fine ones fill their pores, more slowly, as 1 / sqrt(ratio). The truth is in between, and not
// below Furnas' law.
static scree_status extrapolate(ladder* h, int32_t k, int32_t last, double substitute, double ratio, double widest, volume* out, scree_sphere_set* sample)
{
    volume half, full;
    const double size = ratio / widest, left = widest / ratio;
    scree_status status = window_volume(h, k, k, 1.0, last, substitute, 2.0 * size, 17 * (uint64_t)k + 300007, &half, NULL);
    if (status == SCREE_OK)
        status = window_volume(h, k, k, 1.0, last, substitute, size, 17 * (uint64_t)k + 7, &full, sample);
    if (status != SCREE_OK)
        return status;
    const double fall = fmax(half.value - full.value, 0.0), limit = fmax(h->classes[k].share / h->classes[k].alone, coarse_share(h, k, last) + substitute / h->classes[last].alone);
    double layers = full.value - fall * (1.0 - left), pores = fmax(full.value - fall * (1.0 - sqrt(left)) / (sqrt(2.0) - 1.0), fmin(limit, layers)), beyond = 1.0 - left;
    *out = full;
    out->value = 0.5 * (layers + pores);
    out->error = hypot((1.0 + beyond) * full.error, beyond * half.error);
    out->model = hypot(0.5 * (layers - pores), doubt * (full.value - out->value));
    return SCREE_OK;
}

// The window k .. last, in which the last class represents all finer ones.
static scree_status modelled(ladder* h, int32_t k, int32_t middle, double rich, int32_t last, double bulk, uint64_t seed, volume* out, scree_sphere_set* sample)
{
    const size_class* finest = &h->classes[last];
    volume a, b;
    if (last == h->count - 1)
        return window_volume(h, k, middle, rich, last, finest->share, 1.0, seed, out, sample);
    scree_status status = window_volume(h, k, middle, rich, last, finest->calibrated ? finest->amount : finest->alone * bulk, 1.0, seed, &a, sample);
    if (status == SCREE_OK && finest->calibrated)
        status = window_volume(h, k, middle, rich, last, finest->alone * bulk, finest->size, seed + 300000, &b, NULL);
    if (status != SCREE_OK)
        return status;
    if (!finest->calibrated) {  // infinitely fine spheres would have this volume
        b = a;
        b.value = fmin(a.value, fmax(h->classes[k].share / h->classes[k].alone, coarse_share(h, k, last) + bulk));
    }
    *out = a;
    out->value = 0.5 * (a.value + b.value);
    out->error = 0.5 * hypot(a.error, b.error);
    out->model = hypot(0.5 * (a.value - b.value), doubt * finest->corrected);
    return SCREE_OK;
}

static scree_status pack_level(ladder* h, int32_t k, scree_hierarchy_level* levels)
{
    size_class* own = &h->classes[k];
    scree_hierarchy_level* level = &levels[k];
    level->radius_min = own->r_min;
    level->radius_max = own->r_max;
    level->share = own->share;
    level->enlarged = 1.0;
    bool only = k == h->count - 1;
    volume alone, window;
    scree_status status = window_volume(h, k, k, 1.0, k, own->share, 1.0, 17 * (uint64_t)k, &alone, only ? &level->sample : NULL);
    if (status != SCREE_OK)
        return status;
    level->alone = own->alone = own->share / alone.value;
    level->alone_error = own->alone * alone.error / alone.value;
    level->classes = 1;
    if (only) {
        level->density = level->window_density = own->alone;
        level->error = level->error_statistical = level->alone_error;
        level->spheres = alone.spheres;
        return SCREE_OK;
    }
    // Neighbouring classes, and no farther than the first one beyond a wide gap.
    int32_t last = k + 1;
    while (last < h->count - 1 && last - k + 1 < h->def->window && !wide_gap(h, last - 1))
        ++last;
    size_class* finest = &h->classes[last];
    bool whole = last == h->count - 1;
    double bulk = finer_share(h, last) / levels[last].density;
    double ratio = own->r_max / finest->r_min, widest = fmax(h->def->reach, pow(h->def->class_ratio, last - k + 1) * (1.0 + 1e-9));
    if (wide_gap(h, last - 1) && ratio > widest * (1.0 + 1e-3)) {
        level->enlarged = ratio / widest;
        status = extrapolate(h, k, last, finest->alone * bulk, ratio, widest, &window, &level->sample);
    } else {
        status = modelled(h, k, k, 1.0, last, bulk, 17 * (uint64_t)k + 7, &window, &level->sample);
    }
    if (status != SCREE_OK)
        return status;
    if (!whole) {  // volumes of the finer ones are part of this one
        window.error = hypot(window.error, finest->calibrated ? finest->calibrated_error : bulk * levels[last].error_statistical / levels[last].density);
        window.model = hypot(window.model, finer_share(h, k + 1) / levels[k + 1].density * levels[k + 1].error_model / levels[k + 1].density);
    }
    level->window_density = window.density;
    level->density = finer_share(h, k) / window.value;
    level->error_statistical = level->density * window.error / window.value;
    level->error_model = level->density * window.model / window.value;
    level->error = hypot(level->error_statistical, level->error_model);
    level->spheres = window.spheres;
    level->classes = last - k + 1;
    // For the next coarser window, whose finest class is p.
    int32_t p = k + h->def->window - 2;
    bool close = k > 0 && p > k && p < h->count - 1;
    for (int32_t j = k; close && j < p; ++j)
        close = !wide_gap(h, j);
    if (!close)
        return SCREE_OK;
    // There it has class k - 1 beside it, too: it is calibrated beside as much.
    double rich = 1.0 + h->classes[k - 1].share / coarse_share(h, k, p);
    volume richer;
    status = modelled(h, k, p, rich, last, bulk, 17 * (uint64_t)k + 107, &richer, NULL);
    return status == SCREE_OK ? calibrate(h, k, p, rich, &richer, levels) : status;
}

// ---- The call ------------------------------------------------------------------------------------------------------

static scree_status check_def(const scree_hierarchy_def* def)
{
    static const char what[] = "hierarchical packing";
    scree_status status = scree_check_struct_size(what, "scree_default_hierarchy_def", def->struct_size, sizeof *def, sizeof *def);
    const placing_number numbers[] = {{"class_ratio", def->class_ratio, 1.1, 100.0}, {"window", def->window, 2, 32},         {"reach", def->reach, 2.0, 200.0},
                                      {"spheres", def->spheres, 50, most_spheres},     {"repeats", def->repeats, 1, 1000}, {"dim", def->dim, 2, 3}};
    return status == SCREE_OK ? placing_check_numbers(what, numbers, sizeof numbers / sizeof *numbers, def->threads) : status;
}

SCREE_RESULT_OF(scree_hierarchy, scree_pack_hierarchy, (const scree_hierarchy_def* def, const scree_sizes* sizes, scree_hierarchy* out), (def, sizes, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    SCREE_NEED(sizes);
    scree_status status = check_def(def);
    if (status != SCREE_OK)
        return status;
    double began = scree_clock();
    ladder h = {.def = def, .sizes = sizes, .watch = def->watch};
    scree_hierarchy made = {0};
    status = make_classes(&h);
    if (status == SCREE_OK) {
        h.packings = (int64_t)def->repeats * (def->window > 2 ? 8 * h.count : 2 * h.count);
        made.levels = scree_calloc((size_t)h.count, sizeof *made.levels);
        made.count = h.count;
        status = made.levels == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    }
    for (int32_t k = h.count - 1; k >= 0 && status == SCREE_OK; --k)
        status = pack_level(&h, k, made.levels);
    for (int32_t k = 0; k < h.count; ++k)
        scree_sizes_destroy(h.classes[k].sizes);
    scree_free(h.classes);
    if (status != SCREE_OK) {
        scree_hierarchy_free(&made);
        return status;
    }
    made.density = made.levels[0].density;
    made.error = made.levels[0].error;
    made.error_statistical = made.levels[0].error_statistical;
    made.error_model = made.levels[0].error_model;
    made.seconds = scree_clock() - began;
    *out = made;
    return SCREE_OK;
}

SCREE_RELEASE_OF(scree_hierarchy, scree_hierarchy_free)
{
    if (given == NULL)
        return;
    for (int32_t k = 0; k < given->count && given->levels != NULL; ++k)
        scree_sphere_set_free(&given->levels[k].sample);
    scree_free(given->levels);
    *given = (scree_hierarchy){0};
}
