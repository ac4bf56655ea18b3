// scree/par.h: simulations that several processes share, in programs of your own. Every process of an MPI communicator is a rank; rank 0 is the program, and the others help:
//
//     scree_par* par;
//     scree_par_start(-1, &par);                       // of all processes; or of a communicator, by its Fortran handle (MPI_Comm_c2f)
//     scree_par_share(par);                            // ranks above 0 come back at the end
//     if (scree_par_rank(par) == 0)
//         ...                                          // all simulations that are created here are run by all
//     scree_par_end(par);
//
// Simulations have the bits that one process gives. docs/processes.md says what can be shared. The program itself need not be linked with MPI: libscree_mpi.so is, and is opened by scree_par_start.
#ifndef SCREE_PAR_H
#define SCREE_PAR_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scree_par scree_par;

// All processes of the communicator call it. It begins MPI if that has not been done, and ends it then (scree_par_end). UNSUPPORTED: libscree_mpi.so is not there, and why; ARGUMENT: no communicator
SCREE_API scree_status scree_par_start(int32_t communicator, scree_par** out);
SCREE_API int32_t scree_par_rank(const scree_par* par);    // of this process, from 0 on
SCREE_API int32_t scree_par_ranks(const scree_par* par);   // how many there are

// On rank 0 it comes back at once: simulations that are created from now on are shared. On the other ranks it comes back when rank 0 calls scree_par_end. MEMORY
SCREE_API scree_status scree_par_share(scree_par* par);

// All processes call it, rank 0 after it has destroyed its simulations. NULL is fine.
SCREE_API void scree_par_end(scree_par* par);

#ifdef __cplusplus
}
#endif
#endif
