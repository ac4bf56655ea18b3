// Outlines: what is taken from a simulation is what it shows; VTP reads back bit for bit, and files by others are read or refused with the
// place; pixels are compared by counting points in polygons one by one, with code of its own.
#include "file_support.h"
#include "polygon_support.h"

#include "files/formats.h"
#include "scree/picture.h"

// ---- Sets --------------------------------------------------------------------------------------------------------------

// Bodies in turn: a disc, then a polygon of 3 to 23 vertices; numbers that are hard to keep.
static scree_outline_set hard_set(int32_t count, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 3);
    scree_outline_set set;
    int64_t at = 0;
    CHECK_OK(scree_outline_set_make(count, 24 * (int64_t)count, &set));
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 2; ++k)
            set.bodies.x[2 * i + k] = random_length(&rng);
        set.bodies.r[i] = fabs(random_length(&rng));
        for (int64_t v = i % 3 == 0 ? 0 : 3 + (int64_t)scree_rng_below(&rng, 21); v > 0; --v, ++at)
            for (int k = 0; k < 2; ++k)
                set.xy[2 * at + k] = random_length(&rng);
        set.first[i + 1] = at;
    }
    return set;
}

static void add_columns(scree_sphere_set* set)
{
    static const char* const word[] = {"plain", "", "<&>", "two\nlines", "\xC3\xA4"};
    add_hard_numbers(set, "<\"it's\" & \t\n\r\xC3\xA4>");
    add_words(set, "text", word, 5);
}

static void check_same(const scree_outline_set* a, const scree_outline_set* b)
{
    check_kept_set(&a->bodies, &b->bodies, KEEPS_BOX | KEEPS_NAN);
    assert_memory_equal(a->first, b->first, ((size_t)a->bodies.count + 1) * sizeof *a->first);
    check_same_bits(a->xy, b->xy, 2 * scree_outline_set_vertices(a), "vertices");
}

// A set of polygons given by their corners, without columns.
typedef struct drawn {
    int32_t count;
    double xy[24][2];
} drawn;

static scree_outline_set set_of(const drawn* polygons, int32_t count)
{
    scree_outline_set set;
    CHECK_OK(scree_outline_set_make(count, 24 * (int64_t)count, &set));
    for (int32_t i = 0; i < count; ++i) {
        set.first[i + 1] = set.first[i] + polygons[i].count;
        memcpy(&set.xy[2 * set.first[i]], polygons[i].xy, (size_t)polygons[i].count * 2 * sizeof *set.xy);
        memcpy(&set.bodies.x[2 * i], polygons[i].xy[0], 2 * sizeof *set.xy);
        set.bodies.r[i] = 1.0 + 0.1 * i;
    }
    return set;
}

// ---- From a simulation -------------------------------------------------------------------------------------------------

static void test_taken_from_a_simulation(void** state)
{
    (void)state;
    for (int walls = 0; walls < 4; ++walls) {
        poly_scene s = poly_mixed(5, walls, 2.0, 7);
        scree_polygon_sim* sim = poly_make(&s);
        CHECK_OK(scree_polygon_sim_run(sim, 50));
        scree_outline_set set;
        scree_outlines seen;
        CHECK_OK(scree_outline_set_copy(sim, &set));
        CHECK_OK(scree_polygon_sim_get_outlines(sim, &seen));
        scree_polygon_sim_state now = poly_state(sim);
        assert_int_equal(set.bodies.count, s.count);
        assert_int_equal(set.bodies.has_box, walls != 1);
        CHECK_OK(scree_outline_set_check(&set));
        const scree_column *v = scree_sphere_set_find(&set.bodies, "velocity"), *spin = scree_sphere_set_find(&set.bodies, "spin");
        const scree_column *fixed = scree_sphere_set_find(&set.bodies, "fixed"), *angle = scree_sphere_set_find(&set.bodies, "angle");
        const scree_column* id = scree_sphere_set_find(&set.bodies, "id");
        check_same_bits(v->values, now.v, 2 * s.count, "v");
        check_same_bits(spin->values, now.spin, s.count, "spin");
        check_same_bits(angle->values, now.angle, s.count, "angle");
        check_same_bits(set.bodies.x, now.x, 2 * s.count, "centres");
        check_same_bits(set.xy, &seen.xy[0][0], 2 * seen.first[s.count], "vertices");
        for (int32_t i = 0; i < s.count; ++i) {
            assert_int_equal(id->integers[i], i);
            assert_int_equal(fixed->integers[i], s.bodies[i].fixed);
            assert_int_equal(set.first[i + 1] == set.first[i], s.bodies[i].shape < 0);
        }
        scree_outline_set_free(&set);
        scree_outline_set kept = {0};
        EACH_ALLOCATION_FAILS(scree_outline_set_copy(sim, &kept), assert_null(kept.first));
        scree_outline_set_free(&kept);
        scree_polygon_sim_destroy(sim);
        poly_state_free(&now);
        poly_scene_free(&s);
    }
}

