// The grids: what can be fixed by hand, what is counted, crowded sets, and the worked examples of the papers.
#include "index_support.h"

#include "base/memory.h"
#include "base/wide.h"
#include "index/crowding.h"
#include "index/grid/grid_search.h"
#include "index/pair_output.h"
#include "scenes.h"

// ---- Whatever is fixed by hand, the pairs are the same --------------------------------------------------------------

static double reach_of(const scree_sphere_set* set, double gap)
{
    double largest = 0.0;
    for (int32_t i = 0; i < set->count; ++i)
        largest = fmax(largest, set->r[i]);
    return fmax(2.0 * largest + gap, 0.0);
}

// Some parameters, by chance. `sizes` has room for 64.
static void fix_by_hand(scree_index_def* def, double reach, double* sizes, scree_rng* rng)
{
    static const int32_t numbers[] = {0, 1, 2, 3, 7, 64};
    def->box_test = (int32_t)scree_rng_below(rng, SCREE_BOX_TEST_COUNT);
    if (scree_rng_below(rng, 4) == 0) {
        def->method = SCREE_METHOD_LINKED_CELLS;
        if (reach > 0.0 && scree_rng_below(rng, 2) == 0)
            for (int k = 0; k < def->box.dim; ++k)  // the reach itself, or up to nine times that
                def->cell_sides[k] = reach * (scree_rng_below(rng, 3) == 0 ? 1.0 : exp(2.2 * scree_rng_uniform(rng)));
        else
            def->cell_size = reach > 0.0 && scree_rng_below(rng, 4) > 0 ? reach * (1.0 + (double)scree_rng_below(rng, 4)) : 0.0;
        return;
    }
    def->method = SCREE_METHOD_HIERARCHICAL_GRID;
    def->direction = (int32_t)scree_rng_below(rng, SCREE_DIRECTION_COUNT);
    def->range = (int32_t)scree_rng_below(rng, SCREE_RANGE_COUNT);
    if (reach <= 0.0 || scree_rng_below(rng, 2) == 0) {
        def->levels = numbers[scree_rng_below(rng, 6)];
        return;
    }
    def->cell_size_count = 1 + (int32_t)scree_rng_below(rng, 6);
    def->cell_sizes = sizes;
    double side = reach * (scree_rng_below(rng, 2) == 0 ? 1.0 : 1.0 + scree_rng_uniform(rng));
    for (int32_t h = def->cell_size_count - 1; h >= 0; --h, side /= 1.01 + 3.0 * scree_rng_uniform(rng))
        sizes[h] = side;
}

static void nothing_fixed_by_hand_changes_a_pair(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 2.0, 10.0, 50.0, 1000.0};
    static const double gaps[] = {0.0, 0.1, 1.0, -0.1, -1.9, 6.0};
    static const int32_t counts[] = {0, 1, 2, 40, 300, 700};
    int64_t rounds = (int64_t)(1200 * test_effort()), boxed = 0;
    scree_rng rng = scree_rng_make(4, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        const scene* sc = &scene_table[round % scene_count];
        if (strcmp(sc->name, "addition") == 0)
            continue;
        scene_params params = scene_default_params();
        params.dim = 2 + (int32_t)(round / scene_count % 2);
        params.count = counts[scree_rng_below(&rng, 6)];
        params.ratio = ratios[scree_rng_below(&rng, 5)];
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = scree_rng_below(&rng, 2) == 1;
        params.seed = (uint64_t)round;
        scree_sphere_set set;
        CHECK_OK(sc->make(&params, &set));
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.sorted = true;
        def.gap = gaps[scree_rng_below(&rng, 6)];
        def.threads = 1;
        def.method = SCREE_METHOD_ALL_PAIRS;
        answer reference = ask(&def, scree_sphere_set_view(&set));
        double sizes[64];
        fix_by_hand(&def, reach_of(&set, def.gap), sizes, &rng);
        char where[400];
        snprintf(where, sizeof where,
                 "scene %s, n %d, dim %d, ratio %g, periodic %d%d%d, gap %g, seed %lld: %s, cell size %g, sides %g %g %g, levels %d, %d cell sizes, "
                 "direction %d, range %d, box test %d",
                 sc->name, params.count, params.dim, params.ratio, params.periodic[0], params.periodic[1], params.periodic[2], def.gap,
                 (long long)round, scree_method_name((scree_method)def.method), def.cell_size, def.cell_sides[0], def.cell_sides[1],
                 def.cell_sides[2], def.levels, def.cell_size_count, def.direction, def.range, def.box_test);
        scree_plain_only = scree_rng_below(&rng, 2) == 0;
        answer found = ask(&def, scree_sphere_set_view(&set));
        scree_plain_only = false;
        check_same(&found, &reference, where);
        boxed += found.stats.box_tests;
        if (def.cell_size_count > 0)
            assert_int_equal(found.stats.levels, def.cell_size_count);
        assert_true(def.levels == 0 || found.stats.levels <= def.levels);
        forget(&found);
        forget(&reference);
        scree_sphere_set_free(&set);
    }
    assert_true(rounds < 100 || boxed > 0);
}

