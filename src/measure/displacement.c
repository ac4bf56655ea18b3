// Displacements of spheres from one snapshot to the next, and the sums over them: mean square displacement.
//
// Centres are known up to vectors of the lattice, as simulations wrap them. What a sphere has moved is taken as the shortest of the vectors that differ by these; so it is right if snapshots are close
// in time, and long ways are sums of short ones. In a cell that changes a sphere at rest in the material moves too: with H, whose columns are the edge vectors, a centre x would come
// to C + H' H^-1 (x - C). That is subtracted, and what is left is the non-affine displacement. The edge vectors of a sheared cell are replaced by shorter ones from time to time;
// those of the later box are taken as near to the earlier ones as the lattice allows.
#include "measure/snapshot.h"

#include "base/argument.h"
#include "geom/lattice.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct cell {
    double length[3], tilt[3], middle[3];
} cell;

// Axes without images have length 1 in both cells, and nothing is done along them.
static cell cell_of(const scree_box* box)
{
    cell c = {.length = {1.0, 1.0, 1.0}};
    double length[3];
    scree_lattice_of(box, length, c.tilt);
    for (int k = 0; k < box->dim; ++k)
        if (box->periodic[k]) {
            c.length[k] = length[k];
            c.middle[k] = 0.5 * (box->lower[k] + box->upper[k]);
        }
    return c;
}

// Another basis of the same lattice: the one whose vectors differ least from those of the earlier cell.
static void bring_near(const scree_box* box, const cell* before, cell* after)
{
    for (int m = 1; m < box->dim; ++m)
        for (int k = m - 1; k >= 0; --k) {
            if (!box->periodic[k])
                continue;
            double off = scree_lattice_tilt(after->tilt, k, m) - scree_lattice_tilt(before->tilt, k, m), times = rint(off / after->length[k]);
            if (times == 0.0)
                continue;
            after->tilt[k + m - 1] -= times * after->length[k];
            for (int e = 0; e < k; ++e)
                after->tilt[e + m - 1] -= times * scree_lattice_tilt(after->tilt, e, k);
        }
}

// Where a centre would be if it moved with the cell, less where it was.
static void affine(int dim, const cell* before, const cell* after, const double* x, double d[3])
{
    double s[3] = {0.0};
    for (int k = dim - 1; k >= 0; --k) {
        s[k] = x[k] - before->middle[k];
        for (int later = k + 1; later < dim; ++later)
            s[k] -= scree_lattice_tilt(before->tilt, k, later) * s[later];
        s[k] /= before->length[k];
    }
    for (int k = 0; k < dim; ++k) {
        d[k] = (after->middle[k] - before->middle[k]) + (after->length[k] - before->length[k]) * s[k];
        for (int later = k + 1; later < dim; ++later)
            d[k] += (scree_lattice_tilt(after->tilt, k, later) - scree_lattice_tilt(before->tilt, k, later)) * s[later];
    }
}

static void add_one(int dim, const double* d, scree_displacement* to)
{
    ++to->count;
    for (int k = 0; k < dim; ++k) {
        to->mean[k] += d[k];
        to->square[k] += d[k] * d[k];
    }
}

static void divide(scree_displacement* of)
{
    for (int k = 0; k < 3 && of->count > 0; ++k) {
        of->mean[k] /= of->count;
        of->square[k] /= of->count;
        of->msd += of->square[k];
    }
}

static scree_status check_both(const looked_at* look, const looked_at* later, const double* moved)
{
    if (look->n != later->n || look->dim != later->dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "displacement: %" PRId32 " spheres in %dD before and %" PRId32 " in %dD after; expected the same spheres", look->n, look->dim, later->n, later->dim);
    for (int k = 0; k < look->dim; ++k)
        if (look->s->box.periodic[k] != later->s->box.periodic[k])
            return scree_fail(SCREE_ERR_ARGUMENT, "displacement: axis %c is periodic only %s; expected the same periodic axes", "xyz"[k], later->s->box.periodic[k] ? "after" : "before");
    for (int64_t e = 0; moved != NULL && e < (int64_t)look->n * look->dim; ++e)
        if (!isfinite(moved[e]))
            return scree_fail(SCREE_ERR_ARGUMENT, "displacement: sphere %" PRId64 " has moved by %g along %c; expected a number", e / look->dim, moved[e], "xyz"[e % look->dim]);
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_displacement_table, scree_measure_displacement, (const scree_snapshot* before, const scree_snapshot* after, double* moved, scree_displacement_table* out),
                (before, after, moved, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(before);
    SCREE_NEED(after);
    looked_at look, later;
    scree_status status = snapshot_check(before, &look);
    if (status == SCREE_OK)
        status = snapshot_check(after, &later);
    if (status == SCREE_OK)
        status = check_both(&look, &later, moved);
    if (status != SCREE_OK)
        return status;
    scree_displacement_table found = {0};
    for (int64_t i = 0; i < later.n; ++i) {
        int32_t group = after->group != NULL ? after->group[i] : 0;
        found.count = group >= found.count ? group + 1 : found.count;
    }
    found.groups = scree_calloc((size_t)found.count, sizeof *found.groups);
    if (found.groups == NULL)
        return SCREE_ERR_MEMORY;
    const int dim = look.dim;
    const cell from = cell_of(&before->box);
    cell to = cell_of(&after->box);
    bring_near(&before->box, &from, &to);
    for (int64_t i = 0; i < look.n; ++i) {
        const double *a = before->spheres.x + i * dim, *b = after->spheres.x + i * dim;
        double d[3] = {0.0}, with_cell[3];
        int turns[3];
        affine(dim, &from, &to, a, with_cell);
        for (int k = 0; k < dim; ++k)
            d[k] = (b[k] - a[k]) - with_cell[k];
        scree_lattice_shorten(after->box.periodic, to.length, to.tilt, dim, d, turns);
        for (int k = 0; k < dim && moved != NULL; ++k) {
            moved[i * dim + k] += d[k];
            d[k] = moved[i * dim + k];
        }
        add_one(dim, d, &found.all);
        add_one(dim, d, &found.groups[after->group != NULL ? after->group[i] : 0]);
    }
    divide(&found.all);
    for (int32_t g = 0; g < found.count; ++g)
        divide(&found.groups[g]);
    *out = found;
    return SCREE_OK;
}

SCREE_RELEASE_OF(scree_displacement_table, scree_displacement_table_free)
{
    scree_free(given->groups);
}
