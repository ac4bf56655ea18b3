// The event calendar. Each sphere has one entry, its earliest event; the calendar returns them in order of (time, number).
//
//     base                                   base + count * width
//      |  |  |##|  |  |  |  | ...  |  |  |  |   later
//             ^ current: a small heap; the others are unsorted lists of int32 links
//
// Time is divided into buckets so narrow that about one event falls into each (Paul 2007). Most events are moved several times
// before they happen; moving one between two lists is O(1), where a heap over all spheres would touch a dozen cache lines. A bucket is put into
// the heap only when it becomes current, so that the order is exact however many events it has. Events beyond the last bucket are
// in one more list; when all buckets are done, that list is distributed over new buckets, with a width that follows from counts.
#ifndef SCREE_EVENT_CALENDAR_H
#define SCREE_EVENT_CALENDAR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct due {
    double t;          // INFINITY: never
    int32_t partner;   // sphere, or one of due_kind
    int32_t image;     // of the partner; of a wall: 2 * axis + side
    uint32_t stamp;    // the partner's `changes` when this was predicted: if it is another one now, this does not happen
    uint32_t changes;  // of this sphere's velocity
    int32_t next;      // in its list, -1: last; or due_in_heap
    int32_t previous;  // in its list, or ~bucket if it is the first; in the heap: its place
} due;

enum due_kind { due_nothing = -1, due_wall = -2, due_leave = -3, due_agenda = -4 };
enum { due_in_heap = -2 };

typedef struct calendar {
    double base, width, inverse;  // inverse: 1 / width
    int32_t count, current;
    int32_t heap_count;
    int32_t* heap;   // of spheres; room for all
    int32_t* first;  // count + 1 lists; the last: later
    int64_t popped;  // buckets' events since the base was set
} calendar;

static inline bool due_before(const due* d, const int32_t* id, int32_t a, int32_t b)
{
    return d[a].t < d[b].t || (d[a].t == d[b].t && id[a] < id[b]);
}

static inline void heap_put(calendar* c, due* d, int32_t at, int32_t i)
{
    c->heap[at] = i;
    d[i].previous = at;
}

static inline void heap_up(calendar* c, due* d, const int32_t* id, int32_t at, int32_t i)
{
    while (at > 0 && due_before(d, id, i, c->heap[(at - 1) / 2])) {
        heap_put(c, d, at, c->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(c, d, at, i);
}

static inline void heap_down(calendar* c, due* d, const int32_t* id, int32_t at, int32_t i)
{
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= c->heap_count)
            break;
        if (child + 1 < c->heap_count && due_before(d, id, c->heap[child + 1], c->heap[child]))
            ++child;
        if (!due_before(d, id, c->heap[child], i))
            break;
        heap_put(c, d, at, c->heap[child]);
        at = child;
    }
    heap_put(c, d, at, i);
}

static inline void calendar_insert(calendar* c, due* d, const int32_t* id, int32_t i)
{
    double place = (d[i].t - c->base) * c->inverse;
    if (place < c->current + 1.0) {
        d[i].next = due_in_heap;
        heap_up(c, d, id, c->heap_count++, i);
        return;
    }
    int32_t bucket = place < c->count ? (int32_t)place : c->count;
    int32_t first = c->first[bucket];
    d[i].next = first;
    d[i].previous = ~bucket;
    if (first >= 0)
        d[first].previous = i;
    c->first[bucket] = i;
}

static inline void calendar_remove(calendar* c, due* d, const int32_t* id, int32_t i)
{
    if (d[i].next == due_in_heap) {
        int32_t at = d[i].previous, last = c->heap[--c->heap_count];
        if (last != i) {
            if (at > 0 && due_before(d, id, last, c->heap[(at - 1) / 2]))
                heap_up(c, d, id, at, last);
            else
                heap_down(c, d, id, at, last);
        }
        return;
    }
    if (d[i].previous >= 0)
        d[d[i].previous].next = d[i].next;
    else
        c->first[~d[i].previous] = d[i].next;
    if (d[i].next >= 0)
        d[d[i].next].previous = d[i].previous;
}

// Distributes all n entries over the buckets; none is in a list yet.
static inline void calendar_fill(calendar* c, due* d, const int32_t* id, int32_t n, double now)
{
    c->base = now;
    c->current = 0;
    c->heap_count = 0;
    c->popped = 0;
    c->inverse = 1.0 / c->width;
    for (int32_t b = 0; b <= c->count; ++b)
        c->first[b] = -1;
    for (int32_t i = 0; i < n; ++i)
        calendar_insert(c, d, id, i);
}

// The sphere whose event is next; it stays where it is. -1: nothing happens any more.
static inline int32_t calendar_next(calendar* c, due* d, const int32_t* id)
{
    while (c->heap_count == 0) {
        if (++c->current >= c->count) {
            double least = INFINITY;
            for (int32_t i = c->first[c->count]; i >= 0; i = d[i].next)
                least = d[i].t < least ? d[i].t : least;
            if (isinf(least)) {
                --c->current;
                return -1;
            }
            // One event to a bucket, or somewhat more. Far too wide or narrow a width is found out at once, without a jump.
            double change = (double)c->count / (double)(c->popped + 1);
            c->width *= fmin(fmax(change, 0.5), 2.0);
            c->inverse = 1.0 / c->width;
            c->base = least;
            c->current = 0;
            c->popped = 0;
            int32_t i = c->first[c->count];
            c->first[c->count] = -1;
            while (i >= 0) {
                int32_t next = d[i].next;
                calendar_insert(c, d, id, i);
                i = next;
            }
            continue;
        }
        int32_t i = c->first[c->current];
        c->first[c->current] = -1;
        while (i >= 0) {
            int32_t next = d[i].next;
            d[i].next = due_in_heap;
            heap_up(c, d, id, c->heap_count++, i);
            ++c->popped;
            i = next;
        }
    }
    return c->heap[0];
}

#endif
