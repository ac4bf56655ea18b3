// Exact shapes and meshes on a device: their geometry, the lists of spheres near them, and the memory of their contacts.
#include "device/flow_inner.h"

#include <inttypes.h>
#include <math.h>

// ---- Geometry --------------------------------------------------------------------------------------------------------------

// What is copied to the device, one array behind the other.
typedef struct heap {
    char* at;       // NULL: it is only counted
    char* there;    // on the device
    size_t bytes;
} heap;

static void* take(heap* h, const void* from, size_t bytes)
{
    size_t place = h->bytes;
    h->bytes += (bytes + 31) / 32 * 32;
    if (h->at == NULL)
        return NULL;
    if (bytes > 0)
        memcpy(h->at + place, from, bytes);
    return h->there + place;
}

#define TAKE(member, count) to.member = take(h, s->member, (size_t)(count) * sizeof *s->member)

// Arrays that contacts do not ask for stay behind.
static scree_surface* take_surface(heap* h, const scree_surface* s)
{
    scree_surface to = *s;
    TAKE(vertex, s->vertices);
    TAKE(triangle, s->triangles);
    TAKE(side, s->triangles);
    TAKE(edge, s->edges);
    TAKE(normal, s->triangles);
    TAKE(vertex_normal, s->vertices);
    TAKE(pinched, s->vertices);
    TAKE(edge_start, s->edges + 1);
    TAKE(edge_triangle, s->edge_start[s->edges]);
    TAKE(vertex_start, s->vertices + 1);
    TAKE(vertex_edge, s->vertex_start[s->vertices]);
    TAKE(node, s->nodes);
    TAKE(order, s->triangles);
    to.source = to.dropped_source = to.dropped_for = NULL;
    return take(h, &to, sizeof to);
}

#undef TAKE

// Shapes by boundary, at the end of the heap.
static const sim_shape* take_shapes(heap* h, const flow* f, sim_shape* shapes)
{
    for (int32_t b = 0; b < f->run->boundary_count; ++b) {
        const sim_shape* s = f->boundaries[b].shape;
        shapes[b] = (sim_shape){.mesh = false};
        if (s == NULL)
            continue;
        shapes[b] = *s;
        if (!s->mesh)
            continue;
        scree_surface* there = take_surface(h, s->surface);
        shapes[b].surface = there;
        if (h->at != NULL) {  // its copy has the pointers of the device
            scree_surface copy;
            memcpy(&copy, h->at + ((char*)there - h->there), sizeof copy);
            shapes[b].arrays = scree_surface_get_arrays(&copy);
        }
    }
    return take(h, shapes, (size_t)f->run->boundary_count * sizeof *shapes);
}

// Once for a device: shapes never change.
scree_status flow_put_shapes(flow* f)
{
    sim_device* d = f->d;
    for (int32_t b = 0; b < f->run->boundary_count; ++b)
        f->shapes += f->boundaries[b].shape != NULL;
    if (f->shapes == 0 || d->shapes != NULL)
        return SCREE_OK;
    sim_shape* shapes = scree_malloc((size_t)f->run->boundary_count, sizeof *shapes);
    if (shapes == NULL)
        return SCREE_ERR_MEMORY;
    heap h = {.at = NULL};
    take_shapes(&h, f, shapes);
    size_t bytes = h.bytes;
    scree_status status = block_reserve(d, B_SHAPES, bytes);
    h = (heap){.at = scree_calloc(bytes, 1), .there = block_at(d, B_SHAPES)};
    if (status == SCREE_OK && h.at == NULL)
        status = SCREE_ERR_MEMORY;
    const sim_shape* there = status == SCREE_OK ? take_shapes(&h, f, shapes) : NULL;
    if (status == SCREE_OK && d->ops.put(d->context, block_at(d, B_SHAPES), h.at, bytes) != 0)
        status = flow_failed(d);
    if (status == SCREE_OK)
        d->shapes = there;
    scree_free(h.at);
    scree_free(shapes);
    return status;
}

