// device: a run on a device has the bits of the processor's, hash by hash and column by column. The emulated device does what the kernels of CUDA do, lane by lane; with blocks, stages and rows of a few
// entries every case is reached by some hundred spheres, and lanes come in a different order for every seed. The reference is the processor's pass, which test_sim.c and test_grain_library.c reference in turn.
#include "device_support.h"

#include "device/emulate.h"
#include "device/plan.h"
#include "scree/device.h"
#include "scree/loads.h"
#include "sim/peer_levels.h"
#include "sim/sim_inner.h"

// ---- Without friction ----------------------------------------------------------------------------------------------------

static void spheres_move_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 24; ++c) {
        int dim = c % 2 == 0 ? 3 : 2, loss = c % 3;
        bool periodic = c / 2 % 2 == 1;
        double ratio = c < 8 ? 1.0 : c < 16 ? 4.0 : 15.0;
        char name[80];
        snprintf(name, sizeof name, "case %d: %dD, ratio %g, %s, loss %d", c, dim, ratio, periodic ? "periodic" : "walls", loss);
        device_system s = device_make(dim, dim == 3 ? 120 : 90, ratio, dim == 3 ? 0.2 : 0.35, periodic, loss, 11 + (uint64_t)c);
        if (c % 4 == 2)
            s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
        if (!periodic && c % 8 >= 4)
            s.def.wall_velocity[0][0] = 0.01;
        if (!periodic && c % 8 == 4 && dim == 3)
            s.def.gravity_turn[1] = 0.3;
        if (c % 5 == 1)
            s.search.skin = 0.05;
        if (c % 5 == 3)
            s.search.skin = -1.0;
        if (c >= 16)
            s.def.giants = 2.5;
        if (c % 6 == 5)
            s.def.box.periodic[1] = !periodic;
        device_set_tiny(1 + (uint64_t)c);
        device_compare(name, &s, 90);
        device_free(&s);
    }
    emulate_set(NULL);
}

static void properties_follow_their_spheres(void** state)
{
    (void)state;
    for (int c = 0; c < 6; ++c) {
        device_system s = device_make(3, 150, c < 3 ? 3.0 : 12.0, 0.2, c % 2 == 1, c % 3, 300 + (uint64_t)c);
        s.material = calloc(150, sizeof *s.material);
        s.fixed = calloc(150, sizeof *s.fixed);
        s.force = calloc(450, sizeof *s.force);
        s.law = scree_default_sim_law();
        s.law.material_count = 2;
        for (int e = 0; e < 4; ++e) {
            s.pairs[e] = scree_default_sim_pair();
            s.pairs[e].stiffness = 15.0 + 5.0 * (e == 0) + 3.0 * (e == 3);
            s.pairs[e].restitution = c % 3 == 1 ? 0.6 + 0.1 * (e == 0) : 0.0;
            s.pairs[e].damping = c % 3 == 2 ? 0.1 + 0.1 * (e == 3) : 0.0;
        }
        s.def.stiffness = s.def.restitution = s.def.damping = 0.0;
        for (int32_t i = 0; i < 150; ++i) {
            s.material[i] = (uint16_t)(i % 2);
            s.fixed[i] = i % 9 == 4;
            for (int k = 0; k < 3; ++k) {
                s.force[3 * i + k] = 1e-3 * ((i + k) % 4 - 1.5);
                s.v[3 * i + k] *= s.fixed[i] ? 0.0 : 1.0;
            }
        }
        if (c >= 3)
            s.def.giants = 3.0;
        device_set_tiny(40 + (uint64_t)c);
        device_compare("properties", &s, 90);
        device_free(&s);
    }
    emulate_set(NULL);
}

