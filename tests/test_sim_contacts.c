// Contacts of a simulation as data: those of all images, their forces and energies.
#include "sim_support.h"

// ---- Contacts as data -----------------------------------------------------------------------------------------------------

typedef struct reference {
    scree_box box;
    int dim;
    int32_t count;
    const double *x, *v, *r;
    double density, k, restitution;
} reference;

// The kinetic energy relative to the centre of mass.
static double energy_of_motion(const reference* it, const scree_sim_report* report)
{
    double mass = 0.0;
    for (int32_t i = 0; i < it->count; ++i)
        mass += sim_test_mass(it->dim, it->density, it->r[i]);
    return report->energy_kinetic - dot3(report->momentum, report->momentum) / (2.0 * mass);
}

// What entry c says, against the definition. How much it adds to the acceleration of its spheres goes into `a`. Gives the force along the
// normal by x and v of the state; `same`: that is the force reported too (it is that of the last step, which damping computes from predicted
// velocities).
static double check_contact(const reference* it, const scree_sim_contacts* got, int64_t c, bool same, double (*a)[3])
{
    int64_t i = got->ij[c][0], j = got->ij[c][1];
    double d[3] = {0.0}, u[3] = {0.0}, mass = sim_test_mass(it->dim, it->density, it->r[i]), mu = mass, overlap, normal[3];
    if (j >= 0) {
        for (int k = 0; k < it->dim; ++k) {
            double length = it->box.periodic[k] ? it->box.upper[k] - it->box.lower[k] : 0.0;
            d[k] = it->x[i * it->dim + k] - it->x[j * it->dim + k] - (got->shift != NULL ? got->shift[c][k] : 0) * length;
            u[k] = it->v[i * it->dim + k] - it->v[j * it->dim + k];
        }
        double distance = sqrt(dot3(d, d)), other = sim_test_mass(it->dim, it->density, it->r[j]);
        mu = mass * other / (mass + other);
        overlap = it->r[i] + it->r[j] - distance;
        for (int k = 0; k < 3; ++k)
            normal[k] = d[k] / distance;
    } else {
        int face = (int)(-1 - j), axis = face / 2;
        for (int k = 0; k < 3; ++k) {
            normal[k] = k != axis ? 0.0 : face & 1 ? -1.0 : 1.0;
            u[k] = k < it->dim ? it->v[i * it->dim + k] : 0.0;
        }
        double at = face & 1 ? it->box.upper[axis] : it->box.lower[axis];
        overlap = it->r[i] - normal[axis] * (it->x[i * it->dim + axis] - at);
        if (got->shift != NULL)
            assert_true(got->shift[c][0] == 0 && got->shift[c][1] == 0 && got->shift[c][2] == 0);
    }
    double g = it->restitution > 0.0 ? dashpot_of(it->k, it->restitution, mu) : 0.0, force = it->k * overlap - g * dot3(u, normal);
    assert_true(overlap > 0.0);
    CHECK_CLOSE(got->overlap[c], overlap, 1e-13);
    CHECK_CLOSE(dot3(got->normal[c], got->normal[c]), 1.0, 1e-14);
    for (int k = 0; k < 3; ++k) {
        CHECK_CLOSE(got->normal[c][k], normal[k], 1e-13);
        if (same)
            CHECK_CLOSE(got->force[c][k], force * normal[k], 1e-11 * it->k);
        a[i][k] += got->force[c][k] / mass;
        if (j >= 0)
            a[j][k] -= got->force[c][k] / sim_test_mass(it->dim, it->density, it->r[j]);
    }
    return force;
}

