// The search, compiled by grid_search_plain.c, grid_search_boxed.c, grid_search_avx2.c and grid_search_avx512.c. Each defines SEARCH (the function's name),
// the type `lanes` (a sphere in the form that it tests with), lanes_of, lanes_next and test_run before it includes this; and quick_runs, which tests several runs
// where there is room for all pairs and eight more, and writes no shifts, with QUICK_RUNS 1 (0: it is not called).
//
// A chunk is a stretch of the sorted spheres, walked row by row. Each sphere takes
//   - its own level: the rest of its row up to the next cell, and the rows ahead of it, so that each pair comes up once;
//   - each level that the plan has it look into (usually the finer ones: from the few large spheres into the grid of the many
//     small ones): all cells that its own reach meets there.
// Everything on periodic axes is counted on the unbounded line of cells and folded back, one run per image. In a tilted box the images of a later axis are moved
// along the earlier ones (geom/lattice.h): there the cells of an earlier axis are found once the image on the later ones is known.
// What walks over cells is compiled twice, for all cells and for cells by rank (by_rank is a literal): with so few spheres to a cell most runs are empty there, and
// a look at the bits leaves them out.
#define FOR_BOTH static inline __attribute__((always_inline))

static const int no_image[3] = {0, 0, 0};

// Where runs lie in memory is known long before they are needed, and they are far apart: so they are first listed (which
// asks for their starts), then their spheres are asked for, and only then tested.
FOR_BOTH void test_list(const grid* g, int32_t a, run_list* list, sink* to, bool by_rank, bool tilted)
{
    int32_t first[most_runs], last[most_runs];
    for (int k = 0; k < list->count; ++k) {
        first[k] = grid_start(g, list->run[k].first, by_rank);
        last[k] = grid_start(g, list->run[k].last + 1, by_rank);
        __builtin_prefetch(g->xs + first[k]);
        __builtin_prefetch(g->ys + first[k]);
        __builtin_prefetch(g->zs + first[k]);
        __builtin_prefetch(g->rs + first[k]);
    }
    const int* image = NULL;
    lanes l = lanes_of(g, a, no_image, false);
    for (int k = 0; k < list->count; ++k) {
        const int* mine = list->run[k].image;
        if (image == NULL || image[0] != mine[0] || image[1] != mine[1] || image[2] != mine[2]) {
            image = mine;
            l = lanes_of(g, a, image, tilted);
        }
        test_run(g, &l, first[k], last[k], to);
        to->cells += list->run[k].last - list->run[k].first + 1;
    }
    list->count = 0;
}

// Lists cells x0..x1 (on the unbounded line) of the row that begins at row_cell.
FOR_BOTH void list_row(const grid* g, const grid_level* level, int32_t a, int64_t row_cell, int64_t x0, int64_t x1, int image_y, int image_z,
                       run_list* list, sink* to, bool by_rank, bool tilted)
{
    int64_t n = level->cells[0];
    if (!g->it->periodic[0]) {
        x0 = x0 < 0 ? 0 : x0;
        x1 = x1 >= n ? n - 1 : x1;
    }
    if (x0 > x1)
        return;
    for (int64_t turn = grid_turn(x0, n); turn * n <= x1; ++turn) {
        int64_t first = x0 - turn * n, last = x1 - turn * n;
        first = row_cell + (first < 0 ? 0 : first);
        last = row_cell + (last >= n ? n - 1 : last);
        if (by_rank && !grid_any(g, first, last)) {
            to->cells += last - first + 1;
            continue;
        }
        list->run[list->count++] = (row_run){.first = first, .last = last, .image = {(int)turn, image_y, image_z}};
        if (!by_rank)
            __builtin_prefetch(g->start + first);
        if (list->count == most_runs)
            test_list(g, a, list, to, by_rank, tilted);
    }
}

