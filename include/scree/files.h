// scree/files.h: spheres, pairs and sieve curves from and to files (library scree_files).
//
// Writing never harms what is there: data goes to a temporary file beside the target and takes its name only when it is
// complete and on disk. A target that exists and is not a regular file (/dev/stdout, a pipe) is written in place.
// Errors in a file are reported as file:line: what was found, what was expected.
#ifndef SCREE_FILES_H
#define SCREE_FILES_H

#include "scree/analysis.h"
#include "scree/geom.h"
#include "scree/index.h"
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
    SCREE_FORMAT_NPY,       // NumPy array; its box, if there is one, is in a file beside it: PATH.box
    SCREE_FORMAT_COUNT
} scree_format;

#define SCREE_FORMAT_BIT(format) (1u << (format))  // in a uint32_t that holds a set of formats

SCREE_API const char* scree_format_name(scree_format format);  // "csv": also its extension; NULL if there is none
SCREE_API scree_format scree_format_of_path(const char* path);  // by extension; AUTO if it is unknown

// Whether a file of this format holds column c of the set (c = -1: its box, and with it the container); what it does not hold is left out
// when the set is written. A NumPy array holds the box only where it is a file, not on standard output or a pipe. O(rows).
SCREE_API bool scree_format_keeps(scree_format format, const scree_sphere_set* set, int32_t c);

typedef struct scree_file_options {
    uint32_t struct_size;
    int32_t format;     // scree_format; AUTO: by extension
    scree_watch watch;  // progress and stop
    int64_t* left_out;  // reading spheres: polygons beside the discs of a VTP file are left out and counted here; NULL: rejected. NULL
} scree_file_options;

SCREE_DEFAULTS(scree_file_options, scree_default_file_options)

// Reads spheres. `path` "-" is standard input (format then needed). `options` may be NULL. The set is the caller's
// (scree_sphere_set_free). IO, FORMAT (file:line), ARGUMENT (format unknown), MEMORY, CANCELLED.
// Of a VTP file of polygons and discs (scree/outlines.h; the frames of bodies) the discs are read, with their columns; polygons beside them
// are UNSUPPORTED unless options->left_out counts them, and a file of polygons only always is.
// What is read passes scree_spheres_check: an invalid coordinate or radius is FORMAT, with its line and column.
// Further columns are kept: INT64 if all values are whole numbers written with digits only, DOUBLE if all are numbers,
// else TEXT (quoted values always); v_x,v_y[,v_z] side by side become one vector v. Time O(bytes), memory O(rows).
// The box of a NumPy array is read from PATH.box, where that exists; FORMAT if it does not belong to the array as it is now (docs/files.md).
SCREE_API scree_status scree_read_spheres(const char* path, const scree_file_options* options, scree_sphere_set* out);

// Writes spheres with all their columns; "-" is standard output. Reading the file gives the same bits and columns, except for
// what the format has no place for (scree_format_keeps), which is left out.
// ARGUMENT: format unknown, a set that scree_spheres_check rejects, a column whose name means something else in the
// format. IO, MEMORY, CANCELLED; FORMAT: PATH.box of a NumPy array exists and is something else. After a failure the file (and PATH.box) is as it was before, and
// nothing new lies beside it.
SCREE_API scree_status scree_write_spheres(const char* path, const scree_file_options* options, const scree_sphere_set* set);

// Writes pairs as CSV: i,j,gap and, where `pairs.shift` is there, sx,sy,sz (sz = 0 in 2D); rows of spheres counted from 0,
// pairs in the order given. `box` may be NULL without shifts. ARGUMENT: a pair of spheres that are not there. Else as above.
SCREE_API scree_status scree_write_pairs(const char* path, const scree_file_options* options, const scree_box* box,
                                         scree_spheres spheres, scree_pairs pairs);

// The same, of more pairs than are in memory at once: `next` gives some at a time.
typedef struct scree_pair_source {
    void* context;
    int64_t count;   // of all: for progress
    bool shifted;    // there are shifts
    scree_status (*next)(void* context, scree_pairs* out);  // valid until the next call; 0: there are no more. What fails here ends the call, and the file is as it was
} scree_pair_source;

SCREE_API scree_status scree_write_pairs_from(const char* path, const scree_file_options* options, const scree_box* box, scree_spheres spheres, const scree_pair_source* source);