// Cells of a periodic box cannot be longer than it is; the ranges of the papers must hold all the same.
static void ranges_hold_in_boxes_shorter_than_a_cell(void** state)
{
    (void)state;
    int64_t rounds = (int64_t)(300 * test_effort());
    for (int64_t round = 0; round < rounds; ++round) {
        enum { count = 24 };
        double x[3 * count], r[count], side = 6.3;
        int dim = 2 + (int)(round % 2);
        scree_rng rng = scree_rng_make(12, (uint64_t)round);
        for (int i = 0; i < count; ++i) {
            r[i] = i % 4 == 0 ? 2.0 : 0.3;
            for (int k = 0; k < dim; ++k)
                x[i * dim + k] = side * scree_rng_uniform(&rng);
        }
        scree_index_def def = scree_default_index_def();
        def.box = scree_box_sized(dim, (double[3]){side, side, side});
        for (int k = 0; k < dim; ++k)
            def.box.periodic[k] = scree_rng_below(&rng, 4) > 0;
        def.sorted = true;
        def.gap = side * 1.7 * scree_rng_uniform(&rng);
        def.method = SCREE_METHOD_ALL_PAIRS;
        scree_spheres spheres = {.count = count, .dim = dim, .x = x, .r = r};
        answer reference = ask(&def, spheres);
        double sizes[] = {0.6 + def.gap, 4.0 + def.gap};
        def.method = SCREE_METHOD_HIERARCHICAL_GRID;
        def.cell_sizes = sizes;
        def.cell_size_count = 2;
        for (def.range = 0; def.range < SCREE_RANGE_COUNT; ++def.range)
            for (def.direction = 0; def.direction < SCREE_DIRECTION_COUNT; ++def.direction) {
                answer found = ask(&def, spheres);
                check_same(&found, &reference, scree_range_name((scree_range)def.range));
                forget(&found);
            }
        forget(&reference);
    }
}

// The form that the cells of a hierarchical grid are kept in, for spheres between walls.
static grid_form form_of(const scree_index_def* def, const scree_sphere_set* set)
{
    items it = {.n = set->count, .dim = set->dim, .x = set->x, .r = set->r, .r_min = INFINITY, .def = def, .gap = def->gap, .threads = 1};
    double upper[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < set->count; ++i) {
        it.r_min = fmin(it.r_min, set->r[i]);
        it.r_max = fmax(it.r_max, set->r[i]);
        for (int k = 0; k < set->dim; ++k) {
            double at = set->x[i * set->dim + k];
            it.lower[k] = i == 0 ? at : fmin(it.lower[k], at);
            upper[k] = i == 0 ? at : fmax(upper[k], at);
        }
    }
    for (int k = 0; k < set->dim; ++k)
        it.length[k] = upper[k] - it.lower[k];
    grid* g = hierarchical_grid_method.create();
    CHECK_OK(hierarchical_grid_method.prepare(g, &it));
    grid_form form = g->next.form;
    if (form != GRID_OCCUPIED_ROWS)  // one cell and a closing one to a level there always are
        assert_true((double)g->next.cell_count <= grid_most_numbers + 1.0 + 2.0 * g->next.levels);
    hierarchical_grid_method.destroy(g);
    return form;
}

// Every number of levels from 1 to 50, in sets that are spread out so far that cells are kept in each of the three forms.
static void levels_by_hand_from_one_to_fifty(void** state)
{
    (void)state;
    static const double spread[] = {1.0, 2.0, 6.0};
    int forms[3] = {0, 0, 0};
    int32_t most = 0;
    for (int t = 0; t < 6; ++t) {
        scene_params params = scene_default_params();
        params.dim = t < 4 ? 3 : 2;
        params.count = t % 3 == 0 ? 2200 : 600;
        params.ratio = 50.0;
        params.seed = (uint64_t)t;
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = t >= 3 && (t + k) % 2 == 0;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        for (int k = 0; k < set.dim; ++k) {
            set.box.upper[k] *= spread[t % 3];
            for (int32_t i = 0; i < set.count; ++i)
                set.x[i * set.dim + k] *= spread[t % 3];
        }
        for (int32_t i = 2; i < set.count; i += 3)  // every third one touches the one before, towards the middle
            for (int k = 0; k < set.dim; ++k) {
                double at = set.x[(i - 1) * set.dim + k], side = at > 0.5 * set.box.upper[k] ? -1.0 : 1.0;
                set.x[i * set.dim + k] = k == i % set.dim ? at + side * 0.999 * fmin(set.r[i] + set.r[i - 1], 0.5 * set.box.upper[k]) : at;
            }
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.sorted = true;
        def.threads = 1;
        def.method = SCREE_METHOD_ALL_PAIRS;
        answer reference = ask(&def, scree_sphere_set_view(&set));
        assert_true(reference.count > set.count / 4);
        def.method = SCREE_METHOD_HIERARCHICAL_GRID;
        for (def.levels = 1; def.levels <= 50; ++def.levels) {
            char where[80];
            snprintf(where, sizeof where, "set %d, %d levels", t, def.levels);
            def.box_test = def.levels % 2 == 0 ? SCREE_BOX_TEST_ON : SCREE_BOX_TEST_OFF;
            def.direction = def.levels / 2 % SCREE_DIRECTION_COUNT;
            def.range = def.levels / 6 % SCREE_RANGE_COUNT;
            scree_plain_only = def.levels % 5 == 0;
            answer found = ask(&def, scree_sphere_set_view(&set));
            scree_plain_only = false;
            check_same(&found, &reference, where);
            assert_true(found.stats.levels <= def.levels);
            most = found.stats.levels > most ? (int32_t)found.stats.levels : most;
            if (t < 3)
                ++forms[form_of(&def, &set)];
            forget(&found);
        }
        forget(&reference);
        scree_sphere_set_free(&set);
    }
    assert_int_equal(most, 50);
    assert_true(forms[GRID_ALL_CELLS] > 10 && forms[GRID_CELLS_BY_RANK] > 10 && forms[GRID_OCCUPIED_ROWS] > 10);
}

