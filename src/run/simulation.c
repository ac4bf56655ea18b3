// The simulation of a run, of spheres (scree_sim) or of bodies (scree_polygon_sim). Everything that depends on which of them it is, except for
// frames and the columns of the log, is here: how it is created from the scene or from a checkpoint, changed, measured and saved.
#include "run/run_inner.h"

#include "scene/place.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool run_has_bodies(const scree_run* run)
{
    return run->polygons != NULL;
}

bool run_is_made(const scree_run* run)
{
    return run->sim != NULL || run->polygons != NULL;
}

int64_t run_sim_step(const scree_run* run)
{
    return run_has_bodies(run) ? scree_polygon_sim_get_step(run->polygons) : scree_sim_get_step(run->sim);
}

double run_sim_length(const scree_run* run)
{
    return run_has_bodies(run) ? scree_polygon_sim_get_numbers(run->polygons).time_step : scree_sim_get_numbers(run->sim).time_step;
}

int32_t run_sim_count(const scree_run* run)
{
    return run_has_bodies(run) ? run->bodies.count : run->set.count;
}

scree_status run_sim_go(scree_run* run, int64_t steps)
{
    return run_has_bodies(run) ? scree_polygon_sim_run(run->polygons, steps) : scree_sim_run(run->sim, steps);
}

// ---- Making ----------------------------------------------------------------------------------------------------------------

// Walls that move where the box, or the container that it bounds, has none: of a scene whose box comes from a file this is known only now.
static scree_status check_walls(const scree_run* run, const scree_scene* scene)
{
    static const char* const keys[2][3] = {{"walls.x", "walls.y", "walls.z"}, {"changes.walls.x", "changes.walls.y", "changes.walls.z"}};
    int round = run->set.container == SCREE_CONTAINER_CYLINDER ? 2 : run->set.container == SCREE_CONTAINER_SPHERE ? 3 : 0;
    for (int face = 0; face < 2 * run->set.dim; ++face)
        if (scene->face_materials[face] >= 0 && (face / 2 < round || run->set_box.periodic[face / 2]))
            return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, scree_scene_face_key(face), -1, "it has a material, and the axis %c %s; expected an axis with flat walls", "xyz"[face / 2],
                                       face / 2 < round ? "is one of a round wall, which has walls.material" : "is periodic and has no walls");
    for (int64_t c = -1; c < scene->change_count; ++c)
        for (int k = 0; k < run->set.dim; ++k) {
            const double* velocity = c < 0 ? scene->sim.wall_velocity[k] : scene->changes[c].wall_velocity[k];
            bool moves = (c < 0 || scene->changes[c].sets_walls) && (velocity[0] != 0.0 || velocity[1] != 0.0);
            if (moves && (k < round || run->set_box.periodic[k]))
                return scree_scene_fail_at(scene, SCREE_ERR_ARGUMENT, keys[c >= 0][k], c, "velocities %g and %g, and the axis %c %s; expected an axis with flat walls", velocity[0], velocity[1],
                                           "xyz"[k], k < round ? "is one of a round wall, which does not move" : "is periodic and has no walls");
        }
    return SCREE_OK;
}

// What the simulation says of a boundary, at the entry of surfaces that it is. False: it is about something else.
static bool locate_surface(const scree_run* run, const scree_scene* scene, scree_status* status)
{
    static const char prefix[] = "sim: boundary ";
    char why[1024];
    int number = 0, length = 0;
    snprintf(why, sizeof why, "%s", scree_error_message());
    if (strncmp(why, prefix, sizeof prefix - 1) != 0 || sscanf(why + sizeof prefix - 1, "%d: %n", &number, &length) < 1 || length == 0)
        return false;
    int64_t entry = number - 6 - (run->set.container != SCREE_CONTAINER_BOX);
    *status = scree_scene_fail_at(scene, *status, "surfaces", entry, "%s", why + sizeof prefix - 1 + length);
    return true;
}

// What the simulation says of its cell, at the key that it is from. False: it is about something else.
static bool locate_cell(const scree_scene* scene, const char* key, int64_t entry, scree_status* status)
{
    static const char prefix[] = "sim.cell: ";
    char why[1024];
    snprintf(why, sizeof why, "%s", scree_error_message());
    if (strncmp(why, prefix, sizeof prefix - 1) != 0)
        return false;
    *status = scree_scene_fail_at(scene, *status, key, entry, "%s", why + sizeof prefix - 1);
    return true;
}

