// All names of a command line are collected into one list, with the files that a command makes beside them; then each output is compared with all others. Two names are one file if
// they lead to the same inode (through symbolic and hard links), or, where one of them does not exist yet, to the same place: the folder by its real path, and the name in it.
// Devices and pipes may be named twice; standard input and output only if they are regular files.
#define _DEFAULT_SOURCE  // realpath
#include "file_names.h"

#include "frames.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct named {
    char *path, *place;  // as given; where it leads, NULL: nowhere
    const char* option;  // NULL: a positional argument
    int group;           // the name that was given, and those that the command makes from it
    bool written;
    bool exists;
    struct stat about;
} named;

typedef struct name_list {
    int count, room, groups;
    named* names;
    bool unnamed;              // a file has no extension that gives its format
    const char* of_another;    // a file whose extension gives another format than --format
} name_list;

// ---- Where a name leads ------------------------------------------------------------------------------------------

// The real path of what is, or would be made, under this name. NULL: its folder does not exist, or there is no memory.
static char* find_place(const char* path, int links)
{
    char target[PATH_MAX], folder[PATH_MAX], *whole = realpath(path, NULL);
    if (whole != NULL || errno != ENOENT || links > 40 || strlen(path) >= sizeof folder)
        return whole;
    const char* slash = strrchr(path, '/');
    int way = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(folder, sizeof folder, "%.*s", way > 0 ? way : 1, way > 0 ? path : ".");
    ssize_t length = readlink(path, target, sizeof target - 1);
    size_t room = strlen(path) + PATH_MAX + 2;
    char* next = malloc(room);
    if (next == NULL)
        return NULL;
    if (length > 0) {  // a link to nothing: the file would be made where it leads
        target[length] = '\0';
        snprintf(next, room, "%s%s%s", target[0] == '/' ? "" : folder, target[0] == '/' ? "" : "/", target);
        whole = find_place(next, links + 1);
    } else if ((whole = realpath(folder, NULL)) != NULL) {
        snprintf(next, room, "%s/%s", whole, slash != NULL ? slash + 1 : path);
        free(whole);
        return next;
    }
    free(next);
    return whole;
}

static bool is_standard(const char* path)
{
    return strcmp(path, "-") == 0;
}

static bool add_name(name_list* list, const char* of, const char* path, bool written)
{
    if (list->count == list->room) {
        int room = list->room > 0 ? 2 * list->room : 16;
        named* names = realloc(list->names, (size_t)room * sizeof *names);
        if (names == NULL)
            return false;
        list->names = names;
        list->room = room;
    }
    named* n = &list->names[list->count];
    *n = (named){.path = strdup(path), .option = of, .written = written, .group = list->groups};
    if (n->path == NULL)
        return false;
    for (size_t length = strlen(n->path); length > 1 && n->path[length - 1] == '/'; --length)
        n->path[length - 1] = '\0';
    n->exists = is_standard(path) ? fstat(written ? STDOUT_FILENO : STDIN_FILENO, &n->about) == 0 : stat(n->path, &n->about) == 0;
    n->place = is_standard(path) ? NULL : find_place(n->path, 0);
    ++list->count;
    return true;
}

static void free_list(name_list* list)
{
    for (int k = 0; k < list->count; ++k) {
        free(list->names[k].path);
        free(list->names[k].place);
    }
    free(list->names);
}

static bool are_same(const named* a, const named* b)
{
    if (a->exists && b->exists)
        return a->about.st_dev == b->about.st_dev && a->about.st_ino == b->about.st_ino && S_ISREG(a->about.st_mode);
    return !a->exists && !b->exists && a->place != NULL && b->place != NULL && strcmp(a->place, b->place) == 0;
}

// ---- Names beside the one that was given -------------------------------------------------------------------------------

static bool add_joined(name_list* list, const char* of, const char* front, const char* back, bool written)
{
    size_t room = strlen(front) + strlen(back) + 1;
    char* path = malloc(room);
    if (path != NULL)
        snprintf(path, room, "%s%s", front, back);
    bool added = path != NULL && add_name(list, of, path, written);
    free(path);
    return added;
}

// Whether a command whose arguments are words was given this one; `all` stands for each.
static bool is_asked(const arguments* args, const char* word)
{
    bool asked = false;
    for (int k = 0; k < args->file_count; ++k)
        asked = asked || strcmp(args->files[k], word) == 0 || strcmp(args->files[k], "all") == 0;
    return asked;
}

