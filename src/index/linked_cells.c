// linked-cells: one grid whose cells are at least as long as the longest reach, so that partners sit in the same cell or
// in one next to it.
//
//        +---+---+---+      Each pair of cells is looked at once: a cell takes its own spheres among themselves and
//        | x | x | x |      those of the cells marked x, half of its neighbours: with its own, (3^d + 1)/2 cells.
//        +---+---+---+
//        |   | o | x |      Spheres are kept as copies in the order of their cells, so that a cell is a stretch of
//        +---+---+---+      memory and not a list of links.
//        |   |   |   |
//        +---+---+---+
//
// Periodic axes: neighbours are counted on the endless line of cells and folded back; what the folding skipped is the
// shift of the image. So an axis of one or two cells needs no special case: the same cell comes up again with another
// shift, which is another image. Where even one cell is shorter than the reach (a gap of the order of the box), more
// than one layer of neighbours is taken.
//
// Cost: build O(n), search n times (3^d/2) spheres per cell. Memory O(n): there are never more cells than spheres, the
// cells just become longer than they need to be. The wrong choice when sizes differ much: cells as long as the largest
// sphere hold (r_max/r_min)^d small ones, all tested against each other.
// B. Muth, M.-K. Mueller, P. Eberhard, S. Luding, "Contacts between many bodies", section 2.
#include "index/method.h"

#include "base/array.h"
#include "geom/pair.h"

#include <inttypes.h>
#include <math.h>

enum { cells_per_chunk = 256 };

typedef struct linked_cells {
    const items* it;
    int32_t cells[3];   // per axis; their product is at most max_cells(n)
    double side[3];
    int32_t layers[3];  // of neighbours to look into: 1, but 0 on an axis of one cell with walls
    int64_t cell_count;
    int32_t* start;     // cell c holds sorted places start[c] .. start[c+1]-1
    int64_t start_capacity;
    int32_t* id;        // which sphere stands at each place
    int64_t id_capacity;
    double (*xr)[4];    // its copy
    int64_t xr_capacity;
} linked_cells;

static void* create(void)
{
    return scree_calloc(1, sizeof(linked_cells));
}

static void destroy(void* self)
{
    linked_cells* lc = self;
    scree_free(lc->start);
    scree_free(lc->id);
    scree_free(lc->xr);
    scree_free(lc);
}

// As many cells as fit with sides no shorter than `side` (and the safe reach).
static void divide(const items* it, double side, double count[3])
{
    for (int k = 0; k < 3; ++k) {
        double least = fmax(side, items_safe_reach(it, k));
        count[k] = k < it->dim && least > 0.0 ? fmax(1.0, floor(it->length[k] / least)) : 1.0;
    }
}

// The number of cells per axis: cells as short as is safe, but not more of them than spheres.
static void choose_cells(const items* it, int32_t cells[3])
{
    double most = fmin((double)it->n + 8.0, 2e9);
    double side = fmax(items_reach(it), 0.0);
    double count[3];
    divide(it, side, count);
    if (!(count[0] * count[1] * count[2] <= most)) {
        // Too many: start from the longest axis in `most` parts, which is certainly enough, and halve while it fits.
        double longest = fmax(it->length[0], fmax(it->length[1], it->length[2]));
        double high = longest, low = fmax(side, longest / most);
        for (int step = 0; step < 60 && high > low * 1.01; ++step) {
            double middle = sqrt(high) * sqrt(low);
            divide(it, middle, count);
            if (count[0] * count[1] * count[2] <= most)
                high = middle;
            else
                low = middle;
        }
        divide(it, high, count);
    }
    for (int k = 0; k < 3; ++k)
        cells[k] = (int32_t)count[k];
}

