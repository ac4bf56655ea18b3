// The files room: what is written reads back bit for bit, every liberal form is taken, every wrong file is reported with file
// and line, and nothing that fails on the way costs the old file or leaves anything behind.
#include "file_support.h"

#include "base/number.h"
#include "files/csv.h"

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

// ---- Sets --------------------------------------------------------------------------------------------------------

static scree_status read_bytes(const char* bytes, size_t count, int64_t block, scree_sphere_set* out)
{
    static const format_under_test csv = {SCREE_FORMAT_CSV, "m.csv", scree_csv_read_spheres};
    return read_memory(&csv, bytes, count, block, out);
}

static scree_status read_text(const char* text, scree_sphere_set* out)
{
    return read_bytes(text, strlen(text), 1 << 16, out);
}

static void check_same_set(const scree_sphere_set* a, const scree_sphere_set* b)
{
    check_kept_set(a, b, 0);
}

// Columns of every kind, with all that is hard about them.
static void add_columns(scree_sphere_set* set)
{
    scree_rng rng = scree_rng_make(7, 1);
    scree_column* column;
    add_hard_numbers(set, "odd");
    CHECK_OK(scree_sphere_set_add(set, "whole, but \"double\"", SCREE_COLUMN_DOUBLE, 1, &column));
    for (int k = 0; k < set->count; ++k)
        column->values[k] = k % 7 - 3.0;
    CHECK_OK(scree_sphere_set_add(set, "zero", SCREE_COLUMN_DOUBLE, 1, &column));
    for (int k = 0; k < set->count; ++k)
        column->values[k] = -0.0;
    CHECK_OK(scree_sphere_set_add(set, "stress", SCREE_COLUMN_DOUBLE, 9, &column));
    for (int k = 0; k < 9 * set->count; ++k)
        column->values[k] = scree_rng_uniform(&rng);
    static const char* const word[] = {"plain", "", " blanks ", " front", "back ", "a,b", "say \"hi\"", "two\nlines",
                                       "cr\r\nlf\n", "12", "1e5", "nan",
                                       "\xC3\xA4", "#no", "\t", ";", "\"", "-", "007"};
    add_words(set, "text", word, (int)(sizeof word / sizeof *word));
    CHECK_OK(scree_sphere_set_add(set, "digits", SCREE_COLUMN_TEXT, 1, &column));
    scree_free(column->text);
    column->text = scree_malloc(4, 1);
    assert_non_null(column->text);
    memcpy(column->text, "42", 3);
}

// ---- Round trips -------------------------------------------------------------------------------------------------

static void test_round_trip_bits(void** state)
{
    (void)state;
    int rounds = (int)(20 * test_effort());
    for (int n = 0; n < rounds; ++n)
        for (int dim = 2; dim <= 3; ++dim) {
            scree_sphere_set set = random_set(dim, n == 0 ? 0 : 300, (uint64_t)n), back;
            CHECK_OK(scree_write_spheres(in_folder("a.csv"), NULL, &set));
            CHECK_OK(scree_read_spheres(in_folder("a.csv"), NULL, &back));
            check_same_set(&set, &back);
            CHECK_OK(scree_spheres_check(scree_sphere_set_view(&back), NULL));
            scree_sphere_set_free(&set);
            scree_sphere_set_free(&back);
        }
}

static void test_round_trip_columns(void** state)
{
    (void)state;
    scree_sphere_set set = random_set(3, 100, 5), back, again;
    add_columns(&set);
    CHECK_OK(scree_write_spheres(in_folder("a.csv"), NULL, &set));
    CHECK_OK(scree_read_spheres(in_folder("a.csv"), NULL, &back));
    check_same_set(&set, &back);
    char* text = get_file(in_folder("a.csv"), NULL);
    for (int64_t block = 1; block < 40; block += 6) {  // block boundaries everywhere
        CHECK_OK(read_bytes(text, strlen(text), block, &again));
        check_same_set(&set, &again);
        scree_sphere_set_free(&again);
    }
    free(text);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&back);
}

static void test_written_text(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_text("radius;Y;X;id;v_x;v_y\n 0.5;2;1;7;0;0.5\n1;-0;1e140;8;1;2", &set));
    CHECK_OK(scree_write_spheres(in_folder("a.CSV"), NULL, &set));
    CHECK_FILE(in_folder("a.CSV"), "x,y,r,id,v_x,v_y\n1,2,0.5,7,0.0,0.5\n1e+140,-0,1,8,1.0,2.0\n");
    scree_sphere_set_free(&set);
    CHECK_OK(read_text("x,y,z,d", &set));
    assert_int_equal(set.dim, 3);
    CHECK_OK(scree_write_spheres(in_folder("a.csv"), NULL, &set));
    CHECK_FILE(in_folder("a.csv"), "x,y,z,r\n");
    scree_sphere_set_free(&set);
}

static void test_names_that_csv_cannot_hold(void** state)
{
    (void)state;
    static const char* const bad[] = {"Z", "d", "Radius", "DIAMETER", "v_x", "v_y"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        scree_sphere_set set = random_set(2, 1, 1);
        scree_column* column;
        CHECK_OK(scree_sphere_set_add(&set, "v", SCREE_COLUMN_DOUBLE, 2, &column));
        CHECK_OK(scree_sphere_set_add(&set, bad[k], SCREE_COLUMN_DOUBLE, 1, &column));
        CHECK_FAILS(scree_write_spheres(in_folder("a.csv"), NULL, &set), SCREE_ERR_ARGUMENT, bad[k]);
        scree_sphere_set_free(&set);
    }
    scree_sphere_set set = random_set(2, 1, 1);
    set.r[0] = -1.0;
    CHECK_FAILS(scree_write_spheres(in_folder("a.csv"), NULL, &set), SCREE_ERR_ARGUMENT, "sphere 0");
    scree_sphere_set_free(&set);
    assert_int_equal(files_in_folder(), 0);
}

