// Runs spheres with friction for a comparison with another program: numbers in, positions, velocities and spins out, every bit of them.
//
// usage: run_grains IN OUT [THREADS [SKIN [LAST]]]     (1 thread; a skin of its own choice, below 0: a new list in every step; of all spheres or only the LAST ones)
//   IN   words with white space between them:
//        dimension, levels (half, classic or modern: law.h), time step, steps between looks, looks
//        lower corner, upper corner, per axis p (periodic), w (walls) or o (open); gravity
//        law, tangential, rolling and twisting part; no_pull (0 or 1)
//        materials and that of the walls; per material Young's modulus and Poisson's ratio; per pair of materials (all rows and columns) PAIR numbers
//        count; then per sphere x y z r, density, material, fixed (0 or 1), vx vy vz, wx wy wz
//        perhaps a count of exact shapes; then per shape scree_exact_kind, at, axis, length, two radii, material, velocity, spin, the point that it turns about
//   OUT  per look a line "step contacts rebuilds skin cpu wall candidates search" and per sphere a line x y z vx vy vz wx wy wz; cpu and wall: seconds since the
//        last look, search: seconds of all lists so far.
//        -: standard output, without the spheres
#include "scree/sim.h"
#include "sim/peer_levels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static FILE* in;

_Noreturn static void complain(const char* what)
{
    fprintf(stderr, "run_grains: %s\n", what);
    exit(1);
}

static double number(void)
{
    double value;
    if (fscanf(in, "%lf", &value) != 1)
        complain("a number is missing");
    return value;
}

static int integer(void)
{
    return (int)number();
}

static const char* word(char room[32])
{
    if (fscanf(in, "%31s", room) != 1)
        complain("a word is missing");
    return room;
}

static void read_box(scree_sim_def* def, int dim)
{
    double lower[3], upper[3];
    char kind[32];
    for (int k = 0; k < 3; ++k)
        lower[k] = number();
    for (int k = 0; k < 3; ++k)
        upper[k] = number();
    def->box = scree_box_sized(dim, (double[3]){1.0, 1.0, 1.0});
    for (int k = 0; k < 3; ++k) {
        word(kind);
        if (k >= dim)
            continue;
        def->box.periodic[k] = kind[0] == 'p';
        def->box.lower[k] = kind[0] == 'o' ? -INFINITY : lower[k];
        def->box.upper[k] = kind[0] == 'o' ? INFINITY : upper[k];
    }
    for (int k = 0; k < 3; ++k)
        def->gravity[k] = number();
}

static scree_sim_pair read_pair(void)
{
    scree_sim_pair pair = scree_default_sim_pair();
    double* const all[] = {&pair.stiffness,         &pair.damping,          &pair.restitution,       &pair.viscous_time,
                           &pair.friction,          &pair.tangential_stiffness, &pair.tangential_damping, &pair.rolling_friction,
                           &pair.rolling_stiffness, &pair.rolling_damping,  &pair.twisting_friction, &pair.twisting_stiffness,
                           &pair.twisting_damping};
    for (size_t e = 0; e < sizeof all / sizeof *all; ++e)
        *all[e] = number();
    return pair;
}

enum { shapes_most = 8 };

static int read_shapes(scree_exact exact[shapes_most], scree_sim_boundary shapes[shapes_most])
{
    double count = 0.0;
    if (fscanf(in, "%lf", &count) != 1)
        return 0;
    if (count > shapes_most)
        complain("too many shapes");
    for (int s = 0; s < (int)count; ++s) {
        exact[s] = scree_default_exact();
        shapes[s] = scree_default_sim_boundary();
        exact[s].kind = integer();
        for (int k = 0; k < 3; ++k)
            exact[s].at[k] = number();
        for (int k = 0; k < 3; ++k)
            exact[s].axis[k] = number();
        exact[s].length = number();
        exact[s].radius[0] = number();
        exact[s].radius[1] = number();
        shapes[s].material = integer();
        shapes[s].exact = &exact[s];
        double* const vectors[] = {shapes[s].velocity, shapes[s].spin, shapes[s].about};
        for (int e = 0; e < 9; ++e)
            vectors[e / 3][e % 3] = number();
    }
    return (int)count;
}

