// scree pack: spheres of a law of sizes, packed, checked from scratch, and only then written.
#include "commands.h"
#include "packers.h"
#include "ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const packer packers[] = {
    {.name = "rsa", .long_name = "random addition", .round_containers = true, .easy_density = pack_rsa_density, .pack = pack_rsa, .tell = pack_rsa_tell,
     .tables = pack_rsa_tables},
    {.name = "drop", .long_name = "sequential deposition", .round_containers = true, .heaps = true, .pack = pack_drop},
    {.name = "rearrange", .long_name = "collective rearrangement", .round_containers = true, .pack = pack_rearrange, .tell = pack_rearrange_tell},
    {.name = "grow", .long_name = "event-driven growth", .easy_density = pack_grow_density, .pack = pack_grow, .tell = pack_grow_tell},
    {.name = "dem", .long_name = "compression", .makes_overlaps = true, .pack = pack_dem},
    {.name = "hierarchical", .long_name = "hierarchical packing", .windows = true, .pack = pack_hierarchical, .tell = pack_hierarchical_tell, .tables = pack_hierarchical_tables},
};
enum { packer_count = sizeof packers / sizeof *packers };

static const char* packer_name(int p)
{
    return p >= 0 && p < packer_count ? packers[p].name : NULL;
}

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

typedef struct told {
    const char* label;
    const double *density, *overlap;
    char line[96];
    scree_watch watch;
} told;

static told now_told;

static bool tell(void* context, double done)
{
    told* t = context;
    int used = snprintf(t->line, sizeof t->line, "%s: density %.4f", t->label, *t->density);
    if (t->overlap != NULL)
        used += snprintf(t->line + used, sizeof t->line - (size_t)used, ", largest overlap %.1e", *t->overlap);
    snprintf(t->line + used, sizeof t->line - (size_t)used, ";");
    return t->watch.tick(t->watch.context, done);
}

scree_watch pack_watch_density(const pack_wish* wish, const char* label, const double* density, const double* overlap)
{
    now_told = (told){.label = label, .density = density, .overlap = overlap};
    now_told.watch = pack_watch(wish, now_told.line);
    return (scree_watch){.tick = tell, .context = &now_told};
}

void pack_watch_end(void)
{
    run_watch_end();
}

// ---- What is asked for ---------------------------------------------------------------------------------------------

#define MISUSE(...) (say("scree pack: " __VA_ARGS__), EXIT_USAGE)

// --box and --periodic; without --box a cube whose side is set later. The height of a heap may be left out.
static exit_code read_box(const arguments* args, const packer* how, int32_t dim, int32_t container, scree_box* box, bool* given)
{
    bool open = how->heaps && container != SCREE_CONTAINER_SPHERE;
    double size[3] = {1.0, 1.0, 1.0};
    int lengths;
    if (!option_numbers(args, "box", 3, size, &lengths))
        return EXIT_USAGE;
    *given = lengths > 0;
    if (*given && lengths != dim && !(open && lengths == dim - 1))
        return MISUSE("--box gives %d lengths for %dD: %s would be right%s\n", lengths, (int)dim, dim == 2 ? "--box LX,LY" : "--box LX,LY,LZ",
                      !open ? "" : dim == 2 ? ", or LX alone: the height is an outcome" : ", or LX,LY: the height is an outcome");
    size[dim - 1] = open ? 1.0 : size[dim - 1];
    for (int k = 0; k < lengths; ++k)
        if (!(size[k] > 0.0))
            return MISUSE("--box: a length of %g on axis %c; it must be above 0\n", size[k], "xyz"[k]);
    *box = scree_box_sized(dim, size);
    const char* axes = option_text(args, "periodic");
    if (axes != NULL && strcmp(axes, "none") != 0) {
        if (*axes == '\0' || strspn(axes, dim == 2 ? "xy" : "xyz") != strlen(axes))
            return MISUSE("--periodic takes the letters of axes (%s, or none), and '%s' is not that\n", dim == 2 ? "xy, x, y" : "xyz, xy, z",
                          axes);
        for (int k = 0; k < dim; ++k)
            box->periodic[k] = strchr(axes, "xyz"[k]) != NULL;
    }
    if (container != SCREE_CONTAINER_BOX && !how->round_containers)
        return MISUSE("--container %s: --method %s packs into boxes only\n", scree_container_name(container), how->name);
    return scree_container_check(&(scree_container){.kind = container, .box = *box}) == SCREE_OK ? EXIT_DONE : run_misused(args);
}

