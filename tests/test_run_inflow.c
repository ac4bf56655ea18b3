// Spheres that come and go where other things are: in tilted boxes, beside bonds, and in runs that begin from others.
#include "sim_support.h"

#include "file_support.h"

#include "run/run_inner.h"

static scree_scene scene_of(const char* text)
{
    scree_scene given;
    put_text(in_folder("scene.yaml"), text);
    CHECK_OK(scene_read(in_folder("scene.yaml"), &given));
    return given;
}

// The hash, and what the log has in its last row, by threads, method and backend; cut and resumed at a step, if that is above 0.
static uint64_t hash_of(const scree_scene* given, const char* name, int way, int64_t cut)
{
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    scree_scene own = *given;
    def.threads = way == 1 ? 3 : 1;
    def.method = way == 2 ? SCREE_METHOD_ALL_PAIRS : way == 3 ? SCREE_METHOD_HIERARCHICAL_GRID : -1;
    def.verify = way == 0;
    def.force = true;
    own.sim.backend = way == 4 ? SCREE_BACKEND_REFERENCE : SCREE_BACKEND_FUSED;
    CHECK_OK(scree_run_create(&def, &own, in_folder(name), &run));
    if (cut > 0) {
        int64_t steps = run->steps;
        run->steps = cut;
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
        def.force = false;
        CHECK_OK(scree_run_resume(&def, in_folder(name), &run));
        assert_int_equal(run->steps, steps);
    }
    CHECK_OK(scree_run_go(run));
    CHECK_OK(scree_sim_validate(scree_run_get_sim(run)));
    uint64_t hash = scree_run_hash(run);
    scree_run_destroy(run);
    return hash;
}

static double last_of(const char* name, const char* column)
{
    char path[64];
    snprintf(path, sizeof path, "%s/log.csv", name);
    char* log = get_file(in_folder(path), NULL);
    int rows = -1;
    for (const char* c = log; *c != '\0'; ++c)
        rows += *c == '\n';
    double value = value_in(log, rows - 1, column);
    free(log);
    return value;
}

static void same_for_all(const char* text, const char* name)
{
    scree_scene given = scene_of(text);
    uint64_t wanted = hash_of(&given, name, 0, 0);
    for (int way = 1; way < 5; ++way)
        if (hash_of(&given, "other", way, 0) != wanted)
            fail_msg("%s, way %d: another hash", name, way);
    for (int64_t cut = 130; cut < 600; cut += 170)
        if (hash_of(&given, "other", (int)(cut % 2), cut) != wanted)
            fail_msg("%s, cut at %d: another hash", name, (int)cut);
    scene_free(&given);
}

