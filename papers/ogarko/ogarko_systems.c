// ogarko-systems, and how all benches after Ogarko and Luding make their systems (section 4.2 of the paper, figure 3).
//
//     points at random in a cube with walls   ->   hard spheres that grow at a constant rate to the density   ->   a few collisions at constant size
//                                             ->   soft spheres with velocities by the 1 % rule, until there are contacts
//
// Growth is event-driven from radius 0, with the ratios of radii kept. How fast it may be follows from how near the density is to that of random close packing
// (scree_predict_density): equal spheres at 0.62 jam on the way unless they grow at 0.03 mean diameters per thermal time or less; at that rate they do not crystallise either.
//
// The paper lets soft spheres collide "a few times". In a wide size distribution that takes very long: the time step belongs to the lightest spheres, and the heavy ones, with the same
// energy, are hundreds of times slower (uniform size, ratio 50: some hundred thousand steps for one collision per sphere). So the few collisions, counted, come from
// hard spheres, which take the same time for any sizes; soft spheres follow for a fixed number of steps, and their collisions are counted as well.
#include "ogarko.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double a_few = 4.0;                 // collisions per sphere
enum { soft_steps = 1000, look_every = 10 };     // twenty of the shortest contacts; each of these is seen five times

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
static scree_status shake(const bench_options* co, scree_sphere_set* set, ogarko_system* out)
{
    scree_sim_def def = scree_default_sim_def();
    def.threads = co->threads;
    def.watch = bench_watch("shaking");
    scree_sim* sim = NULL;
    touching before = {0};
    int64_t collisions = 0;
    scree_status status = ogarko_set_in_motion(def, set, co->seed, &sim);
    for (out->steps = 0; out->steps < soft_steps && status == SCREE_OK; out->steps += look_every) {
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
        status = shake(co, &out->set, out);
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

// Centres within 1.1 radii of a wall, over as many as there would be if all positions that the walls leave were alike. Equal spheres.
static double wall_layer(const scree_sphere_set* set)
{
    double r = set->r[0], inner = 1.0, outer = 1.0, near = 0.0;
    for (int32_t i = 0; i < set->count; ++i) {
        bool at_wall = false;
        for (int k = 0; k < 3; ++k) {
            double x = set->x[3 * (int64_t)i + k];
            at_wall = at_wall || x - set->box.lower[k] < 1.1 * r || set->box.upper[k] - x < 1.1 * r;
        }
        near += at_wall;
    }
    for (int k = 0; k < 3; ++k) {
        double side = set->box.upper[k] - set->box.lower[k];
        inner *= side - 2.2 * r;
        outer *= side - 2.0 * r;
    }
    return near / set->count / (1.0 - inner / outer);
}

// g at the square root of two diameters, where close-packed crystals have second neighbours and random packings least. Equal spheres.
static double crystal_peak(const scree_measures* m, double d)
{
    double sum = 0.0;
    int bins = 0;
    for (int32_t b = 0; b < m->g_r.bins; ++b)
        if (fabs(0.5 * (m->g_r.r[b] + m->g_r.r[b + 1]) / d - sqrt(2.0)) < 0.03) {
            sum += m->g_r.g[b];
            ++bins;
        }
    return sum / bins;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    static const struct {
        const char *name, *law;
        double quick_density;  // few spheres between walls jam early
    } systems[] = {{"equal", "mono:1", 0.55}, {"two-sizes-10", "bidisperse:10", 0.5}, {"uniform-size-50", "uniform-size:1:50", 0.4},
                   {"uniform-volume-50", "uniform-volume:1:50", 0.4}};
    scree_status status = SCREE_OK;
    for (int s = 0; s < 4 && status == SCREE_OK; ++s) {
        ogarko_system system;
        status = ogarko_make(systems[s].law, quick ? s == 3 ? 2001 : 1001 : 125001, quick ? systems[s].quick_density : 0.62, co, &system);
        scree_measure_def def = scree_default_measure_def();
        scree_measures measures = {0};
        def.box = system.set.box;
        def.threads = co->threads;
        if (status == SCREE_OK)
            status = scree_measure(&def, scree_sphere_set_view(&system.set), &measures);
        if (status == SCREE_OK) {
            scree_picture_def look = scree_default_picture_def();
            look.width = quick ? 480 : 1200;
            look.height = quick ? 400 : 1000;
            look.scale = SCREE_SCALE_LINEAR;
            double layer = s == 0 ? wall_layer(&system.set) : NAN, peak = s == 0 ? crystal_peak(&measures, 2.0 * system.set.r[0]) : NAN;
            status = findings_row(f, &systems[s].name, (const double[]){(double)system.set.count, bench_density(&system.set), system.rate, system.hard, system.soft, system.contacts,
                                                                        measures.contacts.max_overlap_relative, layer, peak});
            findings_picture(f, systems[s].name, &system.set, &look);
            if (s == 0 && layer >= 3.0)
                findings_agrees(f, "equal spheres are ordered near the walls: within 0.1 radii of touching one there are %.1f times as many as at random (3 wanted)", layer);
            else if (s == 0)
                findings_differs(f, "equal spheres are not ordered near the walls: within 0.1 radii of touching one there are %.1f times as many as at random (3 wanted)", layer);
            if (s == 0)
                findings_note(f, "Equal spheres away from the walls: g = %.2f at sqrt(2) diameters; 0.5 in random packings, a peak above 1 in a crystal. At a rate of 0.03 they reach 0.62 "
                                 "before they crystallise; at 0.1 they jam near 0.6.", peak);
        }
        scree_measures_free(&measures);
        ogarko_free(&system);
    }
    findings_paper(f, "Fig. 3: 125001 spheres at density 0.62: equal, which are ordered near the walls; two sizes, ratio 10, of equal volumes; uniform size and uniform volume, ratio 50.");
    findings_note(f, "Grown from points as hard spheres at a constant rate (of the mean diameter, per thermal time), which is lowered where they jam on the way. Collisions are counted, per sphere, at "
                     "constant size. Here the few collisions of the paper are collisions of hard spheres: soft spheres of a wide size distribution would need several hundred thousand steps, because "
                     "the step belongs to the lightest and the heavy ones are slow. Soft spheres follow for %d steps with a mean overlap of 1 %% of the smallest radius.",
                  (int)soft_steps);
    return status;
}

const experiment bench_ogarko_systems = {
    .name = "ogarko-systems",
    .about = "their Fig. 3: the four packings, drawn",
    .title = "The four packings",
    .paper = true,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"system", "n", "density", "rate", "hard_collisions", "soft_collisions", "contacts", "max_overlap_relative", "wall_layer", "g_at_sqrt_2", NULL},
};
