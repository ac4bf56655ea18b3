// Boundaries of any shape in simulations: meshes against exact shapes and closed forms, memory over seams, motion, loads, energies, what crosses a sheet; and the same bits
// however they are computed.
#include "sim_support.h"

#include "file_support.h"
#include "surface_support.h"

#include "base/wide.h"
#include "scree/checkpoint.h"
#include "scree/loads.h"
#include "scree/surface.h"
#include "sim/sim_inner.h"

// ---- Shapes ------------------------------------------------------------------------------------------------------------

// A parallelogram of nu x nv pieces, two triangles each, in front of which u x v points.
static void sheet(scree_triangles* t, const double at[3], const double u[3], const double v[3], int nu, int nv)
{
    for (int i = 0; i < nu; ++i)
        for (int j = 0; j < nv; ++j) {
            double p[4][3];
            for (int c = 0; c < 4; ++c)
                for (int k = 0; k < 3; ++k)
                    p[c][k] = at[k] + u[k] * (i + (c == 1 || c == 2)) / nu + v[k] * (j + c / 2) / nv;
            mesh_add(t, p[0], p[1], p[2]);
            mesh_add(t, p[0], p[2], p[3]);
        }
}

static scree_surface* surface_of(scree_triangles* t)
{
    scree_surface_def def = scree_default_surface_def();
    scree_surface* s;
    def.threads = 1;
    CHECK_OK(scree_surface_create(&def, t, &s));
    scree_triangles_free(t);
    return s;
}

static scree_surface* floor_of(int pieces)
{
    scree_triangles t = mesh_room(2 * pieces * pieces);
    sheet(&t, (const double[3]){-3.1, -3.2, 0.0}, (const double[3]){6.5, 0.3, 0.0}, (const double[3]){-0.2, 6.6, 0.0}, pieces, pieces);
    return surface_of(&t);
}

// The wall of a cylinder around z, front inside, of flat pieces that are as often inside of it as outside.
static scree_surface* drum_of(int facets, double radius, double length)
{
    const double r = 0.5 * (radius / cos(sim_pi / facets) + radius);
    scree_triangles t = mesh_ring(facets, -length, r, length, r);
    return surface_of(&t);
}

// ---- Simulations -------------------------------------------------------------------------------------------------------

typedef struct set_up {
    scree_sim_def def;
    scree_sim_law law;
    scree_sim_pair pair;
    scree_sim_material material;
    scree_sim_each each;
    scree_sim_boundary boundary[8];
    scree_exact exact[8];
} set_up;

// Friction, rolling and twisting resistance; gravity down; open space.
static void begin(set_up* s, bool friction)
{
    *s = (set_up){.def = scree_default_sim_def(), .law = scree_default_sim_law(), .pair = scree_default_sim_pair(), .each = scree_default_sim_each()};
    s->def.stiffness = 1e4;
    s->def.restitution = 0.4;
    s->def.gravity[2] = -9.81;
    s->def.threads = 1;
    s->law.material_count = 1;
    s->law.pairs = &s->pair;
    if (friction) {
        s->pair.friction = 0.4;
        s->pair.rolling_friction = 0.02;
        s->pair.twisting_friction = 0.001;
        s->def.law = &s->law;
    }
    s->def.boundaries = s->boundary;
    for (int b = 0; b < 8; ++b) {
        s->boundary[b] = scree_default_sim_boundary();
        s->exact[b] = scree_default_exact();
    }
}

static scree_sim_boundary* add_exact(set_up* s, int32_t kind)
{
    int32_t b = s->def.boundary_count++;
    s->exact[b].kind = kind;
    s->boundary[b].exact = &s->exact[b];
    return &s->boundary[b];
}

static scree_sim_boundary* add_mesh(set_up* s, const scree_surface* surface)
{
    scree_sim_boundary* b = &s->boundary[s->def.boundary_count++];
    b->surface = surface;
    return b;
}

static scree_sim* make(const set_up* s, int32_t n, const double* x, const double* r, const double* v)
{
    scree_sim* sim;
    scree_sim_def def = s->def;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = n, .dim = def.box.dim, .x = x, .r = r}, v, &sim));
    return sim;
}

// Both at the same places with the same velocities and spins.
static void check_together(scree_sim* one, scree_sim* other, double tolerance)
{
    double a[9], b[9];
    CHECK_OK(scree_sim_get_column(one, "x", a));
    CHECK_OK(scree_sim_get_column(other, "x", b));
    CHECK_OK(scree_sim_get_column(one, "v", a + 3));
    CHECK_OK(scree_sim_get_column(other, "v", b + 3));
    memset(a + 6, 0, 3 * sizeof *a);
    memset(b + 6, 0, 3 * sizeof *b);
    (void)scree_sim_get_column(one, "w", a + 6);
    (void)scree_sim_get_column(other, "w", b + 6);
    for (int k = 0; k < 9; ++k)
        CHECK_CLOSE(a[k], b[k], tolerance * (k < 6 ? 1.0 : 10.0));
}

// ---- Planes ------------------------------------------------------------------------------------------------------------

// A sphere falls on the floor at a slant with spin, bounces, slides and rolls over many seams: as on the face of a box, for an exact plane and for meshes of 2 and 2048 triangles. At rest
// and while the floor moves and turns.
static void a_floor_of_triangles_is_the_floor(void** state)
{
    (void)state;
    scree_surface* coarse = floor_of(1);
    scree_surface* fine = floor_of(32);
    for (int round = 0; round < 4; round += test_is_small() ? 3 : 1) {
        set_up box, plane, two, many;
        double x[3] = {-1.513, -1.022, 0.35}, v[3] = {2.1, 1.3, -1.0}, r = 0.13, spin[3] = {3.0, -4.0, 5.0};
        set_up* all[4] = {&box, &plane, &two, &many};
        for (int s = 0; s < 4; ++s) {
            begin(all[s], round != 1);
            all[s]->each.spin = spin;
            if (round != 1)
                all[s]->def.each = &all[s]->each;
            all[s]->def.time_step = 2e-5;
        }
        box.def.box = scree_box_sized(3, (double[3]){100.0, 100.0, 100.0});
        for (int k = 0; k < 2; ++k) {
            box.def.box.lower[k] = -100.0;
        }
        add_exact(&plane, SCREE_EXACT_PLANE);
        add_mesh(&two, coarse);
        add_mesh(&many, fine);
        for (int s = 1; s < 4; ++s) {
            if (round >= 2) {
                memcpy(all[s]->boundary[0].velocity, (double[3]){0.3, -0.2, 0.1}, sizeof(double[3]));
                memcpy(all[s]->boundary[0].about, (double[3]){0.2, 0.1, 0.0}, sizeof(double[3]));
            }
            if (round == 3)
                all[s]->boundary[0].spin[2] = 0.7;
        }
        scree_sim* sim[4];
        for (int s = 0; s < 4; ++s)
            sim[s] = make(all[s], 1, x, &r, v);
        for (int look = 0; look < 12; ++look) {
            for (int s = 0; s < 4; ++s)
                CHECK_OK(scree_sim_run(sim[s], 4000));
            if (round < 2)
                check_together(sim[0], sim[1], 1e-12);
            check_together(sim[1], sim[2], round == 3 ? 1e-11 : 1e-12);
            check_together(sim[1], sim[3], round == 3 ? 1e-11 : 1e-12);
        }
        scree_sim_contacts contacts;
        CHECK_OK(scree_sim_get_contacts(sim[3], &contacts));
        assert_true(contacts.count == 1 && contacts.ij[0][1] == -7 && contacts.feature[0] > 0);
        for (int s = 0; s < 4; ++s)
            scree_sim_destroy(sim[s]);
    }
    scree_surface_destroy(coarse);
    scree_surface_destroy(fine);
}

