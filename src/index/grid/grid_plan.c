// The plan of a stack of grids: how long the cells of each level are, in which form they are kept, and
// which of two levels looks into the other.
#include "index/grid/grid.h"

#include <float.h>
#include <math.h>

double grid_most_numbers = 4e9;

// ---- Cells -------------------------------------------------------------------------------------------------------

// What a level needs: no pair skips over a cell that is at least `safe` long; `least` is what cells shall not be shorter than.
typedef struct level_need {
    double safe[3], least[3];
} level_need;

static level_need need_of(const grid_plan* plan, const items* it, double r_max, const double side[3], double finest)
{
    level_need need = {.safe = {0.0, 0.0, 0.0}};
    double reach = fmax(2.0 * r_max + it->gap, 0.0), widest = 0.0;
    for (int k = 0; k < it->dim; ++k)
        widest = fmax(widest, plan->length[k]);
    for (int k = 0; k < it->dim; ++k) {
        double largest = fmax(fabs(it->lower[k]), fabs(it->lower[k] + it->length[k])) + items_drift(it, k);
        need.safe[k] = reach * (1.0 + 32.0 * DBL_EPSILON) + 32.0 * DBL_EPSILON * (largest + it->length[k]);
        need.least[k] = fmax(fmax(need.safe[k], side[k]), widest * finest);
    }
    return need;
}

// Periodic axes must come out even; others end with a cell that is cut.
static void lay_axis(grid_level* level, const grid_plan* plan, const items* it, int k, const level_need* need, double longer,
                     double count)
{
    double side = plan->length[k] / count;
    if (!it->periodic[k])
        side = fmax(side, need->least[k] * longer);
    level->cells[k] = (int32_t)count;
    level->side[k] = side;
    level->inverse[k] = side > 0.0 ? 1.0 / side : 0.0;
    level->layers[k] = it->periodic[k] ? (int32_t)ceil(need->safe[k] / side) : count > 1.0;
}

static void lay_strides(grid_level* level)
{
    level->single = level->layers[0] <= 1 && level->layers[1] <= 1 && level->layers[2] <= 1;
    level->stride[0] = 1;
    level->stride[1] = (int64_t)level->cells[0] + 1;
    level->stride[2] = level->stride[1] * level->cells[1];
}

// How many cells at least `longer` times `least` long an axis has.
static double count_cells(const grid_plan* plan, const items* it, int k, const double least[3], double longer)
{
    double side = least[k] * longer;
    if (!(side > 0.0))
        return 1.0;
    return it->periodic[k] ? fmax(1.0, floor(plan->length[k] / side)) : floor(plan->length[k] / side) + 1.0;
}

// All cells of the level, closing cells of the rows included.
static double count_all(const grid_plan* plan, const items* it, const double least[3], double longer)
{
    return (count_cells(plan, it, 0, least, longer) + 1.0) * count_cells(plan, it, 1, least, longer) *
           count_cells(plan, it, 2, least, longer);
}

// Cells as short as the level's need, unless that makes too many. Then rows are cut less finely along x, which costs little,
// because a row with few spheres stays one short stretch; and if there are too many rows, all sides become longer.
static void lay_bounded(grid_level* level, const grid_plan* plan, const items* it, double most_cells)
{
    level_need need = need_of(plan, it, level->r_max, (const double[3]){0.0, 0.0, 0.0}, 1e-6);  // more than a million cells along an axis are useless
    double longer = 1.0;
    double rows = count_cells(plan, it, 1, need.least, 1.0) * count_cells(plan, it, 2, need.least, 1.0);
    double count_x = count_cells(plan, it, 0, need.least, 1.0);
    if (2.0 * rows <= most_cells) {
        count_x = fmin(count_x, fmax(1.0, floor(most_cells / rows) - 1.0));
    } else {
        double low = 1.0, high = 2e6;  // at two million times 1e-6 of the widest there is one cell
        for (int step = 0; step < 60 && high > 1.01 * low; ++step) {
            double middle = sqrt(low * high);
            if (count_all(plan, it, need.least, middle) <= most_cells)
                high = middle;
            else
                low = middle;
        }
        longer = high;
        count_x = count_cells(plan, it, 0, need.least, longer);
    }
    for (int k = 0; k < 3; ++k) {
        double count = k == 0 ? count_x : count_cells(plan, it, k, need.least, longer);
        lay_axis(level, plan, it, k, &need, longer, count);
    }
    lay_strides(level);
}

