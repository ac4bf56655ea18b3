// Triangles in files: STL of both kinds and VTP are read to the bit or refused with the line or byte; a file that is cut anywhere, or changed anywhere, never harms.
#include "file_support.h"

#include "files/formats.h"
#include "scree/files.h"

// ---- Files to read -----------------------------------------------------------------------------------------------------

static const char text_of_two[] = "solid two\n"
                                  "  facet normal 0 0 1\n    outer loop\n      vertex 0 0 0\n      vertex 1 0 0\n      vertex 0 1e0 0\n    endloop\n  endfacet\n"
                                  "  facet normal nan nan nan\n    outer loop\n      vertex 1 0 0\n      vertex 1 1 0.25\n      vertex 0 1 0\n    endloop\n  endfacet\n"
                                  "endsolid two\n";
static const double xyz_of_two[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0.25, 0, 1, 0};

static void put_number(unsigned char* to, uint32_t bits)
{
    for (int k = 0; k < 4; ++k)
        to[k] = (unsigned char)(bits >> 8 * k);
}

static void put_float(unsigned char* to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(to, bits);
}

enum { size_of_two = 84 + 2 * 50 };

// The same two triangles, with rubbish where anything may be.
static void binary_of_two(unsigned char out[size_of_two], const char* header)
{
    memset(out, 0xA5, size_of_two);
    memset(out, ' ', 80);
    memcpy(out, header, strlen(header));
    put_number(out + 80, 2);
    for (int t = 0; t < 2; ++t)
        for (int k = 0; k < 9; ++k)
            put_float(out + 84 + 50 * t + 12 + 4 * k, (float)xyz_of_two[9 * t + k]);
}

// From memory, in blocks of any size; without a length: as a pipe would be.
static scree_status read_bytes(const void* bytes, size_t size, int64_t block, bool pipe, scree_triangles* out)
{
    scree_input input;
    scree_input_memory(&input, "a.stl", bytes, (int64_t)size, block);
    if (pipe)
        input.size = 0;
    *out = (scree_triangles){0};
    scree_status status = scree_stl_read(&input, out);
    scree_input_close(&input);
    if (status != SCREE_OK)
        assert_true(out->count == 0 && out->xyz == NULL);
    return status;
}

static void check_two(scree_triangles* t)
{
    assert_int_equal(t->count, 2);
    assert_memory_equal(t->xyz, xyz_of_two, sizeof xyz_of_two);
    scree_triangles_free(t);
}

// ---- STL ---------------------------------------------------------------------------------------------------------------

static void test_both_kinds(void** state)
{
    (void)state;
    static const char* const headers[] = {"", "solid two", "solid", "facet"};
    scree_triangles t;
    for (int pipe = 0; pipe < 2; ++pipe)
        for (int64_t block = 1; block < 300; block = 3 * block + 1) {
            for (int h = 0; h < 4; ++h) {
                unsigned char bytes[size_of_two];
                binary_of_two(bytes, headers[h]);
                CHECK_OK(read_bytes(bytes, sizeof bytes, block, pipe, &t));
                check_two(&t);
            }
            CHECK_OK(read_bytes(text_of_two, sizeof text_of_two - 1, block, pipe, &t));
            check_two(&t);
        }
    // Words where they like; several solids; capitals; a byte order mark.
    static const char odd[] = "\xEF\xBB\xBF\r\n SOLID\r\nFacet Normal 0\n0\n0 outer\nLOOP vertex 0 0 0 vertex 1 0 0 vertex\n0 1 0 endloop endfacet\nendsolid\n\n"
                              "solid b c\nfacet normal 0 0 0 outer loop vertex 1 0 0 vertex 1 1 .25 vertex 0 1 0 endloop endfacet endsolid";
    CHECK_OK(read_bytes(odd, sizeof odd - 1, 7, false, &t));
    check_two(&t);
    put_text(in_folder("a.STL"), text_of_two);
    CHECK_OK(scree_read_triangles(in_folder("a.STL"), NULL, &t));
    check_two(&t);
}

