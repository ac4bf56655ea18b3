// Coarse-grained fields: sums over cells, a naive computation, closed forms, the stress of simulations, and their files. test_analysis.c has networks, mixing, repose and flow.
#include "analysis_support.h"

#include "scree/files.h"
#include "scree/measure.h"
#include "sim_support.h"

static const double pi = 3.14159265358979323846;

// ---- Random snapshots --------------------------------------------------------------------------------------------

// From j or the wall to i.
static void branch_of(const made* m, int64_t c, double d[3])
{
    int dim = m->now.spheres.dim;
    int64_t i = m->ij[c][0], j = m->ij[c][1];
    for (int k = 0; k < 3; ++k) {
        double length = m->now.box.upper[k] - m->now.box.lower[k];
        if (k >= dim)
            d[k] = 0.0;
        else if (j < 0)
            d[k] = (m->r[i] - m->overlap[c]) * m->normal[c][k];
        else
            d[k] = m->x[i * dim + k] - (m->x[j * dim + k] + m->shift[c][k] * (m->now.box.periodic[k] ? length : 0.0));
    }
}

static double cell_volume(const scree_fields* f)
{
    return f->size[0] * f->size[1] * (f->dim == 3 ? f->size[2] : 1.0);
}

// ---- Fields ------------------------------------------------------------------------------------------------------

// Sums over the cells are sums over spheres and contacts, for every kernel and width, at walls and across periodic faces.
static void fields_add_up(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(1, 0);
    int rounds = (int)(40 * test_effort());
    for (int round = 0; round < rounds; ++round) {
        int dim = 2 + round % 2;
        made m;
        make_snapshot(&rng, dim, 1 + (int32_t)scree_rng_below(&rng, 12), (int64_t)scree_rng_below(&rng, 12), &m);
        scree_fields_def def = scree_default_fields_def();
        def.kernel = round / 2 % 2;
        def.width = round % 5 == 0 ? NAN : draw_between(&rng, 0.05, round % 3 == 0 ? 2.0 : 0.5);
        for (int k = 0; k < 3; ++k)
            def.cells[k] = 1 + (int32_t)scree_rng_below(&rng, 9);
        scree_fields f = fields_of(&m.now, &def);
        double mass = 0.0, volume = 0.0, p[3] = {0.0}, vv[3][3] = {{0.0}}, fd[3][3] = {{0.0}};
        for (int32_t i = 0; i < m.now.spheres.count; ++i) {
            mass += m.mass[i];
            volume += dim == 2 ? pi * m.r[i] * m.r[i] : 4.0 / 3.0 * pi * pow(m.r[i], 3.0);
            for (int k = 0; k < dim; ++k) {
                p[k] += m.mass[i] * m.v[i * dim + k];
                for (int l = 0; l < dim; ++l)
                    vv[k][l] += m.mass[i] * m.v[i * dim + k] * m.v[i * dim + l];
            }
        }
        for (int64_t c = 0; c < m.contacts.count; ++c) {
            double d[3];
            branch_of(&m, c, d);
            for (int k = 0; k < dim; ++k)
                for (int l = 0; l < dim; ++l)
                    fd[k][l] += m.force[c][k] * d[l];
        }
        for (int64_t c = 0; c < f.count; ++c) {
            mass -= f.density[c] * cell_volume(&f);
            volume -= f.fraction[c] * cell_volume(&f);
            double trace = 0.0;
            for (int k = 0; k < 3; ++k) {
                p[k] -= f.momentum[c][k] * cell_volume(&f);
                trace += f.kinetic_stress[c][k][k];
                CHECK_CLOSE(f.velocity[c][k] * f.density[c], f.momentum[c][k], 1e-13 * (1.0 + fabs(f.momentum[c][k])));
                for (int l = 0; l < 3; ++l) {
                    vv[k][l] -= (f.kinetic_stress[c][k][l] + f.density[c] * f.velocity[c][k] * f.velocity[c][l]) * cell_volume(&f);
                    fd[k][l] -= f.contact_stress[c][k][l] * cell_volume(&f);
                }
            }
            CHECK_CLOSE(f.temperature[c] * dim * f.density[c], trace, 1e-13 * (1.0 + trace));
        }
        CHECK_CLOSE(mass, 0.0, 1e-12);
        CHECK_CLOSE(volume, 0.0, 1e-12);
        for (int k = 0; k < 3; ++k) {
            CHECK_CLOSE(p[k], 0.0, 1e-12);
            for (int l = 0; l < 3; ++l) {
                CHECK_CLOSE(vv[k][l], 0.0, 1e-12);
                CHECK_CLOSE(fd[k][l], 0.0, 1e-11);
            }
        }
        scree_fields_free(&f);
    }
}

