// scree measure: what a set of spheres is like.
#include "commands.h"
#include "common.h"
#include "measure_state.h"

#include "scree/measure.h"

#include <stdio.h>
#include <string.h>

// ---- Curves as files ---------------------------------------------------------------------------------------------

static scree_status write_curve(const common* co, const char* ending, int64_t rows, int32_t columns,
                                const scree_table_column* column)
{
    size_t length = strlen(co->out) + strlen(ending) + 1;
    char* path = scree_malloc(length, 1);
    if (path == NULL)
        return SCREE_ERR_MEMORY;
    snprintf(path, length, "%s%s", co->out, ending);
    scree_file_options options = scree_default_file_options();
    options.format = SCREE_FORMAT_CSV;
    options.watch = run_watch("writing", co->quiet);
    scree_status status = scree_write_table(path, &options, rows, columns, column);
    run_watch_end();
    scree_free(path);
    return status;
}

// All single numbers, as a table of one row.
static scree_status write_summary(const common* co, const scree_measures* m)
{
    const scree_contact_counts* c = &m->contacts;
    int64_t n = m->n, dim = m->dim, rattlers = c->rattlers;
    scree_table_column columns[] = {{.name = "n", .integers = &n},
                                    {.name = "dim", .integers = &dim},
                                    {.name = "diameter_min", .values = &m->d_min},
                                    {.name = "diameter_mean", .values = &m->d_mean},
                                    {.name = "diameter_max", .values = &m->d_max},
                                    {.name = "density", .values = &m->density.whole},
                                    {.name = "density_corrected", .values = &m->density_corrected},
                                    {.name = "density_inner", .values = &m->density.inner},
                                    {.name = "margin", .values = &m->density.margin},
                                    {.name = "contacts", .integers = &c->contacts},
                                    {.name = "gap", .values = &c->gap},
                                    {.name = "near", .integers = &c->near},
                                    {.name = "coordination", .values = &c->coordination},
                                    {.name = "wall_contacts", .integers = &c->wall_contacts},
                                    {.name = "rattlers", .integers = &rattlers},
                                    {.name = "backbone_coordination", .values = &c->backbone_coordination},
                                    {.name = "max_overlap", .values = &c->max_overlap},
                                    {.name = "mean_overlap", .values = &c->mean_overlap},
                                    {.name = "max_overlap_relative", .values = &c->max_overlap_relative},
                                    {.name = "mean_overlap_relative", .values = &c->mean_overlap_relative},
                                    {.name = "nearest_gap_least", .values = &m->nearest.least},
                                    {.name = "nearest_gap_median", .values = &m->nearest.median},
                                    {.name = "nearest_gap_most", .values = &m->nearest.most}};
    return write_curve(co, "-summary.csv", 1, sizeof columns / sizeof *columns, columns);
}

static scree_status write_curves(const common* co, const scree_measures* m)
{
    const scree_pair_distribution* gr = &m->pair_distribution;
    const scree_size_curve* sizes = &m->sizes;
    const scree_nearest* near = &m->nearest;
    scree_status status = write_summary(co, m);
    if (status == SCREE_OK && gr->bins > 0)
        status = write_curve(co, "-gr.csv", gr->bins, 5,
                             (scree_table_column[]){{.name = "r_lower", .values = gr->r},
                                                    {.name = "r_upper", .values = gr->r + 1},
                                                    {.name = "g", .values = gr->g},
                                                    {.name = "pairs", .integers = gr->pairs},
                                                    {.name = "ideal", .values = gr->ideal}});
    if (status == SCREE_OK)
        status = write_curve(co, "-sizes.csv", sizes->rows, 3,
                             (scree_table_column[]){{.name = "d", .values = sizes->d},
                                                    {.name = "by_number", .values = sizes->by_number},
                                                    {.name = "by_mass", .values = sizes->by_mass}});
    if (status == SCREE_OK)
        status = write_curve(co, "-gaps.csv", near->bins, 3,
                             (scree_table_column[]){{.name = "gap_lower", .values = near->edge},
                                                    {.name = "gap_upper", .values = near->edge + 1},
                                                    {.name = "spheres", .integers = near->number}});
    return status;
}

