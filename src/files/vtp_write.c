// VTP as ParaView opens it at once: centres, `radius`, `diameter`, all columns, and a vertex for each point. The
// numbers are in the appended data, raw, compressed by zlib in blocks; what VTP does not define (dimension and box) is in
// FieldData.
//
// The XML comes first and must have the offset of each array, and a target may be a pipe, so all arrays are compressed
// before the first byte is written. The compressed bytes wait in memory: some 40 bytes a sphere. The blocks are cut by
// the data alone and compressed on all cores, each for itself, so the file is the same with any number of them.
// Coordinates hardly get smaller, whatever the effort; blocks like that are stored as they are, still in zlib's form:
// that costs a twentieth more bytes and makes reading twice as fast.
//
// Outlines are polygons (cells) with their corners as points, none shared; the columns are data of the cells. VTK has no discs: they are polygons of
// many corners, marked as discs by an array, with their true centre and radius in two more.
//
// Rows (rows.h) are lines, each with points of its own; the columns are data of the cells, in their own types, taken from where they lie. Grids are rows too, a
// cell each, in a file of another kind (VTI, ImageData) that differs by its XML alone.
#include "scree/files.h"

#include "base/number.h"
#include "base/parallel.h"
#include "files/csv.h"
#include "files/formats.h"
#include "files/rows.h"
#include "files/vtp.h"
#include "files/xml.h"
#include "files/zlib_memory.h"
#include "scree/outlines.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BLOCK ((int64_t)1 << 16)  // plain bytes in a block; a multiple of every number's size
#define SHARE 16                  // blocks that a thread compresses one after the other
#define HANDS 16                  // such shares side by side
#define BATCH (SHARE * HANDS)
#define PROBE ((int64_t)1 << 12)  // how much of a block is tested for compressibility
#define LEVEL 1                   // of zlib, where it can; else 0

// ---- The arrays of a file ----------------------------------------------------------------------------------------

typedef enum kind { CENTRES, RADII, DIAMETERS, DOUBLES, INTEGERS, BYTES, COUNT_FROM_0, COUNT_FROM_1, WIDE_COUNT, ROWS } kind;  // WIDE: 8 bytes each, from 0

typedef struct packed {  // compressed blocks in order
    unsigned char* bytes;
    int64_t length;
} packed;

typedef struct array {
    const char* name;
    kind content;
    int32_t components;
    int64_t tuples;    // BYTES: words
    const void* data;  // DOUBLES, INTEGERS, BYTES
    const scree_row_column* rows;  // ROWS
    void* owned;       // to be freed
    int64_t size;      // plain bytes
    int64_t block_count;
    int64_t* block_bytes;  // compressed, of each block
    packed* batches;
    int64_t batch_count;
    int64_t offset;
} array;

static scree_vtk_type type_of(const array* ar)
{
    switch (ar->content) {
    case ROWS: return ar->rows->type;
    case INTEGERS:
    case WIDE_COUNT: return SCREE_VTK_INT64;
    case BYTES: return SCREE_VTK_STRING;
    case COUNT_FROM_0:
    case COUNT_FROM_1: return SCREE_VTK_INT32;
    default: return SCREE_VTK_FLOAT64;
    }
}

static int64_t size_of(const array* ar)
{
    return scree_vtk_type_size(type_of(ar));
}

// Whole numbers in the byte order of the file, the little-endian one.
static void put_bytes(unsigned char* to, uint64_t value, int64_t size)
{
    for (int64_t k = 0; k < size; ++k)
        to[k] = (unsigned char)(value >> (8 * k));
}

static void put_double(unsigned char* to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_bytes(to, bits, 8);
}

