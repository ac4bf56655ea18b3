// Checkpoints: every bit comes back, a simulation goes on from one as if it had never been stopped, HDF5 itself sees the same in the file,
// and a file that was cut or altered in any byte, a full disk or a lack of memory is told and costs nothing.
#include "file_support.h"

#include "files/checkpoint_parts.h"
#include "files/crc64.h"
#include "scenes.h"

#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

// ---- Checkpoints -------------------------------------------------------------------------------------------------

static const char scene_text[] = "dimension: 2\nseed: 1  # K\xC3\xB6rner\n";

// Any bits but NaN, with the extremes.
static double random_number(scree_rng* rng)
{
    static const double edges[] = {0.0, -0.0, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, -DBL_TRUE_MIN, INFINITY, -INFINITY, 1.0};
    if (scree_rng_below(rng, 4) == 0)
        return edges[scree_rng_below(rng, sizeof edges / sizeof *edges)];
    for (;;) {
        uint64_t bits = scree_rng_bits(rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isnan(value))
            return value;
    }
}

static scree_checkpoint random_checkpoint(int32_t dim, int32_t count, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 0);
    scree_checkpoint c = {.dim = dim, .count = count, .integrator = (int32_t)(seed % 2)};
    CHECK_OK(checkpoint_reserve(&c, 0));
    for (int32_t e = 0; e < count * dim; ++e) {
        if (c.state.x_before != NULL)
            c.state.x_before[e] = random_number(&rng);
        c.state.x[e] = random_number(&rng);
        c.state.v[e] = random_number(&rng);
        c.state.a[e] = random_number(&rng);
    }
    for (int32_t i = 0; i < count; ++i) {
        c.r[i] = random_number(&rng);
        c.state.order[i] = (int32_t)(scree_rng_bits(&rng) >> 32);
    }
    c.state.step = (int64_t)(scree_rng_bits(&rng) >> 1);
    c.step_length = random_number(&rng);
    scree_sim_walls* walls = &c.state.walls;
    for (int k = 0; k < 6; ++k) {
        walls->at[k / 2][k % 2] = random_number(&rng);
        walls->velocity[k / 2][k % 2] = random_number(&rng);
    }
    for (int k = 0; k < 3; ++k) {
        walls->gravity[k] = random_number(&rng);
        walls->turn[k] = random_number(&rng);
    }
    walls->since = (int64_t)scree_rng_bits(&rng);
    walls->gravity_since = (int64_t)scree_rng_bits(&rng);
    c.hash = scree_sim_state_hash(&c.state, count, dim);
    CHECK_OK(scree_checkpoint_set_scene(&c, scene_text, sizeof scene_text - 1));
    CHECK_OK(scree_checkpoint_set_integer(&c, "frames", 12));
    CHECK_OK(scree_checkpoint_set_integer(&c, "log_bytes", INT64_MIN));
    CHECK_OK(scree_checkpoint_set_value(&c, "seconds", 0.1));
    return c;
}

static void check_same(const scree_checkpoint* a, const scree_checkpoint* b)
{
    assert_int_equal(b->format_version, a->integrator == SCREE_INTEGRATOR_POSITION_VERLET ? 3 : 1);
    assert_int_equal(a->integrator, b->integrator);
    assert_int_equal(a->state.x_before != NULL, b->state.x_before != NULL);
    if (a->state.x_before != NULL)
        check_same_bits(a->state.x_before, b->state.x_before, (int64_t)a->count * a->dim, "x_before");
    assert_string_equal(b->library, scree_version());
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->dim, b->dim);
    int64_t all = (int64_t)a->count * a->dim;
    check_same_bits(a->state.x, b->state.x, all, "x");
    check_same_bits(a->state.v, b->state.v, all, "v");
    check_same_bits(a->state.a, b->state.a, all, "a");
    check_same_bits(a->r, b->r, a->count, "r");
    for (int32_t i = 0; i < a->count; ++i)
        assert_int_equal(a->state.order[i], b->state.order[i]);
    assert_int_equal(a->state.step, b->state.step);
    check_same_bits(&a->step_length, &b->step_length, 1, "step length");
    assert_true(a->hash == b->hash);
    assert_memory_equal(&a->state.walls, &b->state.walls, sizeof a->state.walls);
    assert_int_equal(a->scene_length, b->scene_length);
    assert_string_equal(a->scene == NULL ? "" : a->scene, b->scene);
    assert_int_equal(a->number_count, b->number_count);
    for (int32_t k = 0; k < a->number_count; ++k) {
        assert_string_equal(a->numbers[k].name, b->numbers[k].name);
        assert_int_equal(a->numbers[k].whole, b->numbers[k].whole);
        assert_int_equal(a->numbers[k].integer, b->numbers[k].integer);
        check_same_bits(&a->numbers[k].value, &b->numbers[k].value, 1, a->numbers[k].name);
    }
}

