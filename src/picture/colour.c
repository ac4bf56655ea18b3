// Numbers to colours. A map is a curve through OKLab (Ottosson 2020), a space in which equal distances look about equally
// different: lightness grows in equal steps from one end to the other, while the hue turns at a constant rate and the
// chroma follows a parabola, brought back into what a screen can show where it must be. So order is seen without looking
// at the bar, also in print without colours and by people who see fewer of them.
#include "picture/picture.h"

#include "base/argument.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Spaces ------------------------------------------------------------------------------------------------------

double scree_srgb_linear(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double scree_srgb_encode(double c)
{
    return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
}

static void oklab_to_linear(double lightness, double a, double b, double rgb[3])
{
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static bool in_gamut(const double rgb[3])
{
    for (int k = 0; k < 3; ++k)
        if (!(rgb[k] >= 0.0 && rgb[k] <= 1.0))
            return false;
    return true;
}

// ---- Maps --------------------------------------------------------------------------------------------------------

typedef struct map {
    const char* name;
    double lightness[2];  // at the two ends
    double hue[2];        // degrees
    double chroma[3];     // at the two ends, and how much the middle lies above them
    double unknown[3];    // lightness, a, b of values that are none
} map;

static const map maps[SCREE_MAP_COUNT] = {
    [SCREE_MAP_DUSK] = {"dusk", {0.36, 0.92}, {302.0, 104.0}, {0.150, 0.170, -0.054}, {0.62, 0.0, 0.0}},
    [SCREE_MAP_EMBER] = {"ember", {0.34, 0.93}, {-62.0, 96.0}, {0.130, 0.095, 0.055}, {0.62, 0.0, 0.0}},
    [SCREE_MAP_GREY] = {"grey", {0.34, 0.93}, {0.0, 0.0}, {0.0, 0.0, 0.0}, {0.62, 0.10, 0.03}},
};

const char* scree_colour_map_name(scree_colour_map number)
{
    return (int)number >= 0 && number < SCREE_MAP_COUNT ? maps[number].name : NULL;
}

static void map_linear(const map* m, double t, double rgb[3])
{
    double lightness = m->lightness[0] + t * (m->lightness[1] - m->lightness[0]);
    double hue = (m->hue[0] + t * (m->hue[1] - m->hue[0])) * (3.14159265358979323846 / 180.0);
    double chroma = m->chroma[0] + t * (m->chroma[1] - m->chroma[0]) + 4.0 * t * (1.0 - t) * m->chroma[2];
    double c = cos(hue), s = sin(hue);
    oklab_to_linear(lightness, chroma * c, chroma * s, rgb);
    double low = 0.0, high = chroma;
    for (int k = 0; k < 40 && !in_gamut(rgb); ++k) {  // the most that fits
        double middle = 0.5 * (low + high);
        double at[3];
        oklab_to_linear(lightness, middle * c, middle * s, at);
        if (in_gamut(at))
            low = middle;
        else
            high = middle;
        if (k == 39)
            oklab_to_linear(lightness, low * c, low * s, rgb);
    }
    for (int k = 0; k < 3; ++k)
        rgb[k] = fmin(fmax(rgb[k], 0.0), 1.0);
}

static void unknown_linear(const map* m, double rgb[3])
{
    oklab_to_linear(m->unknown[0], m->unknown[1], m->unknown[2], rgb);
}

void scree_colour_map_rgb(scree_colour_map number, double t, uint8_t rgb[3])
{
    SCREE_NEED_OR(rgb, );
    double linear[3] = {0.0, 0.0, 0.0};
    if (scree_colour_map_name(number) != NULL) {
        if (isnan(t))
            unknown_linear(&maps[number], linear);
        else
            map_linear(&maps[number], fmin(fmax(t, 0.0), 1.0), linear);
    }
    for (int k = 0; k < 3; ++k)
        rgb[k] = (uint8_t)(scree_srgb_encode(linear[k]) * 255.0 + 0.5);
}

palette scree_palette_of(int32_t background)
{
    if (background == SCREE_BACKGROUND_DARK)
        return (palette){.paper = {18, 20, 24}, .ink = {222, 224, 228}, .line = {126, 130, 138}};
    return (palette){.paper = {255, 255, 255}, .ink = {38, 40, 44}, .line = {104, 108, 116},
                     .transparent = background == SCREE_BACKGROUND_NONE};
}

// ---- Values ------------------------------------------------------------------------------------------------------

typedef struct values {
    const double* numbers;     // one of the two, or x
    const int64_t* integers;
    int32_t components;        // how many numbers belong to a sphere
    int32_t first, last;       // which of them are looked at
} values;

static double value_of(const values* v, int64_t i)
{
    double sum = 0.0;
    for (int32_t k = v->first; k < v->last; ++k) {
        int64_t at = i * v->components + k;
        double one = v->integers != NULL ? (double)v->integers[at] : v->numbers[at];
        if (v->last - v->first == 1)
            return one;
        sum = hypot(sum, one);
    }
    return sum;
}

static scree_status no_column(const scree_sphere_set* set, const char* name)
{
    char known[400] = "radius, x, y";
    size_t used = strlen(known);
    if (set->dim == 3)
        used += (size_t)snprintf(known + used, sizeof known - used, ", z");
    for (int32_t c = 0; c < set->column_count && used < sizeof known - 60; ++c)
        if (set->columns[c].kind != SCREE_COLUMN_TEXT)
            used += (size_t)snprintf(known + used, sizeof known - used, ", %.40s", set->columns[c].name);
    return scree_fail(SCREE_ERR_ARGUMENT, "there is no column '%.60s' to colour by; expected one of %s", name, known);
}

// The vector column and the component that v_x, v_y, v_z or v_0, v_1, ... mean; NULL if there is none.
static const scree_column* find_component(const scree_sphere_set* set, const char* name, int32_t* component)
{
    const char* line = strrchr(name, '_');
    if (line == NULL || line[1] == '\0')
        return NULL;
    const char* axis = line[2] == '\0' ? strchr("xyz", line[1]) : NULL;
    char* end = NULL;
    long number = axis != NULL ? axis - "xyz" : strtol(line + 1, &end, 10);
    if (axis == NULL && (line[1] < '0' || line[1] > '9' || *end != '\0'))
        return NULL;
    for (int32_t c = 0; c < set->column_count; ++c) {
        const scree_column* column = &set->columns[c];
        size_t stem = (size_t)(line - name);
        if (strlen(column->name) == stem && memcmp(column->name, name, stem) == 0 && column->components > 1 &&
            number < column->components) {
            *component = (int32_t)number;
            return column;
        }
    }
    return NULL;
}

// What a name means that is no column's: the speed is the length of the velocity, and what turns has in 2D one component, about z.
static const scree_column* find_meant(const scree_sphere_set* set, const char* name)
{
    char about_z[80];
    const scree_column* column = strcmp(name, "speed") == 0 ? scree_sphere_set_find(set, "velocity") : NULL;
    if (column == NULL && strcmp(name, "speed") == 0)
        column = scree_sphere_set_find(set, "v");
    if (column == NULL && set->dim == 2 && (size_t)snprintf(about_z, sizeof about_z, "%s_z", name) < sizeof about_z)
        column = scree_sphere_set_find(set, about_z);
    return column;
}

static scree_status find_values(const scree_sphere_set* set, const char* name, values* out)
{
    if (strcmp(name, "radius") == 0 || strcmp(name, "r") == 0) {
        *out = (values){.numbers = set->r, .components = 1, .last = 1};
        return SCREE_OK;
    }
    for (int32_t k = 0; k < set->dim; ++k)
        if (name[0] == "xyz"[k] && name[1] == '\0') {
            *out = (values){.numbers = set->x, .components = set->dim, .first = k, .last = k + 1};
            return SCREE_OK;
        }
    int32_t component = -1;
    const scree_column* column = scree_sphere_set_find(set, name);
    if (column == NULL)
        column = find_component(set, name, &component);
    if (column == NULL)
        column = find_meant(set, name);
    if (column == NULL)
        return no_column(set, name);
    if (column->kind == SCREE_COLUMN_TEXT)
        return scree_fail(SCREE_ERR_ARGUMENT, "the column '%.60s' is text; expected numbers to colour by", name);
    *out = (values){.numbers = column->values,
                    .integers = column->kind == SCREE_COLUMN_INT64 ? column->integers : NULL,
                    .components = column->components,
                    .first = component < 0 ? 0 : component,
                    .last = component < 0 ? column->components : component + 1};
    return SCREE_OK;
}

static scree_status find_range(const scree_sphere_set* set, const scree_picture_def* def, const values* v, const uint8_t* left_out, colours* out)
{
    double low = INFINITY, high = -INFINITY;
    bool log = def->scale == SCREE_SCALE_LOG;
    for (int64_t i = 0; i < set->count; ++i) {
        double value = value_of(v, i);
        if (!isfinite(value) || (log && value <= 0.0) || (left_out != NULL && left_out[i]))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    out->empty = !(low <= high);
    if (out->empty)
        low = high = log ? 1.0 : 0.0;
    out->low = isnan(def->range[0]) ? fmin(low, isnan(def->range[1]) ? low : def->range[1]) : def->range[0];
    out->high = isnan(def->range[1]) ? fmax(high, out->low) : def->range[1];
    if (!(out->low <= out->high) || !isfinite(out->low) || !isfinite(out->high))
        return scree_fail(SCREE_ERR_ARGUMENT, "colours from %g to %g; expected two numbers, the smaller one first",
                          out->low, out->high);
    if (log && !(out->low > 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "colours from %g to %g; expected numbers above 0 for a logarithmic range", out->low, out->high);
    out->log = log || (def->scale == SCREE_SCALE_AUTO && v->numbers == set->r && out->low > 0.0 && out->high / out->low >= 20.0);
    // Equal except for rounding counts as equal: no bar has labels for that.
    out->constant = 0.5 * out->high - 0.5 * out->low <= 1e-12 * fmax(fabs(out->low), fabs(out->high));
    return SCREE_OK;
}

static uint16_t step_of(const colours* c, double value)
{
    if (isnan(value) || (c->log && value <= 0.0))
        return colour_steps;
    if (c->constant)
        return value < c->low ? 0 : value > c->high ? colour_steps - 1 : colour_steps * 5 / 8;
    double t;
    if (c->log)
        t = (log(value) - log(c->low)) / (log(c->high) - log(c->low));
    else
        t = (0.5 * value - 0.5 * c->low) / (0.5 * c->high - 0.5 * c->low);  // halves: the difference may be past the largest number
    return (uint16_t)(fmin(fmax(t, 0.0), 1.0) * (colour_steps - 1) + 0.5);
}

static void fill_map(const map* m, colours* out)
{
    for (int n = 0; n <= colour_steps; ++n) {
        double rgb[3];
        if (n < colour_steps)
            map_linear(m, (double)n / (colour_steps - 1), rgb);
        else
            unknown_linear(m, rgb);
        for (int k = 0; k < 3; ++k)
            out->rgb[n][k] = (float)rgb[k];
    }
}

scree_status scree_colours_make(const scree_sphere_set* set, const scree_picture_def* def, const uint8_t* left_out, colours* out)
{
    *out = (colours){0};
    const char* name = def->colour_by != NULL ? def->colour_by : "radius";
    values v = {0};
    scree_status status = find_values(set, name, &v);
    if (status == SCREE_OK)
        status = find_range(set, def, &v, left_out, out);
    if (status != SCREE_OK)
        return status;
    snprintf(out->name, sizeof out->name, "%s", strcmp(name, "r") == 0 ? "radius" : name);
    out->step = scree_malloc((size_t)set->count, sizeof *out->step);
    if (out->step == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < set->count; ++i)
        out->step[i] = step_of(out, value_of(&v, i));
    if (def->rods != NULL && def->colour_by == NULL)  // it is the rods that tell something
        for (int64_t i = 0; i < set->count; ++i)
            out->step[i] = colour_steps;
    fill_map(&maps[def->map], out);
    return SCREE_OK;
}

scree_status scree_colours_of_rods(const scree_picture_def* def, colours* out)
{
    *out = (colours){0};
    const scree_rods* all = def->rods;
    double low = 0.0, high = -INFINITY;
    for (int64_t n = 0; n < all->count; ++n) {
        low = fmin(low, all->value[n]);
        high = fmax(high, all->value[n]);
    }
    out->low = isnan(def->rods_range[0]) ? low : def->rods_range[0];
    out->high = isnan(def->rods_range[1]) ? fmax(high, out->low) : def->rods_range[1];
    if (!(out->low <= out->high) || !isfinite(out->low) || !isfinite(out->high))
        return scree_fail(SCREE_ERR_ARGUMENT, "rods_range: %g to %g; expected two finite numbers, the smaller one first", out->low, out->high);
    out->empty = all->count == 0 && isnan(def->rods_range[1]);
    out->constant = 0.5 * out->high - 0.5 * out->low <= 1e-12 * fmax(fabs(out->low), fabs(out->high));
    snprintf(out->name, sizeof out->name, "%s", def->rods_name != NULL ? def->rods_name : "normal force");
    out->step = scree_malloc((size_t)all->count, sizeof *out->step);
    if (out->step == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < all->count; ++n)
        out->step[n] = step_of(out, all->value[n]);
    fill_map(&maps[def->rods_map], out);
    return SCREE_OK;
}

void scree_colours_free(colours* c)
{
    scree_free(c->step);
    c->step = NULL;
}
