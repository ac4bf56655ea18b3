// scree bench: experiments by name, from papers/ and bench/; `all` runs those that redraw a paper's figure or table.
#include "bench/harness.h"
#include "bench/list.h"
#include "commands.h"
#include "common.h"
#include "file_names.h"
#include "result.h"

#include <stdio.h>
#include <string.h>

// ---- What the program lends ------------------------------------------------------------------------------------------

static result found;  // of the experiment that runs
static const common* shared;

static scree_watch lend_watch(const char* label)
{
    return run_watch(label, shared->quiet);
}

static scree_status lend_read(const char* path, scree_sphere_set* out)
{
    return read_set(shared, path, out);
}

static void lend_table(const char* key, int texts, const char* const* names)
{
    result_table_begin(&found, key, texts, names);
}

static bool lend_row(const char* const* texts, const double* values, bool shown)
{
    result_table_row(&found, texts, values);
    if (shown && !shared->json) {
        result_print_last_row(&found);
        fflush(stdout);
    }
    return !found.failed;
}

static void lend_texts(const char* key, const char* const* texts, int64_t count)
{
    result_texts(&found, key, texts, count);
}

static scree_status lend_write(const char* key, const char* path)
{
    return result_write_table(&found, key, path);
}

static void lend_markdown(const char* key, FILE* page)
{
    result_markdown(&found, key, page);
}

static const bench_host lent = {lend_watch, run_watch_end, run_interrupted, lend_read, lend_table, lend_row, lend_texts, lend_write, lend_markdown};

// One experiment. With --json its object becomes a part of `all`.
static exit_code run_one(const arguments* args, const experiment* e, const bench_options* options, result* all, findings_summary* out)
{
    result_text(&found, "bench", e->name);
    result_bool(&found, "quick", options->quick);
    scree_status status = bench_run(e, options, out);
    if (options->json && status == SCREE_OK) {
        if (all->count == 0)
            *all = result_begin("bench");
        result_part(all, "benches", &found);
    }
    result_free(&found);
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}

// ---- Which -----------------------------------------------------------------------------------------------------------

static const char* bench_name(int b)
{
    return bench_list[b] != NULL ? bench_list[b]->name : NULL;
}

static int bench_count(void)
{
    int count = 0;
    while (bench_list[count] != NULL)
        ++count;
    return count;
}

// What can stand behind `scree bench`.
static const char* bench_word(int b)
{
    const int count = bench_count();
    return b < count ? bench_list[b]->name : b == count ? "all" : NULL;
}

static const experiment* find(const char* name)
{
    for (int b = 0; bench_list[b] != NULL; ++b)
        if (strcmp(bench_list[b]->name, name) == 0)
            return bench_list[b];
    return NULL;
}

// Which ones take an option, for a sentence.
static void print_takers(int trait)
{
    const char* between = "";
    for (int b = 0; bench_list[b] != NULL; ++b)
        if ((bench_list[b]->takes & trait) != 0) {
            say("%s%s", between, bench_list[b]->name);
            between = ", ";
        }
    say("\n");
}

// Whether this bench takes what was given; a sentence if not.
static bool options_fit(const arguments* args, const experiment* e)
{
    static const struct {
        const char* option;
        int trait;
        const char* why;
    } rules[] = {{"file", TAKES_FILE, "it has systems of its own"},
                 {"sizes", TAKES_SIZES, "it has systems of its own"},
                 {"density", TAKES_DENSITY, "its system sets the density, or it is a result"},
                 {"count", TAKES_COUNT, "its system sets the number"},
                 {"systems", TAKES_SYSTEMS, "it always runs all of its systems"}};
    for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r)
        if (option_given(args, rules[r].option) && (e->takes & rules[r].trait) == 0) {
            say("scree bench: %s does not take --%s: %s. It is an option of ", e->name, rules[r].option, rules[r].why);
            print_takers(rules[r].trait);
            return false;
        }
    bool own = option_given(args, "file") || option_given(args, "sizes");
    if ((e->takes & TAKES_OWN) != 0 && !own && (option_given(args, "count") || option_given(args, "density"))) {
        say("scree bench: %s: --count and --density need --sizes\n", e->name);
        return false;
    }
    int last = e->systems;
    double part[2] = {1.0, last};
    int given = 2;
    if (option_given(args, "systems") && (!option_numbers(args, "systems", 2, part, &given) || given != 2 || !(part[0] >= 1.0 && part[0] <= part[1] && part[1] <= last))) {
        say("scree bench: --systems expects two numbers A,B with 1 <= A <= B <= %d, got '%s'\n", last, option_text(args, "systems"));
        return false;
    }
    return true;
}

