// scree picture: spheres, discs and polygons to a PNG.
#include "commands.h"
#include "common.h"

#include "scree/outlines.h"
#include "scree/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(const char* name, const char* wanted, const char* text)
{
    say("scree picture: --%s takes %s, and '%s' is not that\n", name, wanted, text);
    return false;
}

static const char* map_name_at(int m)
{
    return scree_colour_map_name((scree_colour_map)m);
}

static const char* background_name_at(int b)
{
    static const char* const names[] = {"light", "dark", "none"};
    return b < SCREE_BACKGROUND_COUNT ? names[b] : NULL;
}

// x, -y, ... or AZIMUTH,ELEVATION. Views along an axis are orthographic unless --perspective is given.
static bool read_view(const arguments* args, scree_picture_def* def)
{
    const char* text = option_text(args, "view");
    if (option_given(args, "orthographic") && option_given(args, "perspective")) {
        say("scree picture: --orthographic and --perspective cannot both be\n");
        return false;
    }
    if (option_given(args, "orthographic"))
        def->perspective = 0.0;
    if (!option_number(args, "perspective", &def->perspective))
        return false;
    if (text == NULL)
        return true;
    double sign = *text == '-' ? -1.0 : 1.0;
    const char* name = text + (*text == '-' || *text == '+');
    if (strlen(name) == 1 && strchr("xyz", *name) != NULL) {
        def->eye[strchr("xyz", *name) - "xyz"] = sign;
        if (!option_given(args, "perspective"))
            def->perspective = 0.0;
        return true;
    }
    char* end;
    double angle[2];
    angle[0] = strtod(text, &end);
    const char* second = end + (*end == ',');
    if (end == text || *end != ',' || (angle[1] = strtod(second, &end), end == second) || *end != '\0' ||
        !(fabs(angle[0]) <= 36000.0) || !(fabs(angle[1]) <= 90.0))
        return wrong("view", "x, y, z, -x, -y, -z, or AZIMUTH,ELEVATION in degrees (elevation -90 to 90)", text);
    double azimuth = angle[0] * (3.14159265358979323846 / 180.0), elevation = angle[1] * (3.14159265358979323846 / 180.0);
    def->eye[0] = cos(elevation) * cos(azimuth);
    def->eye[1] = cos(elevation) * sin(azimuth);
    def->eye[2] = sin(elevation);
    def->up[0] = -sin(elevation) * cos(azimuth);  // towards larger elevation: also right when seen from straight above
    def->up[1] = -sin(elevation) * sin(azimuth);
    def->up[2] = cos(elevation);
    return true;
}

// MIN:MAX; either may be left out.
static bool read_range(const arguments* args, scree_picture_def* def)
{
    const char* text = option_text(args, "range");
    if (text == NULL)
        return true;
    const char* colon = strchr(text, ':');
    const char* parts[2] = {text, colon != NULL ? colon + 1 : text};
    for (int k = 0; k < 2 && colon != NULL; ++k) {
        char* end;
        double value = strtod(parts[k], &end);
        if (end == parts[k] && *end == (k == 0 ? ':' : '\0'))
            continue;  // left out
        if (*end != (k == 0 ? ':' : '\0') || !isfinite(value))
            return wrong("range", "MIN:MAX, two numbers of which one may be left out", text);
        def->range[k] = value;
    }
    return colon != NULL || wrong("range", "MIN:MAX, two numbers of which one may be left out", text);
}

static bool read_cut(const arguments* args, scree_picture_def* def)
{
    const char* text = option_text(args, "cut");
    if (text == NULL)
        return true;
    const char* axis = *text != '\0' ? strchr("xyz", *text) : NULL;
    char* end = NULL;
    if (axis != NULL && text[1] == ':' && (def->cut_position = strtod(text + 2, &end), end != text + 2) && *end == '\0' &&
        isfinite(def->cut_position)) {
        def->cut = true;
        def->cut_normal[axis - "xyz"] = 1.0;
        return true;
    }
    return wrong("cut", "AXIS:POSITION, like y:2.5", text);
}

