// files: how long each format takes to write (to disk, fsync included) and to read again. Random spheres with all digits;
// files go to the folder for temporary ones and are removed.
#include "harness.h"

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

// Writes, reads and compares; the file is removed afterwards.
static scree_status there_and_back(const char* path, const scree_sphere_set* set, double seconds[2], double* megabytes)
{
    scree_file_options options = scree_default_file_options();
    options.watch = bench_watch("writing and reading");
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
    bench_watch_end();
    if (status == SCREE_OK && (back.count != set->count || memcmp(back.x, set->x, 24 * (size_t)set->count) != 0 ||
                               memcmp(back.r, set->r, 8 * (size_t)set->count) != 0))
        status = scree_fail(SCREE_ERR_FORMAT, "%s: what was read is not what was written; please report this", path);
    scree_sphere_set_free(&back);
    unlink(path);
    return status;
}

static scree_status run_bench(findings* found, const bench_options* co)
{
    const bool quick = co->quick;
    const int64_t count = co->count > 0 ? co->count : quick ? 100000 : 1000000;
    const char* base = getenv("TMPDIR");
    char folder[512], path[600];
    snprintf(folder, sizeof folder, "%s/scree-bench-XXXXXX", base != NULL && strlen(base) < 400 ? base : "/tmp");
    scree_sphere_set set = {0};
    scree_status status = make_spheres((int32_t)count, co->seed, &set);
    bool made = status == SCREE_OK && mkdtemp(folder) != NULL;
    if (status == SCREE_OK && !made)
        status = scree_fail(SCREE_ERR_IO, "no folder for temporary files can be made: %s", folder);
    for (int f = SCREE_FORMAT_AUTO + 1; f < SCREE_FORMAT_COUNT && status == SCREE_OK; ++f) {
        double seconds[2], megabytes = 0.0;
        const char* name = scree_format_name((scree_format)f);
        snprintf(path, sizeof path, "%s/spheres.%s", folder, name);
        status = there_and_back(path, &set, seconds, &megabytes);
        if (status == SCREE_OK)
            status = findings_row(found, &name, (const double[]){(double)count, megabytes, seconds[0], seconds[1]});
    }
    if (made)
        rmdir(folder);
    scree_sphere_set_free(&set);
    findings_note(found, "All formats give back all digits; the benchmark fails otherwise.");
    return status;
}

const experiment bench_files = {
    .name = "files",
    .about = "writing and reading each format",
    .title = "Writing and reading each format",
    .takes = TAKES_COUNT,
    .run = run_bench,
    .texts = 1,
    .columns = (const char* const[]){"format", "n", "megabytes", "write_s", "read_s", NULL},
    .charts = (const chart[]){
        {.title = "Writing", .y_label = "seconds", .x = "format", .y = "write_s"}, {.suffix = "reading", .title = "Reading", .y_label = "seconds", .x = "format", .y = "read_s"}, {0}},
};
