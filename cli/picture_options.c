#include "picture_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(const arguments* args, const char* name, const char* wanted, const char* text)
{
    say("scree %s: --%s expects %s, got '%s'\n", args->what->name, name, wanted, text);
    return false;
}

const char* picture_map_at(int m)
{
    return scree_colour_map_name((scree_colour_map)m);
}

const char* picture_background_at(int b)
{
    static const char* const names[] = {"light", "dark", "none"};
    return b < SCREE_BACKGROUND_COUNT ? names[b] : NULL;
}

// x, -y, ... or AZIMUTH,ELEVATION. Views along an axis are orthographic unless --perspective is given.
static bool read_view(const arguments* args, scree_picture_def* def)
{
    const char* text = option_text(args, "view");
    if (option_given(args, "orthographic") && option_given(args, "perspective")) {
        say("scree %s: give only one of --orthographic and --perspective\n", args->what->name);
        return false;
    }
    if (option_given(args, "orthographic"))
        def->perspective = 0.0;
    if (!option_number(args, "perspective", &def->perspective))
        return false;
    if (text == NULL)
        return true;
    double sign = *text == '-' ? -1.0 : 1.0;
    const char* name = text + (*text == '-' || *text == '+');
    if (strlen(name) == 1 && strchr("xyz", *name) != NULL) {
        def->eye[strchr("xyz", *name) - "xyz"] = sign;
        if (!option_given(args, "perspective"))
            def->perspective = 0.0;
        return true;
    }
    char* end;
    double angle[2];
    angle[0] = strtod(text, &end);
    const char* second = end + (*end == ',');
    if (end == text || *end != ',' || (angle[1] = strtod(second, &end), end == second) || *end != '\0' ||
        !(fabs(angle[0]) <= 36000.0) || !(fabs(angle[1]) <= 90.0))
        return wrong(args, "view", "x, y, z, -x, -y, -z, or AZIMUTH,ELEVATION in degrees (elevation -90 to 90)", text);
    double azimuth = angle[0] * (3.14159265358979323846 / 180.0), elevation = angle[1] * (3.14159265358979323846 / 180.0);
    def->eye[0] = cos(elevation) * cos(azimuth);
    def->eye[1] = cos(elevation) * sin(azimuth);
    def->eye[2] = sin(elevation);
    def->up[0] = -sin(elevation) * cos(azimuth);  // towards larger elevation: also right when seen from straight above
    def->up[1] = -sin(elevation) * sin(azimuth);
    def->up[2] = cos(elevation);
    return true;
}

// MIN:MAX; either may be left out.
static bool read_range(const arguments* args, const char* option_name, double range[2])
{
    const char* text = option_text(args, option_name);
    if (text == NULL)
        return true;
    const char* colon = strchr(text, ':');
    const char* parts[2] = {text, colon != NULL ? colon + 1 : text};
    for (int k = 0; k < 2 && colon != NULL; ++k) {
        char* end;
        double value = strtod(parts[k], &end);
        if (end == parts[k] && *end == (k == 0 ? ':' : '\0'))
            continue;  // left out
        if (*end != (k == 0 ? ':' : '\0') || !isfinite(value))
            return wrong(args, option_name, "MIN:MAX, where one number may be left out", text);
        range[k] = value;
    }
    return colon != NULL || wrong(args, option_name, "MIN:MAX, where one number may be left out", text);
}

static bool read_cut(const arguments* args, scree_picture_def* def)
{
    const char* text = option_text(args, "cut");
    if (text == NULL)
        return true;
    const char* axis = *text != '\0' ? strchr("xyz", *text) : NULL;
    char* end = NULL;
    if (axis != NULL && text[1] == ':' && (def->cut_position = strtod(text + 2, &end), end != text + 2) && *end == '\0' &&
        isfinite(def->cut_position)) {
        def->cut = true;
        def->cut_normal[axis - "xyz"] = 1.0;
        return true;
    }
    return wrong(args, "cut", "AXIS:POSITION, like y:2.5", text);
}

