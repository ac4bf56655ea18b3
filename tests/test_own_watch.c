// Long calls that take no watch ask that of the thread (scree_set_watch), and runs ask theirs while they begin and
// while spheres are inserted. Shown by counting: a call is asked so often for a known amount of work, and a watch that
// says stop at the n-th question ends it there, with nothing left. No clock.
#include "run_folder_support.h"

#include "sim_support.h"

#include "scree/checkpoint.h"
#include "scree/event.h"
#include "scree/query.h"
#include "scree/surface.h"

#include <math.h>

typedef struct counter {
    int64_t questions, most;  // most: from this one on it says stop; 0: never
} counter;

static bool count_question(void* context, double done)
{
    counter* c = context;
    assert_true(done >= 0.0 && done <= 1.0);
    ++c->questions;
    return c->most == 0 || c->questions < c->most;
}

// A call under the watch, whole and stopped at the first, a middle and the last question. `least`: questions that are
// expected.
typedef scree_status some_call(void* context);  // frees what it made

static void check_stops(some_call* call, void* context, int64_t least)
{
    counter c = {0};
    const scree_watch none = scree_set_watch((scree_watch){count_question, &c});
    assert_null(none.tick);
    CHECK_OK(call(context));
    const int64_t all = c.questions;
    if (all < least)
        fail_msg("%d questions; at least %d were expected", (int)all, (int)least);
    const int64_t at[] = {1, all / 2 + 1, all};
    for (size_t k = 0; k < sizeof at / sizeof *at; ++k) {
        c = (counter){.most = at[k]};
        CHECK_FAILS(call(context), SCREE_ERR_CANCELLED);
        assert_true(c.questions <= at[k] + 2);  // parts that other threads or loops had begun
    }
    assert_true(scree_set_watch(none).tick == count_question);
    CHECK_OK(call(context));  // without a watch, as before
}

// ---- Meshes ---------------------------------------------------------------------------------------------------------

enum { rings = 80, triangles_of_ball = 2 * 2 * rings * (rings - 1) };

static void ball_point(int i, int j, double x[3])
{
    const double pi = 3.14159265358979323846, theta = pi * i / rings, phi = pi * (j % (2 * rings)) / rings;
    x[0] = i > 0 && i < rings ? sin(theta) * cos(phi) : 0.0;
    x[1] = i > 0 && i < rings ? sin(theta) * sin(phi) : 0.0;
    x[2] = cos(theta);
}

static scree_triangles make_ball(void)
{
    scree_triangles ball;
    CHECK_OK(scree_triangles_make(triangles_of_ball, &ball));
    int64_t t = 0;
    for (int i = 0; i < rings; ++i)
        for (int j = 0; j < 2 * rings; ++j)
            for (int half = 0; half < 2; ++half) {
                if ((half == 0 && i == rings - 1) || (half == 1 && i == 0))
                    continue;
                double* to = ball.xyz + 9 * t++;
                ball_point(i, j, to);
                ball_point(half == 0 ? i + 1 : i + 1, half == 0 ? j : j + 1, to + 3);
                ball_point(half == 0 ? i + 1 : i, j + 1, to + 6);
            }
    assert_int_equal(t, triangles_of_ball);
    return ball;
}

static scree_status create_surface(void* context)
{
    scree_surface_def def = scree_default_surface_def();
    scree_surface* surface;
    scree_status status = scree_surface_create(&def, context, &surface);
    assert_true((status == SCREE_OK) == (surface != NULL));
    scree_surface_destroy(surface);
    return status;
}

static scree_status read_mesh(void* context)
{
    scree_triangles read;
    scree_status status = scree_read_triangles(context, NULL, &read);
    assert_true(status != SCREE_OK || read.count == triangles_of_ball);
    assert_true(status == SCREE_OK || (read.count == 0 && read.xyz == NULL));
    scree_triangles_free(&read);
    return status;
}

