// Under mpirun: p4est finds the ranks that the plain forest finds, for random markers and balls, and begins each rank where the plain forest of as many ranks in one process begins it, for the same weights.
// With one process there is nothing to find.
//
// A second judge does not know our cuts: p4est refines a tree of its own to leaves with one sphere each and partitions it by their weights. p4est begins a rank at the first leaf with at least its share of the weight before it,
// our forest at the last one with at most its share. Where a share ends between two spheres both are the same; where it ends within a sphere, this sphere is with the rank before by p4est, and with the next one by ours.
#include "par/forest.h"

#include "scree/base.h"

#include <p8est_bits.h>
#include <p8est_extended.h>
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

// ---- p4est's own partition -------------------------------------------------------------------------------------------

typedef struct weighted {
    uint64_t key;
    int64_t weight;        // then the sum of those before
} weighted;

typedef struct leaves {
    int64_t count;
    weighted* of;          // by key, each key once, and one behind the last with the sum of all
} leaves;

static int by_key(const void* a, const void* b)
{
    const weighted *s = a, *t = b;
    return (s->key > t->key) - (s->key < t->key);
}

// The spheres of all ranks. `even`: all have the same weight and their number is a multiple of the ranks, so that every share ends between two of them.
static scree_status make_leaves(int32_t ranks, const forest_load* loads, bool even, leaves* out)
{
    int64_t n = 0, count = 0, sum = 0;
    weighted* all = malloc(((size_t)ranks * load_most + 1) * sizeof *all);
    if (all == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t p = 0; p < ranks; ++p)
        for (int64_t e = 0; e < loads[p].count; ++e)
            all[n++] = (weighted){loads[p].key[e], loads[p].weight[e + 1] - loads[p].weight[e]};
    qsort(all, (size_t)n, sizeof *all, by_key);
    for (int64_t e = 0; e < n; ++e) {
        if (count > 0 && all[count - 1].key == all[e].key)
            all[count - 1].weight += all[e].weight;
        else
            all[count++] = all[e];
    }
    count = even ? count / ranks * ranks : count;
    for (int64_t e = 0; e < count; ++e) {
        int64_t weight = even ? 7 : all[e].weight;
        all[e].weight = sum;
        sum += weight;
    }
    all[count] = (weighted){forest_end, sum};
    *out = (leaves){.count = count, .of = all};
    return SCREE_OK;
}

