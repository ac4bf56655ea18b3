// The inner side of plots: what is drawn (plot.c), and the pens that draw it (plot_pens.c).
#ifndef SCREE_PICTURE_PLOT_H
#define SCREE_PICTURE_PLOT_H

#include "picture/picture.h"
#include "scree/plot.h"

// Draws in pixels, y down. SVG text or pixels; the calls never fail, a pen without memory keeps that in mind.
typedef struct pen {
    scree_status status;
    canvas canvas;       // pixels; rgba is NULL for SVG
    char* text;          // SVG
    int64_t used, capacity;
} pen;

scree_status pen_open(bool svg, int32_t width, int32_t height, const uint8_t paper[3], pen* out);
void pen_line(pen* p, const double (*points)[2], int64_t count, double width, const uint8_t rgb[3], bool dashed);
void pen_fill(pen* p, const double (*points)[2], int count, const uint8_t rgb[3]);  // a convex polygon
void pen_text(pen* p, const char* text, double x, double y, double size, int side, const uint8_t rgb[3]);  // x is its left end (side 0), middle, right end
void pen_group(pen* p, const char* name);  // what follows belongs together, until the next; NULL: the last one ends
scree_status pen_end(pen* p);
void pen_close(pen* p);

// The drawing itself. `plot` was checked.
scree_status plot_draw(const scree_plot* plot, pen* p);
scree_status plot_check(const scree_plot* plot);

// The colours of a plot on a light page (background 0) and what stands for each on a dark one: paper, ink, faint lines, then the series.
enum { plot_colour_count = 11 };
const uint8_t* plot_colour(int32_t background, int32_t which);
void plot_paper(const scree_plot* plot, uint8_t rgb[3]);

#endif
