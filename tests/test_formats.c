// XYZ, LAMMPS data and NumPy files: what is written reads back bit for bit, and a file that was cut short is never half a set. Files of other programs, and wrong ones, are in test_xyz.c,
// test_lammps.c and test_npy.c.
#include "file_support.h"

#include "files/formats.h"
#include "files/words.h"

// ---- Files and sets ----------------------------------------------------------------------------------------------

static const format_under_test xyz = {SCREE_FORMAT_XYZ, "m.xyz", scree_xyz_read};
static const format_under_test lammps = {SCREE_FORMAT_LAMMPS, "m.data", scree_lammps_read};
static const format_under_test npy = {SCREE_FORMAT_NPY, "m.npy", scree_npy_read};
static const format_under_test* const all_formats[] = {&xyz, &lammps, &npy};
#define FORMATS 3

// A box with every kind of axis in turn: periodic, walls, open on either or both sides, walls without a distance.
static void add_box(scree_sphere_set* set, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 2);
    set->has_box = true;
    set->box = scree_box_open(set->dim);
    for (int k = 0; k < set->dim; ++k) {
        double a = 10.0 * scree_rng_uniform(&rng) - 5.0, b = fmax(a, 0.0) + scree_rng_uniform(&rng) + 0.01;
        uint64_t kind = scree_rng_below(&rng, 7);
        if (kind == 6)
            a = b = k == 0 ? -0.0 : b;
        set->box.periodic[k] = kind == 0;
        if (kind != 4 && kind != 3)
            set->box.lower[k] = kind == 5 ? 0.0 : a;
        if (kind != 4 && kind != 2)
            set->box.upper[k] = b;
    }
    CHECK_OK(scree_box_check(&set->box));
}

// Columns of every kind. LAMMPS has places for its own few.
static void add_columns(scree_sphere_set* set, scree_format format)
{
    scree_rng rng = scree_rng_make(7, 1);
    scree_column* column;
    bool own = format == SCREE_FORMAT_LAMMPS;
    static const char* const words[] = {"quartz", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\xAA\xA8", "12", "#1", "a,b", "\"q\"",
                                        "'"};
    static const char* const texts[] = {"two words", "", " front", "back ", "line\nend", "tab\t"};
    if (!own)
        add_words(set, "species", words, 7);
    CHECK_OK(scree_sphere_set_add(set, "velocity", SCREE_COLUMN_DOUBLE, own ? set->dim : 3, &column));
    for (int k = 0; k < column->components * set->count; ++k) {
        do {
            uint64_t bits = scree_rng_bits(&rng);
            memcpy(&column->values[k], &bits, sizeof bits);
        } while (own && !isfinite(column->values[k]));
    }
    CHECK_OK(scree_sphere_set_add(set, own ? "material_density" : "odd", SCREE_COLUMN_DOUBLE, 1, &column));
    for (int k = 0; k < set->count; ++k)
        column->values[k] = own ? k + 0.1 : k % 3 == 0 ? NAN : k % 3 == 1 ? -INFINITY : 5e-324;
    CHECK_OK(scree_sphere_set_add(set, "id", SCREE_COLUMN_INT64, 1, &column));
    for (int k = 0; k < set->count; ++k)
        column->integers[k] = own ? 5 * k + 3 : k % 2 == 0 ? INT64_MAX - k : INT64_MIN + k;
    CHECK_OK(scree_sphere_set_add(set, "image", SCREE_COLUMN_INT64, own ? set->dim : 2, &column));
    for (int k = 0; k < column->components * set->count; ++k)
        column->integers[k] = k % 7 - 3;
    if (own) {
        CHECK_OK(scree_sphere_set_add(set, "type", SCREE_COLUMN_INT64, 1, &column));
        for (int k = 0; k < set->count; ++k)
            column->integers[k] = k % 3 + 1;
        CHECK_OK(scree_sphere_set_add(set, "omega", SCREE_COLUMN_DOUBLE, set->dim == 2 ? 1 : 3, &column));
        for (int k = 0; k < column->components * set->count; ++k)
            column->values[k] = k - 0.5;
        return;
    }
    CHECK_OK(scree_sphere_set_add(set, "stress tensor", SCREE_COLUMN_DOUBLE, 9, &column));
    for (int k = 0; k < 9 * set->count; ++k)
        column->values[k] = scree_rng_uniform(&rng);
    if (format == SCREE_FORMAT_NPY) {
        add_words(set, "it's a \\ \"name\"\n", texts, 6);
        add_words(set,
                  "Gr\xC3\xB6\xC3\x9F"
                  "e \xF0\x9F\xAA\xA8",
                  words, 7);
        add_words(set, "empty", texts + 1, 1);
    } else {
        add_words(set, "kind=of [x], {y}", words, 7);
    }
}

