// From the bytes of a VTK file to plain bytes. Data begins with a header of whole numbers (4 or 8 bytes each, in the
// byte order of the file):
//
//     plain        | bytes | data ...
//     compressed   | blocks | bytes of a block | bytes of the last one, 0: as the others | compressed bytes of each ...
//     |
//                  | zlib stream of block 0 | of block 1 | ...
//
// In base64, the header of compressed data is padded to whole groups of four characters by itself, and so is what
// follows; the decoder takes padding wherever it comes. Header numbers are accepted only if they fit the array:
// its size is known from the number of points. A block is unpacked in portions, and must give just the bytes that it
// should.
#include "files/vtp.h"

#include "base/array.h"
#include "files/csv.h"
#include "files/zlib_memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PORTION ((size_t)1 << 16)

enum { STAGE_HEADER, STAGE_SIZES, STAGE_PLAIN, STAGE_BLOCKS };

// Tells `place`, too: the byte where the block or the number began. It does not depend on the portions that came.
static scree_status fail_at(const scree_vtp_decoder* decoder, const char* format, ...) SCREE_PRINTF(2, 3);

static scree_status fail_at(const scree_vtp_decoder* decoder, const char* format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const scree_vtp_array* array = decoder->arrays[0];
    if (array->offset < 0)
        return scree_vtp_array_fail(decoder->input, array, "%s (byte %" PRId64 " of its data)", text, decoder->place);
    return scree_vtp_array_fail(decoder->input, array,
                                "%s (byte %" PRId64 " of its data, which begin at offset %" PRId64
                                " of the appended data)",
                                text, decoder->place, array->offset);
}

// ---- zlib --------------------------------------------------------------------------------------------------------

static scree_status prepare_zlib(scree_vtp_decoder* decoder)
{
    if (decoder->zlib_ready)
        return inflateReset(&decoder->zlib) == Z_OK ? SCREE_OK : scree_fail(SCREE_ERR_MEMORY, "cannot reset zlib");
    if (decoder->unpacked_bytes == NULL)
        decoder->unpacked_bytes = scree_malloc(PORTION, 1);
    if (decoder->unpacked_bytes == NULL)
        return SCREE_ERR_MEMORY;
    decoder->zlib = zlib_stream();
    if (inflateInit(&decoder->zlib) != Z_OK)
        return scree_fail(SCREE_ERR_MEMORY, "out of memory: cannot start zlib");
    decoder->zlib_ready = true;
    return SCREE_OK;
}

void scree_vtp_decoder_free(scree_vtp_decoder* decoder)
{
    if (decoder->zlib_ready)
        inflateEnd(&decoder->zlib);
    scree_free(decoder->unpacked_bytes);
    scree_free(decoder->block_bytes);
    *decoder = (scree_vtp_decoder){0};
}

// ---- Header ------------------------------------------------------------------------------------------------------

// The most bytes that so many words may have: any of them 64 MiB, and all of them 64 KiB on average.
static uint64_t most_text(int64_t words)
{
    return (uint64_t)SCREE_LINE_MOST + (uint64_t)words * 65536;
}

// Whether this is how many bytes each of the arrays should have. Nothing is unpacked before.
static scree_status check_size(const scree_vtp_decoder* decoder, uint64_t bytes)
{
    for (int64_t a = 0; a < decoder->array_count; ++a) {
        const scree_vtp_array* array = decoder->arrays[a];
        uint64_t wanted = (uint64_t)scree_vtp_array_total(array) * (uint64_t)scree_vtk_type_size(array->type);
        if (array->open && bytes <= wanted && bytes % (uint64_t)scree_vtk_type_size(array->type) == 0)
            continue;
        if (array->type == SCREE_VTK_STRING && bytes > most_text(array->tuples))
            return scree_vtp_array_fail(decoder->input, array,
                                        "the header of its data gives %" PRIu64 " bytes for %" PRId64 " words; expected at most %" PRIu64 "", bytes,
                                        array->tuples, most_text(array->tuples));
        if (array->type != SCREE_VTK_STRING && bytes != wanted)
            return scree_vtp_array_fail(
                decoder->input, array,
                "the header of its data gives %" PRIu64 " bytes for %" PRId64 " tuples of %" PRId32 " %s; expected %" PRIu64,
                bytes, array->tuples, array->components, scree_vtk_type_name(array->type), wanted);
    }
    return SCREE_OK;
}

static uint64_t block_size(const scree_vtp_decoder* decoder, int64_t block)
{
    bool last = block + 1 == (int64_t)decoder->header[0];
    return last && decoder->header[2] > 0 ? decoder->header[2] : decoder->header[1];
}

