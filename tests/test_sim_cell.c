// Simulations in cells with any angles, and in cells that shear, strain and follow a stress: against boxes with right angles that hold the same lattice, against a pair
// without a cell, by sums of momentum and energy, and bit by bit across methods, threads, backends and interruptions.
#include "sim_support.h"

#include "scree/loads.h"
#include "sim/sim_inner.h"

// ---- What the cases share ----------------------------------------------------------------------------------------------

typedef struct setting {
    scree_sim_def def;
    scree_sim_law law;
    scree_sim_pair pair;
    scree_sim_cell cell;
    scree_index_def search;
} setting;

// Rough spheres with damping, rolling and twisting friction; `smooth`: linear springs and nothing else.
static void set_up(setting* s, int dim, const double* size, bool smooth)
{
    s->def = scree_default_sim_def();
    s->def.box = scree_box_sized(dim, size);
    for (int k = 0; k < dim; ++k)
        s->def.box.periodic[k] = true;
    s->def.stiffness = 1000.0;
    s->def.threads = 1;
    s->def.order_every = 50;
    s->law = scree_default_sim_law();
    s->pair = scree_default_sim_pair();
    s->cell = scree_default_sim_cell();
    s->search = scree_default_index_def();
    s->def.search = &s->search;
    if (smooth)
        return;
    s->pair.stiffness = 1000.0;
    s->pair.restitution = 0.6;
    s->pair.friction = 0.5;
    s->pair.rolling_friction = 0.1;
    s->pair.twisting_friction = 0.1;
    s->law.pairs = &s->pair;
    s->law.material_count = 1;
    s->def.law = &s->law;
    s->def.stiffness = 0.0;
}

static scree_sim* make(const setting* s, int32_t count, const double* x, const double* r, const double* v)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&s->def, (scree_spheres){.count = count, .dim = s->def.box.dim, .x = x, .r = r}, v, &sim));
    return sim;
}

typedef struct heap {
    int32_t count;
    int dim;
    double *x, *r, *v;
} heap;

// A crowded set: spheres at random that overlap here and there, but not by much.
static heap crowd(int dim, int32_t count, double size, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 0);
    heap h = {.count = count, .dim = dim, .x = calloc((size_t)count * 3, sizeof(double)), .r = calloc((size_t)count, sizeof(double)), .v = calloc((size_t)count * 3, sizeof(double))};
    int side = (int)ceil(pow((double)count, 1.0 / dim) - 1e-9);
    for (int32_t i = 0; i < count; ++i) {
        int cell[3] = {i % side, i / side % side, i / side / side};
        h.r[i] = size / side * sim_between(&rng, 0.47, 0.53);
        for (int k = 0; k < dim; ++k) {
            h.x[i * dim + k] = (cell[k] + 0.5 + sim_between(&rng, -0.05, 0.05)) * size / side;
            h.v[i * dim + k] = sim_between(&rng, -0.2, 0.2);
        }
    }
    return h;
}

static void heap_free(heap* h)
{
    free(h->x);
    free(h->r);
    free(h->v);
}

static double* column(const scree_sim* sim, const char* name)
{
    double* out = calloc((size_t)scree_sim_get_count(sim) * 3, sizeof *out);
    CHECK_OK(scree_sim_get_column(sim, name, out));
    return out;
}

// ---- Cells at rest -----------------------------------------------------------------------------------------------------

