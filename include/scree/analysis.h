// scree/analysis.h: measures of spheres with velocities, contacts and forces: fields on a grid, profiles, the contact network, forces, mixing, angle of repose, flow, displacements.
//
//     scree_snapshot now = scree_default_snapshot();
//     now.box = scree_sim_get_box(sim);
//     now.spheres = spheres;                        // x as scree_sim_get_column(sim, "x", ...) has it
//     now.v = v;
//     now.contacts = &contacts;                     // from scree_sim_get_contacts, or a file (scree_read_contacts)
//     scree_fields_def def = scree_default_fields_def();
//     def.cells[0] = def.cells[1] = 1;              // 1, 1, 40: a profile along z
//     def.cells[2] = 40;
//     scree_fields fields;
//     scree_measure_fields(&now, &def, &fields);
//     ... fields.density[c], fields.contact_stress[c][2][2] ...
//     scree_fields_free(&fields);
//
// A snapshot is borrowed for the call. Results are plain data owned by the caller; their arrays are freed by the corresponding _free function. No result depends
// on the number of threads, to the last bit. Volumes are areas in 2D, and vectors and tensors have 0 along z there.
//
// Every call fails with ARGUMENT if the snapshot is invalid (a box that is open or has no volume, spheres that scree_spheres_check rejects, a mass or velocity that is not
// finite, a contact of a sphere that does not exist), and with MEMORY. Further errors are listed with each call.
#ifndef SCREE_ANALYSIS_H
#define SCREE_ANALYSIS_H

#include "scree/geom.h"
#include "scree/index.h"
#include "scree/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_snapshot {
    uint32_t struct_size;   // filled by the default function; lets this struct grow between versions
    scree_box box;          // closed on every axis; centres outside on periodic axes are wrapped
    int32_t container;      // scree_container_kind that the box bounds; only areas of walls depend on it. BOX
    scree_spheres spheres;
    const double* mass;     // count, 0 or more; NULL: their volumes, a material density of 1
    const double* v;        // count * dim; NULL: at rest
    const double* spin;     // count * 3, in 2D count; NULL: 0
    const int32_t* group;   // count, 0 to 65535; NULL: all in group 0
    const scree_sim_contacts* contacts;  // count, ij, shift, overlap, normal and force are used; force NULL: not known. NULL: no contacts
    double gravity[3];      // acceleration, for energies
    int32_t threads;        // 0: all cores. The answer does not depend on it
    scree_watch watch;      // progress and stop; zeroed: none
    const scree_sim_bonds* bonds;  // count, ij, shift, broken_at and cause are used; broken_at NULL: all are intact, cause NULL: not known. NULL: no bonds
} scree_snapshot;

SCREE_DEFAULTS(scree_snapshot, scree_default_snapshot)  // box: open in 3D, so it must be set

// Contacts that own their arrays: found by the call below, or read from a file (scree_read_contacts in scree/files.h).
typedef struct scree_contact_table {
    scree_sim_contacts contacts;  // for scree_snapshot.contacts. Unknown arrays are NULL
} scree_contact_table;

// The pairs of spheres with gap < `gap`, sorted, and walls nearer than that to a sphere, numbered as in scree_sim_contacts; overlap = -gap, without forces. For spheres that were not
// simulated; the contacts of the snapshot are ignored. Searches by the index. ARGUMENT also: a gap that the index rejects; CANCELLED.
SCREE_API scree_status scree_find_contacts(const scree_snapshot* snapshot, double gap, scree_contact_table* out);
SCREE_API void scree_contact_table_free(scree_contact_table* table);  // and zeroes it; NULL or a zeroed one is fine

// Where each contact of the snapshot acts: x_i - (r_i - overlap / 2) n between spheres, in the middle of the overlap, and x_i - (r_i - overlap) n at walls and surfaces. From the centre of i it is the lever
// arm of the force on i. `points`: dim numbers for each contact. O(n + contacts). ARGUMENT also: a snapshot without contacts, or contacts without normals and overlaps.
SCREE_API scree_status scree_contact_points(const scree_snapshot* snapshot, double* points);

