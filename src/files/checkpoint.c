// Checkpoints in memory: saved from a simulation, restored to one, and the list of their parts.
#include "files/checkpoint_bonds.h"
#include "files/checkpoint_flow.h"
#include "files/checkpoint_parts.h"

#include "base/argument.h"
#include "base/array.h"
#include "base/parallel.h"
#include "scree/par.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Parts -------------------------------------------------------------------------------------------------------

size_t checkpoint_width(part_kind kind)
{
    return kind == PART_TEXT || kind == PART_UINT8 || kind == PART_INT8 ? 1 : kind == PART_UINT16 ? 2 : kind == PART_INT32 ? 4 : 8;
}

int64_t checkpoint_row_bytes(const part* p)
{
    return p->shape[1] * (int64_t)checkpoint_width(p->kind);
}

int64_t checkpoint_bytes(const part* p)
{
    return p->shape[0] * checkpoint_row_bytes(p);
}

typedef struct part_list {
    part* parts;
    int32_t count;
} part_list;

static void add(part_list* list, const char* folder, const char* name, part_kind kind, int32_t axes, int64_t rows, int64_t columns,
                const void* data)
{
    part* p = &list->parts[list->count++];
    *p = (part){.kind = kind, .axes = axes, .shape = {rows, columns}, .data = (void*)(uintptr_t)data};
    snprintf(p->name, sizeof p->name, "%s%s", folder, name);
}

static void add_text(part_list* list, const char* name, int64_t length, const char* text)
{
    add(list, "", name, PART_TEXT, 0, length > 0 ? length : 1, 1, text != NULL ? text : "");
}

int64_t checkpoint_vertices(const scree_checkpoint* c)
{
    return c->shapes.count > 0 ? c->shapes.first[c->shapes.count] : 0;
}

static void add_memory(part_list* list, const scree_checkpoint_memory* m)
{
    if (m->words == 0)
        return;
    add_text(list, "contact_law", (int64_t)strlen(m->law), m->law);
    add(list, "", "contact_ij", PART_INT64, 2, m->count, 2, m->ij);
    if (m->periodic)
        add(list, "", "contact_shift", PART_INT8, 2, m->count, 3, m->shift);
    add(list, "", "contact_memory", PART_FLOAT64, 2, m->count, m->words, m->values);
    if (m->featured)
        add(list, "", "contact_feature", PART_INT32, 1, m->count, 1, m->feature);
}

static void add_account(part_list* list, const scree_checkpoint* c)
{
    if (c->account_count > 0)
        add(list, "", "energy_sums", PART_FLOAT64, 1, c->account_count, 1, c->account);
}

static void add_bodies(part_list* list, const scree_checkpoint* c, int64_t vertices)
{
    static const int64_t no_shapes[1] = {0};
    const scree_polygon_sim_state* state = &c->bodies;
    int64_t n = c->count;
    add(list, "", "x", PART_FLOAT64, 2, n, 2, state->x);
    add(list, "", "v", PART_FLOAT64, 2, n, 2, state->v);
    add(list, "", "a", PART_FLOAT64, 2, n, 3, state->a);
    add(list, "", "angle", PART_FLOAT64, 1, n, 1, state->angle);
    add(list, "", "spin", PART_FLOAT64, 1, n, 1, state->spin);
    add(list, "", "anchor", PART_FLOAT64, 2, n, 3, state->anchor);
    add(list, "", "since", PART_INT64, 1, n, 1, state->since);
    add(list, "", "radius", PART_FLOAT64, 1, n, 1, c->r);
    add(list, "", "density", PART_FLOAT64, 1, n, 1, c->density);
    add(list, "", "shape", PART_INT32, 1, n, 1, c->shape);
    add(list, "", "fixed", PART_INT32, 1, n, 1, c->fixed);
    add(list, "", "shape_first", PART_INT64, 1, (int64_t)c->shapes.count + 1, 1, c->shapes.first != NULL ? c->shapes.first : no_shapes);
    add(list, "", "shape_xy", PART_FLOAT64, 2, vertices, 2, c->shapes.xy);
    add(list, "", "step", PART_INT64, 0, 1, 1, &state->step);
    add(list, "", "step_length", PART_FLOAT64, 0, 1, 1, &c->time_step);
    add(list, "", "hash", PART_UINT64, 0, 1, 1, &c->hash);
    add(list, "", "gravity", PART_FLOAT64, 1, 2, 1, state->gravity);
    add_memory(list, &c->memory);
    if (c->has_materials)
        add(list, "", "material", PART_INT32, 1, n, 1, c->material);
    add_account(list, c);
}

part_kind checkpoint_kind(int32_t type)
{
    static const part_kind kinds[] = {PART_TEXT, PART_FLOAT64, PART_INT64, PART_UINT64, PART_INT32, PART_UINT16, PART_UINT8};
    return type >= 0 && type < (int32_t)(sizeof kinds / sizeof *kinds) ? kinds[type] : PART_TEXT;
}

scree_type checkpoint_type(part_kind kind)
{
    static const scree_type types[part_kinds] = {SCREE_TYPE_FLOAT64, SCREE_TYPE_INT64, SCREE_TYPE_UINT64, SCREE_TYPE_INT32, SCREE_TYPE_UINT16, SCREE_TYPE_UINT8, 0, 0};
    return types[kind];
}

static void add_motions(part_list* list, const scree_checkpoint_motions* m)
{
    if (m->count == 0)
        return;
    add(list, "", "boundary_at", PART_FLOAT64, 2, m->count, 3, m->at);
    add(list, "", "boundary_since", PART_INT64, 1, m->count, 1, m->since);
    add(list, "", "boundary_velocity", PART_FLOAT64, 2, m->count, 3, m->velocity);
    add(list, "", "boundary_spin", PART_FLOAT64, 2, m->count, 3, m->spin);
    if (m->turned)
        add(list, "", "boundary_turn", PART_FLOAT64, 2, m->count, 9, m->turn);
}

static void add_bonds(part_list* list, const scree_checkpoint_bonds* b)
{
    if (b->count == 0)
        return;
    add(list, "", "bond_ij", PART_INT64, 2, b->count, 2, b->ij);
    if (b->periodic)
        add(list, "", "bond_shift", PART_INT8, 2, b->count, 3, b->shift);
    add(list, "", "bond_kind", PART_INT32, 1, b->count, 1, b->kind);
    add(list, "", "bond_length", PART_FLOAT64, 1, b->count, 1, b->length);
    add(list, "", "bond_values", PART_FLOAT64, 2, b->count, SCREE_BOND_WORDS, b->values);
    add(list, "", "bond_broken_at", PART_INT64, 1, b->count, 1, b->broken_at);
    add(list, "", "bond_cause", PART_UINT8, 1, b->count, 1, b->cause);
    add(list, "", "bond_released", PART_FLOAT64, 1, b->count, 1, b->released);
    add(list, "", "bond_sums", PART_FLOAT64, 1, 2, 1, b->sums);
}

static void add_flow(part_list* list, const scree_checkpoint_flow* f)
{
    if (f->count == 0)
        return;
    add(list, "", "flow_counts", PART_INT64, 1, f->count, 1, f->counts);
    add(list, "", "flow_sums", PART_FLOAT64, 1, f->sum_count, 1, f->sums);
}

int32_t checkpoint_version(const scree_checkpoint* c)
{
    if (c->has_cell)
        return 8;
    return c->motions.turned || c->memory.featured || c->load_count != 0 || c->flow.count != 0 ? 8 : c->bonds.count != 0 ? 7 : c->account_count != 0 ? 6 : c->memory.words != 0 || c->motions.count != 0 || c->has_materials ? 5 : 4;
}

