// Velocities by chance, as in a gas: normal numbers by Box and Muller, each sphere from a stream of its own, so that they do not depend on the
// order in which spheres are asked.
#include "sim/sim_inner.h"

#include "base/argument.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

static const double pi = 3.14159265358979323846;
static const uint64_t first_stream = UINT64_C(1) << 40;  // those below belong to who draws sizes and places with the same seed

SCREE_DEFAULTS_OF(scree_thermal_def, scree_default_thermal_def)
{
    return (scree_thermal_def){
        .struct_size = sizeof(scree_thermal_def), .overlap = 0.01, .material_density = 1.0, .still = true, .seed = 1};
}

static scree_status temperature_of(const scree_thermal_def* def, scree_spheres spheres, double* out)
{
    if (!(def->temperature >= 0.0 && def->temperature <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "thermal: a temperature of %g; expected 0 or more", def->temperature);
    *out = def->temperature;
    if (def->temperature > 0.0)
        return SCREE_OK;
    if (!(def->overlap > 0.0 && def->overlap < 1.0) || !(def->stiffness > 0.0 && def->stiffness <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT,
                          "thermal: an overlap of %g radii at a stiffness of %g; expected a fraction between 0 and 1 and a stiffness above 0",
                          def->overlap, def->stiffness);
    double least = INFINITY;
    for (int32_t i = 0; i < spheres.count; ++i)
        least = fmin(least, spheres.r[i]);
    double overlap = spheres.count > 0 ? def->overlap * least : 0.0;
    *out = 2.0 * def->stiffness / pi * (overlap * overlap);
    return SCREE_OK;
}

scree_status scree_thermal_velocities(const scree_thermal_def* def, scree_spheres spheres, double* v)
{
    SCREE_NEED(def);
    if (spheres.count > 0)
        SCREE_NEED(v);
    double temperature = 0.0;
    scree_status fits = scree_check_struct_size("thermal", "scree_default_thermal_def", def->struct_size, sizeof *def, sizeof *def);
    if (fits != SCREE_OK)
        return fits;
    scree_status status = scree_spheres_check(spheres, NULL);
    if (status == SCREE_OK)
        status = temperature_of(def, spheres, &temperature);
    if (status == SCREE_OK && !(def->material_density > 0.0 && def->material_density <= DBL_MAX))
        status = scree_fail(SCREE_ERR_ARGUMENT, "thermal: a material density of %g; expected a number above 0", def->material_density);
    if (status != SCREE_OK)
        return status;
    double momentum[3] = {0.0, 0.0, 0.0}, all = 0.0;
    for (int64_t i = 0; i < spheres.count; ++i) {
        double mass = sim_mass(spheres.dim, def->material_density, spheres.r[i]);
        if (!(mass > 0.0 && mass <= DBL_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId64 ": radius %g gives it a mass of %g; expected a finite mass above 0", i, spheres.r[i], mass);
        scree_rng rng = scree_rng_make(def->seed, first_stream + (uint64_t)i);
        double normal[4], width = sqrt(temperature / mass);
        for (int pair = 0; pair < 2; ++pair) {
            double length = sqrt(-2.0 * log(1.0 - scree_rng_uniform(&rng))), angle = 2.0 * pi * scree_rng_uniform(&rng);
            normal[2 * pair] = length * cos(angle);
            normal[2 * pair + 1] = length * sin(angle);
        }
        for (int k = 0; k < spheres.dim; ++k) {
            v[i * spheres.dim + k] = width * normal[k];
            momentum[k] += mass * (width * normal[k]);
        }
        all += mass;
    }
    for (int64_t i = 0; i < spheres.count && def->still; ++i)
        for (int k = 0; k < spheres.dim; ++k)
            v[i * spheres.dim + k] -= momentum[k] / all;
    return SCREE_OK;
}
