// Both passes go through memory once, at its speed: the loops are plain, branch-free and over whole blocks.
#include "index/intake.h"

#include "base/array.h"
#include "base/parallel.h"

#include <math.h>

enum { block_size = 16384, period = 12 };  // 12 numbers are whole spheres in 2D and in 3D

struct intake_block {
    double lower[period], upper[period], r_min, r_max;
    bool doubtful;
};

// Whether any of the numbers is neither 0 nor between the least and the greatest length. The size of a double is ordered
// as its bits are, and what is no number has the greatest bits of all.
static bool any_doubtful(const double* numbers, int64_t count)
{
    uint64_t least, greatest;
    memcpy(&least, &(double){SCREE_LENGTH_MIN}, sizeof least);
    memcpy(&greatest, &(double){SCREE_LENGTH_MAX}, sizeof greatest);
    uint64_t span = greatest - least, bad = 0;
    for (int64_t k = 0; k < count; ++k) {
        uint64_t bits;
        memcpy(&bits, &numbers[k], sizeof bits);
        bits &= UINT64_MAX >> 1;
        bad |= (uint64_t)((bits - least > span) & (bits != 0));
    }
    return bad != 0;
}

static scree_status scan_block(void* context, int64_t b)
{
    intake* in = context;
    struct intake_block block = {.r_min = INFINITY, .r_max = -INFINITY};
    int dim = in->spheres.dim;
    int64_t first = b * block_size, last = first + block_size < in->spheres.count ? first + block_size : in->spheres.count;
    const double* r = in->spheres.r + first;
    const double* x = in->spheres.x + first * dim;
    int64_t count = last - first, numbers = count * dim;
    for (int k = 0; k < period; ++k) {
        block.lower[k] = INFINITY;
        block.upper[k] = -INFINITY;
    }
    int64_t whole = numbers / period * period;
    for (int64_t i = 0; i < whole; i += period)
        for (int k = 0; k < period; ++k) {
            block.lower[k] = x[i + k] < block.lower[k] ? x[i + k] : block.lower[k];
            block.upper[k] = x[i + k] > block.upper[k] ? x[i + k] : block.upper[k];
        }
    for (int64_t i = whole; i < numbers; ++i) {
        int k = (int)(i - whole);
        block.lower[k] = x[i] < block.lower[k] ? x[i] : block.lower[k];
        block.upper[k] = x[i] > block.upper[k] ? x[i] : block.upper[k];
    }
    double low[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, high[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; ++k) {
            low[k] = r[i + k] < low[k] ? r[i + k] : low[k];
            high[k] = r[i + k] > high[k] ? r[i + k] : high[k];
        }
    for (int64_t i = count & ~INT64_C(3); i < count; ++i) {
        low[0] = r[i] < low[0] ? r[i] : low[0];
        high[0] = r[i] > high[0] ? r[i] : high[0];
    }
    for (int k = 0; k < 4; ++k) {
        block.r_min = low[k] < block.r_min ? low[k] : block.r_min;
        block.r_max = high[k] > block.r_max ? high[k] : block.r_max;
    }
    block.doubtful = any_doubtful(x, numbers) || any_doubtful(r, count);
    in->blocks[b] = block;
    return SCREE_OK;
}

static int64_t block_count(const intake* in)
{
    return ((int64_t)in->spheres.count + block_size - 1) / block_size;
}

scree_status intake_scan(intake* in)
{
    int64_t blocks = block_count(in);
    if (SCREE_RESERVE(in->blocks, in->block_capacity, blocks) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    scree_parallel_for(in->threads, blocks, scan_block, in, NULL);
    in->doubtful = false;
    in->r_min = INFINITY;
    in->r_max = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        in->lower[k] = INFINITY;
        in->upper[k] = -INFINITY;
    }
    for (int64_t b = 0; b < blocks; ++b) {
        const struct intake_block* block = &in->blocks[b];
        in->doubtful = in->doubtful || block->doubtful;
        in->r_min = fmin(in->r_min, block->r_min);
        in->r_max = fmax(in->r_max, block->r_max);
        for (int k = 0; k < period; ++k) {
            in->lower[k % in->spheres.dim] = fmin(in->lower[k % in->spheres.dim], block->lower[k]);
            in->upper[k % in->spheres.dim] = fmax(in->upper[k % in->spheres.dim], block->upper[k]);
        }
    }
    in->doubtful = in->doubtful || in->r_min < 0.0;
    for (int k = 0; k < in->spheres.dim; ++k)
        in->doubtful = in->doubtful || (!in->box->periodic[k] && (in->lower[k] < in->box->lower[k] || in->upper[k] > in->box->upper[k]));
    return SCREE_OK;
}

static scree_status copy_block(void* context, int64_t b)
{
    intake* in = context;
    int dim = in->spheres.dim;
    int64_t first = b * block_size, last = first + block_size < in->spheres.count ? first + block_size : in->spheres.count;
    const double* x = in->spheres.x;
    const double* r = in->spheres.r;
    double (*xr)[4] = in->xr;
    if (in->turns == NULL && dim == 3) {
        for (int64_t i = first; i < last; ++i) {
            xr[i][0] = x[3 * i];
            xr[i][1] = x[3 * i + 1];
            xr[i][2] = x[3 * i + 2];
            xr[i][3] = r[i];
        }
    } else if (in->turns == NULL) {
        for (int64_t i = first; i < last; ++i) {
            xr[i][0] = x[2 * i];
            xr[i][1] = x[2 * i + 1];
            xr[i][2] = 0.0;
            xr[i][3] = r[i];
        }
    } else {
        for (int64_t i = first; i < last; ++i) {
            for (int k = 0; k < 3; ++k) {
                double turns = 0.0;
                xr[i][k] = k < dim ? scree_box_wrap(in->box, k, x[i * dim + k], &turns) : 0.0;
                in->turns[i][k] = (int8_t)turns;
            }
            xr[i][3] = r[i];
        }
    }
    return SCREE_OK;
}

void intake_copy(intake* in)
{
    scree_parallel_for(in->threads, block_count(in), copy_block, in, NULL);
}