// ---- The report --------------------------------------------------------------------------------------------------
// JSON has everything. For people long curves are shown in fewer rows: neighbouring bins are joined, which is exact because
// counts and ideal counts add up.

enum { most_shown = 25 };

static void report_gr(report* rep, const scree_pair_distribution* gr)
{
    if (gr->bins == 0)
        return;
    if (rep->json) {
        report_table(rep, "g_r", "g(r)", 5,
                     (report_column[]){{.name = "r_lower", .values = gr->r},
                                       {.name = "r_upper", .values = gr->r + 1},
                                       {.name = "g", .values = gr->g},
                                       {.name = "pairs", .integers = gr->pairs},
                                       {.name = "ideal", .values = gr->ideal}},
                     gr->bins);
        return;
    }
    double lower[most_shown], upper[most_shown], g[most_shown], ideal[most_shown];
    int64_t pairs[most_shown], rows = 0;
    int32_t join = (gr->bins + most_shown - 1) / most_shown;
    for (int32_t b = 0; b < gr->bins; b += join, ++rows) {
        int32_t end = b + join < gr->bins ? b + join : gr->bins;
        pairs[rows] = 0;
        ideal[rows] = 0.0;
        for (int32_t k = b; k < end; ++k) {
            pairs[rows] += gr->pairs[k];
            ideal[rows] += gr->ideal[k];
        }
        lower[rows] = gr->r[b];
        upper[rows] = gr->r[end];
        g[rows] = ideal[rows] > 0.0 ? (double)pairs[rows] / ideal[rows] : 0.0;
    }
    report_table(rep, "g_r", "g(r) of the centres", 5,
                 (report_column[]){{.name = "r_from", .values = lower},
                                   {.name = "r_to", .values = upper},
                                   {.name = "g", .values = g},
                                   {.name = "pairs", .integers = pairs},
                                   {.name = "ideal_gas", .values = ideal}},
                 rows);
}

static void report_sizes(report* rep, const scree_size_curve* sizes)
{
    if (rep->json || sizes->rows <= most_shown) {
        report_table(rep, "size_curve", "size curve (share of spheres no larger)", 3,
                     (report_column[]){{.name = "d", .values = sizes->d},
                                       {.name = "by_number", .values = sizes->by_number},
                                       {.name = "by_mass", .values = sizes->by_mass}},
                     sizes->rows);
        return;
    }
    double d[most_shown], by_number[most_shown], by_mass[most_shown];
    for (int64_t k = 0; k < most_shown; ++k) {
        int64_t row = k * (sizes->rows - 1) / (most_shown - 1);  // the first and the last are among them
        d[k] = sizes->d[row];
        by_number[k] = sizes->by_number[row];
        by_mass[k] = sizes->by_mass[row];
    }
    report_table(rep, "size_curve", "size curve (share of spheres no larger)", 3,
                 (report_column[]){{.name = "d", .values = d},
                                   {.name = "by_number", .values = by_number},
                                   {.name = "by_mass", .values = by_mass}},
                 most_shown);
}

static void report_gaps(report* rep, const scree_nearest* near)
{
    report_section(rep, "gap to the nearest surface");
    report_number(rep, "nearest_gap_least", near->least);
    report_number(rep, "nearest_gap_median", near->median);
    report_number(rep, "nearest_gap_most", near->most);
    report_integer(rep, "nearest_gap_beyond", near->beyond);
    if (rep->json) {
        report_table(rep, "nearest_gaps", "", 3,
                     (report_column[]){{.name = "gap_lower", .values = near->edge},
                                       {.name = "gap_upper", .values = near->edge + 1},
                                       {.name = "spheres", .integers = near->number}},
                     near->bins);
        return;
    }
    double lower[most_shown], upper[most_shown];
    int64_t number[most_shown], rows = 0;
    int32_t join = (near->bins + most_shown - 1) / most_shown;
    for (int32_t b = 0; b < near->bins; b += join, ++rows) {
        int32_t end = b + join < near->bins ? b + join : near->bins;
        number[rows] = 0;
        for (int32_t k = b; k < end; ++k)
            number[rows] += near->number[k];
        lower[rows] = near->edge[b];
        upper[rows] = near->edge[end];
    }
    report_table(rep, "nearest_gaps", "spheres by that gap", 3,
                 (report_column[]){{.name = "gap_from", .values = lower},
                                   {.name = "gap_to", .values = upper},
                                   {.name = "spheres", .integers = number}},
                 rows);
}

