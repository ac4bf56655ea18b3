// sim: the trajectory is, bit for bit, that of a plain program which tests all pairs and images at every step and adds up forces in the
// canonical order; whatever the method, the skin, the threads, the instruction set, and however often it is stopped, looked at and taken up
// again. (That the physics is right is test_physics.c's matter.)
#include "sim_support.h"

#include "base/wide.h"
#include "scenes.h"
#include "scree/index.h"
#include "scree/sim.h"
#include "sim/sim_inner.h"

// ---- Systems ----------------------------------------------------------------------------------------------------------

typedef struct setup {
    scree_sphere_set set;
    double* v;
    scree_sim_def def;
    scree_index_def search;  // `start` points def.search to it
    scree_sim_each each;  // of a system by make_mixed
} setup;

// A scene with hot spheres. `loss`: 0 elastic, 1 a restitution, 2 a damping.
static setup make_system(const char* name, scene_params params, int loss)
{
    setup s = {.def = scree_default_sim_def(), .search = scree_default_index_def()};
    CHECK_OK(scene_make(name, &params, &s.set));
    for (int32_t i = 0; i < s.set.count; ++i)
        s.set.r[i] += strcmp(name, "addition") == 0 ? 0.12 : 0.0;  // so that there are contacts from the start
    s.v = malloc((size_t)s.set.count * 3 * sizeof *s.v);
    s.def.box = s.set.box;
    s.def.stiffness = 20.0;
    s.def.restitution = loss == 1 ? 0.7 : 0.0;
    s.def.damping = loss == 2 ? 0.3 : 0.0;
    s.def.order_every = 37;
    s.def.threads = 1;
    s.def.gravity[s.set.dim - 1] = s.set.box.periodic[s.set.dim - 1] ? 0.0 : -0.01;
    scree_thermal_def thermal = scree_default_thermal_def();
    thermal.stiffness = s.def.stiffness;
    thermal.overlap = 0.05;
    thermal.seed = params.seed;
    CHECK_OK(scree_thermal_velocities(&thermal, scree_sphere_set_view(&s.set), s.v));
    return s;
}

// The same with densities, materials, groups, external forces, some fixed spheres and the largest as giants. Point `def.each` to `each` before use.
static setup make_mixed(scene_params params, int loss)
{
    setup s = make_system("addition", params, loss);
    int32_t n = s.set.count, dim = s.set.dim;
    double *density = malloc((size_t)n * sizeof *density), *force = malloc((size_t)n * (size_t)dim * sizeof *force), most = 0.0;
    uint16_t *material = malloc((size_t)n * sizeof *material), *group = malloc((size_t)n * sizeof *group);
    uint8_t* fixed = calloc((size_t)n, sizeof *fixed);
    for (int32_t i = 0; i < n; ++i) {
        material[i] = (uint16_t)(i % 3);
        group[i] = (uint16_t)(i % 5);
        density[i] = 1.0 + 0.5 * material[i];
        fixed[i] = i % 7 == 2;
        most = fmax(most, s.set.r[i]);
        for (int k = 0; k < dim; ++k) {
            force[(int64_t)i * dim + k] = 1e-3 * ((i + k) % 4 - 1.5);
            s.v[(int64_t)i * dim + k] *= fixed[i] ? 0.0 : 1.0;
        }
    }
    s.each = scree_default_sim_each();
    s.each.material_density = density;
    s.each.material = material;
    s.each.group = group;
    s.each.fixed = fixed;
    s.each.force = force;
    s.def.giants = 0.6 * most;
    return s;
}

static void free_system(setup* s)
{
    free((void*)(uintptr_t)s->each.material_density);
    free((void*)(uintptr_t)s->each.material);
    free((void*)(uintptr_t)s->each.group);
    free((void*)(uintptr_t)s->each.fixed);
    free((void*)(uintptr_t)s->each.force);
    scree_sphere_set_free(&s->set);
    free(s->v);
}

static scree_sim* start(const setup* s)
{
    scree_sim* sim;
    scree_sim_def def = s->def;
    def.search = &s->search;
    CHECK_OK(scree_sim_create(&def, scree_sphere_set_view(&s->set), s->v, &sim));
    return sim;
}

static uint64_t run_and_hash(const setup* s, int64_t steps)
{
    scree_sim* sim = start(s);
    CHECK_OK(scree_sim_run(sim, steps));
    CHECK_OK(scree_sim_validate(sim));
    uint64_t hash = scree_sim_hash(sim);
    scree_sim_destroy(sim);
    return hash;
}

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

