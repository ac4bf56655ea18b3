// How pairs get from many threads into one array.
//
// Each chunk owns a stretch of the array. What a chunk will need is not known before it has run, so it is guessed; a
// chunk that runs out of room continues counting, and is run again once the stretches have been laid out again with the
// room that it asked for. The guess is what the same chunk needed last time, if there was one: in a steady simulation
// nothing is run twice and nothing is allocated. The stretches are pushed together, in order: each as soon as all chunks before it are
// there, by the thread that has just finished a chunk, so that most pairs are moved while they are still in the cache.
//
// On one thread chunks run in order, so each begins where the one before ended: no room is left between them, and nothing is moved.
#include "index/pair_output.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/pair_sort.h"
#include "base/parallel.h"

#include <inttypes.h>

// ---- Several threads -----------------------------------------------------------------------------------------------

// What all threads write has a cache line of its own.
typedef struct fill_job {
    _Alignas(64) const method_table* method;
    const void* self;
    pair_output* list;
    int64_t chunks;
    bool with_shift;
    _Alignas(64) bool moving;  // by a thread; changed atomically, as `filled` and `moved` are
    int64_t moved;  // chunks that are in their final place: all before this one
    int64_t end;    // of the pairs of those chunks
} fill_job;

static void move_chunk(const pair_output* list, sink* from, int64_t place, bool with_shift)
{
    if (from->ij == list->ij + place)
        return;
    memmove(list->ij + place, from->ij, (size_t)from->count * sizeof *list->ij);
    from->ij = list->ij + place;
    if (!with_shift)
        return;
    memmove(list->shift + place, from->shift, (size_t)from->count * sizeof *list->shift);
    from->shift = list->shift + place;
}

static bool next_is_filled(const fill_job* job)
{
    int64_t next = __atomic_load_n(&job->moved, __ATOMIC_SEQ_CST);
    return next < job->chunks && __atomic_load_n(&job->list->filled[next], __ATOMIC_SEQ_CST) != 0;
}

// Moves the next chunks that are filled, unless another thread is doing that. Each call moves a few at most: with many threads one of them cannot
// move what the others fill, and what is left is moved by all of them (join).
static void move_filled(fill_job* job)
{
    for (int32_t k = 0; k < 4 && next_is_filled(job); ++k) {
        if (__atomic_test_and_set(&job->moving, __ATOMIC_ACQUIRE))
            return;
        if (next_is_filled(job)) {
            sink* from = &job->list->chunks[job->moved];
            move_chunk(job->list, from, job->end, job->with_shift);
            job->end += from->count;
            __atomic_store_n(&job->moved, job->moved + 1, __ATOMIC_SEQ_CST);
        }
        __atomic_clear(&job->moving, __ATOMIC_RELEASE);
    }
}

// Runs a chunk unless it has run and had the room it needed. `count` is -1 before the first run.
static scree_status fill_chunk(void* context, int64_t c)
{
    fill_job* job = context;
    sink* to = &job->list->chunks[c];
    if (to->count < 0) {
        to->count = to->tests = to->box_tests = to->cells = to->reported = 0;
        job->method->pairs(job->self, c, to);
        sink_tell(to);
    }
    if (to->count <= to->room)
        __atomic_store_n(&job->list->filled[c], 1, __ATOMIC_SEQ_CST);
    move_filled(job);
    return SCREE_OK;
}

// The work before and after the search asks the same watch, with a constant share done.
typedef struct still_watch {
    const scree_watch* watch;
    double done;
} still_watch;

static bool ask_still(void* context, double done)
{
    (void)done;
    const still_watch* still = context;
    return scree_watch_goes_on(still->watch, still->done);
}

static scree_watch watch_of(still_watch* still)
{
    return (scree_watch){.tick = still->watch != NULL && still->watch->tick != NULL ? ask_still : NULL, .context = still};
}

// The bytes that this many pairs need, with the scratch of a sort.
static size_t bytes_of(int64_t pairs, bool with_shift, bool sorted)
{
    return (size_t)pairs * (sizeof(int32_t[2]) + (with_shift ? sizeof(int8_t[3]) : 0) + (sorted ? sizeof(uint64_t) : 0));
}

