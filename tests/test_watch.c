// Long calls ask their watch often enough, shown by counting: so many questions for a known amount of work, never by a clock. And what cannot fit
// is refused before it is made, with the numbers.
#include "file_support.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "polygon/edges.h"
#include "run/scene_parts.h"
#include "scree/measure.h"
#include "scree/outlines.h"
#include "scree/polygon.h"
#include "scree/view.h"

// ---- Counting ------------------------------------------------------------------------------------------------------------

typedef struct counter {
    int64_t questions;
    int64_t most;  // of them, then it says stop; 0: never
} counter;

static bool count_question(void* context, double done)
{
    counter* c = context;
    assert_true(done >= 0.0 && done <= 1.0);
    return ++c->questions != c->most;
}

static scree_watch watch_of(counter* c)
{
    return (scree_watch){.tick = count_question, .context = c};
}

// Spheres that all touch each other: one cell of any grid, one node of any tree.
enum { many = 1500 };
static double same_x[3 * many], same_r[many];

static scree_spheres coincident(int32_t count)
{
    for (int32_t i = 0; i < count; ++i)
        same_r[i] = 0.25;
    for (int32_t e = 0; e < 3 * count; ++e)
        same_x[e] = 0.5;
    return (scree_spheres){.count = count, .dim = 3, .x = same_x, .r = same_r};
}

static const double all_pairs_of_many = 0.5 * many * (many - 1.0);

// ---- Loops ---------------------------------------------------------------------------------------------------------------

enum { long_chunks = 3, pieces = 100 };

static scree_status long_chunk(void* context, int64_t chunk)
{
    int64_t* done = context;
    for (int64_t k = 0; k < pieces; ++k) {
        ++done[chunk];
        if (!scree_parallel_work(scree_work_unasked / 4))
            return SCREE_OK;
    }
    return SCREE_OK;
}

// Few chunks, each of them long: the watch hears of the work inside, and a stop ends chunks in their midst.
static void chunks_are_asked_and_stopped_within(void** state)
{
    (void)state;
    int64_t done[long_chunks] = {0};
    counter c = {0};
    scree_watch watch = watch_of(&c);
    CHECK_OK(scree_parallel_for(1, long_chunks, long_chunk, done, &watch));
    assert_true(c.questions >= long_chunks * pieces / 4);
    c = (counter){.most = 5};
    memset(done, 0, sizeof done);
    CHECK_FAILS(scree_parallel_for(1, long_chunks, long_chunk, done, &watch), SCREE_ERR_CANCELLED);
    assert_int_equal(c.questions, 5);
    assert_int_equal(done[0], 20);
    assert_int_equal(done[1] + done[2], 0);
}

static scree_status short_chunk(void* context, int64_t chunk)
{
    (void)context;
    (void)chunk;
    scree_parallel_work(scree_work_unasked / 2);
    return SCREE_OK;
}

// Many chunks: as many questions as their work needs, not only one for each 256th part of them.
static void many_chunks_are_asked_by_their_work(void** state)
{
    (void)state;
    counter c = {0};
    scree_watch watch = watch_of(&c);
    CHECK_OK(scree_parallel_for(1, 10000, short_chunk, NULL, &watch));
    assert_true(c.questions >= 5000);
}

// ---- Searches ------------------------------------------------------------------------------------------------------------

static void every_method_asks(void** state)
{
    (void)state;
    scree_spheres spheres = coincident(many);
    for (int32_t method = SCREE_METHOD_AUTO; method < SCREE_METHOD_COUNT; ++method)
        for (int cached = 0; cached < (method == SCREE_METHOD_HIERARCHICAL_GRID ? 2 : 1); ++cached) {
            counter c = {0};
            scree_index_def def = scree_default_index_def();
            def.method = method;
            def.threads = 1;
            def.sorted = true;
            def.skin = cached ? 0.01 : -1.0;
            def.watch = watch_of(&c);
            scree_index* index;
            scree_pairs pairs;
            CHECK_OK(scree_index_create(&def, &index));
            CHECK_OK(scree_index_update(index, spheres));
            CHECK_OK(scree_index_pairs(index, &pairs));
            assert_true((double)pairs.count == all_pairs_of_many);
            if ((double)c.questions < all_pairs_of_many / scree_work_unasked)
                fail_msg("%s: %d questions for %g tests", scree_method_name((scree_method)method), (int)c.questions, all_pairs_of_many);
            // A stop is heard wherever it comes, and another call gives all pairs.
            int64_t all = c.questions;
            for (int64_t most = 1; most < all; most += all / 2 + 1) {
                scree_index_destroy(index);
                c = (counter){.most = most};
                CHECK_OK(scree_index_create(&def, &index));
                CHECK_OK(scree_index_update(index, spheres));
                scree_status status = scree_index_pairs(index, &pairs);
                if (scree_index_method(index) == SCREE_METHOD_LINEAR_LIST && status == SCREE_OK)
                    continue;  // the stop came in the update, and the search began again
                if (status != SCREE_ERR_CANCELLED)
                    fail_msg("%s: status %d after a stop at question %d of %d", scree_method_name((scree_method)method), (int)status, (int)most, (int)all);
                assert_int_equal(pairs.count, 0);
                assert_true(c.questions <= most + 1);
                CHECK_OK(scree_index_pairs(index, &pairs));
                assert_true((double)pairs.count == all_pairs_of_many);
            }
            scree_index_destroy(index);
        }
}

