// Contacts, partners, rattlers and overlaps: one search by the index, and sums over its pairs.
//
// Coordination needs a gap: spheres of a packing that was made with finite precision do not touch to the last bit. Pairs
// below the gap are `near`, pairs below 0 are contacts, and each image is a pair of its own.
//
// A rattler is loose in the cage of its neighbours. It is held by fewer than `least` others or walls, and once it is removed
// its neighbours may be loose too; so spheres are removed until all remaining ones are held by `least` remaining
// ones. The result does not depend on the order. Without friction dim + 1 contacts hold a sphere, with friction two. (That they hold
// it only if they do not lie on one side of it is not checked; this is the usual count.) The rest, the backbone, has 2 dim partners
// per sphere on average when it is just rigid without friction.
//
// By the count for frictionless spheres a bed with friction, whose spheres have about dim + 1 contacts, comes apart one by one. The
// mechanical coordination number (Thornton 2000, Geotechnique 50, 43) leaves out only spheres with no contact and with one.
//
// Pairs come sorted, so that sums and "the first deepest pair" are the same whatever the method of the index.
#include "measure/measured.h"

#include "base/parallel.h"
#include "geom/pair.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// What is needed of one pair, computed as the index computes it.
typedef struct pair_view {
    int32_t i, j;
    double a[4], b[4], offset[3];
} pair_view;

static pair_view view(const measured* m, scree_pairs pairs, int64_t p)
{
    pair_view v = {.i = pairs.ij[p][0], .j = pairs.ij[p][1]};
    measured_sphere(m, v.i, v.a);
    measured_sphere(m, v.j, v.b);
    if (pairs.shift != NULL)
        scree_lattice_offset(m->length, m->tilt, pairs.shift[p][0], pairs.shift[p][1], pairs.shift[p][2], v.offset);
    return v;
}

// The shift as the caller's centres need it; ours are wrapped.
static void name_shift(const measured* m, int32_t i, int32_t j, const int8_t* shift, int8_t out[3])
{
    double a[3], b[3], turns_a[3], turns_b[3];
    for (int k = 0; k < m->dim; ++k) {
        a[k] = m->given_x[(int64_t)i * m->dim + k];
        b[k] = m->given_x[(int64_t)j * m->dim + k];
    }
    scree_box_wrap_centre(&m->def.box, a, turns_a);
    scree_box_wrap_centre(&m->def.box, b, turns_b);
    for (int k = 0; k < m->dim; ++k) {
        double boxes = (shift != NULL ? shift[k] : 0) + turns_a[k] - turns_b[k];
        out[k] = (int8_t)(fabs(boxes) <= INT8_MAX ? boxes : INT8_MIN);
    }
}

// After this many pairs, for loops over all of them.
static scree_status ask(const scree_watch* watch, int64_t p)
{
    enum { every = scree_work_unasked / 32 };
    return p % every != every - 1 || scree_watch_goes_on(watch, 1.0) ? SCREE_OK : scree_fail(SCREE_ERR_CANCELLED, "stopped on request");
}