// Reads bytes as a file; *out is untouched by a failure.
static scree_status read_bytes(const char* bytes, size_t count, scree_checkpoint* out)
{
    scree_input input;
    char* exact = malloc(count + (count == 0));  // of just that size, so that the address sanitizer sees the end
    assert_non_null(exact);
    memcpy(exact, bytes, count);
    scree_input_memory(&input, "m.h5", exact, (int64_t)count, 1 << 16);
    scree_checkpoint before;
    memcpy(&before, out, sizeof before);
    scree_status status = checkpoint_read_input(&input, out);
    if (status != SCREE_OK)
        assert_memory_equal(&before, out, sizeof before);
    scree_input_close(&input);
    free(exact);
    return status;
}

static char* bytes_of(const scree_checkpoint* c, size_t* size)
{
    CHECK_OK(scree_checkpoint_write(in_folder("bytes.h5"), c));
    char* bytes = get_file(in_folder("bytes.h5"), size);
    unlink(in_folder("bytes.h5"));
    return bytes;
}

// ---- Round trips -------------------------------------------------------------------------------------------------

static void test_checksum(void** state)
{
    (void)state;
    assert_true(scree_crc64("123456789", 9) == 0x995DC9BBDF1939FAu);
    assert_true(scree_crc64("", 0) == 0);
    char text[64];  // eight at a time is the same as one by one
    for (int k = 0; k < 64; ++k)
        text[k] = (char)(k * 37);
    for (size_t length = 0; length < 64; ++length) {
        uint64_t sum = ~(uint64_t)0;
        for (size_t k = 0; k < length; ++k) {
            sum ^= (unsigned char)text[k];
            for (int bit = 0; bit < 8; ++bit)
                sum = sum >> 1 ^ (sum & 1 ? 0xC96C5795D7870F42u : 0u);
        }
        assert_true(scree_crc64(text, length) == ~sum);
    }
}

static void test_round_trip(void** state)
{
    (void)state;
    static const int32_t counts[] = {0, 1, 2, 7, 300, 10000};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n)
        for (int32_t dim = 2; dim <= 3; ++dim) {
            scree_checkpoint c = random_checkpoint(dim, counts[n], n), back, again;
            CHECK_OK(scree_checkpoint_write(in_folder("a.h5"), &c));
            CHECK_OK(scree_checkpoint_read(in_folder("a.h5"), &back));
            check_same(&c, &back);
            // The same content gives the same bytes, and any block boundaries the same content.
            size_t first, second;
            char *one = get_file(in_folder("a.h5"), &first), *two = bytes_of(&back, &second);
            assert_int_equal(first, second);
            assert_memory_equal(one, two, first);
            CHECK_OK(read_bytes(one, first, &again));
            check_same(&c, &again);
            assert_true(first < 32768 + (size_t)counts[n] * (size_t)((28 + 8 * c.integrator) * dim + 12));
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
        CHECK_OK(scree_checkpoint_write(in_folder("a.h5"), &c));
        CHECK_OK(scree_checkpoint_read(in_folder("a.h5"), &back));
        check_same(&c, &back);
        scree_checkpoint_free(&back);
    }
    scree_free(c.scene);
    c.scene = NULL;
    c.scene_length = 0;
    CHECK_OK(scree_checkpoint_write(in_folder("a.h5"), &c));
    CHECK_OK(scree_checkpoint_read(in_folder("a.h5"), &back));
    check_same(&c, &back);
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
    CHECK_OK(scree_checkpoint_write(in_folder("a.h5"), &c));
    CHECK_OK(scree_checkpoint_read(in_folder("a.h5"), &back));
    check_same(&c, &back);
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
    const char* path = in_folder("a.h5");
    d.dim = 4;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "dimension 4");
    d = c, d.count = -1;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "-1");
    d = c, d.state.order = NULL;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "NULL");
    d = c, d.hash ^= 1;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT);
    d = c, d.state.x_before = NULL;  // seed 1: position Verlet
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "x_before", "position-verlet");
    d = c, d.integrator = SCREE_INTEGRATOR_VELOCITY_VERLET;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "x_before", "velocity-verlet");
    d = c, d.integrator = 2;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "integrator", "2");
    d = c, d.number_count = 33;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "33");
    d = c, d.numbers[1] = d.numbers[0];
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "'frames'");
    d = c, memset(d.numbers[1].name, 'a', sizeof d.numbers[1].name);
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "number 1");
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

