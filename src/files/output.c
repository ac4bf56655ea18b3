// How a file is written so that a crash, a full disk or Ctrl-C never costs the old one:
//
//     write to  .name.PID.N.tmp  beside the target -> fsync -> close -> rename over the target -> fsync the directory
//
// rename is atomic, so at each moment the name holds the whole old file or the whole new one; fsync before it makes sure
// that the new one is on disk when it takes the name. A symbolic link is followed first, so that the link stays a link.
// The new file gets the mode that the old one had, or the one that the umask allows. What exists and is no regular file
// (a terminal, a pipe, /dev/full) is written in place, and so is an open descriptor (/dev/stdout,
// /dev/fd/N, /proc/self/fd/N), which may refer to a regular file that others are writing to as well. It is what a path
// leads to that counts, not how it begins: /proc/self/cwd/a.csv is a file like any other.
//
// A small file can belong to the file (scree_output_close_with): then both are written so, and the small one is renamed first; if the other rename
// fails, its old content gets its name back from a second name, .name.PID.N.tmp too.
//
// Weakness: hard links to the old file keep the old content, and kill -9 leaves the temporary file behind.
#include "files/output.h"

#include "files/crc64.h"
#include "files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER ((size_t)1 << 20)

// ---- The system, with a hook -------------------------------------------------------------------------------------

static _Atomic int64_t calls;    // since the hook was last set
static _Atomic int64_t fail_at;  // 0: never
static _Atomic int fail_with;

int64_t scree_output_fail_at(int64_t n, int error)
{
    atomic_store(&fail_with, error);
    atomic_store(&fail_at, n);
    return atomic_exchange(&calls, 0);
}

// Whether this call is the one that shall fail; errno is then set.
static bool rejected(void)
{
    if (atomic_fetch_add(&calls, 1) + 1 != atomic_load(&fail_at))
        return false;
    errno = atomic_load(&fail_with);
    return true;
}

static scree_status ask(const scree_output* output, double done)
{
    return scree_watch_ask(output->watch, done, output->name, "writing");
}

