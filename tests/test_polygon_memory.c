// What contacts of polygons remember of friction, and the sums of energies: the same for every method, skin, number of threads and way of stopping; in states and in
// checkpoints; through periodic faces and round corners.
#include "file_support.h"
#include "polygon_support.h"

#include "scree/checkpoint.h"

static poly_scene crowd(int side, int walls, uint64_t seed)
{
    poly_scene s = poly_mixed(side, walls, 40.0, seed);
    s.def.friction = 0.5;
    s.def.friction_dynamic = 0.4;
    s.def.restitution = 0.6;
    s.def.gravity[1] = walls == 2 ? 0.0 : -5.0;
    s.def.wrap_every = 37;
    return s;
}

// With all sums of energies.
static uint64_t hash_of(scree_polygon_sim* sim)
{
    scree_polygon_sim_state s = {0};
    CHECK_OK(scree_polygon_sim_get_state(sim, &s));
    uint64_t hash = scree_polygon_sim_hash(sim), bits;
    for (int k = 0; k < SCREE_POLYGON_ACCOUNTS; ++k) {
        memcpy(&bits, &s.account[k], sizeof bits);
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    }
    return hash;
}

static uint64_t hash_after(const poly_scene* s, int64_t steps, int64_t look_every)
{
    scree_polygon_sim* sim = poly_make(s);
    for (int64_t done = 0; done < steps; done += look_every) {
        CHECK_OK(scree_polygon_sim_run(sim, look_every));
        scree_polygon_contacts list;
        scree_sim_memory memory;
        CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
        CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
        assert_int_equal(memory.count, list.count);  // each contact remembers, and nothing else
        poly_report(sim);
    }
    uint64_t hash = hash_of(sim);
    scree_polygon_sim_destroy(sim);
    return hash;
}

static void test_one_hash(void** state)
{
    (void)state;
    for (int walls = 0; walls < 4; ++walls) {
        poly_scene s = crowd(13, walls, 3);
        s.def.threads = 1;
        s.def.method = SCREE_METHOD_ALL_PAIRS;
        uint64_t wanted = hash_after(&s, 150, 150);
        static const struct {
            int32_t method, threads;
            double skin;
            int64_t look;
        } ways[] = {{SCREE_METHOD_LINKED_CELLS, 2, 0.5, 150}, {SCREE_METHOD_LINEAR_LIST, 7, 0.05, 1}, {SCREE_METHOD_HIERARCHICAL_GRID, 1, -1, 50}};
        for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w) {
            s.def.method = ways[w].method;
            s.def.threads = ways[w].threads;
            s.def.skin = ways[w].skin;
            assert_true(hash_after(&s, 150, ways[w].look) == wanted);
        }
        poly_scene_free(&s);
    }
}

// A state in the hands of the caller, its memory copied; freed by poly_state_free and this.
typedef struct saved {
    scree_polygon_sim_state at;
    scree_sim_memory memory;
    int64_t (*ij)[2];
    int8_t (*shift)[3];
    double* values;
} saved;

static void save(scree_polygon_sim* sim, saved* s)
{
    scree_sim_memory m;
    s->at = poly_state(sim);
    CHECK_OK(scree_polygon_sim_get_memory(sim, &m));
    size_t n = (size_t)m.count + 1;
    s->ij = calloc(n, sizeof *s->ij);
    s->shift = calloc(n, sizeof *s->shift);
    s->values = calloc(n * SCREE_POLYGON_MEMORY_WORDS, 8);
    if (m.count > 0) {
        memcpy(s->ij, m.ij, (size_t)m.count * sizeof *s->ij);
        if (m.shift != NULL)
            memcpy(s->shift, m.shift, (size_t)m.count * sizeof *s->shift);
        memcpy(s->values, m.values, (size_t)(m.count * m.words) * 8);
    }
    s->memory = (scree_sim_memory){.count = m.count,
                                   .words = m.words,
                                   .ij = (const int64_t(*)[2])s->ij,
                                   .shift = m.shift != NULL ? (const int8_t(*)[3])s->shift : NULL,
                                   .values = s->values};
    s->at.memory = &s->memory;
}

