#include "base/wide.h"

bool scree_plain_only;
bool scree_avx2_at_most;
