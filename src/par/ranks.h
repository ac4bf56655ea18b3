// The data of each rank (sim.c describes how ranks work together).
#ifndef SCREE_PAR_RANKS_H
#define SCREE_PAR_RANKS_H

#include "par/forest.h"
#include "par/par.h"
#include "sim/overview.h"
#include "sim/part.h"

enum { work_of_sphere = 10, work_of_candidate = 2 };  // in a step, in units that fit each other

// Own spheres between two lists, by (key, id), and what their contacts remember. Those that stay are where they are in the part until it gets its new arrays; those that have come are records.
typedef struct own_spheres {
    part_what what;
    size_t bytes;             // of a record
    int32_t count;
    char* memory;             // records,
    int64_t capacity;
    int32_t* from;            // of each sphere: its rank in the part as it was, or -1 - the number of its record
    int64_t from_capacity;
    int64_t contacts;
    char* contact_memory;     // contact_head, then its words
    int64_t contact_capacity;
    int64_t bonds;
    char* bond_memory;        // records of bonds, some twice
    int64_t bond_capacity;
    int64_t states;           // of bonds, while a state is set (part_bonds_set)
    char* state_memory;
    int64_t state_capacity;
} own_spheres;

typedef struct contact_head {
    int64_t ij[2];            // as scree_sim_memory has them
    int32_t feature;
    int8_t shift[4];
} contact_head;

// Another rank with which this one shares spheres: own ones that it sends, and ghosts that it receives, by (key, id).
typedef struct halo_peer {
    int32_t rank, send_count, recv_count;
    int64_t send_first, recv_first;  // in par_rank.send and .recv
} halo_peer;

typedef struct par_rank {
    int32_t rank;
    scree_sim* sim;           // its part
    own_spheres own;
    par_post *out, *in;       // in team.posts
    int32_t* send;            // ranks in the part
    int32_t* recv;
    int64_t send_capacity, recv_capacity;
    halo_peer* peers;
    int64_t peer_capacity;
    int32_t peer_count;
    double work;              // of a pass, by counted candidates
    int32_t own_count;        // spheres of its part that are no ghosts
    int32_t* scratch;         // by rank in the part, while a list is made: kept for the next one
    int64_t scratch_capacity;
    int32_t* of;              // by place in a search, as scratch
    int64_t of_capacity;
    uint8_t* ghost;           // by rank in the new part, as scratch
    int64_t ghost_capacity;
    int64_t shown;            // copies that the search of the last list got
    int32_t* contacts;        // of each sphere of the part, while somebody asks for them between two runs; NULL: not known
    scree_sim_memory remembered;  // what its contacts remember, while somebody asks for some of them after the other; borrowed from `sim`
    int32_t* by_id;           // ranks in the part by rising id, of own spheres and of giants; as contacts
    int32_t by_id_count;
    int64_t* bonds;           // places in the part of bonds with an own sphere, by rising number; as contacts
    int64_t bond_count;
} par_rank;

// All ranks of this process. Posts are of one kind for all of them, one after the other.
enum { POST_OUT, POST_IN, POST_BACK, POST_REPORTED, POST_STEP_OUT, POST_STEP_IN, team_posts };
typedef struct par_team {
    scree_par* par;
    par_forest forest;
    par_rank* rank;
    par_post* posts[team_posts];
} par_team;

void own_free(own_spheres* own);

// migrate.c: all spheres of all parts, with what their contacts remember, become own spheres of the ranks that own their centres. MEMORY
// `others`: keys have changed since the spheres were put in order.
scree_status migrate(par_team* team, bool others);
void own_stub(const par_rank* me, int32_t i, part_stub* out);       // of an own sphere, before the part gets its new arrays
const double* own_place(const par_rank* me, int32_t i);             // its x y z r
scree_status contacts_sorted(own_spheres* own, int words, bool shifted, scree_sim_memory* out);  // each once, in the order of scree_sim_memory; free with contacts_free. MEMORY
scree_status contacts_room(int64_t count, int32_t words, const scree_sim* sim, scree_sim_memory* out);  // arrays of so many, as contacts_sorted makes them. MEMORY
void contacts_copy(const scree_sim_memory* from, scree_sim_memory* to, int64_t first);  // as contacts from `first` on; values too if `to` has some
void contacts_free(scree_sim_memory* memory);
void contact_put(const scree_sim_memory* memory, int64_t c, int32_t words, char* to);  // a record of this contact: contact_head and its words, then zeros up to `words`

// slices.c: the spheres of the whole, which the process of rank 0 has, with bonds and what their contacts remember, become own spheres of the ranks that own their centres: some at a time. MEMORY
typedef struct sphere_giver {
    scree_sim* from;            // on the process of rank 0: the whole, which has the spheres, or with a source a mould of it (part.h), or of a state the whole without them; else NULL
    const part_source* source;  // on that process; NULL: the whole has them
    double sides[3][2];         // with a source
    bool by_id;                 // on all processes: they have a source
    const scree_sim_memory* memory;  // on that of rank 0, of a state: what its contacts remember; NULL: nothing
    const scree_sim_bonds* bonds;    // the same: its bonds; NULL: there are none
    const double* x;                 // and its centres, by row
} sphere_giver;
scree_status hand_out(par_team* team, const sphere_giver* giver);
scree_status hand_contacts(par_team* team, const sphere_giver* giver);  // what the contacts of a state remember becomes that of own contacts, and its bonds what own bonds are, between migrate and halo_make. MEMORY
int32_t slice_size(const scree_par* par, int32_t count);  // spheres of a slice, of so many
scree_status hand_keys(par_team* team, const sphere_giver* giver, forest_load* loads);  // places of all spheres to all ranks, to each as many: loads[local] get their keys, in any order, and room for weights. Free them in any case. MEMORY

// The own spheres of all parts, then their contacts and bonds, those across borders maybe twice: on the process of rank 0 `take` gets them, some at a time. MEMORY
typedef struct slice_taker {
    void* context;
    scree_status (*take[3])(void* context, const char* records, int64_t count);  // of PART_START; contact_head and words; bonds
} slice_taker;
scree_status hand_in(par_team* team, const slice_taker* taker);

// rows.c: columns of spheres, as overview.h says; on the process of rank 0 `take` gets them. MEMORY
scree_status hand_rows(par_team* team, const rows_wish* wish, rows_take* take, void* context);
scree_status hand_columns(par_team* team, int64_t columns, int64_t count, rows_give* give, void* context);  // to the owners of all spheres, whose ids are below `count`; `give` on the process of rank 0. MEMORY
void rows_changed(par_team* team);  // spheres or contacts are other ones

// halo.c: the parts of own spheres, with ghosts and lists. MEMORY, ARGUMENT
scree_status halo_make(par_team* team, double skin);
scree_status halo_refresh(par_team* team);  // ghosts as their owners have them now. MEMORY
scree_status halo_look(par_team* team);     // their velocities at this moment, between runs. MEMORY
scree_status halo_refresh_begin(par_team* team);  // the two halves of it: parts may be worked on in between, but for their ghosts
scree_status halo_refresh_end(par_team* team);

#endif
