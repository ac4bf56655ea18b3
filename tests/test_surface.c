// Surfaces: contacts with planes, edges and corners by closed forms (test_surface_links.c has all others), the search by all triangles, inside and outside by solid angles; what is welded, reported and refused.
#include "surface_support.h"

// ---- Planes, edges, corners --------------------------------------------------------------------------------------------

// Everywhere on a plane: one contact, the plane's.
static void test_plane_is_one_contact(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(1, 1);
    static const int sides[] = {1, 32};  // 2 and 2048 triangles
    for (int trial = 0; trial < 6; ++trial) {
        scree_triangles t = mesh_plane(sides[trial % 2], &rng);
        scree_placement p = trial < 2 ? scree_default_placement() : mesh_random_placement(&rng);
        CHECK_OK(scree_triangles_place(&t, &p));
        scree_surface* s = mesh_surface(&t);
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
            mesh_placed(&p, x, at);
            for (int k = 0; k < 3; ++k)
                at[k] = i % 3 == 0 ? at[k] : i % 3 == 1 ? a.vertex[a.edge[e][0]][k] + part * (a.vertex[a.edge[e][1]][k] - a.vertex[a.edge[e][0]][k]) : a.vertex[v][k];
            double height = (scree_rng_below(&rng, 2) == 0 ? 1.0 : -1.0) * (i % 7 == 0 ? 1e-9 : i % 11 == 0 ? 0.0 : between(&rng, 0.0, 0.2)), r = 0.2;
            for (int k = 0; k < 3; ++k)
                centre[k] = at[k] + height * n[k];
            scree_surface_contact out[surface_most];
            int64_t count = surface_terms(s, centre, r, out);
            if (count != 1)
                fail_msg("trial %d, case %d, height %g: %d contacts", trial, i, height, (int)count);
            // Over a seam the normal comes from the nearest point of the edge, which is known to some roundings of coordinates up to 6.
            for (int k = 0; k < 3 && fabs(height) > 1e-10; ++k)
                CHECK_CLOSE(out[0].normal[k], height > 0.0 ? n[k] : -n[k], 1e-12 + 1e-14 / fabs(height));
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
    scree_placement p = mesh_random_placement(&rng);
    scree_triangles t = mesh_cube(false);
    CHECK_OK(scree_triangles_place(&t, &p));
    scree_surface* s = mesh_surface(&t);
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
        mesh_placed(&p, corner, at);
        mesh_placed(&p, x, centre);
        scree_surface_contact out[surface_most];
        assert_int_equal(surface_terms(s, centre, 0.2, out), 1);
        double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        CHECK_CLOSE(out[0].distance, distance, 1e-14);
        for (int k = 0; k < 3; ++k) {
            CHECK_CLOSE(out[0].point[k], at[k], 1e-14);
            CHECK_CLOSE(out[0].normal[k], (centre[k] - at[k]) / distance, 1e-11);
        }
        scree_surface_arrays a = scree_surface_get_arrays(s);
        int32_t lowest[] = {0, 0, a.triangles, a.triangles + a.edges};
        assert_true(out[0].front && out[0].feature < a.triangles && out[0].nearest >= lowest[out_of]);
    }
    scree_surface_destroy(s);
}