static void test_decimal_comma_locale(void** state)
{
    (void)state;
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    bool set_locale = false;
    for (size_t k = 0; k < sizeof names / sizeof *names && !set_locale; ++k)
        set_locale = setlocale(LC_ALL, names[k]) != NULL;
    if (!set_locale)
        skip();
    scree_sphere_set set = random_set(3, 100, 2), back;
    scree_status written = scree_write_spheres(in_folder("a.csv"), NULL, &set);
    scree_status read = scree_read_spheres(in_folder("a.csv"), NULL, &back);
    setlocale(LC_ALL, "C");
    assert_int_equal(written, SCREE_OK);
    assert_int_equal(read, SCREE_OK);
    check_same_set(&set, &back);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&back);
}

static void test_many_rows(void** state)
{
    (void)state;
    scree_sphere_set set = random_set(3, 100000, 3), back;
    CHECK_OK(scree_write_spheres(in_folder("a.csv"), NULL, &set));
    CHECK_OK(scree_read_spheres(in_folder("a.csv"), NULL, &back));
    check_same_set(&set, &back);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&back);
}

// ---- Liberal in form ---------------------------------------------------------------------------------------------

static void test_liberal_forms(void** state)
{
    (void)state;
    static const char* const forms[] = {
        "x,y,z,r\n1,2,3,4\n-5,6.5,7e1,0\n",
        "x,y,z,r\n1,2,3,4\n-5,6.5,7e1,0",                                   // no newline at the end
        "x,y,z,r\r\n1,2,3,4\r\n-5,6.5,7e1,0\r\n",                           // CRLF
        "x,y,z,r\r\n1,2,3,4\r\n-5,6.5,7e1,0\r",                             // cut between CR and LF
        "\xEF\xBB\xBFx,y,z,r\n1,2,3,4\n-5,6.5,7e1,0\n",                     // byte order mark
        "\xEF\xBB\xBF\"x\",y,z,r\n1,2,3,4\n-5,6.5,7e1,0\n",
        " x , y , z , r \n 1 ,2 , 3,  4\n\t-5,6.5 ,7e1\t, 0 \n",            // blanks
        "\"x\",\"y\",\"z\",\"r\"\n\"1\",\"2\",3,4\n \"-5\" ,6.5,\" 7e1\",0\n",
        "# a comment\n\nx,y,z,r\n#1,1,1,1\n1,2,3,4\n   \n\n  # more\n-5,6.5,7e1,0\n\n\n# the end",
        "x;y;z;r\n1;2;3;4\n-5;6.5;7e1;0\n",
        "x\ty\tz\tr\n1\t2\t3\t4\n-5\t 6.5\t7e1\t0\n",
        "X,Y,Z,Radius\n1,2,3,4\n-5,6.5,7e1,0\n",
        "D,z,y,x\n8,3,2,1\n0,70,6.5,-5\n",                                  // any order; diameters are halved
        "diameter,z,y,x\n8,3,2,1\n0,70,6.5,-5.\n",
        "x,y,z,r\n+1,02,3.0e0,4E+0\n-5.0000000000000000000000000,.65e1,7e+01,-0\n",
    };
    static const double x[6] = {1, 2, 3, -5, 6.5, 70}, r[2] = {4, 0};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k) {
        if (strstr(forms[k], "\" 7e1\"") != NULL) {  // blanks inside quotes are part of the value, and no number has any
            scree_sphere_set none;
            CHECK_FAILS(read_text(forms[k], &none), SCREE_ERR_FORMAT, "m.csv:3", "'z'", "' 7e1'");
            continue;
        }
        for (int64_t block = 1; block < 100; block = block * 3 + 1) {
            scree_sphere_set set;
            CHECK_OK(read_bytes(forms[k], strlen(forms[k]), block, &set));
            assert_int_equal(set.dim, 3);
            assert_int_equal(set.count, 2);
            assert_int_equal(set.column_count, 0);
            for (int i = 0; i < 6; ++i)
                CHECK_CLOSE(set.x[i], x[i], 0.0);
            for (int i = 0; i < 2; ++i)
                CHECK_CLOSE(set.r[i], r[i], 0.0);
            scree_sphere_set_free(&set);
        }
    }
}

static void test_column_kinds(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_text(",x,id,half,name,mixed,late,quoted,y,big,huge,minus,nan,r,empty\n"
                       "0,1,7,1,a,1,007,\"1\",2,9223372036854775807,1e400,-0,nan,3,\n"
                       "1,1,-8,2.5,\"b,c\",1.5,8,2,2,9223372036854775808,2,1,-Inf,3,\n"
                       "2,1,+9,3,\"d\"\"e\nf\",2,n/a,3,2,-1,3,2,5,3,4\n",
                       &set));
    static const struct {
        const char* name;
        scree_column_kind kind;
    } wanted[] = {{"column_1", SCREE_COLUMN_INT64}, {"id", SCREE_COLUMN_INT64},   {"half", SCREE_COLUMN_DOUBLE},
                  {"name", SCREE_COLUMN_TEXT},      {"mixed", SCREE_COLUMN_DOUBLE}, {"late", SCREE_COLUMN_TEXT},
                  {"quoted", SCREE_COLUMN_TEXT},    {"big", SCREE_COLUMN_DOUBLE},  {"huge", SCREE_COLUMN_TEXT},
                  {"minus", SCREE_COLUMN_DOUBLE},   {"nan", SCREE_COLUMN_DOUBLE},  {"empty", SCREE_COLUMN_TEXT}};
    assert_int_equal(set.column_count, sizeof wanted / sizeof *wanted);
    for (int c = 0; c < set.column_count; ++c) {
        assert_string_equal(set.columns[c].name, wanted[c].name);
        assert_int_equal(set.columns[c].kind, wanted[c].kind);
    }
    assert_int_equal(set.columns[1].integers[1], -8);
    assert_int_equal(set.columns[1].integers[2], 9);
    CHECK_CLOSE(set.columns[2].values[0], 1.0, 0.0);
    assert_string_equal(set.columns[3].text + set.columns[3].offset[1], "b,c");
    assert_string_equal(set.columns[3].text + set.columns[3].offset[2], "d\"e\nf");
    assert_string_equal(set.columns[5].text + set.columns[5].offset[0], "007");
    assert_string_equal(set.columns[5].text + set.columns[5].offset[2], "n/a");
    CHECK_CLOSE(set.columns[7].values[0], 0x1p63, 0.0);
    assert_string_equal(set.columns[8].text + set.columns[8].offset[0], "1e400");
    assert_true(signbit(set.columns[9].values[0]) != 0);
    assert_true(isnan(set.columns[10].values[0]));
    CHECK_CLOSE(set.columns[10].values[2], 5.0, 0.0);
    assert_string_equal(set.columns[11].text + set.columns[11].offset[2], "4");
    scree_sphere_set_free(&set);
}

