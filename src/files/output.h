// Bytes out, all or nothing: what is written becomes the target only at the commit.
//
//     scree_output out;
//     status = scree_output_open(&out, path, watch);
//     ... scree_output_room, scree_output_bytes ...      errors are kept in out.status; look at it now and then
//     status = scree_output_close(&out, status);         commits if all went well, else leaves no trace
#ifndef SCREE_FILES_OUTPUT_H
#define SCREE_FILES_OUTPUT_H

#include "scree/base.h"

typedef struct scree_output {
    const char* name;     // for messages: the path as given (borrowed), or "standard output"
    scree_status status;  // the first thing that went wrong; writing on after it does nothing
    scree_watch watch;    // for the writer: scree_output_tick
    bool summed;          // the writer wants the checksum ...
    uint64_t sum;         // ... scree_crc64 of all bytes, complete after scree_output_flush
    // The rest is the output's own.
    int fd;
    char* target;     // where the file will be, links resolved; NULL: written in place
    char* temporary;  // where it is until then
    char* buffer;
    size_t used;
    int64_t position;  // byte of the file at which the buffer begins
} scree_output;

// The largest space that may be requested.
#define SCREE_OUTPUT_ROOM 4096

// "-" is standard output. IO names the path and the system's reason; MEMORY. After a failure there is nothing to close.
scree_status scree_output_open(scree_output* output, const char* path, scree_watch watch);

// Where a path leads: follows the links that it is itself (not those in its directory part), also when the last one leads nowhere yet. *resolved is the
// caller's (scree_free). `name` is for messages. IO, MEMORY.
scree_status scree_output_resolve(const char* name, const char* path, char** resolved);

// Room for up to `most` <= SCREE_OUTPUT_ROOM bytes, never NULL; scree_output_wrote then says how far it was used.
char* scree_output_room(scree_output* output, size_t most);
static inline void scree_output_wrote(scree_output* output, const char* end)
{
    output->used = (size_t)(end - output->buffer);
}

void scree_output_bytes(scree_output* output, const char* bytes, size_t count);

// What is written next goes to byte `offset` of the file; bytes that are never written are 0. Any order of offsets in a file that gets its name at the commit.
// What is written in place (a pipe, a descriptor) takes only the byte that comes next anyway: IO for any other. Not together with `summed`.
// Gives output->status.
scree_status scree_output_at(scree_output* output, int64_t offset);

// Tells the watch the share done and turns its "stop" into CANCELLED. Gives output->status, so one look serves both.
scree_status scree_output_tick(scree_output* output, double done);

// Hands what is in the buffer to the system. Gives output->status.
scree_status scree_output_flush(scree_output* output);

// Ends the writing. If `status` and output->status are OK: everything to disk, then the name; else the temporary file is
// removed and the target is as it was (what was written in place, to a pipe say, stays written). Gives the first failure.
scree_status scree_output_close(scree_output* output, scree_status status);

// The same for a file and a small one that belongs to it, whose name has `ending` behind the file's (its links resolved): both are complete and on
// disk before either takes its name, and after a failure both names are as they were. `text` NULL: there is to be no such file, and one that exists is
// removed. It is never written through a link: where its name exists it must be a regular file. Between the two renames a crash leaves two
// files that do not fit; the small one holds `sum`, which shows it. Without effect on what is written in place: that has no small file.
scree_status scree_output_close_with(scree_output* output, scree_status status, const char* ending, const char* text);

// For tests: the n-th system call of writing from now (open, write, fsync, close, rename, ...; 1 = the next) fails with
// `error`, once; 0 switches the hook off. Returns how many calls there were since the last time.
int64_t scree_output_fail_at(int64_t n, int error);

#endif