static void add_spheres(part_list* list, const scree_checkpoint* c)
{
    const scree_sim_walls* walls = &c->walls;
    for (int32_t k = 0; k < c->column_count; ++k) {
        const scree_checkpoint_column* column = &c->columns[k];
        add(list, "", column->name, checkpoint_kind(column->type), column->components == 1 ? 1 : 2, c->count, column->components, column->data);
    }
    add(list, "", "step", PART_INT64, 0, 1, 1, &c->step);
    add(list, "", "step_length", PART_FLOAT64, 0, 1, 1, &c->time_step);
    add(list, "", "hash", PART_UINT64, 0, 1, 1, &c->hash);
    add(list, "", "giant_radius", PART_FLOAT64, 0, 1, 1, &c->giant_radius);
    add(list, "", "force_quantum", PART_FLOAT64, 0, 1, 1, &c->force_quantum);
    add(list, "", "wall_at", PART_FLOAT64, 2, 3, 2, walls->at);
    add(list, "", "wall_since", PART_INT64, 0, 1, 1, &walls->since);
    add(list, "", "wall_velocity", PART_FLOAT64, 2, 3, 2, walls->velocity);
    add(list, "", "gravity", PART_FLOAT64, 1, 3, 1, walls->gravity);
    add(list, "", "gravity_turn", PART_FLOAT64, 1, 3, 1, walls->turn);
    add(list, "", "gravity_since", PART_INT64, 0, 1, 1, &walls->gravity_since);
    add_memory(list, &c->memory);
    add_motions(list, &c->motions);
    add_account(list, c);
    add_bonds(list, &c->bonds);
    if (c->load_count > 0)
        add(list, "", "loads", PART_FLOAT64, 1, c->load_count, 1, c->loads);
    add_flow(list, &c->flow);
    if (c->has_cell) {
        add(list, "", "cell_since", PART_INT64, 0, 1, 1, &c->cell.since);
        add(list, "", "cell_values", PART_FLOAT64, 1, SCREE_CELL_VALUES, 1, c->cell.values);
    }
}

int32_t checkpoint_parts(const scree_checkpoint* c, int64_t vertices, part parts[part_most])
{
    part_list list = {.parts = parts};
    if (c->has_bodies)
        add_bodies(&list, c, vertices);
    else
        add_spheres(&list, c);
    add_text(&list, "scene", c->scene_length, c->scene);
    add_text(&list, "library", (int64_t)strlen(c->library), c->library);
    for (int32_t k = 0; k < c->number_count; ++k) {
        const scree_checkpoint_number* number = &c->numbers[k];
        add(&list, PART_PROGRESS, number->name, number->whole ? PART_INT64 : PART_FLOAT64, 0, 1, 1,
            number->whole ? (const void*)&number->integer : &number->value);
    }
    return list.count;
}

bool checkpoint_is_name(const char* name)
{
    size_t length = 0;
    for (; length < SCREE_CHECKPOINT_NAME && name[length] != '\0'; ++length)
        if (!((name[length] >= 'a' && name[length] <= 'z') || (name[length] >= '0' && name[length] <= '9') || name[length] == '_'))
            return false;
    return length > 0 && length < SCREE_CHECKPOINT_NAME;
}

static scree_status check_numbers(const scree_checkpoint* c, scree_status status, const char* name)
{
    if (c->number_count < 0 || c->number_count > SCREE_CHECKPOINT_NUMBERS)
        return scree_fail(status, "%s: %d numbers of progress; expected 0 to %d", name, (int)c->number_count, SCREE_CHECKPOINT_NUMBERS);
    for (int32_t k = 0; k < c->number_count; ++k) {
        if (!checkpoint_is_name(c->numbers[k].name))
            return scree_fail(status, "%s: number %d of progress has no valid name; expected one of a-z, 0-9 and _, at most %d long", name, (int)k,
                              SCREE_CHECKPOINT_NAME - 1);
        for (int32_t j = 0; j < k; ++j)
            if (strcmp(c->numbers[j].name, c->numbers[k].name) == 0)
                return scree_fail(status, "%s: two numbers of progress are called '%s'; expected different names", name, c->numbers[k].name);
    }
    return SCREE_OK;
}

static scree_status check_scene(const char* text, int64_t length, scree_status status, const char* name)
{
    if (length < 0 || length > (int64_t)1 << 30 || (length > 0 && text == NULL))
        return scree_fail(status, "%s: the scene has %" PRId64 " bytes; expected fewer", name, length);
    const char* nul = length == 0 ? NULL : memchr(text, '\0', (size_t)length);
    if (nul != NULL)
        return scree_fail(status, "%s: byte %" PRId64 " of the scene is a NUL; expected text", name, (int64_t)(nul - text));
    return SCREE_OK;
}

// Names, types and data of the columns.
static scree_status check_columns(const scree_checkpoint* c, scree_status status, const char* name)
{
    if (c->column_count < 0 || c->column_count > SCREE_CHECKPOINT_COLUMNS)
        return scree_fail(status, "%s: %d columns; expected 0 to %d", name, (int)c->column_count, SCREE_CHECKPOINT_COLUMNS);
    for (int32_t k = 0; k < c->column_count; ++k) {
        const scree_checkpoint_column* column = &c->columns[k];
        if (!checkpoint_is_name(column->name))
            return scree_fail(status, "%s: column %d has no valid name; expected one of a-z, 0-9 and _, at most %d long", name, (int)k, SCREE_CHECKPOINT_NAME - 1);
        if (column->type < SCREE_TYPE_FLOAT64 || column->type > SCREE_TYPE_UINT8 || column->components < 1 || column->components > 8)
            return scree_fail(status, "%s: column '%s' has type %d and %d components; expected a scree_type and 1 to 8", name, column->name,
                              (int)column->type, (int)column->components);
        if (c->count > 0 && column->data == NULL && c->sim == NULL)
            return scree_fail(status, "%s: column '%s' has the data NULL; expected an array", name, column->name);
        for (int32_t j = 0; j < k; ++j)
            if (strcmp(c->columns[j].name, column->name) == 0)
                return scree_fail(status, "%s: two columns are called '%s'; expected different names", name, column->name);
    }
    return SCREE_OK;
}

// The columns as a simulation takes them.
static int32_t list_columns(const scree_checkpoint* c, scree_sim_values values[SCREE_CHECKPOINT_COLUMNS])
{
    for (int32_t k = 0; k < c->column_count; ++k)
        values[k] = (scree_sim_values){.name = c->columns[k].name, .data = c->columns[k].data};
    return c->column_count;
}

// Whether contact c comes after the one before it: by (i, j, shift), those with boundaries last, by (i, boundary). Two bodies may have several, whose order the
// simulation knows.
static bool is_behind(const scree_checkpoint_memory* m, int64_t c, bool several)
{
    const int64_t *a = m->ij[c - 1], *b = m->ij[c];
    if ((a[1] < 0) != (b[1] < 0))
        return b[1] < 0;
    if (a[0] != b[0])
        return a[0] < b[0];
    if (a[1] != b[1])
        return (a[1] < b[1]) == (b[1] >= 0);
    for (int k = 0; k < 3 && m->periodic; ++k)
        if (m->shift[c - 1][k] != m->shift[c][k])
            return m->shift[c - 1][k] < m->shift[c][k];
    return several;
}

// Faces of the box, and the circle of a container of bodies or what moves.
static int32_t boundary_count(const scree_checkpoint* c)
{
    return 6 + (c->has_bodies ? 1 : c->motions.count);
}

// Whether two that there are can have contact c: a sphere touches its own image only in one of two ways round, and a boundary has no images.
static bool can_touch(const scree_checkpoint* c, int64_t contact)
{
    static const int8_t none[3] = {0, 0, 0};
    const scree_checkpoint_memory* m = &c->memory;
    const int8_t* shift = m->periodic ? m->shift[contact] : none;
    int64_t i = m->ij[contact][0], j = m->ij[contact][1];
    int first = 0;
    while (first < 3 && shift[first] == 0)
        ++first;
    if (!checkpoint_has_sphere(c, i) || (j >= 0 && !checkpoint_has_sphere(c, j)) || (c->dim == 2 && shift[2] != 0))
        return false;
    if (j < 0)
        return j >= -(int64_t)boundary_count(c) && first == 3;
    return i < j || (i == j && first < 3 && shift[first] > 0);
}

