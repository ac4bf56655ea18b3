// Scenes that are written read back bit for bit.
#include "scene_support.h"

// ---- Round trips -------------------------------------------------------------------------------------------------

static size_t size_of(scene_form form)
{
    switch (form) {
    case SCENE_FORM_NUMBER:
    case SCENE_FORM_INT64:
    case SCENE_FORM_PERIOD:
    case SCENE_FORM_BETWEEN:
        return 8;
    case SCENE_FORM_INT32:
    case SCENE_FORM_MATERIAL:
    case SCENE_FORM_WORD:
    case SCENE_FORM_SIZES:
    case SCENE_FORM_START:
        return 4;
    case SCENE_FORM_FLAG:
        return sizeof(bool);
    case SCENE_FORM_VECTOR:
    case SCENE_FORM_TURN:
        return 3 * sizeof(double);
    case SCENE_FORM_REGION:
        return 4 * sizeof(double);
    case SCENE_FORM_PAIR:
        return 2 * sizeof(double);
    case SCENE_FORM_AXES:
        return 3 * sizeof(bool);
    case SCENE_FORM_FORMATS:
        return sizeof(uint32_t);
    default:
        return 0;
    }
}

// `list`: "changes.", "bodies.", "materials." or "pairs.", or "": the keys of none of them; "spheres.": those of an entry of a list.
static void check_same_rows(const char* a, const char* b, const char* list)
{
    int32_t count;
    const scree_scene_key* keys = scree_scene_keys(&count);
    for (int32_t k = 0; k < count; ++k) {
        const scene_field* field = keys[k].field;
        static const char* const lists[] = {"changes.", "bodies.", "materials.", "pairs.", "bonds.", "surfaces.", "insert.", "outlets.", "spheres."};
        bool wanted = strncmp(keys[k].path, list, strlen(list)) == 0;
        for (size_t n = 0; n < sizeof lists / sizeof *lists && *list == '\0'; ++n)
            wanted = wanted && strncmp(keys[k].path, lists[n], strlen(lists[n])) != 0;
        if (!wanted)
            continue;
        size_t at = field->offset;
        if (memcmp(a + at, b + at, size_of(field->form)) != 0 || (field->flag > 0 && a[field->flag] != b[field->flag]))
            fail_msg("%s changes by writing and reading", keys[k].path);
    }
}

static void check_same_text(const char* a, const char* b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL)
        assert_string_equal(a, b);
}