// DIR/FRONT....BACK: the middle is known only when the files are made, so these are the ones that are there.
static bool add_existing(name_list* list, const char* of, const char* folder, const char* front, const char* back)
{
    bool added = true;
    DIR* open = opendir(folder);
    for (struct dirent* entry = NULL; open != NULL && added && (entry = readdir(open)) != NULL;) {
        const char* name = entry->d_name;
        size_t length = strlen(name), ends = strlen(back);
        if (strncmp(name, front, strlen(front)) != 0 || length < strlen(front) + ends || strcmp(name + length - ends, back) != 0)
            continue;
        char path[PATH_MAX];
        snprintf(path, sizeof path, "/%s", name);
        added = add_joined(list, of, folder, path, true);
    }
    if (open != NULL)
        closedir(open);
    return added;
}

// PREFIX-gr.csv of the table `leaves`, and DIR/NAME.csv and DIR/NAME-....csv for each word that was given; with several names in a row, each.
static bool add_leaves(name_list* list, const arguments* args, const char* of, const char* given)
{
    const command* what = args->what;
    bool added = true;
    for (const left_file* f = what->leaves; f != NULL && f->name != NULL; ++f)
        for (const char* at = f->name; *at != '\0' && added; at += strspn(at, ", ")) {
            char tail[256], name[256];
            size_t length = strcspn(at, ",");
            const char* back = at + strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
            snprintf(tail, sizeof tail, "%.*s", (int)(at + length - back), back);
            at += length;
            if (strncmp(tail, "/NAME", 5) != 0) {
                added = add_joined(list, of, given, tail, true);
                continue;
            }
            char* open_end = strstr(tail, "...");  // of "/NAME-....csv"
            if (open_end != NULL)
                *open_end = '\0';
            for (int w = 0; added && what->words != NULL && what->words(w) != NULL; ++w) {
                if (!is_asked(args, what->words(w)))
                    continue;
                snprintf(name, sizeof name, "/%s%s", what->words(w), tail + 5);
                added = open_end != NULL ? add_existing(list, of, given, name + 1, open_end + 3) : add_joined(list, of, given, name, true);
            }
        }
    return added;
}

// out.level-2.vtp and so on, of a command that leaves OUT.level-K.EXT; more than the most levels that there can be.
static bool add_levels(name_list* list, const command* what, const char* of, const char* given)
{
    enum { levels_most = 64 };
    bool leaves = false, added = true;
    for (const left_file* f = what->leaves; f != NULL && f->name != NULL; ++f)
        leaves = leaves || strcmp(f->name, "OUT.level-K.EXT") == 0;
    const char *dot = strrchr(given, '.'), *slash = strrchr(given, '/');
    if (dot == NULL || (slash != NULL && dot < slash))
        dot = given + strlen(given);
    size_t room = strlen(given) + 32;
    char* path = leaves ? malloc(room) : NULL;
    for (int k = 2; k <= levels_most && path != NULL && added; ++k) {
        snprintf(path, room, "%.*s.level-%d%s", (int)(dot - given), given, k, dot);
        added = add_name(list, of, path, true);
    }
    added = added && (path != NULL || !leaves);
    free(path);
    return added;
}

// What is read or written beside a file.
static bool add_beside(name_list* list, const arguments* args, const common* co, const file_use* use, const char* given)
{
    const char* of = use->option;
    scree_format format = scree_format_of_path(given) != SCREE_FORMAT_AUTO ? scree_format_of_path(given) : co->format;
    if (use->kind == KEEPS_FILE)
        return add_joined(list, of, given, ".part", true) && add_joined(list, of, given, ".stable", true) && add_joined(list, of, given, ".stable.part", true);
    if (use->kind == WRITES_PREFIX || use->kind == WRITES_FOLDER)
        return add_leaves(list, args, of, given);
    if (format == SCREE_FORMAT_NPY && !is_standard(given) && !add_joined(list, of, given, ".box", use->kind == WRITES_FILE))
        return false;
    return use->kind != WRITES_FILE || of == NULL || strcmp(of, "out") != 0 || add_levels(list, args->what, of, given);
}

