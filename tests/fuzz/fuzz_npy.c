// Any bytes as a NumPy array.
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const fuzzed_format format = {.number = SCREE_FORMAT_NPY, .read = scree_npy_read};
    return fuzz_format(&format, data, size);
}
