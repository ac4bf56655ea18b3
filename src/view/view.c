// A page with spheres, or with polygons and discs: the text of viewer/ with data put into it.
//
//     head of the page
//     <script type="text/plain" id="b0"> base64 of deflated bytes </script>      block 0, 1, ...: an array of one frame
//     <script type="application/json" id="scree-meta"> {...} </script>           what the blocks are: frames, arrays, ranges
//     rest of the page: the program that reads them
//
// An array of numbers of w bytes is written by planes: the lowest bytes of all, then the next ones, ... The upper bytes of neighbours are
// often alike, and deflate finds that only when they stand side by side. Kinds of arrays:
//     q24   a coordinate: low + (high - low) q / (2^24 - 1), q in 3 bytes
//     f32   a number, times 2^-exponent, so that everything a double can hold keeps 24 bits
//     i32   whole numbers that fit; f64: those that do not (exact up to 2^53)
//     text  words, closed by '\0' except for the last
// An array that has not changed since the frame before (radii, ids) is not written again. The metadata comes last, so that frames can be added
// one by one; one frame is in memory at a time, and the arrays of the one before.
//
// Polygons: a frame has `shapes` beside its arrays: how each body is turned (q24, -pi .. pi) and the corners of all, about their bodies' centres and not
// turned, which do not change from frame to frame (poses.c). And `pairs`: who touches whom (touching.c). Fixed bodies are left out of ranges.
// Surfaces: a frame has `triangles`: x, y and z (q24) of three corners each.
// Force chains: a frame has `rods`: their two ends (q24) and values (f32), cut at periodic faces (rods.c); `rod_width` is the diameter of the one with the largest value.
//
// Cost: about 4 bytes of text for each 3 of data; coordinates do not compress much: some 15 to 20 bytes a sphere and frame. A browser
// holds some hundred MB of that; longer runs should be thinned out, or go to ParaView.
#include "scree/view.h"

#include "scree/index.h"
#include "scree/picture.h"

#include "base/argument.h"
#include "base/number.h"
#include "base/text.h"
#include "files/output.h"
#include "files/zlib_memory.h"
#include "view/bodies.h"
#include "view/page.h"
#include "view/rods.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum kind { Q24, F32, I32, F64, TEXT } kind;
static const char* const kind_names[] = {"q24", "f32", "i32", "f64", "text"};
static const int kind_width[] = {3, 4, 4, 8, 1};

// One array of a frame, before it is written.
typedef struct array {
    const char* name;
    kind kind;
    int32_t component, of;
    double low, high;       // of the finite values; low > high: there are none
    double length[2];       // the same of the vector's length
    int exponent;           // F32
    unsigned char* bytes;   // by planes
    size_t size;
} array;

// What the frame before had at the same place.
typedef struct kept {
    kind kind;
    unsigned char* bytes;
    size_t size;
    int64_t block;
} kept;

// What values belong to.
typedef struct crowd {
    int32_t count;
    const uint8_t* fixed;   // those that are left out of ranges: not 0. NULL: none
} crowd;

struct scree_view {
    scree_view_def def;
    scree_output output;
    scree_status status;
    int32_t dim;            // 0: no frame yet
    int64_t frames, blocks;
    bool colour_found;
    const char* speed_of;        // the velocity, where the speed is asked for; NULL: none was found
    int32_t kept_count;
    kept* kept;
    body_poses poses;       // of the frame before
    const scree_rods* rods; // of the next frame; NULL: none
    const scree_triangles* triangles;  // the same
    bool listed;            // the list that is written in the metadata has an entry already
    char* meta;             // the JSON of the frames so far
    size_t meta_used, meta_room;
};

SCREE_DEFAULTS_OF(scree_view_def, scree_default_view_def)
{
    return (scree_view_def){.struct_size = sizeof(scree_view_def), .gap = NAN};
}

// ---- JSON ----------------------------------------------------------------------------------------------------------------

static void meta_bytes(scree_view* view, const char* bytes, size_t count)
{
    if (view->status != SCREE_OK)
        return;
    if (view->meta_room - view->meta_used < count) {
        size_t room = 2 * view->meta_room + count + 4096;
        char* grown = scree_realloc(view->meta, room, 1);
        if (grown == NULL) {
            view->status = SCREE_ERR_MEMORY;
            return;
        }
        view->meta = grown;
        view->meta_room = room;
    }
    memcpy(view->meta + view->meta_used, bytes, count);
    view->meta_used += count;
}

static void meta_raw(scree_view* view, const char* text)
{
    meta_bytes(view, text, strlen(text));
}

// In quotes. '<' is written as a number: nothing in a name can end the script element that this stands in. What may not be shown becomes
// U+FFFD.
static void meta_text(scree_view* view, const char* text)
{
    meta_raw(view, "\"");
    for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
        bool plain;
        char code[8];
        length = scree_text_next(text, left, &plain);
        if (!plain) {
            meta_raw(view, "\xef\xbf\xbd");
        } else if (strchr("\"\\<>&", *text) != NULL) {
            snprintf(code, sizeof code, "\\u%04x", (unsigned)(unsigned char)*text);
            meta_raw(view, code);
        } else {
            meta_bytes(view, text, length);
        }
    }
    meta_raw(view, "\"");
}

