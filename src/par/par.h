// Ranks and messages: the interface through which the other files of this folder use MPI.
//
// A simulation is shared by `ranks` ranks, 0 .. ranks - 1. A process has `local` of them, from `first` on: with MPI one, and in a single process without it all (par_alone.c). Data
// of ranks are arrays with one entry for each local rank. So the protocol is written once: local work is a loop over the local ranks, and communication
// is one of the functions below. All of these are collective: every process calls them in the same order.
#ifndef SCREE_PAR_PAR_H
#define SCREE_PAR_PAR_H

#include "base/memory.h"
#include "scree/par.h"

// What a rank sends, or receives: one message for each other rank, by rising rank.
typedef struct par_mail {
    int32_t peer;
    int64_t bytes;
    char* data;            // in `memory`, aligned to 8 bytes
} par_mail;

typedef struct par_post {
    int32_t count;
    par_mail* mail;
    int64_t mail_capacity;
    char* memory;
    int64_t capacity;
} par_post;

void par_post_clear(par_post* post);
scree_status par_post_add(par_post* post, int32_t peer, int64_t bytes);  // peers rise. MEMORY
scree_status par_post_lay(par_post* post);                               // all are added: gives each its place. MEMORY
void par_post_free(par_post* post);

// A way to send messages. Functions that fail say so on all processes.
typedef struct par_way {
    scree_status (*send)(scree_par* par, const par_post* out, par_post* in);  // receivers do not know what comes
    scree_status (*swap)(scree_par* par, const par_post* out, par_post* in);  // they do: peers and bytes of `in` are set, and it is laid
    scree_status (*max)(scree_par* par, double* values, int64_t count);       // over all processes
    scree_status (*sum)(scree_par* par, int64_t* values, int64_t count);
    scree_status (*spread)(scree_par* par, void* bytes, int64_t count);       // from the process of rank 0 to all
    scree_status (*agree)(scree_par* par, scree_status status);               // the failure of the lowest process that has one, with its message
    void (*close)(scree_par* par);
    scree_status (*swap_begin)(scree_par* par, const par_post* out, par_post* in);  // the two halves of `swap`: no rank waits,
    scree_status (*swap_end)(scree_par* par, const par_post* out, par_post* in);    // and all has come
    void (*rest)(scree_par* par);                                                  // until all processes have come; who waits leaves its core to others
} par_way;

struct scree_par {
    const par_way* way;
    int32_t ranks, first, local;
    int32_t threads;       // that each rank may use; 0: all cores
    int64_t made;          // simulations so far
    bool trees;            // p4est may be used
    void* inner;
    int64_t slice;         // spheres that rank 0 hands out or takes at once; 0: as many as are good. For tests
    int32_t here;          // ranks that share the cores of a machine, which is their share of threads; 0: `threads` counts
    bool shared;           // its ranks do what rank 0 asks for
    uint64_t noise;        // not 0: messages wait for a random time before they are sent. For tests
    struct par_sim* sims;  // on the process of rank 0: those that are shared
    scree_par* before;     // whose turn it was to share simulations, and is again after par_share_end: virtual ranks may be made by one who shares
    struct scree_par_pairs* found;  // pairs of the spheres of a simulation that is being made, for its bonds (pairs.h); NULL: none
    scree_meter* meters;   // of ranks that are all in this process: [local] their memory, then that of the process of rank 0 with its rank. NULL: not measured
};

// Whether there is a local rank l: its turn begins. Memory that it allocates or frees then is its own (scree_memory_measure). The end of a loop over the ranks ends the last turn.
void par_measure(scree_par* par, int32_t l);  // -1: no rank; par->local: that of the process
static inline bool par_turn(scree_par* par, int32_t l)
{
    if (par->meters != NULL)
        par_measure(par, l);
    return l < par->local;
}

// Arrays with an entry for each local rank belong to no rank: a process of one rank has one entry. They are allocated and freed between these.
static inline void par_aside(scree_par* par)
{
    if (par->meters != NULL)
        par_measure(par, -1);
}
static inline void par_aside_end(scree_par* par)
{
    if (par->meters != NULL)
        par_measure(par, par->local);
}

scree_status par_alone(int32_t ranks, scree_par** out);    // all ranks in this process. ARGUMENT: fewer than 1. MEMORY
scree_status par_alone_measured(int32_t ranks, scree_par** out);  // the same, with the memory of each: the calling thread is measured until par_close. ARGUMENT, MEMORY
scree_status par_mpi(scree_par** out);               // the processes that MPI has started, one rank each; par_close ends MPI. MEMORY
void par_close(scree_par* par);
enum { par_module_version = 6 };                     // of this struct and par_way, which libscree_mpi.so has in common with libscree

// All simulations that this process, which has rank 0, makes from now on are shared by all ranks (sim/runner.h).
void par_share(scree_par* par);
void par_share_end(void);                            // ends sharing, or restores the sharing before. Simulations made under it no longer run, and give no results where other ranks have their spheres

scree_status par_send(scree_par* par, const par_post* out, par_post* in);     // MEMORY
scree_status par_swap(scree_par* par, const par_post* out, par_post* in);
scree_status par_swap_begin(scree_par* par, const par_post* out, par_post* in);  // `out` and `in` are not touched until
scree_status par_swap_end(scree_par* par, const par_post* out, par_post* in);
scree_status par_max(scree_par* par, double* values, int64_t count);          // values[local][count]: each gets the largest of all ranks
scree_status par_sum(scree_par* par, int64_t* values, int64_t count);         // the same for sums, which must stay within the integers
scree_status par_sum_processes(scree_par* par, int64_t* values, int64_t count);  // one array for each process
scree_status par_spread(scree_par* par, void* bytes, int64_t count);          // one array for each process
scree_status par_agree(scree_par* par, scree_status status);                  // one status for each process
void par_rest(scree_par* par);                                               // where one process works alone for long: the others wait for it here, and leave their cores to its threads

#endif
