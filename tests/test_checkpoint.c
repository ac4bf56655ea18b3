// Checkpoints: every bit comes back, and a simulation continues from one as if it had never been stopped. test_checkpoint_file.c has the file itself.
#include "checkpoint_support.h"

#include "files/checkpoint_layout.h"
#include "files/crc64.h"
#include "scenes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

// ---- Round trips -------------------------------------------------------------------------------------------------

static void test_checksum(void** state)
{
    (void)state;
    assert_true(scree_crc64("123456789", 9) == 0x995DC9BBDF1939FAu);
    assert_true(scree_crc64("", 0) == 0);
    static char text[1100];  // however many at a time, it is the same as bit by bit
    for (int k = 0; k < 1100; ++k)
        text[k] = (char)(k * 37 + k / 7);
    uint64_t sum = ~(uint64_t)0;
    for (size_t length = 0; length < sizeof text; ++length) {
        assert_true(scree_crc64(text, length) == ~sum);
        for (size_t cut = 0; cut <= length; cut += 1 + length / 8)
            assert_true(scree_crc64_combine(scree_crc64(text, cut), scree_crc64(text + cut, length - cut), length - cut) == ~sum);
        sum ^= (unsigned char)text[length];
        for (int bit = 0; bit < 8; ++bit)
            sum = sum >> 1 ^ (sum & 1 ? 0xC96C5795D7870F42u : 0u);
    }
}

static void test_round_trip(void** state)
{
    (void)state;
    static const int32_t counts[] = {0, 1, 2, 7, 300, 10000};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n)
        for (int32_t dim = 2; dim <= 3; ++dim) {
            scree_checkpoint c = random_checkpoint(dim, counts[n], n), back, again;
            if (n % 2 == 1 || dim == 3)
                add_memory(&c, dim == 2, 1 + (int32_t)n * 3, (int32_t)n % 3, n);
            c.account_count = n % 2 == 0 ? 0 : (int32_t)n + 1;
            for (int32_t k = 0; k < c.account_count; ++k)
                c.account[k] = ldexp(1.0 + 1.0 / (k + 3), 40 - 3 * k);
            CHECK_OK(scree_write_checkpoint(in_folder("a.npz"), &c));
            CHECK_OK(scree_read_checkpoint(in_folder("a.npz"), &back));
            check_same_checkpoint(&c, &back);
            // The same content gives the same bytes, and any block boundaries the same content.
            size_t first, second;
            char *one = get_file(in_folder("a.npz"), &first), *two = bytes_of(&back, &second);
            assert_int_equal(first, second);
            assert_memory_equal(one, two, first);
            CHECK_OK(read_bytes(one, first, &again));
            check_same_checkpoint(&c, &again);
            assert_true(first < 12000 + (size_t)counts[n] * (size_t)((28 + 8 * c.integrator) * dim + 48) + (size_t)(c.memory.count * (19 + 8 * c.memory.words)));
            free(one);
            free(two);
            scree_checkpoint_free(&c);
            scree_checkpoint_free(&back);
            scree_checkpoint_free(&again);
        }
}

static void test_scenes_and_numbers(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 2, 1), back;
    c.number_count = 0;
    for (int length = 0; length < 3; ++length) {  // also none at all
        CHECK_OK(scree_checkpoint_set_scene(&c, "ab", length));
        CHECK_OK(scree_write_checkpoint(in_folder("a.npz"), &c));
        CHECK_OK(scree_read_checkpoint(in_folder("a.npz"), &back));
        check_same_checkpoint(&c, &back);
        scree_checkpoint_free(&back);
    }
    scree_free(c.scene);
    c.scene = NULL;
    c.scene_length = 0;
    CHECK_OK(scree_write_checkpoint(in_folder("a.npz"), &c));
    CHECK_OK(scree_read_checkpoint(in_folder("a.npz"), &back));
    check_same_checkpoint(&c, &back);
    scree_checkpoint_free(&back);
    int64_t length = 3000000;
    char* text = malloc((size_t)length);
    assert_non_null(text);
    memset(text, 's', (size_t)length);
    CHECK_OK(scree_checkpoint_set_scene(&c, text, length));
    char name[64];
    for (int k = 0; k < SCREE_CHECKPOINT_NUMBERS; ++k) {
        snprintf(name, sizeof name, "number_%d_and_a_name_of_full_size", k);
        name[SCREE_CHECKPOINT_NAME - 1] = '\0';
        CHECK_OK(k % 2 == 0 ? scree_checkpoint_set_integer(&c, name, k) : scree_checkpoint_set_value(&c, name, -k));
    }
    CHECK_FAILS(scree_checkpoint_set_integer(&c, "more", 1), SCREE_ERR_ARGUMENT, "'more'");
    CHECK_OK(scree_checkpoint_set_integer(&c, name, 7));  // replaces
    CHECK_OK(scree_write_checkpoint(in_folder("a.npz"), &c));
    CHECK_OK(scree_read_checkpoint(in_folder("a.npz"), &back));
    check_same_checkpoint(&c, &back);
    assert_int_equal(scree_checkpoint_find(&back, name)->integer, 7);
    assert_null(scree_checkpoint_find(&back, "more"));
    text[5] = '\0';
    CHECK_FAILS(scree_checkpoint_set_scene(&c, text, length), SCREE_ERR_ARGUMENT, "byte 5");
    static const char* const bad[] = {"", "A", "a/b", ".", "a b", "a_name_of_thirty_two_characters_"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
        CHECK_FAILS(scree_checkpoint_set_value(&c, bad[k], 1.0), SCREE_ERR_ARGUMENT);
    free(text);
    scree_checkpoint_free(&c);
    scree_checkpoint_free(&back);
    scree_checkpoint_free(&back);  // empty now
    scree_checkpoint_free(NULL);
}