// The sphere's own level, anywhere: what stands ahead of it. `tilted` is a literal, so that other boxes pay nothing for it.
FOR_BOTH void own_rows(const grid* g, const grid_level* level, int32_t a, int64_t cx, int64_t cy, int64_t cz, run_list* list, sink* to, bool by_rank,
                       bool tilted)
{
    int64_t lx = level->layers[0], ly = level->layers[1], lz = level->layers[2];
    int64_t row = level->first_cell + cy * level->stride[1] + cz * level->stride[2];
    int64_t last = cx + lx < level->cells[0] ? cx + lx : level->cells[0] - 1;
    lanes l = lanes_of(g, a, no_image, false);
    to->cells += last - cx + 1;
    test_run(g, &l, a + 1, grid_start(g, row + last + 1, by_rank), to);
    if (g->it->periodic[0])
        list_row(g, level, a, row, level->cells[0], cx + lx, 0, 0, list, to, by_rank, tilted);
    for (int64_t dz = 0; dz <= lz; ++dz) {
        int64_t z = cz + dz;
        int image_y, image_z;
        if (!fold_axis(g, level, 2, &z, &image_z))
            break;
        int64_t drift_y[2] = {0, 0}, drift_x[2] = {0, 0};
        if (tilted)
            drift_cells(level, 1, image_z * g->it->tilt[2], drift_y);
        for (int64_t dy = (dz > 0 ? -ly : 1) + drift_y[0]; dy <= ly + drift_y[1]; ++dy) {
            int64_t y = cy + dy;
            if (!fold_axis(g, level, 1, &y, &image_y))
                continue;
            if (tilted)
                drift_cells(level, 0, image_y * g->it->tilt[0] + image_z * g->it->tilt[1], drift_x);
            list_row(g, level, a, level->first_cell + y * level->stride[1] + z * level->stride[2], cx - lx + drift_x[0], cx + lx + drift_x[1],
                     image_y, image_z, list, to, by_rank, tilted);
        }
    }
    test_list(g, a, list, to, by_rank, tilted);
}

static __attribute__((noinline)) void own_tilted(const grid* g, const grid_level* level, int32_t a, int64_t cx, int64_t cy, int64_t cz, run_list* list,
                                                 sink* to, bool by_rank)
{
    own_rows(g, level, a, cx, cy, cz, list, to, by_rank, true);
}

static void own_level(const grid* g, const grid_level* level, int32_t a, int64_t cx, int64_t cy, int64_t cz, run_list* list, sink* to,
                        bool by_rank)
{
    if (g->it->tilted)
        own_tilted(g, level, a, cx, cy, cz, list, to, by_rank);
    else
        own_rows(g, level, a, cx, cy, cz, list, to, by_rank, false);
}

// Another level: every cell that can hold the centre of a partner. In the tight range planes and rows are cut to the ball.
FOR_BOTH void other_rows(const grid* g, const grid_level* level, int32_t a, const double xr[4], run_list* list, sink* to, bool by_rank, bool tilted)
{
    const items* it = g->it;
    double reach = (xr[3] + level->largest) + it->gap;
    if (!(reach > 0.0))
        return;
    bool tight = g->plan.range == SCREE_RANGE_TIGHT;
    double left = reach * reach * (1.0 + 1e-12), rest = left;
    const double* margin = g->plan.margin;
    int64_t planes[2] = {0, 0}, rows[2] = {0, 0}, cells[2] = {0, 0};
    if (it->dim == 3 && tight)
        grid_range(g, level, 2, xr[2], reach + margin[2], planes);
    else if (it->dim == 3)
        grid_look(g, level, 2, xr, planes);
    if (!tight) {
        grid_look(g, level, 1, xr, rows);
        grid_look(g, level, 0, xr, cells);
    }
    double ball = left, moved[4] = {xr[0], xr[1], xr[2], xr[3]};
    const double* at = tilted ? moved : xr;  // where the sphere stands, as seen from an image
    for (int64_t zu = planes[0]; zu <= planes[1]; ++zu) {
        int64_t z = zu;
        int image_y, image_z;
        if (!fold_axis(g, level, 2, &z, &image_z))
            continue;
        if (tilted)
            moved[1] = tilted_y(it, xr, image_z);
        if (tight) {
            left = it->dim == 3 ? ball - plane_square(g, level, 2, xr[2], zu) : ball;
            if (left < 0.0)
                continue;
            grid_range(g, level, 1, at[1], sqrt(left) + margin[1], rows);
        } else if (tilted) {
            grid_look(g, level, 1, at, rows);
        }
        for (int64_t yu = rows[0]; yu <= rows[1]; ++yu) {
            int64_t y = yu;
            if (!fold_axis(g, level, 1, &y, &image_y))
                continue;
            if (tilted)
                moved[0] = tilted_x(it, xr, image_y, image_z);
            if (tight) {
                rest = left - plane_square(g, level, 1, at[1], yu);
                if (rest < 0.0)
                    continue;
                grid_range(g, level, 0, at[0], sqrt(rest) + margin[0], cells);
            } else if (tilted) {
                grid_look(g, level, 0, at, cells);
            }
            list_row(g, level, a, level->first_cell + y * level->stride[1] + z * level->stride[2], cells[0], cells[1],
                     image_y, image_z, list, to, by_rank, tilted);
        }
    }
    test_list(g, a, list, to, by_rank, tilted);
}

