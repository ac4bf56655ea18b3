// VTP and PVD: what is written reads back bit for bit; every form in which VTK writes points is read (tests/data/vtp holds
// files by VTK itself); every file that is cut, lies or is broken is reported with file, line and place.
#include "file_support.h"

#include "files/formats.h"
#include "files/pvtp.h"

#include <zlib.h>

// ---- Bytes -------------------------------------------------------------------------------------------------------

typedef struct bytes {
    char* at;
    size_t count;
} bytes;

static bytes get_bytes(const char* path)
{
    bytes all;
    all.at = get_file(path, &all.count);
    return all;
}

static void append(bytes* to, const void* from, size_t count)
{
    to->at = realloc(to->at, to->count + count + 1);
    assert_non_null(to->at);
    memcpy(to->at + to->count, from, count);
    to->count += count;
    to->at[to->count] = '\0';
}

static void append_text(bytes* to, const char* text)
{
    append(to, text, strlen(text));
}

static const format_under_test vtp = {SCREE_FORMAT_VTP, "m.vtp", scree_vtp_read};

static scree_status read_bytes(const char* from, size_t count, int64_t block, scree_sphere_set* out)
{
    return read_memory(&vtp, from, count, block, out);
}

static scree_status read_text(const char* text, scree_sphere_set* out)
{
    return read_bytes(text, strlen(text), 1 << 16, out);
}

// ---- Sets --------------------------------------------------------------------------------------------------------

static void check_same_set(const scree_sphere_set* a, const scree_sphere_set* b)
{
    check_kept_set(a, b, KEEPS_BOX | KEEPS_NAN);
}

// With more that is the same, so that there is something to compress.
static scree_sphere_set uneven_set(int32_t dim, int32_t count, uint64_t seed)
{
    scree_sphere_set set = random_set(dim, count, seed);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < dim && i % 5 == 0; ++k)
            set.x[i * dim + k] = -0.0;
        if (i % 7 == 0)
            set.r[i] = 0.25;
    }
    return set;
}

static void add_columns(scree_sphere_set* set)
{
    static const char* const word[] = {"plain", "", "<&>", "two\nlines", "\xC3\xA4", "\xFF\x01", "]]>"};
    scree_column* column;
    add_hard_numbers(set, "<\"it's\" & \t\n\r\xC3\xA4>");
    CHECK_OK(scree_sphere_set_add(set, "Radius", SCREE_COLUMN_DOUBLE, 64, &column));
    CHECK_OK(scree_sphere_set_add(set, "Diameter", SCREE_COLUMN_INT64, 1, &column));
    CHECK_OK(scree_sphere_set_add(set, "d", SCREE_COLUMN_DOUBLE, 1, &column));
    CHECK_OK(scree_sphere_set_add(set, "scree_dim", SCREE_COLUMN_DOUBLE, 1, &column));
    add_words(set, "text", word, 7);
    CHECK_OK(scree_sphere_set_add(set, "empty words", SCREE_COLUMN_TEXT, 1, &column));  // all at offset 0
}

// ---- Round trips -------------------------------------------------------------------------------------------------

static void test_round_trips(void** state)
{
    (void)state;
    // 2731: 65,544 bytes of centres, just more than a block. 33000: 16.9 MB of `Radius`, more than a batch of blocks.
    static const int32_t counts[] = {0, 1, 2, 300, 33000, 2731};
    for (int dim = 2; dim <= 3; ++dim)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
            scree_sphere_set set = uneven_set(dim, counts[k], k), back;
            if (k % 2 == 0)
                add_columns(&set);
            if (k % 3 != 0) {
                set.has_box = true;
                set.box = scree_box_open(dim);
                for (int axis = 0; axis < dim; ++axis) {
                    set.box.upper[axis] = axis == 1 ? INFINITY : 0.1 * (1 + axis);
                    set.box.lower[axis] = axis == 1 ? -INFINITY : -1e-3;
                    set.box.periodic[axis] = axis != 1 && k % 2 == 0;
                }
            }
            CHECK_OK(scree_write_spheres(in_folder("a.vtp"), NULL, &set));
            CHECK_OK(scree_read_spheres(in_folder("a.vtp"), NULL, &back));
            check_same_set(&set, &back);
            // The same again is the same file.
            CHECK_OK(scree_write_spheres(in_folder("b.VTP"), NULL, &back));
            bytes one = get_bytes(in_folder("a.vtp")), two = get_bytes(in_folder("b.VTP"));
            assert_int_equal(one.count, two.count);
            assert_memory_equal(one.at, two.at, one.count);
            scree_sphere_set_free(&back);
            if (counts[k] < 3)
                for (int64_t block = 1; block < 40; block += 6) {
                    CHECK_OK(read_bytes(one.at, one.count, block, &back));
                    check_same_set(&set, &back);
                    scree_sphere_set_free(&back);
                }
            free(one.at);
            free(two.at);
            scree_sphere_set_free(&set);
        }
}

static void test_what_vtp_cannot_hold(void** state)
{
    (void)state;
    static const char* const bad[] = {"radius", "diameter", "a\x01", "\xFF", "\xC3", "\xED\xA0\x80", "\xEF\xBF\xBF", "\xC0\x80"};
    scree_sphere_set set;
    scree_column* column;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        set = uneven_set(2, 1, 1);
        CHECK_OK(scree_sphere_set_add(&set, bad[k], SCREE_COLUMN_DOUBLE, 1, &column));
        CHECK_FAILS(scree_write_spheres(in_folder("a.vtp"), NULL, &set), SCREE_ERR_ARGUMENT);
        scree_sphere_set_free(&set);
    }
    set = uneven_set(2, 1, 1);
    set.has_box = true;
    set.box = scree_box_open(3);
    CHECK_FAILS(scree_write_spheres(in_folder("a.vtp"), NULL, &set), SCREE_ERR_ARGUMENT, "2", "3");
    set.box = scree_box_open(2);
    set.box.periodic[1] = true;
    CHECK_FAILS(scree_write_spheres(in_folder("a.vtp"), NULL, &set), SCREE_ERR_ARGUMENT, "axis y");
    scree_sphere_set_free(&set);
    assert_int_equal(empty_folder(), 0);
}

// ---- Files by VTK ------------------------------------------------------------------------------------------------

#define POINTS 5

static void add_integers(scree_sphere_set* set, const char* name, const int64_t* values)
{
    scree_column* column;
    CHECK_OK(scree_sphere_set_add(set, name, SCREE_COLUMN_INT64, 1, &column));
    memcpy(column->integers, values, POINTS * sizeof *values);
}

