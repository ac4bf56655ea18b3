// Rearrangement one by one: lists of single spheres against all pairs while spheres move out of step; packings from outside, pair by pair.
#include "pack_support.h"

#include "pack/rearrange_inner.h"
#include "scree/index.h"
#include "scree/pack.h"

static scree_rearrange_def def_of(int dim, int axes)
{
    scree_rearrange_def def = scree_default_rearrange_def();
    def.box = scree_box_sized(dim, (double[3]){1.0, 1.0, 1.0});
    for (int k = 0; k < dim; ++k)
        def.box.periodic[k] = (axes >> k & 1) == 1;
    def.moves = SCREE_MOVES_ONE_BY_ONE;
    def.tolerance = 1e-3;
    return def;
}

static void check_same_bits(const scree_rearrange_def* def, int32_t count, const double* r, scree_packing* first)
{
    scree_packing p;
    CHECK_OK(scree_pack_rearrange(def, count, r, &p));
    if (first->x == NULL) {
        *first = p;
        return;
    }
    assert_memory_equal(p.x, first->x, (size_t)count * (size_t)def->box.dim * sizeof *p.x);
    assert_true(p.box.upper[0] == first->box.upper[0] && p.sweeps == first->sweeps && p.refreshes == first->refreshes && p.tests == first->tests);
    scree_packing_free(&p);
}

// ---- Lists ---------------------------------------------------------------------------------------------------------

// Every pair that overlaps is in both rows, with its image: by a plain loop. Gives their number.
static int64_t check_complete(const pile* p)
{
    int64_t overlaps = 0;
    const int wide = 2 * shift_most + 1;
    int most[3] = {0, 0, 0};
    for (int k = 0; k < p->dim; ++k)
        most[k] = p->periodic[k] ? 2 : 0;
    for (int32_t i = 0; i < p->n; ++i)
        for (int32_t j = 0; j < p->n; ++j)
            for (int sz = -most[2]; sz <= most[2] && j != i; ++sz)
                for (int sy = -most[1]; sy <= most[1]; ++sy)
                    for (int sx = -most[0]; sx <= most[0]; ++sx) {
                        double d[3] = {p->x[i][0] - p->x[j][0] - sx * p->length[0], p->x[i][1] - p->x[j][1] - sy * p->length[1],
                                       p->x[i][2] - p->x[j][2] - sz * p->length[2]};
                        double sum = p->x[i][3] + p->x[j][3];
                        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >= sum * sum)
                            continue;
                        int image = shift_codes / 2 + sx + wide * (sy + wide * sz), found = 0;
                        for (int64_t e = p->rows.row[i].at; e < p->rows.row[i].at + p->rows.row[i].count; ++e)
                            found += p->rows.j[e] == j && p->rows.image[e] == image;
                        if (found != 1)
                            fail_msg("spheres %d and %d (image %d %d %d) overlap and are listed %d times", i, j, sx, sy, sz, found);
                        ++overlaps;
                    }
    return overlaps;
}

