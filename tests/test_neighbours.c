// neighbours: while spheres move one at a time, each pair with a gap below the one asked for is in both lists, compared by a plain loop over all pairs and images;
// lists are symmetric, rise where they should and do not depend on threads; a list that the caller replaces changes others to fit; memory that runs out loses
// nothing. And the rule for skins.
#include "support.h"

#include "geom/pair.h"
#include "index/near_rows.h"
#include "scree/neighbours.h"

enum { most_spheres = 160 };

typedef struct crowd {
    scree_index_def search;
    double gap, skin;
    int32_t n, images;
    int dim;
    double length[3];             // 0 on axes that are not periodic
    double xr[most_spheres][4];   // unwrapped
    double x[most_spheres * 3], r[most_spheres];
} crowd;

static void make_crowd(scree_rng* rng, crowd* c)
{
    *c = (crowd){.search = scree_default_index_def(), .dim = 2 + (int)scree_rng_below(rng, 2), .n = 2 + (int32_t)scree_rng_below(rng, most_spheres - 1)};
    double side = 3.0 + 6.0 * scree_rng_uniform(rng), ratio = 1.0 + 5.0 * scree_rng_uniform(rng) * scree_rng_uniform(rng);
    c->search.box = random_box(rng, c->dim, side, c->length);
    c->search.method = (int32_t)scree_rng_below(rng, SCREE_METHOD_COUNT);
    c->search.threads = 1;
    c->search.sorted = scree_rng_below(rng, 2) == 0;
    c->gap = scree_rng_below(rng, 3) == 0 ? 0.05 : 0.0;
    c->skin = 0.2 + 0.3 * scree_rng_uniform(rng);
    c->search.gap = c->gap + c->skin;
    c->search.skin = -1.0;
    c->images = 3 + (int32_t)scree_rng_below(rng, 5);
    for (int32_t i = 0; i < c->n; ++i) {
        c->r[i] = c->xr[i][3] = 0.2 * pow(ratio, scree_rng_uniform(rng));
        for (int k = 0; k < c->dim; ++k)
            c->x[i * c->dim + k] = c->xr[i][k] = side * scree_rng_uniform(rng);
    }
}

static void open_crowd(const crowd* c, bool sorted, scree_index** index, scree_neighbour_lists** lists)
{
    CHECK_OK(scree_index_create(&c->search, index));
    CHECK_OK(scree_index_update(*index, (scree_spheres){.count = c->n, .dim = c->dim, .x = c->x, .r = c->r}));
    scree_neighbour_lists_def def = scree_default_neighbour_lists_def();
    def.index = *index;
    def.images = c->images;
    def.sorted = sorted;
    def.threads = 1;
    CHECK_OK(scree_neighbour_lists_create(&def, lists));
    CHECK_OK(scree_neighbour_lists_make(*lists, c->skin));
}

static int listed(const scree_neighbour_rows* rows, int32_t i, int32_t j, int32_t image)
{
    int found = 0;
    for (int64_t e = rows->row[i].at; e < rows->row[i].at + rows->row[i].count; ++e)
        found += rows->j[e] == j && rows->image[e] == image;
    return found;
}

// How many pairs there are.
static int64_t check_complete(const crowd* c, const scree_neighbour_lists* lists, int number, int step)
{
    scree_neighbour_rows rows;
    CHECK_OK(scree_neighbour_lists_get_rows(lists, &rows));
    assert_int_equal(rows.count, c->n);
    int far[3];
    for (int k = 0; k < 3; ++k)
        far[k] = c->length[k] > 0.0 ? 2 : 0;
    int64_t pairs = 0;
    for (int32_t i = 0; i < c->n; ++i)
        for (int32_t j = 0; j < c->n; ++j)
            for (int x = -far[0]; x <= far[0] && j != i; ++x)
                for (int y = -far[1]; y <= far[1]; ++y)
                    for (int z = -far[2]; z <= far[2]; ++z) {
                        const double offset[3] = {x * c->length[0], y * c->length[1], z * c->length[2]};
                        if (!scree_is_pair(c->xr[i], c->xr[j], offset, c->gap))
                            continue;
                        ++pairs;
                        if (listed(&rows, i, j, scree_neighbour_image(c->images, x, y, z)) != 1)
                            fail_msg("set %d, step %d: the pair of %d and %d, shift %d %d %d, is listed %d times", number, step, (int)i, (int)j, x, y, z,
                                     listed(&rows, i, j, scree_neighbour_image(c->images, x, y, z)));
                    }
    return pairs;
}

