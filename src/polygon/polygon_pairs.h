// Contacts of two rounded polygons: a pure function of two poses.
//
//        corner on a side        flush sides          notch
//            \  /               | A         |        \  o  /
//             \/                o-----------o         \   /
//        -----------          --o-----------o--        \ /
//        one node             nodes, less a link     two nodes, less
//                             where corners meet     one link
//
// A rounded polygon is its core swept by a disc. Each vertex of one core that is nearer than R, the sum of the two
// radii, to a side of the other one is a node, which pushes along the line from its nearest point to the vertex. Where
// a vertex v of A is near to a vertex w of B, up to four nodes have this pair in common: v and both sides at w, w and
// both sides at v. Each such pair is a link that takes away what the nodes count twice. Links are taken by rising
// distance; one counts once for each join of two groups of nodes that were apart (a spanning forest), so that every
// connected component counts once, also where it closes a ring:
//
//     U = sum over nodes of phi(d)  -  sum over joins of phi(d(v, w))
//
// The force is its gradient, along the line through both nearest points. U is continuous for any poses, convex or not,
// so energy is conserved; momentum and angular momentum balance exactly. Nodes whose nearest point is the vertex w are
// at the distance of the link (v, w): they cancel joins of this link before the contact law is evaluated, so that a corner on a
// side, or on a corner, is one contact. A disc is a vertex without sides.
//
// Friction and dashpots act on nodes only, with a share of 0 to 1 of the node's overlap, as for meshes
// (geom/surface_contacts.h): a link with the overlap F that joins two groups with the loads L1 and L2 takes F w from
// the first and F (1 - w) from the second, w = (L2 - F) / (L1 + L2 - 2 F), in each from all nodes in the same
// proportion. No share is below 0, and a share jumps only where two nodes coincide.
//
// Cost: a query of the tree of sides for each vertex in the box of the other body, then O(m log m) for m nodes.
// Outlines with sides much shorter than R have many nodes. Nothing is allocated.
#ifndef SCREE_POLYGON_POLYGON_PAIRS_H
#define SCREE_POLYGON_POLYGON_PAIRS_H

#include "polygon/edges.h"

// One body, as it is placed.
typedef struct pair_pose {
    const edge_tree* tree;        // of its core, in its own axes; NULL: a disc
    const double (*turned)[2];    // tree->n + 1 vertices of the core along the axes of the plane, from the body's
                                  // place; the last is the first again
    double c, s;                  // cosine and sine of its angle
    double box[4];                // that holds all of it, from its place: lower x y, upper x y
    double r;                     // of the disc that sweeps the core
} pair_pose;

// A vertex near to a side, as one term of the force.
typedef struct pair_point {
    double distance;   // of the vertex and its nearest point of the other core
    double n[2];       // from there to the vertex, length 1; zero if they are the same point
    double scale;      // how often the elastic force and its energy count: 1 for a contact, -1 for most links
    double share;      // how often friction and dashpot count: 0 for links, else above 0 and at most 1
    int32_t vertex;    // of the body that has it
    int32_t side;      // of the other one; two discs, and links: the vertex of the other one
    int32_t nearest;   // vertex of the other one that is the nearest point; -1: inside of the side
    int32_t component; // what is connected has one number, from 0 on
    bool second;       // the vertex is of the second body
} pair_point;

typedef struct pair_node {
    double square, distance;
    double n[2];       // from the nearest point to the vertex
    double share;
    int32_t vertex, side, nearest;
    int32_t towards;   // another node of its component, on the way to the one that stands for it
    int32_t group;     // in the root node: the group of the whole component
    bool second;
} pair_node;

typedef struct pair_group {
    double load, share;
    int32_t above;     // the group that it was joined to; -1: none
    int32_t lowest;    // number of the first node that has a share
} pair_group;

typedef struct pair_link {
    double square, distance;
    int32_t i, j;      // vertices of the first and of the second body
    int32_t count;     // joins, less nodes without share that cancel one
    int32_t node;      // index of a node that contains this pair
} pair_link;

// Room for `room` nodes: as many links, twice as many groups and points.
typedef struct pair_work {
    int64_t room;
    pair_node* node;
    pair_group* group;
    pair_link* link;
    pair_point* point;
} pair_work;

// Called with the work done on a pair; false: stop.
typedef struct pair_watch {
    bool (*work)(void* context, int64_t units);
    void* context;
    int64_t tested;    // vertices of one body in the box of the other, so far
} pair_watch;

enum { pair_stopped = -1 };

// Points of two bodies, the first at `d` from the second, written to work->point: contacts by (second, vertex, side),
// then links. How many there are, where work->room is enough; *nodes is the room needed. pair_stopped: the watch says
// so.
int64_t pair_points(const pair_pose* a, const pair_pose* b, const double d[2], pair_work* work, pair_watch* watch, int64_t* nodes);

// One node by itself: vertex v of `s`, which is at e from `m`, and a side of m. n is not normalized.
void pair_node_at(const pair_pose* s, const pair_pose* m, const double e[2], int32_t v, int32_t side, pair_node* out);

static inline void pair_vertex(const pair_pose* p, int32_t v, double out[2])
{
    out[0] = p->tree != NULL ? p->turned[v][0] : 0.0;
    out[1] = p->tree != NULL ? p->turned[v][1] : 0.0;
}

#endif
