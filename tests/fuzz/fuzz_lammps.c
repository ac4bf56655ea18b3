// Any bytes as a LAMMPS data file.
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const fuzzed_format format = {.number = SCREE_FORMAT_LAMMPS, .read = scree_lammps_read};
    return fuzz_format(&format, data, size);
}