static void check_same_scene(const scree_scene* a, const scree_scene* b)
{
    check_same_rows((const char*)a, (const char*)b, "");
    assert_int_equal(a->checkpoint_steps, b->checkpoint_steps);
    for (int k = 0; k < a->sim.box.dim; ++k) {
        check_same_bits(&a->sim.box.lower[k], &b->sim.box.lower[k], 1, "lower");
        check_same_bits(&a->sim.box.upper[k], &b->sim.box.upper[k], 1, "upper");
        assert_int_equal(a->sim.box.periodic[k], b->sim.box.periodic[k]);
    }
    check_same_bits(a->cell_sizes, b->cell_sizes, a->search.cell_size_count, "cell sizes");
    assert_int_equal(a->group_count, b->group_count);
    assert_int_equal(a->listed, b->listed);
    for (int64_t n = 0; n < a->group_count; ++n) {
        const scree_scene_group *one = &a->groups[n], *other = &b->groups[n];
        check_same_rows((const char*)one, (const char*)other, "spheres.");
        check_same_bits(one->velocity, other->velocity, 3, "velocity");
        check_same_text(one->name, other->name);
        check_same_text(one->file, other->file);
        check_same_text(one->file_path, other->file_path);
        check_same_text(one->sizes, other->sizes);
        check_same_text(one->sizes_text, other->sizes_text);
    }
    assert_int_equal(a->material_count, b->material_count);
    for (int64_t n = 0; n < a->material_count; ++n) {
        check_same_rows((const char*)&a->materials[n], (const char*)&b->materials[n], "materials.");
        check_same_text(a->materials[n].name, b->materials[n].name);
    }
    assert_int_equal(a->pair_count, b->pair_count);
    if (a->pair_count > 0)  // without pairs a damping that is not given is written as its default
        assert_int_equal(a->damps, b->damps);
    for (int64_t n = 0; n < a->pair_count; ++n)
        check_same_rows((const char*)&a->pairs[n], (const char*)&b->pairs[n], "pairs.");
    assert_int_equal(a->change_count, b->change_count);
    for (int64_t n = 0; n < a->change_count; ++n) {
        check_same_rows((const char*)&a->changes[n], (const char*)&b->changes[n], "changes.");
        assert_int_equal(a->changes[n].force_count, b->changes[n].force_count);
        for (int32_t f = 0; f < a->changes[n].force_count; ++f) {
            assert_int_equal(a->changes[n].forces[f].group, b->changes[n].forces[f].group);
            check_same_bits(a->changes[n].forces[f].force, b->changes[n].forces[f].force, 3, "force");
        }
    }
    assert_int_equal(a->body_count, b->body_count);
    for (int64_t n = 0; n < a->body_count; ++n) {
        const scree_scene_bodies *one = &a->bodies[n], *other = &b->bodies[n];
        check_same_rows((const char*)one, (const char*)other, "bodies.");
        const scree_scene_points* points[][2] = {{&one->points, &other->points}, {&one->wall, &other->wall}, {&one->at, &other->at}};
        for (int p = 0; p < 3; ++p) {
            assert_int_equal(points[p][0]->count, points[p][1]->count);
            check_same_bits(points[p][0]->xy, points[p][1]->xy, 2 * points[p][0]->count, "points");
        }
        check_same_text(one->file, other->file);
        check_same_text(one->file_path, other->file_path);
        check_same_text(one->sizes, other->sizes);
        check_same_text(one->sizes_text, other->sizes_text);
    }
}

static void check_round_trip(const scree_scene* scene)
{
    scree_scene back;
    CHECK_OK(scree_write_scene(in_folder("again.yaml"), scene));
    CHECK_OK(scene_read(in_folder("again.yaml"), &back));
    check_same_scene(scene, &back);
    char* once = get_file(in_folder("again.yaml"), NULL);
    CHECK_OK(scree_write_scene(in_folder("again.yaml"), &back));
    CHECK_FILE(in_folder("again.yaml"), once);
    free(once);
    scene_free(&back);
}

static void read_in_folder(const char* text, scree_scene* scene)
{
    put_text(in_folder("first.yaml"), text);
    CHECK_OK(scene_read(in_folder("first.yaml"), scene));
}

static void test_round_trips(void** state)
{
    (void)state;
    for (int s = 0; s < FINE_SCENES; ++s) {
        scree_scene scene;
        read_in_folder(fine_scenes[s], &scene);
        check_round_trip(&scene);
        scene_free(&scene);
    }
}

static double random_above_0(scree_rng* rng)
{
    return exp(200.0 * scree_rng_uniform(rng) - 100.0);
}

