// device: tilted boxes and cells that move, with the bits of the processor's.
#include "device_support.h"

#include "device/emulate.h"
#include "scree/index.h"
#include "sim/sim_inner.h"

// Boxes with any angles, also beyond half a box.
static void tilted_boxes_are_searched_and_wrapped(void** state)
{
    (void)state;
    for (int c = 0; c < 10; ++c) {
        const int dim = c % 3 == 2 ? 2 : 3;
        device_system s = device_make(dim, 140, c % 4 == 3 ? 6.0 : 1.5, dim == 2 ? 0.4 : 0.25, true, c % 3, 50 + (uint64_t)c);
        if (c > 2)
            device_choose_law(&s, c % 5 == 4 ? 7 : c % 4);
        const double side = s.set.box.upper[0];
        s.def.box.tilt[0] = side * (c % 2 == 0 ? 0.37 : -0.8);
        if (dim == 3) {
            s.def.box.tilt[1] = side * (0.1 * c - 0.4);
            s.def.box.tilt[2] = side * (c % 4 == 1 ? 1.3 : 0.21);
        }
        if (c == 6) {  // only two axes are periodic
            s.def.box.periodic[2] = false;
            s.def.box.tilt[1] = s.def.box.tilt[2] = 0.0;
            for (int32_t i = 0; i < 140; ++i)
                s.set.x[3 * i + 2] = fmin(fmax(s.set.x[3 * i + 2], 0.95 * s.set.r[i]), side - 0.95 * s.set.r[i]);
        }
        for (int32_t i = 0; i < 140 * dim; ++i)
            s.v[i] *= 4.0;
        s.def.giants = c % 4 == 3 ? 2.0 : 0.0;
        s.def.integrator = c % 5 == 3 ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
        s.def.energies = c == 4 || c == 7;
        device_set_tiny(10 + (uint64_t)c);
        char name[40];
        snprintf(name, sizeof name, "tilted %d", c);
        device_compare(name, &s, 90);
        device_free(&s);
    }
    emulate_set(NULL);
}

// Shear and strain, until tilts have been reduced several times; contacts keep what they remember.
static void cells_move_as_on_the_processor(void** state)
{
    (void)state;
    int64_t reduced = 0;
    for (int c = 0; c < 9; ++c) {
        const int dim = c % 3 == 2 ? 2 : 3;
        device_system s = device_make(dim, 120, c % 4 == 3 ? 5.0 : 1.5, dim == 2 ? 0.5 : 0.3, true, c % 3, 70 + (uint64_t)c);
        if (c > 1)
            device_choose_law(&s, (c - 2) % 3);
        scree_sim_cell cell = scree_default_sim_cell();
        const double rate = c < 2 ? 0.3 : 2.0;
        cell.rate[SCREE_CELL_XY] = c % 4 == 1 ? -rate : rate;
        if (dim == 3 && c % 2 == 0)
            cell.rate[SCREE_CELL_YZ] = 0.7 * rate;
        if (dim == 3 && c % 3 == 1)
            cell.rate[SCREE_CELL_XZ] = -0.5 * rate;
        if (c % 3 == 0)
            cell.rate[0] = -0.05;
        s.def.cell = &cell;
        s.def.order_every = 20;
        s.def.giants = c % 4 == 3 ? 2.0 : 0.0;
        s.def.integrator = c % 5 == 3 ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
        s.search.skin = c == 6 ? -1.0 : 0.0;
        s.def.energies = c > 1;
        device_set_tiny(30 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        for (int k = 0; k < 2 && (c % 3 == 1 || c == 3 || c == 5 || c == 8); ++k) {  // the medium moves with the cell; the last three: position Verlet, two dimensions, both
            scree_sim_load drag = scree_default_sim_load();
            drag.kind = SCREE_LOAD_DRAG;
            drag.value = (scree_signal){.value = {1e-3, 0.05, c > 1 ? 1e-4 : 0.0}};
            CHECK_OK(scree_sim_set_load(both[k], &drag));
            drag.kind = SCREE_LOAD_LOCAL_DAMPING;
            drag.value = (scree_signal){.value = {0.05}};
            CHECK_OK(scree_sim_set_load(both[k], &drag));
        }
        char name[40];
        snprintf(name, sizeof name, "cell %d", c);
        CHECK_OK(scree_sim_run(both[0], 100));
        CHECK_OK(scree_sim_run(both[1], 100));
        scree_sim_cell_report one, other;
        CHECK_OK(scree_sim_get_cell(both[0], &one));
        CHECK_OK(scree_sim_get_cell(both[1], &other));
        assert_memory_equal(&one, &other, sizeof one);
        reduced += both[0]->drive.now.removed[0] != 0.0;
        device_compare_sims(name, both[0], both[1], 90);
        device_free(&s);
    }
    assert_true(reduced > 3);
    emulate_set(NULL);
}

// The step and the words are those of the processor.
static void a_cell_that_becomes_too_small_is_named(void** state)
{
    (void)state;
    char said[2][400];
    for (int d = 0; d < 2; ++d) {
        device_system s = device_make(3, 8, 1.0, 0.02, true, 0, 5);
        scree_sim_cell cell = scree_default_sim_cell();
        cell.rate[1] = -20.0;
        s.def.cell = &cell;
        s.def.time_step = 1e-3;
        scree_sim* sim = device_start(&s, d == 0 ? SCREE_DEVICE_NONE : device_tested());
        CHECK_FAILS(scree_sim_run(sim, 5000), SCREE_ERR_ARGUMENT, "step 42 | axis y");
        snprintf(said[d], sizeof said[d], "%s", scree_error_message());
        CHECK_FAILS(scree_sim_run(sim, 1), SCREE_ERR_ARGUMENT, "lost");
        scree_sim_destroy(sim);
        device_free(&s);
    }
    assert_string_equal(said[0], said[1]);
}

static void what_cells_cannot_have_on_a_device_is_refused(void** state)
{
    (void)state;
    for (int c = 0; c < 2; ++c) {
        device_system s = device_make(3, 20, 1.0, 0.1, true, 0, 3);
        device_choose_law(&s, 0);
        scree_sim_cell cell = scree_default_sim_cell();
        scree_sim* sim = NULL;
        cell.rate[SCREE_CELL_XY] = c > 0 ? 0.1 : 0.0;
        cell.isotropic = c == 0;
        cell.rate_most = 0.1;
        cell.constant_volume = c == 1;
        if (c == 1)
            cell.rate[0] = 0.1;
        s.def.cell = &cell;
        s.def.device = SCREE_DEVICE_EMULATE;
        device_point(&s);
        static const char* const words[] = {"stress is controlled", "constant volume"};
        CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_UNSUPPORTED, "emulate", words[c]);
        device_free(&s);
    }
}

