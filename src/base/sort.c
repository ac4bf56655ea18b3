#include "base/sort.h"

static void sift_down(uint64_t* key, int64_t root, int64_t count)
{
    uint64_t value = key[root];
    for (;;) {
        int64_t child = 2 * root + 1;
        if (child >= count)
            break;
        if (child + 1 < count && key[child + 1] > key[child])
            ++child;
        if (key[child] <= value)
            break;
        key[root] = key[child];
        root = child;
    }
    key[root] = value;
}

// Insertion for the usual short row, a heap for the row of a sphere among thousands.
void scree_sort_keys(uint64_t* key, int64_t count)
{
    if (count <= 48) {
        for (int64_t a = 1; a < count; ++a) {
            uint64_t value = key[a];
            int64_t b = a;
            for (; b > 0 && key[b - 1] > value; --b)
                key[b] = key[b - 1];
            key[b] = value;
        }
        return;
    }
    for (int64_t root = count / 2 - 1; root >= 0; --root)
        sift_down(key, root, count);
    for (int64_t last = count - 1; last > 0; --last) {
        uint64_t largest = key[0];
        key[0] = key[last];
        key[last] = largest;
        sift_down(key, 0, last);
    }
}
