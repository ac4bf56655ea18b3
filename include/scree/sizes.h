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
// The density that a name stands for is by number, except for fuller and rosin-rammler, whose curves are by mass. A last
// word `by-number` or `by-mass` says otherwise: `lognormal:10:0.4:by-mass`. Mass means r^dim. Two laws are about volume
// by their names: bidisperse takes neither word, uniform-volume (= uniform-size by mass) not `by-mass`.
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
    SCREE_SAMPLING_SYSTEMATIC = 0,  // quantiles (i + 1/2)/n, rising: every part of the distribution once, nothing random
    SCREE_SAMPLING_SHIFTED,         // quantiles (i + U)/n with one random U
    SCREE_SAMPLING_RANDOM           // n independent draws
} scree_sampling;

typedef enum scree_table_kind {
    SCREE_TABLE_PASSING_MASS = 0,  // share[k]: mass share of what is below d[k]; from 0 to 1 (or 100), linear between
    SCREE_TABLE_NUMBER             // share[k]: how many spheres have the diameter d[k], in any unit
} scree_table_kind;

// ARGUMENT names the word that does not fit, what would, and the nearest known distribution; MEMORY. `table:` is not known here,
// because this library reads no files: scree_read_sizes (files.h) reads tables, too.
SCREE_API scree_status scree_sizes_parse(const char* text, int32_t dim, scree_sizes** out);

// A sieve curve from arrays, d > 0 and rising. Equal passing shares mean that nothing lies between. ARGUMENT names the
// row (counted from 0); MEMORY. The arrays are not kept.
SCREE_API scree_status scree_sizes_table(scree_table_kind kind, int32_t dim, int64_t rows, const double* d,
                                         const double* share, scree_sizes** out);
SCREE_API void scree_sizes_destroy(scree_sizes* sizes);  // NULL is fine

// Draws n radii into r: O(n + segments), at random O(n log segments). SYSTEMATIC and SHIFTED give them rising. The same
// seed gives the same radii; SYSTEMATIC does not look at it. Of two sizes, SYSTEMATIC gives n/(1 + RATIO^dim) big ones,
// rounded. ARGUMENT if so few do not represent the distribution (that number must be at least 1, however the sampling), or if
// a radius would leave the range of geom.h; r then holds nothing of use.
SCREE_API scree_status scree_sizes_draw(const scree_sizes* sizes, scree_sampling sampling, uint64_t seed, int32_t n,
                                        double* r);

// Questions about a distribution. Shares and means are by number unless said. r and u outside its range get what its nearest end
// would; a NaN gets a NaN.
SCREE_API double scree_sizes_quantile(const scree_sizes* sizes, double u);  // the radius below which the share u (0..1) is
SCREE_API double scree_sizes_cdf(const scree_sizes* sizes, double r);       // share of the spheres with radius <= r
SCREE_API double scree_sizes_cdf_mass(const scree_sizes* sizes, double r);  // the same by mass
SCREE_API double scree_sizes_moment(const scree_sizes* sizes, double k);    // mean of r^k; INFINITY if it overflows
SCREE_API double scree_sizes_get_min(const scree_sizes* sizes);                 // 0 for lognormal
SCREE_API double scree_sizes_get_max(const scree_sizes* sizes);                 // INFINITY for lognormal
SCREE_API const char* scree_sizes_get_text(const scree_sizes* sizes);  // as parsed, "table" for arrays; owned by `sizes`

// The realised curve: for each of the `rows` rising diameters d[k], the shares of the n spheres with 2 r <= d[k], by
// number and by mass (r^dim). O(n log rows). MEMORY; ARGUMENT if d does not rise or a radius is invalid. Either output may
// be NULL. Shares of nothing are 0: all of them for n = 0, those by mass if all radii are 0.
SCREE_API scree_status scree_sizes_realised(int32_t n, const double* r, int32_t dim, int64_t rows, const double* d,
                                            double* by_number, double* by_mass);

#ifdef __cplusplus
}
#endif
#endif
