// query: spheres within a distance, nearest ones, those in boxes and along rays, of sets of any size ratio, in open, periodic and tilted boxes, compared by loops over all spheres
// and images. Float and strided input, masks, visits; the answers are the same for any number of threads, and memory that runs out loses nothing.
#include "support.h"

#include "base/wide.h"
#include "geom/lattice.h"
#include "geom/pair.h"
#include "scree/index.h"
#include "scree/query.h"

enum { most_spheres = 150, queries_few = 12, queries_most = 150, images_most = 4 };

typedef struct field {
    int dim;
    int32_t n, queries;
    scree_box box;
    double length[3], tilt[3];
    double xr[most_spheres][4];
    double x[most_spheres * 3], r[most_spheres];
    float narrow[most_spheres][6];  // x, r and something else between
    uint32_t mask[most_spheres];
    double q[queries_most][4], qx[queries_most * 3], qr[queries_most];
    uint32_t q_mask[queries_most];
    bool masked, asks_masked, floats;  // spheres, queries
} field;

static void make_field(scree_rng* rng, field* f)
{
    *f = (field){.dim = 2 + (int)scree_rng_below(rng, 2), .n = (int32_t)scree_rng_below(rng, most_spheres + 1), .queries = queries_few, .masked = scree_rng_below(rng, 2) == 0, .floats = scree_rng_below(rng, 3) == 0};
    double ratio = pow(1000.0, scree_rng_uniform(rng));
    f->box = scree_box_sized(f->dim, (double[3]){3.0, 4.0, 2.5});
    for (int k = 0; k < f->dim; ++k)
        f->box.periodic[k] = scree_rng_below(rng, 2) == 0;
    for (int m = 1; m < f->dim; ++m)
        for (int k = 0; k < m; ++k)
            if (f->box.periodic[k] && f->box.periodic[m] && scree_rng_below(rng, 2) == 0)
                f->box.tilt[k + m - 1] = 1.2 * scree_rng_uniform(rng) - 0.6;
    scree_lattice_of(&f->box, f->length, f->tilt);
    for (int32_t i = 0; i < f->n; ++i) {
        f->xr[i][3] = (float)(0.6 * pow(ratio, -scree_rng_uniform(rng)));
        for (int k = 0; k < f->dim; ++k)
            f->xr[i][k] = (float)(f->box.upper[k] * 0.999 * scree_rng_uniform(rng));
        for (int k = 0; k < f->dim; ++k)
            f->x[i * f->dim + k] = f->narrow[i][k] = (float)f->xr[i][k];
        f->r[i] = f->narrow[i][4] = (float)f->xr[i][3];
        f->mask[i] = 1u << scree_rng_below(rng, 3);
    }
    for (int32_t q = 0; q < f->queries; ++q) {
        f->qr[q] = f->q[q][3] = scree_rng_below(rng, 2) == 0 ? 0.0 : 0.4 * scree_rng_uniform(rng);
        for (int k = 0; k < f->dim; ++k)
            f->qx[q * f->dim + k] = f->q[q][k] = f->box.upper[k] * scree_rng_uniform(rng);
        f->q_mask[q] = (uint32_t)scree_rng_below(rng, 8);
    }
    f->asks_masked = scree_rng_below(rng, 2) == 0;
}

static scree_points spheres_of(const field* f)
{
    scree_points wide = {.count = f->n, .dim = f->dim, .type = SCREE_TYPE_FLOAT64, .x = f->x, .r = f->r, .mask = f->masked ? f->mask : NULL};
    scree_points narrow = {.count = f->n, .dim = f->dim, .type = SCREE_TYPE_FLOAT32, .x = f->narrow, .x_stride = sizeof f->narrow[0], .r = &f->narrow[0][4], .r_stride = sizeof f->narrow[0], .mask = wide.mask};
    return f->floats ? narrow : wide;
}

static scree_points queries_of(const field* f)
{
    return (scree_points){.count = f->queries, .dim = f->dim, .type = SCREE_TYPE_FLOAT64, .x = f->qx, .r = f->qr, .mask = f->asks_masked ? f->q_mask : NULL};
}

static scree_bvh* open_field(const field* f, int32_t threads)
{
    scree_bvh_def def = scree_default_bvh_def();
    scree_bvh* bvh;
    def.box = &f->box;
    def.threads = threads;
    CHECK_OK(scree_bvh_create(&def, spheres_of(f), &bvh));
    assert_int_equal(scree_bvh_get_count(bvh), f->n);
    return bvh;
}

// ---- The reference -----------------------------------------------------------------------------------------------------------

typedef struct compared {
    int64_t count;
    scree_hit hit[most_spheres * (2 * images_most + 1) * (2 * images_most + 1) * (2 * images_most + 1)];
} compared;

static bool by_value;

static int compare(const void* one, const void* other)
{
    const scree_hit *a = one, *b = other;
    if (by_value && a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->j != b->j)
        return a->j < b->j ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (a->shift[k] != b->shift[k])
            return a->shift[k] < b->shift[k] ? -1 : 1;
    return 0;
}

typedef enum question { WITHIN, NEAREST, IN_BOX, ALONG } question;

typedef struct asked {
    question what;
    double gap;
    double lower[3], upper[3];  // or origin and direction
} asked;

