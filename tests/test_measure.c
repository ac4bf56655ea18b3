// measure: numbers against closed forms, and what may not change them.
#include "measure_support.h"

// ---- Closed forms ------------------------------------------------------------------------------------------------

static void cubic_lattice(void** state)
{
    (void)state;
    for (int32_t side = 1; side <= 6; ++side) {
        scree_sphere_set set;
        scene_params params = scene_default_params();
        params.count = side * side * side;
        params.periodic[0] = params.periodic[1] = params.periodic[2] = true;
        CHECK_OK(scene_make("lattice", &params, &set));
        scree_measure_def def = def_of(&set.box);
        def.r_max = 1.83;  // bins of 0.03, with 1, sqrt 2 and sqrt 3 well inside one each
        def.r_bins = 61;
        scree_measures m = measure(&def, scree_sphere_set_view(&set));
        CHECK_CLOSE(m.density.whole, pi / 6.0, 1e-14);
        CHECK_CLOSE(m.density.inner, pi / 6.0, 1e-14);
        CHECK_CLOSE(m.density.margin, 0.0, 0.0);
        CHECK_CLOSE(m.contacts.coordination, 6.0, 0.0);  // through images, too, and of itself
        CHECK_CLOSE(m.contacts.backbone_coordination, 6.0, 0.0);
        assert_int_equal(m.contacts.rattlers, 0);
        assert_int_equal(m.contacts.contacts, 0);  // they touch exactly
        CHECK_CLOSE(m.nearest_gaps.max, 0.0, 1e-15);
        int64_t others = 0;
        for (int b = 0; b < 61; ++b)
            if (b != 33 && b != 47 && b != 57)
                others += m.g_r.pairs[b];
        assert_int_equal(others, 0);
        if (side >= 3) {  // in smaller boxes some of these are own images
            assert_int_equal(2 * m.g_r.pairs[33], 6 * m.n);
            assert_int_equal(2 * m.g_r.pairs[47], 12 * m.n);
            assert_int_equal(2 * m.g_r.pairs[57], 8 * m.n);
            double shell = 4.0 / 3.0 * pi * (pow(m.g_r.r[34], 3.0) - pow(m.g_r.r[33], 3.0));
            CHECK_CLOSE(m.g_r.g[33], 6.0 / (shell * (m.n - 1) / m.n), 1e-9);
        }
        scree_measures_free(&m);
        scree_sphere_set_free(&set);
    }
}

static void face_centred_lattice(void** state)
{
    (void)state;
    enum { side = 3, n = 4 * side * side * side };
    static const double basis[4][3] = {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.0}, {0.5, 0.0, 0.5}, {0.0, 0.5, 0.5}};
    double x[3 * n], r[n];
    for (int i = 0; i < n; ++i) {
        int cell[3] = {i / 4 % side, i / 4 / side % side, i / 4 / side / side};
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = cell[k] + basis[i % 4][k];
        r[i] = sqrt(0.125);
    }
    scree_box box = scree_box_sized(3, (double[]){side, side, side});
    box.periodic[0] = box.periodic[1] = box.periodic[2] = true;
    scree_measure_def def = def_of(&box);
    scree_measures m = measure(&def, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r});
    CHECK_CLOSE(m.density.whole, pi / sqrt(18.0), 1e-13);
    CHECK_CLOSE(m.density.whole, 0.74048, 1e-5);
    CHECK_CLOSE(m.contacts.coordination, 12.0, 0.0);
    CHECK_CLOSE(m.contacts.backbone_coordination, 12.0, 0.0);
    assert_int_equal(m.size_curve.rows, 1);
    scree_measures_free(&m);
}

