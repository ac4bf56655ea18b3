// Films: pictures in a row. The name of the target decides on one of three writers, which gets every picture; each of them writes beside the target and
// takes its name at the end.
#include "picture/film_inner.h"
#include "picture/picture.h"

#include "base/argument.h"
#include "files/options.h"
#include "files/system.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool ends_in(const char* text, const char* ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    if (length <= tail)
        return false;
    for (size_t k = 0; k < tail; ++k)
        if ((text[length - tail + k] | (ending[k] >= 'a' && ending[k] <= 'z' ? 32 : 0)) != ending[k])
            return false;
    return true;
}

scree_film_kind scree_film_kind_of_path(const char* path)
{
    static const char* const videos[] = {".mp4", ".mkv", ".mov", ".webm"};
    if (path == NULL)
        return SCREE_FILM_UNKNOWN;
    if (strcmp(path, "-") == 0 || ends_in(path, ".png") || ends_in(path, ".apng"))
        return SCREE_FILM_PNG;
    if (ends_in(path, "/"))
        return SCREE_FILM_SERIES;
    for (size_t k = 0; k < sizeof videos / sizeof *videos; ++k)
        if (ends_in(path, videos[k]))
            return SCREE_FILM_VIDEO;
    return SCREE_FILM_UNKNOWN;
}

SCREE_DEFAULTS_OF(scree_film_def, scree_default_film_def)
{
    return (scree_film_def){.struct_size = sizeof(scree_film_def), .width = 1280, .height = 960, .fps = 25.0};
}

static const film_writer* writer_of(scree_film_kind kind)
{
    return kind == SCREE_FILM_PNG ? &film_png : kind == SCREE_FILM_VIDEO ? &film_video : &film_series;
}

static scree_status check_def(const char* path, const scree_film_def* def)
{
    scree_status status = scree_check_struct_size("film", "scree_default_film_def", def->struct_size, sizeof *def, sizeof *def);
    if (status != SCREE_OK)
        return status;
    if (scree_film_kind_of_path(path) == SCREE_FILM_UNKNOWN)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: this is not the name of a film; expected a name that ends in .png, .apng, .mp4, .mkv, .mov or .webm, or in '/' for a folder of pictures", path);
    for (int k = 0; k < 2; ++k) {
        int32_t side = k == 0 ? def->width : def->height;
        if (side < SCREE_PICTURE_SIDE_MIN || side > SCREE_PICTURE_SIDE_MAX)
            return scree_fail(SCREE_ERR_ARGUMENT, "film: a %s of %" PRId32 " pixels; expected %d to %d", k == 0 ? "width" : "height", side, SCREE_PICTURE_SIDE_MIN,
                              SCREE_PICTURE_SIDE_MAX);
    }
    if ((int64_t)def->width * def->height > SCREE_PICTURE_PIXELS_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "film: %" PRId32 " x %" PRId32 " pixels; expected at most %d", def->width, def->height, SCREE_PICTURE_PIXELS_MAX);
    if (def->frames < 1 || def->frames > INT32_MAX / 2)  // an animated PNG counts its chunks in 31 bits
        return scree_fail(SCREE_ERR_ARGUMENT, "film: %" PRId64 " frames; expected 1 to %d", def->frames, INT32_MAX / 2);
    if (!(def->fps >= 0.01 && def->fps <= 1000.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "film: %g frames per second; expected 0.01 to 1000", def->fps);
    return SCREE_OK;
}

scree_status scree_film_begin(const char* path, const scree_film_def* def, scree_film** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    SCREE_NEED(def);
    scree_status status = check_def(path, def);
    if (status != SCREE_OK)
        return status;
    scree_film* film = scree_calloc(1, sizeof *film);
    if (film == NULL)
        return SCREE_ERR_MEMORY;
    *film = (scree_film){.def = *def, .kind = scree_film_kind_of_path(path), .feed = -1, .path = scree_malloc(strlen(path) + 1, 1)};
    if (film->path == NULL) {
        scree_free(film);
        return SCREE_ERR_MEMORY;
    }
    strcpy(film->path, path);
    status = writer_of(film->kind)->begin(film);
    if (status == SCREE_OK) {
        *out = film;
        return SCREE_OK;
    }
    scree_free(film->path);
    scree_free(film);
    return status;
}

scree_status scree_film_add(scree_film* film, const uint8_t* rgba)
{
    SCREE_NEED(film);
    SCREE_NEED(rgba);
    if (film->status != SCREE_OK)
        return film->status;
    if (film->added == film->def.frames)
        film->status = scree_fail(SCREE_ERR_ARGUMENT, "%s: there are further pictures; expected %" PRId64, film->path, film->def.frames);
    if (film->status == SCREE_OK)
        film->status = scree_watch_ask(film->def.watch, 0.0, film->path, "writing");
    if (film->status == SCREE_OK)
        film->status = writer_of(film->kind)->add(film, rgba);
    film->added += film->status == SCREE_OK;
    return film->status;
}

scree_status scree_film_end(scree_film* film, scree_status status)
{
    if (film == NULL)
        return status;
    if (status == SCREE_OK)
        status = film->status;
    if (status == SCREE_OK && film->added < film->def.frames)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: %" PRId64 " pictures were added; expected %" PRId64, film->path, film->added, film->def.frames);
    status = writer_of(film->kind)->end(film, status);
    scree_free(film->path);
    scree_free(film);
    return status;
}

// ---- Camera and colours of all -------------------------------------------------------------------------------------------

static void widen(double range[2], double low, double high)
{
    range[0] = isnan(range[0]) ? low : fmin(range[0], low);
    range[1] = isnan(range[1]) ? high : fmax(range[1], high);
}

scree_status scree_film_measure(const scree_outline_set* set, const scree_picture_def* given, scree_film_extent* extent)
{
    SCREE_NEED(set);
    SCREE_NEED(extent);
    scree_picture_def def;
    double lower[3], upper[3];
    colours c = {0}, rod_colours = {0};
    scree_status status = scree_picture_settle(&set->bodies, given, &def);
    if (status == SCREE_OK)
        status = set->first != NULL ? scree_outlines_bounds(set, &def, lower, upper) : scree_stage_bounds(&set->bodies, &def, lower, upper);
    if (status == SCREE_OK)
        status = set->first != NULL ? scree_outlines_colours(set, &def, &c) : scree_colours_make(&set->bodies, &def, NULL, &c);
    if (status == SCREE_OK && def.rods != NULL)
        status = scree_colours_of_rods(&def, &rod_colours);
    if (status == SCREE_OK) {
        for (int k = 0; k < 2 && extent->sets == 0; ++k) {
            extent->range[k] = extent->rods_range[k] = NAN;
            for (int axis = 0; axis < 3; ++axis)
                extent->view[axis][k] = NAN;
        }
        for (int k = 0; k < set->bodies.dim; ++k)
            widen(extent->view[k], lower[k], upper[k]);
        if (!c.empty)
            widen(extent->range, c.low, c.high);
        if (def.rods != NULL && !rod_colours.empty)
            widen(extent->rods_range, rod_colours.low, rod_colours.high);
        ++extent->sets;
    }
    scree_colours_free(&c);
    scree_colours_free(&rod_colours);
    return status;
}
