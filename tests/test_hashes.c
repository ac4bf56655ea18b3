// hashes: 200 scenes (hash_scenes.c) have the hashes that tests/data/hashes has, with portable instructions, AVX2 and AVX-512, on 1 and 3 threads, on 3 ranks and on the emulated device. So no bit of a
// simulation of spheres changes: neither the state, nor histories, energies, bonds and contacts (par_shown). Each line of the file is a scene:
//
//     hash after 1 step, after 51, after 86     what the emulated device lacks for it, or -     name
//
// Inputs and coefficients come from exp, log, sin and pow, whose last bits depend on the C library: the first line is a fingerprint of them. Where it is another one, the reference is the portable run.
#include "hash_scenes.h"

#include "base/wide.h"
#include "device_support.h"

#include "device/emulate.h"
#include "sim/laws.h"

#include <inttypes.h>

enum { refusal_room = 64 };

typedef struct hash_line {
    uint64_t hash[hash_looks];
    char refused[refusal_room];  // "": the device computes it
    char name[hash_scene_name];
    bool known;
} hash_line;

static hash_line expected[hash_scene_count];

// ---- Coverage --------------------------------------------------------------------------------------------------------------

// What acts in some scene, counted by name; `features` has what must be among it.
enum { feature_most = 160 };
static struct {
    char name[40];
    int scenes;
} seen[feature_most];
static int seen_count;

static void note(bool acts, const char* format, const char* part)
{
    char name[sizeof seen->name];
    snprintf(name, sizeof name, format, part);
    for (int k = 0; k < seen_count && acts; ++k)
        if (strcmp(seen[k].name, name) == 0) {
            ++seen[k].scenes;
            return;
        }
    if (!acts)
        return;
    assert_true(seen_count < feature_most);
    memcpy(seen[seen_count].name, name, sizeof name);
    seen[seen_count++].scenes = 1;
}

static const char* const damping_names[] = {"undamped", "dashpot", "restitution", "viscoelastic"};

static void note_law(const scree_sim* sim, const scree_sim_report* report)
{
    const law_parts* parts = &sim->law.parts;
    const char* normal = sim->law.row.name;
    char pair[40];
    snprintf(pair, sizeof pair, "%s, %s", normal, !sim->law.damped ? "undamped" : damping_names[parts->damping]);
    note(report->contacts > 0, "law %s", pair);
    snprintf(pair, sizeof pair, "%s, %s", normal, parts->accounts ? "energies" : "no energies");
    note(report->contacts > 0, "law %s", pair);
    note(report->sliding > 0, "sliding, %s", normal);
    note(report->wall_contacts > 0, "walls, %s", normal);
    note(report->contacts > 0 && parts->no_pull, "no pull, %s", normal);
    note(report->contacts > 0 && parts->tangential, "friction, %s", normal);
    note(report->contacts > 0 && parts->rolling, "rolling, %s", normal);
    note(report->contacts > 0 && parts->rolling && !parts->tangential, "rolling alone, %s", normal);
    note(report->contacts > 0 && parts->twisting == TWISTING_SPRING, "twisting, %s", normal);
    note(report->contacts > 0 && parts->twisting == TWISTING_MARSHALL, "marshall, %s", normal);
    note(report->contacts > 0 && parts->bridge, "bridge, %s", normal);
    note(sim->law.materials > 1, "materials, %s", normal);
    note(sim->numbers.giant_count > 0, "giants, %s", normal);
    note(sim->dim == 2, "2D, %s", normal);
}

