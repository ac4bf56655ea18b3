// sim: the trajectory is, bit for bit, that of a plain program which tests all pairs and images at every step and adds up forces in the
// canonical order; whatever the method, the skin, the threads, the instruction set, and however often it is stopped, looked at and taken up
// again. (That the physics is right is test_physics.c's matter.)
#include "sim_system_support.h"

// ---- The plain program --------------------------------------------------------------------------------------------------

typedef struct plain {
    int n, dim;
    double (*x)[3], (*v)[3], (*a)[3], (*p)[3];
    double (*before)[3];  // position Verlet: places one step before
    double *r, *w;   // radius and 1 / mass
    int32_t* order;  // who has each rank
    double giant, quantum;
    const scree_sim_each* each;  // NULL: all alike
} plain;

static bool plain_fixed(const plain* s, int i)
{
    return s->each != NULL && s->each->fixed[i];
}

static sim_copy state_of(const plain* s, double* x, double* v, double* a)
{
    (void)s;
    return (sim_copy){.x = x, .v = v, .a = a};
}

// Forces at x with velocities p, in the canonical order, written as a person would.
static void plain_forces(plain* s, const scree_sim_def* def, const sim_law* law, const scree_sim_walls* walls, double time)
{
    double length[3] = {0.0, 0.0, 0.0};
    int images[3] = {0, 0, 0};
    for (int k = 0; k < s->dim; ++k)
        if (def->box.periodic[k]) {
            length[k] = def->box.upper[k] - def->box.lower[k];
            images[k] = 3;
        }
    for (int rank = 0; rank < s->n; ++rank) {
        int me = s->order[rank];
        double f[3] = {0.0, 0.0, 0.0};
        int64_t quanta[3] = {0, 0, 0};  // of a giant
        bool giant = s->r[me] >= s->giant;
        for (int k = 0; k < s->dim && s->each != NULL; ++k)
            f[k] = s->each->force[me * s->dim + k];
        for (int other = 0; other < s->n; ++other) {
            if (other == rank || (plain_fixed(s, me) && plain_fixed(s, s->order[other])))
                continue;
            int low = s->order[rank < other ? rank : other], high = s->order[rank < other ? other : rank];
            for (int sx = -images[0]; sx <= images[0]; ++sx)
                for (int sy = -images[1]; sy <= images[1]; ++sy)
                    for (int sz = -images[2]; sz <= images[2]; ++sz) {
                        double shift[3] = {sx * length[0], sy * length[1], sz * length[2]}, d[3], reach = s->r[low] + s->r[high];
                        for (int k = 0; k < 3; ++k)
                            d[k] = (s->x[low][k] - s->x[high][k]) - shift[k];
                        double square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
                        if (!(square < reach * reach))
                            continue;
                        double distance = sqrt(square), push = law->one.k * (reach - distance);
                        if (law->damped) {
                            double u[3] = {s->p[low][0] - s->p[high][0], s->p[low][1] - s->p[high][1], s->p[low][2] - s->p[high][2]};
                            double g = law->per_pair ? law->one.c / sqrt(s->w[low] + s->w[high]) : law->one.g;
                            push -= g * (((u[0] * d[0] + u[1] * d[1]) + u[2] * d[2]) / distance);
                        }
                        push /= distance;
                        for (int k = 0; k < 3; ++k) {
                            double one = push * d[k];
                            int64_t whole = llrint(one / s->quantum);
                            if (s->r[low] >= s->giant || s->r[high] >= s->giant)
                                one = (double)whole * s->quantum;
                            if (giant)
                                quanta[k] += rank < other ? whole : -whole;
                            else
                                f[k] = rank < other ? f[k] + one : f[k] - one;
                        }
                    }
        }
        for (int k = 0; k < s->dim; ++k)
            for (int upper = 0; upper < 2 && !def->box.periodic[k] && !plain_fixed(s, me); ++upper) {
                double at = walls->at[k][upper] + walls->velocity[k][upper] * time, side = upper ? -1.0 : 1.0;
                double overlap = s->r[me] - side * (s->x[me][k] - at);
                if (!(overlap > 0.0))
                    continue;
                double push = law->one.k * overlap;
                if (law->damped)
                    push += (law->per_pair ? law->one.c / sqrt(s->w[me]) : law->one.g) * (side * (walls->velocity[k][upper] - s->p[me][k]));
                f[k] += side * push;
            }
        for (int k = 0; k < 3; ++k) {
            if (giant)
                f[k] = (double)quanta[k] * s->quantum + f[k];
            s->a[me][k] = plain_fixed(s, me) ? 0.0 : f[k] * s->w[me] + def->gravity[k];
        }
    }
}

