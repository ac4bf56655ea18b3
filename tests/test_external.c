// External forces and torques on single spheres (scree_sim_set_external): what they do to free spheres, with forces of groups and of the def, with contacts that remember, in states and checkpoints, on ranks and
// on a device.
#include "device_support.h"
#include "par_support.h"

#include "device/emulate.h"
#include "scree/loads.h"
#include "sim/device.h"

static const double step = 1e-3;

static scree_sim_def open_def(int dim, int32_t integrator)
{
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_open(dim);
    def.stiffness = 1.0;
    def.time_step = step;
    def.integrator = integrator;
    return def;
}

// A value that depends on the sphere, the component and the turn alone.
static double some(int64_t row, int k, int turn, double size)
{
    return size * (double)((row * 37 + k * 11 + turn * 23) % 19 - 9) / 9.0;
}

// Forces and torques of turn `turn`, by row.
static void push(scree_sim* sim, int turn, double size, bool torques)
{
    const int64_t n = scree_sim_get_count(sim);
    const int dim = scree_sim_get_box(sim).dim;
    double *f = calloc((size_t)(n * dim) + 1, sizeof *f), *t = calloc((size_t)n * 3 + 1, sizeof *t);
    for (int64_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
            if (k < dim)
                f[i * dim + k] = some(i, k, turn, size);
            if (dim == 3 || k == 2)
                t[3 * i + k] = some(i, k, turn + 7, 0.2 * size);
        }
    CHECK_OK(scree_sim_set_external(sim, f, torques ? t : NULL));
    free(f);
    free(t);
}

// ---- Free spheres ------------------------------------------------------------------------------------------------------

// v = F t / m and w = T t / I, until others are set; a fixed sphere stays.
static void they_move_free_spheres(void** state)
{
    (void)state;
    for (int c = 0; c < 4; ++c) {
        const int dim = c % 2 == 0 ? 3 : 2;
        const double x3[9] = {0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 7.0, 0.0}, x2[6] = {0.0, 0.0, 5.0, 0.0, 0.0, 7.0}, r[3] = {0.1, 0.2, 0.1};
        const uint8_t fixed[3] = {0, 0, 1};
        scree_sim_def def = open_def(dim, c < 2 ? SCREE_INTEGRATOR_VELOCITY_VERLET : SCREE_INTEGRATOR_POSITION_VERLET);
        scree_sim_law law = scree_default_sim_law();
        scree_sim_each each = scree_default_sim_each();
        law.tangential = "linear";
        each.fixed = fixed;
        def.law = &law;
        def.each = &each;
        def.energies = true;
        scree_sim* sim = sim_made(&def, 3, dim == 3 ? x3 : x2, r, NULL);
        double f[9] = {0.0}, t[9] = {0.0}, v[9], w[9], back[9];
        f[dim] = 0.3;
        f[0] = -0.1;
        f[2 * dim + 1] = 5.0;
        t[5] = 1e-3;
        t[8] = 2.0;
        CHECK_OK(scree_sim_set_external(sim, f, t));
        CHECK_OK(scree_sim_get_external(sim, back, NULL));
        assert_memory_equal(back, f, 3 * (size_t)dim * sizeof *f);
        CHECK_OK(scree_sim_run(sim, 500));
        double m = sim_test_mass(dim, 1.0, 0.2), inertia = (dim == 3 ? 0.4 : 0.5) * m * 0.2 * 0.2, time = 500 * step;
        CHECK_OK(scree_sim_get_column(sim, "v", v));
        CHECK_OK(scree_sim_get_column(sim, "w", w));
        CHECK_CLOSE(v[dim], 0.3 * time / m, 1e-9);
        CHECK_CLOSE(v[0], -0.1 * time / sim_test_mass(dim, 1.0, 0.1), 1e-9);
        CHECK_CLOSE(v[2 * dim + 1], 0.0, 0.0);
        CHECK_CLOSE(w[5], 1e-3 * time / inertia, 1e-9);
        CHECK_CLOSE(w[8], 0.0, 0.0);
        scree_sim_report report = sim_report_of(sim);
        CHECK_CLOSE(report.energy_kinetic + report.energy_rotation, report.work_forces, 1e-9 * report.work_forces);
        assert_true(report.work_forces > 0.1);
        f[dim] = 0.0;  // others from the next step on; torques stay
        CHECK_OK(scree_sim_set_external(sim, f, NULL));
        double before = v[dim];
        CHECK_OK(scree_sim_run(sim, 500));
        CHECK_OK(scree_sim_get_column(sim, "v", v));
        CHECK_OK(scree_sim_get_column(sim, "w", w));
        CHECK_CLOSE(v[dim], before, 1e-9);
        CHECK_CLOSE(w[5], 2e-3 * time / inertia, 1e-9);
        scree_sim_destroy(sim);
    }
}

