// What scree measure and scree pack both find out about a set of spheres, under the same keys.
#ifndef CLI_SPHERE_MEASURES_H
#define CLI_SPHERE_MEASURES_H

#include "common.h"

#include "scree/measure.h"

void measures_box(result* res, const scree_measures* m, const scree_sphere_set* set);    // n, dim, box_size, periodic, container, diameters
void measures_contacts(result* res, const scree_contact_counts* c, bool periodic);       // contacts, coordination, rattlers, overlaps
void measures_gr(result* res, const scree_pair_distribution* gr, bool shown);            // peak and table; shown: as text too

#endif
