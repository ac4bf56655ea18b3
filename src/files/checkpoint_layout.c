// The container of checkpoints, written: zip (PKWARE's APPNOTE.TXT 6.3) around .npy (numpy.lib.format), both as plain as they can be: members stored, no
// times, nothing that depends on the machine. Same content, same bytes.
//
// What zip leaves free is fixed so that offsets follow from the list of parts alone. An extra field 0xD935 (the one by which Android aligns members) fills
// each header, so that the data begins at a multiple of 64 bytes. Sizes and offsets from 2^32 - 1 on, and only those, are in the extra field of Zip64;
// and only then there is a Zip64 record at the end.
//
// Cost: the data is read twice, once for its checksums and once to write it, because the checksum of a member precedes it. In return the whole file can be
// written sequentially, also into a pipe. Memory: one buffer.
#include "files/checkpoint_layout.h"

#include "files/crc64.h"
#include "files/npy.h"
#include "files/system.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define WIDE ((uint64_t)UINT32_MAX)  // from here on numbers are in the fields of Zip64

enum {
    data_alignment = 64,
    npy_size = 128,     // of a .npy header: always more than 64 bytes, and never more than 128
    local_size = 30,    // of zip's header of a member, without name and extra fields
    align_id = 0xD935,  // of the extra field that fills up: id, length, alignment, zeros
    align_least = 6,
    wide_id = 1,        // of Zip64's extra field
    no_date = 0x21,     // 1 January 1980
};

static const char* const descr[part_kinds] = {"<f8", "<i8", "<u8", "<i4", "<u2", "|u1", "|i1", "|S"};

// ---- Sums --------------------------------------------------------------------------------------------------------

static part_sums sum_of(const char* bytes, size_t count)
{
    return (part_sums){.crc32 = (uint32_t)crc32_z(0, (const unsigned char*)bytes, count), .crc64 = scree_crc64(bytes, count), .bytes = (int64_t)count};
}

part_sums checkpoint_join(part_sums first, part_sums second)
{
    return (part_sums){.crc32 = (uint32_t)crc32_combine(first.crc32, second.crc32, (z_off_t)second.bytes),
                       .crc64 = scree_crc64_combine(first.crc64, second.crc64, (uint64_t)second.bytes),
                       .bytes = first.bytes + second.bytes};
}

// ---- Numbers -----------------------------------------------------------------------------------------------------

static char* put(char* to, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; ++k)
        *to++ = (char)(unsigned char)(value >> 8 * k & 255);
    return to;
}

// A number that lies at `from` in little-endian order is put at `to` in native order, which is the same the other way round.
static inline void turn(char* to, const char* from, size_t width)
{
    const uint16_t one = 1;
    char first, number[8];
    memcpy(&first, &one, 1);
    memcpy(number, from, width);
    for (size_t k = 0; k < width; ++k)
        to[k] = number[first == 1 ? k : width - 1 - k];
}

void checkpoint_copy(part_kind kind, void* to, const void* from, size_t bytes)
{
    char* t = to;
    const char* f = from;
    switch (checkpoint_width(kind)) {
    case 8:
        for (size_t k = 0; k < bytes; k += 8)
            turn(t + k, f + k, 8);
        break;
    case 4:
        for (size_t k = 0; k < bytes; k += 4)
            turn(t + k, f + k, 4);
        break;
    case 2:
        for (size_t k = 0; k < bytes; k += 2)
            turn(t + k, f + k, 2);
        break;
    default:
        if (bytes > 0)
            memcpy(t, f, bytes);
        break;
    }
}

// ---- Headers -----------------------------------------------------------------------------------------------------

