// scree demo: the main job, start to end: draw sizes, place spheres, find who touches whom.
#include "commands.h"
#include "common.h"
#include "scenes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// Radii by the law, then random addition.
static scree_status make_spheres(const common* co, const char* law, int32_t count, double density, scree_sphere_set* out)
{
    scree_sizes* sizes = NULL;
    double* r = NULL;
    scree_status status = scree_sizes_read(law, 3, &sizes);
    if (status == SCREE_OK && (r = scree_malloc((size_t)count, sizeof *r)) == NULL)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, co->seed, count, r);
    if (status == SCREE_OK) {
        addition_def def = scene_default_addition();
        def.count = count;
        def.r = r;
        def.density = density;
        def.seed = co->seed;
        def.watch = run_watch("placing spheres", co->quiet);
        status = scene_random_addition(&def, out);
        run_watch_end();
    }
    scree_sizes_free(sizes);
    scree_free(r);
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

static exit_code run(const arguments* args)
{
    common co;
    int64_t count = 20000;
    double density = 0.5;
    if (!common_options_of(args, &co) || !option_integer(args, "count", 1, 10000000, &count) ||
        !option_number(args, "density", &density))
        return EXIT_USAGE;
    const char* law = option_given(args, "sizes") ? option_text(args, "sizes") : "uniform-volume:1:50";

    scree_sphere_set set = {0};
    scree_status status = make_spheres(&co, law, (int32_t)count, density, &set);
    double r_min = INFINITY, r_max = 0.0;
    for (int64_t i = 0; i < set.count; ++i) {
        r_min = fmin(r_min, set.r[i]);
        r_max = fmax(r_max, set.r[i]);
    }
    row rows[] = {{.method = SCREE_METHOD_HIERARCHICAL_GRID, .gap = 0.0},
                  {.method = SCREE_METHOD_HIERARCHICAL_GRID, .gap = 0.1 * r_min},
                  {.method = SCREE_METHOD_LINKED_CELLS, .gap = 0.1 * r_min},
                  {.method = SCREE_METHOD_ALL_PAIRS, .gap = 0.1 * r_min}};
    int used = count <= 50000 ? 4 : 2;  // the others are quadratic, or nearly so
    for (int k = 0; k < used && status == SCREE_OK; ++k)
        status = search(&co, &set, &rows[k]);
    if (status == SCREE_OK && co.out != NULL) {
        scree_file_options options = file_options(&co, co.out, "writing");
        status = scree_write_spheres(co.out, &options, &set);
        run_watch_end();
    }
    if (status != SCREE_OK) {
        scree_sphere_set_free(&set);
        return run_failed(args, status);
    }

    double volume = scree_box_volume(&set.box);
    bool agree = used < 4 || (rows[1].pairs == rows[2].pairs && rows[1].pairs == rows[3].pairs);
    if (co.json) {
        report rep = report_begin(true);
        report_integer(&rep, "n", set.count);
        report_text(&rep, "sizes", law);
        report_number(&rep, "size_ratio", rows[0].stats.size_ratio);
        report_number(&rep, "density", scree_spheres_volume(scree_sphere_set_view(&set)) / volume);
        report_integer(&rep, "contacts", rows[0].pairs);
        report_number(&rep, "gap", rows[1].gap);
        report_integer(&rep, "pairs", rows[1].pairs);
        report_integer(&rep, "tests", rows[1].stats.tests);
        report_bool(&rep, "methods_agree", agree);
        report_end(&rep);
    } else {
        printf("%" PRId32 " spheres by random addition, sizes %s, seed %" PRIu64 "\n", set.count, law, co.seed);
        printf("radii %.4g to %.4g (ratio %.4g), box side %.4g, density %.4g\n\n", r_min, r_max, rows[0].stats.size_ratio,
               set.box.upper[0], scree_spheres_volume(scree_sphere_set_view(&set)) / volume);
        printf("%-18s %10s %10s %14s %14s %10s\n", "method", "gap <", "pairs", "exact tests", "tests/sphere", "seconds");
        for (int k = 0; k < used; ++k)
            printf("%-18s %10.4g %10" PRId64 " %14" PRId64 " %14.1f %10.4f\n", scree_method_name(rows[k].method), rows[k].gap,
                   rows[k].pairs, rows[k].stats.tests, (double)rows[k].stats.tests / (double)set.count,
                   rows[k].stats.seconds_build + rows[k].stats.seconds_search);
        printf("\nNo two overlap, as random addition promises; %" PRId64 " pairs have surfaces closer than a tenth of the "
               "smallest radius.\n", rows[1].pairs);
        if (co.out != NULL)
            printf("The spheres are in %s: try 'scree contacts %s --gap 0.1 -o pairs.csv'.\n", co.out, co.out);
        else
            printf("'scree demo -o spheres.csv' keeps the spheres for 'scree contacts'.\n");
    }
    scree_sphere_set_free(&set);
    if (!agree || rows[0].pairs != 0) {
        fprintf(stderr, "scree demo: the methods disagree or spheres overlap; please report this\n");
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static const option options[] = {
    {"count", 'n', "N", "how many spheres (default 20000)"},
    {"sizes", 0, "LAW", "law of sizes (default uniform-volume:1:50)"},
    {"density", 0, "NU", "share of the box that they fill (default 0.5)"},
    {0},
};

const command cmd_demo = {
    .name = "demo",
    .usage = "[--count N] [--sizes LAW] [--density NU] [-o SPHERES.csv]",
    .about = "the main job, start to end, in seconds",
    .details = "Draws radii, places the spheres by random addition without overlap, and finds all pairs closer than a tenth of\n"
               "the smallest radius: by the hierarchical grid, by one grid, and by testing every pair.",
    .example = "  scree demo --count 5000 -o spheres.csv",
    .least_files = 0,
    .most_files = 0,
    .options = options,
    .run = run,
};
