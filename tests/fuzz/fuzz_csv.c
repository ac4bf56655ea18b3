// Any bytes as a CSV of spheres.
#include "fuzz_format.h"

#include "files/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const fuzzed_format format = {.number = SCREE_FORMAT_CSV,
                                         .read = scree_csv_read_spheres,
                                         .all_supported = true,
                                         .all_written = true,
                                         .ordered = true,
                                         .kind_by_values = true};
    return fuzz_format(&format, data, size);
}