static void add_doubles(scree_sphere_set* set, const char* name, int components, const double* values)
{
    scree_column* column;
    CHECK_OK(scree_sphere_set_add(set, name, SCREE_COLUMN_DOUBLE, components, &column));
    memcpy(column->values, values, (size_t)components * POINTS * sizeof *values);
}

// What tests/data/vtp/make.py made.
static scree_sphere_set expected_set(void)
{
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(3, POINTS, &set));
    double v[3 * POINTS], t[9 * POINTS];
    for (int i = 0; i < POINTS; ++i) {
        set.x[3 * i] = 0.5 * i;
        set.x[3 * i + 1] = 1 - 0.25 * i;
        set.x[3 * i + 2] = 3 * i;
        set.r[i] = (i + 1) / 4.0;
        v[3 * i] = i;
        v[3 * i + 1] = 0.5;
        v[3 * i + 2] = 0 - i;
        for (int k = 0; k < 9; ++k)
            t[9 * i + k] = 0.5 * (9 * i + k);
    }
    static const char* const words[] = {"a", "", "b\"c", "\xC3\xA4", "x y"};
    add_integers(&set, "i8", (int64_t[]){INT8_MIN, INT8_MAX, 0, 1, -1});
    add_integers(&set, "u8", (int64_t[]){0, UINT8_MAX, 1, 2, 3});
    add_integers(&set, "i16", (int64_t[]){INT16_MIN, INT16_MAX, 0, 1, -1});
    add_integers(&set, "u16", (int64_t[]){0, UINT16_MAX, 1, 2, 3});
    add_integers(&set, "i32", (int64_t[]){INT32_MIN, INT32_MAX, 0, 1, -1});
    add_integers(&set, "u32", (int64_t[]){0, UINT32_MAX, 1, 2, 3});
    add_integers(&set, "i64", (int64_t[]){INT64_MIN, INT64_MAX, 0, 1, -1});
    add_integers(&set, "u64", (int64_t[]){0, INT64_MAX, 1, 2, 3});
    add_doubles(&set, "f32", 1, (double[]){0.1f, -1e30f, 0x1p-126, 0, INFINITY});
    add_doubles(&set, "f64", 1, (double[]){0.1, -1e300, 0x1p-1074, 0.5, 1.0 / 3.0});
    add_doubles(&set, "v", 3, v);
    add_doubles(&set, "t", 9, t);
    add_words(&set, "text", words, POINTS);
    return set;
}

// Calls `check` with each file of tests/data/vtp.
static void each_file(void (*check)(const char* name, bytes file))
{
    DIR* directory = opendir(TEST_DATA "/vtp");
    assert_non_null(directory);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        const char* dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".vtp") != 0)
            continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/vtp/%s", TEST_DATA, entry->d_name);
        bytes file = get_bytes(path);
        check(entry->d_name, file);
        free(file.at);
        ++count;
    }
    closedir(directory);
    assert_int_equal(count, 13);
}

static void check_by_vtk(const char* name, bytes file)
{
    scree_sphere_set wanted = expected_set(), set;
    static const int64_t blocks[] = {1, 2, 3, 7, 100, 4096, 1 << 20};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) {
        if (read_bytes(file.at, file.count, blocks[k], &set) != SCREE_OK)
            fail_msg("%s: %s", name, scree_error_message());
        check_same_set(&wanted, &set);
        scree_sphere_set_free(&set);
    }
    scree_sphere_set_free(&wanted);
}

static void test_files_by_vtk(void** state)
{
    (void)state;
    each_file(check_by_vtk);
}

// A file that ends early is an error, whatever the place; only what follows the last '>' may be missing.
static void check_cuts_of(const char* name, bytes file, size_t step)
{
    size_t end = file.count;
    while (end > 0 && file.at[end - 1] != '>')
        --end;
    check_cuts(&vtp, file.at, end, step, "m.vtp:", name);
    scree_sphere_set set;
    CHECK_OK(read_bytes(file.at, end, 512, &set));
    scree_sphere_set_free(&set);
}

static void cut_by_seven(const char* name, bytes file)
{
    check_cuts_of(name, file, 7);
}

static void test_cut_files(void** state)
{
    (void)state;
    each_file(cut_by_seven);
    scree_sphere_set set = uneven_set(2, 3, 8);
    static const char* const word[] = {"one", "two"};
    add_words(&set, "text", word, 2);
    CHECK_OK(scree_write_spheres(in_folder("a.vtp"), NULL, &set));
    bytes file = get_bytes(in_folder("a.vtp"));
    check_cuts_of("a.vtp", file, 1);
    free(file.at);
    scree_sphere_set_free(&set);
}

// Any one byte changed: an answer or an error, never a crash; the sanitizers watch.
static void change_bytes(const char* name, bytes file)
{
    (void)name;
    scree_rng rng = scree_rng_make(3, file.count);
    for (size_t at = 0; at < file.count; at += test_is_small() ? 11 : 3) {
        char before = file.at[at];
        file.at[at] = (char)scree_rng_below(&rng, 256);
        scree_sphere_set set;
        if (read_bytes(file.at, file.count, 4096, &set) == SCREE_OK) {
            CHECK_OK(scree_spheres_check(scree_sphere_set_view(&set), NULL));
            scree_sphere_set_free(&set);
        }
        file.at[at] = before;
    }
}

static void test_changed_bytes(void** state)
{
    (void)state;
    each_file(change_bytes);
}

// ---- Files by hand -----------------------------------------------------------------------------------------------

#define HEAD "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\">\n<PolyData>\n"
#define TAIL "</PolyData></VTKFile>\n"
#define PIECE2 "<Piece NumberOfPoints=\"2\">\n"
#define POINTS2 "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">1 2 3  4 5 6</DataArray></Points>\n"
#define ASCII(type, name, values) "<DataArray type=\"" type "\" Name=\"" name "\" format=\"ascii\">" values "</DataArray>\n"
#define DATA(arrays) "<PointData>\n" arrays "</PointData>\n"
// Two spheres; `arrays` begin in line 5.
#define SPHERES(arrays) HEAD PIECE2 DATA(arrays) POINTS2 "</Piece>" TAIL

