// Numbers to text and back, correctly rounded, without the C library where it is sure.
//
// Both ways are one multiplication. Reading w * 10^q (w: up to 19 digits) or scaling a double by 10^q so that its 17
// digits stand before the point takes the 128 leading bits of 10^q, and 64 x 128 bits give the answer to some 120 bits, of
// which 53 (or 57) are wanted. What was cut off changes the rounding only if the bits behind the wanted ones lie within a
// few units of a tie: once in 2^60 for random numbers, and for exact ties, which short numbers can be. Those few go to
// strtod and snprintf in the C locale, which are right and some ten times slower; and so do subnormals, powers of two
// (their neighbours are not equally far), texts that look odd. The fast way therefore only ever answers when it is
// certain, and the slow way is its reference in the tests.
//
// This is the idea of Lemire's "Number parsing at a gigabyte per second" (2021) for reading and of Loitsch's Grisu (2010)
// for writing, with a wider product in place of their finer arguments, and 23 powers of ten in place of 650: 10^(28 a + b)
// is 10^(28 a), rounded down to 128 bits, times 5^b, exact, times 2^b.
#include "base/number.h"

#include <assert.h>
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The slow and sure way ---------------------------------------------------------------------------------------

// One C locale for the process, made at first use and kept.
static locale_t c_locale(void)
{
    static _Atomic(locale_t) kept;
    locale_t locale = atomic_load(&kept);
    if (locale == (locale_t)0) {
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        locale_t other = (locale_t)0;
        if (!atomic_compare_exchange_strong(&kept, &other, locale)) {
            if (locale != (locale_t)0)
                freelocale(locale);
            locale = other;
        }
    }
    return locale;
}

static bool parse_slowly(const char* begin, const char* end, double* value)
{
    char text[512];
    size_t length = (size_t)(end - begin);
    if (length == 0 || length > 500 || memchr(begin, '\0', length) != NULL || isspace((unsigned char)*begin))
        return false;
    memcpy(text, begin, length);
    text[length] = '\0';
    if (strpbrk(text, "xXpP(") != NULL)  // hexadecimal and nan(...): not meant in a data file
        return false;
    char* stop;
    locale_t before = uselocale(c_locale());
    *value = strtod(text, &stop);
    uselocale(before);
    return stop == text + length;
}

static int format_slowly(char text[32], double value)
{
    int length = 0;
    locale_t before = uselocale(c_locale());
    for (int digits = 15; digits <= 17; ++digits) {
        length = snprintf(text, 32, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value || isnan(value))
            break;
    }
    uselocale(before);
    return length;
}

// ---- Powers of ten -----------------------------------------------------------------------------------------------

__extension__ typedef unsigned __int128 wide;

#define POWER_MIN (-308)
#define POWER_MAX 335

