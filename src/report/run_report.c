// report.html of a run: the system, the course of the run and its results, on one page without other files.
//
// The page is made from the current state, the log and the scene. No other file in the folder depends on it, and a resumed run
// does not reproduce it byte by byte, because it contains times and how the run was stopped. Cost: the log is read once, and a
// picture is drawn (about a second for a million spheres).
#include "report/run_report.h"

#include "base/argument.h"
#include "scree/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { shown_scene = 20000 };  // characters of the scene; the rest is in its file

// A run, and what it is like at this moment.
typedef struct story {
    scree_run* run;
    scree_run_facts is;
    scree_run_summary* summary;
    scree_sim* sim;               // one of the two; the other is NULL
    scree_polygon_sim* polygons;
} story;

// ---- Words ---------------------------------------------------------------------------------------------------------------

static void say_seconds(char text[48], double seconds)
{
    char number[32];
    int64_t whole = (int64_t)fmin(fmax(seconds, 0.0), 1e15);
    scree_report_format(number, (double)llround(fmin(fmax(seconds, 0.0), 100.0) * 100.0) / 100.0);
    if (seconds < 100.0)
        snprintf(text, 48, "%s s", number);
    else if (whole < 6000)
        snprintf(text, 48, "%" PRId64 " min %" PRId64 " s", whole / 60, whole % 60);
    else
        snprintf(text, 48, "%" PRId64 " h %" PRId64 " min", whole / 3600, whole / 60 % 60);
}

// ---- How it ended --------------------------------------------------------------------------------------------------------

static void tell_end(scree_report* page, const story* s)
{
    char text[2048], time[32], end[32];
    const char* const words[] = {"scree", "resume", s->is.folder};
    scree_report_format(time, s->is.time);
    scree_report_format(end, s->is.end);
    if (s->is.ended != SCREE_OK && s->is.ended != SCREE_ERR_CANCELLED) {
        scree_report_badge(page, "ended with an error", false);
        snprintf(text, sizeof text, "It ended with an error: %s", s->is.why);
        scree_report_text(page, text);
        snprintf(text, sizeof text,
                 "The newest checkpoint is of step %" PRId64 " of %" PRId64 ". After removing the cause, continue with:",
                 s->is.checkpoints[0], s->is.steps);
    } else if (s->is.step < s->is.steps) {
        scree_report_badge(page, "stopped", false);
        snprintf(text, sizeof text,
                 "It was stopped at step %" PRId64 " of %" PRId64 ", time %s of %s, with a checkpoint of step %" PRId64 ". "
                 "To continue, with the same result to the last bit:",
                 s->is.step, s->is.steps, time, end, s->is.checkpoints[0]);
    } else {
        scree_report_badge(page, "finished", true);
        return;
    }
    scree_report_text(page, text);
    scree_report_command(page, 3, words);
}

// ---- Picture -------------------------------------------------------------------------------------------------------------

static scree_picture_def look_at(const story* s, const scree_box* box, const char* velocity, double size_ratio, double speed)
{
    scree_picture_def look = scree_default_picture_def();
    look.width = 960;
    look.height = 720;
    look.threads = s->is.threads;
    if (box->dim == 2) {  // as upright or flat as the box, with room for the bar of colours
        double aspect = (box->upper[0] - box->lower[0]) / (box->upper[1] - box->lower[1]);
        if (aspect > 0.0 && isfinite(aspect))
            look.width = (int32_t)(120.0 + 720.0 * fmin(fmax(aspect, 0.5), 1.6));
    }
    if (size_ratio < 1.05 && speed > 0.0)  // sizes are no news
        look.colour_by = velocity;
    return look;
}