// ---- Round trips -------------------------------------------------------------------------------------------------

static void test_round_trips(void** state)
{
    (void)state;
    int rounds = (int)(30 * test_effort());
    for (int f = 0; f < FORMATS; ++f)
        for (int n = 0; n < rounds; ++n)
            for (int dim = 2; dim <= 3; ++dim) {
                const format_under_test* format = all_formats[f];
                scree_sphere_set set = halved_set(dim, n % 10 == 9 ? 0 : 40, (uint64_t)n), back, small;
                if (n % 3 > 0)
                    add_box(&set, (uint64_t)n);
                if (n % 2 > 0)
                    add_columns(&set, format->number);
                for (int c = 0; c < set.column_count; ++c)
                    assert_true(scree_format_keeps(format->number, &set, c));
                const char* path = in_folder(format->file);
                CHECK_OK(scree_write_spheres(path, NULL, &set));
                CHECK_OK(scree_read_spheres(path, NULL, &back));
                check_read_back(&set, &back, scree_format_keeps(format->number, &set, -1));
                size_t size;
                char* bytes = get_file(path, &size);
                CHECK_OK(read_memory(format, bytes, size, 1 + n, &small));
                check_read_back(&back, &small, format != &npy);  // its box is beside it
                free(bytes);
                scree_sphere_set_free(&set);
                scree_sphere_set_free(&back);
                scree_sphere_set_free(&small);
            }
}