static void measuring_and_views_ask(void** state)
{
    (void)state;
    counter c = {0};
    scree_measure_def def = scree_default_measure_def();
    def.box = scree_box_sized(3, (const double[3]){1.0, 1.0, 1.0});
    def.threads = 1;
    def.watch = watch_of(&c);
    scree_measures measures;
    CHECK_OK(scree_measure(&def, coincident(many), &measures));
    assert_true((double)measures.contacts.contacts == all_pairs_of_many);
    // The search, its sums (32 units a pair, twice), and g(r).
    assert_true((double)c.questions >= 60.0 * all_pairs_of_many / scree_work_unasked);
    scree_measures_free(&measures);
    c = (counter){0};
    scree_pair_distribution gr;
    CHECK_OK(scree_measure_pair_distribution(&def, coincident(many), &gr));
    assert_true((double)c.questions >= all_pairs_of_many / scree_work_unasked);
    scree_pair_distribution_free(&gr);

    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(3, many, &set));
    memcpy(set.x, same_x, sizeof same_x);
    memcpy(set.r, same_r, sizeof same_r);
    scree_view_def view = scree_default_view_def();
    view.threads = 1;
    view.watch = watch_of(&c);
    c = (counter){0};
    CHECK_OK(scree_write_view(in_folder("a.html"), 1, NULL, &set, &view));
    assert_true((double)c.questions >= all_pairs_of_many / scree_work_unasked);
    scree_sphere_set_free(&set);

    // Polygons: n discs at one place, each looked at with each.
    enum { discs = 600 };
    scree_outline_set outlines;
    CHECK_OK(scree_outline_set_make(discs, 4, &outlines));
    for (int32_t i = 0; i < discs; ++i) {
        outlines.bodies.x[2 * i] = outlines.bodies.x[2 * i + 1] = 0.5;
        outlines.bodies.r[i] = 1.0;
    }
    static const double square[] = {0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0};
    memcpy(outlines.xy, square, sizeof square);
    outlines.first[discs] = 4;
    scree_view* page;
    CHECK_OK(scree_view_begin(in_folder("b.html"), &view, &page));
    c = (counter){0};
    CHECK_OK(scree_view_add_outlines(page, 0.0, &outlines));
    assert_true((double)c.questions >= 50.0 * discs * discs / scree_work_unasked);
    CHECK_OK(scree_view_end(page, SCREE_OK));
    scree_outline_set_free(&outlines);
}

// ---- Bodies of a scene -----------------------------------------------------------------------------------------------------

static scree_scene scene_of_bodies(const char* bodies)
{
    char text[512];
    snprintf(text, sizeof text, "dimension: 2\nbox: {size: [10, 10]}\ncontact: {stiffness: 1e3}\ntime: {step: 1e-4, steps: 1}\nbodies:\n- %s\n", bodies);
    scree_scene scene;
    CHECK_OK(scene_parse("m.yaml", text, strlen(text), &scene));
    return scene;
}

static void bodies_are_made_under_the_watch(void** state)
{
    (void)state;
    scree_scene scene = scene_of_bodies("{shape: star, sizes: mono:0.01, count: 5120, place: random}");
    counter c = {0};
    scree_body_set set;
    CHECK_OK(scree_scene_make_bodies(&scene, watch_of(&c), &set));
    assert_int_equal(set.count, 5120);
    assert_true(c.questions >= 2 * 5120 / 256);  // making and placing
    scree_body_set_free(&set);
    for (int64_t most = 1; most < 40; most += 13) {
        c = (counter){.most = most};
        CHECK_FAILS(scree_scene_make_bodies(&scene, watch_of(&c), &set), SCREE_ERR_CANCELLED);
        assert_int_equal(c.questions, most);
        assert_null(set.bodies);
    }
    scene_free(&scene);
}

// ---- Simulations of polygons -----------------------------------------------------------------------------------------------

// Creates a simulation, stops the creation at some of its questions, and returns how many there are.
static int64_t create_under_the_watch(const scree_shapes* shapes, int32_t count, const scree_body* bodies)
{
    counter c = {0};
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = 1.0;
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    def.allow_deep = true;
    def.threads = 1;
    def.watch = watch_of(&c);
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, shapes, count, bodies, &sim));
    int64_t all = c.questions;
    uint64_t hash = scree_polygon_sim_hash(sim);
    CHECK_OK(scree_polygon_sim_run(sim, 1));
    scree_polygon_sim_destroy(sim);
    for (int64_t most = 1; most <= all; most += all / 3 + 1) {
        c = (counter){.most = most};
        CHECK_FAILS(scree_polygon_sim_create(&def, shapes, count, bodies, &sim), SCREE_ERR_CANCELLED);
        assert_null(sim);
        assert_int_equal(c.questions, most);
    }
    def.watch = (scree_watch){0};
    CHECK_OK(scree_polygon_sim_create(&def, shapes, count, bodies, &sim));
    assert_true(scree_polygon_sim_hash(sim) == hash);
    scree_polygon_sim_destroy(sim);
    return all;
}