// A cell with b = (L/2, L) and the rectangular one with the same lattice and twice the spheres: each sphere and its copy go the same way.
static void a_tilted_cell_is_half_of_a_box(void** state)
{
    (void)state;
    for (int c = 0; c < 4; ++c) {
        int dim = c % 2 == 0 ? 2 : 3;
        double size = 4.0, all[3] = {size, size, size}, twice[3] = {size, 2.0 * size, size};
        setting tilted, plain;
        set_up(&tilted, dim, all, c >= 2);
        set_up(&plain, dim, twice, c >= 2);
        tilted.def.box.tilt[0] = 0.5 * size;
        tilted.def.integrator = plain.def.integrator = c == 1 ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
        heap h = crowd(dim, dim == 2 ? 16 : 64, size, 3 + (uint64_t)c);
        int32_t n = h.count;
        double *x = calloc((size_t)n * 6, sizeof *x), *v = calloc((size_t)n * 6, sizeof *v), *r = calloc((size_t)n * 2, sizeof *r);
        for (int32_t i = 0; i < 2 * n; ++i) {
            r[i] = h.r[i % n];
            for (int k = 0; k < dim; ++k) {
                x[i * dim + k] = h.x[i % n * dim + k] + (i < n ? 0.0 : k == 0 ? 0.5 * size : k == 1 ? size : 0.0);
                v[i * dim + k] = h.v[i % n * dim + k];
            }
        }
        scree_sim* two = make(&plain, 2 * n, x, r, v);
        tilted.def.time_step = scree_sim_get_numbers(two).time_step;  // which has two of the lightest
        scree_sim* one = make(&tilted, n, h.x, h.r, h.v);
        CHECK_OK(scree_sim_run(one, 400));
        CHECK_OK(scree_sim_run(two, 400));
        double *a = column(one, "x"), *b = column(two, "x"), *av = column(one, "v"), *bv = column(two, "v");
        int32_t moved = 0;
        for (int32_t i = 0; i < 2 * n; ++i) {
            double d[3] = {0.0};
            for (int k = 0; k < dim; ++k) {
                d[k] = a[i % n * dim + k] - b[i * dim + k];
                CHECK_CLOSE(av[i % n * dim + k], bv[i * dim + k], 1e-9);
                moved += fabs(av[i % n * dim + k] - h.v[i % n * dim + k]) > 1e-3;
            }
            double turns = rint(d[1] / size);
            d[1] -= turns * size;
            d[0] -= turns * 0.5 * size;
            for (int k = 0; k < dim; ++k)
                CHECK_CLOSE(d[k] - size * rint(d[k] / size), 0.0, 1e-9);
        }
        assert_true(moved > n);
        scree_sim_report of_one = sim_report_of(one), of_two = sim_report_of(two);
        assert_int_equal(of_two.contacts, 2 * of_one.contacts);
        for (int k = 0; k < dim; ++k)
            for (int l = 0; l < dim; ++l)
                CHECK_CLOSE(of_one.contact_stress[k][l], of_two.contact_stress[k][l], 1e-7);
        free(a);
        free(b);
        free(av);
        free(bv);
        free(x);
        free(v);
        free(r);
        heap_free(&h);
        scree_sim_destroy(one);
        scree_sim_destroy(two);
    }
}

// ---- Images ------------------------------------------------------------------------------------------------------------

// Two spheres that touch across the face of a cell that shears and strains, and the same two in open space, the second where its image is and as fast.
static void an_image_is_a_sphere_that_moves(void** state)
{
    (void)state;
    for (int c = 0; c < 4; ++c) {
        double size[3] = {4.0, 5.0, 6.0};
        setting cell, open;
        set_up(&cell, 3, size, c == 3);
        set_up(&open, 3, size, c == 3);
        cell.def.integrator = open.def.integrator = c == 2 ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
        open.def.box = scree_box_open(3);
        cell.def.order_every = open.def.order_every = c == 1 ? 20 : 1000000;
        cell.cell.rate[SCREE_CELL_XY] = 0.3;
        cell.cell.rate[SCREE_CELL_YZ] = 0.1;
        cell.cell.rate[SCREE_CELL_YY] = -0.05;
        cell.cell.rate[SCREE_CELL_XX] = 0.07;
        cell.def.box.tilt[0] = 0.4;
        cell.def.cell = &cell.cell;
        double r[2] = {0.5, 0.6}, x[6] = {2.0, 4.7, 3.0, 2.0 - 0.4, 0.6, 3.2}, v[6] = {0.1, 0.2, 0.0, -0.3, 0.5, 0.1}, pair[6], pair_v[6];
        if (c == 1) {  // it goes through the face, and is wrapped
            x[1] = 4.99;
            x[4] = 1.0;
            v[1] = 3.0;
        }
        scree_sim* one = make(&cell, 2, x, r, v);
        double *given = column(one, "x"), *given_v = column(one, "v"), h[3] = {0.4, 5.0, 0.0}, rate[3] = {0.07 * 0.4 + 0.3 * 5.0, -0.05 * 5.0, 0.0};
        for (int k = 0; k < 3; ++k) {
            pair[k] = given[k];
            pair_v[k] = given_v[k];
            pair[3 + k] = given[3 + k] + h[k];
            pair_v[3 + k] = given_v[3 + k] + rate[k];
        }
        open.def.time_step = scree_sim_get_numbers(one).time_step;
        scree_sim* two = make(&open, 2, pair, r, pair_v);
        assert_int_equal(sim_report_of(one).contacts, 1);
        assert_int_equal(sim_report_of(two).contacts, 1);
        bool wrapped = false;
        for (int run = 0; run < 8; ++run) {
            CHECK_OK(scree_sim_run(one, 10));
            CHECK_OK(scree_sim_run(two, 10));
            double *a = column(one, "x"), *b = column(two, "x"), *av = column(one, "v"), *bv = column(two, "v");
            double time = scree_sim_get_time(one), now[3] = {h[0] + rate[0] * time, h[1] + rate[1] * time, 0.0};
            // Whole cells by which the first was wrapped: it then lacks H and dH/dt, and its partner does not.
            double turns = rint((b[1] - a[1]) / now[1]);
            wrapped = wrapped || turns == 1.0;
            for (int k = 0; k < 3; ++k) {
                CHECK_CLOSE(a[k] + turns * now[k], b[k], 1e-12);
                CHECK_CLOSE(av[k] + turns * rate[k], bv[k], 1e-11);
                CHECK_CLOSE(a[3 + k] + now[k], b[3 + k], 1e-12);
                CHECK_CLOSE(av[3 + k] + rate[k], bv[3 + k], 1e-11);
            }
            if (c < 3) {
                double *aw = column(one, "w"), *bw = column(two, "w");
                for (int k = 0; k < 6; ++k)
                    CHECK_CLOSE(aw[k], bw[k], 1e-11);
                assert_true(fabs(aw[2]) > 1e-6);
                free(aw);
                free(bw);
            }
            free(a);
            free(b);
            free(av);
            free(bv);
        }
        assert_true(wrapped == (c == 1));
        free(given);
        free(given_v);
        scree_sim_destroy(one);
        scree_sim_destroy(two);
    }
}