static void put_npy(const part* p, char to[npy_size])
{
    char begin[12], text[npy_size + 1], shape[64] = "()", length[32] = "";
    if (p->axes == 1)
        snprintf(shape, sizeof shape, "(%" PRId64 ",)", p->shape[0]);
    else if (p->axes == 2)
        snprintf(shape, sizeof shape, "(%" PRId64 ", %" PRId64 ")", p->shape[0], p->shape[1]);
    if (p->kind == PART_TEXT)
        snprintf(length, sizeof length, "%" PRId64, p->shape[0]);
    int used = snprintf(text, sizeof text, "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }", descr[p->kind], length, shape), blanks;
    int front = scree_npy_begin(begin, 1, used, &blanks);
    assert(front + used + blanks + 1 == npy_size);
    memcpy(to, begin, (size_t)front);
    memcpy(to + front, text, (size_t)used);
    memset(to + front + used, ' ', (size_t)blanks);
    to[npy_size - 1] = '\n';
}

static uint64_t member_size(const part* p)
{
    return npy_size + (uint64_t)checkpoint_bytes(p);
}

static size_t name_size(const part* p)
{
    return strlen(p->name) + strlen(".npy");
}

// What a member's header and its entry in the directory have in common, from the version needed to the length of the extra fields.
static char* put_common(char* to, const part* p, bool wide, size_t extra)
{
    bool wide_size = member_size(p) >= WIDE;
    to = put(to, wide ? 45 : 20, 2);
    to = put(to, 0, 4);  // no flags; stored
    to = put(to, (uint64_t)no_date << 16, 4);
    to = put(to, p->crc32, 4);
    to = put(to, wide_size ? WIDE : member_size(p), 4);  // stored and original size
    to = put(to, wide_size ? WIDE : member_size(p), 4);
    to = put(to, name_size(p), 2);
    return put(to, extra, 2);
}

static char* put_name(char* to, const part* p)
{
    memcpy(to, p->name, strlen(p->name));
    memcpy(to + strlen(p->name), ".npy", 4);
    return to + name_size(p);
}

size_t checkpoint_head(const part* p, char to[part_head_most])
{
    bool wide = member_size(p) >= WIDE;
    size_t size = (size_t)(p->data_at - p->head_at), extra = size - npy_size - local_size - name_size(p), fill = extra - (wide ? 20 : 0);
    char* npy = to + size - npy_size;
    assert(size <= part_head_most && fill >= align_least);
    memset(to, 0, size);
    to = put(to, 0x04034b50, 4);
    to = put_name(put_common(to, p, wide, extra), p);
    if (wide) {
        to = put(put(to, wide_id, 2), 16, 2);
        to = put(put(to, member_size(p), 8), member_size(p), 8);
    }
    to = put(put(to, align_id, 2), fill - 4, 2);
    put(to, data_alignment, 2);
    put_npy(p, npy);
    return size;
}

static char* put_entry(char* to, const part* p)
{
    bool wide_size = member_size(p) >= WIDE, wide_at = (uint64_t)p->head_at >= WIDE, wide = wide_size || wide_at;
    size_t extra = (wide ? 4u : 0u) + (wide_size ? 16u : 0u) + (wide_at ? 8u : 0u);
    to = put(to, 0x02014b50, 4);
    to = put(to, wide ? 45 : 20, 2);  // made by
    to = put_common(to, p, wide, extra);
    to = put(put(to, 0, 4), 0, 6);  // no comment, first disk; no attributes
    to = put_name(put(to, wide_at ? WIDE : (uint64_t)p->head_at, 4), p);
    if (wide)
        to = put(put(to, wide_id, 2), extra - 4, 2);
    if (wide_size)
        to = put(put(to, member_size(p), 8), member_size(p), 8);
    return wide_at ? put(to, (uint64_t)p->head_at, 8) : to;
}

static int64_t data_end(const part* parts, int32_t count)
{
    return count > 0 ? parts[count - 1].data_at + checkpoint_bytes(&parts[count - 1]) : 0;
}