// Twice for the same number of bodies, the second time with more work, which is known: the difference is in the questions.
static void simulations_of_polygons_are_created_under_the_watch(void** state)
{
    (void)state;
    enum { discs = 500, rounds = 1200, corners = 100, fixed = 500, free_ones = 2500 };
    static scree_body bodies[fixed + free_ones];
    scree_shapes shapes = {0};
    double xy[2 * corners];
    for (int v = 0; v < corners; ++v) {
        xy[2 * v] = cos(6.283185307179586 * v / corners);
        xy[2 * v + 1] = sin(6.283185307179586 * v / corners);
    }
    int32_t round, square;
    CHECK_OK(scree_shapes_add(&shapes, (scree_polygon){.count = corners, .xy = xy}, &round));
    CHECK_OK(scree_shapes_add(&shapes, (scree_polygon){.count = 4, .xy = (const double[]){0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0}}, &square));
    int64_t questions[3][2];
    for (int more = 0; more < 2; ++more) {
        for (int i = 0; i < discs; ++i)  // pairs: none, or all
            bodies[i] = (scree_body){.shape = -1, .radius = 1.0, .x = {(more ? 1e-3 : 3.0) * i, 0.0}};
        questions[0][more] = create_under_the_watch(&shapes, discs, bodies);
        for (int i = 0; i < rounds; ++i)  // vertices: taken in
            bodies[i] = (scree_body){.shape = more ? round : square, .x = {3.0 * i, 0.0}};
        questions[1][more] = create_under_the_watch(&shapes, rounds, bodies);
        for (int i = 0; i < fixed + free_ones; ++i)  // whether free bodies lie inside of fixed ones
            bodies[i] = (scree_body){.shape = square, .fixed = more && i < fixed, .x = {3.0 * i, 0.0}};
        questions[2][more] = create_under_the_watch(&shapes, fixed + free_ones, bodies);
    }
    const double work[3] = {64.0 * discs * (discs - 1.0) / 2.0, 16.0 * rounds * (corners - 4.0), 4.0 * fixed * free_ones};
    for (int k = 0; k < 3; ++k)
        if ((double)(questions[k][1] - questions[k][0]) < 0.9 * work[k] / scree_work_unasked)
            fail_msg("case %d: %d and %d questions for %g more units of work", k, (int)questions[k][0], (int)questions[k][1], work[k]);
    scree_shapes_free(&shapes);
}

// Setting a state: checked, taken over, and its contacts found, each for all bodies.
static void states_of_many_bodies_are_set_under_the_watch(void** state)
{
    (void)state;
    enum { discs = 20000 };
    scree_body* bodies = scree_calloc(discs, sizeof *bodies);
    double *x = scree_calloc(3 * discs, sizeof *x), *v = scree_calloc(3 * discs, sizeof *v);
    assert_true(bodies != NULL && x != NULL && v != NULL);
    for (int i = 0; i < discs; ++i)
        bodies[i] = (scree_body){.shape = -1, .radius = 1.0, .x = {3.0 * i, 0.0}};
    counter c = {0};
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = 1.0;
    def.threads = 1;
    def.watch = watch_of(&c);
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, NULL, discs, bodies, &sim));
    scree_polygon_sim_state at = {.x = x, .angle = x + 2 * discs, .v = v, .spin = v + 2 * discs};
    CHECK_OK(scree_polygon_sim_get_state(sim, &at));
    at.step = 7;
    c = (counter){0};
    CHECK_OK(scree_polygon_sim_set_state(sim, &at));
    int64_t all = c.questions;
    uint64_t hash = scree_polygon_sim_hash(sim);
    double work = (16.0 + 16.0 + 64.0) * discs;  // check, take over, place
    if ((double)all < work / scree_work_unasked)
        fail_msg("%d questions for %g units of work", (int)all, work);
    for (int64_t most = 1; most <= all; most += most < 3 ? 1 : all / 4 + 1) {  // in the check, while it is taken over, and later
        c = (counter){.most = most};
        CHECK_FAILS(scree_polygon_sim_set_state(sim, &at), SCREE_ERR_CANCELLED, "step 7");
        assert_int_equal(c.questions, most);
        CHECK_FAILS(scree_polygon_sim_run(sim, 1), SCREE_ERR_ARGUMENT);
        c = (counter){0};
        CHECK_OK(scree_polygon_sim_set_state(sim, &at));
        assert_int_equal(c.questions, all);
        assert_true(scree_polygon_sim_hash(sim) == hash);
    }
    CHECK_OK(scree_polygon_sim_run(sim, 1));
    scree_polygon_sim_destroy(sim);
    scree_free(bodies);
    scree_free(x);
    scree_free(v);
}

// One body of one large shape: its check, its numbers and its tree are most of the work, and known. At each vertex at least: 4 units for its numbers, twice
// 32 for area and inertia, twice 28 for a tree, 16 and a leaf of 64 for the check.
static void a_large_shape_is_taken_in_under_the_watch(void** state)
{
    (void)state;
    enum { corners = 20000, teeth = 500 };
    double* xy = scree_malloc(2 * corners, sizeof *xy);
    assert_non_null(xy);
    for (int v = 0; v < corners; ++v) {
        xy[2 * v] = cos(6.283185307179586 * v / corners);
        xy[2 * v + 1] = sin(6.283185307179586 * v / corners);
    }
    scree_shapes shapes = {0};
    int32_t shape;
    CHECK_OK(scree_shapes_add(&shapes, (scree_polygon){.count = corners, .xy = xy}, &shape));
    double work = 204.0 * corners;
    int64_t questions = create_under_the_watch(&shapes, 1, &(scree_body){.shape = shape});
    if ((double)questions < 0.95 * work / scree_work_unasked)
        fail_msg("%d questions for %g units of work with %d vertices", (int)questions, work, corners);

    // Long slanted teeth: the box of every edge meets every leaf of the tree.
    for (int v = 0; v < 2 * teeth; ++v) {
        xy[2 * v] = 0.25 * v / teeth + v % 2;
        xy[2 * v + 1] = v % 2;
    }
    xy[4 * teeth] = 1.0;
    xy[4 * teeth + 1] = -1.0;
    scree_shapes_free(&shapes);
    CHECK_OK(scree_shapes_add(&shapes, (scree_polygon){.count = 2 * teeth + 1, .xy = xy}, &shape));
    work = 8.0 * 4.0 * teeth * teeth;
    questions = create_under_the_watch(&shapes, 1, &(scree_body){.shape = shape});
    if ((double)questions < 0.95 * work / scree_work_unasked)
        fail_msg("%d questions for %g units of work with %d teeth", (int)questions, work, teeth);
    scree_shapes_free(&shapes);
    scree_free(xy);
}

