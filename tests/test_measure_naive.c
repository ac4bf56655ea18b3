// measure: every number against a second, naive implementation written here.
#include "measure_support.h"

// ---- The second implementation -----------------------------------------------------------------------------------

// No structure, long doubles, a loop over images that is too wide. What lies nearer to a threshold than rounding could tell
// is counted as unsure.

typedef struct naive {
    int64_t near, near_unsure, contacts, contacts_unsure, walls, walls_unsure;
    int64_t* partners;
    int32_t rattlers, no_contact, one_contact;
    int64_t backbone_near, mechanical_ends;
    long double max_overlap, sum_overlap, max_relative, sum_relative, lenses;
    int64_t* pairs;   // by bins of g(r)
    int64_t* unsure;  // at the lower edge of each bin, and the last
    long double* nearest;
} naive;

static void forget(naive* s)
{
    free(s->partners);
    free(s->pairs);
    free(s->unsure);
    free(s->nearest);
}

static naive naive_pairs(scree_spheres s, const scree_box* box, double gap, int32_t least, const scree_pair_distribution* gr)
{
    naive out = {.partners = calloc((size_t)s.count + 1, sizeof(int64_t)),
                 .pairs = calloc((size_t)gr->bins + 1, sizeof(int64_t)),
                 .unsure = calloc((size_t)gr->bins + 2, sizeof(int64_t)),
                 .nearest = malloc(((size_t)s.count + 1) * sizeof(long double))};
    uint8_t* near = calloc((size_t)s.count * (size_t)s.count + 1, 1);  // how many near images of j are at i
    uint8_t* gone = calloc((size_t)s.count + 1, 1);
    int64_t* held = calloc((size_t)s.count + 1, sizeof *held);
    int range[3] = {0, 0, 0};
    long double length[3] = {0.0L, 0.0L, 0.0L}, largest = 0.0L;
    for (int k = 0; k < s.dim; ++k) {
        length[k] = (long double)box->upper[k] - (long double)box->lower[k];
        largest = fmaxl(largest, fmaxl(fabsl(box->lower[k]), fabsl(box->upper[k])));
        double reach = fmax(gr->r_max, gap);
        for (int i = 0; i < s.count; ++i)
            reach = fmax(reach, 2.0 * s.r[i] + gap);
        if (box->periodic[k])
            range[k] = 1 + (int)ceill(reach / length[k]);
    }
    long double band = 1e-13L * (largest + 4.0L * gr->r_max);
    for (int i = 0; i < s.count; ++i)
        out.nearest[i] = INFINITY;
    for (int i = 0; i < s.count; ++i)
        for (int j = 0; j < s.count; ++j)
            for (int a = -range[0]; a <= range[0]; ++a)
                for (int b = -range[1]; b <= range[1]; ++b)
                    for (int c = -range[2]; c <= range[2]; ++c) {
                        if (i == j && a == 0 && b == 0 && c == 0)
                            continue;
                        int shift[3] = {a, b, c};
                        long double square = 0.0L;
                        for (int k = 0; k < s.dim; ++k) {
                            long double xi = s.x[i * s.dim + k], xj = s.x[j * s.dim + k];
                            if (box->periodic[k]) {
                                xi -= length[k] * floorl((xi - box->lower[k]) / length[k]);
                                xj -= length[k] * floorl((xj - box->lower[k]) / length[k]);
                            }
                            long double d = xi - xj - shift[k] * length[k];
                            square += d * d;
                        }
                        long double reach = (long double)s.r[i] + (long double)s.r[j], distance = sqrtl(square);
                        long double here = distance - reach;
                        out.nearest[i] = fminl(out.nearest[i], here);
                        // From here on pairs, each twice: (i, j, s) and (j, i, -s).
                        bool possible = reach + gap > 0.0L;
                        if (possible && fabsl(here - gap) < band)
                            ++out.near_unsure;
                        else if (possible && here < gap) {
                            ++out.near;
                            ++out.partners[i];
                            ++near[i * s.count + j];
                        }
                        if (reach > 0.0L && fabsl(here) < band) {
                            ++out.contacts_unsure;
                        } else if (reach > 0.0L && here < 0.0L) {
                            long double small = fminl(s.r[i], s.r[j]);
                            ++out.contacts;
                            out.sum_overlap -= here;
                            out.max_overlap = fmaxl(out.max_overlap, -here);
                            if (small > 0.0L) {
                                out.max_relative = fmaxl(out.max_relative, -here / (long double)small);
                                out.sum_relative -= here / (long double)small;
                                out.lenses += 0.5L * lens(s.dim, s.r[i], s.r[j], distance);
                            }
                        }
                        if (i == j)
                            continue;
                        for (int bin = 0; bin <= gr->bins; ++bin) {
                            if (fabsl(distance - gr->r[bin]) < band)
                                ++out.unsure[bin];
                            else if (bin < gr->bins && distance > gr->r[bin] && distance < gr->r[bin + 1] &&
                                     fabsl(distance - gr->r[bin + 1]) >= band)
                                ++out.pairs[bin];
                        }
                    }
    out.near /= 2;
    out.near_unsure /= 2;
    out.contacts /= 2;
    out.contacts_unsure /= 2;
    for (int i = 0; i < s.count; ++i) {
        held[i] = out.partners[i];
        for (int k = 0; k < s.dim; ++k)
            for (int side = 0; side < 2 && !box->periodic[k]; ++side) {
                long double x = s.x[i * s.dim + k];
                long double here = (side ? box->upper[k] - x : x - box->lower[k]) - s.r[i];
                if (fabsl(here - gap) < band)
                    ++out.walls_unsure;
                else if (here < gap) {
                    ++out.walls;
                    ++held[i];
                }
            }
    }
    for (int i = 0; i < s.count; ++i) {
        out.no_contact += held[i] == 0;
        out.one_contact += held[i] == 1;
        out.mechanical_ends += held[i] > 1 ? held[i] : 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < s.count; ++i)
            if (!gone[i] && held[i] < least) {
                gone[i] = 1;
                changed = true;
                ++out.rattlers;
                for (int j = 0; j < s.count; ++j)
                    held[j] -= near[i * s.count + j];
            }
    }
    for (int i = 0; i < s.count; ++i)
        for (int j = 0; j < s.count; ++j)
            if (!gone[i] && !gone[j])
                out.backbone_near += near[i * s.count + j];
    out.backbone_near /= 2;
    free(near);
    free(gone);
    free(held);
    return out;
}

