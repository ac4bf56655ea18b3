// scree/surface.h: surfaces that spheres can touch: triangle meshes, and exact shapes (plane, cylinder, cone, sphere,
// disc, box).
//
//     scree_triangles triangles;
//     scree_read_triangles("silo.stl", NULL, &triangles);             // scree/files.h; or fill triangles.xyz yourself
//     scree_surface_def def = scree_default_surface_def();
//     scree_surface* surface;
//     scree_surface_create(&def, &triangles, &surface);               // welds vertices, numbers edges, builds the search tree
//     scree_triangles_free(&triangles);
//     int32_t near[64];
//     int64_t count = scree_surface_near(surface, x, r + skin, near, 64);        // triangles that may be touched
//     scree_surface_contact contact[16];
//     int64_t contacts = scree_surface_contacts(surface, x, r, count, near, contact, 16);
//     scree_surface_destroy(surface);
//
// A surface never changes after scree_surface_create, so any number of threads may use one. It has its own frame: for a
// moving mesh, transform the sphere into the frame of the mesh. Everything is three-dimensional.
#ifndef SCREE_SURFACE_H
#define SCREE_SURFACE_H

#include "scree/geom.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Triangles -------------------------------------------------------------------------------------------------------

// Features (triangles, edges and vertices) are numbered by int32_t; this many triangles have at most seven times as
// many.
#define SCREE_TRIANGLES_MAX 300000000

// Triangles as files have them, each with its own corners. Plain data, owned: read and write the array directly. The
// front of a triangle is the side from which its corners run counter-clockwise.
typedef struct scree_triangles {
    int32_t count;
    double* xyz;  // count * 9: three corners of x, y, z
} scree_triangles;

// Allocates `count` triangles with undefined content. ARGUMENT: negative, or above SCREE_TRIANGLES_MAX. MEMORY.
SCREE_API scree_status scree_triangles_make(int32_t count, scree_triangles* out);
SCREE_API void scree_triangles_free(scree_triangles* triangles);  // frees what it owns and zeroes it; NULL and a zeroed one are fine

// Every coordinate is finite and a length (scree/geom.h). ARGUMENT names the first triangle and corner that fail,
// counted from 0. O(n).
SCREE_API scree_status scree_triangles_check(const scree_triangles* triangles);

// A change of scale followed by a rigid motion: x -> turn (scale x) + shift.
typedef struct scree_placement {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    double scale;          // above 0
    double turn[3][3];     // rotation matrix, row by row
    double shift[3];
} scree_placement;

SCREE_DEFAULTS(scree_placement, scree_default_placement)  // the identity

// The rotation by `angle` (radians, counter-clockwise as seen against the axis) about an axis through the origin.
// ARGUMENT: an axis without direction, an angle that is not finite.
SCREE_API scree_status scree_placement_turn(const double axis[3], double angle, double turn[3][3]);

// Moves all corners. ARGUMENT: a scale that is not above 0, a matrix that is not a rotation (to 1e-9), a corner that is
// out of range afterwards; nothing has changed then. O(n).
SCREE_API scree_status scree_triangles_place(scree_triangles* triangles, const scree_placement* placement);

// ---- Surfaces --------------------------------------------------------------------------------------------------------

typedef struct scree_surface scree_surface;

typedef struct scree_surface_def {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    double weld;           // vertices nearer than this fraction of the shortest edge are merged; 1e-6. 0: only vertices with the same coordinates
    bool one_sided;        // triangles act only on spheres whose centres are not behind their planes; false
    int32_t threads;       // for building; 0: all cores. No result depends on it
} scree_surface_def;

SCREE_DEFAULTS(scree_surface_def, scree_default_surface_def)

// Makes a surface of triangles, which are borrowed for the call. Vertices with the same coordinates become one, then
// those within def->weld; triangles without area and triangles with the same three vertices as an earlier one are left
// out (scree_surface_report says how many, scree_surface_arrays which). An edge with vertices of open edges on it (a
// T-junction) is split there, with its triangles, and pieces with the vertices of an earlier triangle or piece are left
// out. A vertex is on an edge within the weld distance, or within 4 roundings of single precision of the largest
// coordinate if that is more, but at most within 0.01 of the length of this edge and of the edges at the vertex.
// ARGUMENT: an invalid def, what scree_triangles_check rejects, no triangle with an area. MEMORY. O(n log n) time;
// docs/surface.md has memory and times.
SCREE_API scree_status scree_surface_create(const scree_surface_def* def, const scree_triangles* triangles, scree_surface** out);
SCREE_API void scree_surface_destroy(scree_surface* surface);  // NULL is fine

