// scree demo: draws sizes, places spheres, finds contacts, measures and draws.
#include "commands.h"
#include "common.h"
#include "file_names.h"
#include "scenes.h"
#include "sphere_measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// What random sequential addition reaches without trouble: equal spheres fill 0.38 at most, and small ones go between large ones. Where few spheres are most of
// the volume, the cube has room for several of the largest.
static double usual_density(const scree_sphere_set* set)
{
    double least = INFINITY, most = 0.0, volume = 0.0;
    for (int32_t i = 0; i < set->count; ++i) {
        least = fmin(least, set->r[i]);
        most = fmax(most, set->r[i]);
        volume += 4.0 / 3.0 * 3.14159265358979323846 * pow(set->r[i], 3.0);
    }
    return fmin(most >= 10.0 * least ? 0.5 : 0.3, volume / pow(3.6 * most, 3.0));
}

// Draws the radii, then random sequential addition in a cube. Density 0: the usual one.
static scree_status make_spheres(const common* co, const char* sizes_text, int32_t count, double density, scree_sphere_set* out)
{
    scree_sizes* sizes = NULL;
    scree_sphere_set set = {0};
    scree_status status = scree_read_sizes(sizes_text, 3, &sizes);
    if (status == SCREE_OK)
        status = scree_sphere_set_make(3, count, &set);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, co->seed, count, set.r);
    if (status == SCREE_OK)
        status = scene_set_cube(&set, density > 0.0 ? density : usual_density(&set));
    if (status == SCREE_OK) {
        scree_place_def def = scree_default_place_def();
        def.box = set.box;
        def.seed = co->seed;
        def.watch = run_watch("placing spheres", co->quiet);
        status = scree_place_random(&def, count, set.r, set.x);
        run_watch_end();
    }
    scree_sizes_destroy(sizes);
    if (status == SCREE_OK)
        *out = set;
    else
        scree_sphere_set_free(&set);
    return status;
}

typedef struct row {
    scree_method method;
    double gap;
    int64_t pairs;
    scree_index_stats stats;
} row;

static scree_status search(const common* co, const scree_sphere_set* set, row* out)
{
    scree_index_def def = scree_default_index_def();
    def.method = (int32_t)out->method;
    def.box = set->box;
    def.gap = out->gap;
    def.threads = co->threads;
    def.watch = run_watch("searching", co->quiet);
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status == SCREE_OK && co->validate)
        status = scree_index_validate(index);
    if (status == SCREE_OK) {
        out->pairs = pairs.count;
        out->stats = scree_index_get_stats(index);
    }
    run_watch_end();
    scree_index_destroy(index);
    return status;
}

static scree_status measure(const common* co, const scree_sphere_set* set, double gap, scree_measures* out)
{
    scree_measure_def def = scree_default_measure_def();
    def.box = set->box;
    def.gap = gap;
    def.threads = co->threads;
    def.watch = run_watch("measuring", co->quiet);
    scree_status status = scree_measure(&def, scree_sphere_set_view(set), out);
    run_watch_end();
    return status;
}

static scree_status draw(const common* co, const scree_sphere_set* set, scree_picture_def def, const char* path)
{
    def.threads = co->threads;
    def.watch = run_watch("drawing", co->quiet);
    scree_status status = scree_write_picture(path, set, &def);
    run_watch_end();
    return status;
}

static scree_status keep(const common* co, const scree_sphere_set* set)
{
    if (co->out == NULL)
        return SCREE_OK;
    scree_file_options options = file_options(co, co->out, "writing");
    scree_status status = scree_write_spheres(co->out, &options, set);
    run_watch_end();
    if (status == SCREE_OK)
        run_wrote(co->out);
    return status;
}

// What the demo shows, in the order in which it is made.
typedef struct demo {
    const char* sizes_text;
    const char* picture;
    scree_picture_def look;
    scree_sphere_set set;
    double r_min;
    row rows[4];
    int used;
    scree_measures measures;
} demo;

static void find_smallest(demo* d)
{
    d->r_min = INFINITY;
    for (int64_t i = 0; i < d->set.count; ++i)
        d->r_min = fmin(d->r_min, d->set.r[i]);
}

static scree_status make_all(const common* co, int32_t count, double density, demo* d)
{
    scree_status status = make_spheres(co, d->sizes_text, count, density, &d->set);
    if (status != SCREE_OK)
        return status;
    find_smallest(d);
    double gap = 0.1 * d->r_min;
    d->rows[0] = (row){.method = SCREE_METHOD_HIERARCHICAL_GRID, .gap = 0.0};
    d->rows[1] = (row){.method = SCREE_METHOD_HIERARCHICAL_GRID, .gap = gap};
    d->rows[2] = (row){.method = SCREE_METHOD_LINKED_CELLS, .gap = gap};
    d->rows[3] = (row){.method = SCREE_METHOD_ALL_PAIRS, .gap = gap};
    d->used = count <= 50000 ? 4 : 2;  // the others are quadratic, or nearly so
    for (int k = 0; k < d->used && status == SCREE_OK; ++k)
        status = search(co, &d->set, &d->rows[k]);
    if (status == SCREE_OK)
        status = measure(co, &d->set, gap, &d->measures);
    if (status == SCREE_OK)
        status = keep(co, &d->set);
    return status;
}