static scree_status draw(const story* s, scree_report* page)
{
    const scree_quantity *speed = scree_run_summary_find(s->summary, "speed_max"), *ratio = scree_run_summary_find(s->summary, "size_ratio");
    bool bodies = s->is.bodies;
    scree_outline_set set = {0};
    const scree_sphere_set* spheres = NULL;
    scree_picture_def look;
    if (!bodies && s->is.count > report_spheres_most)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "%" PRId32 " spheres; expected at most %d for a picture in a report", s->is.count, report_spheres_most);
    scree_status status = bodies ? scree_outline_set_copy(s->polygons, &set) : scree_run_get_spheres(s->run, &spheres);
    if (status != SCREE_OK)
        return status;
    scree_box box = bodies ? scree_polygon_sim_get_box(s->polygons) : spheres->box;
    look = look_at(s, &box, "velocity", ratio->values[0], speed->values[0]);
    uint8_t* rgba = scree_malloc((size_t)look.width * (size_t)look.height, 4);
    if (rgba == NULL)
        status = SCREE_ERR_MEMORY;
    else
        status = bodies ? scree_picture_render_outlines(&set, &look, rgba) : scree_picture_render(spheres, &look, rgba);
    if (status == SCREE_OK) {
        char caption[160], time[32];
        scree_report_format(time, s->is.time);
        snprintf(caption, sizeof caption, "Step %" PRId64 ", time %s. Colours show the %s.", s->is.step, time,
                 look.colour_by == NULL ? "radius" : "speed");
        scree_report_picture(page, caption, look.width, look.height, rgba);
    }
    scree_free(rgba);
    scree_outline_set_free(&set);
    return status;
}

// ---- Quantities ----------------------------------------------------------------------------------------------------------

// The quantities of a topic, as rows below a sentence (NULL: none).
static void put_quantities(scree_report* page, const story* s, scree_topic topic, const char* sentence)
{
    bool any = false;
    for (int32_t k = 0; k < scree_run_summary_get_count(s->summary); ++k) {
        const scree_quantity* q = scree_run_summary_get(s->summary, k);
        if (q->topic != (int32_t)topic)
            continue;
        if (!any && sentence != NULL)
            scree_report_text(page, sentence);
        any = true;
        scree_report_quantity(page, q);
    }
}

// ---- Curves --------------------------------------------------------------------------------------------------------------

enum {
    KINETIC,
    CONTACT,
    GRAVITY,
    TOTAL,
    ROTATION,
    CONTACTS,
    WALL_CONTACTS,
    TOUCHING,
    OVERLAP,
    RELATIVE,
    SPEED,
    PRESSURE,
    DISSIPATED_NORMAL,
    DISSIPATED_TANGENTIAL,
    DISSIPATED_ROLLING,
    DISSIPATED_TWISTING,
    BALANCE,
    BONDS_BROKEN,
    BOND_ENERGY,
    BOND_RELEASED,
    REBUILDS,
    SEARCH,
    FORCE,
    INTEGRATE,
    SECONDS,
    SPHERES,
    FLOW_IN,
    FLOW_OUT,
    WAITING,
    curve_count
};

static const char* const columns[curve_count] = {
    "energy_kinetic", "energy_contact",    "energy_gravity",   "energy",        "energy_rotation", "contacts", "wall_contacts",
    "touching",       "max_overlap",   "max_overlap_relative", "speed_max", "pressure",        "dissipated_normal", "dissipated_tangential",
    "dissipated_rolling", "dissipated_twisting", "balance", "bonds_broken", "energy_bonds", "released_bonds", "rebuilds", "seconds_search",
    "seconds_force",  "seconds_integrate", "seconds", "n", "mass_flow_in", "mass_flow_out", "waiting"};

typedef struct wish {
    int curve;
    const char* name;
    int style, colour;
} wish;

static bool has_values(const scree_run_curve* curve, bool log)
{
    for (int32_t k = 0; k < curve->count; ++k)
        if (log ? curve->y[k] > 0.0 : curve->y[k] != 0.0)
            return true;
    return false;
}