static void saved_free(saved* s)
{
    poly_state_free(&s->at);
    free(s->ij);
    free(s->shift);
    free(s->values);
}

static void test_resume(void** state)
{
    (void)state;
    for (int walls = 0; walls < 4; ++walls) {
        poly_scene s = crowd(6, walls, 9);
        uint64_t wanted = hash_after(&s, 400, 400);
        scree_polygon_sim *one = poly_make(&s), *two = poly_make(&s);
        int64_t remembered = 0;
        for (int part = 0; part < 400; part += 20) {
            saved at;
            CHECK_OK(scree_polygon_sim_run(one, 20));
            save(one, &at);
            remembered += at.memory.count;
            assert_true(scree_polygon_sim_state_hash(&at.at, s.count) == scree_polygon_sim_hash(one));
            CHECK_OK(scree_polygon_sim_set_state(two, &at.at));
            assert_true(scree_polygon_sim_hash(two) == scree_polygon_sim_hash(one));
            saved_free(&at);
            scree_polygon_sim* other = one;
            one = two;
            two = other;
        }
        assert_true(remembered > 50);
        assert_true(hash_of(one) == wanted);
        scree_polygon_sim_destroy(one);
        scree_polygon_sim_destroy(two);
        poly_scene_free(&s);
    }
}

// The same by way of a file, into a simulation of its own each time; and invalid input is reported.
static void test_checkpoint(void** state)
{
    (void)state;
    for (int walls = 2; walls < 4; ++walls) {
        poly_scene s = crowd(6, walls, 12);
        uint64_t wanted = hash_after(&s, 300, 300);
        scree_polygon_sim* sim = poly_make(&s);
        scree_checkpoint taken = {0}, read;
        for (int part = 0; part < 300; part += 50) {
            CHECK_OK(scree_polygon_sim_run(sim, 50));
            CHECK_OK(scree_checkpoint_save_bodies(sim, &s.shapes, s.bodies, &taken));
            assert_true(taken.format_version == 6 && taken.memory.words == SCREE_POLYGON_MEMORY_WORDS && taken.memory.periodic);
            CHECK_OK(scree_write_checkpoint(in_folder("bodies.npz"), &taken));
            CHECK_OK(scree_read_checkpoint(in_folder("bodies.npz"), &read));
            assert_int_equal(read.memory.count, taken.memory.count);
            scree_polygon_sim_destroy(sim);
            sim = poly_make(&s);
            CHECK_OK(scree_checkpoint_restore_bodies(&read, sim));
            scree_checkpoint_free(&read);
        }
        assert_true(hash_of(sim) == wanted);
        assert_true(taken.memory.count > 3);
        EACH_ALLOCATION_FAILS(scree_checkpoint_save_bodies(sim, &s.shapes, s.bodies, &taken), (void)0);
        CHECK_OK(scree_write_checkpoint(in_folder("bodies.npz"), &taken));
        EACH_ALLOCATION_FAILS(scree_read_checkpoint(in_folder("bodies.npz"), &read), (void)0);
        scree_checkpoint_free(&read);
        // The memory belongs to the hash, and names its contacts.
        taken.memory.values[3] += 1.0;
        CHECK_FAILS(scree_write_checkpoint(in_folder("bodies.npz"), &taken), SCREE_ERR_ARGUMENT);
        taken.memory.values[3] -= 1.0;
        int64_t was = taken.memory.ij[1][1];
        taken.memory.ij[1][1] = 1000;
        CHECK_FAILS(scree_write_checkpoint(in_folder("bodies.npz"), &taken), SCREE_ERR_ARGUMENT, "contact 1", "1000");
        taken.memory.ij[1][1] = was;
        taken.account_count = 6;
        CHECK_FAILS(scree_checkpoint_restore_bodies(&taken, sim), SCREE_ERR_ARGUMENT, "6", "7");
        taken.account_count = SCREE_POLYGON_ACCOUNTS;
        taken.memory.law[0] = 'x';
        CHECK_FAILS(scree_checkpoint_restore_bodies(&taken, sim), SCREE_ERR_ARGUMENT, "'xriction'");
        taken.memory.law[0] = 'f';
        // One with friction and one without do not take each other's.
        s.def.friction = s.def.friction_dynamic = 0.0;
        scree_polygon_sim* smooth = poly_make(&s);
        CHECK_FAILS(scree_checkpoint_restore_bodies(&taken, smooth), SCREE_ERR_ARGUMENT, "6", "0");
        CHECK_OK(scree_checkpoint_save_bodies(smooth, &s.shapes, s.bodies, &taken));
        assert_true(taken.format_version == 6 && taken.memory.words == 0);
        CHECK_FAILS(scree_checkpoint_restore_bodies(&taken, sim), SCREE_ERR_ARGUMENT, "6", "0");
        scree_polygon_sim_destroy(smooth);
        scree_polygon_sim_destroy(sim);
        scree_checkpoint_free(&taken);
        poly_scene_free(&s);
    }
}

