// masks: pairs, box pairs and neighbours with a mask are those of all pairs without one, less the groups that do not pair; of every method, with and without lists, on the emulated device, while spheres
// move, come and go; and invalid masks are rejected. Spheres in device memory: what is refused.
#include "index_support.h"

#include "scree/device.h"
#include "scree/neighbours.h"

enum { most_spheres = 90, most_groups = 6 };

typedef struct masked {
    scree_index_def def;
    int32_t n;
    double x[3 * (most_spheres + 1)], r[most_spheres + 1];
    int32_t group[most_spheres + 1];
    uint8_t matrix[most_groups * most_groups];
    scree_pair_mask mask;
} masked;

// Molecules, one group, a random matrix, one that excludes all, and one that excludes none.
static void make_mask(scree_rng* rng, masked* m)
{
    const int kind = (int)scree_rng_below(rng, 5);
    m->mask = (scree_pair_mask){.count = m->n, .group = m->group};
    for (int32_t i = 0; i < m->n; ++i)
        m->group[i] = kind == 0 ? (int32_t)scree_rng_below(rng, 30) : kind == 1 ? 7 : (int32_t)scree_rng_below(rng, most_groups);
    if (kind < 2)
        return;
    m->mask.groups = most_groups;
    m->mask.matrix = m->matrix;
    for (int a = 0; a < most_groups; ++a)
        for (int b = 0; b <= a; ++b)
            m->matrix[a * most_groups + b] = m->matrix[b * most_groups + a] = (uint8_t)(kind == 2 ? scree_rng_below(rng, 2) : kind == 4);
}

// Spheres of which some have one centre; all points in one place; or a periodic box that is barely larger than the largest sphere.
static void make_masked(scree_rng* rng, masked* m)
{
    const int dim = 2 + (int)scree_rng_below(rng, 2), kind = (int)scree_rng_below(rng, 6);
    double length[3], side = 4.0 + 6.0 * scree_rng_uniform(rng), most = 0.0;
    *m = (masked){.def = scree_default_index_def(), .n = (int32_t)scree_rng_below(rng, kind == 1 ? 12 : most_spheres)};
    for (int32_t i = 0; i < m->n; ++i) {
        m->r[i] = kind == 0 ? 0.0 : 0.2 * pow(8.0, scree_rng_uniform(rng));
        most = fmax(most, m->r[i]);
    }
    m->def.box = random_box(rng, dim, kind == 1 && most > 0.0 ? 2.0 * most * 1.0001 / 0.9 : side, length);
    for (int32_t i = 0; i < m->n; ++i)
        for (int k = 0; k < dim; ++k)
            m->x[i * dim + k] = kind == 0 ? 1.0 : scree_rng_below(rng, 8) == 0 && i > 0 ? m->x[(i - 1) * dim + k] : length[k] > 0.0 ? 3.0 * length[k] * (scree_rng_uniform(rng) - 1.0) : side * scree_rng_uniform(rng);
    m->def.gap = kind == 0 ? 0.1 : scree_rng_below(rng, 3) == 0 ? 0.3 : 0.0;
    m->def.sorted = true;
    m->def.threads = 1 + (int32_t)scree_rng_below(rng, 3);
    m->def.method = (int32_t)scree_rng_below(rng, SCREE_METHOD_COUNT);
    m->def.skin = (const double[]){0.0, -1.0, 0.2}[scree_rng_below(rng, 3)];
    if ((m->def.method == SCREE_METHOD_AUTO || m->def.method == SCREE_METHOD_HIERARCHICAL_GRID) && scree_rng_below(rng, 2) == 0)
        m->def.device = SCREE_DEVICE_EMULATE;
    make_mask(rng, m);
}

static scree_spheres view(const masked* m)
{
    return (scree_spheres){.count = m->n, .dim = m->def.box.dim, .x = m->x, .r = m->r};
}

static bool is_left_out(const masked* m, int32_t i, int32_t j)
{
    return m->mask.matrix == NULL ? m->group[i] == m->group[j] : m->matrix[m->group[j] * most_groups + m->group[i]] == 0;
}

static void leave_out(const masked* m, answer* a)
{
    int64_t to = 0;
    for (int64_t p = 0; p < a->count; ++p) {
        if (is_left_out(m, a->ij[p][0], a->ij[p][1]))
            continue;
        memmove(a->ij[to], a->ij[p], sizeof *a->ij);
        memmove(a->shift[to++], a->shift[p], sizeof *a->shift);
    }
    a->count = to;
}

static scree_index* plain_of(const masked* m)
{
    scree_index* index;
    scree_index_def def = scree_default_index_def();
    def.box = m->def.box;
    def.gap = m->def.gap;
    def.sorted = true;
    def.threads = 1;
    def.method = SCREE_METHOD_ALL_PAIRS;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, view(m)));
    return index;
}

