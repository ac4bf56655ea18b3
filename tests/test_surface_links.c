// Contacts with meshes and the links between them, against all pairs of triangles: a spanning tree of whatever two of
// them have in common, in long double and without edges or a search. Forces are compared with differences of its
// energy. T-junctions, open and crowded edges, fans that meet in a vertex, one-sided surfaces, rings of faces.
#include "surface_support.h"

enum { judged_most = 256 };

// ---- The judge -----------------------------------------------------------------------------------------------------------

typedef struct judged {
    long double energy, force[3], load;  // of phi = overlap^2 / 2; the load is the sum of overlaps, those of links taken away
    int components;
} judged;

typedef struct judged_link {
    long double distance, point[3];
    int one, other;
} judged_link;

static bool same_place(const double* a, const double* b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// What two triangles have in common: the number of corners, and up to two of them.
static int in_common(const double* one, const double* other, const double* corners[2])
{
    int count = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (count < 2 && same_place(one + 3 * i, other + 3 * j))
                corners[count++] = one + 3 * i;
    return count;
}

static int by_distance(const void* a, const void* b)
{
    const judged_link *one = a, *other = b;
    return one->distance < other->distance ? -1 : one->distance > other->distance;
}

static int root_of(int* towards, int i)
{
    while (towards[i] != i)
        i = towards[i] = towards[towards[i]];
    return i;
}

static void push(judged* out, const long double x[3], const long double point[3], long double distance, long double r, long double sign)
{
    const long double overlap = r - distance;
    out->energy += sign * overlap * overlap / 2.0L;
    out->load += sign * overlap;
    for (int k = 0; k < 3; ++k)
        out->force[k] += sign * overlap * (x[k] - point[k]) / distance;
}

// `given`: the triangles that may be within r. `behind`: those behind whose planes x lies are left out.
static judged judge(const scree_surface_arrays* a, const int32_t* given, int64_t count, const long double x[3], long double r,
                    bool one_sided)
{
    static judged_link links[judged_most * judged_most / 2];
    static double corners[judged_most][9];
    judged out = {0};
    int faces = 0, link_count = 0, towards[judged_most];
    for (int64_t n = 0; n < count; ++n) {
        long double point[3], height = 0.0L;
        assert_true(faces < judged_most);
        for (int c = 0; c < 9; ++c)
            corners[faces][c] = a->vertex[a->triangle[given[n]][c / 3]][c % 3];
        for (int k = 0; k < 3; ++k)
            height += (x[k] - corners[faces][k]) * (long double)a->normal[given[n]][k];
        const long double distance = soup_closest(corners[faces], x, point);
        if (!(distance < r) || (one_sided && height < 0.0L))
            continue;
        push(&out, x, point, distance, r, 1.0L);
        towards[faces] = faces;
        ++faces;
    }
    for (int i = 0; i < faces; ++i)
        for (int j = i + 1; j < faces; ++j) {
            const double* shared[2];
            const int corners_shared = in_common(corners[i], corners[j], shared);
            if (corners_shared == 0)
                continue;
            double line[9];
            for (int c = 0; c < 9; ++c)
                line[c] = shared[c < 3 || corners_shared == 1 ? 0 : 1][c % 3];
            judged_link* link = &links[link_count];
            link->distance = soup_closest(line, x, link->point);
            link->one = i;
            link->other = j;
            link_count += link->distance < r;
        }
    qsort(links, (size_t)link_count, sizeof *links, by_distance);
    out.components = faces;
    for (int l = 0; l < link_count; ++l) {
        const int one = root_of(towards, links[l].one), other = root_of(towards, links[l].other);
        if (one == other)
            continue;
        towards[one] = other;
        --out.components;
        push(&out, x, links[l].point, links[l].distance, r, -1.0L);
    }
    return out;
}

static judged judged_at(const scree_surface* s, const double x[3], double r, bool one_sided)
{
    const scree_surface_arrays a = scree_surface_get_arrays(s);
    const long double p[3] = {x[0], x[1], x[2]};
    int32_t near[judged_most];
    const int64_t count = scree_surface_near(s, x, r * 1.0001, near, judged_most);
    assert_true(count <= judged_most);
    return judge(&a, near, count, p, r, one_sided);
}

static judged given_by_scree(const scree_surface* s, const double x[3], double r)
{
    scree_surface_contact at[surface_most];
    const int64_t terms = surface_terms(s, x, r, at);
    judged out = {0};
    for (int64_t c = 0; c < terms; ++c) {
        const double overlap = r - at[c].distance;
        out.energy += at[c].scale * overlap * overlap / 2.0;
        out.load += at[c].load;
        for (int k = 0; k < 3; ++k)
            out.force[k] += at[c].scale * overlap * at[c].normal[k];
        out.components = at[c].component >= out.components ? at[c].component + 1 : out.components;
    }
    return out;
}

static void check_place(const scree_surface* s, const double x[3], double r, const char* what, int number)
{
    const bool one_sided = scree_surface_get_report(s).one_sided;
    const judged wanted = judged_at(s, x, r, one_sided), found = given_by_scree(s, x, r);
    bool fits = fabsl(wanted.energy - found.energy) < 1e-13L && fabsl(wanted.load - found.load) < 1e-12L &&
        wanted.components == found.components;
    for (int k = 0; k < 3; ++k)
        fits = fits && fabsl(wanted.force[k] - found.force[k]) < 1e-12L;
    if (!fits)
        fail_msg("%s, place %d: x %.17g %.17g %.17g r %g: energy %.15Lg, force %.15Lg %.15Lg %.15Lg, load %.15Lg, %d components; "
                 "all pairs: %.15Lg, %.15Lg %.15Lg %.15Lg, %.15Lg, %d",
                 what, number, x[0], x[1], x[2], r, found.energy, found.force[0], found.force[1], found.force[2], found.load,
                 found.components, wanted.energy, wanted.force[0], wanted.force[1], wanted.force[2], wanted.load, wanted.components);
}

// ---- Meshes --------------------------------------------------------------------------------------------------------------

// The square 0 to 1 with vertices at random heights: convex and concave edges and vertices.
static scree_triangles egg_crate(int side, double height, scree_rng* rng)
{
    const int across = side + 1;
    double* heights = calloc((size_t)(across * across), sizeof *heights);
    for (int i = 0; i < across * across; ++i)
        heights[i] = between(rng, 0.0, height);
    scree_triangles t = mesh_heights(side, 0.0, 1.0, heights);
    free(heights);
    return t;
}

// Mesh number `kind` of a list that has all sorts.
static scree_surface* mesh_of_kind(int kind, scree_rng* rng)
{
    scree_surface_def def = scree_default_surface_def();
    scree_triangles t;
    def.one_sided = kind % 2 == 1;
    def.threads = 1;
    switch (kind / 2 % 6) {
    case 0:
        t = mesh_lump(2 + kind % 3, 0.4, rng);
        break;
    case 1:
        t = egg_crate(6, 0.3, rng);
        break;
    case 2:
        t = mesh_ring(5 + (int)scree_rng_below(rng, 20), 0.0, between(rng, 0.1, 0.4), 0.5, between(rng, 0.1, 1.0));
        break;
    case 3:
        t = mesh_ring(5 + (int)scree_rng_below(rng, 12), 0.0, 0.0, 0.5, between(rng, 0.3, 1.0));
        break;
    case 4: {  // sheets at one edge, and fans at one vertex
        t = mesh_room(12);
        double tip[3] = {0.5, 0.5, 0.2}, foot[3] = {0.5, 0.5, 0.7};
        for (int k = 0; k < 12; ++k) {
            double a[3], b[3];
            for (int c = 0; c < 3; ++c) {
                a[c] = scree_rng_uniform(rng);
                b[c] = scree_rng_uniform(rng);
            }
            if (k < 5)
                mesh_add(&t, tip, foot, a);
            else
                mesh_add(&t, tip, a, b);
        }
        break;
    }
    default:
        t = mesh_cube(kind / 12 % 2 == 1);
    }
    return mesh_surface_with(&def, &t);
}

// In the neighbourhood of the mesh, sometimes above a vertex, an edge or on the axis of a ring.
static void random_place(const scree_surface* s, scree_rng* rng, double x[3])
{
    const scree_surface_report report = scree_surface_get_report(s);
    const scree_surface_arrays a = scree_surface_get_arrays(s);
    const int32_t v = (int32_t)scree_rng_below(rng, (uint64_t)a.vertices);
    const double away = between(rng, 0.0, 0.3);
    double u[3];
    random_direction(rng, u);
    for (int k = 0; k < 3; ++k)
        x[k] = scree_rng_below(rng, 2) == 0 ? between(rng, report.lower[k] - 0.2, report.upper[k] + 0.2) : a.vertex[v][k] + away * u[k];
}

static void terms_are_those_of_all_pairs(void** state)
{
    (void)state;
    const int cases = (int)(48.0 * test_effort()) + 12;
    int64_t several = 0, linked = 0;
    for (int trial = 0; trial < cases; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 5);
        scree_surface* s = mesh_of_kind(trial, &rng);
        for (int i = 0; i < 80; ++i) {
            scree_surface_contact at[surface_most];
            double x[3], r = between(&rng, 0.05, 0.6);
            random_place(s, &rng, x);
            check_place(s, x, r, "random mesh", 1000 * trial + i);
            const int64_t terms = surface_terms(s, x, r, at), contacts = surface_touch_of(s, x, r, at);
            several += contacts > 1;
            linked += terms > contacts;
            if (trial % 2 == 1)
                continue;
            double best = INFINITY;  // the nearest of all
            const scree_surface_arrays a = scree_surface_get_arrays(s);
            scree_surface_contact nearest;
            CHECK_OK(scree_surface_closest(s, x, &nearest));
            for (int32_t n = 0; n < a.triangles; ++n) {
                const long double p[3] = {x[0], x[1], x[2]};
                long double point[3];
                double corners[9];
                for (int c = 0; c < 9; ++c)
                    corners[c] = a.vertex[a.triangle[n][c / 3]][c % 3];
                best = fmin(best, (double)soup_closest(corners, p, point));
            }
            CHECK_CLOSE(nearest.distance, best, 1e-13);
            const scree_surface_report report = scree_surface_get_report(s);
            int32_t winding;
            if (!report.closed || !report.oriented || report.volume < 0.0)
                continue;
            CHECK_OK(scree_surface_winding(s, x, &winding));
            assert_int_equal(nearest.front, winding == 0);
        }
        scree_surface_destroy(s);
    }
    assert_true(several > 10 * cases && linked > 5 * cases);
}

