// Draws curves for the pages about comparisons with other programs.
//
// usage: draw_curves IN OUT.png|OUT.svg
//   IN   lines: title; label of x; label of y; lowest and highest y, and "log" for a logarithmic x axis; then per curve a line "style name" (style: curve, dashes, points or hollow), and its points, a line "x y" for each; an
//        empty line ends a curve
#include "scree/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_curves = 16, most_points = 100000, room = 256 };

static int complain(const char* what)
{
    fprintf(stderr, "draw_curves: %s\n", what);
    return 1;
}

static bool line_of(FILE* in, char text[room])
{
    if (fgets(text, room, in) == NULL)
        return false;
    text[strcspn(text, "\n")] = '\0';
    return true;
}

static int32_t style_of(const char* name)
{
    return strcmp(name, "dashes") == 0   ? SCREE_SERIES_DASHES
           : strcmp(name, "points") == 0 ? SCREE_SERIES_POINTS
           : strcmp(name, "hollow") == 0 ? SCREE_SERIES_HOLLOW
                                         : SCREE_SERIES_CURVE;
}

int main(int argc, char** argv)
{
    static char heads[4][room], lines[most_curves][room];
    static double x[most_points], y[most_points];
    scree_series series[most_curves] = {{.count = 0}};
    int32_t curves = 0, points = 0;
    FILE* in = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (in == NULL)
        return complain("usage: draw_curves IN OUT");
    scree_plot plot = scree_default_plot();
    for (int k = 0; k < 4; ++k)
        if (!line_of(in, heads[k]))
            return complain("a line is missing");
    if (sscanf(heads[3], "%lf %lf", &plot.y_range[0], &plot.y_range[1]) != 2)
        return complain("the range of y is missing");
    plot.x_log = strstr(heads[3], "log") != NULL;
    for (; curves < most_curves && line_of(in, lines[curves]); ++curves) {
        scree_series* s = &series[curves];
        char text[room], *name = strchr(lines[curves], ' ');
        if (name == NULL)
            return complain("a curve without a name");
        *name = '\0';
        *s = (scree_series){.name = name + 1, .style = style_of(lines[curves]), .x = x + points, .y = y + points};
        for (; points < most_points && line_of(in, text) && text[0] != '\0'; ++points, ++s->count)
            if (sscanf(text, "%lf %lf", &x[points], &y[points]) != 2)
                return complain("a point is missing");
    }
    fclose(in);
    plot.title = heads[0];
    plot.x_label = heads[1];
    plot.y_label = heads[2];
    plot.series = series;
    plot.series_count = curves;
    return scree_write_plot(argv[2], &plot) == SCREE_OK ? 0 : complain(scree_error_message());
}