// The integral of a cut Gauss function around x over a cell, along one axis, by all images of x.
static double naive_gauss(const scree_box* box, int k, double x, double width, double low, double high)
{
    double length = box->upper[k] - box->lower[k], sum = 0.0;
    for (int turn = -12; turn <= 12; ++turn)
        for (int mirror = 0; mirror <= !box->periodic[k]; ++mirror) {
            double at = (mirror ? 2.0 * box->lower[k] - x : x) + turn * length * (box->periodic[k] ? 1.0 : 2.0);
            double a = fmax(-4.0, fmin(4.0, (low - at) / width)), b = fmax(-4.0, fmin(4.0, (high - at) / width));
            sum += (erf(b / sqrt(2.0)) - erf(a / sqrt(2.0))) / (2.0 * erf(4.0 / sqrt(2.0)));
        }
    return sum;
}

static double naive_ball(const scree_box* box, const double* x, double width, const double* low, const double* high)
{
    double sum = 0.0;
    int ways[3], dim = box->dim, all = 1;
    for (int k = 0; k < dim; ++k)
        all *= ways[k] = 10;
    for (int w = 0; w < all; ++w) {
        double at[3];
        bool counts = true;  // near enough, too: each test of a sphere takes its time
        for (int k = 0, rest = w; k < dim; ++k, rest /= 10) {
            int turn = rest % 10 / 2 - 2, mirror = rest % 2;
            double length = box->upper[k] - box->lower[k];
            counts = counts && !(mirror && box->periodic[k]);
            at[k] = (mirror ? 2.0 * box->lower[k] - x[k] : x[k]) + turn * length * (box->periodic[k] ? 1.0 : 2.0);
            counts = counts && at[k] + width > low[k] && at[k] - width < high[k];
        }
        sum += counts ? scree_sphere_box_share(dim, at, width, low, high) : 0.0;
    }
    return sum;
}

static double naive_weight(const scree_box* box, const scree_fields_def* def, const double* x, const double* low, const double* high)
{
    if (def->kernel == SCREE_KERNEL_HEAVISIDE)
        return naive_ball(box, x, def->width, low, high);
    double weight = 1.0;
    for (int k = 0; k < box->dim; ++k)
        weight *= naive_gauss(box, k, x[k], def->width, low[k], high[k]);
    return weight;
}

