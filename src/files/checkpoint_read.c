// Checkpoints, read. Nothing is believed before the checksum over all bytes is right; and since whoever means harm can make it right, every
// number is checked all the same. HDF5 is not asked: its readers of this age crash on files that were made to crash them, and the index
// behind the image says where each dataset lies. So this works on plain bytes:
//
//     all bytes -> seal (cut? altered? newer?) -> index -> sizes -> arrays -> do they fit together?
//
// Memory: the file as a whole beside the arrays that come out.
#include "files/checkpoint_parts.h"
#include "base/argument.h"
#include "files/crc64.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct opened {
    const char* name;
    const char* bytes;
    int64_t size;
    int64_t image;    // bytes of it
    int64_t entries;  // behind it
    int32_t version;
} opened;

// ---- The seal ----------------------------------------------------------------------------------------------------

// A file without a seal: what could it be? An HDF5 file of the usual kind (superblock 0) says at byte 40 how long it is.
static scree_status no_seal(const opened* f)
{
    if (f->size == 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the file is empty; a checkpoint was expected", f->name);
    size_t known = f->size < 8 ? (size_t)f->size : 8;
    if (memcmp(f->bytes, PART_SIGNATURE, known) != 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: this is no checkpoint: it does not begin as an HDF5 file does", f->name);
    if (f->size < 48)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the file is too short: it was cut after %" PRId64 " bytes", f->name, f->size);
    uint64_t wanted = f->bytes[8] == 0 ? checkpoint_load64(f->bytes + 40) : 0;
    if (wanted > (uint64_t)f->size)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the file is too short: it was cut after %" PRId64 " bytes; HDF5's part alone has %" PRIu64, f->name,
                          f->size, wanted);
    return scree_fail(SCREE_ERR_FORMAT, "%s: the file does not end as a checkpoint does: it was cut short, or is another HDF5 file", f->name);
}

static scree_status open_seal(opened* f)
{
    const char* seal = f->size < seal_size ? NULL : f->bytes + f->size - seal_size;
    if (seal == NULL || memcmp(seal, PART_MAGIC, 8) != 0)
        return no_seal(f);
    uint64_t length = checkpoint_load64(seal + seal_file_at);
    if (length != (uint64_t)f->size)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the file has another length: %" PRId64 " bytes; %" PRIu64 " were written", f->name, f->size, length);
    uint64_t sum = scree_crc64(f->bytes, (size_t)(f->size - seal_size + seal_checksum_at)), wanted = checkpoint_load64(seal + seal_checksum_at);
    if (sum != wanted)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the file was altered: its checksum is %016" PRIx64 "; %016" PRIx64 " was written", f->name, sum, wanted);
    uint32_t version = checkpoint_load32(seal + seal_version_at);
    if (version == 0 || version > SCREE_CHECKPOINT_POSITIONS)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint has format version %" PRIu32 "; scree %s reads up to version %d", f->name, version,
                          scree_version(), SCREE_CHECKPOINT_POSITIONS);
    uint64_t image = checkpoint_load64(seal + seal_image_at), entries = checkpoint_load32(seal + seal_entries_at);
    uint64_t behind = entries * entry_size + seal_size;
    if (image > (uint64_t)f->size || behind != (uint64_t)f->size - image)
        return scree_fail(SCREE_ERR_FORMAT, "%s: %" PRIu64 " bytes of data and %" PRIu64 " index entries do not make a file of %" PRId64 " bytes", f->name,
                          image, entries, f->size);
    f->version = (int32_t)version;
    f->image = (int64_t)image;
    f->entries = (int64_t)entries;
    return SCREE_OK;
}

// ---- The index ---------------------------------------------------------------------------------------------------

typedef struct entry {
    char name[part_name_size + 1];
    uint32_t kind, axes;
    uint64_t shape[2], offset;
} entry;

static entry entry_at(const opened* f, int64_t k)
{
    const char* at = f->bytes + f->image + k * entry_size;
    entry e = {.kind = checkpoint_load32(at + entry_kind_at),
               .axes = checkpoint_load32(at + entry_axes_at),
               .shape = {checkpoint_load64(at + entry_shape_at), checkpoint_load64(at + entry_shape_at + 8)},
               .offset = checkpoint_load64(at + entry_offset_at)};
    memcpy(e.name, at, part_name_size);
    return e;
}

