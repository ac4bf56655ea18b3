// The sums of the structure factor for machines with AVX2.
#include "measure/structure_sums_body.h"

void structure_sums_avx2(int terms, const double (*cosine)[structure_block], const double (*sine)[structure_block], const double* c, const double* s, double (*sums)[4])
{
    add_sums(terms, cosine, sine, c, s, sums);
}
