// candidates: after every update each pair that touches is among the rows, compared by a plain loop over all pairs and images; rows, transposed rows and blocks are as
// the header says; lists are renewed when a pair could be missing and not at every update; and memory that runs out loses nothing.
#include "support.h"

#include "geom/pair.h"
#include "scree/candidates.h"

enum { most_items = 240, most_groups = 40 };

// A set of items that moves: unwrapped, so that shifts stay as they were when the list was made.
typedef struct crowd {
    scree_index_def search;
    int32_t n;
    int dim;
    double length[3];
    double xr[most_items][4], half[most_items][3];
    uint8_t still[most_items];
    int32_t group[most_items];
    uint8_t matrix[most_groups * most_groups];
    scree_pair_mask mask;
    bool boxes, with_still, with_mask;
} crowd;

static void make_crowd(scree_rng* rng, crowd* c)
{
    *c = (crowd){.search = scree_default_index_def(), .dim = 2 + (int)scree_rng_below(rng, 2), .n = 1 + (int32_t)scree_rng_below(rng, most_items)};
    double side = 4.0 + 12.0 * scree_rng_uniform(rng), ratio = 1.0 + 8.0 * scree_rng_uniform(rng) * scree_rng_uniform(rng);
    c->search.box = random_box(rng, c->dim, side, c->length);
    static const int32_t methods[] = {SCREE_METHOD_AUTO, SCREE_METHOD_HIERARCHICAL_GRID, SCREE_METHOD_LINEAR_LIST, SCREE_METHOD_LOOSE_OCTREE};
    c->search.method = methods[scree_rng_below(rng, 4)];
    c->search.threads = 1 + (int32_t)scree_rng_below(rng, 3);
    c->search.gap = scree_rng_below(rng, 3) == 0 ? 0.05 : 0.0;
    c->search.skin = (const double[]){0.0, 0.0, 0.3, -1.0}[scree_rng_below(rng, 4)];
    c->boxes = scree_rng_below(rng, 3) == 0;
    c->with_still = scree_rng_below(rng, 2) == 0;
    c->with_mask = scree_rng_below(rng, 3) == 0;
    for (int32_t i = 0; i < c->n; ++i) {
        c->xr[i][3] = 0.2 * pow(ratio, scree_rng_uniform(rng)) * (scree_rng_below(rng, 20) == 0 ? 0.0 : 1.0);
        for (int k = 0; k < c->dim; ++k) {
            c->xr[i][k] = side * scree_rng_uniform(rng);
            c->half[i][k] = c->xr[i][3] * (0.3 + 0.7 * scree_rng_uniform(rng));
        }
        c->still[i] = scree_rng_below(rng, 3) == 0;
        c->group[i] = (int32_t)scree_rng_below(rng, most_groups);
    }
    c->mask = (scree_pair_mask){.count = c->n, .group = c->group};
    if (scree_rng_below(rng, 2) == 0)
        return;
    c->mask.groups = most_groups;
    c->mask.matrix = c->matrix;
    for (int a = 0; a < most_groups; ++a)
        for (int b = 0; b <= a; ++b)
            c->matrix[a * most_groups + b] = c->matrix[b * most_groups + a] = (uint8_t)scree_rng_below(rng, 2);
}

static scree_candidate_items items_of(const crowd* c)
{
    return (scree_candidate_items){.struct_size = sizeof(scree_candidate_items), .count = c->n,
                                   .xr = (const double(*)[4])c->xr,
                                   .half = c->boxes ? (const double(*)[3])c->half : NULL,
                                   .still = c->with_still ? c->still : NULL,
                                   .mask = c->with_mask ? &c->mask : NULL,
                                   .found = -1};
}

static bool is_masked(const crowd* c, int32_t i, int32_t j)
{
    if (!c->with_mask)
        return false;
    return c->mask.matrix != NULL ? c->matrix[c->group[j] * most_groups + c->group[i]] == 0 : c->group[i] == c->group[j];
}

// Whether the pair of i and the image of j at `shift` must be listed: they touch, by the boxes too, and are not of those to leave out.
static bool must_be_listed(const crowd* c, int32_t i, int32_t j, const int shift[3])
{
    double offset[3] = {shift[0] * c->length[0], shift[1] * c->length[1], shift[2] * c->length[2]};
    if ((c->with_still && c->still[i] && c->still[j]) || is_masked(c, i, j))
        return false;
    for (int k = 0; k < c->dim && c->boxes; ++k)
        if (fabs((c->xr[i][k] - c->xr[j][k]) - offset[k]) > c->half[i][k] + c->half[j][k] + c->search.gap)
            return false;
    return scree_is_pair(c->xr[i], c->xr[j], offset, c->search.gap);
}