static void check_neighbours(const masked* m, scree_index* index, scree_index* plain, int32_t i, const char* where)
{
    scree_neighbours found, all;
    CHECK_OK(scree_index_neighbours(index, i, &found));
    CHECK_OK(scree_index_neighbours(plain, i, &all));
    int64_t at = 0;
    for (int64_t q = 0; q < all.count; ++q) {
        if (is_left_out(m, i, all.j[q]))
            continue;
        if (at >= found.count || found.j[at] != all.j[q] || (all.shift != NULL && memcmp(found.shift[at], all.shift[q], 3) != 0))
            fail_msg("%s: neighbour %lld of sphere %d should be %d", where, (long long)at, (int)i, (int)all.j[q]);
        ++at;
    }
    if (at != found.count)
        fail_msg("%s: sphere %d has %lld neighbours and should have %lld", where, (int)i, (long long)found.count, (long long)at);
}

static void check_all(const masked* m, scree_index* index, const char* where)
{
    scree_pairs pairs;
    scree_index* plain = plain_of(m);
    CHECK_OK(scree_index_pairs(index, &pairs));
    answer found = keep(index, &m->def.box, pairs);
    CHECK_OK(scree_index_pairs(plain, &pairs));
    answer all = keep(plain, &m->def.box, pairs);
    leave_out(m, &all);
    check_same(&found, &all, where);
    forget(&found);
    forget(&all);
    if (m->def.method == SCREE_METHOD_LINEAR_LIST || m->def.method == SCREE_METHOD_ALL_PAIRS) {
        CHECK_OK(scree_index_box_pairs(index, &pairs));
        found = keep(index, &m->def.box, pairs);
        CHECK_OK(scree_index_box_pairs(plain, &pairs));
        all = keep(plain, &m->def.box, pairs);
        leave_out(m, &all);
        check_same(&found, &all, where);
        forget(&found);
        forget(&all);
    }
    for (int32_t i = 0; i < m->n; i += 7)
        check_neighbours(m, index, plain, i, where);
    scree_index_destroy(plain);
}

// All spheres a little, or one sphere anywhere, comes, goes or changes its group.
static void change(scree_rng* rng, masked* m, scree_index* index, bool device)
{
    const int dim = m->def.box.dim;
    const int32_t i = m->n > 0 ? (int32_t)scree_rng_below(rng, (uint64_t)m->n) : 0;
    switch (scree_rng_below(rng, device || m->n == 0 ? 1 : 5)) {
    case 0:
        for (int32_t e = 0; e < m->n * dim; ++e)
            m->x[e] += m->def.box.periodic[e % dim] ? 0.02 * (scree_rng_uniform(rng) - 0.5) : 0.0;
        CHECK_OK(scree_index_update(index, view(m)));
        break;
    case 1:
        for (int k = 0; k < dim; ++k)
            m->x[i * dim + k] = m->x[(m->n - 1 - i) * dim + k];
        CHECK_OK(scree_index_move(index, i, m->x + i * dim));
        break;
    case 2:
        memcpy(m->x + m->n * dim, m->x + i * dim, (size_t)dim * sizeof *m->x);
        m->r[m->n] = m->r[i];
        m->group[m->n] = 0;
        CHECK_OK(scree_index_insert(index, m->x + m->n * dim, m->r[i], NULL));
        ++m->n;
        break;
    case 3:
        --m->n;
        memmove(m->x + i * dim, m->x + m->n * dim, (size_t)dim * sizeof *m->x);
        m->r[i] = m->r[m->n];
        m->group[i] = m->group[m->n];
        CHECK_OK(scree_index_remove(index, i));
        break;
    default:
        m->group[i] = (int32_t)scree_rng_below(rng, most_groups);
        CHECK_OK(scree_index_set_group(index, i, m->group[i]));
    }
}

static void masks_leave_out_what_they_say(void** state)
{
    (void)state;
    for (int number = 0; number < (int)(500.0 * test_effort()); ++number) {
        scree_rng rng = scree_rng_make(5200, (uint64_t)number);
        masked m;
        make_masked(&rng, &m);
        char where[80];
        scree_index* index;
        CHECK_OK(scree_index_create(&m.def, &index));
        CHECK_OK(scree_index_update(index, view(&m)));
        for (int step = 0; step < 4; ++step) {
            snprintf(where, sizeof where, "set %d by %s, step %d", number, scree_method_name(scree_index_method(index)), step);
            if (step == 0)
                CHECK_OK(scree_index_set_mask(index, &m.mask));
            else if (m.n < most_spheres)
                change(&rng, &m, index, m.def.device != SCREE_DEVICE_NONE);
            check_all(&m, index, where);
        }
        scree_index_destroy(index);
    }
}