// ---- Fields ------------------------------------------------------------------------------------------------------
// Coarse-grained fields (Goldhirsch 2010) on a grid of cells that fills the box. With the kernel phi, whose integral is 1:
//     density         sum of m phi(x - x_i)
//     momentum        sum of m v phi(x - x_i); velocity = momentum / density
//     kinetic stress  sum of m v' v'^T phi(x - x_i), v' = v_i - velocity(x)
//     contact stress  sum over contacts of f d^T int_0^1 phi(x - x_i + s d) ds; f acts on i, d = x_i - x_j from centre to centre, of walls from the wall
// Stress is positive under pressure, as in scree_sim_report. Values are averages over cells, not values at points: exact integrals of phi over each cell. The part of the
// kernel beyond a periodic face is added at the opposite face; at walls it is reflected. The sum over cells times their volume is therefore the total
// mass, momentum and sum of f d^T, to rounding, for any width, and a uniform density stays uniform up to the walls.
typedef enum scree_kernel {
    SCREE_KERNEL_GAUSS = 0,   // exp(-|x|^2 / (2 width^2)), cut at 4 widths along each axis
    SCREE_KERNEL_HEAVISIDE,   // constant in a ball (2D: disc) of radius `width`
    SCREE_KERNEL_COUNT
} scree_kernel;

SCREE_API const char* scree_kernel_name(int32_t kernel);  // "gauss", "heaviside"; NULL for an unknown number

typedef struct scree_fields_def {
    uint32_t struct_size;
    int32_t cells[3];   // along each axis, 1 to 10000; 1: the average across the box, so 1, 1, n is a profile along z. [2] is not used in 2D (10, 10, 10)
    int32_t kernel;     // scree_kernel; GAUSS
    double width;       // NAN: the mean diameter, half of it for GAUSS
} scree_fields_def;

SCREE_DEFAULTS(scree_fields_def, scree_default_fields_def)

typedef struct scree_fields {
    int32_t dim;
    int32_t cells[3];         // [2] is 1 in 2D
    double lower[3], size[3]; // of the grid: lower corner, and the sides of a cell
    double width;             // the one used
    int64_t count;            // cells[0] * cells[1] * cells[2]; x changes fastest
    double* density;          // mass per volume
    double* fraction;         // volume of spheres per volume
    double (*momentum)[3];    // per volume
    double (*velocity)[3];    // momentum / density; 0 where the density is 0
    double* temperature;      // granular: trace of the kinetic stress / (dim density), a velocity squared; 0 where the density is 0
    double (*kinetic_stress)[3][3];
    double (*contact_stress)[3][3];  // 0 without contacts or forces. With friction not symmetric
} scree_fields;

// O((spheres + contacts) times cells within the kernel). The integral along a contact is by 3-point Gauss quadrature on pieces of at most 1 (HEAVISIDE: 1/4) width, up to
// 100000 of them: its error is below 2e-5 (HEAVISIDE: 1e-2) of the largest value that this contact gives to a cell, and 0 in the sum over cells. ARGUMENT also: cells, a width that is not
// above 0 or is longer than an axis with more than one cell, contacts without normals and overlaps; CANCELLED. In a tilted box the grid is that of a box with right angles, the same lower corner and
// the same sides: matter of the tilted box outside of it counts by its images.
SCREE_API scree_status scree_measure_fields(const scree_snapshot* snapshot, const scree_fields_def* def, scree_fields* out);
SCREE_API void scree_fields_free(scree_fields* fields);  // and zeroes it; NULL or a zeroed one is fine

// Takes `next` into `mean`, the average of `count` fields of the same cells so far, each of the same weight; 0: `mean` is zeroed, and becomes a copy. Density, fraction, momentum and contact stress
// are means, and velocity is momentum / density of these. The kinetic stress is about that velocity: it has the motion of the mean velocity in time too. If the grids differ in place, as in a box that
// changes, their corners and cells are averaged. ARGUMENT: other numbers of cells, a count below 0; MEMORY. After a failure `mean` is as it was.
SCREE_API scree_status scree_fields_average(scree_fields* mean, int64_t count, const scree_fields* next);

// ---- The contact network -----------------------------------------------------------------------------------------
// The mean of n n^T over contacts between spheres (walls are left out), n the normal.
typedef struct scree_fabric {
    double tensor[3][3];   // trace 1; 0 without contacts
    double values[3];      // its eigenvalues, the largest first; [2] is 0 in 2D
    double anisotropy;     // 3D: sqrt(((a - b)^2 + (b - c)^2 + (c - a)^2) / 2) of them, 2D: a - b. 0: isotropic, 1: all normals are parallel
} scree_fabric;

typedef enum scree_clusters {
    SCREE_CLUSTERS_BY_CONTACTS = 0,
    SCREE_CLUSTERS_BY_BONDS,     // intact ones
    SCREE_CLUSTERS_COUNT
} scree_clusters;

SCREE_API const char* scree_clusters_name(int32_t clusters);  // "contacts", "bonds"; NULL for an unknown number

