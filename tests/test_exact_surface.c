// Exact shapes: planes, cylinders, cones, spheres, discs and boxes, compared with samples of their surfaces. test_surface.c has triangle meshes.
#include "surface_support.h"

#include "support.h"

#include "base/triples.h"
#include "geom/surface_inner.h"
#include "scree/surface.h"

static const double pi = 3.14159265358979323846;

// ---- Exact surfaces ----------------------------------------------------------------------------------------------------

// A point of the surface by two numbers from 0 to 1 and a face.
static void sample(const scree_exact* e, double u, double v, int face, double out[3])
{
    double axis[3], across[3], third[3], length = sqrt(e->axis[0] * e->axis[0] + e->axis[1] * e->axis[1] + e->axis[2] * e->axis[2]);
    int other = fabs(e->axis[0]) < 0.5 * length ? 0 : 1;
    for (int k = 0; k < 3; ++k)
        axis[k] = e->axis[k] / length;
    double dot = axis[other], norm = sqrt(1.0 - dot * dot);
    for (int k = 0; k < 3; ++k)
        across[k] = ((k == other) - dot * axis[k]) / norm;
    for (int k = 0; k < 3; ++k)
        third[k] = axis[(k + 1) % 3] * across[(k + 2) % 3] - axis[(k + 2) % 3] * across[(k + 1) % 3];
    double phi = 2.0 * pi * u, rho = 0.0, z = 0.0;
    switch (e->kind) {
    case SCREE_EXACT_PLANE:
        for (int k = 0; k < 3; ++k)
            out[k] = e->at[k] + 8.0 * (u - 0.5) * across[k] + 8.0 * (v - 0.5) * third[k];
        return;
    case SCREE_EXACT_BOX:
        out[face / 2] = face % 2 == 0 ? e->lower[face / 2] : e->upper[face / 2];
        out[(face / 2 + 1) % 3] = e->lower[(face / 2 + 1) % 3] + u * (e->upper[(face / 2 + 1) % 3] - e->lower[(face / 2 + 1) % 3]);
        out[(face / 2 + 2) % 3] = e->lower[(face / 2 + 2) % 3] + v * (e->upper[(face / 2 + 2) % 3] - e->lower[(face / 2 + 2) % 3]);
        return;
    case SCREE_EXACT_SPHERE:
        z = e->radius[0] * cos(pi * v);
        rho = e->radius[0] * sin(pi * v);
        break;
    case SCREE_EXACT_DISC:
        rho = e->radius[1] + v * (e->radius[0] - e->radius[1]);
        break;
    case SCREE_EXACT_CYLINDER:
        rho = e->radius[0];
        z = e->length < INFINITY ? v * e->length : 8.0 * (v - 0.5);
        break;
    default:
        rho = e->radius[0] + v * (e->radius[1] - e->radius[0]);
        z = v * e->length;
    }
    for (int k = 0; k < 3; ++k)
        out[k] = e->at[k] + rho * (cos(phi) * across[k] + sin(phi) * third[k]) + z * axis[k];
}

static double least_of_samples(const scree_exact* e, const double x[3])
{
    enum { fine = 100 };
    double least = INFINITY;
    for (int face = 0; face < (e->kind == SCREE_EXACT_BOX ? 6 : 1); ++face)
        for (int i = 0; i <= fine; ++i)
            for (int j = 0; j <= fine; ++j) {
                double at[3], square = 0.0;
                sample(e, (double)i / fine, (double)j / fine, face, at);
                for (int k = 0; k < 3; ++k)
                    square += (at[k] - x[k]) * (at[k] - x[k]);
                least = fmin(least, square);
            }
    return sqrt(least);
}

static scree_exact random_exact(int kind, scree_rng* rng)
{
    scree_exact e = scree_default_exact();
    e.kind = kind;
    random_direction(rng, e.axis);
    for (int k = 0; k < 3; ++k) {
        e.at[k] = between(rng, -0.5, 0.5);
        e.axis[k] *= 3.0;  // any length will do
        e.lower[k] = between(rng, -1.0, -0.2);
        e.upper[k] = between(rng, 0.2, 1.0);
    }
    e.length = kind == SCREE_EXACT_CYLINDER && scree_rng_below(rng, 2) == 0 ? INFINITY : between(rng, 0.3, 1.5);
    e.radius[0] = between(rng, 0.5, 1.0);
    e.radius[1] = scree_rng_below(rng, 3) == 0 ? 0.0 : between(rng, 0.1, 0.45);
    if (kind == SCREE_EXACT_CONE && scree_rng_below(rng, 2) == 0) {
        double held = e.radius[0];
        e.radius[0] = e.radius[1];
        e.radius[1] = held;
    }
    e.inside = scree_rng_below(rng, 2) == 0;
    return e;
}

