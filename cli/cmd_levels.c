// scree levels: where the hierarchical grid should be cut for a set of sizes.
#include "commands.h"
#include "common.h"
#include "file_names.h"

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
        say("scree levels: give either a file or --sizes with --count and --density\n");
        return EXIT_USAGE;
    }
    scree_status status = read_set(co, args->files[0], set);
    return status == SCREE_OK ? settle_box(args, co, BOX_WITH_VOLUME, set) : run_failed(args, status);
}

// Radii of a size distribution, and the cube for the density.
static exit_code from_sizes(const arguments* args, const common* co, scree_sphere_set* set)
{
    int64_t count = 0, dim = 3;
    double density = 0.0;
    int sampling = SCREE_SAMPLING_SYSTEMATIC;
    if (!option_integer(args, "count", 1, INT32_MAX, &count) || !option_number(args, "density", &density) ||
        !option_integer(args, "dim", 2, 3, &dim) || !option_choice(args, "sampling", sampling_name, &sampling))
        return EXIT_USAGE;
    if (!option_given(args, "sizes") || count == 0 || !(density > 0.0 && density <= 1.0)) {
        say("scree levels: give a file, or --sizes SIZES with --count N and --density NU between 0 and 1\n");
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
    result res = result_begin("levels");
    result_integer(&res, "n", set->count);
    result_integer(&res, "dim", set->dim);
    result_integer(&res, "levels", best->levels);
    result_number(&res, "m", best->m);
    result_number(&res, "cost", best->cost);
    result_number(&res, "speedup", found->rows[0].cost / best->cost);
    result_numbers(&res, "cell_sizes", found->cell_size, best->levels);
    result_only(&res, RESULT_JSON);
    result_integers(&res, "spheres", found->spheres, best->levels);
    result_only(&res, RESULT_JSON);
    result_numbers(&res, "per_cell", found->per_cell, best->levels);
    result_only(&res, RESULT_JSON);
    result_column chosen[] = {{.name = "level", .integers = number},
                              {.name = "cell_size", .values = found->cell_size},
                              {.name = "spheres", .integers = found->spheres},
                              {.name = "per_cell", .values = found->per_cell}};
    result_table(&res, "chosen", "The levels", 4, chosen, best->levels);
    result_only(&res, RESULT_TEXT);
    result_column table[] = {{.name = "levels", .integers = levels},
                             {.name = "m", .values = m},
                             {.name = "cost", .values = cost},
                             {.name = "slower", .values = slower}};
    result_table(&res, "table", "All numbers of levels that were tried: threshold m of spheres per cell, cost L (m + K), ratio to the best", 4, table,
                 found->count);
    result_print(&res, co->json);
    result_free(&res);
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
    exit_code code = file_names_check(args, &co);
    if (code != EXIT_DONE)
        return code;
    scree_sphere_set set = {0};
    code = args->file_count > 0 ? from_file(args, &co, &set) : from_sizes(args, &co, &set);
    if (code == EXIT_DONE) {
        scree_levels found;
        scree_status status = scree_find_levels(&def, &set.box, set.count, set.r, &found);
        if (status == SCREE_OK)
            report_levels(&co, &found, &set);
        else
            code = run_failed(args, status);
    }
    scree_sphere_set_free(&set);
    return code;
}

static const option options[] = {
    SIZES_OPTION("size distribution, instead of a file (docs/sizes.md)"),
    {"count", 'n', "N", "number of spheres"},
    {"density", 0, "NU", "volume fraction"},
    {"dim", 0, "2|3", "dimension (default 3)"},
    {"sampling", 0, "NAME", "how radii are drawn: systematic (default), shifted or random"},
    {"cell-cost", 0, "K", "cost of visiting a cell, in tests (default 0.3, as in the paper)"},
    {"gap", 'g', "G", "gap of the search (default 0)"},
    LEVELS_OPTION,
    {"most", 0, "L", "largest number of levels to try (default 50)"},
    PERIODIC_OPTION,
    BOX_OPTION,
    {0},
};

static const rejected_option rejected[] = {{"out", "the result is printed; --json prints it as JSON"}, {0}};

static const file_use uses[] = {{READS_FILE, NULL, NULL}, {0}};

static const choice choices[] = {
    {.option = "sampling", .names = sampling_name},
    SIZES_CHOICE,
    PERIODIC_CHOICE,
    {.option = "dim", .names = dimension_at, .open = true},
    {0},
};

const command cmd_levels = {
    .name = "levels",
    .usage = "FILE | --sizes SIZES --count N --density NU",
    .about = "the optimal hierarchical grid: number of levels and cell sizes",
    .details = "The model of Ogarko and Luding: with L grids of about m spheres per cell, a search costs L (m + K) tests per sphere. For each L the sizes are divided by the "
               "same threshold m on all levels (their Appendix A): a level ends with the sphere that brings it above m spheres per cell. The column `per cell` shows the result.",
    .example = "  scree levels --sizes uniform-volume:1:50 --count 125001 --density 0.62",
    .least_files = 0,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
