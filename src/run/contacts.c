// The contacts of a frame as data: a table in CSV and, where frames are VTP, lines for ParaView with the same columns.
//
//     simulation -> rows by pointer and stride (files/rows.h) -> contacts_000000.csv, contacts_000000.vtp
//
// A column is an entry of a list, and its values are taken from where the simulation has them. Only what it does not have is made here: lines, images, groups.
// A line goes from centre to centre, or from a centre to the wall. It begins at sphere i; through a periodic face it ends outside of the box, at the image of j.
//
// The images of a simulation belong to its own centres, which go on across a periodic face for up to `order_every` steps; centres of frames are inside the
// box. Rows have the images that belong to the frame: of a pair whose centres have gone around t_i and t_j times, shift + t_j - t_i.
//
// Cost: O(contacts), some 100 bytes for each with VTP beside what the file has; of periodic boxes also O(spheres).
#include "run/run_inner.h"

#include "files/rows.h"
#include "scene/place.h"

#include <inttypes.h>
#include <string.h>

static const char* const normal_parts[] = {"nx", "ny", "nz"};
static const char* const force_parts[] = {"fx", "fy", "fz"};
static const char* const tangential_parts[] = {"tangential_x", "tangential_y", "tangential_z"};
static const char* const torque_parts[] = {"torque_x", "torque_y", "torque_z"};
static const char* const shift_parts[] = {"sx", "sy", "sz"};
static const char* const point_parts[] = {"px", "py", "pz"};
static const char* const label_names[4] = {"group_i", "group_j", "material_i", "material_j"};

// `what`: contacts or bonds.
static scree_status write_rows(const scree_run* run, const char* what, const scree_row_lines* lines, int64_t rows, int32_t columns, const scree_row_column* column)
{
    char path[4096];
    scree_status status = run_path(run, path, sizeof path, "%s/%s_%06" PRId64 ".csv", what, what, run->frames);
    if (status == SCREE_OK)
        status = scree_rows_write_csv(path, scree_get_watch(), rows, columns, column);
    if (status != SCREE_OK || lines->points == NULL)
        return status;
    status = run_path(run, path, sizeof path, "%s/%s_%06" PRId64 ".vtp", what, what, run->frames);
    return status == SCREE_OK ? scree_rows_write_vtp(path, scree_get_watch(), lines, rows, columns, column) : status;
}

static bool wants_lines(const scree_run* run)
{
    return (run->scene.formats & SCREE_FORMAT_BIT(SCREE_FORMAT_VTP)) != 0;
}

// Of an image; axes that are not periodic may be infinite, and have none.
static double offset_of(const scree_box* box, int k, const int8_t* shift)
{
    double offset = shift != NULL && shift[k] != 0 ? shift[k] * (box->upper[k] - box->lower[k]) : 0.0;
    for (int m = k + 1; m < box->dim && shift != NULL; ++m)
        offset += shift[m] * box->tilt[k + m - 1];
    return offset;
}

// ---- Spheres -------------------------------------------------------------------------------------------------------------

// What the simulation does not have; NULL where it is not needed.
typedef struct made {
    double (*point)[3];   // of contact; the rest is 0 in 2D
    double (*points)[3];  // two for each row
    int64_t* ends;
    int8_t (*shift)[3];
    int32_t (*label)[4];  // group of i and of j, material of i and of j; -1 of walls
    char (*names)[24];    // of the columns of the memory
} made;

static void free_made(made* m)
{
    scree_free(m->point);
    scree_free(m->points);
    scree_free(m->ends);
    scree_free(m->shift);
    scree_free(m->label);
    scree_free(m->names);
}

