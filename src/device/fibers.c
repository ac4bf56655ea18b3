// Fibers: functions that are left in the middle and continued later, each on a stack of its own. Those of a block run in one thread, one at a time. A lane that comes to a meeting before others leaves the
// processor to one that can run; the last one to come continues at once.
//
//     lane 0   ----> shows a ................ reads a, b ---->
//     lane 1           ----> shows b, reads a, b ---->            (the last)
//
// What lanes show is kept twice, in turns: a lane that is already at the next meeting does not overwrite what another one has not read yet. A lane cannot be two meetings ahead.
//
// If no lane can run and some have not ended, they wait for a lane that will not come: on a GPU this is undefined. It is reported, as is a warp whose lanes meet in different functions.
//
// A switch exchanges the registers that a function must preserve, in a few nanoseconds. swapcontext, used for other processors, also asks the system for the signal mask, which takes
// about a hundred times as long.
#define _GNU_SOURCE  // ucontext
#include "device/fibers.h"

#include "scree/base.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#if defined(__has_feature)
#define FIBERS_FEATURE(name) __has_feature(name)
#else
#define FIBERS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || FIBERS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define FIBERS_ADDRESS 1
#else
#define FIBERS_ADDRESS 0
#endif
#if defined(__SANITIZE_THREAD__) || FIBERS_FEATURE(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define FIBERS_THREAD 1
#else
#define FIBERS_THREAD 0
#endif
#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__) && !defined(__SHSTK__)
#define FIBERS_REGISTERS 1
#else
#include <ucontext.h>
#define FIBERS_REGISTERS 0
#endif

enum { stack_bytes = 1 << 18, groups_most = fibers_most / 2 + 1 };

static const char stack_end[16] = "end of a stack";  // at its lower end: whether it is still there shows whether the stack was long enough

typedef struct fiber {
#if FIBERS_REGISTERS
    void* top;              // of its stack, where its registers are, while it waits
#else
    ucontext_t context;
#endif
    const void* stack;      // its lower end,
    size_t bytes;           // and how long it is
    void* aside;            // what sanitizers keep
} fiber;

// Lanes that meet: those of a warp, or of the block.
typedef struct group {
    int32_t first, count, arrived;
    int32_t turn;           // which of the two places for values is used
    const char* name;       // of the function in which they meet
} group;

struct fibers {
    int32_t lanes, warp, warps;
    uint64_t state, seed;
    bool falling, made, ending;
    int32_t lane;           // that runs; -1: none does
    int32_t left;           // lanes that have not ended
    uint64_t ready[fibers_most / 64];  // bits of lanes that can run
    void (*body)(void* of, int lane);
    void* of;
    group groups[groups_most];  // of each warp; then of the block
    fiber_value* values;    // of each lane, twice
    fiber* each;
    fiber host;
    fiber* came;            // from
    char* stacks;
    char trouble[200];
};

static _Thread_local fibers* used;

// ---- Switching -------------------------------------------------------------------------------------------------------------

#if FIBERS_REGISTERS
__attribute__((visibility("hidden"))) void fibers_exchange(void** from, void* to);
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl fibers_exchange\n"
        ".hidden fibers_exchange\n"
        ".type fibers_exchange, @function\n"
        "fibers_exchange:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size fibers_exchange, . - fibers_exchange\n"
        ".popsection\n");
#endif

// After each switch, in the fiber that continues.
static void arrive(fibers* f, fiber* now)
{
#if FIBERS_ADDRESS
    const void* stack;
    size_t bytes;
    __sanitizer_finish_switch_fiber(now->aside, &stack, &bytes);
    if (f->came == &f->host) {
        f->host.stack = stack;
        f->host.bytes = bytes;
    }
#else
    (void)f;
    (void)now;
#endif
}

// From the lane that runs, or the host, to another one; -1: the host. `ends`: it does not come back.
static void go_to(fibers* f, int32_t lane, bool ends)
{
    fiber *from = f->lane < 0 ? &f->host : &f->each[f->lane], *to = lane < 0 ? &f->host : &f->each[lane];
    if (from == to)
        return;
    f->lane = lane;
    f->came = from;
#if FIBERS_ADDRESS
    __sanitizer_start_switch_fiber(ends ? NULL : &from->aside, to->stack, to->bytes);
#else
    (void)ends;
#endif
#if FIBERS_THREAD
    __tsan_switch_to_fiber(to->aside, 0);
#endif
#if FIBERS_REGISTERS
    fibers_exchange(&from->top, to->top);
#else
    swapcontext(&from->context, &to->context);
#endif
    arrive(f, from);
}

