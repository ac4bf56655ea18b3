// Surfaces: contacts with meshes are compared by a soup of triangles that knows no edges (a point is a local minimum if no triangle through it comes nearer), the
// search by all triangles, inside and outside by solid angles, exact shapes by dense samples and finite differences.
#include "surface_support.h"

#include "support.h"

#include "base/triples.h"
#include "geom/surface_inner.h"
#include "scree/surface.h"

static const double pi = 3.14159265358979323846;

// ---- Meshes ------------------------------------------------------------------------------------------------------------

static void add(scree_triangles* to, const double a[3], const double b[3], const double c[3])
{
    double* xyz = &to->xyz[9 * (int64_t)to->count++];
    memcpy(xyz, a, 3 * sizeof *xyz);
    memcpy(xyz + 3, b, 3 * sizeof *xyz);
    memcpy(xyz + 6, c, 3 * sizeof *xyz);
}

static scree_triangles room_for(int32_t count)
{
    scree_triangles t;
    CHECK_OK(scree_triangles_make(count, &t));
    t.count = 0;
    return t;
}

static scree_placement random_placement(scree_rng* rng)
{
    scree_placement p = scree_default_placement();
    double axis[3];
    random_direction(rng, axis);
    CHECK_OK(scree_placement_turn(axis, between(rng, 0.0, 6.0), p.turn));
    for (int k = 0; k < 3; ++k)
        p.shift[k] = between(rng, -5.0, 5.0);
    return p;
}

static void placed(const scree_placement* p, const double x[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = p->scale * (p->turn[k][0] * x[0] + p->turn[k][1] * x[1] + p->turn[k][2] * x[2]) + p->shift[k];
}

// The square 0 to 1, cut into side x side squares of two triangles, with diagonals either way and inner vertices moved about.
static scree_triangles plane_of(int side, scree_rng* rng)
{
    scree_triangles t = room_for(2 * side * side);
    int across = side + 1;
    double(*v)[3] = calloc((size_t)(across * across), sizeof *v);
    for (int i = 0; i < across * across; ++i) {
        int at[2] = {i % across, i / across};
        for (int k = 0; k < 2; ++k) {
            bool inner = at[0] > 0 && at[0] < side && at[1] > 0 && at[1] < side;
            v[i][k] = (at[k] + (inner ? between(rng, -0.3, 0.3) : 0.0)) / side;
        }
    }
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            int a = y * across + x, b = a + 1, c = a + across, d = c + 1;
            if (scree_rng_below(rng, 2) == 0) {
                add(&t, v[a], v[b], v[d]);
                add(&t, v[a], v[d], v[c]);
            } else {
                add(&t, v[a], v[b], v[c]);
                add(&t, v[b], v[d], v[c]);
            }
        }
    free(v);
    return t;
}

// The cube 0 to 1, faces outwards or inwards.
static scree_triangles cube_of(bool inwards)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    scree_triangles t = room_for(12);
    double v[8][3];
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            v[i][k] = i >> k & 1;
    for (int f = 0; f < 6; ++f) {
        const int* q = faces[f];
        for (int half = 0; half < 2; ++half) {
            const double *a = v[q[0]], *b = v[q[1 + half]], *c = v[q[2 + half]];
            add(&t, a, inwards ? c : b, inwards ? b : c);
        }
    }
    return t;
}

// A ball of about 8 detail^2 triangles whose vertices are moved in and out.
static scree_triangles lump_of(int detail, double rough, scree_rng* rng)
{
    int rings = 2 * detail, around = 2 * detail;
    scree_triangles t = room_for(2 * rings * around);
    double(*v)[3] = calloc((size_t)((rings + 1) * around), sizeof *v);
    for (int i = 0; i <= rings; ++i)
        for (int j = 0; j < around; ++j) {
            int pole = i == 0 || i == rings;
            double theta = pi * i / rings, phi = 2.0 * pi * j / around, r = 1.0 + rough * between(rng, -1.0, 1.0);
            double* x = v[i * around + j];
            x[0] = pole ? 0.0 : r * sin(theta) * cos(phi);
            x[1] = pole ? 0.0 : r * sin(theta) * sin(phi);
            x[2] = pole ? cos(theta) : r * cos(theta);
        }
    for (int i = 0; i < rings; ++i)
        for (int j = 0; j < around; ++j) {
            int next = (j + 1) % around;
            const double *a = v[i * around + j], *b = v[i * around + next], *c = v[(i + 1) * around + j], *d = v[(i + 1) * around + next];
            if (i < rings - 1)
                add(&t, a, c, d);
            if (i > 0)
                add(&t, a, d, b);
        }
    free(v);
    return t;
}

static scree_surface* surface_with(const scree_surface_def* def, scree_triangles* t)
{
    scree_surface* s;
    CHECK_OK(scree_surface_create(def, t, &s));
    scree_triangles_free(t);
    return s;
}

static scree_surface* surface_of(scree_triangles* t, double merge_angle)
{
    scree_surface_def def = scree_default_surface_def();
    def.merge_angle = merge_angle;
    return surface_with(&def, t);
}

enum { most = 4096 };

static int64_t touch(const scree_surface* s, const double x[3], double r, scree_surface_contact out[most])
{
    int32_t near[most];
    int64_t count = scree_surface_near(s, x, r, near, most);
    assert_true(count <= most);
    int64_t contacts = scree_surface_contacts(s, x, r, count, near, out, most);
    assert_true(contacts <= most);
    for (int64_t i = 0; i < contacts; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            square += out[i].normal[k] * out[i].normal[k];
            CHECK_CLOSE(out[i].point[k] + out[i].distance * out[i].normal[k], x[k], 1e-13 * (1.0 + fabs(x[k])));
        }
        CHECK_CLOSE(square, 1.0, 1e-14);
        assert_true(out[i].distance < r && (i == 0 || out[i].feature > out[i - 1].feature));
    }
    return contacts;
}

// ---- Planes, edges, corners --------------------------------------------------------------------------------------------

