// device: exact shapes and meshes, at rest and moving, with the bits of the processor's; what a run on a device says of a centre that has passed through one.
#include "device_support.h"

#include "device/emulate.h"
#include "scree/loads.h"
#include "scree/surface.h"
#include "sim/sim_inner.h"

// ---- Shapes ------------------------------------------------------------------------------------------------------------

typedef struct shape_room {
    scree_exact exact[4];
    scree_surface* mesh[2];
    scree_sim_boundary boundary[6];
    int32_t count;
} shape_room;

static void triangle(scree_triangles* t, const double a[3], const double b[3], const double c[3])
{
    double* to = t->xyz + 9 * (int64_t)t->count++;
    memcpy(to, a, 3 * sizeof *to);
    memcpy(to + 3, b, 3 * sizeof *to);
    memcpy(to + 6, c, 3 * sizeof *to);
}

// A folded sheet of pieces x pieces x 2 triangles: seams, convex edges and concave ones, and an open rim.
static scree_surface* folded(double side, double height, int pieces)
{
    scree_triangles t;
    scree_surface* s;
    scree_surface_def def = scree_default_surface_def();
    def.threads = 1;
    CHECK_OK(scree_triangles_make(2 * pieces * pieces, &t));
    t.count = 0;
    for (int i = 0; i < pieces; ++i)
        for (int j = 0; j < pieces; ++j) {
            double p[4][3];
            for (int c = 0; c < 4; ++c) {
                int u = i + (c == 1 || c == 2), v = j + c / 2;
                p[c][0] = side * (0.1 + 0.8 * u / pieces);
                p[c][1] = side * (0.1 + 0.8 * v / pieces);
                p[c][2] = height + 0.06 * side * (u % 3 == 1) + 0.04 * side * (v % 4 == 2);
            }
            triangle(&t, p[0], p[1], p[2]);
            triangle(&t, p[0], p[2], p[3]);
        }
    CHECK_OK(scree_surface_create(&def, &t, &s));
    scree_triangles_free(&t);
    return s;
}

static scree_sim_boundary* add(shape_room* room)
{
    scree_sim_boundary* b = &room->boundary[room->count++];
    *b = scree_default_sim_boundary();
    return b;
}

static scree_sim_boundary* add_exact(shape_room* room, int at, int32_t kind, const double where[3], const double axis[3], double radius, double length)
{
    scree_sim_boundary* b = add(room);
    scree_exact* e = &room->exact[at];
    *e = scree_default_exact();
    e->kind = kind;
    memcpy(e->at, where, sizeof e->at);
    memcpy(e->axis, axis, sizeof e->axis);
    e->radius[0] = radius;
    e->radius[1] = kind == SCREE_EXACT_CONE ? 0.4 * radius : kind == SCREE_EXACT_DISC ? 0.3 * radius : 0.0;
    e->length = length;
    for (int k = 0; k < 3; ++k) {
        e->lower[k] = where[k] - radius;
        e->upper[k] = where[k] + radius;
    }
    memcpy(b->about, where, sizeof b->about);
    b->exact = e;
    return b;
}

static void shapes_of(shape_room* room, int c, double side)
{
    const double m = 0.5 * side;
    *room = (shape_room){.count = 0};
    room->mesh[0] = folded(side, 0.3 * side, 7);
    scree_sim_boundary* b = add(room);
    b->surface = room->mesh[0];
    if (c % 3 == 1)
        b->velocity[2] = 0.01;
    if (c % 3 == 2)
        b->spin[0] = 0.05;
    static const int32_t kinds[] = {SCREE_EXACT_CYLINDER, SCREE_EXACT_CONE, SCREE_EXACT_SPHERE, SCREE_EXACT_DISC, SCREE_EXACT_BOX};
    b = add_exact(room, 0, kinds[c % 5], (const double[3]){m, m, 0.75 * side}, (const double[3]){0.3, 0.2, 1.0}, 0.15 * side, 0.2 * side);
    if (c % 2 == 1)
        b->spin[2] = 0.1;
    b->material = (int32_t)(c % 2);
    if (c % 4 == 2)
        b->one_sided = true;
    add_exact(room, 1, SCREE_EXACT_PLANE, (const double[3]){0.12 * side, m, m}, (const double[3]){1.0, 0.1, 0.2}, 0.0, 0.0);
    if (c % 3 == 0) {
        room->mesh[1] = folded(0.4 * side, 0.6 * side, 3);
        b = add(room);
        b->surface = room->mesh[1];
        b->velocity[0] = 0.02;
        b->spin[1] = -0.2;
    }
}