// The first entry of that name; its bytes lie within the image.
static scree_status find(const opened* f, const char* name, entry* out)
{
    for (int64_t k = 0; k < f->entries; ++k) {
        *out = entry_at(f, k);
        if (strcmp(out->name, name) != 0)
            continue;
        uint64_t width = checkpoint_width(out->kind), room = (uint64_t)f->image;
        bool fits = width > 0 && out->offset <= room && out->shape[0] <= room && out->shape[1] <= 8 &&
                    out->shape[0] * out->shape[1] * width <= room - out->offset;
        return fits ? SCREE_OK
                    : scree_fail(SCREE_ERR_FORMAT, "%s: '%s' of %" PRIu64 " x %" PRIu64 " at byte %" PRIu64 " does not lie within %" PRId64 " bytes", f->name, name,
                                 out->shape[0], out->shape[1], out->offset, f->image);
    }
    return scree_fail(SCREE_ERR_FORMAT, "%s: there is no '%s' in the checkpoint", f->name, name);
}

static scree_status wrong_shape(const opened* f, const part* wanted, const entry* e)
{
    static const char* const kinds[] = {"unknown", "float64", "int64", "uint64", "int32", "text"};
    return scree_fail(SCREE_ERR_FORMAT,
                      "%s: '%s' is %s with %" PRIu32 " axes, %" PRIu64 " x %" PRIu64 "; %s with %d axes, %" PRId64 " x %" PRId64 ", was expected", f->name,
                      wanted->name, kinds[checkpoint_width(e->kind) > 0 ? e->kind : 0], e->axes, e->shape[0], e->shape[1], kinds[wanted->kind],
                      (int)wanted->axes, wanted->shape[0], wanted->shape[1]);
}

// ---- Sizes -------------------------------------------------------------------------------------------------------

static scree_status size_shapes(const opened* f, scree_checkpoint* out, int64_t* vertices)
{
    entry first, xy;
    scree_status status = find(f, "shape_first", &first);
    if (status == SCREE_OK)
        status = find(f, "shape_xy", &xy);
    if (status != SCREE_OK)
        return status;
    if (first.shape[0] < 1 || first.shape[0] > INT32_MAX)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'shape_first' has %" PRIu64 " entries; 1 to %d were expected", f->name, first.shape[0], INT32_MAX);
    out->shapes.count = (int32_t)(first.shape[0] - 1);
    *vertices = (int64_t)xy.shape[0];
    return SCREE_OK;
}

static scree_status size_arrays(const opened* f, scree_checkpoint* out)
{
    entry x, scene, library;
    scree_status status = find(f, "x", &x);
    if (status == SCREE_OK)
        status = find(f, "scene", &scene);
    if (status == SCREE_OK)
        status = find(f, "library", &library);
    if (status != SCREE_OK)
        return status;
    if (x.kind != PART_FLOAT64 || x.axes != 2 || x.shape[0] > INT32_MAX || (x.shape[1] != 2 && x.shape[1] != 3))
        return wrong_shape(f, &(part){.name = "x", .kind = PART_FLOAT64, .axes = 2, .shape = {x.shape[0] > INT32_MAX ? 0 : (int64_t)x.shape[0], 3}}, &x);
    if (scene.kind != PART_TEXT || library.kind != PART_TEXT || library.shape[0] >= sizeof out->library)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'scene' and 'library' are not both text of a fitting length", f->name);
    // The entry's length is all that checkpoint_parts wants of the library as yet.
    memset(out->library, ' ', (size_t)library.shape[0]);
    out->count = (int32_t)x.shape[0];
    out->dim = (int32_t)x.shape[1];
    out->scene_length = (int64_t)scene.shape[0];
    return SCREE_OK;
}