// In two dimensions a plane at a slant is the bottom of a box that is turned, and a circle the round wall of a container.
static void planes_and_circles_in_two_dimensions(void** state)
{
    (void)state;
    set_up flat, slanted;
    double r = 0.1, angle = 0.6, c = cos(angle), s = sin(angle), x[2] = {0.3, 0.4}, v[2] = {0.9, -0.4}, y[2] = {c * x[0] - s * x[1], s * x[0] + c * x[1]},
           u[2] = {c * v[0] - s * v[1], s * v[0] + c * v[1]};
    begin(&flat, true);
    begin(&slanted, true);
    flat.def.box = scree_box_sized(2, (double[2]){100.0, 100.0});
    flat.def.box.lower[0] = -100.0;
    slanted.def.box = scree_box_open(2);
    memcpy(flat.def.gravity, (double[3]){0.0, -9.81, 0.0}, sizeof(double[3]));
    memcpy(slanted.def.gravity, (double[3]){9.81 * s, -9.81 * c, 0.0}, sizeof(double[3]));
    flat.pair.twisting_friction = slanted.pair.twisting_friction = 0.0;
    add_exact(&slanted, SCREE_EXACT_PLANE);
    memcpy(slanted.exact[0].axis, (double[3]){-2.0 * s, 2.0 * c, 0.0}, sizeof(double[3]));
    flat.def.time_step = slanted.def.time_step = 2e-5;
    scree_sim *one = make(&flat, 1, x, &r, v), *other = make(&slanted, 1, y, &r, u);
    CHECK_OK(scree_sim_run(one, 40000));
    CHECK_OK(scree_sim_run(other, 40000));
    double a[2], b[2], w[3], z[3];
    CHECK_OK(scree_sim_get_column(one, "x", a));
    CHECK_OK(scree_sim_get_column(other, "x", b));
    CHECK_OK(scree_sim_get_column(one, "w", w));
    CHECK_OK(scree_sim_get_column(other, "w", z));
    CHECK_CLOSE(c * a[0] - s * a[1], b[0], 1e-11);
    CHECK_CLOSE(s * a[0] + c * a[1], b[1], 1e-11);
    CHECK_CLOSE(w[2], z[2], 1e-9);
    assert_true(fabs(w[2]) > 1.0);
    scree_sim_destroy(one);
    scree_sim_destroy(other);
    set_up round, circle;
    begin(&round, true);
    begin(&circle, true);
    round.def.box = scree_box_sized(2, (double[2]){2.0, 2.0});
    round.def.container = SCREE_CONTAINER_SPHERE;
    circle.def.box = scree_box_open(2);
    add_exact(&circle, SCREE_EXACT_CYLINDER);
    memcpy(circle.exact[0].at, (double[3]){1.0, 1.0, 0.0}, sizeof(double[3]));
    circle.exact[0].length = INFINITY;
    circle.exact[0].radius[0] = 1.0;
    round.pair.twisting_friction = circle.pair.twisting_friction = 0.0;
    memcpy(round.def.gravity, (double[3]){0.0, -9.81, 0.0}, sizeof(double[3]));
    memcpy(circle.def.gravity, (double[3]){0.0, -9.81, 0.0}, sizeof(double[3]));
    round.def.time_step = circle.def.time_step = 2e-5;
    double at[2] = {1.5, 1.2}, still[2] = {0.0, 0.0};
    one = make(&round, 1, at, &r, still);
    other = make(&circle, 1, at, &r, still);
    CHECK_OK(scree_sim_run(one, 30000));
    CHECK_OK(scree_sim_run(other, 30000));
    CHECK_OK(scree_sim_get_column(one, "x", a));
    CHECK_OK(scree_sim_get_column(other, "x", b));
    CHECK_CLOSE(a[0], b[0], 1e-11);
    CHECK_CLOSE(a[1], b[1], 1e-11);
    scree_sim_destroy(one);
    scree_sim_destroy(other);
}

// ---- Edges, vertices, corners ------------------------------------------------------------------------------------------

// A sphere thrown straight at an edge or a vertex comes back the way it came, after half a swing of its spring; one thrown at it off-centre in a plane across the edge keeps its energy
// and its angular momentum about the edge.
static void edges_and_vertices_push_radially(void** state)
{
    (void)state;
    scree_triangles t = mesh_room(12);
    double o[3] = {0.0, 0.0, 0.0}, x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
    sheet(&t, o, y, x, 1, 1);  // three faces of a cube in x, y, z > 0, fronts outwards
    sheet(&t, o, z, y, 1, 1);
    sheet(&t, o, x, z, 1, 1);
    scree_surface* cube = surface_of(&t);
    double r = 0.2, mass = sim_test_mass(3, 1.0, r);
    for (int round = 0; round < 4; ++round) {
        set_up s;
        begin(&s, false);
        s.def.gravity[2] = 0.0;
        s.def.restitution = 0.0;
        s.def.time_step = 1e-5;
        add_mesh(&s, cube);
        double way[3] = {-1.0, -1.0, round % 2 == 0 ? -1.0 : 0.0}, length = sqrt(round % 2 == 0 ? 3.0 : 2.0), at[3], v[3], from[3] = {0.0, 0.0, round % 2 == 0 ? 0.0 : 0.43};
        for (int k = 0; k < 3; ++k) {
            at[k] = from[k] + 0.5 * way[k] / length;
            v[k] = -2.0 * way[k] / length;
        }
        if (round >= 2) {
            at[0] += 0.02;
            at[1] -= 0.02;
        }
        scree_sim* sim = make(&s, 1, at, &r, v);
        double time = 2.0 * 0.3 / 2.0 + sim_pi / sqrt(s.def.stiffness / mass);  // there, half a swing, and back
        int64_t steps = (int64_t)(time / s.def.time_step);
        CHECK_OK(scree_sim_run(sim, steps / 2));
        scree_sim_contacts contacts;
        CHECK_OK(scree_sim_get_contacts(sim, &contacts));
        assert_int_equal(contacts.count, 1);
        CHECK_OK(scree_sim_run(sim, steps - steps / 2));
        double now[3], u[3];
        CHECK_OK(scree_sim_get_column(sim, "x", now));
        CHECK_OK(scree_sim_get_column(sim, "v", u));
        if (round < 2)
            for (int k = 0; k < 3; ++k) {
                CHECK_CLOSE(u[k], -v[k], 1e-5);
                CHECK_CLOSE(now[k], at[k], 1e-4);
            }
        CHECK_CLOSE(sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), 2.0, 1e-5);
        if (round == 3)
            CHECK_CLOSE(now[0] * u[1] - now[1] * u[0], at[0] * v[1] - at[1] * v[0], 1e-9);
        if (round >= 2)
            assert_true(fabs(u[0] + v[0]) > 0.1);
        scree_sim_destroy(sim);
    }
    scree_surface_destroy(cube);
}

// In a concave corner a mesh is the planes of its faces, with friction on each.
static void a_concave_corner_is_its_planes(void** state)
{
    (void)state;
    scree_triangles t = mesh_room(2000);
    sheet(&t, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){4.0, 0.0, 0.0}, (const double[3]){0.0, 4.0, 0.0}, 7, 5);
    sheet(&t, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){0.0, 4.0, 0.0}, (const double[3]){0.0, 0.0, 4.0}, 5, 9);
    sheet(&t, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){0.0, 0.0, 4.0}, (const double[3]){4.0, 0.0, 0.0}, 9, 7);
    scree_surface* mesh = surface_of(&t);
    set_up planes, whole;
    begin(&planes, true);
    begin(&whole, true);
    for (int k = 2; k >= 0; --k) {
        scree_sim_boundary* b = add_exact(&planes, SCREE_EXACT_PLANE);
        memset(planes.exact[b - planes.boundary].axis, 0, sizeof(double[3]));
        planes.exact[b - planes.boundary].axis[k] = 1.0;
    }
    add_mesh(&whole, mesh);
    planes.def.gravity[0] = whole.def.gravity[0] = -7.0;
    planes.def.gravity[1] = whole.def.gravity[1] = -9.0;
    double x[3] = {0.9, 0.7, 0.5}, v[3] = {-1.0, 0.5, 0.2}, r = 0.15, spin[3] = {1.0, 2.0, 3.0};
    planes.each.spin = whole.each.spin = spin;
    planes.def.each = &planes.each;
    whole.def.each = &whole.each;
    planes.def.time_step = whole.def.time_step = 2e-5;
    scree_sim *one = make(&planes, 1, x, &r, v), *other = make(&whole, 1, x, &r, v);
    for (int look = 0; look < 20; ++look) {
        CHECK_OK(scree_sim_run(one, 2500));
        CHECK_OK(scree_sim_run(other, 2500));
        check_together(one, other, 1e-12);
    }
    scree_sim_contacts contacts;
    CHECK_OK(scree_sim_get_contacts(other, &contacts));
    assert_int_equal(contacts.count, 3);
    assert_true(contacts.feature[0] < contacts.feature[1] && contacts.feature[1] < contacts.feature[2]);
    scree_sim_destroy(one);
    scree_sim_destroy(other);
    scree_surface_destroy(mesh);
}