// A disc that looks into rows of some hundred cells, in which it meets one or two others: by rank they are found wherever they stand in the words of bits.
static void a_long_row_with_few_spheres(void** state)
{
    (void)state;
    enum { count = 400 };
    for (int round = 0; round < 20; ++round) {
        scree_rng rng = scree_rng_make(14, (uint64_t)round);
        scree_sphere_set set;
        CHECK_OK(scree_sphere_set_make(2, count, &set));
        for (int i = 0; i < count; ++i) {
            set.r[i] = i == 0 ? 150.0 : 1.0;
            for (int k = 0; k < 2; ++k)
                set.x[2 * i + k] = i == 0 ? 200.0 : 400.0 * scree_rng_uniform(&rng);
        }
        scree_index_def def = scree_default_index_def();
        def.box = scree_box_sized(2, (double[3]){400.0, 400.0, 0.0});
        def.box.periodic[0] = round % 2 == 1;
        def.sorted = true;
        def.method = SCREE_METHOD_ALL_PAIRS;
        answer reference = ask(&def, scree_sphere_set_view(&set));
        def.method = SCREE_METHOD_HIERARCHICAL_GRID;
        def.levels = 2;
        assert_int_equal(form_of(&def, &set), GRID_CELLS_BY_RANK);
        for (def.range = 0; def.range < SCREE_RANGE_COUNT; ++def.range) {
            def.direction = SCREE_DIRECTION_FINER;
            answer found = ask(&def, scree_sphere_set_view(&set));
            check_same(&found, &reference, scree_range_name((scree_range)def.range));
            forget(&found);
        }
        forget(&reference);
        scree_sphere_set_free(&set);
    }
}

// ---- Counters -------------------------------------------------------------------------------------------------------

static answer count_with(scree_index_def def, int32_t direction, int32_t range, int32_t box_test, scree_spheres spheres)
{
    def.direction = direction;
    def.range = range;
    def.box_test = box_test;
    return ask(&def, spheres);
}

// The tight range looks into fewer cells than half a cell, and that into fewer than a layer more; the cheaper direction is not
// dearer than either; the box test takes exact tests away, and only these.
static void variants_are_counted(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.count = 20000;
    params.ratio = 20.0;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_spheres spheres = scree_sphere_set_view(&set);
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    def.levels = 4;
    def.sorted = true;
    answer tight = count_with(def, SCREE_DIRECTION_FINER, SCREE_RANGE_TIGHT, SCREE_BOX_TEST_AUTO, spheres);
    answer half = count_with(def, SCREE_DIRECTION_FINER, SCREE_RANGE_HALF_CELL, SCREE_BOX_TEST_OFF, spheres);
    answer iwai = count_with(def, SCREE_DIRECTION_FINER, SCREE_RANGE_IWAI, SCREE_BOX_TEST_AUTO, spheres);
    answer coarse = count_with(def, SCREE_DIRECTION_COARSER, SCREE_RANGE_TIGHT, SCREE_BOX_TEST_AUTO, spheres);
    answer cheap = count_with(def, SCREE_DIRECTION_CHEAPER, SCREE_RANGE_TIGHT, SCREE_BOX_TEST_AUTO, spheres);
    answer boxed = count_with(def, SCREE_DIRECTION_FINER, SCREE_RANGE_HALF_CELL, SCREE_BOX_TEST_ON, spheres);
    assert_int_equal(tight.stats.levels, 4);
    assert_true(tight.stats.cells < half.stats.cells && half.stats.cells < iwai.stats.cells);
    assert_true(tight.stats.tests < half.stats.tests && half.stats.tests < iwai.stats.tests);
    assert_true(coarse.stats.cells > tight.stats.cells);
    assert_true(cheap.stats.tests <= tight.stats.tests + coarse.stats.tests);
    assert_int_equal(half.stats.box_tests, 0);
    assert_int_equal(boxed.stats.box_tests, half.stats.tests);
    assert_true(boxed.stats.tests < half.stats.tests && boxed.stats.tests >= boxed.count);
    assert_int_equal(boxed.stats.cells, half.stats.cells);
    answer* all[] = {&tight, &half, &iwai, &coarse, &cheap, &boxed};
    for (int k = 0; k < 6; ++k)
        check_same(all[k], &tight, "variant");
    for (int k = 0; k < 6; ++k)
        forget(all[k]);
    scree_sphere_set_free(&set);
}

