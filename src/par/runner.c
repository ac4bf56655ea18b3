// Distributes the simulations of a program that is not written for ranks.
#include "par/sim.h"

#include "par/pairs.h"
#include "sim/runner.h"

static sim_runner runner;  // its context is NULL when the processes have ended

static scree_status check(void* context, const scree_sim* sim)
{
    (void)context;
    return par_sim_check(sim);
}

static scree_status create(void* context, scree_sim* sim, const struct part_source* source, void** crew)
{
    par_sim* shared;
    scree_status status = par_sim_create(context, sim, &shared);
    *crew = shared;
    return status == SCREE_OK ? par_sim_make(shared, source) : status;
}

static scree_status run(void* context, scree_sim* sim, void** crew, int64_t steps)
{
    par_sim* shared = *crew;
    scree_status status = SCREE_OK;
    if (!runner.context)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: the simulation was shared with other processes, which have ended; expected a new simulation");
    if (shared == NULL) {
        status = par_sim_create(context, sim, &shared);
        *crew = shared;
    }
    return status == SCREE_OK ? par_sim_run(shared, steps) : status;
}

static void moved(void* crew, scree_sim* sim)
{
    par_sim_move(crew, sim);
}

static void forget(void* context, void* crew)
{
    (void)context;
    if (runner.context != NULL)
        par_sim_forget(crew);
}

static scree_status find_pairs(void* context, const scree_index_def* search, scree_spheres spheres)
{
    scree_par* par = context;
    scree_par_pairs_def def = scree_default_par_pairs_def();
    def.index = search;
    return pairs_find(par, PAIRS_OF_BONDS, &def, spheres, 0, &par->found);
}

static scree_status next_pairs(void* context, scree_pairs* out)
{
    scree_par* par = context;
    return scree_par_pairs_next(par->found, out);
}

static void end_pairs(void* context)
{
    scree_par* par = context;
    scree_par_pairs_destroy(par->found);
    par->found = NULL;
}

void par_share(scree_par* par)
{
    par->before = runner.context;
    runner = (sim_runner){.context = par, .check = check, .create = create, .run = run, .moved = moved, .forget = forget, .find_pairs = find_pairs, .next_pairs = next_pairs, .end_pairs = end_pairs};
    sim_set_runner(&runner);
}

scree_par* scree_par_get_shared(void)
{
    return runner.context;
}

void par_share_end(void)
{
    scree_par* ended = runner.context;
    runner.context = ended != NULL ? ended->before : NULL;
    if (runner.context == NULL)
        sim_set_runner(NULL);
}