// The external force on sphere i in x, from its acceleration; the spheres have no contacts.
static double felt(scree_sim* sim, int i)
{
    double a[12], inverse[4];
    CHECK_OK(scree_sim_get_column(sim, "a", a));
    CHECK_OK(scree_sim_get_column(sim, "inverse_mass", inverse));
    return a[3 * i] / inverse[i];
}

static double own_of(scree_sim* sim, int i)
{
    double f[12];
    CHECK_OK(scree_sim_get_external(sim, f, NULL));
    return f[3 * i];
}

static void set_sine(scree_sim* sim, int32_t kind, int32_t group, double size)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = kind;
    load.target = group;
    const int axis = kind == SCREE_LOAD_TORQUE ? 2 : 0;
    load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .frequency = 3.0};
    load.value.value[axis] = 0.5;
    load.value.to[axis] = size;
    CHECK_OK(scree_sim_set_load(sim, &load));
}

// They replace those of the def, and are added to those of groups, in either order; spheres that are inserted have those of the def.
static void forces_of_groups_are_added(void** state)
{
    (void)state;
    const double x[9] = {0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 10.0, 0.0, 0.0}, r[3] = {0.1, 0.1, 0.1}, given[9] = {1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0};
    const double own[9] = {10.0, 0.0, 0.0, 20.0, 0.0, 0.0, 30.0, 0.0, 0.0};
    const uint16_t group[3] = {0, 1, 2};
    for (int late = 0; late < 2; ++late) {
        scree_sim_def def = open_def(3, 0);
        scree_sim_each each = scree_default_sim_each();
        each.group = group;
        each.force = given;
        def.each = &each;
        scree_sim* sim = sim_made(&def, 3, x, r, NULL);
        CHECK_CLOSE(own_of(sim, 1), 2.0, 0.0);
        for (int turn = 0; turn < 2; ++turn)
            if (turn == late)
                CHECK_OK(scree_sim_set_external(sim, own, NULL));
            else
                CHECK_OK(scree_sim_set_group_force(sim, 1, (const double[3]){0.25, 0.0, 0.0}));
        CHECK_CLOSE(felt(sim, 0), 10.0, 1e-12);
        CHECK_CLOSE(felt(sim, 1), 20.25, 1e-12);
        CHECK_CLOSE(felt(sim, 2), 30.0, 1e-12);
        CHECK_OK(scree_sim_run(sim, 3));
        CHECK_CLOSE(felt(sim, 1), 20.25, 1e-12);
        CHECK_CLOSE(own_of(sim, 1), 20.0, 0.0);
        CHECK_OK(scree_sim_set_group_force(sim, 1, (const double[3]){0.5, 0.0, 0.0}));
        CHECK_CLOSE(felt(sim, 1), 20.5, 1e-12);
        set_sine(sim, SCREE_LOAD_FORCE, 2, 4.0);
        CHECK_OK(scree_sim_run(sim, 50));
        CHECK_CLOSE(felt(sim, 2), 30.5 + 4.0 * sin(2.0 * sim_pi * 3.0 * 50 * step), 1e-9);
        CHECK_OK(scree_sim_set_external(sim, given, NULL));
        CHECK_CLOSE(felt(sim, 1), 2.5, 1e-9);
        CHECK_CLOSE(felt(sim, 2), 3.5 + 4.0 * sin(2.0 * sim_pi * 3.0 * 50 * step), 1e-9);
        scree_sim_each more = scree_default_sim_each();
        more.group = &(const uint16_t){1};
        more.force = (const double[3]){7.0, 0.0, 0.0};
        CHECK_OK(scree_sim_insert(sim, (scree_spheres){.count = 1, .dim = 3, .x = (const double[3]){20.0, 0.0, 0.0}, .r = r}, NULL, &more, NULL));
        CHECK_CLOSE(felt(sim, 3), 7.5, 1e-9);
        CHECK_CLOSE(own_of(sim, 3), 7.0, 0.0);
        CHECK_OK(scree_sim_remove(sim, 1, (const int64_t[1]){0}));
        CHECK_CLOSE(own_of(sim, 0), 2.0, 0.0);
        CHECK_CLOSE(felt(sim, 2), 7.5, 1e-9);
        scree_sim_destroy(sim);
    }
    // Without external forces of single spheres a group's force takes the place of the def's.
    scree_sim_def def = open_def(3, 0);
    scree_sim_each each = scree_default_sim_each();
    each.group = group;
    each.force = given;
    def.each = &each;
    scree_sim* sim = sim_made(&def, 3, x, r, NULL);
    CHECK_OK(scree_sim_set_group_force(sim, 1, (const double[3]){0.25, 0.0, 0.0}));
    CHECK_CLOSE(felt(sim, 1), 0.25, 1e-12);
    CHECK_CLOSE(own_of(sim, 1), 0.0, 0.0);
    CHECK_CLOSE(own_of(sim, 2), 3.0, 0.0);
    scree_sim_destroy(sim);
}