// The expected number of pairs: as a whole, and shell by shell by slow sums over directions.
static void covariograms(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        double none[3] = {0.0, 0.0, 0.0};
        CHECK_CLOSE(covariogram_ball(dim, none), dim == 2 ? pi : 4.0 / 3.0 * pi, 1e-14);
        // Where all vectors of the box are in the ball the integral is the box' volume; also in a flat and a long box.
        double all[][3] = {{2.0, 2.0, 2.0}, {1.5, 20.0, 3.0}, {1.5, 3.0, 20.0}, {30.0, 1.6, 2.5}, {300.0, 200.0, 1.01}};
        for (int t = 0; t < 5; ++t)
            CHECK_CLOSE(covariogram_ball(dim, all[t]) * all[t][0] * all[t][1] * (dim == 3 ? all[t][2] : 1.0), 1.0,
                        1e-12);
        // Walls so far away that they are hardly seen, and continuity where the closed form ends.
        double above[3] = {1.0 + 1e-12, 0.7, 1.0}, below[3] = {1.0, 0.7, 1.0};
        CHECK_CLOSE(covariogram_ball(dim, above), covariogram_ball(dim, below), 1e-11);
        // Axes mean nothing.
        double turned[3] = {0.3, 1.7, 1.2}, back[3] = {1.7, 1.2, 0.3};
        if (dim == 3)
            CHECK_CLOSE(covariogram_ball(3, turned), covariogram_ball(3, back), 1e-13);
    }
    scree_rng rng = scree_rng_make(9, 0);
    for (int round = 0; round < 12; ++round) {
        int dim = 2 + round % 2;
        double c[3], sum = 0.0;
        for (int k = 0; k < 3; ++k)
            c[k] = scree_rng_below(&rng, 4) == 0 ? 0.0 : 2.0 * scree_rng_uniform(&rng);
        enum { steps = 120 };
        double h = 1.0 / steps;
        for (int a = 0; a < steps; ++a)  // midpoints of the positive octant in polar coordinates
            for (int b = 0; b < steps; ++b)
                for (int e = 0; e < (dim == 3 ? steps : 1); ++e) {
                    double p = (a + 0.5) * h, phi = 0.5 * pi * (b + 0.5) * h, u = dim == 3 ? (e + 0.5) * h : 0.0;
                    double across = p * sqrt(1.0 - u * u), t[3] = {across * cos(phi), across * sin(phi), p * u},
                           product = 1.0;
                    for (int k = 0; k < dim; ++k)
                        product *= fmax(0.0, 1.0 - t[k] * c[k]);
                    sum += product * (dim == 3 ? p * p : p) * 0.5 * pi * (dim == 3 ? h * h * h * 8.0 : h * h * 4.0);
                }
        CHECK_CLOSE(covariogram_ball(dim, c), sum, 1e-3);
    }
}

// Points without order have g = 1, whatever the box, also beyond its shortest side.
static void an_ideal_gas_has_no_structure(void** state)
{
    (void)state;
    enum { n = 1500, seeds = 8, bins = 12 };
    static double x[3 * n], r[n];
    static const struct {
        double size[3];
        bool periodic[3];
        double r_max;
    } cases[] = {{{1.0, 1.0, 1.0}, {false, false, false}, 1.75},
                 {{1.0, 1.0, 1.0}, {true, true, true}, 0.9},
                 {{0.5, 1.0, 3.0}, {false, true, false}, 1.2},
                 {{2.0, 0.4, 1.0}, {true, false, true}, 0.7},
                 {{0.6, 0.3, 1.0}, {false, false, true}, 0.5}};
    for (int dim = 2; dim <= 3; ++dim)
        for (int t = 0; t < 5; t += test_is_small() ? 2 : 1) {
            scree_box box = scree_box_sized(dim, cases[t].size);
            memcpy(box.periodic, cases[t].periodic, sizeof box.periodic);
            scree_measure_def def = def_of(&box);
            def.r_max = cases[t].r_max;
            def.r_bins = bins;
            double pairs[bins] = {0.0}, ideal[bins] = {0.0}, total = 0.0;
            for (uint64_t seed = 0; seed < seeds; ++seed) {
                scree_rng rng = scree_rng_make(seed, (uint64_t)t);
                for (int i = 0; i < n; ++i)
                    for (int k = 0; k < dim; ++k)
                        x[i * dim + k] = box.upper[k] * scree_rng_uniform(&rng);
                scree_pair_distribution gr;
                CHECK_OK(scree_measure_pair_distribution(&def, (scree_spheres){.count = n, .dim = dim, .x = x, .r = r},
                                                         &gr));
                for (int b = 0; b < bins; ++b) {
                    pairs[b] += (double)gr.pairs[b];
                    ideal[b] += gr.ideal[b];
                    total += gr.ideal[b] / seeds;
                }
                scree_pair_distribution_free(&gr);
            }
            // Chance: that of the pairs, and at walls that of where the points happen to lie.
            bool walls = false;
            for (int k = 0; k < dim; ++k)
                walls = walls || !box.periodic[k];
            for (int b = 0; b < bins; ++b)
                if (fabs(pairs[b] - ideal[b]) >
                    5.0 * sqrt(ideal[b]) + (walls ? 6.0 / sqrt(n * seeds) * (b + 1) / bins : 0.0) * ideal[b] + 1e-6)
                    fail_msg("dim %d, box %d, bin %d: %g pairs, %g in an ideal gas", dim, t, b, pairs[b], ideal[b]);
            if (t == 0)  // all pairs of the box
                CHECK_CLOSE(total, 0.5 * n * (n - 1.0), 1e-4);
        }
}

