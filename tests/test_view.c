// The page of scree_view, read back here from its text: blocks, base64, deflate, planes. Values are compared with those that went in,
// partners with all pairs. What the page does in a browser is in tests/page.
#include "file_support.h"

#include "scree/picture.h"
#include "scree/view.h"

#include <zlib.h>

// ---- Reading a page ------------------------------------------------------------------------------------------------

static unsigned char* read_block(const char* page, int64_t number, size_t size)
{
    char tag[64];
    snprintf(tag, sizeof tag, "<script type=\"text/plain\" id=\"b%" PRId64 "\">", number);
    const char* from = strstr(page, tag);
    if (from == NULL)
        fail_msg("there is no block %" PRId64, number);
    from += strlen(tag);
    size_t letters = strcspn(from, "<");
    assert_int_equal(letters % 4, 0);
    unsigned char* packed = malloc(letters + 1);
    size_t bytes = 0;
    for (size_t n = 0; n < letters; n += 4) {
        unsigned word = 0;
        int known = 0;
        for (int k = 0; k < 4; ++k) {
            static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            const char* at = strchr(alphabet, from[n + (size_t)k]);
            if (at != NULL)
                ++known;
            else
                assert_true(from[n + (size_t)k] == '=' && n + 4 == letters);
            word = word << 6 | (at != NULL ? (unsigned)(at - alphabet) : 0u);
        }
        for (int k = 0; k < known - 1; ++k)
            packed[bytes++] = (unsigned char)(word >> (16 - 8 * k));
    }
    unsigned char* plain = malloc(size + 1);
    uLongf got = (uLongf)size + 1;
    assert_int_equal(uncompress(plain, &got, packed, (uLong)bytes), Z_OK);
    assert_int_equal(got, size);
    free(packed);
    return plain;
}

typedef struct entry {
    char kind[8];
    int64_t block;
    double low, high;  // NAN for null
    int exponent;
} entry;

static double number_after(const char* text, const char* key)
{
    const char* at = strstr(text, key);
    if (at == NULL)
        fail_msg("no %s in %.80s", key, text);
    at += strlen(key);
    return strncmp(at, "null", 4) == 0 ? NAN : strtod(at, NULL);
}

// The entry of an array: the `component`-th of that name in the frame.
static entry find_entry(const char* page, int frame, const char* name, int component)
{
    const char* at = strstr(page, "id=\"scree-meta\">");
    assert_non_null(at);
    for (int f = 0; f <= frame; ++f) {
        at = strstr(at + 1, "{\"time\":");
        assert_non_null(at);
    }
    const char* end = strstr(at + 1, "{\"time\":");
    char key[100];
    snprintf(key, sizeof key, "{\"name\":\"%s\",", name);
    for (int c = 0; c <= component; ++c) {
        at = strstr(at + 1, key);
        if (at == NULL || (end != NULL && at > end))
            fail_msg("frame %d has no array %s", frame, name);
    }
    entry out = {.block = (int64_t)number_after(at, "\"block\":"), .low = number_after(at, "\"low\":"), .high = number_after(at, "\"high\":")};
    sscanf(strstr(at, "\"kind\":\"") + 8, "%7[^\"]", out.kind);
    if (strcmp(out.kind, "f32") == 0)
        out.exponent = (int)number_after(at, "\"exponent\":");
    return out;
}

static double* read_values(const char* page, int frame, const char* name, int component, int64_t count)
{
    entry e = find_entry(page, frame, name, component);
    int width = strcmp(e.kind, "q24") == 0 ? 3 : strcmp(e.kind, "f64") == 0 ? 8 : 4;
    unsigned char* bytes = read_block(page, e.block, (size_t)(count * width));
    double* out = malloc((size_t)(count + 1) * sizeof *out);
    for (int64_t i = 0; i < count; ++i) {
        uint64_t word = 0;
        for (int plane = 0; plane < width; ++plane)
            word |= (uint64_t)bytes[plane * count + i] << (8 * plane);
        uint32_t low = (uint32_t)word;
        float single;
        memcpy(&single, &low, sizeof single);
        if (width == 8)
            memcpy(&out[i], &word, sizeof word);
        else
            out[i] = width == 3                      ? e.low + (e.high - e.low) * ((double)word / 16777215.0)
                     : strcmp(e.kind, "i32") == 0 ? (double)(int32_t)low
                                                  : ldexp(single, e.exponent);
    }
    free(bytes);
    return out;
}