// A block rests on a slope only by what its contacts remember. It and the slab travel through a periodic box: at each wrap the memory must find its new image.
static void test_memory_is_wrapped(void** state)
{
    (void)state;
    double way[2];
    for (int periodic = 0; periodic < 2; ++periodic) {
        scree_shapes shapes = {0};
        scree_polygon_sim_def def = poly_def(1e4, 0.8);
        int32_t block = poly_rectangle(&shapes, 1, 0.4), slab = poly_rectangle(&shapes, 2, 2);
        scree_body bodies[2] = {{.shape = slab, .fixed = true, .x = {1, -1}, .v = {8, 0}}, {.shape = block, .x = {1.4, 0.2}, .v = {8, 0}}};
        def.gravity[0] = 5;
        def.gravity[1] = -10;
        def.tangential_stiffness = 1;
        def.wrap_every = 13;
        if (periodic) {
            def.box = scree_box_sized(2, (const double[2]){4, 4});
            def.box.lower[1] = -INFINITY;
            def.box.upper[1] = INFINITY;
            def.box.periodic[0] = true;
        }
        scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
        poly_run_for(sim, 2.5);  // five times through
        scree_polygon_sim_state s = poly_state(sim);
        way[periodic] = s.x[2] - s.x[0];
        if (periodic)
            way[1] -= 4 * rint(way[1] / 4);
        poly_state_free(&s);
        scree_polygon_sim_destroy(sim);
        scree_shapes_free(&shapes);
    }
    CHECK_CLOSE(way[0], 0.4, 1e-2);
    CHECK_CLOSE(way[1], way[0], 1e-9);
}

