// parallel_for on OpenMP. Chunks are handed out one by one, so that a heavy chunk does not hold up the rest; this is
// safe for the results because nothing is joined here.
#include "base/parallel.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

int32_t scree_parallel_threads(int32_t threads)
{
    // The OpenMP library ends the process when it cannot make a thread, so a slip like --threads 40000 is not passed on. How many
    // processors there are is asked of the system each time, so only where it matters.
    int32_t wanted = threads > 0 ? threads : (int32_t)omp_get_max_threads(), always = 16;
    if (wanted <= always)
        return wanted;
    int32_t most = 4 * (int32_t)omp_get_num_procs() + always;
    return wanted < most ? wanted : most;
}

// The watch wants a few hundred calls, not one per chunk.
static bool tick(const scree_watch* watch, int64_t done, int64_t chunks)
{
    if (watch == NULL || watch->tick == NULL)
        return true;
    int64_t stride = chunks / 256 + 1;
    return done % stride != 0 || watch->tick(watch->context, (double)done / (double)chunks);
}

static scree_status cancelled(void)
{
    return scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
}

static scree_status run_alone(int64_t chunks, scree_chunk work, void* context, const scree_watch* watch)
{
    for (int64_t c = 0; c < chunks; ++c) {
        scree_status status = work(context, c);
        if (status != SCREE_OK)
            return status;
        if (!tick(watch, c + 1, chunks))
            return cancelled();
    }
    return SCREE_OK;
}

scree_status scree_parallel_for(int32_t threads, int64_t chunks, scree_chunk work, void* context,
                                const scree_watch* watch)
{
    threads = scree_parallel_threads(threads);
    if (threads > chunks)
        threads = (int32_t)chunks;
    if (threads <= 1)
        return run_alone(chunks, work, context, watch);

    _Atomic int64_t next = 0, done = 0;
    _Atomic int64_t failed = INT64_MAX;  // the lowest chunk that failed
    _Atomic bool stop = false;
    scree_status status = SCREE_OK;
    char message[2048] = "";
    scree_watch quiet = {0};
#pragma omp parallel num_threads(threads)
    {
        const scree_watch* mine = omp_get_thread_num() == 0 ? watch : &quiet;  // thread 0 is the caller
        for (;;) {
            int64_t c = atomic_fetch_add(&next, 1);
            if (c >= chunks || c > atomic_load(&failed) || atomic_load(&stop))
                break;
            scree_status result = work(context, c);
            if (result != SCREE_OK) {
#pragma omp critical(scree_parallel_failure)
                if (c < atomic_load(&failed)) {
                    atomic_store(&failed, c);
                    status = result;
                    snprintf(message, sizeof message, "%s", scree_error_message());
                }
            }
            if (!tick(mine, atomic_fetch_add(&done, 1) + 1, chunks))
                atomic_store(&stop, true);
        }
    }
    if (status != SCREE_OK)
        return scree_fail(status, "%s", message);
    return atomic_load(&stop) ? cancelled() : SCREE_OK;
}
