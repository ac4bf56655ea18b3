// NumPy files as other programs write them, and the file of the box beside them: wrong ones are reported with their byte. test_formats.c writes and reads them back.
#include "file_support.h"

#include "files/formats.h"

static const format_under_test npy = {SCREE_FORMAT_NPY, "m.npy", scree_npy_read};

// A .npy file of a header and data in hexadecimal digits (blanks are left out); gives its size.
static size_t make_npy(char* to, int version, const char* header, const char* hex)
{
    size_t length = strlen(header), at = 8;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (char)version;
    to[7] = 0;
    for (int k = 0; k < (version == 1 ? 2 : 4); ++k)
        to[at++] = (char)(length >> 8 * k & 0xFF);
    memcpy(to + at, header, length);
    at += length;
    for (const char* p = hex; *p != '\0'; ++p) {
        if (*p == ' ')
            continue;
        unsigned byte;
        assert_int_equal(sscanf(p++, "%2x", &byte), 1);
        to[at++] = (char)byte;
    }
    return at;
}

static scree_status read_npy(int version, const char* header, const char* hex, scree_sphere_set* set)
{
    char bytes[4096];
    size_t size = make_npy(bytes, version, header, hex);
    scree_sphere_set small;
    scree_status status = read_memory(&npy, bytes, size, 1, &small);  // block boundaries everywhere
    if (status == SCREE_OK)
        scree_sphere_set_free(&small);
    assert_int_equal(read_memory(&npy, bytes, size, 1 << 16, set), status);
    return status;
}

#define F8_1 "000000000000f03f"
#define F8_2 "0000000000000040"
#define F8_3 "0000000000000840"
#define F8_4 "0000000000001040"

static void test_npy_forms(void** state)
{
    (void)state;
    static const struct {
        int version;
        const char *header, *data;
    } cases[] = {
        // all are spheres at 1 2 3 with radius 4, and at 2 2 2 with radius 1
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }  \n", F8_1 F8_2 F8_3 F8_4 F8_2 F8_2 F8_2 F8_1},
        {2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }  \n", F8_1 F8_2 F8_3 F8_4 F8_2 F8_2 F8_2 F8_1},
        {3, "{\"shape\":(2L,4L),'fortran_order':False,'descr':'<f8'}", F8_1 F8_2 F8_3 F8_4 F8_2 F8_2 F8_2 F8_1},
        {1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 4), }", F8_1 F8_2 F8_2 F8_2 F8_3 F8_2 F8_4 F8_1},
        {1, "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 4), }",
         "3ff0000000000000 4000000000000000 4008000000000000 4010000000000000 "
         "4000000000000000 4000000000000000 4000000000000000 3ff0000000000000"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }",
         "0000803f 00000040 00004040 00008040 00000040 00000040 00000040 0000803f"},
        {1, "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 4), }",
         "3f800000 40000000 40000000 40000000 40400000 40000000 40800000 3f800000"},
        {1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4), }", "01 02 03 04 02 02 02 01"},
        {1, "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 4), }", "0001 0002 0003 0004 0002 0002 0002 0001"},
        {1, "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 4), }",
         "0100000000000000 0200000000000000 0200000000000000 0200000000000000 "
         "0300000000000000 0200000000000000 0400000000000000 0100000000000000"},
        {1,
         "{'descr': [('r', '<f4'), ('x', '<f8'), ('y', '|u1'), ('z', '>i4')], 'fortran_order': False, 'shape': (2,), }",
         "00008040" F8_1 "02 00000003"
         "0000803f" F8_2 "02 00000002"},
        {1, "{'descr': [('pos', '|i1', (3,)), ('', '|V3'), ('Diameter', '|u1')], 'fortran_order': True, 'shape': (2,)}",
         "010203 ffffff 08 020202 000000 02"},
        {1,
         "{'descr': [(('the place', 'position'), '|i1', (3,)), ('\\x72', '|u1'), ('d', '|u1')], 'fortran_order': False, 'shape': (2,)}",
         "010203 04 08 020202 01 02"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        static const double x[6] = {1, 2, 3, 2, 2, 2};
        scree_sphere_set set;
        CHECK_OK(read_npy(cases[k].version, cases[k].header, cases[k].data, &set));
        assert_int_equal(set.dim, 3);
        assert_int_equal(set.count, 2);
        assert_int_equal(set.column_count, 0);
        check_same_bits(set.x, x, 6, "x");
        CHECK_CLOSE(set.r[0], 4.0, 0.0);
        CHECK_CLOSE(set.r[1], 1.0, 0.0);
        scree_sphere_set_free(&set);
    }
    scree_sphere_set set;
    CHECK_OK(read_npy(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "01 02 03 04 05 06", &set));
    assert_int_equal(set.dim, 2);
    check_same_bits(set.x, (double[]){1, 3, 2, 4}, 4, "x");
    check_same_bits(set.r, (double[]){5, 6}, 2, "r");
    scree_sphere_set_free(&set);
    CHECK_OK(read_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", "", &set));
    assert_int_equal(set.count, 0);
    scree_sphere_set_free(&set);
}