// Ten powers of ten are shown: the first touch of two bodies is a number as small as can be, and says nothing. NAN: there are no more.
static double lowest_shown(int count, const scree_series* series)
{
    double low = INFINITY, high = 0.0;
    for (int s = 0; s < count; ++s)
        for (int32_t k = 0; k < series[s].count; ++k)
            if (series[s].y[k] > 0.0) {
                low = fmin(low, series[s].y[k]);
                high = fmax(high, series[s].y[k]);
            }
    return low < 1e-10 * high && high > 1e-280 && high < 1e290 ? 1e-10 * high : NAN;
}

// Curves that are 0 all along are left out, unless all are; fewer than two rows make no figure.
static void put_figure(scree_report* page, const scree_run_curves* from, const char* title, const char* caption, bool log, int count,
                       const wish* wanted)
{
    scree_series series[8];
    scree_plot plot = scree_default_plot();
    plot.width = SCREE_REPORT_PLOT_WIDTH;
    plot.height = SCREE_REPORT_PLOT_HEIGHT;
    plot.x_label = "time";
    plot.y_label = title;
    plot.y_log = log;
    plot.series = series;
    for (int w = 0; w < count; ++w) {
        const scree_run_curve* curve = &from->curves[wanted[w].curve];
        bool alone = count == 1 && curve->count > 0;
        if (curve->count >= 2 && (alone || has_values(curve, log)))
            series[plot.series_count++] = (scree_series){.name = alone ? NULL : wanted[w].name,
                                                         .count = curve->count,
                                                         .x = curve->x,
                                                         .y = curve->y,
                                                         .style = wanted[w].style,
                                                         .colour = wanted[w].colour};
    }
    if (log)
        plot.y_range[0] = lowest_shown(plot.series_count, series);
    if (plot.series_count > 0)
        scree_report_plot(page, caption, &plot);
}

static void put_percent(scree_run_curve* curve)
{
    for (int32_t k = 0; k < curve->count; ++k)
        curve->y[k] *= 100.0;
}

