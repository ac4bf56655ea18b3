// The contact network of a snapshot: fabric, distribution of forces, rattlers, clusters; forces on walls.
//
// Clusters, by contacts or by bonds, are the trees of a forest (forest.h). One that winds around a periodic axis percolates along it. Contacts with both
// walls of an axis do the same where it is not periodic.
//
// All sums are over contacts in the order given. Cost: O(n + contacts).
#include "measure/forest.h"
#include "measure/measured.h"
#include "measure/snapshot.h"

#include "base/argument.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { most_bins = 10000 };

const char* scree_clusters_name(int32_t clusters)
{
    static const char* const names[SCREE_CLUSTERS_COUNT] = {"contacts", "bonds"};
    return clusters >= 0 && clusters < SCREE_CLUSTERS_COUNT ? names[clusters] : NULL;
}

SCREE_DEFAULTS_OF(scree_network_def, scree_default_network_def)
{
    return (scree_network_def){.struct_size = sizeof(scree_network_def), .force_bins = 50, .force_from = NAN, .force_to = NAN};
}

static double dot(const double a[3], const double b[3], int dim)
{
    double sum = 0.0;
    for (int k = 0; k < dim; ++k)
        sum += a[k] * b[k];
    return sum;
}

static bool of_spheres(const looked_at* look, int64_t c)
{
    return look->s->contacts->ij[c][1] >= 0;
}

// ---- Fabric ------------------------------------------------------------------------------------------------------

// Eigenvalues of a symmetric matrix, the largest first, by Jacobi rotations.
static void find_eigenvalues(int dim, const double tensor[3][3], double values[3])
{
    double a[3][3];
    memcpy(a, tensor, sizeof a);
    for (int sweep = 0; sweep < 30; ++sweep)
        for (int p = 0; p < dim; ++p)
            for (int q = p + 1; q < dim; ++q) {
                if (a[p][q] == 0.0)
                    continue;
                double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
                double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                if (isinf(theta))
                    t = 0.0;
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < dim; ++k) {
                    double kp = a[k][p], kq = a[k][q];
                    a[k][p] = c * kp - s * kq;
                    a[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < dim; ++k) {
                    double pk = a[p][k], qk = a[q][k];
                    a[p][k] = c * pk - s * qk;
                    a[q][k] = s * pk + c * qk;
                }
                a[p][q] = a[q][p] = 0.0;
            }
    for (int k = 0; k < 3; ++k)
        values[k] = k < dim ? a[k][k] : 0.0;
    for (int p = 0; p < dim; ++p)
        for (int q = p + 1; q < dim; ++q)
            if (values[q] > values[p]) {
                double keep = values[p];
                values[p] = values[q];
                values[q] = keep;
            }
}

static void find_fabric(const looked_at* look, bool by_force, scree_fabric* out)
{
    const scree_sim_contacts* contacts = look->s->contacts;
    double sum = 0.0;
    for (int64_t c = 0; c < look->contacts; ++c) {
        if (!of_spheres(look, c))
            continue;
        double weight = by_force ? sqrt(dot(contacts->force[c], contacts->force[c], look->dim)) : 1.0;
        sum += weight;
        for (int k = 0; k < look->dim; ++k)
            for (int l = 0; l < look->dim; ++l)
                out->tensor[k][l] += weight * (contacts->normal[c][k] * contacts->normal[c][l]);
    }
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            out->tensor[k][l] = sum > 0.0 ? out->tensor[k][l] / sum : 0.0;
    find_eigenvalues(look->dim, (const double(*)[3])out->tensor, out->values);
    const double* v = out->values;
    double ab = v[0] - v[1], bc = v[1] - v[2], ca = v[2] - v[0];
    out->anisotropy = look->dim == 2 ? ab : sqrt(0.5 * (ab * ab + bc * bc + ca * ca));
}

// ---- Forces ------------------------------------------------------------------------------------------------------

