// The inner side of the picture room: what its files hand to each other.
//
//     set -> stage (stage.c)     the scene around its centre, scaled to radius 1: bounds, box, cutting planes, images
//         -> colours (colour.c)  a number per sphere to a place in a colour map
//         -> lens (lens.c)       from the stage to the picture, and from the stage to the light's depth map
//         -> balls (balls.c)     the spheres that a lens sees, nearest first, sorted into tiles (tiles.c)
//         -> raster (raster.c)   one tile: the nearest ball at each sample
//         -> light (light.c)     how much of the sky and of the lamp each pixel sees
//         -> rods (rods.c)       force chains, veils (veils.c) translucent triangles; each sorted into tiles as balls are
//         -> shade (shade.c)     colours, outlines, box edges; samples to pixels
//         -> bar (bar.c, text.c), png.c
//
// Outlines (outlines.c) have a short way of their own, from colours to bar.
// Films (film.c) are pictures in a row, to an animated PNG (apng.c), to ffmpeg (ffmpeg.c) or to numbered files.
//
// Lens space: x to the right, y up, z away from the eye, all in stage units, the stage's centre at 0.
#ifndef SCREE_PICTURE_PICTURE_H
#define SCREE_PICTURE_PICTURE_H

#include "scree/outlines.h"
#include "scree/picture.h"

#include "base/parallel.h"

// ---- The stage ---------------------------------------------------------------------------------------------------
enum { most_planes = 7 };

typedef struct stage {
    const scree_sphere_set* set;
    int32_t images, copies;
    double centre[3];          // in the set's coordinates
    double unit;               // stage length = length * unit
    double half[3];            // half sides of what must be in the picture
    double radius;             // of the sphere about it: 1, or less where a view shows a part
    bool has_box;
    double lower[3], upper[3]; // the box, on the stage; it bounds set->container
    int plane_count;
    double plane[most_planes][4];  // kept is n . x <= p; n of length 1, then p
} stage;

bool scree_picture_has_view(const scree_picture_def* def, int dim);

// The spheres are checked, the def is not yet. `cut` is turned towards the eye later (scree_stage_cut).
scree_status scree_stage_make(const scree_sphere_set* set, const scree_picture_def* def, stage* out);

// The range of images of sphere i along axis k: shifts from[k] .. to[k] box lengths. How many there are in total.
double scree_stage_shifts(const stage* s, int64_t i, double from[3], double to[3]);

// ---- Lenses ------------------------------------------------------------------------------------------------------
typedef struct lens {
    double axis[3][3];         // right, up, away from the eye
    double eye;                // 0: orthographic; else how far the eye is in front of the centre
    double left, top, pitch;   // (u, v) of the upper left corner and the side of a pixel; u = x, or x / (z + eye)
    int32_t width, height;     // pixels
    int plane_count;
    double plane[most_planes][4];  // planes of the stage, in lens space
} lens;

// Looks at the stage so that it fills width x height except for a margin; `reserved` pixels at the right stay free.
scree_status scree_lens_aim(stage* s, const scree_picture_def* def, int32_t reserved, lens* out);

// A lens in the direction `lamp` (unit length, in the space of `view`, towards the lamp) over what `view` shows.
lens scree_lens_of_lamp(const stage* s, const lens* view, const double lamp[3], int32_t side);

void scree_lens_turn(const lens* l, const double on_stage[3], double out[3]);  // stage to lens space
static inline double scree_lens_depth(const lens* l, double z)                 // what u and v are multiplied with at z
{
    return l->eye > 0.0 ? z + l->eye : 1.0;
}

// The part of the ray at (u, v) that the planes keep: z from *enter to *leave, empty if enter > leave; `plane` is the one
// that it enters through, -1 if none.
void scree_lens_keep(const lens* l, double u, double v, double* enter, double* leave, int* plane);

// ---- Tiles -------------------------------------------------------------------------------------------------------
enum { tile_side = 64 };  // pixels

// Which things each tile of the picture has to draw, in the order of their numbers.
typedef struct tile_lists {
    int32_t tiles_x, tiles_y;
    int64_t* first;      // tiles + 1: where the tile's entries begin
    int32_t* entry;
    int32_t large_count;
    int32_t* large;      // things over so many tiles that each tile looks at them by itself
} tile_lists;