static void note_boundaries(scree_sim* sim, const par_system* s)
{
    scree_sim_boundary_report report[16];
    const int32_t count = scree_sim_get_boundaries(sim, report, 16);
    for (int32_t b = 0; b < count; ++b) {
        if (report[b].contacts == 0)
            continue;
        const scree_sim_boundary* given = b >= 6 ? &s->def.boundaries[b - 6] : NULL;
        char name[40];
        snprintf(name, sizeof name, "%s%s", given == NULL ? "face" : given->surface != NULL ? "mesh" : given->exact != NULL ? scree_exact_name(given->exact->kind) : given->kind,
                 given == NULL || given->surface != NULL || given->exact != NULL ? "" : given->outside ? " from outside" : " from inside");
        note(true, given != NULL && given->exact != NULL ? "boundary shape %s" : "boundary %s", name);
        double speed = 0.0, spin = 0.0;
        for (int k = 0; k < 3; ++k) {
            speed += fabs(report[b].velocity[k]);
            spin += fabs(report[b].spin[k]);
        }
        note(speed > 0.0, "boundary moves: %s", name);
        note(spin > 0.0, "boundary spins: %s", name);
        note(given != NULL && given->one_sided, "one side: %s", name);
    }
}

static void note_scene(scree_sim* sim, const hash_scene* one)
{
    const par_system* s = &one->s;
    scree_sim_report report;
    scree_sim_load loads[16];
    CHECK_OK(scree_sim_measure(sim, &report));
    note_law(sim, &report);
    note_boundaries(sim, s);
    const int32_t count = scree_sim_get_loads(sim, loads, 16);
    for (int32_t n = 0; n < count; ++n) {
        note(true, "load %s", scree_load_name(loads[n].kind));
        note(true, "signal %s", scree_signal_name(loads[n].value.kind));
    }
    note(scree_sim_get_integrator(sim) == SCREE_INTEGRATOR_POSITION_VERLET, "position Verlet%s", "");
    note(sim->numbers.fixed > 0, "fixed%s", "");
    note(report.bonds > 0, "bonds%s", "");
    note(report.bonds_broken > 0, "broken bonds%s", "");
    note(report.flow.inserted > 0, "inserted%s", "");
    note(report.flow.removed > 0, "removed%s", "");
    note(scree_sim_take_crossings(sim, NULL, 0) > 0, "crossed%s", "");
    note(s->has_cell, "cell%s", "");
    note(s->has_cell && (s->cell.controlled != 0 || s->cell.isotropic), "cell, stress%s", "");
    note(s->has_cell && s->cell.constant_volume, "cell, volume%s", "");
    note(s->has_cell && s->cell.rate[SCREE_CELL_XY] != 0.0, "cell, sheared%s", "");
    note(s->def.box.tilt[0] != 0.0, "tilted%s", "");
    note(s->def.watch_overlaps > 0.0, "overlaps%s", "");
    note(sim->n > sim_block, "blocks%s", "");
    note(sim->numbers.giant_count > 0 && report.bonds > 0, "giants, bonds%s", "");
}

