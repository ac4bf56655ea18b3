// STL, binary: what stl_read.c describes, with normals by the order of the corners. Coordinates are floats there, so a surface that is written has about seven digits.
#include "files/formats.h"

#include "scree/files.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

scree_status scree_stl_check(const scree_triangles* triangles)
{
    scree_status status = scree_triangles_check(triangles);
    if (status != SCREE_OK)
        return status;
    if (triangles->count == 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "0 triangles; expected at least one");
    for (int64_t c = 0; c < 9 * (int64_t)triangles->count; ++c)
        if (fabs(triangles->xyz[c]) > FLT_MAX)
            return scree_fail(SCREE_ERR_ARGUMENT, "triangle %" PRId64 ", corner %" PRId64 ": %c = %g; expected at most %g, as STL holds them", c / 9, c / 3 % 3, "xyz"[c % 3],
                              triangles->xyz[c], (double)FLT_MAX);
    return SCREE_OK;
}

static char* put_whole(char* to, uint32_t value)
{
    for (int k = 0; k < 4; ++k)
        *to++ = (char)(unsigned char)(value >> (8 * k));
    return to;
}

static char* put_real(char* to, double value)
{
    float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return put_whole(to, bits);
}

// By the corners; 0 where the triangle has no area.
static void normal_of(const double* x, double n[3])
{
    double a[3], b[3], most = 0.0;
    for (int k = 0; k < 3; ++k)
        most = fmax(most, fmax(fabs(x[3 + k] - x[k]), fabs(x[6 + k] - x[k])));
    for (int k = 0; k < 3; ++k) {
        a[k] = most > 0.0 ? (x[3 + k] - x[k]) / most : 0.0;
        b[k] = most > 0.0 ? (x[6 + k] - x[k]) / most : 0.0;
    }
    for (int k = 0; k < 3; ++k)
        n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double length = sqrt((n[0] * n[0] + n[1] * n[1]) + n[2] * n[2]);
    for (int k = 0; k < 3; ++k)
        n[k] = length > 0.0 ? n[k] / length : 0.0;
}

void scree_stl_write(scree_output* output, const scree_triangles* triangles)
{
    char header[80] = "binary STL, written by scree";
    scree_output_bytes(output, header, sizeof header);
    scree_output_wrote(output, put_whole(scree_output_room(output, 4), (uint32_t)triangles->count));
    for (int64_t t = 0; t < triangles->count; ++t) {
        if (t % 4096 == 0 && scree_output_tick(output, (double)t / (double)triangles->count) != SCREE_OK)
            return;
        const double* x = &triangles->xyz[9 * t];
        double n[3];
        char* to = scree_output_room(output, 50);
        normal_of(x, n);
        for (int k = 0; k < 3; ++k)
            to = put_real(to, n[k]);
        for (int k = 0; k < 9; ++k)
            to = put_real(to, x[k]);
        *to++ = 0;
        *to++ = 0;
        scree_output_wrote(output, to);
    }
}