static bool is_listed(const scree_candidate_rows* rows, int32_t i, int32_t j, const int shift[3])
{
    for (int64_t c = rows->start[i]; c < rows->start[i + 1]; ++c)
        if (rows->ij[c][1] == j && (rows->shift == NULL || (rows->shift[c][0] == shift[0] && rows->shift[c][1] == shift[1] && rows->shift[c][2] == shift[2])))
            return true;
    return false;
}

static void check_complete(const crowd* c, const scree_candidate_rows* rows, int number, int step)
{
    const int far[3] = {c->length[0] > 0.0 ? 2 : 0, c->length[1] > 0.0 ? 2 : 0, c->length[2] > 0.0 ? 2 : 0};
    for (int32_t i = 0; i < c->n; ++i)
        for (int32_t j = i; j < c->n; ++j)
            for (int x = -far[0]; x <= far[0]; ++x)
                for (int y = -far[1]; y <= far[1]; ++y)
                    for (int z = -far[2]; z <= far[2]; ++z)
                        if ((i < j || scree_shift_is_ahead(x, y, z)) && must_be_listed(c, i, j, (const int[3]){x, y, z}) &&
                            !is_listed(rows, i, j, (const int[3]){x, y, z}))
                            fail_msg("set %d, step %d: the pair of %d and %d, shift %d %d %d, is not listed", number, step, (int)i, (int)j, x, y, z);
}

static void check_rows(const crowd* c, const scree_candidate_rows* rows, int32_t block)
{
    assert_int_equal(rows->items, c->n);
    assert_int_equal(rows->start[0], 0);
    assert_int_equal(rows->start[c->n], rows->count);
    for (int32_t i = 0; i < c->n; ++i)
        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; ++e) {
            int32_t j = rows->ij[e][1];
            assert_int_equal(rows->ij[e][0], i);
            assert_true(j >= i && j < c->n);
            assert_true(e == rows->start[i] || j > rows->ij[e - 1][1] || (j == rows->ij[e - 1][1] && memcmp(rows->shift[e], rows->shift[e - 1], 3) != 0));
            assert_false(c->with_still && c->still[i] && c->still[j]);
            assert_false(is_masked(c, i, j));
        }
    // Transposed: the rows that join two blocks, by the block of j.
    int64_t at = 0;
    assert_int_equal(rows->blocks, (c->n + block - 1) / block);
    for (int64_t b = 0; b < rows->blocks; ++b) {
        assert_int_equal(rows->in_start[b], at);
        for (int64_t e = 0; e < rows->count; ++e)
            if (rows->ij[e][1] / block == b && rows->ij[e][0] / block != b) {
                assert_memory_equal(rows->in_ij[at], rows->ij[e], sizeof *rows->ij);
                assert_int_equal(rows->in_row[at], e);
                assert_true(rows->shift == NULL || memcmp(rows->in_shift[at], rows->shift[e], sizeof *rows->shift) == 0);
                ++at;
            }
    }
    assert_int_equal(rows->in_start[rows->blocks], at);
}

// Moves all that are not still, by at most `most`; how far the farthest went.
static double move(scree_rng* rng, crowd* c, double most)
{
    double farthest = 0.0;
    for (int32_t i = 0; i < c->n; ++i) {
        double square = 0.0;
        for (int k = 0; k < c->dim && !(c->with_still && c->still[i]); ++k) {
            double before = c->xr[i][k];
            c->xr[i][k] += most * (2.0 * scree_rng_uniform(rng) - 1.0);
            square += (c->xr[i][k] - before) * (c->xr[i][k] - before);
        }
        farthest = fmax(farthest, sqrt(square));
    }
    return farthest;
}

