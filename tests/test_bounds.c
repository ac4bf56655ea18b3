// Runs in round containers, contacts by pair of materials in scenes, and what walls feel, in the log and from the simulation.
#include "file_support.h"
#include "sim_support.h"

#include "run/scene_parts.h"
#include "scree/pack.h"
#include "scree/picture.h"
#include "scree/report.h"

static scree_scene scene_of(const char* text)
{
    scree_scene asked;
    CHECK_OK(scene_parse("m.yaml", text, strlen(text), &asked));
    return asked;
}

static scree_run* begin(const char* text, const char* name)
{
    scree_run* run;
    scree_run_def def = scree_default_run_def();
    def.draw = scree_draw_frame;
    scree_scene asked = scene_of(text);
    CHECK_OK(scree_run_create(&def, &asked, name, &run));
    scene_free(&asked);
    return run;
}

static int fields_in(const char* log)
{
    int count = 1;
    for (; *log != '\n'; ++log)
        count += *log == ',';
    return count;
}

// ---- Containers ------------------------------------------------------------------------------------------------------

static scree_sphere_set packing_in(int32_t kind, int dim)
{
    scree_sphere_set set;
    CHECK_OK(scree_sphere_set_make(dim, 60, &set));
    for (int i = 0; i < 60; ++i)
        set.r[i] = 0.1 + 0.001 * i;
    set.has_box = true;
    set.box = scree_box_sized(dim, (double[]){2.0, 2.0, kind == SCREE_CONTAINER_CYLINDER ? 3.0 : 2.0});
    if (dim == 2)
        for (int i = 0; i < 60; ++i)
            set.r[i] *= 0.5;
    set.container = kind;
    scree_place_def def = scree_default_place_def();
    def.box = set.box;
    def.container = kind;
    CHECK_OK(scree_place_random(&def, set.count, set.r, set.x));
    return set;
}

static const struct {
    int32_t kind;
    int dim;
    const char* boundary;
} round_ones[] = {{SCREE_CONTAINER_CYLINDER, 3, "cylinder_6"}, {SCREE_CONTAINER_SPHERE, 3, "sphere_6"}, {SCREE_CONTAINER_SPHERE, 2, "sphere_6"}};

#define FALLING "contact: {stiffness: 2e3, restitution: 0.5}\ntime: {step: 2e-4, steps: 4000}\ncheckpoint: {every: 2000}\n"

static void check_picture(const scree_sphere_set* frame)
{
    scree_picture_def look = scree_default_picture_def();
    look.width = 1280;
    look.height = 960;
    for (int k = 0; k < frame->dim; ++k) {
        look.view[k][0] = 0.0;
        look.view[k][1] = frame->box.upper[k];
    }
    size_t drawn_size, wanted_size;
    CHECK_OK(scree_write_picture(in_folder("wanted.png"), frame, &look));
    char *drawn = get_file(in_folder("run/pictures/picture_000001.png"), &drawn_size), *wanted = get_file(in_folder("wanted.png"), &wanted_size);
    assert_true(drawn_size == wanted_size && memcmp(drawn, wanted, drawn_size) == 0);
    free(drawn);
    free(wanted);
}

