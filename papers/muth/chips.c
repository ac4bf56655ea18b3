// chips: B. Muth, M.-K. Mueller, P. Eberhard and S. Luding, "Contacts between many bodies", their Fig. 9: non-convex bodies, for example micro chips, glide
// down a wall arrangement; six pictures, and the run once more without neighbour search.
//
// The paper tells the kind of bodies, the six times and that the linear list found the neighbours. Numbers, sizes, shapes, the walls and the material are ours:
// a chute, a second one below it that leads back, and a tray; chips with legs, hooks and ells of radius 6.5 to 13 mm.
//
// Without neighbour search means: every body is a candidate of every other in every step, and box and vertices are tested. The motion must be the same, bit by
// bit.
#include "bench/harness.h"

#include "scree/outlines.h"
#include "scree/polygon.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

static const double times[] = {0.0, 0.05, 0.1, 0.13, 0.22, 0.3};  // all of them whole hundredths of a second
enum { time_count = sizeof times / sizeof *times, most_bodies = 128, columns_of_bodies = 5 };

typedef struct scene {
    scree_shapes shapes;
    scree_body bodies[most_bodies];
    int32_t count, chips;
} scene;

static scree_status add_walls(scene* s)
{
    static const double chute[][2] = {{0.0, 0.42}, {0.0, 0.22}, {0.17, 0.07}};
    static const double lower_chute[][2] = {{0.07, -0.05}, {0.25, 0.03}, {0.25, 0.17}};
    static const double tray[][2] = {{-0.04, 0.02}, {-0.04, -0.12}, {0.20, -0.12}, {0.20, -0.08}};
    static const struct {
        int32_t count;
        const double* xy;
    } chains[] = {{3, &chute[0][0]}, {3, &lower_chute[0][0]}, {4, &tray[0][0]}};
    scree_status status = SCREE_OK;
    for (int w = 0; w < 3 && status == SCREE_OK; ++w) {
        scree_body* b = &s->bodies[s->count++];
        *b = (scree_body){.fixed = true};
        status = scree_shapes_add_wall(&s->shapes, chains[w].count, chains[w].xy, 0.012, &b->shape);
    }
    return status;
}

// Rows above the chute, each body in a cell of its own.
static scree_status make_scene(int32_t chips, uint64_t seed, scene* s)
{
    static const int32_t rules[] = {SCREE_SHAPE_CHIP, SCREE_SHAPE_CHIP, SCREE_SHAPE_HOOK, SCREE_SHAPE_CHIP, SCREE_SHAPE_ELL};
    const double slope = 0.15 / 0.17, pitch = 0.03;
    scree_rng rng = scree_rng_make(seed, 9);
    scree_status status = add_walls(s);
    for (int32_t i = 0; i < chips && status == SCREE_OK; ++i) {
        scree_body* b = &s->bodies[s->count++];
        scree_shape_def def = scree_default_shape_def();
        def.rule = rules[scree_rng_below(&rng, 5)];
        def.vertices = 12 + (int32_t)scree_rng_below(&rng, 25);
        def.roughness = 0.3;
        def.radius = 0.0065 * (1.0 + scree_rng_uniform(&rng));
        double x = 0.017 + pitch * (i % columns_of_bodies);
        *b = (scree_body){.x = {x, 0.22 - slope * x + 0.022 + 1.1 * pitch * (i / columns_of_bodies)}, .angle = 6.28 * scree_rng_uniform(&rng)};
        status = scree_shapes_add_rule(&s->shapes, &def, &b->shape);
    }
    s->chips = chips;
    return status;
}

