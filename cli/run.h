// What a command needs while it runs: progress, Ctrl-C, and how errors end the program.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "options.h"

#include "scree/base.h"

// Opens closed descriptors 0, 1 and 2 on /dev/null, and installs the signal handlers: the first Ctrl-C asks the running call to stop, another
// one a second or more later kills the program. A closed pipe is an error of the write, not a fatal signal.
void run_begin(void);
// Whether Ctrl-C also stops library calls that take no watch. False in commands that write their partial result after Ctrl-C.
void run_hears(bool all);
bool run_interrupted(void);
// The answer to a watch: false after Ctrl-C. For tests: with SCREE_TEST_STOP=N, Ctrl-C comes with the N-th question; with 0 it does not come, and run_end prints the longest time between questions.
bool run_may_go_on(void);
double run_seconds(void);  // of a monotonic clock

// A watch that draws "label  42 %, 3 s left" on stderr: only on a terminal, only for work longer than half a second,
// and not when quiet. It also stops the call after Ctrl-C. Valid until the next call of this function.
scree_watch run_watch(const char* label, bool quiet);
void run_watch_end(void);  // wipes the progress line

// Prints the library's message and gives the exit code that belongs to the status.
exit_code run_failed(const arguments* args, scree_status status);
void run_wrote(const char* path);  // this output is complete; the message after Ctrl-C names it
exit_code run_stopped(const arguments* args);  // for CANCELLED if files were written: the library's message names them
exit_code run_misused(const arguments* args);  // as run_failed, for an invalid value of an option: EXIT_USAGE

// Not enough memory to print the result: run_end reports this and returns EXIT_FAILED.
void run_cannot_print(void);

// The command line asks for one JSON object: run_end prints it where the command has failed and printed none.
void run_wants_json(const char* name);

// Flushes standard output; a failure (full disk) is printed and turns the code into EXIT_FAILED. A pipe without a reader ends the
// program quietly, with 128 + SIGPIPE as if by that signal.
exit_code run_end(exit_code code);

#endif
