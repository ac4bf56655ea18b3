// How several processes would share a simulation: its parts are made with all ranks in this process, and counted.
#include "par/ranks.h"
#include "par/sim.h"

#include "base/argument.h"
#include "sim/part.h"

SCREE_RESULT_OF(scree_sim_plan, scree_sim_find_plan, (scree_sim* sim, int32_t ranks, scree_sim_plan* out), (sim, ranks, out))
{
    scree_par* par;
    par_sim* shared = NULL;
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    if (ranks < 1 || ranks > SCREE_SIM_RANKS_MOST)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: a plan for %d ranks; 1 to %d were expected", (int)ranks, SCREE_SIM_RANKS_MOST);
    scree_status status = part_fetch(sim);  // if other processes have its spheres
    if (status == SCREE_OK)
        status = par_alone(ranks, &par);
    if (status != SCREE_OK)
        return status;
    status = par_sim_create(par, sim, &shared);
    if (status == SCREE_OK)
        status = par_sim_share(shared, out);
    if (status == SCREE_OK)
        out->whole = part_source_size(sim, slice_size(par, part_count(sim)));
    par_sim_destroy(shared);
    par_close(par);
    return status;
}
