// The angle of repose: a straight free surface fitted to the highest spheres.
//
//     up         o
//     |       o o o o            each column of the horizontal plane has a highest sphere; its top, where the sphere is and not in the middle of the column, is a
//     |    o o o o o o o         point of the surface. So spheres that lie on a plane give that plane exactly, whatever the columns are.
//     +----|---|---|---|--
//
// A plane h = a + b x + c y is fitted by least squares; the angle is atan(sqrt(b^2 + c^2)). A heap is fitted as h = a - b q, q the distance from the axis through the
// centre of mass, and only between its foot and its tip, which are round. Single grains lie around a heap on the ground, and would make the slope flatter:
//
//              o
//            o o o             a sphere whose lowest point is less than its own diameter above the ground has no room for another below it; it is neither a point of
//          o o o o o   o  o    the surface nor counts for the axis. On a floor of beads that holds too.
//     ------------------------
//
// Spheres outside of the region of the def do not count at all. The error is the standard error of the fit, from the residuals: it says how straight the surface
// is, not how much the angle differs from heap to heap.
//
// Cost: O(n log n), for a sort by column.
#include "measure/snapshot.h"

#include "base/argument.h"
#include "base/sort.h"

#include <inttypes.h>
#include <math.h>

const char* scree_surface_name(int32_t kind)
{
    static const char* const names[SCREE_SURFACE_COUNT] = {"slope", "heap"};
    return kind >= 0 && kind < SCREE_SURFACE_COUNT ? names[kind] : NULL;
}

SCREE_DEFAULTS_OF(scree_repose_def, scree_default_repose_def)
{
    return (scree_repose_def){.struct_size = sizeof(scree_repose_def), .up = -1, .column = NAN, .low = NAN, .high = NAN, .lower = {-INFINITY, -INFINITY, -INFINITY}, .upper = {INFINITY, INFINITY, INFINITY}};
}

typedef struct surface {
    const looked_at* look;
    bool heap;
    int up, across[2], axes;  // across: the horizontal axes
    double column, low, high;
    int32_t n;                // spheres in the region
    int32_t* sphere;          // their numbers
    double ground;            // the lowest point of all of them
    double axis[2];
    double (*point)[3];       // across, across, up; of a heap: distance from the axis, 0, up
    int64_t count;
} surface;

