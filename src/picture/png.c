// PNG by libpng, through the same writer as all files: the target changes only when the picture is complete.
//
// libpng reports errors by longjmp. The jump lands in write_rows, which keeps nothing but pointers to a struct of its caller's;
// so nothing is lost in registers and everything is freed in one place. libpng's memory comes through base/memory.
// For pages the same bytes stay in memory.
#include "picture/picture.h"

#include "base/array.h"
#include "files/output.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

typedef struct encoder {
    png_structp png;
    png_infop info;
    bool in_memory;   // to `bytes`, not to `output`
    scree_output output;
    uint8_t* bytes;
    int64_t used, capacity;
    scree_status status;
    bool out_of_memory;
    int32_t width, height;
    bool alpha;
    const uint8_t* rgba;
    uint8_t* row;  // without alpha
} encoder;

static png_voidp take(png_structp png, png_alloc_size_t size)
{
    encoder* e = png_get_mem_ptr(png);
    void* block = scree_malloc(size, 1);
    e->out_of_memory = e->out_of_memory || block == NULL;
    return block;
}

static void give(png_structp png, png_voidp block)
{
    (void)png;
    scree_free(block);
}

static void on_error(png_structp png, png_const_charp message)
{
    encoder* e = png_get_error_ptr(png);
    if (e->status == SCREE_OK)
        e->status = e->out_of_memory ? SCREE_ERR_MEMORY
                                     : scree_fail(SCREE_ERR_IO, "%s: libpng: %s", e->in_memory ? "picture" : e->output.name, message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;  // libpng warns about what it then corrects
}

static void on_bytes(png_structp png, png_bytep bytes, size_t count)
{
    encoder* e = png_get_io_ptr(png);
    if (e->in_memory) {
        e->status = SCREE_RESERVE(e->bytes, e->capacity, e->used + (int64_t)count);
        if (e->status != SCREE_OK)
            png_error(png, "memory");
        memcpy(e->bytes + e->used, bytes, count);
        e->used += (int64_t)count;
        return;
    }
    scree_output_bytes(&e->output, (const char*)bytes, count);
    if (e->output.status != SCREE_OK) {
        e->status = e->output.status;
        png_error(png, "write");
    }
}

static void on_flush(png_structp png)
{
    (void)png;
}

static void put_header(encoder* e)
{
    // Level 5 and one filter: 3 % larger than the smallest that zlib can do, in a seventh of its time.
    png_set_write_fn(e->png, e, on_bytes, on_flush);
    png_set_compression_level(e->png, 5);
    png_set_filter(e->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_PAETH);
    png_set_IHDR(e->png, e->info, (png_uint_32)e->width, (png_uint_32)e->height, 8,
                 e->alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(e->png, e->info, PNG_sRGB_INTENT_PERCEPTUAL);
    char name[64];
    snprintf(name, sizeof name, "scree %s", scree_version());
    png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Software", .text = name, .text_length = strlen(name)};
    png_set_text(e->png, e->info, &text, 1);
    png_write_info(e->png, e->info);
}

static void put_row(encoder* e, int32_t y)
{
    const uint8_t* from = &e->rgba[(size_t)y * (size_t)e->width * 4];
    if (e->alpha) {
        png_write_row(e->png, from);
        return;
    }
    for (int32_t x = 0; x < e->width; ++x)
        memcpy(&e->row[3 * (size_t)x], &from[4 * (size_t)x], 3);
    png_write_row(e->png, e->row);
}

static void write_rows(encoder* e)
{
    if (setjmp(png_jmpbuf(e->png)) != 0)
        return;  // e->status says why
    put_header(e);
    for (int32_t y = 0; y < e->height; ++y) {
        if (y % 16 == 0 && !e->in_memory && scree_output_tick(&e->output, (double)y / e->height) != SCREE_OK) {
            e->status = e->output.status;
            return;
        }
        put_row(e, y);
    }
    png_write_end(e->png, e->info);
    if (e->out_of_memory)  // where libpng does without what it could not have, we do not
        e->status = SCREE_ERR_MEMORY;
}

// Into what e says; e->status tells how it went.
static void encode(encoder* e)
{
    e->row = scree_malloc((size_t)e->width, 3);
    if (e->row == NULL)
        e->out_of_memory = true;
    else
        e->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, e, on_error, on_warning, e, take, give);
    if (e->png != NULL)
        e->info = png_create_info_struct(e->png);
    if (e->info != NULL)
        write_rows(e);
    else if (e->status == SCREE_OK)
        e->status = e->out_of_memory ? SCREE_ERR_MEMORY
                                     : scree_fail(SCREE_ERR_UNSUPPORTED, "libpng %s does not match this build; expected the version that it was compiled with", PNG_LIBPNG_VER_STRING);
    if (e->png != NULL)
        png_destroy_write_struct(&e->png, &e->info);
    scree_free(e->row);
}

scree_status scree_png_write(const char* path, int32_t width, int32_t height, bool alpha, const uint8_t* rgba,
                             scree_watch watch)
{
    encoder e = {.width = width, .height = height, .alpha = alpha, .rgba = rgba};
    scree_status status = scree_output_open(&e.output, path, watch);
    if (status != SCREE_OK)
        return status;
    encode(&e);
    return scree_output_close(&e.output, e.status);
}

scree_status scree_png_make(int32_t width, int32_t height, bool alpha, const uint8_t* rgba, uint8_t** bytes, int64_t* count)
{
    encoder e = {.in_memory = true, .width = width, .height = height, .alpha = alpha, .rgba = rgba};
    encode(&e);
    if (e.status != SCREE_OK) {
        scree_free(e.bytes);
        return e.status;
    }
    *bytes = e.bytes;
    *count = e.used;
    return SCREE_OK;
}