// A difference of the energy of all pairs over two steps, along axis k.
static long double slope(const scree_surface_arrays* a, const int32_t* near, int64_t count, const double x[3], int k, long double step,
                         long double r, bool one_sided)
{
    long double energy[2];
    for (int side = 0; side < 2; ++side) {
        long double there[3] = {x[0], x[1], x[2]};
        there[k] += side == 0 ? -step : step;
        energy[side] = judge(a, near, count, there, r, one_sided).energy;
    }
    return (energy[1] - energy[0]) / (2.0L * step);
}

// The force is minus the gradient of the energy, by differences of the energy of all pairs, on two-sided and one-sided
// meshes. Where differences with a step and with half of it do not agree, a border between regions lies within the step
// (or the centre is at an edge or a vertex nearly): such places are left out, and few. SCREE_TEST_EFFORT=50 draws 1e5.
static void forces_are_gradients(void** state)
{
    (void)state;
    const long double step = 1e-7L;
    const int cases = (int)(24.0 * test_effort()) + 12;
    int places = 0, beside = 0;
    for (int trial = 0; trial < cases; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 15);
        scree_surface* s = mesh_of_kind(trial, &rng);
        const scree_surface_arrays a = scree_surface_get_arrays(s);
        const bool one_sided = scree_surface_get_report(s).one_sided;
        for (int i = 0; i < 84; ++i) {
            double x[3], r = between(&rng, 0.1, 0.5);
            int32_t near[judged_most];
            random_place(s, &rng, x);
            const int64_t count = scree_surface_near(s, x, r * 1.01, near, judged_most);
            const judged found = given_by_scree(s, x, r);
            long double largest = 0.0L, disagree = 0.0L;
            for (int k = 0; k < 3; ++k) {
                const long double coarse = slope(&a, near, count, x, k, step, r, one_sided),
                    fine = slope(&a, near, count, x, k, step / 2.0L, r, one_sided);
                largest = fmaxl(largest, fabsl(fine + found.force[k]));
                disagree = fmaxl(disagree, fabsl(fine - coarse));
            }
            places += count > 0;
            beside += disagree > 4e-10L;
            if (disagree <= 4e-10L && largest > 1e-9L)
                fail_msg("mesh %d, place %d: force and gradient differ by %Lg", trial, i, largest);
        }
        scree_surface_destroy(s);
    }
    assert_true(places > 40 * cases && beside < places / 1000 + 2);
}