// A sphere that comes in overlaps no image of another, whatever the tilt; and contacts are those of all pairs (verify).
static void tilted_boxes(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [4, 4, 4], periodic: [x, y, z], tilt: {xy: 1.7, xz: -3.1, yz: 5.3}}\n"
                               "spheres: {count: 20, sizes: 'uniform-size:0.2:0.35', place: random, velocity: [0.5, 0.3, -1]}\n"
                               "contact: {stiffness: 300, restitution: 0.7, friction: 0.3}\n"
                               "time: {step: 5e-4, steps: 700}\n"
                               "insert: [{name: in, rate: 150, every_steps: 50, region: {lower: [-1, 2, 0], upper: [3, 5, 4]}, velocity: [0, 0, 2]}]\n"
                               "outlets: [{name: out, every_steps: 70, region: {lower: [3, 0, 0], upper: [4, 4, 1]}}]\n"
                               "checkpoint: {every: 10000}\n"
                               "output: {every_steps: 50, formats: [csv]}\n";
    same_for_all(text, "tilted");
    assert_true(last_of("tilted", "inserted") > 25.0 && last_of("tilted", "removed") > 3.0 && last_of("tilted", "n") == 20.0 + last_of("tilted", "inserted") - last_of("tilted", "removed"));
    // Those that have just come stand alone: 50 steps are far too few to go from one place to the next.
    for (int f = 1; f <= 14; ++f) {
        char path[64];
        scree_sphere_set set;
        snprintf(path, sizeof path, "tilted/frames/frame_%06d.csv", f);
        CHECK_OK(scree_read_spheres(in_folder(path), NULL, &set));
        const scree_column *v = scree_sphere_set_find(&set, "velocity"), *id = scree_sphere_set_find(&set, "id");
        for (int32_t i = 0; i < set.count; ++i) {
            bool fresh = id->integers[i] >= 20 && v->values[3 * i] == 0.0 && v->values[3 * i + 1] == 0.0 && v->values[3 * i + 2] == 2.0;
            for (int32_t j = 0; j < set.count && fresh; ++j)
                for (int a = -4; a <= 4; ++a)
                    for (int b = -3; b <= 3; ++b)
                        for (int c = -2; c <= 2; ++c) {
                            double square = 0.0;
                            const double shift[3] = {4.0 * a + 1.7 * b - 3.1 * c, 4.0 * b + 5.3 * c, 4.0 * c};
                            for (int k = 0; k < 3; ++k) {
                                double d = set.x[3 * i + k] - set.x[3 * j + k] - shift[k];
                                square += d * d;
                            }
                            if ((i != j || a != 0 || b != 0 || c != 0) && !(sqrt(square) >= set.r[i] + set.r[j] - 0.05))
                                fail_msg("frame %d: spheres %d and %d are %g apart", f, (int)i, (int)j, sqrt(square));
                        }
        }
        scree_sphere_set_free(&set);
    }
}

// Rain on a beam of bonded spheres, which breaks under it.
static void rain_on_bonds(void** state)
{
    (void)state;
    static const char text[] = "box: {size: [6, 2, 6]}\n"
                               "gravity: [0, 0, -10]\n"
                               "spheres:\n"
                               "- {name: beam, file: beam.csv, material_density: 3}\n"
                               "- {name: rain, count: 0, sizes: 'uniform-size:0.15:0.25', place: random}\n"
                               "contact: {stiffness: 2000, restitution: 0.5, friction: 0.3}\n"
                               "bonds: [{gap: 0.01, young: 20000, tensile_strength: 600, shear_strength: 600, damping: 0.2}]\n"
                               "surfaces: [{sphere: {at: [1, 1, 1], radius: 0.8}}, {sphere: {at: [5, 1, 1], radius: 0.8}}]\n"
                               "time: {step: 5e-4, steps: 1000}\n"
                               "insert: [{name: in, group: rain, rate: 120, every_steps: 40, region: {lower: [1.5, 0.2, 3.5], upper: [4.5, 1.8, 5.5]}, velocity: [0, 0, -6]}]\n"
                               "checkpoint: {every: 10000}\n"
                               "output: {every_steps: 500, formats: [csv], energies: true}\n";
    char beam[1024] = "x,y,z,r\n";
    for (int i = 0; i < 12; ++i)
        snprintf(beam + strlen(beam), sizeof beam - strlen(beam), "%g,1,2.2,0.25\n", 0.3 + 0.49 * i);
    put_text(in_folder("beam.csv"), beam);
    same_for_all(text, "bonds");
    assert_true(last_of("bonds", "inserted") > 30.0 && last_of("bonds", "bonds") + last_of("bonds", "bonds_broken") == 11.0 && last_of("bonds", "bonds_broken") > 0.0);
    double balance = fabs(last_of("bonds", "balance"));
    assert_true(balance < 0.05 * last_of("bonds", "energy_inserted"));
}

