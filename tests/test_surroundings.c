// What lies around a sphere in each structure, against a plain recount from the rules alone: cells and nodes are made again here, in doubles, from
// centres and radii. Searches are a little generous at borders (1e-5 of a side), so the answer is asked to be between two recounts.
#include "support.h"

#include "scree/index.h"

enum { most_depth = 12 };

typedef struct box_of {
    int dim;
    double side;  // a cube from 0
    bool periodic;
} box_of;

typedef struct home {
    int level;
    int64_t cell[3];
} home;

// The deepest cell that holds the sphere whole; the faces of the cube cut nothing.
static home strict_home(const box_of* box, const double* x, double r)
{
    home h = {0};
    for (int level = 1; level <= most_depth; ++level) {
        double side = box->side / pow(2.0, level);
        int64_t cell[3] = {0};
        for (int k = 0; k < box->dim; ++k) {
            double low = fmin(fmax(x[k] - r, 0.0), box->side), high = fmin(fmax(x[k] + r, 0.0), box->side * (1.0 - 1e-15));
            cell[k] = (int64_t)floor(low / side);
            if ((int64_t)floor(high / side) != cell[k])
                return h;
        }
        h.level = level;
        memcpy(h.cell, cell, sizeof cell);
    }
    return h;
}

// floor(log2(side/d)), and one level deeper where it fits.
static home loose_home(const box_of* box, const double* x, double r)
{
    home h = {.level = (int)floor(log2(box->side / (2.0 * r)))};
    h.level = h.level < 0 ? 0 : h.level;
    double side = box->side / pow(2.0, h.level + 1);
    bool fits = true;
    for (int k = 0; k < box->dim; ++k) {
        double centre = (floor(fmin(x[k], box->side * (1.0 - 1e-15)) / side) + 0.5) * side;
        fits = fits && fabs(x[k] - centre) + r <= side;
    }
    h.level += fits;
    for (int k = 0; k < box->dim; ++k)
        h.cell[k] = (int64_t)floor(fmin(x[k], box->side * (1.0 - 1e-15)) / (box->side / pow(2.0, h.level)));
    return h;
}

// Whether the ball meets the outer box of a node, any image counted; in the strict octree only images that enter the box.
static bool meets(const box_of* box, const double* x, double reach, const home* h, bool loose)
{
    if (h->level == 0)
        return true;
    double side = box->side / pow(2.0, h->level), out = loose ? 0.5 * side : 0.0;
    int most = box->periodic ? 1 : 0;
    for (int sz = -most; sz <= most; ++sz)
        for (int sy = -most; sy <= most; ++sy)
            for (int sx = -most; sx <= most; ++sx) {
                double square = 0.0, shift[3] = {sx, sy, sz};
                bool enters = box->dim == 3 || sz == 0;
                for (int k = 0; k < box->dim; ++k) {
                    double at = x[k] + shift[k] * box->side;
                    enters = enters && (!box->periodic || loose || (at + reach >= 0.0 && at - reach <= box->side));
                    if (!loose)
                        at = fmin(fmax(at, 0.0), box->side);  // at the faces a node has no end
                    double low = (double)h->cell[k] * side - out, high = (double)(h->cell[k] + 1) * side + out;
                    square += pow(fmax(fmax(low - at, at - high), 0.0), 2);
                }
                if (enters && square <= reach * reach)
                    return true;
            }
    return false;
}

// A periodic cube of whole cells: the block around the own cell, each cell once.
static bool in_block(const box_of* box, const double* x, const double* y, double reach)
{
    double n = floor(box->side / reach);
    for (int k = 0; k < box->dim; ++k) {
        double apart = fabs(floor(x[k] / box->side * n) - floor(y[k] / box->side * n));
        if (box->periodic)
            apart = fmin(apart, n - apart);
        if (apart > 1.0)
            return false;
    }
    return true;
}

static int64_t recount(const box_of* box, int32_t method, int32_t n, const double* x, const double* r, double gap, double widen, int32_t i, int* level)
{
    bool loose = method == SCREE_METHOD_LOOSE_OCTREE;
    double largest = 0.0;
    for (int32_t j = 0; j < n; ++j)
        largest = fmax(largest, r[j]);
    int64_t count = 0;
    for (int32_t j = 0; j < n; ++j) {
        const double* y = x + (int64_t)j * box->dim;
        home h = loose ? loose_home(box, y, r[j]) : strict_home(box, y, r[j]);
        if (j == i)
            *level = method == SCREE_METHOD_LINKED_CELLS ? 0 : h.level;
        else if (method == SCREE_METHOD_LINKED_CELLS)
            count += in_block(box, x + (int64_t)i * box->dim, y, 2.0 * largest + gap);
        else
            count += meets(box, x + (int64_t)i * box->dim, (r[i] + gap) * (1.0 + widen) + widen * box->side / pow(2.0, h.level), &h, loose);
    }
    return count;
}

