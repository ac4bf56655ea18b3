// The stress tensor of a simulation against closed forms: pressed pairs, gases, shear, a rotated cluster, a column under gravity; and in the log of a run.
#include "file_support.h"
#include "sim_support.h"

#include "run/scene_parts.h"
#include "sim/sim_inner.h"

static scree_sim* make(const scree_sim_def* def, int32_t count, const double* x, const double* r, const double* v)
{
    scree_sim* sim;
    CHECK_OK(scree_sim_create(def, (scree_spheres){.count = count, .dim = def->box.dim, .x = x, .r = r}, v, &sim));
    return sim;
}

static scree_sim_report measured(const scree_sim_def* def, int32_t count, const double* x, const double* r, const double* v)
{
    scree_sim* sim = make(def, count, x, r, v);
    scree_sim_report report = sim_report_of(sim);
    scree_sim_destroy(sim);
    return report;
}

static scree_sim_def plain_def(int dim, double size, bool periodic)
{
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(dim, size, periodic);
    def.stiffness = 100.0;
    def.threads = 1;
    return def;
}

static void check_tensor(double got[3][3], double wanted[3][3], double tolerance)
{
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            CHECK_CLOSE(got[k][l], wanted[k][l], tolerance);
}

static void check_trace(const scree_sim_report* r, int dim, double tolerance)
{
    double trace = 0.0, size = 0.0;
    for (int k = 0; k < 3; ++k) {
        trace += r->kinetic_stress[k][k] + r->contact_stress[k][k];
        size += fabs(r->kinetic_stress[k][k]) + fabs(r->contact_stress[k][k]);
        for (int l = 0; l < 3; ++l) {
            assert_true(r->kinetic_stress[k][l] == r->kinetic_stress[l][k] && r->contact_stress[k][l] == r->contact_stress[l][k]);
            if (dim == 2 && (k == 2 || l == 2))
                assert_true(r->kinetic_stress[k][l] == 0.0 && r->contact_stress[k][l] == 0.0);
        }
    }
    CHECK_CLOSE(trace / dim, r->pressure, tolerance * size);
}

// k overlap distance / V along the line of centres, or in the direction of the wall, and nothing else; also across a periodic boundary.
static void a_pressed_pair_has_one_component(void** state)
{
    (void)state;
    double zero[3][3] = {{0.0}};
    for (int c = 0; c < 12; ++c) {
        int dim = c < 6 ? 3 : 2, axis = c % 3 % dim, across = c / 3 % 2;
        scree_sim_def def = plain_def(dim, 4.0, true);
        double x[6] = {2.0, 2.0, 2.0, 2.0, 2.0, 2.0}, wanted[3][3] = {{0.0}};
        x[axis] = across ? 3.5 : 1.5;
        x[dim + axis] = across ? 0.25 : 2.25;  // distance 0.75, reach 1
        if (dim == 2 && axis == 0)
            x[1] = x[3] = 2.0;
        wanted[axis][axis] = 100.0 * 0.25 * 0.75 / pow(4.0, dim);
        scree_sim_report r = measured(&def, 2, x, (double[]){0.5, 0.5}, NULL);
        assert_int_equal(r.contacts, 1);
        check_tensor(r.contact_stress, wanted, 1e-15);
        check_tensor(r.kinetic_stress, zero, 0.0);
        check_trace(&r, dim, 1e-14);
        // Between two walls, 0.6 apart: both press it, from 0.3 away.
        def.box.periodic[axis] = false;
        def.box.upper[axis] = 0.6;
        x[axis] = 0.3;
        wanted[axis][axis] = 2.0 * 100.0 * 0.2 * 0.3 / (0.6 * pow(4.0, dim - 1));
        r = measured(&def, 1, x, (double[]){0.5}, NULL);
        assert_int_equal(r.wall_contacts, 2);
        check_tensor(r.contact_stress, wanted, 1e-14);
        check_trace(&r, dim, 1e-14);
        // An open box has no volume.
        def.box.upper[axis] = INFINITY;
        r = measured(&def, 1, x, (double[]){0.5}, NULL);
        assert_true(r.wall_contacts == 1 && r.virial > 0.0);
        check_tensor(r.contact_stress, zero, 0.0);
    }
}

