// Collective rearrangement: all spheres, overlapping at first, push each other apart while the box grows a little from time to time.
//
//     too small a box, random centres   ->   pushed apart as far as possible   ->   a little more space, pushed apart, ...   ->   no overlaps
//
// Three things differ from the paper (Raschdorf and Kolonko, after He, Ekere and Cai).
//
// Stiffness by size. Overlaps o are springs of energy k o^2/2. Under a pressure P the contact of spheres of diameter d carries P d^(dim-1), so
// with the same k for all contacts o/d ~ d^(dim-2): in 3D large spheres would overlap deeply while the small ones are loose, and the
// large ones alone would jam. With k ~ (r_i r_j/(r_i + r_j))^(dim-2), as for one material, all spheres overlap by the same
// fraction and all sizes jam together: the Fuller sample of the paper reaches 0.83 instead of 0.73 (one seed).
//
// Sweeps with momentum. A plain sweep moves each sphere by its force over the resistance of its contacts, dim/max(K, ...), with K the sum of their k, so that
// a large sphere with a thousand contacts moves no farther than its neighbours. Here this number is a mass, and the spheres are moved by
// FIRE (Bitzek et al. 2006): they accelerate downhill, are turned towards the force, and stop as soon as they go uphill. Near the end, where
// the softest modes are slow, this takes about the square root of the sweeps.
//
// Growth when the forces balance. If net forces are small compared with the overlaps, the spheres have moved as far as they can; then the
// box grows by a fraction of the root mean square of the relative overlaps (weighted by stiffness). Growth in every sweep would give poor packings of wide size distributions, whose small spheres take hundreds
// of sweeps to leave the large ones.
//
// Instead of the box growing, radii shrink: positions, images and candidates then stay valid (gaps only widen). At the end everything is
// scaled back to the original radii, and once more so that the closest pair just does not overlap.
//
// Each sphere sums over its whole row of candidates (rearrange_candidates.c) in a fixed order, so that the result does not depend on threads or on the search
// method.
//
// Cost: 120 to 150 ns per sphere and sweep, lists included, and one or two thousand sweeps. Wrong choice for densities below about 0.5 (random sequential addition is faster) and if
// mechanics matter (friction, gravity: use a simulation).
#include "rearrange_inner.h"

#include "base/argument.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "geom/length.h"
#include "pack/saved.h"

#include <inttypes.h>
#include <math.h>

enum {
    sweeps_per_tick = 16,    // at most, of few spheres
    spheres_per_tick = 32768,  // moved between two ticks, or one sweep: so that a stop takes a moment for many spheres too
    patience = 1000  // sweeps after which the box grows even if forces do not balance
};

// ---- Checks --------------------------------------------------------------------------------------------------------

SCREE_DEFAULTS_OF(scree_rearrange_def, scree_default_rearrange_def)
{
    return (scree_rearrange_def){.struct_size = sizeof(scree_rearrange_def),
                                 .box = scree_box_sized(3, (double[3]){1.0, 1.0, 1.0}),
                                 .start_density = 0.9,
                                 .tolerance = 1e-4,
                                 .growth = 0.012,
                                 .balance = 0.05,
                                 .warm_up = 300,
                                 .sweeps = 1000000,
                                 .method = SCREE_METHOD_HIERARCHICAL_GRID,
                                 .seed = 1,
                                 .saver = {.seconds = 30.0}};
}

SCREE_DEFAULTS_OF(scree_rearrange_def, scree_paper_rearrange_def)
{
    scree_rearrange_def def = scree_default_rearrange_def();
    def.centres = SCREE_CENTRES_RANDOM;
    def.start_density = 1.0;
    def.moves = SCREE_MOVES_ONE_BY_ONE;
    def.attraction = 1.0;
    def.margin = 0.5;
    def.margin_least = 0.04;
    def.growth = 0.05;
    def.tolerance = 1e-3;
    def.method = SCREE_METHOD_LOOSE_OCTREE;
    return def;
}

const char* scree_centres_name(scree_centres centres)
{
    static const char* const names[SCREE_CENTRES_COUNT] = {"spread", "random"};
    return (int)centres >= 0 && centres < SCREE_CENTRES_COUNT ? names[centres] : NULL;
}

const char* scree_moves_name(scree_moves moves)
{
    static const char* const names[SCREE_MOVES_COUNT] = {"together", "one-by-one"};
    return moves >= 0 && moves < SCREE_MOVES_COUNT ? names[moves] : NULL;
}

