// Any bytes as a NumPy array.
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const fuzzed_format format = {SCREE_FORMAT_NPY, scree_npy_read};
    return fuzz_format(&format, data, size);
}