static void invalid_ones_are_refused(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        double x[6] = {0.0, 0.0, 0.0, 5.0, 5.0, 5.0}, r[2] = {0.1, 0.1}, f[6] = {0.0}, t[6] = {0.0}, back[6];
        scree_sim_def def = open_def(dim, 0);
        scree_sim_law law = scree_default_sim_law();
        scree_sim* plain = sim_made(&def, 2, x, r, NULL);
        CHECK_FAILS(scree_sim_set_external(plain, NULL, t), SCREE_ERR_ARGUMENT, "torques");
        assert_int_equal(scree_sim_get_columns(plain, NULL, 0), 7);
        CHECK_OK(scree_sim_set_external(plain, NULL, NULL));
        assert_int_equal(scree_sim_get_columns(plain, NULL, 0), 7);
        law.tangential = "linear";
        def.law = &law;
        scree_sim* sim = sim_made(&def, 2, x, r, NULL);
        CHECK_OK(scree_sim_set_external(sim, f, t));
        f[dim] = NAN;
        CHECK_FAILS(scree_sim_set_external(sim, f, t), SCREE_ERR_ARGUMENT, "sphere 1", "nan", "x");
        f[dim] = 1.0;
        t[3] = dim == 2 ? 1.0 : INFINITY;
        CHECK_FAILS(scree_sim_set_external(sim, f, t), SCREE_ERR_ARGUMENT, "sphere 1", dim == 2 ? "1" : "inf", "x");
        CHECK_OK(scree_sim_get_external(sim, back, NULL));
        CHECK_CLOSE(back[dim], 0.0, 0.0);
        scree_sim_destroy(plain);
        scree_sim_destroy(sim);
    }
}

// ---- Contacts ----------------------------------------------------------------------------------------------------------