static __attribute__((noinline)) void other_tilted(const grid* g, const grid_level* level, int32_t a, const double xr[4], run_list* list, sink* to, bool by_rank)
{
    other_rows(g, level, a, xr, list, to, by_rank, true);
}

static void other_level(const grid* g, const grid_level* level, int32_t a, const double xr[4], run_list* list, sink* to, bool by_rank)
{
    if (g->it->tilted)
        other_tilted(g, level, a, xr, list, to, by_rank);
    else
        other_rows(g, level, a, xr, list, to, by_rank, false);
}

// The first spheres of two rows that the next row will look into, and this one does not. Later ones follow in memory, which the machine sees by itself.
FOR_BOTH void prefetch_rows(const grid* g, int64_t one, int64_t other, bool by_rank)
{
    enum { columns = 5, lines = 4, line = 16 };
    const float *first = g->xs + grid_start(g, one, by_rank), *second = g->xs + grid_start(g, other, by_rank);
    for (int c = 0; c < columns; ++c)
        for (int k = 0; k < lines; ++k) {
            __builtin_prefetch(first + c * g->sorted_capacity + k * line);
            __builtin_prefetch(second + c * g->sorted_capacity + k * line);
        }
}

// Spheres of a row in the midst of its level: the same rows ahead for all, no images, and the closing cells of the rows
// take care of the ends. Most spheres of most sets are tested here. `rows`, how many rows are ahead, is a literal: the runs of a sphere stay in registers.
FOR_BOTH void inner_row(const grid* g, const grid_level* level, int64_t cell, int32_t first, int32_t last, sink* sum, bool by_rank, int rows)
{
    sink here = *sum, *to = &here;  // a copy that nothing else points to stays in registers
    const int64_t end = level->cells[0] - 1, layer = cell + level->stride[2], row = level->stride[1];
    const int64_t ahead[4] = {cell + row, layer - row, layer, layer + row};  // the rows' first cells
    const uint32_t* cells = g->cell;
    lanes l = lanes_of(g, first, no_image, false);
    if (rows > 1)
        prefetch_rows(g, cell + 2 * row, layer + 2 * row, by_rank);
    for (int32_t a = first; a < last; ++a) {
        int64_t cx = (int64_t)cells[a] - cell;
        int32_t from[5] = {a + 1}, until[5] = {grid_start(g, cell + cx + 2, by_rank)};
        int runs = 1;
        int64_t tests = until[0] - from[0];
#pragma GCC unroll 4
        for (int k = 0; k < rows; ++k)
            if (!by_rank || grid_any(g, ahead[k] + cx - 1, ahead[k] + cx + 1)) {
                from[runs] = grid_start(g, ahead[k] + cx - 1, by_rank);
                until[runs] = grid_start(g, ahead[k] + cx + 2, by_rank);
                tests += until[runs] - from[runs];
                ++runs;
            }
        lanes_next(g, &l, a);
        if (QUICK_RUNS && __builtin_expect(to->room - to->count >= tests + 8 * 5, 1)) {
            int64_t before = to->count;
            to->count = quick_runs(g, &l, runs, from, until, to->ij, to->count);
            to->tests += tests;
            for (int64_t k = before; k < to->count && to->shift != NULL; k += 8)
                memset(to->shift + k, 0, 8 * sizeof *to->shift);
        } else {
            for (int k = 0; k < runs; ++k)
                test_run(g, &l, from[k], until[k], to);
        }
        to->cells += 2 + 3 * rows - (cx == 0 ? rows : 0) - (cx == end ? rows + 1 : 0);
        if (sink_stops(to))
            break;
    }
    *sum = here;
}

