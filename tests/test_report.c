// Pages of reports, read back by expat: that they are well-formed whatever text goes in, that their numbers are those of the simulation and
// of the log, and that nothing is harmed when memory or the disk fails.
#include "file_support.h"

#include "run/run_inner.h"
#include "scree/report.h"

#include <expat.h>
#include <locale.h>
#include <png.h>
#include <pthread.h>
#include <sys/stat.h>

// ---- Reading a page --------------------------------------------------------------------------------------------------------

typedef struct row {
    char name[128], exact[256], value[256], note[256];  // exact: the values, with commas between them
} row;

typedef struct figure {
    char caption[300];
    int curves;        // groups of a plot: its series
    int points;        // of all polylines in them
    double top;        // the least y of a polyline in the groups
} figure;

typedef struct page {
    XML_Parser parser;
    int rows, links, figures, headings, scripts, outside;
    row row[200];
    char link[64][256];
    figure figure[32];
    char title[256], badge[64], about[512], all[400000];
    char* image;       // base64
    bool in_th, in_value, in_note, in_badge, in_about, in_title, in_caption, in_group, in_style;
} page;

static const char* attribute(const XML_Char** attributes, const char* name)
{
    for (int k = 0; attributes[k] != NULL; k += 2)
        if (strcmp(attributes[k], name) == 0)
            return attributes[k + 1];
    return "";
}

static void add(char* to, size_t room, const XML_Char* text, int length)
{
    size_t used = strlen(to);
    snprintf(to + used, room - used, "%.*s", length, text);
}

static void read_points(page* p, const char* points)
{
    figure* f = &p->figure[p->figures - 1];
    for (const char* c = points; *c != '\0';) {
        char* end;
        strtod(c, &end);
        assert_int_equal(*end, ',');
        double y = strtod(end + 1, &end);
        f->top = f->points == 0 ? y : fmin(f->top, y);
        ++f->points;
        c = *end == ' ' ? end + 1 : end;
    }
}

static void add_value(row* r, const char* value)
{
    size_t used = strlen(r->exact);
    snprintf(r->exact + used, sizeof r->exact - used, "%s%s", used > 0 ? "," : "", value);
}

static void on_begin(void* context, const XML_Char* name, const XML_Char** attributes)
{
    page* p = context;
    const char* class = attribute(attributes, "class");
    p->scripts += strcmp(name, "script") == 0;
    for (int k = 0; attributes[k] != NULL; k += 2)  // nothing from elsewhere
        p->outside += strncmp(attributes[k + 1], "http", 4) == 0 && strcmp(attributes[k], "xmlns") != 0;
    if (strcmp(name, "tr") == 0)
        ++p->rows;
    else if (strcmp(name, "th") == 0)
        p->in_th = true;
    else if (strcmp(name, "td") == 0)
        *(strcmp(class, "v") == 0 ? &p->in_value : &p->in_note) = true;
    else if (strcmp(name, "data") == 0)
        add_value(&p->row[p->rows - 1], attribute(attributes, "value"));
    else if (strcmp(name, "a") == 0)
        snprintf(p->link[p->links++], 256, "%s", attribute(attributes, "href"));
    else if (strcmp(name, "h2") == 0)
        ++p->headings;
    else if (strcmp(name, "figure") == 0)
        ++p->figures;
    else if (strcmp(name, "figcaption") == 0)
        p->in_caption = true;
    else if (strcmp(name, "g") == 0)
        p->in_group = true, ++p->figure[p->figures - 1].curves;
    else if (strcmp(name, "polyline") == 0 && p->in_group)
        read_points(p, attribute(attributes, "points"));
    else if (strcmp(name, "h1") == 0)
        p->in_title = true;
    else if (strcmp(name, "style") == 0)
        p->in_style = true;
    else if (strcmp(name, "span") == 0 && strncmp(class, "badge", 5) == 0)
        p->in_badge = true;
    else if (strcmp(name, "p") == 0 && strcmp(class, "about") == 0)
        p->in_about = true;
    else if (strcmp(name, "img") == 0)
        p->image = strdup(attribute(attributes, "src"));
}

static void on_end(void* context, const XML_Char* name)
{
    page* p = context;
    if (strcmp(name, "th") == 0)
        p->in_th = false;
    else if (strcmp(name, "td") == 0)
        p->in_value = p->in_note = false;
    else if (strcmp(name, "figcaption") == 0)
        p->in_caption = false;
    else if (strcmp(name, "g") == 0)
        p->in_group = false;
    else if (strcmp(name, "h1") == 0)
        p->in_title = false;
    else if (strcmp(name, "style") == 0)
        p->in_style = false;
    else if (strcmp(name, "span") == 0)
        p->in_badge = false;
    else if (strcmp(name, "p") == 0)
        p->in_about = false;
}