static void test_concave_corners(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(3, 1);
    scree_placement p = mesh_random_placement(&rng);
    scree_triangles t = mesh_cube(true);
    CHECK_OK(scree_triangles_place(&t, &p));
    scree_surface* s = mesh_surface(&t);
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
        mesh_placed(&p, x, centre);
        scree_surface_contact out[surface_most], planes[SCREE_EXACT_CONTACTS_MAX];
        int32_t wanted = scree_exact_contacts(&box, x, r, planes);
        int64_t count = surface_touch_of(s, centre, r, out);
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

// A drum of many facets is a cylinder: as near as its facets are.
static void test_drums_converge(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(12, 1);
    scree_exact cylinder = scree_default_exact();
    cylinder.kind = SCREE_EXACT_CYLINDER;
    cylinder.at[2] = -0.5;
    cylinder.length = cylinder.radius[0] = 1.0;
    cylinder.inside = true;
    for (int facets = 8; facets <= 2048; facets *= 2) {
        scree_triangles t = mesh_ring(facets, -0.5, 1.0, 0.5, 1.0);
        scree_surface* s = mesh_surface(&t);
        double off = 1.0 - cos(surface_pi / facets), largest = 0.0;
        for (int i = 0; i < 100; ++i) {
            double phi = between(&rng, 0.0, 2.0 * surface_pi), rho = between(&rng, 0.3, 0.7), x[3] = {rho * cos(phi), rho * sin(phi), between(&rng, -0.4, 0.4)};
            scree_surface_contact flat, exact;
            CHECK_OK(scree_surface_closest(s, x, &flat));
            CHECK_OK(scree_exact_closest(&cylinder, x, &exact));
            assert_true(flat.front && exact.front);
            largest = fmax(largest, exact.distance - flat.distance);
            assert_true(flat.distance <= exact.distance + 1e-14);
            for (int k = 0; k < 3; ++k)
                CHECK_CLOSE(flat.normal[k], exact.normal[k], 2.0 * sin(0.5 * surface_pi / facets) + 1e-12);
        }
        assert_true(largest <= off + 1e-14 && largest > 0.5 * off);
        scree_surface_destroy(s);
    }
}

static void test_one_sided(void** state)
{
    (void)state;
    scree_surface_def def = scree_default_surface_def();
    scree_surface_contact out[surface_most];
    for (int sided = 0; sided < 2; ++sided) {
        scree_triangles t = mesh_cube(false);
        scree_placement flatten = scree_default_placement();
        CHECK_OK(scree_triangles_place(&t, &flatten));
        for (int64_t c = 2; c < 9 * (int64_t)t.count; c += 3)
            t.xyz[c] *= 0.01;  // a plate
        def.one_sided = sided == 1;
        scree_surface* s = mesh_surface_with(&def, &t);
        const double x[3] = {0.4, 0.6, 0.06};  // deeper in it than it is thick: its far side would push too
        assert_int_equal(surface_touch_of(s, x, 0.1, out), sided ? 1 : 2);
        assert_true(out[sided ? 0 : 1].front && out[0].normal[2] == 1.0);
        const double within[3] = {0.4, 0.6, 0.004};
        assert_int_equal(surface_touch_of(s, within, 0.1, out), sided ? 0 : 2);
        scree_surface_destroy(s);
    }
}

static void test_centres_on_the_surface(void** state)
{
    (void)state;
    scree_triangles t = mesh_cube(false);
    scree_surface* s = mesh_surface(&t);
    scree_surface_contact out[surface_most];
    const double face[3] = {0.25, 0.6, 1.0}, diagonal[3] = {0.5, 0.5, 1.0}, edge[3] = {0.5, 1.0, 1.0}, corner[3] = {1.0, 1.0, 1.0};
    assert_int_equal(surface_touch_of(s, face, 0.1, out), 1);
    assert_true(out[0].distance == 0.0 && out[0].normal[2] == 1.0 && out[0].front);
    assert_int_equal(surface_touch_of(s, diagonal, 0.1, out), 1);
    assert_true(out[0].distance == 0.0 && out[0].normal[2] == 1.0 && out[0].front);
    assert_true(surface_touch_of(s, edge, 0.1, out) >= 1);
    assert_true(out[0].distance == 0.0 && out[0].normal[1] + out[0].normal[2] == 1.0);
    assert_true(surface_touch_of(s, corner, 0.1, out) >= 1);
    assert_true(out[0].distance == 0.0);
    scree_surface_destroy(s);
}

// ---- Welding and the report --------------------------------------------------------------------------------------------

static void test_reports(void** state)
{
    (void)state;
    scree_surface_def def = scree_default_surface_def();
    scree_triangles t = mesh_cube(false);
    scree_surface* s = mesh_surface_with(&def, &t);
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
    t = mesh_cube(true);
    s = mesh_surface_with(&def, &t);
    CHECK_CLOSE(scree_surface_get_report(s).volume, -1.0, 1e-15);
    scree_surface_destroy(s);
    // One face is missing, another turned.
    t = mesh_cube(false);
    t.count = 10;
    double held[3];
    memcpy(held, t.xyz, sizeof held);
    memcpy(t.xyz, t.xyz + 3, sizeof held);
    memcpy(t.xyz + 3, held, sizeof held);
    s = mesh_surface_with(&def, &t);
    r = scree_surface_get_report(s);
    assert_true(!r.closed && !r.oriented && isnan(r.volume));
    assert_int_equal(r.open_edges, 4);
    assert_int_equal(r.turned_edges, 3);
    int32_t winding;
    CHECK_FAILS(scree_surface_winding(s, (const double[3]){0.5, 0.5, 0.5}, &winding), SCREE_ERR_ARGUMENT, "open edges", "4");
    scree_surface_destroy(s);
    // Three sheets at one edge.
    static const double v[5][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, -1, 0}};
    t = mesh_room(3);
    for (int k = 0; k < 3; ++k)
        mesh_add(&t, v[0], v[1], v[2 + k]);
    s = mesh_surface_with(&def, &t);
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
        scree_triangles t = mesh_plane(20, &rng);
        scree_surface* exact = mesh_surface(&(scree_triangles){t.count, memcpy(scree_malloc(9 * (size_t)t.count, 8), t.xyz, 72 * (size_t)t.count)});
        double shortest = scree_surface_get_report(exact).shortest_edge;
        for (int64_t c = 0; c < 9 * (int64_t)t.count; ++c)
            t.xyz[c] += noise * shortest * between(&rng, -1.0, 1.0);
        for (int64_t c = 2; c < 9 * (int64_t)t.count; c += 3)
            t.xyz[c] += 1.0;  // away from 0, where cells have their borders too
        scree_surface* s = mesh_surface_with(&def, &t);
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
    scree_triangles t = mesh_cube(false);
    for (int64_t c = 0; c < 9 * (int64_t)t.count; c += 2)
        t.xyz[c] = t.xyz[c] == 0.0 ? -0.0 : t.xyz[c];
    scree_surface* s = mesh_surface_with(&def, &t);
    assert_int_equal(scree_surface_get_report(s).vertices, 8);
    scree_surface_destroy(s);
}

