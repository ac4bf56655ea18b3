// Insertion and removal of spheres in the parts of a simulation: the exchange of insert.c, divided where messages are needed (part.h; src/par/exchange.c has the order).
//
// Each part marks the spheres that are removed, and the spheres that they touch. Giants may be touched in parts that do not own them, so that these are added up. Removed spheres become ghosts: no part owns them, so they
// are in no part after the next list. New spheres are added to the first part, after its list, and are sent to their owners with it.
#include "sim/part_inner.h"
#include "sim/runner.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

uint8_t* part_marks(const scree_sim* part)
{
    return part->part->marks;
}

static int by_id(const void* a, const void* b)
{
    const int64_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static bool is_among(int64_t id, int64_t count, const int64_t* ids)
{
    return count > 0 && id >= ids[0] && id <= ids[count - 1] && bsearch(&id, ids, (size_t)count, sizeof *ids, by_id) != NULL;
}

scree_status part_mark(scree_sim* part, int64_t count, const int64_t* ids)
{
    uint8_t* marks = scree_calloc((size_t)part->n + 1, 1);
    if (marks == NULL)
        return SCREE_ERR_MEMORY;
    scree_free(part->part->marks);
    part->part->marks = marks;
    for (int32_t i = 0; i < part->n; ++i)
        marks[i] = is_among(part->id[i], count, ids);
    return SCREE_OK;
}

// ---- Who has lost or got a contact -----------------------------------------------------------------------------------------

int64_t part_touched_count(int64_t giants)
{
    return 1 + giants;
}

void part_get_touched(const scree_sim* part, int64_t giants, const int64_t* ids, int64_t* out)
{
    memset(out, 0, (size_t)part_touched_count(giants) * sizeof *out);
    for (int32_t i = 0; i < part->n; ++i)
        out[0] += part->part->marks[i] == 2;
    for (int32_t g = 0; g < part->numbers.giant_count; ++g) {
        int32_t i = part->giants[g];
        const int64_t* at = (part->part->marks[i] & 2) != 0 ? bsearch(&part->id[i], ids, (size_t)giants, sizeof *ids, by_id) : NULL;
        if (at != NULL)
            out[1 + (at - ids)] = 1;
    }
}

void part_set_touched(scree_sim* part, int64_t giants, const int64_t* ids, const int64_t* in)
{
    for (int32_t g = 0; g < part->numbers.giant_count; ++g) {
        int32_t i = part->giants[g];
        const int64_t* at = bsearch(&part->id[i], ids, (size_t)giants, sizeof *ids, by_id);
        if (at != NULL && in[1 + (at - ids)] > 0)
            part->part->marks[i] |= 2;
    }
}

// ---- Out and in ------------------------------------------------------------------------------------------------------------

// Contacts of those that go are forgotten, also where these come back.
static void drop_contacts(const uint8_t* marks, bool walls, int32_t each, sim_kept* kept)
{
    int64_t count = 0;
    for (int64_t c = 0; c < kept->count; ++c) {
        if (((marks[kept->ij[c][0]] | (walls ? 0 : marks[kept->ij[c][1]])) & 1) != 0)
            continue;
        memmove(kept->ij[count], kept->ij[c], sizeof *kept->ij);
        if (kept->shift != NULL)
            memmove(kept->shift[count], kept->shift[c], sizeof *kept->shift);
        memmove(kept->words + count * each, kept->words + c * each, (size_t)each * sizeof *kept->words);
        ++count;
    }
    kept->count = count;
}

scree_status part_leave_out(scree_sim* part)
{
    int32_t words = part->law.row.words;
    memcpy(part->part->account, part->account, sizeof part->account);
    part->part->bonds_next = part->bonds.dissipated_next;
    if (memory_keep(part) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (words > 0) {
        drop_contacts(part->part->marks, false, words, &part->memory.kept_pairs);
        drop_contacts(part->part->marks, true, words, &part->memory.kept_walls);
        drop_contacts(part->part->marks, true, words + surface_words, &part->memory.kept_surfaces);
    }
    for (int32_t i = 0; i < part->n; ++i)
        if ((part->part->marks[i] & 1) != 0)
            part->ghost[i] = 1;
    return SCREE_OK;
}

scree_status part_add(scree_sim* part, const sim_exchange* more)
{
    int32_t count = more->spheres.count;
    int64_t n = (int64_t)part->n + count;
    if (count == 0)
        return SCREE_OK;
    void *ghost = scree_realloc(part->ghost, (size_t)(n > part->array_room ? n : part->array_room), 1), *marks = ghost != NULL ? scree_realloc(part->part->marks, (size_t)n + 1, 1) : NULL;
    part->ghost = ghost != NULL ? ghost : part->ghost;
    part->part->marks = marks != NULL ? marks : part->part->marks;
    if (ghost == NULL || marks == NULL || (n > part->array_room && sim_arrays_grow(part, n) != SCREE_OK))
        return SCREE_ERR_MEMORY;
    memset(part->ghost + part->n, 0, (size_t)count);
    memset(part->part->marks + part->n, 2, (size_t)count);  // their accelerations are to be worked out
    part->n = (int32_t)n;
    sim_exchange_insert(part, more);
    // Rows by id were of those that it had.
    scree_free(part->names);
    scree_free(part->row);
    part->names = NULL;
    part->row = NULL;
    part->traits &= ~(unsigned)SIM_GAPS;
    return SCREE_OK;
}

// ---- Accelerations that stay -----------------------------------------------------------------------------------------------

typedef struct kept_record {
    int64_t id;
    double a[3], turn[3];
} kept_record;

size_t part_kept_bytes(void)
{
    return sizeof(kept_record);
}

bool part_keep(const scree_sim* part, int32_t rank, char* out)
{
    if (part->ghost[rank] != 0 || part->part->marks[rank] != 0)
        return false;
    kept_record record = {.id = part->id[rank]};
    memcpy(record.a, part->other[rank], sizeof record.a);
    if (part->wp_next.at != NULL)
        memcpy(record.turn, sim_at(part->wp_next, rank), sizeof record.turn);
    memcpy(out, &record, sizeof record);
    return true;
}

void part_settle_again(scree_sim* part)
{
    sim_predict_now(part);
}

scree_status part_put_kept(scree_sim* part, int32_t pieces, const part_kept* kept, bool touched)
{
    uint8_t* marks = part->part->marks;
    double half = 0.5 * part->numbers.time_step, whole = part->numbers.time_step;
    uint8_t* goes_on = scree_calloc((size_t)part->n + 1, 1);
    scree_status status = goes_on == NULL ? SCREE_ERR_MEMORY : part_rank_rows(part);
    for (int32_t p = 0; p < pieces && status == SCREE_OK; ++p)
        for (int64_t e = 0; e < kept[p].count; ++e) {
            kept_record record;
            memcpy(&record, kept[p].records + (size_t)e * sizeof record, sizeof record);
            int32_t i = part_rank_of(part, record.id);
            if ((marks[i] & 2) != 0)
                continue;
            goes_on[i] = 1;
            memcpy(part->other[i], record.a, sizeof record.a);
            if (part->wp_next.at != NULL)
                memcpy(sim_at(part->wp_next, i), record.turn, sizeof record.turn);
        }
    for (int32_t i = 0; i < part->n && status == SCREE_OK && part->before != NULL; ++i)
        for (int k = 0; k < 3 && goes_on[i] == 0; ++k)
            part->before[i][k] = part->x[i][k] - whole * (sim_at(part->v, i)[k] - half * part->other[i][k]);
    scree_free(goes_on);
    if (status != SCREE_OK)
        return status;
    part->bonds.dissipated_next = part->part->bonds_next;  // as in one process
    if (!touched)  // what the next step adds first comes from contacts, and these are the same
        memcpy(part->account + sim_accounts, part->part->account + sim_accounts, sim_accounts * sizeof *part->account);
    scree_sim_overlaps found = part->watch.found;
    sim_watch_begin(part);
    part->watch.found = found;
    part->watch.slack = 0.0;
    scree_free(marks);
    part->part->marks = NULL;
    return SCREE_OK;
}

// ---- What is known of all --------------------------------------------------------------------------------------------------

void part_take_tally(scree_sim* part, const part_tally* tally)
{
    int32_t giants = part->numbers.giant_count;
    part->numbers = tally->numbers;
    part->numbers.giant_count = giants;  // that it has itself
    part->flow = tally->flow;
}

scree_status part_count_exchange(scree_sim* whole, const sim_exchange* given, const sim_look* gone, int64_t giants, part_tally* out)
{
    scree_status status = sim_exchange_count(whole, given, gone, (int32_t)giants);
    *out = (part_tally){.numbers = whole->numbers, .flow = whole->flow};
    return status;
}

void part_count_come(scree_sim* whole, const sim_look* come, part_tally* out)
{
    sim_energy energy;
    sim_energy_from(come->totals, &energy);
    whole->flow.mass_inserted += energy.mass;
    whole->flow.energy_inserted += energy.energy;
    whole->flow.gravity_inserted += energy.gravity;
    *out = (part_tally){.numbers = whole->numbers, .flow = whole->flow};
}

// ---- Those that have crossed a boundary ------------------------------------------------------------------------------------

static int by_crossing(const void* a, const void* b)
{
    const scree_sim_crossing *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

int64_t part_seen_ids(scree_sim* whole, int64_t seen, const int64_t** ids)
{
    sim_crossings* c = &whole->crossings;
    if (seen > 1)
        qsort(c->list + c->count, (size_t)seen, sizeof *c->list, by_crossing);
    for (int64_t k = 0; k < seen; ++k)
        c->ids[k] = c->list[c->count + k].id;
    *ids = c->ids;
    return seen;
}

void part_seen_are_gone(scree_sim* whole, int64_t seen)
{
    whole->crossings.count += seen;
}