// ---- Files -------------------------------------------------------------------------------------------------------------

static void test_round_trips(void** state)
{
    (void)state;
    static const int32_t counts[] = {1, 2, 300, 9000};  // 9000: several blocks of compressed data
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        scree_outline_set set = hard_set(counts[k], k), back;
        if (k % 2 == 1)
            add_columns(&set.bodies);
        if (k > 0) {
            set.bodies.has_box = true;
            set.bodies.box = scree_box_open(2);
            set.bodies.box.lower[0] = -0.1;
            set.bodies.box.upper[0] = 0.3;
            set.bodies.box.periodic[0] = k == 2;
        }
        CHECK_OK(scree_write_outlines(in_folder("a.vtp"), NULL, &set));
        CHECK_OK(scree_read_outlines(in_folder("a.vtp"), NULL, &back));
        check_same(&set, &back);
        CHECK_OK(scree_write_outlines(in_folder("b.vtp"), NULL, &back));  // the same again is the same file
        size_t sizes[2];
        char *one = get_file(in_folder("a.vtp"), &sizes[0]), *two = get_file(in_folder("b.vtp"), &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(one, two, sizes[0]);
        free(one);
        free(two);
        scree_outline_set_free(&set);
        scree_outline_set_free(&back);
    }
    // All discs, as a plain set of spheres.
    scree_outline_set discs = {.bodies = random_set(2, 20, 3)}, back;
    CHECK_OK(scree_write_outlines(in_folder("a.vtp"), NULL, &discs));
    CHECK_OK(scree_read_outlines(in_folder("a.vtp"), NULL, &back));
    check_kept_set(&discs.bodies, &back.bodies, KEEPS_BOX);
    assert_int_equal(scree_outline_set_vertices(&back), 0);
    assert_non_null(back.first);
    scree_outline_set_free(&discs);
    scree_outline_set_free(&back);
    empty_folder();
}

// Spheres are read by the same call.
static void test_files_of_spheres(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        scree_outline_set back;
        scree_sphere_set set = random_set(2 + n % 2, 30, 1);
        const char* path = in_folder(n < 2 ? "a.vtp" : "a.csv");
        CHECK_OK(scree_write_spheres(path, NULL, &set));
        CHECK_OK(scree_read_outlines(path, NULL, &back));
        assert_null(back.first);
        check_kept_set(&set, &back.bodies, KEEPS_BOX);
        scree_outline_set_free(&back);
        scree_sphere_set_free(&set);
    }
    scree_outline_set none = {0};
    CHECK_FAILS(scree_read_outlines(in_folder("no.vtp"), NULL, &none), SCREE_ERR_IO, "no.vtp");
    CHECK_FAILS(scree_read_outlines(in_folder("no.xyz"), NULL, &none), SCREE_ERR_IO, "no.xyz");
    empty_folder();
}

#define HEAD "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"5\" NumberOfPolys=\"2\">"
#define POINTS "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 7 2 0 7 2 2 7 0 2 7 4 0 7</DataArray></Points>"
#define JOINED(c, o)                                                                                                   \
    "<Polys><DataArray type=\"Int32\" Name=\"connectivity\">" c "</DataArray><DataArray type=\"Int64\" Name=\"offsets\">" o "</DataArray></Polys>"
#define END "</Piece></PolyData></VTKFile>\n"

static scree_status read_text(const char* text, scree_outline_set* out)
{
    scree_input input;
    scree_input_memory(&input, "m.vtp", text, (int64_t)strlen(text), 64);
    scree_status status = scree_vtp_read_outlines(&input, out);
    scree_input_close(&input);
    return status;
}

