// Public calls that read and write spheres. A format is a file of its own and a line in the table below; everything around it (opening,
// progress, errors, safe replacement) is done once, here and in input.c and output.c.
#include "scree/files.h"

#include "base/argument.h"
#include "base/parallel.h"
#include "files/box_file.h"
#include "files/csv.h"
#include "files/formats.h"
#include "files/input.h"
#include "files/options.h"
#include "files/output.h"
#include "files/pvtp.h"
#include "files/system.h"

#include <assert.h>
#include <expat.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>
#include <zlib.h>

typedef struct file_format {
    const char* name;
    const char* extensions;  // without the dot, separated by blanks
    scree_status (*read)(scree_input* input, scree_sphere_set* out);        // fills *out only if all is well
    scree_status (*check)(const scree_sphere_set* set);                     // whether the format can hold the set
    void (*write)(scree_output* output, const scree_sphere_set* set);       // errors stay in output->status
    bool (*keeps)(const scree_sphere_set* set, int32_t c);                  // column c, or the box (-1); NULL: everything
    bool box_beside;                                                        // the box has a file of its own (box_file.c)
} file_format;

static bool columns_only(const scree_sphere_set* set, int32_t c)
{
    (void)set;
    return c >= 0;
}

static_assert(SCREE_FORMAT_COUNT <= 32, "each format has its SCREE_FORMAT_BIT");

static const file_format formats[SCREE_FORMAT_COUNT] = {
    [SCREE_FORMAT_CSV] = {"csv", "csv", scree_csv_read_spheres, scree_csv_check_names, scree_csv_write_spheres,
                          columns_only, false},
    [SCREE_FORMAT_VTP] = {"vtp", "vtp", scree_vtp_read, scree_vtp_check, scree_vtp_write, NULL, false},
    [SCREE_FORMAT_XYZ] = {"xyz", "xyz extxyz", scree_xyz_read, scree_xyz_check, scree_xyz_write, scree_xyz_keeps, false},
    [SCREE_FORMAT_LAMMPS] = {"lammps", "lammps data lmp", scree_lammps_read, scree_lammps_check, scree_lammps_write,
                             scree_lammps_keeps, false},
    [SCREE_FORMAT_NPY] = {"npy", "npy", scree_npy_read, scree_npy_check, scree_npy_write, NULL, true},
};

static bool known(int32_t number)
{
    return number > SCREE_FORMAT_AUTO && number < SCREE_FORMAT_COUNT;
}

const char* scree_format_name(scree_format number)
{
    return known((int32_t)number) ? formats[number].name : NULL;
}

bool scree_format_keeps(scree_format number, const scree_sphere_set* set, int32_t c)
{
    SCREE_NEED_OR(set, false);
    return known((int32_t)number) && (formats[number].keeps == NULL || formats[number].keeps(set, c));
}

static bool same_letters(const char* text, const char* word, size_t length)
{
    for (size_t k = 0; k < length; ++k) {
        char c = text[k] >= 'A' && text[k] <= 'Z' ? (char)(text[k] + ('a' - 'A')) : text[k];
        if (c != word[k])
            return false;
    }
    return text[length] == '\0';
}

// What stands behind the last dot of the file's name; "" if there is none.
static const char* extension(const char* path)
{
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(slash == NULL ? path : slash, '.');
    return dot == NULL ? "" : dot + 1;
}

scree_format scree_format_of_path(const char* path)
{
    SCREE_NEED_OR(path, SCREE_FORMAT_AUTO);
    const char* mine = extension(path);
    if (*mine == '\0')
        return SCREE_FORMAT_AUTO;
    for (int f = SCREE_FORMAT_AUTO + 1; f < SCREE_FORMAT_COUNT; ++f)
        for (const char* word = formats[f].extensions; *word != '\0'; word += strspn(word, " ")) {
            size_t length = strcspn(word, " ");
            if (same_letters(mine, word, length))
                return (scree_format)f;
            word += length;
        }
    return SCREE_FORMAT_AUTO;
}

