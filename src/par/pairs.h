// Pairs of spheres, found by all ranks: the functions of pairs.c for the rest of this folder.
#ifndef SCREE_PAR_PAIRS_H
#define SCREE_PAR_PAIRS_H

#include "par/par.h"
#include "scree/par.h"

typedef enum pairs_wish { PAIRS_FIND, PAIRS_NEXT, PAIRS_FREE } pairs_wish;

// What a process does when that of rank 0 asks for it (sim.c). *pairs: of the last search, NULL at first.
void pairs_serve(scree_par* par, pairs_wish wish, scree_par_pairs** pairs);
scree_status pairs_order(scree_par* par, pairs_wish wish);  // asks for it

// As scree_par_find_pairs; chance != 0: borders between ranks at random, from this seed. For tests.
scree_status pairs_find(scree_par* par, const scree_par_pairs_def* def, scree_spheres spheres, uint64_t chance, scree_par_pairs** out);

#endif
