// ogarko-systems, and how all benches after Ogarko and Luding make their systems (section 4.2 of the paper, figure 3).
//
//     points at random in a cube with walls   ->   hard spheres that grow at a constant rate to the density   ->   a few collisions at constant size
//                                             ->   soft spheres with velocities by the 1 % rule, until there are contacts
//
// Growth is event-driven from radius 0, with the ratios of radii kept. How fast it may be follows from how near the density is to that of random close packing
// (scree_predict_density): equal spheres at 0.62 jam on the way unless they grow at 0.03 mean diameters per thermal time or less; at that rate they do not crystallise either.
//
// The paper lets soft spheres collide "a few times" before anything is measured. So do these: until there have been four collisions per sphere, counted as contacts that begin. In a wide size
// distribution that takes long, because the time step belongs to the lightest spheres while the heavy ones, with the same energy, are hundreds of times slower; after so many steps as below
// the rest is given up, and what was reached is a row. A few collisions as hard spheres, which take the same time for any sizes, come before.
//
// Claims of figure 3: the four packings have 125001 spheres at density 0.62, and the equal ones are ordered near the walls, since the density is above 0.55. Order is not layering: spheres lie
// against a wall at any density. It is measured in the layer at the wall, by the hexagons of neighbours in it, and must fail for fluids, which are made as well.
#include "ogarko.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double a_few = 4.0;  // collisions per sphere
enum { soft_steps = 800000, soft_steps_thin = 100000, soft_steps_quick = 4000, look_every = 10 };  // thin: below density 0.6, where collisions are rare. A contact lasts at least 50 steps: each is seen five times

// ---- Growth --------------------------------------------------------------------------------------------------------

// At the rate, and slower where that jams too soon.
static scree_status grow(const char* law, double density, const bench_options* co, scree_sphere_set* set, ogarko_system* out)
{
    double random_close = 1.0;
    scree_status status = scree_predict_density(3, set->count, set->r, &random_close);
    scree_grow_def def = scree_default_grow_def();
    def.density = density;
    def.start_density = 0.0;
    def.pressure = 1e4;
    def.collisions = a_few;
    def.seed = co->seed;
    def.threads = co->threads;
    scree_growth grown = {0};
    for (def.rate = density > 0.9 * random_close ? 0.03 : 0.1; status == SCREE_OK && !grown.reached && def.rate > 2e-3; def.rate /= 3.0) {
        scree_growth_free(&grown);
        def.watch = bench_watch("growing");
        status = scree_pack_grow(&def, set->count, set->r, &grown);
        bench_watch_end();
        out->rate = def.rate;
    }
    if (status == SCREE_OK && !grown.reached)
        status = scree_fail(SCREE_ERR_ARGUMENT, "%s: growth jammed at density %.3g, before %g", law, grown.density, density);
    if (status == SCREE_OK) {
        memcpy(set->x, grown.x, 3 * (size_t)set->count * sizeof *set->x);
        set->box = grown.box;
        set->has_box = true;
        out->hard = a_few;  // scree_pack_grow goes on until there have been so many
    }
    scree_growth_free(&grown);
    return status;
}

// ---- Soft spheres --------------------------------------------------------------------------------------------------

scree_status ogarko_set_in_motion(scree_sim_def def, const scree_sphere_set* set, uint64_t seed, scree_sim** out)
{
    def.box = set->box;
    def.stiffness = 1.0;
    scree_thermal_def warm = scree_default_thermal_def();
    warm.stiffness = 1.0;
    warm.seed = seed;
    double* v = scree_malloc(3 * (size_t)set->count, sizeof *v);
    scree_status status = v == NULL ? SCREE_ERR_MEMORY : scree_thermal_velocities(&warm, scree_sphere_set_view(set), v);
    if (status == SCREE_OK)
        status = scree_sim_create(&def, scree_sphere_set_view(set), v, out);
    scree_free(v);
    return status;
}

// The contacts between spheres, in order, as they were when they were last looked at.
typedef struct touching {
    int64_t (*ij)[2];
    int64_t count, room;
} touching;

