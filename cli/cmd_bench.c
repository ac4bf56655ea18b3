// scree bench: benchmarks by name, one file each in cli/bench/; `all` runs those that redraw a paper's figure or table.
#include "bench/bench.h"
#include "bench/findings.h"
#include "commands.h"
#include "common.h"
#include "file_names.h"
#include "result.h"

#include <stdio.h>
#include <string.h>

typedef enum traits {
    PAPER = 1,     // part of `all`: a paper's, or its question asked of all methods. The others time this machine
    OWN_FILE = 2,  // takes --file
    OWN_LAW = 4,   // takes --sizes
    OWN = OWN_FILE | OWN_LAW,
    DENSITY = 8,   // and --density; with the others the density comes out
    COUNT = 16,    // takes --count
    SYSTEMS = 32   // takes --systems
} traits;

static const struct {
    const char* name;
    const char* about;
    exit_code (*run)(const arguments* args, const common* co, bool quick);
    int traits;
} benches[] = {
    {"speed", "all contacts from scratch: scree's methods and a plain grid, side by side", bench_speed, OWN | DENSITY | COUNT},
    {"large", "all contacts of 1e8 spheres from their size distribution, on one thread and two, with a sample checked", bench_large, OWN_LAW | DENSITY | COUNT},
    {"moving", "pairs after each of 200 small steps: with the list of the index, and by a new search", bench_moving, 0},
    {"step", "whole steps of a simulation, compared with LAMMPS if it is installed", bench_step, COUNT},
    {"device", "steps on a GPU, compared with the processor: times, and whether the bits are the same", bench_device, SYSTEMS},
    {"rearrange", "dense packings by collective rearrangement: density, sweeps, seconds", bench_rearrange, 0},
    {"hierarchical", "densities of wide mixtures from windows of size classes, compared with packings of all spheres and Furnas' limit", bench_hierarchical, 0},
    {"muth-2d", "Muth et al., Fig. 10, 11: discs, cost of a step against their number", bench_muth_2d, PAPER | OWN_LAW | DENSITY | COUNT},
    {"muth-3d", "Muth et al., Fig. 12: the same for equal spheres", bench_muth_3d, PAPER | OWN_LAW | DENSITY | COUNT},
    {"muth-fracture", "Muth et al., Fig. 13, 14: cost per sphere against the ratio of sizes", bench_muth_fracture, PAPER},
    {"muth-matrix", "Muth et al., Fig. 8, 9: 300 discs and the matrix of their box collisions", bench_muth_matrix, PAPER},
    {"muth-ratio", "their section 4: the linked linear list in motion, size ratios 1 to 50", bench_muth_ratio, PAPER},
    {"cells", "Muth et al., Eq. 3: tests against the size of cells, predicted and counted", bench_cells, PAPER | OWN | DENSITY | COUNT},
    {"ogarko-levels", "Ogarko and Luding, Fig. 4: slow-down against the number of levels", bench_ogarko_levels, PAPER | OWN | DENSITY | COUNT},
    {"ogarko-hypothesis", "their Hypothesis 1: levels with equally many spheres per cell, compared with perturbed ones, counted", bench_ogarko_hypothesis, PAPER},
    {"ogarko-range", "their section 2: which cells to look into, counted", bench_ogarko_range, PAPER | OWN | DENSITY | COUNT},
    {"ogarko-scaling", "their Fig. 5: time relative to equal spheres against the number", bench_ogarko_scaling, PAPER | OWN_LAW | DENSITY | COUNT},
    {"ogarko-systems", "their Fig. 3: the four packings, drawn", bench_ogarko_systems, PAPER},
    {"raschdorf-neighbours", "Raschdorf and Kolonko, Table 1: spheres in the cells or nodes that a search visits, by structure", bench_raschdorf_neighbours, PAPER | OWN | COUNT},
    {"raschdorf-levels", "their Fig. 5, 7 and 9: spheres on each level of the octrees, counted and drawn", bench_raschdorf_levels, PAPER | OWN | COUNT},
    {"raschdorf-insert", "their sections 3 and 5: cells or nodes that an insertion and a relocation touch, by structure", bench_raschdorf_insert, PAPER},
    {"raschdorf-lists", "their sections 2 and 4: rearrangement one by one over each structure, with and without lists", bench_raschdorf_lists, PAPER},
    {"raschdorf-loose", "their sections 2 and 3.3: what the looseness k and the margin of the lists cost", bench_raschdorf_loose, PAPER | OWN | COUNT},
    {"sequential", "their section 1: density and time of the packing methods", bench_sequential, PAPER | OWN | COUNT},
    {"chips", "Muth et al., Contacts, Fig. 9: non-convex chips glide down walls, with and without neighbour search", bench_chips, PAPER},
    {"needles", "their question: boxes against circles for bodies of rising aspect ratio, pairs left and pairs that touch", bench_needles, PAPER},
    {"methods", "every method: all pairs still and moving, neighbours one by one; over size ratios and numbers", bench_methods, PAPER | OWN | DENSITY | COUNT},
    {"grow", "hard spheres: collisions per second, and growth to dense packings", bench_grow, 0},
    {"polygons", "steps of non-convex polygons: time, share of the search, vertices tested", bench_polygons, 0},
    {"files", "writing and reading each format", bench_files, COUNT},
};
enum { bench_count = sizeof benches / sizeof *benches };