// Value of an image, or NaN if it does not answer.
static double value_of(const field* f, const asked* a, int q, int32_t i, const double offset[3])
{
    const double* x = f->xr[i];
    double square = 0.0, b = 0.0, d2 = 0.0, m2 = 0.0;
    switch (a->what) {
    case WITHIN:
        if (!scree_is_pair(f->q[q], x, offset, a->gap))
            return NAN;
        return sqrt(scree_square_distance(f->q[q], x, offset)) - (f->q[q][3] + x[3]);
    case NEAREST:
        square = sqrt(scree_square_distance(f->q[q], x, offset)) - (f->q[q][3] + x[3]);
        return square < a->gap ? square : NAN;
    case IN_BOX:
        for (int k = 0; k < f->dim; ++k) {
            double at = x[k] + offset[k], out = at < a->lower[k] ? a->lower[k] - at : at > a->upper[k] ? at - a->upper[k] : 0.0;
            square += out * out;
        }
        return sqrt(square) <= x[3] ? sqrt(square) : NAN;
    case ALONG:
        for (int k = 0; k < f->dim; ++k) {
            double m = x[k] + offset[k] - a->lower[k];
            b += m * a->upper[k];
            d2 += a->upper[k] * a->upper[k];
            m2 += m * m;
        }
        if (m2 <= x[3] * x[3])
            return 0.0;
        square = b * b / d2 - (m2 - x[3] * x[3]);
        if (!(b > 0.0 && square >= 0.0))
            return NAN;
        return (b - sqrt(square * d2)) / d2 <= a->gap ? (b - sqrt(square * d2)) / d2 : NAN;
    }
    return NAN;
}

static void reference(const field* f, const asked* a, int q, compared* out)
{
    int to[3] = {0, 0, 0};
    out->count = 0;
    for (int k = 0; k < f->dim; ++k)
        to[k] = f->box.periodic[k] ? images_most : 0;
    for (int32_t i = 0; i < f->n; ++i)
        for (int sx = -to[0]; sx <= to[0]; ++sx)
            for (int sy = -to[1]; sy <= to[1]; ++sy)
                for (int sz = -to[2]; sz <= to[2]; ++sz) {
                    double offset[3];
                    if (((f->masked ? f->mask[i] : UINT32_MAX) & (f->asks_masked ? f->q_mask[q] : UINT32_MAX)) == 0)
                        continue;
                    scree_lattice_offset(f->length, f->tilt, sx, sy, sz, offset);
                    double value = value_of(f, a, q, i, offset);
                    if (!isnan(value))
                        out->hit[out->count++] = (scree_hit){.j = i, .shift = {sx, sy, sz}, .value = value};
                }
    by_value = a->what == NEAREST || a->what == ALONG;
    qsort(out->hit, (size_t)out->count, sizeof *out->hit, compare);
}

static void check_hits(const scree_hits* hits, int q, const compared* wanted, int64_t most, double within)
{
    int64_t count = wanted->count < most ? wanted->count : most;
    assert_int_equal(hits->first[q + 1] - hits->first[q], count);
    for (int64_t h = 0; h < count; ++h) {
        const scree_hit *got = &hits->hit[hits->first[q] + h], *is = &wanted->hit[h];
        assert_int_equal(got->j, is->j);
        assert_memory_equal(got->shift, is->shift, sizeof got->shift);
        CHECK_CLOSE(got->value, is->value, within);
    }
}

// Of each sphere its first image: hits are sorted by value.
static void keep_once(compared* all)
{
    int64_t kept = 0;
    bool seen[most_spheres] = {false};
    for (int64_t h = 0; h < all->count; ++h)
        if (!seen[all->hit[h].j]) {
            seen[all->hit[h].j] = true;
            all->hit[kept++] = all->hit[h];
        }
    all->count = kept;
}

