// What the fuzz targets of the formats have in common: any bytes as a file. The reader answers or refuses, never
// crashes; whatever the block size, with the same answer; what it takes passes the checks of the library, and written
// and read again it is the same set. A target includes this file and calls fuzz_format.
#ifndef TESTS_FUZZ_FORMAT_H
#define TESTS_FUZZ_FORMAT_H

#include "fuzz_support.h"

#include "files/formats.h"
#include "files/input.h"
#include "files/output.h"
#include "scree/files.h"

#include <math.h>

typedef struct fuzzed_format {
    scree_format number;
    scree_status (*read)(scree_input* input, scree_sphere_set* out);
    // What not every format promises.
    bool (*same_message)(const char* a, const char* b);  // two that may differ by the block size; NULL: none may
    bool all_supported;                                  // a file is refused for its form only, never as UNSUPPORTED
    bool all_written;                                    // every set that was read can be written
    bool ordered;                                        // columns stay in their order
    bool kind_by_values;                                 // without values the kind of a column cannot be seen
} fuzzed_format;

static scree_status read_bytes(const fuzzed_format* format, const char* bytes, size_t size, int64_t block,
                               scree_sphere_set* set)
{
    scree_input input;
    scree_input_memory(&input, "fuzz", bytes, (int64_t)size, block);
    scree_status status = format->read(&input, set);
    scree_input_close(&input);
    return status;
}

static bool same_numbers(const double* a, const double* b, int64_t count)
{
    for (int64_t k = 0; k < count; ++k)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 && !(isnan(a[k]) && isnan(b[k])))
            return false;
    return true;
}

static bool same_column(const fuzzed_format* format, const scree_column* a, const scree_column* b, int64_t count)
{
    if (strcmp(a->name, b->name) != 0 || a->components != b->components)
        return false;
    if (count == 0 && format->kind_by_values)
        return true;
    if (a->kind != b->kind)
        return false;
    if (a->kind == SCREE_COLUMN_DOUBLE)
        return same_numbers(a->values, b->values, count * a->components);
    if (a->kind == SCREE_COLUMN_INT64)
        return memcmp(a->integers, b->integers, (size_t)(count * a->components) * sizeof *a->integers) == 0;
    for (int64_t i = 0; i < count; ++i)
        if (strcmp(a->text + a->offset[i], b->text + b->offset[i]) != 0)
            return false;
    return true;
}

static bool same_box(const scree_box* a, const scree_box* b)
{
    bool same =
        a->dim == b->dim && same_numbers(a->lower, b->lower, a->dim) && same_numbers(a->upper, b->upper, a->dim);
    for (int k = 0; same && k < a->dim; ++k)
        same = a->periodic[k] == b->periodic[k];
    return same;
}

// Whether b is all of a, or else what a file of this format holds of it. XYZ puts the species first, so columns are found
// by name.
static bool same_set(const fuzzed_format* format, bool all, const scree_sphere_set* a, const scree_sphere_set* b)
{
    bool box = a->has_box && (all || scree_format_keeps(format->number, a, -1));
    if (a->dim != b->dim || a->count != b->count || !same_numbers(a->x, b->x, (int64_t)a->count * a->dim) ||
        !same_numbers(a->r, b->r, a->count) || b->has_box != box)
        return false;
    if (a->has_box == box && !same_box(&a->box, &b->box))  // both are open if there is none
        return false;
    int32_t kept = 0;
    for (int32_t c = 0; c < a->column_count; ++c) {
        if (!all && !scree_format_keeps(format->number, a, c))
            continue;
        const scree_column* other = scree_sphere_set_find(b, a->columns[c].name);
        if (other == NULL || (format->ordered && other != &b->columns[kept]) ||
            !same_column(format, &a->columns[c], other, a->count))
            return false;
        ++kept;
    }
    return b->column_count == kept;
}

// What the writer makes of the set; NULL if it says that the format cannot hold it.
static char* written(const fuzzed_format* format, const scree_sphere_set* set, size_t* size)
{
    int fd = scratch_file();
    demand(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "the temporary file is stuck");
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    scree_file_options options = scree_default_file_options();
    options.format = (int32_t)format->number;
    scree_status status = scree_write_spheres(path, &options, set);
    if (!format->all_written && status == SCREE_ERR_ARGUMENT &&
        strncmp(scree_error_message(), "column '", 8) == 0)
        return NULL;
    demand(status == SCREE_OK, "a set that was read cannot be written");
    *size = (size_t)lseek(fd, 0, SEEK_CUR);
    char* bytes = malloc(*size + 1);
    demand(bytes != NULL && pread(fd, bytes, *size, 0) == (ssize_t)*size, "the written file cannot be read");
    return bytes;
}

static bool same_message(const fuzzed_format* format, const char* a, const char* b)
{
    return strcmp(a, b) == 0 || (format->same_message != NULL && format->same_message(a, b));
}

static int fuzz_format(const fuzzed_format* format, const uint8_t* data, size_t size)
{
    scree_sphere_set set = {0}, small = {0}, back = {0};
    scree_status status = read_bytes(format, (const char*)data, size, 1 << 16, &set);
    int64_t block = size > 0 ? 1 + data[size - 1] % 32 : 1;
    char message[2048];
    snprintf(message, sizeof message, "%s", scree_error_message());
    demand(read_bytes(format, (const char*)data, size, block, &small) == status, "the block size changes the status");
    demand(status == SCREE_OK || same_message(format, message, scree_error_message()),
           "the block size changes the message");
    if (status != SCREE_OK) {
        demand(status == SCREE_ERR_FORMAT || (status == SCREE_ERR_UNSUPPORTED && !format->all_supported),
               "an error of another kind");
        demand(strncmp(message, "fuzz:", 5) == 0, "an error without its place");
        return 0;
    }
    demand(same_set(format, true, &set, &small), "the block size changes the set");
    demand(scree_spheres_check(scree_sphere_set_view(&set), NULL) == SCREE_OK, "a sphere that is none");
    demand(!set.has_box || scree_box_check(&set.box) == SCREE_OK, "a box that is none");
    size_t length;
    char* bytes = written(format, &set, &length);
    if (bytes != NULL) {
        demand(read_bytes(format, bytes, length, block + 7, &back) == SCREE_OK, "a written set cannot be read");
        demand(same_set(format, false, &set, &back), "a set changes by writing and reading");
    }
    free(bytes);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&small);
    scree_sphere_set_free(&back);
    return 0;
}

#endif
