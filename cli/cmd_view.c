// scree view: a page for the browser with a packing, or with the frames of a run.
#include "commands.h"
#include "common.h"
#include "file_names.h"
#include "frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* map_name_at(int m)
{
    return scree_colour_map_name((scree_colour_map)m);
}

static const char* background_name_at(int b)
{
    static const char* const names[] = {"auto", "light", "dark"};
    return b < SCREE_VIEW_BACKGROUND_COUNT ? names[b] : NULL;
}

// A name for the page: that of the file or folder, without the way to it.
static void name_of(const char* path, char name[256])
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        --end;
    size_t from = end;
    while (from > 0 && path[from - 1] != '/')
        --from;
    snprintf(name, 256, "%.*s", (int)(end - from < 200 ? end - from : 200), path + from);
    if (strcmp(name, "-") == 0 || strcmp(name, ".") == 0 || name[0] == '\0')
        snprintf(name, 256, "scree");
}

typedef struct tally {
    int64_t frames, bodies;
    int32_t dim;
    bool polygons;  // in the last frame
} tally;

static exit_code add_frames(const arguments* args, const common* co, const scree_frame_times* list, int64_t every, scree_view* view, tally* sum)
{
    for (int64_t f = 0; f < list->count; f += every) {
        scree_outline_set set;
        scree_rods forces = {0};
        scree_triangles surfaces = {0};
        exit_code code = frame_read(args, co, list->files[f], BOX_WITH_VOLUME, run_watch("reading", co->quiet), &set);
        if (code == EXIT_DONE && option_given(args, "forces"))
            code = frame_forces(args, list->files[f], run_watch("reading", co->quiet), &set, &forces);
        if (code == EXIT_DONE && set.first == NULL)
            code = frame_surfaces(args, list->files[f], run_watch("reading", co->quiet), &surfaces);
        if (code == EXIT_DONE) {
            scree_status status = option_given(args, "forces") ? scree_view_next_rods(view, &forces) : SCREE_OK;
            if (status == SCREE_OK)
                status = scree_view_next_triangles(view, &surfaces);
            if (status == SCREE_OK)
                status = scree_view_add_outlines(view, list->times[f], &set);
            run_watch_end();
            if (status != SCREE_OK)
                code = run_failed(args, status);
        }
        ++sum->frames;
        *sum = (tally){.frames = sum->frames, .bodies = set.bodies.count, .dim = set.bodies.dim, .polygons = set.first != NULL};
        scree_outline_set_free(&set);
        scree_rods_free(&forces);
        scree_triangles_free(&surfaces);
        if (code != EXIT_DONE)
            return code;
    }
    return EXIT_DONE;
}

// "1 sphere", "3 bodies".
static const char* noun_of(const tally* sum)
{
    bool one = sum->bodies == 1;
    return sum->polygons ? (one ? "body" : "bodies") : sum->dim == 2 ? (one ? "disc" : "discs") : one ? "sphere" : "spheres";
}

static bool is_page_target(const char* path)
{
    if (name_ends_in(path, ".html") || name_ends_in(path, ".htm") || strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0)
        return true;
    say("scree view: -o expects a name that ends in .html, got '%s'\n", path);
    return false;
}