static void answers_are_those_of_plain_loops(void** state)
{
    (void)state;
    static field f;
    static compared wanted;
    int64_t seen = 0;
    for (int round = 0; round < 6 + (int)(35 * test_effort()); ++round) {
        scree_rng rng = scree_rng_make(71, (uint64_t)round);
        make_field(&rng, &f);
        scree_bvh* bvh = open_field(&f, 1);
        scree_hits hits;
        asked a = {.what = WITHIN, .gap = 0.4 * scree_rng_uniform(&rng) - 0.1};
        int64_t counts[queries_most], counts_once[queries_most];
        CHECK_OK(scree_bvh_within(bvh, queries_of(&f), a.gap, &hits));
        CHECK_OK(scree_bvh_count_within(bvh, queries_of(&f), a.gap, false, counts));
        CHECK_OK(scree_bvh_count_within(bvh, queries_of(&f), a.gap, true, counts_once));
        for (int q = 0; q < f.queries; ++q) {
            reference(&f, &a, q, &wanted);
            check_hits(&hits, q, &wanted, INT64_MAX, 0.0);
            seen += wanted.count;
            assert_int_equal(counts[q], wanted.count);
            keep_once(&wanted);
            assert_int_equal(counts_once[q], wanted.count);
        }
        scree_hits_free(&hits);
        a = (asked){.what = NEAREST, .gap = scree_rng_below(&rng, 2) == 0 ? 0.8 : 3.0};
        int32_t k = 1 + (int32_t)scree_rng_below(&rng, 12);
        CHECK_OK(scree_bvh_nearest(bvh, queries_of(&f), k, a.gap, &hits));
        for (int q = 0; q < f.queries; ++q) {
            reference(&f, &a, q, &wanted);
            check_hits(&hits, q, &wanted, k, 0.0);
        }
        scree_hits_free(&hits);
        CHECK_OK(scree_bvh_nearest_spheres(bvh, queries_of(&f), k, a.gap, &hits));
        for (int q = 0; q < f.queries; ++q) {
            reference(&f, &a, q, &wanted);
            keep_once(&wanted);
            check_hits(&hits, q, &wanted, k, 0.0);
        }
        scree_hits_free(&hits);
        // Boxes and rays: by the query points.
        double lower[queries_most * 3], upper[queries_most * 3], direction[queries_most * 3];
        for (int e = 0; e < f.queries * f.dim; ++e) {
            lower[e] = f.qx[e] - scree_rng_uniform(&rng);
            upper[e] = f.qx[e] + scree_rng_uniform(&rng);
            direction[e] = scree_rng_below(&rng, 6) == 0 && e % f.dim > 0 ? 0.0 : scree_rng_uniform(&rng) - 0.5;
        }
        const uint32_t* mask = f.asks_masked ? f.q_mask : NULL;
        CHECK_OK(scree_bvh_boxes(bvh, f.queries, lower, upper, mask, &hits));
        for (int q = 0; q < f.queries; ++q) {
            a = (asked){.what = IN_BOX};
            memcpy(a.lower, lower + q * f.dim, (size_t)f.dim * sizeof(double));
            memcpy(a.upper, upper + q * f.dim, (size_t)f.dim * sizeof(double));
            reference(&f, &a, q, &wanted);
            check_hits(&hits, q, &wanted, INT64_MAX, 1e-15);
            seen += wanted.count;
        }
        scree_hits_free(&hits);
        for (int all = 0; all < 2; ++all) {
            CHECK_OK(scree_bvh_rays(bvh, f.queries, f.qx, direction, 9.0, all != 0, mask, &hits));
            for (int q = 0; q < f.queries; ++q) {
                a = (asked){.what = ALONG, .gap = 9.0};
                memcpy(a.lower, f.qx + q * f.dim, (size_t)f.dim * sizeof(double));
                memcpy(a.upper, direction + q * f.dim, (size_t)f.dim * sizeof(double));
                reference(&f, &a, q, &wanted);
                check_hits(&hits, q, &wanted, all ? INT64_MAX : 1, 1e-10);
                seen += wanted.count;
            }
            scree_hits_free(&hits);
        }
        scree_bvh_destroy(bvh);
    }
    assert_true(seen > 1000);
}