static void meta_number(scree_view* view, double value)
{
    char text[32] = "null";
    if (isfinite(value))
        scree_number_format(text, value);
    meta_raw(view, text);
}

static void meta_integer(scree_view* view, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    meta_raw(view, text);
}

static void meta_numbers(scree_view* view, int32_t count, const double* values)
{
    for (int32_t k = 0; k < count; ++k) {
        meta_raw(view, k == 0 ? "[" : ",");
        meta_number(view, values[k]);
    }
    meta_raw(view, "]");
}

// ---- Blocks --------------------------------------------------------------------------------------------------------------

static void put(scree_output* output, const char* text)
{
    scree_output_bytes(output, text, strlen(text));
}

// Bytes as base64; those that do not fill a group of three wait in `rest` for the next, or for the end.
static void put_base64(scree_output* output, const unsigned char* bytes, size_t count, unsigned char rest[3], int* waiting, bool last)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t n = 0; n < count;) {
        char* to = scree_output_room(output, 4096);
        for (int groups = 0; groups < 1024 && n < count;) {
            rest[(*waiting)++] = bytes[n++];
            if (*waiting < 3)
                continue;
            unsigned word = (unsigned)rest[0] << 16 | (unsigned)rest[1] << 8 | rest[2];
            for (int k = 0; k < 4; ++k)
                *to++ = letters[word >> (18 - 6 * k) & 63];
            *waiting = 0;
            ++groups;
        }
        scree_output_wrote(output, to);
    }
    if (last && *waiting > 0) {
        unsigned word = (unsigned)rest[0] << 16 | (*waiting > 1 ? (unsigned)rest[1] << 8 : 0u);
        char group[5] = {letters[word >> 18], letters[word >> 12 & 63], *waiting > 1 ? letters[word >> 6 & 63] : '=', '=', '\0'};
        put(output, group);
    }
}

static scree_status put_block(scree_view* view, const unsigned char* bytes, size_t size, double done)
{
    enum { piece = 1 << 20, room = 1 << 16 };
    scree_output* output = &view->output;
    char tag[64];
    snprintf(tag, sizeof tag, "<script type=\"text/plain\" id=\"b%" PRId64 "\">", view->blocks);
    unsigned char* packed = scree_malloc(room, 1);
    if (packed == NULL)
        return SCREE_ERR_MEMORY;
    z_stream zlib = zlib_stream();
    if (deflateInit(&zlib, Z_DEFAULT_COMPRESSION) != Z_OK) {
        scree_free(packed);
        return scree_fail(SCREE_ERR_MEMORY, "out of memory: cannot start zlib");
    }
    put(output, tag);
    unsigned char rest[3];
    int waiting = 0, answer = Z_OK;
    scree_status status = SCREE_OK;
    for (size_t from = 0; answer == Z_OK && status == SCREE_OK;) {
        size_t count = size - from < piece ? size - from : piece;
        bool last = from + count == size;
        zlib.next_in = (unsigned char*)(uintptr_t)(bytes + from);  // zlib only reads there
        zlib.avail_in = (unsigned)count;
        do {
            zlib.next_out = packed;
            zlib.avail_out = room;
            answer = deflate(&zlib, last ? Z_FINISH : Z_NO_FLUSH);
            put_base64(output, packed, room - zlib.avail_out, rest, &waiting, answer == Z_STREAM_END);
        } while (zlib.avail_out == 0 && answer == Z_OK);
        if (answer == Z_BUF_ERROR && !last)
            answer = Z_OK;  // nothing left to do with this piece
        from += count;
        status = scree_output_tick(output, done);
    }
    if (status == SCREE_OK && answer != Z_STREAM_END)
        status = scree_fail(SCREE_ERR_MEMORY, "zlib could not compress a block");
    deflateEnd(&zlib);
    scree_free(packed);
    put(output, "</script>\n");
    ++view->blocks;
    return status == SCREE_OK ? output->status : status;
}

// ---- Arrays --------------------------------------------------------------------------------------------------------------

static scree_status make_room(array* a, int32_t count)
{
    a->size = (size_t)count * (size_t)kind_width[a->kind];
    a->bytes = scree_malloc((size_t)count, (size_t)kind_width[a->kind]);
    return a->bytes == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
}

static void set_planes(array* a, int64_t count, int64_t i, uint64_t word)
{
    for (int plane = 0; plane < kind_width[a->kind]; ++plane)
        a->bytes[plane * count + i] = (unsigned char)(word >> (8 * plane));
}

