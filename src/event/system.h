// Internals of a system of hard spheres. system.c creates and reads it, lists.c has the neighbour lists, advance.c
// processes events in order, calendar.h sorts them; state.c saves and restores it.
//
// Internally the box begins at 0 and lengths are scaled by 2^-unit, so that the largest radius is between 1 and 2 and no square over- or
// underflows; times are not scaled. The internal clock restarts at 0 whenever all spheres are brought to one time
// (`epoch` is the time that has passed): event times are differences and keep their digits near jamming.
#ifndef SCREE_EVENT_SYSTEM_H
#define SCREE_EVENT_SYSTEM_H

#include "event/calendar.h"
#include "event/cells.h"
#include "scree/event.h"
#include "scree/neighbours.h"

enum {
    event_most_shift = 7,    // shifts of images go from -7 to 7
    event_wide = 2 * event_most_shift + 1,
    event_images = event_wide * event_wide * event_wide,
    event_here = event_images / 2,  // the image that is no image
    event_heavy_row = 200,
    event_most_turns = 2     // boxes that a sphere may be away from its own before all are wrapped
};

// One cache line: all that a prediction wants to know of a partner.
typedef struct event_sphere {
    double x[3], t;  // where it was at its own time t
    double v[3], a;  // a: radius at scale 1
} event_sphere;

// A sphere with a long list, of which each collision concerns few: `agenda` has the spheres that may reach it before `until`, as long as its velocity
// stays within `give` of v. See advance.c.
typedef struct event_heavy {
    double until, horizon;   // until: on the clock; -INFINITY: the agenda is of no use any more
    double v[3], give;
    int64_t used;            // partners tested through the agenda since it was made
    int64_t start;           // in `agenda_j` and `agenda_image`
    int32_t count, capacity; // count above capacity: it ran over
} event_heavy;

typedef struct event_work {
    int64_t predictions, tests, refreshes, rebuilds, collisions, wall_collisions;
} event_work;

struct scree_event_system {
    scree_event_def def;
    int dim, unit;
    int32_t n;
    double length[3], shortest;
    bool periodic[3], walls;
    double volume;            // of the spheres at scale 1, over that of the box
    double a_mean, a_max;
    double mass_unit;         // masses inside are those outside over this

    double now, epoch;        // clock; and what it has been set back by
    double scale, rate;       // of the radii: scale + rate * now
    double scale_most;        // where a sphere touches its own image

    void* line_block;         // `line` begins at a multiple of 64 in it
    event_sphere* line;       // at rank
    double* inverse_mass;
    double (*reference)[4];   // x y z, and how far from there it may roam
    int32_t* id;              // of the sphere at this rank; ranks follow a Morton curve
    due* due;
    calendar calendar;

    scree_index* index;       // finds all pairs when all lists are made
    scree_neighbour_lists* lists;
    scree_neighbour_rows rows;  // of `lists`, as they are: the image of j at x_j + offset[image]
    event_cells cells;        // of the references, for the list of one
    double skin, list_scale;  // a row holds all with a gap between references, at this scale, below what both may roam; the mean sphere
                              // may roam by half the skin
    int32_t heavy_row;        // rows with more entries than this make a sphere heavy
    int32_t heavy_count;
    int64_t heavy_capacity, agenda_j_capacity, agenda_image_capacity;
    event_heavy* heavies;
    int32_t *agenda_j, *agenda_image;
    int32_t* heavy;           // which of them a sphere is, -1: none
    uint8_t* near_heavy;      // whether there may be one in its row
    int32_t* mark;            // scratch, -1 between uses
    double* flat;             // scratch: centres and radii for the index
    bool listed;              // rows and events are what they should be
    int64_t until_rebuild;    // collisions left before all lists are rebuilt
    double offset[event_images][4];

    event_work work;          // since the beginning
    event_work listed_at;     // what it was when all lists were made
    event_work measured_at;   // and when measuring began
    double measured_from;     // and the time of that
    double virial;            // since then: sum of impulse times distance
    double wall_virial;       // and of impulses of walls times half the box: 2 energy times time in a gas without collisions
    double energy, energy_time, energy_sum;  // kinetic energy, since when (on the clock), and its integral over time before
    scree_event_hit last;     // by rank
    bool hit_wall;            // a wall collision ends the run too
    int64_t wall_limit;       // and so do so many

    // Called by a run before it makes all lists, all spheres being at `now`: the state is small then (state.c). left: collisions until the run ends. Another status than OK ends it. NULL: none
    scree_status (*before_lists)(void* context, const scree_event_system* s, int64_t left);
    void* before_lists_context;
};

// The state of a system before all lists are made, but for the spheres (`line` and `id`): lists, references and events follow from it.
typedef struct event_saved {
    double epoch, scale, rate, restitution;
    double skin, width;       // of the lists so far, and of buckets of the calendar
    double virial, wall_virial, energy, energy_sum, measured_from;
    int64_t entries, wall_limit;
    event_work work, listed_at, measured_at;
} event_saved;

// lists.c
scree_status event_lists_make(scree_event_system* s);               // all spheres are at `now` then; predicts nothing
scree_status event_lists_refresh(scree_event_system* s, int32_t i); // of one; needs room, so it may fail
void event_lists_skin(scree_event_system* s);                       // chooses the next one by counted work

// advance.c
void event_settle(scree_event_system* s);  // all spheres at `now`, which becomes 0
void event_predict_all(scree_event_system* s);
double event_energy(const scree_event_system* s);

// state.c
event_saved event_save(const scree_event_system* s);  // while `before_lists` is called
// A system of these spheres (as scree_event_create; centres and velocities are not read) in a saved state. FORMAT, with `what` in the message: not a state of theirs. MEMORY.
scree_status event_restore(const char* what, const scree_event_def* def, scree_spheres spheres, const event_saved* from, const event_sphere* line, const int32_t* id, scree_event_system** out);
// system.c: without lists, for event_restore
scree_status event_create_bare(const scree_event_def* def, scree_spheres spheres, const double* v, scree_event_system** out);

// jammed.c: scree_event_is_jammed in parts. How far the test is:
typedef struct event_rest_course {
    double d_mean, least, per_sphere, before;
    int32_t window, unused;
} event_rest_course;

scree_status event_rest_begin(scree_event_system* s, double pressure, event_rest_course* c);  // switches growth off
// From where `c` is to the end. left: collisions until the current window ends; 0: it has not begun.
scree_status event_rest_run(scree_event_system* s, event_rest_course* c, int64_t left, scree_event_rest* out);

double event_wall_pressure(const scree_event_system* s);  // system.c: reduced, as walls feel it, over the span measured; 0: no walls, no span

static inline double event_scale_now(const scree_event_system* s)
{
    return s->scale + s->rate * s->now;
}

#endif
