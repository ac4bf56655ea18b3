// See part.h.
#include "sim/part_inner.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "sim/motion.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Life ----------------------------------------------------------------------------------------------------------

scree_status part_check(const scree_sim* sim)
{
    return sim->device != NULL ? scree_fail(SCREE_ERR_UNSUPPORTED, "sim: a simulation on a device (def.device) does not run on several ranks yet; expected one process") : SCREE_OK;
}

static void free_lists(struct sim_part* part)
{
    scree_free(part->ij);
    scree_free(part->shift);
    scree_free(part->start);
    scree_dealt_free(&part->dealt);
    scree_free(part->stretches);
    scree_free(part->xr);
    scree_free(part->still);
    scree_free(part->spans);
}

void part_close(scree_sim* sim)
{
    if (sim->part == NULL)
        return;
    free_lists(sim->part);
    scree_free(sim->part->marks);
    for (int32_t k = 0; k < sim->surfaces.count && sim->part->meshes != NULL; ++k)
        scree_surface_destroy(sim->part->meshes[k]);
    scree_free(sim->part->meshes);
    scree_free(sim->part);
    scree_free(sim->ghost);
}

int64_t part_memory_size(const scree_sim* part)
{
    const struct sim_part* p = part->part;
    return (int64_t)(sim_bytes(part) + scree_dealt_bytes(&p->dealt)) + part->n + p->ij_capacity * (int64_t)sizeof *p->ij + p->shift_capacity * (int64_t)sizeof *p->shift +
           p->start_capacity * (int64_t)sizeof *p->start + p->stretch_capacity * (int64_t)sizeof *p->stretches + p->xr_capacity * (int64_t)sizeof *p->xr + p->still_capacity + p->span_capacity * (int64_t)sizeof *p->spans;
}

int32_t part_count(const scree_sim* sim)
{
    return sim->n;
}

bool part_is_ghost(const scree_sim* sim, int32_t rank)
{
    return sim->ghost != NULL && sim->ghost[rank] != 0;
}

void part_stub_of(const scree_sim* sim, int32_t rank, part_stub* out)
{
    *out = (part_stub){.key = sim->key[rank], .id = sim->id[rank], .fixed = is_fixed(sim->flags, rank)};
    memcpy(out->x, sim->x[rank], sizeof out->x);
}

bool part_remembers(const scree_sim* sim)
{
    return sim->law.row.words > 0;
}

bool part_sees_velocities(const scree_sim* sim)
{
    return sim->law.damped || sim->law.turns;
}

// ---- Records -------------------------------------------------------------------------------------------------------

const double (*part_places(const scree_sim* sim))[4]
{
    return (const double(*)[4])sim->x;
}

const uint8_t* part_ghosts(const scree_sim* sim)
{
    return sim->ghost;
}

const uint64_t* part_key_array(const scree_sim* sim)
{
    return sim->key;
}

const int64_t* part_id_array(const scree_sim* sim)
{
    return sim->id;
}

static bool is_array(const sim_array* array, size_t at)
{
    return array->at == at;
}

// Bytes of an item of this array in a record; 0: it is not part of it.
static size_t bytes_of(const scree_sim* sim, part_what what, const sim_array* array)
{
    bool x = is_array(array, offsetof(scree_sim, x)), p = is_array(array, offsetof(scree_sim, p)), turns = is_array(array, offsetof(scree_sim, v)) ||
         is_array(array, offsetof(scree_sim, w)) || is_array(array, offsetof(scree_sim, wp));
    if (sim_items(sim, array->at) == NULL || is_array(array, offsetof(scree_sim, row)))
        return 0;
    if (what == PART_LOOK)
        return is_array(array, offsetof(scree_sim, v)) || is_array(array, offsetof(scree_sim, w)) ? 3 * sizeof(double) : 0;
    if (what == PART_STEP)
        return x || p || (turns && sim->law.turns) ? 3 * sizeof(double) : 0;
    if (x || is_array(array, offsetof(scree_sim, id)))
        return 0;  // the stub has them
    bool result = is_array(array, offsetof(scree_sim, other)) || is_array(array, offsetof(scree_sim, wp_next));
    return array->ordered || (what == PART_START && result) ? array->bytes : 0;
}

static bool has_stub(part_what what)
{
    return what == PART_START || what == PART_MOVE;
}

size_t part_bytes(const scree_sim* sim, part_what what)
{
    size_t bytes = has_stub(what) ? sizeof(part_stub) : 0;
    for (int a = 0; a < sim_array_count; ++a)
        bytes += bytes_of(sim, what, &sim_arrays[a]);
    return (bytes + 7) / 8 * 8;
}

// The arrays of a record, where they are now.
typedef struct record_layout {
    int count;
    size_t bytes;            // of the record
    struct {
        char* rows;
        size_t stride, bytes;
    } of[sim_array_count];
} record_layout;

static void lay_out(const scree_sim* sim, part_what what, record_layout* out)
{
    out->count = 0;
    out->bytes = part_bytes(sim, what);
    for (int a = 0; a < sim_array_count; ++a) {
        size_t bytes = bytes_of(sim, what, &sim_arrays[a]);
        if (bytes == 0)
            continue;
        out->of[out->count].rows = sim_items(sim, sim_arrays[a].at);
        out->of[out->count].stride = sim_step_of(sim, sim_arrays[a].at, sim_arrays[a].bytes, sim_arrays[a].rows);
        out->of[out->count++].bytes = bytes;
    }
}