static const char* const features[] = {
    "law linear, undamped", "law linear, dashpot", "law linear, restitution", "law linear, energies", "law linear, no energies", "law record, no energies",
    "law hertz, undamped", "law hertz, dashpot", "law hertz, restitution", "law hertz, viscoelastic", "law hertz, energies", "law hertz, no energies",
    "law jkr, undamped", "law jkr, dashpot", "law jkr, restitution", "law jkr, viscoelastic", "law jkr, energies", "law jkr, no energies",
    "law dmt, undamped", "law dmt, dashpot", "law dmt, restitution", "law dmt, viscoelastic", "law dmt, energies", "law dmt, no energies",
    "law plastic, undamped", "law plastic, dashpot", "law plastic, restitution", "law plastic, energies", "law plastic, no energies",
    "sliding, linear", "sliding, hertz", "sliding, jkr", "sliding, dmt", "sliding, plastic", "walls, linear", "walls, record", "walls, hertz", "walls, jkr", "walls, dmt", "walls, plastic",
    "no pull, linear", "no pull, hertz", "no pull, plastic", "friction, linear", "friction, hertz", "friction, jkr", "friction, dmt", "friction, plastic", "rolling, linear", "rolling, hertz", "rolling, jkr",
    "rolling, dmt", "rolling, plastic", "rolling alone, linear", "rolling alone, hertz", "twisting, linear", "twisting, hertz", "twisting, jkr", "twisting, dmt", "twisting, plastic", "marshall, linear",
    "marshall, hertz", "marshall, jkr", "bridge, linear", "bridge, hertz", "bridge, dmt", "bridge, plastic", "materials, linear", "materials, hertz", "materials, jkr", "materials, dmt", "materials, plastic",
    "giants, linear", "giants, hertz", "giants, jkr", "giants, dmt", "giants, plastic", "2D, linear", "2D, hertz", "2D, jkr", "2D, dmt", "2D, plastic",
    "boundary face", "boundary mesh", "boundary sphere from inside", "boundary sphere from outside", "boundary cylinder from inside", "boundary cylinder from outside", "boundary shape plane",
    "boundary shape cylinder", "boundary shape cone", "boundary shape sphere", "boundary shape disc", "boundary shape box", "boundary moves: face", "boundary moves: mesh", "boundary spins: mesh",
    "boundary moves: cone", "boundary spins: cone", "boundary spins: sphere from inside", "boundary spins: cylinder from inside",
    "load gravity", "load turn", "load force", "load torque", "load velocity", "load spin", "load boundary velocity", "load boundary spin", "load boundary path", "load servo force", "load servo pressure",
    "load servo torque", "load drag", "load local damping", "signal constant", "signal ramp", "signal sine", "signal table", "position Verlet", "fixed", "bonds", "broken bonds", "giants, bonds", "inserted",
    "removed", "crossed", "cell", "cell, stress", "cell, volume", "cell, sheared", "tilted", "overlaps", "blocks",
};

static int count_scenes(const char* feature)
{
    for (int k = 0; k < seen_count; ++k)
        if (strcmp(seen[k].name, feature) == 0)
            return seen[k].scenes;
    return 0;
}

// ---- The file ----------------------------------------------------------------------------------------------------------------

static uint64_t fingerprint_libm(void)
{
    double (*const functions[])(double) = {exp, log, sin, cos, tan, atan, cbrt, acos};
    uint64_t hash = 0;
    for (int k = 1; k <= 200; ++k) {
        const double at = 0.0137 * k;
        double values[10];
        for (int f = 0; f < 8; ++f)
            values[f] = functions[f](f == 7 ? 0.3 * at : at);
        values[8] = pow(at, 0.4);
        values[9] = atan2(at, 1.3);
        for (int f = 0; f < 10; ++f) {
            uint64_t bits;
            memcpy(&bits, &values[f], sizeof bits);
            hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
    }
    return hash;
}

// False: it has the fingerprint of another C library.
static bool read_file(const char* path)
{
    FILE* file = fopen(path, "r");
    char line[256];
    uint64_t fingerprint = 0;
    int number = 0;
    if (file == NULL)
        fail_msg("%s: cannot be opened", path);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#')
            continue;
        if (sscanf(line, "libm %" SCNx64, &fingerprint) == 1)
            continue;
        if (number >= hash_scene_count)
            fail_msg("%s: more than %d scenes", path, hash_scene_count);
        hash_line* to = &expected[number++];
        int at = 0;
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64 "\t%n", &to->hash[0], &to->hash[1], &to->hash[2], &at) != 3 || at == 0 || strchr(line + at, '\t') == NULL)
            fail_msg("%s: scene %d is '%s'; expected three hashes, what the device lacks or -, and a name", path, number - 1, line);
        char* name = strchr(line + at, '\t');
        *name++ = '\0';
        snprintf(to->refused, sizeof to->refused, "%s", strcmp(line + at, "-") == 0 ? "" : line + at);
        snprintf(to->name, sizeof to->name, "%s", name);
        to->known = true;
    }
    fclose(file);
    if (number != hash_scene_count)
        fail_msg("%s: %d scenes; expected %d", path, number, hash_scene_count);
    return fingerprint == fingerprint_libm();
}