static scree_status check_def(const scree_rearrange_def* def)
{
    static const char what[] = "rearrangement";
    scree_status fits = scree_check_struct_size(what, "scree_default_rearrange_def", def->struct_size, sizeof *def, sizeof *def);
    if (fits != SCREE_OK)
        return fits;
    const placing_number numbers[] = {{"start_density", def->start_density, 0.01, 2.0}, {"tolerance", def->tolerance, 1e-12, 0.5},
                   {"growth", def->growth, 1e-6, 1.0},               {"balance", def->balance, 1e-6, 1.0},
                   {"margin", def->margin, -1.0, 1e6},               {"margin_least", def->margin_least, 0.0, 1e6},
                   {"attraction", def->attraction, 0.0, 1.0},        {"seconds", def->seconds, 0.0, 1e12}};
    scree_status status = placing_check_numbers(what, numbers, sizeof numbers / sizeof *numbers, def->threads);
    if (status != SCREE_OK)
        return status;
    if (def->warm_up < 0 || def->sweeps < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: warm_up = %" PRId64 ", sweeps = %" PRId64 "; expected 0 or more", what,
                          def->warm_up, def->sweeps);
    if (def->moves < 0 || def->moves >= SCREE_MOVES_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: moves = %d; expected 0 to %d", what, (int)def->moves, SCREE_MOVES_COUNT - 1);
    if (def->centres < 0 || def->centres >= SCREE_CENTRES_COUNT)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: centres = %d; expected 0 to %d", what, (int)def->centres, SCREE_CENTRES_COUNT - 1);
    if (def->margin_least > 0.0 && !(def->margin >= def->margin_least))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: margin = %g and margin_least = %g; expected margin_least <= margin", what,
                          def->margin, def->margin_least);
    if (def->margin != 0.0 && def->moves != SCREE_MOVES_ONE_BY_ONE)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: margin = %g; expected 0, because only spheres that are moved one by one have a margin", what, def->margin);
    if ((def->resume.data != NULL || def->saver.save != NULL) && def->margin < 0.0)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: margin = %g; expected 0 or more, for saving and resuming: without lists the state is not saved", what, def->margin);
    if (!(def->saver.seconds >= 0.0))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: saver.seconds = %g; expected 0 or more", what, def->saver.seconds);
    status = scree_container_check(&(scree_container){.kind = def->container, .box = def->box});
    return status == SCREE_OK ? placing_check_ends(what, &def->box) : status;
}

// ---- All of them ---------------------------------------------------------------------------------------------------

static const double growth_least = 1e-9;  // so that there is an end, however small the spheres that still overlap

static scree_status shrink_block(void* context, int64_t b)
{
    pile* p = context;
    for (int64_t i = b * pile_block; i < pile_block_end(p, b); ++i)
        p->x[i][3] = p->r[i] * p->factor;
    return SCREE_OK;
}

void pile_shrink(pile* p, double by)
{
    p->factor *= by;
    scree_parallel_for(p->threads, p->blocks, shrink_block, p, NULL);
    ++p->growths;
}

int64_t pile_tick_sweeps(int32_t n)
{
    int64_t sweeps = spheres_per_tick / n + 1;
    return sweeps < sweeps_per_tick ? sweeps : sweeps_per_tick;
}

static bool goes_on(pile* p)
{
    const scree_rearrange_def* def = p->def;
    if (p->sweeps % pile_tick_sweeps(p->n) != 0)
        return true;
    if (def->state != NULL)
        *def->state = (scree_rearrange_state){.sweeps = p->sweeps, .density = p->density * pow(p->factor, p->dim), .overlap = p->worst};
    if (def->watch.tick != NULL) {
        // Sweeps of the warm-up, then the logarithm of the largest overlap, which takes some 900 sweeps to fall to 1e-4.
        double share = (double)def->warm_up / ((double)def->warm_up + 900.0), done;
        if (p->sweeps <= def->warm_up) {
            done = share * (double)p->sweeps / (double)(def->warm_up > 0 ? def->warm_up : 1);
            p->first_worst = p->worst;
        } else {
            done = share + (1.0 - share) * log(p->first_worst / p->worst) / log(fmax(p->first_worst / def->tolerance, 1.001));
        }
        p->done = fmin(fmax(p->done, done), 1.0);
        if (!def->watch.tick(def->watch.context, p->done)) {
            p->cancelled = true;
            return false;
        }
    }
    return def->seconds == 0.0 || scree_clock() - p->began < def->seconds;
}

