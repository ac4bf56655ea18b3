// Sequential deposition: no overlap and every sphere stable, both found again from the centres by looking at all pairs; known figures.
#include "support.h"

#include "scree/pack.h"
#include "scree/sizes.h"

static const double pi = 3.14159265358979323846;

// ---- A judge that knows nothing of heaps ---------------------------------------------------------------------------

static double dot3(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool solve(const double* a, const double* b, const double* c, const double* e, double w[3])
{
    double det = a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
    if (fabs(det) < 1e-12)
        return false;
    w[0] = (e[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (e[1] * c[2] - e[2] * c[1]) + c[0] * (e[1] * b[2] - e[2] * b[1])) / det;
    w[1] = (a[0] * (e[1] * c[2] - e[2] * c[1]) - e[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * e[2] - a[2] * e[1])) / det;
    w[2] = (a[0] * (b[1] * e[2] - b[2] * e[1]) - b[0] * (a[1] * e[2] - a[2] * e[1]) + e[0] * (a[1] * b[2] - a[2] * b[1])) / det;
    return true;
}

// Whether e is a sum of the normals with weights >= 0, to `slack`. In 2D depth, both ways, is one of them.
static bool holds(double (*n)[3], int count, int dim, const double* e, double slack)
{
    double all[80][3];
    int total = 0;
    for (int k = 0; k < count; ++k)
        memcpy(all[total++], n[k], sizeof *all);
    for (int k = 0; k < total; ++k)  // one alone
        if (dot3(all[k], e) > 1.0 - slack * slack)
            return true;
    if (dim == 2) {
        memcpy(all[total++], (double[3]){0.0, 0.0, 1.0}, sizeof *all);
        for (int a = 0; a < count; ++a)
            for (int b = 0; b < a; ++b) {
                double w[3];
                if (solve(all[a], all[b], all[total - 1], e, w) && w[0] >= -slack && w[1] >= -slack)
                    return true;
            }
        return false;
    }
    for (int a = 0; a < total; ++a)
        for (int b = 0; b < a; ++b) {
            double m[3] = {all[a][1] * all[b][2] - all[a][2] * all[b][1], all[a][2] * all[b][0] - all[a][0] * all[b][2],
                           all[a][0] * all[b][1] - all[a][1] * all[b][0]}, w[3];
            if (solve(all[a], all[b], m, e, w) && fabs(w[2]) <= slack && w[0] >= -slack && w[1] >= -slack)
                return true;
            for (int c = 0; c < b; ++c)
                if (solve(all[a], all[b], all[c], e, w) && w[0] >= -slack && w[1] >= -slack && w[2] >= -slack)
                    return true;
        }
    return false;
}

typedef struct verdict {
    int overlaps, outside, unstable;
} verdict;

// Sphere i lies on those before it and on walls.
static verdict judge(const scree_drop_def* def, const double* r, const scree_packing* pk)
{
    verdict v = {0, 0, 0};
    int dim = pk->box.dim;
    scree_spheres all = {.count = pk->count, .dim = dim, .x = pk->x, .r = r};
    scree_container c = {.kind = def->container, .box = pk->box};
    CHECK_OK(scree_container_check(&c));
    for (int32_t i = 0; i < pk->count; ++i) {
        double n[64][3] = {{0}};
        int count = 0;
        const double *x = pk->x + (int64_t)i * dim;
        v.outside += scree_container_depth(&c, x, r[i]) > 0.0;
        for (int k = 0; k < dim; ++k)
            assert_true(!pk->box.periodic[k] || (x[k] >= pk->box.lower[k] && x[k] < pk->box.upper[k]));
        for (int32_t j = 0; j <= i; ++j)
            for (int sx = pk->box.periodic[0] ? -1 : 0; sx <= (pk->box.periodic[0] ? 1 : 0); ++sx)
                for (int sy = pk->box.periodic[1] ? -1 : 0; sy <= (pk->box.periodic[1] ? 1 : 0); ++sy) {
                    if (i == j && sx == 0 && sy == 0)
                        continue;
                    int8_t shift[3] = {(int8_t)sx, (int8_t)sy, 0};
                    double gap = scree_pair_gap(&pk->box, all, i, j, shift);
                    v.overlaps += gap < 0.0;
                    if (gap > 1e-8 * r[i] || i == j || count >= 60)
                        continue;
                    for (int k = 0; k < dim; ++k)
                        n[count][k] = (x[k] - (pk->x[(int64_t)j * dim + k] + shift[k] * (pk->box.upper[k] - pk->box.lower[k]))) / (r[i] + r[j]);
                    ++count;
                }
        scree_wall walls[SCREE_WALLS_MAX];
        int32_t near = def->centre ? 0 : scree_container_walls(&c, x, r[i], 1e-8 * r[i], walls);
        for (int32_t w = 0; w < near; ++w)
            if (walls[w].normal[dim - 1] >= 0.0 || c.kind == SCREE_CONTAINER_SPHERE)  // not the top, which follows from the spheres
                memcpy(n[count++], walls[w].normal, sizeof *n);
        double e[3] = {0.0, 0.0, 0.0};
        e[dim - 1] = 1.0;
        double far = 0.0;
        for (int k = 0; k < dim && def->centre; ++k)
            far += x[k] * x[k];
        for (int k = 0; k < dim && def->centre && far > 0.0; ++k)
            e[k] = x[k] / sqrt(far);
        if (def->centre && i == 0)
            continue;
        if (!holds(n, count, dim, e, 1e-5))
            ++v.unstable;
    }
    return v;
}

static void shuffle(double* r, int32_t n, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 99);
    for (int32_t i = n - 1; i > 0; --i) {
        int32_t j = (int32_t)scree_rng_below(&rng, (uint64_t)i + 1);
        double t = r[i];
        r[i] = r[j];
        r[j] = t;
    }
}

static double* draw(const char* law, int dim, int32_t n, uint64_t seed)
{
    double* r = malloc((size_t)n * sizeof *r);
    scree_sizes* sizes;
    CHECK_OK(scree_sizes_parse(law, dim, &sizes));
    CHECK_OK(scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, seed, n, r));
    scree_sizes_free(sizes);
    shuffle(r, n, seed);
    return r;
}

