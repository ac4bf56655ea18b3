// Opening files, messages for system errors, and asking the caller whether to continue.
#include "files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int scree_open(const char* path, int flags, unsigned mode)
{
    int fd = open(path, flags | O_CLOEXEC, mode);
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
    close(fd);
    errno = error;
    return moved;
}

FILE* scree_open_stream(const char* path, int flags, unsigned mode)
{
    int fd = scree_open(path, flags, mode), access = flags & O_ACCMODE;
    FILE* file = fd >= 0 ? fdopen(fd, access == O_RDONLY ? "rb" : access == O_WRONLY ? "wb" : "r+b") : NULL;
    if (fd >= 0 && file == NULL)
        close(fd);
    return file;
}

DIR* scree_open_folder(const char* path, int flags)
{
    int fd = scree_open(path, flags | O_RDONLY | O_DIRECTORY, 0);
    DIR* folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && folder == NULL)
        close(fd);
    return folder;
}

scree_status scree_system_fail(const char* name, const char* what, int error)
{
    char reason[256];
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    return scree_fail(SCREE_ERR_IO, "%s: %s: %s", name, what, reason);
}

scree_status scree_check_exists(const char* path)
{
    return strcmp(path, "-") == 0 || access(path, F_OK) == 0 ? SCREE_OK : scree_system_fail(path, "cannot open", errno);
}

scree_status scree_watch_ask(scree_watch watch, double done, const char* name, const char* doing)
{
    if (watch.tick == NULL || watch.tick(watch.context, done))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_CANCELLED, "%s: %s was stopped on request", name, doing);
}