// The container goes with the box, in 2D and 3D, shifted, with ends or periodic; a box that no longer fits is a box.
static void test_containers(void** state)
{
    (void)state;
    static const struct {
        int32_t dim, kind;
        double size[3];
        bool periodic;
    } containers[] = {{3, SCREE_CONTAINER_CYLINDER, {4.0, 4.0, 7.0}, false},
                      {3, SCREE_CONTAINER_CYLINDER, {0.3, 0.3, 7.0}, true},
                      {3, SCREE_CONTAINER_SPHERE, {4.0, 4.0, 4.0}, false},
                      {2, SCREE_CONTAINER_SPHERE, {0.1, 0.1, 0.0}, false},
                      {3, SCREE_CONTAINER_BOX, {4.0, 4.0, 4.0}, false}};
    for (size_t k = 0; k < sizeof containers / sizeof *containers; ++k)
        for (int format = SCREE_FORMAT_AUTO + 1; format < SCREE_FORMAT_COUNT; ++format) {
            char name[32];
            scree_sphere_set set, back;
            CHECK_OK(scree_sphere_set_make(containers[k].dim, 1, &set));
            for (int a = 0; a < set.dim; ++a)
                set.x[a] = 0.7 + containers[k].size[a] / 2.0;
            set.r[0] = 0.01;
            set.has_box = true;
            set.box = scree_box_sized(set.dim, containers[k].size);
            set.container = containers[k].kind;
            for (int a = 0; a < set.dim; ++a) {
                set.box.lower[a] += 0.7;
                set.box.upper[a] = set.box.lower[a] + containers[k].size[a];
            }
            set.box.periodic[2] = containers[k].periodic;
            snprintf(name, sizeof name, "c.%s", scree_format_name((scree_format)format));
            CHECK_OK(scree_write_spheres(in_folder(name), NULL, &set));
            CHECK_OK(scree_read_spheres(in_folder(name), NULL, &back));
            bool kept = scree_format_keeps((scree_format)format, &set, -1);
            assert_int_equal(back.has_box, kept);
            assert_int_equal(back.container, kept ? set.container : SCREE_CONTAINER_BOX);
            CHECK_OK(scree_sphere_set_check_box(&back));
            scree_sphere_set_free(&back);
            set.box.upper[0] *= 2.0;
            if (kept && set.container != SCREE_CONTAINER_BOX)
                CHECK_FAILS(scree_write_spheres(in_folder(name), NULL, &set), SCREE_ERR_ARGUMENT, "axis y");
            set.has_box = false;
            if (kept && set.container != SCREE_CONTAINER_BOX)
                CHECK_FAILS(scree_write_spheres(in_folder(name), NULL, &set), SCREE_ERR_ARGUMENT);
            scree_sphere_set_free(&set);
        }
    scree_sphere_set set;
    static const char row[] = "Properties=species:S:1:pos:R:3:radius:R:1\nX 1 1 1 0.5\n";
    char text[256];
    snprintf(text, sizeof text, "1\nscree_dim=3 Lattice=\"4 0 0 0 4 0 0 0 9\" pbc=\"F F F\" scree_container=%s %s", "sphere", row);
    put_text(in_folder("m.xyz"), text);
    CHECK_OK(scree_read_spheres(in_folder("m.xyz"), NULL, &set));
    assert_int_equal(set.container, SCREE_CONTAINER_BOX);
    scree_sphere_set_free(&set);
    snprintf(text, sizeof text, "1\nscree_dim=3 Lattice=\"4 0 0 0 4 0 0 0 9\" pbc=\"F F F\" scree_container=%s %s", "cone", row);
    put_text(in_folder("m.xyz"), text);
    CHECK_FAILS(scree_read_spheres(in_folder("m.xyz"), NULL, &set), SCREE_ERR_FORMAT, "m.xyz:2", "'cone'");
    put_text(in_folder("m.lammps"), "# scree dim=3 box=www container=cone\n\n0 atoms\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n\nAtoms # sphere\n\n");
    CHECK_FAILS(scree_read_spheres(in_folder("m.lammps"), NULL, &set), SCREE_ERR_FORMAT, "m.lammps:1", "cone");
}

