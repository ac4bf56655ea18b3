// The page of scree_view, read back here from its text: blocks, base64, deflate, planes. Values are compared with those that went in,
// partners with all pairs; polygons that touch with the simulation's own contacts, and with plain loops. What the page does in a browser is in tests/page.
#include "file_support.h"
#include "polygon_support.h"

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
        CHECK_OK(scree_write_view(path, 1, NULL, &set, NULL));
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
        CHECK_OK(scree_write_view(path, 1, NULL, &set, &def));
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
    CHECK_OK(scree_write_view(path, 3, (double[]){0.0, 0.125, NAN}, sets, NULL));
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
    CHECK_OK(scree_write_view(in_folder("three.html"), 3, (double[]){0.0, 0.125, NAN}, sets, &def));
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
    CHECK_OK(scree_write_view(in_folder("empty.html"), 1, NULL, &set, NULL));
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
    CHECK_FAILS(scree_write_view(path, 0, NULL, NULL, NULL), SCREE_ERR_ARGUMENT);
    CHECK_FAILS(scree_write_view(path, 2, NULL, (scree_sphere_set[]){flat, solid}, NULL), SCREE_ERR_ARGUMENT, "frame 1");
    def.colour_by = "heat";
    CHECK_FAILS(scree_write_view(path, 1, NULL, &flat, &def), SCREE_ERR_ARGUMENT, "'heat'");
    def.colour_by = "z";
    CHECK_FAILS(scree_write_view(path, 1, NULL, &flat, &def), SCREE_ERR_ARGUMENT, "'z'");
    def = scree_default_view_def();
    def.map = 17;
    CHECK_FAILS(scree_write_view(path, 1, NULL, &flat, &def), SCREE_ERR_ARGUMENT, "17");
    def = scree_default_view_def();
    def.gap = INFINITY;
    CHECK_FAILS(scree_write_view(path, 1, NULL, &flat, &def), SCREE_ERR_ARGUMENT, "gap");
    def = scree_default_view_def();
    int questions = 3;
    def.watch = (scree_watch){stop_at, &questions};
    CHECK_FAILS(scree_write_view(path, 1, NULL, &solid, &def), SCREE_ERR_CANCELLED);
    solid.r[1] = -1.0;
    CHECK_FAILS(scree_write_view(path, 1, NULL, &solid, NULL), SCREE_ERR_ARGUMENT, "sphere 1");
    CHECK_FAILS(scree_write_view(in_folder("no/such.html"), 1, NULL, &flat, NULL), SCREE_ERR_IO, "no/such.html");
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
    EACH_ALLOCATION_FAILS(scree_write_view(path, 2, NULL, sets, &def), CHECK_FILE(path, OLD));
    for (int64_t n = 1;; ++n) {
        put_text(path, OLD);
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_write_view(path, 2, NULL, sets, &def);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            assert_true(calls < n && calls > 4);
            break;
        }
        assert_int_equal(status, SCREE_ERR_IO);
        if (!is_written_anyway())
            CHECK_FILE(path, OLD);
        assert_int_equal(files_in_folder(), 1);
    }
    for (int f = 0; f < 2; ++f)
        scree_sphere_set_free(&sets[f]);
}

// ---- Polygons --------------------------------------------------------------------------------------------------------

static scree_status write_outlines(const char* path, int frames, const scree_outline_set* sets, const scree_view_def* def)
{
    scree_view* view;
    scree_status status = scree_view_begin(path, def, &view);
    if (status != SCREE_OK)
        return status;
    for (int f = 0; f < frames && status == SCREE_OK; ++f)
        status = scree_view_add_outlines(view, 0.5 * f, &sets[f]);
    return scree_view_end(view, status);
}

static double size_of_bodies(const scree_outline_set* set)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t v = 0; v < scree_outline_set_vertices(set); ++v)
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], set->xy[2 * v + k]);
            high[k] = fmax(high[k], set->xy[2 * v + k]);
        }
    return fmax(high[0] - low[0], high[1] - low[1]);
}