static void meshes_ask(void** state)
{
    (void)state;
    scree_triangles ball = make_ball();
    check_stops(create_surface, &ball, 8 * triangles_of_ball / 4096);
    FILE* file = fopen(in_folder("ball.stl"), "w");
    assert_non_null(file);
    fprintf(file, "solid ball\n");
    for (int64_t t = 0; t < ball.count; ++t) {
        fprintf(file, "facet normal 0 0 0\n outer loop\n");
        for (int k = 0; k < 3; ++k)
            fprintf(file, "  vertex %.17g %.17g %.17g\n", ball.xyz[9 * t + 3 * k], ball.xyz[9 * t + 3 * k + 1], ball.xyz[9 * t + 3 * k + 2]);
        fprintf(file, " endloop\nendfacet\n");
    }
    fprintf(file, "endsolid ball\n");
    int64_t bytes = ftell(file);
    fclose(file);
    check_stops(read_mesh, (void*)(uintptr_t)in_folder("ball.stl"), bytes >> 20);
    scree_triangles_free(&ball);
}

// ---- Queries --------------------------------------------------------------------------------------------------------

enum { points_most = 9000 };
static double points_x[3 * points_most];

typedef struct asked {
    scree_box box;
    scree_bvh* bvh;
    int kind;
} asked;

static scree_points some_points(int32_t count)
{
    scree_rng rng = scree_rng_make(7, 3);
    for (int64_t e = 0; e < 3 * (int64_t)count; ++e)
        points_x[e] = scree_rng_uniform(&rng);
    return (scree_points){.count = count, .dim = 3, .type = SCREE_TYPE_FLOAT64, .x = points_x};
}

static scree_status create_tree(void* context)
{
    asked* a = context;
    scree_bvh_def def = scree_default_bvh_def();
    scree_bvh* bvh;
    def.box = &a->box;
    def.threads = 1;
    scree_status status = scree_bvh_create(&def, some_points(points_most), &bvh);
    assert_true((status == SCREE_OK) == (bvh != NULL));
    scree_bvh_destroy(bvh);
    return status;
}

static scree_status ask_tree(void* context)
{
    asked* a = context;
    scree_hits hits;
    static double directions[3 * points_most], uppers[3 * points_most];
    scree_points points = some_points(points_most);
    for (int64_t e = 0; e < 3 * (int64_t)points_most; ++e) {
        directions[e] = e % 3 == 0 ? 1.0 : 0.5;
        uppers[e] = points_x[e] + 0.01;
    }
    scree_status status = a->kind == 0   ? scree_bvh_within(a->bvh, points, 0.01, &hits)
                          : a->kind == 1 ? scree_bvh_nearest(a->bvh, points, 3, INFINITY, &hits)
                          : a->kind == 2 ? scree_bvh_boxes(a->bvh, points_most, points_x, uppers, NULL, &hits)
                                         : scree_bvh_rays(a->bvh, points_most, points_x, directions, 0.01, true, NULL, &hits);
    assert_true(status == SCREE_OK ? hits.queries == points_most : hits.queries == 0 && hits.hit == NULL && hits.first == NULL);
    scree_hits_free(&hits);
    return status;
}

// One query that reaches many images.
static scree_status ask_far(void* context)
{
    asked* a = context;
    scree_hits hits;
    scree_status status = scree_bvh_within(a->bvh, (scree_points){.count = 1, .dim = 3, .type = SCREE_TYPE_FLOAT64, .x = points_x}, 0.5 * a->kind, &hits);
    scree_hits_free(&hits);
    return status;
}

static void queries_ask(void** state)
{
    (void)state;
    asked a = {.box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0})};
    a.box.periodic[0] = true;
    check_stops(create_tree, &a, 3 * points_most / 4096);
    scree_bvh_def def = scree_default_bvh_def();
    def.box = &a.box;
    def.threads = 1;
    CHECK_OK(scree_bvh_create(&def, some_points(points_most), &a.bvh));
    for (a.kind = 0; a.kind < 4; ++a.kind)
        check_stops(ask_tree, &a, points_most / 4096);
    scree_bvh_destroy(a.bvh);
    for (int k = 0; k < 3; ++k)
        a.box.periodic[k] = true;
    CHECK_OK(scree_bvh_create(&def, some_points(10), &a.bvh));
    a.kind = 30;
    check_stops(ask_far, &a, 4);
    scree_bvh_destroy(a.bvh);
    // That of the def comes first.
    counter own = {0}, of_thread = {0};
    def.watch = (scree_watch){count_question, &own};
    CHECK_OK(scree_bvh_create(&def, some_points(points_most), &a.bvh));
    const scree_watch none = scree_set_watch((scree_watch){count_question, &of_thread});
    a.kind = 0;
    CHECK_OK(ask_tree(&a));
    (void)scree_set_watch(none);
    assert_true(own.questions > 0 && of_thread.questions == 0);
    scree_bvh_destroy(a.bvh);
}