static scree_status check_memory(const scree_checkpoint* c, scree_status status, const char* name)
{
    const scree_checkpoint_memory* m = &c->memory;
    if (m->words < 0 || m->words > SCREE_CHECKPOINT_WORDS || m->count < 0 || (m->words == 0 && m->count > 0))
        return scree_fail(status, "%s: %" PRId64 " contacts with a memory of %d numbers each; expected 1 to %d numbers, or no contacts", name, m->count,
                          (int)m->words, SCREE_CHECKPOINT_WORDS);
    if (m->words > 0 && !checkpoint_is_name(m->law))
        return scree_fail(status, "%s: contacts have memory, and 'contact_law' is not a valid name; expected one of a-z, 0-9 and _, at most %d long", name, SCREE_CHECKPOINT_NAME - 1);
    if (m->ij == NULL && c->sim != NULL)  // the simulation has them
        return SCREE_OK;
    if (m->count > 0 && (m->ij == NULL || m->values == NULL || (m->periodic && m->shift == NULL)))
        return scree_fail(status, "%s: %" PRId64 " contacts have memory, and an array of them is NULL; expected 'contact_ij', 'contact_shift' and 'contact_memory'", name,
                          m->count);
    if (m->featured && m->count > 0 && m->feature == NULL)
        return scree_fail(status, "%s: %" PRId64 " contacts have features, and 'contact_feature' is NULL; expected an array", name, m->count);
    for (int64_t k = 0; k < m->count; ++k) {
        const int64_t* ij = m->ij[k];
        if (!can_touch(c, k))
            return scree_fail(status, "%s: 'contact_ij': contact %" PRId64 " is between %" PRId64 " and %" PRId64 " with shift %d %d %d; expected numbers of %d %s and %d "
                                      "boundaries", name, k, ij[0], ij[1], m->periodic ? m->shift[k][0] : 0, m->periodic ? m->shift[k][1] : 0,
                              m->periodic ? m->shift[k][2] : 0, (int)c->count, c->has_bodies ? "bodies" : "spheres", (int)boundary_count(c));
        if (m->featured && (m->feature[k] < -1 || (ij[1] >= 0 && m->feature[k] >= 0)))
            return scree_fail(status, "%s: 'contact_feature': contact %" PRId64 " of %" PRId64 " and %" PRId64 " has the feature %d; expected features of boundaries only, from 0 on", name, k, ij[0],
                              ij[1], (int)m->feature[k]);
        if (k > 0 && !is_behind(m, k, c->has_bodies || (m->featured && m->feature[k] >= 0 && m->feature[k] != m->feature[k - 1])))
            return scree_fail(status, "%s: 'contact_ij': contact %" PRId64 ", of %" PRId64 " and %" PRId64 ", does not come after the one before it; expected contacts in "
                                                                                                           "ascending order", name, k, ij[0],
                              ij[1]);
    }
    return SCREE_OK;
}

static scree_status check_motions(const scree_checkpoint* c, scree_status status, const char* name)
{
    const scree_checkpoint_motions* m = &c->motions;
    if (m->count < 0 || m->count > INT32_MAX - 6)
        return scree_fail(status, "%s: motions of %d boundaries; expected 0 to %d", name, (int)m->count, INT32_MAX - 6);
    if (m->count > 0 && (m->at == NULL || m->since == NULL || m->velocity == NULL || m->spin == NULL))
        return scree_fail(status, "%s: motions of %d boundaries, and one of their arrays is NULL; expected all", name, (int)m->count);
    if (m->turned && m->turn == NULL)
        return scree_fail(status, "%s: motions of %d boundaries that can rotate, and 'boundary_turn' is NULL; expected an array", name, (int)m->count);
    for (int32_t b = 0; b < m->count; ++b)
        if (m->since[b] < 0 || m->since[b] > c->step)
            return scree_fail(status, "%s: 'boundary_since': the motion of boundary %d began at step %" PRId64 "; expected a step from 0 to %" PRId64 ", that of the checkpoint", name, 6 + (int)b,
                              m->since[b], c->step);
    return SCREE_OK;
}

static scree_status check_account(const scree_checkpoint* c, scree_status status, const char* name)
{
    if (c->load_count < 0 || c->load_count > INT32_MAX || (c->load_count > 0 && c->loads == NULL))
        return scree_fail(status, "%s: %" PRId64 " numbers of loads; expected 0 to %d, with their array", name, c->load_count, INT32_MAX);
    if (c->account_count < 0 || c->account_count > SCREE_CHECKPOINT_SUMS)
        return scree_fail(status, "%s: %d sums of energies; expected 0 to %d", name, (int)c->account_count, SCREE_CHECKPOINT_SUMS);
    for (int32_t k = 0; k < c->account_count; ++k)
        if (!isfinite(c->account[k]))
            return scree_fail(status, "%s: 'energy_sums': sum %d is %g; expected a finite number", name, (int)k, c->account[k]);
    return SCREE_OK;
}

static scree_sim_memory memory_of(const scree_checkpoint* c)
{
    const scree_checkpoint_memory* m = &c->memory;
    return (scree_sim_memory){.count = m->count,
                              .words = m->words,
                              .ij = (const int64_t(*)[2])m->ij,
                              .shift = m->periodic ? (const int8_t(*)[3])m->shift : NULL,
                              .values = m->values,
                              .feature = m->featured ? m->feature : NULL};
}

// The state of bodies, with the memory of their contacts and sums of energies.
static scree_polygon_sim_state bodies_of(const scree_checkpoint* c, scree_sim_memory* memory)
{
    scree_polygon_sim_state state = c->bodies;
    for (int k = 0; k < SCREE_POLYGON_ACCOUNTS; ++k)
        state.account[k] = c->account_count > 0 ? c->account[k] : 0.0;
    static const int64_t none[1][2] = {{0, 0}};
    *memory = memory_of(c);
    if (memory->ij == NULL)  // not zeroed: only a simulation without friction takes it
        memory->ij = none;
    state.memory = memory;
    return state;
}

// All that a simulation of bodies would trust: numbers of shapes, and where their vertices are.
static scree_status check_bodies(const scree_checkpoint* c, scree_status status, const char* name)
{
    const scree_polygon_sim_state* s = &c->bodies;
    if (c->dim != 2)
        return scree_fail(status, "%s: bodies in %d dimensions; expected 2", name, (int)c->dim);
    if (c->count < 0 || c->shapes.count < 0 || c->shapes.count == INT32_MAX)
        return scree_fail(status, "%s: %d bodies of %d shapes; expected 0 or more", name, (int)c->count, (int)c->shapes.count);
    if (c->count > 0 && (s->x == NULL || s->v == NULL || s->a == NULL || s->angle == NULL || s->spin == NULL || s->anchor == NULL || s->since == NULL ||
                         c->r == NULL || c->density == NULL || c->shape == NULL || c->fixed == NULL || c->material == NULL))
        return scree_fail(status, "%s: an array of bodies is NULL; expected all", name);
    const int64_t* first = c->shapes.first;
    if (c->shapes.count > 0 && (first == NULL || c->shapes.xy == NULL))
        return scree_fail(status, "%s: the vertices of %d shapes are NULL; expected an array", name, (int)c->shapes.count);
    for (int32_t k = 0; k <= c->shapes.count && first != NULL; ++k)
        if (k == 0 ? first[k] != 0 : first[k] < first[k - 1] + 3 || first[k] > first[k - 1] + INT32_MAX)
            return scree_fail(status, "%s: shape %d ends at vertex %" PRId64 "; expected at least 3 vertices after the shape before it", name, (int)k - 1, first[k]);
    for (int32_t i = 0; i < c->count; ++i)
        if (c->shape[i] < -1 || c->shape[i] >= c->shapes.count || (c->fixed[i] != 0 && c->fixed[i] != 1))
            return scree_fail(status, "%s: body %d: shape %d of %d, fixed %d; expected a shape in that range and fixed 0 or 1", name, (int)i, (int)c->shape[i], (int)c->shapes.count,
                              (int)c->fixed[i]);
    for (int32_t i = 0; i < c->count; ++i)
        if (c->material[i] < 0 || (c->material[i] > 0 && !c->has_materials))
            return scree_fail(status, "%s: body %d: material %d; expected %s", name, (int)i, (int)c->material[i], c->has_materials ? "0 or more" : "0, as there are none");
    scree_status fits = check_memory(c, status, name);
    if (fits == SCREE_OK)
        fits = check_account(c, status, name);
    if (fits == SCREE_OK && c->account_count != 0 && c->account_count != SCREE_POLYGON_ACCOUNTS)
        fits = scree_fail(status, "%s: %d sums of energies; expected %d, as bodies have them", name, (int)c->account_count, SCREE_POLYGON_ACCOUNTS);
    if (fits != SCREE_OK)
        return fits;
    scree_sim_memory memory;
    scree_polygon_sim_state state = bodies_of(c, &memory);
    uint64_t hash = scree_polygon_sim_state_hash(&state, c->count);
    if (hash != c->hash)
        return scree_fail(status, "%s: the hash of step, x, angle, v, spin and memory of contacts is %016" PRIx64 "; expected %016" PRIx64 " as in the file", name, hash, c->hash);
    return SCREE_OK;
}