static void no_pair_is_missed(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(21, 0);
    int64_t updates = 0, builds = 0;
    for (int number = 0; number < (int)(60 * test_effort()) + 4; ++number) {
        crowd c;
        make_crowd(&rng, &c);
        scree_candidates_def def = scree_default_candidates_def();
        def.search = &c.search;
        def.block = 1 + (int32_t)scree_rng_below(&rng, 50);
        def.numbered = true;
        scree_candidates* near;
        CHECK_OK(scree_candidates_create(&def, &near));
        int64_t build = 0;
        bool known = scree_rng_below(&rng, 4) > 0;
        for (int step = 0; step < 12; ++step) {
            scree_candidate_items now = items_of(&c);
            double went = step > 0 ? move(&rng, &c, step % 5 == 4 ? 0.2 : 0.01) : 0.0;
            now.moved = known ? went : NAN;
            now.expected = 0.01;
            now.others = scree_rng_below(&rng, 8) == 0;
            CHECK_OK(scree_candidates_update(near, &now));
            scree_candidate_rows rows;
            CHECK_OK(scree_candidates_get_rows(near, &rows));
            check_complete(&c, &rows, number, step);
            if (rows.build != build)
                check_rows(&c, &rows, def.block);
            assert_true(rows.build >= build && rows.build <= step + 1 && (!now.others || rows.build == build + 1));
            ++updates;
            builds += rows.build - build;
            build = rows.build;
        }
        scree_candidates_destroy(near);
    }
    assert_true(builds < 8 * updates / 10);  // lists last
}

// The list follows centres that are scaled, and is made again where it must be.
static void scaling_loses_nothing(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(22, 0);
    for (int number = 0; number < (int)(20 * test_effort()) + 4; ++number) {
        crowd c;
        make_crowd(&rng, &c);
        c.boxes = false;
        c.search.skin = 0.4;
        scree_candidates_def def = scree_default_candidates_def();
        def.search = &c.search;
        scree_candidates* near;
        CHECK_OK(scree_candidates_create(&def, &near));
        scree_candidate_items now = items_of(&c);
        CHECK_OK(scree_candidates_update(near, &now));
        for (int step = 0; step < 10; ++step) {
            double factor = 0.99 + 0.02 * scree_rng_uniform(&rng);
            const double about[3] = {0.0, 0.0, 0.0};
            for (int k = 0; k < c.dim; ++k) {
                for (int32_t i = 0; i < c.n; ++i)
                    c.xr[i][k] *= factor;
                c.length[k] *= factor;
                if (c.length[k] > 0.0)
                    c.search.box.upper[k] = c.length[k];
            }
            CHECK_OK(scree_candidates_scale(near, &c.search.box, about, factor));
            now = items_of(&c);
            now.moved = move(&rng, &c, 0.003);
            CHECK_OK(scree_candidates_update(near, &now));
            scree_candidate_rows rows;
            CHECK_OK(scree_candidates_get_rows(near, &rows));
            check_complete(&c, &rows, number, step);
        }
        scree_candidates_destroy(near);
    }
}

// Displacements that the caller measured, and what moves outside: a list ends with either.
static void the_caller_measures(void** state)
{
    (void)state;
    double xr[2][4] = {{0.0, 0.0, 0.0, 0.5}, {1.2, 0.0, 0.0, 0.5}};
    scree_index_def search = scree_default_index_def();
    search.skin = 0.4;
    scree_candidates_def def = scree_default_candidates_def();
    def.search = &search;
    scree_candidates* near;
    CHECK_OK(scree_candidates_create(&def, &near));
    scree_candidate_items now = {.struct_size = sizeof now, .count = 2, .xr = (const double(*)[4])xr, .moved = NAN, .others = true};
    CHECK_OK(scree_candidates_update(near, &now));
    double ways[2] = {0.25, 0.1};
    bool holds;
    now = (scree_candidate_items){.struct_size = sizeof(scree_candidate_items), .count = 2, .moved = NAN, .ways = ways};
    CHECK_OK(scree_candidates_hold(near, &now, &holds));
    assert_true(holds);
    now.outside_moved = 0.16;  // with the farthest item more than the skin
    CHECK_OK(scree_candidates_hold(near, &now, &holds));
    assert_false(holds);
    now.outside_moved = 0.0;
    now.others = true;
    now.xr = (const double(*)[4])xr;
    CHECK_OK(scree_candidates_update(near, &now));
    now.others = false;
    ways[1] = 0.16;
    CHECK_OK(scree_candidates_hold(near, &now, &holds));
    assert_false(holds);
    scree_candidates_destroy(near);
}