static void check_heap(const scree_drop_def* def, const char* law, int32_t n, const char* what)
{
    double* r = draw(law, def->box.dim, n, def->seed);
    scree_packing pk;
    CHECK_OK(scree_pack_drop(def, n, r, &pk));
    verdict v = judge(def, r, &pk);
    if (v.overlaps > 0 || v.outside > 0 || v.unstable > 0)
        fail_msg("%s, %s, %d spheres, seed %d: %d overlaps, %d outside, %d unstable", what, law, (int)n, (int)def->seed, v.overlaps, v.outside,
                 v.unstable);
    if (def->container != SCREE_CONTAINER_SPHERE)
        assert_int_equal(pk.count, n);
    scree_packing_free(&pk);
    free(r);
}

static void heaps_are_valid_and_stable(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:0.5", "uniform-size:0.2:1", "uniform-volume:0.05:1", "bidisperse:5", "fuller:0.1:2"};
    int seeds = (int)ceil(2.0 * test_effort());
    for (int seed = 1; seed <= seeds; ++seed)
        for (int l = 0; l < 5; ++l)
            for (int kind = 0; kind < 11; ++kind) {
                scree_drop_def def = scree_default_drop_def();
                int dim = kind < 6 || kind == 10 ? 3 : 2;
                def.seed = (uint64_t)(seed * 100 + kind);
                double side = l == 3 ? 12.0 : 6.0;
                def.box = scree_box_sized(dim, (double[]){side, side, side});
                for (int k = 0; k < dim; ++k) {  // off the origin
                    def.box.lower[k] += 0.7;
                    def.box.upper[k] += 0.7;
                }
                def.box.periodic[0] = kind == 1 || kind == 2 || kind == 7;
                def.box.periodic[1] = kind == 1;
                def.container = kind == 3 ? SCREE_CONTAINER_CYLINDER : kind == 4 || kind == 8 ? SCREE_CONTAINER_SPHERE : SCREE_CONTAINER_BOX;
                def.centre = kind == 5 || kind == 9;
                def.lowest = kind == 10 ? 3 : 1;
                static const char* const names[] = {"walls", "periodic", "mixed", "cylinder", "sphere", "centre", "2D walls", "2D periodic",
                                                    "2D circle", "2D centre", "lowest of 3"};
                check_heap(&def, laws[l], 300, names[kind]);
            }
}

int main(void)
{
    (void)pi;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_are_valid_and_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
