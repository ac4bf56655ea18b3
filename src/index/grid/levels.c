// Appendix A of Ogarko and Luding: how to cut a set of sizes into levels that all have the same number m of spheres per
// cell.
//
//     radius   |....,,,,::::||||        Go through the radii from small to large and count. If cells were as long as
//              level 1 | 2  | 3         the current diameter, the spheres counted so far would fill them with so many
//                                       each; once that is more than m, close the level here and begin the next.
//
// A larger m gives fewer levels. For each L the least m with at most L levels is found by halving an interval, and the best
// L is the one with the least L (m + K). Equal radii are never parted, so that no two levels have one cell size.
// The sphere that tips the count stays in the level it closes (the paper leaves this open; the other way gives m 1 to 3 %
// larger and the same best L). So m is a threshold, and a level has more spheres per cell than m: a single level of 125001 with m = 1444.3 has 1487.4,
// because its last sphere is the one that tips the count, in cells as large as itself.
#include "index/grid/levels.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "index/crowding.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

SCREE_DEFAULTS_OF(scree_levels_def, scree_default_levels_def)
{
    return (scree_levels_def){.struct_size = (uint32_t)sizeof(scree_levels_def),
                              .cell_cost = 0.3,
                              .resolution = 1e-3,
                              .most_levels = 50};
}

// How many cells of this side the box holds, or as many as crowded spheres behave as if they had: not a whole number, and not
// below one per axis.
static double cells_of(const size_classes* sizes, double side)
{
    double cells = 1.0;
    for (int k = 0; k < sizes->dim; ++k)
        cells *= fmax(1.0, sizes->length[k] / side);
    if (sizes->crowd != NULL)
        cells = fmin(cells, fmax(1.0, sizes->crowd->n / crowding_companions(sizes->crowd, side)));
    return cells;
}

void levels_count_cells(size_classes* sizes, double* cells)
{
    for (int64_t c = 0; c < sizes->count; ++c) {
        double side = 2.0 * sizes->r[c] + sizes->margin;
        cells[c] = side > 0.0 ? cells_of(sizes, side) : INFINITY;  // points alone have endless cells
    }
    sizes->cells = cells;
}

// Spheres per cell if cells were as long as class c needs.
static double filling(const size_classes* sizes, int64_t counted, int64_t c)
{
    return (double)counted / sizes->cells[c];
}

typedef struct levels_out {
    int32_t count, most;
    double* r_max;
    int64_t* spheres;
    double fullest;
} levels_out;

static void close_level(const size_classes* sizes, int64_t c, int64_t counted, levels_out* out)
{
    if (out->count < out->most) {
        if (out->r_max != NULL)
            out->r_max[out->count] = sizes->r[c];
        if (out->spheres != NULL)
            out->spheres[out->count] = counted;
    }
    if (sizes->spheres[c] > 1)  // a single sphere is not divided, and is no load however large it is
        out->fullest = fmax(out->fullest, filling(sizes, counted, c));
    ++out->count;
}

int32_t levels_for(const size_classes* sizes, double m, int32_t most, double* r_max, int64_t* spheres, double* fullest)
{
    levels_out out = {.most = most, .r_max = r_max, .spheres = spheres};
    int64_t counted = 0;
    if (sizes->watched != NULL && *sizes->watched == SCREE_OK)
        *sizes->watched = scree_watch_own("levels", 0, sizes->count);
    if (sizes->watched != NULL && *sizes->watched != SCREE_OK)
        return 0;
    for (int64_t c = 0; c < sizes->count && out.count <= most; ++c) {
        // The class that tips the count stays, unless it would overfill the level by far: sizes that come in few classes,
        // far apart, get a level each.
        double full = filling(sizes, counted + sizes->spheres[c], c);
        if (full > 2.0 * m && counted > 0) {
            close_level(sizes, c - 1, counted, &out);
            counted = 0;
            full = filling(sizes, sizes->spheres[c], c);
        }
        counted += sizes->spheres[c];
        if (full > m || c + 1 == sizes->count) {
            close_level(sizes, c, counted, &out);
            counted = 0;
        }
    }
    if (fullest != NULL)
        *fullest = out.fullest;
    return out.count;
}

double levels_least_m(const size_classes* sizes, int32_t levels, double resolution, bool rough)
{
    // At m = number of spheres there is one level: cells_of is at least 1.
    double all = 0.0;
    for (int64_t c = 0; c < sizes->count; ++c)
        all += (double)sizes->spheres[c];
    int64_t low = 0, high = (int64_t)fmin(ceil(all / resolution), 9e15);  // in units of the resolution; high is enough
    while (high - low > 1) {
        if (rough && (double)(high - low) < 0.01 * (double)high)
            break;
        // While they are far apart, halve their ratio.
        int64_t middle = low + (high - low) / 2;
        if (high > 4 * (low + 1))
            middle = (int64_t)sqrt((double)(low + 1) * (double)high);
        if (levels_for(sizes, (double)middle * resolution, levels, NULL, NULL, NULL) <= levels)
            high = middle;
        else
            low = middle;
    }
    return (double)high * resolution;
}

// ---- The public call: a class for every radius -------------------------------------------------------------------

// Radii from 0 on are in order when their bits are. `scratch` has room for as many.
static void sort_radii(const double* r, int64_t count, int64_t* scratch, double* sorted)
{
    for (int64_t i = 0; i < count; ++i) {
        double positive = r[i] + 0.0;  // no -0
        memcpy(&scratch[i], &positive, sizeof positive);
    }
    scree_sort_keys((uint64_t*)scratch, count);
    memcpy(sorted, scratch, (size_t)count * sizeof *sorted);
}

