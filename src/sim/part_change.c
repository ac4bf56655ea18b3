// Values that are set between runs, for the parts of a simulation (runner.h): packed into a row, and set in a part.
#include "sim/motion.h"
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
    if (change->kind == CHANGE_CELL)
        scree_bytes_put(bytes, change->cell, sizeof *change->cell);
    if (load->value.kind == SCREE_SIGNAL_TABLE)
        scree_bytes_put(bytes, load->value.table, (size_t)load->value.count * 4 * sizeof *load->value.table);
}

static scree_status set(scree_sim* part, const sim_change* change)
{
    const double* v = change->values;
    switch (change->kind) {
    case CHANGE_GRAVITY: return scree_sim_set_gravity(part, v, v + 3);
    case CHANGE_WALLS: return scree_sim_set_wall_velocity(part, (const double(*)[2])(const void*)v);
    case CHANGE_MOTION: return scree_sim_set_motion(part, change->target, v, v + 3);
    case CHANGE_LOAD: return scree_sim_set_load(part, change->load);
    case CHANGE_FORCE: return scree_sim_set_group_force(part, change->target, v);
    case CHANGE_RELEASE: return scree_sim_release_group(part, change->target);
    case CHANGE_NOTHING: return sim_settle_again(part);  // forces alone
    case CHANGE_WORK: part->account[WORK_FORCES] += v[0]; return SCREE_OK;
    case CHANGE_CELL: return scree_sim_set_cell(part, change->cell);
    default: return scree_sim_set_time_step(part, v[0]);
    }
}

scree_status part_check_change(const scree_sim* part, scree_bytes* bytes)
{
    sim_change change;
    bytes->at = 0;
    scree_bytes_take(bytes, &change, sizeof change);
    return bytes->status == SCREE_OK && change.kind == CHANGE_RELEASE ? groups_check_release(part, change.target) : bytes->status;
}

int64_t part_count_fixed(const scree_sim* part)
{
    return groups_count_fixed(part);
}

void part_set_fixed(scree_sim* part, int64_t count)
{
    part->numbers.fixed = (int32_t)count;
}

scree_status part_change(scree_sim* part, scree_bytes* bytes, unsigned* effect)
{
    sim_change change;
    scree_sim_load load;
    scree_sim_cell cell = scree_default_sim_cell();
    bytes->at = 0;
    scree_bytes_take(bytes, &change, sizeof change);
    scree_bytes_take(bytes, &load, sizeof load);
    if (bytes->status == SCREE_OK && change.kind == CHANGE_CELL)
        scree_bytes_take(bytes, &cell, sizeof cell);
    double* table = bytes->status == SCREE_OK && load.value.kind == SCREE_SIGNAL_TABLE ? scree_bytes_take_block(bytes, load.value.count, 4 * sizeof *table) : NULL;
    if (bytes->status != SCREE_OK) {
        scree_free(table);
        return bytes->status;
    }
    load.value.table = table;
    change.load = &load;
    change.cell = &cell;
    part->part->changed = part->part->relists = false;
    scree_status status = set(part, &change);
    *effect = (part->part->changed ? PART_FORCES : 0u) | (part->part->relists ? PART_LIST : 0u) | (change.kind == CHANGE_CELL ? PART_RATE : 0u);
    scree_free(table);
    return status;
}

int64_t part_rate_count(void)
{
    return cell_rate_count();
}

void part_get_rate(const scree_sim* part, int64_t parts, int64_t* out)
{
    cell_get_rate(part, parts, out);
}

scree_status part_set_rate(scree_sim* part, const int64_t* in)
{
    return cell_set_rate(part, in);
}

bool part_has_cell(const scree_sim* sim)
{
    return sim->drive.given;
}

bool part_is_controlled(const scree_sim* sim)
{
    return cell_is_controlled(sim);
}

scree_status part_add_motion(scree_sim* whole, const scree_sim* mould)
{
    return cell_add_motion(whole, mould);
}

void part_clear_motion(scree_sim* part)
{
    cell_clear_motion(part);
}
