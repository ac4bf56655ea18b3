// scree pack rsa: random sequential addition, at a density or until nothing more fits.
#include "packers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double pack_rsa_density(int32_t dim)
{
    return dim == 2 ? 0.25 : 0.15;  // also for a handful of spheres between walls
}

static scree_saturation end;  // numbers only, for the report
static scree_place_report placed;
static bool to_the_end;       // saturation was asked for

// The sizes of the list that found no place, each with how many did and did not: `radius` rises, and each row is up to its radius.
enum { rows_most = 20 };
static int32_t rows;
static double radius[rows_most], listed[rows_most], refused[rows_most], added[rows_most];

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// Each size a row, or twenty rows of as many.
static void count_by_size(int32_t count, double* list, const scree_sphere_set* full)
{
    qsort(list, (size_t)count, sizeof *list, compare);
    int32_t different = 1;
    for (int32_t i = 1; i < count; ++i)
        different += list[i] != list[i - 1];
    rows = 0;
    for (int32_t i = 0; i < count; ++i) {
        bool last = i + 1 == count || list[i + 1] != list[i];
        if (last && (different <= rows_most || i + 1 == count || (int64_t)(i + 1) * rows_most / count > rows))
            radius[rows++] = list[i];
    }
    memset(listed, 0, sizeof listed);
    memset(refused, 0, sizeof refused);
    memset(added, 0, sizeof added);
    for (int32_t i = 0, row = 0; i < count; ++i) {
        while (list[i] > radius[row])
            ++row;
        ++refused[row];
    }
    for (int32_t i = 0; i < full->count; ++i) {
        int32_t row = 0;
        while (full->r[i] > radius[row])
            ++row;
        if (i < end.listed) {
            ++listed[row];
            --refused[row];
        } else {
            ++added[row];
        }
    }
}

static scree_status saturate(const pack_wish* wish, scree_place_def* def, scree_sphere_set* set)
{
    int64_t rounds = 0;
    if (!option_integer(wish->args, "rounds", 0, INT32_MAX, &rounds))
        return pack_option_wrong();
    scree_sphere_set full = {0};
    scree_status status = scree_place_until_full(def, set->count, set->r, (int32_t)rounds, &end, &full);
    if (status == SCREE_OK)
        count_by_size(set->count, set->r, &full);
    if (status == SCREE_OK || full.count > 0) {
        scree_sphere_set_free(set);
        *set = full;
    }
    return status;
}

// Stopped: those that have no place are left out. False: none has one.
static bool keep_placed(scree_sphere_set* set)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < set->count; ++i) {
        if (isnan(set->x[i * set->dim]))
            continue;
        set->r[kept] = set->r[i];
        memmove(set->x + kept++ * set->dim, set->x + i * set->dim, (size_t)set->dim * sizeof *set->x);
    }
    set->count = (int32_t)kept;
    return kept > 0;
}

scree_status pack_rsa(const pack_wish* wish, scree_sphere_set* set, bool* converged)
{
    scree_place_def def = scree_default_place_def();
    def.box = set->box;
    def.container = wish->container;
    def.seed = wish->co->seed;
    def.threads = wish->co->threads;
    def.report = &placed;
    to_the_end = wish->saturate;
    def.watch = wish->saturate ? pack_watch_density(wish, "saturating", &end.density, NULL)
                               : pack_watch_density(wish, "placing spheres", &placed.density, NULL);
    int32_t asked = set->count;
    scree_status status = wish->saturate ? saturate(wish, &def, set) : scree_place_random(&def, set->count, set->r, set->x);
    pack_watch_end();
    *converged = status == SCREE_OK;
    // When stopped, the result is what is there.
    if (status == SCREE_ERR_CANCELLED && (wish->saturate ? end.placed > 0 : keep_placed(set))) {
        status = SCREE_OK;
        if (!wish->co->quiet && !wish->saturate)
            say("note: the %" PRId64 " largest of %" PRId32 " spheres were placed\n", (int64_t)set->count, asked);
    }
    if (status == SCREE_OK && wish->saturate && !wish->co->quiet && !end.saturated && *converged)
        say("note: not saturated: of %" PRId32 " radii %" PRId32 " did not fit, and more spheres of the smallest radius may fit; "
            "try more --rounds\n", asked, end.refused);
    return status;
}

void pack_rsa_tell(result* res)
{
    if (!to_the_end)
        return;
    result_bool(res, "saturated", end.saturated);
    result_about(res, "", end.saturated ? "provably no sphere of the smallest radius fits" : "more spheres of the smallest radius may fit");
    result_integer(res, "listed", end.listed);
    result_about(res, "", "placed in the first round, from large to small");
    result_integer(res, "refused", end.refused);
    result_about(res, "", "in the first round: they provably did not fit");
    result_integer(res, "added", end.placed - end.listed);
    result_about(res, "", "placed in later rounds");
    result_integer(res, "rounds", end.rounds);
    result_number(res, "full_from", isinf(end.full_from) ? NAN : end.full_from);
    result_about(res, "", "provably no sphere of this radius or larger fits");
}

void pack_rsa_tables(result* res)
{
    if (to_the_end && rows > 0)
        result_table(res, "found_room", "Radii up to r that fit, that did not fit, and that were added later", 4,
                     (result_column[]){{.name = "radius", .values = radius},
                                       {.name = "listed", .values = listed},
                                       {.name = "refused", .values = refused},
                                       {.name = "added", .values = added}},
                     rows);
}

static const option options[] = {
    PACK_SIZES,
    PACK_COUNT,
    {"density", 0, "NU", "volume fraction (default without --box: 0.15, in 2D 0.25)"},
    {"saturate", 0, NULL, "add spheres in rounds until provably no further sphere of the smallest radius fits"},
    {"rounds", 0, "K", "with --saturate: at most K rounds (default 0: no limit); 1 tries each radius once and counts those that do not fit"},
    {"box", 'b', "LX,LY,LZ", "box size, from the origin (default: a cube by count and density)"},
    PACK_CONTAINER,
    PERIODIC_OPTION,
    PACK_DIM,
    PACK_SAMPLING,
    PACK_STABLE,
    PACK_STABLE_SEARCH,
    PACK_OUTPUT,
    {0},
};

const command cmd_pack_rsa = {
    .name = "pack rsa",
    .usage = "--sizes SIZES --count N [--density NU | --saturate [--rounds K]] [--box LX,LY,LZ] [--periodic AXES] -o FILE [OPTIONS]",
    .about = "random sequential addition: loose, at a given density, or saturated",
    .details = "Spheres are placed at random positions without overlap, large ones first. Two of --count, --density and --box give the third.\n"
               "--saturate chooses the density itself. Give --box, or --count for a cube that this many equal spheres would saturate; with both, each round draws that many "
               "radii. More spheres fit for wide size distributions, because small spheres fill the gaps.",
    .example = "  scree pack rsa --sizes uniform-volume:1:10 --count 5000 --density 0.4 --periodic xyz -o packing.vtp\n"
               "  scree pack rsa --sizes mono:0.5 --saturate --box 20,20,20 --periodic xyz -o full.vtp\n"
               "  scree pack rsa --sizes uniform-volume:1:5 --saturate --dim 2 --box 100,100 --periodic xy -o full.vtp --picture full.png",
    PACK_METHOD,
};
