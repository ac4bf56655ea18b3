// The file of a checkpoint: a zip of .npy arrays that any reader of the format can open, slices in any order give the same file, and a file that was cut or altered in any byte, a full disk
// or a failing system call is reported. test_checkpoint.c has round trips and simulations that continue.
#include "checkpoint_support.h"

#include "files/checkpoint_layout.h"
#include "files/crc64.h"
#include "scenes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

// ---- As a zip of .npy arrays -----------------------------------------------------------------------------------------

typedef struct zip {
    int fd;
    int64_t size;
    int64_t directory, entries;
} zip;

static uint64_t number_at(const zip* z, int64_t at, int bytes)
{
    unsigned char b[8] = {0};
    uint64_t value = 0;
    assert_int_equal(pread(z->fd, b, (size_t)bytes, at), bytes);
    for (int k = 0; k < bytes; ++k)
        value |= (uint64_t)b[k] << 8 * k;
    return value;
}

// Finds the directory as APPNOTE.TXT says, from the end.
static zip open_zip(const char* path)
{
    zip z = {.fd = open(path, O_RDONLY)};
    assert_true(z.fd >= 0);
    z.size = lseek(z.fd, 0, SEEK_END);
    int64_t end = z.size - 22;
    while (end >= 0 && (number_at(&z, end, 4) != 0x06054b50 || end + 22 + (int64_t)number_at(&z, end + 20, 2) != z.size))
        --end;
    assert_true(end >= 0);
    z.entries = (int64_t)number_at(&z, end + 10, 2);
    z.directory = (int64_t)number_at(&z, end + 16, 4);
    if (z.directory == UINT32_MAX) {
        assert_int_equal(number_at(&z, end - 20, 4), 0x07064b50);
        int64_t record = (int64_t)number_at(&z, end - 12, 8);
        assert_int_equal(number_at(&z, record, 4), 0x06064b50);
        assert_int_equal(record + 12 + (int64_t)number_at(&z, record + 4, 8), end - 20);
        z.entries = (int64_t)number_at(&z, record + 32, 8);
        z.directory = (int64_t)number_at(&z, record + 48, 8);
        assert_int_equal(z.directory + (int64_t)number_at(&z, record + 40, 8), record);
    }
    return z;
}

// The value of a field, or if all its bits are set the next number of Zip64's extra field, which lies at *wide.
static int64_t wide_field(const zip* z, int64_t at, int64_t* wide)
{
    uint64_t value = number_at(z, at, 4);
    if (value != UINT32_MAX)
        return (int64_t)value;
    assert_true(*wide > 0);
    *wide += 8;
    return (int64_t)number_at(z, *wide - 8, 8);
}

// Zip64's field among the extra fields, behind its own head; 0: there is none.
static int64_t wide_extra(const zip* z, int64_t at, int64_t length)
{
    int64_t found = 0, end = at + length;
    for (; at + 4 <= end; at += 4 + (int64_t)number_at(z, at + 2, 2))
        if (number_at(z, at, 2) == 1)
            found = at + 4;
    assert_int_equal(at, end);
    return found;
}

// One member by the book: the entry at *at, which moves on, and the header that it leads to. Returns where the member begins.
static int64_t check_member(const zip* z, int64_t* at, const char* name, int64_t* size)
{
    char found[100] = "";
    size_t length = (size_t)number_at(z, *at + 28, 2);
    int64_t extra = (int64_t)number_at(z, *at + 30, 2), wide = wide_extra(z, *at + 46 + (int64_t)length, extra);
    assert_int_equal(number_at(z, *at, 4), 0x02014b50);
    assert_true(length < sizeof found && pread(z->fd, found, length, *at + 46) == (ssize_t)length);
    assert_string_equal(found, name);
    assert_int_equal(number_at(z, *at + 8, 4), 0);  // flags, method
    assert_true((wide > 0) == (number_at(z, *at + 6, 2) == 45));
    int64_t original = wide_field(z, *at + 24, &wide);
    *size = wide_field(z, *at + 20, &wide);
    assert_int_equal(original, *size);
    int64_t local = wide_field(z, *at + 42, &wide);
    assert_int_equal(number_at(z, local, 4), 0x04034b50);
    assert_int_equal(number_at(z, local + 14, 4), number_at(z, *at + 16, 4));
    assert_int_equal(number_at(z, local + 26, 2), length);
    memset(found, 0, sizeof found);
    assert_int_equal(pread(z->fd, found, length, local + 30), length);
    assert_string_equal(found, name);
    int64_t local_extra = (int64_t)number_at(z, local + 28, 2), begin = local + 30 + (int64_t)length + local_extra;
    wide = wide_extra(z, local + 30 + (int64_t)length, local_extra);
    assert_int_equal(wide_field(z, local + 22, &wide), *size);
    assert_int_equal(wide_field(z, local + 18, &wide), *size);
    assert_int_equal(begin % 64, 0);
    *at += 46 + (int64_t)length + extra;
    return begin;
}