// More queries than one chunk has, which are asked along the curve, each with a bound by the one before: of sets in which much is equal, few or far apart.
static void many_queries(void** state)
{
    (void)state;
    static field f;
    static compared wanted;
    for (int round = 0; round < 10 + (int)(12 * test_effort()); ++round) {
        scree_rng rng = scree_rng_make(77, (uint64_t)round);
        make_field(&rng, &f);
        f.n = (int32_t[]){1, 2, 9, 40, 70}[scree_rng_below(&rng, 5)];
        f.queries = queries_most;
        f.floats = false;
        f.masked = f.masked && round % 3 == 0;
        f.asks_masked = f.asks_masked && round % 4 == 0;
        const int kind = round % 5;
        for (int32_t i = 0; i < f.n; ++i) {
            f.r[i] = f.xr[i][3] = kind == 0 ? f.xr[i][3] : kind == 1 ? 0.0 : kind == 2 ? 1.2 : 0.1;  // a periodic box is 2.5 long
            for (int k = 0; k < f.dim; ++k) {
                double x = f.xr[i][k];
                if (kind == 3)  // a lattice: equal distances, and equal centres
                    x = 0.5 * floor(2.0 * x);
                if (kind == 4)  // two clusters, in which all have the same key
                    x = (i % 2 == 0 ? 0.5 : 1.9) + 1e-9 * x;
                f.x[i * f.dim + k] = f.xr[i][k] = x;
            }
        }
        for (int32_t q = 0; q < f.queries; ++q) {
            const int32_t at = (int32_t)scree_rng_below(&rng, (uint64_t)f.n);
            for (int k = 0; k < f.dim; ++k)
                f.qx[q * f.dim + k] = f.q[q][k] = q % 3 != 0 ? f.xr[at][k] : f.box.upper[k] * scree_rng_uniform(&rng);
            f.qr[q] = f.q[q][3] = q % 4 == 0 ? 0.1 * scree_rng_uniform(&rng) : 0.1;
            f.q_mask[q] = (uint32_t)scree_rng_below(&rng, 8);
        }
        const int32_t k = (int32_t[]){1, 3, 8, 40, f.n + 5}[scree_rng_below(&rng, 5)];
        const asked nearest = {.what = NEAREST, .gap = 2.0}, within = {.what = WITHIN, .gap = round % 2 == 0 ? 0.1 : 0.6};  // far enough for two images of one sphere
        for (int plain = 0; plain < 2; ++plain) {
            scree_hits hits, all;
            scree_plain_only = plain != 0;
            scree_bvh* bvh = open_field(&f, 1);
            CHECK_OK(scree_bvh_nearest(bvh, queries_of(&f), k, nearest.gap, &hits));
            for (int q = 0; q < f.queries; ++q) {
                reference(&f, &nearest, q, &wanted);
                check_hits(&hits, q, &wanted, k, 0.0);
            }
            CHECK_OK(scree_bvh_nearest(bvh, queries_of(&f), k, INFINITY, &all));  // which knows how many there are, unless there are masks
            for (int q = 0; q < f.queries; ++q) {
                int64_t count = hits.first[q + 1] - hits.first[q], of_all = all.first[q + 1] - all.first[q];
                assert_true(f.masked || f.asks_masked || of_all == (scree_box_is_periodic(&f.box) || k < f.n ? k : f.n));
                assert_true(of_all >= count && (count == 0 || memcmp(all.hit + all.first[q], hits.hit + hits.first[q], (size_t)count * sizeof *hits.hit) == 0));
            }
            scree_hits_free(&hits);
            scree_hits_free(&all);
            CHECK_OK(scree_bvh_nearest_spheres(bvh, queries_of(&f), k, nearest.gap, &hits));
            CHECK_OK(scree_bvh_nearest_spheres(bvh, queries_of(&f), k, INFINITY, &all));
            for (int q = 0; q < f.queries; ++q) {
                reference(&f, &nearest, q, &wanted);
                keep_once(&wanted);
                check_hits(&hits, q, &wanted, k, 0.0);
                int32_t answering = 0;
                for (int32_t i = 0; i < f.n; ++i)
                    answering += ((f.masked ? f.mask[i] : UINT32_MAX) & (f.asks_masked ? f.q_mask[q] : UINT32_MAX)) != 0;
                assert_int_equal(all.first[q + 1] - all.first[q], k < answering ? k : answering);
                int64_t count = hits.first[q + 1] - hits.first[q];
                assert_true(count == 0 || memcmp(all.hit + all.first[q], hits.hit + hits.first[q], (size_t)count * sizeof *hits.hit) == 0);
            }
            scree_hits_free(&hits);
            scree_hits_free(&all);
            int64_t counts[queries_most], counts_once[queries_most];
            CHECK_OK(scree_bvh_within(bvh, queries_of(&f), within.gap, &hits));
            CHECK_OK(scree_bvh_count_within(bvh, queries_of(&f), within.gap, false, counts));
            CHECK_OK(scree_bvh_count_within(bvh, queries_of(&f), within.gap, true, counts_once));
            for (int q = 0; q < f.queries; ++q) {
                reference(&f, &within, q, &wanted);
                check_hits(&hits, q, &wanted, INT64_MAX, 0.0);
                assert_int_equal(counts[q], wanted.count);
                keep_once(&wanted);
                assert_int_equal(counts_once[q], wanted.count);
            }
            scree_hits_free(&hits);
            scree_bvh_destroy(bvh);
        }
        scree_plain_only = false;
    }
}

// A long periodic box, in which a search by distance alone would meet a million images before the last sphere.
static void nearest_spheres_of_a_long_box(void** state)
{
    (void)state;
    enum { count = 40 };
    double x[count * 3], r[count];
    scree_rng rng = scree_rng_make(74, 0);
    scree_box box = scree_box_sized(3, (double[3]){1.0, 1.0, 5000.0});
    for (int k = 0; k < 3; ++k)
        box.periodic[k] = true;
    for (int i = 0; i < count; ++i) {
        r[i] = 0.1;
        for (int k = 0; k < 3; ++k)
            x[i * 3 + k] = box.upper[k] * scree_rng_uniform(&rng);
    }
    const scree_points points = {.count = count, .dim = 3, .type = SCREE_TYPE_FLOAT64, .x = x, .r = r};
    scree_bvh_def def = scree_default_bvh_def();
    scree_bvh* bvh;
    scree_hits hits;
    def.box = &box;
    CHECK_OK(scree_bvh_create(&def, points, &bvh));
    CHECK_OK(scree_bvh_nearest_spheres(bvh, points, count, INFINITY, &hits));
    assert_int_equal(hits.first[count], count * count);
    for (int q = 0; q < count; ++q)
        for (int64_t h = hits.first[q], e = h; h < hits.first[q + 1]; ++h) {
            const scree_hit* hit = &hits.hit[h];
            double square = 0.0;
            for (int k = 0; k < 3; ++k) {
                const double d = x[hit->j * 3 + k] - x[q * 3 + k], image = d - box.upper[k] * round(d / box.upper[k]);
                square += image * image;
                CHECK_CLOSE(d + hit->shift[k] * box.upper[k], image, 1e-9);
            }
            CHECK_CLOSE(hit->value, sqrt(square) - 0.2, 1e-9);
            assert_true(h == e || hit->value >= hits.hit[h - 1].value);
        }
    scree_hits_free(&hits);
    scree_bvh_destroy(bvh);
}

