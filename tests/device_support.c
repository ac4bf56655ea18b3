// Systems that tests of devices run on the processor and on a device, and the comparison.
#include "device_support.h"

#include "device/emulate.h"
#include "sim/sim_inner.h"

device_system device_make(int dim, int32_t count, double ratio, double density, bool periodic, int loss, uint64_t seed)
{
    device_system s = {.set = sim_gas(dim, count, ratio, density, periodic, seed), .def = scree_default_sim_def(), .each = scree_default_sim_each(), .search = scree_default_index_def()};
    for (int32_t i = 0; i < count; ++i)
        s.set.r[i] *= 1.06;  // some touch from the start
    for (int32_t i = 0; i < count && !periodic; ++i)
        for (int k = 0; k < dim; ++k)
            s.set.x[(int64_t)i * dim + k] = fmin(fmax(s.set.x[(int64_t)i * dim + k], 0.9 * s.set.r[i]), s.set.box.upper[k] - 0.9 * s.set.r[i]);
    s.v = sim_thermal(scree_sphere_set_view(&s.set), 0.02, seed);
    s.def.box = s.set.box;
    s.def.stiffness = 20.0;
    s.def.restitution = loss == 1 ? 0.7 : 0.0;
    s.def.damping = loss == 2 ? 0.2 : 0.0;
    s.def.order_every = 37;
    s.def.threads = 1;
    s.def.gravity[dim - 1] = periodic ? 0.0 : -0.01;
    return s;
}

void device_keep_round(device_system* s, double radius, bool cylinder)
{
    const double middle = 0.5 * s->set.box.upper[0];
    int32_t kept = 0;
    for (int32_t i = 0; i < s->set.count; ++i) {
        const double* x = s->set.x + 3 * (int64_t)i;
        if (hypot(hypot(x[0] - middle, x[1] - middle), cylinder ? 0.0 : x[2] - middle) + 0.97 * s->set.r[i] > radius)
            continue;
        memmove(s->set.x + 3 * (int64_t)kept, x, 3 * sizeof *x);
        memmove(s->v + 3 * (int64_t)kept, s->v + 3 * (int64_t)i, 3 * sizeof *s->v);
        s->set.r[kept++] = s->set.r[i];
    }
    s->set.count = kept;
}

void device_free(device_system* s)
{
    scree_sphere_set_free(&s->set);
    free(s->v);
    free(s->material);
    free(s->fixed);
    free(s->force);
    free(s->spin);
    free(s->group);
}

void device_point(device_system* s)
{
    s->each.material = s->material;
    s->each.fixed = s->fixed;
    s->each.force = s->force;
    s->each.spin = s->spin;
    s->each.group = s->group;
    s->def.each = &s->each;
    s->def.search = &s->search;
    if (s->law.struct_size > 0) {
        s->law.pairs = s->pairs;
        s->law.materials = s->materials[0].struct_size > 0 ? s->materials : NULL;
        s->def.law = &s->law;
    }
}

scree_sim* device_start(device_system* s, int32_t device)
{
    scree_sim* sim = NULL;
    device_point(s);
    s->def.device = device;
    CHECK_OK(scree_sim_create(&s->def, scree_sphere_set_view(&s->set), s->v, &sim));
    return sim;
}

int device_watched, device_brief;  // overlaps that both have reported

void device_check_same(const char* name, scree_sim* a, scree_sim* b)
{
    static const char* const columns[] = {"x", "v", "a", "key", "w", "angular_acceleration", "x_before", "force", "material", "flags", "radius", "inverse_mass"};
    if (scree_sim_hash(a) != scree_sim_hash(b) || scree_sim_get_step(a) != scree_sim_get_step(b))
        fail_msg("%s: at step %lld the hash is %016llx; %016llx of the processor at step %lld was expected", name, (long long)scree_sim_get_step(b), (unsigned long long)scree_sim_hash(b),
                 (unsigned long long)scree_sim_hash(a), (long long)scree_sim_get_step(a));
    int32_t n = scree_sim_get_count(a);
    char *one = calloc((size_t)n * 3 + 1, 8), *other = calloc((size_t)n * 3 + 1, 8);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c) {
        if (sim_find_column(a, columns[c]) == NULL)
            continue;
        CHECK_OK(scree_sim_get_column(a, columns[c], one));
        CHECK_OK(scree_sim_get_column(b, columns[c], other));
        if (memcmp(one, other, (size_t)n * sim_column_width(a, sim_find_column(a, columns[c]))) != 0)
            fail_msg("%s: column %s differs from the processor's at step %lld", name, columns[c], (long long)scree_sim_get_step(a));
    }
    free(one);
    free(other);
    scree_sim_contacts p, q;
    CHECK_OK(scree_sim_get_contacts(a, &p));
    CHECK_OK(scree_sim_get_contacts(b, &q));
    assert_int_equal(p.count, q.count);
    if (p.count > 0)
        assert_memory_equal(p.ij, q.ij, (size_t)p.count * sizeof *p.ij);
    if (p.count > 0 && p.force != NULL)
        assert_memory_equal(p.force, q.force, (size_t)p.count * sizeof *p.force);
    if (memcmp(a->account, b->account, sizeof a->account) != 0)
        for (int k = 0; k < 2 * sim_accounts; ++k)
            if (a->account[k] != b->account[k])
                fail_msg("%s: account %d is %.17g at step %lld; %.17g of the processor was expected", name, k, b->account[k], (long long)scree_sim_get_step(b), a->account[k]);
    assert_memory_equal(a->loads.dissipated, b->loads.dissipated, sizeof a->loads.dissipated);
    assert_memory_equal(a->loads.next, b->loads.next, sizeof a->loads.next);
    scree_sim_report r = sim_report_of(a), t = sim_report_of(b);
    assert_int_equal(r.contacts, t.contacts);
    scree_sim_overlaps deep, deep_too;
    if (a->def.watch_overlaps > 0.0) {
        CHECK_OK(scree_sim_take_overlaps(a, &deep));
        CHECK_OK(scree_sim_take_overlaps(b, &deep_too));
        assert_memory_equal(&deep, &deep_too, sizeof deep);
        device_watched += deep.deepest.relative > 0.0;
        device_brief += deep.shortest.duration < INFINITY;
    }
}

