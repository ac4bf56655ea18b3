// scree/query.h: all pairs of a set in one call; and queries over spheres that do not move: spheres within a distance, the k nearest, spheres in boxes, spheres along rays, pairs
// between two sets.
//
//     scree_bvh_def def = scree_default_bvh_def();
//     scree_bvh* bvh;
//     scree_bvh_create(&def, scree_points_of(spheres), &bvh);
//     scree_hits hits;
//     scree_bvh_nearest(bvh, points, 6, INFINITY, &hits);
//     for (int64_t q = 0; q < points.count; ++q)
//         for (int64_t h = hits.first[q]; h < hits.first[q + 1]; ++h)
//             printf("%d is %g away from point %d\n", hits.hit[h].j, hits.hit[h].value, (int)q);
//     scree_hits_free(&hits);
//     scree_bvh_destroy(bvh);
//
// A scree_bvh is a bounding volume hierarchy for each class of sizes (a factor of eight in radius), so that a few large spheres do not enlarge the boxes of many small
// ones. It is constant: any number of threads may query it at the same time. Each call distributes its queries over threads; results do not depend on
// their number. For spheres that move use scree/index.h, which also finds all pairs of one set faster.
#ifndef SCREE_QUERY_H
#define SCREE_QUERY_H

#include "scree/geom.h"
#include "scree/index.h"

#ifdef __cplusplus
extern "C" {
#endif

// A borrowed view of spheres or points in arrays of double or float, with any distance between them.
typedef struct scree_points {
    int32_t count;
    int32_t dim;           // 2 or 3
    int32_t type;          // of x and r: SCREE_TYPE_FLOAT64 or SCREE_TYPE_FLOAT32, which is converted exactly
    const void* x;         // dim coordinates for each, next to each other; may be NULL if count is 0
    int64_t x_stride;      // bytes from one centre to the next; 0: dim numbers
    const void* r;         // radii; NULL: all 0
    int64_t r_stride;      // bytes; 0: one number
    const uint32_t* mask;  // of a query: only spheres whose mask has a bit in common with it are found; of scree_find_pairs: two spheres without a common bit are not a pair. NULL: all bits set
} scree_points;

SCREE_API scree_points scree_points_of(scree_spheres spheres);

// ---- All pairs of one set --------------------------------------------------------------------------------------------
//
//     scree_found_pairs pairs;
//     scree_find_pairs(NULL, scree_points_of(spheres), &pairs);
//     for (int64_t p = 0; p < pairs.count; ++p)
//         printf("%d touches %d\n", pairs.ij[p][0], pairs.ij[p][1]);
//     scree_found_pairs_free(&pairs);

// Plain data, owned. As scree_pairs (scree/index.h).
typedef struct scree_found_pairs {
    int64_t count;
    int32_t (*ij)[2];
    int8_t (*shift)[3];  // NULL when no axis is periodic
} scree_found_pairs;

// The pairs that scree_index_pairs gives for these spheres and this def, also with float or strided input, and with masks. def NULL: the defaults, in open space. For spheres that
// move an index is faster, because it keeps a list. Errors as scree_index_create and scree_index_update; MEMORY, CANCELLED.
SCREE_RESULT(scree_find_pairs, (const scree_index_def* def, scree_points spheres, scree_found_pairs* out), (def, spheres, out))
SCREE_RELEASE(scree_found_pairs, scree_found_pairs_free)  // and zeroes it; NULL is fine

// Each pair in both directions, (i, j, shift) and (j, i, -shift), by (i, j, shift): the neighbours of each sphere in a row. `half`: pairs of `count` spheres, each once, sorted (def.sorted of
// an index). O(spheres + pairs). ARGUMENT: numbers that are not below `count`, pairs that are not sorted, or a shift of -128. MEMORY, CANCELLED.
SCREE_RESULT(scree_full_pairs, (int32_t count, scree_pairs half, scree_found_pairs* out), (count, half, out))

// The same without storing the pairs: `visit` is called for each on this thread, in the order of the index, with shift NULL when no axis is periodic. If it returns false, the call ends
// with OK.
typedef bool (*scree_pair_visit)(void* context, int32_t i, int32_t j, const int8_t* shift);
SCREE_API scree_status scree_visit_pairs(const scree_index_def* def, scree_points spheres, scree_pair_visit visit, void* context);

// ---- Spheres that do not move ----------------------------------------------------------------------------------------

typedef struct scree_bvh_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    const scree_box* box;  // periodic axes, walls; copied. NULL: open on all axes
    int32_t threads;       // 0: all cores
    scree_watch watch;     // progress and stop of each call. With a watch, only one thread at a time may query. Zeroed: none
} scree_bvh_def;

