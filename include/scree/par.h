// scree/par.h: simulations that several processes share, in programs of your own. Every process of an MPI communicator is a rank; rank 0 is the program, and the others help:
//
//     scree_par* par;
//     scree_par_create(-1, &par);                       // of all processes; or of a communicator, by its Fortran handle (MPI_Comm_c2f)
//     scree_par_share(par);                            // ranks above 0 come back at the end
//     if (scree_par_get_rank(par) == 0)
//         ...                                          // all simulations that are created here are run by all
//     scree_par_destroy(par);
//
// Simulations have the bits that one process gives. docs/processes.md says what can be shared. The program itself need not be linked with MPI: libscree_mpi.so is, and is opened by scree_par_create.
#ifndef SCREE_PAR_H
#define SCREE_PAR_H

#include "scree/base.h"
#include "scree/device.h"
#include "scree/index.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_par scree_par;

// All processes of the communicator call it. It begins MPI if that has not been done, and ends it then (scree_par_destroy). UNSUPPORTED: libscree_mpi.so is not there, and why; ARGUMENT: no communicator
SCREE_API scree_status scree_par_create(int32_t communicator, scree_par** out);
SCREE_API int32_t scree_par_get_rank(const scree_par* par);    // of this process, from 0 on
SCREE_API int32_t scree_par_get_ranks(const scree_par* par);   // how many there are

// Ranks that are all within this process, one after the other, in place of processes: for plans (scree_sim_get_shares) and tests. No MPI is needed. This process has rank 0. Until scree_par_destroy the calling thread
// measures the memory of each rank, and is the one that uses them. ARGUMENT: fewer than 1 or more than SCREE_SIM_RANKS_MOST; MEMORY
SCREE_API scree_status scree_par_create_virtual(int32_t ranks, scree_par** out);

// On rank 0 it comes back at once: simulations that are created from now on are shared. On the other ranks it comes back when rank 0 calls scree_par_destroy. MEMORY
SCREE_API scree_status scree_par_share(scree_par* par);

// The ranks that share what this process creates, on rank 0 between scree_par_share and scree_par_destroy; NULL: there are none.
SCREE_API scree_par* scree_par_get_shared(void);

// ---- Pairs -----------------------------------------------------------------------------------------------------------
// All pairs of a set of spheres, as scree_index_pairs gives them, found by all ranks: each searches among its own spheres and copies of spheres of other ranks that they can touch, and keeps what it has found. The calls are
// for rank 0, after scree_par_share; one search at a time.
//
//     scree_par_pairs* all;
//     scree_pairs some;
//     scree_par_find_pairs(par, &def, spheres, &all);
//     while (scree_par_pairs_next(all, &some) == SCREE_OK && some.count > 0)
//         ...
//     scree_par_pairs_destroy(all);
typedef struct scree_par_pairs scree_par_pairs;

typedef struct scree_par_pairs_def {
    uint32_t struct_size;           // filled by the default function
    const scree_index_def* index;   // borrowed for the call. Pairs are always sorted, and no list is kept; def.threads are shared by the ranks of a machine
    bool boxes;                     // pairs of bounding boxes, as scree_index_box_pairs gives them
    bool check;                     // each rank validates its index
} scree_par_pairs_def;

// Sums over all ranks, where nothing else is said.
typedef struct scree_par_pairs_stats {
    int64_t count, distinct;        // pairs; and those that differ in more than the image
    int64_t tests, box_tests, cells, levels;  // as scree_index_stats has them; levels: the most
    double work;
    int64_t ghosts;                 // copies of spheres of other ranks in the searches
    int64_t bytes, bytes_max;      // of the indexes; of the largest one
    double seconds_build, seconds_search;     // of the slowest rank
    int32_t method;                 // scree_method of all ranks; AUTO: they have chosen several
    int32_t ranks;
} scree_par_pairs_stats;

SCREE_DEFAULTS(scree_par_pairs_def, scree_default_par_pairs_def)

// ARGUMENT, UNSUPPORTED, MEMORY, CANCELLED as scree_index_create, _update and _pairs; UNSUPPORTED too: a device.
SCREE_API scree_status scree_par_find_pairs(scree_par* par, const scree_par_pairs_def* def, scree_spheres spheres, scree_par_pairs** out);

// The next of them in order, at most some hundred thousand, valid until the next call; 0: there are no more, and the next call begins again. MEMORY
SCREE_API scree_status scree_par_pairs_next(scree_par_pairs* pairs, scree_pairs* out);
SCREE_VALUE(scree_par_pairs_stats, scree_par_pairs_get_stats, (const scree_par_pairs* pairs), (pairs))
SCREE_API void scree_par_pairs_destroy(scree_par_pairs* pairs);  // NULL is fine

// All processes call it, rank 0 after it has destroyed its simulations. NULL is fine.
SCREE_API void scree_par_destroy(scree_par* par);

#ifdef __cplusplus
}
#endif
#endif