// Steps about the references, back and forth, of the lengths at which the rule of the paper misses overlaps; each sphere in its own time.
static void lists_are_complete_out_of_step(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes;
        int32_t count, method;
    } cases[] = {{"mono:1", 3, 7, 150, SCREE_METHOD_LOOSE_OCTREE},           {"uniform-volume:1:8", 3, 5, 120, SCREE_METHOD_HIERARCHICAL_GRID},
                 {"uniform-size:1:3", 2, 3, 150, SCREE_METHOD_LINKED_CELLS}, {"mono:1", 3, 0, 150, SCREE_METHOD_OCTREE},
                 {"bidisperse:6", 2, 1, 150, SCREE_METHOD_LOOSE_OCTREE}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        double* r = radii(cases[t].law, cases[t].dim, cases[t].count);
        scree_rearrange_def def = def_of(cases[t].dim, cases[t].axes);
        def.method = cases[t].method;
        def.start_density = 0.6;
        pile* p;
        CHECK_OK(pile_open(&def, cases[t].count, r, &p));
        p->skin = pile_skin_within(p, 0.6 * p->r_min);
        CHECK_OK(pile_rows(p));
        scree_rng rng = scree_rng_make(7, t);
        double quarter = 0.25 * pile_list_limit(p);
        int64_t overlaps = 0;
        int rounds = 2 + (int)(13 * test_effort());
        for (int round = 0; round < rounds; ++round) {
            for (int32_t i = 0; i < p->n; ++i) {
                if (scree_rng_below(&rng, 3) == 0)
                    continue;
                double step[3] = {0.0, 0.0, 0.0}, length = 0.0, gone = 0.0;
                for (int k = 0; k < p->dim; ++k) {
                    step[k] = scree_rng_uniform(&rng) - 0.5;
                    length += step[k] * step[k];
                }
                for (int k = 0; k < p->dim; ++k) {
                    double to = p->x[i][k] + step[k] / sqrt(length) * quarter * (1.0 - 1e-12);
                    p->x[i][k] = p->periodic[k] ? to : fmin(fmax(to, 0.0), p->length[k]);
                    gone += pow(p->x[i][k] - p->reference[i][k], 2);
                }
                if (gone > quarter * quarter) {
                    scree_neighbour_change change;
                    memcpy(p->reference[i], p->x[i], sizeof p->reference[i]);
                    CHECK_OK(scree_neighbour_lists_refresh(p->lists, i, p->x[i], &change));
                    CHECK_OK(scree_neighbour_lists_get_rows(p->lists, &p->rows));
                    assert_false(change.far);
                }
            }
            CHECK_OK(scree_neighbour_lists_validate(p->lists));
            overlaps += check_complete(p);
        }
        assert_true(overlaps > 100 * rounds / 4 && scree_neighbour_lists_get_stats(p->lists).refreshes > 20 * rounds);
        pile_close(p);
        free(r);
    }
}

// The same while they are rearranged: from sweep to sweep no overlap is missed.
static void no_overlap_is_missed(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:1", "uniform-volume:1:8"};
    for (int law = 0; law < 2; ++law)
        for (int margin = 0; margin < 2; ++margin) {
            double* r = radii(laws[law], 3, 150);
            scree_rearrange_def def = def_of(3, law == 0 ? 7 : 3);
            def.margin = 0.1 * margin;
            pile* p;
            sums s;
            CHECK_OK(pile_open(&def, 150, r, &p));
            CHECK_OK(p->way->begin(p));
            int64_t overlaps = 0;
            for (int sweep = 0; sweep < (int)(150 * test_effort()); ++sweep) {
                CHECK_OK(p->way->push(p, &s));
                CHECK_OK(scree_neighbour_lists_validate(p->lists));
                if (sweep % 8 == 0)
                    overlaps += check_complete(p);
            }
            assert_true(overlaps > 1000);
            pile_close(p);
            free(r);
        }
}

// ---- Attraction ----------------------------------------------------------------------------------------------------

// The nearest neighbour of sphere i by a plain loop over all others and images: the gap, and where its centre is.
static double plain_nearest(const pile* p, const double (*x)[4], int32_t i, double at[3])
{
    double least = INFINITY;
    int most[3] = {0, 0, 0};
    for (int k = 0; k < p->dim; ++k)
        most[k] = p->periodic[k] ? 2 : 0;
    for (int32_t j = 0; j < p->n; ++j)
        for (int sz = -most[2]; sz <= most[2] && j != i; ++sz)
            for (int sy = -most[1]; sy <= most[1]; ++sy)
                for (int sx = -most[0]; sx <= most[0]; ++sx) {
                    double c[3] = {x[j][0] + sx * p->length[0], x[j][1] + sy * p->length[1], x[j][2] + sz * p->length[2]};
                    double gap = sqrt(pow(x[i][0] - c[0], 2) + pow(x[i][1] - c[1], 2) + pow(x[i][2] - c[2], 2)) - x[i][3] - x[j][3];
                    if (gap < least) {
                        least = gap;
                        memcpy(at, c, sizeof c);
                    }
                }
    return least;
}

