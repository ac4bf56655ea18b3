#include "ranks.h"

#include "scree/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char** given;  // the command line
static int given_count;

// A number in the environment; -1: none.
static long number_of(const char* name)
{
    const char* text = getenv(name);
    char* end;
    long number = text != NULL ? strtol(text, &end, 10) : -1;
    return text != NULL && *text != '\0' && *end == '\0' ? number : -1;
}

// How many processes were started together, and which of them this is.
static long started(long* rank)
{
    static const char* const names[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"PMI_SIZE", "PMI_RANK"}, {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        long count = number_of(names[k][0]);
        *rank = number_of(names[k][1]);
        if (count > 1 && *rank >= 0)
            return count;
    }
    *rank = 0;
    return 1;
}

// scree-mpi beside this program, or where it is installed. False: it is not there.
static bool find_program(char* path, size_t room)
{
    static const char* const places[] = {"scree-mpi", "../libexec/scree/scree-mpi"};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    *(strrchr(self, '/') + 1) = '\0';
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k)
        if (snprintf(path, room, "%s%s", self, places[k]) < (int)room && access(path, X_OK) == 0)
            return true;
    return false;
}

// Process 0 says what is wrong, and the others wait for a second: mpirun ends all as soon as one has failed.
static exit_code reject(long rank)
{
    if (rank > 0)
        sleep(1);
    return EXIT_FAILED;
}

exit_code ranks_join(int argc, char** argv)
{
    char path[8192];
    long rank, count = started(&rank);
    given = argv;
    given_count = argc;
    long shared = number_of("SCREE_RANKS");
    if (count == 1 || shared == count)
        return EXIT_DONE;
    if (shared > 0) {
        if (rank == 0)
            say("scree: started as %ld processes, but MPI reports %ld, so all would do the same work. Use the mpirun of the MPI that scree-mpi was built with, or srun --mpi=pmix\n", count, shared);
        return reject(rank);
    }
    if (find_program(path, sizeof path))
        execv(path, argv);
    if (rank == 0)
        say("scree: started as %ld processes, but there is no scree-mpi in the folder of %s, so all would do the same work. scree-mpi is built where MPI is found (docs/processes.md)\n", count, argv[0]);
    return reject(rank);
}

static volatile sig_atomic_t child, stopped;  // mpirun; and the signal that was passed on to it

static void pass_on(int number)
{
    stopped = number;
    if (child > 0)
        kill((pid_t)child, SIGUSR1);
}

// mpirun, to its end. It does not see Ctrl-C, after which it would kill its processes within a second: it gets SIGUSR1, which it hands on, and they end by themselves (program_mpi.c). What it
// says of a process that ends with an error is left away: that process has said more.
static exit_code run_mpirun(const arguments* args, char** words)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction pass = {.sa_handler = pass_on}, before;
    int state = 0;
    for (size_t s = 0; s < sizeof stops / sizeof *stops; ++s) {
        sigaction(stops[s], NULL, &before);
        if (before.sa_handler != SIG_IGN)
            sigaction(stops[s], &pass, NULL);
    }
    setenv("OMPI_MCA_orte_execute_quiet", "1", 0);
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(EXIT_FAILED);
        setpgid(0, 0);
        for (size_t s = 0; s < sizeof stops / sizeof *stops; ++s)
            signal(stops[s], SIG_DFL);
        sigset_t heard;  // whoever started this program may have blocked it
        sigemptyset(&heard);
        sigaddset(&heard, SIGUSR1);
        sigprocmask(SIG_UNBLOCK, &heard, NULL);
        int nothing = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY) : -1;  // who is not in the foreground must not read from a terminal
        if (nothing >= 0)
            dup2(nothing, STDIN_FILENO);
        execvp(words[0], words);
        say("scree %s: --ranks %s: cannot start mpirun: %s (Debian: openmpi-bin)\n", args->what->name, option_text(args, "ranks"), strerror(errno));
        _exit(EXIT_FAILED);
    }
    child = (sig_atomic_t)pid;
    if (pid < 0) {
        say("scree %s: --ranks %s: cannot create a process: %s\n", args->what->name, option_text(args, "ranks"), strerror(errno));
        return EXIT_FAILED;
    }
    if (stopped)
        kill(pid, SIGUSR1);
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
    int code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    if (stopped && code != 0)
        return 128 + (int)stopped;
    if (code > 128)
        say("scree %s: one of %s processes was ended by signal %d (%s), and the others with it; scree resume continues a run from its last checkpoint\n", args->what->name, option_text(args, "ranks"),
            code - 128, strsignal(code - 128));
    return code;
}

exit_code ranks_start(const arguments* args)
{
    char path[8192], number[32];
    int64_t ranks = 0;
    long shared = number_of("SCREE_RANKS");
    if (!option_integer(args, "ranks", 1, 1 << 20, &ranks))
        return EXIT_USAGE;
    if (ranks == 0 || ranks == shared || (ranks == 1 && shared < 0))
        return EXIT_DONE;
    if (shared > 0) {
        say("scree %s: --ranks %lld, but mpirun started %ld processes\n", args->what->name, (long long)ranks, shared);
        return EXIT_USAGE;
    }
    if (!find_program(path, sizeof path)) {
        say("scree %s: --ranks %lld: there is no scree-mpi in the folder of %s; it is built where MPI is found (docs/processes.md)\n", args->what->name, (long long)ranks, given[0]);
        return EXIT_FAILED;
    }
    char** words = scree_calloc((size_t)given_count + 8, sizeof *words);
    if (words == NULL)
        return EXIT_FAILED;
    int count = 0;
    snprintf(number, sizeof number, "%lld", (long long)ranks);
    char *first[] = {"mpirun", "--map-by", ":OVERSUBSCRIBE", "-n", number, path};
    for (size_t k = 0; k < sizeof first / sizeof *first; ++k)
        words[count++] = first[k];
    for (int k = 1; k < given_count; ++k)
        words[count++] = given[k];
    if (ranks > sysconf(_SC_NPROCESSORS_ONLN))  // who waits lets the others work
        setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);  // ranks have threads
    exit_code code = run_mpirun(args, words);
    scree_free(words);
    exit(code);
}
