// One buffer, refilled in large blocks. The bytes of the current line stay in it; before each refill they move to its
// front, and only when a line is longer than the buffer does it grow, by half, so a line of n bytes costs O(n):
//
//     | given out before | current line so far ............ | room |
//     0                  start          (next)         filled   capacity
//
// Memory goes through the same code as files, in blocks as small as the caller likes: this is how tests let every
// block boundary fall on every byte.
#include "files/input.h"

#include "base/array.h"
#include "files/crc64.h"
#include "files/system.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((int64_t)1 << 20)

static scree_status ask(const scree_input* input)
{
    double done = input->size > 0 ? (double)input->fetched / (double)input->size : 0.0;
    return scree_watch_ask(input->watch, done < 1.0 ? done : 1.0, input->name, "reading");
}

scree_status scree_input_open(scree_input* input, const char* path, scree_watch watch)
{
    bool standard = strcmp(path, "-") == 0;
    *input = (scree_input){.name = standard ? "standard input" : path, .fd = -1, .block = BLOCK, .watch = watch};
    int fd = STDIN_FILENO;
    if (!standard) {
        while ((fd = scree_open(path, O_RDONLY | O_NOCTTY, 0)) < 0 && errno == EINTR) {  // a FIFO without a writer
            scree_status status = ask(input);
            if (status != SCREE_OK)
                return status;
        }
        if (fd < 0)
            return scree_system_fail(input->name, "cannot open", errno);
    }
    struct stat about;
    int error = fstat(fd, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (error != 0) {
        if (!standard)
            close(fd);
        return scree_system_fail(input->name, "cannot read", error);
    }
    if (S_ISREG(about.st_mode)) {
        off_t at = lseek(fd, 0, SEEK_CUR);  // standard input may have been read from before
        input->size = at >= 0 && about.st_size > at ? (int64_t)(about.st_size - at) : 0;
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    input->fd = fd;
    return SCREE_OK;
}

void scree_input_memory(scree_input* input, const char* name, const char* bytes, int64_t size, int64_t block)
{
    *input = (scree_input){.name = name, .fd = -1, .memory = bytes, .memory_left = size, .size = size, .block = block};
}

void scree_input_close(scree_input* input)
{
    if (input->fd >= 0 && input->fd != STDIN_FILENO)
        close(input->fd);
    input->fd = -1;
    scree_free(input->buffer);
    input->buffer = NULL;
    input->capacity = input->start = input->next = input->filled = 0;
}

// Up to `wanted` bytes, at least one unless the end is there (0).
static scree_status fetch(scree_input* input, char* to, int64_t wanted, int64_t* got)
{
    if (input->fd < 0) {
        *got = wanted < input->memory_left ? wanted : input->memory_left;
        if (*got > 0)
            memcpy(to, input->memory, (size_t)*got);
        input->memory += *got;
        input->memory_left -= *got;
        return SCREE_OK;
    }
    for (;;) {
        ssize_t bytes = read(input->fd, to, (size_t)wanted);
        if (bytes >= 0) {
            *got = (int64_t)bytes;
            return SCREE_OK;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {  // someone made standard input non-blocking
            struct pollfd ready = {.fd = input->fd, .events = POLLIN};
            (void)poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return scree_system_fail(input->name, "cannot read", errno);
        }
        scree_status status = ask(input);
        if (status != SCREE_OK)
            return status;
    }
}

static scree_status refill(scree_input* input)
{
    scree_status status = ask(input);
    if (status != SCREE_OK)
        return status;
    if (input->start > 0) {
        memmove(input->buffer, input->buffer + input->start, (size_t)(input->filled - input->start));
        input->next -= input->start;
        input->filled -= input->start;
        input->start = 0;
    }
    status = SCREE_RESERVE(input->buffer, input->capacity, input->filled + input->block);
    if (status != SCREE_OK)
        return status;
    int64_t got = 0;
    status = fetch(input, input->buffer + input->filled, input->block, &got);
    if (status != SCREE_OK)
        return status;
    if (input->summed)
        input->sum = scree_crc64_more(input->sum, input->buffer + input->filled, (size_t)got);
    input->filled += got;
    input->fetched += got;
    input->ended = got == 0;
    return SCREE_OK;
}

// Finds the end of the line whose unsearched part begins at `next`; afterwards `next` is behind it. `stop` counts from
// `start`. If there is not one byte more, *more = false.
static scree_status find_end(scree_input* input, int64_t* stop, bool* more)
{
    int64_t searched = input->next - input->start;
    for (;;) {
        int64_t have = input->filled - input->start;
        char* from = input->buffer == NULL ? NULL : input->buffer + input->start + searched;
        char* newline = have > searched ? memchr(from, '\n', (size_t)(have - searched)) : NULL;
        if (newline != NULL) {
            *stop = newline - (input->buffer + input->start);
            input->next = input->start + *stop + 1;
            *more = true;
            break;
        }
        if (input->ended) {
            *stop = have;
            *more = input->filled > input->next;
            input->next = input->filled;
            break;
        }
        if (have > SCREE_LINE_MOST)
            return scree_input_fail(input, input->line + 1, "this line is longer than %" PRId64 " bytes; expected at most that many", SCREE_LINE_MOST);
        searched = have;
        scree_status status = refill(input);
        if (status != SCREE_OK)
            return status;
    }
    input->line += *more;
    return SCREE_OK;
}

scree_status scree_input_line(scree_input* input, char** text, int64_t* length, bool* more)
{
    input->start = input->next;
    scree_status status = find_end(input, length, more);
    if (status == SCREE_OK && *more)
        *text = input->buffer + input->start;
    return status;
}

scree_status scree_input_join(scree_input* input, char** text, int64_t* length, bool* more)
{
    int64_t stop;
    scree_status status = find_end(input, &stop, more);
    if (status == SCREE_OK && *more) {
        *text = input->buffer + input->start;
        *length = stop;
    }
    return status;
}

bool scree_input_line_closed(const scree_input* input)
{
    return input->next > input->start && input->buffer[input->next - 1] == '\n';
}

scree_status scree_input_bytes(scree_input* input, int64_t wanted, char** bytes, int64_t* got)
{
    input->start = input->next;
    while (input->filled - input->start < wanted && !input->ended) {
        scree_status status = refill(input);
        if (status != SCREE_OK)
            return status;
    }
    int64_t have = input->filled - input->start;
    *got = have < wanted ? have : wanted;
    *bytes = input->buffer == NULL ? NULL : input->buffer + input->start;
    input->next = input->start + *got;
    return SCREE_OK;
}

scree_status scree_input_peek(scree_input* input, int64_t wanted, char** bytes, int64_t* got)
{
    scree_status status = scree_input_bytes(input, wanted, bytes, got);
    if (status == SCREE_OK)
        input->next = input->start;
    return status;
}

scree_status scree_input_fail(const scree_input* input, int64_t line, const char* format, ...)
{
    char text[1536];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return scree_fail(SCREE_ERR_FORMAT, "%s:%" PRId64 ": %s", input->name, line, text);
}
