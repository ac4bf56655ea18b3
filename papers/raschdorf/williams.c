// williams: section 3.1 of Raschdorf and Kolonko (2009) describes the sweep of J. R. Williams, E. Perkins and B. Cook, "A contact algorithm for partitioning N arbitrary sized objects" (2004): cells of any
// size; a sphere belongs to the cell of the lower corner of its bounding cube. The sweep goes through the cells from the origin to the opposite corner; spheres that reach into a cell not yet
// visited migrate there and are checked again. "In this way polydisperse mixtures can be checked with a limited number of cells to be searched. However, this approach is only useful if the
// neighbourhood of all spheres is checked".
//
// Here, so that each pair is tested once: two spheres meet in the cell that is, along each axis, the later one of their two first cells; it is the first that both reach. In a cell the spheres
// lie in eight groups, by the axes along which the cell is their first; groups are tested that have all three axes between them. From a cell a sphere migrates along x; along y if the cell is
// its first along x; along z if it is its first along x and y: so it comes once to each cell that it reaches.
#include "related.h"

#include <math.h>
#include <string.h>

enum { axes = 3, groups = 8 };

typedef struct visitor {
    int32_t i, next;
} visitor;

typedef struct sweep {
    const scree_sphere_set* set;
    int32_t cells[axes];
    int32_t (*reach)[2][axes];  // first and last cell of each sphere
    int32_t* head;              // by cell: who comes
    visitor* pool;
    int32_t unused, used, room;
    int32_t *here, here_room;   // of the cell: spheres by group, and where groups end
    related_found* found;
} sweep;

static scree_status send(sweep* s, int32_t i, int64_t cell)
{
    int32_t v = s->unused;
    if (v < 0 && s->used == s->room) {
        visitor* wider = scree_realloc(s->pool, 2 * (size_t)s->room + 64, sizeof *wider);
        if (wider == NULL)
            return SCREE_ERR_MEMORY;
        s->pool = wider;
        s->room = 2 * s->room + 64;
    }
    if (v < 0)
        v = s->used++;
    else
        s->unused = s->pool[v].next;
    s->pool[v] = (visitor){i, s->head[cell]};
    s->head[cell] = v;
    s->found->looks += 1.0;
    return SCREE_OK;
}

// Along which axes this cell is its first.
static int group_of(const sweep* s, int32_t i, const int32_t at[axes])
{
    const int32_t* first = s->reach[i][0];
    return (first[0] == at[0]) | (first[1] == at[1]) << 1 | (first[2] == at[2]) << 2;
}

static scree_status migrate(sweep* s, int32_t i, const int32_t at[axes], int64_t cell)
{
    const int64_t stride[axes] = {1, s->cells[0], (int64_t)s->cells[0] * s->cells[1]};
    scree_status status = SCREE_OK;
    for (int k = 0; k < axes && status == SCREE_OK; ++k) {
        if (at[k] < s->reach[i][1][k])
            status = send(s, i, cell + stride[k]);
        if (at[k] != s->reach[i][0][k])
            break;
    }
    return status;
}

static void meet(sweep* s, const int32_t end[groups + 1])
{
    for (int a = 0; a < groups; ++a)
        for (int b = a; b < groups; ++b)
            if ((a | b) == groups - 1)
                for (int32_t p = end[a]; p < end[a + 1]; ++p)
                    for (int32_t q = a == b ? p + 1 : end[b]; q < end[b + 1]; ++q)
                        related_test(s->found, s->set, s->here[p], s->here[q]);
}

// One cell: its visitors by group, their tests, and on they go.
static scree_status visit(sweep* s, const int32_t at[axes], int64_t cell)
{
    int32_t end[groups + 1] = {0}, count[groups] = {0}, number = 0;
    scree_status status = SCREE_OK;
    for (int32_t v = s->head[cell]; v >= 0; v = s->pool[v].next) {
        ++count[group_of(s, s->pool[v].i, at)];
        ++number;
    }
    if (number > s->here_room) {
        scree_free(s->here);
        s->here_room = 2 * number;
        s->here = scree_malloc((size_t)s->here_room, sizeof *s->here);
        if (s->here == NULL)
            return SCREE_ERR_MEMORY;
    }
    for (int g = 0; g < groups; ++g)
        end[g + 1] = end[g] + count[g];
    for (int32_t v = s->head[cell]; v >= 0 && status == SCREE_OK;) {
        const int32_t i = s->pool[v].i, next = s->pool[v].next, g = group_of(s, i, at);
        s->here[end[g] + --count[g]] = i;
        s->pool[v].next = s->unused;
        s->unused = v;
        status = migrate(s, i, at, cell);
        v = next;
    }
    if (status == SCREE_OK && number > 1)
        meet(s, end);
    return status;
}