// Goes to the next block, or to the end behind the last.
static scree_status next_block(scree_vtp_decoder* decoder)
{
    if (decoder->block == decoder->block_count) {
        decoder->done = true;
        return SCREE_OK;
    }
    decoder->left = decoder->block_bytes[decoder->block];
    decoder->unpacked = 0;
    decoder->place = decoder->taken;
    if (decoder->left == 0)
        return fail_at(decoder, "the header gives 0 compressed bytes for block %" PRId64 "; expected 1 or more", decoder->block);
    return prepare_zlib(decoder);
}

static scree_status end_header(scree_vtp_decoder* decoder)
{
    if (!decoder->compressed) {
        decoder->stage = STAGE_PLAIN;
        decoder->left = decoder->header[0];
        decoder->done = decoder->left == 0;
        return check_size(decoder, decoder->left);
    }
    uint64_t blocks = decoder->header[0], size = decoder->header[1], last = decoder->header[2];
    decoder->stage = STAGE_SIZES;
    if (blocks == 0) {
        decoder->done = true;
        return check_size(decoder, 0);
    }
    // The sum below must not overflow; 2^62 bytes are more than there are.
    uint64_t most = (uint64_t)1 << 62;
    if (size > most || last > most || (size == 0 && last == 0) || (blocks > 1 && (size == 0 || last > size)) ||
        (size > 0 && blocks - 1 > most / size))
        return fail_at(
            decoder, "a header of %" PRIu64 " blocks of %" PRIu64 " bytes, the last with %" PRIu64 " bytes; expected sizes above 0 that fit the array",
            blocks, size, last);
    return check_size(decoder, (blocks - 1) * size + (last > 0 ? last : size));
}

static scree_status take_header_number(scree_vtp_decoder* decoder, uint64_t number)
{
    if (decoder->stage == STAGE_HEADER) {
        decoder->header[decoder->header_length++] = number;
        return decoder->header_length == (decoder->compressed ? 3 : 1) ? end_header(decoder) : SCREE_OK;
    }
    scree_status status = SCREE_RESERVE(decoder->block_bytes, decoder->block_capacity, decoder->block_count + 1);
    if (status != SCREE_OK)
        return status;
    decoder->block_bytes[decoder->block_count++] = number;
    if ((uint64_t)decoder->block_count < decoder->header[0])
        return SCREE_OK;
    decoder->stage = STAGE_BLOCKS;
    return next_block(decoder);
}

static uint64_t number_of(const scree_vtp_decoder* decoder)
{
    if (decoder->word == 4) {
        uint32_t narrow;
        memcpy(&narrow, decoder->number, sizeof narrow);
        return decoder->swap ? __builtin_bswap32(narrow) : narrow;
    }
    uint64_t wide;
    memcpy(&wide, decoder->number, sizeof wide);
    return decoder->swap ? __builtin_bswap64(wide) : wide;
}

// ---- Data --------------------------------------------------------------------------------------------------------

static scree_status give(scree_vtp_decoder* decoder, const unsigned char* bytes, size_t count)
{
    scree_status status = SCREE_OK;
    for (int64_t a = 0; a < decoder->array_count && status == SCREE_OK; ++a)
        status = scree_vtp_array_bytes(decoder->input, decoder->arrays[a], bytes, count, decoder->swap);
    return status;
}

// Unpacks up to `count` bytes of the current block, which has that many still to come.
static scree_status unpack(scree_vtp_decoder* decoder, const unsigned char* bytes, size_t count)
{
    z_stream* zlib = &decoder->zlib;
    uint64_t wanted = block_size(decoder, decoder->block);
    zlib->next_in = (unsigned char*)(uintptr_t)bytes;  // zlib does not write there, but does not say so
    zlib->avail_in = (unsigned)count;
    int answer;
    do {
        zlib->next_out = decoder->unpacked_bytes;
        zlib->avail_out = (unsigned)PORTION;
        answer = inflate(zlib, Z_NO_FLUSH);
        if (answer == Z_MEM_ERROR)
            return scree_fail(SCREE_ERR_MEMORY, "out of memory: zlib failed");
        size_t made = PORTION - zlib->avail_out;
        bool too_many = made > wanted - decoder->unpacked;
        if (too_many)
            made = (size_t)(wanted - decoder->unpacked);
        decoder->unpacked += made;
        scree_status status = give(decoder, decoder->unpacked_bytes, made);
        if (status != SCREE_OK)
            return status;
        if (too_many)
            return fail_at(decoder, "zlib block %" PRId64 " holds too many bytes; expected %" PRIu64 "",
                           decoder->block, wanted);
    } while (answer == Z_OK && (zlib->avail_in > 0 || zlib->avail_out == 0));
    decoder->left -= count;
    if (answer != Z_OK && answer != Z_STREAM_END && answer != Z_BUF_ERROR)
        return fail_at(decoder, "zlib block %" PRId64 " is corrupt: %s; expected zlib data", decoder->block,
                       zlib->msg != NULL ? zlib->msg : "it asks for a dictionary");
    if (answer == Z_STREAM_END && (zlib->avail_in > 0 || decoder->left > 0))
        return fail_at(decoder, "zlib block %" PRId64 " is too short; expected %" PRIu64 " bytes, as its header says",
                       decoder->block, decoder->block_bytes[decoder->block]);
    if (decoder->left > 0)
        return SCREE_OK;
    if (answer != Z_STREAM_END)
        return fail_at(decoder, "zlib block %" PRId64 " is too long; expected %" PRIu64 " bytes, as its header says",
                       decoder->block, decoder->block_bytes[decoder->block]);
    if (decoder->unpacked != wanted)
        return fail_at(decoder, "zlib block %" PRId64 " holds %" PRIu64 " bytes; expected %" PRIu64,
                       decoder->block, decoder->unpacked, wanted);
    ++decoder->block;
    return next_block(decoder);
}

