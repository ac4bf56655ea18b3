#include "run.h"

#include "result.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;  // the signal that asked to stop
static _Atomic int64_t interrupted_at;     // in nanoseconds; 0: not yet

// `timeout` sends its signal twice at once, to the program and to its process group, and so do batch systems; only a signal that comes a second after the first one means that somebody does not want to wait.
static void on_interrupt(int number)
{
    enum { second = 1000000000 };
    struct timespec clock;
    int64_t first = 0;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    const int64_t now = (int64_t)clock.tv_sec * second + clock.tv_nsec + 1;
    if (atomic_compare_exchange_strong(&interrupted_at, &first, now)) {
        interrupted = number;
    } else if (now - first >= second) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

// A descriptor 0, 1 or 2 that is closed would become that of the next file that any library opens, and what is printed would go into it.
// They are held by /dev/null, opened the wrong way round, so that reading and writing fail as on a closed one.
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void run_begin(void)
{
    hold_standard_descriptors();
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction stop = {.sa_handler = on_interrupt};
    for (size_t s = 0; s < sizeof stops / sizeof *stops; ++s) {
        struct sigaction before;
        sigaction(stops[s], NULL, &before);
        if (before.sa_handler != SIG_IGN)  // under nohup it stays ignored
            sigaction(stops[s], &stop, NULL);
    }
    // These end a write with an error, which has a sentence.
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

bool run_interrupted(void)
{
    return interrupted != 0;
}

// For tests: SCREE_TEST_STOP=N, or 0, with which Ctrl-C does not come and the questions are timed.
static long stop_at = -2, asked, longest_to;  // -1: neither
static double asked_last, longest;

static double seconds_worked(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void time_question(void)
{
    const double now = seconds_worked();
    if (now - asked_last > longest) {
        longest = now - asked_last;
        longest_to = asked;
    }
    asked_last = now;
}

bool run_may_go_on(void)
{
    if (stop_at == -2) {
        const char* text = getenv("SCREE_TEST_STOP");
        stop_at = text != NULL ? atol(text) : -1;
    }
    if (stop_at >= 0 && ++asked == stop_at)
        raise(SIGINT);
    if (stop_at == 0)
        time_question();
    return interrupted == 0;
}

typedef struct progress {
    const char* label;
    bool shown;
    bool wanted;
    double begin, last;
} progress;

static progress now_running;

double run_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool tick(void* context, double done)
{
    progress* p = context;
    if (!run_may_go_on())
        return false;
    if (!p->wanted)
        return true;
    double now = run_seconds();
    if (now - p->begin < 0.5 || now - p->last < 0.1)
        return true;
    p->last = now;
    p->shown = true;
    double left = done > 0.0 ? (now - p->begin) * (1.0 - done) / done : 0.0;
    if (done > 0.0)
        say( "\r\033[K%s  %3.0f %%, %.0f s left", p->label, 100.0 * done, left);
    else
        say( "\r\033[K%s  ...", p->label);
    fflush(stderr);
    return true;
}

scree_watch run_watch(const char* label, bool quiet)
{
    run_watch_end();
    now_running = (progress){.label = label, .wanted = !quiet && isatty(STDERR_FILENO), .begin = run_seconds()};
    return (scree_watch){.tick = tick, .context = &now_running};
}

static bool tick_silently(void* context, double done)
{
    (void)context;
    (void)done;
    return run_may_go_on();
}

void run_hears(bool all)
{
    (void)scree_set_watch((scree_watch){.tick = all ? tick_silently : NULL});
}

void run_watch_end(void)
{
    if (now_running.shown)
        say( "\r\033[K");
    now_running.shown = false;
}

// Whether standard output is a pipe that is no longer read: `scree measure ... | head`.
static bool nobody_reads(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

// Whether what failed is the writing of standard output.
static bool is_about_output(const char* message)
{
    static const char* const names[] = {"standard output:", "/dev/stdout:", "/dev/fd/1:", "/proc/self/fd/1:"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        if (strncmp(message, names[k], strlen(names[k])) == 0)
            return true;
    return false;
}

static char complete[1024];  // outputs, as 'a.csv', 'b.png'

void run_wrote(const char* path)
{
    size_t used = strlen(complete);
    snprintf(complete + used, sizeof complete - used, "%s'%s'", used > 0 ? ", " : "", path);
}

exit_code run_failed(const arguments* args, scree_status status)
{
    run_watch_end();
    if (status == SCREE_ERR_IO && is_about_output(scree_error_message()) && nobody_reads())
        return 128 + SIGPIPE;
    if (status == SCREE_ERR_CANCELLED) {
        say("scree %s: stopped; %s%s\n", args->what->name, complete[0] != '\0' ? "nothing was written but " : "nothing was written", complete);
        return 128 + (interrupted ? (int)interrupted : SIGINT);
    }
    if (scree_error_message()[0] != '\0')  // empty: it was printed before
        say("scree %s: %s\n", args->what->name, scree_error_message());
    return EXIT_FAILED;
}

exit_code run_stopped(const arguments* args)
{
    run_watch_end();
    say("scree %s: %s\n", args->what->name, scree_error_message());
    return 128 + (interrupted ? (int)interrupted : SIGINT);
}

exit_code run_misused(const arguments* args)
{
    run_failed(args, SCREE_ERR_ARGUMENT);
    return EXIT_USAGE;
}

static bool no_memory_to_print;

void run_cannot_print(void)
{
    no_memory_to_print = true;
}

static const char* json_command;  // NULL: no JSON

void run_wants_json(const char* name)
{
    json_command = name;
}

exit_code run_end(exit_code code)
{
    run_watch_end();
    if (stop_at == 0) {
        ++asked;
        time_question();
        fprintf(stderr, "asked %ld times in %.3f s of work, the longest time before question %ld: %.3f s\n", asked - 1, asked_last, longest_to, longest);
    }
    if (json_command != NULL && code != EXIT_DONE && said_errors()[0] != '\0')
        result_print_error(json_command, said_errors(), code);
    if (no_memory_to_print) {
        say("scree: not enough memory to print the result\n");
        code = code == EXIT_DONE ? EXIT_FAILED : code;
        if (json_command != NULL)
            result_print_error(json_command, said_errors(), code);
        return code;
    }
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        if (nobody_reads())
            return 128 + SIGPIPE;
        say("scree: cannot write to standard output: %s\n", errno != 0 ? strerror(errno) : "write error");
        return EXIT_FAILED;
    }
    return code;
}
