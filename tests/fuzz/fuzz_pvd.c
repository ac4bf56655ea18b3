// Any bytes as a list of frames. The reader answers or refuses, never crashes; what it takes is, written and read again, the same, if it has times.
#include "fuzz_support.h"

#include "scree/files.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    int fd = scratch_file();
    demand(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0, "the temporary file is stuck");
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    scree_frame_times list;
    scree_status status = scree_read_pvd(path, &list);
    demand(status == SCREE_OK || (status == SCREE_ERR_FORMAT && strncmp(scree_error_message(), "/dev/fd/", 8) == 0), "an error of another kind");
    if (status != SCREE_OK)
        return 0;
    bool timed = true;
    for (int64_t k = 0; k < list.count; ++k) {
        demand(list.files[k] != NULL && list.files[k][0] != '\0', "a frame without a name");
        timed = timed && isfinite(list.times[k]);
    }
    // Names that were relative begin with the folder of the list now; written as they are, they would get it twice.
    for (int64_t k = 0; k < list.count; ++k)
        timed = timed && list.files[k][0] == '/' && strncmp(list.files[k], "/dev/fd/", 8) != 0;
    if (timed) {
        demand(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "the temporary file is stuck");
        demand(scree_write_pvd(path, list.count, list.times, (const char* const*)list.files) == SCREE_OK, "a list that was read cannot be written");
        scree_frame_times back;
        demand(lseek(fd, 0, SEEK_SET) == 0 && scree_read_pvd(path, &back) == SCREE_OK, "a written list cannot be read");
        demand(back.count == list.count, "a list changes by writing and reading");
        for (int64_t k = 0; k < list.count; ++k)
            demand(back.times[k] == list.times[k] && strcmp(back.files[k], list.files[k]) == 0, "a frame changes by writing and reading");
        scree_frame_times_free(&back);
    }
    scree_frame_times_free(&list);
    return 0;
}