// A sphere that is inserted far away changes nothing for bonded spheres; and where memory runs out, nothing has changed.
static void bonds_go_on_as_if_nothing_had_happened(void** state)
{
    (void)state;
    const double x[9] = {1.0, 1.0, 1.0, 1.5, 1.0, 1.0, 1.75, 1.45, 1.0}, v[9] = {0.2, 0.0, 0.1, -0.3, 0.4, 0.0, 0.0, -0.2, 0.3}, r[3] = {0.25, 0.25, 0.25}, more[3] = {8.0, 8.0, 8.0}, size[1] = {0.3};
    scree_sim_def def = scree_default_sim_def();
    scree_sim_bond kind = scree_default_sim_bond();
    scree_sim_bonds_def bonds = scree_default_sim_bonds_def();
    kind.gap = 0.05;
    kind.young = 2000.0;
    kind.damping = 0.1;
    bonds.kind_count = 1;
    bonds.kinds = &kind;
    def.bonds = &bonds;
    def.box = scree_box_sized(3, (const double[3]){10.0, 10.0, 10.0});
    def.stiffness = 1000.0;
    def.time_step = 2e-4;
    def.threads = 1;
    scree_spheres spheres = {.count = 3, .dim = 3, .x = x, .r = r}, one = {.count = 1, .dim = 3, .x = more, .r = size};
    scree_sim *sim, *alone;
    CHECK_OK(scree_sim_create(&def, spheres, v, &sim));
    CHECK_OK(scree_sim_create(&def, spheres, v, &alone));
    CHECK_OK(scree_sim_run(sim, 500));
    int64_t failures = 0, first = -1;
    uint64_t hash = scree_sim_hash(sim);
    for (;; ++failures) {
        scree_memory_fail_at(failures + 1);
        scree_status status = scree_sim_insert(sim, one, NULL, NULL, &first);
        scree_memory_fail_at(0);
        if (status == SCREE_OK)
            break;
        assert_int_equal(status, SCREE_ERR_MEMORY);
        assert_true(scree_sim_hash(sim) == hash && scree_sim_get_count(sim) == 3);
    }
    assert_true(failures > 10 && first == 3);
    const int64_t gone[1] = {3};
    CHECK_FAILS(scree_sim_remove(sim, 1, gone), SCREE_ERR_UNSUPPORTED, "bonds");
    CHECK_OK(scree_sim_run(sim, 700));
    CHECK_OK(scree_sim_run(alone, 1200));
    double a[12], b[9];
    CHECK_OK(scree_sim_get_column(sim, "x", a));
    CHECK_OK(scree_sim_get_column(alone, "x", b));
    check_same_bits(a, b, 9, "centres");
    CHECK_OK(scree_sim_get_column(sim, "w", a));
    CHECK_OK(scree_sim_get_column(alone, "w", b));
    check_same_bits(a, b, 9, "spins");
    scree_sim_report with = sim_report_of(sim), without = sim_report_of(alone);
    check_same_bits(&with.dissipated_bonds, &without.dissipated_bonds, 1, "what dashpots took");
    CHECK_OK(scree_sim_validate(sim));
    scree_sim_destroy(sim);
    scree_sim_destroy(alone);
}