static void test_as_liggghts_writes(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_text("<?xml version=\"1.0\"?>\r\n"
                       "<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\" "
                       "compressor=\"vtkZLibDataCompressor\">\r\n"
                       "  <PolyData>\r\n"
                       "    <Piece NumberOfPoints=\"2\"                    NumberOfVerts=\"2\"                    >\r\n"
                       "      <PointData Vectors=\"v\">\r\n"
                       "        <DataArray type=\"Int32\" Name=\"id\" format=\"ascii\" RangeMin=\"1\" RangeMax=\"2\">\r\n"
                       "          1 2\r\n        </DataArray>\r\n"
                       "        <DataArray type=\"Float64\" Name=\"v\" NumberOfComponents=\"3\" format=\"ascii\">\r\n"
                       "          0 0 -1.5\r\n          1e-3 0 0\r\n"
                       "        <InformationKey name=\"L2_NORM_RANGE\"><Value>1 2 3</Value></InformationKey></DataArray>\r\n"
                       "        <DataArray type=\"Float64\" Name=\"radius\" format=\"ascii\">0.01 0.02</DataArray>\r\n"
                       "      </PointData>\r\n"
                       "      <CellData><DataArray type=\"Float64\" Name=\"c\" format=\"ascii\">junk</DataArray></CellData>\r\n"
                       "      <Points><DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" format=\"ascii\">\r\n"
                       "          1 2 3 4 5 6</DataArray></Points>\r\n"
                       "      <Verts><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1</DataArray>\r\n"
                       "      </Verts></Piece></PolyData></VTKFile>",
                       &set));
    assert_int_equal(set.dim, 3);
    assert_int_equal(set.count, 2);
    assert_false(set.has_box);
    CHECK_CLOSE(set.x[5], 6.0, 0.0);
    CHECK_CLOSE(set.r[1], 0.02, 0.0);
    assert_int_equal(set.column_count, 2);
    assert_int_equal(set.columns[0].integers[1], 2);
    CHECK_CLOSE(set.columns[1].values[2], -1.5, 0.0);
    CHECK_CLOSE(set.columns[1].values[3], 1e-3, 0.0);
    scree_sphere_set_free(&set);
}

static void test_where_the_radius_is(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double r;             // of the first sphere
        const char* columns;  // the names of the columns, a blank behind each
    } files[] = {
        {SPHERES(ASCII("Float64", "radius", "1 2")), 1.0, ""},
        {SPHERES(ASCII("Float64", "Radius", "1 2")), 1.0, ""},
        {SPHERES(ASCII("UInt8", "r", "1 2")), 1.0, ""},
        {SPHERES(ASCII("Float64", "diameter", "1 2")), 0.5, ""},
        {SPHERES(ASCII("Int64", "Diameter", "1 2")), 0.5, ""},
        {SPHERES(ASCII("Float32", "d", "1 2")), 0.5, ""},
        {SPHERES(ASCII("Float64", "radius", "1 2") ASCII("Float64", "diameter", "2 4")), 1.0, ""},
        {SPHERES(ASCII("Float64", "diameter", "2.00001 4") ASCII("Float64", "radius", "1 2")), 1.0, ""},
        {SPHERES(ASCII("Float64", "d", "9 9") ASCII("Float64", "Radius", "1 2")), 1.0, "d "},
        {SPHERES(ASCII("Float64", "r", "9 9") ASCII("Float64", "Diameter", "9 9") ASCII("Float64", "radius", "1 2")), 1.0,
         "r_array Diameter "},
        {SPHERES(ASCII("Float64", "x", "9 9") ASCII("Float64", "x_array", "9 9") ASCII("Int8", "x_array_", "9 9")
                     ASCII("Float64", "radius", "1 2") ASCII("Float64", "", "1 2")),
         1.0, "x_array__ x_array x_array_ array_5 "},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        scree_sphere_set set;
        CHECK_OK(read_text(files[k].text, &set));
        CHECK_CLOSE(set.r[0], files[k].r, 0.0);
        CHECK_CLOSE(set.r[1], 2 * files[k].r, 0.0);
        char names[256] = "";
        for (int c = 0; c < set.column_count; ++c)
            strcat(strcat(names, set.columns[c].name), " ");
        assert_string_equal(names, files[k].columns);
        scree_sphere_set_free(&set);
    }
}

static void test_kinds(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_text(SPHERES(ASCII("Float64", "radius", "1 2") ASCII("UInt64", "big", "1 9223372036854775808")
                                   ASCII("UInt64", "small", "18446744073709551615 1") ASCII("Int64", "i", "-9223372036854775808 +7")
                                       ASCII("Float64", "odd", "nan -inf") ASCII("String", "t", "-61 164 0 0")
                                           ASCII("Float32", "f", "0.1 1e-60")),
                       &set));
    assert_int_equal(set.columns[0].kind, SCREE_COLUMN_DOUBLE);  // above INT64_MAX
    CHECK_CLOSE(set.columns[0].values[0], 1.0, 0.0);
    CHECK_CLOSE(set.columns[0].values[1], 0x1p63, 0.0);
    CHECK_CLOSE(set.columns[1].values[0], 0x1p64, 0.0);
    CHECK_CLOSE(set.columns[1].values[1], 1.0, 0.0);
    assert_true(set.columns[2].integers[0] == INT64_MIN);
    assert_int_equal(set.columns[2].integers[1], 7);
    assert_true(isnan(set.columns[3].values[0]) && isinf(set.columns[3].values[1]));
    assert_string_equal(set.columns[4].text, "\xC3\xA4");
    assert_string_equal(set.columns[4].text + set.columns[4].offset[1], "");
    CHECK_CLOSE(set.columns[5].values[0], (double)0.1f, 0.0);
    CHECK_CLOSE(set.columns[5].values[1], 0.0, 0.0);
    scree_sphere_set_free(&set);
}

#define CENTRES(type, values) "<Points><DataArray type=\"" type "\" NumberOfComponents=\"3\">" values "</DataArray></Points>"

static void test_pieces(void** state)
{
    (void)state;
    scree_sphere_set set;
    // In another order, with other types, and with empty pieces before, between and behind.
    CHECK_OK(read_text(HEAD "<Piece NumberOfPoints=\"0\"/>"
                            "<Piece NumberOfPoints=\"1\">" DATA(ASCII("Int8", "id", "7") ASCII("Float32", "radius", "0.5")
                                                                    ASCII("String", "t", "65 0")) CENTRES("Int32", "1 2 3")
                            "</Piece><Piece NumberOfPoints=\"0\">" DATA(ASCII("Int8", "other", "")) CENTRES("Float32", "")
                            "</Piece>" PIECE2 DATA(ASCII("String", "t", "0 66 67 0") ASCII("Float64", "radius", "1 2")
                                                       ASCII("Float64", "id", "0.5 1.5")) POINTS2 "</Piece>"
                            "<Piece NumberOfPoints=\"0\"></Piece>" TAIL,
                       &set));
    assert_int_equal(set.count, 3);
    static const double x[] = {1, 2, 3, 1, 2, 3, 4, 5, 6}, r[] = {0.5, 1, 2}, id[] = {7, 0.5, 1.5};
    check_same_bits(set.x, x, 9, "x");
    check_same_bits(set.r, r, 3, "r");
    assert_int_equal(set.column_count, 2);
    assert_int_equal(set.columns[0].kind, SCREE_COLUMN_DOUBLE);
    check_same_bits(set.columns[0].values, id, 3, "id");
    assert_string_equal(set.columns[1].text + set.columns[1].offset[0], "A");
    assert_string_equal(set.columns[1].text + set.columns[1].offset[1], "");
    assert_string_equal(set.columns[1].text + set.columns[1].offset[2], "BC");
    scree_sphere_set_free(&set);
    CHECK_OK(read_text(HEAD "<Piece NumberOfPoints=\"0\"/><Piece NumberOfPoints=\"0\"/>" TAIL, &set));
    assert_int_equal(set.count, 0);
    assert_int_equal(set.dim, 3);
    scree_sphere_set_free(&set);
}

