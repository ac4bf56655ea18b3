// pi, for the .c files that need it.
#ifndef SCREE_BASE_PI_H
#define SCREE_BASE_PI_H

static const double pi = 3.14159265358979323846;

#endif
