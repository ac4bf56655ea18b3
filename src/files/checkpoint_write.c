// Checkpoints, written: the list of parts (checkpoint.c) goes through the container (checkpoint_layout.c) to the same door as every other file (output.c):
// temporary file, fsync, rename, fsync of the directory.
#include "base/argument.h"
#include "files/checkpoint_layout.h"

#include <stdio.h>

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
    checkpoint_put_parts(&output, parts, count, checkpoint_version(&ours));
    return scree_output_close(&output, output.status);
}
