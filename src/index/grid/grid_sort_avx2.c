// The first two passes of the sort (grid.c) with AVX2: the four numbers of a sphere at a time, the same bits. This file alone is compiled with -mavx2 and is
// called only where the machine has it.
#include "index/grid/grid.h"

#include <immintrin.h>
#include <string.h>

typedef struct wide_level {
    __m256d inverse, last;  // the fourth lane is 0: of a radius nothing is left
    __m128i stride;
    uint32_t first_cell;
} wide_level;

static wide_level wide_level_of(const grid_level* level)
{
    return (wide_level){.inverse = _mm256_set_pd(0.0, level->inverse[2], level->inverse[1], level->inverse[0]),
                        .last = _mm256_set_pd(0.0, level->cells[2] - 1, level->cells[1] - 1, level->cells[0] - 1),
                        .stride = _mm_set_epi32(0, (int32_t)level->stride[2], (int32_t)level->stride[1], (int32_t)level->stride[0]),
                        .first_cell = (uint32_t)level->first_cell};
}

// Cells are numbered with 32 bits, so that products and sums are right in 32 bits although strides and sums may be larger than an int32_t.
static inline uint32_t wide_cell(const wide_level* level, __m256d lower, __m256d xr)
{
    __m256d at = _mm256_mul_pd(_mm256_sub_pd(xr, lower), level->inverse);
    __m128i cell = _mm256_cvttpd_epi32(_mm256_min_pd(_mm256_max_pd(at, _mm256_setzero_pd()), level->last));
    cell = _mm_mullo_epi32(cell, level->stride);
    cell = _mm_add_epi32(cell, _mm_shuffle_epi32(cell, 0x4e));
    cell = _mm_add_epi32(cell, _mm_shuffle_epi32(cell, 0xb1));
    return level->first_cell + (uint32_t)_mm_cvtsi128_si32(cell);
}

void grid_count_avx2(grid* g, int64_t first, int64_t last, int32_t* counts)
{
    const grid_plan* plan = &g->plan;
    const double (*xr)[4] = g->it->xr;
    const __m256d lower = _mm256_set_pd(0.0, plan->lower[2], plan->lower[1], plan->lower[0]);
    uint32_t* cells = g->cell;
    int32_t shift = plan->shift;
    wide_level level[grid_most_levels];
    for (int32_t h = 0; h < plan->levels; ++h)
        level[h] = wide_level_of(&plan->level[h]);
    for (int64_t i = first; i < last; ++i) {
        uint32_t cell = wide_cell(&level[grid_level_of(plan, xr[i][3])], lower, _mm256_loadu_pd(xr[i]));
        cells[i] = cell;  // in input order for now
        ++counts[cell >> shift];
    }
}

void grid_scatter_avx2(grid* g, int64_t first, int64_t last, int32_t* place)
{
    const items* it = g->it;
    const double (*xr)[4] = it->xr;
    const __m256d lower = _mm256_set_pd(0.0, it->lower[2], it->lower[1], it->lower[0]), scale = _mm256_set1_pd((double)g->scale);
    const uint32_t* cells = g->cell;
    grid_record* records = g->sorting;
    int32_t shift = g->plan.shift;
    for (int64_t i = first; i < last; ++i) {
        uint32_t cell = cells[i];
        grid_record* to = &records[place[cell >> shift]++];
        uint64_t rest = (uint64_t)i << 32 | cell;
        _mm_storeu_ps(&to->x, _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(xr[i]), lower), scale)));
        memcpy(&to->cell, &rest, sizeof rest);
    }
}