static void put_curves(scree_report* page, scree_run_curves* c, bool bodies)
{
    enum { LINE = SCREE_SERIES_CURVE, DASHES = SCREE_SERIES_DASHES };
    char text[200];
    if (c->rows < 2) {
        scree_report_text(page, "The log has fewer than two rows, so there are no curves yet.");
        return;
    }
    if (c->rows > 512) {
        snprintf(
            text, sizeof text,
            "The log has %" PRId64
            " rows. Curves are thinned: of each interval the smallest and the largest value are drawn, which keeps the peaks.",
            c->rows);
        scree_report_text(page, text);
    }
    put_figure(page, c, "energy", "Energies. The energy of gravity is 0 at the origin.", false, 5,
               (wish[]){{KINETIC, "kinetic", LINE, 1},
                        {CONTACT, "contacts", LINE, 2},
                        {GRAVITY, "gravity", LINE, 3},
                        {ROTATION, "rotation", LINE, 5},
                        {TOTAL, "total", DASHES, 6}});
    put_figure(page, c, "dissipated energy", "Dissipated energy by kind of contact force, since the start, and the balance of all energies with the work of walls, gravity and forces, which is constant.",
               false, 5,
               (wish[]){{DISSIPATED_NORMAL, "normal", LINE, 1},
                        {DISSIPATED_TANGENTIAL, "friction", LINE, 2},
                        {DISSIPATED_ROLLING, "rolling", LINE, 3},
                        {DISSIPATED_TWISTING, "twisting", LINE, 5},
                        {BALANCE, "balance", DASHES, 6}});
    put_figure(page, c, "energy, logarithmic", "Kinetic energy and energy of contacts on a logarithmic scale.", true, 3,
               (wish[]){{KINETIC, "kinetic", LINE, 1}, {CONTACT, "contacts", LINE, 2}, {ROTATION, "rotation", LINE, 5}});
    put_figure(
        page, c, "contacts",
        bodies ? "Contact points between bodies and with walls, and pairs of bodies that touch."
               : "Contacts between spheres and with walls.",
        false, 3,
        (wish[]){{CONTACTS, bodies ? "bodies" : "spheres", LINE, 1}, {WALL_CONTACTS, "walls", LINE, 2}, {TOUCHING, "pairs", DASHES, 3}});
    if (has_values(&c->curves[BOND_ENERGY], false)) {
        put_figure(page, c, "broken bonds", "Number of broken bonds.", false, 1, (wish[]){{BONDS_BROKEN, "", LINE, 2}});
        put_figure(page, c, "energy of bonds", "Energy of intact bonds, and energy of bonds when they broke.", false, 2,
                   (wish[]){{BOND_ENERGY, "in bonds", LINE, 1}, {BOND_RELEASED, "released", LINE, 2}});
    }
    if (has_values(&c->curves[SPHERES], false)) {
        put_figure(page, c, "spheres", "Number of spheres, and of spheres that wait for space to be inserted.", false, 2, (wish[]){{SPHERES, "present", LINE, 1}, {WAITING, "waiting", LINE, 2}});
        put_figure(page, c, "mass flow", "Mass inserted and removed per time, since the previous row.", false, 2, (wish[]){{FLOW_IN, "in", LINE, 1}, {FLOW_OUT, "out", LINE, 2}});
    }
    if (bodies) {
        put_figure(page, c, "largest overlap", "The deepest contact of each row of the log, as a length.", false, 1,
                   (wish[]){{OVERLAP, "", LINE, 8}});
    } else {
        put_percent(&c->curves[RELATIVE]);
        put_figure(page, c, "largest overlap, % of the smaller radius",
                   "The deepest contact. Above 10 % the contacts are too soft for these impacts.", false, 1,
                   (wish[]){{RELATIVE, "", LINE, 8}});
    }
    put_figure(page, c, "largest speed", "The largest speed of all bodies.", false, 1, (wish[]){{SPEED, "", LINE, 3}});
    if (has_values(&c->curves[PRESSURE], false))
        put_figure(page, c, "pressure", "Pressure, from contacts and from motion relative to the centre of mass.", false, 1, (wish[]){{PRESSURE, "", LINE, 4}});
}

static void put_work_curves(scree_report* page, const scree_run_curves* c)
{
    if (c->rows < 2)
        return;
    put_figure(page, c, "seconds so far", "Wall-clock time by stage against simulated time.", false, 4,
               (wish[]){{SEARCH, "search", SCREE_SERIES_CURVE, 1},
                          {FORCE, "forces", SCREE_SERIES_CURVE, 2},
                          {INTEGRATE, "motion", SCREE_SERIES_CURVE, 3},
                          {SECONDS, "total", SCREE_SERIES_DASHES, 6}});
    put_figure(page, c, "list rebuilds so far", "Number of rebuilds of the candidate list.", false, 1,
               (wish[]){{REBUILDS, "", SCREE_SERIES_CURVE, 1}});
}

// ---- Files ---------------------------------------------------------------------------------------------------------------

