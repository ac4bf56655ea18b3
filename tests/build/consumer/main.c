// Reads spheres and prints their contacts. Valid C17 and C++17.
#include <scree/scree.h>

#include "clash.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char** argv)
{
    scree_sphere_set set;
    scree_index_def def = scree_default_index_def();
    scree_index* index;
    scree_pairs pairs;
    scree_checkpoint nothing;  // cannot be written; but writing brings zlib along at link time, and a picture libpng
    uint8_t rgb[3];
    if (argc != 2)
        return 2;
    memset(&nothing, 0, sizeof nothing);
    if (density_of(1.0) + method_find(1.0) != 10.0)
        return 4;
    if (scree_write_checkpoint("nothing.npz", &nothing) != SCREE_ERR_ARGUMENT)
        return 3;
    scree_colour_map_rgb(SCREE_MAP_GREY, 1.0, rgb);
    if (rgb[0] < 200 || scree_write_picture("nothing.png", NULL, NULL) != SCREE_ERR_ARGUMENT)
        return 5;
    if (scree_read_spheres(argv[1], NULL, &set) != SCREE_OK || scree_index_create(&def, &index) != SCREE_OK ||
        scree_index_update(index, scree_sphere_set_view(&set)) != SCREE_OK ||
        scree_index_pairs(index, &pairs) != SCREE_OK) {
        fprintf(stderr, "%s\n", scree_error_message());
        return 1;
    }
    printf("%d spheres, %d pair:", (int)set.count, (int)pairs.count);
    for (int64_t k = 0; k < pairs.count; ++k)
        printf(" %d %d", (int)pairs.ij[k][0], (int)pairs.ij[k][1]);
    printf("\n");
    scree_index_destroy(index);
    scree_sphere_set_free(&set);
    return 0;
}
