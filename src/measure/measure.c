// Public calls: defs, their automatic values, and the calls that measure one thing or all.
#include "measure/measured.h"

#include "base/argument.h"
#include "measure/tree.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { most_bins = 10000, most_images = 16 };

static const double pi = 3.14159265358979323846;

SCREE_DEFAULTS_OF(scree_measure_def, scree_default_measure_def)
{
    return (scree_measure_def){.struct_size = sizeof(scree_measure_def),
                               .box = scree_box_open(3),
                               .gap = NAN,
                               .margin = NAN,
                               .r_max = NAN,
                               .r_bins = 250,
                               .nearest_max = NAN,
                               .nearest_bins = 100,
                               .size_rows = 50};
}

// ---- What all start from -----------------------------------------------------------------------------------------

double measured_box_to(const measured* m, const scree_container* container)
{
    return scree_box_volume(&m->def.box) / scree_container_volume(container);
}

double measured_share_of_box(const measured* m, double r)
{
    double share = m->dim == 2 ? pi : 4.0 / 3.0 * pi;
    for (int k = 0; k < m->dim; ++k)
        share *= r / m->length[k];
    return share;
}

void measured_images(const measured* m, double reach, int images[3])
{
    for (int k = m->dim - 1; k >= 0; --k) {
        double drift = 0.0;  // what images on later axes are moved by along this one
        for (int later = k + 1; later < m->dim; ++later)
            drift += images[later] * fabs(scree_lattice_tilt(m->reduced, k, later));
        images[k] = m->def.box.periodic[k] ? (int)floor((reach + drift) / m->length[k]) + 1 : 0;
    }
}

void measured_sphere(const measured* m, int64_t i, double xr[4])
{
    for (int k = 0; k < 3; ++k)
        xr[k] = k < m->dim ? m->x[i * m->dim + k] : 0.0;
    xr[3] = m->r[i];
}

static void sift_down(double* value, int64_t root, int64_t count)
{
    double top = value[root];
    for (int64_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && value[child + 1] > value[child])
            ++child;
        if (value[child] <= top)
            break;
        value[root] = value[child];
    }
    value[root] = top;
}

// A heap sort: in place, and without a bad case. (qsort may allocate without scree_malloc.)
void measured_sort(double* values, int64_t count)
{
    for (int64_t root = count / 2 - 1; root >= 0; --root)
        sift_down(values, root, count);
    for (int64_t last = count - 1; last > 0; --last) {
        double largest = values[0];
        values[0] = values[last];
        values[last] = largest;
        sift_down(values, 0, last);
    }
}

static scree_status check_count(const char* name, int32_t value, int32_t least)
{
    if (value != 0 && (value < least || value > most_bins))
        return scree_fail(SCREE_ERR_ARGUMENT, "%s = %" PRId32 "; expected %" PRId32 " to %d, or 0 for none", name, value,
                          least, (int)most_bins);
    return SCREE_OK;
}