// How many contacts there are that were not there before.
static scree_status count_new(touching* before, const scree_sim_contacts* now, int64_t* fresh)
{
    int64_t b = 0;
    *fresh = 0;
    for (int64_t c = 0; c < now->pair_count; ++c) {
        const int64_t* pair = now->ij[c];
        while (b < before->count && (before->ij[b][0] < pair[0] || (before->ij[b][0] == pair[0] && before->ij[b][1] < pair[1])))
            ++b;
        *fresh += !(b < before->count && before->ij[b][0] == pair[0] && before->ij[b][1] == pair[1]);
    }
    if (now->pair_count > before->room) {
        int64_t(*grown)[2] = scree_realloc(before->ij, 2 * (size_t)now->pair_count, sizeof *grown);
        if (grown == NULL)
            return SCREE_ERR_MEMORY;
        before->ij = grown;
        before->room = 2 * now->pair_count;
    }
    if (now->pair_count > 0)
        memcpy(before->ij, now->ij, (size_t)now->pair_count * sizeof *before->ij);
    before->count = now->pair_count;
    return SCREE_OK;
}

// Moves them, and counts their collisions: contacts that begin. The linear law gives all of them at least the shortest duration, so that none is missed.
static scree_status shake(const bench_options* co, double density, scree_sphere_set* set, ogarko_system* out)
{
    scree_sim_def def = scree_default_sim_def();
    def.threads = co->threads;
    def.watch = bench_watch("shaking");
    scree_sim* sim = NULL;
    touching before = {0};
    int64_t collisions = 0;
    scree_status status = ogarko_set_in_motion(def, set, co->seed, &sim);
    const int64_t most = co->quick ? soft_steps_quick : density < 0.6 ? soft_steps_thin : soft_steps;
    for (out->steps = 0; out->steps < most && 2.0 * (double)collisions < a_few * (double)set->count && status == SCREE_OK; out->steps += look_every) {
        scree_sim_contacts now;
        int64_t fresh = 0;
        status = scree_sim_run(sim, look_every);
        if (status == SCREE_OK)
            status = scree_sim_get_contacts(sim, &now);
        if (status == SCREE_OK)
            status = count_new(&before, &now, &fresh);
        collisions += fresh;
    }
    bench_watch_end();
    if (status == SCREE_OK)
        status = scree_sim_get_column(sim, "x", set->x);
    out->soft = 2.0 * (double)collisions / set->count;
    out->contacts = 2.0 * (double)before.count / set->count;
    scree_free(before.ij);
    scree_sim_destroy(sim);
    return status;
}

// ---- A system ------------------------------------------------------------------------------------------------------

scree_status ogarko_make(const char* law, int32_t count, double density, const bench_options* co, ogarko_system* out)
{
    char key[128];
    double numbers[bench_kept_numbers] = {0.0};
    *out = (ogarko_system){.rate = 0.0};
    snprintf(key, sizeof key, "grown %.64s %d %g %llu", law, (int)count, density, (unsigned long long)co->seed);
    if (bench_kept(key, &out->set, numbers)) {
        out->rate = numbers[0];
        out->hard = numbers[1];
        out->soft = numbers[2];
        out->steps = (int64_t)numbers[3];
        out->contacts = numbers[4];
        return SCREE_OK;
    }
    scree_status status = bench_draw(law, count, co->seed, &out->set);
    if (status == SCREE_OK)
        status = grow(law, density, co, &out->set, out);
    if (status == SCREE_OK)
        status = shake(co, density, &out->set, out);
    if (status != SCREE_OK) {
        ogarko_free(out);
        return status;
    }
    memcpy(numbers, (const double[]){out->rate, out->hard, out->soft, (double)out->steps, out->contacts}, 5 * sizeof *numbers);
    bench_keep(key, &out->set, numbers);
    return SCREE_OK;
}

void ogarko_free(ogarko_system* system)
{
    scree_sphere_set_free(&system->set);
    *system = (ogarko_system){.rate = 0.0};
}

void ogarko_describe(findings* f, const char* name, const ogarko_system* system)
{
    findings_note(f, "%s: %d spheres grown from points at rate %g to density %.3g, then %g collisions per sphere as hard spheres and %.3g as soft ones in %" PRId64
                     " steps; %.3g contacts per sphere.",
                  name, (int)system->set.count, system->rate, bench_density(&system->set), system->hard, system->soft, system->steps, system->contacts);
}