// Cell by cell, with all images of every sphere and a fine sum along contacts.
static void fields_agree_with_the_naive_way(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(2, 0);
    for (int round = 0; round < 4; ++round) {
        int dim = 2 + round % 2;
        bool ball = round / 2 % 2 == 1;
        made m;
        make_snapshot(&rng, dim, 4, 3, &m);
        scree_fields_def def = scree_default_fields_def();
        def.kernel = ball ? SCREE_KERNEL_HEAVISIDE : SCREE_KERNEL_GAUSS;
        def.width = draw_between(&rng, 0.5, 1.2);
        for (int k = 0; k < 3; ++k)
            def.cells[k] = 2 + (int32_t)scree_rng_below(&rng, 3);
        scree_fields f = fields_of(&m.now, &def);
        double largest = 0.0, error = 0.0;
        for (int64_t c = 0; c < f.count; ++c) {
            const int64_t at[3] = {c % f.cells[0], c / f.cells[0] % f.cells[1], c / f.cells[0] / f.cells[1]};
            double low[3], high[3], density = 0.0, p[3] = {0.0}, fd[3][3] = {{0.0}}, kinetic[3][3] = {{0.0}};
            for (int k = 0; k < dim; ++k) {
                low[k] = m.now.box.lower[k] + (double)at[k] * f.size[k];
                high[k] = low[k] + f.size[k];
            }
            for (int pass = 0; pass < 2; ++pass)
                for (int32_t i = 0; i < 4; ++i) {
                    double weight = naive_weight(&m.now.box, &def, m.x + i * dim, low, high) * m.mass[i] / cell_volume(&f);
                    density += pass == 0 ? weight : 0.0;
                    for (int k = 0; k < dim; ++k) {
                        p[k] += pass == 0 ? weight * m.v[i * dim + k] : 0.0;
                        for (int l = 0; l < dim && pass == 1 && density > 0.0; ++l)
                            kinetic[k][l] += weight * (m.v[i * dim + k] - p[k] / density) * (m.v[i * dim + l] - p[l] / density);
                    }
                }
            for (int64_t e = 0; e < m.contacts.count; ++e) {
                enum { fine = 200 };
                double d[3], sum = 0.0, x[3];
                branch_of(&m, e, d);
                for (int s = 0; s < (ball ? fine / 8 : fine); ++s) {
                    for (int k = 0; k < dim; ++k)
                        x[k] = m.x[m.ij[e][0] * dim + k] - (s + 0.5) / (ball ? fine / 8 : fine) * d[k];
                    sum += naive_weight(&m.now.box, &def, x, low, high) / (ball ? fine / 8 : fine);
                }
                for (int k = 0; k < dim; ++k)
                    for (int l = 0; l < dim; ++l)
                        fd[k][l] += sum * m.force[e][k] * d[l] / cell_volume(&f);
            }
            CHECK_CLOSE(f.density[c], density, 1e-12);
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l) {
                    CHECK_CLOSE(f.kinetic_stress[c][k][l], kinetic[k][l], 1e-12);
                    largest = fmax(largest, fabs(fd[k][l]));
                    error = fmax(error, fabs(f.contact_stress[c][k][l] - fd[k][l]));
                }
        }
        CHECK_CLOSE(error, 0.0, (ball ? 1e-2 : 1e-4) * largest);  // the sum here has an error too
        scree_fields_free(&f);
    }
}

// The kernel at x, by all images in a tilted box.
static double tilted_weight(const scree_box* box, const scree_fields_def* def, const double* x, const double* low, const double* high)
{
    int dim = box->dim, turns = dim == 3 ? 4 : 0;
    double reach = (def->kernel == SCREE_KERNEL_GAUSS ? 4.0 : 1.0) * def->width, sum = 0.0;
    for (int c = -turns; c <= turns; ++c)
        for (int b = -6; b <= 6; ++b)
            for (int a = -9; a <= 9; ++a) {
                const double edge[3] = {a * (box->upper[0] - box->lower[0]) + b * box->tilt[0] + c * box->tilt[1], b * (box->upper[1] - box->lower[1]) + c * box->tilt[2],
                                        dim == 3 ? c * (box->upper[2] - box->lower[2]) : 0.0};
                double at[3], weight = 1.0;
                bool near = true;
                for (int k = 0; k < dim; ++k) {
                    at[k] = x[k] + edge[k];
                    near = near && at[k] + reach > low[k] && at[k] - reach < high[k];
                }
                if (near && def->kernel == SCREE_KERNEL_HEAVISIDE)
                    sum += scree_sphere_box_share(dim, at, def->width, low, high);
                else if (near) {
                    for (int k = 0; k < dim; ++k) {
                        double from = fmax(-4.0, (low[k] - at[k]) / def->width), to = fmin(4.0, (high[k] - at[k]) / def->width);
                        weight *= (erf(to / sqrt(2.0)) - erf(from / sqrt(2.0))) / (2.0 * erf(4.0 / sqrt(2.0)));
                    }
                    sum += weight;
                }
            }
    return sum;
}