static void test_round_trip(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(1, 3);
    scree_triangles t, back;
    CHECK_OK(scree_triangles_make(10000, &t));
    for (int64_t c = 0; c < 9 * (int64_t)t.count; ++c)
        t.xyz[c] = (double)(float)((scree_rng_uniform(&rng) - 0.5) * pow(10.0, (double)scree_rng_below(&rng, 60) - 30.0));
    CHECK_OK(scree_write_triangles(in_folder("a.stl"), NULL, &t));
    CHECK_OK(scree_read_triangles(in_folder("a.stl"), NULL, &back));
    assert_int_equal(back.count, t.count);
    assert_memory_equal(back.xyz, t.xyz, 72 * (size_t)t.count);
    scree_triangles_free(&back);
    size_t size;
    char* bytes = get_file(in_folder("a.stl"), &size);
    assert_int_equal(size, 84 + 50 * (size_t)t.count);
    free(bytes);
    // The normal that is written is that of the corners.
    scree_triangles one = {.count = 1, .xyz = (double[]){0, 0, 0, 0, 2, 0, 0, 0, 3}};
    CHECK_OK(scree_write_triangles(in_folder("a.stl"), NULL, &one));
    bytes = get_file(in_folder("a.stl"), &size);
    unsigned char normal[12];
    put_float(normal, 1.0F);
    put_float(normal + 4, 0.0F);
    put_float(normal + 8, 0.0F);
    assert_memory_equal(bytes + 84, normal, sizeof normal);
    free(bytes);
    int stop = 1;
    scree_file_options options = scree_default_file_options();
    options.watch = (scree_watch){stop_at, &stop};
    CHECK_FAILS(scree_write_triangles(in_folder("b.stl"), &options, &t), SCREE_ERR_CANCELLED);
    assert_int_equal(files_in_folder(), 1);
    scree_triangles_free(&t);
}

