// scree sweep: runs of one scene with other values, each a `scree run` in a process and a folder of its own, several at once. What a run has printed is kept in NUMBER.json, which says that it is complete: the same
// command goes on with the others, each from its last checkpoint.
#include "commands.h"
#include "file_names.h"
#include "simulate.h"

#include "scree/plot.h"
#include "scree/scene.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { keys_most = 8, values_most = 1000, runs_most = 10000, wants_most = 256, name_room = 64, path_room = 4096, setting_room = 512 };

typedef struct sweep_key {
    char name[256];
    char** values;  // as texts
    int count;
} sweep_key;

typedef struct sweep_run {
    pid_t pid;    // 0: it is not running
    bool complete, failed;
    char* output;  // what it has printed
    char why[512];  // it failed
} sweep_run;

typedef struct sweep {
    const arguments* args;
    const common* co;
    const char* folder;
    sweep_key keys[keys_most];
    int key_count, seeds, count, jobs;
    uint64_t first_seed;
    sweep_run* runs;
    uint64_t* scenes;  // hashes, of the scenes without their seeds
    char wants[wants_most][name_room];
    int want_count;
    bool chosen;  // by --want
} sweep;

// ---- What is varied ----------------------------------------------------------------------------------------------------

static bool add_value(sweep_key* key, const char* text, size_t length)
{
    char** grown = key->count < values_most ? scree_realloc(key->values, (size_t)key->count + 1, sizeof *grown) : NULL;
    if (grown == NULL)
        return false;
    key->values = grown;
    grown[key->count] = scree_malloc(length + 1, 1);
    if (grown[key->count] == NULL)
        return false;
    memcpy(grown[key->count], text, length);
    grown[key->count++][length] = '\0';
    return true;
}

// FROM:TO:COUNT. Twelve digits, so that 0.1:0.9:9 gives 0.3 and not 0.30000000000000004.
static bool add_range(sweep_key* key, double from, double to, int64_t count)
{
    char text[32];
    for (int64_t n = 0; n < count; ++n) {
        const double share = count > 1 ? (double)n / (double)(count - 1) : 0.0;
        if (!add_value(key, text, (size_t)snprintf(text, sizeof text, "%.12g", from + share * (to - from))))
            return false;
    }
    return true;
}

// The next comma that is in no list or map; NULL: there is none.
static const char* comma_in(const char* text)
{
    int depth = 0;
    for (; *text != '\0'; ++text) {
        depth += *text == '[' || *text == '{';
        depth -= *text == ']' || *text == '}';
        if (*text == ',' && depth <= 0)
            return text;
    }
    return NULL;
}

static bool read_over(const char* text, sweep_key* key)
{
    const char* equals = strchr(text, '=');
    double from, to, count;
    int used = 0;
    if (equals == NULL || equals == text || equals[1] == '\0' || (size_t)(equals - text) >= sizeof key->name) {
        say("scree sweep: --over expects a key and its values, like contact.friction=0.1:0.9:9 or contact.friction=0.1,0.5, got '%s'\n", text);
        return false;
    }
    memcpy(key->name, text, (size_t)(equals - text));
    if (strcmp(key->name, "seed") == 0) {
        say("scree sweep: --over '%s': seeds come from --seeds N, which counts from the seed of the scene or --seed; expected another key\n", text);
        return false;
    }
    if (sscanf(equals + 1, "%lf:%lf:%lf%n", &from, &to, &count, &used) == 3 && equals[1 + used] == '\0') {
        if (!(count >= 1.0 && count <= values_most) || count != floor(count) || !isfinite(from) || !isfinite(to)) {
            say("scree sweep: --over '%s' expects FROM:TO:COUNT with a count of 1 to %d\n", text, (int)values_most);
            return false;
        }
        return add_range(key, from, to, (int64_t)count);
    }
    for (const char* at = equals + 1; at != NULL;) {
        const char* comma = comma_in(at);
        const size_t length = comma != NULL ? (size_t)(comma - at) : strlen(at);
        if (length == 0 || length >= setting_room - sizeof key->name || !add_value(key, at, length)) {
            say("scree sweep: --over '%s' expects 1 to %d values with commas between them\n", text, (int)values_most);
            return false;
        }
        at = comma != NULL ? comma + 1 : NULL;
    }
    return true;
}

static bool read_wants(sweep* s, const char* text)
{
    s->chosen = text != NULL;
    for (const char* at = text; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= name_room || s->want_count == wants_most) {
            say("scree sweep: --want expects up to %d names with commas between them, got '%s'\n", (int)wants_most, text);
            return false;
        }
        memcpy(s->wants[s->want_count], at, length);
        for (int w = 0; w < s->want_count; ++w)
            if (strcmp(s->wants[w], s->wants[s->want_count]) == 0) {
                say("scree sweep: --want names %s twice in '%s'; expected it once\n", s->wants[w], text);
                return false;
            }
        ++s->want_count;
        at += length + (at[length] == ',');
    }
    return true;
}

// Run n: the seed varies fastest, then the last key.
static const char* value_of(const sweep* s, int n, int key)
{
    int64_t rest = n / s->seeds;
    for (int k = s->key_count - 1; k > key; --k)
        rest /= s->keys[k].count;
    return s->keys[key].values[rest % s->keys[key].count];
}

