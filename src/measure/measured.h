// What all measures start from: the def checked and its automatic values filled in, the spheres checked and wrapped.
#ifndef SCREE_MEASURE_MEASURED_H
#define SCREE_MEASURE_MEASURED_H

#include "geom/lattice.h"
#include "scree/measure.h"

typedef struct measured {
    scree_measure_def def;  // NANs resolved
    int32_t n;
    int32_t dim;
    double* x;              // n * dim, wrapped on periodic axes; owned
    const double* given_x;  // as the caller has them
    const double* r;        // the caller's
    double length[3];       // of the box; 0 on the third axis in 2D
    double tilt[3];         // of the box
    double reduced[3];      // the same lattice with tilts of at most half a length, where images are counted and not named
    bool has_volume;
    double diameter_min, diameter_mean, diameter_max;
} measured;

// ARGUMENT, MEMORY. After a failure there is nothing to free.
scree_status measured_make(const scree_measure_def* def, scree_spheres spheres, measured* out);
void measured_free(measured* m);

// Sorted pairs with a gap below `gap` of the centres of m with radii r. *index is the caller's to destroy, after a failure too.
scree_status measured_search(const measured* m, const double* r, double gap, const scree_watch* watch, scree_index** index, scree_pairs* pairs);

// Volume of a sphere in units of the box. A product of ratios, so that it does not leave the range of doubles on the way.
double measured_share_of_box(const measured* m, double r);

// Volume of the box over that of a container in it.
double measured_box_to(const measured* m, const scree_container* container);

// x y z r of sphere i, z = 0 in 2D.
void measured_sphere(const measured* m, int64_t i, double xr[4]);

// How many images to each side on each axis can hold centres within `reach` of one in the box, with the reduced tilt.
void measured_images(const measured* m, double reach, int images[3]);

void measured_sort(double* values, int64_t count);  // rising; no NAN

// Contacts that hold a sphere: as the def says, checked; 0: `automatic`.
scree_status measured_least_contacts(const char* what, int32_t given, int32_t automatic, int32_t* out);

// Spheres with no contact and with one, and the mean number of contacts of all others. held[i]: how many others and walls hold sphere i.
double measured_mechanical(int32_t n, const int64_t* held, int32_t* no_contact, int32_t* one_contact);

// Takes away spheres that are held by fewer than `least`, until there are none; returns how many. held: as above; it is used
// up. The partners of i are to[row[i]] .. to[row[i + 1] - 1]. stack: room for n. rattler, n, zeroed before: 1 for those that were taken.
int32_t measured_take_rattlers(int32_t n, int32_t least, const int64_t* row, const int32_t* to, int64_t* held, int32_t* stack, uint8_t* rattler);

// The parts, each in its file; `out` is zeroed before. `tree` is measure_tree_make's.
struct measure_tree;
scree_status density_of(const measured* m, scree_density* out);
scree_status contacts_of(const measured* m, const scree_watch* watch, scree_contact_counts* out);
scree_status pair_distribution_of(const measured* m, const struct measure_tree* tree, const scree_watch* watch,
                                  scree_pair_distribution* out);
scree_status size_curve_of(const measured* m, scree_size_curve* out);
scree_status nearest_of(const measured* m, const struct measure_tree* tree, const scree_watch* watch,
                        scree_nearest* out);

// cut.c: the share of a ball of radius 1 around 0 that has x < a, y < b and lies between the heights 0 and z (2D: that has x < a and y < b, z is not
// used). a, b and z from -1 to 1; odd in z.
double cut_corner(int dim, double a, double b, double z);

// covariogram.c: the integral over all vectors t shorter than 1 of prod_k max(0, 1 - |t_k| c[k]), k < dim; c >= 0. That is
// the volume of the unit ball, as far as pairs in a box of sides 1/c can see it; c = 0 is a side without end.
double covariogram_ball(int dim, const double c[3]);

#endif