// One run of 300 steps, and one that is stopped at several steps, put on disk and taken up by a simulation made anew.
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
                CHECK_OK(scree_checkpoint_read(in_folder("run.h5"), &back));
                CHECK_OK(scree_checkpoint_give(&back, sim));
                assert_true(scree_sim_hash(sim) == back.hash);
                scree_checkpoint_free(&back);
            }
            assert_int_equal(scree_sim_step(sim), done);
            CHECK_OK(scree_sim_run(sim, stops[k] - done));
            done = stops[k];
            CHECK_OK(scree_checkpoint_take(sim, &c));
            assert_true(c.hash == scree_sim_hash(sim) && c.hash == scree_sim_state_hash(&c.state, c.count, c.dim));
            CHECK_OK(scree_checkpoint_write(in_folder("run.h5"), &c));
            scree_checkpoint_free(&c);
            scree_sim_destroy(sim);
            sim = start(&s);  // from each of them to the end
            CHECK_OK(scree_checkpoint_read(in_folder("run.h5"), &back));
            CHECK_OK(scree_checkpoint_give(&back, sim));
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
    EACH_ALLOCATION_FAILS(scree_checkpoint_take(sim, &c), assert_null(c.r));
    CHECK_OK(scree_checkpoint_set_scene(&c, "a: b", 4));
    CHECK_OK(scree_checkpoint_set_integer(&c, "frames", 3));
    const double* x = c.state.x;
    CHECK_OK(scree_sim_run(sim, 10));
    scree_memory_fail_at(0);
    CHECK_OK(scree_checkpoint_take(sim, &c));
    assert_int_equal(scree_memory_fail_at(0), 0);  // in the arrays that it has
    assert_ptr_equal(c.state.x, x);
    assert_int_equal(c.state.step, 10);
    assert_string_equal(c.scene, "a: b");
    assert_int_equal(scree_checkpoint_find(&c, "frames")->integer, 3);
    setup flat = make_setup(2, 0.0);
    scree_sim* other = start(&flat);
    CHECK_OK(scree_checkpoint_take(other, &c));  // other arrays
    assert_int_equal(c.dim, 2);
    CHECK_OK(scree_checkpoint_give(&c, other));
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
    CHECK_OK(scree_checkpoint_take(sim, &c));
    uint64_t hash = scree_sim_hash(sim);

    other = start(&flat);
    CHECK_FAILS(scree_checkpoint_give(&c, other), SCREE_ERR_ARGUMENT, "3", "2");
    scree_sim_destroy(other);
    --s.set.count;
    other = start(&s);
    char text[100];
    snprintf(text, sizeof text, "checkpoint: it has %d spheres and the simulation %d", (int)c.count, (int)c.count - 1);
    CHECK_FAILS(scree_checkpoint_give(&c, other), SCREE_ERR_ARGUMENT, text);
    scree_sim_destroy(other);
    ++s.set.count;
    s.def.step = c.step_length * 0.5;
    other = start(&s);
    CHECK_FAILS(scree_checkpoint_give(&c, other), SCREE_ERR_ARGUMENT);
    scree_sim_destroy(other);
    s.def.step = c.step_length;
    s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;  // either way round
    other = start(&s);
    uint64_t untouched = scree_sim_hash(other);
    CHECK_FAILS(scree_checkpoint_give(&c, other), SCREE_ERR_ARGUMENT, "velocity-verlet", "position-verlet");
    assert_true(scree_sim_hash(other) == untouched);
    scree_checkpoint positions = {0};
    CHECK_OK(scree_checkpoint_take(other, &positions));
    assert_true(positions.integrator == SCREE_INTEGRATOR_POSITION_VERLET && positions.state.x_before != NULL);
    CHECK_FAILS(scree_checkpoint_give(&positions, sim), SCREE_ERR_ARGUMENT, "velocity-verlet", "position-verlet");
    assert_true(scree_sim_hash(sim) == hash);
    CHECK_OK(scree_checkpoint_take(sim, &positions));  // the other arrays go
    assert_null(positions.state.x_before);
    scree_checkpoint_free(&positions);
    scree_sim_destroy(other);
    s.def.integrator = SCREE_INTEGRATOR_VELOCITY_VERLET;
    s.set.r[17] = nextafter(s.set.r[17], 0.0);
    other = start(&s);
    CHECK_FAILS(scree_checkpoint_give(&c, other), SCREE_ERR_ARGUMENT, "sphere 17", "radius");
    scree_sim_destroy(other);
    c.state.v[4] += 1.0;
    CHECK_FAILS(scree_checkpoint_give(&c, sim), SCREE_ERR_ARGUMENT);
    c.state.v[4] = NAN;
    c.hash = scree_sim_state_hash(&c.state, c.count, c.dim);
    CHECK_FAILS(scree_checkpoint_give(&c, sim), SCREE_ERR_ARGUMENT, "sphere 1");
    assert_true(scree_sim_hash(sim) == hash);
    CHECK_OK(scree_checkpoint_take(sim, &c));
    EACH_ALLOCATION_FAILS(scree_checkpoint_give(&c, sim), assert_true(scree_sim_hash(sim) == hash));
    assert_true(scree_sim_hash(sim) == hash);
    scree_checkpoint_free(&c);
    scree_sim_destroy(sim);
    free_setup(&s);
    free_setup(&flat);
}

