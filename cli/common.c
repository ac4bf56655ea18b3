#include "common.h"

#include "frames.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char* format_name_at(int f)
{
    return f == 0 ? "auto" : scree_format_name((scree_format)f);
}

const char* device_name_at(int d)
{
    return scree_device_name(d);
}

const char* method_name_at(int m)
{
    return scree_method_name((scree_method)m);
}

const char* axes_at(int a)
{
    static const char* const axes[] = {"xyz", "xy", "x", "y", "z", "none", NULL};
    return axes[a];
}

const char* dimension_at(int d)
{
    static const char* const dimensions[] = {"2", "3", NULL};
    return dimensions[d];
}

const char* container_name_at(int c)
{
    return scree_container_name(c);
}

const char* distribution_at(int d)
{
    static const char* const names[] = {"mono:",      "bidisperse:", "uniform-size:",  "uniform-volume:", "power:",
                                       "lognormal:", "fuller:",     "rosin-rammler:", "table:",          NULL};
    return names[d];
}

bool common_options_of(const arguments* args, common* out)
{
    int64_t threads = 0, seed = 1;
    int format = SCREE_FORMAT_AUTO;
    if (!option_integer(args, "threads", 0, 4096, &threads) || !option_integer(args, "seed", 0, INT64_MAX, &seed) ||
        !option_choice(args, "format", format_name_at, &format))
        return false;
    *out = (common){.json = option_given(args, "json"),
                    .quiet = option_given(args, "quiet"),
                    .validate = option_exists(args, "validate") && option_given(args, "validate"),
                    .threads = (int32_t)threads,
                    .seed = (uint64_t)seed,
                    .out = option_text(args, "out"),
                    .format = (scree_format)format};
    return true;
}