static const char* bench_name(int b)
{
    return b < bench_count ? benches[b].name : NULL;
}

// What can stand behind `scree bench`.
static const char* bench_word(int b)
{
    return b < bench_count ? benches[b].name : b == bench_count ? "all" : NULL;
}

static int find(const char* name)
{
    for (int b = 0; b < bench_count; ++b)
        if (strcmp(benches[b].name, name) == 0)
            return b;
    return -1;
}

// Which ones take an option, for a sentence.
static void print_takers(int trait)
{
    const char* between = "";
    for (int b = 0; b < bench_count; ++b)
        if ((benches[b].traits & trait) != 0) {
            say("%s%s", between, benches[b].name);
            between = ", ";
        }
    say("\n");
}

// Whether this bench takes what was given; a sentence if not.
static bool options_fit(const arguments* args, int b)
{
    static const struct {
        const char* option;
        int trait;
        const char* why;
    } rules[] = {{"file", OWN_FILE, "it has systems of its own"},
                 {"sizes", OWN_LAW, "it has systems of its own"},
                 {"density", DENSITY, "its system sets the density, or it is a result"},
                 {"count", COUNT, "its system sets the number"},
                 {"systems", SYSTEMS, "it always runs all of its systems"}};
    for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r)
        if (option_given(args, rules[r].option) && (benches[b].traits & rules[r].trait) == 0) {
            say("scree bench: %s does not take --%s: %s. It is an option of ", benches[b].name, rules[r].option, rules[r].why);
            print_takers(rules[r].trait);
            return false;
        }
    bool own = option_given(args, "file") || option_given(args, "sizes");
    if ((benches[b].traits & OWN) != 0 && !own && (option_given(args, "count") || option_given(args, "density"))) {
        say("scree bench: %s: --count and --density need --sizes\n", benches[b].name);
        return false;
    }
    return true;
}

static bool options_are_sound(const arguments* args, const common* co)
{
    int64_t count = 1;
    double density = 0.5;
    if (!option_integer(args, "count", 1, 100000000, &count) || !option_number(args, "density", &density))
        return false;
    if (!(density > 0.0 && density < 1.0)) {
        say("scree bench: --density expects a number between 0 and 1, got %g\n", density);
        return false;
    }
    bool file = option_given(args, "file");
    if (file && (option_given(args, "sizes") || option_given(args, "count") || option_given(args, "density"))) {
        say("scree bench: --file sets the spheres; drop --sizes, --count and --density\n");
        return false;
    }
    if (option_given(args, "sizes")) {
        scree_sizes* sizes = NULL;
        scree_status status = scree_read_sizes(option_text(args, "sizes"), 3, &sizes);
        scree_sizes_destroy(sizes);
        if (status != SCREE_OK) {
            run_misused(args);
            return false;
        }
    }
    const char* ending = co->out != NULL ? strrchr(co->out, '.') : NULL;
    if (ending != NULL && (strcmp(ending, ".csv") == 0 || strcmp(ending, ".png") == 0 || strcmp(ending, ".svg") == 0)) {
        say("scree bench: -o expects a folder for tables, figures and pages, got %s\n", co->out);
        return false;
    }
    return true;
}