// ---- As HDF5 sees it ---------------------------------------------------------------------------------------------

static void check_dataset(hid_t file, const char* name, hid_t type, int axes, hsize_t rows, hsize_t columns, const void* wanted)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    hsize_t shape[2] = {1, 1};
    assert_int_equal(H5Sget_simple_extent_ndims(space), axes);
    H5Sget_simple_extent_dims(space, shape, NULL);
    assert_int_equal(shape[0], rows);
    assert_int_equal(shape[1], columns);
    size_t bytes = (size_t)(rows * columns) * H5Tget_size(type);
    char* data = malloc(bytes + 1);
    assert_non_null(data);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (bytes > 0)
        assert_memory_equal(data, wanted, bytes);
    free(data);
    H5Sclose(space);
    H5Dclose(dataset);
}

static void test_hdf5(void** state)
{
    (void)state;
    static const int32_t counts[] = {0, 1, 1000};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        scree_checkpoint c = random_checkpoint(3, counts[n], 8 + n);
        CHECK_OK(scree_checkpoint_write(in_folder("a.h5"), &c));
        hid_t file = H5Fopen(in_folder("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        hsize_t rows = (hsize_t)counts[n];
        check_dataset(file, "x", H5T_NATIVE_DOUBLE, 2, rows, 3, c.state.x);
        check_dataset(file, "v", H5T_NATIVE_DOUBLE, 2, rows, 3, c.state.v);
        check_dataset(file, "a", H5T_NATIVE_DOUBLE, 2, rows, 3, c.state.a);
        if (c.state.x_before != NULL)
            check_dataset(file, "x_before", H5T_NATIVE_DOUBLE, 2, rows, 3, c.state.x_before);
        assert_true((H5Lexists(file, "x_before", H5P_DEFAULT) > 0) == (c.state.x_before != NULL));
        check_dataset(file, "radius", H5T_NATIVE_DOUBLE, 1, rows, 1, c.r);
        check_dataset(file, "order", H5T_NATIVE_INT32, 1, rows, 1, c.state.order);
        check_dataset(file, "step", H5T_NATIVE_INT64, 0, 1, 1, &c.state.step);
        check_dataset(file, "step_length", H5T_NATIVE_DOUBLE, 0, 1, 1, &c.step_length);
        check_dataset(file, "hash", H5T_NATIVE_UINT64, 0, 1, 1, &c.hash);
        check_dataset(file, "wall_at", H5T_NATIVE_DOUBLE, 2, 3, 2, c.state.walls.at);
        check_dataset(file, "wall_velocity", H5T_NATIVE_DOUBLE, 2, 3, 2, c.state.walls.velocity);
        check_dataset(file, "wall_since", H5T_NATIVE_INT64, 0, 1, 1, &c.state.walls.since);
        check_dataset(file, "gravity", H5T_NATIVE_DOUBLE, 1, 3, 1, c.state.walls.gravity);
        check_dataset(file, "gravity_turn", H5T_NATIVE_DOUBLE, 1, 3, 1, c.state.walls.turn);
        check_dataset(file, "gravity_since", H5T_NATIVE_INT64, 0, 1, 1, &c.state.walls.gravity_since);
        check_dataset(file, "progress/frames", H5T_NATIVE_INT64, 0, 1, 1, &c.numbers[0].integer);
        check_dataset(file, "progress/seconds", H5T_NATIVE_DOUBLE, 0, 1, 1, &c.numbers[2].value);
        hid_t text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, sizeof scene_text - 1);
        H5Tset_strpad(text, H5T_STR_NULLPAD);
        H5Tset_cset(text, H5T_CSET_UTF8);
        check_dataset(file, "scene", text, 0, 1, 1, scene_text);
        H5Tclose(text);
        int32_t version = 0;
        hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
        assert_true(H5Aread(attribute, H5T_NATIVE_INT32, &version) >= 0);
        assert_int_equal(version, c.state.x_before != NULL ? SCREE_CHECKPOINT_POSITIONS : SCREE_CHECKPOINT_VERSION);
        H5Aclose(attribute);
        H5Fclose(file);
        scree_checkpoint_free(&c);
    }
}