// The same values as def.each.force give the same bits; set again before each step they leave contacts and lists alone.
static void they_are_those_of_the_def(void** state)
{
    (void)state;
    const par_maker makers[] = {par_elastic, par_damped, par_position_verlet, par_giant, par_friction, par_flat_friction, par_giant_friction, par_hertz};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m)
        for (int c = 0; c < 4; ++c) {
            par_system s = makers[m](m + 3);
            scree_sim *given, *set;
            par_begin(&s);
            const int dim = s.def.box.dim;
            const int32_t n = s.set.count;
            double* force = calloc((size_t)n * (size_t)dim, sizeof *force);
            for (int64_t i = 0; i < n; ++i)
                for (int k = 0; k < dim; ++k)
                    force[i * dim + k] = some(i, k, 1, 0.05);
            scree_sim_each each = s.def.each != NULL ? *s.def.each : scree_default_sim_each();
            each.force = force;
            s.def.threads = c == 1 ? 2 : c == 2 ? 7 : 1;
            s.def.backend = c == 3 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
            s.def.each = &each;
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &set));
            s.def.backend = SCREE_BACKEND_FUSED;
            s.def.threads = 1;
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &given));
            for (int k = 0; k < 25; ++k) {
                CHECK_OK(scree_sim_set_external(set, force, NULL));
                CHECK_OK(scree_sim_run(set, 1));
                CHECK_OK(scree_sim_run(given, 1));
                if (scree_sim_hash(set) != scree_sim_hash(given))
                    fail_msg("%s, case %d: other bits after %d steps", s.name, c, k + 1);
            }
            for (int k = 0; k < 25; ++k) {  // others at each step
                push(set, k, 0.1, set->law.turns);
                push(given, k, 0.1, set->law.turns);
                CHECK_OK(scree_sim_run(set, 1));
                CHECK_OK(scree_sim_run(given, 1));
            }
            if (scree_sim_hash(set) != scree_sim_hash(given))
                fail_msg("%s, case %d: other bits with forces that change", s.name, c);
            assert_int_equal(sim_report_of(set).rebuilds, sim_report_of(given).rebuilds);
            scree_sim_destroy(given);
            scree_sim_destroy(set);
            free(force);
            par_free(&s);
        }
}

// Kinetic, rotational and contact energy, and what is dissipated, less the work of external forces that are others at each step.
static void energies_add_up(void** state)
{
    (void)state;
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
        par_system s = par_friction(11);
        scree_sim* sim;
        par_begin(&s);
        s.def.energies = true;
        s.def.time_step = fine ? 5e-4 : 1e-3;
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        scree_sim_report before = sim_report_of(sim), after;
        for (int k = 0; k < 60; ++k) {
            push(sim, k, 60.0, true);
            CHECK_OK(scree_sim_run(sim, fine ? 20 : 10));
        }
        after = sim_report_of(sim);
        double kept[2];
        for (int e = 0; e < 2; ++e) {
            const scree_sim_report* r = e == 0 ? &before : &after;
            kept[e] = r->energy_kinetic + r->energy_rotation + r->energy_contact + r->dissipated_normal + r->dissipated_tangential + r->dissipated_rolling + r->dissipated_twisting -
                      r->work_walls - r->work_gravity - r->work_forces;
        }
        assert_true(fabs(after.work_forces) > 0.1 * after.energy_kinetic && after.dissipated_tangential > 0.0);
        error[fine] = fabs(kept[1] - kept[0]) / after.energy_kinetic;
        scree_sim_destroy(sim);
        par_free(&s);
    }
    CHECK_CLOSE(error[0], 0.0, 1e-4);
    assert_true(error[1] < 0.6 * error[0]);
}

// ---- States ------------------------------------------------------------------------------------------------------------

static void set_some(scree_sim* sim, int number)
{
    push(sim, number, 0.4, sim->law.turns);
    if (number == 1)
        CHECK_OK(scree_sim_set_group_force(sim, 0, (const double[3]){0.1, 0.2, 0.0}));
    if (number == 2 && sim->law.turns) {
        scree_sim_load load = scree_default_sim_load();
        load.kind = SCREE_LOAD_TORQUE;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_CONSTANT, .value = {0.0, 0.0, 0.02}};
        CHECK_OK(scree_sim_set_load(sim, &load));
    }
    if (number == 3) {
        scree_sim_load load = scree_default_sim_load();
        load.kind = SCREE_LOAD_FORCE;
        load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .to = {0.2, 0.1, 0.0}, .frequency = 2.0};
        CHECK_OK(scree_sim_set_load(sim, &load));
    }
    if (number == 4)
        CHECK_OK(scree_sim_set_external(sim, NULL, NULL));
}