static scree_sphere_set packed_set(int32_t dim, int32_t count, bool periodic, uint64_t seed)
{
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(dim, count, &set));
    set.has_box = true;
    set.box = scree_box_sized(dim, (double[3]){10.0, 8.0, 6.0});
    scree_rng rng = scree_rng_make(seed, 3);
    for (int k = 0; k < dim; ++k)
        set.box.periodic[k] = periodic;
    for (int i = 0; i < count; ++i) {
        set.r[i] = 0.05 + scree_rng_uniform(&rng);
        for (int k = 0; k < dim; ++k)
            set.x[i * dim + k] = scree_rng_uniform(&rng) * set.box.upper[k];
    }
    return set;
}

// ---- Tests -----------------------------------------------------------------------------------------------------------

static void test_values(void** state)
{
    (void)state;
    for (int32_t dim = 2; dim <= 3; ++dim) {
        scree_sphere_set set = random_set(dim, 257, 4);
        add_hard_numbers(&set, "odd");
        static const char* const words[] = {"", "gravel", "</script><b>", "\xc3\xa4"};
        add_words(&set, "k<\"&\\", words, 4);
        const char* path = in_folder("page.html");
        CHECK_OK(scree_view_write(path, 1, NULL, &set, NULL));
        char* page = get_file(path, NULL);
        for (int k = 0; k < dim; ++k) {
            double* x = read_values(page, 0, (const char*[]){"x", "y", "z"}[k], 0, set.count);
            double low = INFINITY, high = -INFINITY;
            for (int i = 0; i < set.count; ++i) {
                low = fmin(low, set.x[i * dim + k]);
                high = fmax(high, set.x[i * dim + k]);
            }
            for (int i = 0; i < set.count; ++i)
                CHECK_CLOSE(x[i], set.x[i * dim + k], 3.1e-8 * (high - low));
            free(x);
        }
        double* r = read_values(page, 0, "radius", 0, set.count);
        for (int i = 0; i < set.count; ++i)
            CHECK_CLOSE(r[i], set.r[i], 6e-8 * set.r[i] + 1e100);  // 1e140 is among them: float32 ends 38 decades below the largest
        free(r);
        const scree_column* v = scree_sphere_set_find(&set, "v");
        for (int c = 0; c < 3; ++c) {
            entry e = find_entry(page, 0, "v", c);
            double* got = read_values(page, 0, "v", c, set.count);
            double low = INFINITY, high = -INFINITY;
            for (int i = 0; i < set.count; ++i) {
                double value = v->values[3 * i + c];
                if (isnan(value))
                    assert_true(isnan(got[i]));
                else
                    CHECK_CLOSE(got[i], value, 6e-8 * fabs(value) + 1e-40 * fmax(fabs(e.low), fabs(e.high)));
                low = isfinite(value) ? fmin(low, value) : low;
                high = isfinite(value) ? fmax(high, value) : high;
            }
            CHECK_CLOSE(e.low, low, 0.0);
            CHECK_CLOSE(e.high, high, 0.0);
            free(got);
        }
        double* odd = read_values(page, 0, "odd", 0, set.count);
        assert_true(isnan(odd[0]) && odd[1] == INFINITY && odd[2] == -DBL_TRUE_MIN);
        free(odd);
        double *id = read_values(page, 0, "id", 0, set.count), *cell = read_values(page, 0, "cell", 1, set.count);
        assert_string_equal(find_entry(page, 0, "id", 0).kind, "f64");
        assert_string_equal(find_entry(page, 0, "cell", 0).kind, "i32");
        for (int i = 0; i < set.count; ++i) {
            CHECK_CLOSE(id[i], (double)scree_sphere_set_find(&set, "id")->integers[i], 0.0);
            CHECK_CLOSE(cell[i], 2 * i + 1 - 5, 0.0);
        }
        free(id);
        free(cell);
        // Words, and a name that would end the element it stands in.
        size_t size = 0;
        for (int i = 0; i < set.count; ++i)
            size += strlen(words[i % 4]) + (i + 1 < set.count);
        char* got = (char*)read_block(page, find_entry(page, 0, "k\\u003c\\u0022\\u0026\\u005c", 0).block, size);
        got[size] = '\0';
        for (int i = 0, at = 0; i < set.count; at += (int)strlen(words[i++ % 4]) + 1)
            assert_string_equal(got + at, words[i % 4]);
        free(got);
        assert_null(strstr(strstr(page, "scree-meta"), "</script><b>"));
        free(page);
        scree_sphere_set_free(&set);
    }
}

