// What the files that make the bodies of a scene share.
#ifndef SCREE_RUN_BODIES_H
#define SCREE_RUN_BODIES_H

#include "scree/run.h"

// Adds the polygons of a file. IO, MEMORY, CANCELLED; FORMAT with file and line, polygon and vertex.
scree_status bodies_read_file(const char* path, scree_watch watch, scree_shapes* shapes);

#endif
