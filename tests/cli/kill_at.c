// Loaded before the C library (LD_PRELOAD): kills the program before its n-th call of fsync or rename, n = SCREE_KILL_AT. So tests kill at a moment that they count,
// on a fast machine and on a slow one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static void count_call(void)
{
    static atomic_int calls;
    const char* at = getenv("SCREE_KILL_AT");
    if (at != NULL && atomic_fetch_add(&calls, 1) + 1 == atoi(at))
        kill(getpid(), SIGKILL);
}

int fsync(int file)
{
    int (*next)(int);
    *(void**)&next = dlsym(RTLD_NEXT, "fsync");
    count_call();
    return next(file);
}

int rename(const char* from, const char* to)
{
    int (*next)(const char*, const char*);
    *(void**)&next = dlsym(RTLD_NEXT, "rename");
    count_call();
    return next(from, to);
}
