// Under mpirun: several processes have the bits of one, for systems drawn from seeds, with random borders between them and messages that wait for random times; and wherever memory runs out on one of
// them, all of them say so, none waits for ever, and a further run has the same bits.
//
//     scree_mpi_steps seeds FIRST COUNT
//     scree_mpi_steps memory             each allocation of each process fails once
//     scree_mpi_steps plan SIDE          what each process has of SIDE^3 spheres, counts and memory, is what the plan says
#include "par/pairs.h"
#include "par/sim.h"

#include "scree/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 400, steps = 120 };
enum { few = 24, part_of_steps = 6, after = 9 };  // while memory runs out: as little as has ghosts, contacts that remember, giants, new orders and new lists

typedef struct system_of {
    double x[3 * most], v[3 * most], r[most];
    int32_t count;
    scree_sim_def def;
    scree_sim_law law;
    scree_sim_pair pair;
    bool pushed;
} system_of;

// More than a little.
static bool overlaps(const system_of* s, int dim, int32_t i)
{
    for (int32_t j = 0; j < i; ++j) {
        double square = 0.0, sum = 0.95 * (s->r[i] + s->r[j]);
        for (int k = 0; k < dim; ++k)
            square += (s->x[i * dim + k] - s->x[j * dim + k]) * (s->x[i * dim + k] - s->x[j * dim + k]);
        if (square < sum * sum)
            return true;
    }
    return false;
}

// Friction or none, two or three dimensions, walls or periodic axes, gravity, some of them giants.
static void draw(uint64_t seed, int32_t count, system_of* s)
{
    scree_rng rng = scree_rng_make(seed, 11);
    int dim = seed % 5 == 4 ? 2 : 3;
    double side = dim == 2 ? 14.0 : 5.0;
    s->count = count;
    s->def = scree_default_sim_def();
    s->def.box = scree_box_sized(dim, (const double[3]){side, 1.3 * side, side});
    for (int k = 0; k < dim; ++k)
        s->def.box.periodic[k] = scree_rng_uniform(&rng) < 0.5;
    s->def.stiffness = 20.0;
    s->def.restitution = 0.7;
    s->def.gravity[dim - 1] = -0.3;
    s->def.order_every = 17 + (int32_t)(30.0 * scree_rng_uniform(&rng));
    s->def.threads = 1;
    s->def.giants = scree_rng_uniform(&rng) < 0.8 ? 0.55 : 0.0;
    if (!s->def.box.periodic[dim - 1])
        s->def.wall_velocity[dim - 1][1] = -0.05;
    if (scree_rng_uniform(&rng) < 0.8) {
        s->pair = scree_default_sim_pair();
        s->pair.friction = 0.4;
        s->law = scree_default_sim_law();
        s->law.pairs = &s->pair;
        s->law.material_count = 1;
        s->def.law = &s->law;
    }
    for (int32_t i = 0; i < count; ++i) {
        s->r[i] = i < count / 20 ? 0.6 : 0.15 + 0.2 * scree_rng_uniform(&rng);
        do {
            for (int k = 0; k < dim; ++k)
                s->x[i * dim + k] = s->r[i] + (s->def.box.upper[k] - 2.0 * s->r[i]) * scree_rng_uniform(&rng);
        } while (overlaps(s, dim, i));
        for (int k = 0; k < dim; ++k)
            s->v[i * dim + k] = 2.0 * scree_rng_uniform(&rng) - 1.0;
    }
    for (int32_t i = 0; i < count / 2 && seed % 2 == 0; ++i)  // giants last
        for (int k = -1; k < dim; ++k) {
            double *a = k < 0 ? &s->r[i] : &s->x[i * dim + k], *b = k < 0 ? &s->r[count - 1 - i] : &s->x[(count - 1 - i) * dim + k], t = *a;
            *a = *b;
            *b = t;
        }
}

static scree_status make(const system_of* s, scree_sim** out)
{
    return scree_sim_create(&s->def, (scree_spheres){.count = s->count, .dim = s->def.box.dim, .x = s->x, .r = s->r}, s->v, out);
}