static void same_rows(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(23, 0);
    enum { n = 20000 };
    double(*xr)[4] = calloc(n, sizeof *xr);
    for (int32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k)
            xr[i][k] = 40.0 * scree_rng_uniform(&rng);
        xr[i][3] = 0.3 + 0.7 * scree_rng_uniform(&rng);
    }
    scree_index_def search = scree_default_index_def();
    search.box = scree_box_sized(3, (double[3]){40.0, 40.0, 40.0});
    search.box.periodic[0] = true;
    search.skin = 0.1;
    scree_candidates *first = NULL, *near;
    scree_candidate_rows wanted, rows;
    for (int t = 0; t < 3; ++t) {
        search.threads = (const int32_t[]){1, 2, 7}[t];
        scree_candidates_def def = scree_default_candidates_def();
        def.search = &search;
        def.block = 512;
        def.numbered = true;
        CHECK_OK(scree_candidates_create(&def, &near));
        scree_candidate_items now = {.struct_size = sizeof now, .count = n, .xr = (const double(*)[4])xr, .others = true};
        CHECK_OK(scree_candidates_update(near, &now));
        CHECK_OK(scree_candidates_get_rows(near, &rows));
        if (t == 0) {
            first = near;
            wanted = rows;
            assert_true(rows.count > n);
            continue;
        }
        assert_int_equal(rows.count, wanted.count);
        assert_memory_equal(rows.ij, wanted.ij, (size_t)rows.count * sizeof *rows.ij);
        assert_memory_equal(rows.shift, wanted.shift, (size_t)rows.count * sizeof *rows.shift);
        assert_memory_equal(rows.in_start, wanted.in_start, (size_t)(rows.blocks + 1) * sizeof *rows.in_start);
        assert_memory_equal(rows.in_row, wanted.in_row, (size_t)rows.in_start[rows.blocks] * sizeof *rows.in_row);
        scree_candidates_destroy(near);
    }
    scree_candidates_destroy(first);
    free(xr);
}

static void what_is_refused(void** state)
{
    (void)state;
    scree_candidates* near;
    scree_candidates_def def = scree_default_candidates_def();
    def.block = -1;
    CHECK_FAILS(scree_candidates_create(&def, &near), SCREE_ERR_ARGUMENT, "-1");
    assert_null(near);
    CHECK_FAILS(scree_candidates_create(NULL, &near), SCREE_ERR_ARGUMENT, "def");
    def = scree_default_candidates_def();
    CHECK_OK(scree_candidates_create(&def, &near));
    scree_candidate_rows rows;
    CHECK_OK(scree_candidates_get_rows(near, &rows));
    assert_int_equal(rows.count, 0);
    double xr[2][4] = {{0.0, 0.0, 0.0, 0.5}, {INFINITY, 0.0, 0.0, 0.5}};
    scree_candidate_items now = {.struct_size = sizeof now, .count = 2, .xr = (const double(*)[4])xr};
    CHECK_FAILS(scree_candidates_update(near, &now), SCREE_ERR_ARGUMENT, "item 1", "inf");
    xr[1][0] = 1.0;
    xr[1][3] = -0.5;
    CHECK_FAILS(scree_candidates_update(near, &now), SCREE_ERR_ARGUMENT, "item 1", "-0.5");
    xr[1][3] = 0.5;
    CHECK_OK(scree_candidates_update(near, &now));
    now.count = 1;
    CHECK_FAILS(scree_candidates_update(near, &now), SCREE_ERR_ARGUMENT, "1 items", "2");
    now.count = 2;
    now.moved = -1.0;
    CHECK_FAILS(scree_candidates_update(near, &now), SCREE_ERR_ARGUMENT, "-1");
    now.moved = 0.0;
    now.block = -3;
    CHECK_FAILS(scree_candidates_update(near, &now), SCREE_ERR_ARGUMENT, "-3");
    now.block = 0;
    CHECK_FAILS(scree_candidates_update(near, NULL), SCREE_ERR_ARGUMENT, "now");
    CHECK_FAILS(scree_candidates_set_threads(near, -2), SCREE_ERR_ARGUMENT, "-2");
    scree_box box = scree_box_open(2);
    CHECK_FAILS(scree_candidates_scale(near, &box, (double[3]){0.0}, 1.1), SCREE_ERR_ARGUMENT, "dimension");
    scree_candidates_destroy(near);
    scree_candidates_destroy(NULL);
    // A radius by hand that is too small, and a list that is kept too long.
    scree_index_def search = scree_default_index_def();
    search.method = SCREE_METHOD_VERLET_LIST;
    search.verlet_radius = 0.9;
    def.search = &search;
    CHECK_OK(scree_candidates_create(&def, &near));
    now.moved = 0.0;
    CHECK_FAILS(scree_candidates_update(near, &now), SCREE_ERR_ARGUMENT, "0.9", "1");
    CHECK_FAILS(scree_candidates_get_rows(near, &rows), SCREE_ERR_ARGUMENT, "list");
    scree_candidates_destroy(near);
    search.verlet_radius = 1.1;
    search.rebuild_every = 5;
    CHECK_OK(scree_candidates_create(&def, &near));
    CHECK_OK(scree_candidates_update(near, &now));
    xr[0][0] = 0.2;
    now.moved = 0.2;
    CHECK_FAILS(scree_candidates_update(near, &now), SCREE_ERR_ARGUMENT, "0.2", "rebuild_every 5");
    scree_candidates_destroy(near);
}

