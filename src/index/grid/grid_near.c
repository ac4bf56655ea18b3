// Who is near a sphere or a point: one query against all levels of hashed cells (grid_hash.h).
//
// A query has no level of its own and no partner that would look for it in turn: it looks into every level that holds anything, at
// the cells that its radius, the largest one there and the gap can reach, cut to the ball. (So def.direction has no say here;
// def.range has, for callers that count what the ranges of the papers cost.) On periodic axes cells are counted on the unbounded line and
// folded back; how often that took is the image, and the same cell may come up in several of them.
//
//     +---+---+---+---+       The ball is the reach. Cells outside it are left out by the square of their distance, which is a
//     |  .-----.  |   |       sum over the axes: those along x are made once for all rows.
//     | /| x  | \ |   |
//     +---+---+---+---+       A level with fewer spheres than this would be cells is walked from end to end instead.
//     | \|    | / |   |
//     |  '-----'  |   |       Cost: with the levels of Appendix A, a constant number of cells per level for a sphere that is not
//     +---+---+---+---+       larger than the spheres of the level; for a larger one, as many as it has neighbours on that level.
//
// In a tilted box the images of a later axis are moved along the earlier ones, so there each image of y and z is looked at by itself, from where the query stands as
// seen from it.
#include "index/grid/grid_hash.h"

#include "geom/pair.h"

#include <float.h>
#include <math.h>

// Looking into a cell costs about as much as so many tests of spheres in a row.
static const double cell_cost = 2.0;
enum { line_length = 16, most_waiting = 128 };

// One level, as a query sees it.
typedef struct look {
    const grid_hash* m;
    const hash_level* level;
    int32_t h, own;
    const double* xr;
    const double* at;    // as seen from the images of later axes; xr in boxes with right angles
    double moved;        // by what sum of terms it is another than xr
    double ball;         // square of the reach, or infinite
    double margin[3];    // for every rounding between coordinates and cells
    int64_t range[3][2]; // cells, on the unbounded line
    int64_t turn[3][2];  // images
} look;

// Some cells along x.
typedef struct line_cell {
    double square;  // of the distance along x
    uint64_t key;   // what x adds to it
    int16_t image;
} line_cell;

// Cells that wait to be looked into: first all of them are listed, which asks for their slots, then found, which asks for their
// buckets, and only then tested. So no step waits for memory as long as the next cells do not depend on it, and none has a branch
// that is unpredictable.
typedef struct waiting_cell {
    uint64_t key;
    uint32_t tag;
    int32_t bucket;
    int16_t image[3];
} waiting_cell;

typedef struct waiting_list {
    int count;
    waiting_cell cell[most_waiting];
} waiting_list;

static inline void test(const look* l, const double b[4], int32_t j, const int image[3], const double offset[3], sink* to)
{
    if (scree_is_pair(l->xr, b, offset, l->m->it->gap) && !(j == l->own && image[0] == 0 && image[1] == 0 && image[2] == 0))
        sink_put_near(to, l->own, j, image[0], image[1], image[2]);
}

// Three tests at once, without a branch for each: what is left is for the predicate to decide.
static inline void test_bucket(const look* l, const hash_bucket* bucket, const int image[3], const double offset[3], sink* to)
{
    unsigned near = 0;
    for (int e = 0; e < hash_bucket_size; ++e) {
        double reach = (l->xr[3] + bucket->xr[e][3]) + l->m->it->gap;
        near |= (unsigned)(scree_square_distance(l->xr, bucket->xr[e], offset) < reach * reach) << e;
    }
    near &= (1u << bucket->count) - 1;
    to->tests += bucket->count;
    for (; near != 0; near &= near - 1) {
        int e = __builtin_ctz(near);
        test(l, bucket->xr[e], bucket->id[e], image, offset, to);
    }
}

// Leaves the occupied cells in the list.
static inline void find_cells(const grid_hash* m, waiting_list* list)
{
    int64_t mask = (INT64_C(1) << m->slot_bits) - 1;
    int found = 0;
    for (int c = 0; c < list->count; ++c) {
        waiting_cell cell = list->cell[c];
        int64_t s = cell.tag >> (32 - m->slot_bits);
        while (m->slots[s].bucket >= 0 && m->slots[s].tag != cell.tag)
            s = (s + 1) & mask;
        cell.bucket = m->slots[s].bucket;
        list->cell[found] = cell;
        found += cell.bucket >= 0;
        const char* bucket = (const char*)&m->buckets[cell.bucket >= 0 ? cell.bucket : 0];
        __builtin_prefetch(bucket);
        __builtin_prefetch(bucket + 64);
    }
    list->count = found;
}

