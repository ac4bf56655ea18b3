// Surfaces that remove what passes through them: who goes, when, with which mass and energy; that nobody else notices; and the same bits however it is computed.
#include "sim_support.h"

#include "run_support.h"

#include "base/wide.h"
#include "run/run_inner.h"
#include "scree/surface.h"
#include "sim/sim_inner.h"

static const double pi = 3.14159265358979323846;

typedef struct set_up {
    scree_sim_def def;
    scree_sim_boundary boundary[2];
    scree_exact exact[2];
} set_up;

// A stiff sphere of its own around the first place, which sphere 0 bounces in; and a soft sheet at z = 0.
static void begin(set_up* s)
{
    *s = (set_up){.def = scree_default_sim_def()};
    s->def.stiffness = 1.0;
    s->def.time_step = 1e-4;
    s->def.threads = 1;
    s->def.material_density = 3.0;
    s->def.boundaries = s->boundary;
    for (int b = 0; b < 2; ++b) {
        s->boundary[b] = scree_default_sim_boundary();
        s->exact[b] = scree_default_exact();
        s->boundary[b].exact = &s->exact[b];
    }
    s->exact[0].kind = SCREE_EXACT_SPHERE;
    memcpy(s->exact[0].at, (const double[3]){5.0, 5.0, 9.0}, sizeof s->exact[0].at);
    s->exact[0].radius[0] = 0.5;
    s->exact[1].kind = SCREE_EXACT_PLANE;
    s->exact[1].axis[2] = 1.0;
    s->boundary[1].removes = true;
    s->def.boundary_count = 2;
}

static scree_sim* make(const set_up* s, int32_t n, const double* x, const double* r, const double* v)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&s->def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, v, &sim));
    return sim;
}

// Two squares of two triangles, at z = 0.
static scree_surface* sheet_of(void)
{
    static const double xyz[36] = {-2, -2, 0, 0, -2, 0, 0, 2, 0, -2, -2, 0, 0, 2, 0, -2, 2, 0, 0, -2, 0, 2, -2, 0, 2, 2, 0, 0, -2, 0, 2, 2, 0, 0, 2, 0};
    scree_surface_def def = scree_default_surface_def();
    double copy[36];
    scree_surface* mesh;
    memcpy(copy, xyz, sizeof copy);
    CHECK_OK(scree_surface_create(&def, &(scree_triangles){.count = 4, .xyz = copy}, &mesh));
    return mesh;
}

