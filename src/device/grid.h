// The grid of a search: levels by size, each with its own cells over the box. A sphere belongs to the first level whose cells are large enough, in the cell of its centre. A brick is 4 x 4 x 4 cells; a dense
// directory holds for each brick the mask of its occupied cells and the index of the first of them. Spheres are sorted by key (brick, then cell in the brick), so that a row of up to four cells is one
// range of memory, found by two population counts and two reads.
//
// The search is by distance: a sphere looks at all cells within reach of its centre, on its own level and on the coarser ones. The choice of cells affects only the time, never which pairs are found.
// The cell of a sphere is computed in doubles, the cells within reach mostly in floats, with a margin for their rounding (blur).
// Along periodic axes the numbering of cells continues beyond the box, and each repetition of the box is an image. In tilted boxes the rows of images are shifted against each other (geom/lattice.h).
#ifndef SCREE_DEVICE_GRID_H
#define SCREE_DEVICE_GRID_H

#include "device/lane.h"

enum { grid_levels_most = 24 };

typedef struct grid_level {
    double r_most;        // the largest radius on this level
    float near;           // the same as a float (plan.scale), with a margin for rounding
    float per_length[3];  // cells per scaled length
    int32_t cells[3];
    double inverse[3];    // cells per length
    int32_t supers[3];    // boxes of up to 8 bricks along each axis
    int32_t bits[3];      // and how many bricks those have: powers of two
    uint32_t base;        // its first place in the directory
} grid_level;

typedef struct grid_plan {
    int32_t levels;
    int32_t dim;
    bool wraps;           // some axis is periodic
    bool periodic[3];
    double lower[3];
    double length[3];     // of periodic axes
    bool tilted;
    double tilt[3];       // xy, xz, yz
    double reach;         // pairs with a smaller gap are found
    double margin[3];     // for roundings of centres
    double scale;         // of lengths as floats: a power of two, so that their squares are in range; 1 if no scaling is needed
    float blur;           // the margin for floats
    uint32_t bricks;      // of all levels
    grid_level at[grid_levels_most];
} grid_plan;

LANE int32_t grid_level_of(const grid_plan* plan, double r)
{
    int32_t l = 0;
    while (l < plan->levels - 1 && r > plan->at[l].r_most)
        ++l;
    return l;
}

// How many boxes a centre is away, and where it is from the lower corner then.
LANE int32_t grid_turn(const grid_plan* plan, int k, double x, double* from)
{
    double d = x - plan->lower[k], turn = 0.0;
    if (plan->periodic[k]) {
        turn = floor(d / plan->length[k]);
        d -= turn * plan->length[k];
    }
    *from = d;
    return (int32_t)turn;
}

// The same for all axes, the last one first: a turn along it moves a tilted box along those before.
LANE void grid_place(const grid_plan* plan, const double x[3], double from[3], int32_t turn[3])
{
    double at[3] = {x[0], x[1], x[2]};
    for (int k = 2; k >= 0; --k) {
        turn[k] = grid_turn(plan, k, at[k], &from[k]);
        for (int m = 0; m < k && plan->tilted; ++m)
            at[m] -= turn[k] * plan->tilt[m + k - 1];
    }
}

// The largest number of boxes that a centre is away along any axis.
LANE double grid_most_turns(const grid_plan* plan, const double x[3])
{
    double at[3] = {x[0], x[1], x[2]}, most = 0.0;
    for (int k = 2; k >= 0; --k) {
        if (!plan->periodic[k])
            continue;
        const double turn = floor((at[k] - plan->lower[k]) / plan->length[k]);
        most = fabs(turn) <= most ? most : fabs(turn);  // what is no number stays
        for (int m = 0; m < k && plan->tilted; ++m)
            at[m] -= turn * plan->tilt[m + k - 1];
    }
    return most;
}

// Where an image is (scree_lattice_offset).
LANE void grid_offset(const grid_plan* plan, const int32_t shift[3], double offset[3])
{
    for (int k = 0; k < 3; ++k)
        offset[k] = shift[k] * plan->length[k];
    if (plan->tilted) {
        offset[0] = (offset[0] + shift[1] * plan->tilt[0]) + shift[2] * plan->tilt[1];
        offset[1] += shift[2] * plan->tilt[2];
    }
}

LANE int32_t grid_clamp(int32_t c, int32_t cells)
{
    return c < 0 ? 0 : c >= cells ? cells - 1 : c;
}

LANE int32_t grid_cell(const grid_level* level, int k, double from)
{
    return grid_clamp(lane_floor(from * level->inverse[k]), level->cells[k]);
}

// The same in single precision, of a scaled length; callers add a margin.
LANE int32_t grid_cell_near(const grid_level* level, int k, float from)
{
    return grid_clamp(lane_floor_float(from * level->per_length[k]), level->cells[k]);
}

// The number of a brick is the sum of a part for each axis, so that loops over cells compute most of it outside.
LANE uint32_t grid_brick_along(const grid_level* level, int k, int32_t at)
{
    const int32_t* b = level->bits;
    const int32_t supers = k == 0 ? 1 : k == 1 ? level->supers[0] : level->supers[0] * level->supers[1], below = k == 0 ? 0 : k == 1 ? b[0] : b[0] + b[1];
    return ((uint32_t)((at >> b[k]) * supers) << (b[0] + b[1] + b[2])) + ((uint32_t)(at & ((1 << b[k]) - 1)) << below);
}

LANE uint32_t grid_key(const grid_level* level, const int32_t cell[3])
{
    uint32_t brick = level->base;
    for (int k = 0; k < 3; ++k)
        brick += grid_brick_along(level, k, cell[k] >> 2);
    return brick << 6 | (uint32_t)((cell[0] & 3) | (cell[1] & 3) << 2 | (cell[2] & 3) << 4);
}

// Images as one number that has their order.
LANE uint32_t shift_pack(int32_t x, int32_t y, int32_t z)
{
    return (uint32_t)(x + 128) << 16 | (uint32_t)(y + 128) << 8 | (uint32_t)(z + 128);
}

LANE void shift_unpack(uint32_t packed, int8_t out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (int8_t)((int32_t)(packed >> (16 - 8 * k) & 255) - 128);
}

LANE uint32_t shift_opposite(uint32_t packed)
{
    int8_t s[3];
    shift_unpack(packed, s);
    return shift_pack(-s[0], -s[1], -s[2]);
}

enum { shift_none = 128 << 16 | 128 << 8 | 128 };

#endif
