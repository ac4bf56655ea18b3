// scree measure: what a set of spheres is like.
#include "commands.h"
#include "common.h"
#include "file_names.h"
#include "frames.h"
#include "measure_average.h"
#include "measure_order.h"
#include "measure_state.h"
#include "measure_voxels.h"
#include "sphere_measures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// JSON and CSV have all rows of a curve; text has at most so many.
enum { most_shown = 25 };

static void tell_sizes(result* res, const scree_size_curve* sizes)
{
    const char* title = "Size distribution (fraction of spheres no larger than d)";
    double d[most_shown], by_number[most_shown], by_mass[most_shown];
    int64_t shown = sizes->rows < most_shown ? sizes->rows : most_shown;
    for (int64_t k = 0; k < shown; ++k) {
        int64_t row = shown > 1 ? k * (sizes->rows - 1) / (shown - 1) : 0;  // the first and the last are among them
        d[k] = sizes->d[row];
        by_number[k] = sizes->by_number[row];
        by_mass[k] = sizes->by_mass[row];
    }
    result_table(res, "size_curve", title, 3,
                 (result_column[]){{.name = "d", .values = d}, {.name = "by_number", .values = by_number}, {.name = "by_mass", .values = by_mass}}, shown);
    result_only(res, RESULT_TEXT);
    result_table(res, "size_curve", title, 3,
                 (result_column[]){{.name = "d", .values = sizes->d}, {.name = "by_number", .values = sizes->by_number}, {.name = "by_mass", .values = sizes->by_mass}},
                 sizes->rows);
    result_only(res, RESULT_JSON);
    result_file(res, "sizes");
}

static void tell_gaps(result* res, const scree_nearest* near)
{
    double lower[most_shown], upper[most_shown];
    int64_t number[most_shown], rows = 0;
    int32_t join = (near->bins + most_shown - 1) / most_shown;
    result_section(res, "Gap to the nearest surface");
    result_number(res, "nearest_gap_min", near->min);
    result_number(res, "nearest_gap_median", near->median);
    result_number(res, "nearest_gap_max", near->max);
    result_integer(res, "nearest_gap_beyond", near->beyond);
    for (int32_t b = 0; b < near->bins; b += join, ++rows) {
        int32_t end = b + join < near->bins ? b + join : near->bins;
        number[rows] = 0;
        for (int32_t k = b; k < end; ++k)
            number[rows] += near->number[k];
        lower[rows] = near->edge[b];
        upper[rows] = near->edge[end];
    }
    result_table(res, "nearest_gaps", "", 3,
                 (result_column[]){{.name = "gap_lower", .values = lower}, {.name = "gap_upper", .values = upper}, {.name = "spheres", .integers = number}}, rows);
    result_only(res, RESULT_TEXT);
    result_table(res, "nearest_gaps", "", 3,
                 (result_column[]){{.name = "gap_lower", .values = near->edge}, {.name = "gap_upper", .values = near->edge + 1}, {.name = "spheres", .integers = near->number}},
                 near->bins);
    result_only(res, RESULT_JSON);
    result_file(res, "gaps");
}

static scree_status tell_measures(const scree_measures* m, const scree_sphere_set* set, const order_found* order, const voxels_found* space, const state_found* found, result* res)
{
    *res = result_begin("measure");
    res->width = found->any ? 32 : 24;
    measures_box(res, m, set);
    result_section(res, "Density");
    result_number(res, "density", m->density.whole);
    result_number(res, "density_corrected", m->density_corrected);
    result_number(res, "density_inner", m->density.inner);
    result_number(res, "margin", m->density.margin);
    measures_contacts(res, &m->contacts, scree_box_is_periodic(&set->box));
    tell_gaps(res, &m->nearest_gaps);
    measures_gr(res, &m->g_r, true);
    tell_sizes(res, &m->size_curve);
    scree_status status = order_tell(res, order);
    voxels_tell(res, space);
    return status == SCREE_OK ? state_tell(res, found) : status;
}

// ---- The command -------------------------------------------------------------------------------------------------

// What is asked for, by all options.
typedef struct asked {
    const arguments* args;
    common co;
    scree_measure_def def;
    order_wishes order;
    voxels_wishes space;
    state_wishes state;
    int container;
} asked;

