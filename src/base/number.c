// Parsing: up to 15 digits and a small power of ten are exact in doubles, so one multiplication or division rounds
// correctly (Clinger 1990); everything else goes to strtod in the C locale. Formatting tries 15, 16 and 17 digits.
#include "base/number.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (strpbrk(text, "xXpP(") != NULL)  // hexadecimal and nan(...): nobody means them in a data file
        return false;
    char* stop;
    locale_t before = uselocale(c_locale());
    *value = strtod(text, &stop);
    uselocale(before);
    return stop == text + length;
}

bool scree_number_parse(const char* begin, const char* end, double* value)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* p = begin;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        ++p;
    uint64_t digits = 0;
    int count = 0, exponent = 0;
    for (; p < end && *p >= '0' && *p <= '9'; ++p, ++count)
        digits = digits * 10 + (uint64_t)(*p - '0');
    if (p < end && *p == '.')
        for (++p; p < end && *p >= '0' && *p <= '9'; ++p, ++count, --exponent)
            digits = digits * 10 + (uint64_t)(*p - '0');
    if (count == 0 || count > 18)
        return parse_slowly(begin, end, value);
    if (p < end && (*p == 'e' || *p == 'E')) {
        ++p;
        bool down = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+'))
            ++p;
        int power_of_ten = 0;
        const char* first = p;
        for (; p < end && *p >= '0' && *p <= '9' && p - first < 4; ++p)
            power_of_ten = power_of_ten * 10 + (*p - '0');
        if (p == first)
            return false;
        exponent += down ? -power_of_ten : power_of_ten;
    }
    if (p != end || digits > (uint64_t)1 << 53 || exponent < -22 || exponent > 22)
        return parse_slowly(begin, end, value);
    double magnitude = (double)digits;
    magnitude = exponent < 0 ? magnitude / power[-exponent] : magnitude * power[exponent];
    *value = negative ? -magnitude : magnitude;
    return true;
}

int scree_number_format(char text[32], double value)
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