// A visit as docs/rearrange.md defines it, by plain loops: away from overlaps, or towards the nearest by attraction * gap/2, at most `most`. `proven`: a
// sphere whose nearest is farther is left for the end of the sweep. False: it was left.
static bool plain_visit(const pile* p, double (*x)[4], int32_t i, double most, double proven)
{
    double step[3] = {0.0, 0.0, 0.0}, length = 0.0;
    int z = 0, images[3] = {0, 0, 0};
    for (int k = 0; k < p->dim; ++k)
        images[k] = p->periodic[k] ? 2 : 0;
    for (int32_t j = 0; j < p->n; ++j)
        for (int sz = -images[2]; sz <= images[2] && j != i; ++sz)
            for (int sy = -images[1]; sy <= images[1]; ++sy)
                for (int sx = -images[0]; sx <= images[0]; ++sx) {
                    double d[3] = {x[i][0] - x[j][0] - sx * p->length[0], x[i][1] - x[j][1] - sy * p->length[1], x[i][2] - x[j][2] - sz * p->length[2]};
                    double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), o = x[i][3] + x[j][3] - distance;
                    for (int k = 0; k < 3 && o > 0.0; ++k)
                        step[k] += o * d[k] / distance;
                    z += o > 0.0;
                }
    for (int k = 0; k < p->dim; ++k)
        for (int side = 0; side < 2 && !p->periodic[k]; ++side) {
            double o = side == 0 ? x[i][3] - x[i][k] : x[i][k] + x[i][3] - p->length[k];
            step[k] += o > 0.0 ? (side == 0 ? o : -o) : 0.0;
            z += o > 0.0;
        }
    if (z > 0) {
        for (int k = 0; k < 3; ++k)
            step[k] *= p->dim / fmax(z, 2.0 * p->dim);
    } else {
        double at[3] = {0.0, 0.0, 0.0}, gap = plain_nearest(p, (const double(*)[4])x, i, at), distance = 0.0;
        if (!(gap <= proven))
            return false;
        for (int k = 0; k < 3; ++k)
            distance += pow(at[k] - x[i][k], 2);
        for (int k = 0; k < 3; ++k)
            step[k] = p->def->attraction * 0.5 * gap * (at[k] - x[i][k]) / sqrt(distance);
    }
    for (int k = 0; k < 3; ++k)
        length += step[k] * step[k];
    for (int k = 0; k < p->dim; ++k) {
        x[i][k] += step[k] * fmin(1.0, most / fmax(sqrt(length), 1e-300));
        x[i][k] = p->periodic[k] ? x[i][k] : fmin(fmax(x[i][k], 0.0), p->length[k]);
    }
    return true;
}

// Whole sweeps against plain ones, at densities at which many spheres are loose, some of them far from anybody. 32 spheres are one unit: they are visited
// in the order of their ranks, those whose lists do not prove who is nearest last.
static void a_sweep_is_the_one_that_is_defined(void** state)
{
    (void)state;
    enum { count = 32 };
    static const double densities[] = {0.02, 0.2, 0.5, 0.9};
    int64_t attracted = 0, left = 0, pushed = 0;
    for (int t = 0; t < 24; ++t) {
        int dim = 2 + t % 2;
        double* r = radii("uniform-size:1:2", dim, count);
        scree_rearrange_def def = def_of(dim, t % 3 == 0 ? 7 : t % 3 == 1 ? 0 : 2);
        def.centres = SCREE_CENTRES_RANDOM;
        def.start_density = densities[t % 4];
        def.attraction = t % 5 == 0 ? 0.3 : 1.0;
        def.margin = t % 4 == 3 ? 2.0 : t % 2 == 0 ? 0.3 : -1.0;
        def.seed = (uint64_t)t + 1;
        def.method = 1 + t % (SCREE_METHOD_COUNT - 1);
        pile* p;
        sums s;
        CHECK_OK(pile_open(&def, count, r, &p));
        CHECK_OK(p->way->begin(p));
        CHECK_OK(p->way->push(p, &s));  // the first makes lists and ranks
        for (int sweep = 0; sweep < 12; ++sweep) {
            double x[count][4];
            bool last[count] = {false};
            memcpy(x, p->x, sizeof x);
            int64_t rebuilds = p->rebuilds;
            CHECK_OK(p->way->push(p, &s));
            if (p->rebuilds != rebuilds)
                continue;  // ranks may be others
            bool listed = def.margin >= 0.0;
            double most = 0.25 * (listed ? pile_list_limit(p) : p->skin);
            for (int pass = 0; pass < 2; ++pass)
                for (int32_t i = 0; i < count; ++i) {
                    double gone = 0.0, at[3];
                    for (int k = 0; k < 3; ++k)
                        gone += pow(x[i][k] - p->reference[i][k], 2);
                    double proven = pass == 0 && listed ? 0.5 * pile_list_limit(p) - sqrt(gone) : INFINITY;
                    if (pass == 1 && !last[i])
                        continue;
                    bool loose = plain_nearest(p, (const double(*)[4])x, i, at) > 0.0;
                    last[i] = !plain_visit(p, x, i, most, proven);
                    attracted += loose && !last[i];
                    pushed += !loose;
                    left += pass == 0 && last[i];
                    for (int k = 0; k < dim && !listed; ++k)  // without lists they are wrapped at once
                        x[i][k] -= p->periodic[k] ? floor(x[i][k] / p->length[k]) * p->length[k] : 0.0;
                }
            for (int32_t i = 0; i < count; ++i)
                for (int k = 0; k < dim; ++k)
                    if (!(fabs(x[i][k] - p->x[i][k]) <= 1e-12 * p->length[0]))
                        fail_msg("case %d, sweep %d: sphere %d is at %.17g on axis %d, not at %.17g", t, sweep, i, p->x[i][k], k, x[i][k]);
            // The index alone, without what the list knows already.
            for (int32_t i = 0; i < count; ++i) {
                double at[3], gap = plain_nearest(p, (const double(*)[4])p->x, i, at);
                nearest alone = nearest_nobody();
                if (!(gap > 0.0))
                    continue;
                CHECK_OK(pile_nearest(p, i, &alone));
                CHECK_CLOSE(alone.gap, gap, 1e-12 * p->length[0]);
            }
        }
        pile_close(p);
        free(r);
    }
    if (attracted < 500 || left < 100 || pushed < 500)
        fail_msg("%d visits attracted, %d left for the end, %d pushed: too few to tell", (int)attracted, (int)left, (int)pushed);
}