// Takes what one stage can take.
static scree_status feed_some(scree_vtp_decoder* decoder, const unsigned char* bytes, size_t count, size_t* used)
{
    if (decoder->stage == STAGE_HEADER || decoder->stage == STAGE_SIZES) {
        size_t missing = (size_t)(decoder->word - decoder->number_length);
        *used = count < missing ? count : missing;
        memcpy(decoder->number + decoder->number_length, bytes, *used);
        decoder->number_length += (int32_t)*used;
        decoder->taken += (int64_t)*used;
        if (decoder->number_length < decoder->word)
            return SCREE_OK;
        decoder->number_length = 0;
        decoder->place = decoder->taken - decoder->word;
        return take_header_number(decoder, number_of(decoder));
    }
    size_t most = (size_t)1 << 30;  // zlib counts in unsigned
    if (count > most)
        count = most;
    *used = count < decoder->left ? count : (size_t)decoder->left;
    decoder->taken += (int64_t)*used;
    if (decoder->stage == STAGE_BLOCKS)
        return unpack(decoder, bytes, *used);
    decoder->left -= *used;
    decoder->done = decoder->left == 0;
    return give(decoder, bytes, *used);
}

static scree_status feed_bytes(scree_vtp_decoder* decoder, const unsigned char* bytes, size_t count, size_t* used)
{
    *used = 0;
    while (*used < count && !decoder->done) {
        size_t some = 0;
        scree_status status = feed_some(decoder, bytes + *used, count - *used, &some);
        if (status != SCREE_OK)
            return status;
        *used += some;
    }
    return SCREE_OK;
}

// ---- Base64 ------------------------------------------------------------------------------------------------------

#define NOT_BASE64 64
#define PADDING 65

