// device: what a run on a device can have beside spheres and walls, with the bits of the processor's: loads that change with time.
#include "device_support.h"

#include "device/emulate.h"
#include "index/index_inner.h"
#include "scree/loads.h"
#include "sim/sim_inner.h"

// ---- Loads -----------------------------------------------------------------------------------------------------------------

static void set(scree_sim* sim, scree_load kind, int32_t target, scree_signal value)
{
    scree_sim_load load = scree_default_sim_load();
    load.kind = (int32_t)kind;
    load.target = target;
    load.value = value;
    CHECK_OK(scree_sim_set_load(sim, &load));
}

static scree_signal sine(double amplitude, double frequency, int along)
{
    scree_signal s = {.kind = SCREE_SIGNAL_SINE, .frequency = frequency, .phase = 0.3};
    s.to[along] = amplitude;
    return s;
}

static scree_signal ramp(double from, double to, int along)
{
    scree_signal s = {.kind = SCREE_SIGNAL_RAMP, .over = 1.0};
    s.value[along] = from;
    s.to[along] = to;
    return s;
}

// Groups 0 to 3 in turn: 1 is pushed, 2 driven, 3 pushed and turned.
static device_system make_groups(int c)
{
    const int dim = c % 3 == 2 ? 2 : 3;
    const int32_t n = 110;
    device_system s = device_make(dim, n, c % 4 == 3 ? 8.0 : 2.0, dim == 3 ? 0.2 : 0.35, c % 2 == 1, c < 3 ? c : 0, 900 + (uint64_t)c);
    if (c >= 3)
        device_choose_law(&s, c - 3);
    s.group = calloc((size_t)n, sizeof *s.group);
    for (int32_t i = 0; i < n; ++i)
        s.group[i] = (uint16_t)(i % 4);
    if (c % 4 == 1)
        s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    if (c % 4 == 3)
        s.def.giants = 2.0;
    return s;
}

static void loads_act_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 8; ++c) {
        device_system s = make_groups(c);
        const int up = c % 3 == 2 ? 1 : 2;
        device_set_tiny(900 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        for (int k = 0; k < 2; ++k) {
            scree_sim* sim = both[k];
            set(sim, SCREE_LOAD_FORCE, 1, sine(2e-3, 3.0, 0));
            set(sim, SCREE_LOAD_FORCE, 3, ramp(0.0, 1e-3, 1));
            set(sim, SCREE_LOAD_VELOCITY, 2, ramp(-0.01, 0.02, 0));
            if (sim->law.turns) {
                set(sim, SCREE_LOAD_TORQUE, 3, sine(1e-4, 2.0, 2));
                set(sim, SCREE_LOAD_SPIN, 2, sine(0.2, 2.0, 2));
            }
            if (c % 2 == 0) {
                set(sim, SCREE_LOAD_GRAVITY, 0, ramp(-0.01, -0.05, up));
                set(sim, SCREE_LOAD_BOUNDARY_PATH, 0, sine(0.02, 2.0, 0));
            } else {
                set(sim, SCREE_LOAD_TURN, 0, ramp(0.0, 0.5, 2));
            }
        }
        char name[40];
        snprintf(name, sizeof name, "loads %d", c);
        device_compare_sims(name, both[0], both[1], 90);
        device_free(&s);
    }
    emulate_set(NULL);
}

// ---- Energies --------------------------------------------------------------------------------------------------------------

