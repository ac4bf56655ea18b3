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
            printf("  %-10s %s\n", benches[b].name, benches[b].about);
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
    .usage = "[NAME...] [--quick] [-o FILE.csv]",
    .about = "benchmarks; without a name lists them",
    .details = "Times are medians of warm runs, taken in turns. They belong to the machine and its load; the counts beside them do\n"
               "not. -o writes the rows as CSV.",
    .example = "  scree bench speed --quick",
    .least_files = 0,
    .most_files = 16,
    .options = options,
    .run = run,
};
