// Memory of friction contacts between steps.
//
// Two lists, of contacts between bodies and of contacts with boundaries, each in an order that depends only on the contacts. A new list of candidates
// takes over the old memory in one merge, and states, hashes and sums of energy do not depend on which block found a contact.
//
//     held     of the last complete step. Read by all blocks, unchanged until the step is complete
//     range    by row (a candidate, or a body): its part of `held`
//     made     the new memory, each block in its own part. If a part is too small, the block counts to its end, gets more space and is computed again
//     next     all parts in order. Becomes `held` when the step is complete; an undone step leaves nothing
//
// When bodies are wrapped into a periodic box, images of contacts change with them: a copy of `held` has the new ones.
//
// Cost: O(candidates and contacts) per step, on one thread; nothing without friction. A steady simulation allocates nothing.
#include "polygon/polygon_inner.h"

#include "base/argument.h"
#include "base/array.h"

#include <inttypes.h>
#include <string.h>

// ---- Order -------------------------------------------------------------------------------------------------------------

// Below 0: row a comes first.
static int compare_pairs(const contact_memory* a, int32_t i, int32_t j, const int8_t shift[2])
{
    if (a->i != i)
        return a->i < i ? -1 : 1;
    if (a->j != j)
        return a->j < j ? -1 : 1;
    for (int k = 0; k < 2; ++k)
        if (a->shift[k] != shift[k])
            return a->shift[k] < shift[k] ? -1 : 1;
    return 0;
}

// All contacts of bodies before those with boundaries, and these by (i, boundary, key).
static bool is_behind(const contact_memory* a, const contact_memory* b)
{
    if ((a->j < 0) != (b->j < 0))
        return b->j < 0;
    if (a->j < 0 && (a->i != b->i || a->j != b->j))
        return a->i != b->i ? a->i < b->i : a->j > b->j;
    int order = compare_pairs(a, b->i, b->j, b->shift);
    return order < 0 || (order == 0 && a->key < b->key);
}

// ---- A step ------------------------------------------------------------------------------------------------------------

static double energy_of(const scree_polygon_sim* sim, const contact_memory* m)
{
    int32_t other = m->j >= 0 ? sim->bodies[m->j].material : sim->def.wall_material;
    double k = sim->pairs[(int64_t)sim->bodies[m->i].material * sim->materials + other].friction.k;
    return k > 0.0 ? m->share * (m->force * m->force) * (0.5 / k) : 0.0;
}

