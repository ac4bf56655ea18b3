// scree/geom.h: boxes, spheres, images, and the gap of a pair.
//
// Each axis of a box is open, has walls, or is periodic. On a periodic axis of length L sphere j
// has images at x_j + s L for every integer s, and a pair of spheres includes the shift s of the image.
//
// A periodic box may be tilted (triclinic): its edge vectors are the rows of a lower triangular matrix, as in LAMMPS,
//
//     a = (Lx, 0, 0)    b = (xy, Ly, 0)    c = (xz, yz, Lz)        Lx = upper[0] - lower[0], ...; xy, xz, yz = tilt
//
// and images are at x_j + sx a + sy b + sz c. Any three vectors have this form after a rotation. The rectangular block from lower to upper contains exactly
// one image of each sphere and has the volume of the cell; centres are wrapped into it.
#ifndef SCREE_GEOM_H
#define SCREE_GEOM_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lengths (coordinates, radii, gaps) are zero or between these two in magnitude, so that no square overflows or underflows.
#define SCREE_LENGTH_MIN 1e-140
#define SCREE_LENGTH_MAX 1e140

// ---- Boxes -------------------------------------------------------------------------------------------------------
typedef struct scree_box {
    int32_t dim;       // 2 or 3; in 2D the third entries below are ignored
    double lower[3];   // -INFINITY where an axis is open (never on a periodic one)
    double upper[3];   // INFINITY where an axis is open
    bool periodic[3];  // false: walls (or open)
    double tilt[3];    // xy, xz, yz: components of an edge vector along an earlier axis. Not 0 only if both axes are periodic. Of any size: tilts
                       // that differ by whole boxes give the same lattice, with other shifts
} scree_box;

SCREE_API scree_box scree_box_open(int32_t dim);                      // no bounds at all
SCREE_API scree_box scree_box_sized(int32_t dim, const double* size); // walls from 0 to size[k]
SCREE_API scree_status scree_box_check(const scree_box* box);         // ARGUMENT, with the axis and value, if it is invalid
SCREE_API double scree_box_volume(const scree_box* box);              // area in 2D; INFINITY if open
SCREE_API bool scree_box_is_periodic(const scree_box* box);           // on any axis
SCREE_API bool scree_box_is_tilted(const scree_box* box);             // some tilt is not 0

// For functions that support only rectangular boxes. UNSUPPORTED if the box is tilted; the message begins with `what` ("drop") and has the tilts.
SCREE_API scree_status scree_box_reject_tilt(const scree_box* box, const char* what);

// The distance between a point and the nearest of its own images; INFINITY if no axis is periodic. A sphere with a larger diameter overlaps itself. Without
// tilt the shortest periodic axis.
SCREE_API double scree_box_period(const scree_box* box);

// shift[0] a + shift[1] b + shift[2] c, on periodic axes: from a sphere to its image. dim numbers each.
SCREE_API void scree_box_offset(const scree_box* box, const int8_t* shift, double* offset);

// Returns a coordinate of axis k wrapped into [lower, upper) if the axis is periodic, else unchanged. *turns (may be NULL) is the number of box lengths that
// were subtracted (x = wrapped + turns * L up to rounding). In a tilted box wrapping changes other coordinates
// too: use scree_box_wrap_centre there.
SCREE_API double scree_box_wrap(const scree_box* box, int32_t k, double x, double* turns);

// The same for a whole centre of dim numbers, in boxes with and without tilt: the last axis first, x = wrapped + turns[0] a + turns[1] b + turns[2] c.
// `turns` (dim numbers) may be NULL.
SCREE_API void scree_box_wrap_centre(const scree_box* box, double* x, double* turns);

// The same for `count` centres, in place; turns[i * dim + k] may be NULL. Unwrapped trajectories go through this before a search for pairs, whose shifts are int8 and whose centres
// are at most 32 boxes away: the image of j that belongs to the centres as given is at shift + turns of i - turns of j. O(count). ARGUMENT: a centre that is not finite or more
// than 1e8 boxes away; the centres before it are wrapped then.
SCREE_API scree_status scree_box_wrap_centres(const scree_box* box, int64_t count, double* x, int32_t* turns);

// ---- Containers --------------------------------------------------------------------------------------------------
// A box, or a cylinder or sphere in a box that bounds it. Its walls are the faces of the box on axes that are not periodic, and the round wall:
//   cylinder  around the axis along z through the middle of the box; x and y equally long and not periodic, z with ends or periodic. 3D only
//   sphere    all axes equally long, none periodic; in 2D a circle
// The box of a round container is not tilted.
// Equally long means to 1e-9 of the length; the shortest side is used.
typedef enum scree_container_kind { SCREE_CONTAINER_BOX = 0, SCREE_CONTAINER_CYLINDER, SCREE_CONTAINER_SPHERE } scree_container_kind;

typedef struct scree_container {
    int32_t kind;   // scree_container_kind
    scree_box box;  // bounds it
} scree_container;

// A wall near a sphere.
typedef struct scree_wall {
    double gap;        // between wall and surface of the sphere; negative: the sphere penetrates the wall by that much
    double normal[3];  // of length 1, away from the wall; 0 along z in 2D. At the centre of a round wall it is undefined; (1, 0, 0) is returned
} scree_wall;
enum { SCREE_WALLS_MAX = 6 };  // walls of one container