// Two spheres a gap g apart, through a periodic face: the one that is visited first goes A g/2, and the other A/2 of the gap that is left. Moved together,
// both go A g/2; each at most delta/4 one by one.
static void two_spheres_come_together(void** state)
{
    (void)state;
    double r[2] = {1.0, 0.5};
    for (int moves = 0; moves < SCREE_MOVES_COUNT; ++moves)
        for (int far = 0; far < 2; ++far) {
            scree_rearrange_def def = def_of(3, 7);
            def.moves = moves;
            def.margin = moves == SCREE_MOVES_ONE_BY_ONE ? 0.8 : 0.0;
            def.start_density = 0.01;
            def.attraction = 0.6;
            pile* p;
            sums s;
            CHECK_OK(pile_open(&def, 2, r, &p));
            CHECK_OK(p->way->begin(p));
            double unit = p->r_max, gap = (far ? 1.5 : 0.3) * unit, first = 0.6 * gap / 2.0, second = 0.6 * (gap - first) / 2.0;
            int32_t large = p->r[0] > p->r[1] ? 0 : 1;
            for (int32_t i = 0; i < 2; ++i)
                for (int k = 0; k < 3; ++k)
                    p->x[i][k] = 0.5 * p->length[k];
            p->x[large][0] = 0.4 * unit;
            p->x[1 - large][0] = p->length[0] - (1.1 * unit + gap);  // 1.5 radii and the gap to the left of the other, through the face
            CHECK_OK(p->way->push(p, &s));
            p->way->move(p, &s);
            double to[2];  // by rank now, the way towards each other
            for (int32_t i = 0; i < 2; ++i)
                to[i] = p->id[i] == 0 ? 0.4 * unit - p->x[i][0] : p->x[i][0] - (p->length[0] - (1.1 * unit + gap));
            double most = moves == SCREE_MOVES_ONE_BY_ONE ? 0.25 * pile_list_limit(p) : INFINITY;
            if (moves == SCREE_MOVES_TOGETHER)
                second = first;
            else if (first > most)
                second = 0.6 * (gap - most) / 2.0;
            CHECK_CLOSE(to[0], fmin(first, most), 1e-12);
            CHECK_CLOSE(to[1], fmin(second, most), 1e-12);
            pile_close(p);
        }
}