// Spheres that touch nobody follow the cell: places in shares of it stay, and velocities relative to it.
static void free_spheres_follow_the_cell(void** state)
{
    (void)state;
    double size[3] = {4.0, 5.0, 6.0};
    setting s;
    set_up(&s, 3, size, true);
    s.def.box.lower[1] = 1.0;
    s.def.box.upper[1] = 6.0;
    s.cell.rate[SCREE_CELL_XX] = -0.1;
    s.cell.rate[SCREE_CELL_XY] = 0.8;
    s.cell.rate[SCREE_CELL_XZ] = -0.4;
    s.cell.rate[SCREE_CELL_ZZ] = 0.2;
    s.def.cell = &s.cell;
    double x[9] = {0.5, 1.5, 0.5, 2.0, 3.5, 3.0, 3.5, 5.5, 5.0}, r[3] = {0.1, 0.1, 0.1};
    scree_sim* sim = make(&s, 3, x, r, NULL);
    CHECK_OK(scree_sim_run(sim, 1000));
    double t = scree_sim_get_time(sim), *now = column(sim, "x");
    scree_sim_cell_report cell;
    CHECK_OK(scree_sim_get_cell(sim, &cell));
    double side[3] = {4.0 - 0.4 * t, 5.0, 6.0 + 1.2 * t}, xy = 4.0 * t, xz = -2.4 * t;
    CHECK_CLOSE(cell.side[0], side[0], 1e-12);
    CHECK_CLOSE(cell.side[2], side[2], 1e-12);
    CHECK_CLOSE(cell.strain[SCREE_CELL_XX], -0.1 * t, 1e-12);
    CHECK_CLOSE(cell.strain[SCREE_CELL_XY], 0.8 * t, 1e-12);
    CHECK_CLOSE(cell.tilt[0] - xy - side[0] * rint((cell.tilt[0] - xy) / side[0]), 0.0, 1e-11);
    assert_true(fabs(cell.tilt[0]) < 0.6 * side[0]);
    double middle[3] = {2.0, 3.5, 3.0};
    for (int i = 0; i < 3; ++i) {
        double q[3], d[3];
        for (int k = 0; k < 3; ++k)
            q[k] = (x[3 * i + k] - middle[k]) / size[k];
        double to[3] = {side[0] * q[0] + xy * q[1] + xz * q[2], side[1] * q[1], side[2] * q[2]};
        for (int k = 0; k < 3; ++k)
            d[k] = now[3 * i + k] - middle[k] - to[k];
        // By whole edge vectors, last axis first.
        double n = rint(d[2] / side[2]);
        d[2] -= n * side[2];
        d[0] -= n * xz;
        n = rint(d[1] / side[1]);
        d[1] -= n * side[1];
        d[0] -= n * xy;
        d[0] -= rint(d[0] / side[0]) * side[0];
        for (int k = 0; k < 3; ++k)
            CHECK_CLOSE(d[k], 0.0, 1e-10);
    }
    scree_sim_report r0 = sim_report_of(sim);
    for (int k = 0; k < 3; ++k)
        CHECK_CLOSE(r0.kinetic_stress[k][k], 0.0, 1e-15);
    free(now);
    scree_sim_destroy(sim);
}

