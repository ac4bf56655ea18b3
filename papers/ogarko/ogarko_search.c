// One search of the hierarchical grid with the settings of Ogarko and Luding, counted and timed, and whole steps of a simulation that searches in every step.
#include "ogarko.h"

#include <math.h>

const ogarko_search ogarko_paper_search = {.direction = SCREE_DIRECTION_FINER, .range = SCREE_RANGE_HALF_CELL, .box_test = SCREE_BOX_TEST_ON};
const double ogarko_cell_cost = 0.5, ogarko_k = 0.3;

enum { most_repeats = 31 };

static scree_index_def index_def(const ogarko_search* how, const bench_options* co)
{
    scree_index_def def = scree_default_index_def();
    def.method = SCREE_METHOD_HIERARCHICAL_GRID;
    def.skin = -1.0;
    def.threads = co->threads > 0 ? co->threads : 1;
    def.levels = how->levels;
    def.direction = how->direction;
    def.range = how->range;
    def.box_test = how->box_test;
    def.cell_size_count = how->sizes;
    def.cell_sizes = how->cell_sizes;
    return def;
}

static scree_status start(const scree_sphere_set* set, const ogarko_search* how, const bench_options* co, scree_sim** out)
{
    scree_sim_def def = scree_default_sim_def();
    scree_index_def search = index_def(how, co);
    def.search = &search;
    def.threads = search.threads;
    return ogarko_set_in_motion(def, set, co->seed, out);
}

scree_status ogarko_turns(ogarko_turn* all, int count, int steps, const bench_options* co)
{
    enum { turns = 7, most = 8 };
    const int32_t threads = co->threads > 0 ? co->threads : 1;
    scree_sim* sims[most] = {NULL};
    double seconds[most][turns], quotient[most][turns];
    scree_status status = count <= most ? SCREE_OK : SCREE_ERR_ARGUMENT;
    for (int c = 0; c < count && status == SCREE_OK; ++c)
        if (all[c].set != NULL)
            status = start(all[c].set, &all[c].how, co, &sims[c]);
    for (int t = -1; t < turns && status == SCREE_OK; ++t)  // the first turn is not counted
        for (int c = 0; c < count && status == SCREE_OK; ++c) {
            double begin = bench_timer(threads);
            if (sims[c] == NULL)
                continue;
            status = scree_sim_run(sims[c], steps);
            seconds[c][t < 0 ? 0 : t] = (bench_timer(threads) - begin) / steps;
            quotient[c][t < 0 ? 0 : t] = seconds[c][t < 0 ? 0 : t] / seconds[0][t < 0 ? 0 : t];
        }
    for (int c = 0; c < count; ++c) {
        if (sims[c] != NULL && status == SCREE_OK) {
            all[c].seconds = bench_spread(seconds[c], turns);
            all[c].quotient = bench_spread(quotient[c], turns);
        }
        scree_sim_destroy(sims[c]);
    }
    return status;
}

scree_status ogarko_find(const scree_sphere_set* set, const ogarko_search* how, int repeats, const bench_options* co, ogarko_cost* out)
{
    scree_index_def def = index_def(how, co);
    def.box = set->box;
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    double seconds[most_repeats] = {0.0};
    scree_status status = scree_index_create(&def, &index);
    for (int t = -1; t < repeats && status == SCREE_OK; ++t) {
        double begin = bench_timer(def.threads);
        status = scree_index_update(index, scree_sphere_set_view(set));
        if (status == SCREE_OK)
            status = scree_index_pairs(index, &pairs);
        if (t >= 0)
            seconds[t] = bench_timer(def.threads) - begin;
    }
    if (status == SCREE_OK) {
        scree_index_stats s = scree_index_get_stats(index);
        double n = (double)set->count;
        *out = (ogarko_cost){.seconds = {NAN, NAN, NAN},
                             .tests = (double)s.tests / n,
                             .box_tests = (double)s.box_tests / n,
                             .cells = (double)s.cells / n,
                             .pairs = pairs.count,
                             .levels = s.levels};
        if (repeats > 0)
            out->seconds = bench_spread(seconds, repeats);
        out->work = (s.box_tests > 0 ? out->box_tests : out->tests) + ogarko_cell_cost * out->cells;
    }
    scree_index_destroy(index);
    return status;
}