// Many large spheres and a few small ones: it is cheaper when the small ones look into the coarse grid. The other way round it is
// not.
static void the_direction_follows_the_numbers(void** state)
{
    (void)state;
    for (int t = 0; t < 2; ++t) {
        scene_params params = scene_default_params();
        params.count = 5000;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        for (int32_t i = 0; i < set.count; ++i)
            set.r[i] = (i < 20) == (t == 0) ? 0.8 : 1.0;  // few enough cells to keep and count them all
        scree_index_def def = scree_default_index_def();
        def.method = SCREE_METHOD_HIERARCHICAL_GRID;
        def.sorted = true;
        def.levels = 2;
        scree_spheres spheres = scree_sphere_set_view(&set);
        answer cheap = count_with(def, SCREE_DIRECTION_CHEAPER, SCREE_RANGE_TIGHT, SCREE_BOX_TEST_AUTO, spheres);
        answer finer = count_with(def, SCREE_DIRECTION_FINER, SCREE_RANGE_TIGHT, SCREE_BOX_TEST_AUTO, spheres);
        answer coarser = count_with(def, SCREE_DIRECTION_COARSER, SCREE_RANGE_TIGHT, SCREE_BOX_TEST_AUTO, spheres);
        assert_int_equal(cheap.stats.levels, 2);
        assert_int_equal(cheap.stats.cells, t == 0 ? coarser.stats.cells : finer.stats.cells);
        assert_true(cheap.stats.cells < (t == 0 ? finer.stats.cells : coarser.stats.cells));
        check_same(&cheap, &finer, "finer");
        check_same(&cheap, &coarser, "coarser");
        forget(&cheap);
        forget(&finer);
        forget(&coarser);
        scree_sphere_set_free(&set);
    }
}

// A sphere whose box meets the other's, but not the sphere itself: one box test more than exact tests for each that the box lets
// through.
static void the_box_test_is_the_papers(void** state)
{
    (void)state;
    // Centres 3 apart on x only: not even the boxes meet. 1.9 on all axes: boxes meet, spheres do not. 1 apart: a pair.
    double x[] = {0, 0, 0, 3, 0, 0, 1.9, 1.9, 1.9, 0, 0, 1}, r[] = {1, 1, 1, 1};
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.box_test = SCREE_BOX_TEST_ON;
    def.cell_size = 10.0;
    answer a = ask(&def, (scree_spheres){.count = 4, .dim = 3, .x = x, .r = r});
    assert_int_equal(a.stats.box_tests, 6);  // one cell: all pairs
    // 0-2, 0-3, 1-2 and 2-3 have boxes that meet; 0-1 and 1-3 are 3 apart on x.
    assert_int_equal(a.stats.tests, 4);
    assert_int_equal(a.count, 1);  // 0-3
    forget(&a);
}

// ---- The worked example of Ogarko and Luding, figure 1 ---------------------------------------------------------------

// Cells of sides 3 and 8 in the plane; B of radius 4 at (10.3, 14.6) is on the second level in cell (1, 1) and looks into cells
// (1, 3) to (5, 6) of the first. The caption's y of 14.4 gives (1, 2) to (5, 6).
static void the_papers_worked_example(void** state)
{
    (void)state;
    static const struct {
        double y;
        int32_t range;
        int64_t first[2], last[2];
    } cases[] = {{14.6, SCREE_RANGE_HALF_CELL, {1, 3}, {5, 6}},
                 {14.4, SCREE_RANGE_HALF_CELL, {1, 2}, {5, 6}},
                 {14.4, SCREE_RANGE_IWAI, {1, 2}, {5, 7}}};  // "starts at cell (1, 2)": one layer around (2, 3) to (4, 6)
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        // The corners make the grid begin at 0; one small sphere in each cell of the first level, 9 x 9 of them.
        double x[2 * 100], r[100], sizes[] = {3.0, 8.0};
        int32_t n = 0;
        for (int cy = 0; cy < 9; ++cy)
            for (int cx = 0; cx < 9; ++cx, ++n) {
                x[2 * n] = 3.0 * cx + (cx == 8 ? 2.9 : cx == 0 ? 0.0 : 1.5);
                x[2 * n + 1] = 3.0 * cy + (cy == 8 ? 2.9 : cy == 0 ? 0.0 : 1.5);
                r[n] = 1.5;
            }
        x[2 * n] = 10.3;
        x[2 * n + 1] = cases[t].y;
        r[n++] = 4.0;
        scree_index_def def = scree_default_index_def();
        def.box = scree_box_open(2);
        items it = {.n = n, .dim = 2, .x = x, .r = r, .r_min = 1.5, .r_max = 4.0, .length = {26.9, 26.9}, .def = &def, .threads = 1};
        double xr[100][4];
        for (int32_t i = 0; i < n; ++i)
            memcpy(xr[i], (double[4]){x[2 * i], x[2 * i + 1], 0.0, r[i]}, sizeof xr[i]);
        it.xr = (const double(*)[4])xr;
        def.method = SCREE_METHOD_HIERARCHICAL_GRID;
        def.cell_sizes = sizes;
        def.cell_size_count = 2;
        def.direction = SCREE_DIRECTION_FINER;
        def.range = cases[t].range;
        grid* g = hierarchical_grid_method.create();
        CHECK_OK(hierarchical_grid_method.prepare(g, &it));
        CHECK_OK(hierarchical_grid_method.build(g, &it));
        assert_int_equal(g->plan.levels, 2);
        assert_int_equal(grid_level_of(&g->plan, 4.0), 1);
        assert_int_equal(grid_cell(&g->plan, &g->plan.level[1], 0, 10.3), 1);
        assert_int_equal(grid_cell(&g->plan, &g->plan.level[1], 1, cases[t].y), 1);
        int64_t cells = 1;
        for (int k = 0; k < 2; ++k) {
            int64_t range[2];
            grid_look(g, &g->plan.level[0], k, xr[n - 1], range);
            assert_int_equal(range[0], cases[t].first[k]);
            assert_int_equal(range[1], cases[t].last[k]);
            cells *= range[1] - range[0] + 1;
        }
        hierarchical_grid_method.destroy(g);

        // And as the search counts it: B tests the one small sphere of each of these cells; the small ones among themselves test
        // their half stencils (8 x 9 across, 9 x 8 up, 2 x 8 x 8 along the diagonals).
        def.threads = 1;
        answer a = ask(&def, (scree_spheres){.count = n, .dim = 2, .x = x, .r = r});
        assert_int_equal(a.stats.tests, cells + 72 + 72 + 128);
        forget(&a);
    }
}

