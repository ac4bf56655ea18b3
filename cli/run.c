#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;  // the signal that asked to stop

static void on_interrupt(int number)
{
    interrupted = number;
}

void run_begin(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
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
    if (interrupted)
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
        fprintf(stderr, "\r\033[K%s  %3.0f %%, %.0f s left", p->label, 100.0 * done, left);
    else
        fprintf(stderr, "\r\033[K%s  ...", p->label);
    fflush(stderr);
    return true;
}

scree_watch run_watch(const char* label, bool quiet)
{
    run_watch_end();
    now_running = (progress){.label = label, .wanted = !quiet && isatty(STDERR_FILENO), .begin = run_seconds()};
    return (scree_watch){.tick = tick, .context = &now_running};
}

void run_watch_end(void)
{
    if (now_running.shown)
        fprintf(stderr, "\r\033[K");
    now_running.shown = false;
}

exit_code run_failed(const arguments* args, scree_status status)
{
    run_watch_end();
    if (status == SCREE_ERR_CANCELLED) {
        fprintf(stderr, "scree %s: stopped; nothing was written\n", args->what->name);
        return 128 + (interrupted ? (int)interrupted : SIGINT);
    }
    if (scree_error_message()[0] != '\0')  // empty: it has been told
        fprintf(stderr, "scree %s: %s\n", args->what->name, scree_error_message());
    return EXIT_FAILED;
}

exit_code run_stopped(const arguments* args)
{
    run_watch_end();
    fprintf(stderr, "scree %s: %s\n", args->what->name, scree_error_message());
    return 128 + (interrupted ? (int)interrupted : SIGINT);
}

exit_code run_misused(const arguments* args)
{
    run_failed(args, SCREE_ERR_ARGUMENT);
    return EXIT_USAGE;
}

exit_code run_end(exit_code code)
{
    run_watch_end();
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        fprintf(stderr, "scree: cannot write to standard output: %s\n", errno != 0 ? strerror(errno) : "write error");
        return EXIT_FAILED;
    }
    return code;
}