// The next lane that can run; -1: none.
static int32_t next_ready(fibers* f)
{
    enum { words = fibers_most / 64 };
    int32_t from = 0;
    if (f->seed != 0) {
        f->state = f->state * 6364136223846793005u + 1442695040888963407u;
        from = (int32_t)((f->state >> 33) % (uint64_t)f->lanes);
    }
    for (int32_t l = f->lanes - 1; f->falling && l > 0 && from == 0; --l)
        from = (f->ready[l / 64] >> l % 64 & 1) != 0 ? l : 0;
    for (int w = 0; w <= words; ++w) {  // the first word once more: its lower bits come last
        const int at = (from / 64 + w) % words;
        uint64_t bits = f->ready[at];
        if (w == 0)
            bits &= ~(uint64_t)0 << from % 64;
        if (bits != 0) {
            f->ready[at] &= ~(bits & (~bits + 1));
            return 64 * at + __builtin_ctzll(bits);
        }
    }
    return -1;
}

static void make_ready(fibers* f, int32_t first, int32_t count)
{
    for (int32_t l = first; l < first + count; ++l)
        f->ready[l / 64] |= (uint64_t)1 << l % 64;
}

// Nobody can run: if lanes are left, this is a deadlock.
static int32_t next_or_host(fibers* f)
{
    const int32_t next = next_ready(f);
    if (next >= 0 || f->left == 0 || f->trouble[0] != '\0')
        return next;
    for (int32_t g = 0; g <= f->warps; ++g)
        if (f->groups[g].arrived > 0) {
            snprintf(f->trouble, sizeof f->trouble, "%d of %d lanes, from lane %d on, wait in %s for the others, which have ended or wait elsewhere", (int)f->groups[g].arrived, (int)f->groups[g].count,
                     (int)f->groups[g].first, f->groups[g].name);
            break;
        }
    return -1;
}

static void fiber_main(void)
{
    fibers* f = used;
    const int32_t lane = f->lane;
    arrive(f, &f->each[lane]);
    while (!f->ending) {
        f->body(f->of, lane);
        --f->left;
        go_to(f, next_or_host(f), false);
    }
    go_to(f, -1, true);
}

static void make_fiber(fibers* f, int32_t lane)
{
    fiber* at = &f->each[lane];
    char* stack = f->stacks + (size_t)lane * stack_bytes;
#if FIBERS_ADDRESS
    __asan_unpoison_memory_region(stack, stack_bytes);
#endif
    at->stack = stack;
    at->bytes = stack_bytes;
    memcpy(stack, stack_end, sizeof stack_end);
#if FIBERS_ADDRESS
    at->aside = NULL;
#elif FIBERS_THREAD
    if (at->aside == NULL)
        at->aside = __tsan_create_fiber(0);
#endif
#if FIBERS_REGISTERS
    // As if fibers_exchange had been called by fiber_main, at its beginning: registers, the address of it, and no address of a caller.
    void* top[8] = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    void (*begin)(void) = fiber_main;
    memcpy(&top[6], &begin, sizeof begin);
    at->top = stack + stack_bytes - sizeof top - (uintptr_t)(stack + stack_bytes) % 16;
    memcpy(at->top, top, sizeof top);
#else
    getcontext(&at->context);
    at->context.uc_stack.ss_sp = stack;
    at->context.uc_stack.ss_size = stack_bytes;
    at->context.uc_link = NULL;
    makecontext(&at->context, fiber_main, 0);
#endif
}

// ---- Life ------------------------------------------------------------------------------------------------------------------

fibers* fibers_create(int32_t lanes, int32_t warp, uint64_t seed, bool falling)
{
    assert(lanes > 0 && lanes <= fibers_most && warp >= 2 && warp <= 32 && warp % 2 == 0 && lanes % warp == 0);
    fibers* f = scree_calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->lanes = lanes;
    f->warp = warp;
    f->warps = lanes / warp;
    f->seed = f->state = seed;
    f->falling = falling;
    f->lane = -1;
    f->values = scree_malloc(2 * (size_t)lanes, sizeof *f->values);
    f->each = scree_calloc((size_t)lanes, sizeof *f->each);
    f->stacks = scree_malloc((size_t)lanes, stack_bytes);
    if (f->values != NULL && f->each != NULL && f->stacks != NULL)
        return f;
    fibers_destroy(f);
    return NULL;
}