static scene_params params_of(int dim, int count, double ratio, unsigned periodic, uint64_t seed)
{
    scene_params params = scene_default_params();
    params.dim = dim;
    params.count = count;
    params.ratio = ratio;
    params.seed = seed;
    for (int k = 0; k < dim; ++k)
        params.periodic[k] = (periodic >> k & 1) != 0;
    return params;
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
        while (scree_sim_step(sim) < 200) {
            int64_t some = 1 + (int64_t)scree_rng_below(&rng, 30), left = 200 - scree_sim_step(sim);
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

// ---- Columns -----------------------------------------------------------------------------------------------------------------

static void columns_are_as_given_and_as_listed(void** state)
{
    (void)state;
    setup s = make_mixed(params_of(3, 200, 5.0, 2u, 4), 1);
    scree_sim* alike = start(&s);
    s.def.each = &s.each;
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    scree_sim* sim = start(&s);
    int32_t n = s.set.count;
    scree_sim_column few[20], all[20];
    int32_t fewer = scree_sim_get_columns(alike, few, 20), count = scree_sim_get_columns(sim, all, 20);
    assert_true(fewer < count && count <= 20 && scree_sim_get_columns(sim, NULL, 0) == count);
    for (int32_t c = 0; c < count; ++c) {
        // Each by its name, and no byte beyond its size.
        size_t bytes = (size_t)n * (size_t)all[c].components * scree_type_size((scree_type)all[c].type);
        unsigned char* values = malloc(bytes + 1);
        values[bytes] = 77;
        CHECK_OK(scree_sim_get_column(sim, all[c].name, values));
        assert_int_equal(values[bytes], 77);
        const void* given = strcmp(all[c].name, "radius") == 0 ? (const void*)s.set.r
                            : strcmp(all[c].name, "material") == 0 ? (const void*)s.each.material
                            : strcmp(all[c].name, "group") == 0 ? (const void*)s.each.group
                            : strcmp(all[c].name, "flags") == 0 ? (const void*)s.each.fixed
                            : strcmp(all[c].name, "force") == 0 ? (const void*)s.each.force
                            : strcmp(all[c].name, "v") == 0 ? (const void*)s.v
                                                            : NULL;
        if (given != NULL)
            assert_memory_equal(values, given, bytes);
        if (strcmp(all[c].name, "id") == 0)
            for (int32_t i = 0; i < n; ++i)
                assert_true(((int64_t*)(void*)values)[i] == i);
        free(values);
    }
    uint16_t group[200];
    CHECK_FAILS(scree_sim_get_column(alike, "group", group), SCREE_ERR_ARGUMENT, "'group'");
    CHECK_FAILS(scree_sim_set_group_force(alike, 1, (double[]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "group 1");
    CHECK_FAILS(scree_sim_set_group_force(alike, 0, (double[]){0.0, NAN, 0.0}), SCREE_ERR_ARGUMENT, "y", "nan");
    CHECK_OK(scree_sim_set_group_force(alike, 0, (double[]){0.0, 1.0, 0.0}));  // has the column from now on
    assert_int_equal(scree_sim_get_columns(alike, NULL, 0), fewer + 1);
    // What is not valid is refused with the sphere.
    double* density = (double*)(uintptr_t)s.each.material_density;
    uint8_t* fixed = (uint8_t*)(uintptr_t)s.each.fixed;
    scree_sim* none;
    density[17] = -1.0;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &none), SCREE_ERR_ARGUMENT, "sphere 17", "-1");
    density[17] = 1.0;
    fixed[5] = 2;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &none), SCREE_ERR_ARGUMENT, "sphere 5", "2");
    scree_sim_destroy(alike);
    scree_sim_destroy(sim);
    free_system(&s);
}

// In a long box a cell is as long as it is wide: the key's bits along the short side begin where the long side is that short.
static void keys_are_cubic(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        double x[] = {0.3, 15.9, 0.9, 0.2, 0.8, 0.1}, r[] = {0.1, 0.1};
        if (dim == 2)
            x[2] = 0.2, x[3] = 0.8;
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_sized(dim, (double[]){1.0, 16.0, 1.0});
        def.stiffness = 1.0;
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 2, .dim = dim, .x = x, .r = r}, NULL, &sim));
        uint64_t key[2];
        CHECK_OK(scree_sim_get_column(sim, "key", key));
        for (int i = 0; i < 2; ++i) {
            uint64_t wanted = 0;
            for (int bit = 0; bit < (dim == 2 ? 31 : 21); ++bit)
                for (int k = 0; k < dim; ++k) {
                    uint64_t cell = (uint64_t)(x[i * dim + k] / 16.0 * (dim == 2 ? 2147483648.0 : 2097152.0));
                    wanted |= (cell >> bit & 1) << (bit * dim + k);
                }
            assert_true(key[i] == wanted);
        }
        scree_sim_destroy(sim);
    }
}

