// report.html of a run: what it was, how it went and what it led to, on one page that can be read by itself.
//
// The page is made from what is there when it is asked for: the state, the log and the scene. Nothing in the folder depends on it, and it
// is not part of what a resumed run repeats byte for byte: it holds seconds, and how the run was stopped. Cost: the log is read once, and a
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

static void say_lengths(char* text, size_t room, int dim, const double* values)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < dim; ++k) {
        char number[32];
        scree_report_format(number, values[k]);
        int more = snprintf(text + used, room - used, "%s%s", k > 0 ? " \xc3\x97 " : "", number);
        used += more > 0 && (size_t)more < room - used ? (size_t)more : 0;
    }
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
                 "The newest checkpoint is of step %" PRId64 " of %" PRId64 ". When the cause is removed, continue with:",
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

static scree_status draw(const story* s, const scree_sim_report* now, scree_report* page)
{
    bool bodies = s->is.bodies;
    scree_outline_set set = {0};
    const scree_sphere_set* spheres = NULL;
    scree_picture_def look;
    if (!bodies && s->is.count > report_spheres_most)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "%" PRId32 " spheres are more than the %d that a report draws", s->is.count, report_spheres_most);
    scree_status status = bodies ? scree_outline_set_copy(s->polygons, &set) : scree_run_get_spheres(s->run, &spheres);
    if (status != SCREE_OK)
        return status;
    if (bodies) {
        scree_polygon_sim_numbers n = scree_polygon_sim_get_numbers(s->polygons);
        scree_box box = scree_polygon_sim_box(s->polygons);
        look = look_at(s, &box, "velocity", n.radius_least > 0.0 ? n.radius_most / n.radius_least : 1.0, now->speed_largest);
    } else {
        scree_sim_numbers n = scree_sim_get_numbers(s->sim);
        look = look_at(s, &spheres->box, "velocity", n.radius_least > 0.0 ? n.radius_most / n.radius_least : 1.0, now->speed_largest);
    }
    uint8_t* rgba = scree_malloc((size_t)look.width * (size_t)look.height, 4);
    if (rgba == NULL)
        status = SCREE_ERR_MEMORY;
    else
        status = bodies ? scree_picture_outlines_render(&set, &look, rgba) : scree_picture_render(spheres, &look, rgba);
    if (status == SCREE_OK) {
        char caption[160], time[32];
        scree_report_format(time, now->time);
        snprintf(caption, sizeof caption, "Step %" PRId64 ", time %s. Colours show the %s.", now->step, time,
                 look.colour_by == NULL ? "radius" : "speed");
        scree_report_picture(page, caption, look.width, look.height, rgba);
    }
    scree_free(rgba);
    scree_outline_set_free(&set);
    return status;
}

// ---- Tables --------------------------------------------------------------------------------------------------------------