// XYZ as ASE and OVITO write it, LAMMPS data with a line of tilts; and there and back, bit for bit.
static void test_tilted_boxes(void** state)
{
    (void)state;
    scree_sphere_set set, back;
    static const char* const kept[] = {"a.xyz", "a.data"};
    for (int dim = 2; dim <= 3; ++dim)
        for (size_t f = 0; f < 2; ++f) {
            CHECK_OK(scree_sphere_set_make(dim, 3, &set));
            for (int e = 0; e < 3 * dim; ++e)
                set.x[e] = 0.1 * e + 1.0 / 3.0;
            for (int i = 0; i < 3; ++i)
                set.r[i] = 0.1 + 0.01 * i;
            set.has_box = true;
            set.box = (scree_box){.dim = dim, .lower = {0.1, -0.2, 0.3}, .upper = {2.0, 3.0, 5.0}, .periodic = {true, true, true},
                                  .tilt = {1.0 / 7.0, dim == 3 ? -4.0 / 3.0 : 0.0, dim == 3 ? 1e-14 : 0.0}};
            CHECK_OK(scree_write_spheres(in_folder(kept[f]), NULL, &set));
            CHECK_OK(scree_read_spheres(in_folder(kept[f]), NULL, &back));
            check_read_back(&set, &back, true);
            scree_sphere_set_free(&back);
            scree_sphere_set_free(&set);
        }
    put_text(in_folder("m.xyz"), "1\nLattice=\"2 0 0 0.5 3 0 -0.25 0.75 4\" Properties=species:S:1:pos:R:3:radius:R:1 pbc=\"T T T\"\nX 1 2 3 0.5\n");
    CHECK_OK(scree_read_spheres(in_folder("m.xyz"), NULL, &set));
    assert_true(set.box.tilt[0] == 0.5 && set.box.tilt[1] == -0.25 && set.box.tilt[2] == 0.75 && set.box.periodic[2]);
    scree_sphere_set_free(&set);
    // LAMMPS does not say which axes are periodic; it tilts periodic ones.
    put_text(in_folder("m.data"), "of LAMMPS\n\n1 atoms\n1 atom types\n0 2 xlo xhi\n0 3 ylo yhi\n0 4 zlo zhi\n0 0.5 0 xy xz yz\n\nAtoms # sphere\n\n1 1 1 1 1 1 1\n");
    CHECK_OK(scree_read_spheres(in_folder("m.data"), NULL, &set));
    assert_true(set.box.tilt[1] == 0.5 && set.box.periodic[0] && !set.box.periodic[1] && set.box.periodic[2]);
    CHECK_OK(scree_write_spheres(in_folder("n.data"), NULL, &set));
    CHECK_FILE(in_folder("n.data"), "# scree dim=3 box=pwp columns=type:1,density:1\n\n1 atoms\n1 atom types\n\n0 2 xlo xhi\n0 3 ylo yhi\n0 4 zlo zhi\n0 0.5 0 xy xz yz\n\n"
                                    "Atoms # sphere\n\n1 1 1 1 1 1 1\n");
    scree_sphere_set_free(&set);
    put_text(in_folder("m.data"), "# scree dim=2 box=pp\n\n0 atoms\n0 2 xlo xhi\n0 3 ylo yhi\n-0.5 0.5 zlo zhi\n0 0.5 0 xy xz yz\n\nAtoms # sphere\n\n");
    CHECK_FAILS(scree_read_spheres(in_folder("m.data"), NULL, &set), SCREE_ERR_FORMAT, "m.data:7", "xz", "0.5");
}

static void test_many_rows(void** state)
{
    (void)state;
    for (int f = 0; f < FORMATS; ++f) {
        scree_sphere_set set = halved_set(3, 100000, 3), back;
        CHECK_OK(scree_write_spheres(in_folder(all_formats[f]->file), NULL, &set));
        CHECK_OK(scree_read_spheres(in_folder(all_formats[f]->file), NULL, &back));
        check_read_back(&set, &back, true);
        scree_sphere_set_free(&set);
        scree_sphere_set_free(&back);
    }
}

static void test_written_text(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(2, 2, &set));
    memcpy(set.x, (double[]){1.0, 2.0, 0.5, -1e-9}, 4 * sizeof *set.x);
    memcpy(set.r, (double[]){0.25, 1.0}, 2 * sizeof *set.r);
    CHECK_OK(scree_write_spheres(in_folder("a.xyz"), NULL, &set));
    CHECK_FILE(in_folder("a.xyz"), "2\nscree_dim=2 Properties=species:S:1:pos:R:3:radius:R:1\n"
                                   "X 1 2 0 0.25\nX 0.5 -1e-09 0 1\n");
    CHECK_OK(scree_write_spheres(in_folder("a.data"), NULL, &set));
    CHECK_FILE(in_folder("a.data"),
               "# scree dim=2 box=none\n\n2 atoms\n1 atom types\n\n"
               "-0.5 1.5 xlo xhi\n-1.000000001 2.25 ylo yhi\n-0.5 0.5 zlo zhi\n\nAtoms # sphere\n\n"
               "1 1 0.5 1 1 2 0\n2 1 2 1 0.5 -1e-09 0\n");
    set.has_box = true;
    set.box = (scree_box){.dim = 2, .lower = {0, -1}, .upper = {4, INFINITY}, .periodic = {true}};
    scree_column* column;
    CHECK_OK(scree_sphere_set_add(&set, "velocity", SCREE_COLUMN_DOUBLE, 2, &column));
    CHECK_OK(scree_sphere_set_add(&set, "mass", SCREE_COLUMN_DOUBLE, 1, &column));
    CHECK_OK(scree_write_spheres(in_folder("a.xyz"), NULL, &set));
    CHECK_FILE(in_folder("a.xyz"),
               "2\nscree_dim=2 Lattice=\"4 0 0 0 3.25 0 0 0 1\" Origin=\"0 -1 -0.5\" pbc=\"T F F\" scree_box=pl "
               "Properties=species:S:1:pos:R:3:radius:R:1:velocity:R:2:mass:R:1\n"
               "X 1 2 0 0.25 0 0 0\nX 0.5 -1e-09 0 1 0 0 0\n");
    CHECK_OK(scree_write_spheres(in_folder("a.data"), NULL, &set));
    CHECK_FILE(in_folder("a.data"),
               "# scree dim=2 box=pl columns=velocity:2\n\n2 atoms\n1 atom types\n\n"
               "0 4 xlo xhi\n-1 2.25 ylo yhi\n-0.5 0.5 zlo zhi\n\nAtoms # sphere\n\n"
               "1 1 0.5 1 1 2 0\n2 1 2 1 0.5 -1e-09 0\n\nVelocities\n\n1 0 0 0 0 0 0\n2 0 0 0 0 0 0\n");
    CHECK_OK(scree_write_spheres(in_folder("a.npy"), NULL, &set));
    size_t size;
    char* bytes = get_file(in_folder("a.npy"), &size);
    assert_int_equal(size, 192 + 2 * 48);
    assert_memory_equal(bytes,
                        "\x93NUMPY\1\0\xB6\0{'descr': [('x', '<f8'), ('y', '<f8'), ('r', '<f8'), "
                        "('velocity', '<f8', (2,)), ('mass', '<f8')], 'fortran_order': False, 'shape': (2,), } ",
                        149);
    assert_int_equal(bytes[191], '\n');
    free(bytes);
    scree_sphere_set_free(&set);
}

