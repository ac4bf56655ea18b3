// measure: small and odd sets, invalid input, failing allocations, stops, and tables as files.
#include "measure_support.h"

// ---- Small and odd sets ------------------------------------------------------------------------------------------

static void none_one_and_points(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int periodic = 0; periodic < 2; ++periodic) {
            scree_box box = scree_box_sized(dim, (double[]){2.0, 3.0, 4.0});
            for (int k = 0; k < dim; ++k)
                box.periodic[k] = periodic == 1;
            scree_measure_def def = def_of(&box);
            scree_measures m = measure(&def, (scree_spheres){.dim = dim});
            CHECK_CLOSE(m.density.whole + m.density.inner + m.density_corrected, 0.0, 0.0);
            CHECK_CLOSE(m.contacts.coordination + m.contacts.backbone_coordination + m.contacts.max_overlap, 0.0, 0.0);
            assert_int_equal(m.contacts.max_i, -1);
            assert_int_equal(m.size_curve.rows, 0);
            assert_true(isnan(m.nearest_gaps.min) && m.nearest_gaps.beyond == 0);
            assert_int_equal(m.g_r.bins, 250);
            scree_measures_free(&m);

            double x[3] = {0.5, 0.5, 0.5}, r[1] = {0.5};
            m = measure(&def, (scree_spheres){.count = 1, .dim = dim, .x = x, .r = r});
            assert_true(periodic ? fabs(m.nearest_gaps.gap[0] - 1.0) < 1e-15 : isinf(m.nearest_gaps.gap[0]));
            assert_int_equal(m.nearest_gaps.beyond, 1);  // 1 is the mean diameter
            CHECK_CLOSE(m.size_curve.by_mass[0], 1.0, 0.0);
            scree_measures_free(&m);
        }
}

