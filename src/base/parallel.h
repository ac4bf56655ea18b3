// Threads, in one place. Work is cut into chunks that depend on the data alone; each chunk writes what is its own, and
// whoever called joins the chunks in order. So no result depends on the number of threads or on who ran what.
#ifndef SCREE_BASE_PARALLEL_H
#define SCREE_BASE_PARALLEL_H

#include "scree/base.h"

typedef scree_status (*scree_chunk)(void* context, int64_t chunk);

// Calls work(context, c) for c = 0 .. chunks-1, each once, on up to `threads` threads (0: all cores), in no fixed order.
// If chunks fail, the status and message of the lowest of them come back (later ones may then be left out).
// `watch` may be NULL.
scree_status scree_parallel_for(int32_t threads, int64_t chunks, scree_chunk work, void* context,
                                const scree_watch* watch);

// How many threads `threads` means here: itself, or all cores for 0; but never more than some to a core.
int32_t scree_parallel_threads(int32_t threads);

#endif