// ---- What a format cannot hold -----------------------------------------------------------------------------------

// What XYZ has no place for is left out, and scree_format_keeps says so before; the rest comes back.
static void test_xyz_leaves_out(void** state)
{
    (void)state;
    static const char* const spaced[] = {"one", "two words"};
    static const char* const empty[] = {"one", ""};
    static const char* const fine[] = {"one", "two"};
    static const char* const names[] = {"a:b", "a\nb", "POS", "Radius"};
    scree_sphere_set set = halved_set(3, 2, 1), back;
    int32_t before = set.column_count;
    scree_column* column;
    add_words(&set, "spaced", spaced, 2);
    add_words(&set, "empty", empty, 2);
    for (int k = 0; k < 4; ++k)
        CHECK_OK(scree_sphere_set_add(&set, names[k], SCREE_COLUMN_DOUBLE, 1, &column));
    for (int32_t c = before; c < set.column_count; ++c)
        assert_false(scree_format_keeps(SCREE_FORMAT_XYZ, &set, c));
    add_words(&set, "fine", fine, 2);
    assert_true(scree_format_keeps(SCREE_FORMAT_XYZ, &set, set.column_count - 1));
    CHECK_OK(scree_write_spheres(in_folder("left.xyz"), NULL, &set));
    CHECK_OK(scree_read_spheres(in_folder("left.xyz"), NULL, &back));
    assert_int_equal(back.column_count, before + 1);
    assert_non_null(scree_sphere_set_find(&back, "fine"));
    scree_sphere_set_free(&back);
    scree_sphere_set_free(&set);
}