// The plain bytes of one block.
static void fill_block(const scree_sphere_set* set, const array* from, int64_t block, unsigned char* to, int64_t bytes)
{
    int64_t size = size_of(from), first = block * BLOCK / size, count = bytes / size;
    const double* values = from->data;
    const int64_t* integers = from->data;
    switch (from->content) {
    case CENTRES:
        for (int64_t k = 0; k < count; ++k) {
            int64_t i = (first + k) / 3, axis = (first + k) % 3;
            put_double(to + 8 * k, axis < set->dim ? set->x[i * set->dim + axis] : 0.0);
        }
        break;
    case RADII:
        for (int64_t k = 0; k < count; ++k)
            put_double(to + 8 * k, set->r[first + k]);
        break;
    case DIAMETERS:
        for (int64_t k = 0; k < count; ++k)
            put_double(to + 8 * k, 2.0 * set->r[first + k]);
        break;
    case DOUBLES:
        for (int64_t k = 0; k < count; ++k)
            put_double(to + 8 * k, values[first + k]);
        break;
    case INTEGERS:
        for (int64_t k = 0; k < count; ++k)
            put_bytes(to + 8 * k, (uint64_t)integers[first + k], 8);
        break;
    case BYTES:
        memcpy(to, (const unsigned char*)from->data + first, (size_t)count);
        break;
    case COUNT_FROM_0:
    case COUNT_FROM_1:
        for (int64_t k = 0; k < count; ++k)
            put_bytes(to + 4 * k, (uint64_t)(first + k + (from->content == COUNT_FROM_1)), 4);
        break;
    case WIDE_COUNT:
        for (int64_t k = 0; k < count; ++k)
            put_bytes(to + 8 * k, (uint64_t)(first + k), 8);
        break;
    case ROWS:
        for (int64_t k = 0; k < count; ++k) {
            int64_t row = (first + k) / from->components;
            int32_t component = (int32_t)((first + k) % from->components);
            if (from->rows->type == SCREE_VTK_FLOAT64)
                put_double(to + 8 * k, *(const double*)scree_row_value(from->rows, row, component));
            else
                put_bytes(to + size * k, (uint64_t)scree_row_integer(from->rows, row, component), size);
        }
        break;
    }
}

// The words of a text column, each closed by '\0', in the order of the spheres.
static scree_status collect_words(const scree_sphere_set* set, const scree_column* column, array* to)
{
    int64_t length = 0;
    for (int64_t i = 0; i < set->count; ++i)
        length += (int64_t)strlen(column->text + column->offset[i]) + 1;
    to->owned = scree_malloc((size_t)length, 1);
    if (to->owned == NULL)
        return SCREE_ERR_MEMORY;
    char* p = to->owned;
    for (int64_t i = 0; i < set->count; ++i) {
        size_t bytes = strlen(column->text + column->offset[i]) + 1;
        memcpy(p, column->text + column->offset[i], bytes);
        p += bytes;
    }
    to->data = to->owned;
    to->size = length;
    return SCREE_OK;
}

// ---- Compression -------------------------------------------------------------------------------------------------

typedef struct press {
    const scree_sphere_set* set;
    array* array;
    int64_t first, count;  // blocks of the batch
    z_stream zlib[HANDS];
    int ready;                // how many of them are
    unsigned char* plain;     // a block for each hand
    unsigned char* squeezed;  // room for each block of the batch
    int64_t room;
} press;

// Makes ready for arrays of up to `most` blocks.
static scree_status open_press(press* pr, int64_t most)
{
    for (; pr->ready < HANDS && pr->ready * SHARE < most; ++pr->ready) {
        pr->zlib[pr->ready] = zlib_stream();
        if (deflateInit(&pr->zlib[pr->ready], LEVEL) != Z_OK)
            return scree_fail(SCREE_ERR_MEMORY, "out of memory: cannot start zlib");
    }
    pr->room = (int64_t)deflateBound(&pr->zlib[0], (unsigned long)BLOCK) + BLOCK / 64;  // older zlib forgets level 0
    pr->plain = scree_malloc((size_t)pr->ready, (size_t)BLOCK);
    pr->squeezed = scree_malloc((size_t)(most < BATCH ? most : BATCH), (size_t)pr->room);
    return pr->plain == NULL || pr->squeezed == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
}

static void close_press(press* pr)
{
    while (pr->ready > 0)
        deflateEnd(&pr->zlib[--pr->ready]);
    scree_free(pr->plain);
    scree_free(pr->squeezed);
}

static scree_status squeeze(z_stream* zlib, int level, unsigned char* from, int64_t bytes, unsigned char* to,
                            int64_t room)
{
    bool set = deflateReset(zlib) == Z_OK && deflateParams(zlib, level, Z_DEFAULT_STRATEGY) == Z_OK;
    zlib->next_in = from;
    zlib->avail_in = (unsigned)bytes;
    zlib->next_out = to;
    zlib->avail_out = (unsigned)room;
    if (!set || deflate(zlib, Z_FINISH) != Z_STREAM_END)  // there is room for everything
        return scree_fail(SCREE_ERR_MEMORY, "zlib could not compress a block");
    return SCREE_OK;
}

