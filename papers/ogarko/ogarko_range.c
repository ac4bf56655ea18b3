// ogarko-range: section 2 of Ogarko and Luding: which cells of another level to look into. Cells and spheres looked at are counted for the paper's range (r + half a
// cell), that of Iwai et al. (one layer of cells more) and the library's own (what the radii can reach), from the larger sphere into the finer grid and the other way round.
#include "ogarko.h"

#include <inttypes.h>

// The pairs that comparing all spheres with all finds.
static scree_status count_pairs(const scree_sphere_set* set, const bench_options* co, int64_t* pairs)
{
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_ALL_PAIRS;
    def.box = set->box;
    def.skin = -1.0;
    def.threads = co->threads;
    def.watch = bench_watch("all pairs");
    scree_index* index = NULL;
    scree_pairs found = {0};
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, scree_sphere_set_view(set));
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &found);
    bench_watch_end();
    *pairs = found.count;
    scree_index_destroy(index);
    return status;
}

static void plot_ranges(findings* f, const double* cells, const double* looked)
{
    double x[SCREE_RANGE_COUNT];
    const char* names[SCREE_RANGE_COUNT];
    for (int range = 0; range < SCREE_RANGE_COUNT; ++range) {
        x[range] = range;
        names[range] = scree_range_name((scree_range)range);
    }
    scree_series series[] = {{.name = "cells", .count = SCREE_RANGE_COUNT, .x = x, .y = cells, .style = SCREE_SERIES_BARS},
                             {.name = "spheres", .count = SCREE_RANGE_COUNT, .x = x, .y = looked, .style = SCREE_SERIES_BARS}};
    scree_plot plot = scree_default_plot();
    plot.title = "Looked at for each sphere, from the larger into the finer grid";
    plot.y_label = "cells and spheres, per sphere";
    plot.y_range[0] = 0.0;
    plot.series = series;
    plot.series_count = 2;
    plot.names = names;
    plot.name_count = SCREE_RANGE_COUNT;
    findings_plot(f, "", &plot);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    bench_own own;
    ogarko_system made = {.rate = 0.0};
    scree_status status = bench_own_get(co, 3, 10000, 0.5, &own);
    if (own.given)
        findings_own(f, own.name);
    const bool file = own.given && own.law == NULL;
    if (status == SCREE_OK && !file)
        status = own.given ? ogarko_make(own.law, own.count, own.density, co, &made) : ogarko_make("uniform-volume:1:50", quick ? 2001 : 125001, quick ? 0.4 : 0.62, co, &made);
    const scree_sphere_set* spheres = file ? &own.set : &made.set;
    const int32_t levels = own.given ? 0 : 7;  // 0: as many as the model says
    double cells[SCREE_RANGE_COUNT] = {0.0}, looked[SCREE_RANGE_COUNT] = {0.0};
    int64_t pairs = -1, wrong = 0, searches = 0;
    if (status == SCREE_OK)
        status = count_pairs(spheres, co, &pairs);
    for (int direction = SCREE_DIRECTION_FINER; direction <= SCREE_DIRECTION_COARSER && status == SCREE_OK; ++direction)
        for (int range = 0; range < SCREE_RANGE_COUNT && status == SCREE_OK; ++range)
            for (int box = SCREE_BOX_TEST_ON; box <= SCREE_BOX_TEST_OFF && status == SCREE_OK; ++box) {
                ogarko_search how = {.levels = levels, .direction = direction, .range = range, .box_test = box};
                ogarko_cost found;
                status = ogarko_find(spheres, &how, 5, co, &found);
                if (status != SCREE_OK)
                    break;
                wrong += found.pairs != pairs;
                ++searches;
                if (direction == SCREE_DIRECTION_FINER && box == SCREE_BOX_TEST_ON) {
                    cells[range] = found.cells;
                    looked[range] = found.box_tests;
                }
                const char* name = scree_range_name((scree_range)range);
                status = findings_row(f, &name, (const double[]){direction == SCREE_DIRECTION_COARSER, box == SCREE_BOX_TEST_ON, found.box_tests, found.tests, found.cells,
                                                                 (double)found.pairs, found.seconds.median * 1e3, found.seconds.low * 1e3, found.seconds.high * 1e3});
            }
    findings_paper(f, "Section 2: looking into cells within r + half a cell visits fewer cells and tests fewer spheres than the way of Iwai et al., which takes one layer more.");
    if (status == SCREE_OK) {
        if (cells[SCREE_RANGE_HALF_CELL] < cells[SCREE_RANGE_IWAI] && looked[SCREE_RANGE_HALF_CELL] < looked[SCREE_RANGE_IWAI])
            findings_agrees(f, "half a cell: %.3g cells and %.3g spheres per sphere; Iwai looks at more, %.3g and %.3g", cells[SCREE_RANGE_HALF_CELL], looked[SCREE_RANGE_HALF_CELL],
                            cells[SCREE_RANGE_IWAI], looked[SCREE_RANGE_IWAI]);
        else
            findings_differs(f, "half a cell: %.3g cells and %.3g spheres per sphere; Iwai does not look at more of both, %.3g and %.3g", cells[SCREE_RANGE_HALF_CELL],
                             looked[SCREE_RANGE_HALF_CELL], cells[SCREE_RANGE_IWAI], looked[SCREE_RANGE_IWAI]);
        if (wrong == 0)
            findings_agrees(f, "all %" PRId64 " searches find the %" PRId64 " pairs that comparing all spheres finds", searches, pairs);
        else
            findings_differs(f, "%" PRId64 " of %" PRId64 " searches do not find the %" PRId64 " pairs that comparing all spheres finds", wrong, searches, pairs);
        findings_note(f, "Not in the paper: cells that the radii can reach (tight, the library's own range): %.3g cells and %.3g spheres, %.2f and %.2f of half a cell's.", cells[SCREE_RANGE_TIGHT],
                      looked[SCREE_RANGE_TIGHT], cells[SCREE_RANGE_TIGHT] / cells[SCREE_RANGE_HALF_CELL], looked[SCREE_RANGE_TIGHT] / looked[SCREE_RANGE_HALF_CELL]);
        if (!file)
            ogarko_describe(f, own.given ? own.name : "uniform volume 50", &made);
        plot_ranges(f, cells, looked);
    }
    ogarko_free(&made);
    scree_sphere_set_free(&own.set);
    return status;
}

const experiment bench_ogarko_range = {
    .name = "ogarko-range",
    .about = "their section 2: which cells to look into, counted",
    .title = "Which cells to look into",
    .paper = true,
    .takes = TAKES_OWN | TAKES_DENSITY | TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"range", "coarser", "box_test", "box_tests", "tests", "cells", "pairs", "ms", "ms_low", "ms_high", NULL},
};
