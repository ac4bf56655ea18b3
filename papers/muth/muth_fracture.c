// muth-fracture: Fig. 13 and 14 of Muth et al. (2007): a thousand spheres in a box, about half of them broken into k^3 of 1/k of the radius, so that the volume stays
// and the sizes differ more and more; the cost per particle of linked cells, whose cells follow the largest sphere, and of the linked linear list.
//
// The paper gives no velocities. Here they follow the 1 % rule, and the linked linear list is also searched every 30th and every 100th step, which is what it would do
// with spheres 30 and 100 times as fast.
#include "muth.h"

#include <math.h>
#include <stdio.h>

enum { fractures = 5, speeds = 3 };

static const int32_t broken[fractures] = {0, 493, 526, 498, 520};  // of 1000, into k^3 each
static const double cross_paper = 2.5, cross_close = 0.5;

static scree_status make_fragments(int k, const bench_options* co, muth_system* out)
{
    int32_t small = broken[k - 1] * k * k * k, count = small + 1000 - broken[k - 1];
    *out = (muth_system){.cell = 0.033, .sim = scree_default_sim_def()};
    out->sim.stiffness = 4e6;
    out->sim.material_density = 7000.0;
    out->sim.time_step = 4e-7;
    scree_column* velocity;
    scree_status status = scree_sphere_set_make(3, count, &out->set);
    if (status == SCREE_OK)
        status = scree_sphere_set_add(&out->set, "velocity", SCREE_COLUMN_DOUBLE, 3, &velocity);
    if (status != SCREE_OK)
        return status;
    for (int32_t i = 0; i < count; ++i)
        out->set.r[i] = i < small ? 0.01 / k : 0.01;  // in the order of the scenes, which have a table of sizes
    scree_place_def place = scree_default_place_def();
    out->set.box = out->sim.box = place.box = scree_box_sized(3, (double[3]){0.33, 0.33, 0.33});
    out->set.has_box = true;
    place.seed = co->seed;
    status = scree_place_random(&place, count, out->set.r, out->set.x);
    scree_thermal_def warm = scree_default_thermal_def();
    warm.stiffness = out->sim.stiffness;
    warm.material_density = out->sim.material_density;
    warm.seed = co->seed;
    return status == SCREE_OK ? scree_thermal_velocities(&warm, scree_sphere_set_view(&out->set), velocity->values) : status;
}

// What of one method is shown over R/r.
typedef struct curves {
    double ratio[fractures], time[MUTH_WAYS][fractures], low[MUTH_WAYS][fractures], high[MUTH_WAYS][fractures], work[MUTH_WAYS][fractures];
    double list[speeds][fractures];  // work of the linked linear list
    double end;                      // what a look at a box end would have to cost for the list to cross linked cells at 2.5, in tests
    double dear[fractures];          // its work then, at the first speed
} curves;

static void gather(const muth_found* found, int systems, curves* c)
{
    for (int k = 0; k < systems; ++k) {
        c->ratio[k] = k + 1;
        for (int way = MUTH_CELLS; way < MUTH_WAYS; ++way) {
            c->time[way][k] = found[k].way[way].seconds * 1e9;
            c->low[way][k] = found[k].way[way].seconds_low * 1e9;
            c->high[way][k] = found[k].way[way].seconds_high * 1e9;
            c->work[way][k] = found[k].way[way].work;
        }
        for (int v = 0; v < speeds; ++v)
            c->list[v][k] = v == 0 ? found[k].way[MUTH_LIST].work : found[k].stride[v - 1].work;
    }
}

// Where two curves cross on a logarithmic axis; NAN: nowhere.
static double log_crossing(const curves* c, const double* a, const double* b, int systems)
{
    double log_a[fractures], log_b[fractures];
    for (int k = 0; k < systems; ++k) {
        log_a[k] = log(a[k]);
        log_b[k] = log(b[k]);
    }
    return muth_crossing(c->ratio, log_a, log_b, systems);
}

