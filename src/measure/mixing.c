// How well groups of spheres are mixed: the Lacey index of samples, and pairs of neighbours.
//
// Lacey (1954) compares the variance of the concentration among samples with that of a segregated and of a random mixture. Samples are the cells of a grid, which hold
// different numbers of spheres; each counts by its number, and then the mean over all assignments of the groups to the spheres is known exactly:
//     E[sum_c n_c / N (p_c - p)^2] = p (1 - p) (cells - 1) / (N - 1)      (drawing without replacement)
// so that the index of a random mixture is 1 on average for any sample sizes. The size of samples matters all the same: in large ones everything looks mixed.
//
// Neighbours need no samples: of the pairs nearer than a gap, the share that is of different groups, over that of a random assignment,
// 1 - sum_g N_g (N_g - 1) / (N (N - 1)).
//
// Cost: O(n log n), for a sort by cell and group, and one search by the index.
#include "measure/snapshot.h"

#include "base/argument.h"
#include "base/sort.h"

#include <inttypes.h>
#include <math.h>

enum { most_cells = 10000, per_cell = 30 };

SCREE_DEFAULTS_OF(scree_mixing_def, scree_default_mixing_def)
{
    return (scree_mixing_def){.struct_size = sizeof(scree_mixing_def), .gap = NAN};
}

static int32_t group_of(const looked_at* look, int64_t i)
{
    return look->s->group != NULL ? look->s->group[i] : 0;
}

static scree_status settle(const looked_at* look, const scree_mixing_def* def, scree_mixing* out)
{
    scree_status status = scree_check_struct_size("mixing", "scree_default_mixing_def", def->struct_size, sizeof *def, sizeof *def);
    double side = look->n > 0 ? pow(per_cell * look->volume / look->n, 1.0 / look->dim) : INFINITY;
    for (int k = 0; k < 3 && status == SCREE_OK; ++k) {
        if (k < look->dim && (def->cells[k] < 0 || def->cells[k] > most_cells))
            status = scree_fail(SCREE_ERR_ARGUMENT, "mixing: %" PRId32 " cells along %c; expected 1 to %d, or 0 (automatic)", def->cells[k], "xyz"[k],
                                most_cells);
        out->cells[k] = k >= look->dim ? 1 : def->cells[k] > 0 ? def->cells[k] : (int32_t)fmin(fmax(round(look->length[k] / side), 1.0), most_cells);
    }
    out->gap = isnan(def->gap) ? 0.5 * look->diameter_mean : def->gap;
    if (status == SCREE_OK && (!(out->gap >= 0.0) || isinf(out->gap)))
        status = scree_fail(SCREE_ERR_ARGUMENT, "mixing: gap = %g; expected 0 or more", out->gap);
    return status;
}

static int64_t cell_of(const looked_at* look, const int32_t cells[3], int64_t i)
{
    int64_t cell = 0;
    for (int k = look->dim - 1; k >= 0; --k) {
        double x = scree_box_wrap(&look->s->box, k, look->s->spheres.x[i * look->dim + k], NULL);
        double at = floor((x - look->s->box.lower[k]) / look->length[k] * cells[k]);
        cell = cell * cells[k] + (int64_t)fmin(fmax(at, 0.0), cells[k] - 1);
    }
    return cell;
}

// Spheres by cell and group within it. key: cell and group in one number; sorted.
static void find_variance(const looked_at* look, const uint64_t* key, int32_t groups, const int64_t* of_group, scree_mixing* out)
{
    double n = look->n, squares = 0.0;
    for (int32_t g = 0; g < groups; ++g) {
        double share = (double)of_group[g] / n;
        squares += share * share;
        out->variance_segregated += share * (1.0 - share);
    }
    for (int64_t begin = 0; begin < look->n;) {
        uint64_t cell = key[begin] >> 16;
        int64_t end = begin;
        while (end < look->n && key[end] >> 16 == cell)
            ++end;
        // sum_g (p_cg - p_g)^2 = sum_g p_g^2 + sum of p_cg (p_cg - 2 p_g) over the groups in the cell
        double inside = squares, here = (double)(end - begin);
        for (int64_t a = begin; a < end;) {
            int64_t b = a;
            while (b < end && key[b] == key[a])
                ++b;
            double share = (double)(b - a) / here;
            inside += share * (share - 2.0 * (double)of_group[key[a] & 0xffff] / n);
            a = b;
        }
        out->variance += here / n * inside;
        ++out->occupied;
        begin = end;
    }
    out->variance_random = look->n > 1 ? out->variance_segregated * (double)(out->occupied - 1) / (n - 1.0) : 0.0;
    double range = out->variance_segregated - out->variance_random;
    if (range > 1e-12 * out->variance_segregated && out->variance_segregated > 0.0)
        out->lacey = (out->variance_segregated - out->variance) / range;
}

static scree_status find_lacey(const looked_at* look, int32_t groups, const int64_t* of_group, scree_mixing* out)
{
    uint64_t* key = scree_malloc((size_t)look->n, sizeof *key);
    scree_status status = key != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < look->n && status == SCREE_OK; ++i)
        key[i] = (uint64_t)cell_of(look, out->cells, i) << 16 | (uint64_t)group_of(look, i);
    if (status == SCREE_OK) {
        scree_sort_keys(key, look->n);
        find_variance(look, key, groups, of_group, out);
    }
    scree_free(key);
    return status;
}

static scree_status find_neighbours(const looked_at* look, int32_t groups, const int64_t* of_group, scree_mixing* out)
{
    const scree_snapshot* s = look->s;
    scree_index_def def = scree_default_index_def();
    def.box = s->box;
    def.gap = out->gap;
    def.threads = s->threads;
    def.watch = s->watch;
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, s->spheres);
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    for (int64_t p = 0; p < pairs.count && status == SCREE_OK; ++p) {
        int32_t i = pairs.ij[p][0], j = pairs.ij[p][1];
        out->pairs += i != j;
        out->unlike += group_of(look, i) != group_of(look, j);
    }
    scree_index_destroy(index);
    double n = look->n, like = 0.0;
    for (int32_t g = 0; g < groups; ++g)
        like += (double)of_group[g] * (double)(of_group[g] - 1) / (n * (n - 1.0));
    if (status == SCREE_OK && out->pairs > 0 && like < 1.0)
        out->neighbours = (double)out->unlike / (double)out->pairs / (1.0 - like);
    return status;
}

SCREE_RESULT_OF(scree_mixing, scree_measure_mixing, (const scree_snapshot* snapshot, const scree_mixing_def* def, scree_mixing* out), (snapshot, def, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(snapshot);
    SCREE_NEED(def);
    looked_at look;
    scree_mixing found = {.lacey = NAN, .neighbours = NAN};
    scree_status status = snapshot_check(snapshot, &look);
    if (status == SCREE_OK)
        status = settle(&look, def, &found);
    if (status != SCREE_OK)
        return status;
    int32_t groups = 0;
    for (int64_t i = 0; i < look.n; ++i)
        groups = group_of(&look, i) + 1 > groups ? group_of(&look, i) + 1 : groups;
    int64_t* of_group = scree_calloc((size_t)groups + 1, sizeof *of_group);
    if (of_group == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < look.n; ++i)
        ++of_group[group_of(&look, i)];
    status = find_lacey(&look, groups, of_group, &found);
    if (status == SCREE_OK)
        status = find_neighbours(&look, groups, of_group, &found);
    scree_free(of_group);
    if (status == SCREE_OK)
        *out = found;
    return status;
}