#define MARKS(dim, box)                                                                                                \
    "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\">0</DataArray>" dim box "</FieldData>"
#define DIM(value) "<DataArray type=\"Int32\" Name=\"scree_dim\" NumberOfTuples=\"1\">" value "</DataArray>"
#define BOX(values)                                                                                                    \
    "<DataArray type=\"Float64\" Name=\"scree_box\" NumberOfComponents=\"3\" NumberOfTuples=\"3\">" values "</DataArray>"
#define FLAT(marks) HEAD marks PIECE2 DATA(ASCII("Float64", "radius", "1 2")) CENTRES("Float64", "1 2 0 3 4 -0") "</Piece>" TAIL

static void test_marks(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_text(FLAT(MARKS(DIM("2"), BOX("0 1 9 10 20 9 0 1 9"))), &set));
    assert_int_equal(set.dim, 2);
    static const double x[] = {1, 2, 3, 4};
    check_same_bits(set.x, x, 4, "x");
    assert_true(set.has_box && set.box.dim == 2 && !set.box.periodic[0] && set.box.periodic[1]);
    CHECK_CLOSE(set.box.lower[1], 1.0, 0.0);
    CHECK_CLOSE(set.box.upper[1], 20.0, 0.0);
    scree_sphere_set_free(&set);
    CHECK_OK(read_text(FLAT(MARKS("", BOX("-inf 0 0 inf 1 1 0 0 0"))), &set));  // flat, but not marked: 3D
    assert_int_equal(set.dim, 3);
    assert_true(set.has_box && isinf(set.box.lower[0]));
    scree_sphere_set_free(&set);
}

// Raw appended data: the XML, and behind the '_' what the caller puts there.
static bytes begin_raw(const char* attributes, const char* arrays)
{
    bytes file = {0};
    append_text(&file, "<VTKFile type=\"PolyData\" ");
    append_text(&file, attributes);
    append_text(&file, "><PolyData>\n<Piece NumberOfPoints=\"2\">\n");
    append_text(&file, arrays);
    append_text(&file, "</Piece></PolyData>\n<AppendedData encoding=\"raw\">\n _");
    return file;
}

#define RAW_END "\n</AppendedData>\n</VTKFile>"
#define AT(type, name, components, offset)                                                                             \
    "<DataArray type=\"" type "\" Name=\"" name "\" NumberOfComponents=\"" components "\" format=\"appended\" offset=\""    \
    offset "\"/>\n"

static const double six[] = {1, 2, 3, 4, 5, 6}, two[] = {0.5, 0.25};

static void test_order_of_offsets(void** state)
{
    (void)state;
    // The radii stand before the centres in the file, gaps between; `a` and `b` are the radii's bytes once more.
    bytes file = begin_raw("", DATA(AT("Float64", "a", "1", "3") AT("UInt8", "b", "8", "3") AT("Float64", "radius", "1", "3"))
                                   "<Points>" AT("Float64", "", "3", "40") "</Points>");
    uint32_t size = 16;
    append_text(&file, "???");
    append(&file, &size, 4);
    append(&file, two, 16);
    append_text(&file, "<AppendedData>###");
    size = 48;
    append(&file, &size, 4);
    append(&file, six, 48);
    append_text(&file, "more of no interest" RAW_END);
    scree_sphere_set set;
    for (int64_t block = 1; block < 300; block = 2 * block + 1) {
        CHECK_OK(read_bytes(file.at, file.count, block, &set));
        check_same_bits(set.x, six, 6, "x");
        check_same_bits(set.r, two, 2, "r");
        check_same_bits(set.columns[0].values, two, 2, "a");
        assert_int_equal(set.columns[1].components, 8);
        assert_int_equal(set.columns[1].integers[7], 0x3F);
        scree_sphere_set_free(&set);
    }
    free(file.at);
    file = begin_raw("", DATA(AT("Float64", "radius", "1", "0")) "<Points>" AT("Float64", "", "3", "10") "</Points>");
    size = 16;
    append(&file, &size, 4);
    append(&file, two, 16);
    append(&file, six, 48);
    append_text(&file, RAW_END);
    CHECK_FAILS(read_bytes(file.at, file.count, 64, &set), SCREE_ERR_FORMAT, "m.vtp:6", "'Points'", "10", "20");
    free(file.at);
}

// ---- Errors ------------------------------------------------------------------------------------------------------

// Words have no size that the number of points would tell; what the header announces is bounded before anything is unpacked. So is a tag.
static void test_text_bounds(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_FAILS(read_text("<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n" PIECE2 DATA(
                              ASCII("Float64", "radius", "1 2") "<Array type=\"String\" Name=\"words\" format=\"binary\">AAAAwAAAAAA=</Array>") POINTS2
                              "</Piece>" TAIL,
                          &set),
                SCREE_ERR_FORMAT, "m.vtp:6", "'words'", "3221225472", "67239936");
    size_t length = (size_t)10 << 20;
    char* text = malloc(length + 1);
    assert_non_null(text);
    memset(text, 'a', length);
    memcpy(text, "<VTKFile ", 9);
    text[length] = '\0';
    CHECK_FAILS(read_bytes(text, length, 1 << 20, &set), SCREE_ERR_FORMAT, "m.vtp:1", "8388608");
    free(text);
}

