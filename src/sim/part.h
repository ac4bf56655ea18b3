// A simulation as one part of a larger one: the interface for src/par, with one part for each process.
//
// A part holds its own spheres and ghosts, copies of spheres that other parts own and that touch, or may soon touch, its own. They are stored together, by
// (key, id), as in a simulation of all spheres: so each own sphere adds up its partners in the same order and gets the same bits. A pass works on ghosts as on all others,
// with the partners that they have here, and the result is ignored: before the next pass their columns come from the owner. Walls and boundaries act on own spheres only.
//
// The calls below are the parts of a step, a new list and a new order between which messages are exchanged:
//
//     step       part_launch | ghosts, part_pass_early | part_pass_begin | integer sums | part_pass_giants | energies | part_pass_end
//     new list   part_leaves, part_memory out | spheres and contacts to their owners, who is shown to whom | part_room, part_unpack | part_lists, part_arrives
//     new order  part_wrap | ends of open axes | part_keys | new list
//
// A contact across a border is computed by both owners, from the same numbers in the same order, so its memory is the same in both.
#ifndef SCREE_SIM_PART_H
#define SCREE_SIM_PART_H

#include "base/bytes.h"
#include "scree/sim.h"

// What a search needs of a sphere; records begin with it.
typedef struct part_stub {
    uint64_t key;
    int64_t id;
    double x[4];      // x y z r
    uint64_t fixed;   // 1: it is fixed
} part_stub;

static inline bool part_is_before(const part_stub* a, const part_stub* b)
{
    return a->key != b->key ? a->key < b->key : a->id < b->id;
}

struct sim_keeper;

typedef enum part_what {
    PART_START,  // a whole record between runs: with accelerations
    PART_MOVE,   // in the middle of a step, when a new list is made
    PART_STEP,   // what partners see of a sphere in a pass; no stub
    PART_LOOK    // its velocities at the moment of x, for output; no stub
} part_what;

scree_status part_check(const scree_sim* sim);   // whether it can be cut into parts. UNSUPPORTED: features that are not supported yet, by name
scree_status part_shell(const scree_sim* sim, scree_bytes* bytes);  // everything but its spheres. MEMORY
scree_status part_make(scree_bytes* bytes, scree_sim** out);        // a part of that, without spheres; scree_sim_destroy frees it. MEMORY
void part_set_threads(scree_sim* part, int32_t threads);            // where the simulation has all cores; from the next list on
void part_set_spans(scree_sim* part, bool brief);                   // spans of one block: more of them can be computed while messages are under way, and more pairs are computed twice (about 2 % of a step)
int64_t part_inner_blocks(const scree_sim* part);                   // blocks that can be computed meanwhile, in this list
void part_close(scree_sim* sim);

// ---- Records -------------------------------------------------------------------------------------------------------
size_t part_bytes(const scree_sim* sim, part_what what);  // a multiple of 8. Simulations that part_follow each other have the same
void part_pack(const scree_sim* sim, part_what what, const int32_t* ranks, int32_t count, char* out);  // one after the other
void part_unpack(scree_sim* sim, part_what what, const int32_t* ranks, int32_t count, const char* in);

int32_t part_count(const scree_sim* sim);        // spheres in it, with ghosts
bool part_is_ghost(const scree_sim* sim, int32_t rank);
void part_stub_of(const scree_sim* sim, int32_t rank, part_stub* out);
const double (*part_places(const scree_sim* sim))[4];  // x y z r by rank; until the next part_room or pass
const uint8_t* part_ghosts(const scree_sim* sim);      // 1: it is one; NULL: none is
const uint64_t* part_key_array(const scree_sim* sim);
const int64_t* part_id_array(const scree_sim* sim);
bool part_remembers(const scree_sim* sim);       // contacts do
bool part_sees_velocities(const scree_sim* sim); // their law does
int64_t part_memory_size(const scree_sim* part); // bytes that it has allocated

