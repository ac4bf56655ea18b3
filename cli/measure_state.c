// From a run: the frame, with masses and groups by the run's scene.yaml and contacts by its contacts/, or by a search where it wrote none. From a file: its columns
// velocity, spin and group, and a material density that is 1 unless given.
#include "measure_state.h"

#include "frames.h"

#include "scree/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char* kernel_name_at(int k)
{
    return scree_kernel_name(k);
}

const char* clusters_name_at(int k)
{
    return scree_clusters_name(k);
}

const char* surface_name_at(int k)
{
    return scree_surface_name(k);
}

const char* axis_name_at(int k)
{
    static const char* const names[] = {"x", "y", "z", NULL};
    return names[k];
}

// ---- Options -----------------------------------------------------------------------------------------------------

static bool flow_option(const arguments* args, state_wishes* out)
{
    const char* text = option_text(args, "flow");
    char* end = NULL;
    if (text == NULL)
        return true;
    if (text[0] >= 'x' && text[0] <= 'z' && text[1] == ':' && text[2] != '\0') {
        out->flow = true;
        out->flow_axis = text[0] - 'x';
        out->flow_at = strtod(text + 2, &end);
    }
    if (end == NULL || *end != '\0' || !isfinite(out->flow_at)) {
        say("scree measure: --flow expects a plane like z:0.5, got '%s'\n", text);
        return false;
    }
    return true;
}

static bool region_option(const arguments* args, state_wishes* out)
{
    if (!option_numbers(args, "region", 6, out->region, &out->region_numbers) || !option_number(args, "low", &out->surface.low) || !option_number(args, "high", &out->surface.high))
        return false;
    static const char* const needed[] = {"region", "low", "high"};
    for (size_t k = 0; k < 3; ++k)
        if (option_given(args, needed[k]) && !option_given(args, "repose")) {
            say("scree measure: --%s is for the angle of repose; give --repose slope or --repose heap\n", needed[k]);
            return false;
        }
    return true;
}

// A:B, both included; either may be left out.
static bool frames_option(const arguments* args, state_wishes* out)
{
    const char* text = option_text(args, "frames");
    if (text == NULL)
        return true;
    int64_t ends[2] = {0, -1};
    char* end = (char*)text;
    if (*end != ':')
        ends[0] = strtoll(text, &end, 10);
    bool fits = *end == ':' && ends[0] >= 0;
    if (fits && end[1] != '\0') {
        const char* second = end + 1;
        ends[1] = strtoll(second, &end, 10);
        fits = *second >= '0' && *second <= '9' && *end == '\0' && ends[1] >= ends[0];
    }
    if (!fits || (*text != ':' && (*text < '0' || *text > '9'))) {
        say("scree measure: --frames expects two frames like 10:20, 10: or :20, got '%s'\n", text);
        return false;
    }
    out->frame_from = ends[0];
    out->frame_to = ends[1];
    return true;
}

static bool cells_option(const arguments* args, state_wishes* out)
{
    double cells[3];
    int count = 0;
    if (!option_numbers(args, "fields", 3, cells, &count))
        return false;
    out->fields = option_given(args, "fields");
    for (int k = 0; k < count; ++k) {
        if (!(cells[k] >= 1.0 && cells[k] <= 10000.0) || cells[k] != floor(cells[k])) {
            say("scree measure: --fields expects numbers of cells from 1 to 10000, got %g\n", cells[k]);
            return false;
        }
        out->grid.cells[k] = (int32_t)cells[k];
    }
    out->grid_axes = count;
    return true;
}

bool state_wishes_of(const arguments* args, const common* co, state_wishes* out)
{
    *out = (state_wishes){.frame = -1, .frame_to = -1, .grid = scree_default_fields_def(), .profile_bins = 50, .surface = scree_default_repose_def(), .material_density = 1.0};
    int kernel = 0, surface = 0, up = 0;
    if (!option_integer(args, "frame", 0, INT32_MAX, &out->frame) || !cells_option(args, out) || !frames_option(args, out) || !flow_option(args, out) || !region_option(args, out) ||
        !option_choice(args, "kernel", kernel_name_at, &kernel) || !option_choice(args, "clusters", clusters_name_at, &out->clusters) || !option_number(args, "width", &out->grid.width) ||
        !option_choice(args, "profile", axis_name_at, &out->profile_axis) || !option_integer(args, "profile-bins", 1, 10000, &out->profile_bins) ||
        !option_choice(args, "repose", surface_name_at, &surface) || !option_choice(args, "up", axis_name_at, &up) ||
        !option_number(args, "material-density", &out->material_density) || !option_integer(args, "least-contacts", 1, 1000, &out->least_contacts))
        return false;
    out->folder = is_folder(args->files[0]) ? args->files[0] : NULL;
    out->profile = option_given(args, "profile");
    out->repose = option_given(args, "repose");
    out->msd = option_given(args, "msd");
    out->network = out->folder != NULL || option_given(args, "network") || option_given(args, "contacts");
    out->grid.kernel = kernel;
    out->surface.surface = surface;
    out->surface.up = option_given(args, "up") ? up : -1;
    static const char* const of_runs[] = {"frame", "flow", "clusters", "msd", "average", "frames"};
    for (size_t k = 0; k < sizeof of_runs / sizeof *of_runs; ++k)
        if (option_given(args, of_runs[k]) && out->folder == NULL) {
            say("scree measure: --%s expects the folder of a run, got '%s'\n", of_runs[k], args->files[0]);
            return false;
        }
    static const char* const alone[] = {"frame", "flow", "msd", "voxels"};
    for (size_t k = 0; k < sizeof alone / sizeof *alone; ++k)
        if (option_given(args, alone[k]) && option_given(args, "average")) {
            say("scree measure: --%s and --average are both given; expected one of them\n", alone[k]);
            return false;
        }
    if (option_given(args, "frames") && !option_given(args, "average") && !out->msd) {
        say("scree measure: --frames is for --average and --msd; give one of them\n");
        return false;
    }
    static const char* const of_files[] = {"contacts", "material-density"};
    for (size_t k = 0; k < 2; ++k)
        if (option_given(args, of_files[k]) && out->folder != NULL) {
            say("scree measure: --%s is for files only; '%s' is a folder, and runs have their own\n", of_files[k], args->files[0]);
            return false;
        }
    if (out->fields && co->out == NULL) {
        say("scree measure: --fields writes PREFIX-fields.vti and PREFIX-fields.csv; give the prefix with --out\n");
        return false;
    }
    if (!(out->material_density > 0.0) || isinf(out->material_density)) {
        say("scree measure: --material-density expects a number above 0, got %g\n", out->material_density);
        return false;
    }
    return true;
}