int32_t device_tested(void)
{
    const char* given = getenv("SCREE_TEST_DEVICE");
    return given != NULL && strcmp(given, "cuda") == 0 ? SCREE_DEVICE_CUDA : SCREE_DEVICE_EMULATE;
}

void device_compare(const char* name, device_system* s, int64_t steps)
{
    device_compare_sims(name, device_start(s, SCREE_DEVICE_NONE), device_start(s, device_tested()), steps);
}

void device_compare_sims(const char* name, scree_sim* a, scree_sim* b, int64_t steps)
{
    assert_int_equal(scree_sim_get_device(b), device_tested());
    for (int part = 0; part < 3; ++part) {
        const bool halts = part == 1;  // sums of energies are rounded at every halt, so that both must have the same ones
        CHECK_OK(scree_sim_run(a, halts && sim_has_sums(a) ? 1 : steps / 3));
        CHECK_OK(scree_sim_run(b, halts ? 1 : steps / 3));
        if (halts && sim_has_sums(a))
            CHECK_OK(scree_sim_run(a, steps / 3 - 1));
        if (halts)
            CHECK_OK(scree_sim_run(b, steps / 3 - 1));
        device_check_same(name, a, b);
    }
    if (sim_report_of(a).contacts == 0)
        fail_msg("%s: there are no contacts, so that nothing was compared", name);
    scree_sim_destroy(a);
    scree_sim_destroy(b);
}

void device_set_tiny(uint64_t seed)
{
    emulate_set(&(emulate_sizes){.lanes = seed % 3 == 0 ? 8 : seed % 3 == 1 ? 4 : 36, .warp = 4, .short_row = seed % 5 == 0 ? 20 : 2, .long_warp = 6, .stage = 3, .ranges = 2, .flush = 1, .crowd = 2, .together = 8,
                                 .batch = 1 + (int32_t)(seed % 7), .few = seed % 2 == 0 ? 100 : 1000, .seed = seed});
}

const char* device_choose_law(device_system* s, int number)
{
    s->law = scree_default_sim_law();
    s->law.material_count = 2;
    s->law.name = "linear";
    for (int e = 0; e < 4; ++e) {
        scree_sim_pair* p = &s->pairs[e];
        *p = scree_default_sim_pair();
        p->stiffness = 20.0 + (e == 3);
        p->restitution = 0.8;
        p->friction = 0.4 + 0.1 * (e == 0);
    }
    for (int m = 0; m < 2; ++m) {
        s->materials[m] = scree_default_sim_material();
        s->materials[m].young = 60.0 + 10.0 * m;
        s->materials[m].poisson = 0.3;
    }
    s->def.stiffness = s->def.restitution = s->def.damping = 0.0;
    s->def.speed = number >= 4 && number <= 9 ? 0.01 : 0.0;
    s->def.time_step = number >= 4 && number <= 9 ? 0.05 : 0.005;
    bool curved = number >= 4 && number <= 9;
    for (int e = 0; e < 4; ++e) {
        scree_sim_pair* p = &s->pairs[e];
        if (curved)
            p->stiffness = 0.0;
        switch (number) {
        case 1:
            p->friction_dynamic = 0.3;
            p->rolling_friction = 0.1;
            break;
        case 2:
            p->rolling_friction = 0.1;
            p->rolling_damping = 0.2;
            p->twisting_friction = 0.05;
            break;
        case 3:
            p->restitution = 0.0;
            s->law.no_pull = true;
            break;
        case 4:
            p->friction = 0.0;
            break;
        case 6:
            p->rolling_friction = 0.1;
            p->restitution = 0.0;
            p->viscous_time = 0.01;
            break;
        case 7:
        case 8:
            p->surface_energy = 0.05;
            p->friction = number == 7 ? 0.3 : 0.0;
            break;
        case 9:
            p->surface_energy = 0.05;
            p->friction = 0.3;
            break;
        case 10:
            p->k2 = 50.0;
            p->kc = 10.0;
            p->plastic_depth = 0.1;
            break;
        case 11:
            p->bridge_volume = 0.001;
            p->surface_tension = 0.1;
            p->wetting_angle = 0.3;
            break;
        case 12:
            p->twisting_friction = 0.05;
            s->law.twisting = "marshall";
            break;
        default:
            break;
        }
    }
    static const char* const names[] = {"friction", "rolling", "twisting", "no pull, no damping", "hertz", "mindlin", "viscoelastic, rolling", "jkr, friction", "jkr", "dmt, friction", "plastic",
                                        "bridge", "marshall"};
    if (number >= (int)(sizeof names / sizeof *names))
        return NULL;
    if (curved)
        s->law.name = number == 7 || number == 8 ? "jkr" : number == 9 ? "dmt" : "hertz";
    if (number == 10)
        s->law.name = "plastic";
    return names[number];
}

