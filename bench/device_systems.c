// Gases are drawn at random or on a lattice. A dense system is one settled cell, a few seconds of work, repeated: so ten million spheres lie as ten thousand do, with other small velocities.
#include "device_systems.h"

#include <math.h>
#include <stdio.h>

static const double stiffness = 20.6713, step = 0.02, gravity = 0.003;
enum { settle_steps = 10000 };

static bool has_gravity(const device_case* what)
{
    return what->heap == HEAP_COLUMN || what->heap == HEAP_DRUM || what->heap == HEAP_LARGE;
}

void device_case_set_up(const device_case* what, const bench_options* co, const scree_sphere_set* set, device_setup* out)
{
    const double restitution = what->heap == HEAP_NONE ? 0.8 : 0.3;
    device_setup s = {scree_default_sim_def(), scree_default_sim_law(), scree_default_sim_pair(), scree_default_sim_material(), scree_default_sim_boundary(), scree_default_index_def()};
    s.def.box = set->box;
    for (int k = 0; k < 3 && what->heap == HEAP_NONE; ++k)
        s.def.box.periodic[k] = what->periodic;
    s.def.time_step = step;
    s.def.threads = co->threads;
    s.def.gravity[2] = has_gravity(what) ? -gravity : 0.0;
    s.def.stiffness = what->friction ? 0.0 : stiffness;
    s.def.restitution = what->damped && !what->friction ? restitution : 0.0;
    if (what->steps > 0)
        s.def.order_every = 100;
    s.search.skin = what->list_skin;
    *out = s;
    if (what->list_skin > 0.0)
        out->def.search = &out->search;
    if (what->friction) {
        out->pair.stiffness = what->hertz ? 0.0 : stiffness;
        out->pair.restitution = what->damped ? restitution : 1.0;
        out->pair.friction = 0.5;
        out->pair.rolling_friction = what->hertz ? 0.05 : 0.0;
        out->material.young = 20.0;
        out->material.poisson = 0.3;
        out->law.name = what->hertz ? "hertz" : "linear";
        out->law.material_count = 1;
        out->law.pairs = &out->pair;
        out->law.materials = what->hertz ? &out->material : NULL;
        out->def.law = &out->law;
        out->def.speed = what->hertz ? 0.1 : 0.0;
    }
    if (what->heap == HEAP_COLUMN)
        out->def.wall_velocity[2][0] = 1e-3;
    if (what->heap == HEAP_PACKED) {
        double largest = 0.0;
        for (int64_t i = 0; i < set->count; ++i)
            largest = fmax(largest, set->r[i]);
        out->def.giants = 0.5 * largest;
    }
    if (what->heap == HEAP_LARGE) {
        out->def.giants = INFINITY;
        out->def.container = set->count > 1 ? SCREE_CONTAINER_SPHERE : SCREE_CONTAINER_BOX;
    }
    if (what->heap == HEAP_DRUM) {
        out->drum.kind = "cylinder";
        out->drum.axis[1] = 1.0;
        out->drum.axis[2] = 0.0;
        for (int k = 0; k < 3; ++k)
            out->drum.at[k] = k == 1 ? 0.0 : 0.5 * (set->box.lower[k] + set->box.upper[k]);
        out->drum.radius = 0.5 * (set->box.upper[0] - set->box.lower[0]) - 1.0;
        out->drum.spin[1] = sqrt(0.05 * gravity / out->drum.radius);  // Froude number 0.05: a slope that flows
        out->def.boundaries = &out->drum;
        out->def.boundary_count = 1;
    }
}

// ---- Dense systems ---------------------------------------------------------------------------------------------------------

