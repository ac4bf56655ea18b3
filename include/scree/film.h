// scree/film.h: series of pictures as a film (library scree_show).
//
//     scree_film_def def = scree_default_film_def();
//     def.width = 640, def.height = 480, def.frames = count;
//     scree_film* film;
//     scree_status status = scree_film_begin("film.png", &def, &film);
//     for (int64_t f = 0; f < count && status == SCREE_OK; ++f) {
//         status = scree_picture_render(&set[f], &look, rgba);
//         if (status == SCREE_OK)
//             status = scree_film_add(film, rgba);
//     }
//     status = scree_film_end(film, status);                        // the file appears now
//
// The name decides what is written: an animated PNG (.png, .apng), a folder of numbered pictures (a name that ends in '/'), or a video by the program ffmpeg
// (.mp4, .mkv, .mov, .webm), which must be installed. The same pictures give the same bytes of PNG.
#ifndef SCREE_FILM_H
#define SCREE_FILM_H

#include "scree/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_film_kind {
    SCREE_FILM_UNKNOWN = 0,
    SCREE_FILM_PNG,     // animated: browsers play it, other programs show its first picture
    SCREE_FILM_SERIES,  // picture_000000.png, ... in a folder
    SCREE_FILM_VIDEO    // by ffmpeg
} scree_film_kind;

SCREE_API scree_film_kind scree_film_kind_of_path(const char* path);  // by its end; UNKNOWN also for NULL
SCREE_API bool scree_film_has_ffmpeg(void);                           // whether there is such a program on the PATH

typedef struct scree_film_def {
    uint32_t struct_size;   // filled by the default function; lets this struct grow between versions
    int32_t width, height;  // of all pictures, in pixels; within the limits of pictures
    int64_t frames;         // how many pictures will be added, 1 or more
    double fps;             // pictures per second, 0.01 to 1000; 25
    bool alpha;             // keep the transparency of pictures; videos have none and are shown on white
    scree_watch watch;      // stop, and 0..1 for each picture; zeroed: none
} scree_film_def;

SCREE_DEFAULTS(scree_film_def, scree_default_film_def)

typedef struct scree_film scree_film;

// Opens the target; "-" is an animated PNG on standard output. An existing file is replaced by scree_film_end. ARGUMENT: a name of unknown kind, an invalid option;
// IO: also an existing folder that is not empty; UNSUPPORTED: a video without ffmpeg; MEMORY.
SCREE_API scree_status scree_film_begin(const char* path, const scree_film_def* def, scree_film** out);

// Adds a picture: width * height * 4 bytes as written by scree_picture_render, borrowed for the call. ARGUMENT: more than def.frames; IO: also if ffmpeg fails, with
// its last line; MEMORY, CANCELLED. After a failure only scree_film_end may be called.
SCREE_API scree_status scree_film_add(scree_film* film, const uint8_t* rgba);

// Completes the film if `status` and all earlier calls were OK; otherwise removes what was written. Frees it in any case and returns the first failure. ARGUMENT: fewer
// pictures than def.frames. NULL is fine.
SCREE_API scree_status scree_film_end(scree_film* film, scree_status status);

// The extent and the ranges of all pictures of a film, for a constant camera and constant colours. Begin with {0}, call scree_film_measure for every set, and copy `view`, `range` and
// `rods_range` into the def of the pictures.
typedef struct scree_film_extent {
    int64_t sets;           // so far
    double view[3][2];      // of all that is drawn
    double range[2];        // of the values that colours show; NAN: there are none
    double rods_range[2];   // the same of def->rods, from 0 or below; NAN: there are none
} scree_film_extent;

// ARGUMENT: what scree_picture_render rejects; MEMORY. O(n).
SCREE_API scree_status scree_film_measure(const scree_outline_set* set, const scree_picture_def* def, scree_film_extent* extent);

#ifdef __cplusplus
}
#endif
#endif