// A part as a reader of zip and .npy finds it: its header, its data at a multiple of 64, its checksum.
static void check_part(const zip* z, int64_t* at, const part* p)
{
    char name[100], wanted[200];
    static const char* const descr[] = {"<f8", "<i8", "<u8", "<i4", "<u2", "|u1", "|i1", "|S"};
    int64_t size, entry = *at;
    snprintf(name, sizeof name, "%s.npy", p->name);
    int64_t begin = check_member(z, at, name, &size);
    int used = snprintf(wanted, sizeof wanted, "{'descr': '%s", descr[p->kind]);
    if (p->kind == PART_TEXT)
        used += snprintf(wanted + used, sizeof wanted - (size_t)used, "%" PRId64, p->shape[0]);
    used += snprintf(wanted + used, sizeof wanted - (size_t)used, "', 'fortran_order': False, 'shape': (");
    for (int k = 0; k < p->axes; ++k)
        used += snprintf(wanted + used, sizeof wanted - (size_t)used, k == 0 && p->axes == 1 ? "%" PRId64 "," : k == 0 ? "%" PRId64 ", " : "%" PRId64, p->shape[k]);
    snprintf(wanted + used, sizeof wanted - (size_t)used, "), }");
    char* bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(pread(z->fd, bytes, (size_t)size, begin), size);
    assert_memory_equal(bytes, "\x93NUMPY\1\0", 8);
    size_t header = (size_t)number_at(z, begin + 8, 2);
    assert_int_equal((10 + header) % 64, 0);
    assert_memory_equal(bytes + 10, wanted, strlen(wanted));
    for (size_t k = strlen(wanted); k < header; ++k)
        assert_int_equal(bytes[10 + k], k == header - 1 ? '\n' : ' ');
    assert_int_equal(size, (int64_t)(10 + header) + checkpoint_bytes(p));
    if (p->shape[0] > 0)
        assert_memory_equal(bytes + 10 + header, p->data, (size_t)checkpoint_bytes(p));  // on a little-endian machine
    assert_int_equal(crc32(0, (unsigned char*)bytes, (unsigned)size), number_at(z, entry + 16, 4));
    free(bytes);
}

static void test_zip(void** state)
{
    (void)state;
    static const int32_t counts[] = {0, 1, 1000};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        scree_checkpoint c = random_checkpoint(3, counts[n], 8 + n);
        if (n > 0)
            add_memory(&c, n == 1, 3, 1, n);
        if (n == 1)
            CHECK_OK(scree_checkpoint_set_scene(&c, "", 0));
        CHECK_OK(scree_write_checkpoint(in_folder("a.npz"), &c));
        snprintf(c.library, sizeof c.library, "%s", scree_version());
        part parts[part_most];
        int32_t count = parts_of(&c, parts);
        zip z = open_zip(in_folder("a.npz"));
        assert_int_equal(z.entries, count);
        int64_t at = z.directory;
        for (int32_t k = 0; k < count; ++k)
            check_part(&z, &at, &parts[k]);
        assert_int_equal(number_at(&z, at, 4), 0x06054b50);
        close(z.fd);
        scree_checkpoint_free(&c);
    }
}

// All kinds with all numbers of axes; these are parts, but no checkpoint.
static void test_kinds(void** state)
{
    (void)state;
    part parts[part_most] = {0};
    char data[48];
    int32_t count = 0;
    for (int k = 0; k < 48; ++k)
        data[k] = (char)(7 * k + 1);
    for (part_kind kind = 0; kind < part_kinds; ++kind)
        for (int32_t axes = 0; axes <= (kind == PART_TEXT ? 0 : 2); ++axes) {
            part* p = &parts[count++];
            *p = (part){.kind = kind, .axes = axes, .shape = {axes > 0 ? 2 : 1, axes > 1 ? 3 : 1}, .data = data};
            if (kind == PART_TEXT)
                p->shape[0] = 48;
            snprintf(p->name, sizeof p->name, "%d/part_%d", (int)kind, (int)axes);
        }
    CHECK_FAILS(read_parts(parts, count, 4), SCREE_ERR_FORMAT, "'x'");  // is not there: the members themselves are right
    zip z = open_zip(in_folder("parts.npz"));
    int64_t at = z.directory;
    for (int32_t k = 0; k < count; ++k)
        check_part(&z, &at, &parts[k]);
    close(z.fd);
}

