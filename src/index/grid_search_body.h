// The search, compiled by grid_search_plain.c and grid_search_avx2.c. Each defines SEARCH (the function's name), the type
// `lanes` (a query in the form that it tests with), lanes_of and test_run before it includes this.
//
// A chunk is a stretch of the sorted spheres, walked row by row. Each sphere takes
//   - its own level: the rest of its row up to the next cell, and the rows ahead of it, so that each pair comes up once;
//   - each finer level: all cells that its own reach meets there. The paper's direction: from the few large spheres
//     into the grid of the many small ones.
// Everything on periodic axes is counted on the endless line of cells and folded back, one run per image.

// Where runs lie in memory is known long before they are needed, and they are far apart: so they are first listed (which
// asks for their starts), then their spheres are asked for, and only then tested.
static inline void test_list(const grid* g, int32_t a, run_list* list, sink* to)
{
    int32_t first[most_runs], last[most_runs];
    for (int k = 0; k < list->count; ++k) {
        first[k] = g->start[list->run[k].first];
        last[k] = g->start[list->run[k].last + 1];
        __builtin_prefetch(g->xs + first[k]);
        __builtin_prefetch(g->ys + first[k]);
        __builtin_prefetch(g->zs + first[k]);
        __builtin_prefetch(g->rs + first[k]);
    }
    const int* image = NULL;
    query q;
    lanes l;
    for (int k = 0; k < list->count; ++k) {
        const int* mine = list->run[k].image;
        if (image == NULL || image[0] != mine[0] || image[1] != mine[1] || image[2] != mine[2]) {
            image = mine;
            q = make_query(g, a, image);
            l = lanes_of(g, &q);
        }
        test_run(g, &q, l, first[k], last[k], to);
        to->cells += list->run[k].last - list->run[k].first + 1;
    }
    list->count = 0;
}

// Lists cells x0..x1 (on the endless line) of the row that begins at row_cell.
static inline void list_row(const grid* g, const grid_level* level, int32_t a, int64_t row_cell, int64_t x0, int64_t x1,
                            int image_y, int image_z, run_list* list, sink* to)
{
    int64_t n = level->cells[0];
    if (!g->it->periodic[0]) {
        x0 = x0 < 0 ? 0 : x0;
        x1 = x1 >= n ? n - 1 : x1;
    }
    if (x0 > x1)
        return;
    int64_t turn = x0 >= 0 ? x0 / n : -((n - 1 - x0) / n);
    for (; turn * n <= x1; ++turn) {
        int64_t first = x0 - turn * n, last = x1 - turn * n;
        row_run* run = &list->run[list->count++];
        *run = (row_run){.first = row_cell + (first < 0 ? 0 : first),
                         .last = row_cell + (last >= n ? n - 1 : last),
                         .image = {(int)turn, image_y, image_z}};
        __builtin_prefetch(g->start + run->first);
        if (list->count == most_runs)
            test_list(g, a, list, to);
    }
}

// The sphere's own level, anywhere: what stands ahead of it.
static void own_level(const grid* g, const grid_level* level, int32_t a, int64_t cx, int64_t cy, int64_t cz, run_list* list,
                      sink* to)
{
    int64_t lx = level->layers[0], ly = level->layers[1], lz = level->layers[2];
    int64_t row = level->first_cell + cy * level->stride[1] + cz * level->stride[2];
    int64_t last = cx + lx < level->cells[0] ? cx + lx : level->cells[0] - 1;
    query q = make_query(g, a, (const int[3]){0, 0, 0});
    to->cells += last - cx + 1;
    test_run(g, &q, lanes_of(g, &q), a + 1, g->start[row + last + 1], to);
    if (g->it->periodic[0])
        list_row(g, level, a, row, level->cells[0], cx + lx, 0, 0, list, to);
    for (int64_t dz = 0; dz <= lz; ++dz) {
        int64_t z = cz + dz;
        int image_y, image_z;
        if (!fold_axis(g, level, 2, &z, &image_z))
            break;
        for (int64_t dy = dz > 0 ? -ly : 1; dy <= ly; ++dy) {
            int64_t y = cy + dy;
            if (fold_axis(g, level, 1, &y, &image_y))
                list_row(g, level, a, level->first_cell + y * level->stride[1] + z * level->stride[2], cx - lx, cx + lx,
                         image_y, image_z, list, to);
        }
    }
    test_list(g, a, list, to);
}