// Spheres that are all in one place of a periodic box: their images are the nearest.
static void nearest_of_points_in_one_place(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int32_t count = 1; count <= 3; ++count)
            for (int many_axes = 0; many_axes < 2; ++many_axes) {
                const double x[9] = {0.25, 0.5, 0.5, 0.25, 0.5, 0.5, 0.25, 0.5, 0.5}, x2[6] = {0.25, 0.5, 0.25, 0.5, 0.25, 0.5};
                scree_box box = scree_box_sized(dim, (double[]){1.0, 8.0, 8.0});
                box.periodic[0] = true;
                box.periodic[1] = many_axes == 1;
                scree_bvh_def def = scree_default_bvh_def();
                scree_bvh* bvh;
                scree_hits hits;
                def.box = &box;
                scree_points points = {.count = count, .dim = dim, .type = SCREE_TYPE_FLOAT64, .x = dim == 2 ? x2 : x};
                CHECK_OK(scree_bvh_create(&def, points, &bvh));
                const int32_t k = 5 * count;
                points.count = 1;
                CHECK_OK(scree_bvh_nearest(bvh, points, k, INFINITY, &hits));
                assert_int_equal(hits.first[1], k);
                for (int32_t h = 0; h < k; ++h) {  // itself, then left and right, by turns
                    const int32_t ring = (h / count + 1) / 2;
                    CHECK_CLOSE(hits.hit[h].value, (double)ring, 1e-12);
                    assert_int_equal(abs(hits.hit[h].shift[0]), ring);
                }
                scree_hits_free(&hits);
                const double far[3] = {0.75, 0.5, 0.5};
                points.x = far;
                CHECK_OK(scree_bvh_nearest(bvh, points, 1, 0.25, &hits));  // nothing is that near
                assert_int_equal(hits.first[1], 0);
                scree_hits_free(&hits);
                scree_bvh_destroy(bvh);
            }
}

// ---- Simulations and files ------------------------------------------------------------------------------------------

static scree_status create_sim(void* context)
{
    scree_sim_def def = scree_default_sim_def();
    scree_sim* sim;
    (void)context;
    def.box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0});
    def.stiffness = 1000.0;
    static double r[100];
    for (int i = 0; i < 100; ++i)
        r[i] = 1e-3;
    some_points(100);
    scree_status status = scree_sim_create(&def, (scree_spheres){.count = 100, .dim = 3, .x = points_x, .r = r}, NULL, &sim);
    assert_true((status == SCREE_OK) == (sim != NULL));
    scree_sim_destroy(sim);
    return status;
}

static scree_status read_back(void* context)
{
    scree_frame_times list;
    scree_status status = scree_read_pvd(context, &list);
    scree_frame_times_free(&list);
    return status;
}

static void other_calls_ask(void** state)
{
    (void)state;
    check_stops(create_sim, NULL, 3);
    static const double times[1] = {0.0};
    static const char* const files[1] = {"a.vtp"};
    CHECK_OK(scree_write_pvd(in_folder("list.pvd"), 1, times, files));
    check_stops(read_back, (void*)(uintptr_t)in_folder("list.pvd"), 1);
}

// ---- Calls on a simulation ------------------------------------------------------------------------------------------

// A gas with friction, or bonded, periodic along x.
typedef struct system_of {
    scree_sphere_set set;
    double* v;
    scree_sim_pair pair;
    scree_sim_law law;
    scree_sim_bond kind;
    scree_sim_bonds_def bonds;
    scree_sim_def def;
    scree_sim* sim;
    scree_checkpoint saved;  // of an earlier step
} system_of;

static scree_status make_sim(void* context)
{
    system_of* s = context;
    scree_sim_destroy(s->sim);
    scree_status status = scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &s->sim);
    assert_true((status == SCREE_OK) == (s->sim != NULL));
    return status;
}

