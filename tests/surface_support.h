// What the tests of surfaces share.
#ifndef TESTS_SURFACE_SUPPORT_H
#define TESTS_SURFACE_SUPPORT_H

#include "support.h"

#include "base/triples.h"
#include "geom/surface_inner.h"
#include "scree/surface.h"

enum { surface_most = 4096 };

extern const double surface_pi;

double between(scree_rng* rng, double low, double high);
void random_direction(scree_rng* rng, double out[3]);

scree_triangles mesh_room(int32_t count);  // for so many triangles, none yet
void mesh_add(scree_triangles* to, const double a[3], const double b[3], const double c[3]);
scree_triangles mesh_plane(int side, scree_rng* rng);
scree_triangles mesh_cube(bool inwards);
scree_triangles mesh_lump(int detail, double rough, scree_rng* rng);
// Over the square low to high: heights of (side + 1)^2 vertices, row by row of y.
scree_triangles mesh_heights(int side, double low, double high, const double* heights);
scree_triangles mesh_ring(int facets, double low, double radius, double high, double wide);
scree_placement mesh_random_placement(scree_rng* rng);
void mesh_placed(const scree_placement* p, const double x[3], double out[3]);
scree_surface* mesh_surface_with(const scree_surface_def* def, scree_triangles* t);  // frees t
scree_surface* mesh_surface(scree_triangles* t);

long double soup_closest(const double* xyz, const long double p[3], long double out[3]);  // of a triangle, in long double; the distance

// What scree_surface_contacts gives of all triangles near, checked: rising contacts, then rising links.
int64_t surface_terms(const scree_surface* s, const double x[3], double r, scree_surface_contact out[surface_most]);
// The contacts among them.
int64_t surface_touch_of(const scree_surface* s, const double x[3], double r, scree_surface_contact out[surface_most]);

#endif
