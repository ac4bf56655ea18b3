// Checkpoints: every bit comes back, a simulation goes on from one as if it had never been stopped, the file is a zip of .npy arrays for whoever reads it by
// the book, slices in any order give the same file, and a file that was cut or altered in any byte, a full disk or a lack of memory is reported and costs nothing.
#include "file_support.h"

#include "files/checkpoint_layout.h"
#include "files/crc64.h"
#include "scenes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

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

static double* numbers_of(const scree_checkpoint* c, const char* name)
{
    return (double*)(uintptr_t)scree_checkpoint_values(c, name, SCREE_TYPE_FLOAT64);
}

static uint64_t hash_of(const scree_checkpoint* c)
{
    const scree_sim_values values[] = {{"x", numbers_of(c, "x")}, {"v", numbers_of(c, "v")}};
    const scree_checkpoint_memory* m = &c->memory;
    scree_sim_memory memory = {.count = m->count, .words = m->words, .ij = (const int64_t(*)[2])m->ij, .shift = (const int8_t(*)[3])m->shift, .values = m->values};
    return scree_sim_state_hash(&(scree_sim_state){.step = c->step, .column_count = 2, .columns = values, .memory = &memory}, c->count, c->dim);
}

static size_t column_bytes(const scree_checkpoint* c, int32_t k)
{
    return (size_t)c->count * (size_t)c->columns[k].components * scree_type_size((scree_type)c->columns[k].type);
}

// With columns of every type; those of numbers have edges of their range.
static scree_checkpoint random_checkpoint(int32_t dim, int32_t count, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 0);
    scree_checkpoint c = {.dim = dim, .count = count, .integrator = (int32_t)(seed % 2), .column_count = seed % 2 == 1 ? 10 : 9};
    const scree_checkpoint_column columns[10] = {{"x", SCREE_TYPE_FLOAT64, dim, NULL},       {"v", SCREE_TYPE_FLOAT64, dim, NULL},
                                                 {"a", SCREE_TYPE_FLOAT64, dim, NULL},       {"radius", SCREE_TYPE_FLOAT64, 1, NULL},
                                                 {"key", SCREE_TYPE_UINT64, 1, NULL},        {"id", SCREE_TYPE_INT64, 1, NULL},
                                                 {"material", SCREE_TYPE_UINT16, 1, NULL},   {"flags", SCREE_TYPE_UINT8, 1, NULL},
                                                 {"anything", SCREE_TYPE_INT32, 5, NULL},    {"x_before", SCREE_TYPE_FLOAT64, dim, NULL}};
    memcpy(c.columns, columns, sizeof columns);
    memset(&c.columns[c.column_count], 0, (10 - (size_t)c.column_count) * sizeof *c.columns);
    CHECK_OK(checkpoint_reserve(&c, 0));
    for (int32_t k = 0; k < c.column_count; ++k)
        for (size_t e = 0; e < column_bytes(&c, k); ++e)
            if (c.columns[k].type != SCREE_TYPE_FLOAT64)
                ((unsigned char*)c.columns[k].data)[e] = (unsigned char)scree_rng_bits(&rng);
            else if (e % 8 == 0)
                ((double*)c.columns[k].data)[e / 8] = random_number(&rng);
    c.step = (int64_t)(scree_rng_bits(&rng) >> 1);
    c.step_length = random_number(&rng);
    c.giant_radius = random_number(&rng);
    c.force_quantum = random_number(&rng);
    scree_sim_walls* walls = &c.walls;
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
    c.hash = hash_of(&c);
    CHECK_OK(scree_checkpoint_set_scene(&c, scene_text, sizeof scene_text - 1));
    CHECK_OK(scree_checkpoint_set_integer(&c, "frames", 12));
    CHECK_OK(scree_checkpoint_set_integer(&c, "log_bytes", INT64_MIN));
    CHECK_OK(scree_checkpoint_set_value(&c, "seconds", 0.1));
    return c;
}

// One contact that remembers, behind the others.
static void add_contact(scree_checkpoint_memory* m, int64_t i, int64_t j, int shift)
{
    m->ij[m->count][0] = i;
    m->ij[m->count][1] = j;
    if (m->periodic)
        memcpy(m->shift[m->count], (int8_t[3]){0, (int8_t)shift, 0}, 3);
    ++m->count;
}

// Contacts of each sphere with the next one and with its own image, in two images each if there are such, and with the walls; and motions of boundaries, the last
// of which everyone touches.
static void add_memory(scree_checkpoint* c, bool periodic, int32_t words, int32_t motions, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 0);
    scree_checkpoint_memory* m = &c->memory;
    int64_t most = 6 * (int64_t)c->count;
    *m = (scree_checkpoint_memory){.law = "record", .words = words, .periodic = periodic, .ij_capacity = most, .value_capacity = most * words};
    m->ij = scree_calloc((size_t)most, sizeof *m->ij);
    m->values = scree_calloc((size_t)(most * words), sizeof *m->values);
    m->shift_capacity = periodic ? most : 0;
    m->shift = periodic ? scree_calloc((size_t)most, sizeof *m->shift) : NULL;
    for (int32_t i = 0; i < c->count; ++i) {
        for (int shift = 1; shift <= 2 && periodic; ++shift)
            add_contact(m, i, i, shift);
        for (int shift = periodic ? -1 : 1; shift <= 1 && i + 1 < c->count; shift += 2)
            add_contact(m, i, i + 1, shift);
    }
    for (int32_t i = 0; i < c->count; ++i)
        for (int32_t b = 0; b < 6 + motions; b += 5 + motions)
            add_contact(m, i, -1 - b, 0);
    for (int64_t k = 0; k < m->count * words; ++k)
        m->values[k] = random_number(&rng);
    c->motions = (scree_checkpoint_motions){.count = motions};
    if (motions > 0) {
        c->motions.at = scree_calloc((size_t)motions, sizeof *c->motions.at);
        c->motions.since = scree_calloc((size_t)motions, sizeof *c->motions.since);
        c->motions.velocity = scree_calloc((size_t)motions, sizeof *c->motions.velocity);
        c->motions.spin = scree_calloc((size_t)motions, sizeof *c->motions.spin);
    }
    for (int32_t b = 0; b < motions; ++b) {
        c->motions.since[b] = c->step - b;
        for (int k = 0; k < 3; ++k) {
            c->motions.at[b][k] = random_number(&rng);
            c->motions.velocity[b][k] = random_number(&rng);
            c->motions.spin[b][k] = random_number(&rng);
        }
    }
    c->hash = hash_of(c);
}