// Halfway, external forces and torques are set.
static scree_status run_pushed(const system_of* s, scree_sim* sim, int64_t count)
{
    static double force[3 * most], torque[3 * most];
    for (int64_t e = 0; e < 3 * (int64_t)s->count; ++e) {
        force[e] = 0.01 * (double)(e % 7 - 3);
        torque[e] = s->def.box.dim == 3 || e % 3 == 2 ? 0.001 * (double)(e % 5 - 2) : 0.0;
    }
    scree_status status = scree_sim_run(sim, count / 2);
    if (status == SCREE_OK)
        status = scree_sim_set_external(sim, force, s->def.law != NULL ? torque : NULL);
    return status == SCREE_OK ? scree_sim_run(sim, count - count / 2) : status;
}

static scree_status find_hash(const system_of* s, int64_t count, uint64_t* out)
{
    scree_sim* sim;
    scree_status status = make(s, &sim);
    if (status == SCREE_OK)
        status = s->pushed ? run_pushed(s, sim, count) : scree_sim_run(sim, count);
    if (status == SCREE_OK)
        *out = scree_sim_hash(sim);
    scree_sim_destroy(sim);
    return status;
}

// On the process of rank 0.
static scree_status compare_seed(scree_par* par, uint64_t seed)
{
    static system_of s;
    uint64_t wanted = 0;
    scree_sim* sim = NULL;
    par_sim* shared = NULL;
    draw(seed, most, &s);
    bool there = seed % 2 == 1;  // the spheres are made by all processes, as a program's are
    s.pushed = there;
    scree_status status = find_hash(&s, steps, &wanted);
    if (there)
        par_share(par);
    if (status == SCREE_OK)
        status = make(&s, &sim);
    if (status == SCREE_OK && there)
        status = run_pushed(&s, sim, steps);
    else if (status == SCREE_OK)
        status = par_sim_create(par, sim, &shared);
    for (int piece = 0; piece < 3 && status == SCREE_OK && !there; ++piece) {
        par_sim_set_chance(shared, piece == 0 ? 0 : seed);
        status = par_sim_run(shared, steps / 3);
    }
    if (status == SCREE_OK && scree_sim_hash(sim) != wanted)
        status = scree_fail(SCREE_ERR_ARGUMENT, "seed %llu: another hash", (unsigned long long)seed);
    par_sim_destroy(shared);
    scree_sim_destroy(sim);
    par_share_end();
    return status;
}

// The pairs of all processes against those of this one.
static scree_status compare_pairs(scree_par* par, uint64_t seed, int32_t count)
{
    static system_of s;
    scree_index* index = NULL;
    scree_par_pairs* all = NULL;
    scree_pairs one, some = {.count = 0};
    draw(seed, count, &s);
    scree_spheres spheres = {.count = s.count, .dim = s.def.box.dim, .x = s.x, .r = s.r};
    scree_index_def def = scree_default_index_def();
    scree_par_pairs_def wanted = scree_default_par_pairs_def();
    def.box = s.def.box;
    def.gap = 0.2;
    def.sorted = true;
    wanted.index = &def;
    scree_status status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, spheres);
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &one);
    if (status == SCREE_OK)
        status = pairs_find(par, PAIRS_OF_PROGRAM, &wanted, spheres, seed % 3 == 0 ? 0 : seed, &all);
    int64_t done = 0;
    while (status == SCREE_OK && (status = scree_par_pairs_next(all, &some)) == SCREE_OK && some.count > 0) {
        bool same = done + some.count <= one.count && memcmp(some.ij, one.ij + done, (size_t)some.count * sizeof *one.ij) == 0 &&
                    (one.shift == NULL || memcmp(some.shift, one.shift + done, (size_t)some.count * sizeof *one.shift) == 0);
        if (!same)
            status = scree_fail(SCREE_ERR_ARGUMENT, "seed %llu: other pairs", (unsigned long long)seed);
        done += some.count;
    }
    if (status == SCREE_OK && (done != one.count || done == 0))
        status = scree_fail(SCREE_ERR_ARGUMENT, "seed %llu: %lld pairs, and %lld by one process", (unsigned long long)seed, (long long)done, (long long)one.count);
    scree_par_pairs_destroy(all);
    scree_index_destroy(index);
    return status;
}

