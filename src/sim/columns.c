#include "sim/columns.h"

#include "base/argument.h"
#include "sim/sim_inner.h"

#include <string.h>

#define ROWS(field, traits_, ordered_, beside_) \
    {.at = offsetof(scree_sim, field), .bytes = sizeof *((scree_sim*)0)->field.at, .traits = traits_, .ordered = ordered_, .rows = true, .beside = beside_}
#define ARRAY(field, traits_, ordered_) {.at = offsetof(scree_sim, field), .bytes = sizeof *((scree_sim*)0)->field, .traits = traits_, .ordered = ordered_}

const sim_array sim_arrays[sim_array_count] = {
    ARRAY(x, 0, true),
    ARRAY(other, 0, false),
    ROWS(v, 0, true, false),
    ROWS(w, SIM_SPINS, true, true),
    ROWS(v_next, SIM_SPINS, false, false),
    ROWS(w_next, SIM_SPINS, false, true),
    ROWS(p, SIM_DAMPED, true, false),
    ROWS(wp, SIM_SPINS, true, true),
    ROWS(p_next, SIM_DAMPED, false, false),
    ROWS(wp_next, SIM_SPINS, false, true),
    ARRAY(before, SIM_BY_POSITIONS, true),
    ARRAY(id, 0, true),
    ARRAY(key, 0, false),  // made with the order, and in it
    ARRAY(material, SIM_MATERIALS, true),
    ARRAY(group, SIM_GROUPS, true),
    ARRAY(flags, SIM_FLAGS, true),
    ARRAY(force, SIM_FORCES, true),
    ARRAY(body, SIM_BODIES, true),
    ARRAY(held, SIM_FLAGS, true),
    ARRAY(torque, SIM_TORQUES, true),
    ARRAY(own_force, SIM_OWN_FORCES, true),
    ARRAY(own_torque, SIM_OWN_TORQUES, true),
    ARRAY(row, SIM_GAPS, true),
};

enum {
    state = SCREE_USE_STATE | SCREE_USE_CHECKPOINT,
    given = SCREE_USE_GIVEN | SCREE_USE_CHECKPOINT,
};