// The rectangle (x0, y0, x1, y1) in pixels that thing n covers; false: none.
typedef bool (*tile_bounds)(const void* context, int32_t n, double rect[4]);

scree_status scree_tile_lists_make(const lens* l, int32_t count, tile_bounds bounds, const void* context, tile_lists* out);
void scree_tile_lists_free(tile_lists* lists);
bool scree_tile_range(const lens* l, const double rect[4], int32_t range[4]);  // tiles from (0, 1) to (2, 3), both included; false: none

typedef struct tile_walk {
    int64_t own;
    int32_t large;
} tile_walk;

static inline tile_walk scree_tile_begin(const tile_lists* lists, int64_t index)
{
    return (tile_walk){.own = lists->first[index]};
}

// The next thing of tile `index`: two lists in one order, the tile's own and the large things. -1: no more.
static inline int32_t scree_tile_next(const tile_lists* lists, int64_t index, tile_walk* at)
{
    bool own = at->own < lists->first[index + 1], large = at->large < lists->large_count;
    if (!own && !large)
        return -1;
    if (own && !(large && lists->large[at->large] < lists->entry[at->own]))
        return lists->entry[at->own++];
    return lists->large[at->large++];
}

// ---- Balls -------------------------------------------------------------------------------------------------------
typedef struct ball {
    double x, y, z, r;  // lens space
} ball;

typedef struct balls {
    int32_t count;       // at most INT32_MAX - 1
    ball* ball;          // nearest first
    int32_t* source;     // which sphere of the set
    int32_t tiles_x, tiles_y;
    tile_lists in;       // nearest first
} balls;

scree_status scree_balls_make(const stage* s, const lens* l, const scree_watch* watch, balls* out);
void scree_balls_free(balls* b);

int64_t scree_depth_key(double z);  // whose order is that of z as a float

// The rectangle of the picture that a ball covers, in pixels; false if it reaches behind the eye.
bool scree_ball_bounds(const lens* l, const ball* b, double rect[4]);  // x0, y0, x1, y1

// ---- Raster ------------------------------------------------------------------------------------------------------
// Which ball a sample shows: its number; ~number where a plane cuts the ball; nothing.
#define NO_BALL INT32_MIN

typedef struct tile {
    double left, top, pitch;  // of its samples
    int32_t nx, ny;           // samples; rows are nx long
    float* z;                 // INFINITY: nothing
    int32_t* id;
    float *enter, *leave;     // by the planes
    int32_t* open;            // per block: samples that show nothing yet
    float* far;               // per block without open samples: the farthest z
} tile;

scree_status scree_tile_make(int32_t side, tile* out);  // side: samples
void scree_tile_free(tile* t);

// The tile number `index` of the picture, at samples x samples per pixel. `flat`: discs.
void scree_tile_draw(tile* t, const lens* l, const balls* b, int64_t index, int32_t samples, bool flat);

// Balls smaller than a sample are drawn as large as one, so that no sphere is lost between the samples.
static inline double scree_ball_drawn(const lens* l, const ball* b, double pitch)
{
    double least = 0.71 * pitch * scree_lens_depth(l, b->z);
    return b->r > least ? b->r : least;
}

// Tiles for the threads to work in: taken and given back, so that nothing is allocated inside.
typedef struct tile_pool {
    int32_t count;
    tile* tiles;
    _Atomic bool* taken;
} tile_pool;

scree_status scree_pool_make(int32_t threads, int32_t side, tile_pool* out);
void scree_pool_free(tile_pool* pool);
tile* scree_pool_take(tile_pool* pool);
void scree_pool_give(tile_pool* pool, tile* t);

// ---- Light -------------------------------------------------------------------------------------------------------
typedef struct light {
    double lamp[3];   // towards the lamp, lens space
    float* z;         // per pixel
    int32_t* id;
    uint8_t (*seen)[2];  // per pixel: how much of the sky (ambient occlusion) and of the lamp (shadow), 0 .. 255
} light;

