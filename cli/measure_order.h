// The part of scree measure that is about order: bond order and the structure factor.
#ifndef CLI_MEASURE_ORDER_H
#define CLI_MEASURE_ORDER_H

#include "common.h"

#include "scree/measure.h"

typedef struct order_wishes {
    bool order, structure;
    scree_bond_order_def bonds;
    scree_structure_factor_def waves;
} order_wishes;

typedef struct order_found {
    scree_bond_order order;
    scree_structure_factor structure;
    bool has_order;
} order_found;

bool order_wishes_of(const arguments* args, order_wishes* out);  // prints what is wrong and returns false

// What was found is to be freed, after a failure too.
scree_status order_measure(const order_wishes* wishes, const common* co, const scree_measure_def* def, scree_spheres spheres, order_found* out);
scree_status order_tell(result* res, const order_found* found);
void order_free(order_found* found);

#endif
