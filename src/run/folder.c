// The folder of a run: made once, refused if it holds something, cleaned of an earlier run only when that was asked for and only of
// files that such a run writes.
#include "run/run_inner.h"

#include "files/system.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

scree_status run_path(const scree_run* run, char* path, size_t room, const char* format, ...)
{
    int length = snprintf(path, room, "%s/", run->folder);
    if (length > 0 && (size_t)length < room) {
        va_list arguments;
        va_start(arguments, format);
        int more = vsnprintf(path + length, room - (size_t)length, format, arguments);
        va_end(arguments);
        if (more >= 0 && (size_t)more < room - (size_t)length)
            return SCREE_OK;
    }
    return scree_fail(SCREE_ERR_ARGUMENT, "%s: the name of this folder is too long", run->folder);
}

static bool begins(const char* name, const char* with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

// Files that a run writes, by where they are.
static bool is_ours(const char* sub, const char* name)
{
    if (sub[0] == '\0')
        return strcmp(name, "scene.yaml") == 0 || strcmp(name, "log.csv") == 0 || strcmp(name, "frames.pvd") == 0 ||
               begins(name, "checkpoint_") || begins(name, "animation.");
    return (strcmp(sub, "frames") == 0 && begins(name, "frame_")) || (strcmp(sub, "contacts") == 0 && begins(name, "contacts_")) ||
           (strcmp(sub, "pictures") == 0 && begins(name, "picture_"));
}

static bool is_sub(const char* name)
{
    return strcmp(name, "frames") == 0 || strcmp(name, "contacts") == 0 || strcmp(name, "pictures") == 0;
}

// Removes what a run wrote; what else is there stays. Best effort: what cannot be removed is found later, when it is in the way.
static void clean(const scree_run* run, const char* sub)
{
    char path[4096];
    if (run_path(run, path, sizeof path, "%s", sub) != SCREE_OK)
        return;
    DIR* folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (sub[0] == '\0' && is_sub(entry->d_name))
            clean(run, entry->d_name);
        else if (is_ours(sub, entry->d_name) && run_path(run, path, sizeof path, "%s%s%s", sub, sub[0] != '\0' ? "/" : "", entry->d_name) == SCREE_OK)
            unlink(path);
    }
    closedir(folder);
    if (sub[0] != '\0' && run_path(run, path, sizeof path, "%s", sub) == SCREE_OK)
        rmdir(path);
}

// What a writing that was killed has left behind.
static bool is_left(const char* name)
{
    size_t length = strlen(name);
    return name[0] == '.' && length > 4 && strcmp(name + length - 4, ".tmp") == 0;
}

void run_folder_tidy(const scree_run* run, const char* sub)
{
    char path[4096];
    DIR* folder = run_path(run, path, sizeof path, "%s", sub) == SCREE_OK ? opendir(path) : NULL;
    if (folder == NULL)
        return;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (sub[0] == '\0' && is_sub(entry->d_name))
            run_folder_tidy(run, entry->d_name);
        else if (is_left(entry->d_name) && run_path(run, path, sizeof path, "%s%s%s", sub, sub[0] != '\0' ? "/" : "", entry->d_name) == SCREE_OK)
            unlink(path);
    }
    closedir(folder);
}

scree_status run_folder_make(scree_run* run, bool* made)
{
    *made = mkdir(run->folder, 0777) == 0;
    if (*made)
        return SCREE_OK;
    int error = errno;
    struct stat what;
    if (error != EEXIST || stat(run->folder, &what) != 0 || !S_ISDIR(what.st_mode))
        return scree_system_fail(run->folder, "the folder for the run cannot be made", error);
    DIR* folder = opendir(run->folder);
    if (folder == NULL)
        return scree_system_fail(run->folder, "the folder cannot be read", errno);
    char other[256] = "";
    for (struct dirent* entry = readdir(folder); entry != NULL && other[0] == '\0'; entry = readdir(folder))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            snprintf(other, sizeof other, "%s", entry->d_name);
    closedir(folder);
    if (other[0] == '\0')
        return SCREE_OK;
    if (!run->def.force)
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "%s: this folder is not empty (it holds %s); name another, go on with 'scree resume', or begin anew with --force",
                          run->folder, other);
    clean(run, "");
    return SCREE_OK;
}

void run_folder_unmake(scree_run* run, bool made)
{
    clean(run, "");
    if (made)
        rmdir(run->folder);
}

scree_status run_folder_sub(const scree_run* run, const char* name)
{
    char path[4096];
    scree_status status = run_path(run, path, sizeof path, "%s", name);
    if (status == SCREE_OK && mkdir(path, 0777) != 0 && errno != EEXIST)
        status = scree_system_fail(path, "the folder cannot be made", errno);
    return status;
}