static scree_status check_state(const scree_checkpoint* c, scree_status status, const char* name)
{
    if (c->has_bodies)
        return check_bodies(c, status, name);
    if (c->dim != 2 && c->dim != 3)
        return scree_fail(status, "%s: dimension %d; expected 2 or 3", name, (int)c->dim);
    if (c->count < 0)
        return scree_fail(status, "%s: %d spheres; expected 0 or more", name, (int)c->count);
    scree_status fits = check_columns(c, status, name);
    if (fits != SCREE_OK)
        return fits;
    static const char* const needed[] = {"x", "v"};
    for (int k = 0; k < 2; ++k) {
        int32_t at = 0;
        while (at < c->column_count && strcmp(c->columns[at].name, needed[k]) != 0)
            ++at;
        if (at == c->column_count || c->columns[at].type != SCREE_TYPE_FLOAT64 || c->columns[at].components != c->dim)
            return scree_fail(status, "%s: the column '%s' is missing or has another type; expected %d numbers (float64) per sphere", name, needed[k], (int)c->dim);
    }
    const char* integrator = scree_integrator_name((scree_integrator)c->integrator);
    if (integrator == NULL)
        return scree_fail(status, "%s: unknown integrator number %d; expected that of velocity-verlet or position-verlet", name, (int)c->integrator);
    fits = check_motions(c, status, name);
    if (fits == SCREE_OK)
        fits = checkpoint_flow_check(c, status, name);
    if (fits == SCREE_OK)
        fits = check_memory(c, status, name);
    if (fits == SCREE_OK)
        fits = check_account(c, status, name);
    if (fits == SCREE_OK)
        fits = checkpoint_bonds_check(c, status, name);
    if (fits != SCREE_OK)
        return fits;
    if (c->sim != NULL)  // the hash is that of the simulation
        return SCREE_OK;
    scree_sim_values values[SCREE_CHECKPOINT_COLUMNS];
    scree_sim_memory memory = memory_of(c);
    scree_sim_bonds bonds = checkpoint_bonds_of(&c->bonds);
    scree_sim_flow flow = {0};
    uint64_t hash = scree_sim_state_hash(&(scree_sim_state){.step = c->step, .column_count = list_columns(c, values), .columns = values, .memory = &memory, .bonds = &bonds,
                                                            .flow = c->flow.count > 0 ? &flow : NULL},
                                         c->count, c->dim);
    if (hash != c->hash)
        return scree_fail(status, "%s: the hash of step, x, v, memory of contacts and bonds is %016" PRIx64 "; expected %016" PRIx64 " as in the file", name, hash, c->hash);
    return SCREE_OK;
}

scree_status checkpoint_check(const scree_checkpoint* c, scree_status failure, const char* name)
{
    scree_status status = check_state(c, failure, name);
    if (status == SCREE_OK)
        status = check_scene(c->scene, c->scene_length, failure, name);
    return status == SCREE_OK ? check_numbers(c, failure, name) : status;
}

// ---- Making and freeing ------------------------------------------------------------------------------------------

static scree_status reserve_bodies(scree_checkpoint* c, int64_t vertices)
{
    size_t n = (size_t)c->count;
    scree_polygon_sim_state* s = &c->bodies;
    s->x = scree_malloc(n, 2 * sizeof *s->x);
    s->v = scree_malloc(n, 2 * sizeof *s->v);
    s->a = scree_malloc(n, 3 * sizeof *s->a);
    s->angle = scree_malloc(n, sizeof *s->angle);
    s->spin = scree_malloc(n, sizeof *s->spin);
    s->anchor = scree_malloc(n, 3 * sizeof *s->anchor);
    s->since = scree_malloc(n, sizeof *s->since);
    c->r = scree_malloc(n, sizeof *c->r);
    c->density = scree_malloc(n, sizeof *c->density);
    c->shape = scree_malloc(n, sizeof *c->shape);
    c->fixed = scree_malloc(n, sizeof *c->fixed);
    c->material = scree_calloc(n, sizeof *c->material);
    c->shapes.first = scree_calloc((size_t)c->shapes.count + 1, sizeof *c->shapes.first);
    c->shapes.xy = scree_malloc((size_t)vertices, 2 * sizeof *c->shapes.xy);
    c->shapes.first_capacity = (int64_t)c->shapes.count + 1;
    c->shapes.xy_capacity = 2 * vertices;
    bool all = s->x != NULL && s->v != NULL && s->a != NULL && s->angle != NULL && s->spin != NULL && s->anchor != NULL && s->since != NULL && c->r != NULL &&
               c->density != NULL && c->shape != NULL && c->fixed != NULL && c->material != NULL && c->shapes.first != NULL && c->shapes.xy != NULL;
    return all ? SCREE_OK : SCREE_ERR_MEMORY;
}

static scree_status reserve_memory(scree_checkpoint_memory* m, int64_t count, int32_t words, bool periodic, bool featured)
{
    scree_status status = SCREE_RESERVE(m->ij, m->ij_capacity, count);
    if (status == SCREE_OK && featured)
        status = SCREE_RESERVE(m->feature, m->feature_capacity, count);
    if (status == SCREE_OK && periodic)
        status = SCREE_RESERVE(m->shift, m->shift_capacity, count);
    return status == SCREE_OK ? SCREE_RESERVE(m->values, m->value_capacity, count * words) : status;
}

// Those that are there must be empty.
static scree_status reserve_motions(scree_checkpoint_motions* m)
{
    if (m->count == 0)
        return SCREE_OK;
    m->at = scree_malloc((size_t)m->count, sizeof *m->at);
    m->since = scree_malloc((size_t)m->count, sizeof *m->since);
    m->velocity = scree_malloc((size_t)m->count, sizeof *m->velocity);
    m->spin = scree_malloc((size_t)m->count, sizeof *m->spin);
    m->turn = m->turned ? scree_malloc((size_t)m->count, sizeof *m->turn) : NULL;
    return m->at != NULL && m->since != NULL && m->velocity != NULL && m->spin != NULL && (!m->turned || m->turn != NULL) ? SCREE_OK : SCREE_ERR_MEMORY;
}

