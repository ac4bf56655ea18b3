// scree/measure.h: density, contacts, coordination, overlaps, g(r), size curve, nearest gaps, bond order, structure factor, voxels and porosity of a set of spheres.
//
//     scree_measure_def def = scree_default_measure_def();
//     def.box = box;                                // closed: walls or periodic on every axis
//     scree_measures m;
//     scree_measure(&def, spheres, &m);             // everything; or one part by its own call below
//     printf("%g %g\n", m.density.whole, m.contacts.coordination);
//     scree_measures_free(&m);
//
// Spheres are borrowed for the call. Results are plain data owned by the caller; their arrays are freed by the
// corresponding _free function. No result depends on the number of threads, to the last bit.
// All images count in periodic boxes, however small: two spheres that touch through several images are several pairs, and
// a sphere can be its own neighbour. Lengths are in the caller's unit.
//
// Every call that takes a def fails with ARGUMENT if the def or the spheres are invalid (scree_spheres_check's reasons, an
// open axis, a centre more than 1e8 periodic boxes away), and with MEMORY. Further errors are listed with each call.
#ifndef SCREE_MEASURE_H
#define SCREE_MEASURE_H

#include "scree/geom.h"
#include "scree/index.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_measure_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    scree_box box;         // must be closed on every axis; spheres may extend beyond walls, centres may not
    double gap;            // neighbours are nearer than this, surface to surface. NAN: 1e-3 mean diameters
    double margin;         // distance of the inner box from walls. NAN: the largest diameter, at most a quarter of a walled side
    double r_max;          // end of g(r). NAN: the least of 5 mean diameters, 6 (V/n)^(1/dim), half the shortest side
    int32_t r_bins;        // of g(r), 1 to 10000 (250); 0: no g(r)
    double nearest_max;    // end of the histogram of nearest gaps. NAN: the mean diameter
    int32_t nearest_bins;  // 1 to 10000 (100); 0: no nearest gaps
    int32_t size_rows;     // of the size curve, 2 to 10000 (50); 0: no curve
    int32_t method;        // scree_method, of the search for contacts
    int32_t threads;       // 0: all cores. The answer does not depend on it
    int32_t container;     // scree_container_kind that the box bounds. Rattlers, wall_contacts and densities refer to the container, g(r) to the box.
                           // BOX
    scree_watch watch;     // progress and stop; zeroed: none
    int32_t least_contacts;  // neighbours and walls that hold a sphere, 1 to 1000: 2 with friction, dim + 1 without. Spheres with fewer are rattlers. 0: dim + 1
} scree_measure_def;

SCREE_DEFAULTS(scree_measure_def, scree_default_measure_def)  // box: open in 3D, so it must be set

// ---- Density -----------------------------------------------------------------------------------------------------
// Exact: of a sphere that a face cuts, only the part inside counts (scree_sphere_box_share). Where spheres overlap, the
// common part counts twice; see scree_measures for a correction.
typedef struct scree_density {
    double whole;   // of the whole box, or container; NAN if it has no volume
    double inner;   // of the inner box or container, `margin` away from every wall; periodic axes have no margin. NAN if `whole` is NAN
    double margin;  // the one used; 0 if there are no walls
} scree_density;

// O(n). ARGUMENT: a margin that leaves no inner box.
SCREE_API scree_status scree_measure_density(const scree_measure_def* def, scree_spheres spheres, scree_density* out);

// The fraction (0..1) of the volume of a sphere that lies in the box lower[k]..upper[k], k < dim; area in 2D. Closed form,
// accurate to about 1e-15. Ends may be infinite. A sphere of radius 0 is inside (1) or outside (0).
SCREE_API double scree_sphere_box_share(int32_t dim, const double* x, double r, const double* lower, const double* upper);

// The same for a container, which must be closed; periodic axes cut nothing. Closed form for boxes and spheres, to about 1e-4 for cylinders.
SCREE_API double scree_sphere_container_share(const scree_container* c, const double* x, double r);

