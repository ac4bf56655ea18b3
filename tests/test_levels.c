// levels: Appendix A against the figures of the paper and a second way of counting.
#include "support.h"

#include "scree/levels.h"
#include "scree/sizes.h"

static scree_levels find(const char* law, int32_t dim, int32_t n, double density, const scree_levels_def* def)
{
    scree_sizes* sizes;
    double* r = malloc((size_t)n * sizeof *r);
    CHECK_OK(scree_sizes_parse(law, dim, &sizes));
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, n, r));
    scree_sizes_destroy(sizes);
    double* x = calloc((size_t)(n * dim), sizeof *x);
    double side = pow(scree_spheres_volume((scree_spheres){.count = n, .dim = dim, .x = x, .r = r}) / density, 1.0 / dim);
    scree_box box = scree_box_sized(dim, (double[]){side, side, side});
    scree_levels found;
    CHECK_OK(scree_find_levels(def, &box, n, r, &found));
    // Whatever the law: every sphere on one level, sizes rising, the last as large as the largest.
    const scree_levels_row* row = &found.rows[found.chosen];
    int64_t sum = 0;
    double largest = 0.0;
    for (int h = 0; h < row->levels; ++h) {
        sum += found.spheres[h];
        double cells = 1.0;
        for (int k = 0; k < dim; ++k)
            cells *= fmax(1.0, side / found.cell_size[h]);
        CHECK_CLOSE(found.per_cell[h], (double)found.spheres[h] / cells, 1e-12 * found.per_cell[h]);
        assert_true(h == 0 || found.cell_size[h] > found.cell_size[h - 1]);
        // A second way: how many radii lie between this cell size and the one below.
        int64_t here = 0;
        for (int32_t i = 0; i < n; ++i)
            here += 2.0 * r[i] + def->margin <= found.cell_size[h] &&
                    (h == 0 || 2.0 * r[i] + def->margin > found.cell_size[h - 1]);
        assert_int_equal(here, found.spheres[h]);
    }
    for (int32_t i = 0; i < n; ++i)
        largest = fmax(largest, r[i]);
    assert_int_equal(sum, n);
    CHECK_CLOSE(found.cell_size[row->levels - 1], 2.0 * largest + def->margin, 1e-12 * largest);
    free(r);
    free(x);
    return found;
}

static void check_row(const scree_levels* found, int32_t levels, double m, double slower)
{
    for (int k = 0; k < found->count; ++k)
        if (found->rows[k].levels == levels) {
            CHECK_CLOSE(found->rows[k].m, m, 0.01 * m + 1e-3);
            CHECK_CLOSE(found->rows[k].cost / found->rows[found->chosen].cost, slower, 0.01 * slower);
            return;
        }
    fail_msg("there is no row for %d levels", levels);
}

static void check_cells(const scree_levels* found, int levels, const double* cell, const int64_t* spheres)
{
    assert_int_equal(found->rows[found->chosen].levels, levels);
    for (int h = 0; h < levels; ++h) {
        CHECK_CLOSE(found->cell_size[h], cell[h], 0.01 * cell[h]);
        if (spheres != NULL)
            CHECK_CLOSE((double)found->spheres[h], (double)spheres[h], 0.01 * (double)spheres[h] + 0.5);
    }
}

// The paper's main case: N = 50^3 + 1, size ratio 50, density 0.62.
static void uniform_volume_has_seven_levels(void** state)
{
    (void)state;
    scree_levels_def def = scree_default_levels_def();
    scree_levels found = find("uniform-volume:1:50", 3, 125001, 0.62, &def);
    check_cells(&found, 7, (double[]){6.41, 14.48, 26.20, 41.07, 58.43, 77.86, 99.50},
                (int64_t[]){112877, 9790, 1656, 432, 150, 64, 32});
    check_row(&found, 1, 1444.3, 313.2);
    check_row(&found, 2, 13.045, 5.79);
    check_row(&found, 3, 2.701, 1.95);
    check_row(&found, 8, 0.284, 1.013);
    check_row(&found, 20, 0.076, 1.63);
    check_row(&found, 50, 0.025, 3.52);
    CHECK_CLOSE(found.rows[0].cost / found.rows[found.chosen].cost, 313.0, 5.0);
    def.cell_cost = 0.2;
    found = find("uniform-volume:1:50", 3, 125001, 0.62, &def);
    assert_int_equal(found.rows[found.chosen].levels, 8);
    def.cell_cost = 0.45;
    found = find("uniform-volume:1:50", 3, 125001, 0.62, &def);
    assert_int_equal(found.rows[found.chosen].levels, 6);
}

