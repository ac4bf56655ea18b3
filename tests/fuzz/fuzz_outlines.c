// Any bytes as a VTP file of polygons. The reader answers or refuses, never crashes; what it takes is a set that may be, and is, written and read
// again, the same.
#include "fuzz_support.h"

#include "scree/files.h"
#include "scree/outlines.h"

static scree_status read_outlines(scree_outline_set* out)
{
    scree_file_options options = scree_default_file_options();
    options.format = SCREE_FORMAT_VTP;
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", scratch_file());
    return scree_read_outlines(path, &options, out);
}

static bool same_doubles(const double* a, const double* b, int64_t count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_set(const scree_outline_set* a, const scree_outline_set* b)
{
    int64_t n = a->bodies.count, vertices = scree_outline_set_vertices(a);
    return b->bodies.count == n && scree_outline_set_vertices(b) == vertices && b->bodies.column_count == a->bodies.column_count &&
           same_doubles(a->bodies.x, b->bodies.x, 2 * n) && same_doubles(a->bodies.r, b->bodies.r, n) &&
           memcmp(a->first, b->first, (size_t)(n + 1) * sizeof *a->first) == 0 && same_doubles(a->xy, b->xy, 2 * vertices);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    int fd = scratch_file();
    demand(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0, "the temporary file is stuck");
    scree_outline_set set;
    scree_status status = read_outlines(&set);
    demand(status == SCREE_OK || ((status == SCREE_ERR_FORMAT || status == SCREE_ERR_UNSUPPORTED) && strncmp(scree_error_message(), "/dev/fd/", 8) == 0),
           "an error of another kind");
    if (status != SCREE_OK)
        return 0;
    if (set.first != NULL) {
        demand(scree_outline_set_check(&set) == SCREE_OK, "an invalid set was read");
        scree_file_options options = scree_default_file_options();
        options.format = SCREE_FORMAT_VTP;
        char path[64];
        snprintf(path, sizeof path, "/dev/fd/%d", fd);
        demand(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "the temporary file is stuck");
        demand(scree_write_outlines(path, &options, &set) == SCREE_OK, "a set that was read cannot be written");
        scree_outline_set back;
        demand(lseek(fd, 0, SEEK_SET) == 0 && read_outlines(&back) == SCREE_OK, "a written set cannot be read");
        demand(same_set(&set, &back), "a set changes by writing and reading");
        scree_outline_set_free(&back);
    }
    scree_outline_set_free(&set);
    return 0;
}
