// What the tests of files share: a folder of their own, files in and out of it, reading from memory, sets of spheres that
// are hard to keep, comparing them bit for bit, and the loops in which a file is cut or the disk fails.
#ifndef TESTS_FILE_SUPPORT_H
#define TESTS_FILE_SUPPORT_H

#include "support.h"

#include "files/input.h"
#include "files/output.h"
#include "scree/files.h"

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <unistd.h>

// ---- A folder for the tests --------------------------------------------------------------------------------------

// Fixtures of a group: .begin = make_folder, .end = remove_folder, .before_each = start_clean.
extern char folder[256];
int make_folder(void** state);
int start_clean(void** state);
int remove_folder(void** state);

// The path of a file in the folder; valid for the next 63 calls.
const char* in_folder(const char* name);
int files_in_folder(void);
int empty_folder(void);  // folders inside it too; how many entries there were

// Removes a file, or a folder with everything in it; nothing if there is none.
void remove_all(const char* path);

// ---- Files -------------------------------------------------------------------------------------------------------

void put_file(const char* path, const char* from, size_t count);
void put_text(const char* path, const char* text);

// All of a file and a '\0'; the caller frees it. `size` may be NULL.
char* get_file(const char* path, size_t* size);

double value_in(const char* log, int row, const char* name);  // of the text of a log.csv, rows from 0 on; NAN: there is no such column

// Puts the right seal to the bytes of a checkpoint that were changed.
void reseal(char* bytes, size_t size);

#define CHECK_FILE(path, wanted)                                                                                       \
    do {                                                                                                               \
        char* check_text = get_file(path, NULL);                                                                       \
        assert_string_equal(check_text, wanted);                                                                       \
        free(check_text);                                                                                              \
    } while (0)

typedef struct format_under_test {
    scree_format number;
    const char* file;  // its name in messages
    scree_status (*read)(scree_input* input, scree_sphere_set* out);
} format_under_test;

scree_status read_memory(const format_under_test* format, const char* from, size_t count, int64_t block, scree_sphere_set* out);
scree_status read_string(const format_under_test* format, const char* text, scree_sphere_set* out);  // a string, in one block

// ---- Sets --------------------------------------------------------------------------------------------------------

// What a format keeps beside lengths, numbers and words.
#define KEEPS_BOX 1u
#define KEEPS_NAN 2u  // the bits of a NaN, not only that it is one

void check_same_numbers(const double* a, const double* b, int64_t count, unsigned keeps, const char* what);
void check_same_bits(const double* a, const double* b, int64_t count, const char* what);
void check_same_column(const scree_column* a, const scree_column* b, int64_t count, unsigned keeps);

// b is what a format that keeps that (KEEPS_...) makes of a.
void check_kept_set(const scree_sphere_set* a, const scree_sphere_set* b, unsigned keeps);
void check_two_spheres(const scree_sphere_set* set, int columns);  // two spheres at 1 2 3 and -5 6.5 70 with radii 4 and 0, and so many further columns
void check_read_back(const scree_sphere_set* a, const scree_sphere_set* b, bool box);  // the same, of a format that keeps the box or not
double random_length(scree_rng* rng);
scree_sphere_set random_set(int32_t dim, int32_t count, uint64_t seed);
scree_sphere_set halved_set(int32_t dim, int32_t count, uint64_t seed);  // radii of which twice is a length too: some formats hold diameters

// A column of texts, the words (shorter than 32 bytes) in turn.
void add_words(scree_sphere_set* set, const char* name, const char* const* word, int words);

// Columns of numbers with all that is hard about them; `odd` is the name of the one that is not finite.
void add_hard_numbers(scree_sphere_set* set, const char* odd);

// ---- What can fail -----------------------------------------------------------------------------------------------

#define OLD "what was there before\n"

// A file that ends before its byte `end` is FORMAT with a message that begins with `place`, and no half set.
void check_cuts(const format_under_test* format, const char* text, size_t end, size_t step, const char* place, const char* name);

// Writes the set (large enough for several writes, without a box) to `path`, the only file in the folder, while the 1st,
// 2nd, ... call of the system fails, until it goes through: each time the old file, or none, is still there.
void check_each_write_fails(const char* path, const scree_sphere_set* set);

// The failure just reported came after the new file had replaced the old one: only the folder's own entry may not be on disk.
bool is_written_anyway(void);

// A scree_watch that says stop at the n-th question; its context is an int, n at first.
bool stop_at(void* context, double done);

#endif