// The options as values. Prints what is wrong and returns false.
static bool options_of(const arguments* args, const common* co, bench_options* out)
{
    double part[2] = {0.0, 0.0};
    int given = 0;
    *out = (bench_options){.quick = option_given(args, "quick"), .json = co->json, .threads = co->threads, .seed = co->seed, .out = co->out, .file = option_text(args, "file"),
                           .sizes = option_text(args, "sizes")};
    if (!option_integer(args, "count", 1, 100000000, &out->count) || !option_number(args, "density", &out->density) || !option_numbers(args, "systems", 2, part, &given))
        return false;
    if (option_given(args, "density") && !(out->density > 0.0 && out->density < 1.0)) {
        say("scree bench: --density expects a number between 0 and 1, got %g\n", out->density);
        return false;
    }
    out->systems[0] = (int)part[0];
    out->systems[1] = (int)part[1];
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

enum { most_experiments = 64 };

typedef struct outcome {
    bool ran;
    exit_code code;
    double seconds;
    findings_summary found;
} outcome;

// DIR/index.md: a line for each; written again after each bench.
static bool write_index(const bench_options* options, const outcome* outcomes)
{
    char path[bench_path_most], part[bench_path_most];
    if (bench_path(options, "index.md", path) != SCREE_OK || bench_path(options, ".index.md.part", part) != SCREE_OK)
        return false;
    FILE* page = fopen(part, "w");
    if (page == NULL)
        return false;
    fprintf(page, "# The papers, redrawn\n\n`scree bench all%s`, seed %llu, scree %s. Seconds belong to the machine.\n\n", options->quick ? " --quick" : "",
            (unsigned long long)options->seed, scree_version());
    fprintf(page, "| bench | | agrees | differs | not judged | checks | seconds |\n|---|---|---:|---:|---:|---:|---:|\n");
    for (int b = 0; bench_list[b] != NULL; ++b) {
        const outcome* o = &outcomes[b];
        const experiment* e = bench_list[b];
        if (!o->ran)
            continue;
        if (o->code == EXIT_DONE)
            fprintf(page, "| [%s](%s.md) | %s | %d | %d | %d | %d of %d hold | %.1f |\n", e->name, e->name, e->title, o->found.agrees, o->found.differs, o->found.not_judged,
                    o->found.checks_hold, o->found.checks_hold + o->found.checks_fail, o->seconds);
        else
            fprintf(page, "| %s | failed | | | | | %.1f |\n", e->name, o->seconds);
    }
    bool bad = ferror(page) != 0;
    bad = fclose(page) != 0 || bad;
    return !bad && rename(part, path) == 0;
}

static exit_code run_all(const arguments* args, const bench_options* options, result* all)
{
    outcome outcomes[most_experiments] = {{0}};
    int count = 0, done = 0, failed = 0;
    exit_code code = EXIT_DONE;
    for (int b = 0; bench_list[b] != NULL; ++b) {
        count += bench_list[b]->paper;
        if (bench_list[b]->paper && !options_fit(args, bench_list[b]))
            return EXIT_USAGE;
    }
    for (int b = 0; b < most_experiments && bench_list[b] != NULL && code <= EXIT_USAGE; ++b) {
        const experiment* e = bench_list[b];
        outcome* o = &outcomes[b];
        if (!e->paper)
            continue;
        if (!options->json)
            printf("%s== %d of %d: %s ==\n", done > 0 ? "\n" : "", done + 1, count, e->name);
        fflush(stdout);
        double begin = run_seconds();
        code = o->code = run_one(args, e, options, all, &o->found);
        o->ran = code <= EXIT_USAGE;
        o->seconds = run_seconds() - begin;
        failed += code != EXIT_DONE;
        ++done;
        if (!options->json)
            printf("%s: %s, %.1f s\n", e->name, code == EXIT_DONE ? "done" : code <= EXIT_USAGE ? "failed" : "stopped", o->seconds);
        if (o->ran && options->out != NULL && !write_index(options, outcomes)) {
            say("scree bench: cannot write %s/index.md\n", options->out);
            return EXIT_FAILED;
        }
    }
    if (code > EXIT_USAGE) {  // Ctrl-C
        say("scree bench: %d of %d were done before\n", done - 1, count);
        return code;
    }
    if (failed > 0)
        say("scree bench: %d of %d failed\n", failed, count);
    else if (!options->json && options->out != NULL)
        printf("written: %s/index.md\n", options->out);
    return failed > 0 ? EXIT_FAILED : EXIT_DONE;
}

static void list_benches(const common* co)
{
    result res = result_begin("bench");
    result_table_begin(&res, "available", 2, (const char* const[]){"bench", "about", NULL});
    for (int b = 0; bench_list[b] != NULL; ++b)
        result_table_row(&res, (const char* const[]){bench_list[b]->name, bench_list[b]->about}, NULL);
    result_table_row(&res, (const char* const[]){"all", "muth-, ogarko- and raschdorf- ones, cells, nbs, few-large, williams, sequential, spiral, chips, needles, methods: all that redraw a paper"}, NULL);
    result_print(&res, co->json);
    result_free(&res);
}

static exit_code run_named(const arguments* args, result* all)
{
    static common co;
    bench_options options;
    if (!common_options_of(args, &co) || !options_of(args, &co, &options))
        return EXIT_USAGE;
    shared = &co;
    bench_use(&lent);
    if (args->file_count == 0) {
        list_benches(&co);
        return EXIT_DONE;
    }
    if (args->file_count == 1 && strcmp(args->files[0], "all") == 0) {
        exit_code code = file_names_check(args, &co);
        return code == EXIT_DONE ? run_all(args, &options, all) : code;
    }
    for (int n = 0; n < args->file_count; ++n) {
        const experiment* e = find(args->files[n]);
        if (e == NULL) {
            const char* near = closest_spelling(args->files[n], bench_name, bench_count());
            bool among = strcmp(args->files[n], "all") == 0;
            say("scree bench: unknown benchmark '%s'%s%s; 'scree bench' lists them\n", args->files[n],
                among ? " among others: all stands alone" : near != NULL ? "; did you mean " : "", !among && near != NULL ? near : "");
            return EXIT_USAGE;
        }
        if (!options_fit(args, e))
            return EXIT_USAGE;
    }
    exit_code code = file_names_check(args, &co);
    findings_summary summary;
    for (int n = 0; n < args->file_count && code == EXIT_DONE; ++n)
        code = run_one(args, find(args->files[n]), &options, all, &summary);
    return code;
}

static exit_code run(const arguments* args)
{
    result all = {0};
    exit_code code = run_named(args, &all);
    if (all.count > 0)
        result_print(&all, true);
    result_free(&all);
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
    {"DIR/NAME.csv, DIR/NAME-....csv", "the rows; of some benchmarks several tables, of all the verdicts"},
    {"DIR/NAME.svg, DIR/NAME-....svg, DIR/NAME.png, DIR/NAME-....png", "the figures"},
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
    .example = "  scree bench ogarko-levels --quick -o figures\n"
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