// A vertex that slides over a reflex corner, from one edge of a body to the next, keeps its spring.
static void test_memory_goes_round_corners(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    const double bent[] = {-3, -1, 3, -1, 3, 0, 0, 0, -3, 0.05};  // the edges at (0, 0) differ by one degree
    const double tip[] = {0, 0, 0.4, 1, -0.4, 1};
    scree_body bodies[2] = {{.shape = poly_add(&shapes, 5, bent), .fixed = true, .v = {1, 0}}, {.shape = poly_add(&shapes, 3, tip), .material_density = 1e6}};
    scree_polygon_rounded rounded;
    CHECK_OK(scree_polygon_round((scree_polygon){.count = 3, .xy = tip}, 0.05, &rounded));
    bodies[1].x[0] = 0.05;
    bodies[1].x[1] = rounded.centre[1] - rounded.r * (hypot(1.0, 0.4) / 0.4 - 1.0) - 1e-3;  // the round tip is 1e-3 deep
    scree_polygon_sim_def def = poly_def(1e4, 0.5);
    def.time_step = 1e-3;
    scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
    double last = 0.0;
    int32_t corners = 0;
    for (int step = 0; step < 100; ++step) {  // the ground moves by 0.1 to the right under the heavy tip, which goes from the edge on the right to that on the left
        CHECK_OK(scree_polygon_sim_run(sim, 1));
        scree_polygon_contacts list;
        CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
        double force = 0.0;
        for (int64_t c = 0; c < list.count; ++c)  // at the corner both edges have a share of the load
            force += list.contacts[c].tangential;
        force = fabs(force);
        corners += list.count > 1;
        assert_true(force >= fmin(last, 0.49 * 10.0));  // from an empty spring it would be 2.9
        last = force;
    }
    assert_true(corners > 0);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

// Without friction nothing is remembered, and the other numbers of friction change nothing.
static void test_smooth(void** state)
{
    (void)state;
    poly_scene s = crowd(5, 0, 4);
    s.def.friction = s.def.friction_dynamic = 0.0;
    uint64_t hash[2];
    for (int other = 0; other < 2; ++other) {
        s.def.tangential_stiffness = other ? 3.0 : 0.0;
        s.def.tangential_damping = other ? 0.0 : 9.0;
        scree_polygon_sim* sim = poly_make(&s);
        CHECK_OK(scree_polygon_sim_run(sim, 400));
        scree_sim_memory memory;
        CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
        assert_true(memory.count == 0 && memory.words == 0);
        scree_polygon_sim_report r = poly_report(sim);
        assert_true(r.energy_tangential == 0.0 && r.dissipated_tangential == 0.0 && r.sliding == 0);
        hash[other] = scree_polygon_sim_hash(sim);
        scree_polygon_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1]);
    poly_scene_free(&s);
}

static void test_faults(void** state)
{
    (void)state;
    scree_shapes shapes = {0};
    scree_body body = {.shape = poly_rectangle(&shapes, 1, 1)};
    scree_polygon_sim_def def = poly_def(100, 0.5), wrong = def;
    scree_polygon_sim* sim;
    wrong.friction = -0.25;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "friction", "-0.25");
    wrong.friction = NAN;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "friction", "nan");
    wrong = def;
    wrong.friction_dynamic = 0.75;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "friction_dynamic", "0.75", "0.5");
    wrong = def;
    wrong.tangential_stiffness = -1;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "tangential_stiffness", "-1");
    wrong = def;
    wrong.tangential_damping = INFINITY;
    CHECK_FAILS(scree_polygon_sim_create(&wrong, &shapes, 1, &body, &sim), SCREE_ERR_ARGUMENT, "tangential_damping", "inf");
    // A stiff tangential spring makes contacts shorter.
    wrong = def;
    wrong.tangential_stiffness = 4;
    scree_polygon_sim* stiff = poly_create(&wrong, &shapes, 1, &body);
    sim = poly_create(&def, &shapes, 1, &body);
    CHECK_CLOSE(scree_polygon_sim_get_numbers(stiff).time_step, 0.5 * scree_polygon_sim_get_numbers(sim).time_step, 1e-12);
    scree_polygon_sim_destroy(stiff);
    scree_polygon_sim_destroy(sim);

    scree_body bodies[2] = {{.shape = 0, .x = {0, 1.1}}, {.shape = 0, .x = {0.1, 0.101}}};
    def.box = scree_box_sized(2, (const double[]){9, 9});
    def.box.lower[0] = -9;
    def.gravity[1] = -1;
    bodies[1].x[1] = 0.5;
    bodies[0].x[1] = 1.5;
    sim = poly_create(&def, &shapes, 2, bodies);
    poly_run_for(sim, 0.5);
    saved at;
    save(sim, &at);
    assert_true(at.memory.count >= 4);
    int64_t last = at.memory.count - 1;
    assert_true(at.ij[0][0] == 0 && at.ij[0][1] == 1 && at.ij[last][1] == -3);  // the floor
    static const struct {
        int word;
        double value;
        const char* named;
    } bad[] = {{0, 3, "3"}, {0, 0.5, "0.5"}, {1, 4, "4"}, {1, -1, "-1"}, {2, 4, "4"}, {3, NAN, "nan"}, {4, 2, "2"}, {5, 0, "0"}, {5, 1.5, "1.5"}};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
        double was = at.values[bad[b].word];
        at.values[bad[b].word] = bad[b].value;
        CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "contact 0", bad[b].named);
        at.values[bad[b].word] = was;
    }
    at.ij[last][1] = -4;  // the box ends at 9, and 6 would be a circle
    CHECK_OK(scree_polygon_sim_set_state(sim, &at.at));
    at.ij[last][1] = -7;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "-7");
    at.ij[last][1] = 2;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "2");
    at.ij[last][0] = 0;
    at.ij[last][1] = -3;  // before one of body 1
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "-3");
    at.ij[last][0] = 1;
    at.memory.words = 4;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "4", "6");
    at.memory.words = 6;
    at.memory.values = NULL;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "values");
    at.memory.values = at.values;
    at.at.account[1] = NAN;
    CHECK_FAILS(scree_polygon_sim_set_state(sim, &at.at), SCREE_ERR_ARGUMENT, "nan");
    at.at.account[1] = 0.0;
    CHECK_OK(scree_polygon_sim_set_state(sim, &at.at));
    // A simulation without friction has no use for it.
    def.friction = 0.0;
    scree_polygon_sim* smooth = poly_create(&def, &shapes, 2, bodies);
    CHECK_FAILS(scree_polygon_sim_set_state(smooth, &at.at), SCREE_ERR_ARGUMENT, "6", "0");
    scree_polygon_sim_destroy(smooth);
    scree_polygon_sim_destroy(sim);
    saved_free(&at);
    scree_shapes_free(&shapes);
}