static void boxes_without_volume(void** state)
{
    (void)state;
    // The bounds of points in a plane, of one point, of nothing.
    double x[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, r[3] = {0.0, 0.0, 0.0};
    for (int32_t n = 0; n <= 3; ++n) {
        scree_spheres points = {.count = n, .dim = 3, .x = x, .r = r};
        scree_box box = scree_spheres_bounds(points);
        scree_measure_def def = def_of(&box);
        scree_measures m = measure(&def, points);
        assert_true(isnan(m.density.whole) && isnan(m.density.inner) && isnan(m.density_corrected));
        assert_int_equal(m.contacts.contacts, 0);
        for (int b = 0; b < m.g_r.bins; ++b)
            CHECK_CLOSE(m.g_r.g[b], 0.0, 0.0);
        if (n == 3)
            CHECK_CLOSE(m.nearest_gaps.max, 1.0, 0.0);
        scree_measures_free(&m);
    }
}

static void parts_can_be_left_out(void** state)
{
    (void)state;
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 100;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    def.r_bins = def.nearest_bins = def.size_rows = 0;
    scree_measures m = measure(&def, scree_sphere_set_view(&set));
    assert_null(m.g_r.g);
    assert_null(m.nearest_gaps.gap);
    assert_null(m.size_curve.d);
    assert_true(m.contacts.contacts > 0);
    scree_measures_free(&m);
    scree_measures_free(&m);  // twice is fine
    scree_sphere_set_free(&set);
}

static void size_rows_are_chosen_well(void** state)
{
    (void)state;
    double x[2000] = {0.0}, r[1000];
    scree_box box = scree_box_sized(2, (double[]){1.0, 1.0});
    scree_measure_def def = def_of(&box);
    scree_size_curve curve;
    for (int i = 0; i < 1000; ++i)
        r[i] = i % 10 == 0 ? 0.3 : 0.1;  // two sizes: two rows
    CHECK_OK(scree_measure_size_curve(&def, (scree_spheres){.count = 1000, .dim = 2, .x = x, .r = r}, &curve));
    assert_int_equal(curve.rows, 2);
    CHECK_CLOSE(curve.d[0], 0.2, 0.0);
    CHECK_CLOSE(curve.by_number[0], 0.9, 1e-15);
    CHECK_CLOSE(curve.by_mass[0], 0.5, 1e-12);
    scree_size_curve_free(&curve);
    for (int i = 0; i < 1000; ++i)
        r[i] = 0.001 * (i + 1);  // many: equal ratios
    CHECK_OK(scree_measure_size_curve(&def, (scree_spheres){.count = 1000, .dim = 2, .x = x, .r = r}, &curve));
    assert_int_equal(curve.rows, 50);
    CHECK_CLOSE(curve.d[1] / curve.d[0], pow(1000.0, 1.0 / 49.0), 1e-12);
    scree_size_curve_free(&curve);
    for (int i = 0; i < 1000; ++i)
        r[i] = 1.0 + 0.0001 * i;  // alike: equal steps
    CHECK_OK(scree_measure_size_curve(&def, (scree_spheres){.count = 1000, .dim = 2, .x = x, .r = r}, &curve));
    assert_int_equal(curve.rows, 50);
    CHECK_CLOSE(curve.d[1] - curve.d[0], 0.1998 / 49.0, 1e-12);
    scree_size_curve_free(&curve);
}

// ---- Manners -----------------------------------------------------------------------------------------------------

static void each_allocation_may_fail(void** state)
{
    (void)state;
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 150;
    params.ratio = 3.0;
    params.periodic[1] = true;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    scree_spheres s = scree_sphere_set_view(&set);
    scree_density density = {.whole = 7.0};
    EACH_ALLOCATION_FAILS(scree_measure_density(&def, s, &density), CHECK_CLOSE(density.whole, 0.0, 0.0));
    scree_contact_counts c = {.pairs = 7};
    EACH_ALLOCATION_FAILS(scree_measure_contacts(&def, s, &c), assert_int_equal(c.pairs, 0));
    scree_contact_counts_free(&c);
    scree_pair_distribution gr = {.bins = 7};
    EACH_ALLOCATION_FAILS(scree_measure_pair_distribution(&def, s, &gr), assert_int_equal(gr.bins, 0));
    scree_pair_distribution_free(&gr);
    scree_size_curve curve = {.rows = 7};
    EACH_ALLOCATION_FAILS(scree_measure_size_curve(&def, s, &curve), assert_int_equal(curve.rows, 0));
    scree_size_curve_free(&curve);
    scree_nearest near = {.bins = 7};
    EACH_ALLOCATION_FAILS(scree_measure_nearest(&def, s, &near), assert_int_equal(near.bins, 0));
    scree_nearest_free(&near);
    scree_measures m = {.n = 7};
    EACH_ALLOCATION_FAILS(scree_measure(&def, s, &m), assert_int_equal(m.n, 0));
    scree_measures_free(&m);
    scree_sphere_set_free(&set);
}

static void measuring_can_be_watched_and_stopped(void** state)
{
    (void)state;
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 5000;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    patience p = {.most = INT64_MAX};
    def.watch = (scree_watch){.tick = count_ticks, .context = &p};
    scree_measures m = measure(&def, scree_sphere_set_view(&set));
    scree_measures_free(&m);
    assert_false(p.backwards);
    assert_true(p.ticks > 100 && p.ticks < 2000);
    CHECK_CLOSE(p.last, 1.0, 1e-12);
    int64_t all = p.ticks;
    m = (scree_measures){.n = 7};
    for (int64_t most = 1; most <= all; most += all / 40 + 1) {
        p = (patience){.most = most};
        CHECK_FAILS(scree_measure(&def, scree_sphere_set_view(&set), &m), SCREE_ERR_CANCELLED);
        assert_int_equal(m.n, 0);
    }
    scree_sphere_set_free(&set);
}

static void invalid_input_is_refused(void** state)
{
    (void)state;
    double x[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.6}, r[2] = {0.1, 0.1};
    scree_spheres two = {.count = 2, .dim = 3, .x = x, .r = r};
    scree_measures m;
    scree_measure_def def = {0};
    CHECK_FAILS(scree_measure(&def, two, &m), SCREE_ERR_ARGUMENT, "scree_default_measure_def");
    def = scree_default_measure_def();
    CHECK_FAILS(scree_measure(&def, two, &m), SCREE_ERR_ARGUMENT, "axis x");
    scree_box box = scree_box_sized(3, (double[]){1.0, 1.0, 1.0});
#define REFUSED(change, text)                                                                                          \
    do {                                                                                                               \
        def = def_of(&box);                                                                                            \
        change;                                                                                                        \
        CHECK_FAILS(scree_measure(&def, two, &m), SCREE_ERR_ARGUMENT, text);                                           \
    } while (0)
    REFUSED(def.threads = -2, "-2 | threads");
    REFUSED(def.gap = INFINITY, "gap | inf");
    REFUSED(def.gap = -1e200, "gap | -1e+200");
    REFUSED(def.gap = 1e-200, "gap | 1e-200");
    REFUSED(def.margin = -0.1, "margin | -0.1 | 0 | 1e-140 | 1e+140");
    REFUSED(def.margin = 0.5, "margin | 0.5 | 1 | axis x");
    REFUSED(def.r_max = 0.0, "r_max | 0");
    REFUSED(def.r_max = INFINITY, "r_max | inf");
    REFUSED((def.r_max = 17.0, def.box.periodic[1] = true), "r_max | 17 | 16 | 1 | axis y");
    REFUSED(def.nearest_max = -1.0, "nearest_max | -1");
    REFUSED(def.r_bins = 10001, "r_bins | 10001 | 1 | 10000 | 0");
    REFUSED(def.nearest_bins = -1, "nearest_bins | -1");
    REFUSED(def.size_rows = 1, "size_rows | 1 | 2 | 10000");
    REFUSED(def.method = 99, "number 99");
    REFUSED(def.box.upper[1] = -1.0, "axis y | 0 | -1");
    REFUSED(def.box.upper[2] = 0.55, "sphere 1 | z = 0.6");
    REFUSED(x[3] = NAN, "sphere 1 | x = nan");
    x[3] = 0.5;
    REFUSED(r[0] = -1.0, "sphere 0 | radius | -1");
    r[0] = 0.1;
    REFUSED((x[3] = 4e12, def.box.periodic[0] = true), "sphere 1 | x = 4e+12 | 100000000");
    x[3] = 0.5;
    REFUSED((r[0] = 0.51, def.box.periodic[0] = true), "sphere 0 | diameter | 1.02");
    r[0] = 0.1;
    two.dim = 2;
    REFUSED((void)0, "2 | 3");
#undef REFUSED
}

// ---- Tables ------------------------------------------------------------------------------------------------------

static void tables_are_written_whole_or_not_at_all(void** state)
{
    (void)state;
    const char* path = in_folder("t.csv");
    const double a[3] = {0.1, 1e300, NAN};
    const int64_t b[3] = {1, -2, INT64_MIN};
    const scree_table_column columns[] = {{.name = "a", .values = a}, {.name = "how many", .integers = b}};
    static const char wanted[] = "a,how many\n0.1,1\n1e+300,-2\nnan,-9223372036854775808\n";
    CHECK_OK(scree_write_table(path, NULL, 3, 2, columns));
    CHECK_FILE(path, wanted);
    EACH_ALLOCATION_FAILS(scree_write_table(path, NULL, 2, 2, columns), CHECK_FILE(path, wanted));
    CHECK_FILE(path, "a,how many\n0.1,1\n1e+300,-2\n");
    CHECK_OK(scree_write_table(path, NULL, 0, 2, columns));
    CHECK_FILE(path, "a,how many\n");
    const char* const named[] = {"one", "two"};
    CHECK_OK(scree_write_table(path, NULL, 2, 2, (scree_table_column[]){{.name = "w", .texts = named}, {.name = "a", .values = a}}));
    CHECK_FILE(path, "w,a\none,0.1\ntwo,1e+300\n");
    CHECK_OK(scree_write_table(path, NULL, 0, 2, columns));
    for (int64_t n = 1;; ++n) {  // the disk fails, call by call; the name may change only when all is written
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_write_table(path, NULL, 3, 2, columns);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK && calls < n)
            break;
        assert_true(n < 100);
        assert_true(status == SCREE_OK || status == SCREE_ERR_IO);
    }
    CHECK_FILE(path, wanted);
    scree_file_options options = scree_default_file_options();
    patience p = {.most = 1};
    options.watch = (scree_watch){.tick = count_ticks, .context = &p};
    CHECK_FAILS(scree_write_table(path, &options, 2, 2, columns), SCREE_ERR_CANCELLED);
    CHECK_FILE(path, wanted);
    options.struct_size = 0;
    CHECK_FAILS(scree_write_table(path, &options, 2, 2, columns), SCREE_ERR_ARGUMENT, "scree_default_file_options");
    CHECK_FAILS(scree_write_table(path, NULL, 2, 0, columns), SCREE_ERR_ARGUMENT, "0");
    CHECK_FAILS(scree_write_table(path, NULL, -1, 2, columns), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_write_table(path, NULL, 2, 1, &(scree_table_column){.name = "a,b", .values = a}),
                SCREE_ERR_ARGUMENT, "'a,b'");
    const char* const bad[] = {"one", "t\no"};
    CHECK_FAILS(scree_write_table(path, NULL, 2, 1, &(scree_table_column){.name = "w", .texts = bad}), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_write_table(path, NULL, 2, 1, &(scree_table_column){.name = "a"}), SCREE_ERR_ARGUMENT, "'a'");
    CHECK_FAILS(scree_write_table("/nowhere/t.csv", NULL, 2, 2, columns), SCREE_ERR_IO, "/nowhere/t.csv");
    CHECK_FILE(path, wanted);
    assert_int_equal(files_in_folder(), 1);  // nothing else lies there
}

static const test_case cases[] = {
    UNIT(none_one_and_points),
    UNIT(boxes_without_volume),
    UNIT(parts_can_be_left_out),
    UNIT(size_rows_are_chosen_well),
    ALLOCATION(each_allocation_may_fail),
    UNIT(measuring_can_be_watched_and_stopped),
    UNIT(invalid_input_is_refused),
    ALLOCATION(tables_are_written_whole_or_not_at_all),
};

const test_group group_measure_limits = {.name = "measure_limits", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
