// Saved packings: what all kinds of them begin with, and their checks. A saved packing is a head, which begins with a saved_head, and arrays behind it.
#ifndef SCREE_PACK_SAVED_H
#define SCREE_PACK_SAVED_H

#include "scree/pack.h"

#include <stddef.h>

typedef struct saved_head {
    char magic[8];
    uint32_t version, order;  // order: 0x01020304 as this machine writes it
    uint64_t bytes;           // of everything
    uint64_t sum;             // of everything behind this member
    uint64_t wish;            // of all that decides the bits
    int32_t count, dim;
} saved_head;

typedef struct saved_kind {
    char magic[8];
    uint32_t version;
} saved_kind;

uint64_t saved_mix(uint64_t sum, const void* data, size_t bytes);
uint64_t saved_sum(const void* data, size_t bytes);  // the same from the beginning

// Fills in the head, which piece[0] is, but for wish, count and dim. What the saver gives.
scree_status saved_write(const scree_pack_saver* saver, const saved_kind* kind, saved_head* head, int32_t count, const scree_bytes* piece);

// Copies a head of `size` bytes. FORMAT: not of this kind, cut short or changed; not detected where the count of spheres is not `n`, which the caller rejects.
scree_status saved_read(const char* what, const saved_kind* kind, scree_bytes from, int32_t n, saved_head* head, size_t size);

#endif