static void who_is_a_giant(void** state)
{
    (void)state;
    enum { n = 101 };
    double x[3 * n], r[n];
    for (int i = 0; i < n; ++i) {
        r[i] = i < 50 ? 0.5 : i == 50 ? 1.0 : i < 99 ? 2.0 : i == 99 ? 63.9 : 64.0;  // the median is 1
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = k == 0 ? 200.0 * i : 0.0;
    }
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = 3.0;
    scree_sim_numbers numbers;
    CHECK_OK(scree_sim_find_numbers(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, &numbers));
    assert_true(numbers.giant_radius == 64.0 && numbers.giant_count == 1);
    assert_true(numbers.force_quantum == 0x1p-40);  // k r_min = 1.5
    def.giants = 2.0;
    CHECK_OK(scree_sim_find_numbers(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, &numbers));
    assert_int_equal(numbers.giant_count, 50);
    def.giants = INFINITY;
    CHECK_OK(scree_sim_find_numbers(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, &numbers));
    assert_int_equal(numbers.giant_count, 0);
    def.giants = NAN;
    CHECK_FAILS(scree_sim_find_numbers(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}, &numbers), SCREE_ERR_ARGUMENT, "nan");
}

// ---- State -------------------------------------------------------------------------------------------------------------------

typedef struct arrays {
    double *x, *v, *a, *x_before;
    uint64_t* key;
} arrays;

static arrays take_arrays(const scree_sim* sim, int dim, sim_copy* state)
{
    size_t n = (size_t)scree_sim_count(sim);
    size_t bytes = n * (size_t)dim * 8 + 1;
    arrays all = {malloc(bytes), malloc(bytes), malloc(bytes), NULL, malloc(n * 8 + 1)};
    if (scree_sim_integrator(sim) == SCREE_INTEGRATOR_POSITION_VERLET)
        all.x_before = malloc(bytes);
    *state = (sim_copy){.x = all.x, .v = all.v, .a = all.a, .key = all.key, .x_before = all.x_before};
    CHECK_OK(sim_copy_get(sim, state));
    return all;
}

static void free_arrays(arrays* all)
{
    free(all->x);
    free(all->v);
    free(all->a);
    free(all->x_before);
    free(all->key);
}

static void a_state_goes_on_as_if_never_stopped(void** state)
{
    (void)state;
    for (int round = 0; round < 6; ++round)
        for (int64_t stop = 1; stop < 120; stop += 29) {
            int loss = round % 3;
            scene_params params = params_of(2 + loss % 2, 200, 5.0, 1u, 11);
            bool mixed = (round + stop) % 2 == 0;
            setup s = mixed ? make_mixed(params, loss) : make_system("addition", params, loss);
            s.def.each = mixed ? &s.each : NULL;
            s.def.integrator = round / 3;
            if (loss == 2)
                s.def.wall_velocity[1][1] = -0.002;
            scree_sim* sim = start(&s);
            CHECK_OK(scree_sim_run(sim, stop));
            sim_copy kept;
            arrays all = take_arrays(sim, s.set.dim, &kept);
            CHECK_OK(scree_sim_run(sim, 120 - stop));
            uint64_t wanted = scree_sim_hash(sim);
            // Into another simulation, with another method and number of threads; and back into the same.
            s.search.method = SCREE_METHOD_LINKED_CELLS;
            s.def.threads = 2;
            scree_sim* other = start(&s);
            CHECK_OK(sim_copy_set(other, &kept));
            assert_int_equal(scree_sim_step(other), stop);
            CHECK_OK(scree_sim_run(other, 120 - stop));
            assert_true(scree_sim_hash(other) == wanted);
            CHECK_OK(sim_copy_set(sim, &kept));
            CHECK_OK(scree_sim_run(sim, 120 - stop));
            assert_true(scree_sim_hash(sim) == wanted);
            scree_sim_destroy(other);
            scree_sim_destroy(sim);
            free_arrays(&all);
            free_system(&s);
        }
}

// ---- Two integrators ---------------------------------------------------------------------------------------------------------