// ---- Crowded sets -----------------------------------------------------------------------------------------------------

// One stray sphere makes the bounding box a million times as wide as the heap. The heap is searched as if it were alone.
static void a_stray_sphere_costs_nothing(void** state)
{
    (void)state;
    static const double away[] = {1e3, 1e6, 1e9};
    for (int m = 0; m < 2; ++m)
        for (int t = 0; t < 3; ++t) {
            scene_params params = scene_default_params();
            params.count = 20000;
            params.ratio = m == 0 ? 1.0 : 20.0;
            scree_sphere_set set;
            CHECK_OK(scene_make("cloud", &params, &set));
            scree_index_def def = scree_default_index_def();
            def.method = m == 0 ? SCREE_METHOD_LINKED_CELLS : SCREE_METHOD_HIERARCHICAL_GRID;
            def.sorted = true;
            answer alone = ask(&def, scree_sphere_set_view(&set));
            // The last sphere goes far away, so that the pairs of the others are those of a set without it.
            int64_t last = set.count - 1, others = 0;
            for (int64_t p = 0; p < alone.count; ++p)
                others += alone.ij[p][1] != last;
            for (int k = 0; k < 3; ++k)
                set.x[3 * last + k] = (k == 1 ? -1.0 : 1.0) * away[t] * set.box.upper[k];
            answer stray = ask(&def, scree_sphere_set_view(&set));
            assert_int_equal(stray.count, others);
            if (stray.stats.tests > 2 * alone.stats.tests || stray.stats.bytes > 2 * alone.stats.bytes)
                fail_msg("%s, %g boxes away: %lld tests and %zu bytes, alone %lld and %zu", scree_method_name((scree_method)def.method),
                         away[t], (long long)stray.stats.tests, stray.stats.bytes, (long long)alone.stats.tests, alone.stats.bytes);
            forget(&alone);
            forget(&stray);
            scree_sphere_set_free(&set);
        }
}

// Far outside of what the grids cover, on both sides, large and small ones touch: four pairs.
static void strays_find_each_other(void** state)
{
    (void)state;
    for (int round = 0; round < 12; ++round) {
        scene_params params = scene_default_params();
        params.dim = 2 + round % 2;
        params.count = 30000;
        params.ratio = 10.0;
        params.periodic[0] = round % 3 == 0;
        scree_sphere_set set;
        CHECK_OK(scene_make("cloud", &params, &set));
        int dim = set.dim;
        double largest = 0.5 * reach_of(&set, 0.0);
        for (int s = 0; s < 8; ++s) {  // pairs (0, 1), (2, 3), ... of a large and a small sphere
            double far = (s < 4 ? 1.0 : -1.0) * (s % 4 < 2 ? 40.0 : 3.0) * set.box.upper[1];
            set.r[s] = s % 2 == 0 ? largest : 1.0;
            for (int k = 0; k < dim; ++k)
                set.x[s * dim + k] = (set.box.periodic[k] ? 0.0 : far) + (k == dim - 1 && s % 2 == 1 ? 0.9 * (largest + 1.0) : 0.0);
        }
        for (int k = 0; k < dim; ++k)
            if (!set.box.periodic[k]) {
                set.box.lower[k] = -INFINITY;
                set.box.upper[k] = INFINITY;
            }
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.sorted = true;
        def.method = SCREE_METHOD_HIERARCHICAL_GRID;
        def.direction = round / 2 % 3;
        def.range = round / 4 % 3;
        answer found = ask(&def, scree_sphere_set_view(&set));
        int64_t among = 0;
        for (int64_t p = 0; p < found.count; ++p)
            among += found.ij[p][1] < 8;
        assert_int_equal(among, 4);
        def.method = SCREE_METHOD_LINKED_CELLS;
        def.direction = def.range = 0;
        answer other = ask(&def, scree_sphere_set_view(&set));
        check_same(&other, &found, "strays");
        forget(&other);
        forget(&found);
        scree_sphere_set_free(&set);
    }
}