// Corners as the page puts them together again. Returns the largest error.
static double check_corners(const char* page, int frame, const scree_outline_set* set)
{
    int32_t n = set->bodies.count;
    int64_t total = scree_outline_set_vertices(set);
    double *x = read_values(page, frame, "x", 0, n), *y = read_values(page, frame, "y", 0, n), *turn = read_values(page, frame, "turn", 0, n);
    double *corners = read_values(page, frame, "corners", 0, n), *a = read_values(page, frame, "corner_x", 0, total);
    double *b = read_values(page, frame, "corner_y", 0, total), worst = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        CHECK_CLOSE(corners[i], (double)(set->first[i + 1] - set->first[i]), 0.0);
        double c = cos(turn[i]), s = sin(turn[i]);
        for (int64_t v = set->first[i]; v < set->first[i + 1]; ++v) {
            worst = fmax(worst, fabs(x[i] + c * a[v] - s * b[v] - set->xy[2 * v]));
            worst = fmax(worst, fabs(y[i] + s * a[v] + c * b[v] - set->xy[2 * v + 1]));
        }
    }
    double* all[] = {x, y, turn, corners, a, b};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        free(all[k]);
    return worst;
}

static int64_t pair_count(const char* page, int frame)
{
    const char* at = strstr(page, "id=\"scree-meta\">");
    for (int f = 0; f <= frame; ++f)
        at = strstr(at + 1, "\"pair_count\":");
    return (int64_t)number_after(at, "\"pair_count\":");
}

// How often each two touch by the page, i * n + j with i <= j, where `fixed` (may be NULL) is not set for both.
static int* read_pairs(const char* page, int frame, int32_t n, const int64_t* fixed)
{
    int64_t count = pair_count(page, frame);
    double *i = read_values(page, frame, "pair_i", 0, count), *j = read_values(page, frame, "pair_j", 0, count);
    double* partners = read_values(page, frame, "partners", 0, n);
    int* met = calloc((size_t)(n * n), sizeof *met);
    for (int64_t p = 0; p < count; ++p) {
        int a = (int)i[p], b = (int)j[p];
        assert_true(a >= 0 && a <= b && b < n);
        partners[a] -= 1.0;
        partners[b] -= 1.0;
        if (fixed == NULL || !fixed[a] || !fixed[b])
            ++met[a * n + b];
    }
    for (int k = 0; k < n; ++k)
        CHECK_CLOSE(partners[k], 0.0, 0.0);
    free(i);
    free(j);
    free(partners);
    return met;
}

