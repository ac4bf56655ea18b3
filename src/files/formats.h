// The formats beside CSV, one file (or two) each: what files.c's table needs of them.
//   read   fills *out only if all is well
//   check  whether the format can hold the set: ARGUMENT with the reason if not
//   write  errors stay in output->status
//   keeps  whether column c (-1: the box) is written; a format without it keeps everything
#ifndef SCREE_FILES_FORMATS_H
#define SCREE_FILES_FORMATS_H

#include "files/input.h"
#include "files/output.h"
#include "scree/geom.h"
#include "scree/outlines.h"
#include "scree/surface.h"

scree_status scree_vtp_read(scree_input* input, scree_sphere_set* out);
scree_status scree_vtp_check(const scree_sphere_set* set);
void scree_vtp_write(scree_output* output, const scree_sphere_set* set);
scree_status scree_vtp_read_outlines(scree_input* input, scree_outline_set* out);  // spheres, where there are no polygons
scree_status scree_vtp_check_outlines(const scree_outline_set* set);
void scree_vtp_write_outlines(scree_output* output, const scree_outline_set* set);
scree_status scree_vtp_read_triangles(scree_input* input, scree_triangles* out);

scree_status scree_stl_read(scree_input* input, scree_triangles* out);
scree_status scree_stl_check(const scree_triangles* triangles);
void scree_stl_write(scree_output* output, const scree_triangles* triangles);

scree_status scree_xyz_read(scree_input* input, scree_sphere_set* out);
scree_status scree_xyz_check(const scree_sphere_set* set);
void scree_xyz_write(scree_output* output, const scree_sphere_set* set);

scree_status scree_lammps_read(scree_input* input, scree_sphere_set* out);
scree_status scree_lammps_check(const scree_sphere_set* set);
void scree_lammps_write(scree_output* output, const scree_sphere_set* set);
bool scree_lammps_keeps(const scree_sphere_set* set, int32_t c);
bool scree_xyz_keeps(const scree_sphere_set* set, int32_t c);

scree_status scree_npy_read(scree_input* input, scree_sphere_set* out);
scree_status scree_npy_check(const scree_sphere_set* set);
void scree_npy_write(scree_output* output, const scree_sphere_set* set);

#endif