// The fraction of the volume of the smaller of two spheres that the other one covers, if their surfaces are `gap` apart: 0
// for gap >= 0, 1 if it lies inside. Closed form, accurate also for very small overlaps.
SCREE_API double scree_lens_share(int32_t dim, double r_a, double r_b, double gap);

// ---- Contacts ----------------------------------------------------------------------------------------------------
typedef struct scree_contact_counts {
    int32_t n;                 // spheres
    double gap;                // the one used
    int64_t contacts;          // pairs with a gap below 0; each touching image is one
    int64_t pairs;             // with a gap below `gap`; each image counts
    double coordination;       // neighbours per sphere: 2 pairs / n. Each near image is a neighbour; 0 without spheres
    int64_t* partners;         // n: neighbours of each sphere. A sphere near its own image has two more
    int64_t wall_contacts;     // walls nearer than `gap` to a sphere; they do not count as neighbours

    // Rattlers: spheres held by fewer than contacts_min neighbours and walls, removed repeatedly until none is left.
    int32_t contacts_min;      // the least_contacts used
    int32_t rattlers;
    uint8_t* rattler;          // n: 1 if it is one
    int64_t backbone_near;     // pairs of spheres that are not rattlers
    double backbone_coordination;  // 2 backbone_near / (n - rattlers); 0 if all are rattlers

    // Without repeated removal: the mechanical coordination number of Thornton (2000), (2 C - N1) / (n - N0 - N1), with 2 C = 2 pairs + wall_contacts.
    int32_t no_contact;        // N0: spheres without a neighbour or wall
    int32_t one_contact;       // N1: spheres with one
    double mechanical_coordination;  // the mean number of neighbours and walls of the spheres that have two or more; 0 if there are none

    double max_overlap;        // -gap of the deepest contact, a length; 0 without contacts
    int32_t max_i, max_j;      // its two spheres: i <= j, the first such pair by (i, j, shift); -1 without contacts
    int8_t max_shift[3];       // x_j + shift * L is the centre of the image, with the given centres; -128: more than 127 boxes
    double mean_overlap;       // over the contacts; 0 without contacts
    double max_overlap_relative;   // largest of overlap / smaller radius, as in scree_sim_report, over contacts of spheres with radius > 0; possibly of
    double mean_overlap_relative;  // another pair than max_overlap
    double overlap_share;      // volume of all lenses / volume of the box or container; lenses at walls count in full. NAN without volume
} scree_contact_counts;

// O(n + pairs) and the index' search. ARGUMENT also: gap out of range, no such method, a periodic axis shorter than a
// sphere's diameter, a gap over more than 60 boxes; UNSUPPORTED: a method that this version lacks; CANCELLED.
SCREE_API scree_status scree_measure_contacts(const scree_measure_def* def, scree_spheres spheres, scree_contact_counts* out);
SCREE_API void scree_contact_counts_free(scree_contact_counts* counts);  // and zeroes it; a zeroed one is fine

// ---- g(r) --------------------------------------------------------------------------------------------------------
// Pair distribution of the centres: the number of pairs of different spheres (all images, at any distance) over the mean number of pairs of as many independent,
// uniformly distributed points in the same box. That mean is exact: on periodic axes the volume of the
// shell, and at walls the covariogram of the box (the fraction of the box in which both ends of a vector fit), averaged over the
// shell. So g is 1 for an ideal gas in any box. Pairs of a sphere and its own images depend only on the box and are left out.
typedef struct scree_pair_distribution {
    int32_t bins;   // 0: not requested
    double r_max;   // the one used
    double* r;      // bins + 1 edges; bin b holds r[b] <= distance < r[b+1]
    int64_t* pairs; // unordered, each image once
    double* ideal;  // the mean number for independent points
    double* g;      // pairs / ideal; 0 where ideal is 0 (fewer than two spheres, beyond the box, a box without volume)
} scree_pair_distribution;