// A turn along one axis of a tilted box is many along another. Such a sphere is rejected on both, before numbers of images are out of range.
static void spheres_that_crossed_a_tilted_box_many_times_are_named(void** state)
{
    (void)state;
    enum { n = 40 };
    static const double tilts[] = {-20.0, 5.0, 50.0};
    for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 2; ++d) {
            double x[2 * n], r[n], v[2 * n];
            for (int i = 0; i < n; ++i) {
                x[2 * i] = 0.5 + (i % 7) * 1.4;
                x[2 * i + 1] = 0.5 + (i / 7) * 1.6;
                r[i] = 0.5;
                v[2 * i] = 0.0;
                v[2 * i + 1] = i % 2 ? 200.0 : 0.0;
            }
            scree_sim_def def = scree_default_sim_def();
            scree_sim* sim;
            def.box = scree_box_sized(2, (double[2]){10.0, 10.0});
            def.box.periodic[0] = def.box.periodic[1] = true;
            def.box.tilt[0] = 10.0 * tilts[c];
            def.stiffness = 1e4;
            def.order_every = 1000000;
            def.time_step = 1e-3;
            def.device = d == 0 ? SCREE_DEVICE_NONE : device_tested();
            CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = n, .dim = 2, .x = x, .r = r}, v, &sim));
            assert_int_equal(scree_sim_run(sim, 2000), SCREE_ERR_ARGUMENT);
            scree_sim_destroy(sim);
        }
}

// The margin for roundings along a short periodic axis does not depend on the long one; else there would be thousands of images.
static void pairs_in_a_very_long_periodic_box_are_found(void** state)
{
    (void)state;
    enum { n = 200 };
    const double aspect = 1e18;
    scree_rng rng = scree_rng_make(5, 0);
    double x[2 * n], r[n];
    int64_t found[2];
    for (int i = 0; i < n; ++i) {
        x[2 * i] = (i / 2 + 0.5) / n;
        x[2 * i + 1] = scree_rng_uniform(&rng) / aspect;
        r[i] = 0.2 / aspect;
    }
    for (int d = 0; d < 2; ++d) {
        scree_index_def def = scree_default_index_def();
        scree_index* index;
        scree_pairs pairs;
        def.box = scree_box_sized(2, (double[2]){1.0, 1.0 / aspect});
        def.box.periodic[0] = def.box.periodic[1] = true;
        def.device = d == 0 ? SCREE_DEVICE_NONE : device_tested();
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = n, .dim = 2, .x = x, .r = r}));
        CHECK_OK(scree_index_pairs(index, &pairs));
        found[d] = pairs.count;
        scree_index_destroy(index);
    }
    assert_true(found[0] > n / 4);
    assert_int_equal(found[1], found[0]);
}

static const test_case cases[] = {
    SAME_BITS(tilted_boxes_are_searched_and_wrapped),
    SAME_BITS(cells_move_as_on_the_processor),
    UNIT(a_cell_that_becomes_too_small_is_named),
    UNIT(spheres_that_crossed_a_tilted_box_many_times_are_named),
    UNIT(pairs_in_a_very_long_periodic_box_are_found),
    UNIT(what_cells_cannot_have_on_a_device_is_refused),
};

const test_group group_device_cells = {.name = "device_cells", .cases = cases, .count = sizeof cases / sizeof *cases};
