// The page of scree pack --report: what was asked for and what came out, all that --json says, with the curves drawn.
//
// The measures come from cmd_pack.c. Added here are a finer size distribution (O(n log
// n)), a histogram of partners, and a picture of 960 x 720 pixels.
#include "packers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    curve_rows = 200,      // of the size curve
    most_partners = 40,    // bars of the histogram; those who have more share the last
    most_words = 100,
};

// ---- Where to ------------------------------------------------------------------------------------------------------------

static bool ends_with(const char* path, const char* ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

bool pack_report_target(const arguments* args)
{
    const char* path = option_text(args, "report");
    if (path == NULL || ends_with(path, ".html") || ends_with(path, ".htm") || strncmp(path, "/dev/", 5) == 0)
        return true;
    say("scree %s: --report expects a name that ends in .html, got '%s'\n", args->what->name, path);
    return false;
}

// ---- Tables --------------------------------------------------------------------------------------------------------------

static void tell_asked(scree_report* page, const pack_wish* wish, const packing* pk)
{
    const option* asked;
    const char *value, *words[most_words] = {"scree", "pack", pk->how->name};
    char (*names)[40] = malloc(most_words * sizeof *names);
    int count = 3;
    scree_report_value(page, "size distribution", scree_sizes_get_text(wish->sizes), "");
    scree_report_value(page, "method", pk->how->name, pk->how->long_name);
    if (wish->count > 0)
        scree_report_integer(page, "requested spheres", wish->count, "",
                             option_given(wish->args, "count") ? "" : "from box and density");
    if (option_exists(wish->args, "density") && option_given(wish->args, "density"))
        scree_report_number(page, "requested density", wish->density, "", "");
    scree_report_value(page, "container", scree_container_name(wish->container), "");
    for (int p = 0; names != NULL && option_nth(wish->args, p, &asked, &value); ++p) {
        if (value == NULL || count + 2 > most_words)
            continue;
        snprintf(names[count], sizeof *names, "--%s", asked->name);
        words[count] = names[count];
        ++count;
        if (asked->value != NULL)
            words[count++] = value;
    }
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, wish->co->seed);
    scree_report_value(page, "seed", seed, "the same command gives the same bits for any number of threads");
    scree_report_text(page, "To repeat it:");
    if (names != NULL)
        scree_report_command(page, count, words);
    free(names);
}

// ---- Figures -------------------------------------------------------------------------------------------------------------

static scree_plot small_plot(const char* x_label, const char* y_label)
{
    scree_plot plot = scree_default_plot();
    plot.width = SCREE_REPORT_PLOT_WIDTH;
    plot.height = SCREE_REPORT_PLOT_HEIGHT;
    plot.x_label = x_label;
    plot.y_label = y_label;
    return plot;
}

// Largest difference between the realised and the requested distribution.
static double deviation(const pack_wish* wish, const scree_size_curve* curve, bool by_mass)
{
    double most = 0.0;
    for (int32_t k = 0; k < curve->rows; ++k) {
        double wished = by_mass ? scree_sizes_cdf_mass(wish->sizes, 0.5 * curve->d[k]) : scree_sizes_cdf(wish->sizes, 0.5 * curve->d[k]);
        most = fmax(most, fabs((by_mass ? curve->by_mass : curve->by_number)[k] - wished));
    }
    return most;
}

