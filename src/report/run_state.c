// The last state in the report, as numbers and figures: the contact network, the distribution of forces, profiles along gravity (scree/analysis.h).
// Cost: O(spheres + contacts), and memory for a copy of the spheres.
#include "report/run_report.h"

#include "scree/analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { profile_cells = 40 };

// The snapshot and its arrays.
typedef struct last_state {
    scree_snapshot now;
    scree_sim_contacts contacts;
    int64_t (*ij)[2];       // by row; NULL: contacts have them
    double *x, *v, *r, *mass;
    int axis;  // along gravity; the last one without
} last_state;

static void free_state(last_state* s)
{
    scree_free(s->x);
    scree_free(s->v);
    scree_free(s->r);
    scree_free(s->mass);
    scree_free(s->ij);
}

static void find_masses(const scree_run_facts* facts, const double* r, double* mass)
{
    const double pi = 3.14159265358979323846, *density = facts->material_densities;
    for (int64_t i = 0; i < facts->count; ++i)
        mass[i] = (density != NULL ? density[i] : facts->material_density) * (facts->dim == 2 ? pi * r[i] * r[i] : 4.0 / 3.0 * pi * r[i] * r[i] * r[i]);
}

// Measures know spheres by their rows; ids rise with them.
static scree_status find_rows(scree_sim* sim, int32_t count, last_state* s)
{
    int64_t* id = scree_malloc((size_t)count, sizeof *id);
    s->ij = scree_malloc((size_t)s->contacts.count, sizeof *s->ij);
    scree_status status = id == NULL || s->ij == NULL ? SCREE_ERR_MEMORY : scree_sim_get_column(sim, "id", id);
    for (int64_t c = 0; c < 2 * s->contacts.count && status == SCREE_OK; ++c) {
        int64_t wanted = s->contacts.ij[c / 2][c % 2], low = 0, high = count;
        while (wanted >= 0 && high - low > 1) {
            int64_t middle = low + (high - low) / 2;
            low = id[middle] <= wanted ? middle : low;
            high = id[middle] <= wanted ? high : middle;
        }
        s->ij[c / 2][c % 2] = wanted >= 0 ? low : wanted;
    }
    scree_free(id);
    s->contacts.ij = (const int64_t(*)[2])s->ij;
    return status;
}

// Where the box is open it ends with the spheres.
static void close_box(last_state* s)
{
    scree_box bounds = scree_spheres_bounds(s->now.spheres);
    for (int k = 0; k < bounds.dim; ++k) {
        if (isinf(s->now.box.lower[k]))
            s->now.box.lower[k] = bounds.lower[k];
        if (isinf(s->now.box.upper[k]))
            s->now.box.upper[k] = bounds.upper[k];
    }
}