// In tilted boxes the cells are those of a box with right angles: each has what all images of spheres and contacts give it, also where there is one cell along some axes.
static void fields_of_tilted_boxes(void** state)
{
    (void)state;
    static const int32_t cells[8][3] = {{3, 2, 4}, {3, 2, 1}, {2, 1, 1}, {1, 3, 2}, {3, 1, 2}, {1, 2, 1}, {4, 3, 1}, {3, 1, 1}};
    scree_rng rng = scree_rng_make(3, 1);
    for (int round = 0; round < 8; ++round) {
        int dim = round < 6 ? 3 : 2;
        made m;
        make_snapshot(&rng, dim, 3, 0, &m);
        scree_box* box = &m.now.box;
        for (int k = 0; k < dim; ++k)
            box->periodic[k] = true;
        for (int k = 0; k < (dim == 3 ? 3 : 1); ++k)
            box->tilt[k] = round == 4 && k == 0 ? 0.0 : draw_between(&rng, -1.5, 1.5);
        const scree_sim_contacts one = {.count = 1, .ij = (const int64_t(*)[2])m.ij, .shift = (const int8_t(*)[3])m.shift, .overlap = m.overlap, .normal = (const double(*)[3])m.normal,
                                        .force = (const double(*)[3])m.force};
        m.ij[0][1] = 1;
        m.shift[0][0] = 1;
        m.shift[0][1] = -1;
        m.force[0][0] = 1.5;
        m.force[0][1] = -0.5;
        m.now.contacts = &one;
        scree_fields_def def = scree_default_fields_def();
        def.kernel = round % 2 == 1 ? SCREE_KERNEL_HEAVISIDE : SCREE_KERNEL_GAUSS;
        def.width = def.kernel == SCREE_KERNEL_GAUSS ? draw_between(&rng, 0.2, 0.4) : draw_between(&rng, 0.4, 1.1);
        memcpy(def.cells, cells[round], sizeof def.cells);
        scree_fields f = fields_of(&m.now, &def);
        double largest = 0.0, error = 0.0, left = 0.0, d[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < dim; ++k)  // from sphere 1, moved by one edge x and back by one edge y, to sphere 0
            d[k] = m.x[k] - m.x[dim + k] - (k == 0 ? box->upper[0] - box->lower[0] - box->tilt[0] : k == 1 ? -(box->upper[1] - box->lower[1]) : 0.0);
        for (int64_t c = 0; c < f.count; ++c) {
            const int64_t at[3] = {c % f.cells[0], c / f.cells[0] % f.cells[1], c / f.cells[0] / f.cells[1]};
            double low[3], high[3], density = 0.0, along = 0.0;
            for (int k = 0; k < dim; ++k) {
                low[k] = box->lower[k] + (double)at[k] * f.size[k];
                high[k] = low[k] + f.size[k];
            }
            for (int32_t i = 0; i < 3; ++i)
                density += tilted_weight(box, &def, m.x + i * dim, low, high) * m.mass[i] / cell_volume(&f);
            CHECK_CLOSE(f.density[c], density, 1e-12);
            enum { fine = 50 };
            for (int s = 0; s < fine; ++s) {
                double x[3];
                for (int k = 0; k < dim; ++k)
                    x[k] = m.x[k] - (s + 0.5) / fine * d[k];
                along += tilted_weight(box, &def, x, low, high) / fine;
            }
            double wanted = along * 1.5 * d[1] / cell_volume(&f);
            largest = fmax(largest, fabs(wanted));
            error = fmax(error, fabs(f.contact_stress[c][0][1] - wanted));
            left += density * cell_volume(&f);
        }
        CHECK_CLOSE(left, m.mass[0] + m.mass[1] + m.mass[2], 1e-12);
        CHECK_CLOSE(error, 0.0, (def.kernel == SCREE_KERNEL_GAUSS ? 2e-3 : 2e-2) * largest);  // of the sum here, too
        scree_fields_free(&f);
    }
}