static void check_same_memory(const scree_checkpoint* a, const scree_checkpoint* b)
{
    assert_string_equal(a->memory.law, b->memory.law);
    assert_int_equal(a->memory.words, b->memory.words);
    assert_int_equal(a->memory.count, b->memory.count);
    assert_int_equal(a->memory.periodic, b->memory.periodic);
    size_t count = (size_t)a->memory.count, motions = (size_t)a->motions.count;
    if (count > 0) {
        assert_memory_equal(a->memory.ij, b->memory.ij, count * sizeof *a->memory.ij);
        assert_memory_equal(a->memory.values, b->memory.values, count * (size_t)a->memory.words * sizeof *a->memory.values);
        if (a->memory.periodic)
            assert_memory_equal(a->memory.shift, b->memory.shift, count * sizeof *a->memory.shift);
    }
    assert_int_equal(a->motions.count, b->motions.count);
    if (motions > 0) {
        assert_memory_equal(a->motions.at, b->motions.at, motions * sizeof *a->motions.at);
        assert_memory_equal(a->motions.since, b->motions.since, motions * sizeof *a->motions.since);
        assert_memory_equal(a->motions.velocity, b->motions.velocity, motions * sizeof *a->motions.velocity);
        assert_memory_equal(a->motions.spin, b->motions.spin, motions * sizeof *a->motions.spin);
    }
}

static void check_same(const scree_checkpoint* a, const scree_checkpoint* b)
{
    assert_int_equal(b->format_version, a->account_count > 0 ? 6 : a->memory.words > 0 || a->motions.count > 0 ? 5 : 4);
    assert_int_equal(a->account_count, b->account_count);
    assert_memory_equal(a->account, b->account, (size_t)a->account_count * sizeof *a->account);
    check_same_memory(a, b);
    assert_int_equal(a->integrator, b->integrator);
    assert_string_equal(b->library, scree_version());
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->dim, b->dim);
    assert_int_equal(a->column_count, b->column_count);
    for (int32_t k = 0; k < a->column_count; ++k) {
        assert_string_equal(a->columns[k].name, b->columns[k].name);
        assert_int_equal(a->columns[k].type, b->columns[k].type);
        assert_int_equal(a->columns[k].components, b->columns[k].components);
        if (a->count > 0)
            assert_memory_equal(a->columns[k].data, b->columns[k].data, column_bytes(a, k));
    }
    assert_int_equal(a->step, b->step);
    check_same_bits(&a->step_length, &b->step_length, 1, "step length");
    check_same_bits(&a->giant_radius, &b->giant_radius, 1, "giant radius");
    check_same_bits(&a->force_quantum, &b->force_quantum, 1, "force quantum");
    assert_true(a->hash == b->hash);
    assert_memory_equal(&a->walls, &b->walls, sizeof a->walls);
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
    scree_input_memory(&input, "m.npz", exact, (int64_t)count, 1 << 16);
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
    CHECK_OK(scree_checkpoint_write(in_folder("bytes.npz"), c));
    char* bytes = get_file(in_folder("bytes.npz"), size);
    unlink(in_folder("bytes.npz"));
    return bytes;
}

static int32_t parts_of(const scree_checkpoint* c, part parts[part_most])
{
    return checkpoint_parts(c, c->has_bodies ? checkpoint_vertices(c) : 0, parts);
}