// ---- Frames ------------------------------------------------------------------------------------------------------

void state_view_free(state_view* view)
{
    scree_free(view->mass);
    scree_free(view->group);
    scree_free(view->v);
    scree_contact_table_free(&view->contacts);
    bonds_found_free(&view->bonds);
    *view = (state_view){0};
}

static void fill_masses(const scree_sphere_set* set, double density, double* mass)
{
    const double pi = 3.14159265358979323846;
    for (int64_t i = 0; i < set->count; ++i) {
        double r = set->r[i];
        mass[i] = density * (set->dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r);
    }
}

static void fill_by_file(const scree_sphere_set* set, double density, state_view* view)
{
    const scree_column* group = scree_sphere_set_find(set, "group");
    fill_masses(set, density, view->mass);
    bool fits = group != NULL && group->kind == SCREE_COLUMN_INT64 && group->components == 1;
    for (int64_t i = 0; i < set->count && fits; ++i)
        fits = group->integers[i] >= 0 && group->integers[i] <= UINT16_MAX;
    for (int64_t i = 0; i < set->count; ++i)
        view->group[i] = fits ? (int32_t)group->integers[i] : 0;
}

// Columns of vectors may have three components in 2D.
static scree_status fill_velocities(const scree_sphere_set* set, state_view* view)
{
    const scree_column* column = scree_sphere_set_find(set, "velocity");
    if (column == NULL)
        column = scree_sphere_set_find(set, "v");
    if (column == NULL || column->kind != SCREE_COLUMN_DOUBLE || column->components < set->dim)
        return SCREE_OK;
    view->v = scree_malloc((size_t)set->count, (size_t)set->dim * sizeof *view->v);
    if (view->v == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < set->count; ++i)
        for (int k = 0; k < set->dim; ++k)
            view->v[i * set->dim + k] = column->values[i * column->components + k];
    view->now.v = view->v;
    return SCREE_OK;
}

scree_status state_view_make(const common* co, const scree_scene* scene, double density, const scree_sphere_set* set, state_view* view)
{
    *view = (state_view){.now = scree_default_snapshot(),
                      .mass = scree_malloc((size_t)set->count, sizeof *view->mass),
                      .group = scree_malloc((size_t)set->count, sizeof *view->group)};
    scree_status status = view->mass != NULL && view->group != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK && scene != NULL)
        status = scree_scene_find_masses(scene, set, view->mass, view->group);
    else if (status == SCREE_OK)
        fill_by_file(set, density, view);
    if (status == SCREE_OK)
        status = fill_velocities(set, view);
    if (status != SCREE_OK) {
        state_view_free(view);
        return status;
    }
    const scree_column* spin = scree_sphere_set_find(set, set->dim == 2 ? "spin_z" : "spin");
    if (spin != NULL && spin->kind == SCREE_COLUMN_DOUBLE && spin->components == (set->dim == 2 ? 1 : 3))
        view->now.spin = spin->values;
    view->now.box = set->box;
    view->now.container = set->container;
    view->now.spheres = scree_sphere_set_view(set);
    view->now.mass = view->mass;
    view->now.group = view->group;
    view->now.threads = co->threads;
    for (int64_t i = 0; i < set->count; ++i)
        view->groups = view->group[i] >= view->groups ? view->group[i] + 1 : view->groups;
    return SCREE_OK;
}

// ---- Measuring ---------------------------------------------------------------------------------------------------

// Where spheres come and go, contacts name them by numbers that are not their rows.
static scree_status name_by_rows(const char* path, const scree_sphere_set* set, scree_contact_table* table)
{
    int64_t(*ij)[2] = (int64_t(*)[2])table->contacts.ij;  // its own
    if (scree_sphere_set_find(set, "id") == NULL)
        return SCREE_OK;
    for (int64_t c = 0; c < table->contacts.count; ++c)
        for (int k = 0; k < 2; ++k) {
            int64_t row = ij[c][k] < 0 ? ij[c][k] : scree_sphere_set_row(set, ij[c][k]);
            if (ij[c][k] >= 0 && row < 0)
                return scree_fail(SCREE_ERR_ARGUMENT, "%s: contact %" PRId64 " is one of sphere %" PRId64 ", which the frame does not have; expected a sphere of the frame", path, c, ij[c][k]);
            ij[c][k] = row;
        }
    return SCREE_OK;
}

