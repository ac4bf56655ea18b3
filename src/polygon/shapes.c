// The table of shapes, and shapes by rule. Every rule draws a polygon that is simple by construction; it passes the same check as one from outside all
// the same.
#include "scree/polygon.h"

#include "base/argument.h"
#include "base/array.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

void scree_shapes_free(scree_shapes* shapes)
{
    if (shapes == NULL)
        return;
    scree_free(shapes->first);
    scree_free(shapes->xy);
    *shapes = (scree_shapes){0};
}

scree_polygon scree_shapes_get(const scree_shapes* shapes, int32_t shape)
{
    SCREE_NEED_OR(shapes, (scree_polygon){0});
    int64_t first = shapes->first[shape];
    return (scree_polygon){.count = (int32_t)(shapes->first[shape + 1] - first), .xy = shapes->xy + 2 * first};
}

// Without the check.
static scree_status put(scree_shapes* shapes, scree_polygon polygon, bool turn, int32_t* shape)
{
    int64_t first = shapes->count > 0 ? shapes->first[shapes->count] : 0;
    if (SCREE_RESERVE(shapes->first, shapes->first_capacity, (int64_t)shapes->count + 2) != SCREE_OK ||
        SCREE_RESERVE(shapes->xy, shapes->xy_capacity, 2 * (first + polygon.count)) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < polygon.count; ++i)
        for (int k = 0; k < 2; ++k)
            shapes->xy[2 * (first + i) + k] = polygon.xy[2 * (int64_t)(turn ? polygon.count - 1 - i : i) + k];
    shapes->first[shapes->count] = first;
    shapes->first[shapes->count + 1] = first + polygon.count;
    if (shape != NULL)
        *shape = shapes->count;
    ++shapes->count;
    return SCREE_OK;
}

scree_status scree_shapes_add(scree_shapes* shapes, scree_polygon polygon, int32_t* shape)
{
    SCREE_NEED(shapes);
    scree_polygon_numbers numbers;
    scree_status status = scree_polygon_check(polygon);
    if (status == SCREE_OK)
        status = scree_polygon_measure(polygon, &numbers);
    return status == SCREE_OK ? put(shapes, polygon, numbers.area < 0.0, shape) : status;
}

// ---- Walls along a chain --------------------------------------------------------------------------------------------------

// To the right of the direction from a to b, length 1; false: the two are the same.
static bool right_of(const double* a, const double* b, double out[2])
{
    double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
    out[0] = dy / length;
    out[1] = -dx / length;
    return length > 0.0;
}

scree_status scree_shapes_add_wall(scree_shapes* shapes, int32_t count, const double* xy, double thickness, int32_t* shape)
{
    SCREE_NEED(shapes);
    SCREE_NEED(xy);
    if (count < 2 || xy == NULL || count > INT32_MAX / 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "a wall along %" PRId32 " points; 2 or more were expected", count);
    if (!scree_is_length(thickness) || thickness == 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "a wall of thickness %g; a length other than 0 was expected", thickness);
    double* out = scree_malloc(4 * (size_t)count, sizeof *out);
    if (out == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = SCREE_OK;
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i) {
        const double* p = xy + 2 * (int64_t)i;
        double before[2] = {0.0, 0.0}, after[2] = {0.0, 0.0};
        bool good = (i == 0 || right_of(p - 2, p, before)) && (i == count - 1 || right_of(p, p + 2, after));
        // The mitre: as far along the mean direction as makes it `thickness` from both edges.
        double sum[2] = {before[0] + after[0], before[1] + after[1]}, square = sum[0] * sum[0] + sum[1] * sum[1];
        double reach = thickness * (i == 0 || i == count - 1 ? 1.0 : 2.0 / square);
        if (!good || !(square > 1e-6))
            status = scree_fail(SCREE_ERR_ARGUMENT, "a wall repeats a point or turns back at point %" PRId32 ", %g %g", i, p[0], p[1]);
        for (int k = 0; k < 2; ++k) {
            out[2 * (int64_t)i + k] = p[k];
            out[2 * (2 * (int64_t)count - 1 - i) + k] = p[k] + reach * sum[k];
        }
    }
    if (status == SCREE_OK)
        status = scree_shapes_add(shapes, (scree_polygon){.count = 2 * count, .xy = out}, shape);
    scree_free(out);
    return status;
}

// ---- By rule ---------------------------------------------------------------------------------------------------------------

static const char* const names[SCREE_SHAPE_RULE_COUNT] = {"regular", "convex", "star", "ell", "hook", "chip"};

const char* scree_shape_rule_name(scree_shape_rule rule)
{
    return (int)rule >= 0 && rule < SCREE_SHAPE_RULE_COUNT ? names[rule] : NULL;
}

SCREE_DEFAULTS_OF(scree_shape_def, scree_default_shape_def)
{
    return (scree_shape_def){.struct_size = sizeof(scree_shape_def), .vertices = 8, .radius = 1.0, .roughness = 0.5};
}

static int32_t chip_legs(int32_t vertices)
{
    return (vertices - 4) / 8;
}

