// voxels: every voxel against all images of all spheres, cut one by one; porosity profiles against voxels and closed forms; files.
#include "measure_support.h"

enum { most_spheres = 40 };

typedef struct cloud {
    double x[3 * most_spheres], r[most_spheres];
    scree_spheres spheres;
    scree_box box;
} cloud;

// Spheres of very different sizes, also larger than the box, cut by walls, in tilted cells too.
static void make_cloud(scree_rng* rng, int dim, cloud* c)
{
    double length[3];
    *c = (cloud){.box = random_box(rng, dim, 1.0, length)};
    c->spheres = (scree_spheres){.count = (int32_t)scree_rng_below(rng, 15), .dim = dim, .x = c->x, .r = c->r};
    bool all = true;
    for (int k = 0; k < dim; ++k) {
        c->box.periodic[k] = scree_rng_below(rng, 2) == 1;
        c->box.lower[k] = 0.3;
        c->box.upper[k] = 0.3 + (k == 0 ? 1.0 : k == 1 ? 1.3 : 0.9);
        all = all && c->box.periodic[k];
    }
    for (int k = 0; k < (dim == 3 ? 3 : 1) && all; ++k)
        c->box.tilt[k] = 2.0 * scree_rng_uniform(rng) - 1.0;
    for (int32_t i = 0; i < c->spheres.count; ++i) {
        c->r[i] = i % 7 == 6 ? 0.0 : 0.8 * pow(scree_rng_uniform(rng), 4.0);
        for (int k = 0; k < dim; ++k)
            c->x[i * dim + k] = c->box.lower[k] + scree_rng_uniform(rng) * (c->box.upper[k] - c->box.lower[k]);
    }
}

// Centre of the image (sx, sy, sz).
static void image_of(const cloud* c, int32_t i, const int shift[3], double at[3])
{
    int dim = c->spheres.dim;
    double length[3];
    for (int k = 0; k < 3; ++k) {
        at[k] = k < dim ? c->x[i * dim + k] : 0.0;
        length[k] = k < dim ? c->box.upper[k] - c->box.lower[k] : 0.0;
    }
    at[0] += shift[0] * length[0] + shift[1] * c->box.tilt[0] + shift[2] * c->box.tilt[1];
    at[1] += shift[1] * length[1] + shift[2] * c->box.tilt[2];
    at[2] += shift[2] * length[2];
}

static void check_voxel(const cloud* c, const scree_voxels* v, int64_t voxel)
{
    const int64_t at[3] = {voxel % v->cells[0], voxel / v->cells[0] % v->cells[1], voxel / v->cells[0] / v->cells[1]};
    int dim = v->dim, most = 6;
    double lower[3], upper[3], own = 1.0, sum = 0.0, least = 0.0, second = 0.0;
    int32_t label = -1;
    for (int k = 0; k < dim; ++k) {
        lower[k] = v->lower[k] + (double)at[k] * v->size[k];
        upper[k] = lower[k] + v->size[k];
        own *= v->size[k];
    }
    for (int32_t i = 0; i < c->spheres.count; ++i)
        for (int sx = c->box.periodic[0] ? -most : 0; sx <= (c->box.periodic[0] ? most : 0); ++sx)
            for (int sy = c->box.periodic[1] ? -most : 0; sy <= (c->box.periodic[1] ? most : 0); ++sy)
                for (int sz = c->box.periodic[2] ? -most : 0; sz <= (c->box.periodic[2] ? most : 0); ++sz) {
                    double centre[3], power = -c->r[i] * c->r[i];
                    image_of(c, i, (const int[]){sx, sy, sz}, centre);
                    sum += (dim == 2 ? pi : 4.0 / 3.0 * pi * c->r[i]) * c->r[i] * c->r[i] * scree_sphere_box_share(dim, centre, c->r[i], lower, upper) / own;
                    for (int k = 0; k < dim; ++k)
                        power += pow(lower[k] + 0.5 * v->size[k] - centre[k], 2.0);
                    if (power < least) {
                        second = least;
                        least = power;
                        label = i;
                    } else {
                        second = fmin(second, power);
                    }
                }
    CHECK_CLOSE(v->fraction[voxel], sum, 1e-11);
    if (fabs(least - second) > 1e-12 && fabs(least) > 1e-12)
        assert_int_equal(v->label[voxel], label);
}