// A sphere in a drum that turns, or in the cylinder (facets 0), or in the cylinder as the older kind of boundary (facets -1): where it is after a while.
static void in_turning_drum(int facets, bool hertz, bool rolling, double found[3])
{
    double x[3] = {0.3, -0.75, 0.0}, r = 0.1;
    set_up s;
    begin(&s, true);
    s.pair.twisting_friction = 0.0;
    s.pair.rolling_friction = rolling ? 0.05 : 0.0;
    s.def.stiffness = 40.0;  // a contact lasts 0.03: five facets of 96
    if (hertz) {
        s.law.name = "hertz";
        s.material = scree_default_sim_material();
        s.material.young = 4e3;
        s.material.poisson = 0.3;
        s.law.materials = &s.material;
        s.def.stiffness = 0.0;
        s.def.speed = 1.0;
    }
    memcpy(s.def.gravity, (double[3]){0.0, -9.81, 0.0}, sizeof(double[3]));
    scree_surface* mesh = facets > 0 ? drum_of(facets, 1.0, 1.0) : NULL;
    scree_sim_boundary* b = facets > 0 ? add_mesh(&s, mesh) : add_exact(&s, SCREE_EXACT_CYLINDER);
    s.exact[0].length = INFINITY;
    s.exact[0].radius[0] = 1.0;
    s.exact[0].inside = true;
    if (facets < 0) {
        b->exact = NULL;
        b->kind = "cylinder";
        b->radius = 1.0;
    }
    b->spin[2] = 1.5;
    s.def.time_step = 2e-4;
    scree_sim* sim = make(&s, 1, x, &r, NULL);
    CHECK_OK(scree_sim_run(sim, 3000));
    CHECK_OK(scree_sim_get_column(sim, "x", found));
    scree_sim_destroy(sim);
    scree_surface_destroy(mesh);
}

// The more facets, the nearer to the cylinder: at least as the square of their number, while the sphere passes facets faster than it vibrates on them and its contact does not cover several.
static void a_drum_of_facets_converges_to_the_cylinder(void** state)
{
    (void)state;
    for (int law = 0; law < 4; ++law) {
        const bool hertz = law / 2 == 1, rolling = law % 2 == 1;
        double wanted[3], found[3], error[2];
        in_turning_drum(0, hertz, rolling, wanted);
        for (int n = 0; n < 2; ++n) {
            in_turning_drum(n == 0 ? 96 : 384, hertz, rolling, found);
            error[n] = hypot(found[0] - wanted[0], found[1] - wanted[1]);
            assert_true(found[2] == 0.0);
        }
        if (!(error[1] < error[0] / 16.0) || !(error[1] < 3e-4))
            fail_msg("%s%s: with 96 facets %g away from the exact cylinder, with 384 %g", hertz ? "hertz" : "linear", rolling ? ", rolling" : "", error[0], error[1]);
        if (law > 0)
            continue;
        in_turning_drum(-1, false, false, found);
        for (int k = 0; k < 3; ++k)
            CHECK_CLOSE(found[k], wanted[k], 1e-11);
    }
}

// A sphere is let go on the axis of a ring of facets, or beside it: a funnel, a round hole, a tube narrower than itself, the tip of a cone. It comes to rest there, at the height at which the exact shape
// carries it, the nearer the more facets there are. The contact is so soft that it covers facets: a hard one would touch each of them, with a stiffness for each.
static void rings_of_facets_carry_a_sphere(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        double low, radius, high, wide, start;  // of the ring; where the sphere begins
        int32_t kind;
    } cases[] = {{"funnel", 0.0, 0.1, 1.0, 1.1, 0.18, SCREE_EXACT_CONE},
                 {"hole", 0.0, 0.1, 0.0, 1.1, 0.17, SCREE_EXACT_DISC},
                 {"tube", -1.0, 0.12, 0.0, 0.12, 0.16, SCREE_EXACT_CYLINDER},
                 {"tip", 0.0, 0.0, 1.0, 1.0, 0.28, SCREE_EXACT_CONE}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
        for (int beside = 0; beside < 2; ++beside) {
            double wanted = 0.0, before = INFINITY;
            for (int facets = 0; facets <= 144; facets = facets == 0 ? 16 : 3 * facets) {
                set_up s;
                const double r = 0.2, x[3] = {0.01 * beside, 0.005 * beside, cases[c].start};
                double end[3], v[3];
                begin(&s, false);
                s.def.stiffness = 1e3;
                s.def.restitution = 0.3;
                s.def.material_density = 1.0 / (4.0 / 3.0 * sim_pi * pow(r, 3.0));
                s.def.time_step = sim_pi / sqrt(1e3) / 100.0;
                scree_surface* mesh = NULL;
                if (facets == 0) {
                    add_exact(&s, cases[c].kind);
                    scree_exact* e = &s.exact[0];
                    const bool disc = cases[c].kind == SCREE_EXACT_DISC;
                    memcpy(e->at, (double[3]){0.0, 0.0, cases[c].low}, sizeof e->at);
                    e->length = cases[c].high - cases[c].low;
                    e->radius[0] = disc ? cases[c].wide : cases[c].radius;
                    e->radius[1] = disc ? cases[c].radius : cases[c].wide;
                } else {
                    scree_triangles t = mesh_ring(facets, cases[c].low, cases[c].radius, cases[c].high, cases[c].wide);
                    mesh = surface_of(&t);
                    add_mesh(&s, mesh);
                }
                scree_sim* sim = make(&s, 1, x, &r, NULL);
                CHECK_OK(scree_sim_run(sim, 2000));
                CHECK_OK(scree_sim_get_column(sim, "x", end));
                CHECK_OK(scree_sim_get_column(sim, "v", v));
                const double error = fabs(end[2] - wanted), speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
                if (facets == 0)
                    wanted = end[2];
                else if (!(error < 0.6 * before) || !(speed < 2e-3) || !(hypot(end[0], end[1]) < 5e-3) || (facets == 144 && !(error < 5e-3)))
                    fail_msg("%s, beside the axis %d, %d facets: at %g %g %g with the speed %g, with fewer facets off by %g; exact shape: at height %g", cases[c].name, beside, facets, end[0], end[1], end[2],
                             speed, before, wanted);
                before = facets == 0 ? INFINITY : error;
                scree_sim_destroy(sim);
                scree_surface_destroy(mesh);
            }
        }
}

// ---- Energy ------------------------------------------------------------------------------------------------------------

enum { elastic_meshes = 8 };

static const char* const elastic_names[elastic_meshes] = {"drum of 6", "drum of 16", "drum of 64", "drum of 128", "drum of 360", "trough", "funnel", "egg-crate"};

// Walls with concave edges all round, and a place for a sphere of radius 0.2 inside.
static scree_surface* elastic_mesh(int number, double x[3], double v[3], double gravity[3])
{
    static const int facets[5] = {6, 16, 64, 128, 360};
    static const struct {
        double x[3], v[3], gravity[3];
    } begins[] = {{{0.1, 0.05, 0.0}, {0.0, 0.0, 0.0}, {0.0, -1.0, 0.0}}, {{0.1, 0.05, 0.4}, {0.7, 0.4, 0.0}, {0.0, 0.0, -1.0}}, {{0.05, 0.03, 0.6}, {0.2, 0.1, 0.0}, {0.0, 0.0, -1.0}}, {{0.05, 0.03, 0.4}, {0.2, 0.1, 0.0}, {0.0, 0.0, -1.0}}};
    const int place = number < 5 ? 0 : number - 4;
    memcpy(x, begins[place].x, sizeof begins[place].x);
    memcpy(v, begins[place].v, sizeof begins[place].v);
    memcpy(gravity, begins[place].gravity, sizeof begins[place].gravity);
    if (number < 5)
        return drum_of(facets[number], 1.0, 60.0);
    scree_triangles t;
    if (number == 5) {
        t = mesh_room(400);
        sheet(&t, (const double[3]){-1.0, -1.0, 0.0}, (const double[3]){2.0, 0.0, 0.0}, (const double[3]){0.0, 2.0, 0.0}, 3, 2);
        sheet(&t, (const double[3]){-1.0, -1.0, 0.0}, (const double[3]){0.0, 2.0, 0.0}, (const double[3]){0.0, 0.0, 2.0}, 1, 1);  // its long edges meet shorter ones: T-junctions
        sheet(&t, (const double[3]){1.0, -1.0, 0.0}, (const double[3]){0.0, 0.0, 2.0}, (const double[3]){0.0, 2.0, 0.0}, 2, 2);
        sheet(&t, (const double[3]){-1.0, -1.0, 0.0}, (const double[3]){0.0, 0.0, 2.0}, (const double[3]){2.0, 0.0, 0.0}, 1, 3);
        sheet(&t, (const double[3]){-1.0, 1.0, 0.0}, (const double[3]){2.0, 0.0, 0.0}, (const double[3]){0.0, 0.0, 2.0}, 2, 1);
    } else if (number == 6) {
        scree_triangles cone = mesh_ring(32, 0.0, 0.1, 0.5, 0.6), wall = mesh_ring(32, 0.5, 0.6, 3.0, 0.6);
        t = mesh_room(128);
        memcpy(t.xyz, cone.xyz, 64 * 9 * sizeof *t.xyz);
        memcpy(t.xyz + 64 * 9, wall.xyz, 64 * 9 * sizeof *t.xyz);
        t.count = 128;
        scree_triangles_free(&cone);
        scree_triangles_free(&wall);
    } else {
        scree_rng rng = scree_rng_make(7, 3);
        double heights[121];
        for (int i = 0; i < 121; ++i)
            heights[i % 11 * 11 + i / 11] = 0.05 * scree_rng_uniform(&rng) + 0.4 * (pow(0.2 * (i / 11) - 1.0, 2.0) + pow(0.2 * (i % 11) - 1.0, 2.0));
        t = mesh_heights(10, -1.0, 1.0, heights);
    }
    return surface_of(&t);
}