// Everywhere on a plane: one contact, the plane's.
static void test_plane_is_one_contact(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(1, 1);
    static const int sides[] = {1, 32};  // 2 and 2048 triangles
    for (int trial = 0; trial < 6; ++trial) {
        scree_triangles t = plane_of(sides[trial % 2], &rng);
        scree_placement p = trial < 2 ? scree_default_placement() : random_placement(&rng);
        CHECK_OK(scree_triangles_place(&t, &p));
        scree_surface* s = surface_of(&t, trial % 3 == 0 ? 0.0 : 1.0);
        scree_surface_arrays a = scree_surface_get_arrays(s);
        double n[3];
        for (int k = 0; k < 3; ++k)
            n[k] = p.turn[k][2];
        for (int i = 0; i < 1500; ++i) {
            // Over a random point, a point of an edge, a vertex; open borders are left out by r below their distance.
            int32_t e = (int32_t)scree_rng_below(&rng, (uint64_t)a.edges), v = (int32_t)scree_rng_below(&rng, (uint64_t)a.vertices);
            double part = scree_rng_uniform(&rng), x[3] = {scree_rng_uniform(&rng), scree_rng_uniform(&rng), 0.0}, at[3], centre[3];
            if (part < 0.1)
                part = 0.5;
            placed(&p, x, at);
            for (int k = 0; k < 3; ++k)
                at[k] = i % 3 == 0 ? at[k] : i % 3 == 1 ? a.vertex[a.edge[e][0]][k] + part * (a.vertex[a.edge[e][1]][k] - a.vertex[a.edge[e][0]][k]) : a.vertex[v][k];
            double height = (scree_rng_below(&rng, 2) == 0 ? 1.0 : -1.0) * (i % 7 == 0 ? 1e-9 : i % 11 == 0 ? 0.0 : between(&rng, 0.0, 0.2)), r = 0.2;
            for (int k = 0; k < 3; ++k)
                centre[k] = at[k] + height * n[k];
            scree_surface_contact out[most];
            int64_t count = touch(s, centre, r, out);
            if (count != 1)
                fail_msg("trial %d, case %d, height %g: %d contacts", trial, i, height, (int)count);
            if (fabs(height) > 1e-10)
                for (int k = 0; k < 3; ++k)
                    CHECK_CLOSE(out[0].normal[k], height > 0.0 ? n[k] : -n[k], 1e-12);
            CHECK_CLOSE(out[0].distance, fabs(height), 1e-14);
            assert_true(fabs(height) < 1e-10 || out[0].front == (height > 0.0));
            assert_true(out[0].feature < a.triangles);
        }
        scree_surface_destroy(s);
    }
}

static void test_convex_edges_and_vertices(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(2, 1);
    scree_placement p = random_placement(&rng);
    scree_triangles t = cube_of(false);
    CHECK_OK(scree_triangles_place(&t, &p));
    scree_surface* s = surface_of(&t, 1.0);
    for (int i = 0; i < 2000; ++i) {
        double corner[3], d[3], x[3], at[3], centre[3];
        int out_of = 0;
        for (int k = 0; k < 3; ++k) {
            bool beyond = scree_rng_below(&rng, 2) == 0, high = scree_rng_below(&rng, 2) == 0;
            corner[k] = beyond ? high : between(&rng, 0.0, 1.0);
            d[k] = beyond ? (high ? 1.0 : -1.0) * between(&rng, 0.001, 0.1) : 0.0;
            out_of += beyond;
            x[k] = corner[k] + d[k];
        }
        if (out_of == 0)
            continue;
        placed(&p, corner, at);
        placed(&p, x, centre);
        scree_surface_contact out[most];
        assert_int_equal(touch(s, centre, 0.2, out), 1);
        double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        CHECK_CLOSE(out[0].distance, distance, 1e-14);
        for (int k = 0; k < 3; ++k) {
            CHECK_CLOSE(out[0].point[k], at[k], 1e-14);
            CHECK_CLOSE(out[0].normal[k], (centre[k] - at[k]) / distance, 1e-11);
        }
        scree_surface_arrays a = scree_surface_get_arrays(s);
        int32_t lowest[] = {0, 0, a.triangles, a.triangles + a.edges};
        assert_true(out[0].front && out[0].feature >= lowest[out_of]);
    }
    scree_surface_destroy(s);
}

