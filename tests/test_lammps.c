// LAMMPS data files as other programs write them: read in all their forms, and wrong ones are reported with their line. test_formats.c writes and reads them back.
#include "file_support.h"

#include "files/formats.h"

static const format_under_test lammps = {SCREE_FORMAT_LAMMPS, "m.data", scree_lammps_read};

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
            check_two_spheres(&set, 2);
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
    CHECK_OK(read_string(&lammps,
                       HEAD "\nVelocities\n\n7 1 2 3 4 5 6\n4000000000 0 0 -1 0 0 0.5\n\nAtoms # sphere\n\n"
                            "4000000000 3 0 1e3 -5 6.5 70 0 0 -1\n7 2 8 2500 1 2 3 1 0 0\n",
                       &set));
    check_two_spheres(&set, 6);
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
    CHECK_OK(read_string(&lammps, "none\n\n0 atoms\n", &set));  // no box, no section
    assert_int_equal(set.count, 0);
    assert_int_equal(set.dim, 3);
    assert_false(set.has_box);
    scree_sphere_set_free(&set);
    CHECK_OK(read_string(&lammps, "# scree dim=2\n\n1 atoms\n\nAtoms\n\n1 1 2 1 3 4 0\n",
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
        CHECK_OK(read_string(&lammps, text, &set));
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
        CHECK_FAILS(read_string(&lammps, cases[k].text, &set), cases[k].status, cases[k].message);
    }
}

// Rows that have to be sorted; test_formats.c has all other allocations.
static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_sphere_set set = {0};
    EACH_ALLOCATION_FAILS(read_string(&lammps, HEAD "\nAtoms\n\n9 1 1 1 1 1 1\n7 1 1 1 1 1 1\n\nVelocities\n\n9 1 1 1 1 1 1\n7 1 1 1 1 1 1\n", &set), assert_null(set.x));
    scree_sphere_set_free(&set);
}

static const test_case cases[] = {
    UNIT(test_lammps_forms),
    UNIT(test_lammps_order),
    UNIT(test_lammps_errors),
    ALLOCATION(test_nth_allocation_fails),
};

const test_group group_lammps = {.name = "lammps", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