static void voxels_are_what_spheres_fill(void** state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (test_is_small() ? 8 : 24); ++seed) {
        scree_rng rng = scree_rng_make(seed, 6);
        cloud c;
        make_cloud(&rng, seed % 2 == 0 ? 3 : 2, &c);
        scree_measure_def def = def_of(&c.box);
        scree_voxels_def about = scree_default_voxels_def();
        scree_voxels v;
        for (int k = 0; k < 3; ++k) {
            about.cells[k] = (int32_t)(1 + scree_rng_below(&rng, 6));
            about.lower[k] = seed % 3 == 0 ? 0.1 * scree_rng_uniform(&rng) : NAN;
            about.upper[k] = seed % 3 == 0 ? 0.5 + scree_rng_uniform(&rng) : NAN;
        }
        CHECK_OK(scree_measure_voxels(&def, c.spheres, &about, &v));
        double sum = 0.0;
        for (int64_t voxel = 0; voxel < v.count; ++voxel) {
            check_voxel(&c, &v, voxel);
            sum += v.fraction[voxel];
        }
        CHECK_CLOSE(v.solid, sum / (double)v.count, 1e-12);
        if (seed % 3 != 0) {
            scree_density density;
            CHECK_OK(scree_measure_density(&def, c.spheres, &density));
            CHECK_CLOSE(v.solid, density.whole, 1e-12);
        }
        scree_voxels_free(&v);
    }
}

static scree_porosity porosity_of(const scree_measure_def* def, scree_spheres spheres, int32_t kind, int32_t bins)
{
    scree_porosity_def about = scree_default_porosity_def();
    scree_porosity found;
    about.kind = kind;
    about.bins = bins;
    CHECK_OK(scree_measure_porosity(def, spheres, &about, &found));
    assert_int_equal(found.bins, bins);
    for (int32_t b = 0; b < bins; ++b)
        if (found.volume[b] > 0.0)
            CHECK_CLOSE(found.porosity[b], 1.0 - found.fraction[b], 1e-15);
    return found;
}

// Slabs are sums of voxels, and shells by the distance to the wall hold together what the box holds.
static void profiles_hold_what_the_box_holds(void** state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; ++seed) {
        scree_rng rng = scree_rng_make(seed, 7);
        cloud c;
        make_cloud(&rng, seed % 2 == 0 ? 3 : 2, &c);
        int dim = c.spheres.dim;
        scree_measure_def def = def_of(&c.box);
        scree_density density;
        CHECK_OK(scree_measure_density(&def, c.spheres, &density));
        bool walls = false;
        for (int axis = 0; axis < dim; ++axis) {
            scree_voxels_def about = scree_default_voxels_def();
            scree_voxels v;
            about.cells[0] = about.cells[1] = about.cells[2] = 3;
            about.cells[axis] = 4;
            about.labels = false;
            walls = walls || !c.box.periodic[axis];
            CHECK_OK(scree_measure_voxels(&def, c.spheres, &about, &v));
            assert_null(v.label);
            scree_porosity p = porosity_of(&def, c.spheres, axis == dim - 1 ? -1 : axis, 4);
            assert_int_equal(p.kind, axis);
            double sums[4] = {0.0};
            const int64_t stride[3] = {1, v.cells[0], (int64_t)v.cells[0] * v.cells[1]};
            for (int64_t voxel = 0; voxel < v.count; ++voxel)
                sums[voxel / stride[axis] % 4] += v.fraction[voxel] * 4.0 / (double)v.count;
            for (int b = 0; b < 4; ++b) {
                CHECK_CLOSE(p.fraction[b], sums[b], 1e-12);
                CHECK_CLOSE(p.volume[b], 0.25, 1e-15);
            }
            scree_voxels_free(&v);
            scree_porosity_free(&p);
        }
        if (!walls)
            continue;
        scree_porosity p = porosity_of(&def, c.spheres, SCREE_POROSITY_WALL, 7);
        double volume = 0.0, filled = 0.0;
        for (int b = 0; b < 7; ++b) {
            volume += p.volume[b];
            filled += p.volume[b] * (p.volume[b] > 0.0 ? p.fraction[b] : 0.0);
        }
        CHECK_CLOSE(volume, 1.0, 1e-12);
        CHECK_CLOSE(filled, density.whole, 1e-12);
        scree_porosity_free(&p);
    }
}

