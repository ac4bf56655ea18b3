// Columns of some spheres by rising id: of all, or slice by slice, so that no process needs memory for all. Where parts have the spheres (runner.h) they send records of an id and its values; else these are read where they are.
#include "base/argument.h"
#include "base/sort.h"
#include "geom/pair.h"
#include "sim/contact.h"
#include "sim/overview.h"
#include "sim/runner.h"

#include <inttypes.h>

// ---- Contacts of each sphere ---------------------------------------------------------------------------------------

typedef struct touch_counts {
    int32_t* of;
} touch_counts;

static void count_touch(void* context, const surface_touch* touch, const double* words, const sim_seen* seen)
{
    (void)words;
    (void)seen;
    ((const touch_counts*)context)->of[touch->rank] += !surface_is_link(touch);
}

void rows_find_contacts(const scree_sim* sim, int32_t* out)
{
    sim_pass pass;
    double memory[law_words_most];
    sim_seen seen;
    sim_pass_of_forces(sim, &pass);
    memset(out, 0, (size_t)sim->n * sizeof *out);
    for (int64_t c = 0; c < sim->lists.rows.count; ++c)
        if (sim_contact_of_row(&pass, c, &seen, memory)) {
            ++out[pass.ij[c][0]];
            ++out[pass.ij[c][1]];
        }
    for (int64_t e = 0; e < sim->lists.wall_first[sim->blocks]; ++e)
        out[pass.near[e].rank] += sim_contact_of_entry(&pass, e, &seen, memory);
    for (int64_t b = 0; b < sim->blocks && sim->surfaces.count > 0; ++b)
        sim_surfaces_visit(&pass, b, count_touch, &(touch_counts){.of = out});
}

// ---- Records -------------------------------------------------------------------------------------------------------

enum { record_head = sizeof(int64_t), only_contacts = 62 };  // the bit of an id

static bool wants(const rows_wish* wish, int column)
{
    return (wish->columns >> column & 1) != 0;
}

size_t rows_bytes(const scree_sim* sim, const rows_wish* wish)
{
    size_t bytes = record_head;
    for (int c = 0; c < sim_column_count; ++c)
        if (wants(wish, c))
            bytes += sim_column_width(sim, &sim_columns[c]);
    bytes += (wish->columns & rows_contacts) != 0 ? sizeof(int64_t) : 0;
    return (bytes + 7) / 8 * 8;
}

