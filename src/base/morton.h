// Morton keys: the bits of a cell's numbers, interleaved, so that cells near each other mostly have keys near each other, and
// leading bits are the cells of coarser grids.
#ifndef SCREE_BASE_MORTON_H
#define SCREE_BASE_MORTON_H

#include "base/both.h"

#include <stdint.h>

SCREE_BOTH uint64_t scree_morton_spread_3(uint64_t bits)  // two zeros after each of 21 bits
{
    bits = (bits | bits << 32) & 0x001f00000000ffff;
    bits = (bits | bits << 16) & 0x001f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

SCREE_BOTH uint64_t scree_morton_spread_2(uint64_t bits)  // a zero after each of 32 bits
{
    bits = (bits | bits << 16) & 0x0000ffff0000ffff;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
}

// Of at most 21 bits per axis in 3D, 32 in 2D.
SCREE_BOTH uint64_t scree_morton_key(int dim, const uint64_t cell[3])
{
    if (dim == 2)
        return scree_morton_spread_2(cell[0]) | scree_morton_spread_2(cell[1]) << 1;
    return scree_morton_spread_3(cell[0]) | scree_morton_spread_3(cell[1]) << 1 | scree_morton_spread_3(cell[2]) << 2;
}

#endif