// A run that begins from another lets its spheres go: by an outlet, and through walls.
static void outlets_of_a_run_that_begins_from_another(void** state)
{
    (void)state;
    scree_scene given = scene_of("box: {size: [4, 4, 6]}\ngravity: [0, 0, -10]\nspheres:\n- {name: a, count: 40, sizes: 'uniform-size:0.2:0.3', place: random}\n- {name: b, count: 20, sizes: 'mono:0.35', place: random}\n"
                                 "contact: {stiffness: 3000, restitution: 0.3, friction: 0.3}\ntime: {end: 1}\noutput: {formats: [csv]}\n");
    hash_of(&given, "settled", 0, 0);
    scene_free(&given);
    char text[1024];
    snprintf(text, sizeof text, "start: {run: settled}\ngravity: [0, 0, -10]\noutlets: [{name: drain, every_steps: 20, region: {lower: [0, 0, 0], upper: [2, 4, 0.6]}}]\nwalls: {on_crossing: remove}\n"
                                "time: {step: 4e-4, steps: 900}\ncheckpoint: {every: 10000}\noutput: {every_steps: 350, formats: [csv]}\n");
    given = scene_of(text);
    uint64_t wanted = hash_of(&given, "drained", 0, 0);
    double out = last_of("drained", "removed_drain_a") + last_of("drained", "removed_drain_b");
    assert_true(out > 5.0 && last_of("drained", "n") == 60.0 - out - last_of("drained", "crossed_walls_a") - last_of("drained", "crossed_walls_b"));
    assert_true(hash_of(&given, "other", 1, 0) == wanted && hash_of(&given, "other", 4, 0) == wanted && hash_of(&given, "other", 0, 333) == wanted);
    scene_free(&given);
    // A drain that a change opens in the middle takes out fewer, by every way.
    snprintf(text, sizeof text, "start: {run: settled}\ngravity: [0, 0, -10]\noutlets: [{name: drain, closed: true, every_steps: 20, region: {lower: [0, 0, 0], upper: [2, 4, 0.6]}}]\n"
                                "changes: [{at: 0.16, outlets: {drain: {closed: false}}}]\ntime: {step: 4e-4, steps: 900}\ncheckpoint: {every: 10000}\noutput: {every_steps: 380, formats: [csv]}\n");
    given = scene_of(text);
    wanted = hash_of(&given, "later", 0, 0);
    scree_sphere_set before;
    CHECK_OK(scree_read_spheres(in_folder("later/frames/frame_000001.csv"), NULL, &before));
    assert_int_equal(before.count, 60);
    scree_sphere_set_free(&before);
    double less = last_of("later", "removed_drain_a") + last_of("later", "removed_drain_b");
    assert_true(less > 2.0 && less < out && last_of("later", "n") == 60.0 - less);
    assert_true(hash_of(&given, "other", 1, 0) == wanted && hash_of(&given, "other", 0, 333) == wanted && hash_of(&given, "other", 0, 600) == wanted);
    scene_free(&given);
    scree_scene bad;
    snprintf(text, sizeof text, "start: {run: settled}\ninsert: [{rate: 1, region: {at: [1, 1, 1], radius: 1}}]\ntime: {steps: 1}\n");
    CHECK_FAILS(scene_parse("m.yaml", text, strlen(text), &bad), SCREE_ERR_FORMAT, "m.yaml:2:10 | insert");
}

// Frames of tilted boxes can be arrays of NumPy: the file beside them has the tilts.
static void tilted_boxes_beside_arrays(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scree_sphere_set set, again;
        CHECK_OK(scree_sphere_set_make(dim, 2, &set));
        for (int i = 0; i < 2 * dim; ++i)
            set.x[i] = 0.25 * i;
        set.r[0] = set.r[1] = 0.1;
        set.has_box = true;
        set.box = scree_box_sized(dim, (const double[3]){4.0, 5.0, 6.0});
        for (int k = 0; k < dim; ++k)
            set.box.periodic[k] = true;
        set.box.tilt[0] = 0.375;
        set.box.tilt[1] = dim == 3 ? -0.7 : 0.0;
        set.box.tilt[2] = dim == 3 ? 2.5 : 0.0;
        CHECK_OK(scree_write_spheres(in_folder("tilted.npy"), NULL, &set));
        CHECK_OK(scree_read_spheres(in_folder("tilted.npy"), NULL, &again));
        assert_true(again.has_box && memcmp(again.box.tilt, set.box.tilt, sizeof set.box.tilt) == 0 && again.box.periodic[dim - 1] && again.box.upper[1] == 5.0);
        scree_sphere_set_free(&again);
        char* text = get_file(in_folder("tilted.npy.box"), NULL);
        assert_non_null(strstr(text, dim == 3 ? "\"tilt\": [0.375, -0.7, 2.5]," : "\"tilt\": [0.375],"));
        memcpy(strstr(text, "\"tilt\""), "\"tolt\"", 6);
        put_text(in_folder("tilted.npy.box"), text);
        CHECK_FAILS(scree_read_spheres(in_folder("tilted.npy"), NULL, &again), SCREE_ERR_FORMAT, "tilted.npy.box", "'tolt'");
        free(text);
        scree_sphere_set_free(&set);
    }
}

