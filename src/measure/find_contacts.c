// Contacts by geometry alone, in the form that simulations give them: for spheres that come from a file. One search by the index; walls sphere by sphere.
#include "measure/snapshot.h"

#include "base/argument.h"
#include "base/array.h"
#include "geom/lattice.h"

#include <math.h>

typedef struct rows {
    int64_t count, room[5];
    int64_t (*ij)[2];
    int8_t (*shift)[3];
    double* overlap;
    double (*normal)[3];
} rows;

static scree_status add_row(rows* to, int64_t i, int64_t j, const int8_t* shift, double gap, const double normal[3])
{
    int64_t row = to->count;
    scree_status status = SCREE_RESERVE(to->ij, to->room[0], row + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(to->shift, to->room[1], row + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(to->overlap, to->room[2], row + 1);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(to->normal, to->room[3], row + 1);
    if (status != SCREE_OK)
        return status;
    to->ij[row][0] = i;
    to->ij[row][1] = j;
    to->overlap[row] = -gap;
    for (int k = 0; k < 3; ++k) {
        to->shift[row][k] = shift != NULL ? shift[k] : 0;
        to->normal[row][k] = normal[k];
    }
    ++to->count;
    return SCREE_OK;
}

static scree_status add_pairs(const looked_at* look, scree_pairs pairs, rows* to)
{
    scree_status status = SCREE_OK;
    for (int64_t p = 0; p < pairs.count && status == SCREE_OK; ++p) {
        int32_t i = pairs.ij[p][0], j = pairs.ij[p][1];
        const int8_t* shift = pairs.shift != NULL ? pairs.shift[p] : NULL;
        double a[3], b[3], d[3], offset[3] = {0.0, 0.0, 0.0}, square = 0.0;
        if (shift != NULL)
            scree_lattice_offset(look->length, look->tilt, shift[0], shift[1], shift[2], offset);
        snapshot_centre(look, i, a);
        snapshot_centre(look, j, b);
        for (int k = 0; k < 3; ++k) {
            d[k] = (a[k] - b[k]) - offset[k];
            square += d[k] * d[k];
        }
        for (int k = 0; k < 3; ++k)  // equal centres have no direction: x is taken
            d[k] = square > 0.0 ? d[k] / sqrt(square) : k == 0 ? 1.0 : 0.0;
        status = add_row(to, i, j, shift, scree_pair_gap(&look->s->box, look->s->spheres, i, j, shift), d);
    }
    return status;
}

// Faces by their numbers, then the round wall.
static scree_status add_walls(const looked_at* look, double gap, rows* to)
{
    const scree_snapshot* s = look->s;
    scree_container round = {.kind = s->container, .box = s->box};
    int round_axes = s->container == SCREE_CONTAINER_BOX ? 0 : s->container == SCREE_CONTAINER_CYLINDER ? 2 : look->dim;
    for (int k = round_axes; k < look->dim; ++k)
        round.box.periodic[k] = true;  // of these axes the container is not asked
    scree_status status = SCREE_OK;
    for (int64_t i = 0; i < look->n && status == SCREE_OK; ++i) {
        const double *x = s->spheres.x + i * look->dim, r = s->spheres.r[i];
        for (int b = 2 * round_axes; b < 2 * look->dim && status == SCREE_OK; ++b) {
            double apart = (b % 2 == 0 ? x[b / 2] - s->box.lower[b / 2] : s->box.upper[b / 2] - x[b / 2]) - r, normal[3] = {0.0};
            normal[b / 2] = b % 2 == 0 ? 1.0 : -1.0;
            if (!s->box.periodic[b / 2] && apart < gap)
                status = add_row(to, i, -1 - b, NULL, apart, normal);
        }
        scree_wall walls[SCREE_WALLS_MAX];
        int32_t near = round_axes > 0 ? scree_container_walls(&round, x, r, gap, walls) : 0;
        for (int32_t w = 0; w < near && status == SCREE_OK; ++w)
            status = add_row(to, i, -7, NULL, walls[w].gap, walls[w].normal);
    }
    return status;
}

scree_status scree_find_contacts(const scree_snapshot* snapshot, double gap, scree_contact_table* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(snapshot);
    looked_at look;
    scree_status status = snapshot_check(snapshot, &look);
    if (status != SCREE_OK)
        return status;
    scree_index_def def = scree_default_index_def();
    def.box = snapshot->box;
    def.gap = gap;
    def.sorted = true;
    def.threads = snapshot->threads;
    def.watch = snapshot->watch;
    scree_index* index = NULL;
    scree_pairs pairs = {0};
    rows found = {0};
    status = scree_index_create(&def, &index);
    if (status == SCREE_OK)
        status = scree_index_update(index, snapshot->spheres);
    if (status == SCREE_OK)
        status = scree_index_pairs(index, &pairs);
    if (status == SCREE_OK)
        status = add_pairs(&look, pairs, &found);
    int64_t pair_count = found.count;
    if (status == SCREE_OK)
        status = add_walls(&look, gap, &found);
    scree_index_destroy(index);
    scree_contact_table table = {.contacts = {.count = found.count,
                                              .pair_count = pair_count,
                                              .ij = (const int64_t(*)[2])found.ij,
                                              .shift = (const int8_t(*)[3])found.shift,
                                              .overlap = found.overlap,
                                              .normal = (const double(*)[3])found.normal}};
    if (status == SCREE_OK)
        *out = table;
    else
        scree_contact_table_free(&table);
    return status;
}

void scree_contact_table_free(scree_contact_table* table)
{
    if (table == NULL)
        return;
    scree_free((void*)table->contacts.ij);
    scree_free((void*)table->contacts.shift);
    scree_free((void*)table->contacts.overlap);
    scree_free((void*)table->contacts.normal);
    scree_free((void*)table->contacts.force);
    *table = (scree_contact_table){0};
}

scree_status scree_contact_points(const scree_snapshot* snapshot, double* points)
{
    SCREE_NEED(snapshot);
    SCREE_NEED(points);
    looked_at look;
    scree_status status = snapshot_check(snapshot, &look);
    if (status != SCREE_OK)
        return status;
    const scree_sim_contacts* contacts = snapshot->contacts;
    if (contacts == NULL || (contacts->count > 0 && (contacts->normal == NULL || contacts->overlap == NULL)))
        return scree_fail(SCREE_ERR_ARGUMENT, "contact points: the snapshot has no contacts, or contacts without normals and overlaps; expected them");
    for (int64_t c = 0; c < contacts->count; ++c) {
        int64_t i = contacts->ij[c][0];
        double arm = snapshot->spheres.r[i] - (contacts->ij[c][1] >= 0 ? 0.5 : 1.0) * contacts->overlap[c];
        for (int k = 0; k < look.dim; ++k)
            points[c * look.dim + k] = snapshot->spheres.x[i * look.dim + k] - arm * contacts->normal[c][k];
    }
    return SCREE_OK;
}