static scree_status compare_seeds(scree_par* par, uint64_t first, uint64_t count)
{
    scree_status status = SCREE_OK;
    par->noise = first + 77 * (uint64_t)par->first + 1;
    par->slice = 50 + (int64_t)(first % 100);
    if (par->first > 0)
        return par_serve(par);
    for (uint64_t seed = first; seed < first + count && status == SCREE_OK; ++seed)
        status = compare_seed(par, seed);
    for (uint64_t seed = first; seed < first + count && status == SCREE_OK; ++seed)
        status = compare_pairs(par, seed, most);
    par_end(par);
    return status;
}

// Allocation n of this process fails, if it is its turn. *done: there was none any more.
static scree_status one_failure(scree_par* par, const system_of* s, const uint64_t wanted[2], int64_t n, bool mine, double* done)
{
    scree_sim* sim = NULL;
    par_sim* shared = NULL;
    scree_status status = SCREE_OK;
    if (par->first == 0)
        status = make(s, &sim);
    if (par_agree(par, status) != SCREE_OK)
        return status;
    (void)scree_memory_fail_at(mine ? n : 0);
    if (par->first > 0) {
        status = par_serve(par);
        *done = mine && scree_memory_fail_at(0) < n;
        if (status == SCREE_OK)
            status = par_max(par, done, 1);
        return status == SCREE_OK ? par_serve(par) : status;
    }
    scree_status first = par_sim_create(par, sim, &shared);
    if (first == SCREE_OK)
        first = par_sim_run(shared, part_of_steps);
    uint64_t hash = first == SCREE_OK ? scree_sim_hash(sim) : 0;  // 0: it lacked memory for it
    par_sim_destroy(shared);
    par_end(par);
    *done = mine && scree_memory_fail_at(0) < n;
    status = par_max(par, done, 1);
    if (first != SCREE_OK && first != SCREE_ERR_MEMORY)
        status = first;
    if (hash != 0 && hash != wanted[0])  // some can be done without
        status = scree_fail(SCREE_ERR_ARGUMENT, "allocation %lld: another hash, and nobody has heard of it", (long long)n);
    scree_sim_destroy(sim);
    sim = NULL;
    par_sim* again = NULL;
    if (status == SCREE_OK)
        status = make(s, &sim);
    if (status == SCREE_OK)
        status = par_sim_create(par, sim, &again);
    if (status == SCREE_OK)
        status = par_sim_run(again, after);
    if (status == SCREE_OK && scree_sim_hash(sim) != wanted[1])
        status = scree_fail(SCREE_ERR_ARGUMENT, "allocation %lld: another hash", (long long)n);
    par_sim_destroy(again);
    par_end(par);
    scree_sim_destroy(sim);
    return status;
}

