// Under mpirun: p4est finds the ranks that the plain forest finds, for random markers and balls. With one process there is nothing to find.
#include "par/forest.h"

#include "scree/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ball_count = 1500, rounds = 40 };

static int by_number(const void* a, const void* b)
{
    uint64_t s = *(const uint64_t*)a, t = *(const uint64_t*)b;
    return (s > t) - (s < t);
}

// Keys at random, some of them coarse and some the same: the same on all ranks.
static void make_markers(scree_rng* rng, int32_t ranks, uint64_t* out)
{
    for (int32_t p = 0; p + 1 < ranks; ++p) {
        int bits = (int)(scree_rng_uniform(rng) * 54.0);
        out[p] = (uint64_t)(scree_rng_uniform(rng) * (double)forest_end) >> bits << bits;
        if (p > 0 && scree_rng_uniform(rng) < 0.25)
            out[p] = out[p - 1];
    }
    qsort(out, (size_t)ranks - 1, sizeof *out, by_number);
}

static scree_status compare(scree_par* par, uint64_t seed, int64_t* met)
{
    par_forest plain, tree;
    forest_hits found = {0}, wanted = {0};
    scree_rng rng = scree_rng_make(seed, 1), own = scree_rng_make(seed, 2 + (uint64_t)par->first);
    uint64_t* markers = malloc((size_t)par->ranks * sizeof *markers);
    static forest_ball balls[ball_count];
    scree_box box = scree_box_sized(seed % 3 == 0 ? 2 : 3, (const double[3]){10.0, 7.0, 3.0});
    double sides[3][2] = {{0.0, 10.0}, {0.0, 7.0}, {0.0, 3.0}};
    for (int k = 0; k < box.dim; ++k)
        box.periodic[k] = (seed >> k & 1) != 0;
    scree_status status = forest_open(par->ranks, &plain) != SCREE_OK || forest_open(par->ranks, &tree) != SCREE_OK ? SCREE_ERR_MEMORY : SCREE_OK;
    forest_lay(&plain, &box, (const double(*)[2])sides);
    forest_lay(&tree, &box, (const double(*)[2])sides);
    if (status == SCREE_OK)
        status = forest_use_p8est(&tree, par);
    for (int round = 0; round < 4 && status == SCREE_OK; ++round) {
        make_markers(&rng, par->ranks, markers);
        status = forest_cut_at(&plain, markers);
        if (status == SCREE_OK)
            status = forest_cut_at(&tree, markers);
        for (int b = 0; b < ball_count; ++b) {
            for (int k = 0; k < 3; ++k)
                balls[b].x[k] = k < box.dim ? (1.4 * scree_rng_uniform(&own) - 0.2) * sides[k][1] : 0.0;
            balls[b].reach = scree_rng_uniform(&own) < 0.1 ? 4.0 * scree_rng_uniform(&own) : 0.3 * scree_rng_uniform(&own);
        }
        if (status == SCREE_OK)
            status = forest_meet(&plain, par->first, ball_count, balls, &wanted);
        if (status == SCREE_OK)
            status = forest_meet(&tree, par->first, ball_count, balls, &found);
        if (status == SCREE_OK && (found.count != wanted.count || memcmp(found.hit, wanted.hit, (size_t)found.count * sizeof *found.hit) != 0))
            status = scree_fail(SCREE_ERR_ARGUMENT, "seed %d, round %d: p4est finds %lld, the plain forest %lld", (int)seed, round, (long long)found.count, (long long)wanted.count);
        *met += wanted.count;
    }
    scree_free(found.hit);
    scree_free(wanted.hit);
    forest_close(&plain);
    forest_close(&tree);
    free(markers);
    return par_agree(par, status);
}

int main(void)
{
    scree_par* par;
    int64_t met = 0;
    scree_status status = par_mpi(&par);
    for (uint64_t seed = 1; seed <= rounds / 4 && status == SCREE_OK; ++seed)
        status = compare(par, seed, &met);
    if (status == SCREE_OK)
        status = par_sum(par, &met, 1);
    if (par->first == 0 && status != SCREE_OK)
        printf("FAILED: %s\n", scree_error_message());
    if (par->first == 0 && status == SCREE_OK)
        printf("%d ranks: %lld hits, the same by both\n", (int)par->ranks, (long long)met);
    bool empty = par->ranks > 1 && met == 0;
    par_close(par);
    return status == SCREE_OK && !empty ? 0 : 1;
}