static void test_concave_corners(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(3, 1);
    scree_placement p = random_placement(&rng);
    scree_triangles t = cube_of(true);
    CHECK_OK(scree_triangles_place(&t, &p));
    scree_surface* s = surface_of(&t, 1.0);
    scree_exact box = scree_default_exact();
    box.kind = SCREE_EXACT_BOX;
    box.inside = true;
    box.upper[0] = box.upper[1] = box.upper[2] = 1.0;
    int seen[4] = {0};
    for (int i = 0; i < 2000; ++i) {
        double x[3], centre[3], r = 0.15;
        for (int k = 0; k < 3; ++k)
            x[k] = scree_rng_below(&rng, 2) == 0 ? between(&rng, 0.2, 0.8) : between(&rng, 0.01, 0.1);
        if (i % 5 == 0)
            x[0] = x[1];  // over the diagonals of faces
        placed(&p, x, centre);
        scree_surface_contact out[most], planes[SCREE_EXACT_CONTACTS_MAX];
        int32_t wanted = scree_exact_contacts(&box, x, r, planes);
        int64_t count = touch(s, centre, r, out);
        assert_int_equal(count, wanted);
        ++seen[count];
        for (int64_t w = 0; w < count; ++w) {
            double n[3];
            bool found = false;
            for (int k = 0; k < 3; ++k)
                n[k] = p.turn[k][0] * planes[w].normal[0] + p.turn[k][1] * planes[w].normal[1] + p.turn[k][2] * planes[w].normal[2];
            for (int64_t c = 0; c < count; ++c)
                found = found || (fabs(out[c].normal[0] - n[0]) + fabs(out[c].normal[1] - n[1]) + fabs(out[c].normal[2] - n[2]) < 1e-13 &&
                                  fabs(out[c].distance - planes[w].distance) < 1e-14 && out[c].front);
            assert_true(found);
        }
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
    scree_surface_destroy(s);
}

// The inside of a drum of so many facets, as long as needed, its axis along y.
static scree_triangles drum_of(int facets)
{
    scree_triangles t = room_for(2 * facets);
    for (int i = 0; i < facets; ++i) {
        double v[4][3];
        for (int k = 0; k < 4; ++k) {
            double phi = 2.0 * pi * ((i + k % 2) % facets) / facets;
            v[k][0] = cos(phi);
            v[k][1] = k < 2 ? -0.5 : 0.5;
            v[k][2] = sin(phi);
        }
        add(&t, v[0], v[1], v[2]);
        add(&t, v[1], v[3], v[2]);
    }
    return t;
}

static void test_merge_angle(void** state)
{
    (void)state;
    scree_surface_contact out[most];
    for (int facets = 16; facets <= 1024; facets *= 2)
        for (int merged = 0; merged < 2; ++merged) {
            scree_triangles t = drum_of(facets);
            scree_surface* s = surface_of(&t, merged ? 1.0 : 0.0);
            double seam[3] = {0.75, 0.1, 0.0}, off[3];  // over the seam at angle 0, and a little beside it
            int64_t at_seam = touch(s, seam, 0.2505, out);
            bool flat = 360.0 / facets < 1.0;
            if (merged && flat)
                assert_int_equal(at_seam, 1);
            else
                assert_true(at_seam >= 2);
            double phi = 0.25 * pi / facets;
            off[0] = 0.75 * cos(phi);
            off[1] = 0.1;
            off[2] = 0.75 * sin(phi);
            int64_t beside = touch(s, off, 0.2505, out);
            assert_true(beside >= 1);
            if (merged && flat) {  // the deepest: the facet from 0 to 2 pi / facets
                assert_int_equal(beside, 1);
                CHECK_CLOSE(atan2(-out[0].normal[2], -out[0].normal[0]), pi / facets, 1e-12);
            }
            scree_surface_destroy(s);
        }
    // Facets of 0.3 degrees: chains of neighbours end at 1 degree from the deepest.
    scree_triangles t = drum_of(1200);
    scree_surface* s = surface_of(&t, 1.0);
    double centre[3] = {1e-9, 0.1, 0.0};
    int64_t count = touch(s, centre, 1.1, out);
    assert_true(count >= 180 && count <= 400);
    scree_surface_destroy(s);
}

// A drum of many facets is a cylinder: as near as its facets are.
static void test_drums_converge(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(12, 1);
    scree_exact cylinder = scree_default_exact();
    cylinder.kind = SCREE_EXACT_CYLINDER;
    cylinder.axis[1] = 1.0;
    cylinder.axis[2] = 0.0;
    cylinder.at[1] = -0.5;
    cylinder.length = cylinder.radius[0] = 1.0;
    cylinder.inside = true;
    for (int facets = 8; facets <= 2048; facets *= 2) {
        scree_triangles t = drum_of(facets);
        scree_surface* s = surface_of(&t, 1.0);
        double off = 1.0 - cos(pi / facets), largest = 0.0;
        for (int i = 0; i < 100; ++i) {
            double phi = between(&rng, 0.0, 2.0 * pi), rho = between(&rng, 0.3, 0.7), x[3] = {rho * cos(phi), between(&rng, -0.4, 0.4), rho * sin(phi)};
            scree_surface_contact flat, exact;
            CHECK_OK(scree_surface_closest(s, x, &flat));
            CHECK_OK(scree_exact_closest(&cylinder, x, &exact));
            assert_true(flat.front && exact.front);
            largest = fmax(largest, exact.distance - flat.distance);
            assert_true(flat.distance <= exact.distance + 1e-14);
            for (int k = 0; k < 3; ++k)
                CHECK_CLOSE(flat.normal[k], exact.normal[k], 2.0 * sin(0.5 * pi / facets) + 1e-12);
        }
        assert_true(largest <= off + 1e-14 && largest > 0.5 * off);
        scree_surface_destroy(s);
    }
}

static void test_one_sided(void** state)
{
    (void)state;
    scree_surface_def def = scree_default_surface_def();
    scree_surface_contact out[most];
    for (int sided = 0; sided < 2; ++sided) {
        scree_triangles t = cube_of(false);
        scree_placement flatten = scree_default_placement();
        CHECK_OK(scree_triangles_place(&t, &flatten));
        for (int64_t c = 2; c < 9 * (int64_t)t.count; c += 3)
            t.xyz[c] *= 0.01;  // a plate
        def.one_sided = sided == 1;
        scree_surface* s = surface_with(&def, &t);
        const double x[3] = {0.4, 0.6, 0.06};  // deeper in it than it is thick: its far side would push too
        assert_int_equal(touch(s, x, 0.1, out), sided ? 1 : 2);
        assert_true(out[sided ? 0 : 1].front && out[0].normal[2] == 1.0);
        const double within[3] = {0.4, 0.6, 0.004};
        assert_int_equal(touch(s, within, 0.1, out), sided ? 0 : 2);
        scree_surface_destroy(s);
    }
}

static void test_centres_on_the_surface(void** state)
{
    (void)state;
    scree_triangles t = cube_of(false);
    scree_surface* s = surface_of(&t, 1.0);
    scree_surface_contact out[most];
    const double face[3] = {0.25, 0.6, 1.0}, diagonal[3] = {0.5, 0.5, 1.0}, edge[3] = {0.5, 1.0, 1.0}, corner[3] = {1.0, 1.0, 1.0};
    assert_int_equal(touch(s, face, 0.1, out), 1);
    assert_true(out[0].distance == 0.0 && out[0].normal[2] == 1.0 && out[0].front);
    assert_int_equal(touch(s, diagonal, 0.1, out), 1);
    assert_true(out[0].distance == 0.0 && out[0].normal[2] == 1.0 && out[0].front);
    assert_true(touch(s, edge, 0.1, out) >= 1);
    assert_true(out[0].distance == 0.0 && out[0].normal[1] + out[0].normal[2] == 1.0);
    assert_true(touch(s, corner, 0.1, out) >= 1);
    assert_true(out[0].distance == 0.0);
    scree_surface_destroy(s);
}

// A long edge beside two short ones that were not joined to it: no contacts at the slit.
static void test_slits_of_no_width(void** state)
{
    (void)state;
    static const double v[5][3] = {{0, 0, 0}, {2, 0, 0}, {1, -1, 0}, {1, 0, 0}, {1, 1, 0}};
    scree_rng rng = scree_rng_make(9, 1);
    scree_triangles t = room_for(3);
    add(&t, v[0], v[2], v[1]);
    add(&t, v[0], v[3], v[4]);
    add(&t, v[3], v[1], v[4]);
    scree_surface* s = surface_of(&t, 0.0);
    assert_int_equal(scree_surface_get_report(s).open_edges, 7);
    scree_surface_contact out[most];
    for (int i = 0; i < 2000; ++i) {
        double beside = (i % 2 == 0 ? 0.3 : -0.3) * pow(10.0, between(&rng, -12.0, 0.0));
        double x[3] = {between(&rng, 0.5, 1.5), beside, between(&rng, 0.01, 0.1)};
        if (i % 5 == 0)
            x[1] = 0.0;
        if (i % 7 == 0)
            x[0] = 1.0;
        assert_int_equal(touch(s, x, 0.15, out), 1);
        assert_true(out[0].normal[2] == 1.0 || fabs(out[0].normal[2] - 1.0) < 1e-14);
    }
    const double beyond[3] = {2.1, 0.0, 0.05};  // the true border stays
    assert_int_equal(touch(s, beyond, 0.15, out), 1);
    CHECK_CLOSE(out[0].point[0], 2.0, 1e-15);
    scree_surface_destroy(s);
}

// ---- Random meshes against a soup --------------------------------------------------------------------------------------

static long double dotl(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Nearest point of a triangle, by the regions around it (Ericson, Real-Time Collision Detection, 5.1.5), in long double.
static long double soup_closest(const double* xyz, const long double p[3], long double out[3])
{
    long double a[3], b[3], c[3], ab[3], ac[3], ap[3], bp[3], cp[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = xyz[k];
        b[k] = xyz[3 + k];
        c[k] = xyz[6 + k];
        ab[k] = b[k] - a[k];
        ac[k] = c[k] - a[k];
        ap[k] = p[k] - a[k];
        bp[k] = p[k] - b[k];
        cp[k] = p[k] - c[k];
    }
    long double d1 = dotl(ab, ap), d2 = dotl(ac, ap), d3 = dotl(ab, bp), d4 = dotl(ac, bp), d5 = dotl(ab, cp), d6 = dotl(ac, cp);
    long double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, v, w;
    if (d1 <= 0 && d2 <= 0)
        v = w = 0;
    else if (d3 >= 0 && d4 <= d3)
        v = 1, w = 0;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        v = d1 / (d1 - d3), w = 0;
    else if (d6 >= 0 && d5 <= d6)
        v = 0, w = 1;
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        v = 0, w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6)), v = 1 - w;
    else
        v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    long double square = 0;
    for (int k = 0; k < 3; ++k) {
        out[k] = a[k] + v * ab[k] + w * ac[k];
        square += (out[k] - p[k]) * (out[k] - p[k]);
    }
    return sqrtl(square);
}