SCREE_API scree_status scree_container_check(const scree_container* c);    // ARGUMENT: unknown kind, or a box that does not bound it; UNSUPPORTED: a round one in a tilted box
SCREE_API const char* scree_container_name(int32_t kind);                  // "box", "cylinder", "sphere"; NULL for an unknown number
SCREE_API double scree_container_volume(const scree_container* c);         // area in 2D; INFINITY if open
SCREE_API double scree_container_largest(const scree_container* c);        // radius of the largest sphere that fits; at most half of scree_box_period

// How far a sphere penetrates the walls: above 0 if and only if it does, else minus its distance from the nearest wall (-INFINITY: there is
// none). A sphere is inside if x >= lower + r and x <= upper - r at faces, and dx^2 + dy^2 [+ dz^2] <= (R - r)^2 at round walls, with d from the centre.
SCREE_API double scree_container_depth(const scree_container* c, const double* x, double r);

// Writes the walls with a gap below `gap` to a sphere into walls[SCREE_WALLS_MAX]: faces by axis, lower before upper, then the round one. Returns their
// number. A sphere that is moved by -gap along the normal of a wall is inside it, up to rounding.
SCREE_API int32_t scree_container_walls(const scree_container* c, const double* x, double r, double gap, scree_wall* walls);

// A random centre for a sphere of radius r, uniform over all positions where it is inside the walls; in [lower, upper) on periodic axes. The
// container must be closed and r at most scree_container_largest.
SCREE_API void scree_container_draw(const scree_container* c, double r, scree_rng* rng, double* x);

// ---- Spheres -----------------------------------------------------------------------------------------------------
// A borrowed view of spheres: centres interleaved (x0 y0 [z0] x1 y1 ...), as in a NumPy array of shape (n, dim), and one radius each.
typedef struct scree_spheres {
    int32_t count;
    int32_t dim;
    const double* x;  // count * dim; may be NULL if count is 0
    const double* r;  // count
} scree_spheres;

// The smallest box with walls that contains all spheres completely; 0 to 0 if there are none.
SCREE_API scree_box scree_spheres_bounds(scree_spheres spheres);
SCREE_API double scree_spheres_volume(scree_spheres spheres);  // sum of the volumes (areas in 2D), overlaps counted twice

// Checks dim, and every centre and radius: finite, in range, radius not negative, and inside the walls of `box` (which
// may be NULL; periodic axes take any centre). ARGUMENT names the first sphere that fails, counted from 0. O(n).
SCREE_API scree_status scree_spheres_check(scree_spheres spheres, const scree_box* box);

// ---- Pairs -------------------------------------------------------------------------------------------------------
// The distance between the surfaces of sphere i and the image of sphere j that is `shift` boxes away (scree_box_offset); negative:
// overlap. `shift` NULL: no images, and `box` may be NULL too. Negative if and only if the pair is a contact in the index.
SCREE_API double scree_pair_gap(const scree_box* box, scree_spheres spheres, int32_t i, int32_t j, const int8_t* shift);

// ---- A set of spheres that owns its arrays -----------------------------------------------------------------------
// The content of files, and what scenes make. Plain data: read and write the arrays directly; grow them with the calls below.
typedef enum scree_column_kind { SCREE_COLUMN_DOUBLE = 0, SCREE_COLUMN_INT64, SCREE_COLUMN_TEXT } scree_column_kind;

typedef struct scree_column {
    char* name;         // owned; unique in its set; never one of x y z r
    int32_t kind;       // scree_column_kind
    int32_t components; // 1: a number per sphere; 3: a vector; up to 64; interleaved as centres are. Text has 1.
    double* values;     // DOUBLE: count * components
    int64_t* integers;  // INT64: count * components
    char* text;         // TEXT: all texts one after the other, each ended by '\0' ...
    int64_t* offset;    // ... and the start of each of the `count` texts
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
    int32_t container;  // scree_container_kind that `box` bounds; BOX, and always so without a box
} scree_sphere_set;

// Makes a set with arrays x and r for `count` spheres (their content is undefined), without box and columns. MEMORY, ARGUMENT.
SCREE_API scree_status scree_sphere_set_make(int32_t dim, int32_t count, scree_sphere_set* out);
SCREE_API void scree_sphere_set_free(scree_sphere_set* set);  // frees what it owns and zeroes it; a zeroed set is fine
SCREE_API scree_spheres scree_sphere_set_view(const scree_sphere_set* set);

// Checks the box of a set, if it has one: it must have the dimension of the spheres, be valid (scree_box_check), and bound its container
// (scree_container_check). ARGUMENT; also for a round container without a box.
SCREE_API scree_status scree_sphere_set_check_box(const scree_sphere_set* set);

// Adds a numeric column, zeroed; `column` points into the set until the next column is added. ARGUMENT if the name is
// taken or empty. MEMORY leaves the set as it was.
SCREE_API scree_status scree_sphere_set_add(scree_sphere_set* set, const char* name, scree_column_kind kind,
                                            int32_t components, scree_column** column);
SCREE_API const scree_column* scree_sphere_set_find(const scree_sphere_set* set, const char* name);  // NULL: none

// The row of the sphere with this id, as contacts and broken bonds of a run refer to it: the id itself or, in frames of a run with insertion or removal, the row that has it in the
// column "id". -1: there is no such row. O(log count).
SCREE_API int64_t scree_sphere_set_row(const scree_sphere_set* set, int64_t id);

#ifdef __cplusplus
}
#endif
#endif