static uint64_t seed_of(const sweep* s, int n)
{
    return s->first_seed + (uint64_t)(n % s->seeds);
}

// The settings of run n behind those of --set.
typedef struct settings {
    const char* all[most_repeated + keys_most + 1];
    char texts[keys_most + 1][setting_room];
    int32_t count;
} settings;

static void settings_of(const sweep* s, int n, bool seeded, settings* out)
{
    out->count = option_values(s->args, "set", out->all);
    for (int k = 0; k < s->key_count; ++k) {
        snprintf(out->texts[k], setting_room, "%s=%s", s->keys[k].name, value_of(s, n, k));
        out->all[out->count++] = out->texts[k];
    }
    if (!seeded)
        return;
    snprintf(out->texts[keys_most], setting_room, "seed=%" PRIu64, seed_of(s, n));
    out->all[out->count++] = out->texts[keys_most];
}

// ---- Tables -------------------------------------------------------------------------------------------------------------

// Columns of texts, of which those that hold numbers become numbers.
static double number_in(const char* value)
{
    char* end;
    const double number = strtod(value, &end);
    return *value != '\0' && *end == '\0' ? number : (double)NAN;
}

typedef struct filled {
    scree_table_column* column;
    int count;
    double* numbers;
    const char** texts;
    char (*text_of)[name_room];
    int64_t* seeds;
} filled;