// Taken to another simulation by a state or a checkpoint after each setting, what is set later acts in the same way there.
static void states_have_them(void** state)
{
    (void)state;
    const par_maker makers[] = {par_friction, par_position_verlet, par_flat_friction, par_groups};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m)
        for (int by = 0; by < 2; ++by) {
            par_system s = makers[m](m + 21);
            scree_sim *whole, *parts, *next;
            par_begin(&s);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &whole));
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &parts));
            for (int k = 0; k < 5; ++k) {
                CHECK_OK(scree_sim_run(whole, 12));
                CHECK_OK(scree_sim_run(parts, 12));
                set_some(whole, k);
                set_some(parts, k);
                CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &next));
                CHECK_OK(scree_sim_run(next, 3));
                if (by == 0) {
                    sim_hand_over(parts, next);
                } else {
                    scree_checkpoint saved = {0};
                    CHECK_OK(scree_checkpoint_save(parts, &saved));
                    CHECK_OK(scree_checkpoint_restore(&saved, next));
                    scree_checkpoint_free(&saved);
                }
                scree_sim_destroy(parts);
                parts = next;
                CHECK_OK(scree_sim_run(whole, 12));
                CHECK_OK(scree_sim_run(parts, 12));
                if (par_shown(whole) != par_shown(parts))
                    fail_msg("%s: something else after setting %d, by %d", s.name, k, by);
            }
            scree_sim_destroy(whole);
            scree_sim_destroy(parts);
            par_free(&s);
        }
}

// A state in which they were not set takes them away again.
static void a_state_without_them_has_none(void** state)
{
    (void)state;
    const double x[6] = {0.0, 0.0, 0.0, 5.0, 0.0, 0.0}, r[2] = {0.1, 0.1};
    scree_sim_def def = open_def(3, 0);
    scree_sim_each each = scree_default_sim_each();
    each.force = (const double[6]){1.0, 0.0, 0.0, 2.0, 0.0, 0.0};
    def.each = &each;
    scree_sim *sim = sim_made(&def, 2, x, r, NULL), *pushed = sim_made(&def, 2, x, r, NULL);
    CHECK_OK(scree_sim_set_external(pushed, (const double[6]){10.0, 0.0, 0.0, 20.0, 0.0, 0.0}, NULL));
    sim_hand_over(sim, pushed);
    CHECK_CLOSE(felt(pushed, 1), 2.0, 1e-12);
    CHECK_OK(scree_sim_set_group_force(pushed, 0, (const double[3]){0.5, 0.0, 0.0}));
    CHECK_CLOSE(felt(pushed, 1), 0.5, 1e-12);
    double own[6] = {0.0}, v[6] = {0.0};
    const scree_sim_values values[3] = {{"x", (void*)(uintptr_t)x}, {"v", v}, {"own_force", own}};
    CHECK_FAILS(scree_sim_set_state(pushed, &(scree_sim_state){.column_count = 3, .columns = values}), SCREE_ERR_ARGUMENT, "own_force");
    scree_sim_destroy(sim);
    scree_sim_destroy(pushed);
    par_system p = par_elastic(3);
    for (int32_t ranks = 0; ranks <= 3; ranks += 3) {
        par_begin(&p);
        scree_par* par = par_begin_shared(ranks);
        CHECK_OK(scree_sim_create(&p.def, scree_sphere_set_view(&p.set), p.v, &sim));
        CHECK_OK(scree_sim_create(&p.def, scree_sphere_set_view(&p.set), p.v, &pushed));
        CHECK_OK(scree_sim_set_group_force(sim, 0, (const double[3]){0.5, 0.0, 0.0}));
        CHECK_OK(scree_sim_run(sim, 5));
        CHECK_OK(scree_sim_run(pushed, 5));
        push(pushed, 1, 0.3, false);  // a state without torques leaves them as they are
        CHECK_OK(scree_sim_run(pushed, 5));
        sim_hand_over(sim, pushed);
        assert_true(pushed->hollow == (ranks > 0));
        for (int k = 0; k < 2; ++k) {
            CHECK_OK(scree_sim_set_group_force(k == 0 ? sim : pushed, 0, (const double[3]){0.0, 0.2, 0.0}));
            CHECK_OK(scree_sim_run(k == 0 ? sim : pushed, 20));
        }
        assert_true(scree_sim_hash(sim) == scree_sim_hash(pushed));
        push(sim, 2, 0.3, false);
        push(pushed, 2, 0.3, false);
        CHECK_OK(scree_sim_run(sim, 20));
        CHECK_OK(scree_sim_run(pushed, 20));
        assert_true(scree_sim_hash(sim) == scree_sim_hash(pushed));
        scree_sim_destroy(sim);
        scree_sim_destroy(pushed);
        par_end_shared(par);
    }
    par_free(&p);
}

