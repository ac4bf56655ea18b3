// What a sphere has, as two tables.
//
// `sim_arrays`: the blocks of memory, one item per sphere, by rank. Whatever is done to all of them (making, freeing, a new order, bytes held) is one loop
// over this table. A quantity that only some simulations need names the trait that calls for it.
//
// `sim_columns`: what the items hold, by the names that users, checkpoints, frames and Python know. State, hash and checkpoint are loops over
// this table: a new quantity is a new row.
#ifndef SCREE_SIM_COLUMNS_H
#define SCREE_SIM_COLUMNS_H

#include "scree/sim.h"

// What a simulation needs beyond positions and velocities.
enum {
    SIM_DAMPED = 1 << 0,        // the law sees predicted velocities
    SIM_BY_POSITIONS = 1 << 1,  // position Verlet
    SIM_MATERIALS = 1 << 2,
    SIM_GROUPS = 1 << 3,
    SIM_FLAGS = 1 << 4,         // some spheres are fixed
    SIM_FORCES = 1 << 5,        // external forces
    SIM_SPINS = 1 << 6,         // the law turns spheres
    SIM_BODIES = 1 << 7,        // spheres are parts of rigid bodies: not yet
    SIM_TORQUES = 1 << 8,       // external torques
    SIM_GAPS = 1 << 9,          // ids have gaps: spheres were removed
    SIM_OWN_FORCES = 1 << 10,   // scree_sim_set_external has set forces,
    SIM_OWN_TORQUES = 1 << 11   // or torques
};

typedef struct sim_array {
    size_t at;       // of its pointer in scree_sim, or of its sim_rows
    size_t bytes;    // of an item
    unsigned traits; // it exists if the simulation has all of these
    bool ordered;    // items follow their spheres into a new order; else it is scratch or a second buffer
    bool rows;       // sim_rows: if spheres rotate, its items alternate with the items of its neighbour in the table
    bool beside;     // that neighbour is the array before this one, and owns the memory
} sim_array;

typedef struct sim_column {
    scree_sim_column shown;  // name, type, components (0: one per axis), uses, meaning
    size_t at;               // of the array's pointer in scree_sim
    size_t bytes;            // of an item of that array
    bool rows;               // it is a sim_rows
    size_t first;            // byte of an item at which the values begin
    unsigned traits;
} sim_column;

enum { sim_array_count = 23, sim_column_count = 19 };
extern const sim_array sim_arrays[sim_array_count];
extern const sim_column sim_columns[sim_column_count];

// The memory behind a row of either table.
char* sim_items(const scree_sim* sim, size_t at);
void sim_set_items(scree_sim* sim, size_t at, void* rows);

size_t sim_step_of(const scree_sim* sim, size_t at, size_t bytes, bool rows);  // bytes from the item of a sphere to that of the next
bool sim_owns(const scree_sim* sim, const sim_array* array);                 // else its memory is that of the one before it

scree_status sim_arrays_make(scree_sim* sim);           // those that its traits call for and that are not there yet, zeroed. MEMORY
scree_status sim_arrays_grow(scree_sim* sim, int64_t room);  // those that are there: room for so many spheres, more than before; what is new is zero. MEMORY
void sim_arrays_drop(scree_sim* sim, unsigned traits);  // those that any of these traits calls for; it has these traits no longer
void sim_arrays_free(scree_sim* sim);
size_t sim_arrays_bytes(const scree_sim* sim);

const sim_column* sim_find_column(const scree_sim* sim, const char* name);  // NULL: it has no such column
int32_t sim_components(const scree_sim* sim, const sim_column* column);
size_t sim_column_width(const scree_sim* sim, const sim_column* column);    // bytes of a sphere's values
void sim_column_get(const scree_sim* sim, const sim_column* column, void* out);  // by row

#endif