static scree_status find_forces(const looked_at* look, const scree_network_def* def, scree_network* out)
{
    int32_t bins = def->force_bins;
    const scree_sim_contacts* contacts = look->s->contacts;
    double sum = 0.0, least = INFINITY, largest = -INFINITY;
    out->force_mean = out->force_max = NAN;
    if (contacts->force == NULL || out->contacts == 0)
        return SCREE_OK;
    for (int64_t c = 0; c < look->contacts; ++c)
        if (of_spheres(look, c)) {
            double force = dot(contacts->force[c], contacts->normal[c], look->dim);
            sum += force;
            least = fmin(least, force);
            largest = fmax(largest, force);
        }
    out->force_mean = sum / (double)out->contacts;
    out->force_max = largest;
    if (bins == 0 || !(out->force_mean > 0.0))
        return SCREE_OK;
    double from = isnan(def->force_from) ? fmin(least, 0.0) / out->force_mean : def->force_from;
    double to = isnan(def->force_to) ? largest / out->force_mean : def->force_to, width = (to - from) / bins;
    if (!(to > from))
        return scree_fail(SCREE_ERR_ARGUMENT, "network: the distribution of forces goes from %g to %g mean forces; expected force_from < force_to", from, to);
    out->edge = scree_malloc((size_t)bins + 1, sizeof *out->edge);
    out->number = scree_calloc((size_t)bins, sizeof *out->number);
    out->probability = scree_malloc((size_t)bins, sizeof *out->probability);
    if (out->edge == NULL || out->number == NULL || out->probability == NULL)
        return SCREE_ERR_MEMORY;
    out->bins = bins;
    for (int32_t b = 0; b <= bins; ++b)
        out->edge[b] = b == bins ? to : from + b * width;
    for (int64_t c = 0; c < look->contacts; ++c)
        if (of_spheres(look, c)) {
            double force = dot(contacts->force[c], contacts->normal[c], look->dim), at = force / out->force_mean;
            bool below = at < from && !(isnan(def->force_from) && force == least), above = at > to && !(isnan(def->force_to) && force == largest);
            double bin = fmin(fmax(floor((at - from) / width), 0.0), bins - 1);
            if (below || above)
                ++out->outside;
            else
                ++out->number[(int32_t)bin];
        }
    for (int32_t b = 0; b < bins; ++b)
        out->probability[b] = (double)out->number[b] / ((double)out->contacts * width);
    return SCREE_OK;
}

// ---- Rattlers ----------------------------------------------------------------------------------------------------

static scree_status find_rattlers(const looked_at* look, const scree_network_def* def, scree_network* out)
{
    const int64_t(*ij)[2] = look->s->contacts->ij;
    size_t n = (size_t)look->n;
    bool friction = look->s->contacts->tangential != NULL;
    scree_status least = measured_least_contacts("network", def->least_contacts, friction ? 2 : look->dim + 1, &out->contacts_min);
    if (least != SCREE_OK)
        return least;
    int64_t* row = scree_calloc(n + 2, sizeof *row);
    int32_t* to = scree_malloc(2 * (size_t)out->contacts + 1, sizeof *to);
    int64_t* held = scree_calloc(n + 1, sizeof *held);
    int32_t* stack = scree_malloc(n + 1, sizeof *stack);
    out->rattler = scree_calloc(n, sizeof *out->rattler);
    scree_status status = row != NULL && to != NULL && held != NULL && stack != NULL && out->rattler != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int64_t c = 0; c < look->contacts && status == SCREE_OK; ++c) {
        int64_t i = ij[c][0], j = ij[c][1];
        ++held[i];
        if (j < 0)
            continue;
        ++held[j];
        if (i != j) {  // row[i + 2] counts, row[i + 1] is then where row i is filled, and in the end where it ends
            ++row[i + 2];
            ++row[j + 2];
        }
    }
    for (size_t i = 2; i <= n + 1 && status == SCREE_OK; ++i)
        row[i] += row[i - 1];
    for (int64_t c = 0; c < look->contacts && status == SCREE_OK; ++c)
        for (int k = 0; k < 2 && ij[c][1] >= 0 && ij[c][0] != ij[c][1]; ++k)
            to[row[ij[c][k] + 1]++] = (int32_t)ij[c][1 - k];
    if (status == SCREE_OK) {
        out->mechanical_coordination = measured_mechanical(look->n, held, &out->no_contact, &out->one_contact);
        out->rattlers = measured_take_rattlers(look->n, out->contacts_min, row, to, held, stack, out->rattler);
        for (int64_t c = 0; c < look->contacts; ++c)
            out->backbone_contacts += of_spheres(look, c) && !out->rattler[ij[c][0]] && !out->rattler[ij[c][1]];
        int32_t left = look->n - out->rattlers;
        out->backbone_coordination = left > 0 ? 2.0 * (double)out->backbone_contacts / left : 0.0;
    }
    scree_free(row);
    scree_free(to);
    scree_free(held);
    scree_free(stack);
    return status;
}

