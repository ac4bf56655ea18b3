// muth-fracture: Fig. 13 and 14 of Muth et al. (2007): a thousand spheres in a box, about half of them broken into k^3 of 1/k of the radius, so that the volume stays
// and the sizes differ more and more.
//
// The paper plots the computation time of linked cells, whose cells follow the largest sphere, and of the linked linear list over R/r = k. It claims: the gradient of the curve is a lot higher for
// linked cells; before scaling they were faster at first, and the curves intersect at about R/r = 2.5.
//
// The paper gives no velocities. Here they follow the 1 % rule, and the linked linear list is also searched every 30th and every 100th step, which is what it would do
// with spheres 30 and 100 times as fast; each speed is judged.
#include "muth.h"

#include <math.h>
#include <stdio.h>

enum { fractures = 5, speeds = 3 };

static const int32_t broken[fractures] = {0, 493, 526, 498, 520};  // of 1000, into k^3 each

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

// What the curves are compared by: costs per sphere, and their logarithms, in which the curves are straight between two systems. Linked cells do not depend on the speed.
static scree_status tell_curves(findings* f, const muth_plan* plan, int systems, const muth_found* found)
{
    findings_table(f, "curves", 2, (const char* const[]){"method", "curve", "speed", "ratio", "cost", "log_cost", NULL});
    scree_status status = SCREE_OK;
    for (int v = 0; v <= speeds; ++v)  // of the list its work at each speed, then its time; of the others work and time
        for (int way = MUTH_CELLS; way < MUTH_WAYS; ++way)
            for (int i = 0; i < systems && status == SCREE_OK; ++i) {
                const muth_cost* c = way == MUTH_LIST && v < speeds ? muth_list_cost(&found[i], v - 1) : &found[i].way[way];
                const double speed = v == 0 || v == speeds ? 1.0 : (double)plan->stride[v - 1], cost = v == speeds ? c->seconds * 1e9 : c->work;
                char name[64];
                if (way != MUTH_LIST && v > 0 && v < speeds)
                    continue;
                snprintf(name, sizeof name, way == MUTH_LIST && v < speeds ? "%s speed times %g" : "%s", muth_names[way], speed);
                status = findings_point(f, (const char*[]){name, v == speeds ? "time" : "work"}, (const double[]){speed, i + 1.0, cost, log(cost)});
            }
    return status;
}

// How the costs per sphere grow from R/r = 1 to the last system.
static scree_status tell_growth(findings* f, const muth_plan* plan, int systems, const muth_found* found)
{
    findings_table(f, "growth", 0, (const char* const[]){"speed", "cells", "list", "cells_by_list", "time_cells_by_list", "time_cells_by_list_low", "time_cells_by_list_high", NULL});
    const muth_found *first = &found[0], *last = &found[systems - 1];
    const muth_cost *c0 = &first->way[MUTH_CELLS], *c1 = &last->way[MUTH_CELLS], *l0 = &first->way[MUTH_LIST], *l1 = &last->way[MUTH_LIST];
    scree_status status = SCREE_OK;
    for (int v = 0; v < speeds && status == SCREE_OK; ++v) {
        double cells = c1->work / c0->work, list = muth_list_cost(last, v - 1)->work / muth_list_cost(first, v - 1)->work;
        status = findings_row(f, NULL, (const double[]){v == 0 ? 1.0 : (double)plan->stride[v - 1], cells, list, cells / list, v > 0 ? NAN : c1->seconds / c0->seconds * l0->seconds / l1->seconds,
                                                        v > 0 ? NAN : c1->seconds_low / c0->seconds_high * l0->seconds_low / l1->seconds_high,
                                                        v > 0 ? NAN : c1->seconds_high / c0->seconds_low * l0->seconds_high / l1->seconds_low});
    }
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    muth_plan plan = {.name = "moving", .first = MUTH_CELLS, .before = quick ? 100 : 1000, .steps = quick ? 200 : 2000, .windows = quick ? 1 : 5, .stride_count = speeds - 1,
                      .stride = {30, 100}};
    static const double ratios[fractures] = {1.0, 2.0, 3.0, 4.0, 5.0};
    const int systems = quick ? 3 : fractures;
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
            status = muth_rows(f, &plan, ratios[k], &found[k], &found[0]);
        muth_free(&system);
    }
    if (status == SCREE_OK)
        status = muth_paths(f, &plan, systems, ratios, found, NULL);
    if (status == SCREE_OK)
        status = muth_runs(f, &plan, systems, found);
    if (status == SCREE_OK)
        status = tell_curves(f, &plan, systems, found);
    if (status == SCREE_OK)
        status = tell_growth(f, &plan, systems, found);
    findings_paper(f, "Fig. 13 and 14: \"the gradient of the curve over the polydispersity of the LC calculation is a lot higher than for LLL. Before scaling, [...] "
                      "LC was faster than LLL, and the curves were intersecting at about R/r = 2.5.\" The figure's values are not printed.");
    findings_note(f, "Speed times 1 is the 1 %% rule: two spheres that meet overlap by 0.01 radii of the smallest on average. Speeds times 30 and 100: a search "
                     "every 30th and 100th step, which is the same as a search at every step of spheres that much faster on stiffer springs; linked cells and the "
                     "hierarchical grid do not depend on it. The paper compares a program in C++ with one in C, on different computers.");
    findings_note(f, "Fragments are placed at random in the whole box; they do not all fit into their parent. A lot higher: at least twice.");
    return status;
}

