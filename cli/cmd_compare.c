// scree compare: whether two runs, two files of spheres or two logs are the same, and where they differ most. Spheres are compared by their ids where both have them, else row by row.
//
// Exit codes are those of diff: 1 is a difference, and whatever goes wrong is 2.
#include "commands.h"
#include "compare.h"
#include "file_names.h"
#include "frames.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { path_room = 4096, box_numbers = 3, DIFFERENT = -1 };  // DIFFERENT: in place of an exit code

// ---- One side ------------------------------------------------------------------------------------------------------------

typedef struct place {
    int64_t id, row;
} place;

// What one side has: borrowed from its checkpoint or its set.
typedef struct side {
    const char* name;
    scree_checkpoint saved;
    scree_sphere_set set;
    int32_t dim;
    int64_t count;
    bool has_box;
    scree_box box;
    scree_column* column;  // of centres first
    int columns;
    const int64_t* ids;    // NULL: none
    place* places;         // by id
} side;

static void free_side(side* s)
{
    scree_free(s->column);
    scree_free(s->places);
    scree_checkpoint_free(&s->saved);
    scree_sphere_set_free(&s->set);
}

static void add_numbers(side* s, const char* name, int32_t components, const double* values)
{
    if (values != NULL)
        s->column[s->columns++] = (scree_column){.name = (char*)(uintptr_t)name, .kind = SCREE_COLUMN_DOUBLE, .components = components, .values = (double*)(uintptr_t)values};
}

static double number_of(const scree_checkpoint* saved, const char* format, char axis)
{
    char name[SCREE_CHECKPOINT_NAME];
    snprintf(name, sizeof name, format, axis);
    const scree_checkpoint_number* found = scree_checkpoint_find(saved, name);
    return found == NULL ? 0.0 : found->whole ? (double)found->integer : found->value;
}

static void take_box(side* s)
{
    static const char* const tilts[box_numbers] = {"box_tilt_xy", "box_tilt_xz", "box_tilt_yz"};
    s->has_box = true;
    s->box.dim = s->dim;
    for (int k = 0; k < s->dim; ++k) {
        s->box.lower[k] = number_of(&s->saved, "box_lower_%c", (char)('x' + k));
        s->box.upper[k] = number_of(&s->saved, "box_upper_%c", (char)('x' + k));
        s->box.periodic[k] = number_of(&s->saved, "periodic_%c", (char)('x' + k)) != 0.0;
    }
    for (int k = 0; k < box_numbers; ++k) {
        const scree_checkpoint_number* found = scree_checkpoint_find(&s->saved, tilts[k]);
        s->box.tilt[k] = found != NULL ? found->value : 0.0;
    }
    if (s->saved.has_cell)
        (void)scree_sim_cell_from(&s->saved.cell, s->saved.step, s->saved.time_step, &s->box);
}

static scree_status read_run(side* s)
{
    char path[path_room];
    scree_status status = frame_checkpoint(s->name, path, sizeof path);
    if (status == SCREE_OK)
        status = scree_read_checkpoint(path, &s->saved);
    if (status != SCREE_OK)
        return status;
    const scree_checkpoint* saved = &s->saved;
    s->dim = saved->dim;
    s->count = saved->count;
    s->column = scree_calloc(5, sizeof *s->column);
    if (s->column == NULL)
        return SCREE_ERR_MEMORY;
    take_box(s);
    if (saved->has_bodies) {
        add_numbers(s, "position", 2, saved->bodies.x);
        add_numbers(s, "angle", 1, saved->bodies.angle);
        add_numbers(s, "velocity", 2, saved->bodies.v);
        add_numbers(s, "spin", 1, saved->bodies.spin);
        return SCREE_OK;
    }
    add_numbers(s, "position", s->dim, scree_checkpoint_get_values(saved, "x", SCREE_TYPE_FLOAT64));
    add_numbers(s, "radius", 1, scree_checkpoint_get_values(saved, "radius", SCREE_TYPE_FLOAT64));
    add_numbers(s, "velocity", s->dim, scree_checkpoint_get_values(saved, "v", SCREE_TYPE_FLOAT64));
    add_numbers(s, "spin", 3, scree_checkpoint_get_values(saved, "w", SCREE_TYPE_FLOAT64));
    s->ids = scree_checkpoint_get_values(saved, "id", SCREE_TYPE_INT64);
    return SCREE_OK;
}