// Block k of the batch.
static scree_status compress_block(press* pr, int64_t hand, int64_t k)
{
    array* ar = pr->array;
    int64_t block = pr->first + k, left = ar->size - block * BLOCK, bytes = left < BLOCK ? left : BLOCK;
    unsigned char *from = pr->plain + hand * BLOCK, *to = pr->squeezed + k * pr->room;
    z_stream* zlib = &pr->zlib[hand];
    fill_block(pr->set, ar, block, from, bytes);
    scree_status status = squeeze(zlib, LEVEL, from, bytes < PROBE ? bytes : PROBE, to, pr->room);
    bool hard = bytes > PROBE && (int64_t)zlib->total_out > PROBE * 9 / 10;
    if (status == SCREE_OK && bytes > PROBE)
        status = squeeze(zlib, hard ? 0 : LEVEL, from, bytes, to, pr->room);
    if (status != SCREE_OK)
        return status;
    ar->block_bytes[block] = (int64_t)zlib->total_out;
    return SCREE_OK;
}

static scree_status compress_share(void* context, int64_t hand)
{
    press* pr = context;
    scree_status status = SCREE_OK;
    for (int64_t k = hand * SHARE; k < (hand + 1) * SHARE && k < pr->count && status == SCREE_OK; ++k)
        status = compress_block(pr, hand, k);
    return status;
}

static scree_status compress_batch(press* pr, int64_t first)
{
    array* ar = pr->array;
    int64_t count = ar->block_count - first < BATCH ? ar->block_count - first : BATCH, length = 0;
    pr->first = first;
    pr->count = count;
    scree_status status = scree_parallel_for(0, (count + SHARE - 1) / SHARE, compress_share, pr, NULL);
    if (status != SCREE_OK)
        return status;
    for (int64_t k = 0; k < count; ++k)
        length += ar->block_bytes[first + k];
    packed* kept = &ar->batches[ar->batch_count];
    *kept = (packed){.bytes = scree_malloc((size_t)length, 1), .length = length};
    if (kept->bytes == NULL)
        return SCREE_ERR_MEMORY;
    ++ar->batch_count;
    length = 0;
    for (int64_t k = 0; k < count; ++k) {
        memcpy(kept->bytes + length, pr->squeezed + k * pr->room, (size_t)ar->block_bytes[first + k]);
        length += ar->block_bytes[first + k];
    }
    return SCREE_OK;
}

// ---- The list of arrays ------------------------------------------------------------------------------------------

typedef struct writer {
    const scree_row_grid* grid;  // of a VTI file; else NULL
    scree_output* output;
    const scree_sphere_set* set;
    array* arrays;
    int64_t count;
    int64_t dim_mark, container_mark;  // what scree_dim, scree_container and scree_box hold
    double box_mark[12];
    bool closed;                 // of rows: polygons, not lines
} writer;

enum {
    ARRAY_DIM,
    ARRAY_BOX,
    ARRAY_CONTAINER,  // without a name if it is a box: then it is not written
    ARRAY_RADII,
    ARRAY_DIAMETERS,
    ARRAY_CENTRES,
    ARRAY_CONNECTIVITY,
    ARRAY_OFFSETS,
    ARRAY_COLUMNS
};