// Every law; with walls that move, fixed and driven spheres, external forces, giants, drag.
static void energies_are_those_of_the_processor(void** state)
{
    (void)state;
    double seen[sim_accounts] = {0.0}, drag = 0.0;
    for (int c = 0;; ++c) {
        const int dim = c % 3 == 2 ? 2 : 3;
        const bool periodic = c / 2 % 2 == 1;
        const int32_t n = 100;
        device_system s = device_make(dim, n, c % 4 == 3 ? 10.0 : 2.0, dim == 3 ? 0.2 : 0.35, periodic, 0, 700 + (uint64_t)c);
        const char* name = device_choose_law(&s, c / 2);
        if (name == NULL) {
            device_free(&s);
            break;
        }
        if (strcmp(name, "bridge") == 0) {
            device_free(&s);
            continue;
        }
        s.material = calloc((size_t)n, sizeof *s.material);
        s.group = calloc((size_t)n, sizeof *s.group);
        s.fixed = calloc((size_t)n, sizeof *s.fixed);
        s.force = calloc((size_t)n * 3, sizeof *s.force);
        s.spin = s.pairs[0].friction > 0.0 ? calloc((size_t)n * 3, sizeof *s.spin) : NULL;
        for (int32_t i = 0; i < n; ++i) {
            s.material[i] = (uint16_t)(i % 2);
            s.group[i] = (uint16_t)(i % 4);
            s.fixed[i] = i % 11 == 4;
            s.force[dim * i] = 1e-3 * (i % 3 - 1);
            for (int k = dim == 3 ? 0 : 2; k < 3 && s.spin != NULL; ++k)
                s.spin[3 * i + k] = 0.1 * ((i + k) % 5 - 2);
            for (int k = 0; k < dim; ++k)
                s.v[(int64_t)i * dim + k] *= s.fixed[i] ? 0.0 : 3.0;
        }
        s.def.energies = true;
        s.def.giants = c % 4 == 3 ? 2.0 : 0.0;
        if (c % 5 == 4)
            s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
        if (!periodic)
            s.def.wall_velocity[0][0] = 0.02;
        s.def.gravity[dim - 1] *= 20.0;
        if (c % 6 == 5)
            s.search.skin = -1.0;
        device_set_tiny(80 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        for (int k = 0; k < 2; ++k) {
            if (c % 3 == 1)
                set(both[k], SCREE_LOAD_VELOCITY, 2, ramp(-0.01, 0.02, 0));
            if (c % 3 == 0)
                set(both[k], SCREE_LOAD_FORCE, 1, sine(2e-3, 3.0, 0));
            if (c % 4 == 2)
                set(both[k], SCREE_LOAD_DRAG, 0, (scree_signal){.value = {1e-3, 0.05, 0.0}});
            if (c % 8 == 6)
                set(both[k], SCREE_LOAD_LOCAL_DAMPING, 0, (scree_signal){.kind = SCREE_SIGNAL_RAMP, .value = {0.1}, .to = {0.3}, .over = 0.5});
        }
        CHECK_OK(scree_sim_run(both[0], 40));
        CHECK_OK(scree_sim_run(both[1], 40));
        for (int k = 0; k < sim_accounts; ++k)
            seen[k] += fabs(both[0]->account[k]);
        drag += both[0]->loads.dissipated[0] * both[0]->loads.dissipated[1];
        char title[80];
        snprintf(title, sizeof title, "energies %d %s", c, name);
        device_compare_sims(title, both[0], both[1], 60);
        device_free(&s);
    }
    for (int k = 0; k < sim_accounts; ++k)
        if (!(seen[k] > 0.0))
            fail_msg("account %d was 0 in all runs, so that nothing was compared", k);
    assert_true(drag > 0.0);
    emulate_set(NULL);
}

// Drag without sums of energies, and without friction.
static void drag_acts_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 3; ++c) {
        device_system s = device_make(3, 80, c == 2 ? 8.0 : 2.0, 0.2, c == 1, c, 600 + (uint64_t)c);
        s.def.giants = c == 2 ? 2.0 : 0.0;
        device_set_tiny(7 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        for (int k = 0; k < 2; ++k)
            set(both[k], SCREE_LOAD_DRAG, 0, (scree_signal){.kind = SCREE_SIGNAL_RAMP, .value = {1e-3, 0.05, 0.0}, .to = {2e-3, 0.0, 0.0}, .over = 0.5});
        device_compare_sims("drag", both[0], both[1], 60);
        device_free(&s);
    }
    emulate_set(NULL);
}

