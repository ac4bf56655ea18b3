// scree pack --checkpoint FILE: the state of a packing on disk, so that the same command goes on where it was killed.
#include "packers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static scree_status broken(const char* what, const char* path)
{
    return scree_fail(SCREE_ERR_IO, "%s '%s': %s", what, path, strerror(errno));
}

static bool write_all(int file, const char* data, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(file, data, size < 1u << 30 ? size : 1u << 30);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        data += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

// Under another name until it is whole and on the disk: a killed program leaves either the last one or this one.
static scree_status save(void* context, int32_t count, const scree_bytes* pieces)
{
    const pack_checkpoint* c = context;
    int file = open(c->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return broken("cannot write the checkpoint", c->temporary);
    bool whole = true;
    for (int32_t k = 0; k < count && whole; ++k)
        whole = write_all(file, pieces[k].data, pieces[k].size);
    whole = whole && fsync(file) == 0;
    int reason = errno;
    whole = close(file) == 0 && whole;
    if (!whole || rename(c->temporary, c->path) != 0) {
        errno = whole ? errno : reason;
        scree_status status = broken("cannot write the checkpoint", whole ? c->path : c->temporary);
        unlink(c->temporary);
        return status;
    }
    return SCREE_OK;
}

const char pack_stage_dense[] = "", pack_stage_stable[] = ".stable";

static char* joined(const char* a, const char* b)
{
    size_t room = strlen(a) + strlen(b) + 1;
    char* made = malloc(room);
    if (made != NULL)
        snprintf(made, room, "%s%s", a, b);
    return made;
}

scree_status pack_checkpoint_open(const pack_wish* wish, const char* stage, pack_checkpoint* c)
{
    *c = (pack_checkpoint){.saver = {.seconds = 30.0}};
    const char* given = option_exists(wish->args, "checkpoint") ? option_text(wish->args, "checkpoint") : NULL;
    if (given == NULL)
        return SCREE_OK;
    if (!option_number(wish->args, "checkpoint-every", &c->saver.seconds))
        return pack_option_wrong();
    c->path = joined(given, stage);
    c->temporary = c->path != NULL ? joined(c->path, ".part") : NULL;
    if (c->temporary == NULL)
        return scree_fail(SCREE_ERR_MEMORY, "out of memory for a file name");
    c->saver.save = save;
    c->saver.context = c;
    int tried = open(c->temporary, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);  // a failure is better reported now than after half a minute
    if (tried < 0)
        return broken("cannot write the checkpoint", c->path);
    close(tried);
    unlink(c->temporary);
    struct stat about;
    int file = open(c->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? SCREE_OK : broken("cannot read the checkpoint", c->path);
    scree_status status = SCREE_OK;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        status = scree_fail(SCREE_ERR_IO, "the checkpoint '%s' is not a regular file; expected one", c->path);
    size_t size = status == SCREE_OK ? (size_t)about.st_size : 0, at = 0;
    char* data = status == SCREE_OK ? malloc(size > 0 ? size : 1) : NULL;
    if (status == SCREE_OK && data == NULL)
        status = scree_fail(SCREE_ERR_MEMORY, "out of memory for the %zu bytes of '%s'", size, c->path);
    while (status == SCREE_OK && at < size) {
        ssize_t got = read(file, data + at, size - at < 1u << 30 ? size - at : 1u << 30);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            status = got < 0 ? broken("cannot read the checkpoint", c->path) : scree_fail(SCREE_ERR_IO, "the checkpoint '%s' ends early; expected a complete file", c->path);
        else
            at += (size_t)got;
    }
    close(file);
    c->resume = (scree_bytes){data, size};
    if (status == SCREE_OK && !wish->co->quiet && !wish->co->json)
        say("note: continuing from '%s'\n", c->path);
    return status;
}

scree_status pack_checkpoint_blame(const pack_checkpoint* c, scree_status status)
{
    if (c->resume.data == NULL || status == SCREE_OK || strstr(scree_error_message(), "saved packing") == NULL)
        return status;
    char why[512];
    snprintf(why, sizeof why, "%s", scree_error_message());
    return scree_fail(status, "%s: %s", c->path, why);
}

void pack_checkpoint_remove(const pack_wish* wish)
{
    const char* given = option_exists(wish->args, "checkpoint") ? option_text(wish->args, "checkpoint") : NULL;
    if (given == NULL)
        return;
    // The later stage first: if this is cut short, the earlier one still leads to the same packing.
    char* path = wish->stable ? joined(given, pack_stage_stable) : NULL;
    if (path != NULL)
        unlink(path);
    free(path);
    unlink(given);
}

void pack_checkpoint_close(pack_checkpoint* c)
{
    free((void*)(uintptr_t)c->resume.data);
    free(c->temporary);
    free(c->path);
    *c = (pack_checkpoint){0};
}
