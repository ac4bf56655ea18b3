// Pictures of odd sets, invalid input, and files that are whole or not there.
#include "picture_support.h"

typedef struct count {
    int calls, stop_at;
    double last;
} count;

// The file of these tests; before each case there is none.
static const char* path(void)
{
    return in_folder("a.png");
}

// ---- Odd sets ----------------------------------------------------------------------------------------------------

static void test_odd_sets(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scree_picture_def def = bare(100);
        scree_sphere_set none = make_set(dim, 0, NULL, NULL);
        uint8_t* rgba = render(&none, &def);
        CHECK_CLOSE(area(rgba, &def), 0.0, 0.0);
        free(rgba);
        def.box = def.bar = true;
        none.has_box = true;
        none.box = scree_box_sized(dim, (double[]){1.0, 2.0, 3.0});  // the box alone
        rgba = render(&none, &def);
        double tall = 100.0 * (1.0 - 2.0 * MARGIN);
        CHECK_CLOSE(area(rgba, &def), 1.3 * 3.0 * tall, 0.3 * 3.0 * tall);
        free(rgba);
        none.box = scree_box_open(dim);
        free(render(&none, &def));
        scree_sphere_set_free(&none);
        // A point is a dot, also beside large spheres and one far away.
        scree_sphere_set point = make_set(dim, 1, (double[]){1e100, -1e100, 5.0}, (double[]){0.0});
        for (int n = 1; n <= 4; ++n) {
            def.samples = n;
            rgba = render(&point, &def);
            double dot = area(rgba, &def);
            assert_true(dot > 0.0 && dot < 5.0);
            free(rgba);
        }
        scree_sphere_set_free(&point);
        scree_sphere_set two = make_set(dim, 2, (double[]){-1e139, 0, 0, 1e139, 0, 0}, (double[]){1e-139, 1e138});
        free(render(&two, &def));
        two.r[1] = 1e140;
        free(render(&two, &def));
        scree_sphere_set_free(&two);
    }
    // Behind the eye, and around it.
    scree_sphere_set set = make_set(3, 3, (double[]){0, 0, 0, 0, 0, 10, 0, 0, -10}, (double[]){1, 1, 1});
    add_values(&set, "which", (double[]){0.0, 1.0, 0.0});
    scree_picture_def def = bare(120);
    def.colour_by = "which";
    def.perspective = 60.0;
    def.distance = 5.0;  // between the middle and the front one
    uint8_t* rgba = render(&set, &def);
    assert_int_equal(end_of_map(pixel(rgba, &def, 60.0, 60.0)), 0);
    free(rgba);
    def.distance = 0.5;  // inside the middle one: only the back one is left
    rgba = render(&set, &def);
    double radius = 1.0 / sqrt(10.5 * 10.5 - 1.0) / (2.0 * tan(30.0 * PI / 180.0)) * 120.0;
    CHECK_CLOSE(area(rgba, &def), PI * radius * radius, 8.0);
    free(rgba);
    def.eye[2] = -1.0;
    def.cut = true;  // and a cut that goes through the eye's surroundings
    def.cut_normal[2] = 1.0;
    def.cut_position = 9.0;
    free(render(&set, &def));
    scree_sphere_set_free(&set);
}

// ---- Errors ------------------------------------------------------------------------------------------------------

