// Films as videos, by the program ffmpeg. It reads raw pictures from its standard input and writes a file that scree_output has made beside the target; the file
// takes the target's name when ffmpeg has ended well.
//
//     pictures -> socket -> ffmpeg -> .name.PID.N.tmp -> rename
//                           its messages -> a file without a name
//
// A socket in place of a pipe: sending to a program that has ended is then an error, not a signal, also in programs that do not ignore SIGPIPE. The messages
// go to a file, so that a talkative ffmpeg never waits for us; its last line is in our error. It is in a process group of its own: Ctrl-C reaches scree alone, which
// then ends ffmpeg and leaves nothing. Sides are made even, as the usual pixel format of videos needs it, by repeating the last row and column.
#include "picture/film_inner.h"

#include "base/number.h"
#include "files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

bool scree_film_has_ffmpeg(void)
{
    const char* path = getenv("PATH");
    char name[4096];
    for (const char* from = path != NULL ? path : ""; *from != '\0';) {
        size_t length = strcspn(from, ":");
        if (length > 0 && (size_t)snprintf(name, sizeof name, "%.*s/ffmpeg", (int)(length < 4000 ? length : 4000), from) < sizeof name && access(name, X_OK) == 0)
            return true;
        from += length + (from[length] == ':');
    }
    return false;
}

// The last line that ffmpeg has printed.
static void last_words(FILE* words, char line[256])
{
    char text[2048];
    long size = fseek(words, 0, SEEK_END) == 0 ? ftell(words) : 0;
    long from = size > (long)sizeof text - 1 ? size - ((long)sizeof text - 1) : 0;
    size_t got = fseek(words, from, SEEK_SET) == 0 ? fread(text, 1, sizeof text - 1, words) : 0;
    while (got > 0 && (unsigned char)text[got - 1] <= ' ')
        --got;
    size_t begin = got;
    while (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '\r')
        --begin;
    size_t used = 0;
    for (size_t k = begin; k < got && used < 200; ++k)
        line[used++] = (unsigned char)text[k] < ' ' || text[k] == 127 ? '?' : text[k];
    line[used] = '\0';
}

// Waits for its end. Stopped on request: it is killed.
static scree_status await(scree_film* film, bool kill_it)
{
    int how = 0;
    scree_status status = SCREE_OK;
    if (film->feed >= 0)
        close(film->feed);  // it now knows that there are no more pictures
    film->feed = -1;
    if (kill_it)
        kill(film->ffmpeg, SIGKILL);
    while (waitpid(film->ffmpeg, &how, 0) < 0 && errno == EINTR)
        if (status == SCREE_OK && !kill_it) {
            status = scree_watch_ask(film->def.watch, 1.0, film->path, "writing");
            if (status != SCREE_OK)
                kill(film->ffmpeg, SIGKILL);
        }
    film->ffmpeg = 0;
    if (status != SCREE_OK || kill_it || (WIFEXITED(how) && WEXITSTATUS(how) == 0))
        return status;
    char line[256];
    last_words(film->words, line);
    int code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    return scree_fail(SCREE_ERR_IO, "%s: ffmpeg failed (exit code %d; expected 0): %s", film->path, code, line[0] != '\0' ? line : "it printed nothing");
}