// A force of 1.3 quanta on a giant acts as one quantum, and is one in the stress.
static void forces_of_giants_are_rounded(void** state)
{
    (void)state;
    scree_sim_def def = plain_def(3, 4.0, true);
    double x[6] = {0.0, 2.0, 2.0, 1.0, 2.0, 2.0}, r[2] = {0.5, 0.5};
    def.giants = 0.4;
    scree_sim* sim = make(&def, 2, x, r, NULL);
    double quantum = scree_sim_get_numbers(sim).force_quantum, force = 1.3 * quantum;
    scree_sim_destroy(sim);
    x[3] = 1.0 - force / def.stiffness;
    scree_sim_report report = measured(&def, 2, x, r, NULL);
    CHECK_CLOSE(report.virial / quantum, 1.3, 0.1);  // the overlap is exact to a few hundredths
    CHECK_CLOSE(report.contact_stress[0][0] * 64.0 / quantum, 1.0, 1e-9);
}

// At temperature T each axis has n T / V, and no two are correlated; with a drift too. Statistical bounds of five standard deviations.
static void a_gas_is_isotropic(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scree_sphere_set set = sim_gas(dim, 4000, 2.0, 0.1, true, 5);
        scree_spheres spheres = scree_sphere_set_view(&set);
        scree_sim_def def = plain_def(dim, 1.0, true);
        def.box = set.box;
        double* v = sim_thermal(spheres, 0.7, 9);
        scree_sim_report r = measured(&def, set.count, set.x, set.r, v);
        double one = set.count * 0.7 / scree_box_volume(&set.box);
        assert_int_equal(r.contacts, 0);
        check_trace(&r, dim, 1e-13);
        for (int k = 0; k < dim; ++k)
            for (int l = 0; l < dim; ++l)
                CHECK_CLOSE(r.kinetic_stress[k][l] / one, k == l ? 1.0 : 0.0, 5.0 * sqrt((k == l ? 2.0 : 1.0) / set.count));
        for (int64_t e = 0; e < (int64_t)set.count * dim; ++e)
            v[e] += e % dim == 0 ? 100.0 : -30.0;
        scree_sim_report drifting = measured(&def, set.count, set.x, set.r, v);
        check_tensor(drifting.kinetic_stress, r.kinetic_stress, 1e-11 * one);
        free(v);
        scree_sphere_set_free(&set);
    }
}

// Simple shear v = rate s t, where t is the direction of flow and s the coordinate along the gradient, perpendicular to t: the kinetic part is
// sum of m rate^2 (s - s_mean)^2 / V times t t^T. Fixed spheres do not count.
static void shear_shows_in_the_kinetic_part(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        enum { count = 125 };
        double x[3 * count], v[3 * count], r[count], rate = 0.8, mean = 0.0, mass = 0.0, square = 0.0, wanted[3][3];
        uint8_t fixed[count];
        double t[3] = {0.6, 0.8, 0.0}, n[3] = {-0.8, 0.6, 0.0}, s[count];
        if (dim == 3)
            memcpy(t, (double[]){2.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0}, sizeof t), memcpy(n, (double[]){-2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0}, sizeof n);
        for (int i = 0; i < count; ++i) {
            r[i] = 0.1 + 0.002 * i;
            fixed[i] = i % 10 == 3;
            s[i] = 0.0;
            for (int k = 0; k < dim; ++k) {
                x[i * dim + k] = 0.5 + (dim == 3 ? (k == 0 ? i % 5 : k == 1 ? i / 5 % 5 : i / 25) : (k == 0 ? i % 12 : i / 12));
                s[i] += n[k] * x[i * dim + k];
            }
            for (int k = 0; k < dim; ++k)
                v[i * dim + k] = fixed[i] ? 0.0 : rate * s[i] * t[k] + 7.0;
            mean += fixed[i] ? 0.0 : sim_test_mass(dim, 1.0, r[i]) * s[i];
            mass += fixed[i] ? 0.0 : sim_test_mass(dim, 1.0, r[i]);
        }
        mean /= mass;
        for (int i = 0; i < count; ++i)
            square += fixed[i] ? 0.0 : sim_test_mass(dim, 1.0, r[i]) * rate * rate * (s[i] - mean) * (s[i] - mean);
        scree_sim_def def = plain_def(dim, 13.0, true);
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                wanted[k][l] = square / pow(13.0, dim) * t[k] * t[l];
        scree_sim_each each = scree_default_sim_each();
        each.fixed = fixed;
        def.each = &each;
        scree_sim_report report = measured(&def, count, x, r, v);
        assert_true(report.contacts == 0 && wanted[0][1] > 1e-3);
        check_tensor(report.kinetic_stress, wanted, 1e-12);
        check_trace(&report, dim, 1e-12);
    }
}

