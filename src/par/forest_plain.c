// The forest without p4est: markers alone. An octant is a range of keys, so its owners are two searches in the markers; whom a ball meets is found by going down from the
// root into octants that it touches and that have more than one owner. Cuts are found from the top too: the largest key with no more than the wanted weight below it, three bits at
// a time, which needs one sum over all ranks for each level and no order among them.
#include "par/forest.h"

#include "base/morton.h"

#include <math.h>
#include <string.h>

scree_status forest_open(int32_t ranks, par_forest* out)
{
    *out = (par_forest){.ranks = ranks, .side = 1.0, .cells = 1.0};
    out->marker = scree_calloc((size_t)ranks + 1, sizeof *out->marker);
    if (out->marker == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t p = 1; p <= ranks; ++p)
        out->marker[p] = forest_end;
    return SCREE_OK;
}

void forest_close(par_forest* forest)
{
    scree_free(forest->marker);
    forest->marker = NULL;
}

void forest_lay(par_forest* forest, const scree_box* box, const double sides[3][2])
{
    forest->box = *box;
    forest->side = 0.0;
    for (int k = 0; k < 3; ++k) {
        bool is = k < box->dim && sides[k][1] >= sides[k][0];
        forest->lower[k] = is ? sides[k][0] : 0.0;
        forest->side = is ? fmax(forest->side, sides[k][1] - sides[k][0]) : forest->side;
    }
    forest->side = forest->side > 0.0 ? forest->side : 1.0;
    forest->cells = (double)(1 << forest_level) / forest->side;
}

static uint64_t key_at(const par_forest* forest, const double x[3])
{
    uint64_t cell[3] = {0, 0, 0};
    for (int k = 0; k < forest->box.dim; ++k) {
        double at = (x[k] - forest->lower[k]) * forest->cells;
        cell[k] = (uint64_t)(at > 0.0 ? fmin(at, (double)((1 << forest_level) - 1)) : 0.0);
    }
    return scree_morton_key(3, cell);
}

