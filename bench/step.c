// step: whole steps of a simulation. An elastic gas between walls (linear spring, a contact of two of the smallest lasts 50 steps, thermal
// start by the 1 % rule), for several size distributions; scree on one thread and on all cores, and LAMMPS on one, if `lmp` is there, with the settings
// that are fastest for it on each system. All take turns in stretches of steps, each going on from its own last state.
#include "harness.h"

#include "scree/par.h"
#include "scree/sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const double stiffness = 20.6713, step_length = 0.02;  // with spheres of radius 1 and material density 1 a contact lasts 1.0000

typedef struct step_set {
    bench_set set;
    const char* lammps;  // neighbour settings that gave it the best times
} step_set;

static const step_set sets[] = {
    {{"equal", NULL, 125000, 0.5}, "neighbor 0.5 bin\ncomm_modify vel yes\natom_modify sort 1000 2.3\n"},
    {{"two sizes 10", "bidisperse:10", 125000, 0.4},
     "neighbor 0.3 multi\ncomm_modify mode multi vel yes\nneigh_modify collection/interval 2 2 20\natom_modify sort 1000 2.3\n"},
    {{"uniform volume 10", "uniform-volume:1:10", 125000, 0.4},
     "neighbor 0.5 multi\ncomm_modify mode multi vel yes\nneigh_modify collection/interval 2 6 20\natom_modify sort 1000 10\n"},
    {{"uniform volume 50", "uniform-volume:1:50", 125000, 0.4},
     "neighbor 0.7 multi\ncomm_modify mode multi vel yes\nneigh_modify collection/interval 3 10 30 100\natom_modify sort 1000 16\n"},
    {{"uniform volume 50", "uniform-volume:1:50", 1000000, 0.5},
     "neighbor 0.5 multi\ncomm_modify mode multi vel yes\nneigh_modify collection/interval 3 10 30 100\natom_modify sort 1000 16\n"},
};
enum { set_count = sizeof sets / sizeof *sets, most_rounds = 8 };

// ---- scree ---------------------------------------------------------------------------------------------------------------

static scree_status start_scree(const scree_sphere_set* set, const double* v, int32_t threads, scree_sim** out)
{
    scree_sim_def def = scree_default_sim_def();
    def.box = set->box;
    def.stiffness = stiffness;
    def.time_step = step_length;
    def.threads = threads;
    return scree_sim_create(&def, scree_sphere_set_view(set), v, out);
}

static scree_status run_scree(scree_sim* sim, int64_t steps, double* seconds)
{
    double begin = bench_clock();
    scree_status status = scree_sim_run(sim, steps);
    *seconds = bench_clock() - begin;
    if (status == SCREE_OK && bench_interrupted())
        status = scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
    return status;
}

// ---- LAMMPS --------------------------------------------------------------------------------------------------------------

typedef struct lammps {
    bool there;
    char folder[256];
} lammps;

static void lammps_clean(const lammps* l)
{
    static const char* const names[] = {"start.lmp", "in", "log", "kept"};
    char path[300];
    for (size_t f = 0; f < sizeof names / sizeof *names && l->folder[0] != '\0'; ++f) {
        snprintf(path, sizeof path, "%s/%s", l->folder, names[f]);
        unlink(path);
    }
    if (l->folder[0] != '\0')
        rmdir(l->folder);
}

// A folder with the system in LAMMPS' own format.
static scree_status lammps_start(lammps* l, const scree_sphere_set* set, const double* v)
{
    const char* place = getenv("TMPDIR");
    bool started = getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMI_SIZE") != NULL || scree_par_get_shared() != NULL;  // by mpirun, within which `lmp` does not start
    *l = (lammps){.there = !started && system("command -v lmp > /dev/null 2>&1") == 0};
    if (!l->there)
        return SCREE_OK;
    int length = snprintf(l->folder, sizeof l->folder, "%s/scree-bench-XXXXXX", place != NULL && place[0] == '/' ? place : "/tmp");
    if (length < 0 || (size_t)length >= sizeof l->folder || mkdtemp(l->folder) == NULL) {
        l->folder[0] = '\0';
        return scree_fail(SCREE_ERR_IO, "no folder for the files of LAMMPS can be made in %s", place != NULL ? place : "/tmp");
    }
    scree_sphere_set moving = *set;
    moving.columns = NULL;
    moving.column_count = 0;
    scree_column* velocity;
    scree_status status = scree_sphere_set_add(&moving, "velocity", SCREE_COLUMN_DOUBLE, 3, &velocity);
    if (status == SCREE_OK) {
        memcpy(velocity->values, v, 3 * (size_t)set->count * sizeof *v);
        char path[300];
        snprintf(path, sizeof path, "%s/start.lmp", l->folder);
        scree_file_options options = scree_default_file_options();
        options.format = SCREE_FORMAT_LAMMPS;
        status = scree_write_spheres(path, &options, &moving);
        moving.x = moving.r = NULL;
    }
    moving.count = 0;
    moving.x = moving.r = NULL;
    scree_sphere_set_free(&moving);
    return status;
}

