// The box for formats that want finite ends on three axes (XYZ, LAMMPS data), and back. A letter per axis tells what
// the numbers do not: p periodic, w walls, o open, l only the lower wall, u only the upper one.
#ifndef SCREE_FILES_FINITE_BOX_H
#define SCREE_FILES_FINITE_BOX_H

#include "files/words.h"
#include "scree/geom.h"

typedef struct scree_finite_box {
    double lower[3], upper[3];  // open ends: the spheres' bounds. The third axis in 2D: -0.5 to 0.5
    char letter[4];             // dim of them; "" if the set has no box
} scree_finite_box;

scree_finite_box scree_finite_box_of(const scree_sphere_set* set);

// Whether the word is the name of a container, and of which kind; a box if not.
bool scree_container_of_word(scree_word word, int32_t* kind);

// Opens what the letter of axis k says is open. False if there is no such letter.
bool scree_box_apply_letter(scree_box* box, int k, char letter);

#endif