// Many small clusters, anywhere in a vast box, and along a diagonal.
static void clusters_are_searched_as_clusters(void** state)
{
    (void)state;
    for (int t = 0; t < 2; ++t) {
        enum { count = 30000, clusters = 30 };
        double* x = malloc(3 * count * sizeof *x);
        double* r = malloc(count * sizeof *r);
        scree_rng rng = scree_rng_make(9, (uint64_t)t);
        double centre[clusters][3];
        for (int c = 0; c < clusters; ++c)
            for (int k = 0; k < 3; ++k)
                centre[c][k] = t == 0 ? 1e7 * scree_rng_uniform(&rng) : 3e5 * c;
        for (int i = 0; i < count; ++i) {
            r[i] = 0.5;
            for (int k = 0; k < 3; ++k)
                x[3 * i + k] = centre[i % clusters][k] + 10.0 * scree_rng_uniform(&rng);  // one sphere to a unit of volume
        }
        for (int m = 0; m < 2; ++m) {
            scree_index_def def = scree_default_index_def();
            def.method = m == 0 ? SCREE_METHOD_LINKED_CELLS : SCREE_METHOD_HIERARCHICAL_GRID;
            def.sorted = true;
            answer found = ask(&def, (scree_spheres){.count = count, .dim = 3, .x = x, .r = r});
            if (found.stats.tests > 30 * (int64_t)count)
                fail_msg("%lld tests for %d spheres", (long long)found.stats.tests, count);
            def.method = SCREE_METHOD_ALL_PAIRS;
            if (m == 0) {
                answer reference = ask(&def, (scree_spheres){.count = count / 5, .dim = 3, .x = x, .r = r});
                int64_t below = 0;
                for (int64_t p = 0; p < found.count; ++p)
                    below += found.ij[p][1] < count / 5;
                assert_int_equal(below, reference.count);
                forget(&reference);
            }
            forget(&found);
        }
        free(x);
        free(r);
    }
}

// Cells by rank and occupied rows give the same pairs in the same order with the same counters on any number of threads and with any search.
static void sparse_cells_are_the_same_on_all_threads(void** state)
{
    (void)state;
    for (int t = 0; t < 12; t += test_is_small() ? 3 : 1) {  // with little effort every third: all forms of cells, in 2D and 3D
        scene_params params = scene_default_params();
        params.dim = 2 + t % 2;
        params.count = t < 8 ? 40000 : 20000;
        params.ratio = t % 4 < 2 ? 1.0 : 10.0;
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = (t >> k & 2) != 0;
        scree_sphere_set set;
        CHECK_OK(scene_make(t < 8 ? "stray" : "cloud", &params, &set));
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.method = t % 4 < 2 ? SCREE_METHOD_LINKED_CELLS : SCREE_METHOD_HIERARCHICAL_GRID;
        if (t >= 8) {  // cells by rank: about ten to a sphere
            for (int64_t k = 0; k < (int64_t)set.count * set.dim; ++k)
                set.x[k] *= set.dim == 2 ? 3.0 : 2.0;
            for (int k = 0; k < set.dim; ++k)
                def.box.upper[k] = set.box.upper[k] *= set.dim == 2 ? 3.0 : 2.0;
            def.gap = 0.5;
            def.method = SCREE_METHOD_HIERARCHICAL_GRID;
            def.levels = t % 4 < 2 ? 1 : 9;
            assert_int_equal(form_of(&def, &set), GRID_CELLS_BY_RANK);
        }
        def.threads = 1;
        answer one = ask(&def, scree_sphere_set_view(&set));
        for (int threads = 2; threads <= 7; threads += 5) {
            def.threads = threads;
            scree_plain_only = threads == 7;
            answer more = ask(&def, scree_sphere_set_view(&set));
            scree_plain_only = false;
            check_same(&more, &one, t < 8 ? "occupied rows" : "cells by rank");
            assert_int_equal(more.stats.tests, one.stats.tests);
            assert_int_equal(more.stats.cells, one.stats.cells);
            assert_int_equal(more.stats.bytes, one.stats.bytes);
            forget(&more);
        }
        assert_true(one.stats.tests < 60 * (int64_t)params.count);
        forget(&one);
        scree_sphere_set_free(&set);
    }
}

// After an update that failed, the index still holds what it held.
static void cells_by_rank_without_memory(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    params.ratio = 10.0;
    scree_sphere_set small, large;
    params.count = 300;
    CHECK_OK(scene_make("cloud", &params, &small));
    params.count = 3000;
    CHECK_OK(scene_make("cloud", &params, &large));
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    def.levels = 6;
    assert_int_equal(form_of(&def, &small), GRID_CELLS_BY_RANK);
    assert_int_equal(form_of(&def, &large), GRID_CELLS_BY_RANK);
    scree_index* index;
    scree_pairs pairs;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, scree_sphere_set_view(&small)));
    CHECK_OK(scree_index_pairs(index, &pairs));
    int64_t before = pairs.count;
    EACH_ALLOCATION_FAILS(scree_index_update(index, scree_sphere_set_view(&large)), {
        CHECK_OK(scree_index_validate(index));
        CHECK_OK(scree_index_pairs(index, &pairs));
        assert_int_equal(pairs.count, before);
    });
    scree_index_destroy(index);
    scree_sphere_set_free(&small);
    scree_sphere_set_free(&large);
}

static void companions_are_those_that_are_there(void** state)
{
    (void)state;
    // Even: n (s/L)^3. Two thirds of them in a tenth of each axis: far more in small cells.
    enum { count = 500000 };
    double* x = malloc(3 * count * sizeof *x);
    double* r = calloc(count, sizeof *r);
    scree_index_def def = scree_default_index_def();
    items it = {.n = count, .dim = 3, .x = x, .r = r, .length = {100.0, 100.0, 100.0}, .def = &def};
    for (int t = 0; t < 2; ++t) {
        scree_rng rng = scree_rng_make(3, (uint64_t)t);
        for (int i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k)
                x[3 * i + k] = (t == 1 && i % 3 != 0 ? 10.0 : 100.0) * scree_rng_uniform(&rng);
        crowding crowd;
        crowding_measure(&crowd, &it);
        assert_int_equal(crowd.crowded, t == 1);
        for (int octave = 1; octave <= 3; ++octave) {
            double side = 100.0 / (1 << octave), share = side / 100.0;
            double dense = t == 1 ? 2.0 / 3.0 : 0.0, within = fmin(1.0, side / 10.0);
            // A sphere of the dense part finds the dense ones of its cell (all the dense part lies in one until cells become
            // shorter than it) and the even ones; an even one mostly even ones.
            double wanted = count * (dense * (dense * pow(within, 3.0) + (1.0 - dense) * pow(share, 3.0)) +
                                     (1.0 - dense) * (dense * pow(share, 3.0) + (1.0 - dense) * pow(share, 3.0)));
            CHECK_CLOSE(crowding_companions(&crowd, side) / wanted, 1.0, 0.2);  // a thousand samples tell it to a tenth or so
        }
    }
    free(x);
    free(r);
}