// ---- Clusters ----------------------------------------------------------------------------------------------------

static void grow_forest(const looked_at* look, bool by_bonds, const forest* f)
{
    const scree_sim_contacts* contacts = look->s->contacts;
    const scree_sim_bonds* bonds = look->s->bonds;
    for (int64_t c = 0; c < look->contacts; ++c) {
        int64_t i = contacts->ij[c][0], j = contacts->ij[c][1];
        if (j >= 0 && !by_bonds)
            forest_join(f, (int32_t)i, (int32_t)j, contacts->shift != NULL ? contacts->shift[c] : NULL);
        else if (j < 0 && j >= -6)
            forest_touch(f, (int32_t)i, (int)(-1 - j));
    }
    for (int64_t b = 0; by_bonds && b < bonds->count; ++b)
        if (bonds->broken_at == NULL || bonds->broken_at[b] < 0)
            forest_join(f, (int32_t)bonds->ij[b][0], (int32_t)bonds->ij[b][1], bonds->shift != NULL ? bonds->shift[b] : NULL);
}

// Roots are the first spheres of their clusters, so clusters are numbered by these.
static scree_status number_clusters(const looked_at* look, const forest* f, scree_network* out)
{
    for (int32_t i = 0; i < look->n; ++i) {
        int32_t root = forest_root(f, i);
        out->cluster[i] = root == i ? out->clusters++ : out->cluster[root];
    }
    out->cluster_size = scree_calloc((size_t)out->clusters, sizeof *out->cluster_size);
    out->cluster_axes = scree_calloc((size_t)out->clusters, sizeof *out->cluster_axes);
    if (out->cluster_size == NULL || out->cluster_axes == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t i = 0; i < look->n; ++i) {
        int32_t size = ++out->cluster_size[out->cluster[i]];
        out->cluster_max = size > out->cluster_max ? size : out->cluster_max;
        for (int k = 0; k < look->dim && f->parent[i] == i; ++k) {
            bool both = (f->faces[i] >> 2 * k & 3) == 3;
            if (look->s->box.periodic[k] ? f->winds[i] >> k & 1 : both) {
                out->cluster_axes[out->cluster[i]] |= (uint8_t)(1 << k);
                out->percolates[k] = true;
            }
        }
    }
    return SCREE_OK;
}

static scree_status find_clusters(const looked_at* look, bool by_bonds, scree_network* out)
{
    forest f;
    scree_status status = forest_make(look->n, &f);
    out->cluster = scree_malloc((size_t)look->n, sizeof *out->cluster);
    status = status == SCREE_OK && out->cluster == NULL ? SCREE_ERR_MEMORY : status;
    if (status == SCREE_OK) {
        grow_forest(look, by_bonds, &f);
        status = number_clusters(look, &f, out);
    }
    forest_free(&f);
    return status;
}

// ---- The call ----------------------------------------------------------------------------------------------------

static scree_status check_network(const looked_at* look, const scree_network_def* def)
{
    scree_status status = scree_check_struct_size("network", "scree_default_network_def", def->struct_size, sizeof *def, sizeof *def);
    if (status != SCREE_OK)
        return status;
    if (def->force_bins < 0 || def->force_bins > most_bins)
        return scree_fail(SCREE_ERR_ARGUMENT, "network: force_bins = %" PRId32 "; expected 0 to %d", def->force_bins, most_bins);
    if (isinf(def->force_from) || isinf(def->force_to))
        return scree_fail(SCREE_ERR_ARGUMENT, "network: force_from = %g, force_to = %g; expected finite numbers or NAN", def->force_from, def->force_to);
    if (scree_clusters_name(def->clusters) == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "network: clusters = %" PRId32 "; expected 0 to %d", def->clusters, SCREE_CLUSTERS_COUNT - 1);
    if (def->clusters == SCREE_CLUSTERS_BY_BONDS && look->s->bonds == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "network: clusters by bonds, and the snapshot has no bonds; expected bonds");
    if (look->s->contacts == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "network: the snapshot has no contacts; expected the contacts to measure");
    if (look->contacts > 0 && look->s->contacts->normal == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "network: the contacts have no normals: normal is NULL; expected one for each contact");
    return SCREE_OK;
}