// O(n (log n + spheres within r_max)), memory O(n + 256 bins): pairs are counted, not kept. ARGUMENT also: r_max not above
// 0 or over more than 16 periodic boxes, bins; CANCELLED.
SCREE_API scree_status scree_measure_pair_distribution(const scree_measure_def* def, scree_spheres spheres,
                                                       scree_pair_distribution* out);
SCREE_API void scree_pair_distribution_free(scree_pair_distribution* gr);

// ---- Sizes -------------------------------------------------------------------------------------------------------
// The realised curve. If there are at most `size_rows` different diameters, these are the rows; else size_rows diameters from
// the smallest to the largest, in equal ratios if these differ by more than a factor 2, else in equal steps.
typedef struct scree_size_curve {
    int32_t rows;       // 0: not requested, or there are no spheres
    double* d;          // ascending
    double* by_number;  // fraction of the spheres with a diameter <= d
    double* by_mass;    // fraction of their mass (r^dim); 0 if all radii are 0
} scree_size_curve;

// O(n log n).
SCREE_API scree_status scree_measure_size_curve(const scree_measure_def* def, scree_spheres spheres, scree_size_curve* out);
SCREE_API void scree_size_curve_free(scree_size_curve* curve);

// ---- Nearest gaps ------------------------------------------------------------------------------------------------
// For each sphere the gap to the nearest other surface, at any distance; its own images count too. Exact.
typedef struct scree_nearest {
    int32_t n;
    double* gap;       // n: of each sphere; INFINITY if there is no other surface
    double min, median, max;  // of the finite ones (median: the lower of two); NAN if there are none
    int32_t bins;      // 0: not requested; all other members are empty
    double* edge;      // bins + 1, evenly from the least gap (or 0 if that is above 0) to nearest_max
    int64_t* number;   // spheres with edge[b] <= gap < edge[b+1]
    int64_t beyond;    // spheres with gap >= edge[bins]
} scree_nearest;

// About O(n log n). ARGUMENT also: nearest_max not above 0, bins; CANCELLED.
SCREE_API scree_status scree_measure_nearest(const scree_measure_def* def, scree_spheres spheres, scree_nearest* out);
SCREE_API void scree_nearest_free(scree_nearest* nearest);

// ---- Bond order --------------------------------------------------------------------------------------------------
// Steinhardt, Nelson and Ronchetti (1983). A bond is the direction between the centres of two neighbours, Y_lm are spherical harmonics:
//     q_l of a sphere  sqrt(4 pi / (2 l + 1) sum over m of |mean of Y_lm over its bonds|^2)
//     global Q_l       the same with the mean over all bonds of the set
// In 2D q_l is |mean of exp(i l angle)|, so q6 is the hexatic order. All images of neighbours count; walls do not.
typedef struct scree_bond_order_def {
    uint32_t struct_size;
    double cutoff;  // neighbours: centres nearer than this times the sum of their radii, above 0 to 100. NAN: those of scree_measure_contacts, nearer than the gap of the measure def
} scree_bond_order_def;

SCREE_DEFAULTS(scree_bond_order_def, scree_default_bond_order_def)

typedef struct scree_bond_order {
    int32_t n;
    int64_t bonds;             // pairs of neighbours; each image is one
    int64_t* neighbours;       // n. A sphere that is the neighbour of its own image has two more
    double* q4;                // n; NAN without neighbours
    double* q6;                // n
    double q4_mean, q6_mean;   // over spheres with neighbours; NAN if there are none
    double q4_global, q6_global;  // NAN likewise
} scree_bond_order;

// O(n + bonds) and a search by the index; 200 bytes for each sphere. ARGUMENT also: cutoff, what the index rejects; CANCELLED.
SCREE_RESULT(scree_measure_bond_order, (const scree_measure_def* def, scree_spheres spheres, const scree_bond_order_def* about, scree_bond_order* out), (def, spheres, about, out))
SCREE_RELEASE(scree_bond_order, scree_bond_order_free)  // and zeroes it; NULL or a zeroed one is fine

