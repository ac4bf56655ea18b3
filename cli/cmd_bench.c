// scree bench: benchmarks by name, one file each in cli/bench/.
#include "bench/bench.h"
#include "commands.h"
#include "common.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char* name;
    const char* about;
    exit_code (*run)(const arguments* args, const common* co, bool quick);
} benches[] = {
    {"speed", "all contacts from scratch: scree's methods and a plain grid, side by side", bench_speed},
    {"moving", "pairs after each of 200 small steps: with the index' list, and searching anew", bench_moving},
    {"step", "whole steps of a simulation, beside LAMMPS if it is there", bench_step},
    {"methods", "every method: all pairs still and moving, neighbours one by one; over size ratios and numbers", bench_methods},
    {"rearrange", "dense packings by collective rearrangement: density, sweeps, seconds", bench_rearrange},
    {"muth-2d", "Muth et al., Fig. 10, 11: discs, cost of a step against their number", bench_muth_2d},
    {"muth-3d", "Muth et al., Fig. 12: the same for equal spheres", bench_muth_3d},
    {"muth-fracture", "Muth et al., Fig. 13, 14: cost per sphere against the ratio of sizes", bench_muth_fracture},
    {"muth-matrix", "Muth et al., Fig. 8, 9: 300 discs and their contact matrix", bench_muth_matrix},
    {"cells", "Muth et al., Eq. 3: tests against the size of cells, predicted and counted", bench_cells},
    {"ogarko-levels", "Ogarko and Luding, Fig. 4: slow-down against the number of levels", bench_ogarko_levels},
    {"ogarko-range", "their section 2: which cells to look into, counted", bench_ogarko_range},
    {"ogarko-scaling", "their Fig. 5: time relative to equal spheres against the number", bench_ogarko_scaling},
    {"ogarko-systems", "their Fig. 3: the four packings, drawn", bench_ogarko_systems},
    {"raschdorf-neighbours", "Raschdorf and Kolonko, Table 1: spheres stored where one has to look, by structure", bench_raschdorf_neighbours},
    {"raschdorf-levels", "their Fig. 5, 7 and 9: spheres on each level of the octrees, counted and drawn", bench_raschdorf_levels},
    {"raschdorf-lists", "their sections 2 and 4: rearrangement one by one over each structure, with and without lists", bench_raschdorf_lists},
    {"raschdorf-loose", "their sections 2 and 3.3: what the looseness k and the margin of the lists cost", bench_raschdorf_loose},
    {"sequential", "their section 1: density and seconds of the ways to pack", bench_sequential},
    {"grow", "hard spheres: collisions per second, and growth to dense packings", bench_grow},
    {"chips", "Muth et al., Contacts, Fig. 9: non-convex chips glide down walls, with and without neighbour search", bench_chips},
    {"polygons", "steps of non-convex polygons: time, share of the search, vertices tested", bench_polygons},
    {"files", "writing and reading each format", bench_files},
};
enum { bench_count = sizeof benches / sizeof *benches };

static const char* bench_name(int b)
{
    return b < bench_count ? benches[b].name : NULL;
}

static exit_code run(const arguments* args)
{
    common co;
    if (!common_options_of(args, &co))
        return EXIT_USAGE;
    bool quick = option_given(args, "quick");
    if (args->file_count == 0) {
        printf("benchmarks:\n");
        for (int b = 0; b < bench_count; ++b)
            printf("  %-21s %s\n", benches[b].name, benches[b].about);
        return EXIT_DONE;
    }
    exit_code code = EXIT_DONE;
    for (int f = 0; f < args->file_count && code == EXIT_DONE; ++f) {
        int b = 0;
        while (b < bench_count && strcmp(benches[b].name, args->files[f]) != 0)
            ++b;
        if (b == bench_count) {
            const char* near = nearest_name(args->files[f], bench_name, bench_count);
            fprintf(stderr, "scree bench: there is no benchmark '%s'%s%s; 'scree bench' lists them\n", args->files[f],
                    near != NULL ? "; did you mean " : "", near != NULL ? near : "");
            return EXIT_USAGE;
        }
        code = benches[b].run(args, &co, quick);
    }
    return code;
}

static const option options[] = {
    {"quick", 0, NULL, "smaller sets: seconds in place of minutes"},
    {"count", 'n', "N", "how many spheres `files` writes and reads (default 1000000)"},
    {0},
};

const command cmd_bench = {
    .name = "bench",
    .usage = "[NAME...] [--quick] [-o FILE.csv|DIR]",
    .about = "benchmarks; without a name lists them",
    .details = "Times are medians of warm runs, taken in turns. They belong to the machine and its load; the counts beside them do\n"
               "not. -o writes the rows as CSV; the papers' tables and figures (raschdorf-*, sequential) go into a folder.",
    .example = "  scree bench speed --quick",
    .least_files = 0,
    .most_files = 16,
    .options = options,
    .run = run,
};