// A step that ran out of memory is completed by the next run, and remembers once.
static void test_allocations(void** state)
{
    (void)state;
    poly_scene s = crowd(4, 3, 2);
    s.def.threads = 1;
    uint64_t wanted = hash_after(&s, 200, 200);
    scree_polygon_sim* sim = NULL;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_create(&s.def, &s.shapes, s.count, s.bodies, &sim), (void)0);
    for (int64_t n = 1, failed = 0; scree_polygon_sim_get_step(sim) < 200;) {
        scree_memory_fail_at(n);
        int64_t left = 200 - scree_polygon_sim_get_step(sim);
        scree_status status = scree_polygon_sim_run(sim, left < 5 ? left : 5);
        scree_memory_fail_at(0);
        failed += status != SCREE_OK;
        n = status == SCREE_OK ? 1 : n + 1;
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        assert_true(failed > 3 || scree_polygon_sim_get_step(sim) < 200);
    }
    assert_true(hash_of(sim) == wanted);
    scree_sim_memory memory;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_get_memory(sim, &memory), (void)0);
    saved at;
    save(sim, &at);
    scree_polygon_sim* two = poly_make(&s);
    EACH_ALLOCATION_FAILS(scree_polygon_sim_set_state(two, &at.at), (void)0);
    scree_polygon_contacts list;
    EACH_ALLOCATION_FAILS(scree_polygon_sim_get_contacts(two, &list), (void)0);
    assert_true(scree_polygon_sim_hash(two) == scree_polygon_sim_hash(sim));
    saved_free(&at);
    scree_polygon_sim_destroy(two);
    scree_polygon_sim_destroy(sim);
    poly_scene_free(&s);
}

