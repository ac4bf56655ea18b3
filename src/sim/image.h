// Images in the periodic cell of a simulation: where they are, and how they move.
#ifndef SCREE_SIM_IMAGE_H
#define SCREE_SIM_IMAGE_H

#include "base/both.h"

#include <stdbool.h>
#include <stdint.h>

// The periodic cell: an image lies at x + H shift. Sides along the axes have H diagonal.
typedef struct sim_cell {
    double h[3][3];
    bool sheared;  // H has other entries than its diagonal
    bool moves;    // some of `rate` is not 0
    double rate[3][3];  // dH/dt: an image has the velocity v + rate shift
} sim_cell;

SCREE_BOTH void cell_velocity(const sim_cell* cell, const int8_t shift[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = (shift[0] * cell->rate[k][0] + shift[1] * cell->rate[k][1]) + shift[2] * cell->rate[k][2];
}

SCREE_BOTH void cell_offset(const sim_cell* cell, const int8_t shift[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = shift[k] * cell->h[k][k];
    if (cell->sheared)
        for (int k = 0; k < 3; ++k)
            out[k] = (shift[0] * cell->h[k][0] + shift[1] * cell->h[k][1]) + shift[2] * cell->h[k][2];
}

#endif
