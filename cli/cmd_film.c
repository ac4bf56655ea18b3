// scree film: the frames of a run as a film. The frames are read twice: first for the extent and the range of colours of all, then to be drawn.
#include "commands.h"
#include "common.h"
#include "file_names.h"
#include "frames.h"
#include "picture_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct film_wish {
    const arguments* args;
    common co;
    scree_picture_def look;
    scree_film_def film;
    scree_frame_times list;   // the chosen ones
    bool forces, follow, time;
    char out[4096];
    int64_t bodies;          // of the last frame
    int32_t dim;
    scree_triangles surfaces;  // of the frame that is drawn,
    scree_veil veil;           // as they are seen
    // Progress over all frames.
    scree_watch watch;
    int64_t frame;
} film_wish;

static bool tick(void* context, double done)
{
    const film_wish* w = context;
    return w->watch.tick(w->watch.context, ((double)w->frame + done) / (double)w->list.count);
}

// Asks only whether to go on, for parts of a frame that are not measured.
static bool tick_only(void* context, double done)
{
    (void)done;
    return tick(context, 0.0);
}

static scree_watch watch_of(film_wish* w, bool measured)
{
    return (scree_watch){.tick = measured ? tick : tick_only, .context = w};
}

// Frames from --from to --to, every --every-th of them, to the front of the list.
static exit_code choose_frames(film_wish* w)
{
    double from = -INFINITY, to = INFINITY, earliest = INFINITY, latest = -INFINITY;
    int64_t every = 1, count = 0, seen = 0;
    const arguments* args = w->args;
    if (!option_number(args, "from", &from) || !option_number(args, "to", &to) || !option_integer(args, "every", 1, INT32_MAX, &every))
        return EXIT_USAGE;
    bool timed = option_given(args, "from") || option_given(args, "to");
    for (int64_t f = 0; f < w->list.count; ++f) {
        double time = w->list.times[f];
        earliest = fmin(earliest, time);
        latest = fmax(latest, time);
        if ((timed || w->time) && isnan(time)) {
            say("scree film: '%s' has no time, which %s needs; frames have times if the run wrote VTP (frames.pvd)\n", w->list.files[f],
                option_given(args, "from") ? "--from" : option_given(args, "to") ? "--to" : "--show-time");
            return EXIT_USAGE;
        }
        double slack = 1e-9 * fmax(fabs(time), fabs(isfinite(to) ? to : from));  // times are steps times their length
        if (timed && (time < from - slack || time > to + slack))
            continue;
        if (seen++ % every != 0)
            continue;
        char* file = w->list.files[f];
        w->list.files[f] = w->list.files[count];
        w->list.files[count] = file;
        w->list.times[count++] = time;
    }
    if (count == 0) {
        if (from > to)
            say("scree film: --from %g is after --to %g; expected the earlier time first\n", from, to);
        else
            say("scree film: no frame lies between the times %g and %g; the %d frames are from %g to %g\n", from, to, (int)w->list.count, earliest, latest);
        return EXIT_USAGE;
    }
    for (int64_t f = count; f < w->list.count; ++f)
        scree_free(w->list.files[f]);
    w->list.count = count;
    return EXIT_DONE;
}

static exit_code read_frame(film_wish* w, scree_outline_set* set, scree_rods* forces)
{
    const char* path = w->list.files[w->frame];
    *forces = (scree_rods){0};
    exit_code code = frame_read(w->args, &w->co, path, picture_box_need(&w->look), watch_of(w, false), set);
    if (code != EXIT_DONE)
        return code;
    if (w->forces)
        code = frame_forces(w->args, path, watch_of(w, false), set, forces);
    w->look.rods = w->forces ? forces : NULL;
    scree_triangles_free(&w->surfaces);
    if (code == EXIT_DONE && set->first == NULL)
        code = frame_surfaces(w->args, path, watch_of(w, false), &w->surfaces);
    w->veil = frame_veil(&w->surfaces);
    w->look.triangles = w->veil.count > 0 ? &w->veil : NULL;
    if (code != EXIT_DONE)
        scree_outline_set_free(set);
    w->bodies = set->bodies.count;
    w->dim = set->bodies.dim;
    return code;
}