static void test_exact_by_samples(void** state)
{
    (void)state;
    int cases = (int)(6.0 * test_effort()) + 1;
    for (int kind = 0; kind < SCREE_EXACT_COUNT; ++kind)
        for (int trial = 0; trial < cases; ++trial) {
            scree_rng rng = scree_rng_make((uint64_t)(100 * kind + trial), 8);
            scree_exact e = random_exact(kind, &rng);
            CHECK_OK(scree_exact_check(&e));
            for (int i = 0; i < 8; ++i) {
                double x[3], square = 0.0, normal = 0.0;
                scree_surface_contact c, again;
                for (int k = 0; k < 3; ++k)
                    x[k] = between(&rng, -1.5, 1.5);
                CHECK_OK(scree_exact_closest(&e, x, &c));
                double least = least_of_samples(&e, x);
                if (!(c.distance <= least + 1e-12 && c.distance >= least - 0.06))
                    fail_msg("%s, trial %d, case %d: distance %g, %g by samples", scree_exact_name(kind), trial, i, c.distance, least);
                for (int k = 0; k < 3; ++k) {
                    CHECK_CLOSE(c.point[k] + c.distance * c.normal[k], x[k], 1e-14);
                    square += (x[k] - c.point[k]) * (x[k] - c.point[k]);
                    normal += c.normal[k] * c.normal[k];
                }
                CHECK_CLOSE(sqrt(square), c.distance, 1e-14);
                CHECK_CLOSE(normal, 1.0, 1e-14);
                // The point lies on it; the normal is the gradient of the distance.
                CHECK_OK(scree_exact_closest(&e, c.point, &again));
                CHECK_CLOSE(again.distance, 0.0, 1e-14);
                for (int k = 0; k < 3 && c.distance > 1e-3; ++k) {
                    scree_surface_contact low, high;
                    double step = 1e-6, y[3] = {x[0], x[1], x[2]};
                    y[k] = x[k] - step;
                    CHECK_OK(scree_exact_closest(&e, y, &low));
                    y[k] = x[k] + step;
                    CHECK_OK(scree_exact_closest(&e, y, &high));
                    bool one = low.feature == c.feature && high.feature == c.feature;  // no crease in between
                    if (one && e.kind != SCREE_EXACT_BOX)
                        CHECK_CLOSE((high.distance - low.distance) / (2.0 * step), c.normal[k], 1e-6);
                }
                scree_surface_contact found[SCREE_EXACT_CONTACTS_MAX];
                int32_t count = scree_exact_contacts(&e, x, c.distance * 1.0001 + 1e-9, found);
                assert_true(count >= 1);
                assert_int_equal(scree_exact_contacts(&e, x, c.distance * 0.999, found), 0);
            }
        }
}

