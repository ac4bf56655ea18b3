// A surface as bytes, for another process: the same surface to the last bit, without being rebuilt.
#ifndef SCREE_GEOM_SURFACE_BYTES_H
#define SCREE_GEOM_SURFACE_BYTES_H

#include "base/bytes.h"
#include "scree/surface.h"

void surface_put(const scree_surface* surface, scree_bytes* bytes);
scree_status surface_take(scree_bytes* bytes, scree_surface** out);  // MEMORY

#endif