scree_status checkpoint_reserve(scree_checkpoint* c, int64_t vertices)
{
    if (reserve_memory(&c->memory, c->memory.count, c->memory.words, c->memory.periodic, c->memory.featured) != SCREE_OK || reserve_motions(&c->motions) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    scree_checkpoint_bonds bonds = c->bonds;
    c->bonds = (scree_checkpoint_bonds){0};
    if (checkpoint_bonds_reserve(&c->bonds, bonds.count, bonds.periodic) != SCREE_OK || SCREE_RESERVE(c->loads, c->load_capacity, c->load_count) != SCREE_OK ||
        checkpoint_flow_reserve(&c->flow, c->flow.count, c->flow.sum_count) != SCREE_OK)
        return SCREE_ERR_MEMORY;
    if (c->has_bodies)
        return reserve_bodies(c, vertices);
    for (int32_t k = 0; k < c->column_count && c->sim == NULL; ++k) {
        scree_checkpoint_column* column = &c->columns[k];
        column->data = scree_malloc((size_t)c->count, (size_t)column->components * scree_type_size((scree_type)column->type));
        if (column->data == NULL)
            return SCREE_ERR_MEMORY;
    }
    return SCREE_OK;
}

static void free_memory(scree_checkpoint_memory* m)
{
    scree_free(m->ij);
    scree_free(m->shift);
    scree_free(m->values);
    scree_free(m->feature);
    *m = (scree_checkpoint_memory){0};
}

static void free_arrays(scree_checkpoint* c)
{
    free_memory(&c->memory);
    checkpoint_bonds_free(&c->bonds);
    scree_free(c->loads);
    checkpoint_flow_free(&c->flow);
    for (int32_t k = 0; k < c->column_count; ++k)
        scree_free(c->columns[k].data);
    scree_free(c->motions.at);
    scree_free(c->motions.since);
    scree_free(c->motions.velocity);
    scree_free(c->motions.spin);
    scree_free(c->motions.turn);
    scree_free(c->r);
    scree_free(c->bodies.x);
    scree_free(c->bodies.v);
    scree_free(c->bodies.a);
    scree_free(c->bodies.angle);
    scree_free(c->bodies.spin);
    scree_free(c->bodies.anchor);
    scree_free(c->bodies.since);
    scree_free(c->density);
    scree_free(c->shape);
    scree_free(c->fixed);
    scree_free(c->material);
    scree_shapes_free(&c->shapes);
}

// Without the arrays, which are not freed.
static void forget_arrays(scree_checkpoint* c)
{
    memset(c->columns, 0, sizeof c->columns);
    c->column_count = 0;
    c->memory = (scree_checkpoint_memory){0};
    c->motions = (scree_checkpoint_motions){0};
    c->account_count = 0;
    c->bonds = (scree_checkpoint_bonds){0};
    c->load_count = c->load_capacity = 0;
    c->loads = NULL;
    c->flow = (scree_checkpoint_flow){0};
    c->bodies = (scree_polygon_sim_state){0};
    c->r = c->density = NULL;
    c->shape = c->fixed = c->material = NULL;
    c->has_materials = false;
    c->sim = NULL;
    c->shapes = (scree_shapes){0};
}

void scree_checkpoint_free(scree_checkpoint* checkpoint)
{
    if (checkpoint == NULL)
        return;
    free_arrays(checkpoint);
    scree_free(checkpoint->scene);
    *checkpoint = (scree_checkpoint){0};
}

scree_status scree_checkpoint_set_scene(scree_checkpoint* checkpoint, const char* text, int64_t length)
{
    SCREE_NEED(checkpoint);
    if (length > 0)
        SCREE_NEED(text);
    scree_status status = check_scene(text, length, SCREE_ERR_ARGUMENT, "checkpoint");
    if (status != SCREE_OK)
        return status;
    char* copy = scree_malloc((size_t)length + 1, 1);
    if (copy == NULL)
        return SCREE_ERR_MEMORY;
    if (length > 0)
        memcpy(copy, text, (size_t)length);
    copy[length] = '\0';
    scree_free(checkpoint->scene);
    checkpoint->scene = copy;
    checkpoint->scene_length = length;
    return SCREE_OK;
}

const scree_checkpoint_number* scree_checkpoint_find(const scree_checkpoint* checkpoint, const char* name)
{
    SCREE_NEED_OR(checkpoint, NULL);
    SCREE_NEED_OR(name, NULL);
    for (int32_t k = 0; k < checkpoint->number_count; ++k)
        if (strcmp(checkpoint->numbers[k].name, name) == 0)
            return &checkpoint->numbers[k];
    return NULL;
}

static scree_status set_number(scree_checkpoint* checkpoint, const char* name, scree_checkpoint_number number)
{
    if (!checkpoint_is_name(name))
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: the name of a number is '%.40s'; expected 1 to %d of the characters a-z, 0-9 and _", name,
                          SCREE_CHECKPOINT_NAME - 1);
    int32_t k = 0;
    while (k < checkpoint->number_count && strcmp(checkpoint->numbers[k].name, name) != 0)
        ++k;
    if (k == SCREE_CHECKPOINT_NUMBERS)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: too many numbers, with '%s'; expected at most %d", name, SCREE_CHECKPOINT_NUMBERS);
    strcpy(number.name, name);
    checkpoint->numbers[k] = number;
    checkpoint->number_count += k == checkpoint->number_count;
    return SCREE_OK;
}

scree_status scree_checkpoint_set_integer(scree_checkpoint* checkpoint, const char* name, int64_t integer)
{
    SCREE_NEED(checkpoint);
    SCREE_NEED(name);
    return set_number(checkpoint, name, (scree_checkpoint_number){.whole = true, .integer = integer});
}

scree_status scree_checkpoint_set_value(scree_checkpoint* checkpoint, const char* name, double value)
{
    SCREE_NEED(checkpoint);
    SCREE_NEED(name);
    return set_number(checkpoint, name, (scree_checkpoint_number){.value = value});
}

// ---- From and to a simulation ------------------------------------------------------------------------------------

const void* scree_checkpoint_get_values(const scree_checkpoint* checkpoint, const char* name, scree_type type)
{
    SCREE_NEED_OR(checkpoint, NULL);
    SCREE_NEED_OR(name, NULL);
    for (int32_t k = 0; k < checkpoint->column_count; ++k)
        if (strcmp(checkpoint->columns[k].name, name) == 0)
            return checkpoint->columns[k].type == (int32_t)type ? checkpoint->columns[k].data : NULL;
    return NULL;
}

// The columns of a simulation that checkpoints keep, without data.
static int32_t kept_columns(const scree_sim* sim, scree_checkpoint_column out[SCREE_CHECKPOINT_COLUMNS])
{
    scree_sim_column columns[2 * SCREE_CHECKPOINT_COLUMNS];
    int32_t count = scree_sim_get_columns(sim, columns, 2 * SCREE_CHECKPOINT_COLUMNS), kept = 0;
    for (int32_t k = 0; k < count; ++k) {
        if ((columns[k].uses & SCREE_USE_CHECKPOINT) == 0)
            continue;
        out[kept] = (scree_checkpoint_column){.type = columns[k].type, .components = columns[k].components};
        snprintf(out[kept++].name, SCREE_CHECKPOINT_NAME, "%s", columns[k].name);
    }
    return kept;
}

// Whether the arrays of a checkpoint are those that this simulation needs.
static bool fits(const scree_checkpoint* c, const scree_checkpoint* wanted)
{
    bool same = !c->has_bodies && c->count == wanted->count && c->dim == wanted->dim && c->column_count == wanted->column_count &&
                c->motions.count == wanted->motions.count && c->motions.turned == wanted->motions.turned && c->bonds.count == wanted->bonds.count && c->bonds.periodic == wanted->bonds.periodic &&
                c->flow.count == wanted->flow.count && c->flow.sum_count == wanted->flow.sum_count;
    for (int32_t k = 0; k < wanted->column_count && same; ++k)
        same = strcmp(c->columns[k].name, wanted->columns[k].name) == 0 && c->columns[k].data != NULL;
    return same;
}

// All but the arrays, which stay with the simulation. MEMORY, ARGUMENT
static scree_status attach_memory(scree_sim* sim, scree_checkpoint_memory* to)
{
    scree_sim_memory head;
    int64_t all;
    scree_status status = scree_sim_get_memory_rows(sim, 0, 0, &head, &all);
    *to = (scree_checkpoint_memory){0};
    if (status != SCREE_OK || head.words == 0)
        return status;
    *to = (scree_checkpoint_memory){.words = head.words, .periodic = head.shift != NULL, .featured = head.feature != NULL, .count = all};
    snprintf(to->law, sizeof to->law, "%s", scree_sim_get_law(sim, NULL));
    return SCREE_OK;
}

// The arrays have room for it.
static void copy_memory(const scree_sim_memory* from, const char* law, scree_checkpoint_memory* to)
{
    if (from->words == 0) {
        free_memory(to);
        return;
    }
    snprintf(to->law, sizeof to->law, "%s", law);
    to->words = from->words;
    to->periodic = from->shift != NULL;
    to->count = from->count;
    if (!to->periodic) {
        scree_free(to->shift);
        to->shift = NULL;
        to->shift_capacity = 0;
    }
    to->featured = from->feature != NULL;
    if (!to->featured) {
        scree_free(to->feature);
        to->feature = NULL;
        to->feature_capacity = 0;
    }
    if (from->count == 0)
        return;
    if (to->featured)
        memcpy(to->feature, from->feature, (size_t)from->count * sizeof *to->feature);
    memcpy(to->ij, from->ij, (size_t)from->count * sizeof *to->ij);
    if (to->periodic)
        memcpy(to->shift, from->shift, (size_t)from->count * sizeof *to->shift);
    memcpy(to->values, from->values, (size_t)(from->count * from->words) * sizeof *to->values);
}

