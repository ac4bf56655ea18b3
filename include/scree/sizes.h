// scree/sizes.h: size distributions and how to draw radii from them.
//
//     scree_sizes* sizes;
//     scree_sizes_parse("uniform-volume:1:50", 3, &sizes);
//     scree_sizes_draw(sizes, SCREE_SAMPLING_SYSTEMATIC, 1, n, r);
//     scree_sizes_destroy(sizes);
//
// Texts (r radius, d diameter; all lengths in the user's unit):
//     mono:R                       all equal
//     bidisperse:RATIO             radii 1 and RATIO, equal volumes of both
//     uniform-size:MIN:MAX         n(r) constant
//     uniform-volume:MIN:MAX       each interval of r holds the same volume: n(r) ~ r^-dim
//     power:MIN:MAX:A              n(r) ~ r^-A
//     lognormal:MEDIAN:SIGMA       ln r normal
//     fuller:DMIN:DMAX[:Q[:CLASSES]]   mass passing ~ d^Q (Q = 0.5); with CLASSES in geometric classes, linear inside
//     rosin-rammler:DMIN:DMAX:D63:N    mass passing 1 - exp(-(d/D63)^N), cut to DMIN..DMAX
// Distributions are by number, except fuller and rosin-rammler, whose curves are by mass. A last
// word `by-number` or `by-mass` changes this: `lognormal:10:0.4:by-mass`. Mass means r^dim. Two distributions are defined by
// volume: bidisperse takes neither word, uniform-volume (= uniform-size by mass) not `by-mass`.
// Lengths are above 0 and in the range of geom.h, the largest at most 1e60 times the smallest; MIN = MAX is one size.
// SIGMA > 0, Q > 0, RATIO > 1, N from 0.001 to 1000, CLASSES from 1 to 1000000.
#ifndef SCREE_SIZES_H
#define SCREE_SIZES_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_sizes scree_sizes;  // a size distribution; immutable, so any number of threads may use it

typedef enum scree_sampling {
    SCREE_SAMPLING_SYSTEMATIC = 0,  // quantiles (i + 1/2)/n, ascending: deterministic
    SCREE_SAMPLING_SHIFTED,         // quantiles (i + U)/n with one random U
    SCREE_SAMPLING_RANDOM           // n independent draws
} scree_sampling;

typedef enum scree_table_kind {
    SCREE_TABLE_PASSING_MASS = 0,  // share[k]: mass fraction of spheres smaller than d[k]; from 0 to 1 (or 100), linear between the rows
    SCREE_TABLE_NUMBER             // share[k]: number of spheres with the diameter d[k]; only the ratios matter
} scree_table_kind;

// ARGUMENT: the message names the invalid word, what was expected, and the closest known name; MEMORY. `table:` is not supported here,
// because this library reads no files: scree_read_sizes (files.h) also reads tables.
SCREE_API scree_status scree_sizes_parse(const char* text, int32_t dim, scree_sizes** out);

// A sieve curve from arrays, d > 0 and ascending. Between two rows with equal passing mass there are no spheres. ARGUMENT: the message names the
// row (counted from 0); MEMORY. The arrays are not kept.
SCREE_API scree_status scree_sizes_table(scree_table_kind kind, int32_t dim, int64_t rows, const double* d,
                                         const double* share, scree_sizes** out);
SCREE_API void scree_sizes_destroy(scree_sizes* sizes);  // NULL is fine

// Draws n radii into r: O(n + segments), at random O(n log segments). With SYSTEMATIC and SHIFTED they are ascending. The same
// seed gives the same radii; SYSTEMATIC ignores it. For bidisperse, SYSTEMATIC gives n/(1 + RATIO^dim) large spheres,
// rounded. ARGUMENT: n is too small for the distribution (that number must be at least 1, with every sampling), or
// a radius would be outside the range of geom.h; the content of r is then undefined.
SCREE_API scree_status scree_sizes_draw(const scree_sizes* sizes, scree_sampling sampling, uint64_t seed, int32_t n,
                                        double* r);

// Properties of a distribution. Fractions and means are by number unless stated otherwise. r and u outside the range give the value at the nearest end
// of the range; NAN gives NAN.
SCREE_API double scree_sizes_quantile(const scree_sizes* sizes, double u);  // the radius below which the fraction u (0..1) of the spheres is
SCREE_API double scree_sizes_cdf(const scree_sizes* sizes, double r);       // fraction of the spheres with radius <= r
SCREE_API double scree_sizes_cdf_mass(const scree_sizes* sizes, double r);  // the same by mass
SCREE_API double scree_sizes_moment(const scree_sizes* sizes, double k);    // mean of r^k; INFINITY if it overflows
SCREE_API double scree_sizes_get_min(const scree_sizes* sizes);                 // 0 for lognormal
SCREE_API double scree_sizes_get_max(const scree_sizes* sizes);                 // INFINITY for lognormal
SCREE_API const char* scree_sizes_get_text(const scree_sizes* sizes);  // as parsed, "table" for arrays; owned by `sizes`

// The realised curve: for each of the `rows` ascending diameters d[k], the fractions of the n spheres with 2 r <= d[k], by
// number and by mass (r^dim). O(n log rows). MEMORY; ARGUMENT: d is not ascending or a radius is invalid. Either output may
// be NULL. For n = 0 all fractions are 0; if all radii are 0, the fractions by mass are 0.
SCREE_API scree_status scree_sizes_realised(int32_t n, const double* r, int32_t dim, int64_t rows, const double* d,
                                            double* by_number, double* by_mass);

#ifdef __cplusplus
}
#endif
#endif