// Drag is relative to the cell: in a shear flow y'' = -a y' and x'' = -a (x' - g (y - middle)), which has a closed form; through all faces, and for any step to second order.
static void drag_is_that_of_a_medium_that_moves_with_the_cell(void** state)
{
    (void)state;
    const double size[3] = {4.0, 4.0, 4.0}, rate = 0.8, a = 2.0, w0 = 21.0, u0 = 3.0;
    double errors[2] = {0.0, 0.0};
    for (int fine = 0; fine < 2; ++fine)
        for (int integrator = 0; integrator < 2; ++integrator) {
            setting s;
            set_up(&s, 3, size, true);
            s.cell.rate[SCREE_CELL_XY] = rate;
            s.def.cell = &s.cell;
            s.def.time_step = fine ? 5e-4 : 1e-3;
            s.def.stiffness = 10.0;
            s.def.energies = true;
            s.def.integrator = integrator;
            const double x[3] = {1.0, 0.7, 3.0}, r[1] = {0.1}, v[3] = {u0, w0, 0.0};
            scree_sim* sim = make(&s, 1, x, r, v);
            scree_sim_load drag = scree_default_sim_load();
            drag.kind = SCREE_LOAD_DRAG;
            drag.value.value[1] = a;
            CHECK_OK(scree_sim_set_load(sim, &drag));
            scree_sim_report begin = sim_report_of(sim);
            CHECK_OK(scree_sim_run(sim, fine ? 1400 : 700));
            double t = scree_sim_get_time(sim), e = exp(-a * t), *now = column(sim, "x"), *speed = column(sim, "v");
            double y = x[1] + w0 * (1.0 - e) / a, w = w0 * e, u = (u0 - rate * w0 * t) * e;
            double along = x[0] + u0 * (1.0 - e) / a - rate * w0 / (a * a) * (1.0 - e * (1.0 + a * t)) + rate * ((x[1] - 2.0) * t + w0 * t / a - w0 * (1.0 - e) / (a * a));
            scree_sim_cell_report cell;
            CHECK_OK(scree_sim_get_cell(sim, &cell));
            double d[2] = {now[0] - along, now[1] - y}, n = rint(d[1] / 4.0);
            assert_true(n <= -1.0);
            d[1] -= 4.0 * n;
            d[0] -= cell.tilt[0] * n;
            d[0] -= 4.0 * rint(d[0] / 4.0);
            double peculiar = speed[0] - rate * (now[1] - 2.0);
            errors[fine] = fmax(fmax(fabs(d[0]), fabs(d[1])), fmax(fabs(peculiar - u), fabs(speed[1] - w)));
            assert_true(errors[fine] < (fine ? 2e-5 : 8e-5));
            scree_sim_report end = sim_report_of(sim);
            CHECK_CLOSE(end.energy_kinetic + end.dissipated_drag - end.work_walls, begin.energy_kinetic, 1e-5 * begin.energy_kinetic);
            free(now);
            free(speed);
            scree_sim_destroy(sim);
        }
    assert_true(errors[0] > 3.0 * errors[1]);  // of second order
}

// ---- Sums --------------------------------------------------------------------------------------------------------------

// Without wrapping the momentum stays; and kinetic energy, springs and what is dissipated less the work of the cell, too, to second order of the step.
static void momentum_and_energies_balance(void** state)
{
    (void)state;
    double off[2][2];
    for (int fine = 0; fine < 2; ++fine)
        for (int c = 0; c < 2; ++c) {
            double size[3] = {4.0, 4.0, 4.0};
            setting s;
            set_up(&s, 3, size, false);
            s.pair.restitution = 1.0;
            s.pair.rolling_friction = s.pair.twisting_friction = 0.0;
            s.cell.rate[SCREE_CELL_XY] = 0.5;
            s.cell.rate[SCREE_CELL_ZZ] = -0.05;
            s.def.cell = &s.cell;
            s.def.energies = true;
            s.def.order_every = c == 0 ? 1000000 : fine == 0 ? 50 : 100;
            heap h = crowd(3, 64, 4.0, 11);
            for (int32_t i = 0; i < h.count; ++i) {
                h.r[i] *= 1.04;         // so that contacts hold
                h.v[3 * i + 1] += 3.0;  // through the faces
            }
            scree_sim* sim = make(&s, h.count, h.x, h.r, h.v);
            double step = scree_sim_get_numbers(sim).time_step;
            if (fine) {
                scree_sim_destroy(sim);
                s.def.time_step = 0.5 * step;
                sim = make(&s, h.count, h.x, h.r, h.v);
            }
            scree_sim_report before = sim_report_of(sim);
            double most = 0.0;
            for (int part = 0; part < 10; ++part) {
                CHECK_OK(scree_sim_run(sim, fine ? 40 : 20));
                scree_sim_report r = sim_report_of(sim);
                double sum = r.energy_kinetic + r.energy_rotation + r.energy_contact + r.dissipated_normal + r.dissipated_tangential - r.work_walls;
                double first = before.energy_kinetic + before.energy_rotation + before.energy_contact;
                most = fmax(most, fabs(sum - first));
                assert_true(part < 9 || r.work_walls > 40.0);
                for (int k = 0; k < 3 && c == 0; ++k)
                    CHECK_CLOSE(r.momentum[k], before.momentum[k], 1e-11);
            }
            off[fine][c] = most;
            heap_free(&h);
            scree_sim_destroy(sim);
        }
    for (int c = 0; c < 2; ++c) {
        if (!(off[0][c] < 0.2) || !(off[1][c] < off[0][c] / 3.0))
            fail_msg("the balance is off by %g, with half the step by %g (%s wrapping)", off[0][c], off[1][c], c == 0 ? "without" : "with");
    }
}

// ---- Same bits -----------------------------------------------------------------------------------------------------------

typedef struct choice {
    int32_t method, backend, threads;
    double skin;
    int cut;
} choice;

