// Checkpoints, written: the list of parts (checkpoint.c) goes through the container (checkpoint_layout.c) to the same door as every other file (output.c):
// temporary file, fsync, rename, fsync of the directory.
#include "base/argument.h"
#include "base/memory.h"
#include "files/checkpoint_layout.h"

#include <stdio.h>

// One column from the simulation, some rows at a time: to the output, or without one to the sums.
static scree_status visit_rows(const scree_checkpoint* c, const part* p, const char* name, scree_output* output, part_sums* sums)
{
    enum { rows_most = 1 << 18 };
    char* rows = scree_malloc(rows_most, (size_t)checkpoint_row_bytes(p));
    const scree_sim_values values = {.name = name, .data = rows};
    scree_status status = rows == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int64_t first = 0; first < p->shape[0] && status == SCREE_OK; first += rows_most) {
        int64_t count = p->shape[0] - first < rows_most ? p->shape[0] - first : rows_most;
        status = scree_sim_get_rows(c->sim, first, count, 1, &values);
        if (status == SCREE_OK && output == NULL)
            *sums = checkpoint_join(*sums, checkpoint_sum_rows(p, count, rows));
        else if (status == SCREE_OK) {
            checkpoint_put_rows(output, p, first, count, rows);
            status = output->status;
        }
    }
    scree_free(rows);
    return status;
}

// As checkpoint_put_parts, where the simulation has the columns, which are the first parts.
static scree_status put_attached(scree_output* output, const scree_checkpoint* c, part* parts, int32_t count)
{
    scree_status status = SCREE_OK;
    checkpoint_lay_out(parts, count);
    for (int32_t k = 0; k < count && status == SCREE_OK; ++k) {
        bool there = k < c->column_count;
        part_sums sums = {0};
        if (there)
            status = visit_rows(c, &parts[k], c->columns[k].name, NULL, &sums);
        if (status == SCREE_OK)
            checkpoint_set_sums(&parts[k], there ? sums : checkpoint_sum_rows(&parts[k], parts[k].shape[0], parts[k].data));
        if (status == SCREE_OK)
            checkpoint_put_head(output, &parts[k]);
        if (status == SCREE_OK && there)
            status = visit_rows(c, &parts[k], c->columns[k].name, output, NULL);
        else if (status == SCREE_OK)
            checkpoint_put_rows(output, &parts[k], 0, parts[k].shape[0], parts[k].data);
        status = status == SCREE_OK ? output->status : status;
    }
    if (status == SCREE_OK)
        checkpoint_put_tail(output, parts, count, checkpoint_version(c));
    return status == SCREE_OK ? output->status : status;
}

scree_status scree_checkpoint_write(const char* path, const scree_checkpoint* checkpoint)
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
    status = scree_output_open(&output, path, (scree_watch){0});
    if (status != SCREE_OK)
        return status;
    if (ours.sim != NULL)
        return scree_output_close(&output, put_attached(&output, &ours, parts, count));
    checkpoint_put_parts(&output, parts, count, checkpoint_version(&ours));
    return scree_output_close(&output, output.status);
}