// All contacts there are: over all pairs, images and walls.
static int64_t count_contacts(const reference* it)
{
    int64_t count = 0;
    for (int32_t i = 0; i < it->count; ++i) {
        for (int face = 0; face < 2 * it->dim; ++face) {
            double x = it->x[i * it->dim + face / 2];
            if (!it->box.periodic[face / 2])
                count += face & 1 ? it->box.upper[face / 2] - x < it->r[i] : x - it->box.lower[face / 2] < it->r[i];
        }
        for (int32_t j = i; j < it->count; ++j)
            for (int code = 0; code < 9 * 9 * 9; ++code) {
                int shift[3] = {code % 9 - 4, code / 9 % 9 - 4, code / 81 - 4};
                double square = 0.0;
                bool is_image = true, is_half = i != j;  // of a sphere and itself one of each two
                for (int k = 2; k >= 0; --k) {
                    is_image = is_image && (shift[k] == 0 || (k < it->dim && it->box.periodic[k]));
                    is_half = is_half || shift[k] > 0;
                }
                if (!is_image || (i == j && (code == 4 + 36 + 324 || code < 4 + 36 + 324)) || !is_half)
                    continue;
                for (int k = 0; k < it->dim; ++k) {
                    double d = it->x[i * it->dim + k] - it->x[j * it->dim + k] - shift[k] * (it->box.upper[k] - it->box.lower[k]);
                    square += d * d;
                }
                count += square < (it->r[i] + it->r[j]) * (it->r[i] + it->r[j]);
            }
    }
    return count;
}

static bool in_order(const scree_sim_contacts* got, int64_t c)
{
    for (int e = 0; e < 2; ++e)
        if (got->ij[c - 1][e] != got->ij[c][e])
            return e == 1 && got->ij[c][1] < 0 ? got->ij[c - 1][e] > got->ij[c][e] : got->ij[c - 1][e] < got->ij[c][e];
    for (int k = 0; k < 3; ++k)
        if (got->shift[c - 1][k] != got->shift[c][k])
            return got->shift[c - 1][k] < got->shift[c][k];
    return false;
}

// Boxes barely larger than the largest sphere, so that pairs touch through several images; walls on some axes.
static void contacts_are_those_of_all_images(void** state)
{
    (void)state;
    int64_t several = 0, all = 0, walls = 0;
    for (int c = 0; c < (int)(150 * test_effort()) + 30; ++c) {
        scree_rng rng = scree_rng_make((uint64_t)c, 51);
        int dim = 2 + c % 2;
        int32_t count = 1 + (int32_t)scree_rng_below(&rng, 8);
        double x[24], v[24], r[8], largest = 0.0;
        for (int32_t i = 0; i < count; ++i) {
            r[i] = sim_between(&rng, 0.2, 1.0);
            largest = fmax(largest, r[i]);
        }
        scree_sim_def def = scree_default_sim_def();
        def.box = sim_cube(dim, 1.0, false);
        for (int k = 0; k < dim; ++k) {
            def.box.periodic[k] = c % 5 == 0 ? false : scree_rng_below(&rng, 4) > 0;
            def.box.lower[k] = sim_between(&rng, -1.0, 1.0);
            def.box.upper[k] = def.box.lower[k] + 2.0 * largest * sim_between(&rng, 1.001, 1.5);
        }
        for (int32_t e = 0; e < count * dim; ++e) {
            x[e] = sim_between(&rng, def.box.lower[e % dim], def.box.upper[e % dim]);
            v[e] = sim_between(&rng, -1e-2, 1e-2);
        }
        def.material_density = 2.0;
        def.stiffness = 1.0;
        def.restitution = c % 3 == 0 ? 0.6 : 0.0;
        def.gravity[0] = 0.01;
        scree_index_def search = scree_default_index_def();
        search.skin = c % 4 == 0 ? -1.0 : 0.0;
        def.search = &search;
        def.order_every = 5;
        def.check = true;
        scree_sim* sim;
        scree_sim_contacts got;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = count, .dim = dim, .x = x, .r = r}, v, &sim));
        sim_copy at = sim_copy_make(count, dim);
        for (int round = 0; round < 4; ++round) {
            CHECK_OK(scree_sim_get_contacts(sim, &got));
            CHECK_OK(sim_copy_get(sim, &at));
            reference it = {.box = def.box, .dim = dim, .count = count, .x = at.x, .v = at.v, .r = r, .density = 2.0, .k = 1.0, .restitution = def.restitution};
            double a[8][3] = {{0.0}}, energy = 0.0, virial = 0.0, deepest = 0.0;
            assert_int_equal(got.count, count_contacts(&it));
            assert_true((got.shift != NULL) == scree_box_is_periodic(&def.box));
            for (int64_t e = 0; e < got.count; ++e) {
                assert_true((got.ij[e][1] >= 0) == (e < got.pair_count));
                assert_true(got.ij[e][1] < 0 || got.ij[e][0] <= got.ij[e][1]);
                if (e > 0 && e != got.pair_count)
                    assert_true(in_order(&got, e));
                double force = check_contact(&it, &got, e, def.restitution == 0.0 || round == 0, a);
                several += e > 0 && e < got.pair_count && memcmp(got.ij[e - 1], got.ij[e], sizeof *got.ij) == 0;
                energy += 0.5 * got.overlap[e] * got.overlap[e];
                deepest = fmax(deepest, got.overlap[e]);
                double reach = r[got.ij[e][0]] + (e < got.pair_count ? r[got.ij[e][1]] : 0.0);
                virial += force * (reach - got.overlap[e]);
            }
            all += got.pair_count;
            walls += got.count - got.pair_count;
            scree_sim_report report = sim_report_of(sim);
            assert_int_equal(report.contacts, got.pair_count);
            assert_int_equal(report.wall_contacts, got.count - got.pair_count);
            CHECK_CLOSE(report.energy_contact, energy, 1e-12);
            CHECK_CLOSE(report.max_overlap, deepest, 1e-15);
            CHECK_CLOSE(report.pressure, (2.0 * energy_of_motion(&it, &report) + virial) / (dim * scree_box_volume(&def.box)), 1e-10);
            for (int32_t e = 0; e < count * dim; ++e)
                CHECK_CLOSE(at.a[e], a[e / dim][e % dim] + def.gravity[e % dim], 1e-11);
            CHECK_OK(scree_sim_validate(sim));
            if (scree_sim_run(sim, 3) != SCREE_OK) {  // pressed through a wall by the others
                assert_true(strstr(scree_error_message(), "has left through") != NULL);
                break;
            }
        }
        sim_copy_free(&at);
        scree_sim_destroy(sim);
    }
    print_message("%lld contacts of pairs, %lld of these through a further image; %lld with walls\n", (long long)all, (long long)several,
                  (long long)walls);
    assert_true(several > all / 10 && walls > 100);
}