static void test_refused(void** state)
{
    (void)state;
    static const char* const broken[] = {"one", "\xC3("};
    static const struct {
        const format_under_test* format;
        const char* column;
        const char* const* words;  // NULL: numbers
        const char* message;
    } cases[] = {
        {&npy, "D", NULL, "'D'"},
        {&npy, "text", broken, "'text' | sphere 1 | UTF-8"},
        {&npy, "\xFF", NULL, "UTF-8"},
        {&npy, "\xED\xA0\x80", NULL, "UTF-8"},  // half a pair of UTF-16
        {&npy, "\xC0\xAF", NULL, "UTF-8"},      // longer than needed
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_sphere_set set = halved_set(2, 2, 1);
        scree_column* column;
        if (cases[k].words != NULL)
            add_words(&set, cases[k].column, cases[k].words, 2);
        else
            CHECK_OK(scree_sphere_set_add(&set, cases[k].column, SCREE_COLUMN_DOUBLE, 1, &column));
        CHECK_FAILS(scree_write_spheres(in_folder(cases[k].format->file), NULL, &set), SCREE_ERR_ARGUMENT,
                    cases[k].message);
        scree_sphere_set_free(&set);
    }
    scree_sphere_set set = halved_set(3, 2, 1);
    set.has_box = true;
    set.box = scree_box_open(3);
    set.box.periodic[1] = true;
    CHECK_FAILS(scree_write_spheres(in_folder("a.xyz"), NULL, &set), SCREE_ERR_ARGUMENT, "axis y");
    CHECK_FAILS(scree_write_spheres(in_folder("a.data"), NULL, &set), SCREE_ERR_ARGUMENT, "axis y");
    set.box = scree_box_open(2);
    CHECK_FAILS(scree_write_spheres(in_folder("a.xyz"), NULL, &set), SCREE_ERR_ARGUMENT, "2");
    CHECK_FAILS(scree_write_spheres(in_folder("a.data"), NULL, &set), SCREE_ERR_ARGUMENT, "2");
    scree_sphere_set_free(&set);
    assert_int_equal(files_in_folder(), 0);
}

static void test_lammps_keeps(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        scree_column_kind kind;
        int32_t components;
        double first, second;  // for two spheres
        bool kept;
    } cases[] = {
        {"type", SCREE_COLUMN_INT64, 1, 1, 7, true},         {"type", SCREE_COLUMN_INT64, 1, 0, 1, false},
        {"type", SCREE_COLUMN_DOUBLE, 1, 1, 1, false},       {"type", SCREE_COLUMN_INT64, 2, 1, 1, false},
        {"id", SCREE_COLUMN_INT64, 1, 4, 9, true},           {"id", SCREE_COLUMN_INT64, 1, 9, 4, false},
        {"id", SCREE_COLUMN_INT64, 1, 4, 4, false},          {"id", SCREE_COLUMN_INT64, 1, 0, 1, false},
        {"density", SCREE_COLUMN_DOUBLE, 1, 1, 0.5, true},   {"density", SCREE_COLUMN_DOUBLE, 1, 1, 0, false},
        {"density", SCREE_COLUMN_INT64, 1, 7000, 1, true},   {"density", SCREE_COLUMN_DOUBLE, 1, 1, INFINITY, false},
        {"density", SCREE_COLUMN_DOUBLE, 1, NAN, 1, false},  {"material_density", SCREE_COLUMN_DOUBLE, 1, 2, 3, true},
        {"velocity", SCREE_COLUMN_DOUBLE, 3, 0, -1, true},   {"velocity", SCREE_COLUMN_DOUBLE, 2, 0, 1, false},
        {"velocity", SCREE_COLUMN_DOUBLE, 3, NAN, 1, false}, {"omega", SCREE_COLUMN_DOUBLE, 1, 0, 1, false},
        {"image", SCREE_COLUMN_INT64, 3, 0, -9, true},       {"image", SCREE_COLUMN_INT64, 3, 0, 1 << 21, false},
        {"mass", SCREE_COLUMN_DOUBLE, 1, 1, 1, false},       {"note", SCREE_COLUMN_TEXT, 1, 0, 0, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_sphere_set set = halved_set(3, 2, 1), back;
        scree_column* column;
        CHECK_OK(scree_sphere_set_add(&set, cases[k].name, cases[k].kind, cases[k].components, &column));
        for (int i = 0; i < 2 * cases[k].components && cases[k].kind != SCREE_COLUMN_TEXT; ++i) {
            double value = i < cases[k].components ? cases[k].first : cases[k].second;
            if (cases[k].kind == SCREE_COLUMN_INT64)
                column->integers[i] = (int64_t)value;
            else
                column->values[i] = value;
        }
        if (scree_format_keeps(SCREE_FORMAT_LAMMPS, &set, 0) != cases[k].kept)
            fail_msg("case %d: %s is %skept", (int)k, cases[k].name, cases[k].kept ? "not " : "");
        CHECK_OK(scree_write_spheres(in_folder("a.data"), NULL, &set));
        CHECK_OK(scree_read_spheres(in_folder("a.data"), NULL, &back));
        assert_int_equal(back.column_count, cases[k].kept);
        if (cases[k].kept && cases[k].kind == SCREE_COLUMN_INT64 && strcmp(cases[k].name, "density") == 0)
            CHECK_CLOSE(back.columns[0].values[0], 7000.0, 0.0);  // numbers of LAMMPS are doubles
        else if (cases[k].kept)
            check_read_back(&set, &back, true);
        scree_sphere_set_free(&set);
        scree_sphere_set_free(&back);
    }
    scree_sphere_set set = halved_set(3, 2, 1);
    scree_column* column;
    CHECK_OK(scree_sphere_set_add(&set, "material_density", SCREE_COLUMN_INT64, 1, &column));
    column->integers[0] = column->integers[1] = 5;
    assert_true(scree_format_keeps(SCREE_FORMAT_LAMMPS, &set, 0));
    CHECK_OK(scree_sphere_set_add(&set, "density", SCREE_COLUMN_INT64, 1, &column));
    column->integers[0] = column->integers[1] = 5;
    assert_false(scree_format_keeps(SCREE_FORMAT_LAMMPS, &set, 0));  // one place for both
    assert_true(scree_format_keeps(SCREE_FORMAT_LAMMPS, &set, 1));
    assert_true(scree_format_keeps(SCREE_FORMAT_LAMMPS, &set, -1));
    assert_true(scree_format_keeps(SCREE_FORMAT_XYZ, &set, -1));
    assert_true(scree_format_keeps(SCREE_FORMAT_NPY, &set, -1));
    assert_false(scree_format_keeps(SCREE_FORMAT_CSV, &set, -1));
    assert_false(scree_format_keeps(SCREE_FORMAT_COUNT, &set, 0));
    scree_sphere_set_free(&set);
}