typedef struct all_found {
    scree_measures measures;
    order_found order;
    voxels_found space;
    state_found state;
} all_found;

static void free_found(all_found* found)
{
    scree_measures_free(&found->measures);
    order_free(&found->order);
    voxels_free(&found->space);
    state_free(&found->state);
}

// What was found is to be freed, after a failure too.
static exit_code measure_set(asked* ask, const scree_sphere_set* set, all_found* found, result* res)
{
    scree_measure_def def = ask->def;
    *found = (all_found){0};
    def.box = set->box;
    def.container = set->container;
    if (set->container != SCREE_CONTAINER_BOX)
        def.r_bins = 0;  // its ideal gas fills the box
    def.threads = ask->co.threads;
    def.least_contacts = (int32_t)ask->state.least_contacts;
    def.watch = run_watch("measuring", ask->co.quiet);
    scree_status status = scree_measure(&def, scree_sphere_set_view(set), &found->measures);
    run_watch_end();
    if (status == SCREE_OK)
        status = order_measure(&ask->order, &ask->co, &def, scree_sphere_set_view(set), &found->order);
    if (status == SCREE_OK)
        status = voxels_measure(&ask->space, &ask->co, &def, scree_sphere_set_view(set), &found->space);
    if (status != SCREE_OK)  // the set itself has been checked, so what the library rejects is an option
        return status == SCREE_ERR_ARGUMENT ? run_misused(ask->args) : run_failed(ask->args, status);
    ask->state.gap = found->measures.contacts.gap;
    exit_code code = state_measure(ask->args, &ask->co, &ask->state, set, &found->state);
    if (code == EXIT_DONE)
        status = tell_measures(&found->measures, set, &found->order, &found->space, &found->state, res);
    return status == SCREE_OK ? code : run_failed(ask->args, status);
}

// The tables and the result itself. The fields and voxels, which may be large, have been written before, so that no stop comes between the files.
static exit_code finish(const asked* ask, scree_status status, const result* res)
{
    if (status == SCREE_OK && ask->co.out != NULL) {
        scree_file_options options = scree_default_file_options();
        options.format = SCREE_FORMAT_CSV;
        run_hears(false);
        status = result_write_csv(res, ask->co.out, &options);
        run_hears(true);
    }
    if (status == SCREE_OK)
        result_print(res, ask->co.json);
    return status == SCREE_OK ? EXIT_DONE : run_failed(ask->args, status);
}

// Values that let the library choose are not for the command line.
static bool length_option(const arguments* args, const char* name, bool zero_fits, double* out)
{
    if (!option_number(args, name, out))
        return false;
    if (!option_given(args, name) || *out > 0.0 || (*out == 0.0 && zero_fits))
        return true;
    say("scree measure: --%s expects a length %s, got %g\n", name, zero_fits ? "of 0 or more" : "above 0", *out);
    return false;
}

// What the spheres are in: as the file says, or as --container does.
static exit_code settle_container(const arguments* args, int given, bool no_gr, scree_sphere_set* set)
{
    if (option_given(args, "container"))
        set->container = given;
    if (set->container != SCREE_CONTAINER_BOX && !no_gr && (option_given(args, "bins") || option_given(args, "r-max"))) {
        say("scree measure: --%s: g(r) needs a box, and the container is a %s; --container box measures the box around it\n",
            option_given(args, "bins") ? "bins" : "r-max", scree_container_name(set->container));
        return EXIT_USAGE;
    }
    return scree_sphere_set_check_box(set) == SCREE_OK ? EXIT_DONE : run_misused(args);
}

