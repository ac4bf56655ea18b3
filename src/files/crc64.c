// Eight bytes at a time ("slicing", Kounavis and Berry 2005): tables[k][b] is what byte b does to the sum when k more bytes follow. The
// tables, 16 KiB, are made by each call: microseconds, and no state to share between threads.
//
// A checksum is a polynomial over the two-element field, reduced modulo P; the highest bit is the coefficient of x^0. `count` bytes that follow multiply it by
// x^(8 count), and their own checksum is added: this is how two are combined.
#include "files/crc64.h"

#define POLYNOMIAL 0xC96C5795D7870F42u
#define ONE ((uint64_t)1 << 63)

static void make_tables(uint64_t tables[8][256])
{
    for (unsigned b = 0; b < 256; ++b) {
        uint64_t sum = b;
        for (int bit = 0; bit < 8; ++bit)
            sum = sum >> 1 ^ (sum & 1 ? POLYNOMIAL : 0u);
        tables[0][b] = sum;
    }
    for (int k = 1; k < 8; ++k)
        for (unsigned b = 0; b < 256; ++b)
            tables[k][b] = tables[k - 1][b] >> 8 ^ tables[0][tables[k - 1][b] & 255];
}

uint64_t scree_crc64(const void* bytes, size_t count)
{
    return scree_crc64_more(0, bytes, count);
}

uint64_t scree_crc64_more(uint64_t before, const void* bytes, size_t count)
{
    uint64_t tables[8][256], sum = ~before;
    const unsigned char* p = bytes;
    make_tables(tables);
    for (; count >= 8; count -= 8, p += 8) {
        uint64_t next = 0;
        for (int k = 0; k < 8; ++k)
            next ^= tables[7 - k][(sum >> 8 * k & 255) ^ p[k]];
        sum = next;
    }
    for (; count > 0; --count, ++p)
        sum = sum >> 8 ^ tables[0][(sum ^ *p) & 255];
    return ~sum;
}

static uint64_t product(uint64_t a, uint64_t b)  // modulo P
{
    uint64_t sum = 0;
    for (; a != 0; a <<= 1) {
        if (a & ONE)
            sum ^= b;
        b = b >> 1 ^ (b & 1 ? POLYNOMIAL : 0u);  // times x
    }
    return sum;
}

uint64_t scree_crc64_combine(uint64_t first, uint64_t second, uint64_t count)
{
    uint64_t factor = ONE, power = ONE >> 8;  // x^8, squared for each bit of `count`
    for (; count > 0; count >>= 1, power = product(power, power))
        if (count & 1)
            factor = product(factor, power);
    return product(factor, first) ^ second;
}