static bool add_given(name_list* list, const arguments* args, const common* co, const file_use* use, const char* given)
{
    if (given == NULL || given[0] == '\0')
        return true;
    const scree_format format = scree_format_of_path(given);
    list->unnamed = list->unnamed || format == SCREE_FORMAT_AUTO;
    if (format != SCREE_FORMAT_AUTO && format != co->format)
        list->of_another = given;
    bool written = use->kind == WRITES_FILE || use->kind == KEEPS_FILE;
    bool own = use->kind != WRITES_FOLDER && use->kind != WRITES_PREFIX;  // their files are compared, not their names
    return (!own || add_name(list, use->option, given, written)) && add_beside(list, args, co, use, given);
}

static bool collect(name_list* list, const arguments* args, const common* co)
{
    bool added = true;
    for (int k = 0; k < args->file_count && added; ++k) {
        const file_use* use = args->what->words == NULL ? use_of(args->what, NULL, k) : NULL;
        ++list->groups;
        added = use == NULL || add_given(list, args, co, use, args->files[k]);
    }
    const option* o;
    const char* value;
    for (int p = 0; added && option_nth(args, p, &o, &value); ++p) {
        const file_use* use = use_of(args->what, o->name, 0);
        if (option_is_hidden(args->what, p))
            continue;
        ++list->groups;
        if (use != NULL)
            added = add_given(list, args, co, use, value != NULL ? value : use->usual);
        else if (strcmp(o->name, "sizes") == 0 && value != NULL && strncmp(value, "table:", 6) == 0)
            added = add_name(list, "sizes", value + 6, false);
    }
    return added;
}

// ---- Whether they are as they should be ------------------------------------------------------------------------------

// "-o 'p.vtp'", "'s.csv'".
static void label(const named* n, char* text, size_t room)
{
    bool out = n->option != NULL && strcmp(n->option, "out") == 0;
    const char *name = n->option == NULL || out ? "" : n->option, *quote = is_standard(n->path) ? "" : "'";
    snprintf(text, room, "%s%s%s%s%s%s", n->option == NULL ? "" : out ? "-o" : "--", name, n->option == NULL ? "" : " ", quote,
             !is_standard(n->path) ? n->path : n->written ? "standard output" : "standard input", quote);
}

static exit_code check_apart(const arguments* args, const name_list* list)
{
    for (int a = 0; a < list->count; ++a)
        for (int b = 0; b < list->count; ++b) {
            const named *out = &list->names[a], *other = &list->names[b];
            if (out->group == other->group || !out->written || (other->written && b < a) || !are_same(out, other))
                continue;
            char text[2][PATH_MAX + 64];
            label(out, text[0], sizeof text[0]);
            label(other, text[1], sizeof text[1]);
            if (other->written)
                say("scree %s: %s and %s are the same file; expected different names\n", args->what->name, text[0], text[1]);
            else
                say("scree %s: %s would overwrite the input %s; expected another name\n", args->what->name, text[0], text[1]);
            return EXIT_USAGE;
        }
    return EXIT_DONE;
}

static scree_status check_input(const named* n, file_kind kind)
{
    if (is_standard(n->path))
        return SCREE_OK;
    if (stat(n->path, &(struct stat){0}) != 0)
        return scree_fail(SCREE_ERR_IO, "%s: cannot open: %s", n->path, strerror(errno));
    if (S_ISDIR(n->about.st_mode) ? kind == READS_FILE : kind == READS_FOLDER)
        return scree_fail(SCREE_ERR_IO, "%s: this is %s; expected a %s", n->path, kind == READS_FILE ? "a folder" : "not a folder", kind == READS_FILE ? "file" : "folder");
    if (access(n->path, R_OK) != 0)
        return scree_fail(SCREE_ERR_IO, "%s: cannot open: %s", n->path, strerror(errno));
    return SCREE_OK;
}