static void on_text(void* context, const XML_Char* text, int length)
{
    page* p = context;
    row* r = &p->row[p->rows > 0 ? p->rows - 1 : 0];
    if (p->in_badge)
        add(p->badge, sizeof p->badge, text, length);
    else if (p->in_title)
        add(p->title, sizeof p->title, text, length);
    if (p->in_about)
        add(p->about, sizeof p->about, text, length);
    if (p->in_th)
        add(r->name, sizeof r->name, text, length);
    if (p->in_value)
        add(r->value, sizeof r->value, text, length);
    if (p->in_note)
        add(r->note, sizeof r->note, text, length);
    if (p->in_caption)
        add(p->figure[p->figures - 1].caption, 300, text, length);
    if (!p->in_style && p->in_group == false)
        add(p->all, sizeof p->all, text, length);
}

static page* read_page(const char* path)
{
    size_t size;
    char* text = get_file(path, &size);
    page* p = calloc(1, sizeof *p);
    p->parser = XML_ParserCreate("UTF-8");
    XML_SetUserData(p->parser, p);
    XML_SetElementHandler(p->parser, on_begin, on_end);
    XML_SetCharacterDataHandler(p->parser, on_text);
    if (XML_Parse(p->parser, text, (int)size, 1) != XML_STATUS_OK)
        fail_msg("%s:%d: %s", path, (int)XML_GetCurrentLineNumber(p->parser), XML_ErrorString(XML_GetErrorCode(p->parser)));
    XML_ParserFree(p->parser);
    free(text);
    assert_int_equal(p->scripts, 0);
    assert_int_equal(p->outside, 0);
    return p;
}

static void free_page(page* p)
{
    free(p->image);
    free(p);
}

static const row* find_row(const page* p, const char* name)
{
    for (int k = 0; k < p->rows; ++k)
        if (strcmp(p->row[k].name, name) == 0)
            return &p->row[k];
    fail_msg("the page has no row '%s'", name);
    return NULL;
}

static void check_number(const page* p, const char* name, double wanted)
{
    const row* r = find_row(p, name);
    double got = strtod(r->exact, NULL);
    if (got != wanted || r->exact[0] == '\0')
        fail_msg("row '%s' has %s, wanted %.17g", name, r->exact, wanted);
    if (fabs(strtod(r->value, NULL) - wanted) > 6e-6 * fabs(wanted))
        fail_msg("row '%s' shows %s for %.17g", name, r->value, wanted);
}

static void check_numbers(const page* p, const char* name, int count, const double* wanted)
{
    const char* at = find_row(p, name)->exact;
    for (int k = 0; k < count; ++k) {
        char* end;
        if (strtod(at, &end) != wanted[k] || end == at || *end != (k + 1 < count ? ',' : '\0'))
            fail_msg("row '%s' has %s, wanted %.17g as number %d of %d", name, find_row(p, name)->exact, wanted[k], k, count);
        at = end + 1;
    }
}

// Every quantity of the summary is a row, under its key.
static void check_summary(const page* p, scree_run* run)
{
    scree_run_summary* summary;
    CHECK_OK(scree_run_summary_create(run, &summary));
    for (int32_t k = 0; k < scree_run_summary_get_count(summary); ++k) {
        const scree_quantity* q = scree_run_summary_get(summary, k);
        char name[128];
        snprintf(name, sizeof name, "%s", q->key);
        for (char* c = strchr(name, '_'); c != NULL; c = strchr(c, '_'))
            *c = ' ';
        assert_ptr_equal(scree_run_summary_find(summary, q->key), q);
        if (q->text != NULL)
            assert_string_equal(find_row(p, name)->value, q->text);
        else if (strstr(q->key, "seconds") == NULL && q->values != NULL)
            check_numbers(p, name, q->count, q->values);
        else if (q->values == NULL)
            check_numbers(p, name, q->count, q->count == 1 ? (double[]){(double)q->integers[0]} : (double[]){(double)q->integers[0], (double)q->integers[1]});
        assert_true(q->topic != SCREE_TOPIC_STRESS || q->count == 3);
    }
    assert_null(scree_run_summary_get(summary, scree_run_summary_get_count(summary)));
    assert_null(scree_run_summary_get(summary, -1));
    assert_null(scree_run_summary_find(summary, "no such key"));
    scree_run_summary_destroy(summary);
}

static void check_has(const page* p, const char* text)
{
    if (strstr(p->all, text) == NULL)
        fail_msg("the page does not say: %s", text);
}

// ---- Pages -----------------------------------------------------------------------------------------------------------------