typedef struct scree_network_def {
    uint32_t struct_size;
    int32_t force_bins;    // of the force distribution, 1 to 10000 (50); 0: none
    double force_from, force_to;  // its ends, over the mean force. NAN: 0, or the least force if that is below 0; and the largest
    int32_t least_contacts;  // that hold a sphere, 1 to 1000; one with fewer is a rattler. 0: 2 if the law of the contacts has friction (they have `tangential`), else dim + 1
    int32_t clusters;      // scree_clusters: what connects spheres; CONTACTS
} scree_network_def;

SCREE_DEFAULTS(scree_network_def, scree_default_network_def)

typedef struct scree_network {
    int32_t n;                 // spheres
    int64_t contacts;          // between spheres; each touching image is one
    int64_t wall_contacts;
    double coordination;       // 2 contacts / n
    int32_t rattlers;          // held by fewer than contacts_min spheres and walls, removed repeatedly, as in scree_contact_counts
    uint8_t* rattler;          // n: 1 if it is one
    int64_t backbone_contacts; // between spheres that are not rattlers
    double backbone_coordination;  // 2 backbone_contacts / (n - rattlers); 0 if all are rattlers

    scree_fabric fabric;       // all contacts count alike
    scree_fabric force_fabric; // each contact counts by the magnitude of its force: sum of |f| n n^T / sum of |f|. 0 where forces are not known

    // P(f): distribution of normal forces over their mean.
    double force_mean;         // of the normal components (repulsion above 0) over contacts between spheres; NAN where they are not known
    double force_max;      // NAN likewise
    int32_t bins;              // 0: not requested, no forces, or a mean that is not above 0
    double* edge;              // bins + 1, in units of the mean, evenly from force_from to force_to
    int64_t* number;           // contacts in each bin; one at force_to is in the last one
    double* probability;       // density: the sum of probability times bin width is the fraction of contacts that is not outside
    int64_t outside;           // contacts below force_from or above force_to

    // Clusters: spheres that are connected by contacts, or by intact bonds (def.clusters). One without is a cluster by itself.
    int32_t clusters;
    int32_t cluster_max;   // spheres in the largest cluster
    int32_t* cluster;          // n: that of each sphere; numbered by their first sphere
    int32_t* cluster_size;     // clusters
    uint8_t* cluster_axes;     // clusters: bit k is set if it percolates along axis k: it touches both walls or, on a periodic axis, an image of itself
    bool percolates[3];        // whether any cluster does

    int32_t contacts_min;      // the least_contacts used
    int32_t no_contact, one_contact;  // spheres with no contact, and with one, counting walls
    double mechanical_coordination;   // (2 contacts + wall_contacts - one_contact) / (n - no_contact - one_contact), as in scree_contact_counts; 0 if no sphere has two
} scree_network;

// O(n + contacts + bonds). ARGUMENT also: a snapshot without contacts, or contacts without normals; clusters by bonds without bonds; bins; ends of the distribution that do not rise.
SCREE_RESULT(scree_measure_network, (const scree_snapshot* snapshot, const scree_network_def* def, scree_network* out), (snapshot, def, out))
SCREE_RELEASE(scree_network, scree_network_free)  // and zeroes it; NULL or a zeroed one is fine

// ---- Breakage ----------------------------------------------------------------------------------------------------
// Fragments: spheres that are connected by intact bonds, of the spheres that have or had a bond. One whose bonds are all broken is a fragment by itself.
typedef struct scree_fragments {
    int32_t n;                 // spheres
    int32_t bonded;            // of them have or had a bond
    int32_t fragments;
    int32_t fragment_max;      // spheres in the largest fragment
    double fragment_share_max; // mass of the heaviest fragment / mass of all bonded spheres; 0 without mass
    int32_t* fragment;         // n: that of each sphere, numbered by their first sphere; -1: it never had a bond
    int32_t* size;             // fragments: spheres
    double* mass;              // fragments
    int64_t bonds;             // intact
    int64_t bonds_broken, bonds_broken_tension, bonds_broken_shear;  // and by cause
} scree_fragments;

// O(n + bonds). ARGUMENT also: a snapshot without bonds.
SCREE_RESULT(scree_measure_fragments, (const scree_snapshot* snapshot, scree_fragments* out), (snapshot, out))
SCREE_RELEASE(scree_fragments, scree_fragments_free)  // and zeroes it; NULL or a zeroed one is fine

