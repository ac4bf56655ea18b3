// What `run` and `resume` share: progress, the result at the end.
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "common.h"

// The def for a run with a progress line on stderr that also stops after Ctrl-C.
scree_run_def simulate_def(const common* co, int32_t method, int32_t device, bool verify, bool force);

// Runs to the end, prints the result, destroys the run.
exit_code simulate_go(const arguments* args, const common* co, const char* folder, int32_t device, scree_run* run);  // `device`: that was asked for

// What the def of a simulation leads to.
void simulate_report_pairs(result* res, const scree_run* run);  // E*, G*, k, k_t, restitution, friction, contact duration and expected overlap of each pair of materials
void simulate_tell_lines(const char* before, const char* text);
void simulate_tell_pairs(scree_run* run);  // the derived numbers of each pair of materials, as lines
void simulate_add_summary(result* res, const scree_run_summary* summary, scree_topic topic);  // the quantities of a topic
extern const char* const simulate_repeated[];  // for commands with SET_OPTION
#define SET_OPTION {"set", 0, "KEY=VALUE", "set a key of the scene: contact.friction=0.4, spheres.2.count=100; may be given several times"}
scree_status simulate_read_scene(const arguments* args, const common* co, scree_scene** out);  // the file of the command line, with --set and --seed

void simulate_tell_device(const common* co, scree_run* run, int32_t asked);  // the device that does the steps, or why auto leaves them to the processor

extern const left_file simulate_leaves[];  // what is in the folder of a run

void simulate_wipe(void);  // the progress line, before something else is printed

#endif