static void test_text(void** state)
{
    (void)state;
    static const char odd[] =
        "a<b> & \"c\" 'd' ]]> &amp; <script>alert(1)</script> \xc3\xa9 \xff\xfe \xc3( \x01 \xed\xa0\x80 \xef\xbf\xbf \xf0\x9f\x98\x80";
    static const char shown[] = "a<b> & \"c\" 'd' ]]> &amp; <script>alert(1)</script> \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd( "
                                "\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
                                "\xef\xbf\xbd \xf0\x9f\x98\x80";
    scree_report* r;
    CHECK_OK(scree_report_create(odd, odd, &r));
    scree_report_heading(r, odd);
    scree_report_value(r, odd, odd, odd);
    scree_report_number(r, "x", 0.5, odd, odd);
    scree_report_integer(r, "n", INT64_MIN, "", NULL);
    scree_report_share(r, "part", 2.0, "s", 0.25);
    scree_report_share(r, "too much", 2.0, "s", NAN);
    scree_report_link(r, odd, odd);
    scree_report_link(r, "frames/a b.vtp", NULL);
    scree_report_text(r, odd);
    scree_report_lines(r, "two\n  lines < of");
    scree_report_badge(r, "first", true);
    scree_report_badge(r, odd, false);
    CHECK_OK(scree_write_report(r, in_folder("page.html")));
    page* p = read_page(in_folder("page.html"));
    char title[600];
    snprintf(title, sizeof title, "%s ", shown);
    assert_string_equal(p->title, title);
    assert_string_equal(p->about, shown);
    assert_int_equal(p->headings, 1);
    assert_int_equal(p->rows, 5);
    assert_string_equal(p->row[0].name, shown);
    assert_string_equal(p->row[0].note, shown);
    assert_string_equal(find_row(p, "n")->exact, "-9223372036854775808");
    assert_string_equal(find_row(p, "part")->note, "25.0 %");
    assert_string_equal(find_row(p, "too much")->note, "0.0 %");
    check_number(p, "x", 0.5);
    check_has(p, "two\n  lines < of");
    assert_string_equal(p->link[1], "frames/a%20b.vtp");
    assert_null(strpbrk(p->link[0], "<>&\"' \xff\x01"));
    free_page(p);
    // Once more: the same bytes, after more has been added.
    char* first = get_file(in_folder("page.html"), NULL);
    CHECK_OK(scree_write_report(r, in_folder("page.html")));
    CHECK_FILE(in_folder("page.html"), first);
    free(first);
    scree_report_versions(r);
    CHECK_OK(scree_write_report(r, in_folder("page.html")));
    p = read_page(in_folder("page.html"));
    assert_string_equal(find_row(p, "scree")->value, scree_version());
    assert_non_null(strstr(find_row(p, "libraries")->value, "zlib 1."));
    free_page(p);
    scree_report_destroy(r);
    scree_report_destroy(NULL);
}

// A shell takes the words apart again.
static void test_command(void** state)
{
    (void)state;
    char blanks[700];
    memset(blanks, 'x', sizeof blanks);
    memcpy(blanks + 245, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10);
    blanks[500] = ' ';
    blanks[699] = '\0';
    const char* const words[] = {"printf",      "[%s]",       "a b",   "",  "it's", "'",       "$HOME",
                                 "plain-1.5:2", "a\\b\"c`d`", "<&>*?", "~", blanks, "\xc3\xa9"};
    enum { count = sizeof words / sizeof *words };
    scree_report* r;
    CHECK_OK(scree_report_create("x", NULL, &r));
    scree_report_command(r, count, words);
    CHECK_OK(scree_write_report(r, in_folder("page.html")));
    scree_report_destroy(r);
    page* p = read_page(in_folder("page.html"));
    const char* from = strstr(p->all, "printf ");
    assert_non_null(from);
    char line[4096], wanted[4096] = "", got[4096];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(from, "\n"), from);
    put_text(in_folder("command.sh"), line);
    snprintf(line, sizeof line, "sh %s", in_folder("command.sh"));
    FILE* shell = popen(line, "r");
    assert_non_null(shell);
    got[fread(got, 1, sizeof got - 1, shell)] = '\0';
    assert_int_equal(pclose(shell), 0);
    for (int k = 2; k < count; ++k)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "[%s]", words[k]);
    assert_string_equal(got, wanted);
    free_page(p);
}

static void check_format(double value)
{
    char text[32];
    scree_report_format(text, value);
    setlocale(LC_NUMERIC, "C");
    char* end;
    double read = strtod(text, &end);
    if (*end != '\0' || fabs(read - value) > 5.0000001e-6 * fabs(value))
        fail_msg("%.17g is shown as %s", value, text);
}

static void test_numbers(void** state)
{
    (void)state;
    static const struct {
        double value;
        const char* text;
    } known[] = {{0.0, "0"},
                 {-0.0, "0"},
                 {1.0, "1"},
                 {-1.5, "-1.5"},
                 {123456.0, "123456"},
                 {1234567.0, "1234570"},
                 {1e8, "100000000"},
                 {1e9, "1e9"},
                 {-2.5e-7, "-2.5e-7"},
                 {0.1, "0.1"},
                 {0.00012, "0.00012"},
                 {1.2e-5, "1.2e-5"},
                 {999999.9, "1000000"},
                 {0.99999999, "1"},
                 {1e300, "1e300"},
                 {NAN, "\xe2\x80\x93"},
                 {-INFINITY, "\xe2\x80\x93"}};
    char text[32];
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        scree_report_format(text, known[k].value);
        assert_string_equal(text, known[k].text);
    }
    static const char* const locales[] = {"C", "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    for (size_t l = 0; l < sizeof locales / sizeof *locales; ++l) {
        scree_rng rng = scree_rng_make(5, l);
        for (int k = 0; k < 5000; ++k) {
            uint64_t bits = scree_rng_bits(&rng);
            double value = ldexp(scree_rng_uniform(&rng) - 0.5, (int)(bits % 80) - 40);
            if (bits % 7 == 0)
                memcpy(&value, &bits, sizeof value);
            if (!isfinite(value))
                continue;
            setlocale(LC_NUMERIC, locales[l]);  // where it is not there, nothing changes
            check_format(value);
        }
    }
}

