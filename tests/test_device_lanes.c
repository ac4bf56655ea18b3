// device_lanes: the emulated device itself. Lanes of a warp exchange what those of a GPU exchange, in any order; lanes that do not meet are reported; launches are repeated as they were recorded. The lanes of a
// run have the same results in any order and with any sizes of blocks, warps, stages and classes of rows.
#include "device_support.h"

#include "device/emulate.h"
#include "device/fibers.h"
#include "device/flow_inner.h"
#include "sim/sim_inner.h"

// ---- Lanes that meet -------------------------------------------------------------------------------------------------------

enum { block_lanes = 12, lanes_of_warp = 4 };

typedef struct exchange {
    bool any[block_lanes];
    uint32_t which[block_lanes], from[block_lanes], place[block_lanes], reserved;
    int32_t least[block_lanes], most[block_lanes];
    uint64_t largest, seen;
    double to[block_lanes][4];
    int before, after;      // lanes that have come to the barrier; those that have seen all of them behind it
} exchange;

static void exchange_lane(void* of, int lane)
{
    exchange* x = of;
    const double four[4] = {lane, lane + 0.25, lane + 0.5, lane + 0.75};
    const int at = lane_in_warp();
    assert_int_equal(at, lane % lanes_of_warp);
    assert_int_equal(warp_lanes, lanes_of_warp);
    x->any[lane] = lane_any(lane == 5);
    x->which[lane] = lane_which(lane % 3 == 0);
    for (int k = 0; k < 3; ++k)  // several in turn: a lane may be one ahead
        x->from[lane] = lane_from((uint32_t)(100 * k + lane), 1 + k % 2);
    x->least[lane] = lane_least(lane == 9 ? INT32_MIN : 3 - lane);
    x->most[lane] = lane_most(lane == 2 ? INT32_MAX : lane - 20);
    x->place[lane] = lane_reserve(&x->reserved, (uint32_t)lane);
    lane_max_of_all(&x->largest, x->seen, (uint64_t)lane << 33);
    lane_write_all(x->to, lane, lane != 6, four);
    ++x->before;
    fibers_meet_block("barrier");
    x->after += x->before == block_lanes;
}

static void lanes_of_a_warp_exchange_values(void** state)
{
    (void)state;
    for (int c = 0; c < 30; ++c) {
        fibers* f = fibers_create(block_lanes, lanes_of_warp, c < 2 ? 0 : (uint64_t)c, c == 1);
        assert_non_null(f);
        for (int again = 0; again < 2; ++again) {
            exchange x = {.seen = again == 1 ? (uint64_t)7 << 33 : 0};
            for (int l = 0; l < block_lanes; ++l)
                for (int k = 0; k < 4; ++k)
                    x.to[l][k] = -1.0;
            assert_true(fibers_run(f, exchange_lane, &x));
            bool taken[66] = {false};
            for (int l = 0; l < block_lanes; ++l) {
                const int first = l / lanes_of_warp * lanes_of_warp;
                static const uint32_t which[] = {9, 4, 2};
                static const int32_t least[] = {0, -4, INT32_MIN}, most[] = {INT32_MAX, -13, -9};
                assert_int_equal(x.any[l], first == 4);
                assert_int_equal(x.which[l], which[first / lanes_of_warp]);
                assert_int_equal(x.from[l], 201 + first);
                assert_int_equal(x.least[l], least[first / lanes_of_warp]);
                assert_int_equal(x.most[l], most[first / lanes_of_warp]);
                assert_int_equal(x.place[l], l == first ? x.place[first] : x.place[l - 1] + (uint32_t)(l - 1));  // behind the lane before it
                for (uint32_t p = x.place[l]; p < x.place[l] + (uint32_t)l; ++p) {
                    assert_true(p < 66 && !taken[p]);
                    taken[p] = true;
                }
                for (int k = 0; k < 4; ++k)
                    assert_true(x.to[l][k] == (l == 6 ? -1.0 : l + 0.25 * k));
            }
            assert_int_equal(x.reserved, 66);
            assert_true(x.largest == (uint64_t)11 << 33);
            assert_int_equal(x.before, block_lanes);
            assert_int_equal(x.after, block_lanes);
        }
        fibers_destroy(f);
    }
}

