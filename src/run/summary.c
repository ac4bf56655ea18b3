// The summary of a run: its quantities by name, in one list. It is the only place that decides which quantities a run reports, under which keys and with which notes; report.html, the text and the
// JSON of the program and the Python module only show it, so that all of them have the same numbers under the same names.
//
// Cost: the state is measured once, O(spheres + contacts), unless the last row of the log has just done so. Texts and values are copied: a summary stays as it is when the run goes on.
#include "base/argument.h"
#include "run/run_inner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { most_values = 6 };  // of one quantity: a stress tensor

struct scree_run_summary {
    int32_t count, capacity;
    scree_quantity* list;
    scree_status status;  // MEMORY: something is missing
    int32_t topic;        // of what is added next
};

// ---- Adding ----------------------------------------------------------------------------------------------------------------

static bool make_room(scree_run_summary* s)
{
    if (s->status != SCREE_OK || s->count < s->capacity)
        return s->status == SCREE_OK;
    int32_t more = 2 * s->capacity + 64;
    scree_quantity* list = scree_realloc(s->list, (size_t)more, sizeof *list);
    if (list == NULL) {
        s->status = SCREE_ERR_MEMORY;
        return false;
    }
    s->list = list;
    s->capacity = more;
    return true;
}

static const char* put_text(char** at, const char* text)
{
    char* here = *at;
    strcpy(here, text);
    *at += strlen(text) + 1;
    return here;
}

// One block for each quantity, which begins with its values.
static void add(scree_run_summary* s, const scree_quantity* q)
{
    size_t values = q->text == NULL ? (size_t)q->count * sizeof(double) : 0, texts = strlen(q->key) + strlen(q->unit) + strlen(q->note) + (q->text != NULL ? strlen(q->text) : 0) + 4;
    double* block = make_room(s) ? scree_malloc(values + texts, 1) : NULL;
    if (block == NULL) {
        s->status = SCREE_ERR_MEMORY;
        return;
    }
    char* at = (char*)block + values;
    scree_quantity* to = &s->list[s->count++];
    *to = *q;
    to->topic = s->topic;
    if (q->values != NULL)
        to->values = memcpy(block, q->values, values);
    else if (q->integers != NULL)
        to->integers = memcpy((void*)block, q->integers, values);
    to->key = put_text(&at, q->key);
    to->unit = put_text(&at, q->unit);
    to->note = put_text(&at, q->note);
    if (q->text != NULL)
        to->text = put_text(&at, q->text);
}

static void add_number(scree_run_summary* s, const char* key, double value, const char* note)
{
    add(s, &(scree_quantity){.key = key, .count = 1, .values = &value, .unit = "", .note = note, .share = -1.0});
}

static void add_integer(scree_run_summary* s, const char* key, int64_t value, const char* note)
{
    add(s, &(scree_quantity){.key = key, .count = 1, .integers = &value, .unit = "", .note = note, .share = -1.0});
}

static void add_text(scree_run_summary* s, const char* key, const char* value, const char* note)
{
    add(s, &(scree_quantity){.key = key, .count = 1, .text = value, .unit = "", .note = note, .share = -1.0});
}

static void add_numbers(scree_run_summary* s, const char* key, int32_t count, const double* values, const char* note)
{
    add(s, &(scree_quantity){.key = key, .count = count, .values = values, .unit = "", .note = note, .share = -1.0, .vector = true});
}

static void add_pair(scree_run_summary* s, const char* key, int64_t first, int64_t second, const char* note)
{
    add(s, &(scree_quantity){.key = key, .count = 2, .integers = (int64_t[]){first, second}, .unit = "", .note = note, .share = -1.0, .vector = true});
}

// `share`: of all seconds; negative: none.
static void add_seconds(scree_run_summary* s, const char* key, double seconds, double share)
{
    add(s, &(scree_quantity){.key = key, .count = 1, .values = &seconds, .unit = "s", .note = "", .share = share});
}

// ---- The state -------------------------------------------------------------------------------------------------------------