// Moved together, all look at the same places: each loose sphere goes towards the one that a plain loop finds nearest.
static void together_all_go_to_their_nearest(void** state)
{
    (void)state;
    enum { count = 60 };
    int64_t loose = 0;
    for (int t = 0; t < 12; ++t) {
        int dim = 2 + t % 2;
        double* r = radii("uniform-size:1:3", dim, count);
        scree_rearrange_def def = def_of(dim, t % 3 == 0 ? 7 : t % 3 == 1 ? 0 : 1);
        def.moves = SCREE_MOVES_TOGETHER;
        def.centres = SCREE_CENTRES_RANDOM;
        def.start_density = t % 2 == 0 ? 0.03 : 0.25;
        def.attraction = 0.8;
        def.seed = (uint64_t)t;
        def.method = 1 + t % (SCREE_METHOD_COUNT - 1);
        pile* p;
        sums s;
        CHECK_OK(pile_open(&def, count, r, &p));
        CHECK_OK(p->way->begin(p));
        for (int sweep = 0; sweep < 10; ++sweep) {
            CHECK_OK(p->way->push(p, &s));
            for (int32_t i = 0; i < count; ++i) {
                double at[3] = {0.0, 0.0, 0.0}, gap = plain_nearest(p, (const double(*)[4])p->x, i, at), distance = 0.0;
                bool walled = false;
                for (int k = 0; k < dim; ++k)
                    walled = walled || (!p->periodic[k] && fmin(p->x[i][k], p->length[k] - p->x[i][k]) < p->x[i][3]);
                for (int k = 0; k < 3; ++k)
                    distance += pow(at[k] - p->x[i][k], 2);
                for (int k = 0; k < dim && gap > 0.0 && !walled; ++k)
                    CHECK_CLOSE(p->f[i][k], 0.8 * 0.5 * gap * (at[k] - p->x[i][k]) / sqrt(distance), 1e-12 * p->length[0]);
                loose += gap > 0.0 && !walled;
            }
            p->way->move(p, &s);
        }
        pile_close(p);
        free(r);
    }
    assert_true(loose > 1000);
}

// ---- As in the paper -----------------------------------------------------------------------------------------------

// Centres uniform over what the walls leave, in a container of the net volume of the spheres.
static void the_random_start_is_uniform(void** state)
{
    (void)state;
    enum { count = 4000, parts = 5 };
    static const int containers[] = {SCREE_CONTAINER_BOX, SCREE_CONTAINER_CYLINDER, SCREE_CONTAINER_SPHERE};
    for (int t = 0; t < 4; ++t) {
        int dim = t == 3 ? 2 : 3, container = t == 3 ? SCREE_CONTAINER_SPHERE : containers[t];
        double *r = radii("uniform-size:1:2", dim, count), net = 0.0;
        scree_rearrange_def def = scree_paper_rearrange_def();
        def.box = scree_box_sized(dim, (double[3]){1.0, 1.0, 1.0});
        def.box.periodic[dim - 1] = container != SCREE_CONTAINER_SPHERE;
        def.container = container;
        pile* p;
        CHECK_OK(pile_open(&def, count, r, &p));
        for (int32_t i = 0; i < count; ++i)
            net += pow(p->r[i], dim) * (dim == 3 ? 4.0 / 3.0 : 1.0) * 3.14159265358979323846;
        CHECK_CLOSE(scree_container_volume(&p->container), net, 1e-9 * net);
        CHECK_CLOSE(pile_density(p), 1.0, 1e-12);
        int in_part[parts] = {0};
        for (int32_t i = 0; i < count; ++i) {
            double d[3], wall = 0.5 * p->length[0] - p->r[i], share;
            if (p->round > 0) {  // shares of the space that the round wall leaves, within the circle or sphere through the centre
                share = pow(pile_from_middle(p, p->x[i], d) / wall, p->round);
            } else {
                share = (p->x[i][0] - p->r[i]) / (p->length[0] - 2.0 * p->r[i]);
            }
            assert_true(share >= 0.0 && share <= 1.0 + 1e-9);
            ++in_part[(int)fmin(parts * share, parts - 1)];
        }
        double chi = 0.0;
        for (int k = 0; k < parts; ++k)
            chi += pow(in_part[k] - (double)count / parts, 2) * parts / count;
        if (chi > 18.5)  // one in a thousand
            fail_msg("container %d in %dD: chi squared %g for four degrees of freedom", container, dim, chi);
        pile_close(p);
        free(r);
    }
}

// delta_V begins at the margin, falls, never rises and stays above the least; the packing is that of the fields set by hand.
static void the_margin_falls(void** state)
{
    (void)state;
    double* r = radii("uniform-volume:1:4", 3, 200);
    scree_rearrange_def def = scree_paper_rearrange_def();
    def.box.periodic[0] = def.box.periodic[1] = def.box.periodic[2] = true;
    pile* p;
    sums s;
    CHECK_OK(pile_open(&def, 200, r, &p));
    CHECK_OK(p->way->begin(p));
    CHECK_CLOSE(p->skin, 0.5 * 2.0 * p->r_min, 1e-12);
    double before = p->skin;
    for (int sweep = 0; sweep < 1500; ++sweep) {
        CHECK_OK(p->way->push(p, &s));
        assert_true(p->skin <= before && p->skin >= 0.04 * 2.0 * p->r_min * (1.0 - 1e-12));
        before = p->skin;
    }
    assert_true(before <= 0.25 * 2.0 * p->r_min);
    pile_close(p);
    free(r);
}

