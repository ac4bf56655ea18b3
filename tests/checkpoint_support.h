// What the tests of checkpoints share: random checkpoints, their bytes, and comparisons.
#ifndef TESTS_CHECKPOINT_SUPPORT_H
#define TESTS_CHECKPOINT_SUPPORT_H

#include "file_support.h"

#include "files/checkpoint_layout.h"
#include "files/crc64.h"
#include "scenes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

static const char scene_text[] = "dimension: 2\nseed: 1  # K\xC3\xB6rner\n";

// Any bits but NaN, with the extremes.
double random_number(scree_rng* rng);
double* numbers_of(const scree_checkpoint* c, const char* name);
uint64_t hash_of(const scree_checkpoint* c);
size_t column_bytes(const scree_checkpoint* c, int32_t k);
// With columns of every type; those of numbers have edges of their range.
scree_checkpoint random_checkpoint(int32_t dim, int32_t count, uint64_t seed);
// One contact that remembers, behind the others.
void add_contact(scree_checkpoint_memory* m, int64_t i, int64_t j, int shift);
// Contacts of each sphere with the next one and with its own image, in two images each if there are such, and with the walls; and motions of boundaries, the last
// of which everyone touches.
void add_memory(scree_checkpoint* c, bool periodic, int32_t words, int32_t motions, uint64_t seed);
void check_same_memory(const scree_checkpoint* a, const scree_checkpoint* b);
void check_same_checkpoint(const scree_checkpoint* a, const scree_checkpoint* b);
// Reads bytes as a file; *out is untouched by a failure.
scree_status read_bytes(const char* bytes, size_t count, scree_checkpoint* out);
char* bytes_of(const scree_checkpoint* c, size_t* size);
int32_t parts_of(const scree_checkpoint* c, part parts[part_most]);
// Writes any parts, whether they make a checkpoint or not, and reads them.
scree_status read_parts(part* parts, int32_t count, int32_t version);

#endif
