// The series that muth-2d and muth-3d share: systems of a growing number of particles at constant density, the paper's or of the user's size distribution; how the work
// of the methods grows with n, and how that of the linked linear list depends on the path between two searches.
#include "muth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void draw(findings* f, const char* suffix, const scree_sphere_set* set)
{
    scree_picture_def look = scree_default_picture_def();
    look.width = 700;
    look.height = (int32_t)lround(700.0 * (set->box.upper[1] - set->box.lower[1]) / (set->box.upper[0] - set->box.lower[0]));
    findings_picture(f, suffix, set, &look);
}

// Work of the linked linear list where particles move by `path` between two searches, from the strides around it: work is linear in the path. Systems are
// compared at equal paths, since falling discs of a larger system are not equally fast.
static double list_work(const muth_series* s, const muth_found* found, double path, double weight)
{
    int k = 0;
    while (k + 1 < s->plan.stride_count && muth_list_cost(found, k)->path < path)
        ++k;
    const muth_cost *a = muth_list_cost(found, k - 1), *b = muth_list_cost(found, k);
    double low = a->work + (weight - 1.0) * a->swaps, high = b->work + (weight - 1.0) * b->swaps;
    return (low + (high - low) * (path - a->path) / (b->path - a->path)) * found->count;
}

static scree_status tell_growth(findings* f, const muth_series* s)
{
    static const struct {
        const char* name;
        double weight;
    } costs[] = {{"a swap costs as much as a look at a box end", 1.0}, {"10 times as much", 10.0}, {"100 times as much", 100.0}};
    double n[muth_most_systems], work[muth_most_systems], time[muth_most_systems], first = 0.0;
    scree_status status = SCREE_OK;
    findings_table(f, "growth", 1, (const char* const[]){"method", "work", "time", NULL});
    for (int way = 0; way < MUTH_WAYS && status == SCREE_OK; ++way) {
        for (int i = 0; i < s->systems; ++i) {
            n[i] = s->found[i].count;
            work[i] = s->found[i].way[way].work * n[i];
            time[i] = s->found[i].way[way].seconds * n[i];
        }
        status = findings_row(f, &muth_names[way], (const double[]){muth_exponent(n, work, s->systems), muth_exponent(n, time, s->systems)});
    }
    findings_table(f, "exponents", 1, (const char* const[]){"swap_costs", "path", "speed", "held", "exponent", NULL});
    for (int k = -1; k < s->plan.stride_count; ++k) {
        double path = 0.0;
        for (int i = 0; i < s->systems; ++i)
            path += muth_list_cost(&s->found[i], k)->path / s->systems;
        first = k < 0 ? path : first;
        for (size_t w = 0; w < sizeof costs / sizeof *costs && status == SCREE_OK; ++w) {
            for (int i = 0; i < s->systems; ++i)
                work[i] = list_work(s, &s->found[i], path, costs[w].weight);
            status = findings_row(f, &costs[w].name, (const double[]){path, path / first, path <= 101.0 * first, muth_exponent(n, work, s->systems)});
        }
    }
    return status;
}

scree_status muth_series_run(findings* f, muth_series* s, const bench_options* co)
{
    double expected[muth_most_systems][muth_most_strides + 1];
    scree_status status = SCREE_OK;
    for (int k = 0; k < s->systems && status == SCREE_OK; ++k) {
        muth_system system = {0};
        muth_found* found = &s->found[k];
        bool drawn = s->pictures && k == s->systems - 1;
        status = s->make(s, s->counts[k], co, &system);
        if (status == SCREE_OK && drawn)
            draw(f, "discs-at-the-start", &system.set);
        if (status == SCREE_OK)
            status = muth_watch(&s->plan, &system, co, found);
        if (status == SCREE_OK && drawn)
            draw(f, "discs-at-the-end", &system.set);
        muth_free(&system);
        for (int e = 0; e <= s->plan.stride_count && status == SCREE_OK; ++e)
            expected[k][e] = s->swaps != NULL && e > 0 ? s->swaps(found->count, muth_list_cost(found, e - 1)->path) : NAN;
        if (status == SCREE_OK)
            status = muth_rows(f, &s->plan, 1.0, found, &s->found[0]);
    }
    if (status == SCREE_OK)
        status = muth_paths(f, &s->plan, s->systems, NULL, s->found, (const double (*)[muth_most_strides + 1])expected);
    if (status == SCREE_OK)
        status = muth_runs(f, &s->plan, s->systems, s->found);
    if (status == SCREE_OK)
        status = tell_growth(f, s);
    const muth_found* last = &s->found[s->systems - 1];
    findings_note(f, "%lld steps each, of which %d, in %d windows of %d over the run, were searched by all methods. In a step of the largest system %.4g pairs touch, "
                     "%.4g box ends swap, and a particle moves by %.2g mean radii (root mean square along an axis, without the motion that all share).",
                  (long long)s->plan.steps, s->plan.windows * muth_window, s->plan.windows, muth_window, last->contacts, last->swaps, last->path);
    findings_note(f, "Search only, one thread unless --threads says otherwise; forces cost the same for all methods. Exponents of times are those of the medians, by quartiles from the lower ones of "
                     "small systems to the upper ones of large systems and the other way round.");
    return status;
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
    s->swaps = NULL;
    return muth_series_run(f, s, co);
}