static void the_preset_is_its_fields(void** state)
{
    (void)state;
    double* r = radii("uniform-volume:1:4", 3, 150);
    scree_rearrange_def paper = scree_paper_rearrange_def(), hand = scree_default_rearrange_def();
    hand.moves = SCREE_MOVES_ONE_BY_ONE;
    hand.centres = SCREE_CENTRES_RANDOM;
    hand.start_density = 1.0;
    hand.attraction = 1.0;
    hand.margin = 0.5;
    hand.margin_least = 0.04;
    hand.growth = 0.05;
    hand.tolerance = 1e-3;
    hand.threads = 1;
    paper.sweeps = hand.sweeps = 1000;
    scree_packing first = {0};
    check_same_bits(&paper, 150, r, &first);
    check_same_bits(&hand, 150, r, &first);
    check_rearranged(&paper, &first, 150, r);
    scree_packing_free(&first);
    free(r);
}

// The net density is the sum of the volumes over that of the container, overlaps or not. Before the box grows for the first time it is that of the start;
// and a scaling takes it to the density.
static void the_net_density_is_a_plain_sum(void** state)
{
    (void)state;
    for (int t = 0; t < 6; ++t) {
        int dim = 2 + t % 2, container = t < 2 ? SCREE_CONTAINER_BOX : t < 4 ? SCREE_CONTAINER_SPHERE : SCREE_CONTAINER_CYLINDER;
        container = dim == 2 && container == SCREE_CONTAINER_CYLINDER ? SCREE_CONTAINER_BOX : container;
        double* r = radii("uniform-volume:1:4", dim, 120);
        scree_rearrange_def def = def_of(dim, 0);
        def.container = container;
        def.moves = t % 3 == 0 ? SCREE_MOVES_TOGETHER : SCREE_MOVES_ONE_BY_ONE;
        def.start_density = 0.7 + 0.1 * t;
        def.sweeps = 40;  // fewer than the warm-up: the box has not grown
        scree_packing packing;
        CHECK_OK(scree_pack_rearrange(&def, 120, r, &packing));
        assert_int_equal(packing.growths, 0);
        CHECK_CLOSE(packing.density_net, def.start_density, 1e-12);
        CHECK_CLOSE(packing.density, packing_density(&packing.box, container, 120, r), 1e-9);
        assert_true(packing.density < packing.density_net);
        scree_packing_free(&packing);

        def.warm_up = 0;
        def.start_density = 0.9;
        pile* p;
        sums s;
        CHECK_OK(pile_open(&def, 120, r, &p));
        CHECK_OK(p->way->begin(p));
        for (int sweep = 0; sweep < 20; ++sweep) {
            CHECK_OK(p->way->push(p, &s));
            p->way->move(p, &s);
        }
        double shrunk[120];
        p->factor = 0.93;
        for (int32_t i = 0; i < 120; ++i)
            shrunk[i] = p->r[i] * 0.93;
        CHECK_CLOSE(pile_density(p), packing_density(&p->container.box, container, 120, shrunk), 1e-12);
        CHECK_CLOSE(pile_density(p), 0.9 * pow(0.93, dim), 1e-12);
        pile_close(p);
        free(r);
    }
}

// ---- Packings ------------------------------------------------------------------------------------------------------