// Spheres and queries that lie outside of a periodic box: shifts are about centres as given.
static void shifts_are_about_centres_as_given(void** state)
{
    (void)state;
    static field f;
    scree_rng rng = scree_rng_make(72, 0);
    do
        make_field(&rng, &f);
    while (f.dim != 3 || !f.box.periodic[0] || !f.box.periodic[2] || f.n < 80 || f.floats);
    f.masked = f.asks_masked = false;
    for (int32_t i = 0; i < f.n; ++i)
        for (int k = 0; k < 3; ++k)
            f.x[i * 3 + k] += f.box.periodic[k] ? f.length[k] * (double)((i * 7 + k) % 5 - 2) : 0.0;
    for (int32_t q = 0; q < f.queries; ++q)
        f.qx[q * 3] += 3.0 * f.length[0];
    scree_bvh* bvh = open_field(&f, 1);
    scree_hits hits;
    CHECK_OK(scree_bvh_nearest(bvh, queries_of(&f), 5, INFINITY, &hits));
    assert_int_equal(hits.first[f.queries], 5 * f.queries);
    for (int q = 0; q < f.queries; ++q)
        for (int64_t h = hits.first[q]; h < hits.first[q + 1]; ++h) {
            const scree_hit* hit = &hits.hit[h];
            double offset[3], d = 0.0;
            scree_lattice_offset(f.length, f.tilt, hit->shift[0], hit->shift[1], hit->shift[2], offset);
            for (int k = 0; k < 3; ++k)
                d += pow(f.qx[q * 3 + k] - f.x[hit->j * 3 + k] - offset[k], 2.0);
            CHECK_CLOSE(sqrt(d) - f.qr[q] - f.r[hit->j], hit->value, 1e-12);
        }
    scree_hits_free(&hits);
    scree_bvh_destroy(bvh);
}

// Pairs of a set with itself are those of the index, both ways round.
static void pairs_are_those_of_the_index(void** state)
{
    (void)state;
    enum { n = 3000 };
    static double x[n * 3], r[n];
    scree_rng rng = scree_rng_make(73, 0);
    scree_index_def def = scree_default_index_def();
    scree_bvh_def tree = scree_default_bvh_def();
    def.box = scree_box_sized(3, (double[3]){20.0, 20.0, 20.0});
    def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
    def.gap = 0.02;
    tree.box = &def.box;
    for (int i = 0; i < n; ++i) {
        r[i] = i < 5 ? 4.0 : 0.1 + 0.4 * scree_rng_uniform(&rng);
        for (int k = 0; k < 3; ++k)
            x[i * 3 + k] = 20.0 * scree_rng_uniform(&rng);
    }
    scree_spheres spheres = {.count = n, .dim = 3, .x = x, .r = r};
    scree_index* index;
    scree_pairs pairs;
    scree_bvh* bvh;
    scree_hits hits;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, spheres));
    CHECK_OK(scree_index_pairs(index, &pairs));
    CHECK_OK(scree_bvh_create(&tree, scree_points_of(spheres), &bvh));
    CHECK_OK(scree_bvh_within(bvh, scree_points_of(spheres), def.gap, &hits));
    assert_int_equal(hits.queries, n);
    assert_true(pairs.count > n / 4);
    assert_int_equal(hits.first[n], 2 * pairs.count + n);  // and each with itself
    assert_true(scree_bvh_get_bytes(bvh) < 100 * n);
    scree_hits_free(&hits);
    scree_bvh_destroy(bvh);
    scree_index_destroy(index);
}

typedef struct tally {
    _Atomic int64_t hits;
    int64_t most;
    int64_t* of;  // by query, each of one thread at a time
} tally;

static bool count_hit(void* context, int64_t query, const scree_hit* hit)
{
    tally* t = context;
    assert_true(hit->j >= 0);
    ++t->hits;
    return ++t->of[query] < t->most;
}

typedef struct seen {
    const scree_found_pairs* list;
    int64_t count, most;
    bool same;
} seen;

static bool look_at_pair(void* context, int32_t i, int32_t j, const int8_t* shift)
{
    seen* s = context;
    const scree_found_pairs* list = s->list;
    s->same = s->same && s->count < list->count && list->ij[s->count][0] == i && list->ij[s->count][1] == j && (shift == NULL) == (list->shift == NULL) &&
              (shift == NULL || memcmp(shift, list->shift[s->count], 3) == 0);
    return ++s->count < s->most;
}