// ---- Invalid input -----------------------------------------------------------------------------------------------------

static void values_that_would_lose_pairs_are_refused(void** state)
{
    (void)state;
    double x[] = {0, 0, 0, 3, 0, 0, 9, 9, 9}, r[] = {1, 2, 0.5}, sizes[] = {1.5, 3.9}, wrong[] = {2.0, 2.0}, none[] = {-1.0};
    scree_spheres spheres = {.count = 3, .dim = 3, .x = x, .r = r};
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    def.cell_size = 4.0;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "cell_size", "linked-cells");
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.cell_size = 3.9;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_FAILS(scree_index_update(index, spheres), SCREE_ERR_ARGUMENT, "3.9", "2", "gap", "0", "4");
    r[1] = 1.95;
    CHECK_OK(scree_index_update(index, spheres));
    scree_index_destroy(index);
    r[1] = 2.0;
    def.cell_size = 0.0;
    def.cell_sides[0] = 7.0, def.cell_sides[1] = 3.9, def.cell_sides[2] = 5.0;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_FAILS(scree_index_update(index, spheres), SCREE_ERR_ARGUMENT, "along y", "3.9", "4");
    r[1] = 1.95;
    CHECK_OK(scree_index_update(index, spheres));
    CHECK_FAILS(scree_index_set_radius(index, 0, 2.0), SCREE_ERR_ARGUMENT, "3.9", "4");
    scree_index_destroy(index);
    r[1] = 2.0;
    def.cell_size = 4.0;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "cell_size", "cell_sides", "4", "7");
    def.cell_size = 0.0;
    def.cell_sides[2] = 0.0;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "cell_sides", "along z", "3 axes");
    def.cell_sides[2] = NAN;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "cell_sides", "nan along z");
    def.cell_sides[2] = 5.0;
    def.box = scree_box_open(2);
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "cell_sides", "5 along z", "2 axes");
    def.box = scree_box_open(3);
    def.method = SCREE_METHOD_OCTREE;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "cell_sides", "linked-cells", "octree");
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.cell_sides[0] = def.cell_sides[1] = def.cell_sides[2] = 0.0;
    def.cell_size = -1.0;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "-1");
    def.cell_size = 0.0;
    def.direction = SCREE_DIRECTION_FINER;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "direction", "hierarchical-grid");
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    def.cell_sizes = sizes;
    def.cell_size_count = 2;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_FAILS(scree_index_update(index, spheres), SCREE_ERR_ARGUMENT, "3.9");
    scree_index_destroy(index);
    def.cell_sizes = wrong;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT);
    def.cell_sizes = none;
    def.cell_size_count = 1;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "1", "-1");
    def.cell_size_count = 65;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "65");
    def.cell_size_count = 0;
    def.levels = 65;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "65");
    def.levels = 0;
    def.range = SCREE_RANGE_COUNT;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "number 3");
    def.range = 0;
    def.direction = -1;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "direction", "number -1");
    def.direction = 0;
    def.box_test = 3;
    CHECK_FAILS(scree_index_create(&def, &index), SCREE_ERR_ARGUMENT, "box_test", "number 3");
    assert_string_equal(scree_range_name(SCREE_RANGE_HALF_CELL), "half-cell");
    assert_string_equal(scree_direction_name(SCREE_DIRECTION_COARSER), "coarser");
    assert_string_equal(scree_box_test_name(SCREE_BOX_TEST_ON), "on");
    assert_null(scree_range_name(SCREE_RANGE_COUNT));
}

// A lattice of spheres, cells of 3 x 2 x 1 of them, periodic: what is counted is that of cells of these sides, and no others. Each sphere looks into its
// own cell and 13 others, each of which holds six.
static void cells_have_the_sides_that_were_given(void** state)
{
    (void)state;
    enum { along = 12, count = along * along * along };
    static double x[3 * count], r[count];
    for (int i = 0; i < count; ++i) {
        r[i] = 0.25;
        x[3 * i] = i % along + 0.5;
        x[3 * i + 1] = i / along % along + 0.5;
        x[3 * i + 2] = i / (along * along) + 0.5;
    }
    scree_spheres spheres = {.count = count, .dim = 3, .x = x, .r = r};
    scree_index_def def = scree_default_index_def();
    def.box = scree_box_sized(3, (double[3]){along, along, along});
    def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.sorted = true;
    def.skin = -1.0;
    def.cell_sides[0] = 3.0, def.cell_sides[1] = 2.0, def.cell_sides[2] = 1.0;
    answer found = ask(&def, spheres);
    assert_int_equal(found.stats.tests, count * 13 * 6 + count * 5 / 2);
    forget(&found);
    scree_index* index;
    scree_surroundings around;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, spheres));
    CHECK_OK(scree_index_surroundings(index, 700, &around));
    assert_true(around.cells == 27 && around.spheres == 27 * 6 - 1);
    scree_index_destroy(index);
    def.gap = 0.51;  // neighbours along the axes
    def.cell_sides[2] = 1.02;
    found = ask(&def, spheres);
    assert_int_equal(found.count, 3 * count);
    forget(&found);
}