// Spheres that a simulation is made of, as scree_sim_create gets them. They are made in slices, in a part that holds one slice at a time, a mould: so the process that has them needs nothing else by sphere.
typedef struct part_source {
    scree_spheres spheres;
    const double* v;               // NULL: they are at rest
    const scree_sim_each* each;    // NULL: nothing is of their own
    int32_t threads;
    const scree_sim_def* def;      // what the spheres were made for,
    struct bond_finder* bonds;     // and their bonds, maybe none
} part_source;
void part_source_sides(const scree_sim* whole, const part_source* source, double sides[3][2]);  // as part_sides
int64_t part_source_size(const scree_sim* sim, int32_t slice);  // bytes of centres, radii and velocities of all its spheres, and of a mould of so many
double part_source_skin(const scree_sim* whole, const part_source* source);                     // of the first list
scree_status part_pour(scree_sim* mould, const part_source* source, const double sides[3][2], int64_t first, int32_t count);  // ranks from 0 on are these, wrapped, with their keys. MEMORY
// What scree_sim_create does with forces at the start: all blocks, then as in a step; and what follows when these are done.
scree_status part_settle(scree_sim* part, bool begins);  // `begins`: contacts remember nothing yet. MEMORY
void part_settled(scree_sim* part);

// What is not by sphere and changes (step, walls, motions, loads, numbers); and a part that takes it, without spheres then. MEMORY
scree_status part_small(scree_sim* sim, scree_bytes* bytes);
scree_status part_follow(scree_sim* part, scree_bytes* bytes);
scree_status part_follow_small(scree_sim* sim, scree_bytes* bytes);  // the same, with the spheres that it has. MEMORY
void part_renew_loads(scree_sim* part);          // after part_follow_small: drag and damping as they are at this step
void part_taken(scree_sim* part);                // positions and velocities have changed: updates what follows from them
double part_apart(const scree_sim* sim);         // how far two that do not touch yet may overlap before it is reported; the least of all parts
void part_set_apart(scree_sim* sim, double least);

// Something that is set between runs, as values, and set in a part. ARGUMENT, UNSUPPORTED: nothing has changed; MEMORY
struct sim_change;
enum { PART_FORCES = 1, PART_RATE = 2, PART_LIST = 4 };  // effects: the forces of this moment are to be computed again; the rate of a cell has changed, and its sums are to be added up; other spheres are fixed, so there is a new list
scree_status part_check_change(const scree_sim* part, scree_bytes* bytes);  // what spheres alone can tell. ARGUMENT
int64_t part_count_fixed(const scree_sim* part);  // of its own spheres
void part_set_fixed(scree_sim* part, int64_t count);  // of all
void part_put_change(const struct sim_change* change, scree_bytes* bytes);
scree_status part_change(scree_sim* part, scree_bytes* bytes, unsigned* effect);
int64_t part_rate_count(void);
void part_get_rate(const scree_sim* part, int64_t parts, int64_t* out);
scree_status part_set_rate(scree_sim* part, const int64_t* in);  // ARGUMENT
bool part_has_cell(const scree_sim* sim);        // that changes
bool part_is_controlled(const scree_sim* sim);   // by its stress
scree_status part_add_motion(scree_sim* whole, const scree_sim* mould);  // of spheres that are made. ARGUMENT
void part_clear_motion(scree_sim* part);

// Spheres that come and go between runs (part_exchange.c). All parts mark those that go, LOOK_MARKED (overview.h) tells what these had; they are left out and the new ones are added to the first part. Then follow a new order, a
// new list and its forces. Accelerations of spheres that have neither lost nor got a contact stay: they travel beside the spheres, as records.
struct sim_exchange;
struct sim_look;
typedef struct part_tally {
    scree_sim_numbers numbers;
    scree_sim_flow flow;
} part_tally;
uint8_t* part_marks(const scree_sim* part);      // by rank: 1 marked, 2 touches one that is
scree_status part_mark(scree_sim* part, int64_t count, const int64_t* ids);  // rising. MEMORY
int64_t part_touched_count(int64_t giants);      // numbers of the next two: how many were touched, and which giants, whose ids are given, rising
void part_get_touched(const scree_sim* part, int64_t giants, const int64_t* ids, int64_t* out);  // to be added up over all parts
void part_set_touched(scree_sim* part, int64_t giants, const int64_t* ids, const int64_t* in);
scree_status part_leave_out(scree_sim* part);    // those that are marked have no owner, and their contacts are forgotten. MEMORY
scree_status part_add(scree_sim* part, const struct sim_exchange* more);     // those that come. MEMORY
size_t part_kept_bytes(void);                    // of a record of accelerations,
bool part_keep(const scree_sim* part, int32_t rank, char* out);  // of an own sphere. False: they are to be computed again
void part_settle_again(scree_sim* part);         // velocities of this moment are what contacts see
typedef struct part_kept {
    const char* records;
    int64_t count;
} part_kept;
scree_status part_put_kept(scree_sim* part, int32_t pieces, const part_kept* kept, bool touched);  // when the forces are there, and spheres that have come are marked. `touched`: some sphere has lost or got a contact. MEMORY
void part_take_tally(scree_sim* part, const part_tally* tally);  // what all parts know of all spheres
scree_status part_count_exchange(scree_sim* whole, const struct sim_exchange* given, const struct sim_look* gone, int64_t giants, part_tally* out);  // how many spheres it has now, and their names. MEMORY
void part_count_come(scree_sim* whole, const struct sim_look* come, part_tally* out);
int64_t part_seen_ids(scree_sim* whole, int64_t seen, const int64_t** ids);  // of those that part_see has counted
void part_seen_are_gone(scree_sim* whole, int64_t seen);