// Some steps; the first time from the file, later from where it stopped. Its own time for the loop. False: it failed.
static bool lammps_run(const lammps* l, const scree_box* box, const char* neighbours, bool first, int64_t steps, double* seconds)
{
    char path[300], line[700];
    snprintf(path, sizeof path, "%s/in", l->folder);
    FILE* in = fopen(path, "w");
    if (in == NULL)
        return false;
    fprintf(in, "units lj\natom_style sphere\nboundary f f f\nnewton on\n%s %s/%s\n%s", first ? "read_data" : "read_restart", l->folder,
            first ? "start.lmp" : "kept", neighbours);
    fprintf(in, "pair_style gran/hooke %.17g NULL 0 NULL 0 0\npair_coeff * *\nneigh_modify every 10 delay 0 check yes\nfix move all nve\n",
            stiffness);
    for (int k = 0; k < 3; ++k)
        fprintf(in, "fix wall%d all wall/gran hooke %.17g NULL 0 NULL 0 0 %cplane %.17g %.17g\n", k, stiffness, "xyz"[k], box->lower[k],
                box->upper[k]);
    fprintf(in, "timestep %.17g\nthermo %" PRId64 "\nrun %" PRId64 "\nwrite_restart %s/kept\n", step_length, steps, steps, l->folder);
    if (fclose(in) != 0)
        return false;
    snprintf(line, sizeof line, "OMP_NUM_THREADS=1 lmp -in '%s/in' -log '%s/log' > /dev/null 2>&1", l->folder, l->folder);
    int code = system(line);
    if (code != 0) {
        fprintf(stderr, "scree bench: LAMMPS failed (%d); its files are in %s\n", WIFEXITED(code) ? WEXITSTATUS(code) : code, l->folder);
        return false;
    }
    snprintf(path, sizeof path, "%s/log", l->folder);
    FILE* log = fopen(path, "r");
    bool found = false;
    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        found = sscanf(line, "Loop time of %lf", seconds) == 1 || found;
    if (log != NULL)
        fclose(log);
    return found;
}

// ---- The comparison ------------------------------------------------------------------------------------------------------

static scree_status tell(findings* f, const bench_set* what, int32_t n, const char* who, double seconds, int64_t steps, double peer, const scree_sim_report* r, const scree_sim_costs* costs)
{
    double each = seconds / (double)steps / n * 1e9, of = (double)steps * n * 1e-9;
    return findings_row(f, (const char* const[]){what->name, who},
                        (const double[]){n, each, peer > 0.0 ? seconds / peer : NAN, r != NULL ? r->seconds_search / of : NAN, r != NULL ? r->seconds_force / of : NAN,
                                         r != NULL ? (r->seconds_integrate + r->seconds_other) / of : NAN, r != NULL ? (double)r->rebuilds : NAN,
                                         r != NULL ? (double)r->candidates / n : NAN, r != NULL ? (double)r->contacts / n : NAN, r != NULL ? (double)r->bytes / n : NAN,
                                         costs != NULL ? costs->seconds_sphere * 1e9 : NAN, costs != NULL ? costs->seconds_candidate * 1e9 : NAN});
}

