#include "surface_support.h"

const double surface_pi = 3.14159265358979323846;

double between(scree_rng* rng, double low, double high)
{
    return low + (high - low) * scree_rng_uniform(rng);
}

void random_direction(scree_rng* rng, double out[3])
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 3; ++k) {
            out[k] = between(rng, -1.0, 1.0);
            square += out[k] * out[k];
        }
    } while (square > 1.0 || square < 0.01);
    for (int k = 0; k < 3; ++k)
        out[k] /= sqrt(square);
}

// ---- Meshes ------------------------------------------------------------------------------------------------------------

void mesh_add(scree_triangles* to, const double a[3], const double b[3], const double c[3])
{
    double* xyz = &to->xyz[9 * (int64_t)to->count++];
    memcpy(xyz, a, 3 * sizeof *xyz);
    memcpy(xyz + 3, b, 3 * sizeof *xyz);
    memcpy(xyz + 6, c, 3 * sizeof *xyz);
}

scree_triangles mesh_room(int32_t count)
{
    scree_triangles t;
    CHECK_OK(scree_triangles_make(count, &t));
    t.count = 0;
    return t;
}

scree_placement mesh_random_placement(scree_rng* rng)
{
    scree_placement p = scree_default_placement();
    double axis[3];
    random_direction(rng, axis);
    CHECK_OK(scree_placement_turn(axis, between(rng, 0.0, 6.0), p.turn));
    for (int k = 0; k < 3; ++k)
        p.shift[k] = between(rng, -5.0, 5.0);
    return p;
}

void mesh_placed(const scree_placement* p, const double x[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = p->scale * (p->turn[k][0] * x[0] + p->turn[k][1] * x[1] + p->turn[k][2] * x[2]) + p->shift[k];
}

// The square 0 to 1, cut into side x side squares of two triangles, with diagonals either way and inner vertices moved
// about.
scree_triangles mesh_plane(int side, scree_rng* rng)
{
    scree_triangles t = mesh_room(2 * side * side);
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
                mesh_add(&t, v[a], v[b], v[d]);
                mesh_add(&t, v[a], v[d], v[c]);
            } else {
                mesh_add(&t, v[a], v[b], v[c]);
                mesh_add(&t, v[b], v[d], v[c]);
            }
        }
    free(v);
    return t;
}

// The cube 0 to 1, faces outwards or inwards.
scree_triangles mesh_cube(bool inwards)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    scree_triangles t = mesh_room(12);
    double v[8][3];
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            v[i][k] = i >> k & 1;
    for (int f = 0; f < 6; ++f) {
        const int* q = faces[f];
        for (int half = 0; half < 2; ++half) {
            const double *a = v[q[0]], *b = v[q[1 + half]], *c = v[q[2 + half]];
            mesh_add(&t, a, inwards ? c : b, inwards ? b : c);
        }
    }
    return t;
}

// A ball of about 8 detail^2 triangles whose vertices are moved in and out.
scree_triangles mesh_lump(int detail, double rough, scree_rng* rng)
{
    int rings = 2 * detail, around = 2 * detail;
    scree_triangles t = mesh_room(2 * rings * around);
    double(*v)[3] = calloc((size_t)((rings + 1) * around), sizeof *v);
    for (int i = 0; i <= rings; ++i)
        for (int j = 0; j < around; ++j) {
            int pole = i == 0 || i == rings;
            double theta = surface_pi * i / rings, phi = 2.0 * surface_pi * j / around, r = 1.0 + rough * between(rng, -1.0, 1.0);
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
                mesh_add(&t, a, c, d);
            if (i > 0)
                mesh_add(&t, a, d, b);
        }
    free(v);
    return t;
}

scree_surface* mesh_surface_with(const scree_surface_def* def, scree_triangles* t)
{
    scree_surface* s;
    CHECK_OK(scree_surface_create(def, t, &s));
    scree_triangles_free(t);
    return s;
}

scree_surface* mesh_surface(scree_triangles* t)
{
    scree_surface_def def = scree_default_surface_def();
    return mesh_surface_with(&def, t);
}

scree_triangles mesh_heights(int side, double low, double high, const double* heights)
{
    scree_triangles t = mesh_room(2 * side * side);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            double v[4][3];
            for (int c = 0; c < 4; ++c) {
                v[c][0] = low + (high - low) * (x + c % 2) / side;
                v[c][1] = low + (high - low) * (y + c / 2) / side;
                v[c][2] = heights[(y + c / 2) * (side + 1) + x + c % 2];
            }
            mesh_add(&t, v[0], v[1], v[3]);
            mesh_add(&t, v[0], v[3], v[2]);
        }
    return t;
}

// A wall around the z axis between two rings, its front inside: a drum, a tube, a funnel, or from radius 0 the tip of a
// cone.
scree_triangles mesh_ring(int facets, double low, double radius, double high, double wide)
{
    scree_triangles t = mesh_room(2 * facets);
    for (int i = 0; i < facets; ++i) {
        double v[4][3];
        for (int k = 0; k < 4; ++k) {
            const double phi = 2.0 * surface_pi * ((i + k % 2) % facets) / facets, r = k < 2 ? radius : wide;
            v[k][0] = r * cos(phi);
            v[k][1] = r * sin(phi);
            v[k][2] = k < 2 ? low : high;
        }
        if (radius > 0.0)
            mesh_add(&t, v[0], v[3], v[1]);
        mesh_add(&t, v[0], v[2], v[3]);
    }
    return t;
}

static long double dotl(const long double a[3], const long double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Nearest point of a triangle, by the regions around it (Ericson, Real-Time Collision Detection, 5.1.5), in long
// double.
long double soup_closest(const double* xyz, const long double p[3], long double out[3])
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

// ---- Terms -------------------------------------------------------------------------------------------------------------

int64_t surface_terms(const scree_surface* s, const double x[3], double r, scree_surface_contact out[surface_most])
{
    int32_t near[surface_most];
    int64_t count = scree_surface_near(s, x, r, near, surface_most), links = 0;
    assert_true(count <= surface_most);
    const int64_t terms = scree_surface_contacts(s, x, r, count, near, out, surface_most);
    assert_true(terms >= 0 && terms <= surface_most);
    for (int64_t i = 0; i < terms; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            square += out[i].normal[k] * out[i].normal[k];
            CHECK_CLOSE(out[i].point[k] + out[i].distance * out[i].normal[k], x[k], 1e-13 * (1.0 + fabs(x[k])));
        }
        CHECK_CLOSE(square, 1.0, 1e-14);
        const bool link = out[i].load == 0.0, first = i == 0 || (link && links == 0);
        assert_true(out[i].distance < r && (first || out[i].feature > out[i - 1].feature));
        assert_true(link ? out[i].scale != 0.0 : links == 0 && out[i].scale == 1.0 && out[i].load > 0.0 &&
                    out[i].load <= (r - out[i].distance) * (1.0 + 1e-14));
        links += link;
    }
    return terms;
}

int64_t surface_touch_of(const scree_surface* s, const double x[3], double r, scree_surface_contact out[surface_most])
{
    int64_t terms = surface_terms(s, x, r, out), count = 0;
    while (count < terms && out[count].load > 0.0)
        ++count;
    return count;
}