// Without a mask again, all pairs are there; lists of an index with a mask have its pairs, also those that are made again for one sphere.
static void lists_have_the_mask_of_their_index(void** state)
{
    (void)state;
    static const double x[] = {1, 1, 1, 2, 1, 1, 3, 1, 1, 2.5, 1, 1};
    static const double r[] = {0.6, 0.6, 0.6, 0.6};
    static const int32_t group[] = {4, 4, 2, 2};
    scree_index_def def = scree_default_index_def();
    def.skin = -1.0;
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 4, .dim = 3, .x = x, .r = r}));
    CHECK_OK(scree_index_set_mask(index, &(scree_pair_mask){.count = 4, .group = group}));
    scree_neighbour_lists_def lists_def = scree_default_neighbour_lists_def();
    lists_def.index = index;
    lists_def.sorted = true;
    scree_neighbour_lists* lists;
    scree_neighbour_rows rows;
    CHECK_OK(scree_neighbour_lists_create(&lists_def, &lists));
    CHECK_OK(scree_neighbour_lists_make(lists, 0.0));
    CHECK_OK(scree_neighbour_lists_get_rows(lists, &rows));
    assert_int_equal(rows.entries, 4);  // 1 and 2, 1 and 3
    CHECK_OK(scree_neighbour_lists_refresh(lists, 0, (const double[]){2.4, 1.0, 1.0}, NULL));
    CHECK_OK(scree_neighbour_lists_get_rows(lists, &rows));
    assert_int_equal(rows.entries, 8);
    assert_int_equal(rows.row[0].count, 2);
    assert_int_equal(rows.j[rows.row[0].at], 2);
    scree_neighbour_lists_destroy(lists);
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(pairs.count, 4);
    CHECK_OK(scree_index_set_mask(index, NULL));
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(pairs.count, 6);
    scree_index_destroy(index);
}

// The mask stays as it was.
static void invalid_masks_are_rejected(void** state)
{
    (void)state;
    static const double x[] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, r[] = {0.6, 0.6, 0.6};
    static const int32_t group[] = {0, 1, 1}, negative[] = {0, 1, -2};
    static const uint8_t one_way[] = {0, 1, 0, 0}, two[] = {2, 1, 1, 0}, good[] = {0, 1, 1, 0};
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&(scree_index_def){.struct_size = sizeof(scree_index_def), .box = scree_box_open(3)}, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r}));
    CHECK_FAILS(scree_index_set_group(index, 0, 1), SCREE_ERR_ARGUMENT, "sphere 0");
    CHECK_OK(scree_index_set_mask(index, &(scree_pair_mask){.count = 3, .group = group, .groups = 2, .matrix = good}));
    CHECK_FAILS(scree_index_set_mask(index, &(scree_pair_mask){.count = 3}), SCREE_ERR_ARGUMENT, "3 spheres", "array");
    CHECK_FAILS(scree_index_set_mask(index, &(scree_pair_mask){.count = -1, .group = group}), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_index_set_mask(index, &(scree_pair_mask){.count = 3, .group = negative}), SCREE_ERR_ARGUMENT, "sphere 2", "-2");
    CHECK_FAILS(scree_index_set_mask(index, &(scree_pair_mask){.count = 3, .group = group, .groups = 1, .matrix = good}), SCREE_ERR_ARGUMENT, "sphere 1", "group 1");
    CHECK_FAILS(scree_index_set_mask(index, &(scree_pair_mask){.count = 3, .group = group, .groups = -1, .matrix = good}), SCREE_ERR_ARGUMENT, "-1 rows");
    CHECK_FAILS(scree_index_set_mask(index, &(scree_pair_mask){.count = 3, .group = group, .groups = 2, .matrix = one_way}), SCREE_ERR_ARGUMENT, "groups 0 and 1", "symmetric");
    CHECK_FAILS(scree_index_set_mask(index, &(scree_pair_mask){.count = 3, .group = group, .groups = 2, .matrix = two}), SCREE_ERR_ARGUMENT, "groups 0 and 0", "2");
    CHECK_FAILS(scree_index_set_group(index, 3, 1), SCREE_ERR_ARGUMENT, "sphere 3");
    CHECK_FAILS(scree_index_set_group(index, 1, -1), SCREE_ERR_ARGUMENT, "group -1", "sphere 1");
    CHECK_FAILS(scree_index_set_group(index, 1, 2), SCREE_ERR_ARGUMENT, "group 2", "sphere 1");
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(pairs.count, 1);
    // Other spheres need other groups.
    scree_neighbours near;
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}));
    CHECK_FAILS(scree_index_pairs(index, &pairs), SCREE_ERR_ARGUMENT, "3 groups", "2 spheres");
    CHECK_FAILS(scree_index_neighbours(index, 0, &near), SCREE_ERR_ARGUMENT, "3 groups", "2 spheres");
    CHECK_FAILS(scree_index_insert(index, x, 1.0, NULL), SCREE_ERR_ARGUMENT, "3 groups", "2 spheres");
    CHECK_OK(scree_index_set_mask(index, &(scree_pair_mask){.count = 2, .group = group}));
    CHECK_OK(scree_index_pairs(index, &pairs));
    assert_int_equal(pairs.count, 1);
    scree_index_destroy(index);
}