static void copy_motions(const scree_sim_state* from, scree_checkpoint_motions* to)
{
    for (int32_t b = 0; b < to->count; ++b) {
        const scree_sim_motion* m = &from->motions[b];
        memcpy(to->at[b], m->at, sizeof m->at);
        to->since[b] = m->since;
        memcpy(to->velocity[b], m->velocity, sizeof m->velocity);
        memcpy(to->spin[b], m->spin, sizeof m->spin);
        if (to->turned)
            memcpy(to->turn[b], m->turn, sizeof m->turn);
    }
}

// Whether some boundaries are exact shapes or meshes.
static bool can_turn(const scree_sim_state* state)
{
    static const double none[3][3] = {{0.0}};
    for (int32_t b = 0; b < state->motion_count; ++b)
        if (memcmp(state->motions[b].turn, none, sizeof none) != 0)
            return true;
    return false;
}

static scree_status save(scree_sim* sim, bool attached, scree_checkpoint* out)
{
    scree_checkpoint taken = *out;
    forget_arrays(&taken);
    scree_sim_numbers numbers = scree_sim_get_numbers(sim);
    taken.has_bodies = false;
    taken.integrator = (int32_t)scree_sim_get_integrator(sim);
    snprintf(taken.library, sizeof taken.library, "%s", scree_version());
    taken.count = scree_sim_get_count(sim);
    taken.dim = scree_sim_get_box(sim).dim;
    taken.time_step = numbers.time_step;
    taken.giant_radius = numbers.giant_radius;
    taken.force_quantum = numbers.force_quantum;
    const bool shared = scree_par_get_shared() != NULL;  // ranks have the spheres: whatever is asked of them can fail
    taken.hash = scree_sim_hash(sim);
    taken.column_count = kept_columns(sim, taken.columns);
    // Whether a state can be had at all is known before anything is allocated or overwritten.
    scree_sim_state state = {0};
    scree_sim_memory memory;
    scree_checkpoint_memory attached_memory = {0};
    scree_sim_bonds bonds;
    int64_t bond_count = 0;
    scree_status status = scree_sim_get_state(sim, &state);
    if (status == SCREE_OK)
        status = scree_sim_get_bond_rows(sim, 0, 0, &bonds, &bond_count);
    if (status == SCREE_OK && shared && taken.hash == 0 && taken.count > 0)  // without spheres it is 0
        status = SCREE_ERR_MEMORY;
    if (status != SCREE_OK)
        return status;
    const bool slices = attached && shared;  // bonds, and what contacts remember, come when it is written
    const scree_box box = scree_sim_get_box(sim);
    const bool periodic = scree_box_is_periodic(&box);
    taken.bonds.count = slices ? 0 : bond_count;
    taken.bonds.periodic = taken.bonds.count > 0 && periodic;
    scree_sim_flow flow = *state.flow;
    if (checkpoint_flow_is(&flow, taken.count)) {
        taken.flow.count = SCREE_CHECKPOINT_FLOW_COUNTS;
        taken.flow.sum_count = SCREE_CHECKPOINT_FLOW_SUMS;
    }
    taken.step = state.step;
    taken.walls = state.walls;
    taken.motions.count = state.motion_count;
    taken.motions.turned = can_turn(&state);
    taken.account_count = state.account_count;
    taken.has_cell = state.cell != NULL;
    if (taken.has_cell)
        taken.cell = *state.cell;
    assert(state.account_count <= SCREE_CHECKPOINT_SUMS);
    taken.sim = attached ? sim : NULL;
    bool same = taken.sim == NULL && !shared && fits(out, &taken);
    scree_sim_values values[SCREE_CHECKPOINT_COLUMNS];
    if (!same)
        status = checkpoint_reserve(&taken, 0);
    if (!same && status == SCREE_OK && taken.sim == NULL)
        status = scree_sim_get_state(sim, &(scree_sim_state){.column_count = list_columns(&taken, values), .columns = values});
    if (status == SCREE_OK)
        status = scree_watch_own("checkpoint", 0, 1);
    if (status == SCREE_OK)
        status = slices ? attach_memory(sim, &attached_memory) : scree_sim_get_memory(sim, &memory);
    if (status == SCREE_OK && !slices)
        status = reserve_memory(&out->memory, memory.count, memory.words, memory.shift != NULL, memory.feature != NULL);
    if (status == SCREE_OK && !slices)  // contacts stay valid
        status = scree_sim_get_bonds(sim, &bonds);
    if (status == SCREE_OK && !slices && !same)  // while it may still be stopped
        status = checkpoint_bonds_copy(&bonds, &taken.bonds);
    if (status == SCREE_OK)
        status = SCREE_RESERVE(out->loads, out->load_capacity, state.load_count);
    if (status != SCREE_OK) {
        if (out->load_count == 0) {
            scree_free(out->loads);
            out->loads = NULL;
            out->load_capacity = 0;
        }
        if (same) {
            taken.bonds = (scree_checkpoint_bonds){0};
            taken.flow = (scree_checkpoint_flow){0};
        }
        free_arrays(&taken);
        if (out->memory.words == 0)
            free_memory(&out->memory);  // an empty checkpoint need not be freed
        return status;
    }
    // From here on nothing fails.
    taken.memory = out->memory;
    out->memory = (scree_checkpoint_memory){0};
    taken.loads = out->loads;
    taken.load_capacity = out->load_capacity;
    taken.load_count = state.load_count;
    out->loads = NULL;
    if (slices) {
        free_memory(&taken.memory);
        taken.memory = attached_memory;
    } else {
        copy_memory(&memory, scree_sim_get_law(sim, NULL), &taken.memory);
    }
    for (int32_t k = 0; k < taken.column_count && same; ++k)
        taken.columns[k].data = out->columns[k].data;
    if (same) {
        taken.motions = out->motions;
        taken.bonds = out->bonds;
        taken.flow = out->flow;
    } else {
        free_arrays(out);
    }
    if (slices && bond_count > 0)
        taken.bonds = (scree_checkpoint_bonds){.count = bond_count, .periodic = periodic, .sums = {bonds.dissipated, bonds.dissipated_next}};
    else if (same)
        checkpoint_bonds_overwrite(&bonds, &taken.bonds);
    if (taken.flow.count > 0)
        checkpoint_flow_copy(&flow, &taken.flow);
    taken.format_version = checkpoint_version(&taken);
    *out = taken;
    state = (scree_sim_state){.column_count = same ? list_columns(out, values) : 0, .columns = values};
    status = scree_sim_get_state(sim, &state);  // it is here, and did not fail before
    copy_motions(&state, &out->motions);
    if (state.load_count > 0)
        memcpy(out->loads, state.loads, (size_t)state.load_count * sizeof *out->loads);
    if (state.account_count > 0)
        memcpy(out->account, state.account, (size_t)state.account_count * sizeof *out->account);
    return status;
}

scree_status scree_checkpoint_save(scree_sim* sim, scree_checkpoint* out)
{
    SCREE_NEED(sim);
    SCREE_NEED(out);
    return save(sim, false, out);
}

scree_status scree_checkpoint_attach(scree_sim* sim, scree_checkpoint* out)
{
    SCREE_NEED(sim);
    SCREE_NEED(out);
    return save(sim, true, out);
}

static const char bodies_law[] = "friction";  // of bodies whose contacts remember
static const char rounding_name[] = "rounding";  // of their corners; 0: node-to-segment