// Every size distribution of sizes.h, and `table:FILE.csv`: a sieve curve with the header `d,passing_mass` or `d,number`. IO and FORMAT
// (file:line) for the table; else what scree_sizes_parse says.
SCREE_API scree_status scree_read_sizes(const char* text, int32_t dim, scree_sizes** out);

// Writes numbers as CSV: a header of names, and `rows` rows of one value from each column. Values read back as the same
// bits; one that is not finite is nan, inf or -inf. ARGUMENT: no column, a name or text that is empty or holds a comma, a quote or a
// line end. Else as scree_write_pairs.
typedef struct scree_table_column {
    const char* name;
    const double* values;      // rows; or NULL, and then
    const int64_t* integers;   // rows; or NULL, and then
    const char* const* texts;  // rows
} scree_table_column;

SCREE_API scree_status scree_write_table(const char* path, const scree_file_options* options, int64_t rows, int32_t columns,
                                         const scree_table_column* column);

// Writes fields on a grid, by extension: .vti (VTK ImageData: ParaView; arrays of cells, vectors of 3 and tensors of 9 components) or .csv (a row for each cell: its
// centre x,y[,z], density, fraction, momentum_x ..., velocity_x ..., temperature, kinetic_stress_xx ..., contact_stress_xx ...). options->format counts for neither but
// CSV. ARGUMENT: another extension, fields that are empty. Else as scree_write_pairs.
SCREE_API scree_status scree_write_fields(const char* path, const scree_file_options* options, const scree_fields* fields);

// Reads the contacts of a frame of spheres from the CSV file that a run leaves (docs/run.md): i, j, overlap, normal, force, and shift where it is there; further columns are
// skipped. IO, MEMORY, CANCELLED; FORMAT (file:line): a column that is missing, or what is not a number there. Whether the spheres exist is not checked. The
// table is the caller's (scree_contact_table_free).
SCREE_API scree_status scree_read_contacts(const char* path, const scree_file_options* options, scree_contact_table* out);

// Writes a list of frames for ParaView (.pvd): files[n] shows the state at times[n]. A relative name counts from the folder of
// the list; whether the files exist is not checked. ARGUMENT: a time that is not finite, a name that is empty or
// that XML cannot hold. IO, MEMORY.
SCREE_API scree_status scree_write_pvd(const char* path, int64_t count, const double* times, const char* const* files);

// Reads such a list. Names that are relative in it are given from where the program is; a frame without a time has NAN. The list is the
// caller's (scree_frame_times_free). IO, FORMAT (file:line), MEMORY.
typedef struct scree_frame_times {
    int64_t count;
    double* times;
    char** files;
} scree_frame_times;

SCREE_RESULT(scree_read_pvd, (const char* path, scree_frame_times* out), (path, out))
SCREE_RELEASE(scree_frame_times, scree_frame_times_free)  // frees what it owns and zeroes it; a zeroed list is fine

// Reads triangles: STL, binary or text (.stl, or "-"), and the polygons of VTP files (.vtp, or options->format), which are cut into triangles where they have more
// corners. Triangles come in the order of the file, also those without area (scree_surface_create leaves them out). The triangles are the caller's
// (scree_triangles_free). IO; FORMAT, with the line or byte: not such a file, cut short, no triangle, a number that is not finite, a polygon that is not
// flat and convex; ARGUMENT: another format; UNSUPPORTED: polygons in several pieces, or beside other cells; MEMORY, CANCELLED. O(bytes).
SCREE_API scree_status scree_read_triangles(const char* path, const scree_file_options* options, scree_triangles* out);

// Writes binary STL, whose numbers are floats: about seven digits. Safe as scree_write_spheres; "-" is standard output. ARGUMENT: what
// scree_triangles_check rejects, no triangle, a number above 3.4e38, another format than STL. IO, MEMORY, CANCELLED: the file is as it was.
SCREE_API scree_status scree_write_triangles(const char* path, const scree_file_options* options, const scree_triangles* triangles);

// Those that this one uses, as they are loaded: "zlib 1.2.13, libyaml 0.2.5, expat_2.5.0". Valid until the next call on this thread.
SCREE_API const char* scree_files_libraries(void);
SCREE_API void scree_files_shutdown(void);  // scree_shutdown() for the threads of this library

#ifdef __cplusplus
}
#endif
#endif
