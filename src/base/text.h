// Text that came from outside, character by character: the one place that knows UTF-8, and what may be shown.
#ifndef SCREE_BASE_TEXT_H
#define SCREE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How many bytes the UTF-8 character at the front of text[0 .. length-1] has, its number in *code; 0: it is broken (cut short, written
// longer than needed, a surrogate, above U+10FFFF), or there is none. Never looks behind `length`.
size_t scree_utf8(const char* text, size_t length, uint32_t* code);

// The same for showing: how many bytes to advance, at least 1 if there are any. *plain: whether they are a character that may be shown.
// Control characters (U+0000 to U+001F, U+007F to U+009F), U+FFFE, U+FFFF and broken bytes may not.
size_t scree_text_next(const char* text, size_t length, bool* plain);

#endif