static void make_system(system_of* s, bool bonded)
{
    enum { count = 60 };
    *s = (system_of){.set = sim_gas(3, count, 2.0, 0.3, true, 5), .pair = scree_default_sim_pair(), .law = scree_default_sim_law(), .kind = scree_default_sim_bond(),
                     .bonds = scree_default_sim_bonds_def(), .def = scree_default_sim_def()};
    s->v = sim_thermal(scree_sphere_set_view(&s->set), 0.05, 5);
    for (int32_t i = 0; i < count; ++i)
        s->set.r[i] *= 1.1;
    s->pair.stiffness = 20.0;
    s->pair.restitution = 0.6;
    s->pair.friction = 0.5;
    s->law.material_count = 1;
    s->law.pairs = &s->pair;
    s->kind.gap = 0.3;
    s->kind.radius = 0.5;
    s->kind.young = 50.0;
    s->bonds.kind_count = 1;
    s->bonds.kinds = &s->kind;
    s->def.box = s->set.box;
    s->def.law = &s->law;
    s->def.bonds = bonded ? &s->bonds : NULL;
    s->def.threads = 1;
    s->def.time_step = 0.01;
    s->def.order_every = 7;
}

// 20 steps, of which the checkpoint has the first half.
static void begin_system(system_of* s)
{
    CHECK_OK(make_sim(s));
    CHECK_OK(scree_sim_run(s->sim, 10));
    CHECK_OK(scree_checkpoint_save(s->sim, &s->saved));
    CHECK_OK(scree_sim_run(s->sim, 10));
}

static void free_system(system_of* s)
{
    scree_sim_destroy(s->sim);
    scree_checkpoint_free(&s->saved);
    scree_sphere_set_free(&s->set);
    free(s->v);
}

static scree_status look(void* context)
{
    system_of* s = context;
    scree_sim_report report;
    scree_sim_contacts contacts;
    scree_sim_memory memory;
    scree_sim_bonds bonds;
    scree_status status = scree_sim_measure(s->sim, &report);
    if (status == SCREE_OK)
        status = scree_sim_get_contacts(s->sim, &contacts);
    if (status == SCREE_OK)
        status = scree_sim_get_memory(s->sim, &memory);
    if (status == SCREE_OK)
        status = scree_sim_get_bonds(s->sim, &bonds);
    return status == SCREE_OK ? scree_sim_validate(s->sim) : status;
}

static scree_status plan(void* context)
{
    scree_sim_plan found;
    return scree_sim_find_plan(((system_of*)context)->sim, 3, &found);
}

static scree_status save(void* context)
{
    scree_checkpoint other = {0};
    scree_status status = scree_checkpoint_save(((system_of*)context)->sim, &other);
    if (status == SCREE_OK)
        status = scree_write_checkpoint(in_folder("a.checkpoint"), &other);
    scree_checkpoint_free(&other);
    return status;
}

static scree_status go_back(void* context)
{
    system_of* s = context;
    return scree_checkpoint_restore(&s->saved, s->sim);
}

static scree_status soften(void* context)
{
    system_of* s = context;
    s->pair.stiffness = 19.0;
    scree_status status = scree_sim_set_contacts(s->sim, &s->def, scree_sphere_set_view(&s->set));
    s->pair.stiffness = 20.0;
    return status;
}

static scree_status swap_spheres(void* context)
{
    static const int64_t gone[] = {3, 40};
    const double x[3] = {1.0, 1.0, 1.0}, r = 0.6;
    return scree_sim_exchange(((system_of*)context)->sim, 2, gone, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = &r}, NULL, NULL, NULL);
}

// A call that is stopped at any of its questions leaves the simulation as it was: it goes on to the same bits. *all: the questions.
static void check_unchanged(system_of* s, some_call* call, int64_t* all)
{
    begin_system(s);
    const uint64_t before = scree_sim_hash(s->sim);
    CHECK_OK(scree_sim_run(s->sim, 20));
    const uint64_t after = scree_sim_hash(s->sim);
    begin_system(s);
    counter c = {0};
    (void)scree_set_watch((scree_watch){count_question, &c});
    CHECK_OK(call(s));
    *all = c.questions;
    for (int64_t at = 1; at <= *all; ++at) {
        (void)scree_set_watch((scree_watch){0});
        begin_system(s);
        c = (counter){.most = at};
        (void)scree_set_watch((scree_watch){count_question, &c});
        const scree_status status = call(s);
        (void)scree_set_watch((scree_watch){0});
        if (status != SCREE_ERR_CANCELLED)
            fail_msg("status %d after a stop at question %d of %d", (int)status, (int)at, (int)*all);
        assert_true(scree_sim_hash(s->sim) == before);
        CHECK_OK(scree_sim_run(s->sim, 20));
        if (scree_sim_hash(s->sim) != after)
            fail_msg("other bits after a stop at question %d of %d", (int)at, (int)*all);
    }
    (void)scree_set_watch((scree_watch){0});
}