// A sphere that is wider than half of a periodic box is near the same partners through several images.
static void spheres_as_wide_as_the_box_keep_their_contacts(void** state)
{
    (void)state;
    for (int c = 0; c < 2; ++c) {
        device_system s = device_make(3, 60, 1.0, 0.1, true, 1, 40 + (uint64_t)c);
        double side = s.set.box.upper[0];
        for (int k = 0; k < 3; ++k)
            s.set.x[k] = 0.4 * side;
        s.set.r[0] = 0.35 * side;
        for (int32_t i = 1; i < 60; ++i) {  // on its surface and that of its images
            double d[3], length = 0.0;
            for (int k = 0; k < 3; ++k) {
                d[k] = s.set.x[3 * i + k] - 0.4 * side;
                d[k] -= side * floor(d[k] / side + 0.5);
                length += d[k] * d[k];
            }
            for (int k = 0; k < 3; ++k)
                s.set.x[3 * i + k] = 0.4 * side + d[k] / sqrt(length) * (0.35 * side + 0.97 * s.set.r[i]);
        }
        s.search.skin = 0.2 * side;
        device_set_tiny(3 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        assert_true(sim_report_of(both[0]).contacts > 40);
        device_compare_sims("wide", both[0], both[1], 30);
        device_free(&s);
    }
    emulate_set(NULL);
}

// Forces, pressures and torques on walls, a cylinder and a shape.
static void servos_act_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 7; ++c) {
        device_system s = device_make(3, 110, c % 4 == 3 ? 6.0 : 2.0, 0.25, false, c < 3 ? c : 0, 800 + (uint64_t)c);
        if (c >= 3)
            device_choose_law(&s, c == 3 ? 2 : c);
        const double side = s.set.box.upper[0];
        scree_sim_boundary round[2] = {scree_default_sim_boundary(), scree_default_sim_boundary()};
        scree_exact sheet = scree_default_exact();
        round[0].kind = "sphere";
        round[0].outside = true;
        round[0].radius = 0.1 * side;
        sheet.at[2] = 0.02 * side;
        round[1].exact = &sheet;
        for (int k = 0; k < 3; ++k)
            round[0].at[k] = -0.04 * side;
        s.def.boundaries = round;
        s.def.boundary_count = 2;
        s.def.giants = c % 4 == 3 ? 2.0 : 0.0;
        s.def.energies = c == 5;
        s.def.gravity[2] = -0.2;
        for (int32_t i = 0; i < 110; ++i)
            s.set.x[3 * i + 2] = fmax(s.set.x[3 * i + 2], 0.02 * side + 0.95 * s.set.r[i]);
        device_set_tiny(90 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        double at[2] = {0.0, 0.0};
        for (int k = 0; k < 2; ++k) {
            scree_sim_load servo = scree_default_sim_load();
            servo.kind = c % 2 == 0 ? SCREE_LOAD_SERVO_FORCE : SCREE_LOAD_SERVO_PRESSURE;
            servo.target = 1;
            servo.speed = 0.1;
            servo.value.value[0] = c % 2 == 0 ? 0.5 : 0.005;
            CHECK_OK(scree_sim_set_load(both[k], &servo));
            servo.target = 4;
            CHECK_OK(scree_sim_set_load(both[k], &servo));
            servo = scree_default_sim_load();
            servo.kind = c % 3 == 1 ? SCREE_LOAD_SERVO_FORCE : SCREE_LOAD_SERVO_TORQUE;
            servo.target = c % 3 == 1 ? boundary_faces + 1 : boundary_faces;
            servo.speed = 0.05;
            servo.value = sine(0.1, 1.0, 0);
            servo.direction[2] = 1.0;
            CHECK_OK(scree_sim_set_load(both[k], &servo));
        }
        char name[40];
        snprintf(name, sizeof name, "servos %d", c);
        CHECK_OK(scree_sim_run(both[0], 20));
        CHECK_OK(scree_sim_run(both[1], 20));
        for (int k = 0; k < 2; ++k)
            at[k] = scree_sim_get_box(both[k]).upper[0];
        if (at[0] != at[1] || at[0] == side)
            fail_msg("%s: the wall is at %.17g; %.17g was expected", name, at[1], at[0]);
        device_compare_sims(name, both[0], both[1], 45);
        device_free(&s);
    }
    emulate_set(NULL);
}