static void test_files_by_others(void** state)
{
    (void)state;
    scree_outline_set set;
    CHECK_OK(read_text(HEAD "<PointData><DataArray type=\"What\" Name=\"passed over\"/></PointData><CellData><DataArray type=\"UInt8\" Name=\"r\">3 4</DataArray>"
                            "</CellData>" POINTS JOINED("0 1 2 3 1 4 2", "4 7") END, &set));
    assert_int_equal(set.bodies.count, 2);
    assert_int_equal(set.bodies.dim, 2);
    assert_int_equal(set.first[1], 4);
    assert_int_equal(set.first[2], 7);
    const double wanted[] = {0, 0, 2, 0, 2, 2, 0, 2, 2, 0, 4, 0, 2, 2};
    check_same_bits(set.xy, wanted, 14, "corners");
    CHECK_CLOSE(set.bodies.x[0], 1.0, 1e-15);
    CHECK_CLOSE(set.bodies.x[1], 1.0, 1e-15);
    CHECK_CLOSE(set.bodies.x[2], 8.0 / 3.0, 1e-15);
    CHECK_CLOSE(set.bodies.r[0], sqrt(2.0), 1e-15);
    assert_string_equal(set.bodies.columns[0].name, "r_array");
    scree_outline_set_free(&set);

    static const struct {
        const char *text, *message;
        scree_status status;
    } wrong[] = {
        {HEAD POINTS JOINED("0 1 2 3 1 4 2", "4 8") END, "1 | 8 | 4 | 7", SCREE_ERR_FORMAT},
        {HEAD POINTS JOINED("0 1 2 3 1 4 2", "4 3") END, "1 | 3", SCREE_ERR_FORMAT},
        {HEAD POINTS JOINED("0 1 2 3 1 4 2", "4 6") END, "1 | 2", SCREE_ERR_FORMAT},
        {HEAD POINTS JOINED("0 1 2 3 1 5 2", "4 7") END, "point 5 | 5", SCREE_ERR_FORMAT},
        {HEAD POINTS JOINED("0 1 2 3 1 -1 2", "4 7") END, "point -1", SCREE_ERR_FORMAT},
        {HEAD POINTS JOINED("0 1 2 3 1 4 2", "4") END, "1 | 2", SCREE_ERR_FORMAT},
        {HEAD POINTS END, "2 | 'offsets'", SCREE_ERR_FORMAT},
        {HEAD JOINED("0 1 2 3 1 4 2", "4 7") END, "<Points>", SCREE_ERR_FORMAT},
        {HEAD "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 7 2 0 7 2 2 7 0 2 6 4 0 7</DataArray></Points>" JOINED("0 1 2 3 1 4 2", "4 7") END,
         "point 3 | z = 6 | point 0 | 7", SCREE_ERR_FORMAT},
        {HEAD "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 7 2 0 7 2 2 7 0 2 7 nan 0 7</DataArray></Points>" JOINED("0 1 2 3 1 4 2", "4 7") END,
         "m.vtp:1", SCREE_ERR_FORMAT},
        {HEAD "<CellData><DataArray type=\"Float32\" Name=\"radius\" NumberOfComponents=\"2\">1 2 3 4</DataArray></CellData>" POINTS
             JOINED("0 1 2 3 1 4 2", "4 7") END, "2 | 1", SCREE_ERR_FORMAT},
        {HEAD POINTS JOINED("0 1 2 3 1 4 2", "4 7") "</Piece><Piece NumberOfPoints=\"1\" NumberOfPolys=\"0\">" END, "",
         SCREE_ERR_UNSUPPORTED},
        {"<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"5\" NumberOfPolys=\"2\" NumberOfLines=\"1\">" END, "",
         SCREE_ERR_UNSUPPORTED},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        scree_outline_set none = {0};
        CHECK_FAILS(read_text(wrong[k].text, &none), wrong[k].status, wrong[k].message);
        assert_null(none.bodies.x);
    }
}

// A file that is cut anywhere is FORMAT, and never half a set.
// Bodies read as spheres: the discs with their columns; polygons are counted where somebody asks, else refused.
static void test_discs_as_spheres(void** state)
{
    (void)state;
    scree_outline_set all = hard_set(40, 5);
    add_columns(&all.bodies);
    all.bodies.has_box = true;
    all.bodies.box = scree_box_sized(2, (double[]){3.0, 4.0});
    CHECK_OK(scree_write_outlines(in_folder("mixed.vtp"), NULL, &all));
    scree_sphere_set discs = {0};
    CHECK_FAILS(scree_read_spheres(in_folder("mixed.vtp"), NULL, &discs), SCREE_ERR_UNSUPPORTED, "mixed.vtp:", "26", "40");
    int64_t polygons = -1;
    scree_file_options options = scree_default_file_options();
    options.left_out = &polygons;
    CHECK_OK(scree_read_spheres(in_folder("mixed.vtp"), &options, &discs));
    assert_int_equal(polygons, 26);
    assert_int_equal(discs.count, 14);
    assert_true(discs.has_box);
    assert_int_equal(discs.column_count, all.bodies.column_count);
    for (int32_t i = 0; i < 14; ++i) {
        check_same_bits(&discs.x[2 * i], &all.bodies.x[2 * 3 * i], 2, "centre");
        check_same_bits(&discs.r[i], &all.bodies.r[3 * i], 1, "radius");
        for (int32_t c = 0; c < discs.column_count; ++c) {
            const scree_column *a = &discs.columns[c], *b = &all.bodies.columns[c];
            size_t n = (size_t)a->components;
            assert_string_equal(a->name, b->name);
            if (a->kind == SCREE_COLUMN_TEXT)
                assert_string_equal(a->text + a->offset[i], b->text + b->offset[3 * i]);
            else if (a->kind == SCREE_COLUMN_INT64)
                assert_memory_equal(a->integers + (size_t)i * n, b->integers + (size_t)(3 * i) * n, n * sizeof *a->integers);
            else
                assert_memory_equal(a->values + (size_t)i * n, b->values + (size_t)(3 * i) * n, n * sizeof *a->values);
        }
    }
    // Discs alone need nobody to ask, and go through other formats.
    scree_outline_set round = {.bodies = discs};
    CHECK_OK(scree_write_outlines(in_folder("discs.vtp"), NULL, &round));
    scree_sphere_set back;
    CHECK_OK(scree_read_spheres(in_folder("discs.vtp"), NULL, &back));
    check_kept_set(&discs, &back, KEEPS_BOX | KEEPS_NAN);
    scree_sphere_set_free(&back);
    CHECK_OK(scree_read_spheres(in_folder("discs.vtp"), &options, &back));
    assert_int_equal(polygons, 0);
    scree_sphere_set_free(&back);
    EACH_ALLOCATION_FAILS(scree_read_spheres(in_folder("mixed.vtp"), &options, &back), (void)0);
    scree_sphere_set_free(&back);
    scree_sphere_set_free(&discs);
    scree_outline_set_free(&all);

    const drawn triangle = {3, {{0, 0}, {1, 0}, {0, 1}}};
    scree_outline_set only = set_of(&triangle, 1);
    CHECK_OK(scree_write_outlines(in_folder("only.vtp"), NULL, &only));
    CHECK_FAILS(scree_read_spheres(in_folder("only.vtp"), &options, &back), SCREE_ERR_UNSUPPORTED, "only.vtp:", "1");
    scree_outline_set_free(&only);
    empty_folder();
}