// Cells as short as the need, or as long as was said, however many. How many there are in total.
static double lay_as_said(grid_level* level, const grid_plan* plan, const items* it, const double side[3])
{
    level_need need = need_of(plan, it, level->r_max, side, 2e-9);  // so that the cells of an axis are counted in 29 bits
    double all = 1.0;
    for (int k = 0; k < 3; ++k) {
        lay_axis(level, plan, it, k, &need, 1.0, count_cells(plan, it, k, need.least, 1.0));
        all *= level->cells[k] + (k == 0);
    }
    lay_strides(level);
    return all;
}

// ---- All cells, cells by rank, or occupied rows -------------------------------------------------------------------

// Tests per sphere that a plan leads to, for spheres as crowded as this.
static double predict_tests(const grid_plan* plan, const items* it, const grid_wish* wish, const crowding* crowd)
{
    double tests = 0.0, n = fmax(it->n, 1.0);
    for (int32_t h = 0; h < plan->levels; ++h)
        for (int32_t t = 0; t <= h; ++t) {
            const grid_level* there = &plan->level[t];
            double side = it->dim == 2 ? sqrt(there->side[0] * there->side[1])
                                       : cbrt(there->side[0] * there->side[1] * there->side[2]);
            double share = (double)wish->spheres[h] / n * ((double)wish->spheres[t] / n);
            tests += t == h ? share * (it->dim == 2 ? 4.5 : 13.5) * crowding_companions(crowd, side)
                            : share * crowding_companions(crowd, 2.0 * (plan->level[h].largest + there->largest) + side);
        }
    return tests;
}

// Cells per sphere that are kept, on all levels together: all of them, where few runs of cells are empty, and by rank, which takes 1.5 bits for a
// cell. An empty run costs the wide search as much as one with spheres, and the box test next to nothing (instructions counted for uniform volume, ratio 50).
static const double most_all = 4.0, most_all_boxed = 16.0, most_by_rank = 256.0;

// Levels as long as the wish has them, or with at most `most_cells` cells each.
static void lay_all(grid_plan* plan, const items* it, const grid_wish* wish, bool as_said, double most_cells)
{
    double all = 1.0;
    for (int32_t h = 0; h < wish->levels; ++h) {
        grid_level* level = &plan->level[h];
        level->r_max = wish->r_max[h];
        level->largest = wish->largest[h];
        if (as_said)
            all += lay_as_said(level, plan, it, wish->side[h]);
        else
            lay_bounded(level, plan, it, most_cells);
    }
    double n = it->n, numbers = grid_most_numbers;
    plan->form = all <= fmin((plan->box_test ? most_all_boxed : most_all) * n + 64.0, numbers) ? GRID_ALL_CELLS
                 : all <= fmin(most_by_rank * n + 64.0, numbers)                               ? GRID_CELLS_BY_RANK
                                                                                               : GRID_OCCUPIED_ROWS;
}

// Occupied rows or cells by rank only where keeping all cells would make them too long: then one keeps what was said, and the other is slow.
static void lay_out(grid_plan* plan, const items* it, const grid_wish* wish, const crowding* crowd)
{
    double most_cells = fmin(4.0 * it->n + 64.0, grid_most_numbers / wish->levels);  // of a level
    lay_all(plan, it, wish, wish->as_said, most_cells);
    if (wish->as_said || !crowd->crowded)
        return;
    grid_plan finest = *plan;
    lay_all(&finest, it, wish, true, most_cells);
    if (predict_tests(plan, it, wish, crowd) > 50.0 + 2.0 * predict_tests(&finest, it, wish, crowd))
        *plan = finest;
}