scree_status scree_checkpoint_save_bodies(scree_polygon_sim* sim, const scree_shapes* shapes, const scree_body* bodies, scree_checkpoint* out)
{
    SCREE_NEED(sim);
    SCREE_NEED(shapes);
    SCREE_NEED(out);
    if (scree_polygon_sim_get_count(sim) > 0)
        SCREE_NEED(bodies);
    scree_checkpoint taken = *out;
    forget_arrays(&taken);
    taken.has_bodies = true;
    taken.integrator = SCREE_INTEGRATOR_VELOCITY_VERLET;
    snprintf(taken.library, sizeof taken.library, "%s", scree_version());
    taken.count = scree_polygon_sim_get_count(sim);
    taken.dim = 2;
    taken.time_step = scree_polygon_sim_get_numbers(sim).time_step;
    taken.hash = scree_polygon_sim_hash(sim);
    taken.shapes.count = shapes->count;
    int64_t vertices = shapes->count > 0 ? shapes->first[shapes->count] : 0;
    scree_sim_memory memory;
    scree_status status = checkpoint_reserve(&taken, vertices);
    if (status == SCREE_OK)
        status = scree_polygon_sim_get_state(sim, &taken.bodies);
    if (status == SCREE_OK)
        status = scree_polygon_sim_get_memory(sim, &memory);
    if (status == SCREE_OK)
        status = reserve_memory(&taken.memory, memory.count, memory.words, memory.shift != NULL, memory.feature != NULL);
    if (status != SCREE_OK) {
        free_arrays(&taken);
        return status;
    }
    copy_memory(&memory, bodies_law, &taken.memory);
    taken.account_count = SCREE_POLYGON_ACCOUNTS;
    memcpy(taken.account, taken.bodies.account, sizeof taken.bodies.account);
    for (int32_t k = 0; k <= shapes->count && shapes->count > 0; ++k)
        taken.shapes.first[k] = shapes->first[k];
    if (vertices > 0)
        memcpy(taken.shapes.xy, shapes->xy, 2 * (size_t)vertices * sizeof *shapes->xy);
    for (int32_t i = 0; i < taken.count; ++i) {
        taken.shape[i] = bodies[i].shape;
        taken.fixed[i] = bodies[i].fixed;
        taken.density[i] = bodies[i].material_density;
        taken.r[i] = bodies[i].shape < 0 ? bodies[i].radius : 0.0;
        taken.material[i] = bodies[i].material;
        taken.has_materials = taken.has_materials || bodies[i].material != 0;
    }
    status = scree_checkpoint_set_value(&taken, rounding_name, scree_polygon_sim_get_numbers(sim).rounding);
    if (status != SCREE_OK) {
        free_arrays(&taken);
        return status;
    }
    taken.format_version = checkpoint_version(&taken);
    free_arrays(out);
    *out = taken;
    return SCREE_OK;
}

scree_status scree_checkpoint_get_bodies(const scree_checkpoint* checkpoint, scree_body* bodies)
{
    SCREE_NEED(checkpoint);
    if (checkpoint->count > 0)
        SCREE_NEED(bodies);
    if (!checkpoint->has_bodies)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: it holds spheres; expected bodies");
    scree_status status = checkpoint_check(checkpoint, SCREE_ERR_ARGUMENT, "checkpoint");
    const scree_polygon_sim_state* s = &checkpoint->bodies;
    for (int64_t i = 0; i < checkpoint->count && status == SCREE_OK; ++i)
        bodies[i] = (scree_body){.shape = checkpoint->shape[i],
                                 .radius = checkpoint->r[i],
                                 .fixed = checkpoint->fixed[i] != 0,
                                 .x = {s->x[2 * i], s->x[2 * i + 1]},
                                 .angle = s->angle[i],
                                 .v = {s->v[2 * i], s->v[2 * i + 1]},
                                 .spin = s->spin[i],
                                 .material_density = checkpoint->density[i],
                                 .material = checkpoint->material[i]};
    return status;
}

// Of version 0.1 or 0.2: bodies with sharp corners, and contacts without a share.
static bool is_sharp(const scree_checkpoint* c)
{
    return strncmp(c->library, "0.1.", 4) == 0 || strncmp(c->library, "0.2.", 4) == 0;
}

// The centre of mass of a free body less that of its sharp outline, in its own axes.
static scree_status find_shift(const scree_checkpoint* c, int64_t i, double rounding, double shift[2])
{
    scree_polygon_numbers sharp;
    scree_polygon_rounded rounded;
    shift[0] = shift[1] = 0.0;
    if (c->shape[i] < 0 || c->fixed[i] != 0)
        return SCREE_OK;
    const scree_polygon polygon = scree_shapes_get(&c->shapes, c->shape[i]);
    scree_status status = scree_polygon_measure(polygon, &sharp);
    if (status == SCREE_OK)
        status = scree_polygon_round(polygon, rounding, &rounded);
    for (int k = 0; k < 2 && status == SCREE_OK; ++k)
        shift[k] = rounded.centre[k] - sharp.centre[k];
    return status;
}

// Positions and velocities become those of the centres of the rounded bodies. Contacts have other features, and
// remember nothing; accelerations are computed.
static scree_status restore_rounded(const scree_checkpoint* c, double rounding, scree_polygon_sim_state* state, scree_polygon_sim* sim)
{
    double *x = scree_malloc(2 * (size_t)c->count, sizeof *x), *v = scree_malloc(2 * (size_t)c->count, sizeof *v);
    scree_status status = x != NULL && v != NULL ? SCREE_OK : SCREE_ERR_MEMORY;
    for (int64_t i = 0; i < c->count && status == SCREE_OK; ++i) {
        double shift[2];
        status = find_shift(c, i, rounding, shift);
        const double cosine = cos(state->angle[i]), sine = sin(state->angle[i]);
        const double r[2] = {cosine * shift[0] - sine * shift[1], sine * shift[0] + cosine * shift[1]};
        for (int k = 0; k < 2; ++k) {
            x[2 * i + k] = state->x[2 * i + k] + r[k];
            v[2 * i + k] = state->v[2 * i + k] + state->spin[i] * (k == 0 ? -r[1] : r[0]);
        }
    }
    state->x = x;
    state->v = v;
    state->a = NULL;
    state->memory = NULL;
    if (status == SCREE_OK)
        status = scree_polygon_sim_set_state(sim, state);
    scree_free(x);
    scree_free(v);
    return status;
}

// The same bodies with sharp corners, whose contacts have got a share: 1.
static scree_status restore_sharp(scree_polygon_sim_state* state, scree_sim_memory* memory, scree_polygon_sim* sim)
{
    double* values = scree_malloc((size_t)memory->count * SCREE_POLYGON_MEMORY_WORDS, sizeof *values);
    if (values == NULL)
        return SCREE_ERR_MEMORY;
    for (int64_t e = 0; e < memory->count; ++e) {
        memcpy(values + e * SCREE_POLYGON_MEMORY_WORDS, memory->values + e * memory->words, (size_t)memory->words * sizeof *values);
        values[(e + 1) * SCREE_POLYGON_MEMORY_WORDS - 1] = 1.0;
    }
    memory->words = SCREE_POLYGON_MEMORY_WORDS;
    memory->values = values;
    scree_status status = scree_polygon_sim_set_state(sim, state);
    scree_free(values);
    return status;
}

