// spheres that come and go in a running simulation: against simulations that always had the spheres, against sums and all pairs of its own, over methods, skins, threads and backends.
#include "sim_support.h"

#include "scree/loads.h"
#include "scree/surface.h"

typedef struct system_of {
    scree_sphere_set set;
    double* v;
    uint16_t *material, *group;
    scree_sim_each each;
    scree_sim_pair pairs[4];
    scree_sim_law law;
    scree_index_def search;
    scree_sim_def def;
} system_of;

// A hot gas of two materials with friction and damping, dense enough that most spheres touch another one; below half of the height.
static system_of make_gas(int dim, int32_t count, unsigned periodic, bool plain, uint64_t seed)
{
    system_of s = {.def = scree_default_sim_def(), .each = scree_default_sim_each(), .law = scree_default_sim_law(), .search = scree_default_index_def()};
    s.set = sim_gas(dim, count, 3.0, dim == 2 ? 0.5 : 0.3, false, seed);
    s.material = calloc((size_t)count, sizeof *s.material);
    s.group = calloc((size_t)count, sizeof *s.group);
    s.v = sim_thermal(scree_sphere_set_view(&s.set), 0.05, seed);
    for (int32_t i = 0; i < count; ++i) {
        s.material[i] = (uint16_t)(i % 2);
        s.group[i] = (uint16_t)(i % 3);
        s.set.r[i] *= 1.1;
    }
    s.set.box.upper[dim - 1] += s.set.box.upper[dim - 1] - s.set.box.lower[dim - 1];
    for (int k = 0; k < dim; ++k)
        s.set.box.periodic[k] = (periodic >> k & 1) != 0;
    const double stiffness[4] = {20.0, 25.0, 25.0, 30.0};
    for (int e = 0; e < 4; ++e) {
        s.pairs[e] = scree_default_sim_pair();
        s.pairs[e].stiffness = stiffness[e];
        s.pairs[e].restitution = 0.6;
        s.pairs[e].friction = 0.5;
    }
    s.def.box = s.set.box;
    s.def.gravity[0] = 0.1;
    s.def.order_every = 20;
    s.def.threads = 1;
    s.def.check = true;
    s.def.energies = true;
    s.def.giants = 1.5;
    s.each.group = s.group;
    if (plain) {
        s.def.stiffness = 20.0;
        s.def.restitution = 0.6;
        s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
        s.def.energies = false;
        return s;
    }
    s.each.material = s.material;
    return s;
}

static void point(system_of* s, bool plain)
{
    s->def.each = &s->each;
    s->def.search = &s->search;
    s->law.material_count = 2;
    s->law.pairs = s->pairs;
    s->def.law = plain ? NULL : &s->law;
}

static void free_system(system_of* s)
{
    scree_sphere_set_free(&s->set);
    free(s->v);
    free(s->material);
    free(s->group);
}

// The first `count` of the spheres.
static scree_sim* start(system_of* s, int32_t count)
{
    scree_spheres spheres = scree_sphere_set_view(&s->set);
    scree_sim* sim;
    spheres.count = count;
    CHECK_OK(scree_sim_create(&s->def, spheres, s->v, &sim));
    return sim;
}

static int64_t* ids_of(const scree_sim* sim)
{
    int64_t* ids = malloc(((size_t)scree_sim_get_count(sim) + 1) * sizeof *ids);
    CHECK_OK(scree_sim_get_column(sim, "id", ids));
    return ids;
}

static double* column_of(const scree_sim* sim, const char* name)
{
    double* values = malloc(((size_t)scree_sim_get_count(sim) + 1) * 3 * sizeof *values);
    CHECK_OK(scree_sim_get_column(sim, name, values));
    return values;
}

// ---- As if they had always been there --------------------------------------------------------------------------------

enum { late = 8 };  // spheres that fly in from above, where nothing touches them

static void add_late(system_of* s)
{
    int dim = s->set.dim;
    for (int32_t e = 0; e < late; ++e) {
        int32_t i = s->set.count - late + e;
        double width = s->set.box.upper[0] - s->set.box.lower[0];
        s->set.r[i] = 0.55 + 0.01 * e;
        for (int k = 0; k < dim; ++k) {
            s->set.x[i * dim + k] = k == 0 ? s->set.box.lower[0] + width * (e + 0.5) / late : k == dim - 1 ? s->set.box.upper[k] - 2.0 : 0.5 * (s->set.box.lower[k] + s->set.box.upper[k]);
            s->v[i * dim + k] = k == dim - 1 ? -1.5 : 0.0;
        }
    }
}