static exit_code read_asked(const arguments* args, asked* out)
{
    *out = (asked){.args = args, .def = scree_default_measure_def(), .container = SCREE_CONTAINER_BOX};
    common* co = &out->co;
    scree_measure_def* def = &out->def;
    int64_t bins = def->r_bins, rows = def->size_rows, gap_bins = def->nearest_bins;
    int method = SCREE_METHOD_AUTO;
    if (!common_options_of(args, co) || !option_number(args, "gap", &def->gap) ||
        !length_option(args, "margin", true, &def->margin) || !length_option(args, "r-max", false, &def->r_max) ||
        !length_option(args, "gap-max", false, &def->nearest_max) || !option_integer(args, "bins", 0, 10000, &bins) ||
        !option_integer(args, "gap-bins", 1, 10000, &gap_bins) || !option_integer(args, "rows", 2, 10000, &rows) ||
        !option_choice(args, "method", method_name_at, &method) || !option_choice(args, "container", container_name_at, &out->container))
        return EXIT_USAGE;
    if (co->out != NULL && strcmp(co->out, "-") == 0) {
        say("scree measure: --out expects a prefix of file names (PREFIX-gr.csv and so on), got '-'\n");
        return EXIT_USAGE;
    }
    def->r_bins = (int32_t)bins;
    def->size_rows = (int32_t)rows;
    def->nearest_bins = (int32_t)gap_bins;
    def->method = method;
    if (!order_wishes_of(args, &out->order) || !voxels_wishes_of(args, co, &out->space) || !state_wishes_of(args, co, &out->state))
        return EXIT_USAGE;
    return file_names_check(args, co);
}

// One set, with its box and law.
static exit_code measure_file(asked* ask, const char* path, all_found* found, result* res, int32_t* dim)
{
    scree_sphere_set set;
    scree_status status = read_set(&ask->co, path, &set);
    *found = (all_found){0};
    if (status != SCREE_OK)
        return run_failed(ask->args, status);
    note_if_empty(&ask->co, path, &set);
    exit_code code = state_take_box(ask->args, &ask->state, &set);
    if (code == EXIT_DONE)
        code = settle_box(ask->args, &ask->co, BOX_WITH_VOLUME, &set);
    if (code == EXIT_DONE)
        code = settle_container(ask->args, ask->container, ask->def.r_bins == 0, &set);
    if (code == EXIT_DONE)
        code = state_take_law(ask->args, &ask->state);
    if (code == EXIT_DONE)
        code = measure_set(ask, &set, found, res);
    *dim = set.dim;
    scree_sphere_set_free(&set);
    return code;
}

static exit_code average_frames(asked* ask)
{
    scree_frame_times list = {0};
    measure_series series = {0};
    scree_status status = frames_list(ask->state.folder, &list);
    if (status != SCREE_OK)
        return run_failed(ask->args, status);
    exit_code code = EXIT_DONE;
    int64_t last = ask->state.frame_to < 0 ? list.count - 1 : ask->state.frame_to;
    if (ask->state.frame_from > last || last >= list.count) {
        say("scree measure: --frames: '%s' has frames 0 to %" PRId64 "; expected frames among these\n", ask->state.folder, list.count - 1);
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE)
        status = series_begin(ask->state.frame_from, last - ask->state.frame_from + 1, &series);
    for (int64_t f = ask->state.frame_from; f <= last && code == EXIT_DONE && status == SCREE_OK; ++f) {
        all_found found;
        result res = {0};
        int32_t dim;
        ask->state.frame = f;
        code = measure_file(ask, list.files[f], &found, &res, &dim);
        if (code == EXIT_DONE)
            status = series_take(&series, list.times[f], dim, &res, &found.state);
        result_free(&res);
        free_found(&found);
    }
    result res = {0};
    if (code == EXIT_DONE && status == SCREE_OK)
        status = series_tell(&res, &series, ask->state.grid.kernel, ask->state.profile_axis);
    if (code == EXIT_DONE && status == SCREE_OK && ask->co.out != NULL) {
        const state_found averages = {.fields = series.fields};
        status = state_write_fields(&ask->co, &averages);
    }
    if (code == EXIT_DONE)
        code = finish(ask, status, &res);
    result_free(&res);
    series_free(&series);
    scree_frame_times_free(&list);
    return code;
}

static exit_code run(const arguments* args)
{
    asked ask;
    char path[4096];
    exit_code code = read_asked(args, &ask);
    if (code == EXIT_DONE && option_given(args, "average"))
        return average_frames(&ask);
    if (code == EXIT_DONE && ask.state.folder != NULL)
        code = frame_choose(args, ask.state.folder, &ask.state.frame, path, sizeof path);
    if (code != EXIT_DONE)
        return code;
    all_found found;
    result res = {0};
    int32_t dim;
    code = measure_file(&ask, ask.state.folder != NULL ? path : args->files[0], &found, &res, &dim);
    scree_status status = SCREE_OK;
    if (code == EXIT_DONE && ask.co.out != NULL)
        status = voxels_write(&ask.co, &found.space);
    if (code == EXIT_DONE && status == SCREE_OK && ask.co.out != NULL)
        status = state_write_fields(&ask.co, &found.state);
    if (code == EXIT_DONE)
        code = finish(&ask, status, &res);
    result_free(&res);
    free_found(&found);
    return code;
}

