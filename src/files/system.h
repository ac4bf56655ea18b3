// What input and output say alike when the system refuses or the caller has had enough.
#ifndef SCREE_FILES_SYSTEM_H
#define SCREE_FILES_SYSTEM_H

#include "scree/base.h"

// IO with the message "name: what: the system's reason for `error`" (an errno).
scree_status scree_system_fail(const char* name, const char* what, int error);

// Asks the watch whether to go on, with the share that is done. CANCELLED with the message "name: reading was stopped on
// request" (`doing` is the reading) if not.
scree_status scree_watch_ask(scree_watch watch, double done, const char* name, const char* doing);

#endif