static void widen(double range[2], double value)
{
    if (!isfinite(value))
        return;
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

static bool is_in_range(crowd all, int64_t i)
{
    return all.fixed == NULL || all.fixed[i] == 0;
}

// Steps between low and high, `of` numbers to a body, of which this is number `component`.
static scree_status make_steps(const char* name, const double* values, int32_t count, int32_t component, int32_t of, const double range[2], array* out)
{
    *out = (array){.name = name, .kind = Q24, .of = 1, .low = range[0], .high = range[1]};
    scree_status status = make_room(out, count);
    double width = range[1] - range[0];
    for (int64_t i = 0; i < count && status == SCREE_OK; ++i) {
        double share = width > 0.0 ? (values[i * of + component] - range[0]) / width : 0.0;
        set_planes(out, count, i, (uint64_t)(share * 16777215.0 + 0.5));
    }
    return status;
}

static scree_status make_coordinate(const double* x, int32_t count, int32_t k, int32_t dim, array* out)
{
    static const char* const names[] = {"x", "y", "z"};
    double range[2] = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < count; ++i)
        widen(range, x[i * dim + k]);
    if (count == 0)
        range[0] = range[1] = 0.0;
    return make_steps(names[k], x, count, k, dim, range, out);
}

// Doubles, `of` to a body, of which this is number `component`.
static scree_status make_numbers(const char* name, const double* values, crowd all, int32_t component, int32_t of, array* out)
{
    double range[2] = {INFINITY, -INFINITY}, most = 0.0;
    for (int64_t i = 0; i < all.count; ++i) {
        double value = values[i * of + component];
        most = isfinite(value) ? fmax(most, fabs(value)) : most;
        if (is_in_range(all, i))
            widen(range, value);
    }
    *out = (array){.name = name, .kind = F32, .component = component, .of = of, .low = range[0], .high = range[1]};
    (void)frexp(most, &out->exponent);
    if (out->exponent > 1023)
        out->exponent = 1023;  // 2^1024 is no number in the browser
    scree_status status = make_room(out, all.count);
    for (int64_t i = 0; i < all.count && status == SCREE_OK; ++i) {
        float small = (float)ldexp(values[i * of + component], -out->exponent);
        uint32_t word;
        memcpy(&word, &small, sizeof word);
        set_planes(out, all.count, i, word);
    }
    return status;
}

static scree_status make_integers(const char* name, const int64_t* values, crowd all, int32_t component, int32_t of, array* out)
{
    double range[2] = {INFINITY, -INFINITY};
    bool fits = true;
    for (int64_t i = 0; i < all.count; ++i) {
        int64_t value = values[i * of + component];
        if (is_in_range(all, i))
            widen(range, (double)value);
        fits = fits && value >= INT32_MIN && value <= INT32_MAX;
    }
    *out = (array){.name = name, .kind = fits ? I32 : F64, .component = component, .of = of, .low = range[0], .high = range[1]};
    scree_status status = make_room(out, all.count);
    for (int64_t i = 0; i < all.count && status == SCREE_OK; ++i) {
        int64_t value = values[i * of + component];
        uint64_t word = (uint64_t)value;
        double number = (double)value;
        if (!fits)
            memcpy(&word, &number, sizeof word);
        set_planes(out, all.count, i, word);
    }
    return status;
}

static scree_status make_words(const scree_column* column, int32_t count, array* out)
{
    *out = (array){.name = column->name, .kind = TEXT, .of = 1, .low = INFINITY, .high = -INFINITY};
    if (count > 0)
        out->size = (size_t)column->offset[count - 1] + strlen(column->text + column->offset[count - 1]);
    out->bytes = scree_malloc(out->size, 1);
    if (out->bytes == NULL)
        return SCREE_ERR_MEMORY;
    if (out->size > 0)
        memcpy(out->bytes, column->text, out->size);
    return SCREE_OK;
}

static void find_lengths(const scree_column* column, crowd all, double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int64_t i = 0; i < all.count; ++i) {
        double sum = 0.0;
        for (int32_t k = 0; k < column->components; ++k) {
            int64_t at = i * column->components + k;
            sum = hypot(sum, column->kind == SCREE_COLUMN_INT64 ? (double)column->integers[at] : column->values[at]);
        }
        if (is_in_range(all, i))
            widen(range, sum);
    }
}

// Writes an array (or finds that the frame before had the same) and its entry in the metadata; frees its bytes.
static scree_status finish_array(scree_view* view, array* a, int32_t place, double done)
{
    if (place >= view->kept_count) {
        kept* grown = scree_realloc(view->kept, (size_t)place + 1, sizeof *grown);
        if (grown == NULL)
            return SCREE_ERR_MEMORY;
        view->kept = grown;
        view->kept[place] = (kept){.block = -1};
        view->kept_count = place + 1;
    }
    kept* before = &view->kept[place];
    bool same = before->block >= 0 && before->kind == a->kind && before->size == a->size && memcmp(before->bytes, a->bytes, a->size) == 0;
    if (!same) {
        int64_t block = view->blocks;
        scree_status status = put_block(view, a->bytes, a->size, done);
        if (status != SCREE_OK)
            return status;
        scree_free(before->bytes);
        *before = (kept){.kind = a->kind, .bytes = a->bytes, .size = a->size, .block = block};
        a->bytes = NULL;
    }
    meta_raw(view, view->listed ? ",\n{\"name\":" : "\n{\"name\":");
    view->listed = true;
    meta_text(view, a->name);
    meta_raw(view, ",\"kind\":");
    meta_text(view, kind_names[a->kind]);
    meta_raw(view, ",\"block\":");
    meta_integer(view, before->block);
    if (a->kind == F32) {
        meta_raw(view, ",\"exponent\":");
        meta_integer(view, a->exponent);
    }
    meta_raw(view, ",\"component\":");
    meta_integer(view, a->component);
    meta_raw(view, ",\"of\":");
    meta_integer(view, a->of);
    meta_raw(view, ",\"low\":");
    meta_number(view, a->low);
    meta_raw(view, ",\"high\":");
    meta_number(view, a->high);
    if (a->of > 1) {
        meta_raw(view, ",\"length_low\":");
        meta_number(view, a->length[0]);
        meta_raw(view, ",\"length_high\":");
        meta_number(view, a->length[1]);
    }
    meta_raw(view, "}");
    return view->status;
}