// For the estimate of `scree run --check`: spheres that are to come lie where gravity takes them, and there are as many as the scene wants, on average over the run.
static void an_estimate_has_the_spheres_that_come(void** state)
{
    (void)state;
    static const struct {
        const char *rate, *group;
        int64_t made;
        double mean, within;
    } cases[] = {
        {"rate: 400", "", 400, 200.0, 1e-9},
        {"rate: 400, end: 0.5", "", 200, 150.0, 1e-9},
        {"rate: 400, count: 100", "", 100, 87.5, 0.5},
        {"count: 64, start: 0.25", "", 64, 48.0, 1e-9},
        {"mass_rate: 0.4", "", 318, 159.1, 0.1},                    // 0.4 over the mass of a disc, pi 0.02^2
        {"rate: 1e6", "", 625, 625.0, 10.0},                        // the box has room for 25 x 25
        {"rate: 400", "- {name: old, count: 9, sizes: 'mono:0.02', place: lattice, material_density: 1}\n", 400, 200.0, 1e-9},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        char text[1024];
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        run_filling come;
        snprintf(text, sizeof text, "dimension: 2\nbox: {size: [1, 1]}\ngravity: [0, -9.81]\ncontact: {stiffness: 1e5, restitution: 0.5}\ntime: {step: 2e-5, end: 1}\n"
                 "spheres:\n- {name: new, count: 0, sizes: 'mono:0.02', place: random, material_density: 1}\n%s"
                 "insert:\n- {name: top, group: new, region: {lower: [0.1, 0.7], upper: [0.9, 1]}, %s}\n",
                 cases[c].group, cases[c].rate);
        scree_scene given = scene_of(text);
        CHECK_OK(scree_run_create(&def, &given, NULL, &run));
        int32_t before = scree_sim_get_count(scree_run_get_sim(run));
        CHECK_OK(run_flow_fill(run, &come));
        const int64_t made = come.made;
        if (made != cases[c].made || !(fabs(come.mean - cases[c].mean) <= cases[c].within))
            fail_msg("%s: %d spheres, %g on average; expected %d and %g", cases[c].rate, (int)made, come.mean, (int)cases[c].made, cases[c].mean);
        assert_int_equal(scree_sim_get_count(scree_run_get_sim(run)), before + made);
        assert_int_equal(run->set.count, before + made);
        scree_sim_report report;
        CHECK_OK(scree_sim_measure(scree_run_get_sim(run), &report));
        assert_true(report.contacts > made && report.max_overlap < 2.1e-3 * 0.02 * 2.0);
        double low = 0.0, height = 0.0;  // they lie below, not all over the box
        for (int32_t i = before; i < run->set.count; ++i) {
            low = fmax(low, run->set.x[2 * i + 1]);
            height += run->set.x[2 * i + 1] / (double)made;
        }
        if (c == 0) {  // at a constant rate, of which those of the last `fall` seconds have not yet come down to the mean height
            const double fall = sqrt(2.0 * (0.85 - height) / 9.81);
            CHECK_CLOSE(come.lie, 0.5 * 400.0 * (1.0 - fall) * (1.0 - fall), 0.5);
        }
        assert_true(come.lie > 0.0 && come.lie < come.mean);
        assert_true(low < 0.08 + 0.04 * (double)(made / 25 + (before > 0 ? 3 : 0)));
        CHECK_OK(scree_sim_run(scree_run_get_sim(run), 64));
        CHECK_OK(scree_sim_validate(scree_run_get_sim(run)));
        scree_run_destroy(run);
        // The estimate is of a run with them.
        scree_run_costs costs;
        CHECK_OK(scree_run_create(&def, &given, NULL, &run));
        CHECK_OK(scree_run_estimate(run, &costs));
        assert_int_equal(scree_sim_get_count(scree_run_get_sim(run)), before + made);
        assert_true(costs.seconds_steps > 0.0);
        scree_run_destroy(run);
        scene_free(&given);
    }
}

