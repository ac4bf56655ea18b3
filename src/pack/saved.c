// Saved packings: head and checksum.
#include "pack/saved.h"

#include <inttypes.h>
#include <string.h>

enum { machine_order = 0x01020304 };

// FNV-1a over words of eight bytes: not against malice, only against files that are cut short or changed by accident. Pieces give the sum of the whole only through `sum_over`.
static const uint64_t begin_sum = 14695981039346656037u;

static inline uint64_t mix_word(uint64_t sum, const unsigned char* at)
{
    uint64_t word;
    memcpy(&word, at, 8);
    sum = (sum ^ word) * 1099511628211u;
    return sum ^ sum >> 29;
}

uint64_t saved_mix(uint64_t sum, const void* data, size_t bytes)
{
    const unsigned char* at = data;
    for (; bytes >= 8; bytes -= 8, at += 8)
        sum = mix_word(sum, at);
    for (; bytes > 0; --bytes, ++at)
        sum = (sum ^ *at) * 1099511628211u;
    return sum;
}

uint64_t saved_sum(const void* data, size_t bytes)
{
    return saved_mix(begin_sum, data, bytes);
}

// Of all pieces as if they were one: words go across their borders. The first `skip` bytes of the first piece are left out.
static uint64_t sum_over(int32_t count, const scree_bytes* piece, size_t skip)
{
    unsigned char across[8];
    size_t held = 0;
    uint64_t sum = begin_sum;
    for (int32_t k = 0; k < count; ++k) {
        const unsigned char* at = (const unsigned char*)piece[k].data + (k == 0 ? skip : 0);
        size_t bytes = piece[k].size - (k == 0 ? skip : 0);
        for (; held > 0 && bytes > 0; --bytes) {
            across[held++] = *at++;
            if (held == 8) {
                sum = mix_word(sum, across);
                held = 0;
            }
        }
        for (; bytes >= 8; bytes -= 8, at += 8)
            sum = mix_word(sum, at);
        if (bytes > 0)
            memcpy(across, at, held = bytes);
    }
    return saved_mix(sum, across, held);
}

scree_status saved_write(const scree_pack_saver* saver, const saved_kind* kind, saved_head* head, int32_t count, const scree_bytes* piece)
{
    memcpy(head->magic, kind->magic, sizeof head->magic);
    head->version = kind->version;
    head->order = machine_order;
    head->bytes = 0;
    for (int32_t k = 0; k < count; ++k)
        head->bytes += piece[k].size;
    head->sum = sum_over(count, piece, offsetof(saved_head, wish));
    return saver->save(saver->context, count, piece);
}

scree_status saved_read(const char* what, const saved_kind* kind, scree_bytes from, int32_t n, saved_head* head, size_t size)
{
    const char* at = from.data;
    if (from.size < size || memcmp(at, kind->magic, sizeof kind->magic) != 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: this is not a saved packing of this method; expected one that scree wrote", what);
    memcpy(head, at, size);
    if (head->version != kind->version || head->order != machine_order)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing has format version %" PRIu32 " or comes from another kind of machine; expected version %" PRIu32, what, head->version,
                          kind->version);
    if (head->bytes != from.size || head->count < 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing has %zu bytes; expected %" PRIu64 " bytes", what, from.size, head->bytes);
    if (saved_sum(at + offsetof(saved_head, wish), from.size - offsetof(saved_head, wish)) != head->sum && head->count == n)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the saved packing was changed after it was written; expected its checksum", what);
    return SCREE_OK;
}