// One sphere after the other, steps of all lengths; references fall out of step with each other. Centres go on across periodic faces, and now and then one is wrapped.
static void no_pair_is_missed(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(31, 0);
    int64_t moves = 0, refreshes = 0, pairs = 0, far = 0;
    for (int number = 0; number < (int)(40 * test_effort()) + 8; ++number) {
        crowd c;
        make_crowd(&rng, &c);
        bool sorted = number % 2 == 0;
        scree_index* index;
        scree_neighbour_lists* lists;
        open_crowd(&c, sorted, &index, &lists);
        double drift = number % 4 == 3 ? 0.4 : 0.0;  // far enough for images to leave the range
        for (int step = 0; step < 8; ++step) {
            for (int32_t m = 0; m < c.n; ++m) {
                int32_t i = (int32_t)scree_rng_below(&rng, (uint64_t)c.n);
                double most = scree_rng_below(&rng, 10) == 0 ? 0.5 : 0.06;
                for (int k = 0; k < c.dim; ++k) {
                    c.xr[i][k] += most * (2.0 * scree_rng_uniform(&rng) - 1.0);
                    c.xr[i][k] += c.length[k] > 0.0 ? drift * c.length[k] * (i % 2 == 0 ? 1.0 : -1.0) : 0.0;
                    if (c.length[k] > 0.0 && scree_rng_below(&rng, 40) == 0)
                        c.xr[i][k] -= floor(c.xr[i][k] / c.length[k]) * c.length[k];
                }
                scree_neighbour_change change;
                CHECK_OK(scree_neighbour_lists_move(lists, i, c.xr[i], &change));
                ++moves;
                if (!change.far)
                    continue;
                ++far;  // wrapped, and all lists rebuilt
                scree_neighbour_rows rows;
                CHECK_FAILS(scree_neighbour_lists_get_rows(lists, &rows), SCREE_ERR_ARGUMENT, "neighbour lists");
                CHECK_FAILS(scree_neighbour_lists_move(lists, i, c.xr[i], NULL), SCREE_ERR_ARGUMENT, "neighbour lists");
                for (int32_t q = 0; q < c.n; ++q)
                    for (int k = 0; k < c.dim; ++k) {
                        c.xr[q][k] -= c.length[k] > 0.0 ? floor(c.xr[q][k] / c.length[k]) * c.length[k] : 0.0;
                        c.x[q * c.dim + k] = c.xr[q][k];
                    }
                CHECK_OK(scree_index_update(index, (scree_spheres){.count = c.n, .dim = c.dim, .x = c.x, .r = c.r}));
                CHECK_OK(scree_neighbour_lists_make(lists, c.skin));
            }
            CHECK_OK(scree_neighbour_lists_validate(lists));
            if (drift == 0.0)  // else images may be anywhere
                pairs += check_complete(&c, lists, number, step);
        }
        refreshes += scree_neighbour_lists_get_stats(lists).refreshes;
        scree_neighbour_lists_destroy(lists);
        scree_index_destroy(index);
    }
    assert_true(pairs > 1000 && far > 0 && refreshes > moves / 20 && refreshes < moves * 3 / 4);
}

