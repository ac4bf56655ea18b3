// What the report of a run is made of.
#ifndef SCREE_REPORT_RUN_REPORT_H
#define SCREE_REPORT_RUN_REPORT_H

#include "scree/report.h"

enum { report_spheres_most = 10000000 };  // that are drawn and analysed; with more the page has only the numbers

// run_state.c: contact network, distribution of forces and profiles of the spheres as they are now. MEMORY, or why it could not be measured.
scree_status scree_report_state(scree_report* page, scree_run* run, const scree_run_facts* facts);

#endif