static bool read_images(const arguments* args, scree_picture_def* def)
{
    const char* text = option_text(args, "images");
    if (text == NULL || strcmp(text, "none") == 0)
        return true;
    if (strcmp(text, "faces") == 0) {
        def->images = SCREE_IMAGES_FACES;
    } else if (strcmp(text, "fill") == 0) {
        def->images = SCREE_IMAGES_FILL;
    } else {
        char* end;
        long copies = strtol(text, &end, 10);
        if (end == text || *end != '\0' || copies < 0 || copies > 10)
            return wrong("images", "none, faces, fill, or 0 to 10 whole boxes to each side", text);
        def->copies = (int32_t)copies;
    }
    return true;
}

static bool read_colours(const arguments* args, scree_picture_def* def)
{
    int map = 0, background = 0;
    if (option_given(args, "colour-by") && option_given(args, "color-by")) {
        say("scree picture: --colour-by and --color-by are the same and were both given\n");
        return false;
    }
    def->colour_by = option_given(args, "colour-by") ? option_text(args, "colour-by") : option_text(args, "color-by");
    if (option_given(args, "log") && option_given(args, "linear")) {
        say("scree picture: --log and --linear cannot both be\n");
        return false;
    }
    def->scale = option_given(args, "log") ? SCREE_SCALE_LOG : option_given(args, "linear") ? SCREE_SCALE_LINEAR : SCREE_SCALE_AUTO;
    if (!option_choice(args, "map", map_name_at, &map) || !option_choice(args, "background", background_name_at, &background))
        return false;
    def->map = map;
    def->background = background;
    return read_range(args, def);
}

// Spheres get a box in any case; polygons have that of their file, and walls may stick out of it.
static exit_code settle_set(const arguments* args, const common* co, scree_outline_set* set)
{
    if (set->first == NULL) {
        exit_code code = settle_box(args, co, BOX_WITH_VOLUME, &set->bodies);
        if (code == EXIT_DONE)
            wrap_centres(&set->bodies);
        return code;
    }
    if (!option_given(args, "box") && !option_given(args, "periodic"))
        return EXIT_DONE;
    say("scree picture: --box and --periodic are for spheres; polygons have the box of their file\n");
    return EXIT_USAGE;
}

static exit_code run(const arguments* args)
{
    common co;
    scree_picture_def def = scree_default_picture_def();
    int64_t samples = def.samples;
    if (!common_options_of(args, &co) || !option_picture_size(args, &def) || !read_view(args, &def) || !read_cut(args, &def) ||
        !read_images(args, &def) || !read_colours(args, &def) || !option_number(args, "zoom", &def.zoom) ||
        !option_number(args, "distance", &def.distance) || !option_integer(args, "samples", 1, 4, &samples))
        return EXIT_USAGE;
    if (co.out == NULL) {
        say("scree picture: where to? scree picture %s -o P.png\n", args->files[0]);
        return EXIT_USAGE;
    }
    if (!is_picture_target(args, co.out))
        return EXIT_USAGE;
    if (co.json && strcmp(co.out, "-") == 0) {
        say("scree picture: --json and -o - cannot both have standard output; give -o a file\n");
        return EXIT_USAGE;
    }
    def.samples = (int32_t)samples;
    def.box = !option_given(args, "no-box");
    def.bar = !option_given(args, "no-bar");
    def.threads = co.threads;
    scree_outline_set set;
    scree_file_options reading = file_options(&co, args->files[0], "reading");
    scree_status status = scree_read_outlines(args->files[0], &reading, &set);
    run_watch_end();
    if (status != SCREE_OK)
        return run_failed(args, status);
    exit_code code = settle_set(args, &co, &set);
    if (code == EXIT_DONE) {
        def.watch = run_watch("drawing", co.quiet);
        status = set.first != NULL ? scree_picture_outlines(co.out, &set, &def) : scree_picture_write(co.out, &set.bodies, &def);
        run_watch_end();
        if (status != SCREE_OK) {  // the set itself has been checked, so what the library refuses is an option
            code = status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
        } else if (co.json) {
            report rep = report_begin(true);
            report_integer(&rep, "n", set.bodies.count);
            report_integer(&rep, "dim", set.bodies.dim);
            report_integer(&rep, "width", def.width);
            report_integer(&rep, "height", def.height);
            report_text(&rep, "out", co.out);
            report_end(&rep);
        } else if (!co.quiet) {
            say("%d %s in %dD drawn to %s\n", (int)set.bodies.count, set.first != NULL ? "bodies" : "spheres", (int)set.bodies.dim, co.out);
        }
    }
    scree_outline_set_free(&set);
    return code;
}

