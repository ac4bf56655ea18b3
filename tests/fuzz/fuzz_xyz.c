// Any bytes as extended XYZ.
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const fuzzed_format format = {.number = SCREE_FORMAT_XYZ, .read = scree_xyz_read};
    return fuzz_format(&format, data, size);
}