// ---- Pictures and plots ------------------------------------------------------------------------------------------------------

static size_t base64(const char* from, unsigned char* to)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t bytes = 0;
    unsigned word = 0;
    int bits = 0;
    for (; *from != '\0' && *from != '='; ++from) {
        const char* at = strchr(alphabet, *from);
        assert_non_null(at);
        word = word << 6 | (unsigned)(at - alphabet);
        bits += 6;
        if (bits >= 8)
            to[bytes++] = (unsigned char)(word >> (bits -= 8));
    }
    return bytes;
}

static void test_picture(void** state)
{
    (void)state;
    for (int32_t width = 1; width < 40; width += 4) {
        int32_t height = 23;
        uint8_t* rgba = malloc((size_t)(width * height * 4));
        for (int k = 0; k < width * height * 4; ++k)
            rgba[k] = (uint8_t)(k % 4 == 3 ? 255 : k * 7 + k / 50);
        scree_report* r;
        CHECK_OK(scree_report_create("x", "y", &r));
        scree_report_picture(r, "a <picture>", width, height, rgba);
        CHECK_OK(scree_write_report(r, in_folder("page.html")));
        scree_report_destroy(r);
        page* p = read_page(in_folder("page.html"));
        assert_string_equal(p->figure[0].caption, "a <picture>");
        static const char begin[] = "data:image/png;base64,";
        assert_memory_equal(p->image, begin, sizeof begin - 1);
        unsigned char* bytes = malloc(strlen(p->image));
        size_t count = base64(p->image + sizeof begin - 1, bytes);
        png_image image = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_memory(&image, bytes, count));
        image.format = PNG_FORMAT_RGBA;
        assert_int_equal(image.width, width);
        assert_int_equal(image.height, height);
        uint8_t* back = malloc(PNG_IMAGE_SIZE(image));
        assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
        assert_memory_equal(back, rgba, (size_t)(width * height * 4));
        free(back);
        free(bytes);
        free(rgba);
        free_page(p);
    }
}

static scree_status write_all(const char* path)
{
    const double x[] = {0.0, 1.0, 2.0}, y[] = {1.0, 3.0, 2.0};
    const scree_series series = {.name = "<a>", .count = 3, .x = x, .y = y};
    uint8_t rgba[30 * 20 * 4] = {0};
    scree_plot plot = scree_default_plot();
    plot.width = SCREE_REPORT_PLOT_WIDTH;
    plot.height = SCREE_REPORT_PLOT_HEIGHT;
    plot.series = &series;
    plot.series_count = 1;
    plot.y_label = "a < b & c";
    scree_report* r;
    scree_status status = scree_report_create("title", "about", &r);
    if (status != SCREE_OK)
        return status;
    scree_report_badge(r, "badge", true);
    scree_report_picture(r, "picture", 30, 20, rgba);
    scree_report_plot(r, "plot", &plot);
    scree_report_plot(r, "plot again", &plot);
    scree_report_number(r, "x", 1.0, "m", "note");
    scree_report_link(r, "a", "b");
    scree_report_text(r, "end");
    status = scree_write_report(r, path);
    scree_report_destroy(r);
    return status;
}

static void test_failures(void** state)
{
    (void)state;
    const char* path = in_folder("page.html");
    put_text(path, "before");
    EACH_ALLOCATION_FAILS(write_all(path), CHECK_FILE(path, "before"));
    page* p = read_page(path);
    assert_int_equal(p->figures, 3);
    assert_int_equal(p->figure[1].points, 3);
    assert_int_equal(p->figure[1].curves, 1);
    free_page(p);
    for (int64_t n = 1;; ++n) {
        put_text(path, "before");
        scree_output_fail_at(n, ENOSPC);
        scree_status status = write_all(path);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            assert_true(calls < n && calls > 4);
            break;
        }
        assert_int_equal(status, SCREE_ERR_IO);
        if (!is_written_anyway())
            CHECK_FILE(path, "before");
        assert_int_equal(files_in_folder(), 1);
    }
    // An invalid plot is reported when the page is written.
    scree_report* r;
    scree_plot bad = scree_default_plot();
    bad.width = 1;
    CHECK_OK(scree_report_create("title", "about", &r));
    scree_report_plot(r, "bad", &bad);
    scree_fail(SCREE_ERR_ARGUMENT, "something else");
    scree_report_text(r, "more");
    CHECK_FAILS(scree_write_report(r, in_folder("bad.html")), SCREE_ERR_ARGUMENT, "1", "800", "pixels");
    assert_int_equal(access(in_folder("bad.html"), F_OK), -1);
    scree_report_destroy(r);
    CHECK_FAILS(write_all(in_folder("none/page.html")), SCREE_ERR_IO, "none/page.html");
}

