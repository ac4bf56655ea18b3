// scree convert: a file of spheres into another one.
#include "commands.h"
#include "common.h"

#include <stdio.h>

static exit_code run(const arguments* args)
{
    common co;
    if (!common_options_of(args, &co))
        return EXIT_USAGE;
    const char* target = args->file_count > 1 ? args->files[1] : co.out;
    if (target == NULL || (args->file_count > 1 && co.out != NULL)) {
        fprintf(stderr, "scree convert: exactly one target is needed: scree convert IN OUT\n");
        return EXIT_USAGE;
    }
    scree_sphere_set set;
    scree_status status = read_set(&co, args->files[0], &set);
    if (status != SCREE_OK)
        return run_failed(args, status);
    scree_file_options options = file_options(&co, target, "writing");
    status = scree_write_spheres(target, &options, &set);
    run_watch_end();
    if (status == SCREE_OK && co.json) {
        report rep = report_begin(true);
        report_integer(&rep, "n", set.count);
        report_integer(&rep, "dim", set.dim);
        report_integer(&rep, "columns", set.column_count);
        report_text(&rep, "out", target);
        report_end(&rep);
    } else if (status == SCREE_OK && !co.quiet) {
        fprintf(stderr, "%d spheres in %dD written to %s\n", (int)set.count, (int)set.dim, target);
    }
    scree_sphere_set_free(&set);
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}

static const option options[] = {{0}};

const command cmd_convert = {
    .name = "convert",
    .usage = "IN OUT",
    .about = "reads spheres from one file and writes them to another",
    .details = "The formats are told by the extensions, or by --format. Further columns are kept.",
    .example = "  scree convert spheres.csv copy.csv",
    .least_files = 1,
    .most_files = 2,
    .options = options,
    .run = run,
};