static void test_partners(void** state)
{
    (void)state;
    for (int n = 0; n < 8; ++n) {
        int32_t dim = 2 + n % 2;
        scree_sphere_set set = packed_set(dim, 60, n >= 4, (uint64_t)n);
        scree_view_def def = scree_default_view_def();
        double mean = 0.0;
        for (int i = 0; i < set.count; ++i)
            mean += 2.0 * set.r[i] / set.count;
        double gap = n % 4 < 2 ? 0.3 : 1e-3 * mean;
        if (n % 4 < 2)
            def.gap = gap;
        const char* path = in_folder("partners.html");
        CHECK_OK(scree_view_write(path, 1, NULL, &set, &def));
        char* page = get_file(path, NULL);
        double* partners = read_values(page, 0, "partners", 0, set.count);
        scree_spheres view = scree_sphere_set_view(&set);
        for (int i = 0; i < set.count; ++i) {
            int wanted = 0, reach = n >= 4 ? 1 : 0;
            for (int j = 0; j < set.count; ++j)
                for (int a = -reach; a <= reach; ++a)
                    for (int b = -reach; b <= reach; ++b)
                        for (int c = dim == 3 ? -reach : 0; c <= (dim == 3 ? reach : 0); ++c)
                            if (i != j || a != 0 || b != 0 || c != 0)
                                wanted += scree_pair_gap(&set.box, view, i, j, (int8_t[3]){(int8_t)a, (int8_t)b, (int8_t)c}) < gap;
            CHECK_CLOSE(partners[i], wanted, 0.0);
        }
        free(partners);
        free(page);
        scree_sphere_set_free(&set);
    }
}

static void test_frames(void** state)
{
    (void)state;
    scree_sphere_set sets[3] = {packed_set(3, 50, false, 1), packed_set(3, 50, false, 2), packed_set(3, 49, false, 1)};
    memcpy(sets[1].r, sets[0].r, 50 * sizeof *sets[1].r);
    const char* path = in_folder("frames.html");
    CHECK_OK(scree_view_write(path, 3, (double[]){0.0, 0.125, NAN}, sets, NULL));
    char* page = get_file(path, NULL);
    assert_int_equal(find_entry(page, 0, "radius", 0).block, find_entry(page, 1, "radius", 0).block);  // the same: kept once
    assert_int_not_equal(find_entry(page, 0, "radius", 0).block, find_entry(page, 2, "radius", 0).block);
    assert_int_not_equal(find_entry(page, 0, "x", 0).block, find_entry(page, 1, "x", 0).block);
    assert_non_null(strstr(page, "{\"time\":0.125,\"count\":50,"));
    assert_non_null(strstr(page, "{\"time\":null,\"count\":49,"));
    for (int f = 0; f < 3; ++f) {
        double* y = read_values(page, f, "y", 0, sets[f].count);
        for (int i = 0; i < sets[f].count; ++i)
            CHECK_CLOSE(y[i], sets[f].x[3 * i + 1], 3.1e-8 * 8.0);
        free(y);
    }
    // The colours of the page are those of the library.
    for (int m = 0; m < SCREE_MAP_COUNT; ++m) {
        char key[40];
        snprintf(key, sizeof key, "\"%s\":\"", scree_colour_map_name((scree_colour_map)m));
        const char* text = strstr(strstr(page, "\"maps\":"), key) + strlen(key);
        for (int n = 0; n <= 256; ++n, text += 6) {
            unsigned got[3];
            uint8_t rgb[3];
            scree_colour_map_rgb((scree_colour_map)m, n < 256 ? n / 255.0 : NAN, rgb);
            assert_int_equal(sscanf(text, "%2x%2x%2x", &got[0], &got[1], &got[2]), 3);
            for (int k = 0; k < 3; ++k)
                assert_int_equal(got[k], rgb[k]);
        }
        assert_int_equal(*text, '"');
    }
    assert_null(strstr(page, "http"));  // nothing is fetched
    assert_null(strstr(page, "@STYLE@"));
    assert_null(strstr(page, "@SCRIPT@"));
    // One byte stream for any number of threads.
    scree_view_def def = scree_default_view_def();
    def.threads = 3;
    CHECK_OK(scree_view_write(in_folder("three.html"), 3, (double[]){0.0, 0.125, NAN}, sets, &def));
    CHECK_FILE(in_folder("three.html"), page);
    free(page);
    for (int f = 0; f < 3; ++f)
        scree_sphere_set_free(&sets[f]);
}