static void test_list(const look* l, waiting_list* list, sink* to)
{
    const grid_hash* m = l->m;
    to->cells += list->count;
    find_cells(m, list);
    for (int c = 0; c < list->count; ++c) {
        const waiting_cell* cell = &list->cell[c];
        int32_t b = cell->bucket;
        if (m->buckets[b].key != cell->key)  // another cell with the same tag
            b = m->slots[hash_find(m, cell->key)].bucket;
        int image[3] = {cell->image[0], cell->image[1], cell->image[2]};
        double offset[3];
        items_offset(m->it, image[0], image[1], image[2], offset);
        for (; b >= 0; b = m->buckets[b].next)
            test_bucket(l, &m->buckets[b], image, offset, to);
    }
    list->count = 0;
}

// The square of the least distance on axis k between the query and the cells at place p, less the margin.
static inline double square_away(const look* l, int k, int64_t p)
{
    double lower = l->m->lower[k] + (double)p * l->level->side[k], upper = l->m->lower[k] + (double)(p + 1) * l->level->side[k];
    double below = lower - l->at[k], above = l->at[k] - upper, away = (below > above ? below : above) - l->margin[k];
    return away > 0.0 ? away * away : 0.0;
}

static int make_line(const look* l, int64_t first, line_cell line[line_length])
{
    int64_t n = l->level->cells[0];
    int count = 0;
    for (int64_t p = first; p <= l->range[0][1] && count < line_length; ++p) {
        int64_t turn = grid_turn(p, n);
        line[count].square = square_away(l, 0, p);
        line[count].key = hash_key(0, p - turn * n, 0, 0);
        line[count++].image = (int16_t)turn;
    }
    return count;
}

// The cells of the line in row y, z that are in the ball.
static inline void list_row(const look* l, const line_cell* line, int count, int64_t y, int64_t z, double rest, waiting_list* list)
{
    const int64_t* n = l->level->cells;
    int64_t turn_y = grid_turn(y, n[1]), turn_z = grid_turn(z, n[2]);
    uint64_t row = hash_key(l->h, 0, y - turn_y * n[1], z - turn_z * n[2]);
    for (int c = 0; c < count; ++c) {
        waiting_cell* cell = &list->cell[list->count];
        cell->key = row | line[c].key;
        cell->tag = hash_tag(cell->key);
        cell->image[0] = line[c].image;
        cell->image[1] = (int16_t)turn_y;
        cell->image[2] = (int16_t)turn_z;
        __builtin_prefetch(&l->m->slots[cell->tag >> (32 - l->m->slot_bits)]);
        list->count += line[c].square <= rest;
    }
}

static void walk_cells(const look* l, waiting_list* list, sink* to)
{
    line_cell line[line_length];
    for (int64_t first = l->range[0][0]; first <= l->range[0][1]; first += line_length) {
        int count = make_line(l, first, line);
        for (int64_t z = l->range[2][0]; z <= l->range[2][1]; ++z) {
            double left = l->ball - square_away(l, 2, z);
            for (int64_t y = l->range[1][0]; y <= l->range[1][1] && left >= 0.0; ++y) {
                list_row(l, line, count, y, z, left - square_away(l, 1, y), list);
                if (list->count > most_waiting - line_length)
                    test_list(l, list, to);
            }
        }
    }
}

static void walk_level(const look* l, sink* to)
{
    const items* it = l->m->it;
    for (int64_t sz = l->turn[2][0]; sz <= l->turn[2][1]; ++sz)
        for (int64_t sy = l->turn[1][0]; sy <= l->turn[1][1]; ++sy)
            for (int64_t sx = l->turn[0][0]; sx <= l->turn[0][1]; ++sx) {
                int image[3] = {(int)sx, (int)sy, (int)sz};
                double offset[3];
                items_offset(it, image[0], image[1], image[2], offset);
                for (int64_t k = 0; k < l->level->count; ++k)
                    test(l, it->xr[l->level->ids[k]], l->level->ids[k], image, offset, to);
                to->tests += l->level->count;
            }
}

// How far from the query along axis k the cells are that it looks into, and how many layers more. The ranges of the papers hold for
// cells as long as the diameters of their level and the gap; a periodic box may be shorter.
static double half_of(const look* l, int k, double reach, int64_t* layers)
{
    const items* it = l->m->it;
    double needed = 2.0 * l->level->limit + it->gap, side = fmax(l->level->side[k], needed), half = l->xr[3] + 0.5 * it->gap;
    *layers = 0;
    if (it->def->range == SCREE_RANGE_TIGHT)
        return reach + l->margin[k];
    if (it->def->range == SCREE_RANGE_HALF_CELL)
        return half + 0.5 * side + l->margin[k];
    *layers = (int64_t)fmin(fmax(ceil(0.5 * needed / l->level->side[k]), 1.0), 1e9);
    return half + l->margin[k];
}