// ---- Walls -------------------------------------------------------------------------------------------------------
typedef struct scree_wall_stress {
    int64_t contacts;
    double force[3];   // of the spheres on the wall
    double area;       // of the face or round wall, a length in 2D; NAN: not known for this boundary
    double stress[3];  // force / area; NAN likewise
    double pressure;   // faces: the component of the stress out of the box; round wall: mean of the normal forces per area
} scree_wall_stress;

// Of boundary number b, as in scree_sim_contacts (j = -1 - b): 0 to 5 are lower x, upper x, lower y and so on, 6 is the round wall of a container, further ones are
// boundaries of a simulation. O(contacts). ARGUMENT also: b below 0, a face of a periodic axis, contacts that are not there or have no forces.
SCREE_RESULT(scree_measure_wall_stress, (const scree_snapshot* snapshot, int32_t b, scree_wall_stress* out), (snapshot, b, out))

// ---- Groups ------------------------------------------------------------------------------------------------------
typedef struct scree_group_sums {
    int32_t group;
    int32_t count;
    double mass;
    double centre[3];         // of mass, of centres as they are given; NAN without mass
    double momentum[3];
    double energy_kinetic;    // of translation
    double energy_rotation;   // of solid spheres (2D: discs); 0 without spins
    double energy_gravity;    // 0 at the origin
    double temperature;       // mean of |v - mean velocity|^2 / dim, weighted by mass; 0 without mass
} scree_group_sums;

typedef struct scree_group_table {
    int32_t count;            // largest group number + 1; 0 without spheres
    scree_group_sums* groups; // those without spheres have count 0
} scree_group_table;

// O(n).
SCREE_RESULT(scree_measure_groups, (const scree_snapshot* snapshot, scree_group_table* out), (snapshot, out))
SCREE_RELEASE(scree_group_table, scree_group_table_free)  // and zeroes it; NULL or a zeroed one is fine

// ---- Mixing ------------------------------------------------------------------------------------------------------
typedef struct scree_mixing_def {
    uint32_t struct_size;
    int32_t cells[3];   // samples of the Lacey index, 1 to 10000 along each axis; 0: room for 30 spheres each, and for 10 by the effective number (sum of m)^2 / sum of m^2, if they filled the box evenly
    double gap;         // neighbours are nearer than this, surface to surface. NAN: half the mean diameter
} scree_mixing_def;

SCREE_DEFAULTS(scree_mixing_def, scree_default_mixing_def)

// How well the groups of the snapshot are mixed: 0 if they are segregated (neighbours: up to pairs across the boundary), 1 on average in a random mixture of any sizes; an ordered mixture
// can have more than 1. p_g is the share of group g in the mass m of all N spheres, p_cg its share in cell c, m_c the mass there, m_i that of sphere i.
//     lacey       (S0 - S) / (S0 - Sr);  S = sum over c and g of m_c / m (p_cg - p_g)^2,  S0 = sum of p_g (1 - p_g): every cell is pure,
//                 Sr = sum over i and g of (m_i / m)^2 ([i is in g] - p_g)^2 (cells that are not empty - 1) N / (N - 1): the mean of S in a random mixture. Exact for equal masses, where it is
//                 S0 (cells - 1) / (N - 1); for others it needs cells with many spheres
//     neighbours  the share of pairs of neighbours that is of different groups / the share expected: (1 - sum over g of f_g^2) / (1 - sum over i of f_i^2), f_i the share of the ends of all pairs that
//                 sphere i has on average over the spheres of its size (classes of 9 %), f_g the sum over group g. A large sphere has more neighbours on its surface
typedef struct scree_mixing {
    double lacey;          // NAN: fewer than two groups, no mass, or cells so small that S0 is not above Sr
    double neighbours;     // NAN: fewer than two groups, or no pairs
    double variance, variance_segregated, variance_random;  // S, S0, Sr
    int64_t occupied;      // cells that are not empty
    int32_t cells[3];      // the ones used
    double gap;            // the one used
    int64_t pairs, unlike; // neighbours that are different spheres, and how many are of different groups
    double unlike_expected;  // the share expected; NAN: no pairs
} scree_mixing;

// O(n log n) and a search by the index. ARGUMENT also: cells, a gap below 0 or not finite, what the index rejects; CANCELLED.
SCREE_RESULT(scree_measure_mixing, (const scree_snapshot* snapshot, const scree_mixing_def* def, scree_mixing* out), (snapshot, def, out))

// ---- Angle of repose ---------------------------------------------------------------------------------------------
typedef enum scree_surface_kind {
    SCREE_SURFACE_SLOPE = 0,  // an inclined plane, as in a rotating drum
    SCREE_SURFACE_HEAP,       // a cone (2D: a wedge) around the centre of mass
    SCREE_SURFACE_COUNT
} scree_surface_kind;

