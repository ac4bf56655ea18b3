// Without p4est: forest_plain.c does it alone.
#include "par/forest.h"

scree_status forest_use_p8est(par_forest* forest)
{
    (void)forest;
    return SCREE_OK;
}