// ---- Frames --------------------------------------------------------------------------------------------------------------

static double mean_diameter(const scree_sphere_set* set, crowd all)
{
    double sum = 0.0;
    int64_t count = 0;
    for (int64_t i = 0; i < set->count; ++i)
        if (is_in_range(all, i)) {
            sum += 2.0 * set->r[i];
            ++count;
        }
    return count > 0 ? sum / (double)count : 0.0;
}

static scree_status count_partners(const scree_view* view, const scree_sphere_set* set, double gap, int64_t* partners)
{
    scree_index_def def = scree_default_index_def();
    def.box = set->has_box ? set->box : scree_box_open(set->dim);
    def.gap = gap;
    def.threads = view->def.threads;
    def.skin = -1.0;  // used once
    def.watch = view->def.watch;
    scree_index* index;
    scree_status status = scree_index_create(&def, &index);
    if (status != SCREE_OK)
        return status;
    scree_pairs pairs = {0};
    status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status == SCREE_OK)
        memset(partners, 0, (size_t)set->count * sizeof *partners);
    for (int64_t p = 0; p < pairs.count && status == SCREE_OK; ++p) {
        ++partners[pairs.ij[p][0]];
        ++partners[pairs.ij[p][1]];
    }
    scree_index_destroy(index);
    return status;
}

// From where to where a body is drawn along axis k; if that is periodic, with its images that reach into the box.
static void widen_by_images(double range[2], const scree_sphere_set* set, int k, double low, double high)
{
    bool periodic = set->has_box && set->box.periodic[k];
    double length = periodic ? set->box.upper[k] - set->box.lower[k] : 0.0;
    widen(range, low + (periodic ? ceil((set->box.lower[k] - high) / length) * length : 0.0));
    widen(range, high + (periodic ? floor((set->box.upper[k] - low) / length) * length : 0.0));
}

// Of discs images are drawn, of spheres not.
static scree_box sphere_bounds(const scree_sphere_set* set)
{
    scree_box out = scree_spheres_bounds(scree_sphere_set_view(set));
    for (int k = 0; k < 2 && set->dim == 2 && set->count > 0; ++k) {
        double range[2] = {INFINITY, -INFINITY};
        for (int64_t i = 0; i < set->count; ++i)
            widen_by_images(range, set, k, set->x[2 * i + k] - set->r[i], set->x[2 * i + k] + set->r[i]);
        out.lower[k] = range[0];
        out.upper[k] = range[1];
    }
    return out;
}

// The box as far as there is one, bounds where it is open; and what holds both, for the scene to fit.
static void write_frame_head(scree_view* view, double time, const scree_sphere_set* set, scree_box bounds, double gap)
{
    double lower[3], upper[3], box_lower[3], box_upper[3];
    for (int k = 0; k < set->dim; ++k) {
        box_lower[k] = set->has_box && isfinite(set->box.lower[k]) ? set->box.lower[k] : bounds.lower[k];
        box_upper[k] = set->has_box && isfinite(set->box.upper[k]) ? set->box.upper[k] : bounds.upper[k];
        lower[k] = set->count > 0 ? fmin(box_lower[k], bounds.lower[k]) : box_lower[k];
        upper[k] = set->count > 0 ? fmax(box_upper[k], bounds.upper[k]) : box_upper[k];
    }
    meta_raw(view, view->frames == 0 ? "\n{\"time\":" : ",\n{\"time\":");
    meta_number(view, time);
    meta_raw(view, ",\"count\":");
    meta_integer(view, set->count);
    meta_raw(view, ",\"gap\":");
    meta_number(view, gap);
    meta_raw(view, ",\"lower\":");
    meta_numbers(view, set->dim, lower);
    meta_raw(view, ",\"upper\":");
    meta_numbers(view, set->dim, upper);
    meta_raw(view, ",\"box_lower\":");
    meta_numbers(view, set->dim, box_lower);
    meta_raw(view, ",\"box_upper\":");
    meta_numbers(view, set->dim, box_upper);
    meta_raw(view, ",\"periodic\":");
    for (int k = 0; k < set->dim; ++k) {
        meta_raw(view, k == 0 ? "[" : ",");
        meta_raw(view, set->has_box && set->box.periodic[k] ? "true" : "false");
    }
    meta_raw(view, "]");
    if (set->has_box && scree_box_is_tilted(&set->box)) {
        meta_raw(view, ",\"tilt\":");
        meta_numbers(view, set->dim == 2 ? 1 : 3, set->box.tilt);
    }
    if (set->container != SCREE_CONTAINER_BOX) {
        meta_raw(view, ",\"container\":");
        meta_text(view, scree_container_name(set->container));
    }
    meta_raw(view, ",\"arrays\":[");
    view->listed = false;
}

