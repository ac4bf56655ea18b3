#include "checkpoint_support.h"

double random_number(scree_rng* rng)
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

double* numbers_of(const scree_checkpoint* c, const char* name)
{
    return (double*)(uintptr_t)scree_checkpoint_get_values(c, name, SCREE_TYPE_FLOAT64);
}

uint64_t hash_of(const scree_checkpoint* c)
{
    const scree_sim_values values[] = {{"x", numbers_of(c, "x")}, {"v", numbers_of(c, "v")}};
    const scree_checkpoint_memory* m = &c->memory;
    scree_sim_memory memory = {.count = m->count, .words = m->words, .ij = (const int64_t(*)[2])m->ij, .shift = (const int8_t(*)[3])m->shift, .values = m->values};
    return scree_sim_state_hash(&(scree_sim_state){.step = c->step, .column_count = 2, .columns = values, .memory = &memory}, c->count, c->dim);
}

size_t column_bytes(const scree_checkpoint* c, int32_t k)
{
    return (size_t)c->count * (size_t)c->columns[k].components * scree_type_size((scree_type)c->columns[k].type);
}

scree_checkpoint random_checkpoint(int32_t dim, int32_t count, uint64_t seed)
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
    c.time_step = random_number(&rng);
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

void add_contact(scree_checkpoint_memory* m, int64_t i, int64_t j, int shift)
{
    m->ij[m->count][0] = i;
    m->ij[m->count][1] = j;
    if (m->periodic)
        memcpy(m->shift[m->count], (int8_t[3]){0, (int8_t)shift, 0}, 3);
    ++m->count;
}

void add_memory(scree_checkpoint* c, bool periodic, int32_t words, int32_t motions, uint64_t seed)
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

void check_same_memory(const scree_checkpoint* a, const scree_checkpoint* b)
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

void check_same_checkpoint(const scree_checkpoint* a, const scree_checkpoint* b)
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
    check_same_bits(&a->time_step, &b->time_step, 1, "step length");
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

scree_status read_bytes(const char* bytes, size_t count, scree_checkpoint* out)
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

char* bytes_of(const scree_checkpoint* c, size_t* size)
{
    CHECK_OK(scree_write_checkpoint(in_folder("bytes.npz"), c));
    char* bytes = get_file(in_folder("bytes.npz"), size);
    unlink(in_folder("bytes.npz"));
    return bytes;
}

int32_t parts_of(const scree_checkpoint* c, part parts[part_most])
{
    return checkpoint_parts(c, c->has_bodies ? checkpoint_vertices(c) : 0, parts);
}

scree_status read_parts(part* parts, int32_t count, int32_t version)
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