// Many writers: rows in slices of any size and order, heads and tail at any time once the sums are there.
static void test_slices(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 5000, 6);
    add_memory(&c, true, 3, 1, 6);
    snprintf(c.library, sizeof c.library, "%s", scree_version());
    size_t size, again;
    char* serial = bytes_of(&c, &size);
    scree_rng rng = scree_rng_make(3, 0);
    part parts[part_most];
    int32_t count = parts_of(&c, parts);
    assert_int_equal(checkpoint_lay_out(parts, count), size);
    enum { slices = 9 };
    int64_t first[part_most][slices + 1];
    part_sums sums[part_most][slices];
    struct {
        int32_t part, slice;
    } order[part_most * slices];
    int32_t pieces = 0;
    for (int32_t k = 0; k < count; ++k)
        for (int32_t j = 0; j < slices; ++j) {
            first[k][j] = j == 0 ? 0 : (int64_t)scree_rng_below(&rng, (uint64_t)(parts[k].shape[0] - first[k][j - 1]) + 1) / 2 + first[k][j - 1];
            first[k][slices] = parts[k].shape[0];
            int32_t to = (int32_t)scree_rng_below(&rng, (uint64_t)pieces + 1);
            order[pieces++] = order[to];
            order[to].part = k;
            order[to].slice = j;
        }
    scree_output output;
    CHECK_OK(scree_output_open(&output, in_folder("a.npz"), (scree_watch){0}));
    for (int32_t n = 0; n < pieces; ++n) {
        const part* p = &parts[order[n].part];
        const int64_t* f = &first[order[n].part][order[n].slice];
        const char* from = (const char*)p->data + f[0] * checkpoint_row_bytes(p);
        sums[order[n].part][order[n].slice] = checkpoint_sum_rows(p, f[1] - f[0], from);
        checkpoint_put_rows(&output, p, f[0], f[1] - f[0], from);
    }
    for (int32_t k = count - 1; k >= 0; --k) {
        part_sums all = {0};
        for (int32_t j = 0; j < slices; ++j)
            all = checkpoint_join(all, sums[k][j]);
        checkpoint_set_sums(&parts[k], all);
    }
    checkpoint_put_tail(&output, parts, count, 5);
    for (int32_t k = count - 1; k >= 0; --k)
        checkpoint_put_head(&output, &parts[k]);
    CHECK_OK(scree_output_close(&output, SCREE_OK));
    char* sliced = get_file(in_folder("a.npz"), &again);
    assert_int_equal(again, size);
    assert_memory_equal(sliced, serial, size);
    // What cannot be replaced takes the bytes in order only.
    CHECK_OK(scree_output_open(&output, "/dev/null", (scree_watch){0}));
    checkpoint_put_head(&output, &parts[1]);
    CHECK_FAILS(scree_output_close(&output, output.status), SCREE_ERR_IO, "/dev/null", "byte 0");
    free(serial);
    free(sliced);
    scree_checkpoint_free(&c);
}

// Sums of zeros, by doubling.
static part_sums sum_of_zeros(int64_t bytes)
{
    static const double zeros[4096];
    part_sums power = checkpoint_sum_rows(&(part){.kind = PART_UINT8, .shape = {1, 1}}, 1, zeros), all = {0};
    for (; bytes > 0; bytes >>= 1, power = checkpoint_join(power, power))
        if (bytes & 1)
            all = checkpoint_join(all, power);
    return all;
}

