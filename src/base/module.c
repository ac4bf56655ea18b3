// Where this library or program lies is asked of the system, never taken from the name by which it was started or
// opened: dladdr gives argv[0] for a program, and a name without a folder, or from where the process once was, would
// make the working directory a place in which modules are searched for. A program is /proc/self/exe. The folder of a
// library that was opened by a relative path is not known; then only the system's search path is used.
#define _GNU_SOURCE  // dladdr1
#include "base/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The folder of this library or program, with its last '/', links followed.
static bool find_folder(char path[PATH_MAX])
{
    static const char within;
    Dl_info info;
    void* map = NULL;
    if (dladdr1(&within, &info, &map, RTLD_DL_LINKMAP) == 0 || map == NULL)
        return false;
    const char* name = ((const struct link_map*)map)->l_name;
    const char* given = name == NULL || name[0] == '\0' ? "/proc/self/exe" : name;
    if (given[0] != '/' || realpath(given, path) == NULL)
        return false;
    strrchr(path, '/')[1] = '\0';
    return true;
}

void* scree_module_open(const char* variable, const char* name, const char* const* folders, int count, int flags)
{
    const char* given = getenv(variable);
    if (given != NULL && given[0] != '\0')
        return dlopen(given, flags);
    char folder[PATH_MAX], path[2 * PATH_MAX];
    void* module = NULL;
    bool found = find_folder(folder);
    for (int k = 0; k < count && found && module == NULL; ++k)
        if (snprintf(path, sizeof path, "%s%s%s", folder, folders[k], name) < (int)sizeof path) {
            module = dlopen(path, flags);
            if (module == NULL && access(path, F_OK) == 0)  // it is there: the caller asks dlerror why it cannot be loaded
                return NULL;
        }
    return module != NULL ? module : dlopen(name, flags);
}
