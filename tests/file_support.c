#include "file_support.h"

#include "files/checkpoint_layout.h"
#include "files/crc64.h"

#include <dirent.h>

char folder[256];

int make_folder(void** state)
{
    (void)state;
    const char* base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/scree-test-XXXXXX", base != NULL && strlen(base) < 200 ? base : "/tmp");
    return mkdtemp(folder) == NULL;
}

const char* in_folder(const char* name)
{
    static char kept[64][512];
    static int next;
    char* path = kept[next++ % 64];
    snprintf(path, 512, "%s/%s", folder, name);
    return path;
}

static bool is_entry(const struct dirent* entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

int files_in_folder(void)
{
    DIR* directory = opendir(folder);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;)
        count += is_entry(entry);
    closedir(directory);
    return count;
}

static void empty(const char* path)
{
    DIR* directory = opendir(path);
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        char inner[1024];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (is_entry(entry))
            remove_all(inner);
    }
    if (directory != NULL)
        closedir(directory);
}

void remove_all(const char* path)
{
    if (unlink(path) == 0)
        return;
    empty(path);
    rmdir(path);
}

int empty_folder(void)
{
    int count = files_in_folder();
    empty(folder);
    return count;
}

int start_clean(void** state)
{
    (void)state;
    empty_folder();
    return 0;
}

int remove_folder(void** state)
{
    (void)state;
    empty_folder();
    return rmdir(folder);
}

void put_file(const char* path, const char* from, size_t count)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(from, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

void put_text(const char* path, const char* text)
{
    put_file(path, text, strlen(text));
}

char* get_file(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s cannot be opened", path);
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file);
    rewind(file);
    char* text = malloc(count + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, count, file), count);
    text[count] = '\0';
    fclose(file);
    if (size != NULL)
        *size = count;
    return text;
}

void reseal(char* bytes, size_t size)
{
    char* seal = bytes + size - seal_size;
    int version = seal[0] == 's' ? atoi(seal + seal_version_at) : 4;  // that of the seal that is there
    checkpoint_seal(version, (int64_t)size, 0, seal);  // what the sum is over
    checkpoint_seal(version, (int64_t)size, scree_crc64(bytes, size - seal_size + seal_sum_at), seal);
}

scree_status read_memory(const format_under_test* format, const char* from, size_t count, int64_t block, scree_sphere_set* out)
{
    scree_input input;
    char* exact = malloc(count + (count == 0));  // of just that size, so that the address sanitizer sees the end
    assert_non_null(exact);
    memcpy(exact, from, count);
    scree_input_memory(&input, format->file, exact, (int64_t)count, block);
    scree_status status = format->read(&input, out);
    scree_input_close(&input);
    free(exact);
    return status;
}

scree_status read_string(const format_under_test* format, const char* text, scree_sphere_set* out)
{
    return read_memory(format, text, strlen(text), 1 << 16, out);
}

void check_same_numbers(const double* a, const double* b, int64_t count, unsigned keeps, const char* what)
{
    for (int64_t k = 0; k < count; ++k)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 && ((keeps & KEEPS_NAN) != 0 || !isnan(a[k]) || !isnan(b[k])))
            fail_msg("%s: entry %" PRId64 " was %.17g and is %.17g", what, k, a[k], b[k]);
}

void check_same_bits(const double* a, const double* b, int64_t count, const char* what)
{
    check_same_numbers(a, b, count, KEEPS_NAN, what);
}

void check_same_column(const scree_column* a, const scree_column* b, int64_t count, unsigned keeps)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->components, b->components);
    int64_t numbers = count * a->components;
    if (a->kind == SCREE_COLUMN_DOUBLE)
        check_same_numbers(a->values, b->values, numbers, keeps, a->name);
    else if (a->kind == SCREE_COLUMN_INT64)
        assert_memory_equal(a->integers, b->integers, (size_t)numbers * sizeof *a->integers);
    else
        for (int64_t i = 0; i < count; ++i)
            assert_string_equal(a->text + a->offset[i], b->text + b->offset[i]);
}