// What the boundaries are made of from a change on.
static void set_materials(const scree_run* run, const scree_scene* scene, int64_t change, scree_sim_boundary* boundaries)
{
    const scree_scene* then = scree_scene_from(scene, change);
    for (int32_t n = 0; n < run->shapes.count; ++n)
        boundaries[n].material = then->surfaces[n].material >= 0 ? then->surfaces[n].material : 0;
}

// Contacts that changes bring must go with the time step too; one that is chosen here is that of the shortest contact of all. *step: 0 if it is the same as without changes
static scree_status check_changes(const scree_run* run, const scree_scene* scene, const scree_sim_def* given, double* step)
{
    scree_sim_numbers numbers;
    double least = INFINITY;
    bool any = false, sets = false;
    scree_status status = SCREE_OK;
    for (int64_t c = 0; c < scene->change_count; ++c)
        any = any || scene->changes[c].sets_contacts || scene->changes[c].sets_time;
    scree_sim_boundary* boundaries = any && run->shapes.count > 0 ? scree_malloc((size_t)run->shapes.count, sizeof *boundaries) : NULL;
    if (boundaries == NULL && any && run->shapes.count > 0)
        return SCREE_ERR_MEMORY;
    for (int64_t c = -1; c < scene->change_count && any && status == SCREE_OK; ++c) {
        if (c >= 0)
            sets = sets || scene->changes[c].sets_time;
        if (c >= 0 && !scene->changes[c].sets_contacts && !scene->changes[c].sets_time)
            continue;
        scree_scene_law law = {0};
        scree_sim_def def = *given;
        if (run->shapes.count > 0)
            memcpy(boundaries, run->shapes.boundaries, (size_t)run->shapes.count * sizeof *boundaries);
        set_materials(run, scene, c, boundaries);
        def.boundaries = boundaries;
        def.time_step = sets ? scree_scene_from(scene, c)->sim.time_step : scene->sim.time_step;
        status = run_law(scene, c, run_flow_sample(run), &law, &def);
        if (status == SCREE_OK)
            status = scree_sim_find_numbers(&def, scree_sphere_set_view(&run->set), &numbers);
        scree_scene_law_free(&law);
        if (status != SCREE_OK && c < 0) {  // reported where the simulation is made
            scree_free(boundaries);
            return SCREE_OK;
        }
        if (status == SCREE_OK)
            least = sets ? least : fmin(least, numbers.time_step);
        else
            status = scree_scene_locate(scene, status, scene->changes[c].sets_time ? "changes.time" : "changes.contact", c);
    }
    scree_free(boundaries);
    *step = any && status == SCREE_OK && scene->sim.time_step == 0.0 && least < INFINITY ? least : 0.0;
    return status;
}

