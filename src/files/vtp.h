// The inner parts of the VTP reader (vtp_read.c): the values of one array (vtp_array.c), how they come out of the bytes of
// a file (vtp_decode.c), and how all arrays become a set (vtp_set.c). The writer (vtp_write.c) shares the marks' names.
//
//     file -> XML -> text      -> words -----------------------------------------> values
//                 -> base64    -> bytes -> header, blocks -> zlib -> plain bytes -> values
//          -> appended (raw)   -> bytes -> header, blocks -> zlib -> plain bytes -> values
//
// Everything is pushed through as it comes, in portions of any size, so the file may be a pipe and memory follows what has
// really come, not what a header claims.
#ifndef SCREE_FILES_VTP_H
#define SCREE_FILES_VTP_H

#include "files/input.h"
#include "scree/geom.h"
#include "scree/outlines.h"
#include "scree/surface.h"

#include <zlib.h>

// These arrays of FieldData hold what VTP itself has no place for.
#define SCREE_VTP_DIM "scree_dim"  // one number, 2 or 3; without it 3
#define SCREE_VTP_BOX "scree_box"  // three tuples of three: lower, upper, and 1 where an axis is periodic, else 0; of a tilted box a fourth: xy, xz, yz
#define SCREE_VTP_CONTAINER "scree_container"  // one number, scree_container_kind; without it 0, a box

// And what VTP cannot say of outlines, in these arrays of the cells.
#define SCREE_VTP_CENTRE "centre"  // where a body's centre is
#define SCREE_VTP_DISC "disc"      // 1: the polygon represents a disc

typedef enum scree_vtk_type {
    SCREE_VTK_INT8,
    SCREE_VTK_UINT8,
    SCREE_VTK_INT16,
    SCREE_VTK_UINT16,
    SCREE_VTK_INT32,
    SCREE_VTK_UINT32,
    SCREE_VTK_INT64,
    SCREE_VTK_UINT64,
    SCREE_VTK_FLOAT32,
    SCREE_VTK_FLOAT64,
    SCREE_VTK_STRING,  // words, each closed by '\0'
    SCREE_VTK_TYPE_COUNT
} scree_vtk_type;

const char* scree_vtk_type_name(scree_vtk_type type);
int scree_vtk_type_size(scree_vtk_type type);  // bytes of a number; 1 for words

// ---- The values of one array (of one piece) ----------------------------------------------------------------------

// Only `kind` and the fields before it are set by the reader; the rest begins zeroed. The numbers are in `values` or in
// `integers`, as `kind` says: floats are DOUBLE and whole numbers INT64, unless one is above INT64_MAX: then DOUBLE.
typedef struct scree_vtp_array {
    char* name;            // owned
    int64_t line;          // where its tag stands
    scree_vtk_type type;
    int32_t components;
    int64_t tuples;        // as many as there should be
    bool open;             // ... at most
    int64_t offset;        // in the appended data; -1: its values are inside the tag
    int32_t kind;          // scree_column_kind
    int64_t have;          // how many numbers, or words, have come
    double* values;
    int64_t* integers;
    int64_t capacity;      // of the two
    char* text;            // TEXT: the words, closed by '\0'
    int64_t text_length, text_capacity;
    unsigned char rest[8];  // the first bytes of a number whose others are still to come
    int32_t rest_length;
} scree_vtp_array;

static inline int64_t scree_vtp_array_total(const scree_vtp_array* array)
{
    return array->tuples * array->components;
}

void scree_vtp_array_free(scree_vtp_array* array);

// FORMAT with "name:line: array 'x': ..."; the line is that of the array's tag.
scree_status scree_vtp_array_fail(const scree_input* input, const scree_vtp_array* array, const char* format, ...)
    SCREE_PRINTF(3, 4);

// Takes plain bytes, in portions of any size; numbers are no more than the array should have. FORMAT, MEMORY.
scree_status scree_vtp_array_bytes(const scree_input* input, scree_vtp_array* array, const unsigned char* bytes,
                                   size_t count, bool swap);

// Takes one number written as text, which is in `line`. FORMAT, MEMORY.
scree_status scree_vtp_array_word(const scree_input* input, scree_vtp_array* array, const char* word, int64_t length,
                                  int64_t line);

// All has come: FORMAT if it was not as much as it should be.
scree_status scree_vtp_array_end(const scree_input* input, const scree_vtp_array* array);

// ---- Bytes to plain bytes ----------------------------------------------------------------------------------------