// ---- Runs --------------------------------------------------------------------------------------------------------------------

typedef enum hash_passes { PORTABLE, AVX2, AVX512 } hash_passes;

static void choose_passes(hash_passes passes)
{
    scree_plain_only = passes == PORTABLE;
    scree_avx2_at_most = passes == AVX2;
}

static void run_scene(scree_sim* sim, const hash_scene* one, uint64_t hash[hash_looks])
{
    for (int k = 0; k < hash_looks; ++k) {
        if (scree_sim_run(sim, one->pieces[k]) != SCREE_OK)
            fail_msg("%s: %s", one->name, scree_error_message());
        hash[k] = par_shown(sim);
        if (one->s.changes != NULL)
            one->s.changes(sim, k);
    }
}

// What the emulated device names as not supported; "": nothing.
static void name_refusal(char refused[refusal_room])
{
    const char *message = scree_error_message(), *what = strstr(message, "support ");
    assert_non_null(what);
    snprintf(refused, refusal_room, "%s", what + strlen("support "));
    refused[strcspn(refused, ";(")] = '\0';
    for (size_t end = strlen(refused); end > 0 && refused[end - 1] == ' '; --end)
        refused[end - 1] = '\0';
}

// False: refused.
static bool run_on_device(hash_scene* one, int number, uint64_t hash[hash_looks], char refused[refusal_room])
{
    one->s.def.device = SCREE_DEVICE_EMULATE;
    device_set_tiny(1 + (uint64_t)number);
    scree_sim* sim = hash_scene_begin(one);
    bool goes = sim != NULL && scree_sim_run(sim, 0) == SCREE_OK;
    refused[0] = '\0';
    if (goes)
        run_scene(sim, one, hash);
    else
        name_refusal(refused);
    scree_sim_destroy(sim);
    emulate_set(NULL);
    return goes;
}

static void run_on_host(hash_scene* one, hash_passes passes, int32_t threads, bool counts, uint64_t hash[hash_looks])
{
    choose_passes(passes);
    one->s.def.threads = threads;
    scree_sim* sim = hash_scene_begin(one);
    if (sim == NULL)
        fail_msg("%s: %s", one->name, scree_error_message());
    run_scene(sim, one, hash);
    if (counts)
        note_scene(sim, one);
    scree_sim_destroy(sim);
    scree_plain_only = scree_avx2_at_most = false;
}

// With SCREE_WRITE_HASHES=PATH (tools/hashes write) the file is written, and nothing compared.
static void write_file(const char* path)
{
    FILE* file = fopen(path, "w");
    if (file == NULL)
        fail_msg("%s: cannot be written", path);
    fprintf(file, "# Written by tools/hashes write; tests/test_hashes.c says what is in it.\nlibm %016" PRIx64 "\n", fingerprint_libm());
    for (int number = 0; number < hash_scene_count; ++number) {
        hash_scene one;
        uint64_t hash[hash_looks], there[hash_looks];
        char refused[refusal_room];
        hash_scene_make(number, &one);
        run_on_host(&one, PORTABLE, 1, false, hash);
        run_on_device(&one, number, there, refused);
        fprintf(file, "%016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\t%s\t%s\n", hash[0], hash[1], hash[2], refused[0] != '\0' ? refused : "-", one.name);
        hash_scene_free(&one);
    }
    fclose(file);
}

static int begin(void** state)
{
    (void)state;
    const char* path = getenv("SCREE_WRITE_HASHES");
    if (path != NULL)
        write_file(path);
    if (!read_file(path != NULL ? path : TEST_DATA "/hashes"))
        for (int number = 0; number < hash_scene_count; ++number)
            expected[number].known = false;
    return 0;
}

// Builds at a part of the effort take each seventh scene.
static int step_of_scenes(void)
{
    return test_is_small() ? 7 : 1;
}

