// The sums over spheres that the structure factor consists of: one source, compiled for every machine and for AVX2, with the same bits.
#ifndef SCREE_MEASURE_STRUCTURE_SUMS_H
#define SCREE_MEASURE_STRUCTURE_SUMS_H

enum { structure_block = 64 };  // spheres; the tables of a block fit the second cache

// Adds to sums[a][0..3], for a = 0 to terms - 1, the sums over a block of cos(a) c, sin(a) s, cos(a) s and sin(a) c, where cos[a] and sin[a] are rows of a table and
// c, s are the phase of the other axes.
void structure_sums_plain(int terms, const double (*cosine)[structure_block], const double (*sine)[structure_block], const double* c, const double* s, double (*sums)[4]);
void structure_sums_avx2(int terms, const double (*cosine)[structure_block], const double (*sine)[structure_block], const double* c, const double* s, double (*sums)[4]);

#endif
