// The plain grid for machines of level x86-64-v3 (AVX2, BMI): what a user gets who compiles it on the machine at hand.
#define PLAIN_SEARCH plain_grid_search_v3
#include "plain_grid_body.h"
