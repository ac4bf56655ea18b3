// Tilted periodic boxes beyond the index: random addition, rearrangement and measures in them, against loops over all images; and the rooms that refuse them.
#include "pack_support.h"

#include "scree/event.h"
#include "scree/files.h"
#include "scree/measure.h"
#include "scree/picture.h"
#include "scree/sim.h"

static const double pi = 3.14159265358979323846;

// A box whose edge vectors are these rows.
static scree_box box_of(int dim, double a, double xy, double b, double xz, double yz, double c)
{
    return (scree_box){.dim = dim, .lower = {-0.5, 2.0, 1.0}, .upper = {a - 0.5, b + 2.0, c + 1.0}, .periodic = {true, true, true}, .tilt = {xy, xz, yz}};
}

// ---- Images, by hand --------------------------------------------------------------------------------------------------

enum { wide = 7 };

typedef void (*look_at)(void* context, int i, int j, const int s[3], double distance);

// Every i and j and every image up to `wide` boxes away, i = j with shift 0 left out.
static void all_images(const scree_box* box, int n, const double* x, look_at look, void* context)
{
    int dim = box->dim, range[3];
    for (int k = 0; k < 3; ++k)
        range[k] = k < dim && box->periodic[k] ? wide : 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int z = -range[2]; z <= range[2]; ++z)
                for (int y = -range[1]; y <= range[1]; ++y)
                    for (int w = -range[0]; w <= range[0]; ++w) {
                        if (i == j && w == 0 && y == 0 && z == 0)
                            continue;
                        double d[3] = {0.0, 0.0, 0.0};
                        for (int k = 0; k < dim; ++k)
                            d[k] = x[j * dim + k] - x[i * dim + k];
                        d[0] += w * (box->upper[0] - box->lower[0]) + y * box->tilt[0] + z * box->tilt[1];
                        d[1] += y * (box->upper[1] - box->lower[1]) + z * box->tilt[2];
                        d[2] += dim == 3 ? z * (box->upper[2] - box->lower[2]) : 0.0;
                        look(context, i, j, (const int[3]){w, y, z}, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
                    }
}

typedef struct tally {
    const double* r;
    double least[64];  // gap of each sphere
    double deepest;
    int64_t contacts, near, bins[20];
    double gap, r_max;
    int64_t partners[64];
} tally;

static void count(void* context, int i, int j, const int s[3], double distance)
{
    tally* t = context;
    (void)s;
    double gap = distance - t->r[i] - t->r[j];
    t->least[i] = fmin(t->least[i], gap);
    t->deepest = fmax(t->deepest, -gap);
    t->contacts += gap < 0.0;
    t->near += gap < t->gap;
    t->partners[i] += gap < t->gap;
    if (i != j && distance < t->r_max)
        ++t->bins[(int)(distance / t->r_max * 20.0)];
}

// ---- Random addition --------------------------------------------------------------------------------------------------

static void no_overlap(void* context, int i, int j, const int s[3], double distance)
{
    const double* r = context;
    if (distance < r[i] + r[j] - 1e-12)
        fail_msg("spheres %d and %d overlap by %g through the image %d %d %d", i, j, r[i] + r[j] - distance, s[0], s[1], s[2]);
}

