// scree/view.h: spheres, discs and polygons, or a whole run of them, as one HTML file that any browser shows (library scree_show).
//
//     scree_write_view("page.html", 1, NULL, &set, NULL);      // one set
//
//     scree_view* view;                                        // or frame by frame: one at a time is in memory
//     scree_status status = scree_view_begin("page.html", NULL, &view);
//     for (int f = 0; f < frames && status == SCREE_OK; ++f)
//         status = scree_view_add(view, time[f], &set[f]);
//     status = scree_view_end(view, status);                   // only now the file is there
//
// The page needs no network and no other file. It contains the positions rounded to 24 bits of the range of the centres (3e-8 of it), radii and
// columns rounded to 24 bits, integers and texts unchanged, and the number of partners of each sphere, counted before rounding. Vertices of polygons
// are accurate to 1e-6 of the larger side of the bounding box of all bodies; touching bodies are found before rounding.
// The same sets and options give the same bytes, for any number of threads.
#ifndef SCREE_VIEW_H
#define SCREE_VIEW_H

#include "scree/geom.h"
#include "scree/outlines.h"
#include "scree/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_view_background {
    SCREE_VIEW_AUTO = 0,  // by the settings of the reader's system
    SCREE_VIEW_LIGHT,
    SCREE_VIEW_DARK,
    SCREE_VIEW_BACKGROUND_COUNT
} scree_view_background;

typedef struct scree_view_def {
    uint32_t struct_size;   // filled by the default function; lets this struct grow between versions
    const char* title;      // UTF-8; NULL: "scree". Borrowed, until scree_view_end
    const char* colour_by;  // initial colour: radius (also NULL), partners, x, y, z or a numeric column; for polygons also area, corners; borrowed as well
    int32_t map;            // scree_colour_map
    int32_t background;     // scree_view_background
    double gap;             // partners are nearer than this, surface to surface, or polygons that overlap; NAN: 1e-3 mean diameters of the frame, fixed
                            // bodies left out
    int32_t threads;        // of the search for partners; 0: all cores. The page does not depend on it
    scree_watch watch;      // progress (0..1 for each frame) and stop; zeroed: none
} scree_view_def;

SCREE_DEFAULTS(scree_view_def, scree_default_view_def)

typedef struct scree_view scree_view;

// Opens the target ("-": standard output). `def` may be NULL. ARGUMENT: an invalid option; IO, MEMORY: *out is NULL.
SCREE_API scree_status scree_view_begin(const char* path, const scree_view_def* def, scree_view** out);

// Adds a frame; NAN for a time that is not known. The set is borrowed for the call. A set without a box is shown in its bounds.
// Frames may differ in their number of spheres and in columns, but not in dimension. O(n log n), memory O(n).
// ARGUMENT: a set that scree_spheres_check rejects, a periodic box smaller than a sphere, another dimension than before; IO, MEMORY, CANCELLED. After a
// failure only scree_view_end may be called.
SCREE_API scree_status scree_view_add(scree_view* view, double time, const scree_sphere_set* set);

// The same with polygons, and discs among them, filled by the even-odd rule. Columns `angle` and `fixed` have the meaning of scree_outline_set_copy: a
// shape that only moves and rotates by its angle is stored once for all frames; fixed bodies are shown grey, below the others, and left
// out of the ranges of colours. Bodies may be anywhere: along periodic axes their images in the box are shown. A set without polygons (first = NULL) is
// passed on to scree_view_add. O(n^1.5 + corners) for bodies of similar size. Errors as there, and what scree_outline_set_check rejects.
SCREE_API scree_status scree_view_add_outlines(scree_view* view, double time, const scree_outline_set* set);

// Rods for the frame that is added next, such as force chains (scree_read_forces, scree/film.h); borrowed until then. NULL: none. In periodic boxes rods are cut at the faces,
// and the rest is shown from the opposite face on. Numbers are rounded like the numbers of spheres. ARGUMENT: rods that scree_picture_render rejects.
SCREE_API scree_status scree_view_next_rods(scree_view* view, const scree_rods* rods);

// Translucent triangles for the frame that is added next, such as the surfaces of a run (3D); borrowed until then. NULL: none. Numbers are rounded like the numbers of spheres. ARGUMENT: what
// scree_triangles_check rejects, or more than 5e7 triangles.
SCREE_API scree_status scree_view_next_triangles(scree_view* view, const scree_triangles* triangles);

// Completes the file if `status` and all earlier calls were OK; otherwise removes what was written. Frees the view in any case and returns
// the first failure. ARGUMENT: no frame, or no frame has the column def.colour_by. NULL is fine.
SCREE_API scree_status scree_view_end(scree_view* view, scree_status status);

// All at once: `times` may be NULL. Errors as above.
SCREE_API scree_status scree_write_view(const char* path, int64_t frames, const double* times, const scree_sphere_set* sets,
                                        const scree_view_def* def);

#ifdef __cplusplus
}
#endif
#endif