// The first of these whose key is not below.
static int64_t first_at(const leaves* l, uint64_t key)
{
    int64_t low = 0, high = l->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (l->of[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void spheres_of(const p8est_t* p8est, const p8est_quadrant_t* q, int64_t out[2])
{
    const uint64_t first = p8est_quadrant_linear_id(q, forest_level);
    out[0] = first_at(p8est->user_pointer, first);
    out[1] = first_at(p8est->user_pointer, first + ((uint64_t)1 << 3 * (forest_level - q->level)));
}

static int has_several(p8est_t* p8est, p4est_topidx_t which, p8est_quadrant_t* q)
{
    int64_t range[2];
    (void)which;
    spheres_of(p8est, q, range);
    return range[1] - range[0] > 1;
}

static int weight_of(p8est_t* p8est, p4est_topidx_t which, p8est_quadrant_t* q)
{
    const leaves* l = p8est->user_pointer;
    int64_t range[2];
    (void)which;
    spheres_of(p8est, q, range);
    return (int)(l->of[range[1]].weight - l->of[range[0]].weight);
}

// *moved: spheres that p4est has with the rank before.
static scree_status judge(scree_par* par, const leaves* l, const par_forest* ours, bool even, int64_t* moved)
{
    scree_status status = SCREE_OK;
    p8est_connectivity_t* cube = p8est_connectivity_new_unitcube();
    p8est_t* p8est = p8est_new_ext(sc_MPI_COMM_WORLD, cube, 0, 0, 1, 0, NULL, (void*)(uintptr_t)l);
    p8est_refine_ext(p8est, 1, forest_level, has_several, NULL, NULL);
    p8est_partition_ext(p8est, 0, weight_of);
    for (int32_t p = 1; p < par->ranks && status == SCREE_OK; ++p) {
        const p8est_quadrant_t* q = &p8est->global_first_position[p];
        const int64_t theirs = first_at(l, q->p.which_tree >= 1 ? forest_end : p8est_quadrant_linear_id(q, forest_level)), own = first_at(l, ours->marker[p]);
        const int64_t share = (int64_t)((double)l->of[l->count].weight * p / par->ranks);
        const bool ends_between = l->of[theirs].weight == share;
        if (l->of[own].weight > share || l->of[theirs].weight < share || theirs - own != (ends_between ? 0 : 1) || (even && !ends_between))
            status = scree_fail(SCREE_ERR_ARGUMENT, "rank %d of %d begins with sphere %lld (weight %lld before it); p4est begins it with sphere %lld (%lld), its share ends at %lld", (int)p, (int)par->ranks, (long long)own,
                                (long long)l->of[own].weight, (long long)theirs, (long long)l->of[theirs].weight, (long long)share);
        *moved += theirs - own;
    }
    p8est_destroy(p8est);
    p8est_connectivity_destroy(cube);
    return status;
}

// Cuts of the plain forest, which all processes make alike, against p4est's.
static scree_status compare_with_p4est(scree_par* par, uint64_t seed, bool even, par_forest* plain, int64_t* moved)
{
    scree_par* alone = NULL;
    leaves l = {.count = 0};
    forest_load* loads = calloc((size_t)par->ranks, sizeof *loads);
    scree_status status = loads == NULL ? SCREE_ERR_MEMORY : par_alone(1, &alone);
    for (int32_t p = 0; p < par->ranks && status == SCREE_OK; ++p) {
        scree_rng rng = scree_rng_make(seed, 2000 + (uint64_t)p);
        make_load(&rng, plain, &loads[p]);
    }
    if (status == SCREE_OK)
        status = make_leaves(par->ranks, loads, even, &l);
    uint64_t* key = malloc(((size_t)l.count + 1) * sizeof *key);
    int64_t* weight = malloc(((size_t)l.count + 1) * sizeof *weight);
    for (int64_t e = 0; e <= l.count && status == SCREE_OK; ++e) {
        key[e] = l.of[e].key;
        weight[e] = l.of[e].weight;
    }
    if (status == SCREE_OK)
        status = forest_cut(plain, alone, &(const forest_load){.count = l.count, .key = key, .weight = weight});
    if (status == SCREE_OK)
        status = judge(par, &l, plain, even, moved);
    for (int32_t p = 0; p < par->ranks && loads != NULL; ++p) {
        free((void*)(uintptr_t)loads[p].key);
        free((void*)(uintptr_t)loads[p].weight);
    }
    free(loads);
    free(l.of);
    free(key);
    free(weight);
    par_close(alone);
    return par_agree(par, status);
}

static scree_status compare(scree_par* par, uint64_t seed, int64_t* met, int64_t moved[2])
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
    for (uint64_t cut = 0; cut < 8 && status == SCREE_OK; ++cut)
        status = compare_with_p4est(par, 100 * seed + cut, cut % 4 == 0, &plain, &moved[cut % 4 == 0]);
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
    int64_t met = 0, moved[2] = {0, 0};  // by other weights, and by even ones
    scree_status status = par_mpi(&par);
    for (uint64_t seed = 1; seed <= rounds / 4 && status == SCREE_OK; ++seed)
        status = compare(par, seed, &met, moved);
    if (status == SCREE_OK)
        status = par_sum(par, &met, 1);
    if (par->first == 0 && status != SCREE_OK)
        printf("FAILED: %s\n", scree_error_message());
    if (par->first == 0 && status == SCREE_OK)
        printf("%d ranks: %lld hits, the same by both; of %d cuts by p4est %lld are one sphere after ours, with even weights %lld\n", (int)par->ranks, (long long)met, 2 * rounds * (int)(par->ranks - 1), (long long)moved[0],
               (long long)moved[1]);
    bool empty = par->ranks > 1 && (met == 0 || moved[0] == 0 || moved[1] != 0);
    par_close(par);
    return status == SCREE_OK && !empty ? 0 : 1;
}