// The same while the spheres are made by all processes, and asked for.
static scree_status one_failure_of_making(scree_par* par, const system_of* s, const uint64_t wanted[2], int64_t n, bool mine, double* done)
{
    scree_status status = SCREE_OK;
    scree_sim* sim = NULL;
    (void)scree_memory_fail_at(mine ? n : 0);
    if (par->first > 0) {
        status = par_serve(par);
        *done = mine && scree_memory_fail_at(0) < n;
        return status == SCREE_OK ? par_max(par, done, 1) : status;
    }
    par_share(par);
    scree_status first = make(s, &sim);
    scree_sim_report report;
    scree_sim_contacts contacts;
    if (first == SCREE_OK)
        first = scree_sim_measure(sim, &report);
    if (first == SCREE_OK)
        first = scree_sim_get_contacts(sim, &contacts);
    static double x[3 * most], v[3 * most], a[3 * most], w[3 * most], turning[3 * most], radius[most];
    static uint64_t key[most];
    const scree_sim_values columns[] = {{"x", x}, {"v", v}, {"a", a}, {"key", key}, {"radius", radius}, {"w", w}, {"angular_acceleration", turning}};
    scree_sim_state state = {.column_count = s->def.law != NULL ? 7 : 5, .columns = columns};
    scree_sim_memory memory;
    if (first == SCREE_OK)
        first = scree_sim_get_memory(sim, &memory);
    state.memory = &memory;
    if (first == SCREE_OK)
        first = scree_sim_get_state(sim, &state);
    static const double none[3 * most];
    if (first == SCREE_OK)  // by all processes; forces of 0 change no bits
        first = scree_sim_set_external(sim, none, s->def.law != NULL ? none : NULL);
    if (first == SCREE_OK)
        first = scree_sim_set_state(sim, &state);
    if (first == SCREE_OK)
        first = scree_sim_run(sim, part_of_steps);
    uint64_t hash = first == SCREE_OK ? scree_sim_hash(sim) : 0;
    scree_sim_destroy(sim);
    par_share_end();
    par_end(par);
    *done = mine && scree_memory_fail_at(0) < n;
    status = par_max(par, done, 1);
    if (first != SCREE_OK && first != SCREE_ERR_MEMORY)
        status = first;
    return hash != 0 && hash != wanted[0] ? scree_fail(SCREE_ERR_ARGUMENT, "allocation %lld: another hash, and nobody has heard of it", (long long)n) : status;
}

// The same while pairs are searched.
static scree_status one_failure_of_pairs(scree_par* par, const system_of* s, const uint64_t wanted[2], int64_t n, bool mine, double* done)
{
    (void)s;
    (void)wanted;
    scree_status first, status;
    (void)scree_memory_fail_at(mine ? n : 0);
    first = par->first > 0 ? par_serve(par) : compare_pairs(par, 3, few);
    if (par->first == 0)
        par_end(par);
    *done = mine && scree_memory_fail_at(0) < n;
    status = par_max(par, done, 1);
    if (first != SCREE_OK && first != SCREE_ERR_MEMORY)
        status = first;
    if (par->first > 0)
        return status == SCREE_OK ? par_serve(par) : status;
    if (status == SCREE_OK)
        status = compare_pairs(par, 3, few);
    par_end(par);
    return status;
}

typedef scree_status fail_once(scree_par* par, const system_of* s, const uint64_t wanted[2], int64_t n, bool mine, double* done);

static scree_status fail_everywhere(scree_par* par, int64_t* failures)
{
    static system_of s, plain;
    uint64_t wanted[4] = {0, 0, 0, 0};
    const struct {
        fail_once* once;
        const system_of* of;
        const uint64_t* wanted;
    } ways[] = {{one_failure, &s, wanted}, {one_failure_of_making, &s, wanted}, {one_failure_of_making, &plain, wanted + 2}, {one_failure_of_pairs, &s, wanted}};
    draw(3, few, &s);
    s.def.order_every = 4;
    plain = s;
    plain.def.law = NULL;  // its contacts remember nothing
    scree_status status = find_hash(&plain, part_of_steps, &wanted[2]);
    if (status == SCREE_OK)
        status = find_hash(&s, part_of_steps, &wanted[0]);
    if (status == SCREE_OK)
        status = find_hash(&s, after, &wanted[1]);
    status = par_agree(par, status);
    for (int32_t victim = 0; victim < par->ranks; ++victim)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way) {
            double done = 0.0;
            for (int64_t n = 1; status == SCREE_OK && done == 0.0; ++n, ++*failures)
                status = par_agree(par, ways[way].once(par, ways[way].of, ways[way].wanted, n, victim == par->first, &done));
        }
    return status;
}

// ---- Plans -----------------------------------------------------------------------------------------------------------

enum { plan_kinds = 5 };

