// The table of named systems. Most are unkind on purpose: they are what searches trip over.
#include "scenes.h"

#include "scree/pack.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

scene_params scene_default_params(void)
{
    return (scene_params){.dim = 3, .count = 1000, .ratio = 1.0, .seed = 1};
}

scree_status scene_set_cube(scree_sphere_set* set, double density)
{
    if (!(density > 0.0 && density < 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "density %g is not between 0 and 1", density);
    double volume = scree_spheres_volume(scree_sphere_set_view(set));
    double side = volume > 0.0 ? pow(volume / density, 1.0 / set->dim) : 1.0;
    for (int64_t i = 0; i < set->count; ++i)
        if (2.0 * set->r[i] > side)
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "density %g asks for a cube of side %g, and sphere %" PRId64 ", diameter %g, does not fit into it; more "
                              "spheres or a lower density would do",
                              density, side, i, 2.0 * set->r[i]);
    set->has_box = true;
    set->box = scree_box_sized(set->dim, (double[3]){side, side, side});
    return SCREE_OK;
}

// A set with radii drawn from the size distribution of the params in random order, in a cube of about the given filling.
static scree_status begin(const scene_params* params, double filling, scree_sphere_set* out, scree_rng* rng)
{
    char text[64];
    if (params->ratio > 1.0)
        snprintf(text, sizeof text, "uniform-volume:1:%.17g", params->ratio);
    else
        snprintf(text, sizeof text, "mono:1");
    scree_sizes* sizes = NULL;
    scree_sphere_set set = {0};
    scree_status status = scree_sphere_set_make(params->dim, params->count, &set);
    if (status == SCREE_OK)
        status = scree_sizes_parse(text, params->dim, &sizes);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_RANDOM, params->seed, params->count, set.r);
    scree_sizes_destroy(sizes);
    if (status != SCREE_OK) {
        scree_sphere_set_free(&set);
        return status;
    }
    double side = pow(scree_spheres_volume(scree_sphere_set_view(&set)) / filling, 1.0 / params->dim);
    double largest = 0.0;
    for (int32_t i = 0; i < set.count; ++i)
        largest = fmax(largest, set.r[i]);
    side = fmax(fmax(side, 2.0 * largest), 1.0);  // a periodic box must hold its largest sphere
    set.has_box = true;
    set.box = scree_box_sized(params->dim, (double[3]){side, side, side});
    for (int k = 0; k < params->dim; ++k)
        set.box.periodic[k] = params->periodic[k];
    *rng = scree_rng_make(params->seed, 1);
    *out = set;
    return SCREE_OK;
}

static void spread(scree_sphere_set* set, scree_rng* rng)
{
    for (int64_t i = 0; i < set->count; ++i)
        for (int k = 0; k < set->dim; ++k)
            set->x[i * set->dim + k] = set->box.upper[k] * scree_rng_uniform(rng);
}

static scree_status cloud(const scene_params* params, scree_sphere_set* out)
{
    scree_rng rng;
    scree_status status = begin(params, 0.5, out, &rng);
    if (status == SCREE_OK)
        spread(out, &rng);
    return status;
}

static scree_status sparse(const scene_params* params, scree_sphere_set* out)
{
    scree_rng rng;
    scree_status status = begin(params, 0.001, out, &rng);
    if (status == SCREE_OK)
        spread(out, &rng);
    return status;
}

// A box barely larger than the largest sphere.
static scree_status tight(const scene_params* params, scree_sphere_set* out)
{
    scree_rng rng;
    scree_status status = begin(params, 1e3, out, &rng);
    if (status == SCREE_OK)
        spread(out, &rng);
    return status;
}

// Balls of spheres with nothing in between.
static scree_status clusters(const scene_params* params, scree_sphere_set* out)
{
    scree_rng rng;
    scree_status status = begin(params, 0.01, out, &rng);
    if (status != SCREE_OK)
        return status;
    double centre[5][3];
    for (int c = 0; c < 5; ++c)
        for (int k = 0; k < 3; ++k)
            centre[c][k] = 0.1 + 0.8 * scree_rng_uniform(&rng);
    for (int64_t i = 0; i < out->count; ++i) {
        uint64_t c = scree_rng_below(&rng, 5);
        for (int k = 0; k < out->dim; ++k) {
            double u = scree_rng_uniform(&rng) - 0.5;
            out->x[i * out->dim + k] = out->box.upper[k] * (centre[c][k] + 0.8 * u * u * u);
        }
    }
    return SCREE_OK;
}

// Sheets: all spheres on four planes across the last axis.
static scree_status layers(const scene_params* params, scree_sphere_set* out)
{
    scree_rng rng;
    scree_status status = begin(params, 0.3, out, &rng);
    if (status != SCREE_OK)
        return status;
    spread(out, &rng);
    int last = out->dim - 1;
    for (int64_t i = 0; i < out->count; ++i)
        out->x[i * out->dim + last] = out->box.upper[last] * (double)(i % 4) / 4.0;
    return SCREE_OK;
}

// All in one corner of a large box.
static scree_status corner(const scene_params* params, scree_sphere_set* out)
{
    scree_rng rng;
    scree_status status = begin(params, 0.3, out, &rng);
    if (status != SCREE_OK)
        return status;
    spread(out, &rng);
    for (int k = 0; k < out->dim; ++k)
        out->box.upper[k] *= 100.0;
    return SCREE_OK;
}