// ---- Bonds -----------------------------------------------------------------------------------------------------------------

// Clusters whose bonds hold or break, beside contacts of several laws; with frictionless contacts it is bonds alone that turn spheres.
static void bonds_act_as_on_the_processor(void** state)
{
    (void)state;
    int64_t broken = 0, held = 0;
    for (int c = 0; c < 8; ++c) {
        const int dim = c % 3 == 2 ? 2 : 3;
        device_system s = device_make(dim, 110, c % 4 == 3 ? 6.0 : 2.0, dim == 2 ? 0.45 : 0.3, c % 2 == 1, c % 3, 400 + (uint64_t)c);
        if (c > 2)
            device_choose_law(&s, c == 3 ? 4 : c - 4);
        scree_sim_bond kind = scree_default_sim_bond();
        kind.gap = 0.3 * s.set.r[0];
        kind.young = 15.0;
        kind.damping = c % 2 == 0 ? 0.1 : 0.0;
        kind.tensile_strength = c < 5 ? 0.15 : INFINITY;
        kind.shear_strength = 0.2;
        scree_sim_bonds_def bonds = scree_default_sim_bonds_def();
        bonds.kind_count = 1;
        bonds.kinds = &kind;
        s.def.bonds = &bonds;
        s.def.time_step = 2e-3;
        s.def.order_every = 20;
        s.def.giants = c % 4 == 3 ? 2.0 : 0.0;
        s.def.energies = c == 5;
        for (int32_t i = 0; i < 110 * dim; ++i)
            s.v[i] *= 3.0;
        device_set_tiny(40 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        scree_sim_bonds shown[2];
        for (int k = 0; k < 2; ++k) {
            CHECK_OK(scree_sim_run(both[k], 60));
            CHECK_OK(scree_sim_get_bonds(both[k], &shown[k]));
        }
        assert_int_equal(shown[0].count, shown[1].count);
        for (int64_t b = 0; b < shown[0].count; ++b) {
            assert_int_equal(shown[0].broken_at[b], shown[1].broken_at[b]);
            broken += shown[0].broken_at[b] >= 0;
            held += shown[0].broken_at[b] < 0;
        }
        char name[40];
        snprintf(name, sizeof name, "bonds %d", c);
        if (sim_report_of(both[0]).dissipated_bonds != sim_report_of(both[1]).dissipated_bonds)
            fail_msg("%s: bonds have dissipated %.17g; %.17g was expected", name, sim_report_of(both[1]).dissipated_bonds, sim_report_of(both[0]).dissipated_bonds);
        device_compare_sims(name, both[0], both[1], 60);
        device_free(&s);
    }
    if (broken < 10 || held < 100)
        fail_msg("%d bonds have broken, %d hold", (int)broken, (int)held);
    emulate_set(NULL);
}

// ---- Pairs -----------------------------------------------------------------------------------------------------------------

// A set with some spheres of radius 0, and some centres outside of the box along periodic axes.
static scree_sphere_set pairs_set(int c, int32_t n, scree_rng* rng)
{
    scree_sphere_set set = {.dim = c % 3 == 2 ? 2 : 3, .count = n, .x = malloc(3 * (size_t)n * sizeof(double)), .r = malloc((size_t)n * sizeof(double))};
    set.box = scree_box_sized(set.dim, (double[3]){1.0, 1.3, 0.8});
    for (int k = 0; k < set.dim; ++k)
        set.box.periodic[k] = (c >> k & 1) != 0;
    if (set.box.periodic[0] && set.box.periodic[1] && c % 4 == 3)
        set.box.tilt[0] = 0.7;
    if (c == 7 || c == 15)
        set.box.tilt[2] = -0.3;
    double largest = c % 4 == 3 ? 0.3 : 0.06, ratio = c % 5 == 4 ? 300.0 : 1.0 + c;
    for (int32_t i = 0; i < n; ++i) {
        set.r[i] = c % 7 == 6 && i % 3 == 0 ? 0.0 : largest * pow(ratio, -scree_rng_uniform(rng));
        for (int k = 0; k < set.dim; ++k) {
            double side = set.box.upper[k];
            set.x[(int64_t)i * set.dim + k] = side * (set.box.periodic[k] && i % 9 == 0 ? 5.0 * scree_rng_uniform(rng) - 2.0 : c % 6 == 5 && i % 2 == 0 ? 0.25 : scree_rng_uniform(rng));
        }
    }
    return set;
}

// On a lattice, at the distance of a pair or off by no more than `error`: floats cannot decide.
static void set_at_the_limit(scree_sphere_set* set, double gap, double error, scree_rng* rng)
{
    for (int k = 0; k < set->dim; ++k)
        if (!set->box.periodic[k])
            set->box.lower[k] = -1001.0;  // the first one is far below: the floats of the others are coarse
    for (int32_t i = 0; i < set->count; ++i) {
        set->r[i] = 0.5 * (0.1 - gap);
        for (int32_t k = 0, place = i; k < set->dim; ++k, place /= 7)
            set->x[(int64_t)i * set->dim + k] = (i == 0 && !set->box.periodic[k] ? -1000.0 : 0.05) + 0.1 * (place % 7) + error * (scree_rng_uniform(rng) - 0.5);
    }
}

static void scale_set(scree_sphere_set* set, double scale)
{
    for (int64_t e = 0; e < (int64_t)set->count * set->dim; ++e)
        set->x[e] *= scale;
    for (int32_t i = 0; i < set->count; ++i)
        set->r[i] *= scale;
    for (int k = 0; k < 3; ++k) {
        set->box.lower[k] *= scale;
        set->box.upper[k] *= scale;
        set->box.tilt[k] *= scale;
    }
}

static void pairs_are_those_of_all_pairs(void** state)
{
    (void)state;
    static const double gaps[] = {0.0, 0.05, -0.01, 0.9, 0.0};
    static const int32_t counts[] = {200, 1, 33, 90, 257};
    int64_t found = 0;
    for (int c = 0; c < 40; ++c) {
        scree_rng rng;
        rng = scree_rng_make(70, (uint64_t)c);
        scree_sphere_set set = pairs_set(c, c == 29 ? 0 : counts[c % 5], &rng);
        if (c >= 30 && gaps[c / 2 % 5] < 0.1)
            set_at_the_limit(&set, gaps[c / 2 % 5], pow(10.0, 20 - c), &rng);
        const double scale = c % 10 == 8 ? 1e100 : c % 10 == 5 ? 1e-100 : c % 10 == 3 ? 1e-20 : 1.0;  // most are beyond floats
        scale_set(&set, scale);
        scree_pairs pairs[2];
        scree_index* index[2];
        device_set_tiny(1 + (uint64_t)c);
        for (int d = 0; d < 2; ++d) {
            scree_index_def def = scree_default_index_def();
            def.box = set.box;
            def.gap = gaps[c / 2 % 5] * scale;
            def.sorted = true;
            def.method = d == 0 ? SCREE_METHOD_ALL_PAIRS : SCREE_METHOD_AUTO;
            def.device = d == 0 ? SCREE_DEVICE_NONE : device_tested();
            CHECK_OK(scree_index_create(&def, &index[d]));
            for (int again = 0; again < 2; ++again) {
                CHECK_OK(scree_index_update(index[d], scree_sphere_set_view(&set)));
                CHECK_OK(scree_index_pairs(index[d], &pairs[d]));
            }
            assert_int_equal(scree_index_get_device(index[d]), def.device);
        }
        if (pairs[0].count != pairs[1].count)
            fail_msg("case %d: %lld pairs; %lld were expected", c, (long long)pairs[1].count, (long long)pairs[0].count);
        for (int64_t p = 0; p < pairs[0].count; ++p)
            for (int k = 0; k < 3; ++k)
                if ((k < 2 && pairs[0].ij[p][k] != pairs[1].ij[p][k]) || (pairs[0].shift != NULL && pairs[0].shift[p][k] != pairs[1].shift[p][k]))
                    fail_msg("case %d: pair %lld is %d %d; %d %d was expected", c, (long long)p, pairs[1].ij[p][0], pairs[1].ij[p][1], pairs[0].ij[p][0], pairs[0].ij[p][1]);
        found += pairs[0].count;
        // Single spheres are the processor's matter: the same index still answers.
        scree_neighbours near[2];
        for (int d = 0; d < 2 && set.count > 0; ++d)
            CHECK_OK(scree_index_neighbours(index[d], set.count / 2, &near[d]));
        if (set.count > 0)
            assert_int_equal(near[0].count, near[1].count);
        for (int d = 0; d < 2; ++d)
            scree_index_destroy(index[d]);
        free(set.x);
        free(set.r);
    }
    assert_true(found > 10000);
    emulate_set(NULL);
}

static void an_index_refuses_what_devices_cannot_search(void** state)
{
    (void)state;
    scree_index* index;
    scree_index_def def = scree_default_index_def();
    def.device = SCREE_DEVICE_EMULATE;
    def.method = SCREE_METHOD_OCTREE;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "emulate", "octree");
    def.method = SCREE_METHOD_AUTO;
    def.device = 9;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "9");
    assert_null(index);
}