// Distances that are an edge to the last bit belong to the bin that begins there, those a bit below to the one before.
static void edges_belong_to_the_bin_above(void** state)
{
    (void)state;
    double x[4] = {0.0, 0.5, 0.0, 0.5}, r[2] = {0.0, 0.0};
    scree_box box = scree_box_sized(2, (double[]){1.0, 1.0});
    scree_measure_def def = def_of(&box);
    for (def.r_bins = 1; def.r_bins < 200; def.r_bins += 7) {
        def.r_max = 0.7 + 0.001 * def.r_bins;
        scree_pair_distribution gr;
        double edge[201];
        CHECK_OK(scree_measure_pair_distribution(&def, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}, &gr));
        memcpy(edge, gr.r, (size_t)(def.r_bins + 1) * sizeof *edge);
        scree_pair_distribution_free(&gr);
        for (int32_t b = 0; b <= def.r_bins; ++b)
            for (int below = 0; below < 2 && (b > 0 || !below); ++below) {
                x[2] = below ? nextafter(edge[b], 0.0) : edge[b];
                CHECK_OK(
                    scree_measure_pair_distribution(&def, (scree_spheres){.count = 2, .dim = 2, .x = x, .r = r}, &gr));
                for (int32_t k = 0; k < def.r_bins; ++k)
                    assert_int_equal(gr.pairs[k], k == b - below);
                scree_pair_distribution_free(&gr);
            }
    }
}

static void densities_by_hand(void** state)
{
    (void)state;
    scree_density density;
    scree_box box = scree_box_sized(3, (double[]){4.0, 4.0, 4.0});
    scree_measure_def def = def_of(&box);
    double x[3] = {2.0, 2.0, 2.0}, r[1] = {1.0};
    scree_spheres one = {.count = 1, .dim = 3, .x = x, .r = r};
    CHECK_OK(scree_measure_density(&def, one, &density));  // the inner box is the cube around the sphere
    CHECK_CLOSE(density.margin, 1.0, 0.0);
    CHECK_CLOSE(density.whole, pi / 48.0, 1e-16);
    CHECK_CLOSE(density.inner, pi / 6.0, 1e-15);
    x[0] = 0.0;  // half outside; an eighth; and on a periodic face nothing is lost
    CHECK_OK(scree_measure_density(&def, one, &density));
    CHECK_CLOSE(density.whole, pi / 96.0, 1e-16);
    CHECK_CLOSE(density.inner, 0.0, 0.0);
    x[1] = x[2] = 4.0;
    CHECK_OK(scree_measure_density(&def, one, &density));
    CHECK_CLOSE(density.whole, pi / 48.0 / 8.0, 1e-16);
    def.box.periodic[0] = def.box.periodic[1] = true;
    CHECK_OK(scree_measure_density(&def, one, &density));
    CHECK_CLOSE(density.whole, pi / 96.0, 1e-16);
    CHECK_CLOSE(density.margin, 1.0, 0.0);
    def.box.periodic[2] = true;
    CHECK_OK(scree_measure_density(&def, one, &density));
    CHECK_CLOSE(density.whole, pi / 48.0, 1e-16);
    CHECK_CLOSE(density.inner, density.whole, 0.0);
    CHECK_CLOSE(density.margin, 0.0, 0.0);

    // Two that overlap: the lens counts twice, and once after the correction.
    double y[6] = {2.0, 2.0, 2.0, 3.0, 2.0, 2.0}, s[2] = {1.0, 1.0};
    scree_measures m = measure(&def, (scree_spheres){.count = 2, .dim = 3, .x = y, .r = s});
    CHECK_CLOSE(m.density.whole, pi / 24.0, 1e-16);
    CHECK_CLOSE(m.density_corrected, (8.0 / 3.0 * pi - 5.0 / 12.0 * pi) / 64.0, 1e-15);
    CHECK_CLOSE(m.contacts.max_overlap, 1.0, 1e-15);
    CHECK_CLOSE(m.contacts.max_overlap_relative, 1.0, 1e-15);  // over the radius, as in simulations
    assert_int_equal(m.contacts.max_i, 0);
    assert_int_equal(m.contacts.max_j, 1);
    scree_measures_free(&m);
}