// ---- Ranks and devices -------------------------------------------------------------------------------------------------

static void all_ranks_have_them(void** state)
{
    (void)state;
    const par_maker makers[] = {par_elastic, par_position_verlet, par_friction, par_giant_friction, par_flat_friction, par_giant_groups};
    for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
        par_system s = makers[m](71 + m);
        uint64_t wanted[5];
        for (int32_t ranks = 0; ranks <= 3; ++ranks) {
            scree_sim* sim;
            par_begin(&s);
            s.def.energies = true;
            scree_par* par = par_begin_shared(ranks);
            CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
            if (s.begin != NULL)
                s.begin(sim);
            for (int k = 0; k < 5; ++k) {
                CHECK_OK(scree_sim_run(sim, 9));
                set_some(sim, k);
                double* wrong = calloc((size_t)scree_sim_get_count(sim), 3 * sizeof *wrong);
                wrong[0] = NAN;
                CHECK_FAILS(scree_sim_set_external(sim, wrong, NULL), SCREE_ERR_ARGUMENT, "nan");
                free(wrong);
                assert_true(ranks == 0 || sim->hollow);
                CHECK_OK(scree_sim_run(sim, 14));
                if (k == 2)
                    par_swap_some(sim, k);
                if (k == 3) {  // the state goes to another simulation, which goes on
                    scree_checkpoint saved = {0};
                    CHECK_OK(scree_checkpoint_save(sim, &saved));
                    CHECK_OK(scree_checkpoint_restore(&saved, sim));
                    scree_checkpoint_free(&saved);
                }
                uint64_t shown = par_shown(sim);
                if (ranks == 0)
                    wanted[k] = shown;
                else if (shown != wanted[k])
                    fail_msg("%s, %d ranks: something else after setting %d", s.name, (int)ranks, k);
            }
            scree_sim_destroy(sim);
            par_end_shared(par);
        }
        par_free(&s);
    }
}

