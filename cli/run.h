// What a command needs while it runs: progress, Ctrl-C, and the way errors leave the program.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "options.h"

#include "scree/base.h"

// Holds the descriptors 0, 1 and 2 where they are closed, and installs the handlers: the first Ctrl-C asks the running call to stop, one
// that comes a second or more later kills; a closed pipe is an error of that write, not a fatal signal.
void run_begin(void);
// whether Ctrl-C also stops calls of the library that take no watch; not in commands that write what they have after it
void run_hears(bool all);
bool run_interrupted(void);
bool run_may_go_on(void);  // the same for what is asked during work: with SCREE_TEST_STOP=N, for tests, Ctrl-C comes with the N-th question; with 0 none comes, and run_end prints how far questions were apart
double run_seconds(void);  // on a clock that never runs back

// A watch that draws "label  42 %, 3 s left" on stderr: only on a terminal, only for work longer than half a second,
// and not when quiet. It also stops the call after Ctrl-C. Valid until the next call of this function.
scree_watch run_watch(const char* label, bool quiet);
void run_watch_end(void);  // wipes the progress line

// Prints the library's message and gives the exit code that belongs to the status.
exit_code run_failed(const arguments* args, scree_status status);
void run_wrote(const char* path);  // this output is complete; the sentence on a stop says so
exit_code run_stopped(const arguments* args);  // for CANCELLED where something was written: the message says what
exit_code run_misused(const arguments* args);  // the same where an option's value is to blame: EXIT_USAGE

// There was no memory for the result: run_end says so and ends with EXIT_FAILED.
void run_cannot_print(void);

// The command line asks for one JSON object: run_end prints it where the command has failed and printed none.
void run_wants_json(const char* name);

// Flushes standard output; a failure (full disk) is printed and turns the code into EXIT_FAILED. A pipe without a reader ends the
// program quietly, with 128 + SIGPIPE as if by that signal.
exit_code run_end(exit_code code);

#endif
