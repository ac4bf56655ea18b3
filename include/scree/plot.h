// scree/plot.h: curves and bars over two axes as a figure (library scree_show).
//
//     const double n[] = {1e3, 1e4, 1e5}, t[] = {0.2, 2.1, 22.0};
//     scree_series series[] = {{.name = "hierarchical-grid", .count = 3, .x = n, .y = t}};
//     scree_plot plot = scree_default_plot();
//     plot.x_label = "spheres";
//     plot.y_label = "milliseconds";
//     plot.x_log = plot.y_log = true;
//     plot.series = series;
//     plot.series_count = 1;
//     scree_write_plot("time.svg", &plot);             // or time.png
//
// The same plot gives the same bytes. Letters are ASCII in PNG; others show as squares there.
#ifndef SCREE_PLOT_H
#define SCREE_PLOT_H

#include "scree/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_series_style {
    SCREE_SERIES_LINE = 0,  // points, joined by lines
    SCREE_SERIES_POINTS,
    SCREE_SERIES_CURVE,     // lines alone
    SCREE_SERIES_DASHES,    // dashed lines alone
    SCREE_SERIES_BARS,      // from 0, on a linear y axis; several series stand side by side
    SCREE_SERIES_HOLLOW,    // hollow points, no line: for values to compare with, such as a paper's
    SCREE_SERIES_COUNT
} scree_series_style;

typedef struct scree_series {
    const char* name;       // for the legend; NULL: not in it
    int32_t count;
    const double *x, *y;    // NaN, and values that a logarithmic axis cannot show, leave a gap
    int32_t style;          // scree_series_style
    int32_t colour;         // 0: the next of eight; 1 .. 8: that one. Points of one number have the same shape, filled or hollow
    const double *low, *high;  // whiskers from low[k] to high[k], for example quartiles; NaN: none at this point. NULL, both: none
} scree_series;

// A dashed straight line of this slope through (x, y) on two logarithmic axes: y ~ x^slope. It does not widen the axes.
typedef struct scree_guide {
    double slope, x, y;     // x and y > 0
    const char* name;       // label; NULL: none
} scree_guide;

typedef struct scree_plot {
    uint32_t struct_size;       // filled by the default function; lets this struct grow between versions
    int32_t width, height;      // pixels, 200 .. 10000; 1200 x 800
    const char *title, *x_label, *y_label;  // NULL: none
    bool x_log, y_log;
    double x_range[2], y_range[2];  // NaN: from the data
    int32_t background;         // 0 light, 1 dark
    int32_t series_count;
    const scree_series* series; // borrowed, like all text
    int32_t guide_count;
    const scree_guide* guides;  // borrowed
    int32_t name_count;         // 0: numbers on the x axis
    const char* const* names;   // on a linear x axis, at x = 0, 1, 2 ..., in place of numbers; borrowed
} scree_plot;

SCREE_DEFAULTS(scree_plot, scree_default_plot)

// Writes SVG or PNG, by extension; "-" is SVG on standard output. ARGUMENT: an invalid plot, with the reason (bars on a logarithmic y axis, guides
// without two logarithmic axes, names on a logarithmic x axis); another extension. MEMORY, IO. After a failure the file is unchanged.
SCREE_API scree_status scree_write_plot(const char* path, const scree_plot* plot);

// The SVG as text, to be put into a page; free it with scree_free (scree/base.h). ARGUMENT, MEMORY: *out is NULL.
SCREE_API scree_status scree_plot_render_svg(const scree_plot* plot, char** out);

#ifdef __cplusplus
}
#endif
#endif