static scree_status make_sim(const scene* s, int32_t method, double skin, const bench_options* co, scree_polygon_sim** out)
{
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    def.allow_deep = true;  // near corners the nearest side changes
    def.gravity[1] = -9.81;
    def.material_density = 1.0;
    def.stiffness = 1e4;
    def.restitution = 0.5;
    def.method = method;
    def.skin = skin;
    def.threads = co->threads;
    scree_status status = scree_polygon_sim_create(&def, &s->shapes, s->count, s->bodies, out);
    if (status != SCREE_OK)
        return status;
    // As long as a 20th of the shortest contact, and such that the pictures' times are whole steps.
    def.time_step = 0.01 / ceil(0.01 / (scree_polygon_sim_get_numbers(*out).contact_duration / 20.0));
    scree_polygon_sim_destroy(*out);
    *out = NULL;
    return scree_polygon_sim_create(&def, &s->shapes, s->count, s->bodies, out);
}

// ---- One run -------------------------------------------------------------------------------------------------------

typedef struct outcome {
    scree_polygon_sim_report report;
    int64_t steps;
    double seconds, processor, search;
    double heights[time_count];  // of the chips' centres, in the mean
    double lowest, overlap;      // the lowest centre, and the largest overlap at any picture
    uint64_t hash;
} outcome;

static void look_at(const scene* s, const scree_outline_set* set, int n, outcome* out)
{
    for (int32_t i = s->count - s->chips; i < s->count; ++i) {
        out->heights[n] += set->bodies.x[2 * (int64_t)i + 1] / s->chips;
        out->lowest = fmin(out->lowest, set->bodies.x[2 * (int64_t)i + 1]);
    }
}

static void draw(findings* f, const scree_outline_set* set, double time)
{
    char suffix[32];
    scree_picture_def look = scree_default_picture_def();
    look.width = 800;
    look.height = 1000;
    look.colour_by = "velocity";
    look.range[0] = 0.0;
    look.range[1] = 2.5;
    snprintf(suffix, sizeof suffix, "%03.0fms", 1000.0 * time);
    findings_outlines(f, suffix, set, &look);
}

static scree_status run(findings* f, const scene* s, int32_t method, double skin, bool drawn, const bench_options* co, outcome* out)
{
    scree_polygon_sim* sim = NULL;
    *out = (outcome){.lowest = INFINITY};
    scree_status status = make_sim(s, method, skin, co, &sim);
    for (int n = 0; n < time_count && status == SCREE_OK; ++n) {
        int64_t until = llround(times[n] / scree_polygon_sim_get_numbers(sim).time_step);
        double begin = bench_clock();
        clock_t before = clock();
        status = scree_polygon_sim_run(sim, until - scree_polygon_sim_get_step(sim));
        out->processor += (double)(clock() - before) / CLOCKS_PER_SEC;
        out->seconds += bench_clock() - begin;
        scree_outline_set set = {0};
        if (status == SCREE_OK)
            status = scree_outline_set_copy(sim, &set);
        if (status == SCREE_OK)
            status = scree_polygon_sim_measure(sim, &out->report);
        if (status == SCREE_OK) {
            look_at(s, &set, n, out);
            out->overlap = fmax(out->overlap, out->report.max_overlap);
            if (drawn)
                draw(f, &set, times[n]);
        }
        scree_outline_set_free(&set);
    }
    if (status == SCREE_OK) {
        out->steps = scree_polygon_sim_get_step(sim);
        out->hash = scree_polygon_sim_hash(sim);
        double all = out->report.seconds_search + out->report.seconds_force + out->report.seconds_integrate;
        out->search = out->report.seconds_search / all;
    }
    scree_polygon_sim_destroy(sim);
    return status;
}