// A block that friction holds on a slab, tilted by gravity, stays when its state is set without memory at each step; in a periodic box also where it goes to another image. With a zeroed memory it slides.
static void test_states_without_memory(void** state)
{
    (void)state;
    double slid[3];
    for (int way = 0; way < 3; ++way) {
        scree_shapes shapes = {0};
        scree_polygon_sim_def def = poly_def(1e4, 0.6);
        int32_t block = poly_rectangle(&shapes, 0.8, 0.4), slab = poly_rectangle(&shapes, 8, 2);
        scree_body bodies[2] = {{.shape = slab, .fixed = true, .x = {0, -1}}, {.shape = block, .x = {0, 0.2}}};
        def.box = (scree_box){.dim = 2, .lower = {-20, -INFINITY}, .upper = {20, INFINITY}, .periodic = {true, false}};
        def.gravity[0] = 3;
        def.gravity[1] = -10;
        def.restitution = 0.2;
        scree_polygon_sim* sim = poly_create(&def, &shapes, 2, bodies);
        poly_run_for(sim, 1.0);
        scree_polygon_sim_state first = poly_state(sim), s;
        for (int k = 0; k < 200; ++k) {
            CHECK_OK(scree_polygon_sim_run(sim, 1));
            s = poly_state(sim);
            s.memory = way == 2 ? &(const scree_sim_memory){0} : NULL;
            s.x[2] += way == 1 && k == 100 ? 40.0 : 0.0;
            if (way > 0)
                CHECK_OK(scree_polygon_sim_set_state(sim, &s));
            slid[way] = fabs(remainder(s.x[2] - first.x[2], 40.0));
            poly_state_free(&s);
        }
        poly_state_free(&first);
        scree_polygon_sim_destroy(sim);
        scree_shapes_free(&shapes);
    }
    CHECK_CLOSE(slid[0], 0.0, 1e-6);
    CHECK_CLOSE(slid[1], 0.0, 1e-6);
    assert_true(slid[2] > 1e-4);
}

// Blocks lie and slide, on a slab and on the wall of the box. All of their contacts begin in one step, and each is remembered. Once buffers have their size, steps allocate
// nothing.
static void test_steady_allocates_nothing(void** state)
{
    (void)state;
    scree_sim_memory memory;
    scree_shapes shapes = {0};
    scree_body bodies[41];
    scree_polygon_sim_def def = poly_def(1e4, 0.3);
    int32_t block = poly_rectangle(&shapes, 0.8, 0.4), slab = poly_rectangle(&shapes, 60, 2);
    bodies[0] = (scree_body){.shape = slab, .fixed = true, .x = {20, -1}, .v = {1, 0}};
    for (int i = 1; i < 41; ++i)
        bodies[i] = (scree_body){.shape = block, .x = {i, 0.2}};
    def.gravity[1] = -10;
    def.restitution = 0.2;
    def.skin = 0.05;
    scree_polygon_sim* sim = poly_create(&def, &shapes, 41, bodies);
    CHECK_OK(scree_polygon_sim_run(sim, 1));
    CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
    assert_int_equal(memory.count, 80);
    poly_run_for(sim, 0.1);
    scree_memory_fail_at(0);
    poly_run_for(sim, 0.05);
    assert_int_equal(scree_memory_fail_at(0), 0);
    assert_true(poly_report(sim).contacts == 80);
    scree_polygon_sim_destroy(sim);
    def.box.lower[1] = 0;
    def.box.upper[1] = 9;
    sim = poly_create(&def, &shapes, 40, bodies + 1);
    CHECK_OK(scree_polygon_sim_run(sim, 1));
    CHECK_OK(scree_polygon_sim_get_memory(sim, &memory));
    assert_int_equal(memory.count, 80);
    scree_polygon_sim_state s = poly_state(sim);
    for (int i = 0; i < 40; ++i)  // and pushed once, however often the block of bodies was worked on
        CHECK_CLOSE(s.v[2 * i + 1], -10 * scree_polygon_sim_get_time(sim), 0.5 * scree_polygon_sim_get_time(sim));
    poly_state_free(&s);
    scree_polygon_sim_destroy(sim);
    scree_shapes_free(&shapes);
}

static const test_case cases[] = {
    THREADS(test_one_hash),
    SAME_BITS(test_resume),
    SAME_BITS(test_checkpoint),
    UNIT(test_memory_is_wrapped),
    UNIT(test_states_without_memory),
    UNIT(test_memory_goes_round_corners),
    UNIT(test_smooth),
    UNIT(test_faults),
    ALLOCATION(test_allocations),
    ALLOCATION(test_steady_allocates_nothing),
};

const test_group group_polygon_memory = {.name = "polygon_memory", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
