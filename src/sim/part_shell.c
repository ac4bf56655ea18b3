// A part from bytes: what a simulation is beside its spheres, so that another process can make one without the scene, the def and the spheres.
//
// The shell never changes: def, law, boundaries and meshes. The small state does: step, walls, motions, loads, numbers.
#include "base/bytes.h"
#include "geom/surface_bytes.h"
#include "sim/motion.h"
#include "sim/part_inner.h"

#include <string.h>

typedef struct shell {
    scree_sim_def def;     // without what it points to
    sim_law law;           // without its row
    int32_t dim, boundary_count, shapes, method;
    bool periodic, walled, removes, driven;
    int32_t bond_kinds;
} shell;

// ---- The shell -----------------------------------------------------------------------------------------------------

scree_status part_shell(const scree_sim* sim, scree_bytes* bytes)
{
    shell s = {.def = sim->def, .law = sim->law, .dim = sim->dim, .boundary_count = sim->boundary_count, .shapes = sim->surfaces.count, .method = sim->drive.method,
               .periodic = sim->periodic, .walled = sim->walled, .removes = sim->crossings.on, .driven = sim->drive.given, .bond_kinds = sim->bonds.kind_count};
    s.def.watch = (scree_watch){0};
    scree_bytes_put(bytes, &s, sizeof s);
    if (sim->law.many != NULL)
        scree_bytes_put(bytes, sim->law.many, (size_t)sim->law.materials * (size_t)sim->law.materials * sizeof *sim->law.many);
    scree_bytes_put(bytes, sim->bonds.kinds, (size_t)sim->bonds.kind_count * sizeof *sim->bonds.kinds);
    scree_bytes_put(bytes, sim->boundaries, (size_t)sim->boundary_count * sizeof *sim->boundaries);
    scree_bytes_put(bytes, sim->surfaces.shapes, (size_t)sim->surfaces.count * sizeof *sim->surfaces.shapes);
    for (int32_t k = 0; k < sim->surfaces.count; ++k)
        if (sim->surfaces.shapes[k].mesh)
            surface_put(sim->surfaces.shapes[k].surface, bytes);
    return bytes->status;
}

static scree_status take_shapes(scree_sim* sim, int32_t count, scree_bytes* bytes)
{
    sim_surfaces* s = &sim->surfaces;
    struct sim_part* part = sim->part;
    s->count = count;
    s->shapes = scree_bytes_take_block(bytes, count, sizeof *s->shapes);
    part->meshes = scree_calloc((size_t)count, sizeof *part->meshes);
    if (s->shapes == NULL || part->meshes == NULL)
        return SCREE_ERR_MEMORY;
    for (int32_t k = 0; k < count; ++k) {
        s->shapes[k].surface = NULL;
        if (!s->shapes[k].mesh)
            continue;
        if (surface_take(bytes, &part->meshes[k]) != SCREE_OK)
            return SCREE_ERR_MEMORY;
        ++part->mesh_count;
        s->shapes[k].surface = part->meshes[k];
        s->shapes[k].arrays = scree_surface_get_arrays(part->meshes[k]);
    }
    // Boundaries with shapes come in the order of the shapes.
    for (int32_t b = 0, shape = 0; b < sim->boundary_count; ++b)
        if (sim->boundaries[b].shape != NULL)
            sim->boundaries[b].shape = &s->shapes[shape++];
    return SCREE_OK;
}