static void test_cut_files(void** state)
{
    (void)state;
    scree_outline_set set = hard_set(40, 4);
    add_columns(&set.bodies);
    CHECK_OK(scree_write_outlines(in_folder("a.vtp"), NULL, &set));
    size_t size;
    char* all = get_file(in_folder("a.vtp"), &size);
    for (size_t cut = 0; cut + 1 < size; cut += 1 + size / (size_t)(500.0 * test_effort())) {
        scree_input input;
        scree_outline_set none = {0};
        scree_input_memory(&input, "m.vtp", all, (int64_t)cut, 512);
        scree_status status = scree_vtp_read_outlines(&input, &none);
        scree_input_close(&input);
        assert_int_equal(status, SCREE_ERR_FORMAT);
        assert_null(none.first);
    }
    free(all);
    scree_outline_set_free(&set);
    empty_folder();
}

static void test_what_is_refused(void** state)
{
    (void)state;
    scree_outline_set set = hard_set(6, 9), none;
    CHECK_FAILS(scree_outline_set_make(-1, 0, &none), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_outline_set_make(1, -1, &none), SCREE_ERR_ARGUMENT, "-1");
    static const double bad[] = {NAN, INFINITY, -2e140};
    for (int n = 0; n < 3; ++n) {
        double* at = &set.xy[2 * (set.first[4] + 2) + 1];
        double kept = *at;
        *at = bad[n];
        CHECK_FAILS(scree_outline_set_check(&set), SCREE_ERR_ARGUMENT, "body 4", "vertex 2");
        CHECK_FAILS(scree_write_outlines(in_folder("a.vtp"), NULL, &set), SCREE_ERR_ARGUMENT, "body 4", "vertex 2");
        CHECK_FAILS(scree_write_picture_outlines(in_folder("a.png"), &set, NULL), SCREE_ERR_ARGUMENT, "body 4", "vertex 2");
        *at = kept;
    }
    set.bodies.r[2] = -1.0;
    CHECK_FAILS(scree_outline_set_check(&set), SCREE_ERR_ARGUMENT, "sphere 2");
    set.bodies.r[2] = 1.0;
    int64_t end = set.first[5];
    set.first[5] = set.first[4] + 2;
    CHECK_FAILS(scree_outline_set_check(&set), SCREE_ERR_ARGUMENT, "body 4", "2");
    set.first[5] = set.first[4] - 1;
    CHECK_FAILS(scree_outline_set_check(&set), SCREE_ERR_ARGUMENT, "body 4", "-1");
    set.first[5] = end;
    set.first[0] = 1;
    CHECK_FAILS(scree_outline_set_check(&set), SCREE_ERR_ARGUMENT, "body 0", "1");
    set.first[0] = 0;
    CHECK_FAILS(scree_write_outlines(in_folder("a.csv"), NULL, &set), SCREE_ERR_ARGUMENT);
    scree_picture_def def = scree_default_picture_def();
    def.cut = true;
    def.cut_normal[0] = 1.0;
    CHECK_FAILS(scree_write_picture_outlines(in_folder("a.png"), &set, &def), SCREE_ERR_ARGUMENT);
    def.cut = false;
    def.eye[0] = 1.0;
    CHECK_FAILS(scree_write_picture_outlines(in_folder("a.png"), &set, &def), SCREE_ERR_ARGUMENT);
    def.eye[0] = 0.0;
    def.colour_by = "no such";
    CHECK_FAILS(scree_write_picture_outlines(in_folder("a.png"), &set, &def), SCREE_ERR_ARGUMENT, "'no such'");
    static const char* const names[] = {"radius", "centre", "disc", "\xFF"};
    for (int n = 0; n < 4; ++n) {
        scree_outline_set own = hard_set(6, 9);
        scree_column* column;
        CHECK_OK(scree_sphere_set_add(&own.bodies, names[n], SCREE_COLUMN_DOUBLE, 1, &column));
        CHECK_FAILS(scree_write_outlines(in_folder("a.vtp"), NULL, &own), SCREE_ERR_ARGUMENT);
        scree_outline_set_free(&own);
    }
    scree_outline_set_free(&set);
    set = (scree_outline_set){.bodies = random_set(3, 2, 1)};
    CHECK_FAILS(scree_outline_set_check(&set), SCREE_ERR_ARGUMENT, "dimension 3");
    scree_outline_set_free(&set);
    assert_int_equal(files_in_folder(), 0);
}