static scree_status prepare(void* self, const items* it)
{
    linked_cells* lc = self;
    int32_t cells[3];
    choose_cells(it, cells);
    int64_t cell_count = (int64_t)cells[0] * cells[1] * cells[2];
    if (SCREE_RESERVE(lc->start, lc->start_capacity, cell_count + 1) != SCREE_OK ||
        SCREE_RESERVE(lc->id, lc->id_capacity, it->n) != SCREE_OK ||
        SCREE_RESERVE(lc->xr, lc->xr_capacity, it->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    return SCREE_OK;
}

static int64_t cell_of(const linked_cells* lc, const double xr[4])
{
    int64_t place[3];
    for (int k = 0; k < 3; ++k) {
        double at = lc->cells[k] > 1 ? floor((xr[k] - lc->it->lower[k]) / lc->side[k]) : 0.0;
        place[k] = at < 0.0 ? 0 : at >= lc->cells[k] ? lc->cells[k] - 1 : (int64_t)at;
    }
    return (place[2] * lc->cells[1] + place[1]) * lc->cells[0] + place[0];
}

static void build(void* self, const items* it)
{
    linked_cells* lc = self;
    lc->it = it;
    choose_cells(it, lc->cells);
    for (int k = 0; k < 3; ++k) {
        lc->side[k] = it->length[k] / lc->cells[k];
        lc->layers[k] = it->periodic[k] ? (int32_t)ceil(items_safe_reach(it, k) / lc->side[k]) : lc->cells[k] > 1;
    }
    lc->cell_count = (int64_t)lc->cells[0] * lc->cells[1] * lc->cells[2];

    // Counting sort, stable: count, turn counts into starts, and fill from behind.
    for (int64_t c = 0; c <= lc->cell_count; ++c)
        lc->start[c] = 0;
    for (int64_t i = 0; i < it->n; ++i)
        ++lc->start[cell_of(lc, it->xr[i])];
    for (int64_t c = 1; c <= lc->cell_count; ++c)
        lc->start[c] += lc->start[c - 1];
    for (int64_t i = (int64_t)it->n - 1; i >= 0; --i) {
        int32_t place = --lc->start[cell_of(lc, it->xr[i])];
        lc->id[place] = (int32_t)i;
        for (int k = 0; k < 4; ++k)
            lc->xr[place][k] = it->xr[i][k];
    }
}

static int64_t chunks(const void* self)
{
    const linked_cells* lc = self;
    return (lc->cell_count + cells_per_chunk - 1) / cells_per_chunk;
}

// Sphere at place a against the places first .. last-1, whose images are `shift` boxes away.
static void against(const linked_cells* lc, int32_t a, int32_t first, int32_t last, const int shift[3],
                    const double offset[3], sink* to)
{
    for (int32_t b = first; b < last; ++b)
        if (scree_is_pair(lc->xr[a], lc->xr[b], offset, lc->it->gap))
            sink_put(to, lc->id[a], lc->id[b], shift[0], shift[1], shift[2]);
    to->tests += last - first;
}

// Folds place p of axis k back onto the axis; false if it lies beyond a wall.
static bool fold(const linked_cells* lc, int k, int32_t* p, int* shift)
{
    int32_t n = lc->cells[k];
    *shift = 0;
    if (*p >= 0 && *p < n)
        return true;
    if (!lc->it->periodic[k])
        return false;
    int turns = *p >= 0 ? *p / n : -((n - 1 - *p) / n);
    *shift = turns;
    *p -= turns * n;
    return true;
}

static void cell_pairs(const linked_cells* lc, int32_t cx, int32_t cy, int32_t cz, sink* to)
{
    static const int none[3] = {0, 0, 0};
    static const double nowhere[3] = {0.0, 0.0, 0.0};
    int64_t cell = ((int64_t)cz * lc->cells[1] + cy) * lc->cells[0] + cx;
    int32_t first = lc->start[cell], last = lc->start[cell + 1];
    if (first == last)
        return;
    ++to->cells;
    for (int32_t a = first; a < last; ++a)
        against(lc, a, a + 1, last, none, nowhere, to);
    for (int dz = 0; dz <= lc->layers[2]; ++dz)
        for (int dy = dz > 0 ? -lc->layers[1] : 0; dy <= lc->layers[1]; ++dy)
            for (int dx = dz > 0 || dy > 0 ? -lc->layers[0] : 1; dx <= lc->layers[0]; ++dx) {
                int32_t x = cx + dx, y = cy + dy, z = cz + dz;
                int shift[3];
                if (!fold(lc, 0, &x, &shift[0]) || !fold(lc, 1, &y, &shift[1]) || !fold(lc, 2, &z, &shift[2]))
                    continue;
                int64_t other = ((int64_t)z * lc->cells[1] + y) * lc->cells[0] + x;
                double offset[3];
                for (int k = 0; k < 3; ++k)
                    offset[k] = shift[k] * lc->it->length[k];
                ++to->cells;
                for (int32_t a = first; a < last; ++a)
                    against(lc, a, lc->start[other], lc->start[other + 1], shift, offset, to);
            }
}

static void pairs(const void* self, int64_t chunk, sink* to)
{
    const linked_cells* lc = self;
    if (items_reach(lc->it) <= 0.0)
        return;
    int64_t end = (chunk + 1) * cells_per_chunk < lc->cell_count ? (chunk + 1) * cells_per_chunk : lc->cell_count;
    for (int64_t c = chunk * cells_per_chunk; c < end; ++c) {
        int64_t row = c / lc->cells[0];
        cell_pairs(lc, (int32_t)(c % lc->cells[0]), (int32_t)(row % lc->cells[1]), (int32_t)(row / lc->cells[1]), to);
    }
}

static int64_t levels(const void* self)
{
    (void)self;
    return 1;
}

static size_t bytes(const void* self)
{
    const linked_cells* lc = self;
    return sizeof *lc + (size_t)lc->start_capacity * sizeof *lc->start + (size_t)lc->id_capacity * sizeof *lc->id +
           (size_t)lc->xr_capacity * sizeof *lc->xr;
}

static scree_status validate(const void* self)
{
    const linked_cells* lc = self;
    if (lc->start[0] != 0 || lc->start[lc->cell_count] != lc->it->n)
        return scree_fail(SCREE_ERR_ARGUMENT, "linked cells hold %" PRId32 " to %" PRId32 " of %" PRId32 " spheres",
                          lc->start[0], lc->start[lc->cell_count], lc->it->n);
    for (int k = 0; k < lc->it->dim; ++k)
        if (lc->cells[k] > 1 && lc->side[k] < items_reach(lc->it))
            return scree_fail(SCREE_ERR_ARGUMENT, "linked cells of side %g on axis %c are shorter than the reach %g",
                              lc->side[k], "xyz"[k], items_reach(lc->it));
    int64_t sum = 0;
    for (int64_t c = 0; c < lc->cell_count; ++c)
        for (int32_t place = lc->start[c]; place < lc->start[c + 1]; ++place) {
            int32_t i = lc->id[place];
            if (i < 0 || i >= lc->it->n || cell_of(lc, lc->it->xr[i]) != c || lc->xr[place][0] != lc->it->xr[i][0])
                return scree_fail(SCREE_ERR_ARGUMENT, "linked cells: cell %" PRId64 " holds sphere %" PRId32 " wrongly", c, i);
            if (place > lc->start[c] && lc->id[place - 1] >= i)
                return scree_fail(SCREE_ERR_ARGUMENT, "linked cells: cell %" PRId64 " is not in the order of ids", c);
            sum += i;
        }
    if (sum != (int64_t)lc->it->n * ((int64_t)lc->it->n - 1) / 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "linked cells: not every sphere is in a cell once");
    return SCREE_OK;
}

const method_table linked_cells_method = {.name = "linked-cells",
                                          .create = create,
                                          .prepare = prepare,
                                          .build = build,
                                          .chunks = chunks,
                                          .pairs = pairs,
                                          .levels = levels,
                                          .bytes = bytes,
                                          .validate = validate,
                                          .destroy = destroy};