static void they_agree_with_a_recount(void** state)
{
    (void)state;
    static const int32_t methods[] = {SCREE_METHOD_OCTREE, SCREE_METHOD_LOOSE_OCTREE, SCREE_METHOD_LINKED_CELLS};
    scree_rng rng = scree_rng_make(3, 0);
    int rounds = (int)(12 * test_effort());
    for (int round = 0; round < rounds; ++round) {
        box_of box = {.dim = round % 3 == 2 ? 2 : 3, .side = 7.3, .periodic = round % 2 == 0};
        enum { n = 200 };
        double x[3 * n], r[n], gap = round % 4 < 2 ? 0.0 : 0.11;
        for (int i = 0; i < n; ++i) {
            r[i] = 0.05 * exp((round < 6 ? 0.0 : 3.0) * pow(scree_rng_uniform(&rng), 4.0));
            for (int k = 0; k < box.dim; ++k)
                x[i * box.dim + k] = box.side * scree_rng_uniform(&rng);
        }
        // The corners, so that without a periodic box the tree has the same root and the grid begins at 0.
        for (int k = 0; k < box.dim && !box.periodic; ++k) {
            x[k] = 0.0;
            x[box.dim + k] = box.side;
        }
        for (int m = 0; m < 3; ++m) {
            if (methods[m] == SCREE_METHOD_LINKED_CELLS && !box.periodic)
                continue;  // where cells end at a wall is the grid's own affair
            scree_index_def def = scree_default_index_def();
            def.method = methods[m];
            def.box = scree_box_sized(box.dim, (double[3]){box.side, box.side, box.side});
            for (int k = 0; k < box.dim; ++k)
                def.box.periodic[k] = box.periodic;
            def.gap = gap;
            def.skin = -1.0;
            double largest = 0.0;
            for (int i = 0; i < n; ++i)
                largest = fmax(largest, r[i]);
            if (methods[m] == SCREE_METHOD_LINKED_CELLS)
                def.cell_size = 2.0 * largest + gap;
            scree_index* index;
            CHECK_OK(scree_index_create(&def, &index));
            CHECK_OK(scree_index_update(index, (scree_spheres){.count = n, .dim = box.dim, .x = x, .r = r}));
            for (int32_t i = 2; i < n; ++i) {
                scree_surroundings around;
                int level = 0;
                int64_t least = recount(&box, methods[m], n, x, r, gap, 0.0, i, &level), most = recount(&box, methods[m], n, x, r, gap, 3e-5, i, &level);
                CHECK_OK(scree_index_surroundings(index, i, &around));
                if (around.spheres < least || around.spheres > most || around.level != level)
                    fail_msg("%s, round %d, sphere %d: %lld spheres on level %d; recounted %lld to %lld, level %d",
                             scree_method_name((scree_method)methods[m]), round, i, (long long)around.spheres, around.level, (long long)least,
                             (long long)most, level);
                assert_true(around.cells > 0 && around.cells <= 2 * n + 1);
            }
            scree_index_destroy(index);
        }
    }
}

// The hierarchical grid: whatever overlaps is stored where one looks, and a grid of one level looks no farther than its cells.
static void the_hierarchical_grid_holds_all_contacts(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(4, 0);
    enum { n = 400 };
    double x[3 * n], r[n];
    for (int i = 0; i < n; ++i) {
        r[i] = 0.1 * exp(2.5 * scree_rng_uniform(&rng));
        for (int k = 0; k < 3; ++k)
            x[3 * i + k] = 10.0 * scree_rng_uniform(&rng);
    }
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    def.box = scree_box_sized(3, (double[3]){10.0, 10.0, 10.0});
    def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
    def.skin = -1.0;
    scree_index* index;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = n, .dim = 3, .x = x, .r = r}));
    int64_t seen = 0;
    for (int32_t i = 0; i < n; ++i) {
        scree_surroundings around;
        scree_neighbours near;
        CHECK_OK(scree_index_neighbours(index, i, &near));
        bool partner[n] = {false};
        int64_t partners = 0;
        for (int64_t q = 0; q < near.count; ++q)
            if (near.j[q] != i && !partner[near.j[q]]) {
                partner[near.j[q]] = true;
                ++partners;
            }
        CHECK_OK(scree_index_surroundings(index, i, &around));
        assert_true(around.spheres >= partners && around.spheres < n && around.level >= 0);
        seen += around.spheres;
    }
    assert_true(seen < (int64_t)n * (n - 1) / 2);
    scree_index_destroy(index);
}

static void errors_name_what_is_wrong(void** state)
{
    (void)state;
    double x[6] = {0.0, 0.0, 0.0, 3.0, 0.0, 0.0}, r[2] = {1.0, 1.0};
    scree_surroundings around;
    static const int32_t without[] = {SCREE_METHOD_ALL_PAIRS, SCREE_METHOD_LINEAR_LIST};
    for (int m = 0; m < 2; ++m) {
        scree_index_def def = scree_default_index_def();
        def.method = without[m];
        def.skin = -1.0;
        scree_index* index;
        CHECK_OK(scree_index_create(&def, &index));
        CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}));
        CHECK_FAILS(scree_index_surroundings(index, 0, &around), SCREE_ERR_UNSUPPORTED);
        CHECK_FAILS(scree_index_surroundings(index, 2, &around), SCREE_ERR_ARGUMENT, "sphere 2");
        scree_index_destroy(index);
    }
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_LOOSE_OCTREE;
    def.skin = 0.5;
    scree_index* index;
    CHECK_OK(scree_index_create(&def, &index));
    CHECK_OK(scree_index_update(index, (scree_spheres){.count = 2, .dim = 3, .x = x, .r = r}));
    CHECK_FAILS(scree_index_surroundings(index, 0, &around), SCREE_ERR_ARGUMENT, "skin");
    scree_index_destroy(index);
}

static const test_case cases[] = {
    PROPERTY(they_agree_with_a_recount),
    UNIT(the_hierarchical_grid_holds_all_contacts),
    UNIT(errors_name_what_is_wrong),
};

const test_group group_surroundings = {.name = "surroundings", .cases = cases, .count = sizeof cases / sizeof *cases};