// ---- Rings -------------------------------------------------------------------------------------------------------------------

// The contact with the round shape that a line from (radius, low) to (wide, high) makes around the z axis: the force of
// a place near the axis, in the direction `out` from the axis and along z.
static void round_force(const double line[4], double away, double z, double r, double* out, double* up)
{
    const double along[2] = {line[2] - line[0], line[3] - line[1]}, way[2] = {away - line[0], z - line[1]};
    const double part = fmin(fmax((way[0] * along[0] + way[1] * along[1]) / (along[0] * along[0] + along[1] * along[1]), 0.0), 1.0);
    const double to[2] = {away - (line[0] + part * along[0]), z - (line[1] + part * along[1])},
        distance = sqrt(to[0] * to[0] + to[1] * to[1]);
    *out = (r - distance) * to[0] / distance;
    *up = (r - distance) * to[1] / distance;
}

// In a funnel, a tip, a hole and a tube the sphere is carried as by one contact with the round shape, the better the
// more facets there are. On the axis all directions are equally near: which one the contact has does not matter.
static void rings_carry(void** state)
{
    (void)state;
    static const struct {
        double line[4], z, r;  // radius, low, wide, high
    } cases[] = {{{0.05, 0.0, 0.45, 0.4}, 0.13, 0.15}, {{0.0, 0.0, 0.4, 0.4}, 0.15, 0.12}, {{0.1, 0.0, 0.5, 0.001}, 0.15, 0.2},
                 {{0.1, -0.5, 0.1, 0.5}, 0.0, 0.12}};
    for (int c = 0; c < 4; ++c)
        for (int where = 0; where < 2; ++where) {
            const double *line = cases[c].line, away = 0.01 * where, r = cases[c].r;
            double before = INFINITY, out, up;
            round_force(line, away, cases[c].z, r, &out, &up);
            for (int facets = 16; facets <= 1024; facets *= 4) {
                scree_triangles t = mesh_ring(facets, line[1], line[0], line[3], line[2]);
                scree_surface* s = mesh_surface(&t);
                const double x[3] = {away * cos(0.7), away * sin(0.7), cases[c].z};
                const judged found = given_by_scree(s, x, r);
                const double turned[2] = {(double)found.force[0] * cos(0.7) + (double)found.force[1] * sin(0.7),
                                          (double)found.force[1] * cos(0.7) - (double)found.force[0] * sin(0.7)};
                const double across = where == 1 ? hypot(turned[0] - out, turned[1]) : hypot(turned[0], turned[1]) - fabs(out);
                const double error = hypot(across, (double)found.force[2] - up);
                assert_true(hypot(out, up) > 0.01 && error <= 0.6 * before + 1e-12);
                if (facets == 1024)
                    CHECK_CLOSE(error, 0.0, 2e-3 * r);
                if (where == 1 && facets <= 64)
                    check_place(s, x, r, "ring", facets);
                before = error;
                scree_surface_destroy(s);
            }
        }
}

