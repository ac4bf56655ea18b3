// scree pack hierarchical: windows of a few size classes each, packed from the finest up, and the density of the whole recipe that follows. The file
// is the window of the coarsest class; the others are beside it, with .level-K before the extension.
#include "packers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows_most = 400 };

static struct {
    double density, error, error_statistical, error_model;
    int32_t count, windows;
    double r_min[rows_most], r_max[rows_most], share[rows_most], space[rows_most], alone[rows_most], density_of[rows_most], error_of[rows_most], model_of[rows_most], window[rows_most], enlarged[rows_most];
    int64_t level[rows_most], classes[rows_most], spheres[rows_most];
} made;  // of the last call, for the report

void pack_hierarchical_tell(result* res)
{
    result_number(res, "recipe_density", made.density);
    result_number(res, "recipe_density_error", made.error);
    result_number(res, "recipe_error_statistical", made.error_statistical);
    result_number(res, "recipe_error_model", made.error_model);
    result_integer(res, "recipe_levels", made.count);
}

void pack_hierarchical_tables(result* res)
{
    result_table(res, "recipe_table",
                 "levels: radii; shares of the solid volume and of space; density alone, and with all finer ones; error of that, and the part of the model in it; density of the window; enlargement of its "
                 "finest class; classes and spheres of it",
                 13,
                 (result_column[]){{.name = "level", .integers = made.level}, {.name = "radius_min", .values = made.r_min}, {.name = "radius_max", .values = made.r_max},
                                   {.name = "share", .values = made.share}, {.name = "of_space", .values = made.space}, {.name = "alone", .values = made.alone},
                                   {.name = "density", .values = made.density_of}, {.name = "error", .values = made.error_of}, {.name = "error_model", .values = made.model_of}, {.name = "window", .values = made.window},
                                   {.name = "enlarged", .values = made.enlarged}, {.name = "classes", .integers = made.classes}, {.name = "spheres", .integers = made.spheres}},
                 made.count);
}

static void keep(const scree_hierarchy* h)
{
    made.density = h->density;
    made.error = h->error;
    made.error_statistical = h->error_statistical;
    made.error_model = h->error_model;
    made.count = h->count < rows_most ? h->count : rows_most;
    for (int32_t k = 0; k < made.count; ++k) {
        const scree_hierarchy_level* l = &h->levels[k];
        made.level[k] = k + 1;
        made.r_min[k] = l->radius_min;
        made.r_max[k] = l->radius_max;
        made.share[k] = l->share;
        made.space[k] = l->share * h->density;
        made.alone[k] = l->alone;
        made.density_of[k] = l->density;
        made.error_of[k] = l->error;
        made.model_of[k] = l->error_model;
        made.window[k] = l->window_density;
        made.enlarged[k] = l->enlarged;
        made.classes[k] = l->classes;
        made.spheres[k] = l->spheres;
    }
}

// "mix.vtp" and 2: "mix.level-2.vtp".
static scree_status write_level(const pack_wish* wish, int32_t level, const scree_sphere_set* set)
{
    const char *out = wish->co->out, *dot = strrchr(out, '.'), *slash = strrchr(out, '/');
    if (dot == NULL || (slash != NULL && dot < slash))
        dot = out + strlen(out);
    size_t room = strlen(out) + 32;
    char* path = malloc(room);
    if (path == NULL)
        return scree_fail(SCREE_ERR_MEMORY, "out of memory for a file name");
    snprintf(path, room, "%.*s.level-%" PRId32 "%s", (int)(dot - out), out, level, dot);
    scree_file_options options = file_options(wish->co, path, "writing");
    scree_status status = scree_write_spheres(path, &options, set);
    run_watch_end();
    if (status == SCREE_OK)
        run_wrote(path);
    free(path);
    return status;
}

scree_status pack_hierarchical(const pack_wish* wish, scree_sphere_set* set, bool* converged)
{
    scree_hierarchy_def def = scree_default_hierarchy_def();
    int64_t window = def.window, repeats = def.repeats;
    int method = def.method;
    if (!option_number(wish->args, "class-ratio", &def.class_ratio) || !option_integer(wish->args, "window", 2, 32, &window) ||
        !option_integer(wish->args, "repeats", 1, 1000, &repeats) || !option_number(wish->args, "reach", &def.reach) || !option_choice(wish->args, "method", method_name_at, &method))
        return pack_option_wrong();
    def.dim = set->dim;
    def.window = (int32_t)window;
    def.repeats = (int32_t)repeats;
    def.method = method;
    def.spheres = wish->count > 0 ? wish->count : def.spheres;
    def.seed = wish->co->seed;
    def.threads = wish->co->threads;
    def.watch = pack_watch(wish, "packing windows");
    scree_hierarchy h;
    scree_status status = scree_pack_hierarchy(&def, wish->sizes, &h);
    pack_watch_end();
    if (status != SCREE_OK)
        return status;
    keep(&h);
    for (int32_t k = 1; k < h.count && status == SCREE_OK && strcmp(wish->co->out, "-") != 0; ++k)
        status = write_level(wish, k + 1, &h.levels[k].sample);
    if (status == SCREE_OK) {
        *set = h.levels[0].sample;
        h.levels[0].sample = (scree_sphere_set){0};
        *converged = true;
        if (!wish->co->quiet && !wish->co->json)
            say("note: the recipe packs to density %.4f +- %.4f (%.4f from %d repeats, %.4f from the model: docs/rearrange.md); '%s' holds the window of the coarsest sizes\n", h.density, h.error,
                h.error_statistical, (int)def.repeats, h.error_model, wish->co->out);
    }
    scree_hierarchy_free(&h);
    return status;
}

static const option options[] = {
    PACK_SIZES,
    {"count", 'n', "N", "number of spheres in a window (default 5000)"},
    PACK_DIM,
    {"class-ratio", 0, "Q", "width of a size class, largest to smallest radius (default 2)"},
    {"window", 0, "W", "size classes in a window (default 3); more need many more spheres"},
    {"reach", 0, "R", "beyond a gap in the sizes: largest size ratio of a window (default 20); the volume at larger ratios is extrapolated from R and R/2"},
    {"repeats", 0, "K", "packings of each window, for the error estimate (default 3)"},
    PACK_SEARCH,
    PACK_OUTPUT,
    {0},
};

static const left_file leaves[] = {{"OUT.level-K.EXT", "the window of the K-th coarsest sizes, K from 2 on; OUT.EXT has the first"}, {0}};

static const rejected_option rejected[] = {
    {"density", "the density is a result; give --count for the number of spheres in a window"},
    {"container", "this method packs periodic windows of its own"},
    {"box", "this method packs periodic windows of its own"},
    {"periodic", "this method packs periodic windows of its own"},
    {"sampling", "this method draws the radii of each window itself"},
    {"stable", "this method packs periodic windows of its own"},
    {0},
};

const command cmd_pack_hierarchical = {
    .name = "pack hierarchical",
    .usage = "--sizes SIZES [--count N] [--class-ratio Q] [--window W] [--repeats K] -o FILE [OPTIONS]",
    .about = "the density of recipes of any size ratio, from packings of a few size classes each",
    .details = "recipe_density is the density of the whole size distribution, recipe_density_error its error, with the parts of the repeats and of the model. FILE is the window of the coarsest "
               "sizes; the next windows are in the same folder, with .level-2, .level-3 and so on before the extension. density and contacts refer to the coarsest window.",
    .example = "  scree pack hierarchical --sizes fuller:1:1000 --count 2000 -o mix.vtp",
    .rejected = rejected,
    .leaves = leaves,
    PACK_METHOD,
};