static void test_vectors(void** state)
{
    (void)state;
    scree_sphere_set set;
    // Joined: v (3, although x stands in between), w (2), t (4, doubles because one is). Not joined: q (a text), r (means
    // the radius), a (taken), s (no first), u (three by number), p (not side by side).
    CHECK_OK(read_text("v_x,x,v_y,v_z,y,w_x,w_y,t_0,t_1,t_2,t_3,q_x,q_y,r_x,r_y,a,a_x,a_y,s_y,s_z,u_0,u_1,u_2,p_x,i,p_y,r\n"
                       "1,0,2,3,0,4,5,6,7,8.5,9,1,no,1,2,1,1,1,1,1,1,1,1,1,1,1,2\n",
                       &set));
    static const struct {
        const char* name;
        int components;
    } wanted[] = {{"v", 3}, {"w", 2},   {"t", 4},   {"q_x", 1}, {"q_y", 1}, {"r_x", 1}, {"r_y", 1}, {"a", 1},   {"a_x", 1},
                  {"a_y", 1}, {"s_y", 1}, {"s_z", 1}, {"u_0", 1}, {"u_1", 1}, {"u_2", 1}, {"p_x", 1}, {"i", 1}, {"p_y", 1}};
    assert_int_equal(set.column_count, sizeof wanted / sizeof *wanted);
    for (int c = 0; c < set.column_count; ++c) {
        assert_string_equal(set.columns[c].name, wanted[c].name);
        assert_int_equal(set.columns[c].components, wanted[c].components);
    }
    assert_int_equal(set.columns[0].kind, SCREE_COLUMN_INT64);
    assert_int_equal(set.columns[0].integers[2], 3);
    assert_int_equal(set.columns[2].kind, SCREE_COLUMN_DOUBLE);
    CHECK_CLOSE(set.columns[2].values[0], 6.0, 0.0);
    CHECK_CLOSE(set.columns[2].values[2], 8.5, 0.0);
    scree_sphere_set_free(&set);
    CHECK_OK(read_text("x,y,r,a_x,a_y,a_0,a_1,a_2,a_3\n1,2,3,4,5,6,7,8,9\n", &set));  // only one of the two can be a
    assert_int_equal(set.column_count, 5);
    assert_string_equal(set.columns[0].name, "a");
    assert_string_equal(set.columns[1].name, "a_0");
    scree_sphere_set_free(&set);
}

static void test_long_line(void** state)
{
    (void)state;
    size_t length = 3 << 20;
    char* text = malloc(length + 100);
    assert_non_null(text);
    strcpy(text, "x,y,r,note\n1,2,3,");
    size_t head = strlen(text);
    memset(text + head, 'a', length);
    strcpy(text + head + length, "\n4,5,6,b\n");
    scree_sphere_set set;
    CHECK_OK(read_text(text, &set));
    assert_int_equal(set.count, 2);
    assert_int_equal(strlen(set.columns[0].text), length);
    scree_sphere_set_free(&set);
    text[head] = '"';  // and as a quote that is never closed
    CHECK_FAILS(read_text(text, &set), SCREE_ERR_FORMAT, "m.csv:2", "field 4");
    free(text);
}

// A line has an end, also where there is none.
static void test_endless_line(void** state)
{
    (void)state;
    scree_sphere_set set;
    scree_file_options options = scree_default_file_options();
    for (options.format = SCREE_FORMAT_CSV; options.format <= SCREE_FORMAT_LAMMPS; ++options.format)
        if (options.format != SCREE_FORMAT_VTP)
            CHECK_FAILS(scree_read_spheres("/dev/zero", &options, &set), SCREE_ERR_FORMAT, "/dev/zero:1", "67108864");
}

// ---- Strict in content -------------------------------------------------------------------------------------------