// NAN means automatic.
static scree_status check_length(const char* name, double value, bool zero_fits)
{
    if (isnan(value) || (value == 0.0 && zero_fits) || (value >= SCREE_LENGTH_MIN && value <= SCREE_LENGTH_MAX))
        return SCREE_OK;
    return scree_fail(SCREE_ERR_ARGUMENT, "%s = %g; expected %s%g to %g, or NAN (automatic)", name, value,
                      zero_fits ? "0, or " : "", SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
}

static scree_status check_def(const scree_measure_def* def)
{
    scree_status fits = scree_check_struct_size("measure", "scree_default_measure_def", def->struct_size, sizeof *def, sizeof *def);
    if (fits != SCREE_OK)
        return fits;
    if (def->threads < 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "threads = %d; expected 0 (all cores) or more", (int)def->threads);
    if (isinf(def->gap) || fabs(def->gap) > SCREE_LENGTH_MAX || (def->gap != 0.0 && fabs(def->gap) < SCREE_LENGTH_MIN))
        return scree_fail(SCREE_ERR_ARGUMENT, "gap = %g; expected 0, or %g to %g in magnitude", def->gap,
                          SCREE_LENGTH_MIN, SCREE_LENGTH_MAX);
    scree_status status = scree_container_check(&(scree_container){.kind = def->container, .box = def->box});
    for (int k = 0; status == SCREE_OK && k < def->box.dim; ++k)
        if (isinf(def->box.lower[k]) || isinf(def->box.upper[k]))
            status = scree_fail(SCREE_ERR_ARGUMENT,
                                "the box is open on axis %c (%g to %g); expected finite bounds: "
                                "scree_spheres_bounds computes a box",
                                "xyz"[k], def->box.lower[k], def->box.upper[k]);
    if (status == SCREE_OK)
        status = check_length("margin", def->margin, true);
    if (status == SCREE_OK)
        status = check_length("r_max", def->r_max, false);
    if (status == SCREE_OK)
        status = check_length("nearest_max", def->nearest_max, false);
    if (status == SCREE_OK)
        status = check_count("r_bins", def->r_bins, 1);
    if (status == SCREE_OK)
        status = check_count("nearest_bins", def->nearest_bins, 1);
    if (status == SCREE_OK)
        status = check_count("size_rows", def->size_rows, 2);
    return status;
}

// A length that the set has by itself, wherever it has one.
static double first_above_zero(double a, double b)
{
    return a > 0.0 ? a : b > 0.0 ? b : 1.0;
}

static void choose(measured* m)
{
    scree_measure_def* def = &m->def;
    double shortest = INFINITY, walled = INFINITY, spacing = m->n > 0 ? pow((double)m->n, -1.0 / m->dim) : 0.0;
    for (int k = 0; k < m->dim; ++k) {
        spacing *= pow(m->length[k], 1.0 / m->dim);
        if (m->length[k] > 0.0)
            shortest = fmin(shortest, m->length[k]);
        if (!def->box.periodic[k])
            walled = fmin(walled, m->length[k]);
    }
    if (isnan(def->gap))
        def->gap = 1e-3 * m->diameter_mean >= SCREE_LENGTH_MIN ? 1e-3 * m->diameter_mean : 0.0;
    if (isnan(def->margin))
        def->margin = isinf(walled) ? 0.0 : fmin(m->diameter_max, 0.25 * walled);
    if (isnan(def->nearest_max))
        def->nearest_max = first_above_zero(m->diameter_mean, spacing);
    if (isnan(def->r_max)) {
        def->r_max = 5.0 * first_above_zero(m->diameter_mean, spacing);
        if (spacing > 0.0)
            def->r_max = fmin(def->r_max, 6.0 * spacing);
        def->r_max = fmin(def->r_max, 0.5 * shortest);
    }
}

scree_status measured_make(const scree_measure_def* def, scree_spheres spheres, measured* out)
{
    scree_status status = check_def(def);
    if (status == SCREE_OK)
        status = scree_spheres_check(spheres, &def->box);
    if (status != SCREE_OK)
        return status;
    measured m = {
        .def = *def, .n = spheres.count, .dim = spheres.dim, .given_x = spheres.x, .r = spheres.r, .has_volume = true};
    for (int k = 0; k < m.dim; ++k) {
        m.length[k] = def->box.upper[k] - def->box.lower[k];
        m.has_volume = m.has_volume && m.length[k] > 0.0;
    }
    double periods[3];
    scree_lattice_of(&def->box, periods, m.tilt);
    memcpy(m.reduced, m.tilt, sizeof m.reduced);
    scree_lattice_reduce(periods, m.reduced);
    m.diameter_min = INFINITY;
    for (int64_t i = 0; i < m.n; ++i) {
        m.diameter_min = fmin(m.diameter_min, 2.0 * m.r[i]);
        m.diameter_max = fmax(m.diameter_max, 2.0 * m.r[i]);
        m.diameter_mean += 2.0 * m.r[i];
    }
    m.diameter_mean = m.n > 0 ? fmin(m.diameter_max, fmax(m.diameter_min, m.diameter_mean / m.n)) : 0.0;
    m.diameter_min = m.n > 0 ? m.diameter_min : 0.0;
    choose(&m);
    status = measured_least_contacts("measure", def->least_contacts, m.dim + 1, &m.def.least_contacts);
    if (status != SCREE_OK)
        return status;
    for (int k = 0; k < m.dim; ++k)
        if (def->box.periodic[k] && m.def.r_max > most_images * m.length[k])
            return scree_fail(SCREE_ERR_ARGUMENT,
                              "r_max = %g; expected at most %d periodic boxes, of %g on axis %c", m.def.r_max,
                              (int)most_images, m.length[k], "xyz"[k]);
    m.x = scree_malloc((size_t)m.n * (size_t)m.dim, sizeof *m.x);
    if (m.x == NULL)
        return SCREE_ERR_MEMORY;
    if (m.n > 0)
        memcpy(m.x, spheres.x, (size_t)m.n * (size_t)m.dim * sizeof *m.x);
    status = scree_box_wrap_centres(&m.def.box, m.n, m.x, NULL);
    if (status != SCREE_OK) {
        measured_free(&m);
        return status;
    }
    *out = m;
    return SCREE_OK;
}

void measured_free(measured* m)
{
    scree_free(m->x);
    *m = (measured){0};
}

// ---- One by one --------------------------------------------------------------------------------------------------

scree_status scree_measure_density(const scree_measure_def* def, scree_spheres spheres, scree_density* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    measured m;
    scree_status status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    scree_density found;
    status = density_of(&m, &found);
    measured_free(&m);
    if (status == SCREE_OK)
        *out = found;
    return status;
}

scree_status scree_measure_contacts(const scree_measure_def* def, scree_spheres spheres, scree_contact_counts* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    measured m;
    scree_status status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    scree_contact_counts found = {0};
    status = contacts_of(&m, &m.def.watch, &found);
    measured_free(&m);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_contact_counts_free(&found);
    return status;
}

scree_status scree_measure_pair_distribution(const scree_measure_def* def, scree_spheres spheres,
                                             scree_pair_distribution* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    measured m;
    scree_status status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    measure_tree tree = {0};
    scree_pair_distribution found = {0};
    measure_part cutting = {&m.def.watch, 0.0, 0.1}, counting = {&m.def.watch, 0.1, 1.0};
    scree_watch first = measure_part_watch(&cutting), second = measure_part_watch(&counting);
    status = measure_tree_make(&m, &first, &tree);
    if (status == SCREE_OK)
        status = pair_distribution_of(&m, &tree, &second, &found);
    measure_tree_free(&tree);
    measured_free(&m);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_pair_distribution_free(&found);
    return status;
}

scree_status scree_measure_size_curve(const scree_measure_def* def, scree_spheres spheres, scree_size_curve* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    measured m;
    scree_status status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    scree_size_curve found = {0};
    status = size_curve_of(&m, &found);
    measured_free(&m);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_size_curve_free(&found);
    return status;
}

scree_status scree_measure_nearest(const scree_measure_def* def, scree_spheres spheres, scree_nearest* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    measured m;
    scree_status status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    measure_tree tree = {0};
    scree_nearest found = {0};
    measure_part cutting = {&m.def.watch, 0.0, 0.1}, counting = {&m.def.watch, 0.1, 1.0};
    scree_watch first = measure_part_watch(&cutting), second = measure_part_watch(&counting);
    status = measure_tree_make(&m, &first, &tree);
    if (status == SCREE_OK)
        status = nearest_of(&m, &tree, &second, &found);
    measure_tree_free(&tree);
    measured_free(&m);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_nearest_free(&found);
    return status;
}

// ---- All at once -------------------------------------------------------------------------------------------------

static scree_status measure_all(const measured* m, measure_tree* tree, scree_measures* found)
{
    // The shares are what the parts take of the time, roughly.
    measure_part searching = {&m->def.watch, 0.0, 0.15}, cutting = {&m->def.watch, 0.15, 0.25}, nearest = {&m->def.watch, 0.25, 0.45}, counting = {&m->def.watch, 0.45, 1.0};
    scree_watch watch = measure_part_watch(&searching);
    scree_status status = density_of(m, &found->density);
    if (status == SCREE_OK)
        status = contacts_of(m, &watch, &found->contacts);
    if (status == SCREE_OK)
        status = size_curve_of(m, &found->size_curve);
    watch = measure_part_watch(&cutting);
    if (status == SCREE_OK && (m->def.nearest_bins > 0 || m->def.r_bins > 0))
        status = measure_tree_make(m, &watch, tree);
    watch = measure_part_watch(&nearest);
    if (status == SCREE_OK)
        status = nearest_of(m, tree, &watch, &found->nearest_gaps);
    watch = measure_part_watch(&counting);
    if (status == SCREE_OK)
        status = pair_distribution_of(m, tree, &watch, &found->g_r);
    return status;
}

SCREE_RESULT_OF(scree_measures, scree_measure, (const scree_measure_def* def, scree_spheres spheres, scree_measures* out), (def, spheres, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(def);
    measured m;
    scree_status status = measured_make(def, spheres, &m);
    if (status != SCREE_OK)
        return status;
    measure_tree tree = {0};
    scree_measures found = {.n = m.n, .dim = m.dim, .diameter_min = m.diameter_min, .diameter_mean = m.diameter_mean, .diameter_max = m.diameter_max};
    status = measure_all(&m, &tree, &found);
    measure_tree_free(&tree);
    measured_free(&m);
    if (status != SCREE_OK) {
        scree_measures_free(&found);
        return status;
    }
    found.density_corrected = found.density.whole - found.contacts.overlap_share;
    *out = found;
    return SCREE_OK;
}

// ---- Freeing -----------------------------------------------------------------------------------------------------

void scree_contact_counts_free(scree_contact_counts* counts)
{
    if (counts == NULL)
        return;
    scree_free(counts->partners);
    scree_free(counts->rattler);
    *counts = (scree_contact_counts){0};
}

void scree_pair_distribution_free(scree_pair_distribution* gr)
{
    if (gr == NULL)
        return;
    scree_free(gr->r);
    scree_free(gr->pairs);
    scree_free(gr->ideal);
    scree_free(gr->g);
    *gr = (scree_pair_distribution){0};
}

void scree_size_curve_free(scree_size_curve* curve)
{
    if (curve == NULL)
        return;
    scree_free(curve->d);
    scree_free(curve->by_number);
    scree_free(curve->by_mass);
    *curve = (scree_size_curve){0};
}

void scree_nearest_free(scree_nearest* nearest)
{
    if (nearest == NULL)
        return;
    scree_free(nearest->gap);
    scree_free(nearest->edge);
    scree_free(nearest->number);
    *nearest = (scree_nearest){0};
}

SCREE_RELEASE_OF(scree_measures, scree_measures_free)
{
    if (given == NULL)
        return;
    scree_contact_counts_free(&given->contacts);
    scree_pair_distribution_free(&given->g_r);
    scree_size_curve_free(&given->size_curve);
    scree_nearest_free(&given->nearest_gaps);
    *given = (scree_measures){0};
}