static void report_contacts(report* rep, const scree_contact_counts* c, bool periodic)
{
    report_section(rep, "contacts");
    report_integer(rep, "contacts", c->contacts);
    report_number(rep, "gap", c->gap);
    report_integer(rep, "near", c->near);
    report_number(rep, "coordination", c->coordination);
    report_integer(rep, "wall_contacts", c->wall_contacts);
    report_integer(rep, "rattlers", c->rattlers);
    report_number(rep, "backbone_coordination", c->backbone_coordination);

    report_section(rep, "overlaps");
    report_number(rep, "max_overlap", c->max_overlap);
    report_number(rep, "mean_overlap", c->mean_overlap);
    report_number(rep, "max_overlap_relative", c->max_overlap_relative);
    report_number(rep, "mean_overlap_relative", c->mean_overlap_relative);
    if (c->max_i >= 0) {
        report_integers(rep, "max_overlap_pair", (int64_t[]){c->max_i, c->max_j}, 2);
        if (periodic)
            report_integers(rep, "max_overlap_shift", (int64_t[]){c->max_shift[0], c->max_shift[1], c->max_shift[2]},
                            3);
    }
}

static void report_measures(const common* co, const scree_measures* m, const scree_sphere_set* set, const state_found* found)
{
    const scree_box* box = &set->box;
    report rep = report_begin(co->json);
    rep.width = found->any ? 32 : 24;
    report_integer(&rep, "n", m->n);
    report_integer(&rep, "dim", m->dim);
    double size[3];
    char periodic[4] = "";
    for (int k = 0; k < m->dim; ++k) {
        size[k] = box->upper[k] - box->lower[k];
        if (box->periodic[k])
            strcat(periodic, (const char*[]){"x", "y", "z"}[k]);
    }
    report_numbers(&rep, "box_size", size, m->dim);
    if (scree_box_is_tilted(box))
        report_numbers(&rep, "box_tilt", box->tilt, m->dim == 2 ? 1 : 3);
    report_text(&rep, "periodic", periodic[0] == '\0' ? "none" : periodic);
    report_text(&rep, "container", scree_container_name(set->container));
    report_number(&rep, "diameter_min", m->d_min);
    report_number(&rep, "diameter_mean", m->d_mean);
    report_number(&rep, "diameter_max", m->d_max);

    report_section(&rep, "density");
    report_number(&rep, "density", m->density.whole);
    report_number(&rep, "density_corrected", m->density_corrected);
    report_number(&rep, "density_inner", m->density.inner);
    report_number(&rep, "margin", m->density.margin);

    report_contacts(&rep, &m->contacts, scree_box_is_periodic(box));
    report_gaps(&rep, &m->nearest);
    report_gr(&rep, &m->pair_distribution);
    report_sizes(&rep, &m->sizes);
    state_report(&rep, found);
    report_end(&rep);
}

// ---- The command -------------------------------------------------------------------------------------------------

static exit_code measure_set(const arguments* args, const common* co, scree_measure_def* def, state_wishes* wishes, const scree_sphere_set* set)
{
    def->box = set->box;
    def->container = set->container;
    if (set->container != SCREE_CONTAINER_BOX)
        def->r_bins = 0;  // its ideal gas fills the box
    def->threads = co->threads;
    def->watch = run_watch("measuring", co->quiet);
    scree_measures m;
    scree_status status = scree_measure(def, scree_sphere_set_view(set), &m);
    run_watch_end();
    if (status != SCREE_OK)  // the set itself has been checked, so what the library refuses is an option
        return status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
    state_found found;
    wishes->gap = m.contacts.gap;
    exit_code code = state_measure(args, co, wishes, set, &found);
    if (code == EXIT_DONE && co->out != NULL)
        status = write_curves(co, &m);
    if (code == EXIT_DONE && status == SCREE_OK && co->out != NULL)
        status = state_write(co, &found);
    if (code == EXIT_DONE && status == SCREE_OK)
        report_measures(co, &m, set, &found);
    state_free(&found);
    scree_measures_free(&m);
    return code != EXIT_DONE ? code : status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}