static void test_errors(void** state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "m.csv:1"},
        {"\n# only\n\n", "m.csv:3"},
        {"\xEF\xBB\xBF", "m.csv:1"},
        {"1,2,3\n4,5,6\n", "m.csv:1"},
        {"# x,y,r\n1,2,3\n4,5,6\n", "m.csv:2 | '#'"},
        {"a,b,c\n1,2,3\n", "m.csv:1"},
        {"x,r\n1,2\n", "m.csv:1"},
        {"y,r\n1,2\n", "m.csv:1"},
        {"x,y\n1,2\n", "m.csv:1 | radius | diameter"},
        {"x,z\n1,2\n", "m.csv:1"},
        {"y,z\n1,2\n", "m.csv:1"},
        {"d,z\n1,2\n", "m.csv:1"},
        {"x y z r\n1 2 3 4\n", "m.csv:1 | 'x y z r'"},
        {"\n\nx,y,r,d\n1,2,3,4\n", "m.csv:3 | 'r' | 'd'"},
        {"x,y,radius,diameter\n", "m.csv:1 | 'radius' | 'diameter'"},
        {"x,y,r,Radius\n", "m.csv:1 | 'r' | 'Radius'"},
        {"x,y,r,X\n", "m.csv:1 | 'x' | 'X'"},
        {"x,y,r,a,b,a\n", "m.csv:1 | 'a'"},
        {"x,y,r,,column_4\n", "m.csv:1 | 'column_4'"},
        {"x,y,r\n1,2,3\n1,2\n", "m.csv:3 | 2 | 3"},
        {"x,y,r\n1\n", "m.csv:2 | 1 | 3"},
        {"x,y,r\n\n1,2,3,4\n", "m.csv:3 | 4 | 3"},
        {"x,y,r\n1,2,3,\n", "m.csv:2 | 4 | 3"},
        {"x,y,r\n1,two,3\n", "m.csv:2 | 'y' | 'two'"},
        {"x,y,r\n1,2 3,3\n", "m.csv:2 | 'y' | '2 3'"},
        {"x,y,r\n1,,3\n", "m.csv:2 | 'y'"},
        {"x,y,r\n1,0x10,3\n", "m.csv:2 | 'y' | '0x10'"},
        {"x,y,r\n1,1e,3\n", "m.csv:2 | 'y' | '1e'"},
        {"x,y,r\n1,1-,3\n", "m.csv:2 | 'y' | '1-'"},
        {"x;y;r\n1,5;2;3\n", "m.csv:2 | 'x' | '1,5'"},
        {"x,y,r\n1,b\x01\xFF\xC3\xA4,3\n", "m.csv:2 | 'y' | 'b??\xC3\xA4'"},
        {"x,y,r\nnan,2,3\n", "m.csv:2 | 'x' | 'nan'"},
        {"x,y,r\n1,-NaN,3\n", "m.csv:2 | 'y' | '-NaN'"},
        {"x,y,z,r\n1,2,inf,3\n", "m.csv:2 | 'z' | 'inf' | 0 | 1e-140 | 1e+140"},
        {"x,y,Radius\n1,2,nan\n", "m.csv:2 | 'Radius' | 'nan' | radius"},
        {"x,y,r\n1,2,infinity\n", "m.csv:2 | 'r' | 'infinity' | radius"},
        {"x,y,r\n1,2,-inf\n", "m.csv:2 | 'r' | '-inf' | radius"},
        {"x,y,r\n1,2,-3\n", "m.csv:2 | 'r' | '-3' | radius"},
        {"x,y,d\n1,2,-3\n", "m.csv:2 | 'd' | '-3' | diameter"},
        {"x,y,r\n1e141,2,3\n", "m.csv:2 | 'x' | '1e141' | 0"},
        {"x,y,r\n1,-9e-141,3\n", "m.csv:2 | 'y' | '-9e-141' | 0"},
        {"x,y,r\n1,1e400,3\n", "m.csv:2 | 'y' | '1e400' | 0"},
        {"x,y,d\n1,2,1e-140\n", "m.csv:2 | 'd' | '1e-140' | diameter | 0"},
        {"x,y,r,t\n1,2,3,\"a\n\n\nb", "m.csv:2 | field 4"},
        {"\"x,y,r\n1,2,3\n", "m.csv:1 | field 1"},
        {"x,y,r,t\n1,2,3,\"a\nb\" c\n", "m.csv:3 | field 4 | 'c'"},
        {"x,y,r,t\n1,2,3,\"a\nb\"\n1,2,q,\n", "m.csv:4 | 'r' | 'q'"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        scree_sphere_set set = {.count = 4711};
        CHECK_FAILS(read_text(bad[k].text, &set), SCREE_ERR_FORMAT, bad[k].message);
        CHECK_FAILS(read_bytes(bad[k].text, strlen(bad[k].text), 1, &set), SCREE_ERR_FORMAT, bad[k].message);
        assert_int_equal(set.count, 4711);  // untouched
    }
}

static void test_error_bytes_and_limits(void** state)
{
    (void)state;
    scree_sphere_set set;
    static const char nul[] = "x,y,r\n1,2,3\n1,\0,3\n", nul_in_quotes[] = "x,y,r,t\n1,2,3,\"a\n\0\"\n",
                      utf16[] = "\xFF\xFEx\0,\0y\0";
    CHECK_FAILS(read_bytes(nul, sizeof nul - 1, 64, &set), SCREE_ERR_FORMAT, "m.csv:3");
    CHECK_FAILS(read_bytes(nul_in_quotes, sizeof nul_in_quotes - 1, 64, &set), SCREE_ERR_FORMAT, "m.csv:3");
    CHECK_FAILS(read_bytes(utf16, sizeof utf16 - 1, 64, &set), SCREE_ERR_FORMAT, "UTF-16");

    static const char rows[] = "x,y,r\n1,2,3\n\n1,2,3\n1,2,3\n";
    scree_input input;
    scree_input_memory(&input, "m.csv", rows, sizeof rows - 1, 64);
    CHECK_FAILS(scree_csv_read_at_most(&input, 2, &set), SCREE_ERR_FORMAT, "m.csv:5", "2");
    scree_input_close(&input);
    scree_input_memory(&input, "m.csv", rows, sizeof rows - 1, 64);
    CHECK_OK(scree_csv_read_at_most(&input, 3, &set));
    scree_input_close(&input);
    scree_sphere_set_free(&set);

    char* wide = malloc(30000);  // a header of 10,001 empty names
    assert_non_null(wide);
    memset(wide, ',', 10000);
    strcpy(wide + 10000, "\n");
    CHECK_FAILS(read_text(wide, &set), SCREE_ERR_FORMAT, "m.csv:1", "10001");
    free(wide);
}

