// The command line: one table per command says what it takes; parsing, checking, --help, "did you mean", the man pages and the
// completion of the shells come from it.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "say.h"

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

// The words that an option's value can be.
typedef struct choice {
    const char* option;         // its name
    const char* (*names)(int);  // names(0), names(1), ...; NULL ends them
    bool open;                  // other values are possible: these are offered by the shell, and nothing is checked against them
} choice;

// An option that a command does not take although users may expect it: it is not listed, and the error gives the reason.
typedef struct rejected_option {
    const char *name, *why;
} rejected_option;

// An earlier name of an option, or one letter of it: still accepted, not listed.
typedef struct old_spelling {
    const char *old, *now;
} old_spelling;

// What a command does with the file or folder that an argument or an option names.
typedef enum file_kind {
    READS_FILE = 1,
    READS_FILE_OR_FOLDER,
    READS_FOLDER,
    WRITES_FILE,    // or a folder, if the name ends in /
    WRITES_FOLDER,
    WRITES_PREFIX,  // the names of the files are in the table `leaves`
    KEEPS_FILE      // reads it where it exists, writes it, and removes it in the end
} file_kind;

typedef struct file_use {
    file_kind kind;
    const char* option;  // NULL: positional arguments, in order; the last row is that of all further ones
    const char* usual;   // the name where the option is not given; NULL: none
} file_use;

// A file that a command leaves, for its man page.
typedef struct left_file {
    const char *name, *about;
} left_file;

enum { most_options = 48, most_repeated = 64 };

typedef struct arguments arguments;

typedef struct command command;
struct command {
    const char* name;             // of a part with that of its group: "pack rsa"
    const char* usage;            // after "scree NAME"
    const char* about;            // one line
    const char* details;          // for --help, paragraphs with \n between them; may be NULL
    const char* example;          // for --help
    int least_files, most_files;  // positional arguments
    const option* options;        // closed by a zeroed entry; the common ones are added to them
    const choice* choices;        // of these options, closed by a zeroed entry; may be NULL
    const char* const* repeated;  // options that may be given several times, closed by NULL; may be NULL
    const rejected_option* rejected;  // closed by a zeroed entry; may be NULL
    const old_spelling* old;      // closed by a zeroed entry; may be NULL
    const char* (*words)(int);    // what positional arguments can be, if not files; NULL: files
    const file_use* uses;         // of all arguments and options that name files, closed by a zeroed entry (--sizes table:FILE is known)
    const left_file* leaves;      // closed by a zeroed entry; may be NULL
    exit_code (*run)(const arguments* args);
    // A group, `scree pack METHOD`: each part is a command with options and help of its own. The group takes nothing itself.
    const command* const* parts;  // NULL behind the last; NULL: no group
    const char* part;             // what --help calls a part, and the option by which older scripts name it: "method"
    const command* group;         // of a part
};

struct arguments {
    const command* what;
    int file_count;
    const char** files;
    const char* values[most_options];  // by place in the command's table, then the common one; switches hold ""
    const char* repeated[most_repeated];  // values of options that may be given several times, in order,
    int repeated_place[most_repeated];    // and of which
    int repeated_count;
};

// The part of a group that argv names: its first word, or --method NAME as in earlier versions. Takes these words out of argv. A command that is no group is
// returned as it is. NULL: help was printed, or a sentence on stderr; *code says which.
const command* options_choose_part(const command* what, int* argc, char** argv, exit_code* code);
const command* find_part(const command* group, const char* word);  // NULL: there is none
const char* part_word(const command* part);                        // "rsa"

// Parses argv (behind the command's name). EXIT_DONE: go on; else a sentence has been printed on stderr.
// *help is set when --help was asked for and printed.
exit_code options_parse(const command* what, int argc, char** argv, arguments* out, bool* help);

// The value of an option, NULL if it was not given. The name must be in the table (our mistake otherwise).
const char* option_text(const arguments* args, const char* name);
bool option_given(const arguments* args, const char* name);
int option_values(const arguments* args, const char* name, const char* out[most_repeated]);  // of one that may be given several times: how many there are

bool option_exists(const arguments* args, const char* name);  // whether the command takes it

// The p-th option of a command, its own and then the common ones, and its value as given (NULL: it was not); false behind the last.
bool option_nth(const arguments* args, int p, const option** out, const char** value);

// Typed values. Each prints a sentence and returns false if the text is not what it should be; *out keeps its value if
// the option was not given.
bool option_number(const arguments* args, const char* name, double* out);
bool option_integer(const arguments* args, const char* name, int64_t least, int64_t most, int64_t* out);
bool option_numbers(const arguments* args, const char* name, int most, double* out, int* count);  // a,b,c

// One of the names names(0), names(1), ... (NULL ends them), which the command's table of choices has too; prints the nearest
// one when there is none.
bool option_choice(const arguments* args, const char* name, const char* (*names)(int), int* out);

// The nearest of `count` known names to what was typed, NULL if nothing is near.
const char* closest_spelling(const char* typed, const char* (*names)(int), int count);

// ---- The tables, for help, man pages and completion ----------------------------------------------------------------

// The p-th option that a command takes, its own before the common ones; NULL behind the end.
const option* option_at(const command* what, int p);
bool option_is_own(const command* what, int p);

// Whether the command does not take this common one, or has its own row for it: it is not listed.
bool option_is_hidden(const command* what, int p);

// What is done with the file that the option names, or positional argument number k (name NULL); NULL: it names none.
const file_use* use_of(const command* what, const char* name, int k);

// The words for an option's value; NULL if anything goes.
const choice* choice_of(const command* what, const char* name);

#endif