// A part of the whole for the watch.
typedef struct phase {
    scree_watch user;
    double from, to;
    scree_watch watch;  // to hand on
} phase;

void scree_phase_begin(phase* p, double to);  // from where the last one ended

scree_status scree_light_make(const stage* s, const lens* view, const balls* b, int32_t threads, phase* p, light* out);
void scree_light_free(light* li);

// ---- Colour ------------------------------------------------------------------------------------------------------
enum { colour_steps = 1024 };  // of a map; one more for unknown values

typedef struct colours {
    uint16_t* step;             // per sphere: 0 .. colour_steps
    float rgb[colour_steps + 1][3];  // linear light
    char name[64];              // of what is shown
    double low, high;           // the range
    bool log;
    bool constant;              // low = high: one colour
    bool empty;                 // no value to show
} colours;

// `left_out` (may be NULL): spheres that do not count for the range.
scree_status scree_colours_make(const scree_sphere_set* set, const scree_picture_def* def, const uint8_t* left_out, colours* out);
void scree_colours_free(colours* c);

// The bounds of all that scree_picture_render draws of a set, in its coordinates. `def` is settled. ARGUMENT.
scree_status scree_stage_bounds(const scree_sphere_set* set, const scree_picture_def* def, double lower[3], double upper[3]);

// The same of outlines: fixed bodies do not count for the range.
scree_status scree_outlines_bounds(const scree_outline_set* set, const scree_picture_def* def, double lower[3], double upper[3]);
scree_status scree_outlines_colours(const scree_outline_set* set, const scree_picture_def* def, colours* out);

typedef struct palette {
    uint8_t paper[3], ink[3], line[3];  // background, letters, box edges
    bool transparent;
} palette;

palette scree_palette_of(int32_t background);
double scree_srgb_linear(double c);   // 0..1 to linear light
double scree_srgb_encode(double c);   // and back

// The colours of def->rods: one step for each, in `step`. `rods` must be there.
scree_status scree_colours_of_rods(const scree_picture_def* def, colours* out);

// ---- Rods --------------------------------------------------------------------------------------------------------
// A rod as it is drawn: a cylinder with round ends, in lens space.
typedef struct rod {
    double a[3], axis[3], length, r;  // from a along the axis (of length 1)
    int32_t source;                   // which of def->rods
} rod;

typedef struct rod_list {
    int32_t count;
    rod* rod;
    lens lens;        // that of the picture, with planes at the faces of the box and at the cut: what is beyond is not drawn
    tile_lists in;
} rod_list;

scree_status scree_rods_check(const scree_picture_def* def, int dim);  // ARGUMENT
double scree_rods_widest(const scree_sphere_set* set, const scree_picture_def* def);  // diameter that belongs to the largest value, as a length
double scree_rod_width(const scree_picture_def* def, const colours* c, double widest, int64_t n);
scree_status scree_rods_draw_list(const stage* s, const lens* l, const scree_picture_def* def, const colours* c, rod_list* out);
void scree_rods_forget(rod_list* all);

// Where the ray of a sample meets a rod first, between the planes; `n` is the normal there. False: nowhere.
bool scree_rod_meet(const lens* l, const rod* one, double least, double u, double v, double* z, double n[3]);
bool scree_rod_bounds(const lens* l, const rod* one, double rect[4]);

// The strip of the picture that holds a rod: nearer than *reach to the line between two places, in pixels. False if it reaches behind the eye.
bool scree_rod_strip(const lens* l, const rod* one, double from[2], double to[2], double* reach);
double scree_rod_nearest(const rod* one);  // a z that nothing of it is before

// ---- Veils -------------------------------------------------------------------------------------------------------
// Translucent triangles. What several of them do to a sample does not depend on their order.
typedef struct veil {
    double u[3], v[3];  // corners in the picture
    double q[3];        // orthographic: z; else 1 / depth, which is even along the triangle
    float rgb[3];       // linear light
    float opacity;      // for a ray that meets it at this angle
} veil;

typedef struct veils {
    int32_t count, capacity;
    veil* veil;
    tile_lists in;
} veils;