// ---- All of them -----------------------------------------------------------------------------------------------------

typedef struct outcome {
    bool ran;
    exit_code code;
    double seconds;
    findings_summary found;
} outcome;

// DIR/index.md: a line for each; written again after each bench.
static bool write_index(const common* co, bool quick, const outcome* outcomes)
{
    char path[bench_path_most], part[bench_path_most];
    if (bench_path(co, "index.md", path) != SCREE_OK || bench_path(co, ".index.md.part", part) != SCREE_OK)
        return false;
    FILE* page = fopen(part, "w");
    if (page == NULL)
        return false;
    fprintf(page, "# The papers, redrawn\n\n`scree bench all%s`, seed %llu, scree %s. Seconds belong to the machine.\n\n", quick ? " --quick" : "",
            (unsigned long long)co->seed, scree_version());
    fprintf(page, "| bench | | agrees | differs | seconds |\n|---|---|---:|---:|---:|\n");
    for (int b = 0; b < bench_count; ++b) {
        const outcome* o = &outcomes[b];
        if (!o->ran)
            continue;
        if (o->code == EXIT_DONE)
            fprintf(page, "| [%s](%s.md) | %s | %d | %d | %.1f |\n", benches[b].name, benches[b].name, o->found.title, o->found.agrees, o->found.differs, o->seconds);
        else
            fprintf(page, "| %s | failed | | | %.1f |\n", benches[b].name, o->seconds);
    }
    bool bad = ferror(page) != 0;
    bad = fclose(page) != 0 || bad;
    return !bad && rename(part, path) == 0;
}

static exit_code run_all(const arguments* args, const common* co, bool quick)
{
    outcome outcomes[bench_count] = {{0}};
    int all = 0, done = 0, failed = 0;
    exit_code code = EXIT_DONE;
    for (int b = 0; b < bench_count; ++b)
        all += (benches[b].traits & PAPER) != 0;
    for (int b = 0; b < bench_count; ++b)
        if ((benches[b].traits & PAPER) != 0 && !options_fit(args, b))
            return EXIT_USAGE;
    for (int b = 0; b < bench_count && code <= EXIT_USAGE; ++b) {
        if ((benches[b].traits & PAPER) == 0)
            continue;
        if (!co->json)
            printf("%s== %d of %d: %s ==\n", done > 0 ? "\n" : "", done + 1, all, benches[b].name);
        fflush(stdout);
        double begin = bench_clock();
        code = benches[b].run(args, co, quick);
        outcomes[b] = (outcome){.ran = code <= EXIT_USAGE, .code = code, .seconds = bench_clock() - begin, .found = findings_last()};
        failed += code != EXIT_DONE;
        ++done;
        if (!co->json)
            printf("%s: %s, %.1f s\n", benches[b].name, code == EXIT_DONE ? "done" : code <= EXIT_USAGE ? "failed" : "stopped", outcomes[b].seconds);
        if (outcomes[b].ran && co->out != NULL && !write_index(co, quick, outcomes)) {
            say("scree bench: cannot write %s/index.md\n", co->out);
            return EXIT_FAILED;
        }
    }
    if (code > EXIT_USAGE) {  // Ctrl-C
        say("scree bench: %d of %d were done before\n", done - 1, all);
        return code;
    }
    if (failed > 0)
        say("scree bench: %d of %d failed\n", failed, all);
    else if (!co->json && co->out != NULL)
        printf("written: %s/index.md\n", co->out);
    return failed > 0 ? EXIT_FAILED : EXIT_DONE;
}

static void list_benches(const common* co)
{
    result res = result_begin("bench");
    result_table_begin(&res, "available", 2, (const char* const[]){"bench", "about", NULL});
    for (int b = 0; b < bench_count; ++b)
        result_table_row(&res, (const char* const[]){benches[b].name, benches[b].about}, NULL);
    result_table_row(&res, (const char* const[]){"all", "muth-, ogarko- and raschdorf- ones, cells, sequential, chips, needles, methods: all that redraw a paper"}, NULL);
    result_print(&res, co->json);
    result_free(&res);
}

