// The scenes of tests/data/hashes: the systems of par_support.h, and systems in which every law term, boundary, load and cell acts.
#ifndef TESTS_HASH_SCENES_H
#define TESTS_HASH_SCENES_H

#include "par_support.h"

enum { hash_scene_count = 200, hash_scene_name = 64, hash_looks = 3 };

typedef struct hash_scene {
    char name[hash_scene_name];
    par_system s;
    bool energies;
    int64_t pieces[hash_looks];  // steps before each look
} hash_scene;

void hash_scene_make(int number, hash_scene* out);  // from 0 on; to be freed
void hash_scene_free(hash_scene* hashed);
scree_sim* hash_scene_begin(hash_scene* hashed);     // with the def of the scene; to be destroyed

#endif