// Where energies came from and went to; what is 0 is left out.
static void tell_energies(scree_report* page, const story* s, const scree_sim_report* r)
{
    const char* whose = s->is.bodies ? "on the bodies, since the start" : "on the spheres, since the start";
    const struct {
        const char* name;
        double value;
        const char* note;
    } rows[] = {{"energy tangential", r->energy_tangential, "of tangential springs; part of the energy in contacts"},
                {"energy rolling", r->energy_rolling, "of rolling springs; part of the energy in contacts"},
                {"energy twisting", r->energy_twisting, "of twisting springs; part of the energy in contacts"},
                {"dissipated normal", r->dissipated_normal, "by normal damping, including energy left in springs when contacts ended"},
                {"dissipated tangential", r->dissipated_tangential, "by friction: sliding, tangential damping"},
                {"dissipated rolling", r->dissipated_rolling, "by rolling resistance"},
                {"dissipated twisting", r->dissipated_twisting, "by twisting resistance"},
                {"work walls", r->work_walls, s->is.bodies ? "of fixed bodies on the others, since the start" : whose},
                {"work gravity", r->work_gravity, whose},
                {"work forces", r->work_forces, whose}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        if (rows[k].value != 0.0)
            scree_report_number(page, rows[k].name, rows[k].value, "", rows[k].note);
    if (s->is.energies)
        scree_report_number(page, "balance of all energies", scree_run_balance(r), "", "kinetic, rotational, contact and dissipated energy, less the work of walls, gravity and forces: constant");
}

// `b`: of bodies.
static void tell_outcome(scree_report* page, const story* s, const scree_sim_report* r, const scree_polygon_sim_report* b)
{
    bool bodies = s->is.bodies;
    char text[128], hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, scree_run_hash(s->run));
    snprintf(text, sizeof text, "of %" PRId64, s->is.steps);
    scree_report_integer(page, "steps", r->step, text, "");
    scree_report_number(page, "time", r->time, "", "");
    if (scree_run_warning(s->run)[0] != '\0')
        scree_report_value(page, "warning", scree_run_warning(s->run), "");
    scree_report_number(page, "energy kinetic", r->energy_kinetic, "", bodies ? "of motion and rotation" : "");
    if (bodies)
        scree_report_number(page, "energy rotation", b->energy_rotation, "", "");
    scree_report_number(page, "energy contact", r->energy_contact, "", "");
    scree_report_number(page, "energy gravity", r->energy_gravity, "", "0 at the origin");
    if (!bodies && r->energy_rotation > 0.0)
        scree_report_number(page, "energy rotation", r->energy_rotation, "", "");
    scree_report_number(page, "energy total", r->energy_kinetic + r->energy_rotation + r->energy_potential, "", "");
    tell_energies(page, s, r);
    for (int k = 0; k < (bodies ? 2 : s->is.dim); ++k) {
        snprintf(text, sizeof text, "momentum along %c", "xyz"[k]);
        scree_report_number(page, text, r->momentum[k], "", "");
    }
    if (bodies)
        scree_report_number(page, "angular momentum", b->angular_momentum, "", "");
    else
        scree_report_number(page, "pressure", r->pressure, "", "of contacts, and of motion relative to the centre of mass");
    if (s->is.flow) {
        scree_report_integer(page, "n", s->is.count, "", "current number of spheres");
        scree_report_integer(page, "inserted", r->flow.inserted, "", "");
        scree_report_integer(page, "removed", r->flow.removed, "", "");
        scree_report_number(page, "mass inserted", r->flow.mass_inserted, "", "");
        scree_report_number(page, "mass removed", r->flow.mass_removed, "", "");
        for (int32_t n = 0; n < s->is.tallies; ++n) {
            const char* name;
            int64_t count = scree_run_tally(s->run, n, &name);
            scree_report_integer(page, name, count, "", "");
        }
    }
    scree_report_integer(page, "contacts", r->contacts, "", bodies ? "points" : "between spheres");
    if (bodies)
        scree_report_integer(page, "touching", b->touching, "", "");
    scree_report_integer(page, "wall contacts", r->wall_contacts, "", "");
    if (bodies)
        scree_report_integer(page, "crossings", b->crossings, "",
                             "bodies whose outlines cross so that no point is inside the other");
    if (s->is.bonds) {
        scree_report_integer(page, "bonds", r->bonds, "", "intact");
        scree_report_integer(page, "bonds broken", r->bonds_broken, "", "");
        scree_report_number(page, "energy bonds", r->energy_bonds, "", "");
        scree_report_number(page, "released bonds", r->released_bonds, "", "by breaking bonds");
        scree_report_number(page, "dissipated bonds", r->dissipated_bonds, "", "by their dashpots");
    }
    scree_report_number(page, "max overlap", r->overlap_largest, "", "a length");
    if (!bodies)
        scree_report_number(page, "max overlap relative", r->overlap_relative, "", "over the smaller radius");
    scree_report_number(page, "speed largest", r->speed_largest, "", "");
    scree_report_value(page, "hash", hash, "of the whole state, 64 bits; the same for identical runs");
}