static void test_what_cannot_be_written(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(2, 3, 1), d = c;
    const char* path = in_folder("a.npz");
    d.dim = 4;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "dimension 4");
    d = c, d.count = -1;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "-1");
    d = c, d.columns[4].data = NULL;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "'key'", "NULL");
    d = c, d.columns[5] = d.columns[4];
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "'key'");
    d = c, d.columns[6].type = 7;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "'material'", "7");
    d = c, d.columns[8].components = 9;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "'anything'", "9");
    d = c, strcpy(d.columns[8].name, "A");
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "column 8");
    d = c, strcpy(d.columns[1].name, "w");
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "'v'");
    d = c, d.column_count = 25;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "25");
    d = c, d.hash ^= 1;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT);
    d = c, d.integrator = 2;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "integrator", "2");
    d = c, d.memory.count = 1;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "1 contacts", "0 numbers");
    d = c, d.memory.words = 17;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "17");
    d = c, d.memory = (scree_checkpoint_memory){.law = "record", .words = 1, .count = 3};
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "3 contacts", "NULL");
    d = c, d.memory.words = 1;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "'contact_law'");
    d = c, d.motions.count = -1;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "-1");
    d = c, d.motions.count = 2;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "2 boundaries", "NULL");
    d = c, d.number_count = SCREE_CHECKPOINT_NUMBERS + 1;
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "129");
    d = c, d.numbers[1] = d.numbers[0];
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "'frames'");
    d = c, memset(d.numbers[1].name, 'a', sizeof d.numbers[1].name);
    CHECK_FAILS(scree_write_checkpoint(path, &d), SCREE_ERR_ARGUMENT, "number 1");
    assert_int_equal(files_in_folder(), 0);
    scree_checkpoint_free(&c);
}

// ---- Simulations -------------------------------------------------------------------------------------------------

typedef struct setup {
    scree_sphere_set set;
    scree_sim_def def;
    double* v;
} setup;

static setup make_setup(int32_t dim, double restitution)
{
    setup s = {.def = scree_default_sim_def()};
    scene_params params = scene_default_params();
    params.dim = dim;
    params.count = 400;
    params.seed = 3;
    CHECK_OK(scene_make("addition", &params, &s.set));
    for (int32_t i = 0; i < s.set.count; ++i)
        s.set.r[i] += 0.12;  // so that there are contacts from the start
    s.v = malloc((size_t)s.set.count * (size_t)dim * sizeof *s.v);
    assert_non_null(s.v);
    s.def.box = s.set.box;
    s.def.stiffness = 50.0;
    s.def.restitution = restitution;
    s.def.order_every = 37;
    s.def.threads = 1;
    scree_thermal_def thermal = scree_default_thermal_def();
    thermal.temperature = 0.02;
    CHECK_OK(scree_thermal_velocities(&thermal, scree_sphere_set_view(&s.set), s.v));
    return s;
}

static scree_sim* start(const setup* s)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    return sim;
}

static void free_setup(setup* s)
{
    scree_sphere_set_free(&s->set);
    free(s->v);
}

