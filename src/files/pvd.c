// PVD: ParaView's list of frames, an XML file that names a file for each time. The names are as given: ParaView takes
// them relative to the list.
#include "scree/files.h"

#include "base/argument.h"
#include "base/number.h"
#include "files/csv.h"
#include "files/output.h"
#include "files/xml.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static scree_status check_frames(int64_t count, const double* times, const char* const* files)
{
    if (count < 0 || (count > 0 && (times == NULL || files == NULL)))
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " frames%s; expected 0 or more, with times and files", count,
                          count < 0       ? ""
                          : times == NULL ? " without times"
                                          : " without files");
    for (int64_t n = 0; n < count; ++n) {
        if (!isfinite(times[n]))
            return scree_fail(SCREE_ERR_ARGUMENT, "frame %" PRId64 ": time %g; expected a finite number", n, times[n]);
        if (files[n] == NULL || files[n][0] == '\0')
            return scree_fail(SCREE_ERR_ARGUMENT, "frame %" PRId64 " has no file; expected the name of one", n);
        if (!scree_xml_can_hold(files[n])) {
            char shown[SCREE_SHOWN];
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "frame %" PRId64 ": the name '%s' is invalid in XML; expected plain text in UTF-8", n,
                              scree_csv_shown(shown, files[n], (int64_t)strlen(files[n])));
        }
    }
    return SCREE_OK;
}

static void put(scree_output* output, const char* text)
{
    scree_output_bytes(output, text, strlen(text));
}

scree_status scree_write_pvd(const char* path, int64_t count, const double* times, const char* const* files)
{
    SCREE_NEED(path);
    scree_status status = check_frames(count, times, files);
    if (status != SCREE_OK)
        return status;
    scree_output output;
    status = scree_output_open(&output, path, scree_get_watch());
    if (status != SCREE_OK)
        return status;
    put(&output, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n");
    for (int64_t n = 0; n < count && output.status == SCREE_OK; ++n) {
        char time[32];
        scree_number_format(time, times[n]);
        put(&output, "    <DataSet timestep=\"");
        put(&output, time);
        put(&output, "\" group=\"\" part=\"0\" file=\"");
        scree_xml_put(&output, files[n]);
        put(&output, "\"/>\n");
    }
    put(&output, "  </Collection>\n</VTKFile>\n");
    return scree_output_close(&output, output.status);
}
