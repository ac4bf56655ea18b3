// scree levels: where the hierarchical grid should be cut for a set of sizes.
#include "commands.h"
#include "common.h"

#include <math.h>
#include <stdio.h>

static const char* sampling_name(int s)
{
    static const char* const names[] = {"systematic", "shifted", "random"};
    return s >= 0 && s < 3 ? names[s] : NULL;
}

// Radii from a file, with its box.
static exit_code from_file(const arguments* args, const common* co, scree_sphere_set* set)
{
    if (option_given(args, "sizes") || option_given(args, "count") || option_given(args, "density")) {
        say("scree levels: give either a file, or --sizes with --count and --density\n");
        return EXIT_USAGE;
    }
    scree_status status = read_set(co, args->files[0], set);
    return status == SCREE_OK ? settle_box(args, co, BOX_WITH_VOLUME, set) : run_failed(args, status);
}

// Radii from a law, and the cube that they fill to the density.
static exit_code from_law(const arguments* args, const common* co, scree_sphere_set* set)
{
    int64_t count = 0, dim = 3;
    double density = 0.0;
    int sampling = SCREE_SAMPLING_SYSTEMATIC;
    if (!option_integer(args, "count", 1, INT32_MAX, &count) || !option_number(args, "density", &density) ||
        !option_integer(args, "dim", 2, 3, &dim) || !option_choice(args, "sampling", sampling_name, &sampling))
        return EXIT_USAGE;
    if (!option_given(args, "sizes") || count == 0 || !(density > 0.0 && density <= 1.0)) {
        say("scree levels: give a file, or --sizes LAW with --count N and --density NU (between 0 and 1)\n");
        return EXIT_USAGE;
    }
    scree_sizes* sizes = NULL;
    scree_status status = scree_read_sizes(option_text(args, "sizes"), (int32_t)dim, &sizes);
    if (status == SCREE_OK)
        status = scree_sphere_set_make((int32_t)dim, (int32_t)count, set);
    if (status == SCREE_OK)
        status = scree_sizes_draw(sizes, (scree_sampling)sampling, co->seed, set->count, set->r);
    scree_sizes_destroy(sizes);
    if (status != SCREE_OK)
        return status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
    double side = pow(scree_spheres_volume(scree_sphere_set_view(set)) / density, 1.0 / (double)dim);
    set->box = scree_box_sized(set->dim, (double[3]){side, side, side});
    return EXIT_DONE;
}

static void report_levels(const common* co, const scree_levels* found, const scree_sphere_set* set)
{
    const scree_levels_row* best = &found->rows[found->chosen];
    double m[SCREE_LEVELS_MOST], cost[SCREE_LEVELS_MOST], slower[SCREE_LEVELS_MOST];
    int64_t levels[SCREE_LEVELS_MOST], number[SCREE_LEVELS_MOST];
    for (int k = 0; k < found->count; ++k) {
        levels[k] = found->rows[k].levels;
        m[k] = found->rows[k].m;
        cost[k] = found->rows[k].cost;
        slower[k] = cost[k] / best->cost;
    }
    for (int h = 0; h < best->levels; ++h)
        number[h] = h + 1;
    report rep = report_begin(co->json);
    report_integer(&rep, "n", set->count);
    report_integer(&rep, "dim", set->dim);
    report_integer(&rep, "levels", best->levels);
    report_number(&rep, "m", best->m);
    report_number(&rep, "cost", best->cost);
    report_number(&rep, "speedup", found->rows[0].cost / best->cost);
    if (co->json) {
        report_numbers(&rep, "cell_sizes", found->cell_size, best->levels);
        report_integers(&rep, "spheres", found->spheres, best->levels);
        report_numbers(&rep, "per_cell", found->per_cell, best->levels);
    } else {
        report_column chosen[] = {{.name = "level", .integers = number},
                                  {.name = "cell size", .values = found->cell_size},
                                  {.name = "spheres", .integers = found->spheres},
                                  {.name = "per cell", .values = found->per_cell}};
        report_table(&rep, "chosen", "The levels", 4, chosen, best->levels);
    }
    report_column table[] = {{.name = "levels", .integers = levels},
                             {.name = "m", .values = m},
                             {.name = "cost", .values = cost},
                             {.name = "slower", .values = slower}};
    report_table(&rep, "table", "All that were tried: threshold m of spheres per cell, cost L (m + K), times the best", 4, table,
                 found->count);
    report_end(&rep);
}

static exit_code run(const arguments* args)
{
    common co;
    scree_levels_def def = scree_default_levels_def();
    int64_t levels = 0, most = def.most_levels;
    if (!common_options_of(args, &co) || !option_number(args, "cell-cost", &def.cell_cost) ||
        !option_number(args, "gap", &def.margin) || !option_integer(args, "levels", 1, SCREE_LEVELS_MOST, &levels) ||
        !option_integer(args, "most", 1, SCREE_LEVELS_MOST, &most))
        return EXIT_USAGE;
    def.levels = (int32_t)levels;
    def.most_levels = (int32_t)(most < levels ? levels : most);
    scree_sphere_set set = {0};
    exit_code code = args->file_count > 0 ? from_file(args, &co, &set) : from_law(args, &co, &set);
    if (code == EXIT_DONE) {
        scree_levels found;
        scree_status status = scree_levels_find(&def, &set.box, set.count, set.r, &found);
        if (status == SCREE_OK)
            report_levels(&co, &found, &set);
        else
            code = run_failed(args, status);
    }
    scree_sphere_set_free(&set);
    return code;
}

static const option options[] = {
    {"sizes", 0, "LAW", "a law of sizes in place of a file"},
    {"count", 'n', "N", "how many spheres of it"},
    {"density", 0, "NU", "share of the box that they fill"},
    {"dim", 0, "2|3", "dimension (default 3)"},
    {"sampling", 0, "NAME", "systematic (default), shifted or random"},
    {"cell-cost", 0, "K", "what looking into a cell costs, in tests (default 0.3, as in the paper)"},
    {"gap", 'g', "G", "the gap that will be asked for (default 0)"},
    {"levels", 0, "L", "give the cell sizes for this number of levels, not for the best"},
    {"most", 0, "L", "the largest number of levels that is tried (default 50)"},
    {"periodic", 'p', "AXES", "periodic axes of the file's box"},
    {"box", 'b', "LX,LY,LZ", "the box of the file, from 0 (default: its own, else the spheres' bounds)"},
    {0},
};

static const choice choices[] = {
    {.option = "sampling", .names = sampling_name},
    SIZES_CHOICE,
    PERIODIC_CHOICE,
    {.option = "dim", .names = dimension_at, .open = true},
    {0},
};

const command cmd_levels = {
    .name = "levels",
    .usage = "FILE | --sizes LAW --count N --density NU",
    .about = "the optimal hierarchical grid: how many levels, and where to cut the sizes",
    .details = "Ogarko and Luding's model: with L grids that hold about m spheres per cell, a search costs L (m + K) tests per sphere.\n"
               "For each L the sizes are cut by the same threshold m on all levels (their Appendix A): a level ends with the sphere by\n"
               "which it comes to more than m per cell. What each level then has is in the column per cell.",
    .example = "  scree levels --sizes uniform-volume:1:50 --count 125001 --density 0.62",
    .least_files = 0,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .run = run,
};