// Two and three spheres that always touch, each pair through several images.
static void energy_stays_where_pairs_touch_through_several_images(void** state)
{
    (void)state;
    for (int c = 0; c < 8; ++c) {
        int dim = 2 + c % 2;
        int32_t count = 2 + c / 2 % 2;
        double x[9], v[9], r[3] = {0.5, 0.45, 0.4};
        scree_rng rng = scree_rng_make((uint64_t)c, 61);
        for (int e = 0; e < 9; ++e) {
            x[e] = scree_rng_uniform(&rng);
            v[e] = sim_between(&rng, -0.3, 0.3);
        }
        scree_sim_def def = scree_default_sim_def();
        def.box = sim_cube(dim, 1.01, true);
        def.stiffness = 10.0;
        def.order_every = 100;
        scree_sim* sim;
        double mu = 0.5 * sim_test_mass(dim, 1.0, 0.4);
        def.time_step = sim_pi * sqrt(mu / 10.0) / 200.0;  // several springs at once are stiffer than one
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = count, .dim = dim, .x = x, .r = r}, v, &sim));
        scree_sim_report now = sim_report_of(sim);
        double first = now.energy_kinetic + now.energy_potential, off = 0.0, least = INFINITY, most = 0.0;
        int64_t contacts = 0;
        for (int s = 0; s < 500; ++s) {
            CHECK_OK(scree_sim_run(sim, 50));
            now = sim_report_of(sim);
            contacts += now.contacts;
            least = fmin(least, now.energy_contact);
            most = fmax(most, now.energy_contact);
            off = fmax(off, fabs(now.energy_kinetic + now.energy_potential - first));
        }
        print_message("%dD, %d spheres: %.1f contacts, energy off by %.2g of what moves between springs and motion\n", dim, count,
                      (double)contacts / 500.0, off / (most - least));
        assert_true(contacts > 500 * count);
        CHECK_CLOSE(off / (most - least), 0.0, 2e-3);
        scree_sim_destroy(sim);
    }
}

static const test_case cases[] = {
    PROPERTY(contacts_are_those_of_all_images),
    UNIT(energy_stays_where_pairs_touch_through_several_images),
};

const test_group group_sim_contacts = {.name = "sim_contacts", .cases = cases, .count = sizeof cases / sizeof *cases};
