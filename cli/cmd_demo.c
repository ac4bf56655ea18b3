// scree demo: the main job, start to end: draw sizes, place spheres, find who touches whom, measure, show.
#include "commands.h"
#include "common.h"
#include "scenes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// Radii by the law, then random addition in a cube.
static scree_status make_spheres(const common* co, const char* law, int32_t count, double density, scree_sphere_set* out)
{
    scree_sizes* sizes = NULL;
    scree_sphere_set set = {0};
    scree_status status = scree_read_sizes(law, 3, &sizes);
    if (status == SCREE_OK)
        status = scree_sphere_set_make(3, count, &set);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, co->seed, count, set.r);
    if (status == SCREE_OK)
        status = scene_set_cube(&set, density);
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
    if (status == SCREE_OK && co->check)
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
    scree_status status = scree_picture_write(path, set, &def);
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
    return status;
}

// What the demo shows, in the order in which it is made.
typedef struct demo {
    const char* law;
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
    scree_status status = make_spheres(co, d->law, count, density, &d->set);
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

static void print_all(const common* co, const demo* d)
{
    const scree_measures* m = &d->measures;
    printf("%" PRId32 " spheres by random addition, sizes %s, seed %" PRIu64 "\n", d->set.count, d->law, co->seed);
    printf("radii %.4g to %.4g (ratio %.4g) in a box of side %.4g\n\n", 0.5 * m->d_min, 0.5 * m->d_max, m->d_max / m->d_min,
           d->set.box.upper[0]);
    printf("Who is near whom?\n");
    printf("  %-18s %10s %10s %14s %14s %10s\n", "method", "gap <", "pairs", "exact tests", "tests/sphere", "seconds");
    for (int k = 0; k < d->used; ++k)
        printf("  %-18s %10.4g %10" PRId64 " %14" PRId64 " %14.1f %10.4f\n", scree_method_name(d->rows[k].method),
               d->rows[k].gap, d->rows[k].pairs, d->rows[k].stats.tests, (double)d->rows[k].stats.tests / (double)d->set.count,
               d->rows[k].stats.seconds_build + d->rows[k].stats.seconds_search);
    printf("\nWhat are they like?\n");
    printf("  %-42s %.4g\n", "density", m->density.whole);
    printf("  %-42s %.4g\n", "density away from the walls", m->density.inner);
    printf("  %-42s %" PRId64 "\n", "contacts", m->contacts.contacts);
    printf("  %-42s %.4g\n", "partners per sphere within that gap", m->contacts.coordination);
    printf("  %-42s %.4g\n", "gap to the nearest neighbour, median", m->nearest.median);
    printf("  %-42s %.4g\n", "mean diameter", m->d_mean);
    if (co->out != NULL)
        printf("\nThe spheres are in %s: try 'scree measure %s'.\n", co->out, co->out);
    else
        printf("\n'scree demo -o spheres.csv' keeps the spheres for other commands.\n");
    fflush(stdout);
}

static void print_json(const demo* d, bool agree)
{
    report rep = report_begin(true);
    report_integer(&rep, "n", d->set.count);
    report_text(&rep, "sizes", d->law);
    report_number(&rep, "size_ratio", d->rows[0].stats.size_ratio);
    report_number(&rep, "density", d->measures.density.whole);
    report_integer(&rep, "contacts", d->rows[0].pairs);
    report_number(&rep, "gap", d->rows[1].gap);
    report_integer(&rep, "pairs", d->rows[1].pairs);
    report_integer(&rep, "tests", d->rows[1].stats.tests);
    report_number(&rep, "coordination", d->measures.contacts.coordination);
    report_bool(&rep, "methods_agree", agree);
    report_text(&rep, "picture", d->picture);
    report_end(&rep);
}

static exit_code run(const arguments* args)
{
    common co;
    int64_t count = 20000;
    double density = 0.5;
    if (!common_options_of(args, &co) || !option_integer(args, "count", 1, 10000000, &count) ||
        !option_number(args, "density", &density))
        return EXIT_USAGE;
    if (!(density > 0.0 && density < 1.0)) {
        say("scree demo: --density %g is not between 0 and 1\n", density);
        return EXIT_USAGE;
    }
    demo d = {.look = scree_default_picture_def(),
              .law = option_given(args, "sizes") ? option_text(args, "sizes") : "uniform-volume:1:50",
              .picture = option_given(args, "picture") ? option_text(args, "picture") : "scree-demo.png"};
    if (!option_picture_size(args, &d.look) || !is_picture_target(args, d.picture))
        return EXIT_USAGE;
    scree_status status = make_all(&co, (int32_t)count, density, &d);
    bool agree = true;
    for (int k = 2; k < d.used; ++k)
        agree = agree && d.rows[k].pairs == d.rows[1].pairs;
    agree = agree && d.rows[0].pairs == 0 && d.measures.contacts.near == d.rows[1].pairs;
    if (status == SCREE_OK && !co.json)
        print_all(&co, &d);  // first, so that nothing is lost if the picture cannot be written
    if (status == SCREE_OK)
        status = draw(&co, &d.set, d.look, d.picture);
    if (status == SCREE_OK && co.json)
        print_json(&d, agree);
    else if (status == SCREE_OK)
        printf("The picture is %s.\n", d.picture);
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
    {"count", 'n', "N", "how many spheres (default 20000)"},
    {"sizes", 0, "LAW", "law of sizes (default uniform-volume:1:50)"},
    {"density", 0, "NU", "share of the box that they fill (default 0.5)"},
    {"picture", 0, "P.png", "where the picture goes (default scree-demo.png)"},
    {"size", 0, "WxH", "its size in pixels (default 2000x1500)"},
    {0},
};

static const choice choices[] = {
    SIZES_CHOICE,
    {0},
};

const command cmd_demo = {
    .name = "demo",
    .usage = "[--count N] [--sizes LAW] [--density NU] [--picture P.png] [-o SPHERES.csv]",
    .about = "the main job, start to end, in seconds",
    .details = "Draws radii, places the spheres by random addition without overlap, and finds all pairs closer than a tenth of\n"
               "the smallest radius: by the hierarchical grid, by one grid, and by testing every pair. Then measures\n"
               "the set and draws it.",
    .example = "  scree demo --count 5000 -o spheres.csv",
    .least_files = 0,
    .most_files = 0,
    .options = options,
    .choices = choices,
    .run = run,
};