// ---- Runs ------------------------------------------------------------------------------------------------------------------

static const char discs[] = "dimension: 2\nbox: {size: [1, 1]}\ngravity: [0, -9.81]\n"
                            "spheres: {count: 40, sizes: uniform-size:0.02:0.06, place: random, velocity: thermal, overlap: 0.05}\n"
                            "contact: {stiffness: 2e3, restitution: 0.6}\ntime: {step: 1e-4, steps: 2000}\n"
                            "output: {every_steps: 500, formats: [csv], log_every_steps: 50}\ncheckpoint: {every: 700}\n";
static const char bodies[] = "dimension: 2\nbox: {size: [1, 1]}\ngravity: [0, -9.81]\nbodies:\n"
                             "- {points: [[0, 0], [1, 0], [1, 0.1], [0, 0.2]], fixed: true}\n"
                             "- {shape: convex, vertices: 6, sizes: \"uniform-size:0.03:0.06\", place: random, count: 12, region: [0, 0.3, "
                             "1, 1], velocity: [0, -5]}\n"
                             "contact: {stiffness: 2e4, restitution: 0.3}\ntime: {step: 1e-5, steps: 6000}\n"
                             "output: {every_steps: 2000, formats: [vtp], log_every_steps: 200}\n";

typedef struct stopper {
    scree_run* run;
    int64_t at;
} stopper;

static bool stop_when(void* context, const scree_run_progress* progress)
{
    stopper* s = context;
    if (s->run == NULL)
        return true;
    return progress->step < s->at;
}

static scree_run* begin_run(const char* text, const char* path, stopper* s)
{
    scree_scene scene;
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    def.threads = 1;
    def.tell = stop_when;
    def.context = s;
    CHECK_OK(scene_parse("test.yaml", text, strlen(text), &scene));
    CHECK_OK(scree_run_create(&def, &scene, path, &run));
    scene_free(&scene);
    return run;
}

// The rows of the page against the simulation and the last row of the log.
static void check_run_page(const page* p, scree_run* run, const char* path)
{
    scree_sim_report r;
    char hash[32], name[600], field[64];
    bool polygons = scree_run_get_polygon_sim(run) != NULL;
    CHECK_OK(scree_run_measure(run, &r));
    snprintf(hash, sizeof hash, "%016" PRIx64, scree_run_hash(run));
    assert_string_equal(find_row(p, "hash")->value, hash);
    check_number(p, "steps", (double)r.step);
    check_number(p, "time", r.time);
    check_number(p, "energy kinetic", r.energy_kinetic);
    check_number(p, "energy contact", r.energy_contact);
    check_number(p, "energy gravity", r.energy_gravity);
    check_number(p, "contacts", (double)r.contacts);
    check_number(p, "wall contacts", (double)r.wall_contacts);
    check_number(p, "max overlap", r.max_overlap);
    check_number(p, "speed max", r.speed_max);
    check_number(p, "rebuilds", (double)r.rebuilds);
    check_number(p, "bytes", (double)r.bytes);
    check_number(p, "n", polygons ? 13.0 : 40.0);
    check_number(p, "time step", polygons ? 1e-5 : 1e-4);
    check_number(p, "stiffness", polygons ? 2e4 : 2e3);
    double duration = strtod(find_row(p, "contact duration")->exact, NULL),
           longest = strtod(find_row(p, "longest time step")->exact, NULL);
    CHECK_CLOSE(longest / duration, 0.1, 1e-12);
    CHECK_CLOSE(strtod(find_row(p, "steps per contact")->exact, NULL), duration / (polygons ? 1e-5 : 1e-4), 1e-9 * duration * 1e5);
    if (polygons) {
        check_number(p, "fixed", 1.0);
        check_number(p, "vertices", 4.0 + 12.0 * 6.0);
    } else {
        scree_sim_numbers n = scree_sim_get_numbers(scree_run_get_sim(run));
        double* radii = malloc(40 * sizeof *radii);
        double least = INFINITY, most = 0.0, area = 0.0;
        CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "radius", radii));
        for (int i = 0; i < 40; ++i) {
            least = fmin(least, radii[i]);
            most = fmax(most, radii[i]);
            area += 3.14159265358979323846 * radii[i] * radii[i];
        }
        free(radii);
        check_number(p, "radius min", least);
        check_number(p, "radius max", most);
        check_number(p, "size ratio", most / least);
        check_number(p, "mass", n.mass);
        CHECK_CLOSE(strtod(find_row(p, "density")->exact, NULL), area, 1e-12);
        CHECK_CLOSE(strtod(find_row(p, "restitution min")->exact, NULL), 0.6, 1e-9);
        check_number(p, "max overlap relative", r.max_overlap_relative);
        check_numbers(p, "kinetic stress", 3, (double[]){r.kinetic_stress[0][0], r.kinetic_stress[1][1], r.kinetic_stress[0][1]});
        check_numbers(p, "contact stress", 3, (double[]){r.contact_stress[0][0], r.contact_stress[1][1], r.contact_stress[0][1]});
        check_numbers(p, "momentum", 2, r.momentum);
    }
    check_summary(p, run);
    // The last row of the log says the same of this step: every column that is also a row of the page, but for seconds.
    snprintf(name, sizeof name, "%s/log.csv", path);
    char *log = get_file(name, NULL), *last = strrchr(log, '\n');
    while (last > log && last[-1] != '\n')
        --last;
    if (strtoll(last, NULL, 10) == r.step) {
        int compared = 0;
        for (const char *head = log, *at = last; *head != '\0' && *head != '\n';) {
            char* column;
            snprintf(field, sizeof field, "%.*s", (int)strcspn(at, ",\n"), at);
            snprintf(name, sizeof name, "%.*s", (int)strcspn(head, ",\n"), head);
            head += strcspn(head, ",\n") + (head[strcspn(head, ",\n")] == ',');
            at += strcspn(at, ",\n") + (at[strcspn(at, ",\n")] == ',');
            for (column = strchr(name, '_'); column != NULL; column = strchr(column, '_'))
                *column = ' ';
            for (int k = 0; k < p->rows && strcmp(name, "step") != 0 && strstr(name, "seconds") == NULL; ++k)
                if (strcmp(p->row[k].name, name) == 0) {
                    assert_string_equal(p->row[k].exact, field);
                    ++compared;
                }
        }
        assert_true(compared >= 9);
    }
    free(log);
    // All links lead somewhere, and the scene is there as it was understood.
    assert_true(p->links >= 5);
    for (int k = 0; k < p->links; ++k) {
        snprintf(name, sizeof name, "%s/%s", path, p->link[k]);
        if (access(name, F_OK) != 0)
            fail_msg("there is no %s", name);
    }
    snprintf(name, sizeof name, "%s/scene.yaml", path);
    char* scene = get_file(name, NULL);
    check_has(p, scene);
    free(scene);
    assert_non_null(p->image);
    assert_true(strlen(p->image) > 2000);
}