// Properties of a surface.
typedef struct scree_surface_report {
    int32_t triangles, edges, vertices;
    int64_t corners;         // 3 for each triangle that was given
    int32_t welded;          // vertices that were merged although their coordinates differ
    double weld_distance;    // largest distance of merged vertices; 0: only equal ones were merged
    int32_t degenerate;      // triangles left out because they have no area: two corners coincide, or they lie on a line to 1e-9 of its length
    int32_t duplicate;       // triangles, and pieces of split ones, left out because an earlier one has the same three vertices
    int32_t open_edges;      // edges with one triangle
    int32_t crowded_edges;   // edges with more than two triangles; n triangles are joined by n - 1 links
    int32_t turned_edges;    // edges along which the fronts of two triangles do not match
    bool closed;             // no edge has an odd number of triangles: there is an inside
    bool oriented;           // no turned edges
    double area;
    double volume;           // enclosed; below 0: fronts face inwards. NAN if it is not closed or not oriented
    double shortest_edge, longest_edge;
    double lower[3], upper[3];
    size_t bytes;            // memory held by the surface
    bool one_sided;          // as its def says
    int32_t split;           // vertices at which edges were split
    int32_t pinched;         // vertices at which triangles meet that no edges join there; the vertex is a link
    int32_t cracks;          // open edges with another triangle nearer to their middle than a thousandth of their length
    int32_t overlaps;        // triangles whose middle is on another triangle: there forces add up
    double split_distance;   // largest distance of these vertices from the edges that were split there; 0: none
} scree_surface_report;

SCREE_VALUE(scree_surface_report, scree_surface_get_report, (const scree_surface* surface), (surface))  // all zero for NULL

// The data of a surface. Features have one numbering: triangles from 0 on, then edges, then vertices. Valid as long as
// the surface.
typedef struct scree_surface_arrays {
    int32_t triangles, edges, vertices;
    const double (*vertex)[3];     // coordinates
    const int32_t (*triangle)[3];  // vertices of each triangle, in the order given
    const int32_t (*side)[3];      // edges of each triangle: from corner k to corner k + 1
    const int32_t (*edge)[2];      // vertices of each edge, the lower number first; edges rise by both
    const double (*normal)[3];     // of each triangle, towards its front; length 1
    const int32_t* edge_start;     // edges + 1: the triangles at edge e are edge_triangle[edge_start[e]] .. [edge_start[e + 1] - 1], rising
    const int32_t* edge_triangle;
    const int32_t* vertex_start;   // vertices + 1: the edges at a vertex, rising, in the same way
    const int32_t* vertex_edge;
    const int32_t* source;         // the number of each triangle among those given
    int32_t dropped;               // triangles left out, and pieces of split ones, each for itself:
    const int32_t* dropped_source; // their numbers among those given, rising,
    const int32_t* dropped_for;    // and the number of the earlier one that each repeats, among those given; -1: it has no area
} scree_surface_arrays;

SCREE_VALUE(scree_surface_arrays, scree_surface_get_arrays, (const scree_surface* surface), (surface))  // all zero for NULL

// How often the surface goes around x: 0 outside, 1 inside of a surface with its front outwards (-1 inwards); crossings
// of a ray are counted, with ties decided exactly, so no edge or vertex counts twice or not at all. Where fronts do not
// match: 1 for an odd number of crossings, else 0. Points on the surface, up to rounding, count as either. ARGUMENT:
// the surface is not closed; x is not finite. About O(log n).
SCREE_API scree_status scree_surface_winding(const scree_surface* surface, const double x[3], int32_t* winding);

// ---- Contacts --------------------------------------------------------------------------------------------------------

// What a sphere feels of a surface is a sum of terms: contacts and links (scree_surface_contacts).
typedef struct scree_surface_contact {
    int32_t feature;   // of a contact the number of its triangle; of a link that of the edge, the vertex or the triangle with the nearest point (scree_surface_arrays); of an exact surface: that of its part
    int32_t nearest;   // the triangle, edge or vertex that has the nearest point; of an exact surface: as feature
    int32_t component;     // the connected part of the touched surface, from 0 on
    bool front;        // whether the centre is on the front
    double point[3];   // of the surface, nearest to the centre
    double normal[3];  // from there to the centre; length 1. A centre on the surface: the normal of the triangle, on its front
    double distance;   // of the centre from the point; 0 or more. The overlap is r - distance
    double scale;      // factor of the elastic force: 1 for a contact, usually -1 for a link
    double load;       // of a contact, above 0: the part of its overlap with which friction and dashpots act; of a link 0
} scree_surface_contact;

// Writes the triangles nearer to x than `reach` into out[room], ascending. Returns their number; if that is more than
// `room`, the content of `out` is undefined and the call must be repeated with more room. A triangle that is farther by
// less than 1e-9 of the reach may be among them. About O(log n + triangles found).
SCREE_API int64_t scree_surface_near(const scree_surface* surface, const double x[3], double reach, int32_t* out, int64_t room);

