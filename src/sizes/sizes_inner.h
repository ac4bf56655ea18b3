// The inside of a size distribution, shared by parse.c (makes distributions), sizes.c and rosin_rammler.c (ask them) and
// draw.c (draws from them).
#ifndef SCREE_SIZES_INNER_H
#define SCREE_SIZES_INNER_H

#include "geom/length.h"  // for the range of lengths only
#include "scree/sizes.h"

#include <math.h>

// The largest size over the smallest: its cube, and that times a share, are then far inside the doubles.
#define SCREE_SIZE_RATIO_MAX 1e60

// One stretch of a distribution: radii from a to b with a number density ~ r^-e; a == b is a point mass.
typedef struct scree_size_segment {
    double a, b;
    double e;          // 0: uniform
    double log_ratio;  // ln(b/a)
    double share;      // of the spheres, by number
    double below;      // the shares of all earlier segments together
    double mass;       // the same two by mass
    double mass_below;
} scree_size_segment;

// The integral of exp(alpha z - e^z) over z = ln((r/r63)^n), from rmin to rmax, seen from its highest point. With
// y = z - ln t, t the value of (r/r63)^n there, the integrand is exp(alpha y - t (e^y - 1)): 1 at y = 0 and falling on
// both sides, so that nothing over- or underflows where it matters.
typedef struct scree_rosin_integral {
    double alpha;
    double r;          // the radius of the highest point
    double t, log_t;   // (r/r63)^n and its logarithm
    double low, high;  // y at rmin and rmax
} scree_rosin_integral;

// A Rosin-Rammler distribution. The curve it was given by (`by_mass` says which) has a closed form; the other is tabulated at
// knots.
typedef struct scree_rosin {
    bool by_mass;
    double rmin, rmax, r63, n;
    double tmin, span;  // (rmin/r63)^n, and (rmax/r63)^n - tmin
    scree_rosin_integral other;
    int64_t panels;
    double* knot;     // panels + 1 values of y
    double* below;    // share at each knot, 0 to 1
    double* density;  // d share / dy at each knot
} scree_rosin;

typedef enum scree_sizes_kind { SIZES_SEGMENTS, SIZES_LOGNORMAL, SIZES_ROSIN } scree_sizes_kind;

struct scree_sizes {
    scree_sizes_kind kind;
    int32_t dim;
    char* text;                    // owned
    bool two_sizes;                // bidisperse: segments 0 and 1 are the sizes, and at least one big sphere is due
    double big_per_sphere;         // ... its number share of big ones is 1 / this
    int64_t count;                 // SEGMENTS
    scree_size_segment* segments;  // owned, rising
    double median, sigma;          // LOGNORMAL, by number
    scree_rosin rosin;             // ROSIN, owned arrays
};

// Makers of distributions. `text` is copied. On failure (MEMORY, or ARGUMENT where said) *out is not touched.

// From `count` rising segments of which a, b, e and share are set, the shares in any unit (not all 0); those with no
// share are left out. The array is the caller's.
scree_status scree_sizes_from_segments(const char* text, int32_t dim, int64_t count, const scree_size_segment* segments,
                                       scree_sizes** out);
scree_status scree_sizes_from_lognormal(const char* text, int32_t dim, double median, double sigma, scree_sizes** out);
// rmin < rmax. ARGUMENT if the curve has no mass worth the name between them.
scree_status scree_sizes_from_rosin(const char* text, int32_t dim, bool by_mass, double rmin, double rmax, double r63,
                                    double n, scree_sizes** out);

// The parts of Rosin-Rammler. `by_mass`, rmin, rmax, r63 and n are set; this does the rest: knots and shares of the curve
// that does not define the distribution. MEMORY; to be freed then too.
scree_status scree_rosin_tabulate(scree_rosin* rosin, int32_t dim);
void scree_rosin_free(scree_rosin* rosin);  // its arrays; a zeroed distribution is fine
double scree_rosin_below(const scree_rosin* rosin, double r, bool by_mass);
double scree_rosin_moment(const scree_rosin* rosin, int32_t dim, double k);
double scree_rosin_quantile(const scree_rosin* rosin, double u);                    // by number, 0 < u < 1
double scree_rosin_quantile_walk(const scree_rosin* rosin, double u, int64_t* at);  // distributions by mass, as the walk below

// The mean over the segment of (r/scale)^k.
double scree_size_segment_mean(const scree_size_segment* segment, double scale, double k);

// Whether r is a length that geom.h allows and not 0; a NaN is not.
static inline bool scree_size_fits(double r)
{
    return r > 0.0 && scree_is_length(r);
}

static inline double scree_size_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

// ln(b/a), good also where b is hardly more than a.
static inline double scree_size_log_ratio(double a, double b)
{
    double excess = (b - a) / a;
    return fabs(excess) < 0.5 ? log1p(excess) : log(b / a);
}

// As scree_sizes_quantile for 0 < u < 1, for callers whose u only rises: *at is where the last call found its u (0
// before the first), and the search walks on from there.
double scree_sizes_quantile_walk(const scree_sizes* sizes, double u, int64_t* at);

#endif