static void tell_stress(scree_report* page, const story* s, const scree_sim_report* r)
{
    static const char* const notes[2] = {"of motion relative to the centre of mass", "of contacts"};
    static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    scree_report_text(page, "The stress tensor is the sum of a kinetic part and a contact part. It is symmetric and positive under pressure; the pressure is the mean of xx, yy and, in 3D, zz.");
    for (int part = 0; part < 2; ++part) {
        const double(*stress)[3] = part == 0 ? r->kinetic_stress : r->contact_stress;
        for (int c = 0; c < 6; ++c) {
            char name[32];
            int k = axes[c][0], l = axes[c][1];
            if (l >= s->is.dim)
                continue;
            snprintf(name, sizeof name, "%s stress %c%c", part == 0 ? "kinetic" : "contact", "xyz"[k], "xyz"[l]);
            scree_report_number(page, name, stress[k][l], "", notes[part]);
        }
    }
}

static scree_status tell_boundaries(scree_report* page, const story* s)
{
    bool any = false;
    int32_t count = scree_run_get_boundaries(s->run, NULL, 0);
    scree_sim_boundary_report* walls = scree_calloc((size_t)(count > 0 ? count : 0), sizeof *walls);
    if (count < 0 || walls == NULL || scree_run_get_boundaries(s->run, walls, count) != count) {
        scree_free(walls);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t b = 0; b < count; ++b)
        any = any || walls[b].present;
    if (any)
        scree_report_text(page, "Forces of the spheres on each wall, and the power that it gives to them, as in the last row of log.csv, which has torques too.");
    for (int32_t b = 0; b < count; ++b) {
        const scree_sim_boundary_report* wall = &walls[b];
        char text[64];
        for (int k = 0; k < s->is.dim && wall->present; ++k) {
            snprintf(text, sizeof text, "force on %s along %c", wall->name, "xyz"[k]);
            scree_report_number(page, text, wall->force[k], "", "");
        }
        snprintf(text, sizeof text, "power of %s", wall->name);
        if (wall->present)
            scree_report_number(page, text, wall->power, "", "");
    }
    scree_free(walls);
    return SCREE_OK;
}

static void tell_work(scree_report* page, const story* s, const scree_sim_report* r, double seconds)
{
    double rest = seconds - r->seconds_search - r->seconds_force - r->seconds_integrate;
    double whole = seconds > 0.0 ? seconds : 1.0, steps = (double)r->step;
    char text[48];
    say_seconds(text, seconds);
    if (seconds < 100.0)
        text[0] = '\0';
    scree_report_share(page, "seconds search", r->seconds_search, "s", r->seconds_search / whole);
    scree_report_share(page, "seconds force", r->seconds_force, "s", r->seconds_force / whole);
    scree_report_share(page, "seconds integrate", r->seconds_integrate, "s", r->seconds_integrate / whole);
    scree_report_share(page, "start, files and the rest", fmax(rest, 0.0), "s", rest / whole);
    scree_report_number(page, "seconds", seconds, "s", text);
    if (seconds > 0.0 && steps > 0.0)
        scree_report_number(page, "speed", 1e-6 * steps * s->is.count / seconds,
                            s->is.bodies ? "million body steps/s" : "million sphere steps/s",
                            "wall-clock time of all parts");
    scree_report_value(page, "method", scree_method_name((scree_method)r->method), "the result does not depend on it");
    scree_report_integer(page, "rebuilds", r->rebuilds, "",
                         "of the candidate list, made only when a pair could be missed");
    scree_report_integer(page, "bytes", (int64_t)r->bytes, "", "memory of the simulation, index included");
}

static void tell_shortest(scree_report* page, const char* one, int64_t first, int64_t second, double duration)
{
    char text[96];
    if (first < -1 || second < -1)
        snprintf(text, sizeof text, "the shortest: of spheres that may be inserted");
    else if (first < 0)
        text[0] = '\0';
    else if (second >= 0)
        snprintf(text, sizeof text, "the shortest: of %s %" PRId64 " and %s %" PRId64, one, first, one, second);
    else
        snprintf(text, sizeof text, "the shortest: of %s %" PRId64 " and a wall%s", one, first,
                 strcmp(one, "body") == 0 ? " or fixed body" : "");
    scree_report_number(page, "contact duration", duration, "", text);
}