// Rows from pairs: the same for any number of threads, rising, and as many entries as pairs have sides.
static void same_rows(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(32, 0);
    enum { n = 6000 };
    double(*x)[3] = calloc(n, sizeof *x), *r = calloc(n, sizeof *r);
    for (int32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k)
            x[i][k] = 24.0 * scree_rng_uniform(&rng);
        r[i] = i == 77 ? 6.0 : 0.3 + 0.5 * scree_rng_uniform(&rng);  // and one with a long row
    }
    scree_index_def search = scree_default_index_def();
    search.box = scree_box_sized(3, (double[3]){24.0, 24.0, 24.0});
    search.box.periodic[0] = search.box.periodic[2] = true;
    search.skin = -1.0;
    scree_index* index;
    CHECK_OK(scree_index_create(&search, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = n, .dim = 3, .x = x[0], .r = r}));
    scree_pairs pairs;
    CHECK_OK(scree_index_pairs(index, &pairs));
    int64_t sides = 2 * pairs.count;
    for (int steady = 0; steady < 2; ++steady) {
        scree_neighbour_lists *first = NULL, *lists;
        scree_neighbour_rows wanted = {0}, rows;
        for (int t = 0; t < 3; ++t) {
            scree_neighbour_lists_def def = scree_default_neighbour_lists_def();
            def.index = index;
            def.threads = (const int32_t[]){1, 2, 7}[t];
            def.sorted = true;
            def.steady = steady == 1;
            CHECK_OK(scree_neighbour_lists_create(&def, &lists));
            CHECK_OK(scree_neighbour_lists_make(lists, 0.0));
            CHECK_OK(scree_neighbour_lists_get_rows(lists, &rows));
            CHECK_OK(scree_neighbour_lists_validate(lists));
            assert_int_equal(rows.entries, sides);
            assert_true(rows.row[77].count > 200 && (!def.steady || rows.used == rows.entries));
            if (t == 0) {
                first = lists;
                wanted = rows;
                continue;
            }
            assert_memory_equal(rows.row, wanted.row, n * sizeof *rows.row);
            assert_memory_equal(rows.imaged, wanted.imaged, n);
            for (int32_t i = 0; i < n; ++i) {
                assert_memory_equal(rows.j + rows.row[i].at, wanted.j + rows.row[i].at, (size_t)rows.row[i].count * sizeof *rows.j);
                assert_memory_equal(rows.image + rows.row[i].at, wanted.image + rows.row[i].at, (size_t)rows.row[i].count * sizeof *rows.image);
            }
            scree_neighbour_lists_destroy(lists);
        }
        scree_neighbour_lists_destroy(first);
    }
    scree_index_destroy(index);
    free(x);
    free(r);
}

// What a caller that searches itself does: lists replaced by random ones, compared with a table of who lists whom.
static void replaced_lists_change_others(void** state)
{
    (void)state;
    enum { n = 12, images = 1 };
    scree_rng rng = scree_rng_make(33, 0);
    scree_index_def search = scree_default_index_def();
    scree_index* index;
    double x[n * 3], r[n];
    for (int i = 0; i < n; ++i) {
        r[i] = 0.1;
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = i;
    }
    CHECK_OK(scree_index_create(&search, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}));
    for (int sorted = 0; sorted < 2; ++sorted) {
        scree_neighbour_lists_def def = scree_default_neighbour_lists_def();
        def.index = index;
        def.images = images;
        def.sorted = sorted == 1;
        scree_neighbour_lists* lists;
        CHECK_OK(scree_neighbour_lists_create(&def, &lists));
        CHECK_OK(scree_neighbour_lists_make(lists, 0.0));
        bool there[n][n][27] = {0};
        for (int step = 0; step < 2000; ++step) {
            int32_t i = (int32_t)scree_rng_below(&rng, n), j[27 * n], image[27 * n], count = 0, fresh = 0, gone = 0;
            uint64_t share = 1 + scree_rng_below(&rng, 12);
            for (int32_t q = 0; q < n; ++q)
                for (int32_t m = 0; m < 27 && q != i; ++m) {
                    bool wanted = scree_rng_below(&rng, 12) < share && scree_rng_below(&rng, 2) == 0;
                    fresh += wanted && !there[i][q][m];
                    gone += !wanted && there[i][q][m];
                    there[i][q][m] = there[q][i][26 - m] = wanted;
                    if (!wanted)
                        continue;
                    j[count] = q;
                    image[count++] = m;
                }
            scree_neighbour_change change;
            CHECK_OK(scree_neighbour_lists_replace(lists, i, count, j, image, &change));
            assert_int_equal(change.count, fresh);
            assert_int_equal(change.dropped, gone);
            scree_neighbour_rows rows;
            CHECK_OK(scree_neighbour_lists_get_rows(lists, &rows));
            if (step % 50 != 0)
                continue;
            CHECK_OK(scree_neighbour_lists_validate(lists));
            int64_t entries = 0;
            for (int32_t a = 0; a < n; ++a)
                for (int32_t b = 0; b < n; ++b)
                    for (int32_t m = 0; m < 27; ++m) {
                        assert_int_equal(listed(&rows, a, b, m), there[a][b][m]);
                        entries += there[a][b][m];
                    }
            assert_int_equal(rows.entries, entries);
        }
        // An invalid entry changes nothing.
        scree_neighbour_change change;
        int32_t j[2] = {1, n}, image[2] = {13, 13};
        CHECK_FAILS(scree_neighbour_lists_replace(lists, 0, 2, j, image, &change), SCREE_ERR_ARGUMENT, "entry 1", "sphere 12");
        j[1] = 2;
        image[1] = 27;
        CHECK_FAILS(scree_neighbour_lists_replace(lists, 0, 2, j, image, &change), SCREE_ERR_ARGUMENT, "entry 1", "27");
        CHECK_OK(scree_neighbour_lists_validate(lists));
        image[1] = 13;
        CHECK_OK(scree_neighbour_lists_replace(lists, 0, 2, j, image, &change));
        CHECK_OK(scree_neighbour_lists_replace(lists, 0, 2, j, image, &change));  // no mark was left behind
        assert_int_equal(change.count + change.dropped, 0);
        scree_neighbour_lists_destroy(lists);
    }
    scree_index_destroy(index);
}