#define SPEED(speed_name)                                                                                                                                               \
    {.quantity = "speed times " speed_name ": growth of the counted work with R/r, linked-cells by linear-list", .source = "Fig. 14", .words = "a lot higher", .least = 2.0, .most = 1e3, \
     .table = "growth", .column = "cells_by_list", .rows = "speed=" speed_name},                                                                                        \
    {.quantity = "speed times " speed_name ": R/r at which the counted work of linked-cells passes that of linear-list", .source = "Fig. 14", .paper = 2.5, .least = 2.0, .most = 3.0, \
     .how = CLAIM_CROSSING, .table = "curves", .column = "log_cost", .against = "ratio", .rows = "curve=work;method=linked-cells",                                       \
     .over = "curve=work;method=linear-list speed times " speed_name}

const experiment bench_muth_fracture = {
    .name = "muth-fracture",
    .about = "Muth et al., Fig. 13, 14: cost per sphere against the ratio of sizes",
    .title = "A thousand spheres, half of them broken into k^3: linked cells and linked linear list",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = muth_columns,
    .claims = (const claim[]){
        SPEED("1"),
        SPEED("30"),
        SPEED("100"),
        {.quantity = "growth of the time with R/r, linked-cells by linear-list", .source = "Fig. 14", .words = "a lot higher", .least = 2.0, .most = 1e3, .table = "growth",
         .column = "time_cells_by_list", .rows = "speed=1", .timed = true},
        {.quantity = "R/r at which the time of linked-cells passes that of linear-list", .source = "Fig. 14", .paper = 2.5, .least = 2.0, .most = 3.0, .how = CLAIM_CROSSING, .table = "curves",
         .column = "log_cost", .against = "ratio", .rows = "curve=time;method=linked-cells", .over = "curve=time;method=linear-list"},
        {0}},
    .charts = (const chart[]){
        {.title = "Time per particle and step", .x_label = "R/r", .y_label = "nanoseconds, median and quartiles", .x = "ratio", .y = "ns_per_sphere", .by = "method", .y_log = true},
        {.suffix = "work", .title = "Counted work per particle and step", .x_label = "R/r", .y_label = "tests, cells, swaps and box ends", .table = "curves", .x = "ratio", .y = "cost", .by = "method",
         .rows = "curve=work", .y_log = true, .paper = (const chart_points[]){{"paper: the two cross", 2, {{2.5, 10}, {2.5, 100}}}, {0}}},
        {0}},
};
