// VTP: VTK's XML files of points, as ParaView, LIGGGHTS and scree write them.
//
//     <VTKFile type="PolyData" byte_order=... header_type=... compressor=...>
//       <PolyData>
//         <FieldData>                                    scree's own marks: dimension and box
//         <Piece NumberOfPoints="5" ...>                 one or more; joined in order
//           <PointData> <DataArray Name="radius" .../>   the radius, and the further columns
//           <Points>    <DataArray .../>                 the centres
//           <Verts> ...                                  everything else is skipped, except for outlines, instead of <PointData>:
//           <CellData>, <Polys>                          columns; which points are the corners of each polygon
//       <AppendedData encoding="raw">_ bytes             what DataArrays with format="appended" and an offset mean
//
// expat reads the XML as a stream. Values inside a DataArray go straight to its array (vtp_array.c, vtp_decode.c). Raw
// appended data is not XML any more, so expat is stopped at its tag and the rest is walked through here: by then all
// offsets are known, and in their order one pass serves all arrays, without seeking. Document types, and with them
// entities that grow, are rejected. What has been read becomes a set of spheres in vtp_set.c, of outlines in vtp_polys.c, or
// triangles in vtp_triangles.c.
//
// O(bytes) time; memory for the values, and for one more column if there are several pieces.
#include "scree/files.h"

#include "base/array.h"
#include "files/csv.h"
#include "files/formats.h"
#include "files/vtp.h"

#include <assert.h>
#include <expat.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAYS_MAX 10000  // names are compared each with each
#define COMPONENTS_MAX 64
#define WORD_MAX 500

// Where in the tree of tags the reader is.
typedef enum place { OUTSIDE, IN_FILE, IN_DATA, IN_FIELDS, IN_PIECE, IN_POINT_DATA, IN_CELL_DATA, IN_POINTS, IN_POLYS, IN_ARRAY } place;

typedef enum form { FORM_ASCII, FORM_BINARY, FORM_APPENDED } form;

typedef struct reader {
    scree_input* input;
    bool outlines;  // polygons are wanted, where there are any; else only where the points hold no spheres
    XML_Parser parser;
    scree_status status;  // what went wrong inside a call from expat
    place path[8];        // the tags around the current one ...
    int depth;            // ... and how many they are
    int64_t ignored;      // depth inside a skipped tag
    scree_vtp_decoder decoder;
    char compressor[SCREE_SHOWN];  // one that is not known; "" otherwise
    scree_vtp_content content;
    // The values under way.
    scree_vtp_array* array;
    form form;
    bool begun;  // something but blanks has come
    char word[WORD_MAX + 8];
    int64_t word_length;  // of a word that may continue in the next portion
    // The appended data.
    bool appended, base64;
    int64_t appended_line;
    int64_t xml_bytes;  // bytes before it
} reader;

static int64_t line_of(const reader* rd)
{
    return (int64_t)XML_GetCurrentLineNumber(rd->parser);
}

// ---- Attributes --------------------------------------------------------------------------------------------------