static scree_status make_filled(filled* f, int columns, int64_t rows)
{
    const size_t cells = (size_t)columns * (size_t)(rows > 0 ? rows : 1);
    *f = (filled){.count = columns, .column = scree_calloc((size_t)columns, sizeof *f->column),
                  .numbers = scree_calloc(cells, sizeof *f->numbers), .texts = scree_calloc(cells, sizeof *f->texts), .text_of = scree_calloc(cells, sizeof *f->text_of),
                  .seeds = scree_calloc((size_t)(rows > 0 ? rows : 1), sizeof *f->seeds)};
    return f->column != NULL && f->numbers != NULL && f->texts != NULL && f->text_of != NULL && f->seeds != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

static void free_filled(filled* f)
{
    scree_free(f->column);
    scree_free(f->numbers);
    scree_free(f->texts);
    scree_free(f->text_of);
    scree_free(f->seeds);
}

// Column c: numbers, if all of its texts are.
static void settle_column(filled* f, int c, const char* name, int64_t rows)
{
    const char** text = f->texts + c * rows;
    double* number = f->numbers + c * rows;
    bool counts = true;
    for (int64_t n = 0; n < rows; ++n) {
        number[n] = text[n] == NULL ? (double)NAN : number_in(text[n]);
        counts = counts && (text[n] == NULL || !isnan(number[n]));
    }
    for (int64_t n = 0; n < rows && !counts; ++n)
        text[n] = text[n] == NULL ? "" : text[n];
    f->column[c] = (scree_table_column){.name = name, .values = counts ? number : NULL, .texts = counts ? NULL : text};
}

// The values and the seed of run n, in columns `first` and on.
static void fill_values(const sweep* s, int n, filled* f, int first, int64_t row, int64_t rows)
{
    for (int k = 0; k < s->key_count; ++k)
        f->texts[(first + k) * rows + row] = value_of(s, n, k);
    f->seeds[row] = (int64_t)seed_of(s, n);
}

static void settle_values(const sweep* s, filled* f, int first, int64_t rows)
{
    for (int k = 0; k < s->key_count; ++k)
        settle_column(f, first + k, s->keys[k].name, rows);
    f->column[first + s->key_count] = (scree_table_column){.name = "seed", .integers = f->seeds};
}

// runs.csv: which run has which values, and a hash of its scene: what tells this sweep from another.
static scree_status write_runs(const sweep* s, const char* path)
{
    filled f;
    const int scene = s->key_count + 2;
    scree_status status = make_filled(&f, scene + 1, s->count);
    for (int64_t n = 0; status == SCREE_OK && n < s->count; ++n) {
        char *number = f.text_of[n], *hash = f.text_of[scene * (int64_t)s->count + n];
        snprintf(number, name_room, "%" PRId64, n + 1);
        snprintf(hash, name_room, "%016" PRIx64 "_", s->scenes[n / s->seeds]);  // no number, whatever its digits
        f.texts[n] = number;
        f.texts[scene * (int64_t)s->count + n] = hash;
        fill_values(s, (int)n, &f, 1, n, s->count);
    }
    if (status == SCREE_OK) {
        settle_column(&f, 0, "run", s->count);
        settle_values(s, &f, 1, s->count);
        settle_column(&f, scene, "scene", s->count);
        status = scree_write_table(path, NULL, s->count, f.count, f.column);
    }
    free_filled(&f);
    return status;
}

// ---- The folder --------------------------------------------------------------------------------------------------------

static const char* path_in(const sweep* s, char path[path_room], const char* format, int n)
{
    char name[64];
    snprintf(name, sizeof name, format, n);
    snprintf(path, path_room, "%s/%s", s->folder, name);
    return path;
}

static bool same_text(const char* path, const char* other)
{
    char *one = read_whole_file(path), *two = read_whole_file(other);
    const bool same = one != NULL && two != NULL && strcmp(one, two) == 0;
    scree_free(one);
    scree_free(two);
    return same;
}

static uint64_t hash_of(const char* text)
{
    uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
    for (; *text != '\0'; ++text)
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return hash;
}

// A scene as it is written with all defaults and the first seed: its hash. A seed of the scene is the first one, where none is known yet.
static scree_status hash_scene(sweep* s, const settings* with, bool first, const char* path, uint64_t* hash)
{
    scree_scene* scene = NULL;
    scree_status status = scree_read_scene_with(s->args->files[0], with->count, with->all, &scene);
    if (status == SCREE_OK && first) {
        scree_scene_facts facts;
        scree_scene_get_facts(scene, &facts);
        s->first_seed = option_given(s->args, "seed") ? s->co->seed : facts.seed;
        if (s->first_seed > (uint64_t)INT64_MAX - runs_most)
            status = scree_fail(SCREE_ERR_ARGUMENT, "the first seed is %" PRIu64 "; expected at most %" PRIu64, s->first_seed, (uint64_t)INT64_MAX - runs_most);
    }
    if (status == SCREE_OK)
        status = scree_scene_set_seed(scene, s->first_seed);
    if (status == SCREE_OK)
        status = scree_write_scene(path, scene);
    char* text = status == SCREE_OK ? read_whole_file(path) : NULL;
    if (status == SCREE_OK && text == NULL)
        status = scree_fail(SCREE_ERR_IO, "%s: cannot read what was just written: %s", path, strerror(errno));
    if (text != NULL)
        *hash = hash_of(text);
    scree_free(text);
    scree_scene_destroy(scene);
    return status;
}

// Two keys may name one value (insert.1.rate and insert.feed.rate), or one is a part of the other: then the last one wins, and the column of the first one is wrong. Seen by setting them in the
// other order.
static scree_status check_pair(sweep* s, int one, int two, const char* path)
{
    const sweep_key *a = &s->keys[one], *b = &s->keys[two];
    int of_a = 0, of_b = 0;  // two different values, if there are
    while (of_b + 1 < b->count && strcmp(a->values[0], b->values[of_b]) == 0)
        ++of_b;
    while (of_a + 1 < a->count && strcmp(a->values[of_a], b->values[of_b]) == 0)
        ++of_a;
    uint64_t hash[2] = {0, 0};
    scree_status status = SCREE_OK;
    settings with;
    settings_of(s, 0, false, &with);
    snprintf(with.texts[one], setting_room, "%s=%s", a->name, a->values[of_a]);
    snprintf(with.texts[two], setting_room, "%s=%s", b->name, b->values[of_b]);
    int32_t at = with.count - s->key_count;
    for (int k = 0; k < s->key_count; ++k)
        if (k != one && k != two)
            with.all[at++] = with.texts[k];
    for (int turned = 0; turned < 2 && status == SCREE_OK; ++turned) {
        with.all[at] = with.texts[turned ? two : one];
        with.all[at + 1] = with.texts[turned ? one : two];
        status = hash_scene(s, &with, false, path, &hash[turned]);
    }
    if (status == SCREE_OK ? hash[0] == hash[1] : status != SCREE_ERR_FORMAT && status != SCREE_ERR_ARGUMENT)
        return status;
    return scree_fail(SCREE_ERR_ARGUMENT, "--over %s and --over %s set the same value of the scene, or one is a part of the other; expected keys of different values", a->name, b->name);
}

// Every scene is read before the first run begins, so that a wrong value is found now. The first one is left in `kept`.
static scree_status check_scenes(sweep* s, const char* kept, const char* other)
{
    scree_watch watch = run_watch("scenes", s->co->quiet);
    scree_status status = SCREE_OK;
    for (int n = 0; n < s->count && status == SCREE_OK; n += s->seeds) {
        settings with;
        settings_of(s, n, false, &with);
        status = hash_scene(s, &with, n == 0, n == 0 ? kept : other, &s->scenes[n / s->seeds]);
        if (status == SCREE_OK && watch.tick != NULL && !watch.tick(watch.context, (double)n / s->count))
            status = scree_fail(SCREE_ERR_CANCELLED, "stopped; nothing has begun");
    }
    for (int two = 1; two < s->key_count; ++two)
        for (int one = 0; one < two && status == SCREE_OK; ++one)
            status = check_pair(s, one, two, other);
    run_watch_end();
    unlink(other);
    return status;
}

// Runs inherit the descriptor and hold the lock with it: those of a sweep that was killed end in a moment.
static scree_status take_lock(const char* folder, int* lock)
{
    for (int tries = 0; tries < 100; ++tries) {
        struct stat held, named;
        *lock = open(folder, O_RDONLY | O_DIRECTORY);
        if (*lock < 0)
            return scree_fail(SCREE_ERR_IO, "%s: cannot open the folder: %s", folder, strerror(errno));
        if (flock(*lock, LOCK_EX | LOCK_NB) == 0 && fstat(*lock, &held) == 0 && stat(folder, &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev)
            return SCREE_OK;
        close(*lock);
        *lock = -1;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return scree_fail(SCREE_ERR_IO, "%s: another scree sweep works in this folder; expected one that has ended", folder);
}

// Whether there is nothing but what a sweep that was killed in its first moment leaves.
static bool is_fresh(const char* folder)
{
    DIR* open = opendir(folder);
    bool fresh = open != NULL;
    for (const struct dirent* entry; fresh && (entry = readdir(open)) != NULL;)
        fresh = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || strcmp(entry->d_name, ".runs.csv.new") == 0 || strcmp(entry->d_name, ".scene.yaml.new") == 0 ||
                strcmp(entry->d_name, ".scene.yaml.other") == 0;
    if (open != NULL)
        closedir(open);
    return fresh;
}

// Makes the folder, or finds that it holds this sweep. *lock: a descriptor to be kept open.
static scree_status open_folder(sweep* s, int* lock)
{
    char kept[path_room], other[path_room], scene[path_room], runs[path_room], again[path_room];
    path_in(s, kept, ".scene.yaml.new", 0);
    path_in(s, other, ".scene.yaml.other", 0);
    path_in(s, scene, "scene.yaml", 0);
    path_in(s, runs, "runs.csv", 0);
    path_in(s, again, ".runs.csv.new", 0);
    const bool made = mkdir(s->folder, 0777) == 0;
    if (!made && errno != EEXIST)
        return scree_fail(SCREE_ERR_IO, "%s: cannot create the folder: %s", s->folder, strerror(errno));
    scree_status status = take_lock(s->folder, lock);
    if (status != SCREE_OK)
        return status;
    const bool known = access(runs, F_OK) == 0;
    if (!known && !is_fresh(s->folder))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the folder holds other files; expected a new or empty one, or one of this sweep", s->folder);
    status = check_scenes(s, kept, other);
    if (status == SCREE_OK)
        status = write_runs(s, again);
    if (status == SCREE_OK && known && !same_text(again, runs))
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: the folder holds a sweep of another scene or of other values (runs.csv in it); expected a new folder, or the same command to continue it", s->folder);
    else if (status == SCREE_OK && ((!known && rename(again, runs) != 0) || rename(kept, scene) != 0))
        status = scree_fail(SCREE_ERR_IO, "%s: cannot rename files: %s", s->folder, strerror(errno));
    unlink(kept);
    unlink(again);
    if (status != SCREE_OK && made)
        rmdir(s->folder);
    return status;
}

// ---- What runs print ---------------------------------------------------------------------------------------------------

// The value of a key of the object as text, with its quotes. False: there is none, or a list.
static bool find_value(const char* output, const char* name, char value[name_room])
{
    char line[name_room + 8];
    snprintf(line, sizeof line, "\n  \"%s\": ", name);
    const char* at = output != NULL ? strstr(output, line) : NULL;
    if (at == NULL)
        return false;
    at += strlen(line);
    size_t length = strcspn(at, "\n");
    length -= length > 0 && at[length - 1] == ',';
    if (*at == '[' || *at == '{' || strncmp(at, "null", 4) == 0)
        return false;
    if (length < name_room)
        snprintf(value, name_room, "%.*s", (int)length, at);
    else  // a long text
        snprintf(value, name_room, "%.*s...\"", name_room - 5, at);
    return true;
}

// All numbers of the object are wanted where nothing was chosen.
static void want_numbers(sweep* s, const char* output)
{
    static const char* const others[] = {"schema", "command"};
    for (const char* at = strstr(output, "\n  \""); at != NULL; at = strstr(at + 1, "\n  \"")) {
        char name[name_room], value[name_room];
        const size_t length = strcspn(at + 4, "\"");
        if (length >= name_room || s->want_count == wants_most)
            continue;
        memcpy(name, at + 4, length);
        name[length] = '\0';
        bool known = strcmp(name, others[0]) == 0 || strcmp(name, others[1]) == 0;
        for (int w = 0; w < s->want_count && !known; ++w)
            known = strcmp(s->wants[w], name) == 0;
        if (!known && find_value(output, name, value) && !isnan(number_in(value)))
            strcpy(s->wants[s->want_count++], name);
    }
}

// ---- Results ----------------------------------------------------------------------------------------------------------

// Rows of all runs that have ended.
static scree_status fill(const sweep* s, filled* f, int64_t* row_count)
{
    int64_t rows = 0;
    for (int n = 0; n < s->count; ++n)
        rows += s->runs[n].complete || s->runs[n].failed;
    *row_count = rows;
    scree_status status = make_filled(f, s->key_count + s->want_count + 3, rows);
    if (status != SCREE_OK)
        return status;
    int64_t row = 0;
    const int hash = s->key_count + 1, want = hash + 1, why = want + s->want_count;
    for (int n = 0; n < s->count; ++n) {
        const sweep_run* run = &s->runs[n];
        if (!run->complete && !run->failed)
            continue;
        fill_values(s, n, f, 0, row, rows);
        for (int w = -1; w < s->want_count; ++w) {
            const int c = w < 0 ? hash : want + w;
            char value[name_room], *own = f->text_of[c * rows + row];
            if (!find_value(run->output, w < 0 ? "hash" : s->wants[w], value))
                continue;
            const bool quoted = *value == '"';
            snprintf(own, name_room, "%.*s", (int)strlen(value) - 2 * quoted, value + quoted);
            f->texts[c * rows + row] = own;
        }
        f->texts[why * rows + row] = run->why;
        ++row;
    }
    settle_values(s, f, 0, rows);
    settle_column(f, hash, "hash", rows);
    for (int64_t n = 0; n < rows; ++n)
        f->texts[hash * rows + n] = f->texts[hash * rows + n] == NULL ? "" : f->texts[hash * rows + n];
    f->column[hash] = (scree_table_column){.name = "hash", .texts = f->texts + hash * rows};  // some have digits alone
    for (int w = 0; w < s->want_count; ++w)
        settle_column(f, want + w, s->wants[w], rows);
    f->column[why] = (scree_table_column){.name = "error", .texts = f->texts + why * rows};
    return SCREE_OK;
}

// The first quantity over the first key: a line for each choice of the other keys, the mean over seeds with its range.
static scree_status draw(const sweep* s, const filled* f, int64_t rows, const char* path, bool* drawn)
{
    const double *x = f->column[0].values, *y = s->want_count > 0 ? f->column[s->key_count + 2].values : NULL;
    *drawn = false;
    if (s->key_count == 0 || x == NULL || y == NULL || rows == 0)
        return SCREE_OK;
    int lines = 1;
    for (int k = 1; k < s->key_count; ++k)
        lines *= s->keys[k].count;
    if (lines > 12)
        return SCREE_OK;
    const int points = s->keys[0].count;
    scree_series* series = scree_calloc((size_t)lines, sizeof *series);
    double* values = scree_calloc(4 * (size_t)lines * (size_t)points, sizeof *values);
    int* counts = scree_calloc((size_t)lines * (size_t)points, sizeof *counts);
    char (*names)[128] = scree_calloc((size_t)lines, sizeof *names);
    scree_status status = series != NULL && values != NULL && counts != NULL && names != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    int64_t row = 0;
    for (int n = 0; n < s->count && status == SCREE_OK; ++n) {
        if (!s->runs[n].complete && !s->runs[n].failed)
            continue;
        const int set = n / s->seeds, line = set % lines, point = set / lines;
        double* at = values + 4 * ((int64_t)line * points);
        int* count = &counts[line * points + point];
        const double value = y[row];
        at[point] = x[row++];
        if (isnan(value))
            continue;
        at[points + point] += value;
        at[2 * points + point] = *count > 0 ? fmin(at[2 * points + point], value) : value;
        at[3 * points + point] = *count > 0 ? fmax(at[3 * points + point], value) : value;
        ++*count;
    }
    for (int line = 0; line < lines && status == SCREE_OK; ++line) {
        double* at = values + 4 * ((int64_t)line * points);
        for (int p = 0; p < points; ++p) {
            const int count = counts[line * points + p];
            at[points + p] = count > 0 ? at[points + p] / count : (double)NAN;
            if (count == 0)
                at[2 * points + p] = at[3 * points + p] = (double)NAN;
        }
        int used = 0;
        for (int k = 1; k < s->key_count && used < 100; ++k)
            used += snprintf(names[line] + used, sizeof names[line] - (size_t)used, "%s%.60s %.30s", k > 1 ? ", " : "", s->keys[k].name, value_of(s, line * s->seeds, k));
        series[line] = (scree_series){.name = s->key_count > 1 ? names[line] : NULL, .count = points, .x = at, .y = at + points};
        if (s->seeds > 1) {
            series[line].low = at + 2 * points;
            series[line].high = at + 3 * points;
        }
    }
    if (status == SCREE_OK) {
        scree_plot plot = scree_default_plot();
        plot.title = s->seeds > 1 ? "mean over seeds, with the lowest and highest" : NULL;
        plot.x_label = s->keys[0].name;
        plot.y_label = s->wants[0];
        plot.series = series;
        plot.series_count = lines;
        status = scree_write_plot(path, &plot);
        *drawn = status == SCREE_OK;
    }
    scree_free(series);
    scree_free(values);
    scree_free(counts);
    scree_free(names);
    return status;
}

static scree_status write_results(sweep* s, bool last, bool* drawn)
{
    char path[path_room];
    filled f = {0};
    int64_t rows;
    scree_status status = fill(s, &f, &rows);
    if (status == SCREE_OK)
        status = scree_write_table(path_in(s, path, "results.csv", 0), NULL, rows, f.count, f.column);
    if (status == SCREE_OK && last)
        status = draw(s, &f, rows, path_in(s, path, "results.png", 0), drawn);
    free_filled(&f);
    return status;
}

// ---- The runs ----------------------------------------------------------------------------------------------------------

// What run n printed, if it is complete.
static bool take(sweep* s, int n)
{
    char path[path_room];
    sweep_run* run = &s->runs[n];
    char hash[name_room];
    run->output = read_whole_file(path_in(s, path, "%04d.json", n + 1));
    const size_t length = run->output != NULL ? strlen(run->output) : 0;
    run->complete = length > 2 && strcmp(run->output + length - 2, "}\n") == 0 && find_value(run->output, "hash", hash);
    if (run->complete && !s->chosen)
        want_numbers(s, run->output);
    return run->complete;
}

static void send_to(const char* path, int descriptor)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(EXIT_FAILED);
    close(file);
}

static bool has_checkpoint(const char* folder)
{
    DIR* open = opendir(folder);
    bool found = false;
    for (const struct dirent* entry; open != NULL && !found && (entry = readdir(open)) != NULL;)
        found = strncmp(entry->d_name, "checkpoint_", strlen("checkpoint_")) == 0;
    if (open != NULL)
        closedir(open);
    return found;
}

// Becomes `scree run`, or `scree resume` where there is a folder that has begun.
static void become_run(const sweep* s, int n)
{
    char folder[path_room], path[path_room], threads[16];
    const char* words[2 * (most_repeated + keys_most) + 24];
    int count = 0;
    settings with;
    path_in(s, folder, "%04d", n + 1);
    const bool begun = has_checkpoint(folder);
    snprintf(threads, sizeof threads, "%d", (int)(s->co->threads > 0 ? s->co->threads : 1));
    settings_of(s, n, true, &with);
    words[count++] = "scree";
    words[count++] = begun ? "resume" : "run";
    words[count++] = begun ? folder : s->args->files[0];
    if (!begun) {
        words[count++] = "-o";
        words[count++] = folder;
        words[count++] = "--force";
        for (int32_t k = 0; k < with.count; ++k) {
            words[count++] = "--set";
            words[count++] = with.all[k];
        }
    }
    words[count++] = "--threads";
    words[count++] = threads;
    words[count++] = "--json";
    words[count] = NULL;
    send_to("/dev/null", STDIN_FILENO);
    send_to(path_in(s, path, ".%04d.json.new", n + 1), STDOUT_FILENO);
    send_to(path_in(s, path, "%04d.log", n + 1), STDERR_FILENO);
    unsetenv("SCREE_TEST_STOP");  // which stops the sweep
    execv("/proc/self/exe", (char**)words);
    _exit(EXIT_FAILED);
}

static scree_status start(sweep* s, int n)
{
    fflush(NULL);
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // a sweep started again must not find this run still working
        if (getppid() != parent)
            _exit(EXIT_FAILED);
        setpgid(0, 0);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        become_run(s, n);
    }
    if (pid < 0)
        return scree_fail(SCREE_ERR_IO, "cannot create a process: %s", strerror(errno));
    s->runs[n].pid = pid;
    return SCREE_OK;
}

// The last line of its log that says something.
static void say_why(sweep* s, int n, int state)
{
    char path[path_room];
    sweep_run* run = &s->runs[n];
    char* log = read_whole_file(path_in(s, path, "%04d.log", n + 1));
    run->failed = true;
    if (WIFSIGNALED(state))
        snprintf(run->why, sizeof run->why, "ended by signal %d (%s)", WTERMSIG(state), strsignal(WTERMSIG(state)));
    else
        snprintf(run->why, sizeof run->why, "exit code %d", WEXITSTATUS(state));
    for (char* line = log != NULL ? strtok(log, "\n") : NULL; line != NULL; line = strtok(NULL, "\n")) {
        const char* colon = strncmp(line, "scree ", 6) == 0 ? strstr(line, ": ") : NULL;
        if (colon != NULL)
            snprintf(run->why, sizeof run->why, "%s", colon + 2);
    }
    scree_free(log);
}

static scree_status end_run(sweep* s, int n, int state)
{
    char part[path_room], whole[path_room];
    path_in(s, part, ".%04d.json.new", n + 1);
    path_in(s, whole, "%04d.json", n + 1);
    s->runs[n].pid = 0;
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
        unlink(part);
        say_why(s, n, state);
        return SCREE_OK;
    }
    const int file = open(part, O_RDONLY);
    const bool kept = file >= 0 && fsync(file) == 0 && rename(part, whole) == 0;
    if (file >= 0)
        close(file);
    if (!kept)
        return scree_fail(SCREE_ERR_IO, "%s: cannot keep the result: %s", whole, strerror(errno));
    return take(s, n) ? SCREE_OK : scree_fail(SCREE_ERR_IO, "%s: the result is not whole; expected the object of scree run --json", whole);
}

