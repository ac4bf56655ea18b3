// Words of a line, and numbers as words. A blank is every byte up to the space, so a word never holds a control
// character.
#ifndef SCREE_FILES_WORDS_H
#define SCREE_FILES_WORDS_H

#include "files/input.h"

typedef struct scree_word {
    const char *begin, *end;
} scree_word;

static inline bool scree_is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

// The next word at or behind *at and before `end`; afterwards *at is behind it. False if there is none left.
static inline bool scree_next_word(const char** at, const char* end, scree_word* word)
{
    const char* p = *at;
    while (p < end && scree_is_blank(*p))
        ++p;
    word->begin = p;
    while (p < end && !scree_is_blank(*p))
        ++p;
    word->end = *at = p;
    return word->end > word->begin;
}

// The next line of a text: scree_input_line, but a NUL byte is FORMAT, and a byte order mark becomes blanks.
scree_status scree_text_line(scree_input* input, char** text, int64_t* length, bool* more);

int64_t scree_count_words(const char* begin, const char* end);

bool scree_word_is(scree_word word, const char* text);           // just this
bool scree_word_is_any_case(scree_word word, const char* text);  // this, whatever the case of its letters

// A whole number written with digits only, that fits.
bool scree_word_integer(scree_word word, int64_t* value);

// A number; nan and inf if they are written so, but not digits that a double can hold only as inf or 0.
bool scree_word_number(scree_word word, double* value);

// The digits of a number from `to` on; gives their end. At most 24 bytes.
char* scree_put_integer(char* to, int64_t value);
char* scree_put_number(char* to, double value);  // the shortest text that reads back as the same bits

#endif