static void round_walls_hold_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 3; ++c) {
        device_system s = device_make(3, 160, 2.0, 0.3, false, 1, 500 + (uint64_t)c);
        double side = s.set.box.upper[0], middle = 0.5 * side;
        scree_sim_boundary b = scree_default_sim_boundary();
        b.kind = c == 0 ? "sphere" : "cylinder";
        b.axis[0] = 0.0;
        b.axis[2] = 1.0;
        for (int k = 0; k < 3; ++k)
            b.at[k] = middle;
        b.radius = 0.55 * side;
        device_keep_round(&s, b.radius, c > 0);
        if (c == 2)
            b.spin[2] = 0.2;
        s.def.boundaries = &b;
        s.def.boundary_count = 1;
        device_set_tiny(60 + (uint64_t)c);
        device_compare("round", &s, 60);
        device_free(&s);
    }
    emulate_set(NULL);
}

// ---- With friction, and every other law -------------------------------------------------------------------------------------

static void every_law_acts_as_on_the_processor(void** state)
{
    (void)state;
    device_watched = device_brief = 0;
    for (int c = 0;; ++c) {
        int dim = c % 3 == 2 ? 2 : 3;
        bool periodic = c / 2 % 2 == 1;
        const int32_t n = 110;
        device_system s = device_make(dim, n, c % 4 == 3 ? 10.0 : 2.0, dim == 3 ? 0.2 : 0.35, periodic, 0, 700 + (uint64_t)c);
        const char* name = device_choose_law(&s, c / 2);
        if (name == NULL) {
            device_free(&s);
            break;
        }
        s.material = calloc((size_t)n, sizeof *s.material);
        s.spin = s.pairs[0].friction > 0.0 ? calloc((size_t)n * 3, sizeof *s.spin) : NULL;
        for (int32_t i = 0; i < n; ++i) {
            s.material[i] = (uint16_t)(i % 2);
            for (int k = dim == 3 ? 0 : 2; k < 3 && s.spin != NULL; ++k)
                s.spin[3 * i + k] = 0.1 * ((i + k) % 5 - 2);
        }
        for (int64_t e = 0; e < (int64_t)n * dim; ++e)
            s.v[e] *= 3.0;
        if (c % 4 == 3)
            s.def.giants = 2.0;
        if (!periodic)
            s.def.wall_velocity[0][0] = 0.02;
        s.def.gravity[dim - 1] *= 20.0;
        s.def.watch_overlaps = 0.001;
        device_set_tiny(80 + (uint64_t)c);
        char title[80];
        snprintf(title, sizeof title, "%d %s", c, name);
        device_compare(title, &s, 150);
        device_free(&s);
    }
    emulate_set(NULL);
    assert_true(device_watched > 0 && device_brief > 0);
}

// ---- What is not done ------------------------------------------------------------------------------------------------------

static void what_devices_cannot_do_is_refused_by_name(void** state)
{
    (void)state;
    scree_sim* sim;
    device_system s = device_make(3, 20, 1.0, 0.1, false, 0, 3);
    device_point(&s);
    s.def.device = SCREE_DEVICE_EMULATE;
    s.def.check = true;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_UNSUPPORTED, "emulate", "check");
    assert_null(sim);
    s.def.check = false;
    s.def.backend = SCREE_BACKEND_REFERENCE;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "emulate", "reference");
    s.def.device = SCREE_DEVICE_AUTO;
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    assert_non_null(strstr(scree_sim_get_device_note(sim), "backend"));
    scree_sim_destroy(sim);
    s.def.backend = SCREE_BACKEND_FUSED;
    s.def.device = 7;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "7");
    s.def.device = SCREE_DEVICE_AUTO;
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    assert_int_equal(scree_sim_get_device(sim), SCREE_DEVICE_NONE);  // too few spheres for another one
    assert_non_null(strstr(scree_sim_get_device_note(sim), "20 spheres"));
    scree_sim_destroy(sim);
    scree_device_about about;
    CHECK_OK(scree_device_describe(SCREE_DEVICE_EMULATE, &about));
    assert_true(about.name[0] != '\0' && about.memory > 0);
    CHECK_FAILS(scree_device_describe(SCREE_DEVICE_NONE, &about), SCREE_ERR_ARGUMENT, "0");
    assert_string_equal(scree_device_name(SCREE_DEVICE_CUDA), "cuda");
    assert_null(scree_device_name(-1));
    assert_null(scree_device_name(SCREE_DEVICE_COUNT));
    device_free(&s);
}