// Frames of a simulation: corners, ranges, shapes held once; who touches, against the contacts of the simulation itself.
static void test_polygon_frames(void** state)
{
    (void)state;
    enum { frames = 6 };
    int64_t touching = 0;
    for (int walls = 0; walls < 4; ++walls) {
        poly_scene s = poly_mixed(5, walls, 3.0, 11);
        s.def.stiffness = 1e3;  // soft: long contacts
        s.def.gravity[1] = walls == 2 ? 0.0 : -5.0;
        scree_polygon_sim* sim = poly_make(&s);
        scree_outline_set sets[frames];
        int* wanted[frames];
        for (int f = 0; f < frames; ++f) {
            CHECK_OK(scree_polygon_sim_run(sim, 400));
            CHECK_OK(scree_outline_set_copy(sim, &sets[f]));
            scree_polygon_contacts list;
            CHECK_OK(scree_polygon_sim_get_contacts(sim, &list));
            wanted[f] = calloc((size_t)(s.count * s.count), sizeof **wanted);
            for (int64_t c = 0; c < list.count; ++c) {
                const scree_contact *now = &list.contacts[c], *last = c > 0 ? now - 1 : NULL;
                int i = now->i < now->j ? now->i : now->j, j = now->i < now->j ? now->j : now->i;
                if (now->kind == SCREE_CONTACT_WALL)
                    continue;
                // One for each pair and image: contacts of one pair stand side by side, seen from either body.
                int8_t way = now->i < now->j ? 1 : -1;
                bool same = false;
                if (last != NULL && last->kind != SCREE_CONTACT_WALL) {
                    int8_t last_way = last->i < last->j ? 1 : -1;
                    same = i == (last->i < last->j ? last->i : last->j) && j == (last->i < last->j ? last->j : last->i) &&
                           way * now->shift[0] == last_way * last->shift[0] && way * now->shift[1] == last_way * last->shift[1];
                }
                if (!same)
                    ++wanted[f][i * s.count + j];
                touching += !same;
            }
        }
        scree_view_def def = scree_default_view_def();
        def.gap = 0.0;
        def.colour_by = walls % 2 == 0 ? "area" : "velocity_y";
        CHECK_OK(write_outlines(in_folder("bodies.html"), frames, sets, &def));
        char* page = get_file(in_folder("bodies.html"), NULL);
        for (int f = 0; f < frames; ++f) {
            const scree_sphere_set* bodies = &sets[f].bodies;
            const int64_t* fixed = scree_sphere_set_find(bodies, "fixed")->integers;
            assert_true(check_corners(page, f, &sets[f]) < 4e-7 * size_of_bodies(&sets[f]));
            assert_int_equal(find_entry(page, 0, "corner_x", 0).block, find_entry(page, f, "corner_x", 0).block);
            assert_int_equal(find_entry(page, 0, "corner_y", 0).block, find_entry(page, f, "corner_y", 0).block);
            int* met = read_pairs(page, f, s.count, fixed);
            for (int k = 0; k < s.count * s.count; ++k)
                if (met[k] != wanted[f][k])
                    fail_msg("walls %d, frame %d: %d and %d meet %d times in the page, %d in the simulation", walls, f, k / s.count, k % s.count, met[k],
                             wanted[f][k]);
            free(met);
            double *area = read_values(page, f, "area", 0, s.count), low = INFINITY, high = -INFINITY;
            for (int32_t i = 0; i < s.count; ++i) {
                scree_polygon p = {.count = (int32_t)(sets[f].first[i + 1] - sets[f].first[i]), .xy = &sets[f].xy[2 * sets[f].first[i]]};
                scree_polygon_numbers numbers = {.area = poly_pi * bodies->r[i] * bodies->r[i]};
                if (p.count > 0)
                    CHECK_OK(scree_polygon_measure(p, &numbers));
                CHECK_CLOSE(area[i], numbers.area, 1e-7 * numbers.area);
                low = fixed[i] ? low : fmin(low, bodies->r[i]);
                high = fixed[i] ? high : fmax(high, bodies->r[i]);
            }
            free(area);
            CHECK_CLOSE(find_entry(page, f, "radius", 0).low, low, 0.0);
            CHECK_CLOSE(find_entry(page, f, "radius", 0).high, high, 0.0);
            CHECK_CLOSE(find_entry(page, f, "fixed", 0).high, walls % 2, 0.0);
        }
        def.threads = 3;
        CHECK_OK(write_outlines(in_folder("three.html"), frames, sets, &def));
        CHECK_FILE(in_folder("three.html"), page);
        free(page);
        for (int f = 0; f < frames; ++f) {
            scree_outline_set_free(&sets[f]);
            free(wanted[f]);
        }
        scree_polygon_sim_destroy(sim);
        poly_scene_free(&s);
    }
    assert_true(touching > 20);
}

// Stars and discs thrown over each other, without angles: `x` and `r` are those that hold the corners.
static scree_outline_set thrown(int32_t n, bool periodic, uint64_t seed)
{
    scree_rng rng = scree_rng_make(seed, 7);
    scree_outline_set set;
    CHECK_OK(scree_outline_set_make(n, 12 * (int64_t)n, &set));
    set.bodies.has_box = true;
    set.bodies.box = scree_box_sized(2, (double[]){10.0, 8.0});
    set.bodies.box.periodic[0] = set.bodies.box.periodic[1] = periodic;
    for (int32_t i = 0; i < n; ++i) {
        int corners = i % 4 == 0 ? 0 : 3 + (int)scree_rng_below(&rng, 10);
        double size = poly_between(&rng, 0.2, 1.0);
        set.bodies.x[2 * i] = poly_between(&rng, periodic ? -12.0 : 0.0, periodic ? 20.0 : 10.0);
        set.bodies.x[2 * i + 1] = poly_between(&rng, periodic ? -9.0 : 0.0, periodic ? 16.0 : 8.0);
        set.bodies.r[i] = size;
        set.first[i + 1] = set.first[i] + corners;
        for (int v = 0; v < corners; ++v) {
            double r = size * poly_between(&rng, 0.4, 1.0), angle = 2.0 * poly_pi * v / corners;
            set.xy[2 * (set.first[i] + v)] = set.bodies.x[2 * i] + r * cos(angle);
            set.xy[2 * (set.first[i] + v) + 1] = set.bodies.x[2 * i + 1] + r * sin(angle);
        }
    }
    return set;
}