static void inserted_spheres_go_on_as_if_always_there(void** state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        int dim = 2 + way % 2;
        bool plain = way >= 2;
        system_of s = make_gas(dim, 200, 1, plain, 5 + (uint64_t)way);
        point(&s, plain);
        add_late(&s);
        int32_t n = s.set.count, first = n - late;
        scree_sim* whole = start(&s, n);
        double least = 10.0, largest = 0.0;
        for (int32_t i = first; i < n; ++i) {
            least = fmin(least, s.set.r[i]);
            largest = fmax(largest, s.set.r[i]);
        }
        s.def.time_step = scree_sim_get_numbers(whole).time_step;
        scree_sim* sim = start(&s, first);
        CHECK_OK(scree_sim_run(whole, 40));
        CHECK_OK(scree_sim_run(sim, 40));
        double *x = column_of(whole, "x"), *v = column_of(whole, "v"), *w = plain ? NULL : column_of(whole, "w");
        scree_sim_each each = scree_default_sim_each();
        each.material = plain ? NULL : s.material + first;
        each.group = s.group + first;
        each.spin = plain ? NULL : w + 3 * first;
        int64_t id = -1;
        scree_spheres more = {.count = late, .dim = dim, .x = x + (int64_t)first * dim, .r = s.set.r + first};
        CHECK_OK(scree_sim_insert(sim, more, v + (int64_t)first * dim, &each, &id));
        assert_int_equal(id, first);
        assert_int_equal(scree_sim_get_count(sim), n);
        assert_true(scree_sim_hash(sim) == scree_sim_hash(whole));
        CHECK_OK(scree_sim_validate(sim));
        bool same = true;
        for (int k = 0; k < 12 && same; ++k) {
            CHECK_OK(scree_sim_run(whole, 37));
            CHECK_OK(scree_sim_run(sim, 37));
            same = scree_sim_hash(sim) == scree_sim_hash(whole);
        }
        assert_true(same);
        scree_sim_contacts contacts;
        CHECK_OK(scree_sim_get_contacts(sim, &contacts));
        assert_true(contacts.pair_count > 20);
        free(x);
        free(v);
        free(w);
        scree_sim_destroy(whole);
        scree_sim_destroy(sim);
        free_system(&s);
    }
}

