#include "base/sort.h"

#include <string.h>

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

// ---- With a word --------------------------------------------------------------------------------------------------

enum { digit_bits = 11, digits = 6, digit_values = 1 << digit_bits };

static uint64_t digit_of(int64_t key, int d)
{
    return ((uint64_t)key ^ (uint64_t)1 << 63) >> (d * digit_bits) & (digit_values - 1);
}

// Few keys, in place.
static void insertion_sort(int64_t* key, uint32_t* word, int64_t count)
{
    for (int64_t e = 1; e < count; ++e) {
        int64_t own = key[e], at = e;
        uint32_t own_word = word[e];
        for (; at > 0 && key[at - 1] > own; --at) {
            key[at] = key[at - 1];
            word[at] = word[at - 1];
        }
        key[at] = own;
        word[at] = own_word;
    }
}

// Digit by digit from the last; a digit that is the same in all keys is left out before it is counted.
void scree_sort_with(int64_t* key, uint32_t* word, int64_t* spare_key, uint32_t* spare_word, int64_t count)
{
    if (count <= 64) {
        insertion_sort(key, word, count);
        return;
    }
    int64_t *to_key = spare_key, *from_key = key, differ = 0;
    uint32_t *to_word = spare_word, *from_word = word;
    for (int64_t e = 1; e < count; ++e)
        differ |= key[e] ^ key[0];
    for (int d = 0; d < digits; ++d) {
        if (((uint64_t)differ >> (d * digit_bits) & (digit_values - 1)) == 0)
            continue;
        int64_t place[digit_values] = {0}, next = 0;
        for (int64_t e = 0; e < count; ++e)
            ++place[digit_of(from_key[e], d)];
        for (int v = 0; v < digit_values; ++v) {
            int64_t here = place[v];
            place[v] = next;
            next += here;
        }
        for (int64_t e = 0; e < count; ++e) {
            int64_t at = place[digit_of(from_key[e], d)]++;
            to_key[at] = from_key[e];
            to_word[at] = from_word[e];
        }
        int64_t* other_key = from_key;
        uint32_t* other_word = from_word;
        from_key = to_key;
        from_word = to_word;
        to_key = other_key;
        to_word = other_word;
    }
    if (from_key != key) {
        memcpy(key, from_key, (size_t)count * sizeof *key);
        memcpy(word, from_word, (size_t)count * sizeof *word);
    }
}