static void plain_take(plain* s, const scree_sim* sim)
{
    int64_t all = (int64_t)s->n * s->dim;
    double *x = malloc((size_t)all * sizeof *x), *v = malloc((size_t)all * sizeof *v), *a = malloc((size_t)all * sizeof *a);
    sim_copy state = state_of(s, x, v, a);
    state.order = s->order;
    CHECK_OK(sim_copy_get(sim, &state));
    for (int i = 0; i < s->n; ++i)
        for (int k = 0; k < 3; ++k) {
            s->x[i][k] = k < s->dim ? x[(int64_t)i * s->dim + k] : 0.0;
            s->v[i][k] = k < s->dim ? v[(int64_t)i * s->dim + k] : 0.0;
            s->a[i][k] = k < s->dim ? a[(int64_t)i * s->dim + k] : 0.0;
        }
    free(x);
    free(v);
    free(a);
}

// Follows `sim` step by step, from renewal to renewal of its order, and compares every number.
static void follow_plainly(setup* system, int steps, const char* where)
{
    scree_sim* sim = start(system);
    plain s = {.n = system->set.count,
               .dim = system->set.dim,
               .r = system->set.r,
               .giant = sim->numbers.giant_radius,
               .quantum = sim->numbers.force_quantum,
               .each = system->def.each};
    size_t n = (size_t)s.n;
    s.x = calloc(n, sizeof *s.x);
    s.v = calloc(n, sizeof *s.v);
    s.a = calloc(n, sizeof *s.a);
    s.p = calloc(n, sizeof *s.p);
    s.before = calloc(n, sizeof *s.before);
    s.w = malloc(n * sizeof *s.w);
    s.order = malloc(n * sizeof *s.order);
    for (int i = 0; i < s.n; ++i)
        s.w[i] = plain_fixed(&s, i) ? 0.0 : 1.0 / sim_mass(s.dim, s.each != NULL ? s.each->material_density[i] : system->def.material_density, s.r[i]);
    plain_take(&s, sim);
    double dt = sim->numbers.time_step, *x = malloc(3 * n * sizeof *x), *v = malloc(3 * n * sizeof *v), *a = malloc(3 * n * sizeof *a);
    int64_t contacts = 0;
    bool by_positions = system->def.integrator == SCREE_INTEGRATOR_POSITION_VERLET;
    for (int i = 0; i < s.n; ++i)
        for (int k = 0; k < 3; ++k)
            s.before[i][k] = s.x[i][k] - dt * (s.v[i][k] - 0.5 * dt * s.a[i][k]);
    for (int step = 1; step <= steps; ++step) {
        for (int i = 0; i < s.n; ++i)
            for (int k = 0; k < 3; ++k) {
                double push = 0.5 * dt * s.a[i][k], here = s.x[i][k];
                if (by_positions) {
                    s.x[i][k] = here + ((here - s.before[i][k]) + dt * dt * s.a[i][k]);
                    s.v[i][k] = (s.x[i][k] - here) * (1.0 / dt);
                    s.before[i][k] = here;
                } else {
                    s.v[i][k] = s.v[i][k] + push;
                    s.x[i][k] = s.x[i][k] + dt * s.v[i][k];
                }
                s.p[i][k] = s.v[i][k] + push;
            }
        CHECK_OK(scree_sim_run(sim, 1));
        sim_copy state = state_of(&s, x, v, a);
        state.order = s.order;
        CHECK_OK(sim_copy_get(sim, &state));
        if (step % system->def.order_every == 0)  // the order is new, and spheres were wrapped
            for (int i = 0; i < s.n; ++i)
                for (int k = 0; k < s.dim; ++k) {
                    double turns;
                    s.x[i][k] = scree_box_wrap(&system->def.box, k, s.x[i][k], &turns);
                    s.before[i][k] -= turns * (system->def.box.upper[k] - system->def.box.lower[k]);
                }
        plain_forces(&s, &system->def, &sim->law, &sim->walls, (double)step * dt);
        for (int i = 0; i < s.n; ++i)
            for (int k = 0; k < s.dim; ++k) {
                double velocity = by_positions ? (s.x[i][k] - s.before[i][k]) * (1.0 / dt) : s.v[i][k];
                s.v[i][k] = velocity + 0.5 * dt * s.a[i][k];
                int64_t e = (int64_t)i * s.dim + k;
                if (memcmp(&x[e], &s.x[i][k], 8) != 0 || memcmp(&v[e], &s.v[i][k], 8) != 0 || memcmp(&a[e], &s.a[i][k], 8) != 0)
                    fail_msg("%s: step %d, sphere %d, axis %d: x %.17g, plainly %.17g; v %.17g, %.17g; a %.17g, %.17g", where, step, i, k, x[e],
                             s.x[i][k], v[e], s.v[i][k], a[e], s.a[i][k]);
            }
        contacts += sim->contacts;
    }
    assert_true(contacts > steps);  // else this shows nothing
    free(x);
    free(v);
    free(a);
    free(s.x);
    free(s.v);
    free(s.a);
    free(s.p);
    free(s.before);
    free(s.w);
    free(s.order);
    scree_sim_destroy(sim);
}