static scree_status take_state(scree_sim* sim, const scree_run_facts* facts, last_state* s)
{
    size_t n = (size_t)facts->count, dim = (size_t)facts->dim;
    double gravity[3], turn[3];
    *s = (last_state){.now = scree_default_snapshot(),
                      .x = scree_malloc(n, dim * sizeof *s->x),
                      .v = scree_malloc(n, dim * sizeof *s->v),
                      .r = scree_malloc(n, sizeof *s->r),
                      .mass = scree_malloc(n, sizeof *s->mass),
                      .axis = facts->dim - 1};
    if (s->x == NULL || s->v == NULL || s->r == NULL || s->mass == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = scree_sim_get_column(sim, "x", s->x);
    if (status == SCREE_OK)
        status = scree_sim_get_column(sim, "v", s->v);
    if (status == SCREE_OK)
        status = scree_sim_get_column(sim, "radius", s->r);
    if (status == SCREE_OK)
        status = scree_sim_get_contacts(sim, &s->contacts);
    if (status == SCREE_OK && facts->flow)
        status = find_rows(sim, facts->count, s);
    if (status != SCREE_OK)
        return status;
    scree_sim_get_gravity(sim, gravity, turn);
    for (int k = 0; k < facts->dim; ++k)
        if (fabs(gravity[k]) > fabs(gravity[s->axis]))
            s->axis = k;
    find_masses(facts, s->r, s->mass);
    s->now.box = scree_sim_get_box(sim);
    s->now.container = facts->container;
    s->now.spheres = (scree_spheres){.count = facts->count, .dim = facts->dim, .x = s->x, .r = s->r};
    s->now.mass = s->mass;
    s->now.v = s->v;
    s->now.contacts = &s->contacts;
    s->now.threads = facts->threads;
    close_box(s);
    return SCREE_OK;
}

static void put_plot(scree_report* page, const char* caption, const char* x_label, const char* y_label, bool log, int32_t count, const double* x, const double* y)
{
    scree_series series = {.count = count, .x = x, .y = y, .style = log ? SCREE_SERIES_POINTS : SCREE_SERIES_LINE};
    scree_plot plot = scree_default_plot();
    plot.width = SCREE_REPORT_PLOT_WIDTH;
    plot.height = SCREE_REPORT_PLOT_HEIGHT;
    plot.x_label = x_label;
    plot.y_label = y_label;
    plot.y_log = log;
    plot.series = &series;
    plot.series_count = 1;
    scree_report_plot(page, caption, &plot);
}

// Quantities have the keys that scree measure --network --json has.
static void put_number(scree_report* page, const char* key, double value, const char* note)
{
    scree_report_quantity(page, &(scree_quantity){.key = key, .count = 1, .values = &value, .note = note, .share = -1.0});
}

static void put_integer(scree_report* page, const char* key, int64_t value, const char* note)
{
    scree_report_quantity(page, &(scree_quantity){.key = key, .count = 1, .integers = &value, .note = note, .share = -1.0});
}

static scree_status tell_network(scree_report* page, const last_state* s)
{
    enum { bins = 30 };
    scree_network_def def = scree_default_network_def();
    scree_network n;
    char note[96];
    def.force_bins = bins;
    scree_status status = scree_measure_network(&s->now, &def, &n);
    if (status != SCREE_OK)
        return status;
    put_number(page, "network_coordination", n.coordination, "contacts with other spheres, per sphere");
    snprintf(note, sizeof note, "held by fewer than %" PRId32 " spheres and walls, removed repeatedly", n.contacts_min);
    put_integer(page, "network_rattlers", n.rattlers, note);
    put_number(page, "network_backbone_coordination", n.backbone_coordination, "without rattlers");
    put_number(page, "network_mechanical_coordination", n.mechanical_coordination, "contacts, with walls too, per sphere that has two or more");
    if (n.contacts > 0) {
        put_number(page, "fabric_anisotropy", n.fabric.anisotropy, "0: normals of contacts have all directions alike; 1: all are parallel");
        put_number(page, "force_mean", n.force_mean, "along the normal, between spheres");
        put_integer(page, "cluster_max", n.cluster_max, "spheres that are connected by contacts");
    }
    double middle[bins];
    for (int32_t b = 0; b < n.bins; ++b)
        middle[b] = 0.5 * (n.edge[b] + n.edge[b + 1]);
    if (n.bins > 0)
        put_plot(page, "P(f): the distribution of normal forces between spheres, over their mean.", "normal force / mean", "probability density", true, n.bins, middle,
                 n.probability);
    scree_network_free(&n);
    return SCREE_OK;
}

// How many fragments there are of each size.
static scree_status tell_fragments(scree_report* page, scree_sim* sim, const last_state* s)
{
    scree_sim_bonds bonds;
    scree_fragments found;
    scree_snapshot now = s->now;
    scree_status status = scree_sim_get_bonds(sim, &bonds);
    if (status != SCREE_OK || bonds.count == 0)
        return status;
    now.bonds = &bonds;
    status = scree_measure_fragments(&now, &found);
    if (status != SCREE_OK)
        return status;
    size_t most = (size_t)found.fragment_max + 1;
    double *size = scree_calloc(2 * most, sizeof *size), *number = size != NULL ? size + most : NULL;
    int32_t rows = 0;
    for (int32_t g = 0; g < found.fragments && size != NULL; ++g)
        number[found.size[g]] += 1.0;
    for (size_t k = 1; k < most && size != NULL; ++k)
        if (number[k] > 0.0) {
            size[rows] = (double)k;
            number[rows++] = number[k];
        }
    if (size != NULL && found.bonds_broken > 0)
        put_plot(page, "Fragments: spheres that are connected by intact bonds.", "spheres in a fragment", "number of fragments", true, rows, size, number);
    scree_fragments_free(&found);
    status = size != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    scree_free(size);
    return status;
}

static scree_status tell_profiles(scree_report* page, const last_state* s)
{
    static const char* const axes[] = {"x", "y", "z"};
    scree_fields_def def = scree_default_fields_def();
    scree_fields f;
    double at[profile_cells], stress[profile_cells];
    char caption[128];
    for (int k = 0; k < 3; ++k)
        def.cells[k] = k == s->axis ? profile_cells : 1;
    scree_status status = scree_measure_fields(&s->now, &def, &f);
    if (status != SCREE_OK)
        return status;
    for (int c = 0; c < profile_cells; ++c) {
        at[c] = f.lower[s->axis] + (c + 0.5) * f.size[s->axis];
        stress[c] = f.kinetic_stress[c][s->axis][s->axis] + f.contact_stress[c][s->axis][s->axis];
    }
    snprintf(caption, sizeof caption, "Volume fraction along %s.", axes[s->axis]);
    put_plot(page, caption, axes[s->axis], "filled share", false, profile_cells, at, f.fraction);
    snprintf(caption, sizeof caption, "Normal stress %s%s along %s, kinetic and contact part together; positive under pressure.", axes[s->axis], axes[s->axis], axes[s->axis]);
    put_plot(page, caption, axes[s->axis], "normal stress", false, profile_cells,
             at, stress);
    scree_fields_free(&f);
    return SCREE_OK;
}

scree_status scree_report_state(scree_report* page, scree_run* run, const scree_run_facts* facts)
{
    last_state s;
    if (facts->count == 0)
        return SCREE_OK;
    if (facts->count > report_spheres_most)
        return scree_fail(SCREE_ERR_UNSUPPORTED, "%" PRId32 " spheres; expected at most %d for an analysis in a report", facts->count, report_spheres_most);
    scree_status status = take_state(scree_run_get_sim(run), facts, &s);
    if (status == SCREE_OK)
        status = tell_network(page, &s);
    if (status == SCREE_OK && facts->bonds)
        status = tell_fragments(page, scree_run_get_sim(run), &s);
    if (status == SCREE_OK)
        status = tell_profiles(page, &s);
    free_state(&s);
    return status;
}
