// scree/geom.h: boxes, spheres, images, and the one question that decides every pair.
//
// A box has walls or is periodic, axis by axis. On a periodic axis the content repeats with the box length L; sphere j
// then has images at x_j + s L for every whole s, and a pair of spheres carries the shift s of the image it is about.
//
// A periodic box may be tilted (triclinic): its edge vectors are the rows of a lower triangular matrix, as in LAMMPS,
//
//     a = (Lx, 0, 0)    b = (xy, Ly, 0)    c = (xz, yz, Lz)        Lx = upper[0] - lower[0], ...; xy, xz, yz = tilt
//
// and images are at x_j + sx a + sy b + sz c. Any three vectors have this form after a rotation. Such a box repeats just as its bounds do, the
// right-angled block from lower to upper: of each sphere exactly one image is in there, so centres are wrapped into it, and it has the volume of the cell.
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
    int32_t dim;       // 2 or 3; in 2D the third entries below are ignored
    double lower[3];   // -INFINITY where an axis is open (never on a periodic one)
    double upper[3];   // INFINITY where an axis is open
    bool periodic[3];  // false: walls (or open)
    double tilt[3];    // xy, xz, yz: what an edge vector adds along an earlier axis. Other than 0 only where both axes are periodic. Of any size: cells
                       // that are tilted by whole boxes more or less are the same ones, with other shifts
} scree_box;

SCREE_API scree_box scree_box_open(int32_t dim);                      // no bounds at all
SCREE_API scree_box scree_box_sized(int32_t dim, const double* size); // walls from 0 to size[k]
SCREE_API scree_status scree_box_check(const scree_box* box);         // ARGUMENT, with the axis and value, if it is invalid
SCREE_API double scree_box_volume(const scree_box* box);              // area in 2D; INFINITY if open
SCREE_API bool scree_box_is_periodic(const scree_box* box);           // on any axis
SCREE_API bool scree_box_is_tilted(const scree_box* box);             // some tilt is not 0

// For what knows right angles only. UNSUPPORTED if the box is tilted; the message begins with `what` ("drop") and has the tilts.
SCREE_API scree_status scree_box_reject_tilt(const scree_box* box, const char* what);

// The distance between a point and the nearest of its own images; INFINITY if no axis is periodic. A sphere with a larger diameter overlaps itself. Without
// tilt the shortest periodic axis.
SCREE_API double scree_box_period(const scree_box* box);

// shift[0] a + shift[1] b + shift[2] c, on periodic axes: from a sphere to its image. dim numbers each.
SCREE_API void scree_box_offset(const scree_box* box, const int8_t* shift, double* offset);

// Brings one coordinate of axis k into [lower, upper) if the axis is periodic, and says by how many box lengths it was
// off (x = wrapped + turns * L up to rounding). Leaves walls and open axes alone. `turns` may be NULL. In a tilted box a turn moves other coordinates
// too: there scree_box_wrap_centre is right.
SCREE_API double scree_box_wrap(const scree_box* box, int32_t k, double x, double* turns);

// The same for a whole centre of dim numbers, in boxes with and without tilt: the last axis first, x = wrapped + turns[0] a + turns[1] b + turns[2] c.
// `turns` (dim numbers) may be NULL.
SCREE_API void scree_box_wrap_centre(const scree_box* box, double* x, double* turns);

// ---- Containers --------------------------------------------------------------------------------------------------
// A box, or a round body inside one that bounds it. Its walls are the faces of the box on axes that are not periodic, and the round one:
//   cylinder  around the axis along z through the middle of the box; x and y equally long and not periodic, z with ends or periodic. 3D only
//   sphere    all axes equally long, none periodic; in 2D a circle
// A round container has no tilted box.
// Equally long means to 1e-9 of the length; the shortest counts.
typedef enum scree_container_kind { SCREE_CONTAINER_BOX = 0, SCREE_CONTAINER_CYLINDER, SCREE_CONTAINER_SPHERE } scree_container_kind;