// The trajectory is that of a simulation in the container; frames have it, and so has what goes on from a checkpoint.
static void a_packing_runs_in_its_container(void** state)
{
    (void)state;
    for (size_t c = 0; c < sizeof round_ones / sizeof *round_ones; ++c) {
        int dim = round_ones[c].dim;
        int32_t kind = round_ones[c].kind;
        scree_sphere_set set = packing_in(kind, dim), frame;
        scree_container container = {.kind = kind, .box = set.box};
        char text[1024], column[64];
        CHECK_OK(scree_write_spheres(in_folder("round.vtp"), NULL, &set));
        snprintf(text, sizeof text, "dimension: %d\ngravity: %s\nspheres: {file: \"%s\"}\noutput: {pictures: %s}\n" FALLING, dim, dim == 2 ? "[3, -9]" : "[3, 0, -9]", in_folder("round.vtp"),
                 c == 0 ? "true" : "false");
        scree_run* run = begin(text, in_folder("run"));
        CHECK_OK(scree_run_go(run));
        uint64_t hash = scree_run_hash(run);
        assert_int_equal(scree_sim_get_boundaries(scree_run_get_sim(run), NULL, 0), 7);
        CHECK_CLOSE(scree_sim_get_volume(scree_run_get_sim(run)), scree_container_volume(&container), 1e-14);
        scree_run_destroy(run);

        scree_sim_def def = scree_default_sim_def();
        def.box = set.box;
        def.container = kind;
        def.gravity[0] = 3.0;
        def.gravity[dim - 1] = -9.0;
        def.stiffness = 2e3;
        def.restitution = 0.5;
        def.time_step = 2e-4;
        scree_sim* sim;
        CHECK_OK(scree_sim_create(&def, scree_sphere_set_view(&set), NULL, &sim));
        CHECK_OK(scree_sim_run(sim, 4000));
        assert_true(scree_sim_hash(sim) == hash);
        scree_sim_destroy(sim);

        // They lie on the round wall, inside.
        CHECK_OK(scree_read_spheres(in_folder("run/frames/frame_000001.vtp"), NULL, &frame));
        assert_int_equal(frame.container, kind);
        for (int32_t i = 0; i < frame.count; ++i)
            assert_true(scree_container_depth(&container, frame.x + (int64_t)i * dim, frame.r[i]) < 0.1 * frame.r[i]);
        char* log = get_file(in_folder("run/log.csv"), NULL);
        snprintf(column, sizeof column, "force_%s_x", round_ones[c].boundary);
        assert_true(value_in(log, 1, column) > 0.0);
        assert_true(isnan(value_in(log, 1, "force_lower_x_x")));
        assert_true(isnan(value_in(log, 1, "force_lower_z_z")) == (kind != SCREE_CONTAINER_CYLINDER));

        // The picture is drawn around the container.
        if (c == 0)
            check_picture(&frame);

        remove_all(in_folder("run/checkpoint_000000004000.npz"));
        scree_run_def again = scree_default_run_def();
        again.draw = scree_draw_frame;
        CHECK_OK(scree_run_resume(&again, in_folder("run"), &run));
        assert_int_equal(scree_sim_get_step(scree_run_get_sim(run)), 2000);
        CHECK_OK(scree_run_go(run));
        assert_true(scree_run_hash(run) == hash);
        if (c == 0) {
            CHECK_OK(scree_run_write_report(run));
            char* page = get_file(in_folder("run/report.html"), NULL);
            assert_non_null(strstr(page, "volume fraction of the container"));
            free(page);
        }
        scree_run_destroy(run);
        char* log_again = get_file(in_folder("run/log.csv"), NULL);
        assert_true(value_in(log, 1, column) == value_in(log_again, 1, column));

        // A finished run that is looked at again knows what its walls felt; its simulation alone knows it no more, because contacts are damped.
        scree_sim_boundary_report felt[7];
        CHECK_OK(scree_run_resume(&again, in_folder("run"), &run));
        assert_int_equal(scree_run_get_boundaries(run, felt, 7), 7);
        assert_true(felt[6].force[0] == value_in(log, 1, column) && felt[6].present);
        snprintf(column, sizeof column, "torque_%s_%c", round_ones[c].boundary, dim == 2 ? 'z' : 'x');
        assert_true(felt[6].torque[dim == 2 ? 2 : 0] == value_in(log, 1, column));
        scree_run_destroy(run);
        free(log);
        free(log_again);
        remove_all(in_folder("run"));

        // Round walls do not move, and the line is named although only the file knows of them.
        for (int late = 0; late < 2; ++late) {
            snprintf(text, sizeof text, "dimension: %d\nspheres: {file: \"%s\"}\n" FALLING "%s", dim, in_folder("round.vtp"),
                     late ? "changes:\n- {at: 1e-3, walls: {x: [0, 0.5]}}\n" : "walls: {x: [0, 0.5]}\n");
            scree_scene asked = scene_of(text);
            CHECK_FAILS(scree_run_create(&again, &asked, NULL, &run), SCREE_ERR_ARGUMENT, late ? "m.yaml:7 | changes.walls.x" : "m.yaml:6 | walls.x", "0.5");
            scene_free(&asked);
        }
        scree_sphere_set_free(&frame);
        scree_sphere_set_free(&set);
    }
}

#define MADE "spheres: {count: 40, sizes: 'uniform-size:0.05:0.1', place: random}\n"
#define SHORT "contact: {stiffness: 1e3, restitution: 0.5}\ntime: {steps: 3}\n"

static void scenes_make_containers(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        double density;  // 0: whatever it is
    } cases[] = {
        {"box: {size: [1, 1, 2], origin: [5, -3, 2], container: cylinder}\n" MADE SHORT, 0.0},
        {"box: {size: [1.5, 1.5, 1.5], container: sphere}\n" MADE SHORT, 0.0},
        {"dimension: 2\nbox: {size: [2, 2], container: sphere}\n" MADE SHORT, 0.0},
        {"box: {container: cylinder, aspect: [1, 1, 3]}\nspheres: {count: 40, sizes: 'uniform-size:0.05:0.1', place: random, density: 0.15}\n" SHORT, 0.15},
        {"box: {container: sphere}\nspheres: {count: 40, sizes: 'uniform-size:0.05:0.1', place: random, density: 0.1}\n" SHORT, 0.1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        scree_sphere_set set;
        scree_scene asked = scene_of(cases[c].text);
        CHECK_OK(scree_scene_make_spheres(&asked, (scree_watch){0}, &set));
        scree_container container = {.kind = set.container, .box = set.box};
        assert_int_equal(set.container, asked.sim.container);
        assert_true(set.container != SCREE_CONTAINER_BOX);
        for (int32_t i = 0; i < set.count; ++i)
            assert_true(scree_container_depth(&container, set.x + (int64_t)i * set.dim, set.r[i]) <= 0.0);
        if (cases[c].density > 0.0)
            CHECK_CLOSE(scree_spheres_volume(scree_sphere_set_view(&set)) / scree_container_volume(&container), cases[c].density, 1e-14);
        scree_sphere_set_free(&set);
        scene_free(&asked);
        scree_run* run = begin(cases[c].text, in_folder("run"));
        CHECK_OK(scree_run_go(run));
        scree_run_destroy(run);
        remove_all(in_folder("run"));
    }
}

// ---- Pairs -----------------------------------------------------------------------------------------------------------