static exit_code reject(const film_wish* w, scree_status status)
{
    return status == SCREE_ERR_ARGUMENT ? run_misused(w->args) : run_failed(w->args, status);
}

// The first way through the frames.
static exit_code measure_all(film_wish* w)
{
    scree_film_extent extent = {0};
    w->watch = run_watch("reading", w->co.quiet);
    for (w->frame = 0; w->frame < w->list.count; ++w->frame) {
        scree_outline_set set;
        scree_rods forces;
        exit_code code = read_frame(w, &set, &forces);
        if (code != EXIT_DONE)
            return code;
        scree_status status = scree_film_measure(&set, &w->look, &extent);
        scree_outline_set_free(&set);
        scree_rods_free(&forces);
        if (status != SCREE_OK)
            return reject(w, status);
    }
    run_watch_end();
    for (int k = 0; k < w->dim; ++k)
        if (extent.view[k][0] < extent.view[k][1])
            memcpy(w->look.view[k], extent.view[k], sizeof extent.view[k]);
    memcpy(w->look.range, extent.range, sizeof extent.range);
    memcpy(w->look.rods_range, extent.rods_range, sizeof extent.rods_range);
    return EXIT_DONE;
}

static exit_code draw_frame(film_wish* w, scree_film* film, uint8_t* rgba)
{
    scree_outline_set set;
    scree_rods forces;
    char caption[64], number[32];
    exit_code code = read_frame(w, &set, &forces);
    if (code != EXIT_DONE)
        return code;
    snprintf(number, sizeof number, "%.6g", w->list.times[w->frame]);
    snprintf(caption, sizeof caption, "t = %s", number);
    w->look.caption = w->time ? caption : NULL;
    w->look.watch = watch_of(w, true);
    scree_status status = set.first != NULL ? scree_picture_render_outlines(&set, &w->look, rgba) : scree_picture_render(&set.bodies, &w->look, rgba);
    scree_outline_set_free(&set);
    scree_rods_free(&forces);
    if (status != SCREE_OK)
        return reject(w, status);
    status = scree_film_add(film, rgba);
    return status == SCREE_OK ? EXIT_DONE : run_failed(w->args, status);
}

static scree_status begin_film(film_wish* w, scree_film** film)
{
    w->film.width = w->look.width;
    w->film.height = w->look.height;
    w->film.frames = w->list.count;
    w->film.alpha = w->look.background == SCREE_BACKGROUND_NONE;
    w->film.watch = watch_of(w, false);
    return scree_film_begin(w->out, &w->film, film);
}

static exit_code draw_all(film_wish* w)
{
    scree_film* film;
    uint8_t* rgba = scree_malloc((size_t)w->look.width * (size_t)w->look.height, 4);
    if (rgba == NULL)
        return run_failed(w->args, SCREE_ERR_MEMORY);
    w->watch = run_watch("drawing", w->co.quiet);
    w->frame = 0;
    scree_status status = begin_film(w, &film);
    exit_code code = status == SCREE_OK ? EXIT_DONE : reject(w, status);
    for (; w->frame < w->list.count && code == EXIT_DONE; ++w->frame)
        code = draw_frame(w, film, rgba);
    if (status == SCREE_OK) {
        w->frame = w->list.count;
        status = scree_film_end(film, code == EXIT_DONE ? SCREE_OK : SCREE_ERR_CANCELLED);
        if (code == EXIT_DONE && status != SCREE_OK)
            code = run_failed(w->args, status);
    }
    scree_free(rgba);
    run_watch_end();
    return code;
}