// The walls of the stage's container, if def asks for them, and def->triangles.
scree_status scree_veils_make(const stage* s, const lens* l, const scree_picture_def* def, veils* out);
void scree_veils_free(veils* all);
bool scree_veil_bounds(const lens* l, const veil* one, double rect[4]);
bool scree_veil_meet(const lens* l, const veil* one, double u, double v, double* z);  // z where the ray passes; an edge that two share is of one of them

// ---- Shade -------------------------------------------------------------------------------------------------------
// What is drawn beside balls; parts may be NULL.
typedef struct extras {
    const rod_list* rods;
    const colours* rod_colours;
    const veils* veils;
    double opacity;  // of the balls
} extras;

scree_status scree_shade(const stage* s, const lens* l, const balls* b, const light* li, const colours* c, const extras* more,
                         const scree_picture_def* def, const palette* p, const scree_watch* watch, uint8_t* rgba);

// ---- Bar and text ------------------------------------------------------------------------------------------------
typedef struct canvas {
    int32_t width, height;
    uint8_t* rgba;
} canvas;

void scree_blend(canvas* c, int32_t x, int32_t y, const uint8_t rgb[3], double cover);
void scree_line_draw(canvas* c, const double from[2], const double to[2], double width, const uint8_t rgb[3]);  // round ends
// The same inside of a rectangle (x0, y0, x1, y1) only.
void scree_line_draw_in(canvas* c, const double from[2], const double to[2], double width, const double clip[4], const uint8_t rgb[3]);

// Text with its left end at x and its baseline at y; `size` is the height of capitals in pixels.
double scree_text_width(const char* text, double size);
void scree_text_draw(canvas* c, const char* text, double x, double y, double size, const uint8_t rgb[3]);

enum { most_ticks = 12, most_minor = 96 };

typedef struct ticks {
    double low, high;       // the ends of the scale; low < high
    bool log;
    int count;
    double at[most_ticks];  // place on the scale, 0 .. 1
    char label[most_ticks][40];
    int minor_count;        // ticks without a label: 2 .. 9 of each decade; on a linear scale fifths or quarters, unless ticks are whole numbers in sequence
    double minor[most_minor];
} ticks;

ticks scree_ticks_make(double low, double high, bool log);
void scree_ticks_add_ends(ticks* t, double closest);  // unless a tick is as close as this

typedef struct bar {
    bool drawn;
    double size;            // of the letters
    int32_t reserved;       // pixels at the right of the picture
    char title[72];
    ticks ticks;
    double top, bottom;     // of the coloured strip, as shares of the picture's height
} bar;

// The bars of a picture: of bodies, of rods, or of both, one above the other. `rod_colours` may be NULL.
typedef struct bar_pair {
    int count;
    bar bar[2];
    const colours* colours[2];
    int32_t reserved;
} bar_pair;

bar_pair scree_bars_plan(const scree_picture_def* def, const colours* c, const colours* rod_colours);
void scree_bars_draw(const bar_pair* b, const scree_picture_def* def, const palette* p, uint8_t* rgba);  // and the caption

// ---- Public calls ------------------------------------------------------------------------------------------------
// Copies what is given over the defaults and looks at all of it. ARGUMENT.
scree_status scree_picture_settle(const scree_sphere_set* set, const scree_picture_def* given, scree_picture_def* def);

// Writes the pixels of a settled def; the last tenth of its progress.
scree_status scree_picture_save(const char* path, const scree_picture_def* def, const uint8_t* rgba);
// Pixels for scree_picture_save of a settled def: `render` draws `set`, spheres or outlines, in the first nine tenths of the progress.
scree_status scree_picture_draw_and_save(const char* path, const scree_picture_def* def, const void* set, scree_status (*render)(const void* set, const scree_picture_def* def, double until, uint8_t* rgba));

// ---- PNG ---------------------------------------------------------------------------------------------------------
scree_status scree_png_write(const char* path, int32_t width, int32_t height, bool alpha, const uint8_t* rgba,
                             scree_watch watch);

// The same bytes in memory; free them with scree_free. MEMORY: nothing is there.
scree_status scree_png_make(int32_t width, int32_t height, bool alpha, const uint8_t* rgba, uint8_t** bytes, int64_t* count);

#endif