// Spheres that fall into an outlet leave there. When those leave that lie on something first cannot be known: `least` is as if they left then.
static void an_estimate_has_the_spheres_that_leave(void** state)
{
    (void)state;
    static const struct {
        const char* outlets;
        bool falls;  // into it
    } cases[] = {
        {"- {region: {lower: [0, 0], upper: [1, 0.2]}}", true},
        {"- {region: {lower: [0.9, 0], upper: [1, 0.2]}}", false},
        {"- {region: {lower: [0, 0], upper: [1, 0.2]}, into: top}", false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        char text[1024];
        scree_run_def def = scree_default_run_def();
        scree_run* run;
        run_filling come;
        snprintf(text, sizeof text, "dimension: 2\nbox: {size: [1, 1]}\ngravity: [0, -10]\ncontact: {stiffness: 1e5, restitution: 0.5}\ntime: {step: 2e-5, end: 4}\n"
                 "spheres: {count: 0, sizes: 'mono:0.02', place: random, material_density: 1}\n"
                 "insert:\n- {name: top, rate: 50, every_steps: 100, velocity: [0, -1], region: {lower: [0.1, 0.6], upper: [0.7, 0.8]}}\noutlets:\n%s\n", cases[c].outlets);
        scree_scene given = scene_of(text);
        CHECK_OK(scree_run_create(&def, &given, NULL, &run));
        CHECK_OK(run_flow_fill(run, &come));
        const double fall = (sqrt(1.0 + 2.0 * 10.0 * 0.5) - 1.0) / 10.0, mean = 50.0 * fall * (1.0 - 0.5 * fall / 4.0);  // from 0.7 to 0.2: all at first, and as many after that
        if (cases[c].falls) {
            CHECK_CLOSE(come.mean, mean, 0.02 * mean);
            assert_true((double)come.made <= 50.0 * fall + 1.0);
            assert_true(come.lie == 0.0 && come.least == come.mean);
        } else {
            CHECK_CLOSE(come.mean, 100.0, 1e-9);
            assert_true(come.lie > 50.0);
            assert_true(c == 2 ? come.least == come.mean : come.least > 0.0 && come.least < 20.0);
        }
        CHECK_CLOSE(come.events, 2000.0, 2.0);
        CHECK_CLOSE(come.changes, 200.0, 1.0);
        assert_true(come.look > 0.0 && come.change >= come.look);
        scree_run_destroy(run);
        scree_run_costs costs;
        CHECK_OK(scree_run_create(&def, &given, NULL, &run));
        CHECK_OK(scree_run_estimate(run, &costs));
        assert_true(costs.seconds_min > 0.0 && costs.seconds_min <= costs.seconds_estimated && (c == 1 || costs.seconds_min == costs.seconds_estimated));
        scree_run_destroy(run);
        scene_free(&given);
    }
}

static const test_case cases[] = {
    UNIT(an_estimate_has_the_spheres_that_come),
    UNIT(an_estimate_has_the_spheres_that_leave),
    UNIT(tilted_boxes_beside_arrays),
    SAME_BITS(tilted_boxes),
    SAME_BITS(rain_on_bonds),
    ALLOCATION(bonds_go_on_as_if_nothing_had_happened),
    SAME_BITS(outlets_of_a_run_that_begins_from_another),
};

const test_group group_run_inflow = {.name = "run_inflow", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
