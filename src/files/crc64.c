// Sixteen bytes at a time ("slicing", Kounavis and Berry 2005), of which only the first eight wait for the sum so far: tables[k][b] is what byte b does to the sum when k more
// bytes follow. The tables, 32 KiB, are made by each call: microseconds, and no state to share between threads. Short blocks go by half a byte at a time and need none.
//
// A checksum is a polynomial over the two-element field, reduced modulo P; the highest bit is the coefficient of x^0. `count` bytes that follow multiply it by
// x^(8 count), and their own checksum is added: this is how two are combined.
#include "files/crc64.h"

#include <stdbool.h>

#define POLYNOMIAL 0xC96C5795D7870F42u
#define ONE ((uint64_t)1 << 63)
#define SHORT 1024  // bytes

// What half a byte does to the sum.
static const uint64_t halves[16] = {
    0x0000000000000000, 0x7D9BA13851336649, 0xFB374270A266CC92, 0x86ACE348F355AADB,
    0x64B62BCAEBC387A1, 0x192D8AF2BAF0E1E8, 0x9F8169BA49A54B33, 0xE21AC88218962D7A,
    0xC96C5795D7870F42, 0xB4F7F6AD86B4690B, 0x325B15E575E1C3D0, 0x4FC0B4DD24D2A599,
    0xADDA7C5F3C4488E3, 0xD041DD676D77EEAA, 0x56ED3E2F9E224471, 0x2B769F17CF112238};

static uint64_t add_byte(uint64_t sum, unsigned char byte)
{
    sum ^= byte;
    sum = sum >> 4 ^ halves[sum & 15];
    return sum >> 4 ^ halves[sum & 15];
}

static void make_tables(uint64_t tables[16][256])
{
    for (unsigned b = 0; b < 256; ++b)
        tables[0][b] = add_byte(0, (unsigned char)b);
    for (int k = 1; k < 16; ++k)
        for (unsigned b = 0; b < 256; ++b)
            tables[k][b] = tables[k - 1][b] >> 8 ^ tables[0][tables[k - 1][b] & 255];
}

uint64_t scree_crc64(const void* bytes, size_t count)
{
    return scree_crc64_more(0, bytes, count);
}

uint64_t scree_crc64_more(uint64_t before, const void* bytes, size_t count)
{
    uint64_t tables[16][256], sum = ~before;
    const unsigned char* p = bytes;
    bool tabled = count >= SHORT;
    if (tabled)
        make_tables(tables);
    for (; tabled && count >= 16; count -= 16, p += 16) {
        uint64_t next = 0, first = 0;
        for (int k = 0; k < 8; ++k) {
            first |= (uint64_t)p[k] << 8 * k;
            next ^= tables[7 - k][p[8 + k]];  // does not wait for the sum
        }
        first ^= sum;
        for (int k = 0; k < 8; ++k)
            next ^= tables[15 - k][first >> 8 * k & 255];
        sum = next;
    }
    for (; count > 0; --count, ++p)
        sum = add_byte(sum, *p);
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