// A floor of triangles, on which contacts remember, a group that is driven and later released, and drag: all of them go on through the change.
static void shapes_and_loads_go_on(void** state)
{
    (void)state;
    system_of s = make_gas(3, 200, 0, false, 25);
    point(&s, false);
    add_late(&s);
    int32_t n = s.set.count, first = n - late;
    double z = s.set.box.lower[2];
    s.def.box.lower[2] -= 4.0;
    for (int32_t i = first; i < n; ++i)
        s.group[i] = 0;
    const double low[2] = {s.set.box.lower[0] - 5.0, s.set.box.lower[1] - 5.0}, high[2] = {s.set.box.upper[0] + 5.0, s.set.box.upper[1] + 5.0};
    double xyz[18] = {low[0], low[1], z, high[0], low[1], z, high[0], high[1], z, low[0], low[1], z, high[0], high[1], z, low[0], high[1], z};
    scree_triangles triangles = {.count = 2, .xyz = xyz};
    scree_surface_def made = scree_default_surface_def();
    scree_surface* surface;
    CHECK_OK(scree_surface_create(&made, &triangles, &surface));
    scree_sim_boundary base = scree_default_sim_boundary();
    base.surface = surface;
    s.def.boundaries = &base;
    s.def.boundary_count = 1;
    s.def.gravity[2] = -0.02;
    scree_sim* whole = start(&s, n);
    s.def.time_step = scree_sim_get_numbers(whole).time_step;
    scree_sim* sim = start(&s, first);
    scree_sim_load drive = scree_default_sim_load(), drag = scree_default_sim_load();
    drive.kind = SCREE_LOAD_VELOCITY;
    drive.target = 2;
    drag.kind = SCREE_LOAD_DRAG;
    drag.value.value[0] = 0.01;
    scree_sim* both[2] = {whole, sim};
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(scree_sim_run(both[k], 20));
        CHECK_OK(scree_sim_set_load(both[k], &drive));
        CHECK_OK(scree_sim_set_load(both[k], &drag));
        CHECK_OK(scree_sim_run(both[k], 20));
    }
    double *x = column_of(whole, "x"), *v = column_of(whole, "v"), *w = column_of(whole, "w");
    scree_sim_each each = scree_default_sim_each();
    each.material = s.material + first;
    each.group = s.group + first;
    each.spin = w + 3 * first;
    scree_spheres more = {.count = late, .dim = 3, .x = x + 3 * first, .r = s.set.r + first};
    uint64_t hash = scree_sim_hash(sim);
    EACH_ALLOCATION_FAILS(scree_sim_insert(sim, more, v + 3 * first, &each, NULL), assert_true(scree_sim_hash(sim) == hash));
    assert_true(scree_sim_hash(sim) == scree_sim_hash(whole));
    scree_sim_memory memory;
    CHECK_OK(scree_sim_get_memory(sim, &memory));
    int64_t on_floor = 0;
    for (int64_t c = 0; c < memory.count; ++c)
        on_floor += memory.ij[c][1] == -7;
    assert_true(on_floor > 3);
    for (int round = 0; round < 9; ++round) {
        for (int k = 0; k < 2; ++k)
            CHECK_OK(scree_sim_run(both[k], 41));
        assert_true(scree_sim_hash(sim) == scree_sim_hash(whole));
        if (round == 4)
            for (int k = 0; k < 2; ++k)
                CHECK_OK(scree_sim_release_group(both[k], 2));
        if (round == 7)
            for (int k = 0; k < 2; ++k)
                CHECK_OK(scree_sim_remove(both[k], 3, (const int64_t[]){5, 60, 198}));
    }
    CHECK_CLOSE(scree_sim_clearance(sim, (const double[]){5.0, 5.0, z + 0.25}), 0.25, 1e-12);
    scree_sim_destroy(whole);
    scree_sim_destroy(sim);
    scree_surface_destroy(surface);
    free(x);
    free(v);
    free(w);
    free_system(&s);
}

// A sphere that touches nothing is removed: the others cannot tell from a simulation that never had it, ids and all.
static void removed_spheres_are_as_never_there(void** state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        int dim = 2 + way % 2;
        bool plain = way >= 2;
        system_of s = make_gas(dim, 200, 1, plain, 15 + (uint64_t)way);
        point(&s, plain);
        add_late(&s);
        int32_t n = s.set.count;
        // The late ones are first by id, so that all ids of the others begin behind a gap.
        for (int32_t i = 0; i < late; ++i) {
            int32_t j = n - late + i;
            for (int k = 0; k < dim; ++k) {
                double x = s.set.x[i * dim + k], v = s.v[i * dim + k];
                s.set.x[i * dim + k] = s.set.x[j * dim + k];
                s.v[i * dim + k] = s.v[j * dim + k];
                s.set.x[j * dim + k] = x;
                s.v[j * dim + k] = v;
            }
            double r = s.set.r[i];
            s.set.r[i] = s.set.r[j];
            s.set.r[j] = r;
        }
        scree_sim* whole = start(&s, n);
        s.def.time_step = scree_sim_get_numbers(whole).time_step;
        int64_t ids[200];
        for (int32_t i = 0; i < n; ++i)
            ids[i] = i;
        scree_sim_each own = s.each;
        own.id = ids + late;
        own.material = plain ? NULL : s.material + late;
        own.group = s.group + late;
        scree_sim_def def = s.def;
        def.each = &own;
        scree_sim* without;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = n - late, .dim = dim, .x = s.set.x + late * dim, .r = s.set.r + late}, s.v + late * dim, &without));
        CHECK_OK(scree_sim_run(whole, 40));
        CHECK_OK(scree_sim_run(without, 40));
        CHECK_OK(scree_sim_remove(whole, late, ids));
        assert_int_equal(scree_sim_get_count(whole), n - late);
        for (int k = 0; k < 10; ++k) {
            assert_true(scree_sim_hash(whole) == scree_sim_hash(without));
            CHECK_OK(scree_sim_run(whole, 33));
            CHECK_OK(scree_sim_run(without, 33));
        }
        CHECK_OK(scree_sim_validate(whole));
        int64_t* left = ids_of(whole);
        for (int32_t i = 0; i < n - late; ++i)
            assert_int_equal(left[i], i + late);
        // Contacts by id, against distances by hand.
        scree_sim_contacts contacts, others;
        CHECK_OK(scree_sim_get_contacts(whole, &contacts));
        CHECK_OK(scree_sim_get_contacts(without, &others));
        assert_int_equal(contacts.count, others.count);
        assert_memory_equal(contacts.ij, others.ij, (size_t)contacts.count * sizeof *contacts.ij);
        double *x = column_of(whole, "x"), *r = column_of(whole, "radius"), length = s.set.box.upper[0] - s.set.box.lower[0];
        for (int64_t c = 0; c < contacts.pair_count; ++c) {
            int64_t i = contacts.ij[c][0] - late, j = contacts.ij[c][1] - late;
            double square = 0.0;
            for (int k = 0; k < dim; ++k) {
                double d = x[i * dim + k] - x[j * dim + k];
                d -= k == 0 ? length * rint(d / length) : 0.0;
                square += d * d;
            }
            CHECK_CLOSE(contacts.overlap[c], r[i] + r[j] - sqrt(square), 1e-12);
        }
        free(left);
        free(x);
        free(r);
        scree_sim_destroy(whole);
        scree_sim_destroy(without);
        free_system(&s);
    }
}