// ---- T-junctions -----------------------------------------------------------------------------------------------------------

// The square 0 to 1 in strips; each strip is cut into its own number of squares, so that corners lie on the sides of
// the next strip.
static scree_triangles strips(int count, scree_rng* rng)
{
    scree_triangles t = mesh_room(2 * count * 9);
    for (int s = 0; s < count; ++s) {
        const int pieces = 1 + (int)scree_rng_below(rng, 9);
        for (int p = 0; p < pieces; ++p) {
            double v[4][3];
            for (int c = 0; c < 4; ++c) {
                v[c][0] = (double)(p + c % 2) / pieces;
                v[c][1] = (double)(s + c / 2) / count;
                v[c][2] = 0.0;
            }
            mesh_add(&t, v[0], v[1], v[3]);
            mesh_add(&t, v[0], v[3], v[2]);
        }
    }
    return t;
}

// A plane with T-junctions is a plane: everywhere one term.
static void junctions_are_split(void** state)
{
    (void)state;
    for (int trial = 0; trial < 8; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 17);
        scree_triangles t = strips(6, &rng);
        const scree_placement p = mesh_random_placement(&rng);
        CHECK_OK(scree_triangles_place(&t, &p));
        scree_surface* s = mesh_surface(&t);
        const scree_surface_report report = scree_surface_get_report(s);
        const scree_surface_arrays a = scree_surface_get_arrays(s);
        assert_true(report.split > 5 && report.cracks == 0 && report.overlaps == 0 && report.pinched == 0);
        CHECK_CLOSE(report.area, 1.0, 1e-12);
        for (int i = 0; i < 400; ++i) {
            const int32_t v = (int32_t)scree_rng_below(&rng, (uint64_t)a.vertices);
            const double height = between(&rng, 1e-6, 0.15), flat[3] = {between(&rng, 0.2, 0.8), between(&rng, 0.2, 0.8), 0.0};
            double x[3], at[3];
            scree_surface_contact out[surface_most];
            mesh_placed(&p, flat, at);
            for (int k = 0; k < 3; ++k)
                x[k] = (i % 2 == 0 ? at[k] : a.vertex[v][k]) + height * p.turn[k][2];
            assert_int_equal(surface_terms(s, x, 0.15, out), 1);
            CHECK_CLOSE(out[0].distance, height, 1e-12);
            for (int k = 0; k < 3; ++k)
                CHECK_CLOSE(out[0].normal[k] * height, height * p.turn[k][2], 1e-12);
        }
        scree_surface_destroy(s);
    }
}

