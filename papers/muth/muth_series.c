// The series that muth-2d and muth-3d share: systems of a growing number of particles at constant density, the paper's or of the user's size distribution; how the work
// of the methods grows with n, and how that of the linked linear list depends on the path between two searches.
#include "muth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Running ---------------------------------------------------------------------------------------------------------

const muth_cost* muth_list_cost(const muth_series* s, int k, int system)
{
    return k < 0 ? &s->found[system].way[MUTH_LIST] : &s->found[system].stride[k];
}

static void draw(findings* f, const char* suffix, const scree_sphere_set* set)
{
    scree_picture_def look = scree_default_picture_def();
    look.width = 700;
    look.height = (int32_t)lround(700.0 * (set->box.upper[1] - set->box.lower[1]) / (set->box.upper[0] - set->box.lower[0]));
    findings_picture(f, suffix, set, &look);
}

scree_status muth_series_run(findings* f, muth_series* s, const bench_options* co)
{
    scree_status status = SCREE_OK;
    for (int k = 0; k < s->systems && status == SCREE_OK; ++k) {
        muth_system system = {0};
        bool drawn = s->pictures && k == s->systems - 1;
        status = s->make(s, s->counts[k], co, &system);
        if (status == SCREE_OK && drawn)
            draw(f, "discs-at-the-start", &system.set);
        if (status == SCREE_OK)
            status = muth_watch(&s->plan, &system, co, &s->found[k]);
        if (status == SCREE_OK && drawn)
            draw(f, "discs-at-the-end", &system.set);
        muth_free(&system);
        s->n[k] = s->counts[k];
        if (status == SCREE_OK)
            status = muth_rows(f, &s->plan, 1.0, &s->found[k]);
    }
    if (status != SCREE_OK)
        return status;
    findings_table(f, "paths", 0, (const char* const[]){"steps_between", "path_in_radii", "n", "swaps_per_sphere", "work_per_sphere", "ns_per_sphere", "searches",
                                                        "sorts", NULL});
    for (int k = -1; k < s->plan.stride_count && status == SCREE_OK; ++k)
        for (int i = 0; i < s->systems && status == SCREE_OK; ++i) {
            const muth_cost* c = muth_list_cost(s, k, i);
            status = findings_row(f, NULL, (const double[]){k < 0 ? 1.0 : (double)s->plan.stride[k], c->path, s->n[i], c->swaps, c->work, c->seconds * 1e9,
                                                            (double)c->searches, (double)c->sorts});
        }
    return status == SCREE_OK ? muth_runs(f, &s->plan, s->systems, s->found) : status;
}

// ---- Exponents -------------------------------------------------------------------------------------------------------

muth_exponents muth_series_exponents(const muth_series* s)
{
    muth_exponents e;
    for (int way = 0; way < MUTH_WAYS; ++way) {
        double work[muth_most_systems], time[muth_most_systems];
        for (int i = 0; i < s->systems; ++i) {
            work[i] = s->found[i].way[way].work * s->n[i];
            time[i] = s->found[i].way[way].seconds * s->n[i];
        }
        e.work[way] = muth_exponent(s->n, work, s->systems);
        e.time[way] = muth_exponent(s->n, time, s->systems);
    }
    return e;
}

double muth_list_path(const muth_series* s, int k)
{
    double sum = 0.0;
    for (int i = 0; i < s->systems; ++i)
        sum += muth_list_cost(s, k, i)->path / s->systems;
    return sum;
}

// Work per particle of the linked linear list where particles move by `path` between two searches, from the strides around it: work is linear in the path. Systems are
// compared at equal paths, since falling discs of a larger system are not equally fast.
static double list_work(const muth_series* s, int system, double path, double weight)
{
    int k = 0;
    while (k + 1 < s->plan.stride_count && muth_list_cost(s, k, system)->path < path)
        ++k;
    const muth_cost *a = muth_list_cost(s, k - 1, system), *b = muth_list_cost(s, k, system);
    double low = a->work + (weight - 1.0) * a->swaps, high = b->work + (weight - 1.0) * b->swaps;
    return low + (high - low) * (path - a->path) / (b->path - a->path);
}