// A cluster in the middle of a large box, rotated as a whole about its centre: R sigma R^T.
static void a_rotation_rotates_the_tensor(void** state)
{
    (void)state;
    for (int c = 0; c < 8; ++c) {
        enum { count = 40 };
        int dim = 2 + c % 2;
        scree_rng rng = scree_rng_make((uint64_t)c, 61);
        double x[3 * count], v[3 * count], r[count], y[3 * count], w[3 * count], a[3], b[3], turn[3][3] = {{0.0}};
        sim_direction(&rng, dim, a);
        if (dim == 2) {
            memcpy(turn[0], (double[]){a[0], -a[1], 0.0}, sizeof a), memcpy(turn[1], (double[]){a[1], a[0], 0.0}, sizeof a);
            turn[2][2] = 1.0;
        } else {  // two reflections, at the planes normal to a and b
            sim_direction(&rng, dim, b);
            double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    turn[k][l] = (k == l) - 2.0 * a[k] * a[l] - 2.0 * b[k] * b[l] + 4.0 * ab * a[k] * b[l];
        }
        for (int i = 0; i < count; ++i) {
            r[i] = sim_between(&rng, 0.3, 0.6);
            for (int k = 0; k < dim; ++k) {
                x[i * dim + k] = sim_between(&rng, -1.5, 1.5) * (k == 0 ? 1.6 : 1.0);
                v[i * dim + k] = sim_between(&rng, -1.0, 1.0) * (k == 0 ? 2.0 : 1.0);
            }
        }
        for (int e = 0; e < count * dim; ++e) {
            y[e] = w[e] = 0.0;
            for (int k = 0; k < dim; ++k) {
                y[e] += turn[e % dim][k] * x[e / dim * dim + k];
                w[e] += turn[e % dim][k] * v[e / dim * dim + k];
            }
        }
        for (int e = 0; e < count * dim; ++e) {
            x[e] += 5.0;
            y[e] += 5.0;
        }
        scree_sim_def def = plain_def(dim, 10.0, false);
        if (c >= 4)
            def.restitution = 0.5;
        if (c % 4 >= 2)
            def.giants = 0.5;
        scree_sim_report before = measured(&def, count, x, r, v), after = measured(&def, count, y, r, w);
        assert_true(before.contacts > 20 && before.wall_contacts == 0 && after.contacts == before.contacts);
        double scale = fabs(before.pressure) + fabs(before.contact_stress[0][0]) + before.kinetic_stress[0][0];
        assert_true(fabs(before.contact_stress[0][1]) > 1e-3 * scale && fabs(before.contact_stress[0][0] - after.contact_stress[0][0]) > 1e-4 * scale);
        double(*parts[2][2])[3] = {{before.kinetic_stress, after.kinetic_stress}, {before.contact_stress, after.contact_stress}};
        for (int part = 0; part < 2; ++part) {
            double wanted[3][3] = {{0.0}};
            for (int e = 0; e < 81; ++e)
                wanted[e / 27][e / 9 % 3] += turn[e / 27][e / 3 % 3] * parts[part][0][e / 3 % 3][e % 3] * turn[e / 9 % 3][e % 3];
            check_tensor(parts[part][1], wanted, (def.giants > 0.0 ? 1e-10 : 1e-12) * scale);
        }
        check_trace(&before, dim, def.giants > 0.0 ? 1e-10 : 1e-13);
        check_trace(&after, dim, def.giants > 0.0 ? 1e-10 : 1e-13);
    }
}