static void test_errors(void** state)
{
    (void)state;
    scree_sphere_set set = make_set(3, 2, (double[]){0, 0, 0, 5, 5, 5}, (double[]){1, 2});
    add_values(&set, "mass", (double[]){1.0, 2.0});
    static uint8_t rgba[64 * 64 * 4];
#define WRONG(change, message)                                                                                         \
    do {                                                                                                               \
        scree_picture_def def = bare(64);                                                                              \
        change;                                                                                                        \
        CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, message);                              \
        CHECK_FAILS(scree_write_picture("/nowhere/p.png", &set, &def), SCREE_ERR_ARGUMENT, message);                   \
    } while (0)
    WRONG(def.struct_size = 4, "scree_default_picture_def");
    WRONG(def.width = 15, "15 | pixels | 16 | 20000");
    WRONG(def.height = 20001, "20001 | pixels");
    WRONG((def.width = 20000, def.height = 20000), "20000 | 100000000 | pixels");
    WRONG(def.perspective = 0.5, "0.5 | 1 | 120");
    WRONG(def.perspective = NAN, "nan");
    WRONG(def.zoom = 0.0, "0 | 0.01 | 1000");
    WRONG(def.distance = -1.0, "-1");
    WRONG(def.samples = 5, "5 | 1 | 4");
    WRONG(def.copies = 11, "11");
    WRONG(def.threads = -1, "threads | -1");
    WRONG(def.map = SCREE_MAP_COUNT, "3 | 0 | 2");
    WRONG(def.background = -1, "-1");
    WRONG(def.scale = 3, "3");
    WRONG(def.images = 3, "3");
    WRONG(def.images = SCREE_IMAGES_FILL, "");
    WRONG(def.copies = 1, "");
    WRONG(def.eye[0] = NAN, "direction | nan | 0 | 1");
    WRONG(def.up[2] = 3.0, "direction | 0 | 3");
    WRONG(def.cut = true, "");
    WRONG((def.cut = true, def.cut_normal[0] = NAN), "nan");
    WRONG((def.cut = true, def.cut_normal[0] = 1.0, def.cut_position = INFINITY), "inf");
    WRONG(def.colour_by = "weight", "'weight' | radius | mass");
    WRONG((def.range[0] = 2.0, def.range[1] = 1.0), "2 | 1");
    WRONG(def.range[1] = INFINITY, "");
    WRONG((def.scale = SCREE_SCALE_LOG, def.range[0] = 0.0), "0");
    set.x[4] = NAN;
    WRONG((void)0, "sphere 1");
    set.x[4] = 5.0;
    set.has_box = true;
    set.box = scree_box_sized(2, (double[]){1.0, 1.0});
    WRONG((void)0, "dimension 2");
    set.box = scree_box_sized(3, (double[]){1e-3, 1e-3, 1e-3});
    set.box.periodic[0] = set.box.periodic[1] = set.box.periodic[2] = true;
    WRONG(def.images = SCREE_IMAGES_FACES, "");
    set.columns[0].kind = SCREE_COLUMN_TEXT;
    WRONG(def.colour_by = "mass", "'mass'");
    set.columns[0].kind = SCREE_COLUMN_DOUBLE;
    scree_sphere_set_free(&set);
    set = make_set(2, 1, (double[]){0, 0}, (double[]){1});
    WRONG(def.eye[0] = 1.0, "");
    WRONG((def.cut = true, def.cut_normal[2] = 1.0), "");
    WRONG(def.colour_by = "z", "'z'");
    scree_picture_def def = bare(64);
    CHECK_FAILS(scree_write_picture("/nowhere/p.png", &set, &def), SCREE_ERR_IO, "/nowhere/p.png");
    CHECK_FAILS(scree_write_picture("", &set, &def), SCREE_ERR_IO);
    scree_sphere_set_free(&set);
}

static bool count_tick(void* context, double done)
{
    count* c = context;
    assert_true(done >= c->last && done <= 1.0);
    c->last = done;
    return ++c->calls != c->stop_at;
}

// ---- Files -------------------------------------------------------------------------------------------------------

static void check_old(void)
{
    CHECK_FILE(path(), OLD);
}

static scree_sphere_set some_spheres(int32_t count_of)
{
    scene_params params = scene_default_params();
    params.count = count_of;
    params.ratio = 10.0;
    scree_sphere_set set;
    CHECK_OK(scene_make("cloud", &params, &set));
    return set;
}