static void tell_box(scree_report* page, const char* name, const scree_box* box)
{
    double size[3] = {0.0};
    char text[160], note[64] = "walls";
    size_t used = 0;
    for (int k = 0; k < box->dim; ++k) {
        size[k] = box->upper[k] - box->lower[k];
        if (box->periodic[k])
            used += (size_t)snprintf(note + used, sizeof note - used, "%s%c", used == 0 ? "periodic along " : ", ", "xyz"[k]);
    }
    say_lengths(text, sizeof text, box->dim, size);
    used = strlen(text);
    if (scree_box_is_tilted(box) && box->dim == 2)
        snprintf(text + used, sizeof text - used, ", tilt xy %g", box->tilt[0]);
    else if (scree_box_is_tilted(box))
        snprintf(text + used, sizeof text - used, ", tilts xy %g, xz %g, yz %g", box->tilt[0], box->tilt[1], box->tilt[2]);
    scree_report_value(page, name, text, note);
}

// What --check tells, but for estimates: by now it is known. Quantities have the names of the keys of --json, here and on all of the page, with blanks for _.
static void tell_spheres(scree_report* page, const story* s)
{
    scree_sim_numbers n = scree_sim_get_numbers(s->sim);
    scree_box now = scree_sim_box(s->sim);
    double volume = scree_container_volume(&(scree_container){.kind = s->is.container, .box = s->is.box});
    bool round = s->is.container != SCREE_CONTAINER_BOX;
    scree_report_integer(page, "n", s->is.count, "", s->is.dim == 2 ? "discs, in 2D" : "spheres, in 3D");
    scree_scene_facts scene;
    scree_scene_get_facts(scree_run_scene(s->run), &scene);
    if (scene.start_run != NULL) {
        char text[64];
        snprintf(text, sizeof text, "the state of its step %" PRId64, scene.start_step);
        scree_report_value(page, "start run", scene.start_run, text);
    }
    scree_report_number(page, "radius least", n.radius_least, "", "");
    scree_report_number(page, "radius most", n.radius_most, "", "");
    scree_report_number(page, "size ratio", n.radius_least > 0.0 ? n.radius_most / n.radius_least : 1.0, "", "largest to smallest");
    scree_report_number(page, "mass least", n.mass_least, "", "");
    scree_report_number(page, "mass most", n.mass_most, "", "");
    scree_report_number(page, "mass", n.mass_sum, "", "");
    tell_box(page, "box", &s->is.box);
    if (memcmp(now.lower, s->is.box.lower, sizeof now.lower) != 0 || memcmp(now.upper, s->is.box.upper, sizeof now.upper) != 0 ||
        memcmp(now.tilt, s->is.box.tilt, sizeof now.tilt) != 0)
        tell_box(page, "box at the end", &now);
    if (round)
        scree_report_value(page, "container", scree_container_name(s->is.container), "the box bounds it");
    if (volume > 0.0 && isfinite(volume))
        scree_report_number(page, "density", s->is.volume / volume, "",
                            round ? "volume fraction of the container at the start" : "volume fraction of the box at the start");
    scree_report_number(page, "stiffness", n.stiffness, "", scene.pairs > 0 ? "the largest of all pairs of materials" : "");
    tell_shortest(page, "sphere", n.shortest[0], n.shortest[1], n.contact_duration);
    scree_report_number(page, "step", n.step, "", s->is.step_lengths > 1 ? "at this moment; changes set others" : "");
    static const char* const limits[SCREE_SIM_LIMIT_COUNT] = {"a tenth of the shortest contact", "0.4 of the shortest Rayleigh time", "for springs and dashpots along the normal",
                                                              "for tangential springs and dashpots", "for rolling springs and dashpots", "for twisting springs and dashpots"};
    scree_report_number(page, "longest step", n.longest_step, "", limits[n.limit]);
    scree_report_number(page, "steps per contact", n.contact_duration / n.step, "", "of the shortest contact");
    scree_report_number(page, "restitution least", n.restitution_least, "",
                        n.restitution_least > 0.0 ? "over all pairs" : "over all pairs; 0: overdamped");
    scree_report_number(page, "restitution most", n.restitution_most, "", "over all pairs");
}