// Any numbers, bit for bit.
static void test_random_round_trips(void** state)
{
    (void)state;
    int rounds = (int)(50 * test_effort());
    for (int n = 0; n < rounds; ++n) {
        scree_rng rng = scree_rng_make((uint64_t)n, 0);
        scree_scene scene;
        read_in_folder(n % 2 == 0 ? most_3d : most_2d, &scene);
        for (int k = 0; k < 3; ++k) {
            double sign = scree_rng_below(&rng, 2) > 0 ? 1.0 : -1.0;
            scene.sim.gravity[k] = sign * random_above_0(&rng);
            scene.box_aspect[k] = n % 2 == 0 ? 1.0 : random_above_0(&rng);
            scene.box_origin[k] = sign * scree_rng_uniform(&rng);
            if (n % 2 == 0) {
                scene.box_size[k] = 1.0 + scree_rng_uniform(&rng);
                scene.sim.box.lower[k] = scene.box_origin[k];
                scene.sim.box.upper[k] = scene.box_origin[k] + scene.box_size[k];
            }
        }
        if (n % 2 != 0)
            scene.sim.gravity[2] = 0.0, scene.box_origin[2] = 0.0, scene.box_aspect[2] = 1.0;
        scene.sim.material_density = random_above_0(&rng);
        scene.sim.time_step = random_above_0(&rng);
        scene.sim.damping = n % 2 == 0 ? 0.0 : random_above_0(&rng);
        scene.search.skin = random_above_0(&rng) - random_above_0(&rng);
        scene.seed = scree_rng_bits(&rng) >> 1;
        scene.checkpoint_seconds = n % 4 < 2 ? 1e9 * scree_rng_uniform(&rng) + 1e-9 : 0.0;
        scene.checkpoint_steps = n % 4 < 2 ? 0 : 1 + (int64_t)scree_rng_below(&rng, 1000000);
        for (int64_t c = 0; c < scene.change_count; ++c)
            scene.changes[c].at += scree_rng_uniform(&rng) * 0.1;
        check_round_trip(&scene);
        scene_free(&scene);
    }
}

// Written elsewhere, a relative name still means the same file.
static void test_written_elsewhere(void** state)
{
    (void)state;
    scree_scene scene, back;
    char here[4096], wanted[8192];
    assert_non_null(getcwd(here, sizeof here));
    const char* text = "spheres: {file: 'p \"\\q.vtp'}\n" CONTACT TIME;
    CHECK_OK(scene_parse("runs/a.yaml", text, strlen(text), &scene));
    CHECK_OK(scree_write_scene(in_folder("b.yaml"), &scene));
    CHECK_OK(scene_read(in_folder("b.yaml"), &back));
    snprintf(wanted, sizeof wanted, "%s/runs/p \"\\q.vtp", here);
    assert_string_equal(back.groups[0].file, wanted);
    assert_string_equal(back.groups[0].file_path, wanted);
    scene_free(&scene);
    scene_free(&back);
    text = BOX CONTACT TIME "spheres: {count: 1, sizes: 'table:s.csv', place: grow}\n";
    CHECK_OK(scene_parse("/data/a.yaml", text, strlen(text), &scene));
    CHECK_OK(scree_write_scene(in_folder("b.yaml"), &scene));
    CHECK_OK(scene_read(in_folder("b.yaml"), &back));
    assert_string_equal(back.groups[0].sizes, "table:/data/s.csv");
    scene_free(&scene);
    scene_free(&back);
}