static scree_status check(const scree_levels_def* def, const scree_box* box, int32_t n, const double* r)
{
    scree_status fits = scree_check_struct_size("levels", "scree_default_levels_def", def->struct_size, sizeof *def, sizeof *def);
    if (fits != SCREE_OK)
        return fits;
    if (!(def->cell_cost > 0.0 && def->cell_cost < 1e6) || !(def->resolution > 0.0 && def->resolution <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "levels: a cell cost of %g and a resolution of %g; expected a cost above 0 and below 1e6, and a resolution above 0, at most 1", def->cell_cost,
                          def->resolution);
    if (!(def->margin >= 0.0 && def->margin <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "levels: a margin of %g; expected 0 to %g", def->margin, SCREE_LENGTH_MAX);
    if (def->most_levels < 1 || def->most_levels > SCREE_LEVELS_MOST || def->levels < 0 || def->levels > def->most_levels)
        return scree_fail(SCREE_ERR_ARGUMENT, "levels: %d of at most %d levels; expected 1 to %d", (int)def->levels,
                          (int)def->most_levels, (int)SCREE_LEVELS_MOST);
    if (n < 1)
        return scree_fail(SCREE_ERR_ARGUMENT, "levels: there are no spheres; expected at least one");
    scree_status status = scree_box_check(box);
    if (status != SCREE_OK)
        return status;
    if (!(scree_box_volume(box) > 0.0 && scree_box_volume(box) < INFINITY))
        return scree_fail(SCREE_ERR_ARGUMENT, "levels: the box has the volume %g; expected above 0", scree_box_volume(box));
    for (int32_t i = 0; i < n; ++i)
        if (!(r[i] >= 0.0 && r[i] <= SCREE_LENGTH_MAX))
            return scree_fail(SCREE_ERR_ARGUMENT, "sphere %" PRId32 ": radius %g is not a length; expected 0 or more", i, r[i]);
    return SCREE_OK;
}

// If the watch says stop, sizes->watched has CANCELLED, and out has no sense.
static void choose(const scree_levels_def* def, const size_classes* sizes, scree_levels* out)
{
    int32_t least[SCREE_LEVELS_MOST];  // the L that each row was found for
    *out = (scree_levels){0};
    for (int32_t levels = 1; levels <= def->most_levels; ++levels) {
        double m = levels_least_m(sizes, levels, def->resolution, false);
        double fullest;
        int32_t true_levels = levels_for(sizes, m, levels, NULL, NULL, &fullest);
        if (*sizes->watched != SCREE_OK)
            return;
        if (out->count > 0 && out->rows[out->count - 1].levels >= true_levels)
            continue;  // sizes of few classes are not divided further
        // A sphere or two above m is how the count goes; much above it, classes could not be parted and m is not kept.
        if (fullest > 1.8 * m)
            m = fullest;
        if (m <= def->resolution && out->count > 0)
            break;  // as fine as the resolution tells apart
        least[out->count] = levels;
        out->rows[out->count++] =
            (scree_levels_row){.levels = true_levels, .m = m, .cost = true_levels * (m + def->cell_cost)};
    }
    for (int32_t row = 1; row < out->count; ++row) {
        bool better = out->rows[row].cost < out->rows[out->chosen].cost;
        if (def->levels > 0)
            better = out->rows[row].levels <= def->levels;
        if (better)
            out->chosen = row;
    }
    double r_max[SCREE_LEVELS_MOST];
    double m = levels_least_m(sizes, least[out->chosen], def->resolution, false);
    int32_t levels = levels_for(sizes, m, SCREE_LEVELS_MOST, r_max, out->spheres, NULL);
    if (*sizes->watched != SCREE_OK)
        return;
    for (int32_t h = 0; h < levels; ++h) {
        out->cell_size[h] = 2.0 * r_max[h] + sizes->margin;
        out->per_cell[h] = out->cell_size[h] > 0.0 ? (double)out->spheres[h] / cells_of(sizes, out->cell_size[h]) : 0.0;
    }
}

SCREE_RESULT_OF(scree_levels, scree_find_levels, (const scree_levels_def* def, const scree_box* box, int32_t n, const double* r, scree_levels* out), (def, box, n, r, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    SCREE_NEED(box);
    if (n > 0)
        SCREE_NEED(r);
    scree_status status = check(def, box, n, r);
    if (status != SCREE_OK)
        return status;
    double* sorted = scree_malloc((size_t)n, sizeof *sorted);
    int64_t* spheres = scree_malloc((size_t)n, sizeof *spheres);
    double* cells = scree_malloc((size_t)n, sizeof *cells);
    if (sorted == NULL || spheres == NULL || cells == NULL) {
        scree_free(sorted);
        scree_free(spheres);
        scree_free(cells);
        return SCREE_ERR_MEMORY;
    }
    sort_radii(r, n, spheres, sorted);
    memset(spheres, 0, (size_t)n * sizeof *spheres);
    size_classes sizes = {.r = sorted, .spheres = spheres, .dim = box->dim, .margin = def->margin, .watched = &status};
    for (int k = 0; k < box->dim; ++k)
        sizes.length[k] = box->upper[k] - box->lower[k];
    for (int32_t i = 0; i < n && status == SCREE_OK; ++i) {
        status = scree_watch_own("levels", i, n);
        if (sizes.count == 0 || sorted[i] > sorted[sizes.count - 1])
            sorted[sizes.count++] = sorted[i];
        ++spheres[sizes.count - 1];
    }
    if (status == SCREE_OK)
        levels_count_cells(&sizes, cells);
    if (status == SCREE_OK)
        choose(def, &sizes, out);
    if (status != SCREE_OK)
        *out = (scree_levels){0};
    scree_free(sorted);
    scree_free(spheres);
    scree_free(cells);
    return status;
}