// The local minima below r, as points; how many. -1: too close to call.
static int soup_minima(const scree_triangles* t, const double x[3], double r, long double (*out)[3], int room)
{
    long double p[3] = {x[0], x[1], x[2]}, at[3], other[3];
    int count = 0;
    for (int32_t i = 0; i < t->count; ++i) {
        long double distance = soup_closest(&t->xyz[9 * i], p, at);
        bool minimum = distance < r;
        if (fabsl(distance - r) < 1e-7L)
            return -1;
        for (int32_t j = 0; j < t->count && minimum; ++j) {
            long double off = soup_closest(&t->xyz[9 * j], at, other);
            if (off > 1e-12L && off < 1e-5L)
                return -1;
            if (off > 1e-12L)
                continue;
            long double d = soup_closest(&t->xyz[9 * j], p, other);
            if (d < distance - 1e-12L && d > distance - 1e-9L)
                return -1;
            minimum = d >= distance - 1e-12L;
        }
        for (int c = 0; c < count && minimum; ++c) {
            long double off[3] = {at[0] - out[c][0], at[1] - out[c][1], at[2] - out[c][2]};
            minimum = dotl(off, off) > 1e-18L;
        }
        if (!minimum)
            continue;
        assert_true(count < room);
        memcpy(out[count++], at, sizeof at);
    }
    return count;
}

static void test_random_meshes(void** state)
{
    (void)state;
    int cases = (int)(12.0 * test_effort()) + 1, checked = 0, several = 0;
    for (int trial = 0; trial < cases; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 5);
        scree_triangles t = lump_of(2 + trial % 4, trial % 3 == 0 ? 0.0 : 0.4, &rng), copy = room_for(t.count);
        scree_placement p = random_placement(&rng);
        CHECK_OK(scree_triangles_place(&t, &p));
        copy.count = t.count;
        memcpy(copy.xyz, t.xyz, (size_t)t.count * 9 * sizeof *t.xyz);
        scree_surface* s = surface_of(&t, 0.0);
        assert_true(scree_surface_get_report(s).closed && scree_surface_get_report(s).oriented);
        for (int i = 0; i < 60; ++i) {
            double u[3], x[3], r = between(&rng, 0.1, 0.8), away = between(&rng, 0.2, 1.5);
            long double minima[64][3];
            scree_surface_contact out[most];
            random_direction(&rng, u);
            for (int k = 0; k < 3; ++k)
                u[k] *= away;
            placed(&p, u, x);
            int wanted = soup_minima(&copy, x, r, minima, 64);
            if (wanted < 0)
                continue;
            int64_t count = touch(s, x, r, out);
            if (count != wanted)
                fail_msg("seed %d, case %d: %d contacts, %d by the soup", trial, i, (int)count, wanted);
            for (int w = 0; w < wanted; ++w) {
                double least = INFINITY;
                for (int64_t c = 0; c < count; ++c) {
                    double d[3];
                    for (int k = 0; k < 3; ++k)
                        d[k] = out[c].point[k] - (double)minima[w][k];
                    least = fmin(least, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
                }
                CHECK_CLOSE(least, 0.0, 1e-12);
            }
            ++checked;
            several += wanted > 1;
            // The nearest of all, and on which side.
            scree_surface_contact nearest;
            int32_t winding;
            double best = INFINITY;
            CHECK_OK(scree_surface_closest(s, x, &nearest));
            CHECK_OK(scree_surface_winding(s, x, &winding));
            for (int32_t n = 0; n < copy.count; ++n) {
                long double q[3] = {x[0], x[1], x[2]}, at[3];
                best = fmin(best, (double)soup_closest(&copy.xyz[9 * n], q, at));
            }
            CHECK_CLOSE(nearest.distance, best, 1e-13);
            assert_int_equal(nearest.front, winding == 0);
        }
        scree_surface_destroy(s);
        scree_triangles_free(&copy);
    }
    assert_true(checked > 30 * cases && several > 0);
}

// ---- Welding and the report --------------------------------------------------------------------------------------------