// Edges of a spiral lie in the boxes of the many turns around them, nodes above the leaves: these count as work too.
static void a_spiral_is_checked_under_the_watch(void** state)
{
    (void)state;
    enum { side = 5000, turns = 50 };
    double* xy = scree_malloc(4 * side, sizeof *xy);
    assert_non_null(xy);
    for (int v = 0; v < 2 * side; ++v) {  // out, and back beside it
        double part = (v < side ? v : 2 * side - 1 - v) / (double)side, r = 1.0 + turns * part + 0.5 * (v >= side);
        xy[2 * v] = r * cos(6.283185307179586 * turns * part);
        xy[2 * v + 1] = r * sin(6.283185307179586 * turns * part);
    }
    edge_tree tree;
    CHECK_OK(edge_tree_make(&tree, 2 * side, xy, (const double[2]){0.0, 0.0}, NULL));
    int64_t looked = 0, leaves = 0;
    for (int32_t e = 0; e < tree.n; ++e) {
        const double *a = tree.p[e], *b = tree.p[e + 1], box[4] = {fmin(a[0], b[0]), fmin(a[1], b[1]), fmax(a[0], b[0]), fmax(a[1], b[1])};
        for (int32_t node = 1; edge_leaf_counted(&tree, box, &node, &looked) >= 0;)
            ++leaves;
    }
    counter c = {0};
    scree_watch asked = watch_of(&c);
    CHECK_OK(edge_tree_check_simple(&tree, &(polygon_watch){.watch = &asked}));
    double work = 2.0 * (double)looked + 64.0 * (double)leaves;
    if (looked < 20 * leaves || (double)c.questions < 0.95 * work / scree_work_unasked)
        fail_msg("%d questions for %g units of work, %d nodes and %d leaves", (int)c.questions, work, (int)looked, (int)leaves);
    edge_tree_free(&tree);
    scree_free(xy);
}

// ---- One huge polygon ------------------------------------------------------------------------------------------------------

// A round shape of so many vertices.
static scree_shapes round_shape(int32_t corners)
{
    double* xy = scree_malloc(2 * (size_t)corners, sizeof *xy);
    assert_non_null(xy);
    for (int v = 0; v < corners; ++v) {
        xy[2 * v] = cos(6.283185307179586 * v / corners);
        xy[2 * v + 1] = sin(6.283185307179586 * v / corners);
    }
    scree_shapes shapes = {0};
    CHECK_OK(scree_shapes_add(&shapes, (scree_polygon){.count = corners, .xy = xy}, NULL));
    scree_free(xy);
    return shapes;
}

static scree_polygon_sim_def def_of_round(counter* c)
{
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = 1e-3;
    def.time_step = 1e-6;
    def.rule = SCREE_POLYGON_NODE_TO_SEGMENT;
    def.allow_deep = true;
    def.threads = 1;
    def.watch = c != NULL ? watch_of(c) : (scree_watch){0};
    return def;
}

static scree_polygon_sim_report report_of(scree_polygon_sim* sim)
{
    scree_polygon_sim_report report;
    CHECK_OK(scree_polygon_sim_measure(sim, &report));
    return report;
}

// What steps have done in narrow phases, at least: for a vertex also the way down one tree, 12 nodes and a leaf; for an edge the nodes to its leaf.
static double narrow_work(const scree_polygon_sim_report* report)
{
    return (16.0 + 2.0 * 20.0) * (double)report->vertices_tested + (8.0 + 2.0) * (double)report->edges_crossed;
}