static void random_addition_in_tilted_boxes(void** state)
{
    (void)state;
    const scree_box boxes[] = {box_of(3, 2.0, 0.9, 1.7, -0.8, 0.7, 1.4), box_of(3, 2.0, 3.1, 1.7, -4.2, 2.9, 1.4), box_of(3, 2.0, 0.0, 1.7, 0.9, 0.0, 1.4),
                               box_of(2, 2.0, 0.95, 1.2, 0.0, 0.0, 0.0), box_of(2, 2.0, -5.0, 1.2, 0.0, 0.0, 0.0)};
    enum { n = 45 };
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; ++b)
        for (uint64_t seed = 1; seed <= 2; ++seed) {
            scree_place_def def = scree_default_place_def();
            scree_place_report report;
            def.box = boxes[b];
            def.seed = seed;
            def.report = &report;
            def.box.periodic[1] = b != 2;  // walls on an axis that has no tilt
            double r[n], x[3 * n], sum = 0.0;
            for (int i = 0; i < n; ++i) {
                r[i] = (i < 3 ? 0.3 : 0.12) * (def.box.dim == 2 ? 0.7 : 1.0) * (1.0 - 0.015 * i);
                sum += def.box.dim == 2 ? pi * r[i] * r[i] : 4.0 / 3.0 * pi * r[i] * r[i] * r[i];
            }
            CHECK_OK(scree_place_random(&def, n, r, x));
            all_images(&def.box, n, x, no_overlap, r);
            CHECK_CLOSE(report.density, sum / (2.0 * (def.box.dim == 2 ? 1.2 : 1.7 * 1.4)), 1e-12);
            for (int i = 0; i < n; ++i)
                for (int k = 0; k < def.box.dim; ++k)
                    assert_true(x[i * def.box.dim + k] >= def.box.lower[k] && x[i * def.box.dim + k] < def.box.upper[k]);
            // Around what stands there, given some cells away.
            double further[3 * 6], small[6];
            for (int i = 0; i < n; ++i) {
                const int8_t s[3] = {(int8_t)(i % 3 - 1), (int8_t)(b == 2 ? 0 : i % 5 - 2), (int8_t)(i % 2)};
                double offset[3];
                scree_box_offset(&def.box, s, offset);
                for (int k = 0; k < def.box.dim; ++k)
                    x[i * def.box.dim + k] += offset[k];
            }
            for (int i = 0; i < 6; ++i)
                small[i] = 0.05;
            def.standing = (scree_spheres){.count = n, .dim = def.box.dim, .x = x, .r = r};
            CHECK_OK(scree_place_random(&def, 6, small, further));
            double both[3 * (n + 6)], all[n + 6];
            memcpy(both, x, sizeof(double) * n * (size_t)def.box.dim);
            memcpy(both + n * def.box.dim, further, sizeof(double) * 6 * (size_t)def.box.dim);
            memcpy(all, r, sizeof r);
            memcpy(all + n, small, sizeof small);
            for (int i = 0; i < n + 6; ++i)
                scree_box_wrap_centre(&def.box, both + i * def.box.dim, NULL);
            all_images(&def.box, n + 6, both, no_overlap, all);
        }
    // A sphere that is wider than the box along an axis, and one that meets itself.
    scree_place_def def = scree_default_place_def();
    def.box = box_of(3, 1.0, 0.5, sqrt(0.75), 0.5, sqrt(1.0 / 12.0), sqrt(2.0 / 3.0));
    double x[3], r = 0.5 * (1.0 - 1e-9);
    CHECK_OK(scree_place_random(&def, 1, &r, x));
    r = 0.51;
    CHECK_FAILS(scree_place_random(&def, 1, &r, x), SCREE_ERR_ARGUMENT, "sphere 0", "1.02", "1");
}

// Points, in coordinates along the edge vectors: as many in each tenth of each.
static void random_points_are_uniform_in_the_cell(void** state)
{
    (void)state;
    enum { n = 20000, bins = 10 };
    static double r[n], x[3 * n];
    scree_place_def def = scree_default_place_def();
    def.box = box_of(3, 2.0, 0.9, 1.7, -0.8, 0.7, 1.4);
    CHECK_OK(scree_place_random(&def, n, r, x));
    int64_t number[3][bins] = {{0}};
    for (int i = 0; i < n; ++i) {
        double w = (x[3 * i + 2] - 1.0) / 1.4, v = (x[3 * i + 1] - 2.0 - 0.7 * w) / 1.7, u = (x[3 * i] + 0.5 - 0.9 * v + 0.8 * w) / 2.0;
        const double part[3] = {u - floor(u), v - floor(v), w - floor(w)};
        for (int k = 0; k < 3; ++k)
            ++number[k][(int)(part[k] * bins) % bins];
    }
    for (int k = 0; k < 3; ++k)
        for (int b = 0; b < bins; ++b)
            CHECK_CLOSE((double)number[k][b], n / (double)bins, 5.0 * sqrt(n / (double)bins));
}

// ---- Rearrangement ----------------------------------------------------------------------------------------------------

