// parallel_for on a pool of threads that wait for work.
//
// Chunks are handed out in ascending order and in short runs, because neighbouring chunks mostly read the same memory: one by one, each thread would
// read all of it. Runs become shorter towards the end, down to one chunk, so that a heavy chunk does not hold up the rest. This is safe for the
// results because nothing is joined here. What matters for speed is how threads come together. A loop here is short, some tens of microseconds to
// milliseconds, and there are thousands of them in a second; and on a machine that has other things to do, a thread that is asked to
// help may get a core only when the work is long done. So no thread waits for helpers that have not started:
//
//     caller    opens the gate, works on chunks until there are none, closes the gate, waits for those who are still inside
//     helper    looks at the gate; if it is open, goes in, works on chunks until there are none, goes out
//
// The gate is one number, twice the helpers inside plus one while it is open, so that going in and finding it open is one act; the
// job, which lives on the caller's stack, is touched only inside. A helper that finds nothing to do looks again for a millisecond,
// because the next loop mostly follows at once, and then sleeps until it is woken. (A barrier that all threads must reach, as
// OpenMP has it, made loops up to four times as slow as one thread when another process was busy on one of two cores.)
//
// One loop at a time has the pool. A call that comes meanwhile (from another thread of the caller's program, or a chunk that has a loop inside)
// works alone, with the same result. After a fork the child begins with an empty pool. When the library is unloaded, the helpers end first:
// each waits for the one that was made before it, so that the last is the only one to be waited for.
#define _GNU_SOURCE  // for the cores that this process may use
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// ---- How many --------------------------------------------------------------------------------------------------------------

static int32_t cores, usual;  // that this process may use; and threads for 0

// OMP_NUM_THREADS is what batch systems and users set to say how many threads a program may have.
static void count_cores(void)
{
    cpu_set_t set;
    cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (int32_t)CPU_COUNT(&set) : (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
    cores = cores > 0 ? cores : 1;
    const char* text = getenv("OMP_NUM_THREADS");
    long wish = text != NULL ? strtol(text, NULL, 10) : 0;
    usual = wish > 0 && wish < 10000 ? (int32_t)wish : cores;
}

int32_t scree_parallel_threads(int32_t threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, count_cores);
    int32_t wanted = threads > 0 ? threads : usual, most = 4 * cores + 16;  // a slip like --threads 40000 is not passed on
    return wanted < most ? wanted : most;
}

// ---- One loop ------------------------------------------------------------------------------------------------------------

// What all threads write has cache lines of its own: beside it on the stack is what the caller's thread works with.
typedef struct job {
    _Alignas(64) scree_chunk work;
    void* context;
    int64_t chunks;
    int32_t threads;
    _Alignas(64) _Atomic int64_t next, done;
    _Alignas(64) _Atomic int64_t failed;  // the lowest chunk that failed
    _Atomic bool stop;
    pthread_mutex_t lock;    // of what follows
    scree_status status;
    char message[2048];
} job;

bool scree_watch_goes_on(const scree_watch* watch, double done)
{
    return watch == NULL || watch->tick == NULL || watch->tick(watch->context, done);
}

scree_status scree_watch_own(const char* what, int64_t item, int64_t count)
{
    if (item % 4096 != 0)
        return SCREE_OK;
    const scree_watch watch = scree_get_watch();
    return scree_watch_goes_on(&watch, count > 0 ? (double)item / (double)count : 0.0) ? SCREE_OK : scree_fail(SCREE_ERR_CANCELLED, "%s: stopped on request", what);
}

bool scree_patience_lasts(scree_patience* patience, int64_t units, double done)
{
    patience->work += units;
    if (patience->work < scree_work_unasked)
        return true;
    patience->work = 0;
    return scree_watch_goes_on(&patience->watch, done);
}

// A thread's part in the loop that it works on. The watch is asked by the caller's thread alone: after every 256th part of the chunks, and
// within and between chunks after so much work (scree_parallel_work), whatever the number of chunks and whichever threads ran the others.
typedef struct part {
    job* job;
    const scree_watch* watch;  // NULL except for the caller
    int64_t work;              // since the last question
    int64_t ask_at;            // chunks done
} part;

static _Thread_local part* current;

static bool ask(part* p)
{
    p->work = 0;
    if (!atomic_load(&p->job->stop) && !scree_watch_goes_on(p->watch, (double)atomic_load(&p->job->done) / (double)p->job->chunks))
        atomic_store(&p->job->stop, true);
    return !atomic_load(&p->job->stop);
}