typedef struct scree_container {
    int32_t kind;   // scree_container_kind
    scree_box box;  // bounds it
} scree_container;

// A wall as a sphere near it sees it.
typedef struct scree_wall {
    double gap;        // between wall and surface; negative: the sphere sticks out by so much
    double normal[3];  // of length 1, away from the wall; 0 along z in 2D. At the centre of a round wall it is undefined; (1, 0, 0) is returned
} scree_wall;
enum { SCREE_WALLS_MAX = 6 };  // that one container can have

SCREE_API scree_status scree_container_check(const scree_container* c);    // ARGUMENT: unknown kind, or a box that does not bound it; UNSUPPORTED: a round one in a tilted box
SCREE_API const char* scree_container_name(int32_t kind);                  // "box", "cylinder", "sphere"; NULL for an unknown number
SCREE_API double scree_container_volume(const scree_container* c);         // area in 2D; INFINITY if open
SCREE_API double scree_container_largest(const scree_container* c);        // radius of the largest sphere that fits; at most half of scree_box_period

// How far a sphere sticks out through the walls: above 0 exactly if it does, else minus its distance from the nearest wall (-INFINITY: there is
// none). The predicate behind it: x >= lower + r and x <= upper - r at faces; dx^2 + dy^2 [+ dz^2] <= (R - r)^2, d from the middle, at round ones.
SCREE_API double scree_container_depth(const scree_container* c, const double* x, double r);

// The walls with a gap below `gap` to a sphere, into walls[SCREE_WALLS_MAX]: faces by axis, low before high, then the round one. Returns how
// many. A sphere pushed by -gap along the normal of one is inside of it up to rounding.
SCREE_API int32_t scree_container_walls(const scree_container* c, const double* x, double r, double gap, scree_wall* walls);

// A centre for a sphere of radius r, evenly over all places where it does not stick out; in [lower, upper) on periodic axes. The
// container must be closed and r at most scree_container_largest.
SCREE_API void scree_container_draw(const scree_container* c, double r, scree_rng* rng, double* x);

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
// The distance between the surfaces of sphere i and the image of sphere j that is `shift` boxes away (scree_box_offset); negative:
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
    int32_t container;  // scree_container_kind that `box` bounds; BOX, and always so without a box
} scree_sphere_set;

// Makes an empty, zeroed set with room for `count` spheres in x and r (their contents not yet set). MEMORY, ARGUMENT.
SCREE_API scree_status scree_sphere_set_make(int32_t dim, int32_t count, scree_sphere_set* out);
SCREE_API void scree_sphere_set_free(scree_sphere_set* set);  // frees what it owns and zeroes it; a zeroed set is fine
SCREE_API scree_spheres scree_sphere_set_view(const scree_sphere_set* set);

// Checks the box of a set, if it has one: of the dimension of the spheres, a box at all (scree_box_check), and one that its container can
// have (scree_container_check). ARGUMENT; also a round container without a box.
SCREE_API scree_status scree_sphere_set_check_box(const scree_sphere_set* set);

// Adds a numeric column, zeroed; `column` points into the set until the next column is added. ARGUMENT if the name is
// taken or empty. MEMORY leaves the set as it was.
SCREE_API scree_status scree_sphere_set_add(scree_sphere_set* set, const char* name, scree_column_kind kind,
                                            int32_t components, scree_column** column);
SCREE_API const scree_column* scree_sphere_set_find(const scree_sphere_set* set, const char* name);  // NULL: none

// The row of a sphere that contacts and broken bonds of a run name by its number: the number itself or, of frames of a run in which spheres come and go, the row that has it in the
// column "id". -1: there is no such row. O(log count).
SCREE_API int64_t scree_sphere_set_row(const scree_sphere_set* set, int64_t id);

#ifdef __cplusplus
}
#endif
#endif