// Writes any parts, whether they make a checkpoint or not, and reads them.
static scree_status read_parts(part* parts, int32_t count, int32_t version)
{
    scree_output output;
    scree_checkpoint none = {0};
    size_t size;
    CHECK_OK(scree_output_open(&output, in_folder("parts.npz"), (scree_watch){0}));
    checkpoint_put_parts(&output, parts, count, version);
    CHECK_OK(scree_output_close(&output, SCREE_OK));
    char* bytes = get_file(in_folder("parts.npz"), &size);
    scree_status status = read_bytes(bytes, size, &none);
    free(bytes);
    if (status == SCREE_OK)
        scree_checkpoint_free(&none);
    return status;
}

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
            CHECK_OK(scree_checkpoint_write(in_folder("a.npz"), &c));
            CHECK_OK(scree_checkpoint_read(in_folder("a.npz"), &back));
            check_same(&c, &back);
            // The same content gives the same bytes, and any block boundaries the same content.
            size_t first, second;
            char *one = get_file(in_folder("a.npz"), &first), *two = bytes_of(&back, &second);
            assert_int_equal(first, second);
            assert_memory_equal(one, two, first);
            CHECK_OK(read_bytes(one, first, &again));
            check_same(&c, &again);
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
        CHECK_OK(scree_checkpoint_write(in_folder("a.npz"), &c));
        CHECK_OK(scree_checkpoint_read(in_folder("a.npz"), &back));
        check_same(&c, &back);
        scree_checkpoint_free(&back);
    }
    scree_free(c.scene);
    c.scene = NULL;
    c.scene_length = 0;
    CHECK_OK(scree_checkpoint_write(in_folder("a.npz"), &c));
    CHECK_OK(scree_checkpoint_read(in_folder("a.npz"), &back));
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
    CHECK_OK(scree_checkpoint_write(in_folder("a.npz"), &c));
    CHECK_OK(scree_checkpoint_read(in_folder("a.npz"), &back));
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
    const char* path = in_folder("a.npz");
    d.dim = 4;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "dimension 4");
    d = c, d.count = -1;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "-1");
    d = c, d.columns[4].data = NULL;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "'key'", "NULL");
    d = c, d.columns[5] = d.columns[4];
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "'key'");
    d = c, d.columns[6].type = 7;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "'material'", "7");
    d = c, d.columns[8].components = 9;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "'anything'", "9");
    d = c, strcpy(d.columns[8].name, "A");
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "column 8");
    d = c, strcpy(d.columns[1].name, "w");
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "'v'");
    d = c, d.column_count = 25;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "25");
    d = c, d.hash ^= 1;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT);
    d = c, d.integrator = 2;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "integrator", "2");
    d = c, d.memory.count = 1;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "1 contacts", "0 numbers");
    d = c, d.memory.words = 17;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "17");
    d = c, d.memory = (scree_checkpoint_memory){.law = "record", .words = 1, .count = 3};
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "3 contacts", "NULL");
    d = c, d.memory.words = 1;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "'contact_law'");
    d = c, d.motions.count = -1;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "-1");
    d = c, d.motions.count = 2;
    CHECK_FAILS(scree_checkpoint_write(path, &d), SCREE_ERR_ARGUMENT, "2 boundaries", "NULL");
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
                CHECK_OK(scree_checkpoint_read(in_folder("run.npz"), &back));
                CHECK_OK(scree_checkpoint_restore(&back, sim));
                assert_true(scree_sim_hash(sim) == back.hash);
                scree_checkpoint_free(&back);
            }
            assert_int_equal(scree_sim_step(sim), done);
            CHECK_OK(scree_sim_run(sim, stops[k] - done));
            done = stops[k];
            CHECK_OK(scree_checkpoint_save(sim, &c));
            assert_true(c.hash == scree_sim_hash(sim) && c.hash == hash_of(&c));
            CHECK_OK(scree_checkpoint_write(in_folder("run.npz"), &c));
            scree_checkpoint_free(&c);
            // Written from the simulation it has the same bytes.
            size_t bytes[2];
            CHECK_OK(scree_checkpoint_attach(sim, &c));
            checkpoint_rows_least = k % 2 == 0 ? 3 : 1 << 20;  // in several slices, and in one
            CHECK_OK(scree_checkpoint_write(in_folder("attached.npz"), &c));
            checkpoint_rows_least = 1 << 20;
            char *one = get_file(in_folder("run.npz"), &bytes[0]), *two = get_file(in_folder("attached.npz"), &bytes[1]);
            assert_int_equal(bytes[0], bytes[1]);
            assert_memory_equal(one, two, bytes[0]);
            free(one);
            free(two);
            scree_checkpoint_free(&c);
            scree_sim_destroy(sim);
            sim = start(&s);  // from each of them to the end
            CHECK_OK(scree_checkpoint_read(in_folder("run.npz"), &back));
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
    s.def.step = c.step_length * 0.5;
    other = start(&s);
    CHECK_FAILS(scree_checkpoint_restore(&c, other), SCREE_ERR_ARGUMENT);
    scree_sim_destroy(other);
    s.def.step = c.step_length;
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
    CHECK_OK(scree_checkpoint_read(path, &c));
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

// One run of 300 steps, and some that are stopped, put on disk and taken up by a simulation made anew: the same hash, and the same checkpoint, at the end.
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
            CHECK_OK(scree_checkpoint_write(in_folder("run.npz"), &now));
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

// Files that are whole, by their seal, with memory or motions that cannot be. Three spheres: contacts 0 to 9 are 0 0, 0 0, 0 1, 0 1, 1 1, 1 1, 1 2, 1 2, 2 2, 2 2;
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

// ---- As a zip of .npy arrays -----------------------------------------------------------------------------------------

typedef struct zip {
    int fd;
    int64_t size;
    int64_t directory, entries;
} zip;

static uint64_t number_at(const zip* z, int64_t at, int bytes)
{
    unsigned char b[8] = {0};
    uint64_t value = 0;
    assert_int_equal(pread(z->fd, b, (size_t)bytes, at), bytes);
    for (int k = 0; k < bytes; ++k)
        value |= (uint64_t)b[k] << 8 * k;
    return value;
}

// Finds the directory as APPNOTE.TXT says, from the end.
static zip open_zip(const char* path)
{
    zip z = {.fd = open(path, O_RDONLY)};
    assert_true(z.fd >= 0);
    z.size = lseek(z.fd, 0, SEEK_END);
    int64_t end = z.size - 22;
    while (end >= 0 && (number_at(&z, end, 4) != 0x06054b50 || end + 22 + (int64_t)number_at(&z, end + 20, 2) != z.size))
        --end;
    assert_true(end >= 0);
    z.entries = (int64_t)number_at(&z, end + 10, 2);
    z.directory = (int64_t)number_at(&z, end + 16, 4);
    if (z.directory == UINT32_MAX) {
        assert_int_equal(number_at(&z, end - 20, 4), 0x07064b50);
        int64_t record = (int64_t)number_at(&z, end - 12, 8);
        assert_int_equal(number_at(&z, record, 4), 0x06064b50);
        assert_int_equal(record + 12 + (int64_t)number_at(&z, record + 4, 8), end - 20);
        z.entries = (int64_t)number_at(&z, record + 32, 8);
        z.directory = (int64_t)number_at(&z, record + 48, 8);
        assert_int_equal(z.directory + (int64_t)number_at(&z, record + 40, 8), record);
    }
    return z;
}

// The value of a field, or if all its bits are set the next number of Zip64's extra field, which lies at *wide.
static int64_t wide_field(const zip* z, int64_t at, int64_t* wide)
{
    uint64_t value = number_at(z, at, 4);
    if (value != UINT32_MAX)
        return (int64_t)value;
    assert_true(*wide > 0);
    *wide += 8;
    return (int64_t)number_at(z, *wide - 8, 8);
}