// Each feature that devices lack, as it is asked for: by the def, or of a simulation that is there.
typedef struct refused {
    device_system s;
    scree_exact plate;
    scree_sim_boundary boundaries[260];
    scree_sim_cell cell;
} refused;

static void ask_bridges(refused* f)
{
    device_choose_law(&f->s, 11);
    device_point(&f->s);
    f->s.def.energies = true;
}

static void ask_check(refused* f)
{
    f->s.def.check = true;
}

static void ask_stress(refused* f)
{
    f->cell.isotropic = true;
    f->cell.rate_most = 0.1;
    f->s.def.cell = &f->cell;
}

static void ask_volume(refused* f)
{
    f->cell.constant_volume = true;
    f->cell.rate[0] = 0.1;
    f->s.def.cell = &f->cell;
}

static void ask_walls(refused* f)
{
    for (int b = 0; b < 33; ++b) {
        f->boundaries[b] = scree_default_sim_boundary();
        f->boundaries[b].kind = "sphere";
        f->boundaries[b].radius = 100.0;
    }
    f->s.def.boundaries = f->boundaries;
    f->s.def.boundary_count = 33;
}

static void ask_plates(refused* f, int32_t count)
{
    f->plate = scree_default_exact();
    f->plate.kind = SCREE_EXACT_DISC;
    f->plate.at[2] = -10.0;
    f->plate.axis[2] = 1.0;
    f->plate.radius[0] = 1.0;
    for (int b = 0; b < count; ++b) {
        f->boundaries[b] = scree_default_sim_boundary();
        f->boundaries[b].exact = &f->plate;
    }
    f->s.def.boundaries = f->boundaries;
    f->s.def.boundary_count = count;
}

static void ask_boundaries(refused* f)
{
    ask_plates(f, 260);
}

static void ask_room_for_servos(refused* f)
{
    ask_plates(f, 33);
}

static void ask_servos(scree_sim* sim)
{
    scree_sim_load servo = scree_default_sim_load();
    servo.kind = SCREE_LOAD_SERVO_FORCE;
    servo.speed = 0.1;
    servo.value.value[0] = 0.5;
    servo.direction[2] = 1.0;
    for (int b = 0; b < 33; ++b) {
        servo.target = boundary_faces + b;
        CHECK_OK(scree_sim_set_load(sim, &servo));
    }
}

static void ask_friction(refused* f)
{
    device_choose_law(&f->s, 0);
    device_point(&f->s);
}

static void ask_levels(scree_sim* sim)
{
    sim_set_levels(sim, LEVELS_MODERN);
}

