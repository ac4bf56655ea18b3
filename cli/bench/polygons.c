// polygons: steps of non-convex bodies of 8 to 20 vertices in a box, from a lattice and stirred until they touch: time for each body and step, the share of the
// search, and how many vertices are tested: all of all pairs (no search), all of the candidates (no pre-test), those in the other's box.
#include "bench.h"

#include "scree/polygon.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

static const struct {
    int32_t count, method;
} sets[] = {
    {1000, SCREE_METHOD_AUTO},          {10000, SCREE_METHOD_AUTO},         {30000, SCREE_METHOD_AUTO},
    {10000, SCREE_METHOD_LINEAR_LIST},  {10000, SCREE_METHOD_LINKED_CELLS}, {10000, SCREE_METHOD_HIERARCHICAL_GRID},
};
enum { set_count = sizeof sets / sizeof *sets, start_steps = 300, timed_steps = 200 };

// Stars of radius 1 and less, so many in each row as in each column.
static scree_status make(int32_t count, int32_t method, const common* co, scree_polygon_sim** out)
{
    scree_shapes shapes = {0};
    scree_body* bodies = scree_calloc((size_t)count, sizeof *bodies);
    scree_status status = bodies == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    scree_rng rng = scree_rng_make(co->seed, 10);
    int32_t row = (int32_t)ceil(sqrt(count));
    double pitch = 1.5;
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i) {
        scree_shape_def def = scree_default_shape_def();
        def.rule = SCREE_SHAPE_STAR;
        def.vertices = 8 + (int32_t)scree_rng_below(&rng, 13);
        def.roughness = 0.4;
        def.radius = 0.8 + 0.15 * scree_rng_uniform(&rng);
        def.seed = scree_rng_bits(&rng);
        bodies[i] = (scree_body){.x = {pitch * (i % row + 0.5), pitch * (i / row + 0.5)}};
        for (int k = 0; k < 2; ++k)
            bodies[i].v[k] = 8.0 * scree_rng_uniform(&rng) - 4.0;
        bodies[i].spin = 8.0 * scree_rng_uniform(&rng) - 4.0;
        status = scree_shapes_add_rule(&shapes, &def, &bodies[i].shape);
    }
    if (status == SCREE_OK) {
        scree_polygon_sim_def def = scree_default_polygon_sim_def();
        def.box = scree_box_sized(2, (const double[2]){pitch * row, pitch * row});
        def.stiffness = 2e4;
        def.restitution = 0.5;
        def.method = method;
        def.threads = co->threads;
        status = scree_polygon_sim_create(&def, &shapes, count, bodies, out);
    }
    scree_shapes_free(&shapes);
    scree_free(bodies);
    return status;
}

typedef struct row {
    scree_polygon_sim_report before, after;
    int64_t vertices;
    double processor;
    uint64_t hash;
} row;

static scree_status measure(int32_t count, int32_t method, const common* co, row* out)
{
    scree_polygon_sim* sim = NULL;
    scree_status status = make(count, method, co, &sim);
    if (status == SCREE_OK)
        status = scree_polygon_sim_run(sim, start_steps);
    if (status == SCREE_OK)
        status = scree_polygon_sim_measure(sim, &out->before);
    clock_t begin = clock();
    if (status == SCREE_OK)
        status = scree_polygon_sim_run(sim, timed_steps);
    out->processor = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (status == SCREE_OK)
        status = scree_polygon_sim_measure(sim, &out->after);
    if (status == SCREE_OK) {
        out->vertices = scree_polygon_sim_get_numbers(sim).vertices;
        out->hash = scree_polygon_sim_hash(sim);
    }
    scree_polygon_sim_destroy(sim);
    return status;
}

exit_code bench_polygons(const arguments* args, const common* co, bool quick)
{
    printf("%8s  %-18s %9s %8s %9s %9s %9s %10s %10s %10s %12s\n", "bodies", "method", "contacts", "rebuilds", "ns CPU", "ns", "search %", "candidates",
           "tested", "no box", "no search");
    int64_t counts[set_count], numbers[set_count], rebuilds[set_count], contacts[set_count], rows = 0;
    double processor[set_count], seconds[set_count], share[set_count], tested[set_count], offered[set_count];
    uint64_t hashes[set_count];
    for (int s = 0; s < set_count; ++s) {
        int32_t count = quick ? sets[s].count / 10 : sets[s].count;
        row r;
        scree_status status = measure(count, sets[s].method, co, &r);
        if (status != SCREE_OK)
            return run_failed(args, status);
        const scree_polygon_sim_report *a = &r.before, *b = &r.after;
        double search = b->seconds_search - a->seconds_search;
        double all = search + (b->seconds_contact - a->seconds_contact) + (b->seconds_integrate - a->seconds_integrate);
        double each = 1.0 / ((double)count * timed_steps);
        counts[rows] = count;
        numbers[rows] = b->method;
        rebuilds[rows] = b->rebuilds - a->rebuilds;
        contacts[rows] = b->contacts;
        processor[rows] = 1e9 * r.processor * each;
        seconds[rows] = 1e9 * all * each;
        share[rows] = search / all;
        tested[rows] = (double)(b->vertices_tested - a->vertices_tested) * each;
        offered[rows] = (double)(b->vertices_offered - a->vertices_offered) * each;
        hashes[rows] = r.hash;
        printf("%8" PRId32 "  %-18s %9" PRId64 " %8" PRId64 " %9.0f %9.0f %9.1f %10.2f %10.3f %10.2f %12.0f\n", count,
               scree_method_name((scree_method)b->method), b->contacts, rebuilds[rows], processor[rows], seconds[rows], 100.0 * share[rows],
               (double)b->candidates / count, tested[rows], offered[rows], (double)r.vertices * (count - 1) / count);
        fflush(stdout);
        for (int64_t o = 0; o < rows; ++o)
            if (counts[o] == count && hashes[o] != r.hash) {
                fprintf(stderr, "scree bench: two methods of the index lead to different trajectories; please report this\n");
                return EXIT_FAILED;
            }
        ++rows;
    }
    printf("ns: for each body and step, on all threads and by the clock. Candidates, vertices tested, without the box pre-test and without a search: for "
           "each body and step.\n");
    if (co->out != NULL) {
        scree_table_column columns[] = {{.name = "bodies", .integers = counts},     {.name = "method", .integers = numbers},
                                        {.name = "rebuilds", .integers = rebuilds}, {.name = "contacts", .integers = contacts},
                                        {.name = "cpu_ns", .values = processor},    {.name = "ns", .values = seconds},
                                        {.name = "share_search", .values = share},  {.name = "tested", .values = tested},
                                        {.name = "offered", .values = offered}};
        scree_status status = scree_write_table(co->out, NULL, rows, sizeof columns / sizeof *columns, columns);
        if (status != SCREE_OK)
            return run_failed(args, status);
    }
    return EXIT_DONE;
}