static void test_errors_name_the_file(void** state)
{
    (void)state;
    scree_sphere_set set;
    const char* path = in_folder("bad.csv");
    put_file(path, "x,y,r\n1,2,oops\n", 15);
    char wanted[600];
    snprintf(wanted, sizeof wanted, "%s:2: column 'r' holds 'oops'", path);
    CHECK_FAILS(scree_read_spheres(path, NULL, &set), SCREE_ERR_FORMAT, wanted);
    CHECK_FAILS(scree_read_spheres(in_folder("none.csv"), NULL, &set), SCREE_ERR_IO, "none.csv");
    assert_int_equal(mkdir(in_folder("dir.csv"), 0700), 0);
    CHECK_FAILS(scree_read_spheres(in_folder("dir.csv"), NULL, &set), SCREE_ERR_IO, "dir.csv");
    CHECK_FAILS(scree_read_spheres(in_folder("bad.csv/a.csv"), NULL, &set), SCREE_ERR_IO);
    // A file that is not there is missing, whatever its name; only of one that is there the extension matters.
    CHECK_FAILS(scree_read_spheres(in_folder("a.foo"), NULL, &set), SCREE_ERR_IO, "a.foo", strerror(ENOENT));
    CHECK_FAILS(scree_read_spheres(in_folder("a.d/foo"), NULL, &set), SCREE_ERR_IO, "a.d/foo", strerror(ENOENT));
    put_text(in_folder("a.foo"), "x,y,r\n");
    assert_int_equal(mkdir(in_folder("a.d"), 0700), 0);
    put_text(in_folder("a.d/foo"), "x,y,r\n");
    CHECK_FAILS(scree_read_spheres(in_folder("a.foo"), NULL, &set), SCREE_ERR_ARGUMENT, "a.foo", "'.foo'", "csv, vtp, xyz");
    CHECK_FAILS(scree_read_spheres(in_folder("a.d/foo"), NULL, &set), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_read_spheres("-", NULL, &set), SCREE_ERR_ARGUMENT, "csv, vtp, xyz");
    scree_file_options options = {0};
    CHECK_FAILS(scree_read_spheres(path, &options, &set), SCREE_ERR_ARGUMENT, "scree_default_file_options");
    options = scree_default_file_options();
    options.format = 99;
    CHECK_FAILS(scree_read_spheres(path, &options, &set), SCREE_ERR_ARGUMENT, "99");
    options.format = SCREE_FORMAT_CSV;
    put_file(in_folder("a.foo"), "x,y,r\n", 6);
    CHECK_OK(scree_read_spheres(in_folder("a.foo"), &options, &set));
    scree_sphere_set_free(&set);
    if (geteuid() != 0) {
        assert_int_equal(chmod(path, 0), 0);
        CHECK_FAILS(scree_read_spheres(path, NULL, &set), SCREE_ERR_IO);
    }
}

static void test_formats(void** state)
{
    (void)state;
    assert_string_equal(scree_format_name(SCREE_FORMAT_CSV), "csv");
    assert_null(scree_format_name(SCREE_FORMAT_AUTO));
    assert_null(scree_format_name(SCREE_FORMAT_COUNT));
    assert_int_equal(scree_format_of_path("a.csv"), SCREE_FORMAT_CSV);
    assert_int_equal(scree_format_of_path("/a.b/c.d.CsV"), SCREE_FORMAT_CSV);
    assert_int_equal(scree_format_of_path("a.csvx"), SCREE_FORMAT_AUTO);
    assert_int_equal(scree_format_of_path("a.cs"), SCREE_FORMAT_AUTO);
    assert_int_equal(scree_format_of_path("a.csv/b"), SCREE_FORMAT_AUTO);
    assert_int_equal(scree_format_of_path("csv"), SCREE_FORMAT_AUTO);
    assert_int_equal(scree_format_of_path(""), SCREE_FORMAT_AUTO);
}

// A file cut at any byte: never a crash, and no half set where the cut shows.
static void test_cut_files(void** state)
{
    (void)state;
    static const char text[] = "x,y,z,r,t\n1.5,2,3,4,a\n-5,6.5,7e1,0.25,\"b\nc\"\n8,9,10,11,d";
    for (size_t cut = 0; cut < sizeof text; ++cut) {
        scree_sphere_set set = {0};
        scree_status status = read_bytes(text, cut, 7, &set);
        int lines = 0, separators = 0;
        bool quoted = false;
        for (size_t k = 0; k < cut; ++k) {
            quoted ^= text[k] == '"';
            separators += text[k] == ',';
            if (text[k] == '\n' && !quoted)
                ++lines, separators = 0;
        }
        bool at_line_start = cut == 0 || (text[cut - 1] == '\n' && !quoted);
        bool whole = !quoted && (at_line_start || separators == 4);
        if (cut < 7)  // no r yet
            assert_int_equal(status, SCREE_ERR_FORMAT);
        else if (lines == 0)
            assert_int_equal(status, SCREE_OK);  // fewer columns: cannot be seen
        else if (!whole)
            assert_int_equal(status, SCREE_ERR_FORMAT);
        else {
            assert_int_equal(status, SCREE_OK);
            assert_int_equal(set.count, lines - 1 + !at_line_start);
        }
        scree_sphere_set_free(&set);
    }
}

// ---- Writing safely ----------------------------------------------------------------------------------------------

