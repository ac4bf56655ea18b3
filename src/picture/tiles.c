// Things of any kind sorted into the square tiles of the picture by the rectangles that they cover.
//
// Each thing is counted in the tiles that it touches and then noted in each: the tiles' lists come out in the order of the things. A thing
// over more than `many` tiles is not noted in each but once in a list of large ones, which every tile goes through beside its own. So memory
// is O(n) for any sizes; if all things are large the time is n times the number of tiles, but a look at a thing that is not in the tile costs
// two comparisons.
#include "picture/picture.h"

#include <math.h>

enum { many = 12 };

// Things are drawn at least a pixel wide.
bool scree_tile_range(const lens* l, const double rect[4], int32_t range[4])
{
    if (!(rect[2] > -1.0 && rect[3] > -1.0 && rect[0] < l->width + 1.0 && rect[1] < l->height + 1.0))
        return false;
    const int32_t most[2] = {(l->width - 1) / tile_side, (l->height - 1) / tile_side};
    for (int k = 0; k < 2; ++k) {
        double first = floor((rect[k] - 1.0) / tile_side), last = floor((rect[k + 2] + 1.0) / tile_side);
        range[k] = first > 0.0 ? (int32_t)fmin(first, most[k]) : 0;
        range[k + 2] = last < most[k] ? (int32_t)fmax(last, 0.0) : most[k];
    }
    return true;
}

scree_status scree_tile_lists_make(const lens* l, int32_t count, tile_bounds bounds, const void* context, tile_lists* out)
{
    *out = (tile_lists){.tiles_x = (l->width + tile_side - 1) / tile_side, .tiles_y = (l->height + tile_side - 1) / tile_side};
    int64_t tiles = (int64_t)out->tiles_x * out->tiles_y;
    out->first = scree_calloc((size_t)tiles + 1, sizeof *out->first);
    if (out->first == NULL)
        return SCREE_ERR_MEMORY;
    for (int pass = 0; pass < 2; ++pass) {
        out->large_count = 0;
        for (int32_t n = 0; n < count; ++n) {
            double rect[4];
            int32_t range[4];
            if (!bounds(context, n, rect) || !scree_tile_range(l, rect, range))
                continue;
            if ((int64_t)(range[2] - range[0] + 1) * (range[3] - range[1] + 1) > many) {
                if (pass == 1)
                    out->large[out->large_count] = n;
                ++out->large_count;
                continue;
            }
            for (int32_t y = range[1]; y <= range[3]; ++y)
                for (int32_t x = range[0]; x <= range[2]; ++x) {
                    int64_t t = (int64_t)y * out->tiles_x + x;
                    if (pass == 0)
                        ++out->first[t + 1];
                    else
                        out->entry[out->first[t]++] = n;
                }
        }
        if (pass == 1)
            break;
        for (int64_t t = 0; t < tiles; ++t)
            out->first[t + 1] += out->first[t];
        out->entry = scree_malloc((size_t)out->first[tiles], sizeof *out->entry);
        out->large = scree_malloc((size_t)out->large_count, sizeof *out->large);
        if (out->entry == NULL || out->large == NULL) {
            scree_tile_lists_free(out);
            return SCREE_ERR_MEMORY;
        }
    }
    for (int64_t t = tiles; t > 0; --t)  // noting moved each beginning to its end
        out->first[t] = out->first[t - 1];
    out->first[0] = 0;
    return SCREE_OK;
}

void scree_tile_lists_free(tile_lists* lists)
{
    scree_free(lists->first);
    scree_free(lists->entry);
    scree_free(lists->large);
    *lists = (tile_lists){0};
}
