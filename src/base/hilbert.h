// Hilbert keys: numbers of cells along a curve that goes from each cell to one beside it, so that a run of keys is a compact set of cells. It costs a few times what a Morton key costs.
#ifndef SCREE_BASE_HILBERT_H
#define SCREE_BASE_HILBERT_H

#include <stdint.h>

// Of cells with `bits` bits on each axis: up to 21 in 3D, 31 in 2D.
uint64_t scree_hilbert_key(int dim, int bits, const uint64_t cell[3]);

#endif
