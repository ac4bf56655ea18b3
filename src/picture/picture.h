// The inner side of the picture room: what its files hand to each other.
//
//     set -> stage (stage.c)     the scene around its centre, scaled to radius 1: bounds, box, cutting planes, images
//         -> colours (colour.c)  a number per sphere to a place in a colour map
//         -> lens (lens.c)       from the stage to the picture, and from the stage to the light's depth map
//         -> balls (balls.c)     the spheres that a lens sees, nearest first, sorted into tiles
//         -> raster (raster.c)   one tile: the nearest ball at each sample
//         -> light (light.c)     how much of the sky and of the lamp each pixel sees
//         -> shade (shade.c)     colours, outlines, box edges; samples to pixels
//         -> bar (bar.c, text.c), png.c
//
// Outlines (outlines.c) have a short way of their own, from colours to bar.
//
// Lens space: x to the right, y up, z away from the eye, all in stage units, the stage's centre at 0.
#ifndef SCREE_PICTURE_PICTURE_H
#define SCREE_PICTURE_PICTURE_H

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

// The range of images of sphere i along axis k: shifts from[k] .. to[k] box lengths. How many there are in all.
double scree_stage_shifts(const stage* s, int64_t i, double from[3], double to[3]);

// ---- Lenses ------------------------------------------------------------------------------------------------------
typedef struct lens {
    double axis[3][3];         // right, up, away from the eye
    double eye;                // 0: orthographic; else how far the eye is in front of the centre
    double left, top, pitch;   // (u, v) of the upper left corner and the side of a pixel; u = x, or x / (z + eye)
    int32_t width, height;     // pixels
    int plane_count;
    double plane[most_planes][4];  // those of the stage, in lens space
} lens;

// Looks at the stage so that it fills width x height but for a margin; `reserved` pixels at the right stay free.
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

// ---- Balls -------------------------------------------------------------------------------------------------------
enum { tile_side = 64 };  // pixels

typedef struct ball {
    double x, y, z, r;  // lens space
} ball;

typedef struct balls {
    int32_t count;       // at most INT32_MAX - 1
    ball* ball;          // nearest first
    int32_t* source;     // which sphere of the set
    int32_t tiles_x, tiles_y;
    int64_t* first;      // tiles + 1: where the tile's entries begin
    int32_t* entry;      // balls of each tile, nearest first
    int32_t large_count;
    int32_t* large;      // balls over so many tiles that each tile looks at them by itself, nearest first
} balls;

scree_status scree_balls_make(const stage* s, const lens* l, balls* out);
void scree_balls_free(balls* b);

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

typedef struct palette {
    uint8_t paper[3], ink[3], line[3];  // background, letters, box edges
    bool transparent;
} palette;

palette scree_palette_of(int32_t background);
double scree_srgb_linear(double c);   // 0..1 to linear light
double scree_srgb_encode(double c);   // and back

// ---- Shade -------------------------------------------------------------------------------------------------------
scree_status scree_shade(const stage* s, const lens* l, const balls* b, const light* li, const colours* c,
                         const scree_picture_def* def, const palette* p, const scree_watch* watch, uint8_t* rgba);

// ---- Bar and text ------------------------------------------------------------------------------------------------
typedef struct canvas {
    int32_t width, height;
    uint8_t* rgba;
} canvas;

void scree_blend(canvas* c, int32_t x, int32_t y, const uint8_t rgb[3], double cover);
void scree_line_draw(canvas* c, const double from[2], const double to[2], double width, const uint8_t rgb[3]);  // round ends

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
} bar;

bar scree_bar_plan(const scree_picture_def* def, const colours* c);
void scree_bar_draw(const bar* b, const colours* c, const palette* p, canvas* to);

// ---- The doors ---------------------------------------------------------------------------------------------------
// Copies what is given over the defaults and looks at all of it. ARGUMENT.
scree_status scree_picture_settle(const scree_sphere_set* set, const scree_picture_def* given, scree_picture_def* def);

// Writes the pixels of a settled def; the last tenth of its progress.
scree_status scree_picture_save(const char* path, const scree_picture_def* def, const uint8_t* rgba);

// ---- PNG ---------------------------------------------------------------------------------------------------------
scree_status scree_png_write(const char* path, int32_t width, int32_t height, bool alpha, const uint8_t* rgba,
                             scree_watch watch);

// The same bytes in memory; free them with scree_free. MEMORY: nothing is there.
scree_status scree_png_make(int32_t width, int32_t height, bool alpha, const uint8_t* rgba, uint8_t** bytes, int64_t* count);

#endif
