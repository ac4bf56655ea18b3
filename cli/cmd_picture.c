// scree picture: spheres, discs and polygons to a PNG.
#include "commands.h"
#include "common.h"
#include "file_names.h"
#include "frames.h"
#include "picture_options.h"

#include <string.h>

static exit_code run(const arguments* args)
{
    common co;
    scree_picture_def def = scree_default_picture_def();
    int64_t frame = -1;
    if (!common_options_of(args, &co) || !picture_options_of(args, &co, &def) || !option_integer(args, "frame", 0, INT64_MAX, &frame))
        return EXIT_USAGE;
    if (frame >= 0 && !is_folder(args->files[0]) && !name_ends_in(args->files[0], ".pvd")) {
        say("scree picture: --frame expects the folder of a run or a list of frames (.pvd), got '%s'\n", args->files[0]);
        return EXIT_USAGE;
    }
    if (option_given(args, "contacts") && !option_given(args, "forces")) {
        say("scree picture: --contacts needs --forces\n");
        return EXIT_USAGE;
    }
    if (co.out == NULL) {
        say("scree picture: -o is missing: scree picture %s -o P.png\n", args->files[0]);
        return EXIT_USAGE;
    }
    if (!is_picture_target(args, co.out))
        return EXIT_USAGE;
    if (co.json && strcmp(co.out, "-") == 0) {
        say("scree picture: only one of --json and -o - can use standard output; give -o a file\n");
        return EXIT_USAGE;
    }
    exit_code code = file_names_check(args, &co);
    if (code != EXIT_DONE)
        return code;
    const char* in = args->files[0];
    char path[4096];
    if (is_folder(in) || name_ends_in(in, ".pvd")) {
        code = frame_choose(args, in, &frame, path, sizeof path);
        if (code != EXIT_DONE)
            return code;
        in = path;
    }
    scree_outline_set set;
    scree_rods forces = {0};
    code = frame_read(args, &co, in, picture_box_need(&def), run_watch("reading", co.quiet), &set);
    if (code != EXIT_DONE)
        return code;
    if (option_given(args, "forces")) {
        code = frame_forces(args, in, run_watch("reading", co.quiet), &set, &forces);
        def.rods = &forces;
    }
    scree_triangles surfaces = {0};
    if (code == EXIT_DONE && set.first == NULL)
        code = frame_surfaces(args, in, run_watch("reading", co.quiet), &surfaces);
    scree_veil veil = frame_veil(&surfaces);
    if (veil.count > 0)
        def.triangles = &veil;
    if (code == EXIT_DONE) {
        def.watch = run_watch("drawing", co.quiet);
        scree_status status = set.first != NULL ? scree_write_picture_outlines(co.out, &set, &def) : scree_write_picture(co.out, &set.bodies, &def);
        run_watch_end();
        if (status != SCREE_OK) {  // the set itself has been checked, so what the library rejects is an option
            code = status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
        } else if (co.json) {
            result res = result_begin("picture");
            result_integer(&res, "n", set.bodies.count);
            result_integer(&res, "dim", set.bodies.dim);
            result_integer(&res, "width", def.width);
            result_integer(&res, "height", def.height);
            result_text(&res, "out", co.out);
            result_print(&res, true);
            result_free(&res);
        } else if (!co.quiet) {
            say("%d %s in %dD drawn to %s\n", (int)set.bodies.count, set.first != NULL ? "bodies" : "spheres", (int)set.bodies.dim, co.out);
        }
    }
    scree_outline_set_free(&set);
    scree_rods_free(&forces);
    scree_triangles_free(&surfaces);
    return code;
}

static const option options[] = {
    PICTURE_OPTIONS("size in pixels (default 2000x1500)"),
    {"frame", 0, "N", "of a run: frame N, from 0 (default: the last one)"},
    {"contacts", 0, "FILE", "with --forces: contacts with forces (default: of the frame IN of a run)"},
    {"out", 'o', "P.png", "write the picture there; - is standard output"},
    {0},
};

static const rejected_option rejected[] = {{"seed", "nothing is random here"}, {0}};

static const file_use uses[] = {{READS_FILE_OR_FOLDER, NULL, NULL}, {READS_FILE, "contacts", NULL}, {WRITES_FILE, "out", NULL}, {0}};

static const old_spelling old[] = {PICTURE_OLD, {0}};

static const choice choices[] = {PICTURE_CHOICES, {0}};

const command cmd_picture = {
    .name = "picture",
    .usage = "IN -o P.png [--size WxH] [--view x|y|z|-x|-y|-z|AZ,EL] [--colour-by NAME] [--cut AXIS:POS] [...]",
    .about = "draws spheres, discs or polygons",
    .details = "IN is a file of spheres, discs or polygons, the folder of a run, or a list of frames (.pvd). The picture has the same pixels for every number of threads. "
               "Spheres whose value is not a number are grey. Polygons of a VTP file are filled, fixed bodies grey. With "
               "--forces the spheres are translucent and, without --colour-by, grey.",
    .example = "  scree demo -o spheres.csv\n  scree picture spheres.csv -o spheres.png --cut y:100 --background dark",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .old = old,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
