#include "base/sort.h"

#include "base/parallel.h"

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

// Radix sort, digit by digit from the last; a digit that is the same for every key is skipped before it is counted.
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

// ---- On several threads -------------------------------------------------------------------------------------------
// The keys are cut into as many parts as there are threads. For each digit the parts are counted, places are given by digit and then by part, and the
// parts move their keys there: stable, so the outcome is that of the sort above whatever the number of parts.

typedef struct sort_job {
    const int64_t* from_key;
    const uint32_t* from_word;
    int64_t* to_key;
    uint32_t* to_word;
    int64_t count, parts;
    int digit;
    int64_t (*place)[digit_values];  // of each part
} sort_job;

static scree_status count_part(void* context, int64_t part)
{
    const sort_job* job = context;
    int64_t* place = job->place[part];
    memset(place, 0, sizeof job->place[part]);
    for (int64_t e = job->count * part / job->parts; e < job->count * (part + 1) / job->parts; ++e)
        ++place[digit_of(job->from_key[e], job->digit)];
    return SCREE_OK;
}

static scree_status move_part(void* context, int64_t part)
{
    const sort_job* job = context;
    int64_t* place = job->place[part];
    for (int64_t e = job->count * part / job->parts; e < job->count * (part + 1) / job->parts; ++e) {
        int64_t at = place[digit_of(job->from_key[e], job->digit)]++;
        job->to_key[at] = job->from_key[e];
        job->to_word[at] = job->from_word[e];
    }
    return SCREE_OK;
}

scree_status scree_sort_with_threads(int32_t threads, int64_t* key, uint32_t* word, int64_t* spare_key, uint32_t* spare_word, int64_t count)
{
    enum { worth_it = 16384 };  // keys for each thread
    int64_t parts = threads < count / worth_it ? threads : count / worth_it, differ = 0;
    if (parts <= 1) {
        scree_sort_with(key, word, spare_key, spare_word, count);
        return SCREE_OK;
    }
    sort_job job = {.from_key = key, .from_word = word, .to_key = spare_key, .to_word = spare_word, .count = count, .parts = parts};
    job.place = scree_malloc((size_t)parts, sizeof *job.place);
    if (job.place == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t e = 1; e < count; ++e)
        differ |= key[e] ^ key[0];
    for (job.digit = 0; job.digit < digits; ++job.digit) {
        if (((uint64_t)differ >> (job.digit * digit_bits) & (digit_values - 1)) == 0)
            continue;
        scree_parallel_for(threads, parts, count_part, &job, NULL);
        int64_t next = 0;
        for (int v = 0; v < digit_values; ++v)
            for (int64_t part = 0; part < parts; ++part) {
                int64_t here = job.place[part][v];
                job.place[part][v] = next;
                next += here;
            }
        scree_parallel_for(threads, parts, move_part, &job, NULL);
        bool in_spare = job.to_key == spare_key;
        job.from_key = job.to_key;
        job.from_word = job.to_word;
        job.to_key = in_spare ? key : spare_key;
        job.to_word = in_spare ? word : spare_word;
    }
    if (job.from_key != key) {
        memcpy(key, job.from_key, (size_t)count * sizeof *key);
        memcpy(word, job.from_word, (size_t)count * sizeof *word);
    }
    scree_free(job.place);
    return SCREE_OK;
}