void check_kept_set(const scree_sphere_set* a, const scree_sphere_set* b, unsigned keeps)
{
    assert_int_equal(a->dim, b->dim);
    assert_int_equal(a->count, b->count);
    check_same_numbers(a->x, b->x, (int64_t)a->count * a->dim, keeps, "x");
    check_same_numbers(a->r, b->r, a->count, keeps, "r");
    assert_int_equal(a->column_count, b->column_count);
    for (int c = 0; c < a->column_count; ++c)
        check_same_column(&a->columns[c], &b->columns[c], a->count, keeps);
    assert_int_equal(b->has_box, (keeps & KEEPS_BOX) != 0 && a->has_box);
    assert_int_equal(b->box.dim, b->dim);
    for (int k = 0; k < a->dim && b->has_box; ++k) {
        check_same_numbers(&a->box.lower[k], &b->box.lower[k], 1, keeps, "lower end of the box");
        check_same_numbers(&a->box.upper[k], &b->box.upper[k], 1, keeps, "upper end of the box");
        assert_int_equal(a->box.periodic[k], b->box.periodic[k]);
        assert_true(k >= (a->dim == 2 ? 1 : 3) || a->box.tilt[k] == b->box.tilt[k]);
    }
}

void check_read_back(const scree_sphere_set* a, const scree_sphere_set* b, bool box)
{
    check_kept_set(a, b, box ? KEEPS_BOX : 0);
}

void check_two_spheres(const scree_sphere_set* set, int columns)
{
    static const double x[6] = {1, 2, 3, -5, 6.5, 70}, r[2] = {4, 0};
    assert_int_equal(set->dim, 3);
    assert_int_equal(set->count, 2);
    assert_int_equal(set->column_count, columns);
    for (int i = 0; i < 6; ++i)
        CHECK_CLOSE(set->x[i], x[i], 0.0);
    for (int i = 0; i < 2; ++i)
        CHECK_CLOSE(set->r[i], r[i], 0.0);
}

double random_length(scree_rng* rng)
{
    static const double edges[] = {0.0,  -0.0, 1e-140, 1e140, 0.1, 1.0, 123456789012345680.0, 9007199254740993.0,
                                   1e22, 1e23, 0.30000000000000004, 2.2250738585072014e-139, 1e15, 1e16, 1e17, 1e-5};
    if (scree_rng_below(rng, 8) == 0)
        return edges[scree_rng_below(rng, sizeof edges / sizeof *edges)];
    for (;;) {  // any bits that are a length
        uint64_t bits = scree_rng_bits(rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (fabs(value) >= SCREE_LENGTH_MIN && fabs(value) <= SCREE_LENGTH_MAX)
            return value;
    }
}

scree_sphere_set random_set(int32_t dim, int32_t count, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 0);
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(dim, count, &set));
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < dim; ++k)
            set.x[i * dim + k] = random_length(&rng);
        set.r[i] = fabs(random_length(&rng));
    }
    return set;
}

scree_sphere_set halved_set(int32_t dim, int32_t count, uint64_t seed)
{
    scree_sphere_set set = random_set(dim, count, seed);
    for (int i = 0; i < count; ++i)
        set.r[i] = set.r[i] / 2.0 < SCREE_LENGTH_MIN ? 0.0 : set.r[i] / 2.0;
    return set;
}

void add_words(scree_sphere_set* set, const char* name, const char* const* word, int words)
{
    scree_column* column;
    CHECK_OK(scree_sphere_set_add(set, name, SCREE_COLUMN_TEXT, 1, &column));
    scree_free(column->text);
    column->text = scree_malloc((size_t)set->count + 1, 32);
    assert_non_null(column->text);
    column->text[0] = '\0';
    int64_t used = 0;
    for (int i = 0; i < set->count; ++i) {
        column->offset[i] = used;
        strcpy(column->text + used, word[i % words]);
        used += (int64_t)strlen(word[i % words]) + 1;
    }
}