// The contacts of the frame: from the run's table, where it wrote one, else from a search.
static scree_status find_contacts(const arguments* args, const common* co, const state_wishes* wishes, const scree_sphere_set* set, state_view* view)
{
    char path[4096];
    struct stat about;
    const char* from = wishes->folder == NULL ? option_text(args, "contacts") : NULL;
    if (wishes->folder != NULL && (size_t)snprintf(path, sizeof path, "%s/contacts/contacts_%06" PRId64 ".csv", wishes->folder, wishes->frame) < sizeof path &&
        stat(path, &about) == 0)
        from = path;
    scree_status status;
    if (from != NULL) {
        scree_file_options options = scree_default_file_options();
        options.format = SCREE_FORMAT_CSV;
        options.watch = run_watch("reading", co->quiet);
        status = scree_read_contacts(from, &options, &view->contacts);
        if (status == SCREE_OK)
            status = name_by_rows(from, set, &view->contacts);
    } else {
        view->now.watch = run_watch("searching", co->quiet);
        status = scree_find_contacts(&view->now, wishes->folder != NULL ? 0.0 : wishes->gap, &view->contacts);
        view->now.watch = (scree_watch){0};
    }
    run_watch_end();
    if (status == SCREE_OK)
        view->now.contacts = &view->contacts.contacts;
    return status;
}

static scree_status measure_network(const state_wishes* wishes, const scree_snapshot* now, state_found* found)
{
    scree_network_def def = scree_default_network_def();
    def.least_contacts = (int32_t)wishes->least_contacts;
    def.clusters = wishes->clusters;
    scree_status status = scree_measure_network(now, &def, &found->network);
    found->has_network = status == SCREE_OK;
    found->clusters = wishes->clusters;
    found->has_forces = now->contacts->count == 0 || now->contacts->force != NULL;
    int round_axes = now->container == SCREE_CONTAINER_BOX ? 0 : now->container == SCREE_CONTAINER_CYLINDER ? 2 : now->spheres.dim;
    for (int32_t b = 0; b <= 6 && status == SCREE_OK && found->has_forces; ++b) {
        bool face = b < 6 && b / 2 >= round_axes && b / 2 < now->spheres.dim && !now->box.periodic[b / 2];
        if (!face && !(b == 6 && round_axes > 0))
            continue;
        found->wall[found->walls] = b;
        status = scree_measure_wall_stress(now, b, &found->wall_stress[found->walls++]);
    }
    return status;
}

// By groups; of one group by size, smaller and larger than the middle between the least and the largest radius.
static scree_status measure_mixing(const common* co, const scree_snapshot* now, int32_t groups, state_found* found)
{
    scree_snapshot labelled = *now;
    scree_mixing_def def = scree_default_mixing_def();
    int32_t* large = NULL;
    double least = INFINITY, most = 0.0;
    for (int64_t i = 0; i < now->spheres.count; ++i) {
        least = fmin(least, now->spheres.r[i]);
        most = fmax(most, now->spheres.r[i]);
    }
    if (groups < 2 && !(most > least))
        return SCREE_OK;
    if (groups < 2) {
        large = scree_malloc((size_t)now->spheres.count, sizeof *large);
        if (large == NULL)
            return SCREE_ERR_MEMORY;
        for (int64_t i = 0; i < now->spheres.count; ++i)
            large[i] = now->spheres.r[i] > 0.5 * (least + most);
        labelled.group = large;
    }
    labelled.watch = run_watch("searching", co->quiet);
    scree_status status = scree_measure_mixing(&labelled, &def, &found->mixing);
    run_watch_end();
    found->mixed_by = status != SCREE_OK ? NULL : groups < 2 ? "radius" : "group";
    scree_free(large);
    return status;
}

// Without the bonds all else is measured, unless they were asked for.
static scree_status measure_breakage(const common* co, const state_wishes* wishes, const scree_sphere_set* set, state_view* view, state_found* found)
{
    scree_status status = bonds_read(wishes->folder, found->time, set, &view->bonds);
    if (status != SCREE_OK && status != SCREE_ERR_MEMORY && wishes->clusters != SCREE_CLUSTERS_BY_BONDS) {
        if (!co->quiet)
            say("note: without breakage: %s\n", scree_error_message());
        found->has_bonds = false;
        return SCREE_OK;
    }
    if (status != SCREE_OK)
        return status;
    view->now.bonds = &view->bonds.bonds;
    return scree_measure_fragments(&view->now, &found->fragments);
}

static scree_status measure_fields(const common* co, const state_wishes* wishes, scree_snapshot now, state_found* found)
{
    scree_status status = SCREE_OK;
    found->kernel = wishes->grid.kernel;
    if (wishes->fields) {
        now.watch = run_watch("fields", co->quiet);
        status = scree_measure_fields(&now, &wishes->grid, &found->fields);
        run_watch_end();
    }
    if (status == SCREE_OK && wishes->profile) {
        scree_fields_def def = wishes->grid;
        for (int k = 0; k < 3; ++k)
            def.cells[k] = k == wishes->profile_axis ? (int32_t)wishes->profile_bins : 1;
        found->profile_axis = wishes->profile_axis;
        now.watch = run_watch("profile", co->quiet);
        status = scree_measure_fields(&now, &def, &found->profile);
        run_watch_end();
    }
    return status;
}