// Spheres that come and go: the last takes the free number, in all rows; and the pool does not grow without end.
static void spheres_come_and_go(void** state)
{
    (void)state;
    enum { most = 40, codes = 5, here = 2 };
    scree_rng rng = scree_rng_make(35, 0);
    for (int sorted = 0; sorted < 2; ++sorted) {
        near_rows rows = {.sorted = sorted == 1};
        static bool there[most][most][codes];
        memset(there, 0, sizeof there);
        CHECK_OK(near_rows_begin(&rows, 0, here));
        int32_t n = 0;
        for (int step = 0; step < 6000; ++step) {
            if (n < most && (n < 3 || scree_rng_below(&rng, 2) == 0)) {
                int32_t j[most * codes], image[most * codes], count = 0;
                CHECK_OK(near_rows_append(&rows));
                for (int32_t q = 0; q <= n; ++q)
                    for (int32_t m = 0; m < codes; ++m) {  // itself too, through images on both sides
                        bool wanted = q == n ? m == 0 || m == codes - 1 : scree_rng_below(&rng, 4) == 0;
                        there[n][q][m] = there[q][n][codes - 1 - m] = wanted;
                        j[count] = q;
                        image[count] = m;
                        count += wanted;
                    }
                scree_neighbour_change change;
                CHECK_OK(near_rows_replace(&rows, n++, count, j, image, &change));
                assert_int_equal(change.count, count);
            } else {
                int32_t i = (int32_t)scree_rng_below(&rng, (uint64_t)n), last = --n;
                CHECK_OK(near_rows_remove(&rows, i));
                for (int32_t q = 0; q < last && i != last; ++q)
                    for (int32_t m = 0; m < codes; ++m)
                        if (q != i)
                            there[i][q][m] = there[last][q][m], there[q][i][m] = there[q][last][m];
                for (int32_t m = 0; m < codes && i != last; ++m)
                    there[i][i][m] = there[last][last][m];
            }
            assert_int_equal(rows.n, n);
            assert_true(rows.used < 40000);  // eight times what the fullest rows need, and some
            if (step % 40 != 0)
                continue;
            CHECK_OK(near_rows_validate(&rows));
            scree_neighbour_rows seen = {.row = rows.row, .j = rows.j, .image = rows.image};
            for (int32_t a = 0; a < n; ++a)
                for (int32_t b = 0; b < n; ++b)
                    for (int32_t m = 0; m < codes; ++m)
                        assert_int_equal(listed(&seen, a, b, m), there[a][b][m]);
        }
        near_rows_free(&rows);
    }
}

// The checks of validate see what they are for.
static void validate_sees(void** state)
{
    (void)state;
    const int32_t ij[][2] = {{0, 1}, {1, 2}, {0, 2}, {2, 3}};
    scree_pairs pairs = {.count = 4, .ij = ij};
    near_rows rows = {.sorted = true};
    CHECK_OK(near_rows_make(&rows, 4, &pairs, 1, false, 1));
    CHECK_OK(near_rows_validate(&rows));
    int64_t at = rows.row[2].at;
    int32_t kept = rows.j[at];
    rows.j[at] = 3;
    CHECK_FAILS(near_rows_validate(&rows), SCREE_ERR_ARGUMENT, "sphere 0", "sphere 2");
    rows.j[at] = kept;
    rows.image[at] = 14;
    rows.imaged[2] = 1;
    CHECK_FAILS(near_rows_validate(&rows), SCREE_ERR_ARGUMENT, "sphere 0");
    rows.image[at] = 13;
    ++rows.entries;
    CHECK_FAILS(near_rows_validate(&rows), SCREE_ERR_ARGUMENT, "9", "8");
    --rows.entries;
    CHECK_OK(near_rows_validate(&rows));
    near_rows_free(&rows);
}