// Two that nearly cover each other: all vertices of each are tested, all its edges compared. A pair apart has the rest of the work.
static void a_pair_of_huge_polygons_is_created_under_the_watch(void** state)
{
    (void)state;
    scree_shapes shapes = round_shape(20000);
    scree_body near[2] = {{.shape = 0, .spin = 1.0}, {.shape = 0, .x = {1e-3, 0.0}}}, far[2] = {near[0], {.shape = 0, .x = {3.0, 0.0}}};
    int64_t alone = create_under_the_watch(&shapes, 2, far), questions = create_under_the_watch(&shapes, 2, near);
    scree_polygon_sim_def def = def_of_round(NULL);
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, near, &sim));
    CHECK_OK(scree_polygon_sim_run(sim, 1));
    scree_polygon_sim_report report = report_of(sim);
    double work = narrow_work(&report);
    assert_true(report.pairs_tested == 1 && report.vertices_tested > 35000);
    if ((double)(questions - alone) < 0.95 * work / scree_work_unasked)
        fail_msg("%d and %d questions for %g more units of work", (int)alone, (int)questions, work);
    scree_polygon_sim_destroy(sim);

    // A few vertices at the centre of the other: each of its edges may be the nearest.
    enum { few = 60 };
    double xy[2 * few];
    for (int v = 0; v < few; ++v) {
        xy[2 * v] = 1e-9 * cos(6.283185307179586 * v / few);
        xy[2 * v + 1] = 1e-9 * sin(6.283185307179586 * v / few);
    }
    int32_t small;
    CHECK_OK(scree_shapes_add(&shapes, (scree_polygon){.count = few, .xy = xy}, &small));
    near[1] = far[1] = (scree_body){.shape = small};
    far[1].x[0] = 3.0;
    alone = create_under_the_watch(&shapes, 2, far);
    questions = create_under_the_watch(&shapes, 2, near);
    work = 2.0 * 20000.0 * few;
    if ((double)(questions - alone) < 0.95 * work / scree_work_unasked)
        fail_msg("%d and %d questions for %g more units of work, %d vertices at the centre", (int)alone, (int)questions, work, few);

    // Combs with long slanted teeth: every edge is compared with every other.
    enum { teeth = 300 };
    double comb[4 * teeth + 2];
    for (int v = 0; v < 2 * teeth; ++v) {
        comb[2 * v] = 0.25 * v / teeth + v % 2;
        comb[2 * v + 1] = v % 2;
    }
    comb[4 * teeth] = 1.0;
    comb[4 * teeth + 1] = -1.0;
    CHECK_OK(scree_shapes_add(&shapes, (scree_polygon){.count = 2 * teeth + 1, .xy = comb}, &small));
    near[0] = near[1] = far[0] = far[1] = (scree_body){.shape = small};
    near[1].x[0] = 1e-5;
    far[1].x[0] = 9.0;
    alone = create_under_the_watch(&shapes, 2, far);
    questions = create_under_the_watch(&shapes, 2, near);
    work = 8.0 * 4.0 * teeth * teeth;
    if ((double)(questions - alone) < 0.95 * work / scree_work_unasked)
        fail_msg("%d and %d questions for %g more units of work, %d teeth", (int)alone, (int)questions, work, teeth);
    scree_shapes_free(&shapes);
}

// Rounded corners: a round outline within a frame, whose box holds all its vertices; and the same outside. Stopped anywhere, nothing is left.
static void rounded_polygons_are_created_under_the_watch(void** state)
{
    (void)state;
    enum { vertices = 20000 };
    scree_shapes shapes = round_shape(vertices);
    const double frame[] = {-2, -2, 2, -2, 2, 2, 1.5, 2, 1.5, -1.5, -1.5, -1.5, -1.5, 2, -2, 2};
    int32_t fixed;
    CHECK_OK(scree_shapes_add(&shapes, (scree_polygon){.count = 8, .xy = frame}, &fixed));
    int64_t questions[2];
    for (int within = 0; within < 2; ++within) {
        counter c = {0};
        scree_polygon_sim_def def = def_of_round(&c);
        def.rule = SCREE_POLYGON_ROUNDED;
        def.allow_deep = false;
        const scree_body bodies[2] = {{.shape = 0, .x = {within ? 0.0 : 9.0, 0.0}}, {.shape = fixed, .fixed = true}};
        scree_polygon_sim* sim;
        CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
        const int64_t all = questions[within] = c.questions;
        scree_polygon_sim_destroy(sim);
        for (int64_t most = 1; most <= all; most += all / 7 + 1) {
            c = (counter){.most = most};
            CHECK_FAILS(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim), SCREE_ERR_CANCELLED);
            assert_true(sim == NULL && c.questions == most);
        }
    }
    // Outside alone: the sides, their corners, what they may meet, and the core are gone over.
    assert_true((double)questions[0] > 3.0 * 16.0 * vertices / scree_work_unasked);
    assert_true((double)(questions[1] - questions[0]) > 0.9 * 16.0 * vertices / scree_work_unasked);
    scree_shapes_free(&shapes);
}

// A state with another angle turns all vertices; with the same, none.
static void a_huge_polygon_is_turned_under_the_watch(void** state)
{
    (void)state;
    enum { corners = 80000 };
    scree_shapes shapes = round_shape(corners);
    counter c = {0};
    scree_polygon_sim_def def = def_of_round(&c);
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 1, &(scree_body){.shape = 0}, &sim));
    double x[2], angle, v[2], spin;
    scree_polygon_sim_state at = {.x = x, .angle = &angle, .v = v, .spin = &spin};
    CHECK_OK(scree_polygon_sim_get_state(sim, &at));
    c = (counter){0};
    CHECK_OK(scree_polygon_sim_set_state(sim, &at));
    int64_t same = c.questions;
    angle = 1.0;
    c = (counter){0};
    CHECK_OK(scree_polygon_sim_set_state(sim, &at));
    int64_t all = c.questions;
    uint64_t hash = scree_polygon_sim_hash(sim);
    double work = 16.0 * corners;
    if ((double)(all - same) < 0.9 * work / scree_work_unasked - 1.0)
        fail_msg("%d and %d questions for %g more units of work", (int)same, (int)all, work);
    for (int64_t most = 1; most <= all; ++most) {
        angle = 1.0 + (double)most;
        c = (counter){.most = most};
        CHECK_FAILS(scree_polygon_sim_set_state(sim, &at), SCREE_ERR_CANCELLED);
        assert_int_equal(c.questions, most);
        angle = 1.0;
        c = (counter){0};
        CHECK_OK(scree_polygon_sim_set_state(sim, &at));
        assert_true(scree_polygon_sim_hash(sim) == hash);
    }
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

typedef struct outlines_kept {
    double* xy;
    int64_t count;
} outlines_kept;