// A dense set that shears, or shears and is held at a pressure; 260 steps.
static uint64_t hash_of(setting s, const heap* h, choice c, bool energies)
{
    s.search.method = c.method;
    s.search.skin = c.skin;
    s.def.search = &s.search;
    s.def.backend = c.backend;
    s.def.threads = c.threads;
    s.def.cell = s.def.cell != NULL ? &s.cell : NULL;
    s.def.law = s.def.law != NULL ? &s.law : NULL;
    s.law.pairs = s.def.law != NULL ? &s.pair : NULL;
    s.def.energies = energies;
    scree_sim* sim = make(&s, h->count, h->x, h->r, h->v);
    if (c.cut > 0) {
        CHECK_OK(scree_sim_run(sim, c.cut));
        scree_sim* other = make(&s, h->count, h->x, h->r, NULL);
        sim_hand_over(sim, other);
        scree_sim_destroy(sim);
        sim = other;
        assert_true(scree_sim_validate(sim) == SCREE_OK);
    }
    CHECK_OK(scree_sim_run(sim, 260 - c.cut));
    uint64_t hash = scree_sim_hash(sim);
    scree_sim_destroy(sim);
    return hash;
}

static void one_hash_for_all_ways(void** state)
{
    (void)state;
    for (int c = 0; c < 7; ++c) {
        double size[3] = {5.0, 5.0, 5.0};
        int dim = c == 1 ? 2 : 3;
        setting s;
        set_up(&s, dim, size, c == 2 || c == 5);
        s.def.integrator = c == 4 ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
        s.def.cell = &s.cell;
        s.cell.rate[SCREE_CELL_XY] = 2.5;  // tilts by more than half a box on the way
        if (c >= 3) {
            s.cell.controlled = c >= 5 ? 0 : 4;
            s.cell.isotropic = c >= 5;
            s.cell.stress[c >= 5 ? 0 : 2] = 20.0;
            s.cell.rate_most = 0.5;
            s.cell.rate[SCREE_CELL_YY] = c == 3 || c == 6 ? 0.05 : 0.0;
            s.cell.constant_volume = c == 3;
        }
        heap h = crowd(dim, dim == 2 ? 64 : 125, 5.0, 40 + (uint64_t)c);
        h.r[5] *= 1.3;
        s.def.giants = h.r[5];
        s.def.check = false;
        static const choice ways[] = {
            {SCREE_METHOD_AUTO, SCREE_BACKEND_FUSED, 1, 0.0, 0},       {SCREE_METHOD_ALL_PAIRS, SCREE_BACKEND_FUSED, 1, 0.0, 0},
            {SCREE_METHOD_AUTO, SCREE_BACKEND_REFERENCE, 1, 0.0, 0},   {SCREE_METHOD_HIERARCHICAL_GRID, SCREE_BACKEND_FUSED, 2, -1.0, 0},
            {SCREE_METHOD_AUTO, SCREE_BACKEND_FUSED, 1, 0.3, 77},      {SCREE_METHOD_ALL_PAIRS, SCREE_BACKEND_REFERENCE, 2, 0.05, 100},
        };
        uint64_t first = hash_of(s, &h, ways[0], false);
        for (size_t w = 1; w < sizeof ways / sizeof *ways; ++w)
            if (hash_of(s, &h, ways[w], c == 0 || c == 3) != first)
                fail_msg("case %d: way %d gives another hash", c, (int)w);
        heap_free(&h);
    }
}

// Several blocks of spheres, so that threads share the work.
static void threads_give_the_same_bits(void** state)
{
    (void)state;
    double size[3] = {20.0, 20.0, 20.0};
    setting s;
    set_up(&s, 3, size, false);
    s.def.cell = &s.cell;
    s.cell.isotropic = true;
    s.cell.stress[0] = 30.0;
    s.cell.rate_most = 0.5;
    s.cell.rate[SCREE_CELL_XY] = 1.0;
    heap h = crowd(3, 8000 + 1261, 20.0, 5);
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; ++threads) {
        s.def.threads = threads;
        scree_sim* sim = make(&s, h.count, h.x, h.r, h.v);
        CHECK_OK(scree_sim_run(sim, 30));
        uint64_t hash = scree_sim_hash(sim);
        first = threads == 1 ? hash : first;
        assert_true(hash == first);
        scree_sim_destroy(sim);
    }
    heap_free(&h);
}