// While its parts have the spheres the whole simulation has none, and no memory for them (part_whole.c). MEMORY: it has them still
void* part_crew(const scree_sim* whole);         // of its runner (runner.h); NULL: there is none yet
scree_status part_fetch(scree_sim* whole);       // its spheres, if it has none. MEMORY, ARGUMENT
void part_get_keeper(const scree_sim* whole, const struct sim_keeper** keeper, void** kept_by);
void part_set_keeper(scree_sim* whole, const struct sim_keeper* keeper, void* kept_by);  // who is asked then
scree_status part_begin(scree_sim* whole);       // steps are made
void part_drop(scree_sim* whole);                // after part_refill: it is as it was
bool part_is_hollow(const scree_sim* whole);
scree_status part_finish(scree_sim* whole, scree_sim* part, scree_bytes* scratch, double speed);  // a run has ended: all but the spheres is that of one of the parts. `speed`: of all parts. MEMORY
scree_status part_refill(scree_sim* whole);      // memory for them again. MEMORY: it is as it was
scree_status part_take(scree_sim* whole, const char* records, int64_t count);  // of PART_START: all spheres once, in any order and number of calls. MEMORY
typedef struct part_bonds part_bonds;

// All have come. What is not by sphere is that of one of the parts; contacts are sorted as scree_sim_memory says. MEMORY, ARGUMENT
scree_status part_join(scree_sim* whole, scree_sim* part, const scree_sim_memory* memory, part_bonds* bonds);
void part_give_up(scree_sim* whole, scree_status status);  // how a run has ended: it is failed, and without spheres if these are lost

// What a part has seen in its steps, overlaps and spheres that have crossed boundaries, to the whole. MEMORY
void part_seen(scree_sim* part, scree_bytes* bytes);  // the part forgets it
scree_status part_see(scree_sim* whole, scree_bytes* bytes, int64_t* seen);  // adds to how many have crossed

scree_status part_fingerprint(scree_sim* whole, scree_bytes* scratch, uint64_t* out);  // of all that parts follow: another one, and it was changed. MEMORY
const scree_watch* part_tick(const scree_sim* whole);      // def.watch
int64_t part_ids_of_giants(const scree_sim* whole, const part_source* source, int64_t* out);  // rising, and how many; NULL: not asked for. `source` NULL: the whole has them
double part_skin(const scree_sim* whole);        // of its list

// ---- A new list ----------------------------------------------------------------------------------------------------
scree_status part_empty(scree_sim* sim);         // without spheres. MEMORY

// n spheres, of which rank i is what was rank from[i]; part_comes: it comes by part_unpack. `any`: some are here. ghost[rank] 1: it belongs to another part. The memory of contacts is dropped. MEMORY
enum { part_comes = -1 };
scree_status part_room(scree_sim* sim, int32_t n, int32_t* from, bool any, const uint8_t* ghost);

// Where the items of a search are to be written, by (key, id).
typedef struct part_items {
    double (*xr)[4];
    uint8_t* still;            // 1: it is fixed. NULL: none is
} part_items;
scree_status part_search_room(scree_sim* sim, int32_t count, part_items* out);  // MEMORY

// Pairs of these with a gap below the law's reach and `skin`: rows by (i, j, shift). Valid until the next call. MEMORY, ARGUMENT
typedef struct part_rows {
    int64_t count;
    const int32_t (*ij)[2];
    const int8_t (*shift)[3];  // NULL: no axis is periodic
} part_rows;
double part_skin_most(const scree_sim* sim);
double part_next_skin(scree_sim* sim, int64_t age, const double ways[2], double move);  // as scree_candidates_next_skin says; `move`: of the fastest in a step
void part_add_search(scree_sim* sim, double seconds);  // a new list took so long
scree_status part_search(scree_sim* sim, int32_t count, double skin, part_rows* out);

