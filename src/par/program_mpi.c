// scree-mpi: the program, with its simulations on all processes that MPI has started. Rank 0 is the program; the others do what it asks for.
#include "par/sim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int scree_main(int argc, char** argv);  // cli/main.c

static scree_par* ranks;

// For tests: with SCREE_TEST_PEAK=NAME each process writes the most bytes that it had at once into NAME.RANK.
static int64_t held, peak;

enum { head = 64 };  // before each block: its size; as large as the largest alignment

static void count(int64_t bytes)
{
    int64_t now = __atomic_add_fetch(&held, bytes, __ATOMIC_RELAXED);
    for (int64_t most = __atomic_load_n(&peak, __ATOMIC_RELAXED); now > most && !__atomic_compare_exchange_n(&peak, &most, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);)
        ;
}

static void* allocate(void* context, size_t bytes, size_t alignment)
{
    (void)context;
    (void)alignment;
    char* block = aligned_alloc(head, (bytes + 2 * head - 1) / head * head);
    if (block == NULL)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    count((int64_t)bytes);
    return block + head;
}

static void* resize(void* context, void* block, size_t bytes)
{
    size_t before = 0;
    if (block == NULL)
        return allocate(context, bytes, head);
    memcpy(&before, (char*)block - head, sizeof before);
    char* moved = realloc((char*)block - head, bytes + head);
    if (moved == NULL)
        return NULL;
    memcpy(moved, &bytes, sizeof bytes);
    count((int64_t)bytes - (int64_t)before);
    return moved + head;
}

static void release(void* context, void* block)
{
    size_t bytes;
    (void)context;
    memcpy(&bytes, (char*)block - head, sizeof bytes);
    count(-(int64_t)bytes);
    free((char*)block - head);
}

static void tell_peak(int rank)
{
    const char* name = getenv("SCREE_TEST_PEAK");
    char path[4096];
    if (name == NULL)
        return;
    snprintf(path, sizeof path, "%s.%d", name, rank);
    FILE* file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "%lld\n", (long long)peak);
        fclose(file);
    }
}

// mpirun hands on SIGUSR1, as it does no other wish to stop; Slurm sends it if asked to (--signal=USR1@60).
static void on_stop(int number)
{
    (void)number;
    raise(SIGTERM);
}

// Also where the program leaves by exit.
static void leave(void)
{
    par_end(ranks);
    tell_peak(0);
    par_close(ranks);
}

int main(int argc, char** argv)
{
    const scree_allocator counting = {.allocate = allocate, .resize = resize, .release = release};
    if ((getenv("SCREE_TEST_PEAK") != NULL && scree_set_allocator(&counting) != SCREE_OK) || par_mpi(&ranks) != SCREE_OK)
        return 1;
    if (ranks->first > 0) {
        static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};  // rank 0 hears them too, and ends the run
        for (size_t s = 0; s < sizeof stops / sizeof *stops; ++s)
            signal(stops[s], SIG_IGN);
        scree_status status = par_serve(ranks);
        tell_peak(ranks->first);
        par_close(ranks);
        return status == SCREE_OK ? 0 : 1;
    }
    if (ranks->ranks > 1)
        par_share(ranks);
    signal(SIGUSR1, on_stop);
    atexit(leave);
    char number[32];
    snprintf(number, sizeof number, "%d", (int)ranks->ranks);
    setenv("SCREE_RANKS", number, 1);  // cli/ranks.c
    return scree_main(argc, argv);
}