static double volume_of(int32_t dim, double cube)
{
    const double pi = 3.14159265358979323846;
    return (dim == 2 ? pi : 4.0 / 3.0 * pi) * cube;
}

// Options that only some ways know.
static const struct {
    const char *option, *methods;
} of_methods[] = {
    {"saturate", "rsa"},         {"rounds", "rsa"},           {"lowest", "drop"},          {"centre", "drop"},   {"index", "rearrange, grow, dem or hierarchical"}, {"moves", "rearrange"},
    {"growth", "rearrange"},     {"attraction", "rearrange"}, {"rate", "grow or dem"}, {"tolerance", "rearrange or dem"},
    {"ranks", "dem"},            {"pressure", "grow or dem"}, {"collisions", "grow"},      {"restitution", "grow"},     {"start-density", "rearrange or grow"},
    {"as-paper", "rearrange"},   {"centres", "rearrange"},    {"margin", "rearrange"},     {"margin-least", "rearrange"},
    {"warm-up", "rearrange"},    {"checkpoint", "rearrange"}, {"checkpoint-every", "rearrange"}, {"class-ratio", "hierarchical"},  {"window", "hierarchical"},  {"repeats", "hierarchical"},
};

static bool names_method(const char* methods, const char* name)
{
    size_t length = strlen(name);
    for (const char* at = strstr(methods, name); at != NULL; at = strstr(at + 1, name))
        if ((at == methods || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' ' || at[length] == ','))
            return true;
    return false;
}

// Two of --count, --density and --box say all; to saturate, one of --count and --box.
static exit_code check_wish(const arguments* args, const packer* how, pack_wish* wish)
{
    if (option_given(args, "density") && !(wish->density > 0.0 && wish->density < 1.0))
        return MISUSE("--density %g is not between 0 and 1\n", wish->density);
    if (!(wish->time > 0.0))
        return MISUSE("--time %g: seconds are above 0\n", wish->time);
    for (size_t k = 0; k < sizeof of_methods / sizeof *of_methods; ++k)
        if (option_given(args, of_methods[k].option) && !names_method(of_methods[k].methods, how->name))
            return MISUSE("--%s belongs to --method %s\n", of_methods[k].option, of_methods[k].methods);
    if (option_given(args, "centre") && (wish->has_box || option_given(args, "periodic") || wish->container != SCREE_CONTAINER_BOX))
        return MISUSE("--centre makes a cluster around the origin, without walls: no --box, --periodic or --container goes with it\n");
    if (how->easy_density == NULL && wish->density > 0.0)
        return MISUSE("--density: with --method %s the density is an outcome; give --count, and --box for the shape of the box\n", how->name);
    if (how->windows && (wish->has_box || option_given(args, "periodic") || option_given(args, "sampling") || wish->stable))
        return MISUSE("--method hierarchical packs periodic windows of its own: no --box, --periodic, --sampling or --stable goes with it\n");
    if (how->easy_density == NULL && wish->count == 0 && !how->windows)
        return MISUSE("how many? --method %s needs --count N\n", how->name);
    if (wish->saturate && (wish->density > 0.0 || (!wish->has_box && wish->count == 0)))
        return MISUSE("--saturate chooses the density itself: give --box, or --count for a cube that so many equal spheres would fill, and no --density\n");
    if (wish->stable && option_given(args, "centre"))
        return MISUSE("--stable compresses a packing in a box, and --centre makes a cluster without one\n");
    if (option_given(args, "overlap") && !wish->stable)
        return MISUSE("--overlap goes with --stable\n");
    if (option_given(args, "rounds") && !wish->saturate)
        return MISUSE("--rounds goes with --saturate\n");
    if (wish->count > 0 && wish->density > 0.0 && wish->has_box)
        return MISUSE("give only two of --count, --density and --box: they give the third\n");
    if (wish->count == 0 && !wish->saturate && !how->windows && !(wish->has_box && wish->density > 0.0))
        return MISUSE("how many? Give --count N, or --box with --density\n");
    return EXIT_DONE;
}