static void every_feature_that_devices_lack_is_named(void** state)
{
    (void)state;
    static const struct {
        const char* word;
        bool periodic;
        void (*ask)(refused*);
        void (*then)(scree_sim*);  // NULL: the simulation is not made
    } rows[] = {
        {"liquid bridges", false, ask_bridges, NULL},
        {"def.check", false, ask_check, NULL},
        {"stress is controlled", true, ask_stress, NULL},
        {"constant volume", true, ask_volume, NULL},
        {"32 walls", false, ask_walls, NULL},
        {"255 boundaries", false, ask_boundaries, NULL},
        {"32 servos", false, ask_room_for_servos, ask_servos},
        {"lever arms", false, ask_friction, ask_levels},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        scree_sim* sim = NULL;
        refused f = {.s = device_make(3, 20, 1.0, 0.1, rows[k].periodic, 0, 3), .cell = scree_default_sim_cell()};
        device_point(&f.s);
        rows[k].ask(&f);
        f.s.def.device = SCREE_DEVICE_EMULATE;
        if (rows[k].then == NULL) {
            CHECK_FAILS(scree_sim_create(&f.s.def, scree_sphere_set_view(&f.s.set), f.s.v, &sim), SCREE_ERR_UNSUPPORTED, "emulate", rows[k].word);
            assert_null(sim);
            f.s.def.device = SCREE_DEVICE_AUTO;  // the processor can do it
            CHECK_OK(scree_sim_create(&f.s.def, scree_sphere_set_view(&f.s.set), f.s.v, &sim));
            assert_non_null(strstr(scree_sim_get_device_note(sim), rows[k].word));
            CHECK_OK(scree_sim_run(sim, 1));
        } else {
            CHECK_OK(scree_sim_create(&f.s.def, scree_sphere_set_view(&f.s.set), f.s.v, &sim));
            rows[k].then(sim);
            CHECK_FAILS(scree_sim_run(sim, 0), SCREE_ERR_UNSUPPORTED, "emulate", rows[k].word);
            CHECK_FAILS(scree_sim_run(sim, 5), SCREE_ERR_UNSUPPORTED, "emulate", rows[k].word);
            assert_int_equal(scree_sim_get_step(sim), 0);
        }
        scree_sim_destroy(sim);
        device_free(&f.s);
    }
}

static void memory_for_spheres_that_come_later_is_counted(void** state)
{
    (void)state;
    scree_sim* sim;
    device_system s = device_make(3, 20, 1.0, 0.1, false, 0, 3);
    scree_sim_later later = scree_default_sim_later();
    later.count = 1;
    later.r = s.set.r;
    s.def.later = &later;
    s.def.device = SCREE_DEVICE_EMULATE;
    device_point(&s);
    size_t bytes[2];
    for (int c = 0; c < 2; ++c) {
        later.most = c == 0 ? 0 : 1000000;
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        bytes[c] = scree_sim_get_device_bytes(sim);
        scree_sim_destroy(sim);
    }
    assert_true(bytes[1] > bytes[0] + 100000000);
    later.struct_size = offsetof(scree_sim_later, most);  // of a program that does not know it
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    assert_int_equal(scree_sim_get_device_bytes(sim), bytes[0]);
    scree_sim_destroy(sim);
    later.struct_size = sizeof later;
    s.def.device = SCREE_DEVICE_AUTO;
    later.most = 70000;
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    assert_non_null(strstr(scree_sim_get_device_note(sim), "70020 spheres"));
    scree_sim_destroy(sim);
    later.most = -1;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_ARGUMENT, "most", "-1");
    device_free(&s);
}

static void a_sphere_that_is_lost_is_named_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 2; ++c) {
        device_system s = device_make(3, 60, 1.0, 0.2, false, 0, 21);
        for (int k = 0; k < 3; ++k)
            s.v[3 * 17 + k] = k == 0 ? 30.0 : 0.0;  // through the wall
        if (c == 1) {  // beyond any length
            s.v[3 * 17] = SCREE_LENGTH_MAX;
            s.def.box = scree_box_open(3);
        }
        char messages[2][400];
        int64_t step[2];
        for (int d = 0; d < 2; ++d) {
            scree_sim* sim = device_start(&s, d == 0 ? SCREE_DEVICE_NONE : device_tested());
            assert_int_equal(scree_sim_run(sim, 500), SCREE_ERR_ARGUMENT);
            snprintf(messages[d], sizeof messages[d], "%s", scree_error_message());
            step[d] = scree_sim_get_step(sim);
            assert_int_equal(scree_sim_run(sim, 1), SCREE_ERR_ARGUMENT);
            scree_sim_destroy(sim);
        }
        assert_string_equal(messages[0], messages[1]);
        assert_int_equal(step[0], step[1]);
        device_free(&s);
    }
}

// ---- Back and forth ------------------------------------------------------------------------------------------------------

