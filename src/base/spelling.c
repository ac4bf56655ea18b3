// Levenshtein's distance in one row: entry j is the distance between the part of the word read so far and the first j letters of
// the name.
#include "base/spelling.h"

#include <assert.h>
#include <string.h>

enum { LONGEST = 63 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

int64_t scree_letters_apart(const char* begin, const char* end, const char* name)
{
    int64_t row[LONGEST + 1];
    int length = (int)strlen(name);
    assert(length <= LONGEST);
    for (int j = 0; j <= length; ++j)
        row[j] = j;
    for (const char* p = begin; p < end; ++p) {
        int64_t corner = row[0]++;
        for (int j = 1; j <= length; ++j) {
            int64_t changed = corner + (lower(*p) != name[j - 1]);
            int64_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            corner = row[j];
            row[j] = changed < least ? changed : least;
        }
    }
    return row[length];
}

bool scree_spelling_is_close(int64_t apart, const char* name)
{
    return apart <= ((int64_t)strlen(name) + 1) / 3;
}