// Members before, at and beyond 4 GiB, in a file of holes: sizes and offsets have their Zip64 form where they need it, and nowhere else.
static void test_beyond_4_gib(void** state)
{
    (void)state;
    static double few[] = {1.0, 2.0, 3.0};
    static const int64_t members[] = {UINT32_MAX - (int64_t)1, UINT32_MAX, (int64_t)UINT32_MAX + 1, (int64_t)5 << 32};
    for (size_t n = 0; n < sizeof members / sizeof *members; ++n) {
        part parts[] = {{.name = "first", .kind = PART_FLOAT64, .axes = 1, .shape = {3, 1}, .data = few},
                        {.name = "holes", .kind = PART_UINT8, .axes = 1, .shape = {members[n] - 128, 1}},
                        {.name = "last", .kind = PART_FLOAT64, .axes = 1, .shape = {3, 1}, .data = few}};
        scree_output output;
        int64_t size = checkpoint_lay_out(parts, 3), sizes[3], begins[3];
        CHECK_OK(scree_output_open(&output, in_folder("a.npz"), (scree_watch){0}));
        for (int k = 0; k < 3; ++k) {
            checkpoint_set_sums(&parts[k], parts[k].data == NULL ? sum_of_zeros(parts[k].shape[0]) : checkpoint_sum_rows(&parts[k], 3, few));
            checkpoint_put_head(&output, &parts[k]);
            if (parts[k].data != NULL)
                checkpoint_put_rows(&output, &parts[k], 0, 3, few);
        }
        checkpoint_put_tail(&output, parts, 3, 4);
        CHECK_OK(scree_output_close(&output, SCREE_OK));
        zip z = open_zip(in_folder("a.npz"));
        assert_int_equal(z.size, size);
        assert_int_equal(z.entries, 3);
        int64_t at = z.directory;
        check_part(&z, &at, &parts[0]);
        int64_t entry = at;
        begins[1] = check_member(&z, &at, "holes.npy", &sizes[1]);
        assert_true((number_at(&z, entry + 20, 4) == UINT32_MAX) == (members[n] >= UINT32_MAX));
        assert_int_equal(number_at(&z, entry + 30, 2), members[n] >= UINT32_MAX ? 20 : 0);
        assert_int_equal(sizes[1], members[n]);
        assert_int_equal(begins[1] + 128, parts[1].data_at);
        entry = at;
        check_part(&z, &at, &parts[2]);
        assert_int_equal(number_at(&z, entry + 30, 2), 12);  // the last one begins beyond in all cases
        close(z.fd);
        unlink(in_folder("a.npz"));
    }
}

// ---- Files that are not whole ------------------------------------------------------------------------------------

static void test_cuts(void** state)
{
    (void)state;
    for (int n = 0; n < 2; ++n) {
        scree_checkpoint c = random_checkpoint(2, n == 0 ? 2 : 5000, 4), none = {0};
        size_t size;
        char* bytes = bytes_of(&c, &size);
        scree_rng rng = scree_rng_make(1, 0);
        for (size_t k = 0; k < (n == 0 ? size : 200); ++k) {
            size_t cut = n == 0 ? k : (size_t)scree_rng_below(&rng, size);
            char place[40];
            snprintf(place, sizeof place, "cut short after %zu bytes", cut);
            CHECK_FAILS(read_bytes(bytes, cut, &none), SCREE_ERR_FORMAT, "m.npz", cut == 0 ? "empty" : place);
        }
        for (size_t more = 1; more < 100; ++more) {  // and what was added to
            char* longer = calloc(size + more, 1);
            assert_non_null(longer);
            memcpy(longer, bytes, size);
            CHECK_FAILS(read_bytes(longer, size + more, &none), SCREE_ERR_FORMAT, "m.npz");
            memcpy(longer + more, bytes, size);  // in front
            CHECK_FAILS(read_bytes(longer, size + more, &none), SCREE_ERR_FORMAT, "m.npz");
            free(longer);
        }
        free(bytes);
        scree_checkpoint_free(&c);
    }
}

static void test_flips(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 2, 4), none = {0};
    size_t size;
    char* bytes = bytes_of(&c, &size);
    for (size_t k = 0; k < size; k += test_is_small() ? 5 : 1)
        for (int bit = 0; bit < 8; bit += k % 16 == 0 ? 1 : 7) {
            bytes[k] = (char)(bytes[k] ^ 1 << bit);
            if (read_bytes(bytes, size, &none) != SCREE_ERR_FORMAT)
                fail_msg("bit %d of byte %zu of %zu turned, and nobody saw it", bit, k, size);
            if (k < size - seal_size)
                assert_non_null(strstr(scree_error_message(), "m.npz: the file was altered"));
            bytes[k] = (char)(bytes[k] ^ 1 << bit);
        }
    CHECK_OK(read_bytes(bytes, size, &none));
    scree_checkpoint_free(&none);
    scree_checkpoint_free(&c);
    free(bytes);
}

