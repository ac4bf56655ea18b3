// Threads, in one place. Work is cut into chunks that depend on the data alone; each chunk writes what is its own, and
// the caller joins the chunks in order. So no result depends on the number of threads or on who ran what.
#ifndef SCREE_BASE_PARALLEL_H
#define SCREE_BASE_PARALLEL_H

#include "scree/base.h"

typedef scree_status (*scree_chunk)(void* context, int64_t chunk);

// Calls work(context, c) for c = 0 .. chunks-1, each once, on up to `threads` threads (0: all cores), in no fixed order.
// If chunks fail, the status and message of the lowest of them come back (later ones may then be left out).
// `watch` may be NULL.
scree_status scree_parallel_for(int32_t threads, int64_t chunks, scree_chunk work, void* context,
                                const scree_watch* watch);

// Reports the work that a chunk has done since its last report, in units of about a nanosecond (a test of two spheres). A long chunk reports as it goes,
// so that the watch is asked after scree_work_unasked of them at the latest. False: the loop is to stop, and the chunk returns at once,
// with whatever it has; the loop then gives CANCELLED.
enum { scree_work_unasked = 1 << 18 };
bool scree_parallel_work(int64_t units);

// Asks a watch outside of such loops. True: continue. NULL and a zeroed watch continue.
bool scree_watch_goes_on(const scree_watch* watch, double done);

// For innermost serial loops: asks the thread's own watch (scree_set_watch) at every 4096th of `count` items.
// CANCELLED: it says stop; `what` begins the message.
scree_status scree_watch_own(const char* what, int64_t item, int64_t count);

// For loops whose items differ in work: asks after so much of it as loops of threads do. False: stop.
typedef struct scree_patience {
    scree_watch watch;
    int64_t work;  // since it was last asked
} scree_patience;
bool scree_patience_lasts(scree_patience* patience, int64_t units, double done);

// Ends the helping threads; the next loop makes new ones. Waits for a loop that is running.
void scree_parallel_shutdown(void);

// How many threads `threads` means here: itself, or all cores for 0; but never more than some to a core.
int32_t scree_parallel_threads(int32_t threads);

#endif