static void tell_bodies(scree_report* page, const story* s)
{
    scree_polygon_sim_numbers n = scree_polygon_sim_get_numbers(s->polygons);
    scree_report_integer(page, "n", s->is.count, "", "bodies, in 2D");
    scree_report_integer(page, "fixed", n.fixed, "", "");
    scree_report_integer(page, "discs", n.discs, "", "");
    scree_report_integer(page, "vertices", n.vertices, "", "of all bodies");
    scree_report_number(page, "radius least", n.radius_least, "", "of the circumscribed circle of a body");
    scree_report_number(page, "radius most", n.radius_most, "", "");
    scree_report_number(page, "size ratio", n.radius_least > 0.0 ? n.radius_most / n.radius_least : 1.0, "", "largest to smallest");
    scree_report_number(page, "mass least", n.mass_least, "", "of free bodies");
    scree_report_number(page, "mass most", n.mass_most, "", "");
    scree_report_number(page, "mass", n.mass_sum, "", "");
    tell_box(page, "box", &s->is.box);
    scree_report_number(page, "stiffness", n.stiffness, "", "");
    tell_shortest(page, "body", n.shortest[0], n.shortest[1], n.contact_duration);
    scree_report_number(page, "step", n.step, "", "");
    scree_report_number(page, "longest step", n.longest_step, "", "");
    scree_report_number(page, "steps per contact", n.contact_duration / n.step, "", "of the shortest contact");
    scree_report_number(page, "restitution least", n.restitution_least, "", "of central impacts at one point");
    scree_report_number(page, "restitution most", n.restitution_most, "", "");
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
    "touching",       "overlap_largest",   "overlap_relative", "speed_largest", "pressure",        "dissipated_normal", "dissipated_tangential",
    "dissipated_rolling", "dissipated_twisting", "balance", "bonds_broken", "energy_bonds", "released_bonds", "rebuilds", "seconds_search",
    "seconds_force",  "seconds_integrate", "seconds", "spheres", "mass_flow_in", "mass_flow_out", "waiting"};

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
        scree_report_text(page, "The log has fewer than two rows, so there is nothing to draw yet.");
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
        put_figure(page, c, "spheres", "Number of spheres, and of those that were due and found no room.", false, 2, (wish[]){{SPHERES, "there", LINE, 1}, {WAITING, "waiting", LINE, 2}});
        put_figure(page, c, "mass flow", "Mass per time that entered and left, since the row before.", false, 2, (wish[]){{FLOW_IN, "in", LINE, 1}, {FLOW_OUT, "out", LINE, 2}});
    }
    if (bodies) {
        put_figure(page, c, "largest overlap", "The deepest contact of each row of the log, as a length.", false, 1,
                   (wish[]){{OVERLAP, "", LINE, 8}});
    } else {
        put_percent(&c->curves[RELATIVE]);
        put_figure(page, c, "largest overlap, % of the smaller radius",
                   "The deepest contact. Values of many per cent mean that the contacts are too soft for these impacts.", false, 1,
                   (wish[]){{RELATIVE, "", LINE, 8}});
    }
    put_figure(page, c, "largest speed", "The fastest of all.", false, 1, (wish[]){{SPEED, "", LINE, 3}});
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
    put_link(page, s, "energies, momentum, contacts, overlaps, work, stress, forces on walls: the numbers behind the curves", "log.csv");
    put_link(page, s, "the list of frames, for ParaView", "frames.pvd");
    snprintf(text, sizeof text, "%" PRId64 " so far", s->is.frames);
    put_link(page, s, text, "frames/");
    put_link(page, s, "the list of contacts, for ParaView", "contacts.pvd");
    put_link(page, s, "the contacts of each frame", "contacts/");
    put_link(page, s, "a picture of each frame", "pictures/");
    put_link(page, s, "the pictures as a film", "animation.mp4");
    for (int k = 0; k < 2; ++k)
        if (s->is.checkpoints[k] >= 0)
            put_link(page, s, k == 0 ? "the newest checkpoint" : "the one before", "checkpoint_%012" PRId64 ".npz", s->is.checkpoints[k]);
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
    scree_report_text(page, "The rest is in scene.yaml.");
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