// Zip64's field among the extra fields, behind its own head; 0: there is none.
static int64_t wide_extra(const zip* z, int64_t at, int64_t length)
{
    int64_t found = 0, end = at + length;
    for (; at + 4 <= end; at += 4 + (int64_t)number_at(z, at + 2, 2))
        if (number_at(z, at, 2) == 1)
            found = at + 4;
    assert_int_equal(at, end);
    return found;
}

// One member by the book: the entry at *at, which moves on, and the header that it leads to. Returns where the member begins.
static int64_t check_member(const zip* z, int64_t* at, const char* name, int64_t* size)
{
    char found[100] = "";
    size_t length = (size_t)number_at(z, *at + 28, 2);
    int64_t extra = (int64_t)number_at(z, *at + 30, 2), wide = wide_extra(z, *at + 46 + (int64_t)length, extra);
    assert_int_equal(number_at(z, *at, 4), 0x02014b50);
    assert_true(length < sizeof found && pread(z->fd, found, length, *at + 46) == (ssize_t)length);
    assert_string_equal(found, name);
    assert_int_equal(number_at(z, *at + 8, 4), 0);  // flags, method
    assert_true((wide > 0) == (number_at(z, *at + 6, 2) == 45));
    int64_t original = wide_field(z, *at + 24, &wide);
    *size = wide_field(z, *at + 20, &wide);
    assert_int_equal(original, *size);
    int64_t local = wide_field(z, *at + 42, &wide);
    assert_int_equal(number_at(z, local, 4), 0x04034b50);
    assert_int_equal(number_at(z, local + 14, 4), number_at(z, *at + 16, 4));
    assert_int_equal(number_at(z, local + 26, 2), length);
    memset(found, 0, sizeof found);
    assert_int_equal(pread(z->fd, found, length, local + 30), length);
    assert_string_equal(found, name);
    int64_t local_extra = (int64_t)number_at(z, local + 28, 2), begin = local + 30 + (int64_t)length + local_extra;
    wide = wide_extra(z, local + 30 + (int64_t)length, local_extra);
    assert_int_equal(wide_field(z, local + 22, &wide), *size);
    assert_int_equal(wide_field(z, local + 18, &wide), *size);
    assert_int_equal(begin % 64, 0);
    *at += 46 + (int64_t)length + extra;
    return begin;
}

// A part as a reader of zip and .npy finds it: its header, its data at a multiple of 64, its checksum.
static void check_part(const zip* z, int64_t* at, const part* p)
{
    char name[100], wanted[200];
    static const char* const descr[] = {"<f8", "<i8", "<u8", "<i4", "<u2", "|u1", "|i1", "|S"};
    int64_t size, entry = *at;
    snprintf(name, sizeof name, "%s.npy", p->name);
    int64_t begin = check_member(z, at, name, &size);
    int used = snprintf(wanted, sizeof wanted, "{'descr': '%s", descr[p->kind]);
    if (p->kind == PART_TEXT)
        used += snprintf(wanted + used, sizeof wanted - (size_t)used, "%" PRId64, p->shape[0]);
    used += snprintf(wanted + used, sizeof wanted - (size_t)used, "', 'fortran_order': False, 'shape': (");
    for (int k = 0; k < p->axes; ++k)
        used += snprintf(wanted + used, sizeof wanted - (size_t)used, k == 0 && p->axes == 1 ? "%" PRId64 "," : k == 0 ? "%" PRId64 ", " : "%" PRId64, p->shape[k]);
    snprintf(wanted + used, sizeof wanted - (size_t)used, "), }");
    char* bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(pread(z->fd, bytes, (size_t)size, begin), size);
    assert_memory_equal(bytes, "\x93NUMPY\1\0", 8);
    size_t header = (size_t)number_at(z, begin + 8, 2);
    assert_int_equal((10 + header) % 64, 0);
    assert_memory_equal(bytes + 10, wanted, strlen(wanted));
    for (size_t k = strlen(wanted); k < header; ++k)
        assert_int_equal(bytes[10 + k], k == header - 1 ? '\n' : ' ');
    assert_int_equal(size, (int64_t)(10 + header) + checkpoint_bytes(p));
    if (p->shape[0] > 0)
        assert_memory_equal(bytes + 10 + header, p->data, (size_t)checkpoint_bytes(p));  // on a little-endian machine
    assert_int_equal(crc32(0, (unsigned char*)bytes, (unsigned)size), number_at(z, entry + 16, 4));
    free(bytes);
}

static void test_zip(void** state)
{
    (void)state;
    static const int32_t counts[] = {0, 1, 1000};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        scree_checkpoint c = random_checkpoint(3, counts[n], 8 + n);
        if (n > 0)
            add_memory(&c, n == 1, 3, 1, n);
        if (n == 1)
            CHECK_OK(scree_checkpoint_set_scene(&c, "", 0));
        CHECK_OK(scree_checkpoint_write(in_folder("a.npz"), &c));
        snprintf(c.library, sizeof c.library, "%s", scree_version());
        part parts[part_most];
        int32_t count = parts_of(&c, parts);
        zip z = open_zip(in_folder("a.npz"));
        assert_int_equal(z.entries, count);
        int64_t at = z.directory;
        for (int32_t k = 0; k < count; ++k)
            check_part(&z, &at, &parts[k]);
        assert_int_equal(number_at(&z, at, 4), 0x06054b50);
        close(z.fd);
        scree_checkpoint_free(&c);
    }
}

// All kinds with all numbers of axes; these are parts, but no checkpoint.
static void test_kinds(void** state)
{
    (void)state;
    part parts[part_most] = {0};
    char data[48];
    int32_t count = 0;
    for (int k = 0; k < 48; ++k)
        data[k] = (char)(7 * k + 1);
    for (part_kind kind = 0; kind < part_kinds; ++kind)
        for (int32_t axes = 0; axes <= (kind == PART_TEXT ? 0 : 2); ++axes) {
            part* p = &parts[count++];
            *p = (part){.kind = kind, .axes = axes, .shape = {axes > 0 ? 2 : 1, axes > 1 ? 3 : 1}, .data = data};
            if (kind == PART_TEXT)
                p->shape[0] = 48;
            snprintf(p->name, sizeof p->name, "%d/part_%d", (int)kind, (int)axes);
        }
    CHECK_FAILS(read_parts(parts, count, 4), SCREE_ERR_FORMAT, "'x'");  // is not there: the members themselves are right
    zip z = open_zip(in_folder("parts.npz"));
    int64_t at = z.directory;
    for (int32_t k = 0; k < count; ++k)
        check_part(&z, &at, &parts[k]);
    close(z.fd);
}