// Room for `first` arrays and the set's columns behind them; the marks and the columns are filled in.
static scree_status list_common(writer* wr, int64_t first)
{
    const scree_sphere_set* set = wr->set;
    wr->arrays = scree_calloc((size_t)first + (size_t)set->column_count, sizeof *wr->arrays);
    if (wr->arrays == NULL)
        return SCREE_ERR_MEMORY;
    wr->count = first + set->column_count;
    wr->dim_mark = set->dim;
    for (int k = 0; k < set->dim && set->has_box; ++k) {
        wr->box_mark[k] = set->box.lower[k];
        wr->box_mark[3 + k] = set->box.upper[k];
        wr->box_mark[6 + k] = set->box.periodic[k] ? 1.0 : 0.0;
    }
    for (int t = 0; t < (set->dim == 3 ? 3 : 1) && set->has_box; ++t)
        wr->box_mark[9 + t] = set->box.tilt[t];
    array* list = wr->arrays;
    list[ARRAY_DIM] =
        (array){.name = SCREE_VTP_DIM, .content = INTEGERS, .components = 1, .tuples = 1, .data = &wr->dim_mark};
    list[ARRAY_BOX] = (array){.name = SCREE_VTP_BOX,
                              .content = DOUBLES,
                              .components = 3,
                              .tuples = !set->has_box ? 0 : scree_box_is_tilted(&set->box) ? 4 : 3,
                              .data = wr->box_mark};
    wr->container_mark = set->container;
    if (set->container != SCREE_CONTAINER_BOX)
        list[ARRAY_CONTAINER] =
            (array){.name = SCREE_VTP_CONTAINER, .content = INTEGERS, .components = 1, .tuples = 1, .data = &wr->container_mark};
    for (int64_t c = 0; c < set->column_count; ++c) {
        const scree_column* column = &set->columns[c];
        array* to = &list[first + c];
        *to = (array){.name = column->name, .components = column->components, .tuples = set->count};
        to->content = column->kind == SCREE_COLUMN_TEXT    ? BYTES
                      : column->kind == SCREE_COLUMN_INT64 ? INTEGERS
                                                           : DOUBLES;
        to->data = column->kind == SCREE_COLUMN_INT64 ? (const void*)column->integers : column->values;
        scree_status status = to->content == BYTES ? collect_words(set, column, to) : SCREE_OK;
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

static void settle_sizes(writer* wr)
{
    for (int64_t a = 0; a < wr->count; ++a)
        if (wr->arrays[a].content != BYTES)
            wr->arrays[a].size = wr->arrays[a].tuples * wr->arrays[a].components * size_of(&wr->arrays[a]);
}

static scree_status list_arrays(writer* wr)
{
    int64_t n = wr->set->count;
    scree_status status = list_common(wr, ARRAY_COLUMNS);
    if (status != SCREE_OK)
        return status;
    array* list = wr->arrays;
    list[ARRAY_RADII] = (array){.name = "radius", .content = RADII, .components = 1, .tuples = n};
    list[ARRAY_DIAMETERS] = (array){.name = "diameter", .content = DIAMETERS, .components = 1, .tuples = n};
    list[ARRAY_CENTRES] = (array){.name = "Points", .content = CENTRES, .components = 3, .tuples = n};
    list[ARRAY_CONNECTIVITY] = (array){.name = "connectivity", .content = COUNT_FROM_0, .components = 1, .tuples = n};
    list[ARRAY_OFFSETS] = (array){.name = "offsets", .content = COUNT_FROM_1, .components = 1, .tuples = n};
    settle_sizes(wr);
    return SCREE_OK;
}

// ---- Outlines ----------------------------------------------------------------------------------------------------

enum { CELL_RADII = ARRAY_CONTAINER + 1, CELL_CENTRES, CELL_DISCS, POLY_POINTS, POLY_CONNECTIVITY, POLY_OFFSETS, CELL_COLUMNS };

static int64_t corners_of(const scree_outline_set* set, int64_t i)
{
    int64_t own = set->first != NULL ? set->first[i + 1] - set->first[i] : 0;
    return own > 0 ? own : SCREE_DISC_CORNERS;
}

static int64_t count_corners(const scree_outline_set* set)
{
    int64_t all = 0;
    for (int64_t i = 0; i < set->bodies.count; ++i)
        all += corners_of(set, i);
    return all;
}

static void put_corners(const scree_outline_set* set, double* xyz, int64_t* ends, int64_t* discs)
{
    static const double turn = 2.0 * 3.14159265358979323846 / SCREE_DISC_CORNERS;
    int64_t at = 0;
    for (int64_t i = 0; i < set->bodies.count; ++i) {
        discs[i] = set->first == NULL || set->first[i + 1] == set->first[i];
        const double* centre = &set->bodies.x[2 * i];
        int64_t corners = corners_of(set, i);
        for (int64_t v = 0; v < corners; ++v, ++at) {
            double angle = turn * (double)v;
            const double on_circle[2] = {centre[0] + set->bodies.r[i] * cos(angle), centre[1] + set->bodies.r[i] * sin(angle)};
            memcpy(&xyz[3 * at], discs[i] ? on_circle : &set->xy[2 * (set->first[i] + v)], sizeof on_circle);
            xyz[3 * at + 2] = 0.0;
        }
        ends[i] = at;
    }
}

static scree_status list_outlines(writer* wr, const scree_outline_set* set)
{
    int64_t n = set->bodies.count, corners = count_corners(set);
    scree_status status = list_common(wr, CELL_COLUMNS);
    if (status != SCREE_OK)
        return status;
    double* xyz = scree_malloc((size_t)corners, 3 * sizeof *xyz);
    int64_t* ends = scree_malloc((size_t)n, sizeof *ends);
    int64_t* discs = scree_malloc((size_t)n, sizeof *discs);
    array* list = wr->arrays;
    list[CELL_RADII] = (array){.name = "radius", .content = RADII, .components = 1, .tuples = n};
    list[CELL_CENTRES] = (array){.name = SCREE_VTP_CENTRE, .content = CENTRES, .components = 3, .tuples = n};
    list[CELL_DISCS] = (array){.name = SCREE_VTP_DISC, .content = INTEGERS, .components = 1, .tuples = n, .data = discs, .owned = discs};
    list[POLY_POINTS] = (array){.name = "Points", .content = DOUBLES, .components = 3, .tuples = corners, .data = xyz, .owned = xyz};
    list[POLY_CONNECTIVITY] = (array){.name = "connectivity", .content = WIDE_COUNT, .components = 1, .tuples = corners};
    list[POLY_OFFSETS] = (array){.name = "offsets", .content = INTEGERS, .components = 1, .tuples = n, .data = ends, .owned = ends};
    if (xyz == NULL || ends == NULL || discs == NULL)
        return SCREE_ERR_MEMORY;
    put_corners(set, xyz, ends, discs);
    settle_sizes(wr);
    return SCREE_OK;
}

// ---- Rows --------------------------------------------------------------------------------------------------------

enum { LINE_POINTS = ARRAY_CONTAINER + 1, LINE_CONNECTIVITY, LINE_OFFSETS, ROW_COLUMNS };

// Of the writer's set only dimension and box count: it has no spheres and no columns.
static scree_status list_rows(writer* wr, const scree_row_lines* lines, int64_t rows, int32_t columns, const scree_row_column* column)
{
    int64_t points = rows > 0 ? lines->ends[rows - 1] : 0;
    scree_status status = list_common(wr, ROW_COLUMNS + columns);
    if (status != SCREE_OK)
        return status;
    array* list = wr->arrays;
    list[LINE_POINTS] = (array){.name = "Points", .content = DOUBLES, .components = 3, .tuples = points, .data = lines->points};
    list[LINE_CONNECTIVITY] = (array){.name = "connectivity", .content = WIDE_COUNT, .components = 1, .tuples = points};
    list[LINE_OFFSETS] = (array){.name = "offsets", .content = INTEGERS, .components = 1, .tuples = rows, .data = lines->ends};
    for (int32_t c = 0; c < columns; ++c)
        list[ROW_COLUMNS + c] = (array){.name = column[c].name, .content = ROWS, .components = column[c].components, .tuples = rows, .rows = &column[c]};
    settle_sizes(wr);
    return SCREE_OK;
}

// ---- Grids -------------------------------------------------------------------------------------------------------

enum { GRID_COLUMNS = ARRAY_CONTAINER + 1 };

static scree_status list_grid(writer* wr, int32_t columns, const scree_row_column* column)
{
    int64_t cells = (int64_t)wr->grid->cells[0] * wr->grid->cells[1] * (wr->set->dim == 3 ? wr->grid->cells[2] : 1);
    scree_status status = list_common(wr, GRID_COLUMNS + columns);
    for (int32_t c = 0; c < columns && status == SCREE_OK; ++c)
        wr->arrays[GRID_COLUMNS + c] = (array){.name = column[c].name, .content = ROWS, .components = column[c].components, .tuples = cells, .rows = &column[c]};
    if (status == SCREE_OK)
        settle_sizes(wr);
    return status;
}

static void free_arrays(writer* wr)
{
    for (int64_t a = 0; a < wr->count; ++a) {
        for (int64_t b = 0; b < wr->arrays[a].batch_count; ++b)
            scree_free(wr->arrays[a].batches[b].bytes);
        scree_free(wr->arrays[a].batches);
        scree_free(wr->arrays[a].block_bytes);
        scree_free(wr->arrays[a].owned);
    }
    scree_free(wr->arrays);
}

static int64_t header_numbers(const array* ar)
{
    return 3 + ar->block_count;
}

// Compresses everything and finds out where each array will begin. The arrays are in the file in the order of the list.
static scree_status compress_arrays(writer* wr)
{
    press pr = {.set = wr->set};
    int64_t total = 0, most = 0, done = 0, offset = 0;
    for (int64_t a = 0; a < wr->count; ++a) {
        array* ar = &wr->arrays[a];
        ar->block_count = (ar->size + BLOCK - 1) / BLOCK;
        most = ar->block_count > most ? ar->block_count : most;  // at least 1: scree_dim is never empty
        total += ar->size;
    }
    scree_status status = open_press(&pr, most);
    for (int64_t a = 0; a < wr->count && status == SCREE_OK; ++a) {
        array* ar = &wr->arrays[a];
        if (ar->name == NULL)
            continue;
        pr.array = ar;
        ar->offset = offset;
        ar->block_bytes = scree_malloc((size_t)ar->block_count, sizeof *ar->block_bytes);
        ar->batches = scree_malloc((size_t)(ar->block_count / BATCH + 1), sizeof *ar->batches);
        if (ar->block_bytes == NULL || ar->batches == NULL)
            status = SCREE_ERR_MEMORY;
        for (int64_t first = 0; first < ar->block_count && status == SCREE_OK; first += BATCH) {
            status = compress_batch(&pr, first);
            done += BATCH * BLOCK;
            if (status == SCREE_OK)
                status = scree_output_tick(wr->output, 0.9 * (double)(done < total ? done : total) / (double)total);
        }
        offset += header_numbers(ar) * 8;
        for (int64_t b = 0; b < ar->batch_count; ++b)
            offset += ar->batches[b].length;
    }
    close_press(&pr);
    return status;
}

// ---- The file ----------------------------------------------------------------------------------------------------

static void put(scree_output* output, const char* format, ...) SCREE_PRINTF(2, 3);

static void put(scree_output* output, const char* format, ...)
{
    char* room = scree_output_room(output, 512);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(room, 512, format, arguments);
    va_end(arguments);
    scree_output_wrote(output, room + length);
}

static void put_tag(scree_output* output, const array* ar, bool field)
{
    const char* tag = ar->content == BYTES ? "Array" : "DataArray";
    put(output, "        <%s type=\"%s\" Name=\"", tag, scree_vtk_type_name(type_of(ar)));
    scree_xml_put(output, ar->name);
    put(output, "\" NumberOfComponents=\"%" PRId32 "\"", ar->components);
    if (field)
        put(output, " NumberOfTuples=\"%" PRId64 "\"", ar->tuples);
    put(output, " format=\"appended\" offset=\"%" PRId64 "\"/>\n", ar->offset);
}

// What every file begins with; `tag` is the type of data, with its attributes.
static void put_head_of(const writer* wr, const char* type, const char* tag)
{
    scree_output* output = wr->output;
    const array* list = wr->arrays;
    put(output, "<?xml version=\"1.0\"?>\n"
                "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
                "compressor=\"vtkZLibDataCompressor\">\n",
        type);
    put(output, "  <%s>\n    <FieldData>\n", tag);
    put_tag(output, &list[ARRAY_DIM], true);
    if (wr->set->has_box)
        put_tag(output, &list[ARRAY_BOX], true);
    if (list[ARRAY_CONTAINER].name != NULL)
        put_tag(output, &list[ARRAY_CONTAINER], true);
    put(output, "    </FieldData>\n");
}

static void put_head(const writer* wr)
{
    put_head_of(wr, "PolyData", "PolyData");
}

static void put_xml(const writer* wr)
{
    scree_output* output = wr->output;
    const array* list = wr->arrays;
    put_head(wr);
    put(output,
        "    <Piece NumberOfPoints=\"%" PRId32 "\" NumberOfVerts=\"%" PRId32 "\" NumberOfLines=\"0\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n"
        "      <PointData Scalars=\"radius\">\n",
        wr->set->count, wr->set->count);
    put_tag(output, &list[ARRAY_RADII], false);
    put_tag(output, &list[ARRAY_DIAMETERS], false);
    for (int64_t a = ARRAY_COLUMNS; a < wr->count; ++a)
        put_tag(output, &list[a], false);
    put(output, "      </PointData>\n      <Points>\n");
    put_tag(output, &list[ARRAY_CENTRES], false);
    put(output, "      </Points>\n      <Verts>\n");
    put_tag(output, &list[ARRAY_CONNECTIVITY], false);
    put_tag(output, &list[ARRAY_OFFSETS], false);
    put(output, "      </Verts>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _");
}

static void put_outlines_xml(const writer* wr)
{
    scree_output* output = wr->output;
    const array* list = wr->arrays;
    put_head(wr);
    put(output,
        "    <Piece NumberOfPoints=\"%" PRId64 "\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"%" PRId32 "\">\n"
        "      <CellData Scalars=\"radius\">\n",
        list[POLY_POINTS].tuples, wr->set->count);
    put_tag(output, &list[CELL_RADII], false);
    put_tag(output, &list[CELL_CENTRES], false);
    put_tag(output, &list[CELL_DISCS], false);
    for (int64_t a = CELL_COLUMNS; a < wr->count; ++a)
        put_tag(output, &list[a], false);
    put(output, "      </CellData>\n      <Points>\n");
    put_tag(output, &list[POLY_POINTS], false);
    put(output, "      </Points>\n      <Polys>\n");
    put_tag(output, &list[POLY_CONNECTIVITY], false);
    put_tag(output, &list[POLY_OFFSETS], false);
    put(output, "      </Polys>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _");
}

static void put_rows_xml(const writer* wr)
{
    scree_output* output = wr->output;
    const array* list = wr->arrays;
    put_head(wr);
    put(output,
        "    <Piece NumberOfPoints=\"%" PRId64 "\" NumberOfVerts=\"0\" NumberOfLines=\"%" PRId64 "\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"%" PRId64 "\">\n"
        "      <CellData>\n",
        list[LINE_POINTS].tuples, wr->closed ? 0 : list[LINE_OFFSETS].tuples, wr->closed ? list[LINE_OFFSETS].tuples : 0);
    for (int64_t a = ROW_COLUMNS; a < wr->count; ++a)
        put_tag(output, &list[a], false);
    put(output, "      </CellData>\n      <Points>\n");
    put_tag(output, &list[LINE_POINTS], false);
    put(output, "      </Points>\n      <%s>\n", wr->closed ? "Polys" : "Lines");
    put_tag(output, &list[LINE_CONNECTIVITY], false);
    put_tag(output, &list[LINE_OFFSETS], false);
    put(output, "      </%s>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _", wr->closed ? "Polys" : "Lines");
}

static void put_grid_xml(const writer* wr)
{
    scree_output* output = wr->output;
    const scree_row_grid* grid = wr->grid;
    char extent[64], tag[512], number[6][40];
    for (int k = 0; k < 3; ++k) {
        *(number[k] + scree_number_format(number[k], grid->lower[k])) = '\0';
        *(number[3 + k] + scree_number_format(number[3 + k], grid->size[k])) = '\0';
    }
    snprintf(extent, sizeof extent, "0 %" PRId32 " 0 %" PRId32 " 0 %" PRId32, grid->cells[0], grid->cells[1], wr->set->dim == 3 ? grid->cells[2] : 0);
    snprintf(tag, sizeof tag, "ImageData WholeExtent=\"%s\" Origin=\"%s %s %s\" Spacing=\"%s %s %s\"", extent, number[0], number[1], number[2], number[3],
             number[4], number[5]);
    put_head_of(wr, "ImageData", tag);
    put(output, "    <Piece Extent=\"%s\">\n      <CellData>\n", extent);
    for (int64_t a = GRID_COLUMNS; a < wr->count; ++a)
        put_tag(output, &wr->arrays[a], false);
    put(output, "      </CellData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n   _");
}

static void put_data(const writer* wr)
{
    for (int64_t a = 0; a < wr->count; ++a) {
        const array* ar = &wr->arrays[a];
        if (ar->name == NULL)
            continue;
        for (int64_t k = 0; k < header_numbers(ar); ++k) {
            int64_t number = k == 0   ? ar->block_count
                             : k == 1 ? BLOCK
                             : k == 2 ? ar->size % BLOCK
                                      : ar->block_bytes[k - 3];
            char* room = scree_output_room(wr->output, 8);
            put_bytes((unsigned char*)room, (uint64_t)number, 8);
            scree_output_wrote(wr->output, room + 8);
        }
        for (int64_t b = 0; b < ar->batch_count; ++b) {
            scree_output_bytes(wr->output, (const char*)ar->batches[b].bytes, (size_t)ar->batches[b].length);
            if (scree_output_tick(wr->output, 0.9 + 0.1 * (double)a / (double)wr->count) != SCREE_OK)
                return;
        }
    }
    put(wr->output, "\n  </AppendedData>\n</VTKFile>\n");
}

scree_status scree_vtp_check(const scree_sphere_set* set)
{
    for (int32_t c = 0; c < set->column_count; ++c) {
        const char* name = set->columns[c].name;
        char shown[SCREE_SHOWN];
        scree_csv_shown(shown, name, (int64_t)strlen(name));
        if (strcmp(name, "radius") == 0 || strcmp(name, "diameter") == 0)
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "column '%s' is not possible in VTP: an array of the sphere has that name; expected another name", shown);
        if (!scree_xml_can_hold(name))
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "column '%s' is not possible in VTP: its name is not plain UTF-8 text; expected UTF-8 without control characters", shown);
    }
    return scree_sphere_set_check_box(set);
}