// Cells of so many smallest radii.
static scree_status find(const scree_sphere_set* set, double radii, related_found* out)
{
    const scree_box box = scree_spheres_bounds(scree_sphere_set_view(set));
    const int32_t n = set->count;
    sweep s = {.set = set, .unused = -1, .found = out};
    double cell_size = INFINITY;
    for (int32_t i = 0; i < n; ++i)
        cell_size = fmin(cell_size, radii * set->r[i]);
    for (int k = 0; k < axes; ++k)
        s.cells[k] = (int32_t)((box.upper[k] - box.lower[k]) / cell_size) + 2;
    const int64_t cells = (int64_t)s.cells[0] * s.cells[1] * s.cells[2];
    s.reach = scree_malloc((size_t)n, sizeof *s.reach);
    s.head = scree_malloc((size_t)cells, sizeof *s.head);
    scree_status status = s.reach != NULL && s.head != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        memset(s.head, -1, (size_t)cells * sizeof *s.head);
    for (int32_t i = 0; i < n && status == SCREE_OK; ++i) {
        const double r = set->r[i] * (1.0 + 1e-9);  // by more than rounding
        for (int k = 0; k < axes; ++k)
            for (int side = 0; side < 2; ++side)
                s.reach[i][side][k] = (int32_t)fmax((set->x[3 * (int64_t)i + k] - box.lower[k] + (side == 0 ? -r : r)) / cell_size, 0.0);
        const int32_t* at = s.reach[i][0];
        status = send(&s, i, at[0] + (int64_t)s.cells[0] * (at[1] + (int64_t)s.cells[1] * at[2]));
    }
    out->looks += (double)cells;
    for (int64_t cell = 0; cell < cells && status == SCREE_OK; ++cell)
        if (s.head[cell] >= 0)
            status = visit(&s, (const int32_t[axes]){(int32_t)(cell % s.cells[0]), (int32_t)(cell / s.cells[0] % s.cells[1]), (int32_t)(cell / s.cells[0] / s.cells[1])}, cell);
    out->bytes = (double)((size_t)n * sizeof *s.reach + (size_t)cells * sizeof *s.head + (size_t)s.room * sizeof *s.pool + (size_t)s.here_room * sizeof *s.here);
    scree_free(s.reach);
    scree_free(s.head);
    scree_free(s.pool);
    scree_free(s.here);
    return status;
}

static scree_status run_set(findings* f, const char* name, const char* law, int32_t count, double density, const bench_options* co)
{
    static const double sizes[] = {2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0};  // in smallest radii
    enum { most = sizeof sizes / sizeof *sizes };
    related_search searches[most];
    scree_sphere_set set = {0};
    scree_status status = related_set(name, law, count, density, co, &set);
    for (int k = 0; k < most; ++k)
        searches[k] = (related_search){"williams", find, sizes[k]};
    if (status == SCREE_OK)
        status = related_rows(f, name, &set, searches, most, co);
    scree_sphere_set_free(&set);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const int32_t count = co->quick ? 2000 : 20000;
    scree_status status = run_set(f, "equal", NULL, count, 0.5, co);
    if (status == SCREE_OK)
        status = run_set(f, "uniform volume 50", "uniform-volume:1:50", count, 0.4, co);
    if (status == SCREE_OK)
        status = run_set(f, "Fuller", bench_fuller, count, 0.4, co);
    findings_paper(f, "Section 3.1: the sweep of Williams et al.: \"the cell size may be chosen independently of the sphere sizes\"; \"polydisperse mixtures can be checked with a limited number of cells to be "
                      "searched. However, this approach is only useful if the neighbourhood of all spheres is checked\".");
    findings_note(f, "Column parameter: the length of a cell in smallest radii. Looks: all cells of the sweep, and a sphere that comes to a cell. The neighbours of one sphere would need all cells before its own: the sweep "
                     "has no row for them.");
    return status;
}

const experiment bench_williams = {
    .name = "williams",
    .about = "their section 3.1: the sweep of Williams et al., where spheres migrate from cell to cell",
    .title = "A sweep through cells between which spheres migrate",
    .paper = true,
    .run = run_bench,
    .texts = 2,
    .columns = related_columns,
    .claims = (const claim[]){
        RELATED_EXACT,
        {.quantity = "Fuller: work in cells of 6 smallest radii by that of the grid", .source = "Section 3.1", .words = "a limited number of cells", .least = 1e-5, .most = 0.5, .how = CLAIM_RATIO,
         .column = "work_per_sphere", .rows = "sizes=Fuller;method=williams;parameter=6", .over = "sizes=Fuller;method=linked-cells"},
        {.quantity = "uniform volume 50: work in cells of 6 smallest radii by that of the grid", .source = "Section 3.1", .words = "a limited number of cells", .least = 1e-5, .most = 0.5,
         .how = CLAIM_RATIO, .column = "work_per_sphere", .rows = "sizes=uniform volume 50;method=williams;parameter=6", .over = "sizes=uniform volume 50;method=linked-cells"},
        {.quantity = "Fuller: cells with the least work, in smallest radii", .source = "Section 3.1", .words = "independent of the spheres, the largest of which has 55 and more", .least = 2.0, .most = 16.0,
         .how = CLAIM_BEST, .column = "work_per_sphere", .against = "parameter", .rows = "sizes=Fuller;method=williams"},
        {.quantity = "Fuller: time in cells of 16 smallest radii by that of the grid", .source = "Section 3.1", .words = "a limited number of cells", .least = 1e-4, .most = 1.0, .how = CLAIM_RATIO,
         .column = "ns", .rows = "sizes=Fuller;method=williams;parameter=16", .over = "sizes=Fuller;method=linked-cells", .timed = true},
        {0}},
    .charts = (const chart[]){
        {.title = "Work of the sweep against the size of cells", .x_label = "cell in smallest radii", .y_label = "work per sphere", .x = "parameter", .y = "work_per_sphere", .by = "sizes", .rows = "method=williams",
         .x_log = true, .y_log = true},
        {.suffix = "time", .title = "Time of the sweep against the size of cells", .x_label = "cell in smallest radii", .y_label = "nanoseconds per sphere", .x = "parameter", .y = "ns", .by = "sizes",
         .rows = "method=williams", .x_log = true, .y_log = true},
        {0}},
};