static scree_status measure_all(const arguments* args, const common* co, const state_wishes* wishes, const scree_scene* scene, const scree_sphere_set* set,
                                state_found* found)
{
    state_view view;
    scree_status status = state_view_make(co, scene, wishes->material_density, set, &view);
    if (status != SCREE_OK)
        return status;
    found->has_gravity = scene != NULL && scree_scene_get_gravity(scene, found->time, view.now.gravity) == SCREE_OK;
    status = scree_measure_groups(&view.now, &found->groups);
    if (status == SCREE_OK && (wishes->network || wishes->folder != NULL))
        status = find_contacts(args, co, wishes, set, &view);
    if (status == SCREE_OK && found->has_bonds)
        status = measure_breakage(co, wishes, set, &view, found);
    if (status == SCREE_OK && wishes->network)
        status = measure_network(wishes, &view.now, found);
    if (status == SCREE_OK && wishes->network && scene != NULL && found->has_forces)
        status = surfaces_measure(scene, &view.now, &found->surfaces);
    if (status == SCREE_OK && wishes->network)
        status = measure_mixing(co, &view.now, view.groups, found);
    if (status == SCREE_OK)
        status = measure_fields(co, wishes, view.now, found);
    scree_repose_def surface = wishes->surface;
    for (int k = 0; k < set->dim && wishes->region_numbers > 0; ++k) {
        surface.lower[k] = wishes->region[k];
        surface.upper[k] = wishes->region[set->dim + k];
    }
    if (status == SCREE_OK && wishes->repose)
        status = scree_measure_repose(&view.now, &surface, &found->repose);
    state_view_free(&view);
    return status;
}

static scree_status read_scene(const char* folder, scree_scene** scene, scree_scene_facts* facts)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/scene.yaml", folder) >= sizeof path)
        return scree_fail(SCREE_ERR_ARGUMENT, "%.200s...: the name of this folder is too long; expected a shorter one", folder);
    scree_status status = scree_read_scene(path, scene);
    if (status == SCREE_OK)
        status = scree_scene_get_facts(*scene, facts);
    if (status == SCREE_OK && facts->bodies > 0)
        status = scree_fail(SCREE_ERR_UNSUPPORTED, "%s: this scene has bodies; expected a run of spheres", path);
    return status;
}

exit_code state_take_box(const arguments* args, const state_wishes* wishes, scree_sphere_set* set)
{
    scree_scene* scene = NULL;
    scree_scene_facts facts;
    if (wishes->folder == NULL || set->has_box || option_given(args, "box"))
        return EXIT_DONE;
    scree_status status = read_scene(wishes->folder, &scene, &facts);
    scree_scene_destroy(scene);
    if (status != SCREE_OK)
        return run_failed(args, status);
    if (!facts.walls_move && facts.has_box && facts.dim == set->dim) {
        set->box = facts.box;
        set->container = facts.container;
        set->has_box = true;
    }
    if (set->has_box)
        return EXIT_DONE;
    say("scree measure: the frames of '%s' have no box, and that of the scene changes; give --box and --periodic\n", wishes->folder);
    return EXIT_USAGE;
}

exit_code state_take_law(const arguments* args, state_wishes* wishes)
{
    scree_scene* scene = NULL;
    scree_scene_facts facts;
    if (wishes->folder == NULL || wishes->least_contacts > 0)
        return EXIT_DONE;
    scree_status status = read_scene(wishes->folder, &scene, &facts);
    scree_scene_destroy(scene);
    if (status != SCREE_OK)
        return run_failed(args, status);
    wishes->least_contacts = facts.friction ? 2 : facts.dim + 1;
    return EXIT_DONE;
}

exit_code state_measure(const arguments* args, const common* co, const state_wishes* wishes, const scree_sphere_set* set, state_found* found)
{
    *found = (state_found){.dim = set->dim, .time = NAN, .frame = wishes->frame};
    found->any = wishes->folder != NULL || wishes->network || wishes->fields || wishes->profile || wishes->repose;
    if (!found->any)
        return EXIT_DONE;
    if (wishes->profile && wishes->profile_axis >= set->dim) {
        say("scree measure: --profile %s: '%s' holds 2D data; expected x or y\n", axis_name_at(wishes->profile_axis), args->files[0]);
        return EXIT_USAGE;
    }
    if (wishes->region_numbers > 0 && wishes->region_numbers != 2 * set->dim) {
        say("scree measure: --region has %d numbers: '%s' holds %dD data; expected %d, the lower corner and the upper one\n", wishes->region_numbers, args->files[0], (int)set->dim, 2 * (int)set->dim);
        return EXIT_USAGE;
    }
    if (wishes->fields && wishes->grid_axes != set->dim) {
        say("scree measure: --fields has %d numbers: '%s' holds %dD data; expected one number per axis\n", wishes->grid_axes, args->files[0], (int)set->dim);
        return EXIT_USAGE;
    }
    scree_scene* scene = NULL;
    scree_scene_facts facts;
    scree_frame_times list = {0};
    scree_status status = wishes->folder != NULL ? read_scene(wishes->folder, &scene, &facts) : SCREE_OK;
    if (status == SCREE_OK && wishes->folder != NULL)
        status = frames_list(wishes->folder, &list);
    if (status == SCREE_OK && (wishes->frame_from >= list.count || wishes->frame_to >= list.count) && wishes->folder != NULL)
        status = scree_fail(SCREE_ERR_ARGUMENT, "--frames: '%s' has frames 0 to %" PRId64 "; expected frames among these", wishes->folder, list.count - 1);
    if (status == SCREE_OK && wishes->folder != NULL) {
        found->frames = list.count;
        found->time = list.times[wishes->frame];
        found->has_bonds = facts.bonds > 0;
    }
    if (status == SCREE_OK)
        status = measure_all(args, co, wishes, scene, set, found);
    if (status == SCREE_OK && wishes->flow)
        status = frames_measure_flow(co, wishes, scene, &list, set, found);
    if (status == SCREE_OK && wishes->msd)
        status = frames_measure_displacement(args, co, wishes, scene, &list, set, found);
    scree_frame_times_free(&list);
    scree_scene_destroy(scene);
    if (status == SCREE_OK)
        return EXIT_DONE;
    state_free(found);
    return status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
}

