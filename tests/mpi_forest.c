// Under mpirun: p4est finds the ranks that the plain forest finds, for random markers and balls, and begins each rank where the plain forest of as many ranks in one process begins it, for the same weights.
// With one process there is nothing to find.
#include "par/forest.h"

#include "scree/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ball_count = 1500, rounds = 40, load_most = 600 };

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

// Spheres of one rank, which they need not be near: keys, rising, some of them the same, and the sums of their weights.
static void make_load(scree_rng* rng, const par_forest* forest, forest_load* out)
{
    uint64_t* key = malloc((load_most + 1) * sizeof *key);
    int64_t* weight = malloc((load_most + 1) * sizeof *weight);
    int count = scree_rng_uniform(rng) < 0.2 ? 0 : (int)(load_most * scree_rng_uniform(rng));
    double narrow = scree_rng_uniform(rng);
    for (int i = 0; i < count; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = forest->side * (i % 3 == 0 ? narrow * scree_rng_uniform(rng) : scree_rng_uniform(rng));
        key[i] = i % 50 == 1 ? key[i - 1] : forest_key(forest, x);
    }
    qsort(key, (size_t)count, sizeof *key, by_number);
    weight[0] = 0;
    for (int i = 0; i < count; ++i)
        weight[i + 1] = weight[i] + 10 + (int64_t)(100.0 * scree_rng_uniform(rng));
    *out = (forest_load){.count = count, .key = key, .weight = weight};
}

// Cuts by weight: the tree of p4est is cut by the loads of all processes, and p4est itself is asked where ranks begin (forest_p8est.c compares that with the markers); the plain forest by the same loads on ranks that are all in
// this process.
static scree_status compare_cuts(scree_par* par, uint64_t seed, par_forest* plain, par_forest* tree)
{
    scree_par* alone;
    forest_load* loads = calloc((size_t)par->ranks, sizeof *loads);
    scree_status status = loads == NULL ? SCREE_ERR_MEMORY : par_alone(par->ranks, &alone);
    for (int32_t p = 0; p < par->ranks && status == SCREE_OK; ++p) {
        scree_rng rng = scree_rng_make(seed, 1000 + (uint64_t)p);
        make_load(&rng, plain, &loads[p]);
    }
    if (status == SCREE_OK)
        status = forest_cut(plain, alone, loads);
    if (status == SCREE_OK)
        status = forest_cut(tree, par, &loads[par->first]);
    if (status == SCREE_OK && memcmp(plain->marker, tree->marker, ((size_t)par->ranks + 1) * sizeof *plain->marker) != 0)
        status = scree_fail(SCREE_ERR_ARGUMENT, "seed %d: other markers for the same weights", (int)seed);
    for (int32_t p = 0; p < par->ranks && loads != NULL; ++p) {
        free((void*)(uintptr_t)loads[p].key);
        free((void*)(uintptr_t)loads[p].weight);
    }
    free(loads);
    par_close(alone);
    return status;
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
    for (uint64_t cut = 0; cut < 8 && status == SCREE_OK; ++cut)
        status = compare_cuts(par, 100 * seed + cut, &plain, &tree);
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
