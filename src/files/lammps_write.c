// LAMMPS data files of atom_style sphere, written. Diameters are twice the radii, which is exact; every number reads
// back as the same bits. LAMMPS ignores line 1, where scree writes what the format does not store:
//
//     # scree dim=2 box=pw columns=type:1,velocity:2
//
// dim, a letter per axis of the box (finite_box.h; none: there is no box, and the bounds of the spheres were written),
// container=cylinder or sphere where the box bounds a round one,
// and which columns of the set are in the file with how many components each; other values in the rows are defaults.
//
// The format stores a few columns only, and LAMMPS is strict about their values (types from 1, densities
// above 0): other columns, and columns with other values, are left out, and scree_lammps_keeps returns
// false for them.
#include "files/finite_box.h"
#include "files/formats.h"
#include "files/lammps.h"
#include "files/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define IMAGE_MOST ((int64_t)1 << 20)  // image flags have 10 bits in LAMMPS, or 21

static double number_at(const scree_column* column, int64_t k)
{
    return column->kind == SCREE_COLUMN_INT64 ? (double)column->integers[k] : column->values[k];
}

static bool components_fit(const scree_sphere_set* set, const scree_column* column, int place)
{
    int32_t components = column->components;
    switch (place) {
    case SCREE_LAMMPS_VELOCITY:
    case SCREE_LAMMPS_IMAGE:
        return components == 3 || (set->dim == 2 && components == 2);
    case SCREE_LAMMPS_OMEGA:
        return components == 3 || (set->dim == 2 && components == 1);
    default:
        return components == 1;
    }
}

static bool value_fits(const scree_column* column, int place, int64_t k)
{
    double number = number_at(column, k);
    switch (place) {
    case SCREE_LAMMPS_ID:  // rows are in the order of ids when they are read again
        return column->integers[k] > (k > 0 ? column->integers[k - 1] : 0);
    case SCREE_LAMMPS_TYPE:
        return column->integers[k] >= 1 && column->integers[k] <= INT32_MAX;
    case SCREE_LAMMPS_DENSITY:
    case SCREE_LAMMPS_MATERIAL_DENSITY:
        return number > 0.0 && !isinf(number);
    case SCREE_LAMMPS_IMAGE:
        return column->integers[k] > -IMAGE_MOST && column->integers[k] < IMAGE_MOST;
    default:
        return isfinite(number);
    }
}

static bool column_fits(const scree_sphere_set* set, const scree_column* column, int place)
{
    bool whole = place == SCREE_LAMMPS_ID || place == SCREE_LAMMPS_TYPE || place == SCREE_LAMMPS_IMAGE;
    if (column->kind == SCREE_COLUMN_TEXT || (whole && column->kind != SCREE_COLUMN_INT64) ||
        !components_fit(set, column, place))
        return false;
    for (int64_t k = 0; k < (int64_t)set->count * column->components; ++k)
        if (!value_fits(column, place, k))
            return false;
    return true;
}

typedef struct held_columns {
    const scree_column* at[SCREE_LAMMPS_PLACES];  // NULL: none, or it does not fit
} held_columns;

static held_columns hold(const scree_sphere_set* set)
{
    held_columns held = {{NULL}};
    for (int p = 0; p < SCREE_LAMMPS_PLACES; ++p) {
        const scree_column* column = scree_sphere_set_find(set, scree_lammps_name[p]);
        if (column != NULL && column_fits(set, column, p))
            held.at[p] = column;
    }
    if (held.at[SCREE_LAMMPS_DENSITY] != NULL)
        held.at[SCREE_LAMMPS_MATERIAL_DENSITY] = NULL;
    return held;
}

bool scree_lammps_keeps(const scree_sphere_set* set, int32_t c)
{
    held_columns held = hold(set);
    bool kept = c < 0;
    for (int p = 0; p < SCREE_LAMMPS_PLACES && !kept; ++p)
        kept = held.at[p] == &set->columns[c];
    return kept;
}

scree_status scree_lammps_check(const scree_sphere_set* set)
{
    return scree_sphere_set_check_box(set);
}

static void put(scree_output* output, const char* text)
{
    scree_output_bytes(output, text, strlen(text));
}

