// polygons: steps of non-convex bodies of 8 to 20 vertices in a box, from a lattice and stirred until they touch: time for each body and step, the share of the
// search, and how many vertices are tested: all of all pairs (no search), all of the candidates (no pre-test), those in the other's box.
#include "harness.h"

#include "scree/polygon.h"

#include <math.h>

static const struct {
    int32_t count, method;
} sets[] = {
    {1000, SCREE_METHOD_AUTO},          {10000, SCREE_METHOD_AUTO},         {30000, SCREE_METHOD_AUTO},
    {10000, SCREE_METHOD_LINEAR_LIST},  {10000, SCREE_METHOD_LINKED_CELLS}, {10000, SCREE_METHOD_HIERARCHICAL_GRID},
};
enum { set_count = sizeof sets / sizeof *sets, start_steps = 2000, timed_steps = 200 };

// Stars of radius 1 and less, so many in each row as in each column.
static scree_status make(int32_t count, int32_t method, const bench_options* co, scree_polygon_sim** out)
{
    scree_shapes shapes = {0};
    scree_body* bodies = scree_calloc((size_t)count, sizeof *bodies);
    scree_status status = bodies == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    scree_rng rng = scree_rng_make(co->seed, 10);
    int32_t row = (int32_t)ceil(sqrt(count));
    double pitch = 1.92;
    for (int32_t i = 0; i < count && status == SCREE_OK; ++i) {
        scree_shape_def def = scree_default_shape_def();
        def.rule = SCREE_SHAPE_STAR;
        def.vertices = 8 + (int32_t)scree_rng_below(&rng, 13);
        def.roughness = 0.4;
        def.radius = 0.9 + 0.05 * scree_rng_uniform(&rng);
        def.seed = scree_rng_bits(&rng);
        bodies[i] = (scree_body){.x = {pitch * (i % row + 0.5), pitch * (i / row + 0.5)}};
        for (int k = 0; k < 2; ++k)
            bodies[i].v[k] = 40.0 * scree_rng_uniform(&rng) - 20.0;
        bodies[i].spin = 40.0 * scree_rng_uniform(&rng) - 20.0;
        status = scree_shapes_add_rule(&shapes, &def, &bodies[i].shape);
    }
    if (status == SCREE_OK) {
        scree_polygon_sim_def def = scree_default_polygon_sim_def();
        def.box = scree_box_sized(2, (const double[2]){pitch * row, pitch * row});
        def.stiffness = 1e6;
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

static scree_status measure(int32_t count, int32_t method, const bench_options* co, row* out)
{
    scree_polygon_sim* sim = NULL;
    scree_status status = make(count, method, co, &sim);
    if (status == SCREE_OK)
        status = scree_polygon_sim_run(sim, start_steps);
    if (status == SCREE_OK)
        status = scree_polygon_sim_measure(sim, &out->before);
    double begin = bench_processor();
    if (status == SCREE_OK)
        status = scree_polygon_sim_run(sim, timed_steps);
    out->processor = bench_processor() - begin;
    if (status == SCREE_OK)
        status = scree_polygon_sim_measure(sim, &out->after);
    if (status == SCREE_OK) {
        out->vertices = scree_polygon_sim_get_numbers(sim).vertices;
        out->hash = scree_polygon_sim_hash(sim);
    }
    scree_polygon_sim_destroy(sim);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    int32_t counts[set_count];
    uint64_t hashes[set_count];
    int rows = 0;
    scree_status status = SCREE_OK;
    for (int s = 0; s < set_count && status == SCREE_OK; ++s) {
        int32_t count = quick ? sets[s].count / 40 : sets[s].count;
        row r;
        status = measure(count, sets[s].method, co, &r);
        if (status != SCREE_OK)
            break;
        const scree_polygon_sim_report *a = &r.before, *b = &r.after;
        double search = b->seconds_search - a->seconds_search;
        double all = search + (b->seconds_force - a->seconds_force) + (b->seconds_integrate - a->seconds_integrate);
        double each = 1.0 / ((double)count * timed_steps);
        const char* method = scree_method_name((scree_method)b->method);
        counts[rows] = count;
        hashes[rows] = r.hash;
        const double tested = (double)(b->vertices_tested - a->vertices_tested) * each, offered = (double)(b->vertices_offered - a->vertices_offered) * each;
        status = findings_row(f, &method, (const double[]){count, (double)b->contacts, (double)(b->rebuilds - a->rebuilds), 1e9 * r.processor * each, 1e9 * all * each, search / all,
                                                           (double)b->candidates / count, tested, offered, (double)r.vertices * (count - 1) / count, offered / tested});
        for (int o = 0; o < rows && status == SCREE_OK; ++o)
            if (counts[o] == count && hashes[o] != r.hash)
                status = scree_fail(SCREE_ERR_ARGUMENT, "two methods of the index lead to different trajectories; please report this");
        ++rows;
    }
    findings_note(f, "All methods of the index lead to the same trajectory; the benchmark fails otherwise.");
    findings_note(f, "ns for each body and step, of all threads (cpu_ns) and by the clock. Candidates and vertices for each body and step: tested; offered, without the box "
                     "before them; no_search, of all pairs.");
    return status;
}

const experiment bench_polygons = {
    .name = "polygons",
    .about = "steps of non-convex polygons: time, share of the search, vertices tested",
    .title = "Steps of non-convex polygons",
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"method", "bodies", "contacts", "rebuilds", "cpu_ns", "ns", "share_search", "candidates", "tested", "offered", "no_search", "offered_by_tested", NULL},
    .charts = (const chart[]){
        {.title = "Vertices to test, for each body and step", .x_label = "bodies", .y_label = "vertices", .x = "bodies", .y = "tested", .by = "method", .x_log = true, .y_log = true}, {0}},
};