static void a_sphere_shot_through_a_sheet_is_removed(void** state)
{
    (void)state;
    scree_surface* mesh = sheet_of();
    const double x[6] = {5.0, 5.0, 9.0, 0.35, 0.15, 0.4}, v[6] = {0.2, 0.1, 0.3, 0.0, 0.0, -4.0}, r[2] = {0.1, 0.1}, mass = 3.0 * 4.0 / 3.0 * pi * 1e-3;
    for (int kind = 0; kind < 5; ++kind) {  // a plane, a disc, a mesh, a box, the outside of a round boundary
        set_up s;
        begin(&s);
        s.exact[1].kind = kind == 1 ? SCREE_EXACT_DISC : kind == 3 ? SCREE_EXACT_BOX : SCREE_EXACT_PLANE;
        s.exact[1].radius[0] = 2.0;
        memcpy(s.exact[1].lower, (const double[3]){-1.0, -1.0, -1.0}, sizeof s.exact[1].lower);
        memcpy(s.exact[1].upper, (const double[3]){1.0, 1.0, 0.0}, sizeof s.exact[1].upper);
        if (kind == 2 || kind == 4)
            s.boundary[1].exact = NULL;
        if (kind == 2)
            s.boundary[1].surface = mesh;
        if (kind == 4) {
            s.boundary[1].kind = "sphere";
            s.boundary[1].outside = true;
            s.boundary[1].at[2] = -1.0;
            s.boundary[1].radius = 1.0;
        }
        scree_sim *both = make(&s, 2, x, r, v), *one = make(&s, 1, x, r, v);
        int64_t step = 0;
        double at[6] = {0.0}, alone[3];
        for (; step < 5000 && scree_sim_get_count(both) == 2; ++step) {
            CHECK_OK(scree_sim_get_column(both, "x", at));
            CHECK_OK(scree_sim_run(both, 1));
        }
        scree_sim_crossing gone[2];
        assert_int_equal(scree_sim_take_crossings(both, NULL, 0), 1);
        assert_int_equal(scree_sim_take_crossings(both, gone, 2), 1);
        assert_int_equal(scree_sim_take_crossings(both, gone, 2), 0);
        assert_int_equal(gone[0].id, 1);
        assert_int_equal(gone[0].step, step);
        assert_int_equal(gone[0].boundary, 7);
        CHECK_CLOSE(gone[0].mass, mass, 1e-15);
        // At the step before, it was not yet through, by less than what it moves in a step.
        double before = kind == 4 ? sqrt(at[3] * at[3] + at[4] * at[4] + (at[5] + 1.0) * (at[5] + 1.0)) - 1.0 : at[5];
        assert_true(before >= 0.0 && before <= 4.0 * 1e-4);
        scree_sim_report report = sim_report_of(both);
        assert_int_equal(report.flow.removed, 1);
        CHECK_CLOSE(report.flow.mass_removed, mass, 1e-15);
        CHECK_CLOSE(report.flow.energy_removed, 0.5 * mass * 16.0, 1.0 * 0.1 * 4.0 * 1e-4);  // elastic: all that it had, less what the contact lost on the way beyond: at most k r v step
        CHECK_OK(scree_sim_run(both, 2000));
        CHECK_OK(scree_sim_run(one, step + 2000));
        CHECK_OK(scree_sim_get_column(both, "x", at));
        CHECK_OK(scree_sim_get_column(one, "x", alone));
        check_same_bits(at, alone, 3, "the other's centre");
        CHECK_OK(scree_sim_get_column(both, "v", at));
        CHECK_OK(scree_sim_get_column(one, "v", alone));
        check_same_bits(at, alone, 3, "the other's velocity");
        scree_sim_destroy(both);
        scree_sim_destroy(one);
    }
    scree_surface_destroy(mesh);
}

// Through a sheet that says nothing it is an error as before, also where another one removes at the same step.
static void other_sheets_stop_the_run(void** state)
{
    (void)state;
    const double x[6] = {0.5, 0.5, 0.4, 0.5, 0.5, -0.4}, v[6] = {0.0, 0.0, -4.0, 0.0, 0.0, 4.0}, r[2] = {0.05, 0.05};
    set_up s;
    begin(&s);
    s.exact[0] = s.exact[1];
    s.exact[0].at[2] = -0.2;
    s.exact[1].at[2] = 0.2;
    s.boundary[0].name = "lid";
    scree_sim* sim = make(&s, 2, x, r, v);
    CHECK_FAILS(scree_sim_run(sim, 5000), SCREE_ERR_ARGUMENT, "sphere 1", "'lid'");
    scree_sim_destroy(sim);
}

