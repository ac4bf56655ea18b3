// Numbers as text, the same in every locale: a program that embeds scree may have set a decimal comma.
#ifndef SCREE_BASE_NUMBER_H
#define SCREE_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

// Reads the number that fills [begin, end) wholly, correctly rounded; nan and inf are read too, for the caller to check.
// False if it is anything else (also if empty, or longer than 500 characters).
bool scree_number_parse(const char* begin, const char* end, double* value);

// The shortest text of up to 17 digits that reads back as the same bits. Returns its length, at most 24.
int scree_number_format(char text[32], double value);

#endif