// ---- Structure factor --------------------------------------------------------------------------------------------
// S(k) = |sum over centres of exp(-i k x)|^2 / n, for the wave vectors of the box: those with k a = 2 pi times a whole number for each of its edge vectors a. All that are shorter than k_max
// and not 0 count, in shells of equal width; k and -k are one. 1 on average for independent points; n at the Bragg peaks of a crystal. Spheres of all sizes count alike.
typedef struct scree_structure_factor_def {
    uint32_t struct_size;
    double k_max;   // NAN: 4 pi over the larger of the mean diameter and half of (V/n)^(1/dim), or less if n times the number of vectors would exceed 1e11
    int32_t bins;   // shells, 1 to 10000 (100)
} scree_structure_factor_def;

SCREE_DEFAULTS(scree_structure_factor_def, scree_default_structure_factor_def)

typedef struct scree_structure_factor {
    int32_t bins;
    double k_max;        // the one used
    double* k;           // bins + 1 edges; shell b has the vectors with k[b] <= |k| < k[b+1]
    int64_t* vectors;    // in each shell; may be 0
    double* k_mean;      // mean |k| of its vectors; NAN without vectors, as the two below
    double* s;           // mean S(k)
    double* s_max;       // the largest
    int64_t total;       // vectors in all shells
} scree_structure_factor;

// O(n total): about 0.3 ns for a sphere and a vector on one core with AVX2. Exact to rounding: phases are products of those of each axis. ARGUMENT also: a box that is not periodic on every axis (with walls there are no
// such vectors), k_max, bins, no spheres; CANCELLED.
SCREE_RESULT(scree_measure_structure_factor, (const scree_measure_def* def, scree_spheres spheres, const scree_structure_factor_def* about, scree_structure_factor* out), (def, spheres, about, out))
SCREE_RELEASE(scree_structure_factor, scree_structure_factor_free)  // and zeroes it; NULL or a zeroed one is fine

// ---- Voxels ------------------------------------------------------------------------------------------------------
typedef struct scree_voxels_def {
    uint32_t struct_size;
    int32_t cells[3];             // along each axis, 1 to 10000; [2] is not used in 2D (100, 100, 100)
    double lower[3], upper[3];    // the region. NAN: the box; in a tilted box the box with right angles, the same lower corner and the same sides
    bool labels, fractions;       // which of the two are wanted (both)
} scree_voxels_def;

SCREE_DEFAULTS(scree_voxels_def, scree_default_voxels_def)

typedef struct scree_voxels {
    int32_t dim;
    int32_t cells[3];          // [2] is 1 in 2D
    double lower[3], size[3];  // lower corner, and the sides of a voxel
    int64_t count;             // cells[0] * cells[1] * cells[2]; x changes fastest
    int32_t* label;            // the sphere that the centre of the voxel lies in; of several the one whose power distance |x - x_i|^2 - r_i^2 is least, so that the boundary goes through the circle
                               // where they meet; -1: none. NULL if not wanted
    double* fraction;          // volume of spheres in the voxel / volume of the voxel, each sphere by its closed form; common parts of overlapping spheres count twice. NULL if not wanted
    double solid;              // mean fraction; NAN if not wanted
} scree_voxels;

// All images of the spheres count. O(n + voxels that spheres touch), 12 bytes for each voxel, 8 more during the call with labels. Rounding of a fraction is about 1e-15 of the volume of the sphere. ARGUMENT
// also: cells, a region that is empty or longer than 16 periodic boxes, a box without volume; MEMORY if there is not so much; CANCELLED.
SCREE_API scree_status scree_measure_voxels(const scree_measure_def* def, scree_spheres spheres, const scree_voxels_def* about, scree_voxels* out);
SCREE_API void scree_voxels_free(scree_voxels* voxels);  // and zeroes it; NULL or a zeroed one is fine

