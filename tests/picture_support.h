// Small sets, their pictures, and pixels.
#ifndef SCREE_TESTS_PICTURE_SUPPORT_H
#define SCREE_TESTS_PICTURE_SUPPORT_H

#include "file_support.h"

#include "files/output.h"
#include "picture/picture.h"
#include "scenes.h"

#include <errno.h>
#include <inttypes.h>
#include <png.h>
#include <unistd.h>

#define PI 3.14159265358979323846
#define MARGIN 0.04  // that the scene keeps to the picture's sides

// ---- Small sets and pictures -------------------------------------------------------------------------------------

static inline scree_sphere_set make_set(int32_t dim, int32_t count, const double* x, const double* r)
{
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(dim, count, &set));
    for (int32_t k = 0; k < count * dim; ++k)
        set.x[k] = x[k];
    for (int32_t k = 0; k < count; ++k)
        set.r[k] = r[k];
    return set;
}

static inline void add_values(scree_sphere_set* set, const char* name, const double* values)
{
    scree_column* column;
    CHECK_OK(scree_sphere_set_add(set, name, SCREE_COLUMN_DOUBLE, 1, &column));
    memcpy(column->values, values, (size_t)set->count * sizeof *values);
}

// Orthographic from +z, spheres alone, transparent: what is left can be computed by hand.
static inline scree_picture_def bare(int32_t side)
{
    scree_picture_def def = scree_default_picture_def();
    def.width = def.height = side;
    def.eye[2] = 1.0;
    def.perspective = 0.0;
    def.box = false;
    def.bar = false;
    def.background = SCREE_BACKGROUND_NONE;
    return def;
}

static inline uint8_t* render(const scree_sphere_set* set, const scree_picture_def* def)
{
    uint8_t* rgba = malloc((size_t)def->width * (size_t)def->height * 4);
    assert_non_null(rgba);
    CHECK_OK(scree_picture_render(set, def, rgba));
    return rgba;
}

static inline const uint8_t* pixel(const uint8_t* rgba, const scree_picture_def* def, double x, double y)
{
    return &rgba[4 * ((int64_t)y * def->width + (int64_t)x)];
}

static inline double area(const uint8_t* rgba, const scree_picture_def* def)  // in pixels
{
    double sum = 0.0;
    for (int64_t k = 0; k < (int64_t)def->width * def->height; ++k)
        sum += rgba[4 * k + 3] / 255.0;
    return sum;
}

static inline void to_oklab(const uint8_t rgb[3], double lab[3])
{
    double c[3];
    for (int k = 0; k < 3; ++k)
        c[k] = scree_srgb_linear(rgb[k] / 255.0);
    double l = cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
    double m = cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
    double s = cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

// Which end of the dusk map a pixel is nearer to in hue: 0 violet, 1 yellow.
static inline int end_of_map(const uint8_t* p)
{
    double lab[3];
    to_oklab(p, lab);
    return lab[2] > 0.0;
}

#endif
