// Several processes: whether this one was started as one of many, and --ranks, which starts them.
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include "options.h"

// One of many that mpirun or srun has started: becomes scree-mpi. Returns only if it is alone, is scree-mpi already (EXIT_DONE), or there is none (a sentence was printed).
exit_code ranks_join(int argc, char** argv);

// --ranks N of a command: starts mpirun with N processes of scree-mpi, and ends as they do. Returns if it was not given or there are N already (EXIT_DONE), or if it fails (a message was printed).
exit_code ranks_start(const arguments* args);

#define RANKS_OPTION {"ranks", 0, "N", "share the work among N processes, by mpirun and scree-mpi; the result does not depend on it"}

#endif