static void no_memory(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(24, 0);
    crowd c;
    do
        make_crowd(&rng, &c);
    while (c.n < 100 || !c.with_still);
    scree_candidates_def def = scree_default_candidates_def();
    def.search = &c.search;
    def.block = 16;
    def.numbered = true;
    for (int64_t n = 1;; ++n) {
        scree_candidates* near;
        scree_candidate_items now = items_of(&c);
        scree_memory_fail_at(n);
        scree_status status = scree_candidates_create(&def, &near);
        if (status == SCREE_OK)
            status = scree_candidates_update(near, &now);
        int64_t used = scree_memory_fail_at(0);
        if (status == SCREE_OK) {
            scree_candidate_rows rows;
            assert_true(used < n);
            CHECK_OK(scree_candidates_get_rows(near, &rows));
            check_complete(&c, &rows, 0, 0);
            scree_candidates_destroy(near);
            break;
        }
        assert_int_equal(status, SCREE_ERR_MEMORY);
        if (near != NULL) {  // and it works once there is memory
            CHECK_OK(scree_candidates_update(near, &now));
            scree_candidates_destroy(near);
        }
    }
}

// The skin of an update goes before that of the search; half of a periodic side is the most.
static void an_update_may_give_the_skin(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(12, 1);
    for (int trial = 0; trial < 20; ++trial) {
        crowd c;
        scree_candidates_def def = scree_default_candidates_def();
        scree_candidates* near;
        scree_candidate_rows rows;
        make_crowd(&rng, &c);
        double most = INFINITY, wanted = trial % 2 == 0 ? 0.17 : 100.0;
        for (int k = 0; k < c.dim; ++k)
            most = c.length[k] > 0.0 ? fmin(most, 0.5 * c.length[k]) : most;
        def.search = &c.search;
        CHECK_OK(scree_candidates_create(&def, &near));
        scree_candidate_items now = items_of(&c);
        now.skin = wanted;
        now.others = true;
        CHECK_OK(scree_candidates_update(near, &now));
        CHECK_OK(scree_candidates_get_rows(near, &rows));
        assert_true(rows.skin == fmin(wanted, most));
        for (int32_t i = 0; i < c.n && wanted < 1.0; ++i)  // as far as it reaches, all are listed
            for (int32_t j = i + 1; j < c.n; ++j) {
                double gap = c.search.gap;
                c.search.gap = gap + rows.skin * (1.0 - 1e-9);
                if (must_be_listed(&c, i, j, (const int[3]){0, 0, 0}))
                    assert_true(is_listed(&rows, i, j, (const int[3]){0, 0, 0}));
                c.search.gap = gap;
            }
        scree_candidates_destroy(near);
    }
}

