// Boundaries of any shape: exact shapes and triangle meshes (scree/surface.h), with a motion.
//
// A shape lies in axes of its own, in which it never changes. A sphere is brought into these axes, where scree_exact_contacts or scree_surface_contacts finds its contacts:
// one for each flat region, edge or vertex that it touches. What comes back, distance and normal, goes to the contact law as of any other boundary.
//
// Rows name a sphere and a triangle of a mesh, a face of a box, or all of another shape, sorted by (rank, boundary, part): a contact of the sphere there remembers in its row, as candidate rows do (memory.c).
// Beside the words of the law a slot holds the feature, the point and the normal of the contact in the last step, and its share.
//
// Contacts with a mesh are faces, with links between them (geom/surface_contacts.h). The elastic force of a touch has the
// factor `scale`, its dashpot, friction and torques the factor `share`. The history is that of a whole contact: the normal
// force holds `scale` times the energy of the words, the springs `share` times.
//
// Where a contact goes from one face to the next, over a seam say, memory goes with it (surface_keep.h).
#ifndef SCREE_SIM_SURFACES_H
#define SCREE_SIM_SURFACES_H

#include "base/both.h"
#include "sim/boundary.h"
#include "sim/law.h"

#include "scree/surface.h"

enum { surface_together = 32 };  // touches that are worked on together
enum { surface_taken = -2 };      // in slot_next while a group is worked on, less the number of the component: contacts there have taken over what it remembered
// What a slot holds behind the words of the law: feature, point in the axes of the shape, normal in the axes of the box, share.
enum { SLOT_FEATURE = 0, SLOT_POINT = 1, SLOT_NORMAL = 4, SLOT_SHARE = 7, surface_words = 8 };

typedef struct sim_shape {
    bool mesh;
    bool one_sided;
    scree_exact exact;
    const scree_surface* surface;
    scree_surface_arrays arrays;
    double origin[3];     // the point that turns, in its own axes
    double centre[3];     // of a ball that holds it, in its own axes,
    double radius;        // INFINITY: it has no end
    int32_t first, parts; // first number of its parts, and how many; parts are numbered over all shapes
    char name[boundary_name_room];
    bool wraps[3];        // it has images along this axis
} sim_shape;

// A sphere near a shape, and the parts that it may touch.
typedef struct surface_near {
    int32_t rank, boundary;
    int64_t first;        // row; the next one's says how many
} surface_near;

// Which spheres are near which shapes, and what contacts with shapes remember.
typedef struct sim_surfaces {
    int32_t count;        // of shapes
    sim_shape* shapes;
    int64_t* group_first; // blocks + 1 each: where the groups of each block begin,
    int64_t* row_first;   // and their rows
    surface_near* group;  // and one behind the last
    int64_t group_capacity;
    int32_t (*row)[2];    // rank and part; parts are numbered over all shapes
    int64_t row_capacity;
    int32_t* part;        // of its shape
    int64_t part_capacity;
    int64_t most;         // rows of a group
} sim_surfaces;

// A contact of a sphere with a shape, or a link between contacts.
typedef struct surface_touch {
    int32_t rank, boundary, feature;
    int32_t component;        // of the touched surface
    int64_t row;          // -1: it cannot remember
    double scale;         // factor of the elastic force: 1 for a contact, usually -1 for a link
    double share;         // factor of friction, dashpot and torques: 0 to 1 for a contact, 0 for a link
    double crowd;         // shares of all contacts with the same mesh, each times its cosine with this one, squared
    double deepest;       // the largest overlap of its component, of laws that remember one
    bool continues;       // the same contact as in the last step
    boundary_point at;
    boundary_point half;  // half a step before; of steps only, if spheres turn
    double point[3];      // in the axes of the shape
    const double* before; // what it remembers; NULL: nothing
    double words[law_words_most];  // what it has taken over, or of a link what its component remembers
    double x[4];          // the sphere, or that image of it which is next to the shape
} surface_touch;

