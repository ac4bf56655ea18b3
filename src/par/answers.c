// What is asked between runs, from the parts together: sums over all spheres, and contacts.
#include "par/sim_inner.h"

#include <string.h>

scree_status look_all(par_sim* sim, look_kind kind, const double* given, sim_look* out)
{
    par_team* team = &sim->team;
    scree_par* par = team->par;
    const look_row* row = sim_look_row(kind);
    par_aside(par);
    sim_look* looks = scree_calloc((size_t)par->local, sizeof *looks);
    par_aside_end(par);
    scree_status status = looks == NULL ? SCREE_ERR_MEMORY : SCREE_OK;
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l)
        status = sim_look_make(team->rank[l].sim, kind, given, &looks[l]);
    int64_t words = status == SCREE_OK ? looks[0].words : 0;
    int32_t most = status == SCREE_OK ? looks[0].most_count : 0;
    par_aside(par);
    int64_t* sums = status == SCREE_OK ? scree_malloc((size_t)(par->local * words) + 1, sizeof *sums) : NULL;
    double* largest = status == SCREE_OK ? scree_malloc((size_t)(par->local * most) + 1, sizeof *largest) : NULL;
    par_aside_end(par);
    status = par_agree(par, status == SCREE_OK && (sums == NULL || largest == NULL) ? SCREE_ERR_MEMORY : status);
    if (status == SCREE_OK && row->moving && part_sees_velocities(team->rank[0].sim))
        status = halo_look(team);
    for (int32_t l = 0; status == SCREE_OK && par_turn(par, l); ++l) {
        status = row->look(team->rank[l].sim, &looks[l]);
        memcpy(sums + l * words, looks[l].memory, (size_t)words * sizeof *sums);
        memcpy(largest + (int64_t)l * most, looks[l].most, (size_t)most * sizeof *largest);
    }
    status = par_agree(par, status);
    if (status == SCREE_OK && words > 0)
        status = par_sum(par, sums, words);
    if (status == SCREE_OK && most > 0)
        status = par_max(par, largest, most);
    if (status == SCREE_OK && out != NULL) {
        memcpy(out->memory, sums, (size_t)words * sizeof *sums);
        memcpy(out->most, largest, (size_t)most * sizeof *largest);
    }
    for (int32_t l = 0; looks != NULL && par_turn(par, l); ++l)
        sim_look_free(&looks[l]);
    par_aside(par);
    scree_free(looks);
    scree_free(sums);
    scree_free(largest);
    par_aside_end(par);
    return status;
}

void forget_shown(par_sim* sim)
{
    contacts_free(&sim->shown);
    scree_free(sim->shown_arrays);
    sim->shown_arrays = NULL;
}

// What contacts remember, or as they are shown; valid until the next call or run.
scree_status memory_all(par_sim* sim, bool shown)
{
    collection c = collection_of(sim, shown);
    forget_shown(sim);
    if (c.words == 0)
        return SCREE_OK;
    scree_status status = shown && part_sees_velocities(sim->team.rank[0].sim) ? halo_look(&sim->team) : SCREE_OK;
    if (status == SCREE_OK)
        status = collect_all(&c, shown ? HAND_SHOWN : HAND_MEMORY);
    if (status == SCREE_OK && sim->whole != NULL)
        status = contacts_sorted(&c.others, c.words, scree_box_is_periodic(part_box(sim->whole)), &sim->shown);
    own_free(&c.others);
    return par_agree(sim->team.par, status);
}

scree_status contact_arrays(par_sim* sim, scree_sim_contacts* out)
{
    const scree_sim_memory* all = &sim->shown;
    const size_t count = (size_t)all->count + 1, words = (size_t)all->words - part_shown;
    sim->shown_arrays = scree_malloc(count * (13 + words), sizeof(double) + 1);  // and a byte for each that slides
    if (sim->shown_arrays == NULL)
        return SCREE_ERR_MEMORY;
    double (*normal)[3] = sim->shown_arrays, (*force)[3] = normal + count, (*tangential)[3] = force + count, (*torque)[3] = tangential + count;
    double *overlap = torque[count], *memory = overlap + count;
    uint8_t* sliding = (uint8_t*)(memory + words * count);
    *out = (scree_sim_contacts){.count = all->count, .ij = all->ij, .shift = all->shift, .overlap = overlap, .normal = (const double(*)[3])normal, .force = (const double(*)[3])force, .words = (int32_t)words};
    for (int64_t c = 0; c < all->count; ++c) {
        const double* from = all->values + c * all->words;
        overlap[c] = from[0];
        memcpy(normal[c], from + 1, sizeof normal[c]);
        memcpy(force[c], from + 4, sizeof force[c]);
        memcpy(tangential[c], from + 7, sizeof tangential[c]);
        memcpy(torque[c], from + 10, sizeof torque[c]);
        sliding[c] = from[13] != 0.0;
        memcpy(memory + (size_t)c * words, from + part_shown, words * sizeof *memory);
        out->pair_count += all->ij[c][1] >= 0;
    }
    scree_free((void*)(uintptr_t)all->values);
    sim->shown.values = NULL;
    unsigned has = part_contact_arrays(sim->whole);
    out->memory = words > 0 ? memory : NULL;
    out->tangential = (has & PART_SLIDES) != 0 ? (const double(*)[3])tangential : NULL;
    out->sliding = (has & PART_SLIDES) != 0 ? sliding : NULL;
    out->torque = (has & PART_TURNS) != 0 ? (const double(*)[3])torque : NULL;
    out->feature = (has & PART_FEATURES) != 0 ? all->feature : NULL;
    return SCREE_OK;
}
