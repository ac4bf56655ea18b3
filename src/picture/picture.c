// Public calls: they check the definition, then call the parts in their order (picture.h).
#include "picture/picture.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

SCREE_DEFAULTS_OF(scree_picture_def, scree_default_picture_def)
{
    return (scree_picture_def){.struct_size = (uint32_t)sizeof(scree_picture_def),
                               .width = 2000,
                               .height = 1500,
                               .perspective = 20.0,
                               .zoom = 1.0,
                               .range = {NAN, NAN},
                               .view = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}},
                               .box = true,
                               .bar = true,
                               .samples = 2,
                               .rods_range = {NAN, NAN},
                               .rods_map = SCREE_MAP_EMBER,
                               .opacity = NAN};
}

// ---- What was asked for ------------------------------------------------------------------------------------------

static scree_status check_number(const char* what, double value, double least, double most)
{
    if (value >= least && value <= most)  // false for NaN
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "%s %g; expected %g to %g", what, value, least, most);
}

static scree_status check_choice(const char* what, int32_t value, int32_t count)
{
    if (value >= 0 && value < count)
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "%s %" PRId32 "; expected 0 to %" PRId32, what, value, count - 1);
}

static scree_status check_size(const scree_picture_def* def)
{
    const int32_t sides[2] = {def->width, def->height};
    for (int k = 0; k < 2; ++k)
        if (sides[k] < SCREE_PICTURE_SIDE_MIN || sides[k] > SCREE_PICTURE_SIDE_MAX)
            return scree_fail(SCREE_ERR_ARGUMENT, "a %s of %" PRId32 " pixels; expected %d to %d",
                              k == 0 ? "width" : "height", sides[k], SCREE_PICTURE_SIDE_MIN, SCREE_PICTURE_SIDE_MAX);
    if ((int64_t)def->width * def->height > SCREE_PICTURE_PIXELS_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId32 " x %" PRId32 " pixels; expected at most %d", def->width,
                          def->height, SCREE_PICTURE_PIXELS_MAX);
    return SCREE_OK;
}