static void wrap(const par_forest* forest, const double x[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = k < forest->box.dim ? scree_box_wrap(&forest->box, k, x[k], NULL) : 0.0;
}

uint64_t forest_key(const par_forest* forest, const double x[3])
{
    double in[3];
    wrap(forest, x, in);
    return key_at(forest, in);
}

// The last rank whose marker is not above the key: ranks without cells have the marker of the next.
int32_t forest_owner(const par_forest* forest, uint64_t key)
{
    int32_t low = 0, high = forest->ranks;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (forest->marker[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// ---- Whom a ball meets ---------------------------------------------------------------------------------------------

typedef struct ball {
    const par_forest* forest;
    double x[3], reach;
    int32_t me, count;
    int32_t* out;
} ball;

// From the ball's centre to an octant, by the nearest image. One at the border of the tree reaches to infinity where the axis is not periodic.
static bool touches(const ball* b, const uint32_t cell[3], int level)
{
    const par_forest* f = b->forest;
    double square = 0.0, width = f->side / (double)(1 << level);
    for (int k = 0; k < f->box.dim; ++k) {
        double low = f->lower[k] + cell[k] * width, high = low + width, length = f->box.periodic[k] ? f->box.upper[k] - f->box.lower[k] : 0.0, d = INFINITY;
        if (length == 0.0) {
            low = cell[k] == 0 ? -INFINITY : low;
            high = cell[k] == (uint32_t)(1 << level) - 1 ? INFINITY : high;
        } else if (low > f->box.upper[k]) {
            return false;  // nobody is there
        }
        for (int m = length > 0.0 ? -1 : 0; m <= (length > 0.0); ++m) {
            double c = b->x[k] + m * length;
            d = fmin(d, c < low ? low - c : c > high ? c - high : 0.0);
        }
        square += d * d;
    }
    return square <= b->reach * b->reach;
}

static void meet(ball* b, const uint32_t cell[3], int level)
{
    const par_forest* f = b->forest;
    if (!touches(b, cell, level))
        return;
    int left = forest_level - level;
    uint64_t first = scree_morton_key(3, (uint64_t[3]){(uint64_t)cell[0] << left, (uint64_t)cell[1] << left, (uint64_t)cell[2] << left});
    int32_t low = forest_owner(f, first), high = forest_owner(f, first + ((uint64_t)1 << 3 * left) - 1);
    if (low == high) {
        if (low != b->me && (b->count == 0 || b->out[b->count - 1] != low))  // octants come in the order of keys, so ranks rise
            b->out[b->count++] = low;
        return;
    }
    for (uint32_t child = 0; child < (f->box.dim == 2 ? 4u : 8u); ++child)
        meet(b, (uint32_t[3]){2 * cell[0] + (child & 1), 2 * cell[1] + (child >> 1 & 1), 2 * cell[2] + (child >> 2)}, level + 1);
}

int32_t forest_meets(const par_forest* forest, int32_t me, const double x[3], double reach, int32_t* out)
{
    ball b = {.forest = forest, .me = me, .out = out};
    double corner[2][3], far = fabs(forest->side);
    bool inside = true;
    wrap(forest, x, b.x);
    for (int k = 0; k < forest->box.dim; ++k)
        far = fmax(far, fabs(b.x[k]));
    b.reach = reach * (1.0 + 1e-9) + 1e-9 * far;
    // Keys rise along every axis: where those of both corners of a box are mine, all of it is.
    for (int k = 0; k < 3; ++k) {
        corner[0][k] = b.x[k] - b.reach;
        corner[1][k] = b.x[k] + b.reach;
        if (k < forest->box.dim && forest->box.periodic[k])
            inside = inside && corner[0][k] >= forest->box.lower[k] && corner[1][k] < forest->box.upper[k];
    }
    if (inside && key_at(forest, corner[0]) >= forest->marker[me] && key_at(forest, corner[1]) < forest->marker[me + 1])
        return 0;
    meet(&b, (const uint32_t[3]){0, 0, 0}, 0);
    return b.count;
}

// ---- Cuts ----------------------------------------------------------------------------------------------------------

static int64_t weight_below(const forest_load* load, uint64_t key)
{
    int64_t low = 0, high = load->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (load->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return load->weight[low];
}

scree_status forest_cut(par_forest* forest, scree_par* par, const forest_load* loads)
{
    int64_t cuts = forest->ranks - 1, all = 0, wide = 7 * cuts + 1;
    int64_t* below = scree_calloc((size_t)(wide * par->local), sizeof *below);
    uint64_t* cut = scree_calloc((size_t)cuts + 1, sizeof *cut);
    scree_status status = par_agree(par, below == NULL || cut == NULL ? SCREE_ERR_MEMORY : SCREE_OK);
    for (int level = 1; level <= forest_level && status == SCREE_OK; ++level) {
        uint64_t width = (uint64_t)1 << 3 * (forest_level - level);
        for (int32_t l = 0; l < par->local; ++l) {
            for (int64_t c = 0; c < cuts; ++c)
                for (int j = 1; j < 8; ++j)
                    below[l * wide + 7 * c + j - 1] = weight_below(&loads[l], cut[c] + (uint64_t)j * width);
            below[l * wide + 7 * cuts] = loads[l].weight[loads[l].count];
        }
        status = par_sum(par, below, wide);
        all = below[7 * cuts];
        for (int64_t c = 0; c < cuts && status == SCREE_OK; ++c) {
            int64_t wanted = (int64_t)((double)all * (double)(c + 1) / (double)forest->ranks);
            int j = 0;
            while (j < 7 && below[7 * c + j] <= wanted)
                ++j;
            cut[c] += (uint64_t)j * width;
        }
    }
    if (status == SCREE_OK)
        forest_cut_at(forest, cut);
    scree_free(below);
    scree_free(cut);
    return status;
}

void forest_cut_at(par_forest* forest, const uint64_t* markers)
{
    for (int32_t p = 1; p < forest->ranks; ++p)
        forest->marker[p] = markers[p - 1] < forest_end ? markers[p - 1] : forest_end;
}