static bool path_in(char* path, size_t room, const story* s, const char* name)
{
    int length = snprintf(path, room, "%s/%s", s->is.folder, name);
    return length > 0 && (size_t)length < room;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void put_link(scree_report* page, const story* s, const char* note, const char* format, ...)
{
    char name[128], path[4096];
    struct stat what;
    va_list list;
    va_start(list, format);
    int length = vsnprintf(name, sizeof name, format, list);
    va_end(list);
    if (length > 0 && (size_t)length < sizeof name && path_in(path, sizeof path, s, name) && stat(path, &what) == 0)
        scree_report_link(page, name, note);
}

static void put_files(scree_report* page, const story* s)
{
    char text[160];
    put_link(page, s, "the scene with all defaults; it can be run again", "scene.yaml");
    put_link(page, s, "energies, momentum, contacts, overlaps, work, stress, forces on walls: the data of the curves", "log.csv");
    put_link(page, s, "the list of frames, for ParaView", "frames.pvd");
    snprintf(text, sizeof text, "%" PRId64 " so far", s->is.frames);
    put_link(page, s, text, "frames/");
    put_link(page, s, "the list of contacts, for ParaView", "contacts.pvd");
    put_link(page, s, "the contacts of each frame", "contacts/");
    put_link(page, s, "a picture of each frame", "pictures/");
    put_link(page, s, "the pictures as a film", "animation.mp4");
    for (int k = 0; k < 2; ++k)
        if (s->is.checkpoints[k] >= 0)
            put_link(page, s, k == 0 ? "the newest checkpoint" : "the previous checkpoint", "checkpoint_%012" PRId64 ".npz", s->is.checkpoints[k]);
}

static scree_status put_scene(scree_report* page, const story* s)
{
    scree_report_text(page, "With all defaults. Any consistent units work; the report uses the units of the scene.");
    if (s->is.scene_length <= shown_scene) {
        scree_report_lines(page, s->is.scene_text);
        return SCREE_OK;
    }
    char* begin = scree_malloc(shown_scene + 1, 1);
    if (begin == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(begin, s->is.scene_text, shown_scene);
    begin[shown_scene] = '\0';
    char* last = strrchr(begin, '\n');
    if (last != NULL)
        *last = '\0';
    scree_report_lines(page, begin);
    scree_free(begin);
    scree_report_text(page, "The remaining lines are in scene.yaml.");
    return SCREE_OK;
}

// ---- The page ------------------------------------------------------------------------------------------------------------

static void put_made(scree_report* page)
{
    char text[64] = "";
    time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day) != NULL)
        strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &day);
    scree_report_value(page, "written", text, "");
    scree_report_versions(page);
}

static void tell_missing(scree_report* page, const char* what)
{
    char text[1200];
    snprintf(text, sizeof text, "There is no %s of this state: %s", what, scree_error_message());
    scree_report_text(page, text);
}

static scree_status put_state(story* s, scree_report* page)
{
    const scree_quantity* fault = scree_run_summary_find(s->summary, "not_measured");
    scree_status status = fault == NULL ? draw(s, page) : SCREE_OK;
    if (status != SCREE_OK && status != SCREE_ERR_MEMORY)
        tell_missing(page, "picture");
    if (status != SCREE_ERR_MEMORY)
        status = scree_run_get_facts(s->run, &s->is);  // with the spheres that were drawn
    if (status != SCREE_OK)
        return status;
    scree_report_heading(page, s->is.step < s->is.steps ? "Current state" : "Result");
    put_quantities(page, s, SCREE_TOPIC_STATE, NULL);
    put_quantities(page, s, SCREE_TOPIC_STRESS,
                   "The stress tensor is the sum of a kinetic part, of motion relative to the centre of mass, and a contact part. It is symmetric and positive under pressure; the pressure is the "
                   "mean of xx, yy and, in 3D, zz.");
    put_quantities(page, s, SCREE_TOPIC_BOUNDARIES, "Forces and torques on each wall, and the power that it transfers to the spheres, as in the last row of log.csv.");
    if (s->is.bodies || fault != NULL)
        return SCREE_OK;
    scree_report_heading(page, "Contacts and profiles");
    status = scree_report_state(page, s->run, &s->is);
    if (status != SCREE_OK && status != SCREE_ERR_MEMORY)
        tell_missing(page, "analysis");
    return status == SCREE_ERR_MEMORY ? status : SCREE_OK;
}