// What is no scene is not written, and the old file stays.
static void test_not_written(void** state)
{
    (void)state;
    const char* path = in_folder("old.yaml");
    put_text(path, OLD);
    scree_scene scene = scene_default();
    CHECK_FAILS(scree_write_scene(path, &scene), SCREE_ERR_ARGUMENT, "scene:1:1");
    CHECK_OK(parse(from_design, &scene));
    scree_scene wrong = scene;
    scree_scene_group own;
    wrong.sim.gravity[1] = NAN;
    CHECK_FAILS(scree_write_scene(path, &wrong), SCREE_ERR_ARGUMENT, "entry 2", "gravity", "'nan'");
    wrong = scene;
    own = scene.groups[0];
    wrong.groups = &own;
    own.sizes = "mono:1\nx";
    CHECK_FAILS(scree_write_scene(path, &wrong), SCREE_ERR_ARGUMENT, "spheres.sizes");
    wrong = scene;
    own = scene.groups[0];
    wrong.groups = &own;
    own.sizes = "mono:\xFF";
    CHECK_FAILS(scree_write_scene(path, &wrong), SCREE_ERR_ARGUMENT, "UTF-8");
    wrong = scene;
    own = scene.groups[0];
    wrong.groups = &own;
    own.place = 17;
    CHECK_FAILS(scree_write_scene(path, &wrong), SCREE_ERR_ARGUMENT, "spheres.place", "'none'");
    wrong = scene;
    own = scene.groups[0];
    wrong.groups = &own;
    own.name = "a b";
    CHECK_FAILS(scree_write_scene(path, &wrong), SCREE_ERR_ARGUMENT, "spheres.name", "'a b'");
    wrong = scene;
    wrong.change_count = 1;
    wrong.changes = &(scree_scene_change){.at = 1e-3, .sets_force = true, .force_count = 1, .forces = &(scree_scene_force){.group = 0}};
    CHECK_FAILS(scree_write_scene(path, &wrong), SCREE_ERR_ARGUMENT, "changes.force", "''");
    wrong = scene;
    wrong.sim.box.dim = 5;
    CHECK_FAILS(scree_write_scene(path, &wrong), SCREE_ERR_ARGUMENT, "dimension", "'5'");
    for (int bit = 0; bit < 32; bit += 31) {  // AUTO, and one that this library has no format for
        wrong = scene;
        wrong.formats |= SCREE_FORMAT_BIT(bit);
        CHECK_FAILS(scree_write_scene(path, &wrong), SCREE_ERR_ARGUMENT, "output.formats", "'none'");
    }
    wrong = scene;
    wrong.search.cell_size_count = 2;
    CHECK_FAILS(scree_write_scene(path, &wrong), SCREE_ERR_ARGUMENT, "search.cell_sizes", "0");
    CHECK_FILE(path, OLD);
    CHECK_FAILS(scree_write_scene(in_folder("no/such/folder.yaml"), &scene), SCREE_ERR_IO, "no/such/folder.yaml");
    for (int64_t n = 1;; ++n) {
        scree_output_fail_at(n, n % 2 == 0 ? ENOSPC : EIO);
        scree_status status = scree_write_scene(path, &scene);
        int64_t calls = scree_output_fail_at(0, 0);
        if (status == SCREE_OK) {
            assert_true(calls < n && calls > 3);
            break;
        }
        assert_int_equal(status, SCREE_ERR_IO);
        if (!is_written_anyway())
            CHECK_FILE(path, OLD);
        assert_int_equal(files_in_folder(), 1);
    }
    scene_free(&scene);
}

static void test_files(void** state)
{
    (void)state;
    scree_scene scene;
    CHECK_FAILS(scene_read(in_folder("none.yaml"), &scene), SCREE_ERR_IO, "none.yaml");
    CHECK_FAILS(scene_read(folder, &scene), SCREE_ERR_IO);
    put_text(in_folder("e.yaml"), "");
    CHECK_FAILS(scene_read(in_folder("e.yaml"), &scene), SCREE_ERR_FORMAT, "e.yaml:1:1");
    put_text(in_folder("e.yaml"), "spheres: {file: p.vtp}\n" CONTACT TIME);
    CHECK_OK(scene_read(in_folder("e.yaml"), &scene));
    assert_string_equal(scene.groups[0].file_path, in_folder("p.vtp"));
    scene_free(&scene);
}

static void test_allocations(void** state)
{
    (void)state;
    for (int s = 0; s < FINE_SCENES; ++s) {
        scree_scene scene, empty;
        memset(&scene, 0x55, sizeof scene);
        memset(&empty, 0, sizeof empty);
        EACH_ALLOCATION_FAILS(parse(fine_scenes[s], &scene), assert_memory_equal(&scene, &empty, sizeof scene));
        put_text(in_folder("w.yaml"), OLD);
        EACH_ALLOCATION_FAILS(scree_write_scene(in_folder("w.yaml"), &scene), CHECK_FILE(in_folder("w.yaml"), OLD));
        scene_free(&scene);
        put_text(in_folder("w.yaml"), fine_scenes[s]);
        EACH_ALLOCATION_FAILS(scene_read(in_folder("w.yaml"), &scene), (void)0);
        scene_free(&scene);
    }
}

static const test_case cases[] = {
    UNIT(test_round_trips),
    PROPERTY(test_random_round_trips),
    UNIT(test_written_elsewhere),
    ALLOCATION(test_not_written),
    UNIT(test_files),
    ALLOCATION(test_allocations),
};

const test_group group_scene_round_trips = {.name = "scene_round_trips", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder, .before_each = start_clean};