static scree_status rearrange(pile* p, int64_t since, bool* converged)
{
    const scree_rearrange_def* def = p->def;
    double saved = scree_clock();
    for (;;) {
        sums s;
        if (def->saver.save != NULL && scree_clock() - saved >= def->saver.seconds) {
            scree_bytes added[pile_added_most];
            int32_t more = p->way->save != NULL ? p->way->save(p, added) : 0;
            scree_status status = pile_save(p, &def->saver, pile_wish(p), since, more, added);
            if (status != SCREE_OK)
                return status;
            saved = scree_clock();
        }
        scree_status status = p->way->push(p, &s);
        if (status != SCREE_OK)
            return status;
        p->worst = 0.5 * s.worst;
        if (s.worst <= 2.0 * def->tolerance) {
            *converged = true;
            return SCREE_OK;
        }
        if (!goes_on(p) || (def->sweeps > 0 && p->sweeps >= def->sweeps))
            return SCREE_OK;
        double grow = 0.0;
        if (p->way->growth != NULL)
            grow = p->way->growth(p, &s);
        else if (s.net <= def->balance * def->balance * s.overlap || since >= patience)
            grow = def->growth * sqrt(s.energy / s.reach);
        if (grow > 0.0 && p->sweeps >= def->warm_up) {
            pile_shrink(p, 1.0 - fmax(grow, growth_least));
            since = 0;
        }
        p->way->move(p, &s);
        ++p->sweeps;
        ++since;
    }
}

SCREE_RESULT_OF(scree_packing, scree_pack_rearrange, (const scree_rearrange_def* def, int32_t count, const double* r, scree_packing* out), (def, count, r, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    scree_status status = check_def(def);
    if (status == SCREE_OK)
        status = placing_check_radii("rearrangement", count, r);
    if (status != SCREE_OK)
        return status;
    scree_packing made = {.count = count, .box = def->box, .container = def->container, .converged = true};
    made.x = scree_calloc((size_t)count * (size_t)def->box.dim, sizeof *made.x);
    if (made.x == NULL)
        return SCREE_ERR_MEMORY;
    if (count == 0) {
        *out = made;
        return SCREE_OK;
    }
    pile* p = NULL;
    status = pile_open(def, count, r, &p);
    made.converged = false;
    if (status == SCREE_OK)
        status = p->way->begin(p);
    int64_t since = 0;
    if (status == SCREE_OK && (def->resume.data != NULL || def->saver.save != NULL))
        p->radii_sum = saved_sum(r, (size_t)count * sizeof *r);
    scree_bytes added = {0};
    const bool more = p != NULL && p->way->restore != NULL;
    if (status == SCREE_OK && def->resume.data != NULL)
        status = pile_restore(p, "rearrangement", def->resume, pile_wish(p), &since, more ? &added : NULL);
    if (status == SCREE_OK && def->resume.data != NULL && more)
        status = p->way->restore(p, "rearrangement", added);
    if (status == SCREE_OK)
        status = rearrange(p, since, &made.converged);
    if (status == SCREE_OK) {
        made.density_net = pile_density(p);
        made.overlap_left = p->worst;
        status = pile_finish(p, r, &made);
    }
    bool cancelled = false;
    if (p != NULL) {
        made.sweeps = p->sweeps;
        made.growths = p->growths;
        made.rebuilds = p->rebuilds;
        made.tests = p->tests;
        made.refreshes = p->refreshes;
        made.search_tests = p->search_tests;
        made.seconds = scree_clock() - p->began;
        cancelled = p->cancelled;
        pile_close(p);
    }
    if (status != SCREE_OK) {
        scree_packing_free(&made);
        return status;
    }
    *out = made;
    return cancelled ? scree_fail(SCREE_ERR_CANCELLED, "rearrangement: stopped on request after %" PRId64 " sweeps, at density %.4g", made.sweeps,
                                  made.density)
                     : SCREE_OK;
}

SCREE_RELEASE_OF(scree_packing, scree_packing_free)
{
    if (given == NULL)
        return;
    scree_free(given->x);
    *given = (scree_packing){0};
}