// Own levels of the spheres first .. last-1, all in the row that begins at `cell`. On a periodic axis the first and the last cell of a row see images.
FOR_BOTH void own_levels(const grid* g, const grid_level* level, int64_t cell, int32_t first, int32_t last, run_list* list, sink* to, bool by_rank)
{
    int64_t row = (cell - level->first_cell) / level->stride[1];
    int64_t cy = row % level->cells[1], cz = row / level->cells[1];
    int32_t low = last, high = last;  // from low to high - 1: spheres that inner_row tests
    if (level->single && cy > 0 && cy + 1 < level->cells[1] && (cz + 1 < level->cells[2] || level->layers[2] == 0)) {
        bool round = g->it->periodic[0];
        low = round ? grid_start(g, cell + 1, by_rank) : first;
        high = round ? grid_start(g, cell + level->cells[0] - 1, by_rank) : last;
        low = low < first ? first : low > last ? last : low;
        high = high < low ? low : high > last ? last : high;
    }
    for (int32_t a = first; a < last && !sink_stops(to); ++a)
        if (a < low || a >= high) {
            own_level(g, level, a, (int64_t)g->cell[a] - cell, cy, cz, list, to, by_rank);
        } else {
            if (level->layers[2] > 0)
                inner_row(g, level, cell, low, high, to, by_rank, 4);
            else
                inner_row(g, level, cell, low, high, to, by_rank, 1);
            a = high - 1;
        }
}

// All that the spheres first .. last-1 of that row look for.
FOR_BOTH void search_row(const grid* g, int32_t h, int64_t cell, int32_t first, int32_t last, run_list* list, sink* to, bool by_rank)
{
    const grid_level* level = &g->plan.level[h];
    own_levels(g, level, cell, first, last, list, to, by_rank);
    for (int32_t a = first; a < last && level->looks != 0 && !sink_stops(to); ++a) {
        __builtin_prefetch(g->it->xr[g->id[a + 4]]);
        for (uint64_t looks = level->looks; looks != 0; looks &= looks - 1)
            other_level(g, &g->plan.level[__builtin_ctzll(looks)], a, g->it->xr[g->id[a]], list, to, by_rank);
    }
}

// The spheres begin .. end-1 of level h.
FOR_BOTH void search_cells(const grid* g, int32_t h, int32_t begin, int32_t end, sink* to, bool by_rank)
{
    const grid_level* level = &g->plan.level[h];
    run_list list;
    list.count = 0;
    for (int32_t a = begin; a < end;) {
        int64_t in_level = (int64_t)g->cell[a] - level->first_cell;
        int64_t cell = level->first_cell + in_level / level->stride[1] * level->stride[1];
        int32_t row_end = grid_start(g, cell + level->cells[0], by_rank);
        int32_t last = row_end < end ? row_end : end;
        search_row(g, h, cell, a, last, &list, to, by_rank);
        a = last;
    }
}

// ---- Occupied rows ------------------------------------------------------------------------------------------------

// A row ahead of the one that is walked, in one image: spheres of both rise along x, so its part in reach is found by continuing.
typedef struct ahead_row {
    int32_t low, high, last;  // in reach are low .. high-1; the row ends at last
    int64_t offset;           // its cells stand this much farther on,
    int64_t drift[2];         // and what is in reach so many more down and up: in tilted boxes
    int image[3];
} ahead_row;

typedef struct ahead_list {
    int count;
    ahead_row row[most_runs];
} ahead_list;

// Tests the spheres first .. last-1 of a row against the rows of the list, and forgets these.
static void test_ahead(const grid* g, const grid_level* level, int32_t first, int32_t last, ahead_list* list, sink* to)
{
    for (int32_t a = first; a < last && list->count > 0; ++a) {
        for (int k = 0; k < list->count; ++k) {
            ahead_row* row = &list->row[k];
            int64_t from = (int64_t)g->cell[a] - level->layers[0] + row->drift[0], until = (int64_t)g->cell[a] + level->layers[0] + row->drift[1];
            while (row->low < row->last && (int64_t)g->cell[row->low] + row->offset < from)
                ++row->low;
            row->high = row->high < row->low ? row->low : row->high;
            while (row->high < row->last && (int64_t)g->cell[row->high] + row->offset <= until)
                ++row->high;
            to->cells += until - from + 1;
            if (row->low == row->high)
                continue;
            lanes l = lanes_of(g, a, row->image, g->it->tilted);
            test_run(g, &l, row->low, row->high, to);
        }
        if (sink_stops(to))
            break;
    }
    list->count = 0;
}