// ---- Cut short, no memory, no disk -------------------------------------------------------------------------------

static void test_cut_off(void** state)
{
    (void)state;
    for (int f = 0; f < FORMATS; ++f)
        for (int variant = 0; variant < 8; ++variant) {
            const format_under_test* format = all_formats[f];
            bool large = variant >= 6;
            scree_sphere_set set = halved_set(2 + variant % 2, large ? 60 : 3, 11);
            if (variant / 2 == 1 || large)
                add_columns(&set, format->number);
            if (variant / 2 == 2 || large)
                add_box(&set, 3);
            CHECK_OK(scree_write_spheres(in_folder(format->file), NULL, &set));
            size_t size;
            char* bytes = get_file(in_folder(format->file), &size);
            char place[32], name[64];
            snprintf(place, sizeof place, "%s:%s", format->file, format == &npy ? " byte " : "");
            snprintf(name, sizeof name, "%s, variant %d,", format->file, variant);
            check_cuts(format, bytes, size, large ? 7 : 1, place, name);
            free(bytes);
            scree_sphere_set_free(&set);
        }
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    for (int f = 0; f < FORMATS; ++f) {
        const format_under_test* format = all_formats[f];
        scree_sphere_set set = halved_set(3, 50, 5), back = {0};
        add_columns(&set, format->number);
        add_box(&set, 4);
        const char* path = in_folder(format->file);
        put_text(path, OLD);
        EACH_ALLOCATION_FAILS(scree_write_spheres(path, NULL, &set), CHECK_FILE(path, OLD); assert_int_equal(files_in_folder(), 1));
        EACH_ALLOCATION_FAILS(scree_read_spheres(path, NULL, &back), assert_null(back.x));
        check_read_back(&set, &back, true);
        scree_sphere_set_free(&set);
        scree_sphere_set_free(&back);
        empty_folder();
    }
}

