// What a checkpoint file consists of: the one list that the writer puts into it and the reader takes out of it.
//
//     HDF5 image | index: one entry per dataset, saying where in the image its bytes are | seal
//
// The seal is at the very end and keeps its place and meaning in all versions of the format. All numbers are little-endian. docs/checkpoint.md
// is the specification.
#ifndef SCREE_FILES_CHECKPOINT_PARTS_H
#define SCREE_FILES_CHECKPOINT_PARTS_H

#include "files/input.h"
#include "scree/checkpoint.h"

typedef enum part_kind { PART_FLOAT64 = 1, PART_INT64, PART_UINT64, PART_INT32, PART_TEXT } part_kind;

enum {
    part_name_size = 48,
    part_most = 20 + SCREE_CHECKPOINT_NUMBERS,
    // An entry: name, kind, axes, shape[2], offset.
    entry_kind_at = part_name_size,
    entry_axes_at = entry_kind_at + 4,
    entry_shape_at = entry_axes_at + 4,
    entry_offset_at = entry_shape_at + 16,
    entry_size = entry_offset_at + 8,
    // The seal: magic, version, entries, bytes of the image, bytes of the file, checksum of all bytes before it.
    seal_version_at = 8,
    seal_entries_at = 12,
    seal_image_at = 16,
    seal_file_at = 24,
    seal_checksum_at = 32,
    seal_size = 40,
};

#define PART_SIGNATURE "\x89HDF\r\n\x1a\n"  // how an HDF5 file begins
#define PART_MAGIC "screeCP\n"              // how the seal begins
#define PART_PROGRESS "progress/"           // before the names of numbers

typedef struct part {
    char name[part_name_size];
    part_kind kind;
    int32_t axes;      // 0: one number or text
    int64_t shape[2];  // 1 where there is no axis; [0] of a text is its bytes
    void* data;        // in the checkpoint. Native byte order. Texts have a '\0' behind them that the file has not
    int64_t offset;    // in the image; for the writer to fill in
} part;

// How large one number of the kind is; 0: there is no such kind.
size_t checkpoint_width(uint32_t kind);

// Lists the parts of a checkpoint, of which count, dim, integrator, has_bodies, shapes.count and vertices, scene_length, library and the numbers' names and kinds are known; returns how many.
// The arrays need not be there yet.
int32_t checkpoint_parts(const scree_checkpoint* checkpoint, int64_t vertices, part parts[part_most]);
int64_t checkpoint_vertices(const scree_checkpoint* checkpoint);  // of all shapes

static inline int32_t checkpoint_version(const scree_checkpoint* checkpoint)
{
    return checkpoint->has_bodies                                           ? SCREE_CHECKPOINT_BODIES
           : checkpoint->integrator == SCREE_INTEGRATOR_POSITION_VERLET ? SCREE_CHECKPOINT_POSITIONS
                                                                        : SCREE_CHECKPOINT_VERSION;
}

// Whether all of it fits together: `status` with the message "name: ..." if not.
scree_status checkpoint_check(const scree_checkpoint* checkpoint, scree_status status, const char* name);

bool checkpoint_is_name(const char* name);  // of a number

// Makes room for arrays of count and dim, and for shapes.count shapes; those that are there must be empty.
scree_status checkpoint_reserve(scree_checkpoint* checkpoint, int64_t vertices);

// Reads the whole input. For tests and fuzzing; else as scree_checkpoint_read.
scree_status checkpoint_read_input(scree_input* input, scree_checkpoint* out);

static inline uint32_t checkpoint_load32(const char* at)
{
    const unsigned char* p = (const unsigned char*)at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t checkpoint_load64(const char* at)
{
    return (uint64_t)checkpoint_load32(at) | (uint64_t)checkpoint_load32(at + 4) << 32;
}

static inline void checkpoint_store32(char* at, uint32_t value)
{
    for (int k = 0; k < 4; ++k)
        at[k] = (char)(unsigned char)(value >> 8 * k & 255);
}

static inline void checkpoint_store64(char* at, uint64_t value)
{
    checkpoint_store32(at, (uint32_t)(value & UINT32_MAX));
    checkpoint_store32(at + 4, (uint32_t)(value >> 32));
}

#endif