static scree_status sum_overlaps(const measured* m, scree_pairs pairs, const scree_watch* watch, scree_contact_counts* out)
{
    scree_spheres spheres = {.count = m->n, .dim = m->dim, .x = m->x, .r = m->r};
    double sum = 0.0, relative_sum = 0.0, lenses = 0.0;
    int64_t relative_count = 0, deepest = -1;
    for (int64_t p = 0; p < pairs.count; ++p) {
        if (ask(watch, p) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        int32_t i = pairs.ij[p][0], j = pairs.ij[p][1];
        double gap = scree_pair_gap(&m->def.box, spheres, i, j, pairs.shift != NULL ? pairs.shift[p] : NULL);
        if (!(gap < 0.0))
            continue;
        ++out->contacts;
        sum -= gap;
        if (deepest < 0 || -gap > out->max_overlap) {
            out->max_overlap = -gap;
            deepest = p;
        }
        double small = fmin(m->r[i], m->r[j]);
        if (small > 0.0) {
            double relative = -gap / small;
            out->max_overlap_relative = fmax(out->max_overlap_relative, relative);
            relative_sum += relative;
            ++relative_count;
            if (m->has_volume)
                lenses += measured_share_of_box(m, small) * scree_lens_share(m->dim, m->r[i], m->r[j], gap);
        }
    }
    out->max_i = out->max_j = -1;
    if (deepest >= 0) {
        out->max_i = pairs.ij[deepest][0];
        out->max_j = pairs.ij[deepest][1];
        name_shift(m, out->max_i, out->max_j, pairs.shift != NULL ? pairs.shift[deepest] : NULL, out->max_shift);
    }
    out->mean_overlap = out->contacts > 0 ? sum / (double)out->contacts : 0.0;
    out->mean_overlap_relative = relative_count > 0 ? relative_sum / (double)relative_count : 0.0;
    out->overlap_share = m->has_volume ? lenses : NAN;
    if (m->def.container != SCREE_CONTAINER_BOX)
        out->overlap_share *= measured_box_to(m, &(scree_container){.kind = m->def.container, .box = m->def.box});
    return SCREE_OK;
}

// Who is near whom, as rows: the partners of i are to[row[i]] .. to[row[i + 1] - 1].
typedef struct partner_rows {
    int64_t* row;
    int32_t* to;
} partner_rows;

// Counts partners; `keep` gets 1 for the pairs that are near. (All are, unless the asked gap is below 0.)
static scree_status count_partners(const measured* m, scree_pairs pairs, const scree_watch* watch, uint8_t* keep, scree_contact_counts* out)
{
    for (int64_t p = 0; p < pairs.count; ++p) {
        if (ask(watch, p) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        pair_view v = view(m, pairs, p);
        keep[p] = scree_is_pair(v.a, v.b, v.offset, m->def.gap);
        if (keep[p]) {
            ++out->pairs;
            ++out->partners[v.i];
            ++out->partners[v.j];
        }
    }
    out->coordination = m->n > 0 ? 2.0 * (double)out->pairs / m->n : 0.0;
    return SCREE_OK;
}

// A face of the box: from its bounds; a round wall: by the container. For a cylinder only the round wall comes from there.
static int64_t walls_near(const measured* m, int64_t i)
{
    int64_t count = 0;
    const double *x = m->x + i * m->dim, r = m->r[i];
    int round_axes = m->def.container == SCREE_CONTAINER_BOX ? 0 : m->def.container == SCREE_CONTAINER_CYLINDER ? 2 : m->dim;
    for (int k = round_axes; k < m->dim; ++k)
        if (!m->def.box.periodic[k])
            count += ((x[k] - m->def.box.lower[k]) - r < m->def.gap) + ((m->def.box.upper[k] - x[k]) - r < m->def.gap);
    if (round_axes > 0) {
        scree_container round = {.kind = m->def.container, .box = m->def.box};
        scree_wall walls[SCREE_WALLS_MAX];
        for (int k = round_axes; k < m->dim; ++k)
            round.box.periodic[k] = true;
        count += scree_container_walls(&round, x, r, m->def.gap, walls);
    }
    return count;
}

static scree_status fill_rows(const measured* m, scree_pairs pairs, const scree_watch* watch, const uint8_t* keep, partner_rows rows)
{
    memset(rows.row, 0, ((size_t)m->n + 2) * sizeof *rows.row);
    // row[i + 2] counts, row[i + 1] is then where row i is filled, and in the end where it ends. Own images need no row.
    for (int64_t p = 0; p < pairs.count; ++p)
        if (keep[p] && pairs.ij[p][0] != pairs.ij[p][1])
            for (int k = 0; k < 2; ++k)
                ++rows.row[pairs.ij[p][k] + 2];
    for (int64_t i = 2; i <= (int64_t)m->n + 1; ++i)
        rows.row[i] += rows.row[i - 1];
    for (int64_t p = 0; p < pairs.count; ++p) {
        if (ask(watch, p) != SCREE_OK)
            return SCREE_ERR_CANCELLED;
        if (keep[p] && pairs.ij[p][0] != pairs.ij[p][1])
            for (int k = 0; k < 2; ++k)
                rows.to[rows.row[pairs.ij[p][k] + 1]++] = pairs.ij[p][1 - k];
    }
    return SCREE_OK;
}

scree_status measured_least_contacts(const char* what, int32_t given, int32_t automatic, int32_t* out)
{
    enum { most = 1000 };
    if (given < 0 || given > most)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: least_contacts = %" PRId32 "; expected 1 to %d, or 0 (automatic)", what, given, most);
    *out = given > 0 ? given : automatic;
    return SCREE_OK;
}

double measured_mechanical(int32_t n, const int64_t* held, int32_t* no_contact, int32_t* one_contact)
{
    int64_t contacts = 0;
    *no_contact = *one_contact = 0;
    for (int32_t i = 0; i < n; ++i) {
        *no_contact += held[i] == 0;
        *one_contact += held[i] == 1;
        contacts += held[i] >= 2 ? held[i] : 0;
    }
    int32_t rest = n - *no_contact - *one_contact;
    return rest > 0 ? (double)contacts / rest : 0.0;
}

int32_t measured_take_rattlers(int32_t n, int32_t least, const int64_t* row, const int32_t* to, int64_t* held, int32_t* stack, uint8_t* rattler)
{
    int32_t waiting = 0, taken = 0;
    for (int32_t i = 0; i < n; ++i)
        if (held[i] < least) {
            rattler[i] = 1;
            stack[waiting++] = i;
        }
    while (waiting > 0) {
        int32_t i = stack[--waiting];
        ++taken;
        for (int64_t p = row[i]; p < row[i + 1]; ++p) {
            int32_t j = to[p];
            if (--held[j] < least && !rattler[j]) {
                rattler[j] = 1;
                stack[waiting++] = j;
            }
        }
    }
    return taken;
}

static scree_status find_rattlers(const measured* m, scree_pairs pairs, const scree_watch* watch, const uint8_t* keep, scree_contact_counts* out)
{
    partner_rows rows = {.row = scree_malloc((size_t)m->n + 2, sizeof *rows.row),
                         .to = scree_malloc(2 * (size_t)out->pairs, sizeof *rows.to)};
    int64_t* held = scree_malloc((size_t)m->n, sizeof *held);
    int32_t* stack = scree_malloc((size_t)m->n, sizeof *stack);
    scree_status status = rows.row != NULL && rows.to != NULL && held != NULL && stack != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    if (status == SCREE_OK)
        status = fill_rows(m, pairs, watch, keep, rows);
    if (status == SCREE_OK) {
        for (int64_t i = 0; i < m->n; ++i) {
            int64_t walls = walls_near(m, i);
            out->wall_contacts += walls;
            held[i] = out->partners[i] + walls;
        }
        out->mechanical_coordination = measured_mechanical(m->n, held, &out->no_contact, &out->one_contact);
        out->contacts_min = m->def.least_contacts;
        out->rattlers = measured_take_rattlers(m->n, m->def.least_contacts, rows.row, rows.to, held, stack, out->rattler);
        for (int64_t p = 0; p < pairs.count; ++p)
            out->backbone_near += keep[p] && !out->rattler[pairs.ij[p][0]] && !out->rattler[pairs.ij[p][1]];
        int32_t left = m->n - out->rattlers;
        out->backbone_coordination = left > 0 ? 2.0 * (double)out->backbone_near / left : 0.0;
    }
    scree_free(rows.row);
    scree_free(rows.to);
    scree_free(held);
    scree_free(stack);
    return status;
}

static scree_status sum_pairs(const measured* m, scree_pairs pairs, const scree_watch* watch, scree_contact_counts* out)
{
    out->partners = scree_calloc((size_t)m->n, sizeof *out->partners);
    out->rattler = scree_calloc((size_t)m->n, sizeof *out->rattler);
    uint8_t* keep = scree_malloc((size_t)pairs.count, sizeof *keep);
    scree_status status = SCREE_ERR_MEMORY;
    if (out->partners != NULL && out->rattler != NULL && keep != NULL) {
        status = sum_overlaps(m, pairs, watch, out);
        if (status == SCREE_OK)
            status = count_partners(m, pairs, watch, keep, out);
        if (status == SCREE_OK)
            status = find_rattlers(m, pairs, watch, keep, out);
    }
    scree_free(keep);
    return status;
}

scree_status measured_search(const measured* m, const double* r, double gap, const scree_watch* watch, scree_index** index, scree_pairs* pairs)
{
    scree_index_def def = scree_default_index_def();
    def.method = m->def.method;
    def.box = m->def.box;
    def.gap = gap;
    def.sorted = true;
    def.threads = m->def.threads;
    def.watch = *watch;
    scree_status status = scree_index_create(&def, index);
    if (status == SCREE_OK)
        status = scree_index_update(*index, (scree_spheres){.count = m->n, .dim = m->dim, .x = m->x, .r = r});
    if (status == SCREE_OK)
        status = scree_index_pairs(*index, pairs);
    return status;
}

scree_status contacts_of(const measured* m, const scree_watch* watch, scree_contact_counts* out)
{
    out->n = m->n;
    out->gap = m->def.gap;
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    // Contacts are wanted whatever the gap.
    scree_status status = measured_search(m, m->r, m->def.gap < 0.0 ? 0.0 : m->def.gap, watch, &index, &pairs);
    if (status == SCREE_OK)
        status = sum_pairs(m, pairs, watch, out);
    scree_index_destroy(index);
    return status;
}