// Moments and what is the same in both, without rounding: at every step n the places x(n), the velocities v(n) and the accelerations a(n); and x_before(n) of
// position Verlet is x(n - 1). Rounding of places to the grid of the box, u = 2^-52 times its length, moves them apart by about u n^(3/2); contacts spread
// that as they spread anything. Over 1200 steps with contacts, walls that move, gravity that is set again and turns, and wrapping, 1e-8 of the box is
// far above what is found (6e-10), and far below what a wrong sign or a missing half step makes; velocities differ by that over a contact's duration: 1e-7 of the
// largest is accepted (8e-9 is found).
static void both_integrators_give_one_trajectory(void** state)
{
    (void)state;
    enum { steps = 1200, stretch = 10 };
    for (int round = 0; round < 8; ++round) {
        int dim = 2 + round % 2, loss = round / 2 % 2;
        setup s = make_system("addition", params_of(dim, 60, 2.0, round < 4 ? 0u : 1u, 3 + (uint64_t)round), loss);
        s.def.gravity[dim - 1] = -0.02;
        s.def.gravity_turn[2] = round == 1 ? 0.05 : 0.0;
        s.def.wall_velocity[1][1] = -1e-4;
        scree_sim* sim[2];
        double far = 0.0, fast = 0.0, length = s.def.box.upper[0] - s.def.box.lower[0], speed = 0.0, moved = 0.0;
        int64_t contacts = 0, walls = 0;
        for (int way = 0; way < 2; ++way) {
            s.def.integrator = way;
            sim[way] = start(&s);
        }
        size_t numbers = (size_t)s.set.count * (size_t)dim;
        double *x[2], *v[2], *earlier = malloc(numbers * sizeof *earlier), *before = malloc(numbers * sizeof *before);
        for (int way = 0; way < 2; ++way) {
            x[way] = malloc(numbers * sizeof **x);
            v[way] = malloc(numbers * sizeof **v);
        }
        for (int step = 0; step < steps; step += stretch) {
            for (int way = 0; way < 2; ++way) {
                if (step == steps / 2)
                    CHECK_OK(scree_sim_set_gravity(sim[way], (double[]){0.03, 0.01, 0.0}, (double[]){0.0, 0.0, 0.02}));
                CHECK_OK(scree_sim_run(sim[way], stretch - 1));
                if (way == 0)
                    CHECK_OK(sim_copy_get(sim[way], &(sim_copy){.x = earlier}));
                CHECK_OK(scree_sim_run(sim[way], 1));
                sim_copy now = {.x = x[way], .v = v[way], .x_before = way == 1 ? before : NULL};
                CHECK_OK(sim_copy_get(sim[way], &now));
                scree_sim_report report;
                CHECK_OK(scree_sim_measure(sim[way], &report));
                contacts += report.contacts;
                walls += report.wall_contacts;
                speed = fmax(speed, report.speed_largest);
            }
            for (size_t e = 0; e < numbers; ++e) {
                int k = (int)(e % (size_t)dim);
                double turn = s.def.box.periodic[k] ? s.def.box.upper[k] - s.def.box.lower[k] : INFINITY, apart = fabs(x[0][e] - x[1][e]);
                double one_before = fabs(earlier[e] - before[e]);  // the order may have been renewed in between, and x_before is wrapped with x
                far = fmax(far, fmin(apart, fabs(apart - turn)));
                far = fmax(far, fmin(one_before, fabs(one_before - turn)));
                fast = fmax(fast, fabs(v[0][e] - v[1][e]));
                moved = fmax(moved, fabs(x[0][e] - s.set.x[e]));
            }
        }
        assert_int_equal(scree_sim_step(sim[1]), steps);
        if (!(contacts > steps / 4 && walls > steps / 40 && moved > 0.05 * length))
            fail_msg("round %d: %d contacts, %d with walls, moved by %g boxes: too little to tell", round, (int)contacts, (int)walls, moved / length);
        if (!(far <= 1e-8 * length && fast <= 1e-7 * speed))
            fail_msg("round %d: places differ by %g of the box, velocities by %g of the largest", round, far / length, fast / speed);
        print_message("integrators, round %d: places differ by up to %.1e boxes, velocities by %.1e of the largest; %d contacts\n", round, far / length, fast / speed,
                      (int)contacts);
        for (int way = 0; way < 2; ++way) {
            scree_sim_destroy(sim[way]);
            free(x[way]);
            free(v[way]);
        }
        free(earlier);
        free(before);
        free_system(&s);
    }
}

// Free fall, where both are exact but for rounding: x = x0 + v0 t + g t^2/2 and v = v0 + g t at every step.
static void free_fall_is_exact(void** state)
{
    (void)state;
    for (int way = 0; way < SCREE_INTEGRATOR_COUNT; ++way) {
        const double x0[3] = {1.0, 2.0, 3.0}, v0[3] = {0.5, 0.0, 1.0}, r = 0.5, g[3] = {0.0, -0.3, -2.0};
        scree_sim_def def = scree_default_sim_def();
        def.stiffness = 1000.0;
        def.integrator = way;
        memcpy(def.gravity, g, sizeof g);
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 1, .dim = 3, .x = x0, .r = &r}, v0, &sim));
        assert_int_equal(scree_sim_integrator(sim), way);
        for (int run = 0; run < 50; ++run) {
            CHECK_OK(scree_sim_run(sim, 40));
            double x[3], v[3], t = scree_sim_time(sim);
            CHECK_OK(sim_copy_get(sim, &(sim_copy){.x = x, .v = v}));
            for (int k = 0; k < 3; ++k) {
                CHECK_CLOSE(x[k], x0[k] + v0[k] * t + 0.5 * g[k] * t * t, 1e-9);  // n^2 times the rounding of x
                CHECK_CLOSE(v[k], v0[k] + g[k] * t, 1e-9);
            }
        }
        scree_sim_destroy(sim);
    }
    assert_string_equal(scree_integrator_name(SCREE_INTEGRATOR_POSITION_VERLET), "position-verlet");
    assert_null(scree_integrator_name(SCREE_INTEGRATOR_COUNT));
}