static void test_npy_columns(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_npy(
        1,
        "{'descr': [('pos', '|i1', (2,)), ('r', '|u1'), ('v', '<f4', (3,)), ('n', '>i2'), ('ok', '|b1'), ('s', '|S3'),"
        " ('u', '>U2'), ('big', '<u8'), ('m', '|i1', (2, 2)), ('w', '<U1', (2,)), ('\xE4', '|i1')],"
        " 'fortran_order': False, 'shape': (1,), }",
        "0102 03 0000803f 00000040 00004040 fffe 02 616200 0001faa8 00000000 ffffffffffffff7f 01ff0304 41000000 00000000 05",
        &set));
    assert_int_equal(set.dim, 2);
    static const char* const names[] = {"v", "n", "ok", "s", "u", "big", "m", "w_0", "w_1", "\xC3\xA4"};
    assert_int_equal(set.column_count, 10);
    for (int c = 0; c < 10; ++c)
        assert_string_equal(set.columns[c].name, names[c]);
    CHECK_CLOSE(set.columns[0].values[2], 3.0, 0.0);
    assert_int_equal(set.columns[1].integers[0], -2);
    assert_int_equal(set.columns[2].integers[0], 1);
    assert_string_equal(set.columns[3].text, "ab");
    assert_string_equal(set.columns[4].text, "\xF0\x9F\xAA\xA8");
    assert_true(set.columns[5].integers[0] == INT64_MAX);
    assert_int_equal(set.columns[6].components, 4);
    assert_int_equal(set.columns[6].integers[1], -1);
    assert_string_equal(set.columns[7].text, "A");
    assert_string_equal(set.columns[8].text, "");
    assert_int_equal(set.columns[9].integers[0], 5);
    scree_sphere_set_free(&set);
}