// Where the rows of the part are to be written, by (i, j, shift); *shift is NULL where no axis is periodic. MEMORY
scree_status part_rows_room(scree_sim* sim, int64_t count, int32_t (**ij)[2], int8_t (**shift)[3]);

// The rest, when the rows are written: near walls, slots of contacts. MEMORY
typedef struct part_list {
    int64_t count;             // rows
    double skin;
    double extent, largest;    // bounds of coordinates and radii
    int32_t items;             // of the search
    const int32_t* of;         // the rank of an item that is own, or below 0; borrowed until the next list
} part_list;
scree_status part_lists(scree_sim* sim, const part_list* list);
double part_extent(const scree_sim* sim);        // no coordinate was larger when the list was made

// Memory of contacts by id: as scree_sim_get_memory gives it, contacts with ghosts included; and a part that takes the contacts whose spheres it has. `given` is sorted as there. MEMORY
scree_status part_memory(scree_sim* sim, bool between_parts, scree_sim_memory* out);  // between_parts: part_words for each contact, else the words of the law
int32_t part_words(const scree_sim* sim);
scree_status part_memory_take(scree_sim* sim, const scree_sim_memory* given);
void part_forget(scree_sim* part);               // what its contacts remember
// Contacts as scree_sim_get_contacts shows them, each with part_shown numbers and then what it remembers, in place of the words of a memory. MEMORY
enum { part_shown = 14 };                        // overlap, normal, force, its part across the normal, torque; 1 if it slides
scree_status part_contacts(scree_sim* sim, scree_sim_memory* out);  // values are the caller's to free; the rest until part_contacts_end
void part_contacts_end(scree_sim* sim);
enum { PART_SLIDES = 1, PART_TURNS = 2, PART_FEATURES = 4 };
unsigned part_contact_arrays(const scree_sim* whole);  // which of these scree_sim_contacts has
int32_t part_rank_of(const scree_sim* sim, int64_t id);  // rank of a sphere, after part_memory; -1: it is not here
bool part_bears(const scree_sim* sim, const int64_t ij[2]);  // of the parts that have this contact, this is the one that counts it; after part_memory

// Bonds (part_bonds.c), as records. Each goes to the owners of both of its spheres; a part that gets it from both keeps one.
typedef struct part_bond_seen {
    int64_t id[2];
    bool holds;
    double distance;  // of the two, where it holds
} part_bond_seen;

bool part_has_bonds(const scree_sim* sim);       // the simulation of all parts has
size_t part_bond_bytes(void);                    // of a record
int64_t part_bond_count(const scree_sim* sim);
void part_bond_ranks(const scree_sim* sim, int64_t at, int32_t out[2]);  // of its spheres; -1: one is not here
void part_bond_pack(const scree_sim* sim, int64_t at, bool measured, char* out);  // `measured`: with the distance of its spheres
void part_bond_look(const char* record, part_bond_seen* out);
// Bonds that are not made yet, a slice at a time.
void part_source_bonds_begin(const part_source* source);
scree_status part_source_bonds_next(const part_source* source, scree_pairs pairs);  // the slice of these pairs. MEMORY
int64_t part_source_bond_count(const part_source* source);                          // in the slice
void part_source_bond_ends(const part_source* source, int64_t at, double x[2][3]);  // centres of the two spheres of one of them
void part_source_bond_pack(const scree_sim* whole, const part_source* source, int64_t at, char* out);
scree_status part_bonds_sort(const scree_sim* sim, int64_t* out, int64_t* count);  // those of which an own sphere is one side, by number; room for all. MEMORY
int64_t part_bond_number(const scree_sim* sim, int64_t at);
// Of a state: what is set in all records of this bond, which have its number; `x` are the centres of its two spheres.
size_t part_bond_state_bytes(void);
void part_bond_state_put(const scree_sim_bonds* state, int64_t number, const scree_box* box, const double* x[2], char* out);
scree_status part_bonds_set(char* records, int64_t count, const char* states, int64_t state_count);  // records in any order. MEMORY
// Some of them as they are shown: room for `count`, filled from records, of which the first has number `first`. Free *out in any case. MEMORY
scree_status part_bonds_room(const scree_sim* whole, int64_t count, part_bonds** out);
scree_status part_bonds_show(part_bonds* to, int64_t first, const char* records, int64_t count);
const scree_sim_bonds* part_bonds_shown(const part_bonds* bonds);
scree_status part_bonds_take(scree_sim* sim, const char* records, int64_t count);  // after part_unpack. MEMORY
scree_status part_bonds_gather(const scree_sim* whole, const char* records, int64_t count, part_bonds** out);  // for part_join; free *out in any case. MEMORY
void part_bonds_free(part_bonds* bonds);

