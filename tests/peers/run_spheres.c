// Runs an elastic simulation for a comparison with another program: numbers in, places and velocities out, every bit of them.
//
// usage: run_spheres IN OUT
//   IN   side of the box from 0, periodic (0 or 1), stiffness, density, time step, steps between looks, looks, count; then per
//        sphere x y z r vx vy vz. All as words with white space between them.
//   OUT  per look a line "step contacts kinetic potential" and per sphere a line x y z vx vy vz
#include "scree/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int complain(const char* what)
{
    fprintf(stderr, "run_spheres: %s\n", what);
    return 1;
}

static bool look(scree_sim* sim, double* x, double* v, FILE* out)
{
    scree_sim_report report;
    if (scree_sim_measure(sim, &report) != SCREE_OK || scree_sim_get_column(sim, "x", x) != SCREE_OK || scree_sim_get_column(sim, "v", v) != SCREE_OK)
        return false;
    fprintf(out, "%" PRId64 " %" PRId64 " %.17g %.17g\n", report.step, report.contacts + report.wall_contacts, report.energy_kinetic,
            report.energy_potential);
    for (int32_t i = 0; i < scree_sim_get_count(sim); ++i)
        fprintf(out, "%.17g %.17g %.17g %.17g %.17g %.17g\n", x[3 * i], x[3 * i + 1], x[3 * i + 2], v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    return true;
}

int main(int argc, char** argv)
{
    double size, stiffness, density, step;
    int periodic, steps, looks, count;
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL, *out = in != NULL ? fopen(argv[2], "w") : NULL;
    if (out == NULL || fscanf(in, "%lf %d %lf %lf %lf %d %d %d", &size, &periodic, &stiffness, &density, &step, &steps, &looks, &count) != 8 || count < 0)
        return complain("usage: run_spheres IN OUT");
    double *x = calloc(7 * (size_t)count + 1, sizeof *x), *v = x + 3 * (size_t)count, *r = v + 3 * (size_t)count;
    for (int i = 0; i < count; ++i) {
        double *a = x + 3 * i, *b = v + 3 * i;
        if (fscanf(in, "%lf %lf %lf %lf %lf %lf %lf", a, a + 1, a + 2, r + i, b, b + 1, b + 2) != 7)
            return complain("a sphere is missing");
    }
    scree_sim_def def = scree_default_sim_def();
    def.box = scree_box_sized(3, (double[3]){size, size, size});
    for (int k = 0; k < 3; ++k)
        def.box.periodic[k] = periodic != 0;
    def.stiffness = stiffness;
    def.material_density = density;
    def.time_step = step;
    scree_sim* sim;
    if (scree_sim_create(&def, (scree_spheres){.count = count, .dim = 3, .x = x, .r = r}, v, &sim) != SCREE_OK)
        return complain(scree_error_message());
    for (int l = 0; l < looks; ++l)
        if (scree_sim_run(sim, steps) != SCREE_OK || !look(sim, x, v, out))
            return complain(scree_error_message());
    scree_sim_destroy(sim);
    free(x);
    fclose(in);
    return fclose(out) == 0 ? 0 : complain("cannot write");
}
