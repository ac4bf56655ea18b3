// Any bytes as a VTP file: the reader answers or refuses, never crashes; whatever the block size, with the same answer; what
// it takes passes the checks of the library, and written and read again it is the same set.
#include "scree/files.h"

#include "files/formats.h"
#include "files/input.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void demand(bool holds, const char* what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_vtp: %s (last message: %s)\n", what, scree_error_message());
    abort();
}

static scree_status read_bytes(const char* bytes, size_t size, int64_t block, scree_sphere_set* set)
{
    scree_input input;
    scree_input_memory(&input, "fuzz.vtp", bytes, (int64_t)size, block);
    scree_status status = scree_vtp_read(&input, set);
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

static bool same_column(const scree_column* a, const scree_column* b, int64_t count)
{
    if (strcmp(a->name, b->name) != 0 || a->components != b->components || a->kind != b->kind)
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

static bool same_set(const scree_sphere_set* a, const scree_sphere_set* b)
{
    if (a->dim != b->dim || a->count != b->count || a->column_count != b->column_count ||
        !same_numbers(a->x, b->x, (int64_t)a->count * a->dim) || !same_numbers(a->r, b->r, a->count))
        return false;
    if (a->has_box != b->has_box || a->box.dim != b->box.dim || !same_numbers(a->box.lower, b->box.lower, a->dim) ||
        !same_numbers(a->box.upper, b->box.upper, a->dim) || memcmp(a->box.periodic, b->box.periodic, sizeof a->box.periodic) != 0)
        return false;
    for (int c = 0; c < a->column_count; ++c)
        if (!same_column(&a->columns[c], &b->columns[c], a->count))
            return false;
    return true;
}

// What expat calls a fault can depend on how much of the text it sees at once.
static bool about_xml(const char* message)
{
    return strstr(message, "this is not XML: ") != NULL || strstr(message, "before </VTKFile>: it was cut short") != NULL;
}

static bool same_message(const char* a, const char* b)
{
    return strcmp(a, b) == 0 || (about_xml(a) && about_xml(b));
}

// A file in memory (so that fsync costs nothing), or else on disk, without a name.
static int scratch_file(void)
{
    static int fd = -1;
    if (fd >= 0)
        return fd;
    char name[64];
    snprintf(name, sizeof name, "/scree-fuzz-%ld", (long)getpid());
    fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        shm_unlink(name);
    FILE* file = fd < 0 ? tmpfile() : NULL;
    if (file != NULL)
        fd = fileno(file);
    demand(fd >= 0, "no temporary file");
    return fd;
}

// What the writer makes of the set.
static char* written(const scree_sphere_set* set, size_t* size)
{
    int fd = scratch_file();
    demand(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "the temporary file is stuck");
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    scree_file_options options = scree_default_file_options();
    options.format = SCREE_FORMAT_VTP;
    demand(scree_write_spheres(path, &options, set) == SCREE_OK, "a set that was read cannot be written");
    *size = (size_t)lseek(fd, 0, SEEK_CUR);
    char* bytes = malloc(*size + 1);
    demand(bytes != NULL && pread(fd, bytes, *size, 0) == (ssize_t)*size, "the written file cannot be read");
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    scree_sphere_set set = {0}, small = {0}, back = {0};
    scree_status status = read_bytes((const char*)data, size, 1 << 16, &set);
    int64_t block = size > 0 ? 1 + data[size - 1] % 32 : 1;
    char message[2048];
    snprintf(message, sizeof message, "%s", scree_error_message());
    demand(read_bytes((const char*)data, size, block, &small) == status, "the block size changes the status");
    demand(status == SCREE_OK || same_message(message, scree_error_message()), "the block size changes the message");
    if (status != SCREE_OK) {
        demand((status == SCREE_ERR_FORMAT || status == SCREE_ERR_UNSUPPORTED) && strncmp(message, "fuzz.vtp:", 9) == 0,
               "an error without file and line");
        return 0;
    }
    demand(same_set(&set, &small), "the block size changes the set");
    demand(scree_spheres_check(scree_sphere_set_view(&set), NULL) == SCREE_OK, "a sphere that is none");
    size_t length;
    char* bytes = written(&set, &length);
    demand(read_bytes(bytes, length, block + 7, &back) == SCREE_OK, "a written set cannot be read");
    demand(same_set(&set, &back), "a set changes by writing and reading");
    free(bytes);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&small);
    scree_sphere_set_free(&back);
    return 0;
}