static void devices_have_them(void** state)
{
    (void)state;
    for (int c = 0; c < 8; ++c) {
        device_system s = device_make(c == 6 ? 2 : 3, 90, c == 5 ? 8.0 : 2.0, 0.3, c % 2 == 1, 1, 191 + (uint64_t)c);
        if (c >= 2)
            device_choose_law(&s, c % 3);
        s.def.integrator = c == 1 || c == 4 ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
        s.def.order_every = 25;
        s.def.energies = c == 3 || c == 5;
        if (c == 5)
            s.def.giants = 2.0;
        if (c % 2 == 0)
            device_set_tiny(7 + (uint64_t)c);
        else
            emulate_set(NULL);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        const bool turns = both[0]->law.turns;
        for (int turn = 0; turn < 6; ++turn) {
            for (int k = 0; k < 2; ++k) {
                CHECK_OK(scree_sim_run(both[k], 11));
                if (turn == 2)
                    (void)sim_report_of(both[k]);  // the state is here too
                if (turn == 3)
                    CHECK_OK(scree_sim_set_group_force(both[k], 0, (const double[3]){0.05, 0.0, 0.0}));
                if (turn == 4)
                    set_sine(both[k], SCREE_LOAD_FORCE, 0, 0.1);
                if (turn == 5 && turns)
                    set_sine(both[k], SCREE_LOAD_TORQUE, 0, 0.01);
                const int64_t made = k == 1 ? device_lists(both[k]->device) : 0;
                const bool kept = both[k]->device_same;
                push(both[k], turn, 0.1, turns && turn % 2 == 0);
                if (k == 1 && turn < 2 && !s.def.energies)  // the device still has the state, and its lists
                    assert_true(kept && both[k]->device_same && device_lists(both[k]->device) == made);
                CHECK_OK(scree_sim_run(both[k], 1));
                push(both[k], turn + 1, 0.1, false);
                push(both[k], turn + 2, 0.1, turns);
                CHECK_OK(scree_sim_run(both[k], 30));
            }
            char name[40];
            snprintf(name, sizeof name, "system %d, turn %d", c, turn);
            device_check_same(name, both[0], both[1]);
        }
        scree_sim_destroy(both[0]);
        scree_sim_destroy(both[1]);
        device_free(&s);
    }
    emulate_set(NULL);
}

// ---- Memory ------------------------------------------------------------------------------------------------------------

static scree_status set_both(scree_sim* sim, const double* f, const double* t)
{
    return scree_sim_set_external(sim, f, t);
}

static void memory_runs_out(void** state)
{
    (void)state;
    for (int away = 0; away < 2; ++away) {
        const double x[6] = {0.0, 0.0, 0.0, 5.0, 0.0, 0.0}, r[2] = {0.1, 0.1}, f[6] = {1.0, 2.0}, t[6] = {3.0};
        scree_sim_def def = open_def(3, 0);
        scree_sim_law law = scree_default_sim_law();
        law.tangential = "linear";
        def.law = &law;
        def.device = away ? SCREE_DEVICE_EMULATE : SCREE_DEVICE_NONE;
        scree_sim* sim = sim_made(&def, 2, x, r, NULL);
        CHECK_OK(scree_sim_set_group_force(sim, 0, (const double[3]){0.25, 0.0, 0.0}));
        CHECK_OK(scree_sim_run(sim, 2));
        const int32_t columns = scree_sim_get_columns(sim, NULL, 0);
        if (away == 0) {
            EACH_ALLOCATION_FAILS(set_both(sim, f, t), assert_int_equal(scree_sim_get_columns(sim, NULL, 0), columns));
            CHECK_CLOSE(felt(sim, 0), 1.25, 1e-12);
        } else {  // what the device has may be half done: then the simulation says so
            for (int64_t n = 1; n < 100; ++n) {
                scree_memory_fail_at(n);
                scree_status status = set_both(sim, f, t);
                const bool reached = scree_memory_fail_at(0) >= n;
                if (!reached)
                    break;
                if (status != SCREE_OK && sim->failed) {
                    CHECK_FAILS(scree_sim_run(sim, 1), SCREE_ERR_ARGUMENT, "earlier");
                    scree_sim_destroy(sim);
                    sim = sim_made(&def, 2, x, r, NULL);
                    CHECK_OK(scree_sim_run(sim, 2));
                }
            }
        }
        scree_sim_destroy(sim);
    }
}

static const test_case cases[] = {
    UNIT(they_move_free_spheres),
    UNIT(forces_of_groups_are_added),
    UNIT(invalid_ones_are_refused),
    UNIT(energies_add_up),
    UNIT(a_state_without_them_has_none),
    THREADS(they_are_those_of_the_def),
    SAME_BITS(states_have_them),
    SAME_BITS(all_ranks_have_them),
    SAME_BITS(devices_have_them),
    ALLOCATION(memory_runs_out),
};

const test_group group_external = {.name = "external", .cases = cases, .count = sizeof cases / sizeof *cases};
