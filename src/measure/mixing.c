// How well groups of spheres are mixed: the Lacey index of samples, and pairs of neighbours. A random mixture has 1, whatever sizes its groups have.
//
// Lacey (1954) compares the variance of the concentration among samples with that of a segregated and of a random mixture. Concentrations are by mass, and so are the weights
// of the samples, which are the cells of a grid. The variance of a random mixture follows from the masses of the single spheres, not from their number (Stange 1954): a few
// heavy spheres scatter as a few, however many light ones there are. With a_ig = m_i ([i is in g] - p_g), whose sum over the spheres is 0, and spheres that fall into the
// cells in proportion to the mass there,
//     E[sum_c,g m_c / m (p_cg - p_g)^2] = sum_c,g E[(sum_i in c a_ig)^2] / (m m_c) = sum_i,g a_ig^2 / m^2 (cells - 1) N / (N - 1)
// For equal masses this is p (1 - p) (cells - 1) / (N - 1), the exact mean over all assignments of the groups to the spheres (drawing without replacement). For others it holds as far as
// cells have many spheres: so the automatic cells have room for 30 spheres, and for 10 by the effective number (sum m)^2 / sum m^2, which brings the index of random mixtures to 1 within 2 %.
//
// Neighbours need no samples: of the pairs nearer than a gap, the share that is of different groups, over that of a random mixture. There each end of a pair is on a sphere with a
// probability that depends on its size: a large sphere has more room for neighbours on its surface. How much more depends on the gap, the density and the other sizes, so the mean
// number of neighbours of the spheres of a size, s, is taken from the pairs; classes of size are 9 % wide. Then
//     share expected = (1 - sum_g (sum_i in g s_i)^2 / (sum s)^2) / (1 - sum s^2 / (sum s)^2)
// For equal spheres this is 1 - sum_g N_g (N_g - 1) / (N (N - 1)). (With the surface itself, s = r^(dim - 1), random packings of 3:1 spheres have 0.55 to 0.75; by number 3 to 4.)
//
// Cost: O(n log n), for a sort by cell and group, and one search by the index.
#include "measure/snapshot.h"

#include "base/argument.h"
#include "base/sort.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { most_cells = 10000, per_cell = 30, effective_per_cell = 10, classes_per_octave = 8 };

SCREE_DEFAULTS_OF(scree_mixing_def, scree_default_mixing_def)
{
    return (scree_mixing_def){.struct_size = sizeof(scree_mixing_def), .gap = NAN};
}

static int32_t group_of(const looked_at* look, int64_t i)
{
    return look->s->group != NULL ? look->s->group[i] : 0;
}

// Masses as a whole.
typedef struct mass_sums {
    double mass, square;  // sums of m and of m^2
    double* of_group;
    int32_t groups;
} mass_sums;

static scree_status add_masses(const looked_at* look, mass_sums* out)
{
    *out = (mass_sums){0};
    for (int64_t i = 0; i < look->n; ++i)
        out->groups = group_of(look, i) + 1 > out->groups ? group_of(look, i) + 1 : out->groups;
    out->of_group = scree_calloc((size_t)out->groups + 1, sizeof *out->of_group);
    if (out->of_group == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < look->n; ++i) {
        double m = snapshot_mass(look, i);
        out->mass += m;
        out->square += m * m;
        out->of_group[group_of(look, i)] += m;
    }
    return SCREE_OK;
}

static scree_status settle(const looked_at* look, const scree_mixing_def* def, const mass_sums* sums, scree_mixing* out)
{
    scree_status status = scree_check_struct_size("mixing", "scree_default_mixing_def", def->struct_size, sizeof *def, sizeof *def);
    double number = sums->square > 0.0 ? sums->mass * sums->mass / sums->square : look->n;
    double side = look->n > 0 ? pow(fmax(per_cell / (double)look->n, effective_per_cell / number) * look->volume, 1.0 / look->dim) : INFINITY;
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

static double mass_of(const looked_at* look, const uint32_t* id, int64_t begin, int64_t end)
{
    double mass = 0.0;
    for (int64_t a = begin; a < end; ++a)
        mass += snapshot_mass(look, id[a]);
    return mass;
}

// Spheres by cell and group within it. key: cell and group in one number; sorted, with the spheres in id.
static void find_variance(const looked_at* look, const int64_t* key, const uint32_t* id, const mass_sums* sums, scree_mixing* out)
{
    double m = sums->mass, squares = 0.0, scatter = 0.0, n = look->n;
    for (int32_t g = 0; g < sums->groups; ++g) {
        double share = sums->of_group[g] / m;
        squares += share * share;
        out->variance_segregated += share * (1.0 - share);
    }
    for (int64_t i = 0; i < look->n; ++i) {
        double share = snapshot_mass(look, i) / m;
        scatter += share * share * fmax(1.0 - 2.0 * sums->of_group[group_of(look, i)] / m + squares, 0.0);
    }
    for (int64_t begin = 0; begin < look->n;) {
        int64_t end = begin;
        while (end < look->n && key[end] >> 16 == key[begin] >> 16)
            ++end;
        // sum_g (p_cg - p_g)^2 = sum_g p_g^2 + sum of p_cg (p_cg - 2 p_g) over the groups in the cell
        double inside = squares, here = mass_of(look, id, begin, end);
        for (int64_t a = begin; a < end && here > 0.0;) {
            int64_t b = a;
            while (b < end && key[b] == key[a])
                ++b;
            double share = mass_of(look, id, a, b) / here;
            inside += share * (share - 2.0 * sums->of_group[key[a] & 0xffff] / m);
            a = b;
        }
        out->variance += here / m * inside;
        out->occupied += here > 0.0;
        begin = end;
    }
    out->variance_random = look->n > 1 ? scatter * (double)(out->occupied - 1) * (n / (n - 1.0)) : 0.0;
    double range = out->variance_segregated - out->variance_random;
    if (range > 1e-12 * out->variance_segregated && out->variance_segregated > 0.0)
        out->lacey = (out->variance_segregated - out->variance) / range;
}

static scree_status find_lacey(const looked_at* look, const mass_sums* sums, scree_mixing* out)
{
    size_t n = (size_t)look->n;
    int64_t* key = scree_malloc(2 * n + 1, sizeof *key);
    uint32_t* id = scree_malloc(2 * n + 1, sizeof *id);
    scree_status status = key != NULL && id != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < look->n && status == SCREE_OK; ++i) {
        key[i] = cell_of(look, out->cells, i) << 16 | group_of(look, i);
        id[i] = (uint32_t)i;
    }
    if (status == SCREE_OK && sums->mass > 0.0) {
        scree_sort_with(key, id, key + n, id + n, look->n);
        find_variance(look, key, id, sums, out);
    }
    scree_free(key);
    scree_free(id);
    return status;
}

