// The layout of a checkpoint file. The file is a .npz: a zip whose members are not compressed, each a .npy of version 1.0.
//
//     zip header, .npy header | data | zip header, .npy header | data | ... | directory of the zip | seal
//     ^ head_at                 ^ data_at, a multiple of 64
//
// Everything but the data and its checksums follows from the list of parts: kinds and shapes, no values. So the file can be written in any order and by
// several writers: each writes its rows and sums them, the sums are joined in the order of the rows, and then one writes the heads and the tail.
//
//     bytes = checkpoint_lay_out(parts, count);
//     for each part:   some rows by each writer:   checkpoint_put_rows, checkpoint_sum_rows
//                      by one:                     checkpoint_join, checkpoint_set_sums, checkpoint_put_head
//     by one:          checkpoint_put_tail
//
// The serial writer does the same, with one slice per part (checkpoint_put_parts).
#ifndef SCREE_FILES_CHECKPOINT_LAYOUT_H
#define SCREE_FILES_CHECKPOINT_LAYOUT_H

#include "files/checkpoint_parts.h"
#include "files/output.h"

enum {
    part_head_most = 512,                        // bytes of the headers of a part
    checkpoint_end_most = 160 * part_most + 98,  // of the directory, without the seal
    // The seal is a line of text in the comment of the zip, its fields of fixed width.
    seal_version_at = 33,
    seal_version_digits = 4,
    seal_bytes_at = 39,
    seal_bytes_digits = 20,
    seal_sum_at = 74,
    seal_size = 90,
};

// Checksums of some bytes in a row; zeroed: of none.
typedef struct part_sums {
    uint32_t crc32;
    uint64_t crc64;
    int64_t bytes;
} part_sums;

part_sums checkpoint_join(part_sums first, part_sums second);  // of both in a row

// Fills in head_at and data_at; returns the bytes of the whole file.
int64_t checkpoint_lay_out(part* parts, int32_t count);

// Some rows, which begin at `rows_data`: the sums of their bytes as the file has them, and their writing, the first of them as row `first` of the part.
// Errors are kept in output->status. Rows can be written in any order to an output that takes it (scree_output_at).
part_sums checkpoint_sum_rows(const part* p, int64_t rows, const void* rows_data);
void checkpoint_put_rows(scree_output* output, const part* p, int64_t first, int64_t rows, const void* rows_data);

// `data` is the sum of all rows of the part.
void checkpoint_set_sums(part* p, part_sums data);

// The sums must be set before: of this part for its head, of all parts for the tail.
void checkpoint_put_head(scree_output* output, const part* p);
void checkpoint_put_tail(scree_output* output, const part* parts, int32_t count, int32_t version);

// All of it, in the order of the file: also a pipe takes this.
void checkpoint_put_parts(scree_output* output, part* parts, int32_t count, int32_t version);

// ---- For the reader, which makes the same bytes and compares -------------------------------------------------------

int64_t checkpoint_place(part* p, int64_t at);  // head_at and data_at of a part that begins at `at`; returns where the next one does
size_t checkpoint_head(const part* p, char to[part_head_most]);                            // data_at - head_at bytes
size_t checkpoint_end(const part* parts, int32_t count, char to[checkpoint_end_most]);     // from the last data to the seal
void checkpoint_seal(int32_t version, int64_t bytes, uint64_t crc64, char to[seal_size]);  // crc64: of all bytes before the sum itself

// Reads kind, axes and shape from the .npy header of a part, which is at most as long as `left`. False: scree has not written it. The shape is
// trusted: check whether the file is long enough for it.
bool checkpoint_parse_npy(const char* at, int64_t left, part* p);

// Numbers of the file to native ones, or the other way round.
void checkpoint_copy(part_kind kind, void* to, const void* from, size_t bytes);

extern int64_t checkpoint_rows_least;  // of a column, in memory at once while it is written from the simulation; tests make it small

#endif