// ---- Lists -----------------------------------------------------------------------------------------------------------------

// Contacts and links of a sphere with so many rows.
static int64_t shape_room(int64_t rows)
{
    return 2 * rows + SCREE_EXACT_CONTACTS_MAX;
}

shape_set flow_shape_set(const flow* f, bool old)
{
    const sim_device* d = f->d;
    if (f->shapes == 0)
        return (shape_set){.count = 0};
    return (shape_set){.count = f->shapes,
                       .shapes = d->shapes,
                       .off = block_at(d, old ? B_OLD_SHAPE_OFF : B_SHAPE_OFF),
                       .part = block_at(d, old ? B_OLD_SHAPE_PART : B_SHAPE_PART),
                       .boundary = block_at(d, old ? B_OLD_SHAPE_OF : B_SHAPE_OF),
                       .slot = f->words > 0 ? block_at(d, old ? B_OLD_SHAPE_SLOT : B_SHAPE_SLOT) : NULL,
                       .next = f->words > 0 ? block_at(d, B_SHAPE_NEXT) : NULL,
                       .words = f->words > 0 ? block_at(d, old ? B_OLD_SHAPE_WORDS : B_SHAPE_WORDS) : NULL,
                       .near = block_at(d, B_SHAPE_NEAR),
                       .touch = (double(*)[6])block_at(d, B_SHAPE_TOUCH),
                       .touched = block_at(d, B_SHAPE_TOUCHED),
                       .work = block_at(d, B_SHAPE_WORK),
                       .contacts = block_at(d, B_SHAPE_CONTACTS),
                       .touches = block_at(d, B_SHAPE_TOUCHES),
                       .work_room = surface_work_room(f->shape_rows),
                       .room = shape_room(f->shape_rows),
                       .lanes = f->shape_lanes};
}

void flow_put_aside_shapes(flow* f)
{
    sim_device* d = f->d;
    static const int pairs[][2] = {{B_SHAPE_OFF, B_OLD_SHAPE_OFF}, {B_SHAPE_PART, B_OLD_SHAPE_PART}, {B_SHAPE_OF, B_OLD_SHAPE_OF}, {B_SHAPE_SLOT, B_OLD_SHAPE_SLOT}, {B_SHAPE_WORDS, B_OLD_SHAPE_WORDS}};
    for (size_t b = 0; b < sizeof pairs / sizeof *pairs && f->shapes > 0; ++b)
        block_exchange(d, pairs[b][0], pairs[b][1]);
}

// Room for the contacts of as many spheres at once as it is worth, up to a power of two of rows so that launches stay the same.
static scree_status reserve_lanes(flow* f, int64_t most, int64_t near)
{
    enum { least = 32, budget = 1 << 28 };
    sim_device* d = f->d;
    int64_t rows = 4, many = least, slots = d->ops.slots(d->context);
    while (rows < most)
        rows *= 2;
    rows = rows > f->shape_rows ? rows : f->shape_rows;
    const int64_t room = shape_room(rows), work = surface_work_room(rows);
    const int64_t bytes = work * (int64_t)sizeof(surface_work) + room * (int64_t)(sizeof(scree_surface_contact) + sizeof(surface_touch));
    while (many < near && many < slots && 2 * many * bytes <= budget)
        many *= 2;
    many = many > f->shape_lanes || rows > f->shape_rows ? many : f->shape_lanes;
    many = slots < least ? slots : many;
    TRY(block_reserve(d, B_SHAPE_WORK, (size_t)(many * work) * sizeof(surface_work)));
    TRY(block_reserve(d, B_SHAPE_CONTACTS, (size_t)(many * room) * sizeof(scree_surface_contact)));
    TRY(block_reserve(d, B_SHAPE_TOUCHES, (size_t)(many * room) * sizeof(surface_touch)));
    f->shape_rows = rows;
    f->shape_lanes = many;
    return SCREE_OK;
}

