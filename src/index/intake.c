// Both passes go through memory once, at its speed: the loops are plain, branch-free and over whole blocks.
#include "index/intake.h"

#include "base/array.h"
#include "base/parallel.h"
#include "base/wide.h"
#include "index/intake_scan.h"

#include <float.h>
#include <math.h>

enum { block_size = 16384, scan_size = 768, period = intake_period };

struct intake_block {
    double lower[period], upper[period], r_min, r_max;
    double r_sum;
    double first, second;  // squares of the two largest displacements
    bool doubtful, other_radii;
};

static bool any_doubtful(const double* numbers, int64_t count)
{
#if defined(__x86_64__)
    if (scree_has_avx2())
        return intake_doubtful_avx2(numbers, count);
#endif
    return intake_doubtful_body(numbers, count);
}

// Whether any is too large to be a length, or no number.
static bool any_far(const double* numbers, int64_t count)
{
    uint64_t greatest, bad = 0;
    memcpy(&greatest, &(double){SCREE_LENGTH_MAX}, sizeof greatest);
    for (int64_t k = 0; k < count; ++k) {
        uint64_t bits;
        memcpy(&bits, &numbers[k], sizeof bits);
        bad |= (uint64_t)((bits & UINT64_MAX >> 1) > greatest);
    }
    return bad != 0;
}

// Bounds of whole spheres, joined with what is there.
static void bounds_of(const double* x, int64_t numbers, double lower[period], double upper[period])
{
#if defined(__x86_64__)
    if (scree_has_avx2()) {
        intake_bounds_avx2(x, numbers, lower, upper);
        return;
    }
#endif
    intake_bounds_body(x, numbers, lower, upper);
}

// The same for rows of x y z r: four numbers take the place of two or three.
static void scan_given(intake* in, struct intake_block* block, int64_t first, int64_t last)
{
    const double* rows = in->given[first];
    double lower[period], upper[period];
    for (int k = 0; k < period; ++k) {
        lower[k] = INFINITY;
        upper[k] = -INFINITY;
    }
    bounds_of(rows, 4 * (last - first), lower, upper);
    for (int k = 0; k < period; ++k) {  // to where spheres.dim numbers each would stand
        int axis = k % 4;
        if (axis == 3) {
            block->r_min = fmin(block->r_min, lower[k]);
            block->r_max = fmax(block->r_max, upper[k]);
        } else if (axis < in->spheres.dim) {
            block->lower[axis] = fmin(block->lower[axis], lower[k]);
            block->upper[axis] = fmax(block->upper[axis], upper[k]);
        }
    }
    for (int64_t i = first; i < last; ++i)
        block->r_sum += in->given[i][3];
    block->doubtful = any_far(rows, 4 * (last - first));
}

