// A set of spheres that grows row by row while a file with named fields is read: XYZ, LAMMPS data, NumPy. A field is a
// part of the sphere (its position, its radius) or a further column. Memory follows the rows that have come, never a
// count that a header promises.
#ifndef SCREE_FILES_GROWING_H
#define SCREE_FILES_GROWING_H

#include "geom/length.h"
#include "scree/geom.h"

#include <math.h>

typedef enum scree_part {
    SCREE_PART_FURTHER = 0,
    SCREE_PART_COORDINATE,  // x, y or z
    SCREE_PART_POSITION,    // all of them
    SCREE_PART_RADIUS,
    SCREE_PART_DIAMETER,
    SCREE_PART_TWIN  // a diameter beside a radius: compared with it and not kept
} scree_part;

typedef struct scree_growing_field {
    scree_part part;
    int32_t axis;       // COORDINATE: which one; else 0
    bool logical;       // for the reader: T and F in the file, 1 and 0 in the column
    scree_column data;  // name, kind, components; FURTHER: also its values
    int64_t text_length, text_capacity;
} scree_growing_field;

typedef struct scree_growing {
    int32_t dim;    // set by scree_growing_settle; a 2D file with a flat third coordinate sets 2 itself
    int64_t count;  // whole rows
    double *x, *r;
    scree_growing_field* fields;
    int32_t field_count;
    int64_t field_capacity;
    int64_t room;  // rows that fit
    bool has_twin;
    double twin;  // of the row in the making
} scree_growing;

#define SCREE_FAULT 256

// What a field of this name is: x y z, pos and position, r and radius, d and diameter, in any case.
scree_part scree_part_of(const char* name, int64_t length, int32_t* axis);

// Adds a field; its name (not closed by '\0') is copied. MEMORY.
scree_status scree_growing_add(scree_growing* growing, const char* name, int64_t length, scree_column_kind kind,
                               int32_t components);

// All fields are there: decides which are the sphere's, and the dimension. FORMAT with the reason in `fault` (and not
// in the message of the thread).
scree_status scree_growing_settle(scree_growing* growing, char fault[SCREE_FAULT]);

// Reserves space for a total of `rows` rows. MEMORY.
scree_status scree_growing_enlarge(scree_growing* growing, int64_t rows);
static inline scree_status scree_growing_room(scree_growing* growing, int64_t rows)
{
    return rows <= growing->room ? SCREE_OK : scree_growing_enlarge(growing, rows);
}

// Component k of a field of `row` as a number. False: invalid for a sphere; scree_growing_fault has the reason.
static inline bool scree_growing_set(scree_growing* growing, scree_growing_field* field, int64_t row, int32_t k,
                                     double value)
{
    int32_t axis = field->axis + k;
    switch (field->part) {
    case SCREE_PART_COORDINATE:
    case SCREE_PART_POSITION:
        if (axis >= growing->dim)
            return value == 0.0;
        growing->x[row * growing->dim + axis] = value;
        return scree_is_length(value);
    case SCREE_PART_DIAMETER:
        value /= 2.0;
        growing->r[row] = value;
        return scree_is_length(value) && value >= 0.0;
    case SCREE_PART_RADIUS:
        growing->r[row] = value;
        return scree_is_length(value) && value >= 0.0;
    case SCREE_PART_TWIN:
        growing->twin = value;
        return true;
    case SCREE_PART_FURTHER:
        break;
    }
    field->data.values[row * field->data.components + k] = value;
    return true;
}

// Why scree_growing_set failed: completes a message like "column 'r' holds '-1'".
void scree_growing_fault(const scree_growing* growing, const scree_growing_field* field, int32_t k, double value,
                         char fault[SCREE_FAULT]);

// A word for a TEXT field of `row`; rows come one after the other. MEMORY.
scree_status scree_growing_text(scree_growing_field* field, int64_t row, const char* word, int64_t length);

// The row is complete: counts it. False if its diameter is not twice its radius.
static inline bool scree_growing_next(scree_growing* growing)
{
    double r = growing->r[growing->count++];
    return !growing->has_twin || fabs(growing->twin - 2.0 * r) <= 1e-5 * fabs(growing->twin);
}

// Brings the rows into another order: row i becomes what row order[i] was. MEMORY leaves them usable for nothing but
// free.
scree_status scree_growing_reorder(scree_growing* growing, const int32_t* order);

void scree_growing_drop(scree_growing* growing, int32_t f);  // takes a field out

// Hands everything over to a set with an unknown box. After a failure (MEMORY) *out is as it was.
scree_status scree_growing_finish(scree_growing* growing, scree_sphere_set* out);
void scree_growing_free(scree_growing* growing);

#endif