// scree_find_pairs: every pair of spheres and images that the predicate takes, but for those without a common bit, in float and double, and the same by visits.
static void all_pairs_in_one_call(void** state)
{
    (void)state;
    static field f;
    for (int round = 0; round < (int)(40 * test_effort()) + 1; ++round) {
        scree_rng rng = scree_rng_make(76, (uint64_t)round);
        make_field(&rng, &f);
        scree_index_def def = scree_default_index_def();
        scree_found_pairs list;
        def.box = f.box;
        def.gap = scree_rng_below(&rng, 2) == 0 ? 0.0 : 0.2;
        def.sorted = true;
        CHECK_OK(scree_find_pairs(&def, spheres_of(&f), &list));
        assert_true((list.shift != NULL) == scree_box_is_periodic(&f.box));
        scree_index* index;
        scree_pairs pairs;
        int64_t found = 0;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = f.n, .dim = f.dim, .x = f.x, .r = f.r}));
        CHECK_OK(scree_index_pairs(index, &pairs));
        for (int64_t p = 0; p < pairs.count; ++p) {
            const int32_t* ij = pairs.ij[p];
            if (f.masked && (f.mask[ij[0]] & f.mask[ij[1]]) == 0)
                continue;
            assert_true(found < list.count && list.ij[found][0] == ij[0] && list.ij[found][1] == ij[1]);
            assert_true(pairs.shift == NULL || memcmp(pairs.shift[p], list.shift[found], 3) == 0);
            ++found;
        }
        assert_int_equal(found, list.count);
        // Both directions: every pair and its mirror image, in order.
        scree_found_pairs full;
        CHECK_OK(scree_full_pairs(f.n, pairs, &full));
        assert_int_equal(full.count, 2 * pairs.count);
        for (int64_t p = 0; p < full.count; ++p) {
            const int32_t i = full.ij[p][0], j = full.ij[p][1];
            const int8_t none[3] = {0, 0, 0}, *s = full.shift != NULL ? full.shift[p] : none;
            if (p > 0) {
                const int32_t* b = full.ij[p - 1];
                const int8_t* t = full.shift != NULL ? full.shift[p - 1] : none;
                const int less[5] = {b[0] - i, b[1] - j, t[0] - s[0], t[1] - s[1], t[2] - s[2]};
                int e = 0;
                while (e < 4 && less[e] == 0)
                    ++e;
                assert_true(less[e] < 0);
            }
            bool there = false;
            for (int64_t o = 0; o < pairs.count && !there; ++o) {
                const int8_t* t = pairs.shift != NULL ? pairs.shift[o] : none;
                there = (pairs.ij[o][0] == i && pairs.ij[o][1] == j && memcmp(s, t, 3) == 0) ||
                        (pairs.ij[o][0] == j && pairs.ij[o][1] == i && s[0] == -t[0] && s[1] == -t[1] && s[2] == -t[2]);
            }
            assert_true(there);
        }
        scree_found_pairs_free(&full);
        scree_index_destroy(index);
        seen all = {.list = &list, .most = INT64_MAX, .same = true}, some = {.list = &list, .most = 2, .same = true};
        CHECK_OK(scree_visit_pairs(&def, spheres_of(&f), look_at_pair, &all));
        CHECK_OK(scree_visit_pairs(&def, spheres_of(&f), look_at_pair, &some));
        assert_true(all.same && some.same && all.count == list.count && some.count == (list.count < 2 ? list.count : 2));
        scree_found_pairs_free(&list);
    }
    // Without a def: open space. Without radii: points, which touch nothing.
    const double x[] = {0.0, 0.0, 1.5, 0.0, 5.0, 0.0}, r[] = {1.0, 1.0, 1.0};
    scree_points three = {.count = 3, .dim = 2, .type = SCREE_TYPE_FLOAT64, .x = x, .r = r};
    scree_found_pairs list;
    CHECK_OK(scree_find_pairs(NULL, three, &list));
    assert_true(list.count == 1 && list.ij[0][0] == 0 && list.ij[0][1] == 1 && list.shift == NULL);
    scree_found_pairs_free(&list);
    three.r = NULL;
    CHECK_OK(scree_find_pairs(NULL, three, &list));
    assert_int_equal(list.count, 0);
    scree_found_pairs_free(&list);
    const int32_t few[][2] = {{0, 2}, {0, 1}};
    CHECK_FAILS(scree_full_pairs(3, (scree_pairs){.count = 2, .ij = few}, &list), SCREE_ERR_ARGUMENT, "pair 1 | (0, 1) | (0, 2) | sorted");
    CHECK_FAILS(scree_full_pairs(2, (scree_pairs){.count = 1, .ij = few}, &list), SCREE_ERR_ARGUMENT, "pair 0 | (0, 2) | 2");
    const int8_t shift[][3] = {{127, -127, 0}, {0, 0, -128}};
    CHECK_FAILS(scree_full_pairs(3, (scree_pairs){.count = 2, .ij = (const int32_t[][2]){{0, 1}, {0, 2}}, .shift = shift}, &list), SCREE_ERR_ARGUMENT, "pair 1 | -128 | axis 2");
    assert_null(list.ij);
    three.dim = 4;
    CHECK_FAILS(scree_find_pairs(NULL, three, &list), SCREE_ERR_ARGUMENT, "4");
    three.dim = 2;
    three.type = SCREE_TYPE_INT32;
    CHECK_FAILS(scree_find_pairs(NULL, three, &list), SCREE_ERR_ARGUMENT, "type");
}

static void any_number_of_threads(void** state)
{
    (void)state;
    enum { n = 5000 };
    static double x[n * 2], r[n];
    static int64_t of[n];
    scree_rng rng = scree_rng_make(74, 0);
    for (int i = 0; i < n; ++i) {
        r[i] = 0.2 + scree_rng_uniform(&rng);
        x[2 * i] = 100.0 * scree_rng_uniform(&rng);
        x[2 * i + 1] = 100.0 * scree_rng_uniform(&rng);
    }
    scree_points points = scree_points_of((scree_spheres){.count = n, .dim = 2, .x = x, .r = r});
    scree_hits hits[3];
    for (int t = 0; t < 3; ++t) {
        scree_bvh_def def = scree_default_bvh_def();
        scree_bvh* bvh;
        scree_box box = scree_box_open(2);
        def.box = &box;
        def.threads = 1 << t;
        CHECK_OK(scree_bvh_create(&def, points, &bvh));
        CHECK_OK(scree_bvh_nearest(bvh, points, 7, INFINITY, &hits[t]));
        memset(of, 0, sizeof of);
        tally counted = {.most = INT64_MAX, .of = of};
        scree_hits within;
        CHECK_OK(scree_bvh_within(bvh, points, 0.0, &within));
        CHECK_OK(scree_bvh_visit_within(bvh, points, 0.0, count_hit, &counted));
        assert_int_equal(counted.hits, within.first[n]);
        memset(of, 0, sizeof of);
        counted = (tally){.most = 1, .of = of};  // one is enough
        CHECK_OK(scree_bvh_visit_within(bvh, points, 0.0, count_hit, &counted));
        assert_int_equal(counted.hits, n);
        scree_hits_free(&within);
        scree_bvh_destroy(bvh);
        assert_int_equal(hits[t].first[n], 7 * n);
        assert_memory_equal(hits[t].hit, hits[0].hit, 7 * n * sizeof(scree_hit));
    }
    for (int t = 0; t < 3; ++t)
        scree_hits_free(&hits[t]);
}

