// Any bytes as a checkpoint: as they are; behind a right seal, so that the fuzzer gets past it; and as a description of members, which are put into a file with
// right headers, directory and seal, so that it gets past these too. The reader answers or refuses, never crashes; what it takes is, written and read again,
// the same.
#include "fuzz_support.h"

#include "files/checkpoint_layout.h"
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
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->axes == b->axes && a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1] &&
           (checkpoint_bytes(a) == 0 || memcmp(a->data, b->data, (size_t)checkpoint_bytes(a)) == 0);
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

// What was written to the scratch file; the caller frees it.
static char* written(int fd, size_t* size)
{
    *size = (size_t)lseek(fd, 0, SEEK_CUR);
    char* bytes = malloc(*size);
    demand(bytes != NULL && pread(fd, bytes, *size, 0) == (ssize_t)*size, "the written file cannot be read");
    return bytes;
}

static int empty_file(char path[64])
{
    int fd = scratch_file();
    demand(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "the temporary file is stuck");
    snprintf(path, 64, "/dev/fd/%d", fd);
    return fd;
}

static void write_and_read(const scree_checkpoint* c)
{
    char path[64];
    int fd = empty_file(path);
    demand(scree_write_checkpoint(path, c) == SCREE_OK, "a checkpoint that was read cannot be written");
    size_t size;
    char* bytes = written(fd, &size);
    scree_checkpoint back;
    demand(read_checkpoint(bytes, size, 1 << 16, &back) == SCREE_OK, "a written checkpoint cannot be read");
    demand(same_checkpoint(c, &back), "a checkpoint changes by writing and reading");
    scree_checkpoint_free(&back);
    free(bytes);
}

static void read_and_write(const char* bytes, size_t size)
{
    scree_checkpoint c;
    if (read_checkpoint(bytes, size, 1 << 16, &c) != SCREE_OK)
        return;
    write_and_read(&c);
    scree_checkpoint_free(&c);
}

static void put_seal(char* bytes, size_t size, int32_t version)
{
    char* seal = bytes + size - seal_size;
    checkpoint_seal(version, (int64_t)size, 0, seal);
    checkpoint_seal(version, (int64_t)size, scree_crc64(bytes, size - seal_size + seal_sum_at), seal);
}

// Four bytes for each member: which part of a real checkpoint it is like, and how it differs; then the data of all, again and again from the beginning.
static void read_described(const uint8_t* data, size_t size)
{
    scree_checkpoint likeness = {.dim = 2 + data[0] % 2, .count = data[0] / 2 % 8, .integrator = data[0] / 16 % 2, .has_bodies = data[0] / 32 % 2, .scene_length = 3};
    likeness.shapes.count = likeness.has_bodies;
    likeness.dim = likeness.has_bodies ? 2 : likeness.dim;
    likeness.integrator = likeness.has_bodies ? 0 : likeness.integrator;
    if (!likeness.has_bodies) {
        likeness.memory = (scree_checkpoint_memory){.law = "record", .words = data[1] / 2 % 4, .periodic = data[1] / 32 % 2};
        likeness.memory.count = likeness.memory.words > 0 ? data[1] / 8 % 4 : 0;
        likeness.motions.count = data[1] / 64 % 4;
    }
    for (int k = 0; k < data[0] / 64; ++k)
        demand(scree_checkpoint_set_integer(&likeness, k == 0 ? "frames" : k == 1 ? "seconds" : "steps", k) == SCREE_OK, "no number");
    part real[part_most], parts[part_most];
    int32_t most = checkpoint_parts(&likeness, 3, real), count = data[1] % 2 == 0 ? most : data[1] % part_most;
    enum { content_size = 20480 };  // 255 rows of 9 numbers, and a place for each part
    char* content = malloc(content_size);
    demand(content != NULL, "no memory");
    for (size_t k = 0; k < content_size; ++k)
        content[k] = (char)data[k % size];
    for (int32_t k = 0; k < count; ++k) {
        size_t at = 2 + 4 * (size_t)k;
        uint8_t change[4] = {0};
        for (size_t j = 0; j < 4 && at + j < size; ++j)
            change[j] = data[at + j];
        parts[k] = real[(k + change[0]) % most];
        part* p = &parts[k];
        p->data = content + 8 * k;
        if (change[1] % 8 == 1)
            p->kind = (part_kind)(change[2] % part_kinds);
        if (change[1] % 8 == 2)
            p->shape[0] = change[2];
        if (change[1] % 8 == 3)
            p->shape[change[3] % 2] = change[2] % 10;
        if (change[1] % 8 == 4)
            p->name[change[3] % strlen(p->name)] = (char)(change[2] == 0 ? 1 : change[2]);
        if (change[1] % 8 == 5)
            p->axes = change[2] % 3;
        if (p->kind == PART_TEXT)
            p->axes = 0, p->shape[1] = 1;
        for (int32_t axis = p->axes; axis < 2 && p->kind != PART_TEXT; ++axis)
            p->shape[axis] = 1;
    }
    char path[64];
    int fd = empty_file(path);
    scree_output output;
    demand(scree_output_open(&output, path, (scree_watch){0}) == SCREE_OK, "the temporary file cannot be opened");
    checkpoint_put_parts(&output, parts, count, checkpoint_version(&likeness));
    demand(scree_output_close(&output, SCREE_OK) == SCREE_OK, "the members cannot be written");
    size_t written_size;
    char* bytes = written(fd, &written_size);
    read_and_write(bytes, written_size);
    free(bytes);
    free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    scree_checkpoint c;
    if (read_checkpoint((const char*)data, size, size > 0 ? 1 + data[size - 1] % 32 : 1, &c) == SCREE_OK)
        scree_checkpoint_free(&c);
    if (size >= 2)
        read_described(data, size);
    if (size < seal_size)
        return 0;
    char* bytes = malloc(size);
    demand(bytes != NULL, "no memory");
    memcpy(bytes, data, size);
    for (int32_t version = 4; version <= SCREE_CHECKPOINT_VERSION; ++version) {
        put_seal(bytes, size, version);
        read_and_write(bytes, size);
    }
    free(bytes);
    return 0;
}