// What a lane must not do, by number.
static void stray_lane(void* of, int lane)
{
    const int how = *(const int*)of;
    if (lane == 6 && how == 0)
        return;
    if (lane == 6 && how == 1)
        lane_which(true);
    else if (lane == 6 && how == 2)
        fibers_meet_block("barrier");
    else if (how == 3 && lane != 6)
        fibers_meet_block("barrier");
    else if (how != 3)
        lane_any(true);
}

static void lanes_that_do_not_meet_are_reported(void** state)
{
    (void)state;
    for (int how = 0; how < 4; ++how)
        for (uint64_t seed = 0; seed < 5; ++seed) {
            fibers* f = fibers_create(block_lanes, lanes_of_warp, seed, false);
            assert_non_null(f);
            assert_false(fibers_run(f, stray_lane, &how));
            assert_non_null(strstr(fibers_trouble(f), how == 3 ? "barrier" : "lane_any"));
            assert_false(fibers_run(f, stray_lane, &how));  // and stays so
            fibers_destroy(f);
        }
    fibers* f = fibers_create(block_lanes, lanes_of_warp, 0, false);
    fibers_use(f);
    assert_true(lane_any(true));
    assert_non_null(strstr(fibers_trouble(f), "lane_any"));
    fibers_use(NULL);
    fibers_destroy(f);
}

// ---- Launches that are repeated ----------------------------------------------------------------------------------------------

// Spheres outside of a sphere that removes them: crossing[0] is their number.
static void recorded_launches_have_the_values_of_their_jobs(void** state)
{
    (void)state;
    device_ops ops;
    void* context;
    emulate_ops(&ops);
    assert_int_equal(ops.open(&context), 0);
    double x[4][4] = {{2.0, 0.0, 0.0, 0.1}, {0.0, 3.0, 0.0, 0.1}, {0.0, 0.0, 0.2, 0.1}, {9.0, 0.0, 0.0, 0.1}};
    int32_t row[4] = {0, 1, 2, 3};
    uint64_t crossing[8] = {0}, other[8] = {0};
    sim_boundary ball = {.kind = BOUNDARY_sphere, .present = true, .removes = true, .sign = 1.0, .radius = 1.0};
    step_job job = {.n = 3, .x = (const double(*)[4])x, .row = row, .boundaries = &ball, .boundary_count = 1, .crossing = crossing, .crossing_room = 8};
    const char first[] = "first", second[] = "second";
    assert_int_equal(ops.replay(context, first, sizeof first), -1);
    assert_int_equal(ops.record(context, first, sizeof first), 0);
    assert_int_equal(ops.launch(context, KERNEL_CROSS, &job, job.n), 0);
    assert_int_equal(crossing[0], 0);  // not yet
    job.n = 4;
    job.crossing = other;
    assert_int_equal(ops.launch(context, KERNEL_CROSS, &job, job.n), 0);
    assert_int_equal(ops.recorded(context, true), 0);
    assert_int_equal(crossing[0], 2);
    assert_int_equal(other[0], 3);
    job.crossing = NULL;  // the recording has its own
    x[2][0] = 5.0;        // but not its own memory
    assert_int_equal(ops.replay(context, first, sizeof first), 0);
    assert_int_equal(crossing[0], 5);
    assert_int_equal(other[0], 7);
    // Of what is not complete nothing is kept, and no copies are recorded.
    uint64_t word = 1;
    assert_int_equal(ops.record(context, second, sizeof second), 0);
    assert_int_not_equal(ops.put(context, &word, other, sizeof word), 0);
    assert_non_null(strstr(ops.trouble(context), "recorded"));
    assert_int_not_equal(ops.zero(context, &word, sizeof word), 0);
    assert_int_not_equal(ops.launch(context, KERNEL_WAY, &job, 1), 0);
    assert_int_equal(word, 1);
    assert_int_equal(ops.recorded(context, false), 0);
    assert_int_equal(ops.replay(context, second, sizeof second), -1);
    // Those that were not used for long are replaced.
    for (char name = 'a'; name < 'z'; ++name) {
        job.n = 0;
        assert_int_equal(ops.record(context, &name, 1), 0);
        assert_int_equal(ops.launch(context, KERNEL_CROSS, &job, job.n), 0);
        assert_int_equal(ops.recorded(context, true), 0);
        assert_int_equal(ops.replay(context, name < 'f' ? first : &name, name < 'f' ? sizeof first : 1), 0);
    }
    assert_int_equal(ops.replay(context, first, sizeof first), -1);
    // Without memory launches are done, and not kept.
    uint64_t found = crossing[0];
    job.n = 3;
    job.crossing = crossing;
    for (int n = 1; n <= 3; ++n) {
        scree_memory_fail_at(n);
        assert_int_equal(ops.record(context, second, sizeof second), 0);
        for (int l = 0; l < 2; ++l)
            assert_int_equal(ops.launch(context, KERNEL_CROSS, &job, job.n), 0);
        scree_memory_fail_at(0);
        assert_int_equal(ops.recorded(context, true), 0);
        found += 6;
        assert_int_equal(crossing[0], found);
        assert_int_equal(ops.replay(context, second, sizeof second), -1);
    }
    ops.close(context);
}