static scree_status read_file(const common* co, side* s)
{
    common as = *co;
    if (name_ends_in(s->name, ".lmp"))
        as.format = SCREE_FORMAT_LAMMPS;
    scree_status status = read_set(&as, s->name, &s->set);
    if (status != SCREE_OK)
        return status;
    s->dim = s->set.dim;
    s->count = s->set.count;
    s->has_box = s->set.has_box;
    s->box = s->set.box;
    s->column = scree_calloc((size_t)s->set.column_count + 2, sizeof *s->column);
    if (s->column == NULL)
        return SCREE_ERR_MEMORY;
    add_numbers(s, "position", s->dim, s->set.x);
    add_numbers(s, "radius", 1, s->set.r);
    for (int32_t c = 0; c < s->set.column_count; ++c)
        s->column[s->columns++] = s->set.columns[c];
    const scree_column* id = scree_sphere_set_find(&s->set, "id");
    if (id != NULL && id->kind == SCREE_COLUMN_INT64 && id->components == 1)
        s->ids = id->integers;
    return SCREE_OK;
}

static int by_id(const void* one, const void* other)
{
    const int64_t a = ((const place*)one)->id, b = ((const place*)other)->id;
    return (a > b) - (a < b);
}

static scree_status sort_places(side* s, bool named)
{
    s->places = scree_malloc((size_t)s->count + 1, sizeof *s->places);
    if (s->places == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t row = 0; row < s->count; ++row)
        s->places[row] = (place){named ? s->ids[row] : row, row};
    if (named)
        qsort(s->places, (size_t)s->count, sizeof *s->places, by_id);
    for (int64_t k = 1; k < s->count; ++k)
        if (s->places[k].id == s->places[k - 1].id)
            return scree_fail(SCREE_ERR_FORMAT, "%s: two spheres have the id %" PRId64 "; expected each id once", s->name, s->places[k].id);
    return SCREE_OK;
}

// ---- Columns ---------------------------------------------------------------------------------------------------------------

typedef struct apart {
    int64_t rows, sphere;
    double most;
} apart;

// The shorter way across periodic faces, axis by axis: in a tilted box for differences of less than half of its sides.
static void go_around(const scree_box* box, double* way)
{
    for (int m = box->dim - 1; m >= 0; --m) {
        const double length = box->upper[m] - box->lower[m], turns = box->periodic[m] && length > 0.0 ? round(way[m] / length) : 0.0;
        if (turns == 0.0)
            continue;
        way[m] -= turns * length;
        for (int k = 0; k < m; ++k)
            way[k] -= turns * box->tilt[k + m - 1];
    }
}

// How far apart the values of two rows are; below 0: they are the same. Texts that differ have no distance.
static double distance(const scree_column* a, int64_t row_a, const scree_column* b, int64_t row_b, const scree_box* box)
{
    if (a->kind == SCREE_COLUMN_TEXT)
        return strcmp(a->text + a->offset[row_a], b->text + b->offset[row_b]) == 0 ? -1.0 : (double)NAN;
    const size_t parts = (size_t)a->components;
    double way[3] = {0.0, 0.0, 0.0}, square = 0.0;
    if (a->kind == SCREE_COLUMN_INT64 ? memcmp(a->integers + (size_t)row_a * parts, b->integers + (size_t)row_b * parts, parts * sizeof *a->integers) == 0
                                      : memcmp(a->values + (size_t)row_a * parts, b->values + (size_t)row_b * parts, parts * sizeof *a->values) == 0)
        return -1.0;
    for (size_t k = 0; k < parts; ++k) {
        const size_t at = (size_t)row_a * parts + k, other = (size_t)row_b * parts + k;
        const double one = a->kind == SCREE_COLUMN_INT64 ? (double)a->integers[at] - (double)b->integers[other] : a->values[at] - b->values[other];
        if (box != NULL)
            way[k] = one;
        else
            square += one * one;
    }
    if (box != NULL) {
        go_around(box, way);
        square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    }
    return sqrt(square);
}

static const scree_column* find_same(const side* s, const scree_column* like)
{
    for (int c = 0; c < s->columns; ++c)
        if (strcmp(s->column[c].name, like->name) == 0 && s->column[c].kind == like->kind && s->column[c].components == like->components)
            return &s->column[c];
    return NULL;
}

static apart compare_column(const side s[2], const scree_column* a, const scree_column* b, const scree_box* box)
{
    apart found = {.sphere = -1};
    for (int64_t i = 0, j = 0; i < s[0].count && j < s[1].count;) {
        const place p = s[0].places[i], q = s[1].places[j];
        i += p.id <= q.id;
        j += q.id <= p.id;
        if (p.id != q.id)
            continue;
        const double far = distance(a, p.row, b, q.row, box);
        if (far < 0.0)
            continue;
        ++found.rows;
        if (found.sphere < 0 || far > found.most || (isnan(far) && !isnan(found.most))) {
            found.most = far;
            found.sphere = p.id;
        }
    }
    return found;
}

