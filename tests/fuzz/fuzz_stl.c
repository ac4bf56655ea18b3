// Any bytes as an STL file. The reader answers or refuses, never crashes; what it takes becomes a surface, or is refused by one, and is asked about; and it is written and
// read again.
#include "fuzz_support.h"

#include "files/formats.h"
#include "files/input.h"
#include "scree/files.h"
#include "scree/surface.h"

static void ask(const scree_triangles* triangles)
{
    scree_surface_def def = scree_default_surface_def();
    scree_surface* surface;
    scree_status status = scree_surface_create(&def, triangles, &surface);
    demand(status == SCREE_OK || status == SCREE_ERR_ARGUMENT, "an error of another kind");
    if (status != SCREE_OK)
        return;
    scree_surface_report report = scree_surface_get_report(surface);
    const int64_t pieces = (int64_t)report.triangles + report.degenerate + report.duplicate;  // splitting makes more of them
    demand(report.split > 0 ? pieces >= triangles->count : pieces == triangles->count, "triangles are lost");
    for (int32_t c = 0; c < 3 && c < triangles->count; ++c) {
        scree_surface_contact nearest, contact[256];
        int32_t near[64], winding;
        const double* x = &triangles->xyz[9 * c + 3 * c];
        double r = report.longest_edge;
        demand(scree_surface_closest(surface, x, &nearest) == SCREE_OK, "no nearest point");
        int64_t count = scree_surface_near(surface, x, r, near, 64);
        if (count <= 64 && nearest.distance < r)
            demand(scree_surface_contacts(surface, x, r, count, near, contact, 256) > 0, "the nearest point is no contact");
        demand((scree_surface_winding(surface, x, &winding) == SCREE_OK) == report.closed, "a closed surface has an inside");
    }
    scree_surface_destroy(surface);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    scree_triangles triangles = {0}, back;
    scree_input input;
    scree_input_memory(&input, "file", (const char*)data, (int64_t)size, 64);
    scree_status status = scree_stl_read(&input, &triangles);
    scree_input_close(&input);
    demand(status == SCREE_OK || (status == SCREE_ERR_FORMAT && strncmp(scree_error_message(), "file:", 5) == 0), "an error of another kind");
    if (status != SCREE_OK)
        return 0;
    demand(scree_triangles_check(&triangles) == SCREE_OK && triangles.count > 0, "invalid triangles were read");
    ask(&triangles);
    int fd = scratch_file();
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    demand(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "the temporary file is stuck");
    scree_output output;
    if (scree_stl_check(&triangles) == SCREE_OK) {  // floats hold them
        demand(scree_output_open(&output, path, (scree_watch){0}) == SCREE_OK, "no temporary file");
        scree_stl_write(&output, &triangles);
        demand(scree_output_close(&output, output.status) == SCREE_OK, "triangles that were read cannot be written");
        demand(lseek(fd, 0, SEEK_SET) == 0 && scree_input_open(&input, path, (scree_watch){0}) == SCREE_OK, "the temporary file is stuck");
        demand(scree_stl_read(&input, &back) == SCREE_OK && back.count == triangles.count, "written triangles cannot be read");
        scree_input_close(&input);
        scree_triangles_free(&back);
    }
    scree_triangles_free(&triangles);
    return 0;
}