static exit_code run_named(const arguments* args)
{
    common co;
    if (!common_options_of(args, &co) || !options_are_sound(args, &co))
        return EXIT_USAGE;
    bool quick = option_given(args, "quick");
    if (args->file_count == 0) {
        list_benches(&co);
        return EXIT_DONE;
    }
    if (args->file_count == 1 && strcmp(args->files[0], "all") == 0) {
        exit_code code = file_names_check(args, &co);
        return code == EXIT_DONE ? run_all(args, &co, quick) : code;
    }
    for (int f = 0; f < args->file_count; ++f) {
        int b = find(args->files[f]);
        if (b < 0) {
            const char* near = closest_spelling(args->files[f], bench_name, bench_count);
            bool all = strcmp(args->files[f], "all") == 0;
            say("scree bench: unknown benchmark '%s'%s%s; 'scree bench' lists them\n", args->files[f],
                all ? " among others: all stands alone" : near != NULL ? "; did you mean " : "", !all && near != NULL ? near : "");
            return EXIT_USAGE;
        }
        if (!options_fit(args, b))
            return EXIT_USAGE;
    }
    exit_code code = file_names_check(args, &co);
    for (int f = 0; f < args->file_count && code == EXIT_DONE; ++f)
        code = benches[find(args->files[f])].run(args, &co, quick);
    return code;
}

static exit_code run(const arguments* args)
{
    exit_code code = run_named(args);
    findings_print();
    bench_forget();
    return code;
}

static const option options[] = {
    {"quick", 0, NULL, "smaller sets: seconds instead of minutes"},
    {"file", 0, "FILE", "use the spheres of this file (methods, cells, ogarko-levels, ogarko-range, raschdorf-levels, raschdorf-loose, raschdorf-neighbours, sequential)"},
    SIZES_OPTION("size distribution, as for scree pack (the same benchmarks, and muth-2d, muth-3d, ogarko-scaling)"),
    {"count", 'n', "N", "number of spheres of that distribution (default 10000), or of the benchmarks files and step"},
    {"systems", 0, "A,B", "device: only the systems number A to B of its list, for runs in parts"},
    {"density", 0, "NU", "volume fraction (default 0.4; ogarko- benchmarks 0.5, muth- 0.25; otherwise a result)"},
    {"out", 'o', "DIR", "write tables, figures and pages into this folder"},
    {0},
};

static const file_use uses[] = {{READS_FILE, "file", NULL}, {WRITES_FOLDER, "out", NULL}, {0}};

static const left_file leaves[] = {
    {"DIR/NAME.csv", "the rows"},
    {"DIR/NAME.svg, DIR/NAME.png", "the figures"},
    {"DIR/NAME.md", "findings of the paper and findings here"},
    {"DIR/index.md", "of all: one line per benchmark"},
    {0},
};

static const choice choices[] = {
    SIZES_CHOICE,
    {0},
};

const command cmd_bench = {
    .name = "bench",
    .usage = "[NAME...|all] [--quick] [--file FILE | --sizes SIZES [--count N] [--density NU]] [-o DIR]",
    .about = "benchmarks; without a name lists them",
    .details = "Times are medians of warm runs, taken in turns. They depend on the machine and its load; counts do not. -o DIR writes NAME.csv with the rows, figures NAME.svg and NAME.png, "
               "and NAME.md with the findings of the paper, the findings here and whether they agree; all of them or, after a failure, none. A finding that differs is not a failure.\n"
               "all runs the benchmarks that redraw a paper, continues after one that fails, and writes DIR/index.md.",
    .example = "  scree bench ogarko-levels --quick -o papers\n"
               "  scree bench methods --sizes lognormal:1:0.8 --count 20000",
    .least_files = 0,
    .most_files = 16,
    .options = options,
    .choices = choices,
    .leaves = leaves,
    .uses = uses,
    .words = bench_word,
    .run = run,
};
