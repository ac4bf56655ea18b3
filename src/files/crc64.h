// CRC-64/XZ: the checksum of ECMA-182, bits reflected, as in xz and 7-Zip; of "123456789" it is 995DC9BBDF1939FA. It sees for certain
// whatever is wrong within 8 bytes in a row, and misses anything else once in 2^64.
#ifndef SCREE_FILES_CRC64_H
#define SCREE_FILES_CRC64_H

#include <stddef.h>
#include <stdint.h>

uint64_t scree_crc64(const void* bytes, size_t count);

// Of bytes that come in blocks: `before` is that of the blocks so far, 0 before the first.
uint64_t scree_crc64_more(uint64_t before, const void* bytes, size_t count);

// The checksum of two blocks in a row from the checksums of each; `count` is the number of bytes of the second. So blocks can be summed apart, by other
// threads or processes. O(log count).
uint64_t scree_crc64_combine(uint64_t first, uint64_t second, uint64_t count);

#endif