// The 128 leading bits of 10^(28 a), a = -11 .. 11, rounded down.
static const uint64_t coarse[][2] = {
    {UINT64_C(0xE61ACF033D1A45DF), UINT64_C(0x6FB92487298E33BD)},  // 1e-308
    {UINT64_C(0xE858AD248F5C22C9), UINT64_C(0xD1B3400F8F9CFF68)},  // 1e-280
    {UINT64_C(0xEA9C227723EE8BCB), UINT64_C(0x465E15A979C1CADC)},  // 1e-252
    {UINT64_C(0xECE53CEC4A314EBD), UINT64_C(0xA4F8BF5635246428)},  // 1e-224
    {UINT64_C(0xEF340A98172AACE4), UINT64_C(0x86FB897116C87C34)},  // 1e-196
    {UINT64_C(0xF18899B1BC3F8CA1), UINT64_C(0xDC44E6C3CB279AC1)},  // 1e-168
    {UINT64_C(0xF3E2F893DEC3F126), UINT64_C(0x5A89DBA3C3EFCCFA)},  // 1e-140
    {UINT64_C(0xF64335BCF065D37D), UINT64_C(0x4D4617B5FF4A16D5)},  // 1e-112
    {UINT64_C(0xF8A95FCF88747D94), UINT64_C(0x75A44C6397CE912A)},  // 1e-84
    {UINT64_C(0xFB158592BE068D2E), UINT64_C(0xEED6E2F0F0D56712)},  // 1e-56
    {UINT64_C(0xFD87B5F28300CA0D), UINT64_C(0x8BCA9D6E188853FC)},  // 1e-28
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000)},  // 1e0
    {UINT64_C(0x813F3978F8940984), UINT64_C(0x4000000000000000)},  // 1e28
    {UINT64_C(0x82818F1281ED449F), UINT64_C(0xBFF8F10E7A8921A4)},  // 1e56
    {UINT64_C(0x83C7088E1AAB65DB), UINT64_C(0x792667C6DA79E0FA)},  // 1e84
    {UINT64_C(0x850FADC09923329E), UINT64_C(0x03E2CF6BC604DDB0)},  // 1e112
    {UINT64_C(0x865B86925B9BC5C2), UINT64_C(0x0B8A2392BA45A9B2)},  // 1e140
    {UINT64_C(0x87AA9AFF79042286), UINT64_C(0x90FB44D2F05D0842)},  // 1e168
    {UINT64_C(0x88FCF317F22241E2), UINT64_C(0x441FECE3BDF81F03)},  // 1e196
    {UINT64_C(0x8A5296FFE33CC92F), UINT64_C(0x82BD6B70D99AAA6F)},  // 1e224
    {UINT64_C(0x8BAB8EEFB6409C1A), UINT64_C(0x1AD089B6C2F7548E)},  // 1e252
    {UINT64_C(0x8D07E33455637EB2), UINT64_C(0xDB0B487B6423E1E8)},  // 1e280
    {UINT64_C(0x8E679C2F5E44FF8F), UINT64_C(0x570F09EAA7EA7648)},  // 1e308
};

// 5^b, b = 0 .. 27.
static const uint64_t fine[] = {
    UINT64_C(1), UINT64_C(5), UINT64_C(25), UINT64_C(125),
    UINT64_C(625), UINT64_C(3125), UINT64_C(15625), UINT64_C(78125),
    UINT64_C(390625), UINT64_C(1953125), UINT64_C(9765625), UINT64_C(48828125),
    UINT64_C(244140625), UINT64_C(1220703125), UINT64_C(6103515625), UINT64_C(30517578125),
    UINT64_C(152587890625), UINT64_C(762939453125), UINT64_C(3814697265625), UINT64_C(19073486328125),
    UINT64_C(95367431640625), UINT64_C(476837158203125), UINT64_C(2384185791015625), UINT64_C(11920928955078125),
    UINT64_C(59604644775390625), UINT64_C(298023223876953125), UINT64_C(1490116119384765625), UINT64_C(7450580596923828125),
};

// floor(log2(10^q)) for |q| <= 340, and floor(log10(2^x)) for |x| <= 1074. (>> rounds down, also below 0.)
static int log2_of_power(int q)
{
    return (q * 217706) >> 16;
}

static int log10_of_power(int x)
{
    return (x * 78913) >> 18;
}

// The leading 128 bits t of 10^q: t <= 10^q * 2^(127 - log2_of_power(q)) < t + 3. The coarse power is less than one unit
// too small; times 5^b and cut to 128 bits that makes less than two, and the cut less than one.
static wide leading_bits(int q)
{
    assert(q >= POWER_MIN && q <= POWER_MAX);
    int index = (q - POWER_MIN) / 28;
    uint64_t five = fine[(q - POWER_MIN) % 28];
    wide low = (wide)coarse[index][1] * five, high = (wide)coarse[index][0] * five + (low >> 64);
    uint64_t top = (uint64_t)(high >> 64);
    if (top == 0)  // 5^0
        return high << 64 | (uint64_t)low;
    int room = __builtin_clzll(top);
    return room == 0 ? high : high << room | (uint64_t)low >> (64 - room);
}