// Whether this is what the page shall be coloured by: the name of an array, or of one component as in v_x.
static void look_for_colour(scree_view* view, const array* a)
{
    const char* wanted = view->def.colour_by != NULL ? view->def.colour_by : "radius";
    size_t stem = strlen(a->name);
    if (strcmp(wanted, "speed") == 0 && (strcmp(a->name, "velocity") == 0 || strcmp(a->name, "v") == 0))
        view->speed_of = a->name[1] == '\0' ? "v" : "velocity";
    if (a->kind == TEXT || strncmp(wanted, a->name, stem) != 0)
        return;
    char suffix[16] = "";
    if (a->of > 3)
        snprintf(suffix, sizeof suffix, "_%d", (int)a->component);
    else if (a->of > 1)
        snprintf(suffix, sizeof suffix, "_%c", "xyz"[a->component]);
    if (wanted[stem] == '\0' || strcmp(wanted + stem, suffix) == 0)
        view->colour_found = true;
}

static scree_status add_array(scree_view* view, scree_status status, array* a, int32_t* place, double done)
{
    if (status == SCREE_OK) {
        look_for_colour(view, a);
        status = finish_array(view, a, (*place)++, done);
    }
    scree_free(a->bytes);
    return status;
}

static scree_status add_column(scree_view* view, crowd all, const scree_column* column, int32_t* place, double done)
{
    array a;
    if (column->kind == SCREE_COLUMN_TEXT)
        return add_array(view, make_words(column, all.count, &a), &a, place, done);
    double length[2] = {0.0, 0.0};
    if (column->components > 1)
        find_lengths(column, all, length);
    scree_status status = SCREE_OK;
    for (int32_t k = 0; k < column->components && status == SCREE_OK; ++k) {
        status = column->kind == SCREE_COLUMN_INT64
                     ? make_integers(column->name, column->integers, all, k, column->components, &a)
                     : make_numbers(column->name, column->values, all, k, column->components, &a);
        memcpy(a.length, length, sizeof a.length);
        status = add_array(view, status, &a, place, done);
    }
    return status;
}

// A column of that name would stand for something else in the page.
static bool is_taken(const char* name)
{
    return strcmp(name, "radius") == 0 || strcmp(name, "diameter") == 0 || strcmp(name, "partners") == 0;
}

static scree_status add_columns(scree_view* view, const scree_sphere_set* set, crowd all, bool outlines, int32_t* place, double parts)
{
    scree_status status = SCREE_OK;
    for (int32_t c = 0; c < set->column_count && status == SCREE_OK; ++c) {
        const char* name = set->columns[c].name;
        if (is_taken(name) || (outlines && (strcmp(name, "area") == 0 || strcmp(name, "corners") == 0)))
            continue;
        crowd those = strcmp(name, "fixed") == 0 ? (crowd){.count = all.count} : all;
        status = add_column(view, those, &set->columns[c], place, fmin(*place / parts, 1.0));
    }
    return status;
}

static scree_status add_unshown(scree_view* view, scree_status status, array* a, int32_t* place)
{
    if (status == SCREE_OK)
        status = finish_array(view, a, (*place)++, 1.0);
    scree_free(a->bytes);
    return status;
}

static scree_status add_rods(scree_view* view, const scree_sphere_set* set, int32_t* place)
{
    static const char* const names[] = {"from_x", "from_y", "from_z", "to_x", "to_y", "to_z"};
    scree_rods cut = {0};
    array a;
    if (view->rods == NULL)
        return SCREE_OK;
    scree_status status = view_cut_rods(set, view->rods, &cut);
    if (status == SCREE_OK && cut.count > INT32_MAX)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " rods; expected fewer, as a page has a limit", cut.count);
    crowd all = {.count = (int32_t)cut.count};
    double width = 0.0, range[2] = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < set->count; ++i)
        width += set->r[i] / (double)set->count;
    for (int64_t e = 0; e < 6 * cut.count; ++e)
        widen(range, cut.ends[e / 6][e % 6 / 3][e % 3]);
    if (cut.count == 0)
        range[0] = range[1] = 0.0;
    meta_raw(view, "],\n\"rod_count\":");
    meta_integer(view, cut.count);
    meta_raw(view, ",\"rod_width\":");
    meta_number(view, width);
    meta_raw(view, ",\"rods\":[");
    view->listed = false;
    for (int32_t k = 0; k < 6 && status == SCREE_OK; ++k)
        if (k % 3 < set->dim)
            status = add_unshown(view, make_steps(names[k], cut.count > 0 ? cut.ends[0][0] : NULL, all.count, k, 6, range, &a), &a, place);
    if (status == SCREE_OK)
        status = add_unshown(view, make_numbers("value", cut.value, all, 0, 1, &a), &a, place);
    scree_rods_free(&cut);
    return status;
}

