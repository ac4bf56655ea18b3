// The realised size curve: which diameters make good rows, and then scree_sizes_realised.
#include "measure/measured.h"

#include "scree/sizes.h"

#include <math.h>

// The different diameters in `d`, sorted and pushed together; their number.
static int64_t different(double* d, int64_t count)
{
    measured_sort(d, count);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i)
        if (kept == 0 || d[i] > d[kept - 1])
            d[kept++] = d[i];
    return kept;
}

// Rows from the smallest to the largest; those that rounding leaves equal are dropped.
static int32_t spread(const measured* m, double* d)
{
    int32_t rows = m->def.size_rows, kept = 0;
    bool ratios = m->diameter_min > 0.0 && m->diameter_max > 2.0 * m->diameter_min;
    for (int32_t k = 0; k < rows; ++k) {
        double u = (double)k / (rows - 1);
        double next = ratios ? m->diameter_min * pow(m->diameter_max / m->diameter_min, u) : m->diameter_min + (m->diameter_max - m->diameter_min) * u;
        next = k == 0 ? m->diameter_min : k == rows - 1 ? m->diameter_max : fmin(next, m->diameter_max);
        if (kept == 0 || next > d[kept - 1])
            d[kept++] = next;
    }
    return kept;
}

scree_status size_curve_of(const measured* m, scree_size_curve* out)
{
    if (m->def.size_rows == 0 || m->n == 0)
        return SCREE_OK;
    double* all = scree_malloc((size_t)m->n, sizeof *all);
    out->d = scree_malloc((size_t)m->def.size_rows, sizeof *out->d);
    out->by_number = scree_malloc((size_t)m->def.size_rows, sizeof *out->by_number);
    out->by_mass = scree_malloc((size_t)m->def.size_rows, sizeof *out->by_mass);
    if (all == NULL || out->d == NULL || out->by_number == NULL || out->by_mass == NULL) {
        scree_free(all);
        return SCREE_ERR_MEMORY;
    }
    for (int64_t i = 0; i < m->n; ++i)
        all[i] = 2.0 * m->r[i];
    int64_t sizes = different(all, m->n);
    if (sizes <= m->def.size_rows) {
        out->rows = (int32_t)sizes;
        for (int64_t k = 0; k < sizes; ++k)
            out->d[k] = all[k];
    } else {
        out->rows = spread(m, out->d);
    }
    scree_free(all);
    return scree_sizes_realised(m->n, m->r, m->dim, out->rows, out->d, out->by_number, out->by_mass);
}
