#include "base/wide.h"

bool scree_plain_only;