double muth_list_exponent(const muth_series* s, double path, double weight)
{
    double work[muth_most_systems];
    for (int i = 0; i < s->systems; ++i)
        work[i] = list_work(s, i, path, weight) * s->n[i];
    return muth_exponent(s->n, work, s->systems);
}

double muth_list_reaches(const muth_series* s, double exponent, double weight)
{
    double path[muth_most_strides + 1], is[muth_most_strides + 1], wanted[muth_most_strides + 1];
    for (int k = -1; k < s->plan.stride_count; ++k) {
        path[k + 1] = log(muth_list_path(s, k));
        is[k + 1] = muth_list_exponent(s, muth_list_path(s, k), weight);
        wanted[k + 1] = exponent;
    }
    return exp(muth_crossing(path, is, wanted, s->plan.stride_count + 1));
}

// ---- Figures ---------------------------------------------------------------------------------------------------------

// All methods over n: y[way][system], with whiskers if there are some; then further series and guides.
static void plot_ways(findings* f, const char* suffix, const char* title, const char* y_label, const muth_series* s, double y[MUTH_WAYS][muth_most_systems],
                      double low[MUTH_WAYS][muth_most_systems], double high[MUTH_WAYS][muth_most_systems], int guides, const scree_guide* guide, int more,
                      const scree_series* further)
{
    scree_series curves[2 * MUTH_WAYS];
    for (int way = 0; way < MUTH_WAYS; ++way)
        curves[way] = (scree_series){.name = muth_names[way], .count = s->systems, .x = s->n, .y = y[way], .colour = way + 1,
                                     .low = low != NULL ? low[way] : NULL, .high = high != NULL ? high[way] : NULL};
    for (int k = 0; k < more; ++k)
        curves[MUTH_WAYS + k] = further[k];
    scree_plot plot = scree_default_plot();
    plot.title = title;
    plot.x_label = "particles";
    plot.y_label = y_label;
    plot.x_log = plot.y_log = true;
    plot.series = curves;
    plot.series_count = MUTH_WAYS + more;
    plot.guides = guide;
    plot.guide_count = guides;
    findings_plot(f, suffix, &plot);
}

void muth_plot_growth(findings* f, const muth_series* s, const double* fit)
{
    double time[MUTH_WAYS][muth_most_systems], low[MUTH_WAYS][muth_most_systems], high[MUTH_WAYS][muth_most_systems], work[MUTH_WAYS][muth_most_systems],
        joined[MUTH_WAYS][muth_most_systems], paper[MUTH_LIST + 1][muth_most_systems];
    for (int way = 0; way < MUTH_WAYS; ++way)
        for (int i = 0; i < s->systems; ++i) {
            const muth_cost* c = &s->found[i].way[way];
            time[way][i] = c->seconds * s->n[i] * 1e3;
            low[way][i] = c->seconds_low * s->n[i] * 1e3;
            high[way][i] = c->seconds_high * s->n[i] * 1e3;
            work[way][i] = c->work * s->n[i];
            joined[way][i] = work[way][i] / work[way][0];
        }
    scree_series fits[MUTH_LIST + 1];
    static const char* const names[MUTH_LIST + 1] = {"paper's fit n^1.8", "paper's fit n^1.15", "paper's fit n^1.36"};
    for (int way = 0; way <= MUTH_LIST && fit != NULL; ++way) {
        for (int i = 0; i < s->systems; ++i)
            paper[way][i] = pow(s->n[i] / s->n[0], fit[way]);
        fits[way] = (scree_series){.name = names[way], .count = s->systems, .x = s->n, .y = paper[way], .style = SCREE_SERIES_HOLLOW, .colour = way + 1};
    }
    scree_guide of_time[] = {{.slope = 1.0, .x = s->n[0], .y = 2.0 * time[MUTH_CELLS][0], .name = "n"}};
    scree_guide of_work[] = {{.slope = 1.0, .x = s->n[0], .y = 2.0 * work[MUTH_CELLS][0], .name = "n"}};
    scree_guide of_joined[] = {{.slope = 1.0, .x = s->n[0], .y = 1.0, .name = "n"}, {.slope = 2.0, .x = s->n[0], .y = 1.0, .name = "n^2"}};
    plot_ways(f, "", "Time to find the contacts of a step", "milliseconds, median and quartiles", s, time, low, high, 1, of_time, 0, NULL);
    plot_ways(f, "work", "Counted work of a step", "tests, cells, swaps and box ends", s, work, NULL, NULL, 1, of_work, 0, NULL);
    plot_ways(f, "joined", fit != NULL ? "Counted work, joined at the smallest n, and the paper's fits" : "Counted work, joined at the smallest n as in the paper",
              "work by that of the smallest", s, joined, NULL, NULL, 2, of_joined, fit != NULL ? MUTH_LIST + 1 : 0, fits);
}