SCREE_API const char* scree_surface_name(int32_t kind);  // "slope", "heap"; NULL for an unknown number

typedef struct scree_repose_def {
    uint32_t struct_size;
    int32_t surface;    // scree_surface_kind; SLOPE
    int32_t up;         // axis against gravity; -1: the last one
    double column;      // side of the columns whose highest spheres define the surface. NAN: twice the mean diameter
    double low, high;   // only points between these fractions of the height are used, from the lowest point of all spheres to the highest. NAN: SLOPE 0 and 1, HEAP 0.1 and 0.9, as the foot and
                        // the tip of a heap are round
    double lower[3], upper[3];  // only spheres whose centres are in this region count (-INFINITY, INFINITY)
} scree_repose_def;

SCREE_DEFAULTS(scree_repose_def, scree_default_repose_def)

// The top of the highest sphere in each column is a point of the free surface; a plane, or for HEAP a straight line over the distance from the axis, is fitted to
// these points by least squares. For HEAP a sphere whose lowest point is less than its own diameter above that of all spheres is a single grain on the ground: it is no point of the surface,
// and does not count for the axis.
typedef struct scree_repose {
    int64_t points;    // used
    double angle;      // radians
    double error;      // standard error of the fit, radians
    double slope[2];   // rise along the first and second horizontal axis; HEAP: [0] alone, positive if it falls outwards
    double height;     // of the fit: SLOPE at the origin, HEAP at the axis
    double axis[2];    // HEAP: where the axis is
    double residual;   // root mean square distance of points and fit, along `up`
} scree_repose;

// O(n). Periodic horizontal axes are not unwrapped: a slope that crosses such a face has a jump there. ARGUMENT also: surface, up, column, shares, region, and fewer points than the
// fit needs to have an error (SLOPE: dim + 1, HEAP: 3), or all of them on one line.
SCREE_RESULT(scree_measure_repose, (const scree_snapshot* snapshot, const scree_repose_def* def, scree_repose* out), (snapshot, def, out))

// ---- Flow --------------------------------------------------------------------------------------------------------
typedef struct scree_flow {
    int64_t forward, backward;   // crossings of the plane in and against the direction of the axis
    double mass;                 // forward minus backward
} scree_flow;

// The spheres whose centres crossed the plane where axis `axis` has the value `at`, between two snapshots of the same spheres. On a periodic axis the shorter displacement is assumed, so
// no sphere may move by half the box in between. Box and masses are taken from `before`. The mass over the time in between is the flow rate. O(n). In a tilted box whose tilt refers to the axis (x for xy), the
// plane is parallel to the other two vectors of the cell and goes through `at` on the lower edge. ARGUMENT also: axis, `at` outside of the box, another number of spheres. UNSUPPORTED: such a tilt that changes
// in between.
SCREE_RESULT(scree_measure_flow, (const scree_snapshot* before, const scree_snapshot* after, int32_t axis, double at, scree_flow* out), (before, after, axis, at, out))

// ---- Displacement ------------------------------------------------------------------------------------------------
typedef struct scree_displacement {
    int32_t count;     // spheres
    double mean[3];    // of the displacements; 0 without spheres
    double square[3];  // mean of their squares, along each axis
    double msd;        // the sum of these: mean square displacement
} scree_displacement;

typedef struct scree_displacement_table {
    scree_displacement all;
    int32_t count;               // largest group number of `after` + 1; 0 without spheres
    scree_displacement* groups;  // those without spheres have count 0
} scree_displacement_table;

// How far the spheres have moved between two snapshots of the same spheres, added to what they had moved before: moved, count * dim, is what earlier calls have left, 0 at first, and the sums are over its
// new values. NULL: from one snapshot to the other alone. On periodic axes the shorter way is taken, so no sphere may move by half the box in between. Where the periodic cell changes, its affine motion about the
// middle of the box is left out, so that this is the displacement relative to a homogeneous flow; it may not shear by half a side in between. O(n). ARGUMENT also: other spheres, other periodic axes; a `moved` that is not finite.
SCREE_RESULT(scree_measure_displacement, (const scree_snapshot* before, const scree_snapshot* after, double* moved, scree_displacement_table* out), (before, after, moved, out))
SCREE_RELEASE(scree_displacement_table, scree_displacement_table_free)  // and zeroes it; NULL or a zeroed one is fine

#ifdef __cplusplus
}
#endif
#endif