static void test_npy_errors(void** state)
{
    (void)state;
#define PLAIN(dtype, shape) "{'descr': '" dtype "', 'fortran_order': False, 'shape': " shape ", }"
#define NAMED(fields) "{'descr': [" fields "], 'fortran_order': False, 'shape': (1,), }"
#define XYR "('x', '|i1'), ('y', '|i1'), ('r', '|i1')"
    static const struct {
        const char *header, *data, *message;
        scree_status status;
    } cases[] = {
        {PLAIN("<f8", "(1, 3)"), F8_1 F8_2, "m.npy | byte 85 | row 0 | 1", SCREE_ERR_FORMAT},
        {PLAIN("|u1", "(1, 3)"), "01020304",
         "m.npy | byte 72 | 1", SCREE_ERR_FORMAT},
        {PLAIN("|i1", "(2, 3)"), "010203 0102ff", "m.npy | byte 74 | row 1 | 'r' | -1 | radius",
         SCREE_ERR_FORMAT},
        {PLAIN("<f4", "(1, 3)"), "0000c07f 00000000 00000000",
         "m.npy | byte 69 | row 0 | 'x' | nan", SCREE_ERR_FORMAT},
        {PLAIN("<f4", "(1, 3)"), "0000807f 00000000 00000000", "row 0 | 'x' | inf | 0",
         SCREE_ERR_FORMAT},
        {PLAIN("<f8", "(4,)"), "", "byte 10 | 4 | 3",
         SCREE_ERR_FORMAT},
        {PLAIN("<f8", "(2, 5)"), "", "2 | 5", SCREE_ERR_FORMAT},
        {PLAIN("<f8", "(2, 2, 2)"), "", "3", SCREE_ERR_FORMAT},
        {PLAIN("<f8", "()"), "", "0", SCREE_ERR_FORMAT},
        {PLAIN("<f8", "(3000000000, 4)"), "", "3000000000", SCREE_ERR_UNSUPPORTED},
        {PLAIN("<f8", "(2000000000, 4)"), F8_1, "row 0 | 2000000000", SCREE_ERR_FORMAT},
        {PLAIN("<c16", "(1, 4)"), "", "byte 20 | '<c16'", SCREE_ERR_UNSUPPORTED},
        {PLAIN("<f2", "(1, 4)"), "", "'<f2'", SCREE_ERR_UNSUPPORTED},
        {PLAIN("|O", "(1, 4)"), "", "'|O'", SCREE_ERR_UNSUPPORTED},
        {PLAIN("|V8", "(1, 4)"), "", "'|V8'", SCREE_ERR_UNSUPPORTED},
        {PLAIN("|S8", "(1, 4)"), "", "'x'", SCREE_ERR_FORMAT},
        {NAMED(XYR ", ('q', '<M8[ns]')"), "", "'q' | '<M8[ns]'", SCREE_ERR_UNSUPPORTED},
        {NAMED(XYR ", ('q', '|V8')"), "", "'q' | '|V8'", SCREE_ERR_UNSUPPORTED},
        {NAMED(XYR ", ('q', [('a', '<f8')])"), "", "'q'", SCREE_ERR_UNSUPPORTED},
        {NAMED(XYR ", ('q', '<f8', (5, 13))"), "", "'q' | 65", SCREE_ERR_UNSUPPORTED},
        {NAMED(XYR ", ('q', '<f8', (4000000000, 4000000000))"), "", "", SCREE_ERR_UNSUPPORTED},
        {NAMED(XYR ", ('q', '<f8', (0,))"), "", "'q' | 0", SCREE_ERR_UNSUPPORTED},
        {NAMED(XYR ", ('', '<f8')"), "", "", SCREE_ERR_FORMAT},
        {NAMED(XYR ", ('q', '<f8'), ('q', '<f8')"), "", "'q'", SCREE_ERR_FORMAT},
        {NAMED(XYR ", ('radius', '<f8')"), "", "'r' | 'radius'", SCREE_ERR_FORMAT},
        {NAMED("('x', '<f8'), ('y', '<f8')"), "", "byte 10 | radius", SCREE_ERR_FORMAT},
        {NAMED(""), "", "", SCREE_ERR_FORMAT},
        {NAMED(XYR ", ('q', '<u8')"), "010203 ffffffffffffffff",
         "row 0 | 'q' | 18446744073709551615", SCREE_ERR_FORMAT},
        {NAMED(XYR ", ('s', '|S3')"), "010203 410042", "row 0 | 's' | number 0", SCREE_ERR_FORMAT},
        {NAMED(XYR ", ('s', '<U1')"), "010203 00d80000", "row 0 | 's' | number 55296",
         SCREE_ERR_FORMAT},
        {NAMED(XYR ", ('d', '|i1')"), "010203 07", "row 0 | diameter | radius", SCREE_ERR_FORMAT},
        {"", "", "byte 10 | ''", SCREE_ERR_FORMAT},
        {"{'descr': '<f8', 'shape': (1, 3), }", "", "'fortran_order'", SCREE_ERR_FORMAT},
        {"{'descr': '<f8', 'descr': '<f8'}", "",
         "byte 27 | '' | ': ' | '}'", SCREE_ERR_FORMAT},
        {"{'what': 1}", "", "fortran_order", SCREE_ERR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': Maybe", "", "", SCREE_ERR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': [1, 2]}", "", "",
         SCREE_ERR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (-1, 2)}", "", "",
         SCREE_ERR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (1 2)}", "", "",
         SCREE_ERR_FORMAT},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (1, 3)} x", "", "",
         SCREE_ERR_FORMAT},
        {"{'descr': '<f8", "", "", SCREE_ERR_FORMAT},
        {"{'descr': [('\\x00', '<f8')]}", "", "", SCREE_ERR_FORMAT},
        {"{'descr': [('\\ud800', '<f8')]}", "", "", SCREE_ERR_FORMAT},
        {"{'descr': [('a' '<f8')]}", "", "", SCREE_ERR_FORMAT},
        {"{'descr': [('a', '<f8']}", "", "", SCREE_ERR_FORMAT},
        {"{'descr': ['a']}", "", "", SCREE_ERR_FORMAT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_sphere_set set;
        CHECK_FAILS(read_npy(1, cases[k].header, cases[k].data, &set), cases[k].status, cases[k].message);
    }
    scree_sphere_set set;
    CHECK_FAILS(read_string(&npy, "", &set), SCREE_ERR_FORMAT, "m.npy", "byte 0", "8");
    CHECK_FAILS(read_string(&npy, "x,y,z,r\n1,2,3,4", &set), SCREE_ERR_FORMAT, "byte 0", ".npy");
    CHECK_FAILS(read_memory(&npy, "PK\3\4aaaaaaaa", 12, 64, &set), SCREE_ERR_FORMAT, ".npz", ".npy");
    CHECK_FAILS(read_memory(&npy, "\x93NUMPY\4\0\1\0\0\0 ", 13, 64, &set), SCREE_ERR_UNSUPPORTED, "byte 6", "version 4");
    CHECK_FAILS(read_memory(&npy, "\x93NUMPY\2\0\xFF\xFF\xFF\xFF{", 13, 64, &set), SCREE_ERR_FORMAT, "byte 13");
}