static scree_status scan_block(void* context, int64_t b)
{
    intake* in = context;
    struct intake_block block = {.r_min = INFINITY, .r_max = -INFINITY};
    int dim = in->spheres.dim;
    int64_t first = b * block_size, last = first + block_size < in->spheres.count ? first + block_size : in->spheres.count;
    for (int k = 0; k < period; ++k) {
        block.lower[k] = INFINITY;
        block.upper[k] = -INFINITY;
    }
    if (in->given != NULL) {
        scan_given(in, &block, first, last);
        in->blocks[b] = block;
        return SCREE_OK;
    }
    const double* r = in->spheres.r + first;
    const double* x = in->spheres.x + first * dim;
    int64_t count = last - first;
    for (int64_t from = 0; from < count; from += scan_size) {  // few enough at a time to be read from the first cache again
        int64_t numbers = (count - from < scan_size ? count - from : scan_size) * dim;
        bounds_of(x + from * dim, numbers, block.lower, block.upper);
        block.doubtful = block.doubtful || any_doubtful(x + from * dim, numbers);
    }
    double low[4] = {INFINITY, INFINITY, INFINITY, INFINITY}, high[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int64_t i = 0; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; ++k) {
            low[k] = r[i + k] < low[k] ? r[i + k] : low[k];
            high[k] = r[i + k] > high[k] ? r[i + k] : high[k];
            sum[k] += r[i + k];
        }
    for (int64_t i = count & ~INT64_C(3); i < count; ++i) {
        low[0] = r[i] < low[0] ? r[i] : low[0];
        high[0] = r[i] > high[0] ? r[i] : high[0];
        sum[0] += r[i];
    }
    for (int k = 0; k < 4; ++k) {
        block.r_min = low[k] < block.r_min ? low[k] : block.r_min;
        block.r_max = high[k] > block.r_max ? high[k] : block.r_max;
    }
    block.r_sum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    block.doubtful = block.doubtful || any_doubtful(r, count);
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
    in->r_sum = 0.0;
    in->r_min = INFINITY;
    in->r_max = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        in->lower[k] = INFINITY;
        in->upper[k] = -INFINITY;
    }
    for (int64_t b = 0; b < blocks; ++b) {
        const struct intake_block* block = &in->blocks[b];
        in->doubtful = in->doubtful || block->doubtful;
        in->r_sum += block->r_sum;
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

// ---- Copying -------------------------------------------------------------------------------------------------------
// Some spheres at a time, few enough to stay in the first cache: what they moved, whether their radii are the same, the copy.

enum { part_size = 256 };

typedef struct part {
    intake* in;
    struct intake_block* block;
    int64_t first, count;
} part;

// Squares of the displacements on a straight way; the largest of them comes back. What is no number makes the block doubtful.
static inline double straight(const part* p, double square[part_size])
{
    const double* x = p->in->spheres.x + p->first * p->in->spheres.dim;
    const double* r = p->in->spheres.r + p->first;
    const double (*from)[4] = p->in->against + p->first;
    uint64_t differ = 0;
    if (p->in->spheres.dim == 3) {
        for (int64_t i = 0; i < p->count; ++i) {
            double dx = x[3 * i] - from[i][0], dy = x[3 * i + 1] - from[i][1], dz = x[3 * i + 2] - from[i][2];
            square[i] = dx * dx + dy * dy + dz * dz;
            uint64_t a, b;
            memcpy(&a, &r[i], sizeof a);
            memcpy(&b, &from[i][3], sizeof b);
            differ |= a ^ b;
        }
    } else {
        for (int64_t i = 0; i < p->count; ++i) {
            double dx = x[2 * i] - from[i][0], dy = x[2 * i + 1] - from[i][1];
            square[i] = dx * dx + dy * dy;
            uint64_t a, b;
            memcpy(&a, &r[i], sizeof a);
            memcpy(&b, &from[i][3], sizeof b);
            differ |= a ^ b;
        }
    }
    p->block->other_radii = p->block->other_radii || differ != 0;
    double most[4] = {0.0, 0.0, 0.0, 0.0}, sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int64_t i = p->count; i % 4 != 0; ++i)
        square[i] = 0.0;
    for (int64_t i = 0; i < p->count; i += 4)
        for (int k = 0; k < 4; ++k) {
            most[k] = square[i + k] > most[k] ? square[i + k] : most[k];
            sum[k] += square[i + k];  // only to see whether all are numbers
        }
    double all = sum[0] + sum[1] + sum[2] + sum[3];
    p->block->doubtful = p->block->doubtful || !(all <= DBL_MAX);
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

// Keeps the two largest.
static void keep_largest(struct intake_block* block, double square)
{
    if (square > block->first) {
        block->second = block->first;
        block->first = square;
    } else if (square > block->second) {
        block->second = square;
    }
}

static inline double coordinate(const intake* in, int64_t i, int k)
{
    if (in->given == NULL)
        return in->spheres.x[i * in->spheres.dim + k];
    return fabs(in->given[i][k]) < SCREE_LENGTH_MIN ? 0.0 : in->given[i][k];
}

static inline double radius(const intake* in, int64_t i)
{
    return in->given == NULL ? in->spheres.r[i] : in->given[i][3];
}

// In a tilted box a turn moves other coordinates too: the last axis comes first. Turns are counted as below, and the square of the displacement comes back.
static double wrap_tilted(const part* p, int64_t i, const double length[3], const double tilt[3], double centre[3], intake_turns* f)
{
    intake* in = p->in;
    int dim = in->spheres.dim, on[3] = {0, 0, 0};
    double way[3] = {0.0, 0.0, 0.0}, turns[3] = {0.0, 0.0, 0.0}, square = 0.0;
    for (int k = 0; k < dim; ++k)
        centre[k] = coordinate(in, i, k);
    scree_box_wrap_centre(in->box, centre, turns);
    for (int k = 0; k < dim && in->turns != NULL; ++k)
        in->turns[i][k] = (int8_t)turns[k];
    if (in->against == NULL)
        return 0.0;
    for (int k = 0; k < dim; ++k)
        way[k] = centre[k] - in->against[i][k];
    scree_lattice_shorten(in->box->periodic, length, tilt, dim, way, on);
    for (int k = 0; k < dim; ++k) {
        on[k] += in->against_turns != NULL ? in->against_turns[i][k] : 0;
        square += way[k] * way[k];
        f->on[k] = (int8_t)on[k];
        f->apart[k] = (int8_t)(on[k] - (int)fmax(fmin(turns[k], 60.0), -60.0));
        // Beyond 32 is rejected, by the slow way where a list is followed; so is what could not be counted here.
        p->block->doubtful = p->block->doubtful || fabs(turns[k]) > 32.0 || on[k] > 64 || on[k] < -64;
    }
    return square;
}

// Wrapping, and displacements by the shorter way round. An axis at a time, because most have no turn.
static void wrap_part(const part* p)
{
    intake* in = p->in;
    int dim = in->spheres.dim;
    bool turned = false;
    double length[3], tilt[3];
    scree_lattice_of(in->box, length, tilt);
    bool tilted = scree_lattice_tilted(tilt);
    for (int64_t i = p->first; i < p->first + p->count; ++i) {
        double square = 0.0, centre[3] = {0.0, 0.0, 0.0};
        intake_turns f = {.on = {0}};
        if (tilted)
            square = wrap_tilted(p, i, length, tilt, centre, &f);
        for (int k = 0; k < dim && !tilted; ++k) {
            double turns = 0.0;
            centre[k] = scree_box_wrap(in->box, k, coordinate(in, i, k), &turns);
            if (in->against != NULL) {
                double way = centre[k] - in->against[i][k], side = in->box->upper[k] - in->box->lower[k];
                int on = 0;
                if (in->box->periodic[k]) {
                    on = way > 0.5 * side ? -1 : way < -0.5 * side ? 1 : 0;
                    way += on * side;
                    on += in->against_turns != NULL ? in->against_turns[i][k] : 0;
                }
                square += way * way;
                f.on[k] = (int8_t)on;
                f.apart[k] = (int8_t)(on - (int)fmax(fmin(turns, 60.0), -60.0));  // beyond 32 is rejected
            }
            if (in->turns != NULL)
                in->turns[i][k] = (int8_t)turns;
        }
        if (in->turns != NULL && dim == 2)
            in->turns[i][2] = 0;
        if (in->against != NULL) {
            p->block->other_radii = p->block->other_radii || memcmp(&(double){radius(in, i)}, &in->against[i][3], sizeof(double)) != 0;
            keep_largest(p->block, square);
            p->block->doubtful = p->block->doubtful || !(square <= DBL_MAX);
        }
        if (in->followed != NULL) {
            static const intake_turns none;
            in->followed[i] = f;
            turned = turned || memcmp(&f, &none, sizeof f) != 0;
        }
        for (int k = 0; k < 3; ++k)
            in->xr[i][k] = centre[k];
        in->xr[i][3] = radius(in, i);
    }
    if (in->followed != NULL)
        memset(in->turned + p->first / intake_few, turned, (size_t)(p->count + intake_few - 1) / intake_few);
}

static void plain_part(const part* p)
{
    const intake* in = p->in;
    const double* x = in->spheres.x;
    const double* r = in->spheres.r;
    double (*xr)[4] = in->xr;
    if (in->given != NULL) {
        for (int64_t i = p->first; i < p->first + p->count; ++i) {
            for (int k = 0; k < 3; ++k)
                xr[i][k] = k < in->spheres.dim ? coordinate(in, i, k) : 0.0;
            xr[i][3] = in->given[i][3];
        }
    } else if (in->spheres.dim == 3) {
        for (int64_t i = p->first; i < p->first + p->count; ++i) {
            xr[i][0] = x[3 * i];
            xr[i][1] = x[3 * i + 1];
            xr[i][2] = x[3 * i + 2];
            xr[i][3] = r[i];
        }
    } else {
        for (int64_t i = p->first; i < p->first + p->count; ++i) {
            xr[i][0] = x[2 * i];
            xr[i][1] = x[2 * i + 1];
            xr[i][2] = 0.0;
            xr[i][3] = r[i];
        }
    }
    if (in->followed != NULL) {
        memset(in->followed + p->first, 0, (size_t)p->count * sizeof *in->followed);
        memset(in->turned + p->first / intake_few, 0, (size_t)(p->count + intake_few - 1) / intake_few);
    }
}

static bool turned_before(const part* p)
{
    uint8_t any = 0;
    const int8_t* turns = p->in->against_turns == NULL ? NULL : p->in->against_turns[p->first];
    for (int64_t k = 0; k < 3 * p->count && turns != NULL; ++k)
        any |= (uint8_t)turns[k];
    return any != 0;
}

// `wrap`: some centre of the part may be outside the box.
static void copy_part(const part* p, bool wrap)
{
    const intake* in = p->in;
    if (!wrap && !turned_before(p)) {
        double square[part_size], most = 0.0;
        if (in->against != NULL)
            most = straight(p, square);
        // A way longer than a third of a box may have a shorter one round it.
        bool round = false;
        for (int k = 0; k < in->spheres.dim; ++k)
            round = round || (in->box->periodic[k] && !(sqrt(most) < (in->box->upper[k] - in->box->lower[k]) / 3.0));
        if (!round) {
            if (most > p->block->second)
                for (int64_t i = 0; i < p->count; ++i)
                    keep_largest(p->block, square[i]);
            plain_part(p);
            return;
        }
    }
    wrap_part(p);
}

static scree_status copy_block(void* context, int64_t b)
{
    intake* in = context;
    struct intake_block* block = &in->blocks[b];
    block->first = block->second = 0.0;
    block->other_radii = false;
    int64_t last = (b + 1) * block_size < in->spheres.count ? (b + 1) * block_size : in->spheres.count;
    for (int64_t first = b * block_size; first < last; first += part_size) {
        part p = {.in = in, .block = block, .first = first, .count = last - first < part_size ? last - first : part_size};
        copy_part(&p, in->turns != NULL);
    }
    return SCREE_OK;
}

// What the blocks saw, joined in order.
static void join_moves(intake* in)
{
    in->same_radii = in->against != NULL;
    struct intake_block both = {.first = 0.0};
    for (int64_t b = 0; b < block_count(in); ++b) {
        const struct intake_block* block = &in->blocks[b];
        in->same_radii = in->same_radii && !block->other_radii;
        keep_largest(&both, block->first);
        keep_largest(&both, block->second);
    }
    in->moved = sqrt(both.first) + sqrt(both.second);
}

void intake_copy(intake* in)
{
    scree_parallel_for(in->threads, block_count(in), copy_block, in, NULL);
    join_moves(in);
}

// ---- Following -----------------------------------------------------------------------------------------------------

// Whether some number is too small to be a length and not 0. (Too large or none shows in the displacement.)
static bool any_tiny(const double* numbers, int64_t count)
{
    uint64_t bad = 0;
    for (int64_t k = 0; k < count; ++k)
        bad |= (uint64_t)((fabs(numbers[k]) < SCREE_LENGTH_MIN) & (numbers[k] != 0.0));
    return bad != 0;
}

// Few spheres stand at periodic faces at a time, and they are slow to follow: a part that has some is cut into small ones.
static void follow_part(const part* p)
{
    intake* in = p->in;
    struct intake_block* block = p->block;
    int dim = in->spheres.dim;
    double lower[period], upper[period];
    const double* x = in->spheres.x + p->first * dim;
    for (int k = 0; k < period; ++k) {
        lower[k] = INFINITY;
        upper[k] = -INFINITY;
    }
    bounds_of(x, p->count * dim, lower, upper);
    bool wrap = false, around = false;
    for (int k = 0; k < period; ++k) {
        double low = in->box->lower[k % dim], high = in->box->upper[k % dim];
        bool out = lower[k] < low || upper[k] > high;
        if (in->box->periodic[k % dim]) {
            wrap = wrap || out || upper[k] >= high;  // the upper face itself is wrapped
            // Too many turns are for the slow way to reject.
            double far = 30.0 * (high - low);
            block->doubtful = block->doubtful || lower[k] < low - far || upper[k] > high + far;
        } else {
            block->doubtful = block->doubtful || out;
        }
        around = around || (lower[k] < SCREE_LENGTH_MIN && upper[k] > -SCREE_LENGTH_MIN);  // only what stands around 0 can be tiny
    }
    block->doubtful = block->doubtful || (around && any_tiny(x, p->count * dim));
    if (block->doubtful)
        return;
    if (p->count <= intake_few || !(wrap || turned_before(p))) {
        copy_part(p, wrap);
        return;
    }
    for (int64_t first = p->first; first < p->first + p->count; first += intake_few) {
        int64_t left = p->first + p->count - first;
        follow_part(&(part){.in = in, .block = block, .first = first, .count = left < intake_few ? left : intake_few});
    }
}

static scree_status follow_block(void* context, int64_t b)
{
    intake* in = context;
    struct intake_block* block = &in->blocks[b];
    *block = (struct intake_block){.doubtful = false};
    int64_t last = (b + 1) * block_size < in->spheres.count ? (b + 1) * block_size : in->spheres.count;
    for (int64_t first = b * block_size; first < last && !block->doubtful; first += part_size)
        follow_part(&(part){.in = in, .block = block, .first = first, .count = last - first < part_size ? last - first : part_size});
    return SCREE_OK;
}

bool intake_follow(intake* in)
{
    in->turns = NULL;
    scree_parallel_for(in->threads, block_count(in), follow_block, in, NULL);
    bool doubtful = false;
    for (int64_t b = 0; b < block_count(in); ++b)
        doubtful = doubtful || in->blocks[b].doubtful;
    join_moves(in);
    return !doubtful && in->same_radii;
}

size_t intake_bytes(const intake* in)
{
    return (size_t)in->block_capacity * sizeof *in->blocks;
}