static double turn_of(const double* a, const double* b, const double* c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// By plain loops: the distance of boundaries is reached at a corner, if edges do not cross.
static double plain_gap(const scree_outline_set* set, int i, int j, const double shift[2])
{
    int32_t n = (int32_t)(set->first[i + 1] - set->first[i]), m = (int32_t)(set->first[j + 1] - set->first[j]);
    const double *c = &set->bodies.x[2 * i], e[2] = {set->bodies.x[2 * j] + shift[0], set->bodies.x[2 * j + 1] + shift[1]};
    double moved[40], best = INFINITY;
    for (int v = 0; v < 2 * m; ++v)
        moved[v] = set->xy[2 * set->first[j] + v] + shift[v % 2];
    scree_polygon p = {.count = n, .xy = &set->xy[2 * set->first[i]]}, q = {.count = m, .xy = moved};
    if (n == 0 && m == 0)
        return hypot(e[0] - c[0], e[1] - c[1]) - set->bodies.r[i] - set->bodies.r[j];
    if (n == 0 || m == 0) {
        const double *x = n == 0 ? c : e, r = set->bodies.r[n == 0 ? i : j];
        scree_polygon other = n == 0 ? q : p;
        return scree_polygon_contains(other, x) ? 0.0 : fmax(scree_polygon_nearest(other, x, NULL, NULL) - r, 0.0);
    }
    for (int v = 0; v < n; ++v) {
        const double *a = &p.xy[2 * v], *b = &p.xy[2 * ((v + 1) % n)];
        best = fmin(best, scree_polygon_contains(q, a) ? 0.0 : scree_polygon_nearest(q, a, NULL, NULL));
        for (int w = 0; w < m; ++w) {
            const double *f = &q.xy[2 * w], *g = &q.xy[2 * ((w + 1) % m)];
            if (turn_of(a, b, f) * turn_of(a, b, g) < 0.0 && turn_of(f, g, a) * turn_of(f, g, b) < 0.0)
                best = 0.0;
        }
    }
    for (int w = 0; w < m; ++w)
        best = fmin(best, scree_polygon_contains(p, &q.xy[2 * w]) ? 0.0 : scree_polygon_nearest(p, &q.xy[2 * w], NULL, NULL));
    return best;
}

static void test_touching(void** state)
{
    (void)state;
    enum { n = 40 };
    for (int round = 0; round < 8; ++round) {
        bool periodic = round % 2 == 1;
        scree_outline_set set = thrown(n, periodic, (uint64_t)round);
        scree_view_def def = scree_default_view_def();
        def.gap = round < 4 ? 0.0 : 0.3;
        CHECK_OK(write_outlines(in_folder("thrown.html"), 1, &set, &def));
        char* page = get_file(in_folder("thrown.html"), NULL);
        int *met = read_pairs(page, 0, n, NULL), some = 0;
        for (int i = 0; i < n; ++i)
            for (int j = i; j < n; ++j) {
                int wanted = 0, reach = periodic ? 6 : 0;
                for (int a = -reach; a <= reach; ++a)
                    for (int b = -reach; b <= reach; ++b) {
                        if (i == j && (a < 0 || (a == 0 && b <= 0)))
                            continue;
                        double gap = plain_gap(&set, i, j, (double[]){10.0 * a, 8.0 * b});
                        bool discs = i % 4 == 0 && j % 4 == 0;
                        wanted += gap < def.gap || (gap == 0.0 && !discs);
                    }
                if (met[i * n + j] != wanted)
                    fail_msg("round %d: %d and %d meet %d times, not %d", round, i, j, met[i * n + j], wanted);
                some += wanted;
            }
        assert_true(some > 5);
        free(met);
        free(page);
        scree_outline_set_free(&set);
    }
}

// A centre far from its corners, bodies that change, sets without polygons among others, and invalid input.
static void test_odd_polygons(void** state)
{
    (void)state;
    scree_outline_set sets[3] = {thrown(9, false, 1), thrown(9, false, 1), thrown(9, false, 1)};
    double size = size_of_bodies(&sets[0]);
    for (int f = 0; f < 3; ++f) {
        sets[f].bodies.x[2] = 1e9;  // body 1
        scree_column* angle;
        CHECK_OK(scree_sphere_set_add(&sets[f].bodies, "angle", SCREE_COLUMN_DOUBLE, 1, &angle));
        for (int i = 0; i < 9; ++i)
            angle->values[i] = i == 2 ? NAN : 1e3 * i;
    }
    sets[2].xy[0] += 1e-3;
    CHECK_OK(write_outlines(in_folder("odd.html"), 3, sets, NULL));
    char* page = get_file(in_folder("odd.html"), NULL);
    for (int f = 0; f < 3; ++f)
        assert_true(check_corners(page, f, &sets[f]) < 1e-6 * size);
    assert_int_equal(find_entry(page, 0, "corner_x", 0).block, find_entry(page, 1, "corner_x", 0).block);
    assert_int_not_equal(find_entry(page, 0, "corner_x", 0).block, find_entry(page, 2, "corner_x", 0).block);
    free(page);

    scree_sphere_set discs = packed_set(2, 5, false, 3);
    scree_outline_set plain = {.bodies = discs}, mixed[2] = {sets[0], plain};
    CHECK_OK(write_outlines(in_folder("mixed.html"), 2, mixed, NULL));
    CHECK_OK(write_outlines(in_folder("plain.html"), 1, &plain, NULL));
    CHECK_OK(scree_write_view(in_folder("same.html"), 1, (double[]){0.0}, &discs, NULL));
    page = get_file(in_folder("same.html"), NULL);
    CHECK_FILE(in_folder("plain.html"), page);
    free(page);

    // A plus sign: two bars, no corner in the other; and a small square within a large one.
    scree_outline_set sign;
    CHECK_OK(scree_outline_set_make(4, 16, &sign));
    static const double bars[4][4] = {{-3, -1, 3, 1}, {-1, -3, 1, 3}, {10, 0, 16, 6}, {12, 2, 13, 3}};
    for (int i = 0; i < 4; ++i) {
        sign.first[i + 1] = 4 * (i + 1);
        sign.bodies.r[i] = 1.0;
        for (int v = 0; v < 4; ++v) {
            sign.xy[2 * (4 * i + v)] = bars[i][v == 1 || v == 2 ? 2 : 0];
            sign.xy[2 * (4 * i + v) + 1] = bars[i][v >= 2 ? 3 : 1];
        }
        for (int k = 0; k < 2; ++k)
            sign.bodies.x[2 * i + k] = 0.5 * (bars[i][k] + bars[i][2 + k]);
    }
    scree_view_def touch = scree_default_view_def();
    touch.gap = 0.0;
    for (int turn = 0; turn < 2; ++turn) {  // either of the two as the first
        CHECK_OK(write_outlines(in_folder("sign.html"), 1, &sign, &touch));
        page = get_file(in_folder("sign.html"), NULL);
        int* met = read_pairs(page, 0, 4, NULL);
        assert_true(met[0 * 4 + 1] == 1 && met[2 * 4 + 3] == 1 && pair_count(page, 0) == 2);
        free(met);
        free(page);
        for (int v = 0; v < 8; ++v) {
            double swap = sign.xy[16 + v];
            sign.xy[16 + v] = sign.xy[24 + v];
            sign.xy[24 + v] = swap;
        }
    }
    scree_outline_set_free(&sign);

    scree_outline_set none;
    CHECK_OK(scree_outline_set_make(0, 0, &none));
    CHECK_OK(write_outlines(in_folder("none.html"), 1, &none, NULL));
    scree_outline_set_free(&none);
    sets[0].bodies.has_box = true;
    sets[0].bodies.box = scree_box_sized(2, (double[]){1e-9, 1e-9});
    sets[0].bodies.box.periodic[0] = sets[0].bodies.box.periodic[1] = true;
    CHECK_FAILS(write_outlines(in_folder("bad.html"), 1, sets, NULL), SCREE_ERR_ARGUMENT);
    sets[0].xy[3] = NAN;
    CHECK_FAILS(write_outlines(in_folder("bad.html"), 1, sets, NULL), SCREE_ERR_ARGUMENT, "body 1", "vertex 1");
    scree_sphere_set_free(&discs);
    for (int f = 0; f < 3; ++f)
        scree_outline_set_free(&sets[f]);
}

static void test_polygon_failures(void** state)
{
    (void)state;
    scree_outline_set sets[2] = {thrown(6, true, 1), thrown(6, true, 2)};
    const char* path = in_folder("page.html");
    put_text(path, OLD);
    scree_view_def def = scree_default_view_def();
    def.threads = 1;
    def.gap = 0.5;
    EACH_ALLOCATION_FAILS(write_outlines(path, 2, sets, &def), CHECK_FILE(path, OLD));
    put_text(path, OLD);
    int questions = 0;
    def.watch = (scree_watch){stop_at, &questions};
    CHECK_FAILS(write_outlines(path, 2, sets, &def), SCREE_ERR_CANCELLED);
    CHECK_FILE(path, OLD);
    for (int f = 0; f < 2; ++f)
        scree_outline_set_free(&sets[f]);
}

// ---- Lists of frames ---------------------------------------------------------------------------------------------------

static void test_lists(void** state)
{
    (void)state;
    const char* path = in_folder("frames.pvd");
    static const char* const names[] = {"frames/a.vtp", "/tmp/b <&\">.vtp", "c\xc3\xa4.vtp"};
    CHECK_OK(scree_write_pvd(path, 3, (double[]){0.0, 0.1, 1e-300}, names));
    scree_frame_times list;
    CHECK_OK(scree_read_pvd(path, &list));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.files[0], in_folder("frames/a.vtp"));
    assert_string_equal(list.files[1], names[1]);
    assert_string_equal(list.files[2], in_folder(names[2]));
    assert_true(list.times[0] == 0.0 && list.times[1] == 0.1 && list.times[2] == 1e-300);
    scree_frame_times_free(&list);
    EACH_ALLOCATION_FAILS(scree_read_pvd(path, &list), assert_int_equal(list.count, 0));
    scree_frame_times_free(&list);
    put_text(path, "<VTKFile type=\"Collection\"><Collection><DataSet file=\"a.vtp\"/></Collection></VTKFile>");
    CHECK_OK(scree_read_pvd(path, &list));
    assert_true(list.count == 1 && isnan(list.times[0]));
    scree_frame_times_free(&list);

    static const struct { const char *text, *says; } bad[] = {
        {"", "frames.pvd:1"},
        {"x,y,r\n1,2,3\n", ""},
        {"<VTKFile type=\"PolyData\"></VTKFile>", "frames.pvd:1 | \"Collection\""},
        {"<VTKFile type=\"Collection\">\n<DataSet timestep=\"1\"/></VTKFile>", "frames.pvd:2 | <DataSet>"},
        {"<VTKFile type=\"Collection\">\n<DataSet timestep=\"soon\" file=\"a\"/></VTKFile>", "frames.pvd:2 | \"soon\""},
        {"<VTKFile type=\"Collection\">\n<DataSet timestep=\"inf\" file=\"a\"/></VTKFile>", ""},
        {"<VTKFile type=\"Collection\">\n<DataSet timestep=\"1\" file=\"a\"/>", ""},
        {"<!DOCTYPE a [<!ENTITY b \"c\">]><VTKFile type=\"Collection\"></VTKFile>", ""},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        put_text(path, bad[k].text);
        list.count = -7;
        CHECK_FAILS(scree_read_pvd(path, &list), SCREE_ERR_FORMAT, bad[k].says);
        assert_int_equal(list.count, 0);
    }
    CHECK_FAILS(scree_read_pvd(in_folder("none.pvd"), &list), SCREE_ERR_IO, "none.pvd");
}

static const test_case cases[] = {
    UNIT(test_values),
    UNIT(test_partners),
    UNIT(test_frames),
    UNIT(test_empty),
    UNIT(test_errors),
    ALLOCATION(test_failures),
    UNIT(test_polygon_frames),
    UNIT(test_touching),
    UNIT(test_odd_polygons),
    ALLOCATION(test_polygon_failures),
    ALLOCATION(test_lists),
};

const test_group group_view = {.name = "view", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