static void bits_are_those_of_a_plain_program(void** state)
{
    (void)state;
    int steps = (int)fmax(10.0, 80.0 * fmin(test_effort(), 5.0));
    for (int dim = 2; dim <= 3; ++dim)
        for (unsigned periodic = 0; periodic < 1u << dim; periodic += dim == 2 ? 1 : 3)
            for (int loss = 0; loss < 3; ++loss) {
                char where[80];
                snprintf(where, sizeof where, "%d dimensions, periodic %u, loss %d", dim, periodic, loss);
                setup s = make_system("addition", params_of(dim, 60, 4.0, periodic, 1 + periodic), loss);
                s.search.skin = periodic % 2 == 0 ? 0.0 : 0.1;
                follow_plainly(&s, steps, where);
                s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
                s.def.order_every = 7;  // spheres are wrapped, and their places before with them
                for (int64_t e = 0; e < (int64_t)s.set.count * dim; ++e)
                    s.v[e] *= 3.0;
                follow_plainly(&s, steps / 2, where);
                free_system(&s);
            }
}

static void bits_of_giants_fixed_spheres_and_forces(void** state)
{
    (void)state;
    int steps = (int)fmax(10.0, 80.0 * fmin(test_effort(), 5.0));
    for (int dim = 2; dim <= 3; ++dim)
        for (unsigned periodic = 0; periodic < 1u << dim; periodic += dim == 2 ? 1 : 3)
            for (int loss = 0; loss < 3; ++loss) {
                char where[80];
                snprintf(where, sizeof where, "mixed, %d dimensions, periodic %u, loss %d", dim, periodic, loss);
                setup s = make_mixed(params_of(dim, 60, 4.0, periodic, 21 + periodic), loss);
                s.def.each = &s.each;
                s.def.integrator = (int)(periodic % 2);
                follow_plainly(&s, steps, where);
                free_system(&s);
            }
}

// Boxes barely larger than a sphere: several images of a pair touch at once, and spheres touch their own.
static void bits_in_tiny_periodic_boxes(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int loss = 0; loss < 2; ++loss) {
            setup s = {.def = scree_default_sim_def(), .search = scree_default_index_def()};
            CHECK_OK(scree_sphere_set_make(dim, 5, &s.set));
            double size[3] = {2.05, 2.6, 2.2};
            s.def.box = scree_box_sized(dim, size);
            for (int k = 0; k < dim; ++k)
                s.def.box.periodic[k] = true;
            s.v = malloc(15 * sizeof *s.v);
            scree_rng rng = scree_rng_make(7, (uint64_t)dim);
            for (int i = 0; i < 5; ++i) {
                s.set.r[i] = i == 0 ? 1.0 : 0.3 + 0.1 * i;
                for (int k = 0; k < dim; ++k) {
                    s.set.x[i * dim + k] = scree_rng_uniform(&rng) * size[k];
                    s.v[i * dim + k] = scree_rng_uniform(&rng) - 0.5;
                }
            }
            s.def.stiffness = 5.0;
            s.def.restitution = loss ? 0.8 : 0.0;
            s.def.order_every = 11;
            s.def.integrator = loss;
            follow_plainly(&s, 60, "tiny box");
            free_system(&s);
        }
}