// ---- The same for every way -------------------------------------------------------------------------------------------

typedef struct tally {
    int64_t count;
    double mass, inserted, removed;
} tally;

// Spheres come and go by chance, also in the middle of others; the same ones whatever the way. `resume`: at this step another simulation goes on.
static uint64_t come_and_go(system_of* s, bool plain, int64_t resume, tally* out)
{
    int dim = s->set.dim;
    int32_t n = s->set.count;
    scree_sim* sim = start(s, n);
    scree_sim_report before = sim_report_of(sim);
    scree_rng rng = scree_rng_make(7, 1);
    for (int round = 0; round < 12; ++round) {
        CHECK_OK(scree_sim_run(sim, 17));
        int32_t here = scree_sim_get_count(sim);
        int64_t *ids = ids_of(sim), go[6];
        double *x = column_of(sim, "x"), *r = column_of(sim, "radius"), places[18], radii[6], v[18], gone = 0.0, come = 0.0;
        int32_t removed = round % 3 == 1 ? 0 : 6, inserted = 0;
        for (int32_t e = 0; e < removed; ++e) {
            int32_t i = (int32_t)(scree_rng_uniform(&rng) * (here / 6)) + e * (here / 6);
            go[e] = ids[i];
            gone += sim_test_mass(dim, 1.0, r[i]);
        }
        // Where there is room, by distances to all.
        for (int32_t e = 0; e < 400 && inserted < (round % 3 == 2 ? 0 : 5); ++e) {
            double* to = places + inserted * dim;
            radii[inserted] = 0.5 + 0.5 * scree_rng_uniform(&rng);
            for (int k = 0; k < dim; ++k)
                to[k] = s->set.box.lower[k] + radii[inserted] + scree_rng_uniform(&rng) * (s->set.box.upper[k] - s->set.box.lower[k] - 2.0 * radii[inserted]);
            bool free_place = true;
            for (int32_t i = 0; i < here + inserted && free_place; ++i) {
                double square = 0.0, sum = radii[inserted] + (i < here ? r[i] : radii[i - here]);
                for (int k = 0; k < dim; ++k) {
                    double d = to[k] - (i < here ? x[i * dim + k] : places[(i - here) * dim + k]), length = s->set.box.upper[k] - s->set.box.lower[k];
                    d -= s->set.box.periodic[k] ? length * rint(d / length) : 0.0;
                    square += d * d;
                }
                free_place = square > sum * sum;
            }
            for (int k = 0; k < dim; ++k)
                v[inserted * dim + k] = scree_rng_uniform(&rng) - 0.5;
            if (free_place)
                come += sim_test_mass(dim, 1.0, radii[inserted++]);
        }
        scree_sim_each each = scree_default_sim_each();
        each.material = plain ? NULL : s->material;
        each.group = s->group;
        scree_spheres more = {.count = inserted, .dim = dim, .x = places, .r = radii};
        CHECK_OK(scree_sim_exchange(sim, removed, go, more, v, &each, NULL));
        CHECK_OK(scree_sim_validate(sim));
        out->inserted += come;
        out->removed += gone;
        free(ids);
        free(x);
        free(r);
        if (round == resume) {
            int32_t now = scree_sim_get_count(sim);
            ids = ids_of(sim);
            x = column_of(sim, "x");
            r = column_of(sim, "radius");
            uint16_t *material = calloc((size_t)now, 2), *group = calloc((size_t)now, 2);
            CHECK_OK(scree_sim_get_column(sim, "group", group));
            if (!plain)
                CHECK_OK(scree_sim_get_column(sim, "material", material));
            scree_sim_each own = scree_default_sim_each();
            own.group = group;
            own.material = plain ? NULL : material;
            own.id = ids;
            scree_sim_def def = s->def;
            def.each = &own;
            def.time_step = scree_sim_get_numbers(sim).time_step;
            scree_sim* other;
            CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = now, .dim = dim, .x = x, .r = r}, NULL, &other));
            sim_hand_over(sim, other);
            assert_true(scree_sim_hash(other) == scree_sim_hash(sim));
            scree_sim_destroy(sim);
            sim = other;
            free(ids);
            free(x);
            free(r);
            free(material);
            free(group);
        }
    }
    CHECK_OK(scree_sim_run(sim, 30));
    uint64_t hash = scree_sim_hash(sim);
    scree_sim_report after = sim_report_of(sim);
    out->count = scree_sim_get_count(sim);
    double* r = column_of(sim, "radius");
    for (int32_t i = 0; i < scree_sim_get_count(sim); ++i)
        out->mass += sim_test_mass(dim, 1.0, r[i]);
    free(r);
    assert_int_equal(n + after.flow.inserted - after.flow.removed, out->count);
    CHECK_CLOSE(after.flow.mass_inserted, out->inserted, 1e-10);
    CHECK_CLOSE(after.flow.mass_removed, out->removed, 1e-10);
    CHECK_CLOSE(scree_sim_get_numbers(sim).mass, out->mass, 1e-9 * out->mass);
    if (s->def.energies) {
        double sum[2];
        for (int k = 0; k < 2; ++k) {
            const scree_sim_report* e = k == 0 ? &before : &after;
            sum[k] = (e->energy_kinetic + e->energy_rotation + e->energy_contact) +
                     (e->dissipated_normal + e->dissipated_tangential + e->dissipated_rolling + e->dissipated_twisting) -
                     (e->work_walls + e->work_gravity + e->work_forces) - e->flow.energy_inserted + e->flow.energy_removed;
        }
        CHECK_CLOSE(sum[1], sum[0], 2e-3 * before.energy_kinetic);
    }
    scree_sim_destroy(sim);
    return hash;
}