void part_pack(const scree_sim* sim, part_what what, const int32_t* ranks, int32_t count, char* out)
{
    record_layout l;
    lay_out(sim, what, &l);
    for (int32_t e = 0; e < count; ++e, out += l.bytes) {
        char* to = out;
        if (has_stub(what)) {
            part_stub stub;
            part_stub_of(sim, ranks[e], &stub);
            memcpy(to, &stub, sizeof stub);
            to += sizeof stub;
        }
        for (int a = 0; a < l.count; ++a) {
            memcpy(to, l.of[a].rows + (size_t)ranks[e] * l.of[a].stride, l.of[a].bytes);
            to += l.of[a].bytes;
        }
    }
}

void part_unpack(scree_sim* sim, part_what what, const int32_t* ranks, int32_t count, const char* in)
{
    record_layout l;
    lay_out(sim, what, &l);
    for (int32_t e = 0; e < count; ++e, in += l.bytes) {
        const char* from = in;
        if (has_stub(what)) {
            part_stub stub;
            memcpy(&stub, from, sizeof stub);
            sim->key[ranks[e]] = stub.key;
            sim->id[ranks[e]] = stub.id;
            memcpy(sim->x[ranks[e]], stub.x, sizeof stub.x);
            from += sizeof stub;
        }
        for (int a = 0; a < l.count; ++a) {
            memcpy(l.of[a].rows + (size_t)ranks[e] * l.of[a].stride, from, l.of[a].bytes);
            from += l.of[a].bytes;
        }
    }
}

// ---- Room ----------------------------------------------------------------------------------------------------------

// All that goes by blocks or by the list, and contacts; the arrays of spheres stay.
static void free_rest(scree_sim* sim)
{
    char* kept[sim_array_count];
    for (int a = 0; a < sim_array_count; ++a) {
        kept[a] = sim_items(sim, sim_arrays[a].at);
        sim_set_items(sim, sim_arrays[a].at, NULL);
    }
    sim_room_free(sim);
    for (int a = 0; a < sim_array_count; ++a)
        sim_set_items(sim, sim_arrays[a].at, kept[a]);
    scree_free(sim->row);
    sim->row = NULL;
    sim->traits &= ~(unsigned)SIM_GAPS;
    sim->memory.kept = sim->memory.held = sim->memory.stays = false;
    sim->bonds.count = 0;
    sim->numbers.giant_count = 0;
    sim->watch.slack = 0.0;  // of other contacts
    sim->lists.rows = (scree_candidate_rows){0};
}