// x_before belongs to position Verlet; a state without it goes on from x and v; a step is refused a number that is none.
static void a_state_knows_its_integrator(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(2, 50, 2.0, 1u, 2), 0);
    scree_sim* by_velocities = start(&s);
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
    scree_sim* by_positions = start(&s);
    CHECK_OK(scree_sim_run(by_positions, 30));
    sim_copy kept;
    arrays all = take_arrays(by_positions, 2, &kept);
    uint64_t untouched = scree_sim_hash(by_velocities);
    CHECK_FAILS(sim_copy_set(by_velocities, &kept), SCREE_ERR_ARGUMENT, "x_before", "velocity-verlet");
    CHECK_FAILS(sim_copy_get(by_velocities, &kept), SCREE_ERR_ARGUMENT, "x_before");
    assert_true(scree_sim_hash(by_velocities) == untouched);
    all.x_before[7] = NAN;
    CHECK_FAILS(sim_copy_set(by_positions, &kept), SCREE_ERR_ARGUMENT, "sphere 3", "x_before");
    // Without it: the next places are those that velocity Verlet makes of x, v and a.
    kept.x_before = NULL;
    CHECK_OK(sim_copy_set(by_positions, &kept));
    CHECK_OK(sim_copy_set(by_velocities, &kept));
    CHECK_OK(scree_sim_run(by_positions, 1));
    CHECK_OK(scree_sim_run(by_velocities, 1));
    double x[2][100];
    CHECK_OK(sim_copy_get(by_positions, &(sim_copy){.x = x[0]}));
    CHECK_OK(sim_copy_get(by_velocities, &(sim_copy){.x = x[1]}));
    for (int e = 0; e < 100; ++e)
        CHECK_CLOSE(x[0][e], x[1][e], 1e-14);
    s.def.integrator = SCREE_INTEGRATOR_COUNT;
    scree_sim* none;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &none), SCREE_ERR_ARGUMENT, "integrator", "2");
    scree_sim_destroy(by_velocities);
    scree_sim_destroy(by_positions);
    free_arrays(&all);
    free_system(&s);
}

static void a_state_that_cannot_be_changes_nothing(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 50, 3.0, 1u, 2), 0);
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 10));
    uint64_t before = scree_sim_hash(sim);
    sim_copy kept;
    arrays all = take_arrays(sim, 3, &kept);
    double x = all.x[7];
    all.x[7] = NAN;
    CHECK_FAILS(sim_copy_set(sim, &kept), SCREE_ERR_ARGUMENT, "sphere 2");
    all.x[7] = 1e6;  // y: a wall
    CHECK_FAILS(sim_copy_set(sim, &kept), SCREE_ERR_ARGUMENT);
    all.x[7] = x;
    // Columns that it has not, twice, without data, and spheres that are others.
    double r[50];
    CHECK_OK(scree_sim_get_column(sim, "radius", r));
    scree_sim_values columns[3] = {{"x", all.x}, {"v", all.v}, {"radius", r}};
    scree_sim_state given = {.step = kept.step, .walls = kept.walls, .column_count = 3, .columns = columns};
    r[31] += 1e-9;
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "sphere 31", "radius");
    r[31] = s.set.r[31];
    columns[2].name = "colour";
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "'colour'");
    CHECK_FAILS(scree_sim_get_state(sim, &given), SCREE_ERR_ARGUMENT, "'colour'");
    columns[2].name = "x";
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "'x'");
    columns[2] = (scree_sim_values){"a", NULL};
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "'a'");
    double* force = calloc(150, sizeof *force);
    force[4] = INFINITY;
    columns[2] = (scree_sim_values){"force", force};
    int32_t had = scree_sim_get_columns(sim, NULL, 0);
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "sphere 1", "force");
    assert_int_equal(scree_sim_get_columns(sim, NULL, 0), had);  // no column of forces has come
    free(force);
    given.column_count = 1;
    CHECK_FAILS(scree_sim_set_state(sim, &given), SCREE_ERR_ARGUMENT, "v");
    kept.step = -1;
    CHECK_FAILS(sim_copy_set(sim, &kept), SCREE_ERR_ARGUMENT, "step -1");
    assert_true(scree_sim_hash(sim) == before);
    // Places and velocities alone are enough to go on.
    kept = (sim_copy){.step = 0, .walls = kept.walls, .x = all.x, .v = all.v};
    kept.walls.since = kept.walls.gravity_since = 0;
    CHECK_OK(sim_copy_set(sim, &kept));
    CHECK_OK(scree_sim_run(sim, 5));
    scree_sim_destroy(sim);
    free_arrays(&all);
    free_system(&s);
}