static void rattlers_by_hand(void** state)
{
    (void)state;
    // A, B, C, D hold each other. E leans on A, B and F; F only on E and A, so it goes, and then E.
    double x[] = {0.3, 0.0, 0.2, 0.1, -0.3, 0.0, -0.3, -0.1, 1.3, 0.03, 1.35, 0.25},
           r[] = {1.0, 1.0, 1.0, 1.0, 0.15, 0.1};
    scree_box box = {.dim = 2, .lower = {-9.0, -9.0}, .upper = {9.0, 9.0}};
    scree_measure_def def = def_of(&box);
    def.gap = 0.0;
    scree_contact_counts c;
    CHECK_OK(scree_measure_contacts(&def, (scree_spheres){.count = 6, .dim = 2, .x = x, .r = r}, &c));
    static const int64_t partners[] = {5, 4, 3, 3, 3, 2};
    static const uint8_t rattler[] = {0, 0, 0, 0, 1, 1};
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(c.partners[i], partners[i]);
        assert_int_equal(c.rattler[i], rattler[i]);
    }
    assert_int_equal(c.pairs, 10);
    assert_int_equal(c.rattlers, 2);
    assert_int_equal(c.backbone_near, 6);
    CHECK_CLOSE(c.coordination, 20.0 / 6.0, 1e-15);
    CHECK_CLOSE(c.backbone_coordination, 3.0, 0.0);
    assert_true(c.contacts_min == 3 && c.no_contact == 0 && c.one_contact == 0);
    CHECK_CLOSE(c.mechanical_coordination, 20.0 / 6.0, 1e-15);
    scree_contact_counts_free(&c);

    // With friction two contacts hold a sphere. A chain of three on A, whose last one has one contact, comes apart from its end.
    double chain_x[] = {0.3, 0.0, 0.2, 0.1, -0.3, 0.0, -0.3, -0.1, 1.3, 0.03, 1.35, 0.25, 1.5, 0.5, 1.55, 0.75, 5.0, 5.0}, chain_r[] = {1.0, 1.0, 1.0, 1.0, 0.15, 0.1, 0.2, 0.1, 0.1};
    const scree_spheres chain = {.count = 9, .dim = 2, .x = chain_x, .r = chain_r};
    for (int least = 0; least <= 4; ++least) {
        static const int32_t rattlers[] = {5, 1, 3, 5, 9};
        def.least_contacts = least;
        CHECK_OK(scree_measure_contacts(&def, chain, &c));
        assert_int_equal(c.contacts_min, least > 0 ? least : 3);
        assert_int_equal(c.rattlers, rattlers[least]);
        assert_true(c.no_contact == 1 && c.one_contact == 1);
        CHECK_CLOSE(c.mechanical_coordination, (2.0 * (double)c.pairs - 1.0) / (9 - 1 - 1), 1e-15);
        scree_contact_counts_free(&c);
    }
    def.least_contacts = -1;
    CHECK_FAILS(scree_measure_contacts(&def, chain, &c), SCREE_ERR_ARGUMENT, "least_contacts", "-1");
    def.least_contacts = 1001;
    CHECK_FAILS(scree_measure_contacts(&def, chain, &c), SCREE_ERR_ARGUMENT, "least_contacts", "1001");
    def.least_contacts = 0;

    // Walls hold, but are no partners.
    def.box = scree_box_sized(2, (double[]){1.0, 1.0});
    def.gap = 1e-9;
    double y[2] = {0.5, 0.5}, s[1] = {0.5};
    CHECK_OK(scree_measure_contacts(&def, (scree_spheres){.count = 1, .dim = 2, .x = y, .r = s}, &c));
    assert_int_equal(c.wall_contacts, 4);
    assert_int_equal(c.rattlers, 0);
    CHECK_CLOSE(c.coordination, 0.0, 0.0);
    scree_contact_counts_free(&c);
}