// While a list is held a sphere and a shape come nearer to each other by half of the skin at most. A contact that has just ended is to be in it.
scree_status flow_list_shapes(flow* f)
{
    sim_device* d = f->d;
    const device_run* run = f->run;
    const size_t n = (size_t)run->n;
    if (f->shapes == 0)
        return SCREE_OK;
    uint64_t result[3];
    TRY(flow_tell_boundaries(f, 1));
    TRY(block_reserve(d, B_COUNT, 4 * (n + 1)));
    TRY(block_reserve(d, B_SHAPE_OFF, 4 * (n + 1)));
    TRY(block_reserve(d, B_SHAPE_NEAR, 4 * n));
    TRY(block_reserve(d, B_SHAPE_TOUCHED, 4 * n));
    TRY(block_reserve(d, B_SMALL, 256));
    shape_job job = {.n = run->n,
                     .boundary_count = run->boundary_count,
                     .margin = fmax(0.5 * f->skin, 1.25 * f->last_move) + run->law->reach,
                     .cell = run->cell,
                     .x = (const double(*)[4])block_rows4(d, B_X),
                     .flags = run->flags != NULL ? block_at(d, B_FLAGS) : NULL,
                     .boundaries = block_at(d, B_BOUNDARIES),
                     .now = flow_shape_set(f, false),
                     .has_old = f->has_old,
                     .wide = f->words > 0 ? f->words + surface_words : 0,
                     .from = f->renamed ? block_at(d, B_FROM) : NULL,
                     .count = block_at(d, B_COUNT),
                     .result = block_at(d, B_SMALL)};
    DEVICE(d->ops.zero(d->context, job.result, sizeof result));
    DEVICE(d->ops.launch(d->context, KERNEL_SHAPE_COUNT, &job, (int64_t)n + 1));
    DEVICE(d->ops.sums(d->context, job.count, job.now.off, (int64_t)n + 1));
    DEVICE(d->ops.get(d->context, result, job.result, sizeof result));
    if (result[2] >= INT32_MAX / 2)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "device %s: %" PRIu64 " pairs of a sphere and a surface part; expected fewer than %d", d->ops.name, result[2], INT32_MAX / 2);
    const size_t rows = (size_t)result[2] + (size_t)result[2] / 8 + 64;
    if (d->blocks[B_SHAPE_PART].bytes < 4 * (size_t)result[2])
        TRY(block_reserve(d, B_SHAPE_PART, 4 * rows));
    if (d->blocks[B_SHAPE_OF].bytes < (size_t)result[2])
        TRY(block_reserve(d, B_SHAPE_OF, rows));
    if (d->blocks[B_SHAPE_TOUCH].bytes < 96 * (size_t)result[2])
        TRY(block_reserve(d, B_SHAPE_TOUCH, 96 * rows));
    if (job.wide > 0 && d->blocks[B_SHAPE_SLOT].bytes < 4 * (size_t)result[2])
        TRY(block_reserve(d, B_SHAPE_SLOT, 4 * rows));
    if (job.wide > 0 && d->blocks[B_SHAPE_NEXT].bytes < 4 * (size_t)result[2])
        TRY(block_reserve(d, B_SHAPE_NEXT, 4 * rows));
    if (job.wide > 0 && d->blocks[B_SHAPE_WORDS].bytes < 8 * (size_t)job.wide * (size_t)result[2])
        TRY(block_reserve(d, B_SHAPE_WORDS, 8 * (size_t)job.wide * rows));
    TRY(reserve_lanes(f, (int64_t)result[1], (int64_t)result[0]));
    job.now = flow_shape_set(f, false);
    job.old = flow_shape_set(f, true);
    job.near_count = f->near = (int32_t)result[0];
    if (f->near > 0)
        DEVICE(d->ops.launch(d->context, KERNEL_SHAPE_FILL, &job, f->near));
    return SCREE_OK;
}

// ---- What contacts remember ------------------------------------------------------------------------------------------------

