// Opening files, messages for system errors, and asking the caller whether to continue.
#include "files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
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

static scree_status check_no_folder(const char* path, const char* what)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? scree_system_fail(path, what, EISDIR) : SCREE_OK;
}

scree_status scree_check_readable(const char* path)
{
    if (strcmp(path, "-") == 0)
        return SCREE_OK;
    return access(path, F_OK) == 0 ? check_no_folder(path, "cannot read") : scree_system_fail(path, "cannot open", errno);
}

scree_status scree_check_writable(const char* path)
{
    return strcmp(path, "-") == 0 ? SCREE_OK : check_no_folder(path, "cannot write");
}

scree_status scree_watch_ask(scree_watch watch, double done, const char* name, const char* doing)
{
    if (watch.tick == NULL || watch.tick(watch.context, done))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_CANCELLED, "%s: %s was stopped on request", name, doing);
}