// ---- Directions ---------------------------------------------------------------------------------------------------

// What it costs, in tests, when all spheres of one level look into another one.
static double cost_of_looking(const grid_plan* plan, const items* it, const grid_level* from, int64_t lookers,
                              const grid_level* into, int64_t there)
{
    static const double per_sphere = 20.0, per_row = 10.0;
    double reach = from->largest + into->largest + it->gap, rows = 1.0, share = 1.0;
    for (int k = 0; k < it->dim; ++k) {
        double along = fmin(1.6 * reach / into->side[k] + 1.0, it->periodic[k] ? INFINITY : (double)into->cells[k]);
        rows *= k > 0 ? along : 1.0;
        share *= plan->length[k] > 0.0 ? fmin(along * into->side[k] / plan->length[k], 1.0) : 1.0;
    }
    return (double)lookers * (per_sphere + per_row * rows + share * (double)there);
}

static void choose_directions(grid_plan* plan, const items* it, const grid_wish* wish)
{
    for (int32_t h = 0; h < plan->levels; ++h)
        plan->level[h].looks = 0;
    for (int32_t h = 1; h < plan->levels; ++h)
        for (int32_t t = 0; t < h; ++t) {
            grid_level *coarse = &plan->level[h], *fine = &plan->level[t];
            bool finer = it->def->direction != SCREE_DIRECTION_COARSER;
            if (it->def->direction == SCREE_DIRECTION_CHEAPER && coarse->largest + fine->largest + it->gap > 0.0)
                finer = cost_of_looking(plan, it, coarse, wish->spheres[h], fine, wish->spheres[t]) <=
                        cost_of_looking(plan, it, fine, wish->spheres[t], coarse, wish->spheres[h]);
            if (finer)
                coarse->looks |= UINT64_C(1) << t;
            else
                fine->looks |= UINT64_C(1) << h;
        }
}

// ---- The plan -----------------------------------------------------------------------------------------------------

enum { most_buckets = grid_most_buckets };

void grid_plan_make(grid_plan* plan, const items* it, const grid_wish* wish, const crowding* crowd)
{
    *plan = (grid_plan){.levels = wish->levels,
                        .cell_count = 1,  // an empty cell stands before the first
                        .range = (scree_range)it->def->range,
                        .box_test = it->def->box_test == SCREE_BOX_TEST_ON};
    for (int k = 0; k < 3; ++k) {
        double largest = fmax(fabs(it->lower[k]), fabs(it->lower[k] + it->length[k])) + items_drift(it, k);
        plan->lower[k] = crowd->lower[k];
        plan->length[k] = crowd->length[k];
        plan->margin[k] = 32.0 * DBL_EPSILON * (largest + it->length[k] + 2.0 * it->r_max + fabs(it->gap));
    }
    lay_out(plan, it, wish, crowd);
    choose_directions(plan, it, wish);
    if (plan->form == GRID_OCCUPIED_ROWS) {
        plan->bucket_count = it->n / 256 < most_buckets ? it->n / 256 + 1 : most_buckets;
        return;
    }
    for (int32_t h = 0; h < plan->levels; ++h) {
        grid_level* level = &plan->level[h];
        level->first_cell = plan->cell_count;
        plan->cell_count += level->stride[1] * ((int64_t)level->cells[1] * level->cells[2]);
    }
    plan->shift = plan->form == GRID_CELLS_BY_RANK ? 6 : 0;  // whole words of bits
    int64_t buckets = it->n < 1 << 24 ? most_buckets : 4 * most_buckets;  // so that one still fits into a cache
    while ((plan->cell_count >> plan->shift) >= buckets)
        ++plan->shift;
    plan->bucket_count = (plan->cell_count >> plan->shift) + 1;
}