// ---- Neighbours --------------------------------------------------------------------------------------------------

// Classes of size and the ends of pairs in them.
typedef struct size_classes {
    double least;       // radius above 0
    int32_t count;      // class 0: radius 0
    int64_t *spheres, *ends;
} size_classes;

static int32_t class_of(const size_classes* c, double r)
{
    return r > 0.0 ? 1 + (int32_t)floor(classes_per_octave * log2(r / c->least)) : 0;
}

static scree_status make_classes(const looked_at* look, size_classes* out)
{
    double largest = 0.0;
    *out = (size_classes){.least = INFINITY};
    for (int64_t i = 0; i < look->n; ++i) {
        double r = look->s->spheres.r[i];
        out->least = r > 0.0 && r < out->least ? r : out->least;
        largest = fmax(largest, r);
    }
    out->count = class_of(out, largest) + 1;
    out->spheres = scree_calloc(2 * (size_t)out->count, sizeof *out->spheres);
    if (out->spheres == NULL)
        return SCREE_ERR_MEMORY;
    out->ends = out->spheres + out->count;
    for (int64_t i = 0; i < look->n; ++i)
        ++out->spheres[class_of(out, look->s->spheres.r[i])];
    return SCREE_OK;
}

// of_group: room for the groups.
static double expected_share(const looked_at* look, const size_classes* classes, int32_t groups, double* of_group)
{
    double whole = 0.0, squares = 0.0, like = 0.0;
    memset(of_group, 0, (size_t)groups * sizeof *of_group);
    for (int64_t i = 0; i < look->n; ++i) {
        int32_t c = class_of(classes, look->s->spheres.r[i]);
        double s = (double)classes->ends[c] / (double)classes->spheres[c];
        whole += s;
        squares += s * s;
        of_group[group_of(look, i)] += s;
    }
    for (int32_t g = 0; g < groups; ++g)
        like += of_group[g] / whole * (of_group[g] / whole);
    return (1.0 - like) / (1.0 - squares / (whole * whole));
}

static scree_status count_pairs(const looked_at* look, const size_classes* classes, scree_mixing* out)
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
        for (int k = 0; k < 2 && i != j; ++k)
            ++classes->ends[class_of(classes, s->spheres.r[pairs.ij[p][k]])];
    }
    scree_index_destroy(index);
    return status;
}

static scree_status find_neighbours(const looked_at* look, int32_t groups, scree_mixing* out)
{
    size_classes classes;
    double* of_group = scree_malloc((size_t)groups + 1, sizeof *of_group);
    scree_status status = of_group != NULL ? make_classes(look, &classes) : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        status = count_pairs(look, &classes, out);
        if (status == SCREE_OK && out->pairs > 0)
            out->unlike_expected = expected_share(look, &classes, groups, of_group);
        if (out->unlike_expected > 0.0)
            out->neighbours = (double)out->unlike / (double)out->pairs / out->unlike_expected;
        scree_free(classes.spheres);
    }
    scree_free(of_group);
    return status;
}

SCREE_RESULT_OF(scree_mixing, scree_measure_mixing, (const scree_snapshot* snapshot, const scree_mixing_def* def, scree_mixing* out), (snapshot, def, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(snapshot);
    SCREE_NEED(def);
    looked_at look;
    mass_sums sums = {0};
    scree_mixing found = {.lacey = NAN, .neighbours = NAN, .unlike_expected = NAN};
    scree_status status = snapshot_check(snapshot, &look);
    if (status == SCREE_OK)
        status = add_masses(&look, &sums);
    if (status == SCREE_OK)
        status = settle(&look, def, &sums, &found);
    if (status == SCREE_OK)
        status = find_lacey(&look, &sums, &found);
    if (status == SCREE_OK)
        status = find_neighbours(&look, sums.groups, &found);
    scree_free(sums.of_group);
    if (status == SCREE_OK)
        *out = found;
    return status;
}