// ---- Same bits whatever the way --------------------------------------------------------------------------------------------

static void check_same(const setup* s, int64_t steps, uint64_t wanted, const char* where, int number)
{
    uint64_t hash = run_and_hash(s, steps);
    if (hash != wanted)
        fail_msg("%s %d: hash %016llx, not %016llx", where, number, (unsigned long long)hash, (unsigned long long)wanted);
}

static void same_bits_for_every_way(void** state)
{
    (void)state;
    static const double skins[] = {-1.0, 0.02, 0.3, 1.5};
    static const int32_t threads[] = {2, 7, 0};
    int64_t steps = (int64_t)fmax(20.0, 120.0 * fmin(test_effort(), 5.0));
    for (int dim = 2; dim <= 3; ++dim)
        for (int loss = 0; loss < 2; ++loss)
            for (int periodic = 0; periodic < 3; ++periodic) {
                scene_params params = params_of(dim, 400, 8.0, periodic == 0 ? 0u : periodic == 1 ? 1u : 7u, 5);
                bool mixed = (dim + loss + periodic) % 3 == 0;
                setup s = mixed ? make_mixed(params, loss) : make_system("addition", params, loss);
                s.def.each = mixed ? &s.each : NULL;
                s.def.integrator = (dim + loss + periodic) % 2;
                uint64_t wanted = run_and_hash(&s, steps);
                for (int method = 1; method < SCREE_METHOD_COUNT; ++method) {
                    s.search.method = method;
                    check_same(&s, steps, wanted, "method", method);
                }
                s.search.method = SCREE_METHOD_AUTO;
                for (int k = 0; k < 4; ++k) {
                    s.search.skin = skins[k];
                    check_same(&s, steps, wanted, "skin", k);
                }
                s.search.skin = 0.0;
                for (int k = 0; k < 3; ++k) {
                    s.def.threads = threads[k];
                    check_same(&s, steps, wanted, "threads", threads[k]);
                }
                scree_plain_only = true;
                check_same(&s, steps, wanted, "plain", 0);
                scree_plain_only = false;
                s.def.backend = SCREE_BACKEND_REFERENCE;
                for (int method = SCREE_METHOD_ALL_PAIRS; method <= SCREE_METHOD_HIERARCHICAL_GRID; method += SCREE_METHOD_HIERARCHICAL_GRID - SCREE_METHOD_ALL_PAIRS) {
                    s.search.method = method;
                    s.search.skin = method == SCREE_METHOD_ALL_PAIRS ? -1.0 : 0.3;
                    check_same(&s, steps, wanted, "reference", method);
                }
                s.def.backend = SCREE_BACKEND_FUSED;
                s.search.method = SCREE_METHOD_AUTO;
                s.search.skin = 0.0;
                s.def.check = true;
                check_same(&s, steps, wanted, "checked", 0);
                free_system(&s);
            }
}

// More spheres than a block has: forces across blocks are worked out on both sides.
static void same_bits_across_blocks(void** state)
{
    (void)state;
    static const char* const names[] = {"addition", "settled"};
    for (int c = 0; c < (test_is_small() ? 1 : 2); ++c) {
        scene_params params = params_of(3, (test_is_small() ? 1 : 3) * sim_block + 100, c == 0 ? 20.0 : 2.0, c == 0 ? 2u : 0u, 3);
        setup s = c == 0 ? make_mixed(params, c) : make_system(names[c], params, c);
        s.def.each = c == 0 ? &s.each : NULL;
        s.def.order_every = 10;
        s.def.integrator = c == 0 ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
        const int64_t steps = test_is_small() ? 12 : 50;
        uint64_t wanted = run_and_hash(&s, steps);
        static const int32_t ways[][2] = {{2, SCREE_METHOD_HIERARCHICAL_GRID}, {7, SCREE_METHOD_LINKED_CELLS}, {2, SCREE_METHOD_LOOSE_OCTREE},
                                          {1, SCREE_METHOD_LINEAR_LIST}};
        for (int k = 0; k < (test_is_small() ? 2 : 4); ++k) {
            s.def.threads = ways[k][0];
            s.search.method = ways[k][1];
            s.search.skin = k == 2 ? 0.05 : 0.0;
            scree_plain_only = k == 3;
            check_same(&s, steps, wanted, names[c], k);
            scree_plain_only = false;
        }
        s.def.backend = SCREE_BACKEND_REFERENCE;
        check_same(&s, steps, wanted, "reference", c);
        free_system(&s);
    }
}

