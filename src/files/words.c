// Words of a line, and numbers as words.
#include "files/words.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

scree_status scree_text_line(scree_input* input, char** text, int64_t* length, bool* more)
{
    scree_status status = scree_input_line(input, text, length, more);
    if (status != SCREE_OK || !*more)
        return status;
    if (input->line == 1 && *length >= 3 && memcmp(*text, "\xEF\xBB\xBF", 3) == 0)
        memcpy(*text, "   ", 3);
    if (*length > 0 && memchr(*text, '\0', (size_t)*length) != NULL)
        return scree_input_fail(input, input->line,
                                "a NUL byte; expected plain text in UTF-8 (save UTF-16 as UTF-8 first)");
    return SCREE_OK;
}

int64_t scree_count_words(const char* begin, const char* end)
{
    int64_t count = 0;
    for (scree_word word; scree_next_word(&begin, end, &word);)
        ++count;
    return count;
}

bool scree_word_is(scree_word word, const char* text)
{
    size_t length = strlen(text);
    return (size_t)(word.end - word.begin) == length && memcmp(word.begin, text, length) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool scree_word_is_any_case(scree_word word, const char* text)
{
    const char* p = word.begin;
    while (p < word.end && *text != '\0' && lower(*p) == lower(*text))
        ++p, ++text;
    return p == word.end && *text == '\0';
}

bool scree_word_integer(scree_word word, int64_t* value)
{
    const char* p = word.begin;
    bool negative = p < word.end && *p == '-';
    if (p < word.end && (*p == '-' || *p == '+'))
        ++p;
    if (p == word.end)
        return false;
    uint64_t size = 0, limit = (uint64_t)INT64_MAX + negative;
    for (; p < word.end; ++p) {
        uint64_t digit = (uint64_t)(unsigned char)*p - '0';
        if (digit > 9 || size > (limit - digit) / 10)
            return false;
        size = size * 10 + digit;
    }
    *value = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

bool scree_word_number(scree_word word, double* value)
{
    if (!scree_number_parse(word.begin, word.end, value))
        return false;
    size_t length = (size_t)(word.end - word.begin);
    if (isinf(*value))
        return memchr(word.begin, 'n', length) != NULL || memchr(word.begin, 'N', length) != NULL;
    const char* p = word.begin;
    while (*value == 0.0 && p < word.end && (*p < '1' || *p > '9') && *p != 'e' && *p != 'E')
        ++p;
    return *value != 0.0 || p == word.end || *p == 'e' || *p == 'E';
}

char* scree_put_integer(char* to, int64_t value)
{
    char digits[24];
    int count = 0;
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        digits[count++] = (char)('0' + size % 10);
    while ((size /= 10) > 0);
    if (value < 0)
        *to++ = '-';
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

char* scree_put_number(char* to, double value)
{
    return to + scree_number_format(to, value);
}