static scree_status add_triangles(scree_view* view, int32_t* place)
{
    static const char* const names[] = {"x", "y", "z"};
    const scree_triangles* t = view->triangles;
    array a;
    if (t == NULL || t->count == 0 || view->dim != 3)
        return SCREE_OK;
    double range[2] = {INFINITY, -INFINITY};
    for (int64_t e = 0; e < 9 * (int64_t)t->count; ++e)
        widen(range, t->xyz[e]);
    meta_raw(view, "],\n\"triangle_count\":");
    meta_integer(view, t->count);
    meta_raw(view, ",\"triangles\":[");
    view->listed = false;
    scree_status status = SCREE_OK;
    for (int32_t k = 0; k < 3 && status == SCREE_OK; ++k)
        status = add_unshown(view, make_steps(names[k], t->xyz, 3 * t->count, k, 3, range, &a), &a, place);
    return status;
}

static scree_status add_frame(scree_view* view, double time, const scree_sphere_set* set)
{
    crowd all = {.count = set->count};
    double gap = isnan(view->def.gap) ? 1e-3 * mean_diameter(set, all) : view->def.gap;
    int64_t* partners = scree_malloc((size_t)set->count, sizeof *partners);
    if (partners == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = count_partners(view, set, gap, partners);
    if (status == SCREE_OK)
        write_frame_head(view, time, set, sphere_bounds(set), gap);
    array a;
    int32_t place = 0;
    double parts = set->column_count * 3 + set->dim + 2;
    if (status == SCREE_OK)
        status = add_array(view, make_numbers("radius", set->r, all, 0, 1, &a), &a, &place, 1.0 / parts);
    if (status == SCREE_OK)
        status = add_array(view, make_integers("partners", partners, all, 0, 1, &a), &a, &place, 2.0 / parts);
    for (int32_t k = 0; k < set->dim && status == SCREE_OK; ++k)
        status = add_array(view, make_coordinate(set->x, set->count, k, set->dim, &a), &a, &place, (3 + k) / parts);
    if (status == SCREE_OK)
        status = add_columns(view, set, all, false, &place, parts);
    if (status == SCREE_OK)
        status = add_rods(view, set, &place);
    if (status == SCREE_OK)
        status = add_triangles(view, &place);
    scree_free(partners);
    meta_raw(view, "]}");
    return status == SCREE_OK ? view->status : status;
}

// ---- Polygons ------------------------------------------------------------------------------------------------------------

static scree_box outline_bounds(const scree_outline_set* set)
{
    scree_box out = {.dim = 2};
    for (int k = 0; k < 2; ++k) {
        double range[2] = {INFINITY, -INFINITY}, b[4];
        for (int64_t i = 0; i < set->bodies.count; ++i) {
            body_bounds(set, i, b);
            widen_by_images(range, &set->bodies, k, b[k], b[2 + k]);
        }
        out.lower[k] = set->bodies.count > 0 ? range[0] : 0.0;
        out.upper[k] = set->bodies.count > 0 ? range[1] : 0.0;
    }
    return out;
}

// Fixed spheres; NULL if none or all are fixed.
static scree_status find_fixed(const scree_outline_set* set, uint8_t** out)
{
    const scree_column* column = scree_sphere_set_find(&set->bodies, "fixed");
    *out = NULL;
    if (column == NULL || column->components != 1 || column->kind == SCREE_COLUMN_TEXT)
        return SCREE_OK;
    uint8_t* fixed = scree_malloc((size_t)set->bodies.count, 1);
    if (fixed == NULL)
        return SCREE_ERR_MEMORY;
    int64_t count = 0;
    for (int64_t i = 0; i < set->bodies.count; ++i) {
        fixed[i] = column->kind == SCREE_COLUMN_INT64 ? column->integers[i] != 0 : column->values[i] != 0.0;
        count += fixed[i];
    }
    if (count > 0 && count < set->bodies.count)
        *out = fixed;
    else
        scree_free(fixed);
    return SCREE_OK;
}

static scree_status add_shapes(scree_view* view, const body_poses* poses, int32_t* place)
{
    static const double circle[2] = {-3.14159265358979323846, 3.14159265358979323846};
    static const char* const names[] = {"corner_x", "corner_y"};
    array a;
    if (poses->corner_count > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " corners; expected fewer, as a page has a limit", poses->corner_count);
    meta_raw(view, "],\n\"shapes\":[");
    view->listed = false;
    scree_status status = add_unshown(view, make_steps("turn", poses->turn, poses->count, 0, 1, circle, &a), &a, place);
    for (int32_t k = 0; k < 2 && status == SCREE_OK; ++k)
        status = add_unshown(view, make_numbers(names[k], poses->local, (crowd){.count = (int32_t)poses->corner_count}, k, 2, &a), &a, place);
    return status;
}

static scree_status add_pairs(scree_view* view, const touching* pairs, int32_t* place)
{
    crowd all = {.count = (int32_t)pairs->count};
    array a;
    if (pairs->count > INT32_MAX)
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " pairs that touch; expected fewer, as a page has a limit", pairs->count);
    meta_raw(view, "],\n\"pair_count\":");
    meta_integer(view, pairs->count);
    meta_raw(view, ",\"pairs\":[");
    view->listed = false;
    scree_status status = add_unshown(view, make_integers("pair_i", pairs->i, all, 0, 1, &a), &a, place);
    if (status == SCREE_OK)
        status = add_unshown(view, make_integers("pair_j", pairs->j, all, 0, 1, &a), &a, place);
    if (status == SCREE_OK)
        status = add_unshown(view, make_numbers("pair_gap", pairs->gap, all, 0, 1, &a), &a, place);
    return status;
}