// The leading 128 of the 192 bits of w * t; less than one unit too small, and with t's own error less than four.
static wide leading_product(uint64_t w, wide t)
{
    return (wide)w * (uint64_t)(t >> 64) + ((wide)w * (uint64_t)t >> 64);
}

#define PRODUCT_ERROR 4

// ---- Reading -----------------------------------------------------------------------------------------------------

// w * 10^q, rounded, if that is certain: w > 0, and the result is a normal number for every q of -300 .. 288.
static bool round_product(uint64_t w, int q, double* value)
{
    if (q < -300 || q > 288)
        return false;
    int room = __builtin_clzll(w);
    wide product = leading_product(w << room, leading_bits(q));
    int shift = product >> 127 != 0 ? 75 : 74;  // what is behind 53 bits
    uint64_t mantissa = (uint64_t)(product >> shift);
    wide rest = product & (((wide)1 << shift) - 1), half = (wide)1 << (shift - 1);
    if (rest <= half && rest + PRODUCT_ERROR > half)
        return false;
    mantissa += rest > half;
    int exponent = shift + 64 - room + log2_of_power(q) - 127;  // value = mantissa * 2^exponent
    if (mantissa >> 53 != 0) {
        mantissa >>= 1;
        ++exponent;
    }
    uint64_t bits = (uint64_t)(exponent + 1075) << 52 | (mantissa & ((UINT64_C(1) << 52) - 1));
    memcpy(value, &bits, sizeof *value);
    return true;
}

bool scree_number_parse(const char* begin, const char* end, double* value)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* p = begin;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        ++p;
    // All digits as one number, which wraps around if they are many; then it is put together again below.
    uint64_t digits = 0;
    const char* first = p;
    for (; p < end && *p >= '0' && *p <= '9'; ++p)
        digits = digits * 10 + (uint64_t)(*p - '0');
    int64_t count = p - first, exponent = 0;
    if (p < end && *p == '.') {
        const char* point = p++;
        for (; p < end && *p >= '0' && *p <= '9'; ++p)
            digits = digits * 10 + (uint64_t)(*p - '0');
        exponent = point + 1 - p;
        count -= exponent;
    }
    const char* last = p;
    if (count == 0 || end - begin > 500)
        return parse_slowly(begin, end, value);
    if (p < end && (*p == 'e' || *p == 'E')) {
        ++p;
        bool down = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+'))
            ++p;
        int power_of_ten = 0;
        const char* from = p;
        for (; p < end && *p >= '0' && *p <= '9' && p - from < 4; ++p)
            power_of_ten = power_of_ten * 10 + (*p - '0');
        if (p == from)
            return false;
        exponent += down ? -power_of_ten : power_of_ten;
    }
    if (p != end)
        return parse_slowly(begin, end, value);
    bool cut = false;  // digits were left out: the number is between digits and digits + 1
    if (count > 19) {
        // Leading zeros do not count; what stands behind 19 digits goes to the exponent.
        while (first < last && (*first == '0' || *first == '.'))
            ++first;
        digits = 0;
        count = 0;
        for (; first < last; ++first) {
            if (*first == '.')
                continue;
            if (count < 19) {
                digits = digits * 10 + (uint64_t)(*first - '0');
                ++count;
            } else {
                cut = true;
                ++exponent;
            }
        }
    }
    double magnitude, other;
    if (!cut && digits <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22) {
        // Both are exact in doubles, so one operation rounds correctly (Clinger 1990).
        magnitude = (double)digits;
        magnitude = exponent < 0 ? magnitude / power[-exponent] : magnitude * power[exponent];
    } else if (digits == 0) {
        magnitude = 0.0;
    } else if (!round_product(digits, (int)exponent, &magnitude) ||
               (cut && (!round_product(digits + 1, (int)exponent, &other) || other != magnitude))) {
        return parse_slowly(begin, end, value);
    }
    *value = negative ? -magnitude : magnitude;
    return true;
}

// ---- Writing -----------------------------------------------------------------------------------------------------

