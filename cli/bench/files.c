// files: how long each format takes to write (to disk, fsync included) and to read again. Random spheres with all digits;
// files go to the folder for temporary ones and are removed.
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static scree_status make_spheres(int32_t count, uint64_t seed, scree_sphere_set* out)
{
    scree_status status = scree_sphere_set_make(3, count, out);
    if (status != SCREE_OK)
        return status;
    scree_rng rng = scree_rng_make(seed, 13);
    for (int64_t k = 0; k < 3 * (int64_t)count; ++k)
        out->x[k] = 1000.0 * scree_rng_uniform(&rng);
    for (int32_t i = 0; i < count; ++i)
        out->r[i] = 0.5 + scree_rng_uniform(&rng);
    return SCREE_OK;
}

// Writes, reads and compares; the file is gone afterwards.
static scree_status there_and_back(const common* co, const char* path, const scree_sphere_set* set, double seconds[2],
                                   double* megabytes)
{
    scree_file_options options = scree_default_file_options();
    options.watch = run_watch("writing and reading", co->quiet);
    scree_sphere_set back = {0};
    double begin = bench_clock();
    scree_status status = scree_write_spheres(path, &options, set);
    seconds[0] = bench_clock() - begin;
    struct stat about = {0};
    if (status == SCREE_OK && stat(path, &about) == 0)
        *megabytes = (double)about.st_size / 1e6;
    begin = bench_clock();
    if (status == SCREE_OK)
        status = scree_read_spheres(path, &options, &back);
    seconds[1] = bench_clock() - begin;
    run_watch_end();
    if (status == SCREE_OK && (back.count != set->count || memcmp(back.x, set->x, 24 * (size_t)set->count) != 0 ||
                               memcmp(back.r, set->r, 8 * (size_t)set->count) != 0))
        status = scree_fail(SCREE_ERR_FORMAT, "%s: what was read is not what was written; please report this", path);
    scree_sphere_set_free(&back);
    unlink(path);
    return status;
}

exit_code bench_files(const arguments* args, const common* co, bool quick)
{
    int64_t count = quick ? 100000 : 1000000;
    if (!option_integer(args, "count", 1, 100000000, &count))
        return EXIT_USAGE;
    const char* base = getenv("TMPDIR");
    char folder[512], path[600];
    snprintf(folder, sizeof folder, "%s/scree-bench-XXXXXX", base != NULL && strlen(base) < 400 ? base : "/tmp");
    scree_sphere_set set = {0};
    scree_status status = make_spheres((int32_t)count, co->seed, &set);
    if (status == SCREE_OK && mkdtemp(folder) == NULL)
        status = scree_fail(SCREE_ERR_IO, "no folder for temporary files can be made: %s", folder);
    if (status != SCREE_OK) {
        scree_sphere_set_free(&set);
        return run_failed(args, status);
    }
    printf("%-8s %10s %10s %10s %10s\n", "format", "spheres", "MB", "write s", "read s");
    for (int f = SCREE_FORMAT_AUTO + 1; f < SCREE_FORMAT_COUNT && status == SCREE_OK; ++f) {
        double seconds[2], megabytes = 0.0;
        snprintf(path, sizeof path, "%s/spheres.%s", folder, scree_format_name((scree_format)f));
        status = there_and_back(co, path, &set, seconds, &megabytes);
        if (status == SCREE_OK)
            printf("%-8s %10" PRId64 " %10.1f %10.2f %10.2f\n", scree_format_name((scree_format)f), count, megabytes, seconds[0],
                   seconds[1]);
        fflush(stdout);
    }
    rmdir(folder);
    scree_sphere_set_free(&set);
    return status == SCREE_OK ? EXIT_DONE : run_failed(args, status);
}
