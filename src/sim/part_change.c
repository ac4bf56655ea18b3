// Something that is set between runs, for the parts of a simulation (runner.h): as values in a row, and set in a part.
#include "sim/part_inner.h"
#include "sim/runner.h"

#include <string.h>

scree_status sim_change_there(scree_sim* sim, const sim_change* change)
{
    scree_status status = sim_check_known(sim);
    return status == SCREE_OK ? sim->keeper->change(sim->kept_by, change) : status;
}

scree_status sim_settle_again(scree_sim* sim)
{
    if (sim->part != NULL) {  // with all others
        sim->part->changed = true;
        return SCREE_OK;
    }
    scree_status status = sim_settle(sim, false, false);
    if (status == SCREE_OK)
        sim_set_before(sim);
    return status;
}

void part_put_change(const sim_change* change, scree_bytes* bytes)
{
    const scree_sim_load none = {0}, *load = change->load != NULL ? change->load : &none;
    scree_bytes_put(bytes, change, sizeof *change);
    scree_bytes_put(bytes, load, sizeof *load);
    if (load->value.kind == SCREE_SIGNAL_TABLE)
        scree_bytes_put(bytes, load->value.table, (size_t)load->value.count * 4 * sizeof *load->value.table);
}

static scree_status set(scree_sim* part, const sim_change* change)
{
    const double* v = change->values;
    switch (change->kind) {
    case CHANGE_GRAVITY: return scree_sim_set_gravity(part, v, v + 3);
    case CHANGE_WALLS: return scree_sim_set_wall_velocity(part, (const double(*)[2])(const void*)v);
    case CHANGE_MOTION: return scree_sim_set_motion(part, change->boundary, v, v + 3);
    case CHANGE_LOAD: return scree_sim_set_load(part, change->load);
    default: return scree_sim_set_time_step(part, v[0]);
    }
}

scree_status part_change(scree_sim* part, scree_bytes* bytes, bool* again)
{
    sim_change change;
    scree_sim_load load;
    bytes->at = 0;
    scree_bytes_take(bytes, &change, sizeof change);
    scree_bytes_take(bytes, &load, sizeof load);
    double* table = bytes->status == SCREE_OK && load.value.kind == SCREE_SIGNAL_TABLE ? scree_bytes_take_block(bytes, load.value.count, 4 * sizeof *table) : NULL;
    if (bytes->status != SCREE_OK) {
        scree_free(table);
        return bytes->status;
    }
    load.value.table = table;
    change.load = &load;
    part->part->changed = false;
    scree_status status = set(part, &change);
    *again = part->part->changed;
    scree_free(table);
    return status;
}
