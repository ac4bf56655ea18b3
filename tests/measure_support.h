// A measurement in one line.
#ifndef SCREE_TESTS_MEASURE_SUPPORT_H
#define SCREE_TESTS_MEASURE_SUPPORT_H

#include "file_support.h"

#include "scenes.h"
#include "scree/files.h"
#include "scree/measure.h"

#include "files/output.h"
#include "measure/measured.h"

#include <errno.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

static inline scree_measure_def def_of(const scree_box* box)
{
    scree_measure_def def = scree_default_measure_def();
    def.box = *box;
    def.threads = 1;
    return def;
}

static inline scree_measures measure(const scree_measure_def* def, scree_spheres spheres)
{
    scree_measures m;
    CHECK_OK(scree_measure(def, spheres, &m));
    return m;
}

typedef struct patience {
    int64_t ticks, most;
    double last;
    bool backwards;
} patience;

static inline bool count_ticks(void* context, double done)
{
    patience* p = context;
    p->backwards = p->backwards || !(done >= p->last && done <= 1.0);
    p->last = done;
    return ++p->ticks < p->most;
}

// ---- Spheres cut by boxes ----------------------------------------------------------------------------------------

// The usual formulas, which lose digits for small overlaps.
static inline long double lens(int dim, long double a, long double b, long double d)
{
    const long double l_pi = 3.14159265358979323846264338327950288L;
    if (d >= a + b)
        return 0.0L;
    if (d <= fabsl(a - b)) {
        long double r = fminl(a, b);
        return dim == 2 ? l_pi * r * r : 4.0L / 3.0L * l_pi * r * r * r;
    }
    if (dim == 3)
        return l_pi * (a + b - d) * (a + b - d) * (d * d + 2.0L * d * (a + b) - 3.0L * (a - b) * (a - b)) / (12.0L * d);
    return a * a * acosl((d * d + a * a - b * b) / (2.0L * d * a)) +
           b * b * acosl((d * d + b * b - a * a) / (2.0L * d * b)) -
           0.5L * sqrtl((a + b - d) * (d + a - b) * (d + b - a) * (d + a + b));
}

#endif