static void stopped_calls_leave_the_simulation_as_it_was(void** state)
{
    (void)state;
    static const struct {
        some_call* call;
        bool bonded, free;  // with bonds, without them
        int64_t least;
    } cases[] = {
        {look, true, true, 15}, {save, true, true, 15}, {go_back, true, true, 8}, {plan, false, true, 5}, {soften, false, true, 25}, {swap_spheres, false, true, 8},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (int bonded = 0; bonded < 2; ++bonded) {
            system_of s;
            int64_t all = 0;
            if (!(bonded ? cases[k].bonded : cases[k].free))
                continue;
            make_system(&s, bonded == 1);
            check_unchanged(&s, cases[k].call, &all);
            if (all < cases[k].least)
                fail_msg("call %d, %s bonds: %d questions; at least %d were expected", (int)k, bonded ? "with" : "without", (int)all, (int)cases[k].least);
            free_system(&s);
        }
}

// All questions of its creation, with bonds.
static void bonded_simulations_ask(void** state)
{
    (void)state;
    system_of s;
    make_system(&s, true);
    counter c = {0};
    (void)scree_set_watch((scree_watch){count_question, &c});
    CHECK_OK(make_sim(&s));
    const int64_t all = c.questions;
    assert_true(all >= 15);
    for (int64_t at = 1; at <= all; ++at) {
        c = (counter){.most = at};
        CHECK_FAILS(make_sim(&s), SCREE_ERR_CANCELLED);
    }
    (void)scree_set_watch((scree_watch){0});
    free_system(&s);
}

static scree_status find_stability(void* context)
{
    system_of* s = context;
    scree_stability found;
    return scree_find_stability(&s->set.box, SCREE_CONTAINER_BOX, 1, scree_sphere_set_view(&s->set), &found);
}

static scree_status rows_of_surface(void* context)
{
    scree_surface_rows rows = {0};
    static const double xr[2][4] = {{0.0, 0.0, 1.0, 0.1}, {0.5, 0.0, 0.0, 0.1}};
    scree_status status = scree_surface_rows_make(context, 2, xr, 0.1, 1, &rows);
    scree_surface_rows_free(&rows);
    return status;
}

static scree_status check_events(void* context)
{
    return scree_event_validate(context);
}

static void further_calls_ask(void** state)
{
    (void)state;
    system_of s;
    make_system(&s, false);
    check_stops(find_stability, &s, 3);
    free_system(&s);
    scree_event_def def = scree_default_event_def();
    scree_event_system* gas;
    scree_sphere_set set = sim_gas(3, 100, 2.0, 0.3, true, 5);
    double* v = sim_thermal(scree_sphere_set_view(&set), 1.0, 5);
    def.box = set.box;
    CHECK_OK(scree_event_create(&def, scree_sphere_set_view(&set), v, &gas));
    check_stops(check_events, gas, 2);
    scree_event_destroy(gas);
    scree_sphere_set_free(&set);
    free(v);
    scree_triangles ball = make_ball();
    scree_surface_def surface_def = scree_default_surface_def();
    scree_surface* surface;
    CHECK_OK(scree_surface_create(&surface_def, &ball, &surface));
    check_stops(rows_of_surface, surface, 2);
    scree_surface_destroy(surface);
    scree_triangles_free(&ball);
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

typedef struct listener {
    int64_t questions, most;
    int64_t from;  // questions count from this step on; -1: from the beginning on
} listener;

static bool listen(void* context, const scree_run_progress* progress)
{
    listener* l = context;
    l->questions += l->from < 0 || progress->step >= l->from;
    return l->most == 0 || l->questions < l->most;
}

static scree_status begin_run(const char* text, listener* l, scree_run** out)
{
    scree_run_def def = scree_default_run_def();
    scree_scene given = scene_of(text);
    def.threads = 1;
    def.tell = listen;
    def.context = l;
    scree_status status = scree_run_create(&def, &given, in_folder("run"), out);
    scene_free(&given);
    assert_null(scree_get_watch().tick);
    return status;
}

// A run that is stopped while it begins leaves nothing.
static void check_beginning(const char* text, int64_t least)
{
    listener l = {.from = -1};
    scree_run* run;
    CHECK_OK(begin_run(text, &l, &run));
    scree_run_destroy(run);
    remove_all(in_folder("run"));
    const int64_t all = l.questions;
    if (all < least)
        fail_msg("%d questions; at least %d were expected", (int)all, (int)least);
    const int64_t at[] = {1, all / 3 + 1, all / 2, all};
    for (size_t k = 0; k < sizeof at / sizeof *at; ++k) {
        l = (listener){.from = -1, .most = at[k]};
        CHECK_FAILS(begin_run(text, &l, &run), SCREE_ERR_CANCELLED);
        assert_null(run);
        assert_false(is_there(in_folder("run")));
    }
}

static const char rest[] = "contact: {stiffness: 1000}\ntime: {step: 1e-4, steps: 20}\noutput: {every_steps: 10, formats: [vtp]}\ncheckpoint: {every: 5}\n";

static void regions_and_insertions_ask(void** state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "dimension: 2\nbox: {size: [10, 10]}\nspheres: {count: 1500, sizes: 'mono:0.08', place: random, region: {at: [5, 5], radius: 4.9}}\n%s", rest);
    check_beginning(text, 8);
    snprintf(text, sizeof text, "dimension: 2\nbox: {size: [10, 10]}\nspheres: {count: 0, sizes: 'mono:0.08', place: random}\ninsert: [{count: 2200, region: {lower: [0, 0], upper: [10, 10]}, every_steps: 1}]\n%s", rest);
    check_beginning(text, 80);
    scree_triangles ball = make_ball();
    CHECK_OK(scree_write_triangles(in_folder("ball.stl"), NULL, &ball));
    scree_triangles_free(&ball);
    snprintf(text, sizeof text, "box: {size: [2, 2, 2], origin: [-1, -1, -1]}\nspheres: {count: 5, sizes: 'mono:0.08', place: random, region: {mesh: %s}}\n%s", in_folder("ball.stl"), rest);
    check_beginning(text, 8 * triangles_of_ball / 4096);
}

// Later on: few spheres are inserted before the run stops, with a checkpoint of that step; where there are many, the
// run ends at once, and goes on from its last checkpoint to the same bits.
static void insertions_on_the_way_ask(void** state)
{
    (void)state;
    static const char few[] = "dimension: 2\nbox: {size: [10, 10]}\nspheres: {count: 3, sizes: 'mono:0.08', place: random}\ninsert: [{rate: 1e5, region: {lower: [0, 0], upper: [10, 10]}, every_steps: 1}]\n";
    static const char more[] = "dimension: 2\nbox: {size: [10, 10]}\nspheres: {count: 3, sizes: 'mono:0.08', place: random}\n"
                               "insert: [{count: 2450, start: 0.00125, region: {lower: [0, 0], upper: [10, 10]}, every_steps: 1}]\n";
    for (int many = 0; many < 2; ++many) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", many ? more : few, rest);
        listener l = {.from = -1};
        scree_run* run;
        CHECK_OK(begin_run(text, &l, &run));
        CHECK_OK(scree_run_go(run));
        const uint64_t hash = scree_run_hash(run);
        scree_run_destroy(run);
        remove_all(in_folder("run"));
        l = (listener){.from = many ? 13 : 7, .most = 2};
        CHECK_OK(begin_run(text, &l, &run));
        CHECK_FAILS(scree_run_go(run), SCREE_ERR_CANCELLED, many ? "step 10" : "step ");
        scree_run_facts facts;
        CHECK_OK(scree_run_get_facts(run, &facts));
        assert_int_equal(facts.checkpoints[0], many ? 10 : facts.step);
        assert_true(facts.step >= l.from);
        scree_run_destroy(run);
        scree_run_def def = scree_default_run_def();
        CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
        CHECK_OK(scree_run_go(run));
        assert_true(scree_run_hash(run) == hash);
        scree_run_destroy(run);
        remove_all(in_folder("run"));
    }
}

static const test_case cases[] = {
    UNIT(meshes_ask),
    UNIT(queries_ask),
    UNIT(nearest_of_points_in_one_place),
    UNIT(other_calls_ask),
    SAME_BITS(stopped_calls_leave_the_simulation_as_it_was),
    UNIT(bonded_simulations_ask),
    UNIT(further_calls_ask),
    UNIT(regions_and_insertions_ask),
    UNIT(insertions_on_the_way_ask),
};

const test_group group_own_watch = {.name = "own_watch", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
