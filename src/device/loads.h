// Loads that change from step to step (src/sim/motion.h), as the lanes of a step see them: forces and torques on groups, and driven groups. The processor writes the forces of a step into columns; here each
// launch has a short list of loads, and a lane checks which of them apply to its sphere.
#ifndef SCREE_DEVICE_LOADS_H
#define SCREE_DEVICE_LOADS_H

#include "device/contact.h"

LANE bool load_is_of(const step_job* job, int64_t i, int32_t number, int32_t kind)
{
    return job->loads[number].kind == kind && (job->group != NULL ? job->group[i] : 0) == job->loads[number].group;
}

// External force and torque: from the columns, and from loads in their place or, where single spheres have forces of their own, added to these.
LANE void loads_external(const step_job* job, step_traits traits, bool turns, int64_t i, double f[3], double t[3])
{
    for (int k = 0; k < 3; ++k) {
        f[k] = traits.forces && job->force != NULL ? job->force[i][k] : 0.0;
        t[k] = 0.0;
        if (traits.forces && turns && job->torque != NULL)
            t[k] += job->torque[i][k];
    }
    for (int32_t n = 0; n < job->load_count && traits.loads; ++n)
        for (int k = 0; k < 3; ++k) {
            if (load_is_of(job, i, n, DEVICE_LOAD_FORCE))
                f[k] = job->adds[0] ? f[k] + job->loads[n].value[k] : job->loads[n].value[k];
            if (turns && load_is_of(job, i, n, DEVICE_LOAD_TORQUE))
                t[k] = 0.0 + (job->adds[1] ? t[k] + job->loads[n].value[k] : job->loads[n].value[k]);  // as a sum that begins with 0
        }
}

// Velocity and position of a driven sphere (groups_step of src/sim). False: it is none.
LANE bool loads_drive(const step_job* job, int64_t i, const double x[4], double to[3], double fast[3], double guess[3])
{
    bool driven = false;
    for (int32_t n = 0; n < job->load_count; ++n)
        for (int k = 0; k < 3 && load_is_of(job, i, n, DEVICE_LOAD_VELOCITY); ++k) {
            fast[k] = job->loads[n].value[k];
            guess[k] = job->loads[n].then[k];
            if (job->mode == MODE_STEP)
                to[k] = x[k] + job->whole * fast[k];
            driven = true;
        }
    return driven;
}

LANE void loads_spin(const step_job* job, int64_t i, double spin[3], double turn[3])
{
    for (int32_t n = 0; n < job->load_count; ++n)
        for (int k = 0; k < 3 && load_is_of(job, i, n, DEVICE_LOAD_SPIN); ++k) {
            spin[k] = job->loads[n].value[k];
            if (job->mode == MODE_STEP)
                turn[k] = job->loads[n].then[k];
        }
}

#endif
