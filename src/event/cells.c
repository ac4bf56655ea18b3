// Cells of reference points, one grid for each octave of reaches, in single precision and four to a bucket.
//
// A sphere that leaves its ball needs all others whose reference points are within reach of its new one; the reach of a sphere is its radius
// plus the distance that it may move. In a gas of different sizes this happens four times in ten collisions. The index could do it (and makes all lists at
// once), but here more is known: no spheres are inserted or removed, reaches are constant until all lists are rebuilt, and there can be as many cells as
// spheres, in one array without a hash.
//
// Compared with the index (scree_neighbour_lists_refresh in event_lists_refresh, instead of the cells and scree_neighbour_lists_replace), instructions of
// the whole program by callgrind:
//
//     scree pack grow --rate 0.05 --periodic xyz --threads 1 --count 2000 ...      cells      index
//     --sizes mono:1 --density 0.55                                                         1.233e9    1.358e9    10 % more
//     --sizes uniform-volume:1:8 --density 0.6                                              1.975e9    2.237e9    13 % more
//
// The packings are the same, bit for bit.
//
//     level 0   | | | | | | | |    reaches from the smallest to twice that
//     level 1   |   |   |   |      up to four times, and so on. Cells are twice as long as the largest reach of the level, so that a sphere of the level
//     level 2   |       |          searches 27 cells; longer if there would be more than four cells per sphere.
//
// On periodic axes cells are numbered without wrapping and then folded back; the number of folds is the image. Rows are limited to the ball. Buckets are in
// single precision: entries that pass there, with a margin for rounding, are tested again in double precision. Coordinates too large for single precision become
// infinite or NaN and pass: slow, but correct.
//
// Cost: O(1) for a move, which always succeeds; 27 cells and about 30 buckets for a query. Memory: about 200 bytes per sphere.
#include "event/cells.h"

#include "base/array.h"
#include "event/system.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