// Spheres one on the other, at rest: contact j bears the weight of all above it. By the virial theorem the mean of sigma_zz over the box is the sum of
// m g z / V, z the height above the floor; that is weight / area, averaged over the height of the box. Nothing acts sideways.
static void a_column_bears_its_weight(void** state)
{
    (void)state;
    for (int c = 0; c < 4; ++c) {
        enum { count = 12 };
        int dim = 2 + c % 2, up = dim - 1;
        double x[3 * count], r[count], g = 9.81, above = 0.0, floor = 0.0, wanted[3][3] = {{0.0}}, layers = 0.0;
        scree_sim_def def = plain_def(dim, 4.0, c >= 2);
        def.box.periodic[up] = false;
        def.box.upper[up] = 30.0;
        def.stiffness = 1e5;
        def.restitution = 0.3;
        def.gravity[up] = -g;
        for (int i = 0; i < count; ++i) {
            r[i] = 0.3 + 0.05 * (i * 5 % 7);
            above += sim_test_mass(dim, 1.0, r[i]) * g;
        }
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < dim; ++k)
                x[i * dim + k] = 2.0;
            double gap = (i > 0 ? r[i - 1] : 0.0) + r[i] - above / def.stiffness, weight = sim_test_mass(dim, 1.0, r[i]) * g;
            layers += above * gap;  // weight above each layer, times its height
            floor += gap;
            x[i * dim + up] = floor;
            above -= weight;
            wanted[up][up] += weight * floor / scree_box_volume(&def.box);
        }
        CHECK_CLOSE(layers / scree_box_volume(&def.box), wanted[up][up], 1e-12 * wanted[up][up]);
        scree_sim* sim = make(&def, count, x, r, NULL);
        for (int look = 0; look < 3; ++look) {
            scree_sim_report report = sim_report_of(sim);
            assert_true(report.contacts == count - 1 && report.wall_contacts == 1);
            check_tensor(report.contact_stress, wanted, 1e-9 * wanted[up][up]);
            check_trace(&report, dim, 1e-13);
            CHECK_OK(scree_sim_run(sim, 100));
        }
        scree_sim_destroy(sim);
    }
}

// Against the contacts as data: sum of force times distance, with walls, images, giants, damping and fixed spheres; and the same bits for any number of threads.
static void stress_is_that_of_the_contacts(void** state)
{
    (void)state;
    for (int c = 0; c < 4; ++c) {
        int dim = 2 + c % 2;
        int32_t count = 2 * sim_block + 100;
        scree_sphere_set set = sim_gas(dim, count, 4.0, 0.2, c < 2, 3 + (uint64_t)c);
        scree_sim_def def = plain_def(dim, 1.0, true);
        def.box = set.box;
        def.restitution = c % 2 == 0 ? 0.6 : 0.0;
        def.giants = c < 2 ? 1.5 : 0.0;
        for (int32_t i = 0; i < count; ++i)
            set.r[i] *= 1.3;
        uint8_t* fixed = calloc((size_t)count, 1);
        for (int32_t i = 0; i < count; i += 9)
            fixed[i] = c >= 2;
        scree_sim_each each = scree_default_sim_each();
        each.fixed = fixed;
        def.each = &each;
        double* v = sim_thermal(scree_sphere_set_view(&set), 1e-3, 7);
        for (int64_t e = 0; e < (int64_t)count * dim; ++e)
            v[e] = fixed[e / dim] ? 0.0 : v[e];
        scree_sim* sim = make(&def, count, set.x, set.r, v);
        scree_sim_report report = sim_report_of(sim);
        scree_sim_contacts got;
        CHECK_OK(scree_sim_get_contacts(sim, &got));
        assert_true(got.pair_count > 200 && (c < 2 || got.count > got.pair_count + 20));
        double wanted[3][3] = {{0.0}}, volume = scree_box_volume(&set.box), scale = 0.0;
        for (int64_t e = 0; e < got.count; ++e) {
            double distance = set.r[got.ij[e][0]] + (got.ij[e][1] >= 0 ? set.r[got.ij[e][1]] : 0.0) - got.overlap[e];
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    wanted[k][l] += got.force[e][k] * got.normal[e][l] * distance / volume;
        }
        for (int k = 0; k < dim; ++k)
            scale += fabs(wanted[k][k]);
        check_tensor(report.contact_stress, wanted, 1e-10 * scale);
        check_trace(&report, dim, c < 2 ? 1e-10 : 1e-12);
        static const int32_t threads[] = {2, 7};
        for (int t = 0; t < 2; ++t) {
            CHECK_OK(scree_sim_set_threads(sim, threads[t]));
            scree_sim_report again = sim_report_of(sim);
            assert_memory_equal(again.kinetic_stress, report.kinetic_stress, sizeof report.kinetic_stress);
            assert_memory_equal(again.contact_stress, report.contact_stress, sizeof report.contact_stress);
        }
        scree_sim_destroy(sim);
        free(v);
        free(fixed);
        scree_sphere_set_free(&set);
    }
}