// The text that %.{precision}g makes of these digits: the first stands for 10^exponent, zeros at the end fall away.
static int lay_out(char* text, bool negative, uint64_t digits, int exponent, int precision)
{
    char digit[24];
    int count = 0;
    char* p = text;
    for (uint64_t rest = digits; rest > 0; rest /= 10)
        digit[sizeof digit - (size_t)++count] = (char)('0' + rest % 10);
    const char* first = digit + sizeof digit - count;
    while (count > 1 && first[count - 1] == '0')
        --count;
    if (negative)
        *p++ = '-';
    if (exponent < -4 || exponent >= precision) {
        *p++ = first[0];
        if (count > 1) {
            *p++ = '.';
            memcpy(p, first + 1, (size_t)count - 1);
            p += count - 1;
        }
        *p++ = 'e';
        *p++ = exponent < 0 ? '-' : '+';
        int size = exponent < 0 ? -exponent : exponent;
        if (size >= 100)
            *p++ = (char)('0' + size / 100);
        *p++ = (char)('0' + size / 10 % 10);
        *p++ = (char)('0' + size % 10);
    } else if (exponent < 0) {
        memcpy(p, "0.000", 5);
        p += 1 - exponent;
        memcpy(p, first, (size_t)count);
        p += count;
    } else {
        int whole = exponent + 1 < count ? exponent + 1 : count;
        memcpy(p, first, (size_t)whole);
        p += whole;
        for (; whole <= exponent; ++whole)
            *p++ = '0';
        if (whole < count) {
            *p++ = '.';
            memcpy(p, first + whole, (size_t)(count - whole));
            p += count - whole;
        }
    }
    *p = '\0';
    return (int)(p - text);
}

// The shortest digits, if they are certain; else 0. The value is scaled so that 17 digits stand before the point:
//
//     units of 2^-shift:   |--- 57 bits: 17 digits ---.------ some 70 bits ------|   `half`: how far the double reaches
//
// The nearest number of 15 digits, a multiple of 100, will do if it is nearer than `half`; else the nearest of 16 digits,
// a multiple of 10; else the nearest whole number, which always is.
static int format_quickly(char text[32], double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7FF);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    if (biased == 0 || biased == 0x7FF || mantissa == 0)
        return 0;
    mantissa = (mantissa | UINT64_C(1) << 52) << 11;       // 64 bits, the first one set ...
    int binary = biased - 1023;                            // ... for 2^binary
    int decimal = log10_of_power(binary);                  // the first digit stands for 10^decimal, or for ten times that
    for (;; ++decimal) {
        wide power = leading_bits(16 - decimal);
        wide scaled = leading_product(mantissa, power);    // its bit 127 stands for 2^(binary + log2_of_power + 1)
        int shift = 126 - binary - log2_of_power(16 - decimal);
        if ((uint64_t)(scaled >> shift) >= UINT64_C(100000000000000000))
            continue;
        wide half = power >> 54;                           // half a unit of the mantissa's 53rd bit
        for (int precision = 15; precision <= 17; ++precision) {
            uint64_t step = precision == 15 ? 100 : precision == 16 ? 10 : 1;
            uint64_t whole = (uint64_t)(scaled >> shift), digits = whole / step;
            wide rest = scaled - ((wide)(digits * step) << shift), middle = ((wide)step << shift) >> 1;
            if (rest < middle + 2 * PRODUCT_ERROR && middle < rest + 2 * PRODUCT_ERROR)
                return 0;
            bool up = rest > middle;
            wide distance = up ? ((wide)step << shift) - rest : rest;
            if (precision < 17 && distance >= half + 2 * PRODUCT_ERROR)
                continue;
            if (distance + 2 * PRODUCT_ERROR >= half)
                return 0;
            digits += up;
            // 99...9 may have become 100...0: one digit more.
            int carry = digits * step >= UINT64_C(100000000000000000);
            return lay_out(text, bits >> 63 != 0, digits, decimal + carry, precision);
        }
    }
}

int scree_number_format(char text[32], double value)
{
    int length = format_quickly(text, value);
    return length > 0 ? length : format_slowly(text, value);
}