const char* scree_files_libraries(void)
{
    static _Thread_local char text[128];
    snprintf(text, sizeof text, "zlib %s, libyaml %s, %s", zlibVersion(), yaml_get_version_string(), XML_ExpatVersion());
    return text;
}

void scree_files_shutdown(void)
{
    scree_parallel_shutdown();
}

SCREE_DEFAULTS_OF(scree_file_options, scree_default_file_options)
{
    return (scree_file_options){.struct_size = (uint32_t)sizeof(scree_file_options)};
}

scree_status scree_file_options_take(const scree_file_options* given, scree_file_options* options)
{
    *options = scree_default_file_options();
    options->watch = scree_get_watch();
    if (given == NULL)
        return SCREE_OK;
    scree_status status = scree_check_struct_size("file options", "scree_default_file_options", given->struct_size, offsetof(scree_file_options, watch), sizeof *options);
    if (status == SCREE_OK)
        memcpy(options, given, given->struct_size);
    if (options->watch.tick == NULL)
        options->watch = scree_get_watch();
    return status;
}

static scree_status find_format(const char* path, int32_t wanted, const file_format** found)
{
    char names[256] = "";
    size_t used = 0;
    for (int f = SCREE_FORMAT_AUTO + 1; f < SCREE_FORMAT_COUNT && used < sizeof names; ++f)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", formats[f].name);
    if (wanted != SCREE_FORMAT_AUTO && !known(wanted))
        return scree_fail(SCREE_ERR_ARGUMENT, "unknown file format number %" PRId32 "; expected that of %s", wanted, names);
    if (wanted == SCREE_FORMAT_AUTO)
        wanted = (int32_t)scree_format_of_path(path);
    if (wanted == SCREE_FORMAT_AUTO && strcmp(path, "-") == 0)
        return scree_fail(SCREE_ERR_ARGUMENT, "standard input and output have no extension; expected a format: %s", names);
    if (wanted == SCREE_FORMAT_AUTO && *extension(path) == '\0')
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: the name has no extension; expected an extension or a format: %s", path,
                          names);
    if (wanted == SCREE_FORMAT_AUTO)
        return scree_fail(SCREE_ERR_ARGUMENT, "%s: '.%s' is not the extension of a known format; expected one of %s", path,
                          extension(path), names);
    *found = &formats[wanted];
    return SCREE_OK;
}

scree_status scree_read_spheres(const char* path, const scree_file_options* given, scree_sphere_set* out)
{
    SCREE_EMPTY(out);
    SCREE_NEED(path);
    scree_file_options options;
    const file_format* format;
    scree_status status = scree_file_options_take(given, &options);
    if (status == SCREE_OK && (options.format == SCREE_FORMAT_AUTO || options.format == SCREE_FORMAT_VTP) && strcmp(extension(path), "pvtp") == 0)
        return scree_pvtp_read(path, &options, out);
    if (status == SCREE_OK && options.format == SCREE_FORMAT_AUTO && scree_format_of_path(path) == SCREE_FORMAT_AUTO)
        status = scree_check_readable(path);
    if (status == SCREE_OK)
        status = find_format(path, options.format, &format);
    if (status != SCREE_OK)
        return status;
    scree_input input;
    status = scree_input_open(&input, path, options.watch);
    if (status != SCREE_OK)
        return status;
    if (options.left_out != NULL)
        *options.left_out = 0;
    input.left_out = options.left_out;
    scree_box_file box = {0};
    if (format->box_beside)
        status = scree_box_file_find(path, &box);
    input.summed = box.text != NULL;
    if (status == SCREE_OK)
        status = format->read(&input, out);
    if (status == SCREE_OK && box.text != NULL)
        status = scree_box_file_apply(&box, input.name, input.sum, out);
    if (status != SCREE_OK)
        scree_sphere_set_free(out);
    scree_box_file_free(&box);
    scree_input_close(&input);
    return status;
}