// A sphere that is thrown against a soft wall passes through it: an error that names it and the wall, or it goes alone.
static void so_are_those_that_pass_through_walls(void** state)
{
    (void)state;
    static const char* const names[7] = {"lower x", "upper x", "lower y", "upper y", "lower z", "upper z", "'sphere 6'"};
    for (int wall = 0; wall < 7; ++wall) {
        double x[6] = {2.0, 2.0, 2.0, 2.0, 2.0, 2.0}, v[6] = {0.0}, r[2] = {0.1, 0.1};
        int k = wall < 6 ? wall / 2 : 0;
        double way = wall < 6 && wall % 2 == 0 ? -1.0 : 1.0;
        x[3 + k] += way * 1.6;
        v[3 + k] = way * 4.0;
        v[(k + 1) % 3] = 0.25;
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_sized(3, (const double[3]){4.0, 4.0, 4.0});
        def.container = wall == 6 ? SCREE_CONTAINER_SPHERE : SCREE_CONTAINER_BOX;
        def.stiffness = 1.0;
        def.time_step = 1e-4;
        def.threads = 1;
        scree_sim *stops, *goes, *alone;
        scree_spheres both = {.count = 2, .dim = 3, .x = x, .r = r}, one = {.count = 1, .dim = 3, .x = x, .r = r};
        CHECK_OK(scree_sim_create(&def, both, v, &stops));
        CHECK_FAILS(scree_sim_run(stops, 3000), SCREE_ERR_ARGUMENT, "sphere 1", names[wall]);
        int64_t step = scree_sim_get_step(stops);
        scree_sim_destroy(stops);
        def.walls_remove = true;
        CHECK_OK(scree_sim_create(&def, both, v, &goes));
        CHECK_OK(scree_sim_run(goes, 3000));
        scree_sim_crossing gone[2];
        assert_int_equal(scree_sim_take_crossings(goes, gone, 2), 1);
        assert_int_equal(gone[0].id, 1);
        assert_int_equal(gone[0].step, step);
        assert_int_equal(gone[0].boundary, wall);
        assert_int_equal(scree_sim_get_count(goes), 1);
        CHECK_OK(scree_sim_create(&def, one, v, &alone));
        CHECK_OK(scree_sim_run(alone, 3000));
        double a[3], b[3];
        CHECK_OK(scree_sim_get_column(goes, "x", a));
        CHECK_OK(scree_sim_get_column(alone, "x", b));
        check_same_bits(a, b, 3, "the other's centre");
        scree_sim_destroy(goes);
        scree_sim_destroy(alone);
    }
}

// A fixed sphere beyond a wall stays; a wall that moves takes spheres away as it goes over them.
static void walls_remove_as_they_move_and_not_what_is_fixed(void** state)
{
    (void)state;
    const double x[9] = {1.0, 1.0, 3.5, 1.0, 1.0, 0.3, 3.0, 3.0, 2.0}, r[3] = {0.1, 0.1, 0.1};
    const uint8_t fixed[3] = {0, 1, 0};
    for (int integrator = 0; integrator < 2; ++integrator) {
        scree_sim_def def = scree_default_sim_def();
        scree_sim_each each = scree_default_sim_each();
        each.fixed = fixed;
        def.box = scree_box_sized(3, (const double[3]){4.0, 4.0, 4.0});
        def.each = &each;
        def.walls_remove = true;
        def.integrator = integrator;
        def.wall_velocity[2][1] = -5.0;  // through both of those that are free, and not yet to the fixed one
        def.stiffness = 1.0;
        def.time_step = 1e-3;
        def.threads = 1;
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r}, NULL, &sim));
        CHECK_OK(scree_sim_run(sim, 760));
        scree_sim_crossing gone[3];
        assert_int_equal(scree_sim_take_crossings(sim, gone, 3), 2);
        assert_int_equal(gone[0].id, 0);
        assert_int_equal(gone[1].id, 2);
        assert_true(gone[0].boundary == 5 && gone[1].boundary == 5 && gone[0].step >= 100 && gone[0].step < 140 && gone[1].step >= 400 && gone[1].step < 440);
        assert_int_equal(scree_sim_get_count(sim), 1);
        scree_sim_destroy(sim);
    }
}

enum { crowd = 150 };

// A crowd that falls on a soft sheet and a stiffer floor below a part of it, with friction.
static void crowd_of(double* x, double* r, double* v)
{
    scree_rng rng = scree_rng_make(11, 0);
    for (int i = 0; i < crowd; ++i) {
        r[i] = 0.05 + 0.04 * scree_rng_uniform(&rng);
        x[3 * i] = -0.9 + 0.2 * (i % 10);
        x[3 * i + 1] = -0.9 + 0.2 * (i / 10 % 10);
        x[3 * i + 2] = 0.15 + 0.25 * (i / 100);
        for (int k = 0; k < 3; ++k)
            v[3 * i + k] = 2.0 * scree_rng_uniform(&rng) - 1.0 - 3.0 * (k == 2);
    }
}

