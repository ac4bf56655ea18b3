// Long calls ask their watch often enough, shown by counting: so many questions for a known amount of work, never by a clock. And what cannot fit
// is refused before it is made, with the numbers.
#include "file_support.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "polygon/edges.h"
#include "scree/measure.h"
#include "scree/outlines.h"
#include "scree/polygon.h"
#include "scree/run.h"
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
                    continue;  // the stop came in the update, and the search was begun anew
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
    CHECK_OK(scree_view_write(in_folder("a.html"), 1, NULL, &set, &view));
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
    CHECK_OK(scree_scene_parse("m.yaml", text, strlen(text), &scene));
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
    scree_scene_free(&scene);
}

// ---- Simulations of polygons -----------------------------------------------------------------------------------------------

// Creates a simulation, stops the creation at some of its questions, and returns how many there are.
static int64_t create_under_the_watch(const scree_shapes* shapes, int32_t count, const scree_body* bodies)
{
    counter c = {0};
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.stiffness = 1.0;
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
        scree_scene_free(&scene);
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
    UNIT(pairs_that_do_not_fit_are_counted),
    UNIT(a_block_larger_than_the_machine_is_refused),
};

const test_group group_watch = {.name = "watch",
                                .cases = cases,
                                .count = sizeof cases / sizeof *cases,
                                .begin = make_folder,
                                .end = remove_folder,
                                .before_each = start_clean};