char* read_whole_file(const char* path)
{
    FILE* file = fopen(path, "rb");
    struct stat what;
    char* text = NULL;
    if (file == NULL)
        return NULL;
    if (fstat(fileno(file), &what) == 0 && S_ISREG(what.st_mode) && (text = scree_malloc((size_t)what.st_size + 1, 1)) != NULL) {
        const size_t got = fread(text, 1, (size_t)what.st_size, file);
        text[got] = '\0';
        if (got < (size_t)what.st_size) {
            scree_free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

scree_file_options file_options(const common* co, const char* path, const char* label)
{
    scree_file_options options = scree_default_file_options();
    if (scree_format_of_path(path) == SCREE_FORMAT_AUTO)
        options.format = (int32_t)co->format;
    options.watch = run_watch(label, co->quiet);
    return options;
}

bool file_keeps(const common* co, const char* path, const scree_sphere_set* set, int32_t c)
{
    scree_format format = scree_format_of_path(path) == SCREE_FORMAT_AUTO ? co->format : scree_format_of_path(path);
    struct stat about;
    bool has_file_beside = strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
    return scree_format_keeps(format, set, c) && (c >= 0 || format != SCREE_FORMAT_NPY || has_file_beside);
}

scree_status check_format(const common* co, const char* path)
{
    bool pieces = name_ends_in(path, ".pvtp");  // the list of a frame in pieces: VTP, by its contents
    if (scree_format_of_path(path) != SCREE_FORMAT_AUTO || co->format != SCREE_FORMAT_AUTO || pieces)
        return SCREE_OK;
    bool piped = strcmp(path, "-") == 0;
    return scree_fail(SCREE_ERR_ARGUMENT, "%s: %s; expected --format (csv, vtp, xyz, lammps or npy)", piped ? "standard input" : path,
                      piped ? "it has no extension" : "the name has no extension of a known format");
}

scree_status read_set(const common* co, const char* path, scree_sphere_set* out)
{
    scree_status known = check_format(co, path);
    if (known != SCREE_OK)
        return known;
    scree_file_options options = file_options(co, path, "reading");
    int64_t polygons = 0;
    options.left_out = &polygons;
    scree_status status = scree_read_spheres(path, &options, out);
    run_watch_end();
    if (status == SCREE_OK && polygons > 0 && !co->quiet)
        say("note: %s holds %" PRId64 " polygon%s and discs; only the discs are read\n", path, polygons, polygons == 1 ? "" : "s");
    return status;
}

void note_if_empty(const common* co, const char* path, const scree_sphere_set* set)
{
    if (set->count == 0 && !co->quiet)
        say("note: %s has no spheres\n", strcmp(path, "-") == 0 ? "standard input" : path);
}

void close_open_sides(scree_sphere_set* set)
{
    scree_box bounds = scree_spheres_bounds(scree_sphere_set_view(set));
    for (int k = 0; k < set->dim; ++k) {
        if (isinf(set->box.lower[k]))
            set->box.lower[k] = bounds.lower[k];
        if (isinf(set->box.upper[k]))
            set->box.upper[k] = bounds.upper[k];
    }
}

static exit_code apply_box(const arguments* args, box_need need, scree_sphere_set* set)
{
    double size[3];
    int count;
    if (!option_numbers(args, "box", 3, size, &count))
        return EXIT_USAGE;
    if (count == 0) {
        const char* axes = option_text(args, "periodic");
        bool periodic = axes != NULL && strcmp(axes, "none") != 0;
        if (set->has_box && need == BOX_WITH_VOLUME)
            close_open_sides(set);
        if (set->has_box)
            return EXIT_DONE;
        set->has_box = true;
        set->box = scree_box_open(set->dim);
        if (need == BOX_WITH_VOLUME || periodic)
            set->box = scree_spheres_bounds(scree_sphere_set_view(set));
        if (set->count == 0 && periodic)  // any box will do
            set->box = scree_box_sized(set->dim, (double[3]){1.0, 1.0, 1.0});
        return EXIT_DONE;
    }
    if (count != set->dim) {
        say("scree %s: --box gives %d lengths, but '%s' holds %dD data; expected %s\n", args->what->name,
            count, args->files[0], (int)set->dim, set->dim == 2 ? "--box LX,LY" : "--box LX,LY,LZ");
        return EXIT_USAGE;
    }
    for (int k = 0; k < count; ++k)
        if (!(size[k] > 0.0)) {
            say("scree %s: --box expects lengths above 0, got %g on axis %c\n", args->what->name, size[k],
                "xyz"[k]);
            return EXIT_USAGE;
        }
    scree_box box = scree_box_sized(set->dim, size);
    memcpy(box.periodic, set->box.periodic, sizeof box.periodic);
    set->box = box;
    set->container = SCREE_CONTAINER_BOX;  // of the file's box, not of this one
    set->has_box = true;
    return scree_box_check(&box) == SCREE_OK ? EXIT_DONE : run_misused(args);
}

static exit_code apply_periodic(const arguments* args, scree_sphere_set* set)
{
    const char* axes = option_text(args, "periodic");
    if (axes == NULL)
        return EXIT_DONE;
    memset(set->box.periodic, 0, sizeof set->box.periodic);
    if (strcmp(axes, "none") == 0)
        return EXIT_DONE;
    bool known = *axes != '\0';
    for (const char* a = axes; *a != '\0'; ++a)
        known = known && strchr("xyz", *a) != NULL;
    if (!known) {
        say("scree %s: --periodic expects letters of axes (xyz, xy, z, or none), got '%s'\n",
            args->what->name, axes);
        return EXIT_USAGE;
    }
    if (set->dim == 2 && strchr(axes, 'z') != NULL) {
        say("scree %s: --periodic %s: '%s' holds 2D data; expected x, y, xy or none\n", args->what->name, axes,
            args->files[0]);
        return EXIT_USAGE;
    }
    for (int k = 0; k < set->dim; ++k)
        set->box.periodic[k] = strchr(axes, "xyz"[k]) != NULL;
    // Bounds that were taken for want of a box may be flat, and then cannot repeat.
    for (int k = 0; k < set->dim && !option_given(args, "box"); ++k)
        if (set->box.periodic[k] && !(set->box.upper[k] > set->box.lower[k])) {
            say("scree %s: all spheres of '%s' lie at %c = %g, which gives no length of this periodic axis; "
                        "give it with --box\n",
                args->what->name, args->files[0], "xyz"[k], set->box.lower[k]);
            return EXIT_USAGE;
        }
    return EXIT_DONE;
}

exit_code settle_box(const arguments* args, const common* co, box_need need, scree_sphere_set* set)
{
    exit_code code = apply_box(args, need, set);
    if (code == EXIT_DONE)
        code = apply_periodic(args, set);
    if (code != EXIT_DONE)
        return code;
    scree_status status = scree_sphere_set_check_box(set);
    if (status == SCREE_OK)
        status = scree_spheres_check(scree_sphere_set_view(set), &set->box);
    if (status != SCREE_OK)
        return run_failed(args, status);
    int64_t outside = 0;
    for (int64_t i = 0; i < set->count; ++i) {
        bool out = false;
        for (int k = 0; k < set->dim; ++k) {
            double x = set->x[i * set->dim + k];
            out = out || (set->box.periodic[k] && !(x >= set->box.lower[k] && x < set->box.upper[k]));
        }
        outside += out;
    }
    if (outside > 0 && !co->quiet)
        say("note: %" PRId64 " centres lie outside the periodic box; their images inside are used\n", outside);
    return EXIT_DONE;
}

void wrap_centres(scree_sphere_set* set)
{
    for (int64_t i = 0; i < set->count; ++i)
        scree_box_wrap_centre(&set->box, set->x + i * set->dim, NULL);
}

bool option_picture_size(const arguments* args, scree_picture_def* def)
{
    const char* text = option_text(args, "size");
    if (text == NULL)
        return true;
    char* end;
    long sides[2] = {strtol(text, &end, 10), 0};
    if (end != text && *end == 'x') {
        const char* second = end + 1;
        sides[1] = strtol(second, &end, 10);
        if (end == second)
            sides[1] = 0;
    }
    if (*end != '\0' || sides[0] < SCREE_PICTURE_SIDE_MIN || sides[1] < SCREE_PICTURE_SIDE_MIN ||
        sides[0] > SCREE_PICTURE_SIDE_MAX || sides[1] > SCREE_PICTURE_SIDE_MAX) {
        say("scree %s: --size expects WIDTHxHEIGHT in pixels, each %d to %d, got '%s'\n",
            args->what->name, SCREE_PICTURE_SIDE_MIN, SCREE_PICTURE_SIDE_MAX, text);
        return false;
    }
    def->width = (int32_t)sides[0];
    def->height = (int32_t)sides[1];
    return true;
}

bool is_picture_target(const arguments* args, const char* path)
{
    size_t length = strlen(path);
    bool png = length > 4 && path[length - 4] == '.' && (path[length - 3] | 32) == 'p' && (path[length - 2] | 32) == 'n' &&
               (path[length - 1] | 32) == 'g';
    if (png || strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0)
        return true;
    say("scree %s: expected a picture name that ends in .png, got '%s'\n", args->what->name, path);
    return false;
}
