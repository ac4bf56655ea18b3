// Memory of contacts, from one list to the next.
//
// While a list is valid, memory is stored in slots beside its rows (sim_inner.h). Before ranks or rows change, contacts that still exist are taken out of their
// slots, in the order of the rows (memory_keep; memory_hold leaves the words of pairs where they are, mostly until the next step writes all words);
// a new order renames them (memory_rename); a new list gives them the slots of its own rows (memory_give): both are sorted by (i, j, shift),
// so one pass over both suffices. If a call fails in between they stay where they are, and the next call continues.
//
// Words are stored as seen from the first sphere of a row. If the two spheres of a contact are exchanged, odd words change their sign, which is exact.
#include "sim/contact.h"
#include "sim/runner.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "geom/pair.h"

#include <inttypes.h>

static scree_status reserve(sim_kept* kept, int64_t count, bool shifted, int words)
{
    return SCREE_RESERVE(kept->ij, kept->ij_capacity, count) != SCREE_OK ||
                   (shifted && SCREE_RESERVE(kept->shift, kept->shift_capacity, count) != SCREE_OK) ||
                   SCREE_RESERVE(kept->words, kept->word_capacity, count * words) != SCREE_OK
               ? SCREE_ERR_MEMORY
               : SCREE_OK;
}

static void release(sim_kept* kept)
{
    scree_free(kept->ij);
    scree_free(kept->shift);
    scree_free(kept->words);
    *kept = (sim_kept){.count = 0};
}

static void release_slots(sim_slots* slots)
{
    scree_free(slots->slot);
    scree_free(slots->slot_next);
    scree_free(slots->words);
    scree_free(slots->words_next);
    *slots = (sim_slots){.capacity = 0};
}

void memory_close(sim_memory* memory)
{
    release_slots(&memory->pairs);
    release_slots(&memory->walls);
    release_slots(&memory->surfaces);
    release(&memory->kept_surfaces);
    release(&memory->shown_surfaces);
    scree_free(memory->feature);
    release(&memory->kept_pairs);
    release(&memory->kept_walls);
    release(&memory->sorted);
    release(&memory->shown);
    release(&memory->shown_walls);
    scree_free(memory->place);
    scree_free(memory->turn);
    scree_free(memory->first);
    scree_free(memory->named);
    scree_free(memory->held_first);
    scree_free(memory->held_row);
}

static size_t kept_bytes(const sim_kept* kept)
{
    return (size_t)kept->ij_capacity * sizeof *kept->ij + (size_t)kept->shift_capacity * sizeof *kept->shift +
           (size_t)kept->word_capacity * sizeof *kept->words;
}

size_t memory_bytes(const scree_sim* sim)
{
    const sim_memory* m = &sim->memory;
    size_t row = 2 * (sizeof *m->pairs.slot + (size_t)sim->law.row.words * sizeof *m->pairs.words);
    return (size_t)(m->pairs.capacity + m->walls.capacity) * row + (size_t)m->surfaces.capacity * (row + 2 * surface_words * sizeof *m->pairs.words) +
           kept_bytes(&m->kept_surfaces) + kept_bytes(&m->kept_pairs) + kept_bytes(&m->kept_walls) + kept_bytes(&m->sorted) +
           kept_bytes(&m->shown) + kept_bytes(&m->shown_walls) + (size_t)m->place_capacity * sizeof *m->place + (size_t)m->turn_capacity * sizeof *m->turn;
}

static void turn_words(const law_row* law, double* words)
{
    for (int w = 0; w < law->words; ++w)
        if (law->odd >> w & 1)
            words[w] = -words[w];
}

const int64_t* memory_base(const scree_sim* sim)
{
    return sim->memory.stays ? sim->memory.held_row : sim->lists.own;
}

// ---- Out of the slots ----------------------------------------------------------------------------------------------

typedef struct keep_job {
    scree_sim* sim;
    const sim_slots* slots;
    const int64_t* first;  // rows of each block
    const int64_t* base;   // its words
    bool walls, surfaces;  // of boundaries; of exact shapes and meshes
    bool holds;            // words stay where they are
    int64_t total;         // of contacts
    int words;
    sim_kept* out;
    const double* held;    // words where memory_hold has left them; NULL: the words of `out`
} keep_job;

// Of contacts with exact shapes and meshes.
static int surface_words_of(const scree_sim* sim)
{
    return sim->law.row.words + surface_words;
}

// Rows as they are now: of boundaries rank and number of the boundary, or of the part.
static const int32_t (*rows_of(const keep_job* job))[2]
{
    _Static_assert(sizeof(near_wall) == sizeof(int32_t[2]), "a row of boundaries is two numbers");
    if (job->surfaces)
        return (const int32_t(*)[2])job->sim->surfaces.row;
    return job->walls ? (const int32_t(*)[2])job->sim->lists.walls : job->sim->lists.rows.ij;
}

static const int8_t (*shifts_of(const keep_job* job))[3]
{
    return job->walls || job->surfaces ? NULL : job->sim->lists.rows.shift;
}

static scree_status count_block(void* context, int64_t block)
{
    const keep_job* job = context;
    int64_t live = 0;
    for (int64_t row = job->first[block]; row < job->first[block + 1]; ++row)
        live += job->slots->slot[row] >= 0;
    job->sim->memory.first[block] = live;
    return SCREE_OK;
}

// Words of `count` contacts, from one place to another.
static void copy_words(double* to, int64_t to_first, const double* from, int64_t from_first, int64_t count, int32_t words)
{
    if (count > 0 && to + to_first * words != from + from_first * words)
        memmove(to + to_first * words, from + from_first * words, (size_t)(count * words) * sizeof *to);
}

static scree_status keep_block(void* context, int64_t block)
{
    const keep_job* job = context;
    const int32_t (*ij)[2] = rows_of(job);
    const int8_t (*shift)[3] = shifts_of(job);
    const int32_t* slot = job->slots->slot;
    int32_t words = job->words;
    int64_t from = job->sim->memory.first[block], begin = job->first[block], to = from;
    int64_t end = block + 1 < job->sim->blocks ? job->sim->memory.first[block + 1] : job->total;
    for (int64_t row = begin; to < end; ++row) {  // every row is written, and stands if the count goes on: whether it does is hard to foretell
        memcpy(job->out->ij[to], ij[row], sizeof *ij);
        if (shift != NULL)
            memcpy(job->out->shift[to], shift[row], sizeof *shift);
        to += slot[row] >= 0;
    }
    // Slots are numbered as rows come, so all words of the block follow each other.
    if (!job->holds)
        copy_words(job->out->words, from, job->slots->words, job->base[block], to - from, words);
    return SCREE_OK;
}