static void who_goes_does_not_depend_on_how_it_is_computed(void** state)
{
    (void)state;
    scree_surface* mesh = sheet_of();
    double x[3 * crowd], r[crowd], v[3 * crowd];
    crowd_of(x, r, v);
    scree_sim_crossing first[crowd], gone[crowd];
    uint64_t wanted = 0;
    int64_t count = 0;
    for (int way = 0; way < 7; ++way) {
        set_up s;
        begin(&s);
        scree_index_def search = scree_default_index_def();
        scree_sim_law law = scree_default_sim_law();
        scree_sim_pair pair = scree_default_sim_pair();
        pair.friction = 0.5;
        law.material_count = 1;
        law.pairs = &pair;
        s.def.law = &law;
        s.def.stiffness = 4.0;
        s.def.restitution = 0.7;
        s.def.time_step = 1e-3;
        s.def.search = &search;
        s.boundary[1].exact = NULL;
        s.boundary[1].surface = mesh;
        s.def.threads = way == 1 ? 3 : 1;
        s.def.backend = way == 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
        search.skin = way == 3 ? -1.0 : 0.0;
        search.method = way == 4 ? SCREE_METHOD_OCTREE : SCREE_METHOD_AUTO;
        scree_plain_only = way == 6;
        scree_sim* sim = make(&s, crowd, x, r, v);
        for (int64_t left = 600, chunk = 1; left > 0; left -= chunk) {
            chunk = way == 5 ? chunk % 7 + 1 : 600;
            chunk = chunk < left ? chunk : left;
            CHECK_OK(scree_sim_run(sim, chunk));
        }
        CHECK_OK(scree_sim_validate(sim));
        int64_t seen = scree_sim_take_crossings(sim, gone, crowd);
        if (way == 0) {
            wanted = scree_sim_hash(sim);
            count = seen;
            memcpy(first, gone, sizeof *first * (size_t)seen);
        }
        assert_int_equal(scree_sim_get_count(sim), crowd - seen);
        assert_int_equal(sim_report_of(sim).flow.removed, seen);
        if (scree_sim_hash(sim) != wanted || seen != count)
            fail_msg("way %d: another hash, or %d spheres in place of %d", way, (int)seen, (int)count);
        assert_memory_equal(gone, first, sizeof *first * (size_t)seen);
        scree_sim_destroy(sim);
        scree_plain_only = false;
    }
    if (count < 20 || count > crowd - 20)
        fail_msg("%d of %d spheres have gone", (int)count, crowd);
    int64_t steps = 0, together = 0;
    for (int64_t k = 1; k < count; ++k) {
        assert_true(first[k].step > first[k - 1].step || (first[k].step == first[k - 1].step && first[k].id > first[k - 1].id));
        steps += first[k].step != first[k - 1].step;
        together += first[k].step == first[k - 1].step;
    }
    assert_true(steps > 5 && together > 0);
    scree_surface_destroy(mesh);
}

static void what_cannot_be_removed_is_refused(void** state)
{
    (void)state;
    const double x[6] = {0.0, 0.0, 0.5, 0.0, 0.0, 0.7}, r[2] = {0.1, 0.1};
    scree_spheres spheres = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_sim* sim;
    set_up s;
    begin(&s);
    scree_sim_bond kind = scree_default_sim_bond();
    scree_sim_bonds_def bonds = scree_default_sim_bonds_def();
    kind.gap = 0.01;
    kind.young = 1.0;
    bonds.kind_count = 1;
    bonds.kinds = &kind;
    s.def.bonds = &bonds;
    CHECK_FAILS(scree_sim_create(&s.def, spheres, NULL, &sim), SCREE_ERR_UNSUPPORTED, "bonds");
    assert_int_equal(scree_sim_take_crossings(NULL, NULL, 0), 0);
}

