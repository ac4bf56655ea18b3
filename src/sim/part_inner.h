// Members of a simulation that is a part (part.h).
#ifndef SCREE_SIM_PART_INNER_H
#define SCREE_SIM_PART_INNER_H

#include "base/deal.h"
#include "sim/part.h"
#include "sim/sim_inner.h"

// Spheres that stand side by side, and do so in the next list.
typedef struct part_stretch {
    int32_t from, to, count;
} part_stretch;

struct sim_part {
    int32_t (*ij)[2];       // its rows
    int64_t ij_capacity;
    int8_t (*shift)[3];
    int64_t shift_capacity;
    int64_t* start;
    int64_t start_capacity;
    scree_dealt dealt;
    double (*xr)[4];        // of a search: so also where own spheres were when the list was made
    int64_t xr_capacity;
    int32_t items;          // that were searched,
    const int32_t* of;      // and which spheres they are; borrowed. Below 0: of another part
    part_stretch* stretches;  // scratch
    int64_t stretch_capacity;
    uint8_t* still;
    int64_t still_capacity;
    sim_pass pass;
    double pass_began;
    scree_surface** meshes; // its own
    int32_t mesh_count;
    energy_sums sums;       // of the last pass, over all parts
    int32_t* spans;         // of the list: first those that have no ghosts and no pairs with them, then the others
    int64_t span_capacity, span_count, inner_count;
    bool changed;            // something was set (part_change): forces are to be computed again,
    bool relists;            // with a new list
    bool early;             // the first ones of this pass are done
    double early_seconds;   // which took so long
    double extent;          // the largest coordinate when the list was made
    double rate_before[3][3];  // of a cell, while it is set
    uint8_t* marks;         // by rank, while spheres come and go
    double account[2 * sim_accounts], bonds_next;  // before that: accounts, and what bonds dissipate next
};

scree_status part_rank_rows(scree_sim* sim);  // for part_rank_of. MEMORY
const scree_sim_bonds* part_bonds_state(part_bonds* bonds, const scree_sim* part);  // for a state, with the sums of the part; NULL: there are none
scree_status part_bonds_join(scree_sim* whole, const part_bonds* bonds);  // it has these then; its ranks are rows. MEMORY
void part_bonds_put_forces(scree_sim* whole, const part_bonds* bonds);

#endif