// Calls for spheres in device memory, on an index without a device or without such spheres; tests/python/test_device_arrays.py has the others.
static void arrays_of_devices_are_refused(void** state)
{
    (void)state;
    static const double x[] = {0, 0, 0, 1, 0, 0}, r[] = {0.6, 0.6};
    scree_device_spheres there = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    scree_pairs pairs;
    scree_neighbours near;
    double xr[2][4];
    const double *vector, *distance;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_FAILS(scree_index_update_on_device(index, &there), SCREE_ERR_ARGUMENT, "none");
    CHECK_FAILS(scree_index_lead_on_device(index, NULL), SCREE_ERR_ARGUMENT, "none");
    CHECK_FAILS(scree_index_follow_on_device(index, NULL), SCREE_ERR_ARGUMENT, "none");
    scree_index_destroy(index);
    def.device = SCREE_DEVICE_EMULATE;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_FAILS(scree_index_pairs_on_device(index, false, NULL, &pairs), SCREE_ERR_ARGUMENT, "device memory");
    CHECK_FAILS(scree_index_vectors_on_device(index, NULL, &vector, &distance), SCREE_ERR_ARGUMENT, "device memory");
    CHECK_FAILS(scree_index_update_on_device(index, &(scree_device_spheres){.count = 2, .dim = 3, .r = r}), SCREE_ERR_ARGUMENT, "2 spheres");
    CHECK_FAILS(scree_index_update_on_device(index, &(scree_device_spheres){.count = -1, .dim = 3, .x = x, .r = r}), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_index_update_on_device(index, &(scree_device_spheres){.count = 2, .dim = 2, .x = x, .r = r}), SCREE_ERR_ARGUMENT, "2", "3");
    CHECK_OK(scree_index_update_on_device(index, &there));
    CHECK_OK(scree_index_pairs(index, &pairs));  // copied from there
    assert_true(pairs.count == 1 && pairs.ij[0][0] == 0 && pairs.ij[0][1] == 1);
    CHECK_FAILS(scree_index_vectors_on_device(index, NULL, &vector, &distance), SCREE_ERR_ARGUMENT, "scree_index_pairs_on_device");
    CHECK_OK(scree_index_pairs_on_device(index, true, NULL, &pairs));
    assert_true(pairs.count == 2 && pairs.ij[1][0] == 1 && pairs.ij[1][1] == 0);
    CHECK_OK(scree_index_vectors_on_device(index, NULL, &vector, &distance));
    assert_true(vector[3] == -1.0 && distance[1] == 1.0);
    CHECK_FAILS(scree_index_neighbours(index, 0, &near), SCREE_ERR_UNSUPPORTED, "emulate");
    CHECK_FAILS(scree_index_insert(index, x, 1.0, NULL), SCREE_ERR_UNSUPPORTED, "emulate");
    CHECK_FAILS(scree_index_query(index, x, 1.0, &near), SCREE_ERR_UNSUPPORTED, "emulate");
    CHECK_FAILS(scree_index_get_all(index, xr), SCREE_ERR_UNSUPPORTED, "emulate");
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}));
    CHECK_OK(scree_index_neighbours(index, 0, &near));
    assert_int_equal(near.count, 1);
    scree_index_destroy(index);
}

static scree_status search_masked(const masked* m)
{
    scree_index* index = NULL;
    scree_pairs pairs;
    scree_neighbours near;
    scree_status status = scree_index_create(&m->def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, view(m));
    if (status == SCREE_OK)
        status = scree_index_set_mask(index, &m->mask);
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status == SCREE_OK)
        status = scree_index_insert(index, m->x, m->r[0], NULL);
    if (status == SCREE_OK)
        status = scree_index_neighbours(index, 0, &near);
    scree_index_destroy(index);
    return status;
}

static void no_memory(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(5201, 0);
    masked m;
    do
        make_masked(&rng, &m);
    while (m.n < 20 || m.mask.matrix == NULL || m.def.device != SCREE_DEVICE_NONE);
    EACH_ALLOCATION_FAILS(search_masked(&m), (void)0);
}

static const test_case cases[] = {
    PROPERTY(masks_leave_out_what_they_say),
    UNIT(lists_have_the_mask_of_their_index),
    UNIT(invalid_masks_are_rejected),
    UNIT(arrays_of_devices_are_refused),
    ALLOCATION(no_memory),
};

const test_group group_masks = {.name = "masks", .cases = cases, .count = sizeof cases / sizeof *cases};
