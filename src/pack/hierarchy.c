// Hierarchical packing: the density of recipes whose sizes span many decades, from packings of a few decades each.
//
//     classes, coarse to fine      1   2   3   4   5   6        each at most `class_ratio` wide
//     windows, from the last one              [4   5   6]       packed directly
//                                         [3   4  (5)]          (5) represents 5 and 6
//                                     [2   3  (4)]              (4) represents 4, 5 and 6; ...
//
// A recipe from 0.1 micrometres to 32 mm has about 1e16 of the smallest spheres for one of the largest. But a fine sphere interacts only with others of about its size and with the almost flat surfaces
// of coarse ones, and for a coarse sphere a fine mixture is almost an incompressible liquid. A window therefore contains
// `window` adjacent classes as spheres, and everything finer is replaced by more or fewer spheres of the finest class of the window. Their amount follows
// from the previous window: when the volume V_k of classes k and finer is known, from the window k .. k+2, the substitute (k+1) is the amount with which the narrower
// window k, (k+1) also has this volume (secant method). It takes up the space of the mixture and fills corners at coarse surfaces as the mixture does.
//
// From the finest class up: the last window is packed directly; each coarser one gives V_k and the density D_k = S_k / V_k of class k and all finer ones, where S_k is their solid volume. D_1 is the
// density of the recipe. The model does not assume whether coarse spheres touch with loose fine ones in between, or are separated by a fine mixture: that
// follows from the packing of each window.
//
// Exact: recipes of up to `window` classes (an ordinary packing), and classes with infinitely wide gaps between them, where windows give Furnas' law. Model: a substitute that is
// correct beside class k is assumed to be correct beside k and k - 1 together. With `window` 2 the substitute has the same bulk volume, which is too much,
// because a mixture fills corners that its coarsest spheres do not.
//
// If there is a wide gap between two classes, the window would need too many spheres: the fine class is then enlarged until the window has the ratio `reach`, and
// its volume in excess of Furnas' law, max(V of the coarse alone, V of the fine in bulk + solid of the coarse), is divided by the factor of enlargement: layers at
// coarse surfaces are as thick as the diameter of fine spheres.
//
// Errors: each packing is repeated `repeats` times from other random starts; standard errors of the means are propagated. They do not include the error of the model.
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
    most_spheres = 5000000
};

static const double nothing = 1e-9;   // share of the recipe: a class with less is left out
static const double tail = 1e-4;      // of distributions without an end: share of the mass that is cut off