static void test_nth_system_call_fails(void** state)
{
    (void)state;
    scree_sphere_set set = random_set(3, 30000, 4);  // several buffers
    check_each_write_fails(in_folder("a.csv"), &set);
    scree_sphere_set_free(&set);
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_sphere_set set = random_set(3, 50, 6), back = {0};
    add_columns(&set);
    const char* path = in_folder("a.csv");
    put_text(path, OLD);
    EACH_ALLOCATION_FAILS(scree_write_spheres(path, NULL, &set), CHECK_FILE(path, OLD));
    assert_int_equal(files_in_folder(), 1);
    EACH_ALLOCATION_FAILS(scree_read_spheres(path, NULL, &back), assert_null(back.x));
    check_same_set(&set, &back);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&back);
    assert_int_equal(symlink("b.csv", in_folder("link.csv")), 0);
    CHECK_OK(read_text("x,y,r\n1,2,3\n", &set));
    EACH_ALLOCATION_FAILS(scree_write_spheres(in_folder("link.csv"), NULL, &set), assert_int_equal(files_in_folder(), 2));
    scree_sphere_set_free(&set);
    put_file(in_folder("t.csv"), "d,number\n1,2\n", 13);
    char text[600];
    snprintf(text, sizeof text, "table:%s", in_folder("t.csv"));
    scree_sizes* sizes = NULL;
    EACH_ALLOCATION_FAILS(scree_read_sizes(text, 3, &sizes), assert_null(sizes));
    scree_sizes_destroy(sizes);
}

static void test_modes(void** state)
{
    (void)state;
    scree_sphere_set set = random_set(2, 3, 1);
    const char* path = in_folder("a.csv");
    struct stat about;
    mode_t before = umask(027);
    CHECK_OK(scree_write_spheres(path, NULL, &set));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    assert_int_equal(chmod(path, 0604), 0);
    CHECK_OK(scree_write_spheres(path, NULL, &set));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0604);
    umask(before);
    if (geteuid() != 0) {  // root may write everything
        assert_int_equal(chmod(path, 0400), 0);
        CHECK_FAILS(scree_write_spheres(path, NULL, &set), SCREE_ERR_IO);
        assert_int_equal(chmod(folder, 0500), 0);
        scree_status status = scree_write_spheres(in_folder("b.csv"), NULL, &set);
        chmod(folder, 0700);
        assert_int_equal(status, SCREE_ERR_IO);
    }
    assert_int_equal(files_in_folder(), 1);
    scree_sphere_set_free(&set);
}

static void test_targets(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_text("x,y,r\n1,2,3\n", &set));
    // A link stays a link, and what it leads to is replaced; also when it leads nowhere yet, and over a second link.
    assert_int_equal(symlink("target.csv", in_folder("link.csv")), 0);
    assert_int_equal(symlink(in_folder("link.csv"), in_folder("link2.csv")), 0);
    for (int round = 0; round < 2; ++round) {
        CHECK_OK(scree_write_spheres(in_folder("link2.csv"), NULL, &set));
        CHECK_FILE(in_folder("target.csv"), "x,y,r\n1,2,3\n");
        struct stat about;
        assert_int_equal(lstat(in_folder("link.csv"), &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_int_equal(lstat(in_folder("link2.csv"), &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        put_text(in_folder("target.csv"), OLD);
    }
    assert_int_equal(symlink("loop.csv", in_folder("loop.csv")), 0);
    CHECK_FAILS(scree_write_spheres(in_folder("loop.csv"), NULL, &set), SCREE_ERR_IO, "loop.csv");

    assert_int_equal(mkdir(in_folder("dir.csv"), 0700), 0);
    CHECK_FAILS(scree_write_spheres(in_folder("dir.csv"), NULL, &set), SCREE_ERR_IO, "dir.csv");
    scree_file_options options = scree_default_file_options();
    options.format = SCREE_FORMAT_CSV;
    CHECK_FAILS(scree_write_spheres(in_folder("new.csv/"), &options, &set), SCREE_ERR_IO);
    CHECK_FAILS(scree_write_spheres("", &options, &set), SCREE_ERR_IO);
    CHECK_FAILS(scree_write_spheres(in_folder("no/a.csv"), NULL, &set), SCREE_ERR_IO);
    CHECK_FAILS(scree_write_spheres(in_folder("target.csv/a.csv"), NULL, &set), SCREE_ERR_IO);
    CHECK_FAILS(scree_write_spheres("/dev/full", &options, &set), SCREE_ERR_IO, "/dev/full");
    CHECK_FAILS(scree_write_spheres("/dev/nothing-of-this-name", &options, &set), SCREE_ERR_IO);
    CHECK_OK(scree_write_spheres("/dev/null", &options, &set));
    // What a path leads to counts, not how it begins.
    char way[512];
    put_text(in_folder("target.csv"), OLD OLD);
    snprintf(way, sizeof way, "/proc/self/root%s", in_folder("target.csv"));
    CHECK_OK(scree_write_spheres(way, NULL, &set));
    CHECK_FILE(in_folder("target.csv"), "x,y,r\n1,2,3\n");
    snprintf(way, sizeof way, "/proc/self/root%s", in_folder("made.csv"));
    CHECK_OK(scree_write_spheres(way, NULL, &set));
    CHECK_FILE(in_folder("made.csv"), "x,y,r\n1,2,3\n");
    assert_int_equal(unlink(in_folder("made.csv")), 0);
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    assert_int_equal(files_in_folder(), 5);  // the target, three links, the directory

    // The longest name a file can have.
    char name[256];
    memset(name, 'n', 251);
    strcpy(name + 251, ".csv");
    CHECK_OK(scree_write_spheres(in_folder(name), NULL, &set));
    CHECK_FILE(in_folder(name), "x,y,r\n1,2,3\n");
    scree_sphere_set_free(&set);
}

// With standard input, output and error closed, no file gets their descriptors.
static void test_closed_descriptors(void** state)
{
    (void)state;
    put_text(in_folder("a.csv"), "x,y,r\n1,2,3\n");
    int kept[3], descriptor[2];
    fflush(stdout), fflush(stderr);
    for (int fd = 0; fd < 3; ++fd) {
        kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
        close(fd);
    }
    scree_input input;
    scree_output output;
    scree_status read = scree_input_open(&input, in_folder("a.csv"), (scree_watch){0});
    scree_status written = scree_output_open(&output, in_folder("b.csv"), (scree_watch){0});
    descriptor[0] = input.fd;
    descriptor[1] = output.fd;
    written = written == SCREE_OK ? scree_output_close(&output, SCREE_OK) : written;
    scree_input_close(&input);
    for (int fd = 0; fd < 3; ++fd) {
        dup2(kept[fd], fd);
        close(kept[fd]);
    }
    CHECK_OK(read);
    CHECK_OK(written);
    assert_true(descriptor[0] > 2);
    assert_true(descriptor[1] > 2);
}

// /dev/fd/N goes on where the descriptor stands, as a shell's >> expects, and leaves it open.
static void test_descriptors(void** state)
{
    (void)state;
    scree_sphere_set set;
    CHECK_OK(read_text("x,y,r\n1,2,3\n", &set));
    put_file(in_folder("log"), "before\n", 7);
    int fd = open(in_folder("log"), O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    char path[64];
    scree_file_options options = scree_default_file_options();
    options.format = SCREE_FORMAT_CSV;
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    CHECK_OK(scree_write_spheres(path, &options, &set));
    CHECK_OK(scree_write_spheres(path, &options, &set));
    assert_int_equal(close(fd), 0);
    CHECK_FILE(in_folder("log"), "before\nx,y,r\n1,2,3\nx,y,r\n1,2,3\n");

    // "-" both ways.
    int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
    fflush(stdout);
    fd = open(in_folder("out"), O_RDWR | O_CREAT, 0600);
    assert_true(dup2(fd, STDOUT_FILENO) >= 0);
    scree_status written = scree_write_spheres("-", &options, &set);
    dup2(out, STDOUT_FILENO);
    lseek(fd, 0, SEEK_SET);
    assert_true(dup2(fd, STDIN_FILENO) >= 0);
    scree_sphere_set back;
    scree_status read = scree_read_spheres("-", &options, &back);
    dup2(in, STDIN_FILENO);
    close(in), close(out), close(fd);
    CHECK_OK(written);
    CHECK_OK(read);
    check_same_set(&set, &back);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&back);
}

static void* read_fifo(void* path)
{
    static scree_sphere_set set;
    return scree_read_spheres(path, NULL, &set) == SCREE_OK ? &set : NULL;
}

static void test_fifo(void** state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("pipe.csv"));
    assert_int_equal(mkfifo(path, 0600), 0);
    scree_sphere_set set = random_set(3, 20000, 8);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_fifo, path), 0);
    CHECK_OK(scree_write_spheres(path, NULL, &set));
    void* back;
    assert_int_equal(pthread_join(thread, &back), 0);
    assert_non_null(back);
    check_same_set(&set, back);
    scree_sphere_set_free(back);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    assert_int_equal(files_in_folder(), 1);

    // Who reads goes away: EPIPE, for callers that ignore SIGPIPE.
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    scree_file_options options = scree_default_file_options();
    options.format = SCREE_FORMAT_CSV;
    CHECK_FAILS(scree_write_spheres(path, &options, &set), SCREE_ERR_IO);
    close(ends[1]);
    signal(SIGPIPE, before);
    scree_sphere_set_free(&set);
}