// Every byte altered behind a right checksum: an answer or a refusal, and never more memory than the file warrants. Headers and directory are as they must
// be, to the last bit.
static void test_flips_resealed(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 2, 4), back = {0};
    add_memory(&c, true, 2, 1, 4);
    size_t size;
    char* bytes = bytes_of(&c, &size);
    part parts[part_most];
    snprintf(c.library, sizeof c.library, "%s", scree_version());
    int32_t count = parts_of(&c, parts), next = 0;
    checkpoint_lay_out(parts, count);
    for (size_t k = 0; k < size - seal_size; k += test_is_small() ? 7 : 3) {  // headers are alike: each of their bytes comes in some of them
        while (next < count && (int64_t)k >= parts[next].data_at + checkpoint_bytes(&parts[next]))
            ++next;
        bool in_data = next < count && (int64_t)k >= parts[next].data_at;
        for (int value = 1; value < 256; value = value * 3 + 1) {
            bytes[k] = (char)(bytes[k] ^ value);
            reseal(bytes, size);
            scree_status status = read_bytes(bytes, size, &back);
            if (status == SCREE_OK && in_data)
                scree_checkpoint_free(&back);
            else if (status != SCREE_ERR_FORMAT || strncmp(scree_error_message(), "m.npz: ", 7) != 0)
                fail_msg("byte %zu of %zu gives %d: %s", k, size, (int)status, scree_error_message());
            bytes[k] = (char)(bytes[k] ^ value);
        }
    }
    scree_checkpoint_free(&c);
    free(bytes);
}