// How many spheres of the first the second lacks.
static int64_t count_missing(const side* s, const side* other)
{
    int64_t both = 0;
    for (int64_t i = 0, j = 0; i < s->count && j < other->count;) {
        const int64_t a = s->places[i].id, b = other->places[j].id;
        both += a == b;
        i += a <= b;
        j += b <= a;
    }
    return s->count - both;
}

static bool put_only(const side* s, const side* other, const char* key, const char** names, result* res)
{
    int64_t count = 0;
    for (int c = 0; c < s->columns; ++c)
        if (find_same(other, &s->column[c]) == NULL)
            names[count++] = s->column[c].name;
    if (count > 0)
        result_texts(res, key, names, count);
    return count == 0;
}

static bool same_box(const side s[2])
{
    bool same = s[0].set.container == s[1].set.container;
    for (int k = 0; k < s[0].dim; ++k)
        same = same && s[0].box.lower[k] == s[1].box.lower[k] && s[0].box.upper[k] == s[1].box.upper[k] && s[0].box.periodic[k] == s[1].box.periodic[k];
    for (int k = 0; k < (s[0].dim == 3 ? box_numbers : 1); ++k)
        same = same && s[0].box.tilt[k] == s[1].box.tilt[k];
    return same;
}

static scree_status compare_spheres(const side s[2], result* res, bool* same)
{
    static const char* const headings[] = {"quantity", "spheres", "largest", "sphere", NULL};
    const char** names = scree_malloc((size_t)(s[0].columns + s[1].columns + 1), sizeof *names);
    const int64_t missing[2] = {count_missing(&s[0], &s[1]), count_missing(&s[1], &s[0])};
    bool begun = false;
    if (names == NULL)
        return SCREE_ERR_MEMORY;
    result_section(res, "spheres");
    result_integer(res, "n_a", s[0].count);
    result_integer(res, "n_b", s[1].count);
    result_integer(res, "n_only_a", missing[0]);
    result_integer(res, "n_only_b", missing[1]);
    *same = *same && missing[0] == 0 && missing[1] == 0;
    *same = put_only(&s[0], &s[1], "columns_only_a", names, res) && *same;
    *same = put_only(&s[1], &s[0], "columns_only_b", names, res) && *same;
    scree_free(names);
    if (s[0].has_box && s[1].has_box) {  // not all formats store it
        result_bool(res, "box_equal", same_box(s));
        *same = *same && same_box(s);
    }
    for (int c = 0; c < s[0].columns; ++c) {
        const scree_column *a = &s[0].column[c], *b = find_same(&s[1], a);
        const scree_box* box = c > 0 ? NULL : s[0].has_box ? &s[0].box : s[1].has_box ? &s[1].box : NULL;
        if (!run_may_go_on())
            return scree_fail(SCREE_ERR_CANCELLED, "stopped");
        const apart found = b != NULL ? compare_column(s, a, b, box) : (apart){0};
        if (found.rows == 0)
            continue;
        if (!begun)
            result_table_begin(res, "differences", 1, headings);
        begun = true;
        *same = false;
        result_table_row(res, (const char* const[]){a->name}, (const double[]){(double)found.rows, found.most, (double)found.sphere});
    }
    return SCREE_OK;
}

// ---- Two of them -----------------------------------------------------------------------------------------------------------

typedef enum kind { RUNS, FILES, LOGS } kind;
static const char* const kind_names[] = {"runs", "files", "logs"};

static scree_status read_sides(const common* co, kind what, side s[2])
{
    for (int k = 0; k < 2; ++k) {
        scree_status status = what == RUNS ? read_run(&s[k]) : read_file(co, &s[k]);
        if (status != SCREE_OK)
            return status;
    }
    if (s[0].dim != s[1].dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "'%s' has %d dimensions and '%s' %d; expected the same", s[0].name, (int)s[0].dim, s[1].name, (int)s[1].dim);
    if (s[0].saved.has_bodies != s[1].saved.has_bodies)
        return scree_fail(SCREE_ERR_ARGUMENT, "'%s' has %s and '%s' %s; expected the same", s[0].name, s[0].saved.has_bodies ? "bodies" : "spheres", s[1].name,
                          s[1].saved.has_bodies ? "bodies" : "spheres");
    const bool named = s[0].ids != NULL && s[1].ids != NULL;
    scree_status status = sort_places(&s[0], named);
    return status == SCREE_OK ? sort_places(&s[1], named) : status;
}