// ---- What can fail -----------------------------------------------------------------------------------------------------

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_outline_set set = hard_set(30, 2), back = {0};
    add_columns(&set.bodies);
    EACH_ALLOCATION_FAILS(scree_write_outlines(in_folder("a.vtp"), NULL, &set), assert_int_equal(files_in_folder(), 0));
    EACH_ALLOCATION_FAILS(scree_read_outlines(in_folder("a.vtp"), NULL, &back), assert_null(back.first));
    check_same(&set, &back);
    scree_outline_set_free(&set);
    scree_outline_set_free(&back);
    scree_outline_set plain = hard_set(30, 2);
    scree_picture_def def = scree_default_picture_def();
    def.width = def.height = 200;
    def.threads = 1;
    uint8_t* rgba = malloc(200 * 200 * 4);
    EACH_ALLOCATION_FAILS(scree_picture_render_outlines(&plain, &def, rgba), (void)0);
    EACH_ALLOCATION_FAILS(scree_write_picture_outlines(in_folder("a.png"), &plain, &def), assert_int_equal(files_in_folder(), 1));
    free(rgba);
    scree_outline_set_free(&plain);
    empty_folder();
}

static void test_nth_system_call_fails(void** state)
{
    (void)state;
    scree_outline_set set = hard_set(9000, 2);
    const char* path = in_folder("a.vtp");
    for (int64_t n = 1;; ++n) {
        put_text(path, OLD);
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_write_outlines(path, NULL, &set);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            assert_true(calls < n && calls > 6);
            break;
        }
        assert_int_equal(status, SCREE_ERR_IO);
        assert_non_null(strstr(scree_error_message(), strerror(ENOSPC)));
        if (!is_written_anyway())
            CHECK_FILE(path, OLD);
        assert_int_equal(files_in_folder(), 1);
    }
    CHECK_FAILS(scree_write_outlines("/dev/full", &(scree_file_options){.struct_size = sizeof(scree_file_options), .format = SCREE_FORMAT_VTP}, &set),
                SCREE_ERR_IO, "/dev/full");
    scree_picture_def def = scree_default_picture_def();
    def.width = def.height = 64;
    CHECK_FAILS(scree_write_picture_outlines("/dev/full", &set, &def), SCREE_ERR_IO, "/dev/full");
    for (int stop = 1; stop < 6; ++stop) {
        int left = stop;
        def.watch = (scree_watch){.tick = stop_at, .context = &left};
        CHECK_FAILS(scree_write_picture_outlines(in_folder("b.png"), &set, &def), SCREE_ERR_CANCELLED);
    }
    assert_int_equal(files_in_folder(), 1);
    scree_outline_set_free(&set);
    empty_folder();
}

// ---- Pixels ------------------------------------------------------------------------------------------------------------

enum { across = 150, down = 110 };

static scree_picture_def plain_look(void)
{
    scree_picture_def def = scree_default_picture_def();
    def.width = across;
    def.height = down;
    def.bar = false;
    def.background = SCREE_BACKGROUND_NONE;
    return def;
}

// A point in a polygon, by the sum of the angles under which its sides are seen: as often as it goes round. Odd is inside.
static bool reference_inside(int32_t count, const double* xy, double x, double y)
{
    int left = 0, right = 0, below = 0, above = 0;
    for (int32_t v = 0; v < count; ++v) {
        left += xy[2 * v] < x;
        right += xy[2 * v] > x;
        below += xy[2 * v + 1] < y;
        above += xy[2 * v + 1] > y;
    }
    if (left == count || right == count || below == count || above == count)  // beside it: angles would take most of the time
        return false;
    double sum = 0.0;
    for (int32_t v = 0; v < count; ++v) {
        const double *a = &xy[2 * v], *b = &xy[2 * ((v + 1) % count)];
        double ax = a[0] - x, ay = a[1] - y, bx = b[0] - x, by = b[1] - y;
        sum += atan2(ax * by - ay * bx, ax * bx + ay * by);
    }
    return (llround(sum / (2.0 * poly_pi)) & 1) != 0;
}