#define THREE "materials: {glass: {material_density: 2500}, steel: {material_density: 7850}, rubber: {material_density: 1100}}\n"
#define ALL_PERIODIC "box: {size: [1, 1, 1], periodic: [x, y, z]}\n"
#define WALLED "box: {size: [1, 1, 1], periodic: [x, y]}\n"
#define ONE(name) "spheres: {count: 9, sizes: 'mono:0.05', place: random, material: " name "}\n"
#define TWO "spheres:\n- {count: 3, sizes: 'mono:0.05', place: random, material: glass}\n- {count: 3, sizes: 'mono:0.05', place: random, material: steel}\n"

static void scenes_that_are_refused(void** state)
{
    (void)state;
    static const struct {
        const char *text, *parts;
    } cases[] = {
        // Containers.
        {"box: {size: [1, 1, 2], container: drum}\n" MADE SHORT, "m.yaml:1:35 | box.container | 'drum' | cylinder"},
        {"box: {size: [1, 3, 2], container: cylinder}\n" MADE SHORT, "m.yaml:1:35 | box.container | y | 3"},
        {"box: {size: [1, 1, 2], container: sphere}\n" MADE SHORT, "m.yaml:1:35 | box.container | z | 2"},
        {"box: {size: [1, 1, 2], periodic: [x], container: cylinder}\n" MADE SHORT, "m.yaml:1:50 | box.container | x"},
        {"dimension: 2\nbox: {size: [1, 1], container: cylinder}\n" MADE SHORT, "m.yaml:2:32 | box.container"},
        {"box: {container: sphere}\nspheres: {file: a.vtp}\n" SHORT, "m.yaml:1:7 | box.container"},
        {"box: {size: [1, 1, 2], container: cylinder}\nspheres: {count: 4, sizes: 'mono:0.1', place: lattice}\n" SHORT, "m.yaml:2:47 | spheres.place | lattice | cylinder"},
        {"box: {size: [1, 1, 1], container: sphere}\nspheres: [{count: 4, sizes: 'mono:0.1', place: grow}]\n" SHORT, "m.yaml:2:48 | spheres.place | grow | sphere"},
        {"box: {size: [1, 1, 2], container: cylinder}\nwalls: {y: [0, 1]}\n" MADE SHORT, "m.yaml:2:12 | walls.y"},
        {"box: {size: [1, 1, 1], container: sphere}\nchanges: [{at: 0, walls: {z: [0, 1]}}]\n" MADE SHORT, "m.yaml:2:30 | changes.walls.z"},
        {"dimension: 2\nbox: {size: [1, 1], container: sphere}\nbodies: [{points: [[0, 0], [1, 0], [0, 1]]}]\n" SHORT, "m.yaml:2:21 | box.container | bodies"},
        // Entries of pairs.
        {ALL_PERIODIC SHORT MADE "pairs:\n- {between: [glass, glass], stiffness: 1}\n", "m.yaml:6:1 | pairs | materials"},
        {ALL_PERIODIC SHORT THREE ONE("glass") "pairs:\n- {stiffness: 1}\n", "m.yaml:7:3 | pairs.between"},
        {ALL_PERIODIC SHORT THREE ONE("glass") "pairs:\n- {between: [glass], stiffness: 1}\n", "m.yaml:7:13 | pairs.between"},
        {ALL_PERIODIC SHORT THREE ONE("glass") "pairs:\n- {between: [glass, stel], stiffness: 1}\n", "m.yaml:7:21 | pairs.between | 'stel' | steel"},
        {ALL_PERIODIC SHORT THREE ONE("glass") "pairs:\n- {between: [glass, glass]}\n", "m.yaml:7:3 | pairs"},
        {ALL_PERIODIC SHORT THREE ONE("glass") "pairs:\n- {between: [glass, steel], stiffness: 1}\n- {between: [steel, glass], stiffness: 1}\n",
         "m.yaml:8:3 | pairs | entry 1 | steel | glass"},
        {ALL_PERIODIC "time: {steps: 3}\n" THREE ONE("glass") "pairs:\n- {between: [glass, glass], stiffness: 1, damping: 1, restitution: 1}\n", "m.yaml:6:55 | pairs.restitution | pairs.damping"},
        {ALL_PERIODIC "time: {steps: 3}\n" THREE ONE("glass") "pairs:\n- {between: [glass, glass], stiffness: 1, damping: 1}\n- {between: [glass, steel], restitution: 1}\n",
         "m.yaml:7:42 | pairs.restitution | entry 1"},
        {ALL_PERIODIC "time: {steps: 3}\ncontact: {duration: 1}\n" THREE ONE("glass") "pairs:\n- {between: [glass, glass], stiffness: 1}\n", "m.yaml:3:11 | contact.duration | pairs.stiffness"},
        {ALL_PERIODIC "time: {steps: 3}\ncontact: {stiffness: 1, restitution: 1}\n" THREE ONE("glass") "pairs:\n- {between: [glass, glass], damping: 1}\n",
         "m.yaml:3:25 | contact.restitution | pairs.damping"},
        {ALL_PERIODIC "time: {steps: 3}\ncontact: {stiffness: 1, damping: 0}\n" THREE ONE("glass") "pairs:\n- {between: [glass, glass], restitution: 1}\n",
         "m.yaml:3:25 | contact.damping | pairs.restitution"},
        // What can meet.
        {ALL_PERIODIC "time: {steps: 3}\n" THREE TWO "pairs:\n- {between: [glass, glass], stiffness: 1}\n- {between: [steel, steel], stiffness: 1}\n",
         "m.yaml:8:1 | pairs | - {between: [glass, steel], stiffness: NUMBER}"},
        {ALL_PERIODIC "time: {steps: 3}\ncontact: {stiffness: 1}\n" THREE TWO "pairs:\n- {between: [glass, glass], restitution: 1}\n- {between: [glass, steel], restitution: 1}\n",
         "m.yaml:9:1 | pairs | - {between: [steel, steel], restitution: NUMBER}"},
        {ALL_PERIODIC "time: {steps: 3}\n" THREE ONE("glass") "pairs:\n- {between: [glass, glass], restitution: 1}\n", "contact.stiffness"},
        {ALL_PERIODIC "time: {steps: 3}\n" THREE TWO
                      "pairs:\n- {between: [glass, glass], stiffness: 1, damping: 1}\n- {between: [steel, steel], stiffness: 1, damping: 1}\n- {between: [glass, steel], stiffness: 1}\n",
         "m.yaml:10:3 | pairs | glass | steel | damping"},
        {WALLED SHORT THREE ONE("glass") "pairs:\n- {between: [glass, glass], stiffness: 1}\n", "m.yaml:7:1 | walls.material | walls: {material: glass}"},
        {WALLED "time: {steps: 3}\nwalls: {material: rubber}\n" THREE ONE("glass") "pairs:\n- {between: [glass, glass], stiffness: 1}\n",
         "m.yaml:7:1 | - {between: [glass, rubber], stiffness: NUMBER}"},
        {WALLED SHORT THREE ONE("glass") "walls: {material: steel}\n", "m.yaml:6:9 | walls.material | pairs"},
        {"dimension: 2\nbox: {size: [1, 1]}\nbodies: [{points: [[0, 0], [1, 0], [0, 1]]}]\n" SHORT THREE "pairs: [{between: [glass, glass], stiffness: 1}]\n",
         "m.yaml:3:10 | bodies.material"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        scree_scene asked;
        CHECK_FAILS(scene_parse("m.yaml", cases[c].text, strlen(cases[c].text), &asked), SCREE_ERR_FORMAT, cases[c].parts);
    }
}

// What must not be said: values for pairs that cannot meet, and the material of walls where it makes no difference or there are none.
static void nothing_needless_is_asked_for(void** state)
{
    (void)state;
    static const char* const texts[] = {
        ALL_PERIODIC "time: {steps: 3}\n" THREE ONE("steel") "pairs: [{between: [steel, steel], stiffness: 100}]\n",
        ALL_PERIODIC "time: {steps: 3}\n" THREE "spheres:\n- {count: 3, sizes: 'mono:0.05', place: random, material: glass}\n"
                     "- {count: 3, sizes: 'mono:0.05', place: random, material: steel, fixed: true}\n"
                     "pairs: [{between: [glass, glass], stiffness: 100}, {between: [glass, steel], stiffness: 100}]\n",
        WALLED "time: {steps: 3}\n" THREE ONE("steel") "pairs:\n- {between: [steel, glass], stiffness: 100}\n- {between: [steel, steel], stiffness: 100}\n- {between: [steel, rubber], stiffness: 100}\n",
        WALLED "time: {steps: 3}\nmaterials: {a: {material_density: 1}}\n" ONE("a") "pairs: [{between: [a, a], stiffness: 100, restitution: 0.5}]\n",
        WALLED "time: {steps: 3}\ncontact: {stiffness: 100}\nwalls: {material: rubber}\n" THREE TWO "pairs: [{between: [glass, steel], stiffness: 200}]\n",
    };
    for (size_t c = 0; c < sizeof texts / sizeof *texts; ++c) {
        scree_run* run = begin(texts[c], NULL);
        scree_run_destroy(run);
    }
    // The box of a file shows its walls only when it is read.
    scree_sphere_set set = packing_in(SCREE_CONTAINER_SPHERE, 3);
    scree_run_def def = scree_default_run_def();
    scree_run* run;
    char text[1024];
    CHECK_OK(scree_write_spheres(in_folder("round.vtp"), NULL, &set));
    snprintf(text, sizeof text, "time: {steps: 3}\n" THREE "spheres: {file: \"%s\", material: glass}\npairs: [{between: [glass, glass], stiffness: 100}]\n", in_folder("round.vtp"));
    scree_scene asked = scene_of(text);
    CHECK_FAILS(scree_run_create(&def, &asked, NULL, &run), SCREE_ERR_ARGUMENT, "m.yaml:4:8 | walls.material | walls: {material: glass}");
    scene_free(&asked);
    scree_sphere_set_free(&set);
}

enum { collisions = 6 };
static const int met[collisions][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
static const double density_of[3] = {2500.0, 7850.0, 1100.0}, radius_of[3] = {0.01, 0.012, 0.015};

// One collision along x by the rules of the simulation and nothing else: velocity Verlet, the dashpot with predicted velocities. Steps with contact in *touching.
static void step_pair(double k, double g, const double m[2], double reach, double step, int steps, double x[2], double v[2], int* touching)
{
    double a[2] = {0.0, 0.0};
    *touching = 0;
    for (int n = 0; n < steps; ++n) {
        double p[2];
        for (int i = 0; i < 2; ++i) {
            v[i] += 0.5 * step * a[i];
            x[i] += step * v[i];
            p[i] = v[i] + 0.5 * step * a[i];
        }
        double overlap = reach - (x[1] - x[0]), force = overlap > 0.0 ? k * overlap - g * (p[1] - p[0]) : 0.0;
        *touching += overlap > 0.0;
        a[0] = -force / m[0];
        a[1] = force / m[1];
        for (int i = 0; i < 2; ++i)
            v[i] += 0.5 * step * a[i];
    }
}

// The six pairs of three materials meet, each on its own line: four spheres of each material, two of which meet each other.
static void write_groups(const char* const names[3])
{
    for (int g = 0; g < 3; ++g) {
        char text[1024] = "x,y,z,r,velocity_x,velocity_y,velocity_z\n";
        for (int c = 0; c < collisions; ++c)
            for (int side = 0; side < 2; ++side)
                if (met[c][side] == g)
                    snprintf(text + strlen(text), sizeof text - strlen(text), "%.17g,%.17g,0.5,%.17g,%d,0,0\n", side == 0 ? 0.46 : 0.54, 0.1 + 0.15 * c, radius_of[g],
                             side == 0 ? 1 : -1);
        put_text(in_folder(names[g]), text);
    }
}

// By the number in the scene: entries one after the other.
static void find_spheres(int ids[collisions][2])
{
    int next = 0;
    for (int g = 0; g < 3; ++g)
        for (int c = 0; c < collisions; ++c)
            for (int side = 0; side < 2; ++side)
                if (met[c][side] == g)
                    ids[c][side] = next++;
}

static void check_pairs(bool restituted)
{
    static const char* const files[3] = {"glass.csv", "steel.csv", "rubber.csv"};
    static const char* const names[3] = {"glass", "steel", "rubber"};
    // The last two are not in the scene's list: contact says them for all.
    double k[collisions] = {1e4, 3e4, 2e3, 2e4, 5e3, 5e3}, loss[collisions] = {0.9, 0.6, 0.3, 0.8, 0.5, 0.5}, step = 1e-5;
    int steps = 6000, ids[collisions][2];
    for (int c = 0; c < collisions && !restituted; ++c)
        loss[c] *= 3.0;
    char text[2048], list[512] = "";
    write_groups(files);
    find_spheres(ids);
    for (int c = 0; c < 4; ++c)
        snprintf(list + strlen(list), sizeof list - strlen(list), "- {between: [%s, %s], stiffness: %.17g, %s: %.17g}\n", names[met[c][c % 2]], names[met[c][1 - c % 2]],
                 k[c], restituted ? "restitution" : "damping", loss[c]);
    snprintf(text, sizeof text,
             "box: {size: [1, 1, 1], periodic: [x, y, z]}\n" THREE "spheres:\n- {file: \"%s\", material: glass, velocity: file}\n- {file: \"%s\", material: steel, velocity: file}\n"
             "- {file: \"%s\", material: rubber, velocity: file}\ncontact: {stiffness: %.17g, %s: %.17g}\npairs:\n%stime: {step: %.17g, steps: %d}\ncheckpoint: {every: 2000}\n",
             in_folder(files[0]), in_folder(files[1]), in_folder(files[2]), k[5], restituted ? "restitution" : "damping", loss[5], list, step, steps);
    scree_run* run = begin(text, in_folder("run"));
    scree_sim* sim = scree_run_get_sim(run);
    double x[36], v[36];
    CHECK_OK(scree_sim_get_column(sim, "x", x));
    CHECK_OK(scree_sim_get_column(sim, "v", v));
    CHECK_OK(scree_run_go(run));
    uint64_t hash = scree_run_hash(run);
    double after_x[36], after_v[36];
    CHECK_OK(scree_sim_get_column(sim, "x", after_x));
    CHECK_OK(scree_sim_get_column(sim, "v", after_v));
    scree_run_destroy(run);
    for (int c = 0; c < collisions; ++c) {
        int touching;
        double m[2], at[2], speed[2];
        for (int side = 0; side < 2; ++side) {
            m[side] = sim_test_mass(3, density_of[met[c][side]], radius_of[met[c][side]]);
            at[side] = x[3 * ids[c][side]];
            speed[side] = v[3 * ids[c][side]];
        }
        double mu = m[0] * m[1] / (m[0] + m[1]), g = restituted ? dashpot_of(k[c], loss[c], mu) : loss[c];
        swing closed = swing_of(k[c], g, mu);
        step_pair(k[c], g, m, radius_of[met[c][0]] + radius_of[met[c][1]], step, steps, at, speed, &touching);
        for (int side = 0; side < 2; ++side) {
            CHECK_CLOSE(after_x[3 * ids[c][side]], at[side], 1e-11);
            CHECK_CLOSE(after_v[3 * ids[c][side]], speed[side], 1e-9);
        }
        CHECK_CLOSE((after_v[3 * ids[c][1]] - after_v[3 * ids[c][0]]) / 2.0, closed.restitution, 3e-3);
        CHECK_CLOSE(touching * step, closed.duration, 1.5 * step);
    }

    // The same from the matrices, without a scene.
    double stiffness[9], losses[9];
    for (int c = 0; c < collisions; ++c)
        for (int side = 0; side < 2; ++side) {
            stiffness[3 * met[c][side] + met[c][1 - side]] = k[c];
            losses[3 * met[c][side] + met[c][1 - side]] = loss[c];
        }
    uint16_t material[12];
    double density[12], r[12];
    for (int i = 0; i < 12; ++i) {
        material[i] = (uint16_t)(i / 4);
        density[i] = density_of[i / 4];
        r[i] = radius_of[i / 4];
    }
    scree_sim_each each = scree_default_sim_each();
    each.material = material;
    each.material_density = density;
    scree_sim_law law = scree_default_sim_law();
    law.material_count = 3;
    scree_sim_pair pairs[9];
    sim_pairs(9, stiffness, restituted ? NULL : losses, restituted ? losses : NULL, pairs);
    law.pairs = pairs;
    scree_sim_def def = scree_default_sim_def();
    def.box = sim_cube(3, 1.0, true);
    def.each = &each;
    def.law = &law;
    def.time_step = step;
    CHECK_OK(scree_sim_create(&def, (scree_spheres){.count = 12, .dim = 3, .x = x, .r = r}, v, &sim));
    CHECK_OK(scree_sim_run(sim, steps));
    assert_true(scree_sim_hash(sim) == hash);
    scree_sim_destroy(sim);

    // scene.yaml has them: a resume goes on with the same contacts.
    scree_run_def again = scree_default_run_def();
    remove_all(in_folder("run/checkpoint_000000006000.npz"));
    CHECK_OK(scree_run_resume(&again, in_folder("run"), &run));
    assert_int_equal(scree_run_get_scene(run)->pair_count, 4);
    CHECK_OK(scree_run_go(run));
    assert_true(scree_run_hash(run) == hash);
    scree_run_destroy(run);
    remove_all(in_folder("run"));
}

static void pairs_collide_as_specified(void** state)
{
    (void)state;
    check_pairs(true);
    check_pairs(false);
}

// A sphere of each material falls on a floor of rubber, and bounces by the pair of the two.
static void walls_have_their_material(void** state)
{
    (void)state;
    static const char* const names[3] = {"glass", "steel", "rubber"};
    static const double bounce[3] = {0.9, 0.7, 0.4};
    for (int round = 0; round < 2; ++round)
        for (int g = 0; g < 3; ++g) {
            char text[1024];
            put_text(in_folder("one.csv"), "x,y,z,r,velocity_x,velocity_y,velocity_z\n0.5,0.5,0.12,0.1,0,0,-1\n");
            snprintf(text, sizeof text,
                     "box: {size: [1, 1, 1]%s}\nwalls: {material: rubber}\n" THREE "spheres: {file: \"%s\", material: %s, velocity: file}\n"
                     "contact: {stiffness: 1e6}\npairs:\n- {between: [glass, rubber], restitution: 0.9}\n- {between: [rubber, steel], restitution: 0.7}\n- {between: [rubber, rubber], restitution: 0.4}\n"
                     "- {between: [glass, glass], restitution: 1}\n- {between: [steel, steel], restitution: 1}\ntime: {end: 0.08}\n",
                     round ? ", container: sphere" : "", in_folder("one.csv"), names[g]);
            scree_run* run = begin(text, in_folder("run"));
            CHECK_OK(scree_run_go(run));
            double v[3];
            CHECK_OK(scree_sim_get_column(scree_run_get_sim(run), "v", v));
            CHECK_CLOSE(v[2], bounce[g], 5e-3);
            scree_run_destroy(run);
            remove_all(in_folder("run"));
        }
}

static void laws_without_memory(void** state)
{
    (void)state;
    static const char text[] = WALLED "time: {steps: 3}\ncontact: {stiffness: 100, damping: 0}\nwalls: {material: rubber}\n" THREE TWO "pairs: [{between: [glass, steel], stiffness: 200, damping: 1}]\n";
    scree_scene asked;
    scree_scene_law law;
    scree_sphere_set set;
    EACH_ALLOCATION_FAILS(scene_parse("m.yaml", text, strlen(text), &asked), assert_null(asked.pairs));
    CHECK_OK(scree_scene_make_spheres(&asked, (scree_watch){0}, &set));
    EACH_ALLOCATION_FAILS(scree_scene_make_law(&asked, &set, &law), assert_null(law.law.pairs));
    assert_int_equal(law.wall_material, 2);
    assert_int_equal(law.law.material_count, 3);
    const scree_sim_pair* pairs = law.law.pairs;
    assert_true(pairs[1].stiffness == 200.0 && pairs[3].stiffness == 200.0 && pairs[8].stiffness == 100.0 && pairs[1].damping == 1.0 && pairs[0].damping == 0.0);
    assert_true(law.stiffness == 0.0 && law.damping == 0.0 && pairs[1].restitution == 0.0);
    scree_scene_law_free(&law);
    assert_null(law.law.pairs);
    scree_sphere_set_free(&set);
    asked.pairs[0].between[1] = 3;  // of a scene that was made by a program
    CHECK_FAILS(scree_scene_make_law(&asked, &set, &law), SCREE_ERR_ARGUMENT, "entry 1 | material 3");
    int64_t materials = asked.material_count;
    asked.material_count = 0;
    CHECK_FAILS(scree_scene_make_law(&asked, &set, &law), SCREE_ERR_ARGUMENT, "0 materials");
    asked.material_count = materials;
    scene_free(&asked);
}

// ---- What walls feel -------------------------------------------------------------------------------------------------

// Spheres on top of each other, each where its weight and that of those above press it to.
static void a_column_presses_with_its_weight(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        enum { count = 6 };
        double k = 1e6, g = 9.81, z = 0.0, weight = 0.0, r[count];
        char text[2048] = "";
        for (int i = 0; i < count; ++i) {
            r[i] = 0.05 + 0.01 * (i % 3);
            weight += g * sim_test_mass(dim, 2000.0, r[i]);
        }
        snprintf(text, sizeof text, dim == 2 ? "x,y,r\n" : "x,y,z,r\n");
        double above = weight;
        for (int i = 0; i < count; ++i) {
            z += (i == 0 ? 0.0 : r[i - 1]) + r[i] - above / k;
            above -= g * sim_test_mass(dim, 2000.0, r[i]);
            snprintf(text + strlen(text), sizeof text - strlen(text), dim == 2 ? "0.3,%.17g,%.17g\n" : "0.3,0.4,%.17g,%.17g\n", z, r[i]);
        }
        put_text(in_folder("column.csv"), text);
        snprintf(text, sizeof text,
                 "dimension: %d\nbox: {size: %s}\ngravity: %s\nspheres: {file: \"%s\", material_density: 2000}\ncontact: {stiffness: %g, restitution: 0.5}\ntime: {steps: 200}\n", dim,
                 dim == 2 ? "[1, 2]" : "[1, 1, 2]", dim == 2 ? "[0, -9.81]" : "[0, 0, -9.81]", in_folder("column.csv"), k);
        scree_run* run = begin(text, in_folder("run"));
        CHECK_OK(scree_run_go(run));
        if (dim == 2) {
            CHECK_OK(scree_run_write_report(run));
            char* page = get_file(in_folder("run/report.html"), NULL);
            assert_non_null(strstr(page, "force lower y"));
            free(page);
        }
        scree_run_destroy(run);
        char* log = get_file(in_folder("run/log.csv"), NULL);
        const char *force = dim == 2 ? "force_lower_y_y" : "force_lower_z_z", *across = dim == 2 ? "torque_lower_y_z" : "torque_lower_z_x";
        for (int row = 0; row < 2; ++row) {
            CHECK_CLOSE(value_in(log, row, force) / -weight, 1.0, 1e-6);
            CHECK_CLOSE(value_in(log, row, across) / (dim == 2 ? -0.3 * weight : -0.4 * weight), 1.0, 1e-6);
            assert_true(value_in(log, row, dim == 2 ? "force_upper_x_x" : "force_upper_y_y") == 0.0);
            assert_true(value_in(log, row, "power_lower_x") == 0.0);
        }
        if (dim == 3)
            CHECK_CLOSE(value_in(log, 1, "torque_lower_z_y") / (0.3 * weight), 1.0, 1e-6);
        assert_int_equal(fields_in(log), dim == 2 ? 23 + 4 * 4 : 26 + 6 * 7);
        assert_int_equal(fields_in(log), fields_in(strchr(log, '\n') + 1));
        free(log);
        remove_all(in_folder("run"));
    }
}

// Rows of walls among the contacts, added up by wall.
static void forces_are_those_of_the_contacts(void** state)
{
    (void)state;
    for (int c = 0; c < 3; ++c) {
        char text[512];
        snprintf(text, sizeof text, "%s" "gravity: [4, 2, -9]\nspheres: {count: 150, sizes: 'uniform-size:0.03:0.06', place: random}\ncontact: {stiffness: 50, restitution: 0.6}\ntime: {step: 2e-4, steps: 2500}\n",
                 c == 0   ? "box: {size: [1, 1, 1]}\nwalls: {z: [0, -0.1]}\n"
                 : c == 1 ? "box: {size: [1, 1, 1], periodic: [z], container: cylinder}\n"
                          : "box: {size: [1.2, 1.2, 1.2], container: sphere}\n");
        scree_run* run = begin(text, in_folder("run"));
        CHECK_OK(scree_run_go(run));
        scree_sim* sim = scree_run_get_sim(run);
        scree_sim_boundary_report felt[7];
        int32_t count = scree_sim_get_boundaries(sim, felt, 7);
        assert_int_equal(count, c == 0 ? 6 : 7);
        scree_sim_contacts contacts;
        CHECK_OK(scree_sim_get_contacts(sim, &contacts));
        double sum[7][3] = {{0.0}}, torque[7][3] = {{0.0}}, size = 0.0, power = 0.0, x[3 * 150], r[150];
        CHECK_OK(scree_sim_get_column(sim, "x", x));
        CHECK_OK(scree_sim_get_column(sim, "radius", r));
        int64_t counted[7] = {0}, present = 0;
        assert_true(contacts.count > contacts.pair_count);
        for (int64_t e = contacts.pair_count; e < contacts.count; ++e) {
            int64_t b = -1 - contacts.ij[e][1];
            int64_t i = contacts.ij[e][0];
            ++counted[b];
            for (int k = 0; k < 3; ++k) {
                int l = (k + 1) % 3, m = (k + 2) % 3;
                double reach = r[i] - contacts.overlap[e], arm_l = x[3 * i + l] - reach * contacts.normal[e][l] - felt[b].at[l],
                       arm_m = x[3 * i + m] - reach * contacts.normal[e][m] - felt[b].at[m];
                torque[b][k] -= arm_l * contacts.force[e][m] - arm_m * contacts.force[e][l];
                sum[b][k] -= contacts.force[e][k];
                size += fabs(contacts.force[e][k]);
            }
            power += b == 5 ? -0.1 * contacts.force[e][2] : 0.0;
        }
        for (int32_t b = 0; b < count; ++b) {
            present += felt[b].present;
            assert_int_equal(felt[b].contacts, counted[b]);
            for (int k = 0; k < 3; ++k) {
                CHECK_CLOSE(felt[b].force[k], sum[b][k], 1e-12 * size);
                CHECK_CLOSE(felt[b].torque[k], torque[b][k], 1e-12 * size);
            }
        }
        for (int k = 0; k < 3 && c == 2; ++k)  // all forces point away from the middle
            CHECK_CLOSE(felt[6].torque[k], 0.0, 1e-12 * size);
        CHECK_CLOSE(felt[5].power, power, 1e-12 * size);
        assert_int_equal(present, c == 0 ? 6 : 1);
        char* log = get_file(in_folder("run/log.csv"), NULL);
        assert_true(value_in(log, 1, c == 0 ? "force_upper_x_x" : c == 1 ? "force_cylinder_6_x" : "force_sphere_6_x") == felt[c == 0 ? 1 : 6].force[0]);
        free(log);
        scree_run_destroy(run);
        remove_all(in_folder("run"));
    }
}

// F = k overlap + g speed on a sphere at rest: on the piston the opposite, with its torque about the axis and the power that it gives.
static void a_piston_feels_one_sphere(void** state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        char text[512];
        double k = 1000.0, g = 3.0, speed = 0.5, overlap = 0.01, force = k * overlap + g * speed;
        put_text(in_folder("one.csv"), dim == 2 ? "x,y,r\n0.3,0.81,0.2\n" : "x,y,z,r\n0.3,0.4,0.81,0.2\n");
        snprintf(text, sizeof text, "dimension: %d\nbox: {size: %s}\nwalls: {%c: [0, -0.5]}\nspheres: {file: \"%s\"}\ncontact: {stiffness: 1000, damping: 3}\ntime: {steps: 1}\n", dim,
                 dim == 2 ? "[1, 1]" : "[1, 1, 1]", dim == 2 ? 'y' : 'z', in_folder("one.csv"));
        scree_run* run = begin(text, in_folder("run"));
        scree_run_destroy(run);
        char* log = get_file(in_folder("run/log.csv"), NULL);
        CHECK_CLOSE(value_in(log, 0, dim == 2 ? "force_upper_y_y" : "force_upper_z_z"), force, 1e-11);
        CHECK_CLOSE(value_in(log, 0, dim == 2 ? "power_upper_y" : "power_upper_z"), speed * force, 1e-11);
        CHECK_CLOSE(value_in(log, 0, dim == 2 ? "torque_upper_y_z" : "torque_upper_z_x"), (dim == 2 ? 0.3 : 0.4) * force, 1e-11);
        if (dim == 3)
            CHECK_CLOSE(value_in(log, 0, "torque_upper_z_y"), -0.3 * force, 1e-11);
        assert_true(value_in(log, 0, dim == 2 ? "power_lower_y" : "power_lower_z") == 0.0);
        free(log);
        remove_all(in_folder("run"));
    }
}

