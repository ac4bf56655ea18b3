// LAMMPS data files: what reader and writer share.
#ifndef SCREE_FILES_LAMMPS_H
#define SCREE_FILES_LAMMPS_H

#include "scree/geom.h"

// The columns that atom_style sphere has a place for. Two of them share one.
typedef enum scree_lammps_place {
    SCREE_LAMMPS_ID,
    SCREE_LAMMPS_TYPE,
    SCREE_LAMMPS_DENSITY,
    SCREE_LAMMPS_MATERIAL_DENSITY,
    SCREE_LAMMPS_VELOCITY,
    SCREE_LAMMPS_OMEGA,
    SCREE_LAMMPS_IMAGE,
    SCREE_LAMMPS_PLACES
} scree_lammps_place;

extern const char* const scree_lammps_name[SCREE_LAMMPS_PLACES];

#endif