static void test_errors(void** state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "m.vtp:1"},
        {"x,y,z,r\n1,2,3,4\n", "m.vtp:1"},
        {"# vtk DataFile Version 3.0\n", "m.vtp:1"},
        {"<svg/>", "m.vtp:1 | <svg>"},
        {"\n<VTKFile/>", "m.vtp:2 | ''"},
        {"<VTKFile type=\"UnstructuredGrid\"/>", "m.vtp:1 | 'UnstructuredGrid'"},
        {"<VTKFile type=\"PPolyData\"/>", ".vtp"},
        {"<VTKFile type=\"PolyData\" byte_order=\"Middle\"/>", "byte_order | \"Middle\""},
        {"<VTKFile type=\"PolyData\" header_type=\"UInt16\"/>", "header_type | \"UInt16\""},
        {"<VTKFile type=\"PolyData\"/>", "m.vtp:1 | <Piece>"},
        {"<VTKFile type=\"PolyData\"><PolyData>", "m.vtp:1 | </VTKFile>"},
        {"<VTKFile type=\"PolyData\"></PolyData>", "m.vtp:1"},
        {"<!DOCTYPE a [<!ENTITY b \"c\">]>\n<VTKFile type=\"PolyData\"/>", "m.vtp:1"},
        {"<VTKFile type=\"&a;\"/>", ""},
        {HEAD "<Piece/>" TAIL, "m.vtp:3 | <Piece>"},
        {HEAD "<Piece NumberOfPoints=\"-1\"/>" TAIL, "m.vtp:3 | <Piece> | \"-1\""},
        {HEAD "<Piece NumberOfPoints=\"2147483648\"/>" TAIL, "m.vtp:3 | 2147483647"},
        {HEAD "<Piece NumberOfPoints=\"9223372036854775807\"/>" TAIL, "m.vtp:3 | <Piece>"},
        {HEAD "<Piece NumberOfPoints=\"1\"/><Piece NumberOfPoints=\"2147483647\"/>" TAIL, "2147483647"},
        {HEAD PIECE2 DATA("") "</Piece>" TAIL, "m.vtp:3 | 2 | <Points>"},
        {HEAD PIECE2 POINTS2 "</Piece>" TAIL, "m.vtp:3 | 'radius' | <PointData> | diameter"},
        {SPHERES(ASCII("Float64", "mass", "1 2") ASCII("Int8", "RADIUS", "1 2")), "'mass' | 'RADIUS'"},
        {HEAD PIECE2 POINTS2 POINTS2 "</Piece>" TAIL, "m.vtp:5 | <Points> | 4"},
        {SPHERES(ASCII("Float64", "a", "1 2") ASCII("Int8", "a", "1 2")), "m.vtp:6 | 'a' | <PointData> | 5"},
        {SPHERES(ASCII("Float64", "radius", "1 2 3")), "m.vtp:5 | 'radius' | '3' | 2"},
        {SPHERES(ASCII("Float64", "radius", "1")), "m.vtp:5 | 'radius' | 1 | 2"},
        {SPHERES(ASCII("Float64", "radius", "")), "m.vtp:5 | 'radius' | 0 | 2"},
        {SPHERES(ASCII("Float64", "radius", "1\n\n two")), "m.vtp:7 | 'radius' | 'two'"},
        {SPHERES(ASCII("Float64", "radius", "1 -2")), "m.vtp:5 | 'radius' | point 1 | -2 | radius"},
        {SPHERES(ASCII("Float64", "radius", "nan 1")), "'radius' | point 0 | nan | radius | 0"},
        {SPHERES(ASCII("Float64", "d", "1 1e300")), "'d' | point 1 | 1.0000000000000001e+300 | diameter | 0"},
        {SPHERES(ASCII("Int16", "d", "1 -1")), "'d' | point 1 | -1 | diameter"},
        {SPHERES(ASCII("Float64", "radius", "1 2") ASCII("Float64", "diameter", "2 3")),
         "m.vtp:6 | 'diameter' | point 1 | 3 | radius | 2"},
        {SPHERES(ASCII("String", "radius", "1 0 0")), "'radius' | 1"},
        {SPHERES("<DataArray type=\"Float64\" NumberOfComponents=\"2\" Name=\"radius\">1 2 3 4</DataArray>"),
         "'radius' | 2"},
        {SPHERES(ASCII("Int8", "radius", "1 128")), "'radius' | '128'"},
        {SPHERES(ASCII("Int8", "radius", "1 -129")), "'-129'"},
        {SPHERES(ASCII("UInt8", "radius", "256 1")), "'256'"},
        {SPHERES(ASCII("UInt16", "radius", "-1 1")), "'-1'"},
        {SPHERES(ASCII("Int64", "radius", "9223372036854775808 1")), "'9223372036854775808'"},
        {SPHERES(ASCII("UInt64", "radius", "18446744073709551616 1")), "'18446744073709551616'"},
        {SPHERES(ASCII("Int32", "radius", "1.0 1")), "'1.0'"},
        {SPHERES(ASCII("String", "t", "65 0 66")), "'t' | 0"},
        {SPHERES(ASCII("String", "t", "65 0")), "'t' | 1 | 2"},
        {SPHERES(ASCII("String", "t", "0 0 65 0")), "'t' | 2"},
        {SPHERES(ASCII("String", "t", "0 256")), "'t' | '256'"},
        {SPHERES("<DataArray Name=\"a\"/>"), "m.vtp:5 | <DataArray>"},
        {SPHERES("<DataArray type=\"Int8\" NumberOfComponents=\"0\" Name=\"a\"/>"), "'a' | 0"},
        {SPHERES("<DataArray type=\"Int8\" NumberOfComponents=\"x\" Name=\"a\"/>"), "\"x\""},
        {SPHERES("<DataArray type=\"Int8\" format=\"text\" Name=\"a\"/>"), "m.vtp:5 | \"text\""},
        {SPHERES("<DataArray type=\"Int8\" format=\"appended\" Name=\"a\"/>"), "m.vtp:5 | <DataArray>"},
        {SPHERES("<DataArray type=\"Int8\" offset=\"0\" Name=\"a\"/>"),
         "m.vtp:5 | 'a' | \"appended\" | <AppendedData>"},
        {SPHERES("<DataArray type=\"Int8\" format=\"binary\" Name=\"a\"></DataArray>"), "'a'"},
        {SPHERES("<DataArray type=\"Int8\" format=\"binary\" Name=\"a\">AgAAAAEC!</DataArray>"),
         "'a' | '!'"},
        {SPHERES("<DataArray type=\"Int8\" format=\"binary\" Name=\"a\">\nAgA*</DataArray>"),
         "m.vtp:5 | 'a' | '*' | base64 | 4"},
        {SPHERES("<DataArray type=\"Int8\" format=\"binary\" Name=\"a\">A=AA</DataArray>"), "'a' | 'A=AA' | base64"},
        {SPHERES("<DataArray type=\"Int8\" format=\"binary\" Name=\"a\">AwAAAAECAw==</DataArray>"),
         "'a' | 3 | 2 | 1"},
        {SPHERES("<DataArray type=\"Int8\" format=\"binary\" Name=\"a\">AgAAAAE=</DataArray>"),
         "'a' | 1 | 2 | byte 5"},
        {SPHERES("<DataArray type=\"Int8\" format=\"binary\" Name=\"a\">AgAAAAECAwQ=</DataArray>"),
         "'a' | 'A'"},
        {SPHERES("<DataArray type=\"Int8\" format=\"binary\" Name=\"a\">AgAAAAECAw==</DataArray>"),
         "'a' | 'A'"},
        {HEAD PIECE2 CENTRES("Float64", "1 2 3 4 5") "</Piece>" TAIL, "'Points' | 5 | 6 | 2 | 3"},
        {HEAD PIECE2 "<Points>" ASCII("Float64", "p", "1 2") "</Points></Piece>" TAIL, "'p' | 1 | 3"},
        {HEAD PIECE2 DATA(ASCII("Float64", "radius", "1 2")) CENTRES("Float64", "1 2 3 4 nan 6") "</Piece>" TAIL,
         "m.vtp:7 | 'Points' | point 1 | nan | 0 | 1e-140 | 1e+140"},
        {HEAD PIECE2 DATA(ASCII("Float64", "radius", "1 2")) POINTS2 "</Piece>\n" PIECE2 DATA(ASCII("Float64", "radius", "1 -2"))
             POINTS2 "</Piece>" TAIL, "m.vtp:11 | 'radius' | point 3 | -2"},
        {HEAD PIECE2 DATA(ASCII("Float64", "radius", "1 2")) POINTS2 "</Piece>\n" PIECE2 DATA(ASCII("Float64", "Radius", "1 2"))
             POINTS2 "</Piece>" TAIL, "m.vtp:9 | 'radius' | 3"},
        {HEAD PIECE2 DATA(ASCII("Float64", "radius", "1 2")) POINTS2 "</Piece>\n" PIECE2
             DATA(ASCII("Float64", "a", "1 2") ASCII("Float64", "radius", "1 2")) POINTS2 "</Piece>" TAIL,
         "m.vtp:11 | 'a' | 3"},
        {HEAD PIECE2 DATA(ASCII("Float64", "radius", "1 2")) POINTS2 "</Piece>\n" PIECE2 DATA(ASCII("String", "radius", "0 0"))
             POINTS2 "</Piece>" TAIL, "m.vtp:11 | 'radius' | 1 | 5"},
        {FLAT(MARKS(DIM("4"), "")), "'scree_dim' | 4 | 2 | 3"},
        {FLAT(MARKS(DIM("2") DIM("2"), "")), "'scree_dim'"},
        {FLAT(MARKS("", "<DataArray type=\"Int8\" Name=\"scree_box\" NumberOfTuples=\"2\">1 2</DataArray>")),
         "'scree_box' | 2 | 1 | 9"},
        {FLAT(MARKS("", BOX("0 0 0 1 1 1 0 0 2"))), "'scree_box' | 2 | axis z | 1 | 0"},
        {FLAT(MARKS("", BOX("0 0 0 1 1 -1 0 0 1"))), "'scree_box' | axis z | 0 | -1"},
        {HEAD MARKS(DIM("2"), "") PIECE2 DATA(ASCII("Float64", "radius", "1 2")) POINTS2 "</Piece>" TAIL,
         "'Points' | point 0 | 3 | scree_dim"},
        {"<VTKFile type=\"PolyData\"><PolyData/>\n<AppendedData encoding=\"hex\">_</AppendedData></VTKFile>",
         "m.vtp:2 | \"hex\" | base64"},
        {"<VTKFile type=\"PolyData\"><PolyData/>\n<AppendedData encoding=\"raw\"></AppendedData></VTKFile>",
         "m.vtp:2 | <AppendedData> | '_'"},
        {"<VTKFile type=\"PolyData\"><PolyData/>\n<AppendedData encoding=\"raw\">  ", "'_'"},
        {"<VTKFile type=\"PolyData\"><PolyData/>\n<AppendedData encoding=\"raw\">_</AppendedData>",
         "m.vtp:2 | 15 | </AppendedData> | </VTKFile>"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
        for (int64_t block = 1; block < 10000; block = 13 * block + 1) {
            scree_sphere_set set = {.count = 4711};
            CHECK_FAILS(read_bytes(bad[k].text, strlen(bad[k].text), block, &set), SCREE_ERR_FORMAT, bad[k].message);
            assert_int_equal(set.count, 4711);  // untouched
        }
}