// One run of 300 steps, and one that is stopped at several steps, put on disk and restored into a new simulation.
static void test_going_on(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        setup s = make_setup(2 + n % 2, n / 2 == 0 ? 0.0 : 0.7);
        s.def.wall_velocity[0][1] = -0.01;
        s.def.gravity[1] = -0.1;
        s.def.gravity_turn[2] = 0.3;
        s.def.integrator = n % 4 == 1 || n % 4 == 2;
        scree_sim* whole = start(&s);
        CHECK_OK(scree_sim_run(whole, 300));
        static const int64_t stops[] = {0, 1, 36, 37, 38, 110, 111, 250};
        int64_t done = 0;
        for (size_t k = 0; k < sizeof stops / sizeof *stops; ++k) {
            scree_checkpoint c = {0}, back;
            scree_sim* sim = start(&s);
            if (k > 0) {
                CHECK_OK(scree_read_checkpoint(in_folder("run.npz"), &back));
                CHECK_OK(scree_checkpoint_restore(&back, sim));
                assert_true(scree_sim_hash(sim) == back.hash);
                scree_checkpoint_free(&back);
            }
            assert_int_equal(scree_sim_get_step(sim), done);
            CHECK_OK(scree_sim_run(sim, stops[k] - done));
            done = stops[k];
            CHECK_OK(scree_checkpoint_save(sim, &c));
            assert_true(c.hash == scree_sim_hash(sim) && c.hash == hash_of(&c));
            CHECK_OK(scree_write_checkpoint(in_folder("run.npz"), &c));
            scree_checkpoint_free(&c);
            // Written from the simulation it has the same bytes.
            size_t bytes[2];
            CHECK_OK(scree_checkpoint_attach(sim, &c));
            checkpoint_rows_least = k % 2 == 0 ? 3 : 1 << 20;  // in several slices, and in one
            CHECK_OK(scree_write_checkpoint(in_folder("attached.npz"), &c));
            checkpoint_rows_least = 1 << 20;
            char *one = get_file(in_folder("run.npz"), &bytes[0]), *two = get_file(in_folder("attached.npz"), &bytes[1]);
            assert_int_equal(bytes[0], bytes[1]);
            assert_memory_equal(one, two, bytes[0]);
            free(one);
            free(two);
            scree_checkpoint_free(&c);
            scree_sim_destroy(sim);
            sim = start(&s);  // from each of them to the end
            CHECK_OK(scree_read_checkpoint(in_folder("run.npz"), &back));
            CHECK_OK(scree_checkpoint_restore(&back, sim));
            scree_checkpoint_free(&back);
            CHECK_OK(scree_sim_run(sim, 300 - done));
            assert_true(scree_sim_hash(sim) == scree_sim_hash(whole));
            scree_sim_destroy(sim);
        }
        scree_sim_destroy(whole);
        free_setup(&s);
    }
}

static void test_taken_again(void** state)
{
    (void)state;
    setup s = make_setup(3, 0.0);
    scree_sim* sim = start(&s);
    scree_checkpoint c = {0};
    EACH_ALLOCATION_FAILS(scree_checkpoint_save(sim, &c), assert_int_equal(c.column_count, 0));
    CHECK_OK(scree_checkpoint_set_scene(&c, "a: b", 4));
    CHECK_OK(scree_checkpoint_set_integer(&c, "frames", 3));
    const double* x = numbers_of(&c, "x");
    CHECK_OK(scree_sim_run(sim, 10));
    scree_memory_fail_at(0);
    CHECK_OK(scree_checkpoint_save(sim, &c));
    assert_int_equal(scree_memory_fail_at(0), 0);  // in the arrays that it has
    assert_ptr_equal(numbers_of(&c, "x"), x);
    assert_int_equal(c.step, 10);
    assert_string_equal(c.scene, "a: b");
    assert_int_equal(scree_checkpoint_find(&c, "frames")->integer, 3);
    setup flat = make_setup(2, 0.0);
    scree_sim* other = start(&flat);
    CHECK_OK(scree_checkpoint_save(other, &c));  // other arrays
    assert_int_equal(c.dim, 2);
    CHECK_OK(scree_checkpoint_restore(&c, other));
    scree_checkpoint_free(&c);
    scree_sim_destroy(sim);
    scree_sim_destroy(other);
    free_setup(&s);
    free_setup(&flat);
}