// Share of a sphere in a box, by slices of slices: midpoints in the angles whose sines are z and y, from face to face.
static double angle(double t)
{
    return asin(fmax(-1.0, fmin(1.0, t)));
}

static double naive_share(int dim, const double* x, double r, const double* lower, const double* upper)
{
    enum { steps = 128 };
    double sum = 0.0;
    bool cut = false;
    for (int k = 0; k < dim; ++k)
        cut = cut || x[k] - r < lower[k] || x[k] + r > upper[k];
    if (!cut || r == 0.0)
        return 1.0;
    double t0 = dim == 3 ? angle((lower[2] - x[2]) / r) : 0.0, t1 = dim == 3 ? angle((upper[2] - x[2]) / r) : 0.0;
    for (int a = 0; a < (dim == 3 ? steps : 1); ++a) {
        double t = t0 + (t1 - t0) * (a + 0.5) / steps, p = r * cos(t);
        double u0 = angle((lower[1] - x[1]) / p), u1 = angle((upper[1] - x[1]) / p);
        for (int b = 0; b < steps; ++b) {
            double u = u0 + (u1 - u0) * (b + 0.5) / steps, half = p * cos(u);
            double length = fmin(half, upper[0] - x[0]) - fmax(-half, lower[0] - x[0]);
            sum += fmax(0.0, length) * half * (u1 - u0) / steps * (dim == 3 ? p * (t1 - t0) / steps : 1.0);
        }
    }
    return sum / (dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r);
}