static void what_is_refused(void** state)
{
    (void)state;
    scree_index_def search = scree_default_index_def();
    search.box = scree_box_sized(3, (double[3]){4.0, 4.0, 4.0});
    search.box.periodic[0] = true;
    search.gap = 0.2;
    search.skin = -1.0;
    scree_index* index;
    CHECK_OK(scree_index_create(&search, &index));
    scree_neighbour_lists* lists;
    scree_neighbour_lists_def def = scree_default_neighbour_lists_def();
    CHECK_FAILS(scree_neighbour_lists_create(&def, &lists), SCREE_ERR_ARGUMENT, "index");
    assert_null(lists);
    def.index = index;
    def.images = 8;
    CHECK_FAILS(scree_neighbour_lists_create(&def, &lists), SCREE_ERR_ARGUMENT, "8");
    def.images = 0;
    CHECK_FAILS(scree_neighbour_lists_create(&def, &lists), SCREE_ERR_ARGUMENT, "0");
    def.images = 2;
    def.threads = -3;
    CHECK_FAILS(scree_neighbour_lists_create(&def, &lists), SCREE_ERR_ARGUMENT, "-3");
    def.threads = 1;
    def.struct_size = 7;
    CHECK_FAILS(scree_neighbour_lists_create(&def, &lists), SCREE_ERR_ARGUMENT, "7");
    def.struct_size = sizeof def;
    CHECK_OK(scree_neighbour_lists_create(&def, &lists));
    scree_neighbour_rows rows;
    CHECK_OK(scree_neighbour_lists_get_rows(lists, &rows));
    assert_int_equal(rows.count, 0);
    double x[6] = {1.0, 1.0, 1.0, 2.0, 1.0, 1.0}, r[2] = {0.5, 0.5};
    CHECK_FAILS(scree_neighbour_lists_move(lists, 0, x, NULL), SCREE_ERR_ARGUMENT, "neighbour lists");
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}));
    CHECK_FAILS(scree_neighbour_lists_make(lists, -0.5), SCREE_ERR_ARGUMENT, "-0.5");
    CHECK_FAILS(scree_neighbour_lists_make(lists, NAN), SCREE_ERR_ARGUMENT, "nan");
    CHECK_FAILS(scree_neighbour_lists_get_rows(lists, &rows), SCREE_ERR_ARGUMENT, "neighbour lists");
    CHECK_OK(scree_neighbour_lists_make(lists, 0.2));
    CHECK_FAILS(scree_neighbour_lists_move(lists, 2, x, NULL), SCREE_ERR_ARGUMENT, "sphere 2");
    CHECK_FAILS(scree_neighbour_lists_move(lists, -1, x, NULL), SCREE_ERR_ARGUMENT, "sphere -1");
    CHECK_FAILS(scree_neighbour_lists_refresh(lists, 1, (double[3]){2.0, 5.0, 1.0}, NULL), SCREE_ERR_ARGUMENT, "sphere 1", "5");  // outside the walls: as it was
    CHECK_OK(scree_neighbour_lists_get_rows(lists, &rows));
    assert_int_equal(rows.entries, 2);
    int32_t none = 0;
    scree_neighbour_change change;
    CHECK_FAILS(scree_neighbour_lists_replace(lists, 0, -1, &none, &none, &change), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_neighbour_lists_replace(lists, 0, 1, NULL, NULL, &change), SCREE_ERR_ARGUMENT, "array");
    // Within the skin nothing is made; beyond it the list is, at the place that was given.
    CHECK_OK(scree_neighbour_lists_move(lists, 1, (double[3]){2.09, 1.0, 1.0}, NULL));
    assert_int_equal(scree_neighbour_lists_get_stats(lists).refreshes, 0);
    CHECK_OK(scree_neighbour_lists_move(lists, 1, (double[3]){2.11, 1.0, 1.0}, NULL));
    assert_int_equal(scree_neighbour_lists_get_stats(lists).refreshes, 1);
    CHECK_OK(scree_neighbour_lists_move(lists, 1, (double[3]){2.02, 1.0, 1.0}, NULL));  // from 2.11: the reference is new
    assert_int_equal(scree_neighbour_lists_get_stats(lists).refreshes, 1);
    // Three boxes away: said so, or refused where nobody asks.
    CHECK_OK(scree_neighbour_lists_move(lists, 1, (double[3]){2.0 + 12.0, 1.0, 1.0}, &change));
    assert_true(change.far);
    CHECK_FAILS(scree_neighbour_lists_make(lists, 0.2), SCREE_ERR_ARGUMENT, "0 and 1", "2");
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}));
    CHECK_OK(scree_neighbour_lists_make(lists, 0.2));
    CHECK_FAILS(scree_neighbour_lists_move(lists, 1, (double[3]){2.0 + 12.0, 1.0, 1.0}, NULL), SCREE_ERR_ARGUMENT, "sphere 1", "2");
    CHECK_FAILS(scree_neighbour_lists_get_rows(lists, &rows), SCREE_ERR_ARGUMENT, "neighbour lists");
    scree_neighbour_lists_destroy(lists);
    scree_index_destroy(index);
}