// The picture's alpha against a count over all samples and bodies. Where a sample lies on a side but for rounding, either answer is right.
static void reference_cover(const scree_outline_set* set, const scree_picture_def* def)
{
    uint8_t* rgba = malloc((size_t)def->width * (size_t)def->height * 4);
    CHECK_OK(scree_picture_render_outlines(set, def, rgba));
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t i = 0; i < set->bodies.count; ++i)
        for (int k = 0; k < 2; ++k) {
            bool disc = set->first[i] == set->first[i + 1];
            low[k] = fmin(low[k], disc ? set->bodies.x[2 * i + k] - set->bodies.r[i] : INFINITY);
            high[k] = fmax(high[k], disc ? set->bodies.x[2 * i + k] + set->bodies.r[i] : -INFINITY);
            for (int64_t v = set->first[i]; v < set->first[i + 1]; ++v) {
                low[k] = fmin(low[k], set->xy[2 * v + k]);
                high[k] = fmax(high[k], set->xy[2 * v + k]);
            }
        }
    double margin = 0.04 * fmin(def->width, def->height);
    double pitch = fmax((high[0] - low[0]) / (def->width - 2.0 * margin), (high[1] - low[1]) / (def->height - 2.0 * margin));
    int n = 4 * def->samples;
    int64_t off = 0, filled = 0;
    for (int py = 0; py < def->height; ++py)
        for (int px = 0; px < def->width; ++px) {
            int count = 0;
            for (int s = 0; s < n * n; ++s) {
                double x = 0.5 * (low[0] + high[0]) + (px + (s % n + 0.5) / n - 0.5 * def->width) * pitch;
                double y = 0.5 * (low[1] + high[1]) - (py + (s / n + 0.5) / n - 0.5 * def->height) * pitch;
                bool in = false;
                for (int32_t i = 0; i < set->bodies.count && !in; ++i)
                    in = set->first[i] == set->first[i + 1]
                             ? hypot(x - set->bodies.x[2 * i], y - set->bodies.x[2 * i + 1]) <= set->bodies.r[i]
                             : reference_inside((int32_t)(set->first[i + 1] - set->first[i]), &set->xy[2 * set->first[i]], x, y);
                count += in;
            }
            int wanted = (255 * count + n * n / 2) / (n * n), got = rgba[4 * (py * def->width + px) + 3];
            off += got != wanted;
            filled += count > 0;
            if (abs(got - wanted) > 255 / (n * n) + 1)
                fail_msg("pixel %d, %d: alpha %d, %d by counting", px, py, got, wanted);
        }
    assert_true(filled > 200);
    if (off > 3)
        fail_msg("%d pixels are off by a sample", (int)off);
    free(rgba);
}

static void test_cover_by_counting(void** state)
{
    (void)state;
    static const drawn shapes[] = {
        {12, {{0, 0}, {9, 0}, {9, 7}, {7, 7}, {7, 1.3}, {5, 1.1}, {5, 7}, {4.9, 7}, {4.9, 0.9}, {1, 0.7}, {1, 7}, {0, 7}}},  // a comb, one tooth thin
        {16, {{10, 0}, {16.037, 0}, {16.011, 6}, {11, 6}, {11, 2}, {14, 2}, {14, 4}, {12, 4}, {12, 3.5}, {13.4, 3.5}, {13.4, 2.6}, {11.7, 2.6}, {11.7, 5}, {15, 5}, {15, 1},
              {10, 1}}},                                                                                                  // a coil: notches like holes
        {4, {{1.5, 8}, {5.5, 10.3}, {5.5, 8}, {1.5, 10.3}}},                                                              // crosses itself
        {5, {{10, 7}, {12.03, 11.01}, {14, 7}, {9.5, 9.7}, {14.5, 9.73}}},                                                // a pentagram: its middle is out
        {3, {{2, 1.2}, {4.5, 6.7}, {3.2, 6.9}}},
    };
    scree_outline_set set = set_of(shapes, 5);
    for (int samples = 1; samples <= 3; ++samples) {
        scree_picture_def def = plain_look();
        def.samples = samples;
        reference_cover(&set, &def);
    }
    scree_outline_set_free(&set);

    for (uint64_t seed = 0; seed < (uint64_t)(1.0 + 2.0 * test_effort()); ++seed) {
        poly_scene s = poly_mixed(4, 1, 2.0, seed);
        scree_polygon_sim* sim = poly_make(&s);
        CHECK_OK(scree_outline_set_copy(sim, &set));
        scree_picture_def def = plain_look();
        def.samples = 1;
        reference_cover(&set, &def);
        scree_outline_set_free(&set);
        scree_polygon_sim_destroy(sim);
        poly_scene_free(&s);
    }
}

