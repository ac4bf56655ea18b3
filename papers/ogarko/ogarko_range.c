// ogarko-range: section 2 of Ogarko and Luding: which cells of another level to look into.
//
// The paper looks into the cells within r + half a cell of the larger sphere, and claims that this visits fewer cells and tests fewer spheres than the way of Iwai et al. Cells and spheres looked
// at are counted for the paper's range, that of Iwai et al. (one layer of cells more) and the library's own (what the radii can reach), from the larger sphere into the finer grid and the other way round.
#include "ogarko.h"

#include <stdlib.h>

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
    int64_t pairs = -1;
    if (status == SCREE_OK)
        status = count_pairs(spheres, co, &pairs);
    for (int direction = SCREE_DIRECTION_FINER; direction <= SCREE_DIRECTION_COARSER && status == SCREE_OK; ++direction)
        for (int range = 0; range < SCREE_RANGE_COUNT && status == SCREE_OK; ++range)
            for (int box = SCREE_BOX_TEST_ON; box <= SCREE_BOX_TEST_OFF && status == SCREE_OK; ++box) {
                ogarko_search how = {.levels = levels, .direction = direction, .range = range, .box_test = box};
                ogarko_cost found;
                const char* name = scree_range_name((scree_range)range);
                status = ogarko_find(spheres, &how, 5, co, &found);
                if (status == SCREE_OK)
                    status = findings_row(f, &name, (const double[]){direction == SCREE_DIRECTION_COARSER, box == SCREE_BOX_TEST_ON, found.box_tests, found.tests, found.cells,
                                                                     (double)found.pairs, (double)llabs(found.pairs - pairs), found.seconds.median * 1e3, found.seconds.low * 1e3,
                                                                     found.seconds.high * 1e3});
            }
    findings_paper(f, "Section 2: looking into cells within r + half a cell visits fewer cells and tests fewer spheres than the way of Iwai et al., which takes one layer more.");
    findings_note(f, "Not in the paper: cells that the radii can reach (tight, the library's own range). Column pairs_off: by comparing all spheres.");
    if (status == SCREE_OK && !file)
        ogarko_describe(f, own.given ? own.name : "uniform volume 50", &made);
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
    .columns = (const char* const[]){"range", "coarser", "box_test", "box_tests", "tests", "cells", "pairs", "pairs_off", "ms", "ms_low", "ms_high", NULL},
    .claims = (const claim[]){
        {.quantity = "cells looked into within r + half a cell, by those of Iwai et al.", .source = "Section 2", .words = "fewer", .least = 0.0, .most = 0.99, .how = CLAIM_RATIO, .column = "cells",
         .rows = "range=half-cell;coarser=0;box_test=1", .over = "range=iwai;coarser=0;box_test=1"},
        {.quantity = "spheres tested within r + half a cell, by those of Iwai et al.", .source = "Section 2", .words = "fewer", .least = 0.0, .most = 0.99, .how = CLAIM_RATIO,
         .column = "box_tests", .rows = "range=half-cell;coarser=0;box_test=1", .over = "range=iwai;coarser=0;box_test=1"},
        {.quantity = "pairs that a search finds too few or too many, most of all searches", .least = 0.0, .most = 0.0, .how = CLAIM_MOST, .column = "pairs_off"},
        {0}},
    .charts = (const chart[]){
        {.title = "Cells looked into for each sphere, from the larger into the finer grid", .y_label = "cells per sphere", .x = "range", .y = "cells", .rows = "coarser=0;box_test=1"},
        {.suffix = "spheres", .title = "Spheres tested for each sphere, from the larger into the finer grid", .y_label = "spheres per sphere", .x = "range", .y = "box_tests",
         .rows = "coarser=0;box_test=1"},
        {0}},
};
