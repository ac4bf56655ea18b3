// Films as an animated PNG (https://www.w3.org/TR/png-3/): a PNG whose first picture every program shows, with the further ones in chunks of their own.
//
//     PNG:    signature IHDR sRGB tEXt |           | IDAT ...                                  | IEND
//     film:   signature IHDR sRGB tEXt | acTL fcTL | IDAT ... | fcTL fdAT ... | fcTL fdAT ... | IEND
//
// acTL says how many pictures there are and that they repeat without end; fcTL where a picture is to be put, and for how long it is shown; fdAT is an IDAT behind a
// number that counts fcTL and fdAT. Each picture is compressed by png.c in memory, and its chunks are copied. Of the second one on only the rectangle
// that has changed is written. Every frame is shown for 1 / fps.
//
// Cost: a picture in memory beside the caller's, and deflate for what changes. Weakness: pictures are compressed one by one, so that files are ten times as large as a video.
#include "picture/film_inner.h"
#include "picture/picture.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

static void put_u32(uint8_t* to, uint32_t value)
{
    for (int k = 0; k < 4; ++k)
        to[k] = (uint8_t)(value >> (24 - 8 * k));
}

static uint32_t get_u32(const uint8_t* from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

// A chunk of the data in two parts, of which the first may be empty.
static void put_chunk(scree_output* output, const char name[5], const uint8_t* head, uint32_t head_size, const uint8_t* data, uint32_t size)
{
    uint8_t begin[8], end[4];
    put_u32(begin, head_size + size);
    memcpy(begin + 4, name, 4);
    uLong sum = crc32(0, begin + 4, 4);
    if (head_size > 0)
        sum = crc32(sum, head, head_size);
    if (size > 0)
        sum = crc32(sum, data, size);
    put_u32(end, (uint32_t)sum);
    scree_output_bytes(output, (const char*)begin, sizeof begin);
    if (head_size > 0)
        scree_output_bytes(output, (const char*)head, head_size);
    if (size > 0)
        scree_output_bytes(output, (const char*)data, size);
    scree_output_bytes(output, (const char*)end, sizeof end);
}

static scree_status begin(scree_film* film)
{
    size_t pixels = (size_t)film->def.width * (size_t)film->def.height;
    film->before = scree_malloc(pixels, 4);
    film->part = scree_malloc(pixels, 4);
    scree_status status = film->before == NULL || film->part == NULL ? SCREE_ERR_MEMORY : scree_output_open(&film->output, film->path, film->def.watch);
    if (status != SCREE_OK) {
        scree_free(film->before);
        scree_free(film->part);
    }
    return status;
}

// How long a picture is shown, as a fraction of 16-bit numbers.
static void delay_of(double fps, uint32_t* over, uint32_t* under)
{
    *over = fps == floor(fps) || fps > 655.0 ? 1 : 100;
    *under = (uint32_t)fmax(*over * fps + 0.5, 1.0);
}

static void put_frame_control(scree_film* film, const int32_t rect[4])
{
    uint8_t data[26] = {0};
    uint32_t over, under;
    delay_of(film->def.fps, &over, &under);
    put_u32(data, film->sequence++);
    put_u32(data + 4, (uint32_t)(rect[2] - rect[0]));
    put_u32(data + 8, (uint32_t)(rect[3] - rect[1]));
    put_u32(data + 12, (uint32_t)rect[0]);
    put_u32(data + 16, (uint32_t)rect[1]);
    put_u32(data + 20, over << 16 | under);
    put_chunk(&film->output, "fcTL", NULL, 0, data, sizeof data);  // the last two bytes: it stays, and takes the place of what was there
}

// The rectangle in which the picture differs from the last one; a pixel of it if nowhere.
static void find_change(const scree_film* film, const uint8_t* rgba, int32_t rect[4])
{
    int32_t width = film->def.width, height = film->def.height;
    rect[0] = width;
    rect[1] = height;
    rect[2] = rect[3] = 0;
    for (int32_t y = 0; y < height; ++y) {
        const uint8_t *now = rgba + 4 * (size_t)y * (size_t)width, *then = film->before + 4 * (size_t)y * (size_t)width;
        if (memcmp(now, then, 4 * (size_t)width) == 0)
            continue;
        int32_t first = 0, last = width - 1;
        while (memcmp(now + 4 * (size_t)first, then + 4 * (size_t)first, 4) == 0)
            ++first;
        while (memcmp(now + 4 * (size_t)last, then + 4 * (size_t)last, 4) == 0)
            --last;
        rect[0] = first < rect[0] ? first : rect[0];
        rect[2] = last + 1 > rect[2] ? last + 1 : rect[2];
        rect[1] = y < rect[1] ? y : rect[1];
        rect[3] = y + 1;
    }
    if (rect[3] == 0) {
        rect[0] = rect[1] = 0;
        rect[2] = rect[3] = 1;
    }
}

// Copies the chunks of a PNG: of the first picture all but its end, of others the data alone.
static void put_chunks(scree_film* film, const uint8_t* png, int64_t size, const int32_t rect[4])
{
    enum { signature = 8, around = 12 };
    bool first = film->added == 0, begun = false;
    if (first)
        scree_output_bytes(&film->output, (const char*)png, signature);
    for (int64_t at = signature; at + around <= size;) {
        uint32_t length = get_u32(png + at);
        const uint8_t* data = png + at + 8;
        if (memcmp(png + at + 4, "IDAT", 4) == 0) {
            uint8_t number[8] = {0};
            if (!begun && first) {
                put_u32(number, (uint32_t)film->def.frames);
                put_chunk(&film->output, "acTL", NULL, 0, number, 8);
            }
            if (!begun)
                put_frame_control(film, rect);
            begun = true;
            if (!first)
                put_u32(number, film->sequence++);
            put_chunk(&film->output, first ? "IDAT" : "fdAT", number, first ? 0 : 4, data, length);
        } else if (first && memcmp(png + at + 4, "IEND", 4) != 0) {
            scree_output_bytes(&film->output, (const char*)png + at, length + around);
        }
        at += around + (int64_t)length;
    }
}

static scree_status add(scree_film* film, const uint8_t* rgba)
{
    int32_t rect[4] = {0, 0, film->def.width, film->def.height};
    size_t width = (size_t)film->def.width;
    if (film->added > 0)
        find_change(film, rgba, rect);
    size_t row = 4 * (size_t)(rect[2] - rect[0]);
    for (int32_t y = rect[1]; y < rect[3]; ++y)
        memcpy(film->part + row * (size_t)(y - rect[1]), rgba + 4 * (width * (size_t)y + (size_t)rect[0]), row);
    uint8_t* png;
    int64_t size;
    scree_status status = scree_png_make(rect[2] - rect[0], rect[3] - rect[1], film->def.alpha, film->part, &png, &size);
    if (status != SCREE_OK)
        return status;
    put_chunks(film, png, size, rect);
    scree_free(png);
    memcpy(film->before, rgba, 4 * width * (size_t)film->def.height);
    return film->output.status;
}

static scree_status end(scree_film* film, scree_status status)
{
    if (status == SCREE_OK)
        put_chunk(&film->output, "IEND", NULL, 0, NULL, 0);
    scree_free(film->before);
    scree_free(film->part);
    return scree_output_close(&film->output, status);
}

const film_writer film_png = {.begin = begin, .add = add, .end = end};
