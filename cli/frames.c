#include "frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool is_folder(const char* path)
{
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool frames_add(scree_frame_list* list, const char* path)
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

scree_status frames_list(const char* folder, scree_frame_list* out)
{
    char path[4096];
    struct stat about;
    if ((size_t)snprintf(path, sizeof path, "%s/frames.pvd", folder) >= sizeof path)
        return scree_fail(SCREE_ERR_ARGUMENT, "%.200s...: the name of this folder is too long", folder);
    if (stat(path, &about) == 0)
        return scree_read_pvd(path, out);
    static const char* const endings[] = {"xyz", "csv", "npy", "lmp"};
    for (size_t e = 0; e < sizeof endings / sizeof *endings && out->count == 0; ++e)
        for (int n = 0;; ++n) {
            snprintf(path, sizeof path, "%s/frames/frame_%06d.%s", folder, n, endings[e]);
            if (stat(path, &about) != 0)
                break;
            if (!frames_add(out, path)) {
                scree_frame_list_free(out);
                return SCREE_ERR_MEMORY;
            }
        }
    if (out->count == 0)
        return scree_fail(SCREE_ERR_FORMAT, "%s: this folder holds neither frames.pvd nor frames/frame_000000.*: it is not that of a run",
                          folder);
    return SCREE_OK;
}