static void test_degenerate_and_duplicate(void** state)
{
    (void)state;
    scree_surface_def def = scree_default_surface_def();
    scree_triangles cube = mesh_cube(false), t = mesh_room(17);
    static const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, half[3] = {0.5, 1e-12, 0};
    mesh_add(&t, a, a, b);  // 0
    for (int32_t i = 0; i < 12; ++i)
        mesh_add(&t, &cube.xyz[9 * i], &cube.xyz[9 * i + 3], &cube.xyz[9 * i + 6]);
    mesh_add(&t, &cube.xyz[3], &cube.xyz[6], &cube.xyz[0]);         // 13: as 1
    mesh_add(&t, a, half, b);                                       // 14
    mesh_add(&t, &cube.xyz[9 * 5 + 6], &cube.xyz[9 * 5 + 3], &cube.xyz[9 * 5]);  // 15: as 6, from behind
    mesh_add(&t, b, b, b);                                          // 16
    scree_triangles_free(&cube);
    scree_surface* s = mesh_surface_with(&def, &t);
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
    scree_triangles t = mesh_cube(false), none = {0};
    CHECK_FAILS(scree_surface_create(&def, &none, &s), SCREE_ERR_ARGUMENT, "0");
    assert_null(s);
    t.xyz[9 * 7 + 5] = NAN;
    CHECK_FAILS(scree_surface_create(&def, &t, &s), SCREE_ERR_ARGUMENT, "triangle 7", "corner 1", "z = nan");
    t.xyz[9 * 7 + 5] = 1e150;
    CHECK_FAILS(scree_triangles_check(&t), SCREE_ERR_ARGUMENT, "triangle 7", "1e+150");
    for (int64_t c = 0; c < 9 * (int64_t)t.count; ++c)
        t.xyz[c] = 1.0;
    CHECK_FAILS(scree_surface_create(&def, &t, &s), SCREE_ERR_ARGUMENT, "12");
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
    CHECK_OK(scree_placement_turn((const double[3]){0, 0, 2}, 0.5 * surface_pi, turn));
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
    return sum / (4.0 * surface_pi);
}

