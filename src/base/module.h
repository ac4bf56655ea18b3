// Shared objects that are opened on demand: those that need CUDA or MPI, so that libscree needs neither.
#ifndef SCREE_BASE_MODULE_H
#define SCREE_BASE_MODULE_H

// The path that the variable gives; without it the first of `name` in the `count` folders, given from that of the
// library or program of which this is part ("", "../lib/"), and then where the system searches for libraries. `flags`:
// of dlopen. NULL: none opens, and dlerror says why.
void* scree_module_open(const char* variable, const char* name, const char* const* folders, int count, int flags);

#endif