// A sphere in the middle of a sphere, one beside it, and one on the axis of a cylinder, by hand.
static void round_containers_by_hand(void** state)
{
    (void)state;
    const double x[3] = {2.0, 2.0, 2.0}, r[1] = {1.0}, volume = 4.0 / 3.0 * pi;
    scree_box box = scree_box_sized(3, (const double[]){4.0, 4.0, 4.0});
    scree_measure_def def = def_of(&box);
    const scree_spheres one = {.count = 1, .dim = 3, .x = x, .r = r};
    def.container = SCREE_CONTAINER_SPHERE;
    scree_porosity p = porosity_of(&def, one, SCREE_POROSITY_RADIUS, 4), w = porosity_of(&def, one, SCREE_POROSITY_WALL, 4);
    for (int b = 0; b < 4; ++b) {
        CHECK_CLOSE(p.edge[b + 1], 0.5 * (b + 1), 1e-15);
        CHECK_CLOSE(p.volume[b], (pow(b + 1, 3.0) - pow(b, 3.0)) / 64.0, 1e-14);
        CHECK_CLOSE(p.fraction[b], b < 2 ? 1.0 : 0.0, 1e-12);
        CHECK_CLOSE(w.fraction[3 - b], p.fraction[b], 1e-12);
        CHECK_CLOSE(w.volume[3 - b], p.volume[b], 1e-14);
    }
    scree_porosity_free(&p);
    scree_porosity_free(&w);
    const double aside[3] = {2.0, 2.5, 2.0};
    p = porosity_of(&def, (scree_spheres){.count = 1, .dim = 3, .x = aside, .r = r}, SCREE_POROSITY_RADIUS, 2);
    CHECK_CLOSE(p.fraction[0], scree_lens_share(3, 1.0, 1.0, 0.5 - 2.0), 1e-14);
    scree_porosity_free(&p);

    // On the axis of a cylinder: what is within a radius a of the axis has the volume of the sphere less 4/3 pi (1 - a^2)^(3/2).
    def.container = SCREE_CONTAINER_CYLINDER;
    p = porosity_of(&def, one, SCREE_POROSITY_RADIUS, 4);
    scree_porosity z = porosity_of(&def, one, SCREE_POROSITY_Z, 4);
    double before = 0.0;
    for (int b = 0; b < 4; ++b) {
        double a = fmin(p.edge[b + 1], 1.0), within = volume - volume * pow(1.0 - a * a, 1.5), cap = (b == 1 || b == 2 ? 0.5 : 0.0) * volume;
        CHECK_CLOSE(p.fraction[b] * p.volume[b] * 16.0 * pi, within - before, 3e-4 * volume);  // the lenses of a cylinder are exact to 1e-4
        CHECK_CLOSE(z.fraction[b] * z.volume[b] * 16.0 * pi, cap, 3e-4 * volume);
        CHECK_CLOSE(z.volume[b], 0.25, 1e-15);
        before = within;
    }
    scree_porosity_free(&p);
    scree_porosity_free(&z);

    // A periodic cylinder: the sphere goes through the end.
    const double through[3] = {2.0, 2.0, 0.0};
    def.box.periodic[2] = true;
    z = porosity_of(&def, (scree_spheres){.count = 1, .dim = 3, .x = through, .r = r}, SCREE_POROSITY_Z, 4);
    for (int b = 0; b < 4; ++b)
        CHECK_CLOSE(z.fraction[b] * z.volume[b] * 16.0 * pi, b == 0 || b == 3 ? 0.5 * volume : 0.0, 3e-4 * volume);
    scree_porosity_free(&z);
}

static void threads_change_no_bit(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(9, 8);
    cloud c;
    make_cloud(&rng, 3, &c);
    scree_measure_def def = def_of(&c.box);
    scree_voxels_def about = scree_default_voxels_def();
    scree_voxels first, more;
    about.cells[0] = about.cells[1] = about.cells[2] = 23;
    CHECK_OK(scree_measure_voxels(&def, c.spheres, &about, &first));
    for (def.threads = 2; def.threads <= 7; def.threads += 5) {
        CHECK_OK(scree_measure_voxels(&def, c.spheres, &about, &more));
        assert_memory_equal(first.fraction, more.fraction, (size_t)first.count * sizeof *first.fraction);
        assert_memory_equal(first.label, more.label, (size_t)first.count * sizeof *first.label);
        scree_voxels_free(&more);
    }
    scree_voxels_free(&first);
}