static void test_what_is_wrong_is_named(void** state)
{
    (void)state;
    unsigned char bytes[size_of_two + 8];
    scree_triangles t;
    binary_of_two(bytes, "");
    put_float(bytes + 84 + 50 + 12 + 4 * 4, NAN);
    CHECK_FAILS(read_bytes(bytes, size_of_two, 64, false, &t), SCREE_ERR_FORMAT, "a.stl", "byte 162", "triangle 1", "corner 1", "y = nan");
    put_float(bytes + 84 + 50 + 12 + 4 * 4, -INFINITY);
    CHECK_FAILS(read_bytes(bytes, size_of_two, 64, true, &t), SCREE_ERR_FORMAT, "byte 162", "-inf");
    binary_of_two(bytes, "");
    put_number(bytes + 80, 0);
    CHECK_FAILS(read_bytes(bytes, 84, 64, false, &t), SCREE_ERR_FORMAT, "byte 80", "0 triangles");
    put_number(bytes + 80, 0xffffffff);
    CHECK_FAILS(read_bytes(bytes, size_of_two, 64, false, &t), SCREE_ERR_FORMAT, "byte 80", "4294967295");
    put_number(bytes + 80, 2);
    CHECK_FAILS(read_bytes(bytes, size_of_two + 8, 64, false, &t), SCREE_ERR_FORMAT, "byte 184", "2 triangles", "184 bytes");
    CHECK_FAILS(read_bytes(bytes, 140, 64, false, &t), SCREE_ERR_FORMAT, "byte 140", "triangle 1 of 2", "184 bytes");
    CHECK_FAILS(read_bytes(bytes, 0, 64, false, &t), SCREE_ERR_FORMAT, "byte 0");
    static const struct {
        const char *text, *parts;
    } wrong[] = {
        {"solid a\nendsolid\n", "a.stl:2 | 0 triangles"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n", "a.stl:4 | 'x' | triangle 0"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", "a.stl:4 | 'nan'"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 inf 0\n", "a.stl:4 | 'inf'"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 1e200 0\n", "a.stl:4 | '1e200'"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0 vertex 1 0 0\nvertex 1 1 0 vertex 0 1 0\nendloop", "a.stl:5 | 'vertex' | endloop"},
        {"solid a\nfacet normals 0 0 1", "a.stl:2 | 'normals' | normal"},
        {"solid a\nloop", "a.stl:2 | 'loop' | facet"},
        {"solid a\nfacet normal 0 0 1 outer loop", "a.stl:2 | triangle 0 | vertex"},
        {"solid a\n", "a.stl:1 | endsolid"},
        {"solid a\nendsolid a\nfacet", "a.stl:3 | 'facet' | solid"},
        {"facet normal 0 0 1\n", "a.stl | byte 19"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k)
        CHECK_FAILS(read_bytes(wrong[k].text, strlen(wrong[k].text), 64, false, &t), SCREE_ERR_FORMAT, wrong[k].parts);
    CHECK_FAILS(scree_read_triangles(in_folder("none.obj"), NULL, &t), SCREE_ERR_IO, "none.obj", strerror(ENOENT));
    put_text(in_folder("a.obj"), "v 0 0 0\n");
    CHECK_FAILS(scree_read_triangles(in_folder("a.obj"), NULL, &t), SCREE_ERR_ARGUMENT, "a.obj");
    remove_all(in_folder("a.obj"));
    CHECK_FAILS(scree_read_triangles(in_folder("none.stl"), NULL, &t), SCREE_ERR_IO, "none.stl");
    scree_triangles large = {.count = 1, .xyz = (double[]){0, 0, 0, 1, 0, 0, 0, 1e39, 0}}, none = {0};
    CHECK_FAILS(scree_write_triangles(in_folder("a.stl"), NULL, &large), SCREE_ERR_ARGUMENT, "triangle 0", "corner 2", "y = 1e+39");
    CHECK_FAILS(scree_write_triangles(in_folder("a.stl"), NULL, &none), SCREE_ERR_ARGUMENT, "0 triangles");
    CHECK_FAILS(scree_write_triangles(in_folder("a.vtp"), NULL, &large), SCREE_ERR_ARGUMENT, "a.vtp");
    assert_int_equal(files_in_folder(), 0);
}

// Cut at every byte, in files of both kinds, with and without a known length: refused, or complete.
static void test_cut_at_every_byte(void** state)
{
    (void)state;
    unsigned char bytes[size_of_two];
    scree_triangles t;
    for (int h = 0; h < 2; ++h) {
        binary_of_two(bytes, h == 0 ? "" : "solid two\nfacet");
        for (size_t size = 0; size < size_of_two; ++size) {
            CHECK_FAILS(read_bytes(bytes, size, 16, size % 2 == 0, &t), SCREE_ERR_FORMAT, "a.stl");
            if (h == 0) {
                char place[32];
                snprintf(place, sizeof place, "byte %zu", size);
                assert_true(message_names(place));
            }
        }
    }
    size_t whole = sizeof text_of_two - 1, closed = (size_t)(strstr(text_of_two, "endsolid") - text_of_two) + 8;
    for (size_t size = 0; size < whole; ++size) {
        scree_status status = read_bytes(text_of_two, size, 16, size % 2 == 0, &t);
        if (size >= closed)
            check_two(&t);
        else
            assert_true(status == SCREE_ERR_FORMAT && strncmp(scree_error_message(), "a.stl:", 6) == 0);
    }
}

static void test_changed_bytes(void** state)
{
    (void)state;
    int cases = (int)(3000.0 * test_effort());
    scree_rng rng = scree_rng_make(3, 3);
    for (int i = 0; i < cases; ++i) {
        unsigned char bytes[sizeof text_of_two];
        size_t size = i % 2 == 0 ? sizeof text_of_two - 1 : size_of_two;
        scree_triangles t;
        if (i % 2 == 0)
            memcpy(bytes, text_of_two, size);
        else
            binary_of_two(bytes, "solid");
        for (uint64_t k = 0; k <= scree_rng_below(&rng, 4); ++k)
            bytes[scree_rng_below(&rng, size)] = (unsigned char)(scree_rng_below(&rng, 2) == 0 ? scree_rng_below(&rng, 256) : bytes[scree_rng_below(&rng, size)]);
        scree_status status = read_bytes(bytes, size, 1 + (int64_t)scree_rng_below(&rng, 200), scree_rng_below(&rng, 2) == 0, &t);
        assert_true(status == SCREE_OK || status == SCREE_ERR_FORMAT);
        if (status == SCREE_OK)
            CHECK_OK(scree_triangles_check(&t));
        scree_triangles_free(&t);
    }
}

static scree_status read_and_drop(const char* path)
{
    scree_triangles t;
    scree_status status = scree_read_triangles(path, NULL, &t);
    scree_triangles_free(&t);
    return status;
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    unsigned char bytes[size_of_two];
    binary_of_two(bytes, "");
    put_file(in_folder("a.stl"), (const char*)bytes, sizeof bytes);
    EACH_ALLOCATION_FAILS(read_and_drop(in_folder("a.stl")), );
    put_text(in_folder("a.stl"), text_of_two);
    EACH_ALLOCATION_FAILS(read_and_drop(in_folder("a.stl")), );
    scree_triangles two = {.count = 2, .xyz = (double*)(uintptr_t)xyz_of_two};
    EACH_ALLOCATION_FAILS(scree_write_triangles(in_folder("b.stl"), NULL, &two), );
    remove_all(in_folder("a.stl"));
    remove_all(in_folder("b.stl"));
}

// ---- VTP ---------------------------------------------------------------------------------------------------------------

static const char* vtp_of(const char* points, int point_count, const char* corners, const char* ends, int polygons)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "<VTKFile type=\"PolyData\">\n<PolyData>\n<Piece NumberOfPoints=\"%d\" NumberOfPolys=\"%d\">\n"
             "<PointData><DataArray Name=\"Normals\" type=\"Float32\" NumberOfComponents=\"3\">%s</DataArray></PointData>\n"
             "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">%s</DataArray></Points>\n"
             "<Polys><DataArray Name=\"connectivity\" type=\"Int64\">%s</DataArray>\n<DataArray Name=\"offsets\" type=\"Int64\">%s</DataArray></Polys>\n"
             "</Piece>\n</PolyData>\n</VTKFile>\n",
             point_count, polygons, points, points, corners, ends);
    put_text(in_folder("a.vtp"), text);
    return in_folder("a.vtp");
}