// Three discs in a circle that they just fill, touch two others and the wall each: with the wall nobody is loose, without it everybody is. In a ball with
// two spheres side by side, one wall and one partner hold nobody; in a cylinder its ends count as well.
static void round_walls_hold(void** state)
{
    (void)state;
    const double R = 1.0 + 2.0 / sqrt(3.0), far = R - 1.0, r[3] = {1.0, 1.0, 1.0};
    double x[6];
    for (int i = 0; i < 3; ++i) {
        x[2 * i] = 5.0 + far * cos(2.0 * pi * i / 3.0);
        x[2 * i + 1] = 5.0 + far * sin(2.0 * pi * i / 3.0);
    }
    scree_measure_def def = scree_default_measure_def();
    scree_contact_counts c;
    def.box = scree_box_sized(2, (double[]){10.0, 10.0});
    for (int k = 0; k < 2; ++k) {
        def.box.lower[k] = 5.0 - R;
        def.box.upper[k] = 5.0 + R;
    }
    def.gap = 1e-6;
    scree_spheres discs = {.count = 3, .dim = 2, .x = x, .r = r};
    CHECK_OK(scree_measure_contacts(&def, discs, &c));
    assert_int_equal(c.wall_contacts, 1);  // of the square: the disc at the right
    assert_int_equal(c.rattlers, 3);
    scree_contact_counts_free(&c);
    def.container = SCREE_CONTAINER_SPHERE;
    CHECK_OK(scree_measure_contacts(&def, discs, &c));
    assert_int_equal(c.wall_contacts, 3);
    assert_int_equal(c.rattlers, 0);
    CHECK_CLOSE(c.backbone_coordination, 2.0, 0.0);
    scree_contact_counts_free(&c);

    def.box = scree_box_sized(3, (double[]){4.0, 4.0, 2.0});
    def.container = SCREE_CONTAINER_CYLINDER;
    scree_spheres two = {.count = 2, .dim = 3, .x = (double[]){1.0, 2.0, 1.0, 3.0, 2.0, 1.0}, .r = r};
    CHECK_OK(scree_measure_contacts(&def, two, &c));
    assert_int_equal(c.wall_contacts, 6);  // each: floor, ceiling and the round one
    assert_int_equal(c.rattlers, 0);
    scree_contact_counts_free(&c);
    def.box.periodic[2] = true;
    def.box.upper[2] = 3.0;
    CHECK_OK(scree_measure_contacts(&def, two, &c));
    assert_int_equal(c.wall_contacts, 2);
    assert_int_equal(c.rattlers, 2);
    scree_contact_counts_free(&c);
    def.box.periodic[0] = true;
    CHECK_FAILS(scree_measure_contacts(&def, two, &c), SCREE_ERR_ARGUMENT, "axis x");
    def.box.periodic[0] = false;
    // Densities are those of the container; a sphere that its wall cuts counts with the part inside.
    scree_density density;
    def.margin = 0.5;
    CHECK_OK(scree_measure_density(&def, two, &density));
    CHECK_CLOSE(density.whole, 2.0 * (4.0 / 3.0 * pi) / (4.0 * pi * 3.0), 1e-14);
    scree_container inner = {.kind = SCREE_CONTAINER_CYLINDER, .box = def.box};
    for (int k = 0; k < 2; ++k) {
        inner.box.lower[k] += 0.5;
        inner.box.upper[k] -= 0.5;
    }
    CHECK_CLOSE(density.inner, 2.0 * (4.0 / 3.0 * pi) * scree_sphere_container_share(&inner, two.x, 1.0) / scree_container_volume(&inner), 1e-3);
    def.box = scree_box_sized(3, (double[]){4.0, 4.0, 4.0});
    def.container = SCREE_CONTAINER_SPHERE;
    def.r_bins = def.nearest_bins = def.size_rows = 0;
    scree_measures m;
    scree_spheres lens = {.count = 2, .dim = 3, .x = (double[]){1.5, 2.0, 2.0, 2.5, 2.0, 2.0}, .r = r};
    CHECK_OK(scree_measure(&def, lens, &m));
    CHECK_CLOSE(m.density.whole, 2.0 / 8.0, 1e-14);
    CHECK_CLOSE(m.density_corrected, (2.0 - scree_lens_share(3, 1.0, 1.0, -1.0)) / 8.0, 1e-14);
    scree_measures_free(&m);
    def.container = 9;
    CHECK_FAILS(scree_measure_contacts(&def, two, &c), SCREE_ERR_ARGUMENT, "9");
}

