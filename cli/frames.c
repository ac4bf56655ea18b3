#include "frames.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool name_ends_in(const char* text, const char* ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    if (length <= tail)
        return false;
    for (size_t k = 0; k < tail; ++k)
        if ((text[length - tail + k] | 32) != ending[k])
            return false;
    return true;
}

bool is_folder(const char* path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool add_to_list(scree_frame_times* list, const char* path)
{
    double* times = scree_realloc(list->times, (size_t)list->count + 1, sizeof *times);
    if (times != NULL)
        list->times = times;
    char** files = scree_realloc(list->files, (size_t)list->count + 1, sizeof *files);
    if (files != NULL)
        list->files = files;
    char* copy = scree_malloc(strlen(path) + 1, 1);
    if (times == NULL || files == NULL || copy == NULL) {
        scree_free(copy);
        return false;
    }
    strcpy(copy, path);
    list->times[list->count] = NAN;
    list->files[list->count++] = copy;
    return true;
}

// The frames of a run's folder: by frames.pvd, or, where the run wrote other formats, by their names.
static scree_status list_folder(const char* folder, scree_frame_times* out)
{
    char path[4096];
    struct stat about;
    if ((size_t)snprintf(path, sizeof path, "%s/frames.pvd", folder) >= sizeof path)
        return scree_fail(SCREE_ERR_ARGUMENT, "%.200s...: the name of the folder is too long; expected a shorter one", folder);
    if (stat(path, &about) == 0)
        return scree_read_pvd(path, out);
    static const char* const endings[] = {"xyz", "csv", "npy", "lmp"};
    for (size_t e = 0; e < sizeof endings / sizeof *endings && out->count == 0; ++e)
        for (int n = 0;; ++n) {
            snprintf(path, sizeof path, "%s/frames/frame_%06d.%s", folder, n, endings[e]);
            if (stat(path, &about) != 0)
                break;
            if (!add_to_list(out, path)) {
                scree_frame_times_free(out);
                return SCREE_ERR_MEMORY;
            }
        }
    if (out->count == 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: this folder holds neither frames.pvd nor frames/frame_000000.*; expected the folder of a run",
                          folder);
    return SCREE_OK;
}

scree_status frames_list(const char* in, scree_frame_times* out)
{
    if (is_folder(in))
        return list_folder(in, out);
    if (name_ends_in(in, ".pvd")) {
        scree_status status = scree_read_pvd(in, out);
        if (status == SCREE_OK && out->count == 0) {
            scree_frame_times_free(out);
            status = scree_fail(SCREE_ERR_FORMAT, "%s: the list has no frames; expected at least one", in);
        }
        return status;
    }
    return add_to_list(out, in) ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_status frame_checkpoint(const char* folder, char* path, size_t room)
{
    char newest[256] = "";
    DIR* open = opendir(folder);
    for (struct dirent* entry = open != NULL ? readdir(open) : NULL; entry != NULL; entry = readdir(open))  // steps have leading zeros
        if (strncmp(entry->d_name, "checkpoint_", 11) == 0 && name_ends_in(entry->d_name, ".npz") && strcmp(entry->d_name, newest) > 0)
            snprintf(newest, sizeof newest, "%s", entry->d_name);
    if (open == NULL)
        return scree_fail(SCREE_ERR_IO, "%s: cannot open the folder: %s", folder, strerror(errno));
    closedir(open);
    if (newest[0] == '\0')
        return scree_fail(SCREE_ERR_IO, "%s: this folder has no checkpoint; expected the folder of a run", folder);
    if ((size_t)snprintf(path, room, "%s/%s", folder, newest) >= room)
        return scree_fail(SCREE_ERR_ARGUMENT, "%.200s...: the name of this folder is too long; expected a shorter one", folder);
    return SCREE_OK;
}

exit_code frame_choose(const arguments* args, const char* in, int64_t* frame, char* path, size_t room)
{
    scree_frame_times list = {0};
    scree_status status = frames_list(in, &list);
    if (status == SCREE_OK && list.count == 0)
        status = scree_fail(SCREE_ERR_FORMAT, "%s: the run has no frames; expected at least one", in);
    if (status != SCREE_OK)
        return run_failed(args, status);
    exit_code code = EXIT_DONE;
    if (*frame >= list.count) {
        say("scree %s: --frame %" PRId64 ": '%s' has frames 0 to %" PRId64 "\n", args->what->name, *frame, in, list.count - 1);
        code = EXIT_USAGE;
    } else {
        *frame = *frame < 0 ? list.count - 1 : *frame;
        if ((size_t)snprintf(path, room, "%s", list.files[*frame]) >= room)
            code = run_failed(args, scree_fail(SCREE_ERR_ARGUMENT, "%.200s...: the name is too long; expected a shorter one", list.files[*frame]));
    }
    scree_frame_times_free(&list);
    return code;
}

static exit_code settle_set(const arguments* args, const common* co, box_need need, scree_outline_set* set)
{
    if (set->first == NULL) {
        exit_code code = settle_box(args, co, need, &set->bodies);
        if (code == EXIT_DONE)
            wrap_centres(&set->bodies);
        return code;
    }
    if (!option_given(args, "box") && !option_given(args, "periodic"))
        return EXIT_DONE;
    say("scree %s: --box and --periodic are for spheres; polygons use the box of their file\n", args->what->name);
    return EXIT_USAGE;
}

scree_status frame_check(const common* co, const char* path)
{
    return name_ends_in(path, ".lmp") ? SCREE_OK : check_format(co, path);
}

exit_code frame_read(const arguments* args, const common* co, const char* path, box_need need, scree_watch watch, scree_outline_set* set)
{
    common as = *co;
    *set = (scree_outline_set){0};
    if (name_ends_in(path, ".lmp"))
        as.format = SCREE_FORMAT_LAMMPS;
    scree_file_options reading = file_options(&as, path, "reading");
    reading.watch = watch;
    scree_status status = frame_check(co, path);
    if (status == SCREE_OK)
        status = scree_read_outlines(path, &reading, set);
    run_watch_end();
    if (status != SCREE_OK)
        return run_failed(args, status);
    exit_code code = settle_set(args, &as, need, set);
    if (code != EXIT_DONE)
        scree_outline_set_free(set);
    return code;
}

// The number behind the last '_' of the file's name, and how long the way to the run's folder is; false: it is not named as a frame of a run.
static bool split_frame(const char* path, int* folder, char number[24])
{
    const char* slash = strrchr(path, '/');
    const char* name = slash != NULL ? slash + 1 : path;
    if (strncmp(name, "frame_", 6) != 0)
        return false;
    size_t digits = strspn(name + 6, "0123456789");
    if (digits == 0 || digits > 20 || name[6 + digits] != '.')
        return false;
    snprintf(number, 24, "%.*s", (int)digits, name + 6);
    size_t way = (size_t)(name - path);
    *folder = way >= 7 && strncmp(path + way - 7, "frames/", 7) == 0 && (way == 7 || path[way - 8] == '/') ? (int)way - 7 : -1;
    return true;
}

exit_code frame_surfaces(const arguments* args, const char* frame, scree_watch watch, scree_triangles* out)
{
    char path[4096], number[24];
    int folder;
    *out = (scree_triangles){0};
    if (!split_frame(frame, &folder, number))
        return EXIT_DONE;
    size_t length = (size_t)(folder >= 0 ? snprintf(path, sizeof path, "%.*ssurfaces/surfaces_%s.vtp", folder, frame, number)
                                         : snprintf(path, sizeof path, "%.*s../surfaces/surfaces_%s.vtp", (int)(strrchr(frame, '/') != NULL ? strrchr(frame, '/') + 1 - frame : 0),
                                                    frame, number));
    if (length >= sizeof path || access(path, F_OK) != 0)
        return EXIT_DONE;
    scree_file_options reading = scree_default_file_options();
    reading.watch = watch;
    scree_status status = scree_read_triangles(path, &reading, out);
    run_watch_end();
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}

scree_veil frame_veil(const scree_triangles* triangles)
{
    scree_veil veil = scree_default_veil();
    veil.count = triangles->count;
    veil.corners = (const double(*)[3][3])(const void*)triangles->xyz;
    return veil;
}

exit_code frame_forces(const arguments* args, const char* frame, scree_watch watch, const scree_outline_set* set, scree_rods* out)
{
    char path[4096], number[24];
    int folder;
    *out = (scree_rods){0};
    bool given = args->what->most_files == 1 && strcmp(args->what->name, "picture") == 0 && option_given(args, "contacts");
    if (!given && !split_frame(frame, &folder, number)) {
        say("scree %s: --forces expects the frame of a run (frames/frame_000000.vtp), got '%s'%s\n", args->what->name, frame,
            strcmp(args->what->name, "picture") == 0 ? "; give the contacts with --contacts" : "");
        return EXIT_USAGE;
    }
    if (!given && (size_t)(folder >= 0 ? snprintf(path, sizeof path, "%.*scontacts/contacts_%s.csv", folder, frame, number)
                                       : snprintf(path, sizeof path, "%.*s../contacts/contacts_%s.csv", (int)(strrchr(frame, '/') != NULL ? strrchr(frame, '/') + 1 - frame : 0),
                                                  frame, number)) >= sizeof path) {
        say("scree %s: '%.200s...': the name is too long\n", args->what->name, frame);
        return EXIT_FAILED;
    }
    scree_file_options reading = scree_default_file_options();
    reading.watch = watch;
    scree_status status = scree_read_forces(given ? option_text(args, "contacts") : path, &reading, set, out);
    run_watch_end();
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}
