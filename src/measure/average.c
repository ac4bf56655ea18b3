// The mean of a correlated series and its error.
//
// Means over blocks of 2, 4, 8 ... values are less and less correlated, and the error of the mean that follows from their scatter, sqrt(variance of blocks / number of blocks), rises to a plateau: the
// error of the mean. With few blocks it scatters by 1/sqrt(2 blocks), so the blocks are at least 8. The largest of these errors is taken; of independent values it is some per cent too large.
#include "measure/measured.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>

enum { least_blocks = 8 };

static double variance_of(const double* values, int64_t count, double mean)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; ++i)
        sum += (values[i] - mean) * (values[i] - mean);
    return sum / (double)(count - 1);
}

static double mean_of(const double* values, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; ++i)
        sum += values[i];
    return sum / (double)count;
}

SCREE_RESULT_OF(scree_average, scree_measure_average, (const double* values, int64_t count, scree_average* out), (values, count, out))
{
    SCREE_EMPTY(out);
    if (count < 0 || (count > 0 && values == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "average: %" PRId64 " values%s", count, count > 0 ? ", but values is NULL" : "; expected 0 or more");
    double* kept = scree_malloc((size_t)count, sizeof *kept);
    if (kept == NULL)
        return SCREE_ERR_MEMORY;
    scree_average found = {.mean = NAN, .deviation = NAN, .error = NAN, .inefficiency = NAN, .min = NAN, .max = NAN};
    double first = NAN;
    for (int64_t i = 0; i < count; ++i) {
        if (isinf(values[i])) {
            scree_free(kept);
            return scree_fail(SCREE_ERR_ARGUMENT, "average: value %" PRId64 " is %g; expected a number", i, values[i]);
        }
        if (isnan(values[i]))
            continue;
        found.min = fmin(found.min, values[i]);
        found.max = fmax(found.max, values[i]);
        if (found.count == 0)
            first = values[i];
        kept[found.count++] = values[i] - first;  // so that equal values have no deviation, and large ones keep their digits
    }
    double mean = found.count > 0 ? mean_of(kept, found.count) : NAN;
    found.mean = first + mean;
    if (found.count > 1) {
        double alone = variance_of(kept, found.count, mean) / (double)found.count;
        found.deviation = sqrt(alone * (double)found.count);
        found.error = sqrt(alone);
        found.inefficiency = 1.0;
        found.block = 1;
        int64_t blocks = found.count;
        for (int64_t block = 2; found.count / block >= least_blocks && alone > 0.0; block *= 2) {
            // Of an odd number the first is left out.
            int64_t from = blocks % 2;
            blocks /= 2;
            for (int64_t b = 0; b < blocks; ++b)
                kept[b] = 0.5 * (kept[from + 2 * b] + kept[from + 2 * b + 1]);
            double square = variance_of(kept, blocks, mean_of(kept, blocks)) / (double)blocks;
            if (square > found.error * found.error) {
                found.error = sqrt(square);
                found.inefficiency = square / alone;
                found.block = block;
            }
        }
    }
    scree_free(kept);
    *out = found;
    return SCREE_OK;
}