static double whole_energy(scree_sim* sim)
{
    const scree_sim_report r = sim_report_of(sim);
    return ((r.energy_kinetic + r.energy_rotation) + (r.energy_normal + r.energy_tangential)) + ((r.energy_rolling + r.energy_twisting) + r.energy_gravity);
}

// A sphere of mass 1 in a mesh for 20 units of time. The largest error of its energy, or with friction the largest rise of it.
static double energy_error(int number, bool hertz, bool friction, double restitution, int parts)
{
    set_up s;
    double x[3], v[3], gravity[3], spin[3] = {3.0, 2.0, 1.0}, r = 0.2, worst = 0.0;
    begin(&s, false);
    scree_surface* mesh = elastic_mesh(number, x, v, gravity);
    add_mesh(&s, mesh);
    memcpy(s.def.gravity, gravity, sizeof gravity);
    s.def.material_density = 1.0 / (4.0 / 3.0 * sim_pi * pow(r, 3.0));
    s.def.box = scree_box_open(3);
    s.def.energies = true;
    s.pair.restitution = restitution;
    s.pair.friction = friction ? 0.5 : 0.0;
    s.pair.rolling_friction = friction ? 0.02 : 0.0;
    s.def.stiffness = s.def.restitution = 0.0;
    if (hertz) {
        s.law.name = "hertz";
        s.material = scree_default_sim_material();
        s.material.young = 1e5;
        s.material.poisson = 0.3;
        s.law.materials = &s.material;
    } else {
        s.pair.stiffness = 1e4;
    }
    s.def.law = &s.law;
    s.each.spin = friction ? spin : NULL;
    s.def.each = &s.each;
    s.def.time_step = sim_pi / 100.0 / parts;
    scree_sim* sim = make(&s, 1, x, &r, v);
    double low = whole_energy(sim), first = low;
    for (int n = 0; n < 200; ++n) {
        CHECK_OK(scree_sim_run(sim, (int64_t)(0.1 / s.def.time_step)));
        const double now = whole_energy(sim);
        worst = fmax(worst, friction ? now - low : fabs(now - first));
        low = fmin(low, now);
    }
    scree_sim_destroy(sim);
    scree_surface_destroy(mesh);
    return worst;
}

// Concave and convex edges, corners, T-junctions: no face comes in with a jump of the force.
static void an_elastic_sphere_keeps_its_energy(void** state)
{
    (void)state;
    for (int hertz = 0; hertz < 2; ++hertz) {
        double sums[2] = {0.0};
        for (int number = 0; number < elastic_meshes; ++number) {
            const double coarse = energy_error(number, hertz == 1, false, 1.0, 50), fine = energy_error(number, hertz == 1, false, 1.0, 200);
            sums[0] += coarse;
            sums[1] += fine;
            if (!(coarse < 4e-3) || !(fine < 2e-4))
                fail_msg("%s, %s: the energy errs by %g, with a quarter of the step by %g", elastic_names[number], hertz == 1 ? "hertz" : "linear", coarse, fine);
        }
        assert_true(sums[1] < sums[0] / 10.0);  // of second order: 16
    }
}

// With friction that sticks, slides and resists rolling it only falls, but for the error of the step.
static void friction_on_meshes_gives_no_energy(void** state)
{
    (void)state;
    for (int hertz = 0; hertz < 2; ++hertz)
        for (int number = 0; number < elastic_meshes; ++number) {
            const double elastic = energy_error(number, hertz == 1, true, 1.0, 100), damped = energy_error(number, hertz == 1, true, 0.9, 100);
            if (!(elastic < 8e-4) || !(damped < 1e-10))
                fail_msg("%s, %s: the energy rises by %g, with damping by %g", elastic_names[number], hertz == 1 ? "hertz" : "linear", elastic, damped);
        }
}

// A hard sphere lies beside the axis of a funnel of many facets and touches them apart from each other, each with its dashpot.
// Without a limit these gave 1.9e-2 of energy, of 0.18.
static void dashpots_of_many_facets_give_no_energy(void** state)
{
    (void)state;
    for (int law = 0; law < 3; ++law) {
        set_up s;
        const double r = 0.2, x[3] = {1e-3, 0.0, sqrt(2.0) * r - 0.099};
        scree_triangles t = mesh_ring(256, 0.0, 0.1, 1.0, 1.1);
        scree_surface* mesh = surface_of(&t);
        double rise = 0.0;
        int64_t most = 0;
        begin(&s, law > 0);
        add_mesh(&s, mesh);
        s.def.gravity[2] = -1.0;
        s.def.material_density = 1.0 / (4.0 / 3.0 * sim_pi * pow(r, 3.0));
        s.def.restitution = law == 0 ? 0.3 : 0.0;
        s.pair.restitution = 0.3;
        s.def.energies = true;
        s.def.time_step = sim_pi / 100.0 / 50.0;
        if (law == 2) {
            s.law.name = "hertz";
            s.material = scree_default_sim_material();
            s.material.young = 5e5;
            s.material.poisson = 0.3;
            s.law.materials = &s.material;
            s.def.stiffness = 0.0;
        }
        scree_sim* sim = make(&s, 1, x, &r, NULL);
        double low = whole_energy(sim);
        for (int n = 0; n < 100; ++n) {
            CHECK_OK(scree_sim_run(sim, 3));
            const double now = whole_energy(sim);
            const int64_t count = sim_report_of(sim).wall_contacts;
            most = count > most ? count : most;
            rise = fmax(rise, now - low);
            low = fmin(low, now);
        }
        if (!(rise < 1e-6) || most < 100)
            fail_msg("law %d: the energy rises by %g, with up to %d contacts", law, rise, (int)most);
        scree_sim_destroy(sim);
        scree_surface_destroy(mesh);
    }
}

// ---- Motion, loads, energies -------------------------------------------------------------------------------------------

