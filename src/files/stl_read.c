// STL: triangles for printers, as every CAD program writes them. There are two kinds of files with one name.
//
//     binary  80 bytes of anything, the number n of triangles (4 bytes), n times 50 bytes: normal, three corners (12 floats), 2 bytes of anything;
//             little-endian. A file of exactly 84 + 50 n bytes is one, whatever its header says: many begin with "solid" too
//     text    solid NAME
//               facet normal X Y Z
//                 outer loop
//                   vertex X Y Z      three of them
//                 endloop
//               endfacet
//             endsolid NAME           more solids may follow; they are joined
//
// Normals are not read: many programs write zeros or NaN there, and the order of the corners says the same. A file that is neither of them was a text file if it begins
// with "solid" and its first 84 bytes have no zero byte, else a binary one; errors name the line or the byte.
//
// O(bytes) time; memory for the triangles, and for the file once more if its length is not known (a pipe).
#include "base/array.h"
#include "files/csv.h"
#include "files/formats.h"
#include "files/words.h"
#include "geom/length.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { header_bytes = 84, triangle_bytes = 50, triangles_at_once = 4096 };

// ---- Binary ------------------------------------------------------------------------------------------------------------

static uint32_t whole(const char* bytes)
{
    const unsigned char* b = (const unsigned char*)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double real(const char* bytes)
{
    uint32_t bits = whole(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static scree_status fail_at_byte(const scree_input* input, int64_t byte, const char* what)
{
    return scree_fail(SCREE_ERR_FORMAT, "%s: byte %" PRId64 ": %s", input->name, byte, what);
}

static scree_status read_binary(scree_input* input, scree_triangles* out)
{
    char* bytes;
    int64_t got;
    scree_status status = scree_input_bytes(input, header_bytes, &bytes, &got);
    if (status != SCREE_OK)
        return status;
    int64_t n = whole(bytes + 80);
    if (n == 0)
        return fail_at_byte(input, 80, "0 triangles; expected at least one");
    status = scree_triangles_make((int32_t)n, out);
    for (int64_t t = 0; t < n && status == SCREE_OK; ++t) {
        if (t % triangles_at_once == 0) {
            int64_t wanted = (n - t < triangles_at_once ? n - t : triangles_at_once) * triangle_bytes;
            status = scree_input_bytes(input, wanted, &bytes, &got);
            if (status == SCREE_OK && got < wanted)  // it was cut while it was read
                status = fail_at_byte(input, header_bytes + t * triangle_bytes + got, "the file ends before its last triangle; expected as many triangles as its header says");
            if (status != SCREE_OK)
                return status;
        }
        const char* from = bytes + t % triangles_at_once * triangle_bytes + 12;
        for (int k = 0; k < 9; ++k) {
            double value = real(from + 4 * k);
            if (!scree_is_length(value))
                return scree_fail(SCREE_ERR_FORMAT, "%s: byte %" PRId64 ": triangle %" PRId64 ", corner %d: %c = %g; expected a finite number", input->name,
                                  header_bytes + t * triangle_bytes + 12 + 4 * k, t, k / 3, "xyz"[k % 3], value);
            out->xyz[9 * t + k] = value;
        }
    }
    return status;
}

// The message for a binary file of the wrong length.
static scree_status fail_of_length(const scree_input* input, int64_t size, const char* begin)
{
    if (size == 0)
        return fail_at_byte(input, 0, "the file is empty; expected an STL file");
    if (size < header_bytes)
        return scree_fail(SCREE_ERR_FORMAT, "%s: byte %" PRId64 ": the file ends inside its header of %d bytes; expected triangles, or 'solid' at the beginning of a text file",
                          input->name, size, header_bytes);
    int64_t n = whole(begin + 80), wanted = header_bytes + n * triangle_bytes;
    if (n > SCREE_TRIANGLES_MAX)
        return scree_fail(SCREE_ERR_FORMAT, "%s: byte 80: %" PRId64 " triangles; expected at most %d", input->name, n, SCREE_TRIANGLES_MAX);
    if (size < wanted)
        return scree_fail(SCREE_ERR_FORMAT,
                          "%s: byte %" PRId64 ": the file ends inside triangle %" PRId64 " of %" PRId64 "; expected %" PRId64 " bytes (84, and 50 for each triangle)",
                          input->name, size, (size - header_bytes) / triangle_bytes, n, wanted);
    return scree_fail(SCREE_ERR_FORMAT, "%s: byte %" PRId64 ": the file has more data after its %" PRId64 " triangles; expected %" PRId64 " bytes (84, and 50 for each triangle)",
                      input->name, wanted, n, wanted);
}

// ---- Text --------------------------------------------------------------------------------------------------------------

typedef struct text_reader {
    scree_input* input;
    const char *at, *end;  // what is left of the current line
    int64_t capacity;
    scree_triangles* out;
} text_reader;

// The next word, in this line or a later one; *more = false at the end of the file.
static scree_status next_word(text_reader* rd, scree_word* word, bool* more)
{
    *more = true;
    while (!scree_next_word(&rd->at, rd->end, word)) {
        char* text;
        int64_t length;
        scree_status status = scree_text_line(rd->input, &text, &length, more);
        if (status != SCREE_OK || !*more)
            return status;
        rd->at = text;
        rd->end = text + length;
    }
    return SCREE_OK;
}

static scree_status fail_of_word(const text_reader* rd, scree_word word, bool more, const char* wanted)
{
    char shown[SCREE_SHOWN];
    if (!more)
        return scree_input_fail(rd->input, rd->input->line, "the file ends in triangle %" PRId32 "; expected %s", rd->out->count, wanted);
    return scree_input_fail(rd->input, rd->input->line, "'%s' in triangle %" PRId32 "; expected %s", scree_csv_shown(shown, word.begin, word.end - word.begin),
                            rd->out->count, wanted);
}

static scree_status expect(text_reader* rd, const char* wanted)
{
    scree_word word;
    bool more;
    scree_status status = next_word(rd, &word, &more);
    return status != SCREE_OK || (more && scree_word_is_any_case(word, wanted)) ? status : fail_of_word(rd, word, more, wanted);
}

static scree_status read_facet(text_reader* rd)
{
    static const char* const before[] = {"normal", "", "", "", "outer", "loop"};  // "": anything
    scree_word word;
    bool more;
    scree_status status = SCREE_OK;
    if (rd->out->count == SCREE_TRIANGLES_MAX)
        return scree_input_fail(rd->input, rd->input->line, "there are further triangles; expected at most %d", SCREE_TRIANGLES_MAX);
    for (size_t k = 0; k < sizeof before / sizeof *before && status == SCREE_OK; ++k)
        if (before[k][0] != '\0')
            status = expect(rd, before[k]);
        else if ((status = next_word(rd, &word, &more)) == SCREE_OK && !more)
            status = fail_of_word(rd, word, more, "a number");
    if (status == SCREE_OK)
        status = SCREE_RESERVE(rd->out->xyz, rd->capacity, 9 * ((int64_t)rd->out->count + 1));
    for (int k = 0; k < 9 && status == SCREE_OK; ++k) {
        double* to = &rd->out->xyz[9 * (int64_t)rd->out->count + k];
        if (k % 3 == 0)
            status = expect(rd, "vertex");
        if (status == SCREE_OK)
            status = next_word(rd, &word, &more);
        if (status == SCREE_OK && (!more || !scree_word_number(word, to) || !scree_is_length(*to)))
            status = fail_of_word(rd, word, more, "a finite number");
    }
    if (status == SCREE_OK)
        status = expect(rd, "endloop");
    if (status == SCREE_OK)
        status = expect(rd, "endfacet");
    rd->out->count += status == SCREE_OK;
    return status;
}

static scree_status read_text(scree_input* input, scree_triangles* out)
{
    text_reader rd = {.input = input, .out = out};
    bool more, inside = false;
    scree_word word;
    for (;;) {
        scree_status status = next_word(&rd, &word, &more);
        if (status != SCREE_OK)
            return status;
        if (!more && !inside && out->count == 0)
            return scree_input_fail(input, input->line, "0 triangles; expected at least one");
        if (!more)
            return inside ? scree_input_fail(input, input->line, "the file ends after %" PRId32 " triangles; expected endsolid", out->count) : SCREE_OK;
        if (inside && scree_word_is_any_case(word, "facet")) {
            status = read_facet(&rd);
        } else if (scree_word_is_any_case(word, inside ? "endsolid" : "solid")) {
            inside = !inside;
            rd.at = rd.end;  // the name is the rest of the line
        } else {
            status = fail_of_word(&rd, word, more, inside ? "facet or endsolid" : "solid");
        }
        if (status != SCREE_OK)
            return status;
    }
}

// ---- Public calls------------------------------------------------------------------------------------------------------

// How long the file is, as far as it matters: up to one byte more than a binary one would have.
static scree_status find_size(scree_input* input, int64_t wanted, int64_t* size)
{
    char* bytes;
    *size = input->size;
    return input->size > 0 ? SCREE_OK : scree_input_peek(input, wanted + 1, &bytes, size);
}

scree_status scree_stl_read(scree_input* input, scree_triangles* out)
{
    char *bytes, begin[header_bytes] = {0};
    int64_t got, size;
    scree_triangles read = {0};
    scree_status status = scree_input_peek(input, header_bytes, &bytes, &got);
    if (status != SCREE_OK)
        return status;
    if (got > 0)
        memcpy(begin, bytes, (size_t)got);
    int64_t n = whole(begin + 80), wanted = header_bytes + (n <= SCREE_TRIANGLES_MAX ? n : 0) * triangle_bytes;
    const char* at = begin + (got >= 3 && memcmp(begin, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);  // a byte order mark
    scree_word first;
    bool text = scree_next_word(&at, begin + got, &first) && scree_word_is_any_case(first, "solid") && memchr(begin, 0, (size_t)got) == NULL;
    status = find_size(input, wanted, &size);
    if (status != SCREE_OK)
        return status;
    if (got == header_bytes && n <= SCREE_TRIANGLES_MAX && size == wanted)
        status = read_binary(input, &read);
    else
        status = text ? read_text(input, &read) : fail_of_length(input, size, begin);
    if (status == SCREE_OK)
        *out = read;
    else
        scree_triangles_free(&read);
    return status;
}