// ---- A step --------------------------------------------------------------------------------------------------------
double part_reach(const scree_sim* sim);         // gap up to which contacts hold
int64_t part_now(const scree_sim* sim);          // the step
int64_t part_row_of(const scree_sim* whole, int64_t id);  // how many ids are lower; -1: there is no such sphere
int64_t part_ids_end(const scree_sim* whole);    // all ids are below it
const scree_box* part_box(const scree_sim* sim);
scree_status part_deform(scree_sim* sim);        // the cell of this step. ARGUMENT: it is too small for the spheres, in all parts alike
double part_image_speed(const scree_sim* sim);   // no image of a candidate is faster than its sphere by more than this
bool part_is_renewal(const scree_sim* sim);      // the order is renewed at this step
scree_status part_wrap(scree_sim* sim);          // MEMORY
void part_sides(const scree_sim* sim, double sides[3][2]);       // of own spheres, where the box is open
void part_keys(scree_sim* sim, const double sides[3][2]);
void part_launch(scree_sim* sim);
scree_status part_go(scree_sim* sim, double speed);  // before the pass: loads of this step, overlaps, spheres that crossed a boundary. `speed`: of all parts. MEMORY
bool part_removes(const scree_sim* sim);         // some boundaries remove what crosses them
int64_t part_crossed(const scree_sim* sim);      // spheres that have; the pass is a last one then
scree_status part_pass_early(scree_sim* sim, bool last, double speed);  // part_go and the blocks without ghosts, while the ghosts of this step are on their way, if nothing has to be checked on them first; `last` as for
bool part_is_early(const scree_sim* sim);        // it has done so
scree_status part_pass_begin(scree_sim* sim, bool last);         // `last`: velocities to the moment of the positions. MEMORY
void part_add_wait(scree_sim* sim, double seconds);  // for other ranks
scree_status part_pass_giants(scree_sim* sim);   // when integer sums include all parts. ARGUMENT
scree_status part_pass_end(scree_sim* sim);      // when the energies are, too. ARGUMENT: a sphere is lost
bool part_is_verified(const scree_sim* sim);       // def.check
scree_status part_verify_contacts(scree_sim* sim, int32_t count, const part_stub* const* stubs);  // contacts of own spheres among the candidates against all pairs of all spheres, which are given by (key, id). ARGUMENT, MEMORY
double part_speed(const scree_sim* sim);         // no own sphere is faster
double part_wall_speed(const scree_sim* sim);
double part_step(const scree_sim* sim);          // its length
void part_ways(const scree_sim* sim, double way[2]);  // the two largest displacements of own spheres since the list was made
int64_t part_row_count(const scree_sim* sim);    // candidates of its list
void part_row_counts(const scree_sim* sim, uint32_t* out);  // by rank: candidates that are computed for this sphere. Each counts once, for the same sphere in any partition: so the work of a sphere does not depend on it

// Integer sums of a pass over all parts: of giants, whose ids are given, rising, of servos, and of a cell whose stress is controlled.
int64_t part_sum_count(const scree_sim* sim, int64_t giants);
void part_get_sums(const scree_sim* sim, int64_t giants, const int64_t* ids, int64_t parts, int64_t* out);
void part_set_sums(scree_sim* sim, int64_t giants, const int64_t* ids, const int64_t* in);
bool part_is_giant(const scree_sim* sim, const part_stub* stub);

// Energies of a pass over all parts (account.h), as whole numbers. A contact that a new list does not hold has ended, and its springs lose what they held; its owner may not have both spheres then. So parts add what all contacts
// hold before spheres move to other owners, and subtract what all hold after it: the rest, over all parts, is what has ended.
int64_t part_energy_count(const scree_sim* sim);  // 0: no energies are added up
void part_get_energies(const scree_sim* sim, int64_t* out);
void part_set_energies(scree_sim* sim, const int64_t* in);
bool part_accounts(const scree_sim* sim);        // it adds up energies
bool part_has_loads(const scree_sim* sim);
void part_leaves(scree_sim* sim);
void part_arrives(scree_sim* sim);

#endif
