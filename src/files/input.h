// Bytes in: a file, standard input or a block of memory, given out line by line. What is given out lies in one buffer, belongs to the
// reader until the next call, and may be changed by it.
#ifndef SCREE_FILES_INPUT_H
#define SCREE_FILES_INPUT_H

#include "scree/base.h"

// The longest line, in bytes; so is a record of several lines. A file without line ends, /dev/zero say, ends there and not with the memory.
#define SCREE_LINE_MOST ((int64_t)64 << 20)

// The same for a tag or a comment of XML; less, because the parser goes over what there is of one again with every block.
#define SCREE_TAG_MOST ((int64_t)8 << 20)

typedef struct scree_input {
    const char* name;  // for messages: the path as given (borrowed), or "standard input"
    int64_t line;      // how many lines have been given out so far
    // The rest is the input's own.
    int fd;              // -1: memory
    const char* memory;  // the part of it that is still to come
    int64_t memory_left;
    char* buffer;  // the bytes from `start` to `filled` are here; those from `next` on have not been given out
    int64_t capacity, start, next, filled;
    int64_t block;  // how many bytes to fetch at once
    bool ended;     // nothing comes after `filled`
    int64_t size;   // bytes that will come as far as is known; 0: not known
    int64_t fetched;
    bool summed;   // the reader wants the checksum ...
    uint64_t sum;  // ... scree_crc64 of all bytes fetched
    scree_watch watch;  // receives the share of `size` that was read, once per block
    int64_t* left_out;  // for the reader: scree_file_options
} scree_input;

// "-" is standard input. IO names the path and the system's reason.
scree_status scree_input_open(scree_input* input, const char* path, scree_watch watch);

// Reads from memory (borrowed) as if it were a file of that name, `block` bytes at a time. For tests and fuzzing.
void scree_input_memory(scree_input* input, const char* name, const char* bytes, int64_t size, int64_t block);
void scree_input_close(scree_input* input);  // also after a failure; a second time is fine

// The next line without its '\n' (a '\r' before it is left), or *more = false at the end. FORMAT: it is too long. IO,
// MEMORY, CANCELLED.
scree_status scree_input_line(scree_input* input, char** text, int64_t* length, bool* more);

// Lengthens the line just given by a '\n' and the line after it; `text` may move, its bytes stay as the caller left
// them. *more = false, and nothing changed, if that was the last line.
scree_status scree_input_join(scree_input* input, char** text, int64_t* length, bool* more);

// Whether the line just given ended with a '\n' (the last one of a file may not).
bool scree_input_line_closed(const scree_input* input);

// The next `wanted` bytes in one piece, of whatever kind; at the end of the file fewer (*got), and then none. Memory grows
// with what is there, not with what is wanted. IO, MEMORY, CANCELLED.
scree_status scree_input_bytes(scree_input* input, int64_t wanted, char** bytes, int64_t* got);

// The same, but the next call gives them again.
scree_status scree_input_peek(scree_input* input, int64_t wanted, char** bytes, int64_t* got);

// FORMAT with the message "name:line: ...".
scree_status scree_input_fail(const scree_input* input, int64_t line, const char* format, ...) SCREE_PRINTF(3, 4);

#endif