static void check_decodes(const uint8_t* rgba, int32_t width, int32_t height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path()) != 0);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    image.format = PNG_FORMAT_RGBA;
    uint8_t* decoded = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(decoded);
    assert_true(png_image_finish_read(&image, NULL, decoded, 0, NULL) != 0);
    assert_memory_equal(decoded, rgba, (size_t)width * (size_t)height * 4);
    free(decoded);
}

static void test_png(void** state)
{
    (void)state;
    scree_sphere_set set = some_spheres(200);
    for (int background = 0; background < SCREE_BACKGROUND_COUNT; ++background) {
        scree_picture_def def = scree_default_picture_def();
        def.width = 301;
        def.height = 203;
        def.background = background;
        uint8_t* rgba = render(&set, &def);
        CHECK_OK(scree_write_picture(path(), &set, &def));
        check_decodes(rgba, def.width, def.height);
        size_t size, again_size;
        char* bytes = get_file(path(), &size);
        assert_int_equal(bytes[25], background == SCREE_BACKGROUND_NONE ? 6 : 2);  // colour type: RGBA or RGB
        for (size_t k = 0; k + 4 < size; ++k)
            assert_false(memcmp(&bytes[k], "tIME", 4) == 0);
        CHECK_OK(scree_write_picture(path(), &set, &def));
        char* again = get_file(path(), &again_size);
        assert_int_equal(size, again_size);
        assert_memory_equal(bytes, again, size);
        const uint8_t* corner = rgba;
        assert_int_equal(corner[3], background == SCREE_BACKGROUND_NONE ? 0 : 255);
        assert_true(background == SCREE_BACKGROUND_NONE || (corner[0] < 128) == (background == SCREE_BACKGROUND_DARK));
        free(rgba);
        free(bytes);
        free(again);
    }
    CHECK_OK(scree_write_picture(path(), &set, &(scree_picture_def){.struct_size = offsetof(scree_picture_def, eye), .width = 64,
                                                                  .height = 48}));  // an older def
    scree_sphere_set_free(&set);
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_sphere_set set = some_spheres(60);
    scree_picture_def def = scree_default_picture_def();
    def.width = 300;
    def.height = 200;
    def.threads = 2;
    put_text(path(), OLD);
    EACH_ALLOCATION_FAILS(scree_write_picture(path(), &set, &def), check_old());
    uint8_t* rgba = malloc(300 * 200 * 4);
    EACH_ALLOCATION_FAILS(scree_picture_render(&set, &def, rgba), (void)0);
    check_decodes(rgba, 300, 200);
    free(rgba);
    scree_sphere_set_free(&set);
}

static void test_nth_system_call_fails(void** state)
{
    (void)state;
    scree_sphere_set set = some_spheres(30);
    scree_picture_def def = bare(200);
    int failures = 0;
    for (int64_t n = 1;; ++n) {
        put_text(path(), OLD);
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_write_picture(path(), &set, &def);
        scree_output_fail_at(0, 0);
        if (status == SCREE_OK)
            break;
        assert_int_equal(status, SCREE_ERR_IO);
        assert_non_null(strstr(scree_error_message(), path()));
        if (!is_written_anyway())  // all but the last call of all
            check_old();
        ++failures;
    }
    assert_true(failures >= 5);  // open, write, fsync, close, rename
    // Noise is more than a buffer: here writing fails while libpng is at work.
    uint8_t* noise = malloc(700 * 600 * 4);
    assert_non_null(noise);
    scree_rng rng = scree_rng_make(1, 1);
    for (int64_t k = 0; k < 700 * 600 * 4; ++k)
        noise[k] = (uint8_t)scree_rng_bits(&rng);
    for (int64_t n = 1;; ++n) {
        put_text(path(), OLD);
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_png_write(path(), 700, 600, true, noise, (scree_watch){0});
        scree_output_fail_at(0, 0);
        if (status == SCREE_OK)
            break;
        assert_int_equal(status, SCREE_ERR_IO);
        assert_non_null(strstr(scree_error_message(), strerror(ENOSPC)));
        if (!is_written_anyway())
            check_old();
    }
    check_decodes(noise, 700, 600);
    free(noise);
    assert_true(access("/dev/full", F_OK) != 0 || scree_write_picture("/dev/full", &set, &def) == SCREE_ERR_IO);
    scree_sphere_set_free(&set);
}