// Processor and device in turns, by states and by insertion and removal in between.
static void a_run_goes_on_on_the_other_side(void** state)
{
    (void)state;
    device_system s = device_make(3, 120, 3.0, 0.2, true, 0, 77);
    device_choose_law(&s, 1);
    s.spin = calloc(360, sizeof *s.spin);
    s.spin[4] = 0.3;
    scree_sim *a = device_start(&s, SCREE_DEVICE_NONE), *b = device_start(&s, device_tested()), *c = device_start(&s, SCREE_DEVICE_NONE);
    CHECK_OK(scree_sim_run(a, 90));
    CHECK_OK(scree_sim_run(b, 41));
    sim_hand_over(b, c);
    CHECK_OK(scree_sim_run(c, 20));
    sim_hand_over(c, b);
    CHECK_OK(scree_sim_run(b, 29));
    device_check_same("in turns", a, b);
    int64_t gone[2] = {5, 60};
    scree_spheres more = {.count = 1, .dim = 3, .x = (double[3]){0.1, 0.1, 0.1}, .r = (double[1]){0.5}};
    scree_sim* both[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(scree_sim_exchange(both[k], 2, gone, more, NULL, NULL, NULL));
        CHECK_OK(scree_sim_run(both[k], 50));
    }
    device_check_same("after an exchange", a, b);
    scree_sim_destroy(a);
    scree_sim_destroy(b);
    scree_sim_destroy(c);
    device_free(&s);
}

