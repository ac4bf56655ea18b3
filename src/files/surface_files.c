// Public calls for files of triangles: STL (stl_read.c, stl_write.c) and the polygons of VTP files (vtp_triangles.c).
#include "scree/files.h"

#include "base/argument.h"
#include "files/formats.h"
#include "files/input.h"
#include "files/options.h"
#include "files/output.h"
#include "files/system.h"
#include "files/words.h"

#include <string.h>

static bool is_stl(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot != NULL && scree_word_is_any_case((scree_word){dot, dot + strlen(dot)}, ".stl");
}

scree_status scree_read_triangles(const char* path, const scree_file_options* given, scree_triangles* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    scree_file_options options;
    scree_status status = scree_file_options_take(given, &options);
    if (status != SCREE_OK)
        return status;
    bool vtp = options.format == SCREE_FORMAT_VTP || (options.format == SCREE_FORMAT_AUTO && scree_format_of_path(path) == SCREE_FORMAT_VTP);
    bool known = vtp || (options.format == SCREE_FORMAT_AUTO && (is_stl(path) || strcmp(path, "-") == 0));
    if (!known && scree_check_readable(path) != SCREE_OK)
        return SCREE_ERR_IO;
    if (!known)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: triangles are read from STL and VTP files; expected .stl or .vtp", path);
    scree_input input;
    status = scree_input_open(&input, path, options.watch);
    if (status != SCREE_OK)
        return status;
    status = vtp ? scree_vtp_read_triangles(&input, out) : scree_stl_read(&input, out);
    scree_input_close(&input);
    return status;
}

scree_status scree_write_triangles(const char* path, const scree_file_options* given, const scree_triangles* triangles)
{
    SCREE_NEED(path);
    SCREE_NEED(triangles);
    scree_file_options options;
    scree_status status = scree_file_options_take(given, &options);
    if (status == SCREE_OK)
        status = scree_check_writable(path);
    if (status == SCREE_OK && (options.format != SCREE_FORMAT_AUTO || (!is_stl(path) && strcmp(path, "-") != 0)))
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: triangles are written as STL only; expected .stl", path);
    if (status == SCREE_OK)
        status = scree_stl_check(triangles);
    if (status != SCREE_OK)
        return status;
    scree_output output;
    status = scree_output_open(&output, path, options.watch);
    if (status != SCREE_OK)
        return status;
    scree_stl_write(&output, triangles);
    return scree_output_close(&output, output.status);
}