// The cells along axis k, cut to where any are. False: there are none.
static inline bool find_range(look* l, int k, double reach)
{
    const grid_hash* m = l->m;
    const hash_level* level = l->level;
    int64_t layers;
    l->margin[k] = 32.0 * DBL_EPSILON * (fabs(l->xr[k]) + m->rounding[k] + 2.0 * reach + l->moved);
    double half = half_of(l, k, reach, &layers);
    int64_t* range = l->range[k];
    range[0] = hash_place(m, level, k, l->at[k] - half) - layers;
    range[1] = hash_place(m, level, k, l->at[k] + half) + layers;
    if (level->cells[k] == 0) {
        range[0] = range[0] < level->low[k] ? level->low[k] : range[0];
        range[1] = range[1] > level->high[k] ? level->high[k] : range[1];
    }
    for (int e = 0; e < 2; ++e)
        l->turn[k][e] = grid_turn(range[e], level->cells[k]);
    return range[0] <= range[1];
}

// Whether the level is better walked. It must be where a cell would come up twice, its count being the same in the last bits, or
// where cells have no end.
static inline bool by_list(const look* l)
{
    double cells = 1.0, images = 1.0;
    bool must = false;
    for (int k = 0; k < 3; ++k) {
        double along = (double)(l->range[k][1] - l->range[k][0] + 1);
        cells *= along;
        images *= (double)(l->turn[k][1] - l->turn[k][0] + 1);
        must = must || (l->level->cells[k] == 0 && along > (double)(1 << hash_key_bits)) ||
               (double)l->range[k][0] <= -hash_farthest || (double)l->range[k][1] >= hash_farthest;
    }
    return must || (double)l->level->count * images <= cell_cost * cells;
}

static void walk(const look* l, waiting_list* list, sink* to)
{
    if (by_list(l))
        walk_level(l, to);
    else
        walk_cells(l, list, to);
}

// Of the cells along axis k those in image s; all on an axis that is not periodic.
static void cut_to_image(look* l, int k, const int64_t range[2], int64_t s)
{
    int64_t n = l->level->cells[k], first = s * n, last = first + n - 1;
    l->range[k][0] = n > 0 && range[0] < first ? first : range[0];
    l->range[k][1] = n > 0 && range[1] > last ? last : range[1];
    l->turn[k][0] = l->turn[k][1] = s;
}

static void walk_tilted(look* l, double reach, waiting_list* list, sink* to)
{
    const items* it = l->m->it;
    double at[3] = {l->xr[0], l->xr[1], l->xr[2]};
    l->at = at;
    if (!find_range(l, 2, reach))
        return;
    const int64_t planes[2] = {l->range[2][0], l->range[2][1]}, turns_z[2] = {l->turn[2][0], l->turn[2][1]};
    for (int64_t sz = turns_z[0]; sz <= turns_z[1]; ++sz) {
        at[1] = l->xr[1] - (double)sz * it->tilt[2];
        l->moved = fabs((double)sz * it->tilt[2]);
        if (!find_range(l, 1, reach))
            continue;
        cut_to_image(l, 2, planes, sz);
        const int64_t rows[2] = {l->range[1][0], l->range[1][1]}, turns_y[2] = {l->turn[1][0], l->turn[1][1]};
        for (int64_t sy = turns_y[0]; sy <= turns_y[1]; ++sy) {
            at[0] = l->xr[0] - ((double)sy * it->tilt[0] + (double)sz * it->tilt[1]);
            l->moved = fabs((double)sy * it->tilt[0]) + fabs((double)sz * it->tilt[1]);
            cut_to_image(l, 1, rows, sy);
            if (find_range(l, 0, reach))
                walk(l, list, to);
        }
    }
}

static void look_into(const grid_hash* m, int32_t h, const double xr[4], int32_t own, waiting_list* list, sink* to)
{
    look l;  // not zeroed: that would take longer than the rest
    l.m = m;
    l.level = &m->level[h];
    l.h = h;
    l.own = own;
    l.xr = l.at = xr;
    l.moved = 0.0;
    double reach = (xr[3] + l.level->largest) + m->it->gap;
    if (!(reach > 0.0))
        return;
    // Squares of lengths far below all others may be 0: then only the axes, one by one, tell who is far away.
    bool cut = m->it->def->range == SCREE_RANGE_TIGHT && reach > 1e-150;
    l.ball = cut ? reach * reach * (1.0 + 1e-12) : INFINITY;
    if (m->it->tilted)
        walk_tilted(&l, reach, list, to);
    else if (find_range(&l, 0, reach) && find_range(&l, 1, reach) && find_range(&l, 2, reach))
        walk(&l, list, to);
}