size_t checkpoint_end(const part* parts, int32_t count, char to[checkpoint_end_most])
{
    char* begin = to;
    for (int32_t k = 0; k < count; ++k)
        to = put_entry(to, &parts[k]);
    uint64_t at = (uint64_t)data_end(parts, count), size = (uint64_t)(to - begin);
    bool wide = at >= WIDE;
    if (wide) {
        to = put(put(to, 0x06064b50, 4), 44, 8);      // bytes that follow in this record
        to = put(put(put(to, 45, 2), 45, 2), 0, 8);   // made by, needed; this disk and that of the directory
        to = put(put(to, (uint64_t)count, 8), (uint64_t)count, 8);
        to = put(put(to, size, 8), at, 8);
        to = put(put(to, 0x07064b50, 4), 0, 4);
        to = put(put(to, at + size, 8), 1, 4);  // where that record is; one disk
    }
    to = put(put(to, 0x06054b50, 4), 0, 4);
    to = put(put(to, (uint64_t)count, 2), (uint64_t)count, 2);
    to = put(put(to, size, 4), wide ? WIDE : at, 4);
    to = put(to, seal_size, 2);
    assert(to - begin <= checkpoint_end_most);
    return (size_t)(to - begin);
}

void checkpoint_seal(int32_t version, int64_t bytes, uint64_t crc64, char to[seal_size])
{
    char text[128];
    int used = snprintf(text, sizeof text, "scree checkpoint, format version %0*" PRId32 ", %0*" PRId64 " bytes, CRC-64 %016" PRIx64, seal_version_digits, version,
                        seal_bytes_digits, bytes, crc64);
    assert(used == seal_size);
    (void)used;
    memcpy(to, text, seal_size);
}

int64_t checkpoint_place(part* p, int64_t at)
{
    p->head_at = at;
    at += local_size + (int64_t)name_size(p) + (member_size(p) >= WIDE ? 20 : 0) + align_least + npy_size;
    p->data_at = (at + data_alignment - 1) / data_alignment * data_alignment;
    return p->data_at + checkpoint_bytes(p);
}

int64_t checkpoint_lay_out(part* parts, int32_t count)
{
    char end[checkpoint_end_most];
    int64_t at = 0;
    for (int32_t k = 0; k < count; ++k)
        at = checkpoint_place(&parts[k], at);
    return at + (int64_t)checkpoint_end(parts, count, end) + seal_size;
}

// ---- Writing -----------------------------------------------------------------------------------------------------

part_sums checkpoint_sum_rows(const part* p, int64_t rows, const void* rows_data)
{
    char piece[32768];
    part_sums sums = {0};
    const char* from = rows_data;
    for (size_t left = (size_t)(rows * checkpoint_row_bytes(p)), bytes; left > 0; left -= bytes, from += bytes) {
        bytes = left < sizeof piece ? left : sizeof piece;
        checkpoint_copy(p->kind, piece, from, bytes);
        sums.crc32 = (uint32_t)crc32_z(sums.crc32, (const unsigned char*)piece, bytes);
        sums.crc64 = scree_crc64_more(sums.crc64, piece, bytes);
        sums.bytes += (int64_t)bytes;
    }
    return sums;
}

void checkpoint_put_rows(scree_output* output, const part* p, int64_t first, int64_t rows, const void* rows_data)
{
    const char* from = rows_data;
    size_t left = (size_t)(rows * checkpoint_row_bytes(p)), bytes;
    if (scree_output_at(output, p->data_at + first * checkpoint_row_bytes(p)) != SCREE_OK)
        return;
    for (; left > 0 && output->status == SCREE_OK; left -= bytes, from += bytes) {
        bytes = left < SCREE_OUTPUT_ROOM ? left : SCREE_OUTPUT_ROOM;
        char* to = scree_output_room(output, bytes);
        checkpoint_copy(p->kind, to, from, bytes);
        scree_output_wrote(output, to + bytes);
    }
}

void checkpoint_set_sums(part* p, part_sums data)
{
    char npy[npy_size];
    assert(data.bytes == checkpoint_bytes(p));
    put_npy(p, npy);
    p->crc32 = checkpoint_join(sum_of(npy, sizeof npy), data).crc32;
    p->crc64 = data.crc64;
}