// ---- The bench -----------------------------------------------------------------------------------------------------

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const struct {
        const char* name;
        int32_t method;
        double skin;
    } ways[] = {{"linear list", SCREE_METHOD_LINEAR_LIST, 0.0}, {"hierarchical grid", SCREE_METHOD_HIERARCHICAL_GRID, 0.0}, {"none", SCREE_METHOD_ALL_PAIRS, 10.0}};
    enum { way_count = sizeof ways / sizeof *ways };
    scene* s = scree_calloc(1, sizeof *s);
    outcome found[way_count] = {0};
    scree_status status = s == NULL ? SCREE_ERR_MEMORY : make_scene(quick ? 12 : 50, co->seed, s);
    for (int w = 0; w < way_count && status == SCREE_OK; ++w) {
        status = run(f, s, ways[w].method, ways[w].skin, w == 0, co, &found[w]);
        if (status != SCREE_OK)
            break;
        const outcome* o = &found[w];
        char hash[32];
        snprintf(hash, sizeof hash, "%016" PRIx64, o->hash);
        double steps = (double)o->steps;
        findings_row(f, (const char*[]){ways[w].name, hash},
                     (const double[]){s->count, steps, (double)o->report.pairs_tested / steps, (double)o->report.vertices_offered / steps,
                                      (double)o->report.vertices_tested / steps, o->search, o->processor, o->seconds});
    }
    if (status == SCREE_OK) {
        const outcome *list = &found[0], *none = &found[way_count - 1];
        bool same = true, falls = true;
        for (int w = 1; w < way_count; ++w)
            same = same && found[w].hash == list->hash;
        for (int n = 1; n < time_count; ++n)
            falls = falls && list->heights[n] < list->heights[n - 1];
        findings_paper(f, "Fig. 9: non-convex bodies, for example micro chips, glide down a wall arrangement; pictures at 0, 0.05, 0.1, 0.13, 0.22 and 0.3 s.");
        findings_paper(f, "Section 5: \"Great advantages regarding simulation time can be made by applying the neighbor-search methods to such systems.\" Numbers are not given.");
        findings_paper(f, "Section 4.3: vertices are tested only if they are inside the bounding box of the other body.");
        if (falls && list->lowest > -0.12)
            findings_agrees(f, "the mean height of the bodies falls from picture to picture, %.3f m to %.3f m, and none has fallen through the tray (lowest %.3f m, allowed -0.12 m)",
                            list->heights[0], list->heights[time_count - 1], list->lowest);
        else
            findings_differs(f, "the bodies do not glide down and stay: mean height %.3f m at first, %.3f m at last, %s from picture to picture; lowest %.3f m (allowed -0.12 m)",
                             list->heights[0], list->heights[time_count - 1], falls ? "falling" : "not falling", list->lowest);
        if (same)
            findings_agrees(f, "the motion is the same with and without neighbour search, and by both methods (hash)");
        else
            findings_differs(f, "the motion depends on the neighbour search: the hashes are not equal");
        double pair_ratio = (double)none->report.pairs_tested / (double)list->report.pairs_tested;
        double vertex_ratio = (double)none->report.vertices_offered / (double)list->report.vertices_offered;
        if (vertex_ratio >= 3.0)
            findings_agrees(f, "without search %.1f times the pairs and %.1f times the vertices are looked at in each step; 3 times count as a great advantage", pair_ratio, vertex_ratio);
        else
            findings_differs(f, "without search only %.1f times the pairs and %.1f times the vertices are looked at in each step; 3 times would count as a great advantage", pair_ratio, vertex_ratio);
        findings_note(f, "The boxes leave %.0f %% of the neighbours' vertices to be tested. Processor time without search: %.1f times that with the linear list, in one run of each.",
                      100.0 * (double)list->report.vertices_tested / (double)list->report.vertices_offered, none->processor / list->processor);
        findings_note(f, "Ours: the walls, the number and shapes of the bodies, radii 6.5 to 13 mm, 1 kg/m2, stiffness 1e4 N/m, restitution 0.5, no friction. Largest "
                         "overlap at a picture: %.2g mm.", 1000.0 * list->overlap);
        findings_note(f, "Colours: speed in m/s. Without search each body is a candidate of each other in every step; box and vertices are still tested.");
    }
    if (s != NULL)
        scree_shapes_free(&s->shapes);
    scree_free(s);
    return status;
}

const experiment bench_chips = {
    .name = "chips",
    .about = "Muth et al., Contacts, Fig. 9: non-convex chips glide down walls, with and without neighbour search",
    .title = "Non-convex bodies on a wall arrangement",
    .paper = true,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"search", "hash", "bodies", "steps", "pairs_per_step", "vertices_offered", "vertices_tested", "share_search",
                                                 "cpu_seconds", "seconds", NULL},
};
