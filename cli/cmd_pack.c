// scree pack METHOD: spheres of a size distribution, packed, checked from the centres alone, and only then written.
#include "commands.h"
#include "file_names.h"
#include "packers.h"
#include "ranks.h"
#include "sphere_measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const packer packers[] = {
    {.with = &cmd_pack_rsa, .name = "rsa", .long_name = "random sequential addition", .round_containers = true, .easy_density = pack_rsa_density, .pack = pack_rsa,
     .tell = pack_rsa_tell, .tables = pack_rsa_tables},
    {.with = &cmd_pack_drop, .name = "drop", .long_name = "sequential deposition", .round_containers = true, .heaps = true, .pack = pack_drop},
    {.with = &cmd_pack_rearrange, .name = "rearrange", .long_name = "collective rearrangement", .round_containers = true, .searches = true, .pack = pack_rearrange, .tell = pack_rearrange_tell},
    {.with = &cmd_pack_grow, .name = "grow", .long_name = "event-driven growth", .searches = true, .easy_density = pack_grow_density, .pack = pack_grow, .tell = pack_grow_tell},
    {.with = &cmd_pack_dem, .name = "dem", .long_name = "compression", .searches = true, .makes_overlaps = true, .pack = pack_dem},
    {.with = &cmd_pack_hierarchical, .name = "hierarchical", .long_name = "hierarchical packing", .searches = true, .windows = true, .pack = pack_hierarchical, .tell = pack_hierarchical_tell,
     .tables = pack_hierarchical_tables},
};

static const char* sampling_name(int s)
{
    static const char* const names[] = {"systematic", "shifted", "random"};
    return s >= 0 && s < 3 ? names[s] : NULL;
}

// ---- Time ----------------------------------------------------------------------------------------------------------

typedef struct limit {
    scree_watch inner;
    double end;
    bool over;
} limit;

static limit time_limit;

static bool tick(void* context, double done)
{
    limit* l = context;
    if (!l->inner.tick(l->inner.context, done))
        return false;
    l->over = l->over || run_seconds() >= l->end;
    return !l->over;
}

scree_watch pack_watch(const pack_wish* wish, const char* label)
{
    time_limit.inner = run_watch(label, wish->co->quiet);
    return (scree_watch){.tick = tick, .context = &time_limit};
}

typedef struct density_line {
    const char* label;
    const double *density, *overlap;
    char line[96];
    scree_watch watch;
} density_line;

static density_line shown_line;

static bool tell(void* context, double done)
{
    density_line* t = context;
    int used = snprintf(t->line, sizeof t->line, "%s: density %.4f", t->label, *t->density);
    if (t->overlap != NULL)
        used += snprintf(t->line + used, sizeof t->line - (size_t)used, ", largest overlap %.1e", *t->overlap);
    snprintf(t->line + used, sizeof t->line - (size_t)used, ";");
    return t->watch.tick(t->watch.context, done);
}

scree_watch pack_watch_density(const pack_wish* wish, const char* label, const double* density, const double* overlap)
{
    shown_line = (density_line){.label = label, .density = density, .overlap = overlap};
    shown_line.watch = pack_watch(wish, shown_line.line);
    return (scree_watch){.tick = tell, .context = &shown_line};
}

void pack_watch_end(void)
{
    run_watch_end();
}

// ---- The input ---------------------------------------------------------------------------------------------

// A sentence about the options, after the name of the command; `args` is at hand where it is used.
#define MISUSE(format, ...) (say("scree %s: " format "\n", args->what->name, __VA_ARGS__), EXIT_USAGE)

// Whether an option was given that not all methods have.
static bool given_here(const arguments* args, const char* name)
{
    return option_exists(args, name) && option_given(args, name);
}