static void compare(const char* target, int number, const hash_scene* one, const uint64_t hash[hash_looks])
{
    for (int k = 0; k < hash_looks; ++k)
        if (hash[k] != expected[number].hash[k])
            fail_msg("scene %d, %s: %s has hash %016" PRIx64 " at look %d; expected %016" PRIx64, number, one->name, target, hash[k], k, expected[number].hash[k]);
}

// The hashes of a scene in the file, or of the portable run.
static void find_expected(int number, hash_scene* one)
{
    hash_line* to = &expected[number];
    if (strcmp(to->name, one->name) != 0)
        fail_msg("scene %d is '%s' in the file; expected '%s'", number, to->name, one->name);
    if (!to->known)
        run_on_host(one, PORTABLE, 1, false, to->hash);
    to->known = true;
}

static void compare_host(const char* target, hash_passes passes, int32_t threads, bool counts)
{
    for (int number = 0; number < hash_scene_count; number += step_of_scenes()) {
        hash_scene one;
        uint64_t hash[hash_looks];
        hash_scene_make(number, &one);
        find_expected(number, &one);
        run_on_host(&one, passes, threads, counts, hash);
        compare(target, number, &one, hash);
        hash_scene_free(&one);
    }
}

// On 3 threads, on 1 with more effort.
static void portable_passes_have_the_hashes(void** state)
{
    (void)state;
    seen_count = 0;
    compare_host("the portable pass", PORTABLE, 3, true);
    for (size_t f = 0; f < sizeof features / sizeof *features && !test_is_small(); ++f)
        if (count_scenes(features[f]) == 0)
            fail_msg("'%s' is in no scene", features[f]);
    if (test_effort() > 1.0)
        compare_host("the portable pass on 1 thread", PORTABLE, 1, false);
}

static void wide_passes_have_the_hashes(void** state)
{
    (void)state;
    choose_passes(AVX2);
    if (scree_has_avx2())
        compare_host("the AVX2 pass", AVX2, 1, false);
    choose_passes(AVX512);
    if (scree_has_avx512())
        compare_host("the AVX-512 pass", AVX512, 3, false);
    if (test_effort() > 1.0) {
        compare_host("the AVX2 pass on 3 threads", AVX2, 3, false);
        compare_host("the AVX-512 pass on 1 thread", AVX512, 1, false);
    }
}

static void ranks_have_the_hashes(void** state)
{
    (void)state;
    for (int number = 0; number < hash_scene_count; number += step_of_scenes()) {
        hash_scene one;
        uint64_t hash[hash_looks];
        hash_scene_make(number, &one);
        find_expected(number, &one);
        scree_par* par = par_begin_shared(3);
        scree_sim* sim = hash_scene_begin(&one);
        if (sim == NULL)
            fail_msg("%s on 3 ranks: %s", one.name, scree_error_message());
        run_scene(sim, &one, hash);
        scree_sim_destroy(sim);
        par_end_shared(par);
        compare("3 ranks", number, &one, hash);
        hash_scene_free(&one);
    }
}

// Eight of eleven scenes, all with more effort.
static void emulated_devices_have_the_hashes(void** state)
{
    (void)state;
    for (int number = 0; number < hash_scene_count; number += step_of_scenes()) {
        if (7 * number % 11 >= 8 && test_effort() <= 1.0)
            continue;
        hash_scene one;
        uint64_t hash[hash_looks];
        char refused[refusal_room];
        hash_scene_make(number, &one);
        find_expected(number, &one);
        if (run_on_device(&one, number, hash, refused))
            compare("the emulated device", number, &one, hash);
        assert_string_equal(refused, expected[number].refused);
        hash_scene_free(&one);
    }
}

static const test_case cases[] = {
    SAME_BITS(portable_passes_have_the_hashes),
    SAME_BITS(wide_passes_have_the_hashes),
    SAME_BITS(ranks_have_the_hashes),
    SAME_BITS(emulated_devices_have_the_hashes),
};

const test_group group_hashes = {.name = "hashes", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = begin};