static double naive_density(scree_spheres s, const scree_box* box, double margin)
{
    double lower[3], upper[3], volume = 1.0, sum = 0.0;
    for (int k = 0; k < s.dim; ++k) {
        lower[k] = box->periodic[k] ? -1e30 : box->lower[k] + margin;
        upper[k] = box->periodic[k] ? 1e30 : box->upper[k] - margin;
        volume *= box->upper[k] - box->lower[k] - (box->periodic[k] ? 0.0 : 2.0 * margin);
    }
    for (int i = 0; i < s.count; ++i) {
        double r = s.r[i];
        sum += (s.dim == 2 ? pi * r * r : 4.0 / 3.0 * pi * r * r * r) *
               naive_share(s.dim, s.x + i * s.dim, r, lower, upper);
    }
    return sum / volume;
}

static void within(const char* where, const char* what, int64_t found, int64_t least, int64_t unsure)
{
    if (found < least || found > least + unsure)
        fail_msg("%s: %s is %lld, and should be %lld (+%lld unsure)", where, what, (long long)found, (long long)least,
                 (long long)unsure);
}

static void close_to(const char* where, const char* what, double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s: %s is %.17g, and should be %.17g; off by %g, allowed %g", where, what, found, wanted,
                 found - wanted, tolerance);
}

static void check_sizes(const char* where, scree_spheres s, const scree_measures* m)
{
    const scree_size_curve* curve = &m->size_curve;
    double all = 0.0;
    for (int i = 0; i < s.count; ++i)
        all += pow(s.r[i], s.dim);
    for (int row = 0; row < curve->rows; ++row) {
        double number = 0.0, mass = 0.0;
        for (int i = 0; i < s.count; ++i)
            if (2.0 * s.r[i] <= curve->d[row]) {
                number += 1.0;
                mass += pow(s.r[i], s.dim);
            }
        close_to(where, "share by number", curve->by_number[row], number / s.count, 1e-15);
        close_to(where, "share by mass", curve->by_mass[row], all > 0.0 ? mass / all : 0.0, 1e-12);
        assert_true(row == 0 || curve->d[row] > curve->d[row - 1]);
    }
    assert_int_equal(curve->rows > 0, s.count > 0);
    if (s.count > 0) {
        close_to(where, "first row", curve->d[0], m->diameter_min, 0.0);
        close_to(where, "last row", curve->d[curve->rows - 1], m->diameter_max, 0.0);
        close_to(where, "last share", curve->by_number[curve->rows - 1], 1.0, 0.0);
    }
}

static void check_nearest(const char* where, scree_spheres s, const scree_nearest* near, const naive* reference,
                          double scale)
{
    int64_t sum = near->beyond;
    for (int i = 0; i < s.count; ++i)
        if (isinf((double)reference->nearest[i]))
            assert_true(isinf(near->gap[i]));
        else
            close_to(where, "nearest gap", near->gap[i], (double)reference->nearest[i], 1e-13 * scale);
    for (int b = 0; b < near->bins; ++b) {
        int64_t number = 0;
        for (int i = 0; i < s.count; ++i)
            number += near->gap[i] >= near->edge[b] && near->gap[i] < near->edge[b + 1];
        within(where, "histogram of gaps", near->number[b], number, 0);
        sum += number;
    }
    within(where, "spheres in the histogram", sum, s.count, 0);
}