// Many writers: rows in slices of any size and order, heads and tail at any time once the sums are there.
static void test_slices(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 5000, 6);
    add_memory(&c, true, 3, 1, 6);
    snprintf(c.library, sizeof c.library, "%s", scree_version());
    size_t size, again;
    char* serial = bytes_of(&c, &size);
    scree_rng rng = scree_rng_make(3, 0);
    part parts[part_most];
    int32_t count = parts_of(&c, parts);
    assert_int_equal(checkpoint_lay_out(parts, count), size);
    enum { slices = 9 };
    int64_t first[part_most][slices + 1];
    part_sums sums[part_most][slices];
    struct {
        int32_t part, slice;
    } order[part_most * slices];
    int32_t pieces = 0;
    for (int32_t k = 0; k < count; ++k)
        for (int32_t j = 0; j < slices; ++j) {
            first[k][j] = j == 0 ? 0 : (int64_t)scree_rng_below(&rng, (uint64_t)(parts[k].shape[0] - first[k][j - 1]) + 1) / 2 + first[k][j - 1];
            first[k][slices] = parts[k].shape[0];
            int32_t to = (int32_t)scree_rng_below(&rng, (uint64_t)pieces + 1);
            order[pieces++] = order[to];
            order[to].part = k;
            order[to].slice = j;
        }
    scree_output output;
    CHECK_OK(scree_output_open(&output, in_folder("a.npz"), (scree_watch){0}));
    for (int32_t n = 0; n < pieces; ++n) {
        const part* p = &parts[order[n].part];
        const int64_t* f = &first[order[n].part][order[n].slice];
        const char* from = (const char*)p->data + f[0] * checkpoint_row_bytes(p);
        sums[order[n].part][order[n].slice] = checkpoint_sum_rows(p, f[1] - f[0], from);
        checkpoint_put_rows(&output, p, f[0], f[1] - f[0], from);
    }
    for (int32_t k = count - 1; k >= 0; --k) {
        part_sums all = {0};
        for (int32_t j = 0; j < slices; ++j)
            all = checkpoint_join(all, sums[k][j]);
        checkpoint_set_sums(&parts[k], all);
    }
    checkpoint_put_tail(&output, parts, count, 5);
    for (int32_t k = count - 1; k >= 0; --k)
        checkpoint_put_head(&output, &parts[k]);
    CHECK_OK(scree_output_close(&output, SCREE_OK));
    char* sliced = get_file(in_folder("a.npz"), &again);
    assert_int_equal(again, size);
    assert_memory_equal(sliced, serial, size);
    // What cannot be replaced takes the bytes in order only.
    CHECK_OK(scree_output_open(&output, "/dev/null", (scree_watch){0}));
    checkpoint_put_head(&output, &parts[1]);
    CHECK_FAILS(scree_output_close(&output, output.status), SCREE_ERR_IO, "/dev/null", "byte 0");
    free(serial);
    free(sliced);
    scree_checkpoint_free(&c);
}

// Sums of zeros, by doubling.
static part_sums sum_of_zeros(int64_t bytes)
{
    static const double zeros[4096];
    part_sums power = checkpoint_sum_rows(&(part){.kind = PART_UINT8, .shape = {1, 1}}, 1, zeros), all = {0};
    for (; bytes > 0; bytes >>= 1, power = checkpoint_join(power, power))
        if (bytes & 1)
            all = checkpoint_join(all, power);
    return all;
}

// Members before, at and beyond 4 GiB, in a file of holes: sizes and offsets have their Zip64 form where they need it, and nowhere else.
static void test_beyond_4_gib(void** state)
{
    (void)state;
    static double few[] = {1.0, 2.0, 3.0};
    static const int64_t members[] = {UINT32_MAX - (int64_t)1, UINT32_MAX, (int64_t)UINT32_MAX + 1, (int64_t)5 << 32};
    for (size_t n = 0; n < sizeof members / sizeof *members; ++n) {
        part parts[] = {{.name = "first", .kind = PART_FLOAT64, .axes = 1, .shape = {3, 1}, .data = few},
                        {.name = "holes", .kind = PART_UINT8, .axes = 1, .shape = {members[n] - 128, 1}},
                        {.name = "last", .kind = PART_FLOAT64, .axes = 1, .shape = {3, 1}, .data = few}};
        scree_output output;
        int64_t size = checkpoint_lay_out(parts, 3), sizes[3], begins[3];
        CHECK_OK(scree_output_open(&output, in_folder("a.npz"), (scree_watch){0}));
        for (int k = 0; k < 3; ++k) {
            checkpoint_set_sums(&parts[k], parts[k].data == NULL ? sum_of_zeros(parts[k].shape[0]) : checkpoint_sum_rows(&parts[k], 3, few));
            checkpoint_put_head(&output, &parts[k]);
            if (parts[k].data != NULL)
                checkpoint_put_rows(&output, &parts[k], 0, 3, few);
        }
        checkpoint_put_tail(&output, parts, 3, 4);
        CHECK_OK(scree_output_close(&output, SCREE_OK));
        zip z = open_zip(in_folder("a.npz"));
        assert_int_equal(z.size, size);
        assert_int_equal(z.entries, 3);
        int64_t at = z.directory;
        check_part(&z, &at, &parts[0]);
        int64_t entry = at;
        begins[1] = check_member(&z, &at, "holes.npy", &sizes[1]);
        assert_true((number_at(&z, entry + 20, 4) == UINT32_MAX) == (members[n] >= UINT32_MAX));
        assert_int_equal(number_at(&z, entry + 30, 2), members[n] >= UINT32_MAX ? 20 : 0);
        assert_int_equal(sizes[1], members[n]);
        assert_int_equal(begins[1] + 128, parts[1].data_at);
        entry = at;
        check_part(&z, &at, &parts[2]);
        assert_int_equal(number_at(&z, entry + 30, 2), 12);  // the last one begins beyond in all cases
        close(z.fd);
        unlink(in_folder("a.npz"));
    }
}