static scree_status settle(const looked_at* look, const scree_repose_def* def, surface* s)
{
    scree_status status = scree_check_struct_size("repose", "scree_default_repose_def", def->struct_size, sizeof *def, sizeof *def);
    if (status != SCREE_OK)
        return status;
    if (scree_surface_name(def->surface) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "repose: surface %" PRId32 "; expected 0 to %d", def->surface, SCREE_SURFACE_COUNT - 1);
    if (def->up < -1 || def->up >= look->dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "repose: up = %" PRId32 "; expected 0 to %d, or -1 for the last axis", def->up, look->dim - 1);
    s->look = look;
    s->heap = def->surface == SCREE_SURFACE_HEAP;
    s->up = def->up >= 0 ? def->up : look->dim - 1;
    for (int k = 0; k < look->dim; ++k)
        if (k != s->up)
            s->across[s->axes++] = k;
    s->column = !isnan(def->column) ? def->column : look->diameter_mean > 0.0 ? 2.0 * look->diameter_mean : look->length[s->across[0]];
    for (int k = 0; k < look->dim; ++k)
        if (!(def->lower[k] <= def->upper[k]))
            return scree_fail(SCREE_ERR_ARGUMENT, "repose: the region goes from %g to %g along %c; expected lower <= upper", def->lower[k], def->upper[k], "xyz"[k]);
    s->low = !isnan(def->low) ? def->low : s->heap ? 0.1 : 0.0;
    s->high = !isnan(def->high) ? def->high : s->heap ? 0.9 : 1.0;
    if (!(s->column >= SCREE_LENGTH_MIN && s->column <= SCREE_LENGTH_MAX))
        return scree_fail(SCREE_ERR_ARGUMENT, "repose: column = %g; expected a length above 0", s->column);
    if (!(s->low >= 0.0 && s->low < s->high && s->high <= 1.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "repose: from %g to %g of the height; expected 0 <= low < high <= 1", s->low, s->high);
    return SCREE_OK;
}

static uint64_t column_of(const surface* s, int64_t i)
{
    const looked_at* look = s->look;
    uint64_t column = 0;
    for (int a = 0; a < s->axes; ++a) {
        double at = floor((look->s->spheres.x[i * look->dim + s->across[a]] - look->s->box.lower[s->across[a]]) / s->column);
        column = column << 32 | (uint64_t)fmin(fmax(at + 1073741824.0, 0.0), 2147483647.0);
    }
    return column;
}

static double top_of(const surface* s, int64_t i)
{
    return s->look->s->spheres.x[i * s->look->dim + s->up] + s->look->s->spheres.r[i];
}

static double bottom_of(const surface* s, int64_t i)
{
    return s->look->s->spheres.x[i * s->look->dim + s->up] - s->look->s->spheres.r[i];
}

// Of a heap: it lies on the ground.
static bool is_single(const surface* s, int64_t i)
{
    return s->heap && bottom_of(s, i) - s->ground < 2.0 * s->look->s->spheres.r[i];
}

static scree_status choose_spheres(const scree_repose_def* def, surface* s)
{
    const looked_at* look = s->look;
    s->sphere = scree_malloc((size_t)look->n + 1, sizeof *s->sphere);
    if (s->sphere == NULL)
        return SCREE_ERR_MEMORY;
    s->ground = INFINITY;
    for (int32_t i = 0; i < look->n; ++i) {
        bool inside = true;
        for (int k = 0; k < look->dim; ++k) {
            double x = look->s->spheres.x[(int64_t)i * look->dim + k];
            inside = inside && x >= def->lower[k] && x <= def->upper[k];
        }
        if (!inside)
            continue;
        s->sphere[s->n++] = i;
        s->ground = fmin(s->ground, bottom_of(s, i));
    }
    return SCREE_OK;
}

// The highest sphere of each column; of equal ones the first.
static scree_status find_points(surface* s)
{
    int32_t n = s->n;
    int64_t* key = scree_malloc(2 * (size_t)n + 1, sizeof *key);
    uint32_t* id = scree_malloc(2 * (size_t)n + 1, sizeof *id);
    s->point = scree_malloc((size_t)n + 1, sizeof *s->point);
    scree_status status = key != NULL && id != NULL && s->point != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < n && status == SCREE_OK; ++i) {
        key[i] = (int64_t)column_of(s, s->sphere[i]);
        id[i] = (uint32_t)s->sphere[i];
    }
    if (status == SCREE_OK)
        scree_sort_with(key, id, key + n, id + n, n);
    for (int64_t begin = 0; begin < n && status == SCREE_OK;) {
        int64_t best = id[begin], end = begin;
        for (; end < n && key[end] == key[begin]; ++end)
            if (top_of(s, id[end]) > top_of(s, best))
                best = id[end];
        begin = end;
        if (is_single(s, best))
            continue;
        double* p = s->point[s->count++];
        for (int a = 0; a < 2; ++a)
            p[a] = a < s->axes ? s->look->s->spheres.x[best * s->look->dim + s->across[a]] : 0.0;
        p[2] = top_of(s, best);
    }
    scree_free(key);
    scree_free(id);
    return status;
}

// Leaves the points between two shares of the height, from the ground to the highest point.
static void choose_points(surface* s)
{
    double base = s->ground, top = -INFINITY;
    for (int64_t p = 0; p < s->count; ++p)
        top = fmax(top, s->point[p][2]);
    int64_t kept = 0;
    for (int64_t p = 0; p < s->count; ++p)
        if (s->point[p][2] >= base + s->low * (top - base) && s->point[p][2] <= base + s->high * (top - base)) {
            for (int k = 0; k < 3; ++k)
                s->point[kept][k] = s->point[p][k];
            ++kept;
        }
    s->count = kept;
}

static void find_axis(surface* s)
{
    double mass = 0.0;
    for (int32_t e = 0; e < s->n; ++e) {
        int64_t i = s->sphere[e];
        double m = is_single(s, i) ? 0.0 : snapshot_mass(s->look, i);
        mass += m;
        for (int a = 0; a < s->axes; ++a)
            s->axis[a] += m * s->look->s->spheres.x[i * s->look->dim + s->across[a]];
    }
    for (int a = 0; a < s->axes; ++a)
        s->axis[a] = mass > 0.0 ? s->axis[a] / mass : 0.0;
    for (int64_t p = 0; p < s->count; ++p) {
        double* at = s->point[p];
        at[0] = sqrt((at[0] - s->axis[0]) * (at[0] - s->axis[0]) + (s->axes > 1 ? (at[1] - s->axis[1]) * (at[1] - s->axis[1]) : 0.0));
        at[1] = 0.0;
    }
}