// Two triangles on one side of an oblique edge, one on the other, with coordinates to 100 in single precision: vertices
// miss the edge by some 1e-6, and are found all the same.
static void junctions_of_rounded_files_are_split(void** state)
{
    (void)state;
    for (int trial = 0; trial < 300; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 18);
        double a[3], b[3], c[3], d[3], p[3], u[3], part = between(&rng, 0.1, 0.9);
        const double size = pow(10.0, between(&rng, -1.0, 1.5));
        random_direction(&rng, u);
        for (int k = 0; k < 3; ++k) {
            a[k] = (float)between(&rng, -60.0, 60.0);
            b[k] = (float)(a[k] + size * u[k]);
            p[k] = (float)(a[k] + part * (b[k] - a[k]));
        }
        random_direction(&rng, u);
        for (int k = 0; k < 3; ++k) {
            c[k] = (float)(p[k] + size * u[k]);
            d[k] = (float)(p[k] - size * u[k]);
        }
        scree_triangles t = mesh_room(3);
        mesh_add(&t, a, b, d);
        mesh_add(&t, a, p, c);
        mesh_add(&t, p, b, c);
        scree_surface* s = mesh_surface(&t);
        const scree_surface_report report = scree_surface_get_report(s);
        if (report.split != 1 || report.triangles != 4 || report.open_edges != 4 || report.cracks != 0)
            fail_msg("case %d: %d splits, %d triangles, %d open edges, %d cracks", trial, (int)report.split, (int)report.triangles,
                     (int)report.open_edges, (int)report.cracks);
        scree_surface_destroy(s);
    }
}

// Triangles that are pieces of another one on the same side of a T-junction are there twice once it is split: one of
// them is left out. In every order of the file.
static void pieces_that_repeat_others_are_left_out(void** state)
{
    (void)state;
    static const double corner[6][3] = {{0, 0, 0}, {2, 0, 0}, {1, 2, 0}, {1, 0, 0}, {0.5, 1, 0}, {0, -1, 0}};
    static const int orders[4][3][3] = {{{0, 1, 2}, {0, 3, 2}, {3, 1, 2}}, {{0, 3, 2}, {0, 1, 2}, {3, 1, 2}},
                                        {{3, 1, 2}, {2, 3, 0}, {1, 2, 0}}, {{0, 1, 2}, {0, 1, 4}, {0, 1, 5}}};
    static const int source[4][2] = {{1, 2}, {1, 2}, {2, 2}, {1, -1}}, repeats[4][2] = {{0, 0}, {0, 1}, {0, 1}, {0, -1}};
    for (int n = 0; n < 4; ++n) {
        scree_triangles t = mesh_room(3);
        for (int c = 0; c < 3; ++c)
            mesh_add(&t, corner[orders[n][c][0]], corner[orders[n][c][1]], corner[orders[n][c][2]]);
        scree_surface* s = mesh_surface(&t);
        const scree_surface_report report = scree_surface_get_report(s);
        const scree_surface_arrays a = scree_surface_get_arrays(s);
        const int dropped = source[n][1] < 0 ? 1 : 2;
        assert_int_equal(report.split, 1);
        assert_int_equal(report.duplicate, dropped);
        assert_int_equal(report.cracks + report.overlaps, 0);
        assert_int_equal(a.dropped, dropped);
        for (int d = 0; d < dropped; ++d)
            assert_true(a.dropped_source[d] == source[n][d] && a.dropped_for[d] == repeats[n][d]);
        CHECK_CLOSE(report.area, n == 3 ? 3.0 : 2.0, 1e-14);
        scree_surface_contact out[surface_most];
        const double above[3][3] = {{1.0, 0.5, 0.1}, {0.7, 0.5, 0.1}, {0.3, 0.2, 0.05}};
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(surface_terms(s, above[i], 0.2, out), 1);
            CHECK_CLOSE(out[0].distance, above[i][2], 1e-15);
        }
        scree_surface_destroy(s);
    }
}