// Every step against all pairs, while the tilt goes beyond half a box several times and the list is kept for some steps.
static void lists_miss_no_contact(void** state)
{
    (void)state;
    for (int c = 0; c < 2; ++c) {
        double size[3] = {5.0, 5.0, 5.0};
        setting s;
        set_up(&s, c == 0 ? 3 : 2, size, true);
        s.def.cell = &s.cell;
        s.def.check = true;
        s.cell.rate[SCREE_CELL_XY] = 3.0;
        s.cell.rate[SCREE_CELL_XX] = -0.02;
        s.cell.rate[SCREE_CELL_YY] = 0.03;
        if (c == 0) {
            s.cell.rate[SCREE_CELL_YZ] = -0.9;
            s.cell.rate[SCREE_CELL_XZ] = 0.4;
        }
        heap h = crowd(c == 0 ? 3 : 2, c == 0 ? 125 : 100, 5.0, 8);
        scree_sim* sim = make(&s, h.count, h.x, h.r, h.v);
        CHECK_OK(scree_sim_run(sim, 600));
        scree_sim_report r = sim_report_of(sim);
        assert_true(r.rebuilds < 500 && r.contacts > 20);
        scree_sim_cell_report cell;
        CHECK_OK(scree_sim_get_cell(sim, &cell));
        assert_true(cell.strain[SCREE_CELL_XY] > 0.6);
        heap_free(&h);
        scree_sim_destroy(sim);
    }
}

// Spheres that only follow the cell: places in it stay, and the motion of the cell alone brings them together.
static void the_cell_brings_spheres_together(void** state)
{
    (void)state;
    for (int c = 0; c < 2; ++c) {
        double size[3] = {5.0, 5.0, 5.0};
        setting s;
        set_up(&s, 3, size, true);
        s.def.cell = &s.cell;
        s.def.check = true;
        s.def.order_every = 1000000;  // lists end only because a contact could be missing
        s.cell.rate[SCREE_CELL_XX] = c == 0 ? -1.2 : -0.6;
        s.cell.rate[SCREE_CELL_YY] = 0.5;
        s.cell.rate[SCREE_CELL_XY] = c == 0 ? 0.0 : 2.0;
        heap h = crowd(3, 125, 5.0, 8);
        for (int32_t i = 0; i < h.count; ++i)
            h.r[i] *= 0.7;
        scree_sim* sim = make(&s, h.count, h.x, h.r, NULL);
        assert_int_equal(sim_report_of(sim).contacts, 0);
        for (int part = 0; part < 100 && sim_report_of(sim).contacts < 5; ++part)
            CHECK_OK(scree_sim_run(sim, 10));
        scree_sim_report r = sim_report_of(sim);
        assert_true(r.contacts >= 5 && r.rebuilds < scree_sim_get_step(sim) / 2);
        heap_free(&h);
        scree_sim_destroy(sim);
    }
}

// ---- Stress --------------------------------------------------------------------------------------------------------------

static double stress_of(const scree_sim_report* r, int k)
{
    return r->kinetic_stress[k][k] + r->contact_stress[k][k];
}

// From a loose set to a pressure: reached to 1 %, never above it by more than 10 %; then pressed along z at constant lateral stress.
static void a_stress_is_reached_and_held(void** state)
{
    (void)state;
    if (test_is_small())
        return;  // thousands of steps that the other cases have too
    double size[3] = {7.0, 7.0, 7.0}, target = 10.0;
    setting s;
    set_up(&s, 3, size, false);
    s.def.cell = &s.cell;
    s.pair.friction = 0.3;
    s.cell.isotropic = true;
    s.cell.stress[0] = target;
    s.cell.rate_most = 0.3;
    heap h = crowd(3, 216, 7.0, 21);
    for (int32_t i = 0; i < h.count; ++i) {
        h.r[i] *= i % 2 == 0 ? 0.95 : 0.65;
        for (int k = 0; k < 3; ++k)
            h.v[3 * i + k] *= 30.0;
    }
    scree_sim* sim = make(&s, h.count, h.x, h.r, h.v);
    double most = 0.0;
    for (int part = 0; part < 90; ++part) {
        CHECK_OK(scree_sim_run(sim, 50));
        scree_sim_report r = sim_report_of(sim);
        most = fmax(most, r.pressure);
        if (part > 70)
            CHECK_CLOSE(r.pressure, target, 0.01 * target);
    }
    assert_true(most <= 1.1 * target);
    scree_sim_cell press = scree_default_sim_cell();
    press.controlled = 3;
    press.stress[0] = press.stress[1] = target;
    press.rate[SCREE_CELL_ZZ] = -0.02;
    press.rate_most = 0.1;
    CHECK_OK(scree_sim_set_cell(sim, &press));
    double peak = 0.0, mean[2] = {0.0, 0.0};
    for (int part = 0; part < 60; ++part) {
        CHECK_OK(scree_sim_run(sim, 50));
        scree_sim_report r = sim_report_of(sim);
        peak = fmax(peak, stress_of(&r, 2));
        for (int k = 0; k < 2 && part >= 20; ++k)
            mean[k] += stress_of(&r, k) / 40.0;
    }
    for (int k = 0; k < 2; ++k)
        CHECK_CLOSE(mean[k], target, 0.03 * target);
    assert_true(peak > 1.3 * target);
    // At a constant mean of all three.
    scree_sim_cell even = press;
    even.controlled = 0;
    even.isotropic = true;
    CHECK_OK(scree_sim_set_cell(sim, &even));
    double before = scree_sim_get_box(sim).upper[2] - scree_sim_get_box(sim).lower[2], all = 0.0, time = scree_sim_get_time(sim);
    for (int part = 0; part < 40; ++part) {
        CHECK_OK(scree_sim_run(sim, 50));
        scree_sim_report r = sim_report_of(sim);
        if (part >= 10)
            all += (stress_of(&r, 0) + stress_of(&r, 1) + stress_of(&r, 2)) / (3.0 * 30.0);
    }
    scree_box box = scree_sim_get_box(sim);
    CHECK_CLOSE(all, target, 0.01 * target);
    CHECK_CLOSE(box.upper[2] - box.lower[2], before * (1.0 - 0.02 * (scree_sim_get_time(sim) - time)), 1e-9);
    // At constant volume.
    scree_sim_cell undrained = scree_default_sim_cell();
    undrained.rate[SCREE_CELL_ZZ] = -0.05;
    undrained.constant_volume = true;
    double volume = scree_sim_get_volume(sim);
    CHECK_OK(scree_sim_set_cell(sim, &undrained));
    CHECK_OK(scree_sim_run(sim, 500));
    CHECK_CLOSE(scree_sim_get_volume(sim), volume, 1e-11 * volume);
    scree_sim_cell_report cell;
    CHECK_OK(scree_sim_get_cell(sim, &cell));
    CHECK_CLOSE(cell.rate[SCREE_CELL_XX], -0.5 * cell.rate[SCREE_CELL_ZZ], 1e-4);
    heap_free(&h);
    scree_sim_destroy(sim);
}

