// For tests: how many bytes a process has had at once.
#ifndef SCREE_PAR_PEAK_H
#define SCREE_PAR_PEAK_H

#include "scree/base.h"

scree_status peak_count(void);    // from now on: before anything is allocated. ARGUMENT
int64_t peak_bytes(bool restart); // the most so far; restart: from now on
int64_t peak_held(void);          // now

#endif