static void same_bits_in_pieces_and_when_looked_at(void** state)
{
    (void)state;
    for (int round = 0; round < 6; ++round) {
        setup s = make_system("addition", params_of(3, 300, 5.0, 1u, 9), round % 3);
        s.def.integrator = round / 3;
        uint64_t wanted = run_and_hash(&s, 200);
        scree_sim* sim = start(&s);
        scree_rng rng = scree_rng_make(4, 0);
        while (scree_sim_get_step(sim) < 200) {
            int64_t some = 1 + (int64_t)scree_rng_below(&rng, 30), left = 200 - scree_sim_get_step(sim);
            CHECK_OK(scree_sim_run(sim, some < left ? some : left));
            scree_sim_report report;
            scree_sim_contacts contacts;
            CHECK_OK(scree_sim_measure(sim, &report));
            CHECK_OK(scree_sim_get_contacts(sim, &contacts));
            assert_int_equal(contacts.pair_count, report.contacts);
            assert_int_equal(contacts.count - contacts.pair_count, report.wall_contacts);
            CHECK_OK(scree_sim_set_threads(sim, 1 + (int32_t)scree_rng_below(&rng, 3)));
        }
        assert_true(scree_sim_hash(sim) == wanted);
        scree_sim_destroy(sim);
        free_system(&s);
    }
}

// ---- Forces and pressure -----------------------------------------------------------------------------------------------------

// What the contacts of a sphere and its external force add up to, and what the state says: m (a - g), or a = 0 if it is fixed.
static int64_t check_forces_add_up(const setup* s, scree_sim* sim)
{
    int dim = s->set.dim;
    size_t numbers = (size_t)s->set.count * (size_t)dim;
    double *a = malloc(numbers * sizeof *a), *sum = calloc(numbers, sizeof *sum), *w = malloc((size_t)s->set.count * sizeof *w);
    double gravity[3], turn[3], largest = 0.0;
    scree_sim_contacts contacts;
    CHECK_OK(sim_copy_get(sim, &(sim_copy){.a = a}));
    CHECK_OK(scree_sim_get_column(sim, "inverse_mass", w));
    if (s->def.each != NULL)
        CHECK_OK(scree_sim_get_column(sim, "force", sum));
    CHECK_OK(scree_sim_get_contacts(sim, &contacts));
    scree_sim_get_gravity(sim, gravity, turn);
    for (int64_t c = 0; c < contacts.count; ++c)
        for (int k = 0; k < dim && contacts.ij[c][0] != contacts.ij[c][1]; ++k) {
            sum[contacts.ij[c][0] * dim + k] += contacts.force[c][k];
            if (contacts.ij[c][1] >= 0)
                sum[contacts.ij[c][1] * dim + k] -= contacts.force[c][k];
            largest = fmax(largest, fabs(contacts.force[c][k]));
        }
    for (size_t e = 0; e < numbers; ++e) {
        size_t i = e / (size_t)dim;
        double r = s->set.r[i], density = s->def.each != NULL ? s->def.each->material_density[i] : s->def.material_density;
        double m = density * (dim == 2 ? r * r : 4.0 / 3.0 * r * r * r) * 3.14159265358979323846;
        if (s->def.each != NULL && s->def.each->fixed[i]) {
            assert_true(w[i] == 0.0 && a[e] == 0.0);
            continue;
        }
        CHECK_CLOSE(w[i] * m, 1.0, 1e-14);
        CHECK_CLOSE((sum[e] - m * (a[e] - gravity[e % (size_t)dim])) / fmax(largest, m * 0.02), 0.0, 1e-12);
    }
    free(a);
    free(sum);
    free(w);
    return contacts.count;
}

// Contacts of giants are worked out in the blocks of their partners: each once, however many blocks there are.
static void forces_of_giants_add_up_across_blocks(void** state)
{
    (void)state;
    setup s = make_mixed(params_of(3, 2 * sim_block + 100, 20.0, 2u, 3), 1);
    s.def.each = &s.each;
    s.def.order_every = 5;
    s.def.threads = 2;
    scree_sim* sim = start(&s);
    assert_true(sim->numbers.giant_count > 3 && sim->blocks == 3);
    int64_t contacts = 0;
    for (int look = 0; look < 4; ++look) {
        contacts += check_forces_add_up(&s, sim);
        CHECK_OK(scree_sim_run(sim, 4));
    }
    assert_true(contacts > 1000);
    scree_sim_destroy(sim);
    free_system(&s);
}

