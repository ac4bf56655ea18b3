// XYZ, LAMMPS data and NumPy files: what is written reads back bit for bit, files as other programs write them are
// taken, wrong ones are reported with their line or byte, and one that was cut short is never half a set.
#include "file_support.h"

#include "files/formats.h"
#include "files/words.h"

// ---- Files and sets ----------------------------------------------------------------------------------------------

static const format_under_test xyz = {SCREE_FORMAT_XYZ, "m.xyz", scree_xyz_read};
static const format_under_test lammps = {SCREE_FORMAT_LAMMPS, "m.data", scree_lammps_read};
static const format_under_test npy = {SCREE_FORMAT_NPY, "m.npy", scree_npy_read};
static const format_under_test* const all_formats[] = {&xyz, &lammps, &npy};
#define FORMATS 3

static scree_status read_text(const format_under_test* format, const char* text, scree_sphere_set* out)
{
    return read_memory(format, text, strlen(text), 1 << 16, out);
}

static void check_same_set(const scree_sphere_set* a, const scree_sphere_set* b, bool box)
{
    check_kept_set(a, b, box ? KEEPS_BOX : 0);
}

// Radii of which twice is a length too: some formats hold diameters.
static scree_sphere_set halved_set(int32_t dim, int32_t count, uint64_t seed)
{
    scree_sphere_set set = random_set(dim, count, seed);
    for (int i = 0; i < count; ++i)
        set.r[i] = set.r[i] / 2.0 < SCREE_LENGTH_MIN ? 0.0 : set.r[i] / 2.0;
    return set;
}

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
                check_same_set(&set, &back, scree_format_keeps(format->number, &set, -1));
                size_t size;
                char* bytes = get_file(path, &size);
                CHECK_OK(read_memory(format, bytes, size, 1 + n, &small));
                check_same_set(&back, &small, format != &npy);  // its box is beside it
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
            check_same_set(&set, &back, true);
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
        check_same_set(&set, &back, true);
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
            check_same_set(&set, &back, true);
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

// ---- XYZ of others -----------------------------------------------------------------------------------------------

// Two spheres at 1 2 3 and -5 6.5 70 with radii 4 and 0.
static void check_two(const scree_sphere_set* set, int columns)
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

static void test_xyz_forms(void** state)
{
    (void)state;
    static const char* const forms[] = {
        "2\nProperties=species:S:1:pos:R:3:radius:R:1\nX 1 2 3 4\nX -5 6.5 7e1 0\n",
        "2\nProperties=pos:R:3:radius:R:1\n1 2 3 4\n-5 6.5 7e1 0",
        " 2 \r\nProperties=radius:R:1:pos:R:3\r\n4\t1 2 3\r\n 0  -5 6.5 70 \r\n\r\n  \n",
        "\xEF\xBB\xBF\x32\nProperties=pos:R:3:d:R:1\n1 2 3 8\n-5 6.5 70 0\n",
        "2\nProperties=Pos:R:3:Diameter:R:1\n1 2 3 8\n-5 6.5 70 0\n",
        "2\nProperties=r:I:1:z:R:1:y:R:1:x:R:1\n4 3 2 1\n0 70 6.5 -5\n",
        "2\nProperties=pos:R:3:radius:R:1:diameter:R:1\n1 2 3 4 8.00001\n-5 6.5 70 0 0\n",  // the twin is not kept
        "2\nproperties = \"pos:R:3:Radius:R:1\" energy=-3.5 title=\"a \\\"b\\\" = c\" free words\n1 2 3 4\n-5 6.5 70 0\n",
        "2\nstress={1 2 3} virial=[[1, 2], [3, 4]] 'a key'='x y' Properties=pos:R:3:r:R:1 t=\n1 2 3 4\n-5 6.5 70 0\n",
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k)
        for (int64_t block = 1; block < 100; block = block * 3 + 1) {
            scree_sphere_set set;
            CHECK_OK(read_memory(&xyz, forms[k], strlen(forms[k]), block, &set));
            check_two(&set, 0);
            assert_false(set.has_box);
            scree_sphere_set_free(&set);
        }
}

