// All files are opened here; and the messages that input and output share for system errors and cancellation.
#ifndef SCREE_FILES_SYSTEM_H
#define SCREE_FILES_SYSTEM_H

#include "scree/base.h"

#include <dirent.h>
#include <stdio.h>

// open, as a descriptor of 3 or more that programs we start do not inherit: where 0, 1 or 2 are closed, a file must not get their number,
// because whatever prints to standard output or error would then write into it. -1: errno says why.
int scree_open(const char* path, int flags, unsigned mode);

// The same as a stream, "rb" or "r+b" and so on by the flags, and as a folder to be read; a folder that is a link is rejected with
// O_NOFOLLOW in `flags`. NULL: errno says why.
FILE* scree_open_stream(const char* path, int flags, unsigned mode);
DIR* scree_open_folder(const char* path, int flags);

// IO with the message "name: what: the system's reason for `error`" (an errno).
scree_status scree_system_fail(const char* name, const char* what, int error);

// Whether there is a file of this name, and whether there is no folder of this name ("-" is fine): asked before a name without a known extension is rejected, which may be misspelt or
// that of a folder. IO: as opening it fails.
scree_status scree_check_readable(const char* path);
scree_status scree_check_writable(const char* path);

// Asks the watch whether to continue, with the progress so far. CANCELLED with the message "name: reading was stopped on
// request" (`doing` is the reading) if not.
scree_status scree_watch_ask(scree_watch watch, double done, const char* name, const char* doing);

#endif