static const figure* find_figure(const page* p, const char* caption)
{
    for (int k = 0; k < p->figures; ++k)
        if (strncmp(p->figure[k].caption, caption, strlen(caption)) == 0)
            return &p->figure[k];
    fail_msg("the page has no figure '%s'", caption);
    return NULL;
}

static void check_run(const char* text, const char* name, const char* word, int rows)
{
    stopper s = {0};
    const char* path = in_folder(name);
    char report[600];
    snprintf(report, sizeof report, "%s/report.html", path);
    scree_run* run = begin_run(text, path, &s);
    assert_int_equal(access(report, F_OK), -1);
    // Stopped on the way.
    s = (stopper){.run = run, .at = scree_run_get_steps(run) / 2};
    CHECK_FAILS(scree_run_go(run), SCREE_ERR_CANCELLED);
    int64_t step = run_sim_step(run);
    CHECK_OK(scree_run_write_report(run));
    page* p = read_page(report);
    char words[700];
    assert_string_equal(p->badge, "stopped");
    snprintf(words, sizeof words, "It was stopped at step %" PRId64 " of %" PRId64, step, scree_run_get_steps(run));
    check_has(p, words);
    snprintf(words, sizeof words, word, folder);  // as a shell needs it
    check_has(p, words);
    check_run_page(p, run, path);
    free_page(p);
    // And at its end.
    s.run = NULL;
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_run_write_report(run));
    p = read_page(report);
    assert_string_equal(p->badge, "finished");
    assert_null(strstr(p->all, "scree resume"));
    check_run_page(p, run, path);
    assert_int_equal(find_figure(p, "The largest speed")->points, rows);
    assert_int_equal(find_figure(p, "The largest speed")->curves, 1);
    assert_int_equal(find_figure(p, "Number of rebuilds")->points, rows);
    const figure* energies = find_figure(p, "Energies");
    assert_int_equal(energies->points % rows, 0);
    assert_int_equal(energies->points / rows, energies->curves);
    assert_true(energies->curves >= 4);
    find_figure(p, "Contact");
    find_figure(p, "Wall-clock");
    find_figure(p, "The deepest");
    if (scree_run_get_sim(run) != NULL) {
        assert_int_equal(find_figure(p, "Volume fraction along y")->points, 40);
        assert_int_equal(find_figure(p, "Normal stress yy along y")->points, 40);
        find_figure(p, "P(f)");
        scree_sim_report last;
        CHECK_OK(scree_run_measure(run, &last));
        CHECK_CLOSE(strtod(find_row(p, "network coordination")->exact, NULL), 2.0 * (double)last.contacts / scree_sim_get_count(scree_run_get_sim(run)), 1e-12);
    }
    free_page(p);
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    // Nothing else depends on the page: without it the outcome is the same.
    s = (stopper){0};
    run = begin_run(text, in_folder("plain"), &s);
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    assert_int_equal(access(in_folder("plain/report.html"), F_OK), -1);
    remove_all(in_folder("plain"));
    // A finished run that is resumed writes it again; the old one is replaced.
    scree_run_def def = scree_default_run_def();
    put_text(report, "old");
    CHECK_OK(scree_run_resume(&def, path, &run));
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_run_write_report(run));
    p = read_page(report);
    check_run_page(p, run, path);
    free_page(p);
    scree_run_destroy(run);
}

