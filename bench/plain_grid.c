// The plain grid: its buffers, and the choice between its two compilations.
#define PLAIN_SEARCH plain_grid_search_any
#include "plain_grid_body.h"

plain_grid* plain_grid_create(void)
{
    return scree_calloc(1, sizeof(plain_grid));
}

void plain_grid_destroy(plain_grid* grid)
{
    if (grid == NULL)
        return;
    scree_free(grid->start);
    scree_free(grid->cell);
    scree_free(grid->octave);
    scree_free(grid->at);
    scree_free(grid->id);
    scree_free(grid->pairs);
    scree_free(grid);
}

static bool reserve(plain_grid* grid, int64_t n)
{
    if (n <= grid->sphere_room)
        return true;
    scree_free(grid->cell);
    scree_free(grid->octave);
    scree_free(grid->at);
    scree_free(grid->id);
    grid->cell = scree_malloc((size_t)n, sizeof *grid->cell);
    grid->octave = scree_malloc((size_t)n, sizeof *grid->octave);
    grid->at = scree_malloc((size_t)n, sizeof *grid->at);
    grid->id = scree_malloc((size_t)n, sizeof *grid->id);
    bool fine = grid->cell != NULL && grid->octave != NULL && grid->at != NULL && grid->id != NULL;
    grid->sphere_room = fine ? n : 0;
    return fine;
}

int64_t plain_grid_pairs(plain_grid* grid, scree_spheres spheres, int64_t* tests)
{
    *tests = 0;
    if (spheres.count == 0)
        return 0;
    if (!reserve(grid, spheres.count))
        return -1;
#if defined(__x86_64__)
    bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    int64_t count = wide ? plain_grid_search_v3(grid, spheres) : plain_grid_search_any(grid, spheres);
#else
    int64_t count = plain_grid_search_any(grid, spheres);
#endif
    *tests = grid->tests;
    return count;
}

const int32_t (*plain_grid_found(const plain_grid* grid))[2]
{
    return (const int32_t(*)[2])grid->pairs;
}

size_t plain_grid_bytes(const plain_grid* grid)
{
    return sizeof *grid + (size_t)grid->start_room * sizeof *grid->start + (size_t)grid->pair_room * sizeof *grid->pairs +
           (size_t)grid->sphere_room * (sizeof *grid->cell + sizeof *grid->octave + sizeof *grid->at + sizeof *grid->id);
}