// ---- Runs --------------------------------------------------------------------------------------------------------------

static const char sieve[] = "box: {size: [4, 4, 6]}\n"
                            "gravity: [0, 0, -10]\n"
                            "spheres:\n"
                            "- {name: small, count: 60, sizes: 'uniform-size:0.15:0.25', place: random, region: {lower: [0, 0, 2.2], upper: [4, 4, 6]}}\n"
                            "- {name: large, count: 6, sizes: 'mono:0.35', place: random, material_density: 4, region: {lower: [0, 0, 2.5], upper: [4, 4, 6]}}\n"
                            "contact: {stiffness: 40, restitution: 0.6, friction: 0.3}\n"
                            "surfaces:\n"
                            "- {name: post, cylinder: {from: [2, 2, 0], to: [2, 2, 1], radius: 0.3}}\n"
                            "- {name: sheet, plane: {at: [0, 0, 1.6], normal: [0, 0, 1]}, on_crossing: remove}\n"
                            "time: {end: 0.9}\n"
                            "checkpoint: {every: 300}\n"
                            "output: {every: 0.15, formats: [csv], energies: true, log_every_steps: 20}\n";

static scree_run* run_of(const scree_scene* given, const char* name, int32_t threads)
{
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    def.threads = threads;
    def.force = true;
    CHECK_OK(scree_run_create(&def, given, in_folder(name), &run));
    return run;
}

static int rows_of(const char* text)
{
    int rows = -1;
    for (; *text != '\0'; ++text)
        rows += *text == '\n';
    return rows;
}

static double mass_in(const scree_sphere_set* set)
{
    const scree_column* group = scree_sphere_set_find(set, "group");
    double mass = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        mass += (group->integers[i] == 1 ? 4.0 : 1.0) * 4.0 / 3.0 * pi * set->r[i] * set->r[i] * set->r[i];
    return mass;
}

static void runs_count_what_they_remove(void** state)
{
    (void)state;
    scree_scene given = scene_of(sieve);
    scree_run* run = run_of(&given, "run", 1);
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_run_write_report(run));
    uint64_t hash = scree_run_hash(run);
    char *log = get_file(in_folder("run/log.csv"), NULL), *page = get_file(in_folder("run/report.html"), NULL);
    int last = rows_of(log) - 1;
    scree_sphere_set start = frame_of("run", 0), end = frame_of("run", 6);
    double removed = value_in(log, last, "removed");
    assert_int_equal(start.count, 66);
    assert_int_equal(end.count, 66 - (int)removed);
    assert_true(removed > 6.0 && end.count > 0);
    for (int32_t i = 0; i < end.count; ++i)
        assert_true(end.x[3 * i + 2] >= 1.6);
    assert_true(value_in(log, last, "crossed_sheet_small") + value_in(log, last, "crossed_sheet_large") == removed);
    assert_true(value_in(log, last, "crossed_sheet_large") > 0.0 && value_in(log, 0, "crossed_sheet_large") == 0.0);
    CHECK_CLOSE(mass_in(&start) - mass_in(&end), value_in(log, last, "mass_removed"), 1e-9);
    CHECK_CLOSE(value_in(log, last, "balance"), value_in(log, 0, "balance"), 0.02 * value_in(log, last, "energy_removed"));
    assert_non_null(strstr(page, "crossed sheet large"));
    scree_run_destroy(run);
    scree_sphere_set_free(&start);
    scree_sphere_set_free(&end);
    // Two threads; other ends of runs of steps; cut and resumed.
    run = run_of(&given, "other", 2);
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    given.log_every_steps = 7;
    given.sim.backend = SCREE_BACKEND_REFERENCE;
    run = run_of(&given, "other", 1);
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    given.log_every_steps = 20;
    given.sim.backend = 0;
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    def.force = true;
    for (int cut = 0; cut < 2; ++cut) {
        given.end = 0.7 + 0.11 * cut;  // then all large ones are gone
        def.until = 0.0;
        CHECK_OK(scree_run_create(&def, &given, in_folder("cut"), &run));
        CHECK_OK(scree_run_go(run));
        int64_t gone = sim_report_of(scree_run_get_sim(run)).flow.removed;
        if (gone == 0 || (cut == 0 && gone >= (int64_t)removed))
            fail_msg("%d of %d are gone at %g", (int)gone, (int)removed, given.end);
        scree_run_destroy(run);
        def.until = 0.9;
        CHECK_OK(scree_run_resume(&def, in_folder("cut"), &run));
        CHECK_OK(scree_run_go(run));
        assert_true(scree_run_hash(run) == hash);
        scree_run_destroy(run);
        char* other = get_file(in_folder("cut/log.csv"), NULL);
        static const char* const same[] = {"removed", "crossed_sheet_small", "crossed_sheet_large", "mass_removed", "energy_removed"};
        for (size_t k = 0; k < sizeof same / sizeof *same; ++k)
            assert_true(value_in(other, rows_of(other) - 1, same[k]) == value_in(log, last, same[k]));
        free(other);
    }
    free(log);
    free(page);
    scene_free(&given);
}