static scree_status compete(findings* f, const step_set* what, const scree_sphere_set* set, const double* v, int rounds, int64_t steps)
{
    scree_sim *one = NULL, *all = NULL;
    lammps peer = {0};
    double seconds[3][most_rounds];
    scree_status status = start_scree(set, v, 1, &one);
    if (status == SCREE_OK)
        status = start_scree(set, v, 0, &all);
    if (status == SCREE_OK)
        status = lammps_start(&peer, set, v);
    for (int round = 0; round < rounds && status == SCREE_OK; ++round) {
        status = run_scree(one, steps, &seconds[0][round]);
        if (status == SCREE_OK)
            status = run_scree(all, steps, &seconds[1][round]);
        if (status == SCREE_OK && peer.there)
            peer.there = lammps_run(&peer, &set->box, what->lammps, round == 0, steps, &seconds[2][round]);
    }
    scree_sim_report reports[2];
    scree_sim_costs costs[2];
    const bool alone = scree_par_get_shared() == NULL;
    if (status == SCREE_OK)
        status = scree_sim_measure(one, &reports[0]);
    if (status == SCREE_OK)
        status = scree_sim_measure(all, &reports[1]);
    if (status == SCREE_OK && scree_sim_hash(one) != scree_sim_hash(all))
        status = scree_fail(SCREE_ERR_ARGUMENT, "one thread and all cores end in different states; please report this");
    if (status == SCREE_OK)
        findings_note(f, "%s, %" PRId32 " spheres: after %" PRId64 " steps the hash is %016" PRIx64 ".", what->set.name, set->count, scree_sim_get_step(all), scree_sim_hash(all));
    for (int s = 0; s < 2 && status == SCREE_OK && alone; ++s)  // more steps, of simulations that nobody looks at any more
        status = scree_sim_find_costs(s == 0 ? one : all, 4 * steps, &costs[s]);
    if (status == SCREE_OK) {
        double median = peer.there ? bench_median(seconds[2], rounds) : 0.0;
        for (int s = 0; s < 2; ++s) {  // times of parts are of all rounds
            reports[s].seconds_search /= rounds;
            reports[s].seconds_force /= rounds;
            reports[s].seconds_integrate /= rounds;
            reports[s].seconds_other /= rounds;
        }
        char who[2][60] = {"scree", "scree, all cores"};
        if (scree_par_get_shared() != NULL)
            for (int s = 0; s < 2; ++s)
                snprintf(who[s], sizeof who[s], "%d ranks%s", (int)scree_par_get_ranks(scree_par_get_shared()), s == 1 ? ", all cores" : "");
        for (int s = 0; s < 2 && status == SCREE_OK; ++s)
            status = tell(f, &what->set, set->count, who[s], bench_median(seconds[s], rounds), steps, median, &reports[s], alone ? &costs[s] : NULL);
        if (peer.there && status == SCREE_OK)
            status = tell(f, &what->set, set->count, "LAMMPS", median, steps, median, NULL, NULL);
    }
    lammps_clean(&peer);
    scree_sim_destroy(one);
    scree_sim_destroy(all);
    return status;
}

static scree_status run_bench(findings* f, const bench_options* co)
{
    const bool quick = co->quick;
    int rounds = quick ? 3 : 4;
    int64_t steps = quick ? 100 : 500, count = co->count;
    scree_status status = SCREE_OK;
    for (int s = 0; s < set_count && status == SCREE_OK; ++s) {
        bench_set what = sets[s].set;
        if ((quick || count > 0) && what.count > 125000)
            continue;
        what.count = count > 0 ? (int32_t)count : quick ? what.count / 5 : what.count;
        scree_sphere_set set = {0};
        double* v = NULL;
        status = bench_make_set(&what, co, &set);
        if (status == SCREE_OK && !set.has_box) {
            set.has_box = true;
            set.box = scree_spheres_bounds(scree_sphere_set_view(&set));
        }
        if (status == SCREE_OK) {
            v = scree_malloc(3 * (size_t)set.count, sizeof *v);
            status = v == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
        }
        scree_thermal_def thermal = scree_default_thermal_def();
        thermal.stiffness = stiffness;
        thermal.seed = co->seed;
        if (status == SCREE_OK)
            status = scree_thermal_velocities(&thermal, scree_sphere_set_view(&set), v);
        if (status == SCREE_OK)
            status = compete(f, &sets[s], &set, v, rounds, steps);
        scree_free(v);
        scree_sphere_set_free(&set);
    }
    if (status == SCREE_OK)
        findings_note(f, "One thread and all cores end in the same state, bit for bit; the benchmark fails otherwise.");
    findings_note(f, "ns_sphere and ns_candidate are fitted to steps without lists (scree_sim_find_costs): on one thread they are, in seconds, --sphere-time and --candidate-time of `scree plan`.");
    findings_note(f, "Nanoseconds for each sphere and step. LAMMPS on one thread, where `lmp` is found and the program is not one of many processes.");
    return status;
}

const experiment bench_step = {
    .name = "step",
    .about = "whole steps of a simulation, compared with LAMMPS if it is installed",
    .title = "Whole steps of a simulation",
    .takes = TAKES_COUNT,
    .run = run_bench,
    .texts = 2,
    .columns = (const char* const[]){"sizes", "who", "n", "ns_per_step", "to_lammps", "ns_search", "ns_force", "ns_rest", "rebuilds", "candidates_per_sphere",
                                                 "contacts_per_sphere", "bytes_per_sphere", "ns_sphere", "ns_candidate", NULL},
};