static bool read_images(const arguments* args, scree_picture_def* def)
{
    const char* text = option_text(args, "images");
    if (text == NULL || strcmp(text, "none") == 0)
        return true;
    if (strcmp(text, "faces") == 0) {
        def->images = SCREE_IMAGES_FACES;
    } else if (strcmp(text, "fill") == 0) {
        def->images = SCREE_IMAGES_FILL;
    } else {
        char* end;
        long copies = strtol(text, &end, 10);
        if (end == text || *end != '\0' || copies < 0 || copies > 10)
            return wrong(args, "images", "none, faces, fill, or 0 to 10 whole boxes to each side", text);
        def->copies = (int32_t)copies;
    }
    return true;
}

static bool read_colours(const arguments* args, scree_picture_def* def)
{
    int map = 0, background = 0;
    def->colour_by = option_text(args, "colour-by");
    if (option_given(args, "log") && option_given(args, "linear")) {
        say("scree %s: give only one of --log and --linear\n", args->what->name);
        return false;
    }
    def->scale = option_given(args, "log") ? SCREE_SCALE_LOG : option_given(args, "linear") ? SCREE_SCALE_LINEAR : SCREE_SCALE_AUTO;
    if (!option_choice(args, "map", picture_map_at, &map) || !option_choice(args, "background", picture_background_at, &background))
        return false;
    def->map = map;
    def->background = background;
    return read_range(args, "colour-range", def->range);
}

// Rods, walls and what is seen through spheres.
static bool read_extras(const arguments* args, scree_picture_def* def)
{
    int scale = 0;
    static const char* const needs[] = {"force-range", "force-width", "force-scale"};
    if (!option_choice(args, "force-scale", picture_force_scale_at, &scale) || !read_range(args, "force-range", def->rods_range) ||
        !option_number(args, "force-width", &def->rods_width) || !option_number(args, "opacity", &def->opacity))
        return false;
    for (size_t k = 0; k < sizeof needs / sizeof *needs; ++k)
        if (option_given(args, needs[k]) && !option_given(args, "forces")) {
            say("scree %s: --%s needs --forces\n", args->what->name, needs[k]);
            return false;
        }
    def->rods_scale = scale;
    def->walls = option_given(args, "walls") ? 0.15 : 0.0;
    return true;
}

bool picture_options_of(const arguments* args, const common* co, scree_picture_def* def)
{
    int64_t samples = def->samples;
    if (!option_picture_size(args, def) || !read_view(args, def) || !read_cut(args, def) || !read_images(args, def) || !read_colours(args, def) ||
        !option_number(args, "zoom", &def->zoom) || !option_number(args, "distance", &def->distance) || !option_integer(args, "samples", 1, 4, &samples) ||
        !read_extras(args, def))
        return false;
    def->samples = (int32_t)samples;
    def->box = !option_given(args, "no-box");
    def->bar = !option_given(args, "no-bar");
    def->threads = co->threads;
    return true;
}

box_need picture_box_need(const scree_picture_def* def)
{
    return def->walls > 0.0 ? BOX_MAY_BE_OPEN : BOX_WITH_VOLUME;
}

// Offered by the shells; --colour-by takes any column.
const char* picture_view_at(int k)
{
    static const char* const names[] = {"x", "y", "z", "-x", "-y", "-z", NULL};
    return names[k];
}

const char* picture_images_at(int k)
{
    static const char* const names[] = {"none", "faces", "fill", NULL};
    return names[k];
}

const char* picture_column_at(int k)
{
    static const char* const names[] = {"radius", "x", "y", "z", "speed", "velocity", "spin", "force", "contacts", "material", "group", NULL};
    return names[k];
}

const char* picture_force_scale_at(int k)
{
    static const char* const names[] = {"sqrt", "linear", NULL};
    return names[k];
}