// Creates the simulation from the def of the scene, with the box of the spheres and the options of the caller. If a simulation
// exists, it gets the contacts of run->stage instead. run->law and run->bonds are empty before.
static scree_status build_spheres(scree_run* run, const scree_scene* scene)
{
    scree_sim_def def = scene->sim;
    bool again = run->sim != NULL;
    scree_status status = again ? SCREE_OK : check_walls(run, scene);
    if (status == SCREE_OK && !again)
        status = run_flow_make(run, scene);
    if (status == SCREE_OK)
        status = run_law(scene, run->stage, run_flow_sample(run), &run->law, &def);
    if (status != SCREE_OK)
        return status;
    status = run_bonds_make(run, scene, &def);
    if (status == SCREE_OK && !again)
        status = scree_scene_make_shapes(scene, &run->shapes);
    if (status != SCREE_OK)
        return status;
    if (!again)
        run_shapes_tell(run);
    set_materials(run, scene, run->stage, run->shapes.boundaries);
    def.boundaries = run->shapes.boundaries;
    def.boundary_count = run->shapes.count;
    def.box = run->set_box;
    def.container = run->set.container;
    def.walls_remove = scene->walls_on_crossing == 1;
    def.material_density = run->each.material_density;
    scree_sim_each each = run->each.each;
    each.id = run_flow_ids(run);
    bool own = each.material_density != NULL || each.material != NULL || each.group != NULL || each.fixed != NULL || each.force != NULL || each.spin != NULL || each.id != NULL;
    def.each = own ? &each : NULL;
    run_flow_define(run, scene, &def);
    def.energies = scree_scene_has_energies(scene);
    def.watch_overlaps = SCREE_RUN_OVERLAP_MOST;
    def.threads = run->def.threads;
    def.device = run->def.device;
    def.check = run->def.verify;
    def.watch = (scree_watch){.tick = run_tick_step, .context = run};
    scree_index_def search = scene->search;
    if (run->def.method >= 0 && run->def.method != search.method) {
        // Parameters of the scene's method mean nothing to another one.
        search = scree_default_index_def();
        search.method = run->def.method;
        search.skin = scene->search.skin;
    }
    def.search = &search;
    scree_sim_cell cell;
    scree_scene_make_cell(&scene->cell, &cell);
    def.cell = scree_scene_has_cell(scene) ? &cell : NULL;
    if (again)
        return scree_sim_set_contacts(run->sim, &def, scree_sphere_set_view(&run->set));
    double step = 0.0;
    status = check_changes(run, scene, &def, &step);
    if (status != SCREE_OK)
        return status;
    def.time_step = run->kept_length > 0.0 ? run->kept_length : step > 0.0 ? step : def.time_step;
    status = scree_sim_create(&def, scree_sphere_set_view(&run->set), run->velocity->values, &run->sim);
    if (status != SCREE_OK && locate_cell(scene, "cell", -1, &status))
        return status;
    for (int64_t c = 0; c < scene->change_count && status == SCREE_OK; ++c) {
        if (!scene->changes[c].sets_cell)
            continue;
        scree_scene_make_cell(&scene->changes[c].cell, &cell);
        status = scree_sim_check_cell(run->sim, &cell);
        if (status != SCREE_OK && locate_cell(scene, "changes.cell", c, &status))
            return status;
    }
    if (status == SCREE_OK)
        status = run_find_pairs(run, scene, &def);
    if ((status == SCREE_ERR_ARGUMENT || status == SCREE_ERR_UNSUPPORTED) && locate_surface(run, scene, &status))
        return status;
    if (status == SCREE_OK) {
        status = scree_scene_apply(scene, -1, run->sim);
        if (status == SCREE_OK)
            status = scree_sim_run(run->sim, 0);  // a device rejects now what it cannot do
        if (status != SCREE_OK)
            return status;
    }
    if (status != SCREE_ERR_ARGUMENT)
        return status == SCREE_OK ? run_add_sim_columns(run) : status;
    // The message names the key of the scene that is wrong: the step alone, the bonds, the contact, or the spheres in their box.
    char why[1024];
    snprintf(why, sizeof why, "%s", scree_error_message());
    scree_sim_numbers numbers;
    bool as_given = scree_sim_find_numbers(&def, scree_sphere_set_view(&run->set), &numbers) == SCREE_OK;
    def.time_step = 0.0;
    bool without_step = scree_sim_find_numbers(&def, scree_sphere_set_view(&run->set), &numbers) == SCREE_OK;
    bool bonded = def.bonds != NULL;
    def.bonds = NULL;
    bool without_bonds = bonded && scree_sim_find_numbers(&def, scree_sphere_set_view(&run->set), &numbers) == SCREE_OK;
    const char* key = as_given ? (scene->start_run != NULL ? "start.run" : "spheres") : without_step ? "time.step" : without_bonds ? "bonds" : "contact";
    for (int64_t m = 0; m < scene->material_count && scene->material_count > 1 && strstr(why, "material") != NULL; ++m) {  // the simulation has numbers only
        size_t used = strlen(why);
        snprintf(why + used, sizeof why - used, "%s%" PRId64 " is %s%s", m == 0 ? " (material " : ", ", m, scene->materials[m].name, m + 1 < scene->material_count ? "" : ")");
    }
    static const char prefix[] = "sim: ";  // the key says it
    return scree_scene_fail_at(scene, status, key, -1, "%s", strncmp(why, prefix, sizeof prefix - 1) == 0 ? why + sizeof prefix - 1 : why);
}