// A packing in a periodic cube becomes what is to settle: walls in place of periodic faces, and of a drum the lower half.
static void shape_heap(const device_case* what, scree_sphere_set* cell)
{
    double largest = 0.0;
    for (int64_t i = 0; i < cell->count; ++i)
        largest = fmax(largest, cell->r[i]);
    for (int64_t i = 0; i < 3 * (int64_t)cell->count; ++i) {
        const int k = (int)(i % 3);
        const double side = cell->box.upper[k] - cell->box.lower[k];
        cell->x[i] -= side * floor((cell->x[i] - cell->box.lower[k]) / side);
    }
    if (what->heap == HEAP_COLUMN) {
        cell->box.periodic[2] = false;
        cell->box.lower[2] -= largest;
        cell->box.upper[2] += 4.0 * largest;
    } else if (what->heap == HEAP_DRUM) {
        double middle[3], radius = 0.5 * (cell->box.upper[0] - cell->box.lower[0]);
        int32_t kept = 0;
        for (int k = 0; k < 3; ++k)
            middle[k] = 0.5 * (cell->box.lower[k] + cell->box.upper[k]);
        for (int64_t i = 0; i < cell->count; ++i) {
            const double* x = cell->x + 3 * i;
            if (x[2] > middle[2] || hypot(x[0] - middle[0], x[2] - middle[2]) + cell->r[i] > radius)
                continue;
            for (int k = 0; k < 3; ++k)
                cell->x[3 * kept + k] = x[k];
            cell->r[kept++] = cell->r[i];
        }
        cell->count = kept;
        for (int k = 0; k < 3; k += 2) {  // the cylinder is inside
            cell->box.periodic[k] = false;
            cell->box.lower[k] -= 1.0;
            cell->box.upper[k] += 1.0;
        }
    }
}

static scree_status settle(const device_case* what, const bench_options* co, scree_sphere_set* cell)
{
    device_setup setup;
    scree_sim* sim = NULL;
    device_case_set_up(what, co, cell, &setup);
    setup.def.wall_velocity[2][0] = 0.0;
    setup.def.watch = bench_watch("settling");
    scree_status status = scree_sim_create(&setup.def, scree_sphere_set_view(cell), NULL, &sim);
    if (status == SCREE_OK)
        status = scree_sim_run(sim, settle_steps);
    if (status == SCREE_OK)
        status = scree_sim_get_column(sim, "x", cell->x);
    bench_watch_end();
    scree_sim_destroy(sim);
    return status;
}

// How often the cell is repeated along an axis.
static int tiles_along(const device_case* what, int k)
{
    return what->heap == HEAP_COLUMN && k == 2 ? 1 : what->heap == HEAP_DRUM && k != 1 ? 1 : what->tiles;
}

static int32_t copies_of(const device_case* what)
{
    return tiles_along(what, 0) * tiles_along(what, 1) * tiles_along(what, 2);
}

static scree_status make_cell(const device_case* what, const bench_options* co, int32_t count, scree_sphere_set* cell)
{
    if (what->heap == HEAP_NONE)
        return bench_make_periodic_set(&(bench_set){what->set.name, what->set.law, count, what->set.density}, co, cell);
    char key[128];  // larger systems are made of the same cell
    snprintf(key, sizeof key, "settled %d %.64s %d %d %g", (int)what->heap, what->set.law, (int)count, (int)what->friction, what->scale);
    if (bench_kept(key, cell, NULL))
        return SCREE_OK;
    // A drum keeps pi/8 of its cube.
    scree_status status = bench_pack(what->set.law, what->heap == HEAP_DRUM ? (int32_t)(count / 0.38) : count, co->seed, 1e-3, false, co, cell);
    if (status != SCREE_OK)
        return status;
    shape_heap(what, cell);
    for (int64_t i = 0; i < cell->count; ++i)
        cell->r[i] *= what->scale;
    status = settle(what, co, cell);
    if (status == SCREE_OK)
        bench_keep(key, cell, NULL);
    return status;
}