static void one_hash_for_every_way(void** state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        bool plain = way >= 2;
        system_of s = make_gas(2 + way % 2, 150, way == 1 ? 7 : 1, plain, 3 + (uint64_t)way);
        point(&s, plain);
        scree_sim_later later = scree_default_sim_later();
        const double radii[2] = {0.5, 1.7};
        const uint16_t materials[2] = {0, 0};
        later.count = 2;
        later.r = radii;
        later.material = materials;
        s.def.later = &later;
        tally first = {0};
        uint64_t wanted = come_and_go(&s, plain, -1, &first);
        double start_mass = 0.0;
        for (int32_t i = 0; i < s.set.count; ++i)
            start_mass += sim_test_mass(s.set.dim, 1.0, s.set.r[i]);
        CHECK_CLOSE(first.mass, start_mass + first.inserted - first.removed, 1e-9 * start_mass);
        assert_true(first.inserted > 5.0 && first.removed > 5.0);
        const struct {
            int32_t method, backend, threads;
            double skin;
            int64_t resume;
        } ways[] = {{SCREE_METHOD_ALL_PAIRS, 0, 1, -1.0, -1}, {SCREE_METHOD_LINKED_CELLS, 0, 3, 0.3, 4}, {SCREE_METHOD_HIERARCHICAL_GRID, SCREE_BACKEND_REFERENCE, 1, 0.0, 7}, {SCREE_METHOD_LOOSE_OCTREE, 0, 2, 0.0, 0}};
        for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k) {
            tally again = {0};
            s.search.method = ways[k].method;
            s.search.skin = ways[k].skin;
            s.def.backend = ways[k].backend;
            s.def.threads = ways[k].threads;
            assert_true(come_and_go(&s, plain, ways[k].resume, &again) == wanted);
        }
        free_system(&s);
    }
}