static void put_header(scree_output* output, const scree_sphere_set* set, const held_columns* held)
{
    char text[160];
    scree_finite_box box = scree_finite_box_of(set);
    snprintf(text, sizeof text, "# scree dim=%d box=%s", (int)set->dim, set->has_box ? box.letter : "none");
    put(output, text);
    if (set->container != SCREE_CONTAINER_BOX) {
        put(output, " container=");
        put(output, scree_container_name(set->container));
    }
    const char* before = " columns=";
    for (int32_t c = 0; c < set->column_count; ++c)
        for (int p = 0; p < SCREE_LAMMPS_PLACES; ++p)
            if (held->at[p] == &set->columns[c]) {
                snprintf(text, sizeof text, "%s%s:%d", before, scree_lammps_name[p], (int)held->at[p]->components);
                put(output, text);
                before = ",";
            }
    int64_t types = 1;
    const scree_column* type = held->at[SCREE_LAMMPS_TYPE];
    for (int64_t i = 0; type != NULL && i < set->count; ++i)
        if (type->integers[i] > types)
            types = type->integers[i];
    snprintf(text, sizeof text, "\n\n%" PRId32 " atoms\n%" PRId64 " atom types\n\n", set->count, types);
    put(output, text);
    for (int k = 0; k < 3; ++k) {
        char* p = scree_put_number(text, box.lower[k]);
        *p++ = ' ';
        p = scree_put_number(p, box.upper[k]);
        snprintf(p, 16, " %clo %chi\n", "xyz"[k], "xyz"[k]);
        put(output, text);
    }
    for (int t = 0; set->has_box && scree_box_is_tilted(&set->box) && t < 3; ++t) {
        char* p = scree_put_number(text, t == 0 || set->dim == 3 ? set->box.tilt[t] : 0.0);
        snprintf(p, 16, "%s", t < 2 ? " " : " xy xz yz\n");
        put(output, text);
    }
}

static char* put_id(char* p, const held_columns* held, int64_t i)
{
    const scree_column* id = held->at[SCREE_LAMMPS_ID];
    return scree_put_integer(p, id != NULL ? id->integers[i] : i + 1);
}

static void put_atom(scree_output* output, const scree_sphere_set* set, const held_columns* held, int64_t i)
{
    const scree_column *type = held->at[SCREE_LAMMPS_TYPE], *image = held->at[SCREE_LAMMPS_IMAGE];
    const scree_column* density = held->at[SCREE_LAMMPS_DENSITY] != NULL ? held->at[SCREE_LAMMPS_DENSITY]
                                                                         : held->at[SCREE_LAMMPS_MATERIAL_DENSITY];
    char* p = put_id(scree_output_room(output, 10 * 36), held, i);
    *p++ = ' ';
    p = scree_put_integer(p, type != NULL ? type->integers[i] : 1);
    *p++ = ' ';
    p = scree_put_number(p, 2.0 * set->r[i]);
    *p++ = ' ';
    p = density != NULL ? scree_put_number(p, number_at(density, i)) : scree_put_integer(p, 1);
    for (int k = 0; k < 3; ++k) {
        *p++ = ' ';
        p = k < set->dim ? scree_put_number(p, set->x[i * set->dim + k]) : scree_put_integer(p, 0);
    }
    for (int k = 0; image != NULL && k < 3; ++k) {
        *p++ = ' ';
        p = scree_put_integer(p, k < image->components ? image->integers[i * image->components + k] : 0);
    }
    *p++ = '\n';
    scree_output_wrote(output, p);
}

static void put_velocity(scree_output* output, const scree_sphere_set* set, const held_columns* held, int64_t i)
{
    (void)set;
    const scree_column *velocity = held->at[SCREE_LAMMPS_VELOCITY], *omega = held->at[SCREE_LAMMPS_OMEGA];
    double numbers[6] = {0.0};
    for (int k = 0; velocity != NULL && k < velocity->components; ++k)
        numbers[k] = number_at(velocity, i * velocity->components + k);
    for (int k = 0; omega != NULL && k < omega->components; ++k)  // in 2D a single one is about z
        numbers[6 - omega->components + k] = number_at(omega, i * omega->components + k);
    char* p = put_id(scree_output_room(output, 7 * 36), held, i);
    for (int k = 0; k < 6; ++k) {
        *p++ = ' ';
        p = scree_put_number(p, numbers[k]);
    }
    *p++ = '\n';
    scree_output_wrote(output, p);
}

void scree_lammps_write(scree_output* output, const scree_sphere_set* set)
{
    held_columns held = hold(set);
    put_header(output, set, &held);
    bool moving = held.at[SCREE_LAMMPS_VELOCITY] != NULL || held.at[SCREE_LAMMPS_OMEGA] != NULL;
    int64_t stride = set->count / 128 + 1;
    for (int section = 0; section < 1 + moving; ++section) {
        put(output, section == 0 ? "\nAtoms # sphere\n\n" : "\nVelocities\n\n");
        for (int64_t i = 0; i < set->count; ++i) {
            double done = (double)section + (double)i / (double)set->count;
            if (i % stride == 0 && scree_output_tick(output, done / (1 + moving)) != SCREE_OK)
                return;
            (section == 0 ? put_atom : put_velocity)(output, set, &held, i);
        }
    }
}