// A large sphere, and on a spiral over its surface small ones of radius 1, pressed onto it by a spherical container.
static scree_status make_large(int32_t count, scree_sphere_set* out)
{
    const int32_t small = count - 1;
    const double radius = fmax(1.0, sqrt((double)small) / 1.6), side = 2.0 * radius + (small > 0 ? 3.96 : 0.0);
    scree_status status = scree_sphere_set_make(3, count, out);
    if (status != SCREE_OK)
        return status;
    out->box = scree_box_sized(3, (double[3]){side, side, side});
    out->has_box = true;
    for (int32_t i = 0; i < small; ++i) {
        const double z = 1.0 - (2 * i + 1) / (double)small, angle = 2.399963229728653 * i, across = sqrt(1.0 - z * z), at = radius + 0.99;
        out->x[3 * i] = 0.5 * side + at * across * cos(angle);
        out->x[3 * i + 1] = 0.5 * side + at * across * sin(angle);
        out->x[3 * i + 2] = 0.5 * side + at * z;
        out->r[i] = 1.0;
    }
    for (int k = 0; k < 3; ++k)
        out->x[3 * small + k] = 0.5 * side - (small == 0 && k == 2 ? 0.01 : 0.0);
    out->r[small] = radius;
    return SCREE_OK;
}

// Copies of a periodic set side by side.
static scree_status make_set(const device_case* what, const bench_options* co, scree_sphere_set* out)
{
    const int32_t copies = copies_of(what);
    scree_sphere_set cell = {0};
    if (what->heap == HEAP_LARGE)
        return make_large(what->set.count, out);
    if (copies == 1 && what->heap == HEAP_NONE)
        return bench_make_set(&what->set, co, out);
    scree_status status = make_cell(what, co, what->set.count / copies, &cell);
    if (status == SCREE_OK)
        status = scree_sphere_set_make(3, cell.count * copies, out);
    for (int64_t i = 0; i < (int64_t)cell.count * copies && status == SCREE_OK; ++i) {
        int64_t from = i % cell.count, tile = i / cell.count;
        for (int k = 0; k < 3; tile /= tiles_along(what, k), ++k)
            out->x[3 * i + k] = cell.x[3 * from + k] + (double)(tile % tiles_along(what, k)) * (cell.box.upper[k] - cell.box.lower[k]);
        out->r[i] = cell.r[from];
    }
    if (status == SCREE_OK) {
        out->box = cell.box;
        for (int k = 0; k < 3; ++k)
            out->box.upper[k] = cell.box.lower[k] + tiles_along(what, k) * (cell.box.upper[k] - cell.box.lower[k]);
        out->has_box = true;
    }
    scree_sphere_set_free(&cell);
    return status;
}

// Walls where the spheres end; then radii grow.
static void close_box(scree_sphere_set* set, double scale)
{
    for (int k = 0; k < 3; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (int64_t i = 0; i < set->count; ++i) {
            lower = fmin(lower, set->x[3 * i + k] - set->r[i]);
            upper = fmax(upper, set->x[3 * i + k] + set->r[i]);
        }
        set->box.lower[k] = lower;
        set->box.upper[k] = upper;
    }
    for (int64_t i = 0; i < set->count; ++i)
        set->r[i] *= scale;
}

scree_status device_case_make(const device_case* what, const bench_options* co, scree_sphere_set* out, double** v)
{
    scree_status status = make_set(what, co, out);
    if (status == SCREE_OK && !what->alone)
        status = bench_shuffle(out, co->seed);
    if (status == SCREE_OK && what->heap == HEAP_NONE)
        close_box(out, what->scale);
    if (status == SCREE_OK && (*v = scree_malloc((size_t)out->count * 3 + 1, sizeof **v)) == NULL)
        status = SCREE_ERR_MEMORY;
    scree_thermal_def thermal = scree_default_thermal_def();
    thermal.stiffness = stiffness;
    thermal.overlap = what->overlap > 0.0 ? what->overlap : what->heap == HEAP_NONE ? 0.01 : 1e-4;  // of heaps just so much that copies are not alike
    thermal.seed = co->seed;
    return status == SCREE_OK ? scree_thermal_velocities(&thermal, scree_sphere_set_view(out), *v) : status;
}