static void what_is_invalid_is_refused(void** state)
{
    (void)state;
    const double x[3] = {0.5, 0.5, 0.5}, r[1] = {0.4};
    const scree_spheres one = {.count = 1, .dim = 3, .x = x, .r = r};
    scree_box box = scree_box_sized(3, (const double[]){1.0, 1.0, 1.0});
    scree_measure_def def = def_of(&box);
    scree_voxels_def about = scree_default_voxels_def();
    scree_porosity_def profile = scree_default_porosity_def();
    scree_voxels v;
    scree_porosity p;
    for (int k = 0; k < 2; ++k) {
        about.cells[1] = k == 0 ? 0 : 10001;
        CHECK_FAILS(scree_measure_voxels(&def, one, &about, &v), SCREE_ERR_ARGUMENT, "y", k == 0 ? "0" : "10001");
    }
    about = scree_default_voxels_def();
    about.upper[2] = 0.0;
    CHECK_FAILS(scree_measure_voxels(&def, one, &about, &v), SCREE_ERR_ARGUMENT, "axis z");
    about.upper[2] = 17.0;
    def.box.periodic[2] = true;
    CHECK_FAILS(scree_measure_voxels(&def, one, &about, &v), SCREE_ERR_ARGUMENT, "axis z", "16");
    about = scree_default_voxels_def();
    about.cells[0] = about.cells[1] = about.cells[2] = 10000;
    CHECK_FAILS(scree_measure_voxels(&def, one, &about, &v), SCREE_ERR_MEMORY);
    assert_true(v.label == NULL && v.count == 0);
    patience most = {.most = 1};
    about.cells[0] = about.cells[1] = about.cells[2] = 60;
    def.watch = (scree_watch){.tick = count_ticks, .context = &most};
    CHECK_FAILS(scree_measure_voxels(&def, one, &about, &v), SCREE_ERR_CANCELLED);
    most = (patience){.most = 1};
    CHECK_FAILS(scree_measure_porosity(&def, one, &profile, &p), SCREE_ERR_CANCELLED);
    def.watch = (scree_watch){0};
    profile.kind = SCREE_POROSITY_RADIUS;
    CHECK_FAILS(scree_measure_porosity(&def, one, &profile, &p), SCREE_ERR_ARGUMENT, "radius");
    profile.kind = SCREE_POROSITY_COUNT;
    CHECK_FAILS(scree_measure_porosity(&def, one, &profile, &p), SCREE_ERR_ARGUMENT, "5");
    profile = scree_default_porosity_def();
    profile.bins = 0;
    CHECK_FAILS(scree_measure_porosity(&def, one, &profile, &p), SCREE_ERR_ARGUMENT, "bins", "0");
    profile.bins = 5;
    profile.to = 1.5;
    CHECK_FAILS(scree_measure_porosity(&def, one, &profile, &p), SCREE_ERR_ARGUMENT, "1.5");
    const double huge[1] = {1e30};
    profile = scree_default_porosity_def();
    CHECK_FAILS(scree_measure_porosity(&def, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = huge}, &profile, &p), SCREE_ERR_ARGUMENT, "2e+30", "axis z");
    about.cells[0] = about.cells[1] = about.cells[2] = 4;
    CHECK_FAILS(scree_measure_voxels(&def, (scree_spheres){.count = 1, .dim = 3, .x = x, .r = huge}, &about, &v), SCREE_ERR_ARGUMENT, "2e+30", "axis z");
    def.box.periodic[0] = def.box.periodic[1] = true;
    profile.kind = SCREE_POROSITY_WALL;
    CHECK_FAILS(scree_measure_porosity(&def, one, &profile, &p), SCREE_ERR_ARGUMENT, "periodic");
    def = def_of(&box);
    def.container = SCREE_CONTAINER_SPHERE;
    profile.kind = SCREE_POROSITY_X;
    CHECK_FAILS(scree_measure_porosity(&def, one, &profile, &p), SCREE_ERR_UNSUPPORTED, "sphere");
    assert_true(scree_porosity_name(SCREE_POROSITY_COUNT) == NULL && strcmp(scree_porosity_name(SCREE_POROSITY_WALL), "wall") == 0);
}

static void each_allocation_may_fail(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(4, 8);
    cloud c;
    make_cloud(&rng, 3, &c);
    scree_measure_def def = def_of(&c.box);
    scree_voxels_def about = scree_default_voxels_def();
    scree_porosity_def profile = scree_default_porosity_def();
    scree_voxels v = {.count = 7};
    scree_porosity p = {.bins = 7};
    about.cells[0] = about.cells[1] = about.cells[2] = 5;
    EACH_ALLOCATION_FAILS(scree_measure_voxels(&def, c.spheres, &about, &v), assert_true(v.count == 0 && v.label == NULL));
    EACH_ALLOCATION_FAILS(scree_write_voxels(in_folder("v.npy"), NULL, &v), (void)0);
    EACH_ALLOCATION_FAILS(scree_write_voxels(in_folder("v.vti"), NULL, &v), (void)0);
    CHECK_FAILS(scree_write_voxels(in_folder("v.csv"), NULL, &v), SCREE_ERR_ARGUMENT, "v.csv", ".npy");
    CHECK_FAILS(scree_write_voxels("/nowhere/v.npy", NULL, &v), SCREE_ERR_IO, "/nowhere/v.npy");
    scree_voxels_free(&v);
    CHECK_FAILS(scree_write_voxels(in_folder("v.npy"), NULL, &v), SCREE_ERR_ARGUMENT, "0 voxels");
    EACH_ALLOCATION_FAILS(scree_measure_porosity(&def, c.spheres, &profile, &p), assert_int_equal(p.bins, 0));
    scree_porosity_free(&p);
}

static const test_case cases[] = {
    PROPERTY(voxels_are_what_spheres_fill),
    PROPERTY(profiles_hold_what_the_box_holds),
    UNIT(round_containers_by_hand),
    THREADS(threads_change_no_bit),
    UNIT(what_is_invalid_is_refused),
    ALLOCATION(each_allocation_may_fail),
};

const test_group group_voxels = {.name = "voxels", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
