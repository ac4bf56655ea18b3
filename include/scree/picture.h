// scree/picture.h: spheres and discs as a picture (library scree_show).
//
// Spheres are drawn solid, lit from the upper left, with soft shadows and darker crevices, so that depth can be read; 2D
// sets as flat discs. The colour shows the radius, or any column of numbers. Force chains can be drawn as rods through the spheres, and walls
// and other surfaces as translucent triangles. The same set and options give the same pixels, byte by byte, for any number of threads.
#ifndef SCREE_PICTURE_H
#define SCREE_PICTURE_H

#include "scree/geom.h"
#include "scree/outlines.h"

#ifdef __cplusplus
extern "C" {
#endif

// Limits of a picture's size, in pixels.
#define SCREE_PICTURE_SIDE_MIN 16
#define SCREE_PICTURE_SIDE_MAX 20000
#define SCREE_PICTURE_PIXELS_MAX 100000000

// Colour maps whose lightness (OKLab) grows in equal steps, so that equal differences look equal.
typedef enum scree_colour_map {
    SCREE_MAP_DUSK = 0,  // violet, blue, green, yellow
    SCREE_MAP_EMBER,     // violet, red, orange, pale yellow
    SCREE_MAP_GREY,
    SCREE_MAP_COUNT
} scree_colour_map;

SCREE_API const char* scree_colour_map_name(scree_colour_map map);  // "dusk"; NULL if there is none
// The colour (sRGB) at t in 0..1; t is clamped, and NaN gives the colour of unknown values. Unknown maps give black.
SCREE_API void scree_colour_map_rgb(scree_colour_map map, double t, uint8_t rgb[3]);

typedef enum scree_colour_scale {
    SCREE_SCALE_AUTO = 0,  // LOG for radii that span a factor of 20 and more, else LINEAR
    SCREE_SCALE_LINEAR,
    SCREE_SCALE_LOG        // values of 0 and below get the colour of unknown values
} scree_colour_scale;

typedef enum scree_background {
    SCREE_BACKGROUND_LIGHT = 0,
    SCREE_BACKGROUND_DARK,
    SCREE_BACKGROUND_NONE,      // transparent; box and letters as on LIGHT
    SCREE_BACKGROUND_COUNT
} scree_background;

// Which periodic images are drawn.
typedef enum scree_picture_images {
    SCREE_IMAGES_NONE = 0,  // the spheres as they are
    SCREE_IMAGES_FACES,     // every image of which a part lies in the box
    SCREE_IMAGES_FILL,      // the same, cut flat at the periodic faces: the box is filled exactly
    SCREE_IMAGES_COUNT
} scree_picture_images;

// How the diameter of a rod follows from its value.
typedef enum scree_rod_scale {
    SCREE_ROD_SQRT = 0,  // as the square root of |value|: the cross-section is proportional to the force
    SCREE_ROD_LINEAR,
    SCREE_ROD_SCALE_COUNT
} scree_rod_scale;

// A translucent surface, such as a mesh: triangles of one colour, of either orientation, borrowed for the call. In the coordinates of the set.
typedef struct scree_veil {
    uint32_t struct_size;           // filled by the default function; lets this struct grow between versions
    int64_t count;
    const double (*corners)[3][3];  // of each; z is ignored in 2D
    uint8_t rgb[3];                 // sRGB; that of walls
    double opacity;                 // 0 .. 1, of a triangle that faces the eye; one that is seen at an angle hides more. 0.3
} scree_veil;

SCREE_DEFAULTS(scree_veil, scree_default_veil)  // none of them

typedef struct scree_picture_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    int32_t width, height; // pixels; 2000 x 1500
    double eye[3];         // direction from the scene to the eye, of any length; 0,0,0: half from above (2D: from +z)
    double up[3];          // what points up in the picture; 0,0,0: z, or y when looking along z
    double perspective;    // angle in degrees under which the scene is seen, 1 .. 120; 0: orthographic; 2D always is
    double distance;       // of the eye from the scene's centre, as a length; 0: by the angle. Perspective only.
                           // Spheres that reach behind the eye are left out
    double zoom;           // 1: the scene fills the picture; 0.01 .. 1000
    const char* colour_by; // radius (also NULL), x, y, z or a numeric column's name (of a vector v its length; v_x, v_y, ...
                           // its components); borrowed
    int32_t map;           // scree_colour_map
    int32_t scale;         // scree_colour_scale
    double range[2];       // values at the two ends of the map; NAN: the smallest and largest finite value there is
    bool cut;              // cut the scene at a plane; what lies on the eye's side of it is taken away
    double cut_normal[3];  // the plane is where cut_normal . x = cut_position; of a scene that it meets edge-on, what lies
    double cut_position;   // where the normal points to is taken away
    int32_t images;        // scree_picture_images; the set must have a box for other than NONE
    int32_t copies;        // whole boxes drawn to each side along periodic axes, 0 .. 10
    int32_t background;    // scree_background
    bool box;              // draw the edges of the set's box, if it has one
    bool bar;              // draw the colour bar (left out in pictures smaller than 240 x 180)
    int32_t samples;       // samples per pixel and direction against jagged edges, 1 .. 4; 2
    int32_t threads;       // 0: all cores. The pixels do not depend on it
    scree_watch watch;     // progress and stop; zeroed: none
    double view[3][2];     // lower and upper end of what fills the picture, by axis; NAN (one is enough): all that is drawn. With the same view pictures of
                           // different sets show each place at the same pixel; what lies outside may be cut off
    const scree_rods* rods;  // NULL: none; borrowed. Without colour_by the spheres are then grey, and the colour bar is that of the rods
    const char* rods_name;   // at their colour bar; NULL: "normal force"; borrowed
    double rods_range[2];    // values at the two ends of their map; NAN: 0, or the smallest value if it is below 0, and the largest
    double rods_width;       // diameter of a rod whose value is the largest in size of the range, as a length; 0: the mean radius of the set. Larger
                             // values are drawn no wider
    int32_t rods_scale;      // scree_rod_scale
    int32_t rods_map;        // scree_colour_map; EMBER
    double opacity;          // of the spheres, 0 .. 1; NAN: 1, and with rods 0.25. What is behind the foremost spheres is hidden by them, except for rods,
                             // triangles and the background, which are seen through them
    double walls;            // opacity of the walls of the set's box or container, 0 .. 1; 0: not drawn. 2D: strips outside of the walls
    const scree_veil* triangles;  // NULL: none; borrowed. Not for outlines
    const char* caption;     // text at the upper left, such as the time; NULL: none; borrowed
} scree_picture_def;

