// Finds the contacts of three spheres with the search alone.
#include <scree/index.h>

#include "../clash.h"

#include <stdio.h>

int main(void)
{
    const double x[] = {0, 0, 0, 1.5, 0, 0, 9, 9, 9}, r[] = {1, 1, 3};
    scree_spheres three = {.count = 3, .dim = 3, .x = x, .r = r};
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    scree_pairs pairs;
    if (scree_index_create(&def, &index) != SCREE_OK || scree_index_update(index, three) != SCREE_OK || scree_index_pairs(index, &pairs) != SCREE_OK)
        return 1;
    printf("3 spheres, %d pair: %d %d\n", (int)pairs.count, (int)pairs.ij[0][0], (int)pairs.ij[0][1]);
    scree_index_destroy(index);
    return 0;
}