// ---- Files that are not whole ------------------------------------------------------------------------------------

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
            char place[40];
            snprintf(place, sizeof place, "cut short after %zu bytes", cut);
            CHECK_FAILS(read_bytes(bytes, cut, &none), SCREE_ERR_FORMAT, "m.npz", cut == 0 ? "empty" : place);
        }
        for (size_t more = 1; more < 100; ++more) {  // and what was added to
            char* longer = calloc(size + more, 1);
            assert_non_null(longer);
            memcpy(longer, bytes, size);
            CHECK_FAILS(read_bytes(longer, size + more, &none), SCREE_ERR_FORMAT, "m.npz");
            memcpy(longer + more, bytes, size);  // in front
            CHECK_FAILS(read_bytes(longer, size + more, &none), SCREE_ERR_FORMAT, "m.npz");
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
                assert_non_null(strstr(scree_error_message(), "m.npz: the file was altered"));
            bytes[k] = (char)(bytes[k] ^ 1 << bit);
        }
    CHECK_OK(read_bytes(bytes, size, &none));
    scree_checkpoint_free(&none);
    scree_checkpoint_free(&c);
    free(bytes);
}

// Every byte altered behind a right checksum: an answer or a refusal, and never more memory than the file warrants. Headers and directory are as they must
// be, to the last bit.
static void test_flips_resealed(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 2, 4), back = {0};
    add_memory(&c, true, 2, 1, 4);
    size_t size;
    char* bytes = bytes_of(&c, &size);
    part parts[part_most];
    snprintf(c.library, sizeof c.library, "%s", scree_version());
    int32_t count = parts_of(&c, parts), next = 0;
    checkpoint_lay_out(parts, count);
    for (size_t k = 0; k < size - seal_size; k += test_is_small() ? 7 : 3) {  // headers are alike: each of their bytes comes in some of them
        while (next < count && (int64_t)k >= parts[next].data_at + checkpoint_bytes(&parts[next]))
            ++next;
        bool in_data = next < count && (int64_t)k >= parts[next].data_at;
        for (int value = 1; value < 256; value = value * 3 + 1) {
            bytes[k] = (char)(bytes[k] ^ value);
            reseal(bytes, size);
            scree_status status = read_bytes(bytes, size, &back);
            if (status == SCREE_OK && in_data)
                scree_checkpoint_free(&back);
            else if (status != SCREE_ERR_FORMAT || strncmp(scree_error_message(), "m.npz: ", 7) != 0)
                fail_msg("byte %zu of %zu gives %d: %s", k, size, (int)status, scree_error_message());
            bytes[k] = (char)(bytes[k] ^ value);
        }
    }
    scree_checkpoint_free(&c);
    free(bytes);
}