// --box and --periodic; without --box a cube whose side is set later. The height of a heap may be left out.
static exit_code read_box(const arguments* args, const packer* how, int32_t dim, int32_t container, scree_box* box, bool* given)
{
    bool open = how->heaps && container != SCREE_CONTAINER_SPHERE;
    double size[3] = {1.0, 1.0, 1.0};
    int lengths = 0;
    if (!how->windows && !option_numbers(args, "box", 3, size, &lengths))
        return EXIT_USAGE;
    *given = lengths > 0;
    if (*given && lengths != dim && !(open && lengths == dim - 1))
        return MISUSE("--box expects %s%s in %dD, got %d lengths", dim == 2 ? "LX,LY" : "LX,LY,LZ",
                      !open ? "" : dim == 2 ? ", or LX (the height is a result)," : ", or LX,LY (the height is a result),", (int)dim, lengths);
    size[dim - 1] = open ? 1.0 : size[dim - 1];
    for (int k = 0; k < lengths; ++k)
        if (!(size[k] > 0.0))
            return MISUSE("--box expects lengths above 0, got %g on axis %c", size[k], "xyz"[k]);
    *box = scree_box_sized(dim, size);
    const char* axes = how->windows ? NULL : option_text(args, "periodic");
    if (axes != NULL && strcmp(axes, "none") != 0) {
        if (*axes == '\0' || strspn(axes, dim == 2 ? "xy" : "xyz") != strlen(axes))
            return MISUSE("--periodic expects letters of axes (%s, or none), got '%s'", dim == 2 ? "xy, x, y" : "xyz, xy, z", axes);
        for (int k = 0; k < dim; ++k)
            box->periodic[k] = strchr(axes, "xyz"[k]) != NULL;
    }
    return scree_container_check(&(scree_container){.kind = container, .box = *box}) == SCREE_OK ? EXIT_DONE : run_misused(args);
}

static double volume_of(int32_t dim, double cube)
{
    const double pi = 3.14159265358979323846;
    return (dim == 2 ? pi : 4.0 / 3.0 * pi) * cube;
}

// Two of --count, --density and --box give the third; to saturate, one of --count and --box.
static exit_code check_wish(const arguments* args, const packer* how, pack_wish* wish)
{
    if (given_here(args, "density") && !(wish->density > 0.0 && wish->density < 1.0))
        return MISUSE("--density expects a number between 0 and 1, got %g", wish->density);
    if (!(wish->time > 0.0))
        return MISUSE("--time expects seconds above 0, got %g", wish->time);
    bool centre = given_here(args, "centre");
    if (centre && (wish->has_box || option_given(args, "periodic") || wish->container != SCREE_CONTAINER_BOX))
        return MISUSE("%s makes a cluster around the origin without walls; drop --box, --periodic and --container", "--centre");
    if (how->easy_density == NULL && wish->count == 0 && !how->windows)
        return MISUSE("%s is missing: the number of spheres", "--count N");
    if (wish->saturate && (wish->density > 0.0 || (!wish->has_box && wish->count == 0)))
        return MISUSE("%s chooses the density itself: give --box, or --count for a cube that so many equal spheres would saturate, and no --density", "--saturate");
    if (wish->stable && centre)
        return MISUSE("%s compresses a packing in a box; --centre makes a cluster without one", "--stable");
    if (given_here(args, "overlap") && !wish->stable)
        return MISUSE("%s needs --stable", "--overlap");
    if (option_given(args, "method") && !how->searches && !wish->stable)
        return MISUSE("%s needs --stable: this method searches no neighbours", "--method");
    if (given_here(args, "rounds") && !wish->saturate)
        return MISUSE("%s needs --saturate", "--rounds");
    if (wish->count > 0 && wish->density > 0.0 && wish->has_box)
        return MISUSE("give only two of %s", "--count, --density and --box");
    if (wish->count == 0 && !wish->saturate && !how->windows && !(wish->has_box && wish->density > 0.0))
        return MISUSE("%s is missing: the number of spheres, or --box with --density", "--count N");
    return EXIT_DONE;
}