// The realised curve climbs in steps where there are few sizes; what was wished for is dashed.
static void draw_sizes(scree_report* page, const pack_wish* wish, const scree_size_curve* curve, bool by_mass)
{
    enum { room = 2 * curve_rows };
    double x[room], y[room], wished_x[room], wished_y[room], low = curve->d[0], high = curve->d[curve->rows - 1];
    const double* share = by_mass ? curve->by_mass : curve->by_number;
    bool stairs = curve->rows < curve_rows;
    int32_t count = 0;
    for (int32_t k = 0; k < curve->rows; ++k) {
        if (stairs) {
            x[count] = curve->d[k];
            y[count++] = k > 0 ? share[k - 1] : 0.0;
        }
        x[count] = curve->d[k];
        y[count++] = share[k];
    }
    bool log = low > 0.0 && high > 3.0 * low;
    for (int k = 0; k < room; ++k) {
        double t = (k - 0.02 * room) / (0.96 * room);
        wished_x[k] = log ? low * pow(high / low, t) : low + t * (high - low);
        wished_y[k] = by_mass ? scree_sizes_cdf_mass(wish->sizes, 0.5 * wished_x[k]) : scree_sizes_cdf(wish->sizes, 0.5 * wished_x[k]);
    }
    scree_plot plot = small_plot("diameter", by_mass ? "fraction no larger, by mass" : "fraction no larger, by number");
    scree_series series[2] = {{.name = "realised", .count = count, .x = x, .y = y, .style = SCREE_SERIES_CURVE, .colour = 1},
                              {.name = "wished", .count = room, .x = wished_x, .y = wished_y, .style = SCREE_SERIES_DASHES, .colour = 2}};
    plot.x_log = log;
    plot.y_range[0] = 0.0;
    plot.y_range[1] = 1.02;
    plot.series = series;
    plot.series_count = 2;
    scree_report_plot(page, by_mass ? "Sizes by mass: a sieve curve." : "Sizes by number.", &plot);
}

static void draw_gr(scree_report* page, const scree_measures* m)
{
    const scree_pair_distribution* gr = &m->g_r;
    double* x = gr->bins > 1 && m->diameter_mean > 0.0 ? scree_malloc((size_t)gr->bins, sizeof *x) : NULL;
    if (x == NULL)
        return;
    for (int32_t b = 0; b < gr->bins; ++b)
        x[b] = 0.5 * (gr->r[b] + gr->r[b + 1]) / m->diameter_mean;
    const double ends[2] = {0.0, gr->r_max / m->diameter_mean}, ones[2] = {1.0, 1.0};
    scree_series series[2] = {{.name = "g(r)", .count = gr->bins, .x = x, .y = gr->g, .style = SCREE_SERIES_CURVE, .colour = 1},
                              {.name = "1", .count = 2, .x = ends, .y = ones, .style = SCREE_SERIES_DASHES, .colour = 6}};
    scree_plot plot = small_plot("distance of centres over mean diameter", "g(r)");
    plot.series = series;
    plot.series_count = 2;
    plot.x_range[0] = 0.0;
    scree_report_plot(page, "Pair distribution of the centres; 1 for random points in the same box.", &plot);
    scree_free(x);
}

static void draw_partners(scree_report* page, const scree_contact_counts* counts)
{
    double number[most_partners + 1], share[most_partners + 1] = {0};
    int64_t most = 0;
    char caption[160];
    for (int32_t i = 0; i < counts->n; ++i) {
        int64_t partners = counts->partners[i] < most_partners ? counts->partners[i] : most_partners;
        most = partners > most ? partners : most;
        share[partners] += 1.0 / counts->n;
    }
    if (most == 0)
        return;
    for (int k = 0; k <= most; ++k)
        number[k] = k;
    scree_series series = {.count = (int32_t)most + 1, .x = number, .y = share, .style = SCREE_SERIES_BARS, .colour = 1};
    scree_plot plot = small_plot("partners", "fraction of the spheres");
    plot.series = &series;
    plot.series_count = 1;
    snprintf(caption, sizeof caption, "Number of partners of a sphere.%s",
             most == most_partners ? " The last bar is for 40 and more." : "");
    scree_report_plot(page, caption, &plot);
}

static scree_status draw_figures(scree_report* page, const pack_wish* wish, const packing* pk)
{
    const scree_measures* m = &pk->measures;
    scree_size_curve curve;
    scree_measure_def def = scree_default_measure_def();
    def.box = pk->set.box;
    def.size_rows = curve_rows;
    scree_status status = scree_measure_size_curve(&def, scree_sphere_set_view(&pk->set), &curve);
    if (status != SCREE_OK)
        return status;
    if (curve.rows > 1) {
        scree_report_number(page, "largest deviation from the size distribution, by mass", 100.0 * deviation(wish, &curve, true), "%",
                            "actual minus requested fraction, over all sizes");
        scree_report_number(page, "the same by number", 100.0 * deviation(wish, &curve, false), "%", "");
        draw_sizes(page, wish, &curve, true);
        draw_sizes(page, wish, &curve, false);
    } else {
        scree_report_text(page, "All spheres have the same size.");
    }
    scree_size_curve_free(&curve);
    draw_gr(page, m);
    draw_partners(page, &m->contacts);
    return SCREE_OK;
}