static void free_shapes(shape_room* room)
{
    for (int k = 0; k < 2; ++k)
        scree_surface_destroy(room->mesh[k]);
}

// Spheres that are deep in a shape are moved out of it, so that they touch it a little.
static void move_out(const shape_room* room, int32_t n, double* x, const double* r)
{
    for (int32_t again = 0; again < 4 * n; ++again)
        for (int32_t b = 0; b < room->count; ++b) {
            double* at = x + 3 * (int64_t)(again % n);
            scree_surface_contact found;
            CHECK_OK(room->boundary[b].surface != NULL ? scree_surface_closest(room->boundary[b].surface, at, &found) : scree_exact_closest(room->boundary[b].exact, at, &found));
            for (int k = 0; k < 3 && found.distance < 0.9 * r[again % n]; ++k)
                at[k] += (0.96 * r[again % n] - found.distance) * found.normal[k];
        }
}

// ---- The same bits -----------------------------------------------------------------------------------------------------

// Forty plates, and a round wall behind them: its number is beyond the bits of a word. Without the plates there are too many walls.
static void many_boundaries_hold_as_on_the_processor(void** state)
{
    (void)state;
    enum { plates = 40 };
    scree_exact exact[plates];
    scree_sim_boundary boundaries[plates + 1];
    for (int law = 0; law < 2; ++law) {
        device_system s = device_make(3, 150, 2.0, 0.2, false, 0, 71);
        if (law == 1)
            assert_non_null(device_choose_law(&s, 0));
        const double side = s.set.box.upper[0];
        for (int b = 0; b < plates; ++b) {
            exact[b] = scree_default_exact();
            exact[b].kind = SCREE_EXACT_DISC;
            exact[b].at[0] = side * (0.1 + 0.2 * (b % 5));
            exact[b].at[1] = side * (0.1 + 0.25 * (b / 5 % 4));
            exact[b].at[2] = side * (0.02 + 0.01 * (b / 20));
            exact[b].axis[2] = 1.0;
            exact[b].radius[0] = 0.1 * side;
            boundaries[b] = scree_default_sim_boundary();
            boundaries[b].exact = &exact[b];
        }
        boundaries[plates] = scree_default_sim_boundary();
        boundaries[plates].kind = "sphere";
        for (int k = 0; k < 3; ++k)
            boundaries[plates].at[k] = 0.5 * side;
        boundaries[plates].radius = 0.6 * side;
        device_keep_round(&s, 0.6 * side, false);
        for (int32_t i = 0; i < s.set.count; ++i)
            s.set.x[3 * (int64_t)i + 2] = fmax(s.set.x[3 * (int64_t)i + 2], 0.04 * side + 0.97 * s.set.r[i]);
        s.def.boundaries = boundaries;
        s.def.boundary_count = plates + 1;
        s.def.gravity[2] = -0.05;
        device_compare("many boundaries", &s, 240);
        scree_sim* sim;
        for (int b = 0; b < plates; ++b)
            boundaries[b] = boundaries[plates];
        s.def.device = SCREE_DEVICE_EMULATE;
        CHECK_FAILS(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim), SCREE_ERR_UNSUPPORTED, "emulate", "32 walls");
        device_free(&s);
    }
}