static void what_is_refused(void** state)
{
    (void)state;
    double x[6] = {0.5, 0.5, 0.5, 0.2, 0.2, 0.2}, r[2] = {0.1, 0.1}, zero[3] = {0.0, 0.0, 0.0}, nothing[3] = {0.0, 0.0, NAN};
    scree_box box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0});
    box.periodic[0] = true;
    scree_bvh_def def = scree_default_bvh_def();
    def.box = &box;
    scree_points points = scree_points_of((scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}), wrong = points;
    scree_bvh* bvh;
    scree_hits hits;
    scree_found_pairs pairs;
    r[1] = 0.6;  // they touch
    CHECK_OK(scree_bvh_create(NULL, points, &bvh));  // as scree_find_pairs has it: the defaults, in open space
    CHECK_OK(scree_bvh_within(bvh, points, 0.0, &hits));
    CHECK_OK(scree_find_pairs(NULL, points, &pairs));
    assert_int_equal(hits.first[2], 2 + 2 * pairs.count);
    scree_hits_free(&hits);
    scree_found_pairs_free(&pairs);
    scree_bvh_destroy(bvh);
    r[1] = 0.1;
    wrong.type = SCREE_TYPE_INT32;
    CHECK_FAILS(scree_bvh_create(&def, wrong, &bvh), SCREE_ERR_ARGUMENT, "spheres | type");
    wrong = points;
    wrong.dim = 2;
    CHECK_FAILS(scree_bvh_create(&def, wrong, &bvh), SCREE_ERR_ARGUMENT, "spheres | 2 | 3");
    r[1] = -1.0;
    CHECK_FAILS(scree_bvh_create(&def, points, &bvh), SCREE_ERR_ARGUMENT, "sphere 1 | -1");
    assert_null(bvh);
    r[1] = 0.1;
    x[3] = 1e12;
    CHECK_FAILS(scree_bvh_create(&def, points, &bvh), SCREE_ERR_ARGUMENT, "sphere 1 | boxes");
    x[3] = 0.2;
    CHECK_OK(scree_bvh_create(&def, points, &bvh));
    CHECK_FAILS(scree_bvh_within(bvh, points, NAN, &hits), SCREE_ERR_ARGUMENT, "gap");
    assert_null(hits.first);
    CHECK_FAILS(scree_bvh_nearest(bvh, points, 0, 1.0, &hits), SCREE_ERR_ARGUMENT, "k | 0");
    CHECK_FAILS(scree_bvh_nearest(bvh, points, 1, NAN, &hits), SCREE_ERR_ARGUMENT, "nearest");
    CHECK_FAILS(scree_bvh_within(bvh, points, 1e7, &hits), SCREE_ERR_ARGUMENT, "images");
    CHECK_FAILS(scree_bvh_boxes(bvh, 1, x, zero, NULL, &hits), SCREE_ERR_ARGUMENT, "query 0 | lower[0] | 0.5");
    CHECK_FAILS(scree_bvh_rays(bvh, 1, x, zero, 1.0, false, NULL, &hits), SCREE_ERR_ARGUMENT, "query 0 | direction");
    CHECK_FAILS(scree_bvh_rays(bvh, 1, x, x, INFINITY, false, NULL, &hits), SCREE_ERR_ARGUMENT, "finite");
    CHECK_FAILS(scree_bvh_rays(bvh, 1, nothing, x, 1.0, false, NULL, &hits), SCREE_ERR_ARGUMENT, "query 0 | origin[2]");
    // Queries are counted in boxes as spheres are; many of them are sorted first.
    static double far[200][3];
    for (int32_t q = 0; q < 200; ++q)
        far[q][0] = q == 7 ? 3e9 : 1e7;
    wrong = (scree_points){.count = 200, .dim = 3, .type = SCREE_TYPE_FLOAT64, .x = far};
    CHECK_FAILS(scree_bvh_nearest(bvh, wrong, 1, INFINITY, &hits), SCREE_ERR_ARGUMENT, "queries: sphere 7 | 3e+09 boxes | axis 0 | 1e+08");
    wrong.count = 8;
    CHECK_FAILS(scree_bvh_within(bvh, wrong, 0.1, &hits), SCREE_ERR_ARGUMENT, "queries: sphere 7 | 3e+09 boxes | axis 0 | 1e+08");
    // Spheres that would have to be far inside of others: none.
    CHECK_OK(scree_bvh_within(bvh, points, -1e10, &hits));
    assert_int_equal(hits.first[2], 0);
    scree_hits_free(&hits);
    CHECK_OK(scree_bvh_nearest(bvh, points, 1, -INFINITY, &hits));
    assert_int_equal(hits.first[2], 0);
    scree_hits_free(&hits);
    // More neighbours than spheres: images; and without spheres there are none.
    CHECK_OK(scree_bvh_nearest(bvh, points, 9, INFINITY, &hits));
    assert_int_equal(hits.first[2], 18);
    scree_hits_free(&hits);
    scree_bvh_destroy(bvh);
    points.count = 0;
    CHECK_OK(scree_bvh_create(&def, points, &bvh));
    points.count = 2;
    CHECK_OK(scree_bvh_nearest(bvh, points, 9, INFINITY, &hits));
    assert_int_equal(hits.first[2], 0);
    scree_hits_free(&hits);
    scree_bvh_destroy(bvh);
}