// The law and the bonds that there were stay where the new ones fail: reports read them.
static scree_status make_spheres(scree_run* run, const scree_scene* scene)
{
    scree_scene_law law = run->law;
    scree_scene_bonds bonds = run->bonds;
    run->law = (scree_scene_law){0};
    run->bonds = (scree_scene_bonds){0};
    scree_status status = build_spheres(run, scene);
    if (status != SCREE_OK) {
        scree_scene_law failed_law = run->law;
        scree_scene_bonds failed_bonds = run->bonds;
        run->law = law;
        run->bonds = bonds;
        law = failed_law;
        bonds = failed_bonds;
    }
    scree_scene_law_free(&law);
    scree_scene_bonds_free(&bonds);
    return status;
}

// What two materials do to each other, in the words of bodies.
static scree_polygon_pair body_pair(const scree_sim_pair* from)
{
    scree_polygon_pair pair = scree_default_polygon_pair();
    pair.stiffness = from->stiffness;
    pair.damping = from->damping;
    pair.restitution = from->restitution;
    pair.friction = from->friction;
    pair.friction_dynamic = from->friction_dynamic;
    pair.tangential_stiffness = from->tangential_stiffness;
    pair.tangential_damping = from->tangential_damping;
    return pair;
}

// The contact of the scene into the def. Where there are materials, it points to `pairs`, which are the caller's.
static scree_status body_law(const scree_run* run, const scree_scene* scene, scree_polygon_sim_def* def, scree_polygon_pair** pairs)
{
    scree_scene_law law;
    scree_status status = scree_scene_make_body_law(scene, &run->set_box, run->bodies.count, run->bodies.bodies, &law);
    if (status != SCREE_OK)
        return status;
    def->stiffness = law.stiffness;
    def->contact_duration = scene->sim.contact_duration;
    def->damping = law.damping;
    def->restitution = law.restitution;
    int64_t materials = law.law.pairs != NULL ? law.law.material_count : 0;
    if (scene->material_count > 0) {
        *pairs = scree_malloc((size_t)(materials * materials), sizeof **pairs);
        if (*pairs == NULL)
            status = SCREE_ERR_MEMORY;
        for (int64_t e = 0; e < materials * materials && status == SCREE_OK; ++e)
            (*pairs)[e] = body_pair(&law.law.pairs[e]);
        def->pairs = *pairs;
        def->material_count = (int32_t)materials;
        def->wall_material = law.wall_material;
        if (status == SCREE_OK && def->stiffness == 0.0 && def->contact_duration == 0.0)
            def->stiffness = (*pairs)[0].stiffness;  // all pairs have their own; the def must have one
    } else if (materials > 0) {
        scree_polygon_pair all = body_pair(law.law.pairs);
        def->friction = all.friction;
        def->friction_dynamic = all.friction_dynamic;
        def->tangential_stiffness = all.tangential_stiffness;
        def->tangential_damping = all.tangential_damping;
    }
    scree_scene_law_free(&law);
    return status;
}

static void tell_rounding(scree_run* run)
{
    const scree_polygon_sim_numbers numbers = scree_polygon_sim_get_numbers(run->polygons);
    if (numbers.limited == 0)
        return;
    char text[256];
    snprintf(text, sizeof text, "bodies: corners of %" PRId32 " bodies, the first of them body %" PRId32 ", are less round than contact.rounding says, %g at least: their sides are short or their arms are narrow",
             numbers.limited, numbers.limited_first, numbers.rounding_min);
    run_add_note(run, text);
}