// ---- The box beside an array of NumPy ----------------------------------------------------------------------------

static const char box_old[] = "{\"scree_box\": 1, \"old\": true}\n";

// A set with a cylinder, or without a box.
static scree_sphere_set boxed_set(bool has_box)
{
    scree_sphere_set set = halved_set(3, 30, 5);
    set.has_box = has_box;
    set.box = scree_box_sized(3, (double[3]){1e3, 1e3, 0.1});
    set.box.lower[2] = -0.7;
    set.box.periodic[2] = true;
    set.container = has_box ? SCREE_CONTAINER_CYLINDER : SCREE_CONTAINER_BOX;
    return set;
}

// Every system call fails in turn, for a set with and without a box, over no files, and over an old array with an old box: each time both are as they were,
// and nothing else is there. Then both are new.
static void test_box_file_and_array_are_one(void** state)
{
    (void)state;
    const char *path = in_folder("a.npy"), *beside = in_folder("a.npy.box");
    for (int variant = 0; variant < 4; ++variant) {
        bool existing = variant % 2 == 1, has_box = variant < 2;
        scree_sphere_set set = boxed_set(has_box), back;
        for (int64_t n = 1;; ++n) {
            empty_folder();
            if (existing) {
                put_text(path, OLD);
                put_text(beside, box_old);
            }
            scree_output_fail_at(n, EIO);
            scree_status status = scree_write_spheres(path, NULL, &set);
            int64_t calls = scree_output_fail_at(0, 0);
            bool written = status == SCREE_OK || is_written_anyway();
            if (written) {
                CHECK_OK(scree_read_spheres(path, NULL, &back));
                check_read_back(&set, &back, true);
                scree_sphere_set_free(&back);
                assert_int_equal(access(beside, F_OK), has_box ? 0 : -1);
            } else if (existing) {
                CHECK_FILE(path, OLD);
                CHECK_FILE(beside, box_old);
            }
            assert_int_equal(files_in_folder(), written ? 1 + has_box : existing ? 2 : 0);
            if (status == SCREE_OK) {
                assert_true(calls < n && calls >= (has_box ? 9 : 5));
                break;
            }
            assert_int_equal(status, SCREE_ERR_IO);
            assert_non_null(strstr(scree_error_message(), path));
        }
        scree_sphere_set_free(&set);
    }
}

