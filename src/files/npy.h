// How a .npy file begins, for all who write one: \x93NUMPY, version, length of the header, the header.
#ifndef SCREE_FILES_NPY_H
#define SCREE_FILES_NPY_H

#include <stdint.h>

// Magic, version `major`.0 and the length of the header: a Python dict of `text` bytes, *blanks blanks and a line end, so that the data begins at a
// multiple of 64 bytes. Returns the bytes used of `begin`: 10 for version 1.0, 12 for later ones.
int scree_npy_begin(char begin[12], int major, int64_t text, int* blanks);

#endif