// A vertex near two sides of a triangle, at its sharp tip, splits the nearer one: no piece has a vertex twice. In the
// second mesh the triangle is so low that a piece has no area of its own: it has the normal of the whole.
static void sharp_tips_are_split_once(void** state)
{
    (void)state;
    for (int trial = 0; trial < 16; ++trial) {
        const bool low = trial % 4 / 2 == 1;
        const double high = low ? 1.5e-7 : 1e-3, at = low ? 1e-4 : 1.0;
        const double o[3] = {0, 0, 0}, b[3] = {100, 0, 0}, tip[3] = {60, high, 0}, p[3] = {at, 0, 0}, d[3] = {at, -5, 0}, e[3] = {0, -5, 0},
            up[3] = {0, 50, 0};
        scree_rng rng = scree_rng_make((uint64_t)trial, 23);
        const scree_placement place = mesh_random_placement(&rng);
        scree_surface_def def = scree_default_surface_def();
        scree_triangles t = mesh_room(6);
        mesh_add(&t, o, b, tip);
        mesh_add(&t, o, tip, up);
        mesh_add(&t, tip, b, up);
        mesh_add(&t, o, e, p);
        mesh_add(&t, e, d, p);
        mesh_add(&t, p, d, b);
        CHECK_OK(scree_triangles_place(&t, &place));
        def.one_sided = trial % 2 == 1;
        scree_surface* s = mesh_surface_with(&def, &t);
        const scree_surface_report report = scree_surface_get_report(s);
        const scree_surface_arrays a = scree_surface_get_arrays(s);
        if (!low)
            assert_true(report.split == 1 && report.triangles == 7 && report.pinched == 0 && report.crowded_edges == 0 &&
                        report.cracks == 0 && report.overlaps == 0 && report.open_edges == 5);
        assert_true(report.shortest_edge > 0.5 * at && report.split_distance < (low ? 2e-7 : 1e-12));
        for (int32_t n = 0; n < a.triangles; ++n)
            for (int k = 0; k < 3; ++k)
                CHECK_CLOSE(a.normal[n][k], place.turn[k][2], 1e-6);
        for (int i = 0; i < 100; ++i) {
            const double height = between(&rng, 0.01, 0.25), flat[3] = {between(&rng, 0.35, 2.0), between(&rng, -0.5, 0.5), height},
                under[3] = {flat[0], flat[1], -height};
            double x[3], behind[3];
            mesh_placed(&place, flat, x);
            mesh_placed(&place, under, behind);
            const judged found = given_by_scree(s, x, 0.3);
            for (int k = 0; k < 3; ++k)
                CHECK_CLOSE((double)found.force[k], (0.3 - height) * place.turn[k][2], low ? 1e-6 : 1e-12);
            CHECK_CLOSE((double)found.load, 0.3 - height, low ? 1e-6 : 1e-12);  // the tip is that far beside the edge
            CHECK_CLOSE((double)given_by_scree(s, behind, 0.3).load, def.one_sided ? 0.0 : 0.3 - height, low ? 1e-6 : 1e-12);
        }
        scree_surface_destroy(s);
    }
}