void state_free(state_found* found)
{
    scree_group_table_free(&found->groups);
    scree_network_free(&found->network);
    scree_fragments_free(&found->fragments);
    scree_fields_free(&found->fields);
    scree_fields_free(&found->profile);
    surfaces_free(&found->surfaces);
    scree_free(found->flow_from);
    scree_free(found->flow_to);
    scree_free(found->flow_mass);
    scree_free(found->flow_rate);
    scree_free(found->flow_forward);
    scree_free(found->flow_backward);
    scree_free(found->displacement.values);
    scree_free(found->displacement.integers);
    *found = (state_found){0};
}

// ---- Tables ------------------------------------------------------------------------------------------------------

enum { most_columns = 24 };

typedef struct table {
    int columns;
    int64_t rows;
    result_column column[most_columns];
    char name[most_columns][32];
    double* values;      // owned
    int64_t* integers;   // owned
} table;

static void free_table(table* t)
{
    scree_free(t->values);
    scree_free(t->integers);
    *t = (table){0};
}

static void add_column(table* t, const char* name, const char* ending, const double* values, const int64_t* integers)
{
    snprintf(t->name[t->columns], sizeof t->name[0], "%s%s", name, ending);
    t->column[t->columns] = (result_column){.name = t->name[t->columns], .values = values, .integers = integers};
    ++t->columns;
}

static scree_status group_table(const state_found* found, table* t)
{
    static const char* const endings[3] = {"_x", "_y", "_z"};
    enum { numbers = 11 };
    int64_t rows = found->groups.count;
    *t = (table){.rows = rows, .values = scree_malloc((size_t)rows * numbers + 1, sizeof *t->values), .integers = scree_malloc(2 * (size_t)rows + 1, sizeof *t->integers)};
    if (t->values == NULL || t->integers == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t g = 0; g < rows; ++g) {
        const scree_group_sums* s = &found->groups.groups[g];
        const double row[numbers] = {s->mass,        s->centre[0],   s->centre[1],      s->centre[2],       s->momentum[0], s->momentum[1],
                                     s->momentum[2], s->energy_kinetic, s->energy_rotation, found->has_gravity ? s->energy_gravity : NAN, s->temperature};
        t->integers[g] = s->group;
        t->integers[rows + g] = s->count;
        for (int k = 0; k < numbers; ++k)
            t->values[k * rows + g] = row[k];
    }
    add_column(t, "group", "", NULL, t->integers);
    add_column(t, "spheres", "", NULL, t->integers + rows);
    add_column(t, "mass", "", t->values, NULL);
    for (int k = 0; k < found->dim; ++k)
        add_column(t, "centre", endings[k], t->values + (1 + k) * rows, NULL);
    for (int k = 0; k < found->dim; ++k)
        add_column(t, "momentum", endings[k], t->values + (4 + k) * rows, NULL);
    add_column(t, "energy_kinetic", "", t->values + 7 * rows, NULL);
    add_column(t, "energy_rotation", "", t->values + 8 * rows, NULL);
    add_column(t, "energy_gravity", "", t->values + 9 * rows, NULL);
    add_column(t, "temperature", "", t->values + 10 * rows, NULL);
    return SCREE_OK;
}

// The density, velocity and so on across an axis; of tensors the diagonal, the sum of both stresses, and the shear parts of the axis.
static scree_status profile_table(const state_found* found, table* t)
{
    static const char* const endings[3] = {"_x", "_y", "_z"};
    const scree_fields* f = &found->profile;
    int64_t rows = f->count;
    *t = (table){.rows = rows, .values = scree_malloc((size_t)rows * most_columns + 1, sizeof *t->values)};
    if (t->values == NULL)
        return SCREE_ERR_MEMORY;
    int axis = found->profile_axis, n = 0;
    double* at = t->values;
    for (int64_t c = 0; c < rows; ++c)
        at[c] = f->lower[axis] + ((double)c + 0.5) * f->size[axis];
    add_column(t, (const char[]){"xyz"[axis], '\0'}, "", at, NULL);
    add_column(t, "density", "", f->density, NULL);
    add_column(t, "fraction", "", f->fraction, NULL);
    for (int k = 0; k < f->dim; ++k) {
        double* to = t->values + ++n * rows;
        for (int64_t c = 0; c < rows; ++c)
            to[c] = f->velocity[c][k];
        add_column(t, "velocity", endings[k], to, NULL);
    }
    add_column(t, "temperature", "", f->temperature, NULL);
    for (int k = 0; k < f->dim; ++k)
        for (int l = 0; l < f->dim; ++l) {
            double* to = t->values + ++n * rows;
            for (int64_t c = 0; c < rows; ++c)
                to[c] = f->kinetic_stress[c][k][l] + f->contact_stress[c][k][l];
            add_column(t, "stress_", (const char[]){"xyz"[k], "xyz"[l], '\0'}, to, NULL);
        }
    return SCREE_OK;
}

