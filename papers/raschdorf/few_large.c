// few-large: section 3.1 of Raschdorf and Kolonko (2009): "If there are only few very large particles, one may keep them separately e.g. in a list and use the grid only for the mass of smaller and
// less polydisperse particles. This allows smaller cells and accelerates the neighbour search, however it complicates the data structure and requires more effort than the structures
// introduced below."
//
// The k largest spheres are in a list, and every sphere is tested against each of them; linked cells as wide as the largest of the others take the rest. k from none to a tenth of all.
#include "related.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    double r;
    int32_t i;
} ranked;

static int largest_first(const void* a, const void* b)
{
    const ranked *p = a, *q = b;
    return p->r != q->r ? (p->r < q->r) - (p->r > q->r) : (p->i > q->i) - (p->i < q->i);
}

// The pairs of the others, by linked cells.
static scree_status search_rest(const scree_sphere_set* set, const ranked* order, int32_t listed, related_found* out)
{
    const int32_t n = set->count - listed;
    scree_sphere_set rest = {0};
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_LINKED_CELLS;
    def.skin = -1.0;
    def.threads = 1;
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    scree_status status = scree_sphere_set_make(3, n, &rest);
    for (int32_t k = 0; k < n && status == SCREE_OK; ++k) {
        memcpy(rest.x + 3 * (int64_t)k, set->x + 3 * (int64_t)order[listed + k].i, 3 * sizeof *rest.x);
        rest.r[k] = set->r[order[listed + k].i];
    }
    if (status == SCREE_OK)
        status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(&rest));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    for (int64_t p = 0; p < pairs.count && status == SCREE_OK; ++p)
        related_pair(out, order[listed + pairs.ij[p][0]].i, order[listed + pairs.ij[p][1]].i);
    if (status == SCREE_OK) {
        scree_index_stats stats = scree_index_get_stats(index);
        out->tests += stats.tests;
        out->looks += (double)stats.cells;
        out->bytes += (double)stats.bytes + (double)n * 4.0 * sizeof *rest.x;
    }
    scree_index_destroy(index);
    scree_sphere_set_free(&rest);
    return status;
}

static scree_status find(const scree_sphere_set* set, double parameter, related_found* out)
{
    const int32_t n = set->count, listed = (int32_t)fmin(parameter, n);
    ranked* order = scree_malloc((size_t)n, sizeof *order);
    if (order == NULL)
        return SCREE_ERR_MEMORY;
    double least;  // radius from which spheres are listed; the others keep their order
    int32_t at = listed;
    for (int32_t i = 0; i < n; ++i)
        order[i] = (ranked){set->r[i], i};
    qsort(order, (size_t)n, sizeof *order, largest_first);
    least = listed > 0 ? order[listed - 1].r : INFINITY;
    int32_t last_listed = listed > 0 ? order[listed - 1].i : -1;
    for (int32_t i = 0; i < n; ++i)
        if (set->r[i] < least || (set->r[i] == least && i > last_listed))
            order[at++] = (ranked){set->r[i], i};
    for (int32_t a = 0; a < listed; ++a)
        for (int32_t b = a + 1; b < n; ++b)
            related_test(out, set, order[a].i, order[b].i);
    out->bytes += (double)n * sizeof *order;
    scree_status status = search_rest(set, order, listed, out);
    scree_free(order);
    return status;
}

// Lists from none to a tenth of all.
static scree_status run_set(findings* f, const char* name, const char* law, int32_t count, double density, const bench_options* co)
{
    static const int32_t lengths[] = {0, 1, 3, 10, 30, 100, 300, 1000};
    enum { most = sizeof lengths / sizeof *lengths };
    related_search searches[most];
    int used = 0;
    for (int k = 0; k < most && lengths[k] <= count / 10; ++k)
        searches[used++] = (related_search){"few-large", find, lengths[k]};
    scree_sphere_set set = {0};
    scree_status status = related_set(name, law, count, density, co, &set);
    if (status == SCREE_OK)
        status = related_rows(f, name, &set, searches, used, co);
    scree_sphere_set_free(&set);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const int32_t count = co->quick ? 2000 : 20000;
    scree_status status = run_set(f, "few large", co->quick ? "bidisperse:10" : "bidisperse:20", count, 0.4, co);  // two or three, of as much volume as all others
    if (status == SCREE_OK)
        status = run_set(f, "uniform volume 50", "uniform-volume:1:50", count, 0.4, co);
    if (status == SCREE_OK)
        status = run_set(f, "Fuller", bench_fuller, count, 0.4, co);
    findings_paper(f, "Section 3.1: a list of few very large particles beside a grid of the others \"allows smaller cells and accelerates the neighbour search, however it complicates the data structure and "
                      "requires more effort than the structures introduced below\", the octrees.");
    findings_note(f, "Column parameter: spheres in the list, the largest ones. Each of them is tested against all; linked cells hold the others. Tests against the list go through memory in order, and are cheaper than visits of nodes.");
    return status;
}

const experiment bench_few_large = {
    .name = "few-large",
    .about = "their section 3.1: a list of few large spheres beside a grid of the others",
    .title = "A list of few large spheres beside a grid",
    .paper = true,
    .run = run_bench,
    .texts = 2,
    .columns = related_columns,
    .claims = (const claim[]){
        RELATED_EXACT,
        {.quantity = "two sizes, few large: work with three in the list by that of the grid alone", .source = "Section 3.1", .words = "accelerates", .least = 1e-4, .most = 0.5, .how = CLAIM_RATIO,
         .column = "work_per_sphere", .rows = "sizes=few large;method=few-large;parameter=3", .over = "sizes=few large;method=linked-cells"},
        {.quantity = "Fuller: list with the least work", .source = "Section 3.1", .words = "few, at most 1 % of all", .least = 1.0, .most = 200.0, .how = CLAIM_BEST, .column = "work_per_sphere",
         .against = "parameter", .rows = "sizes=Fuller;method=few-large"},
        {.quantity = "Fuller: work with 100 in the list by that of the grid alone", .words = "below the grid's", .least = 1e-4, .most = 0.5, .how = CLAIM_RATIO, .column = "work_per_sphere", .source = "Section 3.1",
         .rows = "sizes=Fuller;method=few-large;parameter=100", .over = "sizes=Fuller;method=linked-cells"},
        {.quantity = "Fuller: work with 100 in the list by that of the loose octree", .source = "Section 3.1", .words = "requires more effort", .least = 1.2, .most = 1e3, .how = CLAIM_RATIO,
         .column = "work_per_sphere", .rows = "sizes=Fuller;method=few-large;parameter=100", .over = "sizes=Fuller;method=loose-octree", .full = true},
        {.quantity = "Fuller: time with 100 in the list by that of the loose octree", .source = "Section 3.1", .words = "requires more effort", .least = 1.0, .most = 1e3, .how = CLAIM_RATIO,
         .column = "ns", .rows = "sizes=Fuller;method=few-large;parameter=100", .over = "sizes=Fuller;method=loose-octree", .timed = true, .full = true},
        {0}},
    .charts = (const chart[]){
        {.title = "Work against the length of the list", .x_label = "spheres in the list", .y_label = "work per sphere", .x = "parameter", .y = "work_per_sphere", .by = "sizes",
         .rows = "method=few-large", .y_log = true},
        {.suffix = "time", .title = "Time against the length of the list", .x_label = "spheres in the list", .y_label = "nanoseconds per sphere", .x = "parameter", .y = "ns", .by = "sizes",
         .rows = "method=few-large", .y_log = true},
        {0}},
};
