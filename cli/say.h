// Everything that the program prints on standard error: errors, notes, results in words.
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include "scree/base.h"

// As printf, to standard error. Names and words in it may have come from outside, so that all is cleaned (scree_text_clean) but a line end
// at the end of the text.
void say(const char* format, ...) SCREE_PRINTF(1, 2);

// The errors said so far: lines that begin with "scree", without the names of program and command in front, one per line; "" if there are none. The first 8 KiB of them.
const char* said_errors(void);

#endif
