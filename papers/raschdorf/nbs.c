// nbs: section 3.1 of Raschdorf and Kolonko (2009) names the search "no binary search" of A. Munjiza and K. R. F. Andrews, "NBS contact detection algorithm for bodies of similar size" (1998): as
// inefficient as a grid for spheres of very different sizes. Its authors: time proportional to the number of bodies, whatever their density, and memory for single rows of cells alone.
//
// Cells of the largest diameter. Bodies hang in lists by their layer z. For a layer, those of it and of the layer before hang in lists by their row y; for a row, those of it and of the four
// rows around it that came before hang in lists by their cell x. Then a cell meets itself and its 13 neighbours. All lists are heads by number, nothing is sorted or searched for, and no
// array has more than five heads for each cell along an axis. Heads are emptied by the bodies that hang there.
#include "related.h"

#include <math.h>
#include <string.h>

enum { row_count = 5 };

typedef struct lists {
    const scree_sphere_set* set;
    int32_t cells[3];
    int32_t (*at)[3];         // cell of each body
    int32_t *z, *z_next;      // heads by layer, and the next of each body
    int32_t *y[2], *y_next;   // by row: of this layer, of the one before
    int32_t *x[row_count], *x_next[row_count];
    related_found* found;
} lists;

// Bodies of one list, by their cell along another axis.
static void hang(lists* l, int32_t first, const int32_t* next, int axis, int32_t* heads, int32_t* to)
{
    for (int32_t i = first; i >= 0; i = next[i]) {
        int32_t* head = &heads[l->at[i][axis]];
        to[i] = *head;
        *head = i;
        l->found->looks += 1.0;
    }
}

static void empty(lists* l, int32_t first, const int32_t* next, int axis, int32_t* heads)
{
    for (int32_t i = first; i >= 0; i = next[i])
        heads[l->at[i][axis]] = -1;
}

static void meet(lists* l, int32_t i, int row, int32_t x)
{
    l->found->looks += 1.0;
    for (int32_t j = x >= 0 && x < l->cells[0] ? l->x[row][x] : -1; j >= 0; j = l->x_next[row][j])
        related_test(l->found, l->set, i, j);
}

// One row of this layer: cells before it in the order of z, y, x.
static void meet_row(lists* l, int32_t y)
{
    const int32_t first[row_count] = {l->y[0][y], y > 0 ? l->y[0][y - 1] : -1, y > 0 ? l->y[1][y - 1] : -1, l->y[1][y], y + 1 < l->cells[1] ? l->y[1][y + 1] : -1};
    for (int row = 0; row < row_count; ++row)
        hang(l, first[row], l->y_next, 0, l->x[row], l->x_next[row]);
    for (int32_t i = first[0]; i >= 0; i = l->y_next[i]) {
        for (int32_t j = l->x_next[0][i]; j >= 0; j = l->x_next[0][j])
            related_test(l->found, l->set, i, j);
        meet(l, i, 0, l->at[i][0] - 1);
        for (int row = 1; row < row_count; ++row)
            for (int32_t x = l->at[i][0] - 1; x <= l->at[i][0] + 1; ++x)
                meet(l, i, row, x);
    }
    for (int row = 0; row < row_count; ++row)
        empty(l, first[row], l->y_next, 0, l->x[row]);
}

static void meet_layer(lists* l, int32_t z)
{
    const int32_t here = l->z[z], before = z > 0 ? l->z[z - 1] : -1;
    hang(l, here, l->z_next, 1, l->y[0], l->y_next);
    hang(l, before, l->z_next, 1, l->y[1], l->y_next);
    for (int32_t i = here; i >= 0; i = l->z_next[i])
        if (l->y[0][l->at[i][1]] == i)  // the head stands for its row
            meet_row(l, l->at[i][1]);
    empty(l, here, l->z_next, 1, l->y[0]);
    empty(l, before, l->z_next, 1, l->y[1]);
}