static exit_code check_targets(const common* co, const char* picture)
{
    if (co->out == NULL)
        return MISUSE("-o OUT is needed: where the packing goes (csv, vtp, xyz, lammps or npy)\n");
    if (co->format == SCREE_FORMAT_AUTO && scree_format_of_path(co->out) == SCREE_FORMAT_AUTO)
        return MISUSE("'%s': the name does not tell the format: say --format (known: csv, vtp, xyz, lammps, npy)\n", co->out);
    if (strcmp(co->out, "-") == 0 && (co->json || (picture != NULL && strcmp(picture, "-") == 0)))
        return MISUSE("--json, -o - and --picture - cannot share standard output\n");
    if (co->json && picture != NULL && strcmp(picture, "-") == 0)
        return MISUSE("--json and --picture - cannot both have standard output\n");
    return EXIT_DONE;
}

// About where random addition from large to small ends: 0.384 (2D: 0.547) for equal spheres, more for wide laws, in which small ones go
// between large ones. A guess, from the radii below which a tenth and nine tenths of the volume are; it only sets how many radii a list has.
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

// The number that the box holds at the density, on average over the law.
static scree_status count_for_box(pack_wish* wish, const scree_box* box)
{
    double volume = scree_container_volume(&(scree_container){.kind = wish->container, .box = *box});
    double density = wish->saturate ? full_density(wish->sizes, box->dim) : wish->density;
    double count = round(density * volume / volume_of(box->dim, scree_sizes_moment(wish->sizes, box->dim)));
    if (!(count >= 1.0 && count <= INT32_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "this box holds %.3g spheres of %s at density %g; it takes a box for 1 to %" PRId32, count,
                          scree_sizes_text(wish->sizes), density, INT32_MAX);
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

// What random close packing would have; NAN for discs. More than that is not to be had at random.
static scree_status predict(const packer* how, const pack_wish* wish, const scree_sphere_set* set, double* out)
{
    *out = NAN;
    if (set->dim == 2)
        return SCREE_OK;
    scree_status status = scree_predict_density(set->dim, set->count, set->r, out);
    double asked = scree_spheres_volume(scree_sphere_set_view(set)) /
                   scree_container_volume(&(scree_container){.kind = wish->container, .box = set->box});
    if (status == SCREE_OK && !wish->saturate && !how->makes_overlaps && how->easy_density != NULL && asked > *out)
        return scree_fail(SCREE_ERR_ARGUMENT, "density %.4g is asked for, and a random close packing of these sizes has about %.3g; %s "
                          "reaches less", asked, *out, how->long_name);
    return status;
}

// ---- What came out -------------------------------------------------------------------------------------------------

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

// From the centres alone, whatever the way of packing says of itself.
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
    def.method = co->check ? SCREE_METHOD_ALL_PAIRS : SCREE_METHOD_AUTO;
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
    if (status == SCREE_OK && picture != NULL) {
        look.threads = co->threads;
        if (!run_interrupted())
            look.watch = run_watch("drawing", co->quiet);
        status = scree_picture_write(picture, &pk->set, &look);
        run_watch_end();
    }
    return status;
}

// Files that cannot hold the box are measured in it all the same, if one knows how.
static void note_box(const common* co, const scree_sphere_set* set)
{
    for (int k = 0; k < set->dim; ++k)
        if (set->box.lower[k] != 0.0)
            return;  // --box begins at 0: around a cluster there is none
    if (co->quiet || file_keeps(co, co->out, set, -1))
        return;
    say("note: '%s' does not keep the box: --box ", co->out);
    for (int k = 0; k < set->dim; ++k)
        say("%s%.17g", k > 0 ? "," : "", set->box.upper[k]);
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

static void report_sizes(report* rep, const pack_wish* wish, const scree_size_curve* curve)
{
    double number[size_rows], mass[size_rows];
    for (int32_t k = 0; k < curve->rows; ++k) {
        number[k] = scree_sizes_cdf(wish->sizes, 0.5 * curve->d[k]);
        mass[k] = scree_sizes_cdf_mass(wish->sizes, 0.5 * curve->d[k]);
    }
    report_table(rep, "size_curve", "size curve: share of spheres no larger, by number and by mass, realised and wished", 5,
                 (report_column[]){{.name = "d", .values = curve->d},
                                   {.name = "by_number", .values = curve->by_number},
                                   {.name = "number_wished", .values = number},
                                   {.name = "by_mass", .values = curve->by_mass},
                                   {.name = "mass_wished", .values = mass}},
                 curve->rows);
}

// The highest value and the lowest one after it. JSON has the curve.
static void report_gr(report* rep, const scree_pair_distribution* gr)
{
    int32_t peak = 0, valley = -1;
    for (int32_t b = 0; b < gr->bins; ++b)
        peak = gr->g[b] > gr->g[peak] ? b : peak;
    for (int32_t b = peak; b < gr->bins; ++b)
        valley = valley < 0 || gr->g[b] < gr->g[valley] ? b : valley;
    bool any = gr->bins > 0 && gr->g[peak] > 0.0;
    double middle[gr_bins];
    for (int32_t b = 0; b < gr->bins; ++b)
        middle[b] = 0.5 * (gr->r[b] + gr->r[b + 1]);
    report_number(rep, "g_highest", any ? gr->g[peak] : NAN);
    report_number(rep, "g_highest_at", any ? middle[peak] : NAN);
    report_number(rep, "g_lowest_after", any ? gr->g[valley] : NAN);
    report_number(rep, "g_lowest_at", any ? middle[valley] : NAN);
    if (rep->json)
        report_table(rep, "g_r", "g(r)", 2, (report_column[]){{.name = "r", .values = middle}, {.name = "g", .values = gr->g}}, gr->bins);
}

static void report_packing(const pack_wish* wish, const packing* pk)
{
    const scree_measures* m = &pk->measures;
    report rep = report_begin(wish->co->json);
    rep.width = 32;
    double size[3];
    char periodic[4] = "";
    for (int k = 0; k < m->dim; ++k) {
        size[k] = pk->set.box.upper[k] - pk->set.box.lower[k];
        if (pk->set.box.periodic[k])
            strcat(periodic, (const char*[]){"x", "y", "z"}[k]);
    }
    report_integer(&rep, "n", m->n);
    report_integer(&rep, "dim", m->dim);
    report_text(&rep, "method", pk->how->name);
    report_text(&rep, "sizes", scree_sizes_text(wish->sizes));
    report_text(&rep, "container", scree_container_name(wish->container));
    report_numbers(&rep, "box_size", size, m->dim);
    report_text(&rep, "periodic", periodic[0] == '\0' ? "none" : periodic);
    report_number(&rep, "density", m->density.whole);
    report_number(&rep, "density_inner", m->density.inner);
    report_number(&rep, "predicted_density", pk->predicted);
    report_number(&rep, "max_overlap", fmax(m->contacts.max_overlap, pk->wall_overlap));
    report_number(&rep, "gap", m->contacts.gap);
    report_number(&rep, "coordination", m->contacts.coordination);
    report_number(&rep, "coordination_without_rattlers", m->contacts.backbone_coordination);
    report_integer(&rep, "rattlers", m->contacts.rattlers);
    report_bool(&rep, "converged", pk->converged);
    if (pk->how->tell != NULL)
        pk->how->tell(&rep);
    if (wish->stable)
        pack_stable_tell(&rep, pk);
    report_number(&rep, "seconds", pk->seconds);
    report_gr(&rep, &m->pair_distribution);
    if (!pk->how->windows)
        report_sizes(&rep, wish, &m->sizes);
    if (pk->how->tables != NULL)
        pk->how->tables(&rep);
    report_end(&rep);
}

// ---- The command ---------------------------------------------------------------------------------------------------

scree_status pack_option_wrong(void)
{
    return scree_fail(SCREE_ERR_ARGUMENT, "%s", "");
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
        say("note: a random close packing of these sizes has about density %.3g (Farr and Groot's estimate)\n", pk->predicted);
    double begin = run_seconds();
    time_limit = (limit){.end = begin + wish->time};
    if (status == SCREE_OK)
        status = pk->how->pack(wish, &pk->set, &pk->converged);
    if (status == SCREE_OK && wish->stable && !run_interrupted())
        status = pack_stable(wish, pk);
    pk->seconds = run_seconds() - begin;
    if (status == SCREE_ERR_CANCELLED && time_limit.over && !run_interrupted()) {
        say("scree pack: the %g s of --time are over before %s came to its end; nothing was written\n", wish->time,
            pk->how->long_name);
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
    if (strcmp(wish->co->out, "-") != 0 && (picture == NULL || strcmp(picture, "-") != 0))
        report_packing(wish, pk);
    note_box(wish->co, &pk->set);
    const char* page = option_text(args, "report");
    if (page != NULL && pack_report_write(page, wish, pk) != SCREE_OK) {
        say("scree pack: the report could not be written: %s. The packing is in '%s' all the same\n", scree_error_message(), wish->co->out);
        return EXIT_FAILED;
    }
    if (run_interrupted()) {
        scree_fail(SCREE_ERR_CANCELLED, "stopped; '%s' holds the packing as it was then: valid, but not converged", wish->co->out);
        return run_stopped(args);
    }
    if (!pk->converged && !wish->co->quiet)
        say("note: not converged: '%s' holds what was reached in %.3g s\n", wish->co->out, pk->seconds);
    return EXIT_DONE;
}

static exit_code run(const arguments* args)
{
    common co;
    int64_t count = 0, dim = 3;
    int method = 0, sampling = SCREE_SAMPLING_SYSTEMATIC, container = SCREE_CONTAINER_BOX;
    pack_wish wish = {.args = args, .co = &co, .saturate = option_given(args, "saturate"), .time = INFINITY, .stable = option_given(args, "stable")};
    const char* picture = option_text(args, "picture");
    scree_picture_def look = scree_default_picture_def();
    if (!common_options_of(args, &co) || !option_integer(args, "count", 1, INT32_MAX, &count) ||
        !option_integer(args, "dim", 2, 3, &dim) || !option_number(args, "density", &wish.density) ||
        !option_number(args, "time", &wish.time) || !option_choice(args, "method", packer_name, &method) ||
        !option_choice(args, "sampling", sampling_name, &sampling) || !option_choice(args, "container", container_name_at, &container) || !option_picture_size(args, &look) ||
        (picture != NULL && !is_picture_target(args, picture)) || !pack_report_target(args, &co))
        return EXIT_USAGE;
    packing pk = {.how = &packers[method]};
    wish.count = (int32_t)count;
    wish.container = container;
    if (!option_given(args, "method") || !option_given(args, "sizes"))
        return MISUSE("--sizes LAW and --method M are needed, e.g. --sizes uniform-size:1:2 --method rsa\n");
    scree_box box;
    exit_code code = read_box(args, pk.how, (int32_t)dim, container, &box, &wish.has_box);
    if (code == EXIT_DONE)
        code = check_wish(args, pk.how, &wish);
    if (code == EXIT_DONE)
        code = check_targets(&co, picture);
    if (code == EXIT_DONE)
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

static const option options[] = {
    {"sizes", 's', "LAW", "law of sizes: mono:R, uniform-size:MIN:MAX, table:FILE.csv, ... (docs/sizes.md)"},
    {"count", 'n', "N", "how many spheres"},
    {"method", 'm', "NAME", "how: rsa, random addition; drop, fall and roll; rearrange, dense; grow, hard spheres in motion; dem, pressed; hierarchical, density of recipes of any size ratio"},
    {"density", 0, "NU", "share of the box that they fill (rsa: default 0.15, 2D: 0.25, without --box)"},
    {"saturate", 0, NULL, "rsa: large to small, and on from the law in rounds, until provably none of the smallest fits anywhere"},
    {"rounds", 0, "K", "with --saturate: at most K rounds (default 0: as many as it takes); 1: each radius once, those without a place are counted"},
    {"box", 'b', "LX,LY,LZ", "the box, from 0 (default: a cube by count and density); drop: LX,LY will do"},
    {"container", 0, "NAME", "rsa, drop, rearrange: box (default), cylinder (along z; LX = LY) or sphere (2D: circle; LX = LY = LZ) in that box"},
    {"lowest", 0, "K", "drop: of K falls from random places the one that ends lowest counts (default 1)"},
    {"centre", 0, NULL, "drop: towards a centre, from random directions: a cluster around the origin without walls"},
    {"periodic", 'p', "AXES", "periodic axes, e.g. xyz or xy; others have walls; none (default)"},
    {"dim", 0, "2|3", "dimension (default 3)"},
    {"index", 0, "NAME", "rearrange, grow, dem, hierarchical: method that finds neighbours; the packing does not depend on it"},
    {"as-paper", 0, NULL, "rearrange: the settings of Raschdorf and Kolonko, but for options that are given (docs/rearrange.md)"},
    {"moves", 0, "HOW", "rearrange: together (default) or one-by-one, each sphere at once, as in the paper: slower, and less dense for wide laws"},
    {"centres", 0, "HOW", "rearrange: at the start spread (default), without small spheres deep inside large ones, or random, as in the paper"},
    {"tolerance", 0, "T", "rearrange: ends when no overlap is above T smaller diameters; these are then taken away (default 1e-4); dem: of pressure and balance (1e-2)"},
    {"growth", 0, "G", "rearrange: how fast the box grows, above 0, at most 1 (default 0.012); less is slower and denser"},
    {"warm-up", 0, "N", "rearrange: sweeps before the box grows for the first time (default 300)"},
    {"attraction", 0, "A", "rearrange: spheres without overlap move towards their nearest neighbour by this share, 0 to 1, of half the gap, in each sweep (default 0)"},
    {"margin", 0, "D", "rearrange, one-by-one: delta_V, the margin of the Verlet lists, in smallest diameters (default 0: chosen); below 0: no lists"},
    {"margin-least", 0, "D", "rearrange, with --margin: delta_V falls to this as the spheres come to rest (default 0: it stays)"},
    {"rate", 0, "G", "grow: growth of the diameter over the thermal velocity (default 0.02; 0.01 until jammed); 0.1 quick, 0.001 slow and dense; 0: motion only; dem: strain per contact (1e-3)"},
    {"start-density", 0, "NU", "rearrange: volume of the spheres to that of the box at the start (default 0.9); grow: density of the random addition that growth begins with, less where that finds no room (default 0.25); 0: points"},
    {"ranks", 0, "N", "dem: share the steps among N processes, by mpirun and scree-mpi; the result does not depend on it"},
    {"pressure", 0, "P", "grow: ends at this reduced pressure (default 1e6 without --density and --box), jammed if it stays at constant size; dem: by stiffness over mean diameter (1e-4)"},
    {"collisions", 0, "K", "grow: then so many collisions per sphere at constant size, half of them measured (default 0; at rate 0: 100)"},
    {"restitution", 0, "E", "grow: of these collisions, 0 to 1 (default 1)"},
    {"checkpoint", 0, "FILE", "rearrange: keep the state there; the same command goes on from it, to the same bits, and removes it at the end"},
    {"checkpoint-every", 0, "S", "with --checkpoint: seconds between two (default 30)"},
    {"class-ratio", 0, "Q", "hierarchical: sizes in classes at most so wide (default 3.162, two to a decade); --count is the number of spheres in a window (20000)"},
    {"window", 0, "W", "hierarchical: classes in a window (default 3); more takes many more spheres"},
    {"repeats", 0, "K", "hierarchical: packings of each window, for the error (default 3)"},
    {"stable", 0, NULL, "then press the packing a little, or let go, until all forces balance: a jammed state of frictionless soft spheres; rattlers are counted"},
    {"overlap", 0, "D", "with --stable: mean overlap at the end, in diameters (default 1e-5); less is closer to isostatic, and slower"},
    {"sampling", 0, "NAME", "how radii are drawn: systematic (default), shifted or random"},
    {"time", 0, "S", "give up after S seconds"},
    {"report", 0, "PAGE.html", "a page too: what was asked and what came out, with curves and a picture"},
    {"picture", 0, "P.png", "a picture too"},
    {"size", 0, "WxH", "its size in pixels (default 2000x1500)"},
    {0},
};

static const choice choices[] = {
    {.option = "method", .names = packer_name},
    {.option = "container", .names = container_name_at},
    {.option = "index", .names = method_name_at},
    {.option = "moves", .names = moves_name_at},
    {.option = "centres", .names = centres_name_at},
    {.option = "sampling", .names = sampling_name},
    SIZES_CHOICE,
    PERIODIC_CHOICE,
    {.option = "dim", .names = dimension_at, .open = true},
    {0},
};

const command cmd_pack = {
    .name = "pack",
    .usage = "--sizes LAW --count N --method rsa|drop|rearrange|grow|dem|hierarchical [--density NU | --saturate] [--box LX,LY,LZ] [--periodic xyz] -o OUT",
    .about = "spheres of a law of sizes, packed into a box",
    .details = "Two of --count, --density and --box give the third. Before packing, the density of a random close packing is estimated\n"
               "(3D); afterwards overlaps, density and contacts are found again from the centres alone, and only then the\n"
               "file is written. coordination counts partners nearer than the gap; density inner keeps away from walls.\n"
               "--saturate: given --box, or --count for a cube that so many equal spheres would fill; with both, rounds of so many radii. Of other\n"
               "size distributions more spheres fit, many more of wide ones, because small spheres fill the gaps.\n"
               "drop: spheres fall and roll to rest one by one, sizes mixed; the height is an outcome; the file is in order of arrival.\n"
               "rearrange: dense; the box is an outcome and --box its shape. Ctrl-C and --time write what there is, not converged. density_net counts\n"
               "overlaps, of overlap_left smaller diameters at most, that the final scaling takes away.\n"
               "grow: to --density or into --box, or until jammed; spheres that cannot get there end in a larger box, and converged says which.\n"
               "Jammed: at constant size the pressure becomes steady and stays high, and contacts suffice; if not, a slower --rate is named.\n"
               "dem: soft spheres, pressed by simulation to a jammed state at --pressure; they overlap a little.\n"
               "hierarchical: the density of the whole recipe, from packings of windows of a few classes each (recipe_density); OUT is the window of the coarsest sizes, and\n"
               "OUT with .level-2, .level-3, ... before its extension are the next ones. density and contacts are those of the window.\n"
               "rearrange leaves most spheres of a wide distribution as rattlers, and hardly any contacts. --stable, with any method, ends in force balance: overlaps of\n"
               "about --overlap diameters, net forces below 1e-6 of the mean contact force, contacts as many as isostatic (stable_contacts, stable_isostatic).\n"
               "--report: a page about what was asked for and what came out, for people.",
    .example = "  scree pack --sizes uniform-size:1:3 --count 5000 --method drop --container cylinder -o heap.vtp --picture heap.png\n"
               "  scree pack --sizes uniform-volume:1:10 --count 5000 --method rearrange --periodic xyz -o dense.vtp --picture dense.png\n"
               "  scree pack --sizes uniform-volume:1:10 --count 5000 --method rsa --density 0.4 --periodic xyz -o packing.vtp\n"
               "  scree pack --sizes mono:0.5 --method rsa --saturate --box 20,20,20 --periodic xyz -o full.vtp\n"
               "  scree pack --sizes uniform-volume:1:5 --method rsa --saturate --dim 2 --box 100,100 --periodic xy -o full.vtp --picture full.png",
    .least_files = 0,
    .most_files = 0,
    .options = options,
    .choices = choices,
    .run = run,
};
