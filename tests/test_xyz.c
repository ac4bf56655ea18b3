// XYZ files as other programs write them: read in all their forms, and wrong ones are reported with their line. test_formats.c writes and reads them back.
#include "file_support.h"

#include "files/formats.h"

static const format_under_test xyz = {SCREE_FORMAT_XYZ, "m.xyz", scree_xyz_read};

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
            check_two_spheres(&set, 0);
            assert_false(set.has_box);
            scree_sphere_set_free(&set);
        }
}

static void test_xyz_columns(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_string(&xyz,
                       "2\nProperties=species:S:1:id:I:1:pos:R:3:fixed:L:2:names:S:2:radius:R:1:f:R:3:tag:S:1\n"
                       "Si 7 1 2 3 T F a b 4 nan -Inf 3 007\nX -8 -5 6.5 70 true False c d 0 1 2 3e5 \xC3\xA4\n",
                       &set));
    check_two_spheres(&set, 7);
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
        CHECK_OK(read_string(&xyz, cases[k].text, &set));
        check_two_spheres(&set, 0);
        char box[200] = "";
        int used = 0;
        for (int a = 0; a < 3 && set.has_box; ++a)
            used += snprintf(box + used, sizeof box - (size_t)used, "%s%g:%g%s", a > 0 ? " " : "", set.box.lower[a],
                             set.box.upper[a], set.box.periodic[a] ? "p" : "");
        assert_string_equal(box, cases[k].box);
        scree_sphere_set_free(&set);
    }
    scree_sphere_set set;
    CHECK_OK(read_string(&xyz, "1\nProperties=pos:R:2:r:R:1 Lattice=\"1 0 0 0 2 0 0 0 0\" pbc=\"T F\"\n1 2 3\n", &set));
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
        CHECK_FAILS(read_string(&xyz, cases[k].text, &set), cases[k].status, cases[k].message);
    }
    scree_sphere_set set;
    CHECK_FAILS(read_memory(&xyz, "1\0\n\0", 4, 64, &set), SCREE_ERR_FORMAT, "m.xyz:1");
}

// Texts in several words a row; test_formats.c has all other allocations.
static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_sphere_set set = {0};
    EACH_ALLOCATION_FAILS(read_string(&xyz, "1\nProperties=pos:R:3:r:R:1:a:S:2\n1 2 3 4 b c\n", &set), assert_null(set.x));
    scree_sphere_set_free(&set);
}

static const test_case cases[] = {
    UNIT(test_xyz_forms),
    UNIT(test_xyz_columns),
    UNIT(test_xyz_boxes),
    UNIT(test_xyz_errors),
    ALLOCATION(test_nth_allocation_fails),
};

const test_group group_xyz = {.name = "xyz", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