void grid_near(const void* self, const double xr[4], int32_t own, sink* to)
{
    const grid_hash* m = ((const grid*)self)->moves;
    waiting_list list;
    list.count = 0;
    sink out = *to;  // a copy that nothing else points to stays in registers
    for (int32_t h = 0; h < m->levels; ++h)
        if (m->level[h].count > 0)
            look_into(m, h, xr, own, &list, &out);
    test_list(&(look){.m = m, .own = own, .xr = xr}, &list, &out);
    *to = out;
}

// ---- Around -------------------------------------------------------------------------------------------------------

// The cells of a level that count on one axis, folded: from first on, `count` of them.
typedef struct fold {
    int64_t first, count;
} fold;

static fold fold_range(const look* l, int k)
{
    const int64_t *range = l->range[k], n = l->level->cells[k];
    if (n > 0 && range[1] - range[0] + 1 >= n)
        return (fold){.first = 0, .count = n};
    return (fold){.first = range[0], .count = range[1] - range[0] + 1};
}

// The nearest of all images of a cell that are in the range.
static double nearest_square(const look* l, int k, int64_t p)
{
    int64_t n = l->level->cells[k];
    double least = INFINITY;
    for (int64_t turn = l->turn[k][0]; turn <= l->turn[k][1]; ++turn) {
        int64_t place = n == 0 ? p : p - grid_turn(p, n) * n + turn * n;
        if (place >= l->range[k][0] && place <= l->range[k][1])
            least = fmin(least, square_away(l, k, place));
    }
    return least;
}

static void count_cell(const grid_hash* m, uint64_t key, scree_surroundings* out)
{
    int32_t b = m->slots[hash_find(m, key)].bucket;
    out->cells += b >= 0;
    for (; b >= 0; b = m->buckets[b].next)
        out->spheres += m->buckets[b].count;
}

static void count_level(const look* l, scree_surroundings* out)
{
    fold f[3];
    for (int k = 0; k < 3; ++k)
        f[k] = fold_range(l, k);
    const int64_t* n = l->level->cells;
    for (int64_t z = f[2].first; z < f[2].first + f[2].count; ++z)
        for (int64_t y = f[1].first; y < f[1].first + f[1].count; ++y) {
            double rest = isinf(l->ball) ? INFINITY : l->ball - nearest_square(l, 2, z) - nearest_square(l, 1, y);
            for (int64_t x = f[0].first; x < f[0].first + f[0].count && rest >= 0.0; ++x)
                if (isinf(rest) || nearest_square(l, 0, x) <= rest)
                    count_cell(l->m, hash_key(l->h, x - grid_turn(x, n[0]) * n[0], y - grid_turn(y, n[1]) * n[1], z - grid_turn(z, n[2]) * n[2]),
                               out);
        }
}

// One level: the sphere's cell and those next to it, as many layers as the reach takes (one, but in boxes shorter than the reach).
static void set_block(look* l, double reach)
{
    for (int k = 0; k < 3; ++k) {
        int64_t place = hash_place(l->m, l->level, k, l->xr[k]);
        int64_t layers = k < l->m->it->dim ? (int64_t)fmax(ceil(reach * (1.0 - 1e-12) / l->level->side[k]), 1.0) : 0;
        l->range[k][0] = place - layers;
        l->range[k][1] = place + layers;
    }
    l->ball = INFINITY;
}

void grid_around(const void* self, int32_t i, scree_surroundings* out)
{
    const grid_hash* m = ((const grid*)self)->moves;
    const double* xr = m->it->xr[i];
    *out = (scree_surroundings){.level = (int32_t)(m->buckets[m->bucket_of[i]].key >> (3 * hash_key_bits)), .spheres = -1};
    for (int32_t h = 0; h < m->levels; ++h) {
        look l = {.m = m, .level = &m->level[h], .h = h, .own = i, .xr = xr, .at = xr};
        double reach = (xr[3] + l.level->largest) + m->it->gap;
        if (l.level->count == 0)
            continue;
        bool there = find_range(&l, 0, reach) && find_range(&l, 1, reach) && find_range(&l, 2, reach);
        l.ball = reach * reach * (1.0 + 1e-12);
        if (m->levels == 1)
            set_block(&l, reach);
        if (there || m->levels == 1)
            count_level(&l, out);
    }
}