static void test_xyz_columns(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_text(&xyz,
                       "2\nProperties=species:S:1:id:I:1:pos:R:3:fixed:L:2:names:S:2:radius:R:1:f:R:3:tag:S:1\n"
                       "Si 7 1 2 3 T F a b 4 nan -Inf 3 007\nX -8 -5 6.5 70 true False c d 0 1 2 3e5 \xC3\xA4\n",
                       &set));
    check_two(&set, 7);
    static const char* const names[] = {"species", "id", "fixed", "names_0", "names_1", "f", "tag"};
    static const scree_column_kind kinds[] = {SCREE_COLUMN_TEXT, SCREE_COLUMN_INT64, SCREE_COLUMN_INT64,
                                              SCREE_COLUMN_TEXT, SCREE_COLUMN_TEXT,  SCREE_COLUMN_DOUBLE,
                                              SCREE_COLUMN_TEXT};
    for (int c = 0; c < 7; ++c) {
        assert_string_equal(set.columns[c].name, names[c]);
        assert_int_equal(set.columns[c].kind, kinds[c]);
    }
    assert_string_equal(set.columns[0].text + set.columns[0].offset[1], "X");
    assert_int_equal(set.columns[1].integers[1], -8);
    assert_int_equal(set.columns[2].components, 2);
    assert_int_equal(set.columns[2].integers[2], 1);
    assert_int_equal(set.columns[2].integers[3], 0);
    assert_string_equal(set.columns[4].text + set.columns[4].offset[1], "d");
    assert_true(isnan(set.columns[5].values[0]) && isinf(set.columns[5].values[1]));
    assert_string_equal(set.columns[6].text + set.columns[6].offset[0], "007");
    scree_sphere_set_free(&set);
}

static void test_xyz_boxes(void** state)
{
    (void)state;
#define ROWS " Properties=pos:R:3:r:R:1\n1 2 3 4\n-5 6.5 70 0\n"
    static const struct {
        const char* text;
        const char* box;  // per axis lower:upper, periodic ones with a p behind; "" none
    } cases[] = {
        {"2\nLattice=\"10 0 0 0 20 0 0 0 30\"" ROWS, "0:10p 0:20p 0:30p"},
        {"2\nLattice=\"10 0 0 0 20 0 0 0 30\" pbc=\"T F T\"" ROWS, "0:10p 0:20 0:30p"},
        {"2\nLattice=[[10, 0, 0], [0, 20, 0], [0, 0, 30]] pbc=[True, false, T]" ROWS, "0:10p 0:20 0:30p"},
        {"2\nLattice={10 0 0 0 20 0 0 0 30} Origin=\"-5 1 0.5\" pbc={F F F}" ROWS, "-5:5 1:21 0.5:30.5"},
        {"2\nLattice=\"10 1e-16 0 0 20 0 0 0 30\" pbc=\"0 1 0\"" ROWS, "0:10 0:20p 0:30"},
        {"2\nLattice=\"10 0 0 0 20 0 0 0 0\" pbc=\"T T F\"" ROWS, "0:10p 0:20p -inf:inf"},
        {"2\nLattice=\"0 0 0 0 0 0 0 0 0\" pbc=\"F F F\"" ROWS, ""},
        {"2\npbc=\"F F F\" Origin=\"1 2 3\"" ROWS, ""},
        {"2\nLattice=\"10 0 0 0 20 0 0 0 30\" pbc=\"F F F\" scree_box=olu" ROWS, "-inf:inf 0:inf -inf:30"},
        {"2\nLattice=\"10 0 0 0 20 0 0 0 30\" pbc=\"T F F\" scree_box=ooo" ROWS,
         "0:10p -inf:inf -inf:inf"},                                                                // pbc wins
        {"2\nLattice=\"10 0 0 0 20 0 0 0 30\" scree_upper=\"9 20 30\"" ROWS, "0:10p 0:20p 0:30p"},  // Lattice wins
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_sphere_set set;
        CHECK_OK(read_text(&xyz, cases[k].text, &set));
        check_two(&set, 0);
        char box[200] = "";
        int used = 0;
        for (int a = 0; a < 3 && set.has_box; ++a)
            used += snprintf(box + used, sizeof box - (size_t)used, "%s%g:%g%s", a > 0 ? " " : "", set.box.lower[a],
                             set.box.upper[a], set.box.periodic[a] ? "p" : "");
        assert_string_equal(box, cases[k].box);
        scree_sphere_set_free(&set);
    }
    scree_sphere_set set;
    CHECK_OK(read_text(&xyz, "1\nProperties=pos:R:2:r:R:1 Lattice=\"1 0 0 0 2 0 0 0 0\" pbc=\"T F\"\n1 2 3\n", &set));
    assert_int_equal(set.dim, 2);
    assert_true(set.has_box && set.box.periodic[0] && !set.box.periodic[1]);
    CHECK_CLOSE(set.box.upper[1], 2.0, 0.0);
    scree_sphere_set_free(&set);
}