static void test_empty(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(2, 0, &set));
    CHECK_OK(scree_view_write(in_folder("empty.html"), 1, NULL, &set, NULL));
    char* page = get_file(in_folder("empty.html"), NULL);
    free(read_values(page, 0, "x", 0, 0));
    assert_true(isnan(find_entry(page, 0, "radius", 0).low));
    free(page);
    scree_sphere_set_free(&set);
}

static void test_errors(void** state)
{
    (void)state;
    scree_sphere_set flat = packed_set(2, 3, false, 1), solid = packed_set(3, 3, false, 1);
    const char* path = in_folder("bad.html");
    put_text(path, OLD);
    scree_view_def def = scree_default_view_def();
    CHECK_FAILS(scree_view_write(path, 0, NULL, NULL, NULL), SCREE_ERR_ARGUMENT, "at least one");
    CHECK_FAILS(scree_view_write(path, 2, NULL, (scree_sphere_set[]){flat, solid}, NULL), SCREE_ERR_ARGUMENT, "frame 1 is in 3D");
    def.colour_by = "heat";
    CHECK_FAILS(scree_view_write(path, 1, NULL, &flat, &def), SCREE_ERR_ARGUMENT, "'heat'");
    def.colour_by = "z";
    CHECK_FAILS(scree_view_write(path, 1, NULL, &flat, &def), SCREE_ERR_ARGUMENT, "'z'");
    def = scree_default_view_def();
    def.map = 17;
    CHECK_FAILS(scree_view_write(path, 1, NULL, &flat, &def), SCREE_ERR_ARGUMENT, "17");
    def = scree_default_view_def();
    def.gap = INFINITY;
    CHECK_FAILS(scree_view_write(path, 1, NULL, &flat, &def), SCREE_ERR_ARGUMENT, "gap");
    def = scree_default_view_def();
    int questions = 3;
    def.watch = (scree_watch){stop_at, &questions};
    CHECK_FAILS(scree_view_write(path, 1, NULL, &solid, &def), SCREE_ERR_CANCELLED, "stopped");
    solid.r[1] = -1.0;
    CHECK_FAILS(scree_view_write(path, 1, NULL, &solid, NULL), SCREE_ERR_ARGUMENT, "sphere 1");
    CHECK_FAILS(scree_view_write(in_folder("no/such.html"), 1, NULL, &flat, NULL), SCREE_ERR_IO, "no/such.html");
    CHECK_FILE(path, OLD);
    assert_int_equal(files_in_folder(), 1);
    scree_sphere_set_free(&flat);
    scree_sphere_set_free(&solid);
}

