// Parallel bonds: short beams between two spheres, beside their contact.
//
// Bonds stand in memory by the ranks of their spheres, the lower one first, as candidates do. A pass begins with them: each bond is computed once, and each sphere then
// adds up its bonds in that order, before its contacts: so no sum depends on threads. docs/laws.md has the formulas.
#ifndef SCREE_SIM_BONDS_H
#define SCREE_SIM_BONDS_H

#include "scree/sim.h"
#include "sim/sums.h"
#include "sim/totals.h"

enum { bond_words = SCREE_BOND_WORDS, WORD_SHEAR = 0, WORD_BENDING = 3, WORD_TWISTING = 6 };
enum { BOND_NORMAL, BOND_SHEAR, BOND_BENDING, BOND_TWISTING, bond_springs };

// What a bond is, from its kind and its two spheres.
typedef struct bond_numbers {
    double k[bond_springs], g[bond_springs];
    double per_area, per_bending, per_twisting;  // stress per force, and at the rim per moment
    double arm[2];       // of the two, as shares of the distance: r_i / (r_i + r_j)
    double period;       // half of the fastest one
} bond_numbers;

typedef struct bond {
    int32_t rank[2];     // the lower first; rank[0] is the lower id's if `turned` is false
    int64_t number;      // among all, by (i, j, shift)
    int64_t broken_at;   // -1: it holds
    int32_t kind;
    int8_t shift[3];     // seen from the first rank
    uint8_t cause;
    bool turned;         // the first rank is the one of the higher id
    double length;
    double released;
    double words[bond_words];  // seen from the first rank
    bond_numbers numbers;
    double force[3], torque[2][3];  // of the last pass: on the first, and on both
    int64_t gone;        // of a part (part_bonds.c): id of the side that is not here, whose rank is -1; only of bonds that broke,
    int8_t drift[2][3];  // which there add to the shift what wrapping each side has changed
} bond;

typedef struct sim_bonds {
    int64_t count;
    int32_t kind_count;
    scree_sim_bond* kinds;
    bond *bonds, *spare; // as many of both
    int64_t* key;        // scratch of the sort: two of each
    uint32_t* word;
    int32_t* to;         // scratch: the new rank of each rank
    int64_t* first;      // n + 1: where the bonds of each rank begin in `of`
    int64_t* of;         // 2 * count: 2 * bond + side, by rank and bond
    double (*f)[4];      // by rank: forces and torques of the last pass
    double (*t)[4];
    sim_sum* rate;       // by chunk of bonds: dissipated per time
    uint64_t* beyond;    // of these sums
    double dissipated, dissipated_next;
    // As shown, by number.
    int64_t (*ij)[2];
    int8_t (*shift)[3];
    int32_t* kind;
    double *length, *values, *released;
    int64_t* broken_at;
    uint8_t* cause;
    double (*force)[3], (*torque)[3];
} sim_bonds;

// Bonds as they are found at the start: by id, i < j.
typedef struct bond_table {
    int64_t count;
    int32_t (*ij)[2];
    int64_t ij_capacity, shift_capacity, kind_capacity, length_capacity;
    int8_t (*shift)[3];
    int32_t* kind;
    double* length;
} bond_table;

// All bonds at the start, in order, some at a time: the pairs that are searched for may be with other ranks (runner.h).
typedef struct bond_finder {
    const scree_sim_def* def;
    scree_spheres spheres;
    bond_table listed;        // those of the list, in order,
    int64_t listed_at;        // and the next of them
    bond_table slice;         // what was found last; without ranks all of them,
    int64_t first;            // from this number on
    int64_t count;            // of all bonds
} bond_finder;
struct sim_runner;

// bonds_start.c
scree_status bonds_check(const scree_sim_def* def, scree_spheres spheres);  // ARGUMENT
// Counts them, and finds the step that they require. With a runner its ranks have the pairs then: see bonds_begin; else out->slice has all bonds. Close it in any case. ARGUMENT, MEMORY
scree_status bonds_find(const scree_sim_def* def, scree_spheres spheres, const struct sim_runner* runner, scree_sim_numbers* numbers, bond_finder* out);
void bonds_begin(bond_finder* finder);                                   // the next slice is the first,
scree_status bonds_next(bond_finder* finder, scree_pairs pairs);         // of these pairs, which are in order; of none: the last. MEMORY
void bonds_end(bond_finder* finder);
bond_numbers bond_numbers_of(const scree_sim_def* def, scree_spheres spheres, const scree_sim_bond* kind, int64_t i, int64_t j, double length);
double bond_length_now(const scree_sim_def* def, scree_spheres spheres, int64_t i, int64_t j, const int8_t shift[3]);  // from the image of j to i