typedef struct lattice {
    int32_t n;
    double *x, *v, *r;
    scree_sim_def def;
    scree_sim_law law;
    scree_sim_pair pair;
    scree_sim_bond bond;
    scree_sim_bonds_def bonds;
} lattice;

// A lattice whose spheres move: periodic; with friction, gravity and walls; with giants; sizes from 1 to 3 in an open box; and with bonds, three of each sphere.
static scree_status make_lattice(int kind, int32_t side, lattice* out)
{
    const double wide = kind == 3 ? 3.6 : 2.4;
    scree_rng rng = scree_rng_make(7, 3);
    *out = (lattice){.n = side * side * side, .def = scree_default_sim_def()};
    out->x = malloc(3 * (size_t)out->n * sizeof *out->x);
    out->v = malloc(3 * (size_t)out->n * sizeof *out->v);
    out->r = malloc((size_t)out->n * sizeof *out->r);
    if (out->x == NULL || out->v == NULL || out->r == NULL)
        return SCREE_ERR_MEMORY;
    out->def.box = kind == 3 ? scree_box_open(3) : scree_box_sized(3, (const double[3]){wide * side, wide * side, wide * side});
    for (int k = 0; k < 3 && (kind == 0 || kind == 2 || kind == 4); ++k)
        out->def.box.periodic[k] = true;
    out->def.stiffness = 100.0;
    out->def.restitution = 0.8;
    out->def.threads = 1;
    if (kind == 1) {
        out->def.gravity[2] = -1.0;
        out->pair = scree_default_sim_pair();
        out->pair.friction = 0.4;
        out->law = scree_default_sim_law();
        out->law.pairs = &out->pair;
        out->law.material_count = 1;
        out->def.law = &out->law;
    }
    if (kind == 4) {
        out->bond = scree_default_sim_bond();
        out->bond.gap = 0.7;
        out->bond.young = 100.0;
        out->bonds = scree_default_sim_bonds_def();
        out->bonds.kinds = &out->bond;
        out->bonds.kind_count = 1;
        out->def.bonds = &out->bonds;
    }
    out->def.giants = kind == 2 ? 1.0 : 0.0;
    for (int32_t i = 0; i < out->n; ++i) {
        const int32_t at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; ++k) {
            out->x[3 * i + k] = wide * at[k] + 0.5 * wide;
            out->v[3 * i + k] = 2.0 * scree_rng_uniform(&rng) - 1.0;
        }
        out->r[i] = kind == 3 ? 0.6 + 1.2 * scree_rng_uniform(&rng) : kind == 2 && i % 61 == 0 ? 1.0 : kind == 0 ? 1.0 : 0.9;
    }
    return SCREE_OK;
}

static void free_lattice(lattice* l)
{
    free(l->x);
    free(l->v);
    free(l->r);
}

// After the first step, by the ranks that share simulations.
static scree_status find_shares(const lattice* l, scree_sim_plan* out)
{
    scree_sim* sim = NULL;
    scree_status status = scree_sim_create(&l->def, (scree_spheres){.count = l->n, .dim = 3, .x = l->x, .r = l->r}, l->v, &sim);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, 1);
    if (status == SCREE_OK)
        status = scree_sim_get_shares(sim, out);
    scree_sim_destroy(sim);
    return status;
}

static scree_status find_virtual(const lattice* l, int32_t ranks, scree_sim_plan* out)
{
    scree_par* virtual = NULL;
    scree_status status = scree_par_create_virtual(ranks, &virtual);
    if (status == SCREE_OK)
        status = scree_par_share(virtual);
    if (status == SCREE_OK)
        status = find_shares(l, out);
    scree_par_destroy(virtual);
    return status;
}

// Malloc may round each of some hundred blocks, large ones to pages; and a process has some kilobytes for itself.
static bool is_near(double planned, double real)
{
    return fabs(planned - real) <= 0.005 * real + 20e3;
}