// More spheres than a block holds, so that blocks, threads and desks change while it runs.
static void blocks_come_and_go(void** state)
{
    (void)state;
    uint64_t wanted = 0;
    for (int way = 0; way < 3; ++way) {
        scree_sphere_set set = sim_gas(2, 6000, 1.5, 0.4, true, 4);
        double* v = sim_thermal(scree_sphere_set_view(&set), 0.05, 4);
        scree_sim_def def = scree_default_sim_def();
        def.box = set.box;
        def.stiffness = 50.0;
        def.restitution = 0.8;
        def.threads = way == 0 ? 1 : way == 1 ? 2 : 5;
        def.backend = way == 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
        scree_sim* sim;
        scree_spheres half = scree_sphere_set_view(&set), rest = half;
        half.count = 2000;
        rest.count = 4000;
        rest.x += 2000 * 2;
        rest.r += 2000;
        scree_sim_later later = scree_default_sim_later();
        later.count = 6000;
        later.r = set.r;
        def.later = &later;
        CHECK_OK(scree_sim_create(&def, half, v, &sim));
        CHECK_OK(scree_sim_insert(sim, rest, v + 4000, NULL, NULL));
        CHECK_OK(scree_sim_run(sim, 20));
        int64_t* ids = malloc(4500 * sizeof *ids);
        for (int64_t i = 0; i < 4500; ++i)
            ids[i] = i + 1000;
        CHECK_OK(scree_sim_remove(sim, 4500, ids));
        CHECK_OK(scree_sim_run(sim, 20));
        CHECK_OK(scree_sim_validate(sim));
        assert_int_equal(scree_sim_get_count(sim), 1500);
        uint64_t hash = scree_sim_hash(sim);
        assert_true(way == 0 || hash == wanted);
        wanted = hash;
        free(ids);
        free(v);
        scree_sim_destroy(sim);
        scree_sphere_set_free(&set);
    }
}

// ---- From nothing to nothing --------------------------------------------------------------------------------------------

static void an_empty_simulation_fills_and_empties(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scree_sim_def def = scree_default_sim_def();
        scree_sim_later later = scree_default_sim_later();
        double radii[3] = {0.5, 1.0, 0.7}, x[9] = {1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 5.0, 5.0, 5.0}, x2[6] = {1.0, 1.0, 3.0, 3.0, 5.0, 5.0};
        def.box = sim_cube(dim, 10.0, false);
        def.gravity[dim - 1] = -1.0;
        def.stiffness = 100.0;
        def.restitution = 0.5;
        later.count = 2;
        later.r = radii;
        def.later = &later;
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.dim = dim}, NULL, &sim));
        scree_sim_numbers n = scree_sim_get_numbers(sim);
        // Two of the lightest: pi sqrt(mu / k) with losses.
        swing two = swing_of(100.0, dashpot_of(100.0, 0.5, 0.5 * sim_test_mass(dim, 1.0, 0.5)), 0.5 * sim_test_mass(dim, 1.0, 0.5));
        CHECK_CLOSE(n.time_step, two.duration / 50.0, 1e-12);
        CHECK_CLOSE(n.giant_radius, 32.0, 0.0);
        CHECK_OK(scree_sim_run(sim, 5));
        scree_spheres three = {.count = 3, .dim = dim, .x = dim == 3 ? x : x2, .r = radii};
        int64_t first;
        CHECK_OK(scree_sim_insert(sim, three, NULL, NULL, &first));
        assert_int_equal(first, 0);
        CHECK_OK(scree_sim_run(sim, 2000));
        CHECK_OK(scree_sim_remove(sim, 3, (const int64_t[]){2, 0, 1}));
        assert_int_equal(scree_sim_get_count(sim), 0);
        CHECK_OK(scree_sim_run(sim, 5));
        scree_sim_report report = sim_report_of(sim);
        assert_int_equal(report.contacts + report.wall_contacts, 0);
        CHECK_CLOSE(report.flow.mass_inserted, report.flow.mass_removed, 1e-12);
        CHECK_OK(scree_sim_insert(sim, three, NULL, NULL, &first));
        assert_int_equal(first, 3);
        int64_t* ids = ids_of(sim);
        assert_true(ids[0] == 3 && ids[2] == 5);
        free(ids);
        CHECK_OK(scree_sim_run(sim, 200));
        CHECK_OK(scree_sim_validate(sim));
        // One comes back elsewhere under its own id.
        scree_sim_each each = scree_default_sim_each();
        each.id = (const int64_t[]){4};
        CHECK_OK(scree_sim_exchange(sim, 1, each.id, (scree_spheres){.count = 1, .dim = dim, .x = (const double[]){8.0, 8.0, 8.0}, .r = radii + 1}, NULL, &each, &first));
        assert_int_equal(first, 4);
        ids = ids_of(sim);
        assert_true(ids[0] == 3 && ids[1] == 4 && ids[2] == 5);
        free(ids);
        CHECK_OK(scree_sim_run(sim, 200));
        assert_int_equal(sim_report_of(sim).flow.next_id, 6);
        scree_sim_destroy(sim);
    }
}

