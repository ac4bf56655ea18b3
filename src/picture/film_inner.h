// Films: what the public calls (film.c) and the writers (apng.c, ffmpeg.c, series.c) share.
#ifndef SCREE_PICTURE_FILM_INNER_H
#define SCREE_PICTURE_FILM_INNER_H

#include "scree/film.h"

#include "files/output.h"

#include <stdio.h>
#include <sys/types.h>

struct scree_film {
    scree_film_def def;
    scree_film_kind kind;
    scree_status status;
    int64_t added;
    char* path;            // as given, owned
    scree_output output;   // PNG and video
    uint8_t* before;       // PNG: the last picture
    uint8_t* part;         // PNG: what of a picture has changed; video: a picture as ffmpeg takes it
    uint32_t sequence;     // PNG: number of the next chunk of the animation
    pid_t ffmpeg;          // video; 0: none
    int feed;              // where its pictures go
    FILE* words;           // what it prints
    char* folder;          // series: where the pictures are until the end
};

typedef struct film_writer {
    scree_status (*begin)(scree_film* film);
    scree_status (*add)(scree_film* film, const uint8_t* rgba);
    scree_status (*end)(scree_film* film, scree_status status);  // also after a failed begin: frees what is there
} film_writer;

extern const film_writer film_png, film_video, film_series;

#endif