// ---- The four of figure 3 ------------------------------------------------------------------------------------------

// Whether the sphere lies against the wall `axis` below (side 0) or above.
static bool is_at_wall(const scree_sphere_set* set, int32_t i, int axis, int side)
{
    double x = set->x[3 * (int64_t)i + axis], r = set->r[i];
    return (side == 0 ? x - set->box.lower[axis] : set->box.upper[axis] - x) < 1.2 * r;
}

// Of a sphere against a wall: how well its neighbours in that layer, within 1.4 diameters, stand on the corners of a hexagon: |mean of exp(6 i angle)|, and 0 with fewer than 4.
static double hexagon(const scree_sphere_set* set, const int32_t* layer, int count, int32_t i, int axis)
{
    double re = 0.0, im = 0.0, n = 0.0;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int k = 0; k < count; ++k) {
        double dx = set->x[3 * (int64_t)layer[k] + u] - set->x[3 * (int64_t)i + u], dy = set->x[3 * (int64_t)layer[k] + v] - set->x[3 * (int64_t)i + v];
        if (layer[k] == i || hypot(dx, dy) > 2.8 * set->r[i])
            continue;
        re += cos(6.0 * atan2(dy, dx));
        im += sin(6.0 * atan2(dy, dx));
        n += 1.0;
    }
    return n >= 4.0 ? hypot(re, im) / n : 0.0;
}

// The share of spheres against walls whose neighbours in the layer form a hexagon (0.7 or more); and the number against walls by the number that there would be at random.
static scree_status wall_order(const scree_sphere_set* set, double* order, double* layering)
{
    double ordered = 0.0, all = 0.0, inner = 1.0;
    int32_t* layer = scree_malloc((size_t)set->count, sizeof *layer);
    for (int wall = 0; wall < 6 && layer != NULL; ++wall) {
        int count = 0;
        for (int32_t i = 0; i < set->count; ++i)
            if (is_at_wall(set, i, wall / 2, wall % 2))
                layer[count++] = i;
        for (int k = 0; k < count; ++k)
            ordered += hexagon(set, layer, count, layer[k], wall / 2) >= 0.7;
        all += count;
    }
    for (int k = 0; k < 3; ++k) {
        double side = set->box.upper[k] - set->box.lower[k], r = set->r[0];
        inner *= (side - 2.4 * r) / (side - 2.0 * r);
    }
    *order = ordered / all;
    *layering = all / set->count / (1.0 - inner);
    scree_free(layer);
    return layer != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const struct {
        const char *name, *law;
        double quick_density;  // few spheres between walls jam early
    } systems[] = {{"equal", "mono:1", 0.55}, {"two-sizes-10", "bidisperse:10", 0.5}, {"uniform-size-50", "uniform-size:1:50", 0.4},
                   {"uniform-volume-50", "uniform-volume:1:50", 0.4}};
    static const double densities[] = {0.3, 0.45, 0.5, 0.55, 0.58, 0.62};  // of equal spheres; the last is the paper's system
    scree_status status = SCREE_OK;
    for (int s = 0; s < 4 && status == SCREE_OK; ++s) {
        ogarko_system system;
        status = ogarko_make(systems[s].law, quick ? s == 3 ? 2001 : 1001 : 125001, quick ? systems[s].quick_density : 0.62, co, &system);
        if (status == SCREE_OK) {
            scree_picture_def look = scree_default_picture_def();
            look.width = quick ? 480 : 1200;
            look.height = quick ? 400 : 1000;
            look.scale = SCREE_SCALE_LINEAR;
            status = findings_row(f, &systems[s].name, (const double[]){(double)system.set.count, bench_density(&system.set), system.rate, system.hard, system.soft, (double)system.steps,
                                                                        system.contacts});
            findings_picture(f, systems[s].name, &system.set, &look);
        }
        ogarko_free(&system);
    }
    findings_table(f, "walls", 0, (const char* const[]){"n", "density", "order", "disorder", "layering", NULL});
    for (int k = 0; k < (quick ? 5 : 6) && status == SCREE_OK; ++k) {
        ogarko_system system;
        double order = 0.0, layering = 0.0;
        status = ogarko_make("mono:1", quick ? 1001 : k < 5 ? 8001 : 125001, densities[k], co, &system);
        if (status == SCREE_OK)
            status = wall_order(&system.set, &order, &layering);
        if (status == SCREE_OK)
            status = findings_row(f, NULL, (const double[]){(double)system.set.count, densities[k], order, 1.0 - order, layering});
        ogarko_free(&system);
    }
    findings_paper(f, "Fig. 3: 125001 spheres at density 0.62: equal, which are ordered near the walls, since the density is above 0.55; two sizes, ratio 10, of equal volumes; uniform size and uniform "
                      "volume, ratio 50.");
    findings_paper(f, "Section 4.2: \"We let the simulations run for a few collisions per particle for equilibration\".");
    findings_note(f, "Grown from points as hard spheres at a constant rate (of the mean diameter, per thermal time), which is lowered where they jam on the way. Collisions are counted, per sphere: four as "
                     "hard spheres at constant size, then soft ones with a mean overlap of 1 %% of the smallest radius, until there have been four or %d steps are over.",
                  quick ? (int)soft_steps_quick : (int)soft_steps);
    findings_note(f, "Column soft_steps: uniform size needs many more than uniform volume, because the step belongs to the few smallest spheres, and most of the others, with the same energy, are a hundred times "
                     "slower. Below density 0.6 (ogarko-levels) it ends after %d steps at the latest; what was reached is noted there.", (int)soft_steps_thin);
    findings_note(f, "Order: the share of spheres within 0.2 radii of touching a wall whose neighbours in that layer stand on the corners of a hexagon (|mean of exp(6 i angle)| of at least 0.7, four "
                     "neighbours or more). Layering: their number by that of random positions; it is above 3 at any density.");
    return status;
}