// Lists the images of one row that spheres in cells x0..x1 can reach; of their own row only those ahead.
static void list_ahead(const grid* g, const grid_level* level, int32_t h, int64_t y, int64_t z, int image_y, int image_z, bool own,
                       int32_t first, int32_t last, ahead_list* list, sink* to)
{
    uint64_t key = grid_row_key(h, y, z);
    int32_t row = grid_find_row(g, g->first_row[h], g->first_row[h + 1], key);
    if (row == g->first_row[h + 1] || g->row_key[row] != key)
        return;
    int64_t drift[2];
    drift_cells(level, 0, image_y * g->it->tilt[0] + image_z * g->it->tilt[1], drift);
    int64_t n = level->cells[0], x0 = (int64_t)g->cell[first] - level->layers[0] + drift[0], x1 = (int64_t)g->cell[last - 1] + level->layers[0] + drift[1];
    int64_t turn = own ? 1 : 0, turns = 0;
    if (g->it->periodic[0]) {
        turn = own ? 1 : grid_turn(x0, n);
        turns = grid_turn(x1, n);
    }
    for (; turn <= turns; ++turn) {
        if (list->count == most_runs)
            test_ahead(g, level, first, last, list, to);
        list->row[list->count++] = (ahead_row){.low = g->start[row],
                                               .high = g->start[row],
                                               .last = g->start[row + 1],
                                               .offset = turn * n,
                                               .drift = {drift[0], drift[1]},
                                               .image = {(int)turn, image_y, image_z}};
    }
}

// The own level of the spheres first .. last-1 of one occupied row.
static void occupied_row(const grid* g, int32_t h, uint64_t key, int32_t first, int32_t last, int32_t row_end, sink* to)
{
    const grid_level* level = &g->plan.level[h];
    int64_t y = grid_row_y(key), z = grid_row_z(key);
    int32_t end = first;
    for (int32_t a = first; a < last; ++a) {  // the rest of the row
        int64_t until = (int64_t)g->cell[a] + level->layers[0];
        while (end < row_end && (int64_t)g->cell[end] <= until)
            ++end;
        to->cells += level->layers[0] + 1;
        if (a + 1 < end) {
            lanes l = lanes_of(g, a, no_image, false);
            test_run(g, &l, a + 1, end, to);
        }
        if (sink_stops(to))
            return;
    }
    ahead_list list;
    list.count = 0;
    if (g->it->periodic[0])
        list_ahead(g, level, h, y, z, 0, 0, true, first, last, &list, to);
    for (int64_t dz = 0; dz <= level->layers[2]; ++dz) {
        int64_t at_z = z + dz;
        int image_y, image_z;
        if (!fold_axis(g, level, 2, &at_z, &image_z))
            break;
        int64_t drift[2];
        drift_cells(level, 1, image_z * g->it->tilt[2], drift);
        for (int64_t dy = (dz > 0 ? -level->layers[1] : 1) + drift[0]; dy <= level->layers[1] + drift[1]; ++dy) {
            int64_t at_y = y + dy;
            if (fold_axis(g, level, 1, &at_y, &image_y))
                list_ahead(g, level, h, at_y, at_z, image_y, image_z, false, first, last, &list, to);
        }
    }
    test_ahead(g, level, first, last, &list, to);
}

// What a sphere looks for on another level of occupied rows.
typedef struct rows_look {
    int32_t level;
    double xr[4];
    bool tight;
    double ball;
    int64_t planes[2], rows[2], cells[2];
} rows_look;

static void test_occupied(const grid* g, const rows_look* look, int32_t a, int32_t row, int image_y, int image_z,
                          const int64_t cells[2], sink* to)
{
    const grid_level* level = &g->plan.level[look->level];
    int64_t n = level->cells[0];
    to->cells += cells[1] - cells[0] + 1;
    for (int64_t turn = grid_turn(cells[0], n); turn * n <= cells[1]; ++turn) {
        int32_t first = grid_find_cell(g, g->start[row], g->start[row + 1], cells[0] - turn * n);
        int32_t last = grid_find_cell(g, first, g->start[row + 1], cells[1] - turn * n + 1);
        if (first == last)
            continue;
        const int image[3] = {(int)turn, image_y, image_z};
        lanes l = lanes_of(g, a, image, g->it->tilted);
        test_run(g, &l, first, last, to);
    }
}