// What the library takes as "choose" is not for the command line.
static bool length_option(const arguments* args, const char* name, bool zero_fits, double* out)
{
    if (!option_number(args, name, out))
        return false;
    if (!option_given(args, name) || *out > 0.0 || (*out == 0.0 && zero_fits))
        return true;
    say("scree measure: --%s %g: it must be %s\n", name, *out, zero_fits ? "0 or more" : "above 0");
    return false;
}

// What the spheres are in: as the file says, or as --container does.
static exit_code settle_container(const arguments* args, int given, bool no_gr, scree_sphere_set* set)
{
    if (option_given(args, "container"))
        set->container = given;
    if (set->container != SCREE_CONTAINER_BOX && !no_gr && (option_given(args, "bins") || option_given(args, "r-max"))) {
        say("scree measure: --%s: the container is a %s, and g(r) is known for boxes only; --container box measures the box around it\n",
            option_given(args, "bins") ? "bins" : "r-max", scree_container_name(set->container));
        return EXIT_USAGE;
    }
    return scree_sphere_set_check_box(set) == SCREE_OK ? EXIT_DONE : run_misused(args);
}

static exit_code run(const arguments* args)
{
    common co;
    scree_measure_def def = scree_default_measure_def();
    int64_t bins = def.r_bins, rows = def.size_rows, gap_bins = def.nearest_bins;
    int method = SCREE_METHOD_AUTO, container = SCREE_CONTAINER_BOX;
    if (!common_options_of(args, &co) || !option_number(args, "gap", &def.gap) ||
        !length_option(args, "margin", true, &def.margin) || !length_option(args, "r-max", false, &def.r_max) ||
        !length_option(args, "gap-max", false, &def.nearest_max) || !option_integer(args, "bins", 0, 10000, &bins) ||
        !option_integer(args, "gap-bins", 1, 10000, &gap_bins) || !option_integer(args, "rows", 2, 10000, &rows) ||
        !option_choice(args, "method", method_name_at, &method) || !option_choice(args, "container", container_name_at, &container))
        return EXIT_USAGE;
    if (co.out != NULL && strcmp(co.out, "-") == 0) {
        say("scree measure: --out takes the beginning of file names, PREFIX-gr.csv and so on, and '-' is none\n");
        return EXIT_USAGE;
    }
    def.r_bins = (int32_t)bins;
    def.size_rows = (int32_t)rows;
    def.nearest_bins = (int32_t)gap_bins;
    def.method = method;
    state_wishes wishes;
    if (!state_wishes_of(args, &co, &wishes))
        return EXIT_USAGE;
    char path[4096];
    exit_code code = wishes.folder != NULL ? state_frame_path(args, &wishes, path, sizeof path) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    scree_sphere_set set;
    scree_status status = read_set(&co, wishes.folder != NULL ? path : args->files[0], &set);
    if (status != SCREE_OK)
        return run_failed(args, status);
    code = state_take_box(args, &wishes, &set);
    if (code == EXIT_DONE)
        code = settle_box(args, &co, BOX_WITH_VOLUME, &set);
    if (code == EXIT_DONE)
        code = settle_container(args, container, bins == 0, &set);
    if (code == EXIT_DONE)
        code = measure_set(args, &co, &def, &wishes, &set);
    scree_sphere_set_free(&set);
    return code;
}