#define COLUMN_OF(name_, type_, components_, uses_, meaning_, field, pointer, rows_, first_, traits_)                                                                     \
    {.shown = {.name = name_, .type = SCREE_TYPE_##type_, .components = components_, .uses = uses_, .meaning = meaning_},                              \
     .at = offsetof(scree_sim, field),                                                                                                                 \
     .bytes = sizeof *((scree_sim*)0)->pointer,                                                                                                        \
     .rows = rows_,                                                                                                                                    \
     .first = (first_) * sizeof(double),                                                                                                               \
     .traits = traits_}
#define COLUMN(name, type, components, uses, meaning, field, first, traits) COLUMN_OF(name, type, components, uses, meaning, field, field, false, first, traits)
#define ROW_COLUMN(name, type, components, uses, meaning, field, first, traits) COLUMN_OF(name, type, components, uses, meaning, field, field.at, true, first, traits)

const sim_column sim_columns[sim_column_count] = {
    COLUMN("x", FLOAT64, 0, state | SCREE_USE_HASHED | SCREE_USE_FRAME, "position of the centre", x, 0, 0),
    ROW_COLUMN("v", FLOAT64, 0, state | SCREE_USE_HASHED | SCREE_USE_FRAME, "velocity", v, 0, 0),
    COLUMN("a", FLOAT64, 0, state, "acceleration", other, 0, 0),
    COLUMN("x_before", FLOAT64, 0, state, "position Verlet: position one step before, in the same image as x", before, 0, SIM_BY_POSITIONS),
    COLUMN("key", UINT64, 1, state, "Morton number of the centre when the order was last renewed", key, 0, 0),
    COLUMN("force", FLOAT64, 0, state, "external force", force, 0, SIM_FORCES),
    COLUMN("radius", FLOAT64, 1, given | SCREE_USE_FRAME, "radius", x, 3, 0),
    ROW_COLUMN("inverse_mass", FLOAT64, 1, given, "1 / mass; 0 for fixed spheres", v, 3, 0),
    COLUMN("material", UINT16, 1, given | SCREE_USE_FRAME, "number of its material", material, 0, SIM_MATERIALS),
    COLUMN("group", UINT16, 1, given | SCREE_USE_FRAME, "number of its group", group, 0, SIM_GROUPS),
    COLUMN("flags", UINT8, 1, state, "1: fixed, 3: driven", flags, 0, SIM_FLAGS),
    COLUMN("id", INT64, 1, given, "its number, which no other sphere ever has", id, 0, 0),
    ROW_COLUMN("w", FLOAT64, 3, state | SCREE_USE_HASHED | SCREE_USE_FRAME, "spin: angular velocity, in 2D with x and y 0", w, 0, SIM_SPINS),
    ROW_COLUMN("angular_acceleration", FLOAT64, 3, state, "torque / moment of inertia", wp_next, 0, SIM_SPINS),
    ROW_COLUMN("inverse_inertia", FLOAT64, 1, given, "1 / moment of inertia", w, 3, SIM_SPINS),
    COLUMN("body", INT64, 1, given | SCREE_USE_FRAME, "number of the rigid body that it is part of", body, 0, SIM_BODIES),
    COLUMN("external_torque", FLOAT64, 3, state, "external torque", torque, 0, SIM_TORQUES),
    COLUMN("own_force", FLOAT64, 0, state, "external force without that of its group, where scree_sim_set_external has set forces", own_force, 0, SIM_OWN_FORCES),
    COLUMN("own_torque", FLOAT64, 3, state, "the same of its torque", own_torque, 0, SIM_OWN_TORQUES),
};

static bool has(const scree_sim* sim, unsigned traits)
{
    return (traits & ~sim->traits) == 0;
}

// Whether the rows of an array stand in turns with others.
static bool in_turns(const scree_sim* sim, const sim_array* array)
{
    const sim_array* first = array->beside ? array - 1 : array;
    return array->rows && has(sim, first->traits | SIM_SPINS);
}

char* sim_items(const scree_sim* sim, size_t at)
{
    char* rows;
    memcpy(&rows, (const char*)sim + at, sizeof rows);
    return rows;
}

void sim_set_items(scree_sim* sim, size_t at, void* rows)
{
    memcpy((char*)sim + at, &rows, sizeof rows);
}

size_t sim_step_of(const scree_sim* sim, size_t at, size_t bytes, bool rows)
{
    sim_rows these;
    if (!rows)
        return bytes;
    memcpy(&these, (const char*)sim + at, sizeof these);
    return bytes << these.twice;
}

bool sim_owns(const scree_sim* sim, const sim_array* array)
{
    return !(array->beside && in_turns(sim, array));
}

// Spheres for which arrays have room.
static size_t room_of(const scree_sim* sim)
{
    return (size_t)(sim->array_room > sim->n ? sim->array_room : sim->n);
}

scree_status sim_arrays_make(scree_sim* sim)
{
    size_t room = room_of(sim);
    for (int a = 0; a < sim_array_count; ++a) {
        const sim_array* array = &sim_arrays[a];
        if (!has(sim, array->traits) || sim_items(sim, array->at) != NULL)
            continue;
        bool twice = in_turns(sim, array);
        size_t bytes = array->bytes << twice;
        char* items = array->beside && twice ? sim_items(sim, array[-1].at) + array->bytes : scree_malloc(room, bytes);  // not calloc: rows then begin at cache lines, which is 8 % of a step
        if (items == NULL)
            return SCREE_ERR_MEMORY;
        if (sim_owns(sim, array))
            memset(items, 0, room * bytes);
        sim_set_items(sim, array->at, items);
        if (array->rows) {
            sim_rows these = {.at = (double(*)[4])(void*)items, .twice = twice};
            memcpy((char*)sim + array->at, &these, sizeof these);
        }
    }
    return SCREE_OK;
}

scree_status sim_arrays_grow(scree_sim* sim, int64_t room)
{
    size_t was = room_of(sim);
    for (int a = 0; a < sim_array_count; ++a) {
        const sim_array* array = &sim_arrays[a];
        char* items = sim_items(sim, array->at);
        bool twice = in_turns(sim, array);
        size_t bytes = array->bytes << twice;
        if (items == NULL)
            continue;
        items = sim_owns(sim, array) ? scree_realloc(items, (size_t)room, bytes) : sim_items(sim, array[-1].at) + array->bytes;
        if (items == NULL)
            return SCREE_ERR_MEMORY;
        if (sim_owns(sim, array))
            memset(items + was * bytes, 0, ((size_t)room - was) * bytes);
        sim_set_items(sim, array->at, items);
    }
    sim->array_room = room;
    return SCREE_OK;
}

void sim_arrays_drop(scree_sim* sim, unsigned traits)
{
    sim->traits &= ~traits;
    for (int a = 0; a < sim_array_count; ++a)
        if ((sim_arrays[a].traits & traits) != 0) {
            scree_free(sim_items(sim, sim_arrays[a].at));
            sim_set_items(sim, sim_arrays[a].at, NULL);
        }
}

void sim_arrays_free(scree_sim* sim)
{
    for (int a = 0; a < sim_array_count; ++a) {
        if (sim_owns(sim, &sim_arrays[a]))
            scree_free(sim_items(sim, sim_arrays[a].at));
        sim_set_items(sim, sim_arrays[a].at, NULL);
    }
}

size_t sim_arrays_bytes(const scree_sim* sim)
{
    size_t bytes = 0;
    for (int a = 0; a < sim_array_count; ++a)
        if (sim_items(sim, sim_arrays[a].at) != NULL)
            bytes += room_of(sim) * sim_arrays[a].bytes;
    return bytes;
}

const sim_column* sim_find_column(const scree_sim* sim, const char* name)
{
    for (int c = 0; c < sim_column_count; ++c)
        if (has(sim, sim_columns[c].traits) && strcmp(sim_columns[c].shown.name, name) == 0)
            return &sim_columns[c];
    return NULL;
}

int32_t sim_components(const scree_sim* sim, const sim_column* column)
{
    return column->shown.components > 0 ? column->shown.components : sim->dim;
}

size_t sim_column_width(const scree_sim* sim, const sim_column* column)
{
    return (size_t)sim_components(sim, column) * scree_type_size((scree_type)column->shown.type);
}

void sim_column_get(const scree_sim* sim, const sim_column* column, void* out)
{
    const char* rows = sim_items(sim, column->at) + column->first;
    size_t width = sim_column_width(sim, column), step = sim_step_of(sim, column->at, column->bytes, column->rows);
    for (int32_t i = 0; i < sim->n; ++i)
        memcpy((char*)out + (size_t)sim_row(sim, i) * width, rows + (size_t)i * step, width);
}

// ---- Public calls--------------------------------------------------------------------------------------------------

SCREE_ROWS_OF(scree_sim_column, scree_sim_get_columns, (const scree_sim* sim, scree_sim_column* out, int32_t room), (sim, out, room))
{
    SCREE_NEED_OR(sim, 0);
    int32_t count = 0;
    for (int c = 0; c < sim_column_count; ++c) {
        if (!has(sim, sim_columns[c].traits))
            continue;
        if (out != NULL && count < room) {
            out[count] = sim_columns[c].shown;
            out[count].components = sim_components(sim, &sim_columns[c]);
        }
        ++count;
    }
    return count;
}

scree_status scree_sim_get_column(const scree_sim* sim, const char* name, void* out)
{
    SCREE_NEED(sim);
    SCREE_NEED(name);
    if (sim->n > 0)
        SCREE_NEED(out);
    const sim_column* column = sim_find_column(sim, name);
    if (column == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "sim: no column '%.40s'; expected a name from scree_sim_get_columns", name);
    if (sim->hollow && (sim->failed || sim->flying))
        return sim_say_hollow(sim);
    const scree_sim_values one = {.name = name, .data = out};
    if (sim->hollow)
        return scree_sim_get_rows(sim, 0, sim->n, 1, &one);
    if ((column->shown.uses & SCREE_USE_STATE) != 0) {
        scree_status status = sim_check_seen(sim);
        if (status != SCREE_OK)
            return status;
    }
    sim_column_get(sim, column, out);
    return SCREE_OK;
}