static void check_contacts(const char* where, scree_spheres s, const scree_box* box, const scree_contact_counts* c,
                           const naive* reference, double scale)
{
    double volume = scree_box_volume(box);
    within(where, "near", c->pairs, reference->near, reference->near_unsure);
    within(where, "contacts", c->contacts, reference->contacts, reference->contacts_unsure);
    within(where, "wall contacts", c->wall_contacts, reference->walls, reference->walls_unsure);
    close_to(where, "coordination", c->coordination, s.count > 0 ? 2.0 * (double)c->pairs / s.count : 0.0, 1e-15);
    int64_t partners = 0, rattlers = 0;
    for (int i = 0; i < s.count; ++i) {
        partners += c->partners[i];
        rattlers += c->rattler[i];
        if (reference->near_unsure == 0)
            within(where, "partners", c->partners[i], reference->partners[i], 0);
    }
    within(where, "sum of partners", partners, 2 * c->pairs, 0);
    within(where, "sum of rattlers", rattlers, c->rattlers, 0);
    if (reference->near_unsure == 0 && reference->walls_unsure == 0) {
        within(where, "rattlers", c->rattlers, reference->rattlers, 0);
        within(where, "spheres with no contact", c->no_contact, reference->no_contact, 0);
        within(where, "spheres with one contact", c->one_contact, reference->one_contact, 0);
        int32_t held = s.count - reference->no_contact - reference->one_contact;
        close_to(where, "mechanical coordination", c->mechanical_coordination, held > 0 ? (double)reference->mechanical_ends / held : 0.0, 1e-15);
        within(where, "Thornton's formula", 2 * c->pairs + c->wall_contacts - c->one_contact, reference->mechanical_ends, 0);
        within(where, "backbone pairs", c->backbone_near, reference->backbone_near, 0);
        int32_t left = s.count - reference->rattlers;
        close_to(where, "backbone", c->backbone_coordination,
                 left > 0 ? 2.0 * (double)reference->backbone_near / left : 0.0, 1e-15);
    }
    close_to(where, "max overlap", c->max_overlap, (double)reference->max_overlap, 1e-13 * scale);
    close_to(where, "sum of overlaps", c->mean_overlap * (double)c->contacts, 0.5 * (double)reference->sum_overlap,
             1e-11 * scale * (double)(c->contacts + 1));
    if (reference->contacts_unsure == 0) {
        close_to(where, "max relative overlap", c->max_overlap_relative, (double)reference->max_relative, 1e-9 * scale);
        close_to(where, "mean overlap", c->mean_overlap,
                 c->contacts > 0 ? 0.5 * (double)reference->sum_overlap / (double)c->contacts : 0.0, 1e-11 * scale);
    }
    if (volume > 0.0)
        close_to(where, "lenses", c->overlap_share, (double)reference->lenses / volume, 1e-9 * (1.0 + c->overlap_share));
    if (c->max_i >= 0)
        close_to(where, "gap of the pair named", scree_pair_gap(box, s, c->max_i, c->max_j, c->max_shift),
                 -c->max_overlap, 1e-13 * scale);
    assert_int_equal(c->max_i >= 0, c->contacts > 0);
}

static void check_case(const char* where, scree_spheres s, const scree_measure_def* def)
{
    const scree_box* box = &def->box;
    scree_measures m = measure(def, s);
    naive reference = naive_pairs(s, box, m.contacts.gap, def->least_contacts > 0 ? def->least_contacts : s.dim + 1, &m.g_r);
    double scale = m.diameter_max + m.g_r.r_max, d_sum = 0.0;
    for (int k = 0; k < s.dim; ++k)
        scale = fmax(scale, fmax(fabs(box->lower[k]), fabs(box->upper[k])));
    check_contacts(where, s, box, &m.contacts, &reference, scale);
    check_nearest(where, s, &m.nearest_gaps, &reference, scale);
    check_sizes(where, s, &m);
    for (int b = 0; b < m.g_r.bins; ++b) {
        int64_t least = reference.pairs[b] / 2, unsure = (reference.unsure[b] + reference.unsure[b + 1]) / 2;
        within(where, "pairs in a bin of g(r)", m.g_r.pairs[b], least, unsure);
        double ideal = m.g_r.ideal[b];
        close_to(where, "g", m.g_r.g[b], ideal > 0.0 ? (double)m.g_r.pairs[b] / ideal : 0.0,
                 0.0);
    }
    close_to(where, "density", m.density.whole, naive_density(s, box, 0.0), 1e-3 * (1e-9 + m.density.whole));
    double inner = 1.0;
    for (int k = 0; k < s.dim; ++k)
        inner *= box->periodic[k] ? 1.0 : 1.0 - 2.0 * m.density.margin / (box->upper[k] - box->lower[k]);
    close_to(where, "inner density", m.density.inner, naive_density(s, box, m.density.margin),
             1e-3 * (1e-9 + m.density.whole) / inner);
    close_to(where, "corrected density", m.density_corrected, m.density.whole - m.contacts.overlap_share, 1e-15);
    for (int i = 0; i < s.count; ++i)
        d_sum += 2.0 * s.r[i];
    close_to(where, "mean diameter", m.diameter_mean, s.count > 0 ? d_sum / s.count : 0.0, 1e-12 * m.diameter_max);
    if (isnan(def->gap))
        close_to(where, "default gap", m.contacts.gap, 1e-3 * m.diameter_mean, 1e-15 * m.diameter_mean);
    forget(&reference);
    scree_measures_free(&m);
}