static void test_unsupported(void** state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } files[] = {
        {"<VTKFile type=\"PolyData\" compressor=\"vtkLZ4DataCompressor\"><PolyData>\n" PIECE2
             DATA("<DataArray type=\"Int8\" format=\"binary\"/>") "</Piece>" TAIL,
         "m.vtp:4 | compressor | 'vtkLZ4DataCompressor'"},
        {"<VTKFile type=\"PolyData\" compressor=\"vtkLZMADataCompressor\"><PolyData>\n" PIECE2
             DATA("<DataArray type=\"Int8\" format=\"appended\" offset=\"0\"/>") "</Piece>" TAIL,
         "compressor | 'vtkLZMADataCompressor'"},
        {SPHERES("<DataArray type=\"Bit\" format=\"ascii\"/>"), "m.vtp:5 | 'Bit'"},
        {SPHERES("<DataArray type=\"Int8\" NumberOfComponents=\"65\" format=\"ascii\"/>"), "m.vtp:5 | 65"},
    };
    scree_sphere_set set;
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k)
        CHECK_FAILS(read_text(files[k].text, &set), SCREE_ERR_UNSUPPORTED, files[k].message);
    // Text needs no compressor, so it does not matter which one it is.
    CHECK_OK(read_text("<VTKFile type=\"PolyData\" compressor=\"vtkLZ4DataCompressor\"><PolyData>" PIECE2
                           DATA(ASCII("Int8", "r", "1 2")) POINTS2 "</Piece>" TAIL, &set));
    scree_sphere_set_free(&set);
}

// A compressed array of 2 radii; the header's numbers and the bytes of the only block are the caller's.
static scree_status read_block(const uint32_t* header, size_t numbers, const void* block, size_t length, scree_sphere_set* set)
{
    bytes file = begin_raw("compressor=\"vtkZLibDataCompressor\"", DATA(AT("Float64", "radius", "1", "0")) POINTS2);
    append(&file, header, numbers * sizeof *header);
    append(&file, block, length);
    append_text(&file, RAW_END);
    scree_status status = SCREE_OK;
    char message[2048] = "";
    for (int64_t size = 1; size < 10000; size = 9 * size + 1) {  // the same, whatever the portions
        status = read_bytes(file.at, file.count, size, set);
        if (size > 1)
            assert_string_equal(message, scree_error_message());
        snprintf(message, sizeof message, "%s", scree_error_message());
        if (status == SCREE_OK)
            break;
    }
    free(file.at);
    return status;
}