static scree_status draw_picture(scree_report* page, const pack_wish* wish, const packing* pk)
{
    scree_picture_def look = scree_default_picture_def();
    const scree_box* box = &pk->set.box;
    look.width = 960;
    look.height = 720;
    look.threads = wish->co->threads;
    if (box->dim == 2)  // as upright or flat as the box, with room for the bar of colours
        look.width = (int32_t)(120.0 + 720.0 * fmin(fmax((box->upper[0] - box->lower[0]) / (box->upper[1] - box->lower[1]), 0.5), 1.6));
    if (!run_interrupted())
        look.watch = run_watch("drawing for the report", wish->co->quiet);
    uint8_t* rgba = scree_malloc((size_t)look.width * (size_t)look.height, 4);
    scree_status status = rgba != NULL ? scree_picture_render(&pk->set, &look, rgba) : SCREE_ERR_MEMORY;
    run_watch_end();
    if (status == SCREE_OK)
        scree_report_picture(page, "The packing, coloured by radius.", look.width, look.height, rgba);
    scree_free(rgba);
    return status;
}

// ---- The page ------------------------------------------------------------------------------------------------------------

// What leads from the page's folder to the packing: its name, where both are in one folder.
static void put_link(scree_report* page, const char* path, const char* file, const char* note)
{
    const char *slash = strrchr(path, '/'), *other = file != NULL ? strrchr(file, '/') : NULL;
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    if (file == NULL || strcmp(file, "-") == 0 || (other != NULL ? (size_t)(other - file) + 1 : 0) != length ||
        strncmp(path, file, length) != 0)
        return;
    scree_report_link(page, file + length, note);
}

static scree_status fill_page(scree_report* page, const char* path, const pack_wish* wish, const packing* pk, const result* res)
{
    char day[64] = "";
    time_t now = time(NULL);
    struct tm when;
    scree_report_badge(page, pk->converged ? "converged" : "not converged", pk->converged);
    scree_status status = draw_picture(page, wish, pk);
    if (status != SCREE_OK)
        return status;
    scree_report_heading(page, "Result");
    result_page(res, page);
    if (!wish->stable && pk->measures.n > 0 && 2 * pk->measures.contacts.rattlers > pk->measures.n)
        scree_report_text(page, "Most spheres are rattlers, which are not held by contacts. --stable makes a packing in force balance.");
    scree_report_heading(page, "Sizes, distances, neighbours");
    status = draw_figures(page, wish, pk);
    if (status != SCREE_OK)
        return status;
    scree_report_heading(page, "Input");
    tell_asked(page, wish, pk);
    put_link(page, path, wish->co->out, "the packing");
    put_link(page, path, option_text(wish->args, "picture"), "its picture");
    scree_report_heading(page, "Versions");
    if (gmtime_r(&now, &when) != NULL)
        strftime(day, sizeof day, "%Y-%m-%d %H:%M UTC", &when);
    scree_report_value(page, "written", day, "");
    scree_report_versions(page);
    return SCREE_OK;
}

scree_status pack_report_write(const char* path, const pack_wish* wish, const packing* pk, const result* res)
{
    char about[256], density[32];
    scree_report* page;
    scree_report_format(density, pk->measures.density.whole);
    snprintf(about, sizeof about, "A packing of %" PRId32 " sphere%s in %dD by %s: density %s. Lengths are in the unit of the sizes.",
             pk->measures.n, pk->measures.n == 1 ? "" : "s", (int)pk->measures.dim, pk->how->long_name, density);
    const char* slash = strrchr(wish->co->out, '/');
    const char* name = strcmp(wish->co->out, "-") == 0 ? "Packing" : slash != NULL && slash[1] != '\0' ? slash + 1 : wish->co->out;
    scree_status status = scree_report_create(name, about, &page);
    if (status != SCREE_OK)
        return status;
    status = fill_page(page, path, wish, pk, res);
    if (status == SCREE_OK)
        status = scree_write_report(page, path);
    scree_report_destroy(page);
    return status;
}