static void contact_forces_are_those_of_the_state(void** state)
{
    (void)state;
    for (int round = 0; round < 12; ++round) {
        int loss = round % 3, dim = 2 + round / 3 % 2;
        scene_params params = params_of(dim, 300, 3.0, round / 6 == 0 ? 0u : 1u, 9);
        setup s = round % 2 == 0 ? make_system("addition", params, loss) : make_mixed(params, loss);
        s.def.each = round % 2 == 0 ? NULL : &s.each;
        scree_sim* sim = start(&s);
        int64_t contacts = check_forces_add_up(&s, sim);
        for (int look = 0; look < 5; ++look) {
            CHECK_OK(scree_sim_run(sim, look * look * 10 + 1));
            contacts += check_forces_add_up(&s, sim);
        }
        assert_true(contacts > 20);
        // Walls and gravity that are set again act from the next step on.
        double walls[3][2] = {{0.0}};
        walls[1][1] = s.def.box.periodic[1] ? 0.0 : -0.05;
        CHECK_OK(scree_sim_set_wall_velocity(sim, (const double(*)[2])walls));
        CHECK_OK(scree_sim_set_gravity(sim, (double[]){0.02, 0.0, 0.0}, (double[]){0.0, 0.0, 0.0}));
        if (s.def.each != NULL)
            CHECK_OK(scree_sim_set_group_force(sim, 3, (double[]){-0.004, 0.002, 0.0}));
        check_forces_add_up(&s, sim);
        CHECK_OK(scree_sim_run(sim, 1));
        check_forces_add_up(&s, sim);
        scree_sim_destroy(sim);
        free_system(&s);
    }
}

// A common motion of all spheres is no pressure.
static void a_drift_has_no_pressure(void** state)
{
    (void)state;
    for (int round = 0; round < 6; ++round) {
        int loss = round % 3, dim = 2 + round / 3;
        setup s = make_system("addition", params_of(dim, 300, 3.0, 7u, 9), loss);
        scree_sim_report still, drifting, cold;
        scree_sim* sim = start(&s);
        CHECK_OK(scree_sim_measure(sim, &still));
        assert_true(still.pressure > 0.0 && still.virial > 0.0);
        scree_sim_destroy(sim);
        double drift[3] = {3.0, -40.0, 0.7};
        for (int64_t e = 0; e < (int64_t)s.set.count * dim; ++e)
            s.v[e] += drift[e % dim];
        sim = start(&s);
        CHECK_OK(scree_sim_measure(sim, &drifting));
        CHECK_CLOSE(drifting.pressure / still.pressure, 1.0, 1e-11);
        CHECK_CLOSE(drifting.virial / still.virial, 1.0, 1e-11);
        assert_true(drifting.energy_kinetic > 100.0 * still.energy_kinetic);
        scree_sim_destroy(sim);
        for (int64_t e = 0; e < (int64_t)s.set.count * dim; ++e)
            s.v[e] = drift[e % dim];
        for (int32_t i = 0; i < s.set.count; ++i)
            s.set.r[i] *= 0.5;  // no contacts
        sim = start(&s);
        CHECK_OK(scree_sim_measure(sim, &cold));
        assert_int_equal(cold.contacts, 0);
        assert_true(cold.pressure < 1e-20 && cold.virial == 0.0);
        scree_sim_destroy(sim);
        free_system(&s);
    }
}

static const test_case cases[] = {
    SAME_BITS(bits_are_those_of_a_plain_program),
    SAME_BITS(bits_of_giants_fixed_spheres_and_forces),
    SAME_BITS(bits_in_tiny_periodic_boxes),
    SAME_BITS(same_bits_for_every_way),
    THREADS(same_bits_across_blocks),
    SAME_BITS(same_bits_in_pieces_and_when_looked_at),
    UNIT(contact_forces_are_those_of_the_state),
    UNIT(forces_of_giants_add_up_across_blocks),
    UNIT(a_drift_has_no_pressure),
};

const test_group group_sim = {.name = "sim", .cases = cases, .count = sizeof cases / sizeof *cases};