SCREE_DEFAULTS_OF(scree_hierarchy_def, scree_default_hierarchy_def)
{
    return (scree_hierarchy_def){.struct_size = sizeof(scree_hierarchy_def),
                                 .dim = 3,
                                 .class_ratio = 3.1622776601683795,
                                 .window = 3,
                                 .reach = 20.0,
                                 .spheres = 20000,
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
    double substitute, substitute_error;  // its solid volume that represents all finer ones too; 0: the same bulk volume. Error: of the resulting volume
} size_class;

typedef struct ladder {
    const scree_hierarchy_def* def;
    const scree_sizes* sizes;
    size_class* classes;  // coarse first
    int32_t count;
    int64_t packings, done;
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
    double enlarged;
} part;

// How many of each, and their radii. `set` gets radii only.
static scree_status draw_window(const ladder* h, const part* parts, int count, uint64_t seed, scree_sphere_set* set)
{
    double each[64], all = 0.0, solids = 0.0, least, scale;
    for (int k = 0; k < count; ++k) {
        solids += parts[k].solid;
        each[k] = parts[k].solid / (parts[k].of->mean * pow(parts[k].enlarged, h->def->dim));
        all += each[k];
    }
    scale = h->def->spheres / all;
    // Few coarse spheres with a small share of the volume do little, so they need not be many.
    least = count > 1 ? fmin(fmax(coarse_least * 4.0 * parts[0].solid / solids, 1.0), coarse_least) / each[0] : 0.0;
    scale = fmax(scale, least);
    if (!(all * scale <= most_spheres))
        return scree_fail(SCREE_ERR_ARGUMENT, "hierarchical packing: a window from radius %g to %g would need %.3g spheres for %d of its coarsest; expected fewer or narrower classes",
                          parts[count - 1].of->r_min, parts[0].of->r_max, all * scale, (int)coarse_least);
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
        double by = pow(parts[k].solid * scale / (solid * pow(parts[k].enlarged, h->def->dim)), 1.0 / h->def->dim) * parts[k].enlarged;
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
    double n = h->def->repeats;
    out->density = sum / n;
    out->error = n > 1.0 ? sqrt(fmax(squares / n - out->density * out->density, 0.0) / (n - 1.0)) : NAN;
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
    double value, error;    // in units of the solid volume of the recipe
    double density;
    int32_t spheres;
} volume;

// Classes from .. last, of the last one the solid volume `substitute`.
static scree_status window_volume(ladder* h, int32_t from, int32_t last, double substitute, double enlarged, uint64_t seed, volume* out, scree_sphere_set* sample)
{
    part parts[64];
    measured m = {0};
    double solid = substitute;
    for (int32_t j = from; j < last; ++j) {
        parts[j - from] = (part){.of = &h->classes[j], .solid = h->classes[j].share, .enlarged = 1.0};
        solid += h->classes[j].share;
    }
    parts[last - from] = (part){.of = &h->classes[last], .solid = substitute, .enlarged = enlarged};
    scree_status status = pack_window(h, parts, last - from + 1, h->def->seed + seed, &m, sample);
    *out = (volume){.value = solid / m.density, .error = solid / m.density * (m.error / m.density), .density = m.density, .spheres = m.spheres};
    return status;
}

// The solid volume of class p that represents it and all finer ones, beside classes k .. p - 1: such that the narrow window of k .. p has the volume of the whole. Where the
// volume hardly depends on it, the room in bulk decides.
static scree_status calibrate(ladder* h, int32_t k, int32_t p, const volume* whole, const scree_hierarchy_level* levels, size_class* of)
{
    double first = bulk_substitute(h, p, levels), slope = 1.0 / of->alone;
    volume at_first, at_second;
    scree_status status = window_volume(h, k, p, first, 1.0, 17 * (uint64_t)k + 500000, &at_first, NULL);
    if (status != SCREE_OK)
        return status;
    of->substitute = first;
    of->substitute_error = hypot(whole->error, at_first.error);  // of the volume
    double second = fmin(fmax(first + (whole->value - at_first.value) / slope, 0.3 * first), 2.0 * first);
    if (!(fabs(second / first - 1.0) > 2e-3)) {
        h->done += h->def->repeats;
        return SCREE_OK;
    }
    status = window_volume(h, k, p, second, 1.0, 17 * (uint64_t)k + 700000, &at_second, NULL);
    if (status != SCREE_OK)
        return status;
    double secant = (at_second.value - at_first.value) / (second - first);
    if (secant > 0.1 * slope)
        of->substitute = fmin(fmax(first + (whole->value - at_first.value) / secant, 0.3 * first), 2.0 * first);
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
    scree_status status = window_volume(h, k, k, own->share, 1.0, 17 * (uint64_t)k, &alone, only ? &level->sample : NULL);
    if (status != SCREE_OK)
        return status;
    level->alone = own->alone = own->share / alone.value;
    level->alone_error = own->alone * alone.error / alone.value;
    level->classes = 1;
    if (only) {
        level->density = level->window_density = own->alone;
        level->error = level->alone_error;
        level->spheres = alone.spheres;
        return SCREE_OK;
    }
    // Neighbouring classes, and no farther than the first one beyond a wide gap.
    int32_t last = k + 1;
    while (last < h->count - 1 && last - k + 1 < h->def->window && !wide_gap(h, last - 1))
        ++last;
    size_class* finest = &h->classes[last];
    bool gap = wide_gap(h, last - 1), whole = last == h->count - 1;
    double bulk = finer_share(h, last) / levels[last].density, substitute = whole ? finest->share : gap || !(finest->substitute > 0.0) ? finest->alone * bulk : finest->substitute;
    double by_finer = whole ? 0.0 : gap || !(finest->substitute > 0.0) ? bulk * levels[last].error / levels[last].density : finest->substitute_error;
    double ratio = own->r_max / finest->r_min, widest = fmax(h->def->reach, pow(h->def->class_ratio, last - k + 1) * (1.0 + 1e-9));
    double enlarged = gap && ratio > widest ? ratio / widest : 1.0, coarse = 0.0;
    status = window_volume(h, k, last, substitute, enlarged, 17 * (uint64_t)k + 7, &window, &level->sample);
    if (status != SCREE_OK)
        return status;
    for (int32_t j = k; j < last; ++j)
        coarse += h->classes[j].share;
    if (enlarged > 1.0) {  // what layers at coarse surfaces add to Furnas' law shrinks with the fine spheres
        volume skeleton = alone;
        if (last > k + 1)
            status = window_volume(h, k, last - 1, h->classes[last - 1].share, 1.0, 17 * (uint64_t)k + 300000, &skeleton, NULL);
        if (status != SCREE_OK)
            return status;
        double limit = fmax(skeleton.value, coarse + bulk);
        by_finer = hypot(by_finer, skeleton.error);
        window.value = limit + (window.value - limit) / enlarged;
    }
    window.error = hypot(window.error, by_finer);
    level->window_density = window.density;
    level->density = finer_share(h, k) / window.value;
    level->error = level->density * window.error / window.value;
    level->spheres = window.spheres;
    level->classes = last - k + 1;
    level->enlarged = enlarged;
    // For the next coarser window, whose finest class is p.
    int32_t p = k + h->def->window - 2;
    bool close = k > 0 && p > k && p < h->count - 1;
    for (int32_t j = k; close && j < p; ++j)
        close = !wide_gap(h, j);
    return close ? calibrate(h, k, p, &window, levels, &h->classes[p]) : SCREE_OK;
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
        h.packings = (int64_t)def->repeats * (def->window > 2 ? 4 * h.count : 2 * h.count);
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