// The device keeps the state; what is changed here without looking at it before is what the next run begins with.
static void a_change_between_runs_reaches_the_device(void** state)
{
    (void)state;
    for (int c = 0; c < 4; ++c) {
        device_system s = device_make(3, 90, 2.0, 0.2, false, 1, 91 + (uint64_t)c);
        if (c % 2 == 1)
            device_choose_law(&s, 0);
        if (c >= 2)
            emulate_set(NULL);
        else
            device_set_tiny(5 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        for (int k = 0; k < 2; ++k) {
            scree_sim* sim = both[k];
            CHECK_OK(scree_sim_run(sim, 20));
            CHECK_OK(scree_sim_set_gravity(sim, (double[3]){0.0, 0.01, -0.3}, (double[3]){0.0, 0.0, 0.0}));
            CHECK_OK(scree_sim_run(sim, 20));
            CHECK_OK(scree_sim_set_wall_velocity(sim, (const double[3][2]){{0.01, 0.0}, {0.0, 0.0}, {0.0, 0.0}}));
            CHECK_OK(scree_sim_run(sim, 20));
            CHECK_OK(scree_sim_set_group_force(sim, 0, (double[3]){0.001, 0.0, 0.0}));
            CHECK_OK(scree_sim_run(sim, 1));
            CHECK_OK(scree_sim_run(sim, 20));
        }
        device_check_same("changed", both[0], both[1]);
        for (int k = 0; k < 2; ++k) {
            CHECK_OK(scree_sim_scale(both[k], 1.001, 0.9));
            CHECK_OK(scree_sim_run(both[k], 20));
        }
        device_check_same("scaled", both[0], both[1]);
        scree_sim_destroy(both[0]);
        scree_sim_destroy(both[1]);
        device_free(&s);
    }
    emulate_set(NULL);
}

// Each allocation of a run fails once: what was done before counts, and the run goes on to the same end.
static void memory_that_runs_out_ends_a_run_that_goes_on(void** state)
{
    (void)state;
    device_system s = device_make(3, 60, 4.0, 0.2, true, 0, 9);
    device_choose_law(&s, 2);
    s.def.giants = 1.5;
    s.def.order_every = 10;
    scree_sim* reference = device_start(&s, SCREE_DEVICE_NONE);
    CHECK_OK(scree_sim_run(reference, 30));
    int64_t failures = 0, lost = 0;
    for (int64_t n = 1; n <= 90; ++n) {
        scree_sim* sim = device_start(&s, SCREE_DEVICE_EMULATE);
        bool whole = true;
        while (whole && scree_sim_get_step(sim) < 30) {
            int64_t before = scree_sim_get_step(sim);
            scree_memory_fail_at(n);
            scree_status status = scree_sim_run(sim, 30 - before);
            scree_memory_fail_at(0);
            assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
            failures += status == SCREE_ERR_MEMORY;
            whole = status == SCREE_OK || scree_sim_run(sim, scree_sim_get_step(sim) == before) == SCREE_OK;  // it goes on, or begins
        }
        lost += !whole;
        CHECK_OK(whole ? scree_sim_run(sim, 0) : SCREE_OK);
        if (whole)
            device_check_same("memory ran out", reference, sim);
        scree_sim_destroy(sim);
    }
    assert_true(failures > 60);
    assert_int_equal(lost, 0);
    scree_sim_destroy(reference);
    device_free(&s);
}

static bool stop_at_once(void* context, double share)
{
    (void)share;
    return ++*(int*)context < 2;
}

static void a_run_that_is_stopped_goes_on(void** state)
{
    (void)state;
    device_system s = device_make(2, 90, 2.0, 0.3, false, 1, 31);
    scree_sim* a = device_start(&s, SCREE_DEVICE_NONE);
    int asked = 0;
    s.def.watch = (scree_watch){.context = &asked, .tick = stop_at_once};
    scree_sim* b = device_start(&s, device_tested());
    scree_status status = scree_sim_run(b, 20000);
    assert_true(status == SCREE_ERR_CANCELLED || status == SCREE_OK);
    asked = -1000000;
    CHECK_OK(scree_sim_run(a, scree_sim_get_step(b)));
    device_check_same("stopped", a, b);
    CHECK_OK(scree_sim_run(a, 30));
    CHECK_OK(scree_sim_run(b, 30));
    device_check_same("gone on", a, b);
    scree_sim_destroy(a);
    scree_sim_destroy(b);
    device_free(&s);
}

// ---- Memory ----------------------------------------------------------------------------------------------------------------

// Bytes that the device holds for each sphere after a few lists, counted by itself. Counted: 238.1 (equal spheres), 185.9 (radii 1 to 6), 1130.5 (friction); up to 3 % more are accepted.
static void a_sphere_takes_no_more_memory_than_before(void** state)
{
    (void)state;
    emulate_set(NULL);
    static const double most[] = {246.0, 192.0, 1165.0};
    for (int c = 0; c < 3; ++c) {
        device_system s = device_make(3, 4000, c == 1 ? 6.0 : 1.0, 0.3, false, 0, 5);
        if (c == 2)
            assert_non_null(device_choose_law(&s, 0));
        s.search.skin = 0.3;
        scree_sim* sim = device_start(&s, SCREE_DEVICE_EMULATE);
        CHECK_OK(scree_sim_run(sim, 40));
        const double bytes = (double)scree_sim_get_device_bytes(sim) / s.set.count;
        if (!(bytes <= most[c]))
            fail_msg("system %d: the device holds %.1f bytes for each sphere; at most %.1f were expected", c, bytes, most[c]);
        scree_sim_destroy(sim);
        device_free(&s);
    }
}

static const test_case cases[] = {
    SAME_BITS(a_run_goes_on_on_the_other_side),
    SAME_BITS(a_change_between_runs_reaches_the_device),
    SAME_BITS(a_run_that_is_stopped_goes_on),
    ALLOCATION(memory_that_runs_out_ends_a_run_that_goes_on),
    UNIT(what_devices_cannot_do_is_refused_by_name),
    UNIT(every_feature_that_devices_lack_is_named),
    UNIT(memory_for_spheres_that_come_later_is_counted),
    UNIT(a_sphere_takes_no_more_memory_than_before),
    UNIT(a_sphere_that_is_lost_is_named_as_on_the_processor),
    SAME_BITS(every_law_acts_as_on_the_processor),
    SAME_BITS(spheres_move_as_on_the_processor),
    SAME_BITS(properties_follow_their_spheres),
    SAME_BITS(round_walls_hold_as_on_the_processor),
};

const test_group group_device = {.name = "device", .cases = cases, .count = sizeof cases / sizeof *cases};