void muth_plot_paths(findings* f, const muth_series* s)
{
    double path[muth_most_systems][muth_most_strides + 1], work[muth_most_systems][muth_most_strides + 1];
    char names[muth_most_systems][32];
    scree_series curves[muth_most_systems];
    int paths = s->plan.stride_count + 1;
    for (int i = 0; i < s->systems; ++i) {
        for (int k = 0; k < paths; ++k) {
            path[i][k] = muth_list_cost(s, k - 1, i)->path;
            work[i][k] = muth_list_cost(s, k - 1, i)->work;
        }
        snprintf(names[i], sizeof names[i], "n = %.0f", s->n[i]);
        curves[i] = (scree_series){.name = names[i], .count = paths, .x = path[i], .y = work[i]};
    }
    scree_guide guide = {.slope = 1.0, .x = path[s->systems - 1][paths - 2], .y = 0.9 * work[s->systems - 1][paths - 1], .name = "work ~ path"};
    scree_plot plot = scree_default_plot();
    plot.title = "Linked linear list: counted work per particle and search";
    plot.x_label = "path since the search before, in mean radii";
    plot.y_label = "tests, swaps and box ends";
    plot.x_log = plot.y_log = true;
    plot.series = curves;
    plot.series_count = s->systems;
    plot.guides = &guide;
    plot.guide_count = 1;
    findings_plot(f, "paths", &plot);
}

void muth_plot_exponents(findings* f, const muth_series* s, double paper, double limit)
{
    static const double weights[] = {1.0, 10.0, 100.0};
    static const char* const names[] = {"a swap costs as much as a look at a box end", "10 times as much", "100 times as much"};
    double path[muth_most_strides + 1], exponent[3][muth_most_strides + 1];
    int paths = s->plan.stride_count + 1;
    scree_series curves[5];
    for (int w = 0; w < 3; ++w) {
        for (int k = 0; k < paths; ++k) {
            path[k] = muth_list_path(s, k - 1);
            exponent[w][k] = muth_list_exponent(s, path[k], weights[w]);
        }
        curves[w] = (scree_series){.name = names[w], .count = paths, .x = path, .y = exponent[w], .colour = w + 1};
    }
    const double ends[] = {path[0], path[paths - 1]}, level[] = {paper, paper}, there[] = {limit, limit}, all[] = {1.0, 1.7};
    int count = 3;
    if (paper > 0.0)
        curves[count++] = (scree_series){.name = "the paper's exponent, 1.36", .count = 2, .x = ends, .y = level, .style = SCREE_SERIES_DASHES, .colour = 4};
    if (limit > 0.0)
        curves[count++] = (scree_series){.name = "mean overlap: one radius", .count = 2, .x = there, .y = all, .style = SCREE_SERIES_DASHES, .colour = 5};
    scree_plot plot = scree_default_plot();
    plot.title = "Linked linear list: exponent of its work against the path between searches";
    plot.x_label = "path between searches, in mean radii";
    plot.y_label = "p, work ~ n^p";
    plot.x_log = true;
    plot.series = curves;
    plot.series_count = count;
    findings_plot(f, "exponents", &plot);
}