scree_status scree_checkpoint_restore_bodies(const scree_checkpoint* checkpoint, scree_polygon_sim* sim)
{
    SCREE_NEED(checkpoint);
    SCREE_NEED(sim);
    int32_t count = scree_polygon_sim_get_count(sim);
    double length = scree_polygon_sim_get_numbers(sim).time_step;
    if (!checkpoint->has_bodies)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: it holds spheres; expected bodies, as the simulation has");
    if (checkpoint->count != count)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: it has %d bodies; expected %d, as in the simulation", (int)checkpoint->count, (int)count);
    if (memcmp(&checkpoint->time_step, &length, sizeof length) != 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: its time step is %.17g; expected %.17g, as in the simulation", checkpoint->time_step, length);
    scree_status status = checkpoint_check(checkpoint, SCREE_ERR_ARGUMENT, "checkpoint");
    if (status != SCREE_OK)
        return status;
    const scree_checkpoint_memory* m = &checkpoint->memory;
    if (m->words > 0 && strncmp(m->law, bodies_law, sizeof m->law) != 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: its contact law is '%.31s'; expected '%s', as bodies have it", m->law, bodies_law);
    scree_sim_memory memory;
    scree_polygon_sim_state state = bodies_of(checkpoint, &memory);
    const double rounding = scree_polygon_sim_get_numbers(sim).rounding;
    const scree_checkpoint_number* theirs = scree_checkpoint_find(checkpoint, rounding_name);
    if (theirs != NULL && !theirs->whole && theirs->value != rounding)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: the rounding of its bodies is %g (0: node-to-segment); expected %g, as in the simulation, "
                                              "since centres of mass and contacts are others", theirs->value, rounding);
    if (is_sharp(checkpoint) && rounding > 0.0)
        return restore_rounded(checkpoint, rounding, &state, sim);
    if (is_sharp(checkpoint) && m->words == SCREE_POLYGON_MEMORY_WORDS - 1)
        return restore_sharp(&state, &memory, sim);
    return scree_polygon_sim_set_state(sim, &state);
}

// External forces and torques, which a simulation gets when they are set: a checkpoint without them is of one that had none.
static bool is_external(const char* name)
{
    static const char* const names[] = {"force", "external_torque", "own_force", "own_torque"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        if (strcmp(name, names[k]) == 0)
            return true;
    return false;
}

static bool has_column(const scree_checkpoint* checkpoint, const char* name)
{
    for (int32_t k = 0; k < checkpoint->column_count; ++k)
        if (strcmp(checkpoint->columns[k].name, name) == 0)
            return true;
    return false;
}

// What a simulation keeps and this checkpoint has not.
static scree_status check_missing(const scree_checkpoint* checkpoint, const scree_sim* sim)
{
    scree_checkpoint_column wanted[SCREE_CHECKPOINT_COLUMNS];
    int32_t count = kept_columns(sim, wanted);
    for (int32_t k = 0; k < count; ++k) {
        int32_t at = 0;
        while (at < checkpoint->column_count && strcmp(checkpoint->columns[at].name, wanted[k].name) != 0)
            ++at;
        if (at == checkpoint->column_count && is_external(wanted[k].name))
            continue;
        if (at == checkpoint->column_count)
            return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: the column '%s' is missing; expected all columns of the simulation", wanted[k].name);
        if (checkpoint->columns[at].type != wanted[k].type || checkpoint->columns[at].components != wanted[k].components)
            return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: its column '%s' has type %d and %d components; expected %d and %d", wanted[k].name,
                              (int)checkpoint->columns[at].type, (int)checkpoint->columns[at].components, (int)wanted[k].type, (int)wanted[k].components);
    }
    return SCREE_OK;
}

// Contacts remember the same numbers, and it is known in which images they are.
static scree_status check_law(const scree_checkpoint_memory* m, const scree_sim* sim)
{
    int32_t words;
    const char* law = scree_sim_get_law(sim, &words);
    scree_box box = scree_sim_get_box(sim);
    if (m->words != words || (words > 0 && strncmp(m->law, law, sizeof m->law) != 0))
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: each of its contacts has a memory of %d numbers (law '%.31s'); expected %d (law '%s') as in the simulation", (int)m->words,
                          m->law, (int)words, law);
    if (words > 0 && m->periodic != scree_box_is_periodic(&box))
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: its box has %s periodic axis; expected %s, as in the simulation", m->periodic ? "a" : "no",
                          m->periodic ? "none" : "one");
    return SCREE_OK;
}

// Sets the motions of the simulation. Their number is passed also if it is 0: then the simulation must have none either.
static scree_status give_state(const scree_checkpoint* c, scree_sim* sim)
{
    const scree_checkpoint_motions* from = &c->motions;
    scree_sim_motion* motions = scree_malloc((size_t)from->count + 1, sizeof *motions);
    double* zeros = scree_calloc((size_t)c->count + 1, 3 * sizeof *zeros);
    if (motions == NULL || zeros == NULL) {
        scree_free(motions);
        scree_free(zeros);
        return SCREE_ERR_MEMORY;
    }
    for (int32_t b = 0; b < from->count; ++b) {
        scree_sim_motion* m = &motions[b];
        memcpy(m->at, from->at[b], sizeof m->at);
        m->since = from->since[b];
        memcpy(m->velocity, from->velocity[b], sizeof m->velocity);
        memcpy(m->spin, from->spin[b], sizeof m->spin);
        memset(m->turn, 0, sizeof m->turn);
        if (from->turned)
            memcpy(m->turn, from->turn[b], sizeof m->turn);
    }
    scree_checkpoint_column wanted[SCREE_CHECKPOINT_COLUMNS];
    scree_sim_values values[2 * SCREE_CHECKPOINT_COLUMNS];
    int32_t count = list_columns(c, values);
    for (int32_t k = 0, kept = kept_columns(sim, wanted); k < kept; ++k) {
        const bool sum = strcmp(wanted[k].name, "force") == 0 || strcmp(wanted[k].name, "external_torque") == 0;
        if (sum && !has_column(c, wanted[k].name))
            values[count++] = (scree_sim_values){.name = wanted[k].name, .data = zeros};
    }
    scree_sim_memory memory = memory_of(c);
    scree_sim_bonds bonds = checkpoint_bonds_of(&c->bonds);
    const double none = 0.0;  // no loads, whatever the simulation has; and no bonds, which is not the same as bonds that are new
    const int64_t no_bond[1][2] = {{0, 0}};
    if (bonds.count == 0)
        bonds.ij = no_bond;
    scree_sim_flow flow = c->flow.count > 0 ? checkpoint_flow_of(&c->flow) : (scree_sim_flow){0};
    scree_status status = scree_sim_set_state(sim, &(scree_sim_state){.step = c->step,
                                                                      .walls = c->walls,
                                                                      .column_count = count,
                                                                      .columns = values,
                                                                      .motion_count = from->count,
                                                                      .motions = motions,
                                                                      .memory = &memory,
                                                                      .account_count = c->account_count,
                                                                      .account = c->account_count > 0 ? c->account : NULL,
                                                                      .bonds = &bonds,
                                                                      .load_count = c->load_count,
                                                                      .loads = c->load_count > 0 ? c->loads : &none,
                                                                      .flow = c->flow.count > 0 ? &flow : NULL,
                                                                      .cell = c->has_cell ? &c->cell : NULL});
    scree_free(motions);
    scree_free(zeros);
    return status;
}

scree_status scree_checkpoint_restore(const scree_checkpoint* checkpoint, scree_sim* sim)
{
    SCREE_NEED(checkpoint);
    SCREE_NEED(sim);
    int32_t count = scree_sim_get_count(sim), dim = scree_sim_get_box(sim).dim;
    double length = scree_sim_get_numbers(sim).time_step;
    if (checkpoint->has_bodies)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: it holds bodies; expected spheres, as the simulation has");
    if (checkpoint->dim != dim)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: it has %d dimensions; expected %d, as in the simulation", (int)checkpoint->dim, (int)dim);
    if (checkpoint->count != count)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: it has %d spheres; expected %d, as in the simulation", (int)checkpoint->count, (int)count);
    if (memcmp(&checkpoint->time_step, &length, sizeof length) != 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: its time step is %.17g; expected %.17g, as in the simulation", checkpoint->time_step,
                          length);
    if (checkpoint->integrator != (int32_t)scree_sim_get_integrator(sim)) {
        const char* its = scree_integrator_name((scree_integrator)checkpoint->integrator);
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: its integrator is %s; expected %s, as in the simulation", its != NULL ? its : "unknown",
                          scree_integrator_name(scree_sim_get_integrator(sim)));
    }
    scree_sim_numbers numbers = scree_sim_get_numbers(sim);
    if (memcmp(&checkpoint->giant_radius, &numbers.giant_radius, sizeof numbers.giant_radius) != 0 ||
        memcmp(&checkpoint->force_quantum, &numbers.force_quantum, sizeof numbers.force_quantum) != 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: forces on spheres of radius %.17g or more are multiples of %g; expected a radius of %.17g and multiples of %g, as in the simulation",
                          checkpoint->giant_radius, checkpoint->force_quantum, numbers.giant_radius, numbers.force_quantum);
    scree_status status = checkpoint_check(checkpoint, SCREE_ERR_ARGUMENT, "checkpoint");
    if (status == SCREE_OK)
        status = check_missing(checkpoint, sim);
    if (status == SCREE_OK)
        status = check_law(&checkpoint->memory, sim);
    scree_sim_cell_report now;
    if (status == SCREE_OK)
        status = scree_sim_get_cell(sim, &now);
    if (status == SCREE_OK && checkpoint->has_cell != now.set)
        status = scree_fail(SCREE_ERR_ARGUMENT, "checkpoint: its cell %s; expected a cell that %s, as in the simulation", checkpoint->has_cell ? "changes" : "does not change",
                            checkpoint->has_cell ? "does not" : "changes");
    return status == SCREE_OK ? give_state(checkpoint, sim) : status;
}