// Rows of the old list: one for each contact.
scree_status flow_put_shape_memory(flow* f)
{
    sim_device* d = f->d;
    const device_run* run = f->run;
    const device_contacts* in = &run->touches;
    size_t n = (size_t)run->n, count = (size_t)in->count, wide = (size_t)f->words + surface_words;
    if (f->shapes == 0)
        return SCREE_OK;
    uint32_t* off = scree_calloc(n + 1, sizeof *off);
    int32_t* part = scree_malloc(2 * count + 1, sizeof *part);
    uint8_t* boundary = scree_malloc(count + 1, sizeof *boundary);
    scree_status status = off == NULL || part == NULL || boundary == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (size_t c = 0; c < count && status == SCREE_OK; ++c) {
        int32_t b = run->boundary_count - 1;
        while (f->boundaries[b].shape == NULL || f->boundaries[b].shape->first > in->ij[c][1])
            --b;
        ++off[in->ij[c][0] + 1];
        part[c] = in->ij[c][1] - f->boundaries[b].shape->first;
        part[count + c] = (int32_t)c;
        boundary[c] = (uint8_t)b;
    }
    for (size_t i = 0; i < n && status == SCREE_OK; ++i)
        off[i + 1] += off[i];
    if (status == SCREE_OK)
        status = block_put(d, B_OLD_SHAPE_OFF, off, (n + 1) * sizeof *off);
    if (status == SCREE_OK)
        status = block_put(d, B_OLD_SHAPE_PART, part, count * sizeof *part);
    if (status == SCREE_OK)
        status = block_put(d, B_OLD_SHAPE_SLOT, part + count, count * sizeof *part);
    if (status == SCREE_OK)
        status = block_put(d, B_OLD_SHAPE_OF, boundary, count);
    if (status == SCREE_OK)
        status = block_put(d, B_OLD_SHAPE_WORDS, in->words, count * wide * sizeof *in->words);
    scree_free(off);
    scree_free(part);
    scree_free(boundary);
    return status;
}

scree_status flow_get_shape_memory(flow* f)
{
    sim_device* d = f->d;
    device_run* run = f->run;
    size_t n = (size_t)run->n, wide = (size_t)f->words + surface_words;
    device_contacts out = {.count = 0};
    if (f->shapes == 0)
        return SCREE_OK;
    uint32_t* off = scree_malloc(n + 1, sizeof *off);
    if (off == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = block_get(d, B_SHAPE_OFF, off, (n + 1) * sizeof *off);
    size_t rows = status == SCREE_OK ? off[n] : 0;
    int32_t *part = scree_malloc(rows + 1, sizeof *part), *slot = scree_malloc(rows + 1, sizeof *slot);
    uint8_t* boundary = scree_malloc(rows + 1, sizeof *boundary);
    double* words = scree_malloc(rows * wide + 1, sizeof *words);
    if (status == SCREE_OK && (part == NULL || slot == NULL || boundary == NULL || words == NULL))
        status = SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = block_get(d, B_SHAPE_PART, part, rows * sizeof *part);
    if (status == SCREE_OK)
        status = block_get(d, B_SHAPE_SLOT, slot, rows * sizeof *slot);
    if (status == SCREE_OK)
        status = block_get(d, B_SHAPE_OF, boundary, rows);
    if (status == SCREE_OK)
        status = block_get(d, B_SHAPE_WORDS, words, rows * wide * sizeof *words);
    for (size_t r = 0; r < rows && status == SCREE_OK; ++r)
        out.count += slot[r] >= 0;
    if (status == SCREE_OK)
        status = run->room_touches(run->context, out.count, &out);
    int64_t to = 0;
    for (size_t i = 0; i < n && status == SCREE_OK; ++i)
        for (size_t r = off[i]; r < off[i + 1]; ++r) {
            if (slot[r] < 0)
                continue;
            out.ij[to][0] = (int32_t)i;
            out.ij[to][1] = run->part_first(run->context, boundary[r]) + part[r];
            memcpy(out.words + (size_t)to++ * wide, words + r * wide, wide * sizeof *words);
        }
    scree_free(off);
    scree_free(part);
    scree_free(slot);
    scree_free(boundary);
    scree_free(words);
    return status;
}