// A sphere that a turning disc of triangles carries round with friction: what the disc gives is what the energies say; forces are weight, torque and power follow.
static void loads_and_energies_of_a_turning_mesh(void** state)
{
    (void)state;
    scree_surface* mesh = floor_of(9);
    set_up s;
    begin(&s, true);
    s.def.energies = true;
    s.def.time_step = 2e-5;
    scree_sim_boundary* b = add_mesh(&s, mesh);
    b->name = "table";
    memcpy(b->about, (double[3]){0.5, 0.25, -1.0}, sizeof b->about);
    b->spin[2] = 1.0;
    b->velocity[0] = 0.1;
    double r = 0.1, mass = sim_test_mass(3, 1.0, r), x[3] = {0.9, 0.1, r - mass * 9.81 / s.def.stiffness};
    scree_sim* sim = make(&s, 1, x, &r, NULL);
    scree_sim_report first = sim_report_of(sim);
    CHECK_OK(scree_sim_run(sim, 30000));
    scree_sim_report now = sim_report_of(sim);
    double before = first.energy_kinetic + first.energy_rotation + first.energy_contact;
    double dissipated = now.dissipated_normal + now.dissipated_tangential + now.dissipated_rolling + now.dissipated_twisting;
    double sum = now.energy_kinetic + now.energy_rotation + now.energy_contact + dissipated - now.work_walls - now.work_gravity;
    assert_true(now.work_walls > 0.0 && now.energy_kinetic > 1e-4 * mass);
    CHECK_CLOSE(sum, before, 2e-6 * now.work_walls);
    scree_sim_boundary_report load[7];
    assert_int_equal(scree_sim_get_boundaries(sim, load, 7), 7);
    assert_string_equal(load[6].name, "table");
    scree_sim_contacts contacts;
    CHECK_OK(scree_sim_get_contacts(sim, &contacts));
    assert_int_equal(contacts.count, 1);
    double now_x[3], arm[3], time = scree_sim_get_time(sim);
    CHECK_OK(scree_sim_get_column(sim, "x", now_x));
    CHECK_CLOSE(load[6].force[2], -mass * 9.81, 1e-5 * mass);
    CHECK_CLOSE(load[6].at[0], 0.5 + 0.1 * time, 1e-14);
    CHECK_CLOSE(load[6].turn[0][0], cos(time), 1e-14);
    CHECK_CLOSE(load[6].turn[1][0], sin(time), 1e-14);
    for (int k = 0; k < 3; ++k) {
        CHECK_CLOSE(load[6].force[k], -contacts.force[0][k], 1e-18);
        arm[k] = (k == 2 ? 0.0 : now_x[k]) - load[6].at[k];
    }
    double moment = arm[0] * load[6].force[1] - arm[1] * load[6].force[0];
    CHECK_CLOSE(load[6].torque[2], moment, 0.0011 * mass * 9.81);  // and that of twisting
    CHECK_CLOSE(load[6].power, -(moment + load[6].force[0] * 0.1), 0.0011 * mass * 9.81);
    // From now on at rest: what it is turned to stays.
    CHECK_OK(scree_sim_set_motion(sim, 6, (double[3]){0.0, 0.0, 0.0}, (double[3]){0.0, 0.0, 0.0}));
    CHECK_OK(scree_sim_run(sim, 5000));
    assert_int_equal(scree_sim_get_boundaries(sim, load, 7), 7);
    CHECK_CLOSE(load[6].turn[0][0], cos(time), 1e-14);
    CHECK_CLOSE(load[6].at[0], 0.5 + 0.1 * time, 1e-14);
    scree_sim_destroy(sim);
    scree_surface_destroy(mesh);
}

// A spin has the same meaning whatever its axis: a plate that turns by (1, 1, 1) w turns by sqrt(3) w in all.
static void spin_is_radians_per_time_about_any_axis(void** state)
{
    (void)state;
    set_up s;
    begin(&s, false);
    s.def.gravity[2] = 0.0;
    scree_sim_boundary* b = add_exact(&s, SCREE_EXACT_DISC);
    s.exact[0].radius[0] = 1.0;
    for (int k = 0; k < 3; ++k)
        b->spin[k] = 0.5;
    double r = 0.1, x[3] = {5.0, 5.0, 5.0}, wanted[3][3];
    s.def.time_step = 1e-4;
    scree_sim* sim = make(&s, 1, x, &r, NULL);
    CHECK_OK(scree_sim_run(sim, 7000));
    scree_sim_boundary_report load[7];
    scree_sim_get_boundaries(sim, load, 7);
    CHECK_OK(scree_placement_turn(b->spin, sqrt(0.75) * 0.7, wanted));
    for (int k = 0; k < 9; ++k)
        CHECK_CLOSE(load[6].turn[k / 3][k % 3], wanted[k / 3][k % 3], 1e-14);
    scree_sim_destroy(sim);
}

// ---- What crosses ------------------------------------------------------------------------------------------------------

static void a_centre_that_crosses_a_sheet_is_an_error(void** state)
{
    (void)state;
    scree_surface* mesh = floor_of(4);
    for (int round = 0; round < 6; ++round) {
        set_up s;
        begin(&s, false);
        s.def.stiffness = 1.0;
        s.def.restitution = 0.0;
        s.def.time_step = 1e-4;
        scree_sim_boundary* b = round < 2 ? add_mesh(&s, mesh) : add_exact(&s, round == 2 ? SCREE_EXACT_PLANE : round == 3 ? SCREE_EXACT_DISC : round == 4 ? SCREE_EXACT_CONE : SCREE_EXACT_BOX);
        s.exact[0].radius[0] = 2.0;
        s.exact[0].length = 1.0;
        memcpy(s.exact[0].lower, (double[3]){-1.0, -1.0, -1.0}, sizeof(double[3]));
        memcpy(s.exact[0].upper, (double[3]){1.0, 1.0, 0.0}, sizeof(double[3]));
        b->name = "lid";
        b->velocity[2] = round == 1 ? 1.0 : 0.0;
        double r[2] = {0.1, 0.1}, x[6] = {5.0, 5.0, 9.0, 0.35, 0.15, round == 4 ? 1.0 : 0.2}, v[6] = {0.0, 0.0, 0.0, 0.0, 0.0, -4.0};
        scree_sim* sim = make(&s, 2, x, r, v);
        CHECK_FAILS(scree_sim_run(sim, 5000), SCREE_ERR_ARGUMENT, "sphere 1", "'lid'", "step");
        scree_sim_destroy(sim);
    }
    // Around the rim of a disc, one by one, from above and below, and through the hole.
    for (int round = 0; round < 4; ++round) {
        set_up s;
        begin(&s, false);
        s.def.time_step = 1e-4;
        add_exact(&s, SCREE_EXACT_DISC);
        s.exact[0].radius[0] = 1.0;
        s.exact[0].radius[1] = 0.3;
        bool mesh_rim = round >= 2;
        if (mesh_rim) {  // the same with the edge of the floor
            s.def.boundary_count = 0;
            s.boundary[0].exact = NULL;
            add_mesh(&s, mesh);
        }
        double r = 0.25, x[3] = {round % 2 == 0 ? 1.05 : 0.1, 0.02, 0.5}, v[3] = {0.0, 0.0, -3.0};
        if (mesh_rim) {
            x[0] = round == 2 ? 3.32 : 0.2;
            x[1] = round == 2 ? 0.1 : 3.58;
        }
        scree_sim* sim = make(&s, 1, x, &r, v);
        double now[3];
        CHECK_OK(scree_sim_run(sim, 9000));
        CHECK_OK(scree_sim_get_column(sim, "x", now));
        assert_true(now[2] < -0.2);
        scree_sim_destroy(sim);
    }
    scree_surface_destroy(mesh);
}

// One-sided: what is behind it does not feel it.
static void one_sided_shapes_push_on_their_front_only(void** state)
{
    (void)state;
    for (int round = 0; round < 2; ++round) {
        set_up s;
        begin(&s, false);
        s.def.gravity[2] = 0.0;
        scree_sim_boundary* b = add_exact(&s, SCREE_EXACT_PLANE);
        b->one_sided = true;
        double r = 0.2, x[3] = {0.0, 0.0, round == 0 ? 0.15 : -0.15};
        scree_sim* sim = make(&s, 1, x, &r, NULL);
        scree_sim_contacts contacts;
        CHECK_OK(scree_sim_get_contacts(sim, &contacts));
        assert_int_equal(contacts.count, round == 0);
        scree_sim_destroy(sim);
    }
}

// ---- Same bits ---------------------------------------------------------------------------------------------------------

enum { crowd = 240 };

// A hopper of meshes and exact shapes with a paddle that turns, and spheres of several sizes in it.
static scree_surface* paddle_of(void)
{
    scree_triangles t = mesh_room(64);
    sheet(&t, (const double[3]){-0.9, 0.0, 0.15}, (const double[3]){1.8, 0.0, 0.0}, (const double[3]){0.0, 0.0, 0.4}, 4, 2);
    sheet(&t, (const double[3]){0.0, -0.9, 0.15}, (const double[3]){0.0, 1.8, 0.0}, (const double[3]){0.0, 0.0, 0.4}, 3, 2);
    return surface_of(&t);
}

static void crowd_of(double* x, double* r, double* v, double* spin)
{
    scree_rng rng = scree_rng_make(5, 1);
    for (int32_t i = 0; i < crowd; ++i) {
        bool clear = false;
        r[i] = 0.05 + 0.03 * scree_rng_uniform(&rng);
        while (!clear) {
            double a = 2.0 * sim_pi * scree_rng_uniform(&rng), d = 0.85 * sqrt(scree_rng_uniform(&rng));
            x[3 * i] = d * cos(a);
            x[3 * i + 1] = d * sin(a);
            x[3 * i + 2] = 0.1 + 1.1 * scree_rng_uniform(&rng);
            clear = fabs(x[3 * i]) > 0.9 * r[i] && fabs(x[3 * i + 1]) > 0.9 * r[i];
            for (int32_t j = 0; j < i && clear; ++j) {
                double e[3] = {x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1], x[3 * i + 2] - x[3 * j + 2]};
                clear = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) > 0.95 * (r[i] + r[j]);
            }
        }
        for (int k = 0; k < 3; ++k) {
            v[3 * i + k] = scree_rng_uniform(&rng) - 0.5;
            spin[3 * i + k] = 5.0 * (scree_rng_uniform(&rng) - 0.5);
        }
    }
}