static scree_status take_shell(scree_sim* sim, scree_bytes* bytes)
{
    shell s;
    scree_bytes_take(bytes, &s, sizeof s);
    if (bytes->status != SCREE_OK)
        return bytes->status;
    sim->def = s.def;
    sim->law = s.law;
    sim->law.row = grain_row(&s.law.parts);
    sim->law.many = NULL;
    sim->backend = &sim_backends[s.def.backend];
    sim->dim = s.dim;
    sim->periodic = s.periodic;
    sim->walled = s.walled;
    sim->crossings.on = s.removes;
    sim->drive.given = s.driven;
    sim->boundary_count = s.boundary_count;
    sim->blocks = 1;
    sim->threads = 1;
    if (s.law.many != NULL)
        sim->law.many = scree_bytes_take_block(bytes, (int64_t)s.law.materials * s.law.materials, sizeof *s.law.many);
    sim->bonds.kind_count = s.bond_kinds;
    if (s.bond_kinds > 0)
        sim->bonds.kinds = scree_bytes_take_block(bytes, s.bond_kinds, sizeof *sim->bonds.kinds);
    sim->boundaries = scree_bytes_take_block(bytes, s.boundary_count, sizeof *sim->boundaries);
    sim->boundaries_now = scree_calloc((size_t)s.boundary_count, sizeof *sim->boundaries_now);
    sim->felt = scree_calloc((size_t)s.boundary_count, sizeof *sim->felt);
    sim->motions = scree_calloc((size_t)s.boundary_count, sizeof *sim->motions);
    sim->part = scree_calloc(1, sizeof *sim->part);
    if (bytes->status != SCREE_OK || sim->boundaries_now == NULL || sim->felt == NULL || sim->motions == NULL || sim->part == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = s.shapes > 0 ? take_shapes(sim, s.shapes, bytes) : SCREE_OK;
    if (status != SCREE_OK)
        return status;
    scree_index_def search = scree_default_index_def();
    search.method = s.method;
    sim->def.search = &search;
    status = lists_open(sim);
    sim->def.search = NULL;
    return status == SCREE_OK ? part_empty(sim) : status;
}

scree_status part_make(scree_bytes* bytes, scree_sim** out)
{
    scree_sim* sim = scree_calloc(1, sizeof *sim);
    *out = NULL;
    if (sim == NULL)
        return SCREE_ERR_MEMORY;
    bytes->at = 0;
    scree_status status = take_shell(sim, bytes);
    if (status != SCREE_OK) {
        scree_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return SCREE_OK;
}

void part_set_threads(scree_sim* part, int32_t threads)
{
    if (part->def.threads == 0)
        part->def.threads = threads;
}

// ---- What changes --------------------------------------------------------------------------------------------------

typedef struct small_state {
    int64_t step;
    scree_sim_walls walls;
    scree_sim_numbers numbers;
    scree_sim_flow flow;
    scree_box box;
    sim_cell cell;
    sim_drive drive;       // without its blocks
    double speed, apart;
    uint64_t traits;
    int64_t motions, words;
    double account[2 * sim_accounts], bonds[2];
} small_state;

scree_status part_small(scree_sim* sim, scree_bytes* bytes)
{
    scree_sim_state state = {0};
    scree_status status = scree_sim_get_state(sim, &state);
    if (status != SCREE_OK)
        return status;
    small_state small;
    memset(&small, 0, sizeof small);
    small.step = sim->step;
    small.walls = sim->walls;
    small.numbers = sim->numbers;
    small.flow = sim->flow;
    small.box = sim->def.box;
    small.cell = sim->cell;
    small.drive = sim->drive;
    small.drive.blocks = NULL;
    memset(&small.drive.shown, 0, sizeof small.drive.shown);
    small.speed = sim->speed;
    small.apart = sim->watch.apart;
    small.traits = sim->traits & ~(unsigned)SIM_GAPS;
    small.motions = state.motion_count;
    small.words = state.load_count;
    memcpy(small.account, sim->account, sizeof small.account);
    small.bonds[0] = sim->bonds.dissipated;
    small.bonds[1] = sim->bonds.dissipated_next;
    scree_bytes_put(bytes, &small, sizeof small);
    scree_bytes_put(bytes, state.motions, (size_t)small.motions * sizeof *state.motions);
    scree_bytes_put(bytes, state.loads, (size_t)small.words * sizeof *state.loads);
    return bytes->status;
}

scree_status part_follow_small(scree_sim* part, scree_bytes* bytes)
{
    small_state small;
    bytes->at = 0;
    scree_bytes_take(bytes, &small, sizeof small);
    if (bytes->status != SCREE_OK)
        return bytes->status;
    scree_sim_motion* motions = scree_bytes_take_block(bytes, small.motions, sizeof *motions);
    double* words = scree_bytes_take_block(bytes, small.words, sizeof *words);
    scree_status status = bytes->status;
    if (status == SCREE_OK) {
        part->step = small.step;
        part->walls = small.walls;
        int32_t giants = part->numbers.giant_count;  // that it has itself
        const bool other = part->part != NULL && part->n > 0 && part->numbers.time_step != small.numbers.time_step;
        part->numbers = small.numbers;
        part->numbers.giant_count = giants;
        part->flow = small.flow;
        part->def.box = small.box;
        part->cell = small.cell;
        if (small.drive.given) {
            scree_index_destroy(part->all_pairs);  // its box may be another one
            part->all_pairs = NULL;
        }
        small.drive.blocks = part->drive.blocks;
        part->drive = small.drive;
        part->speed = small.speed;
        if (part->part != NULL && (small.traits & SIM_FLAGS) != 0)
            status = groups_need_flags(part);
        sim_arrays_drop(part, part->traits & (SIM_OWN_FORCES | SIM_OWN_TORQUES) & ~(unsigned)small.traits);  // a state without them was set
        part->traits = (unsigned)small.traits | (part->traits & (unsigned)SIM_GAPS);
        if (status == SCREE_OK && part->part != NULL)
            status = sim_arrays_make(part);  // columns may be new
        part->flying = part->failed = false;
        memcpy(part->account, small.account, sizeof part->account);
        part->bonds.dissipated = small.bonds[0];
        part->bonds.dissipated_next = small.bonds[1];
        part->pending = (energy_sums){.beyond = 0};
        part->watch.apart = small.apart;
        part->watch.slack = part->watch.moved = 0.0;
        if (other)
            sim_take_step(part, small.numbers.time_step);
        part->def.time_step = other ? part->def.time_step : small.numbers.time_step;
        sim_motions_set(&(scree_sim_state){.motion_count = (int32_t)small.motions, .motions = motions}, part->boundaries);
        if (status == SCREE_OK)
            status = loads_take_words(part, small.words, words);
    }
    scree_free(motions);
    scree_free(words);
    return status;
}

scree_status part_follow(scree_sim* part, scree_bytes* bytes)
{
    scree_status status = part_follow_small(part, bytes);
    if (status != SCREE_OK)
        return status;
    double apart = part->watch.apart;
    sim_watch_begin(part);
    part->watch.apart = apart;
    part->watch.slack = 0.0;
    return part_empty(part);  // with the columns of these traits
}