static scree_status add_outline_arrays(scree_view* view, const scree_outline_set* set, crowd all, const body_poses* poses, const touching* pairs,
                                       const int64_t* partners)
{
    array a;
    int32_t place = 0;
    double parts = set->bodies.column_count * 3 + 8;
    scree_status status = add_array(view, make_numbers("radius", set->bodies.r, all, 0, 1, &a), &a, &place, 0.0);
    if (status == SCREE_OK)
        status = add_array(view, make_integers("partners", partners, all, 0, 1, &a), &a, &place, 1.0 / parts);
    for (int32_t k = 0; k < 2 && status == SCREE_OK; ++k)
        status = add_array(view, make_coordinate(poses->x, poses->count, k, 2, &a), &a, &place, (2 + k) / parts);
    if (status == SCREE_OK)
        status = add_array(view, make_numbers("area", poses->area, all, 0, 1, &a), &a, &place, 4.0 / parts);
    if (status == SCREE_OK)
        status = add_array(view, make_integers("corners", poses->corners, all, 0, 1, &a), &a, &place, 5.0 / parts);
    if (status == SCREE_OK)
        status = add_columns(view, &set->bodies, all, true, &place, parts);
    if (status == SCREE_OK)
        status = add_shapes(view, poses, &place);
    if (status == SCREE_OK)
        status = add_pairs(view, pairs, &place);
    if (status == SCREE_OK)
        status = add_rods(view, &set->bodies, &place);
    meta_raw(view, "]}");
    return status == SCREE_OK ? view->status : status;
}

static scree_status add_outline_frame(scree_view* view, double time, const scree_outline_set* set)
{
    body_poses poses = {0};
    touching pairs = {0};
    uint8_t* fixed = NULL;
    int64_t* partners = scree_calloc((size_t)set->bodies.count, sizeof *partners);
    scree_status status = partners != NULL ? find_fixed(set, &fixed) : SCREE_ERR_MEMORY;
    crowd all = {.count = set->bodies.count, .fixed = fixed};
    double gap = isnan(view->def.gap) ? 1e-3 * mean_diameter(&set->bodies, all) : view->def.gap;
    if (status == SCREE_OK)
        status = touching_find(set, gap, view->def.watch, &pairs);
    for (int64_t p = 0; p < pairs.count; ++p) {
        ++partners[pairs.i[p]];
        ++partners[pairs.j[p]];
    }
    if (status == SCREE_OK)
        status = body_poses_make(set, &view->poses, &poses);
    if (status == SCREE_OK) {
        write_frame_head(view, time, &set->bodies, outline_bounds(set), gap);
        status = add_outline_arrays(view, set, all, &poses, &pairs, partners);
        body_poses_free(&view->poses);
        view->poses = poses;
    }
    touching_free(&pairs);
    scree_free(partners);
    scree_free(fixed);
    return status;
}

scree_status scree_view_begin(const char* path, const scree_view_def* def, scree_view** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    scree_view_def used = scree_default_view_def();
    if (def != NULL) {
        scree_status fits = scree_check_struct_size("view", "scree_default_view_def", def->struct_size, sizeof used, sizeof used);
        if (fits != SCREE_OK)
            return fits;
        used = *def;
    }
    if (scree_colour_map_name((scree_colour_map)used.map) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "there is no colour map of number %d; expected 0 to %d", (int)used.map, SCREE_MAP_COUNT - 1);
    if (used.background < 0 || used.background >= SCREE_VIEW_BACKGROUND_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "there is no background of number %d; expected 0 to %d", (int)used.background, SCREE_VIEW_BACKGROUND_COUNT - 1);
    if (isinf(used.gap))
        return scree_fail(SCREE_ERR_ARGUMENT, "a gap of %g; expected a length, or NAN for 1e-3 mean diameters", used.gap);
    scree_view* view = scree_calloc(1, sizeof *view);
    if (view == NULL)
        return SCREE_ERR_MEMORY;
    view->def = used;
    scree_status status = scree_output_open(&view->output, path, used.watch);
    if (status != SCREE_OK) {
        scree_free(view);
        return status;
    }
    scree_output_bytes(&view->output, (const char*)scree_page_before, scree_page_before_size);
    *out = view;
    return SCREE_OK;
}

// Of spheres, or of outlines if there are any.
static scree_status add_any(scree_view* view, double time, const scree_sphere_set* set, const scree_outline_set* outlines)
{
    if (view->status != SCREE_OK)
        return view->status;
    scree_status status = outlines != NULL ? scree_outline_set_check(outlines)
                                           : scree_spheres_check(scree_sphere_set_view(set), set->has_box ? &set->box : NULL);
    if (status == SCREE_OK && set->has_box && outlines != NULL)
        status = scree_box_reject_tilt(&set->box, "view of polygons");
    if (status == SCREE_OK && view->dim != 0 && view->dim != set->dim)
        status = scree_fail(SCREE_ERR_ARGUMENT, "frame %" PRId64 " is in %dD; expected %dD, as the frames before it", view->frames, (int)set->dim,
                            (int)view->dim);
    if (status == SCREE_OK) {
        view->dim = set->dim;
        status = outlines != NULL ? add_outline_frame(view, time, outlines) : add_frame(view, time, set);
    }
    view->rods = NULL;
    view->triangles = NULL;
    if (status == SCREE_OK)
        ++view->frames;
    else if (view->status == SCREE_OK)
        view->status = status;
    return status;
}

