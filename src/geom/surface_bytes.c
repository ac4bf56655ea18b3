#include "geom/surface_bytes.h"

#include "geom/surface_inner.h"

typedef struct surface_block {
    size_t at;      // of its pointer
    int64_t count;
    size_t size;
} surface_block;

enum { surface_blocks = 16 };

#define BLOCK(field, count_) {.at = offsetof(scree_surface, field), .count = count_, .size = sizeof *s->field}

static void blocks_of(const scree_surface* s, surface_block out[surface_blocks])
{
    const surface_block blocks[surface_blocks] = {
        BLOCK(vertex, s->vertices),         BLOCK(triangle, s->triangles),    BLOCK(side, s->triangles),
        BLOCK(edge, s->edges),              BLOCK(normal, s->triangles),      BLOCK(vertex_normal, s->vertices),
        BLOCK(pinched, s->vertices),        BLOCK(edge_start, s->edges + 1),  BLOCK(edge_triangle, 3 * (int64_t)s->triangles),
        BLOCK(vertex_start, s->vertices + 1), BLOCK(vertex_edge, 2 * (int64_t)s->edges),
        BLOCK(source, s->triangles),        BLOCK(dropped_source, s->dropped), BLOCK(dropped_for, s->dropped),
        BLOCK(node, s->nodes),              BLOCK(order, s->triangles),
    };
    memcpy(out, blocks, sizeof blocks);
}

void surface_put(const scree_surface* surface, scree_bytes* bytes)
{
    surface_block blocks[surface_blocks];
    blocks_of(surface, blocks);
    scree_bytes_put(bytes, surface, sizeof *surface);
    for (int b = 0; b < surface_blocks; ++b) {
        const char* rows;
        memcpy(&rows, (const char*)surface + blocks[b].at, sizeof rows);
        scree_bytes_put(bytes, rows, (size_t)blocks[b].count * blocks[b].size);
    }
}

scree_status surface_take(scree_bytes* bytes, scree_surface** out)
{
    surface_block blocks[surface_blocks];
    scree_surface* s = *out = scree_bytes_take_block(bytes, 1, sizeof *s);
    if (s == NULL)
        return bytes->status;
    blocks_of(s, blocks);
    for (int b = 0; b < surface_blocks; ++b) {
        void* rows = scree_bytes_take_block(bytes, blocks[b].count, blocks[b].size);
        memcpy((char*)s + blocks[b].at, &rows, sizeof rows);
    }
    if (bytes->status != SCREE_OK) {
        scree_surface_destroy(s);
        *out = NULL;
    }
    return bytes->status;
}