// A log from before these columns is not gone on with, and stays as it is.
static void an_older_log_is_refused(void** state)
{
    (void)state;
    scree_run_def def = scree_default_run_def();
    scree_run* run = begin("box: {size: [1, 1, 1], periodic: [y]}\n" MADE "contact: {stiffness: 1e3}\ntime: {steps: 20}\ncheckpoint: {every: 10}\n", in_folder("run"));
    CHECK_OK(scree_run_go(run));
    scree_run_destroy(run);
    char *log = get_file(in_folder("run/log.csv"), NULL), *first = strstr(log, ",force_lower_x_x");
    assert_non_null(first);
    assert_null(strstr(log, "force_lower_y"));
    size_t gone = strcspn(first, "\n"), length = strlen(log);
    char* old = malloc(length + 1);
    memcpy(old, log, (size_t)(first - log));
    strcpy(old + (first - log), first + gone);
    memset(old + length - gone, 'x', gone);  // as long as the checkpoint says
    old[length] = '\0';
    put_text(in_folder("run/log.csv"), old);
    CHECK_FAILS(scree_run_resume(&def, in_folder("run"), &run), SCREE_ERR_FORMAT, "log.csv:1", "column 27", "force_lower_x_x");
    CHECK_FILE(in_folder("run/log.csv"), old);
    put_text(in_folder("run/log.csv"), log);
    CHECK_OK(scree_run_resume(&def, in_folder("run"), &run));
    scree_run_destroy(run);
    free(old);
    free(log);
}

static const test_case cases[] = {
    SAME_BITS(a_packing_runs_in_its_container),
    UNIT(scenes_make_containers),
    UNIT(scenes_that_are_refused),
    UNIT(nothing_needless_is_asked_for),
    SAME_BITS(pairs_collide_as_specified),
    UNIT(walls_have_their_material),
    ALLOCATION(laws_without_memory),
    UNIT(a_column_presses_with_its_weight),
    UNIT(forces_are_those_of_the_contacts),
    UNIT(a_piston_feels_one_sphere),
    UNIT(an_older_log_is_refused),
};

const test_group group_bounds = {.name = "bounds", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