static void everything_agrees_with_the_naive_way(void** state)
{
    (void)state;
    static const double ratios[] = {1.0, 2.0, 10.0, 50.0};
    static const double gaps[] = {NAN, 0.0, 0.1, 1.0, -0.1};
    static const int32_t counts[] = {0, 1, 2, 7, 20, 45};
    int64_t rounds = (int64_t)(330 * test_effort());
    scree_rng rng = scree_rng_make(2027, 0);
    for (int64_t round = 0; round < rounds; ++round) {
        const scene* sc = &scene_table[round % scene_count];
        scene_params params = scene_default_params();
        params.dim = 2 + (int32_t)(round / scene_count % 2);
        params.count = counts[scree_rng_below(&rng, 6)];
        params.ratio = ratios[scree_rng_below(&rng, 4)];
        for (int k = 0; k < params.dim; ++k)
            params.periodic[k] = scree_rng_below(&rng, 2) == 1;
        params.seed = (uint64_t)round;
        if (strcmp(sc->name, "addition") == 0) {
            params.ratio = fmin(params.ratio, 2.0);  // so few cannot fill a box around a large one
            params.count = 60;
        }
        scree_sphere_set set;
        CHECK_OK(sc->make(&params, &set));
        scree_measure_def def = def_of(&set.box);
        def.gap = gaps[scree_rng_below(&rng, 5)];
        def.threads = 1 + (int32_t)scree_rng_below(&rng, 3);
        def.least_contacts = (int32_t)(round % 7) - 1 > 0 ? (int32_t)(round % 7) - 1 : 0;
        def.r_bins = 1 + (int32_t)scree_rng_below(&rng, 40);
        def.nearest_bins = 1 + (int32_t)scree_rng_below(&rng, 40);
        def.size_rows = 2 + (int32_t)scree_rng_below(&rng, 40);
        if (round % 3 == 0)
            def.r_max = set.box.upper[0] * (0.2 + 1.2 * scree_rng_uniform(&rng));  // beyond half the box, and beyond it
        if (round % 4 == 0)
            def.margin = 0.3 * set.box.upper[0] * scree_rng_uniform(&rng);
        if (round % 5 == 0)
            def.method = SCREE_METHOD_ALL_PAIRS;
        // Some centres some boxes away on periodic axes.
        for (int64_t i = 0; i < set.count && round % 2 == 0; ++i)
            for (int k = 0; k < set.dim; ++k)
                if (set.box.periodic[k])
                    set.x[i * set.dim + k] += set.box.upper[k] * ((double)scree_rng_below(&rng, 5) - 2.0);
        char where[200];
        snprintf(where, sizeof where, "round %lld: scene %s, n %d, dim %d, ratio %g, periodic %d%d%d, gap %g",
                 (long long)round, sc->name, set.count, set.dim, params.ratio, params.periodic[0], params.periodic[1],
                 params.periodic[2], def.gap);
        check_case(where, scree_sphere_set_view(&set), &def);
        scree_sphere_set_free(&set);
    }
}

static const test_case cases[] = {
    THREADS(everything_agrees_with_the_naive_way),
};

const test_group group_measure_naive = {.name = "measure_naive", .cases = cases, .count = sizeof cases / sizeof *cases, .begin = make_folder, .end = remove_folder};
