// scree contacts: from a file of spheres to its pairs.
#include "commands.h"
#include "common.h"
#include "file_names.h"
#include "ranks.h"
#include "search_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    scree_index_def def;
    bool boxes;  // pairs of bounding boxes
    int64_t repeat;
    scree_index* index;
    scree_pairs pairs;
    bool given;  // they were, by next_pairs
    scree_par* par;           // several processes search
    scree_par_pairs* shared;  // what they have found, in place of `pairs`
    double seconds_build, seconds_search;  // the only run's, or the medians of the warm ones
    double* x;         // centres wrapped into the box, and how many boxes each was away; NULL: centres are searched as they are in the file
    int32_t* turns;
    int8_t (*shift)[3];  // of the last part that was written
    int64_t shift_capacity;
} search;

// Searches take centres a few boxes away at most, since shifts are int8. Where a file has others, wrapped centres are searched.
static scree_status wrap_far(search* s, const scree_sphere_set* set)
{
    const scree_box* box = &set->box;
    const double near = scree_box_is_tilted(box) ? 0.0 : 16.0;  // boxes; a tilt can make one box many along the axis before
    const size_t numbers = (size_t)set->count * (size_t)set->dim;
    bool far = false;
    for (int64_t e = 0; e < (int64_t)numbers && scree_box_is_periodic(box); ++e) {
        const int k = (int)(e % set->dim);
        const double beyond = near * (box->upper[k] - box->lower[k]);
        far = far || (box->periodic[k] && !(set->x[e] >= box->lower[k] - beyond && set->x[e] <= box->upper[k] + beyond));
    }
    if (!far)
        return SCREE_OK;
    s->x = scree_malloc(numbers, sizeof *s->x);
    s->turns = scree_malloc(numbers, sizeof *s->turns);
    if (s->x == NULL || s->turns == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(s->x, set->x, numbers * sizeof *s->x);
    return scree_box_wrap_centres(box, set->count, s->x, s->turns);
}

static scree_spheres searched(const search* s, const scree_sphere_set* set)
{
    scree_spheres spheres = scree_sphere_set_view(set);
    spheres.x = s->x != NULL ? s->x : spheres.x;
    return spheres;
}

static int by_value(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(const double* sorted, int64_t count)
{
    return 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

// One search, or one that warms up and `repeat` that are timed.
static scree_status find_pairs(search* s, scree_spheres spheres)
{
    scree_status status = SCREE_OK;
    double* times = NULL;
    if (s->repeat > 0 && (times = scree_malloc(2 * (size_t)s->repeat, sizeof *times)) == NULL)
        status = SCREE_ERR_MEMORY;
    for (int64_t k = s->repeat > 0 ? -1 : 0; k < (s->repeat > 0 ? s->repeat : 1) && status == SCREE_OK; ++k) {
        status = scree_index_update(s->index, spheres);
        if (status == SCREE_OK)
            status = s->boxes ? scree_index_box_pairs(s->index, &s->pairs) : scree_index_pairs(s->index, &s->pairs);
        scree_index_stats stats = scree_index_get_stats(s->index);
        s->seconds_build = stats.seconds_build;
        s->seconds_search = stats.seconds_search;
        if (k >= 0 && s->repeat > 0) {
            times[k] = stats.seconds_build;
            times[s->repeat + k] = stats.seconds_search;
        }
    }
    if (status == SCREE_OK && s->repeat > 0) {
        qsort(times, (size_t)s->repeat, sizeof *times, by_value);
        qsort(times + s->repeat, (size_t)s->repeat, sizeof *times, by_value);
        s->seconds_build = median(times, s->repeat);
        s->seconds_search = median(times + s->repeat, s->repeat);
    }
    scree_free(times);
    return status;
}

static int compare_rows(scree_pairs a, int64_t p, scree_pairs b, int64_t q)
{
    for (int k = 0; k < 2; ++k)
        if (a.ij[p][k] != b.ij[q][k])
            return a.ij[p][k] < b.ij[q][k] ? -1 : 1;
    for (int k = 0; k < 3 && a.shift != NULL; ++k)
        if (a.shift[p][k] != b.shift[q][k])
            return a.shift[p][k] < b.shift[q][k] ? -1 : 1;
    return 0;
}

static void name_pair(const char* what, scree_pairs pairs, int64_t p)
{
    say("%s: %" PRId32 " %" PRId32, what, pairs.ij[p][0], pairs.ij[p][1]);
    if (pairs.shift != NULL)
        say(" shift %d %d %d", pairs.shift[p][0], pairs.shift[p][1], pairs.shift[p][2]);
    say("\n");
}

// The pairs of the search, some at a time: all pairs of one process at once. count 0: there are no more, and the next call begins again.
static scree_status next_pairs(void* context, scree_pairs* out)
{
    search* s = context;
    if (s->shared != NULL)
        return scree_par_pairs_next(s->shared, out);
    s->given = !s->given;
    *out = s->given ? s->pairs : (scree_pairs){.shift = s->pairs.shift};
    return SCREE_OK;
}

// The same with shifts that belong to the centres as given; the order by (i, j, shift) is that of wrapped ones.
static scree_status next_given(void* context, scree_pairs* out)
{
    search* s = context;
    scree_pairs wrapped;
    scree_status status = next_pairs(s, &wrapped);
    *out = wrapped;
    if (status != SCREE_OK || s->turns == NULL || wrapped.count == 0)
        return status;
    if (wrapped.count > s->shift_capacity) {
        int8_t (*more)[3] = scree_realloc(s->shift, (size_t)wrapped.count, sizeof *more);
        if (more == NULL)
            return SCREE_ERR_MEMORY;
        s->shift = more;
        s->shift_capacity = wrapped.count;
    }
    const int dim = s->def.box.dim;
    for (int64_t p = 0; p < wrapped.count; ++p)
        for (int k = 0; k < 3; ++k) {
            const int32_t i = wrapped.ij[p][0], j = wrapped.ij[p][1];
            const int64_t boxes = wrapped.shift[p][k] + (k < dim ? (int64_t)s->turns[(int64_t)i * dim + k] - s->turns[(int64_t)j * dim + k] : 0);
            if (boxes > INT8_MAX || boxes < INT8_MIN)
                return scree_fail(SCREE_ERR_ARGUMENT, "spheres %" PRId32 " and %" PRId32 ": their centres are %" PRId64 " boxes apart along %c, too many for a file of pairs; expected %d at most", i, j, boxes, "xyz"[k], INT8_MAX);
            s->shift[p][k] = (int8_t)boxes;
        }
    out->shift = (const int8_t(*)[3])s->shift;
    return SCREE_OK;
}

// Walks two sorted lists; names the first few pairs that only one of them has.
static scree_status compare(search* s, scree_pairs reference, int64_t* missing, int64_t* extra)
{
    scree_pairs found;
    scree_status status = next_pairs(s, &found);
    *missing = *extra = 0;
    for (int64_t p = 0, q = 0; status == SCREE_OK && (p < found.count || q < reference.count);) {
        int order = p == found.count ? 1 : q == reference.count ? -1 : compare_rows(found, p, reference, q);
        if (order < 0 && ++*extra <= 5)
            name_pair("extra pair", found, p);
        if (order > 0 && ++*missing <= 5)
            name_pair("missing pair", reference, q);
        p += order <= 0;
        q += order >= 0;
        if (p == found.count && found.count > 0) {
            p = 0;
            status = next_pairs(s, &found);
        }
    }
    return status;
}

static int64_t distinct(scree_pairs pairs)
{
    int64_t count = 0;
    for (int64_t p = 0; p < pairs.count; ++p)
        count += p == 0 || pairs.ij[p][0] != pairs.ij[p - 1][0] || pairs.ij[p][1] != pairs.ij[p - 1][1];
    return count;
}

static scree_method method_of(const search* s)
{
    return s->shared != NULL ? (scree_method)scree_par_pairs_get_stats(s->shared).method : scree_index_method(s->index);
}

// The second method: the plain one while it takes seconds, else the other grid. Boxes are known to two methods only.
static scree_method reference_of(scree_method method, bool boxes, int32_t n)
{
    if (boxes)
        return method == SCREE_METHOD_ALL_PAIRS ? SCREE_METHOD_LINEAR_LIST : SCREE_METHOD_ALL_PAIRS;
    if (method != SCREE_METHOD_ALL_PAIRS && n <= 100000)
        return SCREE_METHOD_ALL_PAIRS;
    return method == SCREE_METHOD_HIERARCHICAL_GRID ? SCREE_METHOD_LINKED_CELLS : SCREE_METHOD_HIERARCHICAL_GRID;
}

static bool to_stdout(const common* co)
{
    return co->out != NULL && strcmp(co->out, "-") == 0;
}

// What the second method says.
typedef struct verdict {
    bool asked;
    const char* by;
    int64_t missing, extra;
} verdict;

static scree_status verify(const common* co, search* s, const scree_sphere_set* set, verdict* out)
{
    search reference = {.def = scree_default_index_def(), .boxes = s->boxes};
    reference.def.box = s->def.box;
    reference.def.gap = s->def.gap;
    reference.def.sorted = true;
    reference.def.threads = s->def.threads;
    reference.def.method = (int32_t)reference_of(method_of(s), s->boxes, set->count);
    reference.def.watch = run_watch("verifying", co->quiet);
    scree_status status = scree_index_create(&reference.def, &reference.index);
    if (status == SCREE_OK)
        status = find_pairs(&reference, searched(s, set));
    run_watch_end();
    if (status == SCREE_OK) {
        out->by = scree_method_name((scree_method)reference.def.method);
        status = compare(s, reference.pairs, &out->missing, &out->extra);
    }
    scree_index_destroy(reference.index);
    return status;
}

static void report_verdict(result* res, const verdict* ver)
{
    if (!ver->asked)
        return;
    result_text(res, "verified_by", ver->by);
    result_integer(res, "missing", ver->missing);
    result_integer(res, "extra", ver->extra);
}

static double size_ratio(const scree_sphere_set* set)
{
    double least = INFINITY, most = 0.0;
    for (int64_t i = 0; i < set->count; ++i) {
        least = fmin(least, set->r[i]);
        most = fmax(most, set->r[i]);
    }
    return set->count == 0 || most == 0.0 ? 1.0 : most / least;
}

// Of several processes: counts of work and bytes are sums over them.
static void report_search(const common* co, const search* s, const scree_sphere_set* set, const verdict* ver)
{
    bool shared = s->shared != NULL, automatic = !shared && s->def.method == SCREE_METHOD_AUTO;
    scree_par_pairs_stats stats;
    if (shared) {
        stats = scree_par_pairs_get_stats(s->shared);
    } else {
        scree_index_stats own = scree_index_get_stats(s->index);
        stats = (scree_par_pairs_stats){.method = (int32_t)scree_index_method(s->index),
                                        .count = s->pairs.count,
                                        .distinct = distinct(s->pairs),
                                        .tests = own.tests,
                                        .box_tests = own.box_tests,
                                        .cells = own.cells,
                                        .levels = own.levels,
                                        .work = own.work,
                                        .seconds_build = s->seconds_build,
                                        .seconds_search = s->seconds_search,
                                        .bytes = (int64_t)own.bytes};
    }
    result res = result_begin("contacts");
    result_integer(&res, "n", set->count);
    result_integer(&res, "dim", set->dim);
    result_text(&res, "method", scree_method_name((scree_method)stats.method));
    if (!shared && s->def.device != SCREE_DEVICE_NONE)
        result_text(&res, "device", scree_device_name(scree_index_get_device(s->index)));
    result_bool(&res, "boxes", s->boxes);
    result_integer(&res, "pairs", stats.count);
    result_integer(&res, "distinct_pairs", stats.distinct);
    if (shared) {
        result_integer(&res, "ranks", stats.ranks);
        result_integer(&res, "ghosts", stats.ghosts);
    }
    result_integer(&res, "tests", stats.tests);
    result_integer(&res, "box_tests", stats.box_tests);
    result_integer(&res, "cells", stats.cells);
    result_number(&res, "size_ratio", size_ratio(set));
    result_integer(&res, "levels", stats.levels);
    result_number(&res, "work", stats.work);
    if (automatic)
        result_number(&res, "predicted_work", scree_index_get_predicted(s->index, SCREE_METHOD_AUTO));
    result_number(&res, "seconds_build", stats.seconds_build);
    result_number(&res, "seconds_search", stats.seconds_search);
    result_text(&res, "timing", s->repeat > 0 ? "warm median" : "cold");
    result_integer(&res, "repeat", s->repeat > 0 ? s->repeat : 1);
    result_integer(&res, "bytes", stats.bytes);
    if (shared)
        result_integer(&res, "bytes_max", stats.bytes_max);
    report_verdict(&res, ver);
    result_print(&res, co->json);
    result_free(&res);
}

// Search, doubt, and only then write: a list that the second method does not confirm gets no file.
static exit_code search_and_report(const arguments* args, const common* co, search* s, const scree_sphere_set* set)
{
    verdict ver = {.asked = option_given(args, "verify")};
    s->def.watch = run_watch("searching", co->quiet);
    scree_status status = scree_index_create(&s->def, &s->index);
    if (status == SCREE_ERR_ARGUMENT)
        return run_misused(args);
    if (status == SCREE_OK)
        status = wrap_far(s, set);
    if (status == SCREE_OK && s->par != NULL) {
        scree_par_pairs_def wanted = scree_default_par_pairs_def();
        wanted.index = &s->def;
        wanted.boxes = s->boxes;
        wanted.check = co->validate;
        status = scree_par_find_pairs(s->par, &wanted, searched(s, set), &s->shared);
    } else if (status == SCREE_OK) {
        status = find_pairs(s, searched(s, set));
        if (status == SCREE_OK && co->validate)
            status = scree_index_validate(s->index);
    }
    run_watch_end();
    if (status == SCREE_OK && ver.asked)
        status = verify(co, s, set, &ver);
    bool agree = ver.missing + ver.extra == 0;
    if (status == SCREE_OK && agree && co->out != NULL) {
        scree_file_options options = file_options(co, co->out, "writing");
        options.format = SCREE_FORMAT_CSV;
        scree_pair_source source = {.context = s, .shifted = scree_box_is_periodic(&set->box), .next = next_given};
        source.count = s->shared != NULL ? scree_par_pairs_get_stats(s->shared).count : s->pairs.count;
        status = scree_write_pairs_from(co->out, &options, &set->box, scree_sphere_set_view(set), &source);
        run_watch_end();
    }
    if (status != SCREE_OK)
        return run_failed(args, status);
    if (!to_stdout(co))
        report_search(co, s, set, &ver);
    if (agree)
        return EXIT_DONE;
    say("scree contacts: %s and %s disagree on %" PRId64 " pairs; nothing was written; please report this\n",
        scree_method_name(method_of(s)), ver.by, ver.missing + ver.extra);
    return EXIT_FAILED;
}

// What is for one process only. False: it was asked for, and that is said.
static bool fits_ranks(const arguments* args, const search* s)
{
    static const char* const alone[] = {"device", "repeat", "skin"};
    for (size_t k = 0; k < sizeof alone / sizeof *alone && s->par != NULL; ++k)
        if (option_given(args, alone[k]) && !(k == 0 && s->def.device == SCREE_DEVICE_NONE)) {
            say("scree contacts: --%s %s works in one process only, got %d; drop it, or start one process\n", alone[k], option_text(args, alone[k]), (int)scree_par_get_ranks(s->par));
            return false;
        }
    return true;
}

static exit_code run(const arguments* args)
{
    common co;
    double gap = 0.0, scale = 1.0;
    search_options by_hand;
    search s = {.boxes = option_given(args, "boxes")};
    int device = SCREE_DEVICE_NONE;
    if (!common_options_of(args, &co) || !option_number(args, "gap", &gap) || !option_number(args, "scale", &scale) ||
        !search_options_of(args, &by_hand) || !option_choice(args, "device", device_name_at, &device) || !option_integer(args, "repeat", 1, 1000000, &s.repeat))
        return EXIT_USAGE;
    exit_code code = ranks_start(args);
    if (code != EXIT_DONE)
        return code;
    s.par = scree_par_get_shared();
    s.def = by_hand.def;
    s.def.device = device;
    if (!fits_ranks(args, &s))
        return EXIT_USAGE;
    if (!option_given(args, "skin"))
        s.def.skin = -1.0;  // --repeat times searches, not the list that an index makes when the same spheres come again
    if (s.boxes && device != SCREE_DEVICE_NONE) {
        say("scree contacts: --boxes: devices find pairs of spheres only; drop --device\n");
        return EXIT_USAGE;
    }
    if (s.boxes && s.def.method == SCREE_METHOD_AUTO)
        s.def.method = SCREE_METHOD_LINEAR_LIST;
    if (s.boxes && s.def.method != SCREE_METHOD_LINEAR_LIST && s.def.method != SCREE_METHOD_ALL_PAIRS) {
        say("scree contacts: --boxes expects --method linear-list or all-pairs, got %s\n", scree_method_name((scree_method)s.def.method));
        return EXIT_USAGE;
    }
    if (!(scale >= 0.0)) {
        say("scree contacts: --scale expects 0 or more, got %g\n", scale);
        return EXIT_USAGE;
    }
    if (co.out != NULL && scree_format_of_path(co.out) != SCREE_FORMAT_AUTO &&
        scree_format_of_path(co.out) != SCREE_FORMAT_CSV) {
        say("scree contacts: -o expects a name that ends in .csv, got '%s'\n", co.out);
        return EXIT_USAGE;
    }
    if (!(fabs(gap) <= SCREE_LENGTH_MAX)) {
        say("scree contacts: --gap expects a length up to %g, got %g\n", SCREE_LENGTH_MAX, gap);
        return EXIT_USAGE;
    }
    if (co.json && to_stdout(&co)) {
        say("scree contacts: only one of --json and -o - can use standard output; give -o a file\n");
        return EXIT_USAGE;
    }
    code = file_names_check(args, &co);
    if (code != EXIT_DONE)
        return code;
    scree_sphere_set set;
    scree_status status = read_set(&co, args->files[0], &set);
    if (status != SCREE_OK)
        return run_failed(args, status);
    note_if_empty(&co, args->files[0], &set);
    code = settle_box(args, &co, BOX_MAY_BE_OPEN, &set);
    if (code == EXIT_DONE) {
        for (int64_t i = 0; i < set.count; ++i)
            set.r[i] *= scale;
        s.def.box = set.box;
        s.def.gap = gap;
        // Where pairs are only counted sorting them is not needed; distinct pairs are counted in order.
        s.def.sorted = co.out != NULL || option_given(args, "verify") || scree_box_is_periodic(&set.box);
        s.def.threads = co.threads;
        code = search_and_report(args, &co, &s, &set);
        scree_index_destroy(s.index);
        scree_par_pairs_destroy(s.shared);
        scree_free(s.x);
        scree_free(s.turns);
        scree_free(s.shift);
    }
    scree_sphere_set_free(&set);
    return code;
}

static const option options[] = {
    {"method", 'm', "NAME", "search method: auto (default), all-pairs, verlet-list, linked-cells, linear-list, octree, loose-octree or hierarchical-grid; all find the same pairs"},
    {"gap", 'g', "G", "find pairs with a gap below G, surface to surface (default 0: contacts)"},
    {"boxes", 0, NULL, "find pairs whose bounding boxes overlap or touch, within G on each axis; by linear-list (the default here) or all-pairs"},
    {"scale", 0, "S", "multiply all radii by S first (default 1)"},
    PERIODIC_OPTION,
    BOX_OPTION,
    {"verify", 0, NULL, "find the pairs by a second method and compare"},
    {"device", 0, "NAME", "device: none (the processor, default), auto, cuda or emulate; the result does not depend on it"},
    {"repeat", 0, "K", "search K times more and print the median times of these warm runs"},
    RANKS_OPTION,
    SEARCH_OPTIONS,
    {"out", 'o', "FILE", "write the pairs there as CSV; - is standard output"},
    VALIDATE_OPTION("check the internal data structures of the search (slow)"),
    {0},
};

static const rejected_option rejected[] = {{"seed", "a search draws no random numbers"}, {0}};

static const file_use uses[] = {{READS_FILE, NULL, NULL}, {WRITES_FILE, "out", NULL}, {0}};

static const old_spelling old[] = {OLD_CHECK, {0}};

static const choice choices[] = {
    METHOD_CHOICE,
    DEVICE_CHOICE,
    PERIODIC_CHOICE,
    SEARCH_CHOICES,
    {0},
};

const command cmd_contacts = {
    .name = "contacts",
    .usage = "FILE [--method M] [--gap G] [--boxes] [--scale S] [--periodic xyz] [--box LX,LY,LZ] [-o PAIRS.csv] [--device D] [--verify] [--repeat K] [--ranks N]",
    .about = "all pairs of spheres that touch, or are closer than a gap",
    .details = "FILE is CSV with a header naming x,y[,z],r (or radius, d, diameter), VTP, extended XYZ, LAMMPS data or NumPy.\n"
               "PAIRS.csv has the columns i,j,gap (spheres counted from 0, gap negative where they overlap), sorted by i and j, and sx,sy,sz where an axis is periodic: "
               "sphere i touches the image of sphere j that lies sx, sy, sz boxes away. With --boxes the pairs are pairs of bounding boxes, the matrix of the linked linear "
               "list; gap is still that of the spheres.",
    .example = "  scree demo -o spheres.csv\n  scree contacts spheres.csv --gap 0.1 -o pairs.csv",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .choices = choices,
    .old = old,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