scree_status scree_write_spheres(const char* path, const scree_file_options* given, const scree_sphere_set* set)
{
    SCREE_NEED(path);
    SCREE_NEED(set);
    scree_file_options options;
    const file_format* format;
    scree_status status = scree_file_options_take(given, &options);
    if (status == SCREE_OK && options.format == SCREE_FORMAT_AUTO && scree_format_of_path(path) == SCREE_FORMAT_AUTO)
        status = scree_check_writable(path);
    if (status == SCREE_OK)
        status = find_format(path, options.format, &format);
    if (status == SCREE_OK)
        status = scree_spheres_check(scree_sphere_set_view(set), NULL);  // what could not be read again is not written
    if (status == SCREE_OK)
        status = format->check(set);
    if (status != SCREE_OK)
        return status;
    scree_output output;
    status = scree_output_open(&output, path, options.watch);
    if (status != SCREE_OK)
        return status;
    output.summed = format->box_beside && set->has_box;
    format->write(&output, set);
    return format->box_beside ? scree_box_file_close(&output, set) : scree_output_close(&output, output.status);
}

static scree_status check_pairs(const scree_box* box, scree_spheres spheres, scree_pairs pairs)
{
    if (pairs.count < 0 || (pairs.count > 0 && pairs.ij == NULL))
        return scree_fail(SCREE_ERR_ARGUMENT, "%" PRId64 " pairs%s; expected 0 or more, with ij", pairs.count, pairs.ij == NULL ? " without ij" : "");
    if (pairs.shift != NULL && box == NULL)
        return scree_fail(SCREE_ERR_ARGUMENT, "pairs with shifts and no box; expected the box that they are shifted by");
    for (int64_t n = 0; n < pairs.count; ++n)
        for (int k = 0; k < 2; ++k)
            if (pairs.ij[n][k] < 0 || pairs.ij[n][k] >= spheres.count)
                return scree_fail(SCREE_ERR_ARGUMENT, "pair %" PRId64 " names sphere %" PRId32 "; expected 0 or more and less than %" PRId32, n,
                                  pairs.ij[n][k], spheres.count);
    return SCREE_OK;
}

scree_status scree_write_pairs_from(const char* path, const scree_file_options* given, const scree_box* box, scree_spheres spheres, const scree_pair_source* source)
{
    SCREE_NEED(path);
    SCREE_NEED(source);
    SCREE_NEED_AS(source->next, "source->next");
    scree_file_options options;
    scree_pairs pairs = {.count = 0};
    int64_t done = 0;
    scree_status status = scree_file_options_take(given, &options);
    if (status == SCREE_OK && options.format != SCREE_FORMAT_AUTO && options.format != SCREE_FORMAT_CSV)
        status = scree_fail(SCREE_ERR_ARGUMENT, "pairs in another format than csv; expected csv");
    if (status == SCREE_OK)
        status = source->next(source->context, &pairs);
    if (status == SCREE_OK)
        status = check_pairs(box, spheres, pairs);
    if (status != SCREE_OK)
        return status;
    scree_output output;
    status = scree_output_open(&output, path, options.watch);
    if (status != SCREE_OK)
        return status;
    scree_csv_write_pairs_header(&output, source->shifted);
    while (pairs.count > 0 && output.status == SCREE_OK) {
        scree_csv_write_pairs(&output, box, spheres, pairs, done, source->count);
        done += pairs.count;
        if (output.status == SCREE_OK)
            output.status = source->next(source->context, &pairs);
        if (output.status == SCREE_OK)
            output.status = check_pairs(box, spheres, pairs);
    }
    return scree_output_close(&output, output.status);
}

// One slice, then nothing.
typedef struct all_pairs {
    scree_pairs pairs;
    bool given;
} all_pairs;

static scree_status next_of_all(void* context, scree_pairs* out)
{
    all_pairs* all = context;
    *out = all->given ? (scree_pairs){.shift = all->pairs.shift} : all->pairs;
    all->given = true;
    return SCREE_OK;
}

scree_status scree_write_pairs(const char* path, const scree_file_options* given, const scree_box* box,
                               scree_spheres spheres, scree_pairs pairs)
{
    SCREE_NEED(path);
    all_pairs all = {.pairs = pairs};
    return scree_write_pairs_from(path, given, box, spheres, &(scree_pair_source){.context = &all, .count = pairs.count, .shifted = pairs.shift != NULL, .next = next_of_all});
}