// The same by walls: who goes is in the log, and after a resume too.
static void runs_count_what_walls_remove(void** state)
{
    (void)state;
    static const char soft[] = "box: {size: [4, 4, 6]}\n"
                               "gravity: [0, 0, -10]\n"
                               "walls: {on_crossing: remove}\n"
                               "spheres:\n"
                               "- {name: small, count: 40, sizes: 'uniform-size:0.15:0.25', place: random}\n"
                               "- {name: large, count: 6, sizes: 'mono:0.35', place: random, material_density: 4}\n"
                               "contact: {stiffness: 20, restitution: 0.6}\n"
                               "surfaces: [{name: sheet, disc: {at: [2, 2, 0.02], normal: [0, 0, 1], radius: 1.2}, on_crossing: remove}]\n"
                               "time: {end: 1.2}\n"
                               "checkpoint: {every: 200}\n"
                               "output: {every: 0.3, formats: [csv], log_every_steps: 20}\n";
    scree_scene given = scene_of(soft);
    scree_run* run = run_of(&given, "run", 1);
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    char* log = get_file(in_folder("run/log.csv"), NULL);
    int last = rows_of(log) - 1;
    double walls = value_in(log, last, "crossed_walls_small") + value_in(log, last, "crossed_walls_large");
    double sheet = value_in(log, last, "crossed_sheet_small") + value_in(log, last, "crossed_sheet_large");
    scree_sphere_set end = frame_of("run", 4);
    assert_true(walls + sheet == value_in(log, last, "removed") && sheet > 0.0 && walls > 0.0 && end.count == 46 - (int)(walls + sheet) && end.count > 0);
    for (int32_t i = 0; i < end.count; ++i)
        assert_true(end.x[3 * i + 2] >= 0.0);
    scree_sphere_set_free(&end);
    scree_run_def def = scree_default_run_def();
    def.threads = 2;
    def.force = true;
    given.end = 0.8;
    CHECK_OK(scree_run_create(&def, &given, in_folder("cut"), &run));
    CHECK_OK(scree_run_go(run));
    assert_true(sim_report_of(scree_run_get_sim(run)).flow.removed > 0);
    scree_run_destroy(run);
    def.until = 1.2;
    CHECK_OK(scree_run_resume(&def, in_folder("cut"), &run));
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    char* other = get_file(in_folder("cut/log.csv"), NULL);
    assert_true(value_in(other, rows_of(other) - 1, "crossed_sheet_large") == value_in(log, last, "crossed_sheet_large"));
    assert_true(value_in(other, rows_of(other) - 1, "crossed_walls_small") == value_in(log, last, "crossed_walls_small"));
    free(other);
    free(log);
    scene_free(&given);
}