// Files that are whole, by their seal, but no checkpoints: one part is another than it should be.
static void test_wrong_content(void** state)
{
    (void)state;
    static char text[64] = "a text with a\0NUL, and longer than a version is";
    static const struct {
        const char *part, *name;  // the second: its new name, if it gets one
        part_kind kind;
        int32_t axes;
        int64_t rows, columns;  // rows 0: shape and kind as they were
        void* data;
        const char* message;
    } bad[] = {
        {"x", .kind = PART_INT64, .axes = 2, .rows = 2, .columns = 3, .message = "m.npz | 'x' | int64 | float64"},
        {"x", .kind = PART_FLOAT64, .axes = 1, .rows = 2, .columns = 1, .message = "'x' | (2,) | (2, 3)"},
        {"x", .kind = PART_FLOAT64, .axes = 2, .rows = 1, .columns = 3, .message = "'v' | 1 spheres"},
        {"x", .kind = PART_FLOAT64, .axes = 2, .rows = 1, .columns = 4, .message = "'x' | (1, 4)"},
        {"x", .kind = PART_UINT8, .axes = 2, .rows = 2, .columns = 17, .message = "byte 0"},
        {"x", "v", .message = "'v'"},
        {"x", "X", .message = "byte 0"},
        {"x", "x.npy", .message = "byte 0"},
        {"v", "w", .message = "'v'"},
        {"v", "x_before", .message = "'v'"},
        {"v", "shape_first", .message = "'shape_xy'"},
        {"wall_since", "x_before", .message = "'x_before'"},
        {"key", .kind = PART_FLOAT64, .axes = 1, .rows = 1, .columns = 1, .message = "'key' | 2 spheres"},
        {"key", .kind = PART_UINT8, .axes = 2, .rows = 2, .columns = 1, .message = "'key' | (2, 1) | (2,)"},
        {"giant_radius", "wall_at", .message = "'wall_at'"},
        {"step", .kind = PART_INT64, .axes = 1, .rows = 1, .columns = 1, .message = "'step' | (1,) | one int64"},
        {"gravity", "gravities", .message = "'gravities'"},
        {"scene", .kind = PART_UINT8, .axes = 1, .rows = 2, .columns = 1, .message = "'scene'"},
        {"scene", .kind = PART_TEXT, .rows = 20, .columns = 1, .data = text, .message = "byte 13"},
        {"library", .kind = PART_TEXT, .rows = 32, .columns = 1, .data = text, .message = "'library'"},
        {"library", .kind = PART_TEXT, .rows = 20, .columns = 1, .data = text, .message = "NUL"},
        {"progress/frames", "progress/a/b", .message = "'progress/a/b'"},
        {"progress/frames", "progress/", .message = "'progress/'"},
        {"progress/frames", "further", .message = "'further'"},
        {"progress/frames", .kind = PART_UINT64, .rows = 1, .columns = 1, .message = "'progress/frames' | uint64"},
        {"progress/frames", .kind = PART_UINT16, .rows = 1, .columns = 1, .message = "'progress/frames' | uint16"},
        {"hash", .kind = PART_UINT64, .rows = 1, .columns = 1, .data = text, .message = "hash"},
    };
    scree_checkpoint c = random_checkpoint(3, 2, 4), none = {0};
    snprintf(c.library, sizeof c.library, "%s", scree_version());
    part parts[part_most];
    int32_t count = parts_of(&c, parts);
    CHECK_OK(read_parts(parts, count, 4));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        count = parts_of(&c, parts);
        part* p = parts;
        while (strcmp(p->name, bad[k].part) != 0)
            ++p;
        assert_true(p < parts + count);
        if (bad[k].name != NULL)
            snprintf(p->name, sizeof p->name, "%s", bad[k].name);
        if (bad[k].rows > 0) {
            p->kind = bad[k].kind;
            p->axes = bad[k].axes;
            p->shape[0] = bad[k].rows;
            p->shape[1] = bad[k].columns;
        }
        if (bad[k].data != NULL)
            p->data = bad[k].data;
        CHECK_FAILS(read_parts(parts, count, 4), SCREE_ERR_FORMAT, bad[k].message);
    }
    static const int32_t versions[] = {0, 1, 3, 9, 9999};
    for (size_t k = 0; k < sizeof versions / sizeof *versions; ++k) {
        char named[32];
        snprintf(named, sizeof named, "version %d", (int)versions[k]);
        count = parts_of(&c, parts);
        CHECK_FAILS(read_parts(parts, count, versions[k]), SCREE_ERR_FORMAT, named, "versions 4 to 8");
    }
    for (int32_t left = 0; left < count - c.number_count; ++left)  // only the first members, with a directory for these
        CHECK_FAILS(read_parts(parts, left, 4), SCREE_ERR_FORMAT);
    CHECK_FAILS(read_bytes("x,y,r\n1,2,3\n", 12, &none), SCREE_ERR_FORMAT, "m.npz");
    // A shape whose bytes no number holds, and more members than any checkpoint has.
    size_t size;
    char *bytes = bytes_of(&c, &size), *shape = bytes;
    while (memcmp(shape, "(2, 3), }", 9) != 0)
        ++shape;
    memcpy(shape, "(999999999999999999, 8), }", 26);
    reseal(bytes, size);
    CHECK_FAILS(read_bytes(bytes, size, &none), SCREE_ERR_FORMAT, "byte 0");
    free(bytes);
    bytes = calloc(part_most + 2, part_head_most);
    assert_non_null(bytes);
    int64_t at = 0;
    for (int k = 0; k <= part_most; ++k) {
        part p = {.kind = PART_UINT8, .shape = {1, 1}};
        snprintf(p.name, sizeof p.name, "member_%d", k);
        int64_t next = checkpoint_place(&p, at);
        checkpoint_head(&p, bytes + at);
        at = next;
    }
    reseal(bytes, (size_t)at + seal_size);
    snprintf(text, sizeof text, "more than %d", (int)part_most);
    CHECK_FAILS(read_bytes(bytes, (size_t)at + seal_size, &none), SCREE_ERR_FORMAT, text);
    free(bytes);
    scree_checkpoint_free(&c);
}

// Version 0.1 wrote HDF5: reported, and what to do.
static void test_file_of_0_1(void** state)
{
    (void)state;
    scree_checkpoint none = {0};
    size_t size;
    char* bytes = get_file(TEST_DATA "/checkpoint/version_1.h5", &size);
    CHECK_FAILS(scree_checkpoint_read(TEST_DATA "/checkpoint/version_1.h5", &none), SCREE_ERR_FORMAT, "version_1.h5", "HDF5", "scree 0.1");
    CHECK_FAILS(read_bytes(bytes, 2000, &none), SCREE_ERR_FORMAT, "HDF5", "scree 0.1");
    free(bytes);
}

// A file that an earlier build wrote: its bytes mean the same for ever.
static void test_file_of_version_4(void** state)
{
    (void)state;
    scree_checkpoint c;
    CHECK_OK(scree_checkpoint_read(TEST_DATA "/checkpoint/version_4.npz", &c));
    assert_int_equal(c.format_version, 4);
    assert_string_equal(c.library, "0.1.0");
    assert_int_equal(c.count, 2);
    assert_int_equal(c.dim, 2);
    assert_int_equal(c.step, 1000);
    static const double x[] = {0.25, 0.5, 0.75, -0.5}, v[] = {1, 2, -1, -2}, a[] = {0, -9.81, 0, -9.81}, r[] = {0.125, 0.0625};
    check_same_bits(x, numbers_of(&c, "x"), 4, "x");
    check_same_bits(v, numbers_of(&c, "v"), 4, "v");
    check_same_bits(a, numbers_of(&c, "a"), 4, "a");
    check_same_bits(r, numbers_of(&c, "radius"), 2, "radius");
    const uint64_t* key = scree_checkpoint_values(&c, "key", SCREE_TYPE_UINT64);
    assert_true(key[0] == UINT64_C(0x123456789abcdef0) && key[1] == 7);
    assert_null(scree_checkpoint_values(&c, "key", SCREE_TYPE_INT64));
    assert_true(c.giant_radius == 8.0 && c.force_quantum == 0x1p-40);
    assert_true(c.walls.at[0][1] == 1.0 && c.walls.at[1][1] == INFINITY && c.walls.velocity[0][0] == 0.5);
    assert_true(c.walls.gravity[1] == -9.81 && c.walls.turn[2] == 0.25);
    assert_int_equal(c.walls.since, 10);
    assert_int_equal(c.walls.gravity_since, 20);
    assert_true(c.step_length == 1e-3);
    assert_string_equal(c.scene, "dimension: 2\n");
    assert_int_equal(scree_checkpoint_find(&c, "frames")->integer, 12);
    assert_true(scree_checkpoint_find(&c, "seconds")->value == 2.5);
    assert_true(c.memory.words == 0 && c.memory.ij == NULL && c.motions.count == 0);
    // Written again it is the same but for the version of the library: up to the header of that member to the byte.
    size_t size, again;
    char *was = get_file(TEST_DATA "/checkpoint/version_4.npz", &size), *is = bytes_of(&c, &again);
    part parts[part_most];
    int32_t library = 0;
    checkpoint_lay_out(parts, parts_of(&c, parts));
    while (strcmp(parts[library].name, "library") != 0)
        ++library;
    assert_int_equal(size, again);
    assert_memory_equal(was, is, (size_t)parts[library].head_at);
    free(was);
    free(is);
    scree_checkpoint_free(&c);
}