static void test_what_does_not_fit(void** state)
{
    (void)state;
    setup s = make_setup(3, 0.0), flat = make_setup(2, 0.0);
    scree_sim *sim = start(&s), *other;
    CHECK_OK(scree_sim_run(sim, 20));
    scree_checkpoint c = {0};
    CHECK_OK(scree_checkpoint_save(sim, &c));
    uint64_t hash = scree_sim_hash(sim);

    other = start(&flat);
    CHECK_FAILS(scree_checkpoint_restore(&c, other), SCREE_ERR_ARGUMENT, "3", "2");
    scree_sim_destroy(other);
    --s.set.count;
    other = start(&s);
    char text[100];
    snprintf(text, sizeof text, "checkpoint: it has %d spheres; expected %d", (int)c.count, (int)c.count - 1);
    CHECK_FAILS(scree_checkpoint_restore(&c, other), SCREE_ERR_ARGUMENT, text);
    scree_sim_destroy(other);
    ++s.set.count;
    s.def.time_step = c.time_step * 0.5;
    other = start(&s);
    CHECK_FAILS(scree_checkpoint_restore(&c, other), SCREE_ERR_ARGUMENT);
    scree_sim_destroy(other);
    s.def.time_step = c.time_step;
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;  // either way round
    other = start(&s);
    uint64_t untouched = scree_sim_hash(other);
    CHECK_FAILS(scree_checkpoint_restore(&c, other), SCREE_ERR_ARGUMENT, "velocity-verlet", "position-verlet");
    assert_true(scree_sim_hash(other) == untouched);
    scree_checkpoint positions = {0};
    CHECK_OK(scree_checkpoint_save(other, &positions));
    assert_true(positions.integrator == SCREE_INTEGRATOR_POSITION_VERLET && numbers_of(&positions, "x_before") != NULL);
    CHECK_FAILS(scree_checkpoint_restore(&positions, sim), SCREE_ERR_ARGUMENT, "velocity-verlet", "position-verlet");
    assert_true(scree_sim_hash(sim) == hash);
    CHECK_OK(scree_checkpoint_save(sim, &positions));  // the other arrays go
    assert_null(numbers_of(&positions, "x_before"));
    scree_checkpoint_free(&positions);
    scree_sim_destroy(other);
    s.def.integrator = SCREE_INTEGRATOR_VELOCITY_VERLET;
    s.set.r[17] = nextafter(s.set.r[17], 0.0);
    other = start(&s);
    CHECK_FAILS(scree_checkpoint_restore(&c, other), SCREE_ERR_ARGUMENT, "sphere 17", "radius");
    scree_sim_destroy(other);
    double* v = numbers_of(&c, "v");
    v[4] += 1.0;
    CHECK_FAILS(scree_checkpoint_restore(&c, sim), SCREE_ERR_ARGUMENT);
    v[4] = NAN;
    c.hash = hash_of(&c);
    CHECK_FAILS(scree_checkpoint_restore(&c, sim), SCREE_ERR_ARGUMENT, "sphere 1");
    assert_true(scree_sim_hash(sim) == hash);
    CHECK_OK(scree_checkpoint_save(sim, &c));
    EACH_ALLOCATION_FAILS(scree_checkpoint_restore(&c, sim), assert_true(scree_sim_hash(sim) == hash));
    assert_true(scree_sim_hash(sim) == hash);
    scree_checkpoint_free(&c);
    scree_sim_destroy(sim);
    free_setup(&s);
    free_setup(&flat);
}

// ---- Memory of contacts and motions of boundaries ---------------------------------------------------------------------

// Spheres of radius 0.5 (the small ones 0.2), two layers of two by two in a box so narrow that neighbours touch on both sides, some of them fixed, between
// walls along z; or, not periodic, in a cylinder that turns, with a ball that moves among them.
enum { slab_spheres = 12, slab_side_in_hundredths = 193 };

typedef struct slab {
    scree_sim_def def;
    scree_sim_law law;
    scree_sim_each each;
    scree_sim_boundary boundaries[2];
    double x[slab_spheres][3], r[slab_spheres], v[slab_spheres][3];
    uint8_t fixed[slab_spheres];
} slab;

static void make_slab(int n, slab* s)
{
    scree_rng rng = scree_rng_make(5, 0);
    double side = 0.01 * slab_side_in_hundredths;
    *s = (slab){.def = scree_default_sim_def(), .law = scree_default_sim_law(), .each = scree_default_sim_each()};
    for (int i = 0; i < slab_spheres; ++i) {
        s->r[i] = i < 8 ? 0.5 : 0.2;
        for (int k = 0; k < 3; ++k) {
            double at = i < 8 ? (k < 2 ? 0.5 * side * (i >> k & 1) + 0.25 * side : 0.49 + 0.97 * (i >> 2)) : k < 2 ? 0.25 * side + 0.5 * side * ((i >> k) & 1) : 2.2;
            s->x[i][k] = at + 0.01 * (2.0 * scree_rng_uniform(&rng) - 1.0);
            s->v[i][k] = i == 1 || i == 2 ? 0.0 : 3.0 * scree_rng_uniform(&rng) - 1.5;
        }
        s->fixed[i] = i == 1 || i == 2;
    }
    s->law.name = "record";
    s->each.fixed = s->fixed;
    s->def.law = &s->law;
    s->def.each = &s->each;
    s->def.box = (scree_box){.dim = 3, .upper = {side, side, 2.6}, .periodic = {n < 2, n < 2, false}};
    s->def.gravity[2] = -1.0;
    s->def.stiffness = 300.0;
    s->def.restitution = n == 0 ? 0.0 : 0.8;
    s->def.integrator = n == 1 ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
    s->def.order_every = 7;
    s->def.threads = 1;
    if (n < 2)
        return;
    s->boundaries[0] = s->boundaries[1] = scree_default_sim_boundary();
    s->boundaries[0].kind = "cylinder";
    s->boundaries[1].kind = "sphere";
    s->boundaries[0].radius = 1.17;
    s->boundaries[1].radius = 0.2;
    s->boundaries[1].outside = true;
    for (int k = 0; k < 2; ++k)
        s->boundaries[0].at[k] = s->boundaries[1].at[k] = 0.5 * side;
    s->boundaries[1].at[2] = 1.0;
    s->boundaries[0].spin[2] = 0.5;
    s->boundaries[1].velocity[2] = -0.02;
    s->def.boundaries = s->boundaries;
    s->def.boundary_count = 2;
}

