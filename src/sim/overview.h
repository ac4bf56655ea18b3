// Totals, counts and largest values over all spheres, read between runs. Parts of a simulation compute them separately, and the results are joined in any order.
#ifndef SCREE_SIM_OVERVIEW_H
#define SCREE_SIM_OVERVIEW_H

#include "scree/sim.h"
#include "sim/totals.h"

typedef enum look_kind { LOOK_MOMENTS, LOOK_RELATIVE, LOOK_BOUNDARIES, LOOK_GROUP_COUNT, LOOK_GROUPS, LOOK_HASH, LOOK_MARKED, look_kinds } look_kind;

enum { look_given = 6 };

typedef struct sim_look {
    double given[look_given];  // what it depends on
    int64_t words;             // in `memory`: the words of totals and counts, which are added up
    int32_t total_count, most_count;
    int64_t* memory;
    sim_total* totals;
    int64_t* counts;
    double* most;              // at least 0
} sim_look;

// One kind. `look` adds to zeros.
typedef struct look_row {
    scree_status (*look)(const scree_sim* sim, const sim_look* look);  // of one simulation, or of the spheres that a part owns. MEMORY
    int32_t totals, counts, most;  // of a simulation; LOOK_BOUNDARIES: of each boundary; LOOK_GROUPS: of each of given[0] groups
    bool moving;               // it looks at velocities of ghosts
} look_row;

extern const look_row sim_look_moments, sim_look_relative, sim_look_boundaries, sim_look_group_count, sim_look_groups, sim_look_hash, sim_look_marked;

const look_row* sim_look_row(look_kind kind);
scree_status sim_look_make(const scree_sim* sim, look_kind kind, const double* given, sim_look* out);  // zeros; given: NULL, or look_given numbers. MEMORY
void sim_look_free(sim_look* look);

// The whole answer, from its parts where these have the spheres. `out` is to be freed. MEMORY
scree_status sim_look_at(scree_sim* sim, look_kind kind, const double* given, sim_look* out);

// Columns of the spheres with ids from first_id to last_id - 1 (rows.c): columns of sim_columns, selected by bits and in their order, and then the number of contacts of each sphere. Parts give them as records of an id and the values.
enum { rows_contacts = 1 << 24 };  // the bit of contacts: int64_t

typedef struct rows_wish {
    int64_t columns;           // bits
    int64_t first_id, last_id;
} rows_wish;

// A state that parts take from who has its columns (state.c).
typedef struct rows_state {
    int64_t columns, results;  // bits: those that come first, and those that forces have overwritten then
    int64_t count;             // no id is larger or the same
    bool keyed, before;        // keys, and positions one step before, are among them
    bool remembers;            // contacts of the state have memory:
    const scree_sim_memory* memory;  // theirs, on the process of rank 0
    const scree_sim_bonds* bonds;    // of the state, there; NULL: it has none
    const double* x;                 // centres of the state, by row, there
} rows_state;

// `values` of a sphere that another part owns too, a giant: contacts alone, which are added up.
typedef void rows_take(void* context, int64_t id, bool only_contacts, const char* values);

size_t rows_bytes(const scree_sim* sim, const rows_wish* wish);  // of a record, a multiple of 8
scree_status rows_sort(const scree_sim* part, bool giants, int32_t* out, int32_t* count);  // ranks of own spheres by rising id, `giants`: with giants that other parts own; room for all of the part. MEMORY
void rows_find(const scree_sim* part, const rows_wish* wish, const int32_t* ranks, int32_t count, int32_t* first, int32_t* last);  // which of these ranks have an id of the wish
void rows_pack(const scree_sim* part, const rows_wish* wish, const int32_t* contacts, const int32_t* ranks, int64_t count, char* out);  // records of these; `contacts` is from rows_find_contacts, NULL if they are not wanted
void rows_unpack(const scree_sim* sim, const rows_wish* wish, const char* records, int64_t count, rows_take* take, void* context);
void rows_find_contacts(const scree_sim* sim, int32_t* out);     // by rank

// The other way: values of some columns, without contacts, for the spheres of a part. `give` fills in the values of a sphere.
typedef void rows_give(void* context, int64_t columns, int64_t id, char* values);
void rows_put(scree_sim* part, const rows_wish* wish, const int32_t* ranks, int64_t count, const char* records);  // records of these

#endif