// A contact that acts as one with a wall does, without links.
SCREE_BOTH bool surface_is_plain(const surface_touch* touch)
{
    return touch->scale == 1.0 && touch->share == 1.0;
}

SCREE_BOTH bool surface_is_link(const surface_touch* touch)
{
    return touch->share == 0.0;
}

// More than one contact resists along its normal: facets around a sphere that it touches apart from each other.
SCREE_BOTH bool surface_is_crowded(const surface_touch* touch)
{
    return touch->crowd > 1.0 + 1e-12;  // shares of one plane add up to 1 but for rounding
}

// The largest dashpot of such a contact. The time step allows a single contact a dashpot of half of a mass per step
// (step_follows, law.h). Together those of a crowd may be as large; larger ones would reverse the velocity within a step.
SCREE_BOTH double surface_dashpot_most(const surface_touch* touch, double step, double inverse)
{
    return 0.5 / (touch->crowd * step * inverse);
}

// The normal force of a touch from that of a whole contact with its dashpot, and from its elastic part. `along` and
// `inverse` as of grain_in; `damped`: they are given.
SCREE_BOTH double surface_force(const surface_touch* touch, bool damped, double step, double along, double inverse, double normal, double elastic)
{
    if (damped && surface_is_crowded(touch)) {
        const double most = surface_dashpot_most(touch, step, inverse) * (along < 0.0 ? -along : along), drag = normal - elastic;
        if (drag > most || -drag > most)
            normal = elastic + (drag > 0.0 ? most : -most);
    }
    return touch->share * normal + (touch->scale - touch->share) * elastic;
}

// What a thread needs to find touches.
typedef struct surface_desk {
    struct surface_work* work;
    scree_surface_contact* contacts;
    surface_touch* touches;
    int64_t work_room, room, touch_room;
} surface_desk;

struct scree_sim;
struct sim_pass;
struct block_result;

// surface_shapes.c
scree_status surfaces_make(struct scree_sim* sim);     // of def.boundaries; MEMORY. Each boundary is checked before (shape_take)
scree_status shape_take(const scree_sim_boundary* given, const scree_box* box, sim_shape* out);  // ARGUMENT, UNSUPPORTED; without a place
scree_status surfaces_check_images(const struct scree_sim* sim, const sim_shape* shape, double radius);  // a sphere of this radius touches one image at a time. UNSUPPORTED; without a place
scree_status surfaces_make_room(struct scree_sim* sim);  // for as many blocks as there are now. MEMORY
double shape_speed(const sim_boundary* b);             // the largest of its points, as far as spheres can notice
void shape_turn(sim_boundary* b, double angle, double back);  // turn by `angle` about the spin, turn_half by `back` more
bool shape_turn_check(const double turn[3][3]);        // it is a rotation, to rounding
void surfaces_close(sim_surfaces* surfaces);
size_t surfaces_bytes(const sim_surfaces* surfaces);
const char* shape_kind(const sim_shape* shape);        // "mesh", "plane", ...

// surface_touch.c
scree_status surfaces_find_near(struct scree_sim* sim, double margin);  // MEMORY
scree_status surface_desk_reserve(const struct scree_sim* sim, surface_desk* desk);  // MEMORY
void surface_desk_free(surface_desk* desk);
int64_t surface_find(const struct sim_pass* pass, const surface_near* group, surface_desk* desk, surface_touch* out);  // contacts by row, then links; there is room for two for each row of the group
bool surface_crossed(const struct sim_pass* pass, const surface_near* group, const surface_touch* touches, int64_t count);  // by the centre, in this step
double shape_distance(const struct scree_sim* sim, const sim_boundary* b, const double x[3]);  // of a point from it or from its images, as it is now; where it is below half a box it is right, else at least that
int32_t shape_home(const sim_shape* shape, int32_t feature);  // part; -1: there is no such feature

#endif