static void tell(const common* co, const demo* d, bool agree, result* res)
{
    const scree_measures* m = &d->measures;
    const char* method[4];
    double gap[4], per_sphere[4], seconds[4];
    int64_t pairs[4], tests[4];
    for (int k = 0; k < d->used; ++k) {
        method[k] = scree_method_name(d->rows[k].method);
        gap[k] = d->rows[k].gap;
        pairs[k] = d->rows[k].pairs;
        tests[k] = d->rows[k].stats.tests;
        per_sphere[k] = (double)tests[k] / (double)d->set.count;
        seconds[k] = d->rows[k].stats.seconds_build + d->rows[k].stats.seconds_search;
    }
    *res = result_begin("demo");
    res->width = 28;
    result_section(res, "Spheres, placed by random sequential addition");
    measures_box(res, m, &d->set);
    result_text(res, "sizes", d->sizes_text);
    result_integer(res, "seed", (int64_t)co->seed);
    result_table(res, "searches", "Pairs nearer than a gap, by several methods", 6,
                 (result_column[]){{.name = "method", .texts = method},
                                   {.name = "gap", .values = gap},
                                   {.name = "pairs", .integers = pairs},
                                   {.name = "tests", .integers = tests},
                                   {.name = "tests_per_sphere", .values = per_sphere},
                                   {.name = "seconds", .values = seconds}},
                 d->used);
    result_section(res, "Measures");
    result_number(res, "density", m->density.whole);
    result_number(res, "density_inner", m->density.inner);
    result_integer(res, "contacts", m->contacts.contacts);
    result_number(res, "gap", m->contacts.gap);
    result_integer(res, "pairs", d->rows[1].pairs);
    result_integer(res, "tests", d->rows[1].stats.tests);
    result_number(res, "coordination", m->contacts.coordination);
    result_number(res, "nearest_gap_median", m->nearest_gaps.median);
    result_bool(res, "methods_agree", agree);
    result_text(res, "picture", d->picture);
    if (co->out != NULL)
        result_text(res, "out", co->out);
}

static exit_code run(const arguments* args)
{
    common co;
    int64_t count = 20000;
    double density = 0.0;
    if (!common_options_of(args, &co) || !option_integer(args, "count", 1, 10000000, &count) ||
        !option_number(args, "density", &density))
        return EXIT_USAGE;
    if (option_given(args, "density") && !(density > 0.0 && density < 1.0)) {
        say("scree demo: --density expects a number between 0 and 1, got %g\n", density);
        return EXIT_USAGE;
    }
    demo d = {.look = scree_default_picture_def(),
              .sizes_text = option_given(args, "sizes") ? option_text(args, "sizes") : "uniform-volume:1:50",
              .picture = option_given(args, "picture") ? option_text(args, "picture") : "scree-demo.png"};
    if (!option_picture_size(args, &d.look) || !is_picture_target(args, d.picture))
        return EXIT_USAGE;
    exit_code code = file_names_check(args, &co);
    if (code != EXIT_DONE)
        return code;
    scree_status status = make_all(&co, (int32_t)count, density, &d);
    bool agree = true;
    for (int k = 2; k < d.used; ++k)
        agree = agree && d.rows[k].pairs == d.rows[1].pairs;
    agree = agree && d.rows[0].pairs == 0 && d.measures.contacts.pairs == d.rows[1].pairs;
    result res = {0};
    if (status == SCREE_OK)
        tell(&co, &d, agree, &res);
    if (status == SCREE_OK && !co.json) {
        result_print(&res, false);  // first, so that nothing is lost if writing the picture fails
        fflush(stdout);
    }
    if (status == SCREE_OK)
        status = draw(&co, &d.set, d.look, d.picture);
    if (status == SCREE_OK && co.json)
        result_print(&res, true);
    if (status == SCREE_OK && !co.json && !co.quiet && co.out != NULL)
        say("note: the spheres are in %s; try 'scree measure %s'\n", co.out, co.out);
    else if (status == SCREE_OK && !co.json && !co.quiet)
        say("note: 'scree demo -o spheres.csv' keeps the spheres for other commands\n");
    result_free(&res);
    scree_measures_free(&d.measures);
    scree_sphere_set_free(&d.set);
    if (status != SCREE_OK)
        return status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
    if (!agree) {
        say("scree demo: the methods disagree or spheres overlap; please report this\n");
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static const option options[] = {
    {"count", 'n', "N", "number of spheres (default 20000)"},
    SIZES_OPTION("size distribution (default uniform-volume:1:50)"),
    {"density", 0, "NU", "volume fraction (default 0.5; 0.3 for radii within a factor of 10; less for few spheres)"},
    {"picture", 0, "P.png", "write the picture there (default scree-demo.png)"},
    {"size", 0, "WxH", "size of the picture in pixels (default 2000x1500)"},
    VALIDATE_OPTION("check the internal data structures of the search (slow)"),
    {0},
};

static const file_use uses[] = {{WRITES_FILE, "out", NULL}, {WRITES_FILE, "picture", "scree-demo.png"}, {0}};

static const old_spelling old[] = {OLD_CHECK, {0}};

static const choice choices[] = {
    SIZES_CHOICE,
    {0},
};

const command cmd_demo = {
    .name = "demo",
    .usage = "[--count N] [--sizes SIZES] [--density NU] [--picture P.png] [-o SPHERES.csv]",
    .about = "generates spheres, finds their contacts, measures and draws them",
    .details = "Draws radii, places the spheres by random sequential addition, and finds all pairs closer than a tenth of the smallest radius: by the hierarchical grid, by linked "
               "cells, and by testing every pair. Then measures the spheres and draws them.",
    .example = "  scree demo --count 5000 -o spheres.csv",
    .least_files = 0,
    .most_files = 0,
    .options = options,
    .choices = choices,
    .old = old,
    .uses = uses,
    .run = run,
};