static scree_status begin(memories* of, int64_t rows, int64_t blocks, bool advances)
{
    of->rows = rows;
    of->blocks = blocks;
    if (SCREE_RESERVE(of->range, of->range_capacity, rows + 1) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (!advances)
        return SCREE_OK;
    return SCREE_RESERVE(of->lost, of->lost_capacity, rows + 1) != SCREE_OK || SCREE_RESERVE(of->parts, of->part_capacity, blocks + 1) != SCREE_OK ? SCREE_ERR_MEMORY
                                                                                                                                                   : SCREE_OK;
}

static void find_pairs(const candidates* near, memories* of)
{
    const memory_list* now = of->now;
    int64_t e = 0;
    for (int64_t c = 0; c < near->count; ++c) {
        const candidate* pair = &near->list[c];
        int order = -1;
        while (e < now->count && (order = compare_pairs(&now->list[e], pair->i, pair->j, pair->shift)) < 0)
            ++e;
        of->range[c].first = e;
        while (e < now->count && order == 0 && compare_pairs(&now->list[e], pair->i, pair->j, pair->shift) == 0)
            ++e;
        of->range[c].end = e;
    }
}

static void find_walls(int32_t n, memories* of)
{
    const memory_list* now = of->now;
    int64_t e = 0;
    for (int32_t i = 0; i < n; ++i) {
        of->range[i].first = e;
        while (e < now->count && now->list[e].i == i)
            ++e;
        of->range[i].end = e;
    }
}

// As much as each block had, and some more.
static scree_status lay_out(memories* of, int64_t block_rows)
{
    of->made_count = 0;
    for (int64_t b = 0; b < of->blocks; ++b) {
        int64_t first = b * block_rows, end = first + block_rows < of->rows ? first + block_rows : of->rows;
        int64_t had = of->range[end - 1].end - of->range[first].first;
        of->parts[b] = (memory_part){.first = of->made_count, .room = had + had / 4 + 4};
        of->made_count += of->parts[b].room;
    }
    return SCREE_RESERVE(of->made, of->made_capacity, of->made_count);
}

scree_status polygon_memory_begin(scree_polygon_sim* sim, bool advances)
{
    memories *pairs = &sim->of_pairs, *walls = &sim->of_walls;
    if (!advances) {
        pairs->now = &pairs->held;
        walls->now = &walls->held;
    }
    int64_t pair_blocks = (sim->near.count + pair_block - 1) / pair_block;
    scree_status status = begin(pairs, sim->near.count, pair_blocks, advances);
    if (status == SCREE_OK)
        status = begin(walls, sim->n, sim->blocks, advances);
    if (status != SCREE_OK)
        return status;
    find_pairs(&sim->near, pairs);
    find_walls(sim->n, walls);
    if (!advances)
        return SCREE_OK;
    status = lay_out(pairs, pair_block);
    return status == SCREE_OK ? lay_out(walls, body_block) : status;
}

memory_row polygon_memory_open(memories* of, int64_t row, int64_t block, bool advances)
{
    const memory_range* range = &of->range[row];
    memory_row opened = {.old = range->end > range->first ? of->now->list + range->first : NULL, .old_count = range->end - range->first, .advances = advances};
    if (advances) {
        const memory_part* part = &of->parts[block];
        int64_t used = part->count < part->room ? part->count : part->room;
        opened.made = of->made + part->first + used;
        opened.room = part->room - used;
    }
    return opened;
}

void polygon_memory_close(const scree_polygon_sim* sim, memories* of, int64_t row, int64_t block, memory_row* made)
{
    if (!made->advances)
        return;
    of->parts[block].count += made->count;
    int64_t there = made->count < made->room ? made->count : made->room, m = 0;
    for (int64_t o = 0; o < made->old_count && !made->settled; ++o) {
        while (m < there && made->made[m].key < made->old[o].key)
            ++m;
        if (m == there || made->made[m].key != made->old[o].key)
            made->lost += energy_of(sim, &made->old[o]);
    }
    of->lost[row] = made->lost;
}

bool polygon_memory_skips(const memories* of, int64_t block)
{
    return of->parts[block].done;
}

void polygon_memory_block_done(memories* of, int64_t block)
{
    of->parts[block].done = of->parts[block].count <= of->parts[block].room;
}

scree_status polygon_memory_grow(memories* of, bool* again)
{
    *again = false;
    for (int64_t b = 0; b < of->blocks; ++b) {
        memory_part* part = &of->parts[b];
        if (part->done)
            continue;
        *again = true;
        *part = (memory_part){.first = of->made_count, .room = part->count};
        of->made_count += part->room;
    }
    return SCREE_RESERVE(of->made, of->made_capacity, of->made_count);
}

// What pairs lost, by (i, j, shift). Those that are no candidates any more have ended; their place in the sum is where a candidate's would be.
static double sum_lost(const scree_polygon_sim* sim, const memories* of)
{
    double sum = 0.0;
    int64_t e = 0;
    for (int64_t r = 0; r <= of->rows; ++r) {
        int64_t to = r < of->rows ? of->range[r].first : of->now->count;
        while (e < to) {
            const contact_memory* first = &of->now->list[e];
            double lost = 0.0;
            for (; e < to && compare_pairs(&of->now->list[e], first->i, first->j, first->shift) == 0; ++e)
                lost += energy_of(sim, &of->now->list[e]);
            sum += lost;
        }
        if (r < of->rows) {
            sum += of->lost[r];
            e = of->range[r].end;
        }
    }
    return sum;
}

static scree_status join(memories* of)
{
    int64_t count = 0;
    for (int64_t b = 0; b < of->blocks; ++b)
        count += of->parts[b].count;
    if (SCREE_RESERVE(of->next.list, of->next.capacity, count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    of->next.count = 0;
    for (int64_t b = 0; b < of->blocks; ++b) {
        const memory_part* part = &of->parts[b];
        if (part->count > 0)
            memcpy(of->next.list + of->next.count, of->made + part->first, (size_t)part->count * sizeof *of->made);
        of->next.count += part->count;
    }
    return SCREE_OK;
}

static void exchange(memories* of)
{
    memory_list held = of->held;
    of->held = of->next;
    of->next = held;
}

scree_status polygon_memory_end(scree_polygon_sim* sim)
{
    if (join(&sim->of_pairs) != SCREE_OK || join(&sim->of_walls) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    sim->account[DISSIPATED_TANGENTIAL] += sum_lost(sim, &sim->of_pairs) + sum_lost(sim, &sim->of_walls);
    exchange(&sim->of_pairs);
    exchange(&sim->of_walls);
    return SCREE_OK;
}

// ---- Images ------------------------------------------------------------------------------------------------------------

// All images of a pair change by the same number, and stay in their order.
scree_status polygon_memory_wrap(scree_polygon_sim* sim)
{
    memories* of = &sim->of_pairs;
    const memory_list* held = &of->held;
    memory_list* to = &of->wrapped;
    if (SCREE_RESERVE(to->list, to->capacity, held->count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    to->count = held->count;
    for (int64_t e = 0; e < held->count; ++e) {
        contact_memory entry = held->list[e];
        for (int k = 0; k < 2; ++k)
            if (sim->length[k] > 0.0)
                entry.shift[k] = (int8_t)(entry.shift[k] + sim->bodies[entry.j].turns[k] - sim->bodies[entry.i].turns[k]);
        to->list[e] = entry;
    }
    of->now = to;
    return SCREE_OK;
}

// By how many periods body b goes to another image, if its position becomes x.
static double images_to(const scree_polygon_sim* sim, int32_t b, int k, const double* x)
{
    return rint((x[2 * (int64_t)b + k] - sim->bodies[b].x[k]) / sim->length[k]);
}

void polygon_memory_move(scree_polygon_sim* sim, const double* x)
{
    memory_list* held = &sim->of_pairs.held;
    int64_t kept = 0;
    for (int64_t e = 0; e < held->count; ++e) {
        contact_memory entry = held->list[e];
        bool fits = true;
        for (int k = 0; k < 2; ++k) {
            double shift = sim->length[k] > 0.0 ? entry.shift[k] + images_to(sim, entry.i, k, x) - images_to(sim, entry.j, k, x) : 0.0;
            fits = fits && shift >= INT8_MIN && shift <= INT8_MAX;
            entry.shift[k] = (int8_t)(fits ? shift : 0.0);
        }
        if (fits)
            held->list[kept++] = entry;
    }
    held->count = kept;
}

// ---- From and to outside -------------------------------------------------------------------------------------------------

scree_status scree_polygon_sim_get_memory(scree_polygon_sim* sim, scree_sim_memory* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    scree_status status = polygon_check_still(sim);
    if (status != SCREE_OK || !sim->rubs)
        return status;
    int64_t pairs = sim->of_pairs.held.count, count = pairs + sim->of_walls.held.count;
    bool periodic = sim->length[0] > 0.0 || sim->length[1] > 0.0;
    if (SCREE_RESERVE(sim->shown_ij, sim->shown_ij_capacity, count + 1) != SCREE_OK ||
        SCREE_RESERVE(sim->shown_shift, sim->shown_shift_capacity, count + 1) != SCREE_OK ||
        SCREE_RESERVE(sim->shown_values, sim->shown_values_capacity, (count + 1) * SCREE_POLYGON_MEMORY_WORDS) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t e = 0; e < count; ++e) {
        const contact_memory* m = e < pairs ? &sim->of_pairs.held.list[e] : &sim->of_walls.held.list[e - pairs];
        double* value = sim->shown_values + e * SCREE_POLYGON_MEMORY_WORDS;
        sim->shown_ij[e][0] = m->i;
        sim->shown_ij[e][1] = m->j;
        memcpy(sim->shown_shift[e], (const int8_t[3]){m->shift[0], m->shift[1], 0}, 3);
        value[0] = (double)(m->key >> 62);
        value[1] = (double)(m->j >= 0 ? m->key >> 31 & INT32_MAX : m->key & INT32_MAX);
        value[2] = m->j >= 0 ? (double)(m->key & INT32_MAX) : 0.0;
        value[3] = m->force;
        value[4] = m->slides;
        value[5] = m->share;
    }
    *out = (scree_sim_memory){.count = count,
                              .words = SCREE_POLYGON_MEMORY_WORDS,
                              .ij = (const int64_t(*)[2])sim->shown_ij,
                              .shift = periodic ? (const int8_t(*)[3])sim->shown_shift : NULL,
                              .values = sim->shown_values};
    return SCREE_OK;
}

static uint64_t key_of(int64_t j, const double value[3])
{
    return j >= 0 ? memory_key((int)value[0], (int32_t)value[1], (int32_t)value[2]) : memory_wall_key((int32_t)(-1 - j), (int32_t)value[1]);
}

static bool is_number_below(double value, int64_t end)
{
    return value >= 0.0 && value < (double)end && value == floor(value);
}

// Contact `e` as the simulation has it. False: it cannot have such a one.
static bool read_memory(const scree_polygon_sim* sim, const scree_sim_memory* given, int64_t e, contact_memory* out)
{
    int64_t i = given->ij[e][0], j = given->ij[e][1];
    const double* value = given->values + e * given->words;
    if (i < 0 || i >= sim->n || j >= sim->n || (j >= 0 && j <= i) || j < -sim->boundary_count || (j < 0 && !sim->boundaries[-1 - j].present))
        return false;
    *out = (contact_memory){.i = (int32_t)i, .j = (int32_t)j, .force = value[3], .slides = value[4] != 0.0, .share = value[5]};
    for (int k = 0; k < 3 && given->shift != NULL; ++k) {
        int8_t shift = given->shift[e][k];
        if (shift != 0 && (j < 0 || k == 2 || !(sim->length[k] > 0.0)))
            return false;
        if (k < 2)
            out->shift[k] = shift;
    }
    const body *a = &sim->bodies[i], *b = j >= 0 ? &sim->bodies[j] : NULL;
    int32_t na = a->tree != NULL ? a->tree->n : 1, nb = b != NULL && b->tree != NULL ? b->tree->n : 1;
    if (!is_number_below(value[0], b != NULL ? memory_crossing + 1 : 1))
        return false;
    int which = (int)value[0];
    const bool at_side = b != NULL && sim->def.rule == SCREE_POLYGON_ROUNDED, crossing = which == memory_crossing;
    if ((at_side && crossing) || !is_number_below(value[1], which == memory_second ? nb : na) ||
        !is_number_below(value[2], at_side && which == memory_second ? na : at_side || crossing ? nb : 1) ||
        !(fabs(value[3]) <= 1e300) || !is_number_below(value[4], 2) || !(value[5] > 0.0 && value[5] <= 1.0))
        return false;
    out->key = key_of(j, value);
    return true;
}

scree_status polygon_memory_check(scree_polygon_sim* sim, const scree_sim_memory* given)
{
    if (given == NULL || (given->count == 0 && given->words == 0 && given->ij == NULL))  // with an array it is that of a simulation without friction
        return SCREE_OK;
    int32_t words = sim->rubs ? SCREE_POLYGON_MEMORY_WORDS : 0;
    if (given->words != words || given->count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: a state with %" PRId64 " contacts with a memory of %d numbers each; expected %d numbers, %s friction", given->count,
                          (int)given->words, (int)words, sim->rubs ? "with" : "without");
    if (given->count > 0 && (given->ij == NULL || given->values == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "polygons: ij or values of %" PRId64 " contacts of the state are NULL; expected arrays", given->count);
    contact_memory before = {0}, now;
    for (int64_t e = 0; e < given->count; ++e) {
        scree_status status = polygon_work(sim, vertex_units, (double)e / (double)given->count);
        if (status != SCREE_OK)
            return status;
        const double* v = given->values + e * words;
        if (!read_memory(sim, given, e, &now))
            return scree_fail(SCREE_ERR_ARGUMENT, "polygons: memory of contact %" PRId64 ", of %" PRId64 " and %" PRId64 ": %g %g %g %g %g %g is not the memory of a contact of "
                                                                                                                         "these two; expected two bodies that touch, and finite numbers", e,
                              given->ij[e][0], given->ij[e][1], v[0], v[1], v[2], v[3], v[4], v[5]);
        if (e > 0 && !is_behind(&before, &now))
            return scree_fail(SCREE_ERR_ARGUMENT, "polygons: memory of contact %" PRId64 ", of %" PRId64 " and %" PRId64 ": expected contacts sorted by body, partner and feature", e,
                              given->ij[e][0], given->ij[e][1]);
        before = now;
    }
    return SCREE_OK;
}

scree_status polygon_memory_take(scree_polygon_sim* sim, const scree_sim_memory* given)
{
    int64_t count = given->count;
    if (SCREE_RESERVE(sim->of_pairs.held.list, sim->of_pairs.held.capacity, count) != SCREE_OK ||
        SCREE_RESERVE(sim->of_walls.held.list, sim->of_walls.held.capacity, count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    sim->of_pairs.held.count = sim->of_walls.held.count = 0;
    for (int64_t e = 0; e < count; ++e) {
        contact_memory entry = {0};
        (void)read_memory(sim, given, e, &entry);  // checked
        memory_list* to = entry.j >= 0 ? &sim->of_pairs.held : &sim->of_walls.held;
        to->list[to->count++] = entry;
    }
    return SCREE_OK;
}

// Each contact by itself, and the sum of all: the order is the same for everybody in any case.
static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    return h ^ h >> 27;
}

static uint64_t hash_of(int64_t i, int64_t j, const int8_t shift[2], uint64_t key, double force, bool slides)
{
    uint64_t bits;
    memcpy(&bits, &force, sizeof bits);
    uint64_t h = mix(mix((uint64_t)i + 1, (uint64_t)j), (uint64_t)(128 + shift[0]) << 9 | (uint64_t)(128 + shift[1]) << 1 | slides);
    return mix(mix(h, key), bits);
}

uint64_t polygon_memory_hash(const scree_polygon_sim* sim)
{
    uint64_t sum = 0;
    const memory_list* const lists[2] = {&sim->of_pairs.held, &sim->of_walls.held};
    for (int l = 0; l < 2; ++l)
        for (int64_t e = 0; e < lists[l]->count; ++e) {
            const contact_memory* m = &lists[l]->list[e];
            sum += hash_of(m->i, m->j, m->shift, m->key, m->force, m->slides);
        }
    return sum;
}

uint64_t polygon_memory_hash_of(const scree_sim_memory* given)
{
    static const int8_t none[3];
    uint64_t sum = 0;  // states of version 0.2 have no shares
    for (int64_t e = 0; given != NULL && given->words >= SCREE_POLYGON_MEMORY_WORDS - 1 && e < given->count; ++e) {
        const double* v = given->values + e * given->words;
        int64_t j = given->ij[e][1];
        bool can = j >= INT32_MIN && is_number_below(v[0], memory_crossing + 1) && is_number_below(v[1], INT32_MAX) && is_number_below(v[2], INT32_MAX);
        sum += hash_of(given->ij[e][0], j, given->shift != NULL ? given->shift[e] : none, can ? key_of(j, v) : 0, v[3], v[4] != 0.0);
    }
    return sum;
}

// ---- Memory --------------------------------------------------------------------------------------------------------------

static size_t bytes_of(const memories* of)
{
    return (size_t)(of->held.capacity + of->next.capacity + of->wrapped.capacity + of->made_capacity) * sizeof(contact_memory) +
           (size_t)of->range_capacity * sizeof *of->range + (size_t)of->lost_capacity * sizeof *of->lost + (size_t)of->part_capacity * sizeof *of->parts;
}

size_t polygon_memory_bytes(const scree_polygon_sim* sim)
{
    return bytes_of(&sim->of_pairs) + bytes_of(&sim->of_walls) + (size_t)sim->shown_ij_capacity * sizeof *sim->shown_ij +
           (size_t)sim->shown_shift_capacity * sizeof *sim->shown_shift + (size_t)sim->shown_values_capacity * sizeof *sim->shown_values;
}

static void free_one(memories* of)
{
    scree_free(of->held.list);
    scree_free(of->next.list);
    scree_free(of->wrapped.list);
    scree_free(of->range);
    scree_free(of->lost);
    scree_free(of->parts);
    scree_free(of->made);
}

void polygon_memory_free(scree_polygon_sim* sim)
{
    free_one(&sim->of_pairs);
    free_one(&sim->of_walls);
    scree_free(sim->shown_ij);
    scree_free(sim->shown_shift);
    scree_free(sim->shown_values);
}