static scree_status make_bodies(scree_run* run, const scree_scene* scene)
{
    const scree_sim_def* from = &scene->sim;
    if (run->def.verify)
        return scree_fail(SCREE_ERR_ARGUMENT, "verify: not supported for contacts of bodies; expected no verify (the method all-pairs gives the same bits)");
    if (run->def.device != SCREE_DEVICE_NONE && run->def.device != SCREE_DEVICE_AUTO)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "device %s does not do the steps of bodies; expected none", scree_device_name(run->def.device));
    scree_polygon_pair* pairs = NULL;
    scree_polygon_sim_def def = scree_default_polygon_sim_def();
    def.box = run->set_box;
    memcpy(def.gravity, from->gravity, sizeof def.gravity);
    def.material_density = from->material_density;
    def.time_step = from->time_step;
    def.wrap_every = from->order_every;
    def.method = run->def.method >= 0 ? run->def.method : scene->search.method;
    def.skin = scene->search.skin;
    def.threads = run->def.threads;
    def.rule = scene->contact.rule;
    def.rounding = scene->contact.rounding;
    def.watch = (scree_watch){.tick = run_tick_step, .context = run};
    scree_status status = body_law(run, scene, &def, &pairs);
    bool lawful = status == SCREE_OK;
    if (lawful)
        status = scree_polygon_sim_create(&def, &run->bodies.shapes, run->bodies.count, run->bodies.bodies, &run->polygons);
    if (status == SCREE_OK)
        tell_rounding(run);
    if (!lawful || status != SCREE_ERR_ARGUMENT) {
        scree_free(pairs);
        return status;
    }
    char why[1024];
    snprintf(why, sizeof why, "%s", scree_error_message());
    scree_polygon_sim* other = NULL;
    def.time_step = 0.0;
    bool without_step = from->time_step > 0.0 &&
                        scree_polygon_sim_create(&def, &run->bodies.shapes, run->bodies.count, run->bodies.bodies, &other) == SCREE_OK;
    scree_polygon_sim_destroy(other);
    scree_free(pairs);
    return scree_scene_fail_at(scene, status, without_step ? "time.step" : "bodies", -1, "%s", why);
}

scree_status run_sim_make(scree_run* run, const scree_scene* scene)
{
    return scene->body_count > 0 ? make_bodies(run, scene) : make_spheres(run, scene);
}

// ---- The start -------------------------------------------------------------------------------------------------------------

// Contacts that another run had already are part of its state, however deep; a new box brings new ones, with new walls and with periodic images. Two spheres touched
// if they were as far apart there, in the same direction, images of that box included: the new one may have wrapped them.
static bool is_taken_over(const scree_run* run, const scree_sim_contacts* contacts, int64_t c)
{
    const run_other* other = run->other;
    if (other == NULL || other->same_box)
        return other != NULL;
    int64_t i = contacts->ij[c][0], j = contacts->ij[c][1];
    if (j < 0)
        return -1 - j < 7 && other->same_wall[-1 - j];
    double sum = run->set.r[i] + run->set.r[j];
    const scree_box* then = &other->box_then;
    for (int k = 0; k < run->set.dim; ++k) {
        double off = contacts->normal[c][k] * (sum - contacts->overlap[c]) - (run->set.x[i * run->set.dim + k] - run->set.x[j * run->set.dim + k]);
        double length = then->upper[k] - then->lower[k];
        if (then->periodic[k])
            off -= length * rint(off / length);
        if (!(fabs(off) <= 1e-6 * sum))
            return false;
    }
    return true;
}

// Spheres that overlap much at the start would fly apart. Fixed ones may overlap each other and walls.
static scree_status check_spheres(scree_run* run)
{
    scree_sim_report report;
    scree_sim_contacts contacts;
    scree_status status = scree_sim_measure(run->sim, &report);
    if (status != SCREE_OK || report.max_overlap_relative <= SCREE_RUN_OVERLAP_MOST)
        return status;
    status = scree_sim_get_contacts(run->sim, &contacts);
    if (status != SCREE_OK)
        return status;
    int64_t worst = 0;
    double most = 0.0;
    for (int64_t c = 0; c < contacts.count; ++c) {
        int64_t i = contacts.ij[c][0], j = contacts.ij[c][1];
        if (is_taken_over(run, &contacts, c))
            continue;
        double share = contacts.overlap[c] / (j >= 0 ? fmin(run->set.r[i], run->set.r[j]) : run->set.r[i]);
        worst = share > most ? c : worst;
        most = fmax(most, share);
    }
    if (most <= SCREE_RUN_OVERLAP_MOST)
        return SCREE_OK;
    int64_t i = contacts.ij[worst][0], j = contacts.ij[worst][1];
    if (j < 0 && contacts.feature != NULL && contacts.feature[worst] >= 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": at the start it overlaps by %g with entry %d of surfaces, which is %.3g of its radius %g; expected at most %g", i, contacts.overlap[worst],
                          (int)(-j - 6 - (run->set.container != SCREE_CONTAINER_BOX)), most, run->set.r[i], SCREE_RUN_OVERLAP_MOST);
    if (j < 0)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "sphere %" PRId64 ": at the start it overlaps by %g with a wall, which is %.3g of its radius %g; expected at most %g. Use a larger box", i,
                          contacts.overlap[worst], most, run->set.r[i], SCREE_RUN_OVERLAP_MOST);
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "spheres %" PRId64 " and %" PRId64 ": at the start they overlap by %g, which is %.3g of the smaller radius; expected at most %g", i, j,
                      contacts.overlap[worst], most, SCREE_RUN_OVERLAP_MOST);
}