static void packings_in_tilted_boxes_are_dense(void** state)
{
    (void)state;
    const scree_box shapes[] = {box_of(3, 2.0, 0.9, 1.7, -0.8, 0.7, 1.9), box_of(2, 2.0, 0.95, 1.8, 0.0, 0.0, 0.0), box_of(3, 2.0, 4.9, 1.7, 6.2, -3.0, 1.9)};
    for (int c = 0; c < 6; ++c) {
        scree_rearrange_def def = scree_default_rearrange_def();
        def.box = shapes[c / 2];
        def.moves = c % 2 == 0 ? SCREE_MOVES_TOGETHER : SCREE_MOVES_ONE_BY_ONE;
        def.attraction = c % 2 == 1 ? 0.2 : 0.0;
        enum { n = 60 };
        double* r = radii(c < 2 ? "mono:1" : "uniform-size:1:2", def.box.dim, n);
        scree_packing p, other;
        CHECK_OK(scree_pack_rearrange(&def, n, r, &p));
        assert_true(p.converged);
        check_rearranged(&def, &p, n, r);
        all_images(&p.box, n, p.x, no_overlap, r);
        double volume = scree_box_volume(&p.box), sum = 0.0, factor = (p.box.upper[0] - p.box.lower[0]) / (def.box.upper[0] - def.box.lower[0]);
        for (int i = 0; i < n; ++i)
            sum += def.box.dim == 2 ? pi * r[i] * r[i] : 4.0 / 3.0 * pi * r[i] * r[i] * r[i];
        CHECK_CLOSE(p.density, sum / volume, 1e-9);
        assert_true(p.density > (def.box.dim == 2 ? 0.80 : 0.58) && p.density < (def.box.dim == 2 ? 0.91 : 0.70));
        for (int t = 0; t < (def.box.dim == 2 ? 1 : 3); ++t)
            CHECK_CLOSE(p.box.tilt[t], factor * def.box.tilt[t], 1e-9 * factor);
        // The other method, and other threads: the same bits.
        def.method = SCREE_METHOD_ALL_PAIRS;
        def.threads = 2;
        CHECK_OK(scree_pack_rearrange(&def, n, r, &other));
        assert_memory_equal(p.x, other.x, sizeof(double) * n * (size_t)def.box.dim);
        assert_memory_equal(&p.box.upper, &other.box.upper, sizeof p.box.upper);
        scree_packing_free(&p);
        scree_packing_free(&other);
        def.method = SCREE_METHOD_OCTREE;
        CHECK_FAILS(scree_pack_rearrange(&def, n, r, &p), SCREE_ERR_UNSUPPORTED, "octree");
        free(r);
    }
    // One sphere touches its own images: close-packed.
    scree_rearrange_def def = scree_default_rearrange_def();
    def.box = box_of(3, 1.0, 0.5, sqrt(0.75), 0.5, sqrt(1.0 / 12.0), sqrt(2.0 / 3.0));
    const double r = 0.7;
    scree_packing p;
    CHECK_OK(scree_pack_rearrange(&def, 1, &r, &p));
    CHECK_CLOSE(p.density, pi / sqrt(18.0), 1e-9);
    scree_packing_free(&p);
}

// ---- Measures ---------------------------------------------------------------------------------------------------------

