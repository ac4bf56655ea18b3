// scree/scree.h: everything at once.
#ifndef SCREE_SCREE_H
#define SCREE_SCREE_H

#include "scree/analysis.h"
#include "scree/base.h"
#include "scree/candidates.h"
#include "scree/checkpoint.h"
#include "scree/device.h"
#include "scree/event.h"
#include "scree/files.h"
#include "scree/film.h"
#include "scree/geom.h"
#include "scree/index.h"
#include "scree/levels.h"
#include "scree/loads.h"
#include "scree/measure.h"
#include "scree/neighbours.h"
#include "scree/outlines.h"
#include "scree/pack.h"
#include "scree/par.h"
#include "scree/picture.h"
#include "scree/plot.h"
#include "scree/polygon.h"
#include "scree/query.h"
#include "scree/report.h"
#include "scree/run.h"
#include "scree/scene.h"
#include "scree/sim.h"
#include "scree/sizes.h"
#include "scree/surface.h"
#include "scree/view.h"

#endif