// Files that are whole, by their seal, but no checkpoints: one part is another than it should be.
static void test_wrong_content(void** state)
{
    (void)state;
    static char text[64] = "a text with a\0NUL, and longer than a version is";
    static const struct {
        const char *part, *name;  // the second: its new name, if it gets one
        part_kind kind;
        int32_t axes;
        int64_t rows, columns;  // rows 0: shape and kind as they were
        void* data;
        const char* message;
    } bad[] = {
        {"x", .kind = PART_INT64, .axes = 2, .rows = 2, .columns = 3, .message = "m.npz | 'x' | int64 | float64"},
        {"x", .kind = PART_FLOAT64, .axes = 1, .rows = 2, .columns = 1, .message = "'x' | (2,) | (2, 3)"},
        {"x", .kind = PART_FLOAT64, .axes = 2, .rows = 1, .columns = 3, .message = "'v' | 1 spheres"},
        {"x", .kind = PART_FLOAT64, .axes = 2, .rows = 1, .columns = 4, .message = "'x' | (1, 4)"},
        {"x", .kind = PART_UINT8, .axes = 2, .rows = 2, .columns = 17, .message = "byte 0"},
        {"x", "v", .message = "'v'"},
        {"x", "X", .message = "byte 0"},
        {"x", "x.npy", .message = "byte 0"},
        {"v", "w", .message = "'v'"},
        {"v", "x_before", .message = "'v'"},
        {"v", "shape_first", .message = "'shape_xy'"},
        {"wall_since", "x_before", .message = "'x_before'"},
        {"key", .kind = PART_FLOAT64, .axes = 1, .rows = 1, .columns = 1, .message = "'key' | 2 spheres"},
        {"key", .kind = PART_UINT8, .axes = 2, .rows = 2, .columns = 1, .message = "'key' | (2, 1) | (2,)"},
        {"giant_radius", "wall_at", .message = "'wall_at'"},
        {"step", .kind = PART_INT64, .axes = 1, .rows = 1, .columns = 1, .message = "'step' | (1,) | one int64"},
        {"gravity", "gravities", .message = "'gravities'"},
        {"scene", .kind = PART_UINT8, .axes = 1, .rows = 2, .columns = 1, .message = "'scene'"},
        {"scene", .kind = PART_TEXT, .rows = 20, .columns = 1, .data = text, .message = "byte 13"},
        {"library", .kind = PART_TEXT, .rows = 32, .columns = 1, .data = text, .message = "'library'"},
        {"library", .kind = PART_TEXT, .rows = 20, .columns = 1, .data = text, .message = "NUL"},
        {"progress/frames", "progress/a/b", .message = "'progress/a/b'"},
        {"progress/frames", "progress/", .message = "'progress/'"},
        {"progress/frames", "further", .message = "'further'"},
        {"progress/frames", .kind = PART_UINT64, .rows = 1, .columns = 1, .message = "'progress/frames' | uint64"},
        {"progress/frames", .kind = PART_UINT16, .rows = 1, .columns = 1, .message = "'progress/frames' | uint16"},
        {"hash", .kind = PART_UINT64, .rows = 1, .columns = 1, .data = text, .message = "hash"},
    };
    scree_checkpoint c = random_checkpoint(3, 2, 4), none = {0};
    snprintf(c.library, sizeof c.library, "%s", scree_version());
    part parts[part_most];
    int32_t count = parts_of(&c, parts);
    CHECK_OK(read_parts(parts, count, 4));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        count = parts_of(&c, parts);
        part* p = parts;
        while (strcmp(p->name, bad[k].part) != 0)
            ++p;
        assert_true(p < parts + count);
        if (bad[k].name != NULL)
            snprintf(p->name, sizeof p->name, "%s", bad[k].name);
        if (bad[k].rows > 0) {
            p->kind = bad[k].kind;
            p->axes = bad[k].axes;
            p->shape[0] = bad[k].rows;
            p->shape[1] = bad[k].columns;
        }
        if (bad[k].data != NULL)
            p->data = bad[k].data;
        CHECK_FAILS(read_parts(parts, count, 4), SCREE_ERR_FORMAT, bad[k].message);
    }
    static const int32_t versions[] = {0, 1, 3, 9, 9999};
    for (size_t k = 0; k < sizeof versions / sizeof *versions; ++k) {
        char named[32];
        snprintf(named, sizeof named, "version %d", (int)versions[k]);
        count = parts_of(&c, parts);
        CHECK_FAILS(read_parts(parts, count, versions[k]), SCREE_ERR_FORMAT, named, "4 to 8");
    }
    for (int32_t left = 0; left < count - c.number_count; ++left)  // only the first members, with a directory for these
        CHECK_FAILS(read_parts(parts, left, 4), SCREE_ERR_FORMAT);
    CHECK_FAILS(read_bytes("x,y,r\n1,2,3\n", 12, &none), SCREE_ERR_FORMAT, "m.npz");
    // A shape whose bytes no number holds, and more members than any checkpoint has.
    size_t size;
    char *bytes = bytes_of(&c, &size), *shape = bytes;
    while (memcmp(shape, "(2, 3), }", 9) != 0)
        ++shape;
    memcpy(shape, "(999999999999999999, 8), }", 26);
    reseal(bytes, size);
    CHECK_FAILS(read_bytes(bytes, size, &none), SCREE_ERR_FORMAT, "byte 0");
    free(bytes);
    bytes = calloc(part_most + 2, part_head_most);
    assert_non_null(bytes);
    int64_t at = 0;
    for (int k = 0; k <= part_most; ++k) {
        part p = {.kind = PART_UINT8, .shape = {1, 1}};
        snprintf(p.name, sizeof p.name, "member_%d", k);
        int64_t next = checkpoint_place(&p, at);
        checkpoint_head(&p, bytes + at);
        at = next;
    }
    reseal(bytes, (size_t)at + seal_size);
    snprintf(text, sizeof text, "at most %d", (int)part_most);
    CHECK_FAILS(read_bytes(bytes, (size_t)at + seal_size, &none), SCREE_ERR_FORMAT, text);
    free(bytes);
    scree_checkpoint_free(&c);
}

// Version 0.1 wrote HDF5: reported, and what to do.
static void test_file_of_0_1(void** state)
{
    (void)state;
    scree_checkpoint none = {0};
    size_t size;
    char* bytes = get_file(TEST_DATA "/checkpoint/version_1.h5", &size);
    CHECK_FAILS(scree_read_checkpoint(TEST_DATA "/checkpoint/version_1.h5", &none), SCREE_ERR_FORMAT, "version_1.h5", "HDF5", "scree 0.1");
    CHECK_FAILS(read_bytes(bytes, 2000, &none), SCREE_ERR_FORMAT, "HDF5", "scree 0.1");
    free(bytes);
}