static void test_run_of_spheres(void** state)
{
    (void)state;
    check_run(discs, "a run's <folder> & more", "scree resume '%s/a run'\\''s <folder> & more'\n", 41);
}

static void test_run_of_bodies(void** state)
{
    (void)state;
    check_run(bodies, "bodies", "scree resume %s/bodies\n", 31);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_LARGE_FRAMES
#endif
#endif
#else
#define HAS_LARGE_FRAMES
#endif

static void* live_a_run(void* text)
{
    stopper s = {0};
    scree_run* run = begin_run(text, in_folder("small"), &s);
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_run_write_report(run));
    scree_run_destroy(run);
    scree_run_def def = scree_default_run_def();
    CHECK_OK(scree_run_resume(&def, in_folder("small"), &run));
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_run_write_report(run));
    scree_run_destroy(run);
    remove_all(in_folder("small"));
    return NULL;
}

// As scree/base.h says of threads that call the library. A smaller stack ends in a fault of its guard page.
static void test_threads_of_little_stack(void** state)
{
    (void)state;
#if !defined(HAS_LARGE_FRAMES)
    const char* const texts[] = {discs, bodies};
    for (int k = 0; k < 2; ++k) {
        pthread_attr_t how;
        pthread_t thread;
        assert_int_equal(pthread_attr_init(&how), 0);
        assert_int_equal(pthread_attr_setstacksize(&how, 256 << 10), 0);
        assert_int_equal(pthread_create(&thread, &how, live_a_run, (void*)(uintptr_t)texts[k]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pthread_attr_destroy(&how);
    }
#else
    (void)live_a_run;
#endif
}

static void test_run_failures(void** state)
{
    (void)state;
    stopper s = {0};
    scree_run* run = begin_run(discs, in_folder("run"), &s);
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_run_hash(run);
    put_text(in_folder("run/report.html"), "before");
    CHECK_OK(scree_run_write_report(run));  // arrays of contacts stay with the simulation
    scree_memory_fail_at(0);
    CHECK_OK(scree_run_write_report(run));
    int64_t allocations = scree_memory_fail_at(0),
            by = 1 + (int64_t)((double)allocations / (25.0 * test_effort()));  // each draws a picture
    for (int64_t n = 1; n <= allocations; n += by) {
        put_text(in_folder("run/report.html"), "before");
        scree_memory_fail_at(n);
        scree_status status = scree_run_write_report(run);
        scree_memory_fail_at(0);
        if (status != SCREE_ERR_MEMORY)
            fail_msg("allocation %d failed and the report gave %d: %s", (int)n, (int)status, scree_error_message());
        CHECK_FILE(in_folder("run/report.html"), "before");
    }
    for (int64_t n = 1;; ++n) {
        put_text(in_folder("run/report.html"), "before");
        scree_output_fail_at(n, ENOSPC);
        scree_status status = scree_run_write_report(run);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            assert_true(calls < n && calls > 4);
            break;
        }
        assert_int_equal(status, SCREE_ERR_IO);
        if (!is_written_anyway())
            CHECK_FILE(in_folder("run/report.html"), "before");
    }
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    // A trial has no folder.
    scree_scene scene;
    scree_run_def def = scree_default_run_def();
    CHECK_OK(scene_parse("test.yaml", discs, strlen(discs), &scene));
    CHECK_OK(scree_run_create(&def, &scene, NULL, &run));
    CHECK_FAILS(scree_run_write_report(run), SCREE_ERR_ARGUMENT);
    scree_run_destroy(run);
    // --force takes the page of an earlier run away with it.
    def.force = true;
    CHECK_OK(scree_run_create(&def, &scene, in_folder("run"), &run));
    assert_int_equal(access(in_folder("run/report.html"), F_OK), -1);
    scree_run_destroy(run);
    scene_free(&scene);
}

// ---- Long logs -------------------------------------------------------------------------------------------------------------

// Any log: each point drawn is a row of it, in order; the first and last row, the least and the largest value are among them.
static void check_curves(scree_run* run, int rows, uint64_t seed)
{
    static const char* const names[] = {"b", "a", "none"};
    scree_rng rng = scree_rng_make(seed, 0);
    double *a = malloc((size_t)rows * sizeof *a), *b = malloc((size_t)rows * sizeof *b);
    FILE* log = fopen(in_folder("run/log.csv"), "wb");
    fprintf(log, "step,time,a,b\n");
    for (int k = 0; k < rows; ++k) {
        a[k] = scree_rng_uniform(&rng);
        b[k] = scree_rng_below(&rng, 50) == 0 ? 100.0 * scree_rng_uniform(&rng) : (double)k / rows;
        fprintf(log, "%d,%d,%.17g,%.17g\n", k, k, a[k], b[k]);
        if (k % 700 == 3)
            fprintf(log, "%d,%d,0.5\n", k, k);  // torn
    }
    fprintf(log, "%d,%d,-1e9", rows, rows);
    fclose(log);
    scree_run_curves curves;
    CHECK_OK(scree_run_read_curves(run, 3, names, &curves));
    assert_int_equal(curves.rows, rows);
    assert_int_equal(curves.curves[2].count, 0);
    for (int c = 0; c < 2; ++c) {
        const double* from = c == 0 ? b : a;
        const scree_run_curve* curve = &curves.curves[c];
        double low = INFINITY, high = -INFINITY, drawn_low = INFINITY, drawn_high = -INFINITY;
        for (int k = 0; k < rows; ++k) {
            low = fmin(low, from[k]);
            high = fmax(high, from[k]);
        }
        assert_true(curve->count <= 1026 && (rows > 512 || curve->count == rows));
        for (int32_t k = 0; k < curve->count; ++k) {
            int at = (int)curve->x[k];
            assert_true(at >= 0 && at < rows && from[at] == curve->y[k]);
            assert_true(k == 0 || curve->x[k] >= curve->x[k - 1]);
            drawn_low = fmin(drawn_low, curve->y[k]);
            drawn_high = fmax(drawn_high, curve->y[k]);
        }
        if (rows > 0) {
            assert_true(drawn_low == low && drawn_high == high);
            assert_int_equal((int)curve->x[0], 0);
            assert_int_equal((int)curve->x[curve->count - 1], rows - 1);
        }
    }
    scree_run_curves_free(&curves);
    free(a);
    free(b);
}

// However many columns the log has, each curve is that of its own: the last, the first, and those where a name is the beginning of another.
static void test_wide_logs(void** state)
{
    (void)state;
    enum { wide = 700, rows = 5 };
    static const char* const names[] = {"c699", "c0", "c69", "c512", "c700"};
    static const int column[] = {699, 0, 69, 512};
    stopper s = {0};
    scree_run* run = begin_run(discs, in_folder("run"), &s);
    FILE* log = fopen(in_folder("run/log.csv"), "wb");
    for (int n = -1; n < rows; ++n) {
        n < 0 ? fprintf(log, "time") : fprintf(log, "%d", n);
        for (int c = 0; c < wide; ++c)
            n < 0 ? fprintf(log, ",c%d", c) : fprintf(log, ",%d", 1000 * n + c);
        fprintf(log, n == 2 ? ",7\n" : "\n");  // a field too many: not a row
    }
    fclose(log);
    scree_run_curves curves;
    CHECK_OK(scree_run_read_curves(run, 5, names, &curves));
    assert_int_equal(curves.rows, rows - 1);
    assert_int_equal(curves.curves[4].count, 0);
    for (int c = 0; c < 4; ++c) {
        assert_int_equal(curves.curves[c].count, rows - 1);
        for (int k = 0; k < rows - 1; ++k) {
            int n = k + (k >= 2);
            assert_true(curves.curves[c].x[k] == n && curves.curves[c].y[k] == 1000 * n + column[c]);
        }
    }
    scree_run_curves_free(&curves);
    scree_run_destroy(run);
}

static void test_long_logs(void** state)
{
    (void)state;
    stopper s = {0};
    scree_run* run = begin_run(discs, in_folder("run"), &s);
    static const int rows[] = {0, 1, 2, 511, 512, 513, 1023, 1024, 1025, 5000, 40000};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        check_curves(run, rows[k], k);
    // The page of a long log is no larger than that of a shorter one.
    int64_t size[2];
    for (int k = 0; k < 2; ++k) {
        struct stat about;
        check_curves(run, k == 0 ? 2000 : 40000, 3);
        FILE* log = fopen(in_folder("run/log.csv"), "wb");
        fprintf(log, "time,energy_kinetic,contacts\n");
        for (int n = 0; n < (k == 0 ? 2000 : 40000); ++n)
            fprintf(log, "%d,%d,%d\n", n, n * 7919 % 1000, n * 31 % 100);
        fclose(log);
        CHECK_OK(scree_run_write_report(run));
        assert_int_equal(stat(in_folder("run/report.html"), &about), 0);
        size[k] = (int64_t)about.st_size;
        page* p = read_page(in_folder("run/report.html"));
        check_has(p, k == 0 ? "The log has 2000 rows" : "The log has 40000 rows");
        free_page(p);
    }
    assert_true(size[1] < size[0] + 20000);
    // Without rows, or without a log at all.
    put_text(in_folder("run/log.csv"), "");
    CHECK_OK(scree_run_write_report(run));
    free_page(read_page(in_folder("run/report.html")));
    unlink(in_folder("run/log.csv"));
    CHECK_FAILS(scree_run_write_report(run), SCREE_ERR_IO, "log.csv");
    scree_run_destroy(run);
}

static const test_case cases[] = {
    UNIT(test_text),
    UNIT(test_command),
    UNIT(test_numbers),
    UNIT(test_picture),
    ALLOCATION(test_failures),
    UNIT(test_run_of_spheres),
    UNIT(test_run_of_bodies),
    ALLOCATION(test_run_failures),
    UNIT(test_threads_of_little_stack),
    UNIT(test_long_logs),
    UNIT(test_wide_logs),
};

const test_group group_report = {.name = "report", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