static scree_status find(const scree_sphere_set* set, double parameter, related_found* out)
{
    (void)parameter;
    const scree_box box = scree_spheres_bounds(scree_sphere_set_view(set));
    const int32_t n = (int32_t)set->count;
    lists l = {.set = set, .found = out};
    double cell = 0.0;
    for (int32_t i = 0; i < n; ++i)
        cell = fmax(cell, 2.0 * set->r[i] * (1.0 + 1e-9));  // by more than rounding
    for (int k = 0; k < 3; ++k)
        l.cells[k] = (int32_t)((box.upper[k] - box.lower[k]) / cell) + 1;
    const size_t heads = (size_t)l.cells[2] + 2 * (size_t)l.cells[1] + row_count * (size_t)l.cells[0], numbers = heads + (size_t)n * (2 + row_count);
    l.at = scree_malloc((size_t)n, sizeof *l.at);
    int32_t* pool = scree_malloc(numbers, sizeof *pool);
    scree_status status = l.at != NULL && pool != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK) {
        memset(pool, -1, numbers * sizeof *pool);
        l.z = pool;
        l.y[0] = l.z + l.cells[2];
        l.y[1] = l.y[0] + l.cells[1];
        for (int row = 0; row < row_count; ++row) {
            l.x[row] = l.y[1] + l.cells[1] + (size_t)row * (size_t)l.cells[0];
            l.x_next[row] = pool + heads + (size_t)n * (size_t)(2 + row);
        }
        l.z_next = pool + heads;
        l.y_next = l.z_next + n;
    }
    for (int32_t i = 0; i < n && status == SCREE_OK; ++i) {
        for (int k = 0; k < 3; ++k)
            l.at[i][k] = (int32_t)((set->x[3 * (int64_t)i + k] - box.lower[k]) / cell);
        l.z_next[i] = l.z[l.at[i][2]];
        l.z[l.at[i][2]] = i;
    }
    for (int32_t i = 0; i < n && status == SCREE_OK; ++i)
        if (l.z[l.at[i][2]] == i)
            meet_layer(&l, l.at[i][2]);
    out->bytes = (double)(numbers * sizeof *pool + (size_t)n * sizeof *l.at);
    scree_free(l.at);
    scree_free(pool);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    static const related_search nbs = {"nbs", find, NAN};
    static const struct {
        const char *name, *law;
        double density;
        int32_t count;  // 0: all numbers below
    } sets[] = {{"equal", NULL, 0.5, 0}, {"equal loose", NULL, 0.05, 0}, {"uniform size 2", "uniform-size:1:2", 0.3, 8000}, {"Fuller", bench_fuller, 0.5, 10000}};
    const int32_t counts[] = {8000, 27000, 64000};
    scree_status status = SCREE_OK;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; ++s)
        for (int c = 0; c < (sets[s].count == 0 ? 3 : 1) && status == SCREE_OK; ++c) {
            scree_sphere_set set = {0};
            int32_t count = (sets[s].count == 0 ? counts[c] : sets[s].count) / (co->quick ? 8 : 1);
            status = related_set(sets[s].name, sets[s].law, count, co->quick && s == 3 ? 0.4 : sets[s].density, co, &set);
            if (status == SCREE_OK)
                status = related_rows(f, sets[s].name, &set, &nbs, 1, co);
            scree_sphere_set_free(&set);
        }
    findings_paper(f, "Section 3.1: for wide size distributions the grid degenerates into a single cell. \"This is also the case for some enhancements of the grid as e.g. the algorithm named 'no binary search'\".");
    findings_paper(f, "Munjiza and Andrews: total detection time is proportional to the number of bodies and is not influenced by packing density; memory requirements are insignificant.");
    findings_note(f, "Looks: a body that is hung into a list, and a list that is looked at. All searches begin with the arrays alone, memory included.");
    return status;
}

const experiment bench_nbs = {
    .name = "nbs",
    .about = "their section 3.1: the search of Munjiza and Andrews, without binary search",
    .title = "No binary search: lists of layers, rows and cells",
    .paper = true,
    .run = run_bench,
    .texts = 2,
    .columns = related_columns,
    .claims = (const claim[]){
        RELATED_EXACT,
        {.quantity = "equal: counted work of a sphere against the number, exponent", .source = "Munjiza and Andrews", .words = "0, linear", .least = -0.1, .most = 0.1, .how = CLAIM_SLOPE,
         .column = "work_per_sphere", .against = "n", .rows = "sizes=equal;method=nbs"},
        {.quantity = "equal: time of a sphere against the number, exponent", .source = "Munjiza and Andrews", .words = "0, linear", .least = -0.15, .most = 0.15, .how = CLAIM_SLOPE, .column = "ns",
         .against = "n", .rows = "sizes=equal;method=nbs", .timed = true, .full = true},
        {.quantity = "equal, largest n: time at density 0.5 by that at 0.05", .source = "Munjiza and Andrews", .words = "not influenced by density", .least = 0.8, .most = 1.25, .how = CLAIM_RATIO,
         .column = "ns", .rows = "sizes=equal;method=nbs;n=most", .over = "sizes=equal loose;method=nbs;n=most", .timed = true, .full = true},
        {.quantity = "equal loose, largest n: memory by that of the grid", .source = "Munjiza and Andrews", .words = "insignificant", .least = 0.05, .most = 0.5, .how = CLAIM_RATIO,
         .column = "bytes_per_sphere", .rows = "sizes=equal loose;method=nbs;n=most", .over = "sizes=equal loose;method=linked-cells;n=most"},
        {.quantity = "Fuller: tests by those of the grid", .source = "Section 3.1", .words = "as inefficient", .least = 0.9, .most = 1.1, .how = CLAIM_RATIO, .column = "tests_per_sphere",
         .rows = "sizes=Fuller;method=nbs", .over = "sizes=Fuller;method=linked-cells"},
        {.quantity = "Fuller: work by that of the loose octree", .source = "Section 3.1", .words = "inefficient", .least = 5.0, .most = 1e4, .how = CLAIM_RATIO, .column = "work_per_sphere",
         .rows = "sizes=Fuller;method=nbs", .over = "sizes=Fuller;method=loose-octree", .full = true},
        {0}},
    .charts = (const chart[]){
        {.title = "Equal spheres, density 0.5: time", .x_label = "spheres", .y_label = "nanoseconds per sphere", .x = "n", .y = "ns", .by = "method", .rows = "sizes=equal", .x_log = true},
        {.suffix = "fuller", .title = "Fuller: tests", .x_label = "", .y_label = "tests per sphere", .x = "method", .y = "tests_per_sphere", .rows = "sizes=Fuller"},
        {0}},
};
