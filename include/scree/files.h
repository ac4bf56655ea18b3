// scree/files.h: spheres, pairs and sieve curves from and to files (library scree_files).
//
// Writing never damages existing files: data goes to a temporary file in the folder of the target and is renamed only when it is
// complete and on disk. A target that exists and is not a regular file (/dev/stdout, a pipe) is written in place.
// Errors in a file are reported as file:line: what was found, what was expected.
#ifndef SCREE_FILES_H
#define SCREE_FILES_H

#include "scree/analysis.h"
#include "scree/geom.h"
#include "scree/index.h"
#include "scree/measure.h"
#include "scree/sizes.h"
#include "scree/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scree_format {
    SCREE_FORMAT_AUTO = 0,  // by extension
    SCREE_FORMAT_CSV,
    SCREE_FORMAT_VTP,       // VTK PolyData: ParaView, OVITO
    SCREE_FORMAT_XYZ,       // extended XYZ: OVITO, ASE
    SCREE_FORMAT_LAMMPS,    // LAMMPS data file, atom_style sphere
    SCREE_FORMAT_NPY,       // NumPy array; its box, if there is one, is in a second file: PATH.box
    SCREE_FORMAT_COUNT
} scree_format;

#define SCREE_FORMAT_BIT(format) (1u << (format))  // in a uint32_t that holds a set of formats

SCREE_API const char* scree_format_name(scree_format format);  // "csv": also its extension; NULL if there is none
SCREE_API scree_format scree_format_of_path(const char* path);  // by extension; AUTO if it is unknown

// Whether a file of this format stores column c of the set (c = -1: its box, with the container). Other columns are left out
// when the set is written. For a NumPy array the box is stored only in files, not on standard output or a pipe. O(rows).
SCREE_API bool scree_format_keeps(scree_format format, const scree_sphere_set* set, int32_t c);

typedef struct scree_file_options {
    uint32_t struct_size;
    int32_t format;     // scree_format; AUTO: by extension
    scree_watch watch;  // progress and stop
    int64_t* left_out;  // reading spheres: polygons in a VTP file with discs are left out and counted here; NULL (default): they are an error
} scree_file_options;

SCREE_DEFAULTS(scree_file_options, scree_default_file_options)

// Reads spheres. `path` "-" is standard input (format then needed). `options` may be NULL. The set is the caller's
// (scree_sphere_set_free). IO, FORMAT (file:line), ARGUMENT (format unknown), MEMORY, CANCELLED.
// From a VTP file of polygons and discs (scree/outlines.h; the frames of bodies) the discs are read, with their columns; polygons in it
// are UNSUPPORTED unless options->left_out counts them. A file of polygons only is always UNSUPPORTED.
// The spheres pass scree_spheres_check: an invalid coordinate or radius is FORMAT, with its line and column.
// Further columns are kept: INT64 if all values are whole numbers written with digits only, DOUBLE if all are numbers,
// else TEXT (quoted values always); v_x,v_y[,v_z] side by side become one vector v. Time O(bytes), memory O(rows).
// The box of a NumPy array is read from PATH.box, if it exists; FORMAT if it does not belong to the current array (docs/files.md).
SCREE_API scree_status scree_read_spheres(const char* path, const scree_file_options* options, scree_sphere_set* out);

// Writes spheres with all their columns; "-" is standard output. Reading the file gives the same bits and columns, except for
// columns that the format does not store (scree_format_keeps), which are left out.
// ARGUMENT: format unknown, a set that scree_spheres_check rejects, a column whose name has another meaning in the
// format. IO, MEMORY, CANCELLED; FORMAT: PATH.box of a NumPy array exists and is another kind of file. After a failure the file (and PATH.box) is unchanged, and
// there are no new files.
SCREE_API scree_status scree_write_spheres(const char* path, const scree_file_options* options, const scree_sphere_set* set);

// Writes pairs as CSV: i,j,gap and, if `pairs.shift` is not NULL, sx,sy,sz (sz = 0 in 2D); spheres are counted from 0,
// pairs are in the given order. `box` may be NULL without shifts. ARGUMENT: a sphere that does not exist. Otherwise as above.
SCREE_API scree_status scree_write_pairs(const char* path, const scree_file_options* options, const scree_box* box,
                                         scree_spheres spheres, scree_pairs pairs);

// The same for more pairs than fit into memory: `next` returns a part of them at each call.
typedef struct scree_pair_source {
    void* context;
    int64_t count;   // total, for progress
    bool shifted;    // there are shifts
    scree_status (*next)(void* context, scree_pairs* out);  // valid until the next call; count 0: there are no more. A failure ends the call, and the file is unchanged
} scree_pair_source;

SCREE_API scree_status scree_write_pairs_from(const char* path, const scree_file_options* options, const scree_box* box, scree_spheres spheres, const scree_pair_source* source);