static void test_reports(void** state)
{
    (void)state;
    scree_surface_def def = scree_default_surface_def();
    scree_triangles t = cube_of(false);
    scree_surface* s = surface_with(&def, &t);
    scree_surface_report r = scree_surface_get_report(s);
    assert_int_equal(r.triangles, 12);
    assert_int_equal(r.edges, 18);
    assert_int_equal(r.vertices, 8);
    assert_int_equal(r.corners, 36);
    assert_true(r.closed && r.oriented && r.open_edges == 0 && r.crowded_edges == 0 && r.welded == 0 && r.degenerate == 0 && r.duplicate == 0);
    CHECK_CLOSE(r.area, 6.0, 1e-14);
    CHECK_CLOSE(r.volume, 1.0, 1e-15);
    CHECK_CLOSE(r.shortest_edge, 1.0, 0.0);
    CHECK_CLOSE(r.longest_edge, sqrt(2.0), 1e-15);
    for (int k = 0; k < 3; ++k)
        assert_true(r.lower[k] == 0.0 && r.upper[k] == 1.0);
    scree_surface_arrays a = scree_surface_get_arrays(s);
    for (int32_t e = 0; e < a.edges; ++e) {
        assert_true(a.edge[e][0] < a.edge[e][1] && a.edge_start[e + 1] - a.edge_start[e] == 2);
        for (int32_t n = a.edge_start[e]; n < a.edge_start[e + 1]; ++n) {
            const int32_t* side = a.side[a.edge_triangle[n]];
            assert_true(side[0] == e || side[1] == e || side[2] == e);
        }
    }
    for (int32_t v = 0, sum = 0; v < a.vertices; sum += a.vertex_start[v + 1] - a.vertex_start[v], ++v) {
        assert_int_equal(a.vertex_start[v], sum);
        for (int32_t n = a.vertex_start[v]; n < a.vertex_start[v + 1]; ++n)
            assert_true(a.edge[a.vertex_edge[n]][0] == v || a.edge[a.vertex_edge[n]][1] == v);
    }
    scree_surface_destroy(s);
    // Turned inside out.
    t = cube_of(true);
    s = surface_with(&def, &t);
    CHECK_CLOSE(scree_surface_get_report(s).volume, -1.0, 1e-15);
    scree_surface_destroy(s);
    // One face is missing, another turned.
    t = cube_of(false);
    t.count = 10;
    double held[3];
    memcpy(held, t.xyz, sizeof held);
    memcpy(t.xyz, t.xyz + 3, sizeof held);
    memcpy(t.xyz + 3, held, sizeof held);
    s = surface_with(&def, &t);
    r = scree_surface_get_report(s);
    assert_true(!r.closed && !r.oriented && isnan(r.volume));
    assert_int_equal(r.open_edges, 4);
    assert_int_equal(r.turned_edges, 3);
    int32_t winding;
    CHECK_FAILS(scree_surface_winding(s, (const double[3]){0.5, 0.5, 0.5}, &winding), SCREE_ERR_ARGUMENT, "open edges", "4");
    scree_surface_destroy(s);
    // Three sheets at one edge.
    static const double v[5][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, -1, 0}};
    t = room_for(3);
    for (int k = 0; k < 3; ++k)
        add(&t, v[0], v[1], v[2 + k]);
    s = surface_with(&def, &t);
    r = scree_surface_get_report(s);
    assert_true(r.crowded_edges == 1 && r.open_edges == 6 && r.turned_edges == 1);
    scree_surface_destroy(s);
}

static void test_welding(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(4, 2);
    scree_surface_def def = scree_default_surface_def();
    for (int trial = 0; trial < 3; ++trial) {
        double noise = trial == 0 ? 0.0 : trial == 1 ? 1e-8 : 1e-3;  // of a grid with edges of 0.03 and more
        scree_triangles t = plane_of(20, &rng);
        scree_surface* exact = surface_of(&(scree_triangles){t.count, memcpy(scree_malloc(9 * (size_t)t.count, 8), t.xyz, 72 * (size_t)t.count)}, 1.0);
        double shortest = scree_surface_get_report(exact).shortest_edge;
        for (int64_t c = 0; c < 9 * (int64_t)t.count; ++c)
            t.xyz[c] += noise * shortest * between(&rng, -1.0, 1.0);
        for (int64_t c = 2; c < 9 * (int64_t)t.count; c += 3)
            t.xyz[c] += 1.0;  // away from 0, where cells have their borders too
        scree_surface* s = surface_with(&def, &t);
        scree_surface_report r = scree_surface_get_report(s), e = scree_surface_get_report(exact);
        if (trial < 2) {
            assert_int_equal(r.vertices, e.vertices);
            assert_int_equal(r.edges, e.edges);
            assert_int_equal(r.open_edges, 80);
            assert_int_equal(r.welded > 0, trial == 1);
        } else {
            assert_int_equal(r.vertices, r.corners);
            assert_int_equal(r.welded, 0);
        }
        scree_surface_destroy(s);
        scree_surface_destroy(exact);
    }
    // -0 is 0.
    def.weld = 0.0;
    scree_triangles t = cube_of(false);
    for (int64_t c = 0; c < 9 * (int64_t)t.count; c += 2)
        t.xyz[c] = t.xyz[c] == 0.0 ? -0.0 : t.xyz[c];
    scree_surface* s = surface_with(&def, &t);
    assert_int_equal(scree_surface_get_report(s).vertices, 8);
    scree_surface_destroy(s);
}

static void test_degenerate_and_duplicate(void** state)
{
    (void)state;
    scree_surface_def def = scree_default_surface_def();
    scree_triangles cube = cube_of(false), t = room_for(17);
    static const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, half[3] = {0.5, 1e-12, 0};
    add(&t, a, a, b);  // 0
    for (int32_t i = 0; i < 12; ++i)
        add(&t, &cube.xyz[9 * i], &cube.xyz[9 * i + 3], &cube.xyz[9 * i + 6]);
    add(&t, &cube.xyz[3], &cube.xyz[6], &cube.xyz[0]);         // 13: as 1
    add(&t, a, half, b);                                       // 14
    add(&t, &cube.xyz[9 * 5 + 6], &cube.xyz[9 * 5 + 3], &cube.xyz[9 * 5]);  // 15: as 6, from behind
    add(&t, b, b, b);                                          // 16
    scree_triangles_free(&cube);
    scree_surface* s = surface_with(&def, &t);
    scree_surface_report r = scree_surface_get_report(s);
    scree_surface_arrays arrays = scree_surface_get_arrays(s);
    assert_int_equal(r.triangles, 12);
    assert_int_equal(r.vertices, 8);
    assert_int_equal(r.degenerate, 3);
    assert_int_equal(r.duplicate, 2);
    assert_true(r.closed && r.oriented);
    static const int32_t source[] = {0, 13, 14, 15, 16}, reason[] = {-1, 1, -1, 6, -1};
    assert_int_equal(arrays.dropped, 5);
    for (int k = 0; k < 5; ++k) {
        assert_int_equal(arrays.dropped_source[k], source[k]);
        assert_int_equal(arrays.dropped_for[k], reason[k]);
    }
    for (int32_t i = 0; i < 12; ++i)
        assert_int_equal(arrays.source[i], i + 1);
    scree_surface_destroy(s);
}