static scree_status make_shifts(const scree_run* run, const scree_sim_contacts* contacts, int64_t rows, int8_t (*shift)[3])
{
    const scree_box* box = &run->set.box;
    double* x = scree_malloc((size_t)scree_sim_get_count(run->sim), (size_t)box->dim * sizeof *x);
    if (x == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = scree_sim_get_column(run->sim, "x", x);
    for (int64_t c = 0; c < rows && status == SCREE_OK; ++c) {
        int64_t i = run_row_of(run, contacts->ij[c][0]), j = run_row_of(run, contacts->ij[c][1]);
        double turns[2][3] = {{0.0}}, centre[3];
        for (int one = 0; one < 2 && j >= 0; ++one) {
            memcpy(centre, x + (one == 0 ? i : j) * box->dim, (size_t)box->dim * sizeof *x);
            scree_box_wrap_centre(box, centre, turns[one]);
        }
        for (int k = 0; k < 3; ++k)
            shift[c][k] = (int8_t)(contacts->shift[c][k] + turns[1][k] - turns[0][k]);
    }
    scree_free(x);
    return status;
}

// As scree_contact_points, which wants a closed box.
static void make_points(const scree_run* run, const scree_sim_contacts* contacts, int64_t rows, double (*point)[3])
{
    const scree_sphere_set* set = &run->set;
    for (int64_t c = 0; c < rows; ++c) {
        int64_t i = run_row_of(run, contacts->ij[c][0]);
        double arm = set->r[i] - (contacts->ij[c][1] >= 0 ? 0.5 : 1.0) * contacts->overlap[c];
        for (int k = 0; k < 3; ++k)
            point[c][k] = k < set->dim ? set->x[i * set->dim + k] - arm * contacts->normal[c][k] : 0.0;
    }
}

static void make_lines(const scree_run* run, const scree_sim_contacts* contacts, int64_t rows, const made* m)
{
    const scree_sphere_set* set = &run->set;
    for (int64_t c = 0; c < rows; ++c) {
        int64_t i = run_row_of(run, contacts->ij[c][0]), j = run_row_of(run, contacts->ij[c][1]);
        for (int k = 0; k < 3; ++k) {
            double* line[2] = {&m->points[2 * c][k], &m->points[2 * c + 1][k]};
            *line[0] = *line[1] = k < set->dim ? set->x[i * set->dim + k] : 0.0;
            if (j >= 0 && k < set->dim)
                *line[1] = set->x[j * set->dim + k] + offset_of(&set->box, k, m->shift != NULL ? m->shift[c] : NULL);
            else if (j < 0 && j >= -6 && k == (-1 - j) / 2)
                *line[1] = (-1 - j) % 2 == 0 ? set->box.lower[k] : set->box.upper[k];
            else if (j < -6)  // a boundary that is no face of the box
                *line[1] = m->point[c][k];
        }
        m->ends[c] = 2 * (c + 1);
    }
}

static scree_status make_all(const scree_run* run, const scree_sim_contacts* contacts, int64_t rows, made* m)
{
    const uint16_t* label[2] = {run->each.each.group, run->each.each.material};
    bool lines = wants_lines(run), labels = label[0] != NULL || label[1] != NULL;
    if ((m->point = scree_malloc((size_t)rows + 1, sizeof *m->point)) == NULL)
        return SCREE_ERR_MEMORY;
    if (lines && ((m->points = scree_malloc(2 * (size_t)rows + 1, sizeof *m->points)) == NULL ||
                  (m->ends = scree_malloc((size_t)rows + 1, sizeof *m->ends)) == NULL))
        return SCREE_ERR_MEMORY;
    if (contacts->shift != NULL && (m->shift = scree_malloc((size_t)rows + 1, sizeof *m->shift)) == NULL)
        return SCREE_ERR_MEMORY;
    if (labels && (m->label = scree_malloc((size_t)rows + 1, sizeof *m->label)) == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t c = 0; c < rows && labels; ++c)
        for (int k = 0; k < 4; ++k) {
            int64_t i = run_row_of(run, contacts->ij[c][k % 2]);
            m->label[c][k] = i >= 0 && label[k / 2] != NULL ? label[k / 2][i] : -1;
        }
    scree_status status = m->shift != NULL ? make_shifts(run, contacts, rows, m->shift) : SCREE_OK;
    make_points(run, contacts, rows, m->point);
    if (status == SCREE_OK && lines)
        make_lines(run, contacts, rows, m);
    return status;
}

// All columns, in the order of the files. The last ones are what the law remembers of a contact, a number each.
static int32_t list_columns(const scree_run* run, const scree_sim_contacts* contacts, const run_memory* memory, const made* m, scree_row_column* column)
{
    int32_t count = 0;
    column[count++] = (scree_row_column){"i", NULL, 1, SCREE_VTK_INT64, contacts->ij, sizeof *contacts->ij};
    column[count++] = (scree_row_column){"j", NULL, 1, SCREE_VTK_INT64, contacts->ij != NULL ? contacts->ij[0] + 1 : NULL, sizeof *contacts->ij};
    column[count++] = (scree_row_column){"overlap", NULL, 1, SCREE_VTK_FLOAT64, contacts->overlap, sizeof *contacts->overlap};
    column[count++] = (scree_row_column){"normal", normal_parts, 3, SCREE_VTK_FLOAT64, contacts->normal, sizeof *contacts->normal};
    column[count++] = (scree_row_column){"force", force_parts, 3, SCREE_VTK_FLOAT64, contacts->force, sizeof *contacts->force};
    column[count++] = (scree_row_column){"point", point_parts, run->set.dim, SCREE_VTK_FLOAT64, m->point, sizeof *m->point};
    if (contacts->tangential != NULL) {
        column[count++] = (scree_row_column){"tangential", tangential_parts, 3, SCREE_VTK_FLOAT64, contacts->tangential, sizeof *contacts->tangential};
        column[count++] = (scree_row_column){"sliding", NULL, 1, SCREE_VTK_INT8, contacts->sliding, sizeof *contacts->sliding};
    }
    if (contacts->torque != NULL)  // in 2D about z alone, as in frames
        column[count++] = run->set.dim == 3 ? (scree_row_column){"torque", torque_parts, 3, SCREE_VTK_FLOAT64, contacts->torque, sizeof *contacts->torque}
                                            : (scree_row_column){"torque_z", NULL, 1, SCREE_VTK_FLOAT64, contacts->torque[0] + 2, sizeof *contacts->torque};
    if (contacts->feature != NULL)
        column[count++] = (scree_row_column){"feature", NULL, 1, SCREE_VTK_INT32, contacts->feature, sizeof *contacts->feature};
    if (m->shift != NULL)
        column[count++] = (scree_row_column){"shift", shift_parts, 3, SCREE_VTK_INT8, m->shift, sizeof *m->shift};
    for (int k = 0; k < 4; ++k)
        if (m->label != NULL && (k < 2 ? run->each.each.group : run->each.each.material) != NULL)
            column[count++] = (scree_row_column){label_names[k], NULL, 1, SCREE_VTK_INT32, m->label[0] + k, sizeof *m->label};
    for (int32_t w = 0; w < memory->words; ++w) {
        snprintf(m->names[w], sizeof *m->names, "memory_%" PRId32, w);
        column[count++] = (scree_row_column){m->names[w], NULL, 1, SCREE_VTK_FLOAT64, memory->values != NULL ? memory->values + w : NULL,
                                             (size_t)memory->words * sizeof *memory->values};
    }
    return count;
}

scree_status run_contacts_write(const scree_run* run, const scree_sim_contacts* contacts, run_memory memory)
{
    enum { most = 15 };  // columns beside the memory
    made m = {0};
    int64_t rows = contacts->count;
    if (run->set.count < scree_sim_get_count(run->sim))  // of an estimate, which writes only some of the spheres: as many of the contacts
        rows = (int64_t)((double)rows * run->set.count / scree_sim_get_count(run->sim));
    scree_row_column* column = scree_malloc(most + (size_t)memory.words, sizeof *column);
    m.names = scree_malloc((size_t)memory.words + 1, sizeof *m.names);
    scree_status status = column == NULL || m.names == NULL ? SCREE_ERR_MEMORY : make_all(run, contacts, rows, &m);
    const scree_row_lines lines = {.box = &run->set.box, .points = (const double(*)[3])m.points, .ends = m.ends};
    if (status == SCREE_OK)
        status = write_rows(run, "contacts", &lines, rows, list_columns(run, contacts, &memory, &m, column), column);
    scree_free(column);
    free_made(&m);
    return status;
}

// ---- Bonds ---------------------------------------------------------------------------------------------------------------

// Those that hold, with lines as contacts have them. `rows` has room for all.
typedef struct bond_rows {
    int64_t (*ij)[2];
    int8_t (*shift)[3];
    double (*force)[3], (*torque)[3];
    int32_t* kind;
} bond_rows;

static void free_rows(bond_rows* rows)
{
    scree_free(rows->ij);
    scree_free(rows->shift);
    scree_free(rows->force);
    scree_free(rows->torque);
    scree_free(rows->kind);
}

static int64_t take_rows(const scree_run* run, const scree_sim_bonds* bonds, int64_t count, bond_rows* rows)
{
    for (int64_t b = 0; b < bonds->count; ++b) {
        if (bonds->broken_at[b] >= 0 || bonds->ij[b][1] >= run->set.count)
            continue;
        memcpy(rows->ij[count], bonds->ij[b], sizeof *rows->ij);
        memcpy(rows->force[count], bonds->force[b], sizeof *rows->force);
        memcpy(rows->torque[count], bonds->torque[b], sizeof *rows->torque);
        if (bonds->shift != NULL)
            memcpy(rows->shift[count], bonds->shift[b], sizeof *rows->shift);
        rows->kind[count++] = bonds->kind[b];
    }
    return count;
}

scree_status run_bonds_write(const scree_run* run)
{
    enum { rows_most = 1 << 19 };
    scree_sim_report report;
    scree_sim_bonds bonds;
    scree_status status = scree_sim_measure(run->sim, &report);
    if (status != SCREE_OK)
        return status;
    size_t most = (size_t)report.bonds + 1;
    const bool shifted = scree_box_is_periodic(&run->set.box);
    bond_rows rows = {.ij = scree_malloc(most, sizeof *rows.ij),
                      .shift = scree_malloc(most, sizeof *rows.shift),
                      .force = scree_malloc(most, sizeof *rows.force),
                      .torque = scree_malloc(most, sizeof *rows.torque),
                      .kind = scree_malloc(most, sizeof *rows.kind)};
    bool lines = wants_lines(run);
    made m = {.points = lines ? scree_malloc(2 * most, sizeof *m.points) : NULL,
              .ends = lines ? scree_malloc(most, sizeof *m.ends) : NULL,
              .shift = shifted ? scree_malloc(most, sizeof *m.shift) : NULL};
    if (rows.ij == NULL || rows.shift == NULL || rows.force == NULL || rows.torque == NULL || rows.kind == NULL || (lines && (m.points == NULL || m.ends == NULL)) ||
        (shifted && m.shift == NULL))
        status = SCREE_ERR_MEMORY;
    int64_t count = 0;
    for (int64_t first = 0, all = 1; first < all && status == SCREE_OK; first += rows_most) {
        status = scree_sim_get_bond_rows(run->sim, first, rows_most, &bonds, &all);
        count = status == SCREE_OK ? take_rows(run, &bonds, count, &rows) : 0;
    }
    const scree_sim_contacts as_contacts = {.count = count, .ij = (const int64_t(*)[2])rows.ij, .shift = (const int8_t(*)[3])rows.shift};
    if (status == SCREE_OK && m.shift != NULL)
        status = make_shifts(run, &as_contacts, count, m.shift);
    if (status == SCREE_OK && lines)
        make_lines(run, &as_contacts, count, &m);
    scree_row_column column[6] = {
        {"i", NULL, 1, SCREE_VTK_INT64, rows.ij, sizeof *rows.ij},
        {"j", NULL, 1, SCREE_VTK_INT64, status == SCREE_OK ? rows.ij[0] + 1 : NULL, sizeof *rows.ij},
        {"kind", NULL, 1, SCREE_VTK_INT32, rows.kind, sizeof *rows.kind},
        {"force", force_parts, 3, SCREE_VTK_FLOAT64, rows.force, sizeof *rows.force},
        {"torque", torque_parts, 3, SCREE_VTK_FLOAT64, rows.torque, sizeof *rows.torque},
        {"shift", shift_parts, 3, SCREE_VTK_INT8, m.shift, sizeof *m.shift},
    };
    const scree_row_lines drawn = {.box = &run->set.box, .points = (const double(*)[3])m.points, .ends = m.ends};
    if (status == SCREE_OK)
        status = write_rows(run, "bonds", &drawn, count, m.shift != NULL ? 6 : 5, column);
    free_rows(&rows);
    free_made(&m);
    return status;
}

// ---- Bodies --------------------------------------------------------------------------------------------------------------

// From the centre of i to the point where the force acts and on to the centre of j. Walls and fixed bodies, whose centre is not in the middle of them, are left
// out.
static int64_t put_line(const scree_contact* contact, const scree_sphere_set* bodies, const scree_column* fixed, double (*points)[3])
{
    int64_t used = 0;
    if (fixed->integers[contact->i] == 0) {
        for (int k = 0; k < 2; ++k)
            points[used][k] = bodies->x[2 * (int64_t)contact->i + k];
        ++used;
    }
    for (int k = 0; k < 2; ++k)
        points[used][k] = contact->point[k];
    ++used;
    bool on = contact->j >= 0 && fixed->integers[contact->j] == 0;
    if (on || used == 1) {
        for (int k = 0; k < 2; ++k)
            points[used][k] = on ? bodies->x[2 * (int64_t)contact->j + k] + offset_of(&bodies->box, k, contact->shift) : contact->point[k];
        ++used;
    }
    for (int64_t p = 0; p < used; ++p)
        points[p][2] = 0.0;
    return used;
}

// What a contact of bodies has in a file and not in scree_contact.
typedef struct body_row {
    double tangential[2];
    int32_t material[2];  // of i and of j; -1 of walls
    int8_t sliding;
} body_row;

static void fill_row(const scree_run* run, const scree_contact* contact, body_row* row)
{
    const double t[2] = {-contact->normal[1], contact->normal[0]};
    for (int k = 0; k < 2; ++k) {
        int32_t i = k == 0 ? contact->i : contact->j;
        row->tangential[k] = contact->tangential * t[k];
        row->material[k] = i >= 0 ? run->bodies.bodies[i].material : -1;
    }
    row->sliding = contact->slides;
}

// Columns as scree_contact has them; the point is where the force acts on i. Friction and materials as for spheres.
scree_status run_body_contacts_write(const scree_run* run, const scree_polygon_contacts* list, const scree_sphere_set* bodies)
{
    int64_t n = list->count, used = 0;
    const scree_contact* first = list->contacts;
    static const scree_contact none;
    if (first == NULL)
        first = &none;
    body_row* own = scree_malloc((size_t)n + 1, sizeof *own);
    if (own == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t c = 0; c < n; ++c)
        fill_row(run, &list->contacts[c], &own[c]);
    const bool rubs = scree_scene_turns(&run->scene), several = run->scene.material_count > 1;
    const struct {
        bool there;
        scree_row_column column;
    } all[] = {
        {true, {"i", NULL, 1, SCREE_VTK_INT32, &first->i, sizeof *first}},
        {true, {"j", NULL, 1, SCREE_VTK_INT32, &first->j, sizeof *first}},
        {true, {"kind", NULL, 1, SCREE_VTK_INT32, &first->kind, sizeof *first}},
        {true, {"feature", NULL, 1, SCREE_VTK_INT32, &first->feature, sizeof *first}},
        {true, {"shift", shift_parts, 2, SCREE_VTK_INT8, first->shift, sizeof *first}},
        {true, {"depth", NULL, 1, SCREE_VTK_FLOAT64, &first->depth, sizeof *first}},
        {true, {"normal", normal_parts, 2, SCREE_VTK_FLOAT64, first->normal, sizeof *first}},
        {true, {"force", force_parts, 2, SCREE_VTK_FLOAT64, first->force, sizeof *first}},
        {true, {"point", point_parts, 2, SCREE_VTK_FLOAT64, first->point, sizeof *first}},
        {true, {"energy", NULL, 1, SCREE_VTK_FLOAT64, &first->energy, sizeof *first}},
        {rubs, {"tangential", tangential_parts, 2, SCREE_VTK_FLOAT64, own->tangential, sizeof *own}},
        {rubs, {"sliding", NULL, 1, SCREE_VTK_INT8, &own->sliding, sizeof *own}},
        {several, {label_names[2], NULL, 1, SCREE_VTK_INT32, &own->material[0], sizeof *own}},
        {several, {label_names[3], NULL, 1, SCREE_VTK_INT32, &own->material[1], sizeof *own}},
    };
    scree_row_column column[sizeof all / sizeof *all];
    int32_t columns = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        if (all[k].there)
            column[columns++] = all[k].column;
    double(*points)[3] = NULL;
    int64_t* ends = NULL;
    scree_status status = SCREE_OK;
    if (wants_lines(run)) {
        points = scree_malloc(3 * (size_t)n + 1, sizeof *points);
        ends = scree_malloc((size_t)n + 1, sizeof *ends);
        status = points == NULL || ends == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
        const scree_column* fixed = scree_sphere_set_find(bodies, "fixed");
        for (int64_t c = 0; c < n && status == SCREE_OK; ++c) {
            used += put_line(&list->contacts[c], bodies, fixed, points + used);
            ends[c] = used;
        }
    }
    const scree_row_lines lines = {.box = &bodies->box, .points = (const double(*)[3])points, .ends = ends};
    if (status == SCREE_OK)
        status = write_rows(run, "contacts", &lines, n, columns, column);
    scree_free(own);
    scree_free(points);
    scree_free(ends);
    return status;
}