static const option options[] = {
    {"gap", 'g', "G", "neighbours have a gap below G, surface to surface (default: 1e-3 mean diameters)"},
    PERIODIC_OPTION,
    BOX_OPTION,
    {"least-contacts", 0, "K", "neighbours and walls that hold a sphere; those with fewer are rattlers (default: of a run 2 if its law has friction, else dim + 1)"},
    {"container", 0, "NAME", "box, cylinder (along z) or sphere (2D: circle) in that box (default: that of the file, else box)"},
    {"margin", 0, "M", "distance from the walls for density_inner (default: the largest diameter, at most 1/4 of the box)"},
    {"r-max", 0, "R", "end of g(r) (default: the smallest of 5 mean diameters, 6 (V/n)^(1/dim) and half the shortest side)"},
    {"bins", 0, "K", "bins of g(r) (default 250; 0: no g(r), which takes most of the time)"},
    {"gap-max", 0, "G", "end of the histogram of nearest gaps (default: the mean diameter)"},
    {"gap-bins", 0, "K", "bins of that histogram (default 100)"},
    {"rows", 0, "K", "rows of the size distribution (default 50; fewer if there are fewer sizes)"},
    {"method", 'm', "NAME", "search method for contacts; the result does not depend on it"},
    {"order", 0, NULL, "bond order Q4 and Q6, of each sphere and global"},
    {"order-cutoff", 0, "C", "for --order: neighbours have centres nearer than C times the sum of their radii (default: a gap below --gap)"},
    {"structure", 0, NULL, "the structure factor S(k) of a periodic box, in shells"},
    {"k-max", 0, "K", "for --structure: longest wave vector (default: 4 pi / mean diameter; less for large sets)"},
    {"k-bins", 0, "K", "for --structure: number of shells (default 100)"},
    {"voxels", 0, "NX,NY,NZ", "an image of that many voxels, as PREFIX-voxels.vti and PREFIX-voxels.npy: which sphere, and the fraction that is filled"},
    {"porosity", 0, "ALONG", "porosity profile along x, y or z, along the radius of a cylinder or sphere, or by the distance to the wall"},
    {"porosity-bins", 0, "K", "bins of that profile (default 50)"},
    {"frame", 0, "N", "of a run: frame N, from 0 (default: the last one)"},
    {"network", 0, NULL, "of a file: fabric, clusters and mixing too, for pairs nearer than the gap; runs always have them"},
    {"contacts", 0, "FILE", "of a file: contacts with forces, as runs write them (CSV); implies --network"},
    {"clusters", 0, "BY", "of a run: clusters connected by contacts (default) or by intact bonds"},
    {"material-density", 0, "D", "of a file: mass per volume, in 2D per area (default 1)"},
    {"fields", 0, "NX,NY,NZ", "fields on a grid of that many cells, as PREFIX-fields.vti and PREFIX-fields.csv"},
    {"profile", 0, "AXIS", "density, velocity, temperature and stress along x, y or z"},
    {"profile-bins", 0, "K", "cells of the profile (default 50)"},
    {"kernel", 0, "NAME", "kernel of fields and profiles: gauss (default) or heaviside"},
    {"width", 0, "W", "width of the kernel: standard deviation or radius (default: the mean radius; heaviside: the mean diameter)"},
    {"repose", 0, "SURFACE", "the angle of repose of a slope or a heap, in degrees"},
    {"up", 0, "AXIS", "for --repose: the axis against gravity (default: the last one)"},
    {"low", 0, "F", "for --repose: use points above this fraction of the height (default 0; heap: 0.1)"},
    {"high", 0, "F", "for --repose: use points below this fraction of the height (default 1; heap: 0.9)"},
    {"region", 0, "LX,LY,LZ,UX,UY,UZ", "for --repose: count only spheres between these corners, the lower and the upper one (2D: LX,LY,UX,UY)"},
    {"flow", 0, "AXIS:AT", "of a run: mass that crosses the plane AXIS = AT from frame to frame"},
    {"msd", 0, NULL, "of a run: mean square displacement of the spheres since the first frame, total and per axis and group"},
    {"average", 0, NULL, "of a run: mean, deviation and error of every number over its frames, and averages of fields and profiles"},
    {"frames", 0, "A:B", "for --average and --msd: from frame A to frame B (default: all)"},
    {"out", 'o', "PREFIX", "write curves and numbers as PREFIX-gr.csv, PREFIX-summary.csv and so on"},
    {0},
};