static scree_status make_and_move(const crowd* c, scree_index* index, scree_neighbour_lists* lists)
{
    scree_status status = scree_index_update(index, (scree_spheres){.count = c->n, .dim = c->dim, .x = c->x, .r = c->r});
    if (status == SCREE_OK)
        status = scree_neighbour_lists_make(lists, c->skin);
    for (int32_t i = 0; i < c->n && status == SCREE_OK; i += 3)
        status = scree_neighbour_lists_refresh(lists, i, c->x + ((i + 5) % c->n) * c->dim, NULL);
    return status;
}

static void no_memory(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(34, 0);
    crowd c;
    do
        make_crowd(&rng, &c);
    while (c.n < 100 || c.search.method != SCREE_METHOD_HIERARCHICAL_GRID);
    scree_index* index;
    CHECK_OK(scree_index_create(&c.search, &index));
    scree_neighbour_lists_def def = scree_default_neighbour_lists_def();
    def.index = index;
    scree_neighbour_lists* lists = NULL;
    EACH_ALLOCATION_FAILS(scree_neighbour_lists_create(&def, &lists), assert_null(lists));
    EACH_ALLOCATION_FAILS(make_and_move(&c, index, lists), CHECK_OK(scree_neighbour_lists_validate(lists)));
    CHECK_OK(scree_neighbour_lists_validate(lists));
    assert_true(scree_neighbour_lists_get_stats(lists).entries > 0 && scree_neighbour_lists_get_stats(lists).bytes > 1000);
    scree_neighbour_lists_destroy(lists);
    scree_index_destroy(index);
}

// At the best width nothing changes; work that lists cost to make widens it; and there are limits.
static void a_skin_goes_where_work_is_least(void** state)
{
    (void)state;
    assert_true(scree_skin_factor(3.0, 3.0) == 1.0);
    CHECK_CLOSE(scree_skin_factor(2.0, 1.0), sqrt(2.0), 1e-15);
    CHECK_CLOSE(scree_skin_factor(1.0, 2.0), 1.0 / sqrt(2.0), 1e-15);
    assert_true(scree_skin_factor(100.0, 1.0) == 2.0 && scree_skin_factor(1.0, 100.0) == 0.5);
    assert_true(scree_skin_factor(0.0, 0.0) == 0.5);  // nothing was counted
    // Looking grows as the square of the skin, making falls as its inverse: steps come to rest at the least of the sum.
    double skin = 0.01;
    for (int step = 0; step < 60; ++step)
        skin *= scree_skin_factor(5.0 / skin, 2.0 * 40.0 * skin * skin);
    CHECK_CLOSE(skin, cbrt(5.0 / 80.0), 1e-9);
}

static const test_case cases[] = {
    PROPERTY(no_pair_is_missed),
    UNIT(replaced_lists_change_others),
    UNIT(spheres_come_and_go),
    UNIT(validate_sees),
    UNIT(what_is_refused),
    UNIT(a_skin_goes_where_work_is_least),
    THREADS(same_rows),
    ALLOCATION(no_memory),
};

const test_group group_neighbours = {.name = "neighbours", .cases = cases, .count = sizeof cases / sizeof *cases};