static scree_status check_bodies(scree_run* run)
{
    scree_polygon_contacts list;
    scree_outlines now;
    scree_status status = scree_polygon_sim_get_outlines(run->polygons, &now);
    int32_t n = run->bodies.count;
    double* radius = status == SCREE_OK ? scree_malloc((size_t)n, sizeof *radius) : NULL;
    if (status == SCREE_OK && radius == NULL)
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK && n > 0)
        memcpy(radius, now.radius, (size_t)n * sizeof *radius);
    if (status == SCREE_OK)
        status = scree_polygon_sim_get_contacts(run->polygons, &list);
    const scree_contact* worst = NULL;
    double most = SCREE_RUN_OVERLAP_MOST, deepest = 0.0;
    for (int64_t c = 0; status == SCREE_OK && c < list.count; ++c) {
        const scree_contact* contact = &list.contacts[c];
        double least = contact->j >= 0 ? fmin(radius[contact->i], radius[contact->j]) : radius[contact->i];
        double depth = contact->kind == SCREE_CONTACT_CROSSING ? sqrt(fabs(contact->depth)) : contact->depth;  // of an area: a length like it
        if (depth > most * least) {
            most = depth / least;
            deepest = depth;
            worst = contact;
        }
    }
    scree_free(radius);
    if (status != SCREE_OK || worst == NULL)
        return status;
    char what[64] = "", whom[48] = "a wall of the box";
    if (worst->kind == SCREE_CONTACT_VERTEX || (worst->kind == SCREE_CONTACT_WALL && run->bodies.bodies[worst->i].shape >= 0))
        snprintf(what, sizeof what, "vertex %" PRId32 " of ", worst->feature);
    if (worst->j >= 0)
        snprintf(whom, sizeof whom, "body %" PRId32, worst->j);
    return scree_fail(SCREE_ERR_ARGUMENT,
                      "%sbody %" PRId32 ": at the start it overlaps by %g with %s, which is %.3g of the bounding radius of the smaller one; expected at most %g", what, worst->i,
                      deepest, whom, most, SCREE_RUN_OVERLAP_MOST);
}

scree_status run_sim_check_start(scree_run* run)
{
    return run_has_bodies(run) ? check_bodies(run) : check_spheres(run);
}

// ---- On the way ------------------------------------------------------------------------------------------------------------

// Bonds are those that there are now, as for a resume. The new lists of candidates are no work of the run.
static scree_status change_contacts(scree_run* run, int64_t change)
{
    scree_checkpoint saved = {0};
    scree_sim_report before, after;
    int64_t stage = run->stage;
    scree_status status = run_flow_catch_up(run);
    if (status == SCREE_OK)
        status = scree_sim_measure(run->sim, &before);
    if (status == SCREE_OK && run_has_bonds(run))
        status = scree_checkpoint_save(run->sim, &saved);
    if (status == SCREE_OK && run->set.x == NULL)
        status = run_frame_fill(run);  // several processes have the spheres
    if (status != SCREE_OK) {
        scree_checkpoint_free(&saved);
        return status;
    }
    run->stage = change;
    run->kept_bonds = run_has_bonds(run) ? &saved.bonds : NULL;
    run->kept_giants = scree_sim_get_numbers(run->sim).giant_radius;
    status = scree_scene_locate(&run->scene, make_spheres(run, &run->scene), "changes.contact", change);
    run->kept_bonds = NULL;
    run_frame_release(run);
    scree_checkpoint_free(&saved);
    if (status == SCREE_OK)
        status = scree_sim_measure(run->sim, &after);
    if (status != SCREE_OK) {
        run->stage = stage;
        return status;
    }
    run->before.rebuilds += before.rebuilds - after.rebuilds;
    return SCREE_OK;
}