// Every law, with several shapes each: moving and turning ones, both sides, materials, energies, giants, looks at overlaps, tiny skins.
static void shapes_act_as_on_the_processor(void** state)
{
    (void)state;
    int64_t touches = 0;
    for (int c = 0; c < 17; ++c) {
        const int32_t n = 120;
        device_system s = device_make(3, n, c % 4 == 3 ? 6.0 : 2.0, 0.15, false, c < 3 ? c : 0, 300 + (uint64_t)c);
        const char* law = c >= 3 ? device_choose_law(&s, c - 3) : "linear";
        if (law == NULL) {
            device_free(&s);
            break;
        }
        shape_room room;
        shapes_of(&room, c, s.set.box.upper[0]);
        move_out(&room, n, s.set.x, s.set.r);
        if (c >= 3) {
            s.material = calloc((size_t)n, sizeof *s.material);
            for (int32_t i = 0; i < n; ++i)
                s.material[i] = (uint16_t)(i % 2);
        } else {
            for (int32_t b = 0; b < room.count; ++b)
                room.boundary[b].material = 0;
        }
        s.def.boundaries = room.boundary;
        s.def.boundary_count = room.count;
        s.def.energies = c >= 3 && c % 2 == 1 && strcmp(law, "bridge") != 0;
        s.def.giants = c % 4 == 3 ? 2.0 : 0.0;
        s.def.gravity[2] = -0.05;
        s.def.watch_overlaps = c % 2 == 0 ? 1e-4 : 0.0;
        if (c % 5 == 4)
            s.def.integrator = SCREE_INTEGRATOR_POSITION_VERLET;
        s.search.skin = c % 6 == 5 ? -1.0 : 0.0;
        device_set_tiny(500 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        for (int k = 0; k < 2 && c % 4 == 1; ++k) {
            scree_sim_load load = scree_default_sim_load();
            load.kind = SCREE_LOAD_BOUNDARY_PATH;
            load.target = boundary_faces + 2;
            load.value = (scree_signal){.kind = SCREE_SIGNAL_SINE, .frequency = 0.5, .to = {0.01, 0.0, 0.005}};
            CHECK_OK(scree_sim_set_load(both[k], &load));
        }
        char name[60];
        snprintf(name, sizeof name, "shapes %d %s", c, law);
        touches += sim_report_of(both[0]).wall_contacts;
        device_compare_sims(name, both[0], both[1], 60);
        free_shapes(&room);
        device_free(&s);
    }
    assert_true(touches > 200);
    emulate_set(NULL);
}

// In the plane, with images in a periodic box, and beside fixed spheres.
static void shapes_have_images_on_a_device(void** state)
{
    (void)state;
    for (int c = 0; c < 4; ++c) {
        const int32_t n = 110;
        const int dim = c == 0 ? 2 : 3;
        device_system s = device_make(dim, n, 1.5, dim == 2 ? 0.3 : 0.15, c > 0, 1, 340 + (uint64_t)c);
        device_choose_law(&s, c);
        const double side = s.set.box.upper[0];
        shape_room room = {.count = 0};
        if (dim == 2) {
            add_exact(&room, 0, SCREE_EXACT_CYLINDER, (const double[3]){0.5 * side, 0.5 * side, 0.0}, (const double[3]){0.0, 0.0, 1.0}, 0.2 * side, INFINITY)->spin[2] = 0.3;
        } else {
            scree_sim_boundary* b = add_exact(&room, 0, SCREE_EXACT_SPHERE, (const double[3]){0.02 * side, 0.5 * side, 0.9 * side}, (const double[3]){0.0, 0.0, 1.0}, 0.2 * side, 0.0);
            b->spin[1] = 0.2;
            b->velocity[0] = c == 2 ? -0.05 : 0.0;
        }
        for (int32_t i = 0; i < n && dim == 2; ++i)
            s.set.r[i] *= 0.95;
        double* x = calloc(3 * (size_t)n, sizeof *x);
        for (int32_t i = 0; i < n; ++i)
            memcpy(x + 3 * i, s.set.x + dim * i, (size_t)dim * sizeof *x);
        move_out(&room, n, x, s.set.r);
        for (int32_t i = 0; i < n; ++i)
            memcpy(s.set.x + dim * i, x + 3 * i, (size_t)dim * sizeof *x);
        free(x);
        s.fixed = calloc((size_t)n, sizeof *s.fixed);
        for (int32_t i = 0; i < n; ++i)
            s.fixed[i] = c == 3 && i % 9 == 4;
        for (int32_t i = 0; i < n * dim; ++i)
            s.v[i] *= s.fixed[i / dim] ? 0.0 : 1.0;
        s.def.boundaries = room.boundary;
        s.def.boundary_count = room.count;
        device_set_tiny(20 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        assert_true(sim_report_of(both[0]).wall_contacts > 1);
        char name[40];
        snprintf(name, sizeof name, "images of shapes %d", c);
        device_compare_sims(name, both[0], both[1], 45);
        device_free(&s);
    }
    emulate_set(NULL);
}

// Walls and shapes that remove what passes through them: the same spheres at the same steps, until none is left.
static void boundaries_remove_as_on_the_processor(void** state)
{
    (void)state;
    for (int c = 0; c < 5; ++c) {
        const int32_t n = 90;
        device_system s = device_make(3, n, 1.5, 0.12, false, 1, 60 + (uint64_t)c);
        if (c > 1)
            device_choose_law(&s, c - 2);
        shape_room room = {.count = 0};
        const double side = s.set.box.upper[0];
        if (c % 2 == 1) {
            scree_sim_boundary* b = add_exact(&room, 0, SCREE_EXACT_PLANE, (const double[3]){0.0, 0.0, 0.4 * side}, (const double[3]){0.0, 0.1, 1.0}, 0.0, 0.0);
            b->removes = true;
            b->velocity[2] = 0.1;
            room.mesh[0] = folded(side, 0.2 * side, 4);
            b = add(&room);
            b->surface = room.mesh[0];
            b->removes = true;
            b->one_sided = c == 3;
            move_out(&room, n, s.set.x, s.set.r);
        }
        for (int32_t i = 0; i < 3 * n; ++i)
            s.v[i] *= i / 3 % 2 == 0 || c == 0 ? 300.0 : 5.0;
        s.def.walls_remove = true;
        s.def.boundaries = room.boundary;
        s.def.boundary_count = room.count;
        s.def.time_step = c == 0 ? 0.02 : 2e-3;
        s.def.energies = c == 4;
        device_set_tiny(60 + (uint64_t)c);
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        scree_sim_crossing gone[2][90];
        int64_t all = 0;
        for (int part = 0; part < 6; ++part) {
            for (int k = 0; k < 2; ++k) {
                scree_status status = scree_sim_run(both[k], c == 0 && part == 5 ? 3000 : 17);
                if (status != SCREE_OK)
                    fail_msg("removal %d, part %d, device %d: %s", c, part, k, scree_error_message());
            }
            assert_int_equal(scree_sim_get_count(both[0]), scree_sim_get_count(both[1]));
            int64_t count = scree_sim_take_crossings(both[0], gone[0], n);
            assert_int_equal(count, scree_sim_take_crossings(both[1], gone[1], n));
            if (count > 0)
                assert_memory_equal(gone[0], gone[1], (size_t)count * sizeof *gone[0]);
            all += count;
            char name[40];
            snprintf(name, sizeof name, "removal %d, part %d", c, part);
            device_check_same(name, both[0], both[1]);
        }
        if (all < 5 || (c == 0 && scree_sim_get_count(both[0]) > 40))
            fail_msg("case %d: %d have gone, %d are left", c, (int)all, (int)scree_sim_get_count(both[0]));
        for (int k = 0; k < 2; ++k)
            scree_sim_destroy(both[k]);
        free_shapes(&room);
        device_free(&s);
    }
    emulate_set(NULL);
}

// The words are those of the processor: the lowest id, and the surface.
static void a_centre_that_passes_through_a_shape_is_named(void** state)
{
    (void)state;
    char said[2][400];
    for (int d = 0; d < 2; ++d) {
        device_system s = device_make(3, 60, 1.0, 0.1, false, 1, 9);
        shape_room room = {.count = 0};
        scree_sim* sim;
        const double side = s.set.box.upper[0];
        add_exact(&room, 0, SCREE_EXACT_PLANE, (const double[3]){0.0, 0.0, 0.5 * side}, (const double[3]){0.0, 0.2, 1.0}, 0.0, 0.0);
        room.mesh[0] = folded(side, 0.3 * side, 4);
        add(&room)->surface = room.mesh[0];
        move_out(&room, 60, s.set.x, s.set.r);
        for (int32_t i = 0; i < 60; ++i)
            for (int k = 0; k < 3; ++k)
                s.v[3 * i + k] = i >= 20 && k == 2 ? -20.0 : 0.0;
        s.def.boundaries = room.boundary;
        s.def.boundary_count = room.count;
        s.def.time_step = 1e-3;
        device_point(&s);
        s.def.device = d == 0 ? SCREE_DEVICE_NONE : device_tested();
        device_set_tiny(4);
        CHECK_OK(scree_sim_create(&s.def, scree_sphere_set_view(&s.set), s.v, &sim));
        CHECK_FAILS(scree_sim_run(sim, 2000), SCREE_ERR_ARGUMENT, "passed through the surface");
        snprintf(said[d], sizeof said[d], "%s", scree_error_message());
        scree_sim_destroy(sim);
        free_shapes(&room);
        device_free(&s);
    }
    assert_string_equal(said[0], said[1]);
    emulate_set(NULL);
}

// Each allocation of a run on a device fails once, and the simulation goes on to the processor's state.
static void memory_can_run_out_beside_shapes(void** state)
{
    (void)state;
    device_system s = device_make(3, 40, 1.5, 0.15, false, 0, 17);
    device_choose_law(&s, 0);
    shape_room room;
    shapes_of(&room, 3, s.set.box.upper[0]);
    move_out(&room, 40, s.set.x, s.set.r);
    s.def.boundaries = room.boundary;
    s.def.boundary_count = room.count;
    scree_sim* wanted = device_start(&s, SCREE_DEVICE_NONE);
    CHECK_OK(scree_sim_run(wanted, 12));
    int failures = 0;
    for (int64_t n = 1; n < 200; n += 3) {
        scree_sim* sim = device_start(&s, SCREE_DEVICE_EMULATE);
        scree_memory_fail_at(n);
        scree_status status = scree_sim_run(sim, 12);
        scree_memory_fail_at(0);
        assert_true(status == SCREE_OK || status == SCREE_ERR_MEMORY);
        failures += status != SCREE_OK;
        if (status != SCREE_OK) {
            CHECK_OK(scree_sim_run(sim, 0));  // the step that it is in
            CHECK_OK(scree_sim_run(sim, 12 - scree_sim_get_step(sim)));
        }
        if (scree_sim_hash(sim) != scree_sim_hash(wanted))
            fail_msg("another hash after allocation %d failed: status %d, steps %d", (int)n, (int)status, (int)scree_sim_get_step(sim));
        scree_sim_destroy(sim);
    }
    assert_true(failures > 15);
    scree_sim_destroy(wanted);
    free_shapes(&room);
    device_free(&s);
}

static const test_case cases[] = {
    SAME_BITS(many_boundaries_hold_as_on_the_processor),
    SAME_BITS(shapes_act_as_on_the_processor),
    SAME_BITS(shapes_have_images_on_a_device),
    SAME_BITS(boundaries_remove_as_on_the_processor),
    UNIT(a_centre_that_passes_through_a_shape_is_named),
    ALLOCATION(memory_can_run_out_beside_shapes),
};

const test_group group_device_shapes = {.name = "device_shapes", .cases = cases, .count = sizeof cases / sizeof *cases};