// A lattice that fills a box with walls is the same everywhere, up to the walls; a sphere far from them is the kernel itself.
static void densities_with_known_answers(void** state)
{
    (void)state;
    double x[216 * 3], r[216];
    for (int i = 0; i < 216; ++i) {
        for (int k = 0, rest = i; k < 3; ++k, rest /= 6)
            x[3 * i + k] = rest % 6 + 0.5;
        r[i] = 0.5;
    }
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(3, (const double[3]){6.0, 6.0, 6.0});
    now.spheres = (scree_spheres){.count = 216, .dim = 3, .x = x, .r = r};
    scree_fields_def def = scree_default_fields_def();
    def.width = 1.5;
    scree_fields f = fields_of(&now, &def);
    for (int64_t c = 0; c < f.count; ++c) {
        CHECK_CLOSE(f.fraction[c], pi / 6.0, 1e-4);
        CHECK_CLOSE(f.density[c], f.fraction[c], 0.0);  // without masses: their volumes
    }
    scree_fields_free(&f);

    const double at[3] = {3.0, 3.0, 3.0}, radius = 0.5, mass = 2.0;
    now.spheres = (scree_spheres){.count = 1, .dim = 3, .x = at, .r = &radius};
    now.mass = &mass;
    def.width = 0.4;
    def.cells[0] = def.cells[1] = 1;  // a profile
    def.cells[2] = 60;
    f = fields_of(&now, &def);
    for (int64_t c = 0; c < f.count; ++c) {
        double z = 0.1 * (double)c - 3.0, sum = 0.5 * (erf((z + 0.1) / 0.4 / sqrt(2.0)) - erf(z / 0.4 / sqrt(2.0)));
        CHECK_CLOSE(f.density[c], mass * sum / 3.6, 1e-4);
    }
    scree_fields_free(&f);
    def.kernel = SCREE_KERNEL_HEAVISIDE;
    def.width = 1.0;
    f = fields_of(&now, &def);
    for (int64_t c = 0; c < f.count; ++c) {  // discs of a ball: the integral of 3/4 (1 - z^2)
        double a = fmax(-1.0, fmin(1.0, 0.1 * (double)c - 3.0)), b = fmax(-1.0, fmin(1.0, 0.1 * (double)(c + 1) - 3.0));
        CHECK_CLOSE(f.density[c], mass * 0.75 * ((b - b * b * b / 3.0) - (a - a * a * a / 3.0)) / 3.6, 1e-14);
    }
    scree_fields_free(&f);
}

// A whole simulation in one cell has the stress that scree_sim_measure gives, with walls and periodic; and 5 x 4 x 3 cells have it on average.
static void stress_is_that_of_the_simulation(void** state)
{
    (void)state;
    for (int round = 0; round < 4; ++round) {
        int dim = 2 + round % 2;
        enum { n = 27 };
        double x[n * 3], r[n], v[n * 3];
        scree_rng rng = scree_rng_make(7, (uint64_t)round);
        for (int i = 0; i < n; ++i) {
            r[i] = draw_between(&rng, 0.5, 0.53);
            for (int k = 0, rest = i; k < dim; ++k, rest /= 3) {
                x[i * dim + k] = (dim == 2 && k == 1 ? rest : rest % 3) + 0.5;
                v[i * dim + k] = draw_between(&rng, -0.1, 0.3);
            }
        }
        scree_sim_def def = scree_default_sim_def();
        def.box = scree_box_sized(dim, dim == 2 ? (const double[3]){3.0, 9.0} : (const double[3]){3.0, 3.0, 3.0});
        def.box.periodic[0] = round >= 2;
        def.stiffness = 100.0;
        def.threads = 1;
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = n, .dim = dim, .x = x, .r = r}, v, &sim));
        CHECK_OK(scree_sim_run(sim, 200));
        scree_sim_report report = sim_report_of(sim);
        scree_sim_contacts contacts;
        CHECK_OK(scree_sim_get_column(sim, "x", x));
        CHECK_OK(scree_sim_get_column(sim, "v", v));
        CHECK_OK(scree_sim_get_contacts(sim, &contacts));
        assert_true(contacts.count > contacts.pair_count && contacts.pair_count > 20);
        scree_snapshot now = scree_default_snapshot();
        now.box = scree_sim_get_box(sim);
        now.spheres = (scree_spheres){.count = n, .dim = dim, .x = x, .r = r};
        now.v = v;
        now.contacts = &contacts;
        check_found_contacts(&now);
        scree_fields_def grid = scree_default_fields_def();
        for (int fine = 0; fine < 2; ++fine) {
            for (int k = 0; k < 3; ++k)
                grid.cells[k] = fine ? 5 - k : 1;
            scree_fields f = fields_of(&now, &grid);
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l) {
                    double contact = 0.0;
                    for (int64_t c = 0; c < f.count; ++c)
                        contact += f.contact_stress[c][k][l] / (double)f.count;
                    CHECK_CLOSE(contact, report.contact_stress[k][l], 1e-11);
                    if (!fine)
                        CHECK_CLOSE(f.kinetic_stress[0][k][l], report.kinetic_stress[k][l], 1e-12);
                }
            scree_fields_free(&f);
        }
        for (int32_t b = 0; b < 2 * dim; ++b) {  // and walls have the forces of its boundaries
            scree_sim_boundary_report walls[6];
            scree_wall_stress stress;
            assert_true(scree_sim_get_boundaries(sim, walls, 6) >= 6);
            if (!walls[b].present) {
                CHECK_FAILS(scree_measure_wall_stress(&now, b, &stress), SCREE_ERR_ARGUMENT, b == 0 ? "0" : "1", "periodic");
                continue;
            }
            CHECK_OK(scree_measure_wall_stress(&now, b, &stress));
            assert_int_equal(stress.contacts, walls[b].contacts);
            double area = scree_sim_get_volume(sim) / (now.box.upper[b / 2] - now.box.lower[b / 2]);
            CHECK_CLOSE(stress.area, area, 1e-12);
            for (int k = 0; k < dim; ++k) {
                CHECK_CLOSE(stress.force[k], walls[b].force[k], 1e-11);
                CHECK_CLOSE(stress.stress[k], walls[b].force[k] / area, 1e-11);
            }
            CHECK_CLOSE(stress.pressure, (b % 2 == 0 ? -1.0 : 1.0) * walls[b].force[b / 2] / area, 1e-11);
        }
        scree_sim_destroy(sim);
    }
}

