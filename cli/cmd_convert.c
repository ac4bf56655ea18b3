// scree convert: a file of spheres into another one.
#include "commands.h"
#include "common.h"
#include "file_names.h"

#include <stdio.h>
#include <string.h>

// What the format of the target cannot hold, as "the box, column 'mass'"; "" if there is nothing. Many are cut to a count.
static void find_left_out(const common* co, const scree_sphere_set* set, const char* target, char text[512])
{
    size_t used = 0;
    int32_t more = 0;
    text[0] = '\0';
    for (int32_t c = -1; c < set->column_count; ++c) {
        if ((c < 0 && !set->has_box) || file_keeps(co, target, set, c))
            continue;
        const char* name = c < 0 ? "" : set->columns[c].name;
        if (used + strlen(name) + 40 > 480) {
            ++more;
            continue;
        }
        bool round = c < 0 && set->container != SCREE_CONTAINER_BOX;
        used += (size_t)snprintf(text + used, 512 - used, "%s%s%s%s", used > 0 ? ", " : "", round ? "the box with its container, a " : c < 0 ? "the box" : "column '",
                                 round ? scree_container_name(set->container) : name, c < 0 ? "" : "'");
    }
    if (more > 0)
        snprintf(text + used, 512 - used, "%s%d more", used > 0 ? " and " : "", (int)more);
}

static exit_code run(const arguments* args)
{
    common co;
    if (!common_options_of(args, &co))
        return EXIT_USAGE;
    const char* target = args->file_count > 1 ? args->files[1] : co.out;
    if (target == NULL || (args->file_count > 1 && co.out != NULL)) {
        say("scree convert: expected one target file: scree convert IN OUT\n");
        return EXIT_USAGE;
    }
    if (co.format == SCREE_FORMAT_AUTO && scree_format_of_path(target) == SCREE_FORMAT_AUTO) {
        size_t length = strlen(target);
        bool pvd = length > 4 && strcmp(target + length - 4, ".pvd") == 0;
        say("scree convert: '%s': %s (known: csv, vtp, xyz, lammps, npy)\n", target,
            pvd ? "a .pvd file lists the frames of a run and holds no spheres; write a .vtp file"
                : "no extension of a known format; give --format");
        return EXIT_USAGE;
    }
    if (co.json && strcmp(target, "-") == 0) {
        say("scree convert: only one of --json and the target - can use standard output\n");
        return EXIT_USAGE;
    }
    exit_code code = file_names_check(args, &co);
    if (code != EXIT_DONE)
        return code;
    scree_sphere_set set;
    scree_status status = read_set(&co, args->files[0], &set);
    if (status != SCREE_OK)
        return run_failed(args, status);
    scree_file_options options = file_options(&co, target, "writing");
    status = scree_write_spheres(target, &options, &set);
    run_watch_end();
    char left_out[512] = "";
    if (status == SCREE_OK)
        find_left_out(&co, &set, target, left_out);
    if (left_out[0] != '\0' && !co.quiet)
        say("note: the format of %s does not store %s; left out\n", target, left_out);
    if (status == SCREE_OK && co.json) {
        result res = result_begin("convert");
        result_integer(&res, "n", set.count);
        result_integer(&res, "dim", set.dim);
        result_integer(&res, "columns", set.column_count);
        result_text(&res, "left_out", left_out);
        result_text(&res, "out", target);
        result_print(&res, true);
        result_free(&res);
    } else if (status == SCREE_OK && !co.quiet) {
        say("%d spheres in %dD written to %s\n", (int)set.count, (int)set.dim, target);
    }
    scree_sphere_set_free(&set);
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}

static const option options[] = {{0}};

static const rejected_option rejected[] = {{"seed", "nothing is random here"}, {0}};

static const file_use uses[] = {{READS_FILE, NULL, NULL}, {WRITES_FILE, NULL, NULL}, {WRITES_FILE, "out", NULL}, {0}};

const command cmd_convert = {
    .name = "convert",
    .usage = "IN OUT",
    .about = "reads spheres from one file and writes them to another",
    .details = "The extensions set the formats, or --format does. Further columns are kept if the target format can store them; a note lists the columns that are left out.",
    .example = "  scree convert spheres.csv copy.csv",
    .least_files = 1,
    .most_files = 2,
    .options = options,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
