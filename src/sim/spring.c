// Numbers of springs (spring.h).
#include "sim/spring.h"

static const double pi = 3.14159265358979323846;
static const double steps_usual = 50.0, steps_least = 10.0;

scree_status spring_check(const spring_given* given)
{
    const char* whose = given->whose;
    if (!spring_is_above(given->material_density))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: a material density of %g; expected a number above 0", whose, given->material_density);
    if (given->stiffness != 0.0 && !spring_is_above(given->stiffness))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: a stiffness of %g; expected a number above 0", whose, given->stiffness);
    if (given->contact_duration != 0.0 && !spring_is_above(given->contact_duration))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: a contact duration of %g; expected a time above 0", whose, given->contact_duration);
    if (!(given->damping >= 0.0 && given->damping <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: a damping of %g; expected 0 or more", whose, given->damping);
    if (!(given->restitution >= 0.0 && given->restitution <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: restitution %g; expected a number above 0 and up to 1", whose, given->restitution);
    if (given->restitution > 0.0 && given->damping > 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: damping %g and restitution %g; expected one of them", whose, given->damping, given->restitution);
    if (!(given->step >= 0.0 && given->step <= DBL_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: time step %g; expected a number above 0, or 0 (automatic)", whose, given->step);
    return SCREE_OK;
}

double spring_stiffness(const spring_given* given, double mu)
{
    if (given->stiffness > 0.0)
        return given->stiffness;
    double swing = pi / given->contact_duration;
    double loss = given->restitution > 0.0 ? log(given->restitution) / given->contact_duration : given->damping / (2.0 * mu);
    return mu * (swing * swing + loss * loss);
}

law_pair spring_pair(double stiffness, double damping, double restitution)
{
    double loss = restitution > 0.0 ? -log(restitution) : 0.0;
    return (law_pair){.k = stiffness, .g = damping, .c = 2.0 * (loss / sqrt(pi * pi + loss * loss)) * sqrt(stiffness)};
}

scree_status spring_step(const spring_given* given, double shortest, double* longest, double* step)
{
    *longest = shortest / steps_least;
    *step = given->step > 0.0 ? given->step : shortest / steps_usual;
    return spring_is_above(*step) ? SCREE_OK : scree_fail(SCREE_ERR_ARGUMENT, "%s: the derived time step is %g; expected a positive finite value", given->whose, *step);
}