static keep_job job_of(scree_sim* sim, sim_slots* slots, sim_kept* out)
{
    sim_memory* m = &sim->memory;
    bool walls = slots == &m->walls, surfaces = slots == &m->surfaces;
    const int64_t* first = surfaces ? sim->surfaces.row_first : walls ? sim->lists.wall_first : sim->lists.own;
    return (keep_job){.sim = sim,
                      .slots = slots,
                      .first = first,
                      .base = walls || surfaces ? first : memory_base(sim),
                      .walls = walls,
                      .surfaces = surfaces,
                      .words = surfaces ? surface_words_of(sim) : sim->law.row.words,
                      .out = out};
}

static scree_status keep(scree_sim* sim, sim_slots* slots, bool holds, sim_kept* out)
{
    keep_job job = job_of(sim, slots, out);
    int64_t sum = 0;
    out->count = 0;
    if (slots->capacity == 0)
        return SCREE_OK;
    job.holds = holds;
    if (SCREE_RESERVE(sim->memory.first, sim->memory.first_capacity, sim->blocks) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    scree_parallel_for(sim->threads, sim->blocks, count_block, &job, NULL);
    for (int64_t b = 0; b < sim->blocks; ++b) {
        int64_t here = sim->memory.first[b];
        sim->memory.first[b] = sum;
        sum += here;
    }
    job.total = sum;
    if (reserve(out, sum, sim->periodic && !job.walls && !job.surfaces, holds ? 0 : job.words) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    scree_parallel_for(sim->threads, sim->blocks, keep_block, &job, NULL);
    out->count = sum;
    return SCREE_OK;
}

// Of all contacts; `holds`: words of pairs stay in their slots.
static scree_status keep_all(scree_sim* sim, bool holds)
{
    sim_memory* m = &sim->memory;
    scree_status status = keep(sim, &m->pairs, holds, &m->kept_pairs);
    if (status == SCREE_OK && holds && sim->blocks > 0) {
        memcpy(m->held_first, m->first, (size_t)sim->blocks * sizeof *m->held_first);
        memmove(m->held_row, memory_base(sim), (size_t)sim->blocks * sizeof *m->held_row);
    }
    if (status == SCREE_OK)
        status = keep(sim, &m->walls, false, &m->kept_walls);
    if (status == SCREE_OK)
        status = keep(sim, &m->surfaces, false, &m->kept_surfaces);
    m->kept = status == SCREE_OK;
    m->held = m->kept && holds;
    return status;
}

// Words that memory_hold has left in their slots.
static scree_status take_held(scree_sim* sim)
{
    sim_memory* m = &sim->memory;
    int32_t words = sim->law.row.words;
    sim_kept* kept = &m->kept_pairs;
    if (reserve(kept, kept->count, sim->periodic, words) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t b = 0; b < sim->blocks; ++b) {
        int64_t first = m->held_first[b], end = b + 1 < sim->blocks ? m->held_first[b + 1] : kept->count;
        copy_words(kept->words, first, m->pairs.words, m->held_row[b], end - first, words);
    }
    m->held = false;
    return SCREE_OK;
}

scree_status memory_keep(scree_sim* sim)
{
    if (sim->law.row.words == 0)
        return SCREE_OK;
    if (sim->memory.held)
        return take_held(sim);
    return sim->memory.kept ? SCREE_OK : keep_all(sim, false);
}

scree_status memory_hold(scree_sim* sim)
{
    sim_memory* m = &sim->memory;
    if (sim->law.row.words == 0 || m->kept)
        return SCREE_OK;
    if (m->pairs.capacity == 0)
        return keep_all(sim, false);
    if (SCREE_RESERVE(m->held_first, m->held_first_capacity, sim->blocks) != SCREE_OK || SCREE_RESERVE(m->held_row, m->held_row_capacity, sim->blocks) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    return keep_all(sim, true);
}

// ---- Into the slots of a new list ----------------------------------------------------------------------------------

// Whether most candidates of the list are contacts, by a sample.
static bool mostly_contacts(const scree_sim* sim)
{
    enum { sample = 1000 };
    const scree_candidate_rows* rows = &sim->lists.rows;
    const double nothing[3] = {0.0, 0.0, 0.0};
    int64_t seen = 0, found = 0;
    for (int64_t c = 0; c < rows->count; c += rows->count / sample + 1, ++seen)
        found += scree_is_pair(sim->x[rows->ij[c][0]], sim->x[rows->ij[c][1]], nothing, sim->law.reach);  // images are few
    return 2 * found > seen;
}

// Room for as many rows. What was there is dropped; `held`: its words are not freed, and are there. `full`: nearly all words will be used, so that large pages waste nothing:
// 0.96 of the time of a step of 125,000 spheres.
static scree_status reserve_slots(sim_slots* slots, int64_t rows, int words, bool full, double** held)
{
    if (rows <= slots->capacity)
        return SCREE_OK;
    int64_t capacity = rows + rows / 8;
    sim_slots more = {.capacity = capacity};
    if (held == NULL)
        release_slots(slots);
    more.slot = scree_malloc((size_t)capacity, sizeof *more.slot);
    more.slot_next = scree_malloc((size_t)capacity, sizeof *more.slot_next);
    // Mostly not touched, and so not held: of each block as much as its contacts need.
    more.words = scree_malloc((size_t)(capacity * words + 4), sizeof *more.words);  // read in steps of four numbers
    more.words_next = scree_malloc((size_t)(capacity * words + 4), sizeof *more.words_next);
    if (more.slot == NULL || more.slot_next == NULL || more.words == NULL || more.words_next == NULL) {
        release_slots(&more);
        return SCREE_ERR_MEMORY;
    }
    if (full) {
        scree_memory_large_pages(more.words, (size_t)(capacity * words) * sizeof *more.words);
        scree_memory_large_pages(more.words_next, (size_t)(capacity * words) * sizeof *more.words);
    }
    if (held != NULL) {
        *held = slots->words;
        slots->words = NULL;
        release_slots(slots);
    }
    *slots = more;
    return SCREE_OK;
}

static int shift_order(const int8_t a[3], const int8_t b[3])
{
    for (int k = 0; k < 3; ++k)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static uint32_t shift_bits(const int8_t shift[3])
{
    return (uint32_t)(uint8_t)shift[0] | (uint32_t)(uint8_t)shift[1] << 8 | (uint32_t)(uint8_t)shift[2] << 16;
}

// Two ranks as one number, of the same order.
static uint64_t key_of(const int32_t ij[2])
{
    return (uint64_t)(uint32_t)ij[0] << 32 | (uint32_t)ij[1];
}

// Of the kept contact c; above all others where there is none.
static uint64_t key_kept(const sim_kept* kept, int64_t c)
{
    return c < kept->count ? key_of(kept->ij[c]) : UINT64_MAX;
}

// The boundary to which a part of all shapes belongs.
static int32_t boundary_of_part(const scree_sim* sim, int32_t part)
{
    int32_t b = sim->boundary_count - 1;
    while (sim->boundaries[b].shape == NULL || sim->boundaries[b].shape->first > part)
        --b;
    return b;
}

// What a contact loses if it ends.
static void add_lost(const scree_sim* sim, const energy_scales* scales, bool walls, bool surfaces, const int32_t ij[2], const double* words, energy_sums* to)
{
    double lost[owners];
    sim_pass pass = {.x = (const double(*)[4])sim->x, .material = sim->material, .boundaries = sim->boundaries, .law = sim->law};
    sim_ended(&pass, ij[0], surfaces ? boundary_of_part(sim, ij[1]) : ij[1], walls || surfaces, words, lost);
    for (int owner = 0; owner < owners; ++owner)
        energy_add(scales, ENERGY_LOST + owner, surfaces && owner != OWNER_NORMAL ? words[sim->law.row.words + SLOT_SHARE] * lost[owner] : lost[owner], to);
}

// It ended, and was too far away for the new list. Parts find this in another way (part_leaves).
static void drop(const keep_job* job, int64_t c, const double* words, int64_t block)
{
    scree_sim* sim = job->sim;
    if (!sim->law.parts.accounts || sim->part != NULL)
        return;
    energy_scales scales = sim_scales(&sim->numbers);
    add_lost(sim, &scales, job->walls, job->surfaces, job->out->ij[c], words, &sim->result[block].sums);
}

static scree_status give_block(void* context, int64_t block)
{
    const keep_job* job = context;
    int words = job->words;
    int64_t begin = job->first[block], end = job->first[block + 1], low = 0, high = job->out->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (job->out->ij[middle][0] < block * sim_block)
            low = middle + 1;
        else
            high = middle;
    }
    // Words go over in runs: one ends where a contact is dropped. Words that stay are moved only behind one.
    const int32_t (*ij)[2] = rows_of(job);
    const int8_t (*shift)[3] = shifts_of(job);
    const sim_kept* kept = job->out;
    const sim_memory* m = &job->sim->memory;
    // Where the words of contact 0 would be, if the words of all contacts were as far apart as in this block.
    const double* from = job->held == NULL ? kept->words : job->held + (m->held_row[block] - m->held_first[block]) * words;
    int32_t live = 0;
    int64_t run = low, done = 0;
    for (int64_t row = begin; row < end; ++row) {
        uint64_t here = key_of(ij[row]), next = key_kept(kept, low);
        bool is = next == here, same = shift == NULL || low >= kept->count || shift_bits(kept->shift[low]) == shift_bits(shift[row]);
        if (next < here || (is && !same)) {  // seldom: it is dropped, or there are several images of a pair
            while (next < here || (next == here && shift != NULL && shift_order(kept->shift[low], shift[row]) < 0)) {
                copy_words(job->slots->words, job->base[block] + done, from, run, live - done, words);
                drop(job, low, from + low * words, block);
                next = key_kept(kept, ++low);
                run = low;
                done = live;
            }
            is = next == here && (shift == NULL || shift_order(kept->shift[low], shift[row]) == 0);
        }
        job->slots->slot[row] = is ? live : -1;
        live += is;
        low += is;
    }
    copy_words(job->slots->words, job->base[block] + done, from, run, live - done, words);
    for (; low < kept->count && kept->ij[low][0] < (block + 1) * sim_block; ++low)
        drop(job, low, from + low * words, block);
    return SCREE_OK;
}

scree_status memory_give(scree_sim* sim)
{
    sim_memory* m = &sim->memory;
    int words = sim->law.row.words;
    double* old = NULL;  // words that are held, where their slots have become more
    if (words == 0)
        return SCREE_OK;
    if (reserve_slots(&m->walls, sim->lists.wall_first[sim->blocks] + 1, words, false, NULL) != SCREE_OK ||
        (sim->surfaces.count > 0 && reserve_slots(&m->surfaces, sim->surfaces.row_first[sim->blocks] + 1, surface_words_of(sim), false, NULL) != SCREE_OK) ||
        reserve_slots(&m->pairs, sim->lists.rows.count + 1, words, sim->lists.rows.count >= m->pairs.capacity && mostly_contacts(sim), m->held ? &old : NULL) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int64_t b = 0; b < sim->blocks && sim->law.parts.accounts; ++b)
        sim->result[b].sums = (energy_sums){.beyond = 0};
    keep_job pairs = job_of(sim, &m->pairs, &m->kept_pairs), walls = job_of(sim, &m->walls, &m->kept_walls), surfaces = job_of(sim, &m->surfaces, &m->kept_surfaces);
    m->stays = m->held && old == NULL;
    pairs.base = memory_base(sim);
    pairs.held = !m->held ? NULL : old != NULL ? old : m->pairs.words;
    scree_parallel_for(sim->threads, sim->blocks, give_block, &pairs, NULL);
    scree_free(old);
    scree_parallel_for(sim->threads, sim->blocks, give_block, &walls, NULL);
    if (sim->surfaces.count > 0)
        scree_parallel_for(sim->threads, sim->blocks, give_block, &surfaces, NULL);
    for (int64_t b = 0; b < sim->blocks && sim->law.parts.accounts; ++b)
        for (int owner = 0; owner < owners; ++owner)
            sum_join(&sim->pending.of[ENERGY_LOST + owner], &sim->result[b].sums.of[ENERGY_LOST + owner]);
    m->kept = m->held = false;
    m->kept_pairs.count = m->kept_walls.count = m->kept_surfaces.count = 0;
    return SCREE_OK;
}

// ---- What all hold -------------------------------------------------------------------------------------------------

static bool counts(const scree_sim* sim, const keep_job* job, const int32_t ij[2])
{
    const sim_pass pass = {.x = (const double(*)[4])sim->x, .ghost = sim->ghost, .giant_radius = sim->numbers.giant_radius};
    return job->walls || job->surfaces || cell_counts(&pass, ij[0], ij[1]);
}

// Words of the kept contact c; memory_hold leaves the words of pairs in the slots of their block.
static const double* words_kept(const keep_job* job, int64_t c)
{
    const sim_memory* m = &job->sim->memory;
    int64_t block = job->out->ij[c][0] / sim_block;
    return m->held && job->out == &m->kept_pairs ? m->pairs.words + (m->held_row[block] + c - m->held_first[block]) * job->words : job->out->words + c * job->words;
}

static scree_status hold_block(void* context, int64_t block)
{
    const keep_job* job = context;
    scree_sim* sim = job->sim;
    energy_scales scales = sim_scales(&sim->numbers);
    energy_sums* to = &sim->result[block].sums;
    if (sim->memory.kept) {
        int64_t share = job->out->count / sim->blocks + 1, end = (block + 1) * share < job->out->count ? (block + 1) * share : job->out->count;
        for (int64_t c = block * share; c < end; ++c)
            if (counts(sim, job, job->out->ij[c]))
                add_lost(sim, &scales, job->walls, job->surfaces, job->out->ij[c], words_kept(job, c), to);
        return SCREE_OK;
    }
    const int32_t (*ij)[2] = rows_of(job);
    for (int64_t row = job->first[block]; row < job->first[block + 1] && job->slots->capacity > 0; ++row)
        if (job->slots->slot[row] >= 0 && counts(sim, job, ij[row]))
            add_lost(sim, &scales, job->walls, job->surfaces, ij[row], job->slots->words + (job->base[block] + job->slots->slot[row]) * job->words, to);
    return SCREE_OK;
}

void memory_add_springs(scree_sim* sim, bool minus)
{
    sim_memory* m = &sim->memory;
    if (sim->law.row.words == 0 || sim->n == 0)
        return;
    for (int64_t b = 0; b < sim->blocks; ++b)
        sim->result[b].sums = (energy_sums){.beyond = 0};
    keep_job pairs = job_of(sim, &m->pairs, &m->kept_pairs), walls = job_of(sim, &m->walls, &m->kept_walls), surfaces = job_of(sim, &m->surfaces, &m->kept_surfaces);
    scree_parallel_for(sim->threads, sim->blocks, hold_block, &pairs, NULL);
    scree_parallel_for(sim->threads, sim->blocks, hold_block, &walls, NULL);
    if (sim->surfaces.count > 0)
        scree_parallel_for(sim->threads, sim->blocks, hold_block, &surfaces, NULL);
    for (int64_t b = 0; b < sim->blocks; ++b)
        for (int owner = 0; owner < owners; ++owner) {
            sim_sum one = sim->result[b].sums.of[ENERGY_LOST + owner];
            for (int k = 0; k < sum_limbs && minus; ++k)
                one.limb[k] = -one.limb[k];
            sum_join(&sim->pending.of[ENERGY_LOST + owner], &one);
        }
}

static void exchange(sim_slots* slots)
{
    int32_t* slot = slots->slot;
    double* words = slots->words;
    slots->slot = slots->slot_next;
    slots->words = slots->words_next;
    slots->slot_next = slot;
    slots->words_next = words;
}

void memory_advance(scree_sim* sim)
{
    exchange(&sim->memory.pairs);
    sim->memory.stays = false;
    exchange(&sim->memory.walls);
    exchange(&sim->memory.surfaces);
}

// ---- Sorted --------------------------------------------------------------------------------------------------------

// By (i, j, shift): places of the i first, each row then by insertion where it is short.
static int order_of(const sim_kept* kept, bool shifted, uint32_t a, uint32_t b)
{
    if (kept->ij[a][1] != kept->ij[b][1])
        return kept->ij[a][1] < kept->ij[b][1] ? -1 : 1;
    return shifted ? shift_order(kept->shift[a], kept->shift[b]) : 0;
}

// Heap sort of one row, for spheres with very many contacts.
static void sort_long(const sim_kept* kept, bool shifted, uint32_t* row, int64_t count)
{
    for (int64_t begin = count / 2, end = count; end > 1;) {
        if (begin > 0) {
            --begin;
        } else {
            uint32_t last = row[--end];
            row[end] = row[0];
            row[0] = last;
        }
        int64_t at = begin;
        for (int64_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
            if (child + 1 < end && order_of(kept, shifted, row[child], row[child + 1]) < 0)
                ++child;
            if (order_of(kept, shifted, row[at], row[child]) >= 0)
                break;
            uint32_t other = row[at];
            row[at] = row[child];
            row[child] = other;
            at = child;
        }
    }
}

static void sort_row(const sim_kept* kept, bool shifted, uint32_t* row, int64_t count)
{
    if (count > 32) {
        sort_long(kept, shifted, row, count);
        return;
    }
    for (int64_t a = 1; a < count; ++a) {
        uint32_t one = row[a];
        int64_t b = a;
        for (; b > 0 && order_of(kept, shifted, row[b - 1], one) > 0; --b)
            row[b] = row[b - 1];
        row[b] = one;
    }
}

// `kept` and `sorted` change places.
static scree_status sort(scree_sim* sim, sim_kept* kept, bool shifted, int words)
{
    sim_memory* m = &sim->memory;
    if (reserve(&m->sorted, kept->count, shifted, words) != SCREE_OK || SCREE_RESERVE(m->place, m->place_capacity, (int64_t)sim->n + 1) != SCREE_OK ||
        SCREE_RESERVE(m->turn, m->turn_capacity, kept->count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    memset(m->place, 0, ((size_t)sim->n + 1) * sizeof *m->place);
    for (int64_t c = 0; c < kept->count; ++c)
        ++m->place[kept->ij[c][0] + 1];
    for (int64_t i = 0; i < sim->n; ++i)
        m->place[i + 1] += m->place[i];
    for (int64_t c = 0; c < kept->count; ++c)
        m->turn[m->place[kept->ij[c][0]]++] = (uint32_t)c;
    for (int64_t i = 0, begin = 0; i < sim->n && kept->count > 0; begin = m->place[i], ++i) {
        if (sim_ask(sim, i, sim->n) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        sort_row(kept, shifted, m->turn + begin, m->place[i] - begin);
    }
    for (int64_t c = 0; c < kept->count; ++c) {
        uint32_t from = m->turn[c];
        if (sim_ask(sim, c, kept->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        memcpy(m->sorted.ij[c], kept->ij[from], sizeof *kept->ij);
        if (shifted)
            memcpy(m->sorted.shift[c], kept->shift[from], sizeof *kept->shift);
        memcpy(m->sorted.words + c * words, kept->words + (int64_t)from * words, (size_t)words * sizeof(double));
    }
    m->sorted.count = kept->count;
    sim_kept other = *kept;
    *kept = m->sorted;
    m->sorted = other;
    return SCREE_OK;
}

// ---- Other ranks ---------------------------------------------------------------------------------------------------

void memory_wrapped(scree_sim* sim, const int8_t (*turns)[3])
{
    sim_kept* kept = &sim->memory.kept_pairs;
    for (int64_t c = 0; c < kept->count && turns != NULL; ++c)
        for (int k = 0; k < 3; ++k)
            kept->shift[c][k] = (int8_t)(kept->shift[c][k] - turns[kept->ij[c][0]][k] + turns[kept->ij[c][1]][k]);
}

// The lower number first.
static void stand(const scree_sim* sim, sim_kept* kept, int64_t c)
{
    if (kept->ij[c][0] <= kept->ij[c][1])
        return;
    int32_t first = kept->ij[c][0];
    kept->ij[c][0] = kept->ij[c][1];
    kept->ij[c][1] = first;
    for (int k = 0; k < 3 && sim->periodic; ++k)
        kept->shift[c][k] = (int8_t)-kept->shift[c][k];
    turn_words(&sim->law.row, kept->words + c * sim->law.row.words);
}

scree_status memory_rename(scree_sim* sim, const uint32_t* from)
{
    sim_memory* m = &sim->memory;
    if (sim->law.row.words == 0)
        return SCREE_OK;
    int32_t* rank = scree_malloc((size_t)sim->n, sizeof *rank);
    // Room for the sort too, so that it cannot fail when names have changed.
    int64_t most = m->kept_pairs.count > m->kept_walls.count ? m->kept_pairs.count : m->kept_walls.count;
    int words = sim->law.row.words, wide = sim->surfaces.count > 0 ? surface_words_of(sim) : words;
    most = m->kept_surfaces.count > most ? m->kept_surfaces.count : most;
    if (rank == NULL || reserve(&m->sorted, most, sim->periodic, wide) != SCREE_OK || reserve(&m->kept_pairs, most, sim->periodic, wide) != SCREE_OK ||
        reserve(&m->kept_walls, most, sim->periodic, wide) != SCREE_OK || (wide > words && reserve(&m->kept_surfaces, most, sim->periodic, wide) != SCREE_OK) ||
        SCREE_RESERVE(m->place, m->place_capacity, (int64_t)sim->n + 1) != SCREE_OK || SCREE_RESERVE(m->turn, m->turn_capacity, most) != SCREE_OK) {
        scree_free(rank);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t i = 0; i < sim->n; ++i)
        rank[from[i]] = i;
    for (int64_t c = 0; c < m->kept_pairs.count; ++c) {
        m->kept_pairs.ij[c][0] = rank[m->kept_pairs.ij[c][0]];
        m->kept_pairs.ij[c][1] = rank[m->kept_pairs.ij[c][1]];
        stand(sim, &m->kept_pairs, c);
    }
    for (int64_t c = 0; c < m->kept_walls.count; ++c)
        m->kept_walls.ij[c][0] = rank[m->kept_walls.ij[c][0]];
    for (int64_t c = 0; c < m->kept_surfaces.count; ++c)
        m->kept_surfaces.ij[c][0] = rank[m->kept_surfaces.ij[c][0]];
    scree_free(rank);
    scree_status status = sort(sim, &m->kept_pairs, sim->periodic, words);
    if (status == SCREE_OK)
        status = sort(sim, &m->kept_walls, false, words);
    return status == SCREE_OK && wide > words ? sort(sim, &m->kept_surfaces, false, wide) : status;
}

// ---- By id: what others see ----------------------------------------------------------------------------------------

const char* scree_sim_get_law(const scree_sim* sim, int32_t* words)
{
    if (words != NULL)
        *words = 0;
    SCREE_NEED_OR(sim, NULL);
    if (words != NULL)
        *words = sim->law.row.words;
    return sim->law.row.name;
}

static scree_status copy_kept(const sim_kept* from, bool shifted, int words, sim_kept* out)
{
    if (reserve(out, from->count, shifted, words) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    out->count = from->count;
    if (from->count == 0)
        return SCREE_OK;
    memcpy(out->ij, from->ij, (size_t)from->count * sizeof *from->ij);
    if (shifted)
        memcpy(out->shift, from->shift, (size_t)from->count * sizeof *from->shift);
    copy_words(out->words, 0, from->words, 0, from->count, words);
    return SCREE_OK;
}

static scree_status show_heard(scree_sim* sim, scree_sim_memory* out)
{
    sim->hears = true;
    const scree_status status = memory_show(sim, false, out);
    sim->hears = false;
    return status;
}

scree_status scree_sim_get_memory(scree_sim* sim, scree_sim_memory* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(sim);
    scree_status status = sim_check_asked(sim);
    if (status == SCREE_OK && sim->hollow)
        return sim->keeper->memory(sim->kept_by, 0, -1, out, &(int64_t){0});
    return status == SCREE_OK ? show_heard(sim, out) : status;
}

scree_status scree_sim_get_memory_rows(scree_sim* sim, int64_t first, int64_t count, scree_sim_memory* out, int64_t* all)
{
    SCREE_EMPTY(out);
    SCREE_EMPTY(all);
    SCREE_NEED(sim);
    if (first < 0 || count < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId64 " contacts from contact %" PRId64 " on; expected 0 or more", count, first);
    scree_status status = sim_check_asked(sim);
    if (status == SCREE_OK && sim->hollow)
        return sim->keeper->memory(sim->kept_by, first, count, out, all);
    scree_sim_memory* shown = &sim->memory.shown_rows;
    if (status == SCREE_OK && (first == 0 || shown->ij == NULL))
        status = show_heard(sim, shown);
    if (status != SCREE_OK)
        return status;
    *all = shown->count;
    *out = *shown;
    first = first < shown->count ? first : shown->count;
    out->count = shown->count - first < count ? shown->count - first : count;
    if (shown->count == 0)
        return SCREE_OK;
    out->ij += first;
    out->shift = shown->shift != NULL ? shown->shift + first : NULL;
    out->values += first * shown->words;
    out->feature = shown->feature != NULL ? shown->feature + first : NULL;
    return SCREE_OK;
}

int32_t memory_words(const scree_sim* sim, bool between_parts)
{
    return between_parts && sim->law.row.words > 0 && sim->surfaces.count > 0 ? surface_words_of(sim) : sim->law.row.words;
}

scree_status memory_show(scree_sim* sim, bool between_parts, scree_sim_memory* out)
{
    sim_memory* m = &sim->memory;
    const int words = sim->law.row.words, each = memory_words(sim, between_parts);
    *out = m->shown_rows = (scree_sim_memory){0};
    if (words == 0)
        return SCREE_OK;
    sim_kept *pairs = &m->shown, *walls = &m->shown_walls, *surfaces = &m->shown_surfaces;
    bool shapes = sim->surfaces.count > 0;
    scree_status status = m->held ? take_held(sim) : SCREE_OK;
    if (status == SCREE_OK)
        status = m->kept ? copy_kept(&m->kept_pairs, sim->periodic, words, pairs) : keep(sim, &m->pairs, false, pairs);
    if (status == SCREE_OK)
        status = m->kept ? copy_kept(&m->kept_walls, false, words, walls) : keep(sim, &m->walls, false, walls);
    if (status == SCREE_OK)
        status = m->kept ? copy_kept(&m->kept_surfaces, false, surface_words_of(sim), surfaces) : keep(sim, &m->surfaces, false, surfaces);
    for (int64_t c = 0; c < pairs->count && (status == SCREE_OK && (status = sim_ask(sim, c, pairs->count)) == SCREE_OK); ++c) {
        pairs->ij[c][0] = (int32_t)sim_row(sim, pairs->ij[c][0]);
        pairs->ij[c][1] = (int32_t)sim_row(sim, pairs->ij[c][1]);
        stand(sim, pairs, c);
    }
    for (int64_t c = 0; c < walls->count && status == SCREE_OK; ++c)
        walls->ij[c][0] = (int32_t)sim_row(sim, walls->ij[c][0]);
    for (int64_t c = 0; c < surfaces->count && status == SCREE_OK; ++c)
        surfaces->ij[c][0] = (int32_t)sim_row(sim, surfaces->ij[c][0]);
    if (status == SCREE_OK)
        status = sort(sim, pairs, sim->periodic, words);
    if (status == SCREE_OK)
        status = sort(sim, walls, false, words);
    if (status == SCREE_OK && shapes)
        status = sort(sim, surfaces, false, surface_words_of(sim));
    int64_t all = pairs->count + walls->count + surfaces->count;
    if (status != SCREE_OK)
        return status;
    if (reserve(pairs, all + 1, sim->periodic, each) != SCREE_OK || SCREE_RESERVE(m->named, m->named_capacity, all + 1) != SCREE_OK ||
        (shapes && SCREE_RESERVE(m->feature, m->feature_capacity, all + 1) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    for (int64_t c = pairs->count - 1; c >= 0 && each > words; --c) {
        memmove(pairs->words + c * each, pairs->words + c * words, (size_t)words * sizeof(double));
        memset(pairs->words + c * each + words, 0, (size_t)(each - words) * sizeof(double));
    }
    for (int64_t c = 0, wall = 0, surface = 0; c < all; ++c) {
        if (sim_ask(sim, c, all) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        if (shapes)
            m->feature[c] = -1;
        if (c < pairs->count) {
            m->named[c][0] = sim_id_of(sim, pairs->ij[c][0]);
            m->named[c][1] = sim_id_of(sim, pairs->ij[c][1]);
            continue;
        }
        // Of both kinds of boundaries the next by (id, boundary).
        int32_t boundary = surface < surfaces->count ? boundary_of_part(sim, surfaces->ij[surface][1]) : 0;
        bool other = surface < surfaces->count &&
                     (wall == walls->count || surfaces->ij[surface][0] < walls->ij[wall][0] || (surfaces->ij[surface][0] == walls->ij[wall][0] && boundary < walls->ij[wall][1]));
        const double* from = other ? surfaces->words + surface * surface_words_of(sim) : walls->words + wall * words;
        m->named[c][0] = sim_id_of(sim, other ? surfaces->ij[surface][0] : walls->ij[wall][0]);
        m->named[c][1] = -1 - (other ? boundary : walls->ij[wall][1]);
        if (other)
            m->feature[c] = (int32_t)from[words];
        if (sim->periodic)
            memset(pairs->shift[c], 0, sizeof *pairs->shift);
        memcpy(pairs->words + c * each, from, (size_t)(other ? each : words) * sizeof(double));
        if (!other && each > words)
            memset(pairs->words + c * each + words, 0, (size_t)(each - words) * sizeof(double));
        *(other ? &surface : &wall) += 1;
    }
    *out = (scree_sim_memory){.count = all,
                              .words = each,
                              .ij = (const int64_t(*)[2])m->named,
                              .shift = sim->periodic ? (const int8_t(*)[3])pairs->shift : NULL,
                              .values = pairs->words,
                              .feature = shapes ? m->feature : NULL};
    return SCREE_OK;
}

uint64_t memory_hash(const scree_sim* sim)
{
    const sim_memory* m = &sim->memory;
    const lists* l = &sim->lists;
    int words = sim->law.row.words;
    const sim_pass pass = {.x = (const double(*)[4])sim->x, .ghost = sim->ghost, .giant_radius = sim->numbers.giant_radius};
    uint64_t sum = 0;
    for (int64_t b = 0; b < sim->blocks && words > 0 && !m->kept; ++b) {
        double memory[law_words_most];
        for (int64_t row = l->own[b]; row < l->own[b + 1]; ++row) {
            if (m->pairs.slot[row] < 0 || !cell_counts(&pass, l->rows.ij[row][0], l->rows.ij[row][1]))
                continue;
            int64_t i = sim->id[l->rows.ij[row][0]], j = sim->id[l->rows.ij[row][1]];
            int8_t shift[3] = {0, 0, 0};
            slot_read(&m->pairs, row, memory_base(sim)[b], words, memory);
            for (int k = 0; k < 3 && sim->periodic; ++k)
                shift[k] = (int8_t)(i <= j ? l->rows.shift[row][k] : -l->rows.shift[row][k]);
            if (i > j)
                turn_words(&sim->law.row, memory);
            sum += sim_mix_contact(i < j ? i : j, i < j ? j : i, sim->periodic ? shift : NULL, memory, words);
        }
        for (int64_t row = l->wall_first[b]; row < l->wall_first[b + 1]; ++row) {
            if (m->walls.slot[row] < 0)
                continue;
            int8_t none[3] = {0, 0, 0};
            slot_read(&m->walls, row, l->wall_first[b], words, memory);
            sum += sim_mix_contact(sim->id[l->walls[row].rank], -1 - (int64_t)l->walls[row].boundary, sim->periodic ? none : NULL, memory, words);
        }
        const sim_surfaces* s = &sim->surfaces;
        for (int64_t row = s->count > 0 ? s->row_first[b] : 0; s->count > 0 && row < s->row_first[b + 1]; ++row) {
            if (m->surfaces.slot[row] < 0)
                continue;
            int8_t none[3] = {0, 0, 0};
            const double* slot = m->surfaces.words + (s->row_first[b] + m->surfaces.slot[row]) * surface_words_of(sim);
            int64_t name = sim_name_of(-1 - (int64_t)boundary_of_part(sim, s->row[row][1]), (int32_t)slot[words]);
            sum += sim_mix_contact(sim->id[s->row[row][0]], name, sim->periodic ? none : NULL, slot, words);
        }
    }
    return sum;
}

static int order_of_given(const scree_sim_memory* given, int64_t c)
{
    const int64_t *a = given->ij[c - 1], *b = given->ij[c];
    bool wall[2] = {a[1] < 0, b[1] < 0};
    if (wall[0] != wall[1])
        return wall[1] ? -1 : 1;
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    if (a[1] != b[1])
        return (a[1] < b[1]) != wall[0] ? -1 : 1;
    return wall[0] || given->shift == NULL ? 0 : shift_order(given->shift[c - 1], given->shift[c]);
}

// Where contact c of a state stands among the parts of its shape; -1: its boundary is no shape. -2: it has no such feature.
static int32_t home_of_given(const scree_sim* sim, const scree_sim_memory* given, int64_t c)
{
    int64_t j = given->ij[c][1];
    const sim_shape* shape = j < 0 ? sim->boundaries[-1 - j].shape : NULL;
    int32_t feature = given->feature != NULL ? given->feature[c] : -1;
    if (shape == NULL)
        return feature == -1 ? -1 : -2;
    int32_t home = shape_home(shape, feature);
    return home >= 0 ? home : -2;
}

// The contact is one of two that are near enough at x, by row.
static bool is_near(const scree_sim* sim, const scree_sim_memory* given, int64_t c, const double* x, const double* radius)
{
    int64_t i = sim_row_of(sim, given->ij[c][0]), j = sim_row_of(sim, given->ij[c][1]);
    double square = 0.0, reach = (radius != NULL ? radius[i] + radius[j] : sim->x[sim->rank_of[i]][3] + sim->x[sim->rank_of[j]][3]) + sim->law.reach, offset[3] = {0.0, 0.0, 0.0};
    if (given->shift != NULL)
        cell_offset(&sim->cell, given->shift[c], offset);
    for (int k = 0; k < sim->dim; ++k) {
        double d = (x[i * sim->dim + k] - x[j * sim->dim + k]) - offset[k];
        square += d * d;
    }
    return square < reach * reach * (1.0 + 1e-12);
}

// By how many periods a sphere was moved to another image, on each axis.
static void find_images(const scree_sim* sim, const double* from, const double* to, int64_t out[3])
{
    double d[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < sim->dim; ++k)
        d[k] = to[k] - from[k];
    for (int k = sim->dim - 1; k >= 0; --k) {  // H is triangular
        out[k] = sim->cell.h[k][k] > 0.0 && fabs(d[k]) < 1e6 * sim->cell.h[k][k] ? (int64_t)rint(d[k] / sim->cell.h[k][k]) : 0;
        for (int a = 0; a < k; ++a)
            d[a] -= (double)out[k] * sim->cell.h[a][k];
    }
}

bool sim_shift_to(const scree_sim* sim, const int64_t ij[2], const int8_t was[3], const double* before, const double* x, int8_t out[3])
{
    int64_t i = sim_row_of(sim, ij[0]) * sim->dim, j = sim_row_of(sim, ij[1]) * sim->dim, of_i[3] = {0, 0, 0}, of_j[3] = {0, 0, 0};
    find_images(sim, before + i, x + i, of_i);
    find_images(sim, before + j, x + j, of_j);
    bool fits = true;
    for (int k = 0; k < 3; ++k) {
        int64_t shift = was[k] + of_i[k] - of_j[k];
        fits = fits && shift >= INT8_MIN && shift <= INT8_MAX;
        out[k] = (int8_t)(fits ? shift : 0);
    }
    return fits;
}

void memory_copy_free(memory_copy* copy)
{
    scree_free(copy->ij);
    scree_free(copy->shift);
    scree_free(copy->values);
    scree_free(copy->feature);
    *copy = (memory_copy){.ij = NULL};
}

// `before` and `radius` are scratch.
static scree_status copy_memory(scree_sim* sim, const double* x, double* before, double* radius, memory_copy* out)
{
    scree_sim_memory now;
    scree_status status = scree_sim_get_column(sim, "x", before);
    if (status == SCREE_OK)
        status = scree_sim_get_column(sim, "radius", radius);
    if (status == SCREE_OK)
        status = scree_sim_get_memory(sim, &now);
    if (status != SCREE_OK)
        return status;
    const size_t n = (size_t)now.count + 1, words = (size_t)now.words;
    *out = (memory_copy){.ij = scree_malloc(n, sizeof *out->ij),
                         .shift = now.shift != NULL ? scree_calloc(n, sizeof *out->shift) : NULL,
                         .values = scree_malloc(n * words, sizeof *out->values),
                         .feature = now.feature != NULL ? scree_malloc(n, sizeof *out->feature) : NULL};
    if (out->ij == NULL || (now.shift != NULL && out->shift == NULL) || out->values == NULL || (now.feature != NULL && out->feature == NULL)) {
        memory_copy_free(out);
        return SCREE_ERR_MEMORY;
    }
    scree_sim_memory* to = &out->memory;
    *to = (scree_sim_memory){.words = now.words, .ij = (const int64_t(*)[2])out->ij, .shift = (const int8_t(*)[3])out->shift, .values = out->values, .feature = out->feature};
    for (int64_t c = 0; c < now.count; ++c) {
        const bool pair = now.ij[c][1] >= 0;
        int64_t e = to->count;
        if (scree_watch_own("sim", c, now.count) != SCREE_OK) {
            memory_copy_free(out);
            return SCREE_ERR_CANCELLED;
        }
        memcpy(out->ij[e], now.ij[c], sizeof *out->ij);
        if (pair && now.shift != NULL && !sim_shift_to(sim, now.ij[c], now.shift[c], before, x, out->shift[e]))
            continue;
        if (pair && !is_near(sim, to, e, x, radius))
            continue;
        memcpy(out->values + (size_t)e * words, now.values + (size_t)c * words, words * sizeof *out->values);
        if (now.feature != NULL)
            out->feature[e] = now.feature[c];
        ++to->count;
    }
    return SCREE_OK;
}

scree_status memory_copy_make(scree_sim* sim, const double* x, memory_copy* out)
{
    double *before = scree_malloc((size_t)sim->n * (size_t)sim->dim + 1, sizeof *before), *radius = scree_malloc((size_t)sim->n + 1, sizeof *radius);
    *out = (memory_copy){.ij = NULL};
    scree_status status = before != NULL && radius != NULL ? copy_memory(sim, x, before, radius, out) : SCREE_ERR_MEMORY;
    scree_free(before);
    scree_free(radius);
    return status;
}

bool memory_begins(const scree_sim_memory* given)
{
    return given == NULL || (given->count == 0 && given->words == 0);
}

scree_status memory_check(scree_sim* sim, const scree_sim_memory* given, const double* x, const double* radius)
{
    int words = sim->law.row.words;
    if (memory_begins(given))
        return SCREE_OK;
    if (given->words != words)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: contacts with a memory of %d numbers; expected %d, for the law '%s'", (int)given->words, words, sim->law.row.name);
    if (given->count == 0)
        return SCREE_OK;
    SCREE_NEED_AS(given->ij, "memory.ij");
    SCREE_NEED_AS(given->values, "memory.values");
    if (sim->periodic)
        SCREE_NEED_AS(given->shift, "memory.shift");
    if (radius == NULL && SCREE_RESERVE(sim->rank_of, sim->rank_of_capacity, sim->n) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    for (int32_t rank = 0; rank < sim->n && radius == NULL; ++rank)
        sim->rank_of[sim_row(sim, rank)] = rank;
    for (int64_t c = 0; c < given->count; ++c) {
        int64_t i = given->ij[c][0], j = given->ij[c][1];
        if (scree_watch_own("sim", c, given->count) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        bool is = sim_row_of(sim, i) >= 0 && (j < 0 || sim_row_of(sim, j) >= 0) && (j >= i || (j < 0 && -1 - j < sim->boundary_count && sim->boundaries[-1 - j].present));
        if (is && i == j)
            is = sim->periodic && shift_order(given->shift[c], (int8_t[3]){0, 0, 0}) > 0;
        if (!is)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: contact %" PRId64 " of the state joins %" PRId64 " and %" PRId64 "; expected two spheres, or a sphere and a boundary, that may touch", c, i, j);
        int32_t home = home_of_given(sim, given, c);
        if (home == -2)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: contact %" PRId64 " of the state joins sphere %" PRId64 " and feature %" PRId32 " of boundary %" PRId64 "; expected a feature that it has", c, i,
                              given->feature != NULL ? given->feature[c] : -1, -1 - j);
        if (c > 0 && order_of_given(given, c) >= 0 && !(order_of_given(given, c) == 0 && home >= 0 && home > home_of_given(sim, given, c - 1)))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: contact %" PRId64 " of the state joins %" PRId64 " and %" PRId64 "; expected contacts sorted by sphere and partner, each once", c,
                              i, j);
        if (j >= 0 && !is_near(sim, given, c, x, radius))
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: contact %" PRId64 " of the state: spheres %" PRId64 " and %" PRId64 " do not touch; expected contacts only", c, i, j);
        for (int w = 0; w < words; ++w)
            if (!(fabs(given->values[c * words + w]) <= 1e300))
                return scree_fail(SCREE_ERR_ARGUMENT, "sim: contact %" PRId64 " of the state has %g in its memory; expected a finite number", c,
                                  given->values[c * words + w]);
    }
    return SCREE_OK;
}

scree_status memory_take(scree_sim* sim, const scree_sim_memory* given)
{
    sim_memory* m = &sim->memory;
    int words = sim->law.row.words;
    int64_t count = given != NULL ? given->count : 0, pairs = 0;
    if (words == 0)
        return SCREE_OK;
    while (pairs < count && given->ij[pairs][1] >= 0)
        ++pairs;
    if (reserve(&m->kept_pairs, pairs, sim->periodic, words) != SCREE_OK || reserve(&m->kept_walls, count - pairs, false, words) != SCREE_OK ||
        (sim->surfaces.count > 0 && reserve(&m->kept_surfaces, count - pairs, false, surface_words_of(sim)) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    m->kept_pairs.count = pairs;
    m->kept_walls.count = m->kept_surfaces.count = 0;
    for (int64_t c = 0; c < count; ++c) {
        int32_t home = home_of_given(sim, given, c);
        if (home >= 0) {  // point, normal and share, if they are not given, are filled in when forces are computed
            int64_t at = m->kept_surfaces.count++;
            double* slot = m->kept_surfaces.words + at * surface_words_of(sim);
            m->kept_surfaces.ij[at][0] = sim->rank_of[sim_row_of(sim, given->ij[c][0])];
            m->kept_surfaces.ij[at][1] = sim->boundaries[-1 - given->ij[c][1]].shape->first + home;
            memset(slot, 0, (size_t)surface_words_of(sim) * sizeof *slot);
            memcpy(slot, given->values + c * given->words, (size_t)given->words * sizeof *slot);
            slot[words] = (double)given->feature[c];
            continue;
        }
        sim_kept* kept = c < pairs ? &m->kept_pairs : &m->kept_walls;
        int64_t to = c < pairs ? c : m->kept_walls.count++, j = given->ij[c][1];
        kept->ij[to][0] = sim->rank_of[sim_row_of(sim, given->ij[c][0])];
        kept->ij[to][1] = c < pairs ? sim->rank_of[sim_row_of(sim, j)] : (int32_t)(-1 - j);
        if (c < pairs && sim->periodic)
            memcpy(kept->shift[to], given->shift[c], sizeof *kept->shift);
        memcpy(kept->words + to * words, given->values + c * given->words, (size_t)words * sizeof(double));
        if (c < pairs)
            stand(sim, kept, to);
    }
    m->kept = true;
    m->held = false;
    return SCREE_OK;
}

scree_status memory_sort(scree_sim* sim)
{
    sim_memory* m = &sim->memory;
    int words = sim->law.row.words;
    scree_status status = words > 0 ? sort(sim, &m->kept_pairs, sim->periodic, words) : SCREE_OK;
    if (status == SCREE_OK && words > 0)
        status = sort(sim, &m->kept_walls, false, words);
    return status == SCREE_OK && words > 0 && sim->surfaces.count > 0 ? sort(sim, &m->kept_surfaces, false, surface_words_of(sim)) : status;
}