// Gives each chunk `wanted room` in the array, in order, keeping what complete chunks hold. Stretches never move
// downward, so that moving from the last to the first overwrites nothing.
static scree_status lay_out(pair_output* list, int64_t chunks, bool with_shift)
{
    int64_t total = 0;
    for (int64_t c = 0; c < chunks; ++c) {
        const sink* to = &list->chunks[c];
        list->place[c] = to->count >= 0 ? to->ij - list->ij : 0;
        total += to->count > to->room ? to->count : to->room;
    }
    if (SCREE_RESERVE(list->ij, list->ij_capacity, total) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (with_shift && SCREE_RESERVE(list->shift, list->shift_capacity, total + 1) != SCREE_OK)  // never NULL
        return SCREE_ERR_MEMORY;

    int64_t begin = total;
    for (int64_t c = chunks - 1; c >= 0; --c) {
        sink* to = &list->chunks[c];
        int64_t room = to->count > to->room ? to->count : to->room;
        begin -= room;
        if (to->count > to->room)
            to->count = -1;  // to be run again
        to->room = room;
        to->ij = list->ij + list->place[c];
        to->shift = with_shift ? list->shift + list->place[c] : NULL;
        if (to->count >= 0)
            move_chunk(list, to, begin, with_shift);
        to->ij = list->ij + begin;
        to->shift = with_shift ? list->shift + begin : NULL;
        list->filled[c] = 0;
    }
    return SCREE_OK;
}

// ---- Pushing the stretches together --------------------------------------------------------------------------------
// What the threads have not moved while they filled. Each moves down, the later ones farther. Stretches whose new places all lie before their
// old ones can move at the same time: the farther down the array, the more of them.

typedef struct join_job {
    pair_output* list;
    bool with_shift;
    int64_t first;  // of the chunks that move now
} join_job;

static scree_status join_chunk(void* context, int64_t k)
{
    const join_job* job = context;
    move_chunk(job->list, &job->list->chunks[job->first + k], job->list->place[job->first + k], job->with_shift);
    return SCREE_OK;
}

static scree_status join(pair_output* list, int64_t moved, int64_t chunks, bool with_shift, int32_t threads, const scree_watch* watch)
{
    int64_t unasked = 0;
    join_job job = {.list = list, .with_shift = with_shift, .first = moved};
    list->count = list->tests = list->box_tests = list->cells = 0;
    for (int64_t c = 0; c < chunks; ++c) {
        const sink* from = &list->chunks[c];
        list->place[c] = list->count;
        list->count += from->count;
        list->tests += from->tests;
        list->box_tests += from->box_tests;
        list->cells += from->cells;
    }
    list->place[chunks] = list->count;
    while (job.first < chunks) {
        int64_t old = list->chunks[job.first].ij - list->ij, last = job.first + 1;
        while (last < chunks && list->place[last + 1] <= old)
            ++last;
        int64_t together = last - job.first;
        unasked += list->place[last] - list->place[job.first];
        if (unasked > scree_work_unasked) {
            unasked = 0;
            if (!scree_watch_goes_on(watch, 1.0)) {
                list->count = 0;
                return scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
            }
        }
        scree_parallel_for(together < 8 ? 1 : threads, together, join_chunk, &job, NULL);
        job.first = last;
    }
    return SCREE_OK;
}

// Room for a chunk that was never run: what some chunks from all over have, and a quarter more. They are run for this
// without room, so that they count only.
enum { pilots = 16, spare_room = 112 };  // so much room more that all candidates of a sphere fit to the last, and need no tests of their own for it

typedef struct pilot_job {
    const method_table* method;
    const void* self;
    int64_t chunks;
    int64_t count[pilots];
} pilot_job;

static scree_status run_pilot(void* context, int64_t p)
{
    pilot_job* job = context;
    sink count_only = {.count = 0};
    job->method->pairs(job->self, p * job->chunks / pilots, &count_only);
    sink_tell(&count_only);
    job->count[p] = count_only.count;
    return SCREE_OK;
}

static scree_status guess(const method_table* method, const void* self, const items* it, int64_t chunks, int32_t threads,
                          const scree_watch* watch, int64_t* room)
{
    *room = 4 * ((int64_t)it->n / (chunks + 1)) + 16;
    if (chunks < 8 * pilots)
        return SCREE_OK;
    pilot_job job = {.method = method, .self = self, .chunks = chunks};
    still_watch still = {.watch = watch, .done = 0.0};
    scree_watch asks = watch_of(&still);
    scree_status status = scree_parallel_for(threads, pilots, run_pilot, &job, &asks);
    int64_t sum = 0;
    for (int64_t p = 0; p < pilots; ++p)
        sum += job.count[p];
    *room = sum / pilots * 5 / 4 + spare_room;
    return status;
}

// An eighth more than last time, or a guess.
static int64_t room_for(const sink* chunk, int64_t guessed)
{
    return chunk->known ? chunk->count * 9 / 8 + spare_room : guessed;
}

static scree_status out_of_room(int64_t pairs, size_t bytes)
{
    return scree_fail(SCREE_ERR_MEMORY, "out of memory: the search gives %" PRId64 " pairs, which need %zu bytes; %zu are free", pairs, bytes, scree_memory_room());
}

// A second layout has counted all pairs: if there is no room for them, the message says how many they are.
static scree_status lay_out_all(pair_output* list, int64_t chunks, bool with_shift)
{
    int64_t pairs = 0;
    for (int64_t c = 0; c < chunks; ++c)
        pairs += list->chunks[c].count;
    size_t bytes = bytes_of(pairs, with_shift, list->to_sort);
    if (scree_memory_fits(bytes) && lay_out(list, chunks, with_shift) == SCREE_OK)
        return SCREE_OK;
    return out_of_room(pairs, bytes);
}

// ---- One thread ----------------------------------------------------------------------------------------------------

typedef struct turn_job {
    const method_table* method;
    const void* self;
    pair_output* list;
    bool with_shift;
    int64_t room;  // of the arrays
    bool full;     // some chunk had not enough of it: from there on they only count
} turn_job;

// Runs a chunk into what is left of the arrays. Chunks that have been stored are left as they are: a second loop stores the others.
static scree_status take_turn(void* context, int64_t c)
{
    turn_job* job = context;
    pair_output* list = job->list;
    sink* to = &list->chunks[c];
    if (to->known)
        return SCREE_OK;
    *to = (sink){.room = job->full ? 0 : job->room - list->count};
    if (!job->full) {
        to->ij = list->ij + list->count;
        to->shift = job->with_shift ? list->shift + list->count : NULL;
    }
    job->method->pairs(job->self, c, to);
    sink_tell(to);
    to->known = !job->full && to->count <= to->room;
    job->full = !to->known;
    if (to->known) {
        list->count += to->count;
        list->tests += to->tests;
        list->box_tests += to->box_tests;
        list->cells += to->cells;
    }
    return SCREE_OK;
}

// Room for this many pairs. A list that is sorted has scratch of the same size.
static scree_status reserve_pairs(pair_output* list, int64_t pairs, bool with_shift)
{
    if (SCREE_RESERVE(list->ij, list->ij_capacity, pairs) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    return with_shift ? SCREE_RESERVE(list->shift, list->shift_capacity, pairs + 1) : SCREE_OK;  // never NULL
}

static scree_status fill_in_turn(pair_output* list, const method_table* method, const void* self, const items* it, int64_t chunks, bool with_shift,
                                 const scree_watch* watch)
{
    int64_t even = 0, total = 0;
    scree_status status = chunks > 0 && !list->chunks[0].known ? guess(method, self, it, chunks, 1, watch, &even) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    if (even > INT64_MAX / 32 / (chunks + 1) || !scree_memory_fits(2 * bytes_of(even * chunks, with_shift, list->to_sort)))
        even = 0;  // too many, most likely: count them first
    for (int64_t c = 0; c < chunks; ++c)  // as much as several threads would take, so that the bytes do not depend on them
        total += list->place[c] = room_for(&list->chunks[c], even);
    status = reserve_pairs(list, total, with_shift);
    list->tests = list->box_tests = list->cells = 0;
    for (int64_t c = 0; c < chunks; ++c)
        list->chunks[c].known = false;
    turn_job job = {.method = method, .self = self, .list = list, .with_shift = with_shift, .room = list->ij_capacity};
    if (with_shift && list->shift_capacity < job.room)
        job.room = list->shift_capacity;
    if (status == SCREE_OK)
        status = scree_parallel_for(1, chunks, take_turn, &job, watch);
    int64_t pairs = 0, needed = 0;
    for (int64_t c = 0; c < chunks && status == SCREE_OK; ++c) {
        pairs += list->chunks[c].count;
        needed += list->chunks[c].count > list->place[c] ? list->chunks[c].count : list->place[c];
    }
    if (status == SCREE_OK && needed > total) {  // again as several threads would, even if all are stored
        size_t bytes = bytes_of(pairs, with_shift, list->to_sort);
        if (!scree_memory_fits(bytes) || reserve_pairs(list, needed, with_shift) != SCREE_OK)
            status = out_of_room(pairs, bytes);
    }
    if (status == SCREE_OK && job.full) {
        job.room = needed;
        job.full = false;
        status = scree_parallel_for(1, chunks, take_turn, &job, watch);
    }
    for (int64_t c = 0; c < chunks; ++c)
        list->chunks[c].known = status == SCREE_OK;
    if (status != SCREE_OK)
        list->count = 0;
    return status;
}

scree_status pair_list_fill(pair_output* list, const method_table* method, const void* self, const items* it,
                            bool with_shift, int32_t threads, const scree_watch* watch)
{
    int64_t chunks = method->chunks(self);
    int64_t known = list->chunk_capacity;
    list->count = 0;
    if (SCREE_RESERVE(list->chunks, list->chunk_capacity, chunks) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t c = known; c < list->chunk_capacity; ++c)
        list->chunks[c] = (sink){.count = 0};
    if (SCREE_RESERVE(list->place, list->place_capacity, chunks + 1) != SCREE_OK || SCREE_RESERVE(list->filled, list->filled_capacity, chunks) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (scree_parallel_threads(threads) == 1)
        return fill_in_turn(list, method, self, it, chunks, with_shift, watch);

    int64_t even = 64;
    scree_status status = chunks > 0 && !list->chunks[0].known ? guess(method, self, it, chunks, threads, watch, &even) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    if (even > INT64_MAX / 32 / (chunks + 1) || !scree_memory_fits(2 * bytes_of(even * chunks, with_shift, list->to_sort)))
        even = 0;  // too many, most likely: count them first
    for (int64_t c = 0; c < chunks; ++c)
        list->chunks[c] = (sink){.count = -1, .room = room_for(&list->chunks[c], even)};
    status = lay_out(list, chunks, with_shift);
    fill_job job = {.method = method, .self = self, .list = list, .chunks = chunks, .with_shift = with_shift};
    if (status == SCREE_OK)
        status = scree_parallel_for(threads, chunks, fill_chunk, &job, watch);
    bool complete = true;
    for (int64_t c = 0; c < chunks && status == SCREE_OK; ++c)
        complete = complete && list->chunks[c].count <= list->chunks[c].room;
    if (status == SCREE_OK && !complete) {
        job.moved = job.end = 0;
        status = lay_out_all(list, chunks, with_shift);
        if (status == SCREE_OK)
            status = scree_parallel_for(threads, chunks, fill_chunk, &job, watch);
    }
    for (int64_t c = 0; c < chunks; ++c)
        list->chunks[c].known = status == SCREE_OK;
    return status == SCREE_OK ? join(list, job.moved, chunks, with_shift, threads, watch) : status;
}

// ---- Sorting -----------------------------------------------------------------------------------------------------

scree_status pair_list_sort(pair_output* list, int32_t n, bool with_shift, int32_t threads, const scree_watch* watch)
{
    still_watch still = {.watch = watch, .done = 1.0};
    scree_watch asks = watch_of(&still);
    if (SCREE_RESERVE(list->keys, list->key_capacity, list->count) != SCREE_OK ||
        (list->with_rows && SCREE_RESERVE(list->rows, list->row_capacity, (int64_t)n + 1) != SCREE_OK) ||
        SCREE_RESERVE(list->place, list->place_capacity, scree_pair_sort_places(n)) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    pair_sort pairs = {.count = list->count,
                       .n = n,
                       .ij = list->ij,
                       .shift = with_shift ? list->shift : NULL,
                       .keys = list->keys,
                       .place = list->place,
                       .rows = list->with_rows ? list->rows : NULL};
    return scree_sort_pairs(&pairs, threads, &asks);
}

size_t pair_list_bytes(const pair_output* list)
{
    return (size_t)list->ij_capacity * sizeof *list->ij + (size_t)list->shift_capacity * sizeof *list->shift +
           (size_t)list->chunk_capacity * sizeof *list->chunks + (size_t)list->key_capacity * sizeof *list->keys +
           (size_t)list->row_capacity * sizeof *list->rows + (size_t)list->place_capacity * sizeof *list->place +
           (size_t)list->filled_capacity * sizeof *list->filled;
}

void pair_list_free(pair_output* list)
{
    scree_free(list->ij);
    scree_free(list->shift);
    scree_free(list->chunks);
    scree_free(list->keys);
    scree_free(list->rows);
    scree_free(list->place);
    scree_free(list->filled);
    *list = (pair_output){.with_rows = list->with_rows, .to_sort = list->to_sort};
}