// Where energies came from and went to; quantities that are 0 are left out.
static void add_energies(scree_run_summary* s, const scree_run_facts* facts, const scree_sim_report* r)
{
    const char* whose = facts->bodies ? "on the bodies, since the start" : "on the spheres, since the start";
    const struct {
        const char* key;
        double value;
        const char* note;
    } rows[] = {{"energy_tangential", r->energy_tangential, "of tangential springs; part of the energy of contacts"},
                {"energy_rolling", r->energy_rolling, "of rolling springs; part of the energy of contacts"},
                {"energy_twisting", r->energy_twisting, "of twisting springs; part of the energy of contacts"},
                {"dissipated_normal", r->dissipated_normal, "by normal damping, including energy left in springs when contacts ended"},
                {"dissipated_tangential", r->dissipated_tangential, "by friction: sliding and tangential damping"},
                {"dissipated_rolling", r->dissipated_rolling, "by rolling resistance"},
                {"dissipated_twisting", r->dissipated_twisting, "by twisting resistance"},
                {"work_walls", r->work_walls, facts->bodies ? "of fixed bodies on the others, since the start" : whose},
                {"work_gravity", r->work_gravity, whose},
                {"work_forces", r->work_forces, whose}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        if (rows[k].value != 0.0)
            add_number(s, rows[k].key, rows[k].value, rows[k].note);
    if (facts->energies)
        add_number(s, "balance", scree_run_balance(r), "kinetic, rotational, contact and dissipated energy, minus the work of walls, gravity and forces: constant");
}

static void add_flow(scree_run_summary* s, const scree_run* run, const scree_run_facts* facts, const scree_sim_flow* flow)
{
    if (!facts->flow)
        return;
    add_integer(s, "inserted", flow->inserted, "spheres, since the start");
    add_integer(s, "removed", flow->removed, "spheres, since the start");
    add_number(s, "mass_inserted", flow->mass_inserted, "");
    add_number(s, "mass_removed", flow->mass_removed, "");
    add_number(s, "energy_inserted", flow->energy_inserted, "");
    add_number(s, "energy_removed", flow->energy_removed, "");
    for (int32_t n = 0; n < facts->tallies; ++n) {
        const char* name;
        int64_t count = scree_run_get_tally(run, n, &name);
        add_integer(s, name, count, "");
    }
}

// Which bonds broke how, and into what.
static void add_breakage(scree_run_summary* s, scree_run* run)
{
    scree_fragments found;
    char text[64];
    if (run_bonds_fragments(run, &found) != SCREE_OK) {
        s->status = SCREE_ERR_MEMORY;
        return;
    }
    snprintf(text, sizeof text, "of %" PRId32 " bonded spheres, connected by intact bonds", found.bonded);
    add_integer(s, "bonds_broken_tension", found.bonds_broken_tension, "");
    add_integer(s, "bonds_broken_shear", found.bonds_broken_shear, "");
    add_integer(s, "fragments", found.fragments, text);
    add_integer(s, "fragment_max", found.fragment_max, "spheres in the largest fragment");
    add_number(s, "fragment_share_max", found.fragment_share_max, "mass of the heaviest fragment over that of all bonded spheres");
    scree_fragments_free(&found);
}

// Of the whole run, where the quantities above are those of its last state.
static void add_deepest(scree_run_summary* s, const scree_run* run, const scree_run_facts* facts)
{
    const run_deepest* d = &run->deepest;
    char text[96];
    if (d->rows == 0)
        return;
    snprintf(text, sizeof text, "the largest overlap of the run, a length%s",
             d->placed || facts->bodies ? "" : d->seen.overlap == 0.0 ? ", in the rows of the log" : ", in the rows of the log: none is above the limit");
    add_number(s, "deepest_overlap", d->seen.overlap, text);
    add_number(s, "deepest_overlap_relative", d->seen.relative,
               facts->bodies ? "over the smaller bounding radius or, if that is less, 5 times the radii of the corners" : "over the smaller radius");
    add_integer(s, "deepest_overlap_step", d->seen.step, "");
    add_number(s, "deepest_overlap_time", d->time, "");
    if (d->placed) {
        const char* pair = facts->bodies ? (d->seen.ij[1] < 0 ? "a body, and -1 - the number of a wall" : "two bodies")
                                         : (d->seen.ij[1] < 0 ? "a sphere, and -1 - the number of a wall or surface" : "two spheres");
        add_pair(s, "deepest_overlap_pair", d->seen.ij[0], d->seen.ij[1], pair);
        add_numbers(s, "deepest_overlap_at", facts->dim, d->seen.at, facts->bodies ? "centre of the smaller body" : "centre of the smaller sphere");
    }
    snprintf(text, sizeof text, "rows of the log, of %" PRId64 ", with a relative overlap above %g", d->rows, SCREE_RUN_OVERLAP_MOST);
    add_integer(s, "overlap_rows_above", d->rows_above, text);
}

// What ended it, if there was a choice.
static void add_ending(scree_run_summary* s, scree_run* run, const scree_run_facts* facts)
{
    char text[400];
    if (run->scene.until.count == 0 || facts->step < facts->steps)
        return;
    scree_status status = run_conditions_describe(run, &run->scene.until, text, sizeof text);
    if (status != SCREE_OK)
        s->status = status;
    add_text(s, "ended_by", run->until_met ? "until" : "end", status == SCREE_OK ? text : "");
}

// `b`: of bodies.
static void add_state(scree_run_summary* s, scree_run* run, const scree_run_facts* facts, const scree_sim_report* r, const scree_polygon_sim_report* b)
{
    bool bodies = facts->bodies;
    char text[64];
    s->topic = SCREE_TOPIC_STATE;
    snprintf(text, sizeof text, "of %" PRId64, facts->steps);
    add_integer(s, "steps", r->step, text);
    add_number(s, "time", r->time, "");
    add_ending(s, run, facts);
    if (scree_run_get_warning(run)[0] != '\0')
        add_text(s, "warning", scree_run_get_warning(run), "");
    if (scree_run_get_note(run)[0] != '\0')
        add_text(s, "note", scree_run_get_note(run), "");
    add_number(s, "energy_kinetic", r->energy_kinetic, bodies ? "of motion and rotation" : "of motion");
    if (bodies || r->energy_rotation > 0.0)
        add_number(s, "energy_rotation", bodies ? b->energy_rotation : r->energy_rotation, bodies ? "part of the kinetic energy" : "");
    add_number(s, "energy_potential", r->energy_potential, "of contacts and gravity");
    add_number(s, "energy_contact", r->energy_contact, "");
    add_number(s, "energy_gravity", r->energy_gravity, "0 at the origin");
    add_number(s, "energy", r->energy_kinetic + r->energy_rotation + r->energy_potential, "total");
    add_energies(s, facts, r);
    add_numbers(s, "momentum", bodies ? 2 : facts->dim, r->momentum, "");
    if (bodies)
        add_number(s, "angular_momentum", b->angular_momentum, "");
    else
        add_number(s, "pressure", r->pressure, "of contacts, and of motion relative to the centre of mass");
    add_flow(s, run, facts, &r->flow);
    add_integer(s, "contacts", r->contacts, bodies ? "points" : "between spheres");
    add_integer(s, "wall_contacts", r->wall_contacts, "");
    if (bodies) {
        add_integer(s, "touching", b->touching, "pairs of bodies");
        add_integer(s, "crossings", b->crossings, "overlaps that contain no vertex of either body");
    }
    if (facts->bonds) {
        add_integer(s, "bonds", r->bonds, "intact");
        add_integer(s, "bonds_broken", r->bonds_broken, "");
        add_breakage(s, run);
        add_number(s, "energy_bonds", r->energy_bonds, "");
        add_number(s, "released_bonds", r->released_bonds, "by breaking bonds");
        add_number(s, "dissipated_bonds", r->dissipated_bonds, "by their dashpots");
    }
    add_number(s, "max_overlap", r->max_overlap, "a length");
    if (!bodies)
        add_number(s, "max_overlap_relative", r->max_overlap_relative, "over the smaller radius");
    add_deepest(s, run, facts);
    add_number(s, "speed_max", r->speed_max, "");
    snprintf(text, sizeof text, "%016" PRIx64, scree_run_hash(run));
    add_text(s, "hash", text, "of the whole state, 64 bits; the same for identical runs");
}

static void add_stress(scree_run_summary* s, int dim, const scree_sim_report* r)
{
    static const int axes[most_values][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};  // as in log.csv
    s->topic = SCREE_TOPIC_STRESS;
    for (int part = 0; part < 2; ++part) {
        double values[most_values];
        int32_t count = 0;
        for (int c = 0; c < most_values; ++c)
            if (axes[c][1] < dim)
                values[count++] = (part == 0 ? r->kinetic_stress : r->contact_stress)[axes[c][0]][axes[c][1]];
        add_numbers(s, part == 0 ? "kinetic_stress" : "contact_stress", count, values, dim == 2 ? "xx, yy, xy" : "xx, yy, zz, xy, xz, yz");
    }
}

static void add_boundaries(scree_run_summary* s, scree_run* run, int dim)
{
    int32_t count = scree_run_get_boundaries(run, NULL, 0);
    scree_sim_boundary_report* walls = scree_calloc((size_t)(count > 0 ? count : 0), sizeof *walls);
    s->topic = SCREE_TOPIC_BOUNDARIES;
    if (count < 0 || walls == NULL || scree_run_get_boundaries(run, walls, count) != count)
        s->status = SCREE_ERR_MEMORY;
    for (int32_t b = 0; b < count && s->status == SCREE_OK; ++b) {
        char key[96], name[sizeof walls->name];
        if (!walls[b].present)
            continue;
        snprintf(name, sizeof name, "%s", walls[b].name);
        for (char* at = name; *at != '\0'; ++at)
            *at = *at == ' ' ? '_' : *at;
        snprintf(key, sizeof key, "force_%s", name);
        add_numbers(s, key, dim, walls[b].force, "of the spheres on it");
        snprintf(key, sizeof key, "torque_%s", name);
        add_numbers(s, key, dim == 2 ? 1 : 3, dim == 2 ? &walls[b].torque[2] : walls[b].torque, "of these forces");
        snprintf(key, sizeof key, "power_%s", name);
        add_number(s, key, walls[b].power, "transferred to the spheres");
    }
    scree_free(walls);
}

// ---- What it took ----------------------------------------------------------------------------------------------------------

// Bodies have no simulation of spheres, and no device.
static void add_device(scree_run_summary* s, const scree_sim* sim)
{
    int32_t device = sim != NULL ? scree_sim_get_device(sim) : SCREE_DEVICE_NONE;
    add_text(s, "device", scree_device_name(device), device == SCREE_DEVICE_NONE ? "the processor did the steps" : "did the steps; the result does not depend on it");
    if (device == SCREE_DEVICE_NONE)
        return;
    add_text(s, "device_name", scree_sim_get_device_note(sim), "");
    add_integer(s, "device_bytes", (int64_t)scree_sim_get_device_bytes(sim), "memory on the device");
}

static void add_work(scree_run_summary* s, const scree_sim* sim, const scree_run_facts* facts, const scree_sim_report* r, double seconds)
{
    bool alone = sim == NULL || scree_sim_get_device(sim) == SCREE_DEVICE_NONE;
    double rest = fmax(seconds - r->seconds_search - r->seconds_force - r->seconds_integrate, 0.0), whole = seconds > 0.0 ? seconds : 1.0;
    s->topic = SCREE_TOPIC_WORK;
    add_text(s, "method", scree_method_name((scree_method)r->method),
             alone ? "search method; the result does not depend on it" : "search method on the processor, for contacts that are read; the device searches by its own grid");
    add_integer(s, "rebuilds", r->rebuilds, "of the candidate list, made only when a pair could be missed");
    add_integer(s, "bytes", (int64_t)r->bytes, "memory of the simulation, index included");
    add_device(s, sim);
    add_seconds(s, "seconds", seconds, -1.0);
    add_seconds(s, "seconds_search", r->seconds_search, r->seconds_search / whole);
    add_seconds(s, "seconds_force", r->seconds_force, r->seconds_force / whole);
    add_seconds(s, "seconds_integrate", r->seconds_integrate, r->seconds_integrate / whole);
    add_seconds(s, "seconds_rest", rest, rest / whole);
    if (r->step > 0 && facts->count > 0)
        add(s, &(scree_quantity){.key = facts->bodies ? "seconds_per_body_step" : "seconds_per_sphere_step", .count = 1, .values = (double[]){seconds / ((double)r->step * facts->count)}, .unit = "s",
                                 .note = "wall-clock time, with all files", .share = -1.0});
}

// ---- What the scene leads to -----------------------------------------------------------------------------------------------

static void add_shortest(scree_run_summary* s, const char* one, int64_t first, int64_t second, double duration)
{
    char text[96];
    if (first < -1 || second < -1)
        snprintf(text, sizeof text, "the shortest: of spheres that may be inserted");
    else if (first < 0)
        text[0] = '\0';
    else if (second >= 0)
        snprintf(text, sizeof text, "the shortest: of %s %" PRId64 " and %s %" PRId64, one, first, one, second);
    else
        snprintf(text, sizeof text, "the shortest: of %s %" PRId64 " and a wall%s", one, first, strcmp(one, "body") == 0 ? " or fixed body" : "");
    add_number(s, "contact_duration", duration, text);
    add_pair(s, "shortest_contact", first, second, "-1: a wall or a fixed body");
}

// `prefix`: of the keys.
static void add_box(scree_run_summary* s, const char* prefix, const scree_box* box, const char* note)
{
    double size[3] = {0.0};
    char key[32];
    for (int k = 0; k < box->dim; ++k)
        size[k] = box->upper[k] - box->lower[k];
    snprintf(key, sizeof key, "%s_size", prefix);
    add_numbers(s, key, box->dim, size, note);
    snprintf(key, sizeof key, "%s_tilt", prefix);
    if (scree_box_is_tilted(box))
        add_numbers(s, key, box->dim == 2 ? 1 : 3, box->tilt, box->dim == 2 ? "xy" : "xy, xz, yz");
}

static void add_container(scree_run_summary* s, const scree_run_facts* facts)
{
    char axes[4] = "";
    for (int k = 0; k < facts->dim; ++k)
        if (facts->box.periodic[k])
            strcat(axes, (const char* const[]){"x", "y", "z"}[k]);
    add_box(s, "box", &facts->box, "at the start");
    add_text(s, "periodic", axes[0] != '\0' ? axes : "none", "");
    add_text(s, "container", scree_container_name(facts->container), facts->container != SCREE_CONTAINER_BOX ? "the box bounds it" : "");
}

// The density at the start. Spheres that are to grow are put into a larger box for a trial.
static void add_density(scree_run_summary* s, scree_run* run, const scree_run_facts* facts, const scree_scene_facts* scene)
{
    double room = scree_container_volume(&(scree_container){.kind = facts->container, .box = facts->box});
    bool trial = facts->folder == NULL && scene->grows;
    if (trial)
        add_number(s, "density", scene->density > 0.0 ? scene->density : facts->volume / scree_box_volume(&scene->box), "volume fraction that the spheres are to grow to");
    else if (room > 0.0 && isfinite(room))
        add_number(s, "density", facts->volume / room, facts->container != SCREE_CONTAINER_BOX ? "volume fraction of the container at the start" : "volume fraction of the box at the start");
    if (trial)
        add_number(s, "density_checked", facts->volume / scree_sim_get_volume(scree_run_get_sim(run)), "volume fraction in the larger box of this check");
}

static void add_sizes(scree_run_summary* s, double radius_min, double radius_max, const char* note)
{
    add_number(s, "radius_min", radius_min, note);
    add_number(s, "radius_max", radius_max, "");
    add_number(s, "size_ratio", radius_min > 0.0 ? radius_max / radius_min : 1.0, "largest to smallest");
}

static void add_masses(scree_run_summary* s, double mass, double mass_min, double mass_max, const char* note)
{
    add_number(s, "mass", mass, note);
    add_number(s, "mass_min", mass_min, "");
    add_number(s, "mass_max", mass_max, "");
}

static void add_derived_of_spheres(scree_run_summary* s, scree_run* run, const scree_run_facts* facts, const scree_scene_facts* scene)
{
    static const char* const limits[SCREE_SIM_LIMIT_COUNT] = {"a tenth of the shortest contact", "0.4 of the shortest Rayleigh time", "for springs and dashpots along the normal",
                                                              "for tangential springs and dashpots", "for rolling springs and dashpots", "for twisting springs and dashpots"};
    scree_sim* sim = scree_run_get_sim(run);
    scree_sim_numbers n = scree_sim_get_numbers(sim);
    scree_box now = scree_sim_get_box(sim);
    add_sizes(s, n.radius_min, n.radius_max, "");
    add_masses(s, n.mass, n.mass_min, n.mass_max, "total");
    add_container(s, facts);
    if (memcmp(now.lower, facts->box.lower, sizeof now.lower) != 0 || memcmp(now.upper, facts->box.upper, sizeof now.upper) != 0 || memcmp(now.tilt, facts->box.tilt, sizeof now.tilt) != 0)
        add_box(s, "box_now", &now, "current");
    add_density(s, run, facts, scene);
    add_number(s, "stiffness", n.stiffness, scene->pairs > 0 ? "the largest of all pairs of materials" : "");
    add_shortest(s, "sphere", n.shortest_contact[0], n.shortest_contact[1], n.contact_duration);
    add_number(s, "time_step", n.time_step, facts->time_steps > 1 ? "current; changes set other values" : "");
    add_number(s, "longest_time_step", n.longest_time_step, limits[n.longest_time_step_by]);
    add_text(s, "longest_time_step_by", scree_sim_limit_name(n.longest_time_step_by), "");
    add_pair(s, "longest_time_step_of", n.longest_time_step_of[0], n.longest_time_step_of[1], "-1: a wall");
    add_number(s, "steps_per_contact", n.contact_duration / n.time_step, "of the shortest contact");
    add_number(s, "restitution_min", n.restitution_min, n.restitution_min > 0.0 ? "over all pairs" : "over all pairs; 0: overdamped");
    add_number(s, "restitution_max", n.restitution_max, "over all pairs");
    if (n.rayleigh_time > 0.0) {
        add_number(s, "rayleigh_time", n.rayleigh_time, "the shortest");
        add_number(s, "overlap_expected", n.overlap_expected, "at contact.speed, over the smaller radius");
    }
}

static void add_derived_of_bodies(scree_run_summary* s, scree_run* run, const scree_run_facts* facts)
{
    scree_polygon_sim_numbers n = scree_polygon_sim_get_numbers(scree_run_get_polygon_sim(run));
    add_integer(s, "fixed", n.fixed, "bodies");
    add_integer(s, "discs", n.discs, "");
    add_integer(s, "vertices", n.vertices, "of all bodies");
    add_sizes(s, n.radius_min, n.radius_max, "of the circumscribed circle of a body");
    add_masses(s, n.mass, n.mass_min, n.mass_max, "of free bodies");
    add_container(s, facts);
    add_number(s, "stiffness", n.stiffness, "");
    add_shortest(s, "body", n.shortest_contact[0], n.shortest_contact[1], n.contact_duration);
    add_number(s, "time_step", n.time_step, "");
    add_number(s, "longest_time_step", n.longest_time_step, "");
    add_number(s, "steps_per_contact", n.contact_duration / n.time_step, "of the shortest contact");
    add_number(s, "restitution_min", n.restitution_min, "of central impacts at one point");
    add_number(s, "restitution_max", n.restitution_max, "");
}

static void add_system(scree_run_summary* s, const scree_run_facts* facts, const scree_scene_facts* scene)
{
    s->topic = SCREE_TOPIC_SYSTEM;
    add_integer(s, "n", facts->count, facts->bodies ? "bodies" : facts->dim == 2 ? "discs" : "spheres");
    add_integer(s, "dim", facts->bodies ? 2 : facts->dim, "");
    if (scene->start_run != NULL)
        add_text(s, "start_run", scene->start_run, "it begins from the state of this run");
    if (scene->start_run != NULL && scene->start_step >= 0)
        add_integer(s, "start_step", scene->start_step, "");
    if (scene->groups > 1)
        add_integer(s, "group_count", scene->groups, "");
}

// ---- The list --------------------------------------------------------------------------------------------------------------

static scree_status fill(scree_run_summary* s, scree_run* run)
{
    double seconds = scree_run_get_seconds(run);
    scree_run_facts facts;
    scree_scene_facts scene;
    scree_sim_report now;
    scree_polygon_sim_report bodies = {0};
    scree_status measured = run_report(run, &now);
    if (measured == SCREE_OK && scree_run_get_polygon_sim(run) != NULL)
        measured = scree_polygon_sim_measure(scree_run_get_polygon_sim(run), &bodies);
    scree_status status = scree_run_get_facts(run, &facts);
    if (status == SCREE_OK)
        status = scree_scene_get_facts(scree_run_get_scene(run), &scene);
    if (status != SCREE_OK || measured == SCREE_ERR_MEMORY)
        return status != SCREE_OK ? status : measured;
    add_system(s, &facts, &scene);
    s->topic = SCREE_TOPIC_STATE;
    if (measured != SCREE_OK) {
        add_text(s, "not_measured", scree_error_message(), "");
    } else {
        add_state(s, run, &facts, &now, &bodies);
        if (!facts.bodies) {
            add_stress(s, facts.dim, &now);
            add_boundaries(s, run, facts.dim);
        }
    }
    add_work(s, scree_run_get_sim(run), &facts, measured == SCREE_OK ? &now : facts.last, seconds);
    s->topic = SCREE_TOPIC_DERIVED;
    if (facts.bodies)
        add_derived_of_bodies(s, run, &facts);
    else
        add_derived_of_spheres(s, run, &facts, &scene);
    return s->status;
}

scree_status scree_run_summary_create(scree_run* run, scree_run_summary** out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(run);
    scree_run_summary* s = scree_calloc(1, sizeof *s);
    scree_status status = s != NULL ? run_flow_catch_up(run) : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = fill(s, run);
    if (status == SCREE_OK)
        *out = s;
    else
        scree_run_summary_destroy(s);
    return status;
}

void scree_run_summary_destroy(scree_run_summary* summary)
{
    for (int32_t k = 0; summary != NULL && k < summary->count; ++k) {
        const scree_quantity* q = &summary->list[k];
        scree_free(q->values != NULL ? (void*)q->values : q->integers != NULL ? (void*)q->integers : (void*)q->key);
    }
    if (summary != NULL)
        scree_free(summary->list);
    scree_free(summary);
}

int32_t scree_run_summary_get_count(const scree_run_summary* summary)
{
    SCREE_NEED_OR(summary, 0);
    return summary->count;
}

const scree_quantity* scree_run_summary_get(const scree_run_summary* summary, int32_t k)
{
    SCREE_NEED_OR(summary, NULL);
    return k >= 0 && k < summary->count ? &summary->list[k] : NULL;
}

const scree_quantity* scree_run_summary_find(const scree_run_summary* summary, const char* key)
{
    SCREE_NEED_OR(summary, NULL);
    SCREE_NEED_OR(key, NULL);
    for (int32_t k = 0; k < summary->count; ++k)
        if (strcmp(summary->list[k].key, key) == 0)
            return &summary->list[k];
    return NULL;
}
