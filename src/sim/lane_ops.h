// Operations on lanes (lanes.h), number by number; included again for each width that a file has: one with LANES_ONE or SCREE_ONE_LANE defined, else that of its instructions.
// KEEP: a where the mask holds, else 0. PICK: where the mask holds a, else b. LARGER: b unless a is larger.
#undef ALL
#undef ALL_SET
#undef NOT
#undef KEEP
#undef PICK
#undef LARGER
#undef ROOT
#undef SHARE  // a / b, with a >= 0 and b > 0. On a GPU the division of a zero takes ten times as long as another, and all lanes of a warp wait for it.
#if defined(SCREE_ONE_LANE) || defined(LANES_ONE)
#define ALL(value) (value)
#define ALL_SET 1
#define NOT(mask) (!(mask))
#define KEEP(mask, a) ((mask) ? (a) : 0.0)
#define PICK(mask, a, b) ((mask) ? (a) : (b))
#define LARGER(a, b) PICK((a) > (b), a, b)
#define ROOT(a) sqrt(a)
#define SHARE(a, b) ((a) == 0.0 ? (a) : (a) / (b))
#else
#define SHARE(a, b) ((a) / (b))
#define NOT(mask) (~(mask))
#if defined(LANES_EIGHT)
#define ALL(value) ((lanes)_mm512_set1_pd(value))
#define ALL_SET ((lane_bits)_mm512_set1_epi64(-1))
#define KEEP(mask, a) ((lanes)_mm512_maskz_mov_pd(MASK(mask), (__m512d)(a)))
#define PICK(mask, a, b) ((lanes)_mm512_mask_mov_pd((__m512d)(b), MASK(mask), (__m512d)(a)))
#define LARGER(a, b) ((lanes)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#define ROOT(a) ((lanes)_mm512_sqrt_pd((__m512d)(a)))
#else
#define ALL(value) ((lanes){(value), (value), (value), (value)})
#define ALL_SET ((lane_bits){-1, -1, -1, -1})
#if defined(__AVX2__)
#define KEEP(mask, a) ((lanes)((mask) & (lane_bits)(a)))
#define PICK(mask, a, b) ((lanes)_mm256_blendv_pd((__m256d)(b), (__m256d)(a), (__m256d)(mask)))
#define LARGER(a, b) ((lanes)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#define ROOT(a) ((lanes)_mm256_sqrt_pd((__m256d)(a)))
#else
#define KEEP(mask, a) ((lanes)((mask) & (lane_bits)(a)))
#define PICK(mask, a, b) ((lanes)(((mask) & (lane_bits)(a)) | (~(mask) & (lane_bits)(b))))
#define LARGER(a, b) PICK((a) > (b), a, b)
#define ROOT(a) ((lanes){sqrt((a)[0]), sqrt((a)[1]), sqrt((a)[2]), sqrt((a)[3])})
#endif
#endif
#endif
