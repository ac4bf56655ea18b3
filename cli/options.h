// The command line: one table per command says what it takes; parsing, checking, --help and "did you mean" come from it.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef int exit_code;
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };  // and 128 + the signal when stopped by one: 130 for Ctrl-C

typedef struct option {
    const char* name;   // without the dashes
    char letter;        // 0: none
    const char* value;  // how --help calls its value; NULL: a switch
    const char* help;
} option;

enum { most_options = 48 };

typedef struct arguments arguments;

typedef struct command {
    const char* name;
    const char* usage;            // after "scree NAME"
    const char* about;            // one line
    const char* details;          // for --help; may be NULL
    const char* example;          // for --help
    int least_files, most_files;  // positional arguments
    const option* options;        // closed by a zeroed entry; the common ones are added to them
    exit_code (*run)(const arguments* args);
} command;

struct arguments {
    const command* what;
    int file_count;
    const char** files;
    const char* values[most_options];  // by place in the command's table, then the common one; switches hold ""
};

// Parses argv (behind the command's name). EXIT_DONE: go on; else a sentence has been printed on stderr.
// *help is set when --help was asked for and printed.
exit_code options_parse(const command* what, int argc, char** argv, arguments* out, bool* help);

// The value of an option, NULL if it was not given. The name must be in the table (our mistake otherwise).
const char* option_text(const arguments* args, const char* name);
bool option_given(const arguments* args, const char* name);

// The p-th option of a command, its own and then the common ones, and its value as given (NULL: it was not); false behind the last.
bool option_nth(const arguments* args, int p, const option** out, const char** value);

// Typed values. Each prints a sentence and returns false if the text is not what it should be; *out keeps its value if
// the option was not given.
bool option_number(const arguments* args, const char* name, double* out);
bool option_integer(const arguments* args, const char* name, int64_t least, int64_t most, int64_t* out);
bool option_numbers(const arguments* args, const char* name, int most, double* out, int* count);  // a,b,c

// One of the names names(0), names(1), ... (NULL ends them); prints the nearest one when there is none.
bool option_choice(const arguments* args, const char* name, const char* (*names)(int), int* out);

// The nearest of `count` known names to what was typed, NULL if nothing is near.
const char* nearest_name(const char* typed, const char* (*names)(int), int count);

void print_command_help(const command* what);

#endif