static int run_of(const sweep* s, pid_t pid)
{
    int n = 0;
    while (n < s->count && s->runs[n].pid != pid)
        ++n;
    return n;
}

// All that still run write a checkpoint and end.
static void stop_all(sweep* s)
{
    int state;
    for (int n = 0; n < s->count; ++n)
        if (s->runs[n].pid != 0)
            kill(s->runs[n].pid, SIGTERM);
    for (int n = 0; n < s->count; ++n)
        if (s->runs[n].pid != 0) {
            while (waitpid(s->runs[n].pid, &state, 0) < 0 && errno == EINTR)
                continue;
            char part[path_room];
            if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
                end_run(s, n, state);
            unlink(path_in(s, part, ".%04d.json.new", n + 1));
            s->runs[n].pid = 0;
        }
}

static int ended(const sweep* s, bool complete)
{
    int count = 0;
    for (int n = 0; n < s->count; ++n)
        count += s->runs[n].complete || (!complete && s->runs[n].failed);
    return count;
}

static scree_status work(sweep* s)
{
    scree_status status = SCREE_OK;
    scree_watch watch = run_watch("runs", s->co->quiet);
    bool drawn;
    double written = -1.0;
    int next = 0, working = 0;
    for (int n = 0; n < s->count; ++n)
        take(s, n);
    while (status == SCREE_OK && (next < s->count || working > 0)) {
        while (next < s->count && s->runs[next].complete)
            ++next;
        if (next < s->count && working < s->jobs) {
            status = start(s, next++);
            working += status == SCREE_OK;
            continue;
        }
        int state;
        const pid_t pid = waitpid(-1, &state, WNOHANG);
        const int n = pid > 0 ? run_of(s, pid) : s->count;
        if (n < s->count) {
            --working;
            status = end_run(s, n, state);
            if (status == SCREE_OK && run_seconds() - written > 1.0) {
                status = write_results(s, false, &drawn);
                written = run_seconds();
            }
        }
        const int done = ended(s, false);
        if (status == SCREE_OK && (run_interrupted() || (watch.tick != NULL && !watch.tick(watch.context, (double)done / s->count))))
            status = SCREE_ERR_CANCELLED;
        if (pid <= 0 && status == SCREE_OK && working > 0)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    stop_all(s);
    if (status == SCREE_ERR_CANCELLED)
        status = scree_fail(SCREE_ERR_CANCELLED, "stopped; %d of %d runs are complete, and the same command continues", ended(s, true), s->count);
    run_watch_end();
    return status;
}

// ---- The command -------------------------------------------------------------------------------------------------------

static exit_code tell(const sweep* s, bool drawn, double seconds)
{
    char path[path_room];
    const int failed = ended(s, false) - ended(s, true);
    filled f = {0};
    int64_t rows;
    result res = result_begin("sweep");
    result_integer(&res, "runs", s->count);
    result_integer(&res, "failed", failed);
    result_text(&res, "results", path_in(s, path, "results.csv", 0));
    if (drawn)
        result_text(&res, "picture", path_in(s, path, "results.png", 0));
    result_number(&res, "seconds", seconds);
    if (fill(s, &f, &rows) == SCREE_OK) {
        result_column* column = scree_calloc((size_t)f.count, sizeof *column);
        for (int c = 0; column != NULL && c < f.count; ++c)
            column[c] = (result_column){.name = f.column[c].name, .values = f.column[c].values, .integers = f.column[c].integers, .texts = f.column[c].texts};
        if (column != NULL)
            result_table(&res, "rows", "", f.count, column, rows);
        result_only(&res, RESULT_JSON);
        scree_free(column);
    }
    result_print(&res, s->co->json);
    result_free(&res);
    free_filled(&f);
    for (int n = 0; n < s->count; ++n)
        if (s->runs[n].failed)
            say("scree sweep: run %04d failed: %s\n", n + 1, s->runs[n].why);
    return failed > 0 ? EXIT_FAILED : EXIT_DONE;
}

static bool is_there(const sweep* s, const char* want)
{
    bool there = false, any = false;
    for (int n = 0; n < s->count; ++n) {
        char value[name_room];
        any = any || s->runs[n].complete;
        there = there || find_value(s->runs[n].output, want, value);
    }
    return there || !any;
}

static exit_code go(sweep* s)
{
    int lock = -1;
    bool drawn = false;
    const double begun = run_seconds();
    s->scenes = scree_calloc((size_t)(s->count / s->seeds), sizeof *s->scenes);
    scree_status status = s->scenes != NULL ? open_folder(s, &lock) : SCREE_ERR_MEMORY;
    s->runs = status == SCREE_OK ? scree_calloc((size_t)s->count, sizeof *s->runs) : NULL;
    run_hears(false);  // the table is written after a stop too
    if (status == SCREE_OK)
        status = s->runs != NULL ? work(s) : SCREE_ERR_MEMORY;
    const bool stopped = status == SCREE_ERR_CANCELLED && s->runs != NULL;
    exit_code code = stopped ? run_stopped(s->args) : EXIT_DONE;
    if (status == SCREE_OK || stopped)
        status = write_results(s, true, &drawn);
    if (status != SCREE_OK)
        code = run_failed(s->args, status);
    else if (!stopped)
        code = tell(s, drawn, run_seconds() - begun);
    for (int w = 0; w < s->want_count && s->chosen && status == SCREE_OK; ++w)
        if (!is_there(s, s->wants[w]))
            say("note: no run has a single value '%s' of --want; scree run --json shows which there are\n", s->wants[w]);
    for (int n = 0; s->runs != NULL && n < s->count; ++n)
        scree_free(s->runs[n].output);
    scree_free(s->runs);
    scree_free(s->scenes);
    if (lock >= 0)
        close(lock);
    return code;
}

static exit_code sweep_of(const arguments* args, sweep* s)
{
    const char* over[most_repeated];
    int64_t seeds = 1, jobs = sysconf(_SC_NPROCESSORS_ONLN), runs = 1;
    const int count = option_values(args, "over", over);
    if (!option_integer(args, "seeds", 1, runs_most, &seeds) || !option_integer(args, "jobs", 1, 1024, &jobs) || !read_wants(s, option_text(args, "want")))
        return EXIT_USAGE;
    if (count > keys_most || (count == 0 && seeds == 1)) {
        say("scree sweep: %d keys are given by --over; expected 1 to %d, or --seeds of 2 or more\n", count, (int)keys_most);
        return EXIT_USAGE;
    }
    for (s->key_count = 0; s->key_count < count; ++s->key_count) {
        if (!read_over(over[s->key_count], &s->keys[s->key_count]))
            return EXIT_USAGE;
        for (int k = 0; k < s->key_count; ++k)
            if (strcmp(s->keys[k].name, s->keys[s->key_count].name) == 0) {
                say("scree sweep: --over %s was given twice; expected once\n", s->keys[k].name);
                return EXIT_USAGE;
            }
        runs *= s->keys[s->key_count].count;
        if (runs > runs_most)
            break;
    }
    if (runs * seeds > runs_most) {
        say("scree sweep: --over and --seeds give more than %d runs; expected at most that many\n", (int)runs_most);
        return EXIT_USAGE;
    }
    s->seeds = (int)seeds;
    s->jobs = (int)jobs;
    s->count = (int)(runs * seeds);
    return go(s);
}

static exit_code run(const arguments* args)
{
    common co;
    if (!common_options_of(args, &co))
        return EXIT_USAGE;
    if (co.out == NULL || strcmp(co.out, "") == 0 || strcmp(co.out, "-") == 0) {
        say("scree sweep: -o expects the name of a folder: scree sweep %s --over KEY=VALUES -o FOLDER\n", args->files[0]);
        return EXIT_USAGE;
    }
    if (strcmp(args->files[0], "-") == 0) {
        say("scree sweep: the scene is read for each run; expected a file, got standard input\n");
        return EXIT_USAGE;
    }
    exit_code code = file_names_check(args, &co);
    if (code != EXIT_DONE)
        return code;
    sweep* s = scree_calloc(1, sizeof *s);
    if (s == NULL)
        return run_failed(args, SCREE_ERR_MEMORY);
    *s = (sweep){.args = args, .co = &co, .folder = co.out};
    code = sweep_of(args, s);
    for (int k = 0; k < keys_most; ++k) {
        for (int v = 0; v < s->keys[k].count; ++v)
            scree_free(s->keys[k].values[v]);
        scree_free(s->keys[k].values);
    }
    scree_free(s);
    return code;
}

static const option options[] = {
    {"over", 0, "KEY=VALUES", "vary this key: 0.1:0.9:9 (nine values from 0.1 to 0.9) or 0.1,0.5; several times for all combinations"},
    {"seeds", 0, "N", "N runs of each, with the seed of the scene and the next ones (default 1)"},
    {"want", 0, "NAME,...", "quantities of the results table (default: all single numbers of scree run --json)"},
    {"threads", 0, "N", "threads of each run (default 1); results do not depend on it"},
    {"jobs", 0, "N", "runs at the same time (default: one per core)"},
    SET_OPTION,
    {"out", 'o', "FOLDER", "folder for the runs, results.csv and results.png: new, empty, or of the same sweep, which continues"},
    {0},
};

static const char* const repeated[] = {"over", "set", NULL};

static const rejected_option rejected[] = {
    {"format", "the scene sets the formats (output.formats)"},
    {"force", "a sweep that was stopped continues; choose a new folder for another one"},
    {"ranks", "the runs are side by side; expected --jobs"},
    {0},
};

static const file_use uses[] = {{READS_FILE, NULL, NULL}, {WRITES_FOLDER, "out", NULL}, {0}};

static const left_file leaves[] = {
    {"results.csv", "a row per run: the keys of --over, seed, hash, the quantities, and why it failed"},
    {"results.png", "the first quantity over the first key"},
    {"runs.csv", "which run has which values"},
    {"scene.yaml", "the scene of the first run, with all defaults"},
    {"0001, 0002, ...", "the folders of the runs, as scree run leaves them"},
    {"0001.json, 0001.log, ...", "what each run has printed"},
    {0},
};

const command cmd_sweep = {
    .name = "sweep",
    .usage = "SCENE.yaml --over KEY=VALUES [--seeds N] -o FOLDER",
    .about = "runs a scene with several values of its keys, side by side, into one table",
    .details = "Each run is a process with one thread (--threads for more). After Ctrl-C, a crash or kill -9 the same command continues: complete runs are not repeated, the others go on from their last checkpoints. "
               "A run that fails does not stop the others; its row says why, and the exit code is 1.",
    .example = "  scree sweep examples/column.yaml --over contact.restitution=0.3:0.9:3 --seeds 2 -o study\n  scree sweep examples/column.yaml --over contact.restitution=0.3,0.9 --want energy_kinetic,pressure -o study2",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .repeated = repeated,
    .rejected = rejected,
    .uses = uses,
    .leaves = leaves,
    .run = run,
};