// The contacts of a sphere, by rising triangle, and behind them the links that are left, by rising feature. Each
// triangle nearer than r acts with its nearest point; each link, an edge or vertex that joins touched triangles, takes
// away what these share, so that every connected component counts once. What cancels is left out: a plane of many
// triangles gives one contact, a convex edge or vertex one, a concave edge two and a link. With an elastic force
// F(overlap) of any law the force on the sphere is the sum of scale F(r - distance) normal over all terms. It is the
// gradient of an energy that is continuous everywhere, so that energy is conserved. The loads of the contacts of a
// component add up to its overlaps less those of its links.
//     candidates   must contain all triangles nearer than r (scree_surface_near), ascending; further ones do not matter
// Returns their number; if that is more than `room`, the content of `out` is undefined and the call must be repeated
// with more room. 2 * count is always enough. -1: more than 32 candidates, and no memory to work with. O(count log
// count).
SCREE_API int64_t scree_surface_contacts(const scree_surface* surface, const double x[3], double r, int64_t count, const int32_t* candidates,
                                         scree_surface_contact* out, int64_t room);

// The nearest point of the surface, at any distance; its feature is the one that has the point, its scale 1, its load
// 0. ARGUMENT: x is not finite or out of range. About O(log n).
SCREE_API scree_status scree_surface_closest(const scree_surface* surface, const double x[3], scree_surface_contact* out);

// Rows of triangles near many spheres, as in a list of candidates. Plain data, owned; begin with a zeroed struct.
typedef struct scree_surface_rows {
    int32_t count;      // of spheres
    int64_t* start;     // count + 1: the triangles near sphere i are triangle[start[i]] .. triangle[start[i + 1] - 1], rising
    int32_t* triangle;
    int64_t start_capacity, triangle_capacity;  // so that making rows again allocates nothing
} scree_surface_rows;

// For each sphere (x y z r) the triangles nearer to its centre than r + skin. While no sphere has moved by more than
// the skin relative to the surface, its row holds all that it can touch. The same rows for any number of threads (0:
// all cores). ARGUMENT: a negative count or skin, a sphere that is not valid. MEMORY: the rows are empty then.
SCREE_API scree_status scree_surface_rows_make(const scree_surface* surface, int32_t count, const double (*xr)[4], double skin, int32_t threads,
                                               scree_surface_rows* rows);
SCREE_API void scree_surface_rows_free(scree_surface_rows* rows);  // NULL and a zeroed struct are fine

// ---- Exact surfaces --------------------------------------------------------------------------------------------------
// Each is a sheet without thickness, with a front; spheres may be on both sides.
typedef enum scree_exact_kind {
    SCREE_EXACT_PLANE = 0,  // through `at`; front: where `axis` points
    SCREE_EXACT_CYLINDER,   // from `at` along `axis` over `length`, open at both ends; radius[0]. length INFINITY: both ways without end
    SCREE_EXACT_CONE,       // frustum, open at both ends: radius[0] at `at`, radius[1] at the other end; one of them may be 0
    SCREE_EXACT_SPHERE,     // around `at`; radius[0]
    SCREE_EXACT_DISC,       // around `at`, normal to `axis`; radius[0], with a round hole of radius[1] (0: none); front: where `axis` points
    SCREE_EXACT_BOX,        // from `lower` to `upper`
    SCREE_EXACT_COUNT
} scree_exact_kind;

typedef struct scree_exact {
    uint32_t struct_size;  // filled by the default function; lets this struct grow between versions
    int32_t kind;          // scree_exact_kind
    double at[3];
    double axis[3];        // direction, of any length
    double length;
    double radius[2];
    double lower[3], upper[3];
    bool inside;           // cylinder, cone, sphere, box: the front is inside
} scree_exact;

SCREE_DEFAULTS(scree_exact, scree_default_exact)            // the plane z = 0, front up
SCREE_API scree_status scree_exact_check(const scree_exact* exact);  // ARGUMENT, with the value, if it is invalid
SCREE_API const char* scree_exact_name(int32_t kind);       // "plane", "cylinder", ...; NULL for an unknown number

// The nearest point, with scale 1 and load 0. Where several are equally near (the axis of a cylinder, the centre of a
// sphere) one is chosen, always the same. `exact` must be valid (scree_exact_check). contact.feature is the number of
// the part:
//     plane, sphere  0
//     cylinder, cone 0 the wall, 1 the rim at `at`, 2 the other rim
//     disc           0 the disc, 1 its rim, 2 the rim of the hole
//     box            0 to 5 the faces, lower before upper on each axis; 6 edges and vertices
SCREE_API scree_status scree_exact_closest(const scree_exact* exact, const double x[3], scree_surface_contact* out);

// The contacts of a sphere: the nearest point, if it is nearer than r; inside of a box the nearest point of each face
// that is. Rising by feature. Returns how many, at most SCREE_EXACT_CONTACTS_MAX.
enum { SCREE_EXACT_CONTACTS_MAX = 6 };
SCREE_API int32_t scree_exact_contacts(const scree_exact* exact, const double x[3], double r, scree_surface_contact out[SCREE_EXACT_CONTACTS_MAX]);

#ifdef __cplusplus
}
#endif
#endif