static void test_vtp(void** state)
{
    (void)state;
    scree_triangles t;
    CHECK_OK(scree_read_triangles(vtp_of("0 0 0  1 0 0  1 1 0.25  0 1 0", 4, "0 1 3 1 2 3", "3 6", 2), NULL, &t));
    check_two(&t);
    // A square with a fifth corner on a side: cut from where no triangle is flat. A pentagon in space.
    CHECK_OK(scree_read_triangles(vtp_of("0 0 1  1 0 1  2 0 1  2 2 1  0 2 1", 5, "0 1 2 3 4", "5", 1), NULL, &t));
    assert_int_equal(t.count, 3);
    scree_surface_def def = scree_default_surface_def();
    scree_surface* s;
    CHECK_OK(scree_surface_create(&def, &t, &s));
    CHECK_CLOSE(scree_surface_get_report(s).area, 4.0, 1e-14);
    assert_int_equal(scree_surface_get_report(s).degenerate, 0);
    assert_int_equal(scree_surface_get_report(s).vertices, 5);
    assert_true(scree_surface_get_arrays(s).normal[0][2] == 1.0);
    scree_surface_destroy(s);
    scree_triangles_free(&t);
    // Not flat; not convex; a star, which turns the same way everywhere; no polygon; no such point; not finite.
    CHECK_FAILS(scree_read_triangles(vtp_of("0 0 0  1 0 0  1 1 0.1  0 1 0", 4, "0 1 2 3", "4", 1), NULL, &t), SCREE_ERR_FORMAT, "a.vtp:7", "polygon 0");
    CHECK_FAILS(scree_read_triangles(vtp_of("0 0 0  2 0 0  0.5 0.5 0  0 2 0", 4, "0 1 2 0 1 2 3", "3 7", 2), NULL, &t), SCREE_ERR_FORMAT, "a.vtp:7", "polygon 1", "corner 2");
    CHECK_FAILS(scree_read_triangles(vtp_of("1 0 0  0.309 0.951 0  -0.809 0.588 0  -0.809 -0.588 0  0.309 -0.951 0", 5, "0 2 4 1 3", "5", 1), NULL, &t), SCREE_ERR_FORMAT,
                "a.vtp:7", "polygon 0");
    CHECK_FAILS(scree_read_triangles(vtp_of("0 0 0", 1, "", "", 0), NULL, &t), SCREE_ERR_FORMAT, "a.vtp:3", "0 polygons");
    CHECK_FAILS(scree_read_triangles(vtp_of("0 0 0  1 0 0  1 1 0", 3, "0 1 3", "3", 1), NULL, &t), SCREE_ERR_FORMAT, "a.vtp:6", "point 3");
    CHECK_FAILS(scree_read_triangles(vtp_of("0 0 0  1 nan 0  1 1 0", 3, "0 1 2", "3", 1), NULL, &t), SCREE_ERR_FORMAT, "a.vtp:5", "point 1", "y = nan");
    const char* path = vtp_of("0 0 0  1 0 0  1 1 0  0 1 0", 4, "0 1 2 3", "4", 1);
    EACH_ALLOCATION_FAILS(read_and_drop(path), );
    remove_all(path);
}