void checkpoint_put_head(scree_output* output, const part* p)
{
    char head[part_head_most];
    size_t size = checkpoint_head(p, head);
    if (scree_output_at(output, p->head_at) == SCREE_OK)
        scree_output_bytes(output, head, size);
}

void checkpoint_put_tail(scree_output* output, const part* parts, int32_t count, int32_t version)
{
    char end[checkpoint_end_most + seal_size], head[part_head_most];
    part_sums all = {0};
    for (int32_t k = 0; k < count; ++k) {
        all = checkpoint_join(all, sum_of(head, checkpoint_head(&parts[k], head)));
        all = checkpoint_join(all, (part_sums){.crc64 = parts[k].crc64, .bytes = checkpoint_bytes(&parts[k])});
    }
    size_t size = checkpoint_end(parts, count, end);
    int64_t bytes = data_end(parts, count) + (int64_t)size + seal_size;
    checkpoint_seal(version, bytes, 0, end + size);
    all = checkpoint_join(all, sum_of(end, size + seal_sum_at));
    checkpoint_seal(version, bytes, all.crc64, end + size);
    if (scree_output_at(output, data_end(parts, count)) == SCREE_OK)
        scree_output_bytes(output, end, size + seal_size);
}

void checkpoint_put_parts(scree_output* output, part* parts, int32_t count, int32_t version)
{
    checkpoint_lay_out(parts, count);
    for (int32_t k = 0; k < count && output->status == SCREE_OK; ++k) {
        checkpoint_set_sums(&parts[k], checkpoint_sum_rows(&parts[k], parts[k].shape[0], parts[k].data));
        output->status = scree_watch_ask(output->watch, 0.5 * k / count, output->name, "writing");
    }
    for (int32_t k = 0; k < count && output->status == SCREE_OK; ++k) {
        output->status = scree_watch_ask(output->watch, 0.5 + 0.5 * k / count, output->name, "writing");
        checkpoint_put_head(output, &parts[k]);
        checkpoint_put_rows(output, &parts[k], 0, parts[k].shape[0], parts[k].data);
    }
    checkpoint_put_tail(output, parts, count, version);
}

// ---- Reading -----------------------------------------------------------------------------------------------------

static bool skip(const char** at, const char* text)
{
    size_t length = strlen(text);
    bool there = strncmp(*at, text, length) == 0;
    *at += there ? length : 0;
    return there;
}

static bool take_number(const char** at, int64_t* number)
{
    int digits = 0;
    int64_t value = 0;
    for (; digits < 18 && **at >= '0' && **at <= '9'; ++*at, ++digits)
        value = 10 * value + (**at - '0');
    if (digits > 0)
        *number = value;
    return digits > 0;
}

bool checkpoint_parse_npy(const char* at, int64_t left, part* p)
{
    char text[npy_size + 1] = "", again[npy_size];
    if (left < npy_size)
        return false;
    memcpy(text, at, npy_size);
    const char* t = text + 10;
    int kind = 0;
    if (!skip(&t, "{'descr': '"))
        return false;
    while (kind < part_kinds && !skip(&t, descr[kind]))
        ++kind;
    p->kind = (part_kind)kind;
    p->axes = 0;
    p->shape[0] = p->shape[1] = 1;
    if (kind == part_kinds || (kind == PART_TEXT && !take_number(&t, &p->shape[0])) || !skip(&t, "', 'fortran_order': False, 'shape': ("))
        return false;
    while (kind != PART_TEXT && p->axes < 2 && take_number(&t, &p->shape[p->axes])) {
        ++p->axes;
        (void)(skip(&t, ", ") || skip(&t, ","));
    }
    // Whatever was skipped or follows: only a header as the writer makes it compares equal.
    put_npy(p, again);
    return memcmp(text, again, npy_size) == 0;
}
