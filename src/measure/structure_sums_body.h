// The loop of structure_sums.h. Eight sums side by side, joined in one order: they hide the latency of additions, and their bits do not depend on the width of the machine.
#include "measure/structure_sums.h"

#include <string.h>

typedef double four __attribute__((vector_size(32)));

static inline void load(four* to, const double* from)
{
    memcpy(to, from, sizeof *to);
}

static inline double sum_of(const four both[2])
{
    four one = both[0] + both[1];
    return (one[0] + one[1]) + (one[2] + one[3]);
}

static inline void add_sums(int terms, const double (*cosine)[structure_block], const double (*sine)[structure_block], const double* c, const double* s, double (*sums)[4])
{
    for (int a = 0; a < terms; ++a) {
        four cc[2] = {{0.0}, {0.0}}, ss[2] = {{0.0}, {0.0}}, cs[2] = {{0.0}, {0.0}}, sc[2] = {{0.0}, {0.0}};
        for (int j = 0; j < structure_block; j += 8)
            for (int half = 0; half < 2; ++half) {
                four ca, sa, cb, sb;
                load(&ca, &cosine[a][j + 4 * half]);
                load(&sa, &sine[a][j + 4 * half]);
                load(&cb, c + j + 4 * half);
                load(&sb, s + j + 4 * half);
                cc[half] += ca * cb;
                ss[half] += sa * sb;
                cs[half] += ca * sb;
                sc[half] += sa * cb;
            }
        sums[a][0] += sum_of(cc);
        sums[a][1] += sum_of(ss);
        sums[a][2] += sum_of(cs);
        sums[a][3] += sum_of(sc);
    }
}
