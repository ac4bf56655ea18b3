// How far two names are apart, for "did you mean".
#ifndef SCREE_BASE_SPELLING_H
#define SCREE_BASE_SPELLING_H

#include <stdbool.h>
#include <stdint.h>

// How many letters must be changed, added or taken away to turn the word [begin, end) into the name (in small letters, at most 63),
// capitals of the word aside (Levenshtein). O(both lengths).
int64_t scree_letters_apart(const char* begin, const char* end, const char* name);

// Whether somebody who types a word so far away from the name may have meant it.
bool scree_spelling_is_close(int64_t apart, const char* name);

#endif