static scree_status fill_page(story* s, scree_report* page, double seconds)
{
    scree_run_curves curves;
    scree_sim_report now;
    scree_polygon_sim_report bodies = {0};
    scree_status status = scree_run_read_curves(s->run, curve_count, columns, &curves);
    if (status != SCREE_OK)
        return status;
    tell_end(page, s);
    scree_status measured = scree_run_measure(s->run, &now);
    if (measured == SCREE_OK && s->is.bodies)
        measured = scree_polygon_sim_measure(s->polygons, &bodies);
    scree_status drawn = measured;
    if (measured == SCREE_OK)
        drawn = draw(s, &now, page);
    status = scree_run_get_facts(s->run, &s->is);  // with the spheres that were drawn
    if (measured == SCREE_ERR_MEMORY || drawn == SCREE_ERR_MEMORY || status != SCREE_OK) {
        scree_run_curves_free(&curves);
        return SCREE_ERR_MEMORY;
    }
    if (drawn != SCREE_OK)
        tell_missing(page, "picture");
    if (measured == SCREE_OK) {
        scree_report_heading(page, s->is.step < s->is.steps ? "Current state" : "Result");
        tell_outcome(page, s, &now, &bodies);
        if (!s->is.bodies)
            tell_stress(page, s, &now);
        drawn = tell_boundaries(page, s);
        if (!s->is.bodies && drawn == SCREE_OK) {
            scree_report_heading(page, "Contacts and profiles");
            drawn = scree_report_state(page, s->run, &s->is);
            if (drawn != SCREE_OK && drawn != SCREE_ERR_MEMORY)
                tell_missing(page, "analysis");
        }
    }
    if (drawn == SCREE_ERR_MEMORY) {
        scree_run_curves_free(&curves);
        return SCREE_ERR_MEMORY;
    }
    scree_report_heading(page, "Time series");
    put_curves(page, &curves, s->is.bodies);
    scree_report_heading(page, "Run time and memory");
    tell_work(page, s, measured == SCREE_OK ? &now : s->is.last, seconds);
    put_work_curves(page, &curves);
    scree_run_curves_free(&curves);
    scree_report_heading(page, "Derived quantities");
    if (s->is.bodies)
        tell_bodies(page, s);
    else
        tell_spheres(page, s);
    scree_report_heading(page, "Files");
    put_files(page, s);
    scree_report_heading(page, "Scene");
    status = put_scene(page, s);
    scree_report_heading(page, "Versions");
    put_made(page);
    return status;
}

scree_status scree_run_write_report(scree_run* run)
{
    SCREE_NEED(run);
    char path[4096], about[256], clock[48], time[32];
    double seconds = scree_run_seconds(run);  // read once: the picture takes its time too, and a page must agree with itself
    story s = {.run = run, .sim = scree_run_sim(run), .polygons = scree_run_polygon_sim(run)};
    scree_status status = scree_run_get_facts(run, &s.is);
    if (status != SCREE_OK)
        return status;
    if (s.is.folder == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "run: it has no folder for a report");
    const char* slash = strrchr(s.is.folder, '/');
    const char* name = slash != NULL && slash[1] != '\0' ? slash + 1 : s.is.folder;
    scree_report* page;
    scree_report_format(time, s.is.time);
    say_seconds(clock, seconds);
    snprintf(about, sizeof about, "A simulation of %" PRId32 " %s in %dD: %" PRId64 " steps, time %s, %s of wall-clock time.", s.is.count,
             s.is.bodies ? "bodies" : "spheres", (int)s.is.dim, s.is.step, time, clock);
    if (!path_in(path, sizeof path, &s, "report.html"))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the path of the folder is too long for a report", s.is.folder);
    status = scree_report_create(name, about, &page);
    if (status != SCREE_OK)
        return status;
    status = fill_page(&s, page, seconds);
    if (status == SCREE_OK)
        status = scree_report_write(page, path);
    scree_report_destroy(page);
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
        return scree_picture_outlines(frame->path, frame->outlines, &def);
    if (frame->surfaces != NULL && frame->surfaces->count > 0) {
        veil.count = frame->surfaces->count;
        veil.corners = (const double(*)[3][3])(const void*)frame->surfaces->xyz;
        def.triangles = &veil;
    }
    return scree_picture_write(frame->path, frame->spheres, &def);
}