static void packings_are_dense_and_valid(void** state)
{
    (void)state;
    static const struct {
        const char* law;
        int dim, axes;
        int32_t count;
        double tolerance, least, most;
    } cases[] = {
        {"mono:1", 3, 7, 600, 1e-3, 0.63, 0.66},
        {"mono:1", 3, 0, 300, 1e-3, 0.52, 0.62},
        {"uniform-volume:1:10", 3, 7, 500, 3e-3, 0.67, 0.75},
        {"uniform-size:1:10", 3, 3, 250, 3e-3, 0.58, 0.68},
        {"fuller:1:684.75:0.5:70", 3, 7, 600, 1e-2, 0.72, 0.82},
        {"bidisperse:1.4", 2, 3, 300, 1e-3, 0.82, 0.86},
        {"uniform-size:1:3", 2, 1, 300, 1e-3, 0.76, 0.88},
        {"lognormal:1e100:0.5", 3, 7, 300, 1e-3, 0.62, 0.76},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; ++t) {
        double* r = radii(cases[t].law, cases[t].dim, cases[t].count);
        scree_rearrange_def def = def_of(cases[t].dim, cases[t].axes);
        def.tolerance = cases[t].tolerance;
        scree_packing p;
        CHECK_OK(scree_pack_rearrange(&def, cases[t].count, r, &p));
        check_rearranged(&def, &p, cases[t].count, r);
        if (!p.converged || !(p.density >= cases[t].least && p.density <= cases[t].most))
            fail_msg("%s in %dD, axes %d: density %.5f, wanted %g to %g", cases[t].law, cases[t].dim, cases[t].axes, p.density, cases[t].least,
                     cases[t].most);
        assert_true(p.refreshes > 0 && p.search_tests > 0 && p.tests > 0 && p.growths > 0);
        scree_packing_free(&p);
        free(r);
    }
}

static void bits_do_not_depend_on_the_method(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:1", "uniform-volume:1:10", "fuller:1:684.75:0.5:70"};
    for (int law = 0; law < 3; ++law)
        for (int way = 0; way < 2; ++way) {
            double* r = radii(laws[law], 3, 300);
            scree_rearrange_def def = def_of(3, law == 1 ? 3 : 7);
            def.sweeps = way == 0 ? 400 : 20;
            def.margin = -way;
            def.attraction = 0.5;
            def.centres = law == 2 ? SCREE_CENTRES_RANDOM : SCREE_CENTRES_SPREAD;
            scree_packing first = {0};
            for (int m = 0; m < SCREE_METHOD_COUNT; ++m) {
                def.method = m;
                check_same_bits(&def, 300, r, &first);
            }
            scree_packing_free(&first);
            free(r);
        }
}

// So many spheres that a colour of units is worth several threads. Few sweeps: what is looked for is a race or a sum in another order.
static void bits_do_not_depend_on_threads(void** state)
{
    (void)state;
    static const char* const laws[] = {"mono:1", "fuller:1:684.75:0.5:70"};
    const int32_t count = test_is_small() ? 15000 : 50000;
    for (int law = 0; law < 2; ++law) {
        double* r = radii(laws[law], 3, count);
        scree_rearrange_def def = def_of(3, 7);
        def.sweeps = 4;
        def.warm_up = 2;
        def.centres = law == 1 ? SCREE_CENTRES_RANDOM : SCREE_CENTRES_SPREAD;
        def.attraction = law == 1 ? 1.0 : 0.0;
        def.start_density = law == 1 ? 0.4 : 0.9;  // loose ones are among them
        scree_packing first = {0};
        static const int32_t threads[] = {1, 7, 2};
        for (int t = 0; t < (test_is_small() ? 2 : 3); ++t) {
            def.threads = threads[t];
            check_same_bits(&def, count, r, &first);
        }
        scree_packing_free(&first);
        free(r);
    }
}

// At random: numbers, sizes, shapes, settings. Whatever comes out is valid.
static void anything_is_valid(void** state)
{
    (void)state;
    scree_rng rng = scree_rng_make(13, 0);
    int rounds = (int)(40 * test_effort());
    for (int round = 0; round < rounds; ++round) {
        int dim = 2 + (int)scree_rng_below(&rng, 2);
        int32_t count;
        double* r = random_radii(&rng, 150, &count);
        scree_rearrange_def def = def_of(dim, (int)scree_rng_below(&rng, 8));
        move_box(&rng, &def.box);
        def.seed = (uint64_t)round;
        def.start_density = 0.1 + 1.2 * scree_rng_uniform(&rng);
        def.tolerance = exp(-6.0 * scree_rng_uniform(&rng) - 1.0);
        def.growth = exp(-5.0 * scree_rng_uniform(&rng));
        def.warm_up = (int64_t)scree_rng_below(&rng, 100);
        def.attraction = scree_rng_below(&rng, 2) == 0 ? 0.0 : scree_rng_uniform(&rng);
        def.margin = scree_rng_below(&rng, 3) == 0 ? 0.0 : scree_rng_below(&rng, 3) == 0 ? -1.0 : exp(3.0 * scree_rng_uniform(&rng) - 3.0);
        def.sweeps = 1 + (int64_t)scree_rng_below(&rng, 1000);
        def.margin_least = def.margin > 0.0 && scree_rng_below(&rng, 2) == 0 ? def.margin * scree_rng_uniform(&rng) : 0.0;
        def.centres = (int32_t)scree_rng_below(&rng, 2);
        scree_packing p;
        CHECK_OK(scree_pack_rearrange(&def, count, r, &p));
        check_rearranged(&def, &p, count, r);
        assert_true(p.converged || p.sweeps >= def.sweeps);
        scree_packing_free(&p);
        free(r);
    }
}