void add_hard_numbers(scree_sphere_set* set, const char* odd)
{
    scree_rng rng = scree_rng_make(7, 1);
    scree_column* column;
    CHECK_OK(scree_sphere_set_add(set, "v", SCREE_COLUMN_DOUBLE, 3, &column));
    for (int k = 0; k < 3 * set->count; ++k) {
        uint64_t bits = scree_rng_bits(&rng);
        memcpy(&column->values[k], &bits, sizeof bits);
    }
    CHECK_OK(scree_sphere_set_add(set, odd, SCREE_COLUMN_DOUBLE, 1, &column));
    for (int k = 0; k < set->count; ++k)
        column->values[k] = k % 3 == 0 ? NAN : k % 3 == 1 ? INFINITY : -DBL_TRUE_MIN;
    CHECK_OK(scree_sphere_set_add(set, "id", SCREE_COLUMN_INT64, 1, &column));
    for (int k = 0; k < set->count; ++k)
        column->integers[k] = k % 2 == 0 ? INT64_MAX - k : INT64_MIN + k;
    CHECK_OK(scree_sphere_set_add(set, "cell", SCREE_COLUMN_INT64, 2, &column));
    for (int k = 0; k < 2 * set->count; ++k)
        column->integers[k] = k - 5;
}

void check_cuts(const format_under_test* format, const char* text, size_t end, size_t step, const char* place, const char* name)
{
    for (size_t cut = 0; cut < end; cut += step) {
        scree_sphere_set none, untouched;
        memset(&none, 0x55, sizeof none);
        memcpy(&untouched, &none, sizeof none);
        scree_status status = read_memory(format, text, cut, 512, &none);
        if (status != SCREE_ERR_FORMAT || strncmp(scree_error_message(), place, strlen(place)) != 0)
            fail_msg("%s cut at byte %zu of %zu gives %d: %s", name, cut, end, (int)status, scree_error_message());
        assert_memory_equal(&none, &untouched, sizeof none);
    }
}

void check_each_write_fails(const char* path, const scree_sphere_set* set)
{
    for (int existing = 0; existing < 2; ++existing)
        for (int64_t n = 1;; ++n) {
            int error = n % 2 == 0 ? ENOSPC : EIO;
            unlink(path);
            if (existing)
                put_text(path, OLD);
            scree_output_fail_at(n, error);
            scree_status status = scree_write_spheres(path, NULL, set);
            int64_t calls = scree_output_fail_at(0, 0);
            if (status == SCREE_OK) {
                assert_true(calls < n);
                assert_true(calls > 6);  // open, two writes and more, fsync, close, rename, fsync
                break;
            }
            assert_int_equal(status, SCREE_ERR_IO);
            assert_non_null(strstr(scree_error_message(), path));
            assert_non_null(strstr(scree_error_message(), strerror(error)));
            if (is_written_anyway()) {  // the last call of all
                scree_sphere_set back;
                CHECK_OK(scree_read_spheres(path, NULL, &back));
                check_kept_set(set, &back, 0);
                scree_sphere_set_free(&back);
            } else if (existing) {
                CHECK_FILE(path, OLD);
            } else {
                assert_int_equal(access(path, F_OK), -1);
            }
            assert_int_equal(files_in_folder(), access(path, F_OK) == 0);
        }
    unlink(path);
}

bool is_written_anyway(void)
{
    return strstr(scree_error_message(), "its directory may not be on disk") != NULL;
}

bool stop_at(void* context, double done)
{
    assert_true(done >= 0.0 && done <= 1.0);
    return --*(int*)context > 0;
}

double value_in(const char* log, int row, const char* name)
{
    const char *field = log, *at = log;
    size_t length = strlen(name);
    for (int n = 0; n <= row; ++n)
        at = strchr(at, '\n') + 1;
    for (;; field += strcspn(field, ",\n") + 1, at += strcspn(at, ",\n") + 1) {
        if (strncmp(field, name, length) == 0 && strchr(",\n", field[length]) != NULL)
            return strtod(at, NULL);
        if (field[strcspn(field, ",\n")] == '\n')
            return NAN;
    }
}