static void test_exact_parts_and_sides(void** state)
{
    (void)state;
    scree_surface_contact c;
    scree_exact e = scree_default_exact();
    CHECK_OK(scree_exact_closest(&e, (const double[3]){1, 2, -3}, &c));
    assert_true(c.distance == 3.0 && c.normal[2] == -1.0 && !c.front && c.point[0] == 1.0);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){1, 2, 0}, &c));
    assert_true(c.distance == 0.0 && c.normal[2] == 1.0 && c.front);
    e.kind = SCREE_EXACT_CYLINDER;
    e.radius[0] = 2.0;
    e.length = 4.0;
    e.inside = true;
    CHECK_OK(scree_exact_closest(&e, (const double[3]){1.5, 0, 1}, &c));
    assert_true(c.feature == 0 && c.front && c.normal[0] == -1.0 && c.distance == 0.5);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){2.5, 0, 1}, &c));
    assert_true(c.feature == 0 && !c.front && c.normal[0] == 1.0);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){5, 0, -4}, &c));
    assert_true(c.feature == 1 && c.distance == 5.0 && c.point[0] == 2.0 && c.normal[0] == 0.6 && c.normal[2] == -0.8);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){0, 5, 8}, &c));
    assert_true(c.feature == 2 && c.distance == 5.0);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){0, 0, 1}, &c));  // on the axis
    assert_true(c.feature == 0 && c.distance == 2.0 && c.front);
    e.length = INFINITY;
    CHECK_OK(scree_exact_closest(&e, (const double[3]){0, 1, 1e9}, &c));
    assert_true(c.feature == 0 && c.distance == 1.0 && c.normal[1] == -1.0);
    e.kind = SCREE_EXACT_DISC;
    e.radius[1] = 0.5;
    CHECK_OK(scree_exact_closest(&e, (const double[3]){1, 0, -0.25}, &c));
    assert_true(c.feature == 0 && !c.front && c.normal[2] == -1.0);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){0.1, 0, 0.3}, &c));
    assert_true(c.feature == 2 && c.front && c.distance == 0.5);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){6, 0, 3}, &c));
    assert_true(c.feature == 1 && c.distance == 5.0);
    e.radius[1] = 0.0;
    CHECK_OK(scree_exact_closest(&e, (const double[3]){0, 0, 3}, &c));
    assert_true(c.feature == 0 && c.normal[2] == 1.0 && c.distance == 3.0);
    e.kind = SCREE_EXACT_SPHERE;
    CHECK_OK(scree_exact_closest(&e, (const double[3]){0, 0, 0}, &c));
    assert_true(c.distance == 2.0 && c.front && c.normal[0] == -1.0);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){2, 0, 0}, &c));
    assert_true(c.distance == 0.0 && c.front && c.normal[0] == -1.0);
    e.inside = false;
    CHECK_OK(scree_exact_closest(&e, (const double[3]){2, 0, 0}, &c));
    assert_true(c.distance == 0.0 && c.front && c.normal[0] == 1.0);
    e.kind = SCREE_EXACT_BOX;
    e.upper[0] = e.upper[1] = e.upper[2] = 1.0;
    scree_surface_contact faces[SCREE_EXACT_CONTACTS_MAX];
    assert_int_equal(scree_exact_contacts(&e, (const double[3]){0.5, 0.5, 0.5}, 0.6, faces), 6);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){0.5, 0.5, 2}, &c));
    assert_true(c.feature == 5 && c.front && c.distance == 1.0);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){4, 5, 0.5}, &c));
    assert_true(c.feature == 6 && c.distance == 5.0 && c.normal[0] == 0.6);
    CHECK_OK(scree_exact_closest(&e, (const double[3]){0.5, 0.5, 1}, &c));
    assert_true(c.feature == 5 && c.front && c.distance == 0.0 && c.normal[2] == 1.0);
}

static void test_exact_refusals(void** state)
{
    (void)state;
    scree_exact e = scree_default_exact();
    assert_string_equal(scree_exact_name(SCREE_EXACT_CONE), "cone");
    assert_null(scree_exact_name(SCREE_EXACT_COUNT));
    e.kind = 17;
    CHECK_FAILS(scree_exact_check(&e), SCREE_ERR_ARGUMENT, "17");
    scree_surface_contact c;
    CHECK_FAILS(scree_exact_closest(&e, (const double[3]){0, 0, 0}, &c), SCREE_ERR_ARGUMENT, "17");
    e = scree_default_exact();
    e.axis[2] = 0.0;
    CHECK_FAILS(scree_exact_check(&e), SCREE_ERR_ARGUMENT, "plane", "0 0 0");
    e = scree_default_exact();
    e.at[1] = NAN;
    CHECK_FAILS(scree_exact_check(&e), SCREE_ERR_ARGUMENT, "plane", "y = nan");
    e = scree_default_exact();
    e.kind = SCREE_EXACT_CONE;
    e.length = INFINITY;
    e.radius[0] = 1.0;
    CHECK_FAILS(scree_exact_check(&e), SCREE_ERR_ARGUMENT, "cone", "length", "inf");
    e.length = 1.0;
    e.radius[0] = 0.0;
    CHECK_FAILS(scree_exact_check(&e), SCREE_ERR_ARGUMENT, "cone", "0");
    e.radius[1] = -1.0;
    CHECK_FAILS(scree_exact_check(&e), SCREE_ERR_ARGUMENT, "cone", "radius[1] = -1");
    e.kind = SCREE_EXACT_CYLINDER;
    CHECK_FAILS(scree_exact_check(&e), SCREE_ERR_ARGUMENT, "cylinder", "radius[0] = 0");
    e.kind = SCREE_EXACT_DISC;
    e.radius[0] = 1.0;
    e.radius[1] = 1.0;
    CHECK_FAILS(scree_exact_check(&e), SCREE_ERR_ARGUMENT, "disc", "radius[1] = 1");
    e.kind = SCREE_EXACT_BOX;
    e.lower[2] = 3.0;
    e.upper[0] = e.upper[1] = e.upper[2] = 2.0;
    CHECK_FAILS(scree_exact_check(&e), SCREE_ERR_ARGUMENT, "box", "axis z", "3", "2");
}

static const test_case cases[] = {
    PROPERTY(test_exact_by_samples),
    UNIT(test_exact_parts_and_sides),
    UNIT(test_exact_refusals),
};

const test_group group_exact_surface = {.name = "exact_surface", .cases = cases, .count = sizeof cases / sizeof *cases};