// What is left is the list; the next update makes it again, with the same rows.
static void a_trimmed_list_is_read_and_renewed(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(13, 1);
    for (int trial = 0; trial < 10; ++trial) {
        crowd c;
        scree_candidates_def def = scree_default_candidates_def();
        scree_candidates* near;
        scree_candidate_rows rows, after;
        make_crowd(&rng, &c);
        def.search = &c.search;
        CHECK_OK(scree_candidates_create(&def, &near));
        scree_candidate_items now = items_of(&c);
        now.skin = 0.2;
        CHECK_OK(scree_candidates_update(near, &now));
        CHECK_OK(scree_candidates_get_rows(near, &rows));
        int32_t (*kept)[2] = malloc((size_t)(rows.count + 1) * sizeof *kept);
        if (rows.count > 0)
            memcpy(kept, rows.ij, (size_t)rows.count * sizeof *kept);
        scree_candidates_stats full = scree_candidates_get_stats(near);
        scree_candidates_trim(near);
        scree_candidates_stats left = scree_candidates_get_stats(near);
        assert_true(left.candidates == full.candidates && left.builds == full.builds && left.method == full.method && left.bytes < full.bytes);
        CHECK_OK(scree_candidates_get_rows(near, &after));
        assert_true(after.count == rows.count && after.build == rows.build && (rows.count == 0 || memcmp(after.ij, kept, (size_t)rows.count * sizeof *kept) == 0));
        CHECK_OK(scree_candidates_update(near, &now));
        CHECK_OK(scree_candidates_get_rows(near, &after));
        assert_true(after.count == rows.count && after.build == rows.build + 1 && (rows.count == 0 || memcmp(after.ij, kept, (size_t)rows.count * sizeof *kept) == 0));
        scree_candidates_clear(near);
        CHECK_OK(scree_candidates_get_rows(near, &after));
        assert_true(after.count == 0 && scree_candidates_get_stats(near).bytes < left.bytes);
        CHECK_OK(scree_candidates_update(near, &now));
        CHECK_OK(scree_candidates_get_rows(near, &after));
        assert_true(after.count == rows.count && after.build == rows.build + 2 && (rows.count == 0 || memcmp(after.ij, kept, (size_t)rows.count * sizeof *kept) == 0));
        free(kept);
        scree_candidates_destroy(near);
    }
}

// Whoever does not say how far items have moved gets all pairs: displacements are measured.
static void motions_that_are_not_given_are_measured(void** state)
{
    (void)state;
    enum { n = 300, steps = 60 };
    for (int way = 0; way < 2; ++way) {
        scree_rng rng = scree_rng_make(71, 0);
        double (*xr)[4] = calloc(n, sizeof *xr), (*v)[3] = calloc(n, sizeof *v);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < 3; ++k) {
                xr[i][k] = 12.0 * scree_rng_uniform(&rng);
                v[i][k] = 0.05 * (scree_rng_uniform(&rng) - 0.5);
            }
            xr[i][3] = 0.5;
        }
        scree_index_def search = scree_default_index_def();
        scree_candidates_def def = scree_default_candidates_def();
        def.search = &search;
        scree_candidates* near;
        CHECK_OK(scree_candidates_create(&def, &near));
        int64_t lost = 0, touching = 0;
        for (int step = 0; step < steps; ++step) {
            scree_candidate_items now = scree_default_candidate_items();
            scree_candidate_rows rows;
            now.count = n;
            now.xr = (const double(*)[4])xr;
            now.moved = way == 0 ? now.moved : 0.0;
            CHECK_OK(scree_candidates_update(near, &now));
            CHECK_OK(scree_candidates_get_rows(near, &rows));
            for (int c = 0; c < rows.count; ++c) {
                const double *a = xr[rows.ij[c][0]], *b = xr[rows.ij[c][1]], d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
                lost -= dot3(d, d) < 1.0;
            }
            for (int i = 0; i < n; ++i)
                for (int j = i + 1; j < n; ++j) {
                    const double d[3] = {xr[i][0] - xr[j][0], xr[i][1] - xr[j][1], xr[i][2] - xr[j][2]};
                    touching += dot3(d, d) < 1.0;
                }
            for (int i = 0; i < n; ++i)
                for (int k = 0; k < 3; ++k)
                    xr[i][k] += v[i][k];
        }
        assert_true(touching > 1000 && lost + touching == 0);
        assert_true(scree_candidates_get_stats(near).builds < steps / 2);
        scree_candidate_items zeroed = {.count = n, .xr = (const double(*)[4])xr};
        CHECK_FAILS(scree_candidates_update(near, &zeroed), SCREE_ERR_ARGUMENT, "scree_default_candidate_items");
        bool holds;
        CHECK_FAILS(scree_candidates_hold(near, &zeroed, &holds), SCREE_ERR_ARGUMENT, "scree_default_candidate_items");
        scree_candidates_destroy(near);
        free(xr);
        free(v);
    }
}

static const test_case cases[] = {
    UNIT(motions_that_are_not_given_are_measured),
    UNIT(a_trimmed_list_is_read_and_renewed),
    PROPERTY(no_pair_is_missed),
    PROPERTY(scaling_loses_nothing),
    UNIT(the_caller_measures),
    UNIT(an_update_may_give_the_skin),
    THREADS(same_rows),
    UNIT(what_is_refused),
    ALLOCATION(no_memory),
};

const test_group group_candidates = {.name = "candidates", .cases = cases, .count = sizeof cases / sizeof *cases};