static void force_table(const state_found* found, table* t)
{
    *t = (table){.rows = found->network.bins};
    add_column(t, "force_lower", "", found->network.edge, NULL);
    add_column(t, "force_upper", "", found->network.edge + 1, NULL);
    add_column(t, "probability", "", found->network.probability, NULL);
    add_column(t, "contacts", "", NULL, found->network.number);
}

// How many clusters there are of each size.
static scree_status cluster_table(const state_found* found, table* t)
{
    const scree_network* n = &found->network;
    *t = (table){.integers = scree_calloc(3 * (size_t)n->cluster_max + 1, sizeof *t->integers)};
    if (t->integers == NULL)
        return SCREE_ERR_MEMORY;
    int64_t *count = t->integers, *size = count + n->cluster_max, *number = size + n->cluster_max;
    for (int32_t c = 0; c < n->clusters; ++c)
        ++count[n->cluster_size[c] - 1];
    for (int32_t s = 0; s < n->cluster_max; ++s)
        if (count[s] > 0) {
            size[t->rows] = s + 1;
            number[t->rows++] = count[s];
        }
    add_column(t, "spheres", "", NULL, size);
    add_column(t, "clusters", "", NULL, number);
    return SCREE_OK;
}

// How many fragments there are of each size, and their mass.
static scree_status fragment_table(const state_found* found, table* t)
{
    const scree_fragments* f = &found->fragments;
    size_t most = (size_t)f->fragment_max + 1;
    *t = (table){.integers = scree_calloc(2 * most, sizeof *t->integers), .values = scree_calloc(most, sizeof *t->values)};
    if (t->integers == NULL || t->values == NULL)
        return SCREE_ERR_MEMORY;
    int64_t *size = t->integers, *number = size + most;
    for (int32_t g = 0; g < f->fragments; ++g) {
        ++number[f->size[g] - 1];
        t->values[f->size[g] - 1] += f->mass[g];
    }
    for (int32_t s = 0; s < f->fragment_max; ++s)
        if (number[s] > 0) {
            size[t->rows] = s + 1;
            number[t->rows] = number[s];
            t->values[t->rows++] = t->values[s];
        }
    add_column(t, "spheres", "", NULL, size);
    add_column(t, "fragments", "", NULL, number);
    add_column(t, "mass", "", t->values, NULL);
    return SCREE_OK;
}

static void flow_table(const state_found* found, table* t)
{
    *t = (table){.rows = found->flow_rows};
    add_column(t, "time_from", "", found->flow_from, NULL);
    add_column(t, "time_to", "", found->flow_to, NULL);
    add_column(t, "forward", "", NULL, found->flow_forward);
    add_column(t, "backward", "", NULL, found->flow_backward);
    add_column(t, "mass", "", found->flow_mass, NULL);
    add_column(t, "rate", "", found->flow_rate, NULL);
}

static void displacement_table(const state_found* found, table* t)
{
    static const char* const endings[3] = {"_x", "_y", "_z"};
    const displacement_rows* d = &found->displacement;
    *t = (table){.rows = d->rows};
    add_column(t, "time", "", d->values, NULL);
    add_column(t, "group", "", NULL, d->integers);
    add_column(t, "spheres", "", NULL, d->integers + d->room);
    add_column(t, "msd", "", d->values + d->room, NULL);
    for (int k = 0; k < found->dim; ++k)
        add_column(t, "msd", endings[k], d->values + (2 + k) * d->room, NULL);
    for (int k = 0; k < found->dim; ++k)
        add_column(t, "mean", endings[k], d->values + (5 + k) * d->room, NULL);
}

static scree_status surface_table(const state_found* found, table* t)
{
    int64_t rows = found->surfaces.profile.count;
    *t = (table){.rows = rows};
    t->values = scree_malloc(4 * (size_t)rows, sizeof *t->values);
    t->integers = scree_malloc(2 * (size_t)rows, sizeof *t->integers);
    if (t->values == NULL || t->integers == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t p = 0; p < rows; ++p) {
        const surface_part* part = &found->surfaces.profile.part[p];
        const double values[4] = {part->from, part->to, part->pressure, part->shear};
        for (int c = 0; c < 4; ++c)
            t->values[c * rows + p] = values[c];
        t->integers[p] = part->surface;
        t->integers[rows + p] = part->contacts;
    }
    add_column(t, "surface", "", NULL, t->integers);
    add_column(t, "axis_lower", "", t->values, NULL);
    add_column(t, "axis_upper", "", t->values + rows, NULL);
    add_column(t, "contacts", "", NULL, t->integers + rows);
    add_column(t, "pressure", "", t->values + 2 * rows, NULL);
    add_column(t, "shear", "", t->values + 3 * rows, NULL);
    return SCREE_OK;
}

// All tables there are, in their order; NULL behind the last.
typedef struct listed {
    const char *key, *file, *title;
    table table;
} listed;

enum { most_tables = 8 };