// A list with a skin needs longer cells; where the cells are fixed the skin keeps to them.
static void a_skin_keeps_to_cells_fixed_by_hand(void** state)
{
    (void)state;
    scene_params params = scene_default_params();
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_LINKED_CELLS;
    for (int way = 0; way < 2; ++way) {
        def.cell_size = way == 0 ? 2.05 : 0.0;
        for (int k = 0; k < 3; ++k)
            def.cell_sides[k] = way == 0 ? 0.0 : k == 1 ? 2.05 : 4.0;
        scree_index* index;
        scree_pairs pairs;
        CHECK_OK(scree_index_create(&def, &index));
        for (int step = 0; step < 20; ++step) {
            set.x[0] += 1e-3;
            CHECK_OK(scree_index_update(index, scree_sphere_set_view(&set)));
            CHECK_OK(scree_index_pairs(index, &pairs));
            assert_true(scree_index_get_stats(index).skin <= 0.05);
        }
        scree_index_destroy(index);
    }
    scree_sphere_set_free(&set);
}

// ---- Where 32 bits end ------------------------------------------------------------------------------------------------

// With far fewer numbers for cells than the sets would have cells: the same pairs, and no number is given twice.
static void cells_beyond_their_numbers(void** state)
{
    (void)state;
    bool rows = false, longer = false;
    for (int t = 0; t < 24; ++t) {
        scene_params params = scene_default_params();
        params.count = 700;
        params.ratio = t % 2 == 0 ? 1.0 : 30.0;
        params.seed = (uint64_t)t;
        for (int k = 0; k < 3; ++k)
            params.periodic[k] = (t >> k & 4) != 0;
        scree_sphere_set set;
        CHECK_OK(scene_make(scene_table[t % scene_count].name, &params, &set));
        scree_index_def def = scree_default_index_def();
        def.box = set.box;
        def.sorted = true;
        def.gap = 0.1;
        def.method = SCREE_METHOD_ALL_PAIRS;
        answer reference = ask(&def, scree_sphere_set_view(&set));
        def.method = SCREE_METHOD_HIERARCHICAL_GRID;
        def.levels = t % 3 == 0 ? 3 : 0;
        for (double numbers = 40.0; numbers < 3000.0; numbers *= 4.0) {
            grid_most_numbers = numbers;
            rows = rows || form_of(&def, &set) == GRID_OCCUPIED_ROWS;
            longer = longer || form_of(&def, &set) == GRID_ALL_CELLS;
            answer found = ask(&def, scree_sphere_set_view(&set));
            grid_most_numbers = 4e9;
            check_same(&found, &reference, scene_table[t % scene_count].name);
            forget(&found);
        }
        forget(&reference);
        scree_sphere_set_free(&set);
    }
    assert_true(rows && longer);
}

// A method that finds far more pairs than 32 bits count, and keeps none.
static int64_t many_chunks(const void* self)
{
    (void)self;
    return 5;
}

static void many_pairs(const void* self, int64_t chunk, sink* to)
{
    (void)self;
    (void)chunk;
    to->count += INT64_C(1500000000);
}

static void pairs_beyond_32_bits_are_counted(void** state)
{
    (void)state;
    const method_table many = {.name = "many", .chunks = many_chunks, .pairs = many_pairs};
    items it = {.n = 1000, .dim = 3};
    for (int32_t threads = 1; threads <= 2; ++threads) {
        pair_output list = {.count = 0};
        scree_memory_set_room(1 << 20);
        CHECK_FAILS(pair_list_fill(&list, &many, NULL, &it, false, threads, NULL), SCREE_ERR_MEMORY, "7500000000", "60000000000");
        scree_memory_set_room(0);
        assert_int_equal(list.count, 0);
        pair_list_free(&list);
    }
}

static const test_case cases[] = {
    PROPERTY(cells_beyond_their_numbers),
    UNIT(pairs_beyond_32_bits_are_counted),
    PROPERTY(nothing_fixed_by_hand_changes_a_pair),
    PROPERTY(levels_by_hand_from_one_to_fifty),
    PROPERTY(a_long_row_with_few_spheres),
    PROPERTY(ranges_hold_in_boxes_shorter_than_a_cell),
    UNIT(variants_are_counted),
    UNIT(the_direction_follows_the_numbers),
    UNIT(the_box_test_is_the_papers),
    UNIT(the_papers_worked_example),
    UNIT(a_stray_sphere_costs_nothing),
    UNIT(strays_find_each_other),
    UNIT(clusters_are_searched_as_clusters),
    THREADS(sparse_cells_are_the_same_on_all_threads),
    ALLOCATION(cells_by_rank_without_memory),
    UNIT(companions_are_those_that_are_there),
    UNIT(values_that_would_lose_pairs_are_refused),
    UNIT(cells_have_the_sides_that_were_given),
    UNIT(a_skin_keeps_to_cells_fixed_by_hand),
};

const test_group group_grid = {.name = "grid", .cases = cases, .count = sizeof cases / sizeof *cases};