// A file that an earlier build wrote: its bytes mean the same for ever.
static void test_file_of_version_4(void** state)
{
    (void)state;
    scree_checkpoint c;
    CHECK_OK(scree_read_checkpoint(TEST_DATA "/checkpoint/version_4.npz", &c));
    assert_int_equal(c.format_version, 4);
    assert_string_equal(c.library, "0.1.0");
    assert_int_equal(c.count, 2);
    assert_int_equal(c.dim, 2);
    assert_int_equal(c.step, 1000);
    static const double x[] = {0.25, 0.5, 0.75, -0.5}, v[] = {1, 2, -1, -2}, a[] = {0, -9.81, 0, -9.81}, r[] = {0.125, 0.0625};
    check_same_bits(x, numbers_of(&c, "x"), 4, "x");
    check_same_bits(v, numbers_of(&c, "v"), 4, "v");
    check_same_bits(a, numbers_of(&c, "a"), 4, "a");
    check_same_bits(r, numbers_of(&c, "radius"), 2, "radius");
    const uint64_t* key = scree_checkpoint_get_values(&c, "key", SCREE_TYPE_UINT64);
    assert_true(key[0] == UINT64_C(0x123456789abcdef0) && key[1] == 7);
    assert_null(scree_checkpoint_get_values(&c, "key", SCREE_TYPE_INT64));
    assert_true(c.giant_radius == 8.0 && c.force_quantum == 0x1p-40);
    assert_true(c.walls.at[0][1] == 1.0 && c.walls.at[1][1] == INFINITY && c.walls.velocity[0][0] == 0.5);
    assert_true(c.walls.gravity[1] == -9.81 && c.walls.turn[2] == 0.25);
    assert_int_equal(c.walls.since, 10);
    assert_int_equal(c.walls.gravity_since, 20);
    assert_true(c.time_step == 1e-3);
    assert_string_equal(c.scene, "dimension: 2\n");
    assert_int_equal(scree_checkpoint_find(&c, "frames")->integer, 12);
    assert_true(scree_checkpoint_find(&c, "seconds")->value == 2.5);
    assert_true(c.memory.words == 0 && c.memory.ij == NULL && c.motions.count == 0);
    // Written again it is the same but for the version of the library: up to the header of that member to the byte.
    size_t size, again;
    char *was = get_file(TEST_DATA "/checkpoint/version_4.npz", &size), *is = bytes_of(&c, &again);
    part parts[part_most];
    int32_t library = 0;
    checkpoint_lay_out(parts, parts_of(&c, parts));
    while (strcmp(parts[library].name, "library") != 0)
        ++library;
    assert_int_equal(size, again);
    assert_memory_equal(was, is, (size_t)parts[library].head_at);
    free(was);
    free(is);
    scree_checkpoint_free(&c);
}

