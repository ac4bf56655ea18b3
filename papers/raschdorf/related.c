// Sets of the searches of section 3.1, and their rows beside the library's methods.
#include "related.h"

#include <math.h>

enum { most_searches = 24, rounds = 5, all_against_all = 20000 };

void related_pair(related_found* f, int32_t i, int32_t j)
{
    uint64_t key = i < j ? (uint64_t)i << 32 | (uint32_t)j : (uint64_t)j << 32 | (uint32_t)i;
    key = (key ^ key >> 31) * 0x7fb5d329728ea185u;
    key = (key ^ key >> 27) * 0x81dadef4bc2dd44du;
    f->sum += key ^ key >> 33;
    ++f->pairs;
}

void related_test(related_found* f, const scree_sphere_set* set, int32_t i, int32_t j)
{
    const double *a = set->x + 3 * (int64_t)i, *b = set->x + 3 * (int64_t)j, reach = set->r[i] + set->r[j];
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    ++f->tests;
    if ((dx * dx + dy * dy) + dz * dz < reach * reach)
        related_pair(f, i, j);
}

scree_status related_library(const scree_sphere_set* set, double method, related_found* out)
{
    scree_index_def def = scree_default_index_def();
    def.method = (int32_t)method;
    def.skin = -1.0;
    def.threads = 1;
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    for (int64_t k = 0; k < pairs.count && status == SCREE_OK; ++k)
        related_pair(out, pairs.ij[k][0], pairs.ij[k][1]);
    if (status == SCREE_OK) {
        scree_index_stats stats = scree_index_get_stats(index);
        out->tests += stats.tests;
        out->looks += (double)stats.cells;
        out->bytes += (double)stats.bytes;
    }
    scree_index_destroy(index);
    return status;
}

scree_status related_set(const char* name, const char* law, int32_t count, double density, const bench_options* co, scree_sphere_set* out)
{
    scree_status status = bench_make_set(&(bench_set){.name = name, .law = law, .count = count, .density = density}, co, out);
    if (status == SCREE_OK)
        status = bench_order(out);
    for (int64_t i = 0; i < out->count && status == SCREE_OK; ++i)
        out->r[i] *= 1.1;
    out->has_box = false;  // some reach over the walls now
    return status;
}

scree_status related_rows(findings* f, const char* sizes, const scree_sphere_set* set, const related_search* searches, int count, const bench_options* co)
{
    static const int32_t methods[] = {SCREE_METHOD_LINKED_CELLS, SCREE_METHOD_HIERARCHICAL_GRID, SCREE_METHOD_LOOSE_OCTREE};
    related_search all[most_searches];
    related_found judge = {0}, found[most_searches];
    double seconds[most_searches][rounds], n = set->count, r_min = INFINITY, r_max = 0.0;
    int last = 0;
    for (; last < count; ++last)
        all[last] = searches[last];
    for (int m = 0; m < 3; ++m)
        all[last++] = (related_search){scree_method_name((scree_method)methods[m]), related_library, methods[m]};
    for (int64_t i = 0; i < set->count; ++i) {
        r_min = fmin(r_min, set->r[i]);
        r_max = fmax(r_max, set->r[i]);
    }
    scree_status status = related_library(set, set->count <= all_against_all ? SCREE_METHOD_ALL_PAIRS : SCREE_METHOD_HIERARCHICAL_GRID, &judge);
    for (int t = 0; t < (co->quick ? 3 : rounds); ++t)
        for (int k = 0; k < last && status == SCREE_OK; ++k) {
            double begin = bench_timer(1);
            found[k] = (related_found){0};
            status = all[k].find(set, all[k].parameter, &found[k]);
            seconds[k][t] = (bench_timer(1) - begin) * 1e9 / n;
            if (status == SCREE_OK && bench_interrupted())
                status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
        }
    for (int k = 0; k < last && status == SCREE_OK; ++k) {
        const related_found* o = &found[k];
        bench_quartiles ns = bench_spread(seconds[k], co->quick ? 3 : rounds);
        status = findings_row(f, (const char* const[]){sizes, all[k].name},
                              (const double[]){n, r_max / r_min, k < count ? all[k].parameter : NAN, (double)o->pairs, o->pairs != judge.pairs || o->sum != judge.sum, (double)o->tests / n,
                                               o->looks / n, ((double)o->tests + 0.5 * o->looks) / n, o->bytes / n, ns.median, ns.low, ns.high});
    }
    return status;
}

const char* const related_columns[] = {"sizes",           "method",           "n",               "size_ratio", "parameter", "pairs",     "wrong",
                                       "tests_per_sphere", "looks_per_sphere", "work_per_sphere", "bytes_per_sphere", "ns",        "ns_low",    "ns_high", NULL};