// The first of these ranks whose sphere has this id or a larger one.
static int32_t first_from(const scree_sim* part, const int32_t* ranks, int32_t count, int64_t id)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (part->id[ranks[middle]] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void rows_find(const scree_sim* part, const rows_wish* wish, const int32_t* ranks, int32_t count, int32_t* first, int32_t* last)
{
    *first = first_from(part, ranks, count, wish->first_id);
    *last = first_from(part, ranks, count, wish->last_id);
}

// Nearly all values have eight bytes, which need no call.
static inline void copy_value(char* to, const char* from, size_t width)
{
    if (width == sizeof(double))
        memcpy(to, from, sizeof(double));
    else
        memcpy(to, from, width);
}

// Where the values of the wanted columns are: of the first sphere, from one to the next, and their bytes. How many columns there are.
typedef struct rows_from {
    char* at;
    size_t step, width;
} rows_from;

static int columns_of(const scree_sim* part, const rows_wish* wish, rows_from of[sim_column_count])
{
    int count = 0;
    for (int c = 0; c < sim_column_count; ++c) {
        const sim_column* column = &sim_columns[c];
        if (wants(wish, c))
            of[count++] = (rows_from){.at = sim_items(part, column->at) + column->first,
                                      .step = sim_step_of(part, column->at, column->bytes, column->rows),
                                      .width = sim_column_width(part, column)};
    }
    return count;
}

void rows_pack(const scree_sim* part, const rows_wish* wish, const int32_t* contacts, const int32_t* ranks, int64_t count, char* out)
{
    rows_from of[sim_column_count];
    const size_t bytes = rows_bytes(part, wish);
    const int columns = columns_of(part, wish, of);
    for (int64_t e = 0; e < count; ++e) {
        const int32_t i = ranks[e];
        char* to = out + (size_t)e * bytes;
        int64_t id = part->id[i] | (part->ghost != NULL && part->ghost[i] != 0 ? (int64_t)1 << only_contacts : 0);
        memset(to + bytes - sizeof id, 0, sizeof id);  // what is behind the values
        memcpy(to, &id, sizeof id);
        to += record_head;
        for (int c = 0; c < columns; ++c) {
            copy_value(to, of[c].at + (size_t)i * of[c].step, of[c].width);
            to += of[c].width;
        }
        int64_t touching = contacts != NULL ? contacts[i] : 0;
        if ((wish->columns & rows_contacts) != 0)
            memcpy(to, &touching, sizeof touching);
    }
}

void rows_unpack(const scree_sim* sim, const rows_wish* wish, const char* records, int64_t count, rows_take* take, void* context)
{
    size_t bytes = rows_bytes(sim, wish);
    for (int64_t e = 0; e < count; ++e) {
        int64_t id;
        memcpy(&id, records + (size_t)e * bytes, sizeof id);
        bool only = (id >> only_contacts & 1) != 0;
        take(context, only ? id & ~((int64_t)1 << only_contacts) : id, only, records + (size_t)e * bytes + record_head);
    }
}

scree_status rows_sort(const scree_sim* part, bool giants, int32_t* out, int32_t* count)
{
    int32_t n = 0;
    int64_t* id = scree_malloc(2 * (size_t)part->n + 1, sizeof *id);
    uint32_t* rank = scree_malloc(2 * (size_t)part->n + 1, sizeof *rank);
    for (int32_t i = 0; i < part->n && id != NULL && rank != NULL; ++i)
        if (part->ghost == NULL || part->ghost[i] == 0 || (giants && part->x[i][3] >= part->numbers.giant_radius)) {
            id[n] = part->id[i];
            rank[n++] = (uint32_t)i;
        }
    scree_status status = id == NULL || rank == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    if (status == SCREE_OK) {
        scree_sort_with(id, rank, id + n, rank + n, n);
        memcpy(out, rank, (size_t)n * sizeof *out);
    }
    *count = n;
    scree_free(id);
    scree_free(rank);
    return status;
}

void rows_put(scree_sim* part, const rows_wish* wish, const int32_t* ranks, int64_t count, const char* records)
{
    rows_from of[sim_column_count];
    const size_t bytes = rows_bytes(part, wish);
    const int columns = columns_of(part, wish, of);
    for (int64_t e = 0; e < count; ++e, records += bytes) {
        const char* from = records + record_head;
        for (int c = 0; c < columns; ++c) {
            copy_value(of[c].at + (size_t)ranks[e] * of[c].step, from, of[c].width);
            from += of[c].width;
        }
    }
}

// ---- Public calls--------------------------------------------------------------------------------------------------

// Where values go: of the column of sim_columns, -1 for contacts.
typedef struct rows_to {
    const scree_sim* sim;
    int64_t first;
    int32_t count;
    int column[sim_column_count + 1];   // rising, so as they stand in records
    char* data[sim_column_count + 1];
    size_t width[sim_column_count + 1];  // bytes of a value
} rows_to;

static void put(void* context, int64_t id, bool only, const char* values)
{
    const rows_to* to = context;
    int64_t row = sim_row_of(to->sim, id) - to->first, touching;
    for (int32_t c = 0; c < to->count; ++c) {
        size_t width = to->width[c];
        if (to->column[c] < sim_column_count && !only)
            copy_value(to->data[c] + (size_t)row * width, values, width);
        if (to->column[c] == sim_column_count) {
            memcpy(&touching, values, sizeof touching);
            ((int64_t*)(void*)to->data[c])[row] += touching;
        }
        values += width;
    }
}

static scree_status find_columns(const scree_sim* sim, int32_t count, const scree_sim_values* columns, rows_to* out)
{
    for (int32_t c = 0; c < count; ++c) {
        const sim_column* column = columns[c].name != NULL ? sim_find_column(sim, columns[c].name) : NULL;
        int number = column != NULL ? (int)(column - sim_columns) : columns[c].name != NULL && strcmp(columns[c].name, "contacts") == 0 ? sim_column_count : -1;
        if (number < 0)
            return scree_fail(SCREE_ERR_ARGUMENT, "sim: no column '%.40s'; expected a name from scree_sim_get_columns", columns[c].name != NULL ? columns[c].name : "(NULL)");
        int32_t at = out->count;
        for (; at > 0 && out->column[at - 1] >= number; --at) {
            if (out->column[at - 1] == number)
                return scree_fail(SCREE_ERR_ARGUMENT, "sim: column '%.40s' is given twice; expected each column once", columns[c].name);
            out->column[at] = out->column[at - 1];
            out->data[at] = out->data[at - 1];
        }
        out->column[at] = number;
        out->data[at] = columns[c].data;
        ++out->count;
    }
    return SCREE_OK;
}

static scree_status read_here(const scree_sim* sim, const rows_to* to, int64_t last)
{
    bool touching = to->count > 0 && to->column[to->count - 1] == sim_column_count;
    int32_t* contacts = touching ? scree_malloc((size_t)sim->n + 1, sizeof *contacts) : NULL;
    if (touching && contacts == NULL)
        return SCREE_ERR_MEMORY;
    if (touching)
        rows_find_contacts(sim, contacts);
    struct {
        const char* from;
        size_t step, width;
    } of[sim_column_count + 1];
    for (int32_t c = 0; c < to->count; ++c) {
        const sim_column* column = to->column[c] < sim_column_count ? &sim_columns[to->column[c]] : NULL;
        of[c].from = column != NULL ? sim_items(sim, column->at) + column->first : NULL;
        of[c].step = column != NULL ? sim_step_of(sim, column->at, column->bytes, column->rows) : 0;
        of[c].width = column != NULL ? sim_column_width(sim, column) : 0;
    }
    for (int32_t i = 0; i < sim->n; ++i) {
        int64_t row = sim_row(sim, i) - to->first;
        if (row < 0 || row >= last - to->first)
            continue;
        for (int32_t c = 0; c < to->count; ++c)
            if (of[c].from != NULL)
                copy_value(to->data[c] + (size_t)row * of[c].width, of[c].from + (size_t)i * of[c].step, of[c].width);
            else
                ((int64_t*)(void*)to->data[c])[row] = contacts[i];
    }
    scree_free(contacts);
    return SCREE_OK;
}

scree_status scree_sim_get_rows(const scree_sim* sim, int64_t first, int64_t count, int32_t column_count, const scree_sim_values* columns)
{
    SCREE_NEED(sim);
    if (column_count > 0)
        SCREE_NEED(columns);
    if (first < 0 || count < 0 || first > sim->n - count)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: %" PRId64 " rows from row %" PRId64 " on; expected rows within the %" PRId32 " of the simulation", count, first, sim->n);
    rows_to to = {.sim = sim, .first = first};
    scree_status status = column_count <= sim_column_count + 1 ? find_columns(sim, column_count, columns, &to) : scree_fail(SCREE_ERR_ARGUMENT, "sim: %d columns; expected at most %d", (int)column_count, sim_column_count + 1);
    bool touching = to.count > 0 && to.column[to.count - 1] == sim_column_count;
    for (int32_t c = 0; c < to.count && count > 0 && status == SCREE_OK; ++c)
        if (to.data[c] == NULL)
            status = scree_fail(SCREE_ERR_ARGUMENT, "sim: the data of column %d is NULL; expected an array", (int)c);
    if (status == SCREE_OK)
        status = touching ? sim_check_asked(sim) : sim_check_known(sim);
    if (status != SCREE_OK || count == 0 || to.count == 0)
        return status;
    if (!sim->hollow)
        return read_here(sim, &to, first + count);
    rows_wish wish = {.first_id = sim_id_of(sim, first), .last_id = sim_id_of(sim, first + count - 1) + 1};
    for (int32_t c = 0; c < to.count; ++c)
        to.width[c] = to.column[c] < sim_column_count ? sim_column_width(sim, &sim_columns[to.column[c]]) : sizeof(int64_t);
    for (int32_t c = 0; c < to.count; ++c)
        wish.columns |= to.column[c] < sim_column_count ? (int64_t)1 << to.column[c] : rows_contacts;
    if (touching)
        memset(to.data[to.count - 1], 0, (size_t)count * sizeof(int64_t));
    return sim->keeper->rows(sim->kept_by, &wish, put, &to);
}