static void scenes_refuse_it_beside_bonds(void** state)
{
    (void)state;
    static const char begin[] = "box: {size: [4, 4, 6]}\nspheres: {count: 3, sizes: 'mono:0.2', place: random}\ncontact: {stiffness: 40}\ntime: {step: 1e-3, steps: 1}\n";
    static const struct {
        const char *text, *parts;
    } bad[] = {
        {"surfaces: [{plane: {normal: [0, 0, 1]}}, {plane: {normal: [0, 1, 0]}, on_crossing: remove}]\nbonds: [{gap: 0, young: 1}]\n", "m.yaml:5:84 | surfaces.on_crossing | bonds"},
        {"surfaces: [{plane: {normal: [0, 0, 1]}, on_crossing: forget}]\n", "surfaces.on_crossing | forget | error or remove"},
        {"walls: {on_crossing: remove}\nbonds: [{gap: 0, young: 1}]\n", "m.yaml:5:22 | walls.on_crossing | bonds"},
        {"walls: {on_crossing: forget}\n", "walls.on_crossing | forget | error or remove"},
        {"walls: {on_crossing: remove}\nsurfaces: [{name: walls, plane: {normal: [0, 0, 1]}, on_crossing: remove}]\n", "surfaces.name | walls"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char text[1024];
        scree_scene given;
        snprintf(text, sizeof text, "%s%s", begin, bad[k].text);
        CHECK_FAILS(scene_parse("m.yaml", text, strlen(text), &given), SCREE_ERR_FORMAT, bad[k].parts);
    }
}

// Wherever memory runs out, the run goes on when there is some again, and the result is the same.
static void memory_may_be_short_meanwhile(void** state)
{
    (void)state;
    double x[3 * crowd], r[crowd], v[3 * crowd];
    crowd_of(x, r, v);
    uint64_t wanted = 0;
    for (int64_t n = 0; n < 400; n += n < 40 ? 1 : 13) {
        set_up s;
        begin(&s);
        s.def.stiffness = 4.0;
        s.def.time_step = 1e-3;
        scree_sim* sim = make(&s, crowd, x, r, v);
        scree_memory_fail_at(n);
        scree_status status = scree_sim_run(sim, 150);
        scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        bool lost = sim->failed;  // memory was too short even to restore the list
        if (!lost && status != SCREE_OK)
            CHECK_OK(scree_sim_run(sim, 0));  // the step that was cut short
        if (!lost)
            CHECK_OK(scree_sim_run(sim, 150 - scree_sim_get_step(sim)));
        wanted = n == 0 ? scree_sim_hash(sim) : wanted;
        if (!lost && scree_sim_hash(sim) != wanted)
            fail_msg("allocation %d: another hash, step %d", (int)n, (int)scree_sim_get_step(sim));
        assert_true(n > 0 || scree_sim_take_crossings(sim, NULL, 0) > 10);
        scree_sim_destroy(sim);
    }
}

static const test_case cases[] = {
    UNIT(a_sphere_shot_through_a_sheet_is_removed),
    UNIT(so_are_those_that_pass_through_walls),
    UNIT(walls_remove_as_they_move_and_not_what_is_fixed),
    UNIT(other_sheets_stop_the_run),
    SAME_BITS(who_goes_does_not_depend_on_how_it_is_computed),
    UNIT(what_cannot_be_removed_is_refused),
    SAME_BITS(runs_count_what_they_remove),
    SAME_BITS(runs_count_what_walls_remove),
    UNIT(scenes_refuse_it_beside_bonds),
    ALLOCATION(memory_may_be_short_meanwhile),
};

const test_group group_crossing = {.name = "crossing", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