typedef struct scree_bvh scree_bvh;

// A sphere found by a query.
typedef struct scree_hit {
    int32_t j;
    int32_t shift[3];  // of its image, at x_j + shift * L (scree_box_offset), with the given centres; 0 where no axis is periodic
    double value;      // within, nearest: distance of the surfaces, below 0 if they overlap. Boxes: distance of the centre from the box. Rays: t
} scree_hit;

// Results of query q: hit[first[q]] to hit[first[q + 1] - 1]. Free it with scree_hits_free.
typedef struct scree_hits {
    int64_t queries;
    int64_t* first;  // queries + 1
    scree_hit* hit;
} scree_hits;

// Called for each hit, on any thread; hits of one query come in the order of the results. Returns false to skip the remaining hits of this query.
typedef bool (*scree_hit_visit)(void* context, int64_t query, const scree_hit* hit);

SCREE_DEFAULTS(scree_bvh_def, scree_default_bvh_def)

// def NULL: the defaults, in open space. The spheres are copied. Hits name them by their numbers here, which never change, so data of the caller stays in arrays of its own.
// ARGUMENT: scree_spheres_check's reasons, an invalid type, or another dim than the box. MEMORY, CANCELLED.
SCREE_API scree_status scree_bvh_create(const scree_bvh_def* def, scree_points spheres, scree_bvh** out);
SCREE_API void scree_bvh_destroy(scree_bvh* bvh);  // NULL is fine
SCREE_API int32_t scree_bvh_get_count(const scree_bvh* bvh);
SCREE_API size_t scree_bvh_get_bytes(const scree_bvh* bvh);

// Spheres and images whose surface is nearer than `gap` to that of a query (gap 0: that overlap with it), by (j, shift). The predicate is that of scree_index_pairs. With the
// spheres of a second set as queries these are the pairs between the two sets. ARGUMENT: an invalid dim, type, length or gap, a query more than 1e8 boxes away. MEMORY, CANCELLED.
SCREE_RESULT(scree_bvh_within, (const scree_bvh* bvh, scree_points queries, double gap, scree_hits* out), (bvh, queries, gap, out))

// The same without storing the results.
SCREE_API scree_status scree_bvh_visit_within(const scree_bvh* bvh, scree_points queries, double gap, scree_hit_visit visit, void* context);

// How many there are: counts[q] for each query, which is all that is stored. `once`: several images of a sphere count as one.
SCREE_API scree_status scree_bvh_count_within(const scree_bvh* bvh, scree_points queries, double gap, bool once, int64_t* counts);

// The k spheres or images with the smallest distance of surfaces, nearest first, equal ones by (j, shift); fewer if not so many are nearer than `most` (INFINITY: no
// limit). In a periodic box images count, so that k may exceed the number of spheres. ARGUMENT: k below 1, `most` is not a number, or as above. MEMORY, CANCELLED.
SCREE_RESULT(scree_bvh_nearest, (const scree_bvh* bvh, scree_points queries, int32_t k, double most, scree_hits* out), (bvh, queries, k, most, out))

// The same with each sphere once, by its nearest image (of equally near ones that with the smallest shift): k different spheres, or all if there are fewer. In a long tilted box it costs more if k is
// near the number of spheres.
SCREE_RESULT(scree_bvh_nearest_spheres, (const scree_bvh* bvh, scree_points queries, int32_t k, double most, scree_hits* out), (bvh, queries, k, most, out))

// Spheres and images that touch the closed boxes lower[q] to upper[q] (dim numbers each), by (j, shift). `mask` as of points, or NULL. ARGUMENT: lower above upper. MEMORY, CANCELLED.
SCREE_RESULT(scree_bvh_boxes, (const scree_bvh* bvh, int64_t count, const double* lower, const double* upper, const uint32_t* mask, scree_hits* out), (bvh, count, lower, upper, mask, out))

// Spheres and images that the rays origin[q] + t direction[q] meet at 0 <= t <= most, by t, equal ones by (j, shift): the first of each ray, or `all`. A ray that begins inside a
// sphere meets it at 0. In a periodic box `most` is finite. `mask` as above. ARGUMENT: a direction of length 0, a ray through more than a million images of the box. MEMORY, CANCELLED.
SCREE_RESULT(scree_bvh_rays, (const scree_bvh* bvh, int64_t count, const double* origin, const double* direction, double most, bool all, const uint32_t* mask, scree_hits* out), (bvh, count, origin, direction, most, all, mask, out))

SCREE_RELEASE(scree_hits, scree_hits_free)  // and zeroes it; NULL is fine

#ifdef __cplusplus
}
#endif
#endif
