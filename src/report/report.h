// The inner side of reports.
#ifndef SCREE_REPORT_INNER_H
#define SCREE_REPORT_INNER_H

#include "scree/report.h"

extern const char report_style[];  // the style sheet except for the colours of figures: no '<' and no '&' in it

#endif
