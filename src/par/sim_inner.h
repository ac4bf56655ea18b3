// A simulation on many ranks, and the functions of this folder. Functions that end in _all, and those marked so, are called on all processes, in the same order.
#ifndef SCREE_PAR_SIM_INNER_H
#define SCREE_PAR_SIM_INNER_H

#include "par/ranks.h"
#include "par/sim.h"
#include "sim/runner.h"

struct par_sim {
    par_team team;
    scree_sim* whole;         // on the process of rank 0; else NULL
    int64_t number;           // by which processes know it
    bool follows;             // the parts are what the whole was when its fingerprint was taken
    uint64_t fingerprint;
    int64_t step;
    double length;            // of a step

    double skin, limit;       // of the list, and how far two spheres may come closer
    double base[2], travelled, outside;  // the two largest displacements when they were measured, and by how much each can have grown; of walls
    double images;            // by how much images have come closer than their spheres
    double speed, wall_speed;
    double first_move;        // of two spheres together, in the first step of the list
    int64_t age;              // steps of the list
    int64_t lists;
    double imbalance;         // work of the rank that has most over the mean
    int64_t next_cut;         // list before which the partition is not renewed for that
    int64_t giants;
    int64_t* giant_ids;
    int64_t giant_capacity;
    int64_t* sums;
    int64_t sum_capacity;
    scree_bytes bytes;        // scratch: what is spread
    scree_sim** from;         // [local]: whose spheres move
    double* values;           // [local][values_each]
    int64_t* counts;          // [local][2]
    uint64_t chance;
    par_sim* next;            // of those that a process serves, or shares
    bool stop, crossed;       // what all have heard: rank 0 wants to stop; a sphere has crossed a boundary that removes it
    int64_t blocks, block_ids;  // of what contacts remember: blocks of ids for pairs, then as many for boundaries; 0: not requested
    int64_t* block_first;     // contacts before each
    int64_t piece_first;      // the first contact in `shown`, where these are some of those that remember
    scree_sim_memory shown;   // what was asked for last,
    void* shown_arrays;       // and of contacts as they are shown
    part_bonds* bonds;        // and bonds,
    int64_t bonds_first, bonds_last;  // which are these
    const sim_keeper* keeper_before;  // of the whole, which it gets back
    void* kept_before;
};

enum { values_each = 8 };

// sim.c. MEMORY
scree_status create_all(scree_par* par, scree_sim* whole, par_sim** out);  // `whole` on the process of rank 0
void free_all(par_sim* sim);
scree_status spread_bytes(scree_par* par, scree_bytes* bytes);  // of the process of rank 0, to all
void clear_bytes(scree_bytes* bytes);

// lists.c: who owns what, and lists; all on all processes. MEMORY, ARGUMENT
scree_status cut_by_count(par_sim* sim, const sphere_giver* giver);  // before anybody has spheres: as many for each
scree_status cut_by_work(par_sim* sim, scree_sim* const* from);      // so that all have about the same work; `from` has the spheres
scree_status make_list(par_sim* sim, part_what what, bool others, const sphere_giver* giver);  // spheres to their owners, ghosts, a list. `others`: keys have changed; `giver` with PART_START, or of a state: it has the contacts
scree_status choose_skin(par_sim* sim);                              // of the next list
scree_status list_holds(par_sim* sim, bool* out);                    // whether the list is complete for the positions of now
scree_status lay_forest(par_sim* sim, bool keys);                    // over all spheres where they are now, then cut_by_work. `keys`: these are made again
scree_status renew_order(par_sim* sim);                              // of all spheres, and the partition with it

// whole.c: from the whole to the parts and back; all on all processes. MEMORY, ARGUMENT
scree_status scatter_all(par_sim* sim);                              // the spheres of the whole go to the parts
scree_status make_all(par_sim* sim, const part_source* source);      // spheres that are not made yet, slice by slice; `source` on the process of rank 0
scree_status take_all(par_sim* sim, const rows_state* state, rows_give* give, void* context);  // a state whose columns the process of rank 0 has. Where it fails, the spheres are lost
// Something is set in all parts; `change` on the process of rank 0. ARGUMENT, UNSUPPORTED: nothing has changed. Where it fails otherwise, sim->follows is false and the spheres are lost.
scree_status change_all(par_sim* sim, const sim_change* change);
// External forces [0] and torques [1] of each sphere, whose ids are below `count`; `give` on the process of rank 0. Where it fails, the spheres are lost.
scree_status external_all(par_sim* sim, const bool which[2], int64_t count, rows_give* give, void* context);
scree_status finish_run(par_sim* sim);                               // the whole knows all but its spheres; spheres that have crossed a boundary that removes them are removed
scree_status gather_all(par_sim* sim);                               // the whole gets the spheres

// exchange.c: spheres come and go. MEMORY, ARGUMENT: the spheres are lost
scree_status exchange_all(par_sim* sim, const sim_exchange* given);  // `given` on the process of rank 0
scree_status remove_crossed(par_sim* sim, int64_t seen);                 // the spheres that part_see has reported to the whole
scree_status agree_apart(par_sim* sim);                              // whole.c: how far two may overlap before this is reported, the least of all parts

// What the process of rank 0 collects of contacts and bonds. MEMORY
typedef struct collection {
    par_sim* sim;
    own_spheres others;       // contacts and bonds only
    int32_t words;            // of a contact,
    size_t bytes;             // and of its record
} collection;
collection collection_of(par_sim* sim, int32_t words);               // `words`: of a contact
scree_status collect_contacts(collection* c, const char* records, int64_t count);
scree_status collect_all(collection* c);                            // spheres go to the whole

// steps.c. MEMORY, ARGUMENT, CANCELLED
scree_status run_all(par_sim* sim, int64_t steps, bool fresh);       // `fresh`: the parts begin with the whole
scree_status hear_all(par_sim* sim, scree_status status, bool stop); // the largest speeds; `stop`: rank 0 wants to stop; `status` of this process
scree_status settle_all(par_sim* sim, bool before, bool begins);     // the forces of this moment, of spheres that were just made or changed. `before`: positions one step before are known; `begins`: contacts remember nothing yet

// answers.c: what is asked between runs. MEMORY
scree_status look_all(par_sim* sim, look_kind kind, const double* given, sim_look* out);  // `out` NULL: on other processes than that of rank 0
int64_t contacts_until(const par_sim* sim, int64_t first);           // the end of those from number `first` on that the process of rank 0 gets at once
scree_status contacts_all(par_sim* sim, int64_t ids, scree_sim_contacts* out);  // as they are shown, of spheres with ids below `ids`: until the next call or run. `out` on the process of rank 0; else NULL
void find_blocks(const par_sim* sim, int64_t first, int64_t last, int64_t out[2]);  // of contacts number `first` to last - 1
scree_status count_remembered(par_sim* sim, int64_t ids);            // sim->blocks: how many contacts remember, of spheres with ids below `ids`
scree_status hand_remembered(par_sim* sim, int64_t first, int64_t last);  // the entries of these blocks, to sim->shown on the process of rank 0
scree_status bonds_all(par_sim* sim, int64_t first, int64_t last, scree_sim_bonds* out);  // bonds number `first` to last - 1: until the next call or run. `out` on the process of rank 0; else NULL
void forget_shown(par_sim* sim);

// plan.c. MEMORY
scree_status share_all(par_sim* sim, scree_sim_plan* out);           // counts of the parts as they are; `out` on the process of rank 0

#endif
