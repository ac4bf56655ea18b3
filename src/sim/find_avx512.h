// Contacts of laws of parts, found eight at a time, with what the first stage needs of them: who they are, where, and their slots. Of pass_body.h, where there are eight lanes.
#ifndef SCREE_SIM_FIND_AVX512_H
#define SCREE_SIM_FIND_AVX512_H

// What images of eight candidates are off.
static __attribute__((noinline)) void offsets_of_eight(const sim_cell* cell, const int8_t (*shift)[3], int count, double out[3][8])
{
    memset(out, 0, 3 * sizeof *out);
    for (int c = 0; c < count; ++c) {
        double offset[3];
        cell_offset(cell, shift[c], offset);
        for (int k = 0; k < 3; ++k)
            out[k][c] = offset[k];
    }
}

// The same test as find_contacts. `all`: candidates from `ij` on to the end of the rows. `slot`: NULL if they have none. `slot_next`: gets the numbers of their next slots, from `live` on, and
// -1 where there is no contact; NULL: not asked for. How many there are; eight more repeat the last.
static __attribute__((noinline)) int32_t find_eight(const sim_pass* pass, const int32_t (*ij)[2], const int8_t (*shift)[3], const int32_t* slot, int32_t* slot_next, int32_t live, int32_t count,
                                                    int64_t all, grain_found* out)
{
    enum { later = 128 };  // so many candidates until memory has answered
    const double (*x)[4] = pass->x;
    const lanes gap = ALL(pass->law.reach);
    const __m256i steps = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    int32_t found = 0;
    for (int32_t c = 0; c < count; c += 8) {
        const int here = count - c < 8 ? count - c : 8;
        const __mmask8 valid = (__mmask8)((1u << here) - 1);
        int32_t last[8][2];
        const int32_t (*at)[2] = ij + c;
        __m512i both = _mm512_maskz_loadu_epi64(valid, at);
        if (here < 8) {
            _mm512_storeu_si512(last, both);
            at = (const int32_t(*)[2])last;
        }
        for (int k = 0; k < 8 && c + later + 8 <= all; ++k)
            __builtin_prefetch(x[ij[c + later + k][1]]);
        const double *one[8], *other[8];
        for (int k = 0; k < 8; ++k) {
            one[k] = x[at[k][0]];
            other[k] = x[at[k][1]];
        }
        lanes a[4], b[4];
        rows_load(a, one);
        rows_load(b, other);
        transpose(a);
        transpose(b);
        three d = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        if (shift != NULL && has_shifts(shift + c, here)) {
            double off[3][8];
            offsets_of_eight(&pass->cell, shift + c, here, off);
            d = (three){d.x - (lanes)_mm512_loadu_pd(off[0]), d.y - (lanes)_mm512_loadu_pd(off[1]), d.z - (lanes)_mm512_loadu_pd(off[2])};
        }
        lanes reach = (a[3] + b[3]) + gap, square = DOT(d, d);
        const __mmask8 near = _mm512_mask_cmp_pd_mask(valid, (__m512d)square, (__m512d)(reach * reach), _CMP_LT_OQ);
        // All eight are written; those that are contacts stand if the count goes on.
        _mm256_storeu_si256((__m256i*)(out->place + found), _mm256_maskz_compress_epi32(near, _mm256_add_epi32(steps, _mm256_set1_epi32(c))));
        _mm256_storeu_si256((__m256i*)(out->i + found), _mm256_maskz_compress_epi32(near, _mm512_cvtepi64_epi32(both)));
        _mm256_storeu_si256((__m256i*)(out->j + found), _mm256_maskz_compress_epi32(near, _mm512_cvtepi64_epi32(_mm512_srli_epi64(both, 32))));
        if (slot != NULL)
            _mm256_storeu_si256((__m256i*)(out->slot + found), _mm256_maskz_compress_epi32(near, _mm256_maskz_loadu_epi32(valid, slot + c)));
        if (slot_next != NULL)
            _mm256_mask_storeu_epi32(slot_next + c, valid, _mm256_mask_expand_epi32(_mm256_set1_epi32(-1), near, _mm256_add_epi32(steps, _mm256_set1_epi32(live + found))));
        _mm512_storeu_pd(out->between[0] + found, _mm512_maskz_compress_pd(near, (__m512d)d.x));
        _mm512_storeu_pd(out->between[1] + found, _mm512_maskz_compress_pd(near, (__m512d)d.y));
        _mm512_storeu_pd(out->between[2] + found, _mm512_maskz_compress_pd(near, (__m512d)d.z));
        _mm512_storeu_pd(out->radius[0] + found, _mm512_maskz_compress_pd(near, (__m512d)a[3]));
        _mm512_storeu_pd(out->radius[1] + found, _mm512_maskz_compress_pd(near, (__m512d)b[3]));
        found += __builtin_popcount(near);
    }
    for (int32_t k = found; k < found + 8 && found > 0; ++k) {
        out->place[k] = out->place[found - 1];
        out->i[k] = out->i[found - 1];
        out->j[k] = out->j[found - 1];
        out->slot[k] = slot != NULL ? out->slot[found - 1] : -1;
        for (int axis = 0; axis < 3; ++axis)
            out->between[axis][k] = out->between[axis][found - 1];
        for (int which = 0; which < 2; ++which)
            out->radius[which][k] = out->radius[which][found - 1];
    }
    return found;
}

LANES_INLINE void take_eight(const grain_found* found, int32_t at, grain_batch* batch)
{
    memcpy(batch->i, found->i + at, sizeof batch->i);
    memcpy(batch->j, found->j + at, sizeof batch->j);
    batch->between = (three){(lanes)_mm512_loadu_pd(found->between[0] + at), (lanes)_mm512_loadu_pd(found->between[1] + at), (lanes)_mm512_loadu_pd(found->between[2] + at)};
    batch->radii[0] = (lanes)_mm512_loadu_pd(found->radius[0] + at);
    batch->radii[1] = (lanes)_mm512_loadu_pd(found->radius[1] + at);
}

// slot_of of all eight.
LANES_INLINE void slots_of_eight(const sim_slots* slots, const int32_t slot[8], int64_t first, int words, grain_batch* batch)
{
    const __m512i at = _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i*)slot)), base = _mm512_set1_epi64((int64_t)(uintptr_t)(slots->words + first * words));
    const __m512i place = _mm512_add_epi64(base, _mm512_mullo_epi64(at, _mm512_set1_epi64(words * (int64_t)sizeof *slots->words)));
    const __mmask8 is_new = _mm512_movepi64_mask(at);
    _mm512_storeu_si512(batch->before, _mm512_mask_mov_epi64(place, is_new, _mm512_set1_epi64((int64_t)(uintptr_t)grain_nothing)));
}

#endif