// Every size distribution of sizes.h, and `table:FILE.csv`: a sieve curve with the header `d,passing_mass` or `d,number`. IO and FORMAT
// (file:line) for the table; otherwise the errors of scree_sizes_parse.
SCREE_API scree_status scree_read_sizes(const char* text, int32_t dim, scree_sizes** out);

// Writes numbers as CSV: a header of names, and `rows` rows of one value from each column. Values read back as the same
// bits; values that are not finite are written as nan, inf or -inf. ARGUMENT: no column, a name that is empty or contains a comma, a quote or a line end, a text
// with a control character; other texts get quotes where they need them. Otherwise as scree_write_pairs.
typedef struct scree_table_column {
    const char* name;
    const double* values;      // rows; or NULL, and then
    const int64_t* integers;   // rows; or NULL, and then
    const char* const* texts;  // rows
} scree_table_column;

SCREE_API scree_status scree_write_table(const char* path, const scree_file_options* options, int64_t rows, int32_t columns,
                                         const scree_table_column* column);

// Writes fields on a grid, by extension: .vti (VTK ImageData: ParaView; arrays of cells, vectors of 3 and tensors of 9 components) or .csv (a row for each cell: its
// centre x,y[,z], density, fraction, momentum_x ..., velocity_x ..., temperature, kinetic_stress_xx ..., contact_stress_xx ...). options->format CSV selects CSV; other values are
// ignored. ARGUMENT: another extension, empty fields. Otherwise as scree_write_pairs.
SCREE_API scree_status scree_write_fields(const char* path, const scree_file_options* options, const scree_fields* fields);

// Writes voxels, by extension: .vti (VTK ImageData with the arrays label and fraction of cells, those that there are) or .npy (NumPy: a structured array with these fields, indexed by x, y[, z]; little-endian, in
// Fortran order). ARGUMENT: another extension, voxels with neither. Otherwise as scree_write_pairs.
SCREE_API scree_status scree_write_voxels(const char* path, const scree_file_options* options, const scree_voxels* voxels);

// Reads the contacts of a frame of spheres from the CSV file that a run writes (docs/run.md): i, j, overlap, normal, force, and shift if present; further columns are
// skipped. IO, MEMORY, CANCELLED; FORMAT (file:line): a missing column, or a value that is not a number. Whether the spheres exist is not checked. The
// caller owns the table (scree_contact_table_free).
SCREE_API scree_status scree_read_contacts(const char* path, const scree_file_options* options, scree_contact_table* out);

// Writes a list of frames for ParaView (.pvd): files[n] is the state at times[n]. Relative names refer to the folder of
// the list; whether the files exist is not checked. ARGUMENT: a time that is not finite, a name that is empty or
// invalid in XML. IO, MEMORY.
SCREE_API scree_status scree_write_pvd(const char* path, int64_t count, const double* times, const char* const* files);

// Reads such a list. Relative names are converted to be relative to the working directory; a frame without a time has NAN. The caller owns
// the list (scree_frame_times_free). IO, FORMAT (file:line), MEMORY.
typedef struct scree_frame_times {
    int64_t count;
    double* times;
    char** files;
} scree_frame_times;

SCREE_RESULT(scree_read_pvd, (const char* path, scree_frame_times* out), (path, out))
SCREE_RELEASE(scree_frame_times, scree_frame_times_free)  // frees what it owns and zeroes it; a zeroed list is fine

// Reads triangles: STL, binary or text (.stl, or "-"), and the polygons of VTP files (.vtp, or options->format), which are divided into triangles if they have more
// corners. Triangles are in the order of the file, including triangles without area (scree_surface_create leaves them out). The caller owns the triangles
// (scree_triangles_free). IO; FORMAT, with the line or byte: another kind of file, a truncated file, no triangle, a number that is not finite, a polygon that is not
// flat and convex; ARGUMENT: another format; UNSUPPORTED: polygons in several pieces, or together with other cells; MEMORY, CANCELLED. O(bytes).
SCREE_API scree_status scree_read_triangles(const char* path, const scree_file_options* options, scree_triangles* out);

// Writes binary STL, whose numbers are floats: about seven digits. Safe as scree_write_spheres; "-" is standard output. ARGUMENT: what
// scree_triangles_check rejects, no triangle, a number above 3.4e38, another format than STL. IO, MEMORY, CANCELLED: the file is unchanged.
SCREE_API scree_status scree_write_triangles(const char* path, const scree_file_options* options, const scree_triangles* triangles);

// The libraries that this library uses, with the loaded versions: "zlib 1.2.13, libyaml 0.2.5, expat_2.5.0". Valid until the next call on this thread.
SCREE_API const char* scree_files_libraries(void);
SCREE_API void scree_files_shutdown(void);  // scree_shutdown() for the threads of this library

#ifdef __cplusplus
}
#endif
#endif