// ---- Errors ----------------------------------------------------------------------------------------------------------------

static void invalid_input_is_refused(void** state)
{
    (void)state;
    double size[3] = {4.0, 4.0, 4.0}, x[6] = {1.0, 1.0, 1.0, 3.0, 3.0, 3.0}, r[2] = {0.5, 0.5};
    scree_spheres spheres = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_sim* sim;
    setting s;
#define REFUSED(change, status, ...)                                              \
    do {                                                                          \
        set_up(&s, 3, size, true);                                                \
        s.def.cell = &s.cell;                                                     \
        change;                                                                   \
        CHECK_FAILS(scree_sim_create(&s.def, spheres, NULL, &sim), status, __VA_ARGS__); \
        assert_null(sim);                                                         \
    } while (0)
    REFUSED(s.cell.struct_size = 3, SCREE_ERR_ARGUMENT, "scree_default_sim_cell");
    REFUSED(s.cell.rate[SCREE_CELL_XY] = NAN, SCREE_ERR_ARGUMENT, "xy", "nan");
    REFUSED((s.cell.rate[SCREE_CELL_XY] = 0.5, s.def.box.periodic[1] = false), SCREE_ERR_ARGUMENT, "xy", "0.5", "axis y");
    REFUSED((s.cell.rate[SCREE_CELL_XX] = 0.5, s.cell.controlled = 1, s.cell.rate_most = 1.0), SCREE_ERR_ARGUMENT, "axis x", "0.5");
    REFUSED((s.cell.controlled = 1), SCREE_ERR_ARGUMENT, "0");
    REFUSED((s.cell.controlled = 1, s.cell.isotropic = true, s.cell.rate_most = 1.0), SCREE_ERR_ARGUMENT, "pressure");
    REFUSED((s.cell.controlled = 9, s.cell.rate_most = 1.0), SCREE_ERR_ARGUMENT, "9");
    REFUSED((s.cell.isotropic = true, s.cell.rate_most = 1.0, s.def.box.periodic[2] = false), SCREE_ERR_ARGUMENT, "along z");
    REFUSED((s.cell.isotropic = true, s.cell.rate_most = 1.0, s.cell.rate[0] = s.cell.rate[1] = s.cell.rate[2] = 0.1), SCREE_ERR_ARGUMENT, "pressure", "every axis");
    REFUSED((s.cell.constant_volume = true, s.cell.rate[0] = s.cell.rate[1] = s.cell.rate[2] = 0.1), SCREE_ERR_ARGUMENT, "volume");
    REFUSED((s.cell.response = -1.0), SCREE_ERR_ARGUMENT, "-1");
    REFUSED((s.cell.rate[SCREE_CELL_XZ] = 0.5, s.search.method = SCREE_METHOD_LINKED_CELLS), SCREE_ERR_UNSUPPORTED, "linked-cells", "xz", "0.5");
    REFUSED((s.def.cell = NULL, s.def.box.tilt[0] = 1.0, s.search.method = SCREE_METHOD_OCTREE), SCREE_ERR_UNSUPPORTED, "octree");
    scree_sim_each each = scree_default_sim_each();
    uint8_t fixed[2] = {1, 0};
    each.fixed = fixed;
    REFUSED((s.def.each = &each), SCREE_ERR_UNSUPPORTED, "fixed", "1");
    scree_sim_boundary wall = scree_default_sim_boundary();
    wall.kind = "sphere";
    wall.radius = 100.0;
    REFUSED((s.def.boundaries = &wall, s.def.boundary_count = 1), SCREE_ERR_UNSUPPORTED, "1");
    REFUSED((s.def.box.tilt[0] = 2.0, s.def.box.upper[1] = 0.5, s.def.box.upper[0] = 4.0), SCREE_ERR_ARGUMENT, "sphere 0");
#undef REFUSED
    // Without a cell nothing can be set; with one that shrinks too far the step is named.
    set_up(&s, 3, size, true);
    sim = make(&s, 2, x, r, NULL);
    CHECK_FAILS(scree_sim_set_cell(sim, &s.cell), SCREE_ERR_ARGUMENT, "def.cell");
    scree_sim_destroy(sim);
    s.def.cell = &s.cell;
    sim = make(&s, 2, x, r, NULL);
    s.cell.rate[SCREE_CELL_YY] = -1.0;
    CHECK_OK(scree_sim_set_cell(sim, &s.cell));
    CHECK_FAILS(scree_sim_scale(sim, 0.9, 1.0), SCREE_ERR_UNSUPPORTED, "def.cell");
    scree_sim_load driven = scree_default_sim_load();
    driven.kind = SCREE_LOAD_VELOCITY;
    CHECK_FAILS(scree_sim_set_load(sim, &driven), SCREE_ERR_UNSUPPORTED, "velocity");
    CHECK_FAILS(scree_sim_remove(sim, 1, (int64_t[]){0}), SCREE_ERR_UNSUPPORTED, "def.cell");
    CHECK_FAILS(scree_sim_run(sim, 100000), SCREE_ERR_ARGUMENT, "axis y", "1");
    scree_sim_destroy(sim);
    // A state with another cell.
    set_up(&s, 3, size, true);
    s.def.cell = &s.cell;
    s.cell.rate[SCREE_CELL_XY] = 0.1;
    sim = make(&s, 2, x, r, NULL);
    CHECK_OK(scree_sim_run(sim, 10));
    double* v = column(sim, "v");
    scree_sim_state now = {.column_count = 2, .columns = (scree_sim_values[]){{"x", x}, {"v", v}}};
    scree_sim_values values[2] = {{"x", x}, {"v", v}};
    now.columns = values;
    CHECK_OK(scree_sim_get_state(sim, &now));
    uint64_t hash = scree_sim_hash(sim);
    scree_sim_cell_state other = *now.cell;
    now.cell = &other;
    other.since = 11;
    CHECK_FAILS(scree_sim_set_state(sim, &now), SCREE_ERR_ARGUMENT, "11");
    other.since = 0;
    other.values[1] = 0.5;
    CHECK_FAILS(scree_sim_set_state(sim, &now), SCREE_ERR_ARGUMENT, "axis y", "0.5");
    other.values[1] = NAN;
    CHECK_FAILS(scree_sim_set_state(sim, &now), SCREE_ERR_ARGUMENT, "nan");
    assert_true(scree_sim_hash(sim) == hash);
    free(v);
    scree_sim_destroy(sim);
}