// The half step after a removal is without the removed sphere: one that lay between two others has held them apart by springs, and they are in free flight from then on.
static void removed_partners_push_no_more(void** state)
{
    (void)state;
    scree_sim_def def = scree_default_sim_def();
    const double x[9] = {0.0, 0.0, 0.0, 1.8, 0.0, 0.0, 3.6, 0.0, 0.0}, r[3] = {1.0, 1.0, 1.0};
    def.stiffness = 100.0;
    def.restitution = 0.5;
    scree_sim* sim;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 3, .dim = 3, .x = x, .r = r}, NULL, &sim));
    scree_sim_report before = sim_report_of(sim);
    CHECK_OK(scree_sim_remove(sim, 1, (const int64_t[]){1}));
    scree_sim_report after = sim_report_of(sim);
    CHECK_CLOSE(after.flow.energy_removed, before.energy_contact, 1e-12);
    CHECK_CLOSE(after.energy_contact, 0.0, 0.0);
    CHECK_OK(scree_sim_run(sim, 100));
    double* now = column_of(sim, "x");
    assert_true(now[0] == 0.0 && now[3] == 3.6);
    free(now);
    scree_sim_destroy(sim);
}

// ---- What is refused ------------------------------------------------------------------------------------------------------

static void what_does_not_fit_is_refused(void** state)
{
    (void)state;
    system_of s = make_gas(2, 40, 1, false, 3);
    point(&s, false);
    s.def.law = &s.law;
    scree_sim* sim = start(&s, 40);
    scree_sim* twin = start(&s, 40);
    double place[2] = {0.5 * s.set.box.upper[0], s.set.box.upper[1] - 1.0}, r = 0.6, v[2] = {0.0, 0.0};
    scree_spheres one = {.count = 1, .dim = 2, .x = place, .r = &r};
    scree_sim_each each = scree_default_sim_each();
    CHECK_FAILS(scree_sim_remove(sim, 1, (const int64_t[]){40}), SCREE_ERR_ARGUMENT, "sphere 40");
    CHECK_FAILS(scree_sim_remove(sim, 1, (const int64_t[]){-1}), SCREE_ERR_ARGUMENT, "sphere -1");
    CHECK_FAILS(scree_sim_remove(sim, 2, (const int64_t[]){3, 3}), SCREE_ERR_ARGUMENT, "sphere 3");
    CHECK_FAILS(scree_sim_remove(sim, 1, NULL), SCREE_ERR_ARGUMENT, "ids");
    CHECK_FAILS(scree_sim_remove(sim, -1, NULL), SCREE_ERR_ARGUMENT, "-1");
    CHECK_FAILS(scree_sim_remove(NULL, 0, NULL), SCREE_ERR_ARGUMENT, "sim");
    r = 0.01;
    CHECK_FAILS(scree_sim_insert(sim, one, v, NULL, NULL), SCREE_ERR_ARGUMENT, "sphere 40", "0.01");
    r = 0.6;
    v[1] = NAN;
    CHECK_FAILS(scree_sim_insert(sim, one, v, NULL, NULL), SCREE_ERR_ARGUMENT, "sphere 40", "y");
    v[1] = 0.0;
    place[1] = s.set.box.upper[1] + 1.0;
    CHECK_FAILS(scree_sim_insert(sim, one, v, NULL, NULL), SCREE_ERR_ARGUMENT, "sphere 0");
    place[1] = s.set.box.upper[1] - 1.0;
    each.material = (const uint16_t[]){2};
    CHECK_FAILS(scree_sim_insert(sim, one, v, &each, NULL), SCREE_ERR_ARGUMENT, "sphere 40", "material 2");
    each.material = NULL;
    each.id = (const int64_t[]){39};
    CHECK_FAILS(scree_sim_insert(sim, one, v, &each, NULL), SCREE_ERR_ARGUMENT, "39");
    each.id = (const int64_t[]){-4};
    CHECK_FAILS(scree_sim_insert(sim, one, v, &each, NULL), SCREE_ERR_ARGUMENT, "-4");
    each.id = NULL;
    each.fixed = (const uint8_t[]){2};
    CHECK_FAILS(scree_sim_insert(sim, one, v, &each, NULL), SCREE_ERR_ARGUMENT, "sphere 40", "2");
    each.fixed = NULL;
    each.struct_size = 4;
    CHECK_FAILS(scree_sim_insert(sim, one, v, &each, NULL), SCREE_ERR_ARGUMENT, "4");
    each = scree_default_sim_each();
    each.material_density = (const double[]){0.0};
    CHECK_FAILS(scree_sim_insert(sim, one, v, &each, NULL), SCREE_ERR_ARGUMENT, "sphere 40", "0");
    scree_spheres flat = one;
    flat.dim = 3;
    CHECK_FAILS(scree_sim_insert(sim, flat, NULL, NULL, NULL), SCREE_ERR_ARGUMENT, "3");
    CHECK_OK(scree_sim_insert(sim, (scree_spheres){0}, NULL, NULL, NULL));
    assert_true(scree_sim_hash(sim) == scree_sim_hash(twin));
    CHECK_OK(scree_sim_run(sim, 100));
    CHECK_OK(scree_sim_run(twin, 100));
    assert_true(scree_sim_hash(sim) == scree_sim_hash(twin));
    scree_sim_destroy(twin);
    scree_sim_destroy(sim);

    scree_sim_bonds_def bonds = scree_default_sim_bonds_def();
    scree_sim_bond kind = scree_default_sim_bond();
    kind.gap = 0.5;
    kind.young = 10.0;
    bonds.kind_count = 1;
    bonds.kinds = &kind;
    s.def.bonds = &bonds;
    sim = start(&s, 40);
    CHECK_FAILS(scree_sim_remove(sim, 1, (const int64_t[]){3}), SCREE_ERR_UNSUPPORTED, "bonds");
    scree_sim_destroy(sim);
    free_system(&s);
}

