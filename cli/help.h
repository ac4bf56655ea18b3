// Help, man pages and completion for shells. All of them come from the tables of the commands (options.h), so that they agree.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "options.h"

#include <stdio.h>

// The commands that serve one end, with a line to try.
typedef struct task {
    const char* name;            // after "to"
    const command* commands[6];  // NULL after the last
    const char* example;
} task;

extern const task tasks[];  // closed by a zeroed entry

// All commands, in the order of the tasks; NULL behind the last.
const command* command_at(int c);
const char* command_name_at(int c);
const command* find_command(const char* name);  // NULL: there is none

// What `scree` alone prints.
void print_help(FILE* to);

// What `scree COMMAND --help` prints, on standard output.
void print_command_help(const command* what);

// The command and then its parts, all commands in turn; NULL behind the last. For man pages and completion.
const command* page_at(int p);

// `scree help ...`, argv behind `help`: EXIT_DONE, or a sentence on stderr.
exit_code help_run(int argc, char** argv);

// The keys of scene files; of one key all that is known, of "--schema" their JSON Schema; NULL: a list. EXIT_DONE, or a sentence on stderr.
exit_code help_scene(const char* key);

// Lines that fit the terminal: a name and text beside it; text from column `at` on, lines after the first from column `indent` on.
void put_row(FILE* to, const char* name, const char* about, int width);
void put_wrapped(FILE* to, const char* text, int at, int indent);

// "there is no command ..." on stderr; EXIT_USAGE.
exit_code no_such_command(const char* word);

void print_man(const command* what);  // roff for man(1); NULL: scree(1)
void print_bash_completion(void);
void print_zsh_completion(void);

#endif