// Triangles that tile a square, in both senses of turning: nothing between them is left out.
static void test_no_seams(void** state)
{
    (void)state;
    enum { rim = 24 };
    drawn fan[rim];
    scree_rng rng = scree_rng_make(5, 5);
    double at[rim + 1][2], middle[2] = {poly_between(&rng, 0.3, 0.7), poly_between(&rng, 0.3, 0.7)};
    for (int k = 0; k <= rim; ++k) {
        double t = 4.0 * (k % rim) / rim, rest = t - floor(t);
        at[k][0] = t < 1 ? rest : t < 2 ? 1.0 : t < 3 ? 1.0 - rest : 0.0;
        at[k][1] = t < 1 ? 0.0 : t < 2 ? rest : t < 3 ? 1.0 : 1.0 - rest;
    }
    for (int k = 0; k < rim; ++k) {
        fan[k].count = 3;
        memcpy(fan[k].xy[0], middle, sizeof middle);
        memcpy(fan[k].xy[1], at[k % 2 == 0 ? k : k + 1], sizeof middle);
        memcpy(fan[k].xy[2], at[k % 2 == 0 ? k + 1 : k], sizeof middle);
    }
    scree_outline_set set = set_of(fan, rim);
    scree_picture_def def = plain_look();
    def.height = def.width = 101;
    uint8_t* rgba = malloc(101 * 101 * 4);
    CHECK_OK(scree_picture_render_outlines(&set, &def, rgba));
    int margin = 5;  // 4.04 pixels
    for (int y = margin; y < 101 - margin; ++y)
        for (int x = margin; x < 101 - margin; ++x)
            assert_int_equal(rgba[4 * (y * 101 + x) + 3], 255);
    assert_int_equal(rgba[3], 0);
    free(rgba);
    scree_outline_set_free(&set);
}

// The same scene as large and as small as can be has the same pixels, and so it has for 1, 2 and 7 threads.
static void test_scales_and_threads(void** state)
{
    (void)state;
    poly_scene s = poly_mixed(6, 0, 2.0, 3);
    scree_polygon_sim* sim = poly_make(&s);
    scree_outline_set set;
    CHECK_OK(scree_outline_set_copy(sim, &set));
    scree_picture_def def = scree_default_picture_def();
    def.width = 400;
    def.height = 300;
    def.colour_by = "velocity";
    static const double scales[] = {1.0, 0x1p-400, 0x1p400, 1.0};
    static const int32_t threads[] = {1, 2, 7, 7};
    uint8_t *first = malloc(400 * 300 * 4), *rgba = malloc(400 * 300 * 4);
    for (int n = 0; n < 4; ++n) {
        scree_outline_set scaled;
        CHECK_OK(scree_outline_set_copy(sim, &scaled));
        for (int64_t v = 0; v < 2 * scree_outline_set_vertices(&set); ++v)
            scaled.xy[v] *= scales[n];
        for (int32_t i = 0; i < set.bodies.count; ++i) {
            scaled.bodies.x[2 * i] *= scales[n];
            scaled.bodies.x[2 * i + 1] *= scales[n];
            scaled.bodies.r[i] *= scales[n];
        }
        for (int k = 0; k < 2; ++k) {
            scaled.bodies.box.lower[k] *= scales[n];
            scaled.bodies.box.upper[k] *= scales[n];
        }
        def.threads = threads[n];
        CHECK_OK(scree_picture_render_outlines(&scaled, &def, n == 0 ? first : rgba));
        if (n > 0)
            assert_memory_equal(first, rgba, 400 * 300 * 4);
        scree_outline_set_free(&scaled);
    }
    free(first);
    free(rgba);
    scree_outline_set_free(&set);
    scree_polygon_sim_destroy(sim);
    poly_scene_free(&s);
}