static void test_what_is_refused(void** state)
{
    (void)state;
    scree_surface_def def = scree_default_surface_def();
    scree_surface* s;
    scree_triangles t = cube_of(false), none = {0};
    CHECK_FAILS(scree_surface_create(&def, &none, &s), SCREE_ERR_ARGUMENT, "0");
    assert_null(s);
    t.xyz[9 * 7 + 5] = NAN;
    CHECK_FAILS(scree_surface_create(&def, &t, &s), SCREE_ERR_ARGUMENT, "triangle 7", "corner 1", "z = nan");
    t.xyz[9 * 7 + 5] = 1e150;
    CHECK_FAILS(scree_triangles_check(&t), SCREE_ERR_ARGUMENT, "triangle 7", "1e+150");
    for (int64_t c = 0; c < 9 * (int64_t)t.count; ++c)
        t.xyz[c] = 1.0;
    CHECK_FAILS(scree_surface_create(&def, &t, &s), SCREE_ERR_ARGUMENT, "12");
    def.merge_angle = 91.0;
    CHECK_FAILS(scree_surface_create(&def, &t, &s), SCREE_ERR_ARGUMENT, "merge_angle", "91");
    def = scree_default_surface_def();
    def.weld = -1.0;
    CHECK_FAILS(scree_surface_create(&def, &t, &s), SCREE_ERR_ARGUMENT, "weld", "-1");
    def = scree_default_surface_def();
    def.threads = -2;
    CHECK_FAILS(scree_surface_create(&def, &t, &s), SCREE_ERR_ARGUMENT, "threads", "-2");
    CHECK_FAILS(scree_triangles_make(-3, &none), SCREE_ERR_ARGUMENT, "-3");
    scree_placement p = scree_default_placement();
    p.scale = 0.0;
    CHECK_FAILS(scree_triangles_place(&t, &p), SCREE_ERR_ARGUMENT, "scale", "0");
    p = scree_default_placement();
    p.turn[1][1] = -1.0;
    CHECK_FAILS(scree_triangles_place(&t, &p), SCREE_ERR_ARGUMENT, "determinant");
    p.turn[1][1] = 0.5;
    CHECK_FAILS(scree_triangles_place(&t, &p), SCREE_ERR_ARGUMENT, "turn", "0.25");
    p = scree_default_placement();
    p.scale = 1e139;
    t.xyz[40] = 20.0;
    CHECK_FAILS(scree_triangles_place(&t, &p), SCREE_ERR_ARGUMENT, "triangle 4", "corner 1", "2e+140");
    assert_true(t.xyz[0] == 1.0);  // nothing has moved
    double turn[3][3];
    CHECK_FAILS(scree_placement_turn((const double[3]){0, 0, 0}, 1.0, turn), SCREE_ERR_ARGUMENT, "0 0 0");
    CHECK_FAILS(scree_placement_turn((const double[3]){0, 0, 1}, INFINITY, turn), SCREE_ERR_ARGUMENT, "inf");
    CHECK_OK(scree_placement_turn((const double[3]){0, 0, 2}, 0.5 * pi, turn));
    CHECK_CLOSE(turn[1][0], 1.0, 1e-15);  // x to y
    CHECK_CLOSE(turn[0][1], -1.0, 1e-15);
    scree_triangles_free(&t);
}

// ---- Inside ------------------------------------------------------------------------------------------------------------

// The solid angle of all triangles, over 4 pi (van Oosterom and Strackee).
static double solid_angle(const scree_triangles* t, const double x[3])
{
    double sum = 0.0;
    for (int32_t i = 0; i < t->count; ++i) {
        double v[3][3], l[3];
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 3; ++k)
                v[c][k] = t->xyz[9 * i + 3 * c + k] - x[k];
            l[c] = sqrt(v[c][0] * v[c][0] + v[c][1] * v[c][1] + v[c][2] * v[c][2]);
        }
        double det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) - v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                     v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        double ab = 0.0, bc = 0.0, ca = 0.0;
        for (int k = 0; k < 3; ++k) {
            ab += v[0][k] * v[1][k];
            bc += v[1][k] * v[2][k];
            ca += v[2][k] * v[0][k];
        }
        sum += 2.0 * atan2(det, l[0] * l[1] * l[2] + ab * l[2] + bc * l[0] + ca * l[1]);
    }
    return sum / (4.0 * pi);
}

// Vertices on a coarse lattice, and rays through vertices, along edges and in faces.
static void test_inside_with_ties(void** state)
{
    (void)state;
    int cases = (int)(20.0 * test_effort()) + 1;
    for (int trial = 0; trial < cases; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 6);
        scree_triangles t = lump_of(2 + trial % 3, 0.3, &rng);
        double odd = trial % 2 == 0 ? 0.0 : 0.1;  // lattices that doubles hold, and those that they do not
        for (int64_t c = 0; c < 9 * (int64_t)t.count; ++c)
            t.xyz[c] = (round(t.xyz[c] * 8.0) + odd) / (trial % 2 == 0 ? 8.0 : 7.0);
        scree_triangles copy = room_for(t.count);
        copy.count = t.count;
        memcpy(copy.xyz, t.xyz, (size_t)t.count * 9 * sizeof *t.xyz);
        scree_surface_def def = scree_default_surface_def();
        scree_surface* s = surface_with(&def, &t);
        scree_surface_report r = scree_surface_get_report(s);
        if (r.closed && r.oriented)
            for (int i = 0; i < 300; ++i) {
                double x[3];
                int32_t winding;
                scree_surface_contact nearest;
                for (int k = 0; k < 3; ++k)
                    x[k] = copy.xyz[scree_rng_below(&rng, 3 * (uint64_t)copy.count) * 3 + (uint64_t)k];
                if (i % 3 == 0)
                    x[0] = between(&rng, -1.5, 1.5);
                if (i % 2 == 0) {  // the ray passes a vertex at some roundings of its coordinates
                    const double* v = &copy.xyz[scree_rng_below(&rng, 3 * (uint64_t)copy.count) * 3];
                    double nudge = (scree_rng_uniform(&rng) < 0.5 ? 1.0 : -1.0) * ldexp(1.0, -50 - (int)scree_rng_below(&rng, 6));
                    x[0] = between(&rng, -1.5, 1.5);
                    x[1] = v[1] + nudge * (double)scree_rng_below(&rng, 3);
                    x[2] = v[2] + nudge * (double)scree_rng_below(&rng, 3);
                }
                CHECK_OK(scree_surface_closest(s, x, &nearest));
                if (nearest.distance < 1e-9)
                    continue;
                CHECK_OK(scree_surface_winding(s, x, &winding));
                CHECK_CLOSE(solid_angle(&copy, x), winding, 1e-6);
            }
        scree_surface_destroy(s);
        scree_triangles_free(&copy);
    }
    // Two shells, one inside the other: around twice; and where orientation does not fit, odd or even.
    for (int turned = 0; turned < 2; ++turned) {
        scree_triangles outer = cube_of(false), inner = cube_of(false), both = room_for(24);
        for (int64_t c = 0; c < 108; ++c)
            inner.xyz[c] = 0.25 + 0.5 * inner.xyz[c];
        for (int32_t i = 0; i < 12; ++i)
            add(&both, &outer.xyz[9 * i], &outer.xyz[9 * i + 3 + 3 * (turned && i == 0)], &outer.xyz[9 * i + 6 - 3 * (turned && i == 0)]);
        for (int32_t i = 0; i < 12; ++i)
            add(&both, &inner.xyz[9 * i], &inner.xyz[9 * i + 3], &inner.xyz[9 * i + 6]);
        scree_triangles_free(&outer);
        scree_triangles_free(&inner);
        scree_surface* s = surface_of(&both, 1.0);
        int32_t w;
        CHECK_OK(scree_surface_winding(s, (const double[3]){0.5, 0.5, 0.5}, &w));
        assert_int_equal(w, turned ? 0 : 2);
        CHECK_OK(scree_surface_winding(s, (const double[3]){0.1, 0.5, 0.5}, &w));
        assert_int_equal(w, 1);
        CHECK_OK(scree_surface_winding(s, (const double[3]){-0.1, 0.5, 0.5}, &w));
        assert_int_equal(w, 0);
        scree_surface_destroy(s);
    }
}