// ---- Porosity ----------------------------------------------------------------------------------------------------
typedef enum scree_porosity_kind {
    SCREE_POROSITY_X = 0,   // slabs across an axis
    SCREE_POROSITY_Y,
    SCREE_POROSITY_Z,
    SCREE_POROSITY_RADIUS,  // shells around the axis of a cylinder or the centre of a sphere (2D: a circle)
    SCREE_POROSITY_WALL,    // shells by the distance to the nearest wall of the box or container
    SCREE_POROSITY_COUNT
} scree_porosity_kind;

SCREE_API const char* scree_porosity_name(int32_t kind);  // "x", "y", "z", "radius", "wall"; NULL for an unknown number

typedef struct scree_porosity_def {
    uint32_t struct_size;
    int32_t kind;      // scree_porosity_kind; -1: slabs across the last axis (-1)
    int32_t bins;      // 1 to 10000 (50)
    double from, to;   // ends of the profile. NAN: the whole box or container
} scree_porosity_def;

SCREE_DEFAULTS(scree_porosity_def, scree_default_porosity_def)

typedef struct scree_porosity {
    int32_t bins;
    int32_t kind;      // the one used
    double* edge;      // bins + 1
    double* volume;    // of each bin, over that of the box or container
    double* fraction;  // of the bin that spheres fill; NAN in a bin without volume
    double* porosity;  // 1 - fraction
} scree_porosity;

// Exact: each sphere counts in each bin with the part of it that lies there, by closed form; in a cylinder to about 1e-4 of the sphere. Common parts of overlapping spheres count twice. O(n bins). ARGUMENT also: kind, bins,
// ends that do not rise or lie outside, RADIUS in a box, WALL without walls, a box without volume; UNSUPPORTED: slabs of a round container, except those of a cylinder along z; CANCELLED.
SCREE_RESULT(scree_measure_porosity, (const scree_measure_def* def, scree_spheres spheres, const scree_porosity_def* about, scree_porosity* out), (def, spheres, about, out))
SCREE_RELEASE(scree_porosity, scree_porosity_free)  // and zeroes it; NULL or a zeroed one is fine

// ---- Averages over time ------------------------------------------------------------------------------------------
// Of a series of values at equal intervals, such as a measure over the frames of a run. Neighbouring values are not independent, so the error of the mean is found from means over blocks (Flyvbjerg and
// Petersen 1989): of 1, 2, 4, ... values while there are at least 8 blocks, the largest error of the mean that these suggest. NAN values are left out.
typedef struct scree_average {
    int64_t count;         // values that are no NAN
    double mean;           // NAN without values
    double deviation;      // standard deviation (count - 1); NAN for fewer than two values, as the two below
    double error;          // standard error of the mean
    double inefficiency;   // statistical inefficiency: (error / error of independent values)^2; count / inefficiency values are independent. 1 or more
    int64_t block;         // the length of the blocks
    double min, max;       // NAN without values
} scree_average;

// O(count). ARGUMENT: an infinite value, count below 0; MEMORY.
SCREE_RESULT(scree_measure_average, (const double* values, int64_t count, scree_average* out), (values, count, out))

// ---- All of it ---------------------------------------------------------------------------------------------------
typedef struct scree_measures {
    int32_t n, dim;
    double diameter_min, diameter_mean, diameter_max;  // 0 without spheres
    scree_density density;
    double density_corrected;     // density.whole - contacts.overlap_share: exact if no three spheres overlap in one place
    scree_contact_counts contacts;
    scree_pair_distribution g_r;
    scree_size_curve size_curve;
    scree_nearest nearest_gaps;
} scree_measures;

// The calls above, sharing what they can. Fails as they do.
SCREE_RESULT(scree_measure, (const scree_measure_def* def, scree_spheres spheres, scree_measures* out), (def, spheres, out))
SCREE_RELEASE(scree_measures, scree_measures_free)  // and zeroes it; a zeroed one is fine

#ifdef __cplusplus
}
#endif
#endif