// Far from the origin four roundings of single precision are longer than the gap between two plates, which stays open.
// How far split vertices were is in the report.
static void gaps_far_away_stay_open(void** state)
{
    (void)state;
    for (int far = 0; far < 2; ++far) {
        const double o[3] = {far * 5e5, far * 4e6, 0.0};
        scree_triangles t = mesh_room(10);
        for (int plate = 0; plate < 2; ++plate)
            for (int k = 0; k < (plate == 0 ? 1 : 4); ++k) {
                const double low = plate == 0 ? 0.0 : 2.5 * k, high = plate == 0 ? 10.0 : low + 2.5, left = plate == 0 ? 0.0 : 10.5,
                    right = left + 10.0;
                const double v[4][3] = {{o[0] + left, o[1] + low, 0}, {o[0] + right, o[1] + low, 0}, {o[0] + right, o[1] + high, 0},
                                        {o[0] + left, o[1] + high, 0}};
                mesh_add(&t, v[0], v[1], v[2]);
                mesh_add(&t, v[0], v[2], v[3]);
            }
        scree_surface* s = mesh_surface(&t);
        const scree_surface_report report = scree_surface_get_report(s);
        assert_true(report.split == 0 && report.triangles == 10 && report.overlaps == 0 && report.split_distance == 0.0);
        scree_surface_contact nearest;
        CHECK_OK(scree_surface_closest(s, (const double[3]){o[0] + 10.25, o[1] + 4.0, 0.1}, &nearest));
        CHECK_CLOSE(nearest.distance, hypot(0.25, 0.1), 1e-9);
        scree_surface_destroy(s);
    }
    // A vertex on two edges, a little beside them, counts once: p is on a b and on the longer edge behind it, which has a and b on it too.
    const double a[3] = {0, 0, 0}, b[3] = {2, 0, 0}, c[3] = {1, 2, 0}, left[3] = {-1, 0, 0}, right[3] = {3, 0, 0}, above[3] = {1, 0, 2}, p[3] = {1, -1e-7, 0}, d[3] = {1, -2, 0};
    scree_triangles t = mesh_room(4);
    mesh_add(&t, a, b, c);
    mesh_add(&t, a, p, d);
    mesh_add(&t, p, b, d);
    mesh_add(&t, right, left, above);
    scree_surface* s = mesh_surface(&t);
    const scree_surface_report report = scree_surface_get_report(s);
    assert_int_equal(report.split, 3);
    assert_int_equal(report.crowded_edges, 2);
    CHECK_CLOSE(report.split_distance, 1e-7, 1e-15);
    scree_surface_destroy(s);
}

// What stays open is counted: a gap that is wider than roundings, sheets that lie on one another, and a sheet that is
// folded back onto itself.
static void faults_are_reported(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(3, 19);
    for (int kind = 0; kind < 3; ++kind) {
        scree_triangles t = mesh_room(40), one = mesh_plane(2, &rng), other = mesh_plane(2, &rng);
        for (int32_t n = 0; n < 8; ++n)
            mesh_add(&t, &one.xyz[9 * n], &one.xyz[9 * n + 3], &one.xyz[9 * n + 6]);
        for (int64_t n = 0; n < 9 * (int64_t)other.count; n += 3)
            other.xyz[n] += kind == 0 ? 1.0001 : kind == 1 ? 0.4 : 1.5;
        for (int32_t n = 0; n < 8; ++n)
            mesh_add(&t, &other.xyz[9 * n], &other.xyz[9 * n + 3], &other.xyz[9 * n + 6]);
        scree_triangles_free(&one);
        scree_triangles_free(&other);
        scree_surface* s = mesh_surface(&t);
        const scree_surface_report report = scree_surface_get_report(s);
        assert_int_equal(report.cracks > 0, kind <= 1);
        assert_int_equal(report.overlaps > 0, kind == 1);
        scree_surface_destroy(s);
    }
    const double a[3] = {0, 0, 0}, b[3] = {2, 0, 0}, c[3] = {1, 2, 0}, inner[3] = {1, 0.8, 0}, back[3] = {1, -0.8, 0};
    for (int folded = 0; folded < 2; ++folded) {
        scree_triangles t = mesh_room(2);
        mesh_add(&t, a, b, c);
        mesh_add(&t, a, b, folded == 1 ? inner : back);
        scree_surface* s = mesh_surface(&t);
        assert_int_equal(scree_surface_get_report(s).overlaps, 2 * folded);
        scree_surface_destroy(s);
    }
}

// ---- One side --------------------------------------------------------------------------------------------------------------