// The value of a character. The decoder keeps all 256 of them as a table.
static unsigned value_of(unsigned char c)
{
    return c >= 'A' && c <= 'Z'   ? (unsigned)(c - 'A')
           : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a' + 26)
           : c >= '0' && c <= '9' ? (unsigned)(c - '0' + 52)
           : c == '+'             ? 62
           : c == '/'             ? 63
           : c == '='             ? PADDING
                                  : NOT_BASE64;
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// Whole groups without blanks and padding, which is nearly everything, from the front of a text: how many bytes they
// give. There is room for `most`.
static size_t take_plain_quads(const unsigned char value[256], const unsigned char* text, int64_t count,
                               unsigned char* out, size_t most)
{
    size_t made = 0;
    for (; count >= 4 && made + 3 <= most; text += 4, count -= 4, made += 3) {
        unsigned a = value[text[0]], b = value[text[1]], c = value[text[2]], d = value[text[3]];
        if ((a | b | c | d) >= NOT_BASE64)
            break;
        unsigned all = a << 18 | b << 12 | c << 6 | d;
        out[made] = (unsigned char)(all >> 16);
        out[made + 1] = (unsigned char)(all >> 8);
        out[made + 2] = (unsigned char)all;
    }
    return made;
}

// Four characters to up to three bytes; how many, or 0 if they are no such group.
static size_t take_quad(const unsigned char quad[4], unsigned char out[3])
{
    unsigned v[4];
    for (int k = 0; k < 4; ++k)
        v[k] = value_of(quad[k]);
    if (v[0] >= NOT_BASE64 || v[1] >= NOT_BASE64 || (v[2] == PADDING && v[3] != PADDING))
        return 0;
    size_t bytes = v[2] == PADDING ? 1 : v[3] == PADDING ? 2 : 3;
    if (v[2] == PADDING)
        v[2] = 0;
    if (v[3] == PADDING)
        v[3] = 0;
    out[0] = (unsigned char)(v[0] << 2 | v[1] >> 4);
    out[1] = (unsigned char)(v[1] << 4 | v[2] >> 2);
    out[2] = (unsigned char)(v[2] << 6 | v[3]);
    return bytes;
}

static scree_status fail_base64(const scree_vtp_decoder* decoder, const char* found, int64_t length)
{
    char shown[SCREE_SHOWN];
    const scree_vtp_array* array = decoder->arrays[0];
    return scree_vtp_array_fail(decoder->input, array, "'%s' is not base64 (character %" PRId64 " of %s); expected letters, digits, + and /",
                                scree_csv_shown(shown, found, length),
                                decoder->characters - length + (array->offset < 0 ? 0 : array->offset),
                                array->offset < 0 ? "its data" : "the appended data");
}

static scree_status give_decoded(scree_vtp_decoder* decoder, const unsigned char* plain, size_t made)
{
    size_t used;
    scree_status status = feed_bytes(decoder, plain, made, &used);
    if (status == SCREE_OK && used < made)
        return fail_at(decoder, "base64 continues too long; expected its end, as the header says");
    return status;
}

// Groups are decoded one by one and given on a thousand at a time, but not beyond the end of the header number, the
// block or the plain data under way: only the code that consumes the bytes knows what follows.
static scree_status feed_base64(scree_vtp_decoder* decoder, const unsigned char* text, int64_t count, int64_t* used)
{
    unsigned char plain[3 * 1024];
    int64_t at = 0;
    scree_status status = SCREE_OK;
    while (at < count && !decoder->done && status == SCREE_OK) {
        bool data = decoder->stage == STAGE_PLAIN || decoder->stage == STAGE_BLOCKS;
        size_t made = 0, most = !data || decoder->left < 6     ? 3
                                : decoder->left < sizeof plain ? (size_t)decoder->left
                                                               : sizeof plain;
        while (at < count && made + 3 <= most && status == SCREE_OK) {
            if (decoder->quad_length == 0) {
                size_t plain_bytes = take_plain_quads(decoder->value, text + at, count - at, plain + made, most - made);
                made += plain_bytes;
                at += (int64_t)(plain_bytes / 3 * 4);
                decoder->characters += (int64_t)(plain_bytes / 3 * 4);
                if (at == count || made + 3 > most)
                    break;
            }
            unsigned char c = text[at++];
            ++decoder->characters;
            if (is_blank(c))
                continue;
            if (value_of(c) == NOT_BASE64) {
                status = fail_base64(decoder, (const char*)&c, 1);
                break;
            }
            decoder->quad[decoder->quad_length++] = c;
            if (decoder->quad_length < 4)
                continue;
            decoder->quad_length = 0;
            size_t bytes = take_quad(decoder->quad, plain + made);
            if (bytes == 0)
                status = fail_base64(decoder, (const char*)decoder->quad, 4);
            made += bytes;
        }
        scree_status given = give_decoded(decoder, plain, made);  // data before an error is delivered first
        if (given != SCREE_OK)
            status = given;
    }
    *used = at;
    return status;
}

// ---- Calls -------------------------------------------------------------------------------------------------------

void scree_vtp_decoder_begin(scree_vtp_decoder* decoder, scree_vtp_array** arrays, int64_t array_count, bool base64)
{
    decoder->arrays = arrays;
    decoder->array_count = array_count;
    decoder->base64 = base64;
    decoder->done = false;
    decoder->taken = decoder->place = decoder->characters = 0;
    decoder->stage = STAGE_HEADER;
    decoder->quad_length = decoder->number_length = 0;
    decoder->header_length = decoder->block_count = decoder->block = 0;
    decoder->left = 0;
    for (int c = 0; base64 && c < 256; ++c)
        decoder->value[c] = (unsigned char)value_of((unsigned char)c);
}

scree_status scree_vtp_decoder_feed(scree_vtp_decoder* decoder, const unsigned char* bytes, int64_t count,
                                    int64_t* used)
{
    if (decoder->base64)
        return feed_base64(decoder, bytes, count, used);
    size_t taken;
    scree_status status = feed_bytes(decoder, bytes, (size_t)count, &taken);
    *used = (int64_t)taken;
    return status;
}

scree_status scree_vtp_decoder_short(scree_vtp_decoder* decoder)
{
    decoder->place = decoder->taken;
    if (decoder->stage == STAGE_HEADER || decoder->stage == STAGE_SIZES)
        return fail_at(decoder, "its data ends inside the header; expected a whole one");
    if (decoder->stage == STAGE_PLAIN)
        return fail_at(decoder, "its data ends %" PRIu64 " bytes too early; expected %" PRIu64 ", as the header says", decoder->left,
                       decoder->header[0]);
    return fail_at(decoder, "its data ends inside zlib block %" PRId64 "; expected %" PRId64 " blocks", decoder->block,
                   decoder->block_count);
}