static scree_sim* start_slab(const slab* s)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&s->def, (scree_spheres){.count = slab_spheres, .dim = 3, .x = &s->x[0][0], .r = s->r}, &s->v[0][0], &sim));
    return sim;
}

static void read_into(const char* path, scree_sim* sim)
{
    scree_checkpoint c;
    CHECK_OK(scree_read_checkpoint(path, &c));
    CHECK_OK(scree_checkpoint_restore(&c, sim));
    assert_true(scree_sim_hash(sim) == c.hash);
    scree_checkpoint_free(&c);
}

// From now on boundary 7 moves another way.
static void turn_round(scree_sim* sim, int n)
{
    if (n == 2)
        CHECK_OK(scree_sim_set_motion(sim, 7, (double[3]){0.01, 0.0, 0.02}, (double[3]){0.0, 0.3, 0.0}));
}

// One run of 300 steps, and some that are stopped, put on disk and restored into a new simulation: the same hash, and the same checkpoint, at the end.
static void test_memory_goes_on(void** state)
{
    (void)state;
    for (int n = 0; n < 3; ++n) {
        slab s;
        make_slab(n, &s);
        scree_sim* whole = start_slab(&s);
        scree_checkpoint last = {0}, now = {0};
        CHECK_OK(scree_sim_run(whole, 111));
        turn_round(whole, n);
        CHECK_OK(scree_sim_run(whole, 189));
        CHECK_OK(scree_checkpoint_save(whole, &last));
        // It shows what it is to show.
        int64_t images = 0, walls = 0, fixed = 0, grown = 0;
        for (int64_t c = 1; c < last.memory.count; ++c) {
            const int64_t(*ij)[2] = (const int64_t(*)[2])last.memory.ij;
            images += n < 2 && ij[c][1] >= 0 && memcmp(ij[c], ij[c - 1], sizeof *ij) == 0;
            walls += ij[c][1] < (n == 2 ? -6 : 0);
            fixed += ij[c][1] >= 0 && (s.fixed[ij[c][0]] != 0 || s.fixed[ij[c][1]] != 0);
            grown += last.memory.values[3 * c] > 1.0 && last.memory.values[3 * c] < 250.0;
        }
        assert_true(images > 0 || n == 2);
        assert_true(walls > 0 && fixed > 0 && grown > 0);
        assert_int_equal(last.motions.count, n == 2 ? 2 : 0);
        static const int64_t stops[] = {0, 1, 6, 7, 8, 110, 111, 250};
        int64_t done = 0;
        for (size_t k = 0; k < sizeof stops / sizeof *stops; ++k) {
            scree_sim* sim = start_slab(&s);
            if (k > 0)
                read_into(in_folder("run.npz"), sim);
            CHECK_OK(scree_sim_run(sim, stops[k] - done));
            done = stops[k];
            if (done == 111)
                turn_round(sim, n);
            CHECK_OK(scree_checkpoint_save(sim, &now));
            assert_int_equal(now.format_version, 5);
            CHECK_OK(scree_write_checkpoint(in_folder("run.npz"), &now));
            scree_sim_destroy(sim);
            sim = start_slab(&s);  // from each of them to the end
            read_into(in_folder("run.npz"), sim);
            if (done < 111) {
                CHECK_OK(scree_sim_run(sim, 111 - done));
                turn_round(sim, n);
            }
            CHECK_OK(scree_sim_run(sim, 300 - (done < 111 ? 111 : done)));
            CHECK_OK(scree_checkpoint_save(sim, &now));
            assert_true(now.hash == last.hash);
            check_same_memory(&last, &now);
            size_t size, again;
            char *one = bytes_of(&last, &size), *other = bytes_of(&now, &again);
            assert_int_equal(size, again);
            assert_memory_equal(one, other, size);
            free(one);
            free(other);
            scree_sim_destroy(sim);
        }
        scree_checkpoint_free(&last);
        scree_checkpoint_free(&now);
        scree_sim_destroy(whole);
    }
}