static scree_status compare_plan(const lattice* l, int kind, const scree_sim_plan* plan, const scree_sim_plan* real, double before)
{
    const scree_sim_share *a[3] = {&plan->sum, &plan->most, &plan->least}, *b[3] = {&real->sum, &real->most, &real->least};
    double others = plan->ranks - 1.0;
    for (int k = 0; k < 3; ++k)
        if (a[k]->own != b[k]->own || a[k]->ghosts != b[k]->ghosts || a[k]->peers != b[k]->peers || a[k]->sent != b[k]->sent || a[k]->candidates != b[k]->candidates || a[k]->work != b[k]->work)
            return scree_fail(SCREE_ERR_ARGUMENT, "system %d: the plan says own %lld, ghosts %lld, peers %lld, sent %lld, candidates %lld; the processes have %lld, %lld, %lld, %lld, %lld", kind, (long long)a[k]->own,
                              (long long)a[k]->ghosts, (long long)a[k]->peers, (long long)a[k]->sent, (long long)a[k]->candidates, (long long)b[k]->own, (long long)b[k]->ghosts, (long long)b[k]->peers,
                              (long long)b[k]->sent, (long long)b[k]->candidates);
    double first = (double)real->first - before;
    printf("system %d: process 0 %.0f of %.0f bytes, others %.0f of %.0f (most %lld of %lld), in steps %.0f of %.0f\n", kind, first, (double)plan->first, (double)real->sum.bytes / others, (double)plan->sum.bytes / others,
           (long long)real->most.bytes, (long long)plan->most.bytes, (double)real->held / others, (double)plan->held / others);
    if (plan->sum.own != l->n || plan->least.own < 1 || !is_near((double)plan->first, first) || !is_near((double)plan->sum.bytes / others, (double)real->sum.bytes / others) ||
        !is_near((double)plan->most.bytes, (double)real->most.bytes) || !is_near((double)plan->least.bytes, (double)real->least.bytes) || !is_near((double)plan->held / others, (double)real->held / others))
        return scree_fail(SCREE_ERR_ARGUMENT, "system %d: memory is not that of the plan", kind);
    return SCREE_OK;
}

static scree_status compare_plans(scree_par* par, int32_t side)
{
    scree_status status = SCREE_OK;
    for (int kind = 0; kind < plan_kinds && status == SCREE_OK; ++kind) {
        lattice l;
        scree_sim_plan plan = {0}, real = {0};
        status = par->first == 0 ? make_lattice(kind, side, &l) : SCREE_OK;
        if (status == SCREE_OK && par->first == 0)
            status = find_virtual(&l, par->ranks, &plan);
        status = par_agree(par, status);
        (void)scree_memory_peak(true);
        double before = (double)scree_memory_bytes();
        if (status == SCREE_OK && par->first > 0)
            status = par_serve(par);
        if (par->first > 0)
            continue;
        if (status == SCREE_OK) {
            par_share(par);
            status = find_shares(&l, &real);
            par_share_end();
            par_end(par);
        }
        if (status == SCREE_OK)
            status = compare_plan(&l, kind, &plan, &real, before);
        free_lattice(&l);
    }
    return status;
}

int main(int argc, char** argv)
{
    scree_par* par;
    int64_t failures = 0;
    scree_status status = par_mpi(&par);
    if (status == SCREE_OK && argc == 4 && strcmp(argv[1], "seeds") == 0)
        status = compare_seeds(par, strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    else if (status == SCREE_OK && argc == 2 && strcmp(argv[1], "memory") == 0)
        status = fail_everywhere(par, &failures);
    else if (status == SCREE_OK && argc == 3 && strcmp(argv[1], "plan") == 0)
        status = compare_plans(par, (int32_t)strtol(argv[2], NULL, 10));
    else
        status = scree_fail(SCREE_ERR_ARGUMENT, "usage: scree_mpi_steps seeds FIRST COUNT | memory | plan SIDE");
    if (par->first == 0)
        printf("%d ranks: %s, %lld failures of memory\n", (int)par->ranks, status == SCREE_OK ? "the bits of one" : scree_error_message(), (long long)failures);
    par_close(par);
    return status == SCREE_OK ? 0 : 1;
}