static const char* attribute(const char** attributes, const char* name)
{
    for (; attributes[0] != NULL; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

// A whole number from 0 on; -1 if it is something else.
static int64_t whole(const char* text)
{
    int64_t value = 0;
    const char* p = text + strspn(text, " \t\n\r");
    const char* first = p;
    for (; *p >= '0' && *p <= '9'; ++p) {
        if (value > (INT64_MAX - 9) / 10)
            return -1;
        value = value * 10 + (*p - '0');
    }
    return p > first && p[strspn(p, " \t\n\r")] == '\0' ? value : -1;
}

// An attribute that is a whole number; `otherwise` if it is not there (-1: it must be).
static scree_status whole_attribute(const reader* rd, const char* tag, const char** attributes, const char* name,
                                    int64_t otherwise, int64_t* value)
{
    const char* text = attribute(attributes, name);
    *value = text == NULL ? otherwise : whole(text);
    if (*value >= 0)
        return SCREE_OK;
    char shown[SCREE_SHOWN];
    if (text == NULL)
        return scree_input_fail(rd->input, line_of(rd), "<%s> is incomplete; expected %s", tag, name);
    return scree_input_fail(rd->input, line_of(rd), "<%s>: %s=\"%s\"; expected a whole number from 0 on", tag, name,
                            scree_csv_shown(shown, text, (int64_t)strlen(text)));
}

static scree_status unsupported(const reader* rd, const char* what, const char* found, const char* known)
{
    char shown[SCREE_SHOWN];
    return scree_fail(SCREE_ERR_UNSUPPORTED, "%s:%" PRId64 ": %s '%s' is not supported; expected %s", rd->input->name,
                      line_of(rd), what, scree_csv_shown(shown, found, (int64_t)strlen(found)), known);
}

// ---- Tags --------------------------------------------------------------------------------------------------------

static scree_status start_file(reader* rd, const char* tag, const char** attributes)
{
    char shown[SCREE_SHOWN];
    if (strcmp(tag, "VTKFile") != 0)
        return scree_input_fail(rd->input, line_of(rd),
                                "<%s>: not a VTK file; expected <VTKFile type=\"PolyData\" ...>",
                                scree_csv_shown(shown, tag, (int64_t)strlen(tag)));
    const char* type = attribute(attributes, "type");
    if (type == NULL || strcmp(type, "PolyData") != 0)
        return scree_input_fail(
            rd->input, line_of(rd), "a VTK file of type '%s'; expected PolyData%s",
            scree_csv_shown(shown, type == NULL ? "" : type, type == NULL ? 0 : (int64_t)strlen(type)),
            type != NULL && strcmp(type, "PPolyData") == 0 ? " (read the .vtp files that it names)" : "");
    const char* order = attribute(attributes, "byte_order");
    if (order != NULL && strcmp(order, "LittleEndian") != 0 && strcmp(order, "BigEndian") != 0)
        return scree_input_fail(rd->input, line_of(rd), "byte_order=\"%s\"; expected LittleEndian or BigEndian",
                                scree_csv_shown(shown, order, (int64_t)strlen(order)));
    bool big = order != NULL && order[0] == 'B';
    const char* header = attribute(attributes, "header_type");
    if (header != NULL && strcmp(header, "UInt32") != 0 && strcmp(header, "UInt64") != 0)
        return scree_input_fail(rd->input, line_of(rd), "header_type=\"%s\"; expected UInt32 or UInt64",
                                scree_csv_shown(shown, header, (int64_t)strlen(header)));
    const char* compressor = attribute(attributes, "compressor");
    bool compressed = compressor != NULL && compressor[0] != '\0';
    if (compressed && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        scree_csv_shown(rd->compressor, compressor, (int64_t)strlen(compressor));
    rd->decoder.input = rd->input;
    rd->decoder.word = header != NULL && strcmp(header, "UInt64") == 0 ? 8 : 4;  // files older than VTK 6 do not say it
    rd->decoder.swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    rd->decoder.compressed = compressed;
    return SCREE_OK;
}

static scree_status start_piece(reader* rd, const char** attributes)
{
    static const char* const others[] = {"NumberOfVerts", "NumberOfLines", "NumberOfStrips"};
    int64_t points, announced = 0, other = 0, count;
    scree_status status = whole_attribute(rd, "Piece", attributes, "NumberOfPoints", -1, &points);
    if (status == SCREE_OK)
        status = whole_attribute(rd, "Piece", attributes, "NumberOfPolys", 0, &announced);
    for (int k = 0; k < 3 && status == SCREE_OK && announced > 0; ++k) {
        status = whole_attribute(rd, "Piece", attributes, others[k], 0, &count);
        other = count > other ? count : other;
    }
    int64_t polys = rd->outlines ? announced : 0;
    if (polys == 0 && (other > 0 || rd->content.points > 0 || announced > INT32_MAX))  // not to be read as bodies
        announced = 0;
    if (status == SCREE_OK && polys > INT32_MAX)
        return scree_input_fail(rd->input, line_of(rd), "too many polygons; expected at most %" PRId32, INT32_MAX);
    if (status == SCREE_OK && ((polys > 0 && other > 0) || (rd->content.polys > 0 && points > 0) || (polys > 0 && rd->content.points > 0)))
        return scree_fail(SCREE_ERR_UNSUPPORTED, "%s:%" PRId64 ": polygons %s are not supported; expected one piece with polygons only", rd->input->name,
                          line_of(rd), other > 0 ? "together with other cells" : "in several pieces");
    if (status == SCREE_OK && points > INT32_MAX - rd->content.points)
        return scree_input_fail(rd->input, line_of(rd), "too many points; expected at most %" PRId32, INT32_MAX);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(rd->content.pieces, rd->content.piece_capacity, rd->content.piece_count + 1);
    if (status != SCREE_OK)
        return status;
    rd->content.pieces[rd->content.piece_count++] = (scree_vtp_piece){.line = line_of(rd), .points = points, .polys = polys, .announced = announced};
    rd->content.points += points;
    rd->content.polys += polys;
    return SCREE_OK;
}

// The place for the values of a tag in `where`; NULL with status OK: they are of no interest.
static scree_status array_place(reader* rd, place where, const char* name, scree_vtp_array** array)
{
    char shown[SCREE_SHOWN];
    *array = NULL;
    if (where == IN_FIELDS) {
        *array = strcmp(name, SCREE_VTP_DIM) == 0   ? &rd->content.dim
                 : strcmp(name, SCREE_VTP_BOX) == 0 ? &rd->content.box
                 : strcmp(name, SCREE_VTP_CONTAINER) == 0 ? &rd->content.container
                                                    : NULL;
        if (*array != NULL && (*array)->name != NULL)
            return scree_input_fail(rd->input, line_of(rd), "a second array '%s'; the first is in line %" PRId64 "; expected one", name,
                                    (*array)->line);
        return SCREE_OK;
    }
    scree_vtp_piece* pc = &rd->content.pieces[rd->content.piece_count - 1];
    if (where == IN_POINTS) {
        if (pc->has_centres)
            return scree_input_fail(rd->input, line_of(rd), "a second array in <Points>; the first is in line %" PRId64 "; expected one",
                                    pc->centres.line);
        pc->has_centres = true;
        *array = &pc->centres;
        return SCREE_OK;
    }
    if (where == IN_POLYS) {
        *array = strcmp(name, "connectivity") == 0 ? &pc->connectivity : strcmp(name, "offsets") == 0 ? &pc->offsets : NULL;
        if (*array != NULL && (*array)->name != NULL)
            return scree_input_fail(rd->input, line_of(rd), "a second array '%s'; the first is in line %" PRId64 "; expected one", name, (*array)->line);
        return SCREE_OK;
    }
    if (pc->count == ARRAYS_MAX)
        return scree_input_fail(rd->input, line_of(rd), "there are further arrays; expected at most %d", ARRAYS_MAX);
    for (int64_t a = 0; a < pc->count; ++a)
        if (strcmp(pc->arrays[a].name, name) == 0)
            return scree_input_fail(rd->input, line_of(rd),
                                    "a second array '%s' in <%s>; the first is in line %" PRId64 "; expected one",
                                    scree_csv_shown(shown, name, (int64_t)strlen(name)), where == IN_CELL_DATA ? "CellData" : "PointData",
                                    pc->arrays[a].line);
    scree_status status = SCREE_RESERVE(pc->arrays, pc->capacity, pc->count + 1);
    if (status == SCREE_OK)
        *array = &pc->arrays[pc->count++];
    return status;
}

static scree_status array_form(reader* rd, const char** attributes, int64_t* offset)
{
    const char *format = attribute(attributes, "format"), *at = attribute(attributes, "offset");
    *offset = -1;
    if (format == NULL)
        format = at != NULL ? "appended" : "ascii";
    if (strcmp(format, "ascii") == 0)
        rd->form = FORM_ASCII;
    else if (strcmp(format, "binary") == 0)
        rd->form = FORM_BINARY;
    else if (strcmp(format, "appended") == 0)
        rd->form = FORM_APPENDED;
    else
        return scree_input_fail(rd->input, line_of(rd), "format=\"%s\"; expected ascii, binary or appended",
                                format);
    if (rd->form != FORM_ASCII && rd->compressor[0] != '\0')
        return unsupported(rd, "the compressor", rd->compressor, "vtkZLibDataCompressor or no compressor");
    return rd->form == FORM_APPENDED ? whole_attribute(rd, "DataArray", attributes, "offset", -1, offset) : SCREE_OK;
}

static scree_status array_type(const reader* rd, const char** attributes, scree_vtk_type* type)
{
    const char* name = attribute(attributes, "type");
    if (name == NULL)
        return scree_input_fail(rd->input, line_of(rd), "<DataArray> without type; expected Float32, Int64 or another type of VTK");
    for (int t = 0; t < SCREE_VTK_TYPE_COUNT; ++t)
        if (strcmp(name, scree_vtk_type_name((scree_vtk_type)t)) == 0) {
            *type = (scree_vtk_type)t;
            return SCREE_OK;
        }
    return unsupported(rd, "the type", name, "Int8 to Int64, UInt8 to UInt64, Float32, Float64 or String");
}

// Corners of all polygons of a piece: each of them has every point at most a few times.
static int64_t most_corners(const scree_vtp_piece* piece)
{
    int64_t most = 4 * piece->points;
    return most > 0 && piece->polys > INT32_MAX / most ? INT32_MAX : piece->polys * most;
}

static scree_status start_array(reader* rd, place where, const char** attributes, bool* wanted)
{
    char unnamed[32];
    const char* name = attribute(attributes, "Name");
    if (name == NULL || name[0] == '\0') {
        int64_t count = where == IN_POINT_DATA || where == IN_CELL_DATA ? rd->content.pieces[rd->content.piece_count - 1].count : 0;
        snprintf(unnamed, sizeof unnamed, "array_%" PRId64, count + 1);
        name = where == IN_POINTS ? "Points" : unnamed;
    }
    int64_t components, tuples, offset = -1;
    scree_vtk_type type = SCREE_VTK_FLOAT64;
    scree_vtp_array* array;
    scree_status status = array_place(rd, where, name, &array);
    *wanted = array != NULL;
    if (status != SCREE_OK || array == NULL)
        return status;
    *array = (scree_vtp_array){.line = line_of(rd), .name = scree_malloc(strlen(name) + 1, 1)};
    if (array->name == NULL)
        return SCREE_ERR_MEMORY;
    strcpy(array->name, name);
    status = whole_attribute(rd, "DataArray", attributes, "NumberOfComponents", 1, &components);
    const scree_vtp_piece* piece = rd->content.piece_count > 0 ? &rd->content.pieces[rd->content.piece_count - 1] : NULL;
    bool open = where == IN_POLYS && array == &piece->connectivity;
    if (where != IN_FIELDS)
        tuples = open ? most_corners(piece) : where == IN_CELL_DATA || where == IN_POLYS ? piece->polys : piece->points;
    else if (status == SCREE_OK)
        status = whole_attribute(rd, "DataArray", attributes, "NumberOfTuples", 1, &tuples);
    if (status == SCREE_OK)
        status = array_type(rd, attributes, &type);
    if (status == SCREE_OK)
        status = array_form(rd, attributes, &offset);
    if (status != SCREE_OK)
        return status;
    bool text = type == SCREE_VTK_STRING;
    int64_t total = array == &rd->content.box ? (components * tuples == 12 ? 12 : 9) : 1;
    if (components < 1 || (text && components != 1))
        return scree_vtp_array_fail(rd->input, array, "%" PRId64 " components; expected 1%s", components, text ? "" : " or more");
    if (where == IN_FIELDS && (text || components > 9 || tuples > 9 || components * tuples != total))
        return scree_vtp_array_fail(rd->input, array,
                                    "%" PRId64 " tuples of %" PRId64 " %s; expected %" PRId64 " number%s", tuples,
                                    components, scree_vtk_type_name(type), total, total == 1 ? "" : "s");
    if (where == IN_POINTS && (text || components != 3))
        return scree_vtp_array_fail(rd->input, array, "centres of %" PRId64 " %s; expected 3 numbers each",
                                    components, scree_vtk_type_name(type));
    if (where == IN_POLYS && (text || components != 1 || type == SCREE_VTK_FLOAT32 || type == SCREE_VTK_FLOAT64))
        return scree_vtp_array_fail(rd->input, array, "%" PRId64 " %s each; expected one whole number", components, scree_vtk_type_name(type));
    if (components > COMPONENTS_MAX)
        return scree_fail(SCREE_ERR_UNSUPPORTED,
                          "%s:%" PRId64 ": an array of %" PRId64 " components; expected at most %d here", rd->input->name,
                          array->line, components, COMPONENTS_MAX);
    array->type = type;
    array->components = (int32_t)components;
    array->tuples = tuples;
    array->open = open;
    array->offset = offset;
    array->kind = text                                                     ? SCREE_COLUMN_TEXT
                  : type == SCREE_VTK_FLOAT32 || type == SCREE_VTK_FLOAT64 ? SCREE_COLUMN_DOUBLE
                                                                           : SCREE_COLUMN_INT64;
    rd->array = array;
    rd->begun = false;
    rd->word_length = 0;
    if (rd->form == FORM_BINARY)
        scree_vtp_decoder_begin(&rd->decoder, &rd->array, 1, true);
    return SCREE_OK;
}

static scree_status start_appended(reader* rd, const char** attributes)
{
    const char* encoding = attribute(attributes, "encoding");
    rd->base64 = encoding == NULL || strcmp(encoding, "base64") == 0;
    if (!rd->base64 && strcmp(encoding, "raw") != 0) {
        char shown[SCREE_SHOWN];
        return scree_input_fail(rd->input, line_of(rd), "<AppendedData encoding=\"%s\">; expected raw or base64",
                                scree_csv_shown(shown, encoding, (int64_t)strlen(encoding)));
    }
    rd->appended = true;
    rd->appended_line = line_of(rd);
    rd->xml_bytes = (int64_t)XML_GetCurrentByteIndex(rd->parser) + XML_GetCurrentByteCount(rd->parser);
    XML_StopParser(rd->parser, XML_TRUE);
    return SCREE_OK;
}

// Points without any data are no spheres: where the cells have some, they may be bodies, of which some are discs.
static void take_bodies(reader* rd, scree_vtp_piece* pc)
{
    if (pc->polys > 0 || pc->announced == 0 || pc->count > 0)
        return;
    pc->polys = pc->announced;
    rd->content.polys += pc->polys;
}

// What the tag inside `where` leads to; OUTSIDE: it is skipped.
static scree_status enter(reader* rd, place where, const char* tag, const char** attributes, place* next)
{
    bool wanted = false;
    scree_status status = SCREE_OK;
    *next = OUTSIDE;
    switch (where) {
    case OUTSIDE:
        *next = IN_FILE;
        return start_file(rd, tag, attributes);
    case IN_FILE:
        if (strcmp(tag, "AppendedData") == 0)
            return start_appended(rd, attributes);
        *next = strcmp(tag, "PolyData") == 0 ? IN_DATA : strcmp(tag, "FieldData") == 0 ? IN_FIELDS : OUTSIDE;
        return SCREE_OK;
    case IN_DATA:
        if (strcmp(tag, "Piece") == 0) {
            *next = IN_PIECE;
            return start_piece(rd, attributes);
        }
        *next = strcmp(tag, "FieldData") == 0 ? IN_FIELDS : OUTSIDE;
        return SCREE_OK;
    case IN_PIECE:
        if (strcmp(tag, "CellData") == 0)
            take_bodies(rd, &rd->content.pieces[rd->content.piece_count - 1]);
        if (rd->content.pieces[rd->content.piece_count - 1].polys > 0)
            *next = strcmp(tag, "CellData") == 0 ? IN_CELL_DATA : strcmp(tag, "Polys") == 0 ? IN_POLYS : OUTSIDE;
        else
            *next = strcmp(tag, "PointData") == 0 ? IN_POINT_DATA : OUTSIDE;
        if (strcmp(tag, "Points") == 0)
            *next = IN_POINTS;
        return SCREE_OK;
    case IN_FIELDS:
    case IN_POINT_DATA:
    case IN_CELL_DATA:
    case IN_POINTS:
    case IN_POLYS:
        if (strcmp(tag, "DataArray") == 0 || strcmp(tag, "Array") == 0)
            status = start_array(rd, where, attributes, &wanted);
        *next = wanted ? IN_ARRAY : OUTSIDE;
        return status;
    case IN_ARRAY:
        break;  // InformationKey and the like
    }
    return SCREE_OK;
}

// ---- Values inside a tag -----------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static scree_status end_word(reader* rd)
{
    int64_t length = rd->word_length;
    rd->word_length = 0;
    return length == 0 ? SCREE_OK : scree_vtp_array_word(rd->input, rd->array, rd->word, length, line_of(rd));
}

static scree_status take_words(reader* rd, const char* text, int64_t length)
{
    scree_status status = SCREE_OK;
    for (int64_t at = 0; at < length && status == SCREE_OK;) {
        if (is_blank(text[at])) {
            status = end_word(rd);
            ++at;
            continue;
        }
        int64_t from = at;
        while (at < length && !is_blank(text[at]))
            ++at;
        if (rd->word_length == 0 && at < length && at - from <= WORD_MAX) {  // all of it is here
            status = scree_vtp_array_word(rd->input, rd->array, text + from, at - from, line_of(rd));
            continue;
        }
        // What is too long for a number is not kept whole, but stays too long.
        int64_t room = (int64_t)sizeof rd->word - rd->word_length, count = at - from < room ? at - from : room;
        memcpy(rd->word + rd->word_length, text + from, (size_t)count);
        rd->word_length += count;
        if (rd->word_length > WORD_MAX)
            return end_word(rd);
    }
    return status;
}

static scree_status take_base64(reader* rd, const char* text, int64_t length)
{
    int64_t used = 0;
    scree_status status = SCREE_OK;
    if (!rd->decoder.done)
        status = scree_vtp_decoder_feed(&rd->decoder, (const unsigned char*)text, length, &used);
    for (; status == SCREE_OK && used < length; ++used)
        if (!is_blank(text[used])) {
            char shown[SCREE_SHOWN];
            return scree_vtp_array_fail(rd->input, rd->array, "'%s' follows the end of its data; expected </DataArray>",
                                        scree_csv_shown(shown, text + used, 1));
        }
    return status;
}

static scree_status end_array(reader* rd)
{
    scree_vtp_array* array = rd->array;
    rd->array = NULL;
    if (rd->form == FORM_APPENDED)
        return SCREE_OK;
    if (rd->form == FORM_BINARY && !rd->decoder.done && (rd->begun || scree_vtp_array_total(array) > 0)) {
        rd->decoder.arrays = &array;
        return scree_vtp_decoder_short(&rd->decoder);
    }
    return scree_vtp_array_end(rd->input, array);
}

// ---- Calls from expat --------------------------------------------------------------------------------------------

static void finish_call(reader* rd, scree_status status)
{
    rd->status = status;
    if (status != SCREE_OK)
        XML_StopParser(rd->parser, XML_FALSE);
}

static void XMLCALL on_start(void* context, const char* tag, const char** attributes)
{
    reader* rd = context;
    place next, where = rd->depth == 0 ? OUTSIDE : rd->path[rd->depth - 1];
    scree_status status = SCREE_OK;
    if (rd->status != SCREE_OK || rd->appended)
        return;
    if (rd->ignored > 0) {
        ++rd->ignored;
        return;
    }
    if (where == IN_ARRAY && rd->form == FORM_ASCII)  // a tag ends a word
        status = end_word(rd);
    if (status == SCREE_OK)
        status = enter(rd, where, tag, attributes, &next);
    if (status == SCREE_OK && next != OUTSIDE) {
        assert(rd->depth < (int)(sizeof rd->path / sizeof *rd->path));
        rd->path[rd->depth++] = next;
    } else if (status == SCREE_OK) {
        rd->ignored = 1;
    }
    finish_call(rd, status);
}

static void XMLCALL on_end(void* context, const char* tag)
{
    (void)tag;
    reader* rd = context;
    scree_status status = SCREE_OK;
    if (rd->status != SCREE_OK || rd->appended)
        return;
    if (rd->ignored > 0) {
        --rd->ignored;
        return;
    }
    if (rd->path[--rd->depth] == IN_ARRAY) {
        if (rd->form == FORM_ASCII)
            status = end_word(rd);
        if (status == SCREE_OK)
            status = end_array(rd);
    }
    finish_call(rd, status);
}

static void XMLCALL on_text(void* context, const char* text, int length)
{
    reader* rd = context;
    if (rd->status != SCREE_OK || rd->ignored > 0 || rd->array == NULL || rd->form == FORM_APPENDED)
        return;
    for (int k = 0; k < length && !rd->begun; ++k)
        rd->begun = !is_blank(text[k]);
    finish_call(rd, rd->form == FORM_ASCII ? take_words(rd, text, length) : take_base64(rd, text, length));
}

static void XMLCALL on_doctype(void* context, const char* name, const char* system, const char* public, int inner)
{
    (void)name, (void)system, (void)public, (void)inner;
    reader* rd = context;
    if (rd->status == SCREE_OK)
        finish_call(rd,
                    scree_input_fail(rd->input, line_of(rd), "a document type (<!DOCTYPE ...>); expected none in a VTK file"));
}

// ---- XML ---------------------------------------------------------------------------------------------------------

static void* expat_malloc(size_t size)
{
    return scree_malloc(size, 1);
}

static void* expat_realloc(void* block, size_t size)
{
    return scree_realloc(block, size, 1);
}

static scree_status xml_failure(const reader* rd, bool legacy, int64_t bytes, bool ended)
{
    enum XML_Error error = XML_GetErrorCode(rd->parser);
    if (rd->status != SCREE_OK)
        return rd->status;
    if (error == XML_ERROR_NO_MEMORY)
        return scree_fail(SCREE_ERR_MEMORY, "%s: out of memory for its XML", rd->input->name);
    if (legacy)
        return scree_input_fail(rd->input, 1,
                                "a VTK file of the old kind (# vtk DataFile); expected VTK XML (.vtp)");
    if (bytes == 0)
        return scree_input_fail(rd->input, 1, "the file is empty; expected <VTKFile type=\"PolyData\" ...>");
    if (ended)
        return scree_input_fail(rd->input, line_of(rd), "the file was cut short (%s); expected </VTKFile> at its end",
                                XML_ErrorString(error));
    return scree_input_fail(rd->input, line_of(rd), "%s; expected XML", XML_ErrorString(error));
}

// Newer versions of expat put off a tag that did not come in one piece, and hand it over together with what follows: then
// appended bytes would go to the parser. This call, which older versions lack, has it done at once. Weak, because the
// version that is loaded decides, not the one that was compiled with.
extern XML_Bool XML_SetReparseDeferralEnabled(XML_Parser parser, XML_Bool enabled) __attribute__((weak));

// Reads up to the end of the file, or up to the appended data: then *bytes are what has been fetched behind its tag.
static scree_status read_xml(reader* rd, const unsigned char** bytes, int64_t* left)
{
    static const XML_Memory_Handling_Suite memory = {expat_malloc, expat_realloc, scree_free};
    rd->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (rd->parser == NULL)
        return scree_fail(SCREE_ERR_MEMORY, "%s: out of memory for its XML", rd->input->name);
    if (XML_SetReparseDeferralEnabled != NULL)
        XML_SetReparseDeferralEnabled(rd->parser, XML_FALSE);
    XML_SetUserData(rd->parser, rd);
    XML_SetElementHandler(rd->parser, on_start, on_end);
    XML_SetCharacterDataHandler(rd->parser, on_text);
    XML_SetStartDoctypeDeclHandler(rd->parser, on_doctype);
    static const char old[] = "# vtk DataFile";
    bool legacy = false;
    for (int64_t before = 0;;) {
        char* block;
        int64_t got;
        int64_t wanted = before == 0 ? (int64_t)sizeof old - 1 : rd->input->block;
        scree_status status = scree_input_bytes(rd->input, wanted, &block, &got);
        if (status != SCREE_OK)
            return status;
        if (before == 0)
            legacy = got == wanted && memcmp(block, old, (size_t)got) == 0;
        enum XML_Status answer = XML_Parse(rd->parser, block, (int)got, got == 0);
        if (rd->status == SCREE_OK && rd->appended) {
            int64_t used = rd->xml_bytes - before;
            *bytes = (const unsigned char*)block + used;
            *left = got - used;
            return SCREE_OK;
        }
        if (answer != XML_STATUS_OK)
            return xml_failure(rd, legacy, before + got, got == 0);
        before += got;
        if (got == 0)
            return SCREE_OK;
        if (before - (int64_t)XML_GetCurrentByteIndex(rd->parser) > SCREE_TAG_MOST)
            return scree_input_fail(rd->input, line_of(rd), "a tag or comment longer than %" PRId64 " bytes; expected at most that many", SCREE_TAG_MOST);
    }
}

// ---- Appended data -----------------------------------------------------------------------------------------------

typedef struct stream {
    scree_input* input;
    const unsigned char* bytes;  // fetched and not taken yet
    int64_t left;
    int64_t at;  // of the first of them, counted from behind the '_'
} stream;

// At least one byte, unless the file has ended (left = 0).
static scree_status fetch(stream* in)
{
    if (in->left > 0)
        return SCREE_OK;
    char* block;
    scree_status status = scree_input_bytes(in->input, in->input->block, &block, &in->left);
    in->bytes = (const unsigned char*)block;
    return status;
}

static void take(stream* in, int64_t count)
{
    in->bytes += count;
    in->left -= count;
    in->at += count;
}

// An array, and where it stands among all.
typedef struct wanted {
    scree_vtp_array* array;
    int64_t number;
} wanted;

static int by_offset(const void* a, const void* b)
{
    const wanted *one = a, *two = b;
    if (one->array->offset != two->array->offset)
        return one->array->offset < two->array->offset ? -1 : 1;
    return one->number < two->number ? -1 : one->number > two->number;
}

static scree_status want(wanted** list, int64_t* count, int64_t* capacity, scree_vtp_array* array)
{
    if (array->name == NULL || array->offset < 0 || scree_vtp_array_total(array) == 0)
        return SCREE_OK;
    scree_status status = SCREE_RESERVE(*list, *capacity, *count + 1);
    if (status == SCREE_OK) {
        (*list)[*count] = (wanted){array, *count};
        ++*count;
    }
    return status;
}

static scree_status all_wanted(reader* rd, wanted** list, int64_t* count)
{
    int64_t capacity = 0;
    scree_status status = want(list, count, &capacity, &rd->content.dim);
    if (status == SCREE_OK)
        status = want(list, count, &capacity, &rd->content.box);
    if (status == SCREE_OK)
        status = want(list, count, &capacity, &rd->content.container);
    for (int64_t p = 0; p < rd->content.piece_count && status == SCREE_OK; ++p) {
        scree_vtp_piece* pc = &rd->content.pieces[p];
        status = want(list, count, &capacity, &pc->centres);
        if (status == SCREE_OK)
            status = want(list, count, &capacity, &pc->connectivity);
        if (status == SCREE_OK)
            status = want(list, count, &capacity, &pc->offsets);
        for (int64_t a = 0; a < pc->count && status == SCREE_OK; ++a)
            status = want(list, count, &capacity, &pc->arrays[a]);
    }
    if (status == SCREE_OK && *count > 0)
        qsort(*list, (size_t)*count, sizeof **list, by_offset);
    return status;
}

// The data of some arrays with one offset.
static scree_status read_shared(reader* rd, stream* in, scree_vtp_array** arrays, int64_t count)
{
    int64_t offset = arrays[0]->offset;
    if (offset < in->at)
        return scree_vtp_array_fail(
            rd->input, arrays[0],
            "its offset %" PRId64 " lies inside the data of another array; expected %" PRId64 " or more", offset, in->at);
    while (in->at < offset) {
        scree_status status = fetch(in);
        if (status == SCREE_OK && in->left == 0)
            status = scree_vtp_array_fail(rd->input, arrays[0],
                                          "its data begins at offset %" PRId64 " of the appended data; expected less than %" PRId64 ", where the file ends",
                                          offset, in->at);
        if (status != SCREE_OK)
            return status;
        take(in, in->left < offset - in->at ? in->left : offset - in->at);
    }
    scree_vtp_decoder_begin(&rd->decoder, arrays, count, rd->base64);
    while (!rd->decoder.done) {
        int64_t used = 0;
        scree_status status = fetch(in);
        if (status == SCREE_OK)
            status = in->left == 0 ? scree_vtp_decoder_short(&rd->decoder)
                                   : scree_vtp_decoder_feed(&rd->decoder, in->bytes, in->left, &used);
        if (status != SCREE_OK)
            return status;
        take(in, used);
    }
    for (int64_t a = 0; a < count; ++a) {
        scree_status status = scree_vtp_array_end(rd->input, arrays[a]);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// Cuts `word` and the blanks behind it off the end of a text.
static bool cut_end(const char* text, int64_t* length, const char* word)
{
    int64_t size = (int64_t)strlen(word);
    while (*length > 0 && is_blank(text[*length - 1]))
        --*length;
    if (*length < size || memcmp(text + *length - size, word, (size_t)size) != 0)
        return false;
    *length -= size;
    return true;
}

// Nothing of what is left is wanted; but a file that does not end as it should has lost something.
static scree_status check_end(reader* rd, stream* in)
{
    char end[1024];
    int64_t length = 0, kept = (int64_t)sizeof end;
    for (;;) {
        scree_status status = fetch(in);
        if (status != SCREE_OK)
            return status;
        if (in->left == 0)
            break;
        int64_t fresh = in->left < kept ? in->left : kept, old = length < kept - fresh ? length : kept - fresh;
        memmove(end, end + length - old, (size_t)old);
        memcpy(end + old, in->bytes + in->left - fresh, (size_t)fresh);
        length = old + fresh;
        take(in, in->left);
    }
    if (cut_end(end, &length, "</VTKFile>") && cut_end(end, &length, "</AppendedData>"))
        return SCREE_OK;
    return scree_input_fail(rd->input, rd->appended_line,
                            "the appended data, %" PRId64 " bytes, was cut short; expected </AppendedData></VTKFile> at its end",
                            in->at);
}

static scree_status read_appended(reader* rd, const unsigned char* bytes, int64_t left)
{
    stream in = {.input = rd->input, .bytes = bytes, .left = left};
    scree_status status;
    for (;;) {  // blanks, then '_'
        status = fetch(&in);
        if (status != SCREE_OK)
            return status;
        if (in.left == 0 || !is_blank((char)in.bytes[0]))
            break;
        take(&in, 1);
    }
    if (in.left == 0 || in.bytes[0] != '_')
        return scree_input_fail(rd->input, rd->appended_line, "%s; expected '_' at the beginning",
                                in.left == 0 ? "the file ends in <AppendedData>" : "<AppendedData> begins with another byte");
    take(&in, 1);
    in.at = 0;
    wanted* list = NULL;
    int64_t count = 0;
    status = all_wanted(rd, &list, &count);
    scree_vtp_array** arrays = status == SCREE_OK ? scree_malloc((size_t)count, sizeof *arrays) : NULL;
    if (status == SCREE_OK && arrays == NULL)
        status = SCREE_ERR_MEMORY;
    for (int64_t a = 0; a < count && status == SCREE_OK; ++a)
        arrays[a] = list[a].array;
    for (int64_t a = 0, b; a < count && status == SCREE_OK; a = b) {
        for (b = a + 1; b < count && arrays[b]->offset == arrays[a]->offset;)
            ++b;
        status = read_shared(rd, &in, arrays + a, b - a);
    }
    scree_free(arrays);
    scree_free(list);
    return status == SCREE_OK ? check_end(rd, &in) : status;
}

// Without appended data nothing may refer to it.
static scree_status check_inline(reader* rd)
{
    wanted* list = NULL;
    int64_t count = 0;
    scree_status status = all_wanted(rd, &list, &count);
    if (status == SCREE_OK && count > 0)
        status =
            scree_vtp_array_fail(rd->input, list[0].array, "format=\"appended\" in a file without appended data; expected <AppendedData>");
    scree_free(list);
    return status;
}

// ---- Public calls------------------------------------------------------------------------------------------------

static scree_status read_content(reader* rd)
{
    const unsigned char* bytes = NULL;
    int64_t left = 0;
    scree_status status = read_xml(rd, &bytes, &left);
    if (status == SCREE_OK)
        status = rd->appended ? read_appended(rd, bytes, left) : check_inline(rd);
    if (status == SCREE_OK && rd->content.piece_count == 0)
        status = scree_input_fail(rd->input, rd->appended ? rd->appended_line : line_of(rd), "the file has no <Piece>; expected one");
    return status;
}

static void free_reader(reader* rd)
{
    scree_vtp_content_free(&rd->content);
    scree_vtp_decoder_free(&rd->decoder);
    if (rd->parser != NULL)
        XML_ParserFree(rd->parser);
}

// The discs of a file of bodies. Polygons beside them are counted, or rejected if the caller does not count them.
static scree_status read_discs(const scree_input* input, scree_vtp_content* content, scree_sphere_set* set)
{
    scree_outline_set all = {0};
    int64_t line = content->pieces[0].line;
    scree_status status = scree_vtp_content_to_outlines(input, content, &all);
    if (status != SCREE_OK) {
        scree_outline_set_free(&all);
        return status;
    }
    int64_t bodies = all.bodies.count;
    *set = scree_outline_set_discs(&all);
    int64_t polygons = bodies - set->count;
    if (polygons > 0 && set->count > 0 && input->left_out != NULL)
        *input->left_out = polygons;
    else if (polygons > 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED,
                          "%s:%" PRId64 ": %" PRId64 " of its %" PRId64 " bodies are polygons, not spheres%s; expected spheres only (scree_read_outlines reads polygons)",
                          input->name, line, polygons, bodies, set->count == 0 ? ", and there are no discs" : "");
    return SCREE_OK;
}

scree_status scree_vtp_read(scree_input* input, scree_sphere_set* out)
{
    reader rd = {.input = input};
    scree_sphere_set set = {0};
    scree_status status = read_content(&rd);
    if (status == SCREE_OK)
        status = rd.content.polys > 0 ? read_discs(input, &rd.content, &set) : scree_vtp_content_to_set(input, &rd.content, &set);
    free_reader(&rd);
    if (status == SCREE_OK)
        *out = set;
    else
        scree_sphere_set_free(&set);
    return status;
}

scree_status scree_vtp_read_outlines(scree_input* input, scree_outline_set* out)
{
    reader rd = {.input = input, .outlines = true};
    scree_outline_set set = {0};
    scree_status status = read_content(&rd);
    if (status == SCREE_OK)
        status = rd.content.polys > 0 ? scree_vtp_content_to_outlines(input, &rd.content, &set)
                                      : scree_vtp_content_to_set(input, &rd.content, &set.bodies);
    free_reader(&rd);
    if (status == SCREE_OK)
        *out = set;
    else
        scree_outline_set_free(&set);
    return status;
}

scree_status scree_vtp_read_triangles(scree_input* input, scree_triangles* out)
{
    reader rd = {.input = input, .outlines = true};
    scree_triangles triangles = {0};
    scree_status status = read_content(&rd);
    if (status == SCREE_OK)
        status = scree_vtp_content_to_triangles(input, &rd.content, &triangles);
    free_reader(&rd);
    if (status == SCREE_OK)
        *out = triangles;
    else
        scree_triangles_free(&triangles);
    return status;
}
