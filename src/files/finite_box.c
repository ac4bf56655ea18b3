// Boxes with finite ends.
#include "files/finite_box.h"

#include <math.h>

// LAMMPS rejects a box of length 0, and OVITO shows nothing; bounds chosen here are therefore different.
static double some_length(double x)
{
    return fmax(1.0, fabs(x) * 1e-3);
}

// An end that we choose, moved outwards to where it is a length.
static double end_of(double x, double outwards)
{
    if (x != 0.0 && fabs(x) < SCREE_LENGTH_MIN)
        return x * outwards > 0.0 ? copysign(SCREE_LENGTH_MIN, x) : 0.0;
    return fmax(-SCREE_LENGTH_MAX, fmin(SCREE_LENGTH_MAX, x));
}

static double highest_centre(const scree_sphere_set* set, int k)
{
    double highest = -INFINITY;
    for (int64_t i = 0; i < set->count; ++i)
        highest = fmax(highest, set->x[i * set->dim + k]);
    return highest;
}

scree_finite_box scree_finite_box_of(const scree_sphere_set* set)
{
    scree_finite_box finite = {.lower = {-0.5, -0.5, -0.5}, .upper = {0.5, 0.5, 0.5}};
    scree_box given = set->has_box ? set->box : scree_box_open(set->dim);
    scree_box bounds = scree_spheres_bounds(scree_sphere_set_view(set));
    for (int k = 0; k < set->dim; ++k) {
        bool has_lower = !isinf(given.lower[k]), has_upper = !isinf(given.upper[k]);
        double lower = has_lower ? given.lower[k] : end_of(bounds.lower[k], -1.0);
        double upper = has_upper ? given.upper[k] : end_of(bounds.upper[k], 1.0);
        if (!(upper > lower) && !has_lower && !has_upper) {
            double half = some_length(lower) / 2.0;
            lower = end_of(lower - half, -1.0);
            upper = end_of(upper + half, 1.0);
        } else if (!(upper > lower) && !has_lower) {
            lower = end_of(upper - some_length(upper), -1.0);
        } else if (!(upper > lower) && !has_upper) {
            upper = end_of(lower + some_length(lower), 1.0);
        } else if (!has_upper && !(upper > highest_centre(set, k))) {  // LAMMPS takes its upper end for outside
            upper = end_of(nextafter(upper, INFINITY), 1.0);
        }
        finite.lower[k] = lower;
        finite.upper[k] = upper;
        if (set->has_box)
            finite.letter[k] = given.periodic[k]        ? 'p'
                               : has_lower && has_upper ? 'w'
                               : has_lower              ? 'l'
                               : has_upper              ? 'u'
                                                        : 'o';
    }
    return finite;
}

bool scree_container_of_word(scree_word word, int32_t* kind)
{
    for (*kind = 0; scree_container_name(*kind) != NULL; ++*kind)
        if (scree_word_is(word, scree_container_name(*kind)))
            return true;
    *kind = SCREE_CONTAINER_BOX;
    return false;
}

bool scree_box_apply_letter(scree_box* box, int k, char letter)
{
    if (letter == 'o' || letter == 'u')
        box->lower[k] = -INFINITY;
    if (letter == 'o' || letter == 'l')
        box->upper[k] = INFINITY;
    return letter == 'p' || letter == 'w' || letter == 'o' || letter == 'l' || letter == 'u';
}