static void compare_crossing(findings* f, const muth_plan* plan, int systems, curves* c)
{
    for (int v = 0; v < speeds; ++v) {
        int times = v == 0 ? 1 : (int)plan->stride[v - 1];
        double cross = log_crossing(c, c->work[MUTH_CELLS], c->list[v], systems);
        if (fabs(cross - cross_paper) <= cross_close)
            findings_agrees(f, "speed times %d: counted work of the two crosses at R/r = %.1f; paper %.1f, %.1f allowed", times, cross, cross_paper, cross_close);
        else if (!isnan(cross))
            findings_differs(f, "speed times %d: counted work of the two crosses at R/r = %.1f; paper %.1f, %.1f allowed", times, cross, cross_paper, cross_close);
        else
            findings_differs(f, "speed times %d: counted work does not cross: %.3g of the list against %.3g of linked cells at R/r = 1, %.3g against %.3g at R/r = %d; paper: "
                                "crossing at %.1f", times, c->list[v][0], c->work[MUTH_CELLS][0], c->list[v][systems - 1], c->work[MUTH_CELLS][systems - 1], systems, cross_paper);
    }
    // Cells and list at 2.5, between the systems of 2 and 3; the list looks at six ends per sphere.
    double cells = sqrt(c->work[MUTH_CELLS][1] * c->work[MUTH_CELLS][2]), list = sqrt(c->list[0][1] * c->list[0][2]);
    c->end = (cells - (list - 6.0)) / 6.0;
    for (int k = 0; k < systems; ++k)
        c->dear[k] = c->list[0][k] + 6.0 * (c->end - 1.0);
    double cross = log_crossing(c, c->time[MUTH_CELLS], c->time[MUTH_LIST], systems);
    char by_time[48] = "Times do not cross.";
    if (!isnan(cross))
        snprintf(by_time, sizeof by_time, "Times cross at R/r = %.1f.", cross);
    findings_note(f, "Why: a box end that stays where it is costs one comparison here, and is counted as one test. If it cost as much as %.0f, the list would cross linked "
                     "cells at R/r = %.1f (dashed). The paper compares a program in C++ with one in C, on different computers. %s", c->end, cross_paper,
                  by_time);
}