static const option options[] = {
    {"gap", 'g', "G", "partners are nearer than G, surface to surface (default: 1e-3 mean diameters)"},
    {"periodic", 'p', "AXES", "periodic axes, e.g. xyz or xy; others have walls; none"},
    {"box", 'b', "LX,LY,LZ", "the box, from 0 (default: the file's, else the spheres' bounds)"},
    {"container", 0, "NAME", "box, cylinder (along z) or sphere (2D: circle) in that box (default: the file's, else box)"},
    {"margin", 0, "M", "what the inner density keeps from walls (default: largest diameter, at most 1/4 box)"},
    {"r-max", 0, "R", "end of g(r) (default: the least of 5 mean diameters, 6 (V/n)^(1/dim) and half the shortest side)"},
    {"bins", 0, "K", "bins of g(r) (default 250; 0: no g(r), which is most of the work)"},
    {"gap-max", 0, "G", "end of the histogram of nearest gaps (default: the mean diameter)"},
    {"gap-bins", 0, "K", "its bins (default 100)"},
    {"rows", 0, "K", "rows of the size curve (default 50; fewer if there are fewer sizes)"},
    {"method", 'm', "NAME", "how contacts are searched; all give the same"},
    {"frame", 0, "N", "of a run: frame N, from 0 (default: the last one)"},
    {"network", 0, NULL, "of a file: fabric, clusters and mixing too, by contacts nearer than the gap; runs have them always"},
    {"contacts", 0, "FILE.csv", "of a file: its contacts with their forces, as runs write them; implies --network"},
    {"material-density", 0, "D", "of a file: mass per volume, in 2D per area (default 1)"},
    {"fields", 0, "NX,NY,NZ", "fields on a grid of so many cells, as PREFIX-fields.vti and PREFIX-fields.csv"},
    {"profile", 0, "AXIS", "density, velocity, temperature and stress along x, y or z"},
    {"profile-bins", 0, "K", "its cells (default 50)"},
    {"kernel", 0, "NAME", "of fields and profiles: gauss (default) or heaviside"},
    {"width", 0, "W", "of the kernel: standard deviation or radius (default: the mean radius; heaviside: the mean diameter)"},
    {"repose", 0, "SURFACE", "the angle of repose of a slope or a heap, in degrees"},
    {"up", 0, "AXIS", "for --repose: the axis against gravity (default: the last one)"},
    {"flow", 0, "AXIS:AT", "of a run: mass that crosses the plane AXIS = AT from frame to frame"},
    {0},
};

static const left_file leaves[] = {
    {"PREFIX-gr.csv", "g(r)"},
    {"PREFIX-sizes.csv", "the size curve"},
    {"PREFIX-gaps.csv", "the histogram of nearest gaps"},
    {"PREFIX-summary.csv", "the single numbers in one row"},
    {"PREFIX-groups.csv", "mass, momentum, energies and temperature of each group"},
    {"PREFIX-forces.csv", "the distribution of normal forces"},
    {"PREFIX-clusters.csv", "how many clusters there are of each size"},
    {"PREFIX-profile.csv", "the profile"},
    {"PREFIX-flow.csv", "the flow from frame to frame"},
    {"PREFIX-fields.vti", "the fields, for ParaView"},
    {"PREFIX-fields.csv", "the same as a table"},
    {0},
};

static const choice choices[] = {
    METHOD_CHOICE,
    PERIODIC_CHOICE,
    {.option = "container", .names = container_name_at},
    {.option = "profile", .names = axis_name_at},
    {.option = "kernel", .names = kernel_name_at},
    {.option = "repose", .names = surface_name_at},
    {.option = "up", .names = axis_name_at},
    {0},
};

const command cmd_measure = {
    .name = "measure",
    .usage = "FILE|DIR [--gap G] [--periodic xyz] [--box LX,LY,LZ] [--container NAME] [--margin M] [--r-max R] [--bins K] [--fields NX,NY,NZ] [--profile AXIS] [-o PREFIX]",
    .about = "density, contacts, g(r), sizes; of runs also forces, fields, mixing and flow",
    .details =
        "contacts are pairs that overlap; near pairs are closer than the gap, and coordination counts these. Rattlers "
        "are\n"
        "spheres held by fewer than dim + 1 others and walls; the backbone is what is left without them. The inner\n"
        "density keeps the margin from walls. In a cylinder or sphere densities are those of the container, and there is no g(r).\n"
        "Density counts what overlaps twice, density corrected does not.\n"
        "--out PREFIX writes the curves as PREFIX-gr.csv, PREFIX-sizes.csv and PREFIX-gaps.csv, the numbers as PREFIX-summary.csv.\n"
        "DIR is the folder of a run. Then one of its frames is measured, and there are also energies by group, the contact network (fabric,\n"
        "distribution of forces, clusters), stress on walls and indices of mixing; forces need output.contacts in the scene. --fields, --profile,\n"
        "--repose and --flow add more. What they are is in docs/measure.md.",
    .example = "  scree demo -o spheres.csv\n  scree measure spheres.csv --gap 0.1 -o curves\n  scree measure spheres.csv --profile z --bins 0",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .leaves = leaves,
    .run = run,
};