static void test_memory_that_does_not_fit(void** state)
{
    (void)state;
    slab s, other;
    make_slab(0, &s);
    scree_sim* sim = start_slab(&s);
    CHECK_OK(scree_sim_run(sim, 40));
    scree_checkpoint c = {0}, plain = {0};
    EACH_ALLOCATION_FAILS(scree_checkpoint_save(sim, &c), assert_true(c.column_count == 0 && c.memory.count == 0 && c.memory.ij == NULL));
    assert_true(c.memory.count > 0 && c.memory.words == 3 && c.memory.periodic);
    uint64_t hash = scree_sim_hash(sim);
    // A law without memory, either way round, and a box without images.
    other = s;
    other.def.law = NULL;
    other.def.each = &other.each;
    scree_sim* linear = start_slab(&other);
    CHECK_OK(scree_sim_run(linear, 40));
    uint64_t untouched = scree_sim_hash(linear);
    CHECK_FAILS(scree_checkpoint_restore(&c, linear), SCREE_ERR_ARGUMENT, "3", "'record'", "0", "'linear'");
    assert_true(scree_sim_hash(linear) == untouched);
    CHECK_OK(scree_checkpoint_save(linear, &plain));
    assert_int_equal(plain.format_version, 4);
    CHECK_FAILS(scree_checkpoint_restore(&plain, sim), SCREE_ERR_ARGUMENT, "0", "3", "'record'");
    assert_true(scree_sim_hash(sim) == hash);
    strcpy(c.memory.law, "other");
    CHECK_FAILS(scree_checkpoint_restore(&c, sim), SCREE_ERR_ARGUMENT, "'other'", "'record'");
    strcpy(c.memory.law, "record");
    CHECK_OK(scree_checkpoint_save(linear, &c));  // the memory goes
    assert_true(c.memory.words == 0 && c.memory.count == 0 && c.memory.ij == NULL);
    CHECK_OK(scree_checkpoint_save(sim, &c));
    make_slab(2, &other);
    other.def.boundary_count = 0;
    other.def.restitution = 0.0;
    scree_sim* closed = start_slab(&other);
    CHECK_FAILS(scree_checkpoint_restore(&c, closed), SCREE_ERR_ARGUMENT, "periodic");
    scree_sim_destroy(closed);
    // What the hash does not show, or was made to fit.
    c.memory.values[4] += 1.0;
    CHECK_FAILS(scree_checkpoint_restore(&c, sim), SCREE_ERR_ARGUMENT);
    c.memory.values[4] = NAN;
    c.hash = hash_of(&c);
    CHECK_FAILS(scree_checkpoint_restore(&c, sim), SCREE_ERR_ARGUMENT, "contact 1");
    CHECK_OK(scree_checkpoint_save(sim, &c));
    c.memory.shift[0][0] = (int8_t)(c.memory.shift[0][0] - 3);
    c.hash = hash_of(&c);
    CHECK_FAILS(scree_checkpoint_restore(&c, sim), SCREE_ERR_ARGUMENT, "contact 0");
    assert_true(scree_sim_hash(sim) == hash);
    CHECK_OK(scree_checkpoint_save(sim, &c));
    EACH_ALLOCATION_FAILS(scree_checkpoint_restore(&c, sim), (void)0);
    assert_true(scree_sim_hash(sim) == hash);
    scree_sim_destroy(sim);
    scree_sim_destroy(linear);

    // Boundaries: as many as the checkpoint has motions.
    make_slab(2, &s);
    sim = start_slab(&s);
    CHECK_OK(scree_sim_run(sim, 20));
    CHECK_OK(scree_checkpoint_save(sim, &c));
    assert_int_equal(c.motions.count, 2);
    --s.def.boundary_count;
    scree_sim* fewer = start_slab(&s);
    CHECK_OK(scree_checkpoint_save(fewer, &plain));
    CHECK_FAILS(scree_checkpoint_restore(&c, fewer), SCREE_ERR_ARGUMENT, "2", "1");
    CHECK_FAILS(scree_checkpoint_restore(&plain, sim), SCREE_ERR_ARGUMENT, "1", "2");
    scree_sim_destroy(fewer);
    s.def.boundary_count = 0;
    fewer = start_slab(&s);
    CHECK_OK(scree_checkpoint_save(fewer, &plain));
    CHECK_FAILS(scree_checkpoint_restore(&plain, sim), SCREE_ERR_ARGUMENT, "0", "2");
    scree_sim_destroy(fewer);
    c.motions.velocity[1][0] = NAN;
    CHECK_FAILS(scree_checkpoint_restore(&c, sim), SCREE_ERR_ARGUMENT, "boundary 7");
    scree_sim_destroy(sim);
    scree_checkpoint_free(&c);
    scree_checkpoint_free(&plain);
}

