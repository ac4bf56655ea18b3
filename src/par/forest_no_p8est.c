// For builds without p4est: forest_plain.c is the only implementation.
#include "par/forest.h"

scree_status forest_use_p8est(par_forest* forest, scree_par* par)
{
    (void)forest, (void)par;
    return SCREE_OK;
}
