#include "event_support.h"

void run_for(scree_event_system* system, int32_t count, double collisions)
{
    scree_event_until until = scree_default_event_until();
    until.collisions = (int64_t)(0.5 * collisions * count);
    CHECK_OK(scree_event_run(system, &until));
}

bool lose_patience(void* context, double done)
{
    patience* p = context;
    assert_true(done >= p->last && done <= 1.0);
    p->last = done;
    return (done == 0.0 && !p->placing) || --p->left > 0;
}