static exit_code check_targets(const arguments* args, const common* co, const char* picture)
{
    bool picture_printed = picture != NULL && strcmp(picture, "-") == 0;
    if (co->out == NULL)
        return MISUSE("%s is missing: where to write the packing (csv, vtp, xyz, lammps or npy)", "-o FILE");
    if (co->format == SCREE_FORMAT_AUTO && scree_format_of_path(co->out) == SCREE_FORMAT_AUTO)
        return MISUSE("'%s' has no extension of a known format (csv, vtp, xyz, lammps, npy); give --format", co->out);
    if ((strcmp(co->out, "-") == 0) + co->json + picture_printed > 1)
        return MISUSE("only one of %s can use standard output", "--json, -o - and --picture -");
    return EXIT_DONE;
}

// Estimate of the density at saturation: 0.384 (2D: 0.547) for equal spheres, more for wide distributions, where small spheres fill the gaps between
// large ones. From the radii below which a tenth and nine tenths of the volume are; it only sets how many radii a list has.
static double full_density(const scree_sizes* sizes, int32_t dim)
{
    double end[2];
    for (int e = 0; e < 2; ++e) {
        double low = 0.0, high = 1.0;  // shares by number
        for (int k = 0; k < 60; ++k) {
            double middle = 0.5 * (low + high);
            bool below = scree_sizes_cdf_mass(sizes, scree_sizes_quantile(sizes, middle)) < (e == 0 ? 0.1 : 0.9);
            low = below ? middle : low;
            high = below ? high : middle;
        }
        end[e] = scree_sizes_quantile(sizes, high);
    }
    double classes = 1.0 + fmin(0.5 * log10(end[1] / end[0]), 2.0);
    return 1.0 - pow(dim == 2 ? 1.0 - 0.547 : 1.0 - 0.384, classes);
}