static scree_status create_and_run(const setting* s, const heap* h)
{
    scree_sim* sim;
    scree_status status = scree_sim_create(&s->def, (scree_spheres){.count = h->count, .dim = h->dim, .x = h->x, .r = h->r}, h->v, &sim);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, 120);
    scree_sim_destroy(sim);
    return status;
}

static void each_allocation_may_fail(void** state)
{
    (void)state;
    double size[3] = {4.0, 4.0, 4.0};
    setting s;
    set_up(&s, 3, size, false);
    s.def.cell = &s.cell;
    s.def.energies = true;
    s.cell.rate[SCREE_CELL_XY] = 2.0;
    s.cell.controlled = 4;
    s.cell.stress[2] = 10.0;
    s.cell.rate_most = 0.1;
    heap h = crowd(3, 27, 4.0, 2);
    EACH_ALLOCATION_FAILS(create_and_run(&s, &h), (void)0);
    heap_free(&h);
}

static const test_case cases[] = {
    UNIT(a_tilted_cell_is_half_of_a_box),
    UNIT(an_image_is_a_sphere_that_moves),
    UNIT(free_spheres_follow_the_cell),
    UNIT(drag_is_that_of_a_medium_that_moves_with_the_cell),
    UNIT(momentum_and_energies_balance),
    SAME_BITS(one_hash_for_all_ways),
    THREADS(threads_give_the_same_bits),
    UNIT(lists_miss_no_contact),
    UNIT(the_cell_brings_spheres_together),
    UNIT(a_stress_is_reached_and_held),
    UNIT(invalid_input_is_refused),
    ALLOCATION(each_allocation_may_fail),
};

const test_group group_sim_cell = {.name = "sim_cell", .cases = cases, .count = sizeof cases / sizeof *cases};