// With many threads AUTO does not even look for a GPU.
static void auto_leaves_pairs_to_many_threads(void** state)
{
    (void)state;
    enum { n = 100000 };
    double *x = calloc(3 * n, sizeof *x), *r = calloc(n, sizeof *r);
    for (int i = 0; i < n; ++i) {
        x[3 * i] = i % 50;
        x[3 * i + 1] = i / 50 % 50;
        x[3 * i + 2] = (double)(i / 2500);
        r[i] = 0.4;
    }
    for (int threads = 7; threads <= 8; ++threads) {
        scree_index* index;
        scree_index_def def = scree_default_index_def();
        def.threads = threads;
        def.device = SCREE_DEVICE_AUTO;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}));
        assert_int_equal(index->device_tried, threads < 8);
        scree_index_destroy(index);
    }
    free(x);
    free(r);
}

// Each allocation of a search fails once.
static void memory_that_runs_out_leaves_an_index_that_goes_on(void** state)
{
    (void)state;
    scree_rng rng;
    rng = scree_rng_make(5, 0);
    scree_sphere_set set = pairs_set(1, 60, &rng);
    int failures = 0;
    for (int64_t n = 1; n < 60; ++n) {
        scree_index* index;
        scree_pairs pairs = {.count = 0};
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.gap = 0.1;
        def.device = SCREE_DEVICE_EMULATE;
        scree_memory_fail_at(n);
        scree_status status = scree_index_create(&def, &index);
        if (status == SCREE_OK)
            status = scree_index_update(index, scree_sphere_set_view(&set));
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        failures += status != SCREE_OK;
        if (status != SCREE_OK && index != NULL) {
            CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
            CHECK_OK(scree_index_pairs(index, &pairs));
            assert_true(pairs.count > 0);
        }
        scree_index_destroy(index);
    }
    assert_true(failures > 15);
    free(set.x);
    free(set.r);
}

static const test_case cases[] = {
    SAME_BITS(pairs_are_those_of_all_pairs),
    UNIT(an_index_refuses_what_devices_cannot_search),
    UNIT(auto_leaves_pairs_to_many_threads),
    ALLOCATION(memory_that_runs_out_leaves_an_index_that_goes_on),
    SAME_BITS(loads_act_as_on_the_processor),
    SAME_BITS(energies_are_those_of_the_processor),
    SAME_BITS(drag_acts_as_on_the_processor),
    SAME_BITS(spheres_as_wide_as_the_box_keep_their_contacts),
    SAME_BITS(bonds_act_as_on_the_processor),
    SAME_BITS(servos_act_as_on_the_processor),
};

const test_group group_device_wide = {.name = "device_wide", .cases = cases, .count = sizeof cases / sizeof *cases};