static scree_status size_numbers(const opened* f, scree_checkpoint* out)
{
    for (int64_t k = 0; k < f->entries; ++k) {
        entry e = entry_at(f, k);
        if (strncmp(e.name, PART_PROGRESS, strlen(PART_PROGRESS)) != 0)
            continue;
        const char* name = e.name + strlen(PART_PROGRESS);
        if (!checkpoint_is_name(name) || out->number_count == SCREE_CHECKPOINT_NUMBERS)
            return scree_fail(SCREE_ERR_FORMAT, "%s: index entry %" PRId64 ": a number with a name that cannot be, or one number too many", f->name, k);
        scree_checkpoint_number* number = &out->numbers[out->number_count++];
        number->whole = e.kind == PART_INT64;
        snprintf(number->name, sizeof number->name, "%.31s", name);
    }
    return SCREE_OK;
}

// ---- Contents ----------------------------------------------------------------------------------------------------

static scree_status fetch(const opened* f, const part* wanted)
{
    entry e;
    scree_status status = find(f, wanted->name, &e);
    if (status != SCREE_OK)
        return status;
    if (e.kind != (uint32_t)wanted->kind || e.axes != (uint32_t)wanted->axes || e.shape[0] != (uint64_t)wanted->shape[0] ||
        e.shape[1] != (uint64_t)wanted->shape[1])
        return wrong_shape(f, wanted, &e);
    const char* from = f->bytes + e.offset;
    int64_t count = wanted->shape[0] * wanted->shape[1];
    char* to = wanted->data;
    switch (checkpoint_width(e.kind)) {
    case 8:
        for (int64_t k = 0; k < count; ++k) {
            uint64_t bits = checkpoint_load64(from + 8 * k);
            memcpy(to + 8 * k, &bits, sizeof bits);
        }
        return SCREE_OK;
    case 4:
        for (int64_t k = 0; k < count; ++k) {
            uint32_t bits = checkpoint_load32(from + 4 * k);
            memcpy(to + 4 * k, &bits, sizeof bits);
        }
        return SCREE_OK;
    default:
        memcpy(to, from, (size_t)count);
        to[count] = '\0';
        return SCREE_OK;
    }
}

static scree_status take_out(const opened* f, scree_checkpoint* out)
{
    int64_t vertices = 0;
    out->has_bodies = f->version == SCREE_CHECKPOINT_BODIES;
    out->integrator = f->version == SCREE_CHECKPOINT_POSITIONS ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
    scree_status status = size_arrays(f, out);
    if (status == SCREE_OK && out->has_bodies)
        status = size_shapes(f, out, &vertices);
    if (status == SCREE_OK)
        status = size_numbers(f, out);
    if (status == SCREE_OK)
        status = checkpoint_reserve(out, vertices);
    if (status != SCREE_OK)
        return status;
    out->scene = scree_malloc((size_t)out->scene_length + 1, 1);
    if (out->scene == NULL)
        return SCREE_ERR_MEMORY;
    part parts[part_most];
    size_t library_length = strlen(out->library);
    int32_t count = checkpoint_parts(out, vertices, parts);
    for (int32_t k = 0; k < count; ++k)
        if ((status = fetch(f, &parts[k])) != SCREE_OK)
            return status;
    if (strlen(out->library) != library_length)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the version of the library holds a NUL", f->name);
    if (out->has_bodies && out->shapes.first[out->shapes.count] != vertices)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the shapes end at vertex %" PRId64 " of %" PRId64, f->name, out->shapes.first[out->shapes.count], vertices);
    return checkpoint_check(out, SCREE_ERR_FORMAT, f->name);
}

scree_status checkpoint_read_input(scree_input* input, scree_checkpoint* out)
{
    char* bytes;
    int64_t size;
    scree_status status = scree_input_bytes(input, INT64_MAX, &bytes, &size);
    if (status != SCREE_OK)
        return status;
    opened f = {.name = input->name, .bytes = bytes, .size = size};
    status = open_seal(&f);
    if (status != SCREE_OK)
        return status;
    scree_checkpoint found = {.format_version = f.version};
    status = take_out(&f, &found);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_checkpoint_free(&found);
    return status;
}

scree_status scree_checkpoint_read(const char* path, scree_checkpoint* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    scree_input input;
    scree_status status = scree_input_open(&input, path, (scree_watch){0});
    if (status != SCREE_OK)
        return status;
    status = checkpoint_read_input(&input, out);
    scree_input_close(&input);
    return status;
}