scree_status part_empty(scree_sim* sim)
{
    free_rest(sim);
    sim_arrays_free(sim);
    scree_free(sim->ghost);
    sim->ghost = NULL;
    sim->array_room = 0;
    sim->n = 0;
    sim->blocks = 1;
    if (sim_arrays_make(sim) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    sim->ghost = scree_malloc(0, 1);
    return sim->ghost != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

// *count: of the stretches; -1: spheres change their order.
static scree_status find_stretches(struct sim_part* part, int32_t n, const int32_t* from, int64_t* count)
{
    int32_t before = -1, end;
    *count = 0;
    for (int32_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && from[i] >= 0 && from[end] == from[i] + (end - i);)
            ++end;
        if (from[i] < 0)
            continue;
        if (from[i] <= before) {
            *count = -1;
            return SCREE_OK;
        }
        before = from[end - 1];
        if (from[i] == i)
            continue;
        if (SCREE_RESERVE(part->stretches, part->stretch_capacity, *count + 1) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        part->stretches[(*count)++] = (part_stretch){.from = from[i], .to = i, .count = end - i};
    }
    return SCREE_OK;
}

typedef struct move_job {
    scree_sim* sim;
    int64_t count;
} move_job;

static bool follows(const scree_sim* sim, const sim_array* array)
{
    return (array->ordered || is_array(array, offsetof(scree_sim, key))) && sim_items(sim, array->at) != NULL && sim_owns(sim, array);
}

// In its place: none that moves towards the end is in the way of one that moves towards the beginning, since all keep their order.
static scree_status move_array(void* context, int64_t a)
{
    const move_job* job = context;
    const part_stretch* all = job->sim->part->stretches;
    const sim_array* array = &sim_arrays[a];
    if (!follows(job->sim, array))
        return SCREE_OK;
    char* items = sim_items(job->sim, array->at);
    size_t step = sim_step_of(job->sim, array->at, array->bytes, array->rows);
    for (int64_t e = 0; e < job->count; ++e)
        if (all[e].to < all[e].from)
            memmove(items + (size_t)all[e].to * step, items + (size_t)all[e].from * step, (size_t)all[e].count * step);
    for (int64_t e = job->count - 1; e >= 0; --e)
        if (all[e].to > all[e].from)
            memmove(items + (size_t)all[e].to * step, items + (size_t)all[e].from * step, (size_t)all[e].count * step);
    return SCREE_OK;
}

// All arrays that follow the spheres.
static scree_status move_all(scree_sim* sim, int32_t n, int32_t* from)
{
    move_job job = {.sim = sim};
    if (find_stretches(sim->part, n, from, &job.count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (job.count >= 0)
        return scree_parallel_for(sim->threads, sim_array_count, move_array, &job, NULL);
    for (int32_t i = 0; i < n; ++i)
        from[i] = from[i] >= 0 ? from[i] : 0;  // any that there is
    sim_order_gather(sim, (const uint32_t*)from, true);
    return SCREE_OK;
}

scree_status part_room(scree_sim* sim, int32_t n, int32_t* from, bool any, const uint8_t* ghost)
{
    free_rest(sim);
    if (n > sim->array_room) {
        int64_t room = (int64_t)n + n / 16 + 16;  // ghosts come and go
        void* more = scree_realloc(sim->ghost, (size_t)room, 1);
        if (more == NULL)
            return SCREE_ERR_MEMORY;
        sim->ghost = more;
        if (sim->n == 0) {  // nothing has to be kept
            sim_arrays_free(sim);
            sim->array_room = room;
        }
        if (sim->n == 0 ? sim_arrays_make(sim) != SCREE_OK : sim_arrays_grow(sim, room) != SCREE_OK)
            return SCREE_ERR_MEMORY;
    }
    sim->n = n;
    sim->blocks = n > sim_block ? ((int64_t)n + sim_block - 1) / sim_block : 1;  // sums of all parts stand in the first
    if (any && move_all(sim, n, from) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (n > 0)
        memcpy(sim->ghost, ghost, (size_t)n);
    return SCREE_OK;
}

// The rest, when radii are known.
static scree_status finish_room(scree_sim* sim, double largest)
{
    int32_t giants = 0;
    for (int32_t i = 0; i < sim->n && largest >= sim->numbers.giant_radius; ++i)
        giants += sim->x[i][3] >= sim->numbers.giant_radius;
    sim->numbers.giant_count = giants;
    if (sim_room_make(sim) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    sim->lists.own = scree_calloc((size_t)sim->blocks + 1, sizeof *sim->lists.own);
    sim->lists.wall_first = scree_calloc((size_t)sim->blocks + 1, sizeof *sim->lists.wall_first);
    if (sim->lists.own == NULL || sim->lists.wall_first == NULL || (sim->surfaces.count > 0 && surfaces_make_room(sim) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    sim_giants_find(sim);
    return cell_reserve(sim) == SCREE_OK ? motion_reserve_servos(sim, 0) : SCREE_ERR_MEMORY;
}

// ---- Lists ---------------------------------------------------------------------------------------------------------

double part_skin_most(const scree_sim* sim)
{
    double most = INFINITY;
    for (int k = 0; k < sim->dim; ++k)
        if (sim->def.box.periodic[k])
            most = fmin(most, 0.5 * sim->cell.h[k][k]);
    return most;
}

double part_next_skin(scree_sim* sim, int64_t age, const double ways[2], double move)
{
    scree_candidate_items now = scree_default_candidate_items();
    now.expected = move;
    now.found = sim->contacts;
    double skin = 0.0;
    return scree_candidates_next_skin(sim->lists.near, &now, age, ways, &skin) == SCREE_OK ? skin : 0.0;
}

void part_add_search(scree_sim* sim, double seconds)
{
    sim->seconds_search += seconds;
    ++sim->lists_of_parts;
}

scree_status part_search_room(scree_sim* sim, int32_t count, part_items* out)
{
    struct sim_part* part = sim->part;
    if (SCREE_RESERVE(part->xr, part->xr_capacity, (int64_t)count + 1) != SCREE_OK || SCREE_RESERVE(part->still, part->still_capacity, sim->flags != NULL ? (int64_t)count + 1 : 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    *out = (part_items){.xr = part->xr, .still = sim->flags != NULL ? part->still : NULL};
    return SCREE_OK;
}

scree_status part_search(scree_sim* sim, int32_t count, double skin, part_rows* out)
{
    struct sim_part* part = sim->part;
    *out = (part_rows){0};
    scree_candidate_items now = scree_default_candidate_items();
    now.count = count;
    now.xr = (const double(*)[4])part->xr;
    now.still = sim->flags != NULL ? part->still : NULL;
    now.skin = skin;
    now.others = true;
    scree_candidate_rows rows;
    scree_box box = lists_box(sim);
    scree_status status = sim->drive.given ? scree_candidates_deform(sim->lists.near, &box) : SCREE_OK;
    if (status == SCREE_OK)
        status = scree_candidates_update(sim->lists.near, &now);
    if (status == SCREE_OK)
        status = scree_candidates_get_rows(sim->lists.near, &rows);
    if (status == SCREE_OK)
        *out = (part_rows){.count = rows.count, .ij = rows.ij, .shift = rows.shift};
    return status;
}

scree_status part_rows_room(scree_sim* sim, int64_t count, int32_t (**ij)[2], int8_t (**shift)[3])
{
    struct sim_part* part = sim->part;
    if (SCREE_RESERVE(part->ij, part->ij_capacity, count + 1) != SCREE_OK || (sim->periodic && SCREE_RESERVE(part->shift, part->shift_capacity, count + 1) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    *ij = part->ij;
    *shift = sim->periodic ? part->shift : NULL;
    return SCREE_OK;
}

// Spans that can be worked on while messages with ghosts are under way.
static scree_status find_inner(scree_sim* sim, int64_t count)
{
    struct sim_part* part = sim->part;
    int64_t ranks = sim->span * sim_block, spans = (sim->blocks + sim->span - 1) / sim->span, inner = 0, outer = 0;
    uint8_t* meets = scree_calloc((size_t)spans, 1);
    if (meets == NULL || SCREE_RESERVE(part->spans, part->span_capacity, spans) != SCREE_OK) {
        scree_free(meets);
        return SCREE_ERR_MEMORY;
    }
    if (!sim->short_spans)  // hardly any would be without ghosts
        memset(meets, 1, (size_t)spans);
    for (int64_t i = 0; i < sim->n && sim->short_spans; ++i)
        if (sim->ghost[i] != 0)
            meets[i / ranks] = 1;
    for (int64_t c = 0; c < count && sim->short_spans; ++c) {
        const int32_t* ij = part->ij[c];
        if ((sim->ghost[ij[0]] | sim->ghost[ij[1]]) != 0)
            meets[ij[0] / ranks] = meets[ij[1] / ranks] = 1;
    }
    for (int64_t s = 0; s < spans; ++s)
        inner += meets[s] == 0;
    part->span_count = spans;
    part->inner_count = inner;
    for (int64_t s = 0, at = 0; s < spans; ++s)
        part->spans[meets[s] == 0 ? at++ : inner + outer++] = (int32_t)s;
    scree_free(meets);
    return SCREE_OK;
}

scree_status part_lists(scree_sim* sim, const part_list* list)
{
    struct sim_part* part = sim->part;
    lists* l = &sim->lists;
    int64_t n = sim->n, count = list->count;
    part->dealt.numbered = sim->law.row.words > 0;
    if (SCREE_RESERVE(part->start, part->start_capacity, n + 1) != SCREE_OK || finish_room(sim, list->largest) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    (void)scree_candidates_set_threads(l->near, sim->threads);  // from the next search on
    part->dealt.block = (int32_t)sim->span * sim_block;
    // The last row of each sphere that has some says where the next begins: no branch depends on how many there are.
    memset(part->start, 0, ((size_t)n + 1) * sizeof *part->start);
    for (int64_t row = 0; row < count; ++row)
        part->start[part->ij[row][0] + 1] = row + 1;
    for (int64_t i = 0; i < n; ++i)
        part->start[i + 1] = part->start[i + 1] > part->start[i] ? part->start[i + 1] : part->start[i];
    const scree_rows all = {.items = n > 0 ? sim->n : 1, .count = count, .ij = (const int32_t(*)[2])part->ij, .shift = sim->periodic ? (const int8_t(*)[3])part->shift : NULL};
    scree_status status = scree_deal(&part->dealt, &all, sim->threads, NULL);
    if (status == SCREE_OK)
        status = find_inner(sim, count);
    if (status != SCREE_OK)
        return status;
    part->early = false;
    part->extent = list->extent;
    part->items = list->items;
    part->of = list->of;
    l->rows = (scree_candidate_rows){.build = l->rows.build + 1,
                                     .count = count,
                                     .items = sim->n,
                                     .ij = all.ij,
                                     .shift = all.shift,
                                     .start = part->start,
                                     .blocks = part->dealt.blocks,
                                     .in_start = part->dealt.start,
                                     .in_ij = (const int32_t(*)[2])part->dealt.ij,
                                     .in_shift = sim->periodic ? (const int8_t(*)[3])part->dealt.shift : NULL,
                                     .in_row = part->dealt.numbered ? part->dealt.row : NULL,
                                     .skin = list->skin,
                                     .margin = list->skin + 1e-14 * part->extent};
    return lists_take(sim);
}

double part_extent(const scree_sim* sim)
{
    return sim->part->extent;
}

void part_ways(const scree_sim* sim, double way[2])
{
    const struct sim_part* part = sim->part;
    double most[2] = {0.0, 0.0};
    for (int32_t e = 0; e < part->items; ++e) {
        int32_t i = part->of[e];
        if (i < 0)
            continue;
        double square = 0.0;
        for (int k = 0; k < 3; ++k)
            square += (sim->x[i][k] - part->xr[e][k]) * (sim->x[i][k] - part->xr[e][k]);
        if (square <= most[1])
            continue;
        most[1] = square <= most[0] ? square : most[0];
        most[0] = square <= most[0] ? most[0] : square;
    }
    way[0] = sqrt(most[0]);
    way[1] = sqrt(most[1]);
}

int64_t part_row_count(const scree_sim* sim)
{
    const scree_candidate_rows* rows = &sim->lists.rows;
    return rows->start != NULL && rows->items <= sim->n ? rows->count : 0;  // spheres that were added come after the spheres of the list
}

// Of the two spheres of a candidate, the one whose owner works it out in any case: the first; with a giant the smaller one, whose owner alone has it.
static int32_t bearer_of(const scree_sim* sim, int32_t i, int32_t j)
{
    const double a = sim->x[i][3], b = sim->x[j][3], giant = sim->numbers.giant_radius;
    if (a < giant && b < giant)
        return i;
    return a < b || (a == b && sim->id[i] < sim->id[j]) ? i : j;
}

void part_row_counts(const scree_sim* sim, uint32_t* out)
{
    const scree_candidate_rows* rows = &sim->lists.rows;
    bool known = part_row_count(sim) > 0;
    memset(out, 0, (size_t)sim->n * sizeof *out);
    for (int32_t i = 0; known && i < rows->items && sim->numbers.giant_count == 0; ++i)
        out[i] = (uint32_t)(rows->start[i + 1] - rows->start[i]);
    for (int64_t c = 0; known && sim->numbers.giant_count > 0 && c < rows->count; ++c)
        ++out[bearer_of(sim, rows->ij[c][0], rows->ij[c][1])];
}

// ---- Contacts ------------------------------------------------------------------------------------------------------

// Rows by id, for what goes by id.
static scree_status name_rows(scree_sim* sim)
{
    if ((sim->traits & SIM_GAPS) != 0)
        return SCREE_OK;
    size_t n = (size_t)sim->n;
    int64_t* spare = scree_malloc(n, sizeof *spare);
    uint32_t* rank = scree_malloc(2 * n, sizeof *rank);
    sim->names = scree_malloc(n, sizeof *sim->names);
    sim->traits |= SIM_GAPS;
    scree_status status = spare == NULL || rank == NULL || sim->names == NULL ? SCREE_ERR_MEMORY : sim_arrays_make(sim);
    for (int32_t i = 0; i < sim->n && status == SCREE_OK; ++i) {
        sim->names[i] = sim->id[i];
        rank[i] = (uint32_t)i;
    }
    if (status == SCREE_OK)
        scree_sort_with(sim->names, rank, spare, rank + n, sim->n);
    for (int32_t row = 0; row < sim->n && status == SCREE_OK; ++row)
        sim->row[rank[row]] = row;
    scree_free(spare);
    scree_free(rank);
    return status;
}

scree_status part_rank_rows(scree_sim* sim)
{
    scree_status status = sim->part != NULL ? name_rows(sim) : SCREE_OK;
    if (status == SCREE_OK)
        status = SCREE_RESERVE(sim->rank_of, sim->rank_of_capacity, (int64_t)sim->n + 1);
    for (int32_t rank = 0; rank < sim->n && status == SCREE_OK; ++rank)
        sim->rank_of[sim_row(sim, rank)] = rank;
    return status;
}

int32_t part_words(const scree_sim* sim)
{
    return memory_words(sim, true);
}

scree_status part_memory(scree_sim* sim, bool between_parts, scree_sim_memory* out)
{
    *out = (scree_sim_memory){0};
    if (sim->law.row.words == 0 || sim->n == 0)
        return SCREE_OK;
    scree_status status = part_rank_rows(sim);
    return status == SCREE_OK ? memory_show(sim, between_parts, out) : status;
}

unsigned part_contact_arrays(const scree_sim* whole)
{
    return (whole->law.parts.tangential ? PART_SLIDES : 0u) | (whole->law.turns ? PART_TURNS : 0u) | (whole->surfaces.count > 0 ? PART_FEATURES : 0u);
}

scree_status part_contacts(scree_sim* sim, scree_sim_memory* out)
{
    scree_sim_contacts c;
    *out = (scree_sim_memory){.words = part_shown + sim->law.row.words};
    if (sim->n == 0)
        return SCREE_OK;
    scree_status status = part_rank_rows(sim);
    if (status == SCREE_OK)
        status = sim_contacts_find(sim, &c);
    double* values = status == SCREE_OK ? scree_calloc((size_t)(c.count * out->words) + 1, sizeof *values) : NULL;
    if (values == NULL)
        return status == SCREE_OK ? SCREE_ERR_MEMORY : status;
    for (int64_t e = 0; e < c.count; ++e) {
        double* to = values + e * out->words;
        to[0] = c.overlap[e];
        memcpy(to + 1, c.normal[e], 3 * sizeof *to);
        memcpy(to + 4, c.force[e], 3 * sizeof *to);
        if (c.tangential != NULL)
            memcpy(to + 7, c.tangential[e], 3 * sizeof *to);
        if (c.torque != NULL)
            memcpy(to + 10, c.torque[e], 3 * sizeof *to);
        to[13] = c.sliding != NULL ? c.sliding[e] : 0.0;
        if (c.words > 0)
            memcpy(to + part_shown, c.memory + e * c.words, (size_t)c.words * sizeof *to);
    }
    out->count = c.count;
    out->ij = c.ij;
    out->shift = c.shift;
    out->feature = c.feature;
    out->values = values;
    return SCREE_OK;
}

int32_t part_rank_of(const scree_sim* sim, int64_t id)
{
    int64_t row = sim_row_of(sim, id);
    return row >= 0 ? sim->rank_of[row] : -1;
}

bool part_bears(const scree_sim* sim, const int64_t ij[2])
{
    int32_t i = part_rank_of(sim, ij[0]), j = ij[1] >= 0 ? part_rank_of(sim, ij[1]) : -1;
    if (i >= 0 && j >= 0 && (sim->x[i][3] >= sim->numbers.giant_radius || sim->x[j][3] >= sim->numbers.giant_radius))
        i = bearer_of(sim, i, j);
    return i >= 0 && !part_is_ghost(sim, i);
}

scree_status part_memory_take(scree_sim* sim, const scree_sim_memory* given)
{
    if (sim->law.row.words == 0)
        return SCREE_OK;
    scree_status status = part_rank_rows(sim);
    if (status != SCREE_OK)
        return status;
    // Contacts of which it has both spheres: others have ended, or are too far apart for the new list.
    const int words = given->words;
    scree_sim_memory has = {.words = words};
    size_t count = (size_t)given->count + 1;
    int64_t (*ij)[2] = scree_malloc(count, sizeof *ij);
    int8_t (*shift)[3] = scree_malloc(count, sizeof *shift);
    double* values = scree_malloc(count * (size_t)words, sizeof *values);
    int32_t* feature = scree_malloc(count, sizeof *feature);
    status = ij == NULL || shift == NULL || values == NULL || feature == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int64_t c = 0; c < given->count && status == SCREE_OK; ++c) {
        if (sim_row_of(sim, given->ij[c][0]) < 0 || (given->ij[c][1] >= 0 && sim_row_of(sim, given->ij[c][1]) < 0))
            continue;
        int64_t to = has.count++;
        memcpy(ij[to], given->ij[c], sizeof *ij);
        if (given->shift != NULL)
            memcpy(shift[to], given->shift[c], sizeof *shift);
        feature[to] = given->feature != NULL ? given->feature[c] : -1;
        memcpy(values + to * words, given->values + c * words, (size_t)words * sizeof *values);
    }
    has.ij = (const int64_t(*)[2])ij;
    has.shift = (const int8_t(*)[3])shift;
    has.values = values;
    has.feature = feature;
    if (status == SCREE_OK)
        status = memory_take(sim, &has);
    if (status == SCREE_OK)
        status = memory_sort(sim);
    scree_free(ij);
    scree_free(shift);
    scree_free(values);
    scree_free(feature);
    return status;
}

void part_forget(scree_sim* part)
{
    (void)memory_take(part, NULL);  // needs no memory
}

// ---- What parts see ------------------------------------------------------------------------------------------------

void part_seen(scree_sim* part, scree_bytes* bytes)
{
    sim_crossings* c = &part->crossings;
    scree_bytes_put(bytes, &part->watch.found, sizeof part->watch.found);
    scree_bytes_put(bytes, &c->seen, sizeof c->seen);
    if (c->seen > 0)
        scree_bytes_put(bytes, c->list + c->count, (size_t)c->seen * sizeof *c->list);
    c->seen = 0;
    part->watch.found = (scree_sim_overlaps){.shortest = {.duration = INFINITY}};
}

scree_status part_see(scree_sim* whole, scree_bytes* bytes, int64_t* seen)
{
    scree_sim_overlaps found;
    sim_crossings* c = &whole->crossings;
    int64_t more = 0, at = c->count + *seen;
    scree_bytes_take(bytes, &found, sizeof found);
    scree_bytes_take(bytes, &more, sizeof more);
    if (bytes->status != SCREE_OK || SCREE_RESERVE(c->list, c->capacity, at + more) != SCREE_OK || SCREE_RESERVE(c->ids, c->ids_capacity, *seen + more) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (more > 0)
        scree_bytes_take(bytes, c->list + at, (size_t)more * sizeof *c->list);
    if (found.deepest.relative > whole->watch.found.deepest.relative)
        whole->watch.found.deepest = found.deepest;
    if (found.shortest.duration < whole->watch.found.shortest.duration)
        whole->watch.found.shortest = found.shortest;
    *seen += more;
    return bytes->status;
}

// Bits of bytes and their place.
static uint64_t mix_bytes(uint64_t hash, const void* data, size_t count)
{
    const char* at = data;
    for (size_t k = 0; k < count; k += 8) {
        uint64_t word = 0;
        memcpy(&word, at + k, count - k < 8 ? count - k : 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// Rows of an array, four at a time, each by its own chain of products: one chain would wait for each product.
static uint64_t mix_rows(uint64_t hash, const char* rows, size_t step, size_t bytes, int64_t n)
{
    uint64_t lane[4] = {hash, hash + 1, hash + 2, hash + 3};
    int64_t i = 0;
    for (; i + 4 <= n && bytes % 8 == 0; i += 4)
        for (size_t k = 0; k < bytes; k += 8)
            for (int e = 0; e < 4; ++e) {
                uint64_t word;
                memcpy(&word, rows + (size_t)(i + e) * step + k, 8);
                lane[e] = (lane[e] ^ word) * 0x9E3779B97F4A7C15u;
                lane[e] ^= lane[e] >> 29;
            }
    for (int e = 1; e < 4; ++e)
        lane[0] = (lane[0] ^ lane[e]) * 0xBF58476D1CE4E5B9u;
    for (; i < n; ++i)
        lane[0] = mix_bytes(lane[0], rows + (size_t)i * step, bytes);
    return lane[0];
}

scree_status part_fingerprint(scree_sim* whole, scree_bytes* scratch, uint64_t* out)
{
    scratch->count = 0;
    scratch->status = SCREE_OK;
    scree_status status = part_small(whole, scratch);
    uint64_t hash = memory_hash(whole) + bonds_own_hash(whole) + (uint64_t)whole->n;
    hash = mix_bytes(hash, scratch->data, status == SCREE_OK ? (size_t)scratch->count : 0);
    for (int a = 0; a < sim_array_count && status == SCREE_OK; ++a)
        if (bytes_of(whole, PART_START, &sim_arrays[a]) > 0 || is_array(&sim_arrays[a], offsetof(scree_sim, x)) || is_array(&sim_arrays[a], offsetof(scree_sim, id)))
            hash = mix_rows(hash, sim_items(whole, sim_arrays[a].at), sim_step_of(whole, sim_arrays[a].at, sim_arrays[a].bytes, sim_arrays[a].rows), sim_arrays[a].bytes, whole->n);
    *out = hash;
    return status;
}

const scree_watch* part_tick(const scree_sim* whole)
{
    return &whole->def.watch;
}

static int by_id(const void* a, const void* b)
{
    const int64_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

int64_t part_ids_of_giants(const scree_sim* whole, const part_source* source, int64_t* out)
{
    int64_t count = 0;
    for (int32_t i = 0; i < whole->n; ++i)
        if ((source != NULL ? source->spheres.r[i] : whole->x[i][3]) >= whole->numbers.giant_radius) {
            if (out != NULL)
                out[count] = source != NULL ? sim_id_of(whole, i) : whole->id[i];
            ++count;
        }
    if (out != NULL && count > 1 && source == NULL)
        qsort(out, (size_t)count, sizeof *out, by_id);
    return count;
}

double part_skin(const scree_sim* whole)
{
    return whole->lists.rows.skin;
}

// ---- Steps ---------------------------------------------------------------------------------------------------------

double part_reach(const scree_sim* sim)
{
    return sim->law.reach;
}

int64_t part_now(const scree_sim* sim)
{
    return sim->step;
}

int64_t part_row_of(const scree_sim* whole, int64_t id)
{
    return sim_row_of(whole, id);
}

int64_t part_ids_end(const scree_sim* whole)
{
    return whole->n > 0 ? sim_id_of(whole, whole->n - 1) + 1 : 0;
}

const scree_box* part_box(const scree_sim* sim)
{
    return &sim->def.box;
}

scree_status part_deform(scree_sim* sim)
{
    return cell_go(sim);
}

double part_image_speed(const scree_sim* sim)
{
    return 3.0 * cell_speed(sim);  // images of candidates are no more boxes away
}

bool part_is_renewal(const scree_sim* sim)
{
    return sim->step % sim->def.order_every == 0;
}

scree_status part_wrap(scree_sim* sim)
{
    return sim_order_wrap(sim);
}

void part_sides(const scree_sim* sim, double sides[3][2])
{
    memset(sides, 0, 6 * sizeof(double));
    sim_order_sides(sim, sides);
}

void part_keys(scree_sim* sim, const double sides[3][2])
{
    sim_order_keys(sim, sides);
}

void part_launch(scree_sim* sim)
{
    sim_launch(sim);
}

scree_status part_go(scree_sim* sim, double speed)
{
    sim->speed = speed;
    if (sim->loads.count > 0)
        loads_step(sim);
    if (sim->def.watch_overlaps > 0.0)
        sim_watch_step(sim);
    sim->crossings.seen = 0;
    return sim->crossings.on ? crossings_look(sim) : SCREE_OK;
}

bool part_removes(const scree_sim* sim)
{
    return sim->crossings.on;
}

int64_t part_crossed(const scree_sim* sim)
{
    return sim->crossings.seen;
}

// Whether somebody looks at ghosts before the pass.
static bool needs_ghosts(const scree_sim* sim)
{
    return sim->n == 0 || sim->backend->pass != sim_fused_pass || sim->crossings.on || sim->bonds.count > 0 || sim->def.check ||
           (sim->def.watch_overlaps > 0.0 && sim->step % sim->watch.every == 0);
}

scree_status part_pass_early(scree_sim* sim, bool last, double speed)
{
    struct sim_part* part = sim->part;
    part->early = part->inner_count > 0 && !needs_ghosts(sim);
    if (!part->early)
        return SCREE_OK;
    double begin = scree_clock();
    scree_status status = part_go(sim, speed);
    if (status == SCREE_OK) {
        sim_pass_prepare(sim, last ? SIM_OBSERVE : SIM_STEP, &part->pass);
        status = sim_fused_spans(sim, &part->pass, part->spans, part->inner_count);
    }
    part->early_seconds = scree_clock() - begin;
    return status;
}

void part_set_spans(scree_sim* part, bool brief)
{
    part->short_spans = brief;
}

int64_t part_inner_blocks(const scree_sim* part)
{
    return part->part->inner_count * part->span;
}

bool part_is_early(const scree_sim* sim)
{
    return sim->part->early;
}

scree_status part_pass_begin(scree_sim* sim, bool last)
{
    struct sim_part* part = sim->part;
    part->pass_began = scree_clock() - (part->early ? part->early_seconds : 0.0);
    if (sim->n == 0)  // a pass leaves out what has no spheres
        sim->result[0] = (block_result){.finite = true, .escaped = -1};
    if (!part->early)
        return sim_pass_begin(sim, last ? SIM_OBSERVE : SIM_STEP, &part->pass);
    part->early = false;
    return sim_fused_spans(sim, &part->pass, part->spans + part->inner_count, part->span_count - part->inner_count);
}

void part_add_wait(scree_sim* sim, double seconds)
{
    sim->seconds_other += seconds;
}

scree_status part_pass_giants(scree_sim* sim)
{
    return sim_pass_giants(sim, &sim->part->pass);
}

scree_status part_pass_end(scree_sim* sim)
{
    bool steps = sim->part->pass.mode == SIM_STEP;
    scree_status status = sim_pass_end(sim, &sim->part->pass, sim_has_sums(sim) ? &sim->part->sums : NULL, sim->part->pass_began);
    if (status != SCREE_OK)
        return status;
    if (!steps) {
        sim->flying = false;
        return SCREE_OK;
    }
    if (sim->law.turns)
        sim_swap_velocities(sim);
    sim_arrive(sim);
    return SCREE_OK;
}

double part_apart(const scree_sim* sim)
{
    return sim->watch.apart;
}

void part_set_apart(scree_sim* sim, double least)
{
    sim->watch.apart = least;
}

double part_speed(const scree_sim* sim)
{
    return sim->speed;
}

double part_wall_speed(const scree_sim* sim)
{
    return sim_wall_speed(sim);
}

double part_step(const scree_sim* sim)
{
    return sim->numbers.time_step;
}

// ---- Sums ----------------------------------------------------------------------------------------------------------

enum { of_giant = 7, of_servo = 4, of_cell = 13 };  // sums, and how many have passed the integers

bool part_is_giant(const scree_sim* sim, const part_stub* stub)
{
    return stub->x[3] >= sim->numbers.giant_radius;
}

int64_t part_sum_count(const scree_sim* sim, int64_t giants)
{
    return of_giant * giants + of_servo * sim->loads.servos.count + (cell_is_controlled(sim) ? of_cell : 0);
}

// Adds a number, so that the sum over all parts stays within the integers.
static void add(int64_t* sum, int64_t more, int64_t most, int64_t* overflow)
{
    if (__builtin_add_overflow(*sum, more, sum) || *sum > most || *sum < -most)
        *overflow = 1;
}

void part_get_sums(const scree_sim* sim, int64_t giants, const int64_t* ids, int64_t parts, int64_t* out)
{
    int64_t most = INT64_MAX / parts;
    memset(out, 0, (size_t)part_sum_count(sim, giants) * sizeof *out);
    for (int32_t g = 0; g < sim->numbers.giant_count; ++g) {
        int64_t* to = out + of_giant * scree_first_not_below(ids, giants, sim->id[sim->giants[g]]);
        for (int32_t d = 0; d < sim->desk_count; ++d) {
            to[6] |= sim->desks[d].overflow == g;
            for (int k = 0; k < 6; ++k)
                add(&to[k], sim->desks[d].sums[g][k], most, &to[6]);
        }
    }
    const sim_servos* servos = &sim->loads.servos;
    for (int32_t s = 0; s < servos->count; ++s) {
        int64_t* to = out + of_giant * giants + of_servo * s;
        for (int64_t b = 0; b < sim->blocks; ++b) {
            const sim_servo_sums* one = &servos->sums[b * servos->count + s];
            to[3] |= one->overflow;
            add(&to[0], one->load, most, &to[3]);
            add(&to[1], one->resistance[0], most, &to[3]);
            add(&to[2], one->resistance[1], most, &to[3]);
        }
    }
    int64_t *to = out + of_giant * giants + of_servo * servos->count, motion[6];
    if (!cell_is_controlled(sim))
        return;
    cell_get_motion(sim, motion);
    for (int k = 0; k < 6; ++k)
        add(&to[6 + k], motion[k], most, &to[12]);
    for (int32_t d = 0; d < sim->desk_count; ++d) {
        to[12] |= sim->desks[d].cell_overflow;
        for (int k = 0; k < 6; ++k)
            add(&to[k], sim->desks[d].cell[k], most, &to[12]);
    }
}

void part_set_sums(scree_sim* sim, int64_t giants, const int64_t* ids, const int64_t* in)
{
    sim_giants_begin(sim);
    for (int32_t g = 0; g < sim->numbers.giant_count; ++g) {
        const int64_t* from = in + of_giant * scree_first_not_below(ids, giants, sim->id[sim->giants[g]]);
        memcpy(sim->desks[0].sums[g], from, 6 * sizeof *from);
        if (from[6] != 0)
            sim->desks[0].overflow = g;
    }
    sim_servos* servos = &sim->loads.servos;
    if (servos->count > 0)
        memset(servos->sums, 0, (size_t)(sim->blocks * servos->count) * sizeof *servos->sums);
    for (int32_t s = 0; s < servos->count; ++s) {
        const int64_t* from = in + of_giant * giants + of_servo * s;
        servos->sums[s] = (sim_servo_sums){.load = from[0], .resistance = {from[1], from[2]}, .overflow = from[3] != 0};
    }
    const int64_t* from = in + of_giant * giants + of_servo * servos->count;
    if (!cell_is_controlled(sim))
        return;
    cell_set_motion(sim, from + 6);
    for (int32_t d = 0; d < sim->desk_count; ++d) {
        memset(sim->desks[d].cell, 0, sizeof sim->desks[d].cell);
        sim->desks[d].cell_overflow = false;
    }
    memcpy(sim->desks[0].cell, from, sizeof sim->desks[0].cell);
    sim->desks[0].cell_overflow = from[12] != 0;
}

// ---- Energies ------------------------------------------------------------------------------------------------------

int64_t part_energy_count(const scree_sim* sim)
{
    return sim_has_sums(sim) ? (int64_t)sum_limbs * ENERGY_COUNT + 1 : 0;
}

void part_get_energies(const scree_sim* sim, int64_t* out)
{
    energy_sums sums;
    sim_sums_of_pass(sim, &sim->part->pass, &sums);
    memcpy(out, sums.of, sizeof sums.of);
    out[(int64_t)sum_limbs * ENERGY_COUNT] = sum_is_beyond(sums.beyond);
}

void part_set_energies(scree_sim* sim, const int64_t* in)
{
    energy_sums* sums = &sim->part->sums;
    memcpy(sums->of, in, sizeof sums->of);
    for (int k = 0; k < ENERGY_COUNT; ++k)
        sum_carry(&sums->of[k]);
    sums->beyond = in[(int64_t)sum_limbs * ENERGY_COUNT] != 0 ? UINT64_MAX : 0;
}

bool part_accounts(const scree_sim* sim)
{
    return sim->law.parts.accounts;
}

bool part_has_loads(const scree_sim* sim)
{
    return sim->loads.count > 0;
}

void part_leaves(scree_sim* sim)
{
    if (sim->law.parts.accounts)
        memory_add_springs(sim, false);
}

void part_arrives(scree_sim* sim)
{
    if (sim->law.parts.accounts)
        memory_add_springs(sim, true);
}