// Vertices on a coarse lattice, and rays through vertices, along edges and in faces.
static void test_inside_with_ties(void** state)
{
    (void)state;
    int cases = (int)(20.0 * test_effort()) + 1;
    for (int trial = 0; trial < cases; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 6);
        scree_triangles t = mesh_lump(2 + trial % 3, 0.3, &rng);
        double odd = trial % 2 == 0 ? 0.0 : 0.1;  // lattices that doubles hold, and those that they do not
        for (int64_t c = 0; c < 9 * (int64_t)t.count; ++c)
            t.xyz[c] = (round(t.xyz[c] * 8.0) + odd) / (trial % 2 == 0 ? 8.0 : 7.0);
        scree_triangles copy = mesh_room(t.count);
        copy.count = t.count;
        memcpy(copy.xyz, t.xyz, (size_t)t.count * 9 * sizeof *t.xyz);
        scree_surface_def def = scree_default_surface_def();
        scree_surface* s = mesh_surface_with(&def, &t);
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
        scree_triangles outer = mesh_cube(false), inner = mesh_cube(false), both = mesh_room(24);
        for (int64_t c = 0; c < 108; ++c)
            inner.xyz[c] = 0.25 + 0.5 * inner.xyz[c];
        for (int32_t i = 0; i < 12; ++i)
            mesh_add(&both, &outer.xyz[9 * i], &outer.xyz[9 * i + 3 + 3 * (turned && i == 0)], &outer.xyz[9 * i + 6 - 3 * (turned && i == 0)]);
        for (int32_t i = 0; i < 12; ++i)
            mesh_add(&both, &inner.xyz[9 * i], &inner.xyz[9 * i + 3], &inner.xyz[9 * i + 6]);
        scree_triangles_free(&outer);
        scree_triangles_free(&inner);
        scree_surface* s = mesh_surface(&both);
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
        scree_triangles t = mesh_cube(false);
        scree_placement p = scree_default_placement();
        double moved[8][3];
        CHECK_OK(scree_placement_turn((const double[3]){1, 0, 0}, between(&rng, 0.0, 6.0), p.turn));
        for (int v = 0; v < 8; ++v) {
            double corner[3] = {v & 1, v >> 1 & 1, v >> 2 & 1};
            mesh_placed(&p, corner, moved[v]);
            for (int k = 0; k < 3; ++k)
                moved[v][k] += 0.0137 + ldexp((double)scree_rng_below(&rng, 9) - 4.0, -53);  // so that differences of coordinates are rounded
        }
        for (int64_t c = 0; c < 3 * (int64_t)t.count; ++c)
            memcpy(&t.xyz[3 * c], moved[(int)t.xyz[3 * c] + 2 * (int)t.xyz[3 * c + 1] + 4 * (int)t.xyz[3 * c + 2]], sizeof moved[0]);
        scree_surface* s = mesh_surface_with(&def, &t);
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
    scree_triangles t = mesh_room(count);
    for (int32_t i = 0; i < count; ++i) {
        double v[3][3], long_way[3];
        random_direction(rng, long_way);
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k)
                v[c][k] = (c == 0 ? between(rng, 0.0, 1.0) : v[0][k] + between(rng, -0.003, 0.003)) + (c == 2 && i % 10 == 0 ? 2.0 * long_way[k] : 0.0);
        mesh_add(&t, v[0], v[1], v[2]);
    }
    return t;
}

static void test_search_by_all(void** state)
{
    (void)state;
    int cases = (int)(4.0 * test_effort()) + 1;
    for (int trial = 0; trial < cases; ++trial) {
        scree_rng rng = scree_rng_make((uint64_t)trial, 7);
        scree_triangles t = mixed(1500, &rng), copy = mesh_room(t.count);
        copy.count = t.count;
        memcpy(copy.xyz, t.xyz, (size_t)t.count * 9 * sizeof *t.xyz);
        scree_surface* s = mesh_surface(&t);
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
    scree_surface* s = mesh_surface(&t);
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
        int32_t near[surface_most];
        int64_t here = scree_surface_near(s, xr[i], xr[i][3] + 0.01, near, surface_most), begin = rows[0].start[i];
        assert_int_equal(here, rows[0].start[i + 1] - begin);
        assert_memory_equal(near, rows[0].triangle + begin, (size_t)here * sizeof *near);
        // Contacts do not depend on what else is among the candidates.
        scree_surface_contact a[surface_most], b[surface_most];
        int32_t exact[surface_most];
        int64_t fewer = scree_surface_near(s, xr[i], xr[i][3], exact, surface_most);
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        int64_t n = scree_surface_contacts(s, xr[i], xr[i][3], here, near, a, surface_most);
        assert_int_equal(scree_surface_contacts(s, xr[i], xr[i][3], fewer, exact, b, surface_most), n);
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
    scree_triangles t = mesh_plane(5, &rng);
    memcpy(&t.xyz[9 * 7], &t.xyz[9 * 3], 9 * sizeof *t.xyz);
    EACH_ALLOCATION_FAILS(make_and_drop(&def, &t), );
    scree_surface* s = mesh_surface_with(&def, &t);
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
    UNIT(test_drums_converge),
    UNIT(test_one_sided),
    UNIT(test_centres_on_the_surface),
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
