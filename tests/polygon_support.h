// What tests of moving polygons share: scenes of mixed bodies, states that own their arrays, and a contact finder by plain loops over all pairs.
#ifndef TESTS_POLYGON_SUPPORT_H
#define TESTS_POLYGON_SUPPORT_H

#include "support.h"

#include "scree/polygon.h"

static const double poly_pi = 3.14159265358979323846;
double poly_between(scree_rng* rng, double low, double high);
int32_t poly_add(scree_shapes* shapes, int32_t count, const double* xy);
int32_t poly_rectangle(scree_shapes* shapes, double w, double h);
int32_t poly_rule(scree_shapes* shapes, scree_shape_rule rule, int32_t vertices, double radius, double roughness, uint64_t seed);

// ---- Scenes ------------------------------------------------------------------------------------------------------------

typedef struct poly_scene {
    scree_shapes shapes;
    scree_body* bodies;
    int32_t count;
    double side;
    scree_polygon_sim_def def;
} poly_scene;

// side x side cells of width 2.2, one body of radius up to 1 in each, every kind, random velocities. Walls: 0 the box', 1 fixed bodies, 2 periodic,
// 3 periodic along x between a fixed floor and a fixed ceiling, numbers 0 and 1, that are longer than the box and slide along.
poly_scene poly_mixed(int side, int walls, double speed, uint64_t seed);
void poly_scene_free(poly_scene* s);
scree_polygon_sim* poly_make(const poly_scene* s);
scree_polygon_sim_def poly_def(double stiffness, double friction);
scree_polygon_sim* poly_create(const scree_polygon_sim_def* def, const scree_shapes* shapes, int32_t count, const scree_body* bodies);
void poly_run_for(scree_polygon_sim* sim, double time);
scree_polygon_sim_report poly_report(scree_polygon_sim* sim);
double poly_energy(scree_polygon_sim* sim);

// ---- States ------------------------------------------------------------------------------------------------------------

scree_polygon_sim_state poly_state(const scree_polygon_sim* sim);
void poly_state_free(scree_polygon_sim_state* s);

// ---- The reference ---------------------------------------------------------------------------------------------------------

typedef struct poly_found {
    int32_t i, j, feature;
    double depth, out[2];
} poly_found;

typedef struct poly_reference {
    poly_found* found;
    int64_t count, room;
    int64_t overlapping;  // pairs of polygons whose edges cross
} poly_reference;
void poly_put(poly_reference* reference, poly_found f);
scree_polygon poly_outline(const scree_outlines* o, int32_t i);

// The way from x to the nearest point of the boundary, and its length.
double poly_way(scree_polygon p, const double x[2], double out[2], int32_t* edge);

// Body i against the image of j that is `off` away from j.
void poly_reference_pair(const scree_outlines* o, int32_t i, int32_t j, const double off[2], poly_reference* reference);

// All contacts but crossings. O(n^2 v^2), with images next door.
poly_reference poly_reference_all(scree_polygon_sim* sim);

// The simulation's contacts are the reference's; those shallower than 1e-11 may be missing on either side.
int64_t poly_compare(scree_polygon_sim* sim);

#endif
