// Options of the public calls of this folder.
#ifndef SCREE_FILES_OPTIONS_H
#define SCREE_FILES_OPTIONS_H

#include "scree/files.h"

// The caller's options (NULL: the defaults) in the size of this version: what an older caller does not know of is zero.
// ARGUMENT if they were not begun with scree_default_file_options().
scree_status scree_file_options_take(const scree_file_options* given, scree_file_options* options);

#endif
