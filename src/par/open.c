// Ranks for programs that are not linked with MPI: libscree_mpi.so is linked with it and opened on demand. The variable SCREE_MPI_MODULE gives its path; without it the module is searched for beside the library, in
// the folder scree there (where packages install modules), and where the system searches for libraries (base/module.c).
#include "par/sim.h"

#include "base/argument.h"
#include "base/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// It stays open, and MPI finds its own parts in it.
static void* open_module(void)
{
    static const char* const folders[] = {"", "scree/"};
    return scree_module_open("SCREE_MPI_MODULE", "libscree_mpi.so", folders, 2, RTLD_NOW | RTLD_GLOBAL);
}

scree_status scree_par_create(int32_t communicator, scree_par** out)
{
    SCREE_EMPTY(out);
    void* module = open_module();
    if (module == NULL) {
        const char* said = dlerror();
        return scree_fail(SCREE_ERR_UNSUPPORTED, "par: libscree_mpi.so could not be opened (%s); expected a build with MPI (docs/processes.md)", said != NULL ? said : "");
    }
    scree_status (*start)(int32_t, int32_t, scree_par**) = NULL;
    void* symbol = dlsym(module, "scree_mpi_start");
    memcpy(&start, &symbol, sizeof start);
    if (start == NULL)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "par: libscree_mpi.so has no function scree_mpi_start; expected the module of this version");
    return start(par_module_version, communicator, out);
}

scree_status scree_par_create_virtual(int32_t ranks, scree_par** out)
{
    SCREE_EMPTY(out);
    if (ranks < 1 || ranks > SCREE_SIM_RANKS_MOST)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: %d virtual ranks; expected 1 to %d", (int)ranks, SCREE_SIM_RANKS_MOST);
    return par_alone_measured(ranks, out);
}

int32_t scree_par_get_rank(const scree_par* par)
{
    SCREE_NEED_OR(par, 0);
    return par->first;
}

int32_t scree_par_get_ranks(const scree_par* par)
{
    SCREE_NEED_OR(par, 0);
    return par->ranks;
}

scree_status scree_par_share(scree_par* par)
{
    SCREE_NEED(par);
    if (par->shared)
        return scree_fail(SCREE_ERR_ARGUMENT, "par: scree_par_share was called before; expected one call");
    par->shared = true;
    if (par->first > 0)
        return par_serve(par);
    if (par->ranks > 1 || par->meters != NULL)
        par_share(par);
    return SCREE_OK;
}

void scree_par_destroy(scree_par* par)
{
    if (par == NULL)
        return;
    if (par->shared && par->first == 0) {
        par_share_end();
        par_end(par);
    }
    par_close(par);
}