// The same for memory of contacts and motions of boundaries.
static void test_file_of_version_5(void** state)
{
    (void)state;
    scree_checkpoint c;
    CHECK_OK(scree_checkpoint_read(TEST_DATA "/checkpoint/version_5.npz", &c));
    assert_int_equal(c.format_version, 5);
    assert_true(c.count == 3 && c.dim == 3 && c.step == 1000);
    assert_string_equal(c.memory.law, "record");
    assert_true(c.memory.words == 3 && c.memory.periodic && c.memory.count == 4 && c.motions.count == 1);
    static const int64_t ij[4][2] = {{0, 1}, {0, 1}, {1, 2}, {2, -7}};
    static const int8_t shift[4][3] = {{0, -1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    static const double values[12] = {7, 0.5, 0.25, 3, 0.125, -0.125, 1, 0.0625, 0, 40, 2.5, -1.5}, spin[3] = {0, 0, -0.5}, at[3] = {1, 2, 3},
                        velocity[3] = {0.5, 0, -0.25};
    assert_memory_equal(c.memory.ij, ij, sizeof ij);
    assert_memory_equal(c.memory.shift, shift, sizeof shift);
    check_same_bits(values, c.memory.values, 12, "values");
    check_same_bits(at, c.motions.at[0], 3, "at");
    check_same_bits(velocity, c.motions.velocity[0], 3, "velocity");
    check_same_bits(spin, c.motions.spin[0], 3, "spin");
    assert_int_equal(c.motions.since[0], 600);
    scree_checkpoint_free(&c);
}

// ---- What can fail -----------------------------------------------------------------------------------------------

static void test_nth_system_call_fails(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 40000, 2);  // several buffers
    const char* path = in_folder("a.npz");
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

// The same where rows are not written in order: then there are positions to go to.
static void test_nth_system_call_of_slices_fails(void** state)
{
    (void)state;
    static double numbers[] = {1.0, 2.0, 3.0};
    for (int64_t n = 1;; ++n) {
        part parts[] = {{.name = "a", .kind = PART_FLOAT64, .axes = 1, .shape = {3, 1}}, {.name = "b", .kind = PART_FLOAT64, .axes = 1, .shape = {3, 1}}};
        scree_output output;
        checkpoint_lay_out(parts, 2);
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_output_open(&output, in_folder("a.npz"), (scree_watch){0});
        for (int k = 5; k >= 0 && status == SCREE_OK; --k)
            checkpoint_put_rows(&output, &parts[k / 3], k % 3, 1, &numbers[k % 3]);
        if (status == SCREE_OK)
            status = scree_output_close(&output, SCREE_OK);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            assert_true(calls < n && calls > 12);
            break;
        }
        assert_int_equal(status, SCREE_ERR_IO);
        assert_non_null(strstr(scree_error_message(), "a.npz"));
        if (!is_written_anyway())
            assert_int_equal(files_in_folder(), 0);
    }
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 3000, 2), back = {0};
    add_memory(&c, true, 2, 1, 2);
    const char* path = in_folder("a.npz");
    put_text(path, OLD);
    EACH_ALLOCATION_FAILS(scree_checkpoint_write(path, &c), CHECK_FILE(path, OLD));
    assert_int_equal(files_in_folder(), 1);
    EACH_ALLOCATION_FAILS(scree_checkpoint_read(path, &back), assert_int_equal(back.column_count, 0));
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
    const char* path = in_folder("a.npz");
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
    CHECK_FAILS(scree_checkpoint_read(in_folder("none.npz"), &none), SCREE_ERR_IO, "none.npz");
    CHECK_FAILS(scree_checkpoint_read(folder, &none), SCREE_ERR_IO);
    put_text(in_folder("empty.npz"), "");
    CHECK_FAILS(scree_checkpoint_read(in_folder("empty.npz"), &none), SCREE_ERR_FORMAT, "empty.npz");
    scree_checkpoint c = random_checkpoint(2, 5, 1);
    CHECK_FAILS(scree_checkpoint_write(in_folder("no/a.npz"), &c), SCREE_ERR_IO, "no/a.npz");
    int ends[2];  // a pipe takes the bytes as they come
    char name[64], through[20000];
    size_t size;
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    CHECK_OK(scree_checkpoint_write(name, &c));
    char* bytes = bytes_of(&c, &size);
    assert_true(size < sizeof through);
    assert_int_equal(read(ends[0], through, sizeof through), size);
    assert_memory_equal(through, bytes, size);
    close(ends[0]);
    close(ends[1]);
    free(bytes);
    scree_checkpoint_free(&c);
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
    UNIT(test_zip),
    UNIT(test_kinds),
    UNIT(test_slices),
    UNIT(test_beyond_4_gib),
    UNIT(test_cuts),
    UNIT(test_flips),
    UNIT(test_flips_resealed),
    UNIT(test_wrong_content),
    UNIT(test_file_of_0_1),
    UNIT(test_file_of_version_4),
    UNIT(test_file_of_version_5),
    ALLOCATION(test_nth_system_call_fails),
    ALLOCATION(test_nth_system_call_of_slices_fails),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_full_disk),
    UNIT(test_paths),
};

const test_group group_checkpoint = {.name = "checkpoint", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