scree_status run_sim_change(scree_run* run, int64_t change)
{
    const scree_scene_change* to = &run->scene.changes[change];
    if (run_has_bodies(run))  // the scene has rejected all other changes
        return to->sets_gravity ? scree_polygon_sim_set_gravity(run->polygons, to->gravity) : SCREE_OK;
    // A shorter step comes before contacts that may need it, a longer one after them.
    bool shorter = to->sets_time && to->scene->sim.time_step < run_sim_length(run);
    scree_status status = shorter ? scree_sim_set_time_step(run->sim, to->scene->sim.time_step) : SCREE_OK;
    if (status == SCREE_OK && to->sets_contacts)
        status = change_contacts(run, change);
    return status == SCREE_OK ? scree_scene_apply(&run->scene, change, run->sim) : status;
}

scree_status run_sim_measure(scree_run* run, scree_sim_report* out)
{
    if (!run_has_bodies(run))
        return scree_sim_measure(run->sim, out);
    scree_polygon_sim_report* r = &run->bodies_report;
    scree_status status = scree_polygon_sim_measure(run->polygons, r);
    if (status == SCREE_OK)
        *out = (scree_sim_report){.step = r->step,
                                  .time = r->time,
                                  .energy_kinetic = r->energy_kinetic,
                                  .energy_contact = r->energy_contact,
                                  .energy_gravity = r->energy_gravity,
                                  .energy_potential = r->energy_potential,
                                  .momentum = {r->momentum[0], r->momentum[1], 0.0},
                                  .contacts = r->contacts,
                                  .wall_contacts = r->wall_contacts,
                                  .max_overlap = r->max_overlap,
                                  .max_overlap_relative = r->max_overlap_relative,
                                  .speed_max = r->speed_max,
                                  .rebuilds = r->rebuilds,
                                  .candidates = r->candidates,
                                  .skin = r->skin,
                                  .method = r->method,
                                  .bytes = r->bytes,
                                  .seconds_search = r->seconds_search,
                                  .seconds_force = r->seconds_force,
                                  .seconds_integrate = r->seconds_integrate,
                                  .energy_normal = r->energy_normal,
                                  .energy_tangential = r->energy_tangential,
                                  .dissipated_normal = r->dissipated_normal,
                                  .dissipated_tangential = r->dissipated_tangential,
                                  .work_walls = r->work_walls,
                                  .work_gravity = r->work_gravity,
                                  .sliding = r->sliding};
    return status;
}

// ---- Checkpoints -----------------------------------------------------------------------------------------------------------

scree_status run_sim_take(const scree_run* run, scree_checkpoint* out)
{
    return run_has_bodies(run) ? scree_checkpoint_save_bodies(run->polygons, &run->bodies.shapes, run->bodies.bodies, out)
                               : scree_checkpoint_attach(run->sim, out);
}

// The materials that single spheres had, where the scene does not have them.
scree_status run_add_kept_materials(const scree_scene* scene, const scree_checkpoint* saved, scree_sphere_set* set)
{
    bool marked = true;
    for (int64_t n = 0; n < scree_scene_group_count(scene); ++n)
        marked = marked && scree_scene_get_entry(scene, n).material >= 0;
    const uint16_t* material = marked ? NULL : scree_checkpoint_get_values(saved, "material", SCREE_TYPE_UINT16);
    scree_column* column = NULL;
    scree_status status = material != NULL ? scree_sphere_set_add(set, "material", SCREE_COLUMN_INT64, 1, &column) : SCREE_OK;
    for (int32_t i = 0; i < set->count && column != NULL && status == SCREE_OK; ++i)
        column->integers[i] = material[i];
    return status;
}