static void other_laws_and_densities(void** state)
{
    (void)state;
    scree_levels_def def = scree_default_levels_def();
    scree_levels found = find("uniform-volume:1:50", 3, 125001, 0.4, &def);
    check_cells(&found, 6, (double[]){7.02, 16.81, 31.55, 50.71, 73.53, 99.50}, NULL);
    check_row(&found, 1, found.rows[0].m, 255.0);
    found = find("uniform-volume:1:50", 3, 125001, 0.1, &def);
    check_cells(&found, 4, (double[]){9.38, 27.03, 57.08, 99.50}, NULL);
    check_row(&found, 1, found.rows[0].m, 119.0);
    found = find("uniform-volume:1:10", 3, 125001, 0.62, &def);
    check_cells(&found, 5, (double[]){4.20, 7.24, 10.98, 15.28, 20.00}, NULL);
    check_row(&found, 1, found.rows[0].m, 17.0);
    found = find("uniform-size:1:50", 3, 125001, 0.62, &def);
    assert_int_equal(found.rows[found.chosen].levels, 3);
    check_row(&found, 1, 4.642, 1.667);
    check_row(&found, 2, 1.291, 1.074);
    check_row(&found, 4, 0.458, 1.023);
}

// Few spheres, all of different sizes: a large one that has a level to itself does not make m larger.
static void m_falls_with_the_number_of_levels(void** state)
{
    (void)state;
    scree_levels_def def = scree_default_levels_def();
    scree_levels found = find("uniform-volume:1:50", 3, 2001, 0.4, &def);
    assert_true(found.count > 30);
    for (int k = 1; k < found.count; ++k)
        if (!(found.rows[k].m < found.rows[k - 1].m))
            fail_msg("m is %g with %d levels and %g with %d", found.rows[k].m, found.rows[k].levels, found.rows[k - 1].m, found.rows[k - 1].levels);
}

// One level: m lets all but the largest sphere pass, and that one makes the cells as large as itself. By closed form, from the two largest radii.
static void m_is_a_threshold_and_per_cell_what_there_is(void** state)
{
    (void)state;
    enum { n = 125001 };
    scree_levels_def def = scree_default_levels_def();
    def.levels = 1;
    scree_levels found = find("uniform-volume:1:50", 3, n, 0.62, &def);
    scree_sizes* sizes;
    double* r = malloc(n * sizeof *r);
    double volume = 0.0, largest = 0.0, second = 0.0;
    CHECK_OK(scree_sizes_parse("uniform-volume:1:50", 3, &sizes));
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, n, r));
    for (int32_t i = 0; i < n; ++i) {
        volume += 4.0 / 3.0 * 3.14159265358979323846 * r[i] * r[i] * r[i] / 0.62;
        second = fmax(second, fmin(largest, r[i]));
        largest = fmax(largest, r[i]);
    }
    CHECK_CLOSE(found.per_cell[0], n * pow(2.0 * largest, 3.0) / volume, 1e-6);
    CHECK_CLOSE(found.per_cell[0], 1487.4, 0.05);
    CHECK_CLOSE(found.rows[0].m, (n - 1) * pow(2.0 * second, 3.0) / volume, 1.001e-3);
    scree_sizes_destroy(sizes);
    free(r);
}

