// What the placing methods share: checks of def and radii, densities, and boxes in messages.
#ifndef SCREE_PACK_PLACE_H
#define SCREE_PACK_PLACE_H

#include "scree/pack.h"

// ---- Shared with the ways that pack densely, growth too ------------------------------------------------------------

double placing_ball(int dim, double r);  // volume of a sphere, area of a disc

typedef struct placing_number {
    const char* name;  // "rate"
    double value, least, most;
} placing_number;

// ARGUMENT: a number that is not between its ends, threads below 0, a box without two ends on some axis. The box itself is checked before.
scree_status placing_check_numbers(const char* what, const placing_number* numbers, size_t count, int32_t threads);
scree_status placing_check_ends(const char* what, const scree_box* box);
scree_status placing_check_radii(const char* what, int32_t count, const double* r);  // ARGUMENT: they are none, or not above 0

// ---- Placing -------------------------------------------------------------------------------------------------------

typedef struct placing {
    const scree_place_def* def;
    const char* what;   // for messages: "lattice"
    int dim;
    double length[3];   // of the box
    scree_container container;
    double fill;        // share of the box that the container is
    int32_t count;
    const double* r;
    int32_t largest;    // the first sphere with the largest radius, -1: there are no spheres
    double r_max;
    double share;       // of the container that all spheres would take up
} placing;

// ARGUMENT: invalid def, count, radii or arrays; a sphere that does not fit in the box.
scree_status placing_make(const scree_place_def* def, const char* what, int32_t count, const double* r, const double* x,
                          placing* out);

double placing_share(const placing* p, double r);  // of the container that one sphere takes up; finite for every box

// The box with its sides times `factor`, as text: "0.5 x 0.25 x 1". Rounded up, so that what holds for the box holds for the text.
typedef struct placing_text {
    char text[96];
} placing_text;
placing_text placing_box_text(const placing* p, double factor);

void placing_report(const placing* p, scree_place_report report);
bool placing_goes_on(const placing* p, double done);  // false: the watch says stop
scree_status placing_stopped(const placing* p, int32_t placed);

#endif