// Whether a file could be made under this name. Folders on the way to a folder are not looked at.
static scree_status check_output(const char* given, file_kind kind)
{
    char folder[PATH_MAX];
    struct stat about;
    if (is_standard(given))
        return SCREE_OK;
    const char* end = given + strlen(given);
    while (kind == WRITES_FILE && end > given + 1 && end[-1] == '/')
        --end;
    bool is_file = kind != WRITES_PREFIX && *end == '\0';
    bool exists = stat(given, &about) == 0;
    if (is_file && exists && S_ISDIR(about.st_mode))
        return scree_fail(SCREE_ERR_IO, "%s: this is a folder; expected the name of a file", given);
    if (is_file && exists && !S_ISREG(about.st_mode))
        return access(given, W_OK) == 0 ? SCREE_OK : scree_fail(SCREE_ERR_IO, "%s: cannot write: %s", given, strerror(errno));
    char* place = find_place(given, 0);  // a link is followed, and the file is made where it leads
    const char *path = is_file && place != NULL ? place : given, *slash = end;
    if (path == place)
        slash = place + strlen(place);
    while (slash > path && slash[-1] != '/')
        --slash;
    snprintf(folder, sizeof folder, "%.*s", slash > path ? (int)(slash - path) : 1, slash > path ? path : ".");
    free(place);
    if (stat(folder, &about) != 0)
        return scree_fail(SCREE_ERR_IO, "%s: cannot create a file in its directory: %s", given, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return scree_fail(SCREE_ERR_IO, "%s: cannot create a file in its directory: %s", given, strerror(ENOTDIR));
    if (access(folder, W_OK | X_OK) != 0)
        return scree_fail(SCREE_ERR_IO, "%s: cannot create a file in its directory: %s", given, strerror(errno));
    return SCREE_OK;
}

static scree_status check_name(const file_use* use, const char* given)
{
    named input = {.path = (char*)(uintptr_t)given, .option = use->option};
    if (given[0] == '\0')
        return scree_fail(SCREE_ERR_ARGUMENT, "%s%s%sexpected the name of a %s, got an empty one", use->option != NULL ? "--" : "", use->option != NULL ? use->option : "", use->option != NULL ? " " : "",
                          use->kind == READS_FOLDER || use->kind == WRITES_FOLDER ? "folder" : "file");
    if (use->kind == WRITES_FILE || use->kind == WRITES_PREFIX || use->kind == KEEPS_FILE)
        return check_output(given, use->kind);
    if (use->kind == WRITES_FOLDER)
        return SCREE_OK;
    input.exists = stat(given, &input.about) == 0;
    return check_input(&input, use->kind);
}

static scree_status check_one(const file_use* use, const char* given)
{
    scree_status status = given != NULL ? check_name(use, given) : SCREE_OK;
    bool main = use->option == NULL || strcmp(use->option, "out") == 0 || given == NULL || given[0] == '\0';
    return status == SCREE_OK || main ? status : scree_fail(status, "--%s %s", use->option, scree_error_message());
}

static exit_code check_all(const arguments* args, bool folders_only)
{
    const option* o;
    const char* value;
    scree_status status = SCREE_OK;
    for (int k = 0; k < args->file_count && args->what->words == NULL && status == SCREE_OK; ++k) {
        const file_use* use = use_of(args->what, NULL, k);
        status = use != NULL && (!folders_only || is_folder(args->files[k])) ? check_one(use, args->files[k]) : SCREE_OK;
    }
    for (int p = 0; status == SCREE_OK && option_nth(args, p, &o, &value); ++p) {
        const file_use* use = use_of(args->what, o->name, 0);
        if (use != NULL && !option_is_hidden(args->what, p) && (!folders_only || (value != NULL && is_folder(value))))
            status = check_one(use, value != NULL ? value : use->usual);
    }
    return status == SCREE_OK ? EXIT_DONE : status == SCREE_ERR_ARGUMENT ? run_misused(args) : run_failed(args, status);
}

// --format is for files whose extension gives none. Where there is none of these, one that it contradicts is a mistake.
static exit_code check_extensions(const arguments* args, const common* co, const name_list* list)
{
    if (co->format == SCREE_FORMAT_AUTO || list->unnamed || list->of_another == NULL)
        return EXIT_DONE;
    say("scree %s: --format %s has no effect: the extension of '%s' gives its format; expected a name without this extension, or no --format\n",
        args->what->name, scree_format_name(co->format), list->of_another);
    return EXIT_USAGE;
}

exit_code file_names_refuse_folders(const arguments* args)
{
    return check_all(args, true);
}

exit_code file_names_check(const arguments* args, const common* co)
{
    name_list list = {0};
    exit_code code = check_all(args, false);
    if (code == EXIT_DONE && !collect(&list, args, co))
        code = run_failed(args, scree_fail(SCREE_ERR_MEMORY, "out of memory for the names of files"));
    if (code == EXIT_DONE)
        code = check_apart(args, &list);
    if (code == EXIT_DONE)
        code = check_extensions(args, co, &list);
    free_list(&list);
    return code;
}
