// What the tests of hard spheres share.
#ifndef TESTS_EVENT_SUPPORT_H
#define TESTS_EVENT_SUPPORT_H

#include "pack_support.h"

#include "event/system.h"
#include "scree/event.h"
#include "scree/index.h"
#include "scree/measure.h"
#include "scree/pack.h"
#include "scree/sizes.h"

typedef struct patience {
    int left;
    double last;
    bool placing;  // ticks before it grows count too
} patience;

void run_for(scree_event_system* system, int32_t count, double collisions);
bool lose_patience(void* context, double done);

#endif