// ---- Laws that must hold -----------------------------------------------------------------------------------------

// Other units, to the ends of what is allowed.
static void units_do_not_matter(void** state)
{
    (void)state;
    static const double units[] = {0x1p300, 0x1p-300, 3.7};
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 200;
    params.ratio = 10.0;
    params.periodic[1] = true;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    scree_measures a = measure(&def, scree_sphere_set_view(&set));
    for (int u = 0; u < 3; ++u) {
        double x[600], r[200];
        for (int i = 0; i < 600; ++i)
            x[i] = set.x[i] * units[u];
        for (int i = 0; i < 200; ++i)
            r[i] = set.r[i] * units[u];
        for (int k = 0; k < 3; ++k)
            def.box.upper[k] = set.box.upper[k] * units[u];
        scree_measures b = measure(&def, (scree_spheres){.count = 200, .dim = 3, .x = x, .r = r});
        CHECK_CLOSE(b.density.whole, a.density.whole, 1e-13);
        CHECK_CLOSE(b.density.inner, a.density.inner, 1e-13);
        CHECK_CLOSE(b.density_corrected, a.density_corrected, 1e-12);
        CHECK_CLOSE(b.contacts.max_overlap / units[u], a.contacts.max_overlap, 1e-13);
        assert_int_equal(b.contacts.contacts, a.contacts.contacts);
        assert_int_equal(b.contacts.rattlers, a.contacts.rattlers);
        CHECK_CLOSE(b.nearest_gaps.median / units[u], a.nearest_gaps.median, 1e-12);
        int64_t sum_a = 0, sum_b = 0;
        for (int bin = 0; bin < 250; ++bin) {
            sum_a += a.g_r.pairs[bin];
            sum_b += b.g_r.pairs[bin];
            CHECK_CLOSE(b.g_r.ideal[bin], a.g_r.ideal[bin], 1e-9);
        }
        assert_int_equal(sum_a, sum_b);
        scree_measures_free(&b);
    }
    scree_measures_free(&a);
    scree_sphere_set_free(&set);
}

static void check_same_measures(const scree_measures* a, const scree_measures* b)
{
    size_t n = (size_t)a->n, bins = (size_t)a->g_r.bins;
    assert_memory_equal(&a->density, &b->density, sizeof a->density);
    assert_memory_equal(&a->density_corrected, &b->density_corrected, sizeof(double));
    assert_memory_equal(&a->contacts.coordination, &b->contacts.coordination, sizeof(double));
    assert_memory_equal(a->contacts.partners, b->contacts.partners, n * sizeof *a->contacts.partners);
    assert_memory_equal(a->contacts.rattler, b->contacts.rattler, n);
    assert_memory_equal(&a->contacts.max_overlap, &b->contacts.max_overlap, sizeof(double));
    assert_memory_equal(&a->contacts.mean_overlap, &b->contacts.mean_overlap, sizeof(double));
    assert_memory_equal(&a->contacts.overlap_share, &b->contacts.overlap_share, sizeof(double));
    assert_int_equal(a->contacts.max_i, b->contacts.max_i);
    assert_int_equal(a->contacts.max_j, b->contacts.max_j);
    assert_memory_equal(a->g_r.pairs, b->g_r.pairs, bins * sizeof(int64_t));
    assert_memory_equal(a->g_r.g, b->g_r.g, bins * sizeof(double));
    assert_memory_equal(a->nearest_gaps.gap, b->nearest_gaps.gap, n * sizeof(double));
    assert_memory_equal(a->nearest_gaps.number, b->nearest_gaps.number, (size_t)a->nearest_gaps.bins * sizeof(int64_t));
    assert_memory_equal(a->size_curve.by_mass, b->size_curve.by_mass, (size_t)a->size_curve.rows * sizeof(double));
}