static outlines_kept keep_outlines(scree_polygon_sim* sim)
{
    scree_outlines now;
    CHECK_OK(scree_polygon_sim_get_outlines(sim, &now));
    outlines_kept kept = {.count = 2 * now.first[now.count]};
    kept.xy = scree_malloc((size_t)kept.count, sizeof *kept.xy);
    assert_non_null(kept.xy);
    memcpy(kept.xy, now.xy, (size_t)kept.count * sizeof *kept.xy);
    return kept;
}

static void check_outlines(scree_polygon_sim* sim, const outlines_kept* kept)
{
    scree_outlines now;
    CHECK_OK(scree_polygon_sim_get_outlines(sim, &now));
    assert_int_equal(2 * now.first[now.count], kept->count);
    assert_memory_equal(now.xy, kept->xy, (size_t)kept->count * sizeof *kept->xy);
}

// Stopped in the midst of a step, a simulation is what it was before that step, to the last bit and for everyone who asks; and it goes on as if it had never been stopped.
static void steps_of_a_pair_of_huge_polygons_are_stopped(void** state)
{
    (void)state;
    enum { steps = 2 };
    scree_shapes shapes = round_shape(14000);
    const scree_body bodies[2] = {{.shape = 0, .spin = 3.0, .v = {0.5, 0.0}}, {.shape = 0, .x = {1e-3, 0.0}}};
    scree_polygon_sim_def def = def_of_round(NULL);
    uint64_t hash[steps + 1];
    scree_polygon_sim_report report[steps + 1];
    outlines_kept outlines[steps + 1];
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
    for (int s = 0; s <= steps; ++s) {
        CHECK_OK(scree_polygon_sim_run(sim, s > 0));
        hash[s] = scree_polygon_sim_hash(sim);
        report[s] = report_of(sim);
        outlines[s] = keep_outlines(sim);
    }
    scree_polygon_sim_destroy(sim);

    counter c = {0};
    def = def_of_round(&c);
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 2, bodies, &sim));
    double data[12], *x = data, *v = data + 4, *angle = data + 8, *spin = data + 10, a[6];
    scree_polygon_sim_state start = {.x = x, .v = v, .angle = angle, .spin = spin, .a = a};
    CHECK_OK(scree_polygon_sim_get_state(sim, &start));
    c = (counter){0};
    CHECK_OK(scree_polygon_sim_run(sim, steps));
    // One of 8 questions of the loops is passed on.
    double work = narrow_work(&report[steps]);
    if ((double)c.questions < 0.9 * work / (8.0 * scree_work_unasked) || c.questions < 2 * steps)
        fail_msg("%d questions for %g units of work", (int)c.questions, work);
    int stopped[steps] = {0};
    for (int64_t most = 1, all = c.questions; most <= all; most += all / 5 + 1) {
        c = (counter){0};
        CHECK_OK(scree_polygon_sim_set_state(sim, &start));
        c = (counter){.most = most};
        scree_status status = scree_polygon_sim_run(sim, steps);
        if (status == SCREE_OK)  // a faster clock asks less
            break;
        assert_int_equal(status, SCREE_ERR_CANCELLED);
        assert_int_equal(c.questions, most);
        int64_t done = scree_polygon_sim_get_step(sim);
        assert_true(done >= 0 && done < steps);
        ++stopped[done];
        assert_true(scree_polygon_sim_hash(sim) == hash[done]);
        c = (counter){0};
        if (most % 2 == 1) {
            scree_polygon_sim_report now = report_of(sim);
            assert_true(now.step == done && now.contacts == report[done].contacts && now.energy_contact == report[done].energy_contact);
            check_outlines(sim, &outlines[done]);
        }
        assert_int_equal(c.questions, 0);
        CHECK_OK(scree_polygon_sim_run(sim, steps - done));
        assert_true(scree_polygon_sim_hash(sim) == hash[steps]);
        check_outlines(sim, &outlines[steps]);
    }
    assert_true(stopped[0] > 0);
    for (int s = 0; s <= steps; ++s)
        scree_free(outlines[s].xy);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// Two touch, the others are far apart: most of a step is the turning of their vertices. When it is stopped, some have turned and others have not; or all have, and the
