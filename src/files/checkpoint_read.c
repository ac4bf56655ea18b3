// Reading checkpoints. Nothing is used before the checksum over all bytes is verified; since a malicious file may have a correct checksum, every
// number is checked too. This is not a general zip reader: it takes names, kinds and shapes from the headers of the members, rebuilds headers and
// directory from them as the writer does (checkpoint_layout.c), and requires the same bytes. The data are then at known offsets.
//
//     all bytes -> seal (cut? altered? newer?) -> members -> sizes -> arrays -> do they fit together?
//
// The CRC-32 of the members are for other programs; the seal is stronger.
//
// Memory: the whole file and the resulting arrays.
#include "base/argument.h"
#include "files/checkpoint_layout.h"
#include "files/crc64.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HDF5_SIGNATURE "\x89HDF\r\n\x1a\n"
#define MEMBER_SIGNATURE "PK\3\4"

typedef struct opened {
    const char* name;
    const char* bytes;
    int64_t size;
    int32_t version;
    int32_t count;
    part parts[part_most];
} opened;

// ---- The seal ----------------------------------------------------------------------------------------------------

// A file without a seal: what could it be?
static scree_status no_seal(const opened* f)
{
    size_t known = f->size < 4 ? (size_t)f->size : 4;
    if (f->size == 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the file is empty; expected a checkpoint", f->name);
    if (f->size >= 8 && memcmp(f->bytes, HDF5_SIGNATURE, 8) == 0)
        return scree_fail(SCREE_ERR_FORMAT,
                          "%s: this is an HDF5 file, the checkpoint format of scree 0.1, which this version does not read; expected .npz. Finish the run with scree 0.1, "
                          "or start it again from its scene",
                          f->name);
    if (memcmp(f->bytes, MEMBER_SIGNATURE, known) != 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: this is not a checkpoint; expected a .npz file", f->name);
    return scree_fail(SCREE_ERR_FORMAT, "%s: it was cut short after %" PRId64 " bytes, or is another .npz file; expected the seal of a checkpoint at its end",
                      f->name, f->size);
}

// The number in a field of the seal; -1: there are other characters.
static int64_t digits(const char* at, int count)
{
    int64_t number = 0;
    for (int k = 0; k < count; ++k) {
        if (at[k] < '0' || at[k] > '9' || number > (INT64_MAX - 9) / 10)
            return -1;
        number = 10 * number + (at[k] - '0');
    }
    return number;
}

// The seal must be exactly what the writer would write; only then is its checksum used.
static scree_status open_seal(opened* f)
{
    const char* seal = f->size < seal_size ? NULL : f->bytes + f->size - seal_size;
    int64_t version = seal == NULL ? -1 : digits(seal + seal_version_at, seal_version_digits);
    int64_t length = seal == NULL ? -1 : digits(seal + seal_bytes_at, seal_bytes_digits);
    char again[seal_size];
    if (version < 0 || length < 0)
        return no_seal(f);
    checkpoint_seal((int32_t)version, length, 0, again);
    if (memcmp(seal, again, seal_sum_at) != 0)
        return no_seal(f);
    if (length != f->size)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the file has %" PRId64 " bytes; expected %" PRId64 ", as written", f->name, f->size, length);
    uint64_t sum = scree_crc64(f->bytes, (size_t)(f->size - seal_size + seal_sum_at));
    checkpoint_seal((int32_t)version, length, sum, again);
    if (memcmp(seal, again, seal_size) != 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the file was altered: its checksum is %016" PRIx64 "; expected %.16s", f->name, sum, seal + seal_sum_at);
    if (version < 4 || version > SCREE_CHECKPOINT_VERSION)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the checkpoint has format version %" PRId64 "; expected 4 to %d, which scree %s reads", f->name, version, SCREE_CHECKPOINT_VERSION,
                          scree_version());
    f->version = (int32_t)version;
    return SCREE_OK;
}

// ---- Members -----------------------------------------------------------------------------------------------------

static const part* find(const opened* f, const char* name)
{
    for (int32_t k = 0; k < f->count; ++k)
        if (strcmp(f->parts[k].name, name) == 0)
            return &f->parts[k];
    return NULL;
}

// The name without .npy. False: no part is called so.
static bool take_name(const char* from, size_t length, char name[part_name_size])
{
    if (length < 5 || length - 4 >= part_name_size || memcmp(from + length - 4, ".npy", 4) != 0)
        return false;
    for (size_t k = 0; k < length - 4; ++k)
        if (!((from[k] >= 'a' && from[k] <= 'z') || (from[k] >= '0' && from[k] <= '9') || from[k] == '_' || from[k] == '/'))
            return false;
    memcpy(name, from, length - 4);
    return true;
}

static uint64_t load(const char* at, int bytes)
{
    uint64_t value = 0;
    for (int k = 0; k < bytes; ++k)
        value |= (uint64_t)(unsigned char)at[k] << 8 * k;
    return value;
}

// Whether the next member begins at `at` and is as scree writes it. Then it is the last of f->parts, but not yet counted.
static bool take_member(opened* f, int64_t at)
{
    enum { crc_at = 14, name_length_at = 26, extra_length_at = 28, name_at = 30 };
    char head[part_head_most];
    int64_t left = f->size - at;
    if (left < name_at)
        return false;
    part p = {.crc32 = (uint32_t)load(f->bytes + at + crc_at, 4)};
    int64_t length = (int64_t)load(f->bytes + at + name_length_at, 2), npy = name_at + length + (int64_t)load(f->bytes + at + extra_length_at, 2);
    if (npy > left || !take_name(f->bytes + at + name_at, (size_t)length, p.name) || !checkpoint_parse_npy(f->bytes + at + npy, left - npy, &p))
        return false;
    // What the headers take from the file is small, so that nothing overflows.
    if (p.shape[0] > f->size || p.shape[1] > SCREE_CHECKPOINT_WORDS || checkpoint_bytes(&p) > left)
        return false;
    int64_t end = checkpoint_place(&p, at);
    f->parts[f->count] = p;
    return end <= f->size && memcmp(f->bytes + at, head, checkpoint_head(&p, head)) == 0;
}

static scree_status take_members(opened* f)
{
    int64_t at = 0;
    for (; f->size - at >= 4 && memcmp(f->bytes + at, MEMBER_SIGNATURE, 4) == 0; ++f->count) {
        if (f->count == part_most)
            return scree_fail(SCREE_ERR_FORMAT, "%s: byte %" PRId64 ": there are further members; expected at most %d", f->name, at, part_most);
        if (!take_member(f, at))
            return scree_fail(SCREE_ERR_FORMAT, "%s: byte %" PRId64 ": the header of member %" PRId32 " is not as scree writes it; expected an .npz file of scree", f->name, at, f->count);
        const part* p = &f->parts[f->count];
        if (find(f, p->name) != NULL)
            return scree_fail(SCREE_ERR_FORMAT, "%s: byte %" PRId64 ": there is a second '%s'; expected each member once", f->name, at, p->name);
        at = p->data_at + checkpoint_bytes(p);
    }
    char end[checkpoint_end_most];
    int64_t size = (int64_t)checkpoint_end(f->parts, f->count, end);
    if (size != f->size - seal_size - at || memcmp(f->bytes + at, end, (size_t)size) != 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: byte %" PRId64 ": the directory of the zip is not as scree writes it; expected one of %" PRId32 " members", f->name, at, f->count);
    return SCREE_OK;
}

// ---- Sizes -------------------------------------------------------------------------------------------------------

static scree_status need(const opened* f, const char* name, const part** out)
{
    *out = find(f, name);
    return *out != NULL ? SCREE_OK : scree_fail(SCREE_ERR_FORMAT, "%s: '%s' is missing; expected it in every checkpoint", f->name, name);
}

static const char* shown(const part* p, char to[96])
{
    static const char* const kinds[part_kinds] = {"float64", "int64", "uint64", "int32", "uint16", "uint8", "int8", "text"};
    if (p->kind == PART_TEXT)
        snprintf(to, 96, "text of %" PRId64 " bytes", p->shape[0]);
    else if (p->axes == 2)
        snprintf(to, 96, "%s of shape (%" PRId64 ", %" PRId64 ")", kinds[p->kind], p->shape[0], p->shape[1]);
    else if (p->axes == 1)
        snprintf(to, 96, "%s of shape (%" PRId64 ",)", kinds[p->kind], p->shape[0]);
    else
        snprintf(to, 96, "one %s", kinds[p->kind]);
    return to;
}

static scree_status wrong_shape(const opened* f, const part* found, const part* wanted)
{
    char one[96], other[96];
    return scree_fail(SCREE_ERR_FORMAT, "%s: '%s' is %s; expected %s", f->name, found->name, shown(found, one), shown(wanted, other));
}

static scree_status size_shapes(const opened* f, scree_checkpoint* out, int64_t* vertices)
{
    const part *first, *xy;
    scree_status status = need(f, "shape_first", &first);
    if (status == SCREE_OK)
        status = need(f, "shape_xy", &xy);
    if (status != SCREE_OK)
        return status;
    if (first->shape[0] < 1 || first->shape[0] > INT32_MAX)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'shape_first' has %" PRId64 " entries; expected 1 to %d", f->name, first->shape[0], INT32_MAX);
    out->shapes.count = (int32_t)(first->shape[0] - 1);
    *vertices = xy->shape[0];
    return SCREE_OK;
}

// Bytes of a text: a single NUL means none.
static int64_t text_length(const opened* f, const part* p)
{
    return p->shape[0] == 1 && f->bytes[p->data_at] == '\0' ? 0 : p->shape[0];
}

static scree_status size_arrays(const opened* f, scree_checkpoint* out)
{
    const part *x, *scene, *library;
    scree_status status = need(f, "x", &x);
    if (status == SCREE_OK)
        status = need(f, "scene", &scene);
    if (status == SCREE_OK)
        status = need(f, "library", &library);
    if (status != SCREE_OK)
        return status;
    if (x->kind != PART_FLOAT64 || x->axes != 2 || x->shape[0] > INT32_MAX || (x->shape[1] != 2 && x->shape[1] != 3))
        return wrong_shape(f, x, &(part){.kind = PART_FLOAT64, .axes = 2, .shape = {x->shape[0] < INT32_MAX ? x->shape[0] : INT32_MAX, 3}});
    if (scene->kind != PART_TEXT || library->kind != PART_TEXT || scene->shape[0] < 1 || library->shape[0] < 1 || library->shape[0] >= (int64_t)sizeof out->library)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'scene' or 'library' is not a text of a valid length; expected the text of a scene and a version", f->name);
    // Its length is all that checkpoint_parts wants of the library as yet.
    memset(out->library, ' ', (size_t)text_length(f, library));
    out->count = (int32_t)x->shape[0];
    out->dim = (int32_t)x->shape[1];
    out->scene_length = text_length(f, scene);
    return SCREE_OK;
}

// Whether one of these parts is there: then the others must be, too.
static bool has_one(const opened* f, const char* const* names, int count)
{
    for (int k = 0; k < count; ++k)
        if (find(f, names[k]) != NULL)
            return true;
    return false;
}

static scree_status size_memory(const opened* f, scree_checkpoint_memory* out)
{
    static const char* const names[] = {"contact_law", "contact_ij", "contact_shift", "contact_memory"};
    const part *law, *ij, *values;
    if (!has_one(f, names, 4))
        return SCREE_OK;
    scree_status status = need(f, "contact_law", &law);
    if (status == SCREE_OK)
        status = need(f, "contact_ij", &ij);
    if (status == SCREE_OK)
        status = need(f, "contact_memory", &values);
    if (status != SCREE_OK)
        return status;
    if (law->kind != PART_TEXT || law->shape[0] < 1 || law->shape[0] >= (int64_t)sizeof out->law)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'contact_law' is not a valid text; expected 1 to %d bytes", f->name, (int)sizeof out->law - 1);
    if (values->kind != PART_FLOAT64 || values->axes != 2 || values->shape[1] < 1)
        return wrong_shape(f, values, &(part){.kind = PART_FLOAT64, .axes = 2, .shape = {ij->shape[0], 1}});
    memset(out->law, ' ', (size_t)text_length(f, law));  // as yet only its length counts
    out->words = (int32_t)values->shape[1];
    out->count = ij->shape[0];
    out->periodic = find(f, "contact_shift") != NULL;
    out->featured = find(f, "contact_feature") != NULL;
    return SCREE_OK;
}

static scree_status size_motions(const opened* f, scree_checkpoint_motions* out)
{
    static const char* const names[] = {"boundary_at", "boundary_since", "boundary_velocity", "boundary_spin"};
    const part* at;
    if (!has_one(f, names, 4))
        return SCREE_OK;
    scree_status status = SCREE_OK;
    for (int k = 3; k >= 0 && status == SCREE_OK; --k)
        status = need(f, names[k], &at);
    if (status != SCREE_OK)
        return status;
    if (at->shape[0] < 1 || at->shape[0] > INT32_MAX - 6)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'boundary_at' has %" PRId64 " rows; expected 1 to %d", f->name, at->shape[0], INT32_MAX - 6);
    out->count = (int32_t)at->shape[0];
    out->turned = find(f, "boundary_turn") != NULL;
    return SCREE_OK;
}

static scree_status size_account(const opened* f, scree_checkpoint* out)
{
    const part* sums = find(f, "energy_sums");
    if (sums == NULL)
        return SCREE_OK;
    if (sums->kind != PART_FLOAT64 || sums->axes != 1 || sums->shape[0] < 1 || sums->shape[0] > SCREE_CHECKPOINT_SUMS)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'energy_sums' has %" PRId64 " rows; expected 1 to %d numbers (float64)", f->name, sums->shape[0], SCREE_CHECKPOINT_SUMS);
    out->account_count = (int32_t)sums->shape[0];
    return SCREE_OK;
}

static scree_status size_bonds(const opened* f, scree_checkpoint_bonds* out)
{
    static const char* const names[] = {"bond_ij", "bond_shift", "bond_kind", "bond_length", "bond_values", "bond_broken_at", "bond_cause", "bond_released", "bond_sums"};
    const part* ij;
    if (!has_one(f, names, 9))
        return SCREE_OK;
    scree_status status = need(f, "bond_ij", &ij);
    if (status == SCREE_OK && (ij->shape[0] < 1 || ij->shape[0] > INT32_MAX))
        status = scree_fail(SCREE_ERR_FORMAT, "%s: 'bond_ij' has %" PRId64 " rows; expected 1 to %d", f->name, ij->shape[0], INT32_MAX);
    if (status != SCREE_OK)
        return status;
    out->count = ij->shape[0];
    out->periodic = find(f, "bond_shift") != NULL;
    return SCREE_OK;
}

static scree_status size_loads(const opened* f, scree_checkpoint* out)
{
    const part* loads = find(f, "loads");
    if (loads == NULL)
        return SCREE_OK;
    if (loads->kind != PART_FLOAT64 || loads->axes != 1 || loads->shape[0] < 1 || loads->shape[0] > INT32_MAX)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'loads' has %" PRId64 " rows; expected 1 to %d numbers (float64)", f->name, loads->shape[0], INT32_MAX);
    out->load_count = loads->shape[0];
    return SCREE_OK;
}

static scree_status size_flow(const opened* f, scree_checkpoint_flow* out)
{
    static const char* const names[] = {"flow_counts", "flow_sums"};
    const part *counts, *sums;
    if (!has_one(f, names, 2))
        return SCREE_OK;
    scree_status status = need(f, names[0], &counts);
    if (status == SCREE_OK)
        status = need(f, names[1], &sums);
    if (status != SCREE_OK)
        return status;
    if (counts->shape[0] < SCREE_CHECKPOINT_FLOW_COUNTS || sums->shape[0] < SCREE_CHECKPOINT_FLOW_SUMS)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'flow_counts' has %" PRId64 " and 'flow_sums' %" PRId64 " rows; expected at least %d and %d", f->name, counts->shape[0], sums->shape[0],
                          (int)SCREE_CHECKPOINT_FLOW_COUNTS, (int)SCREE_CHECKPOINT_FLOW_SUMS);
    out->count = counts->shape[0];
    out->sum_count = sums->shape[0];
    return SCREE_OK;
}

// Columns are whatever else is there, with a row for each sphere.
static scree_status size_columns(const opened* f, scree_checkpoint* out)
{
    part others[part_most];
    int32_t count = checkpoint_parts(out, 0, others);
    for (int32_t k = 0; k < f->count; ++k) {
        const part* p = &f->parts[k];
        int32_t j = 0;
        while (j < count && strcmp(others[j].name, p->name) != 0)
            ++j;
        if (j < count)
            continue;
        if (!checkpoint_is_name(p->name) || p->axes == 0 || p->shape[0] != out->count)
            return scree_fail(SCREE_ERR_FORMAT, "%s: '%s' does not belong to this checkpoint; expected columns of %d spheres", f->name, p->name, (int)out->count);
        if (out->column_count == SCREE_CHECKPOINT_COLUMNS)
            return scree_fail(SCREE_ERR_FORMAT, "%s: there are more columns; expected at most %d", f->name, SCREE_CHECKPOINT_COLUMNS);
        scree_checkpoint_column* column = &out->columns[out->column_count++];
        *column = (scree_checkpoint_column){.type = (int32_t)checkpoint_type(p->kind), .components = (int32_t)p->shape[1]};
        snprintf(column->name, sizeof column->name, "%.31s", p->name);
    }
    return SCREE_OK;
}

static scree_status size_numbers(const opened* f, scree_checkpoint* out)
{
    for (int32_t k = 0; k < f->count; ++k) {
        const part* p = &f->parts[k];
        if (strncmp(p->name, PART_PROGRESS, strlen(PART_PROGRESS)) != 0)
            continue;
        const char* name = p->name + strlen(PART_PROGRESS);
        if (!checkpoint_is_name(name) || out->number_count == SCREE_CHECKPOINT_NUMBERS)
            return scree_fail(SCREE_ERR_FORMAT, "%s: '%s' is one number too many, or has no valid name; expected at most %d numbers, with names of a-z, 0-9 and _", f->name, p->name,
                              SCREE_CHECKPOINT_NUMBERS);
        scree_checkpoint_number* number = &out->numbers[out->number_count++];
        number->whole = p->kind == PART_INT64;
        snprintf(number->name, sizeof number->name, "%.31s", name);
    }
    return SCREE_OK;
}

// ---- Contents ----------------------------------------------------------------------------------------------------

// Whether the file has the parts of the list, as they are there, and nothing else: then it also warrants the memory that they need.
static scree_status check_parts(const opened* f, const part* wanted, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        const part* p;
        scree_status status = need(f, wanted[k].name, &p);
        if (status != SCREE_OK)
            return status;
        if (p->kind != wanted[k].kind || p->axes != wanted[k].axes || p->shape[0] != wanted[k].shape[0] || p->shape[1] != wanted[k].shape[1])
            return wrong_shape(f, p, &wanted[k]);
    }
    for (int32_t k = 0; k < f->count; ++k) {
        int32_t j = 0;
        while (j < count && strcmp(wanted[j].name, f->parts[k].name) != 0)
            ++j;
        if (j == count)
            return scree_fail(SCREE_ERR_FORMAT, "%s: '%s' does not belong to this checkpoint; expected members as scree writes them", f->name, f->parts[k].name);
    }
    return SCREE_OK;
}

static scree_status take_out(const opened* f, scree_checkpoint* out)
{
    int64_t vertices = 0;
    part parts[part_most];
    out->has_bodies = find(f, "shape_first") != NULL;
    out->has_materials = out->has_bodies && find(f, "material") != NULL;
    out->integrator = find(f, "x_before") != NULL ? SCREE_INTEGRATOR_POSITION_VERLET : SCREE_INTEGRATOR_VELOCITY_VERLET;
    scree_status status = size_arrays(f, out);
    if (status == SCREE_OK && out->has_bodies)
        status = size_shapes(f, out, &vertices);
    if (status == SCREE_OK)
        status = size_numbers(f, out);
    if (status == SCREE_OK)
        status = size_memory(f, &out->memory);
    if (status == SCREE_OK && !out->has_bodies)
        status = size_motions(f, &out->motions);
    if (status == SCREE_OK)
        status = size_account(f, out);
    if (status == SCREE_OK && !out->has_bodies)
        status = size_bonds(f, &out->bonds);
    out->has_cell = !out->has_bodies && (find(f, "cell_since") != NULL || find(f, "cell_values") != NULL);
    if (status == SCREE_OK && !out->has_bodies)
        status = size_loads(f, out);
    if (status == SCREE_OK && !out->has_bodies)
        status = size_flow(f, &out->flow);
    if (status == SCREE_OK && !out->has_bodies)
        status = size_columns(f, out);
    if (status == SCREE_OK)
        status = check_parts(f, parts, checkpoint_parts(out, vertices, parts));
    if (status == SCREE_OK && f->version != checkpoint_version(out))
        status = scree_fail(SCREE_ERR_FORMAT, "%s: format version %d; expected version %d, by the members that it has", f->name, (int)f->version,
                            (int)checkpoint_version(out));
    if (status == SCREE_OK)
        status = checkpoint_reserve(out, vertices);
    if (status != SCREE_OK)
        return status;
    out->scene = scree_calloc((size_t)out->scene_length + 2, 1);  // one for a text without bytes, which is a NUL
    if (out->scene == NULL)
        return SCREE_ERR_MEMORY;
    size_t library_length = strlen(out->library), law_length = strlen(out->memory.law);
    int32_t count = checkpoint_parts(out, vertices, parts);
    for (int32_t k = 0; k < count; ++k) {
        const part* p = find(f, parts[k].name);
        checkpoint_copy(p->kind, parts[k].data, f->bytes + p->data_at, (size_t)checkpoint_bytes(p));
    }
    if (strlen(out->library) != library_length || strlen(out->memory.law) != law_length)
        return scree_fail(SCREE_ERR_FORMAT, "%s: 'library' or 'contact_law' holds a NUL; expected a text without it", f->name);
    if (out->has_bodies && out->shapes.first[out->shapes.count] != vertices)
        return scree_fail(SCREE_ERR_FORMAT, "%s: the shapes end at vertex %" PRId64 "; expected %" PRId64 ", the number of vertices", f->name, out->shapes.first[out->shapes.count], vertices);
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
    if (status == SCREE_OK)
        status = take_members(&f);
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

scree_status scree_read_checkpoint(const char* path, scree_checkpoint* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    scree_input input;
    scree_status status = scree_input_open(&input, path, scree_get_watch());
    if (status != SCREE_OK)
        return status;
    status = checkpoint_read_input(&input, out);
    scree_input_close(&input);
    return status;
}