static void test_nth_write_fails(void** state)
{
    (void)state;
    for (int f = 0; f < FORMATS; ++f) {
        scree_sphere_set set = halved_set(3, 40000, 5);  // more than one block
        check_each_write_fails(in_folder(all_formats[f]->file), &set);
        scree_sphere_set_free(&set);
    }
}

static void test_stopped(void** state)
{
    (void)state;
    for (int f = 0; f < FORMATS; ++f) {
        scree_sphere_set set = halved_set(3, 30000, 5), back;
        const char* path = in_folder(all_formats[f]->file);
        int left = 20;
        scree_file_options options = scree_default_file_options();
        options.watch = (scree_watch){stop_at, &left};
        CHECK_FAILS(scree_write_spheres(path, &options, &set), SCREE_ERR_CANCELLED);
        assert_int_equal(access(path, F_OK), -1);
        CHECK_OK(scree_write_spheres(path, NULL, &set));
        left = 1;
        CHECK_FAILS(scree_read_spheres(path, &options, &back), SCREE_ERR_CANCELLED);
        scree_sphere_set_free(&set);
    }
}

// ---- The parts ---------------------------------------------------------------------------------------------------

static void test_words(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        bool whole;
        int64_t value;
    } cases[] = {{"0", true, 0},    {"-0", true, 0},   {"+7", true, 7},  {"9223372036854775807", true, INT64_MAX},
                 {"", false, 0},    {"-", false, 0},   {"1.", false, 0}, {"-9223372036854775808", true, INT64_MIN},
                 {"1e3", false, 0}, {"0x1", false, 0}, {"/", false, 0},  {"9223372036854775808", false, 0},
                 {"007", true, 7},  {"--1", false, 0}, {":", false, 0},  {"-9223372036854775809", false, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        int64_t value = 0;
        assert_int_equal(scree_word_integer((scree_word){cases[k].text, cases[k].text + strlen(cases[k].text)}, &value),
                         cases[k].whole);
        assert_true(!cases[k].whole || value == cases[k].value);
        char text[32];
        if (cases[k].whole && cases[k].text[0] != '+' && strcmp(cases[k].text, "-0") != 0 &&
            strcmp(cases[k].text, "007") != 0) {
            *scree_put_integer(text, value) = '\0';
            assert_string_equal(text, cases[k].text);
        }
    }
}

static void test_input_bytes(void** state)
{
    (void)state;
    static const char text[] = "one\ntwo\0three\nend";
    for (int64_t block = 1; block < 20; ++block) {
        scree_input input;
        char* bytes;
        int64_t got;
        bool more;
        scree_input_memory(&input, "m", text, sizeof text - 1, block);
        CHECK_OK(scree_input_line(&input, &bytes, &got, &more));
        assert_true(more && got == 3 && scree_input_line_closed(&input));
        CHECK_OK(scree_input_bytes(&input, 6, &bytes, &got));
        assert_int_equal(got, 6);
        assert_memory_equal(bytes, "two\0th", 6);
        CHECK_OK(scree_input_bytes(&input, 0, &bytes, &got));
        assert_int_equal(got, 0);
        CHECK_OK(scree_input_line(&input, &bytes, &got, &more));
        assert_true(more && got == 3 && memcmp(bytes, "ree", 3) == 0);
        CHECK_OK(scree_input_line(&input, &bytes, &got, &more));
        assert_true(more && got == 3 && !scree_input_line_closed(&input));
        CHECK_OK(scree_input_bytes(&input, 4, &bytes, &got));
        assert_int_equal(got, 0);
        scree_input_close(&input);
    }
}

static const test_case cases[] = {
    PROPERTY(test_round_trips),
    UNIT(test_containers),
    UNIT(test_tilted_boxes),
    UNIT(test_many_rows),
    UNIT(test_written_text),
    UNIT(test_xyz_leaves_out),
    UNIT(test_refused),
    UNIT(test_lammps_keeps),
    UNIT(test_cut_off),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_nth_write_fails),
    UNIT(test_stopped),
    UNIT(test_words),
    UNIT(test_input_bytes),
};

const test_group group_formats = {.name = "formats", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