static scree_status list_tables(const state_found* found, listed list[most_tables], int* count)
{
    scree_status status = SCREE_OK;
    *count = 0;
    if (found->groups.count > 0) {
        list[*count] = (listed){.key = "groups", .file = "groups", .title = "groups"};
        status = group_table(found, &list[(*count)++].table);
    }
    if (status == SCREE_OK && found->network.bins > 0) {
        list[*count] = (listed){.key = "force_distribution", .file = "forces", .title = "P(f): normal forces over their mean"};
        force_table(found, &list[(*count)++].table);
    }
    if (status == SCREE_OK && found->has_network && found->network.clusters > 0) {
        list[*count] = (listed){.key = "cluster_sizes", .file = "clusters", .title = "clusters by size"};
        status = cluster_table(found, &list[(*count)++].table);
    }
    if (status == SCREE_OK && found->fragments.fragments > 0) {
        list[*count] = (listed){.key = "fragment_sizes", .file = "fragments", .title = "fragments by size"};
        status = fragment_table(found, &list[(*count)++].table);
    }
    if (status == SCREE_OK && found->profile.count > 0) {
        list[*count] = (listed){.key = "profile", .file = "profile", .title = "profile"};
        status = profile_table(found, &list[(*count)++].table);
    }
    if (status == SCREE_OK && found->flow_rows > 0) {
        list[*count] = (listed){.key = "flow", .file = "flow", .title = "flow through the plane"};
        flow_table(found, &list[(*count)++].table);
    }
    if (status == SCREE_OK && found->displacement.rows > 0) {
        list[*count] = (listed){.key = "displacement", .file = "displacement", .title = "displacement since the first frame (group -1: all spheres)"};
        displacement_table(found, &list[(*count)++].table);
    }
    if (status == SCREE_OK && found->surfaces.profile.count > 0) {
        list[*count] = (listed){.key = "surface_profile", .file = "surfaces", .title = "cylinders along their axes"};
        status = surface_table(found, &list[(*count)++].table);
    }
    return status;
}

// ---- Files -------------------------------------------------------------------------------------------------------

scree_status state_write_fields(const common* co, const state_found* found)
{
    static const char* const endings[] = {"-fields.vti", "-fields.csv"};
    scree_status status = SCREE_OK;
    size_t room = strlen(co->out) + 16;
    char* path = found->fields.count > 0 ? scree_malloc(room, 1) : NULL;
    if (found->fields.count > 0 && path == NULL)
        return SCREE_ERR_MEMORY;
    for (int k = 0; k < 2 && path != NULL && status == SCREE_OK; ++k) {
        scree_file_options options = scree_default_file_options();
        options.watch = run_watch("writing", co->quiet);
        snprintf(path, room, "%s%s", co->out, endings[k]);
        status = scree_write_fields(path, &options, &found->fields);
        run_watch_end();
        if (status == SCREE_ERR_CANCELLED && k == 1)
            status = scree_fail(status, "stopped; %s%s was written, and nothing else", co->out, endings[0]);
    }
    scree_free(path);
    return status;
}

// ---- The result --------------------------------------------------------------------------------------------------

static void report_fabric(result* res, int dim, const char* name, const scree_fabric* fabric)
{
    char key[64];
    double tensor[9];
    for (int k = 0; k < dim; ++k)
        for (int l = 0; l < dim; ++l)
            tensor[k * dim + l] = fabric->tensor[k][l];
    result_numbers(res, name, tensor, dim * dim);
    snprintf(key, sizeof key, "%s_values", name);
    result_numbers(res, key, fabric->values, dim);
    snprintf(key, sizeof key, "%s_anisotropy", name);
    result_number(res, key, fabric->anisotropy);
}

static void report_breakage(result* res, const scree_fragments* f)
{
    char note[64];
    result_section(res, "breakage");
    result_integer(res, "bonds", f->bonds);
    result_about(res, "", "intact");
    result_integer(res, "bonds_broken", f->bonds_broken);
    result_integer(res, "bonds_broken_tension", f->bonds_broken_tension);
    result_integer(res, "bonds_broken_shear", f->bonds_broken_shear);
    result_integer(res, "fragments", f->fragments);
    snprintf(note, sizeof note, "of %" PRId32 " bonded spheres", f->bonded);
    result_about(res, "", note);
    result_integer(res, "fragment_max", f->fragment_max);
    result_about(res, "", "spheres in the largest fragment");
    result_number(res, "fragment_share_max", f->fragment_share_max);
    result_about(res, "", "mass of the heaviest one over that of all");
}