scree_status scree_vtp_check_outlines(const scree_outline_set* set)
{
    static const char* const taken[] = {"radius", SCREE_VTP_CENTRE, SCREE_VTP_DISC};
    for (int32_t c = 0; c < set->bodies.column_count; ++c) {
        const char* name = set->bodies.columns[c].name;
        for (int k = 0; k < 3; ++k)
            if (strcmp(name, taken[k]) == 0)
                return scree_fail(SCREE_ERR_ARGUMENT, "column '%s' is not possible in VTP: an array of the body has that name; expected another name", name);
        char shown[SCREE_SHOWN];
        if (!scree_xml_can_hold(name))
            return scree_fail(SCREE_ERR_ARGUMENT, "column '%s' is not possible in VTP: its name is not plain UTF-8 text; expected UTF-8 without control characters",
                              scree_csv_shown(shown, name, (int64_t)strlen(name)));
    }
    int64_t corners = count_corners(set);
    if (corners > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " corners, including discs; expected at most %" PRId32 " for VTP", corners, INT32_MAX);
    return SCREE_OK;
}

static void finish(writer* wr, scree_status status, void (*xml)(const writer* wr))
{
    if (status == SCREE_OK)
        status = compress_arrays(wr);
    if (status != SCREE_OK && wr->output->status == SCREE_OK)
        wr->output->status = status;
    if (status == SCREE_OK) {
        xml(wr);
        put_data(wr);
    }
    free_arrays(wr);
}

