// What `run` and `resume` share: progress, the report at the end.
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "common.h"

// The def for a run with a progress line on stderr that also stops after Ctrl-C.
scree_run_def simulate_def(const common* co, int32_t method, int32_t device, bool verify, bool force);

// Goes to the end, tells the outcome, closes the run.
exit_code simulate_go(const arguments* args, const common* co, const char* folder, scree_run* run);

// What the def of a simulation leads to.
void simulate_report_pairs(result* res, const scree_run* run);  // E*, G*, k, k_t, restitution, friction, contact duration and expected overlap of each pair of materials
void simulate_tell_pairs(scree_run* run);  // what each pair of materials comes to, as lines for people
void simulate_tell_numbers(result* res, const scree_sim_numbers* numbers);
scree_status simulate_read_scene(const arguments* args, const common* co, scree_scene** out);  // the file of the command line, with --seed
void simulate_tell_start(result* res, const scree_scene_facts* facts);  // the run that it begins from, if there is one

extern const left_file simulate_leaves[];  // what is in the folder of a run

void simulate_wipe(void);  // the progress line, before something else is said

#endif