static void crowd_set_up(set_up* s, int law, const scree_surface* floor, const scree_surface* paddle, const scree_surface* drum)
{
    begin(s, law != 0);
    s->def.stiffness = 1e3;
    s->def.time_step = 1e-4;
    s->def.gravity[2] = -100.0;
    s->def.order_every = 40;
    switch (law) {
    case 2:
        s->law.name = "jkr";
        s->material = scree_default_sim_material();
        s->material.young = 2e4;
        s->material.poisson = 0.3;
        s->law.materials = &s->material;
        s->pair.surface_energy = 0.05;
        s->def.stiffness = 0.0;
        s->def.speed = 2.0;
        break;
    case 3:
        s->def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
        s->def.giants = 0.07;
        break;
    default:
        break;
    }
    s->def.energies = law == 1;
    add_mesh(s, floor);
    scree_sim_boundary* b = add_mesh(s, drum);
    b->spin[2] = -0.5;
    b = add_mesh(s, paddle);
    b->spin[2] = 3.0;
    b->spin[0] = 0.2;
    b->velocity[2] = 0.1;
    s->boundary[s->def.boundary_count].kind = "cylinder";
    s->boundary[s->def.boundary_count].radius = 1.3;
    ++s->def.boundary_count;
    add_exact(s, SCREE_EXACT_CONE);
    s->exact[4].at[2] = 0.9;
    s->exact[4].radius[0] = 0.4;
    s->exact[4].radius[1] = 1.0;
    s->exact[4].length = 1.0;
    s->exact[4].inside = true;
    add_exact(s, SCREE_EXACT_BOX);
    memcpy(s->exact[5].lower, (double[3]){-1.5, -1.5, -0.5}, sizeof(double[3]));
    memcpy(s->exact[5].upper, (double[3]){1.5, 1.5, 3.0}, sizeof(double[3]));
}

static void shapes_give_the_same_bits_every_way(void** state)
{
    (void)state;
    double *x = calloc(3 * crowd, sizeof *x), *r = calloc(crowd, sizeof *r), *v = calloc(3 * crowd, sizeof *v), *spin = calloc(3 * crowd, sizeof *spin);
    crowd_of(x, r, v, spin);
    scree_surface *floor = floor_of(23), *paddle = paddle_of(), *drum = drum_of(90, 1.0, 3.0);
    for (int law = 0; law < 4; ++law) {
        uint64_t wanted = 0;
        for (int way = 0; way < 7; ++way) {
            set_up s;
            crowd_set_up(&s, law, floor, paddle, drum);
            scree_index_def search = scree_default_index_def();
            s.def.search = &search;
            if (law != 0) {
                s.each.spin = spin;
                s.def.each = &s.each;
            }
            s.def.backend = way == 1 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
            s.def.threads = way == 2 ? 3 : 1;
            search.method = way == 3 ? SCREE_METHOD_OCTREE : SCREE_METHOD_AUTO;
            search.skin = way == 4 ? -1.0 : way == 5 ? 0.05 : 0.0;
            scree_plain_only = way == 6;
            scree_sim* sim = make(&s, crowd, x, r, v);
            for (int64_t step = 0; step < 900; step += 150) {
                CHECK_OK(scree_sim_run(sim, way == 5 ? 37 : 150));
                if (way == 5)
                    CHECK_OK(scree_sim_run(sim, 113));
                if (step == 450)
                    CHECK_OK(scree_sim_set_motion(sim, 8, (double[3]){0.1, 0.0, 0.0}, (double[3]){0.0, 1.0, -2.0}));
                if (way == 1 || way == 5) {  // goes on elsewhere, after somebody has looked
                    scree_sim_contacts contacts;
                    CHECK_OK(scree_sim_get_contacts(sim, &contacts));
                    (void)sim_report_of(sim);
                    scree_sim* next = make(&s, crowd, x, r, v);
                    sim_hand_over(sim, next);
                    assert_true(scree_sim_hash(sim) == scree_sim_hash(next));
                    scree_sim_destroy(sim);
                    sim = next;
                }
            }
            CHECK_OK(scree_sim_validate(sim));
            wanted = way == 0 ? scree_sim_hash(sim) : wanted;
            if (scree_sim_hash(sim) != wanted)
                fail_msg("law %d, way %d: another hash", law, way);
            if (sim_report_of(sim).wall_contacts <= 8)
                fail_msg("law %d: only %d contacts with boundaries", law, (int)sim_report_of(sim).wall_contacts);
            scree_sim_destroy(sim);
            scree_plain_only = false;
        }
    }
    scree_surface_destroy(floor);
    scree_surface_destroy(paddle);
    scree_surface_destroy(drum);
    free(x);
    free(r);
    free(v);
    free(spin);
}

// Many spheres on a mesh that moves, so that several blocks are worked on at a time; and looked at by several threads.
static void threads_share_the_work_on_a_mesh(void** state)
{
    (void)state;
    enum { side = 100, many = side * side };
    scree_surface* mesh = floor_of(40);
    double *x = calloc(3 * many, sizeof *x), *r = calloc(many, sizeof *r), *v = calloc(3 * many, sizeof *v);
    scree_rng rng = scree_rng_make(3, 1);
    for (int32_t i = 0; i < many; ++i) {
        r[i] = 0.03;
        x[3 * i] = 0.0605 * (i % side - side / 2);
        x[3 * i + 1] = 0.0605 * (i / side - side / 2);
        x[3 * i + 2] = 0.0299 + 0.0005 * scree_rng_uniform(&rng);
        for (int k = 0; k < 3; ++k)
            v[3 * i + k] = scree_rng_uniform(&rng) - 0.5;
    }
    uint64_t wanted = 0;
    double force[3][3] = {{0.0}}, energy[3] = {0.0};
    for (int way = 0; way < 3; ++way) {
        set_up s;
        begin(&s, true);
        s.def.stiffness = 500.0;
        s.def.threads = way == 1 ? 3 : 1;
        s.def.backend = way == 2 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
        s.def.energies = true;
        s.def.watch_overlaps = 0.1;
        scree_sim_boundary* b = add_mesh(&s, mesh);
        b->spin[2] = 0.2;
        scree_sim* sim = make(&s, many, x, r, v);
        for (int part = 0; part < 3; ++part) {
            CHECK_OK(scree_sim_run(sim, test_is_small() ? 5 : 15));
            scree_sim_boundary_report load[7];
            assert_int_equal(scree_sim_get_boundaries(sim, load, 7), 7);
            scree_sim_report report = sim_report_of(sim);
            assert_true(load[6].contacts > 100 && load[6].contacts == report.wall_contacts);
            if (way > 0) {
                CHECK_CLOSE(report.energy_contact, energy[part], 0.0);
                assert_memory_equal(load[6].force, force[part], sizeof force[part]);
            }
            memcpy(force[part], load[6].force, sizeof force[part]);
            energy[part] = report.energy_contact;
        }
        if (way == 1) {
            CHECK_OK(scree_sim_set_threads(sim, 2));
            CHECK_OK(scree_sim_set_threads(sim, 3));
        }
        CHECK_OK(scree_sim_run(sim, 5));
        wanted = way == 0 ? scree_sim_hash(sim) : wanted;
        assert_true(scree_sim_hash(sim) == wanted);
        scree_sim_destroy(sim);
    }
    free(x);
    free(r);
    free(v);
    scree_surface_destroy(mesh);
}

