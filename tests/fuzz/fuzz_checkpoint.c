// Any bytes as a checkpoint, as they are and behind a right seal: magic, length and checksum are put in order, so that the fuzzer gets past
// them. The reader answers or refuses, never crashes; what it takes is, written and read again, the same. The seeds have an index and a
// seal, but in place of HDF5's image only the data: the reader does not look at more.
#include "fuzz_support.h"

#include "files/checkpoint_parts.h"
#include "files/crc64.h"

static scree_status read_checkpoint(const char* bytes, size_t size, int64_t block, scree_checkpoint* out)
{
    scree_input input;
    scree_input_memory(&input, "fuzz", bytes, (int64_t)size, block);
    scree_status status = checkpoint_read_input(&input, out);
    scree_input_close(&input);
    demand(status == SCREE_OK || (status == SCREE_ERR_FORMAT && strncmp(scree_error_message(), "fuzz: ", 6) == 0), "an error of another kind");
    return status;
}

static bool same_part(const part* a, const part* b)
{
    size_t bytes = (size_t)(a->shape[0] * a->shape[1]) * checkpoint_width((uint32_t)a->kind);
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->axes == b->axes && a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1] &&
           memcmp(a->data, b->data, bytes) == 0;
}

// By their lists of parts; the version of the library is the writer's.
static bool same_checkpoint(const scree_checkpoint* a, const scree_checkpoint* b)
{
    part mine[part_most], theirs[part_most];
    int32_t count = checkpoint_parts(a, a->has_bodies ? checkpoint_vertices(a) : 0, mine);
    if (checkpoint_parts(b, b->has_bodies ? checkpoint_vertices(b) : 0, theirs) != count)
        return false;
    for (int32_t k = 0; k < count; ++k)
        if (strcmp(mine[k].name, "library") != 0 && !same_part(&mine[k], &theirs[k]))
            return false;
    return true;
}

static void write_and_read(const scree_checkpoint* c)
{
    int fd = scratch_file();
    demand(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "the temporary file is stuck");
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    demand(scree_checkpoint_write(path, c) == SCREE_OK, "a checkpoint that was read cannot be written");
    size_t size = (size_t)lseek(fd, 0, SEEK_CUR);
    char* bytes = malloc(size);
    demand(bytes != NULL && pread(fd, bytes, size, 0) == (ssize_t)size, "the written file cannot be read");
    scree_checkpoint back;
    demand(read_checkpoint(bytes, size, 1 << 16, &back) == SCREE_OK, "a written checkpoint cannot be read");
    demand(same_checkpoint(c, &back), "a checkpoint changes by writing and reading");
    scree_checkpoint_free(&back);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    scree_checkpoint c;
    if (read_checkpoint((const char*)data, size, size > 0 ? 1 + data[size - 1] % 32 : 1, &c) == SCREE_OK)
        scree_checkpoint_free(&c);
    if (size < seal_size)
        return 0;
    char* bytes = malloc(size);
    demand(bytes != NULL, "no memory");
    memcpy(bytes, data, size);
    char* seal = bytes + size - seal_size;
    memcpy(seal, PART_MAGIC, 8);
    checkpoint_store64(seal + seal_file_at, size);
    checkpoint_store64(seal + seal_checksum_at, scree_crc64(bytes, size - seal_size + seal_checksum_at));
    if (read_checkpoint(bytes, size, 1 << 16, &c) == SCREE_OK) {
        write_and_read(&c);
        scree_checkpoint_free(&c);
    }
    free(bytes);
    return 0;
}
