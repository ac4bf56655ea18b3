// scree/outlines.h: polygons and discs of the plane as plain data, from a simulation, to files and back; and forces as rods, for pictures (library scree_files).
//
//     scree_outline_set set;
//     scree_outline_set_copy(sim, &set);                        // all bodies at the current time, with id, angle, v, spin, fixed
//     scree_write_outlines("frame.vtp", NULL, &set);            // for ParaView
//     scree_picture_def look = scree_default_picture_def();
//     look.colour_by = "v";
//     scree_write_picture_outlines("frame.png", &set, &look);             // scree/picture.h
//     scree_outline_set_free(&set);
#ifndef SCREE_OUTLINES_H
#define SCREE_OUTLINES_H

#include "scree/files.h"
#include "scree/geom.h"
#include "scree/polygon.h"

#ifdef __cplusplus
extern "C" {
#endif

// Plain data, owned: read and write the arrays directly. `bodies` is a set of dimension 2: x is the centre of each body, r the radius of a disc, and for
// a polygon the radius of the bounding circle about x. Columns (scree_sphere_set_add) and box refer to the bodies. In an integer column
// `fixed`, bodies that are fixed or move at a given velocity have a value other than 0.
typedef struct scree_outline_set {
    scree_sphere_set bodies;
    int64_t* first;  // bodies.count + 1: the vertices of body i are first[i] .. first[i + 1] - 1; none: a disc. NULL: all are discs (or spheres)
    double* xy;      // 2 each; the last edge closes the polygon. Either orientation
} scree_outline_set;

// Makes a set with arrays for this many bodies and vertices; their content is undefined, except that first[] is 0. MEMORY, ARGUMENT.
SCREE_API scree_status scree_outline_set_make(int32_t bodies, int64_t vertices, scree_outline_set* out);
SCREE_API void scree_outline_set_free(scree_outline_set* set);  // frees what it owns and zeroes it; a zeroed set is fine
SCREE_API int64_t scree_outline_set_vertices(const scree_outline_set* set);

// The discs of a set as spheres of dimension 2, with their columns and the box; takes them out of the set, which is zeroed. O(bodies).
SCREE_API scree_sphere_set scree_outline_set_discs(scree_outline_set* set);

// Checks all centres and radii as scree_spheres_check does, dimension 2, `first` ascending from 0, polygons of 3 vertices or more, vertices finite and at most
// SCREE_LENGTH_MAX in magnitude. ARGUMENT: the message names body and vertex. Whether edges cross is not checked. O(vertices).
SCREE_API scree_status scree_outline_set_check(const scree_outline_set* set);

// All bodies of a simulation at the current time, with its box if that has any bounds, and the columns
//   id (its number), angle, velocity (2), spin, fixed (0 or 1).
// MEMORY. O(vertices).
SCREE_API scree_status scree_outline_set_copy(scree_polygon_sim* sim, scree_outline_set* out);

// ---- Files -------------------------------------------------------------------------------------------------------

// Writes VTP: a polygon per body, the columns as cell data, and `radius`, `centre` and `disc` (1: a disc, written as a
// polygon of SCREE_DISC_CORNERS corners on its circle, so that ParaView shows it without a filter; its centre and radius are exact). Reading
// gives the same bits. Safe and compressed as scree_write_spheres; "-" is standard output. ARGUMENT: what scree_outline_set_check rejects, a column called
// radius, centre or disc, another format than VTP, more than INT32_MAX points. IO, MEMORY, CANCELLED: the file is unchanged.
#define SCREE_DISC_CORNERS 48
SCREE_API scree_status scree_write_outlines(const char* path, const scree_file_options* options, const scree_outline_set* set);

// Reads polygons, discs or spheres. A VTP file with polygons, of scree or another program, gives polygons: cell data become columns. If `centre` is missing it is the
// centre of mass (or of the corners, if there is no area); if `radius` is missing it is the bounding radius. Any other file is read as by
// scree_read_spheres, in any dimension, with first = NULL. Errors as there; UNSUPPORTED: polygons in several pieces, or together with other cells.
SCREE_API scree_status scree_read_outlines(const char* path, const scree_file_options* options, scree_outline_set* out);

// ---- Forces ------------------------------------------------------------------------------------------------------

// Rods: straight lines with a value each, such as the normal forces of contacts (scree_read_forces). Plain data, owned: read and write the
// arrays directly. In the coordinates of the set that they are drawn with. In periodic boxes a rod that begins in the box may end outside it, at an image: it is
// drawn up to the face, and the rest from the opposite face on. Rods of spheres and discs are also cut at the walls of a box, rods of outlines are not.
typedef struct scree_rods {
    int64_t count;
    double (*ends)[2][3];  // of each; z is ignored in 2D
    double* value;         // of each
} scree_rods;

SCREE_API scree_status scree_rods_make(int64_t count, scree_rods* out);  // zeroed. ARGUMENT, MEMORY
SCREE_API void scree_rods_free(scree_rods* rods);                        // frees what it owns and zeroes it; zeroed rods are fine

// The contacts that a run has written with a frame (`output: {contacts: true}`, contacts/contacts_000000.csv) as rods: from centre to centre, or from a centre to
// the wall; for bodies from one centre to the point of contact and on to the other centre. Through a periodic face a rod ends outside the box. The value is the normal force, above 0
// if repulsive. `set` is that frame. `options` may be NULL. IO: if there is no such file, the message names the key of the scene to set; FORMAT (file:line): also a sphere that the
// frame does not have; MEMORY, CANCELLED. O(contacts).
SCREE_API scree_status scree_read_forces(const char* path, const scree_file_options* options, const scree_outline_set* set, scree_rods* out);

#ifdef __cplusplus
}
#endif
#endif