bool scree_parallel_work(int64_t units)
{
    if (current == NULL)
        return true;
    current->work += units;
    return current->work < scree_work_unasked || ask(current);
}

static scree_status cancelled(void)
{
    return scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
}

// The next run of chunks, from the result to before `end`. The result is no chunk any more if there are none.
static int64_t take_run(job* j, int64_t* end)
{
    enum { longest = 16, runs_per_thread = 8 };  // if all that are left had the length of this one
    int64_t length = (j->chunks - atomic_load(&j->next)) / (runs_per_thread * j->threads);
    length = length < 1 ? 1 : length > longest ? longest : length;
    int64_t first = atomic_fetch_add(&j->next, length);
    *end = first + length;
    return first;
}

// Until there are no chunks any more. `watch` is NULL except for the caller.
static void work_on(job* j, const scree_watch* watch)
{
    part mine = {.job = j, .watch = watch, .ask_at = j->chunks / 256 + 1}, *outer = current;
    current = &mine;
    for (int64_t c = 0, end = 0;; ++c) {
        if (c >= end)
            c = take_run(j, &end);
        if (c >= j->chunks || c > atomic_load(&j->failed) || atomic_load(&j->stop))
            break;
        scree_status result = j->work(j->context, c);
        if (result != SCREE_OK) {
            pthread_mutex_lock(&j->lock);
            if (c < atomic_load(&j->failed)) {
                atomic_store(&j->failed, c);
                j->status = result;
                snprintf(j->message, sizeof j->message, "%s", scree_error_message());
            }
            pthread_mutex_unlock(&j->lock);
        }
        int64_t done = atomic_fetch_add(&j->done, 1) + 1;
        if (done >= mine.ask_at) {
            mine.ask_at = done + j->chunks / 256 + 1;
            ask(&mine);
        }
    }
    current = outer;
}

// ---- The pool --------------------------------------------------------------------------------------------------------------

static struct pool {
    pthread_mutex_t taken;    // by the loop that has the pool
    pthread_mutex_t lock;     // of `asleep` and the bell
    pthread_cond_t bell;
    int32_t asleep;
    int32_t helpers;          // threads that have been made; changed by the thread that has the pool
    pthread_t newest;         // of the helpers
    _Atomic bool closing;     // they are to end
    _Atomic int64_t gate;     // 2 * helpers inside + 1 while it is open
    _Atomic int64_t loops;    // so far: a helper goes into each once
    _Atomic int32_t room;     // helpers that may be inside
    job* job;                 // touched inside only, and by the thread that has the pool
} pool = {.taken = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .bell = PTHREAD_COND_INITIALIZER};

enum { stack_least = 256 << 10 };  // bytes, as scree/base.h says of the caller's threads
static const double patience = 1e-3;  // seconds that a helper looks for the next loop before it sleeps
static const double patience_of_watch = 0.02;  // seconds between questions while the caller waits for helpers

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void pause_shortly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static bool go_in(void)
{
    int64_t gate = atomic_load(&pool.gate);
    while ((gate & 1) != 0 && gate / 2 < atomic_load(&pool.room))
        if (atomic_compare_exchange_weak(&pool.gate, &gate, gate + 2))
            return true;
    return false;
}

static void wait_for_loop(int64_t seen)
{
    double begin = seconds();
    for (int32_t look = 0; atomic_load(&pool.loops) == seen; ++look) {
        pause_shortly();
        if (look % 64 != 63 || seconds() - begin < patience)
            continue;
        pthread_mutex_lock(&pool.lock);
        ++pool.asleep;
        while (atomic_load(&pool.loops) == seen)
            pthread_cond_wait(&pool.bell, &pool.lock);
        --pool.asleep;
        pthread_mutex_unlock(&pool.lock);
    }
}

// `before` is the helper that was made before this one; NULL: there is none.
static void* help(void* before)
{
    for (int64_t seen = 0;;) {
        wait_for_loop(seen);
        seen = atomic_load(&pool.loops);
        if (atomic_load(&pool.closing))
            break;
        if (!go_in())
            continue;
        work_on(pool.job, NULL);
        atomic_fetch_sub(&pool.gate, 2);
    }
    if (before != NULL)
        pthread_join((pthread_t)before, NULL);
    return NULL;
}

static void wake_helpers(void)
{
    atomic_fetch_add(&pool.loops, 1);
    pthread_mutex_lock(&pool.lock);
    if (pool.asleep > 0)
        pthread_cond_broadcast(&pool.bell);
    pthread_mutex_unlock(&pool.lock);
}