static void test_xyz_errors(void** state)
{
    (void)state;
#define P "Properties=species:S:1:pos:R:3:radius:R:1"
    static const struct {
        const char *text, *message;
        scree_status status;
    } cases[] = {
        {"", "m.xyz:1", SCREE_ERR_FORMAT},
        {"x,y,z,r\n", "m.xyz:1 | 'x,y,z,r'", SCREE_ERR_FORMAT},
        {"-1\n", "m.xyz:1", SCREE_ERR_FORMAT},
        {"3000000000\n" P "\n", "m.xyz:1 | '3000000000'", SCREE_ERR_FORMAT},
        {"2", "m.xyz:1", SCREE_ERR_FORMAT},
        {"2\nH2 molecule\nH 0 0 0\nH 0 0 1\n", "m.xyz:2 | Properties",
         SCREE_ERR_FORMAT},
        {"2\n\nH 0 0 0\nH 0 0 1\n", "m.xyz:2 | Properties", SCREE_ERR_FORMAT},
        {"1\nProperties=species:S:1:pos:R:3\nX 1 2 3\n", "m.xyz:2 | Properties | radius", SCREE_ERR_FORMAT},
        {"1\nProperties=species:S:1:radius:R:1\nX 1\n", "m.xyz:2 | Properties", SCREE_ERR_FORMAT},
        {"1\nProperties=y:R:1:radius:R:1\nX 1\n", "Properties", SCREE_ERR_FORMAT},
        {"1\nProperties=pos:R:4:radius:R:1\n", "Properties | 'pos' | 2 | 3 | 4", SCREE_ERR_FORMAT},
        {"1\nProperties=pos:R:3:radius:S:1\n", "Properties | 'radius' | 1",
         SCREE_ERR_FORMAT},
        {"1\nProperties=pos:R:3:radius:R:1:r:R:1\n", "Properties | 'radius' | 'r'", SCREE_ERR_FORMAT},
        {"1\nProperties=pos:R:3:x:R:1:r:R:1\n", "Properties | 'pos' | 'x'", SCREE_ERR_FORMAT},
        {"1\nProperties=pos:R:3:r:R:1:a:I:1:a:R:2\n", "Properties | 'a'", SCREE_ERR_FORMAT},
        {"1\nProperties=pos:R:3:r:R\n", "Properties | 'r:R'", SCREE_ERR_FORMAT},
        {"1\nProperties=pos:R:3:r:D:1\n", "Properties | 'r:D:1'", SCREE_ERR_FORMAT},
        {"1\nProperties=pos:R:3:r:R:0\n", "Properties | 'r:R:0'", SCREE_ERR_FORMAT},
        {"1\nProperties=pos:R:3:r:R:1:a:R:65\n", "'a:R:65' | 64", SCREE_ERR_FORMAT},
        {"1\n" P " " P "\nX 1 2 3 4\n", "m.xyz:2 | 'Properties'", SCREE_ERR_FORMAT},
        {"1\n" P " Lattice=\"1 2 3\nX 1 2 3 4\n", "m.xyz:2 | '\"1 2 3'",
         SCREE_ERR_FORMAT},
        {"1\n" P " Lattice=\"1 2 3\"\nX 1 2 3 4\n", "m.xyz:2 | Lattice | 3 | 9",
         SCREE_ERR_FORMAT},
        {"1\n" P " Lattice=\"1 0 0 0 1 0 0 0 w\"\nX 1 2 3 4\n", "m.xyz:2 | Lattice | 'w'",
         SCREE_ERR_FORMAT},
        {"1\n" P " Lattice=\"1 0.5 0 0 1 0 0 0 1\"\nX 1 2 3 4\n",
         "m.xyz:2 | Lattice | 1 | 0.5", SCREE_ERR_UNSUPPORTED},
        {"1\n" P " Lattice=\"1 0 0 0.5 1 0 0 0 1\" pbc=\"F T T\"\nX 1 0.5 0.5 0.1\n", "m.xyz:2 | xy | 0.5 | x", SCREE_ERR_FORMAT},
        {"1\n" P " Lattice=\"1 0 0 0 -1 0 0 0 1\"\nX 1 2 3 4\n", "m.xyz:2 | axis y | 0 | -1",
         SCREE_ERR_FORMAT},
        {"1\n" P " Lattice=\"1 0 0 0 1 0 0 0 0\"\nX 1 2 3 4\n", "m.xyz:2 | axis z | 0",
         SCREE_ERR_FORMAT},
        {"1\n" P " pbc=\"F F T\"\nX 1 2 3 4\n", "m.xyz:2 | pbc | axis z | Lattice",
         SCREE_ERR_FORMAT},
        {"1\n" P " pbc=\"F F\"\nX 1 2 3 4\n", "m.xyz:2 | pbc | 2", SCREE_ERR_FORMAT},
        {"1\n" P " pbc=\"F F maybe\"\nX 1 2 3 4\n", "m.xyz:2 | pbc | 'maybe'", SCREE_ERR_FORMAT},
        {"1\n" P " scree_dim=4\nX 1 2 3 4\n", "m.xyz:2 | scree_dim | '4'", SCREE_ERR_FORMAT},
        {"1\n" P " scree_dim=2\nX 1 2 3 4\n", "m.xyz:3 | 'pos' | '3'",
         SCREE_ERR_FORMAT},
        {"1\n" P " Lattice=\"1 0 0 0 1 0 0 0 1\" pbc=\"F F F\" scree_box=wwq\nX 1 2 3 4\n", "scree_box | 'wwq'",
         SCREE_ERR_FORMAT},
        {"2\n" P "\nX 1 2 3 4\n", "m.xyz:3 | 1 | 2", SCREE_ERR_FORMAT},
        {"2\n" P "\nX 1 2 3 4\nX 1 2 3\n", "m.xyz:4 | 4 | Properties | 5 | sphere 2 | 2",
         SCREE_ERR_FORMAT},
        {"2\n" P "\nX 1 2 3 4\n\nX 1 2 3 4\n", "m.xyz:4 | 0 | Properties | 5", SCREE_ERR_FORMAT},
        {"1\n" P "\nX 1 2 3 4 5\n", "m.xyz:3 | 6 | Properties | 5", SCREE_ERR_FORMAT},
        {"1\n" P "\nX 1 2 3 4\n1\n" P "\nX 1 2 3 4\n",
         "m.xyz:4 | 1", SCREE_ERR_FORMAT},
        {"1\n" P "\nX 1 2 3 -4\n", "m.xyz:3 | 'radius' | '-4' | radius",
         SCREE_ERR_FORMAT},
        {"1\n" P "\nX 1 nan 3 4\n", "m.xyz:3 | 'pos' | 'nan'", SCREE_ERR_FORMAT},
        {"1\n" P "\nX 1 2 3 nan\n", "m.xyz:3 | 'radius' | 'nan' | radius", SCREE_ERR_FORMAT},
        {"1\n" P "\nX 1 2 1e200 4\n", "'1e200' | 0", SCREE_ERR_FORMAT},
        {"1\n" P "\nX 1 2 1,5 4\n", "m.xyz:3 | 'pos' | '1,5'", SCREE_ERR_FORMAT},
        {"1\n" P ":f:R:1\nX 1 2 3 4 1e999\n", "'f' | '1e999'", SCREE_ERR_FORMAT},
        {"1\n" P "\nX 0.0e5 -0 1e-400 4\n", "'pos' | '1e-400'", SCREE_ERR_FORMAT},
        {"1\n" P ":n:I:1\nX 1 2 3 4 1.5\n", "m.xyz:3 | 'n' | '1.5'",
         SCREE_ERR_FORMAT},
        {"1\n" P ":n:I:1\nX 1 2 3 4 T\n", "'n' | 'T'", SCREE_ERR_FORMAT},
        {"1\n" P ":n:L:1\nX 1 2 3 4 2\n", "m.xyz:3 | 'n' | '2'", SCREE_ERR_FORMAT},
        {"1\n" P ":diameter:R:1\nX 1 2 3 4 9\n", "m.xyz:3 | diameter | radius", SCREE_ERR_FORMAT},
        {"1\n" P ":diameter:R:1\nX 1 2 3 4 nan\n", "m.xyz:3 | diameter | radius", SCREE_ERR_FORMAT},
        {"1\nscree_dim=3 " P "\nX 1 2 3 4", "m.xyz:3", SCREE_ERR_FORMAT},
        {"2000000000\n" P "\nX 1 2 3 4\n", "1 | 2000000000", SCREE_ERR_FORMAT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_sphere_set set;
        CHECK_FAILS(read_text(&xyz, cases[k].text, &set), cases[k].status, cases[k].message);
    }
    scree_sphere_set set;
    CHECK_FAILS(read_memory(&xyz, "1\0\n\0", 4, 64, &set), SCREE_ERR_FORMAT, "m.xyz:1");
}

// ---- LAMMPS of others --------------------------------------------------------------------------------------------

#define HEAD "written by hand\n\n2 atoms\n3 atom types\n\n-10 10 xlo xhi\n0 20 ylo yhi\n0.5 80 zlo zhi\n"

static void test_lammps_forms(void** state)
{
    (void)state;
    static const char* const forms[] = {
        HEAD "\nAtoms # sphere\n\n1 2 8 2500 1 2 3\n2 3 0 1e3 -5 6.5 70\n",
        HEAD "\nAtoms\n\n2 3 0 1e3 -5 6.5 70\n1 2 8 2500 1 2 3",
        HEAD
        "0.0 0 0.0 xy xz yz\n0 bonds\n2 bond types\n5 extra bond per atom\n\nMasses\n\n1 1\n2 5.0 # sand\n3 1\n\nPair Coeffs # gran\n\n"
        "1 a b\n\nAtoms  # sphere\n\n\n2 3 0 1e3 -5 6.5 70 # a note\n# another\n\n1 2 8 2500 1 2 3\n\nBonds\n\n1 1 1 2\n2 1 1 2\n"
        "3 1 1 2\n",
        ("LAMMPS data file\r\n\r\n-10 10 xlo xhi # width\r\n0 20 ylo yhi\r\n0.5 80 zlo zhi\r\n  2  atoms\r\n3 atom types\r\n\r\n"
         "Atoms # granular\r\n\r\n1 2 8 2500 1 2 3\r\n2 3 0 1e3 -5 6.5 70\r\n"),
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k)
        for (int64_t block = 1; block < 100; block = block * 3 + 1) {
            scree_sphere_set set;
            CHECK_OK(read_memory(&lammps, forms[k], strlen(forms[k]), block, &set));
            check_two(&set, 2);
            assert_string_equal(set.columns[0].name, "type");
            assert_int_equal(set.columns[0].integers[1], 3);
            assert_string_equal(set.columns[1].name, "density");
            CHECK_CLOSE(set.columns[1].values[0], 2500.0, 0.0);
            assert_true(set.has_box && !scree_box_is_periodic(&set.box));
            CHECK_CLOSE(set.box.lower[0], -10.0, 0.0);
            CHECK_CLOSE(set.box.upper[2], 80.0, 0.0);
            scree_sphere_set_free(&set);
        }
    scree_sphere_set set;
    CHECK_OK(read_text(&lammps,
                       HEAD "\nVelocities\n\n7 1 2 3 4 5 6\n4000000000 0 0 -1 0 0 0.5\n\nAtoms # sphere\n\n"
                            "4000000000 3 0 1e3 -5 6.5 70 0 0 -1\n7 2 8 2500 1 2 3 1 0 0\n",
                       &set));
    check_two(&set, 6);
    static const char* const names[] = {"type", "density", "image", "id", "velocity", "omega"};
    for (int c = 0; c < 6; ++c)
        assert_string_equal(set.columns[c].name, names[c]);
    assert_int_equal(set.columns[2].integers[0], 1);
    assert_int_equal(set.columns[2].integers[5], -1);
    assert_int_equal(set.columns[3].integers[0], 7);
    assert_true(set.columns[3].integers[1] == 4000000000);
    CHECK_CLOSE(set.columns[4].values[2], 3.0, 0.0);
    CHECK_CLOSE(set.columns[4].values[5], -1.0, 0.0);
    CHECK_CLOSE(set.columns[5].values[5], 0.5, 0.0);
    scree_sphere_set_free(&set);
    CHECK_OK(read_text(&lammps, "none\n\n0 atoms\n", &set));  // no box, no section
    assert_int_equal(set.count, 0);
    assert_int_equal(set.dim, 3);
    assert_false(set.has_box);
    scree_sphere_set_free(&set);
    CHECK_OK(read_text(&lammps, "# scree dim=2\n\n1 atoms\n\nAtoms\n\n1 1 2 1 3 4 0\n",
                       &set));  // a line that a user may write
    assert_int_equal(set.dim, 2);
    CHECK_CLOSE(set.x[1], 4.0, 0.0);
    scree_sphere_set_free(&set);
}

static void test_lammps_order(void** state)
{
    (void)state;
    enum { N = 5000 };
    int64_t* id = malloc(N * sizeof *id);
    char* text = malloc(N * 80 + 200);
    assert_true(id != NULL && text != NULL);
    for (int spread = 0; spread < 3; ++spread) {
        scree_rng rng = scree_rng_make(9, (uint64_t)spread);
        for (int i = 0; i < N; ++i)
            id[i] = spread == 0 ? i + 1 : spread == 1 ? 7 * i + 2 : (int64_t)i * 900000000000000 + 5;
        for (int i = N - 1; i > 0; --i) {
            int j = (int)scree_rng_below(&rng, (uint64_t)i + 1);
            int64_t swap = id[i];
            id[i] = id[j];
            id[j] = swap;
        }
        int used = sprintf(text, "x\n\n%d atoms\n\nAtoms # sphere\n\n", N);
        for (int i = 0; i < N; ++i)
            used += sprintf(text + used, "%" PRId64 " 1 2 1 %" PRId64 " 0 0\n", id[i], id[i] / 8);
        scree_sphere_set set;
        CHECK_OK(read_text(&lammps, text, &set));
        const scree_column* kept = scree_sphere_set_find(&set, "id");
        assert_int_equal(kept != NULL, spread > 0);
        for (int i = 0; i < N; ++i) {
            int64_t wanted = spread == 0 ? i + 1 : spread == 1 ? 7 * i + 2 : (int64_t)i * 900000000000000 + 5;
            CHECK_CLOSE(set.x[3 * i], (double)(wanted / 8), 0.0);
            if (kept != NULL)
                assert_true(kept->integers[i] == wanted);
        }
        scree_sphere_set_free(&set);
    }
    free(id);
    free(text);
}

static void test_lammps_errors(void** state)
{
    (void)state;
#define ATOMS "\nAtoms # sphere\n\n1 2 8 2500 1 2 3\n2 3 0 1e3 -5 6.5 70\n"
    static const struct {
        const char *text, *message;
        scree_status status;
    } cases[] = {
        {"", "m.data:1", SCREE_ERR_FORMAT},
        {"\n", "m.data:1 | '1000 atoms'", SCREE_ERR_FORMAT},
        {"ITEM: TIMESTEP\n0\n", "m.data:1", SCREE_ERR_FORMAT},
        {HEAD, "", SCREE_ERR_FORMAT},
        {HEAD "\nAtom # sphere\n\n1 1 1 1 1 1 1\n", "", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms", "m.data:10 | 'Atoms'", SCREE_ERR_FORMAT},
        {"x\n\nAtoms # sphere\n\n1 1 1 1 1 1 1\n", "m.data:3",
         SCREE_ERR_FORMAT},
        {"x\n\n2 atoms\n2 atoms\n", "m.data:4 | 'atoms'", SCREE_ERR_FORMAT},
        {"x\n\n2.5 atoms\n", "m.data:3 | '2.5'", SCREE_ERR_FORMAT},
        {"x\n\n3000000000 atoms\n", "m.data:3 | '3000000000'", SCREE_ERR_FORMAT},
        {"x\n\n1 a xlo xhi\n", "m.data:3 | 'a'", SCREE_ERR_FORMAT},
        {"x\n\nnan 1 xlo xhi\n", "m.data:3 | 'nan'", SCREE_ERR_FORMAT},
        {"x\n\n3 1 xlo xhi\n", "m.data:3 | '1'", SCREE_ERR_FORMAT},
        {"x\n\n0 1 xlo xhi\n0 1 xlo xhi\n", "m.data:4 | 'xlo'", SCREE_ERR_FORMAT},
        {"x\n\n0 1e300 0 xy xz yz\n", "m.data:3 | '1e300'", SCREE_ERR_FORMAT},
        {"x\n\n1 0 0 avec\n", "m.data:3", SCREE_ERR_UNSUPPORTED},
        {"x\n\n0 w 0 xy xz yz\n", "m.data:3 | 'w'", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms # atomic\n\n1 1 1 1 1\n",
         "m.data:10 | atom_style | radius", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms # full\n\n", "atom_style", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms # hybrid sphere molecular\n\n", "atom_style", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 1 1 1 1\n",
         "m.data:12 | 5 | atom_style | 7 | diameter | density | 10", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 1 1 1 1 1 1\n2 1 1 1 1 1 1 0 0 0\n", "m.data:13 | 10 | 7",
         SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 1 1 1 1 1 1\n", "m.data:12 | 1 | 2", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 1 1 1 1 1 1\n\nVelocities\n\n", "m.data:14 | 'Velocities' | 1 | 2",
         SCREE_ERR_FORMAT},
        {HEAD ATOMS "3 1 1 1 1 1 1\n", "m.data:14 | 2", SCREE_ERR_FORMAT},
        {HEAD ATOMS ATOMS, "m.data:15", SCREE_ERR_FORMAT},
        {HEAD ATOMS "\nVelocities\n\n1 0 0 0\n", "m.data:17 | 4 | atom_style | 7",
         SCREE_ERR_FORMAT},
        {HEAD ATOMS "\nVelocities\n\n1 0 0 0 0 0 0\n", "1 | 2",
         SCREE_ERR_FORMAT},
        {HEAD ATOMS "\nVelocities\n\n1 0 0 0 0 0 0\n3 0 0 0 0 0 0\n",
         "m.data:18 | 3 | 2", SCREE_ERR_FORMAT},
        {HEAD ATOMS "\nVelocities\n\n1 0 0 0 0 x 0\n", "m.data:17 | velocity | 'x'",
         SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n5 1 1 1 1 1 1\n\n# note\n5 1 1 1 1 1 1\n", "m.data:15 | 5 | 12",
         SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n0 1 1 1 1 1 1\n", "m.data:12 | '0' | 0", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 sand 1 1 1 1 1\n", "m.data:12 | 'sand'", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 0 1 1 1 1 1\n", "m.data:12 | '0' | 0", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 1 -1 1 1 1 1\n", "m.data:12 | diameter | '-1'",
         SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 1 nan 1 1 1 1\n", "m.data:12 | diameter | 'nan'", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 1 1 1 1 1 inf\n", "m.data:12 | 'inf' | 0", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 1 1 1 1 1,5 1\n", "m.data:12 | '1,5'", SCREE_ERR_FORMAT},
        {HEAD "\nAtoms\n\n1 1 1 1 1 1 1 0 0.5 0\n", "m.data:12 | '0.5'", SCREE_ERR_FORMAT},
        {"# scree dim=2\n\n1 atoms\n\nAtoms\n\n1 1 2 1 3 4 5\n", "m.data:7 | '5'",
         SCREE_ERR_FORMAT},
        {"# scree dim=3 columns=velocity:3\n\n1 atoms\n\nAtoms\n\n1 1 2 1 3 4 5\n",
         "'velocity' | 1", SCREE_ERR_FORMAT},
        {"# scree dim=3\n\n1 atoms\n\nAtoms\n\n1 1 2 1 3 4 5", "m.data:7",
         SCREE_ERR_FORMAT},
        {"# scree dim=3 box=pqq\n\n0 atoms\n0 1 xlo xhi\n0 1 ylo yhi\n\nAtoms\n\n",
         "m.data:1", SCREE_ERR_FORMAT},
        {"# scree dim=3 box=ppp\n\n0 atoms\n0 0 xlo xhi\n\nAtoms\n\n", "m.data:4 | axis x | 0",
         SCREE_ERR_FORMAT},
        {"x\n\n2000000000 atoms\n\nAtoms\n\n1 1 2 1 3 4 5\n", "1 | 2000000000", SCREE_ERR_FORMAT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        scree_sphere_set set;
        CHECK_FAILS(read_text(&lammps, cases[k].text, &set), cases[k].status, cases[k].message);
    }
}

// ---- NumPy -------------------------------------------------------------------------------------------------------

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
    CHECK_FAILS(read_text(&npy, "", &set), SCREE_ERR_FORMAT, "m.npy", "byte 0", "8");
    CHECK_FAILS(read_text(&npy, "x,y,z,r\n1,2,3,4", &set), SCREE_ERR_FORMAT, "byte 0", ".npy");
    CHECK_FAILS(read_memory(&npy, "PK\3\4aaaaaaaa", 12, 64, &set), SCREE_ERR_FORMAT, ".npz", ".npy");
    CHECK_FAILS(read_memory(&npy, "\x93NUMPY\4\0\1\0\0\0 ", 13, 64, &set), SCREE_ERR_UNSUPPORTED, "byte 6", "version 4");
    CHECK_FAILS(read_memory(&npy, "\x93NUMPY\2\0\xFF\xFF\xFF\xFF{", 13, 64, &set), SCREE_ERR_FORMAT, "byte 13");
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
        check_same_set(&set, &back, true);
        scree_sphere_set_free(&set);
        scree_sphere_set_free(&back);
        empty_folder();
    }
    // Rows that have to be sorted, and texts in several words a row.
    scree_sphere_set set = {0};
    EACH_ALLOCATION_FAILS(
        read_text(&lammps,
                  HEAD "\nAtoms\n\n9 1 1 1 1 1 1\n7 1 1 1 1 1 1\n\nVelocities\n\n9 1 1 1 1 1 1\n7 1 1 1 1 1 1\n", &set),
        assert_null(set.x));
    scree_sphere_set_free(&set);
    EACH_ALLOCATION_FAILS(read_text(&xyz, "1\nProperties=pos:R:3:r:R:1:a:S:2\n1 2 3 4 b c\n", &set),
                          assert_null(set.x));
    scree_sphere_set_free(&set);
    char bytes[256];
    size_t size = make_npy(bytes, 1, NAMED(XYR ", ('w', '|S1', (2,))"), "010203 4142");
    EACH_ALLOCATION_FAILS(read_memory(&npy, bytes, size, 64, &set), assert_null(set.x));
    scree_sphere_set_free(&set);
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
                check_same_set(&set, &back, true);
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
        check_same_set(&set, &back, true);
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
    // Whoever names the array by a link finds the box of what it leads to, and writes it there.
    assert_int_equal(symlink("a.npy", in_folder("link.npy")), 0);
    CHECK_OK(scree_write_spheres(in_folder("link.npy"), NULL, &set));
    CHECK_FILE(beside, good);
    assert_int_equal(access(in_folder("link.npy.box"), F_OK), -1);
    CHECK_OK(scree_read_spheres(in_folder("link.npy"), NULL, &back));
    check_same_set(&set, &back, true);
    scree_sphere_set_free(&back);
    free(good);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&other);
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
    UNIT(test_xyz_forms),
    UNIT(test_xyz_columns),
    UNIT(test_xyz_boxes),
    UNIT(test_xyz_errors),
    UNIT(test_lammps_forms),
    UNIT(test_lammps_order),
    UNIT(test_lammps_errors),
    UNIT(test_npy_forms),
    UNIT(test_npy_columns),
    UNIT(test_npy_errors),
    ALLOCATION(test_box_file_and_array_are_one),
    ALLOCATION(test_box_file_without_memory),
    UNIT(test_box_file_errors),
    UNIT(test_cut_off),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_nth_write_fails),
    UNIT(test_stopped),
    UNIT(test_words),
    UNIT(test_input_bytes),
};

const test_group group_formats = {.name = "formats", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
