// The versions of all libraries in a report: as loaded, which may differ from those that scree was built with.
#include "report/report.h"

#include "base/argument.h"
#include "scree/files.h"

#include <png.h>
#include <stdio.h>
#include <sys/utsname.h>

void scree_report_versions(scree_report* page)
{
    SCREE_NEED_OR(page, );
    char value[160];
    struct utsname machine;
    scree_report_value(page, "scree", scree_version(), "");
#if defined(__clang__)
    scree_report_value(page, "compiler", "clang " __clang_version__, "");
#elif defined(__GNUC__)
    scree_report_value(page, "compiler", "gcc " __VERSION__, "");
#endif
    snprintf(value, sizeof value, "%s, libpng %s", scree_files_libraries(), png_get_libpng_ver(NULL));
    scree_report_value(page, "libraries", value, "");
    if (uname(&machine) == 0) {
        snprintf(value, sizeof value, "%.60s %.60s", machine.sysname, machine.machine);
        scree_report_value(page, "system", value, "");
    }
}