static void the_hash_tells_every_number_and_place(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(2, 30, 3.0, 0u, 2), 0);
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 3));
    uint64_t whole = scree_sim_hash(sim);
    for (int64_t i = 0; i < sim->n; ++i)
        for (int k = 0; k < 4; ++k) {
            double* number = k < 2 ? &sim->x[i][k] : &sim_at(sim->v, i)[k - 2];
            double kept = *number;
            *number = nextafter(kept, INFINITY);
            assert_true(scree_sim_hash(sim) != whole);
            *number = kept;
        }
    double first = sim->x[0][0];  // two numbers that change places
    sim->x[0][0] = sim->x[1][0];
    sim->x[1][0] = first;
    assert_true(scree_sim_hash(sim) != whole);
    scree_sim_destroy(sim);
    free_system(&s);
}

// ---- Manners -------------------------------------------------------------------------------------------------------------------

static void none_and_one(void** state)
{
    (void)state;
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = 1.0;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 0, .dim = 3}, NULL, &sim));
    CHECK_OK(scree_sim_run(sim, 10));
    scree_sim_report report;
    CHECK_OK(scree_sim_measure(sim, &report));
    assert_int_equal(report.step, 10);
    scree_sim_destroy(sim);
    double x[3] = {0.0, 0.0, 0.0}, v[3] = {1.0, 2.0, 3.0}, r = 1.0;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = &r}, v, &sim));
    CHECK_OK(scree_sim_run(sim, 10));
    double there[3];
    CHECK_OK(sim_copy_get(sim, &(sim_copy){.x = there}));
    for (int k = 0; k < 3; ++k)
        CHECK_CLOSE(there[k], v[k] * scree_sim_time(sim), 1e-12);
    scree_sim_destroy(sim);
}

static bool stop_soon(void* context, double done)
{
    (void)done;
    return --*(int*)context > 0;
}

static void a_stopped_run_can_go_on(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 3000, 5.0, 0u, 6), 1);
    uint64_t wanted = run_and_hash(&s, 400);
    int left = 3;
    s.def.watch = (scree_watch){.tick = stop_soon, .context = &left};
    scree_sim* sim = start(&s);
    int stops = 0;
    while (scree_sim_step(sim) < 400) {
        int64_t before = scree_sim_step(sim);
        scree_status status = scree_sim_run(sim, 400 - before);
        if (status == SCREE_OK)
            break;
        assert_int_equal(status, SCREE_ERR_CANCELLED);
        assert_true(scree_sim_step(sim) > before);
        ++stops;
        left = stops < 5 ? 2 : 1000000;
    }
    assert_true(scree_sim_hash(sim) == wanted);
    scree_sim_destroy(sim);
    free_system(&s);
}

static scree_status create_and_drop(const setup* s)
{
    scree_sim* sim;
    scree_status status = scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim);
    if (status == SCREE_OK)
        scree_sim_destroy(sim);
    return status;
}

static void memory_that_runs_out(void** state)
{
    (void)state;
    for (int loss = 0; loss < 2; ++loss) {
        setup s = make_system("addition", params_of(3, 300, 4.0, 2u, 6), loss);
        s.def.integrator = loss;
        EACH_ALLOCATION_FAILS(create_and_drop(&s), (void)0);
        // In the middle of a run: it goes on later and ends where it would have ended.
        uint64_t wanted = run_and_hash(&s, 150);
        scree_sim* sim = start(&s);
        for (int64_t n = 1; scree_sim_step(sim) < 150; n = n % 7 + 1) {
            int64_t left = 150 - scree_sim_step(sim) + (sim->flying ? 1 : 0);
            scree_memory_fail_at(n);
            scree_status status = scree_sim_run(sim, left);
            scree_memory_fail_at(0);
            if (status == SCREE_OK)
                break;
            assert_int_equal(status, SCREE_ERR_MEMORY);
            if (n == 7)
                CHECK_OK(scree_sim_run(sim, sim->flying ? 0 : 1));
        }
        assert_int_equal(scree_sim_step(sim), 150);
        assert_true(scree_sim_hash(sim) == wanted);
        scree_sim_contacts contacts;
        EACH_ALLOCATION_FAILS(scree_sim_get_contacts(sim, &contacts), (void)0);
        scree_sim_destroy(sim);
        free_system(&s);
    }
}

