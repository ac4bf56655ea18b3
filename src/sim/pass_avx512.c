// The pass with AVX-512: that with AVX2, with contacts of laws of parts eight at a time (lanes.h). Called only where the machine has it. The same bits.
#include "sim/sim_inner.h"

#if !defined(SCREE_FEW_KERNELS)
#define sim_span_avx2 sim_span_avx512
#include "sim/pass_avx2.c"
#else  // these builds have one function for contacts, of four lanes
void sim_span_avx512(const sim_pass* pass, int64_t span, sim_desk* desk)
{
    sim_span_avx2(pass, span, desk);
}
#endif