// A finer level: every cell that can hold the centre of a partner. Planes and rows are cut to the ball.
static void finer_level(const grid* g, const grid_level* level, int32_t a, const double xr[4], run_list* list, sink* to)
{
    const items* it = g->it;
    double reach = (xr[3] + level->r_max) + it->gap;
    if (!(reach > 0.0))
        return;
    double ball = reach * reach * (1.0 + 1e-12);
    const double* margin = g->plan.margin;
    int64_t planes[2] = {0, 0}, rows[2], cells[2];
    if (it->dim == 3)
        grid_range(level, it, 2, xr[2], reach + margin[2], planes);
    for (int64_t zu = planes[0]; zu <= planes[1]; ++zu) {
        int64_t z = zu;
        int image_y, image_z;
        if (!fold_axis(g, level, 2, &z, &image_z))
            continue;
        double left = it->dim == 3 ? ball - plane_square(level, it, 2, xr[2], zu, margin[2]) : ball;
        if (left < 0.0)
            continue;
        grid_range(level, it, 1, xr[1], sqrt(left) + margin[1], rows);
        for (int64_t yu = rows[0]; yu <= rows[1]; ++yu) {
            int64_t y = yu;
            if (!fold_axis(g, level, 1, &y, &image_y))
                continue;
            double rest = left - plane_square(level, it, 1, xr[1], yu, margin[1]);
            if (rest < 0.0)
                continue;
            grid_range(level, it, 0, xr[0], sqrt(rest) + margin[0], cells);
            list_row(g, level, a, level->first_cell + y * level->stride[1] + z * level->stride[2], cells[0], cells[1],
                     image_y, image_z, list, to);
        }
    }
    test_list(g, a, list, to);
}

// A row in the midst of its level: the same rows ahead for all its spheres, no images, and the closing cells of the rows
// take care of the ends. Most spheres of most sets are tested here.
static inline void inner_row(const grid* g, const grid_level* level, int64_t cell, int32_t first, int32_t last, sink* to)
{
    static const int none[3] = {0, 0, 0};
    const int32_t* start = g->start + cell;
    const int32_t* ahead[4];
    int rows = 0;
    ahead[rows++] = start + level->stride[1];
    for (int dy = -1; dy <= 1 && level->layers[2] > 0; ++dy)
        ahead[rows++] = start + level->stride[2] + dy * level->stride[1];
    for (int32_t a = first; a < last; ++a) {
        int64_t cx = (int64_t)g->cell[a] - cell;
        query q = make_query(g, a, none);
        lanes l = lanes_of(g, &q);
        test_run(g, &q, l, a + 1, start[cx + 2], to);
        for (int k = 0; k < rows; ++k)
            test_run(g, &q, l, ahead[k][cx - 1], ahead[k][cx + 2], to);
        to->cells += (cx + 1 < level->cells[0] ? 2 : 1) + rows * (1 + (cx > 0) + (cx + 1 < level->cells[0]));
    }
}

// The spheres first .. last-1, all in the row that begins at `cell`.
static inline void search_row(const grid* g, int32_t h, int64_t cell, int32_t first, int32_t last, run_list* list, sink* to)
{
    const grid_level* level = &g->plan.level[h];
    int64_t row = (cell - level->first_cell) / level->stride[1];
    int64_t cy = row % level->cells[1], cz = row / level->cells[1];
    bool inner = level->single && cy > 0 && cy + 1 < level->cells[1] && (cz + 1 < level->cells[2] || level->layers[2] == 0);
    if (inner)
        inner_row(g, level, cell, first, last, to);
    if (inner && h == 0)
        return;
    for (int32_t a = first; a < last; ++a) {
        if (!inner)
            own_level(g, level, a, (int64_t)g->cell[a] - cell, cy, cz, list, to);
        __builtin_prefetch(g->it->xr[g->id[a + 4]]);
        for (int32_t finer = h - 1; finer >= 0; --finer)
            finer_level(g, &g->plan.level[finer], a, g->it->xr[g->id[a]], list, to);
    }
}

void SEARCH(const grid* g, int64_t chunk, sink* to)
{
    int64_t begin = chunk * grid_chunk_spheres, end = begin + grid_chunk_spheres;
    end = end < g->it->n ? end : g->it->n;
    run_list list;
    list.count = 0;
    sink out = *to;  // a copy that nothing else points to stays in registers
    for (int32_t a = (int32_t)begin, h = 0; a < end;) {
        while (h + 1 < g->plan.levels && g->cell[a] >= g->plan.level[h + 1].first_cell)
            ++h;
        const grid_level* level = &g->plan.level[h];
        int64_t in_level = (int64_t)g->cell[a] - level->first_cell;
        int64_t cell = level->first_cell + in_level / level->stride[1] * level->stride[1];
        int32_t row_end = g->start[cell + level->cells[0]];
        int32_t last = row_end < end ? row_end : (int32_t)end;
        search_row(g, h, cell, a, last, &list, &out);
        a = last;
    }
    *to = out;
}
