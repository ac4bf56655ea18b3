// The files that a command line names, before any work: inputs exist, outputs can be created, and no two of them are one file.
#ifndef CLI_FILE_NAMES_H
#define CLI_FILE_NAMES_H

#include "common.h"

// Looks at all files that the arguments and options name (the table `uses`), and at those beside them: PREFIX-gr.csv, p.npy.box, FILE.stable. EXIT_DONE, or a sentence has been printed.
// Commands call it when their options are sound and before they begin to work.
exit_code file_names_check(const arguments* args, const common* co);

// Folders where files are expected: asked of every command before it looks at its options, for extensions say nothing about a folder.
exit_code file_names_refuse_folders(const arguments* args);

#endif