static herr_t never_called(hid_t stack, void* context)
{
    (void)stack;
    (void)context;
    fail_msg("HDF5 reports an error");
    return 0;
}

// Whoever uses HDF5 as well finds its error handler as it was, and their open files alone.
static void test_hdf5_beside_ours(void** state)
{
    (void)state;
    H5E_auto2_t before, now;
    void *context, *now_context;
    int mark;
    H5Eget_auto2(H5E_DEFAULT, &before, &context);
    H5Eset_auto2(H5E_DEFAULT, never_called, &mark);
    hid_t theirs = H5Fcreate(in_folder("theirs.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    scree_checkpoint c = random_checkpoint(2, 5, 1);
    CHECK_OK(scree_checkpoint_write(in_folder("a.h5"), &c));
    CHECK_FAILS(scree_checkpoint_write(in_folder("no/a.h5"), &c), SCREE_ERR_IO, "no/a.h5");
    H5Eget_auto2(H5E_DEFAULT, &now, &now_context);
    assert_true(now == never_called && now_context == &mark);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 1);
    assert_true(H5Fclose(theirs) >= 0);
    H5Eset_auto2(H5E_DEFAULT, before, context);
    scree_checkpoint none;
    CHECK_FAILS(scree_checkpoint_read(in_folder("theirs.h5"), &none), SCREE_ERR_FORMAT);
    scree_checkpoint_free(&c);
}

// ---- Files that are not whole ------------------------------------------------------------------------------------

static void reseal(char* bytes, size_t size)
{
    checkpoint_store64(bytes + size - seal_size + seal_checksum_at, scree_crc64(bytes, size - seal_size + seal_checksum_at));
}

static void test_cuts(void** state)
{
    (void)state;
    for (int n = 0; n < 2; ++n) {
        scree_checkpoint c = random_checkpoint(2, n == 0 ? 2 : 5000, 4), none = {0};
        size_t size;
        char* bytes = bytes_of(&c, &size);
        scree_rng rng = scree_rng_make(1, 0);
        for (size_t k = 0; k < (n == 0 ? size : 200); ++k) {
            size_t cut = n == 0 ? k : (size_t)scree_rng_below(&rng, size);
            const char* wanted = cut == 0 ? "m.h5: the file is empty" : cut < 4096 ? "m.h5: the file is too short: it was cut after " : "cut ";
            CHECK_FAILS(read_bytes(bytes, cut, &none), SCREE_ERR_FORMAT, wanted);
        }
        for (size_t more = 1; more < 100; ++more) {  // and what was added to
            char* longer = calloc(size + more, 1);
            assert_non_null(longer);
            memcpy(longer, bytes, size);
            CHECK_FAILS(read_bytes(longer, size + more, &none), SCREE_ERR_FORMAT, "m.h5");
            memcpy(longer + more, bytes, size);  // in front
            CHECK_FAILS(read_bytes(longer, size + more, &none), SCREE_ERR_FORMAT, "m.h5");
            free(longer);
        }
        free(bytes);
        scree_checkpoint_free(&c);
    }
}

static void test_flips(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 2, 4), none = {0};
    size_t size;
    char* bytes = bytes_of(&c, &size);
    for (size_t k = 0; k < size; k += test_is_small() ? 5 : 1)
        for (int bit = 0; bit < 8; bit += k % 16 == 0 ? 1 : 7) {
            bytes[k] = (char)(bytes[k] ^ 1 << bit);
            if (read_bytes(bytes, size, &none) != SCREE_ERR_FORMAT)
                fail_msg("bit %d of byte %zu of %zu turned, and nobody saw it", bit, k, size);
            if (k < size - seal_size)
                assert_non_null(strstr(scree_error_message(), "m.h5: the file was altered: its checksum is "));
            bytes[k] = (char)(bytes[k] ^ 1 << bit);
        }
    CHECK_OK(read_bytes(bytes, size, &none));
    scree_checkpoint_free(&none);
    scree_checkpoint_free(&c);
    free(bytes);
}