static bool read_wish(film_wish* w)
{
    const arguments* args = w->args;
    w->look.width = w->film.width;
    w->look.height = w->film.height;
    if (!common_options_of(args, &w->co) || !picture_options_of(args, &w->co, &w->look) || !option_number(args, "fps", &w->film.fps))
        return false;
    if (w->co.out == NULL) {
        say("scree film: -o is missing: scree film %s -o film.mp4\n", args->files[0]);
        return false;
    }
    if ((size_t)snprintf(w->out, sizeof w->out, "%s", w->co.out) >= sizeof w->out) {
        say("scree film: '%.200s...': the name is too long\n", w->co.out);
        return false;
    }
    if (scree_film_kind_of_path(w->out) == SCREE_FILM_UNKNOWN) {
        say("scree film: -o expects a name that ends in .mp4, .mkv, .mov or .webm (videos), .png (an animated PNG) or / (a folder of pictures), got '%s'\n", w->out);
        return false;
    }
    if (w->co.json && strcmp(w->out, "-") == 0) {
        say("scree film: only one of --json and -o - can use standard output; give -o a file\n");
        return false;
    }
    w->forces = option_given(args, "forces");
    w->follow = option_given(args, "follow");
    w->time = option_given(args, "show-time");
    return true;
}

static exit_code run(const arguments* args)
{
    film_wish w = {.args = args, .look = scree_default_picture_def(), .film = scree_default_film_def()};
    if (!read_wish(&w))
        return EXIT_USAGE;
    exit_code code = file_names_check(args, &w.co);
    if (code != EXIT_DONE)
        return code;
    if (scree_film_kind_of_path(w.out) == SCREE_FILM_VIDEO && !scree_film_has_ffmpeg())
        return run_failed(args, scree_fail(SCREE_ERR_UNSUPPORTED, "%s: ffmpeg, which makes videos, is not installed; expected a name that ends in .png (an animated PNG) or / (a folder of pictures)", w.out));
    scree_status status = frames_list(args->files[0], &w.list);
    if (status != SCREE_OK)
        return run_failed(args, status);
    code = choose_frames(&w);
    if (code == EXIT_DONE && !w.follow)
        code = measure_all(&w);
    if (code == EXIT_DONE)
        code = draw_all(&w);
    int64_t frames = w.list.count;
    scree_frame_times_free(&w.list);
    scree_triangles_free(&w.surfaces);
    if (code != EXIT_DONE)
        return code;
    if (w.co.json) {
        result res = result_begin("film");
        result_integer(&res, "n", w.bodies);
        result_integer(&res, "dim", w.dim);
        result_integer(&res, "frames", frames);
        result_integer(&res, "width", w.film.width);
        result_integer(&res, "height", w.film.height);
        result_number(&res, "fps", w.film.fps);
        result_text(&res, "out", w.out);
        result_print(&res, true);
        result_free(&res);
    } else if (!w.co.quiet) {
        say("%d frames, %.3g s: %s\n", (int)frames, (double)frames / w.film.fps, w.out);
    }
    return EXIT_DONE;
}

static const option options[] = {
    {"every", 0, "K", "take every K-th frame (default 1)"},
    {"from", 0, "T", "first time of the simulation"},
    {"to", 0, "T", "last time of the simulation"},
    {"fps", 0, "N", "frames per second (default 25)"},
    {"follow", 0, NULL, "fit camera and colour range to each frame (default: to all frames)"},
    {"show-time", 0, NULL, "show the time of the simulation at the upper left"},
    PICTURE_OPTIONS("size in pixels (default 1280x960)"),
    {"out", 'o', "FILE", "write the film there: a video, an animated PNG, or a folder of pictures for a name that ends in /"},
    {0},
};

static const rejected_option rejected[] = {{"seed", "nothing is random here"}, {0}};

static const file_use uses[] = {{READS_FILE_OR_FOLDER, NULL, NULL}, {WRITES_FILE, "out", NULL}, {0}};

static const old_spelling old[] = {PICTURE_OLD, {"time", "show-time"}, {0}};

static const choice choices[] = {PICTURE_CHOICES, {0}};

const command cmd_film = {
    .name = "film",
    .usage = "DIR -o film.mp4|film.png|folder/ [--every K] [--fps N] [--from T] [--to T] [--forces] [...]",
    .about = "makes a film of a run",
    .details = "DIR is the folder of a run, or a list of frames (.pvd). Videos (.mp4, .mkv, .mov, .webm) need ffmpeg. For .png the film is an animated PNG, for a name "
               "that ends in / it is a folder of numbered pictures. The target appears when it is complete.",
    .example = "  scree run examples/drop.yaml -o drop\n  scree film drop -o drop.png --size 640x480 --colour-by speed",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .old = old,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
