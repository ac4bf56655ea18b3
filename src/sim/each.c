// Properties of single spheres (scree_sim_each). Numbers of groups and materials are taken as labels. Densities of single spheres, fixed spheres and external
// forces are checked and then refused as not simulated yet, unless they change nothing.
#include "sim/sim_inner.h"

#include "base/argument.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

scree_sim_each scree_default_sim_each(void)
{
    return (scree_sim_each){.struct_size = sizeof(scree_sim_each)};
}

static scree_status check_sphere(const scree_sim_def* def, int64_t i, int dim)
{
    const scree_sim_each* each = def->each;
    if (each->material_density != NULL && !(each->material_density[i] > 0.0 && each->material_density[i] <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": material density %g; a number above 0 was expected", i, each->material_density[i]);
    if (each->fixed != NULL && each->fixed[i] > 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": fixed is %d; 0 or 1 was expected", i, (int)each->fixed[i]);
    for (int k = 0; k < dim && each->force != NULL; ++k)
        if (!(fabs(each->force[i * dim + k]) <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": external force %g along %c; a finite number was expected", i,
                              each->force[i * dim + k], "xyz"[k]);
    if (each->material_density != NULL && each->material_density[i] != def->material_density)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sphere %" PRId64 ": material density %g of its own is not simulated yet; all spheres must have the density of the def, %g",
                          i, each->material_density[i], def->material_density);
    if (each->fixed != NULL && each->fixed[i] != 0)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "sphere %" PRId64 ": fixed spheres are not simulated yet", i);
    for (int k = 0; k < dim && each->force != NULL; ++k)
        if (each->force[i * dim + k] != 0.0)
            return scree_fail(SCREE_ERR_UNSUPPORTED, "sphere %" PRId64 ": external force %g along %c: external forces are not simulated yet", i,
                              each->force[i * dim + k], "xyz"[k]);
    return SCREE_OK;
}

scree_status sim_each_check(const scree_sim_def* def, scree_spheres spheres)
{
    if (def->each == NULL)
        return SCREE_OK;
    scree_status status =
        scree_check_struct_size("sim: each", "scree_default_sim_each", def->each->struct_size, sizeof *def->each, sizeof *def->each);
    for (int64_t i = 0; i < spheres.count && status == SCREE_OK; ++i)
        status = check_sphere(def, i, spheres.dim);
    return status;
}

int32_t sim_each_groups(const scree_sim_def* def, int32_t count)
{
    int32_t most = 0;
    for (int32_t i = 0; i < count && def->each != NULL && def->each->group != NULL; ++i)
        most = def->each->group[i] > most ? def->each->group[i] : most;
    return most + 1;
}

scree_status scree_sim_set_group_force(scree_sim* sim, int32_t group, const double force[3])
{
    SCREE_NEED(sim);
    SCREE_NEED(force);
    scree_status status = sim_check_still(sim);
    if (status != SCREE_OK)
        return status;
    if (group < 0 || group >= sim->groups)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: there is no group %" PRId32 "; groups are numbered from 0 to %" PRId32, group, sim->groups - 1);
    bool none = true;
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(force[k]) <= SCREE_LENGTH_MAX) || (k >= sim->dim && force[k] != 0.0))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: external force %g along %c; %s was expected", force[k], "xyz"[k],
                              k >= sim->dim ? "0 in two dimensions" : "a finite number");
        none = none && force[k] == 0.0;
    }
    return none ? SCREE_OK : scree_fail(SCREE_ERR_UNSUPPORTED, "sim: a force on group %" PRId32 ": external forces are not simulated yet", group);
}