static void a_steady_run_allocates_nothing(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 2000, 5.0, 0u, 6), 0);
    s.search.skin = 0.5;
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 300));
    scree_memory_fail_at(0);
    int64_t rebuilds = sim->lists.rows.build, before = scree_sim_step(sim);
    CHECK_OK(scree_sim_run(sim, 20));
    int64_t allocations = scree_memory_fail_at(0);
    if (sim->lists.rows.build == rebuilds)
        assert_int_equal(allocations, 0);
    assert_int_equal(scree_sim_step(sim), before + 20);
    scree_sim_destroy(sim);
    free_system(&s);
}

// The list lasts for many steps, but never too long: def.check compares each step with all pairs, here with spheres that shoot about.
static void no_contact_is_missed(void** state)
{
    (void)state;
    int rounds = (int)fmax(2.0, 6.0 * test_effort());
    for (int round = 0; round < rounds; ++round) {
        setup s = make_system("addition", params_of(2 + round % 2, 150, 6.0, (unsigned)round % 4, (uint64_t)round + 20), round % 3);
        for (int64_t e = 0; e < (int64_t)s.set.count * s.set.dim; ++e)
            s.v[e] *= e % 17 == 0 ? 20.0 : 1.0;
        s.def.check = true;
        s.def.integrator = round / 2 % 2;
        if (round % 2 == 1)
            s.def.wall_velocity[1][0] = s.def.box.periodic[1] ? 0.0 : 0.01;
        scree_sim* sim = start(&s);
        scree_status status = scree_sim_run(sim, 300);
        if (status != SCREE_OK && strstr(scree_error_message(), "has left through") == NULL)
            fail_msg("round %d: %s", round, scree_error_message());
        assert_true(sim->lists.rows.build > 1 && sim->lists.rows.build < 200);
        scree_sim_destroy(sim);
        free_system(&s);
    }
}

// The paper's rule, rebuilt every so many steps, is taken at its word, and refused where it would lose contacts.
static void a_fixed_rebuild_is_kept_or_refused(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 200, 2.0, 0u, 6), 0);
    uint64_t wanted = run_and_hash(&s, 100);
    s.search.method = SCREE_METHOD_VERLET_LIST;
    double widest = 0.0;
    for (int32_t i = 0; i < s.set.count; ++i)
        widest = fmax(widest, 2.0 * s.set.r[i]);
    s.search.verlet_radius = 2.0 * widest;
    s.search.rebuild_every = 10;
    scree_sim* sim = start(&s);
    CHECK_OK(scree_sim_run(sim, 100));
    assert_true(scree_sim_hash(sim) == wanted);
    assert_in_range(sim->lists.rows.build, 10, 14);  // and at the renewals of order
    scree_sim_destroy(sim);
    s.search.verlet_radius = widest + 1e-3;
    sim = start(&s);
    CHECK_FAILS(scree_sim_run(sim, 100), SCREE_ERR_ARGUMENT);
    scree_sim_destroy(sim);
    s.search.verlet_radius = 3.0;
    s.def.search = &s.search;
    scree_sim* none;
    CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &none), SCREE_ERR_ARGUMENT, "radius", "3");
    free_system(&s);
}

// def.search and its cell_sizes are borrowed for the call: afterwards they may be overwritten. None is the default one.
static void the_search_is_borrowed_for_the_call(void** state)
{
    (void)state;
    setup s = make_system("addition", params_of(3, 200, 2.0, 0u, 6), 0);
    uint64_t wanted = run_and_hash(&s, 100);
    double widest = 0.0;
    for (int32_t i = 0; i < s.set.count; ++i)
        widest = fmax(widest, 2.0 * s.set.r[i]);
    double sizes[2] = {2.0 * widest, 4.0 * widest};
    s.search.method = SCREE_METHOD_HIERARCHICAL_GRID;
    s.search.cell_size_count = 2;
    s.search.cell_sizes = sizes;
    scree_sim* sim = start(&s);
    memset(&s.search, 0xA5, sizeof s.search);
    memset(sizes, 0xA5, sizeof sizes);
    CHECK_OK(scree_sim_run(sim, 100));
    assert_int_equal(sim_report_of(sim).method, SCREE_METHOD_HIERARCHICAL_GRID);
    assert_true(scree_sim_hash(sim) == wanted);
    scree_sim_destroy(sim);
    s.def.search = NULL;
    CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
    CHECK_OK(scree_sim_run(sim, 100));
    assert_true(scree_sim_hash(sim) == wanted);
    scree_sim_destroy(sim);
    free_system(&s);
}

