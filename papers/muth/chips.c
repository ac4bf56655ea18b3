// chips: B. Muth, M.-K. Mueller, P. Eberhard and S. Luding, "Contacts between many bodies", their Fig. 9: non-convex bodies, for example micro chips, glide
// down a wall arrangement; six pictures, and the run once more without neighbour search.
//
// The paper tells the kind of bodies, the six times and that the linear list found the neighbours. Numbers, sizes, shapes, the walls and the material are ours:
// a chute, a second one below it that leads back, and a tray; chips with legs, hooks and ells of radius 6.5 to 13 mm.
//
// Without neighbour search means: every body is a candidate of every other in every step, and box and vertices are tested. The motion must be the same, bit by
// bit. The paper claims "great advantages regarding simulation time": all searches run in turns, and processor time is judged.
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

enum { most_turns = 5 };

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
    static const struct {
        const char* name;
        int32_t method;
        double skin;
    } ways[] = {{"linear list", SCREE_METHOD_LINEAR_LIST, 0.0}, {"hierarchical grid", SCREE_METHOD_HIERARCHICAL_GRID, 0.0}, {"none", SCREE_METHOD_ALL_PAIRS, 10.0}};
    enum { way_count = sizeof ways / sizeof *ways };
    const int turns = co->quick ? 2 : most_turns;
    scene* s = scree_calloc(1, sizeof *s);
    outcome found[way_count] = {0};
    double processor[way_count][most_turns], quotient[way_count][most_turns];
    scree_status status = s == NULL ? SCREE_ERR_MEMORY : make_scene(co->quick ? 12 : 50, co->seed, s);
    for (int t = 0; t < turns; ++t)
        for (int w = 0; w < way_count && status == SCREE_OK; ++w) {
            status = run(f, s, ways[w].method, ways[w].skin, t == 0 && w == 0, co, &found[w]);
            processor[w][t] = found[w].processor;
            quotient[w][t] = found[w].processor / found[0].processor;
        }
    for (int w = 0; w < way_count && status == SCREE_OK; ++w) {
        const outcome* o = &found[w];
        const double steps = (double)o->steps;
        const bench_quartiles seconds = bench_spread(processor[w], turns), by_list = bench_spread(quotient[w], turns);
        char hash[32];
        snprintf(hash, sizeof hash, "%016" PRIx64, o->hash);
        status = findings_row(f, (const char*[]){ways[w].name, hash},
                              (const double[]){s->count, steps, (double)o->report.pairs_tested / steps, (double)o->report.vertices_offered / steps, (double)o->report.vertices_tested / steps,
                                               o->search, seconds.median, seconds.low, seconds.high, by_list.median, by_list.low, by_list.high, o->lowest, 1000.0 * o->overlap});
    }
    findings_table(f, "heights", 0, (const char* const[]){"time", "height", NULL});
    for (int n = 0; n < time_count && status == SCREE_OK; ++n)
        status = findings_row(f, NULL, (const double[]){times[n], found[0].heights[n]});
    findings_paper(f, "Fig. 9: non-convex bodies, for example micro chips, glide down a wall arrangement; pictures at 0, 0.05, 0.1, 0.13, 0.22 and 0.3 s.");
    findings_paper(f, "Section 5: \"Great advantages regarding simulation time can be made by applying the neighbor-search methods to such systems.\" Numbers are not given.");
    findings_paper(f, "Section 4.3: vertices are tested only if they are inside the bounding box of the other body.");
    findings_note(f, "Ours: the walls, the number and shapes of the bodies, radii 6.5 to 13 mm, 1 kg/m2, stiffness 1e4 N/m, restitution 0.5, no friction. Great: at least 3 times. Times: %d runs of each, in "
                     "turns.", turns);
    findings_note(f, "Colours: speed in m/s. Without search each body is a candidate of each other in every step; box and vertices are still tested.");
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
    .columns = (const char* const[]){"search", "hash", "bodies", "steps", "pairs_per_step", "vertices_offered", "vertices_tested", "share_search", "cpu_seconds", "cpu_seconds_low", "cpu_seconds_high",
                                     "cpu_by_list", "cpu_by_list_low", "cpu_by_list_high", "lowest_m", "max_overlap_mm", NULL},
    .claims = (const claim[]){
        {.quantity = "processor time without neighbour search by that with the linear list", .source = "Section 5", .words = "great advantages regarding simulation time", .least = 3.0, .most = 1e3,
         .column = "cpu_by_list", .rows = "search=none", .timed = true},
        {.quantity = "processor time without neighbour search by that with the linear list, more than one", .source = "Section 5", .words = "advantages", .least = 1.0, .most = 1e3,
         .column = "cpu_by_list", .rows = "search=none", .timed = true},
        {.quantity = "how often the mean height of the bodies rises from picture to picture", .source = "Fig. 9", .words = "glide down", .least = 0.0, .most = 0.0, .how = CLAIM_RISES,
         .table = "heights", .column = "height"},
        {.quantity = "lowest body in m: none falls through the tray", .source = "Fig. 9", .words = "on a wall arrangement", .least = -0.12, .most = 0.5, .column = "lowest_m",
         .rows = "search=linear list"},
        {.quantity = "vertices looked at without search by those with the linear list", .least = 3.0, .most = 1e4, .how = CLAIM_RATIO, .column = "vertices_offered", .rows = "search=none",
         .over = "search=linear list"},
        {.quantity = "different motions, by the hash, of the three searches", .least = 1.0, .most = 1.0, .how = CLAIM_DISTINCT, .column = "hash"},
        {0}},
};