// A checkpoint holds features and rotations, in version 8, and a simulation goes on from it with the same bits; one without shapes does not take it.
static void checkpoints_hold_shapes(void** state)
{
    (void)state;
    double x[3 * crowd], r[crowd], v[3 * crowd], spin[3 * crowd];
    crowd_of(x, r, v, spin);
    scree_surface *floor = floor_of(9), *paddle = paddle_of(), *drum = drum_of(90, 1.0, 3.0);
    set_up s;
    crowd_set_up(&s, 1, floor, paddle, drum);
    scree_sim *whole = make(&s, crowd, x, r, v), *next = make(&s, crowd, x, r, v);
    CHECK_OK(scree_sim_run(whole, 700));
    scree_checkpoint c = {0}, read = {0};
    CHECK_OK(scree_checkpoint_save(whole, &c));
    assert_true(c.format_version == 8 && c.motions.turned && c.memory.featured);
    int64_t on_shapes = 0;
    for (int64_t k = 0; k < c.memory.count; ++k)
        on_shapes += c.memory.feature[k] >= 0;
    assert_true(on_shapes > 5);
    CHECK_OK(scree_write_checkpoint(in_folder("shapes.npz"), &c));
    CHECK_OK(scree_read_checkpoint(in_folder("shapes.npz"), &read));
    CHECK_OK(scree_checkpoint_restore(&read, next));
    assert_true(scree_sim_hash(whole) == scree_sim_hash(next));
    CHECK_OK(scree_sim_run(whole, 200));
    CHECK_OK(scree_sim_run(next, 200));
    assert_true(scree_sim_hash(whole) == scree_sim_hash(next));
    CHECK_OK(scree_checkpoint_save(next, &c));  // into the arrays that are there
    c.memory.feature[c.memory.count - 1] = -5;
    CHECK_FAILS(scree_write_checkpoint(in_folder("bad.npz"), &c), SCREE_ERR_ARGUMENT, "'contact_feature'", "-5");
    s.def.boundary_count = 0;
    scree_sim* none = make(&s, crowd, x, r, v);
    CHECK_FAILS(scree_checkpoint_restore(&read, none), SCREE_ERR_ARGUMENT, "6");
    scree_checkpoint_free(&c);
    scree_checkpoint_free(&read);
    scree_sim_destroy(whole);
    scree_sim_destroy(next);
    scree_sim_destroy(none);
    scree_surface_destroy(floor);
    scree_surface_destroy(paddle);
    scree_surface_destroy(drum);
}

// The loads of all boundaries are the sums over contacts, and the forces of all contacts give the accelerations.
static void contacts_add_up_to_loads_and_accelerations(void** state)
{
    (void)state;
    double *x = calloc(3 * crowd, sizeof *x), *r = calloc(crowd, sizeof *r), *v = calloc(3 * crowd, sizeof *v), *spin = calloc(3 * crowd, sizeof *spin), *a = calloc(3 * crowd, sizeof *a);
    crowd_of(x, r, v, spin);
    scree_surface *floor = floor_of(23), *paddle = paddle_of(), *drum = drum_of(90, 1.0, 3.0);
    set_up s;
    crowd_set_up(&s, 0, floor, paddle, drum);
    scree_sim* sim = make(&s, crowd, x, r, v);
    CHECK_OK(scree_sim_run(sim, 1500));
    scree_sim_contacts c;
    CHECK_OK(scree_sim_get_contacts(sim, &c));
    double sum[12][3] = {{0.0}}, largest = 0.0;
    for (int32_t i = 0; i < crowd; ++i)
        a[3 * i + 2] = -100.0;
    for (int64_t k = 0; k < c.count; ++k) {
        double m = sim_test_mass(3, 1.0, r[c.ij[k][0]]);
        for (int l = 0; l < 3; ++l) {
            a[3 * c.ij[k][0] + l] += c.force[k][l] / m;
            if (c.ij[k][1] >= 0)
                a[3 * c.ij[k][1] + l] -= c.force[k][l] / sim_test_mass(3, 1.0, r[c.ij[k][1]]);
            else
                sum[-1 - c.ij[k][1]][l] -= c.force[k][l];
        }
        if (k > c.pair_count)
            assert_true(c.ij[k][0] > c.ij[k - 1][0] || (c.ij[k][0] == c.ij[k - 1][0] && c.ij[k][1] <= c.ij[k - 1][1]));
    }
    scree_sim_boundary_report load[12];
    assert_int_equal(scree_sim_get_boundaries(sim, load, 12), 12);
    for (int b = 0; b < 12; ++b)
        for (int l = 0; l < 3; ++l)
            CHECK_CLOSE(load[b].force[l], sum[b][l], 1e-11);
    assert_true(load[6].contacts > 20 && load[7].contacts > 5 && load[8].contacts > 1);
    CHECK_OK(scree_sim_get_column(sim, "a", v));
    for (int32_t k = 0; k < 3 * crowd; ++k)
        largest = fmax(largest, fabs(v[k]));
    for (int32_t k = 0; k < 3 * crowd; ++k)
        CHECK_CLOSE(a[k], v[k], 1e-12 * largest);
    scree_sim_destroy(sim);
    scree_surface_destroy(floor);
    scree_surface_destroy(paddle);
    scree_surface_destroy(drum);
    free(x);
    free(r);
    free(v);
    free(spin);
    free(a);
}

// ---- With what comes and goes, and with loads --------------------------------------------------------------------------

// Spheres come and go beside those that touch meshes: these go on with what they remember, as if nobody had been there.
static void others_come_and_go(void** state)
{
    (void)state;
    scree_surface* mesh = floor_of(23);
    set_up s;
    begin(&s, true);
    s.def.time_step = 5e-5;
    add_mesh(&s, mesh);
    scree_sim_boundary* b = add_exact(&s, SCREE_EXACT_CYLINDER);
    s.exact[1].length = INFINITY;
    s.exact[1].radius[0] = 3.0;
    b->spin[2] = 1.0;
    double x[6] = {0.3, 0.2, 0.099, -1.0, 0.1, 0.1}, v[6] = {0.3, 0.1, 0.0, 0.0, 0.0, 0.0}, r[2] = {0.1, 0.1}, only_x[3], only_v[3];
    memcpy(only_x, x, sizeof only_x);
    memcpy(only_v, v, sizeof only_v);
    scree_sim *both = make(&s, 2, x, r, v), *one = make(&s, 1, only_x, r, only_v);
    CHECK_OK(scree_sim_run(both, 1000));
    CHECK_OK(scree_sim_run(one, 1000));
    CHECK_OK(scree_sim_remove(both, 1, (const int64_t[1]){1}));
    CHECK_OK(scree_sim_run(both, 500));
    CHECK_OK(scree_sim_insert(both, (scree_spheres){.count = 1, .dim = 3, .x = x + 3, .r = r}, NULL, NULL, NULL));
    CHECK_OK(scree_sim_run(both, 500));
    CHECK_OK(scree_sim_remove(both, 1, (const int64_t[1]){2}));
    CHECK_OK(scree_sim_run(one, 1000));
    double a[3], c[3];
    CHECK_OK(scree_sim_get_column(both, "w", a));
    CHECK_OK(scree_sim_get_column(one, "w", c));
    assert_memory_equal(a, c, sizeof a);
    CHECK_OK(scree_sim_get_column(both, "x", a));
    CHECK_OK(scree_sim_get_column(one, "x", c));
    assert_memory_equal(a, c, sizeof a);
    CHECK_CLOSE(scree_sim_clearance(one, (const double[3]){0.0, 0.5, 0.3}), 0.3, 1e-15);
    CHECK_CLOSE(scree_sim_clearance(one, (const double[3]){0.0, 2.9, 0.3}), 0.1, 1e-14);
    scree_sim_destroy(both);
    scree_sim_destroy(one);
    scree_surface_destroy(mesh);
}

// A mesh that swings, by a signal, is the face of a box that does; a servo presses a plane on a sphere with the force that is asked for.
static void meshes_follow_loads(void** state)
{
    (void)state;
    scree_surface* mesh = floor_of(9);
    set_up box, floor;
    begin(&box, true);
    begin(&floor, true);
    box.def.box = scree_box_sized(3, (double[3]){100.0, 100.0, 100.0});
    box.def.box.lower[0] = box.def.box.lower[1] = -100.0;
    box.def.time_step = floor.def.time_step = 5e-5;
    add_mesh(&floor, mesh);
    double x[3] = {0.3, 0.2, 0.1}, v[3] = {0.5, 0.1, 0.0}, r = 0.1;
    scree_sim *one = make(&box, 1, x, &r, v), *other = make(&floor, 1, x, &r, v);
    scree_sim_load load = scree_default_sim_load();
    load.kind = SCREE_LOAD_BOUNDARY_PATH;
    load.value.kind = SCREE_SIGNAL_SINE;
    load.value.to[2] = 0.002;
    load.value.frequency = 20.0;
    load.target = 4;
    CHECK_OK(scree_sim_set_load(one, &load));
    load.target = 6;
    CHECK_OK(scree_sim_set_load(other, &load));
    CHECK_OK(scree_sim_run(one, 6000));
    CHECK_OK(scree_sim_run(other, 6000));
    check_together(one, other, 1e-11);
    scree_sim_destroy(one);
    scree_sim_destroy(other);
    set_up press;
    begin(&press, false);
    press.def.gravity[2] = 0.0;
    press.def.time_step = 5e-5;
    press.def.restitution = 0.0;
    press.def.damping = 2.0;
    add_mesh(&press, mesh);
    add_exact(&press, SCREE_EXACT_PLANE);
    press.exact[1].at[2] = 0.21;
    press.exact[1].axis[2] = -1.0;
    scree_sim* sim = make(&press, 1, x, &r, NULL);
    load = scree_default_sim_load();
    load.kind = SCREE_LOAD_SERVO_FORCE;
    load.target = 7;
    load.value.value[0] = 3.0;
    load.direction[2] = -1.0;
    load.speed = 0.2;
    CHECK_OK(scree_sim_set_load(sim, &load));
    CHECK_OK(scree_sim_run(sim, 8000));
    scree_sim_boundary_report seen[8];
    scree_sim_get_boundaries(sim, seen, 8);
    CHECK_CLOSE(seen[7].force[2], 3.0, 1e-3);
    CHECK_CLOSE(seen[6].force[2], -3.0, 1e-2);
    scree_sim_destroy(sim);
    scree_surface_destroy(mesh);
}