// Colours by a column over the free bodies alone, fixed ones grey, whatever their values; tiny bodies are not lost.
static void test_colours(void** state)
{
    (void)state;
    static const drawn squares[] = {
        {4, {{0, 0}, {10, 0}, {10, 10}, {0, 10}}}, {4, {{10, 0}, {20, 0}, {20, 10}, {10, 10}}}, {4, {{20, 0}, {30, 0}, {30, 10}, {20, 10}}},
        {3, {{5, 14}, {5.0001, 14}, {5, 14.0001}}}, {4, {{12, 2}, {18, 2}, {18, 8}, {12, 8}}},
    };
    scree_outline_set set = set_of(squares, 5);
    scree_column *heat, *fixed;
    CHECK_OK(scree_sphere_set_add(&set.bodies, "heat", SCREE_COLUMN_DOUBLE, 1, &heat));
    memcpy(heat->values, (double[]){1.0, 900.0, 2.0, 1.5, -700.0}, 5 * sizeof(double));
    CHECK_OK(scree_sphere_set_add(&set.bodies, "fixed", SCREE_COLUMN_INT64, 1, &fixed));
    fixed->integers[1] = fixed->integers[4] = 1;
    scree_picture_def def = scree_default_picture_def();
    def.width = 300;
    def.height = 160;
    def.bar = false;
    def.colour_by = "heat";
    uint8_t *rgba = malloc(300 * 160 * 4), wanted[3];
    CHECK_OK(scree_picture_render_outlines(&set, &def, rgba));
    double margin = 6.4, pitch = fmax(30.0 / (300 - 2 * margin), 14.0001 / (160 - 2 * margin));
#define PIXEL(x, y) &rgba[4 * ((int)(80.0 - ((y) - 7.00005) / pitch) * 300 + (int)(150.0 + ((x) - 15.0) / pitch))]
    for (int b = 0; b < 3; b += 2) {
        scree_colour_map_rgb(SCREE_MAP_DUSK, b == 0 ? 0.0 : 1.0, wanted);
        const uint8_t* p = PIXEL(5.0 + 10.0 * b, 5.0);
        for (int k = 0; k < 3; ++k)
            assert_in_range(p[k], wanted[k] > 0 ? wanted[k] - 1 : 0, wanted[k] + 1);
    }
    for (int k = 0; k < 3; ++k)  // grey
        assert_int_equal((PIXEL(15.0, 5.0))[k], 168);
    int seen = 0;
    for (int n = 0; n < 9; ++n)
        seen += (PIXEL(5.0 + (n % 3 - 1) * pitch, 14.0 + (n / 3 - 1) * pitch))[1] != 255;
    assert_int_equal(seen, 1);
    assert_int_equal((PIXEL(5.0, 12.0))[0], 255);
    free(rgba);
    scree_outline_set_free(&set);
}

// Images are what bodies put there by hand are; filled, they cover the box by the area that the bodies have.
static void test_images(void** state)
{
    (void)state;
    static const drawn one[] = {{6, {{-1, 2}, {3, 2}, {3, 3}, {0, 3}, {0, 5}, {-1, 5}}}};
    scree_outline_set set = set_of(one, 1);
    set.bodies.has_box = true;
    set.bodies.box = scree_box_sized(2, (double[]){10, 8});
    set.bodies.box.periodic[0] = true;
    drawn two[2];
    for (int n = 0; n < 2; ++n) {
        two[n] = one[0];
        for (int v = 0; v < 6; ++v)
            two[n].xy[v][0] += 10.0 * n;
    }
    scree_outline_set by_hand = set_of(two, 2);
    by_hand.bodies.r[1] = by_hand.bodies.r[0];
    by_hand.bodies.has_box = true;
    by_hand.bodies.box = set.bodies.box;
    scree_picture_def def = plain_look();
    uint8_t *a = malloc(across * down * 4), *b = malloc(across * down * 4);
    def.images = SCREE_IMAGES_FACES;
    CHECK_OK(scree_picture_render_outlines(&set, &def, a));
    def.images = SCREE_IMAGES_NONE;
    CHECK_OK(scree_picture_render_outlines(&by_hand, &def, b));
    assert_memory_equal(a, b, across * down * 4);
    def.images = SCREE_IMAGES_FILL;
    def.box = false;
    CHECK_OK(scree_picture_render_outlines(&set, &def, a));
    double sum = 0.0, margin = 0.04 * down;
    for (int k = 0; k < across * down; ++k)
        sum += a[4 * k + 3] / 255.0;
    // Without the box' edges only the bodies bound the picture along y.
    double pixel = fmax(10.0 / (across - 2.0 * margin), 3.0 / (down - 2.0 * margin));
    CHECK_CLOSE(sum * pixel * pixel, 6.0, 0.01);
    free(a);
    free(b);
    scree_outline_set_free(&set);
    scree_outline_set_free(&by_hand);
}

static const test_case cases[] = {
    ALLOCATION(test_taken_from_a_simulation),
    UNIT(test_round_trips),
    UNIT(test_files_of_spheres),
    UNIT(test_files_by_others),
    ALLOCATION(test_discs_as_spheres),
    PROPERTY(test_cut_files),
    UNIT(test_what_is_refused),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_nth_system_call_fails),
    PROPERTY(test_cover_by_counting),
    UNIT(test_no_seams),
    THREADS(test_scales_and_threads),
    UNIT(test_colours),
    UNIT(test_images),
};

const test_group group_outlines = {.name = "outlines", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