static void look(scree_sim* sim, int dim, size_t last, const double seconds[2], FILE* out)
{
    size_t count = (size_t)scree_sim_get_count(sim);
    double *x = calloc(9 * count + 1, sizeof *x), *v = x + 3 * count, *w = v + 3 * count;
    scree_sim_report report;
    if (scree_sim_measure(sim, &report) != SCREE_OK || scree_sim_get_column(sim, "x", x) != SCREE_OK || scree_sim_get_column(sim, "v", v) != SCREE_OK)
        complain(scree_error_message());
    (void)scree_sim_get_column(sim, "w", w);  // a law that turns nothing has none
    fprintf(out, "%" PRId64 " %" PRId64 " %" PRId64 " %.17g %.6f %.6f %" PRId64 " %.6f\n", report.step, report.contacts + report.wall_contacts, report.rebuilds, report.skin,
            seconds[0], seconds[1], report.candidates, report.seconds_search);
    for (size_t i = last < count ? count - last : 0; i < count && out != stdout; ++i) {
        for (size_t e = 0; e < 6; ++e) {
            size_t k = e % 3;
            fprintf(out, "%.17g ", k < (size_t)dim ? (e < 3 ? x : v)[(size_t)dim * i + k] : 0.0);
        }
        fprintf(out, "%.17g %.17g %.17g\n", w[3 * i], w[3 * i + 1], w[3 * i + 2]);
    }
    free(x);
    if (fflush(out) != 0)  // a long run can be read while it goes on
        complain("the result cannot be written");
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv)
{
    FILE* out = NULL;
    if (argc < 3 || argc > 6 || (in = fopen(argv[1], "r")) == NULL || (out = strcmp(argv[2], "-") == 0 ? stdout : fopen(argv[2], "w")) == NULL)
        complain("usage: run_grains IN OUT [THREADS [SKIN [LAST]]]");
    char levels[32], normal[32], tangential[32], rolling[32], twisting[32];
    scree_sim_def def = scree_default_sim_def();
    scree_sim_law law = scree_default_sim_law();
    scree_sim_each each = scree_default_sim_each();
    int dim = integer();
    word(levels);
    def.time_step = number();
    int steps = integer(), looks = integer();
    read_box(&def, dim);
    law.name = word(normal);
    law.tangential = word(tangential);
    law.rolling = word(rolling);
    law.twisting = word(twisting);
    law.no_pull = integer() != 0;
    law.material_count = integer();
    def.wall_material = integer();
    size_t m = (size_t)law.material_count;
    scree_sim_material* materials = calloc(m + 1, sizeof *materials);
    scree_sim_pair* pairs = calloc(m * m + 1, sizeof *pairs);
    for (size_t a = 0; a < m; ++a) {
        materials[a] = scree_default_sim_material();
        materials[a].young = number();
        materials[a].poisson = number();
    }
    for (size_t e = 0; e < m * m; ++e)
        pairs[e] = read_pair();
    law.materials = materials[0].young > 0.0 ? materials : NULL;
    law.pairs = pairs;
    size_t count = (size_t)integer();
    double *x = calloc(12 * count + 1, sizeof *x), *v = x + 3 * count, *w = v + 3 * count, *r = w + 3 * count, *density = r + count;
    uint16_t* material = calloc(count + 1, sizeof *material);
    uint8_t* fixed = calloc(count + 1, sizeof *fixed);
    for (size_t i = 0; i < count; ++i) {
        double row[13];
        for (int e = 0; e < 13; ++e)
            row[e] = number();
        for (size_t k = 0; k < (size_t)dim; ++k) {
            x[(size_t)dim * i + k] = row[k];
            v[(size_t)dim * i + k] = row[7 + k];
        }
        r[i] = row[3];
        density[i] = row[4];
        material[i] = (uint16_t)row[5];
        fixed[i] = row[6] != 0.0;
        memcpy(w + 3 * i, row + 10, 3 * sizeof *w);
    }
    scree_exact exact[shapes_most];
    scree_sim_boundary shapes[shapes_most];
    def.boundary_count = read_shapes(exact, shapes);
    def.boundaries = shapes;
    each.material_density = density;
    each.material = material;
    each.fixed = fixed;
    each.spin = w;
    def.each = &each;
    def.law = &law;
    def.threads = argc > 3 ? atoi(argv[3]) : 1;
    scree_index_def search = scree_default_index_def();
    search.skin = argc > 4 ? atof(argv[4]) : 0.0;
    def.search = &search;
    scree_sim* sim;
    if (scree_sim_create(&def, (scree_spheres){.count = (int32_t)count, .dim = dim, .x = x, .r = r}, v, &sim) != SCREE_OK)
        complain(scree_error_message());
    sim_set_levels(sim, strcmp(levels, "classic") == 0 ? LEVELS_CLASSIC : strcmp(levels, "modern") == 0 ? LEVELS_MODERN : LEVELS_HALF);
    for (int l = 0; l < looks; ++l) {
        double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), wall = seconds_of(CLOCK_MONOTONIC);
        if (scree_sim_run(sim, steps) != SCREE_OK)
            complain(scree_error_message());
        look(sim, dim, argc > 5 ? (size_t)atoi(argv[5]) : SIZE_MAX, (double[2]){seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu, seconds_of(CLOCK_MONOTONIC) - wall}, out);
    }
    scree_sim_destroy(sim);
    free(x);
    free(material);
    free(fixed);
    free(materials);
    free(pairs);
    fclose(in);
    return fclose(out) == 0 ? 0 : 1;
}