// One image of the level: rows are met in their order, and what lies between is jumped over.
static void walk_occupied(const grid* g, const rows_look* look, int32_t a, int image_y, int image_z, sink* to)
{
    const items* it = g->it;
    int32_t h = look->level, end = g->first_row[h + 1];
    const grid_level* level = &g->plan.level[h];
    int64_t by = (int64_t)image_y * level->cells[1], bz = (int64_t)image_z * level->cells[2];
    int64_t y0 = look->rows[0] - by, y1 = look->rows[1] - by, z0 = look->planes[0] - bz, z1 = look->planes[1] - bz;
    y0 = y0 < 0 ? 0 : y0;
    z0 = z0 < 0 ? 0 : z0;
    y1 = y1 >= level->cells[1] ? level->cells[1] - 1 : y1;
    z1 = z1 >= level->cells[2] ? level->cells[2] - 1 : z1;
    for (int32_t row = grid_find_row(g, g->first_row[h], end, grid_row_key(h, y0, z0)); row < end;) {
        int64_t y = grid_row_y(g->row_key[row]), z = grid_row_z(g->row_key[row]);
        if (z > z1)
            break;
        double left = it->dim == 3 ? look->ball - plane_square(g, level, 2, look->xr[2], z + bz) : look->ball;
        if (y < y0 || y > y1 || left < 0.0) {
            row = grid_find_row(g, row, end, y < y0 && left >= 0.0 ? grid_row_key(h, y0, z) : grid_row_key(h, y0, z + 1));
            continue;
        }
        double rest = left - plane_square(g, level, 1, look->xr[1], y + by);
        int64_t cells[2] = {look->cells[0], look->cells[1]};
        if (look->tight && rest >= 0.0)
            grid_range(g, level, 0, look->xr[0], sqrt(rest) + g->plan.margin[0], cells);
        if (rest >= 0.0)
            test_occupied(g, look, a, row, image_y, image_z, cells, to);
        ++row;
    }
}

// The cells along axis k.
static void look_along(const grid* g, rows_look* look, int k, double reach)
{
    const grid_level* level = &g->plan.level[look->level];
    int64_t* const ranges[3] = {look->cells, look->rows, look->planes};
    if (look->tight)
        grid_range(g, level, k, look->xr[k], reach + g->plan.margin[k], ranges[k]);
    else
        grid_look(g, level, k, look->xr, ranges[k]);
}

static void other_occupied(const grid* g, int32_t h, int32_t a, const double xr[4], sink* to)
{
    const items* it = g->it;
    const grid_level* level = &g->plan.level[h];
    double reach = (xr[3] + level->largest) + it->gap;
    if (!(reach > 0.0))
        return;
    rows_look look = {.level = h, .xr = {xr[0], xr[1], xr[2], xr[3]}, .tight = g->plan.range == SCREE_RANGE_TIGHT};
    look.ball = look.tight ? reach * reach * (1.0 + 1e-12) : INFINITY;
    for (int k = 0; k < it->dim; ++k)
        look_along(g, &look, k, reach);
    int64_t ny = level->cells[1], nz = level->cells[2];
    for (int image_z = (int)grid_turn(look.planes[0], nz); image_z <= (int)grid_turn(look.planes[1], nz); ++image_z) {
        if (it->tilted) {
            look.xr[1] = tilted_y(it, xr, image_z);
            look_along(g, &look, 1, reach);
        }
        for (int image_y = (int)grid_turn(look.rows[0], ny); image_y <= (int)grid_turn(look.rows[1], ny); ++image_y) {
            if (it->tilted) {
                look.xr[0] = tilted_x(it, xr, image_y, image_z);
                look_along(g, &look, 0, reach);
            }
            walk_occupied(g, &look, a, image_y, image_z, to);
        }
    }
}

static void search_occupied(const grid* g, int32_t begin, int32_t end, sink* to)
{
    int32_t row = 0, beyond = g->row_count;  // the row of `begin`
    while (beyond - row > 1) {
        int32_t middle = row + (beyond - row) / 2;
        if (g->start[middle] <= begin)
            row = middle;
        else
            beyond = middle;
    }
    for (int32_t first = begin; first < end; ++row) {
        int32_t row_end = g->start[row + 1], last = row_end < end ? row_end : end;
        int32_t h = (int32_t)(g->row_key[row] >> 58);
        occupied_row(g, h, g->row_key[row], first, last, row_end, to);
        for (int32_t a = first; a < last && !sink_stops(to); ++a)
            for (uint64_t looks = g->plan.level[h].looks; looks != 0; looks &= looks - 1)
                other_occupied(g, __builtin_ctzll(looks), a, g->it->xr[g->id[a]], to);
        first = last;
    }
}

void SEARCH(const grid* g, int64_t chunk, sink* to)
{
    int32_t begin, end, h = grid_chunk(g, chunk, &begin, &end);
    sink out = *to;
    if (g->plan.form == GRID_OCCUPIED_ROWS)
        search_occupied(g, begin, end, &out);
    else if (g->plan.form == GRID_CELLS_BY_RANK)
        search_cells(g, h, begin, end, &out, true);
    else
        search_cells(g, h, begin, end, &out, false);
    *to = out;
}