// ---- Files -------------------------------------------------------------------------------------------------------

// What is in them is compared with VTK (tests/peers/vtk_fields.py) and with NumPy (tests/python/test_measures.py).
static void fields_are_written(void** state)
{
    (void)state;
    const double x[2] = {1.0, 1.0}, r = 0.5;
    scree_snapshot now = scree_default_snapshot();
    now.box = scree_box_sized(2, (const double[2]){4.0, 2.0});
    now.spheres = (scree_spheres){.count = 1, .dim = 2, .x = x, .r = &r};
    scree_fields_def def = scree_default_fields_def();
    def.kernel = SCREE_KERNEL_HEAVISIDE;
    def.width = 0.5;
    def.cells[0] = 2;
    def.cells[1] = 1;
    scree_fields f = fields_of(&now, &def);
    CHECK_OK(scree_write_fields(in_folder("f.csv"), NULL, &f));
    CHECK_FILE(in_folder("f.csv"), "x,y,density,fraction,momentum_x,momentum_y,velocity_x,velocity_y,temperature,kinetic_stress_xx,kinetic_stress_xy,kinetic_stress_yx,"
                                   "kinetic_stress_yy,contact_stress_xx,contact_stress_xy,contact_stress_yx,contact_stress_yy\n"
                                   "1,1,0.19634954084936207,0.19634954084936207,0,0,0,0,0,0,0,0,0,0,0,0,0\n3,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n");
    EACH_ALLOCATION_FAILS(scree_write_fields(in_folder("f.vti"), NULL, &f), (void)0);
    CHECK_FAILS(scree_write_fields(in_folder("f.txt"), NULL, &f), SCREE_ERR_ARGUMENT, "f.txt", ".vti");
    CHECK_FAILS(scree_write_fields("/nowhere/f.vti", NULL, &f), SCREE_ERR_IO, "/nowhere/f.vti");
    scree_fields_free(&f);
    CHECK_FAILS(scree_write_fields(in_folder("g.vti"), NULL, &f), SCREE_ERR_ARGUMENT, "g.vti", "0");
}

