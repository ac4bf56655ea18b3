// Union-find with path halving; the root of a tree is its first sphere. Cost: O(n + pairs), nearly.
#include "measure/forest.h"

#include <string.h>

scree_status forest_make(int32_t n, forest* out)
{
    size_t room = (size_t)n + 1;
    *out = (forest){.parent = scree_malloc(room, sizeof *out->parent), .away = scree_calloc(room, sizeof *out->away), .faces = scree_calloc(room, 1), .winds = scree_calloc(room, 1)};
    if (out->parent == NULL || out->away == NULL || out->faces == NULL || out->winds == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < n; ++i)
        out->parent[i] = i;
    return SCREE_OK;
}

void forest_free(forest* f)
{
    scree_free(f->parent);
    scree_free(f->away);
    scree_free(f->faces);
    scree_free(f->winds);
    *f = (forest){0};
}

// The root of i, and how many boxes i is away from it. Halves the path on the way.
static int32_t root_of(const forest* f, int32_t i, int32_t away[3])
{
    memset(away, 0, 3 * sizeof *away);
    while (f->parent[i] != i) {
        int32_t up = f->parent[i], top = f->parent[up];
        for (int k = 0; k < 3; ++k) {
            if (top != up)
                f->away[i][k] += f->away[up][k];
            away[k] += f->away[i][k];
        }
        f->parent[i] = top;
        i = top;
    }
    return i;
}

void forest_join(const forest* f, int32_t i, int32_t j, const int8_t* shift)
{
    int32_t a[3], b[3], one = root_of(f, i, a), two = root_of(f, j, b), apart[3];
    for (int k = 0; k < 3; ++k)
        apart[k] = a[k] + (shift != NULL ? shift[k] : 0) - b[k];  // of the second root from the first
    if (one == two) {
        for (int k = 0; k < 3; ++k)
            f->winds[one] |= (uint8_t)((apart[k] != 0) << k);
        return;
    }
    int32_t low = one < two ? one : two, high = one < two ? two : one;
    for (int k = 0; k < 3; ++k)
        f->away[high][k] = high == two ? apart[k] : -apart[k];
    f->parent[high] = low;
    f->faces[low] |= f->faces[high];
    f->winds[low] |= f->winds[high];
}

int32_t forest_root(const forest* f, int32_t i)
{
    int32_t away[3];
    return root_of(f, i, away);
}

void forest_touch(const forest* f, int32_t i, int face)
{
    f->faces[forest_root(f, i)] |= (uint8_t)(1 << face);
}