static void threads_and_methods_change_no_bit(void** state)
{
    (void)state;
    scree_sphere_set set;
    scene_params params = scene_default_params();
    params.count = 6000;
    params.ratio = 5.0;
    params.periodic[0] = params.periodic[2] = true;
    CHECK_OK(scene_make("cloud", &params, &set));
    scree_measure_def def = def_of(&set.box);
    scree_measures one = measure(&def, scree_sphere_set_view(&set));
    assert_true(one.contacts.contacts > 1000);
    for (int t = 0; t < 4; ++t) {
        def.threads = (int32_t[]){2, 7, 0, 1}[t];
        def.method = t == 3 ? SCREE_METHOD_ALL_PAIRS : SCREE_METHOD_AUTO;
        scree_measures other = measure(&def, scree_sphere_set_view(&set));
        check_same_measures(&one, &other);
        scree_measures_free(&other);
    }
    scree_measures_free(&one);
    scree_sphere_set_free(&set);
}

// Of a series in which each value keeps the part a of its predecessor, (1 + a) / (1 - a) values count as one.
static void errors_of_correlated_series(void** state)
{
    (void)state;
    enum { n = 1 << 14 };
    static double series[n];
    for (int e = 0; e < 3; ++e) {
        const double a = (const double[]){0.0, 0.5, 0.9}[e], wanted = (1.0 + a) / (1.0 - a);
        double sum = 0.0;
        for (uint64_t seed = 0; seed < 8; ++seed) {
            scree_rng rng = scree_rng_make(seed, 60 + (uint64_t)e);
            double value = 0.0;
            for (int i = -200; i < n; ++i) {
                value = a * value + scree_rng_uniform(&rng) - 0.5;
                if (i >= 0)
                    series[i] = 5.0 + value;
            }
            scree_average found;
            CHECK_OK(scree_measure_average(series, n, &found));
            CHECK_CLOSE(found.mean, 5.0, 6.0 * found.error);
            CHECK_CLOSE(found.deviation, sqrt(1.0 / 12.0 / (1.0 - a * a)), 0.05);
            CHECK_CLOSE(found.error, found.deviation * sqrt(found.inefficiency / n), 1e-12);
            assert_true(found.inefficiency >= 1.0 && found.block >= (e == 0 ? 1 : 2));
            sum += found.inefficiency / 8.0;
        }
        assert_true(sum > 0.85 * wanted && sum < 2.2 * wanted);  // the largest of several estimates is too large rather than too small
    }
    scree_average found;
    for (int i = 0; i < 40; ++i)
        series[i] = 0.1;
    CHECK_OK(scree_measure_average(series, 40, &found));
    assert_true(found.mean == 0.1 && found.deviation == 0.0 && found.error == 0.0 && found.inefficiency == 1.0);
    const double gaps[6] = {NAN, 3.0, NAN, 1.0, 2.0, NAN};
    CHECK_OK(scree_measure_average(gaps, 6, &found));
    assert_true(found.count == 3 && found.min == 1.0 && found.max == 3.0);
    CHECK_CLOSE(found.mean, 2.0, 1e-15);
    CHECK_CLOSE(found.deviation, 1.0, 1e-15);
    CHECK_CLOSE(found.error, sqrt(1.0 / 3.0), 1e-15);
    CHECK_OK(scree_measure_average(gaps, 2, &found));
    assert_true(found.count == 1 && found.mean == 3.0 && isnan(found.error) && isnan(found.inefficiency));
    CHECK_OK(scree_measure_average(NULL, 0, &found));
    assert_true(found.count == 0 && isnan(found.mean) && isnan(found.min));
    CHECK_FAILS(scree_measure_average((const double[]){1.0, INFINITY}, 2, &found), SCREE_ERR_ARGUMENT, "1", "inf");
    CHECK_FAILS(scree_measure_average(gaps, -1, &found), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_measure_average(NULL, 3, &found), SCREE_ERR_ARGUMENT, "NULL");
    EACH_ALLOCATION_FAILS(scree_measure_average(gaps, 6, &found), assert_true(found.count == 0));
}

static const test_case cases[] = {
    ALLOCATION(errors_of_correlated_series),
    UNIT(cubic_lattice),
    UNIT(face_centred_lattice),
    UNIT(covariograms),
    UNIT(an_ideal_gas_has_no_structure),
    UNIT(edges_belong_to_the_bin_above),
    UNIT(densities_by_hand),
    UNIT(rattlers_by_hand),
    UNIT(round_walls_hold),
    UNIT(units_do_not_matter),
    THREADS(threads_and_methods_change_no_bit),
};

const test_group group_measure = {.name = "measure", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
