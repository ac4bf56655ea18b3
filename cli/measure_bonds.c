// The bonds of a frame. A run keeps all bonds, with the step at which each broke, in its checkpoints; broken.csv has the times of these steps. So the newest checkpoint has the bonds of every
// earlier frame: those are broken that broke up to the last step that broken.csv has at or before the time of the frame.
#include "frames.h"
#include "measure_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The last step at which a bond broke, at or before `time`; -1: none did.
static scree_status find_step(const char* folder, double time, int64_t* step)
{
    char path[4096], line[512];
    *step = -1;
    if ((size_t)snprintf(path, sizeof path, "%s/broken.csv", folder) >= sizeof path)
        return scree_fail(SCREE_ERR_ARGUMENT, "%.200s...: the name of this folder is too long; expected a shorter one", folder);
    FILE* file = fopen(path, "r");
    if (file == NULL)  // nothing broke
        return SCREE_OK;
    scree_status status = SCREE_OK;
    for (int64_t number = 1; status == SCREE_OK && fgets(line, sizeof line, file) != NULL; ++number) {
        char *end = line, *begin;
        long long at = number > 1 ? strtoll(line, &end, 10) : 0;
        double when = number > 1 && *end == ',' ? strtod(begin = end + 1, &end) : NAN;
        if (number == 1 ? strncmp(line, "step,time,", 10) != 0 : !isfinite(when) || at < 0)
            status = scree_fail(SCREE_ERR_FORMAT, "%s:%" PRId64 ": this is not a row of broken bonds; expected step,time,i,j,kind,cause,released", path, number);
        else if (number > 1 && when <= time * (1.0 + 1e-12))
            *step = at;
    }
    fclose(file);
    return status;
}

static scree_status rows_of(const scree_sphere_set* set, const scree_checkpoint_bonds* bonds)
{
    bool named = scree_sphere_set_find(set, "id") != NULL;
    for (int64_t b = 0; b < bonds->count; ++b)
        for (int k = 0; k < 2; ++k) {
            int64_t row = named ? scree_sphere_set_row(set, bonds->ij[b][k]) : bonds->ij[b][k];
            if (row < 0 || row >= set->count)
                return scree_fail(SCREE_ERR_ARGUMENT, "bond %" PRId64 " is one of sphere %" PRId64 ", which the frame does not have; expected a sphere of the frame", b, bonds->ij[b][k]);
            bonds->ij[b][k] = row;
        }
    return SCREE_OK;
}

// Frames have wrapped centres, and a bond is between the nearest images.
static void find_shift(const scree_sphere_set* set, const int64_t ij[2], int8_t shift[3])
{
    double between[3] = {0.0};
    for (int k = 0; k < set->dim; ++k)
        between[k] = set->x[ij[0] * set->dim + k] - set->x[ij[1] * set->dim + k];
    for (int k = set->dim - 1; k >= 0; --k) {
        double length = set->box.upper[k] - set->box.lower[k];
        shift[k] = set->box.periodic[k] ? (int8_t)rint(between[k] / length) : 0;
        for (int axis = 0; axis < k; ++axis)  // tilts: xy, xz, yz
            between[axis] -= shift[k] * set->box.tilt[k == 1 ? 0 : axis + 1];
    }
}

scree_status bonds_read(const char* folder, double time, const scree_sphere_set* set, bonds_found* out)
{
    char path[4096];
    int64_t step = -1;
    *out = (bonds_found){0};
    scree_status status = frame_checkpoint(folder, path, sizeof path);
    if (status == SCREE_OK)
        status = scree_read_checkpoint(path, &out->from);
    if (status == SCREE_OK)
        status = find_step(folder, time, &step);
    const scree_checkpoint_bonds* bonds = &out->from.bonds;
    if (status == SCREE_OK)
        status = rows_of(set, bonds);
    if (status == SCREE_OK && step > out->from.step)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: the newest checkpoint is of step %" PRId64 ", and bonds broke at step %" PRId64 ", before this frame; expected a later one. Resume the run", folder, out->from.step, step);
    if (status != SCREE_OK)
        return status;
    out->broken_at = scree_malloc((size_t)bonds->count + 1, sizeof *out->broken_at);
    out->shift = scree_calloc((size_t)bonds->count + 1, sizeof *out->shift);
    if (out->broken_at == NULL || out->shift == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t b = 0; b < bonds->count; ++b) {
        out->broken_at[b] = bonds->broken_at[b] <= step ? bonds->broken_at[b] : -1;
        find_shift(set, bonds->ij[b], out->shift[b]);
    }
    out->bonds = (scree_sim_bonds){.count = bonds->count, .ij = (const int64_t(*)[2])bonds->ij, .shift = (const int8_t(*)[3])out->shift, .broken_at = out->broken_at, .cause = bonds->cause};
    return SCREE_OK;
}

void bonds_found_free(bonds_found* found)
{
    scree_checkpoint_free(&found->from);
    scree_free(found->broken_at);
    scree_free(found->shift);
    *found = (bonds_found){0};
}