// Stops and failed allocations leave both as they were, too.
static void test_box_file_without_memory(void** state)
{
    (void)state;
    const char *path = in_folder("a.npy"), *beside = in_folder("a.npy.box");
    for (int has_box = 0; has_box < 2; ++has_box) {
        scree_sphere_set set = boxed_set(has_box != 0), back;
        put_text(path, OLD);
        put_text(beside, box_old);
        EACH_ALLOCATION_FAILS(scree_write_spheres(path, NULL, &set), CHECK_FILE(path, OLD); CHECK_FILE(beside, box_old); assert_int_equal(files_in_folder(), 2));
        assert_int_equal(files_in_folder(), 1 + has_box);
        EACH_ALLOCATION_FAILS(scree_read_spheres(path, NULL, &back), assert_null(back.x));
        check_read_back(&set, &back, true);
        scree_sphere_set_free(&back);
        scree_sphere_set_free(&set);
    }
}

// A box that does not belong to the array, or is none, is refused; the array is never read with another's box.
static void test_box_file_errors(void** state)
{
    (void)state;
    const char *path = in_folder("a.npy"), *beside = in_folder("a.npy.box");
    scree_sphere_set set = boxed_set(true), other = halved_set(3, 29, 5), back;
    CHECK_OK(scree_write_spheres(path, NULL, &set));
    char* good = get_file(beside, NULL);
    // Another count, another dimension, other bytes.
    CHECK_OK(scree_write_spheres(in_folder("b.npy"), NULL, &other));
    put_text(in_folder("b.npy.box"), good);
    CHECK_FAILS(scree_read_spheres(in_folder("b.npy"), NULL, &back), SCREE_ERR_FORMAT, "b.npy.box", "30", "29");
    assert_null(back.x);
    size_t size;
    char* bytes = get_file(path, &size);
    bytes[size - 3] ^= 1;
    put_file(in_folder("b.npy"), bytes, size);
    CHECK_FAILS(scree_read_spheres(in_folder("b.npy"), NULL, &back), SCREE_ERR_FORMAT, "b.npy.box", "crc64");
    free(bytes);
    // Without it the array is read as ever.
    unlink(in_folder("b.npy.box"));
    CHECK_OK(scree_read_spheres(in_folder("b.npy"), NULL, &back));
    assert_false(back.has_box);
    scree_sphere_set_free(&back);

    static const struct {
        const char *from, *to, *names;
        scree_status status;
    } edits[] = {
        {"\"scree_box\": 1", "\"scree_box\": 3", "a.npy.box | 3", SCREE_ERR_UNSUPPORTED},
        {"\"scree_box\"", "\"other_box\"", "a.npy.box", SCREE_ERR_FORMAT},
        {"\"count\": 30", "\"count\": 3000000000", "a.npy.box:3:12 | count | '3000000000'", SCREE_ERR_FORMAT},
        {"\"dimension\": 3", "\"dimension\": 4", "a.npy.box:5 | dimension | '4'", SCREE_ERR_FORMAT},
        {"\"dimension\": 3", "\"dimension\": 2", "a.npy.box | 2D | 3D", SCREE_ERR_FORMAT},
        {"\"dimension\"", "\"dimensions\"", "a.npy.box:5:3 | 'dimensions'", SCREE_ERR_FORMAT},
        {"\"dimension\"", "\"count\"", "a.npy.box:5:3 | 'count'", SCREE_ERR_FORMAT},
        {"\"upper\": [1000, 1000, 0.1]", "\"upper\": [1000, 1000]", "a.npy.box:7 | upper", SCREE_ERR_FORMAT},
        {"\"upper\": [1000, ", "\"upper\": [nan, ", "a.npy.box:7 | upper | 'nan'", SCREE_ERR_FORMAT},
        {"\"upper\": [1000, ", "\"upper\": [[1], ", "a.npy.box:7 | upper", SCREE_ERR_FORMAT},
        {"\"upper\": [1000, ", "\"upper\": [-1000, ", "a.npy.box | axis x", SCREE_ERR_FORMAT},
        {"\"upper\": [1000, ", "\"upper\": [900, ", "a.npy.box", SCREE_ERR_FORMAT},  // no cylinder fits it
        {"\"upper\": [1000, 1000, 0.1]", "\"upper\": [1000, 1000, null]", "a.npy.box", SCREE_ERR_FORMAT},  // periodic and open
        {"[false, false, true]", "[false, maybe, true]", "a.npy.box:8 | periodic | 'maybe'", SCREE_ERR_FORMAT},
        {"\"cylinder\"", "\"cone\"", "a.npy.box:9 | container | 'cone'", SCREE_ERR_FORMAT},
        {",\n  \"container\": \"cylinder\"", "", "a.npy.box:1:1 | 'container'", SCREE_ERR_FORMAT},
        {"}\n", "", "a.npy.box", SCREE_ERR_FORMAT},
    };
    for (size_t e = 0; e < sizeof edits / sizeof *edits; ++e) {
        char text[1024];
        const char* at = strstr(good, edits[e].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, edits[e].to, at + strlen(edits[e].from));
        put_text(beside, text);
        CHECK_FAILS(scree_read_spheres(path, NULL, &back), edits[e].status, edits[e].names);
        assert_null(back.x);
    }
    // What is not ours is neither replaced nor removed, a link not followed.
    put_text(beside, OLD);
    for (int has_box = 0; has_box < 2; ++has_box) {
        set.has_box = has_box != 0;
        set.container = has_box ? SCREE_CONTAINER_CYLINDER : SCREE_CONTAINER_BOX;
        CHECK_FAILS(scree_write_spheres(path, NULL, &set), SCREE_ERR_FORMAT, "a.npy.box");
        CHECK_FILE(beside, OLD);
    }
    unlink(beside);
    put_text(in_folder("elsewhere"), good);
    assert_int_equal(symlink("elsewhere", beside), 0);
    CHECK_FAILS(scree_write_spheres(path, NULL, &set), SCREE_ERR_IO, "a.npy.box");
    CHECK_FAILS(scree_read_spheres(path, NULL, &back), SCREE_ERR_IO, "a.npy.box");
    CHECK_FILE(in_folder("elsewhere"), good);
    unlink(beside);
    // An array that is named by a link has the box of the file that the link leads to; it is written there.
    assert_int_equal(symlink("a.npy", in_folder("link.npy")), 0);
    CHECK_OK(scree_write_spheres(in_folder("link.npy"), NULL, &set));
    CHECK_FILE(beside, good);
    assert_int_equal(access(in_folder("link.npy.box"), F_OK), -1);
    CHECK_OK(scree_read_spheres(in_folder("link.npy"), NULL, &back));
    check_read_back(&set, &back, true);
    scree_sphere_set_free(&back);
    free(good);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&other);
}

// Several texts a row; test_formats.c has all other allocations.
static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_sphere_set set = {0};
    char bytes[256];
    size_t size = make_npy(bytes, 1, NAMED(XYR ", ('w', '|S1', (2,))"), "010203 4142");
    EACH_ALLOCATION_FAILS(read_memory(&npy, bytes, size, 64, &set), assert_null(set.x));
    scree_sphere_set_free(&set);
}

static const test_case cases[] = {
    UNIT(test_npy_forms),
    UNIT(test_npy_columns),
    UNIT(test_npy_errors),
    ALLOCATION(test_box_file_and_array_are_one),
    ALLOCATION(test_box_file_without_memory),
    UNIT(test_box_file_errors),
    ALLOCATION(test_nth_allocation_fails),
};

const test_group group_npy = {.name = "npy", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
