// Failures of the system in words, and the question to the caller whether to go on.
#include "files/system.h"

#include <stdio.h>
#include <string.h>

scree_status scree_system_fail(const char* name, const char* what, int error)
{
    char reason[256];
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    return scree_fail(SCREE_ERR_IO, "%s: %s: %s", name, what, reason);
}

scree_status scree_watch_ask(scree_watch watch, double done, const char* name, const char* doing)
{
    if (watch.tick == NULL || watch.tick(watch.context, done))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_CANCELLED, "%s: %s was stopped on request", name, doing);
}