// t is the distance over the length of the direction, whatever the unit of either; a ray beside the sphere misses it.
static void rays_of_any_length(void** state)
{
    (void)state;
    for (int size = -420; size <= 420; size += 60) {
        const double x[2] = {ldexp(1.0, size), ldexp(0.0625, size)}, r = ldexp(0.125, size);
        scree_bvh* bvh;
        CHECK_OK(scree_bvh_create(NULL, (scree_points){.count = 1, .dim = 2, .type = SCREE_TYPE_FLOAT64, .x = x, .r = &r}, &bvh));
        for (int length = -460; length <= 460; length += 46) {
            const double origin[6] = {0.0}, direction[6] = {ldexp(1.0, length), 0.0, ldexp(1.0, length), ldexp(0.25, length), ldexp(-1.0, length), 0.0};
            const double t = ldexp(1.0 - sqrt(3.0) / 16.0, size - length);
            scree_hits hits;
            CHECK_OK(scree_bvh_rays(bvh, 3, origin, direction, INFINITY, true, NULL, &hits));
            assert_true(hits.first[1] == 1 && hits.first[3] == 1);
            CHECK_CLOSE(hits.hit[0].value / t, 1.0, 1e-15);
            scree_hits_free(&hits);
            CHECK_OK(scree_bvh_rays(bvh, 1, origin, direction, 0.99 * t, true, NULL, &hits));
            assert_int_equal(hits.first[1], 0);
            scree_hits_free(&hits);
            CHECK_OK(scree_bvh_rays(bvh, 1, origin, direction, 1.01 * t, false, NULL, &hits));
            assert_int_equal(hits.first[1], 1);
            scree_hits_free(&hits);
        }
        scree_bvh_destroy(bvh);
    }
}

static void no_memory(void** state)
{
    (void)state;
    static field f;
    scree_rng rng = scree_rng_make(75, 0);
    do
        make_field(&rng, &f);
    while (f.n < 100 || !f.masked || !f.box.periodic[0]);
    scree_bvh_def def = scree_default_bvh_def();
    scree_bvh* bvh = NULL;
    scree_hits hits;
    def.box = &f.box;
    def.threads = 1;
    EACH_ALLOCATION_FAILS(scree_bvh_create(&def, spheres_of(&f), &bvh), assert_null(bvh));
    EACH_ALLOCATION_FAILS(scree_bvh_within(bvh, queries_of(&f), 0.3, &hits), assert_null(hits.first));
    scree_hits_free(&hits);
    EACH_ALLOCATION_FAILS(scree_bvh_nearest(bvh, queries_of(&f), 6, INFINITY, &hits), assert_null(hits.hit));
    scree_hits_free(&hits);
    EACH_ALLOCATION_FAILS(scree_bvh_nearest_spheres(bvh, queries_of(&f), 6, INFINITY, &hits), assert_null(hits.hit));
    scree_hits_free(&hits);
    int64_t counts[queries_most];
    EACH_ALLOCATION_FAILS(scree_bvh_count_within(bvh, queries_of(&f), 0.3, true, counts), (void)0);
    scree_bvh_destroy(bvh);
    scree_found_pairs list;
    scree_index_def pairs = scree_default_index_def();
    pairs.box = f.box;
    pairs.threads = 1;
    EACH_ALLOCATION_FAILS(scree_find_pairs(&pairs, spheres_of(&f), &list), assert_null(list.ij));
    scree_found_pairs full;
    EACH_ALLOCATION_FAILS(scree_full_pairs(f.n, (scree_pairs){.count = 0}, &full), assert_null(full.ij));
    scree_found_pairs_free(&full);
    scree_found_pairs_free(&list);
}

static const test_case cases[] = {
    PROPERTY(answers_are_those_of_plain_loops),
    PROPERTY(many_queries),
    UNIT(nearest_spheres_of_a_long_box),
    UNIT(shifts_are_about_centres_as_given),
    UNIT(pairs_are_those_of_the_index),
    PROPERTY(all_pairs_in_one_call),
    UNIT(rays_of_any_length),
    UNIT(what_is_refused),
    THREADS(any_number_of_threads),
    ALLOCATION(no_memory),
};

const test_group group_query = {.name = "query", .cases = cases, .count = sizeof cases / sizeof *cases};