static exit_code run(const arguments* args)
{
    common co;
    scree_view_def def = scree_default_view_def();
    int map = 0, background = 0;
    int64_t every = 1;
    char title[256];
    if (!common_options_of(args, &co) || !option_number(args, "gap", &def.gap) || !option_choice(args, "map", map_name_at, &map) ||
        !option_choice(args, "background", background_name_at, &background) || !option_integer(args, "every", 1, INT32_MAX, &every))
        return EXIT_USAGE;
    if (co.out == NULL) {
        say("scree view: -o is missing: scree view %s -o page.html\n", args->files[0]);
        return EXIT_USAGE;
    }
    if (!is_page_target(co.out))
        return EXIT_USAGE;
    if (co.json && strcmp(co.out, "-") == 0) {
        say("scree view: only one of --json and -o - can use standard output; give -o a file\n");
        return EXIT_USAGE;
    }
    name_of(args->files[0], title);
    def.title = option_given(args, "title") ? option_text(args, "title") : title;
    def.colour_by = option_text(args, "colour-by");
    def.map = map;
    def.background = background;
    def.threads = co.threads;
    def.watch = run_watch("writing", co.quiet);
    exit_code code = file_names_check(args, &co);
    if (code != EXIT_DONE)
        return code;
    scree_frame_times list = {0};
    scree_view* view = NULL;
    scree_status status = frames_list(args->files[0], &list);
    if (status != SCREE_OK)
        return run_failed(args, status);
    status = list.count == 1 ? frame_check(&co, list.files[0]) : SCREE_OK;
    if (status != SCREE_OK) {
        scree_frame_times_free(&list);
        return run_failed(args, status);
    }
    status = scree_view_begin(co.out, &def, &view);
    if (status != SCREE_OK) {
        scree_frame_times_free(&list);
        return status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
    }
    tally sum = {0};
    code = add_frames(args, &co, &list, every, view, &sum);
    scree_frame_times_free(&list);
    status = scree_view_end(view, code == EXIT_DONE ? SCREE_OK : SCREE_ERR_ARGUMENT);
    run_watch_end();
    if (code != EXIT_DONE)
        return code;
    if (status != SCREE_OK)  // the frames have been taken, so what is rejected now is --colour-by
        return status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
    if (co.json) {
        result res = result_begin("view");
        result_integer(&res, "n", sum.bodies);
        result_integer(&res, "dim", sum.dim);
        result_integer(&res, "frames", sum.frames);
        result_text(&res, "out", co.out);
        result_print(&res, true);
        result_free(&res);
    } else if (!co.quiet) {
        say("%d %s in %dD, %d %s: %s; open it in a browser\n", (int)sum.bodies, noun_of(&sum), (int)sum.dim, (int)sum.frames,
            sum.frames == 1 ? "frame" : "frames", co.out);
    }
    return EXIT_DONE;
}

// Offered by the shells; --colour-by takes any column.
static const char* column_at(int k)
{
    static const char* const names[] = {"radius", "partners", "x", "y", "z", "speed", NULL};
    return names[k];
}

static const option options[] = {
    {"title", 0, "TEXT", "title of the page (default: the name of IN)"},
    {"colour-by", 'c', "NAME", "colour at first by radius (default), partners, x, y, z, speed, area (of polygons) or a column"},
    {"map", 0, "NAME", "colour map: dusk (default), ember, grey"},
    {"background", 0, "KIND", "auto (default: by the settings of the reader), light or dark"},
    {"gap", 'g', "G", "neighbours have a gap below G, surface to surface (default: 1e-3 mean diameters)"},
    {"every", 0, "K", "take every K-th frame of a run (default 1)"},
    {"forces", 0, NULL, "draw force chains: rods between spheres in contact, from the contacts that the run wrote (output.contacts)"},
    PERIODIC_OPTION,
    BOX_OPTION,
    {"out", 'o', "PAGE.html", "write the page there; - is standard output"},
    {0},
};

static const rejected_option rejected[] = {{"seed", "nothing is random here"}, {0}};

static const file_use uses[] = {{READS_FILE_OR_FOLDER, NULL, NULL}, {WRITES_FILE, "out", NULL}, {0}};

static const old_spelling old[] = {{"color-by", "colour-by"}, {0}};

static const choice choices[] = {
    {.option = "map", .names = map_name_at},
    {.option = "background", .names = background_name_at},
    {.option = "colour-by", .names = column_at, .open = true},
    PERIODIC_CHOICE,
    {0},
};

const command cmd_view = {
    .name = "view",
    .usage = "IN -o page.html [--colour-by NAME] [--every K] [--gap G] [...]",
    .about = "makes a page for the browser",
    .details = "IN is a file of spheres, discs or polygons, the folder of a run, or a list of frames (.pvd). The page is one file and needs no network.",
    .example = "  scree demo -o spheres.csv\n  scree view spheres.csv -o spheres.html",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .old = old,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