void fibers_destroy(fibers* f)
{
    if (f == NULL)
        return;
    fibers* before = used;
    used = f;
    f->ending = true;
#if FIBERS_THREAD
    f->host.aside = __tsan_get_current_fiber();
#endif
    for (int32_t l = 0; l < f->lanes && f->made; ++l)
        go_to(f, l, false);
#if FIBERS_THREAD
    for (int32_t l = 0; l < f->lanes && f->each != NULL; ++l)
        if (f->each[l].aside != NULL)
            __tsan_destroy_fiber(f->each[l].aside);
#endif
    used = before == f ? NULL : before;
    scree_free(f->values);
    scree_free(f->each);
    scree_free(f->stacks);
    scree_free(f);
}

const char* fibers_trouble(const fibers* f)
{
    return f->trouble;
}

void fibers_use(fibers* f)
{
    used = f;
}

bool fibers_run(fibers* f, void (*body)(void* of, int lane), void* of)
{
    if (f->trouble[0] != '\0')
        return false;
    used = f;
    f->body = body;
    f->of = of;
    f->left = f->lanes;
    for (int32_t g = 0; g <= f->warps; ++g)
        f->groups[g] = g < f->warps ? (group){.first = g * f->warp, .count = f->warp} : (group){.first = 0, .count = f->lanes};
    for (int32_t l = 0; l < f->lanes && !f->made; ++l)
        make_fiber(f, l);
    f->made = true;
    memset(f->ready, 0, sizeof f->ready);
    make_ready(f, 0, f->lanes);
#if FIBERS_THREAD
    f->host.aside = __tsan_get_current_fiber();
#endif
    go_to(f, next_ready(f), false);
    for (int32_t l = 0; l < f->lanes; ++l)
        if (memcmp(f->each[l].stack, stack_end, sizeof stack_end) != 0)
            snprintf(f->trouble, sizeof f->trouble, "lane %d needs more than the %d bytes of its stack", (int)l, (int)stack_bytes);
    if (f->trouble[0] == '\0')
        return true;
    f->made = false;  // some are in the middle of something
    return false;
}

// ---- Meetings ----------------------------------------------------------------------------------------------------------------

int fibers_warp(void)
{
    return used->warp;
}

int fibers_lane(void)
{
    return used->lane < 0 ? 0 : used->lane % used->warp;
}

static int32_t meet(fibers* f, group* g, const char* name)
{
    const int32_t turn = g->turn;
    if (g->arrived == 0)
        g->name = name;
    if (strcmp(g->name, name) != 0) {
        snprintf(f->trouble, sizeof f->trouble, "lane %d is in %s, while others of the %d lanes from lane %d on wait in %s", (int)f->lane, name, (int)g->count, (int)g->first, g->name);
        go_to(f, -1, false);
    }
    if (++g->arrived < g->count) {
        go_to(f, next_or_host(f), false);
        return turn;
    }
    const int32_t lane = f->lane;
    make_ready(f, g->first, g->count);
    f->ready[lane / 64] &= ~((uint64_t)1 << lane % 64);
    g->arrived = 0;
    g->turn = 1 - turn;
    return turn;
}

const fiber_value* fibers_meet(const char* name, fiber_value mine)
{
    static _Thread_local fiber_value alone[32];
    fibers* f = used;
    assert(f != NULL);
    if (f->lane < 0) {
        snprintf(f->trouble, sizeof f->trouble, "%s is called by a kernel whose lanes are not run as fibers", name);
        for (int l = 0; l < 32; ++l)
            alone[l] = mine;
        return alone;
    }
    group* g = &f->groups[f->lane / f->warp];
    f->values[g->turn * f->lanes + f->lane] = mine;
    return f->values + meet(f, g, name) * f->lanes + g->first;
}

void fibers_meet_block(const char* name)
{
    fibers* f = used;
    assert(f != NULL && f->lane >= 0);
    meet(f, &f->groups[f->warps], name);
}