// The state at the end is what makes runs the same; log and scene say how they came apart.
static scree_status compare_runs(const side s[2], result* res, bool* same)
{
    char text[2][17], paths[2][path_room];
    for (int k = 0; k < 2; ++k)
        snprintf(text[k], sizeof text[k], "%016" PRIx64, s[k].saved.hash);
    result_integer(res, "steps_a", s[0].saved.step);
    result_integer(res, "steps_b", s[1].saved.step);
    result_text(res, "hash_a", text[0]);
    result_text(res, "hash_b", text[1]);
    *same = s[0].saved.step == s[1].saved.step && s[0].saved.hash == s[1].saved.hash;
    scree_status status = compare_spheres(s, res, same);
    bool logs = true;
    for (int k = 0; k < 2; ++k) {
        snprintf(paths[k], sizeof paths[k], "%.4000s/log.csv", s[k].name);
        logs = logs && log_is(paths[k]);
    }
    bool same_logs = true;
    if (status == SCREE_OK && logs)
        status = logs_compare((const char* const[]){paths[0], paths[1]}, res, &same_logs);
    if (status == SCREE_OK && s[0].saved.scene != NULL && s[1].saved.scene != NULL)
        status = scenes_compare((const char* const[]){s[0].saved.scene, s[1].saved.scene}, res);
    return status;
}

static scree_status compare(const common* co, const char* const* names, kind what, result* res, bool* same)
{
    side s[2] = {{.name = names[0]}, {.name = names[1]}};
    *same = true;
    scree_status status = run_may_go_on() ? SCREE_OK : scree_fail(SCREE_ERR_CANCELLED, "stopped");
    if (status == SCREE_OK && what != LOGS)
        status = read_sides(co, what, s);
    if (status == SCREE_OK)
        status = what == LOGS ? logs_compare(names, res, same) : what == RUNS ? compare_runs(s, res, same) : compare_spheres(s, res, same);
    run_watch_end();
    free_side(&s[0]);
    free_side(&s[1]);
    return status;
}

static exit_code compare_two(const arguments* args)
{
    common co;
    bool same;
    kind what[2];
    if (!common_options_of(args, &co))
        return EXIT_USAGE;
    exit_code code = file_names_check(args, &co);
    if (code != EXIT_DONE)
        return code;
    for (int k = 0; k < 2; ++k)
        what[k] = is_folder(args->files[k]) ? RUNS : log_is(args->files[k]) ? LOGS : FILES;
    if (what[0] != what[1]) {
        static const char* const called[] = {"a folder", "a file of spheres", "a log"};
        say("scree compare: '%s' is %s and '%s' is %s; expected two folders of runs, two files of spheres, or two logs\n", args->files[0], called[what[0]], args->files[1], called[what[1]]);
        return EXIT_USAGE;
    }
    result res = result_begin("compare");
    result_text(&res, "kind", kind_names[what[0]]);
    scree_status status = compare(&co, args->files, what[0], &res, &same);
    if (status == SCREE_OK) {
        result_section(&res, "result");
        result_bool(&res, "equal", same);
        result_print(&res, co.json);
    }
    result_free(&res);
    if (status != SCREE_OK)
        return run_failed(args, status);
    if (!same)
        say("scree compare: '%s' and '%s' differ\n", args->files[0], args->files[1]);
    return same ? EXIT_DONE : DIFFERENT;
}

static exit_code run(const arguments* args)
{
    const exit_code code = compare_two(args);
    return code == DIFFERENT ? EXIT_FAILED : code == EXIT_FAILED ? EXIT_USAGE : code;
}

static const option options[] = {{0}};

static const rejected_option rejected[] = {{"out", "the result is printed; --json prints it as JSON"}, {"seed", "nothing is random here"}, {0}};

static const file_use uses[] = {{READS_FILE_OR_FOLDER, NULL, NULL}, {READS_FILE_OR_FOLDER, NULL, NULL}, {0}};

const command cmd_compare = {
    .name = "compare",
    .usage = "A B",
    .about = "whether two runs, two files of spheres or two logs are the same, and where they differ most",
    .details = "Runs are the same if their last checkpoints have the same state, bit by bit; the log and the scene say where they came apart. Files are the same if all their values are. "
               "Spheres are compared by their ids where both have them, else row by row; distances of centres go the shorter way across periodic faces. Of logs, columns of work (rebuilds, seconds) are left out.\n"
               "Exit code 0: the same, 1: different, 2: they could not be compared.",
    .example = "  scree run examples/column.yaml -o drop\n  scree run examples/column.yaml -o again --method octree\n  scree compare drop again",
    .least_files = 2,
    .most_files = 2,
    .options = options,
    .rejected = rejected,
    .uses = uses,
    .run = run,
};