// The same for memory of contacts and motions of boundaries.
static void test_file_of_version_5(void** state)
{
    (void)state;
    scree_checkpoint c;
    CHECK_OK(scree_read_checkpoint(TEST_DATA "/checkpoint/version_5.npz", &c));
    assert_int_equal(c.format_version, 5);
    assert_true(c.count == 3 && c.dim == 3 && c.step == 1000);
    assert_string_equal(c.memory.law, "record");
    assert_true(c.memory.words == 3 && c.memory.periodic && c.memory.count == 4 && c.motions.count == 1);
    static const int64_t ij[4][2] = {{0, 1}, {0, 1}, {1, 2}, {2, -7}};
    static const int8_t shift[4][3] = {{0, -1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    static const double values[12] = {7, 0.5, 0.25, 3, 0.125, -0.125, 1, 0.0625, 0, 40, 2.5, -1.5}, spin[3] = {0, 0, -0.5}, at[3] = {1, 2, 3},
                        velocity[3] = {0.5, 0, -0.25};
    assert_memory_equal(c.memory.ij, ij, sizeof ij);
    assert_memory_equal(c.memory.shift, shift, sizeof shift);
    check_same_bits(values, c.memory.values, 12, "values");
    check_same_bits(at, c.motions.at[0], 3, "at");
    check_same_bits(velocity, c.motions.velocity[0], 3, "velocity");
    check_same_bits(spin, c.motions.spin[0], 3, "spin");
    assert_int_equal(c.motions.since[0], 600);
    scree_checkpoint_free(&c);
}

// ---- What can fail -----------------------------------------------------------------------------------------------

static void test_nth_system_call_fails(void** state)
{
    (void)state;
    scree_checkpoint c = random_checkpoint(3, 40000, 2);  // several buffers
    const char* path = in_folder("a.npz");
    for (int existing = 0; existing < 2; ++existing)
        for (int64_t n = 1;; ++n) {
            unlink(path);
            if (existing)
                put_text(path, OLD);
            scree_output_fail_at(n, ENOSPC);
            scree_status status = scree_write_checkpoint(path, &c);
            int64_t calls = scree_output_fail_at(0, 0);
            if (status == SCREE_OK) {
                assert_true(calls < n && calls > 6);
                break;
            }
            assert_int_equal(status, SCREE_ERR_IO);
            assert_non_null(strstr(scree_error_message(), path));
            assert_non_null(strstr(scree_error_message(), strerror(ENOSPC)));
            if (!is_written_anyway()) {
                if (existing)
                    CHECK_FILE(path, OLD);
                assert_int_equal(files_in_folder(), existing);
            }
        }
    scree_checkpoint_free(&c);
}

// The same where rows are not written in order: then there are positions to go to.
static void test_nth_system_call_of_slices_fails(void** state)
{
    (void)state;
    static double numbers[] = {1.0, 2.0, 3.0};
    for (int64_t n = 1;; ++n) {
        part parts[] = {{.name = "a", .kind = PART_FLOAT64, .axes = 1, .shape = {3, 1}}, {.name = "b", .kind = PART_FLOAT64, .axes = 1, .shape = {3, 1}}};
        scree_output output;
        checkpoint_lay_out(parts, 2);
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_output_open(&output, in_folder("a.npz"), (scree_watch){0});
        for (int k = 5; k >= 0 && status == SCREE_OK; --k)
            checkpoint_put_rows(&output, &parts[k / 3], k % 3, 1, &numbers[k % 3]);
        if (status == SCREE_OK)
            status = scree_output_close(&output, SCREE_OK);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            assert_true(calls < n && calls > 12);
            break;
        }
        assert_int_equal(status, SCREE_ERR_IO);
        assert_non_null(strstr(scree_error_message(), "a.npz"));
        if (!is_written_anyway())
            assert_int_equal(files_in_folder(), 0);
    }
}

// A disk that really takes no more: the old checkpoint stays, byte for byte.
static void test_full_disk(void** state)
{
    (void)state;
    scree_checkpoint small = random_checkpoint(2, 10, 1), large = random_checkpoint(3, 20000, 2), back;
    const char* path = in_folder("a.npz");
    CHECK_OK(scree_write_checkpoint(path, &small));
    CHECK_FAILS(scree_write_checkpoint("/dev/full", &large), SCREE_ERR_IO, "/dev/full");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {100000, 100000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        scree_status status = scree_write_checkpoint(path, &large);
        _exit(status == SCREE_ERR_IO && strstr(scree_error_message(), "File too large") != NULL ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    CHECK_OK(scree_read_checkpoint(path, &back));
    check_same_checkpoint(&small, &back);
    assert_int_equal(files_in_folder(), 1);
    scree_checkpoint_free(&small);
    scree_checkpoint_free(&large);
    scree_checkpoint_free(&back);
}

static void test_paths(void** state)
{
    (void)state;
    scree_checkpoint none;
    CHECK_FAILS(scree_read_checkpoint(in_folder("none.npz"), &none), SCREE_ERR_IO, "none.npz");
    CHECK_FAILS(scree_read_checkpoint(folder, &none), SCREE_ERR_IO);
    put_text(in_folder("empty.npz"), "");
    CHECK_FAILS(scree_read_checkpoint(in_folder("empty.npz"), &none), SCREE_ERR_FORMAT, "empty.npz");
    scree_checkpoint c = random_checkpoint(2, 5, 1);
    CHECK_FAILS(scree_write_checkpoint(in_folder("no/a.npz"), &c), SCREE_ERR_IO, "no/a.npz");
    int ends[2];  // a pipe takes the bytes as they come
    char name[64], through[20000];
    size_t size;
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    CHECK_OK(scree_write_checkpoint(name, &c));
    char* bytes = bytes_of(&c, &size);
    assert_true(size < sizeof through);
    assert_int_equal(read(ends[0], through, sizeof through), size);
    assert_memory_equal(through, bytes, size);
    close(ends[0]);
    close(ends[1]);
    free(bytes);
    scree_checkpoint_free(&c);
}

static const test_case cases[] = {
    UNIT(test_zip),
    UNIT(test_kinds),
    UNIT(test_slices),
    UNIT(test_beyond_4_gib),
    UNIT(test_cuts),
    UNIT(test_flips),
    UNIT(test_flips_resealed),
    UNIT(test_wrong_content),
    UNIT(test_file_of_0_1),
    UNIT(test_file_of_version_4),
    UNIT(test_file_of_version_5),
    ALLOCATION(test_nth_system_call_fails),
    ALLOCATION(test_nth_system_call_of_slices_fails),
    ALLOCATION(test_full_disk),
    UNIT(test_paths),
};

const test_group group_checkpoint_file = {.name = "checkpoint_file", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