typedef struct scree_vtp_decoder {
    // About the file: set once.
    const scree_input* input;
    int32_t word;     // bytes of a number in a header: 4 or 8
    bool swap;        // numbers are in the other byte order than this machine's
    bool compressed;  // by zlib, in blocks
    // The data under way. Several arrays with the same offset share it.
    bool base64;
    scree_vtp_array** arrays;   // borrowed
    int64_t array_count;
    bool done;                  // nothing more is wanted
    // The decoder's own.
    int64_t taken;              // bytes of the data so far, base64 decoded ...
    int64_t characters;         // ... and not
    int64_t place;              // which of the bytes is meant in a message
    int32_t stage;
    unsigned char quad[4];      // base64: characters of an unfinished group of four
    int32_t quad_length;
    unsigned char value[256];   // base64: of each character
    unsigned char number[8];    // bytes of an unfinished header number
    int32_t number_length;
    uint64_t header[3];         // blocks, bytes of a block, bytes of the last one; plain data: bytes
    int64_t header_length;
    uint64_t* block_bytes;      // compressed, per block
    int64_t block_capacity, block_count, block;
    uint64_t left;              // bytes still to come: of the block, compressed; or of the plain data
    uint64_t unpacked;          // bytes that the block has given so far
    z_stream zlib;
    bool zlib_ready;
    unsigned char* unpacked_bytes;
} scree_vtp_decoder;

// Begins the data of `arrays`.
void scree_vtp_decoder_begin(scree_vtp_decoder* decoder, scree_vtp_array** arrays, int64_t array_count, bool base64);

// Takes up to `count` bytes; *used says how many. It stops where the data ends (`done`). FORMAT, MEMORY.
scree_status scree_vtp_decoder_feed(scree_vtp_decoder* decoder, const unsigned char* bytes, int64_t count, int64_t* used);

// There are no more bytes, and it was not done: FORMAT says what is missing.
scree_status scree_vtp_decoder_short(scree_vtp_decoder* decoder);
void scree_vtp_decoder_free(scree_vtp_decoder* decoder);

// ---- All of a file -----------------------------------------------------------------------------------------------

typedef struct scree_vtp_piece {
    int64_t line, points;
    bool has_centres;
    scree_vtp_array centres;
    scree_vtp_array* arrays;  // the others: of the points; of the cells, where there are polygons
    int64_t count, capacity;
    int64_t polys;            // 0: none, or they are not wanted
    int64_t announced;        // polygons by the tag of the piece, if there are no other cells
    scree_vtp_array connectivity, offsets;  // without a name if they are not there
} scree_vtp_piece;

typedef struct scree_vtp_content {
    scree_vtp_piece* pieces;
    int64_t piece_count, piece_capacity;
    int64_t points;            // of all pieces; at most INT32_MAX
    int64_t polys;             // likewise
    scree_vtp_array dim, box, container;  // scree's own marks; without a name if they are not there
} scree_vtp_content;

// Makes a set of at least one piece whose arrays are complete; takes the values out of them. What is in `set` after a
// failure (FORMAT, MEMORY) is the caller's to free.
scree_status scree_vtp_content_to_set(const scree_input* input, scree_vtp_content* content, scree_sphere_set* set);
void scree_vtp_content_free(scree_vtp_content* content);

// The same of one piece with polygons, into outlines (vtp_polys.c). FORMAT, MEMORY, UNSUPPORTED.
scree_status scree_vtp_content_to_outlines(const scree_input* input, scree_vtp_content* content, scree_outline_set* set);

// The same into triangles, split where a polygon has more corners (vtp_triangles.c). What is in `out` after a failure (FORMAT, MEMORY) is the caller's to free.
scree_status scree_vtp_content_to_triangles(const scree_input* input, scree_vtp_content* content, scree_triangles* out);

// That a piece with polygons has what they need, whole and in order; its points are doubles afterwards. FORMAT, MEMORY.
scree_status scree_vtp_check_polys(const scree_input* input, scree_vtp_piece* pc);

// Parts of all: whole numbers as doubles; the marks of dimension and box; the name of a column for an array of this name, NULL: no memory.
scree_status scree_vtp_make_doubles(scree_vtp_array* array);
scree_status scree_vtp_read_marks(const scree_input* input, const scree_vtp_content* content, scree_sphere_set* set);
char* scree_vtp_column_name(const scree_vtp_piece* lead, const char* name);

#endif