scree_status scree_view_add(scree_view* view, double time, const scree_sphere_set* set)
{
    SCREE_NEED(view);
    SCREE_NEED(set);
    return add_any(view, time, set, NULL);
}

scree_status scree_view_add_outlines(scree_view* view, double time, const scree_outline_set* set)
{
    SCREE_NEED(view);
    SCREE_NEED(set);
    return add_any(view, time, &set->bodies, set->first != NULL ? set : NULL);
}

scree_status scree_view_next_triangles(scree_view* view, const scree_triangles* triangles)
{
    enum { most = 50000000 };
    SCREE_NEED(view);
    scree_status status = triangles != NULL ? scree_triangles_check(triangles) : SCREE_OK;
    if (status == SCREE_OK && triangles != NULL && triangles->count > most)
        status = scree_fail(SCREE_ERR_ARGUMENT, "view: %" PRId32 " triangles; expected at most %d", triangles->count, most);
    if (status != SCREE_OK)
        return status;
    view->triangles = triangles;
    return view->status;
}

scree_status scree_view_next_rods(scree_view* view, const scree_rods* rods)
{
    SCREE_NEED(view);
    view->rods = rods;
    return view->status;
}

static scree_status put_meta(scree_view* view)
{
    if (view->frames == 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "a page without frames; expected at least one");
    const char* colour_by = view->def.colour_by != NULL ? view->def.colour_by : "radius";
    if (!view->colour_found && view->speed_of != NULL)  // the page colours vectors by their length
        colour_by = view->speed_of;
    else if (!view->colour_found)
        return scree_fail(SCREE_ERR_ARGUMENT, "there is no column '%.60s' of numbers to colour by; expected radius, partners, x, y, speed or a column of the frames",
                          colour_by);
    static const char* const backgrounds[] = {"auto", "light", "dark"};
    meta_raw(view, "],\n\"title\":");
    meta_text(view, view->def.title != NULL ? view->def.title : "scree");
    meta_raw(view, ",\"version\":");
    meta_text(view, scree_version());
    meta_raw(view, ",\"dim\":");
    meta_integer(view, view->dim);
    meta_raw(view, ",\"colour_by\":");
    meta_text(view, colour_by);
    meta_raw(view, ",\"map\":");
    meta_text(view, scree_colour_map_name((scree_colour_map)view->def.map));
    meta_raw(view, ",\"background\":");
    meta_text(view, backgrounds[view->def.background]);
    for (int m = 0; m < SCREE_MAP_COUNT; ++m) {  // 256 colours, and that of unknown values
        meta_raw(view, m == 0 ? ",\n\"maps\":{" : ",\n");
        meta_text(view, scree_colour_map_name((scree_colour_map)m));
        meta_raw(view, ":\"");
        for (int n = 0; n <= 256; ++n) {
            uint8_t rgb[3];
            char text[8];
            scree_colour_map_rgb((scree_colour_map)m, n < 256 ? n / 255.0 : NAN, rgb);
            snprintf(text, sizeof text, "%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
            meta_raw(view, text);
        }
        meta_raw(view, "\"");
    }
    meta_raw(view, "}}");
    if (view->status != SCREE_OK)
        return view->status;
    put(&view->output, "<script type=\"application/json\" id=\"scree-meta\">{\"frames\":[");
    scree_output_bytes(&view->output, view->meta, view->meta_used);
    put(&view->output, "</script>");
    scree_output_bytes(&view->output, (const char*)scree_page_after, scree_page_after_size);
    return view->output.status;
}

scree_status scree_view_end(scree_view* view, scree_status status)
{
    if (view == NULL)
        return status;
    if (status == SCREE_OK)
        status = view->status;
    if (status == SCREE_OK)
        status = put_meta(view);
    status = scree_output_close(&view->output, status);
    for (int32_t k = 0; k < view->kept_count; ++k)
        scree_free(view->kept[k].bytes);
    scree_free(view->kept);
    body_poses_free(&view->poses);
    scree_free(view->meta);
    scree_free(view);
    return status;
}

scree_status scree_write_view(const char* path, int64_t frames, const double* times, const scree_sphere_set* sets, const scree_view_def* def)
{
    SCREE_NEED(path);
    if (frames > 0)
        SCREE_NEED(sets);
    scree_view* view;
    scree_status status = scree_view_begin(path, def, &view);
    if (status != SCREE_OK)
        return status;
    for (int64_t f = 0; f < frames && status == SCREE_OK; ++f)
        status = scree_view_add(view, times != NULL ? times[f] : NAN, &sets[f]);
    return scree_view_end(view, status);
}