// Every byte altered behind a right checksum: an answer or a refusal, and never more memory than the file warrants.
static void test_flips_resealed(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 2, 4), back = {0};
    size_t size;
    char* bytes = bytes_of(&c, &size);
    for (size_t k = 0; k < size - 8; k += test_is_small() ? 7 : 1)
        for (int value = 1; value < 256; value = value * 3 + 1) {
            bytes[k] = (char)(bytes[k] ^ value);
            reseal(bytes, size);
            scree_status status = read_bytes(bytes, size, &back);
            if (status == SCREE_OK)
                scree_checkpoint_free(&back);
            else if (status != SCREE_ERR_FORMAT || strncmp(scree_error_message(), "m.h5: ", 6) != 0)
                fail_msg("byte %zu of %zu gives %d: %s", k, size, (int)status, scree_error_message());
            bytes[k] = (char)(bytes[k] ^ value);
        }
    scree_checkpoint_free(&c);
    free(bytes);
}

static char* entry_of(char* bytes, size_t size, const char* name)
{
    char* seal = bytes + size - seal_size;
    for (char* at = bytes + checkpoint_load64(seal + seal_image_at); at < seal; at += entry_size)
        if (strcmp(at, name) == 0)
            return at;
    fail_msg("no entry %s", name);
    return NULL;
}