typedef struct ticks {
    int allowed, seen;
    double last;
} ticks;

static bool count_ticks(void* context, double done)
{
    ticks* ticks_seen = context;
    assert_true(done >= ticks_seen->last && done <= 1.0);
    ticks_seen->last = done;
    return ++ticks_seen->seen <= ticks_seen->allowed;
}

static void test_watch(void** state)
{
    (void)state;
    scree_sphere_set set = random_set(3, 60000, 9), back = {0};
    const char* path = in_folder("a.csv");
    put_text(path, OLD);
    scree_file_options options = scree_default_file_options();
    options.watch.tick = count_ticks;
    for (int allowed = 0; allowed < 250; allowed += 31) {
        ticks watch = {.allowed = allowed};
        options.watch.context = &watch;
        CHECK_FAILS(scree_write_spheres(path, &options, &set), SCREE_ERR_CANCELLED, "a.csv");
        assert_int_equal(watch.seen, allowed + 1);
        CHECK_FILE(path, OLD);
        assert_int_equal(files_in_folder(), 1);
    }
    ticks watch = {.allowed = 100000};
    options.watch.context = &watch;
    CHECK_OK(scree_write_spheres(path, &options, &set));
    assert_in_range(watch.seen, 100, 1000);
    for (int allowed = 0; allowed < 3; ++allowed) {
        watch = (ticks){.allowed = allowed};
        CHECK_FAILS(scree_read_spheres(path, &options, &back), SCREE_ERR_CANCELLED, "a.csv");
        assert_null(back.x);
    }
    watch = (ticks){.allowed = 100000};
    CHECK_OK(scree_read_spheres(path, &options, &back));
    check_same_set(&set, &back);
    scree_sphere_set_free(&set);
    scree_sphere_set_free(&back);
}

// ---- Pairs -------------------------------------------------------------------------------------------------------