// Least squares for one or two slopes about the mean point.
static scree_status fit(surface* s, scree_repose* out)
{
    int slopes = s->heap ? 1 : s->axes;
    double mean[3] = {0.0}, m[2][2] = {{0.0}}, right[2] = {0.0}, n = (double)s->count;
    if (s->count < slopes + 2)
        return scree_fail(SCREE_ERR_ARGUMENT, "repose: the free surface has %" PRId64 " points in columns of %g; expected %d or more", s->count, s->column,
                          slopes + 2);
    for (int64_t p = 0; p < s->count; ++p)
        for (int k = 0; k < 3; ++k)
            mean[k] += s->point[p][k] / n;
    for (int64_t p = 0; p < s->count; ++p)
        for (int a = 0; a < slopes; ++a) {
            right[a] += (s->point[p][a] - mean[a]) * (s->point[p][2] - mean[2]);
            for (int b = 0; b < slopes; ++b)
                m[a][b] += (s->point[p][a] - mean[a]) * (s->point[p][b] - mean[b]);
        }
    double trace = m[0][0] + m[1][1];
    if (slopes == 1)
        m[1][1] = trace;  // any number: there is no second slope
    double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    if (!(trace > 1e-12 * n * s->column * s->column) || !(det > 1e-12 * trace * trace))  // except for rounding they are at one place, or on one line
        return scree_fail(SCREE_ERR_ARGUMENT, "repose: all %" PRId64 " points of the free surface lie on one line, in columns of %g; expected points in at least two rows, to fit a slope", s->count,
                          s->column);
    double inverse[2][2] = {{m[1][1] / det, -m[0][1] / det}, {-m[1][0] / det, m[0][0] / det}}, rise[2], squares = 0.0;
    for (int a = 0; a < 2; ++a)
        rise[a] = a < slopes ? inverse[a][0] * right[0] + (slopes > 1 ? inverse[a][1] * right[1] : 0.0) : 0.0;
    for (int64_t p = 0; p < s->count; ++p) {
        double off = s->point[p][2] - mean[2] - rise[0] * (s->point[p][0] - mean[0]) - rise[1] * (s->point[p][1] - mean[1]);
        squares += off * off;
    }
    double steepness = sqrt(rise[0] * rise[0] + rise[1] * rise[1]), scatter = squares / (n - slopes - 1), variance = inverse[0][0];
    if (slopes > 1)  // along the direction of steepest rise; level ground: the mean of both
        variance = steepness > 0.0 ? (rise[0] * rise[0] * inverse[0][0] + 2.0 * rise[0] * rise[1] * inverse[0][1] + rise[1] * rise[1] * inverse[1][1]) /
                                         (steepness * steepness)
                                   : 0.5 * (inverse[0][0] + inverse[1][1]);
    out->points = s->count;
    out->angle = s->heap ? atan(-rise[0]) : atan(steepness);
    out->error = sqrt(scatter * variance) / (1.0 + steepness * steepness);
    for (int a = 0; a < 2; ++a) {
        out->slope[a] = s->heap ? a == 0 ? -rise[0] : 0.0 : rise[a];
        out->axis[a] = s->axis[a];
    }
    out->height = mean[2] - rise[0] * mean[0] - rise[1] * mean[1];
    out->residual = sqrt(squares / n);
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_repose, scree_measure_repose, (const scree_snapshot* snapshot, const scree_repose_def* def, scree_repose* out), (snapshot, def, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(snapshot);
    SCREE_NEED(def);
    looked_at look;
    surface s = {0};
    scree_repose found = {0};
    scree_status status = snapshot_check(snapshot, &look);
    if (status == SCREE_OK)
        status = settle(&look, def, &s);
    if (status == SCREE_OK)
        status = choose_spheres(def, &s);
    if (status == SCREE_OK)
        status = find_points(&s);
    if (status == SCREE_OK) {
        choose_points(&s);
        if (s.heap)
            find_axis(&s);
        status = fit(&s, &found);
    }
    scree_free(s.point);
    scree_free(s.sphere);
    if (status == SCREE_OK)
        *out = found;
    return status;
}
