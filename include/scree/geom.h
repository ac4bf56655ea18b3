// scree/geom.h: boxes, spheres, images, and the one question that decides every pair.
//
// A box has walls or is periodic, axis by axis. On a periodic axis the content repeats with the box length L; sphere j
// then has images at x_j + s L for every whole s, and a pair of spheres carries the shift s of the image it is about.
#ifndef SCREE_GEOM_H
#define SCREE_GEOM_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lengths (coordinates, radii, gaps) are zero or between these two in size, so that no square over- or underflows.
#define SCREE_LENGTH_MIN 1e-140
#define SCREE_LENGTH_MAX 1e140

// ---- Boxes -------------------------------------------------------------------------------------------------------
typedef struct scree_box {
    int32_t dim;       // 2 or 3; in 2D the third entries below are not looked at
    double lower[3];   // -INFINITY where an axis is open (never on a periodic one)
    double upper[3];   // INFINITY where an axis is open
    bool periodic[3];  // false: walls (or open)
} scree_box;

SCREE_API scree_box scree_box_open(int32_t dim);                      // no bounds at all
SCREE_API scree_box scree_box_sized(int32_t dim, const double* size); // walls from 0 to size[k]
SCREE_API scree_status scree_box_check(const scree_box* box);         // ARGUMENT, with the axis and value, if it is none
SCREE_API double scree_box_volume(const scree_box* box);              // area in 2D; INFINITY if open
SCREE_API bool scree_box_is_periodic(const scree_box* box);           // on any axis

// Brings one coordinate of axis k into [lower, upper) if the axis is periodic, and says by how many box lengths it was
// off (x = wrapped + turns * L up to rounding). Leaves walls and open axes alone. `turns` may be NULL.
SCREE_API double scree_box_wrap(const scree_box* box, int32_t k, double x, double* turns);

// ---- Spheres -----------------------------------------------------------------------------------------------------
// A borrowed view of spheres: centres interleaved (x0 y0 [z0] x1 y1 ...), one radius each. A NumPy (n, dim) array as it is.
typedef struct scree_spheres {
    int32_t count;
    int32_t dim;
    const double* x;  // count * dim; may be NULL if count is 0
    const double* r;  // count
} scree_spheres;

// The smallest walls that hold all spheres with their whole bodies; 0 to 0 when there are none.
SCREE_API scree_box scree_spheres_bounds(scree_spheres spheres);
SCREE_API double scree_spheres_volume(scree_spheres spheres);  // sum of the volumes (areas in 2D), overlaps counted twice

// Checks dim, and every centre and radius: finite, in range, radius not negative, and inside the walls of `box` (which
// may be NULL; periodic axes take any centre). ARGUMENT names the first sphere that fails, counted from 0. O(n).
SCREE_API scree_status scree_spheres_check(scree_spheres spheres, const scree_box* box);

// ---- Pairs -------------------------------------------------------------------------------------------------------
// The distance between the surfaces of sphere i and the image of sphere j that is `shift` box lengths away; negative:
// overlap. `shift` NULL: no images, and `box` may be NULL too. Negative exactly when the index calls the pair a contact.
SCREE_API double scree_pair_gap(const scree_box* box, scree_spheres spheres, int32_t i, int32_t j, const int8_t* shift);

// ---- A set of spheres that owns its arrays -----------------------------------------------------------------------
// What files hold and scenes make. Plain data: read and write the arrays directly; grow them with the calls below.
typedef enum scree_column_kind { SCREE_COLUMN_DOUBLE = 0, SCREE_COLUMN_INT64, SCREE_COLUMN_TEXT } scree_column_kind;

typedef struct scree_column {
    char* name;         // owned; unique in its set; never one of x y z r
    int32_t kind;       // scree_column_kind
    int32_t components; // 1: a number per sphere; 3: a vector; up to 64; interleaved as centres are. Text has 1.
    double* values;     // DOUBLE: count * components
    int64_t* integers;  // INT64: count * components
    char* text;         // TEXT: all words one after the other, each closed by '\0' ...
    int64_t* offset;    // ... and where each of the `count` words begins
} scree_column;

typedef struct scree_sphere_set {
    int32_t dim;        // 2 or 3
    int32_t count;
    double* x;          // count * dim
    double* r;          // count
    bool has_box;       // whether `box` is known
    scree_box box;
    int32_t column_count;
    scree_column* columns;  // further data, one entry per sphere
} scree_sphere_set;

// Makes an empty, zeroed set with room for `count` spheres in x and r (their contents not yet set). MEMORY, ARGUMENT.
SCREE_API scree_status scree_sphere_set_make(int32_t dim, int32_t count, scree_sphere_set* out);
SCREE_API void scree_sphere_set_free(scree_sphere_set* set);  // frees what it owns and zeroes it; a zeroed set is fine
SCREE_API scree_spheres scree_sphere_set_view(const scree_sphere_set* set);

// Adds a numeric column, zeroed; `column` points into the set until the next column is added. ARGUMENT if the name is
// taken or empty. MEMORY leaves the set as it was.
SCREE_API scree_status scree_sphere_set_add(scree_sphere_set* set, const char* name, scree_column_kind kind,
                                            int32_t components, scree_column** column);
SCREE_API const scree_column* scree_sphere_set_find(const scree_sphere_set* set, const char* name);  // NULL: none

#ifdef __cplusplus
}
#endif
#endif