static const left_file leaves[] = {
    {"PREFIX-gr.csv", "g(r)"},
    {"PREFIX-sizes.csv", "the size distribution"},
    {"PREFIX-gaps.csv", "the histogram of nearest gaps"},
    {"PREFIX-order.csv", "the distribution of local bond order"},
    {"PREFIX-order-spheres.csv", "neighbours and bond order of each sphere"},
    {"PREFIX-structure.csv", "the structure factor"},
    {"PREFIX-porosity.csv", "the porosity profile"},
    {"PREFIX-voxels.vti", "the voxels, for ParaView"},
    {"PREFIX-voxels.npy", "the same for NumPy"},
    {"PREFIX-summary.csv", "the single numbers in one row"},
    {"PREFIX-groups.csv", "mass, momentum, energies and temperature of each group"},
    {"PREFIX-forces.csv", "the distribution of normal forces"},
    {"PREFIX-clusters.csv", "number of clusters of each size"},
    {"PREFIX-fragments.csv", "number and mass of fragments of each size"},
    {"PREFIX-profile.csv", "the profile"},
    {"PREFIX-flow.csv", "the flow from frame to frame"},
    {"PREFIX-displacement.csv", "the mean square displacement from frame to frame"},
    {"PREFIX-average.csv", "averages over frames"},
    {"PREFIX-series.csv", "every number of each frame"},
    {"PREFIX-fields.vti", "the fields, for ParaView"},
    {"PREFIX-fields.csv", "the same as a table"},
    {0},
};

static const rejected_option rejected[] = {{"seed", "nothing is random here"}, {0}};

static const file_use uses[] = {{READS_FILE_OR_FOLDER, NULL, NULL}, {READS_FILE, "contacts", NULL}, {WRITES_PREFIX, "out", NULL}, {0}};

static const choice choices[] = {
    METHOD_CHOICE,
    PERIODIC_CHOICE,
    {.option = "container", .names = container_name_at},
    {.option = "porosity", .names = porosity_name_at},
    {.option = "profile", .names = axis_name_at},
    {.option = "kernel", .names = kernel_name_at},
    {.option = "clusters", .names = clusters_name_at},
    {.option = "repose", .names = surface_name_at},
    {.option = "up", .names = axis_name_at},
    {0},
};

const command cmd_measure = {
    .name = "measure",
    .usage = "FILE|DIR [--gap G] [--periodic xyz] [--box LX,LY,LZ] [--container NAME] [--margin M] [--r-max R] [--bins K] [--fields NX,NY,NZ] [--profile AXIS] [-o PREFIX]",
    .about = "density, contacts, g(r), sizes; of runs also forces, fields, mixing and flow",
    .details =
        "contacts are pairs that overlap; pairs are those with a gap below --gap, and coordination is the number of neighbours per sphere within it. Rattlers are spheres held by fewer than --least-contacts others and walls; "
        "the backbone is the rest. mechanical_coordination leaves out only spheres with no contact and with one. "
        "density_inner leaves out the margin at walls. In a cylinder or sphere densities are relative to the container, and there is no g(r). density "
        "counts overlapping volume twice, density_corrected once.\n"
        "DIR is the folder of a run. Then one of its frames is measured, and the result includes energies by group, the contact network (fabric, force distribution, "
        "clusters), stress on walls and mixing indices; forces need output.contacts in the scene. --fields, --profile, --repose and --flow add more (docs/measure.md).",
    .example = "  scree demo -o spheres.csv\n  scree measure spheres.csv --gap 0.1 -o curves\n  scree measure spheres.csv --profile z --bins 0",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .leaves = leaves,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