// Called by the thread that holds the pool.
static void end_helpers(void)
{
    if (pool.helpers == 0)
        return;
    atomic_store(&pool.closing, true);
    wake_helpers();
    pthread_join(pool.newest, NULL);
    pool.helpers = 0;
    atomic_store(&pool.closing, false);
}

void scree_parallel_shutdown(void)
{
    pthread_mutex_lock(&pool.taken);
    end_helpers();
    pthread_mutex_unlock(&pool.taken);
}

// When the library is unloaded, and at exit. There another thread may still be in a loop, or this one, in a callback: the process ends all the same.
__attribute__((destructor)) static void end_at_unload(void)
{
    if (pthread_mutex_trylock(&pool.taken) != 0)
        return;
    end_helpers();
    pthread_mutex_unlock(&pool.taken);
}

static void forget(void)  // in the child of a fork there is only the thread that forked
{
    pool.helpers = pool.asleep = 0;
    atomic_store(&pool.gate, 0);
    atomic_store(&pool.closing, false);
    pthread_mutex_init(&pool.taken, NULL);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.bell, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget);
}

// If threads fail to start, the loop runs without them. Signals are left to the program's own threads.
static void want_helpers(int32_t wanted)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    pthread_attr_t how, *given = pthread_attr_init(&how) == 0 ? &how : NULL;
    size_t stack = 0;
    if (given != NULL && pthread_attr_getstacksize(given, &stack) == 0 && stack < stack_least)  // of ulimit -s
        (void)pthread_attr_setstacksize(given, stack_least);
    while (pool.helpers < wanted && pthread_create(&thread, given, help, pool.helpers > 0 ? (void*)pool.newest : NULL) == 0) {
        pool.newest = thread;
        ++pool.helpers;
    }
    if (given != NULL)
        pthread_attr_destroy(given);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void run_together(int32_t threads, job* j, const scree_watch* watch)
{
    if (pool.helpers < threads - 1)
        want_helpers(threads - 1);
    pool.job = j;
    atomic_store(&pool.room, threads - 1);
    atomic_store(&pool.gate, 1);
    wake_helpers();
    work_on(j, watch);
    atomic_fetch_sub(&pool.gate, 1);
    part mine = {.job = j, .watch = watch};
    double asked = 0.0;
    for (int32_t look = 0; atomic_load(&pool.gate) != 0; ++look) {
        pause_shortly();
        if (look <= 4000)
            continue;
        sched_yield();  // the thread inside may have no core
        if (seconds() - asked > patience_of_watch) {  // or has a long chunk, and the watch waits too
            ask(&mine);
            asked = seconds();
        }
    }
}

// ---- Threads of the caller ---------------------------------------------------------------------------------------------------

typedef struct lent {
    job* job;
    const scree_watch* watch;
    pthread_t caller;
} lent;

static void work_for(void* data)
{
    const lent* l = data;
    work_on(l->job, pthread_equal(pthread_self(), l->caller) ? l->watch : NULL);
}

// A thread that comes late finds no chunks. If none came at all, the caller does the work.
static void run_lent(const scree_tasks* tasks, int32_t threads, job* j, const scree_watch* watch)
{
    lent l = {.job = j, .watch = watch, .caller = pthread_self()};
    tasks->run(tasks->context, threads, work_for, &l);
    work_on(j, watch);
}

scree_status scree_parallel_for(int32_t threads, int64_t chunks, scree_chunk work, void* context,
                                const scree_watch* watch)
{
    threads = scree_parallel_threads(threads);
    if (threads > chunks)
        threads = chunks > 0 ? (int32_t)chunks : 1;
    const scree_tasks* tasks = threads > 1 ? scree_get_tasks() : NULL;
    bool together = threads > 1 && tasks == NULL && pthread_mutex_trylock(&pool.taken) == 0;
    job j = {.work = work, .context = context, .chunks = chunks, .threads = threads, .status = SCREE_OK, .lock = PTHREAD_MUTEX_INITIALIZER};
    atomic_init(&j.next, 0);
    atomic_init(&j.done, 0);
    atomic_init(&j.failed, INT64_MAX);
    atomic_init(&j.stop, false);
    if (tasks != NULL && current == NULL) {  // a loop within a chunk works alone
        run_lent(tasks, threads, &j, watch);
    } else if (together) {
        run_together(threads, &j, watch);
        pthread_mutex_unlock(&pool.taken);
    } else {
        work_on(&j, watch);
    }
    pthread_mutex_destroy(&j.lock);
    if (j.status != SCREE_OK)
        return scree_fail(j.status, "%s", j.message);
    return atomic_load(&j.stop) ? cancelled() : SCREE_OK;
}