// ---- tools/make_stl ----------------------------------------------------------------------------------------------------

static void test_made_shapes(void** state)
{
    (void)state;
    static const struct {
        const char* arguments;
        int32_t triangles, open_edges;
        double area, volume;  // NAN: not closed; within 5 %
    } shapes[] = {
        {"plane --triangles 2000 --text", 2000, 130, 1.0, NAN},
        {"drum", 256, 0, 0.10053, -0.0018850},
        {"drum --open --facets 200", 400, 400, 0.037699, NAN},
        {"hopper", 256, 128, 0.17391, NAN},
        {"screw", 1732, 0, 0.0886, 0.00025946},
        {"mill", 288, 0, 0.1060, -0.00182},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
        char command[1024];
        scree_triangles t;
        scree_surface* s;
        scree_surface_def def = scree_default_surface_def();
        snprintf(command, sizeof command, "/usr/bin/python3 -B '%s/../../tools/make_stl' %s -o '%s'", TEST_DATA, shapes[k].arguments, in_folder("a.stl"));
        assert_int_equal(system(command), 0);
        CHECK_OK(scree_read_triangles(in_folder("a.stl"), NULL, &t));
        CHECK_OK(scree_surface_create(&def, &t, &s));
        scree_surface_report r = scree_surface_get_report(s);
        assert_int_equal(r.triangles, shapes[k].triangles);
        assert_int_equal(r.open_edges, shapes[k].open_edges);
        assert_true(r.oriented && r.crowded_edges == 0 && r.degenerate == 0 && r.duplicate == 0 && r.closed == (shapes[k].open_edges == 0));
        CHECK_CLOSE(r.area, shapes[k].area, 0.05 * shapes[k].area);
        if (r.closed)
            CHECK_CLOSE(r.volume, shapes[k].volume, 0.05 * fabs(shapes[k].volume));
        scree_surface_destroy(s);
        scree_triangles_free(&t);
    }
    remove_all(in_folder("a.stl"));
}

static const test_case cases[] = {
    UNIT(test_both_kinds),
    UNIT(test_round_trip),
    UNIT(test_what_is_wrong_is_named),
    UNIT(test_cut_at_every_byte),
    PROPERTY(test_changed_bytes),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_vtp),
    UNIT(test_made_shapes),
};

const test_group group_stl = {.name = "stl", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