static scree_status check_cut(const scree_sphere_set* set, const scree_picture_def* def)
{
    bool any = false;
    for (int k = 0; k < set->dim && def->cut; ++k) {
        if (!(fabs(def->cut_normal[k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "the cut's normal has the component %g; expected a finite number", def->cut_normal[k]);
        any = any || fabs(def->cut_normal[k]) >= SCREE_LENGTH_MIN;
    }
    if (def->cut && !any)
        return scree_fail(SCREE_ERR_ARGUMENT, "the cut's normal is zero%s; expected a direction",
                          set->dim == 2 ? " in the plane of the discs" : "");
    if (def->cut && !isfinite(def->cut_position))
        return scree_fail(SCREE_ERR_ARGUMENT, "a cut at %g; expected a finite position", def->cut_position);
    return SCREE_OK;
}

static scree_status check_set(const scree_sphere_set* set, const scree_picture_def* def)
{
    scree_status status = scree_spheres_check(scree_sphere_set_view(set), NULL);
    if (status == SCREE_OK)
        status = scree_sphere_set_check_box(set);
    if (status == SCREE_OK && set->has_box && (def->images != SCREE_IMAGES_NONE || def->copies > 0))
        status = scree_box_reject_tilt(&set->box, "picture with images");
    if (status == SCREE_OK && (def->images != SCREE_IMAGES_NONE || def->copies > 0) &&
        !(set->has_box && scree_box_is_periodic(&set->box)))
        status = scree_fail(SCREE_ERR_ARGUMENT, "images of a box without periodic axes; expected a periodic box");
    return status;
}

bool scree_picture_has_view(const scree_picture_def* def, int dim)
{
    bool all = true;
    for (int k = 0; k < dim; ++k)
        all = all && !isnan(def->view[k][0]) && !isnan(def->view[k][1]);
    return all;
}

static scree_status check_view(const scree_picture_def* def, int dim)
{
    for (int k = 0; k < dim && scree_picture_has_view(def, dim); ++k)
        if (!(fabs(def->view[k][0]) <= SCREE_LENGTH_MAX && fabs(def->view[k][1]) <= SCREE_LENGTH_MAX && def->view[k][0] < def->view[k][1]))
            return scree_fail(SCREE_ERR_ARGUMENT, "view: %g to %g along %c; expected two finite ends, the lower one first", def->view[k][0],
                              def->view[k][1], "xyz"[k]);
    return SCREE_OK;
}

static scree_status check_triangles(const scree_veil* triangles, int dim)
{
    if (triangles == NULL)
        return SCREE_OK;
    scree_status status = scree_check_struct_size("triangles", "scree_default_veil", triangles->struct_size, sizeof *triangles, sizeof *triangles);
    if (status != SCREE_OK)
        return status;
    if (triangles->count < 0 || triangles->count > INT32_MAX / 4 || (triangles->count > 0 && triangles->corners == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "triangles: %" PRId64 " of them%s; expected at most %d, with corners", triangles->count,
                          triangles->corners == NULL ? " without corners" : "", INT32_MAX / 4);
    status = check_number("triangles: opacity", triangles->opacity, 0.0, 1.0);
    for (int64_t n = 0; n < triangles->count && status == SCREE_OK; ++n)
        for (int e = 0; e < 9; ++e)
            if (e % 3 < dim && !(fabs(triangles->corners[n][e / 3][e % 3]) <= SCREE_LENGTH_MAX))
                return scree_fail(SCREE_ERR_ARGUMENT, "triangle %" PRId64 ": corner %d has %c = %g; expected a finite length", n, e / 3, "xyz"[e % 3],
                                  triangles->corners[n][e / 3][e % 3]);
    return status;
}

static scree_status check_extras(const scree_picture_def* def, int dim)
{
    scree_status status = scree_rods_check(def, dim);
    if (status == SCREE_OK)
        status = check_number("opacity", isnan(def->opacity) ? 1.0 : def->opacity, 0.0, 1.0);
    if (status == SCREE_OK)
        status = check_number("opacity of walls", def->walls, 0.0, 1.0);
    return status == SCREE_OK ? check_triangles(def->triangles, dim) : status;
}

// Copies what is given over the defaults and looks at all of it.
scree_status scree_picture_settle(const scree_sphere_set* set, const scree_picture_def* given, scree_picture_def* def)
{
    *def = scree_default_picture_def();
    if (given != NULL) {
        scree_status fits = scree_check_struct_size("picture", "scree_default_picture_def", given->struct_size, offsetof(scree_picture_def, eye), sizeof *def);
        if (fits != SCREE_OK)
            return fits;
        memcpy(def, given, given->struct_size);
    }
    scree_status status = check_size(def);
    if (status == SCREE_OK && def->perspective != 0.0)
        status = check_number("perspective angle", def->perspective, 1.0, 120.0);
    if (status == SCREE_OK)
        status = check_number("distance", def->distance, 0.0, SCREE_LENGTH_MAX);
    if (status == SCREE_OK)
        status = check_number("zoom", def->zoom, 0.01, 1000.0);
    if (status == SCREE_OK)
        status = check_number("samples", def->samples, 1.0, 4.0);
    if (status == SCREE_OK)
        status = check_number("copies", def->copies, 0.0, 10.0);
    if (status == SCREE_OK)
        status = check_number("threads", def->threads, 0.0, 4096.0);
    if (status == SCREE_OK)
        status = check_choice("colour map", def->map, SCREE_MAP_COUNT);
    if (status == SCREE_OK)
        status = check_choice("colour scale", def->scale, SCREE_SCALE_LOG + 1);
    if (status == SCREE_OK)
        status = check_choice("background", def->background, SCREE_BACKGROUND_COUNT);
    if (status == SCREE_OK)
        status = check_choice("images", def->images, SCREE_IMAGES_COUNT);
    if (status == SCREE_OK)
        status = check_set(set, def);
    if (status == SCREE_OK)
        status = check_cut(set, def);
    if (status == SCREE_OK)
        status = check_view(def, set->dim);
    if (status == SCREE_OK)
        status = check_choice("colour map of rods", def->rods_map, SCREE_MAP_COUNT);
    if (status == SCREE_OK)
        status = check_extras(def, set->dim);
    if (isnan(def->opacity))
        def->opacity = def->rods != NULL ? 0.25 : 1.0;
    // Each thread works in a tile of its own; more of them than tiles would only take memory.
    int32_t tiles = ((def->width + tile_side - 1) / tile_side) * ((def->height + tile_side - 1) / tile_side);
    def->threads = scree_parallel_threads(def->threads);
    def->threads = def->threads < tiles ? def->threads : tiles;
    return status;
}

// ---- Drawing -----------------------------------------------------------------------------------------------------

static bool tick(void* context, double done)
{
    phase* p = context;
    return p->user.tick(p->user.context, p->from + done * (p->to - p->from));
}

static scree_status draw_spheres(const stage* s, const lens* l, const colours* c, const extras* more, const scree_picture_def* def,
                                 const palette* p, double until, uint8_t* rgba)
{
    phase ph = {.user = def->watch};
    ph.watch = (scree_watch){.tick = def->watch.tick != NULL ? tick : NULL, .context = &ph};
    balls b;
    light li;
    scree_phase_begin(&ph, 0.0);
    if (ph.watch.tick != NULL && !ph.watch.tick(&ph, 0.0))
        return scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    scree_status status = scree_balls_make(s, l, &ph.watch, &b);
    if (status != SCREE_OK)
        return status;
    status = scree_light_make(s, l, &b, def->threads, &ph, &li);
    if (status == SCREE_OK) {
        scree_phase_begin(&ph, until);
        status = scree_shade(s, l, &b, &li, c, more, def, p, &ph.watch, rgba);
        scree_light_free(&li);
    }
    scree_balls_free(&b);
    return status;
}

// Spheres with rods, walls and triangles.
static scree_status draw_all(const stage* s, const lens* l, const colours* c, const colours* rod_colours, const scree_picture_def* def, const palette* p,
                             double until, uint8_t* rgba)
{
    rod_list chains = {0};
    veils surfaces = {0};
    scree_status status = rod_colours != NULL ? scree_rods_draw_list(s, l, def, rod_colours, &chains) : SCREE_OK;
    if (status == SCREE_OK)
        status = scree_veils_make(s, l, def, &surfaces);
    extras more = {.rods = &chains, .rod_colours = rod_colours, .veils = &surfaces, .opacity = def->opacity};
    if (status == SCREE_OK)
        status = draw_spheres(s, l, c, &more, def, p, until, rgba);
    scree_rods_forget(&chains);
    scree_veils_free(&surfaces);
    return status;
}

// `def` is settled. Drawing goes up to the share `until` of the whole.
static scree_status render(const void* spheres, const scree_picture_def* def, double until, uint8_t* rgba)
{
    const scree_sphere_set* set = spheres;
    colours c = {0}, rod_colours = {0};
    stage s;
    lens l;
    scree_status status = scree_colours_make(set, def, NULL, &c);
    if (status == SCREE_OK && def->rods != NULL)
        status = scree_colours_of_rods(def, &rod_colours);
    palette p = scree_palette_of(def->background);
    const colours* rods_of = def->rods != NULL ? &rod_colours : NULL;
    bar_pair legend = {0};
    if (status == SCREE_OK) {
        legend = scree_bars_plan(def, &c, rods_of);
        status = scree_stage_make(set, def, &s);
    }
    if (status == SCREE_OK)
        status = scree_lens_aim(&s, def, legend.reserved, &l);
    if (status == SCREE_OK)
        status = draw_all(&s, &l, &c, rods_of, def, &p, until, rgba);
    if (status == SCREE_OK)
        scree_bars_draw(&legend, def, &p, rgba);
    scree_colours_free(&c);
    scree_colours_free(&rod_colours);
    return status;
}

scree_status scree_picture_render(const scree_sphere_set* set, const scree_picture_def* given, uint8_t* rgba)
{
    SCREE_NEED(set);
    SCREE_NEED(rgba);
    scree_picture_def def;
    scree_status status = scree_picture_settle(set, given, &def);
    return status == SCREE_OK ? render(set, &def, 1.0, rgba) : status;
}

// The writer's share of the progress.
static bool tick_writing(void* context, double done)
{
    const scree_watch* user = context;
    return user->tick(user->context, 0.9 + 0.1 * done);
}

scree_status scree_picture_save(const char* path, const scree_picture_def* def, const uint8_t* rgba)
{
    scree_watch user = def->watch, watch = {.tick = user.tick != NULL ? tick_writing : NULL, .context = &user};
    return scree_png_write(path, def->width, def->height, def->background == SCREE_BACKGROUND_NONE, rgba, watch);
}

scree_status scree_picture_draw_and_save(const char* path, const scree_picture_def* def, const void* set, scree_status (*draw)(const void* set, const scree_picture_def* def, double until, uint8_t* rgba))
{
    uint8_t* rgba = scree_malloc((size_t)def->width * (size_t)def->height, 4);
    if (rgba == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = draw(set, def, 0.9, rgba);
    if (status == SCREE_OK)
        status = scree_picture_save(path, def, rgba);
    scree_free(rgba);
    return status;
}

scree_status scree_write_picture(const char* path, const scree_sphere_set* set, const scree_picture_def* given)
{
    SCREE_NEED(path);
    SCREE_NEED(set);
    scree_picture_def def;
    scree_status status = scree_picture_settle(set, given, &def);
    if (status != SCREE_OK)
        return status;
    return scree_picture_draw_and_save(path, &def, set, render);
}

void scree_show_shutdown(void)
{
    scree_parallel_shutdown();
}
