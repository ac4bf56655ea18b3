// scree-mpi: the program, with its simulations on all processes that MPI has started. Rank 0 runs the program; the others execute its orders.
#include "par/sim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int scree_main(int argc, char** argv);  // cli/main.c

static scree_par* ranks;

// For tests: with SCREE_TEST_PEAK=NAME each process writes the most bytes that it had at once into NAME.RANK.
static void tell_peak(int rank)
{
    const char* name = getenv("SCREE_TEST_PEAK");
    char path[4096];
    if (name == NULL)
        return;
    snprintf(path, sizeof path, "%s.%d", name, rank);
    FILE* file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "%lld\n", (long long)scree_memory_peak(false));
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
    if (par_mpi(&ranks) != SCREE_OK)
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
