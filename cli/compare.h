// What scree compare finds in texts: logs, and the scenes of runs.
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "common.h"

bool log_is(const char* path);  // its header begins as that of a log

// Rows of two logs in their order. Adds to the result, *same: false if they differ. FORMAT, IO, MEMORY, CANCELLED.
scree_status logs_compare(const char* const paths[2], result* res, bool* same);

// Scenes as runs keep them, with all defaults: a row for each key that differs. MEMORY.
scree_status scenes_compare(const char* const scenes[2], result* res);

#endif