static scree_status write_all(scree_output* output, const char* bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = rejected() ? -1 : write(output->fd, bytes, count);
        if (done >= 0) {
            bytes += done;
            count -= (size_t)done;
            continue;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {  // someone made standard output non-blocking
            struct pollfd ready = {.fd = output->fd, .events = POLLOUT};
            (void)poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return scree_system_fail(output->name, "cannot write", errno);
        }
        scree_status status = ask(output, 0.0);
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

// Pipes, terminals and some file systems have nothing to synchronise and say so.
static bool sync_fd(int fd)
{
    if (rejected())
        return false;
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

static bool close_fd(int fd)
{
    bool reject = rejected();
    int error = errno;
    bool closed = close(fd) == 0 || errno == EINTR;  // on Linux the descriptor is closed even then
    if (reject)
        errno = error;
    return closed && !reject;
}

// ---- Where to write ----------------------------------------------------------------------------------------------

static bool starts_with(const char* text, const char* prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// The open descriptor that a path like /dev/stdout or /dev/fd/3 means, or -1. Opening the path again would start at the
// file's beginning; the descriptor stands where the shell (with >>, say) left it.
static int named_descriptor(const char* path)
{
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    const char* number = starts_with(path, "/dev/fd/")         ? path + strlen("/dev/fd/")
                         : starts_with(path, "/proc/self/fd/") ? path + strlen("/proc/self/fd/")
                                                               : "";
    char* end;
    long fd = strtol(number, &end, 10);
    return *number >= '0' && *number <= '9' && *end == '\0' && fd < 1 << 20 ? (int)fd : -1;
}

static size_t directory_length(const char* path)  // up to and with the last '/'; 0 if there is none
{
    const char* slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

scree_status scree_output_resolve(const char* name, const char* path, char** resolved)
{
    char* here = scree_malloc(strlen(path) + 1, 1);
    if (here == NULL)
        return SCREE_ERR_MEMORY;
    strcpy(here, path);
    for (int links = 0;; ++links) {
        struct stat about;
        if (named_descriptor(here) >= 0 || lstat(here, &about) != 0 || !S_ISLNK(about.st_mode)) {
            *resolved = here;
            return SCREE_OK;
        }
        size_t room = about.st_size > 0 ? (size_t)about.st_size + 1 : 4096, kept = directory_length(here);
        char* next = links < 40 ? scree_malloc(kept + room + 1, 1) : NULL;
        ssize_t length = next == NULL ? -1 : readlink(here, next + kept, room);
        if (next == NULL || length < 0 || (size_t)length >= room) {  // >=: the link grew since the lstat
            int error = links >= 40 ? ELOOP : length < 0 ? errno : EAGAIN;
            bool memory = next == NULL && links < 40;
            scree_free(next);
            scree_free(here);
            return memory ? SCREE_ERR_MEMORY : scree_system_fail(name, "cannot follow the link", error);
        }
        if (next[kept] == '/')
            memmove(next, next + kept, (size_t)length), next[length] = '\0';
        else
            memcpy(next, here, kept), next[kept + (size_t)length] = '\0';
        scree_free(here);
        here = next;
    }
}

// A name beside the target that no other call takes; name_room bytes hold it.
static size_t name_room(const char* target)
{
    return directory_length(target) + 160;
}

static void make_name(const char* target, char* name)
{
    static _Atomic unsigned number;
    size_t directory = directory_length(target);
    memcpy(name, target, directory);
    snprintf(name + directory, name_room(target) - directory, ".%.100s.%ld.%u.tmp", target + directory, (long)getpid(), atomic_fetch_add(&number, 1));
}

// Opens a new file beside the target under an unused name.
static scree_status open_temporary(scree_output* output, const struct stat* old)
{
    output->temporary = scree_malloc(name_room(output->target), 1);
    if (output->temporary == NULL)
        return SCREE_ERR_MEMORY;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        make_name(output->target, output->temporary);
        // An old file's mode may be narrower than the umask: others must not read it before it is set.
        output->fd = rejected() ? -1
                               : scree_open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                                            old != NULL ? 0600 : 0666);
        if (output->fd >= 0 || (errno != EEXIST && errno != EINTR))
            break;
    }
    if (output->fd < 0) {
        int error = errno;
        scree_free(output->temporary);
        output->temporary = NULL;
        return scree_system_fail(output->name, "cannot create a file in its directory", error);
    }
    if (old == NULL)
        return SCREE_OK;
    struct stat mine;
    if (fstat(output->fd, &mine) == 0 && (mine.st_uid != old->st_uid || mine.st_gid != old->st_gid) &&
        fchown(output->fd, old->st_uid, old->st_gid) != 0)
        errno = 0;  // only root may give files away; for others the file becomes theirs
    if (rejected() || fchmod(output->fd, old->st_mode & 07777) != 0)
        return scree_system_fail(output->name, "cannot keep the mode of the old file", errno);
    return SCREE_OK;
}

static scree_status open_in_place(scree_output* output, const char* path)
{
    int named = strcmp(path, "-") == 0 ? STDOUT_FILENO : named_descriptor(path);
    for (;;) {
        output->fd = rejected()    ? -1
                     : named >= 0 ? fcntl(named, F_DUPFD_CLOEXEC, 3)
                                  : scree_open(path, O_WRONLY | O_TRUNC | O_NOCTTY, 0);
        if (output->fd >= 0)
            return SCREE_OK;
        if (errno != EINTR)
            return scree_system_fail(output->name, "cannot open for writing", errno);
        scree_status status = ask(output, 0.0);  // waited for the reader of a FIFO
        if (status != SCREE_OK)
            return status;
    }
}

// Whether a folder is this one, or lies in the file system that begins there.
static bool lies_in(const struct stat* folder, const char* where)
{
    struct stat there, root;
    if (stat(where, &there) != 0 || stat("/", &root) != 0 || folder->st_dev != there.st_dev)
        return false;
    return there.st_dev != root.st_dev || folder->st_ino == there.st_ino;
}

// Whether a file that is not there yet would be made among the devices or the processes.
static bool is_among_devices(const scree_output* output)
{
    size_t length = directory_length(output->target);
    char last = output->target[length];
    struct stat folder;
    output->target[length] = '\0';
    bool found = length > 0 && stat(output->target, &folder) == 0;
    output->target[length] = last;
    return found && (lies_in(&folder, "/dev") || lies_in(&folder, "/proc"));
}

// What is written in place: a descriptor, whatever exists and is no regular file, a file without a name that could be replaced (its link
// in /proc leads nowhere else), and what would be made among the devices, which then fails.
static bool is_written_in_place(const scree_output* output, bool exists, const struct stat* about)
{
    struct stat there;
    if (named_descriptor(output->target) >= 0 || (exists && !S_ISREG(about->st_mode)))
        return true;
    if (!exists)
        return is_among_devices(output);
    return lstat(output->target, &there) != 0 || there.st_dev != about->st_dev || there.st_ino != about->st_ino;
}

// With output->fd >= 0 the file is open, whatever else went wrong.
static scree_status open_target(scree_output* output, const char* path)
{
    if (strcmp(path, "-") == 0)
        return open_in_place(output, path);
    if (*path == '\0')
        return scree_fail(SCREE_ERR_IO, "the name of the file to write is empty; expected a name");
    scree_status status = scree_output_resolve(output->name, path, &output->target);
    if (status != SCREE_OK)
        return status;
    bool named = named_descriptor(output->target) >= 0;
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (!exists && errno != ENOENT && !named)
        return scree_system_fail(output->name, "cannot write", errno);
    if (!named && ((exists && S_ISDIR(about.st_mode)) || output->target[directory_length(output->target)] == '\0'))
        return scree_system_fail(output->name, "cannot write", EISDIR);
    if (is_written_in_place(output, exists, &about)) {
        status = open_in_place(output, named ? output->target : path);
        scree_free(output->target);
        output->target = NULL;
        return status;
    }
    // rename would replace it, but the file was made read-only on purpose.
    if (exists && faccessat(AT_FDCWD, output->target, W_OK, AT_EACCESS) != 0)
        return scree_system_fail(output->name, "cannot write", errno);
    return open_temporary(output, exists ? &about : NULL);
}

scree_status scree_output_open(scree_output* output, const char* path, scree_watch watch)
{
    *output = (scree_output){.name = strcmp(path, "-") == 0 ? "standard output" : path, .watch = watch, .fd = -1};
    output->buffer = scree_malloc(BUFFER, 1);
    if (output->buffer == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = open_target(output, path);
    return status == SCREE_OK ? SCREE_OK : scree_output_close(output, status);
}

// ---- Writing -----------------------------------------------------------------------------------------------------

scree_status scree_output_flush(scree_output* output)
{
    if (output->status == SCREE_OK && output->summed)
        output->sum = scree_crc64_more(output->sum, output->buffer, output->used);
    if (output->status == SCREE_OK)
        output->status = write_all(output, output->buffer, output->used);
    output->position += (int64_t)output->used;
    output->used = 0;
    return output->status;
}

char* scree_output_room(scree_output* output, size_t most)
{
    if (output->used + most > BUFFER)
        (void)scree_output_flush(output);
    return output->buffer + output->used;
}

void scree_output_bytes(scree_output* output, const char* bytes, size_t count)
{
    while (count > 0) {
        if (output->used == BUFFER)
            (void)scree_output_flush(output);
        size_t part = count < BUFFER - output->used ? count : BUFFER - output->used;
        memcpy(output->buffer + output->used, bytes, part);
        output->used += part;
        bytes += part;
        count -= part;
    }
}

scree_status scree_output_at(scree_output* output, int64_t offset)
{
    int64_t next = output->position + (int64_t)output->used;
    if (offset == next || scree_output_flush(output) != SCREE_OK)
        return output->status;
    if (output->temporary == NULL)
        output->status = scree_fail(SCREE_ERR_IO, "%s: cannot write byte %" PRId64 " here, only byte %" PRId64 ": expected a regular file",
                                    output->name, offset, next);
    else if (rejected() || lseek(output->fd, (off_t)offset, SEEK_SET) < 0)
        output->status = scree_system_fail(output->name, "cannot write", errno);
    else
        output->position = offset;
    return output->status;
}

scree_status scree_output_tick(scree_output* output, double done)
{
    if (output->status == SCREE_OK)
        output->status = ask(output, done);
    return output->status;
}

// ---- The end -----------------------------------------------------------------------------------------------------

// The name's change is on disk when the directory is. A directory without read permission fails to open for
// this; then the system does it in its own time.
static scree_status sync_directory(const scree_output* output)
{
    size_t length = directory_length(output->target);
    output->target[length] = '\0';  // the name is not needed any more
    int fd = scree_open(length == 0 ? "." : output->target, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return SCREE_OK;
    bool synced = sync_fd(fd);
    int error = errno;
    close(fd);
    return synced ? SCREE_OK : scree_system_fail(output->name, "is written, but its directory may not be on disk", error);
}

// Everything to disk, under the temporary name.
static scree_status finish(scree_output* output, scree_status status)
{
    if (status == SCREE_OK)
        status = scree_output_flush(output);
    if (status == SCREE_OK && !sync_fd(output->fd))
        status = scree_system_fail(output->name, "cannot write", errno);
    if (output->fd >= 0 && !close_fd(output->fd) && status == SCREE_OK)
        status = scree_system_fail(output->name, "cannot write", errno);
    output->fd = -1;
    return status;
}

// The name, if there is one to take.
static scree_status take_name(scree_output* output, scree_status status)
{
    if (output->temporary == NULL)
        return status;
    if (status == SCREE_OK && (rejected() || rename(output->temporary, output->target) != 0))
        status = scree_system_fail(output->name, "cannot replace by the new file", errno);
    if (status != SCREE_OK)
        unlink(output->temporary);
    return status;
}

static scree_status release(scree_output* output, scree_status status)
{
    scree_free(output->target);
    scree_free(output->temporary);
    scree_free(output->buffer);
    *output = (scree_output){.fd = -1, .status = status};
    return status;
}

scree_status scree_output_close(scree_output* output, scree_status status)
{
    status = take_name(output, finish(output, status));
    if (status == SCREE_OK && output->temporary != NULL)
        status = sync_directory(output);
    return release(output, status);
}

// ---- A file and a small one that belongs to it ---------------------------------------------------------------------

// The small file: its new content as an output, and its old one under a second name.
typedef struct companion {
    char *name, *saved;  // `saved`: room for the second name
    scree_output output; // target NULL: there is to be no such file
    bool existed, has_second, moved;  // moved: the old one has the second name only, because the file system knows no hard links
} companion;

static scree_status open_companion(companion* c, const scree_output* output, const char* ending, const char* text)
{
    size_t length = strlen(output->target) + strlen(ending) + 1;
    c->name = scree_malloc(length, 1);
    if (c->name == NULL)
        return SCREE_ERR_MEMORY;
    snprintf(c->name, length, "%s%s", output->target, ending);
    c->saved = scree_malloc(name_room(c->name), 1);
    if (c->saved == NULL)
        return SCREE_ERR_MEMORY;
    struct stat about;
    c->existed = lstat(c->name, &about) == 0;
    if (!c->existed && errno != ENOENT)
        return scree_system_fail(c->name, "cannot write", errno);
    if (c->existed && !S_ISREG(about.st_mode))
        return scree_fail(SCREE_ERR_IO, "%s: cannot write: expected a regular file, and links are not followed here", c->name);
    if (c->existed && faccessat(AT_FDCWD, c->name, W_OK, AT_EACCESS) != 0)
        return scree_system_fail(c->name, "cannot write", errno);
    if (text == NULL)
        return SCREE_OK;
    c->output = (scree_output){.name = c->name, .watch = output->watch, .fd = -1};
    c->output.buffer = scree_malloc(BUFFER, 1);
    c->output.target = scree_malloc(length, 1);
    if (c->output.buffer == NULL || c->output.target == NULL)
        return SCREE_ERR_MEMORY;
    memcpy(c->output.target, c->name, length);
    scree_status status = open_temporary(&c->output, c->existed ? &about : NULL);
    if (status == SCREE_OK)
        scree_output_bytes(&c->output, text, strlen(text));
    return status;
}

// The old small file gets a second name; where there is to be none, or no hard links, it loses its own.
static scree_status save_old(companion* c)
{
    if (!c->existed)
        return SCREE_OK;
    make_name(c->name, c->saved);
    if (rejected())
        return scree_system_fail(c->name, "cannot replace", errno);
    c->moved = c->output.target == NULL || link(c->name, c->saved) != 0;
    if (c->moved && rename(c->name, c->saved) != 0)
        return scree_system_fail(c->name, "cannot replace", errno);
    c->has_second = true;
    return SCREE_OK;
}

// Takes back the new small file and gives the old one its name again. Failures here are not recoverable.
static void take_back(companion* c, bool renamed)
{
    if (c->has_second && (c->moved || renamed))
        (void)rename(c->saved, c->name);
    else if (c->has_second)
        unlink(c->saved);
    else if (renamed)
        unlink(c->name);
}

scree_status scree_output_close_with(scree_output* output, scree_status status, const char* ending, const char* text)
{
    if (output->target == NULL || status != SCREE_OK || output->status != SCREE_OK)
        return scree_output_close(output, status != SCREE_OK ? status : output->status);
    companion c = {.output = {.fd = -1}};
    status = open_companion(&c, output, ending, text);
    if (c.output.target != NULL)
        status = finish(&c.output, status);
    status = finish(output, status);
    if (status == SCREE_OK)
        status = save_old(&c);
    bool renamed = status == SCREE_OK && c.output.target != NULL;
    status = take_name(&c.output, status);
    renamed = renamed && status == SCREE_OK;
    status = take_name(output, status);
    if (status != SCREE_OK) {
        take_back(&c, renamed);
    } else {
        if (c.has_second)
            unlink(c.saved);
        status = sync_directory(output);
    }
    (void)release(&c.output, status);
    scree_free(c.name);
    scree_free(c.saved);
    return release(output, status);
}