static void stopped_packings_are_valid(void** state)
{
    (void)state;
    double* r = radii("uniform-volume:1:10", 3, 300);
    scree_rearrange_def def = def_of(3, 7);
    for (int ticks = 0; ticks < 30; ticks = 2 * ticks + 1) {
        stopper s = {.placing = 1 << 30, .left = ticks};
        scree_packing p;
        def.watch = (scree_watch){stop_after, &s};
        def.state = &s.now;
        CHECK_FAILS(scree_pack_rearrange(&def, 300, r, &p), SCREE_ERR_CANCELLED);
        check_rearranged(&def, &p, 300, r);
        assert_false(p.converged);
        scree_packing_free(&p);
    }
    free(r);
}

static void errors_name_what_is_wrong(void** state)
{
    (void)state;
    double r[3] = {1.0, 1.0, 1.0};
    scree_packing p;
    scree_rearrange_def def = def_of(3, 7);
    def.moves = 2;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT);
    def.moves = SCREE_MOVES_TOGETHER;
    def.margin = 0.1;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT, "margin");
    def.moves = SCREE_MOVES_ONE_BY_ONE;
    def.margin = NAN;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT, "margin");
    def.margin = 0.1;
    def.margin_least = 0.2;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT, "margin", "0.1", "0.2");
    def.margin = 0.0;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT, "margin", "0.2");
    def.margin_least = -1.0;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT, "margin", "-1");
    def.margin_least = 0.0;
    def.centres = SCREE_CENTRES_COUNT;
    CHECK_FAILS(scree_pack_rearrange(&def, 3, r, &p), SCREE_ERR_ARGUMENT, "centres", "2");
    assert_null(scree_centres_name(SCREE_CENTRES_COUNT));
    assert_string_equal(scree_centres_name(SCREE_CENTRES_RANDOM), "random");
    assert_null(scree_moves_name(SCREE_MOVES_COUNT));
    assert_string_equal(scree_moves_name(SCREE_MOVES_ONE_BY_ONE), "one-by-one");
}

static void no_memory(void** state)
{
    (void)state;
    double* r = radii("uniform-size:1:3", 3, 60);
    scree_rearrange_def def = def_of(3, 3);
    def.threads = 1;
    def.tolerance = 1e-2;
    def.warm_up = 30;
    for (int way = 0; way < 2; ++way)
        for (int64_t n = 1;; ++n) {
            scree_packing p;
            def.margin = -way;
            def.sweeps = way == 0 ? 500 : 30;
            scree_memory_fail_at(n);
            scree_status status = scree_pack_rearrange(&def, 60, r, &p);
            int64_t used = scree_memory_fail_at(0);
            if (status == SCREE_OK) {
                check_rearranged(&def, &p, 60, r);
                scree_packing_free(&p);
                if (used < n)
                    break;
                continue;  // the index does without what it did not get, and asks again later
            }
            assert_int_equal(status, SCREE_ERR_MEMORY);
            assert_null(p.x);
        }
    free(r);
}

static const test_case cases[] = {
    PROPERTY(lists_are_complete_out_of_step),
    PROPERTY(no_overlap_is_missed),
    PROPERTY(a_sweep_is_the_one_that_is_defined),
    UNIT(two_spheres_come_together),
    PROPERTY(together_all_go_to_their_nearest),
    UNIT(the_random_start_is_uniform),
    UNIT(the_margin_falls),
    UNIT(the_preset_is_its_fields),
    UNIT(the_net_density_is_a_plain_sum),
    UNIT(packings_are_dense_and_valid),
    SAME_BITS(bits_do_not_depend_on_the_method),
    THREADS(bits_do_not_depend_on_threads),
    PROPERTY(anything_is_valid),
    UNIT(stopped_packings_are_valid),
    UNIT(errors_name_what_is_wrong),
    ALLOCATION(no_memory),
};

const test_group group_visits = {.name = "visits", .cases = cases, .count = sizeof cases / sizeof *cases};