static void measures_count_all_images(void** state)
{
    (void)state;
    const scree_box boxes[] = {box_of(3, 2.0, 0.9, 1.7, -0.8, 0.7, 1.4), box_of(3, 2.0, 3.1, 1.7, -4.2, 2.9, 1.4), box_of(2, 2.0, 0.95, 1.2, 0.0, 0.0, 0.0),
                               box_of(3, 2.0, 0.0, 0.4, 0.9, 0.19, 0.5)};
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; ++b)
        for (uint64_t seed = 0; seed < 5; ++seed) {
            scree_rng rng = scree_rng_make(seed, 31);
            const scree_box* box = &boxes[b];
            int n = 2 + (int)scree_rng_below(&rng, 20), dim = box->dim;
            double x[64 * 3], r[64];
            for (int i = 0; i < n; ++i) {
                for (int k = 0; k < dim; ++k)
                    x[i * dim + k] = box->lower[k] + (box->upper[k] - box->lower[k]) * scree_rng_uniform(&rng);
                r[i] = (b == 3 ? 0.1 : 0.25) * (0.2 + 0.8 * scree_rng_uniform(&rng));
            }
            scree_measure_def def = scree_default_measure_def();
            def.box = *box;
            def.gap = 0.05;
            def.r_max = 1.0;
            def.r_bins = 20;
            scree_measures m;
            tally t = {.r = r, .gap = 0.05, .r_max = 1.0};
            for (int i = 0; i < n; ++i)
                t.least[i] = INFINITY;
            all_images(box, n, x, count, &t);
            CHECK_OK(scree_measure(&def, (scree_spheres){.count = n, .dim = dim, .x = x, .r = r}, &m));
            assert_int_equal(2 * m.contacts.contacts, t.contacts);
            assert_int_equal(2 * m.contacts.pairs, t.near);
            CHECK_CLOSE(m.contacts.max_overlap, fmax(t.deepest, 0.0), 1e-12);
            double sum = 0.0;
            for (int i = 0; i < n; ++i) {
                sum += dim == 2 ? pi * r[i] * r[i] : 4.0 / 3.0 * pi * r[i] * r[i] * r[i];
                assert_int_equal(m.contacts.partners[i], t.partners[i]);
                CHECK_CLOSE(m.nearest_gaps.gap[i], t.least[i], 1e-12);
            }
            CHECK_CLOSE(m.density.whole, sum / scree_box_volume(box), 1e-12);
            for (int e = 0; e < 20; ++e)
                assert_int_equal(2 * m.g_r.pairs[e], t.bins[e]);
            if (m.contacts.max_i >= 0) {
                double gap = scree_pair_gap(box, (scree_spheres){.count = n, .dim = dim, .x = x, .r = r}, m.contacts.max_i, m.contacts.max_j, m.contacts.max_shift);
                CHECK_CLOSE(-gap, m.contacts.max_overlap, 1e-12);
            }
            scree_measures_free(&m);
        }
}

// ---- What is refused --------------------------------------------------------------------------------------------------

static void rooms_with_right_angles_refuse(void** state)
{
    (void)state;
    scree_box box = box_of(3, 2.0, 0.125, 1.7, 0.0, 0.0, 1.4);
    const double r = 0.1, x[3] = {0.5, 2.5, 1.5};
    double at[3];
    scree_spheres one = {.count = 1, .dim = 3, .x = x, .r = &r};
    scree_place_def place = scree_default_place_def();
    place.box = box;
    scree_sphere_set set = {0};
    CHECK_FAILS(scree_place_lattice(&place, 0.0, 1, &r, at), SCREE_ERR_UNSUPPORTED, "lattice", "0.125");
    CHECK_FAILS(scree_place_saturated(&place, 0.1, &set), SCREE_ERR_UNSUPPORTED, "saturation", "0.125");
    scree_packing packing;
    scree_drop_def drop = scree_default_drop_def();
    drop.box = box;
    drop.box.periodic[2] = false;
    CHECK_FAILS(scree_pack_drop(&drop, 1, &r, &packing), SCREE_ERR_UNSUPPORTED, "deposition", "0.125");
    scree_compress_def press = scree_default_compress_def();
    press.box = box;
    CHECK_FAILS(scree_pack_compress(&press, 1, &r, &packing), SCREE_ERR_UNSUPPORTED, "compression", "0.125");
    scree_grow_def grow = scree_default_grow_def();
    scree_growth growth;
    grow.box = box;
    CHECK_FAILS(scree_pack_grow(&grow, 1, &r, &growth), SCREE_ERR_UNSUPPORTED, "growth", "0.125");
    scree_event_def hard = scree_default_event_def();
    scree_event_system* system;
    hard.box = box;
    CHECK_FAILS(scree_event_create(&hard, one, NULL, &system), SCREE_ERR_UNSUPPORTED, "hard spheres", "0.125");
    CHECK_OK(scree_sphere_set_make(3, 1, &set));
    memcpy(set.x, x, sizeof x);
    set.r[0] = r;
    set.has_box = true;
    set.box = box;
    scree_picture_def look = scree_default_picture_def();
    look.copies = 1;
    CHECK_FAILS(scree_write_picture("refused.png", &set, &look), SCREE_ERR_UNSUPPORTED, "picture", "0.125");
    scree_sphere_set_free(&set);
}

static const test_case cases[] = {
    PROPERTY(random_addition_in_tilted_boxes),
    UNIT(random_points_are_uniform_in_the_cell),
    SAME_BITS(packings_in_tilted_boxes_are_dense),
    PROPERTY(measures_count_all_images),
    UNIT(rooms_with_right_angles_refuse),
};

const test_group group_cells_pack = {.name = "cells_pack", .cases = cases, .count = sizeof cases / sizeof *cases};