// Made with centres that the first box can hold (walls may have moved since), and then taken to the state.
static scree_status restore_spheres(scree_run* run, const scree_checkpoint* saved)
{
    scree_status status = scree_sphere_set_make(saved->dim, saved->count, &run->set);
    if (status != SCREE_OK)
        return status;
    run->set.has_box = true;
    run->set.box = run->set_box;
    run->set.container = run->container;
    const double *saved_x = scree_checkpoint_get_values(saved, "x", SCREE_TYPE_FLOAT64), *saved_r = scree_checkpoint_get_values(saved, "radius", SCREE_TYPE_FLOAT64);
    if (saved->count > 0 && saved_r == NULL)
        return scree_fail(SCREE_ERR_FORMAT, "%s: its checkpoint has no column 'radius'; expected one", run->folder);
    for (int32_t i = 0; i < saved->count; ++i) {
        run->set.r[i] = saved_r[i];
        for (int k = 0; k < saved->dim; ++k) {
            double x = saved_x[(int64_t)i * saved->dim + k];
            if (!run->set_box.periodic[k])
                x = fmin(fmax(x, run->set_box.lower[k]), run->set_box.upper[k]);
            run->set.x[(int64_t)i * saved->dim + k] = x;
        }
    }
    scree_column* velocity;
    status = scree_sphere_set_add(&run->set, "velocity", SCREE_COLUMN_DOUBLE, saved->dim, &velocity);
    if (status == SCREE_OK)
        status = run_flow_recall(run, saved);
    if (status == SCREE_OK)
        status = run_has_flow(run) ? run_flow_groups(run, saved, &run->set) : run_add_scene_groups(&run->scene, &run->set);
    if (status == SCREE_OK)
        status = run_add_kept_materials(&run->scene, saved, &run->set);
    if (status == SCREE_OK)
        status = run_add_columns(run, &run->scene);
    run->kept_bonds = &saved->bonds;
    run_paces then = {0};
    const scree_checkpoint_number* first = scree_checkpoint_find(saved, "first_step_length");
    if (first != NULL && !first->whole && first->value > 0.0) {
        run->first_length = first->value;
        run->kept_length = saved->time_step;
    }
    if (status == SCREE_OK)
        status = run_paces_make(&run->scene, run->first_length > 0.0 ? run->first_length : saved->time_step, &then);
    for (int64_t c = 0; c < run->scene.change_count && status == SCREE_OK; ++c)
        if (run->scene.changes[c].sets_contacts && run_paces_step(&then, run->scene.changes[c].due) <= saved->step)
            run->stage = c;
    run_paces_free(&then);
    if (status == SCREE_OK)
        status = run_make_sim(run, &run->scene);
    run->kept_bonds = NULL;
    if (status == SCREE_OK)
        status = scree_checkpoint_restore(saved, run->sim);
    return status;
}

static scree_status copy_shapes(const scree_shapes* from, scree_shapes* to)
{
    for (int32_t s = 0; s < from->count; ++s) {
        scree_status status = scree_shapes_add(to, scree_shapes_get(from, s), NULL);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// Made of the bodies as they stood, then taken to the state, which also knows accelerations and where fixed bodies come from.
static scree_status restore_bodies(scree_run* run, const scree_checkpoint* saved)
{
    run->bodies.bodies = scree_malloc((size_t)saved->count, sizeof *run->bodies.bodies);
    if (run->bodies.bodies == NULL)
        return SCREE_ERR_MEMORY;
    run->bodies.count = saved->count;
    run->bodies.box = run->set_box;
    scree_status status = scree_checkpoint_get_bodies(saved, run->bodies.bodies);
    if (status == SCREE_OK)
        status = copy_shapes(&saved->shapes, &run->bodies.shapes);
    if (status == SCREE_OK)
        status = run_make_sim(run, &run->scene);
    return status == SCREE_OK ? scree_checkpoint_restore_bodies(saved, run->polygons) : status;
}

scree_status run_sim_restore(scree_run* run, const scree_checkpoint* saved)
{
    if (saved->has_bodies != (run->scene.body_count > 0))
        return scree_fail(SCREE_ERR_FORMAT, "%s: its checkpoint is of %s; expected %s, as in its scene", run->folder, saved->has_bodies ? "bodies" : "spheres",
                          saved->has_bodies ? "spheres" : "bodies");
    return saved->has_bodies ? restore_bodies(run, saved) : restore_spheres(run, saved);
}