void muth_note_motion(findings* f, const muth_series* s)
{
    const muth_found* last = &s->found[s->systems - 1];
    int64_t sorts = 0;
    for (int k = -1; k < s->plan.stride_count; ++k)
        for (int i = 0; i < s->systems; ++i)
            sorts += muth_list_cost(s, k, i)->sorts;
    findings_note(f, "%lld steps each, of which %d, in %d windows of %d over the run, were searched by all methods. In a step of the largest system %.4g pairs touch, "
                     "%.4g box ends swap, and a particle moves by %.2g mean radii (root mean square along an axis, without the motion that all share).",
                  (long long)s->plan.steps, s->plan.windows * muth_window, s->plan.windows, muth_window, last->contacts, last->swaps, last->path);
    if (sorts > 0)
        findings_note(f, "linear-list: %lld searches found too many ends out of order and sorted them from scratch.", (long long)sorts);
    findings_note(f, "Search only, one thread unless --threads says otherwise; forces cost the same for all methods.");
}

void muth_note_exponents(findings* f, const muth_exponents* e, muth_way first)
{
    for (int way = (int)first; way < MUTH_WAYS; ++way)
        findings_note(f, "%s: counted work n^%.2f, time n^%.2f.%s", muth_names[way], e->work[way], e->time[way], way > MUTH_LIST ? " Not in the paper." : "");
}

// ---- Own spheres -----------------------------------------------------------------------------------------------------

// The user's size distribution in a square or cube with walls.
static scree_status make_own(const muth_series* s, int32_t count, const bench_options* co, muth_system* out)
{
    size_t length = strlen(s->own->law), size = 2 * length + 1 + muth_scene_size;
    char* law = scree_malloc(2 * length + 1, 1);  // as a YAML text in single quotes, in which a quote is written twice
    char* scene = scree_malloc(size, 1);
    scree_status status = law != NULL && scene != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    size_t to = 0;
    for (size_t k = 0; k < length && status == SCREE_OK; ++k) {
        if (s->own->law[k] == '\'')
            law[to++] = '\'';
        law[to++] = s->own->law[k];
    }
    if (status == SCREE_OK) {
        law[to] = '\0';
        snprintf(scene, size,
                 "dimension: %d\n"
                 "spheres: {count: %d, density: %.17g, sizes: '%s', place: random, velocity: thermal}\n"
                 "contact: {law: linear, stiffness: 1, damping: 0}\n"
                 "time: {step: auto, steps: %lld}\n",
                 s->dim, (int)count, s->own->density, law, (long long)s->plan.steps);
        status = muth_make(scene, 0.0, co, out);
    }
    scree_free(law);
    scree_free(scene);
    return status;
}

scree_status muth_series_own(findings* f, muth_series* s, const bench_own* own, const bench_options* co)
{
    const int32_t parts[] = {own->count / 16, own->count / 8, own->count / 4, own->count / 2, own->count};
    findings_own(f, own->name);
    if (own->count < 160)
        return scree_fail(SCREE_ERR_ARGUMENT, "--count is %d; expected at least 160, because a sixteenth, an eighth and so on of them are used too", (int)own->count);
    s->plan = (muth_plan){.name = "moving", .before = 100, .steps = co->quick ? 300 : 1600, .windows = co->quick ? 2 : 15, .stride_count = 3, .stride = {10, 30, 100}};
    s->own = own;
    s->pictures = false;
    s->make = make_own;
    s->systems = 5;
    s->counts = parts;
    scree_status status = muth_series_run(f, s, co);
    if (status == SCREE_OK) {
        muth_exponents e = muth_series_exponents(s);
        muth_note_exponents(f, &e, MUTH_VERLET);
        muth_note_motion(f, s);
        muth_plot_growth(f, s, NULL);
        muth_plot_paths(f, s);
    }
    return status;
}
