// The caller's threads (scree_set_tasks). In libscree alone: the copies of parallel.c in the other libraries ask here.
#include "base/argument.h"

static scree_tasks tasks;  // `run` NULL: none

scree_status scree_set_tasks(const scree_tasks* given)
{
    if (given != NULL)
        SCREE_NEED_AS(given->run, "tasks->run");
    tasks = given != NULL ? *given : (scree_tasks){0};
    return SCREE_OK;
}

const scree_tasks* scree_get_tasks(void)
{
    return tasks.run != NULL ? &tasks : NULL;
}