// The average of fields is that of all their spheres and contacts together, with the part of their masses and forces that belongs to each time: kinetic stress about the common velocity too.
static void averages_are_fields_of_all_times(void** state)
{
    (void)state;
    enum { times = 3, n = 12, links = 5 };
    for (uint64_t seed = 0; seed < 8; ++seed) {
        scree_rng rng = scree_rng_make(seed, 44);
        int dim = seed % 2 == 0 ? 3 : 2;
        made one, all;
        scree_fields mean = {0};
        scree_fields_def def = scree_default_fields_def();
        def.width = 0.4;
        def.cells[0] = 3;
        def.cells[1] = 4;
        def.cells[2] = 2;
        make_snapshot(&rng, dim, n * times, links * times, &all);
        for (int t = 0; t < times; ++t) {
            make_snapshot(&rng, dim, n, links, &one);
            one.now.box = all.now.box;
            for (int i = 0; i < n; ++i) {
                int64_t to = (int64_t)t * n + i;
                memcpy(one.x + i * dim, all.x + to * dim, (size_t)dim * sizeof *one.x);
                memcpy(one.v + i * dim, all.v + to * dim, (size_t)dim * sizeof *one.v);
                one.v[i * dim] += 1e3;  // a drift
                all.v[to * dim] += 1e3;
                one.r[i] = all.r[to];
                one.mass[i] = all.mass[to] * times;
            }
            for (int c = 0; c < links; ++c) {
                int64_t to = (int64_t)t * links + c;
                one.ij[c][0] = (int64_t)scree_rng_below(&rng, n);
                one.ij[c][1] = (int64_t)scree_rng_below(&rng, n);
                memset(one.shift[c], 0, 3);
                memset(all.shift[to], 0, 3);
                all.ij[to][0] = one.ij[c][0] + t * n;
                all.ij[to][1] = one.ij[c][1] + t * n;
                for (int k = 0; k < dim; ++k)
                    one.force[c][k] = all.force[to][k] * times;
            }
            scree_fields f = fields_of(&one.now, &def);
            CHECK_OK(scree_fields_average(&mean, t, &f));
            scree_fields_free(&f);
        }
        scree_fields f = fields_of(&all.now, &def);
        assert_int_equal(mean.count, f.count);
        for (int64_t c = 0; c < f.count; ++c) {
            CHECK_CLOSE(mean.density[c], f.density[c], 1e-12);
            CHECK_CLOSE(mean.fraction[c] * times, f.fraction[c], 1e-12);
            CHECK_CLOSE(mean.temperature[c], f.temperature[c], 1e-8);
            for (int k = 0; k < 3; ++k) {
                CHECK_CLOSE(mean.velocity[c][k], f.velocity[c][k], 1e-9);
                for (int l = 0; l < 3; ++l) {
                    CHECK_CLOSE(mean.kinetic_stress[c][k][l], f.kinetic_stress[c][k][l], 1e-8);  // squares of the drift would have errors of 1e-10 times 1e6
                    CHECK_CLOSE(mean.contact_stress[c][k][l], f.contact_stress[c][k][l], 1e-12);
                }
            }
        }
        def.cells[0] = 2;
        scree_fields other = fields_of(&all.now, &def);
        CHECK_FAILS(scree_fields_average(&mean, times, &other), SCREE_ERR_ARGUMENT, "3", "2");
        CHECK_FAILS(scree_fields_average(&mean, -1, &f), SCREE_ERR_ARGUMENT, "-1");
        scree_fields_free(&other);
        scree_fields copy = {0};
        EACH_ALLOCATION_FAILS(scree_fields_average(&copy, 0, &f), assert_true(copy.density == NULL));
        assert_memory_equal(copy.velocity, f.velocity, (size_t)f.count * sizeof *f.velocity);
        scree_fields_free(&copy);
        scree_fields_free(&f);
        scree_fields_free(&mean);
    }
}

static const test_case cases[] = {
    ALLOCATION(averages_are_fields_of_all_times),
    PROPERTY(fields_add_up),
    UNIT(fields_agree_with_the_naive_way),
    UNIT(fields_of_tilted_boxes),
    UNIT(densities_with_known_answers),
    UNIT(stress_is_that_of_the_simulation),
    ALLOCATION(fields_are_written),
};

const test_group group_fields = {.name = "fields", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