// Points at some roundings from a line: rounded determinants give wrong signs here (Kettner et al. 2008, "Classroom examples of robustness problems").
static void test_sides_are_exact(void** state)
{
    (void)state;
    const double a[3] = {0, 12, 12}, b[3] = {0, 24, 24};
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j) {
            double q[3] = {0, 0.5 + ldexp(i, -53), 0.5 + ldexp(j, -53)};
            int wanted = q[2] > q[1] ? 1 : -1;  // on the line: right, since it is moved along y
            assert_int_equal(surface_side(a, b, q), wanted);
            assert_int_equal(surface_side(b, a, q), -wanted);
        }
    assert_int_equal(surface_side(a, a, b), 0);
}

// Faces along the ray, up to roundings of their corners: seen along it they are slivers, and the ray runs through them. From outside it leaves as often as it enters.
static void test_rays_along_faces(void** state)
{
    (void)state;
    int cases = (int)(300.0 * test_effort());
    scree_surface_def def = scree_default_surface_def();
    for (int trial = 0; trial < cases; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 9);
        scree_triangles t = cube_of(false);
        scree_placement p = scree_default_placement();
        double moved[8][3];
        CHECK_OK(scree_placement_turn((const double[3]){1, 0, 0}, between(&rng, 0.0, 6.0), p.turn));
        for (int v = 0; v < 8; ++v) {
            double corner[3] = {v & 1, v >> 1 & 1, v >> 2 & 1};
            placed(&p, corner, moved[v]);
            for (int k = 0; k < 3; ++k)
                moved[v][k] += 0.0137 + ldexp((double)scree_rng_below(&rng, 9) - 4.0, -53);  // so that differences of coordinates are rounded
        }
        for (int64_t c = 0; c < 3 * (int64_t)t.count; ++c)
            memcpy(&t.xyz[3 * c], moved[(int)t.xyz[3 * c] + 2 * (int)t.xyz[3 * c + 1] + 4 * (int)t.xyz[3 * c + 2]], sizeof moved[0]);
        scree_surface* s = surface_with(&def, &t);
        assert_true(scree_surface_get_report(s).closed);
        for (int i = 0; i < 200; ++i) {
            const double *a = moved[i % 2 == 0 ? scree_rng_below(&rng, 2) : scree_rng_below(&rng, 8)], *b = moved[scree_rng_below(&rng, 8)];
            double part = i % 4 == 0 ? 0.0 : ldexp(scree_rng_uniform(&rng), -(int)scree_rng_below(&rng, 50)), x[3] = {-1.0, 0.0, 0.0};
            int32_t winding;
            for (int k = 1; k < 3; ++k)
                x[k] = a[k] + part * (b[k] - a[k]) + ldexp((double)scree_rng_below(&rng, 5) - 2.0, -53 - (int)scree_rng_below(&rng, 8));
            CHECK_OK(scree_surface_winding(s, x, &winding));
            assert_int_equal(winding, 0);
        }
        scree_surface_destroy(s);
    }
}

// ---- Search ------------------------------------------------------------------------------------------------------------

// Small triangles and needles a thousand times as long.
static scree_triangles mixed(int32_t count, scree_rng* rng)
{
    scree_triangles t = room_for(count);
    for (int32_t i = 0; i < count; ++i) {
        double v[3][3], long_way[3];
        random_direction(rng, long_way);
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k)
                v[c][k] = (c == 0 ? between(rng, 0.0, 1.0) : v[0][k] + between(rng, -0.003, 0.003)) + (c == 2 && i % 10 == 0 ? 2.0 * long_way[k] : 0.0);
        add(&t, v[0], v[1], v[2]);
    }
    return t;
}

static void test_search_by_all(void** state)
{
    (void)state;
    int cases = (int)(4.0 * test_effort()) + 1;
    for (int trial = 0; trial < cases; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 7);
        scree_triangles t = mixed(1500, &rng), copy = room_for(t.count);
        copy.count = t.count;
        memcpy(copy.xyz, t.xyz, (size_t)t.count * 9 * sizeof *t.xyz);
        scree_surface* s = surface_of(&t, 1.0);
        scree_surface_arrays a = scree_surface_get_arrays(s);
        int32_t* near = calloc((size_t)a.triangles, sizeof *near);
        for (int i = 0; i < 40; ++i) {
            double x[3] = {between(&rng, -0.2, 1.2), between(&rng, -0.2, 1.2), between(&rng, -0.2, 1.2)}, reach = i % 2 == 0 ? 0.02 : 0.2;
            long double p[3] = {x[0], x[1], x[2]}, at[3];
            int64_t count = scree_surface_near(s, x, reach, near, a.triangles), n = 0;
            for (int32_t k = 0; k < a.triangles; ++k) {
                long double distance = soup_closest(&copy.xyz[9 * a.source[k]], p, at);
                bool found = n < count && near[n] == k;
                if (found)
                    ++n;
                if (fabsl(distance - reach) > 1e-8L)
                    assert_int_equal(found, distance < reach);
            }
            assert_int_equal(n, count);
            if (count > 0)
                assert_int_equal(scree_surface_near(s, x, reach, near, count - 1), count);
        }
        free(near);
        scree_surface_destroy(s);
        scree_triangles_free(&copy);
    }
}

