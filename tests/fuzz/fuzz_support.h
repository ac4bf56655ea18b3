// What every fuzz target needs: a check that cannot be passed over, and a file to write to.
#ifndef TESTS_FUZZ_SUPPORT_H
#define TESTS_FUZZ_SUPPORT_H

#include "scree/base.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static inline void demand(bool holds, const char* what)
{
    if (holds)
        return;
    fprintf(stderr, "%s (last message: %s)\n", what, scree_error_message());
    abort();
}

// A file in memory (so that fsync costs nothing), or else on disk, without a name.
static inline int scratch_file(void)
{
    static int fd = -1;
    if (fd >= 0)
        return fd;
    char name[64];
    snprintf(name, sizeof name, "/scree-fuzz-%ld", (long)getpid());
    fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        shm_unlink(name);
    FILE* file = fd < 0 ? tmpfile() : NULL;
    if (file != NULL)
        fd = fileno(file);
    demand(fd >= 0, "no temporary file");
    return fd;
}

#endif