static const char* format_of(const char* path)
{
    const char* dot = strrchr(path, '.');
    static const char* const known[][2] = {{"mkv", "matroska"}, {"mov", "mov"}, {"webm", "webm"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
        if (dot != NULL && (dot[1] | 32) == known[k][0][0] && (dot[2] | 32) == known[k][0][1] && (dot[3] | 32) == known[k][0][2])
            return known[k][1];
    return "mp4";
}

static int32_t even(int32_t side)
{
    return side + side % 2;
}

static scree_status spawn(scree_film* film, int input)
{
    char size[32], rate[32], *target = scree_malloc(strlen(film->output.temporary) + 8, 1);
    if (target == NULL)
        return SCREE_ERR_MEMORY;
    strcpy(target, "file:");  // so that no name is taken for an option or a protocol
    strcat(target, film->output.temporary);
    snprintf(size, sizeof size, "%dx%d", (int)even(film->def.width), (int)even(film->def.height));
    scree_number_format(rate, film->def.fps);
    const char* arguments[] = {"ffmpeg", "-nostdin", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", size, "-framerate", rate, "-i", "pipe:0",
                               "-an", "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",  // named, for players guess otherwise
                               "-pix_fmt", "yuv420p", "-f", format_of(film->path), target, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t about;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    int error = posix_spawn_file_actions_init(&files);
    if (error == 0 && (error = posix_spawnattr_init(&about)) == 0) {
        posix_spawnattr_setflags(&about, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setpgroup(&about, 0);
        posix_spawnattr_setsigdefault(&about, &usual);
        posix_spawn_file_actions_adddup2(&files, input, 0);
        posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&files, fileno(film->words), 2);
        error = posix_spawnp(&film->ffmpeg, "ffmpeg", &files, &about, (char* const*)(uintptr_t)arguments, environ);
        posix_spawnattr_destroy(&about);
        posix_spawn_file_actions_destroy(&files);
    }
    scree_free(target);
    return error == 0 ? SCREE_OK : scree_system_fail(film->path, "cannot start ffmpeg", error);
}

static void free_all(scree_film* film)
{
    if (film->feed >= 0)
        close(film->feed);
    if (film->words != NULL)
        fclose(film->words);
    scree_free(film->part);
}

static scree_status begin(scree_film* film)
{
    if (!scree_film_has_ffmpeg())
        return scree_fail(SCREE_ERR_UNSUPPORTED, "%s: videos are written by ffmpeg, which is not installed; expected ffmpeg, or a name in .png (animated PNG) or '/' (a folder of pictures)",
                          film->path);
    film->part = scree_malloc((size_t)even(film->def.width) * (size_t)even(film->def.height), 3);
    if (film->part == NULL)
        return SCREE_ERR_MEMORY;
    scree_status status = scree_output_open(&film->output, film->path, film->def.watch);
    if (status != SCREE_OK) {
        free_all(film);
        return status;
    }
    int ends[2] = {-1, -1};
    if (film->output.temporary == NULL)
        status = scree_fail(SCREE_ERR_UNSUPPORTED, "%s: this is not a regular file; expected one for a video", film->path);
    else if (film->words = tmpfile(), film->words == NULL)
        status = scree_system_fail(film->path, "cannot create a temporary file for the output of ffmpeg", errno);
    else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        status = scree_system_fail(film->path, "cannot open a pipe to ffmpeg", errno);
    else
        status = spawn(film, ends[1]);
    if (ends[1] >= 0)
        close(ends[1]);
    film->feed = ends[0];
    if (status != SCREE_OK) {
        free_all(film);
        status = scree_output_close(&film->output, status);
    }
    return status;
}

// On white, without alpha, with even sides.
static void flatten(const scree_film* film, const uint8_t* rgba)
{
    int32_t wide = even(film->def.width), tall = even(film->def.height);
    uint8_t* to = film->part;
    for (int32_t y = 0; y < tall; ++y)
        for (int32_t x = 0; x < wide; ++x) {
            int32_t from_x = x < film->def.width ? x : film->def.width - 1, from_y = y < film->def.height ? y : film->def.height - 1;
            const uint8_t* p = &rgba[4 * ((size_t)from_y * (size_t)film->def.width + (size_t)from_x)];
            for (int c = 0; c < 3; ++c)
                *to++ = (uint8_t)((p[c] * p[3] + 255 * (255 - p[3]) + 127) / 255);
        }
}

static scree_status add(scree_film* film, const uint8_t* rgba)
{
    flatten(film, rgba);
    const uint8_t* from = film->part;
    size_t left = 3 * (size_t)even(film->def.width) * (size_t)even(film->def.height);
    while (left > 0) {
        ssize_t sent = send(film->feed, from, left < 1 << 18 ? left : 1 << 18, MSG_NOSIGNAL);
        if (sent >= 0) {
            from += sent;
            left -= (size_t)sent;
            continue;
        }
        if (errno != EINTR) {  // it has ended: its own words are better than ours
            scree_status status = await(film, false);
            return status != SCREE_OK ? status : scree_fail(SCREE_ERR_IO, "%s: ffmpeg ended too early; expected it to run until the last picture", film->path);
        }
        scree_status status = scree_watch_ask(film->def.watch, 0.0, film->path, "writing");
        if (status != SCREE_OK)
            return status;
    }
    return SCREE_OK;
}

static scree_status end(scree_film* film, scree_status status)
{
    if (film->ffmpeg != 0) {
        scree_status ended = await(film, status != SCREE_OK);
        status = status == SCREE_OK ? ended : status;
    }
    free_all(film);
    return scree_output_close(&film->output, status);
}

const film_writer film_video = {.begin = begin, .add = add, .end = end};