// Offered by the shells; --colour-by takes any column.
static const char* view_at(int k)
{
    static const char* const names[] = {"x", "y", "z", "-x", "-y", "-z", NULL};
    return names[k];
}

static const char* images_at(int k)
{
    static const char* const names[] = {"none", "faces", "fill", NULL};
    return names[k];
}

static const char* column_at(int k)
{
    static const char* const names[] = {"radius", "x", "y", "z", NULL};
    return names[k];
}

static const option options[] = {
    {"size", 's', "WxH", "pixels (default 2000x1500)"},
    {"view", 'v', "WHERE", "the eye's place: x, y, z, -x, -y, -z, or AZIMUTH,ELEVATION in degrees"},
    {"perspective", 0, "DEG", "angle of the view (default 20; along an axis: orthographic)"},
    {"orthographic", 0, NULL, "without perspective"},
    {"distance", 0, "D", "of the eye from the scene's centre (default: by the angle)"},
    {"zoom", 'z', "F", "enlarge F times around the middle"},
    {"colour-by", 'c', "NAME", "radius (default), x, y, z or a column of numbers"},
    {"color-by", 0, "NAME", "the same"},
    {"range", 0, "MIN:MAX", "values at the ends of the colour bar (default: those of the data)"},
    {"log", 0, NULL, "logarithmic colours (default: for radii that span a factor of 20)"},
    {"linear", 0, NULL, "linear colours"},
    {"map", 0, "NAME", "colours: dusk (default), ember, grey"},
    {"cut", 0, "AXIS:POS", "cut at a plane, like y:2.5; the part on the eye's side is taken away"},
    {"images", 0, "WHICH", "periodic images: faces, fill (cut flat at the faces), or 1, 2, ... whole boxes"},
    {"periodic", 'p', "AXES", "periodic axes, e.g. xyz or xy; others have walls; none"},
    {"box", 'b', "LX,LY,LZ", "the box, from 0 (default: the file's, else the spheres' bounds)"},
    {"no-box", 0, NULL, "without the edges of the box"},
    {"no-bar", 0, NULL, "without the colour bar"},
    {"background", 0, "KIND", "light (default), dark or none (transparent)"},
    {"samples", 0, "N", "samples per pixel and direction, 1 to 4 (default 2)"},
    {0},
};

static const choice choices[] = {
    {.option = "map", .names = map_name_at},
    {.option = "background", .names = background_name_at},
    {.option = "view", .names = view_at, .open = true},
    {.option = "images", .names = images_at, .open = true},
    {.option = "colour-by", .names = column_at, .open = true},
    {.option = "color-by", .names = column_at, .open = true},
    PERIODIC_CHOICE,
    {0},
};

const command cmd_picture = {
    .name = "picture",
    .usage = "IN -o P.png [--size WxH] [--view x|y|z|-x|-y|-z|AZ,EL] [--colour-by NAME] [--cut AXIS:POS] [...]",
    .about = "draws spheres, discs or polygons",
    .details = "The picture has the same pixels for every number of threads. Values that are no numbers are drawn grey.\n"
               "A VTP file with polygons is drawn filled, fixed bodies grey.",
    .example = "  scree demo -o spheres.csv\n  scree picture spheres.csv -o spheres.png --cut y:100 --background dark",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .run = run,
};
