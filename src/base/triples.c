#include "base/triples.h"

#include "base/array.h"

#include <string.h>

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    return x ^ x >> 32;
}

// The slot in which the triple is, or the free one into which it goes. There is always a free one.
static uint64_t place_of(const scree_triples* t, const uint64_t key[3])
{
    uint64_t at = mix(mix(mix(key[0]) + key[1]) + key[2]) & (t->slots - 1);
    while (t->slot[at] != 0 && memcmp(t->key[t->slot[at] - 1], key, sizeof *t->key) != 0)
        at = (at + 1) & (t->slots - 1);
    return at;
}

static scree_status grow(scree_triples* t)
{
    scree_triples next = *t;
    next.slots = t->slots == 0 ? 64 : 2 * t->slots;
    next.slot = scree_calloc(next.slots, sizeof *next.slot);
    if (next.slot == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t n = 0; n < t->count; ++n)
        next.slot[place_of(&next, t->key[n])] = (uint32_t)(n + 1);
    scree_free(t->slot);
    *t = next;
    return SCREE_OK;
}

scree_status scree_triples_add(scree_triples* t, const uint64_t key[3], uint32_t* number)
{
    scree_status status = SCREE_OK;
    if (3 * (uint64_t)(t->count + 1) > 2 * t->slots)  // at most two of three slots are taken
        status = grow(t);
    if (status != SCREE_OK)
        return status;
    uint64_t at = place_of(t, key);
    if (t->slot[at] == 0) {
        status = SCREE_RESERVE(t->key, t->key_capacity, t->count + 1);
        if (status != SCREE_OK)
            return status;
        memcpy(t->key[t->count], key, sizeof *t->key);
        t->slot[at] = (uint32_t)++t->count;
    }
    *number = t->slot[at] - 1;
    return SCREE_OK;
}

int64_t scree_triples_find(const scree_triples* t, const uint64_t key[3])
{
    return t->count == 0 ? -1 : (int64_t)t->slot[place_of(t, key)] - 1;
}

void scree_triples_free(scree_triples* t)
{
    scree_free(t->key);
    scree_free(t->slot);
    *t = (scree_triples){0};
}
