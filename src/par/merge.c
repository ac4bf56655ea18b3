#include "par/merge.h"

#include "scree/base.h"

#include <stdlib.h>
#include <string.h>

void merge_sorted(void* items, size_t sorted, size_t count, size_t size, int (*compare)(const void*, const void*))
{
    size_t more = count - sorted;
    char* base = items;
    if (more == 0)
        return;
    char* rest = sorted > 0 ? scree_malloc(more, size) : NULL;
    if (rest == NULL) {
        qsort(base, count, size, compare);
        return;
    }
    memcpy(rest, base + sorted * size, more * size);
    qsort(rest, more, size, compare);
    // From the end: each item goes to its place before another one needs that.
    for (size_t to = count; more > 0; --to) {
        bool stays = sorted == 0 || compare(base + (sorted - 1) * size, rest + (more - 1) * size) <= 0;
        memcpy(base + (to - 1) * size, stays ? rest + (more - 1) * size : base + (sorted - 1) * size, size);
        *(stays ? &more : &sorted) -= 1;
    }
    scree_free(rest);
}
