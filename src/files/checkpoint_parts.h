// The parts of a checkpoint: one list for the writer and the reader. Their layout in the file is in
// checkpoint_layout.h; docs/run.md is the specification.
#ifndef SCREE_FILES_CHECKPOINT_PARTS_H
#define SCREE_FILES_CHECKPOINT_PARTS_H

#include "files/input.h"
#include "scree/checkpoint.h"

typedef enum part_kind { PART_FLOAT64, PART_INT64, PART_UINT64, PART_INT32, PART_UINT16, PART_UINT8, PART_INT8, PART_TEXT, part_kinds } part_kind;

enum {
    part_name_size = 48,
    part_most = 68 + SCREE_CHECKPOINT_NUMBERS + SCREE_CHECKPOINT_COLUMNS,
};

#define PART_PROGRESS "progress/"  // before the names of numbers

// One array, number or text: a member of the file.
typedef struct part {
    char name[part_name_size];  // of a-z, 0-9, _ and /
    part_kind kind;
    int32_t axes;      // 0: one number or text
    int64_t shape[2];  // 1 where there is no axis. [0] of a text is its bytes, at least one: a text without any is a single NUL
    void* data;        // in the checkpoint. Native byte order
    // Of the file, filled in by checkpoint_lay_out ...
    int64_t head_at;  // byte at which the headers begin
    int64_t data_at;  // and the data: a multiple of 64
    // ... and by checkpoint_set_sums.
    uint32_t crc32;  // as the zip has it, of the .npy header and the data
    uint64_t crc64;  // of the data
} part;

size_t checkpoint_width(part_kind kind);  // bytes of one number or character
int64_t checkpoint_row_bytes(const part* p);
int64_t checkpoint_bytes(const part* p);  // of all its data

part_kind checkpoint_kind(int32_t type);       // of a scree_type
scree_type checkpoint_type(part_kind kind);    // 0: there is none

// The version of the format that has all parts of the checkpoint: the least one, so that files without newer parts keep their bytes.
int32_t checkpoint_version(const scree_checkpoint* checkpoint);

// Lists the parts of a checkpoint, of which count, dim, columns, has_bodies, has_materials, shapes.count and vertices, scene_length, library, the numbers' names and kinds, and
// counts, words, law and periodic of memory and motions are known; returns how many.
// The arrays need not be there yet.
int32_t checkpoint_parts(const scree_checkpoint* checkpoint, int64_t vertices, part parts[part_most]);
int64_t checkpoint_vertices(const scree_checkpoint* checkpoint);  // of all shapes

// Whether all of it fits together: `status` with the message "name: ..." if not.
scree_status checkpoint_check(const scree_checkpoint* checkpoint, scree_status status, const char* name);

bool checkpoint_is_name(const char* name);  // of a number

// Makes room for the data of its columns, memory and motions, or for bodies and shapes.count shapes; those that are there must be empty.
scree_status checkpoint_reserve(scree_checkpoint* checkpoint, int64_t vertices);

// Reads the whole input. For tests and fuzzing; else as scree_read_checkpoint.
scree_status checkpoint_read_input(scree_input* input, scree_checkpoint* out);

#endif