static void test_blocks_that_lie(void** state)
{
    (void)state;
    unsigned char block[200], other[200];
    unsigned long length = sizeof block, other_length = sizeof other;
    assert_int_equal(compress(block, &length, (const unsigned char*)two, sizeof two), Z_OK);
    assert_int_equal(compress(other, &other_length, (const unsigned char*)six, sizeof six), Z_OK);
    uint32_t n = (uint32_t)length, m = (uint32_t)other_length;
    scree_sphere_set set;
    CHECK_OK(read_block((uint32_t[]){1, 32768, 16, n}, 4, block, length, &set));
    check_same_bits(set.r, two, 2, "r");
    scree_sphere_set_free(&set);
    CHECK_OK(read_block((uint32_t[]){1, 16, 0, n}, 4, block, length, &set));
    scree_sphere_set_free(&set);
#define REFUSED(numbers, bytes, count, text)                                                                           \
    CHECK_FAILS(read_block((uint32_t[])numbers, sizeof(uint32_t[])numbers / 4, bytes, count, &set), SCREE_ERR_FORMAT, text)
#define LIST(...) {__VA_ARGS__}
    REFUSED(LIST(1, 32768, 15, n), block, length, "'radius' | 15 | 2 | 1 | 16");
    REFUSED(LIST(0, 32768, 0), block, length, "0 | 2");
    REFUSED(LIST(4000000000u, 4000000000u, 16, n), block, length, "4000000000 | 16");
    REFUSED(LIST(4000000000u, 0, 16, n), block, length, "4000000000 | 0 | 16");
    REFUSED(LIST(1, 0, 0, n), block, length, "1 | 0");
    REFUSED(LIST(2, 8, 16, n), block, length, "2 | 8 | 16");
    REFUSED(LIST(2, 8, 8, 0, n), block, length, "0 | block 0 | byte 20");
    REFUSED(LIST(1, 16, 0, n - 1), block, length, "block 0");
    REFUSED(LIST(1, 16, 0, n + 1), block, length, "block 0");
    REFUSED(LIST(1, 16, 0, m), other, other_length, "block 0 | 16");
    REFUSED(LIST(2, 8, 0, n, n), block, length, "block 0 | 8");
    REFUSED(LIST(1, 16, 0, 4000000000u), block, length, "block 0 | 4000000000");
    block[0] ^= 1;
    REFUSED(LIST(1, 16, 0, n), block, length, "block 0 | byte 16");
    block[0] ^= 1;
    block[length - 1] ^= 1;
    REFUSED(LIST(1, 16, 0, n), block, length, "block 0");
    unsigned char half[200];
    unsigned long half_length = sizeof half;
    assert_int_equal(compress(half, &half_length, (const unsigned char*)two, 8), Z_OK);
    REFUSED(LIST(1, 16, 0, (uint32_t)half_length), half, half_length, "block 0 | 8 | 16");
    // Only the beginning of what the header tells is there.
    CHECK_FAILS(read_block((uint32_t[]){1, 16, 0, n}, 2, block, 0, &set), SCREE_ERR_FORMAT, "'radius'");
}

// Counts that the file cannot back are found out by what is missing, not by running out of memory.
static void test_counts_that_lie(void** state)
{
    (void)state;
    scree_sphere_set set;
    static const char* const many[] = {
        HEAD "<Piece NumberOfPoints=\"2147483647\">\n" DATA(ASCII("Float64", "radius", "1 2")) "</Piece>" TAIL,
        HEAD "<Piece NumberOfPoints=\"2147483647\">\n"
            DATA("<DataArray type=\"Float64\" Name=\"a\" NumberOfComponents=\"64\" format=\"binary\">AADAfwAAAAA=</DataArray>\n")
            "</Piece>" TAIL,
        "<VTKFile type=\"PolyData\" header_type=\"UInt64\"><PolyData><Piece NumberOfPoints=\"2147483647\">\n" DATA(
            AT("Float64", "a", "1", "0")) "</Piece></PolyData><AppendedData encoding=\"base64\">_+P///wMAAAAA",
    };
    for (size_t k = 0; k < sizeof many / sizeof *many; ++k)
        CHECK_FAILS(read_text(many[k], &set), SCREE_ERR_FORMAT, "m.vtp");
    CHECK_FAILS(read_text(many[2], &set), SCREE_ERR_FORMAT, "'a'", "17179869175", "17179869176", "byte 9", "0");
}

// ---- What can fail -----------------------------------------------------------------------------------------------

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_sphere_set set = uneven_set(2, 50, 6), back = {0};
    add_columns(&set);
    put_text(in_folder("a.vtp"), OLD);
    EACH_ALLOCATION_FAILS(scree_write_spheres(in_folder("a.vtp"), NULL, &set), CHECK_FILE(in_folder("a.vtp"), OLD));
    EACH_ALLOCATION_FAILS(scree_read_spheres(in_folder("a.vtp"), NULL, &back), assert_null(back.x));
    check_same_set(&set, &back);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&back);
    assert_int_equal(empty_folder(), 1);
    EACH_ALLOCATION_FAILS(scree_read_spheres(TEST_DATA "/vtp/ascii-plain-32-le.vtp", NULL, &back), assert_null(back.x));
    scree_sphere_set_free(&back);
    EACH_ALLOCATION_FAILS(scree_read_spheres(TEST_DATA "/vtp/base64-zlib-64-be.vtp", NULL, &back), assert_null(back.x));
    scree_sphere_set_free(&back);
    static const char pieces[] = HEAD PIECE2 DATA(ASCII("UInt64", "r", "1 2") ASCII("Int8", "i", "1 2") ASCII("String", "t", "0 0"))
        POINTS2 "</Piece>" PIECE2 DATA(ASCII("UInt64", "i", "1 18446744073709551615") ASCII("Float64", "r", "1 2")
                                           ASCII("String", "t", "0 0")) POINTS2 "</Piece>" TAIL;
    EACH_ALLOCATION_FAILS(read_text(pieces, &back), assert_null(back.x));
    scree_sphere_set_free(&back);
}

static void test_nth_system_call_fails(void** state)
{
    (void)state;
    scree_sphere_set set = uneven_set(3, 60000, 4);  // more than one write
    check_each_write_fails(in_folder("a.vtp"), &set);
    scree_sphere_set_free(&set);
}

static void test_watch(void** state)
{
    (void)state;
    scree_sphere_set set = uneven_set(3, 100000, 9), back = {0};
    scree_file_options options = scree_default_file_options();
    for (int ticks = 1; ticks < 5; ++ticks) {
        int left = ticks;
        options.watch = (scree_watch){stop_at, &left};
        CHECK_FAILS(scree_write_spheres(in_folder("a.vtp"), &options, &set), SCREE_ERR_CANCELLED);
        assert_int_equal(empty_folder(), 0);
    }
    CHECK_OK(scree_write_spheres(in_folder("a.vtp"), NULL, &set));
    for (int ticks = 1; ticks < 5; ++ticks) {
        int left = ticks;
        options.watch = (scree_watch){stop_at, &left};
        CHECK_FAILS(scree_read_spheres(in_folder("a.vtp"), &options, &back), SCREE_ERR_CANCELLED);
        assert_null(back.x);
    }
    scree_sphere_set_free(&set);
}

