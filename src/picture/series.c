// Films as numbered pictures: folder/picture_000000.png, ... They are written into a folder beside the target, .NAME.PID.tmp, which takes its name when all are there.
// A target that exists must be an empty folder: rename replaces it.
#include "picture/film_inner.h"
#include "picture/picture.h"

#include "files/system.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_empty_folder(const char* path)
{
    DIR* folder = scree_open_folder(path, 0);
    bool empty = folder != NULL;
    for (struct dirent* entry; empty && (entry = readdir(folder)) != NULL;)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (folder != NULL)
        closedir(folder);
    return empty;
}

// The path without slashes at its end.
static void trim(char* path)
{
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; --length)
        path[length - 1] = '\0';
}

static scree_status begin(scree_film* film)
{
    struct stat about;
    trim(film->path);
    if (lstat(film->path, &about) == 0 && !(S_ISDIR(about.st_mode) && is_empty_folder(film->path)))
        return scree_fail(SCREE_ERR_IO, "%s: it exists already; expected a new or empty folder", film->path);
    size_t room = strlen(film->path) + 64;
    film->folder = scree_malloc(room, 1);
    if (film->folder == NULL)
        return SCREE_ERR_MEMORY;
    const char* slash = strrchr(film->path, '/');
    int way = slash != NULL ? (int)(slash - film->path) + 1 : 0;
    for (int number = 0; number < 1000; ++number) {
        snprintf(film->folder, room, "%.*s.%s.%ld.%d.tmp", way, film->path, film->path + way, (long)getpid(), number);
        if (mkdir(film->folder, 0777) == 0)
            return SCREE_OK;
        if (errno != EEXIST)
            break;
    }
    scree_status status = scree_system_fail(film->path, "cannot create this folder", errno);
    scree_free(film->folder);
    return status;
}

static scree_status path_of(const scree_film* film, int64_t number, char** out)
{
    size_t room = strlen(film->folder) + 64;
    *out = scree_malloc(room, 1);
    if (*out == NULL)
        return SCREE_ERR_MEMORY;
    snprintf(*out, room, "%s/picture_%06" PRId64 ".png", film->folder, number);
    return SCREE_OK;
}

static scree_status add(scree_film* film, const uint8_t* rgba)
{
    char* path;
    scree_status status = path_of(film, film->added, &path);
    if (status != SCREE_OK)
        return status;
    status = scree_png_write(path, film->def.width, film->def.height, film->def.alpha, rgba, film->def.watch);
    scree_free(path);
    return status;
}

// Without memory for their names: the folder alone says what is in it.
static void remove_all(const scree_film* film)
{
    DIR* folder = scree_open_folder(film->folder, 0);
    for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        if (strncmp(entry->d_name, "picture_", 8) == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    rmdir(film->folder);
}

static scree_status end(scree_film* film, scree_status status)
{
    if (status == SCREE_OK && rename(film->folder, film->path) != 0)
        status = scree_system_fail(film->path, "cannot create this folder", errno);
    if (status != SCREE_OK)
        remove_all(film);
    scree_free(film->folder);
    return status;
}

const film_writer film_series = {.begin = begin, .add = add, .end = end};