static void test_wrong_content(void** state)
{
    (void)state;
    static const struct {
        const char* entry;  // "": the seal
        int at, width;
        uint64_t value;
        const char* message;
    } bad[] = {
        {"", seal_version_at, 4, 4, "m.h5 | version 4"},
        {"", seal_version_at, 4, 3, "m.h5 | 'x_before'"},  // one of spheres that says so of itself
        {"", seal_version_at, 4, 2, "m.h5 | 'shape_first'"},
        {"", seal_version_at, 4, 4711, "version 3"},
        {"", seal_version_at, 4, 0, "version 0"},
        {"", seal_entries_at, 4, 3, "3"},
        {"", seal_entries_at, 4, UINT32_MAX, ""},
        {"", seal_image_at, 8, UINT64_MAX, ""},
        {"", seal_file_at, 8, 7, ""},
        {"x", entry_kind_at, 4, PART_INT64, "'x' | 2 | 3"},
        {"x", entry_kind_at, 4, 99, "'x' | 2 | 3"},
        {"x", entry_axes_at, 4, 1, "'x' | 1"},
        {"x", entry_shape_at, 8, 1, "'v' | 2 | 3 | 1"},
        {"x", entry_shape_at, 8, (uint64_t)1 << 61, ""},
        {"x", entry_shape_at, 8, UINT64_MAX, ""},
        {"x", entry_shape_at + 8, 8, 4, "'x' | 2 | 4"},
        {"x", entry_shape_at + 8, 8, UINT64_MAX / 2, ""},
        {"x", entry_offset_at, 8, UINT64_MAX - 7, ""},
        {"x", entry_offset_at, 8, 8, ""},
        {"v", 0, 4, 'w', "'v'"},
        {"order", entry_kind_at, 4, PART_FLOAT64, "'order' | 1"},
        {"scene", entry_kind_at, 4, PART_INT32, ""},
        {"scene", entry_offset_at, 8, 9, ""},
        {"library", entry_shape_at, 8, 32, ""},
        {"library", entry_offset_at, 8, 9, ""},
        {"progress/frames", 9, 4, '/', ""},
        {"progress/frames", 9, 4, 0, ""},
        {"progress/frames", entry_kind_at, 4, PART_UINT64, "'progress/frames'"},
    };
    scree_checkpoint c = random_checkpoint(3, 2, 4), none = {0};
    size_t size;
    char* bytes = bytes_of(&c, &size);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char* copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        char* at = (*bad[k].entry == '\0' ? copy + size - seal_size : entry_of(copy, size, bad[k].entry)) + bad[k].at;
        bad[k].width == 4 ? checkpoint_store32(at, (uint32_t)bad[k].value) : checkpoint_store64(at, bad[k].value);
        reseal(copy, size);
        CHECK_FAILS(read_bytes(copy, size, &none), SCREE_ERR_FORMAT, bad[k].message);
        free(copy);
    }
    CHECK_FAILS(read_bytes("x,y,r\n1,2,3\n", 12, &none), SCREE_ERR_FORMAT, "m.h5");
    free(bytes);
    scree_checkpoint_free(&c);
}

// A file that an earlier build wrote: its bytes mean the same for ever.
static void test_file_of_version_1(void** state)
{
    (void)state;
    scree_checkpoint c;
    CHECK_OK(scree_checkpoint_read(TEST_DATA "/checkpoint/version_1.h5", &c));
    assert_int_equal(c.format_version, 1);
    assert_string_equal(c.library, "0.1.0");
    assert_int_equal(c.count, 2);
    assert_int_equal(c.dim, 2);
    assert_int_equal(c.state.step, 1000);
    static const double x[] = {0.25, 0.5, 0.75, -0.5}, v[] = {1, 2, -1, -2}, a[] = {0, -9.81, 0, -9.81}, r[] = {0.125, 0.0625};
    check_same_bits(x, c.state.x, 4, "x");
    check_same_bits(v, c.state.v, 4, "v");
    check_same_bits(a, c.state.a, 4, "a");
    check_same_bits(r, c.r, 2, "r");
    assert_int_equal(c.state.order[0], 1);
    assert_int_equal(c.state.order[1], 0);
    assert_true(c.state.walls.at[0][1] == 1.0 && c.state.walls.at[1][1] == INFINITY && c.state.walls.velocity[0][0] == 0.5);
    assert_true(c.state.walls.gravity[1] == -9.81 && c.state.walls.turn[2] == 0.25);
    assert_int_equal(c.state.walls.since, 10);
    assert_int_equal(c.state.walls.gravity_since, 20);
    assert_true(c.step_length == 1e-3);
    assert_string_equal(c.scene, "dimension: 2\n");
    assert_int_equal(scree_checkpoint_find(&c, "frames")->integer, 12);
    assert_true(scree_checkpoint_find(&c, "seconds")->value == 2.5);
    scree_checkpoint_free(&c);
}