// The floor of a cubic lattice whose spheres touch to the last bit, and lie on the borders of cells of their diameter.
static scree_status lattice(const scene_params* params, scree_sphere_set* out)
{
    int32_t side = (int32_t)floor(pow((double)params->count, 1.0 / params->dim) + 1e-9);
    int32_t count = params->dim == 2 ? side * side : side * side * side;
    scree_status status = scree_sphere_set_make(params->dim, count, out);
    if (status != SCREE_OK)
        return status;
    for (int32_t i = 0; i < count; ++i) {
        int32_t rest = i;
        out->r[i] = 0.5;
        for (int k = 0; k < params->dim; ++k, rest /= side)
            out->x[(int64_t)i * params->dim + k] = rest % side;
    }
    out->has_box = true;
    double length = side > 1 ? side : 1.0;
    out->box = scree_box_sized(params->dim, (double[3]){length, length, length});
    for (int k = 0; k < params->dim; ++k)
        out->box.periodic[k] = params->periodic[k];
    return SCREE_OK;
}

// Every centre ten times, and every third sphere without extent.
static scree_status heaps(const scene_params* params, scree_sphere_set* out)
{
    scree_rng rng;
    scree_status status = begin(params, 0.3, out, &rng);
    if (status != SCREE_OK)
        return status;
    spread(out, &rng);
    for (int64_t i = 0; i < out->count; ++i) {
        for (int k = 0; k < out->dim; ++k)
            out->x[i * out->dim + k] = out->x[i / 10 * 10 * out->dim + k];
        if (i % 3 == 0)
            out->r[i] = 0.0;
    }
    return SCREE_OK;
}

static scree_status points(const scene_params* params, scree_sphere_set* out)
{
    scree_status status = cloud(params, out);
    if (status == SCREE_OK)
        for (int64_t i = 0; i < out->count; ++i)
            out->r[i] = 0.0;
    return status;
}

// Many small spheres and one as large as half the box.
static scree_status giant(const scene_params* params, scree_sphere_set* out)
{
    scree_status status = cloud(params, out);
    if (status == SCREE_OK && out->count > 0)
        out->r[0] = 0.25 * out->box.upper[0];
    return status;
}

// A dense heap, and one sphere a million times its width away.
static scree_status stray(const scene_params* params, scree_sphere_set* out)
{
    scree_status status = cloud(params, out);
    if (status != SCREE_OK)
        return status;
    for (int k = 0; k < out->dim; ++k) {
        out->box.upper[k] *= 1e6;
        if (out->count > 0)
            out->x[(int64_t)(out->count / 2) * out->dim + k] = 0.9 * out->box.upper[k];
    }
    return status;
}

// A bed: one after the other comes down along the last axis where chance has it, and rests on the first that it meets. Each one
// touches another, or the floor, as nearly as doubles can tell.
static scree_status settled(const scene_params* params, scree_sphere_set* out)
{
    scree_rng rng;
    scree_status status = begin(params, 0.3, out, &rng);
    if (status != SCREE_OK)
        return status;
    spread(out, &rng);
    int dim = out->dim, up = dim - 1;
    double top = out->box.upper[up];
    for (int64_t i = 0; i < out->count; ++i) {
        double height = out->r[i];
        for (int64_t j = 0; j < i; ++j) {
            double reach = out->r[i] + out->r[j], square = reach * reach;
            for (int k = 0; k < up; ++k) {
                double away = out->x[i * dim + k] - out->x[j * dim + k];
                square -= away * away;
            }
            if (square > 0.0)
                height = fmax(height, out->x[j * dim + up] + sqrt(square));
        }
        out->x[i * dim + up] = height;
        top = fmax(top, height + out->r[i]);
    }
    out->box.upper[up] = top;
    return SCREE_OK;
}

// No two overlap.
static scree_status addition(const scene_params* params, scree_sphere_set* out)
{
    scree_rng rng;
    scree_sphere_set set;
    scree_status status = begin(params, 0.3, &set, &rng);
    if (status != SCREE_OK)
        return status;
    status = scene_set_cube(&set, 0.25);
    scree_place_def def = scree_default_place_def();
    def.seed = params->seed;
    memcpy(set.box.periodic, params->periodic, sizeof set.box.periodic);
    def.box = set.box;
    if (status == SCREE_OK)
        status = scree_place_random(&def, set.count, set.r, set.x);
    if (status != SCREE_OK) {
        scree_sphere_set_free(&set);
        return status;
    }
    *out = set;
    return SCREE_OK;
}

const scene scene_table[] = {
    {"cloud", "random centres, half filled, overlapping", cloud},
    {"sparse", "random centres, nearly empty", sparse},
    {"tight", "a box barely larger than the largest sphere", tight},
    {"clusters", "five dense balls of spheres, nothing between", clusters},
    {"layers", "all centres on four planes", layers},
    {"corner", "all in one corner of a large box", corner},
    {"lattice", "equal spheres that touch to the last bit", lattice},
    {"heaps", "equal centres and zero radii", heaps},
    {"points", "zero radii only", points},
    {"giant", "one sphere as large as half the box", giant},
    {"stray", "a dense heap and one sphere a million times its width away", stray},
    {"settled", "a bed of spheres that rest on each other", settled},
    {"addition", "random addition, no overlaps", addition},
};
const int scene_count = sizeof scene_table / sizeof *scene_table;

scree_status scene_make(const char* name, const scene_params* params, scree_sphere_set* out)
{
    for (int s = 0; s < scene_count; ++s)
        if (strcmp(scene_table[s].name, name) == 0)
            return scene_table[s].make(params, out);
    return scree_fail(SCREE_ERR_ARGUMENT, "there is no scene '%s'", name);
}