// bonds.c; without bonds these do nothing.
typedef struct sim_pass sim_pass;
bond bond_from_table(const scree_sim_def* def, scree_spheres spheres, const bond_table* list, int64_t number);  // its ranks are those of the list
scree_status bonds_take_kinds(scree_sim* sim);               // of sim->def. MEMORY
scree_status bonds_make(scree_sim* sim, const bond_table* list, scree_spheres spheres);  // ranks are ids then. MEMORY
void bonds_close(sim_bonds* bonds);
void bonds_drop(sim_bonds* bonds);                          // all that goes by bond or by rank; kinds and sums stay
size_t bonds_bytes(const scree_sim* sim);
scree_status bonds_set(scree_sim* sim, const bond* bonds, int64_t count);  // the bonds of a part. MEMORY
void bond_turn_round(bond* b);                               // seen from the other sphere
void bond_show_forces(const bond* b, double force[3], double torque[3]);  // on the sphere of the lower id, of a bond that is not turned
double bond_distance(const scree_sim* sim, const bond* b);   // of its spheres
void bonds_work(scree_sim* sim, sim_pass* pass);             // their forces at this moment, for the spheres of the pass. In SIM_REST they stay as they are
void bonds_launch(scree_sim* sim);                           // a step begins
void bonds_sum(const sim_bonds* bonds, sim_sum* sum, uint64_t* beyond);  // adds what they dissipate per time
void bonds_account(scree_sim* sim, const sim_pass* pass, double rate);  // after a pass
void bonds_wrapped(scree_sim* sim, const int8_t (*turns)[3]);  // centres were, by whole boxes
scree_status bonds_rename(scree_sim* sim, const uint32_t* from);  // rank i is what was rank from[i]. CANCELLED, of one that hears
// Arrays by rank: taken out of the simulation, put back into it, freed, and made from the old ones for the ranks of `to`. MEMORY: the caller still releases what was made
sim_bonds bonds_take_out(scree_sim* sim);
void bonds_put_back(scree_sim* sim, const sim_bonds* old);
void bonds_release(sim_bonds* bonds);
scree_status bonds_copy(scree_sim* sim, const sim_bonds* old, const int32_t* to);
// The bonds as they are now, for a state with these centres (by row): names of images as they are there. Free it in any case. MEMORY, ARGUMENT
typedef struct bonds_kept {
    scree_sim_bonds bonds;
    int64_t (*ij)[2];
    int8_t (*shift)[3];
    int32_t* kind;
    double *length, *values, *released;
    int64_t* broken_at;
    uint8_t* cause;
} bonds_kept;
scree_status bonds_kept_make(scree_sim* sim, const double* x, bonds_kept* out);
void bonds_kept_free(bonds_kept* kept);
bool bonds_are_new(const scree_sim_bonds* given);            // a zeroed one: bonds of a state are as new
scree_status bonds_check_state(scree_sim* sim, const scree_sim_bonds* given);  // ARGUMENT
void bonds_take(scree_sim* sim, const scree_sim_bonds* given);       // of a state, before ranks change (NULL: those that hold are as new),
void bonds_take_sums(scree_sim* sim, const scree_sim_bonds* given);  // and after its forces are known
uint64_t bonds_hash(const scree_sim_bonds* shown);
uint64_t bonds_own_hash(const scree_sim* sim);             // the same, of the bonds of the simulation

enum { BONDS_HOLD, BONDS_BROKEN, bond_counts };
enum { BONDS_ENERGY, BONDS_RELEASED, BONDS_VIRIAL, BONDS_PRODUCTS, bond_totals = BONDS_PRODUCTS + 6 };  // the last ones: of force and distance, xx yy zz xy xz yz
scree_status bonds_add_up(const scree_sim* sim, const sim_pass* pass, sim_total totals[bond_totals], int64_t counts[bond_counts]);  // of a part: each bond in one of the two that have it. CANCELLED

#endif