// ---- What can fail -----------------------------------------------------------------------------------------------

static void test_nth_system_call_fails(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 40000, 2);  // several buffers
    const char* path = in_folder("a.h5");
    for (int existing = 0; existing < 2; ++existing)
        for (int64_t n = 1;; ++n) {
            unlink(path);
            if (existing)
                put_text(path, OLD);
            scree_output_fail_at(n, ENOSPC);
            scree_status status = scree_checkpoint_write(path, &c);
            int64_t calls = scree_output_fail_at(0, 0);
            if (status == SCREE_OK) {
                assert_true(calls < n && calls > 6);
                break;
            }
            assert_int_equal(status, SCREE_ERR_IO);
            assert_non_null(strstr(scree_error_message(), path));
            assert_non_null(strstr(scree_error_message(), strerror(ENOSPC)));
            if (!is_written_anyway()) {
                if (existing)
                    CHECK_FILE(path, OLD);
                assert_int_equal(files_in_folder(), existing);
            }
        }
    scree_checkpoint_free(&c);
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 3000, 2), back = {0};
    const char* path = in_folder("a.h5");
    put_text(path, OLD);
    EACH_ALLOCATION_FAILS(scree_checkpoint_write(path, &c), CHECK_FILE(path, OLD));
    assert_int_equal(files_in_folder(), 1);
    EACH_ALLOCATION_FAILS(scree_checkpoint_read(path, &back), assert_null(back.r));
    check_same(&c, &back);
    EACH_ALLOCATION_FAILS(scree_checkpoint_set_scene(&c, "new", 3), assert_string_equal(c.scene, scene_text));
    scree_checkpoint_free(&c);
    scree_checkpoint_free(&back);
}

// A disk that really takes no more: the old checkpoint stays, byte for byte.
static void test_full_disk(void** state)
{
    (void)state;
    scree_checkpoint small = random_checkpoint(2, 10, 1), large = random_checkpoint(3, 20000, 2), back;
    const char* path = in_folder("a.h5");
    CHECK_OK(scree_checkpoint_write(path, &small));
    CHECK_FAILS(scree_checkpoint_write("/dev/full", &large), SCREE_ERR_IO, "/dev/full");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {100000, 100000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        scree_status status = scree_checkpoint_write(path, &large);
        _exit(status == SCREE_ERR_IO && strstr(scree_error_message(), "File too large") != NULL ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    CHECK_OK(scree_checkpoint_read(path, &back));
    check_same(&small, &back);
    assert_int_equal(files_in_folder(), 1);
    scree_checkpoint_free(&small);
    scree_checkpoint_free(&large);
    scree_checkpoint_free(&back);
}

static void test_paths(void** state)
{
    (void)state;
    scree_checkpoint none;
    CHECK_FAILS(scree_checkpoint_read(in_folder("none.h5"), &none), SCREE_ERR_IO, "none.h5");
    CHECK_FAILS(scree_checkpoint_read(folder, &none), SCREE_ERR_IO);
    put_text(in_folder("empty.h5"), "");
    CHECK_FAILS(scree_checkpoint_read(in_folder("empty.h5"), &none), SCREE_ERR_FORMAT, "empty.h5");
}

static const test_case cases[] = {
    UNIT(test_checksum),
    UNIT(test_round_trip),
    UNIT(test_scenes_and_numbers),
    UNIT(test_what_cannot_be_written),
    SAME_BITS(test_going_on),
    ALLOCATION(test_taken_again),
    ALLOCATION(test_what_does_not_fit),
    UNIT(test_hdf5),
    UNIT(test_hdf5_beside_ours),
    UNIT(test_cuts),
    UNIT(test_flips),
    UNIT(test_flips_resealed),
    UNIT(test_wrong_content),
    UNIT(test_file_of_version_1),
    ALLOCATION(test_nth_system_call_fails),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_full_disk),
    UNIT(test_paths),
};

const test_group group_checkpoint = {.name = "checkpoint", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