scree_status event_cells_reserve(event_cells* c, int dim, const double length[3], const bool periodic[3], int32_t n)
{
    size_t room = n > 0 ? (size_t)n : 1;
    double longest = 0.0;
    c->dim = dim;
    for (int k = 0; k < 3; ++k) {
        c->length[k] = k < dim ? length[k] : 1.0;
        c->periodic[k] = k < dim && periodic[k];
        longest = fmax(longest, c->length[k]);
    }
    c->margin = 4e-6 * longest;  // each of three differences of two coordinates up to twice the length, to 2^-24
    c->at = scree_malloc(room, sizeof *c->at);
    c->turns = scree_malloc(room, sizeof *c->turns);
    c->cell_of = scree_malloc(room, sizeof *c->cell_of);
    c->bucket_of = scree_malloc(room, sizeof *c->bucket_of);
    c->buckets = scree_malloc(room, sizeof *c->buckets);
    return c->at != NULL && c->turns != NULL && c->cell_of != NULL && c->bucket_of != NULL && c->buckets != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

void event_cells_free(event_cells* c)
{
    scree_free(c->at);
    scree_free(c->turns);
    scree_free(c->cell_of);
    scree_free(c->bucket_of);
    scree_free(c->buckets);
    scree_free(c->head);
    scree_free(c->hit_j);
    scree_free(c->hit_image);
}

// ---- Where spheres are -------------------------------------------------------------------------------------------------

static inline int64_t floor_of(double x)
{
    int64_t whole = (int64_t)x;
    return whole - (x < (double)whole);
}

static inline int64_t clamp(int64_t p, int64_t count)
{
    return p < 0 ? 0 : p >= count ? count - 1 : p;
}

static void set_place(event_cells* c, int32_t i, const double reference[3])
{
    for (int k = 0; k < 3; ++k) {
        double turns = c->periodic[k] ? floor(reference[k] / c->length[k]) : 0.0;
        c->at[i][k] = reference[k] - turns * c->length[k];
        c->turns[i][k] = (int8_t)turns;
    }
}

static int64_t cell_at(const cells_level* level, const double at[3])
{
    int64_t p[3];
    for (int k = 0; k < 3; ++k)
        p[k] = clamp(floor_of(at[k] * level->inverse[k]), level->count[k]);
    return level->first + (p[2] * level->count[1] + p[1]) * level->count[0] + p[0];
}

static inline void copy_entry(cells_bucket* to, int e, const cells_bucket* from, int f)
{
    to->x[e] = from->x[f];
    to->y[e] = from->y[f];
    to->z[e] = from->z[f];
    to->reach[e] = from->reach[f];
    to->id[e] = from->id[f];
}

static inline void write_entry(const event_cells* c, cells_bucket* b, int e, int32_t i)
{
    b->x[e] = (float)c->at[i][0];
    b->y[e] = (float)c->at[i][1];
    b->z[e] = (float)c->at[i][2];
    b->reach[e] = (float)c->at[i][3];
    b->id[e] = i;
}

// Only the first bucket of a cell may be less than full.
static void put(event_cells* c, int32_t i, int64_t cell)
{
    int32_t b = c->head[cell];
    if (b < 0 || c->buckets[b].count == cells_bucket_size) {
        int32_t fresh = c->free_bucket;
        if (fresh >= 0)
            c->free_bucket = c->buckets[fresh].next;
        else
            fresh = c->buckets_used++;
        memset(&c->buckets[fresh], 0, sizeof *c->buckets);
        c->buckets[fresh].next = b;
        c->head[cell] = b = fresh;
    }
    write_entry(c, &c->buckets[b], c->buckets[b].count++, i);
    c->cell_of[i] = cell;
    c->bucket_of[i] = b;
}

static int entry_of(const cells_bucket* b, int32_t i)
{
    int e = 0;
    while (b->id[e] != i)
        ++e;
    assert(e < b->count);
    return e;
}

static void take(event_cells* c, int32_t i)
{
    int64_t cell = c->cell_of[i];
    int32_t head = c->head[cell];
    cells_bucket *b = &c->buckets[c->bucket_of[i]], *first = &c->buckets[head];
    int e = entry_of(b, i), last = --first->count;
    int32_t moved = first->id[last];
    copy_entry(b, e, first, last);
    c->bucket_of[moved] = c->bucket_of[i];
    if (last > 0)
        return;
    c->head[cell] = first->next;
    first->next = c->free_bucket;
    c->free_bucket = head;
}

void event_cells_move(event_cells* c, int32_t i, const double reference[3])
{
    set_place(c, i, reference);
    int64_t cell = cell_at(&c->level[c->turns[i][3]], c->at[i]);
    if (cell == c->cell_of[i]) {
        cells_bucket* b = &c->buckets[c->bucket_of[i]];
        write_entry(c, b, entry_of(b, i), i);
        return;
    }
    take(c, i);
    put(c, i, cell);
}

// ---- All of them -------------------------------------------------------------------------------------------------------

static void lay_level(const event_cells* c, cells_level* level, int64_t first)
{
    double side = 2.0 * level->reach;
    for (;; side *= 1.25) {
        double cells = 1.0;
        for (int k = 0; k < c->dim; ++k)
            cells *= fmax(floor(c->length[k] / side), 1.0);
        if (cells <= 4.0 * level->spheres + 64.0)
            break;
    }
    level->first = first;
    for (int k = 0; k < 3; ++k) {
        level->count[k] = k < c->dim ? (int64_t)fmax(floor(c->length[k] / side), 1.0) : 1;
        level->side[k] = c->length[k] / (double)level->count[k];
        level->inverse[k] = 1.0 / level->side[k];
    }
}

scree_status event_cells_fill(event_cells* c, int32_t n, const double (*reference)[4], const double* reach)
{
    double least = INFINITY;
    for (int32_t i = 0; i < n; ++i)
        least = fmin(least, reach[i]);
    memset(c->level, 0, sizeof c->level);
    c->levels = 0;
    for (int32_t i = 0; i < n; ++i) {
        int h = ilogb(reach[i] / least);
        h = h < cells_most_levels - 1 ? h : cells_most_levels - 1;
        c->levels = h + 1 > c->levels ? h + 1 : c->levels;
        c->level[h].reach = fmax(c->level[h].reach, reach[i]);
        ++c->level[h].spheres;
        c->turns[i][3] = (int8_t)h;
        c->at[i][3] = reach[i];
        set_place(c, i, reference[i]);
    }
    int64_t cells = 0;
    for (int h = 0; h < c->levels; ++h)
        if (c->level[h].spheres > 0) {
            lay_level(c, &c->level[h], cells);
            cells += c->level[h].count[0] * c->level[h].count[1] * c->level[h].count[2];
        }
    if (SCREE_RESERVE(c->head, c->head_capacity, cells) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memset(c->head, -1, (size_t)cells * sizeof *c->head);
    c->buckets_used = 0;
    c->free_bucket = -1;
    for (int32_t i = 0; i < n; ++i)
        put(c, i, cell_at(&c->level[c->turns[i][3]], c->at[i]));
    return SCREE_OK;
}

// ---- A look ------------------------------------------------------------------------------------------------------------

// The cells of an axis that are within `away` of x, on the unbounded line, or cut to those that there are.
static inline void range_of(const event_cells* c, const cells_level* level, int k, double x, double away, int64_t range[2])
{
    range[0] = floor_of((x - away) * level->inverse[k]);
    range[1] = floor_of((x + away) * level->inverse[k]);
    if (!c->periodic[k]) {
        range[0] = clamp(range[0], level->count[k]);
        range[1] = clamp(range[1], level->count[k]);
    }
}

// Square of the distance on axis k between x and the cells at place p. The first and the last cell of an axis with walls have no end.
static inline double square_away(const event_cells* c, const cells_level* level, int k, double x, int64_t p)
{
    double below = (double)p * level->side[k] - x, above = x - (double)(p + 1) * level->side[k];
    if (!c->periodic[k]) {
        below = p == 0 ? 0.0 : below;
        above = p == level->count[k] - 1 ? 0.0 : above;
    }
    double away = below > above ? below : above;  // without a call
    return away > 0.0 ? away * away : 0.0;
}

static inline int64_t turn_of(int64_t p, int64_t count)
{
    int64_t turn = 0;
    for (; p < 0; p += count)
        --turn;
    for (; p >= count; p -= count)
        ++turn;
    return turn;
}

// As it is, in double precision: where it was found in single precision, with the margin.
static inline bool is_near(const event_cells* c, int32_t i, int32_t j, const int64_t shift[3])
{
    const double *a = c->at[i], *b = c->at[j];
    double square = 0.0, reach = a[3] + b[3];
    for (int k = 0; k < 3; ++k) {
        double d = (a[k] - b[k]) - (double)shift[k] * c->length[k];
        square += d * d;
    }
    return square < reach * reach;
}

static void put_hit(event_cells* c, int32_t i, int32_t j, const int64_t shift[3])
{
    const int8_t *a = c->turns[i], *b = c->turns[j];
    int64_t image = event_here + (shift[0] + a[0] - b[0]) + event_wide * ((shift[1] + a[1] - b[1]) + event_wide * (shift[2] + a[2] - b[2]));
    assert(image >= 0 && image < event_images);
    c->hit_j[c->hit_count] = j;
    c->hit_image[c->hit_count++] = (int32_t)image;
}

// Who of a bucket is out of reach, as bits. What is no number is not.
static inline unsigned far_away(const cells_bucket* b, float x, float y, float z, float reach)
{
#if defined(__SSE2__)
    __m128 dx = _mm_sub_ps(_mm_set1_ps(x), _mm_loadu_ps(b->x)), dy = _mm_sub_ps(_mm_set1_ps(y), _mm_loadu_ps(b->y)),
           dz = _mm_sub_ps(_mm_set1_ps(z), _mm_loadu_ps(b->z)), sum = _mm_add_ps(_mm_set1_ps(reach), _mm_loadu_ps(b->reach));
    __m128 square = _mm_add_ps(_mm_add_ps(_mm_mul_ps(dx, dx), _mm_mul_ps(dy, dy)), _mm_mul_ps(dz, dz));
    return (unsigned)_mm_movemask_ps(_mm_cmpgt_ps(square, _mm_mul_ps(sum, sum)));
#else
    unsigned far = 0;
    for (int e = 0; e < cells_bucket_size; ++e) {
        float dx = x - b->x[e], dy = y - b->y[e], dz = z - b->z[e], sum = reach + b->reach[e];
        far |= (unsigned)((dx * dx + dy * dy) + dz * dz > sum * sum) << e;
    }
    return far;
#endif
}

// Cells to be searched: all of a level are listed first, which prefetches their buckets, then tested, and only then neighbours are
// collected. No step then waits for memory, and few have an unpredictable branch.
enum { most_waiting = 96, most_runs = 64 };

typedef struct run {  // cells of one row, in one image
    float x, y, z;    // of the sphere that looks, in that image
    int64_t shift[3];
} run;

typedef struct waiting_list {
    int cells, runs;
    struct {
        int32_t bucket, run;
    } cell[most_waiting];
    run run[most_runs];
} waiting_list;

static scree_status make_hit_room(event_cells* c, int64_t wanted)
{
    if (SCREE_RESERVE(c->hit_j, c->hit_j_capacity, wanted) != SCREE_OK || SCREE_RESERVE(c->hit_image, c->hit_image_capacity, wanted) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    c->hit_room = c->hit_j_capacity < c->hit_image_capacity ? c->hit_j_capacity : c->hit_image_capacity;
    return SCREE_OK;
}

static void take_hits(event_cells* c, int32_t i, const cells_bucket* b, unsigned near, const int64_t shift[3])
{
    for (; near != 0; near &= near - 1) {
        int32_t j = b->id[__builtin_ctz(near)];
        if (j != i && is_near(c, i, j, shift))
            put_hit(c, i, j, shift);
    }
}

typedef struct found_bucket {
    int32_t bucket, run;
    unsigned near;
} found_bucket;

// MEMORY.
static inline scree_status take_found(event_cells* c, int32_t i, const waiting_list* w, const found_bucket* found, int count)
{
    int64_t wanted = (int64_t)c->hit_count + (int64_t)count * cells_bucket_size;
    if (wanted > c->hit_room && make_hit_room(c, wanted) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int f = 0; f < count; ++f)
        take_hits(c, i, &c->buckets[found[f].bucket], found[f].near, w->run[found[f].run].shift);
    return SCREE_OK;
}

static scree_status test_waiting(event_cells* c, int32_t i, waiting_list* w)
{
    const float reach = (float)(c->at[i][3] + c->margin);
    found_bucket found[most_waiting];
    scree_status status = SCREE_OK;
    int count = 0;
    for (int k = 0; k < w->cells; ++k) {
        const run* q = &w->run[w->cell[k].run];
        for (int32_t at = w->cell[k].bucket; at >= 0; at = c->buckets[at].next) {
            const cells_bucket* b = &c->buckets[at];
            found[count].bucket = at;
            found[count].run = w->cell[k].run;
            found[count].near = ~far_away(b, q->x, q->y, q->z, reach) & ((1u << b->count) - 1);
            c->tests += b->count;
            count += found[count].near != 0;
            if (count == most_waiting) {  // long chains
                status = status == SCREE_OK ? take_found(c, i, w, found, count) : status;
                count = 0;
            }
        }
    }
    if (status == SCREE_OK)
        status = take_found(c, i, w, found, count);
    w->cells = w->runs = 0;
    return status;
}

static inline float seen_from(const event_cells* c, int32_t i, int k, int64_t shift)
{
    return (float)(c->at[i][k] - (double)shift * c->length[k]);
}

// The cells `first` to `last` of a row, all in one image.
static inline scree_status look_into(event_cells* c, int32_t i, const int32_t* row, int64_t first, int64_t last, const int64_t shift[3], float y,
                                     float z, waiting_list* w)
{
    scree_status status = SCREE_OK;
    for (int64_t p = first; p <= last && status == SCREE_OK;) {
        if (w->runs == most_runs || w->cells == most_waiting)
            status = test_waiting(c, i, w);
        w->run[w->runs] = (run){.x = seen_from(c, i, 0, shift[0]), .y = y, .z = z, .shift = {shift[0], shift[1], shift[2]}};
        for (; p <= last && w->cells < most_waiting; ++p) {
            int32_t bucket = row[p];
            w->cell[w->cells].bucket = bucket;
            w->cell[w->cells].run = w->runs;
            const char* line = (const char*)&c->buckets[bucket >= 0 ? bucket : 0];
            __builtin_prefetch(line);
            __builtin_prefetch(line + 64);
            w->cells += bucket >= 0;
        }
        ++w->runs;
    }
    return status;
}

static scree_status look_at_level(event_cells* c, int32_t i, const cells_level* level, waiting_list* w)
{
    const double *at = c->at[i], away = (at[3] + level->reach) * (1.0 + 1e-9) + c->margin;
    const int64_t* n = level->count;
    int64_t range[3][2], shift[3];
    scree_status status = SCREE_OK;
    range_of(c, level, 1, at[1], away, range[1]);
    range_of(c, level, 2, at[2], away, range[2]);
    for (int64_t z = range[2][0]; z <= range[2][1]; ++z) {
        double left = away * away - square_away(c, level, 2, at[2], z);
        shift[2] = turn_of(z, n[2]);
        float z_seen = seen_from(c, i, 2, shift[2]);
        for (int64_t y = range[1][0]; y <= range[1][1] && status == SCREE_OK; ++y) {
            double rest = left - square_away(c, level, 1, at[1], y);
            if (rest < 0.0)
                continue;
            shift[1] = turn_of(y, n[1]);
            float y_seen = seen_from(c, i, 1, shift[1]);
            const int32_t* row = c->head + level->first + ((z - shift[2] * n[2]) * n[1] + (y - shift[1] * n[1])) * n[0];
            range_of(c, level, 0, at[0], sqrt(rest) + c->margin, range[0]);
            for (int64_t x = range[0][0]; x <= range[0][1] && status == SCREE_OK;) {
                shift[0] = turn_of(x, n[0]);
                int64_t end = (shift[0] + 1) * n[0] - 1, last = end < range[0][1] ? end : range[0][1];
                status = look_into(c, i, row, x - shift[0] * n[0], last - shift[0] * n[0], shift, y_seen, z_seen, w);
                x = last + 1;
            }
        }
    }
    return status;
}

scree_status event_cells_look(event_cells* c, int32_t i)
{
    waiting_list w;
    w.cells = w.runs = 0;
    c->hit_count = 0;
    scree_status status = SCREE_OK;
    for (int h = 0; h < c->levels && status == SCREE_OK; ++h)
        if (c->level[h].spheres > 0)
            status = look_at_level(c, i, &c->level[h], &w);
    return status == SCREE_OK ? test_waiting(c, i, &w) : status;
}