// Batches that are all recorded. What a job has changes between them, while addresses stay; a recording that is repeated with what was before gives other bits.
static void recordings_end_where_a_value_changes(void** state)
{
    (void)state;
    for (int c = 0; c < 3; ++c) {
        device_system s = device_make(3, 90, 2.0, 0.3, false, 1, 391 + (uint64_t)c);
        if (c == 2)
            device_choose_law(&s, 0);
        s.def.order_every = 1000000;
        s.search.skin = c == 1 ? 0.05 : 3.0;  // lists are made again, or never
        emulate_set(&(emulate_sizes){.lanes = 8, .warp = 4, .short_row = 4, .long_warp = 8, .stage = 8, .ranges = 4, .flush = 2, .crowd = 4, .together = 8, .batch = 4, .few = 1000, .seed = 3 + (uint64_t)c});
        scree_sim* both[2] = {device_start(&s, SCREE_DEVICE_NONE), device_start(&s, device_tested())};
        const double step = both[0]->numbers.time_step;
        for (int k = 0; k < 2; ++k) {  // memory that grows when walls move has grown
            CHECK_OK(scree_sim_set_wall_velocity(both[k], (const double[3][2]){{0.01, 0.0}, {0.0, 0.0}, {0.0, 0.0}}));
            CHECK_OK(scree_sim_run(both[k], 8));
            CHECK_OK(scree_sim_set_wall_velocity(both[k], (const double[3][2]){{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}));
        }
        for (int change = 0; change < 7; ++change) {
            for (int k = 0; k < 2; ++k) {
                scree_sim* sim = both[k];
                const double walls[3][2] = {{change == 2 ? 0.8 : 0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
                CHECK_OK(scree_sim_run(sim, 16));
                if (change == 1)
                    CHECK_OK(scree_sim_set_gravity(sim, (double[3]){0.0, 0.1, -0.3}, (double[3]){0.0, 0.0, 0.0}));
                if (change == 2 || change == 3)  // they move, and rest elsewhere
                    CHECK_OK(scree_sim_set_wall_velocity(sim, walls));
                if (change == 4)
                    CHECK_OK(scree_sim_set_time_step(sim, 0.5 * step));
                if (change == 5)
                    CHECK_OK(scree_sim_set_group_force(sim, 0, (double[3]){0.01, 0.0, 0.0}));
                if (change == 6) {
                    scree_sim_def def = s.def;
                    def.device = scree_sim_get_device(sim);
                    def.stiffness *= 0.7;
                    for (int e = 0; e < 4 && c == 2; ++e)
                        s.pairs[e].stiffness *= k == 0 ? 0.7 : 1.0;
                    CHECK_OK(scree_sim_set_contacts(sim, &def, scree_sphere_set_view(&s.set)));
                }
                CHECK_OK(scree_sim_run(sim, 16));
            }
            char name[40];
            snprintf(name, sizeof name, "system %d, change %d", c, change);
            device_check_same(name, both[0], both[1]);
        }
        assert_true(sim_report_of(both[0]).contacts > 0);
        scree_sim_destroy(both[0]);
        scree_sim_destroy(both[1]);
        device_free(&s);
    }
    emulate_set(NULL);
}

// ---- Orders and sizes --------------------------------------------------------------------------------------------------------

// Spheres of which some have rows of every class: one lane, a warp, a block.
static device_system of_every_class(int c)
{
    device_system s = device_make(3, 200, 8.0, 0.35, c == 1, 1, 901 + (uint64_t)c);
    if (c > 0)
        device_choose_law(&s, c == 3 ? 5 : 0);
    if (c == 2)
        s.def.energies = true;
    s.search.skin = 0.8;
    return s;
}

// The list that it has: rows of every class, and more pairs and entries than there was room for at first.
static void check_classes(const char* name, const scree_sim* sim, const emulate_sizes* sizes)
{
    const sim_device* d = sim->device;
    const uint32_t* off = d->blocks[B_OFF].at;
    int32_t classes[3] = {0, 0, 0};
    if (device_tested() != SCREE_DEVICE_EMULATE)
        return;
    for (int32_t i = 0; i < sim->n; ++i) {
        const uint32_t length = off[i + 1] - off[i];
        ++classes[length <= (uint32_t)sizes->short_row ? 0 : length <= (uint32_t)sizes->long_warp ? 1 : 2];
    }
    if (classes[0] == 0 || classes[1] == 0 || classes[2] == 0)
        fail_msg("%s: %d rows for a lane, %d for a warp, %d for a block; some of each were expected", name, classes[0], classes[1], classes[2]);
    if ((size_t)d->pairs <= flow_first_pairs((size_t)sim->n) / sizeof(found_pair) || off[sim->n] <= (uint32_t)sim->n + 64)
        fail_msg("%s: %lld pairs and %u entries fit into the first memory", name, (long long)d->pairs, off[sim->n]);
}

static void any_order_of_lanes_gives_the_same(void** state)
{
    (void)state;
    for (int c = 0; c < 4; ++c) {
        device_system s = of_every_class(c);
        emulate_sizes sizes = {.lanes = 8, .warp = 4, .short_row = 3, .long_warp = 7, .stage = 6, .ranges = 3, .flush = 1, .crowd = 3, .together = 12, .batch = 5, .few = c % 2 == 0 ? 1000 : 0};
        scree_sim* reference = device_start(&s, SCREE_DEVICE_NONE);
        CHECK_OK(scree_sim_run(reference, 40));
        for (int order = 0; order < 9; ++order) {
            sizes.seed = order < 2 ? 0 : (uint64_t)(order < 4 ? 77 : 100 + order);  // one of them twice
            sizes.falling = order == 1;
            if (order >= 4) {
                static const int32_t widths[5][2] = {{4, 4}, {16, 4}, {16, 8}, {64, 32}, {128, 16}};
                sizes.lanes = widths[order - 4][0];
                sizes.warp = widths[order - 4][1];
            }
            emulate_set(&sizes);
            scree_sim* sim = device_start(&s, device_tested());
            CHECK_OK(scree_sim_run(sim, 40));
            char name[40];
            snprintf(name, sizeof name, "system %d, order %d", c, order);
            check_classes(name, sim, &sizes);
            device_check_same(name, reference, sim);
            scree_sim_destroy(sim);
        }
        assert_true(sim_report_of(reference).contacts > 0);
        scree_sim_destroy(reference);
        device_free(&s);
    }
    emulate_set(NULL);
}

// Two spheres with 40 small ones around each. In the order of ranks, 16 are below it, of which 3 touch, and 24 above it, which all touch: the queue of a warp is then as long as it can be, 3 and 16, beside the
// queue of the other warp.
static void queues_of_long_rows_are_full(void** state)
{
    (void)state;
    enum { below = 16, around = 40, all = 2 * (around + 1) };
    for (int c = 0; c < 6; ++c) {
        device_system s = device_make(3, all, 1.0, 0.1, false, 1, 66);
        if (c % 2 == 1)
            device_choose_law(&s, 0);
        s.def.box = scree_box_sized(3, (double[3]){8.0, 8.0, 8.0});
        for (int32_t i = 0; i < all; ++i) {
            const int32_t number = i % (around + 1) - 1;  // -1: the sphere in the middle
            const double height = number < below ? -(number + 0.5) / below : (number - below + 0.5) / (around - below), z = number < 0 ? 0.0 : height, turn = 2.4 * number;
            const double far = number < 0 ? 0.0 : number >= below || number % 6 == 0 ? 1.14 : 1.17, out = far * sqrt(1.0 - z * z);
            s.set.r[i] = number < 0 ? 1.0 : 0.15;
            s.set.x[3 * i] = (i <= around ? 2.0 : 6.0) + out * cos(turn);
            s.set.x[3 * i + 1] = 4.0 + out * sin(turn);
            s.set.x[3 * i + 2] = 4.0 + far * z;
        }
        for (int32_t i = 0; i < 3 * all; ++i)
            s.v[i] *= 0.01;
        s.search.skin = 0.1;
        s.def.gravity[2] = 0.0;
        emulate_set(&(emulate_sizes){.lanes = c < 2 ? 8 : 16, .warp = 4, .short_row = 20, .long_warp = c < 4 ? 64 : 20, .stage = 16, .ranges = 3, .flush = 1, .crowd = 3, .together = 12, .batch = 6, .few = 1000, .seed = 5 + (uint64_t)c});
        char name[40];
        snprintf(name, sizeof name, "full queues %d", c);
        device_compare(name, &s, c % 2 == 0 ? 30 : 6);
        device_free(&s);
    }
    emulate_set(NULL);
}

// Eight spheres squeezed together move to and fro: all ways together are longer than the skin, and no sphere leaves its place.
static void a_list_lasts_while_spheres_stay_where_they_are(void** state)
{
    (void)state;
    device_system s = device_make(3, 8, 1.0, 0.1, false, 0, 55);
    s.def.box = scree_box_sized(3, (double[3]){1.96, 1.96, 1.96});
    for (int32_t i = 0; i < 8; ++i) {
        s.set.r[i] = 0.5;
        for (int k = 0; k < 3; ++k) {
            s.set.x[3 * i + k] = (i >> k & 1) == 0 ? 0.49 : 1.47;
            s.v[3 * i + k] *= 0.01;
        }
    }
    s.def.order_every = 1000000;
    s.search.skin = 0.05;
    device_set_tiny(7);
    scree_sim *a = device_start(&s, SCREE_DEVICE_NONE), *b = device_start(&s, device_tested());
    CHECK_OK(scree_sim_run(a, 600));
    CHECK_OK(scree_sim_run(b, 600));
    device_check_same("to and fro", a, b);
    assert_true(b->device->seconds[PART_CHECKS] > 0.0);  // displacements were measured,
    if (device_tested() == SCREE_DEVICE_EMULATE)         // and the list was kept; when a GPU measures depends on its batches
        assert_int_equal(device_lists(b->device), 1);
    scree_sim_destroy(a);
    scree_sim_destroy(b);
    device_free(&s);
    emulate_set(NULL);
}

static const test_case cases[] = {
    UNIT(lanes_of_a_warp_exchange_values),
    UNIT(lanes_that_do_not_meet_are_reported),
    UNIT(recorded_launches_have_the_values_of_their_jobs),
    SAME_BITS(recordings_end_where_a_value_changes),
    SAME_BITS(any_order_of_lanes_gives_the_same),
    SAME_BITS(queues_of_long_rows_are_full),
    SAME_BITS(a_list_lasts_while_spheres_stay_where_they_are),
};

const test_group group_device_lanes = {.name = "device_lanes", .cases = cases, .count = sizeof cases / sizeof *cases};