// ---- In the log of a run -----------------------------------------------------------------------------------------------------

// The value of a column in the last row of the log; NAN: there is no such column.
static double last_value(const char* log, const char* name)
{
    const char *field = log, *row = strrchr(log, '\n');
    size_t length = strlen(name);
    while (row > log && row[-1] != '\n')
        --row;
    for (;; field += strcspn(field, ",\n") + 1, row += strcspn(row, ",\n") + 1) {
        if (strncmp(field, name, length) == 0 && strchr(",\n", field[length]) != NULL)
            return strtod(row, NULL);
        if (field[strcspn(field, ",\n")] == '\n')
            return NAN;
    }
}

static void check_rows_are_equally_long(const char* log)
{
    int wanted = -1, count = 0;
    for (const char* at = log; *at != '\0'; ++at) {
        count += *at == ',';
        if (*at != '\n')
            continue;
        assert_int_equal(count, wanted < 0 ? count : wanted);
        wanted = count;
        count = 0;
    }
}

static void the_log_has_the_stress(void** state)
{
    (void)state;
    static const char* const names[3][3] = {{"stress_xx", "stress_xy", "stress_xz"}, {"stress_xy", "stress_yy", "stress_yz"}, {"stress_xz", "stress_yz", "stress_zz"}};
    for (int dim = 2; dim <= 3; ++dim) {
        char text[1024];
        scree_scene made;
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        snprintf(text, sizeof text,
                 "dimension: %d\nbox: {size: %s, periodic: [x]}\nspheres: {count: 60, sizes: mono:0.04, place: random, velocity: thermal, overlap: 0.05}\n"
                 "contact: {stiffness: 30, restitution: 0.6}\ntime: {step: 5e-4, steps: 1000}\ncheckpoint: {every: 500}\ngravity: %s\n",
                 dim, dim == 2 ? "[1, 1]" : "[0.5, 0.5, 0.5]", dim == 2 ? "[1, -9]" : "[1, 2, -9]");
        CHECK_OK(scene_parse("test.yaml", text, strlen(text), &made));
        CHECK_OK(scree_run_create(&def, &made, in_folder("run"), &run));
        scene_free(&made);
        CHECK_OK(scree_run_go(run));
        scree_sim_report r;
        CHECK_OK(scree_run_measure(run, &r));
        scree_run_destroy(run);
        assert_true(r.contacts + r.wall_contacts > 0);
        char *log = get_file(in_folder("run/log.csv"), NULL), *header = strstr(log, ",stress_xx");
        double trace = 0.0;
        check_rows_are_equally_long(log);
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l) {
                double value = last_value(log, names[k][l]);
                if (k < dim && l < dim)
                    assert_true(value == r.kinetic_stress[k][l] + r.contact_stress[k][l] && value != 0.0);
                else
                    assert_true(isnan(value));
                trace += k == l && k < dim ? value : 0.0;
            }
        CHECK_CLOSE(trace / dim, last_value(log, "pressure"), 1e-13);
        // A log without these columns is not gone on with, and stays as it is.
        assert_non_null(header);
        size_t end = strcspn(header, "\n"), before = (size_t)(header - log), after = strlen(header + end);
        char* old = malloc(before + after + end + 1);
        memcpy(old, log, before);
        memcpy(old + before, header + end, after);
        memset(old + before + after, 'x', end);  // as long as the checkpoint says
        old[before + after + end] = '\0';
        put_text(in_folder("run/log.csv"), old);
        CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_FORMAT, "log.csv:1", "stress_xy");
        CHECK_FILE(in_folder("run/log.csv"), old);
        put_text(in_folder("run/log.csv"), log);
        CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
        scree_run_destroy(run);
        free(old);
        free(log);
        remove_all(in_folder("run"));
    }
}

static const test_case cases[] = {
    UNIT(a_pressed_pair_has_one_component),
    UNIT(forces_of_giants_are_rounded),
    UNIT(a_gas_is_isotropic),
    UNIT(shear_shows_in_the_kinetic_part),
    UNIT(a_rotation_rotates_the_tensor),
    UNIT(a_column_bears_its_weight),
    THREADS(stress_is_that_of_the_contacts),
    UNIT(the_log_has_the_stress),
};

const test_group group_stress = {.name = "stress", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