static void test_pairs(void** state)
{
    (void)state;
    static const double x[] = {0.5, 0.5, 1.25, 0.5, 9.5, 0.5}, r[] = {0.5, 0.5, 0.5};
    scree_spheres spheres = {.count = 3, .dim = 2, .x = x, .r = r};
    static const int32_t ij[][2] = {{0, 1}, {0, 2}};
    static const int8_t shift[][3] = {{0, 0, 5}, {-1, 0, 0}};  // the third entry does not exist in 2D
    scree_pairs pairs = {.count = 1, .ij = ij};
    const char* path = in_folder("pairs.csv");
    CHECK_OK(scree_write_pairs(path, NULL, NULL, spheres, pairs));
    CHECK_FILE(path, "i,j,gap\n0,1,-0.25\n");
    scree_box box = scree_box_sized(2, (double[]){10.0, 10.0});
    box.periodic[0] = true;
    pairs = (scree_pairs){.count = 2, .ij = ij, .shift = shift};
    CHECK_OK(scree_write_pairs(path, NULL, &box, spheres, pairs));
    CHECK_FILE(path, "i,j,gap,sx,sy,sz\n0,1,-0.25,0,0,0\n0,2,0,-1,0,0\n");
    CHECK_FAILS(scree_write_pairs(path, NULL, NULL, spheres, pairs), SCREE_ERR_ARGUMENT);
    spheres.count = 2;
    CHECK_FAILS(scree_write_pairs(path, NULL, &box, spheres, pairs), SCREE_ERR_ARGUMENT, "pair 1", "sphere 2");
    pairs.count = 0;
    CHECK_OK(scree_write_pairs(path, NULL, &box, spheres, pairs));
    CHECK_FILE(path, "i,j,gap,sx,sy,sz\n");
    scree_file_options options = scree_default_file_options();
    options.format = SCREE_FORMAT_COUNT;
    CHECK_FAILS(scree_write_pairs(path, &options, &box, spheres, pairs), SCREE_ERR_ARGUMENT);
}

// ---- Sieve curves ------------------------------------------------------------------------------------------------

static void test_size_tables(void** state)
{
    (void)state;
    char text[600];
    snprintf(text, sizeof text, "table:%s", in_folder("t.csv"));
    scree_sizes* sizes;
    static const char* const good[] = {"d,passing_mass\n1,0\n2,40\n4,100\n",
                                       "\xEF\xBB\xBFPassing_Mass;note;D\r\n0;a;1\r\n.4;;2\r\n1;c;4"};
    for (size_t k = 0; k < sizeof good / sizeof *good; ++k) {
        put_text(in_folder("t.csv"), good[k]);
        CHECK_OK(scree_read_sizes(text, 3, &sizes));
        CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 1.0), 0.4, 1e-12);
        CHECK_CLOSE(scree_sizes_cdf_mass(sizes, 1.5), 0.7, 1e-12);
        CHECK_CLOSE(scree_sizes_get_max(sizes), 2.0, 0.0);
        scree_sizes_destroy(sizes);
    }
    put_file(in_folder("t.csv"), "d,number\n1,3\n2,1\n", 17);
    CHECK_OK(scree_read_sizes(text, 2, &sizes));
    CHECK_CLOSE(scree_sizes_cdf(sizes, 0.75), 0.75, 1e-12);
    scree_sizes_destroy(sizes);

    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "t.csv:1 | passing_mass"},
        {"a,b\n1,2\n", "t.csv:1 | 'a'"},
        {"d,mass\n1,2\n", "t.csv:1 | passing_mass"},
        {"d,number,passing_mass\n", "t.csv:1"},
        {"d,number,D\n", "t.csv:1 | 'd'"},
        {"d,number\n", "t.csv:1"},
        {"d,number\n1,2\n\n3\n", "t.csv:4 | 1 | 2"},
        {"d,number\n1,x\n", "t.csv:2 | 'number' | 'x'"},
        {"d,number\n0,1\n", "t.csv:2 | d = 0 | diameter"},
        {"d,number\nnan,1\n", "t.csv:2 | d = nan | diameter"},
        {"d,number\n1,-1\n", "t.csv:2 | -1 | 0"},
        {"d,number\n1,inf\n", "t.csv:2 | inf"},
        {"d,number\n2,1\n2,1\n", "t.csv:3 | d = 2 | 2"},
        {"d,passing_mass\n1,0.1\n2,1\n", "t.csv:2 | passing_mass | 0.1"},
        {"d,passing_mass\n1,0\n2,0.5\n3,0.4\n4,1\n", "t.csv:4 | passing_mass | 0.40000000000000002 | 0.5"},
        {"d,passing_mass\n1,0\n2,0.5\n", "t.csv"},
        {"d,number\n1,0\n", "t.csv"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        put_text(in_folder("t.csv"), bad[k].text);
        CHECK_FAILS(scree_read_sizes(text, 3, &sizes), SCREE_ERR_FORMAT, bad[k].message);
    }
    CHECK_FAILS(scree_read_sizes("table:", 3, &sizes), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_read_sizes("table:/nowhere/t.csv", 3, &sizes), SCREE_ERR_IO, "/nowhere/t.csv");
    CHECK_OK(scree_read_sizes("mono:2", 3, &sizes));
    CHECK_CLOSE(scree_sizes_get_min(sizes), 2.0, 0.0);
    scree_sizes_destroy(sizes);
    CHECK_FAILS(scree_read_sizes("monk:2", 3, &sizes), SCREE_ERR_ARGUMENT);
}

static const test_case cases[] = {
    SAME_BITS(test_round_trip_bits),
    UNIT(test_round_trip_columns),
    UNIT(test_written_text),
    UNIT(test_names_that_csv_cannot_hold),
    UNIT(test_decimal_comma_locale),
    UNIT(test_many_rows),
    UNIT(test_liberal_forms),
    UNIT(test_column_kinds),
    UNIT(test_vectors),
    UNIT(test_long_line),
    UNIT(test_endless_line),
    UNIT(test_errors),
    UNIT(test_error_bytes_and_limits),
    UNIT(test_errors_name_the_file),
    UNIT(test_formats),
    UNIT(test_cut_files),
    ALLOCATION(test_nth_system_call_fails),
    ALLOCATION(test_nth_allocation_fails),
    UNIT(test_modes),
    UNIT(test_targets),
    UNIT(test_closed_descriptors),
    UNIT(test_descriptors),
    UNIT(test_fifo),
    UNIT(test_watch),
    UNIT(test_pairs),
    UNIT(test_size_tables),
};

const test_group group_files = {.name = "files", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