static scree_status check_def(const scree_shape_def* def)
{
    static const int32_t least[SCREE_SHAPE_RULE_COUNT] = {3, 3, 4, 0, 0, 12};
    if (def->rule < 0 || def->rule >= SCREE_SHAPE_RULE_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "shape: rule = %d; expected 0 to %d", (int)def->rule, SCREE_SHAPE_RULE_COUNT - 1);
    if (def->vertices < least[def->rule] || def->vertices > 10000000)
        return scree_fail(SCREE_ERR_ARGUMENT, "shape: %s with %" PRId32 " vertices; %" PRId32 " to 10000000 were expected", names[def->rule],
                          def->vertices, least[def->rule]);
    if (!(def->radius > 0.0) || !scree_is_length(def->radius))
        return scree_fail(SCREE_ERR_ARGUMENT, "shape: radius = %g; expected a length above 0", def->radius);
    if (!(def->roughness >= 0.0 && def->roughness < 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "shape: roughness = %g; expected 0 to below 1", def->roughness);
    return SCREE_OK;
}

// Points about the origin at rising angles: on a circle, an ellipse (both convex), or anywhere (a star).
static void draw_round(const scree_shape_def* def, int32_t n, double* xy)
{
    scree_rng rng = scree_rng_make(def->seed, 41);
    double flat = def->rule == SCREE_SHAPE_CONVEX ? 1.0 - def->roughness * scree_rng_uniform(&rng) : 1.0, tilt = 0.0;
    if (def->rule != SCREE_SHAPE_REGULAR)
        tilt = 2.0 * pi * scree_rng_uniform(&rng);
    for (int32_t i = 0; i < n; ++i) {
        double jitter = def->rule == SCREE_SHAPE_REGULAR ? 0.0 : 0.6 * scree_rng_uniform(&rng);
        double angle = 2.0 * pi * (i + jitter) / n, r = def->rule == SCREE_SHAPE_STAR ? 1.0 - def->roughness * scree_rng_uniform(&rng) : 1.0;
        double x = r * cos(angle), y = flat * r * sin(angle);
        xy[2 * (int64_t)i] = x * cos(tilt) - y * sin(tilt);
        xy[2 * (int64_t)i + 1] = x * sin(tilt) + y * cos(tilt);
    }
}

static void draw_cut(const scree_shape_def* def, double* xy)
{
    scree_rng rng = scree_rng_make(def->seed, 42);
    double t = 0.05 + 0.35 * (1.0 - def->roughness), w = 0.8 + 0.2 * scree_rng_uniform(&rng), h = 0.8 + 0.2 * scree_rng_uniform(&rng);
    double s = t + (h - t) * (0.5 + 0.3 * scree_rng_uniform(&rng));  // the hook's shorter arm
    const double ell[] = {0.0, 0.0, w, 0.0, w, t, t, t, t, h, 0.0, h};
    const double hook[] = {0.0, 0.0, w, 0.0, w, s, w - t, s, w - t, t, t, t, t, h, 0.0, h};
    const double* from = def->rule == SCREE_SHAPE_ELL ? ell : hook;
    for (int32_t e = 0; e < (def->rule == SCREE_SHAPE_ELL ? 12 : 16); ++e)
        xy[e] = from[e];
}

// Legs of the width of a gap and thinner with roughness, first below from left to right, then above from right to left.
static void draw_chip(const scree_shape_def* def, double* xy)
{
    int32_t legs = chip_legs(def->vertices), at = 0;
    double pitch = 1.0 / legs, half = 0.25 * pitch * (1.0 - 0.8 * def->roughness), body = 0.25, foot = 0.4;
    for (int side = -1; side <= 1; side += 2) {
        xy[at++] = side * 0.5;
        xy[at++] = side * body;
        for (int32_t l = 0; l < legs; ++l) {
            double middle = -side * ((l + 0.5) * pitch - 0.5);
            const double leg[] = {middle + side * half, side * body, middle + side * half, side * foot,
                                  middle - side * half, side * foot, middle - side * half, side * body};
            for (int e = 0; e < 8; ++e)
                xy[at++] = leg[e];
        }
        xy[at++] = -side * 0.5;
        xy[at++] = side * body;
    }
}

scree_status scree_shapes_add_rule(scree_shapes* shapes, const scree_shape_def* given, int32_t* shape)
{
    SCREE_NEED(shapes);
    SCREE_NEED_AS(given, "def");
    scree_shape_def def = scree_default_shape_def();
    scree_status status = scree_check_struct_size("shape", "scree_default_shape_def", given->struct_size, sizeof def, sizeof def);
    if (status != SCREE_OK)
        return status;
    def = *given;
    status = check_def(&def);
    if (status != SCREE_OK)
        return status;
    int32_t n = def.rule == SCREE_SHAPE_ELL ? 6 : def.rule == SCREE_SHAPE_HOOK ? 8 : def.rule == SCREE_SHAPE_CHIP ? 4 + 8 * chip_legs(def.vertices)
                                                                                                                  : def.vertices;
    double* xy = scree_malloc(2 * (size_t)n, sizeof *xy);
    if (xy == NULL)
        return SCREE_ERR_MEMORY;
    if (def.rule <= SCREE_SHAPE_STAR)
        draw_round(&def, n, xy);
    else if (def.rule == SCREE_SHAPE_CHIP)
        draw_chip(&def, xy);
    else
        draw_cut(&def, xy);
    scree_polygon polygon = {.count = n, .xy = xy};
    scree_polygon_numbers numbers;
    status = scree_polygon_measure(polygon, &numbers);
    for (int64_t e = 0; e < 2 * (int64_t)n && status == SCREE_OK; ++e)
        xy[e] = (xy[e] - numbers.centre[e % 2]) * (def.radius / numbers.radius);
    if (status == SCREE_OK)
        status = scree_shapes_add(shapes, polygon, shape);
    scree_free(xy);
    return status;
}