static void test_rows_with_threads(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(8, 7);
    enum { count = 700 };
    static double xr[count][4];
    scree_triangles t = mixed(3000, &rng);
    scree_surface* s = surface_of(&t, 1.0);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 4; ++k)
            xr[i][k] = k < 3 ? between(&rng, 0.0, 1.0) : between(&rng, 0.0, 0.05);
    static const int32_t threads[] = {1, 2, 7};
    scree_surface_rows rows[3] = {0};
    for (int k = 0; k < 3; ++k) {
        CHECK_OK(scree_surface_rows_make(s, count, (const double(*)[4])xr, 0.01, threads[k], &rows[k]));
        assert_int_equal(rows[k].count, count);
        assert_memory_equal(rows[k].start, rows[0].start, (count + 1) * sizeof *rows[k].start);
        assert_memory_equal(rows[k].triangle, rows[0].triangle, (size_t)rows[0].start[count] * sizeof *rows[k].triangle);
    }
    assert_true(rows[0].start[count] > count);
    for (int i = 0; i < count; ++i) {
        int32_t near[most];
        int64_t here = scree_surface_near(s, xr[i], xr[i][3] + 0.01, near, most), begin = rows[0].start[i];
        assert_int_equal(here, rows[0].start[i + 1] - begin);
        assert_memory_equal(near, rows[0].triangle + begin, (size_t)here * sizeof *near);
        // Contacts do not depend on what else is among the candidates.
        scree_surface_contact a[most], b[most];
        int32_t exact[most];
        int64_t fewer = scree_surface_near(s, xr[i], xr[i][3], exact, most);
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        int64_t n = scree_surface_contacts(s, xr[i], xr[i][3], here, near, a, most);
        assert_int_equal(scree_surface_contacts(s, xr[i], xr[i][3], fewer, exact, b, most), n);
        for (int64_t c = 0; c < n; ++c)
            assert_true(a[c].feature == b[c].feature && a[c].distance == b[c].distance && memcmp(a[c].normal, b[c].normal, sizeof a[c].normal) == 0 &&
                        memcmp(a[c].point, b[c].point, sizeof a[c].point) == 0);
        if (n > 0)
            assert_true(scree_surface_contacts(s, xr[i], xr[i][3], here, near, NULL, 0) >= n);
    }
    xr[5][3] = -1.0;
    CHECK_FAILS(scree_surface_rows_make(s, count, (const double(*)[4])xr, 0.01, 1, &rows[1]), SCREE_ERR_ARGUMENT, "sphere 5", "radius = -1");
    assert_int_equal(rows[1].count, 0);
    CHECK_FAILS(scree_surface_rows_make(s, 1, (const double(*)[4])xr, -0.5, 1, &rows[1]), SCREE_ERR_ARGUMENT, "skin", "-0.5");
    for (int k = 0; k < 3; ++k)
        scree_surface_rows_free(&rows[k]);
    scree_surface_destroy(s);
}

static scree_status make_and_drop(const scree_surface_def* def, const scree_triangles* t)
{
    scree_surface* s;
    scree_status status = scree_surface_create(def, t, &s);
    if (status != SCREE_OK)
        assert_null(s);
    scree_surface_destroy(s);
    return status;
}

static void test_nth_allocation_fails(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(10, 7);
    scree_surface_def def = scree_default_surface_def();
    def.threads = 1;
    scree_triangles t = plane_of(5, &rng);
    memcpy(&t.xyz[9 * 7], &t.xyz[9 * 3], 9 * sizeof *t.xyz);
    EACH_ALLOCATION_FAILS(make_and_drop(&def, &t), );
    scree_surface* s = surface_with(&def, &t);
    const double xr[2][4] = {{0.5, 0.5, 0.0, 0.1}, {0.2, 0.2, 0.1, 0.2}};
    scree_surface_rows rows = {0};
    EACH_ALLOCATION_FAILS(scree_surface_rows_make(s, 2, xr, 0.1, 1, &rows), assert_int_equal(rows.count, 0));
    assert_int_equal(rows.count, 2);
    scree_surface_rows_free(&rows);
    scree_surface_destroy(s);
}

static void test_triples(void** state)
{
    (void)state;
    scree_triples table = {0};
    uint32_t number;
    for (uint64_t pass = 0; pass < 2; ++pass)
        for (uint64_t i = 0; i < 5000; ++i) {
            CHECK_OK(scree_triples_add(&table, (const uint64_t[3]){i % 7, i / 7 << 40, i}, &number));
            assert_int_equal(number, i);
        }
    assert_int_equal(table.count, 5000);
    assert_int_equal(scree_triples_find(&table, (const uint64_t[3]){1, 0, 1}), 1);
    assert_int_equal(scree_triples_find(&table, (const uint64_t[3]){1, 1, 1}), -1);
    scree_triples_free(&table);
    assert_int_equal(scree_triples_find(&table, (const uint64_t[3]){1, 0, 1}), -1);
}

static const test_case cases[] = {
    UNIT(test_triples),
    UNIT(test_plane_is_one_contact),
    UNIT(test_convex_edges_and_vertices),
    UNIT(test_concave_corners),
    UNIT(test_merge_angle),
    UNIT(test_drums_converge),
    UNIT(test_one_sided),
    UNIT(test_centres_on_the_surface),
    UNIT(test_slits_of_no_width),
    PROPERTY(test_random_meshes),
    UNIT(test_reports),
    UNIT(test_welding),
    UNIT(test_degenerate_and_duplicate),
    UNIT(test_what_is_refused),
    UNIT(test_sides_are_exact),
    PROPERTY(test_inside_with_ties),
    PROPERTY(test_rays_along_faces),
    PROPERTY(test_search_by_all),
    THREADS(test_rows_with_threads),
    ALLOCATION(test_nth_allocation_fails),
};

const test_group group_surface = {.name = "surface", .cases = cases, .count = sizeof cases / sizeof *cases};