// Files that are whole, by their seal, with invalid memory or motions. Three spheres: contacts 0 to 9 are 0 0, 0 0, 0 1, 0 1, 1 1, 1 1, 1 2, 1 2, 2 2, 2 2;
// then come those with boundaries 0 and 7.
static void test_wrong_memory(void** state)
{
    (void)state;
    static const struct {
        int64_t contact, i, j;
        int8_t shift[3];
        const char* message;
    } bad[] = {
        {2, -1, 1, {0, 0, 0}, "m.npz | contact 2 | -1 and 1"},
        {2, 0, 3, {0, 0, 0}, "contact 2 | 0 and 3"},
        {2, 3, 3, {0, 1, 0}, "contact 2 | 3 and 3"},
        {6, 2, 1, {0, 0, 0}, "contact 6 | 2 and 1"},
        {0, 0, 0, {0, 0, 0}, "contact 0 | 0 and 0 | 0 0 0"},
        {0, 0, 0, {0, -1, 1}, "contact 0 | 0 -1 1"},
        {1, 0, 0, {0, 1, 0}, "contact 1"},
        {3, 0, 1, {0, -1, 0}, "contact 3"},
        {3, 0, 1, {-1, 5, 0}, "contact 3"},
        {3, 0, 0, {0, 1, 0}, "contact 3"},
        {9, 2, -1, {0, 0, 0}, "contact 10"},
        {10, 0, -9, {0, 0, 0}, "contact 10 | 0 and -9 | 8 boundaries"},
        {10, 0, INT64_MIN, {0, 0, 0}, "contact 10"},
        {10, 0, -1, {0, 1, 0}, "contact 10 | 0 and -1 | 0 1 0"},
        {11, 0, -1, {0, 0, 0}, "contact 11"},
        {12, 0, -5, {0, 0, 0}, "contact 12"},
        {12, INT64_MAX, -1, {0, 0, 0}, "contact 12"},
    };
    scree_checkpoint c = random_checkpoint(3, 3, 4);
    add_memory(&c, true, 2, 2, 1);
    assert_int_equal(c.memory.count, 16);
    snprintf(c.library, sizeof c.library, "%s", scree_version());
    part parts[part_most];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        int64_t* ij = c.memory.ij[bad[k].contact];
        int8_t* shift = c.memory.shift[bad[k].contact];
        int64_t ij_was[2] = {ij[0], ij[1]};
        int8_t shift_was[3] = {shift[0], shift[1], shift[2]};
        ij[0] = bad[k].i;
        ij[1] = bad[k].j;
        memcpy(shift, bad[k].shift, 3);
        c.hash = hash_of(&c);
        CHECK_FAILS(read_parts(parts, parts_of(&c, parts), 5), SCREE_ERR_FORMAT, bad[k].message);
        memcpy(ij, ij_was, sizeof ij_was);
        memcpy(shift, shift_was, sizeof shift_was);
    }
    c.hash = hash_of(&c);
    CHECK_OK(read_parts(parts, parts_of(&c, parts), 5));
    CHECK_FAILS(read_parts(parts, parts_of(&c, parts), 4), SCREE_ERR_FORMAT, "version 4", "version 5");  // an older reader would drop it
    c.account_count = 2;
    c.account[0] = 1.5;
    c.account[1] = NAN;
    CHECK_FAILS(read_parts(parts, parts_of(&c, parts), 5), SCREE_ERR_FORMAT, "version 5", "version 6");
    CHECK_FAILS(read_parts(parts, parts_of(&c, parts), 6), SCREE_ERR_FORMAT, "'energy_sums'", "sum 1");
    c.account_count = 0;
    c.memory.values[3] = 0.5;
    CHECK_FAILS(read_parts(parts, parts_of(&c, parts), 5), SCREE_ERR_FORMAT, "hash");
    c.hash = hash_of(&c);
    c.motions.since[1] = c.step + 1;
    CHECK_FAILS(read_parts(parts, parts_of(&c, parts), 5), SCREE_ERR_FORMAT, "'boundary_since'", "boundary 7");
    c.motions.since[1] = 0;

    // Members that are missing, have another name, another shape or another type.
    static char text[64] = "a law\0";
    static const struct {
        const char *part, *name;
        part_kind kind;
        int32_t axes;
        int64_t rows, columns;
        const char* message;
    } other[] = {
        {"contact_law", "further", .message = "'contact_law'"},
        {"contact_ij", "further", .message = "'contact_ij'"},
        {"contact_shift", "further", .message = "'further'"},
        {"contact_memory", "further", .message = "'contact_memory'"},
        {"boundary_at", "further", .message = "'boundary_at'"},
        {"boundary_since", "further", .message = "'boundary_since'"},
        {"boundary_velocity", "further", .message = "'boundary_velocity'"},
        {"boundary_spin", "further", .message = "'boundary_spin'"},
        {"contact_law", .kind = PART_TEXT, .rows = 32, .columns = 1, .message = "'contact_law'"},
        {"contact_law", .kind = PART_TEXT, .rows = 1, .columns = 1, .message = "'contact_law'"},
        {"contact_law", .kind = PART_TEXT, .rows = 6, .columns = 1, .message = "'contact_law'"},
        {"contact_law", .kind = PART_UINT8, .axes = 1, .rows = 6, .columns = 1, .message = "'contact_law'"},
        {"contact_ij", .kind = PART_UINT8, .axes = 2, .rows = 16, .columns = 2, .message = "'contact_ij' | uint8 | int64"},
        {"contact_ij", .kind = PART_INT64, .axes = 2, .rows = 15, .columns = 2, .message = "'contact_shift' | (16, 3) | (15, 3)"},
        {"contact_ij", .kind = PART_INT64, .axes = 2, .rows = 16, .columns = 1, .message = "'contact_ij' | (16, 1) | (16, 2)"},
        {"contact_shift", .kind = PART_UINT8, .axes = 2, .rows = 16, .columns = 3, .message = "'contact_shift' | uint8 | int8"},
        {"contact_memory", .kind = PART_FLOAT64, .axes = 1, .rows = 16, .columns = 1, .message = "'contact_memory' | (16,)"},
        {"contact_memory", .kind = PART_FLOAT64, .axes = 2, .rows = 1, .columns = 17, .message = "byte"},
        {"contact_memory", .kind = PART_FLOAT64, .axes = 2, .rows = 16, .columns = 1, .message = "hash"},
        {"boundary_at", .kind = PART_FLOAT64, .axes = 2, .rows = 1, .columns = 3, .message = "'boundary_since' | (2,) | (1,)"},
        {"boundary_spin", .kind = PART_FLOAT64, .axes = 2, .rows = 2, .columns = 2, .message = "'boundary_spin' | (2, 2) | (2, 3)"},
    };
    for (size_t k = 0; k < sizeof other / sizeof *other; ++k) {
        int32_t count = parts_of(&c, parts);
        part* p = parts;
        while (strcmp(p->name, other[k].part) != 0)
            ++p;
        if (other[k].name != NULL)
            snprintf(p->name, sizeof p->name, "%s", other[k].name);
        if (other[k].rows > 0)
            *p = (part){.kind = other[k].kind, .axes = other[k].axes, .shape = {other[k].rows, other[k].columns}, .data = p->data};
        if (other[k].rows > 0)
            snprintf(p->name, sizeof p->name, "%s", other[k].part);
        if (strcmp(p->name, "contact_law") == 0)
            p->data = other[k].rows == 1 ? "" : text;
        CHECK_FAILS(read_parts(parts, count, 5), SCREE_ERR_FORMAT, other[k].message);
    }
    // A newer version without anything that needs it, and rows that are 0.
    scree_checkpoint none = random_checkpoint(2, 0, 2);
    snprintf(none.library, sizeof none.library, "%s", scree_version());
    CHECK_FAILS(read_parts(parts, parts_of(&none, parts), 5), SCREE_ERR_FORMAT, "version 5", "version 4");
    add_memory(&none, true, 3, 0, 1);
    assert_int_equal(none.memory.count, 0);
    CHECK_OK(read_parts(parts, parts_of(&none, parts), 5));
    scree_checkpoint_free(&none);
    scree_checkpoint_free(&c);
}