// Properties of single spheres are labels where they change nothing, and else checked: what cannot be names the sphere.
static void properties_of_single_spheres_are_checked(void** state)
{
    (void)state;
    double x[] = {1.0, 1.0, 1.0, 3.0, 1.0, 1.0}, r[] = {0.5, 0.5}, density[] = {1.0, 1.0}, force[6] = {0.0};
    uint16_t group[] = {0, 3}, material[] = {1, 0};
    uint8_t fixed[] = {0, 0};
    scree_spheres spheres = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_sim_each each = scree_default_sim_each();
    scree_sim_def def = scree_default_sim_def();
    def.stiffness = 1.0;
    scree_sim *bare, *labelled;
    CHECK_OK(scree_sim_create(&def, spheres, NULL, &bare));
    def.each = &each;
    each.material_density = density;
    each.group = group;
    each.material = material;
    each.fixed = fixed;
    each.force = force;
    CHECK_OK(scree_sim_create(&def, spheres, NULL, &labelled));
    each = (scree_sim_each){0};  // it was borrowed
    CHECK_OK(scree_sim_run(bare, 100));
    CHECK_OK(scree_sim_run(labelled, 100));
    assert_int_equal(scree_sim_hash(bare), scree_sim_hash(labelled));
    CHECK_OK(scree_sim_set_group_force(labelled, 3, (const double[3]){0.0, 0.0, 0.0}));
    CHECK_FAILS(scree_sim_set_group_force(labelled, 4, (const double[3]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "4");
    CHECK_FAILS(scree_sim_set_group_force(labelled, -1, (const double[3]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_sim_set_group_force(labelled, 3, (const double[3]){0.0, NAN, 0.0}), SCREE_ERR_ARGUMENT, "nan");
    CHECK_FAILS(scree_sim_set_group_force(bare, 1, (const double[3]){0.0, 0.0, 0.0}), SCREE_ERR_ARGUMENT, "1");
    scree_sim_destroy(bare);
    scree_sim_destroy(labelled);
    CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &bare), SCREE_ERR_ARGUMENT, "scree_default_sim_each");
    each = scree_default_sim_each();
    each.material_density = (const double[]){1.0, -2.0};
    CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &bare), SCREE_ERR_ARGUMENT, "sphere 1", "-2");
    scree_sim_numbers numbers;
    CHECK_FAILS(scree_sim_find_numbers(&def, spheres, &numbers), SCREE_ERR_ARGUMENT, "sphere 1", "-2");
    each = scree_default_sim_each();
    each.fixed = (const uint8_t[]){0, 2};
    CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &bare), SCREE_ERR_ARGUMENT, "sphere 1", "2");
    each = scree_default_sim_each();
    each.force = (const double[]){0.0, 0.0, 0.0, 0.0, INFINITY, 0.0};
    CHECK_FAILS(scree_sim_create(&def, spheres, NULL, &bare), SCREE_ERR_ARGUMENT, "sphere 1", "inf");
}

static const test_case cases[] = {
    UNIT(properties_of_single_spheres_are_checked),
    SAME_BITS(bits_are_those_of_a_plain_program),
    SAME_BITS(bits_of_giants_fixed_spheres_and_forces),
    SAME_BITS(bits_in_tiny_periodic_boxes),
    SAME_BITS(same_bits_for_every_way),
    THREADS(same_bits_across_blocks),
    SAME_BITS(same_bits_in_pieces_and_when_looked_at),
    UNIT(contact_forces_are_those_of_the_state),
    UNIT(forces_of_giants_add_up_across_blocks),
    UNIT(columns_are_as_given_and_as_listed),
    UNIT(keys_are_cubic),
    UNIT(who_is_a_giant),
    UNIT(a_drift_has_no_pressure),
    SAME_BITS(a_state_goes_on_as_if_never_stopped),
    UNIT(both_integrators_give_one_trajectory),
    UNIT(free_fall_is_exact),
    UNIT(a_state_knows_its_integrator),
    UNIT(a_state_that_cannot_be_changes_nothing),
    SAME_BITS(the_hash_tells_every_number_and_place),
    UNIT(none_and_one),
    UNIT(a_stopped_run_can_go_on),
    ALLOCATION(memory_that_runs_out),
    ALLOCATION(a_steady_run_allocates_nothing),
    PROPERTY(no_contact_is_missed),
    UNIT(a_fixed_rebuild_is_kept_or_refused),
    UNIT(the_search_is_borrowed_for_the_call),
};

const test_group group_sim = {.name = "sim", .cases = cases, .count = sizeof cases / sizeof *cases};