static scree_status fill_page(story* s, scree_report* page)
{
    scree_run_curves curves;
    scree_status status = scree_run_read_curves(s->run, curve_count, columns, &curves);
    if (status != SCREE_OK)
        return status;
    tell_end(page, s);
    status = put_state(s, page);
    if (status == SCREE_OK) {
        scree_report_heading(page, "Time series");
        put_curves(page, &curves, s->is.bodies);
        scree_report_heading(page, "Run time and memory");
        put_quantities(page, s, SCREE_TOPIC_WORK, NULL);
        put_work_curves(page, &curves);
    }
    scree_run_curves_free(&curves);
    if (status != SCREE_OK)
        return status;
    scree_report_heading(page, "Derived quantities");
    put_quantities(page, s, SCREE_TOPIC_SYSTEM, NULL);
    put_quantities(page, s, SCREE_TOPIC_DERIVED, NULL);
    scree_report_heading(page, "Files");
    put_files(page, s);
    scree_report_heading(page, "Scene");
    status = put_scene(page, s);
    scree_report_heading(page, "Versions");
    put_made(page);
    return status;
}

static scree_status write_page(story* s, const char* path)
{
    char about[256], clock[48], time[32];
    const char* slash = strrchr(s->is.folder, '/');
    const char* name = slash != NULL && slash[1] != '\0' ? slash + 1 : s->is.folder;
    scree_report* page;
    scree_report_format(time, s->is.time);
    say_seconds(clock, scree_run_summary_find(s->summary, "seconds")->values[0]);
    snprintf(about, sizeof about, "A simulation of %" PRId32 " %s in %dD: %" PRId64 " steps, time %s, %s of wall-clock time.", s->is.count,
             s->is.bodies ? "bodies" : "spheres", (int)s->is.dim, s->is.step, time, clock);
    scree_status status = scree_report_create(name, about, &page);
    if (status != SCREE_OK)
        return status;
    status = fill_page(s, page);
    if (status == SCREE_OK)
        status = scree_write_report(page, path);
    scree_report_destroy(page);
    return status;
}

scree_status scree_run_write_report(scree_run* run)
{
    SCREE_NEED(run);
    char path[4096];
    story s = {.run = run, .sim = scree_run_get_sim(run), .polygons = scree_run_get_polygon_sim(run)};
    scree_status status = scree_run_get_facts(run, &s.is);
    if (status != SCREE_OK)
        return status;
    if (s.is.folder == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "run: the run has no folder; expected a folder for its report");
    if (!path_in(path, sizeof path, &s, "report.html"))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the path of the folder is too long; expected a shorter one", s.is.folder);
    struct stat what;  // it may have come into the folder during the run: a link would be followed, and a FIFO would wait for a reader
    if (lstat(path, &what) == 0 && !S_ISREG(what.st_mode))
        return scree_fail(SCREE_ERR_IO, "%s: this is %s; expected regular files and folders only in the folder of a run", path, S_ISLNK(what.st_mode) ? "a link" : "not a regular file");
    status = scree_run_summary_create(run, &s.summary);
    if (status == SCREE_OK)
        status = scree_run_get_facts(run, &s.is);
    if (status == SCREE_OK)
        status = write_page(&s, path);
    scree_run_summary_destroy(s.summary);
    return status;
}

// ---- Frames --------------------------------------------------------------------------------------------------------------

scree_status scree_draw_frame(const scree_run_frame* frame)
{
    SCREE_NEED(frame);
    SCREE_NEED_AS(frame->path, "frame->path");
    if (frame->outlines == NULL)
        SCREE_NEED_AS(frame->spheres, "frame->spheres");
    scree_picture_def def = scree_default_picture_def();
    scree_veil veil = scree_default_veil();
    def.width = 1280;
    def.height = 960;
    def.threads = frame->threads;
    memcpy(def.view, frame->view, sizeof def.view);
    if (frame->outlines != NULL)
        return scree_write_picture_outlines(frame->path, frame->outlines, &def);
    if (frame->surfaces != NULL && frame->surfaces->count > 0) {
        veil.count = frame->surfaces->count;
        veil.corners = (const double(*)[3][3])(const void*)frame->surfaces->xyz;
        def.triangles = &veil;
    }
    return scree_write_picture(frame->path, frame->spheres, &def);
}