// ---- Refusals, memory --------------------------------------------------------------------------------------------------

static scree_status create(const set_up* s)
{
    double x[3] = {0.0, 0.0, 0.5}, r = 0.1;
    scree_sim* sim;
    scree_status status = scree_sim_create(&s->def, (scree_spheres){.count = 1, .dim = s->def.box.dim, .x = x, .r = &r}, NULL, &sim);
    scree_sim_destroy(sim);
    return status;
}

static void invalid_shapes_are_refused(void** state)
{
    (void)state;
    scree_surface* mesh = floor_of(2);
    set_up s;
    begin(&s, true);
    scree_sim_boundary* b = add_exact(&s, SCREE_EXACT_PLANE);
    b->surface = mesh;
    CHECK_FAILS(create(&s), SCREE_ERR_ARGUMENT, "boundary 6", "both");
    b->surface = NULL;
    s.exact[0].axis[2] = 0.0;
    CHECK_FAILS(create(&s), SCREE_ERR_ARGUMENT, "boundary 6", "0 0 0");
    s.exact[0].axis[2] = 1.0;
    b->spin[0] = 2.0;
    CHECK_FAILS(create(&s), SCREE_ERR_ARGUMENT, "boundary 6", "2 0 0", "normal");
    b->spin[0] = 0.0;
    b->name = "a name that is far too long for a surface";
    CHECK_FAILS(create(&s), SCREE_ERR_ARGUMENT, "boundary 6", "a name that is far");
    b->name = NULL;
    s.def.box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0});
    s.def.box.periodic[0] = true;
    CHECK_OK(create(&s));
    s.def.box.periodic[2] = true;
    CHECK_FAILS(create(&s), SCREE_ERR_UNSUPPORTED, "boundary 6", "along z", "plane");
    s.def.box.periodic[2] = false;
    b->exact = NULL;
    b->surface = mesh;
    CHECK_FAILS(create(&s), SCREE_ERR_UNSUPPORTED, "boundary 6", "along x", "mesh");
    s.def.box = scree_box_open(2);
    s.def.gravity[2] = 0.0;
    s.pair.twisting_friction = 0.0;
    CHECK_FAILS(create(&s), SCREE_ERR_UNSUPPORTED, "boundary 6", "mesh");
    b->surface = NULL;
    b->exact = &s.exact[0];
    CHECK_FAILS(create(&s), SCREE_ERR_UNSUPPORTED, "boundary 6", "plane");
    s.exact[0].axis[2] = 0.0;
    s.exact[0].axis[1] = 1.0;
    CHECK_OK(create(&s));
    b->velocity[2] = 1.0;
    CHECK_FAILS(create(&s), SCREE_ERR_ARGUMENT, "boundary 6", "plane");
    scree_surface_destroy(mesh);
}

// States with features that are not there, or turned by what is no rotation.
static void states_of_shapes_are_checked(void** state)
{
    (void)state;
    scree_surface* mesh = floor_of(2);
    set_up s;
    begin(&s, true);
    add_mesh(&s, mesh);
    double x[3] = {0.3, 0.2, 0.099}, v[3] = {0.1, 0.0, 0.0}, r = 0.1;
    scree_sim* sim = make(&s, 1, x, &r, v);
    CHECK_OK(scree_sim_run(sim, 3));
    scree_sim_memory memory;
    double at[3], u[3];
    scree_sim_values columns[2] = {{"x", at}, {"v", u}};
    scree_sim_state taken = {.column_count = 2, .columns = columns};
    CHECK_OK(scree_sim_get_state(sim, &taken));
    CHECK_OK(scree_sim_get_memory(sim, &memory));
    assert_int_equal(memory.count, 1);
    scree_sim_motion motion = taken.motions[0];
    int32_t feature = memory.feature[0];
    int64_t ij[2] = {memory.ij[0][0], memory.ij[0][1]};
    double values[law_words_most];
    memcpy(values, memory.values, (size_t)memory.words * sizeof *values);
    memory.ij = (const int64_t(*)[2]) & ij;
    memory.values = values;
    memory.feature = &feature;
    taken.motions = &motion;
    taken.memory = &memory;
    CHECK_OK(scree_sim_set_state(sim, &taken));
    feature = 99;
    CHECK_FAILS(scree_sim_set_state(sim, &taken), SCREE_ERR_ARGUMENT, "contact 0", "99", "boundary 6");
    memory.feature = NULL;
    CHECK_FAILS(scree_sim_set_state(sim, &taken), SCREE_ERR_ARGUMENT, "contact 0", "-1", "boundary 6");
    memory.feature = &feature;
    feature = 1;
    motion.turn[1][1] = -1.0;
    CHECK_FAILS(scree_sim_set_state(sim, &taken), SCREE_ERR_ARGUMENT, "boundary 6", "1 0 0");
    CHECK_FAILS(scree_sim_scale(sim, 1.1, 1.0), SCREE_ERR_UNSUPPORTED, "1");
    scree_sim_destroy(sim);
    scree_surface_destroy(mesh);
}

static scree_status run_all(const set_up* s, const double* x, const double* r, const double* v)
{
    scree_sim* sim;
    scree_status status = scree_sim_create(&s->def, (scree_spheres){.count = 40, .dim = 3, .x = x, .r = r}, v, &sim);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, 90);
    scree_sim_contacts contacts;
    if (status == SCREE_OK)
        status = scree_sim_get_contacts(sim, &contacts);
    scree_sim_boundary_report load[12];
    if (status == SCREE_OK && scree_sim_get_boundaries(sim, load, 12) < 0)
        status = SCREE_ERR_MEMORY;
    scree_sim_destroy(sim);
    return status;
}

static void memory_can_run_out(void** state)
{
    (void)state;
    double x[3 * crowd], r[crowd], v[3 * crowd], spin[3 * crowd];
    crowd_of(x, r, v, spin);
    scree_surface *floor = floor_of(3), *paddle = paddle_of(), *drum = drum_of(12, 1.0, 3.0);
    set_up s;
    crowd_set_up(&s, 1, floor, paddle, drum);
    EACH_ALLOCATION_FAILS(run_all(&s, x, r, v), );
    scree_surface_destroy(floor);
    scree_surface_destroy(paddle);
    scree_surface_destroy(drum);
}

static const test_case cases[] = {
    UNIT(a_floor_of_triangles_is_the_floor),
    UNIT(planes_and_circles_in_two_dimensions),
    UNIT(edges_and_vertices_push_radially),
    UNIT(a_concave_corner_is_its_planes),
    UNIT(a_drum_of_facets_converges_to_the_cylinder),
    UNIT(rings_of_facets_carry_a_sphere),
    UNIT(dashpots_of_many_facets_give_no_energy),
    UNIT(an_elastic_sphere_keeps_its_energy),
    UNIT(friction_on_meshes_gives_no_energy),
    UNIT(loads_and_energies_of_a_turning_mesh),
    UNIT(spin_is_radians_per_time_about_any_axis),
    UNIT(a_centre_that_crosses_a_sheet_is_an_error),
    UNIT(one_sided_shapes_push_on_their_front_only),
    SAME_BITS(shapes_give_the_same_bits_every_way),
    THREADS(threads_share_the_work_on_a_mesh),
    SAME_BITS(checkpoints_hold_shapes),
    UNIT(contacts_add_up_to_loads_and_accelerations),
    SAME_BITS(others_come_and_go),
    UNIT(meshes_follow_loads),
    UNIT(invalid_shapes_are_refused),
    UNIT(states_of_shapes_are_checked),
    ALLOCATION(memory_can_run_out),
};

const test_group group_sim_surface = {.name = "sim_surface", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