SCREE_DEFAULTS(scree_picture_def, scree_default_picture_def)

// Draws into the caller's width * height * 4 bytes: rows from the top, red, green, blue, alpha, sRGB, alpha not multiplied
// in. `def` may be NULL. The set is borrowed. Time O(n log n + samples), memory O(n + pixels). Thread-safe.
// ARGUMENT: a set that scree_spheres_check rejects, an invalid option, a column that is not there or holds text.
// MEMORY, CANCELLED; the buffer's contents are then of no use.
SCREE_API scree_status scree_picture_render(const scree_sphere_set* set, const scree_picture_def* def, uint8_t* rgba);

// The same as a PNG file; "-" is standard output. Also IO. After a failure the file is as it was before.
SCREE_API scree_status scree_write_picture(const char* path, const scree_sphere_set* set, const scree_picture_def* def);

// ---- Polygons ----------------------------------------------------------------------------------------------------

// Bodies filled, with thin darker edges; fixed ones grey and below the others, then by number; what lies in a notch by the even-odd rule is not
// filled. 4 samples per pixel and direction for each of def->samples, each of the body that it is in. Colours, range, bar, box, background, zoom, images, copies
// and size as scree_picture_render; fixed bodies are left out of the range. Eye, perspective and cut are ARGUMENT. The same pixels for any number of threads.
// Time O(vertices log + samples), memory O(vertices + pixels).
SCREE_API scree_status scree_picture_render_outlines(const scree_outline_set* set, const scree_picture_def* def, uint8_t* rgba);
SCREE_API scree_status scree_write_picture_outlines(const char* path, const scree_outline_set* set, const scree_picture_def* def);  // as PNG

SCREE_API void scree_show_shutdown(void);  // scree_shutdown() for the threads of this library

#ifdef __cplusplus
}
#endif
#endif
