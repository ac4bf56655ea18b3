// Pairs of spheres, found by all ranks: the functions of pairs.c for the rest of this folder.
#ifndef SCREE_PAR_PAIRS_H
#define SCREE_PAR_PAIRS_H

#include "par/par.h"
#include "scree/par.h"

typedef enum pairs_wish { PAIRS_FIND, PAIRS_NEXT, PAIRS_FREE } pairs_wish;

// A program has one search at a time. That of the bonds of a simulation is another one, which does not end it: par->found on all processes.
typedef enum pairs_use { PAIRS_OF_PROGRAM, PAIRS_OF_BONDS } pairs_use;

// What a process does when that of rank 0 asks for it (orders.c). *pairs: of the last search for this use, NULL at first.
void pairs_serve(scree_par* par, pairs_use use, pairs_wish wish, scree_par_pairs** pairs);
scree_status pairs_order(scree_par* par, pairs_use use, pairs_wish wish);  // asks for it

// As scree_par_find_pairs; chance != 0: borders between ranks at random, from this seed. For tests.
scree_status pairs_find(scree_par* par, pairs_use use, const scree_par_pairs_def* def, scree_spheres spheres, uint64_t chance, scree_par_pairs** out);
scree_status pairs_next_all(scree_par_pairs* pairs, scree_pairs* out, bool* more);  // as scree_par_pairs_next, on all processes; `out` is set on that of rank 0. *more: these are not none
void pairs_free_all(scree_par_pairs* pairs);                                     // on all processes; NULL is fine

#endif
