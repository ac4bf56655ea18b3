// Checkpoints, written: the list of parts (checkpoint.c) goes through the container (checkpoint_layout.c) to the writer that every other file uses (output.c):
// temporary file, fsync, rename, fsync of the directory.
#include "base/argument.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "files/checkpoint_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t checkpoint_rows_least = 1 << 20;

// Rows of a column that are in memory at once. Each slice looks at all spheres, so there are not many slices; and columns of up to a million rows are fetched once.
typedef struct slices {
    int64_t most;
    char* rows;
} slices;

static scree_status slices_make(const scree_checkpoint* c, const part* parts, slices* out)
{
    enum { slices_most = 16 };
    size_t widest = 1;
    *out = (slices){.most = checkpoint_rows_least};
    for (int32_t k = 0; k < c->column_count; ++k) {
        size_t bytes = (size_t)checkpoint_row_bytes(&parts[k]);
        widest = bytes > widest ? bytes : widest;
        if (out->most < parts[k].shape[0] / slices_most + 1)
            out->most = parts[k].shape[0] / slices_most + 1;
    }
    int64_t rows = c->column_count > 0 && parts[0].shape[0] < out->most ? parts[0].shape[0] : out->most;
    out->rows = scree_malloc((size_t)rows, widest);
    return out->rows == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
}

// One column from the simulation, some rows at a time: to the sums, and then to the output.
static scree_status visit_rows(const scree_checkpoint* c, const part* p, const char* name, const slices* s, scree_output* output, part_sums* sums)
{
    const scree_sim_values values = {.name = name, .data = s->rows};
    const bool fetched = output != NULL && p->shape[0] <= s->most;
    scree_status status = SCREE_OK;
    for (int64_t first = 0; first < p->shape[0] && status == SCREE_OK; first += s->most) {
        int64_t count = p->shape[0] - first < s->most ? p->shape[0] - first : s->most;
        status = scree_watch_own("checkpoint", 0, 1);
        if (status == SCREE_OK && !fetched)
            status = scree_sim_get_rows(c->sim, first, count, 1, &values);
        if (status == SCREE_OK && output == NULL)
            *sums = checkpoint_join(*sums, checkpoint_sum_rows(p, count, s->rows));
        else if (status == SCREE_OK) {
            checkpoint_put_rows(output, p, first, count, s->rows);
            status = output->status;
        }
    }
    return status;
}

// Parts that hold what contacts remember: the number of this one among them; -1: it is another one.
static int contact_part(const char* name)
{
    static const char* const names[] = {"contact_ij", "contact_shift", "contact_memory", "contact_feature"};
    for (int k = 0; k < (int)(sizeof names / sizeof *names); ++k)
        if (strcmp(name, names[k]) == 0)
            return k;
    return -1;
}

// An array of what contacts remember, which the simulation has: some contacts at a time, to the sums, and then to the output.
static scree_status visit_contacts(const scree_checkpoint* c, const part* p, scree_output* output, part_sums* sums)
{
    const int64_t most = checkpoint_rows_least / 32 > 1 ? checkpoint_rows_least / 32 : 1;
    scree_status status = SCREE_OK;
    for (int64_t first = 0; first < p->shape[0] && status == SCREE_OK; first += most) {
        int64_t count = p->shape[0] - first < most ? p->shape[0] - first : most, all = 0;
        scree_sim_memory some;
        status = scree_sim_get_memory_rows(c->sim, first, count, &some, &all);
        if (status != SCREE_OK)
            return status;
        if (all != p->shape[0])
            return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: %" PRId64 " contacts with memory; expected %" PRId64 ", as when the checkpoint was attached", all, p->shape[0]);
        const void* const arrays[] = {some.ij, some.shift, some.values, some.feature};
        const void* rows = arrays[contact_part(p->name)];
        if (output == NULL)
            *sums = checkpoint_join(*sums, checkpoint_sum_rows(p, count, rows));
        else
            checkpoint_put_rows(output, p, first, count, rows);
        status = output != NULL ? output->status : SCREE_OK;
    }
    return status;
}

// Parts that hold bonds, as contact_part; their sums are not among them.
static int bond_part(const char* name)
{
    static const char* const names[] = {"bond_ij", "bond_shift", "bond_kind", "bond_length", "bond_values", "bond_broken_at", "bond_cause", "bond_released"};
    for (int k = 0; k < (int)(sizeof names / sizeof *names); ++k)
        if (strcmp(name, names[k]) == 0)
            return k;
    return -1;
}

