// See overview.h.
#include "sim/overview.h"

#include "sim/runner.h"
#include "sim/sim_inner.h"

const look_row* sim_look_row(look_kind kind)
{
    static const look_row* const rows[look_kinds] = {&sim_look_moments, &sim_look_relative, &sim_look_boundaries, &sim_look_group_count, &sim_look_groups, &sim_look_hash, &sim_look_marked};
    return rows[kind];
}

scree_status sim_look_make(const scree_sim* sim, look_kind kind, const double* given, sim_look* out)
{
    const look_row* row = sim_look_row(kind);
    int64_t each = kind == LOOK_BOUNDARIES ? sim->boundary_count : kind == LOOK_GROUPS ? (int64_t)given[0] : 1;
    int64_t totals = each * row->totals, counts = each * row->counts, most = each * row->most;
    *out = (sim_look){.words = totals * total_words + counts, .total_count = (int32_t)totals, .most_count = (int32_t)most};
    out->memory = scree_calloc((size_t)(out->words + most) + 1, sizeof *out->memory);
    if (out->memory == NULL)
        return SCREE_ERR_MEMORY;
    if (given != NULL)
        memcpy(out->given, given, sizeof out->given);
    out->totals = (sim_total*)(void*)out->memory;
    out->counts = out->memory + totals * total_words;
    out->most = (double*)(void*)(out->counts + counts);
    return SCREE_OK;
}

void sim_look_free(sim_look* look)
{
    scree_free(look->memory);
    look->memory = NULL;
}

scree_status sim_look_at(scree_sim* sim, look_kind kind, const double* given, sim_look* out)
{
    scree_status status = sim_look_make(sim, kind, given, out);
    if (status == SCREE_OK && sim->hollow)
        status = sim_check_known(sim);
    if (status == SCREE_OK)
        status = sim->hollow ? sim->keeper->look(sim->kept_by, kind, out) : sim_look_row(kind)->look(sim, out);
    if (status != SCREE_OK)
        sim_look_free(out);
    return status;
}