// fast one was wrapped.
static void turning_of_huge_polygons_is_stopped(void** state)
{
    (void)state;
    enum { n = 16, corners = 12000 };
    scree_shapes shapes = round_shape(corners);
    scree_body bodies[n];
    for (int i = 0; i < n; ++i)
        bodies[i] = (scree_body){.shape = 0, .x = {10.0 * i, 0.0}, .v = {1.0 + i, 2.0}, .spin = 1.0 + i, .fixed = i % 3 == 2};
    counter c = {0};
    scree_polygon_sim_def def = def_of_round(&c);
    def.gravity[1] = -1.0;
    def.box.periodic[0] = true;
    def.box.lower[0] = -5.0;
    def.box.upper[0] = 10.0 * n - 5.0;
    def.wrap_every = 1;
    bodies[1].x[0] = 1e-3;
    bodies[5].v[0] = 1e9;  // fixed
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, n, bodies, &sim));
    double data[2][12 * n];
    int64_t since[2][n];
    scree_polygon_sim_state at[2];
    for (int s = 0; s < 2; ++s)
        at[s] = (scree_polygon_sim_state){.x = data[s], .v = data[s] + 2 * n, .angle = data[s] + 4 * n, .spin = data[s] + 5 * n, .a = data[s] + 6 * n,
                                          .anchor = data[s] + 9 * n, .since = since[s]};
    CHECK_OK(scree_polygon_sim_run(sim, 3));
    c = (counter){0};
    CHECK_OK(scree_polygon_sim_get_state(sim, &at[0]));
    CHECK_OK(scree_polygon_sim_run(sim, 1));
    int64_t all = c.questions;
    double work = 16.0 * n * corners;
    if ((double)all < 0.9 * work / (8.0 * scree_work_unasked))
        fail_msg("%d questions in a step for %g units of work", (int)all, work);
    uint64_t hash = scree_polygon_sim_hash(sim);
    outlines_kept outlines = keep_outlines(sim);
    for (int64_t most = 1; most < all; most += most < 3 ? 1 : all / 4 + 1) {
        c = (counter){0};
        CHECK_OK(scree_polygon_sim_run(sim, 1));  // what is kept of this step must not be taken for that of the one to be stopped
        CHECK_OK(scree_polygon_sim_set_state(sim, &at[0]));
        c = (counter){.most = most};
        scree_status status = scree_polygon_sim_run(sim, 1);
        if (status == SCREE_OK)
            break;
        assert_int_equal(status, SCREE_ERR_CANCELLED);
        c = (counter){0};
        at[1].step = -1;
        CHECK_OK(scree_polygon_sim_get_state(sim, &at[1]));
        assert_int_equal(at[1].step, at[0].step);
        assert_memory_equal(data[1], data[0], sizeof data[0]);
        assert_memory_equal(since[1], since[0], sizeof since[0]);
        CHECK_OK(scree_polygon_sim_run(sim, 1));
        assert_true(scree_polygon_sim_hash(sim) == hash);
        check_outlines(sim, &outlines);
    }
    scree_free(outlines.xy);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

typedef struct asker {
    counter c;
    scree_polygon_sim* sim;
    int64_t step;
} asker;

// In the midst of a step bodies are between two moments.
static bool ask_in_a_step(void* context, double done)
{
    asker* a = context;
    scree_outlines outlines;
    scree_polygon_contacts contacts;
    double x[8], angle[4], v[8], spin[4];
    scree_polygon_sim_state state = {.x = x, .angle = angle, .v = v, .spin = spin};
    if (a->sim != NULL) {
        CHECK_FAILS(scree_polygon_sim_get_state(a->sim, &state), SCREE_ERR_ARGUMENT, "step 1");
        CHECK_FAILS(scree_polygon_sim_set_state(a->sim, &state), SCREE_ERR_ARGUMENT, "step 1");
        CHECK_FAILS(scree_polygon_sim_get_outlines(a->sim, &outlines), SCREE_ERR_ARGUMENT, "step 1");
        CHECK_FAILS(scree_polygon_sim_get_contacts(a->sim, &contacts), SCREE_ERR_ARGUMENT, "step 1");
        assert_int_equal(scree_polygon_sim_get_boundaries(a->sim, NULL, 0), -1);
        CHECK_FAILS(scree_polygon_sim_run(a->sim, 1), SCREE_ERR_ARGUMENT, "step 1");
        CHECK_FAILS(scree_polygon_sim_set_gravity(a->sim, v), SCREE_ERR_ARGUMENT, "step 1");
        assert_int_equal(scree_polygon_sim_get_step(a->sim), 0);
        assert_true(scree_polygon_sim_get_time(a->sim) == 0.0);
    }
    return count_question(&a->c, done);
}

static void a_tick_within_a_step_cannot_use_the_simulation(void** state)
{
    (void)state;
    scree_shapes shapes = round_shape(40000);
    const scree_body bodies[4] = {{.shape = 0, .spin = 1.0}, {.shape = 0, .spin = 1.0, .x = {3.0, 0.0}}, {.shape = 0, .spin = 1.0, .x = {6.0, 0.0}},
                                  {.shape = 0, .spin = 1.0, .x = {9.0, 0.0}}};
    asker a = {.sim = NULL};
    scree_polygon_sim_def def = def_of_round(NULL);
    def.watch = (scree_watch){.tick = ask_in_a_step, .context = &a};
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, 4, bodies, &sim));
    a = (asker){.sim = sim};
    CHECK_OK(scree_polygon_sim_run(sim, 1));
    assert_true(a.c.questions > 0);
    assert_int_equal(scree_polygon_sim_get_step(sim), 1);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// Many bodies, several threads: stopped again and again, a little later each time, and the same bits in the end.
static void steps_of_many_bodies_are_stopped_with_threads(void** state)
{
    (void)state;
    enum { side = 30, n = side * side, steps = 6 };
    static scree_body bodies[n];
    scree_shapes shapes = round_shape(12);
    for (int i = 0; i < n; ++i)
        bodies[i] = (scree_body){.shape = 0, .x = {1.9 * (i % side), 1.9 * (i / side)}, .angle = i, .v = {cos(i), sin(i)}, .spin = sin(3.0 * i)};
    scree_polygon_sim_def def = def_of_round(NULL);
    scree_polygon_sim* sim;
    CHECK_OK(scree_polygon_sim_create(&def, &shapes, n, bodies, &sim));
    uint64_t hash[steps + 1];
    for (int s = 0; s <= steps; ++s) {
        CHECK_OK(scree_polygon_sim_run(sim, s > 0));
        hash[s] = scree_polygon_sim_hash(sim);
    }
    assert_true(report_of(sim).contacts > n);
    scree_polygon_sim_destroy(sim);
    for (int32_t threads = 1; threads <= 3; ++threads) {
        counter c = {0};
        def = def_of_round(&c);
        def.threads = threads;
        CHECK_OK(scree_polygon_sim_create(&def, &shapes, n, bodies, &sim));
        int stops = 0;
        for (int64_t most = 1; scree_polygon_sim_get_step(sim) < steps; ++most) {
            c = (counter){.most = most};
            scree_status status = scree_polygon_sim_run(sim, steps - scree_polygon_sim_get_step(sim));
            assert_true(status == SCREE_OK || status == SCREE_ERR_CANCELLED);
            assert_true(scree_polygon_sim_hash(sim) == hash[scree_polygon_sim_get_step(sim)]);
            stops += status != SCREE_OK;
        }
        assert_true(stops > 0);
        scree_polygon_sim_destroy(sim);
    }
    scree_shapes_free(&shapes);
}

