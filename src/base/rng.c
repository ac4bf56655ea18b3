// Philox4x32-10: ten rounds of multiply, swap and xor turn a counter into four random words. There is no state to
// warm up and none to share: any thread can make the k-th number of any stream at once.
// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11.
#include "scree/base.h"

#include "base/argument.h"

static void philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; ++round) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

scree_rng scree_rng_make(uint64_t seed, uint64_t stream)
{
    return (scree_rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                       .counter = {0, 0, (uint32_t)stream, (uint32_t)(stream >> 32)}};
}

uint64_t scree_rng_bits(scree_rng* rng)
{
    SCREE_NEED_OR(rng, 0);
    if (rng->left == 0) {
        philox(rng->key, rng->counter, rng->block);
        rng->left = 4;
        if (++rng->counter[0] == 0)
            ++rng->counter[1];
    }
    const uint32_t* word = rng->block + 4 - rng->left;
    rng->left -= 2;
    return (uint64_t)word[1] << 32 | word[0];
}

double scree_rng_uniform(scree_rng* rng)
{
    return (double)(scree_rng_bits(rng) >> 11) * 0x1p-53;
}

uint64_t scree_rng_below(scree_rng* rng, uint64_t n)
{
    SCREE_NEED_OR(rng, 0);
    if (n == 0)
        return 0;
    // Numbers below 2^64 mod n would come once too often: draw again (never more than every other time).
    uint64_t surplus = (0 - n) % n;
    uint64_t bits;
    do
        bits = scree_rng_bits(rng);
    while (bits < surplus);
    return bits % n;
}