// Outside of a closed body it makes no difference whether the surface is one-sided, at faces, edges and corners, convex
// and concave.
static void one_sided_is_the_same_in_front(void** state)
{
    (void)state;
    for (int inwards = 0; inwards < 2; ++inwards) {
        scree_surface_def def = scree_default_surface_def();
        scree_rng rng = scree_rng_make(4, 20);
        scree_triangles t = mesh_cube(inwards == 1);
        scree_surface* both = mesh_surface_with(&def, &t);
        def.one_sided = true;
        t = mesh_cube(inwards == 1);
        scree_surface* one = mesh_surface_with(&def, &t);
        int touches = 0;
        for (int i = 0; i < 2000; ++i) {
            double x[3];
            bool inside = true;
            for (int k = 0; k < 3; ++k) {
                x[k] = between(&rng, -0.3, 1.3);
                inside = inside && x[k] > 0.0 && x[k] < 1.0;
            }
            if (inside != (inwards == 1))
                continue;
            const judged a = given_by_scree(both, x, 0.3), b = given_by_scree(one, x, 0.3);
            for (int k = 0; k < 3; ++k)
                CHECK_CLOSE((double)a.force[k], (double)b.force[k], 1e-12);
            CHECK_CLOSE((double)a.load, (double)b.load, 1e-12);
            touches += a.load > 0.0L;
        }
        assert_true(touches > 100);
        scree_surface_destroy(both);
        scree_surface_destroy(one);
    }
}

// A closed plate of a tenth of the radius, seen from outside: one-sided it acts with its nearest point, as one contact,
// also above its middle, where the far side is within reach. Two-sided it does so where the far side is not above or
// below the centre.
static void a_thin_plate_is_one_sided(void** state)
{
    (void)state;
    const double thick = 0.02, r = 0.2;
    scree_surface* plates[2];
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        scree_surface_def def = scree_default_surface_def();
        scree_triangles t = mesh_cube(false);
        for (int32_t c = 2; c < 9 * t.count; c += 3)
            t.xyz[c] *= thick;
        def.one_sided = one_sided == 1;
        plates[one_sided] = mesh_surface_with(&def, &t);
    }
    scree_rng rng = scree_rng_make(5, 24);
    int through = 0, beside = 0;
    for (int i = 0; i < 4000; ++i) {
        double x[3] = {between(&rng, -0.2, 1.2), between(&rng, -0.2, 1.2), between(&rng, -0.2, 0.2 + thick)}, to[3], square = 0.0;
        for (int k = 0; k < 3; ++k) {
            to[k] = x[k] - fmin(fmax(x[k], 0.0), k == 2 ? thick : 1.0);
            square += to[k] * to[k];
        }
        const double distance = sqrt(square);
        if (distance < 1e-3 || distance >= r)
            continue;
        const bool above = to[0] == 0.0 && to[1] == 0.0;
        const judged one = given_by_scree(plates[1], x, r), both = given_by_scree(plates[0], x, r);
        for (int side = 0; side < 2; ++side) {
            const judged* found = side == 0 ? &one : &both;
            if (side == 1 && above && distance + thick < r) {
                assert_true((double)both.load > (double)one.load);
                ++through;
                continue;
            }
            beside += !above;
            assert_int_equal(one.components, 1);
            for (int k = 0; k < 3; ++k)
                CHECK_CLOSE((double)found->force[k], (r - distance) * to[k] / distance, 1e-12);
            CHECK_CLOSE((double)found->load, r - distance, 1e-12);
            CHECK_CLOSE((double)found->energy, (r - distance) * (r - distance) / 2.0, 1e-12);
        }
    }
    assert_true(through > 500 && beside > 500);
    scree_surface_destroy(plates[0]);
    scree_surface_destroy(plates[1]);
}

static const test_case cases[] = {
    PROPERTY(terms_are_those_of_all_pairs),
    PROPERTY(forces_are_gradients),
    UNIT(rings_carry),
    UNIT(junctions_are_split),
    UNIT(junctions_of_rounded_files_are_split),
    UNIT(pieces_that_repeat_others_are_left_out),
    UNIT(sharp_tips_are_split_once),
    UNIT(gaps_far_away_stay_open),
    UNIT(faults_are_reported),
    UNIT(one_sided_is_the_same_in_front),
    UNIT(a_thin_plate_is_one_sided),
};

const test_group group_surface_links = {.name = "surface_links", .cases = cases, .count = sizeof cases / sizeof *cases};