// Refused by their areas, before anything of their size is allocated.
static void bodies_that_cannot_fit_are_refused_at_once(void** state)
{
    (void)state;
    static const char* const entries[] = {
        "{shape: star, sizes: uniform-size:0.1:0.2, count: 2000000000, place: random}",
        "{shape: disc, sizes: mono:0.1, count: 2000000000, place: random, region: [0, 0, 5, 5]}",
        "{points: [[0, 0], [1, 0], [0, 1]], count: 2000000000, place: random}",
        "{shape: star, sizes: mono:0.1, count: 2000000000, place: lattice}",
        "{shape: star, sizes: mono:1, count: 40, place: random}",
    };
    for (size_t e = 0; e < sizeof entries / sizeof *entries; ++e) {
        scree_scene scene = scene_of_bodies(entries[e]);
        scree_body_set set;
        counter c = {0};
        scree_memory_set_room(1 << 20);
        scree_status status = scree_scene_make_bodies(&scene, watch_of(&c), &set);
        scree_memory_set_room(0);
        CHECK_FAILS(status, SCREE_ERR_ARGUMENT, "m.yaml:6 | bodies.place", e == 4 ? "40" : "2000000000", e == 1 ? "25" : "100");
        assert_int_equal(c.questions, 0);
        scene_free(&scene);
    }
}

// ---- Memory ----------------------------------------------------------------------------------------------------------------

// More pairs than memory: the message has their number and what they need, and nothing of that size was allocated.
static void pairs_that_do_not_fit_are_counted(void** state)
{
    (void)state;
    scree_spheres spheres = coincident(many);
    for (int32_t method = SCREE_METHOD_AUTO; method < SCREE_METHOD_COUNT; ++method) {
        scree_index_def def = scree_default_index_def();
        def.method = method;
        def.sorted = true;
        def.skin = -1.0;
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, coincident(10)));
        CHECK_OK(scree_index_pairs(index, &pairs));
        scree_memory_set_room(4 << 20);
        scree_status status = scree_index_update(index, spheres);
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        scree_memory_set_room(0);
        CHECK_FAILS(status, SCREE_ERR_MEMORY, "pairs");
        if (scree_index_method(index) != SCREE_METHOD_LINEAR_LIST && !message_names("1124250 | 17988000"))
            fail_msg("%s: %s", scree_method_name((scree_method)method), scree_error_message());
        CHECK_OK(scree_index_pairs(index, &pairs));
        assert_int_equal(pairs.count, 1124250);
        scree_index_destroy(index);
    }
}

static void a_block_larger_than_the_machine_is_refused(void** state)
{
    (void)state;
    scree_memory_set_room(1 << 20);
    assert_null(scree_malloc(1 << 20, 2));
    assert_true(message_names("1048576 | 2"));
    assert_null(scree_calloc(1 << 20, 2));
    void* block = scree_malloc(1 << 19, 1);
    assert_non_null(block);
    assert_null(scree_realloc(block, 1 << 20, 3));
    scree_memory_set_room(0);
    scree_free(block);
    assert_true(scree_memory_room() > 1 << 20);
    assert_null(scree_malloc(SIZE_MAX / 16, 8));
}

static const test_case cases[] = {
    UNIT(chunks_are_asked_and_stopped_within),
    UNIT(many_chunks_are_asked_by_their_work),
    UNIT(every_method_asks),
    UNIT(measuring_and_views_ask),
    UNIT(bodies_are_made_under_the_watch),
    UNIT(bodies_that_cannot_fit_are_refused_at_once),
    UNIT(simulations_of_polygons_are_created_under_the_watch),
    UNIT(states_of_many_bodies_are_set_under_the_watch),
    UNIT(a_large_shape_is_taken_in_under_the_watch),
    UNIT(a_spiral_is_checked_under_the_watch),
    UNIT(a_pair_of_huge_polygons_is_created_under_the_watch),
    SAME_BITS(steps_of_a_pair_of_huge_polygons_are_stopped),
    UNIT(rounded_polygons_are_created_under_the_watch),
    UNIT(a_huge_polygon_is_turned_under_the_watch),
    UNIT(turning_of_huge_polygons_is_stopped),
    UNIT(a_tick_within_a_step_cannot_use_the_simulation),
    THREADS(steps_of_many_bodies_are_stopped_with_threads),
    UNIT(pairs_that_do_not_fit_are_counted),
    UNIT(a_block_larger_than_the_machine_is_refused),
};

const test_group group_watch = {.name = "watch",
                                .cases = cases,
                                .count = sizeof cases / sizeof *cases,
                                .begin = make_folder,
                                .end = remove_folder,
                                .before_each = start_clean};