// Arrays of bonds, which the simulation has, some bonds at a time: those of `count` parts that stand side by side to their sums, or one of them to the output.
static scree_status visit_bonds(const scree_checkpoint* c, const part* parts, int32_t count, scree_output* output, part_sums* sums)
{
    const int64_t wanted = parts->shape[0], most = 1 << 19;
    scree_status status = SCREE_OK;
    for (int64_t first = 0; first < wanted && status == SCREE_OK; first += most) {
        int64_t all = 0;
        scree_sim_bonds some;
        status = scree_sim_get_bond_rows(c->sim, first, most, &some, &all);
        if (status != SCREE_OK)
            return status;
        if (all != wanted)
            return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: %" PRId64 " bonds; expected %" PRId64 ", as when the checkpoint was attached", all, wanted);
        const void* const arrays[] = {some.ij, some.shift, some.kind, some.length, some.values, some.broken_at, some.cause, some.released};
        for (int32_t k = 0; k < count; ++k) {
            const void* rows = arrays[bond_part(parts[k].name)];
            if (output == NULL)
                sums[k] = checkpoint_join(sums[k], checkpoint_sum_rows(&parts[k], some.count, rows));
            else
                checkpoint_put_rows(output, &parts[k], first, some.count, rows);
        }
        status = output != NULL ? output->status : SCREE_OK;
    }
    return status;
}

static bool is_bonds(const scree_checkpoint* c, const part* p)
{
    return c->bonds.ij == NULL && c->bonds.count > 0 && bond_part(p->name) >= 0;
}

static bool is_remembered(const scree_checkpoint* c, const part* p)
{
    return c->memory.ij == NULL && c->memory.count > 0 && contact_part(p->name) >= 0;
}

// As checkpoint_put_parts, where the simulation has the columns, which are the first parts, and may have what contacts remember.
static scree_status put_attached(scree_output* output, const scree_checkpoint* c, part* parts, int32_t count)
{
    slices s;
    part_sums of_bonds[8] = {0};
    int32_t bond_sums_of = -1;  // the first part of these; -1: they are not known yet
    scree_status status = slices_make(c, parts, &s);
    checkpoint_lay_out(parts, count);
    for (int32_t k = 0; k < count && status == SCREE_OK; ++k) {
        bool there = k < c->column_count, contacts = is_remembered(c, &parts[k]), bonds = is_bonds(c, &parts[k]);
        part_sums sums = {0};
        if (there)
            status = visit_rows(c, &parts[k], c->columns[k].name, &s, NULL, &sums);
        else if (contacts)
            status = visit_contacts(c, &parts[k], NULL, &sums);
        if (bonds && bond_sums_of < 0) {
            int32_t side_by_side = 0;
            while (k + side_by_side < count && is_bonds(c, &parts[k + side_by_side]))
                ++side_by_side;
            status = visit_bonds(c, &parts[k], side_by_side, NULL, of_bonds);
            bond_sums_of = k;
        }
        if (bonds)
            sums = of_bonds[k - bond_sums_of];
        if (status == SCREE_OK)
            checkpoint_set_sums(&parts[k], there || contacts || bonds ? sums : checkpoint_sum_rows(&parts[k], parts[k].shape[0], parts[k].data));
        if (status == SCREE_OK)
            checkpoint_put_head(output, &parts[k]);
        if (status == SCREE_OK && there)
            status = visit_rows(c, &parts[k], c->columns[k].name, &s, output, NULL);
        else if (status == SCREE_OK && contacts)
            status = visit_contacts(c, &parts[k], output, NULL);
        else if (status == SCREE_OK && bonds)
            status = visit_bonds(c, &parts[k], 1, output, NULL);
        else if (status == SCREE_OK)
            checkpoint_put_rows(output, &parts[k], 0, parts[k].shape[0], parts[k].data);
        status = status == SCREE_OK ? output->status : status;
    }
    scree_free(s.rows);
    if (status == SCREE_OK)
        checkpoint_put_tail(output, parts, count, checkpoint_version(c));
    return status == SCREE_OK ? output->status : status;
}

scree_status scree_write_checkpoint(const char* path, const scree_checkpoint* checkpoint)
{
    SCREE_NEED(path);
    SCREE_NEED(checkpoint);
    scree_status status = checkpoint_check(checkpoint, SCREE_ERR_ARGUMENT, "checkpoint");
    if (status != SCREE_OK)
        return status;
    scree_checkpoint ours = *checkpoint;  // borrows the arrays
    snprintf(ours.library, sizeof ours.library, "%s", scree_version());
    part parts[part_most];
    int32_t count = checkpoint_parts(&ours, ours.has_bodies ? checkpoint_vertices(&ours) : 0, parts);
    scree_output output;
    status = scree_output_open(&output, path, scree_get_watch());
    if (status != SCREE_OK)
        return status;
    if (ours.sim != NULL)
        return scree_output_close(&output, put_attached(&output, &ours, parts, count));
    checkpoint_put_parts(&output, parts, count, checkpoint_version(&ours));
    return scree_output_close(&output, output.status);
}