const experiment bench_ogarko_systems = {
    .name = "ogarko-systems",
    .about = "their Fig. 3: the four packings, drawn",
    .title = "The four packings",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"system", "n", "density", "rate", "hard_collisions", "soft_collisions", "soft_steps", "contacts", NULL},
    .claims = (const claim[]){
        {.quantity = "equal spheres at 0.62: share of those against walls that are ordered", .source = "Fig. 3", .words = "ordered near the walls", .least = 0.5, .most = 1.0, .table = "walls",
         .column = "order", .rows = "density=0.62", .full = true},
        {.quantity = "equal spheres from density 0.3 on: how often order falls as the density rises", .source = "Section 4.1", .words = "ordered above 0.55", .least = 0.0, .most = 0.0,
         .how = CLAIM_RISES, .table = "walls", .column = "disorder"},
        {.quantity = "the measure of order fails for a fluid of density 0.3", .least = 0.0, .most = 0.25, .table = "walls", .column = "order", .rows = "density=0.3"},
        {.quantity = "the measure of order fails for a fluid of density 0.5", .least = 0.0, .most = 0.25, .table = "walls", .column = "order", .rows = "density=0.5"},
        {.quantity = "spheres lie against the walls at density 0.3 without being ordered: by random positions", .least = 2.0, .most = 5.0, .table = "walls", .column = "layering",
         .rows = "density=0.3"},
        {.quantity = "equal: soft collisions per sphere", .source = "Section 4.2", .words = "a few", .least = 3.0, .most = 10.0, .column = "soft_collisions", .rows = "system=equal"},
        {.quantity = "two sizes 10: soft collisions per sphere", .source = "Section 4.2", .words = "a few", .least = 3.0, .most = 10.0, .column = "soft_collisions", .rows = "system=two-sizes-10"},
        {.quantity = "uniform size 50: soft collisions per sphere", .source = "Section 4.2", .words = "a few", .least = 3.0, .most = 10.0, .column = "soft_collisions",
         .rows = "system=uniform-size-50", .full = true},
        {.quantity = "uniform volume 50: soft collisions per sphere", .source = "Section 4.2", .words = "a few", .least = 3.0, .most = 10.0, .column = "soft_collisions",
         .rows = "system=uniform-volume-50", .full = true},
        {0}},
    .charts = (const chart[]){
        {.suffix = "walls", .title = "Equal spheres against the walls: share that is ordered", .x_label = "density", .y_label = "share", .table = "walls", .x = "density", .y = "order"},
        {0}},
};