// Sizes that come in few classes get a level each, and no more.
static void discrete_sizes(void** state)
{
    (void)state;
    scree_levels_def def = scree_default_levels_def();
    scree_levels found = find("bidisperse:10", 3, 125001, 0.4, &def);
    check_cells(&found, 2, (double[]){2.0, 20.0}, (int64_t[]){124876, 125});
    assert_int_equal(found.count, 2);
    found = find("mono:3", 3, 1000, 0.4, &def);
    check_cells(&found, 1, (double[]){6.0}, (int64_t[]){1000});
    CHECK_CLOSE(found.rows[0].m, 0.4 * 6.0 / 3.14159265358979, 2e-3);  // spheres per cell of their diameter
    def.levels = 1;
    found = find("bidisperse:10", 3, 125001, 0.4, &def);
    check_cells(&found, 1, (double[]){20.0}, (int64_t[]){125001});
}

static void two_dimensions_margins_points_and_odd_boxes(void** state)
{
    (void)state;
    scree_levels_def def = scree_default_levels_def();
    scree_levels found = find("uniform-volume:1:50", 2, 20000, 0.6, &def);
    assert_true(found.rows[found.chosen].levels >= 3);
    def.margin = 0.5;
    found = find("uniform-size:1:3", 3, 1000, 0.4, &def);
    def.margin = 0.0;
    // Points, and points with spheres.
    double r[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    scree_box box = scree_box_sized(3, (double[]){10.0, 5.0, 1000.0});
    CHECK_OK(scree_find_levels(&def, &box, 6, r, &found));
    assert_int_equal(found.rows[found.chosen].levels, 1);
    r[2] = 1.0;
    CHECK_OK(scree_find_levels(&def, &box, 6, r, &found));
    assert_int_equal(found.spheres[0] + (found.rows[found.chosen].levels > 1 ? found.spheres[1] : 0), 6);
}

static void invalid_input_is_refused(void** state)
{
    (void)state;
    scree_levels_def def = scree_default_levels_def();
    scree_levels found;
    double r[3] = {1.0, 2.0, 3.0};
    scree_box box = scree_box_sized(3, (double[]){10.0, 10.0, 10.0}), open = scree_box_open(3);
    CHECK_FAILS(scree_find_levels(&def, &open, 3, r, &found), SCREE_ERR_ARGUMENT, "volume");
    CHECK_FAILS(scree_find_levels(&def, &box, 0, r, &found), SCREE_ERR_ARGUMENT);
    r[1] = -1.0;
    CHECK_FAILS(scree_find_levels(&def, &box, 3, r, &found), SCREE_ERR_ARGUMENT, "sphere 1", "radius", "-1");
    r[1] = NAN;
    CHECK_FAILS(scree_find_levels(&def, &box, 3, r, &found), SCREE_ERR_ARGUMENT, "sphere 1", "radius", "nan");
    r[1] = 2.0;
    def.cell_cost = 0.0;
    CHECK_FAILS(scree_find_levels(&def, &box, 3, r, &found), SCREE_ERR_ARGUMENT, "0");
    def = scree_default_levels_def();
    def.levels = 99;
    CHECK_FAILS(scree_find_levels(&def, &box, 3, r, &found), SCREE_ERR_ARGUMENT, "99", "50");
    def = (scree_levels_def){0};
    CHECK_FAILS(scree_find_levels(&def, &box, 3, r, &found), SCREE_ERR_ARGUMENT, "scree_default_levels_def");
    def = scree_default_levels_def();
    EACH_ALLOCATION_FAILS(scree_find_levels(&def, &box, 3, r, &found), (void)0);
}

static const test_case cases[] = {
    UNIT(uniform_volume_has_seven_levels),
    UNIT(other_laws_and_densities),
    UNIT(m_falls_with_the_number_of_levels),
    UNIT(m_is_a_threshold_and_per_cell_what_there_is),
    UNIT(discrete_sizes),
    UNIT(two_dimensions_margins_points_and_odd_boxes),
    ALLOCATION(invalid_input_is_refused),
};

const test_group group_levels = {.name = "levels", .cases = cases, .count = sizeof cases / sizeof *cases};