static void test_failures(void** state)
{
    (void)state;
    scree_sphere_set sets[2] = {packed_set(3, 20, true, 1), packed_set(3, 20, true, 2)};
    for (int f = 0; f < 2; ++f) {
        static const char* const words[] = {"a", "bc"};
        add_words(&sets[f], "kind", words, 2);
        add_hard_numbers(&sets[f], "odd");
    }
    const char* path = in_folder("page.html");
    put_text(path, OLD);
    scree_view_def def = scree_default_view_def();
    def.threads = 1;
    EACH_ALLOCATION_FAILS(scree_view_write(path, 2, NULL, sets, &def), CHECK_FILE(path, OLD));
    for (int64_t n = 1;; ++n) {
        put_text(path, OLD);
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_view_write(path, 2, NULL, sets, &def);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            assert_true(calls < n && calls > 4);
            break;
        }
        assert_int_equal(status, SCREE_ERR_IO);
        if (strstr(scree_error_message(), "its directory may not be on disk") == NULL)
            CHECK_FILE(path, OLD);
        assert_int_equal(files_in_folder(), 1);
    }
    for (int f = 0; f < 2; ++f)
        scree_sphere_set_free(&sets[f]);
}

// ---- Lists of frames ---------------------------------------------------------------------------------------------------

static void test_lists(void** state)
{
    (void)state;
    const char* path = in_folder("frames.pvd");
    static const char* const names[] = {"frames/a.vtp", "/tmp/b <&\">.vtp", "c\xc3\xa4.vtp"};
    CHECK_OK(scree_write_pvd(path, 3, (double[]){0.0, 0.1, 1e-300}, names));
    scree_frame_list list;
    CHECK_OK(scree_read_pvd(path, &list));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.files[0], in_folder("frames/a.vtp"));
    assert_string_equal(list.files[1], names[1]);
    assert_string_equal(list.files[2], in_folder(names[2]));
    assert_true(list.times[0] == 0.0 && list.times[1] == 0.1 && list.times[2] == 1e-300);
    scree_frame_list_free(&list);
    EACH_ALLOCATION_FAILS(scree_read_pvd(path, &list), assert_int_equal(list.count, 0));
    scree_frame_list_free(&list);
    put_text(path, "<VTKFile type=\"Collection\"><Collection><DataSet file=\"a.vtp\"/></Collection></VTKFile>");
    CHECK_OK(scree_read_pvd(path, &list));
    assert_true(list.count == 1 && isnan(list.times[0]));
    scree_frame_list_free(&list);

    static const struct { const char *text, *says; } bad[] = {
        {"", "frames.pvd:1: the file is empty"},
        {"x,y,r\n1,2,3\n", "not XML"},
        {"<VTKFile type=\"PolyData\"></VTKFile>", "frames.pvd:1: <VTKFile type=\"Collection\""},
        {"<VTKFile type=\"Collection\">\n<DataSet timestep=\"1\"/></VTKFile>", "frames.pvd:2: a <DataSet> without file"},
        {"<VTKFile type=\"Collection\">\n<DataSet timestep=\"soon\" file=\"a\"/></VTKFile>", "frames.pvd:2: timestep=\"soon\" is not a time"},
        {"<VTKFile type=\"Collection\">\n<DataSet timestep=\"inf\" file=\"a\"/></VTKFile>", "is not a time"},
        {"<VTKFile type=\"Collection\">\n<DataSet timestep=\"1\" file=\"a\"/>", "cut short"},
        {"<!DOCTYPE a [<!ENTITY b \"c\">]><VTKFile type=\"Collection\"></VTKFile>", "document type"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        put_text(path, bad[k].text);
        list.count = -7;
        CHECK_FAILS(scree_read_pvd(path, &list), SCREE_ERR_FORMAT, bad[k].says);
        assert_int_equal(list.count, -7);
    }
    CHECK_FAILS(scree_read_pvd(in_folder("none.pvd"), &list), SCREE_ERR_IO, "none.pvd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_values, start_clean),   cmocka_unit_test_setup(test_partners, start_clean),
        cmocka_unit_test_setup(test_frames, start_clean),   cmocka_unit_test_setup(test_empty, start_clean),
        cmocka_unit_test_setup(test_errors, start_clean),   cmocka_unit_test_setup(test_failures, start_clean),
        cmocka_unit_test_setup(test_lists, start_clean),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