static void plot_curves(findings* f, const muth_plan* plan, int systems, const curves* c)
{
    scree_series series[MUTH_WAYS + speeds + 2];
    int count = 0;
    for (int way = MUTH_CELLS; way < MUTH_WAYS; ++way)
        series[count++] = (scree_series){.name = muth_names[way], .count = systems, .x = c->ratio, .y = c->time[way], .colour = way + 1, .low = c->low[way], .high = c->high[way]};
    scree_plot plot = scree_default_plot();
    plot.title = "Time per particle and step";
    plot.x_label = "R/r";
    plot.y_label = "nanoseconds, median and quartiles";
    plot.y_log = true;
    plot.series = series;
    plot.series_count = count;
    findings_plot(f, "", &plot);

    char names[speeds][48], dear[64];
    snprintf(dear, sizeof dear, "linear-list, if a box end cost %.0f", c->end);
    count = 0;
    for (int way = MUTH_CELLS; way < MUTH_WAYS; ++way)
        if (way != MUTH_LIST)
            series[count++] = (scree_series){.name = muth_names[way], .count = systems, .x = c->ratio, .y = c->work[way], .colour = way + 1};
    static const int32_t colours[speeds] = {MUTH_LIST + 1, 6, 7};
    for (int v = 0; v < speeds; ++v) {
        snprintf(names[v], sizeof names[v], "linear-list, speed times %d", v == 0 ? 1 : (int)plan->stride[v - 1]);
        series[count++] = (scree_series){.name = names[v], .count = systems, .x = c->ratio, .y = c->list[v], .colour = colours[v]};
    }
    series[count++] = (scree_series){.name = dear, .count = systems, .x = c->ratio, .y = c->dear, .style = SCREE_SERIES_DASHES, .colour = MUTH_LIST + 1};
    const double at[] = {cross_paper, cross_paper}, from_to[] = {c->list[0][0], c->work[MUTH_CELLS][systems - 1]};
    series[count++] = (scree_series){.name = "paper: the two cross", .count = 2, .x = at, .y = from_to, .style = SCREE_SERIES_DASHES, .colour = 8};
    plot.title = "Counted work per particle and step";
    plot.y_label = "tests, cells, swaps and box ends";
    plot.series_count = count;
    findings_plot(f, "work", &plot);
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    muth_plan plan = {.name = "moving", .first = MUTH_CELLS, .before = quick ? 100 : 1000, .steps = quick ? 200 : 2000, .windows = quick ? 1 : 5, .stride_count = speeds - 1,
                      .stride = {30, 100}};
    int systems = quick ? 3 : fractures;
    muth_found found[fractures];
    scree_status status = SCREE_OK;
    for (int k = 0; k < systems && status == SCREE_OK; ++k) {
        muth_system system = {0};
        status = make_fragments(k + 1, co, &system);
        if (status == SCREE_OK && (k == 0 || k == systems - 1)) {
            scree_picture_def look = scree_default_picture_def();
            look.width = 1200;
            look.height = 1000;
            char suffix[16];
            snprintf(suffix, sizeof suffix, "R%d", k + 1);
            findings_picture(f, suffix, &system.set, &look);
        }
        if (status == SCREE_OK)
            status = muth_watch(&plan, &system, co, &found[k]);
        if (status == SCREE_OK)
            status = muth_rows(f, &plan, k + 1, &found[k]);
        muth_free(&system);
    }
    findings_table(f, "paths", 0, (const char* const[]){"ratio", "steps_between", "path_in_radii", "swaps_per_sphere", "work_per_sphere", "searches", "sorts", NULL});
    for (int k = 0; k < systems && status == SCREE_OK; ++k)
        for (int v = 0; v < speeds && status == SCREE_OK; ++v) {
            const muth_cost* c = v == 0 ? &found[k].way[MUTH_LIST] : &found[k].stride[v - 1];
            status = findings_row(f, NULL, (const double[]){k + 1.0, v == 0 ? 1.0 : (double)plan.stride[v - 1], c->path, c->swaps, c->work, (double)c->searches, (double)c->sorts});
        }
    if (status == SCREE_OK)
        status = muth_runs(f, &plan, systems, found);
    findings_paper(f, "Fig. 13 and 14: \"the gradient of the curve over the polydispersity of the LC calculation is a lot higher than for LLL. Before scaling, [...] "
                      "LC was faster than LLL, and the curves were intersecting at about R/r = 2.5.\" The figure's values are not printed.");
    if (status == SCREE_OK) {
        curves c;
        gather(found, systems, &c);
        int last = systems - 1;
        double cells = c.work[MUTH_CELLS][last] / c.work[MUTH_CELLS][0], list = c.list[0][last] / c.list[0][0];
        if (cells > 2.0 * list)
            findings_agrees(f, "from R/r = 1 to %d linked cells do %.1f times the work per sphere, the linked linear list %.1f times: more than twice as much",
                            systems, cells, list);
        else
            findings_differs(f, "from R/r = 1 to %d linked cells do %.1f times the work per sphere, the linked linear list %.1f times: not twice as much", systems,
                             cells, list);
        compare_crossing(f, &plan, systems, &c);
        plot_curves(f, &plan, systems, &c);
        findings_note(f, "Speed times 1 is the 1 %% rule: two spheres that meet overlap by 0.01 radii of the smallest on average. Speeds times 30 and 100: a search "
                         "every 30th and 100th step, which is the same as a search at every step of spheres that much faster on stiffer springs; linked cells and the "
                         "hierarchical grid do not depend on it. At R/r = %d a sphere moves by %.2g to %.2g mean radii between two searches.", systems,
                      found[last].path, found[last].stride[speeds - 2].path);
        findings_note(f, "Fragments are placed at random in the whole box; they do not all fit into their parent. In a step of the last system %.0f pairs touch and "
                         "%.0f box ends swap.", found[last].contacts,
                      found[last].swaps);
    }
    return status;
}

const experiment bench_muth_fracture = {
    .name = "muth-fracture",
    .about = "Muth et al., Fig. 13, 14: cost per sphere against the ratio of sizes",
    .title = "A thousand spheres, half of them broken into k^3: linked cells and linked linear list",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = muth_columns,
};