// ---- What can fail -----------------------------------------------------------------------------------------------

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 3000, 2), back = {0};
    add_memory(&c, true, 2, 1, 2);
    const char* path = in_folder("a.npz");
    put_text(path, OLD);
    EACH_ALLOCATION_FAILS(scree_write_checkpoint(path, &c), CHECK_FILE(path, OLD));
    assert_int_equal(files_in_folder(), 1);
    EACH_ALLOCATION_FAILS(scree_read_checkpoint(path, &back), assert_int_equal(back.column_count, 0));
    check_same_checkpoint(&c, &back);
    EACH_ALLOCATION_FAILS(scree_checkpoint_set_scene(&c, "new", 3), assert_string_equal(c.scene, scene_text));
    scree_checkpoint_free(&c);
    scree_checkpoint_free(&back);
}

static const test_case cases[] = {
    UNIT(test_checksum),
    UNIT(test_round_trip),
    UNIT(test_scenes_and_numbers),
    UNIT(test_what_cannot_be_written),
    SAME_BITS(test_going_on),
    ALLOCATION(test_taken_again),
    ALLOCATION(test_what_does_not_fit),
    SAME_BITS(test_memory_goes_on),
    ALLOCATION(test_memory_that_does_not_fit),
    UNIT(test_wrong_memory),
    ALLOCATION(test_nth_allocation_fails),
};

const test_group group_checkpoint = {.name = "checkpoint", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