// The number that the box holds at the density, on average over the distribution.
static scree_status count_for_box(pack_wish* wish, const scree_box* box)
{
    double volume = scree_container_volume(&(scree_container){.kind = wish->container, .box = *box});
    double density = wish->saturate ? full_density(wish->sizes, box->dim) : wish->density;
    double count = round(density * volume / volume_of(box->dim, scree_sizes_moment(wish->sizes, box->dim)));
    if (!(count >= 1.0 && count <= INT32_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "this box holds %.3g spheres of %s at density %g; expected a box for 1 to %" PRId32, count,
                          scree_sizes_get_text(wish->sizes), density, INT32_MAX);
    wish->count = (int32_t)count;
    return SCREE_OK;
}

// A cube for the density, or one around the container.
static void make_cube(int32_t container, double density, scree_sphere_set* set)
{
    double volume = scree_spheres_volume(scree_sphere_set_view(set));
    scree_container unit = {.kind = container, .box = scree_box_sized(set->dim, (double[3]){1.0, 1.0, 1.0})};
    for (int k = 0; k < set->dim; ++k)
        set->box.upper[k] = pow(volume / density / scree_container_volume(&unit), 1.0 / set->dim);
}

static scree_status draw_radii(const packer* how, pack_wish* wish, scree_sampling sampling, const scree_box* box, scree_sphere_set* set)
{
    scree_status status = SCREE_OK;
    if (wish->count == 0)
        status = count_for_box(wish, box);
    if (status == SCREE_OK)
        status = scree_sphere_set_make(box->dim, wish->count, set);
    if (status == SCREE_OK)
        status = scree_sizes_draw(wish->sizes, sampling, wish->co->seed, set->count, set->r);
    if (status != SCREE_OK)
        return status;
    set->box = *box;
    set->has_box = true;
    if (!wish->has_box && how->easy_density != NULL)
        make_cube(wish->container, wish->saturate       ? full_density(wish->sizes, box->dim)
                                   : wish->density > 0.0 ? wish->density
                                                         : how->easy_density(box->dim),
                  set);
    return scree_box_check(&set->box);
}

// The density of a random close packing; NAN for discs.
static scree_status predict(const packer* how, const pack_wish* wish, const scree_sphere_set* set, double* out)
{
    *out = NAN;
    if (set->dim == 2)
        return SCREE_OK;
    scree_status status = scree_predict_density(set->dim, set->count, set->r, out);
    double asked = scree_spheres_volume(scree_sphere_set_view(set)) /
                   scree_container_volume(&(scree_container){.kind = wish->container, .box = set->box});
    if (status == SCREE_OK && !wish->saturate && !how->makes_overlaps && how->easy_density != NULL && asked > *out)
        return scree_fail(SCREE_ERR_ARGUMENT, "density %.4g is above that of a random close packing of these sizes, about %.3g; expected less, "
                          "which %s can reach", asked, *out, how->long_name);
    return status;
}

// ---- The result -------------------------------------------------------------------------------------------------

enum {
    size_rows = 20,  // of the size curve, at most
    gr_bins = 100,
};

// How far the deepest sphere sticks out through a wall.
static double through_walls(int32_t container, const scree_sphere_set* set)
{
    scree_container c = {.kind = container, .box = set->box};
    double deepest = 0.0;
    for (int64_t i = 0; i < set->count; ++i)
        deepest = fmax(deepest, scree_container_depth(&c, set->x + i * set->dim, set->r[i]));
    return deepest;
}

// g(r) as far as 2.5 mean diameters: contacts, the first minimum and the next shell. NAN: the box is too small for it.
static double reach_of_gr(const scree_sphere_set* set)
{
    double mean = 0.0, reach;
    for (int64_t i = 0; i < set->count; ++i)
        mean += 2.0 * set->r[i] / set->count;
    reach = 2.5 * mean;
    for (int k = 0; k < set->dim; ++k)
        reach = fmin(reach, 0.5 * (set->box.upper[k] - set->box.lower[k]));
    return reach > 0.0 ? reach : NAN;
}

// From the centres alone, independent of what the method reports.
static scree_status recheck(const pack_wish* wish, packing* pk)
{
    const common* co = wish->co;
    scree_measure_def def = scree_default_measure_def();
    pk->set.container = wish->container;  // goes into the file with the box
    def.box = pk->set.box;
    def.container = wish->container;  // a sphere may lean on a round wall
    def.r_max = reach_of_gr(&pk->set);
    def.r_bins = wish->container == SCREE_CONTAINER_BOX && def.r_max > 0.0 ? gr_bins : 0;  // its ideal gas fills the box
    def.nearest_bins = 0;
    def.size_rows = size_rows;
    def.method = co->validate ? SCREE_METHOD_ALL_PAIRS : SCREE_METHOD_AUTO;
    def.threads = co->threads;
    if (!run_interrupted())  // then what there is is still checked and written
        def.watch = run_watch("checking", co->quiet);
    scree_status status = scree_measure(&def, scree_sphere_set_view(&pk->set), &pk->measures);
    run_watch_end();
    if (status == SCREE_OK && (wish->container != SCREE_CONTAINER_BOX || pk->how->heaps))
        pk->measures.density.inner = pack_inner_density(wish, pk->how, &pk->set);
    pk->wall_overlap = through_walls(wish->container, &pk->set);
    if (status == SCREE_OK && !pk->how->makes_overlaps && !pk->pressed && (pk->measures.contacts.contacts > 0 || pk->wall_overlap > 0.0))
        return scree_fail(SCREE_ERR_UNSUPPORTED, "the packing has %" PRId64 " overlaps, the largest %g, and %g through walls; please report "
                          "this. Nothing was written", pk->measures.contacts.contacts, pk->measures.contacts.max_overlap, pk->wall_overlap);
    return status;
}

static scree_status write_files(const common* co, const packing* pk, const char* picture, scree_picture_def look)
{
    scree_file_options options = file_options(co, co->out, "writing");
    if (run_interrupted())
        options.watch = (scree_watch){0};
    scree_status status = scree_write_spheres(co->out, &options, &pk->set);
    run_watch_end();
    if (status == SCREE_OK)
        run_wrote(co->out);
    if (status == SCREE_OK && picture != NULL) {
        look.threads = co->threads;
        if (!run_interrupted())
            look.watch = run_watch("drawing", co->quiet);
        status = scree_write_picture(picture, &pk->set, &look);
        run_watch_end();
    }
    return status;
}

// Not all formats keep the box: the note has the options by which other commands get it.
static void note_box(const common* co, const scree_sphere_set* set)
{
    for (int k = 0; k < set->dim; ++k)
        if (set->box.lower[k] != 0.0)
            return;  // --box begins at 0: around a cluster there is none
    if (co->quiet || file_keeps(co, co->out, set, -1))
        return;
    say("note: '%s' does not keep the box: --box ", co->out);
    for (int k = 0; k < set->dim; ++k) {
        char number[32];
        scree_text_number(number, set->box.upper[k]);
        say("%s%s", k > 0 ? "," : "", number);
    }
    if (scree_box_is_periodic(&set->box)) {
        say(" --periodic ");
        for (int k = 0; k < set->dim; ++k)
            if (set->box.periodic[k])
                fputc("xyz"[k], stderr);
    }
    if (set->container != SCREE_CONTAINER_BOX)
        say(" --container %s", scree_container_name(set->container));
    say("\n");
}

static void tell_sizes(result* res, const pack_wish* wish, const scree_size_curve* curve)
{
    double number[size_rows], mass[size_rows];
    for (int32_t k = 0; k < curve->rows; ++k) {
        number[k] = scree_sizes_cdf(wish->sizes, 0.5 * curve->d[k]);
        mass[k] = scree_sizes_cdf_mass(wish->sizes, 0.5 * curve->d[k]);
    }
    result_table(res, "size_curve", "Size distribution: fraction of spheres no larger than d, by number and by mass, as packed and as requested", 5,
                 (result_column[]){{.name = "d", .values = curve->d},
                                   {.name = "by_number", .values = curve->by_number},
                                   {.name = "number_requested", .values = number},
                                   {.name = "by_mass", .values = curve->by_mass},
                                   {.name = "mass_requested", .values = mass}},
                 curve->rows);
}

static void tell_packing(const pack_wish* wish, const packing* pk, result* res)
{
    const scree_measures* m = &pk->measures;
    bool soft = pk->how->makes_overlaps || pk->pressed;
    *res = result_begin("pack");
    res->width = 32;
    result_text(res, "method", pk->how->name);
    result_about(res, "", pk->how->long_name);
    result_text(res, "sizes", scree_sizes_get_text(wish->sizes));
    measures_box(res, m, &pk->set);
    result_bool(res, "converged", pk->converged);
    result_about(res, "", pk->converged ? "" : "stopped early, or the target was not reached: this is the state at the end");
    result_number(res, "seconds", pk->seconds);
    result_about(res, "", "wall-clock time of the packing");
    result_section(res, "Density");
    result_number(res, "density", m->density.whole);
    result_about(res, "", "volume fraction of the spheres in the container");
    result_number(res, "density_inner", m->density.inner);
    result_about(res, "", "away from walls; of heaps also from floor and surface");
    result_number(res, "predicted_density", pk->predicted);
    result_about(res, "", m->dim == 2 ? "there is no estimate for discs" : "of a random close packing of these sizes (Farr and Groot)");
    measures_contacts(res, &m->contacts, scree_box_is_periodic(&pk->set.box));
    result_number(res, "max_wall_overlap", pk->wall_overlap);
    result_about(res, "", soft ? "a length; soft spheres press on walls" : "a length, from the centres alone");
    if (pk->how->tell != NULL || wish->stable)
        result_section(res, "Method");
    if (pk->how->tell != NULL)
        pk->how->tell(res);
    if (wish->stable)
        pack_stable_tell(res, pk);
    measures_gr(res, &m->g_r, false);
    if (!pk->how->windows)
        tell_sizes(res, wish, &m->size_curve);
    if (pk->how->tables != NULL)
        pk->how->tables(res);
}

// ---- The command ---------------------------------------------------------------------------------------------------

scree_status pack_option_wrong(void)
{
    return scree_fail(SCREE_ERR_ARGUMENT, "%s", "");
}

scree_status pack_take(scree_status status, int32_t count, const double* x, const scree_box* box, scree_sphere_set* set)
{
    if (status == SCREE_ERR_CANCELLED && x != NULL && count > 0)
        status = SCREE_OK;
    if (status == SCREE_OK) {
        memcpy(set->x, x, (size_t)count * (size_t)set->dim * sizeof *set->x);
        set->count = count;
        set->box = *box;
    }
    return status;
}

static exit_code make_packing(pack_wish* wish, const scree_box* box, scree_sampling sampling, const char* picture,
                              const scree_picture_def* look, packing* pk)
{
    const arguments* args = wish->args;
    scree_status status = SCREE_OK;
    pk->predicted = NAN;
    pk->set.dim = box->dim;
    if (!pk->how->windows)
        status = draw_radii(pk->how, wish, sampling, box, &pk->set);
    if (status == SCREE_OK && !pk->how->windows)
        status = predict(pk->how, wish, &pk->set, &pk->predicted);
    if (status == SCREE_OK && !wish->co->quiet && !wish->co->json && pk->set.dim == 3 && !pk->how->windows)
        say("note: a random close packing of these sizes has a density of about %.3g (estimate of Farr and Groot)\n", pk->predicted);
    double begin = run_seconds();
    time_limit = (limit){.end = begin + wish->time};
    if (status == SCREE_OK)
        status = pk->how->pack(wish, &pk->set, &pk->converged);
    if (status == SCREE_OK && wish->stable && !run_interrupted())
        status = pack_stable(wish, pk);
    pk->seconds = run_seconds() - begin;
    if (status == SCREE_ERR_CANCELLED && time_limit.over && !run_interrupted()) {
        say("scree %s: not finished after the %g s of --time; nothing was written\n", args->what->name, wish->time);
        return EXIT_FAILED;
    }
    if (status == SCREE_ERR_ARGUMENT)
        return run_misused(args);
    if (status == SCREE_OK)
        status = recheck(wish, pk);
    if (status == SCREE_OK)
        status = write_files(wish->co, pk, picture, *look);
    if (status != SCREE_OK)
        return run_failed(args, status);
    if (!time_limit.over && !run_interrupted())
        pack_checkpoint_remove(wish);
    result res;
    tell_packing(wish, pk, &res);
    if (strcmp(wish->co->out, "-") != 0 && (picture == NULL || strcmp(picture, "-") != 0))
        result_print(&res, wish->co->json);
    note_box(wish->co, &pk->set);
    const char* page = option_text(args, "report");
    status = page != NULL ? pack_report_write(page, wish, pk, &res) : SCREE_OK;
    result_free(&res);
    if (status != SCREE_OK) {
        say("scree %s: cannot write the report: %s. The packing is in '%s'\n", args->what->name, scree_error_message(), wish->co->out);
        return EXIT_FAILED;
    }
    if (run_interrupted()) {
        scree_fail(SCREE_ERR_CANCELLED, "stopped; '%s' has the current packing, which is valid but not converged", wish->co->out);
        return run_stopped(args);
    }
    if (!pk->converged && !wish->co->quiet)
        say("note: not converged: '%s' has the state after %.3g s\n", wish->co->out, pk->seconds);
    return EXIT_DONE;
}

exit_code pack_run(const arguments* args)
{
    run_hears(false);  // what was packed is written after Ctrl-C too
    common co;
    int64_t count = 0, dim = 3;
    int sampling = SCREE_SAMPLING_SYSTEMATIC, container = SCREE_CONTAINER_BOX;
    pack_wish wish = {.args = args, .co = &co, .saturate = given_here(args, "saturate"), .time = INFINITY, .stable = given_here(args, "stable")};
    const char* picture = option_text(args, "picture");
    scree_picture_def look = scree_default_picture_def();
    packing pk = {.how = packers};
    while (pk.how->with != args->what)
        ++pk.how;
    if (!common_options_of(args, &co) || !option_integer(args, "count", 1, INT32_MAX, &count) || !option_integer(args, "dim", 2, 3, &dim) ||
        !option_number(args, "time", &wish.time) || !option_picture_size(args, &look) || (picture != NULL && !is_picture_target(args, picture)) ||
        !pack_report_target(args))
        return EXIT_USAGE;
    if ((option_exists(args, "density") && !option_number(args, "density", &wish.density)) ||
        (option_exists(args, "sampling") && !option_choice(args, "sampling", sampling_name, &sampling)) ||
        (option_exists(args, "container") && !option_choice(args, "container", container_name_at, &container)))
        return EXIT_USAGE;
    wish.count = (int32_t)count;
    wish.container = container;
    if (!option_given(args, "sizes"))
        return MISUSE("%s is missing: the size distribution, e.g. --sizes uniform-size:1:2", "--sizes SIZES");
    scree_box box;
    exit_code code = read_box(args, pk.how, (int32_t)dim, container, &box, &wish.has_box);
    if (code == EXIT_DONE)
        code = check_wish(args, pk.how, &wish);
    if (code == EXIT_DONE)
        code = check_targets(args, &co, picture);
    if (code == EXIT_DONE)
        code = file_names_check(args, &co);
    if (code == EXIT_DONE && option_exists(args, "ranks"))
        code = ranks_start(args);
    if (code != EXIT_DONE)
        return code;
    scree_sizes* sizes = NULL;
    scree_status status = scree_read_sizes(option_text(args, "sizes"), (int32_t)dim, &sizes);
    if (status != SCREE_OK)
        return status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
    wish.sizes = sizes;
    code = make_packing(&wish, &box, (scree_sampling)sampling, picture, &look, &pk);
    scree_measures_free(&pk.measures);
    scree_sphere_set_free(&pk.set);
    scree_sizes_destroy(sizes);
    return code;
}

// ---- Tables --------------------------------------------------------------------------------------------------------

const choice pack_choices[] = {
    METHOD_CHOICE,
    {.option = "container", .names = container_name_at},
    {.option = "moves", .names = moves_name_at},
    {.option = "centres", .names = centres_name_at},
    {.option = "sampling", .names = sampling_name},
    SIZES_CHOICE,
    PERIODIC_CHOICE,
    {.option = "dim", .names = dimension_at, .open = true},
    {0},
};

const file_use pack_uses[] = {
    {WRITES_FILE, "out", NULL},
    {WRITES_FILE, "report", NULL},
    {WRITES_FILE, "picture", NULL},
    {KEEPS_FILE, "checkpoint", NULL},
    {0},
};

const old_spelling pack_old[] = {
    OLD_CHECK,
    {"index", "method"},
    {"margin", "list-margin"},
    {"margin-least", "list-margin-least"},
    {0},
};

const rejected_option pack_no_density[] = {{"density", "the density is a result; give --count, and --box for the shape of the box"}, {0}};
const rejected_option pack_boxes_only[] = {{"container", "this method packs into boxes only"}, {0}};

static const command* const methods[] = {&cmd_pack_rsa, &cmd_pack_drop, &cmd_pack_rearrange, &cmd_pack_grow, &cmd_pack_dem, &cmd_pack_hierarchical, NULL};

const command cmd_pack = {
    .name = "pack",
    .usage = "METHOD --sizes SIZES --count N -o FILE [OPTIONS]",
    .about = "packs spheres of a size distribution",
    .details = "Before packing, the density of a random close packing is estimated (3D). Afterwards overlaps, density and contacts are measured from the centres alone, and only then the "
               "file is written. coordination counts neighbours nearer than the gap; density_inner keeps away from walls.\n"
               "Earlier versions named the method by an option, scree pack --method rsa; this is still accepted.",
    .example = "  scree pack rearrange --sizes uniform-volume:1:10 --count 5000 --periodic xyz -o dense.vtp --picture dense.png\n"
               "  scree pack drop --sizes uniform-size:1:3 --count 5000 --container cylinder -o heap.vtp --picture heap.png",
    .parts = methods,
    .part = "method",
};