static void memory_that_runs_out_changes_nothing(void** state)
{
    (void)state;
    for (int way = 0; way < 3; ++way) {
        bool plain = way == 1;
        system_of s = make_gas(2, 60, 1, plain, 8);
        point(&s, plain);
        s.def.check = false;
        s.def.backend = way == 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
        scree_sim *sim = start(&s, 60), *twin = start(&s, 60);
        CHECK_OK(scree_sim_run(sim, 30));
        CHECK_OK(scree_sim_run(twin, 30));
        uint64_t hash = scree_sim_hash(sim);
        double place[2] = {0.5 * s.set.box.upper[0], s.set.box.upper[1] - 1.0}, r = 0.6;
        scree_spheres one = {.count = 1, .dim = 2, .x = place, .r = &r};
        const int64_t go[3] = {7, 21, 40};
        EACH_ALLOCATION_FAILS(scree_sim_exchange(sim, 3, go, one, NULL, NULL, NULL), {
            assert_true(scree_sim_hash(sim) == hash);
            assert_int_equal(scree_sim_get_count(sim), 60);
            if (each_n % 5 == 0)
                CHECK_OK(scree_sim_validate(sim));
        });
        CHECK_OK(scree_sim_exchange(twin, 3, go, one, NULL, NULL, NULL));
        CHECK_OK(scree_sim_run(sim, 100));
        CHECK_OK(scree_sim_run(twin, 100));
        assert_true(scree_sim_hash(sim) == scree_sim_hash(twin));
        scree_sim_destroy(sim);
        scree_sim_destroy(twin);
        free_system(&s);
    }
}

static const test_case cases[] = {
    UNIT(inserted_spheres_go_on_as_if_always_there),
    ALLOCATION(shapes_and_loads_go_on),
    UNIT(removed_spheres_are_as_never_there),
    SAME_BITS(one_hash_for_every_way),
    THREADS(blocks_come_and_go),
    UNIT(an_empty_simulation_fills_and_empties),
    UNIT(removed_partners_push_no_more),
    UNIT(what_does_not_fit_is_refused),
    ALLOCATION(memory_that_runs_out_changes_nothing),
};

const test_group group_insert = {.name = "insert", .cases = cases, .count = sizeof cases / sizeof *cases};