SCREE_RESULT_OF(scree_network, scree_measure_network, (const scree_snapshot* snapshot, const scree_network_def* def, scree_network* out), (snapshot, def, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(snapshot);
    SCREE_NEED(def);
    looked_at look;
    scree_status status = snapshot_check(snapshot, &look);
    if (status == SCREE_OK)
        status = check_network(&look, def);
    if (status != SCREE_OK)
        return status;
    scree_network found = {.n = look.n};
    for (int64_t c = 0; c < look.contacts; ++c)
        found.contacts += of_spheres(&look, c);
    found.wall_contacts = look.contacts - found.contacts;
    found.coordination = look.n > 0 ? 2.0 * (double)found.contacts / look.n : 0.0;
    find_fabric(&look, false, &found.fabric);
    if (snapshot->contacts->force != NULL)
        find_fabric(&look, true, &found.force_fabric);
    status = find_forces(&look, def, &found);
    if (status == SCREE_OK)
        status = find_rattlers(&look, def, &found);
    if (status == SCREE_OK)
        status = find_clusters(&look, def->clusters == SCREE_CLUSTERS_BY_BONDS, &found);
    if (status == SCREE_OK)
        *out = found;
    else
        scree_network_free(&found);
    return status;
}

SCREE_RELEASE_OF(scree_network, scree_network_free)
{
    if (given == NULL)
        return;
    scree_free(given->rattler);
    scree_free(given->edge);
    scree_free(given->number);
    scree_free(given->probability);
    scree_free(given->cluster);
    scree_free(given->cluster_size);
    scree_free(given->cluster_axes);
    *given = (scree_network){0};
}

// ---- Walls -------------------------------------------------------------------------------------------------------

// Of a face, or of the round wall.
static double wall_area(const looked_at* look, int32_t b)
{
    const double pi = 3.14159265358979323846;
    int32_t kind = look->s->container;
    double radius = scree_container_largest(&(scree_container){.kind = kind, .box = look->s->box});
    if (kind == SCREE_CONTAINER_CYLINDER)
        radius = 0.5 * fmin(look->length[0], look->length[1]);
    if (b < 6 && kind == SCREE_CONTAINER_BOX) {
        double area = 1.0;
        for (int k = 0; k < look->dim; ++k)
            area *= k == b / 2 ? 1.0 : look->length[k];
        return area;
    }
    if (b < 6)
        return kind == SCREE_CONTAINER_CYLINDER && b / 2 == 2 ? pi * radius * radius : NAN;
    if (b > 6 || kind == SCREE_CONTAINER_BOX)
        return NAN;
    if (kind == SCREE_CONTAINER_CYLINDER)
        return 2.0 * pi * radius * look->length[2];
    return look->dim == 2 ? 2.0 * pi * radius : 4.0 * pi * radius * radius;
}

SCREE_RESULT_OF(scree_wall_stress, scree_measure_wall_stress, (const scree_snapshot* snapshot, int32_t b, scree_wall_stress* out), (snapshot, b, out))
{
    SCREE_EMPTY(out);
    SCREE_NEED(snapshot);
    looked_at look;
    scree_status status = snapshot_check(snapshot, &look);
    if (status != SCREE_OK)
        return status;
    const scree_sim_contacts* contacts = snapshot->contacts;
    if (b < 0 || (b < 6 && (b / 2 >= look.dim || snapshot->box.periodic[b / 2])))
        return scree_fail(SCREE_ERR_ARGUMENT, "wall stress: boundary %" PRId32 " is not a wall%s; expected the number of a wall", b, b < 0 ? "" : b / 2 >= look.dim ? " in 2D" : ": its axis is periodic");
    if (contacts == NULL || (contacts->count > 0 && (contacts->force == NULL || contacts->normal == NULL)))
        return scree_fail(SCREE_ERR_ARGUMENT, "wall stress: the snapshot has no %s; expected contacts with forces and normals", contacts == NULL ? "contacts" : contacts->force == NULL ? "forces" : "normals");
    scree_wall_stress found = {.area = wall_area(&look, b)};
    double pressing = 0.0;
    for (int64_t c = 0; c < look.contacts; ++c) {
        if (contacts->ij[c][1] != -1 - (int64_t)b)
            continue;
        ++found.contacts;
        pressing += dot(contacts->force[c], contacts->normal[c], look.dim);
        for (int k = 0; k < look.dim; ++k)
            found.force[k] -= contacts->force[c][k];
    }
    for (int k = 0; k < 3; ++k)
        found.stress[k] = found.force[k] / found.area;
    found.pressure = pressing / found.area;
    *out = found;
    return SCREE_OK;
}
