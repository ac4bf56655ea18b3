// What the searches with AVX2 and with AVX-512 have in common: a sphere in eight lanes against runs of candidates, eight at a time. Before this is included, the file defines
//
//     typedef ... lane_mask;   // which of eight lanes
//     typedef struct own_lanes { ... } own_lanes;  // further numbers of the test, and
//     static inline own_lanes own_lanes_of(const grid*);
//
// and after it `touching` and `store`.
#ifndef SCREE_INDEX_GRID_SEARCH_EIGHT_H
#define SCREE_INDEX_GRID_SEARCH_EIGHT_H

#include <string.h>

// A sphere in eight lanes, and where the others are.
typedef struct lanes {
    __m256 x, y, z, r;
    own_lanes own;
    __m256i id;
    const float* xs;  // and the other columns, each a stride farther
    int64_t stride;
    const int* image;
    int32_t a;
    bool moved;  // the image is not the sphere itself
} lanes;

static inline lanes lanes_of(const grid* g, int32_t a, const int image[3], bool tilted)
{
    query q = make_query(g, a, image, tilted);
    return (lanes){.x = _mm256_set1_ps(q.x[0]),
                   .y = _mm256_set1_ps(q.x[1]),
                   .z = _mm256_set1_ps(q.x[2]),
                   .r = _mm256_set1_ps(q.r),
                   .own = own_lanes_of(g),
                   .id = _mm256_set1_epi32(q.id),
                   .xs = g->xs,
                   .stride = g->sorted_capacity,
                   .image = image,
                   .a = a,
                   .moved = (image[0] | image[1] | image[2]) != 0};
}

// The same for the sphere at place a, itself and not an image.
static inline void lanes_next(const grid* g, lanes* l, int32_t a)
{
    const float* at = l->xs + a;
    l->x = _mm256_set1_ps(at[0]);
    l->y = _mm256_set1_ps(at[l->stride]);
    l->z = _mm256_set1_ps(at[2 * l->stride]);
    l->r = _mm256_set1_ps(at[3 * l->stride] + g->gap);
    l->id = _mm256_set1_epi32(g->id[a]);
    l->a = a;
}

// The lanes from place b on that touch, of those before `last`.
static inline lane_mask touching(const grid* g, const lanes* l, int32_t b, int32_t last);

// Pairs of the lanes found, and how many there are. Four are usually enough; there is room for eight.
static inline int store(const lanes* l, int32_t b, lane_mask found, int32_t (*ij)[2]);

// Lanes that single precision could not decide.
static __attribute__((noinline)) unsigned decide(const grid* g, int32_t a, const int image[3], int32_t b, unsigned doubtful)
{
    query q = make_query(g, a, image, g->it->tilted);
    unsigned yes = 0;
    for (; doubtful != 0; doubtful &= doubtful - 1) {
        int lane = __builtin_ctz(doubtful);
        if (surely(g, &q, b + lane))
            yes |= 1u << lane;
    }
    return yes;
}

// One by one: near the end of the room, and where shifts have to be written.
static __attribute__((noinline)) sink put_each(const grid* g, int32_t a, const int image[3], int32_t b, unsigned found, sink to)
{
    for (; found != 0; found &= found - 1)
        sink_put(&to, g->id[a], g->id[b + __builtin_ctz(found)], image[0], image[1], image[2]);
    return to;
}

static inline int64_t quick_run(const grid* g, const lanes* l, int32_t first, int32_t last, int32_t (*ij)[2], int64_t count)
{
    int32_t b = first;
    do {
        lane_mask found = touching(g, l, b, last);
        count += store(l, b, found, ij + count);
        b += 8;
    } while (__builtin_expect(b < last, 0));
    return count;
}

static inline void test_run(const grid* g, const lanes* l, int32_t first, int32_t last, sink* to)
{
    to->tests += last - first;
    int32_t b = first;
    do {
        lane_mask found = touching(g, l, b, last);
        if (__builtin_expect(to->room - to->count < 8 || (to->shift != NULL && l->moved), 0)) {
            *to = put_each(g, l->a, l->image, b, found, *to);
        } else {
            if (to->shift != NULL)
                memset(to->shift + to->count, 0, 24);
            to->count += store(l, b, found, to->ij + to->count);
        }
        b += 8;
    } while (__builtin_expect(b < last, 0));
}

#endif