void scree_vtp_write(scree_output* output, const scree_sphere_set* set)
{
    writer wr = {.output = output, .set = set};
    scree_status status = list_arrays(&wr);
    finish(&wr, status, put_xml);
}

void scree_vtp_write_outlines(scree_output* output, const scree_outline_set* set)
{
    writer wr = {.output = output, .set = &set->bodies};
    scree_status status = list_outlines(&wr, set);
    finish(&wr, status, put_outlines_xml);
}

scree_status scree_rows_write_vtp(const char* path, scree_watch watch, const scree_row_lines* lines, int64_t rows, int32_t columns,
                                  const scree_row_column* column)
{
    scree_output output;
    scree_status status = scree_output_open(&output, path, watch);
    if (status != SCREE_OK)
        return status;
    scree_sphere_set set = {.dim = lines->box->dim, .box = *lines->box};
    for (int k = 0; k < set.dim; ++k)
        set.has_box = set.has_box || isfinite(set.box.lower[k]) || isfinite(set.box.upper[k]);
    writer wr = {.output = &output, .set = &set, .closed = lines->closed};
    status = list_rows(&wr, lines, rows, columns, column);
    finish(&wr, status, put_rows_xml);
    return scree_output_close(&output, output.status);
}

scree_status scree_rows_write_vti(const char* path, scree_watch watch, const scree_row_grid* grid, int32_t columns, const scree_row_column* column)
{
    scree_output output;
    scree_status status = scree_output_open(&output, path, watch);
    if (status != SCREE_OK)
        return status;
    scree_sphere_set set = {.dim = grid->dim};
    writer wr = {.output = &output, .set = &set, .grid = grid};
    status = list_grid(&wr, columns, column);
    finish(&wr, status, put_grid_xml);
    return scree_output_close(&output, output.status);
}