static void test_watch(void** state)
{
    (void)state;
    scree_sphere_set set = some_spheres(100);
    scree_picture_def def = scree_default_picture_def();
    def.width = def.height = 200;
    int calls = 0;
    for (int threads = 1; threads <= 2; ++threads) {
        count c = {0};
        def.threads = threads;
        def.watch = (scree_watch){count_tick, &c};
        CHECK_OK(scree_write_picture(path(), &set, &def));
        assert_true(c.calls > (threads == 1 ? 20 : 0));  // of several threads only the caller's tells
        calls = threads == 1 ? c.calls : calls;
    }
    def.threads = 1;
    for (int stop = 1; stop < calls; stop += 7) {
        count c = {.stop_at = stop};
        put_text(path(), OLD);
        def.watch = (scree_watch){count_tick, &c};
        CHECK_FAILS(scree_write_picture(path(), &set, &def), SCREE_ERR_CANCELLED);
        check_old();
    }
    scree_sphere_set_free(&set);
}

// With a view each place is at the same pixel, whatever else is there.
static void test_view(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scree_sphere_set set;
        scree_picture_def def = scree_default_picture_def();
        def.width = 300;
        def.height = 200;
        def.bar = false;
        def.background = SCREE_BACKGROUND_NONE;
        for (int k = 0; k < 3; ++k) {
            def.view[k][0] = -1.0;
            def.view[k][1] = 3.0 + k;
        }
        int differ[2] = {0, 0};
        uint8_t* pictures[2][2];  // with a view and without, alone and not
        for (int with = 0; with < 2; ++with)
            for (int more = 0; more < 2; ++more) {
                scree_picture_def look = def;
                if (with == 0)
                    look.view[1][0] = NAN;  // one is enough
                CHECK_OK(scree_sphere_set_make(dim, 2 + more, &set));
                for (int64_t i = 0; i < set.count; ++i) {
                    for (int k = 0; k < dim; ++k)
                        set.x[i * dim + k] = i == 0 ? 0.3 : i == 1 ? 2.5 : k == 0 ? -40000.0 : 0.0;  // the third is far outside, on the left
                    set.r[i] = 0.5;
                }
                pictures[with][more] = render(&set, &look);
                scree_sphere_set_free(&set);
            }
        for (int with = 0; with < 2; ++with) {
            for (int p = 0; p < 300 * 200; ++p)
                differ[with] += (pictures[with][0][4 * p + 3] > 128) != (pictures[with][1][4 * p + 3] > 128);
            free(pictures[with][0]);
            free(pictures[with][1]);
        }
        assert_true(differ[0] > 1000);
        assert_true(differ[1] < 20);  // roundings at edges
        CHECK_OK(scree_sphere_set_make(dim, 1, &set));
        memset(set.x, 0, (size_t)dim * sizeof *set.x);
        set.r[0] = 1.0;
        def.view[1][1] = -1.0;
        uint8_t* rgba = malloc(300 * 200 * 4);
        CHECK_FAILS(scree_picture_render(&set, &def, rgba), SCREE_ERR_ARGUMENT, "view", "-1");
        free(rgba);
        scree_sphere_set_free(&set);
    }
}

static const test_case cases[] = {
    UNIT(test_view),
    UNIT(test_odd_sets),
    UNIT(test_errors),
    UNIT(test_png),
    ALLOCATION(test_nth_allocation_fails),
    ALLOCATION(test_nth_system_call_fails),
    UNIT(test_watch),
};

const test_group group_picture_files = {.name = "picture_files", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