// ---- PVD ---------------------------------------------------------------------------------------------------------

static void test_pvd(void** state)
{
    (void)state;
    static const double times[] = {0, 0.1, 1e-7};
    static const char* const files[] = {"a.vtp", "frames/b & \"c\".vtp", "\xC3\xA4<.vtp"};
    CHECK_OK(scree_write_pvd(in_folder("a.pvd"), 3, times, files));
    bytes file = get_bytes(in_folder("a.pvd"));
    assert_string_equal(file.at, "<?xml version=\"1.0\"?>\n"
                                 "<VTKFile type=\"Collection\" version=\"0.1\">\n"
                                 "  <Collection>\n"
                                 "    <DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"a.vtp\"/>\n"
                                 "    <DataSet timestep=\"0.1\" group=\"\" part=\"0\" file=\"frames/b &#38; &#34;c&#34;.vtp\"/>\n"
                                 "    <DataSet timestep=\"1e-07\" group=\"\" part=\"0\" file=\"\xC3\xA4&#60;.vtp\"/>\n"
                                 "  </Collection>\n"
                                 "</VTKFile>\n");
    free(file.at);
    EACH_ALLOCATION_FAILS(scree_write_pvd(in_folder("a.pvd"), 0, NULL, NULL), (void)0);
    CHECK_FAILS(scree_write_pvd(in_folder("a.pvd"), -1, times, files), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_write_pvd(in_folder("a.pvd"), 1, NULL, files), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_write_pvd(in_folder("a.pvd"), 1, times, NULL), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_write_pvd(in_folder("a.pvd"), 1, (double[]){NAN}, files), SCREE_ERR_ARGUMENT, "frame 0", "nan");
    CHECK_FAILS(scree_write_pvd(in_folder("a.pvd"), 2, times, (const char*[]){"a", ""}), SCREE_ERR_ARGUMENT, "frame 1");
    CHECK_FAILS(scree_write_pvd(in_folder("a.pvd"), 1, times, (const char*[]){"a\x02"}), SCREE_ERR_ARGUMENT, "frame 0", "'a?'");
    CHECK_FAILS(scree_write_pvd("/dev/full", 3, times, files), SCREE_ERR_IO, "/dev/full");
    assert_int_equal(empty_folder(), 1);
}

// One set in several files and a list of them.
static void test_files_of_pieces(void** state)
{
    (void)state;
    const char* path = in_folder("a.pvtp");
    scree_file_options options = scree_default_file_options();
    options.format = SCREE_FORMAT_VTP;
    for (int32_t most = 9; most <= 40; most += 31) {
        scree_sphere_set set = random_set(3, 30, 3), back;
        add_hard_numbers(&set, "odd");
        CHECK_OK(scree_pvtp_write(path, &options, set.count, most, scree_pvtp_cut, &set));
        assert_int_equal(files_in_folder(), most == 9 ? 5 : 2);
        CHECK_OK(scree_read_spheres(path, NULL, &back));
        check_kept_set(&set, &back, KEEPS_BOX | KEEPS_NAN);
        scree_sphere_set_free(&back);
        if (most == 9) {
            for (int64_t n = 1, used = n; n <= used; n += 1 + n / 5) {
                scree_memory_fail_at(n);
                scree_status status = scree_read_spheres(path, NULL, &back);
                used = scree_memory_fail_at(0);
                assert_int_equal(status, n <= used ? SCREE_ERR_MEMORY : SCREE_OK);
                scree_sphere_set_free(&back);
            }
            scree_memory_fail_at(1);
            assert_int_equal(scree_pvtp_write(path, &options, set.count, most, scree_pvtp_cut, &set), SCREE_ERR_MEMORY);
            scree_memory_fail_at(0);
            remove_all(in_folder("a.p0002.vtp"));
            CHECK_FAILS(scree_read_spheres(path, NULL, &back), SCREE_ERR_IO, "a.p0002.vtp");
            assert_null(back.x);
            scree_sphere_set other = random_set(3, 2, 4);
            CHECK_OK(scree_write_spheres(in_folder("a.p0002.vtp"), NULL, &other));
            CHECK_FAILS(scree_read_spheres(path, NULL, &back), SCREE_ERR_FORMAT, "a.p0002.vtp", "columns");
            scree_sphere_set_free(&other);
            empty_folder();
        }
        scree_sphere_set_free(&set);
    }
    scree_sphere_set back;
    put_text(path, "<VTKFile type=\"PPolyData\"><PPolyData/></VTKFile>");
    CHECK_FAILS(scree_read_spheres(path, NULL, &back), SCREE_ERR_FORMAT, "a.pvtp", "pieces");
    put_text(path, "<VTKFile type=\"PPolyData\"><PPolyData>\n<Piece/></PPolyData></VTKFile>");
    CHECK_FAILS(scree_read_spheres(path, NULL, &back), SCREE_ERR_FORMAT, "a.pvtp:2", "Source");
    put_text(path, "<VTKFile type=\"PPolyData\"><PPolyData><Piece Source=\"a.pvtp\"/></PPolyData></VTKFile>");
    CHECK_FAILS(scree_read_spheres(path, NULL, &back), SCREE_ERR_FORMAT, "a.pvtp", "list");
    put_text(path, "<VTKFile type=\"PolyData\"/>");
    CHECK_FAILS(scree_read_spheres(path, NULL, &back), SCREE_ERR_FORMAT, "a.pvtp:1", "PPolyData");
    empty_folder();
}

static const test_case cases[] = {
    ALLOCATION(test_files_of_pieces),
    UNIT(test_round_trips),
    UNIT(test_what_vtp_cannot_hold),
    UNIT(test_files_by_vtk),
    UNIT(test_cut_files),
    UNIT(test_changed_bytes),
    UNIT(test_as_liggghts_writes),
    UNIT(test_where_the_radius_is),
    UNIT(test_kinds),
    UNIT(test_pieces),
    UNIT(test_marks),
    UNIT(test_order_of_offsets),
    UNIT(test_text_bounds),
    UNIT(test_errors),
    UNIT(test_unsupported),
    UNIT(test_blocks_that_lie),
    UNIT(test_counts_that_lie),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_nth_system_call_fails),
    UNIT(test_watch),
    ALLOCATION(test_pvd),
};

const test_group group_vtp = {.name = "vtp", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