static void report_network(result* res, const state_found* found)
{
    const scree_network* n = &found->network;
    char axes[4] = "";
    for (int k = 0; k < found->dim; ++k)
        if (n->percolates[k])
            strcat(axes, axis_name_at(k));
    result_section(res, "contact network");
    result_integer(res, "network_contacts", n->contacts);
    result_integer(res, "network_wall_contacts", n->wall_contacts);
    result_number(res, "network_coordination", n->coordination);
    result_integer(res, "network_rattlers", n->rattlers);
    result_number(res, "network_backbone_coordination", n->backbone_coordination);
    result_number(res, "network_mechanical_coordination", n->mechanical_coordination);
    report_fabric(res, found->dim, "fabric", &n->fabric);
    if (found->has_forces) {
        report_fabric(res, found->dim, "force_fabric", &n->force_fabric);
        result_number(res, "force_mean", n->force_mean);
        result_number(res, "force_max", n->force_max);
    }
    result_text(res, "clusters_by", scree_clusters_name(found->clusters));
    result_integer(res, "clusters", n->clusters);
    result_integer(res, "cluster_max", n->cluster_max);
    result_text(res, "percolates", axes[0] == '\0' ? "none" : axes);
    if (found->has_bonds)
        report_breakage(res, &found->fragments);
    if (found->walls > 0)
        result_section(res, "walls");
    for (int w = 0; w < found->walls; ++w) {
        char key[64], name[32] = "round";
        int32_t b = found->wall[w];
        if (b < 6)
            snprintf(name, sizeof name, "%s_%s", b % 2 == 0 ? "lower" : "upper", axis_name_at(b / 2));
        snprintf(key, sizeof key, "wall_pressure_%s", name);
        result_number(res, key, found->wall_stress[w].pressure);
        snprintf(key, sizeof key, "wall_stress_%s", name);
        result_numbers(res, key, found->wall_stress[w].stress, found->dim);
    }
    surfaces_report(res, &found->surfaces, found->dim);
    if (found->mixed_by != NULL) {
        int64_t cells[3] = {found->mixing.cells[0], found->mixing.cells[1], found->mixing.cells[2]};
        result_section(res, "mixing");
        result_text(res, "mixing_by", found->mixed_by);
        result_number(res, "mixing_lacey", found->mixing.lacey);
        result_integers(res, "mixing_cells", cells, found->dim);
        result_number(res, "mixing_neighbours", found->mixing.neighbours);
        result_number(res, "mixing_gap", found->mixing.gap);
    }
}

static void report_fields(result* res, const state_found* found)
{
    const scree_fields* f = &found->fields;
    double volume = f->size[0] * f->size[1] * (f->dim == 3 ? f->size[2] : 1.0), mass = 0.0, kinetic[9] = {0.0}, contact[9] = {0.0};
    int64_t cells[3] = {f->cells[0], f->cells[1], f->cells[2]};
    for (int64_t c = 0; c < f->count; ++c) {
        mass += f->density[c] * volume;
        for (int k = 0; k < f->dim; ++k)
            for (int l = 0; l < f->dim; ++l) {
                kinetic[k * f->dim + l] += f->kinetic_stress[c][k][l] / (double)f->count;
                contact[k * f->dim + l] += f->contact_stress[c][k][l] / (double)f->count;
            }
    }
    result_section(res, "fields");
    result_integers(res, "fields_cells", cells, f->dim);
    result_text(res, "fields_kernel", scree_kernel_name(found->kernel));
    result_number(res, "fields_width", f->width);
    result_number(res, "fields_mass", mass);
    result_numbers(res, "fields_kinetic_stress", kinetic, f->dim * f->dim);
    result_numbers(res, "fields_contact_stress", contact, f->dim * f->dim);
}

static void report_flow(result* res, const state_found* found)
{
    double mass = 0.0, from = found->flow_from[0], to = found->flow_to[found->flow_rows - 1];
    for (int64_t r = 0; r < found->flow_rows; ++r)
        mass += found->flow_mass[r];
    result_section(res, "flow");
    result_number(res, "flow_mass", mass);
    result_number(res, "flow_rate", to > from ? mass / (to - from) : NAN);
}

static void report_displacement(result* res, const state_found* found)
{
    const displacement_rows* d = &found->displacement;
    int64_t last = d->rows - 1;
    while (d->integers[last] >= 0)  // back to the row of all spheres
        --last;
    result_section(res, "displacement");
    result_number(res, "msd", d->values[d->room + last]);
    result_about(res, "", "mean square displacement of all spheres from the first frame to the last one");
    result_number(res, "msd_time", d->values[last] - d->values[0]);
    result_integer(res, "msd_spheres", d->integers[d->room + last]);
}

scree_status state_tell(result* res, const state_found* found)
{
    const double degrees = 180.0 / 3.14159265358979323846;
    if (!found->any)
        return SCREE_OK;
    if (found->frames > 0) {
        result_section(res, "run");
        result_integer(res, "frame", found->frame);
        result_integer(res, "frames", found->frames);
        result_number(res, "time", found->time);
    }
    if (found->has_network)
        report_network(res, found);
    if (found->fields.count > 0)
        report_fields(res, found);
    if (found->profile.count > 0) {
        result_text(res, "profile_kernel", scree_kernel_name(found->kernel));
        result_number(res, "profile_width", found->profile.width);
    }
    if (found->repose.points > 0) {
        result_section(res, "angle of repose");
        result_number(res, "repose_angle", found->repose.angle * degrees);
        result_about(res, "degrees", "");
        result_number(res, "repose_error", found->repose.error * degrees);
        result_about(res, "degrees", "");
        result_integer(res, "repose_points", found->repose.points);
        result_number(res, "repose_residual", found->repose.residual);
    }
    if (found->flow_rows > 0)
        report_flow(res, found);
    if (found->displacement.rows > 0)
        report_displacement(res, found);
    listed list[most_tables];
    int count = 0;
    scree_status status = list_tables(found, list, &count);
    for (int k = 0; k < count; ++k) {
        if (status == SCREE_OK)
            result_table(res, list[k].key, list[k].title, list[k].table.columns, list[k].table.column, list[k].table.rows);
        if (status == SCREE_OK)
            result_file(res, list[k].file);
        free_table(&list[k].table);
    }
    return status;
}
